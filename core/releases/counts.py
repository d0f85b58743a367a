"""Counts of classes and of sensitive values in them, and what the difference of two releases leaves.

A release without pseudonyms says how many are in each class with each value. Whoever has two of them
subtracts: what one has more of are people who came, or left, between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

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
                "Releases of more than {most} classes cannot be compared: choose fewer or coarser "
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Rest:
    """What one of two releases has more of."""

    at: IntArray  # shape (n,): the positions of its counts, ascending
    n: IntArray  # shape (n,): how many more, above 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """What a release has more of than another one."""

    own: ClassCounts
    classes: Rest
    values: Mapping[str, Rest]  # by attribute that both have
    is_single: bool  # whether nobody has two values of one attribute in a class of either


Pairs = tuple[IntArray, IntArray, IntArray]  # counts in both releases, and how many have them


@dataclass(frozen=True, kw_only=True, eq=False)
class Beside:
    """Two releases, each subtracted from the other."""

    sides: tuple[Side, Side]  # of the later release, of the earlier one
    pairs: tuple[Pairs, ...]  # of classes, and of each attribute's values
    n_found: int  # of the earlier release in classes that the later one has too


def beside(later: ClassCounts, earlier: ClassCounts) -> Beside:
    """Look the counts of two releases up in each other, once."""
    place, is_there = _places(later.keys, earlier.keys)
    classes, pairs = _subtracted(later.counts, earlier.counts, place[is_there], is_there)
    found, n_of = {}, [pairs]
    for name, mine in later.values.items():
        if name not in earlier.values:
            continue
        theirs = earlier.values[name]
        at, is_value = _places(mine.keys, one_number(place[theirs.class_of], theirs.part))
        is_value &= is_there[theirs.class_of]
        found[name], pairs = _subtracted(mine.counts, theirs.counts, at[is_value], is_value)
        n_of.append(pairs)
    is_single = later.is_single and earlier.is_single
    one, other = (
        Side(
            own=own,
            classes=classes[side],
            values={name: each[side] for name, each in found.items()},
            is_single=is_single,
        )
        for side, own in enumerate((later, earlier))
    )
    return Beside(sides=(one, other), pairs=tuple(n_of), n_found=int(earlier.counts[is_there].sum()))


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


def _subtracted(
    mine: IntArray, theirs: IntArray, at: IntArray, is_there: BoolArray
) -> tuple[tuple[Rest, Rest], Pairs]:
    """Return what of mine there is more, and what of theirs, and the pairs of counts.

    `at`, `is_there`: of their counts, whether each is in mine; and where those are, ascending.
    """
    one, other = mine[at], theirs[is_there]
    differ = np.flatnonzero(one != other)
    changed, changed_to = one[differ], other[differ]
    is_alone = np.ones(len(mine), dtype=bool)
    is_alone[at] = False
    alone, alone_theirs = np.flatnonzero(is_alone), np.flatnonzero(~is_there)
    at_theirs = np.flatnonzero(is_there)[differ] if len(differ) else differ
    rests = (
        _rest(at[differ], changed - changed_to, alone, mine[alone]),
        _rest(at_theirs, changed_to - changed, alone_theirs, theirs[alone_theirs]),
    )
    same, n_same = _times(one)
    not_same, n_not_same = _times(changed)
    n_same[np.searchsorted(same, not_same)] -= n_not_same
    above = int(changed_to.max(initial=0)) + 1
    codes, n_codes = _times(changed * above + changed_to)
    (left, n_left), (came, n_came) = _times(mine[alone]), _times(theirs[alone_theirs])
    pairs = (
        np.concatenate([same[n_same > 0], codes // above, left, np.zeros_like(came)]),
        np.concatenate([same[n_same > 0], codes % above, np.zeros_like(left), came]),
        np.concatenate([n_same[n_same > 0], n_codes, n_left, n_came]),
    )
    order = np.lexsort((pairs[1], pairs[0]))
    return rests, (pairs[0][order], pairs[1][order], pairs[2][order])


def _rest(differ: IntArray, difference: IntArray, alone: IntArray, n_alone: IntArray) -> Rest:
    at = np.concatenate([differ[difference > 0], alone])
    order = np.argsort(at, kind="stable")
    return Rest(at=at[order], n=np.concatenate([difference[difference > 0], n_alone])[order])


def _times(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different numbers, ascending, and how often each is there."""
    if int(numbers.max(initial=0)) < _COUNTED_DIRECTLY * len(numbers):
        times = np.bincount(numbers)
        distinct = np.flatnonzero(times)
        return distinct, times[distinct]
    distinct, times = np.unique(numbers, return_counts=True)
    return distinct, times


def surplus(found: Side) -> Moved:
    """Return those whom one release has more of than another, by class and value.

    Of a class as many moved, at least, as it has more; and as it has more of its values together, where
    nobody has two.
    """
    own = found.own
    moved = np.zeros(len(own.keys), dtype=np.int64)
    moved[found.classes.at] = found.classes.n
    classes_of = {name: own.values[name].class_of[more.at] for name, more in found.values.items()}
    for name, more in found.values.items():
        start, classes = _first_of_each(classes_of[name])
        together = (np.add if found.is_single else np.maximum).reduceat(more.n, start)
        moved[classes] = np.maximum(moved[classes], together)
    here = np.flatnonzero(moved)
    groups = Groups(who=here, size=moved[here], within=own.counts[here], n=moved[here])
    away = {
        name: int(moved[given_away(moved, classes_of[name], more.n, own.n_values[name])].sum())
        for name, more in found.values.items()
    }
    return Moved(n=int(moved.sum()), groups=groups, n_given_away=away)


def _first_of_each(classes: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each class begins among ascending ones, and which it is."""
    start = np.flatnonzero(np.append(True, classes[1:] != classes[:-1])[: len(classes)])
    return start, classes[start]


def given_away(moved: IntArray, classes: IntArray, more: IntArray, n_values_alone: IntArray) -> BoolArray:
    """Return shape (n_classes,): whether all who moved have one value, in a class that alone has several.

    `n_values_alone` are the different values in the class of one release alone; `classes` and `more`, shape
    (n_values,), of values that are more, their class, ascending, and how many more.
    """
    start, which = _first_of_each(classes)
    n_different = np.diff(start, append=len(classes))
    n = moved[which]
    found = np.zeros(len(moved), dtype=bool)
    together = np.add.reduceat(more, start)
    found[which] = (n > 0) & (n_different == 1) & (together >= n) & (n_values_alone[which] >= 2)
    return found


def overlap_of(pairs: Sequence[Pairs]) -> Overlap:
    """Return whether the counts of two releases agree as those of the same people do.

    Were all people different and drawn alike, each count of both releases together would fall to one of
    them as coins do. How far the squared differences stay below what that makes is told in standard
    deviations, for the classes and for each attribute's values; the clearest counts.
    """
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
