"""Sums over contributors: cells that one or a few of them dominate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.cells import as_numbers
from core.coding import BoolArray, FloatArray, IntArray, combination_codes, value_codes
from core.words import input_error


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
