"""Tables, charts and the report of the (k, l) grid search."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from core.diversity import (
    Configuration,
    DiversityAudit,
    SearchProblem,
    SinglingOut,
    generalizations,
)
from core.diversity.document import diversity_command, diversity_document
from core.diversity.judging import accuracy_word, cause_of_failure
from core.diversity.minimized import known_as, ranges
from core.diversity.views.charts import (
    DIVERSITY_COLUMNS,
    STATUS_WORDS,
    class_sizes_chart,
    diversity_chart,
    diversity_table,
    evaluated,
    trade_off_alt,
    trade_off_chart,
)
from core.languages import ENGLISH
from core.measures import diversity as diversity_measures
from core.measures import shared
from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions, input_facts
from core.reports.model import Column, said_table, table_of
from core.settings_form import report_lines
from core.utility import average_class_size, discernibility
from core.verdict import Verdict
from core.words import Text, Written, joined, own, percent, speaking, text

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
SINGLING_OUT_COLUMNS = (
    Column("column", "Column"),
    Column("values", "Different values"),
    Column("alone", "Records it singles out", "share"),
    Column("together", "Together with those above", "share"),
)
GENERALIZATION_COLUMNS = (
    Column("column", "Quasi-identifier"),
    Column("known_as", "May be known as", kind="words"),
)
BIN_COLUMNS = (
    Column("attribute", "Sensitive attribute"),
    Column("values", "Different values"),
    Column("counted_as", "Counted as"),
    Column("bins", "Bins", kind="words"),
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
        "Start from k = {k}, ℓ = {l}: {accuracy} accurate, {removed} of the records removed."
        if is_class
        else "Start from k = {k}, ℓ = {l}: {accuracy} R², {removed} of the records removed.",
        k=chosen.k,
        l=chosen.l,
        accuracy=percent(chosen.accuracy),
        removed=percent(chosen.deletion_ratio),
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
    return (Figure("base_accuracy", problem.base_accuracy, of=_model_of(problem)),)


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
    found.append(Figure("deletion_ratio", configuration.deletion_ratio, of=of))
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


def configurations_table(configurations: Sequence[Configuration]) -> pd.DataFrame:
    """Return a row per configuration, shares in [0, 1], None where not assessed."""
    rows = [[value(each) for _, value in _READ] for each in configurations]
    return table_of(rows, CONFIGURATION_COLUMNS)


def _of(part: str, name: str, *, decimals: int | None = None) -> Callable[[Configuration], object]:
    """Return what reads a figure of a part of a configuration, None where it has no such part."""

    def read(configuration: Configuration) -> object:
        value = getattr(getattr(configuration, part), name, None)
        return value if value is None or decimals is None else round(value, decimals)

    return read


_READ: Sequence[tuple[Column, Callable[[Configuration], object]]] = (
    (Column("k", "k"), lambda each: each.k),
    (Column("l", "ℓ"), lambda each: each.l),
    (Column("result", "Result", kind="words"), lambda each: STATUS_WORDS[each.status]),
    (Column("accuracy", "Accuracy", "share"), lambda each: each.accuracy),
    (Column("accuracy_low", "Interval from", "share"), _of("evaluation", "accuracy_low")),
    (Column("accuracy_high", "Interval to", "share"), _of("evaluation", "accuracy_high")),
    (Column("balanced", "Balanced", "share"), _of("evaluation", "balanced_accuracy")),
    (Column("baseline", "Most frequent label", "share"), _of("evaluation", "baseline_accuracy")),
    (Column("untouched", "Same records untouched", "share"), _of("evaluation", "untouched_accuracy")),
    (Column("n_holdout", "Held out"), _of("evaluation", "n_holdout")),
    (Column("deletion", "Removed", "share"), lambda each: each.deletion_ratio),
    (Column("n_kept", "Kept"), _of("kept_set", "n_kept")),
    (Column("ncp", "NCP", "share"), _of("kept_set", "ncp")),
    (Column("minimization_ncp", "NCP of minimization", "share"), _of("evaluation", "minimization_ncp")),
    (Column("smallest_class", "Smallest class"), _of("verification", "k")),
    (Column("distinct_l", "Distinct ℓ"), _of("verification", "distinct_l")),
    (Column("entropy_l", "Entropy ℓ"), _of("verification", "entropy_l", decimals=3)),
    (Column("t", "t"), _of("verification", "t", decimals=4)),
    (Column("alpha", "α", "share"), _of("verification", "alpha")),
)
CONFIGURATION_COLUMNS = tuple(column for column, _ in _READ)


def generalizations_table(configuration: Configuration) -> pd.DataFrame:
    """Return a row per quasi-identifier: what minimization leaves of it, in words."""
    evaluation = configuration.evaluation
    found = () if evaluation is None else generalizations(evaluation.minimization)
    rows = [(each.feature, known_as(each)) for each in found]
    return table_of(rows, GENERALIZATION_COLUMNS)


def singling_out_table(ranked: Sequence[SinglingOut]) -> pd.DataFrame:
    """Return a row per column: how many records it singles out alone and with those before it."""
    rows = [(e.column, e.n_values, e.unique_share, e.unique_share_with_former) for e in ranked]
    return table_of(rows, SINGLING_OUT_COLUMNS)


def bins_table(problem: SearchProblem) -> pd.DataFrame:
    """Return a row per sensitive attribute: how its values are counted."""
    rows = [
        (
            each.name,
            each.n_distinct,
            each.n_values,
            "as written" if each.edges is None else ranges(each.edges.tolist()),
        )
        for each in problem.sensitive
    ]
    return table_of(rows, BIN_COLUMNS)


def settings_document(problem: SearchProblem) -> dict[str, Any]:
    """Return everything needed to repeat the search, as plain values."""
    choice = {name: value for name, value in asdict(problem.choice).items() if name != "file"}
    return {
        "tool": "diversity",
        "data": {"name": problem.data.name, "sha256": problem.data.sha256},
        "training": problem.training and {"name": problem.training.name, "sha256": problem.training.sha256},
        "settings": asdict(problem.settings),
        "model": choice,
        "model_description": _model_of(problem),
        "versions": dict(current_versions()),
    }


def settings_json(problem: SearchProblem) -> bytes:
    """Return the settings document as JSON bytes."""
    return json.dumps(settings_document(problem), ensure_ascii=False, indent=2).encode()


def configurations_csv(audit: DiversityAudit) -> bytes:
    """Return all configurations as CSV, in English; numbers and our own words only."""
    with speaking(ENGLISH):
        table = said_table(configurations_table(audit.search.configurations), CONFIGURATION_COLUMNS)
    return table.rename(columns=_of_programs).to_csv(index=False).encode()


def _of_programs(heading: str) -> str:
    return heading.replace("ℓ", "l")


def kept_records_csv(problem: SearchProblem, configuration: Configuration) -> bytes:
    """Return the record numbers of the kept records in the uploaded table, the first record being 1."""
    kept_set = configuration.kept_set
    kept = problem.records[kept_set.kept] + 1 if kept_set else problem.records[:0]
    return pd.DataFrame({"record": kept}).to_csv(index=False).encode()


def _model_of(problem: SearchProblem) -> str:
    if problem.inputs.model is None:
        return text("predictions in column {column}", column=problem.choice.predictions_column)
    return problem.inputs.model.description


def diversity_report(
    audit: DiversityAudit,
    configuration: Configuration | None,
    *,
    created_at: datetime,
    versions: Mapping[str, str] | None = None,
) -> Report:
    """Return the report of a search and of the configuration that was picked."""
    problem = audit.search.problem
    return Report(
        tool="diversity",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=_inputs(problem),
        settings={
            **report_lines(problem.settings, problem.choice, audit.thresholds),
            "Label of a merged cell": own(problem.settings.majority),
            "Seed of the hold-out": problem.settings.holdout_seed,
            "Seed of the minimization": problem.settings.minimization_seed,
            "Model": own(_model_of(problem)),
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
        command=diversity_command(audit),
    )


def _inputs(problem: SearchProblem) -> tuple[InputFacts, ...]:
    facts = [input_facts(problem.data, "table to anonymize")]
    if problem.training is not None:
        facts.append(input_facts(problem.training, "training table"))
    return tuple(facts)


def _report_tables(audit: DiversityAudit, configuration: Configuration | None) -> tuple[ReportTable, ...]:
    problem, every = audit.search.problem, CONFIGURATION_COLUMNS
    tables = [
        ReportTable(
            "result_list",
            "Result list",
            configurations_table(audit.offered),
            note="Pairs with deletion, at or above the target, verified, within the limits.",
            columns=every,
        ),
        ReportTable(
            "all_configurations",
            "All configurations",
            configurations_table(audit.search.configurations),
            columns=every,
        ),
        ReportTable("pareto", "Pareto front", configurations_table(audit.pareto), columns=every),
        ReportTable("bins", "How sensitive values are counted", bins_table(problem), columns=BIN_COLUMNS),
    ]
    if configuration is not None:
        pair = {"k": configuration.k, "l": configuration.l}
        tables += [
            ReportTable(
                "generalizations",
                text("What minimization leaves of the quasi-identifiers, k = {k}, ℓ = {l}", **pair),
                generalizations_table(configuration),
                columns=GENERALIZATION_COLUMNS,
            ),
            ReportTable(
                "class_diversity",
                text("Sensitive values per class, k = {k}, ℓ = {l}", **pair),
                diversity_table(configuration, problem),
                columns=DIVERSITY_COLUMNS,
            ),
        ]
    return tuple(tables)


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
    return (*charts, *(pair_charts(audit, configuration) if configuration is not None else ()))


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
