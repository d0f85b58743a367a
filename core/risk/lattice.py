"""All ways of combining columns' generalizations, and the class sizes and loss of each."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from core.classes import EquivalenceClasses
from core.coding import BoolArray, FloatArray, IntArray, value_codes
from core.errors import AuditInputError
from core.risk.ladders import SUPPRESSED, Ladder
from core.risk.records import Combinations

Node = tuple[int, ...]
ClassesAccepted = Callable[[EquivalenceClasses], BoolArray]

MAX_NODES = 2_000_000  # of a lattice whose tags are kept in memory
WORK_OF_A_CALL, WORK_OF_A_COLUMN = 2_000, 20  # what counting costs beside the combinations, in such

_LARGEST_NUMBER = 2**62
_DENSE = 8  # counting every possible combination pays up to so many times the combinations there are

Objective = Literal["ncp", "discernibility", "average_class_size"]


@dataclass(frozen=True, kw_only=True)
class Generalization:
    """A way of generalizing a table, and what it costs."""

    k: int  # every record that is not suppressed is in a class of at least so many
    levels: Node  # the level of each column's ladder
    n_records: int  # records assessed, and those among them whose quasi-identifiers are not shown
    n_suppressed: int
    smallest_class: int  # smallest class of the records shown, at least `k`
    # mean over the assessed records of the weighted mean loss (NCP) of their quasi-identifiers, 1 for a
    # suppressed record; in [0, 1]
    loss: float
    n_classes: int  # classes of the records shown
    discernibility: int  # sum of the squares of their sizes, and records suppressed × records assessed

    def cost(self, objective: Objective) -> float:
        """Return what a search makes as small as it can, in [0, 1]."""
        if objective == "ncp":
            return self.loss
        if objective == "discernibility":
            return self.discernibility / self.n_records**2
        return 1 / self.n_classes  # the more classes, the smaller they are on average

    @property
    def tells_nobody_apart(self) -> bool:
        """Return whether everybody is shown alike though they were not, so that nothing is left to use."""
        return self.n_classes == 1 and not self.n_suppressed and self.loss > 0

    @property
    def average_class_size(self) -> float:
        """Return records shown / their classes."""
        return (self.n_records - self.n_suppressed) / self.n_classes

    @property
    def average_risk(self) -> float:
        """Return the mean over the records shown of 1 / class size, in (0, 1]."""
        return 1 / self.average_class_size

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

    def generalization(self, node: Node, *, k: int, n_records: int) -> Generalization | None:
        """Return the generalization that suppresses all other classes; None where none is left."""
        shown = self.size >= k
        if not shown.any():
            return None
        size, records = self.size[shown], self.n_records[shown]
        n_suppressed = n_records - int(records.sum())
        return Generalization(
            k=k,
            levels=node,
            n_records=n_records,
            n_suppressed=n_suppressed,
            smallest_class=int(size.min()),
            loss=float(min((self.loss[shown].sum() + n_suppressed) / n_records, 1.0)),
            n_classes=int((records // size).sum()),
            discernibility=int((size * records).sum()) + n_suppressed * n_records,
        )


@dataclass(kw_only=True, eq=False)
class Lattice:
    """All combinations of the levels of several ladders, over the distinct combinations of a table.

    Class sizes of a generalization are kept, so that searches for several k share them.
    """

    table: Combinations
    ladders: Sequence[Ladder]
    thinned_columns: tuple[str, ...] = ()
    n_nodes_possible: int = 0
    weights: tuple[float, ...] = ()
    work: int = 0  # cells looked at so far
    _groups: dict[tuple[int, int], npt.NDArray[np.int32]] = field(default_factory=dict)
    _measured: dict[Node, SizesAndLosses] = field(default_factory=dict)
    _varying: set[tuple[int, int]] = field(default_factory=set)
    _last: tuple[Node, IntArray, int] | None = None

    def __post_init__(self) -> None:
        if not self.table.n_records:
            raise AuditInputError("There is no record to generalize.")
        self.n_nodes_possible = self.n_nodes_possible or self.n_nodes
        self.weights = self.weights or (1.0,) * len(self.ladders)

    @cached_property
    def shape(self) -> Node:
        """Return the number of levels of each ladder."""
        return tuple(len(ladder.levels) for ladder in self.ladders)

    @property
    def n_nodes(self) -> int:
        """Return the number of generalizations."""
        return math.prod(self.shape)

    @property
    def is_listed(self) -> bool:
        """Return whether there are so few generalizations that each can be tagged."""
        return self.n_nodes <= MAX_NODES

    @property
    def top(self) -> Node:
        """Return the generalization of the last level of every column."""
        return tuple(levels - 1 for levels in self.shape)

    def restricted(self, kept: BoolArray) -> "Lattice":
        """Return the lattice over some of the combinations, shape (n_combinations,), for itself."""
        position = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
        table = replace(
            self.table,
            codes=tuple(codes[kept] for codes in self.table.codes),
            sizes=self.table.sizes[kept],
            combination_of_record=position[self.table.combination_of_record],
        )
        return Lattice(table=table, ladders=self.ladders, weights=self.weights)

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
            means = [self.mean_loss(column, level) for level in range(self.shape[column])]
            axes = [len(means) if axis == column else 1 for axis in range(len(self.shape))]
            total += np.array(means).reshape(axes)
        return total

    def mean_loss(self, column: int, level: int) -> float:
        """Return what one column adds to the loss on a level if no record were suppressed."""
        n_of_value = np.bincount(
            self.table.codes[column], weights=self.table.sizes, minlength=len(self._loss(column, level))
        )
        return float(self._loss(column, level) @ n_of_value / self.table.n_records)

    def _loss(self, column: int, level: int) -> FloatArray:
        """Return shape (n_values,): the part of the loss of each of a column's values."""
        share = self.weights[column] / sum(self.weights)
        return self.ladders[column].levels[level].loss_of_value * share

    def group(self, column: int, level: int) -> npt.NDArray[np.int32]:
        """Return shape (n_combinations,): the group of each combination's value."""
        if (column, level) not in self._groups:
            of_value = self.ladders[column].levels[level].group_of_value
            self._groups[column, level] = of_value.astype(np.int32)[self.table.codes[column]]
        return self._groups[column, level]

    def group_of_combination(self, node: Node) -> tuple[IntArray, int]:
        """Return shape (n_combinations,): the class of each combination, and the number of classes."""
        if self._last is None or self._last[0] != node:
            n_groups = self._n_groups
            parts = [
                (self.group(column, level), n_groups[column][level])
                for column, level in enumerate(node)
                if n_groups[column][level] > 1
            ]
            self._last = (node, *_combined_groups(parts, n=self.table.n_combinations))
        return self._last[1], self._last[2]

    def loss_of_combination(self, node: Node) -> FloatArray:
        """Return shape (n_combinations,): the weighted mean loss of each combination's quasi-identifiers."""
        constant = self._constant_losses
        total = np.full(self.table.n_combinations, sum(constant[at] for at in enumerate(node)))
        for column, level in enumerate(node):
            if (column, level) in self._varying:
                total += self._loss(column, level)[self.table.codes[column]]
        return total

    @cached_property
    def _constant_losses(self) -> dict[tuple[int, int], float]:
        """Return the loss of a column on a level where it is the same for all values, 0 where it varies."""
        found = {}
        for column, levels in enumerate(self.shape):
            for level in range(levels):
                loss = self._loss(column, level)
                is_constant = bool((loss == loss[0]).all())
                found[column, level] = float(loss[0]) if is_constant else 0.0
                if not is_constant:
                    self._varying.add((column, level))
        return found

    @cached_property
    def _n_groups(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(level.n_groups for level in ladder.levels) for ladder in self.ladders)

    def measure(self, node: Node) -> SizesAndLosses:
        """Return records and summed loss by class size; kept for the next time."""
        if node not in self._measured:
            self._measured[node] = self.by_size(node)
        return self._measured[node]

    @property
    def measured(self) -> Mapping[Node, SizesAndLosses]:
        """Return the generalizations whose classes have been counted."""
        return self._measured

    def by_size(self, node: Node, accepted: ClassesAccepted | None = None) -> SizesAndLosses:
        """Return records and summed loss by class size of the classes accepted; classes count everybody."""
        group, n_classes = self.group_of_combination(node)
        self.work += self.table.n_combinations + WORK_OF_A_CALL + WORK_OF_A_COLUMN * len(node)
        sizes = np.bincount(group, weights=self.table.sizes, minlength=n_classes)
        loss = np.bincount(
            group, weights=self.loss_of_combination(node) * self.table.sizes, minlength=n_classes
        )
        counted = sizes > 0
        if accepted is not None:
            counted &= accepted(self.classes(node))
        size, position = np.unique(sizes[counted].astype(np.int64), return_inverse=True)
        return SizesAndLosses(
            size=size,
            n_records=size * np.bincount(position, minlength=len(size)),
            loss=cast("FloatArray", np.bincount(position, weights=loss[counted], minlength=len(size))),
        )

    def classes(self, node: Node) -> EquivalenceClasses:
        """Return the classes of the table's records under a generalization, nobody suppressed."""
        group, n_classes = self.group_of_combination(node)
        return EquivalenceClasses(
            quasi_identifiers=self.table.quasi_identifiers,
            class_of_record=np.append(group, -1)[self.table.combination_of_record],
            class_sizes=np.bincount(group, weights=self.table.sizes, minlength=n_classes).astype(np.int64),
        )

    def suppressed_combinations(
        self, node: Node, *, k: int, accepted: ClassesAccepted | None = None
    ) -> BoolArray:
        """Return shape (n_combinations,): those in classes smaller than `k`, or not accepted."""
        classes = self.classes(node)
        group, _ = self.group_of_combination(node)
        shown = classes.class_sizes >= k
        if accepted is not None:
            shown &= accepted(classes)
        return ~shown[group]


def _combined_groups(parts: Sequence[tuple[npt.NDArray[np.int32], int]], *, n: int) -> tuple[IntArray, int]:
    """Return shape (n,): 0 … n_classes - 1 for each distinct combination of groups, and n_classes."""
    combined, n_possible = np.zeros(n, dtype=np.int64), 1
    for group, n_groups in parts:
        if n_possible > _LARGEST_NUMBER // n_groups:
            combined, n_possible = _renumbered(combined, n_possible)
        combined = combined * n_groups + group if n_possible > 1 else group.astype(np.int64)
        n_possible *= n_groups
    return _renumbered(combined, n_possible)


def _renumbered(codes: IntArray, n_possible: int) -> tuple[IntArray, int]:
    if n_possible > _DENSE * len(codes) + 1:
        found = value_codes(codes)
        return found, int(found.max(initial=-1)) + 1
    occurs = np.zeros(n_possible, dtype=bool)
    occurs[codes] = True
    number = np.cumsum(occurs) - 1
    return number[codes], int(number[-1]) + 1
