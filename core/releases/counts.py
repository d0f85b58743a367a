"""Counts of classes and of sensitive values in them, and what the difference of two releases leaves.

A release without pseudonyms says how many are in each class with each value. Whoever has two of them
subtracts: what one has more of are people who came, or left, between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.coding import BoolArray, IntArray, combined_codes, sorted_distinct

KeyArray = npt.NDArray[np.uint64]

_SHOWN = -4.0  # standard deviations fewer differences than chance makes, from which releases share people
_HARDLY = -2.0  # … and up to which they look like releases of different people
_ENOUGH = 30  # counts that it takes to say so
_COUNTED_DIRECTLY = 4  # codes per count up to which they are counted without sorting
PART_BITS = 40  # at most, of what stands for a value within its class
_FEW_AT_ONCE = 1.25  # mean difference of the smaller direction up to which coming and leaving hardly cancel


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueCounts:
    """How often each known value of a sensitive attribute is in each class, by class and then by value."""

    class_of: IntArray  # shape (n,): the position of the class
    part: KeyArray  # shape (n,): what stands for the value in its class: its code, or a hash of few bits
    counts: IntArray

    @staticmethod
    def in_order(class_of: IntArray, part: KeyArray, counts: IntArray) -> ValueCounts:
        """Return counts in whatever order as those of classes and values."""
        order = np.lexsort((part, class_of))
        return ValueCounts(class_of=class_of[order], part=part[order], counts=counts[order])

    def keys(self, class_of: IntArray) -> KeyArray:
        """Return one number for class and value, the classes numbered as given; ascending where they are."""
        return (class_of.astype(np.uint64) << np.uint64(PART_BITS)) | self.part


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCounts:
    """How many are in each class of a release, and how many of them have which sensitive value."""

    keys: KeyArray  # shape (n_classes,), ascending: what stands for the class
    counts: IntArray
    values: Mapping[str, ValueCounts] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Return the sum of all classes."""
        return int(self.counts.sum())

    @cached_property
    def n_values(self) -> Mapping[str, IntArray]:
        """Return by attribute shape (n_classes,): the different known values in each class."""
        size = len(self.keys)
        return {name: np.bincount(each.class_of, minlength=size) for name, each in self.values.items()}

    @cached_property
    def is_single(self) -> bool:
        """Return whether nobody has two values of one attribute in a class, as far as counts tell."""
        size = len(self.keys)
        return all(
            bool((np.bincount(each.class_of, weights=each.counts, minlength=size) <= self.counts).all())
            for each in self.values.values()
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Groups:
    """People in groups that two releases together leave, and how large the groups of one alone are."""

    who: IntArray  # shape (n,): whom an entry is about; somebody may have several
    size: IntArray  # how many the two releases leave
    within: IntArray  # how many one release alone leaves
    n: IntArray  # how many people the entry stands for

    def n_below(self, k: int) -> int:
        """Return the people left among fewer than `k` who are among `k` or more by one release alone."""
        hit = (self.size < k) & (self.within >= k)
        _, first = np.unique(self.who[hit], return_index=True)
        return int(self.n[hit][first].sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Moved:
    """Those whom one of two releases has and the other has not."""

    n: int
    groups: Groups
    # by sensitive attribute, of how many the value follows from both releases and from neither alone
    n_given_away: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlap:
    """Whether two releases without common pseudonyms hold the same people."""

    is_included: bool  # whether one holds everything that the other holds
    # standard deviations by which the counts differ more (or, below 0, less) than those of different people
    deviations: float
    n_counts: int
    fewest_at_once: float  # mean difference of the counts of the direction in which fewer moved

    @property
    def is_shown(self) -> bool:
        """Return whether the counts agree so well that the releases share people."""
        return self.is_included or self.deviations < _SHOWN

    @property
    def is_sure(self) -> bool:
        """Return whether differences are people who came or left, and few of them cancel."""
        return self.is_included or (self.is_shown and self.fewest_at_once <= _FEW_AT_ONCE)

    @property
    def is_unlikely(self) -> bool:
        """Return whether the counts differ as those of different people do."""
        return not self.is_included and self.n_counts >= _ENOUGH and self.deviations > _HARDLY


def count_classes(
    class_codes: IntArray, values: Mapping[str, IntArray], *, unit: IntArray | None = None
) -> ClassCounts:
    """Count records, or different units, by class and by class and value.

    Parameters
    ----------
    class_codes
        Shape (n_records,): codes from 0.
    values
        By sensitive attribute, shape (n_records,): codes from 0, -1 for missing, which is not counted.
    unit
        Shape (n_records,): whose record it is, -1 for nobody's, which is left out; None counts records.
    """
    known = None if unit is None else unit >= 0
    classes = class_codes if known is None else class_codes[known]
    of = None if unit is None else unit[known]
    keys, counts = _counted(classes, of)
    found = {}
    for name, codes in values.items():
        mine = codes if known is None else codes[known]
        filled = mine >= 0
        above = int(mine.max(initial=-1)) + 1
        pairs, n_of_pair = _counted(
            classes[filled] * above + mine[filled], None if of is None else of[filled]
        )
        found[name] = ValueCounts(
            class_of=np.searchsorted(keys, pairs // above),
            part=(pairs % above).astype(np.uint64),
            counts=n_of_pair,
        )
    return ClassCounts(keys=keys.astype(np.uint64), counts=counts, values=found)


def _counted(codes: IntArray, unit: IntArray | None) -> tuple[IntArray, IntArray]:
    if unit is not None and len(codes):
        n_codes = int(codes.max()) + 1
        codes = sorted_distinct(combined_codes([unit, codes], n_records=len(codes))) % n_codes
    keys, counts = np.unique(codes, return_counts=True)
    return keys, counts.astype(np.int64)


def looked_up(keys: KeyArray, counts: IntArray, wanted: KeyArray) -> IntArray:
    """Return shape (n_wanted,): the counts of the keys wanted, 0 for those that are not there."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, counts[place], 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Beside:
    """The counts of a release, and how many another one has of each of them."""

    own: ClassCounts
    other: IntArray  # shape (n_classes,), 0 where the other release has not the class
    values: Mapping[str, IntArray]  # by attribute that both have: of each of its counts
    is_single: bool  # whether nobody has two values of one attribute in a class of either


def beside(later: ClassCounts, earlier: ClassCounts) -> tuple[Beside, Beside]:
    """Look the counts of two releases up in each other, once."""
    place = _places(later.keys, earlier.keys)
    values: tuple[dict[str, IntArray], dict[str, IntArray]] = ({}, {})
    for name, mine in later.values.items():
        if name not in earlier.values:
            continue
        theirs = earlier.values[name]
        class_of = place[theirs.class_of]
        here = np.flatnonzero(class_of >= 0)
        at = np.full(len(class_of), -1)
        at[here] = _places(mine.keys(mine.class_of), theirs.keys(class_of)[here])
        values[0][name], values[1][name] = _of_each_other(at, mine.counts, theirs.counts)
    both = _of_each_other(place, later.counts, earlier.counts)
    is_single = later.is_single and earlier.is_single
    one, other = (
        Beside(own=own, other=counts, values=found, is_single=is_single)
        for own, counts, found in zip((later, earlier), both, values, strict=True)
    )
    return one, other


def _places(keys: KeyArray, wanted: KeyArray) -> IntArray:
    """Return shape (n_wanted,): where each is among ascending keys, -1 where it is not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


def _of_each_other(place: IntArray, mine: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray]:
    """Return of each of mine the count of theirs that is placed there, and of theirs that of mine."""
    there = np.flatnonzero(place >= 0)
    of_mine, of_theirs = np.zeros_like(mine), np.zeros_like(theirs)
    of_mine[place[there]] = theirs[there]
    of_theirs[there] = mine[place[there]]
    return of_mine, of_theirs


def surplus(found: Beside) -> Moved:
    """Return those whom one release has more of than another, by class and value.

    Of a class as many moved, at least, as it has more; and as it has more of its values together, where
    nobody has two.
    """
    own, size = found.own, len(found.own.keys)
    moved = np.maximum(own.counts - found.other, 0)
    more = {name: np.maximum(own.values[name].counts - other, 0) for name, other in found.values.items()}
    for name, each in more.items():
        some = np.flatnonzero(each)
        classes = own.values[name].class_of[some]
        if found.is_single:
            together = np.bincount(classes, weights=each[some], minlength=size).astype(np.int64)
        else:
            together = np.zeros(size, dtype=np.int64)
            np.maximum.at(together, classes, each[some])
        np.maximum(moved, together, out=moved)
    here = np.flatnonzero(moved)
    groups = Groups(who=here, size=moved[here], within=own.counts[here], n=moved[here])
    away = {
        name: int(moved[given_away(moved, own.values[name], each, own.n_values[name])].sum())
        for name, each in more.items()
    }
    return Moved(n=int(moved.sum()), groups=groups, n_given_away=away)


def given_away(moved: IntArray, values: ValueCounts, more: IntArray, n_values_alone: IntArray) -> BoolArray:
    """Return shape (n_classes,): whether all who moved have one value, in a class that alone has several."""
    some = np.flatnonzero(more)
    classes, size = values.class_of[some], len(moved)
    n_different = np.bincount(classes, minlength=size)
    together = np.bincount(classes, weights=more[some], minlength=size)
    found: BoolArray = (moved > 0) & (n_different == 1) & (together >= moved) & (n_values_alone >= 2)
    return found


def overlap_of(later: Beside, earlier: Beside) -> Overlap:
    """Return whether the counts of two releases agree as those of the same people do.

    Were all people different and drawn alike, each count of both releases together would fall to one of
    them as coins do. How far the squared differences stay below what that makes is told in standard
    deviations, for the classes and for each attribute's values; the clearest counts.
    """
    pairs = [_pairs(later.own.counts, later.other, earlier.own.counts, earlier.other)]
    for name, other in later.values.items():
        mine, theirs = later.own.values[name], earlier.own.values[name]
        pairs.append(_pairs(mine.counts, other, theirs.counts, earlier.values[name]))
    one, other, times = pairs[-1]
    ups, downs = np.maximum(one - other, 0), np.maximum(other - one, 0)
    fewer = min(ups, downs, key=lambda each: int(each @ times))
    n_fewer = int(times[fewer > 0].sum())
    common = any(bool(((one > 0) & (other > 0)).any()) for one, other, _ in pairs)
    included = any(
        all(not bool((sign * (one - other) > 0).any()) for one, other, _ in pairs) for sign in (1, -1)
    )
    return Overlap(
        is_included=included and common,
        deviations=min((_deviations(*each) for each in pairs), default=0.0),
        n_counts=max(int(times.sum()) for _, _, times in pairs),
        fewest_at_once=int(fewer @ times) / n_fewer if n_fewer else 0.0,
    )


def _pairs(
    mine: IntArray, of_theirs: IntArray, theirs: IntArray, of_mine: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return each pair of counts that a class has in both releases, and how many classes have it."""
    theirs_alone = theirs[of_mine == 0]
    one = np.concatenate([mine, np.zeros_like(theirs_alone)])
    other = np.concatenate([of_theirs, theirs_alone])
    above = int(other.max(initial=0)) + 1
    codes = one * above + other
    if len(codes) and int(codes.max()) < _COUNTED_DIRECTLY * len(codes):
        times = np.bincount(codes)
        distinct = np.flatnonzero(times)
        times = times[distinct]
    else:
        distinct, times = np.unique(codes, return_counts=True)
    return distinct // above, distinct % above, times


def _deviations(one: IntArray, other: IntArray, times: IntArray) -> float:
    n = one + other
    total, mine = int(n @ times), int(one @ times)
    if not total or mine in (0, total):
        return 0.0
    p = mine / total
    squares = (one - p * n) ** 2 / (n * p * (1 - p))
    variance = float((2 + (1 - 6 * p * (1 - p)) / (n * p * (1 - p))) @ times)
    return float((squares @ times - times.sum()) / np.sqrt(variance)) if variance > 0 else 0.0


def repeated(first: IntArray, times: IntArray) -> tuple[IntArray, IntArray]:
    """Return for each place in each stretch which stretch it is of, and the place."""
    which = np.repeat(np.arange(len(first)), times)
    rank = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
    return which, np.repeat(first, times) + rank
