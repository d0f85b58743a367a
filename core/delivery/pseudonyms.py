"""What the pseudonyms of a delivery tell by themselves: that somebody can compute them, or a date inside."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedTable
from core.delivery.keys import Link, Persons, Place
from core.roles import Role, RoleSuggestion, suggest_roles

_DIGESTS = {32: ("md5",), 40: ("sha1",), 56: ("sha224",), 64: ("sha256", "sha3_256"), 128: ("sha512",)}
_HEXADECIMAL = "^[0-9a-fA-F]+$"
_LOOKED_AT = 500  # keys
_MOST_TRIED = 300_000  # texts whose digests are computed
_NUMBERS_TRIED = 100_000
_COMPUTED = 0.5  # share of the keys looked at that were found
_DATED = 0.9
_DATES = (
    r"(?:19|20)[0-9]{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12][0-9]|3[01])",
    r"(?:0[1-9]|[12][0-9]|3[01])[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:19|20)[0-9]{2}",
)


@dataclass(frozen=True, kw_only=True)
class KeyFacts:
    """What a column of pseudonyms tells."""

    place: Place
    n_looked_at: int
    algorithm: str = ""  # by which at least half are computed
    computed_from: Place | None = None  # … from the values of a column; None from whole numbers
    share_computed: float = 0.0
    holds_dates: bool = False
    # what its values look like, whatever its name; None for nothing
    identifier: RoleSuggestion | None = None


def key_facts(
    tables: Mapping[str, CodedTable], persons: Persons, links: Sequence[Link]
) -> tuple[KeyFacts, ...]:
    """Return the columns that say whose records are whose, where their values tell something."""
    linked = {place for link in links for place in (link.one, link.other)}
    places = [place for place in dict.fromkeys(persons.columns.values()) if place in linked]
    return tuple(fact for place in places if (fact := _facts(tables, place)) is not None)


def _facts(tables: Mapping[str, CodedTable], place: Place) -> KeyFacts | None:
    column = tables[place.table][place.column].trimmed
    some = pc.unique(column.values).slice(0, _LOOKED_AT)
    if not len(some):
        return None
    identifier = _identifier(tables[place.table], place.column)
    dated = any(pc.mean(pc.match_substring_regex(some, each)).as_py() >= _DATED for each in _DATES)
    digits = pc.all(pc.match_substring_regex(some, "^[0-9]{13}$")).as_py()
    computed = _computed(tables, place, some)
    fact = KeyFacts(
        place=place,
        n_looked_at=len(some),
        identifier=identifier,
        holds_dates=dated and identifier is None and not digits,
        algorithm="" if computed is None else computed.algorithm,
        computed_from=None if computed is None else computed.source,
        share_computed=0.0 if computed is None else computed.share,
    )
    return fact if fact.identifier or fact.holds_dates or fact.algorithm else None


def _identifier(table: CodedTable, column: str) -> RoleSuggestion | None:
    """Return what the values look like without a name."""
    bare = pa.table({"c": table.table[column]})
    (found,) = suggest_roles(bare)
    seen = found.role is Role.DIRECT_IDENTIFIER and found.from_values
    return found if seen and found.kind not in ("record identifier", "identifier by distinctness") else None


class _Computed(NamedTuple):
    algorithm: str
    source: Place | None
    share: float


def _computed(tables: Mapping[str, CodedTable], place: Place, some: pa.Array) -> _Computed | None:
    """Return from what at least half of the keys are computed, None where that is not known."""
    lengths = pc.unique(pc.utf8_length(some)).to_pylist()
    if len(lengths) > 1 or lengths[0] not in _DIGESTS or not _all_match(some, _HEXADECIMAL):
        return None
    wanted = {each.lower() for each in some.to_pylist()}
    for source, texts in _texts(tables, place):
        for algorithm in _DIGESTS[lengths[0]]:
            n_found = len(wanted & {hashlib.new(algorithm, each.encode()).hexdigest() for each in texts})
            if n_found >= _COMPUTED * len(wanted):
                return _Computed(algorithm, source, n_found / len(wanted))
    return None


def _texts(tables: Mapping[str, CodedTable], place: Place) -> Iterator[tuple[Place | None, Iterable[str]]]:
    """Yield what keys may be computed from: whole numbers, and the values of other columns."""
    n_values = tables[place.table][place.column].n_distinct
    yield None, [*map(str, range(max(2 * n_values, _NUMBERS_TRIED)))]
    for name, table in tables.items():
        for column in table.table.column_names:
            values = table[column].trimmed
            if Place(name, column) != place and _COMPUTED * n_values <= values.n_distinct <= _MOST_TRIED:
                yield Place(name, column), values.values.to_pylist()


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
