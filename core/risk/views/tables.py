"""The tables and charts of a disclosure-risk audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from core.charts import class_size_chart, horizontal_bars
from core.measures import MEASURES, format_value, risk, risk_models, shared
from core.measures.measure import Unit
from core.reports import ReportChart, ReportTable
from core.reports.evidence import records_table
from core.reports.model import Column, said_table
from core.risk import PRESETS, ColumnsMeasurement, Comparison, RiskAudit, RiskMeasurement, Suda, suda_note
from core.roles import RoleSuggestion
from core.tables import Dataset
from core.verdict import Verdict
from core.words import counted, listed, percent, text

TITLE = "Disclosure risk"
QUESTION = "How easily are people found in this table, and what does it give away about them?"
LIMITS = (
    (
        "The figures speak of the columns chosen as quasi-identifiers. What others know, now or later, is "
        "theirs."
    ),
    (
        "A large class protects who somebody is, not what is true of everybody in it: look at the sensitive "
        "attributes."
    ),
    "t, β and δ say how far a class is from the whole table, not whether that hurts anybody.",
    (
        "Risk against a population is as good as the population's table or size; estimates assume a random "
        "sample."
    ),
    "Nothing here calls a table anonymous.",
)
MEASURE_KEYS = tuple(
    measure.key
    for group in (shared.MEASURES, risk.MEASURES, risk_models.MEASURES, shared.DISCLOSURE, shared.COST)
    for measure in group
)


def headline(audit: RiskAudit) -> str:
    """Return the most important reason of the overall verdict, in a sentence."""
    worst = [finding for finding in audit.all_findings if finding.verdict is audit.overall]
    if audit.overall is Verdict.PASS:
        return audit.findings[0].message
    return worst[0].message


def preset_note(k: int) -> str:
    """Return who asks for classes of this size; empty for a size that is no preset."""
    return PRESETS.get(k, "")


def class_chart(audit: RiskAudit, *, log: bool = False) -> ReportChart | None:
    """Draw the records by class size with k, and the cumulative share on the right; None of no record."""
    classes, k = audit.measurement.classes, audit.thresholds.k
    if not classes.n_records:
        return None
    sizes, records = classes.size_histogram
    chart = class_size_chart(sizes, records, k, log=log, cumulative=True)
    unit = "" if audit.measurement.unit == "record" else ", sizes in persons"
    return ReportChart(
        f"Records by class size{unit}",
        chart,
        f"Histogram of records by class size with the cumulative share of records: "
        f"{audit.n_at_risk:,} of {counted(classes.n_records, 'record')} "
        f"({percent(audit.n_at_risk / classes.n_records)}) are in classes smaller than {k}.",
    )


def risk_bars(audit: RiskAudit) -> ReportChart | None:
    """Draw the risk of the three intruders that could be assessed."""
    measured = audit.measurement
    rows = [("Prosecutor, highest", measured.highest_risk), ("Prosecutor, average", measured.average_risk)]
    if measured.population is not None:
        rows.append(("Journalist, highest", measured.population.journalist_highest_risk))
        rows.append(("Marketer, expected share", measured.population.marketer_risk))
    known = [(label, risk) for label, risk in rows if risk is not None]
    if not known:
        return None
    limit = 1 / audit.thresholds.k
    return ReportChart(
        "Risk of three intruders",
        horizontal_bars(
            pd.DataFrame(known, columns=["intruder", "risk"]),
            label="intruder",
            value="risk",
            unit="risk",
            value_title="Risk (%)",
            label_title="Intruder",
            rule=limit,
            rule_label=f"1 / {audit.thresholds.k}",
        ),
        "Bars of "
        + ", ".join(f"{label} {percent(risk)}" for label, risk in known)
        + f", with the threshold {percent(limit)}.",
    )


CHANGE_UNITS: Mapping[str, Unit] = {"Cells changed": "share", "Precision lost (NCP)": "share"}


def roles_table(suggestions: Sequence[RoleSuggestion], columns: Sequence[str]) -> pd.DataFrame:
    """Return a row per column, in the table's order: what it may be, why, and the role to confirm."""
    by_column = {suggestion.column: suggestion for suggestion in suggestions}
    ordered = [by_column[column] for column in columns]
    return pd.DataFrame(
        {
            "Column": [each.column for each in ordered],
            "Role": [each.role.value for each in ordered],
            "Suggestion": [each.role.value for each in ordered],
            "Reason": [each.reason for each in ordered],
            "Distinct values": [each.n_distinct for each in ordered],
        }
    )


def disclosure_table(measured: RiskMeasurement) -> pd.DataFrame:
    """Return a row per figure of attribute disclosure and a column per sensitive attribute, written out."""
    keys = list(measured.sensitive[0].figures) if measured.sensitive else []
    labels = [MEASURES[key].label for key in keys]
    columns = [
        [format_value(MEASURES[key], sensitive.figures[key]) for key in keys]
        for sensitive in measured.sensitive
    ]
    facts = {
        "Different values in the table": [f"{each.n_values:,}" for each in measured.sensitive],
        "Records without a known value": [f"{each.n_missing:,}" for each in measured.sensitive],
        "Classes with one value": [f"{each.below_l(2)[0]:,}" for each in measured.sensitive],
        "Records in classes with one value": [f"{each.below_l(2)[1]:,}" for each in measured.sensitive],
        "Distance between values": [each.distance for each in measured.sensitive],
    }
    for fact, values in facts.items():
        labels.append(fact)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return _labelled(labels, [sensitive.column for sensitive in measured.sensitive], columns)


def _labelled(labels: Sequence[str], headings: Sequence[str], columns: Sequence[list[str]]) -> pd.DataFrame:
    """Return figures beside each other; a heading of the person's own never takes the place of another."""
    frame = {"Figure": list(labels)}
    for heading, values in zip(headings, columns, strict=True):
        shown = heading
        while shown in frame:
            shown = f"{shown} (second)" if heading != "Figure" else f"{shown} (column)"
        frame[shown] = values
    return pd.DataFrame(frame)


def class_size_shares(audit: RiskAudit) -> pd.DataFrame:
    """Return a row per usual threshold: records in smaller classes and their share."""
    classes = audit.measurement.classes
    thresholds = sorted({2, 3, 5, 11, 20, audit.thresholds.k})
    return pd.DataFrame(
        {
            "Class size below": thresholds,
            "Records": [classes.n_records_below(k) for k in thresholds],
            "Share of records": [classes.share_below(k) for k in thresholds],
        }
    )


def worst_classes_table(measured: RiskMeasurement, dataset: Dataset, *, reveal: bool = False) -> pd.DataFrame:
    """Return the smallest classes, and of equally small ones those that give most away."""
    classes = measured.classes
    own = [each for each in measured.sensitive if each.classes is classes]
    order = measured.worst_classes
    records = measured.first_record_of_class[order]
    shown = dataset.table.take(pa.array(records))
    sizes = {Column("size", f"Size in {measured.unit}s"): classes.class_sizes[order]}
    different = {
        Column(f"distinct_{position}", f"Different values of {each.column}"): each.distinct_l[order]
        for position, each in enumerate(own)
    }
    cells: dict[str, pa.ChunkedArray] = {
        text("{column}", column=column): shown[column] for column in classes.quasi_identifiers
    }
    return said_table(*records_table(sizes, cells, behind=different, reveal=reveal))


def changes_table(comparison: Comparison) -> pd.DataFrame:
    """Return a row per column of the original: what became of it."""
    columns = comparison.columns
    return pd.DataFrame(
        {
            "Column": [each.column for each in columns],
            "In the table": ["yes" if each.released else "no" for each in columns],
            "Cells changed": [each.changed_share for each in columns],
            "Precision lost (NCP)": [each.ncp for each in columns],
            "Distinct values, original": [each.n_values_original for each in columns],
            "Distinct values": pd.array([each.n_values for each in columns], dtype="Int64"),
            "Missing, original": [each.n_missing_original for each in columns],
            "Missing": pd.array([each.n_missing for each in columns], dtype="Int64"),
        }
    )


def columns_the_other_lacks(audit: RiskAudit, other: RiskAudit | None) -> str:
    """Say which quasi-identifiers a second table lacks, so that its classes are larger; empty for none."""
    if other is None:
        return "The second table has none of the quasi-identifiers, so its classes cannot be formed."
    there = other.measurement.classes.quasi_identifiers
    lacking = [name for name in audit.measurement.classes.quasi_identifiers if name not in there]
    if not lacking:
        return ""
    return (
        f"The second table has no {listed(lacking)}: its classes are formed over {listed(there)} alone, "
        "which makes them larger than they would be with all."
    )


def side_by_side_table(audit: RiskAudit, other: RiskAudit) -> pd.DataFrame:
    """Return a row per figure: this table beside another one, written out."""
    return _joined(_all_figures(audit), _all_figures(other), audit.measurement.name, other.measurement.name)


def _joined(mine: Mapping[str, str], theirs: Mapping[str, str], first: str, second: str) -> pd.DataFrame:
    others = [theirs.get(label, "not assessed") for label in mine]
    return _labelled(list(mine), [first, second], [list(mine.values()), others])


def _all_figures(audit: RiskAudit) -> dict[str, str]:
    found = {MEASURES[key].label: format_value(MEASURES[key], value) for key, value in audit.figures.items()}
    for sensitive in audit.measurement.sensitive:
        for key, value in sensitive.figures.items():
            found[f"{sensitive.column}: {MEASURES[key].label}"] = format_value(MEASURES[key], value)
    return found


COLUMN_UNITS: Mapping[str, Unit] = {
    "Unique with this column alone": "share",
    "Unique only because of it": "share",
    "Records it tells apart (distinction)": "share",
    "Pairs it tells apart (separation)": "share",
}
SET_UNITS: Mapping[str, Unit] = {"Records unique in them": "share"}
SUDA_UNITS: Mapping[str, Unit] = {"Part of the scores": "share"}
_N_SCORED = 50


def columns_table(columns: ColumnsMeasurement) -> pd.DataFrame:
    """Return a row per quasi-identifier, the one that makes most records unique first."""
    ordered = sorted(columns.contributions, key=lambda each: -each.n_unique_gained)
    return pd.DataFrame(
        {
            "Column": [each.column for each in ordered],
            "Unique only because of it": [each.unique_share_gained for each in ordered],
            "Unique with this column alone": [each.alone.unique_share for each in ordered],
            "Records it tells apart (distinction)": [each.alone.distinction for each in ordered],
            "Pairs it tells apart (separation)": [each.alone.separation for each in ordered],
        }
    )


def contribution_chart(columns: ColumnsMeasurement) -> ReportChart:
    """Draw the share of records that each quasi-identifier alone makes unique."""
    table = columns_table(columns)
    shares = table["Unique only because of it"]
    return ReportChart(
        "Records that are unique only because of one column",
        horizontal_bars(
            table,
            label="Column",
            value="Unique only because of it",
            value_title="Records that would not be unique without it (%)",
            label_title="Quasi-identifier",
        ),
        "Bars of the share of records that are unique only because of a column: "
        + ", ".join(
            f"{column} {percent(share)}" for column, share in zip(table["Column"], shares, strict=True)
        )
        + ".",
    )


def sets_note(columns: ColumnsMeasurement) -> str:
    """Say which smallest sets of columns single out most records, and whether all were looked at."""
    found = columns.sets
    if not found.sets:
        return "No set of the quasi-identifiers, not even all, singles out more than half of the records."
    first = found.sets[0]
    share = percent(first.unique_share or 0.0)
    if found.method == "greedy":
        return (
            f"{listed(first.columns)} together single out {share} of the records. All sets of up to "
            f"{counted(found.searched_size, 'column')} were looked at and do not single out more than half; "
            "this larger one was grown column by column, so a smaller one may exist."
        )
    others = len(found.sets) - 1
    verb = "singles" if others == 1 else "single"
    more = f" {counted(others, 'other set')} of this size also {verb} out over half." if others else ""
    return (
        f"{listed(first.columns)} {'alone singles' if len(first.columns) == 1 else 'together single'} out "
        f"{share} of the records, and no smaller set singles out more than half.{more}"
    )


def sets_table(columns: ColumnsMeasurement) -> pd.DataFrame:
    """Return a row per smallest set that singles out more than half of the records, up to 50."""
    sets = columns.sets.sets[:50]
    return pd.DataFrame(
        {
            "Columns": [", ".join(each.columns) for each in sets],
            "Records unique in them": [each.unique_share for each in sets],
        }
    )


def unchosen_sets_table(measured: RiskMeasurement) -> pd.DataFrame:
    """Return a row per smallest set of columns nobody chose that singles most records out, up to 50."""
    sets = measured.unchosen.sets[:50]
    return pd.DataFrame(
        {
            "Columns": [", ".join(columns) for columns, _ in sets],
            "Records unique in them": [s for _, s in sets],
        }
    )


def unchosen_note(measured: RiskMeasurement) -> str:
    """Say what the columns nobody chose single out together, and among what sets were searched."""
    found = measured.unchosen
    if not found.columns or found.unique_share is None:
        return "Every released column was chosen for something."
    share = f"{percent(found.unique_share)} of the records"
    together = f"{listed(found.columns)}, which nobody chose, singles out {share}"
    if len(found.columns) > 1:
        n = len(found.columns)
        together = f"The {n:,} released columns that nobody chose, taken together, single out {share}"
    if not found.sets:
        return f"{together}; no set of such columns singles out over half."
    bounded = "" if found.is_exact else "; the search was bounded, so smaller sets may exist"
    return (
        f"{together}. The smallest sets that single out over half, searched on "
        f"{counted(found.n_looked_at, 'record')} and among {counted(found.n_columns_looked_at, 'column')}"
        f"{bounded}:"
    )


def suda_columns_table(suda: Suda) -> pd.DataFrame:
    """Return a row per quasi-identifier: the part of all scores that comes from sets with it."""
    frame = pd.DataFrame(
        {"Column": list(suda.quasi_identifiers), "Part of the scores": suda.column_contribution}
    )
    return frame.sort_values("Part of the scores", ascending=False, kind="stable", ignore_index=True)


def suda_chart(suda: Suda) -> ReportChart:
    """Draw the part of all SUDA scores that comes from sets with each quasi-identifier."""
    table = suda_columns_table(suda)
    return ReportChart(
        "What the scores come from",
        horizontal_bars(
            table,
            label="Column",
            value="Part of the scores",
            value_title="Part of all scores (%); sets have several columns",
            label_title="Quasi-identifier",
        ),
        "Bars of the part of all SUDA scores by column: "
        + ", ".join(
            f"{column} {percent(min(part, 1.0))}"
            for column, part in zip(table["Column"], table["Part of the scores"], strict=True)
        )
        + ".",
    )


def suda_records_table(suda: Suda, dataset: Dataset) -> pd.DataFrame:
    """Return the records with the highest scores, by their position in the table from 1, without values.

    DIS-SUDA has no column where it is not assessed.
    """
    scores = suda.score_of_record[suda.scored_records]
    order = np.argsort(-scores, kind="stable")[:_N_SCORED]
    records = suda.scored_records[order]
    parts = suda.contribution_of_record[order]
    frame: dict[str, object] = {f"Record of {dataset.name}": records + 1, "SUDA score": scores[order]}
    if suda.dis_of_record is not None:
        frame["DIS-SUDA"] = suda.dis_of_record[records]
    frame["Mostly because of"] = [suda.quasi_identifiers[int(part.argmax())] for part in parts]
    return pd.DataFrame(frame)


def suda_tables(suda: Suda) -> tuple[ReportTable, ...]:
    """Return the tables of a report: what the scores come from, with what was and was not searched."""
    return (
        ReportTable(
            "Special uniques",
            "Special uniques (SUDA2): what the scores come from",
            suda_columns_table(suda),
            note=suda_note(suda),
            units=SUDA_UNITS,
        ),
    )
