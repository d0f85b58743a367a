"""What to know of a search and of a table before it is given away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.attribute_disclosure import distinct_l
from core.diversity.grid_search import Configuration, Status
from core.diversity.problem import SearchProblem
from core.diversity.release import released_table
from core.diversity.sensitive import SensitiveAttribute
from core.equivalence import equivalence_classes
from core.measures.formatting import format_number
from core.verdict import Finding, Verdict

FEW_HOLDOUT_RECORDS = 100
_CONTINUOUS_SHARE = 0.5


def search_findings(
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


def configuration_findings(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
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
    return found


def _about_the_outcome(
    problem: SearchProblem, configurations: Sequence[Configuration], n_within_limits: int
) -> list[Finding]:
    n_evaluated = sum(each.status is not Status.STOPPED for each in configurations)
    if problem.inputs.model is None:
        return [
            Finding(
                check="accuracy_unknown",
                verdict=Verdict.NOT_ASSESSED,
                message="With a column of predictions instead of a model, the accuracy on anonymized or "
                "minimized records cannot be assessed: nobody can ask the model again.",
            )
        ]
    if n_within_limits or not n_evaluated:
        return []
    return [
        Finding(
            check="nothing_within_limits",
            verdict=Verdict.FAIL,
            message=f"None of the {n_evaluated:,} evaluated pairs of k and l meets the limits.",
        )
    ]


def _about_the_model(problem: SearchProblem) -> list[Finding]:
    """Say when the model knows no more of the untouched records than which label is most frequent."""
    if problem.base_accuracy > problem.base_baseline:
        return []
    return [
        Finding(
            check="model_below_baseline",
            verdict=Verdict.WARN,
            message=f"On the {problem.n_records:,} untouched records {_model_against(problem)} "
            f"{percent(problem.base_accuracy)}, {_guess(problem)} {percent(problem.base_baseline)}. What "
            "anonymization does to such a model says nothing: choose a better one first.",
        )
    ]


def _about_the_baseline(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None or evaluation.beats_baseline:
        return []
    return [
        Finding(
            check="below_baseline",
            verdict=Verdict.WARN,
            message=f"At k = {configuration.k}, l = {configuration.l} {_model_against(problem)} "
            f"{percent(evaluation.accuracy)} on {evaluation.n_holdout:,} held-out records, "
            f"{_guess(problem)} {percent(evaluation.baseline_accuracy)}: the model is of no use there. "
            "Raise the target accuracy above that, or choose smaller k and l.",
            n_affected=evaluation.n_holdout,
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
        Finding(
            check="cells_are_steered",
            verdict=Verdict.WARN,
            message=f"With these cells, {steering[problem.settings.cells]}. Proper cells avoid that.",
        )
    ]


def _about_sensitive(problem: SearchProblem) -> list[Finding]:
    found = [_about_counting(attribute, problem) for attribute in problem.sensitive]
    return [finding for finding in found if finding is not None]


def _about_counting(attribute: SensitiveAttribute, problem: SearchProblem) -> Finding | None:
    as_written = attribute.numeric and attribute.edges is None
    if as_written and attribute.n_distinct > _CONTINUOUS_SHARE * problem.n_records:
        return Finding(
            check="continuous_sensitive",
            verdict=Verdict.WARN,
            message=f"“{attribute.name}” has {attribute.n_distinct:,} different numbers in "
            f"{problem.n_records:,} records, so nearly every cell counts as diverse although its "
            "values may be close together. Bins avoid that.",
            column=attribute.name,
            n_affected=attribute.n_distinct,
        )
    if attribute.n_values < problem.settings.l_min:
        return Finding(
            check="too_few_values",
            verdict=Verdict.WARN,
            message=f"“{attribute.name}” has {_counted(attribute.n_values, 'value')} to count, fewer than "
            f"the smallest l, {problem.settings.l_min}: no cell can be kept.",
            column=attribute.name,
            n_affected=attribute.n_values,
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
        Finding(
            check="homogeneous_classes",
            verdict=Verdict.WARN,
            message=f"At k = {configuration.k}, l = {configuration.l}, {n_records:,} of "
            f"{verification.classes.n_records:,} records are in classes where everybody has the same "
            "sensitive value: whoever is known to be in such a class is known to have it. Choose "
            "l of 2 or more.",
            n_affected=n_records,
        )
    ]


def _about_accuracy(problem: SearchProblem, configuration: Configuration) -> list[Finding]:
    evaluation = configuration.evaluation
    if evaluation is None:
        return []
    name = "Accuracy" if problem.settings.task == "classification" else "R²"
    low, high = evaluation.accuracy_low, evaluation.accuracy_high
    interval = "" if low is None or high is None else f" (95 % interval {percent(low)} to {percent(high)})"
    few = evaluation.n_holdout < FEW_HOLDOUT_RECORDS
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
        Finding(
            check="accuracy",
            verdict=Verdict.WARN if few else Verdict.PASS,
            message=message + each_class + (f" {evaluation.n_holdout:,} records say little." if few else ""),
            n_affected=evaluation.n_holdout,
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
        Finding(
            check="untouched_columns",
            verdict=Verdict.WARN if n_unique else Verdict.PASS,
            message=f"{_counted(len(columns), 'column')} besides the quasi-identifiers {released_as} "
            f"out {n_unique:,} of {n_records:,} records. k and l protect only against somebody who knows the "
            f"quasi-identifiers and nothing of {'this column' if one else 'these columns'}.",
            n_affected=n_unique,
        )
    ]


def percent(share: float) -> str:
    """Return a share as a sentence shows it, such as ``90.2 %``."""
    return format_number("share", share)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
