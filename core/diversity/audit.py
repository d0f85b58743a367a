"""The search as a whole, and what to make of it: filters, Pareto front, recommendation, findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from core.diversity.findings import configuration_findings, percent, search_findings
from core.diversity.grid_search import Configuration, OnProgress, Status, search
from core.diversity.problem import SearchProblem
from core.diversity.settings import DiversitySettings
from core.diversity.stopping import ShouldStop
from core.errors import AuditInputError
from core.verdict import Finding, Verdict, worst, worst_first

Sort = Literal["accuracy", "deletion_ratio"]
RECOMMENDED_DELETION = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class DiversitySearch:
    """A finished or stopped grid search."""

    problem: SearchProblem  # what was searched
    # every pair of k and l, in the order of the grid
    configurations: tuple[Configuration, ...] = field(repr=False)

    def configuration(self, k: int, l: int) -> Configuration:  # noqa: E741 - the model's own letter
        """Return the configuration of one pair.

        Raises
        ------
        AuditInputError
            The pair is not in the grid.
        """
        for configuration in self.configurations:
            if (configuration.k, configuration.l) == (k, l):
                return configuration
        settings = self.problem.settings
        raise AuditInputError(
            f"k = {k}, l = {l} was not searched: k runs from {settings.k_min} to {settings.k_max}, "
            f"and l from {settings.l_min} to k."
        )


@dataclass(frozen=True, kw_only=True)
class DiversityThresholds:
    """What the person can live with; judged anew at once when it changes."""

    min_accuracy: float | None = None  # in [0, 1]; None for the target accuracy of the search
    max_deletion: float = 1.0  # largest share of records removed, in [0, 1]
    sort: Sort = "accuracy"  # ``accuracy`` (descending) or ``deletion_ratio`` (ascending)


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """A configuration to start from, and why."""

    k: int
    l: int  # noqa: E741 - the model's own letter
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class DiversityAudit:
    """What came of a search under some thresholds."""

    search: DiversitySearch  # what was judged
    thresholds: DiversityThresholds
    # all evaluated pairs that meet the thresholds, those that remove nothing included, in the order of the
    # grid
    within_limits: tuple[Configuration, ...]
    # the result list: deletion above 0, accuracy at or above the target, k and l verified on the released
    # bytes, within the thresholds; sorted
    offered: tuple[Configuration, ...]
    # pairs that no other evaluated pair beats in accuracy, deletion and NCP at once; of the pairs that
    # release the same, the strongest
    pareto: tuple[Configuration, ...]
    recommended: Recommendation | None  # where to start, None where nothing meets the thresholds
    findings: tuple[Finding, ...]  # what to know, worst first
    # PASS when some configuration meets the thresholds with k and l verified, FAIL when none does,
    # NOT_ASSESSED when accuracy cannot be assessed
    verdict: Verdict
    overall: Verdict  # the worse of the verdict and the findings


def measure_diversity(
    problem: SearchProblem,
    *,
    n_jobs: int = 1,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> DiversitySearch:
    """Run the grid search with every release verified; see `search` for the parameters."""
    configurations = search(problem, n_jobs=n_jobs, on_progress=on_progress, should_stop=should_stop)
    return DiversitySearch(problem=problem, configurations=configurations)


def judge_diversity(
    measured: DiversitySearch, thresholds: DiversityThresholds | None = None
) -> DiversityAudit:
    """Filter and sort the configurations, and say what to make of them.

    Raises
    ------
    AuditInputError
        A threshold is out of its range.
    """
    thresholds = thresholds or DiversityThresholds()
    _check_thresholds(thresholds)
    meeting = [each for each in measured.configurations if _meets(each, measured, thresholds)]
    recommended = _recommendation(meeting, measured)
    findings = search_findings(measured.problem, measured.configurations, n_within_limits=len(meeting))
    if recommended is not None:
        chosen = measured.configuration(recommended.k, recommended.l)
        findings += configuration_findings(measured.problem, chosen)
    verdict = _verdict(measured, recommended)
    return DiversityAudit(
        search=measured,
        thresholds=thresholds,
        within_limits=tuple(meeting),
        offered=tuple(_sorted([each for each in meeting if each.stored], thresholds.sort)),
        pareto=pareto_front(meeting),
        recommended=recommended,
        findings=worst_first(findings),
        verdict=verdict,
        overall=worst([verdict, *(finding.verdict for finding in findings)]),
    )


def pareto_front(configurations: Sequence[Configuration]) -> tuple[Configuration, ...]:
    """Return those that no other beats: accuracy as high, deletion and NCP as low, and one better.

    Pairs that keep the same records in the same cells are one point; the strongest stands for it.
    """
    strongest: dict[bytes, Configuration] = {}
    for each in configurations:
        if each.kept_set is None or each.accuracy is None:
            continue
        key = each.kept_set.key
        if key not in strongest or (each.l, each.k) > (strongest[key].l, strongest[key].k):
            strongest[key] = each
    points = list(strongest.values())
    costs = np.array([_costs(each) for each in points]).reshape(len(points), 3)
    front = [
        each
        for each, cost in zip(points, costs, strict=True)
        if not ((costs <= cost).all(axis=1) & (costs < cost).any(axis=1)).any()
    ]
    return tuple(sorted(front, key=lambda each: (each.k, each.l)))


def _costs(configuration: Configuration) -> tuple[float, float, float]:
    ncp = configuration.kept_set.ncp if configuration.kept_set else None
    return (-(configuration.accuracy or 0.0), configuration.deletion_ratio or 0.0, ncp or 0.0)


def _check_thresholds(thresholds: DiversityThresholds) -> None:
    problems = []
    if thresholds.min_accuracy is not None and not 0 <= thresholds.min_accuracy <= 1:
        problems.append(f"The smallest accuracy must lie between 0 and 1; it is {thresholds.min_accuracy:g}.")
    if not 0 <= thresholds.max_deletion <= 1:
        problems.append(f"The largest deletion must lie between 0 and 1; it is {thresholds.max_deletion:g}.")
    if thresholds.sort not in get_args(Sort):
        problems.append(f"sort must be one of {', '.join(get_args(Sort))}; it is {thresholds.sort}.")
    if problems:
        raise AuditInputError(*problems)


def _meets(configuration: Configuration, measured: DiversitySearch, thresholds: DiversityThresholds) -> bool:
    if configuration.status not in (Status.OFFERED, Status.NO_DELETION):
        return False
    least = measured.problem.settings.target_accuracy
    if thresholds.min_accuracy is not None:
        least = max(least, thresholds.min_accuracy)
    accuracy, deletion = configuration.accuracy, configuration.deletion_ratio
    return (
        accuracy is not None
        and deletion is not None
        and (accuracy >= least and deletion <= thresholds.max_deletion)
    )


def _sorted(configurations: list[Configuration], sort: Sort) -> list[Configuration]:
    if sort == "accuracy":
        return sorted(configurations, key=lambda c: (-(c.accuracy or 0), c.deletion_ratio or 0, -c.l, -c.k))
    return sorted(configurations, key=lambda c: (c.deletion_ratio or 0, -(c.accuracy or 0), -c.l, -c.k))


def _recommendation(meeting: list[Configuration], measured: DiversitySearch) -> Recommendation | None:
    """Return the strongest protection within the limits.

    Where possible among the pairs at which the model is not clearly worse than the most frequent label, of
    those among the pairs that remove at most a fifth of the records, and of those among the pairs that
    reach the target accuracy even at the low end of the interval.
    """
    if not meeting:
        return None
    settings = measured.problem.settings
    useful = [each for each in meeting if not _is_clearly_useless(each)]
    better_than_guessing = 0 < len(useful) < len(meeting)
    meeting = useful or meeting
    few = [each for each in meeting if (each.deletion_ratio or 0.0) <= RECOMMENDED_DELETION]
    sure = [each for each in few or meeting if _low_end(each) >= settings.target_accuracy]
    among = sure or few or meeting
    best = max(among, key=lambda each: (each.l, each.k, each.accuracy or 0.0))
    is_one = len(among) == 1
    conditions = ["is within your limits" if is_one else "are within your limits"]
    if better_than_guessing:
        conditions.append(
            f"{'is' if is_one else 'are'} not clearly worse than saying the most frequent label"
        )
    if few:
        verb = "removes" if is_one else "remove"
        conditions.append(f"{verb} at most {percent(RECOMMENDED_DELETION)} of the records")
    if sure and settings.task == "classification":
        verb, target = "keeps" if is_one else "keep", percent(settings.target_accuracy)
        conditions.append(f"{verb} {target} accuracy even at the low end of its 95 % interval")
    return Recommendation(k=best.k, l=best.l, reason=_reason(best, len(among), conditions, settings))


def _reason(best: Configuration, n_among: int, conditions: list[str], settings: DiversitySettings) -> str:
    *others, last = conditions
    those = f"{', '.join(others)} and {last}" if others else last
    pair = f"k = {best.k}, l = {best.l}"
    choice = f"Of the {n_among:,} pairs that {those}, {pair} has the largest l, and then the largest k"
    if n_among == 1:
        choice = f"Only {pair} {those}"
    name = "accuracy" if settings.task == "classification" else "R²"
    return (
        f"{choice}; it has {name} {percent(best.accuracy or 0.0)} and removes "
        f"{percent(best.deletion_ratio or 0.0)} of the records."
    )


def _is_clearly_useless(configuration: Configuration) -> bool:
    """Return whether even the high end of the accuracy's interval is below the most frequent label's."""
    evaluation = configuration.evaluation
    if evaluation is None or evaluation.accuracy_high is None:
        return False
    return evaluation.accuracy_high < evaluation.baseline_accuracy


def _low_end(configuration: Configuration) -> float:
    evaluation = configuration.evaluation
    if evaluation is None:
        return float("-inf")
    return evaluation.accuracy if evaluation.accuracy_low is None else evaluation.accuracy_low


def _verdict(measured: DiversitySearch, recommended: Recommendation | None) -> Verdict:
    if recommended is not None:
        return Verdict.PASS
    return Verdict.NOT_ASSESSED if measured.problem.inputs.model is None else Verdict.FAIL
