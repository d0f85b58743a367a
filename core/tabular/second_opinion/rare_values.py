"""What stands out: a value that hardly anybody has, an age above 89, rows that were forgotten."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import NO_ACCIDENT, binomial_tail
from core.coding import BoolArray, CodedColumn, IntArray, sorted_distinct
from core.comparing.numbers import read_amounts
from core.people.roles import Role, RoleSuggestion
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.second_opinion.persons import Persons
from core.tabular.settings import SecondOpinionThresholds
from core.values.cells import CodeArray
from core.verdict import Finding, Verdict
from core.words import share_of

_FEWEST_PEOPLE, _MANY_PEOPLE = 100, 200  # below the first one of them is no rarity; from the second two are
_USUAL = 5  # people from which a value is usual
_COARSE = 0.85  # share of the people whose value is usual in a column where rare ones stand out
_TAIL = 0.5  # of the range of the usual numbers, as far as which rare ones are their tails
_OLD = 89  # the last age that the HIPAA Safe Harbor rule lets stand (45 CFR 164.514(b)(2)(i)(C))
_OLDEST = 125
_LEFT = 0.9  # share of unchanged cells from which a column was not changed at all
_MOSTLY = 0.9  # share of the cells of a block that are as they were
_LARGEST_BLOCK = 0.5  # share of the rows
_FEWEST_ROWS, _FEW_VALUES = 5, 3
_LOSS = 4.0  # what a changed row costs a block, of what an unchanged row brings


@dataclass(frozen=True, kw_only=True)
class RareValues:
    """A column of usual values in which a few are of one or two people each."""

    column: str
    n_values: int
    n_people: int
    n_all: int


@dataclass(frozen=True, kw_only=True)
class OldAges:
    """A column of ages with people older than 89, told in years."""

    column: str
    n_records: int
    n_filled: int


@dataclass(frozen=True, kw_only=True)
class ForgottenRows:
    """Rows that follow each other and are as they were, in a column that was changed elsewhere."""

    original: str  # column names
    anonymized: str
    first: int  # the first and last of these rows, from 1
    last: int
    # cells among them that hold their original value or, without rows to compare, any original value
    n_unchanged: int
    is_telling: bool  # whether the column was to be gone, or half of these values differ


@dataclass(frozen=True, kw_only=True)
class Standouts:
    """All that stands out."""

    rare: tuple[RareValues, ...]
    old: tuple[OldAges, ...]
    forgotten: tuple[ForgottenRows, ...]


def measure_standouts(
    tables: LoggedTables,
    suggestions: Sequence[RoleSuggestion],
    *,
    quasi_identifiers: Collection[str],
    persons: Persons | None,
) -> Standouts:
    """Look for rare values in coarse columns but quasi-identifiers, ages above 89, and forgotten rows."""
    drawn = {pair.pair.anonymized for pair in tables.coded if pair.pair.action == "pseudonymize"}
    direct = {one.column for one in suggestions if one.role is Role.DIRECT_IDENTIFIER}
    columns = [name for name in tables.anonymized.column_names if name not in {*drawn, *direct}]
    rare = (
        _rare(tables.written["anonymized"][name], name, persons)
        for name in columns
        if name not in quasi_identifiers
    )
    ages = {one.column for one in suggestions if one.kind == "age"}
    ages |= {pair.pair.anonymized for pair in tables.coded if pair.pair.semantic == "age"}
    old = (_old(tables.anonymized[name], name) for name in columns if name in ages)
    forgotten = (_forgotten(pair, tables, persons) for pair in tables.coded)
    return Standouts(
        rare=tuple(one for one in rare if one is not None),
        old=tuple(one for one in old if one is not None),
        forgotten=tuple(one for one in forgotten if one is not None),
    )


def _rare(column: CodedColumn, name: str, persons: Persons | None) -> RareValues | None:
    """Return how many people stand out by their value, None where nobody or too many do."""
    counts = column.counts
    if persons is not None:
        filled = column.codes >= 0
        size = max(persons.n_persons, 1)
        of_persons = sorted_distinct(column.codes[filled].astype(np.int64) * size + persons.codes[filled])
        counts = np.bincount(of_persons // size, minlength=len(column.values))
    n = int(counts.sum())
    if n < _FEWEST_PEOPLE or counts[counts >= _USUAL].sum() < _COARSE * n:
        return None
    rare = (counts > 0) & (counts <= (2 if n >= _MANY_PEOPLE else 1))
    if rare.any():
        rare &= ~_in_the_tails(column.values, counts)
    if not rare.any():
        return None
    n_people = int(counts[rare].sum())
    return RareValues(column=name, n_values=int(np.count_nonzero(rare)), n_people=n_people, n_all=n)


def _in_the_tails(values: pa.Array, counts: IntArray) -> BoolArray:
    """Return which values are numbers or dates no farther from the usual ones than these reach: tails."""
    amounts = read_amounts(values)
    tails = np.zeros(len(counts), dtype=bool)
    if amounts is None:
        return tails
    numbers = amounts.numbers
    usual = numbers[(counts >= _USUAL) & ~np.isnan(numbers)]
    if len(usual):
        low, high = usual.min(), usual.max()
        away = np.maximum(low - numbers, numbers - high)
        tails = away <= max(high - low, 1) * _TAIL
    return tails


def _old(column: pa.ChunkedArray, name: str) -> OldAges | None:
    """Return how many ages above 89 are told in years; a single 90 for all of them is a band."""
    values = pc.utf8_trim_whitespace(column.drop_null())
    whole = pc.match_substring_regex(values, r"^[0-9]{2,3}(?:\.0+)?$")
    ages = pc.cast(values.filter(whole), pa.float64()).to_numpy()
    old = ages[(ages > _OLD) & (ages <= _OLDEST)]
    if not len(old) or (old == _OLD + 1).all():
        return None
    return OldAges(column=name, n_records=len(old), n_filled=len(values))


# --- forgotten rows


def _forgotten(pair: CodedPair, tables: LoggedTables, persons: Persons | None) -> ForgottenRows | None:
    """Return the block of rows that was left as it was, None where chance explains it."""
    if pair.anonymized is pair.original or not len(pair.anonymized):
        return None
    if tables.in_order:
        same = (pair.original == pair.anonymized) & (pair.anonymized >= 0)
    else:
        same = (pair.anonymized >= 0) & (pair.original_counts[pair.anonymized] > 0)
    n_same = int(np.count_nonzero(same))
    if not _FEWEST_ROWS <= n_same < _LEFT * len(same):
        return None
    start, end = densest_block(same)
    if not _is_no_chance(same, start, end, persons) or _is_capped(pair.anonymized, start, end):
        return None
    values = pair.anonymized[start:end][same[start:end]]
    outside = np.ones(len(same), dtype=bool)
    outside[start:end] = False
    distinct = len(np.unique(values)) >= 0.5 * len(values)
    if not distinct and not _changed_elsewhere(pair, tables, values, outside):
        return None
    return ForgottenRows(
        original=pair.pair.original,
        anonymized=pair.pair.anonymized,
        first=start + 1,
        last=end,
        n_unchanged=len(values),
        is_telling=distinct or pair.pair.entry.takes_out,
    )


def _is_no_chance(same: BoolArray, start: int, end: int, persons: Persons | None) -> bool:
    """Whether a block is a part of the rows, and so unlike the others that chance hardly made it.

    Rows of one person that follow each other are one chance.
    """
    if persons is not None:
        begins = np.concatenate([[True], np.diff(persons.codes) != 0])
        same, start, end = same[begins], *(int(begins[:at].sum()) for at in (start, end))
    n_inside = int(np.count_nonzero(same[start:end]))
    if end - start > _LARGEST_BLOCK * len(same) or n_inside < max(_FEWEST_ROWS, _MOSTLY * (end - start)):
        return False
    share = max(int(np.count_nonzero(same)) - n_inside, 1) / (len(same) - (end - start))
    return bool(len(same) * binomial_tail(n_inside, end - start, share) <= NO_ACCIDENT)


def _is_capped(anonymized: CodeArray, start: int, end: int) -> bool:
    """Whether all other rows have hardly more than one value, as where sorted numbers are capped."""
    outside = np.concatenate([anonymized[:start], anonymized[end:]])
    at_an_end = start == 0 or end == len(anonymized)
    return at_an_end and 1 <= len(np.unique(outside[outside >= 0])) <= _FEW_VALUES


def _changed_elsewhere(pair: CodedPair, tables: LoggedTables, values: CodeArray, outside: BoolArray) -> bool:
    """Whether most of the values were changed in other rows: their own rule does not leave them alone."""
    if not tables.in_order:
        return False
    changed = pair.original[outside & (pair.original != pair.anonymized)]
    return float(np.isin(values, changed).mean()) >= _COARSE


def densest_block(hits: BoolArray) -> tuple[int, int]:
    """Return start and end of the rows whose sum is largest where a hit counts 1 and anything else costs 4.

    >>> densest_block(np.array([0, 1, 0, 0, 1, 1, 1, 1, 0, 1], dtype=bool))
    (4, 8)
    """
    sums = np.concatenate([[0.0], np.cumsum(np.where(hits, 1.0, -_LOSS))])
    lowest = np.minimum.accumulate(sums)
    end = int(np.argmax(sums - lowest))
    start = int(np.argmin(sums[: end + 1]))
    return start, end


# --- judging


def judge_standouts(
    measured: Standouts,
    thresholds: SecondOpinionThresholds,  # noqa: ARG001 - as every judge
) -> list[Finding]:
    """Return findings about rare values, old ages and forgotten rows."""
    return [
        *(_about_forgotten(one) for one in measured.forgotten),
        *(_about_old(one) for one in measured.old),
        *_about_rare(measured.rare),
    ]


def _about_forgotten(one: ForgottenRows) -> Finding:
    n_rows = one.last - one.first + 1
    return Finding.of(
        "forgotten_rows",
        Verdict.FAIL if one.is_telling else Verdict.WARN,
        column=one.anonymized,
        n_affected=one.n_unchanged,
    )(
        "`{column}` holds originals in rows {first} to {last}: {found} cells there, unlike in the other "
        "rows. Treat these rows as the rest.",
        first=one.first,
        last=one.last,
        found=share_of(one.n_unchanged, n_rows),
    )


def _about_old(one: OldAges) -> Finding:
    return Finding.of("age_above_89", Verdict.WARN, column=one.column, n_affected=one.n_records)(
        "`{column}` tells {found} ages above 89 in years. So few people get so old that an age finds "
        "them: write 90 or more for all of them.",
        found=share_of(one.n_records, one.n_filled),
    )


def _about_rare(rare: Sequence[RareValues]) -> Iterator[Finding]:
    for one in rare:
        yield Finding.of("rare_value", Verdict.WARN, column=one.column, n_affected=one.n_people)(
            "{n} value of `{column}` is of one or two people alone: {found}, while the other values are "
            "usual. Who such a value is about, others may know: put it together with others.",
            "{n} values of `{column}` are of one or two people alone: {found}, while the other values "
            "are usual. Who such a value is about, others may know: put it together with others.",
            n=one.n_values,
            found=share_of(one.n_people, one.n_all),
        )
