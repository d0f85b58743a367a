"""A table and a model as Python has them: a pandas frame, and any object that predicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pandas as pd

from core.coding import FloatArray
from core.diversity.features import MISSING_CATEGORY, FeatureSpace
from core.diversity.outcomes import Outcome, class_text, first_of
from core.errors import AuditInputError
from core.settings.reading import ReadOptions
from core.tables import Dataset, read_dataset
from core.words import Text, input_error, text

AnyTable = Dataset | pd.DataFrame
_FRAME = "frame.csv"  # what a table without a file is called


class Predicts(Protocol):
    """What is asked of a model of one's own."""

    def predict(self, features: Any) -> Any:
        """Return a class or a number for each row of features."""


def as_dataset(data: AnyTable) -> tuple[Dataset, Mapping[str, Any]]:
    """Return a table as one of text, and the dtypes that a frame had by column; none of another table.

    Of a frame missing cells are empty, truth values 0 and 1, and the index is left out.
    """
    if isinstance(data, Dataset):
        return data, {}
    truths = {name: "int8" for name, dtype in data.dtypes.items() if pd.api.types.is_bool_dtype(dtype)}
    written = data.astype(truths).rename(columns=str).to_csv(index=False, lineterminator="\n")
    options = ReadOptions(delimiter=",", encoding="utf-8", header="first_line")
    dataset = read_dataset(written.encode(), name=_FRAME, options=options)
    return dataset, {str(name): dtype for name, dtype in data.dtypes.items()}


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenModel:
    """An object that predicts, asked as the search asks models; it runs in this process."""

    estimator: Any = field(repr=False)  # has ``predict``
    space: FeatureSpace = field(repr=False)  # how values are held
    outcome: Outcome = field(repr=False)  # the labels, the model's own classes among them
    dtypes: Mapping[str, Any]  # of the frame's columns, by name; empty where the table was none

    notes: tuple[str, ...] = ()

    @property
    def description(self) -> Text:
        """Say what the model is."""
        return text("{kind} given in Python", kind=type(self.estimator).__name__)

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): class positions, -1 for a class that the label has not, or numbers.

        A failure of the model is an AuditInputError that names its kind; what it said may quote cells.
        """
        features = self._features(values)
        is_nameless = hasattr(self.estimator, "n_features_in_") and not _names_of(self.estimator)
        asked = features.to_numpy() if is_nameless else features
        try:
            found = np.asarray(self.estimator.predict(asked)).ravel()
        except Exception as error:  # whatever a model of somebody's own raises
            raise input_error(
                "The model could not predict the {n} record: it raised {kind}. Give it the features that it "
                "was fitted on: leave out other columns, and choose the columns of categories.",
                "The model could not predict the {n} records: it raised {kind}. Give it the features that it "
                "was fitted on: leave out other columns, and choose the columns of categories.",
                n=len(values),
                kind=type(error).__name__,
            ) from None
        if len(found) != len(values):
            raise AuditInputError("The model has to predict one class or number of each record.")
        if self.outcome.task == "regression":
            return found.astype(np.float64)
        position = {name: float(number) for number, name in enumerate(self.outcome.classes)}
        names, of_record = np.unique(found, return_inverse=True)
        return np.array([position.get(class_text(name), -1.0) for name in names.tolist()])[of_record]

    def _features(self, values: FloatArray) -> pd.DataFrame:
        """Return the features as the frame had them, those that the model names in its order."""
        known = {column.name: position for position, column in enumerate(self.space.columns)}
        names = _names_of(self.estimator) or tuple(known)
        if absent := [name for name in names if name not in known]:
            raise input_error(
                "The model asks for {n} column that is no feature here: {names}.",
                "The model asks for {n} columns that are no features here: {names}.",
                n=len(absent),
                names=first_of(absent),
            )
        return pd.DataFrame({name: self._cells(values[:, known[name]], known[name]) for name in names})

    def _cells(self, cells: FloatArray, position: int) -> pd.Series:
        column = self.space.columns[position]
        dtype: Any = self.dtypes.get(column.name)
        if column.categories is None:
            is_whole = dtype is not None and not np.isnan(cells).any()
            return pd.Series(cells).astype(dtype) if is_whole else pd.Series(cells)
        texts = [None if each == MISSING_CATEGORY else each for each in column.categories]
        if isinstance(dtype, pd.CategoricalDtype):
            own = {str(each): each for each in dtype.categories}
            texts = [own.get(each) if each is not None else None for each in texts]
        written = pd.Series(np.array(texts, dtype=object)[cells.astype(np.int64)])
        try:
            return written if dtype is None else written.astype(dtype)
        except (TypeError, ValueError):  # such as missing whole numbers
            return written


def _names_of(estimator: object) -> tuple[str, ...]:
    """Return the features that a model says it was fitted on; empty where it says none."""
    found = getattr(estimator, "feature_names_in_", None)
    return () if found is None else tuple(map(str, found))


def classes_of(estimator: object) -> tuple[str, ...]:
    """Return the classes that a model says it predicts, as text; empty where it says none."""
    found = getattr(estimator, "classes_", None)
    return () if found is None else tuple(class_text(each) for each in np.asarray(found).ravel().tolist())
