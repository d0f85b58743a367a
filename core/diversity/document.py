"""A search as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.diversity.judging import DiversityAudit
from core.diversity.measuring import Configuration, released_generalizations
from core.diversity.minimized import generalizations_document
from core.diversity.problem import SearchProblem
from core.diversity.settings import as_published
from core.plain import plain_fields
from core.settings_form import option_words, settings_document

if TYPE_CHECKING:
    from core.reports import InputFacts

TABLE, TRAINING, MODEL = "table to anonymize", "training table", "model file"  # parts of files in an audit


def diversity_document(audit: DiversityAudit) -> dict[str, object]:
    """Return the audit as plain values for JSON."""
    problem = audit.search.problem
    recommended = audit.recommended
    return {
        "tool": "diversity",
        "verdict": audit.verdict,
        "overall": audit.overall,
        "accuracy_is": "accuracy" if problem.settings.task == "classification" else "R²",
        "base_accuracy": problem.base_accuracy,
        "base_balanced_accuracy": problem.base_balanced_accuracy,
        "base_baseline_accuracy": problem.base_baseline,
        "n_records": problem.n_records,
        "model": model_named(problem),
        "configurations": [_configuration(problem, each) for each in _listed(audit)],
        "pareto": [[each.k, each.l] for each in audit.pareto],
        "recommended": None
        if recommended is None
        else {"k": recommended.k, "l": recommended.l, "reason": recommended.reason},
        "sensitive_bins": {
            each.name: None if each.edges is None else each.edges.tolist() for each in problem.sensitive
        },
        "findings": [finding.document() for finding in audit.findings],
        "settings": settings_document(problem.settings, problem.choice, audit.thresholds),
    }


def model_named(problem: SearchProblem) -> str:
    """Return the model in words."""
    return problem.inputs.model.description if problem.inputs.model else "column of predictions"


def _listed(audit: DiversityAudit) -> list[Configuration]:
    """Return the result list in its order, then every other configuration in the order of the grid."""
    offered = {id(each) for each in audit.offered}
    return [*audit.offered, *(each for each in audit.search.configurations if id(each) not in offered)]


_OF_EVALUATION = (
    "accuracy_low",
    "accuracy_high",
    "balanced_accuracy",
    "baseline_accuracy",
    "n_holdout",
    "anonymized_accuracy",
    "minimization_ncp",
)


def _configuration(problem: SearchProblem, configuration: Configuration) -> dict[str, object]:
    """Return one configuration as plain values for JSON."""
    evaluation, verified = configuration.evaluation, configuration.verification
    return {
        **plain_fields(configuration, "k", "l", "deletion_ratio", "accuracy"),
        **{key: getattr(evaluation, key, None) for key in _OF_EVALUATION},
        "ncp": configuration.kept_set.ncp if configuration.kept_set else None,
        "stored": configuration.stored,
        "reason": configuration.status.value,
        "min_k": verified.k if verified else None,
        **{key: getattr(verified, key, None) for key in ("distinct_l", "entropy_l", "t")},
        "generalizations": generalizations_document(released_generalizations(problem, configuration))
        if evaluation
        else None,
    }


def diversity_arguments(
    audit: DiversityAudit, inputs: Sequence[InputFacts], chosen: Configuration | None
) -> tuple[str, ...]:
    """Return the words that repeat the search, and show the pair that was chosen."""
    problem = audit.search.problem
    settings, choice = problem.settings, problem.choice
    is_published = settings == as_published(settings)
    paths = {str(facts.role): facts.path for facts in inputs}
    model = {"tree": "", "file": paths.get(MODEL, "")}.get(choice.source, choice.source)
    return (
        paths[TABLE],
        *(["--train", paths[TRAINING]] if TRAINING in paths else []),
        *option_words(settings, left_out=("cells", "diversity", "sensitive_bins") if is_published else ()),
        *(["--reference-cells"] if is_published else []),
        *(["--model", model] if model else []),
        *option_words(choice, left_out=("source",)),
        *option_words(audit.thresholds),
        *([] if chosen is None else ["--pair", str(chosen.k), str(chosen.l)]),
    )
