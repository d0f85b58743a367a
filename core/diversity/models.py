"""The model whose accuracy is to be kept: trained here, or a column of predictions."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, get_args

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from core.coding import FloatArray
from core.diversity.features import FeatureSpace, Float32Array
from core.diversity.outcomes import Outcome
from core.diversity.settings import ModelKind
from core.words import input_error, text

_N_FOREST_TREES = 25


class Model(Protocol):
    """What the search needs of a model."""

    @property
    def description(self) -> str:
        """Say in a few words what the model is."""

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): class positions or numbers, for feature values as held."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedModel:
    """A scikit-learn estimator fitted here on encoded features."""

    estimator: object = field(repr=False)  # fitted on class positions or numbers
    space: FeatureSpace = field(repr=False)  # how values are encoded
    description: str  # what it is
    notes: tuple[str, ...] = ()  # sentences about the training that a reader should know

    def _points(self, values: FloatArray) -> Float32Array:
        return np.ascontiguousarray(self.space.encode(values), dtype=np.float32)

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): the estimator's predictions."""
        return np.asarray(self.estimator.predict(self.space.encode(values)))  # type: ignore[attr-defined]


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeModel(TrainedModel):
    """A single tree: its leaf says the prediction, thirty times faster than asking the estimator."""

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): the prediction of each record's leaf."""
        return self._of_leaf[self._tree.apply(self._points(values))]

    @cached_property
    def _tree(self) -> Any:
        return self.estimator.tree_  # type: ignore[attr-defined]

    @cached_property
    def _of_leaf(self) -> FloatArray:
        """Return shape (n_nodes,): what each node predicts."""
        weights = self._tree.value[:, 0, :]
        if isinstance(self.estimator, DecisionTreeRegressor):
            return np.asarray(weights[:, 0])
        return np.asarray(self.estimator.classes_[weights.argmax(axis=1)])  # type: ignore[attr-defined]


def train_model(
    kind: str, space: FeatureSpace, values: FloatArray, outcome: Outcome, *, seed: int = 10
) -> TrainedModel:
    """Fit one of the offered models."""
    if kind not in get_args(ModelKind):
        kinds = ", ".join(get_args(ModelKind))
        raise input_error("The model must be one of {kinds}; it is {kind}.", kinds=kinds, kind=kind)
    if outcome.task == "classification" and len(np.unique(outcome.values)) == 1:
        raise input_error(
            "The only training record has one label; a classifier needs at least two classes.",
            "All {n} training records have the same label; a classifier needs at least two classes.",
            n=len(values),
        )
    estimator, description = _estimator(kind, outcome, seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        estimator.fit(space.encode(values), outcome.values)  # type: ignore[attr-defined]
    stopped_early = any(issubclass(each.category, ConvergenceWarning) for each in caught)
    note = (
        "The logistic regression stopped before it had converged; its accuracy may be lower than it could be."
    )
    made = TreeModel if kind == "tree" else TrainedModel
    return made(
        estimator=estimator, space=space, description=description, notes=(note,) if stopped_early else ()
    )


def _estimator(kind: str, outcome: Outcome, seed: int) -> tuple[object, str]:
    """Return an unfitted estimator and what to call it."""
    if outcome.task == "classification":
        choices: dict[str, tuple[object, str]] = {
            "tree": (DecisionTreeClassifier(random_state=seed), "decision tree"),
            "forest": (
                RandomForestClassifier(n_estimators=_N_FOREST_TREES, random_state=seed),
                text("random forest of {trees} trees", trees=_N_FOREST_TREES),
            ),
            "boosting": (HistGradientBoostingClassifier(random_state=seed), "gradient boosting"),
            "logistic": (
                make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed)),
                "logistic regression",
            ),
        }
    else:
        choices = {
            "tree": (DecisionTreeRegressor(random_state=seed), "regression tree"),
            "forest": (
                RandomForestRegressor(n_estimators=_N_FOREST_TREES, random_state=seed),
                text("random forest of {trees} regression trees", trees=_N_FOREST_TREES),
            ),
            "boosting": (HistGradientBoostingRegressor(random_state=seed), "gradient boosting for numbers"),
            "logistic": (make_pipeline(StandardScaler(), LinearRegression()), "linear regression"),
        }
    return choices[kind]
