"""A fitted scikit-learn model from a file in skops format; files that could run code are refused.

The model itself lives in a process that its file may end; see :mod:`core.diversity.model_process`.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from core.coding import FloatArray
from core.diversity.features import MISSING_CATEGORY, FeatureSpace
from core.diversity.model_process import Predicted, load, predict
from core.diversity.outcomes import first_of
from core.diversity.settings import Task
from core.errors import AuditInputError
from core.processes.bounded_process import EndedError, Process, refused
from core.processes.bounds import ALLOWED
from core.words import input_error, text

Result = TypeVar("Result")
_REMEDY = "Save the model again with skops.io.dump."


class ModelProcess:
    """A process that holds a model, and ends with this object."""

    def __init__(self, data: bytes, *, name: str) -> None:
        self._n_bytes, self._name = len(data), name
        self._lock = threading.Lock()
        self._process = Process(load.__module__)
        self.described = self._ask(load, pa.py_buffer(data), name)

    def predict(self, records: pa.Table, *, named: bool) -> Predicted:
        """Return what is predicted for records, whose columns are named as the model knows them or not."""
        names = records.column_names if named else None
        with self._lock:
            predicted = self._ask(predict, records, names, self._name)
        if len(predicted.values) != len(records):
            raise refused(self._n_bytes, name=self._name, remedy=_REMEDY)
        return predicted

    def _ask(self, function: Callable[..., Result], *given: object) -> Result:
        try:
            return self._process.call(function, *given, bounds=ALLOWED["file"].of(self._n_bytes))
        except EndedError:
            self._process.end()
            raise refused(self._n_bytes, name=self._name, remedy=_REMEDY) from None
        except AuditInputError:
            raise
        except BaseException:  # half an answer may be left
            self._process.end()
            raise


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedEstimator:
    """A fitted estimator in a process of its own, and what it says of itself."""

    process: ModelProcess = field(repr=False)  # where it predicts
    name: str  # file name
    kind: str  # what scikit-learn calls it
    classes: tuple[str, ...]  # its classes as text; empty for regression
    task: Task  # what it predicts
    # the columns it was fitted on, in order; None where it does not know them
    feature_names: tuple[str, ...] | None
    n_features: int  # their number

    def check(self, *, task: Task, columns: Sequence[str]) -> None:
        """Check that the model fits the task and the features of the table."""
        if task != self.task:
            wrong = (
                "{file} holds a model for classification; regression was asked for."
                if self.task == "classification"
                else "{file} holds a model for regression; classification was asked for."
            )
            raise input_error(wrong, file=self.name)
        if self.feature_names is None:
            if self.n_features != len(columns):
                raise input_error(
                    "{file} was trained on {n} feature without a name; the table has {columns}. Leave "
                    "out the columns that are no features of the model.",
                    "{file} was trained on {n} features without names; the table has {columns}. Leave "
                    "out the columns that are no features of the model.",
                    n=self.n_features,
                    file=self.name,
                    columns=len(columns),
                )
            return
        absent = [name for name in self.feature_names if name not in columns]
        if absent:
            raise input_error(
                "{file} was trained on {absent} of {n} feature that the table does not have: {names}.",
                "{file} was trained on {absent} of {n} features that the table does not have: {names}.",
                n=self.n_features,
                file=self.name,
                absent=len(absent),
                names=first_of(absent),
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class FileModel:
    """A model from a file, as the search uses it."""

    loaded: LoadedEstimator  # the estimator
    space: FeatureSpace = field(repr=False)  # how values are held
    classes: tuple[str, ...]  # classes of the label, the model's own among them
    # whether missing numbers reach the model as 0, because it refuses missing ones
    missing_as_zero: bool = False

    @classmethod
    def of(
        cls, loaded: LoadedEstimator, *, space: FeatureSpace, classes: tuple[str, ...], values: FloatArray
    ) -> "FileModel":
        """Return the model after it has predicted the untouched records once."""
        model = cls(loaded=loaded, space=space, classes=classes)
        try:
            model.predict(values)
        except AuditInputError:
            if not np.isnan(values).any():
                raise
            model = replace(model, missing_as_zero=True)
            model.predict(values)
        return model

    @property
    def description(self) -> str:
        """Say what kind of model the file holds."""
        return text("{kind} from {file}", kind=self.loaded.kind, file=self.loaded.name)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences a reader should know."""
        given = "The model takes no missing values; missing numbers were given to it as 0."
        return (given,) if self.missing_as_zero else ()

    @property
    def _positions(self) -> list[int]:
        """Return the model's features in its own order."""
        names = self.loaded.feature_names
        if names is None:
            return list(range(len(self.space.columns)))
        return [self.space.position(name) for name in names]

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): class positions or numbers."""
        names, predicted = self.loaded.process.predict(
            self._as_trained(values), named=self.loaded.feature_names is not None
        )
        if self.loaded.task == "regression":
            return predicted.astype(np.float64)
        position = {name: number for number, name in enumerate(self.classes)}
        try:
            return np.array([position[name] for name in names], dtype=np.float64)[predicted]
        except (KeyError, IndexError):
            raise input_error(
                "The model in {file} predicts classes that it does not name. Save it again.",
                file=self.loaded.name,
            ) from None

    def _as_trained(self, values: FloatArray) -> pa.Table:
        """Return the features as the model knows them, in its order."""
        names = [self.space.columns[position].name for position in self._positions]
        return pa.table([pa.array(self._decoded(values, each)) for each in self._positions], names=names)

    def _decoded(self, values: FloatArray, position: int) -> np.ndarray:
        column = self.space.columns[position]
        cells = values[:, position]
        if column.categories is None:
            return np.nan_to_num(cells, nan=0.0) if self.missing_as_zero else cells
        texts = np.array([None if c == MISSING_CATEGORY else c for c in column.categories], dtype=object)
        return texts[cells.astype(np.int64)]


def load_estimator(data: bytes, *, name: str) -> LoadedEstimator:
    """Load a fitted classifier or regressor from a skops file, in a process of its own.

    Nothing of the file is run: only types that skops trusts are built, and trees whose node numbers
    have been checked.
    """
    process = ModelProcess(data, name=name)
    return LoadedEstimator(process=process, name=name, **process.described._asdict())
