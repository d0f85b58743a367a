"""What written values mean: the same in several spellings, unknown in words, numbers in tenths."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import binomial_tail, poisson_tail
from core.classes import Items
from core.coding import CodedColumn, FloatArray, IntArray
from core.risk.settings import RiskSettings
from core.values.cells import as_numbers
from core.values.dates import read_days
from core.values.folded_text import folded_text, says_unknown

_SPREAD = (0.05, 0.95)  # quantiles between which closeness is a share
_LOOKED_AT = 100  # values that have to be days before all are read
_MOST_PICKED = 1000  # values of a class looked at one after another; no threshold asks for more
_CURRENCIES = r"(?i)^\s*(?:€|\$|£|¥|₩|eur|usd|gbp|krw|won)|(?:€|\$|£|¥|₩|원|eur|usd|gbp|krw|won)\s*$"


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedValues:
    """Which written values of a column mean the same."""

    # shape (n_values + 1,): a number from 0 for each meaning, of numbers in ascending order, -1 for an
    # unknown one; the last is a missing one's
    group_of_value: IntArray
    numbers: FloatArray | None  # shape (n_groups,), ascending; None where not all known values are numbers
    width: float  # numbers that differ by at most that much are close; 0 for text
    n_merged: int  # written values that share their meaning with another, or are close to another number
    n_unknown: int  # written values that are words for unknown

    @property
    def changes(self) -> bool:
        """Return whether anything is counted differently from the values as written."""
        return bool(self.n_merged or self.n_unknown)

    @cached_property
    def following(self) -> IntArray:
        """Return shape (n_groups,): the first group that is not close to each group from below."""
        if self.numbers is None:
            return np.arange(1, int(self.group_of_value.max(initial=-1)) + 2)
        reach = self.numbers + self.width * (1 + 1e-9)
        return cast("IntArray", np.searchsorted(self.numbers, reach, side="right").astype(np.int64))

    @cached_property
    def interval_of_group(self) -> IntArray:
        """Return shape (n_groups,): intervals as wide as closeness, from the smallest number upwards."""
        interval = np.zeros(len(self.following), dtype=np.int64)
        start, number = 0, 0
        while start < len(interval):
            stop = int(self.following[start])
            interval[start:stop] = number
            start, number = stop, number + 1
        return interval


def fold_values(column: CodedColumn, settings: RiskSettings) -> FoldedValues:
    """Find out which written values of a sensitive attribute mean the same.

    - Text: compared without case, width, spaces and punctuation; signs, percent, and points, commas, colons,
      slashes and hyphens between digits count, as does a hyphen before a digit or at the end.
    - Numbers, also with thousands separators, decimal commas or a currency: those closer than
      `settings.closeness` of the range between the 5 % and the 95 % quantile are close.
    - Days and times, where all known values are: as numbers of days.
    - Words for unknown are no value; where a missing one counts as a value they are that value.
    """
    folded = folded_text(column.values)
    unknown = says_unknown(folded)
    known = ~np.append(unknown, True) & ~column.value_is_suppressed
    written = pa.array(known[:-1])
    numbers = _amounts(column.values.filter(written))
    group = np.full(len(known), -1, dtype=np.int64)
    if numbers is None:
        group[known] = np.unique(
            np.array(folded.filter(written).to_pylist(), dtype=object), return_inverse=True
        )[1]
        distinct, width, close = None, 0.0, 0
    else:
        distinct, group[known] = np.unique(numbers, return_inverse=True)
        n_of_group = np.bincount(group[:-1][known[:-1]], weights=column.counts[known[:-1]])
        width = _width(distinct, n_of_group.astype(np.int64), settings.closeness)
        gaps = np.diff(distinct) <= width * (1 + 1e-9) if width else np.zeros(0, dtype=bool)
        close = int(np.count_nonzero(gaps))
    n_groups = int(group.max(initial=-1)) + 1
    n_unknown = int(np.count_nonzero(unknown))
    as_value = settings.missing_sensitive == "value" and column.n_missing > 0
    if as_value:  # an answer of its own; numbers then have no order
        group[group < 0] = n_groups
        distinct, width, close = None, 0.0, 0
    return FoldedValues(
        group_of_value=group,
        numbers=distinct,
        width=width,
        n_merged=int(np.count_nonzero(known)) - n_groups + close,
        n_unknown=n_unknown,
    )


def _amounts(values: pa.Array) -> FloatArray | None:
    """Return the numbers, or days, that texts stand for, None unless all of them do, and there are any."""
    if not len(values):
        return None
    numbers = as_numbers(pc.replace_substring_regex(values, _CURRENCIES, ""))
    if numbers is not None or np.isnan(read_days(values.slice(0, _LOOKED_AT))).any():
        return numbers
    days = read_days(values)
    return None if np.isnan(days).any() else days


def _width(numbers: FloatArray, counts: IntArray, closeness: float) -> float:
    """Return how far apart close numbers, ascending and with the records of each, are at most."""
    if not counts.any() or not closeness:
        return 0.0
    place = np.array(_SPREAD) * (counts.sum() - 1)
    below, above = (
        numbers[np.searchsorted(counts.cumsum(), each, side="right")]
        for each in (np.floor(place), np.ceil(place))
    )
    part = place - np.floor(place)
    low, high = np.where(
        part >= 0.5, above - (above - below) * (1 - part), below + (above - below) * part
    )  # as numpy's quantile rounds
    return float(closeness * (high - low))


def distinct_meanings(counts: Items, folded: FoldedValues) -> IntArray:
    """Return shape (n_entries,): the most values of each class no two of which are close.

    Notes
    -----
    Values are taken from the smallest upwards, each the first that is not close to the last taken; no larger
    choice exists. At most 1,000 are counted.
    """
    size = len(counts.totals) + 1
    keys = counts.of_class * size + counts.item
    first = np.flatnonzero(np.diff(counts.of_class, prepend=-1))
    of_class = counts.of_class[first]
    end = np.append(first[1:], len(keys))
    found = np.zeros(counts.n_entries, dtype=np.int64)
    position, active = first, np.arange(len(first))
    for _ in range(_MOST_PICKED):
        if not len(active):
            break
        found[of_class[active]] += 1
        beyond = folded.following[counts.item[position]]
        position = np.searchsorted(keys, of_class[active] * size + beyond)
        inside = position < end[active]
        position, active = position[inside], active[inside]
    return found


DOMINANT_SHARE = 0.8  # of a class from which one value is nearly certain
DOMINANT_GAIN = 0.3  # above its share of the table
SKEWED_SHARE = 0.2  # of a class from which a value that is rare in the table matters
SKEWED_RATIO = 5.0  # times its share of the table
_CHANCE = 0.001  # probability below which classes are not what chance makes
_GROUPS_OF_NUMBERS = 10


@dataclass(frozen=True, kw_only=True)
class LikelyValues:
    """Classes in which one value of a sensitive attribute is likely, and how many chance would make so."""

    n_classes: int  # classes with such a value, and their records
    n_records: int
    n_expected: float  # classes of the same sizes that would have one if values were spread by chance
    highest_share: float  # largest share of such a value in a class, in [0, 1]
    beyond_chance: bool  # whether chance makes so many, or any of them, with a probability below 0.001


@dataclass(frozen=True, kw_only=True)
class Likelihood:
    """What classes make likely of one sensitive attribute."""

    dominant: LikelyValues  # classes in which a value has at least 80 %, and 30 points more than in the table
    skewed: LikelyValues  # classes in which a value has at least 20 %, and five times its share of the table


def likely_values(counts: Items, folded: FoldedValues) -> Likelihood:
    """Find classes that make a value likely; numbers are looked at in tenths of the table's records."""
    if folded.numbers is not None and len(counts.totals) > _GROUPS_OF_NUMBERS:
        counts = counts.merged(_tenths(counts.share_in_table))
    q = counts.share_in_table
    dominant = np.maximum(DOMINANT_SHARE, q + DOMINANT_GAIN)
    skewed = np.maximum(SKEWED_SHARE, SKEWED_RATIO * q)
    return Likelihood(dominant=_found(counts, dominant), skewed=_found(counts, skewed))


def _tenths(q: FloatArray) -> IntArray:
    """Return the tenth of the records that each value is in, by the middle of its records."""
    middle = np.cumsum(q) - q / 2
    tenth = np.minimum((middle * _GROUPS_OF_NUMBERS).astype(np.int64), _GROUPS_OF_NUMBERS - 1)
    return cast("IntArray", np.unique(tenth, return_inverse=True)[1].astype(np.int64))


def _found(counts: Items, least_share: FloatArray) -> LikelyValues:
    """Return the classes in which a value has at least its least share; above 1 it never has."""
    wanted = counts.share_in_class >= least_share[counts.item] - 1e-12
    several = counts.class_totals[counts.of_class] > 1  # one record is no share
    pairs = np.flatnonzero(wanted & several)
    classes = np.unique(counts.of_class[pairs])
    n, totals = counts.n[pairs], counts.class_totals[counts.of_class[pairs]]
    n_classes, q = int(counts.m[classes].sum()), counts.share_in_table
    n_of_total = np.bincount(counts.class_totals, weights=counts.m).astype(np.int64)
    by_total = (sizes := np.flatnonzero(n_of_total)), n_of_total[sizes]
    expected = _expected(by_total, q, least_share)
    beyond = False
    if len(pairs):
        chance = binomial_tail(n, totals, q[counts.item[pairs]])
        n_tests = int(counts.m.sum()) * max(len(q), 1)
        beyond = bool(chance.min() * n_tests < _CHANCE) or bool(poisson_tail(n_classes, expected) < _CHANCE)
    return LikelyValues(
        n_classes=n_classes,
        n_records=int(counts.m[classes] @ counts.class_totals[classes]),
        n_expected=expected,
        highest_share=float((n / totals).max(initial=0.0)),
        beyond_chance=beyond,
    )


def _expected(by_total: tuple[IntArray, IntArray], q: FloatArray, least_share: FloatArray) -> float:
    """Return how many pairs of class and value would have the least share by chance."""
    possible = np.flatnonzero((least_share <= 1) & (q > 0))
    several = by_total[0] > 1
    shares, first, n_values = np.unique(q[possible], return_index=True, return_counts=True)
    if not several.any() or not len(shares):
        return 0.0
    least = least_share[possible][first]  # the same share of the table has the same least share
    total = 0.0
    for size, n in zip(by_total[0][several].tolist(), by_total[1][several].tolist(), strict=True):
        needed = np.ceil(least * size - 1e-9)
        total += n * float(binomial_tail(needed, size, shares) @ n_values)
    return total
