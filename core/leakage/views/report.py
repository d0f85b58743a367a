"""The report of row leakage, and how cells were compared in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from core.leakage import LeakageAudit, LeakageMeasures, LeakageSettings
from core.leakage.views.charts import leakage_charts
from core.leakage.views.figures import (
    attack_figures,
    found_figures,
    further_figures,
    moved_figures,
    nearest_figures,
    row_figures,
)
from core.leakage.views.tables import (
    ATTACK_UNITS,
    COLUMN_UNITS,
    N_WORST_ROWS,
    ROW_UNITS,
    attacks_table,
    columns_table,
    distances_table,
    worst_rows_table,
)
from core.reports import InputFacts, Report, ReportTable, current_versions
from core.settings_form import described, report_lines

TITLE = "Row leakage"
QUESTION = "Is a participant still in the scrambled table?"
LIMITS = (
    "The second look does not undo changes that differ from row to row, decreasing scales, and words merged.",
    "Where the original holds a person several times, few near copies stand out without a hold-out.",
    "Distances to the closest record alone can miss leaks: a few copied rows hardly move a median.",
    "With few rows, or few columns of few values, only a large excess can be told from chance.",
    "Near copies are looked for among up to 1,000 scrambled rows: few persons of very many may be missed.",
    "Nothing here calls a table anonymous.",
)
ATTACKS_NOTE = (
    "Success with its 95 % interval (Wilson); naive guesses do not look; risk is (success − hold-out) / "
    "(1 − hold-out). Giomi et al. 2023, closeness by likeness in bits."
)


def nearest_note(measures: LeakageMeasures) -> str:
    """Return whether the nearest rows are exact or a sample, in a sentence."""
    nearest, n_scrambled = measures.nearest, measures.whole_rows.n_scrambled
    if nearest.is_exact:
        return f"Exact: {nearest.n_assessed:,} original rows against all {n_scrambled:,} scrambled rows."
    return (
        f"A random sample (seed {measures.settings.seed}): {nearest.n_assessed:,} of {nearest.n_original:,} "
        f"original rows, each against all {n_scrambled:,} scrambled rows."
    )


def comparison_note(measures: LeakageMeasures) -> str:
    """Return how cells were compared, in sentences: missing cells, ignored values and columns, chance."""
    settings, orders = measures.settings, measures.random_orders
    missing = {
        "leave out": "not compared",
        "match": "a match",
        "difference": "a difference",
    }[settings.missing_on_both]
    ignored = ", ".join(settings.ignore_values) or "none"
    parts = [
        f"{len(measures.columns):,} columns compared, {len(measures.ignored_columns):,} ignored.",
        (
            f"Ignored values: {ignored}. A cell missing in both tables is {missing}; "
            "missing in one table is a difference."
        ),
    ]
    if orders is not None:
        parts.append(f"Chance over {orders.n_permutations:,} random orders, seed {settings.seed}.")
    return " ".join([*parts, *measures.notes])


def leakage_report(audit: LeakageAudit, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report: figures, findings, tables of counts and charts; no cell values."""
    return Report(
        tool="leakage",
        title=TITLE,
        question=QUESTION,
        verdict=audit.verdict,
        headline=audit.headline,
        inputs=tuple(inputs),
        settings=_settings(audit),
        figures=(
            *row_figures(audit),
            *moved_figures(audit),
            *found_figures(audit),
            *attack_figures(audit),
            *nearest_figures(audit),
            *further_figures(audit),
        ),
        findings=audit.findings,
        tables=_tables(audit.measures),
        charts=tuple(leakage_charts(audit.measures).values()),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
    )


def _settings(audit: LeakageAudit) -> dict[str, object]:
    measures, orders = audit.measures, audit.measures.random_orders
    told = described(LeakageSettings)
    return {
        **report_lines(measures.settings, audit.thresholds),
        told["ignore_columns"].label: list(measures.ignored_columns),
        told["n_permutations"].label: None if orders is None else orders.n_permutations,
        "Nearest rows": nearest_note(measures),
    }


def _tables(measures: LeakageMeasures) -> tuple[ReportTable, ...]:
    return (
        ReportTable(
            name="columns",
            title="Columns",
            frame=columns_table(measures),
            note="Shares are over all rows compared; z is the excess in standard deviations of chance.",
            units=COLUMN_UNITS,
        ),
        ReportTable(
            name="worst rows",
            title="Rows that share most with their original",
            frame=worst_rows_table(measures),
            note=f"The first {N_WORST_ROWS}; row numbers count from 1, without the header.",
            units=ROW_UNITS,
        ),
        ReportTable(
            name="distances",
            title="Distance to the closest record",
            frame=distances_table(measures),
            note="Gower's distance, 0 (the same) to 1. Such distances alone can miss leaks.",
        ),
        ReportTable(
            name="attacks",
            title="Attacks",
            frame=attacks_table(measures),
            note=ATTACKS_NOTE,
            units=ATTACK_UNITS,
        ),
    )
