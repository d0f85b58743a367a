"""Which audits fit the files at hand, best first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from core.coding import CodedTable
from core.delivery.keys import propose_links
from core.errors import AuditInputError
from core.events.column_finding import ROLES, with_found_columns
from core.events.settings import EventSettings
from core.files.plain_text import parsed_json
from core.people.roles import RoleSuggestion, is_the_same_for_life, suggest_roles
from core.reports.carried import carried_in
from core.tables import Dataset
from core.tabular.other_logs import may_be_log
from core.tabular.pairing import pair_files
from core.vcf.pairing import SAYS_RELEASED, identifying_words, is_vcf_name
from core.words import listed, text

_OF_OURS = frozenset({"tool", "verdict", "inputs", "findings", "versions"})  # keys of a report
_COPY_NUMBER = re.compile(r" \(\d+\)$")  # of a file whose name another one of the same upload has
_LARGEST_JSON = 32 << 20  # bytes; more no report and no log has
_MOST_LINKED_BYTES = 1 << 28  # of text, up to which keys between tables are looked for
_NUMBER = "patient or person number"
_MOST_NAMED = 3  # tables that keys join
_MOST_RECORDS = 100_000  # of a table, looked at for whether each is of a person of its own
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
    """Return the audits that fit some files, the best of each file first; none where nothing was recognised.

    Genome files go to the VCF verifier, tables beside a log to the tabular verifier, a table and its copy to
    row leakage, other tables that a key joins to the data set audit, beside their originals where each has
    one, a log of events to the anonymizer, every other table, and every copy, to disclosure risk, and one by
    itself to the search too. A table of people, a row each, is no log of events, whatever times it has.
    """
    tables = [file for file in files if file.table is not None]
    found = [[*_genomes(files), *_with_log(files, tables)]]
    delivered, made_of = sides_of(tables)
    if of_delivery := [*_linked(delivered, made_of)] if delivered else []:
        found.append(of_delivery)
        tables = [file for file in tables if file not in delivered and file not in made_of]
    originals = originals_of(tables)
    found += [[*_copy(names)] for names in originals.items()]
    found.append([*_linked([file for file in tables if file.name not in originals.values()])])
    taken = {name for group in found for offer in group for names in offer.places.values() for name in names}
    found += [list(_single(file)) for file in tables if file.name not in taken]
    best = [*found[0], *(group[0] for group in found[1:] if group)]
    return (*best, *(offer for group in found[1:] for offer in group[1:]))


def is_report(data: bytes) -> bool:
    """Tell whether JSON is a report of ours."""
    return _keys(data) >= _OF_OURS


def _keys(data: bytes) -> frozenset[str]:
    data = carried_in(data, most=_LARGEST_JSON) or data
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
    columns = [name for file in tables if file.table for name in file.table.columns]
    logs = [
        file.name
        for file in files
        if (may_be_log(file.table, columns) if file.table else "log_info" in _keys(file.data))
    ]
    tables = [file for file in tables if file.name not in logs]
    if logs and tables:
        names = (*(file.name for file in tables), *logs)
        if pairs := pair_files(names).pairs:  # other tables have nothing to do with a log
            paired = {name for pair in pairs for name in (pair.original, pair.anonymized)}
            names = tuple(name for name in names if name in paired or name in logs)
        yield Offer(
            tool="tabular",
            places={"files": names},
            reason="Tables beside a log of what was done: was it done, and is it enough?",
        )


def originals_of(tables: Sequence[GivenFile]) -> dict[str, str]:
    """Return of which table each copy is one, by their columns and names.

    Of two tables the one that looks released is the copy, else the second; of more, each that looks released
    is a copy of the table whose name it holds, or of the only one that it can be one of.
    """
    if len(tables) == 2:
        original, copy = sorted(tables, key=_looks_released)
        return {copy.name: original.name} if _share_columns(original, copy) else {}
    originals = {}
    for copy in filter(_looks_released, tables):
        possible = [one for one in tables if not _looks_released(one) and _share_columns(one, copy)]
        named = [one for one in possible if _holds_name(copy, one)]
        if named or len(possible) == 1:
            originals[copy.name] = max(named or possible, key=lambda one: len(_stem(one))).name
    return originals


def sides_of(tables: Sequence[GivenFile]) -> tuple[list[GivenFile], list[GivenFile]]:
    """Return released tables and the original of each, where two or more come twice by names and columns.

    Released is what says so by its name or folder; else those that come second, or those that come first
    where their columns have fewer different values.
    """
    alike: dict[tuple[str, ...], list[GivenFile]] = {}
    for file in tables:
        alike.setdefault(identifying_words(_COPY_NUMBER.sub("", _plain_name(file))), []).append(file)
    pairs = [tuple(both) for both in alike.values() if len(both) == 2 and _share_columns(*both)]
    if len(pairs) < 2:  # one alone is a table and its copy
        return [], []
    if all(_looks_released(one) != _looks_released(other) for one, other in pairs):
        pairs = [(one, other) if _looks_released(other) else (other, one) for one, other in pairs]
    elif sum(map(_n_values, (one for one, _ in pairs))) < sum(map(_n_values, (other for _, other in pairs))):
        pairs = [(other, one) for one, other in pairs]
    return [released for _, released in pairs], [original for original, _ in pairs]


def _n_values(file: GivenFile) -> int:
    """Return how many different values a table's columns have, together."""
    columns = file.table.table.slice(0, _MOST_RECORDS).columns if file.table is not None else []
    return sum(pc.count_distinct(each).as_py() for each in columns)


def _plain_name(file: GivenFile) -> str:
    """Return a file's name without its folders and its ending."""
    return _stem(file).rpartition("/")[2]


def _looks_released(file: GivenFile) -> bool:
    return SAYS_RELEASED.search(file.name.lower()) is not None


def _holds_name(copy: GivenFile, original: GivenFile) -> bool:
    """Tell whether one name holds another as words of its own."""
    return re.search(rf"(?<![^\W_]){re.escape(_stem(original))}(?![^\W_])", _stem(copy)) is not None


def _stem(file: GivenFile) -> str:
    return file.name.lower().rpartition(".")[0] or file.name.lower()


def _copy(names: tuple[str, str]) -> Iterator[Offer]:
    """Yield what fits a copy and its original."""
    copy, original = names
    yield Offer(
        tool="leakage",
        places={"original": (original,), "scrambled": (copy,)},
        reason=text("Is a participant of {original} still in {copy}?", original=original, copy=copy),
    )
    yield Offer(
        tool="risk",
        places={"table": (copy,), "original": (original,)},
        reason=text("How easily are people found in {copy}, beside its original?", copy=copy),
    )


def _linked(tables: Sequence[GivenFile], originals: Sequence[GivenFile] = ()) -> Iterator[Offer]:
    """Yield the audit of all tables that keys join, beside their originals."""
    named = {file.name: file.table for file in tables if file.table is not None}
    if len(named) < 2 or sum(table.table.nbytes for table in named.values()) > _MOST_LINKED_BYTES:
        return
    links = propose_links({name: CodedTable(table=table.table) for name, table in named.items()})
    ends = {place.table for link in links for place in (link.one, link.other)}
    joined = tuple(name for name in named if name in ends)
    if joined and originals:
        yield Offer(
            tool="dataset",
            places={"tables": (*named,), "originals": tuple(each.name for each in originals)},
            reason=text(
                "{tables} come twice: was done what was declared, and who is found in those released?",
                tables=listed([*named], at_most=_MOST_NAMED),
            ),
        )
    elif joined:
        yield Offer(
            tool="dataset",
            places={"tables": joined},
            reason=text(
                "Keys join {tables}: who is found when they are read together?",
                tables=listed(joined, at_most=_MOST_NAMED),
            ),
        )


def _share_columns(one: GivenFile, other: GivenFile) -> bool:
    tables = [file.table for file in (one, other) if file.table is not None]
    names = [{name.casefold() for name in table.columns} for table in tables]
    n_shared, n_least = len(names[0] & names[1]), min(map(len, names))
    return n_shared >= _SHARED_COLUMNS * max(n_least, 1) and (n_shared > 1 or n_least == 1)


def _single(file: GivenFile) -> Iterator[Offer]:
    if file.table is not None and _has_several_tables(file.table):
        yield Offer(
            tool="dataset",
            places={"tables": (file.name,)},
            reason=text(
                "{file} has several sheets: who is found when they are read together?", file=file.name
            ),
        )
    whose = _whose(file.table) if file.table is not None else ()
    has_a_row_each = file.table is not None and _differ_by(file.table, [each.column for each in whose])
    is_sure = any(each.kind != _NUMBER for each in whose)  # numbers alone may be those of the rows of a log
    if file.table is not None and not (has_a_row_each and is_sure) and _is_event_log(file.table):
        yield Offer(
            tool="events",
            places={"log": (file.name,)},
            reason=text("{file} has a time, a user and an event in each line.", file=file.name),
        )
    of_people = "{file} seems to have one row for each person: how easily are people found in it?"
    yield Offer(
        tool="risk",
        places={"table": (file.name,)},
        reason=text(
            of_people if has_a_row_each else "How easily are people found in {file}?", file=file.name
        ),
    )
    yield Offer(
        tool="diversity",
        places={"data": (file.name,)},
        reason=text("{file} is to train a model: which k and ℓ protect people in it?", file=file.name),
    )


def _has_several_tables(table: Dataset) -> bool:
    """Tell whether a workbook has another sheet with at least a tenth of the table's cells."""
    n_cells = table.n_records * len(table.columns)
    return any(one.sheet and 10 * one.n_texts >= n_cells for one in table.reading.beside)


def _whose(table: Dataset) -> tuple[RoleSuggestion, ...]:
    """Return the columns that are the same in all rows of a person, such as names and births.

    Of several numbers that with the fewest values: the others may be those of what happened to the person.
    """
    same = [each for each in suggest_roles(table.table.slice(0, _MOST_RECORDS)) if is_the_same_for_life(each)]
    numbers = [each for each in same if each.kind == _NUMBER]
    of_persons = min(numbers, key=lambda each: each.n_distinct, default=None)
    return tuple(each for each in same if each not in numbers or each is of_persons)


def _differ_by(table: Dataset, columns: Sequence[str]) -> bool:
    """Tell whether most rows have values in these columns that no other row has together."""
    rows = table.table.slice(0, _MOST_RECORDS)
    return bool(columns) and rows.group_by(columns).aggregate([]).num_rows * 2 > len(rows)


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
