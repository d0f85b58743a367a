"""Counts of classes and of sensitive values in them, and what the difference of two releases leaves.

A release without pseudonyms says how many are in each class with each value. Whoever has two of them
subtracts: what one has more of are people who came, or left, between them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.classes import Items
from core.coding import BoolArray, IntArray, combined_codes, sorted_distinct
from core.words import input_error

KeyArray = npt.NDArray[np.uint64]

_SHOWN = -4.0  # standard deviations fewer differences than chance makes, from which releases share people
_HARDLY = -2.0  # … and up to which they look like releases of different people
_ENOUGH = 30  # counts that it takes to say so
_COUNTED_DIRECTLY = 4  # codes per count up to which they are counted without sorting
PART_BITS = 40  # at most, of what stands for a value within its class
MOST_CLASSES = 1 << (64 - PART_BITS)  # of which class and value fit one number
_STRIDE = 8  # from one key that is looked up to the next, where others are expected between them
_FEW_AT_ONCE = 1.25  # mean difference of the smaller direction up to which coming and leaving hardly cancel


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueCounts:
    """How often each known value of a sensitive attribute is in each class, by class and then by value."""

    class_of: IntArray  # shape (n,): the position of the class
    part: KeyArray  # shape (n,): what stands for the value in its class: its code, or a hash of few bits
    counts: IntArray

    @staticmethod
    def in_order(class_of: IntArray, part: KeyArray, counts: IntArray) -> "ValueCounts":
        """Return counts in whatever order as those of classes and values."""
        order = np.lexsort((part, class_of))
        return ValueCounts(class_of=class_of[order], part=part[order], counts=counts[order])

    @cached_property
    def keys(self) -> KeyArray:
        """Return shape (n,), ascending: one number for class and value."""
        return one_number(self.class_of, self.part)


def one_number(class_of: IntArray, part: KeyArray) -> KeyArray:
    """Return one number for class and value, ascending where they are."""
    keys = class_of.astype(np.uint64)
    keys <<= np.uint64(PART_BITS)
    keys |= part
    return keys


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassCounts:
    """How many are in each class of a release, and how many of them have which sensitive value."""

    keys: KeyArray  # shape (n_classes,), ascending: what stands for the class
    counts: IntArray
    values: Mapping[str, ValueCounts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.keys) > MOST_CLASSES:
            raise input_error(
                "Releases of more than {most} groups cannot be compared: choose fewer or coarser "
                "quasi-identifiers.",
                most=MOST_CLASSES,
            )

    @property
    def n(self) -> int:
        """Return the sum of all classes."""
        return int(self.counts.sum())

    @cached_property
    def n_values(self) -> Mapping[str, IntArray]:
        """Return by attribute shape (n_classes,): the different known values in each class."""
        size = len(self.keys)
        return {name: np.bincount(each.class_of, minlength=size) for name, each in self.values.items()}


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

    All have shape (n_records,): codes of classes from 0; by sensitive attribute those of `values`, -1 for
    missing, which is not counted; `unit` says whose a record is, -1 for nobody's, which is left out. Without
    `unit` records are counted.
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


Pairs = tuple[IntArray, IntArray, IntArray]  # counts in both releases, and how many have them


@dataclass(frozen=True, kw_only=True, eq=False)
class Both:
    """Values in classes that two releases have, each counted in both."""

    of_class: IntArray  # shape (n,): the entry of its class
    n: tuple[IntArray, IntArray]  # shape (n,) each: how many the later release has, and the earlier one


@dataclass(frozen=True, kw_only=True, eq=False)
class Beside:
    """Two releases as one table, with the release as one more item of each class.

    An entry is a class of either release, or several that are alike.
    """

    m: IntArray  # shape (n_entries,): the classes that are alike
    # shape (n_entries,) each: how many the later release has of them, and the earlier one
    counts: tuple[IntArray, IntArray]
    values: Mapping[str, Both]  # by attribute that both have: those known

    @cached_property
    def pairs(self) -> tuple[Pairs, ...]:
        """Return counts beside each other, ascending, of classes, and of each attribute's values."""
        of_values = (_times(each.n, self.m[each.of_class]) for each in self.values.values())
        return (_times(self.counts, self.m), *of_values)

    @cached_property
    def is_single(self) -> bool:
        """Return whether nobody has two values of an attribute in a class, as far as counts tell."""
        return all(
            bool((np.bincount(each.of_class, n, minlength=len(self.m)) <= self.counts[side]).all())
            for each in self.values.values()
            for side, n in enumerate(each.n)
        )

    @property
    def n(self) -> tuple[int, int]:
        """Return how many each release has."""
        later, earlier, times = self.pairs[0]
        return int(later @ times), int(earlier @ times)

    @property
    def n_found(self) -> int:
        """Return how many of the earlier release are in classes that the later one has too."""
        later, earlier, times = self.pairs[0]
        return int((earlier * (later > 0)) @ times)


def beside(later: ClassCounts, earlier: ClassCounts) -> Beside:
    """Look the counts of two releases up in each other, once."""
    place, is_there = _places(later.keys, earlier.keys)
    n_later = len(later.keys)
    entry = np.where(is_there, place, n_later - 1 + np.cumsum(~is_there))  # of each class of the earlier
    n_entries = n_later + int(np.count_nonzero(~is_there))
    counts = _counted_in_both(n_entries, later.counts, earlier.counts, entry)
    found = {}
    for name, mine in later.values.items():
        if name not in earlier.values:
            continue
        theirs = earlier.values[name]
        at, is_value = _places(mine.keys, one_number(place[theirs.class_of], theirs.part))
        is_value &= is_there[theirs.class_of]
        at = np.where(is_value, at, len(mine.counts) - 1 + np.cumsum(~is_value))
        of_class = np.concatenate([mine.class_of, entry[theirs.class_of[~is_value]]])
        n = _counted_in_both(len(of_class), mine.counts, theirs.counts, at)
        found[name] = Both(of_class=of_class, n=n)
    return Beside(m=np.ones(n_entries, dtype=np.int64), counts=counts, values=found)


def _counted_in_both(n: int, mine: IntArray, theirs: IntArray, at: IntArray) -> tuple[IntArray, IntArray]:
    """Return shape (n,) each: the counts of two releases; `at` is where each of theirs is."""
    one, other = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    one[: len(mine)], other[at] = mine, theirs
    return one, other


def beside_of_items(items: Items, n_values: Mapping[str, int]) -> Beside:
    """Return two releases whose classes an engine counted together.

    An item is 2 · what it is + the release (0 the later one, 1 the earlier one): 0 the class itself, then the
    values of each attribute, of which `n_values` has how many there are.
    """
    item, release = items.item // 2, items.item % 2

    def between(low: int, high: int) -> Both:
        inside = (item >= low) & (item < high)
        keys, at = np.unique(items.of_class[inside] * high + item[inside], return_inverse=True)
        one, other = (
            np.bincount(at, items.n[inside] * (release[inside] == side), len(keys)).astype(np.int64)
            for side in (0, 1)
        )
        return Both(of_class=keys // high, n=(one, other))

    ends = np.cumsum([1, *n_values.values()]).tolist()
    values = {name: between(low, high) for name, low, high in zip(n_values, ends, ends[1:], strict=False)}
    return Beside(m=items.m, counts=between(0, 1).n, values=values)


def _places(keys: KeyArray, wanted: KeyArray) -> tuple[IntArray, BoolArray]:
    """Return where each is among ascending keys, or would be, and whether it is there.

    In releases that have nearly all in common, what follows a key in one is next to it in the other.
    """
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=bool)
    first = np.searchsorted(keys, wanted[::_STRIDE])
    place = (first[:, None] + np.arange(_STRIDE)).ravel()[: len(wanted)]
    np.minimum(place, len(keys) - 1, out=place)
    is_there = keys[place] == wanted
    rest = np.flatnonzero(~is_there)
    place[rest] = np.minimum(np.searchsorted(keys, wanted[rest]), len(keys) - 1)
    is_there[rest] = keys[place[rest]] == wanted[rest]
    return place, is_there


def _times(counts: tuple[IntArray, IntArray], m: IntArray) -> Pairs:
    """Return the different pairs of counts, ascending, and how often each is there."""
    one, other = counts
    above = int(other.max(initial=0)) + 1
    codes = one * above + other
    if int(codes.max(initial=0)) < _COUNTED_DIRECTLY * len(codes):
        times = np.bincount(codes, m)
        distinct = np.flatnonzero(times)
        times = times[distinct]
    else:
        distinct, at = np.unique(codes, return_inverse=True)
        times = np.bincount(at, m, len(distinct))
    return distinct // above, distinct % above, times.astype(np.int64)


def surplus(found: Beside, side: int) -> Moved:
    """Return those whom one release has more of than the other, by class and value; side 0 is the later one.

    Of a class as many moved, at least, as it has more; and as it has more of its values together, where
    nobody has two.
    """
    mine, theirs = found.counts[side], found.counts[1 - side]
    moved = np.maximum(mine - theirs, 0)
    more_of: dict[str, More] = {}
    for name, each in found.values.items():
        more = more_of[name] = More(each.of_class, each.n[side] - each.n[1 - side])
        together = more.total if found.is_single else more.most
        moved[more.classes] = np.maximum(moved[more.classes], together)
    here = np.flatnonzero(moved)
    n = moved * found.m
    away = {}
    for name, each in found.values.items():
        alone = np.bincount(each.of_class[each.n[side] > 0], minlength=len(moved))
        away[name] = int(n[given_away(moved, more_of[name], alone)].sum())
    groups = Groups(who=here, size=moved[here], within=mine[here], n=n[here])
    return Moved(n=int(n.sum()), groups=groups, n_given_away=away)


class More:
    """What one of two releases has more of its values, by class that has any."""

    def __init__(self, of_class: IntArray, more: IntArray) -> None:
        hit = np.flatnonzero(more > 0)
        self.classes, at = np.unique(of_class[hit], return_inverse=True)
        n = len(self.classes)
        self.n_different = np.bincount(at, minlength=n)
        self.total = np.bincount(at, more[hit], n).astype(np.int64)
        self.most = np.zeros(n, dtype=np.int64)
        np.maximum.at(self.most, at, more[hit])


def given_away(moved: IntArray, more: More, n_values_alone: IntArray) -> BoolArray:
    """Return shape (n_classes,): whether all who moved have one value, in a class that alone has several.

    `n_values_alone`: the different values in the class of one release alone.
    """
    at, found = more.classes, np.zeros(len(moved), dtype=bool)
    is_one = (more.n_different == 1) & (more.total >= moved[at])
    found[at] = (moved[at] > 0) & is_one & (n_values_alone[at] >= 2)
    return found


def overlap_of(found: Beside) -> Overlap:
    """Return whether the counts of two releases agree as those of the same people do.

    Were all people different and drawn alike, each count of both releases together would fall to one of
    them as coins do. How far the squared differences stay below what that makes is told in standard
    deviations, for the classes and for each attribute's values; the clearest counts.
    """
    pairs = found.pairs
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
        deviations=min(_deviations(*each) for each in pairs),
        n_counts=max(int(times.sum()) for _, _, times in pairs),
        fewest_at_once=int(fewer @ times) / n_fewer if n_fewer else 0.0,
    )


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
