"""Which audits fit the files at hand, best first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.coding import CodedTable
from core.delivery.keys import propose_links
from core.errors import AuditInputError
from core.events.column_finding import ROLES, with_found_columns
from core.events.settings import EventSettings
from core.plain import parsed_json
from core.tables import Dataset
from core.vcf.pairing import is_vcf_name
from core.words import text

_OF_OURS = frozenset({"tool", "verdict", "inputs", "findings", "versions"})  # keys of a report
_RELEASED = re.compile(r"anon|scrambl|shuffl|synth|releas|mask|de-?ident|pseudo|noise|익명|가명|비식별")
_LARGEST_JSON = 32 << 20  # bytes; more no report and no log has
_MOST_LINKED_BYTES = 1 << 28  # of text, up to which keys between tables are looked for
_SHARED_COLUMNS = 0.5  # of the smaller table's, and more than a key, for two to be one and its copy


@dataclass(frozen=True, kw_only=True)
class GivenFile:
    """A file at hand: its name, and its table or bytes as far as it has been read."""

    name: str
    table: Dataset | None = None
    data: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An audit that fits: the tool, which file plays which part on its page, and why."""

    tool: str
    places: Mapping[str, tuple[str, ...]]
    reason: str


def offers(files: Sequence[GivenFile]) -> tuple[Offer, ...]:
    """Return the audits that fit some files, best first; none where nothing was recognised.

    Genome files go to the VCF verifier, tables beside a log to the tabular verifier, two tables that share
    half of their columns to row leakage, other tables that a key joins to the data set audit, a log of events
    to the anonymizer, every other table, and the released one of two, to disclosure risk, and a single one to
    the search too.
    """
    tables = [file for file in files if file.table is not None]
    of_tables = [*_with_log(files, tables), *_copies(tables)] or [*_linked(tables)]
    found = [*_genomes(files), *of_tables]
    taken = {name for offer in found for names in offer.places.values() for name in names}
    for file in tables:
        if file.name not in taken:
            found += _single(file)
    return tuple(found)


def is_report(data: bytes) -> bool:
    """Tell whether JSON is a report of ours."""
    return _keys(data) >= _OF_OURS


def _keys(data: bytes) -> frozenset[str]:
    if len(data) > _LARGEST_JSON:
        return frozenset()
    try:
        document = parsed_json(data)
    except ValueError:
        return frozenset()
    return frozenset(document) if isinstance(document, dict) else frozenset()


def _genomes(files: Sequence[GivenFile]) -> Iterator[Offer]:
    names = tuple(
        file.name for file in files if is_vcf_name(file.name) and not _is_of_another_kind(file.data)
    )
    if names:
        reason = text("{n} genome file.", "{n} genome files.", n=len(names))
        yield Offer(tool="vcf", places={"files": names}, reason=reason)


def _is_of_another_kind(data: bytes) -> bool:
    """Tell whether a file begins as no VCF or BCF file does, compressed or not."""
    return bool(data) and not data.startswith((b"##fileformat=VCF", b"\x1f\x8b", b"BCF"))


def _with_log(files: Sequence[GivenFile], tables: Sequence[GivenFile]) -> Iterator[Offer]:
    logs = [file.name for file in files if file.table is None and "log_info" in _keys(file.data)]
    if logs and tables:
        names = (*(file.name for file in tables), *logs)
        yield Offer(
            tool="tabular",
            places={"files": names},
            reason="Tables beside a log of what was done: was it done, and is it enough?",
        )


def _copies(tables: Sequence[GivenFile]) -> Iterator[Offer]:
    """Yield what fits two tables of the same columns, the one that looks released being the second."""
    if len(tables) != 2 or not _share_columns(*(file.table for file in tables if file.table is not None)):
        return
    first, second = sorted(tables, key=lambda file: _RELEASED.search(file.name.lower()) is not None)
    yield Offer(
        tool="leakage",
        places={"original": (first.name,), "scrambled": (second.name,)},
        reason=text("Is a participant of {original} still in {copy}?", original=first.name, copy=second.name),
    )
    yield Offer(
        tool="risk",
        places={"table": (second.name,), "original": (first.name,)},
        reason=text("How easily are people found in {copy}, beside its original?", copy=second.name),
    )


def _linked(tables: Sequence[GivenFile]) -> Iterator[Offer]:
    """Yield the audit of all tables that keys join."""
    named = {file.name: file.table for file in tables if file.table is not None}
    if len(named) < 2 or sum(table.table.nbytes for table in named.values()) > _MOST_LINKED_BYTES:
        return
    links = propose_links({name: CodedTable(table=table.table) for name, table in named.items()})
    joined = {place.table for link in links for place in (link.one, link.other)}
    if joined:
        yield Offer(
            tool="dataset",
            places={"tables": tuple(name for name in named if name in joined)},
            reason="Keys join these tables: who is found when they are read together?",
        )


def _share_columns(one: Dataset, other: Dataset) -> bool:
    names = [{name.casefold() for name in table.columns} for table in (one, other)]
    n_shared, n_least = len(names[0] & names[1]), min(map(len, names))
    return n_shared >= _SHARED_COLUMNS * max(n_least, 1) and (n_shared > 1 or n_least == 1)


def _single(file: GivenFile) -> Iterator[Offer]:
    if file.table is not None and _is_event_log(file.table):
        yield Offer(
            tool="events",
            places={"log": (file.name,)},
            reason=text("{file} has a time, a user and an event in each line.", file=file.name),
        )
    yield Offer(
        tool="risk",
        places={"table": (file.name,)},
        reason=text("How easily are people found in {file}?", file=file.name),
    )
    yield Offer(
        tool="diversity",
        places={"data": (file.name,)},
        reason=text("{file} is to train a model: which k and ℓ protect people in it?", file=file.name),
    )


def _is_event_log(table: Dataset) -> bool:
    """Tell whether a table names a time, a user and an event, and users come more than once."""
    if len(table.columns) < len(ROLES) or not table.n_records:
        return False
    try:
        settings = with_found_columns(table, EventSettings())
    except AuditInputError:  # such as a first line that holds no names
        return False
    if not {getattr(settings, role) for role in ROLES} <= set(table.columns):
        return False
    n_users = len(table.table.column(settings.user_column).unique())
    return n_users * 2 <= table.n_records
