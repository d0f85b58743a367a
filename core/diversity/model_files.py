"""A fitted scikit-learn model from a file in skops format; files that could run code are refused."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
import skops.io
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.tree._tree import Tree
from skops.io.exceptions import UnsupportedTypeException, UntrustedTypesFoundException

from core.diversity.dependence import Dependence, tree_dependence
from core.diversity.features import MISSING_CATEGORY, FeatureSpace, Float32Array, FloatArray
from core.diversity.outcomes import class_text, sorted_classes
from core.diversity.settings import Task
from core.errors import AuditInputError

LARGEST_UNPACKED_BYTES = 500_000_000
MOST_MEMBERS = 50_000

# skops distrusts the two tree storages because scikit-learn follows their node numbers without looking;
# `_check_trees` looks before anything is predicted. A dtype describes cells and runs nothing.
TRUSTED_TYPES = (
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "numpy.dtype",
)
_TEXT_PICKLES = (b"(", b"c", b"]", b"}")  # protocol 0 and 1; they end in a full stop
_PICKLES = (
    b"\x80",
    b"ZF",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"\x5d\x00\x00",
    b"\x78\x01",
    b"\x78\x5e",
    b"\x78\x9c",
    b"\x78\xda",
    b"\x04\x22\x4d\x18",
)
_BROKEN = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, ImportError, OSError, EOFError, MemoryError,
    OverflowError, RecursionError, RuntimeError, NotImplementedError, AssertionError, struct.error,
    zlib.error, zipfile.BadZipFile, UnsupportedTypeException,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedEstimator:
    """A fitted estimator and what it says of itself.

    Attributes
    ----------
    estimator
        Checked not to reach outside its own arrays.
    name
        File name.
    classes
        Its classes as text; empty for regression.
    task
        What it predicts.
    feature_names
        The columns it was fitted on, in order; None where it does not know them.
    n_features
        Their number.
    """

    estimator: BaseEstimator = field(repr=False)
    name: str
    classes: tuple[str, ...]
    task: Task
    feature_names: tuple[str, ...] | None
    n_features: int

    def check(self, *, task: Task, columns: Sequence[str]) -> None:
        """Check that the model fits the task and the features of the table.

        Raises
        ------
        AuditInputError
            It predicts something else, or was trained on other features; names them.
        """
        if task != self.task:
            raise AuditInputError(f"{self.name} holds a model for {self.task}; {task} was asked for.")
        if self.feature_names is None:
            if self.n_features != len(columns):
                raise AuditInputError(
                    f"{self.name} was trained on {self.n_features:,} features without names; the table has "
                    f"{len(columns):,}. Leave out the columns that are no features of the model."
                )
            return
        absent = [name for name in self.feature_names if name not in columns]
        if absent:
            raise AuditInputError(
                f"{self.name} was trained on {len(absent):,} of {self.n_features:,} features that the table "
                f"does not have: {_listed(absent)}."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class FileModel:
    """A model from a file, as the search uses it.

    Attributes
    ----------
    loaded
        The estimator.
    space
        How values are held.
    classes
        Classes of the label, the model's own among them.
    missing_as_zero
        Whether missing numbers reach the model as 0, because it refuses missing ones.
    """

    loaded: LoadedEstimator
    space: FeatureSpace = field(repr=False)
    classes: tuple[str, ...]
    missing_as_zero: bool = False

    @classmethod
    def of(
        cls, loaded: LoadedEstimator, *, space: FeatureSpace, classes: tuple[str, ...], values: FloatArray
    ) -> FileModel:
        """Return the model after it has predicted the untouched records once.

        Raises
        ------
        AuditInputError
            The model cannot predict them.
        """
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
        return f"{type(self.loaded.estimator).__name__} from {self.loaded.name}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences a reader should know."""
        given = "The model takes no missing values; missing numbers were given to it as 0."
        return (given,) if self.missing_as_zero else ()

    @cached_property
    def dependence(self) -> Dependence | None:
        """Say which columns predictions depend on: for trees and forests of numbers; None for others."""
        positions = self._positions
        if any(self.space.columns[position].categories is not None for position in positions):
            return None
        return tree_dependence(
            self.loaded.estimator,
            self._points,
            column_of=np.array(positions),
            n_columns=len(self.space.columns),
        )

    @property
    def scores(self) -> None:
        """Return None: the scores of a model from a file are not looked into."""
        return

    @property
    def _positions(self) -> list[int]:
        """Return the model's features in its own order."""
        names = self.loaded.feature_names
        if names is None:
            return list(range(len(self.space.columns)))
        return [self.space.position(name) for name in names]

    def _points(self, values: FloatArray) -> Float32Array:
        numbers = [self._decoded(values, position) for position in self._positions]
        return np.ascontiguousarray(np.column_stack(numbers), dtype=np.float32)

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): class positions or numbers.

        Raises
        ------
        AuditInputError
            The model cannot predict these records.
        """
        try:
            predicted = np.asarray(self.loaded.estimator.predict(self._as_trained(values)))
        except _BROKEN:
            raise AuditInputError(
                f"The model in {self.loaded.name} cannot predict the records: its features must hold what it "
                "was trained on, the same kinds of values and no category it has not seen."
            ) from None
        if self.loaded.task == "regression":
            return predicted.astype(np.float64)
        known, codes = np.unique(predicted, return_inverse=True)
        position = {name: number for number, name in enumerate(self.classes)}
        return np.array([position[class_text(each)] for each in known], dtype=np.float64)[codes]

    def _as_trained(self, values: FloatArray) -> pd.DataFrame | FloatArray:
        """Return the features as the model knows them: by name in its order, or as plain numbers."""
        decoded = {
            self.space.columns[position].name: self._decoded(values, position) for position in self._positions
        }
        frame = pd.DataFrame(decoded)
        return frame if self.loaded.feature_names is not None else frame.to_numpy()

    def _decoded(self, values: FloatArray, position: int) -> np.ndarray:
        column = self.space.columns[position]
        cells = values[:, position]
        if column.categories is None:
            return np.nan_to_num(cells, nan=0.0) if self.missing_as_zero else cells
        texts = np.array([None if c == MISSING_CATEGORY else c for c in column.categories], dtype=object)
        return texts[cells.astype(np.int64)]


def load_estimator(data: bytes, *, name: str) -> LoadedEstimator:
    """Load a fitted classifier or regressor from a skops file.

    Nothing of the file is run: only types that skops trusts are built, and trees whose node numbers
    have been checked.

    Raises
    ------
    AuditInputError
        The file is a pickle or joblib file whatever its name, is broken or too large, holds types
        that are not trusted (they are listed), or no fitted model.
    """
    _refuse_what_runs_code(data, name)
    _check_archive(data, name)
    try:
        estimator = skops.io.loads(data, trusted=list(TRUSTED_TYPES))
    except UntrustedTypesFoundException:
        raise AuditInputError(
            f"{name} holds types that are not trusted and was not loaded: {_listed(_untrusted(data))}. "
            "Models of scikit-learn's trees, forests, boosting, linear models, support vector machines and "
            "naive Bayes, also in pipelines, are accepted."
        ) from None
    except _BROKEN:
        raise AuditInputError(
            f"{name} is not a complete skops file: it is damaged, or from another version. Save the model "
            "again with skops.io.dump."
        ) from None
    return _described(estimator, name)


def _refuse_what_runs_code(data: bytes, name: str) -> None:
    if not data:
        raise AuditInputError(f"{name}: the file is empty (0 bytes).")
    if data.startswith(b"PK"):
        return
    if data.startswith(_PICKLES) or (data.startswith(_TEXT_PICKLES) and data.endswith(b".")):
        raise AuditInputError(
            f"{name} is a pickle or joblib file, whatever its name says; such files run code when they are "
            "opened, so they are refused. Save the model with skops.io.dump instead."
        )
    raise AuditInputError(f"{name} is not a skops file. Save the model with skops.io.dump.")


def _check_archive(data: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except _BROKEN:
        raise AuditInputError(
            f"{name} is not a complete skops file: it is damaged or cut off. Copy it again, or save the "
            "model again with skops.io.dump."
        ) from None
    unpacked = sum(member.file_size for member in members)
    if unpacked > LARGEST_UNPACKED_BYTES or len(members) > MOST_MEMBERS:
        raise AuditInputError(
            f"{name} would unpack to {unpacked / 1e6:,.0f} MB in {len(members):,} parts; at most "
            f"{LARGEST_UNPACKED_BYTES / 1e6:,.0f} MB in {MOST_MEMBERS:,} parts are read."
        )


def _untrusted(data: bytes) -> list[str]:
    try:
        found = skops.io.get_untrusted_types(data=data)
    except _BROKEN:
        return ["types that cannot be named"]
    return [each for each in found if each not in TRUSTED_TYPES]


def _described(estimator: object, name: str) -> LoadedEstimator:
    if not isinstance(estimator, BaseEstimator) or not hasattr(estimator, "predict"):
        raise AuditInputError(f"{name} holds no scikit-learn model that predicts.")
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise AuditInputError(f"{name} holds neither a classifier nor a regressor.")
    try:
        n_features = int(estimator.n_features_in_)
        names = getattr(estimator, "feature_names_in_", None)
        classes = (
            sorted_classes({class_text(c) for c in estimator.classes_}) if is_classifier(estimator) else ()
        )
        _check_trees(estimator)
    except _BROKEN:
        raise AuditInputError(
            f"{name} holds a model that was never fitted, or whose parts contradict each other."
        ) from None
    return LoadedEstimator(
        estimator=estimator,
        name=name,
        classes=classes,
        task="classification" if is_classifier(estimator) else "regression",
        feature_names=None if names is None else tuple(str(each) for each in names),
        n_features=n_features,
    )


def _check_trees(estimator: BaseEstimator) -> None:
    """Raise ValueError where a tree's node numbers or features reach outside its arrays.

    Children come after their parents in scikit-learn's trees, so a tree that passes also ends.
    """
    for owner, part in _parts(estimator, None, set()):
        n_features = int(getattr(owner, "n_features_in_", 0))
        if isinstance(part, Tree):
            _check_nodes(part.children_left, part.children_right, part.feature, n_features)
        elif isinstance(part, TreePredictor):
            nodes = part.nodes
            left = np.where(nodes["is_leaf"], -1, nodes["left"].astype(np.int64))
            right = np.where(nodes["is_leaf"], -1, nodes["right"].astype(np.int64))
            _check_nodes(left, right, nodes["feature_idx"], n_features)
            split_by_category = nodes[(nodes["is_categorical"] == 1) & (nodes["is_leaf"] == 0)]
            _require((split_by_category["bitset_idx"] < len(part.raw_left_cat_bitsets)).all())
        elif isinstance(part, BaseEstimator) and isinstance(owner, BaseEstimator):
            of_ensemble = hasattr(owner, "estimators_") and hasattr(part, "tree_")
            _require(not of_ensemble or int(part.n_features_in_) <= n_features)


def _check_nodes(left: np.ndarray, right: np.ndarray, feature: np.ndarray, n_features: int) -> None:
    _require(len(left) > 0)
    own = np.arange(len(left))
    inner = left != -1
    _require(((left > own) & (left < len(left)))[inner].all())
    _require(((right > own) & (right < len(left)))[inner].all())
    _require(((feature >= 0) & (feature < n_features))[inner].all())


def _require(holds: object) -> None:
    if not holds:
        raise ValueError("the parts of the model contradict each other")


def _parts(part: object, owner: object, seen: set[int]) -> Iterator[tuple[object, object]]:
    """Yield everything inside a model with the estimator it belongs to."""
    if id(part) in seen:
        return
    seen.add(id(part))
    yield owner, part
    if isinstance(part, dict):
        inside: Sequence[object] = list(part.values())
    elif isinstance(part, (list, tuple, set)) or (isinstance(part, np.ndarray) and part.dtype == object):
        inside = list(part.ravel()) if isinstance(part, np.ndarray) else list(part)
    else:
        inside = list(vars(part).values()) if hasattr(part, "__dict__") else []
    for each in inside:
        yield from _parts(each, part if isinstance(part, BaseEstimator) else owner, seen)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10:,} more"
