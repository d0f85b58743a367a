"""What a minimization releases of each feature: cut points, and the normalized certainty penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.coding import IntArray
from core.diversity.cell_tree import CellTree
from core.diversity.features import FloatArray
from core.diversity.minimized import Minimization


@dataclass(frozen=True, kw_only=True, eq=False)
class CellUse:
    """Which cells some records are in, and their domain: what a penalty is counted from."""

    n_of_node: IntArray  # shape (n_nodes,): records in each cell
    lowest: FloatArray  # shape (n_encoded,): the domain of each encoded feature
    highest: FloatArray


def cell_use(minimization: Minimization, values: FloatArray, nodes: IntArray | None = None) -> CellUse:
    """Return how the records fall into the cells, `nodes` if known already; at least one record."""
    problem = minimization.problem
    encoded = problem.space.encode(values, problem.columns)
    nodes = minimization.cell_of(values) if nodes is None else nodes
    return CellUse(
        n_of_node=np.bincount(nodes, minlength=len(minimization.tree.left)),
        lowest=encoded.min(axis=0),
        highest=encoded.max(axis=0),
    )


def unit_ncp(minimization: Minimization, use: CellUse) -> FloatArray:
    """Return shape (n_units,): mean over the records of how much of each feature's domain is released.

    A number costs the width of its cell within the domain / the domain's width; a category the
    categories its cell allows / all, 0 for a single one. A feature left as it is costs 0.
    """
    problem = minimization.problem
    lower, upper = cell_boxes(minimization.tree, use.lowest, use.highest)
    found, place = np.zeros(len(problem.units)), 0
    for number, unit in enumerate(problem.units):
        width = sum(problem.space.columns[column].width for column in unit.columns)
        inside = slice(place, place + width)
        place += width
        if minimization.generalized[number]:
            penalty = _box_penalty(lower[:, inside], upper[:, inside], is_number=unit.codes is None)
            found[number] = penalty @ use.n_of_node / use.n_of_node.sum()
    return found


def cell_boxes(tree: CellTree, lowest: FloatArray, highest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two arrays of shape (n_nodes, n_encoded): the smallest and largest value in each node."""
    lower, upper = np.tile(lowest, (len(tree.left), 1)), np.tile(highest, (len(tree.left), 1))
    for depth in range(tree.n_levels):
        inner = np.flatnonzero((tree.depth == depth) & (tree.left >= 0))
        left, right, column = tree.left[inner], tree.right[inner], tree.split_column[inner]
        cut = np.clip(tree.threshold[inner], lower[inner, column], upper[inner, column])
        for child in (left, right):
            lower[child], upper[child] = lower[inner], upper[inner]
        upper[left, column] = cut
        lower[right, column] = cut
    return lower, upper


def _box_penalty(lower: FloatArray, upper: FloatArray, *, is_number: bool) -> FloatArray:
    """Return shape (n_nodes,): the share of the domain that each node leaves open."""
    if is_number:
        domain = float(upper[0, 0] - lower[0, 0])
        return (upper - lower)[:, 0] / domain if domain > 0 else np.zeros(len(lower))
    named = (lower > 0).any(axis=1)  # a cut above 0 in a 0/1 column says which category it is
    possible = (upper == 1).sum(axis=1)
    n_possible = np.where(named, 1, possible)
    n_categories = max(int((upper[0] > 0).sum()), 1)
    return np.where(n_possible > 1, n_possible / n_categories, 0.0)


def cut_points(minimization: Minimization) -> dict[tuple[int, int | None], tuple[float, ...]]:
    """Return the cut points still in use, per encoded column that has any, ascending.

    Keys are (feature position, category position or None), see `FeatureSpace.encoded_names`.
    """
    problem, tree = minimization.problem, minimization.tree
    in_use = (tree.left >= 0) & (tree.depth < tree.n_levels - minimization.level)
    names: Sequence[tuple[int, int | None]] = problem.space.encoded_names(problem.columns)
    return {
        names[column]: tuple(np.unique(tree.threshold[in_use & (tree.split_column == column)]).tolist())
        for column in np.unique(tree.split_column[in_use]).tolist()
    }
