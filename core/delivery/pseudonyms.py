"""What the pseudonyms of a delivery tell by themselves: that somebody can compute them, or a date inside."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import chain, product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedTable, some_rows
from core.comparing.digests import (
    Compared,
    Cut,
    Key,
    Recipe,
    guessable_keys,
    in_hexadecimal,
    keyed_digests,
    learned,
    plain_digests,
    token_shape,
    usual_digests,
)
from core.delivery.keys import Place
from core.people.roles import DIGESTS, Role, RoleSuggestion, suggest_roles
from core.people.roles.names import are_words
from core.people.roles.vocabulary import heads_people_of_records

_MOST_CUT = 64  # hexadecimal digits of digests that are cut
_LEARNED_ON, _MOST_PROVED = 12, 8  # values on which recipes are learned, and recipes proved on all
_WIDTHS = (3, 4, 5, 6, 7, 8, 10)  # digits of numbers padded with zeros
_HEXADECIMAL = re.compile(r"^[0-9a-f]{8,128}$")
_BASE64 = re.compile(r"^[A-Za-z0-9+/_-]{8,172}={0,2}$")
_READABLE = re.compile(rb"^[A-Za-z0-9 ._:/@#|,-]{5,200}$")
# UUIDs of version 1, 6 and 7
_MADE = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[167][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
_OBJECT = re.compile(r"^[0-9a-f]{24}$")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$")
_FIRST, _LAST = 946_684_800, 2_208_988_800  # seconds from 1970 to 2000 and 2040
_YEAR = re.compile(r"(?<![0-9])(?:19[2-9][0-9]|20[0-2][0-9])(?![0-9])")
_FEWEST_YEARS = 10
_SIX, _MOST_BEFORE = re.compile(r"[0-9]{6,}"), 5  # digits, and how many may stand before the day
_SHORT_DAYS = ((0, 2, 4), (4, 2, 0), (4, 0, 2))  # places of year, month and day among six digits
_FEWEST_DAYS, _FEWEST_MONTHS, _LATE = 10, 10, "28"
_LOOKED_AT = 500  # keys
_MOST_TRIED = 300_000  # texts whose digests are computed
_NUMBERS_TRIED = 100_000
_COMPUTED = 0.5  # share of the keys looked at that were found
_EXPECTED = 40  # keys found among some values, were that share computed: none is then a chance of e^-40
_DATED = 0.9  # share of the keys looked at that tell it
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
    holds_dates: bool = False  # days, years or times
    is_readable: bool = False  # whether it is text, written as Base64 or hexadecimal digits
    are_words: bool = False  # whether the values are words, no codes
    # what its values look like, whatever its name; None for nothing
    identifier: RoleSuggestion | None = None


def key_facts(
    tables: Mapping[str, CodedTable],
    keys: Mapping[str, Sequence[str]],
    numbers: Mapping[str, Sequence[str]],
) -> tuple[KeyFacts, ...]:
    """Return the keys whose values tell something, all by table.

    Of other columns that number records, such as names of files, dates alone are looked for.
    """
    places = [Place(name, column) for name, columns in keys.items() for column in columns]
    others = [Place(name, column) for name, columns in numbers.items() for column in columns]
    in_vain: list[frozenset[str]] = []  # keys of one table are those of another
    facts = [
        *(_facts(tables, place, in_vain) for place in places),
        *(_dated(tables, place) for place in others if place not in places),
    ]
    return tuple(
        fact
        for fact in facts
        if fact.identifier or fact.holds_dates or fact.algorithm or fact.is_readable or fact.are_words
    )


def _some(tables: Mapping[str, CodedTable], place: Place) -> pa.Array:
    return pc.unique(tables[place.table][place.column].trimmed.values).slice(0, _LOOKED_AT)


def _dated(tables: Mapping[str, CodedTable], place: Place) -> KeyFacts:
    some = _some(tables, place)
    return KeyFacts(place=place, n_looked_at=len(some), holds_dates=_hold_dates(some))


def _facts(tables: Mapping[str, CodedTable], place: Place, in_vain: list[frozenset[str]]) -> KeyFacts:
    """Return what a key tells; `in_vain` are keys of which nothing is computed, and is added to."""
    fact, some = _dated(tables, place), _some(tables, place)
    if not len(some):
        return fact
    identifier = _identifier(tables[place.table], place.column)
    fact = replace(fact, identifier=identifier, holds_dates=fact.holds_dates and identifier is None)
    keys = some.to_pylist()
    if sum(map(_is_readable, keys)) >= _DATED * len(keys):
        return replace(fact, is_readable=True)
    if identifier is None and are_words(keys):
        return replace(fact, are_words=True)
    if any(each.issuperset(keys) for each in in_vain):
        return fact
    if (found := _computed(tables, place, keys)) is None:
        in_vain.append(frozenset(tables[place.table][place.column].trimmed.values.to_pylist()))
        return fact
    return replace(fact, algorithm=found.algorithm, computed_from=found.source, share_computed=found.share)


def _hold_dates(some: pa.Array) -> bool:
    """Return whether nearly all values hold a day, a year that differs, or the time when they were made."""
    if not len(some) or pc.all(pc.match_substring_regex(some, "^[0-9]{13}$")).as_py():
        return False
    keys = some.to_pylist()
    return (
        any(pc.mean(pc.match_substring_regex(some, each)).as_py() >= _DATED for each in _DATES)
        or sum(_MADE.match(each.lower()) is not None or _is_recent(each) for each in keys)
        >= _DATED * len(keys)
        or _hold_years(keys)
        or _hold_short_days(keys)
    )


_PREFIXES = ("P", "PAT", "ID", "S", "P-", "PAT-")  # before numbers
_PREFIXED, _MOST_PREFIXED = (1, 4, 5, 6), 10_000  # digits, and numbers
_FIRST_DAY, _N_DAYS = date(1915, 1, 1), 110 * 366
_NOBODY = ("record identifier", "identifier by distinctness", DIGESTS)  # kinds of values that name nobody


def _identifier(table: CodedTable, column: str) -> RoleSuggestion | None:
    """Return what the values look like without a name, or under one that speaks of people."""
    bare = pa.table({column if heads_people_of_records(column) else "c": table.table[column]})
    (found,) = suggest_roles(bare)
    seen = found.role is Role.DIRECT_IDENTIFIER and found.from_values
    return found if seen and found.kind not in _NOBODY else None


class _Computed(NamedTuple):
    algorithm: str
    source: Place | None
    share: float


def _computed(tables: Mapping[str, CodedTable], place: Place, keys: Sequence[str]) -> _Computed | None:
    """Return from what at least half of the keys are computed, None where that is not known.

    The algorithms used most are tried on all that keys may be computed from; all others, and guessable keys,
    on a few of these, and what gives any token on all.
    """
    shape = token_shape(keys)
    if shape is None or shape.written == "digits":
        return None
    every = tables[place.table][place.column].trimmed.values.to_pylist()
    tokens, wanted = (frozenset(filter(None, map(shape.body, each))) for each in (every, keys))
    column = Compared(column=str(place), shape=shape, pairs=(), tokens=tokens)
    if len(wanted) < _COMPUTED * len(keys) or len(set(map(len, wanted))) > 1:
        return None
    for source, texts in _texts(tables, place):
        values = list(texts)
        some = _drawn(values, len(tokens))
        for recipe, cut in chain(_usual(column.length), _learned(column, values)):
            if tokens.isdisjoint(_tokens(recipe, cut, some, column)):
                continue
            n_found = len(wanted & set(_tokens(recipe, cut, values, column)))
            if n_found >= _COMPUTED * len(wanted):
                return _Computed(recipe.algorithm, source, n_found / len(wanted))
    return None


def _drawn(values: Sequence[str], n_keys: int) -> Sequence[str]:
    """Return values drawn at random (seeded), among which keys are found if half of all are computed."""
    n = math.ceil(_EXPECTED * len(values) / (_COMPUTED * n_keys))
    return [values[place] for place in some_rows(np.random.default_rng(0), len(values), n)]


def _usual(length: int) -> Iterator[tuple[Recipe, Cut]]:
    """Yield the digests that are used most, of so many hexadecimal digits or cut to them."""
    for recipe, digest in usual_digests("-"):
        whole = 2 * len(digest)
        if recipe.spelling == 0 and (length == whole or (length < whole <= _MOST_CUT)):
            yield recipe, Cut(0, 0)


def _learned(column: Compared, values: Sequence[str]) -> list[tuple[Recipe, Cut]]:
    """Return what gives any token of a column from the first values."""
    lengths, may_be = {column.length // 2}, column.may_be()
    found: list[tuple[Recipe, Cut]] = []
    for at, value in enumerate(values[:_LEARNED_ON]):
        made = plain_digests(value, lengths, may_be=may_be)
        if not at:
            made = chain(made, keyed_digests(value, _guessable_keys(), may_be=may_be))
        found += [(recipe, cut) for _, recipe, cut in learned(made, [(column, "", [column])], few=True)]
    return list(dict.fromkeys(found))[:_MOST_PROVED]


@cache
def _guessable_keys() -> list[Key]:
    return guessable_keys(())


def _tokens(recipe: Recipe, cut: Cut, values: Sequence[str], column: Compared) -> Iterator[str]:
    if recipe.spelling == 0 and column.shape.form[0] == "hex" and cut.start >= 0:
        digest, first, last = recipe.function, cut.start, cut.start + column.length
        yield from (digest(value.encode()).hex()[first:last] for value in values)  # a third of the time
        return
    for value in values:
        if (made := recipe.digest((value,))) is not None:
            yield cut.of(column.shape.texts(made, few=True), column.length)


def _is_readable(key: str) -> bool:
    """Return whether a key is the Base64 of a text, or its bytes in hexadecimal digits."""
    from_base64 = in_hexadecimal(key, "base64") if _BASE64.match(key) else ""
    written = (from_base64, key if _HEXADECIMAL.match(key.lower()) and not len(key) % 2 else "")
    return any(_READABLE.match(bytes.fromhex(each)) for each in written)


def _texts(tables: Mapping[str, CodedTable], place: Place) -> Iterator[tuple[Place | None, Iterable[str]]]:
    """Yield what keys may be computed from: whole numbers, also padded, and the values of other columns."""
    n_values = tables[place.table][place.column].n_distinct
    yield None, map(str, range(1, max(2 * n_values, _NUMBERS_TRIED)))
    few = range(1, min(2 * n_values, _NUMBERS_TRIED))
    yield None, [f"{each:0{width}}" for each in few for width in _WIDTHS]
    prefixes = list(product(_PREFIXES, _PREFIXED))
    yield None, [f"{word}{each:0{width}}" for each in few[:_MOST_PREFIXED] for word, width in prefixes]
    yield None, _days()
    for name, table in tables.items():
        for column in table.table.column_names:
            values = table[column].trimmed
            if Place(name, column) != place and _COMPUTED * n_values <= values.n_distinct <= _MOST_TRIED:
                yield Place(name, column), values.values.to_pylist()


@cache
def _days() -> tuple[str, ...]:
    """Return all days on which people in data were born, as these are usually written."""
    days = [str(_FIRST_DAY + timedelta(days=each)) for each in range(_N_DAYS)]
    parts = [(day[:4], day[5:7], day[8:]) for day in days]  # formatting each by strftime takes half a second
    return (
        *days,
        *(f"{year}{month}{day}" for year, month, day in parts),
        *(f"{day}{month}{year}" for year, month, day in parts),
        *(f"{day}.{month}.{year}" for year, month, day in parts),
        *(f"{day}/{month}/{year}" for year, month, day in parts),
        *(f"{month}/{day}/{year}" for year, month, day in parts),
        *(f"{year[2:]}{month}{day}" for year, month, day in parts),
    )


def _is_recent(key: str) -> bool:
    """Return whether a ULID, or the 24 hexadecimal digits that begin with seconds, is of 2000 to 2040."""
    if _OBJECT.match(key):
        return _FIRST <= int(key[:8], 16) <= _LAST
    if not _ULID.match(key):
        return False
    milliseconds = 0
    for letter in key[:10].upper():
        milliseconds = milliseconds * 32 + _CROCKFORD.index(letter)
    return _FIRST <= milliseconds // 1000 <= _LAST


def _hold_years(keys: Sequence[str]) -> bool:
    """Return whether nearly all keys hold a year by itself, as of birth, and these differ."""
    found = [match[0] for match in map(_YEAR.search, keys) if match]
    return len(found) >= _DATED * len(keys) and len(set(found)) >= _FEWEST_YEARS


def _hold_short_days(keys: Sequence[str]) -> bool:
    """Return whether six digits in one place are days, such as 230412, of ten months or of three years.

    Other digits are a day once in 27 times by chance, and hardly ever in nine of ten keys.
    """
    runs = [found[0] for key in keys if (found := _SIX.search(key))]
    for at, places in product(range(_MOST_BEFORE), _SHORT_DAYS):
        days = [day for run in runs if (day := _short_day(run[at : at + 6], places))]
        years, months, ends = map(set, zip(*days, strict=True)) if days else (set(), set(), set())
        is_spread = max(ends, default="") > _LATE and (len(months) >= _FEWEST_MONTHS or len(years) > 2)
        if is_spread and len(days) >= _DATED * len(keys) and len(set(days)) >= _FEWEST_DAYS:
            return True
    return False


def _short_day(digits: str, places: tuple[int, int, int]) -> tuple[str, str, str] | None:
    year, month, day = (digits[place : place + 2] for place in places)
    return (year, month, day) if "01" <= month <= "12" and "01" <= day <= "31" and len(digits) == 6 else None
