"""The report of row leakage."""

from collections.abc import Sequence
from datetime import datetime

from core.leakage.document import leakage_arguments, leakage_document, rows_document
from core.leakage.in_engine import RowsInEngine
from core.leakage.judging import LeakageAudit
from core.leakage.result import leakage_result, rows_result
from core.leakage.tool import TOOL
from core.reports import InputFacts, Report, placed, report_of


def leakage_report(audit: LeakageAudit, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report: figures, findings, tables of counts and charts; no cell values."""
    inputs = placed(inputs)
    return report_of(
        TOOL,
        leakage_result(audit),
        inputs=inputs,
        created_at=created_at,
        document=leakage_document(audit),
        arguments=(leakage_arguments(audit, [facts.path for facts in inputs]),),
    )


def rows_report(audit: RowsInEngine, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report of the row rules of two tables in an engine; it is not repeated from files."""
    return report_of(
        TOOL, rows_result(audit), inputs=inputs, created_at=created_at, document=rows_document(audit)
    )
