"""The search as a whole, and what to make of it: filters, Pareto front, recommendation, findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from core.diversity.grid_search import Configuration, OnProgress, ShouldStop, Status, search
from core.diversity.problem import SearchProblem
from core.diversity.release import released_table
from core.equivalence import equivalence_classes
from core.errors import AuditInputError
from core.verdict import Finding, Verdict, worst

Sort = Literal["accuracy", "deletion_ratio"]
FEW_HOLDOUT_RECORDS = 100
RECOMMENDED_DELETION = 0.2
_CONTINUOUS_SHARE = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class DiversitySearch:
    """A finished or stopped grid search.

    Attributes
    ----------
    problem
        What was searched.
    configurations
        Every pair of k and l, in the order of the grid.
    """

    problem: SearchProblem
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
    """What the person can live with; judged anew at once when it changes.

    Attributes
    ----------
    min_accuracy
        In [0, 1]; None for the target accuracy of the search.
    max_deletion
        Largest share of records removed, in [0, 1].
    sort
        ``accuracy`` (descending) or ``deletion_ratio`` (ascending).
    """

    min_accuracy: float | None = None
    max_deletion: float = 1.0
    sort: Sort = "accuracy"


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """A configuration to start from, and why."""

    k: int
    l: int  # noqa: E741 - the model's own letter
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class DiversityAudit:
    """What came of a search under some thresholds.

    Attributes
    ----------
    search, thresholds
        What was judged.
    offered
        The result list: deletion above 0, accuracy at or above the target, k and l verified on the
        released bytes, within the thresholds; sorted.
    pareto
        Pairs that no other evaluated pair beats in accuracy, deletion and NCP at once; of the pairs
        that release the same, the strongest.
    recommended
        Where to start, None where nothing meets the thresholds.
    findings
        What to know, worst first.
    verdict
        PASS when some configuration meets the thresholds with k and l verified, FAIL when none
        does, NOT_ASSESSED when accuracy cannot be assessed.
    overall
        The worse of the verdict and the findings.
    """

    search: DiversitySearch
    thresholds: DiversityThresholds
    offered: tuple[Configuration, ...]
    pareto: tuple[Configuration, ...]
    recommended: Recommendation | None
    findings: tuple[Finding, ...]
    verdict: Verdict
    overall: Verdict


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
    findings = _findings(measured, meeting, recommended)
    verdict = _verdict(measured, recommended)
    return DiversityAudit(
        search=measured,
        thresholds=thresholds,
        offered=tuple(_sorted([each for each in meeting if each.stored], thresholds.sort)),
        pareto=pareto_front(meeting),
        recommended=recommended,
        findings=findings,
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

    Where possible among the pairs that remove at most a fifth of the records, and of those among the
    pairs that reach the target accuracy even at the low end of the interval.
    """
    if not meeting:
        return None
    settings = measured.problem.settings
    few = [each for each in meeting if (each.deletion_ratio or 0.0) <= RECOMMENDED_DELETION]
    sure = [each for each in few or meeting if _low_end(each) >= settings.target_accuracy]
    best = max(sure or few or meeting, key=lambda each: (each.l, each.k, each.accuracy or 0.0))
    name = "accuracy" if settings.task == "classification" else "R²"
    group = f"pairs within your limits whose {name} reaches {settings.target_accuracy:.1%}"
    if settings.task == "classification":
        group += " even at the low end of its 95 % interval" if sure else ", though not at its low end"
    removing = f" and that remove at most {RECOMMENDED_DELETION:.0%} of the records" if few else ""
    reason = (
        f"k = {best.k}, l = {best.l} has the largest l, and then the largest k, of the "
        f"{len(sure or few or meeting):,} {group}{removing}; it has {name} "
        f"{best.accuracy or 0.0:.1%} and removes {best.deletion_ratio or 0.0:.1%} of the records."
    )
    return Recommendation(k=best.k, l=best.l, reason=reason)


def _low_end(configuration: Configuration) -> float:
    evaluation = configuration.evaluation
    if evaluation is None:
        return float("-inf")
    return evaluation.accuracy if evaluation.accuracy_low is None else evaluation.accuracy_low


def _verdict(measured: DiversitySearch, recommended: Recommendation | None) -> Verdict:
    if recommended is not None:
        return Verdict.PASS
    return Verdict.NOT_ASSESSED if measured.problem.inputs.model is None else Verdict.FAIL


def _findings(
    measured: DiversitySearch, meeting: list[Configuration], recommended: Recommendation | None
) -> tuple[Finding, ...]:
    problem = measured.problem
    found = [
        *_about_the_search(measured, meeting),
        *_about_cells(problem),
        *_about_sensitive(problem),
        *problem.notes,
    ]
    if recommended is not None:
        found += _about_the_recommended(measured, recommended)
    return tuple(sorted(found, key=lambda finding: -finding.verdict.severity))


def _about_the_search(measured: DiversitySearch, meeting: list[Configuration]) -> list[Finding]:
    n_pairs = len(measured.configurations)
    n_stopped = sum(each.status is Status.STOPPED for each in measured.configurations)
    n_unverified = sum(each.status is Status.NOT_VERIFIED for each in measured.configurations)
    found = []
    if n_stopped:
        found.append(
            Finding(
                check="search_stopped",
                verdict=Verdict.NOT_ASSESSED,
                message=f"The search was stopped: {n_stopped:,} of {n_pairs:,} pairs of k and l were not "
                "evaluated.",
                n_affected=n_stopped,
            )
        )
    if n_unverified:
        found.append(
            Finding(
                check="verification",
                verdict=Verdict.FAIL,
                message=f"In {n_unverified:,} of {n_pairs:,} pairs the released table did not keep k and l "
                "when it was read back; they are not offered.",
                n_affected=n_unverified,
            )
        )
    if measured.problem.inputs.model is None:
        found.append(
            Finding(
                check="accuracy_unknown",
                verdict=Verdict.NOT_ASSESSED,
                message="With a column of predictions instead of a model, the accuracy on anonymized or "
                "minimized records cannot be assessed: nobody can ask the model again.",
            )
        )
    elif not meeting and n_stopped < n_pairs:
        found.append(
            Finding(
                check="nothing_within_limits",
                verdict=Verdict.FAIL,
                message=f"None of the {n_pairs - n_stopped:,} evaluated pairs of k and l meets the limits.",
            )
        )
    return found


def _about_cells(problem: SearchProblem) -> list[Finding]:
    steering = {
        "all_features": "every feature, the sensitive attribute included, and the label decide which records "
        "share a cell; a cell can tell more than its quasi-identifiers do",
        "quasi_identifiers": "the label decides where the quasi-identifiers are cut; a cell can tell more "
        "about the label than its quasi-identifiers do",
    }
    if problem.settings.cells not in steering:
        return []
    return [
        Finding(
            check="cells_are_steered",
            verdict=Verdict.WARN,
            message=f"With these cells, {steering[problem.settings.cells]}. Proper cells avoid that.",
        )
    ]


def _about_sensitive(problem: SearchProblem) -> list[Finding]:
    found = []
    for attribute in problem.sensitive:
        if attribute.numeric and attribute.edges is None:
            share = attribute.n_distinct / problem.n_records
            if share > _CONTINUOUS_SHARE:
                found.append(
                    Finding(
                        check="continuous_sensitive",
                        verdict=Verdict.WARN,
                        message=f"“{attribute.name}” has {attribute.n_distinct:,} different numbers in "
                        f"{problem.n_records:,} records, so nearly every cell counts as diverse although its "
                        "values may be close together. Bins avoid that.",
                        column=attribute.name,
                        n_affected=attribute.n_distinct,
                    )
                )
        elif attribute.n_values < problem.settings.l_min:
            found.append(
                Finding(
                    check="too_few_values",
                    verdict=Verdict.WARN,
                    message=f"“{attribute.name}” has {attribute.n_values:,} values to count, fewer than the "
                    f"smallest l, {problem.settings.l_min}: no cell can be kept.",
                    column=attribute.name,
                    n_affected=attribute.n_values,
                )
            )
    return found


def _about_the_recommended(measured: DiversitySearch, recommended: Recommendation) -> list[Finding]:
    problem = measured.problem
    configuration = measured.configuration(recommended.k, recommended.l)
    found = untouched_columns(problem, configuration)
    evaluation = configuration.evaluation
    if evaluation is not None:
        found += _about_accuracy(problem, recommended, configuration)
    return found


def _about_accuracy(
    problem: SearchProblem, recommended: Recommendation, configuration: Configuration
) -> list[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None:
        return []
    name = "Accuracy" if problem.settings.task == "classification" else "R²"
    low, high = evaluation.accuracy_low, evaluation.accuracy_high
    interval = "" if low is None or high is None else f" (95 % interval {low:.1%} to {high:.1%})"
    few = evaluation.n_holdout < FEW_HOLDOUT_RECORDS
    message = (
        f"{name} at k = {recommended.k}, l = {recommended.l} is {evaluation.accuracy:.1%}{interval} on "
        f"{evaluation.n_holdout:,} held-out records; the same records untouched give "
        f"{evaluation.untouched_accuracy:.1%}, all {problem.n_records:,} records untouched "
        f"{problem.base_accuracy:.1%}."
    )
    return [
        Finding(
            check="accuracy",
            verdict=Verdict.WARN if few else Verdict.PASS,
            message=message + (f" {evaluation.n_holdout:,} records say little." if few else ""),
            n_affected=evaluation.n_holdout,
        )
    ]


def untouched_columns(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
    """Return what the columns that are released as they are give away.

    k and l hold over the quasi-identifiers only. The other columns, label and sensitive attributes
    aside, go out unchanged, and together they often single out everybody.
    """
    if configuration.kept_set is None or not configuration.kept_set.n_kept:
        return []
    settings = problem.settings
    roles = {settings.label, *settings.sensitive_attributes, *settings.quasi_identifiers}
    released = released_table(problem, configuration.kept_set.kept_cells)
    columns = [name for name in released.column_names if name not in roles]
    if not columns:
        return []
    classes = equivalence_classes(released, columns)
    n_unique, n_records = classes.n_records_below(2), classes.n_records
    return [
        Finding(
            check="untouched_columns",
            verdict=Verdict.WARN if n_unique else Verdict.PASS,
            message=f"{len(columns):,} columns besides the quasi-identifiers are released as they are. "
            f"Together they single out {n_unique:,} of {n_records:,} records. k and l protect only against "
            "somebody who knows the quasi-identifiers and nothing of these columns.",
            n_affected=n_unique,
        )
    ]
