"""Data minimization: how coarse the quasi-identifiers may become before the model disagrees with itself.

The method of Goldsteen et al.: a small tree learns the model's predictions from the features to be
minimized; its leaves, or a higher level of it, are cells, and every record is given the values of
its cell's representative.
"""

from __future__ import annotations

import numpy as np

from core.coding import IntArray
from core.diversity.cell_tree import CellTree, fit_cell_tree, raised
from core.diversity.cells import BoolArray, first_smallest, starts_of
from core.diversity.features import FloatArray
from core.diversity.giving_back import give_back_features
from core.diversity.minimized import Minimization, MinimizationProblem
from core.diversity.stopping import ShouldStop, never


def minimize(
    problem: MinimizationProblem,
    values: FloatArray,
    predictions: FloatArray,
    *,
    fit: IntArray,
    held_out: IntArray,
    should_stop: ShouldStop = never,
) -> Minimization:
    """Generalize as far as the model still agrees with itself on the target share of the hold-out.

    References
    ----------
    Goldsteen et al., Data minimization for GDPR compliance in machine learning models,
    AI and Ethics 2, 2022.
    """
    encoded = problem.space.encode(values, problem.columns)
    points = encoded.astype(np.float32)
    tree = fit_cell_tree(
        points[fit], predictions[fit], n_classes=problem.n_classes, majority=problem.majority
    )
    climb = _Climb(
        problem,
        tree,
        values,
        encoded=encoded,
        leaves=tree.leaf_of(points),
        predictions=predictions,
        fit=fit,
        held_out=held_out,
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
        return give_back_features(
            minimization, values[held_out], predictions[held_out], should_stop=should_stop
        )
    return minimization


class _Climb:
    """Going up the tree one level at a time, looking again only at what a level changes."""

    def __init__(
        self,
        problem: MinimizationProblem,
        tree: CellTree,
        values: FloatArray,
        *,
        encoded: FloatArray,
        leaves: IntArray,
        predictions: FloatArray,
        fit: IntArray,
        held_out: IntArray,
    ) -> None:
        self._problem, self._tree, self._values, self._encoded = problem, tree, values, encoded
        self._fit, self._fit_predictions = fit, predictions[fit]
        self._held_out, self._truth = held_out, predictions[held_out]
        self._fit_nodes, self._held_out_nodes = leaves[fit], leaves[held_out]
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
        fit_nodes = raised(self._fit_nodes, self._tree, self.level)
        held_out_nodes = raised(self._held_out_nodes, self._tree, self.level)
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
    """Return shape (n_cells,): the record whose row is nearest its cell's medians, first on ties."""
    sizes = np.concatenate([starts[1:], [len(rows)]]) - starts
    cells = np.repeat(np.arange(len(starts)), sizes)
    middle, upper_middle = starts + (sizes - 1) // 2, starts + sizes // 2
    n_columns = rows.shape[1]
    order = np.lexsort((rows.T, np.repeat(cells[np.newaxis], n_columns, axis=0)))
    ordered = rows[order, np.arange(n_columns)[:, np.newaxis]]
    medians = ((ordered[:, middle] + ordered[:, upper_middle]) / 2).T
    distance = np.sqrt(((rows - medians[cells]) ** 2).sum(axis=1))
    return first_smallest(distance, cells, starts, records)
