"""The scores of a linear classifier after one column changes, without asking the classifier again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from core.coding import IntArray
from core.diversity.features import FeatureSpace, FloatArray

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
