"""A run of the tabular verifier as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from core.free_text import reading_words, texts_document
from core.settings_form import command_line, option_words, settings_document
from core.tabular.csv_report import class_shares
from core.tabular.judging import TabularAudit
from core.tabular.measuring import ColumnResult
from core.tabular.pairing import LeftOutFile
from core.tabular.rules import ColumnCheck
from core.tabular.settings import TabularThresholds
from core.verdict import Verdict, worst


def run_verdict(audits: Sequence[TabularAudit], *, n_skipped: int = 0) -> Verdict:
    """Return the worst overall verdict; a skipped file counts as NOT_ASSESSED."""
    return worst([*(audit.overall for audit in audits), *([Verdict.NOT_ASSESSED] * min(n_skipped, 1))])


def tabular_document(audits: Sequence[TabularAudit], skipped: Sequence[LeftOutFile]) -> dict[str, object]:
    """Return the run as plain values for JSON; shares in [0, 1], null for not assessed.

    Without quasi-identifiers the class shares are 0.0 as in the CSV report; `min_k` is null and a
    finding says that they were not assessed.
    """
    return {
        "tool": "tabular",
        "verdict": run_verdict(audits, n_skipped=len(skipped)).value,
        "files": [_file(audit) for audit in audits],
        "skipped": [{"file": file.name, "reason": file.reason} for file in skipped],
    }


def _file(audit: TabularAudit) -> dict[str, object]:
    measured, classes = audit.measurement, audit.classes
    below_2, below_5 = class_shares(audit)
    opinion, looked = (
        [audit.second_opinion.thresholds] if audit.second_opinion else [],
        audit.opinion_measurement,
    )
    return {
        "file": audit.name,
        "mode": measured.log.mode,
        "verdict": audit.verdict.value,
        "second_opinion": audit.second_opinion_verdict.value,
        "overall": audit.overall.value,
        **{key: getattr(measured, key) for key in _RULE_FIGURES},
        "recommended_review": audit.recommended_review,
        "mandatory_review": audit.mandatory_review,
        "quasi_identifiers": list(classes.quasi_identifiers) if classes else [],
        "min_k": classes.k if classes else None,
        "share_k_lt_2": below_2,
        "share_k_lt_5": below_5,
        "columns": [_column(column) for column in measured.columns],
        "texts": texts_document(looked.texts, audit.second_opinion.read)
        if audit.second_opinion and looked
        else [],
        "findings": [finding.document() for finding in audit.all_findings],
        "settings": settings_document(measured.settings, audit.thresholds, *opinion),
    }


_RULE_FIGURES = (
    "policy_consistency",
    "pattern_residual",
    "high_risk_handling",
    "pass_share",
    "warn_share",
    "fail_share",
)


def _column(column: ColumnResult) -> dict[str, object]:
    """Return a column's entry: its worst check; those of an expanded column are nested inside."""
    worst = max(column.checks, key=lambda check: check.status.severity)
    entry = _check(worst)
    if len(column.checks) > 1:
        entry["expansions"] = [_check(check) for check in column.checks]
    return entry


def _check(check: ColumnCheck) -> dict[str, object]:
    return {
        "column": check.column,
        "anonymized_column": check.anonymized_column,
        "semantic": check.semantic,
        "action": check.action,
        "status": check.status.value,
        "reason": check.reason,
    }


def tabular_command(audits: Sequence[TabularAudit]) -> str:
    """Return the commands that repeat the run, a line for the files of the same options."""
    files: dict[tuple[str, ...], list[str]] = {}
    for audit in audits:
        measured, opinion, looked = audit.measurement, audit.second_opinion, audit.opinion_measurement
        asked: list[object] = [opinion.thresholds, looked.settings] if opinion and looked else []
        words = [
            *option_words(measured.settings),
            *option_words(audit.thresholds, usual=TabularThresholds.for_mode(measured.log.mode)),
            *(word for each in asked for word in option_words(each)),
            *reading_words(opinion.read if opinion else {}),
        ]
        files.setdefault(tuple(words), []).append(audit.name)
    return "\n".join(command_line("tabular", names, words) for words, names in files.items())
