"""Totals and means of groups beside their members' values: what is left is the value that was taken out.

A table of groups, such as departments or plates, holds a total, or a mean and a number of members, counted
before a cell was emptied or a person withdrew. The total minus the released values is then the missing one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.chance import NO_ACCIDENT
from core.coding import BoolArray, CodedColumn, CodedTable, FloatArray, IntArray
from core.delivery.keys import Link, Place
from core.delivery.lookups import rows_named
from core.values.cells import as_numbers

_FEWEST_GROUPS, _FEWEST_WHOLE = 3, 3  # groups; those without a missing value that show what a total is
_LARGEST = 5.0  # times the largest released value that a missing one may be
_MOST_COLUMNS = 30


@dataclass(frozen=True, kw_only=True)
class Residual:
    """A column of totals, or means, that gives missing values of another column."""

    total: Place
    values: Place
    n_groups: int  # with a total
    n_told: int  # groups of one missing value, which is told


class _Groups(NamedTuple):
    """What is released of a column's values, by group: shape (n_groups,) each."""

    n_records: IntArray
    n_filled: IntArray
    sums: FloatArray
    largest: float  # of all values, without sign


def residuals(tables: Mapping[str, CodedTable], links: Sequence[Link]) -> tuple[Residual, ...]:
    """Return the totals of a table of groups that tell values missing in a table that refers to it."""
    found: dict[Place, Residual] = {}
    for link in links:
        for there, here, is_unique in (
            (link.one, link.other, link.one_is_unique),
            (link.other, link.one, link.other_is_unique),
        ):
            if is_unique and tables[here.table].table.num_rows > tables[there.table].table.num_rows:
                for each in _of_link(tables, here, there, is_folded=link.is_folded):
                    if each.total not in found or found[each.total].n_told < each.n_told:
                        found[each.total] = each
    return tuple(found.values())


def _of_link(
    tables: Mapping[str, CodedTable], here: Place, there: Place, *, is_folded: bool
) -> Iterator[Residual]:
    groups = tables[there.table]
    rows = rows_named(tables, here, there, is_folded=is_folded)
    row = rows.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    numbers = {
        column: each
        for column in groups.table.column_names[:_MOST_COLUMNS]
        if column != there.column and (each := _numbers(groups[column])) is not None
    }
    counts = {column: each for column, each in numbers.items() if _are_counts(each)}
    for column in tables[here.table].table.column_names[:_MOST_COLUMNS] if numbers else ():
        values = _numbers(tables[here.table][column])
        if column == here.column or values is None or len(np.unique(values[~np.isnan(values)])) < 3:
            continue
        released = _grouped(row, values, groups.table.num_rows)
        for total, given in numbers.items():
            unit = _unit(groups[total])
            told = [
                _n_told(released, given * times, unit * times / 2, members)
                for times, members in _readings(released, [counts[each] for each in counts if each != total])
            ]
            if n := max(told, default=0):
                known = int(np.count_nonzero(~np.isnan(given) & (released.n_records > 0)))
                yield Residual(
                    total=Place(there.table, total),
                    values=Place(here.table, column),
                    n_groups=known,
                    n_told=n,
                )


def _numbers(column: CodedColumn) -> FloatArray | None:
    """Return shape (n_records,): cells as numbers, NaN where missing; None of a column that holds others."""
    cells = column.trimmed
    numbers = as_numbers(cells.values) if cells.n_distinct else None
    return None if numbers is None else np.append(numbers, np.nan)[cells.codes]


def _are_counts(numbers: FloatArray) -> bool:
    known = numbers[~np.isnan(numbers)]
    return bool((known >= 1).all() and (known % 1 == 0).all() and (known < 1e6).all())


def _unit(column: CodedColumn) -> float:
    """Return the smallest unit that numbers are written in."""
    written = column.trimmed.values.slice(0, 200).to_pylist()
    decimals = [
        len(each) - 1 - max(each.rfind("."), each.rfind(","))
        for each in written
        if "." in each or "," in each
    ]
    return float(10.0 ** -max(decimals, default=0))


def _grouped(row: IntArray, values: FloatArray, n_groups: int) -> _Groups:
    named = row >= 0
    filled = named & ~np.isnan(values)
    return _Groups(
        n_records=np.bincount(row[named], minlength=n_groups),
        n_filled=np.bincount(row[filled], minlength=n_groups),
        sums=np.asarray(np.bincount(row[filled], values[filled], n_groups), dtype=np.float64),
        largest=float(np.abs(values[filled]).max(initial=0)),
    )


def _readings(released: _Groups, counts: Sequence[FloatArray]) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield by what a column is multiplied to be a total, and how many members it is of."""
    records = released.n_records.astype(np.float64)
    for members in (records, *counts):
        yield np.ones(len(records)), members
        yield members, members


def _n_told(released: _Groups, total: FloatArray, unit: FloatArray, members: FloatArray) -> int:
    """Return of how many groups one value is missing that their total tells; 0 where it is no such total.

    Where three groups are whole, these have to give their total to the unit that it is written in; else what
    is left must lie within five times the largest value in so many groups that it is no accident.
    """
    known = ~np.isnan(total) & ~np.isnan(members) & (released.n_records > 0)
    missing, left = members - released.n_filled, total - released.sums
    if known.sum() < _FEWEST_GROUPS or (missing[known] < 0).any() or not (missing[known] == 1).any():
        return 0
    tolerance = np.maximum(unit, 1e-9 * np.abs(total)) * 1.01
    whole = known & (missing == 0) & (released.sums != 0)
    if (np.abs(left[whole]) > tolerance[whole]).any():
        return 0
    if whole.sum() < _FEWEST_WHOLE and not _are_values(released, total, left, known & (missing > 0), missing):
        return 0
    one = known & (missing == 1)
    told = int(np.count_nonzero(one & (np.abs(left) > tolerance)))
    return (
        told if 2 * told > np.count_nonzero(one) else 0
    )  # what is counted after it was emptied leaves nothing


def _are_values(
    released: _Groups, total: FloatArray, left: FloatArray, those: BoolArray, missing: FloatArray
) -> bool:
    """Return whether what is left may be missing values, and hardly were, of totals of something else."""
    most = _LARGEST * released.largest * missing[those]
    fits = (left[those] >= 0) & (left[those] <= most)
    by_chance = np.minimum(most / np.maximum(np.abs(total[those]), 1e-9), 1.0)
    return bool(fits.all() and np.log(np.maximum(by_chance, 1e-12)).sum() < np.log(NO_ACCIDENT))
