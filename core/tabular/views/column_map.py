"""The column map: a row per column, and what was logged, done and found about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.reports.model import Column, Table, table_of
from core.roles import Role, RoleSuggestion
from core.tabular import TabularAudit
from core.tabular.rules import ColumnCheck
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.verdict import Finding, Verdict, worst
from core.words import counted, own, share_of, text

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
