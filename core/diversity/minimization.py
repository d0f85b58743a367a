"""Data minimization: how coarse the quasi-identifiers may become before the model disagrees with itself.

The method of Goldsteen et al.: a small tree learns the model's predictions from the features to be
minimized; its leaves, or a higher level of it, are cells, and every record is given the values of
its cell's representative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree

from core.diversity.cells import BoolArray, QuasiIdentifierUnit, first_smallest, starts_of
from core.diversity.features import FeatureSpace, FloatArray
from core.diversity.outcomes import Outcome
from core.diversity.seeds import seeded
from core.diversity.settings import MajorityRule
from core.equivalence import IntArray

MINIMIZATION_TREE_SEED = 0
Predict = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, kw_only=True, eq=False)
class MinimizationProblem:
    """What is to be minimized.

    Attributes
    ----------
    space, units
        How values are held, and the quasi-identifiers among them.
    predict
        The model.
    outcome
        Measures agreement; its labels are not looked at.
    majority
        How a merged cell gets its label.
    target_accuracy
        Agreement to keep.
    """

    space: FeatureSpace
    units: tuple[QuasiIdentifierUnit, ...]
    predict: Predict
    outcome: Outcome
    majority: MajorityRule
    target_accuracy: float

    @property
    def columns(self) -> list[int]:
        """Return the positions of all columns to minimize, unit after unit."""
        return [column for unit in self.units for column in unit.columns]


@dataclass(frozen=True, kw_only=True, eq=False)
class CellTree:
    """The tree whose nodes are the minimization's cells, in arrays.

    Attributes
    ----------
    left, right
        Shape (n_nodes,): children, -1 for a leaf.
    parent, depth
        Shape (n_nodes,): the node above (-1 for the root) and the distance from the root.
    split_column, threshold
        Shape (n_nodes,): encoded column and cut point of inner nodes; values up to the cut go left.
    labels
        Shape (n_nodes,): the prediction that is the node's majority; NaN for regression.
    fitted
        scikit-learn's own tree.
    """

    left: IntArray
    right: IntArray
    parent: IntArray
    depth: IntArray
    split_column: IntArray
    threshold: FloatArray
    labels: FloatArray
    fitted: Tree = field(repr=False)

    def leaf_of(self, encoded: FloatArray) -> IntArray:
        """Return shape (n_records,): the leaf of each record."""
        return np.asarray(self.fitted.apply(np.ascontiguousarray(encoded, dtype=np.float32)), dtype=np.int64)

    @property
    def n_levels(self) -> int:
        """Return how many levels up the tree goes: the depth of its deepest leaf."""
        return int(self.depth.max())


@dataclass(frozen=True, kw_only=True, eq=False)
class Minimization:
    """A minimization that can be applied to any records.

    Attributes
    ----------
    tree
        The cells.
    level
        0 for the leaves as cells, 1 for the level above, and so on.
    representatives
        Shape (n_nodes, n_columns): values of the representative of each node that is a cell.
    sources
        Shape (n_nodes,): which record of those minimized the representative is.
    generalized
        Per unit, whether it is replaced; False for a feature left as it is.
    agreement
        Agreement of the model with itself on the inner hold-out after minimization.
    leaves_agreement
        The same with the leaves as cells and all features replaced.
    """

    problem: MinimizationProblem = field(repr=False)
    tree: CellTree = field(repr=False)
    level: int
    representatives: FloatArray = field(repr=False)
    sources: IntArray = field(repr=False)
    generalized: tuple[bool, ...]
    agreement: float
    leaves_agreement: float

    def cell_of(self, values: FloatArray) -> IntArray:
        """Return shape (n_records,): the node that is each record's cell."""
        problem = self.problem
        nodes = self.tree.leaf_of(problem.space.encode(values, problem.columns))
        for level in range(1, self.level + 1):
            nodes = _raised(nodes, self.tree, level)
        return nodes

    def apply(self, values: FloatArray) -> FloatArray:
        """Return the values with each generalized feature replaced by its cell's representative."""
        return _replaced(values, self.cell_of(values), self)


def minimize(
    problem: MinimizationProblem,
    values: FloatArray,
    predictions: FloatArray,
    *,
    fit: IntArray,
    held_out: IntArray,
) -> Minimization:
    """Generalize as far as the model still agrees with itself on the target share of the hold-out.

    Parameters
    ----------
    problem
        The features to minimize and the model.
    values
        Shape (n_records, n_columns).
    predictions
        Shape (n_records,): the model's predictions for them.
    fit, held_out
        The records to learn the cells from, and those to measure agreement on.

    References
    ----------
    Goldsteen et al., Data minimization for GDPR compliance in machine learning models,
    AI and Ethics 2, 2022.
    """
    encoded = problem.space.encode(values, problem.columns)
    tree = fit_cell_tree(problem, encoded[fit], predictions[fit])
    climb = _Climb(
        problem, tree, values, encoded=encoded, predictions=predictions, fit=fit, held_out=held_out
    )
    leaves_agreement = climb.agreement
    if leaves_agreement > problem.target_accuracy:
        climb.rise()
    minimization = Minimization(
        problem=problem,
        tree=tree,
        level=climb.level,
        representatives=values[climb.representatives][:, problem.columns],
        sources=climb.representatives,
        generalized=(True,) * len(problem.units),
        agreement=climb.agreement,
        leaves_agreement=leaves_agreement,
    )
    if leaves_agreement < problem.target_accuracy:
        return _give_back_features(minimization, values[held_out], predictions[held_out])
    return minimization


def fit_cell_tree(problem: MinimizationProblem, encoded: FloatArray, predictions: FloatArray) -> CellTree:
    """Learn the predictions from the encoded features to minimize, down to single records."""
    is_class = problem.outcome.task == "classification"
    kind = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    fitted = kind(random_state=seeded(MINIMIZATION_TREE_SEED), min_samples_split=2, min_samples_leaf=1)
    fitted.fit(np.ascontiguousarray(encoded, dtype=np.float32), predictions, check_input=False)
    tree = fitted.tree_
    left, right = tree.children_left.astype(np.int64), tree.children_right.astype(np.int64)
    parent, depth = _parents_and_depths(left, right)
    labels = np.full(len(left), np.nan)
    if is_class:
        labels = fitted.classes_[np.argmax(_label_weights(tree, depth, problem.majority), axis=1)]
    return CellTree(
        left=left,
        right=right,
        parent=parent,
        depth=depth,
        split_column=tree.feature.astype(np.int64),
        threshold=tree.threshold.astype(np.float64),
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


def _label_weights(tree: object, depth: IntArray, majority: MajorityRule) -> FloatArray:
    """Return shape (n_nodes, n_classes): what each class weighs in each node."""
    shares: FloatArray = tree.value[:, 0, :].copy()  # type: ignore[attr-defined]
    if majority == "records":
        return shares * tree.n_node_samples[:, None]  # type: ignore[attr-defined]
    left, right = tree.children_left, tree.children_right  # type: ignore[attr-defined]
    for level in range(int(depth.max()) - 1, -1, -1):
        inner = np.flatnonzero((depth == level) & (left >= 0))
        shares[inner] = shares[left[inner]] + shares[right[inner]]
    return shares


def _raised(nodes: IntArray, tree: CellTree, level: int) -> IntArray:
    """Return the cells one level further up: those below the level's depth move to their parent."""
    return np.where(tree.depth[nodes] > tree.n_levels - level, tree.parent[nodes], nodes)


class _Climb:
    """Going up the tree one level at a time, looking again only at what a level changes."""

    def __init__(
        self,
        problem: MinimizationProblem,
        tree: CellTree,
        values: FloatArray,
        *,
        encoded: FloatArray,
        predictions: FloatArray,
        fit: IntArray,
        held_out: IntArray,
    ) -> None:
        self._problem, self._tree, self._values, self._encoded = problem, tree, values, encoded
        self._fit, self._fit_predictions = fit, predictions[fit]
        self._held_out, self._truth = held_out, predictions[held_out]
        nodes = tree.leaf_of(encoded)
        self._fit_nodes, self._held_out_nodes = nodes[fit], nodes[held_out]
        self.representatives = np.zeros(len(tree.left), dtype=np.int64)
        self.level = 0
        self._predicted = np.empty(len(held_out))
        self._represent(np.ones(len(fit), dtype=np.bool_))
        self._predict(np.ones(len(held_out), dtype=np.bool_))

    @property
    def agreement(self) -> float:
        return self._problem.outcome.agreement(self._predicted, self._truth)

    def rise(self) -> None:
        """Go up while the agreement stays at or above the target; end at the last level that held."""
        while self.level < self._tree.n_levels:
            before = (self._fit_nodes, self._held_out_nodes, self._predicted.copy())
            self._go_up()
            if self.agreement < self._problem.target_accuracy:
                self._fit_nodes, self._held_out_nodes, self._predicted = before
                self.level -= 1
                return

    def _go_up(self) -> None:
        self.level += 1
        fit_nodes = _raised(self._fit_nodes, self._tree, self.level)
        held_out_nodes = _raised(self._held_out_nodes, self._tree, self.level)
        merged_fit, merged = fit_nodes != self._fit_nodes, held_out_nodes != self._held_out_nodes
        self._fit_nodes, self._held_out_nodes = fit_nodes, held_out_nodes
        self._represent(merged_fit)
        self._predict(merged)

    def _represent(self, among: BoolArray) -> None:
        """Find the representatives of the cells that these fit records are in."""
        nodes = self._fit_nodes
        if self._problem.outcome.task == "classification":
            among = among & (self._fit_predictions == self._tree.labels[nodes])
        chosen = np.flatnonzero(among)
        chosen = chosen[np.argsort(nodes[chosen], kind="stable")]
        starts = starts_of(nodes[chosen])
        records = self._fit[chosen]
        self.representatives[nodes[chosen[starts]]] = nearest_to_medians(
            self._encoded[records], starts, records
        )

    def _predict(self, changed: BoolArray) -> None:
        """Predict again where the representative changed."""
        if changed.any():
            columns = self._problem.columns
            values = self._values[self._held_out[changed]]
            values[:, columns] = self._values[self.representatives[self._held_out_nodes[changed]]][:, columns]
            self._predicted[changed] = self._problem.predict(values)


def nearest_to_medians(rows: FloatArray, starts: IntArray, records: IntArray) -> IntArray:
    """Return shape (n_cells,): the record whose row is nearest its cell's medians, first on ties.

    Parameters
    ----------
    rows
        Shape (n_records, n_columns), sorted by cell.
    starts
        Shape (n_cells,): where each cell begins.
    records
        Shape (n_records,): what each row is called.
    """
    sizes = np.concatenate([starts[1:], [len(rows)]]) - starts
    cells = np.repeat(np.arange(len(starts)), sizes)
    middle, upper_middle = starts + (sizes - 1) // 2, starts + sizes // 2
    medians = np.empty((len(starts), rows.shape[1]))
    for column in range(rows.shape[1]):
        ordered = rows[np.lexsort((rows[:, column], cells)), column]
        medians[:, column] = (ordered[middle] + ordered[upper_middle]) / 2
    distance = np.sqrt(((rows - medians[cells]) ** 2).sum(axis=1))
    return first_smallest(distance, cells, starts, records)


def _replaced(values: FloatArray, nodes: IntArray, minimization: Minimization) -> FloatArray:
    """Return the values with the representative's in every generalized unit."""
    replaced = values.copy()
    source = minimization.representatives[nodes]
    units, place = minimization.problem.units, 0
    for unit, generalized in zip(units, minimization.generalized, strict=True):
        width = len(unit.columns)
        if generalized:
            replaced[:, list(unit.columns)] = source[:, place : place + width]
        place += width
    return replaced


def _give_back_features(minimization: Minimization, values: FloatArray, truth: FloatArray) -> Minimization:
    """Leave features as they are, one at a time, until the target holds or none is generalized."""
    current, use = minimization, cell_use(minimization, values)
    while current.agreement < current.problem.target_accuracy and any(current.generalized):
        options = [
            _without(current, number, values, truth)
            for number, generalized in enumerate(current.generalized)
            if generalized
        ]
        penalties = unit_ncp(current, use)
        prices = [_price(option, current, penalties) for option in options]
        current = options[prices.index(min(prices))]
    return current


def _without(current: Minimization, unit: int, values: FloatArray, truth: FloatArray) -> Minimization:
    """Return the minimization with one more unit left as it is, and the agreement that gives."""
    generalized = tuple(kept and number != unit for number, kept in enumerate(current.generalized))
    option = replace(current, generalized=generalized)
    predicted = current.problem.predict(option.apply(values))
    return replace(option, agreement=current.problem.outcome.agreement(predicted, truth))


def _price(option: Minimization, current: Minimization, penalties: FloatArray) -> tuple[int, float]:
    """Return what giving a feature back costs: NCP per gain, after all others where nothing is gained."""
    unit = next(i for i, kept in enumerate(option.generalized) if kept != current.generalized[i])
    gain = option.agreement - current.agreement
    return (0, penalties[unit] / gain) if gain > 0 else (1, penalties[unit])


@dataclass(frozen=True, kw_only=True, eq=False)
class CellUse:
    """Which cells some records are in, and their domain: what a penalty is counted from.

    Attributes
    ----------
    n_of_node
        Shape (n_nodes,): records in each cell.
    lowest, highest
        Shape (n_encoded,): the domain of each encoded feature.
    """

    n_of_node: IntArray
    lowest: FloatArray
    highest: FloatArray


def cell_use(minimization: Minimization, values: FloatArray) -> CellUse:
    """Return how the records fall into the cells; at least one record."""
    problem = minimization.problem
    encoded = problem.space.encode(values, problem.columns)
    n_nodes = len(minimization.tree.left)
    return CellUse(
        n_of_node=np.bincount(minimization.cell_of(values), minlength=n_nodes),
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
