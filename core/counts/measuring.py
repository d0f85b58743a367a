"""Everything about a table of counts that can be measured of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.cells import as_numbers
from core.coding import FloatArray, IntArray, combination_codes, value_codes
from core.counts.bounds import Bounded, bounds_of
from core.counts.cube import Cube, Key, read_cube
from core.counts.differences import Difference, differences_between, differences_in
from core.words import input_error


@dataclass(frozen=True, kw_only=True)
class FullCells:
    """Groups all of whose people are in one category of a column."""

    column: str
    n_groups: int  # groups with anybody, by all other columns
    n_full: int
    n_people: int  # in them


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """What contributors give to cells."""

    column: str
    values: FloatArray  # shape (n_contributions,): one a contributor and cell
    cell: IntArray
    n_cells: int


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
        The columns of counts and of categories.
    sensitive
        Dimensions whose category nobody shall learn of a person.
    others
        Names and tables of the same columns that are published too.

    Raises
    ------
    AuditInputError
        See :func:`core.counts.cube.read_cube`.
    """
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


def measure_contributions(
    table: pa.Table, *, magnitude: str, contributor: str | None, dimensions: Sequence[str]
) -> Contributions:
    """Sum up what each contributor gives to each cell; a row is a contribution.

    Parameters
    ----------
    table
        Columns of text; missing is null.
    magnitude
        The column of amounts, none below 0.
    contributor
        Who contributes; each row is another one where it is None.
    dimensions
        Columns of categories.

    Raises
    ------
    AuditInputError
        An amount is no number, or below 0.
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
