"""What is predicted, how well, and how much a prediction depends on each feature."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray
from core.diversity.features import is_numeric, n_not_numbers, numbers_of
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
