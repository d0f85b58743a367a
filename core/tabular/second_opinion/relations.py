"""Released numbers that tell originals together, or within each group, though no single column does.

Noise or a factor that two columns share cancels out, a rotation of several columns is undone by as many, and
a difference from the mean of a region, a share of it or a running total is the value itself once the region
is known. All are linear relations between a few released and a few original columns, read as they are, as
logarithms or squares, or within groups. Where the rows were put in another order, sums over the classes of
the columns left as they were take the place of rows: noise that cancels out in rows does so in their sums.
Sums, differences, products and ratios of two columns, such as a body-mass index beside neither height nor
weight, and totals of a person or household show in whole sets of values. What columns that were left give of
one that was taken out, such as a wage by a total and the rest, shows in the original alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray, IntArray, value_codes
from core.comparing.nearest import FEW, FEWEST_RELATED, Relation, correlated, n_found, related
from core.comparing.numbers import FORMS, last_place, places, spreads, steps, two_numbers
from core.comparing.sets import FEWEST_DISTINCT, are_drawn_alike, counted, on_the_scale
from core.comparing.worked_out import worked_out
from core.tabular.second_opinion.pair import classes_together
from core.tabular.second_opinion.search import Derivation, Search

_MOST_ROWS = 10_000
_MOST_COLUMNS, _MOST_WORKED_OUT = 12, 20  # of either table; where two columns are worked out
_MOST_GROUPINGS, _MOST_PAIRED, _MOST_PERSONS = 12, 6, 3  # of records; of which two give one; of persons
_MET_BY_CHANCE, _NEARLY_ALL = 0.03, 0.95  # pairs of records that are as near, records that have to be
_MANY = 0.5  # share of the records found, from which no more is looked for
_FEWEST_IN_GROUP, _FEWEST_IN_ORDER = 5, 10  # records of a group
_RECORDS_OF_A_PERSON, _FEWEST_VISITS = (1.2, 20), 3  # or persons of a household
_CLEARLY, _FEWEST_AWAY = 0.5, 2  # times as far; places of a group that records are away from in all rows
_UNITS = (1, 8)  # numbers that were rounded on their way may be away from each other by a few
_MEAN = 1.01  # of half a last place, that a mean is away from what is written
_TOTALS = ("sum", "mean", "max", "min")  # of a person or household
_LEAST_DISTINCT_SHARE = 0.2  # of the numbers that were worked out

_Read = Callable[[FloatArray], FloatArray]
_Coded = tuple[str, IntArray]  # the name of a column, and the group of each record


def measure_relations(search: Search) -> Iterator[Derivation]:
    """Yield the columns that tell original ones together, within groups, or as totals of few records."""
    if search.n_told_apart < FEWEST_RELATED:
        return
    yield from _worked_out(search)
    yield from _given_by_left(search)
    yield from _means_of_few(search)
    before = _columns(search, "original", search.tables.original.column_names)
    after = _columns(search, "anonymized", search.candidates)
    if not before.names or not after.names:
        return
    look = _Look(search=search, before=before, after=after)
    yield from look.together()
    if search.tables.order != "changed":
        for groups, codes in look.groupings:
            yield from look.within(groups, codes)
    elif search.n_told_apart <= _MOST_ROWS:
        yield from look.two_in_sets()
    if search.n_told_apart <= _MOST_ROWS:
        yield from look.persons_in_sets()


@dataclass(frozen=True, kw_only=True, eq=False)
class _Columns:
    """Columns of numbers of a table, shape (n_rows, n_columns), NaN where blank; a name may occur twice."""

    names: tuple[str, ...]
    numbers: FloatArray
    is_date: tuple[bool, ...]

    def known(self, at: int) -> FloatArray:
        """Return the numbers of a column that are there."""
        return self.numbers[~np.isnan(self.numbers[:, at]), at]


def _columns(search: Search, side: str, names: Sequence[str]) -> _Columns:
    """Return the first columns of numbers that name nobody, and of dates as days in the original."""
    found: list[tuple[str, FloatArray, bool]] = []
    for name in names:
        amounts = search.amounts(side, name)
        if side == "anonymized" and search.identifies(name):
            continue
        if amounts is None:
            cells = search.cells(side, name, sampled=False).to_pylist()
            found += [(name, part, False) for part in two_numbers(cells)]
        elif side == "original" or amounts.kind == "number":
            found.append((name, amounts.numbers, amounts.kind == "date"))
    found = [one for one in found if len(np.unique(one[1][~np.isnan(one[1])])) > 2][:_MOST_COLUMNS]
    known = slice(None) if search.tables.order == "changed" else slice(_MOST_ROWS)
    return _Columns(
        names=tuple(name for name, _, _ in found),
        numbers=np.column_stack([numbers[known] for _, numbers, _ in found]) if found else np.zeros((0, 0)),
        is_date=tuple(is_date for _, _, is_date in found),
    )


@dataclass(kw_only=True, eq=False)
class _Look:
    """Both tables' numbers, and what was found of which released columns."""

    search: Search
    before: _Columns
    after: _Columns

    def __post_init__(self) -> None:
        self.found: set[str] = set()  # released columns
        self.seed = self.search.settings.seed
        self.in_rows = self.search.tables.order != "changed"
        self.share = len(self.before.numbers) / self.search.tables.n_original  # of records looked at

    @cached_property
    def away(self) -> FloatArray:
        """Return shape (n_before, n_after): how far all rows are from each other anyway; else infinite."""
        found = np.full((len(self.before.names), len(self.after.names)), np.inf)
        numbers = self.before.numbers, self.after.numbers
        ranks = [pd.DataFrame(one).rank().to_numpy() for one in numbers]
        for ours, theirs in (numbers, ranks) if self.in_rows else ():
            for i, j in correlated(ours, theirs):
                anyway = related(ours[:, [i]], theirs[:, [j]], self.seed)
                found[i, j] = min(found[i, j], np.inf if anyway is None else anyway.away)
        return found

    # --- of all records

    def together(self) -> Iterator[Derivation]:
        """Yield what a released column tells of several original ones, or two tell of one or several."""
        classes = self.kept_classes
        if classes is None:
            return
        for read in (_as_they_are, _logarithms, _squares):
            ours, theirs = read(self.before.numbers), read(self.after.numbers)
            units = (ours, theirs) if self.in_rows else _means((ours, theirs), classes)
            if not len(units[0]):
                continue
            whole = np.flatnonzero(np.isnan(units[0]).mean(axis=0) <= 1 - _NEARLY_ALL)
            each = range(len(self.after.names))
            for columns in (*((at,) for at in each), *itertools.combinations(each, 2)):
                block = list(columns)
                if self.found.isdisjoint(self.after.names[at] for at in columns) and len(whole):
                    one = self._of_block((units[0][:, whole], units[1][:, block]), whole, block)
                    if one is not None:
                        released = theirs[:, block] @ one.of_after
                        known = ours[:, whole] @ one.of_before + one.constant
                        originals = [self.before.names[at] for at in whole[one.parts[0]]]
                        counts = n_found((released, classes[1]), (known, classes[0]), one.near, self.share)
                        yield from self._told("together", originals, columns, counts)

    def _of_block(
        self, units: tuple[FloatArray, FloatArray], whole: IntArray, columns: Sequence[int]
    ) -> Relation | None:
        """Return what a few released columns tell of original ones, unless their own originals do as well."""
        found = related(*units, self.seed)
        if found is None or not found.parts[1].all() or found.away > _CLEARLY * self.away[:, columns].min():
            return None
        names = [self.before.names[at] for at in whole]
        taking_part = list(itertools.compress(names, found.parts[0]))
        if len(columns) == len(taking_part) == 1 and self.before.names.count(taking_part[0]) == 1:
            return None  # which others look for
        own = [self.search.stands_for.get(self.after.names[at]) for at in columns]
        others = [at for at, name in enumerate(names) if name not in own]
        if others and all(name in names for name in own):
            theirs = units[0][:, [names.index(str(name)) for name in own]]
            if related(units[0][:, others], theirs, self.seed) is not None:
                return None
        return found

    @cached_property
    def kept_classes(self) -> tuple[IntArray, IntArray] | None:
        """Return the class of each original and of each released record; None where no column was kept."""
        if self.in_rows:
            classes = self.search.classes_but("")[: len(self.before.numbers)]
            return classes, classes
        tables, left = self.search.tables, self.search.left
        pairs = [pair for pair in tables.coded if pair.pair.anonymized in left]
        return classes_together(pairs, tables.n_original // _FEWEST_IN_GROUP)

    # --- within groups

    def coded(self, *sides: str) -> list[_Coded]:
        """Return the columns that group records, each grouping once, fewest groups first."""
        found: dict[bytes, _Coded] = {}
        rows = self.search.rows()[:_MOST_ROWS] if self.in_rows else slice(None)
        for side in sides:
            for name in self.search.table(side).column_names:
                codes = value_codes(self.search.tables.written[side][name].codes_with_missing[rows])
                if 1 < codes.max() + 1 < len(codes):
                    found.setdefault(codes.tobytes(), (name, codes))
        return sorted(found.values(), key=lambda one: int(one[1].max()))

    @cached_property
    def groupings(self) -> list[tuple[tuple[str, ...], IntArray]]:
        """Return all records as one group, and the columns and pairs of columns that many records share."""
        n = len(self.before.numbers)
        one = [((name,), codes) for name, codes in self.coded("original", "anonymized")]
        one = [each for each in one if each[1].max() < n / _FEWEST_IN_ORDER]
        two = [
            ((*a, *b), value_codes(first * (int(second.max()) + 1) + second))
            for (a, first), (b, second) in itertools.combinations(one[:_MOST_PAIRED], 2)
        ]
        some = [*one, *(each for each in two if each[1].max() < n / _FEWEST_IN_ORDER)]
        every: tuple[tuple[str, ...], IntArray] = (), np.zeros(n, dtype=np.int64)
        return [every, *sorted(some, key=lambda each: int(each[1].max()))[:_MOST_GROUPINGS]]

    def within(self, groups: tuple[str, ...], codes: IntArray) -> Iterator[Derivation]:
        """Yield the columns that follow original ones within each group."""
        both, n_groups = (self.before.numbers, self.after.numbers), int(codes.max()) + 1
        for read in (spreads, places, steps) if groups else (steps,):
            ours = both[0] if read is steps else read(both[0], codes)
            theirs = read(both[1], codes)
            for i, j in correlated(ours, theirs):
                name, token = self.before.names[i], self.after.names[j]
                is_told = not {*groups, *self.found}.isdisjoint((name, token))
                if is_told or self.away[i, j] * len(ours) / n_groups < _FEWEST_AWAY:
                    continue
                found = related(ours[:, [i]], theirs[:, [j]], self.seed)
                if found is None or found.away > _CLEARLY * self.away[i, j]:
                    continue
                if not self.search.is_natural(name, token, partial(self._is_so, ours, i)):
                    released = theirs[:, j] * found.of_after[0], codes
                    known = ours[:, i] * found.of_before[0] + found.constant, codes
                    counts = n_found(released, known, found.near, self.share)
                    yield from self._told("in_groups" if groups else "together", [name], (j,), counts, groups)

    def _is_so(self, ours: FloatArray, at: int, own: str) -> bool:
        """Whether another original column is related to one as well."""
        if own not in self.before.names:
            return False
        return related(ours[:, [at]], ours[:, [self.before.names.index(own)]], self.seed) is not None

    # --- whole sets, whatever the order of the rows

    def two_in_sets(self) -> Iterator[Derivation]:
        """Yield pairs of released columns whose differences or ratios are those of their own originals."""
        names = self.before.names
        own = [self.search.stands_for.get(name) for name in self.after.names]
        pairs = itertools.combinations([at for at, name in enumerate(own) if name in names], 2)
        for pair, read, sign in itertools.product(pairs, (_as_they_are, _logarithms), (1, -1)):
            ours = self.before.numbers[:, [names.index(str(own[at])) for at in pair]]
            theirs = self.after.numbers[:, pair]
            is_positive = min(np.nanmin(ours), np.nanmin(theirs)) > 0
            if own[pair[0]] == own[pair[1]] or (read is _logarithms and not is_positive):
                continue
            known, released = (read(one) @ np.array([1, -sign]) for one in (ours, theirs))
            unit = 2 * max(last_place(one[~np.isnan(one)]) for one in (*ours.T, *theirs.T))
            unit *= 1 if read is _as_they_are else 2 / float(np.nanquantile(np.abs(theirs), _MET_BY_CHANCE))
            if any(_drawn_alike(known, released, size * unit) for size in _UNITS):
                classes = self.kept_classes or (_one_class(known), _one_class(released))
                counts = n_found((released, classes[1]), (known, classes[0]), unit, self.share)
                yield from self._told("together", [str(own[at]) for at in pair], pair, counts)

    def persons_in_sets(self) -> Iterator[Derivation]:
        """Yield what tells the changes of a person's records, or the total of a person or household."""
        groups = [self._persons(side) for side in ("original", "anonymized")]
        for (group, codes), (_, tokens) in itertools.product(*groups):
            for i, j in self._of_numbers():
                for read, sign in itertools.product((_as_they_are, _logarithms), (1, -1)):
                    unit = self._unit(i, j, read)
                    if unit is not None:
                        ours = read(self.before.numbers[:, [i]])[:, 0], codes
                        theirs = sign * read(self.after.numbers[:, [j]])[:, 0], tokens
                        counts = _n_same_changes(ours, theirs, unit, self.seed)
                        yield from self._told("in_groups", [self.before.names[i]], (j,), counts, (group,))
        for group, codes in groups[0]:
            for i, j in self._of_numbers():
                yield from self._total_in_sets(i, j, group, codes)

    def _unit(self, i: int, j: int, read: _Read) -> float | None:
        """Return the unit in which changes of two columns, or their logarithms, are alike; None of none."""
        columns = self.before.known(i), self.after.known(j)
        if read is _as_they_are:
            return 2 * max(map(last_place, columns))
        if min(column.min() for column in columns) <= 0:
            return None
        least = (2 * last_place(one) / np.quantile(one, _MET_BY_CHANCE) for one in columns)
        return _UNITS[-1] * max(map(float, least))

    def _of_numbers(self) -> Iterator[tuple[int, int]]:
        """Yield the places of a hidden column and of a released one of which nothing was found."""
        for i, j in itertools.product(range(len(self.before.names)), range(len(self.after.names))):
            is_hidden = self.before.names[i] in self.search.originals and not self.before.is_date[i]
            if is_hidden and self.after.names[j] not in self.found:
                yield i, j

    def _persons(self, side: str) -> list[_Coded]:
        """Return the columns that are no measurements and of which few records share a value."""
        least, most = _RECORDS_OF_A_PERSON
        found = [
            (name, codes)
            for name, codes in self.coded(side)
            if least <= len(codes) / (int(codes.max()) + 1) <= most
            and (self.search.identifies(name) or not _are_plain_numbers(self.search.table(side)[name]))
        ]
        return found[:_MOST_PERSONS]

    def _total_in_sets(self, i: int, j: int, group: str, codes: IntArray) -> Iterator[Derivation]:
        """Yield a released column that is, in each row, the total of an original one over a group."""
        unit = 2 * last_place(self.after.known(j))
        known, released = self.before.numbers[:, i], self.after.numbers[:, j]
        by_group = pd.Series(known).groupby(codes)
        n_persons = 1.0 if self.search.identifies(group) else len(codes) / by_group.ngroups
        for total in _TOTALS if not _drawn_alike(known, released, unit) else ():
            made = by_group.agg(total).to_numpy()
            if _drawn_alike(made[codes], released, unit):
                sides = (released, _one_class(released)), (made, _one_class(made))
                counts = n_found(*sides, unit, 1 / n_persons)
                yield from self._told("in_groups", [self.before.names[i]], (j,), counts, (group,))

    def _told(
        self,
        kind: str,
        originals: Sequence[str],
        columns: Sequence[int],
        counts: tuple[int, int],
        groups: tuple[str, ...] = (),
    ) -> Iterator[Derivation]:
        """Yield what was found, if it leads to anybody by a column that is hidden."""
        hidden = self.search.originals
        ours = sorted(dict.fromkeys(originals), key=lambda name: name not in hidden)
        if counts[0] and ours[0] in hidden:
            released = tuple(dict.fromkeys(self.after.names[at] for at in columns))
            if counts[0] >= _MANY * counts[1]:
                self.found.update(released)
            yield self.search.derivation(
                ours[0], *released, kind=kind, counts=counts, others=tuple(ours[1:]), groups=groups
            )


def _are_plain_numbers(cells: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.match_substring_regex(cells.drop_null().slice(0, 100), r"^[\d.,+-]+$")).as_py())


def _one_class(numbers: FloatArray) -> IntArray:
    return np.zeros(len(numbers), dtype=np.int64)


def _drawn_alike(known: FloatArray, released: FloatArray, unit: float) -> bool:
    return are_drawn_alike(counted(known, unit), counted(released, unit))


def _n_same_changes(
    known: tuple[FloatArray, IntArray], released: tuple[FloatArray, IntArray], unit: float, seed: int
) -> tuple[int, int]:
    """Return the persons whose changes are those of fewer than five originals, beyond chance; and of all."""
    if not 0.5 <= len(np.unique(known[1])) / len(np.unique(released[1])) <= 2:
        return 0, 1
    dealt_out = np.random.default_rng(seed).permutation(released[0])
    ours = _changes(*known, unit).value_counts()
    theirs, dealt = (_changes(each, released[1], unit) for each in (released[0], dealt_out))
    n_met, by_chance = (int((one.map(ours) < FEW).sum()) for one in (theirs, dealt))
    is_clear = n_met - by_chance >= _MANY * len(theirs) and theirs.nunique() >= FEWEST_RELATED
    return (n_met - by_chance if is_clear else 0), len(theirs)


def _changes(numbers: FloatArray, codes: IntArray, unit: float) -> pd.Series:
    """Return the numbers of each person of three records and more from the least on, in units, ascending."""
    frame = pd.DataFrame({"group": codes, "number": numbers}).dropna().sort_values(["group", "number"])
    grouped = frame.groupby("group")["number"]
    above = np.rint((frame["number"] - grouped.transform("min")) / unit).astype(int)
    return above[grouped.transform("size") >= _FEWEST_VISITS].groupby(frame["group"]).agg(tuple)


# --- readings of all columns


def _as_they_are(numbers: FloatArray) -> FloatArray:
    return numbers


def _logarithms(numbers: FloatArray) -> FloatArray:
    """Return the logarithms of columns of positive numbers, NaN of others."""
    positive = np.nanmin(numbers, axis=0) > 0
    return np.log(np.where(positive, numbers, np.nan))


def _squares(numbers: FloatArray) -> FloatArray:
    """Return squares: the difference of two of distances is a plane of the coordinates."""
    return numbers**2


def _means(
    tables: tuple[FloatArray, FloatArray], classes: tuple[IntArray, IntArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each class that holds as many records of both tables."""
    ours, theirs = (pd.DataFrame(one).groupby(codes) for one, codes in zip(tables, classes, strict=True))
    sizes = ours.size(), theirs.size()
    alike = sizes[0].index[sizes[0] == sizes[1].reindex(sizes[0].index)]
    return ours.mean().loc[alike].to_numpy(), theirs.mean().loc[alike].to_numpy()


# --- forms of two columns


def _worked_out(search: Search) -> Iterator[Derivation]:
    """Yield each added or changed column of numbers that some form of two original columns gives."""
    originals = _first_numbers(search, "original", search.tables.original.column_names)
    for anonymized, after in _first_numbers(search, "anonymized", search.candidates).items():
        known = after[~np.isnan(after)]
        share = search.tables.distinct_share("anonymized", anonymized)
        if len(np.unique(known)) < FEWEST_DISTINCT or share < _LEAST_DISTINCT_SHARE:
            continue
        unit = 2 * last_place(known)
        released = counted(known, unit)
        names = [name for name in originals if name != search.stands_for.get(anonymized)]
        for pair in itertools.combinations(names, 2):
            hidden = [name for name in pair if name in search.originals]
            if hidden and any(
                are_drawn_alike(counted(made, unit), released)
                for made in _forms_of(originals[pair[0]], originals[pair[1]], known)
            ):
                n = len(known)
                yield search.derivation(pair[0], anonymized, kind="combined", counts=(n, n), others=pair[1:])
                break


def _given_by_left(search: Search) -> Iterator[Derivation]:
    """Yield the columns taken out or disturbed that columns left as they were give all the same."""
    left = [pair.pair for pair in search.tables.coded if pair.pair.anonymized in search.left]
    read = {pair.anonymized: search.amounts("original", pair.original) for pair in left}
    known = {name: each.numbers for name, each in read.items() if each is not None}
    known = dict(itertools.islice(known.items(), _MOST_WORKED_OUT))
    for name in search.originals if known else ():
        hidden = search.amounts("original", name)
        if hidden is not None and (name in search.disturbed or search.taken_out(name)):
            columns = worked_out(hidden.numbers, known)
            if columns:
                n = int(np.count_nonzero(~np.isnan(hidden.numbers)))
                yield search.derivation(name, *columns, kind="left", counts=(n, n))


def _means_of_few(search: Search) -> Iterator[Derivation]:
    """Yield the columns that hold means of so few neighbouring values that each is told: microaggregation."""
    for name in search.candidates:
        own = search.stands_for.get(name, "")
        if own not in search.originals:
            continue
        before, after = search.amounts("original", own), search.amounts("anonymized", name)
        if before is None or after is None or {before.kind, after.kind} != {"number"}:
            continue
        known, released = (np.sort(one.numbers[~np.isnan(one.numbers)]) for one in (before, after))
        unit = last_place(released) if len(released) else 1.0
        if not len(known) == len(released) >= FEWEST_DISTINCT or unit > last_place(known):
            continue
        means, first, sizes = np.unique(released, return_index=True, return_counts=True)
        met = np.abs(np.add.reduceat(known, first) / sizes - means) <= _MEAN * unit
        n_met = int(sizes[met & (sizes > 1)].sum())
        if n_met >= _NEARLY_ALL * len(known) and np.median(sizes) < FEW:
            yield search.derivation(own, name, kind="means", counts=(n_met, len(known)))


def _forms_of(first: FloatArray, second: FloatArray, known: FloatArray) -> Iterator[FloatArray]:
    for form in FORMS:
        with np.errstate(all="ignore"):
            made = form(first, second)
        yield on_the_scale(made[np.isfinite(made)], known)


def _first_numbers(search: Search, side: str, names: Sequence[str]) -> dict[str, FloatArray]:
    """Return the first columns of numbers that name nobody, and of dates as days in the original."""
    read = ((name, search.amounts(side, name)) for name in names)
    found = (
        (name, amounts.numbers)
        for name, amounts in read
        if amounts is not None
        and (side == "original" if amounts.kind == "date" else not search.identifies(name))
    )
    return dict(itertools.islice(found, _MOST_WORKED_OUT))
