"""What a common pseudonym tells over releases: who came and left, who is alike in all, whose value is left.

The candidates of a person's sensitive value are those of the person's class. Over releases only those stay
that are among them each time (Xiao & Tao, "m-invariance: towards privacy preserving re-publication of
dynamic datasets", SIGMOD 2007).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.coding import (
    BoolArray,
    FloatArray,
    IntArray,
    combination_codes,
    combined_codes,
    sorted_distinct,
    value_codes,
)
from core.releases.counts import Groups, More, Moved, count_classes, given_away, looked_up, repeated

_FEWEST_REDRAWN = 30  # persons by whose numbers noise is told
_MOST_CLASSES = 10  # of a person in one release that are combined with those in another
# Share of what chance leaves of equal pseudonyms that must agree in their values to be equal people.
_BEYOND_CHANCE = 0.25
_MANY_STRETCHES = 2  # of equal records for each different one, from which they are not sorted
_ALL_ALIKE = 0.95  # share that agrees by chance from which nothing is told, and pseudonyms are believed


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """The records of one release, coded alike with those of another."""

    unit: IntArray  # shape (n_records,): whose record it is, -1 for nobody's
    classes: IntArray  # codes of its class, as far as both releases can be made equally coarse
    written: IntArray  # … and as written
    values: Mapping[str, IntArray]  # by sensitive attribute, -1 for missing

    def chosen(self, mask: BoolArray) -> "Records":
        """Return some of the records."""
        values = {name: codes[mask] for name, codes in self.values.items()}
        return Records(
            unit=self.unit[mask], classes=self.classes[mask], written=self.written[mask], values=values
        )

    @property
    def units(self) -> IntArray:
        """Return everybody whose record is here, ascending."""
        return sorted_distinct(self.unit[self.unit >= 0])


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """What several releases leave of the values that a person may have."""

    n_persons: int  # with one class and one known value in the release and in an earlier one
    # shape (n_persons,): the values left, and the fewest that one release alone leaves
    left: IntArray
    alone: IntArray

    @property
    def n_given_away(self) -> int:
        """Return the persons of whom one value is left, though each release alone leaves several."""
        return int(np.count_nonzero((self.left == 1) & (self.alone > 1)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Alike:
    """Persons of two releases in groups of those who are in the same class in both."""

    n: int
    groups: Groups
    n_given_away: Mapping[str, int] = field(default_factory=dict)


def are_same_people(later: Records, earlier: Records) -> bool:
    """Return whether equal pseudonyms are equal people: their values agree, and not by chance.

    Pseudonyms that were drawn anew for each release, such as numbers from 1, are equal too.
    """
    (mine, theirs) = (_first_of_unit(each) for each in (later, earlier))
    common, one, other = np.intersect1d(mine[0], theirs[0], return_indices=True)
    if not len(common):
        return False
    at, there = mine[1][one], theirs[1][other]
    classes = np.concatenate([later.classes[at], earlier.classes[there]])
    values = [
        np.concatenate([codes[at], earlier.values[name][there]]) + 1 for name, codes in later.values.items()
    ]
    rows = [combination_codes(each, n_records=len(classes)) for each in ([classes], [classes, *values])]
    for codes in rows:
        first, second = codes[: len(common)], codes[len(common) :]
        size = int(codes.max()) + 1
        parts = [np.bincount(each, minlength=size) / len(common) for each in (first, second)]
        by_chance = float(parts[0] @ parts[1])
        agreeing = float(np.mean(first == second))
        if by_chance > _ALL_ALIKE or agreeing > by_chance + _BEYOND_CHANCE * (1 - by_chance):
            return True
    return False


@dataclass(frozen=True, kw_only=True)
class Redrawn:
    """A column whose numbers differ between releases as noise does that is drawn anew for each."""

    column: str
    n_changed: int
    n_persons: int  # with one number in each release
    mean_change: float  # of those that changed, whatever the direction


def redrawn(column: str, units: Sequence[IntArray], numbers: Sequence[FloatArray]) -> Redrawn | None:
    """Return how numbers of the same persons differ, where they do as noise drawn anew does; None elsewhere.

    Half of at least 30 persons have another number, up as often as down and by nothing on average (3 standard
    errors), and the differences vary at most half as much as the numbers do. Values that grow, or change
    for few, do not. Both are of two releases, shape (n_records,): whose a record is, -1 for nobody's; NaN for
    missing.
    """
    kept = []
    for unit, each in zip(units, numbers, strict=True):
        known = np.flatnonzero((unit >= 0) & ~np.isnan(each))
        persons, first, n_of = np.unique(unit[known], return_index=True, return_counts=True)
        kept.append((persons[n_of == 1], each[known[first[n_of == 1]]]))
    _, one, other = np.intersect1d(kept[0][0], kept[1][0], return_indices=True)
    later, earlier = kept[0][1][one], kept[1][1][other]
    change = later - earlier
    n, n_changed = len(change), int(np.count_nonzero(change))
    if n < _FEWEST_REDRAWN or n_changed < n / 2:
        return None
    is_even = abs(int(np.count_nonzero(change > 0)) - n_changed / 2) <= 1.5 * np.sqrt(n_changed)
    is_centred = abs(float(change.mean())) <= 3 * float(change.std()) / np.sqrt(n)
    if not is_even or not is_centred or change.std() > min(later.std(), earlier.std()) / 2:
        return None
    mean_change = float(np.abs(change).sum()) / n_changed
    return Redrawn(column=column, n_changed=n_changed, n_persons=n, mean_change=mean_change)


def share_alike(later: Records, earlier: Records, name: str) -> float:
    """Return the share of those with one known value in both releases who have the same; 1 of nobody."""
    mine, theirs = (_single(each, name) for each in (later, earlier))
    size = min(len(mine), len(theirs))
    both = np.flatnonzero((mine[:size] >= 0) & (theirs[:size] >= 0))
    return float(np.mean(mine[both] == theirs[both])) if len(both) else 1.0


def stand_in_one_order(one: IntArray, other: IntArray) -> bool:
    """Return whether two releases have equal records place by place, in an order that these do not make.

    Sorted or grouped by what they have in common they would be so too.
    """
    if len(one) != len(other) or not len(one) or np.mean(one == other) < _ALL_ALIKE:
        return False
    n_stretches = int(np.count_nonzero(one[1:] != one[:-1])) + 1
    return n_stretches > _MANY_STRETCHES * len(np.unique(one))


def _first_of_unit(records: Records) -> tuple[IntArray, IntArray]:
    known = np.flatnonzero(records.unit >= 0)
    units, first = np.unique(records.unit[known], return_index=True)
    return units, known[first]


def surplus_of_persons(of: Records, than: Records) -> Moved:
    """Return the persons whom one release has and another has not, in groups of their class as written."""
    known = of.unit >= 0
    moved = of.chosen(known & ~np.isin(of.unit, than.units))
    all_counts = count_classes(of.written, of.values, unit=of.unit)
    counts = count_classes(moved.written, moved.values, unit=moved.unit)
    pairs = _pairs(moved.unit, moved.written)
    keys = pairs.classes.astype(np.uint64)
    n_here = looked_up(counts.keys, counts.counts, keys)
    within = looked_up(all_counts.keys, all_counts.counts, keys)
    away = {}
    for name, mine in counts.values.items():
        alone = looked_up(all_counts.keys, all_counts.n_values[name], counts.keys)
        told = given_away(counts.counts, More(mine.class_of, mine.counts), alone)
        away[name] = len(np.unique(pairs.unit[told[np.searchsorted(counts.keys, keys)]])) if len(keys) else 0
    return Moved(
        n=len(moved.units),
        groups=Groups(who=pairs.unit, size=n_here, within=within, n=np.ones_like(pairs.unit)),
        n_given_away=away,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pairs:
    unit: IntArray
    classes: IntArray


def _pairs(unit: IntArray, classes: IntArray) -> _Pairs:
    """Return each person and class once, by person."""
    known = unit >= 0
    n_classes = int(classes.max(initial=0)) + 1
    pairs = sorted_distinct(unit[known] * n_classes + classes[known])
    return _Pairs(unit=pairs // n_classes, classes=pairs % n_classes)


def alike_in_both(later: Records, earlier: Records) -> Alike:
    """Return the persons of both releases in groups of those in the same classes, as written, of both.

    Of a person with several classes in a release each is taken, up to ten.
    """
    mine, theirs = (_some(_pairs(each.unit, each.written)) for each in (later, earlier))
    shared = np.intersect1d(mine.unit, theirs.unit)
    mine, theirs = (_of(each, shared) for each in (mine, theirs))
    n_theirs = np.bincount(np.searchsorted(shared, theirs.unit), minlength=len(shared))
    first = np.cumsum(n_theirs) - n_theirs
    place = np.searchsorted(shared, mine.unit)
    times = n_theirs[place]
    start = np.repeat(first[place], times)
    rank = np.arange(len(start)) - np.repeat(np.cumsum(times) - times, times)
    unit, one, other = (
        np.repeat(mine.unit, times),
        np.repeat(mine.classes, times),
        theirs.classes[start + rank],
    )
    group = combination_codes([one, other], n_records=len(unit))
    size = np.bincount(group, minlength=1)
    within = np.minimum(_sizes(later)[one], _sizes(earlier)[other])
    groups = Groups(who=unit, size=size[group], within=within, n=np.ones_like(unit))
    return Alike(n=len(shared), groups=groups, n_given_away=_alike_away(later, unit, one, group))


def _some(pairs: _Pairs) -> _Pairs:
    n_of = np.bincount(pairs.unit, minlength=1)
    rank = np.arange(len(pairs.unit)) - (np.cumsum(n_of) - n_of)[pairs.unit]
    return _Pairs(unit=pairs.unit[rank < _MOST_CLASSES], classes=pairs.classes[rank < _MOST_CLASSES])


def _of(pairs: _Pairs, units: IntArray) -> _Pairs:
    here = np.isin(pairs.unit, units)
    return _Pairs(unit=pairs.unit[here], classes=pairs.classes[here])


def _sizes(records: Records) -> IntArray:
    pairs = _pairs(records.unit, records.written)
    return np.bincount(pairs.classes, minlength=int(records.written.max(initial=0)) + 1)


def _alike_away(later: Records, unit: IntArray, one: IntArray, group: IntArray) -> dict[str, int]:
    """Return by attribute the persons whose group has one value, in a class of several, all being single."""
    away = {}
    for name in later.values:
        value = _single(later, name)
        n_different = count_classes(later.written, {name: later.values[name]}, unit=later.unit)
        alone = looked_up(n_different.keys, n_different.n_values[name], one.astype(np.uint64))
        mine = value[unit]
        n_groups = int(group.max(initial=-1)) + 1
        least, most = np.full(n_groups, np.iinfo(np.int64).max), np.full(n_groups, -2)
        np.minimum.at(least, group, mine)
        np.maximum.at(most, group, mine)
        told = (least == most)[group] & (mine >= 0) & (alone > 1)
        away[name] = len(np.unique(unit[told]))
    return away


def _single(records: Records, name: str) -> IntArray:
    """Return by unit the one known value of an attribute; -1 where none or several are known."""
    return _only(records.unit, records.values[name])


def _only(unit: IntArray, codes: IntArray) -> IntArray:
    """Return by unit its code where it has one alone, else -1."""
    known = (unit >= 0) & (codes >= 0)
    size = int(unit.max(initial=-1)) + 1
    least, most = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(least, unit[known], codes[known])
    np.maximum.at(most, unit[known], codes[known])
    return np.where(least == most, most, -1)


def candidates_over(later: Records, earlier: Sequence[Records], name: str) -> Candidates:
    """Return what is left of the values of a sensitive attribute that a person may have, over all releases.

    Units and values are coded alike in all releases, classes as written by each. An earlier release in which
    a person has no single class, or another value, is passed over for that person: values change.
    """
    n_units = max(int(each.unit.max(initial=-1)) for each in (later, *earlier)) + 1
    n_values = max(int(each.values[name].max(initial=-1)) for each in (later, *earlier)) + 1
    value, at = _padded(_single(later, name), n_units), _padded(_only(later.unit, later.written), n_units)
    persons = np.flatnonzero((value >= 0) & (at >= 0))
    state = value_codes(at[persons])
    parent = np.unique(state, return_index=True)[1]
    left = _Left.of(later, name, at[persons][parent], n_values)
    alone = left.counts()[state]
    seen = np.zeros(len(persons), dtype=bool)
    for each in earlier:
        theirs = _padded(_single(each, name), n_units)[persons]
        their_class = _padded(_only(each.unit, each.written), n_units)[persons]
        taken = (theirs == value[persons]) & (their_class >= 0)
        their_class = np.where(taken, their_class, -1)
        fresh = value_codes(combined_codes([state, their_class + 1], n_records=len(persons)))
        first = np.unique(fresh, return_index=True)[1]
        cells = _cells(each, name, n_values)
        left = left.narrowed(state[first], their_class[first], cells)
        own = np.bincount(cells // n_values, minlength=int(each.written.max(initial=0)) + 1)
        alone = np.where(taken, np.minimum(alone, own[np.maximum(their_class, 0)]), alone)
        state, seen = fresh, seen | taken
    return Candidates(n_persons=int(seen.sum()), left=left.counts()[state][seen], alone=alone[seen])


def _padded(codes: IntArray, size: int) -> IntArray:
    return np.concatenate([codes, np.full(size - len(codes), -1, dtype=np.int64)])


def _cells(records: Records, name: str, n_values: int) -> IntArray:
    """Return each class with each of its known values once, as one number, ascending."""
    known = (records.unit >= 0) & (records.values[name] >= 0)
    return sorted_distinct(records.written[known] * n_values + records.values[name][known])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Left:
    """The values left for each state, a state being the classes that persons were in."""

    n_states: int
    state: IntArray  # shape (n_pairs,), ascending
    value: IntArray
    n_values: int

    @staticmethod
    def of(records: Records, name: str, classes: IntArray, n_values: int) -> "_Left":
        """Return the values of some classes, a state for each."""
        cells = _cells(records, name, n_values)
        first = np.searchsorted(cells, classes * n_values)
        times = np.searchsorted(cells, (classes + 1) * n_values) - first
        state, place = repeated(first, times)
        return _Left(n_states=len(classes), state=state, value=cells[place] % n_values, n_values=n_values)

    def counts(self) -> IntArray:
        return np.bincount(self.state, minlength=self.n_states)

    def narrowed(self, parent: IntArray, classes: IntArray, cells: IntArray) -> "_Left":
        """Return, for each new state, its parent's values that are in a class too; -1 takes them all."""
        state, place = repeated(
            np.searchsorted(self.state, parent),
            np.searchsorted(self.state, parent, side="right") - np.searchsorted(self.state, parent),
        )
        value, at = self.value[place], classes[state]
        keep = (at < 0) | np.isin(at * self.n_values + value, cells)
        return _Left(n_states=len(parent), state=state[keep], value=value[keep], n_values=self.n_values)
