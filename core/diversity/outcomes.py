"""What is predicted, how well, and how much a prediction depends on each feature."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from core.coding import BoolArray, FloatArray, IntArray
from core.diversity.features import Float32Array, is_numeric, n_not_numbers, numbers_of
from core.diversity.settings import Task
from core.words import Text, counted, input_error, text

_FEWEST_SUSPICIOUS = 10
_MOST_NUMERIC_CLASSES = 50
_CONTINUOUS_SHARE = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """The labels of some records."""

    task: Task  # classification or regression
    # all classes, numbers in numeric and text in alphabetic order; empty for regression
    classes: tuple[str, ...]
    values: FloatArray  # shape (n_records,): positions in `classes`, or the numbers themselves

    def agreement(self, predicted: FloatArray, actual: FloatArray) -> float:
        """Return the accuracy in [0, 1] or R² (at most 1) of predictions."""
        if self.task == "classification":
            return int(np.count_nonzero(predicted == actual)) / len(actual)
        return r_squared(predicted, actual)

    def balanced_agreement(self, predicted: FloatArray, actual: FloatArray) -> float | None:
        """Return the mean over the classes that occur of the share predicted right; None for numbers."""
        if self.task != "classification":
            return None
        classes, of_class = np.unique(actual, return_inverse=True)
        right = np.bincount(of_class, weights=predicted == actual, minlength=len(classes))
        return float((right / np.bincount(of_class)).mean())

    def baseline(self, known: FloatArray, actual: FloatArray) -> float:
        """Return the accuracy of always saying the most frequent class of `known`; R² of the mean is 0."""
        if self.task != "classification":
            return 0.0
        classes, counts = np.unique(known, return_counts=True)
        return float(np.mean(actual == classes[counts.argmax()]))


def r_squared(predicted: FloatArray, actual: FloatArray) -> float:
    """Return 1 - residual / total sum of squares; for constant truth 1 when exact, else 0."""
    residual = float(((actual - predicted) ** 2).sum())
    total = float(((actual - actual.mean()) ** 2).sum())
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return 1.0 - residual / total


def read_outcomes(
    columns: Sequence[pa.ChunkedArray], *, subject: Text, task: Task, more_classes: Sequence[str] = ()
) -> tuple[Outcome, ...]:
    """Read the label column of one or more tables with common classes."""
    n_records = sum(len(column) for column in columns)
    n_missing = sum(column.null_count for column in columns)
    if n_missing:
        raise input_error(
            "The {subject} is missing in {missing} of {n} record; accuracy needs it in every record.",
            "The {subject} is missing in {missing} of {n} records; accuracy needs it in every record.",
            n=n_records,
            subject=subject,
            missing=n_missing,
        )
    if task == "regression":
        return tuple(_read_numbers(column, subject) for column in columns)
    texts = [np.array([class_text(cell) for cell in column.to_pylist()], dtype=object) for column in columns]
    found = sorted_classes({*more_classes, *(cell for cells in texts for cell in cells)})
    _check_classes(found, columns, subject)
    position = {each: number for number, each in enumerate(found)}
    return tuple(
        Outcome(
            task=task, classes=found, values=np.array([position[cell] for cell in cells], dtype=np.float64)
        )
        for cells in texts
    )


def class_text(value: object) -> str:
    """Return a class as text, so that 1, 1.0, True and "1" of a model and a table are one class.

    >>> class_text("1.0"), class_text(True), class_text(" yes ")
    ('1', '1', 'yes')
    """
    written = str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value).strip()
    try:
        number = float(written)
    except ValueError:
        return written
    return str(int(number)) if number.is_integer() else written


def first_of(names: Sequence[str]) -> Text:
    """Return the first ten of some names, and how many more there are."""
    shown, n_more = ", ".join(names[:10]), len(names) - 10
    return (
        text("{names} and {more} more", names=shown, more=n_more)
        if n_more > 0
        else text("{names}", names=shown)
    )


def sorted_classes(classes: set[str]) -> tuple[str, ...]:
    """Return classes in the order a model has them: numbers by value, else text alphabetically."""
    try:
        return tuple(sorted(classes, key=float))
    except ValueError:
        return tuple(sorted(classes))


def _read_numbers(column: pa.ChunkedArray, subject: Text) -> Outcome:
    n_text = n_not_numbers(column)
    if n_text:
        raise input_error(
            "The {subject} holds text in {found} of {n} record; regression needs numbers.",
            "The {subject} holds text in {found} of {n} records; regression needs numbers.",
            n=len(column),
            subject=subject,
            found=n_text,
        )
    return Outcome(task="regression", classes=(), values=numbers_of(column))


def _check_classes(classes: tuple[str, ...], columns: Sequence[pa.ChunkedArray], subject: Text) -> None:
    n_records = sum(len(column) for column in columns)
    if len(classes) == 1:
        raise input_error(
            "The {subject} has one value in the only record; a classifier needs at least two classes.",
            "The {subject} has the same value in all {n} records; a classifier needs at least two classes.",
            n=n_records,
            subject=subject,
        )
    crowded = len(classes) > _FEWEST_SUSPICIOUS and len(classes) > _CONTINUOUS_SHARE * n_records
    many_numbers = len(classes) > _MOST_NUMERIC_CLASSES and all(is_numeric(column) for column in columns)
    if crowded or many_numbers:
        raise input_error(
            "The {subject} has {n} different value in {records} and looks continuous; choose "
            "regression, or group it into classes.",
            "The {subject} has {n} different values in {records} and looks continuous; choose "
            "regression, or group it into classes.",
            n=len(classes),
            subject=subject,
            records=counted(n_records, "record"),
        )


def n_classes_with_one_record(outcome: Outcome) -> int:
    """Return how many classes a single record has."""
    return int((np.bincount(outcome.values.astype(np.int64)) == 1).sum())


def is_constant(column: pa.ChunkedArray) -> bool:
    """Return whether all known values of a column are the same; also where none is known."""
    return len(pc.unique(pc.drop_null(column))) <= 1


LARGEST_TABLE_BYTES = 200_000_000
_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)
_FORESTS = (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor)


class Dependence(Protocol):
    """What is known about the columns behind a model's predictions."""

    @property
    def used(self) -> BoolArray:
        """Return shape (n_columns,): False where no prediction of any record depends on the column."""

    def of_records(self, values: FloatArray) -> BoolArray:
        """Return shape (n_records or 1, n_columns): whether that column alone can change the prediction."""


class NodesOfTree(Protocol):
    """A tree as far as it is asked here; scikit-learn's own is one."""

    @property
    def children_left(self) -> IntArray:
        """Return shape (n_nodes,): the node below to the left, -1 for a leaf."""

    @property
    def children_right(self) -> IntArray:
        """Return shape (n_nodes,): the node below to the right."""

    @property
    def feature(self) -> IntArray:
        """Return shape (n_nodes,): the feature a node asks about."""

    @property
    def node_count(self) -> int:
        """Return the number of nodes."""

    def apply(self, points: Float32Array) -> IntArray:
        """Return shape (n_records,): the leaf that each record falls in."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FlatTree:
    """A tree of numbers alone."""

    children_left: IntArray  # shape (n_nodes,): the nodes below, which come later; -1 for a leaf
    children_right: IntArray
    feature: IntArray  # shape (n_nodes,): what a node asks; left where the feature is at most the threshold
    threshold: FloatArray
    missing_go_left: BoolArray  # shape (n_nodes,): where records without the feature go

    @classmethod
    def all_of(cls, nodes: pa.Table) -> "tuple[FlatTree, ...]":
        """Return the trees of a table of nodes."""
        columns = {name: nodes[name].to_numpy() for name in nodes.column_names}
        ends = np.flatnonzero(np.diff(columns["tree"], append=-1)) + 1
        return tuple(
            cls(
                children_left=columns["left"][begins:end],
                children_right=columns["right"][begins:end],
                feature=columns["feature"][begins:end],
                threshold=columns["threshold"][begins:end],
                missing_go_left=columns["missing_go_left"][begins:end],
            )
            for begins, end in pairwise([0, *ends.tolist()])
        )

    @property
    def node_count(self) -> int:
        """Return the number of nodes."""
        return len(self.children_left)

    def apply(self, points: Float32Array) -> IntArray:
        """Return shape (n_records,): the leaf that each record falls in."""
        nodes = np.zeros(len(points), dtype=np.int64)
        while (inner := np.flatnonzero(self.children_left[nodes] >= 0)).size:
            at = nodes[inner]
            cells = points[inner, self.feature[at]]
            left = np.where(np.isnan(cells), self.missing_go_left[at], cells <= self.threshold[at])
            nodes[inner] = np.where(left, self.children_left[at], self.children_right[at])
        return nodes


class TreeDependence:
    """For one or more trees, parents before children: the columns on a record's ways from root to leaf."""

    def __init__(
        self,
        trees: Sequence[NodesOfTree],
        points: Callable[[FloatArray], Float32Array],
        *,
        column_of: IntArray,
        n_columns: int,
    ) -> None:
        self._trees, self._points = trees, points
        self._column_of, self._n_columns = column_of, n_columns

    @cached_property
    def used(self) -> BoolArray:
        """Return shape (n_columns,): False where no tree splits on the column."""
        used = np.zeros(self._n_columns, dtype=np.bool_)
        for tree in self._trees:
            used[self._column_of[tree.feature[tree.children_left >= 0]]] = True
        return used

    def of_records(self, values: FloatArray) -> BoolArray:
        """Return shape (n_records, n_columns); of large forests (1, n_columns): the columns used at all."""
        if not self._tables:
            return self.used[np.newaxis]
        points = self._points(values)
        found = np.zeros((len(points), self._tables[0].shape[1]), dtype=np.uint8)
        for tree, table in zip(self._trees, self._tables, strict=True):
            found |= table[tree.apply(points)]
        return np.unpackbits(found, axis=1, count=self._n_columns).astype(np.bool_)

    @cached_property
    def _tables(self) -> list[npt.NDArray[np.uint8]]:
        """Return per tree shape (n_nodes, n_columns / 8): the columns above each node, a bit each."""
        n_bytes = sum(tree.node_count for tree in self._trees) * (self._n_columns // 8 + 1)
        if n_bytes > LARGEST_TABLE_BYTES:
            return []
        return [self._columns_above(tree) for tree in self._trees]

    def _columns_above(self, tree: NodesOfTree) -> npt.NDArray[np.uint8]:
        bits = np.packbits(np.eye(self._n_columns, dtype=np.bool_), axis=1)
        left, right, feature = tree.children_left, tree.children_right, tree.feature
        above = np.zeros((tree.node_count, bits.shape[1]), dtype=np.uint8)
        for node in np.flatnonzero(left >= 0).tolist():
            below = above[node] | bits[self._column_of[feature[node]]]
            above[left[node]] = below
            above[right[node]] = below
        return above


def tree_dependence(
    estimator: object, points: Callable[[FloatArray], Float32Array], *, column_of: IntArray, n_columns: int
) -> TreeDependence | None:
    """Return what is known of a fitted tree or forest; None for any other estimator."""
    trees = trees_of(estimator)
    if trees is None:
        return None
    return TreeDependence(trees, points, column_of=column_of, n_columns=n_columns)


def trees_of(estimator: object) -> list[NodesOfTree] | None:
    """Return the trees of a fitted tree or forest; None of any other estimator."""
    if type(estimator) in _TREES:
        return [estimator.tree_]  # type: ignore[attr-defined]
    if type(estimator) in _FORESTS:
        return [each.tree_ for each in estimator.estimators_]  # type: ignore[attr-defined]
    return None
