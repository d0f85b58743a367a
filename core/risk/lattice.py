"""All ways of combining columns' generalizations, and the class sizes and loss of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.equivalence import EquivalenceClasses, IntArray, value_codes
from core.errors import AuditInputError
from core.risk.combinations import BoolArray, Combinations, grouped
from core.risk.ladders import SUPPRESSED, FloatArray, Ladder

Node = tuple[int, ...]
ClassesAccepted = Callable[[EquivalenceClasses], BoolArray]

MAX_NODES = 2_000_000  # of a lattice whose tags are kept in memory


@dataclass(frozen=True, kw_only=True)
class Generalization:
    """A way of generalizing a table, and what it costs.

    Attributes
    ----------
    k
        Every record that is not suppressed is in a class of at least so many.
    levels
        The level of each column's ladder.
    n_records, n_suppressed
        Records assessed, and those among them whose quasi-identifiers are not shown.
    smallest_class
        Smallest class of the records shown, at least `k`.
    loss
        Mean over the assessed records of the mean loss (NCP) of their quasi-identifiers, 1 for a
        suppressed record; in [0, 1].
    """

    k: int
    levels: Node
    n_records: int
    n_suppressed: int
    smallest_class: int
    loss: float

    @property
    def suppressed_share(self) -> float:
        """Return suppressed records / records assessed, in [0, 1)."""
        return self.n_suppressed / self.n_records

    @property
    def highest_risk(self) -> float:
        """Return 1 / smallest class, in (0, 1]."""
        return 1 / self.smallest_class


@dataclass(frozen=True, kw_only=True, eq=False)
class SizesAndLosses:
    """Records and their summed loss by class size, ascending; each of shape (n_sizes,)."""

    size: IntArray
    n_records: IntArray
    loss: FloatArray

    def n_below(self, k: int) -> int:
        """Return the records in classes of fewer than `k`."""
        return int(self.n_records[self.size < k].sum())


@dataclass(kw_only=True, eq=False)
class Lattice:
    """All combinations of the levels of several ladders, over the distinct combinations of a table.

    Class sizes of a generalization are kept, so that searches for several k share them.

    Parameters
    ----------
    table
        Distinct combinations; a column's codes are the positions of values in its ladder.
    ladders
        One for each quasi-identifier, in the same order.
    thinned_columns
        Those whose ladders lost levels in the middle, so that not too many combinations of levels are left.
    n_nodes_possible
        Combinations of levels with every ladder whole; 0 stands for `n_nodes`.

    Raises
    ------
    AuditInputError
        No record, or more combinations of levels than can be tagged; says how many and what to do.
    """

    table: Combinations
    ladders: Sequence[Ladder]
    thinned_columns: tuple[str, ...] = ()
    n_nodes_possible: int = 0
    _groups: dict[tuple[int, int], npt.NDArray[np.int32]] = field(default_factory=dict)
    _measured: dict[Node, SizesAndLosses] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.table.n_records:
            raise AuditInputError("There is no record to generalize.")
        if self.n_nodes > MAX_NODES:
            raise AuditInputError(
                f"{len(self.ladders):,} quasi-identifiers give {self.n_nodes:,} generalizations, more than "
                f"the {MAX_NODES:,} that are searched; choose fewer quasi-identifiers or offer fewer levels."
            )
        self.n_nodes_possible = self.n_nodes_possible or self.n_nodes

    @property
    def shape(self) -> Node:
        """Return the number of levels of each ladder."""
        return tuple(len(ladder.levels) for ladder in self.ladders)

    @property
    def n_nodes(self) -> int:
        """Return the number of generalizations."""
        return math.prod(self.shape)

    def hides_all(self, node: Node) -> bool:
        """Return whether a generalization shows no value of any column."""
        names = [ladder.levels[level].names for ladder, level in zip(self.ladders, node, strict=True)]
        return all(len(each) == 1 and each[0].as_py() == SUPPRESSED for each in names)

    def losses(self) -> FloatArray:
        """Return the loss of every generalization if no record were suppressed, shape `shape`.

        It grows along every ladder, and no suppression makes it smaller: a suppressed record counts 1.
        """
        total = np.zeros(self.shape)
        for column in range(len(self.ladders)):
            means = [self._mean_loss(column, level) for level in range(self.shape[column])]
            axes = [len(means) if axis == column else 1 for axis in range(len(self.shape))]
            total += np.array(means).reshape(axes)
        return total / max(len(self.ladders), 1)

    def _mean_loss(self, column: int, level: int) -> float:
        return float(self._loss(column, level) @ self.table.sizes / self.table.n_records)

    def _loss(self, column: int, level: int) -> FloatArray:
        """Return shape (n_combinations,): the loss of each combination's value."""
        return self.ladders[column].levels[level].loss_of_value[self.table.codes[column]]

    def group_of_combination(self, node: Node) -> IntArray:
        """Return shape (n_combinations,): the class of each combination, numbers from 0, not all used."""
        codes = []
        for column, level in enumerate(node):
            if (column, level) not in self._groups:
                of_value = self.ladders[column].levels[level].group_of_value
                self._groups[column, level] = of_value.astype(np.int32)[self.table.codes[column]]
            codes.append(cast("IntArray", self._groups[column, level]))  # half the memory, same numbers
        return grouped(codes, n=self.table.n_combinations)

    def sizes_of_combination(self, node: Node) -> IntArray:
        """Return shape (n_combinations,): records in each combination's class."""
        group = self.group_of_combination(node)
        return np.bincount(group, weights=self.table.sizes).astype(np.int64)[group]

    def loss_of_combination(self, node: Node) -> FloatArray:
        """Return shape (n_combinations,): the mean loss of each combination's quasi-identifiers."""
        total = np.zeros(self.table.n_combinations)
        for column, level in enumerate(node):
            total += self._loss(column, level)
        return total / max(len(node), 1)

    def measure(self, node: Node) -> SizesAndLosses:
        """Return records and summed loss by class size; kept for the next time."""
        if node not in self._measured:
            self._measured[node] = self.by_size(node, np.ones(self.table.n_combinations, dtype=bool))
        return self._measured[node]

    def is_measured(self, node: Node) -> bool:
        """Return whether the generalization's classes have been counted."""
        return node in self._measured

    def by_size(self, node: Node, counted: BoolArray) -> SizesAndLosses:
        """Return records and summed loss by class size of some combinations; classes count everybody."""
        sizes, position = np.unique(self.sizes_of_combination(node)[counted], return_inverse=True)
        records = self.table.sizes[counted]
        loss = self.loss_of_combination(node)[counted] * records
        return SizesAndLosses(
            size=sizes,
            n_records=np.bincount(position, weights=records, minlength=len(sizes)).astype(np.int64),
            loss=cast("FloatArray", np.bincount(position, weights=loss, minlength=len(sizes))),
        )

    def classes(self, node: Node) -> EquivalenceClasses:
        """Return the classes of the table's records under a generalization, nobody suppressed."""
        group = value_codes(pa.array(self.group_of_combination(node)))
        class_of_record = np.append(group, -1)[self.table.combination_of_record]
        return EquivalenceClasses(
            quasi_identifiers=self.table.quasi_identifiers,
            class_of_record=class_of_record,
            class_sizes=np.bincount(group, weights=self.table.sizes).astype(np.int64),
        )

    def suppressed_combinations(
        self, node: Node, *, k: int, accepted: ClassesAccepted | None = None
    ) -> BoolArray:
        """Return shape (n_combinations,): those in classes smaller than `k`, or not accepted."""
        suppressed = self.sizes_of_combination(node) < k
        if accepted is not None:
            group = value_codes(pa.array(self.group_of_combination(node)))
            suppressed |= ~accepted(self.classes(node))[group]
        return suppressed
