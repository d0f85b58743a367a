"""A fitted model from a skops file, on the side of the process that the file may end.

Nothing of the file is run: only types that skops trusts are built, and trees whose node numbers have
been checked. The native code of scikit-learn follows other numbers of a file without looking, so even
prediction stays here; see :mod:`core.processes.bounded_process`.
"""

import io
import struct
import zipfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.tree._tree import Tree

from core.diversity.outcomes import class_text, first_of, sorted_classes
from core.diversity.settings import Task
from core.words import Text, input_error, text

LARGEST_UNPACKED_BYTES = 500_000_000
_MOST_MEMBERS = 50_000

# skops distrusts the two tree storages because scikit-learn follows their node numbers without looking;
# `_check_trees` looks before anything is predicted. A dtype describes cells and runs nothing.
_TRUSTED_TYPES = (
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
# The model that this process was given last.
_HELD: list[BaseEstimator] = []


class Described(NamedTuple):
    """What a model says of itself."""

    kind: str  # what scikit-learn calls it
    classes: tuple[str, ...]  # as text; none for regression
    task: Task
    feature_names: tuple[str, ...] | None  # that it was fitted on, in order; None where it does not know them
    n_features: int


class Predicted(NamedTuple):
    """The classes predicted, none for regression, and for each record the place of one, or a number."""

    classes: tuple[str, ...]
    values: npt.NDArray[np.generic]  # shape (n_records,)


def load(content: pa.Buffer, name: str) -> Described:
    """Load a fitted classifier or regressor and describe it; it is kept for :func:`predict`."""
    import skops.io  # noqa: PLC0415 - loaded by the process that holds models alone
    from skops.io.exceptions import UntrustedTypesFoundException  # noqa: PLC0415 - the same

    data = content.to_pybytes()
    _refuse_what_runs_code(data, name)
    _check_archive(data, name)
    try:
        estimator = skops.io.loads(data, trusted=list(_TRUSTED_TYPES))
    except UntrustedTypesFoundException:
        raise input_error(
            "{file} holds types that are not trusted and was not loaded: {types}. Models of "
            "scikit-learn's trees, forests, boosting, linear models, support vector machines and naive "
            "Bayes, also in pipelines, are accepted.",
            file=name,
            types=_untrusted(data),
        ) from None
    except Exception:  # whatever a damaged part raises in this process, which serves no one else
        raise input_error(
            "{file} is not a complete skops file: it is damaged, or from another version. Save the model "
            "again with skops.io.dump.",
            file=name,
        ) from None
    description = _described(estimator, name)
    _HELD[:] = [estimator]
    return description


def predict(table: pa.Table, names: Sequence[str] | None, name: str) -> Predicted:
    """Predict records with the model that was loaded last."""
    estimator = _HELD[0]
    cells = {
        key: np.array(column.to_pylist(), dtype=object)
        if pa.types.is_string(column.type)
        else column.to_numpy()
        for key, column in zip(names or map(str, range(table.num_columns)), table.columns, strict=True)
    }
    frame = pd.DataFrame(cells)
    try:
        predicted = np.asarray(estimator.predict(frame if names is not None else frame.to_numpy()))
        if is_regressor(estimator):
            return Predicted((), predicted.astype(np.float64).reshape(len(table)))
        known, codes = np.unique(predicted, return_inverse=True)
        return Predicted(tuple(map(class_text, known)), codes.reshape(len(table)))
    except Exception:  # whatever its parts raise in this process, which serves no one else
        raise input_error(
            "The model in {file} cannot predict the records: its features must hold what it was trained "
            "on, the same kinds of values and no category it has not seen.",
            file=name,
        ) from None


def _refuse_what_runs_code(data: bytes, name: str) -> None:
    if not data:
        raise input_error("{file}: the file is empty (0 bytes).", file=name)
    if data.startswith(b"PK"):
        return
    if data.startswith(_PICKLES) or (data.startswith(_TEXT_PICKLES) and data.endswith(b".")):
        raise input_error(
            "{file} is a pickle or joblib file, whatever its name says; such files run code when they "
            "are opened, so they are refused. Save the model with skops.io.dump instead.",
            file=name,
        )
    raise input_error("{file} is not a skops file. Save the model with skops.io.dump.", file=name)


def _check_archive(data: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, OverflowError, ValueError, struct.error):
        raise input_error(
            "{file} is not a complete skops file: it is damaged or cut off. Copy it again, or save the "
            "model again with skops.io.dump.",
            file=name,
        ) from None
    unpacked = sum(member.file_size for member in members)
    if unpacked > LARGEST_UNPACKED_BYTES or len(members) > _MOST_MEMBERS:
        raise input_error(
            "{file} would unpack to {megabytes} MB in {n} part; at most {most} MB in {parts} parts are read.",
            "{file} would unpack to {megabytes} MB in {n} parts; at most {most} MB in {parts} parts are "
            "read.",
            n=len(members),
            file=name,
            megabytes=round(unpacked / 1e6),
            most=round(LARGEST_UNPACKED_BYTES / 1e6),
            parts=_MOST_MEMBERS,
        )


def _untrusted(data: bytes) -> Text:
    import skops.io  # noqa: PLC0415 - as above

    try:
        found = skops.io.get_untrusted_types(data=data)
    except Exception:  # whatever a damaged part raises in this process, which serves no one else
        return text("types that cannot be named")
    return first_of([each for each in found if each not in _TRUSTED_TYPES])


def _described(estimator: object, name: str) -> Described:
    if not isinstance(estimator, BaseEstimator) or not hasattr(estimator, "predict"):
        raise input_error("{file} holds no scikit-learn model that predicts.", file=name)
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise input_error("{file} holds neither a classifier nor a regressor.", file=name)
    try:
        n_features = int(estimator.n_features_in_)
        names = getattr(estimator, "feature_names_in_", None)
        classes = (
            sorted_classes({class_text(c) for c in estimator.classes_}) if is_classifier(estimator) else ()
        )
        _check_trees(estimator)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise input_error(
            "{file} holds a model that was never fitted, or whose parts contradict each other.", file=name
        ) from None
    return Described(
        kind=type(estimator).__name__,
        classes=tuple(classes),
        task="classification" if is_classifier(estimator) else "regression",
        feature_names=None if names is None else tuple(map(str, names)),
        n_features=n_features,
    )


def _check_trees(estimator: BaseEstimator) -> None:
    """Raise ValueError where a node's number or feature is outside its tree, or a child before its parent."""
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
