"""How much an accuracy owes to chance: the same kept records, split again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.diversity.cells import released_values
from core.diversity.evaluation import EvaluationInputs, evaluate
from core.diversity.grid_search import Configuration, OnProgress
from core.diversity.problem import SearchProblem
from core.diversity.stopping import SearchStoppedError, ShouldStop, never
from core.errors import AuditInputError

MOST_REPEATS = 1000


@dataclass(frozen=True, kw_only=True)
class Stability:
    """Accuracies of one configuration over several seeds."""

    accuracies: tuple[float, ...]  # one per repeat done; the first is the search's own

    @property
    def mean(self) -> float:
        """Return the mean accuracy."""
        return float(np.mean(self.accuracies))

    @property
    def low(self) -> float:
        """Return the accuracy that 2.5 % of the repeats are at or below."""
        return float(np.quantile(self.accuracies, 0.025))

    @property
    def high(self) -> float:
        """Return the accuracy that 2.5 % of the repeats are at or above."""
        return float(np.quantile(self.accuracies, 0.975))


def repeat_configuration(
    problem: SearchProblem,
    configuration: Configuration,
    *,
    n_repeats: int = 20,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop = never,
) -> Stability:
    """Split, minimize and measure one configuration again with other seeds.

    The cells and the model stay the same; repeat i adds i to both seeds of the splits. The range
    shows what the choice of hold-out does; it is no confidence interval, because the repeats share
    their records.

    Parameters
    ----------
    problem, configuration
        What was searched, and the pair.
    n_repeats
        How many accuracies are wanted, the search's own among them.
    on_progress
        Called with the repeats done and all repeats.
    should_stop
        Asked before every repeat and within it; what is done is kept.

    Raises
    ------
    AuditInputError
        The configuration has no accuracy, or `n_repeats` is out of its range.
    """
    if not 1 <= n_repeats <= MOST_REPEATS:
        raise AuditInputError(
            f"The repeats must lie between 1 and {MOST_REPEATS:,}; {n_repeats} were asked for."
        )
    kept_set, evaluation = configuration.kept_set, configuration.evaluation
    if kept_set is None or evaluation is None:
        raise AuditInputError(
            f"k = {configuration.k}, l = {configuration.l} has no accuracy to repeat: {configuration.status}."
        )
    released = released_values(kept_set.cells, problem.values, problem.inputs.units)
    predictions = problem.inputs.predict(released)
    accuracies = [evaluation.accuracy]
    for repeat in range(1, n_repeats):
        inputs = _with_other_seeds(problem, repeat)
        if should_stop():
            break
        try:
            found = evaluate(inputs, released, predictions, kept_set.kept, should_stop=should_stop)
        except SearchStoppedError:
            break
        accuracies.append(found.accuracy)
        if on_progress is not None:
            on_progress(repeat + 1, n_repeats)
    return Stability(accuracies=tuple(accuracies))


def _with_other_seeds(problem: SearchProblem, repeat: int) -> EvaluationInputs:
    settings = problem.settings
    seeds = replace(
        settings,
        holdout_seed=settings.holdout_seed + repeat,
        minimization_seed=settings.minimization_seed + repeat,
    )
    return replace(problem.inputs, settings=seeds)
