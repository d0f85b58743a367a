"""Sums over contributors: cells that one or a few of them dominate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.coding import BoolArray, FloatArray, IntArray


class Dominated(NamedTuple):
    """Shape (n_cells,) each: whether a rule finds a cell sensitive."""

    by_share: BoolArray  # the (n, k) rule: its n largest contributors have more than k of the sum
    by_p: BoolArray  # the p % rule: the second largest can tell the largest to within p %
    n_contributors: IntArray


def dominated_cells(
    values: FloatArray, cell: IntArray, *, n_cells: int, n_largest: int, share: float, p_share: float
) -> Dominated:
    """Hold the contributions to each cell against the (n, k) and the p % rule; empty cells are fine.

    Parameters
    ----------
    values
        Shape (n_contributions,), at least 0; one a contributor and cell.
    cell
        Shape (n_contributions,): the cell of each.
    n_cells
        How many cells there are.
    n_largest, share
        n, and k as a share.
    p_share
        p as a share: a cell is sensitive when all but the two largest contributions sum up to less than p of
        the largest.

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
        n_contributors=n_of_cell,
    )
