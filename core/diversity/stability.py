"""How much an accuracy owes to chance: the same kept records, split again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.diversity.cells import released_values
from core.diversity.evaluation import FEWEST_RECORDS, evaluate
from core.diversity.grid_search import Configuration
from core.diversity.problem import SearchProblem
from core.errors import AuditInputError

MOST_REPEATS = 1000


@dataclass(frozen=True, kw_only=True)
class Stability:
    """Accuracies of one configuration over several seeds.

    Attributes
    ----------
    accuracies
        One per repeat; the first is the search's own.
    """

    accuracies: tuple[float, ...]

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
    problem: SearchProblem, configuration: Configuration, *, n_repeats: int = 20
) -> Stability:
    """Split, minimize and measure one configuration again with other seeds.

    The cells and the model stay the same; repeat i adds i to both seeds of the splits. The range
    shows what the choice of hold-out does; it is no confidence interval, because the repeats share
    their records.

    Raises
    ------
    AuditInputError
        The configuration has no accuracy, or `n_repeats` is out of its range.
    """
    if not 1 <= n_repeats <= MOST_REPEATS:
        raise AuditInputError(
            f"The repeats must lie between 1 and {MOST_REPEATS:,}; {n_repeats} were asked for."
        )
    kept_set = configuration.kept_set
    if kept_set is None or configuration.evaluation is None or kept_set.n_kept < FEWEST_RECORDS:
        raise AuditInputError(
            f"k = {configuration.k}, l = {configuration.l} has no accuracy to repeat: {configuration.status}."
        )
    released = released_values(kept_set.cells, problem.values, problem.inputs.units)
    predictions = problem.inputs.predict(released)
    settings = problem.settings
    accuracies = []
    for repeat in range(n_repeats):
        seeds = replace(
            settings,
            holdout_seed=settings.holdout_seed + repeat,
            minimization_seed=settings.minimization_seed + repeat,
        )
        inputs = replace(problem.inputs, settings=seeds)
        accuracies.append(evaluate(inputs, released, predictions, kept_set.kept).accuracy)
    return Stability(accuracies=tuple(accuracies))
