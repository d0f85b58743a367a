"""Cells of records that one tree puts together, grown so that each holds k records and l values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from core.attribute_disclosure import distinct_l, entropy_l, recursive_c
from core.classes import EquivalenceClasses, items_of_classes
from core.coding import BoolArray, FloatArray, IntArray
from core.diversity.features import FeatureSpace, Float32Array, row_codes
from core.diversity.settings import DiversitySettings, MajorityRule
from core.processes.bounded_process import called_apart

_SHORT = 50_000_000  # numbers of the target × columns, up to which a tree takes a second or so


def grow_tree(
    points: Float32Array, target: FloatArray, *, n_classes: int | None, seed: int, min_samples_leaf: int = 1
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return scikit-learn's tree of classes, or of one or more numbers, fitted with its defaults."""
    kind = DecisionTreeRegressor if n_classes is None else DecisionTreeClassifier
    return kind(random_state=seed, min_samples_leaf=min_samples_leaf).fit(points, target, check_input=False)


_MINIMIZATION_TREE_SEED = 0


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
    fitted: Any = field(repr=False)  # the ``tree_`` of scikit-learn's estimator

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
    fitted = grow_tree(points, predictions, n_classes=n_classes, seed=_MINIMIZATION_TREE_SEED)
    tree = fitted.tree_
    left, right = tree.children_left, tree.children_right
    parent, depth = _parents_and_depths(left, right)
    labels = np.full(len(left), np.nan)
    if n_classes is not None:
        labels = fitted.classes_[np.argmax(_label_weights(tree, depth, majority), axis=1)]
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


def _label_weights(tree: Any, depth: IntArray, majority: MajorityRule) -> FloatArray:
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


_CELL_TREE_SEED = 10
_TOLERANCE = 1e-9  # exp(log 3) is 3.0000000000000004 or 2.9999999999999996


@dataclass(frozen=True, kw_only=True, eq=False)
class QuasiIdentifierUnit:
    """What gets one representative: a quasi-identifier, or a one-hot group of several columns."""

    columns: tuple[int, ...]  # positions of the feature columns
    codes: IntArray | None = None  # shape (n_records,): a code per distinct value or row; None for numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """A partition of the records, and who represents each cell."""

    k: int  # every cell has at least this many records
    classes: EquivalenceClasses  # the cells as equivalence classes
    # shape (n_cells, n_units): the record each quasi-identifier's representative is taken from
    representatives: IntArray

    @property
    def cell_of_record(self) -> IntArray:
        """Return shape (n_records,): the cell of each record."""
        return self.classes.class_of_record


@dataclass(frozen=True, kw_only=True, eq=False)
class CellInputs:
    """What making cells for every k shares: computed once."""

    encoded: Float32Array  # shape (n_records, n_tree_columns): what the tree splits on
    target: FloatArray  # what the splits are to separate
    n_classes: int | None  # classes of the target; None where it is one or more numbers


def quasi_identifier_units(
    space: FeatureSpace, values: FloatArray, settings: DiversitySettings
) -> tuple[QuasiIdentifierUnit, ...]:
    """Return the units in the order of the quasi-identifiers, a group at its first member's place."""
    group_of = {name: group for group in settings.one_hot_groups for name in group}
    units: list[QuasiIdentifierUnit] = []
    done: set[str] = set()
    for name in settings.quasi_identifiers:
        if name in done:
            continue
        members = group_of.get(name, (name,))
        done.update(members)
        columns = tuple(space.position(member) for member in members)
        numeric = len(members) == 1 and space.columns[columns[0]].categories is None
        codes = None if numeric else row_codes(values, columns)
        units.append(QuasiIdentifierUnit(columns=columns, codes=codes))
    return tuple(units)


def cell_inputs(
    space: FeatureSpace, values: FloatArray, labels: FloatArray, settings: DiversitySettings
) -> CellInputs:
    """Return what the tree that makes the cells is fitted on.

    With proper cells the target is the quasi-identifiers themselves, each number scaled to its
    range: the tree makes cells whose members are alike, and knows nothing else about them.
    """
    positions = [space.position(name) for name in settings.quasi_identifiers]
    encoded = space.encode(values, None if settings.cells == "all_features" else positions)
    proper = settings.cells == "proper"
    return CellInputs(
        encoded=np.ascontiguousarray(encoded, dtype=np.float32),
        target=_turned(_scaled(encoded)) if proper else labels,
        n_classes=None if proper or settings.task == "regression" else int(labels.max()) + 1,
    )


def fit_leaves(inputs: CellInputs, k: int) -> IntArray:
    """Return shape (n_records,): the leaf of each record in a tree whose leaves hold at least k.

    What may take longer than a second is done in a process, which ends when nobody wants it any more.
    """
    is_short = inputs.target.size * inputs.encoded.shape[1] <= _SHORT
    points, wanted = (pa.table({"cells": each.ravel()}) for each in (inputs.encoded, inputs.target))
    size = len(inputs.encoded), inputs.n_classes, k
    return leaves_of(points, wanted, *size) if is_short else called_apart(leaves_of, points, wanted, *size)


def leaves_of(encoded: pa.Table, target: pa.Table, n_records: int, n_classes: int | None, k: int) -> IntArray:
    """Return the leaves; `encoded` and `target` hold the cells of each record after the other's."""
    points, wanted = (each["cells"].to_numpy().reshape(n_records, -1) for each in (encoded, target))
    tree = grow_tree(points, wanted, n_classes=n_classes, seed=_CELL_TREE_SEED, min_samples_leaf=k)
    return np.asarray(tree.tree_.apply(points), dtype=np.int64)


def make_cells(
    leaves: IntArray, values: FloatArray, units: Sequence[QuasiIdentifierUnit], *, k: int
) -> Cells:
    """Return the cells of a partition and the representatives of each."""
    n_of_node = np.bincount(leaves)
    cell_of_record = (np.cumsum(n_of_node > 0) - 1)[leaves]
    sizes = n_of_node[n_of_node > 0]
    grouped = np.argsort(cell_of_record, kind="stable")
    representatives = [
        nearest_to_median(values[:, unit.columns[0]], cell_of_record, grouped, sizes)
        if unit.codes is None
        else most_frequent(unit.codes, cell_of_record)
        for unit in units
    ]
    return Cells(
        k=k,
        classes=EquivalenceClasses(quasi_identifiers=(), class_of_record=cell_of_record, class_sizes=sizes),
        representatives=np.column_stack(representatives),
    )


def nearest_to_median(
    values: FloatArray, cell_of_record: IntArray, grouped: IntArray, sizes: IntArray
) -> IntArray:
    """Return shape (n_cells,): the record whose known number is nearest its cell's median, first on ties."""
    starts = np.cumsum(sizes) - sizes
    in_order = values[np.lexsort((values, cell_of_record))]  # NaN sorts to the end of its cell
    of_cell, cells = values[grouped], cell_of_record[grouped]
    is_missing = np.isnan(of_cell)
    has_missing = bool(is_missing.any())
    n_known = np.add.reduceat((~is_missing).astype(np.int64), starts) if has_missing else sizes
    last = np.maximum(n_known - 1, 0)
    median = (in_order[starts + last // 2] + in_order[starts + np.minimum(n_known // 2, last)]) / 2
    distance = np.abs(of_cell - median[cells])
    if has_missing:
        distance[np.isnan(distance)] = np.inf
    return first_smallest(distance, cells, starts, grouped)


def first_smallest(distance: FloatArray, cells: IntArray, starts: IntArray, records: IntArray) -> IntArray:
    """Return shape (n_cells,): per cell the first record of the smallest distance; all sorted by cell."""
    least = np.minimum.reduceat(distance, starts)
    hits = (distance == least[cells]).nonzero()[0]
    return records[hits[starts_of(cells[hits])]]


def starts_of(groups: IntArray) -> IntArray:
    """Return shape (n_groups,): where each group of a sorted array begins."""
    begins = np.ones(len(groups), dtype=np.bool_)
    np.not_equal(groups[1:], groups[:-1], out=begins[1:])
    return begins.nonzero()[0]


def most_frequent(codes: IntArray, cell_of_record: IntArray) -> IntArray:
    """Return shape (n_cells,): the first record with its cell's most frequent code, the first of several."""
    n_codes = int(codes.max()) + 1
    pairs, first, n_of_pair = np.unique(
        cell_of_record * n_codes + codes, return_index=True, return_counts=True
    )
    cells = pairs // n_codes
    order = np.lexsort((first, -n_of_pair, cells))
    return first[order][starts_of(cells[order])]


def released_values(cells: Cells, values: FloatArray, units: Sequence[QuasiIdentifierUnit]) -> FloatArray:
    """Return shape (n_records, n_columns): each quasi-identifier replaced by its representative."""
    released = values.copy()
    source = cells.representatives[cells.cell_of_record]
    for number, unit in enumerate(units):
        columns = list(unit.columns)
        released[:, columns] = values[source[:, number, np.newaxis], columns]
    return released


class CellDiversity:
    """How diverse the sensitive values of each cell are, asked for one l after the other."""

    def __init__(
        self, classes: EquivalenceClasses, sensitive_codes: Sequence[IntArray], settings: DiversitySettings
    ) -> None:
        self._settings = settings
        self._counts = [items_of_classes(classes, codes) for codes in sensitive_codes]

    @cached_property
    def _levels(self) -> FloatArray:
        """Return shape (n_cells,): the largest l that holds, the least over the attributes."""
        measure = entropy_l if self._settings.diversity == "entropy" else distinct_l
        return np.min([measure(counts).astype(np.float64) for counts in self._counts], axis=0)

    def holds(self, l: int) -> BoolArray:  # noqa: E741 - the model's own letter
        """Return shape (n_cells,): whether the cell is diverse enough for `l` in every attribute."""
        if self._settings.diversity == "recursive":
            bounds = [recursive_c(counts, l=l) for counts in self._counts]
            return np.asarray(np.max(bounds, axis=0) < self._settings.recursive_c)
        return self._levels >= l - _TOLERANCE


def _scaled(encoded: FloatArray) -> FloatArray:
    """Return every column divided by its range; constant columns become 0."""
    width = np.ptp(encoded, axis=0)
    return np.divide(encoded - encoded.min(axis=0), width, out=np.zeros_like(encoded), where=width > 0)


def _turned(points: FloatArray) -> FloatArray:
    """Return points with the same distances, on which a tree's effort depends, in few dimensions."""
    n_records, n_columns = points.shape
    if n_columns <= n_records:
        return points
    triangle = np.linalg.qr(points.T).R
    return np.ascontiguousarray(triangle.T)
