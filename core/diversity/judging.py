"""A search judged: findings, verdicts, and the table that is offered."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.diversity.evaluation import Evaluation
from core.diversity.features import SensitiveAttribute
from core.diversity.given_models import AnyTable, Predicts
from core.diversity.measuring import (
    Configuration,
    DiversitySearch,
    Stability,
    Status,
    measure_diversity,
    repeat_configuration,
)
from core.diversity.problem import SearchProblem, prepare_search
from core.diversity.released import about_columns, about_the_release, released_audit
from core.diversity.settings import DiversitySettings, DiversityThresholds, ModelChoice, Sort, Task
from core.releases import EarlierTable, Ledger
from core.risk import RiskAudit
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, own, part_of, percent, text

_FEW_HOLDOUT_RECORDS = 100
_NOTABLY_BELOW = 0.05  # of balanced accuracy: then it is said beside the accuracy
_CONTINUOUS_SHARE = 0.5


def _about_what_was_not_done(configurations: Sequence[Configuration]) -> Iterator[Finding]:
    n_pairs = len(configurations)
    n_stopped = sum(each.status is Status.STOPPED for each in configurations)
    n_unverified = sum(each.status is Status.NOT_VERIFIED for each in configurations)
    if n_stopped:
        yield Finding.of("search_stopped", Verdict.NOT_ASSESSED, n_affected=n_stopped)(
            "The search was stopped: {stopped} of {n} pair of k and ℓ was not evaluated.",
            "The search was stopped: {stopped} of {n} pairs of k and ℓ were not evaluated.",
            n=n_pairs,
            stopped=n_stopped,
        )
    if n_unverified:
        yield Finding.of("verification", Verdict.FAIL, n_affected=n_unverified)(
            "In {unverified} of {n} pair the released table did not keep k and ℓ when it was read "
            "back; it is not offered.",
            "In {unverified} of {n} pairs the released table did not keep k and ℓ when it was read "
            "back; they are not offered.",
            n=n_pairs,
            unverified=n_unverified,
        )


def _about_the_outcome(
    problem: SearchProblem,
    configurations: Sequence[Configuration],
    thresholds: "DiversityThresholds",
    n_within_limits: int,
) -> Iterator[Finding]:
    n_evaluated = sum(each.status is not Status.STOPPED for each in configurations)
    if problem.inputs.model is None and not problem.is_without_model:
        yield Finding.of("accuracy_unknown", Verdict.NOT_ASSESSED)(
            "With a column of predictions instead of a model, the accuracy on anonymized or "
            "minimized records cannot be assessed: nobody can ask the model again."
        )
        return
    if n_within_limits or not n_evaluated:
        return
    none = text(
        "The only evaluated pair of k and ℓ does not meet the limits.",
        "None of the {n} evaluated pairs of k and ℓ meets the limits.",
        n=n_evaluated,
    )
    remedy = ""
    if _least_accuracy(problem, thresholds) > problem.base_accuracy:
        remedy = text(
            "Ask for less than the {untouched} that the untouched model has, or choose a better model.",
            untouched=percent(problem.base_accuracy),
        )
    elif all(each.status in _RECORDS_LACK for each in configurations):
        remedy = "Choose smaller k and ℓ, coarser sensitive values, or a table of more records."
    elif best := _best_below(configurations):
        remedy = text(
            "Set the target accuracy in Settings to {accuracy} or less, the most that a pair reaches here "
            "(k = {k}, ℓ = {l}), and search again.",
            accuracy=percent(math.floor(1000 * (best.accuracy or 0.0)) / 1000),
            k=best.k,
            l=best.l,
        )
    yield Finding(
        check="nothing_within_limits",
        verdict=Verdict.FAIL,
        message=joined([none, *_causes(configurations)]),
        own_remedy=remedy,
    )


def _best_below(configurations: Sequence[Configuration]) -> Configuration | None:
    """Return the pair of the highest accuracy where it is that which all of them miss."""
    below = [each for each in configurations if each.status is Status.BELOW_TARGET and each.accuracy]
    if len(below) + sum(each.status in _RECORDS_LACK for each in configurations) < len(configurations):
        return None
    return max(below, key=lambda each: each.accuracy or 0.0, default=None)


_RECORDS_LACK = (Status.NOTHING_LEFT, Status.TOO_FEW_RECORDS)


def _causes(configurations: Sequence[Configuration]) -> list[Text]:
    """Say how many pairs fail for which cause."""
    found = Counter(each.status for each in configurations)
    below, empty, few = (
        found[each] for each in (Status.BELOW_TARGET, Status.NOTHING_LEFT, Status.TOO_FEW_RECORDS)
    )
    reached = found[Status.OFFERED] + found[Status.NO_DELETION]
    causes = {
        text("{n} is below the target.", "{n} are below the target.", n=below): below,
        text("{n} leaves no record.", "{n} leave no record.", n=empty): empty,
        text("{n} leaves too few records to measure.", "{n} leave too few records to measure.", n=few): few,
        text(
            "{n} reaches the target, but not your limits.",
            "{n} reach the target, but not your limits.",
            n=reached,
        ): reached,
    }
    return [cause for cause, number in causes.items() if number]


def cause_of_failure(audit: "DiversityAudit") -> Text | None:
    """Return why no pair meets the limits, where one cause explains all."""
    problem, statuses = audit.search.problem, {each.status for each in audit.search.configurations}
    least = _least_accuracy(problem, audit.thresholds)
    if least > problem.base_accuracy:
        return text(
            "The untouched model itself has {untouched}, less than the {least} asked for.",
            untouched=percent(problem.base_accuracy),
            least=percent(least),
        )
    if statuses <= {Status.NOTHING_LEFT}:
        return text("No cell is diverse enough, so that no record would be left.")
    return text("Too few records are left to measure it.") if statuses <= {*_RECORDS_LACK} else None


def _about_the_model(problem: SearchProblem) -> Iterator[Finding]:
    """Say when the model knows no more of the untouched records than which label is most frequent."""
    if problem.is_without_model or problem.base_accuracy > problem.base_baseline:
        return
    yield Finding.of("model_below_baseline", Verdict.WARN)(
        "On the {records} the model has accuracy {accuracy}, always saying the most frequent label "
        "{baseline}. What anonymization does to such a model says nothing: choose a better one first."
        if problem.settings.task == "classification"
        else "On the {records} the model has R² {accuracy}, always saying the mean {baseline}. What "
        "anonymization does to such a model says nothing: choose a better one first.",
        records=counted(problem.n_records, "untouched record"),
        accuracy=percent(problem.base_accuracy),
        baseline=percent(problem.base_baseline),
    )


def _about_the_baseline(problem: SearchProblem, configuration: Configuration) -> Iterator[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None or evaluation.beats_baseline:
        return
    yield Finding.of("below_baseline", Verdict.WARN, n_affected=evaluation.n_holdout)(
        "At k = {k}, ℓ = {l} the model has accuracy {accuracy} on {records}, always saying the most "
        "frequent label {baseline}: the model is of no use there. Raise the target accuracy above "
        "that, or choose smaller k and ℓ."
        if problem.settings.task == "classification"
        else "At k = {k}, ℓ = {l} the model has R² {accuracy} on {records}, always saying the mean "
        "{baseline}: the model is of no use there. Raise the target accuracy above that, or choose "
        "smaller k and ℓ.",
        k=configuration.k,
        l=configuration.l,
        accuracy=percent(evaluation.accuracy),
        records=counted(evaluation.n_holdout, "held-out record"),
        baseline=percent(evaluation.baseline_accuracy),
    )


_STEERED = {
    "all_features": "With these cells, every feature, the sensitive attribute included, and the label "
    "decide which records share a cell; a cell can tell more than its quasi-identifiers do. Proper cells "
    "avoid that.",
    "quasi_identifiers": "With these cells, the label decides where the quasi-identifiers are cut; a cell "
    "can tell more about the label than its quasi-identifiers do. Proper cells avoid that.",
}


def _about_cells(problem: SearchProblem) -> list[Finding]:
    steered = _STEERED.get(problem.settings.cells)
    return [Finding.of("cells_are_steered", Verdict.WARN)(steered)] if steered else []


def _about_counting(attribute: SensitiveAttribute, problem: SearchProblem) -> Finding | None:
    as_written = attribute.numeric and attribute.edges is None
    if as_written and attribute.n_distinct > _CONTINUOUS_SHARE * problem.n_records:
        return Finding.of(
            "continuous_sensitive", Verdict.WARN, column=attribute.name, n_affected=attribute.n_distinct
        )(
            "“{column}” has {n} different number in {records}, so nearly every cell counts as diverse "
            "although its values may be close together. Bins avoid that.",
            "“{column}” has {n} different numbers in {records}, so nearly every cell counts as diverse "
            "although its values may be close together. Bins avoid that.",
            records=counted(problem.n_records, "record"),
        )
    if attribute.n_values < problem.settings.l_min:
        return Finding.of(
            "too_few_values", Verdict.WARN, column=attribute.name, n_affected=attribute.n_values
        )(
            "“{column}” has {n} value to count, fewer than the smallest ℓ, {l}: no cell can be kept.",
            "“{column}” has {n} values to count, fewer than the smallest ℓ, {l}: no cell can be kept.",
            l=problem.settings.l_min,
        )
    return None


def _stability(measured: DiversitySearch, configuration: Configuration) -> Stability | None:
    """Return a pair's accuracy over as many splits as the settings ask for, measured once."""
    n_splits, key = measured.problem.settings.n_splits, (configuration.k, configuration.l)
    if configuration.evaluation is None or n_splits == 1:
        return None
    if key not in measured.repeated:
        measured.repeated[key] = repeat_configuration(measured.problem, configuration, n_repeats=n_splits)
    return measured.repeated[key]


def _about_accuracy(
    problem: SearchProblem, configuration: Configuration, stability: Stability | None
) -> Iterator[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None:
        return
    found: list[str] = [
        text(
            "{name} at k = {k}, ℓ = {l} is {accuracy} on {n} held-out record; the same record untouched "
            "gives {untouched}.",
            "{name} at k = {k}, ℓ = {l} is {accuracy} on {n} held-out records; the same records untouched "
            "give {untouched}.",
            n=evaluation.n_holdout,
            name=accuracy_word(problem.settings.task),
            k=configuration.k,
            l=configuration.l,
            accuracy=_with_interval(evaluation),
            untouched=percent(evaluation.untouched_accuracy),
        )
    ]
    balanced_accuracy = evaluation.balanced_accuracy
    if balanced_accuracy is not None and balanced_accuracy < evaluation.accuracy - _NOTABLY_BELOW:
        balanced = percent(balanced_accuracy)
        found.append(text("Averaged over the classes (balanced) it is {balanced}.", balanced=balanced))
    few = evaluation.n_holdout < _FEW_HOLDOUT_RECORDS
    if few:
        found.append(text("{n} record says little.", "{n} records say little.", n=evaluation.n_holdout))
    is_lucky = False
    if stability is not None:
        is_lucky = stability.mean < problem.settings.target <= evaluation.accuracy
        found.append(_over_splits(stability))
    if is_lucky:
        target = percent(problem.settings.target)
        found.append(text("That is below the target of {target}: the one split was lucky.", target=target))
    verdict = Verdict.WARN if few or is_lucky else Verdict.PASS
    yield Finding.of("accuracy", verdict, n_affected=evaluation.n_holdout)(joined(found))


def _over_splits(stability: Stability) -> Text:
    return text(
        "Over {n} split of these records it is {mean} on average, 95 % of them between {low} and {high}.",
        "Over {n} splits of these records it is {mean} on average, 95 % of them between {low} and {high}.",
        n=len(stability.accuracies),
        mean=percent(stability.mean),
        low=percent(stability.low),
        high=percent(stability.high),
    )


def accuracy_word(task: Task, *, begins: bool = True) -> Text:
    """Return what accuracy is called, at the beginning or within: accuracy for classes, R² for numbers."""
    if task != "classification":
        return own("R²")
    return own("Accuracy") if begins else own("accuracy")


def _with_interval(evaluation: Evaluation) -> Text:
    """Return the accuracy, with its interval where it has one."""
    accuracy, low, high = percent(evaluation.accuracy), evaluation.accuracy_low, evaluation.accuracy_high
    if low is None or high is None:
        return accuracy
    return text(
        "{accuracy} (95 % interval {low} to {high})", accuracy=accuracy, low=percent(low), high=percent(high)
    )


_RECOMMENDED_DELETION = 0.2


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
    released: RiskAudit | None = None  # what Disclosure risk says of the table that is offered
    stability: Stability | None = None  # its accuracy over several splits; None of one, and without a model


def audit_diversity(
    data: AnyTable,
    settings: DiversitySettings,
    *,
    choice: ModelChoice | None = None,
    model: Predicts | None = None,
    thresholds: DiversityThresholds | None = None,
    training: Dataset | None = None,
    n_jobs: int = 1,
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> DiversityAudit:
    """Get the model, search the grid and judge it; see `prepare_search` and `judge_diversity`.

    Parameters
    ----------
    data
        The table to anonymize: as read, or as a pandas frame.
    settings, thresholds
        Roles of the columns and the grid; what the person can live with.
    choice
        Where the model comes from; None for a tree trained on half of the table, or for `model`.
    model
        Any object with ``predict``: a fitted pipeline, XGBoost, LightGBM, or what asks an ONNX session. It is
        given the features as a frame, with the dtypes of `data` where that is one, and runs in this process.
    training, n_jobs
        A table to train on instead of a split; threads.
    earlier
        Earlier releases of the same people, or their ledgers.
    """
    if model is not None:
        choice = ModelChoice(source="file", file_name=type(model).__name__, given=model)
    problem = prepare_search(data, settings, choice or ModelChoice(), training=training)
    return judge_diversity(measure_diversity(problem, n_jobs=n_jobs), thresholds, earlier=earlier)


def judge_diversity(
    measured: DiversitySearch,
    thresholds: DiversityThresholds | None = None,
    *,
    pair: tuple[int, int] | None = None,
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> DiversityAudit:
    """Filter and sort the configurations, and say what to make of them.

    `pair`: the k and ℓ whose release is judged, without it the recommended; `earlier`: releases of the same
    people before it, or their ledgers.
    """
    thresholds = thresholds or DiversityThresholds()
    meeting = [each for each in measured.configurations if _meets(each, measured, thresholds)]
    recommended = _recommendation(meeting, measured)
    found = [_about_counting(attribute, measured.problem) for attribute in measured.problem.sensitive]
    findings = [
        *_about_what_was_not_done(measured.configurations),
        *_about_the_outcome(measured.problem, measured.configurations, thresholds, len(meeting)),
        *_about_the_model(measured.problem),
        *_about_cells(measured.problem),
        *(finding for finding in found if finding is not None),
        *measured.problem.notes,
    ]
    if recommended is not None:  # whose accuracy the headline says
        _stability(measured, measured.configuration(recommended.k, recommended.l))
        pair = pair or (recommended.k, recommended.l)
    released = stability = None
    if pair is not None:
        chosen = measured.configuration(*pair)
        stability = _stability(measured, chosen)
        released = released_audit(measured, chosen, earlier)
        findings += _about_the_pair(measured.problem, chosen, stability, released)
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
        released=released,
        stability=stability,
    )


def _about_the_pair(
    problem: SearchProblem,
    chosen: Configuration,
    stability: Stability | None,
    released: RiskAudit | None,
) -> Iterator[Finding]:
    yield from about_columns(problem, chosen)
    yield from _about_accuracy(problem, chosen, stability)
    yield from _about_the_baseline(problem, chosen)
    yield from about_the_release(released)


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


def _least_accuracy(problem: SearchProblem, thresholds: DiversityThresholds) -> float:
    """Return the accuracy that a pair must have: the target, or what the person asks for above it."""
    return max(problem.settings.target, thresholds.min_accuracy or 0.0)


def _meets(configuration: Configuration, measured: DiversitySearch, thresholds: DiversityThresholds) -> bool:
    if measured.problem.inputs.model is None:
        kept = (Status.OFFERED, Status.NO_DELETION, Status.ACCURACY_UNKNOWN)
        return (
            configuration.status in kept and (configuration.deletion_ratio or 0.0) <= thresholds.max_deletion
        )
    if configuration.status not in (Status.OFFERED, Status.NO_DELETION):
        return False
    least = _least_accuracy(measured.problem, thresholds)
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
    """Return the strongest protection within the limits, where possible of a model that is clearly of use."""
    if not meeting:
        return None
    settings = measured.problem.settings
    useful = [each for each in meeting if not _is_clearly_useless(each)]
    better_than_guessing = 0 < len(useful) < len(meeting)
    meeting = useful or meeting
    few = [each for each in meeting if (each.deletion_ratio or 0.0) <= _RECOMMENDED_DELETION]
    sure = [each for each in few or meeting if _low_end(each) >= settings.target]
    among = sure or few or meeting
    best = max(among, key=lambda each: (each.l, each.k, each.accuracy or 0.0))
    conditions = [text("is within your limits", "are within your limits", n=len(among))]
    if better_than_guessing:
        conditions.append(
            text(
                "is not clearly worse than saying the most frequent label",
                "are not clearly worse than saying the most frequent label",
                n=len(among),
            )
        )
    if few:
        conditions.append(
            text(
                "removes at most {share} of the records",
                "remove at most {share} of the records",
                n=len(among),
                share=percent(_RECOMMENDED_DELETION),
            )
        )
    if sure and settings.task == "classification":
        conditions.append(
            text(
                "keeps {target} accuracy even at the low end of its 95 % interval",
                "keep {target} accuracy even at the low end of its 95 % interval",
                n=len(among),
                target=percent(settings.target),
            )
        )
    return Recommendation(k=best.k, l=best.l, reason=_reason(best, len(among), conditions, measured.problem))


def _reason(best: Configuration, n_among: int, conditions: list[Text], problem: SearchProblem) -> Text:
    *others, last = conditions
    those = text("{others} and {last}", others=joined(others, ", "), last=last) if others else last
    if best.accuracy is None:
        return text(
            "Only k = {k}, ℓ = {l} {those}; it removes {removed}.",
            "Of the {n} pairs that {those}, k = {k}, ℓ = {l} has the largest ℓ, and then the largest k; it "
            "removes {removed}.",
            n=n_among,
            k=best.k,
            l=best.l,
            those=those,
            removed=part_of(best.deletion_ratio or 0.0, problem.n_records, "records"),
        )
    return text(
        "Only k = {k}, ℓ = {l} {those}; it has {name} {accuracy} and removes {removed}.",
        "Of the {n} pairs that {those}, k = {k}, ℓ = {l} has the largest ℓ, and then the largest k; it has "
        "{name} {accuracy} and removes {removed}.",
        n=n_among,
        k=best.k,
        l=best.l,
        those=those,
        name=accuracy_word(problem.settings.task, begins=False),
        accuracy=percent(best.accuracy or 0.0),
        removed=part_of(best.deletion_ratio or 0.0, problem.n_records, "records"),
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
    if measured.problem.inputs.model is None and not measured.problem.is_without_model:
        return Verdict.NOT_ASSESSED
    return Verdict.FAIL if recommended is None else Verdict.PASS
