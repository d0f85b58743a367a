"""The report of row leakage."""

from collections.abc import Sequence
from datetime import datetime

from core.leakage.in_engine import RowsInEngine
from core.leakage.judging import LeakageAudit
from core.leakage.result import leakage_result, rows_result
from core.leakage.tool import TOOL
from core.people.free_text import reading_words
from core.reports import InputFacts, Report, placed, report_of
from core.settings.form import option_words


def leakage_report(audit: LeakageAudit, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report: figures, findings, tables of counts and charts; no cell values."""
    inputs = placed(inputs)
    return report_of(
        TOOL,
        leakage_result(audit),
        inputs=inputs,
        created_at=created_at,
        arguments=(leakage_arguments(audit, [facts.path for facts in inputs]),),
    )


def rows_report(audit: RowsInEngine, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report of the row rules of two tables in an engine; it is not repeated from files."""
    return report_of(TOOL, rows_result(audit), inputs=inputs, created_at=created_at)


def leakage_arguments(audit: LeakageAudit, files: Sequence[str]) -> tuple[str, ...]:
    """Return the words that repeat the audit of an original, a scrambled and perhaps a hold-out table."""
    holdout = ["--holdout", files[2]] if files[2:] else []
    words = [*option_words(audit.measures.settings), *option_words(audit.thresholds)]
    return (*files[:2], *holdout, *words, *reading_words(audit.read, audit.measures.texts))
