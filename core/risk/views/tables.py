"""The tables of a risk audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from core.masking import evidence_frame
from core.measures import MEASURES, format_value
from core.measures.measure import Unit
from core.risk import Comparison, RiskAudit, RiskMeasurement
from core.risk.words import listed
from core.roles import RoleSuggestion
from core.tables import Dataset

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
    facts = {f"Size in {measured.unit}s": classes.class_sizes[order]}
    facts |= {f"Different values of {each.column}": each.distinct_l[order] for each in own}
    cells = {column: shown[column] for column in classes.quasi_identifiers}
    frame = evidence_frame(facts, cells, reveal=reveal)
    return frame[[frame.columns[0], *frame.columns[len(facts) :], *frame.columns[1 : len(facts)]]]


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
