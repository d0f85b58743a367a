"""The report of a result: what the tool said, with what went in, when, and how to repeat it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from core.reports.model import (
    InputFacts,
    Report,
    ReportChart,
    ReportTable,
    current_versions,
    placed,
    table_of,
)
from core.result import Drawing, Figure, Result, Table
from core.tools import Tool


def report_of(
    tool: Tool,
    result: Result,
    *,
    inputs: Sequence[InputFacts],
    created_at: datetime,
    document: Mapping[str, object],
    arguments: tuple[tuple[str, ...], ...] = (),
) -> Report:
    """Return the report of a result; `document` is what `--json` prints, `arguments` repeat the audit."""
    parts = list(result.parts("report"))
    return Report(
        tool=tool.key,
        title=tool.title,
        question=tool.question,
        verdict=result.verdict,
        headline=result.headline,
        inputs=placed(inputs),
        settings=result.settings,
        figures=tuple(each for each in parts if isinstance(each, Figure)),
        findings=tuple(result.findings),
        tables=tuple(report_table(each) for each in parts if isinstance(each, Table)),
        charts=tuple(report_chart(each) for each in parts if isinstance(each, Drawing)),
        limits=(*tool.limits, *result.limits),
        created_at=created_at,
        versions=current_versions(),
        result=document,
        seeds=result.seeds,
        arguments=arguments,
    )


def report_table(table: Table) -> ReportTable:
    """Return a table of a result as files and pages show it."""
    return ReportTable(table.key, table.title, table_of(table.cells(), table.columns), table.note)


def report_chart(drawing: Drawing) -> ReportChart:
    """Return a drawing of a result as files and pages show it."""
    return ReportChart(drawing.title, drawing.chart, drawing.alt)
