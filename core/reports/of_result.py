"""The report of a result: what the tool said, with what went in, when, and how to repeat it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from core.reports.model import (
    InputFacts,
    Report,
    ReportSection,
    current_versions,
    figures_of,
    findings_of,
    placed,
)
from core.result import Drawing, Figure, Part, Result, Table
from core.tools import Tool
from core.verdict import worst_first

_NOT_TRIED = (
    "What no figure or finding here tells of was not tried. Who knows more, or computes longer, may get "
    "further."
)


def report_of(
    tool: Tool,
    result: Result,
    *,
    inputs: Sequence[InputFacts],
    created_at: datetime,
    arguments: tuple[tuple[str, ...], ...] = (),
) -> Report:
    """Return the report of a result; `arguments` repeat the audit."""
    sections = tuple(_section(each) for each in result.files())
    front, details = ([*result.parts("report", is_detail=each)] for each in (False, True))
    told = (*findings_of(sections), *result.findings)
    findings = tuple(worst_first(told)) if sections else told
    of_files = [table for each in sections for table in (*each.tables, *each.details)]
    return Report(
        tool=tool.key,
        title=tool.title,
        question=tool.question,
        verdict=result.verdict,
        headline=result.headline,
        verdicts=result.verdicts,
        inputs=placed(inputs),
        settings=result.settings,
        figures=(*_figures(front), *figures_of(sections), *_figures(details)),
        findings=findings,
        tables=(*_tables(front), *of_files, *_tables(details)),
        charts=tuple(chart for each in (_charts(front), *(one.charts for one in sections)) for chart in each),
        sections=sections,
        limits=(*tool.limits, *result.limits, _NOT_TRIED),
        created_at=created_at,
        versions=current_versions(),
        asked=result.asked,
        kind=result.kind,
        is_whole=result.is_whole,
        files_are=tool.files_are,
        seeds=result.seeds,
        arguments=arguments,
    )


def _section(file: Result) -> ReportSection:
    """Return what a report says of one file of a run."""
    front, details = ([*file.parts("report", is_detail=each)] for each in (False, True))
    return ReportSection(
        name=file.name,
        verdict=file.verdict,
        verdicts=file.verdicts,
        headline=file.headline,
        figures=_figures(front),
        further=_figures(details),
        findings=tuple(file.findings),
        charts=(*_charts(front), *_charts(details)),
        tables=_tables(front, file.short or file.name),
        details=_tables(details, file.short or file.name),
        asked=file.asked,
    )


def _figures(parts: Sequence[Part]) -> tuple[Figure, ...]:
    return tuple(each for each in parts if isinstance(each, Figure))


def _tables(parts: Sequence[Part], file: str = "") -> tuple[Table, ...]:
    """Return the tables, with the name of their file where a run is of several."""
    tables = (each for each in parts if isinstance(each, Table))
    return tuple(replace(each, name=f"{each.called} {file}".strip()) for each in tables)


def _charts(parts: Sequence[Part]) -> tuple[Drawing, ...]:
    return tuple(each for each in parts if isinstance(each, Drawing))
