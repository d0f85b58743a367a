"""Charts of the tabular verifier: figures against thresholds, records by class size, a map of the columns.

The map has a row per column: what was logged, done and found about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from core.charts import Chart, class_size_chart, horizontal_bars
from core.measures import MEASURES
from core.reports import ReportChart
from core.reports.model import Column, Table, table_of
from core.roles import Role, RoleSuggestion
from core.tabular import TabularAudit
from core.tabular.rules import ColumnCheck
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.views.words import class_note
from core.verdict import Finding, Verdict, worst
from core.words import counted, own, percent, say, share_of, text


def figures_chart(audit: TabularAudit) -> Chart:
    """Draw the published figures as bars, each with a tick at its threshold."""
    measured, limits = audit.measurement, audit.thresholds
    least, most, below = (
        "{figure} (at least {limit})",
        "{figure} (at most {limit})",
        "{figure} (below {limit})",
    )
    rows = (
        ("policy_consistency", least, measured.policy_consistency, limits.policy_consistency_share),
        ("high_risk_handling", least, measured.high_risk_handling, limits.high_risk_handling_share),
        ("pattern_residual", most, measured.pattern_residual, limits.pattern_residual_share),
        ("warn_share", below, measured.warn_share, limits.warn_share),
    )
    frame = pd.DataFrame(
        {
            "figure": [
                say(message, figure=own(MEASURES[key].label), limit=percent(limit))
                for key, message, _, limit in rows
            ],
            "value": [value for _, _, value, _ in rows],
            "limit": [limit for *_, limit in rows],
        }
    )
    return horizontal_bars(
        frame,
        label="figure",
        value="value",
        reference="limit",
        value_title="Share (%)",
        label_title="Figure and threshold",
        reference_meaning="threshold",
    )


def class_chart(audit: TabularAudit, *, k: int, log: bool = False) -> Chart | None:
    """Draw the records by class size with k as a line; None where nothing was assessed."""
    if audit.classes is None or not audit.classes.n_records:
        return None
    sizes, records = audit.classes.size_histogram
    return class_size_chart(sizes, records, k, log=log)


def figures_chart_of(audit: TabularAudit) -> ReportChart:
    """Return the chart of the figures with its title and text."""
    measured = audit.measurement
    return ReportChart(
        title=text("Figures of {file} against their thresholds", file=audit.name),
        chart=figures_chart(audit),
        alt_text=text(
            "Bars of policy consistency {consistency}, high-risk handling {high_risk_handling}, pattern "
            "residual {pattern_residual} and WARN messages {warn_share}, each with its threshold.",
            consistency=percent(measured.policy_consistency),
            high_risk_handling=percent(measured.high_risk_handling),
            pattern_residual=percent(measured.pattern_residual),
            warn_share=percent(measured.warn_share),
        ),
    )


def class_chart_of(audit: TabularAudit, k: int) -> ReportChart | None:
    """Return the chart of class sizes with its title and text; None where nothing was assessed."""
    classes, chart = audit.classes, class_chart(audit, k=k)
    if classes is None or chart is None:
        return None
    return ReportChart(
        title=text("Records of {file} by class size", file=audit.name),
        chart=chart,
        alt_text=text(
            "Histogram of records by class size: {below} of {records} records are in classes smaller "
            "than {k}. {note}",
            below=classes.n_records_below(k),
            records=classes.n_records,
            k=k,
            note=own(class_note(audit)),
        ),
    )


MAP_COLUMNS = (
    Column("column", "Column"),
    Column("action", "Logged action"),
    Column("done", "Was it done?", kind="words"),
    Column("unchanged", "Left unchanged?", kind="words"),
    Column("singles_out", "Singles out?", kind="words"),
    Column("identifier", "Looks like an identifier?", kind="words"),
    Column("other", "Anything else?", kind="words"),
)
# Which question a finding about a column answers, by its check; any other is something else.
_ANSWERS: Mapping[str, str] = {
    "unchanged_distinct_column": "unchanged",
    "partly_unchanged_column": "unchanged",
    "values_in_other_rows": "unchanged",
    "pseudonym_equals_original": "unchanged",
    "rare_value": "singles_out",
    "age_above_89": "singles_out",
    "looks_like_quasi_identifier": "singles_out",
    "looks_like_identifier": "identifier",
    "holds_sensitive_pattern": "identifier",
}
_DONE = {Verdict.PASS: "yes", Verdict.WARN: "in doubt", Verdict.FAIL: "no"}


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnMap:
    """The map as a table, what its cells come to, and the findings behind its rows."""

    frame: Table  # a row per check of a column, the worst first
    marks: Mapping[str, Sequence[Verdict | None]]  # column key to a verdict per row, or None
    findings: Mapping[str, tuple[Finding, ...]]  # name of a row to what the rule and we say, worst first


def column_map(audit: TabularAudit) -> ColumnMap:
    """Return what was logged, done and found for every column; a cell's verdict is that of its findings."""
    opinion = audit.opinion_measurement
    compared = {column.anonymized: column for column in opinion.columns} if opinion else {}
    suggested = {one.column: one for one in opinion.suggestions} if opinion else {}
    findings: dict[str, tuple[Finding, ...]] = {}
    rows: list[tuple[dict[str, str], dict[str, Verdict | None]]] = []
    for check in audit.measurement.checks:
        name = check.anonymized_column or check.column
        about = tuple(one for one in audit.all_findings if name in (one.column, *one.columns))
        own_words = Finding(check=check.check, verdict=check.status, message=check.reason, column=name)
        of_rule = f"column_{check.check}"
        findings[name] = about if any(one.check == of_rule for one in about) else (own_words, *about)
        marks = _marks([one for one in about if one.check != of_rule]) | {"done": check.status}
        cells = {
            "column": name,
            "action": check.action or "–",
            "done": _DONE.get(check.status, "–"),
            "unchanged": _unchanged(compared.get(name)),
            "singles_out": _singles_out(suggested.get(name)),
            "identifier": _identifier(suggested.get(name), check, about),
            "other": text("yes") if marks["other"] else "–",
        }
        rows.append((cells, marks))
    rows.sort(key=lambda row: -max(mark.severity for mark in row[1].values() if mark))
    keys = [column.key for column in MAP_COLUMNS]
    return ColumnMap(
        frame=table_of([[cells[key] for key in keys] for cells, _ in rows], MAP_COLUMNS),
        marks={key: [marks.get(key) for _, marks in rows] for key in keys},
        findings=findings,
    )


def _marks(findings: Sequence[Finding]) -> dict[str, Verdict | None]:
    """Return the worst verdict of the findings that answer each question."""
    answers: dict[str, list[Verdict]] = {}
    for finding in findings:
        if finding.verdict is not Verdict.PASS:
            answers.setdefault(_ANSWERS.get(finding.check, "other"), []).append(finding.verdict)
    return {
        key: worst(answers[key]) if key in answers else None
        for key in ("unchanged", "singles_out", "identifier", "other")
    }


def _unchanged(column: ColumnComparison | None) -> str:
    if column is None or not column.n_compared:
        return "–"
    return share_of(column.n_unchanged, column.n_compared) if column.n_unchanged else text("no")


def _singles_out(column: RoleSuggestion | None) -> str:
    if column is None or not column.n_nonblank:
        return "–"
    return text(
        "{n} value in {filled}",
        "{n} values in {filled}",
        n=column.n_distinct,
        filled=counted(column.n_nonblank, "cell"),
    )


def _identifier(column: RoleSuggestion | None, check: ColumnCheck, findings: Sequence[Finding]) -> str:
    if column is None or not check.n_filled:
        return "–"
    found = sum(one.n_affected or 0 for one in findings if one.check == "holds_sensitive_pattern")
    if found:
        return text("{n} cell holds a pattern", "{n} cells hold a pattern", n=found)
    return own(column.kind) if column.role is Role.DIRECT_IDENTIFIER and column.kind else text("no")
