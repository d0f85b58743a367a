"""Classes that two releases of the same people split, by cutting the same line at different places.

Ages 20 to 29 in one release and 25 to 34 in another: how many there are below each cut is the sum of the
intervals below it, in whichever release none crosses it. What lies between neighbouring cuts follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast

import numpy as np

from core.coding import BoolArray, FloatArray, IntArray, value_codes
from core.releases.counts import Groups

_SAME = 0.5  # share of the contexts of two releases that count alike, from which they are of the same people


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One release, in one column of stretches and one of contexts, both coded alike in both releases."""

    context: IntArray  # shape (n_records,)
    stretch: IntArray  # code into the ends
    value: IntArray  # of a sensitive attribute, -1 for missing


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """What the cuts of two releases in one column leave."""

    column: str
    n: int  # people in contexts that count alike in both releases
    groups: Groups
    n_given_away: Mapping[str, int] = field(default_factory=dict)


def split_counts(
    later: Side, earlier: Side, low: FloatArray, high: FloatArray
) -> tuple[int, list[tuple[int, int, int]], int]:
    """Return the people in contexts that count alike, the parts that follow, and the values given away.

    Parameters
    ----------
    later, earlier
        The records of both releases.
    low, high
        By code of a stretch, where it begins and ends; NaN for none, which stands for itself.

    Returns
    -------
    int
        People in contexts that have as many of each value in both releases, and the same of those without a
        stretch; 0 where fewer than half of the contexts do, as of different people.
    list of tuple
        For each part with people that neither release has as a class or as a sum of classes: its people, and
        the fewest people in a class of one release that holds it.
    int
        The people in such parts that have one known value, where the classes that hold them have several.
    """
    contexts = np.intersect1d(later.context, earlier.context)
    parts: list[tuple[int, int, int]] = []
    alike, n_alike, away = 0, 0, 0
    of_later, of_earlier = _by_context(later, contexts), _by_context(earlier, contexts)
    for mine, theirs in zip(of_later, of_earlier, strict=True):
        one, other = (
            _Cut.of(side.stretch[rows], side.value[rows], low, high)
            for side, rows in ((later, mine), (earlier, theirs))
        )
        if len(mine) != len(theirs) or not one.counts_like(other):
            continue
        alike, n_alike = alike + 1, n_alike + len(mine)
        found, n_away = _parts(one, other)
        parts += found
        away += n_away
    n_contexts = len(np.union1d(later.context, earlier.context))
    return (n_alike, parts, away) if alike >= _SAME * n_contexts else (0, [], 0)


def _by_context(side: Side, contexts: IntArray) -> list[IntArray]:
    order = np.argsort(side.context, kind="stable")
    first = np.searchsorted(side.context[order], contexts)
    last = np.searchsorted(side.context[order], contexts, side="right")
    return [order[start:end] for start, end in zip(first, last, strict=True)]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Cut:
    """Stretches of one context in one release, and how often each value is in them."""

    low: FloatArray
    high: FloatArray
    values: IntArray  # the distinct values, -1 for missing
    counts: IntArray  # shape (n_stretches, n_values)
    rest: tuple[tuple[int, int], ...]  # values of those without a stretch, and how often

    @staticmethod
    def of(stretch: IntArray, value: IntArray, low: FloatArray, high: FloatArray) -> _Cut:
        known = ~np.isnan(low[stretch])
        codes, place = np.unique(stretch[known], return_inverse=True)
        values, column = np.unique(value[known], return_inverse=True)
        counts = np.zeros((len(codes), max(len(values), 1)), dtype=np.int64)
        np.add.at(counts, (place, column), 1)
        rest = zip(*(each.tolist() for each in np.unique(value[~known], return_counts=True)), strict=True)
        return _Cut(low=low[codes], high=high[codes], values=values, counts=counts, rest=tuple(rest))

    def counts_like(self, other: _Cut) -> bool:
        """Return whether both have the same values equally often."""
        return (
            self.rest == other.rest
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.counts.sum(axis=0), other.counts.sum(axis=0))
        )

    def is_cut_at(self, ends: FloatArray) -> BoolArray:
        """Return where no stretch crosses."""
        crossed = (self.low[:, None] < ends[None, :]) & (ends[None, :] < self.high[:, None])
        return cast("BoolArray", ~crossed.any(axis=0))

    def below(self, end: float) -> IntArray:
        """Return how often each value is below a cut."""
        return cast("IntArray", self.counts[self.high <= end].sum(axis=0))

    def holding(self, low: float, high: float) -> IntArray:
        """Return how often each value is in the stretches that overlap another one."""
        return cast("IntArray", self.counts[(self.low < high) & (self.high > low)].sum(axis=0))


def _parts(one: _Cut, other: _Cut) -> tuple[list[tuple[int, int, int]], int]:
    ends = np.unique(np.concatenate([one.low, one.high, other.low, other.high]))
    by_one, by_other = one.is_cut_at(ends), other.is_cut_at(ends)
    known = np.flatnonzero(by_one | by_other)
    below = [(one if by_one[at] else other).below(float(ends[at])) for at in known]
    if any(
        by_one[at]
        and by_other[at]
        and not np.array_equal(one.below(float(ends[at])), other.below(float(ends[at])))
        for at in known
    ) or any((after < before).any() for before, after in pairwise(below)):
        return [], 0  # not the same people
    found: list[tuple[int, int, int]] = []
    n_away = 0
    for start, end, before, after in zip(known, known[1:], below, below[1:], strict=False):
        values = after - before
        told_by_one = (by_one[start] and by_one[end]) or (by_other[start] and by_other[end])
        if told_by_one or not values.sum():
            continue
        low, high = float(ends[start]), float(ends[end])
        holders = [each.holding(low, high) for each in (one, other)]
        n = int(values.sum())
        found.append((n, min(int(each.sum()) for each in holders), n))
        known_values = values[one.values >= 0]
        if np.count_nonzero(values) == 1 == np.count_nonzero(known_values) and all(
            np.count_nonzero(each) > 1 for each in holders
        ):
            n_away += n
    return found, n_away


def groups_of(parts: Sequence[tuple[int, int, int]]) -> Groups:
    """Return parts as groups of people."""
    size, within, n = (
        np.array(each, dtype=np.int64) for each in (zip(*parts, strict=True) if parts else ((), (), ()))
    )
    return Groups(who=np.arange(len(size)), size=size, within=within, n=n)


def contexts_of(codes_later: IntArray, codes_earlier: IntArray) -> tuple[IntArray, IntArray]:
    """Return contexts of both releases as small codes."""
    both = value_codes(np.concatenate([codes_later, codes_earlier]))
    return both[: len(codes_later)], both[len(codes_later) :]
