"""Which columns a model's prediction depends on, as far as the model shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
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

from core.diversity.features import Float32Array, FloatArray
from core.equivalence import IntArray

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
        trees: Sequence[Tree],
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

    def _columns_above(self, tree: Tree) -> npt.NDArray[np.uint8]:
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
    if type(estimator) in _TREES:
        trees = [estimator.tree_]  # type: ignore[attr-defined]
    elif type(estimator) in _FORESTS:
        trees = [each.tree_ for each in estimator.estimators_]  # type: ignore[attr-defined]
    else:
        return None
    return TreeDependence(trees, points, column_of=column_of, n_columns=n_columns)
