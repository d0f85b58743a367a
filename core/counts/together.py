"""What tables of counts of the same people tell together and no two of them do: bounds of cells nobody shows.

By region and age, by age and sex, and by region and sex, three tables can settle who is in a region, of an
age and of a sex; and so can two that cut ages at different numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.coding import BoolArray, FloatArray, IntArray
from core.counts.bands import common_parts
from core.counts.bounds import Bounds
from core.counts.cube import Cube, Key
from core.counts.differences import SamePeople, can_agree, count_of, same_people

_MOST_CELLS = 4_000  # cells by all columns together up to which tables are read together
_MOST_ASKED = 500  # cells that are bounded one by one
_MOST_ROUNDS = 20  # of looking for tables that fit in which cells are empty or full
_FULL = 100.0  # people from which a cell is small for nobody
_CLOSE = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Together:
    """Cells that no table of some shows and in which somebody surely is, and what each can be."""

    tables: tuple[str, ...]
    columns: tuple[str, ...]
    is_sure: bool  # whether the tables surely count the same people
    cells: tuple[tuple[tuple[str, ...], Bounds], ...]  # by the categories that say which cell it is
    n_left_out: int = 0  # cells that were too many to be bounded

    def n_small(self, least: int) -> int:
        """Return the cells that surely hold 1 to below `least` people."""
        return sum(each.most < least for _, each in self.cells)


def measure_together(tables: Sequence[tuple[str, Cube]], *, are_same: bool = False) -> tuple[Together, ...]:
    """Read tables of counts together that count the same people, or may.

    Tables are cells of one table by all of their columns, in which bands are cut wherever any of them cuts.
    Of each cell by columns or bands that no table has, the least and the most are looked for by linear
    programming; two tables with the same categories tell nothing that each does not. Columns and categories
    of one meaning are called alike. `are_same`: they count the same people, whatever their counts say.
    """
    found: list[Together] = []
    seen: set[frozenset[int]] = set()
    pairs = {pair: _same(tables[pair[0]][1], tables[pair[1]][1], are_same) for pair in _pairs(len(tables))}
    for is_sure in (True, False):
        for group in _groups(len(tables), [p for p, same in pairs.items() if same in (True, is_sure)]):
            if frozenset(group) not in seen and len(group) > 1:
                seen.add(frozenset(group))
                found += _of_group([tables[at] for at in sorted(group)], is_sure)
    return tuple(found)


def _pairs(n: int) -> Iterator[tuple[int, int]]:
    return combinations(range(n), 2)


def _same(one: Cube, other: Cube, are_same: bool) -> bool | None:
    """Return whether two tables surely count the same people, all of them; None where they do not."""
    if not can_agree(one, other):
        return None
    same = SamePeople.YES if are_same else same_people(one, other)
    return None if same is SamePeople.NO else same is SamePeople.YES


def _groups(n: int, pairs: Sequence[tuple[int, int]]) -> list[set[int]]:
    groups = [{at} for at in range(n)]
    for one, other in pairs:
        both = [each for each in groups if each & {one, other}]
        groups = [each for each in groups if each not in both] + [set().union(*both)]
    return groups


def _of_group(tables: Sequence[tuple[str, Cube]], is_sure: bool) -> Iterator[Together]:
    """Yield what tables tell together: by all columns where these are few cells, else by three at a time."""
    joint = _joint([cube for _, cube in tables])
    names = tuple(name for name, _ in tables)
    if not joint.tells_more:
        return
    made = Together(tables=names, columns=joint.columns, is_sure=is_sure, cells=())
    if joint.n_cells <= _MOST_CELLS:
        cells, n_left_out = joint.small_cells()
        yield replace(made, cells=tuple(cells), n_left_out=n_left_out)
        return
    n_left_out = 0
    for columns in combinations(joint.columns, 3):
        part = _joint([each for _, cube in tables if (each := _collapsed(cube, columns)) is not None])
        if part.n_cells > _MOST_CELLS:
            n_left_out += part.n_cells * part.tells_more
        elif part.tells_more and len(part.columns) == len(columns):
            cells, n_asked = part.small_cells()
            n_left_out += n_asked
            yield replace(made, columns=columns, cells=tuple(cells))
    yield replace(made, n_left_out=n_left_out)


def _collapsed(cube: Cube, columns: Sequence[str]) -> Cube | None:
    """Return a table by some of its columns, as far as its counts add up to that; None by none of them."""
    axes = [at for at, name in enumerate(cube.dimensions) if name in columns]
    if len(axes) == len(cube.dimensions) or not axes:
        return cube if axes else None
    cells = {}
    for places in product(*(range(-1, cube.shape[at]) for at in axes)):
        key = [-1] * len(cube.dimensions)
        for at, place in zip(axes, places, strict=True):
            key[at] = place
        cells[places] = count_of(cube, tuple(key))
    return Cube(
        dimensions=tuple(cube.dimensions[at] for at in axes),
        categories=tuple(cube.categories[at] for at in axes),
        cells=cells,
        rows={},
        sums=((),) * len(axes),
    )


def cells_of_records(table: pa.Table) -> Cube | None:
    """Return how many records there are by all columns of a table; None where these are too many cells."""
    coded = [pc.fill_null(column, "").combine_chunks().dictionary_encode() for column in table.columns]
    shape = tuple(len(each.dictionary) for each in coded)
    if not shape or np.prod(shape, dtype=object) > _MOST_CELLS:
        return None
    places, counts = np.unique(
        np.ravel_multi_index([each.indices.to_numpy() for each in coded], shape), return_counts=True
    )
    keys = zip(*(axis.tolist() for axis in np.unravel_index(places, shape)), strict=True)
    return Cube(
        dimensions=tuple(table.column_names),
        categories=tuple(tuple(each.dictionary.to_pylist()) for each in coded),
        cells=dict(zip(keys, counts.tolist(), strict=True)),
        rows={},
        sums=((),) * len(shape),
    )


class _Axis(NamedTuple):
    """A column of several tables."""

    parts: list[str]  # the finest categories
    of: list[dict[str, tuple[int, ...]]]  # of each table that has it: the parts of its categories
    tables: list[int]  # the tables that have it

    def of_table(self, table: int) -> dict[str, tuple[int, ...]] | None:
        return self.of[self.tables.index(table)] if table in self.tables else None


class _Rows(NamedTuple):
    """Sums of cells: which cells, and between which numbers they lie."""

    parts: list[IntArray]
    least: list[float]
    most: list[float]


class _Joint:
    """Several tables as sums of the cells of one."""

    def __init__(self, cubes: Sequence[Cube], axes: dict[str, _Axis]) -> None:
        self._cubes, self._axes = cubes, axes
        self.columns = tuple(axes)
        self._shape = tuple(len(each.parts) for each in axes.values())
        self.n_cells = int(np.prod(self._shape, dtype=object))
        # by columns that no table has together, or by bands that none has
        self._asked = [
            columns
            for n in range(1, len(axes) + 1)
            for columns in combinations(range(len(axes)), n)
            if not any(self._shows(table, columns) for table in range(len(cubes)))
        ]
        is_cut = any(len(parts) > 1 for axis in axes.values() for of in axis.of for parts in of.values())
        self.tells_more = bool(self._asked) and (is_cut or len(cubes) > 2)

    def _shows(self, table: int, columns: Sequence[int]) -> bool:
        """Whether a table has all finest categories of some columns."""
        axes = [[*self._axes.values()][at] for at in columns]
        found = [(axis, axis.of_table(table)) for axis in axes]
        return all(
            of is not None
            and {parts[0] for parts in of.values() if len(parts) == 1} == {*range(len(axis.parts))}
            for axis, of in found
        )

    def _places(self, chosen: Sequence[Sequence[int]]) -> IntArray:
        """Return the cells of some parts of each column."""
        grid = np.meshgrid(*(np.asarray(each, dtype=np.int64) for each in chosen), indexing="ij")
        return np.ravel_multi_index([each.ravel() for each in grid], self._shape)

    def _cells_of(self, table: int, key: Key) -> IntArray:
        """Return the cells that one of a table is the sum of."""
        cube, chosen = self._cubes[table], []
        for column, axis in self._axes.items():
            if (of := axis.of_table(table)) is None:
                chosen.append(tuple(range(len(axis.parts))))
                continue
            at = cube.dimensions.index(column)
            names = [cube.categories[at][place] for place in cube.places_of(at, key[at])]
            chosen.append(tuple(part for name in names for part in of[name]))
        return self._places(chosen)

    def _published(self) -> _Rows:
        rows = _Rows([], [], [])
        for table, cube in enumerate(self._cubes):
            inner = cube.inner if cube.has_inner else ()
            for key in dict.fromkeys((*inner, *cube.cells)):
                count = cube.cells[key] if key in cube.cells else cube.known(key)
                least, most = cube.span(key) if count is None else (float(count), float(count))
                if least > 0 or most < np.inf:
                    rows.parts.append(self._cells_of(table, key))
                    rows.least.append(least)
                    rows.most.append(most)
        return rows

    def _targets(self) -> tuple[list[IntArray], list[tuple[str, ...]]]:
        """Return the cells asked for, as the cells that they are the sums of, and their categories."""
        axes = [*self._axes.values()]
        sums, names = [], []
        for columns in self._asked:
            for places in product(*(range(self._shape[at]) for at in columns)):
                at = dict(zip(columns, places, strict=True))
                if not any(self._has(table, at) for table in range(len(self._cubes))):
                    sums.append(
                        self._places(
                            [(at[n],) if n in at else range(size) for n, size in enumerate(self._shape)]
                        )
                    )
                    names.append(tuple(axes[n].parts[place] for n, place in at.items()))
        return sums, names

    def _has(self, table: int, at: dict[int, int]) -> bool:
        """Whether a table has the categories of a cell."""
        axes = [*self._axes.values()]
        found = [(axes[column].of_table(table), place) for column, place in at.items()]
        return all(of is not None and (place,) in of.values() for of, place in found)

    def small_cells(self) -> tuple[list[tuple[tuple[str, ...], Bounds]], int]:
        """Return the cells that no table shows, hold somebody and few, and how many were not bounded."""
        rows = self._published()
        sums, names = self._targets()
        has_marks = any(low != high for low, high in zip(rows.least, rows.most, strict=True))
        found = []
        bounded, n_left_out = _Fit(rows, self.n_cells).small(_sparse(sums, self.n_cells))
        for place, bounds in bounded.items():
            if bounds.least == bounds.most or not has_marks:
                found.append((names[place], bounds))
        return found, n_left_out


def _joint(cubes: Sequence[Cube]) -> _Joint:
    axes = {}
    for column in dict.fromkeys(name for cube in cubes for name in cube.dimensions):
        having = [at for at, cube in enumerate(cubes) if column in cube.dimensions]
        categories = [cubes[at].categories[cubes[at].dimensions.index(column)] for at in having]
        axes[column] = _Axis(*common_parts(categories), having)
    return _Joint(cubes, axes)


def _sparse(sums: Sequence[IntArray], n_cells: int) -> scipy.sparse.csr_array:
    starts = np.cumsum([0, *map(len, sums)])
    places = np.concatenate([np.zeros(0, dtype=np.int64), *sums])
    return scipy.sparse.csr_array((np.ones(len(places)), places, starts), shape=(len(sums), n_cells))


class _Fit:
    """All tables of counts, none below 0, that fit what is published."""

    def __init__(self, rows: _Rows, n_cells: int) -> None:
        matrix = _sparse(rows.parts, n_cells)
        least, most = np.array(rows.least), np.array(rows.most)
        exact = least == most
        self._given = {"A_eq": matrix[exact], "b_eq": least[exact]}
        if not exact.all():
            open_ones = ~exact & (most < np.inf)
            self._given["A_ub"] = scipy.sparse.vstack([matrix[open_ones], -matrix[~exact]])
            self._given["b_ub"] = np.concatenate([most[open_ones], -least[~exact]])
        self._n = n_cells

    def small(self, sums: scipy.sparse.csr_array) -> tuple[dict[int, Bounds], int]:
        """Return the bounds of the sums that are never empty and never large, and how many were left out.

        Every table that fits rules out what is empty or large in it; none is left where nothing fits.
        """
        rng = np.random.default_rng(0)
        left: BoolArray = np.ones(sums.shape[0], dtype=np.bool_)
        for turn in range(_MOST_ROUNDS):
            weights = np.where(left, rng.uniform(0.1, 1, len(left)), 0) * (-1 if turn % 2 else 1)
            if not self._rules_out(sums, left, np.asarray(sums.T @ weights)):
                return {}, 0
        found: dict[int, Bounds] = {}
        for turn, place in enumerate(np.flatnonzero(left).tolist()):
            goal = np.zeros(self._n)
            goal[sums.indices[sums.indptr[place] : sums.indptr[place + 1]]] = 1
            if turn < _MOST_ASKED and left[place]:
                most = self._rules_out(sums, left, -goal)
                least = self._rules_out(sums, left, goal) if left[place] else None
                if most and least and left[place]:
                    ends = np.ceil(least[0] - _CLOSE), np.floor(-most[0] + _CLOSE)
                    found[place] = Bounds(float(ends[0]), float(ends[1]))
        return found, int(left.sum()) - len(found)

    def _rules_out(
        self, sums: scipy.sparse.csr_array, left: BoolArray, goal: FloatArray
    ) -> tuple[float] | None:
        """Look for the table with the least of a goal; take out of `left` what is empty or large in it."""
        solved = scipy.optimize.linprog(goal, bounds=(0, None), **self._given)
        if not solved.success:
            return None
        values = sums @ solved.x
        left &= (values >= _CLOSE) & (values < _FULL)
        return (float(solved.fun),)
