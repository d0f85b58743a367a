"""Small decision trees, grown with scikit-learn's own parts but without its ceremony.

A grid grows hundreds of trees of a few dozen records. Fitting an estimator spends four fifths of
that time on checking arrays that were checked before, and on looking up signatures.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from sklearn.tree._criterion import MSE, Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

from core.diversity.features import Float32Array, FloatArray

_NO_LIMIT = int(np.iinfo(np.int32).max)


def grow_tree(
    points: Float32Array, target: FloatArray, *, n_classes: int | None, seed: int, min_samples_leaf: int = 1
) -> Tree:
    """Return the ``tree_`` that scikit-learn's estimator has after ``fit``, with its defaults.

    Notes
    -----
    The parts are not documented API of scikit-learn, so its minor version is fixed in the
    requirements, and a test compares with the estimators.
    """
    wanted = np.ascontiguousarray(target.reshape(len(points), -1), dtype=np.float64)
    n_outputs = wanted.shape[1]
    if n_classes is None:
        criterion, n_values = MSE(n_outputs, len(points)), np.ones(n_outputs, dtype=np.intp)
    else:
        n_values = np.full(n_outputs, n_classes, dtype=np.intp)
        criterion = Gini(n_outputs, n_values)
    n_columns = points.shape[1]
    splitter = BestSplitter(criterion, n_columns, min_samples_leaf, 0.0, _FirstDraw(seed), None)
    tree = Tree(n_columns, n_values, n_outputs)
    builder = DepthFirstTreeBuilder(
        splitter, max(2, 2 * min_samples_leaf), min_samples_leaf, 0.0, _NO_LIMIT, 0.0
    )
    builder.build(tree, points, wanted, None, None)
    return tree


class _FirstDraw:
    """Stands in for ``RandomState(seed)``, of which a tree asks a single number."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def randint(self, low: int, high: int) -> int:
        return _first_draw(self._seed, low, high)


@lru_cache(maxsize=256)
def _first_draw(seed: int, low: int, high: int) -> int:
    return int(np.random.RandomState(seed).randint(low, high))
