"""Released numbers that tell originals together, or within each group, though no single column does.

Noise or a factor that two columns share cancels out, a rotation of several columns is undone by as many, and
a difference from the mean of a region, a share of it or a running total is the value itself once the region
is known. All are linear relations between a few released and a few original columns, read as they are, as
logarithms or squares, or within groups. The best one (Hotelling's canonical correlation) is found on one half
of the records and must hold on the other half, closer than 3 of 100 pairs of records meet by chance. Where
the rows were put in another order, sums over the classes of the columns left as they were take the place of
rows: noise that cancels out in rows does so in their sums. Sums, differences, products and ratios of two
columns, such as a body-mass index beside neither height nor weight, show in whole sets of values.

References
----------
Hotelling, Relations between two sets of variates, Biometrika 28, 1936.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray, IntArray, joint_codes, value_codes
from core.tabular.second_opinion.derivations import Derivation, Search, are_drawn_alike, last_place
from core.tabular.second_opinion.pair import CodedPair
from core.tabular.second_opinion.pieces import identifies

_FEWEST = 30  # records or classes on which a relation is looked for
_MOST_COMPARED, _MOST_ROWS, _MOST_FITTED = 50_000, 10_000, 2_000
_MOST_COLUMNS = 12  # of either table
_MOST_GROUPINGS, _MOST_PAIRED, _MOST_PERSONS = (
    12,
    6,
    3,
)  # of records; columns of which two give one; of persons
_MET_BY_CHANCE, _NEARLY_ALL = 0.03, 0.95  # pairs of records that are as near, records that have to be
_CORRELATED = 0.95  # from which two columns are looked at
_PART = 0.05  # of the spread, from which a column takes part
_FEW, _MANY = 5, 0.5  # records among which somebody is found; share of all, from which no more is looked for
_FEWEST_IN_GROUP, _FEWEST_IN_ORDER = 5, 10  # records of a group whose spread, or order, is that of others
_FEWEST_OF_A_PERSON, _MOST_OF_A_PERSON, _FEWEST_VISITS = (
    1.2,
    20,
    3,
)  # records of one person, or persons of a household
_TWO = r"^[^0-9]*([0-9]+(?:\.[0-9]+)?)[^0-9]+([0-9]+(?:\.[0-9]+)?)[^0-9]*$"  # numbers in a cell

_CLEARLY, _FEWEST_AWAY = 0.5, 2  # times as far; places of a group that records are away from in all rows
_Read = Callable[[FloatArray], FloatArray]
_UNITS = (1, 8)  # numbers that were rounded on their way may be away from each other by a few
_TOTALS = ("sum", "mean", "max", "min")  # of a person or household
_Coded = tuple[str, IntArray]  # the name of a column, and the group of each record
_FEWEST_DISTINCT, _LEAST_DISTINCT_SHARE = 20, 0.2  # of the numbers that were worked out
_MOST_WORKED_OUT = 20  # columns of either table
_NOTHING = 1e-9  # of a spread, what rounding of binary numbers adds


_FORMS: tuple[Callable[[FloatArray, FloatArray], FloatArray], ...] = (
    *(np.add, np.subtract, np.multiply, np.divide),
    lambda a, b: b - a,
    lambda a, b: b / a,
    lambda a, b: a / b**2,
    lambda a, b: b / a**2,
)


def measure_relations(search: Search) -> Iterator[Derivation]:
    """Yield the columns that tell original ones together, within groups, or as totals of few records."""
    if search.n_told_apart < _FEWEST:
        return
    yield from _worked_out(search)
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
        yield from look.in_sets()
    if search.n_told_apart <= _MOST_ROWS:
        yield from look.persons_in_sets()


# --- columns of numbers


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
    found: list[tuple[str, FloatArray, bool]] = []
    for name in names:
        amounts = search.amounts(side, name)
        if side == "anonymized" and identifies(search, name):
            continue
        if amounts is None:
            found += [
                (name, part, False)
                for part in _two_numbers(search.cells(side, name, sampled=False).to_pylist())
            ]
        elif side == "original" or amounts.kind == "number":
            found.append((name, amounts.numbers, amounts.kind == "date"))
    found = [one for one in found if len(np.unique(one[1][~np.isnan(one[1])])) > 2][:_MOST_COLUMNS]
    known = slice(None) if search.tables.order == "changed" else slice(_MOST_ROWS)
    return _Columns(
        names=tuple(name for name, _, _ in found),
        numbers=np.column_stack([numbers[known] for _, numbers, _ in found]) if found else np.zeros((0, 0)),
        is_date=tuple(is_date for _, _, is_date in found),
    )


def _two_numbers(cells: Sequence[str | None]) -> list[FloatArray]:
    """Return the two numbers that each cell holds, such as a blood pressure; none if some do not."""
    texts = pd.Series([cell for cell in cells if cell], dtype="str")
    if not len(texts) or texts.iloc[:100].str.fullmatch(_TWO).mean() < _NEARLY_ALL:
        return []
    both = pd.Series([cell or "" for cell in cells], dtype="str").str.extract(_TWO).astype(float).to_numpy()
    return [both[:, 0], both[:, 1]] if (~np.isnan(both[:, 0])).sum() >= _NEARLY_ALL * len(texts) else []


# --- relations


@dataclass(frozen=True, kw_only=True, eq=False)
class _Relation:
    """A weighted sum of released columns that is one of original columns."""

    of_before: FloatArray  # weights, shapes (n_before,) and (n_after,)
    of_after: FloatArray
    constant: float
    near: float  # how far both may be from each other
    spread: float  # standard deviation of the sum
    parts: tuple[BoolArray, BoolArray]  # which columns take part

    @property
    def away(self) -> float:
        """Return how far both may be from each other, of the spread."""
        return self.near / self.spread


def _related(before: FloatArray, after: FloatArray, seed: int) -> _Relation | None:
    """Return the relation of two blocks of columns that one half of the rows shows and the other proves."""
    known = np.flatnonzero(~(np.isnan(before).any(axis=1) | np.isnan(after).any(axis=1)))
    n_columns = before.shape[1] + after.shape[1]
    if len(known) < _FEWEST + 2 * n_columns or len(known) < 0.5 * np.count_nonzero(
        ~np.isnan(after).any(axis=1)
    ):
        return None
    rng = np.random.default_rng(seed)
    rows = rng.permutation(known)[: 2 * _MOST_FITTED]
    fit, test = np.array_split(rows, 2)
    for _ in range(2):
        found = _canonical(before[fit], after[fit])
        if found is None:
            return None
        ours, theirs, constant = found
        away = np.abs(after[fit] @ theirs - before[fit] @ ours - constant)
        fit = fit[away <= np.quantile(away, 0.9)]
    known_values = before[test] @ ours + constant
    away = np.abs(after[test] @ theirs - known_values)
    by_chance = np.quantile(np.abs(known_values - rng.permutation(known_values)), _MET_BY_CHANCE)
    near = float(np.quantile(away, _NEARLY_ALL))
    spread = known_values.std()
    if not spread or near > by_chance + _NOTHING * spread:
        return None
    return _Relation(
        of_before=ours,
        of_after=theirs,
        constant=constant,
        near=2 * near + _NOTHING * float(np.abs(known_values).max()),
        spread=spread,
        parts=(
            np.abs(ours) * before[test].std(axis=0) >= _PART * spread,
            np.abs(theirs) * after[test].std(axis=0) >= _PART * spread,
        ),
    )


def _canonical(before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray, float] | None:
    """Return the weights of the two most correlated sums of columns, and the constant between them."""
    (ours, first), (theirs, second) = _whitened(before), _whitened(after)
    if not first.size or not second.size:
        return None
    left, sizes, right = np.linalg.svd(ours.T @ theirs)
    if sizes[0] < _CORRELATED:
        return None
    weights = first @ left[:, 0] * sizes[0], second @ right[0]
    return *weights, float((after.mean(axis=0) @ weights[1]) - before.mean(axis=0) @ weights[0])


def _whitened(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return uncorrelated columns of one length that span the same, and the weights that give them."""
    spread = columns.std(axis=0)
    spread[spread == 0] = np.inf
    left, sizes, right = np.linalg.svd((columns - columns.mean(axis=0)) / spread, full_matrices=False)
    kept = sizes > max(1e-7 * sizes[0], 1e-12)
    return left[:, kept], right[kept].T / sizes[kept] / spread[:, None]


def _n_found(
    released: tuple[FloatArray, IntArray], known: tuple[FloatArray, IntArray], near: float, share: float
) -> tuple[int, int]:
    """Return the records whose value leads to fewer than five originals of a larger class; and of all.

    Either side is values and classes; `share`: of all originals, those that are looked at.
    """
    (values, classes), (originals, theirs) = (
        (numbers[~np.isnan(numbers)], codes[~np.isnan(numbers)]) for numbers, codes in (released, known)
    )
    low = min(values.min(), originals.min()) - near
    width = max(values.max(), originals.max()) + 2 * near - low
    ordered = np.sort(originals - low + theirs * (2 * width))
    at = values - low + classes * (2 * width)
    n_near = np.searchsorted(ordered, at + near, side="right") - np.searchsorted(ordered, at - near)
    sizes = np.bincount(theirs, minlength=int(classes.max()) + 1)[classes]
    found = (1 + (n_near - 1) / share < _FEW) & (sizes / share >= _FEW) & (n_near > 0)
    return int(np.count_nonzero(found)), len(values)


# --- where they are looked for


@dataclass(kw_only=True, eq=False)
class _Look:
    """Both tables' numbers, and what was found of which released columns."""

    search: Search
    before: _Columns
    after: _Columns

    def __post_init__(self) -> None:
        self.found: set[str] = set()  # released columns

    @cached_property
    def share(self) -> float:
        """Return the share of the original records that are looked at."""
        return len(self.before.numbers) / self.search.tables.n_original

    @cached_property
    def hidden(self) -> frozenset[str]:
        """Return the original columns that are gone or were changed."""
        return frozenset(self.search.originals)

    @cached_property
    def away(self) -> FloatArray:
        """Return shape (n_before, n_after): how far all rows are from each other anyway; else infinite."""
        found = np.full((len(self.before.names), len(self.after.names)), np.inf)
        if self.search.tables.order != "changed":
            numbers = self.before.numbers, self.after.numbers
            for ours, theirs in (numbers, [pd.DataFrame(one).rank().to_numpy() for one in numbers]):
                for i, j in _correlated(ours, theirs):
                    anyway = _related(ours[:, [i]], theirs[:, [j]], self.seed)
                    found[i, j] = min(found[i, j], np.inf if anyway is None else anyway.away)
        return found

    @property
    def seed(self) -> int:
        """Return the seed of halves."""
        return self.search.settings.seed

    def together(self) -> Iterator[Derivation]:
        """Yield what a released column tells of several original ones, or two tell of one or several."""
        classes = self.kept_classes
        if classes is None:
            return
        for read in (_as_they_are, _logarithms, _squares):
            ours, theirs = read(self.before.numbers), read(self.after.numbers)
            units = (ours, theirs)
            if self.search.tables.order == "changed":
                units = _means(units, classes)
            if not len(units[0]):
                continue
            whole = np.flatnonzero(np.isnan(units[0]).mean(axis=0) <= 1 - _NEARLY_ALL)
            places = range(len(self.after.names))
            for columns in (*((at,) for at in places), *itertools.combinations(places, 2)):
                of_block = list(columns)
                if self.found.isdisjoint(self.after.names[at] for at in columns) and len(whole):
                    found = self._of_block((units[0][:, whole], units[1][:, of_block]), whole, of_block)
                    if found is not None:
                        released, known = (
                            theirs[:, of_block] @ found.of_after,
                            ours[:, whole] @ found.of_before + found.constant,
                        )
                        originals = tuple(self.before.names[at] for at in whole[found.parts[0]])
                        counts = _n_found((released, classes[1]), (known, classes[0]), found.near, self.share)
                        yield from self._told("together", originals, columns, counts)

    def _of_block(
        self, units: tuple[FloatArray, FloatArray], whole: IntArray, columns: Sequence[int]
    ) -> _Relation | None:
        """Return what a few released columns tell of original ones, unless their own originals do as well."""
        names = [self.before.names[at] for at in whole]
        own = [self.search.stands_for.get(self.after.names[at]) for at in columns]
        found = _related(*units, self.seed)
        if found is None or not found.parts[1].all():
            return None
        if found.away > _CLEARLY * self.away[:, columns].min():
            return None
        taking_part = [name for name, is_part in zip(names, found.parts[0], strict=True) if is_part]
        if len(columns) == len(taking_part) == 1 and self.before.names.count(taking_part[0]) == 1:
            return None  # which others look for
        others = [at for at, name in enumerate(names) if name not in own]
        if others and all(name in names for name in own):
            theirs = units[0][:, [names.index(str(name)) for name in own]]
            if _related(units[0][:, others], theirs, self.seed) is not None:
                return None
        return found

    @cached_property
    def kept_classes(self) -> tuple[IntArray, IntArray] | None:
        """Return the class of each original and of each released record; None where no column was kept."""
        tables = self.search.tables
        if tables.order != "changed":
            classes = self.search.classes_but("")[: len(self.before.numbers)]
            return classes, classes
        kept: list[CodedPair] = []
        for pair in sorted(tables.coded, key=lambda one: one.n_values):
            if pair.pair.anonymized in self.search.left:
                n_classes = len(np.unique(joint_codes([*kept, pair]).original))
                if n_classes * _FEWEST_IN_GROUP <= tables.n_original:
                    kept.append(pair)
        if not kept:
            return None
        both = joint_codes(kept)
        return both.original.astype(np.int64), both.anonymized.astype(np.int64)

    # --- within groups

    def coded(self, *sides: str) -> list[_Coded]:
        """Return the columns that group records, each grouping once, fewest groups first."""
        found: dict[bytes, _Coded] = {}
        tables = self.search.tables
        rows = slice(None) if tables.order == "changed" else self.search.rows(_MOST_COMPARED)[:_MOST_ROWS]
        for side in sides:
            for name in self.search.table(side).column_names:
                codes = value_codes(tables.written[side][name].codes_with_missing[rows])
                if 1 < codes.max() + 1 < len(codes):
                    found.setdefault(codes.tobytes(), (name, codes))
        return sorted(found.values(), key=lambda one: int(one[1].max()))

    @cached_property
    def groupings(self) -> list[tuple[tuple[str, ...], IntArray]]:
        """Return the columns, and pairs of columns, of which most values are shared by many records."""
        n = len(self.before.numbers)
        one = [
            ((name,), codes)
            for name, codes in self.coded("original", "anonymized")
            if codes.max() < n / _FEWEST_IN_ORDER
        ]
        two = [
            ((*a, *b), value_codes(first * (int(second.max()) + 1) + second))
            for (a, first), (b, second) in itertools.combinations(one[:_MOST_PAIRED], 2)
        ]
        every: tuple[tuple[str, ...], IntArray] = (), np.zeros(n, dtype=np.int64)
        some = [one for one in two if one[1].max() < n / _FEWEST_IN_ORDER]
        return [every, *sorted([*one, *some], key=lambda one: int(one[1].max()))[:_MOST_GROUPINGS]]

    def within(self, groups: tuple[str, ...], codes: IntArray) -> Iterator[Derivation]:
        """Yield the columns that follow original ones within each group."""
        for read in (_spread, _places, _steps) if groups else (_steps,):
            ours, theirs = read(self.before.numbers, codes, False), read(self.after.numbers, codes, True)
            for i, j, found in self._pairs(ours, theirs, groups, int(codes.max()) + 1):
                released = theirs[:, j] * found.of_after[0], codes
                known = ours[:, i] * found.of_before[0] + found.constant, codes
                counts = _n_found(released, known, found.near, self.share)
                kind = "in_groups" if groups else "together"
                yield from self._told(kind, (self.before.names[i],), (j,), counts, groups)

    def _pairs(
        self, ours: FloatArray, theirs: FloatArray, groups: Sequence[str], n_groups: int
    ) -> Iterator[tuple[int, int, _Relation]]:
        """Yield the pairs of columns that are related, unless they or their originals are so anyway."""
        names, tokens = self.before.names, self.after.names
        for i, j in _correlated(ours, theirs):
            own = self.search.stands_for.get(tokens[j])
            skipped = {*groups, *self.found}
            places_away = self.away[i, j] * len(ours) / n_groups
            if (
                names[i] not in self.hidden
                or places_away < _FEWEST_AWAY
                or not skipped.isdisjoint((names[i], tokens[j]))
            ):
                continue
            found = _related(ours[:, [i]], theirs[:, [j]], self.seed)
            found = None if found is None or found.away > _CLEARLY * self.away[i, j] else found
            if found is not None and own in names and own != names[i]:
                of_own = ours[:, [names.index(own)]]
                found = None if _related(ours[:, [i]], of_own, self.seed) is not None else found
            if found is not None:
                yield i, j, found

    # --- whole sets, whatever the order of the rows

    def in_sets(self) -> Iterator[Derivation]:
        """Yield pairs of released columns whose differences or ratios are those of their own originals."""
        names, classes = self.before.names, self.kept_classes
        own = [self.search.stands_for.get(name) for name in self.after.names]
        places = [at for at, name in enumerate(own) if name in names]
        ways = itertools.product((_as_they_are, _logarithms), (1, -1))
        for (read, sign), pair in itertools.product(ways, itertools.combinations(places, 2)):
            ours = self.before.numbers[:, [names.index(str(own[at])) for at in pair]]
            theirs = self.after.numbers[:, pair]
            if own[pair[0]] == own[pair[1]]:
                continue
            if read is _logarithms and min(np.nanmin(ours), np.nanmin(theirs)) <= 0:
                continue
            known, released = (read(one) @ np.array([1, -sign]) for one in (ours, theirs))
            unit = 2 * max(last_place(one[~np.isnan(one)]) for one in (*ours.T, *theirs.T))
            unit *= 1 if read is _as_they_are else 2 / float(np.nanquantile(np.abs(theirs), _MET_BY_CHANCE))
            if any(_drawn_alike(known, released, size * unit) for size in _UNITS):
                ours_in, theirs_in = classes or [
                    np.zeros(len(one), dtype=np.int64) for one in (known, released)
                ]
                counts = _n_found((released, theirs_in), (known, ours_in), unit, self.share)
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
                        counts = _n_same_sequences(ours, theirs, unit, self.seed)
                        yield from self._told("in_groups", (self.before.names[i],), (j,), counts, (group,))
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
            is_hidden = self.before.names[i] in self.hidden and not self.before.is_date[i]
            if is_hidden and self.after.names[j] not in self.found:
                yield i, j

    def _persons(self, side: str) -> list[_Coded]:
        """Return the columns that are no measurements and of which few records share a value."""
        found = []
        for name, codes in self.coded(side):
            size = len(codes) / (int(codes.max()) + 1)
            is_one = identifies(self.search, name) or not _are_plain_numbers(self.search.table(side)[name])
            if _FEWEST_OF_A_PERSON <= size <= _MOST_OF_A_PERSON and is_one:
                found.append((name, codes))
        return found[:_MOST_PERSONS]

    def _total_in_sets(self, i: int, j: int, group: str, codes: IntArray) -> Iterator[Derivation]:
        """Yield a released column that is, in each row, the total of an original one over a group."""
        unit = 2 * last_place(self.after.known(j))
        known, released = self.before.numbers[:, i], self.after.numbers[:, j]
        by_group = pd.Series(known).groupby(codes)
        n_persons = 1.0 if identifies(self.search, group) else len(codes) / by_group.ngroups
        for total in _TOTALS if not _drawn_alike(known, released, unit) else ():
            of_groups = by_group.agg(total).to_numpy()
            if _drawn_alike(of_groups[codes], released, unit):
                one_class = [np.zeros(len(one), dtype=np.int64) for one in (of_groups, released)]
                counts = _n_found((released, one_class[1]), (of_groups, one_class[0]), unit, 1 / n_persons)
                yield from self._told("in_groups", (self.before.names[i],), (j,), counts, (group,))

    def _told(
        self,
        kind: str,
        originals: Sequence[str],
        columns: Sequence[int],
        counts: tuple[int, int],
        groups: tuple[str, ...] = (),
    ) -> Iterator[Derivation]:
        """Yield what was found, if it leads to anybody by a column that is hidden."""
        ours = sorted(dict.fromkeys(originals), key=lambda name: name not in self.hidden)
        if counts[0] and ours[0] in self.hidden:
            released = tuple(dict.fromkeys(self.after.names[at] for at in columns))
            if counts[0] >= _MANY * counts[1]:
                self.found.update(released)
            yield self.search.derivation(
                ours[0], *released, kind=kind, counts=counts, others=tuple(ours[1:]), groups=groups
            )


def _are_plain_numbers(cells: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.match_substring_regex(cells.drop_null().slice(0, 100), r"^[\d.,+-]+$")).as_py())


def _correlated(ours: FloatArray, theirs: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield the pairs of columns that are worth a look."""
    n = ours.shape[1]
    together = pd.DataFrame(np.column_stack([ours, theirs])).corr(min_periods=_FEWEST).to_numpy()
    for i, j in np.argwhere(np.abs(together[:n, n:]) >= _CORRELATED):
        yield int(i), int(j)


def _drawn_alike(known: FloatArray, released: FloatArray, unit: float) -> bool:
    """Whether numbers occur as often as others, far beyond what drawing them anew gives."""
    both = (np.unique(np.rint(one[np.isfinite(one)] / unit), return_counts=True) for one in (known, released))
    before, after = both
    return bool(len(before[0]) and len(after[0])) and are_drawn_alike(before, after)


def _n_same_sequences(
    known: tuple[FloatArray, IntArray], released: tuple[FloatArray, IntArray], unit: float, seed: int
) -> tuple[int, int]:
    """Return the persons whose changes are those of fewer than five originals, beyond chance; and of all."""
    rng = np.random.default_rng(seed)
    if not 0.5 <= len(np.unique(known[1])) / len(np.unique(released[1])) <= 2:
        return 0, 1
    ours = _changes(*known, unit).value_counts()
    theirs, dealt = (
        _changes(each, released[1], unit) for each in (released[0], rng.permutation(released[0]))
    )
    n_met, by_chance = (int((one.map(ours) < _FEW).sum()) for one in (theirs, dealt))
    is_clear = n_met - by_chance >= _MANY * len(theirs) and theirs.nunique() >= _FEWEST
    return (n_met - by_chance if is_clear else 0), len(theirs)


def _changes(numbers: FloatArray, codes: IntArray, unit: float) -> pd.Series:
    """Return the numbers of each person of three records and more from the least on, in units, ascending."""
    frame = pd.DataFrame({"group": codes, "number": numbers}).dropna().sort_values(["group", "number"])
    grouped = frame.groupby("group")["number"]
    steps = np.rint((frame["number"] - grouped.transform("min")) / unit).astype(int)
    return steps[grouped.transform("size") >= _FEWEST_VISITS].groupby(frame["group"]).agg(tuple)


# --- readings


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


def _spread(numbers: FloatArray, codes: IntArray, is_released: bool) -> FloatArray:
    """Return how many standard deviations numbers are from the mean of their group."""
    del is_released
    grouped = pd.DataFrame(numbers).groupby(codes)
    spread = grouped.transform("std").to_numpy()
    many = (spread > 0) & (grouped.transform("count").to_numpy() >= _FEWEST_IN_GROUP)
    return (numbers - grouped.transform("mean").to_numpy()) / np.where(many, spread, np.nan)


def _places(numbers: FloatArray, codes: IntArray, is_released: bool) -> FloatArray:
    """Return the place of numbers in the order of their group, in (0, 1)."""
    del is_released
    grouped = pd.DataFrame(numbers).groupby(codes)
    n = grouped.transform("count").to_numpy()
    return np.where(n >= _FEWEST_IN_ORDER, grouped.rank().to_numpy() / (n + 1), np.nan)


def _steps(numbers: FloatArray, codes: IntArray, is_released: bool) -> FloatArray:
    """Return the difference of released numbers from the one before in their group: what was added up."""
    if not is_released:
        return numbers
    return pd.DataFrame(numbers).groupby(codes).diff().to_numpy()


# --- forms of two columns, in whole sets


def _worked_out(search: Search) -> Iterator[Derivation]:
    """Yield each added or changed column of numbers that several original columns give."""
    tables = search.tables
    originals = _amounts(search, "original", tables.original.column_names)
    for anonymized, after in _amounts(search, "anonymized", search.candidates).items():
        share = tables.distinct_share("anonymized", anonymized)
        if len(np.unique(after)) < _FEWEST_DISTINCT or share < _LEAST_DISTINCT_SHARE:
            continue
        own = search.stands_for.get(anonymized)
        others = {name: numbers for name, numbers in originals.items() if name != own}
        found = _of_two(search, others, after)
        if any(name in search.originals for name in found):
            n = int(np.count_nonzero(~np.isnan(after)))
            yield search.derivation(
                found[0], anonymized, kind="combined", counts=(n, n), others=tuple(found[1:])
            )


def _amounts(search: Search, side: str, names: Sequence[str]) -> dict[str, FloatArray]:
    """Return the first columns of numbers that name nobody, and of dates as days in the original."""
    read = ((name, search.amounts(side, name)) for name in names)
    found = (
        (name, amounts.numbers)
        for name, amounts in read
        if amounts is not None
        and (side == "original" if amounts.kind == "date" else not identifies(search, name))
    )
    return dict(itertools.islice(found, _MOST_WORKED_OUT))


def _of_two(search: Search, originals: dict[str, FloatArray], after: FloatArray) -> tuple[str, ...]:
    """Return the two columns of which some form is as often each of the numbers; empty where none are."""
    known = after[~np.isnan(after)]
    unit = 2 * last_place(known)
    numbers, counts = np.unique(np.rint(known / unit), return_counts=True)
    for first, second in itertools.combinations(originals, 2):
        if not {first, second}.intersection(search.originals):
            continue
        for form in _FORMS:
            with np.errstate(all="ignore"):
                made = form(originals[first], originals[second])
            made = _on_the_scale(made[np.isfinite(made)], known)
            if len(made) and are_drawn_alike(
                np.unique(np.rint(made / unit), return_counts=True), (numbers, counts)
            ):
                return first, second
    return ()


def _on_the_scale(made: FloatArray, known: FloatArray) -> FloatArray:
    """Return numbers times the power of ten that brings them to the size of the known ones."""
    if not len(made):
        return made
    sizes = float(np.median(np.abs(made))), float(np.median(np.abs(known)))
    if min(sizes) == 0:
        return made
    return made * 10.0 ** np.rint(np.log10(sizes[1] / sizes[0]))
