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
    """What is to be minimized."""

    space: FeatureSpace  # how values are held, and the quasi-identifiers among them
    units: tuple[QuasiIdentifierUnit, ...]
    predict: Predict  # the model
    outcome: Outcome  # measures agreement; its labels are not looked at
    majority: MajorityRule  # how a merged cell gets its label
    target_accuracy: float  # agreement to keep
    # which columns its predictions depend on; None where it is not known
    dependence: Dependence | None = None
    # the scores behind the predictions of a linear classifier; None for any other model
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
    """A minimization that can be applied to any records."""

    problem: MinimizationProblem = field(repr=False)
    tree: CellTree = field(repr=False)  # the cells
    level: int  # 0 for the leaves as cells, 1 for the level above, and so on
    # shape (n_nodes, n_columns): values of the representative of each node that is a cell
    representatives: FloatArray = field(repr=False)
    # shape (n_nodes,): which record of those minimized the representative is
    sources: IntArray = field(repr=False)
    generalized: tuple[bool, ...]  # per unit, whether it is replaced; False for a feature left as it is
    agreement: float  # agreement of the model with itself on the inner hold-out after minimization
    leaves_agreement: float  # the same with the leaves as cells and all features replaced

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
