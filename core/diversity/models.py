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
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from core.coding import FloatArray, IntArray
from core.diversity.features import FeatureSpace, Float32Array
from core.diversity.outcomes import Dependence, Outcome, tree_dependence
from core.diversity.settings import ModelKind
from core.words import input_error, text

_TOLERANCE = 1e-9  # thousands of times the rounding of a sum of 10,000 terms


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearScores:
    """A linear classifier over encoded features: the class with the largest score is predicted."""

    space: FeatureSpace  # how values are encoded
    # shape (n_encoded, n_classes): what one unit of an encoded feature adds to each score
    weights: FloatArray
    centre: FloatArray  # shape (n_encoded,): subtracted from encoded features first
    intercepts: FloatArray  # shape (n_classes,)
    classes: FloatArray  # shape (n_classes,): what is predicted

    def of_records(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores, shape (n_records, n_classes), and the size of all their terms, (n_records,)."""
        encoded = self.space.encode(values)
        scores = (encoded - self.centre) @ self.weights + self.intercepts
        largest = np.abs(self.weights).max(axis=1)
        size = (np.abs(encoded) + np.abs(self.centre)) @ largest + np.abs(self.intercepts).max()
        return scores, size

    def of_cells(self, cells: FloatArray, columns: IntArray) -> FloatArray:
        """Return shape (n_cells, n_classes): what cells of these feature columns add to the scores."""
        at, is_category = self.space.offsets[columns], self._is_category[columns]
        place = np.where(is_category, np.nan_to_num(cells), 0).astype(np.int64)
        amount = np.where(is_category, 1.0, np.nan_to_num(cells))
        return np.asarray(self.weights[at + place] * amount[:, np.newaxis])

    def predicted(self, scores: FloatArray, size: FloatArray) -> FloatArray:
        """Return shape (n,): the class of each row of scores, NaN where rounding might decide it."""
        first_two = np.partition(scores, -2, axis=1)[:, -2:]
        is_sure = first_two[:, 1] - first_two[:, 0] > _TOLERANCE * size
        return np.where(is_sure, self.classes[scores.argmax(axis=1)], np.nan)

    @property
    def _is_category(self) -> np.ndarray:
        return np.array([column.categories is not None for column in self.space.columns])


def linear_scores(estimator: object, space: FeatureSpace) -> LinearScores | None:
    """Return the scores of a scaler followed by a logistic regression; None for any other estimator."""
    if not isinstance(estimator, Pipeline) or len(estimator) != 2:
        return None
    scaler, last = estimator[0], estimator[1]
    if type(scaler) is not StandardScaler or type(last) is not LogisticRegression:
        return None
    coefficients, intercepts = last.coef_, last.intercept_
    if len(last.classes_) == 2:  # a single score, of the second class
        coefficients = np.vstack([np.zeros_like(coefficients), coefficients])
        intercepts = np.concatenate([[0.0], intercepts])
    return LinearScores(
        space=space,
        weights=(coefficients / scaler.scale_).T,
        centre=scaler.mean_,
        intercepts=intercepts,
        classes=last.classes_,
    )


_N_FOREST_TREES = 25


class Model(Protocol):
    """What the search needs of a model."""

    @property
    def description(self) -> str:
        """Say in a few words what the model is."""

    @property
    def dependence(self) -> Dependence | None:
        """Say which columns predictions depend on; None where it is not known."""

    @property
    def scores(self) -> LinearScores | None:
        """Return the scores of a linear classifier; None for any other model."""

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): class positions or numbers, for feature values as held."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedModel:
    """A scikit-learn estimator fitted here on encoded features."""

    estimator: object = field(repr=False)  # fitted on class positions or numbers
    space: FeatureSpace = field(repr=False)  # how values are encoded
    description: str  # what it is
    notes: tuple[str, ...] = ()  # sentences about the training that a reader should know

    @cached_property
    def dependence(self) -> Dependence | None:
        """Say which columns predictions depend on: for trees and forests; None for others."""
        return tree_dependence(
            self.estimator,
            self._points,
            column_of=np.repeat(np.arange(len(self.space.columns)), np.diff(self.space.offsets)),
            n_columns=len(self.space.columns),
        )

    @cached_property
    def scores(self) -> LinearScores | None:
        """Return the scores of a logistic regression; None for any other model."""
        return linear_scores(self.estimator, self.space)

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
