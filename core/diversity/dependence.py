"""Which columns a model's prediction depends on, as far as the model shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.tree._tree import Tree

from core.coding import IntArray
from core.diversity.features import Float32Array, FloatArray

BoolArray = npt.NDArray[np.bool_]
LARGEST_TABLE_BYTES = 200_000_000
_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)
_FORESTS = (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor)


class Dependence(Protocol):
    """What is known about the columns behind a model's predictions."""

    @property
    def used(self) -> BoolArray:
        """Return shape (n_columns,): False where no prediction of any record depends on the column."""

    def of_records(self, values: FloatArray) -> BoolArray:
        """Return shape (n_records, n_columns) or (1, n_columns), for feature values as held.

        False where the prediction stays the same whatever that one column is changed to.
        """


class NodesOfTree(Protocol):
    """A tree as far as it is asked here; scikit-learn's own is one."""

    @property
    def children_left(self) -> IntArray:
        """Return shape (n_nodes,): the node below to the left, -1 for a leaf."""

    @property
    def children_right(self) -> IntArray:
        """Return shape (n_nodes,): the node below to the right."""

    @property
    def feature(self) -> IntArray:
        """Return shape (n_nodes,): the feature a node asks about."""

    @property
    def node_count(self) -> int:
        """Return the number of nodes."""

    def apply(self, points: Float32Array) -> IntArray:
        """Return shape (n_records,): the leaf that each record falls in."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FlatTree:
    """A tree of numbers alone."""

    children_left: IntArray  # shape (n_nodes,): the nodes below, which come later; -1 for a leaf
    children_right: IntArray
    feature: IntArray  # shape (n_nodes,): what a node asks; left where the feature is at most the threshold
    threshold: FloatArray
    missing_go_left: BoolArray  # shape (n_nodes,): where records without the feature go

    @classmethod
    def all_of(cls, nodes: pa.Table) -> tuple[FlatTree, ...]:
        """Return the trees of a table of nodes."""
        columns = {name: nodes[name].to_numpy() for name in nodes.column_names}
        ends = np.flatnonzero(np.diff(columns["tree"], append=-1)) + 1
        return tuple(
            cls(
                children_left=columns["left"][begins:end],
                children_right=columns["right"][begins:end],
                feature=columns["feature"][begins:end],
                threshold=columns["threshold"][begins:end],
                missing_go_left=columns["missing_go_left"][begins:end],
            )
            for begins, end in pairwise([0, *ends.tolist()])
        )

    @property
    def node_count(self) -> int:
        """Return the number of nodes."""
        return len(self.children_left)

    def apply(self, points: Float32Array) -> IntArray:
        """Return shape (n_records,): the leaf that each record falls in."""
        nodes = np.zeros(len(points), dtype=np.int64)
        while (inner := np.flatnonzero(self.children_left[nodes] >= 0)).size:
            at = nodes[inner]
            cells = points[inner, self.feature[at]]
            left = np.where(np.isnan(cells), self.missing_go_left[at], cells <= self.threshold[at])
            nodes[inner] = np.where(left, self.children_left[at], self.children_right[at])
        return nodes


class TreeDependence:
    """For one tree or several: the columns on each record's ways from root to leaf.

    Parameters
    ----------
    trees
        Node by node parents come before children.
    points
        From feature values as held to what the trees see.
    column_of
        Shape (n_encoded,): the feature column behind each column that the trees see.
    n_columns
        Feature columns.
    """

    def __init__(
        self,
        trees: Sequence[NodesOfTree],
        points: Callable[[FloatArray], Float32Array],
        *,
        column_of: IntArray,
        n_columns: int,
    ) -> None:
        self._trees, self._points = trees, points
        self._column_of, self._n_columns = column_of, n_columns

    @cached_property
    def used(self) -> BoolArray:
        """Return shape (n_columns,): False where no tree splits on the column."""
        used = np.zeros(self._n_columns, dtype=np.bool_)
        for tree in self._trees:
            used[self._column_of[tree.feature[tree.children_left >= 0]]] = True
        return used

    def of_records(self, values: FloatArray) -> BoolArray:
        """Return shape (n_records, n_columns): whether the column is on the record's way in any tree.

        Forests of which that would take too much memory give shape (1, n_columns): the columns used
        at all.
        """
        if not self._tables:
            return self.used[np.newaxis]
        points = self._points(values)
        found = np.zeros((len(points), self._tables[0].shape[1]), dtype=np.uint8)
        for tree, table in zip(self._trees, self._tables, strict=True):
            found |= table[tree.apply(points)]
        return np.unpackbits(found, axis=1, count=self._n_columns).astype(np.bool_)

    @cached_property
    def _tables(self) -> list[npt.NDArray[np.uint8]]:
        """Return per tree shape (n_nodes, n_columns / 8): the columns above each node, a bit each."""
        n_bytes = sum(tree.node_count for tree in self._trees) * (self._n_columns // 8 + 1)
        if n_bytes > LARGEST_TABLE_BYTES:
            return []
        return [self._columns_above(tree) for tree in self._trees]

    def _columns_above(self, tree: NodesOfTree) -> npt.NDArray[np.uint8]:
        bits = np.packbits(np.eye(self._n_columns, dtype=np.bool_), axis=1)
        left, right, feature = tree.children_left, tree.children_right, tree.feature
        above = np.zeros((tree.node_count, bits.shape[1]), dtype=np.uint8)
        for node in np.flatnonzero(left >= 0).tolist():
            below = above[node] | bits[self._column_of[feature[node]]]
            above[left[node]] = below
            above[right[node]] = below
        return above


def tree_dependence(
    estimator: object,
    points: Callable[[FloatArray], Float32Array],
    *,
    column_of: IntArray,
    n_columns: int,
) -> TreeDependence | None:
    """Return what is known of a fitted tree or forest; None for any other estimator."""
    trees = trees_of(estimator)
    if trees is None:
        return None
    return TreeDependence(trees, points, column_of=column_of, n_columns=n_columns)


def trees_of(estimator: object) -> list[Tree] | None:
    """Return the trees of a fitted tree or forest; None of any other estimator."""
    if type(estimator) in _TREES:
        return [estimator.tree_]  # type: ignore[attr-defined]
    if type(estimator) in _FORESTS:
        return [each.tree_ for each in estimator.estimators_]  # type: ignore[attr-defined]
    return None
