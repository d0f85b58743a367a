"""What a (k, l) grid search says of itself: headline, figures, charts of a pair, the report."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import numpy as np

from core.diversity import Configuration, DiversityAudit, SearchProblem
from core.diversity.document import MODEL, TABLE, TRAINING, diversity_arguments, diversity_document
from core.diversity.judging import cause_of_failure
from core.diversity.views.charts import (
    class_sizes_chart,
    diversity_chart,
    diversity_table,
    evaluated,
    trade_off_alt,
    trade_off_chart,
)
from core.diversity.views.tables import bins_table, configurations_table, generalizations_table, model_of
from core.measures import diversity as diversity_measures
from core.measures import shared
from core.reports import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportTable,
    current_versions,
    file_facts,
    input_facts,
    placed,
)
from core.reports.proof import Tried, figure_tried, tried_tables
from core.settings_form import report_lines
from core.utility import average_class_size, discernibility
from core.verdict import Verdict
from core.words import Text, Written, joined, listed, own, part_of, percent, text

TITLE = "ℓ-diversity search"


QUESTION = (
    "Which k and ℓ protect the people in your data at an accuracy of your model that you can live with?"
)


LIMITS = (
    (
        "k and ℓ hold over the quasi-identifiers you chose, against somebody who knows nothing else. Every "
        "other column is released as it is."
    ),
    (
        "Accuracy is measured on records that were kept. Removing records changes which ones are left to "
        "test on, so compare it with the accuracy on the same records untouched."
    ),
    (
        "The best of many pairs is best partly by luck. The interval says how far an accuracy from so few "
        "records can be off; repeating over other splits shows how much the choice of split does."
    ),
    "Distinct ℓ counts values, not how close they are or how likely: t and entropy ℓ say more.",
    (
        "Of equally good splits and representatives the first in the order of the records counts, so that "
        "order can matter where there are ties, and only there."
    ),
    "Nothing here calls a table anonymous.",
)


MEASURE_KEYS = tuple(
    measure.key
    for group in (diversity_measures.MEASURES, shared.COST, shared.DISCLOSURE, shared.MEASURES)
    for measure in group
)


def headline(audit: DiversityAudit) -> str:
    """Return the sentence that explains the overall verdict."""
    is_class = audit.search.problem.settings.task == "classification"
    if audit.verdict is Verdict.NOT_ASSESSED:
        return "k and ℓ can be met, but what that does to accuracy cannot be assessed."
    if audit.recommended is None:
        none = (
            "No pair of k and ℓ reaches the accuracy within your limits."
            if is_class
            else "No pair of k and ℓ reaches the R² within your limits."
        )
        cause = cause_of_failure(audit)
        return joined([none, cause]) if cause else none
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l)
    start = text(
        "Start from k = {k}, ℓ = {l}: {accuracy} accurate, {removed} removed."
        if is_class
        else "Start from k = {k}, ℓ = {l}: {accuracy} R², {removed} removed.",
        k=chosen.k,
        l=chosen.l,
        accuracy=percent(chosen.accuracy),
        removed=part_of(chosen.deletion_ratio, audit.search.problem.n_records, "records"),
    )
    found = [finding for finding in audit.findings if finding.check == "untouched_columns"]
    if not found or not found[0].n_affected:
        return start
    but = text(
        "But the columns released as they are still single out {n} record.",
        "But the columns released as they are still single out {n} records.",
        n=found[0].n_affected,
    )
    return joined([start, but])


def way_of_records(audit: DiversityAudit) -> tuple[Text, ...]:
    """Return what the model does untouched, and how many records go the way to the release."""
    problem = audit.search.problem
    untouched = text(
        "Untouched, the model has accuracy {accuracy}; the target is {target}."
        if problem.settings.task == "classification"
        else "Untouched, the model has R² {accuracy}; the target is {target}.",
        accuracy=percent(problem.base_accuracy),
        target=percent(problem.settings.target),
    )
    way = text(
        "{n} record in the table → {records} to anonymize",
        "{n} records in the table → {records} to anonymize",
        n=problem.data.n_records,
        records=problem.n_records,
    )
    if audit.recommended is None:
        return untouched, text("{way} → none released.", way=way)
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l)
    kept = chosen.kept_set.n_kept if chosen.kept_set else 0
    return untouched, text(
        "{way} → {kept} released with k = {k}, ℓ = {l}.", way=way, kept=kept, k=chosen.k, l=chosen.l
    )


_MAIN_FIGURES = ("accuracy", "deletion_ratio", "k", "distinct_l")


def main_figures_first(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures with those first that a release is chosen by."""
    return sorted(figures, key=lambda figure: figure.measure not in _MAIN_FIGURES)


def search_figures(audit: DiversityAudit) -> tuple[Figure, ...]:
    """Return the figures about the search as a whole."""
    problem = audit.search.problem
    return (Figure("base_accuracy", problem.base_accuracy, of=model_of(problem)),)


def configuration_figures(audit: DiversityAudit, configuration: Configuration) -> tuple[Figure, ...]:
    """Return the figures of one configuration, verdicts where something is held against k, l or a limit."""
    evaluation, verification, kept_set = (
        configuration.evaluation,
        configuration.verification,
        configuration.kept_set,
    )
    target = audit.search.problem.settings.target
    of = text("k = {k}, ℓ = {l}", k=configuration.k, l=configuration.l)
    found = []
    if evaluation is not None:
        reached = Verdict.PASS if evaluation.accuracy >= target else Verdict.FAIL
        found += [
            Figure(
                "accuracy",
                evaluation.accuracy,
                threshold=text("at least {least}", least=percent(target)),
                verdict=reached,
                of=of,
            ),
            Figure("baseline_accuracy", evaluation.baseline_accuracy, of=of),
            Figure("balanced_accuracy", evaluation.balanced_accuracy, of=of),
            Figure("untouched_accuracy", evaluation.untouched_accuracy, of=of),
            Figure("anonymized_accuracy", evaluation.anonymized_accuracy, of=of),
        ]
    found += search_figures(audit)
    found.append(
        Figure("deletion_ratio", configuration.deletion_ratio, of=of, total=audit.search.problem.n_records)
    )
    if kept_set is not None:
        found.append(Figure("ncp", kept_set.ncp, of=of))
    if evaluation is not None:
        found.append(Figure("minimization_ncp", evaluation.minimization_ncp, of=of))
    if verification is not None:
        found += _verified_figures(audit, configuration, of)
    return tuple(found)


def _verified_figures(audit: DiversityAudit, configuration: Configuration, of: str) -> list[Figure]:
    verification, settings = configuration.verification, audit.search.problem.settings
    if verification is None:
        return []
    k_holds = Verdict.PASS if (verification.k or 0) >= configuration.k else Verdict.FAIL
    l_holds = Verdict.PASS if verification.holds(1, configuration.l, settings) else Verdict.FAIL
    threshold = text("at least {least}", least=configuration.l)
    least_k = text("at least {least}", least=configuration.k)
    bound = verification.recursive_c(configuration.l)
    by_rule: dict[str, Figure] = {
        "distinct": Figure(
            "distinct_l", verification.distinct_l, threshold=threshold, verdict=l_holds, of=of
        ),
        "entropy": Figure("entropy_l", verification.entropy_l, threshold=threshold, verdict=l_holds, of=of),
        "recursive": Figure(
            "recursive_c",
            bound if np.isfinite(bound) else None,
            threshold=text(
                "below {bound} at ℓ = {l}", bound=Written(f"{settings.recursive_c:g}"), l=configuration.l
            ),
            verdict=l_holds,
            of=of,
        ),
    }
    plain = {
        "distinct": Figure("distinct_l", verification.distinct_l, of=of),
        "entropy": Figure("entropy_l", verification.entropy_l, of=of),
    }
    others = [figure for rule, figure in plain.items() if rule != settings.diversity]
    classes = verification.classes
    return [
        Figure("k", verification.k, threshold=least_k, verdict=k_holds, of=of),
        by_rule[settings.diversity],
        *others,
        Figure("t", verification.t, of=of),
        Figure("alpha", verification.alpha, of=of),
        Figure("average_class_size", average_class_size(classes), of=of),
        Figure("discernibility", _discernibility(configuration), of=of),
    ]


def _discernibility(configuration: Configuration) -> float | None:
    return None if configuration.kept_set is None else float(discernibility(configuration.kept_set.classes))


def diversity_report(
    audit: DiversityAudit,
    configuration: Configuration | None,
    *,
    created_at: datetime,
    versions: Mapping[str, str] | None = None,
) -> Report:
    """Return the report of a search and of the configuration that was picked."""
    problem = audit.search.problem
    inputs = _inputs(problem)
    return Report(
        tool="diversity",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=inputs,
        settings={
            **report_lines(problem.settings, problem.choice, audit.thresholds),
            "Label of a merged cell": own(problem.settings.majority),
            "Seed of the hold-out": problem.settings.holdout_seed,
            "Seed of the minimization": problem.settings.minimization_seed,
            "Model": own(model_of(problem)),
        },
        figures=search_figures(audit)
        if configuration is None
        else configuration_figures(audit, configuration),
        findings=audit.findings,
        tables=_report_tables(audit, configuration),
        charts=_report_charts(audit, configuration),
        limits=LIMITS,
        created_at=created_at,
        versions=versions if versions is not None else current_versions(),
        result=diversity_document(audit),
        seeds={
            "split_seed": problem.choice.split_seed,
            "seed": problem.choice.seed,
            "holdout_seed": problem.settings.holdout_seed,
            "minimization_seed": problem.settings.minimization_seed,
        },
        arguments=(diversity_arguments(audit, inputs, configuration),),
    )


def _inputs(problem: SearchProblem) -> tuple[InputFacts, ...]:
    facts, choice = [input_facts(problem.data, TABLE)], problem.choice
    if problem.training is not None:
        facts.append(input_facts(problem.training, TRAINING))
    if choice.source == "file":
        facts.append(file_facts(choice.file, MODEL, name=choice.file_name))
    return placed(facts)


def _report_tables(audit: DiversityAudit, configuration: Configuration | None) -> tuple[ReportTable, ...]:
    problem = audit.search.problem
    tables = [
        ReportTable(
            "result_list",
            "Result list",
            configurations_table(audit.offered),
            note="Pairs with deletion, at or above the target, verified, within the limits.",
        ),
        ReportTable(
            "all_configurations", "All configurations", configurations_table(audit.search.configurations)
        ),
        ReportTable("pareto", "Pareto front", configurations_table(audit.pareto)),
        ReportTable("bins", "How sensitive values are counted", bins_table(problem)),
    ]
    if configuration is not None:
        pair = {"k": configuration.k, "l": configuration.l}
        tables += [
            ReportTable(
                "generalizations",
                text("What minimization leaves of the quasi-identifiers, k = {k}, ℓ = {l}", **pair),
                generalizations_table(problem, configuration),
            ),
            ReportTable(
                "class_diversity",
                text("Sensitive values per class, k = {k}, ℓ = {l}", **pair),
                diversity_table(configuration, problem),
            ),
        ]
        tables += tried_tables(_tried(audit, configuration))
    return tuple(tables)


def _tried(audit: DiversityAudit, configuration: Configuration) -> Iterator[Tried]:
    """Yield what the released classes were held against."""
    names = listed(audit.search.problem.settings.quasi_identifiers)
    for figure in configuration_figures(audit, configuration):
        if figure.measure in ("k", "distinct_l", "entropy_l", "recursive_c", "t", "alpha"):
            yield figure_tried(figure, text("All classes over {columns}", columns=names))


def _report_charts(audit: DiversityAudit, configuration: Configuration | None) -> tuple[ReportChart, ...]:
    charts = []
    if evaluated(audit):
        charts.append(
            ReportChart(
                "Accuracy against records removed",
                trade_off_chart(audit, configuration),
                trade_off_alt(audit),
            )
        )
    return (*charts, *(pair_charts(audit, configuration)[:1] if configuration is not None else ()))


def pair_charts(audit: DiversityAudit, configuration: Configuration) -> tuple[ReportChart, ...]:
    """Return the charts of what one pair releases, each with a text that says what it shows."""
    pair, charts = {"k": configuration.k, "l": configuration.l}, []
    if (sizes := class_sizes_chart(configuration)) is not None:
        charts.append(
            ReportChart(
                text("Class sizes, k = {k}, ℓ = {l}", **pair),
                sizes,
                text("Records by class size for k = {k}, ℓ = {l}.", **pair),
            )
        )
    if (diversity := diversity_chart(configuration, audit.search.problem)) is not None:
        charts.append(
            ReportChart(
                text("Sensitive values per class, k = {k}, ℓ = {l}", **pair),
                diversity,
                text(
                    "Records by the number of different sensitive values in their class for k = {k}, "
                    "ℓ = {l}.",
                    **pair,
                ),
            )
        )
    return tuple(charts)
