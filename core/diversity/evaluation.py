"""One set of kept records: minimize, and measure the model on the hold-out."""

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import cast

import numpy as np
from sklearn.model_selection import train_test_split

from core.chance import wilson_interval
from core.coding import FloatArray, IntArray
from core.diversity.cells import QuasiIdentifierUnit
from core.diversity.features import FeatureSpace
from core.diversity.minimization import ShouldStop, minimize, never
from core.diversity.minimized import CellUse, Minimization, MinimizationProblem, cell_use, unit_ncp
from core.diversity.models import Model
from core.diversity.outcomes import Outcome
from core.diversity.settings import DiversitySettings

_HOLDOUT_SHARE = 0.4
FEWEST_RECORDS = 4  # two to fit and two to hold out, of which one each is split off again


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """How useful one set of anonymized records is to the model."""

    n_holdout: int  # records of the outer hold-out
    # accuracy (R² for regression) of the model on the hold-out, anonymized and minimized, against the true
    # labels
    accuracy: float
    # Wilson's 95 % interval of the accuracy for a hold-out of that size; None for regression
    accuracy_low: float | None
    accuracy_high: float | None
    # the same hold-out anonymized, not minimized: what minimization alone costs is the difference
    anonymized_accuracy: float
    # The same hold-out as it was. Removing records changes which ones are left to test on, so this, not the
    # accuracy on all records, is what the accuracy is to be compared with.
    untouched_accuracy: float
    outcome: Outcome = field(repr=False)  # the true labels of all records
    # shape (n_holdout,): what the model says of the hold-out, anonymized and minimized, and what is true
    predicted: FloatArray = field(repr=False)
    truth: FloatArray = field(repr=False)
    minimization: Minimization = field(repr=False)  # the minimization, to describe it or apply it
    # the records the minimization was made from; its sources are positions among them
    first_records: IntArray = field(repr=False)
    holdout_use: CellUse = field(repr=False)  # the minimization's cells that the hold-out is in

    @cached_property
    def balanced_accuracy(self) -> float | None:
        """Return the mean over the classes of the hold-out of the accuracy on each; None for regression."""
        return self.outcome.balanced_agreement(self.predicted, self.truth)

    @cached_property
    def baseline_accuracy(self) -> float:
        """Return the hold-out's accuracy of the other kept records' most frequent class; 0 for regression."""
        return self.outcome.baseline(self.outcome.values[self.first_records], self.truth)

    @property
    def beats_baseline(self) -> bool:
        """Return whether the model says more than the most frequent class does."""
        return self.accuracy > self.baseline_accuracy

    @cached_property
    def minimization_ncp(self) -> float:
        """Return the penalty in [0, 1] of minimizing the hold-out, mean over the quasi-identifiers."""
        return float(unit_ncp(self.minimization, self.holdout_use).mean())


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationInputs:
    """What every evaluation shares."""

    space: FeatureSpace  # how values are held, and the quasi-identifiers among them
    units: tuple[QuasiIdentifierUnit, ...]
    model: Model | None  # the model, None where there are only its predictions
    outcome: Outcome  # the true labels of all records
    untouched: FloatArray  # shape (n_records,): the predictions for the records as they are
    settings: DiversitySettings  # target accuracy, majority rule, seeds

    def predict(self, values: FloatArray) -> FloatArray:
        """Return shape (n_records,): the model's predictions; there must be a model."""
        if self.model is None:
            raise ValueError("There is no model, only its predictions.")
        return self.model.predict(values)


def evaluate(
    inputs: EvaluationInputs,
    released: FloatArray,
    predictions: FloatArray,
    kept: IntArray,
    *,
    should_stop: ShouldStop = never,
) -> Evaluation:
    """Minimize the kept records and measure the model on their hold-out."""
    first, held_out = _split(len(kept), inputs.settings.holdout_seed)
    first_records, held_out_records = kept[first], kept[held_out]
    fit, inner = _split_like(predictions[first_records], inputs)
    minimization = minimize(
        _minimization_problem(inputs),
        released[first_records],
        predictions[first_records],
        fit=fit,
        held_out=inner,
        should_stop=should_stop,
    )
    holdout, truth = released[held_out_records], inputs.outcome.values[held_out_records]
    nodes = minimization.cell_of(holdout)
    predicted = inputs.predict(minimization.replaced(holdout, nodes))
    accuracy = inputs.outcome.agreement(predicted, truth)
    is_class = inputs.outcome.task == "classification"
    low, high = wilson_interval(round(accuracy * len(truth)), len(truth)) if is_class else (None, None)
    return Evaluation(
        n_holdout=len(truth),
        accuracy=accuracy,
        accuracy_low=low,
        accuracy_high=high,
        anonymized_accuracy=inputs.outcome.agreement(predictions[held_out_records], truth),
        untouched_accuracy=inputs.outcome.agreement(inputs.untouched[held_out_records], truth),
        outcome=inputs.outcome,
        predicted=predicted,
        truth=truth,
        minimization=minimization,
        first_records=first_records,
        holdout_use=cell_use(minimization, holdout, nodes),
    )


def _minimization_problem(inputs: EvaluationInputs) -> MinimizationProblem:
    return MinimizationProblem(
        space=inputs.space,
        units=inputs.units,
        predict=inputs.predict,
        outcome=inputs.outcome,
        majority=inputs.settings.majority,
        target_accuracy=inputs.settings.target,
    )


@lru_cache(maxsize=4096)
def _split(n_records: int, seed: int) -> tuple[IntArray, IntArray]:
    """Return the positions of the part to fit and of the hold-out; they depend on the number only."""
    parts = train_test_split(np.arange(n_records), test_size=_HOLDOUT_SHARE, random_state=seed)
    return cast("tuple[IntArray, IntArray]", tuple(parts))


def _split_like(predictions: FloatArray, inputs: EvaluationInputs) -> tuple[IntArray, IntArray]:
    """Return a split stratified by the predictions, or a plain one where a class is too small."""
    seed = inputs.settings.minimization_seed
    parts = stratified_split(predictions, seed) if inputs.outcome.task == "classification" else None
    return parts or _split(len(predictions), seed)


def stratified_split(classes: FloatArray, seed: int) -> tuple[IntArray, IntArray] | None:
    """Return the positions of both parts; None of a class of one record, and of fewer places than classes."""
    sizes = np.unique(classes, return_counts=True)[1]
    n_out = math.ceil(_HOLDOUT_SHARE * len(classes))
    if sizes.min() < 2 or min(n_out, len(classes) - n_out) < len(sizes):
        return None
    everyone = np.arange(len(classes))
    parts = train_test_split(everyone, test_size=_HOLDOUT_SHARE, random_state=seed, stratify=classes)
    return cast("tuple[IntArray, IntArray]", tuple(parts))
