"""A map of an anonymized table's columns: what was logged, done and found about each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from core.people.roles import Role, RoleSuggestion
from core.result import Col, Table
from core.tabular.judging import TabularAudit
from core.tabular.rules import ColumnCheck
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.verdict import Finding, Verdict, verdict_counts, worst
from core.words import Text, counted, joined, own, share_of, text

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
_QUESTIONS = {
    "done": "Was it done?",
    "unchanged": "Left unchanged?",
    "singles_out": "Singles out?",
    "identifier": "Looks like an identifier?",
    "other": "Anything else?",
}
_DONE = {Verdict.PASS: "yes", Verdict.WARN: "in doubt", Verdict.FAIL: "no"}
_IN_OTHER_WORDS = {Verdict.PASS: "yes, in other words", Verdict.WARN: "in other words, perhaps"}


@dataclass(frozen=True, kw_only=True)
class MappedColumn:
    """A check of a column: what was logged, and each question's answer and verdict."""

    column: str
    action: str
    answers: Mapping[str, str]
    marks: Mapping[str, Verdict | None]  # by question; None where nothing was found
    findings: tuple[Finding, ...]  # what the rule and we say of it, worst first

    @property
    def severity(self) -> int:
        """Return how grave the worst answer is."""
        return max(mark.severity for mark in self.marks.values() if mark)


def _answer(key: str, row: MappedColumn) -> str:
    return row.answers[key]


def _mark(key: str, row: MappedColumn) -> Verdict | None:
    return row.marks[key]


_COLUMNS = (
    Col("column", "Column"),
    Col("action", "Logged action"),
    *(
        Col(key, label, kind="words", get=partial(_answer, key), mark=partial(_mark, key))
        for key, label in _QUESTIONS.items()
    ),
)


def column_map(audit: TabularAudit) -> Table:
    """Return what was logged, done and found for every column, the worst first."""
    opinion = audit.opinion_measurement
    compared = {one.anonymized: one for one in opinion.columns} if opinion else {}
    suggested = {one.column: one for one in opinion.suggestions} if opinion else {}
    rows = []
    for check in audit.measurement.checks:
        name = check.anonymized_column or check.column
        about = tuple(one for one in audit.all_findings if name in (one.column, *one.columns))
        rows.append(_mapped(name, check, about, compared.get(name), suggested.get(name)))
    return Table(
        "map",
        text("Column map of {file}", file=audit.name),
        _COLUMNS,
        sorted(rows, key=lambda row: -row.severity),
        note=checks_line(audit),
    )


def checks_line(audit: TabularAudit) -> Text:
    """Return how many column checks ended in which verdict, those done in other words apart."""
    counts = {status: audit.measurement.n_messages(status) for status in reversed(Verdict)}
    told = text(
        "{n} column check: {counts}.",
        "{n} column checks: {counts}.",
        n=len(audit.measurement.checks),
        counts=verdict_counts({status: n for status, n in counts.items() if n}),
    )
    if not (n := audit.n_in_other_words):
        return told
    apart = text(
        "{n} of them was done in other words than the rule's.",
        "{n} of them were done in other words than the rule's.",
        n=n,
    )
    return joined([told, apart])


def _mapped(
    name: str,
    check: ColumnCheck,
    about: tuple[Finding, ...],
    compared: ColumnComparison | None,
    suggested: RoleSuggestion | None,
) -> MappedColumn:
    """Return a row of the map; a cell's verdict is that of its findings."""
    own_words = Finding(check=check.check, verdict=check.status, message=check.reason, column=name)
    of_rule = f"column_{check.check}"
    counted = next((one.verdict for one in about if one.check == of_rule), check.status)
    marks = _marks([one for one in about if one.check != of_rule]) | {"done": counted}
    answers = {
        "done": _DONE.get(check.status, "–") if counted is check.status else _IN_OTHER_WORDS[counted],
        "unchanged": _unchanged(compared) if compared else "–",
        "singles_out": _singles_out(suggested) if suggested else "–",
        "identifier": _identifier(suggested, check, about) if suggested else "–",
        "other": text("yes") if marks["other"] else "–",
    }
    return MappedColumn(
        column=name,
        action=check.action or "–",
        answers=answers,
        marks=marks,
        findings=about if any(one.check == of_rule for one in about) else (own_words, *about),
    )


def _marks(findings: Sequence[Finding]) -> dict[str, Verdict | None]:
    """Return the worst verdict of the findings that answer each question."""
    answers: dict[str, list[Verdict]] = {}
    for finding in findings:
        if finding.verdict is not Verdict.PASS:
            answers.setdefault(_ANSWERS.get(finding.check, "other"), []).append(finding.verdict)
    return {key: worst(answers[key]) if key in answers else None for key in _QUESTIONS}


def _unchanged(column: ColumnComparison) -> str:
    if not column.n_compared:
        return "–"
    return share_of(column.n_unchanged, column.n_compared) if column.n_unchanged else text("no")


def _singles_out(column: RoleSuggestion) -> str:
    if not column.n_nonblank:
        return "–"
    return text(
        "{n} value in {filled}",
        "{n} values in {filled}",
        n=column.n_distinct,
        filled=counted(column.n_nonblank, "cell"),
    )


def _identifier(column: RoleSuggestion, check: ColumnCheck, findings: Sequence[Finding]) -> str:
    if not check.n_filled:
        return "–"
    found = sum(one.n_affected or 0 for one in findings if one.check == "holds_sensitive_pattern")
    if found:
        return text("{n} cell holds a pattern", "{n} cells hold a pattern", n=found)
    return own(column.kind) if column.role is Role.DIRECT_IDENTIFIER and column.kind else text("no")
