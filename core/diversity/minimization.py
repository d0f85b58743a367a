"""Data minimization: how coarse the quasi-identifiers may become before the model disagrees with itself.

The method of Goldsteen et al.: a small tree learns the model's predictions from the features to be
minimized; its leaves, or a higher level of it, are cells, and every record is given the values of
its cell's representative.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.coding import BoolArray, FloatArray, IntArray
from core.diversity.cells import CellTree, first_smallest, fit_cell_tree, raised, starts_of
from core.diversity.minimized import Minimization, MinimizationProblem, cell_use, unit_ncp

BATCH_CELLS = 1_000_000  # 8 MB at a time
_FIRST_BATCH = 8

ShouldStop = Callable[[], bool]


class SearchStoppedError(Exception):
    """Somebody asked to stop while an evaluation was under way; what was finished before is kept."""


def never() -> bool:
    """Say that nobody asks to stop."""
    return False


def stop_if(should_stop: ShouldStop) -> None:
    """Raise SearchStoppedError where somebody asks to stop."""
    if should_stop():
        raise SearchStoppedError


def give_back_features(
    minimization: Minimization, values: FloatArray, truth: FloatArray, *, should_stop: ShouldStop = never
) -> Minimization:
    """Leave features as they are, one at a time, until the target holds or none is generalized.

    Each time the feature with the smallest NCP / gain in agreement is left as it is, among those that
    gain; where none gains, the one with the smallest NCP; of equals the first.
    """
    penalties = unit_ncp(minimization, cell_use(minimization, values))
    state = _GivingBack(minimization, values, truth, penalties, should_stop)
    target = minimization.problem.target_accuracy
    while state.agreement < target and state.generalized.any():
        stop_if(should_stop)
        state.give_back(state.cheapest())
    return replace(
        minimization, generalized=tuple(state.generalized.tolist()), agreement=float(state.agreement)
    )


class _GivingBack:
    """The hold-out with some features generalized, and what giving back each of the others would cost.

    `_price` is NCP / gain per unit, infinite where nothing is gained. Until a unit is settled it is a
    lower bound: what the unit would cost if it lost none of the records that the model gets right.
    """

    def __init__(
        self,
        minimization: Minimization,
        originals: FloatArray,
        truth: FloatArray,
        penalties: FloatArray,
        should_stop: ShouldStop,
    ) -> None:
        self._problem = minimization.problem
        self._originals, self._truth, self._penalties = originals, truth, penalties
        self._values = minimization.apply(originals)
        self._ask = _Asking(self._problem, self._values, originals, should_stop)
        self._differs = self._ask.of_units(
            (self._values != originals) & ~(np.isnan(self._values) & np.isnan(originals))
        )
        self.generalized = np.array(minimization.generalized)
        self._measure()

    def give_back(self, unit: int) -> None:
        """Leave one more unit as it is."""
        columns = list(self._problem.units[unit].columns)
        self._values[:, columns] = self._originals[:, columns]
        self.generalized[unit] = False
        if self._differs[:, unit].any():
            self._differs[:, unit] = False
            self._measure()

    def cheapest(self) -> int:
        """Return the unit to give back next."""
        n_settled = _FIRST_BATCH
        while not self._settled[first := int(np.argmin(self._price))]:
            by_price = np.argsort(np.where(self._settled, np.inf, self._price), kind="stable")
            self._settle(by_price[:n_settled])
            n_settled *= 2
        if np.isfinite(self._price[first]):
            return first
        return int(np.argmin(np.where(self.generalized, self._penalties, np.inf)))

    def _measure(self) -> None:
        """Ask about the hold-out as it is now, and what each unit could gain."""
        problem = self._problem
        self._predicted = problem.predict(self._values)
        self.agreement = problem.outcome.agreement(self._predicted, self._truth)
        if problem.outcome.task == "classification":
            self._bound_gains()
        else:
            self._price = self._priced(self._numeric_gains())
            self._settled = np.ones(len(self._price), dtype=np.bool_)

    def _priced(self, gains: FloatArray) -> FloatArray:
        return np.divide(self._penalties, gains, out=np.full(len(gains), np.inf), where=gains > 0)

    def _bound_gains(self) -> None:
        """Count the wrong records that each unit would set right."""
        self._is_right = self._predicted == self._truth
        self._n_gained = self._n_changed(np.arange(len(self.generalized)), ~self._is_right)
        self._price = self._priced(self._gains(self._n_gained))
        self._settled = self._n_gained == 0

    def _settle(self, units: IntArray) -> None:
        """Subtract the right records that each of these units would get wrong."""
        units = units[~self._settled[units]]
        self._n_gained[units] -= self._n_changed(units, self._is_right)
        self._price[units] = self._priced(self._gains(self._n_gained))[units]
        self._settled[units] = True

    def _gains(self, n_gained: IntArray) -> FloatArray:
        n_right = int(np.count_nonzero(self._is_right))
        return np.asarray((n_right + n_gained) / len(self._truth) - self.agreement)

    def _n_changed(self, units: IntArray, among: BoolArray) -> IntArray:
        """Return shape (n_units,): of these records, those that are right now and then wrong, or reverse."""
        which, records = np.nonzero((self._differs[:, units] & among[:, np.newaxis]).T)
        is_right = self._ask.predict(records, units[which]) == self._truth[records]
        changed = is_right != self._is_right[records]
        return np.bincount(which[changed], minlength=len(units))

    def _numeric_gains(self) -> FloatArray:
        """Return shape (n_units,): the gain in R² of each unit."""
        units, records = np.nonzero(self._differs.T)
        found = self._ask.predict(records, units)
        changed = found != self._predicted[records]
        units, records, found = units[changed], records[changed], found[changed]
        gains = np.zeros(len(self.generalized))
        ends = np.searchsorted(units, np.arange(len(gains) + 1))
        for unit in np.unique(units).tolist():
            inside = slice(ends[unit], ends[unit + 1])
            predicted = self._predicted.copy()
            predicted[records[inside]] = found[inside]
            gains[unit] = self._problem.outcome.agreement(predicted, self._truth) - self.agreement
        return gains


class _Asking:
    """Asks the model about records in which one unit is as it was, many at a time."""

    def __init__(
        self, problem: MinimizationProblem, values: FloatArray, originals: FloatArray, should_stop: ShouldStop
    ) -> None:
        self._problem, self._values, self._originals = problem, values, originals
        self._should_stop = should_stop
        self._columns = np.array(problem.columns, dtype=np.int64)
        self._widths = np.array([len(unit.columns) for unit in problem.units])
        self._starts = np.cumsum(self._widths) - self._widths

    def of_units(self, of_columns: BoolArray) -> BoolArray:
        """Return shape (n, n_units): whether any of a unit's columns is True; shape (n, n_columns) given."""
        return np.logical_or.reduceat(of_columns[:, self._columns], self._starts, axis=1)

    def predict(self, records: IntArray, units: IntArray) -> FloatArray:
        """Return shape (n,): the prediction for each record with the unit beside it as it was."""
        found = np.empty(len(records))
        size = max(BATCH_CELLS // self._values.shape[1], 1)
        for begin in range(0, len(records), size):
            stop_if(self._should_stop)
            batch = slice(begin, begin + size)
            found[batch] = self._predict(records[batch], units[batch])
        return found

    def _predict(self, records: IntArray, units: IntArray) -> FloatArray:
        changed = self._values[records]
        rows, columns = self._cells(units)
        changed[rows, columns] = self._originals[records[rows], columns]
        return self._problem.predict(changed)

    def _cells(self, units: IntArray) -> tuple[IntArray, IntArray]:
        """Return for each column of each of these units which of them it belongs to, and the column."""
        widths = self._widths[units]
        rows = np.repeat(np.arange(len(units)), widths)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(widths) - widths, widths)
        return rows, self._columns[np.repeat(self._starts[units], widths) + within]


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

    Goldsteen et al., Data minimization for GDPR compliance in machine learning models, AI and Ethics 2, 2022.
    """
    encoded = problem.space.encode(values, problem.columns)
    points = encoded.astype(np.float32)
    tree = fit_cell_tree(
        points[fit], predictions[fit], n_classes=problem.n_classes, majority=problem.majority
    )
    leaves = tree.leaf_of(points)
    climb = _Climb(
        problem, tree, values, encoded=encoded, leaves=leaves, predictions=predictions, parts=(fit, held_out)
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
        parts: tuple[IntArray, IntArray],
    ) -> None:
        self._problem, self._tree, self._values, self._encoded = problem, tree, values, encoded
        fit, held_out = parts
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
        self.representatives[nodes[chosen[starts]]] = _nearest_to_medians(
            self._encoded[records], starts, records
        )

    def _predict(self, changed: BoolArray) -> None:
        """Predict again where the representative changed."""
        if changed.any():
            columns = self._problem.columns
            values = self._values[self._held_out[changed]]
            values[:, columns] = self._values[self.representatives[self._held_out_nodes[changed]]][:, columns]
            self._predicted[changed] = self._problem.predict(values)


def _nearest_to_medians(rows: FloatArray, starts: IntArray, records: IntArray) -> IntArray:
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
