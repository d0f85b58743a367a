"""What is to be minimized, and a minimization that can be applied to any records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.coding import IntArray
from core.diversity.cell_tree import CellTree, raised
from core.diversity.cells import QuasiIdentifierUnit
from core.diversity.dependence import Dependence
from core.diversity.features import FeatureSpace, Float32Array, FloatArray
from core.diversity.linear_scores import LinearScores
from core.diversity.outcomes import Outcome
from core.diversity.settings import MajorityRule

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
    dependence
        Which columns its predictions depend on; None where it is not known.
    scores
        The scores behind the predictions of a linear classifier; None for any other model.
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
    dependence: Dependence | None = None
    scores: LinearScores | None = None

    @property
    def n_classes(self) -> int | None:
        """Return the classes of the label; None for regression."""
        return len(self.outcome.classes) if self.outcome.task == "classification" else None

    @cached_property
    def columns(self) -> list[int]:
        """Return the positions of all columns to minimize, unit after unit."""
        return [column for unit in self.units for column in unit.columns]

    def points(self, values: FloatArray) -> Float32Array:
        """Return shape (n_records, n_encoded): the encoded features to minimize, as trees want them."""
        return np.ascontiguousarray(self.space.encode(values, self.columns), dtype=np.float32)


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
        nodes = self.tree.leaf_of(problem.points(values))
        for level in range(1, self.level + 1):
            nodes = raised(nodes, self.tree, level)
        return nodes

    def apply(self, values: FloatArray) -> FloatArray:
        """Return the values with each generalized feature replaced by its cell's representative."""
        return self.replaced(values, self.cell_of(values))

    def replaced(self, values: FloatArray, nodes: IntArray) -> FloatArray:
        """Return the same, for records whose cells are known already."""
        problem, replaced = self.problem, values.copy()
        if all(self.generalized):
            replaced[:, problem.columns] = self.representatives[nodes]
            return replaced
        replaces = np.repeat(self.generalized, [len(unit.columns) for unit in problem.units])
        columns = np.array(problem.columns)[replaces]
        replaced[:, columns] = self.representatives[nodes][:, replaces]
        return replaced
