"""All that can be measured of the cells of a table of counts, and what contributors give to cells."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.chance import binomial_tail
from core.coding import BoolArray, FloatArray, IntArray, combination_codes, value_codes
from core.counts.bounds import Bounded, Bounds, bounds_of
from core.counts.cube import Cube, Key, read_cube, whole_number
from core.counts.differences import (
    Difference,
    SamePeople,
    differences_between,
    differences_in,
    same_people,
    with_counts_of,
)
from core.counts.figures import (
    Figures,
    FiguresBetween,
    figures_between,
    is_extreme,
    is_figures,
    measure_figures,
    named_as_figures,
)
from core.counts.together import Together, measure_together
from core.errors import AuditInputError
from core.values.cells import as_numbers
from core.words import input_error

_YEARS = range(1800, 2301)
_BASES = (1000, 500, 100, 50, 25, 20, 10, 5, 3)  # that counts are rounded to
_ROUNDED, _CHANCE = 0.9, 1e-6


@dataclass(frozen=True, kw_only=True)
class FullCells:
    """Groups all of whose people are in one category of a column."""

    column: str
    n_groups: int  # groups with anybody, by all other columns
    n_full: int
    n_people: int  # in them


@dataclass(frozen=True, kw_only=True, eq=False)
class Linked:
    """What the suppressed cells can be by another table too."""

    other: str
    is_sure: bool  # whether both surely count the same people
    bounds: Mapping[Key, Bounds]

    def narrower(self, bounded: Bounded, least: int) -> tuple[Key, ...]:
        """Return the suppressed cells that can be fewer values than asked for, and fewer than without it."""
        return tuple(
            key
            for key, each in self.bounds.items()
            if each.n_values < bounded.asked(key, least)
            and (key not in bounded.bounds or each.n_values < bounded.bounds[key].n_values)
        )


class Rounded(NamedTuple):
    """What nearly all counts are multiples of, and how many counts are not."""

    base: int
    n_others: int


@dataclass(frozen=True, kw_only=True, eq=False)
class CountsMeasurement:
    """What was measured of one table of counts."""

    name: str
    count: str  # the column of counts
    cube: Cube
    bounded: Bounded  # what the suppressed cells can be
    full: tuple[FullCells, ...]
    differences: tuple[Difference, ...]
    sensitive: tuple[str, ...]  # columns whose category nobody shall learn
    figures: tuple[Figures, ...] = ()  # shares and averages beside the counts
    between: tuple[FiguresBetween, ...] = ()  # … of those by whom two counts differ
    extremes: tuple[str, ...] = ()  # columns of largest and smallest values
    not_compared: tuple[str, ...] = ()  # other tables without the count, or of other columns
    linked: tuple[Linked, ...] = ()  # what tables beside it tell of suppressed cells
    rounded: Rounded | None = None  # to what nearly all counts are rounded
    together: tuple[Together, ...] = ()  # what it and other tables tell of cells that none of them shows


def measure_counts(
    table: pa.Table,
    *,
    count: str,
    dimensions: Sequence[str],
    sensitive: Sequence[str] = (),
    name: str = "",
    others: Sequence[tuple[str, pa.Table]] = (),
    beside: Sequence[tuple[str, pa.Table]] = (),
    records: Sequence[tuple[str, pa.Table]] = (),
) -> CountsMeasurement:
    """Measure a table of counts: a row a cell, rows of totals among them or not.

    Parameters
    ----------
    table
        Columns of text; missing is null.
    count, dimensions
        The columns of counts and of categories; such as hold figures (shares, averages) are none.
    sensitive
        Dimensions whose category nobody shall learn of a person.
    others
        Names and tables that are published too: with the count, by all or some of the columns.
    beside, records
        … such as may count the same people at the same time, or others; those counted of records of persons.

    Raises
    ------
    AuditInputError
        See :func:`core.counts.cube.read_cube`.
    """
    figures = [each for each in dimensions if is_figures(table[each]) or _are_figures(table, each)]
    dimensions = [each for each in dimensions if each not in figures]
    cube = read_cube(table, dimensions, count)
    needed = _needed(table, dimensions)
    cubes = [(other, found) for other, each in others if (found := _cube_of(each, needed, count)) is not None]
    mine = cube if needed == list(dimensions) else read_cube(table, needed, count)
    same = _of_same_people(
        mine, [(other, _cube_of(each, needed, count, is_any=True)) for other, each in (*beside, *records)]
    )
    first = [each for each in same if name < each[0] or each[0] in dict(records)]
    differences = (*differences_in(cube), *differences_between(mine, cubes), *_beside(mine, first))
    further = dict([*others, *beside])
    between = [
        figures_between(each, differences, table, further)
        for each in table.column_names
        if each in figures or (each in dimensions and each not in needed)
    ]
    return CountsMeasurement(
        name=name,
        count=count,
        cube=cube,
        bounded=bounds_of(cube),
        full=tuple(_full_cells(cube, place) for place in range(len(dimensions))) if cube.has_inner else (),
        differences=differences,
        sensitive=tuple(sensitive),
        figures=tuple(measure_figures(table, cube, each) for each in figures),
        between=tuple(each for each in between if each is not None),
        extremes=tuple(each for each in figures if is_extreme(each)),
        not_compared=tuple(other for other, _ in others if other not in dict(cubes)),
        linked=tuple(_linked(mine, *each) for each in same) if None in mine.cells.values() else (),
        together=measure_together([(name, mine), *cubes]) if cubes else (),
        rounded=rounded_to(cube.shown),
    )


def rounded_to(counts: Sequence[int]) -> Rounded | None:
    """Return to what counts are rounded, the largest number of which at least 9 in 10 are multiples.

    Each number counts once, and 0, a multiple of everything, not at all. By chance as many are multiples in
    fewer than 1 of 10⁶ tables.

    >>> rounded_to([10, 25, 40, 15, 5, 60, 35, 20, 45, 287, 30, 55, 65, 70])
    Rounded(base=5, n_others=1)
    """
    filled = np.array([*{count for count in counts if count}])
    for base in _BASES:
        n_multiples = int(np.count_nonzero(filled % base == 0))
        chance = binomial_tail(n_multiples, len(filled), 1 / base) * len(_BASES)
        if len(filled) and n_multiples >= _ROUNDED * len(filled) and chance < _CHANCE:
            return Rounded(base, len(filled) - n_multiples)
    return None


def _of_same_people(cube: Cube, others: Sequence[tuple[str, Cube | None]]) -> list[tuple[str, Cube, bool]]:
    """Return the tables that may count the same people, and whether they surely do."""
    found = [(name, each, same_people(cube, each)) for name, each in others if each is not None]
    return [(name, each, same is SamePeople.YES) for name, each, same in found if same is not SamePeople.NO]


def _beside(cube: Cube, same: Sequence[tuple[str, Cube, bool]]) -> Iterator[Difference]:
    """Yield what tables of the same people count otherwise; of two tables of counts the first says it."""
    for other, found, is_sure in same:
        yield from differences_between(cube, [(other, found)], is_sure=is_sure)


def _linked(cube: Cube, name: str, other: Cube, is_sure: bool) -> Linked:
    """Return what another table tells of the suppressed cells of a table."""
    told = with_counts_of(cube, [other])
    shown = {key: told.cells[key] for key, count in cube.cells.items() if count is None}
    known = {key: Bounds(count, count) for key, count in shown.items() if count is not None}
    bounds = {**bounds_of(told).bounds, **known}
    largest = max((n for key, n in cube.cells.items() if n is not None and min(key) >= 0), default=0)
    if not is_sure and any(each.least > largest for key, each in bounds.items() if min(key) >= 0):
        bounds = {}  # a count above all that are shown is hardly suppressed: the other's people are others
    return Linked(other=name, is_sure=is_sure, bounds=bounds)


def _are_figures(table: pa.Table, column: str) -> bool:
    """Return whether a column holds whole numbers, other ones nearly everywhere, and is named as figures."""
    values = table[column].drop_null()
    return named_as_figures(column) and all(
        whole_number(value) is not None for value in values.unique().to_pylist()
    )


def _needed(table: pa.Table, dimensions: Sequence[str]) -> list[str]:
    """Return the columns that say which cell a row is, without numbers (years aside) that others tell."""
    needed = list(dimensions)
    for each in reversed(dimensions):
        rest = [name for name in needed if name != each]
        numbers = [whole_number(value) for value in table[each].unique().to_pylist()]
        is_number = len(numbers) > 1 and all(
            number is not None and number not in _YEARS for number in numbers
        )
        if rest and is_number and table.select(rest).group_by(rest).aggregate([]).num_rows == table.num_rows:
            needed = rest
    return needed


def _cube_of(table: pa.Table, dimensions: Sequence[str], count: str, *, is_any: bool = False) -> Cube | None:
    """Return another table's cells, over as many of the columns as it has; None where that is none.

    Where several rows stand for one, its further columns of categories say which cell each is.
    """
    having = [each for each in dimensions if each in table.column_names]
    if not (having or is_any) or count not in table.column_names:
        return None
    further = [
        each
        for each in table.column_names
        if each not in (*having, count)
        and not all(whole_number(value) is not None for value in table[each].unique().to_pylist())
        and not is_figures(table[each])
    ]
    for columns in filter(None, (having, [*having, *further])):
        try:
            return read_cube(table, columns, count)
        except AuditInputError:
            continue
    return None


def _full_cells(cube: Cube, place: int) -> FullCells:
    """Count the groups by all other columns whose people are all in one category of a column.

    Groups with a suppressed cell are passed over, and a column of one category gives nothing away.
    """
    groups: dict[Key, list[int | None]] = {}
    for key in cube.inner:
        groups.setdefault((*key[:place], *key[place + 1 :]), []).append(cube.known(key))
    shown = [
        [each for each in counts if each is not None] for counts in groups.values() if None not in counts
    ]
    filled = [counts for counts in shown if sum(counts)]
    full = [sum(counts) for counts in filled if len(counts) > 1 and max(counts) == sum(counts)]
    return FullCells(
        column=cube.dimensions[place], n_groups=len(filled), n_full=len(full), n_people=sum(full)
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """What contributors give to cells."""

    column: str
    values: FloatArray  # shape (n_contributions,): one a contributor and cell
    cell: IntArray
    n_cells: int


class Dominated(NamedTuple):
    """Shape (n_cells,) each: whether a rule finds a cell sensitive."""

    by_share: BoolArray  # the (n, k) rule: its n largest contributors have more than k of the sum
    by_p: BoolArray  # the p % rule: the second largest can tell the largest to within p %


def dominated_cells(
    values: FloatArray, cell: IntArray, *, n_cells: int, n_largest: int, share: float, p_share: float
) -> Dominated:
    """Hold the contributions to each cell against the (n, k) and the p % rule; empty cells are fine.

    `values` and `cell` have shape (n_contributions,): what each contributor gives, at least 0, and to which
    of the `n_cells`. n is `n_largest`, k is `share`, p is `p_share`: a cell is sensitive when all but the two
    largest contributions sum up to less than p of the largest.

    References
    ----------
    Hundepool et al., Statistical Disclosure Control, Wiley, 2012, chapter 4.
    """
    order = np.lexsort((-values, cell))
    of_cell, sorted_values = cell[order], values[order]
    n_of_cell = np.bincount(cell, minlength=n_cells)
    first = np.cumsum(n_of_cell) - n_of_cell
    rank = np.arange(len(values)) - first[of_cell]
    total = np.bincount(of_cell, weights=sorted_values, minlength=n_cells)

    def of_largest(n: int) -> FloatArray:
        within = rank < n
        sums = np.bincount(of_cell[within], weights=sorted_values[within], minlength=n_cells)
        return sums.astype(np.float64)

    filled = total > 0
    return Dominated(
        by_share=filled & (of_largest(n_largest) > share * total),
        by_p=filled & (total - of_largest(2) < p_share * of_largest(1)),
    )


def measure_contributions(
    table: pa.Table, *, magnitude: str, contributor: str | None, dimensions: Sequence[str]
) -> Contributions:
    """Sum up what each contributor gives to each cell; a row of the table of texts is a contribution.

    `magnitude` is the column of amounts, `dimensions` are those of categories; without `contributor` each row
    is of another one. Missing is null. AuditInputError: an amount is no number, or below 0.
    """
    values = as_numbers(table[magnitude].drop_null())
    if values is None or len(values) < table.num_rows or (values < 0).any():
        raise input_error("{column} must hold a number of at least 0 in each row.", column=f"`{magnitude}`")
    cell = combination_codes([value_codes(table[name]) for name in dimensions], n_records=table.num_rows)
    who = np.arange(table.num_rows) if contributor is None else value_codes(table[contributor])
    pair = combination_codes([cell, who], n_records=table.num_rows)
    n_pairs = int(pair.max(initial=-1)) + 1
    cell_of_pair = np.zeros(n_pairs, dtype=np.int64)
    cell_of_pair[pair] = cell
    return Contributions(
        column=magnitude,
        values=np.bincount(pair, weights=values, minlength=n_pairs).astype(np.float64),
        cell=cell_of_pair,
        n_cells=int(cell.max(initial=-1)) + 1,
    )
