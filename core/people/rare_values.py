"""Values that stand out in a table by itself: of one or two people among usual ones, and ages above 89."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, CodedColumn, IntArray, sorted_distinct
from core.comparing.numbers import read_amounts
from core.verdict import Finding, Verdict
from core.words import share_of

_FEWEST_PEOPLE, _MANY_PEOPLE = 100, 200  # below the first one of them is no rarity; from the second two are
_USUAL = 5  # people from which a value is usual
_COARSE = 0.85  # share of the people whose value is usual in a column where rare ones stand out
_TAIL = 0.5  # of the range of the usual numbers, as far as which rare ones are their tails
_OLD = 89  # the last age that the HIPAA Safe Harbor rule lets stand (45 CFR 164.514(b)(2)(i)(C))
_OLDEST = 125


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


def rare_values(column: CodedColumn, name: str, person: IntArray | None) -> RareValues | None:
    """Return how many people stand out by their value, None where nobody or too many do.

    `person` has shape (n_records,), -1 for nobody; None where each record is of another one.
    """
    counts = column.counts
    if person is not None:
        filled = (column.codes >= 0) & (person >= 0)
        size = max(int(person.max(initial=0)) + 1, 1)
        of_persons = sorted_distinct(column.codes[filled].astype(np.int64) * size + person[filled])
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


def old_ages(column: pa.ChunkedArray, name: str) -> OldAges | None:
    """Return how many ages above 89 are told in years; a single 90 for all of them is a band."""
    values = pc.utf8_trim_whitespace(column.drop_null())
    whole = pc.match_substring_regex(values, r"^[0-9]{2,3}(?:\.0+)?$")
    ages = pc.cast(values.filter(whole), pa.float64()).to_numpy()
    old = ages[(ages > _OLD) & (ages <= _OLDEST)]
    if not len(old) or (old == _OLD + 1).all():
        return None
    return OldAges(column=name, n_records=len(old), n_filled=len(values))


def about_old(one: OldAges) -> Finding:
    """Return the warning of a column."""
    return Finding.of("age_above_89", Verdict.WARN, column=one.column, n_affected=one.n_records)(
        "`{column}` tells {found} ages above 89 in years. So few people get so old that an age finds "
        "them: write 90 or more for all of them.",
        found=share_of(one.n_records, one.n_filled),
    )


def about_rare(rare: Sequence[RareValues]) -> Iterator[Finding]:
    """Yield a warning of each column."""
    for one in rare:
        yield Finding.of("rare_value", Verdict.WARN, column=one.column, n_affected=one.n_people)(
            "{n} value of `{column}` is of one or two people alone: {found}, while the other values are "
            "usual. Who such a value is about, others may know: put it together with others.",
            "{n} values of `{column}` are of one or two people alone: {found}, while the other values "
            "are usual. Who such a value is about, others may know: put it together with others.",
            n=one.n_values,
            found=share_of(one.n_people, one.n_all),
        )
