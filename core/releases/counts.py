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
_FEW_AT_ONCE = 1.25  # mean difference of the smaller direction up to which coming and leaving hardly cancel


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueCounts:
    """How often each known value of a sensitive attribute is in each class."""

    keys: KeyArray  # shape (n,), ascending: what stands for class and value
    class_of: IntArray  # shape (n,): the position of the class
    counts: IntArray
    codes: IntArray | None = None  # shape (n,): the value; None where only hashes are known


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
    class_codes: IntArray,
    values: Mapping[str, IntArray],
    *,
    unit: IntArray | None = None,
    n_values: Mapping[str, int] | None = None,
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
    n_values
        By attribute a number above all codes, the same for what is compared; None takes the smallest.
    """
    known = None if unit is None else unit >= 0
    classes = class_codes if known is None else class_codes[known]
    of = None if unit is None else unit[known]
    keys, counts = _counted(classes, of)
    found = {}
    for name, codes in values.items():
        mine = codes if known is None else codes[known]
        filled = mine >= 0
        above = (n_values or {}).get(name, int(mine.max(initial=-1)) + 1)
        pairs, n_of_pair = _counted(
            classes[filled] * above + mine[filled], None if of is None else of[filled]
        )
        found[name] = ValueCounts(
            keys=pairs.astype(np.uint64),
            class_of=np.searchsorted(keys, pairs // above),
            counts=n_of_pair,
            codes=pairs % above,
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


def surplus(of: ClassCounts, than: ClassCounts) -> Moved:
    """Return those whom one release has more of than another, by class and value.

    Of a class as many moved, at least, as it has more; and as it has more of its values together, where
    nobody has two.
    """
    moved = np.maximum(of.counts - looked_up(than.keys, than.counts, of.keys), 0)
    more, size = {}, len(of.keys)
    for name, mine in of.values.items():
        if name not in than.values:
            continue
        theirs = than.values[name]
        more[name] = np.maximum(mine.counts - looked_up(theirs.keys, theirs.counts, mine.keys), 0)
        if of.is_single and than.is_single:
            together = np.bincount(mine.class_of, weights=more[name], minlength=size).astype(np.int64)
        else:
            together = np.zeros(size, dtype=np.int64)
            np.maximum.at(together, mine.class_of, more[name])
        moved = np.maximum(moved, together)
    here = moved > 0
    groups = Groups(who=np.flatnonzero(here), size=moved[here], within=of.counts[here], n=moved[here])
    away = {
        name: int(moved[given_away(moved, of.values[name], each, of.n_values[name])].sum())
        for name, each in more.items()
    }
    return Moved(n=int(moved.sum()), groups=groups, n_given_away=away)


def given_away(moved: IntArray, values: ValueCounts, more: IntArray, n_values_alone: IntArray) -> BoolArray:
    """Return shape (n_classes,): whether all who moved have one value, in a class that alone has several."""
    size = len(moved)
    n_different = np.bincount(values.class_of, weights=more > 0, minlength=size)
    together = np.bincount(values.class_of, weights=more, minlength=size)
    found: BoolArray = (moved > 0) & (n_different == 1) & (together >= moved) & (n_values_alone >= 2)
    return found


def overlap_of(later: ClassCounts, earlier: ClassCounts) -> Overlap:
    """Return whether the counts of two releases agree as those of the same people do.

    Were all people different and drawn alike, each count of both releases together would fall to one of
    them as coins do. How far the squared differences stay below what that makes is told in standard
    deviations, for the classes and for each attribute's values; the clearest counts.
    """
    pairs = [(later.keys, later.counts, earlier.keys, earlier.counts)]
    for name, mine in later.values.items():
        if name in earlier.values:
            theirs = earlier.values[name]
            pairs.append((mine.keys, mine.counts, theirs.keys, theirs.counts))
    differences = [_difference(*pair) for pair in pairs]
    told = [_deviations(*each) for each in differences]
    one, other = differences[-1] if len(differences) > 1 else differences[0]
    ups, downs = np.maximum(one - other, 0), np.maximum(other - one, 0)
    fewer = min(ups, downs, key=lambda each: int(each.sum()))
    fewer = fewer[fewer > 0]
    common = any(bool(((one > 0) & (other > 0)).any()) for one, other in differences)
    included = any(
        all(not bool((sign * (one - other) > 0).any()) for one, other in differences) for sign in (1, -1)
    )
    return Overlap(
        is_included=included and common,
        deviations=min(told, default=0.0),
        n_counts=max(len(one) for one, _ in differences),
        fewest_at_once=float(fewer.mean()) if len(fewer) else 0.0,
    )


def _difference(
    keys: KeyArray, counts: IntArray, other_keys: KeyArray, other_counts: IntArray
) -> tuple[IntArray, IntArray]:
    alone = looked_up(keys, np.ones_like(counts), other_keys) == 0
    return (
        np.concatenate([counts, np.zeros(np.count_nonzero(alone), dtype=np.int64)]),
        np.concatenate([looked_up(other_keys, other_counts, keys), other_counts[alone]]),
    )


def _deviations(one: IntArray, other: IntArray) -> float:
    n = one + other
    total = int(n.sum())
    if not total or not one.sum() or not other.sum():
        return 0.0
    p = one.sum() / total
    squares = (one - p * n) ** 2 / (n * p * (1 - p))
    variance = float((2 + (1 - 6 * p * (1 - p)) / (n * p * (1 - p))).sum())
    return float((squares.sum() - len(n)) / np.sqrt(variance)) if variance > 0 else 0.0
