"""A search judged: findings, verdicts, and the table that is offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.attribute_disclosure import distinct_l
from core.diversity.features import SensitiveAttribute
from core.diversity.measuring import Configuration, DiversitySearch, Status, measure_diversity
from core.diversity.problem import ModelChoice, SearchProblem, prepare_search
from core.diversity.release import released_table
from core.diversity.settings import DiversitySettings
from core.equivalence import equivalence_classes
from core.settings_form import check, setting
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import counted, percent

_FEW_HOLDOUT_RECORDS = 100
_CONTINUOUS_SHARE = 0.5


def _search_findings(
    problem: SearchProblem, configurations: Sequence[Configuration], *, n_within_limits: int
) -> list[Finding]:
    """Return what to know of a search as a whole."""
    return [
        *_about_what_was_not_done(configurations),
        *_about_the_outcome(problem, configurations, n_within_limits),
        *_about_the_model(problem),
        *_about_cells(problem),
        *_about_sensitive(problem),
        *problem.notes,
    ]


def _configuration_findings(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
    """Return what to know of one configuration before its table is given away."""
    return [
        *_about_untouched_columns(problem, configuration),
        *_about_homogeneous_classes(configuration),
        *_about_accuracy(problem, configuration),
        *_about_the_baseline(problem, configuration),
    ]


def _about_what_was_not_done(configurations: Sequence[Configuration]) -> list[Finding]:
    n_pairs = len(configurations)
    n_stopped = sum(each.status is Status.STOPPED for each in configurations)
    n_unverified = sum(each.status is Status.NOT_VERIFIED for each in configurations)
    found = []
    if n_stopped:
        found.append(
            Finding.of("search_stopped", Verdict.NOT_ASSESSED, n_affected=n_stopped)(
                f"The search was stopped: {n_stopped:,} of {n_pairs:,} pairs of k and l were not evaluated."
            )
        )
    if n_unverified:
        found.append(
            Finding.of("verification", Verdict.FAIL, n_affected=n_unverified)(
                f"In {n_unverified:,} of {n_pairs:,} pairs the released table did not keep k and l "
                "when it was read back; they are not offered."
            )
        )
    return found


def _about_the_outcome(
    problem: SearchProblem, configurations: Sequence[Configuration], n_within_limits: int
) -> list[Finding]:
    n_evaluated = sum(each.status is not Status.STOPPED for each in configurations)
    if problem.inputs.model is None:
        return [
            Finding.of("accuracy_unknown", Verdict.NOT_ASSESSED)(
                "With a column of predictions instead of a model, the accuracy on anonymized or "
                "minimized records cannot be assessed: nobody can ask the model again."
            )
        ]
    if n_within_limits or not n_evaluated:
        return []
    return [
        Finding.of("nothing_within_limits", Verdict.FAIL)(
            f"None of the {n_evaluated:,} evaluated pairs of k and l meets the limits."
        )
    ]


def _about_the_model(problem: SearchProblem) -> list[Finding]:
    """Say when the model knows no more of the untouched records than which label is most frequent."""
    if problem.base_accuracy > problem.base_baseline:
        return []
    return [
        Finding.of("model_below_baseline", Verdict.WARN)(
            f"On the {problem.n_records:,} untouched records {_model_against(problem)} "
            f"{percent(problem.base_accuracy)}, {_guess(problem)} {percent(problem.base_baseline)}. What "
            "anonymization does to such a model says nothing: choose a better one first."
        )
    ]


def _about_the_baseline(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None or evaluation.beats_baseline:
        return []
    return [
        Finding.of("below_baseline", Verdict.WARN, n_affected=evaluation.n_holdout)(
            f"At k = {configuration.k}, l = {configuration.l} {_model_against(problem)} "
            f"{percent(evaluation.accuracy)} on {evaluation.n_holdout:,} held-out records, "
            f"{_guess(problem)} {percent(evaluation.baseline_accuracy)}: the model is of no use there. "
            "Raise the target accuracy above that, or choose smaller k and l."
        )
    ]


def _model_against(problem: SearchProblem) -> str:
    return f"the model has {'accuracy' if problem.settings.task == 'classification' else 'R²'}"


def _guess(problem: SearchProblem) -> str:
    if problem.settings.task == "classification":
        return "always saying the most frequent label"
    return "always saying the mean"


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
        Finding.of("cells_are_steered", Verdict.WARN)(
            f"With these cells, {steering[problem.settings.cells]}. Proper cells avoid that."
        )
    ]


def _about_sensitive(problem: SearchProblem) -> list[Finding]:
    found = [_about_counting(attribute, problem) for attribute in problem.sensitive]
    return [finding for finding in found if finding is not None]


def _about_counting(attribute: SensitiveAttribute, problem: SearchProblem) -> Finding | None:
    as_written = attribute.numeric and attribute.edges is None
    if as_written and attribute.n_distinct > _CONTINUOUS_SHARE * problem.n_records:
        return Finding.of(
            "continuous_sensitive", Verdict.WARN, column=attribute.name, n_affected=attribute.n_distinct
        )(
            f"“{attribute.name}” has {attribute.n_distinct:,} different numbers in "
            f"{problem.n_records:,} records, so nearly every cell counts as diverse although its "
            "values may be close together. Bins avoid that."
        )
    if attribute.n_values < problem.settings.l_min:
        return Finding.of(
            "too_few_values", Verdict.WARN, column=attribute.name, n_affected=attribute.n_values
        )(
            f"“{attribute.name}” has {counted(attribute.n_values, 'value')} to count, fewer than "
            f"the smallest l, {problem.settings.l_min}: no cell can be kept."
        )
    return None


def _about_homogeneous_classes(configuration: Configuration) -> list[Finding]:
    """Return how many records are in classes where everybody has the same sensitive value."""
    verification = configuration.verification
    if verification is None:
        return []
    same = np.max([distinct_l(counts) <= 1 for counts in verification.counts], axis=0)
    n_records = int(verification.classes.class_sizes[same].sum())
    if not n_records:
        return []
    return [
        Finding.of("homogeneous_classes", Verdict.WARN, n_affected=n_records)(
            f"At k = {configuration.k}, l = {configuration.l}, {n_records:,} of "
            f"{verification.classes.n_records:,} records are in classes where everybody has the same "
            "sensitive value: whoever is known to be in such a class is known to have it. Choose "
            "l of 2 or more."
        )
    ]


def _about_accuracy(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None:
        return []
    name = "Accuracy" if problem.settings.task == "classification" else "R²"
    low, high = evaluation.accuracy_low, evaluation.accuracy_high
    interval = "" if low is None or high is None else f" (95 % interval {percent(low)} to {percent(high)})"
    few = evaluation.n_holdout < _FEW_HOLDOUT_RECORDS
    balanced = evaluation.balanced_accuracy
    each_class = (
        "" if balanced is None else f" Averaged over the classes (balanced) it is {percent(balanced)}."
    )
    message = (
        f"{name} at k = {configuration.k}, l = {configuration.l} is {percent(evaluation.accuracy)}{interval} "
        f"on {evaluation.n_holdout:,} held-out records; the same records untouched give "
        f"{percent(evaluation.untouched_accuracy)}, all {problem.n_records:,} records untouched "
        f"{percent(problem.base_accuracy)}."
    )
    return [
        Finding.of("accuracy", Verdict.WARN if few else Verdict.PASS, n_affected=evaluation.n_holdout)(
            message + each_class + (f" {evaluation.n_holdout:,} records say little." if few else "")
        )
    ]


def _about_untouched_columns(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
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
    one = len(columns) == 1
    released_as = (
        "is released as it is. It singles" if one else "are released as they are. Together they single"
    )
    return [
        Finding.of("untouched_columns", Verdict.WARN if n_unique else Verdict.PASS, n_affected=n_unique)(
            f"{counted(len(columns), 'column')} besides the quasi-identifiers {released_as} "
            f"out {n_unique:,} of {n_records:,} records. k and l protect only against somebody who knows the "
            f"quasi-identifiers and nothing of {'this column' if one else 'these columns'}."
        )
    ]


Sort = Literal["accuracy", "deletion_ratio"]
_RECOMMENDED_DELETION = 0.2


@dataclass(frozen=True, kw_only=True)
class DiversityThresholds:
    """What the person can live with; judged anew at once when it changes."""

    min_accuracy: float | None = setting(
        None,
        "Accuracy at least",
        "On top of the search's target, which applies in any case.",
        "--min-accuracy",
        percent=True,
        none="the target",
    )
    max_deletion: float = setting(
        1.0,
        "Records removed at most",
        "Share of the records that a pair of k and l removes because their cells are not diverse.",
        "--max-deletion",
        percent=True,
    )
    sort: Sort = setting(
        "accuracy",
        "Sort the result list by",
        "The best first.",
        "--sort",
        choices={"accuracy": "accuracy", "deletion_ratio": "records removed"},
    )

    def __post_init__(self) -> None:
        check(self)


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


def audit_diversity(
    data: Dataset,
    settings: DiversitySettings,
    *,
    choice: ModelChoice | None = None,
    thresholds: DiversityThresholds | None = None,
    training: Dataset | None = None,
    n_jobs: int = 1,
) -> DiversityAudit:
    """Get the model, search the grid and judge it; see `prepare_search` and `judge_diversity`."""
    problem = prepare_search(data, settings, choice or ModelChoice(), training=training)
    return judge_diversity(measure_diversity(problem, n_jobs=n_jobs), thresholds)


def judge_diversity(
    measured: DiversitySearch, thresholds: DiversityThresholds | None = None
) -> DiversityAudit:
    """Filter and sort the configurations, and say what to make of them."""
    thresholds = thresholds or DiversityThresholds()
    meeting = [each for each in measured.configurations if _meets(each, measured, thresholds)]
    recommended = _recommendation(meeting, measured)
    findings = _search_findings(measured.problem, measured.configurations, n_within_limits=len(meeting))
    if recommended is not None:
        chosen = measured.configuration(recommended.k, recommended.l)
        findings += _configuration_findings(measured.problem, chosen)
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
    few = [each for each in meeting if (each.deletion_ratio or 0.0) <= _RECOMMENDED_DELETION]
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
        conditions.append(f"{verb} at most {percent(_RECOMMENDED_DELETION)} of the records")
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
