"""The parts of a report as tables: what XLSX, CSV and HTML all show, put together once."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd

from core.measures import MEASURES, format_value
from core.measures.measure import Unit
from core.reports.model import Figure, Report, ReportTable
from core.reports.plain import setting_text
from core.verdict import Verdict, worst_first


def verdict_text(verdict: Verdict | None) -> str:
    """Return the verdict's word, empty where nothing is judged."""
    return "" if verdict is None else verdict.word


def time_text(moment: datetime) -> str:
    """Write a moment in UTC, such as ``2026-11-20 06:30:00 UTC``; a time without zone is taken as UTC."""
    return f"{in_utc(moment):%Y-%m-%d %H:%M:%S} UTC"


def in_utc(moment: datetime) -> datetime:
    """Return the moment in UTC, without fractions of a second."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=0)


def figure_text(figure: Figure) -> str:
    """Write a figure's value with its measure's unit rule."""
    return format_value(MEASURES[figure.measure], figure.value)


def figures_frame(report: Report) -> pd.DataFrame:
    """Return a row per figure: what it is of, label, value, text, unit, threshold, verdict, definition."""
    columns = [
        "Of", "Figure", "Value", "As text", "Unit", "Threshold", "Verdict", "Definition", "Source", "Key",
    ]  # fmt: skip
    rows = [
        (
            figure.of,
            measure.label,
            figure.value,
            figure_text(figure),
            measure.unit,
            figure.threshold,
            verdict_text(figure.verdict),
            measure.definition,
            measure.source,
            measure.key,
        )
        for figure in report.figures
        for measure in (MEASURES[figure.measure],)
    ]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def findings_frame(report: Report) -> pd.DataFrame:
    """Return a row per finding, the gravest first."""
    rows = [
        (verdict_text(finding.verdict), finding.message, finding.column, finding.n_affected, finding.check)
        for finding in worst_first(report.findings)
    ]
    return pd.DataFrame(rows, columns=["Verdict", "Finding", "Column", "Affected", "Check"], dtype=object)


def about_rows(report: Report) -> list[tuple[str, str, str]]:
    """Return (section, name, text) of everything that is not a figure, finding or table."""
    rows = [
        ("Report", "Tool", report.tool),
        ("Report", "Title", report.title),
        ("Report", "Question", report.question),
        ("Report", "Verdict", verdict_text(report.verdict)),
        ("Report", "Headline", report.headline),
        ("Report", "Created", time_text(report.created_at)),
    ]
    rows += [("Verdicts", name, verdict_text(verdict)) for name, verdict in report.verdicts.items()]
    for facts in report.inputs:
        rows.append(("Input", facts.role, facts.name))
        rows.append(("Input", "Size in bytes", str(facts.n_bytes)))
        rows.append(("Input", "SHA-256", facts.sha256))
        if facts.reading:
            rows.append(("Input", "Read as", facts.reading))
    rows += [("Setting", str(name), setting_text(value)) for name, value in report.settings.items()]
    rows += [("Version", str(name), str(value)) for name, value in report.versions.items()]
    rows += [("Limit", "", limit) for limit in report.limits]
    return rows


def about_frame(report: Report) -> pd.DataFrame:
    """Return the rows of :func:`about_rows`."""
    return pd.DataFrame(about_rows(report), columns=["Section", "Name", "Text"], dtype=object)


def column_units(table: ReportTable) -> list[Unit | None]:
    """Return the unit of each column by position; a name in ``_share`` or ``_risk`` tells it by itself."""
    return [
        table.units.get(str(name)) or ("share" if str(name).endswith(("_share", "_risk")) else None)
        for name in table.frame.columns
    ]
