"""Everything about a table of counts that can be measured of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from core.counts.bounds import Bounded, bounds_of
from core.counts.cube import Cube, Key, read_cube, whole_number
from core.counts.differences import Difference, differences_between, differences_in
from core.counts.figures import (
    Figures,
    FiguresBetween,
    figures_between,
    is_extreme,
    is_figures,
    measure_figures,
    named_as_figures,
)
from core.errors import AuditInputError

_YEARS = range(1900, 2101)


@dataclass(frozen=True, kw_only=True)
class FullCells:
    """Groups all of whose people are in one category of a column."""

    column: str
    n_groups: int  # groups with anybody, by all other columns
    n_full: int
    n_people: int  # in them


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

    @property
    def counts(self) -> tuple[int, ...]:
        """Return the counts that are shown, totals too."""
        return tuple(each for each in self.cube.cells.values() if each is not None)


def measure_counts(
    table: pa.Table,
    *,
    count: str,
    dimensions: Sequence[str],
    sensitive: Sequence[str] = (),
    name: str = "",
    others: Sequence[tuple[str, pa.Table]] = (),
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
    differences = (*differences_in(cube), *differences_between(mine, cubes))
    further = dict(others)
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
    )


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


def _cube_of(table: pa.Table, dimensions: Sequence[str], count: str) -> Cube | None:
    """Return another table's cells, over as many of the columns as it has; None where that is none.

    Where several rows stand for one, its further columns of categories say which cell each is.
    """
    having = [each for each in dimensions if each in table.column_names]
    if not having or count not in table.column_names:
        return None
    further = [
        each
        for each in table.column_names
        if each not in (*having, count)
        and not all(whole_number(value) is not None for value in table[each].unique().to_pylist())
        and not is_figures(table[each])
    ]
    for columns in (having, [*having, *further]):
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
