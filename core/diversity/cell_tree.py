"""The tree whose nodes are the cells of minimization."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sklearn.tree._tree import Tree

from core.coding import IntArray
from core.diversity.features import Float32Array, FloatArray
from core.diversity.growing import grow_tree
from core.diversity.settings import MajorityRule

MINIMIZATION_TREE_SEED = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class CellTree:
    """The tree whose nodes are the minimization's cells, in arrays."""

    left: IntArray  # shape (n_nodes,): children, -1 for a leaf
    right: IntArray
    parent: IntArray  # shape (n_nodes,): the node above (-1 for the root) and the distance from the root
    depth: IntArray
    # shape (n_nodes,): encoded column and cut point of inner nodes; values up to the cut go left
    split_column: IntArray
    threshold: FloatArray
    labels: FloatArray  # shape (n_nodes,): the prediction that is the node's majority; NaN for regression
    fitted: Tree = field(repr=False)  # scikit-learn's own tree

    def leaf_of(self, points: Float32Array) -> IntArray:
        """Return shape (n_records,): the leaf of each record, its encoded features given."""
        return np.asarray(self.fitted.apply(points), dtype=np.int64)

    @property
    def n_levels(self) -> int:
        """Return how many levels up the tree goes: the depth of its deepest leaf."""
        return int(self.depth.max())


def fit_cell_tree(
    points: Float32Array, predictions: FloatArray, *, n_classes: int | None, majority: MajorityRule
) -> CellTree:
    """Learn the predictions from the encoded features to minimize, down to single records."""
    tree = grow_tree(points, predictions, n_classes=n_classes, seed=MINIMIZATION_TREE_SEED)
    left, right = tree.children_left, tree.children_right
    parent, depth = _parents_and_depths(left, right)
    labels = np.full(len(left), np.nan)
    if n_classes is not None:
        labels = np.argmax(_label_weights(tree, depth, majority), axis=1).astype(np.float64)
    return CellTree(
        left=left,
        right=right,
        parent=parent,
        depth=depth,
        split_column=tree.feature,
        threshold=tree.threshold,
        labels=labels,
        fitted=tree,
    )


def _parents_and_depths(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Return each node's parent and depth; scikit-learn numbers parents before children."""
    inner = np.flatnonzero(left >= 0)
    parent = np.full(len(left), -1, dtype=np.int64)
    parent[left[inner]] = inner
    parent[right[inner]] = inner
    depth = np.zeros(len(left), dtype=np.int64)
    nodes = np.array([0])
    while len(nodes := nodes[left[nodes] >= 0]):
        below = np.concatenate([left[nodes], right[nodes]])
        depth[below] = depth[nodes[0]] + 1
        nodes = below
    return parent, depth


def _label_weights(tree: Tree, depth: IntArray, majority: MajorityRule) -> FloatArray:
    """Return shape (n_nodes, n_classes): what each class weighs in each node."""
    shares: FloatArray = tree.value[:, 0, :].copy()
    if majority == "records":
        return shares * tree.n_node_samples[:, None]
    left, right = tree.children_left, tree.children_right
    for level in range(int(depth.max()) - 1, -1, -1):
        inner = np.flatnonzero((depth == level) & (left >= 0))
        shares[inner] = shares[left[inner]] + shares[right[inner]]
    return shares


def raised(nodes: IntArray, tree: CellTree, level: int) -> IntArray:
    """Return the cells one level further up: those below the level's depth move to their parent."""
    return np.where(tree.depth[nodes] > tree.n_levels - level, tree.parent[nodes], nodes)
