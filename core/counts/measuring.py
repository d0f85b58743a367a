"""Everything about a table of counts that can be measured of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from core.counts.bounds import Bounded, bounds_of
from core.counts.cube import Cube, Key, read_cube
from core.counts.differences import Difference, differences_between, differences_in
from core.counts.figures import Figures, is_figures, measure_figures


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
        Names and tables of the same columns that are published too.

    Raises
    ------
    AuditInputError
        See :func:`core.counts.cube.read_cube`.
    """
    figures = [each for each in dimensions if is_figures(table[each])]
    dimensions = [each for each in dimensions if each not in figures]
    cube = read_cube(table, dimensions, count)
    cubes = [
        (other, read_cube(each, dimensions, count))
        for other, each in others
        if {*dimensions, count} <= {*each.column_names}
    ]
    return CountsMeasurement(
        name=name,
        count=count,
        cube=cube,
        bounded=bounds_of(cube),
        full=tuple(_full_cells(cube, place) for place in range(len(dimensions))) if cube.has_inner else (),
        differences=(*differences_in(cube), *differences_between(cube, cubes)),
        sensitive=tuple(sensitive),
        figures=tuple(measure_figures(table, cube, each) for each in figures),
    )


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
