"""A report as files: CSV, JSON, XLSX, HTML, or all of them in one archive."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from core.languages import ENGLISH
from core.measures import MEASURES
from core.plain import (
    JsonValue,
    ReproducibleZip,
    Scalar,
    json_value,
    scalar,
    sha256_of,
    starts_like_formula,
    valid_unicode,
)
from core.reports.as_html import render_html
from core.reports.as_xlsx import render_xlsx
from core.reports.model import (
    Figure,
    Report,
    ReportTable,
    about_frame,
    distinct_names,
    figure_text,
    figures_frame,
    findings_frame,
    in_utc,
    report_stem,
)
from core.verdict import Finding
from core.words import speaking

_BYTE_ORDER_MARK = "\ufeff"  # without it, spreadsheets read UTF-8 as the local code page


def render_csv(report: Report) -> bytes:
    """Write the report's tables as CSV: UTF-8 with byte order mark, comma, CRLF.

    A report with exactly one table gives that table; any other the zip of :func:`render_csv_zip`.
    Text that a spreadsheet would run as a formula is preceded by an apostrophe; numbers never are.
    Missing and infinite numbers are empty cells.
    """
    with speaking(ENGLISH):
        only = [csv_bytes(table.said) for table in report.tables[:1]]
    return only[0] if len(report.tables) == 1 else render_csv_zip(report)


def render_csv_zip(report: Report) -> bytes:
    """Write a zip with ``about.csv``, ``figures.csv``, ``findings.csv`` and a file per table."""
    with speaking(ENGLISH):
        frames = {
            "about": about_frame(report),
            "figures": figures_frame(report),
            "findings": findings_frame(report),
        }
        names = distinct_names((table.name for table in report.tables), taken=frames)
        frames |= {name: table.said for name, table in zip(names, report.tables, strict=True)}
    buffer = io.BytesIO()
    with ReproducibleZip(buffer, "w") as archive:
        for name, frame in frames.items():
            archive.writestr(f"{name}.csv", csv_bytes(frame))
    return buffer.getvalue()


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Write one table as CSV, safe to open in a spreadsheet; the index is left out."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(_cells(str(name) for name in frame.columns))
    writer.writerows(_cells(row) for row in frame.itertuples(index=False, name=None))
    return (_BYTE_ORDER_MARK + buffer.getvalue()).encode("utf-8")


def _cells(row: Iterable[object]) -> list[Scalar]:
    return [_cell(scalar(value)) for value in row]


def _cell(value: Scalar) -> Scalar:
    if isinstance(value, str):
        value = value.replace("\x00", "")  # readers stop at it
        return f"'{value}" if starts_like_formula(value) else value
    return value


def render_json(report: Report) -> bytes:
    """Write the report as JSON in UTF-8: everything but the charts.

    Missing values, NaN and infinities are null; a figure's ``text`` tells "not assessed" from
    "infinite". Shares are in [0, 1]. The same report gives the same bytes.
    """
    with speaking(ENGLISH):
        return _dump(_report_document(report))


def content_digest(report: Report) -> str:
    """Return the SHA-256 over the report's content without its time: equal for equal results."""
    with speaking(ENGLISH):
        document = _report_document(report)
    del document["created_at"]
    return sha256_of(_dump(document).decode())


def _report_document(report: Report) -> dict[str, JsonValue]:
    """Return the report as nested dictionaries and lists, ready for JSON."""
    return {
        "tool": valid_unicode(report.tool),
        "title": valid_unicode(report.title),
        "question": valid_unicode(report.question),
        "verdict": report.verdict.value,
        "verdicts": json_value(report.verdicts),
        "headline": valid_unicode(report.headline),
        "created_at": in_utc(report.created_at).isoformat().replace("+00:00", "Z"),
        "inputs": [json_value(vars(facts)) for facts in report.inputs],
        "settings": json_value(report.settings),
        "figures": [_figure(figure) for figure in report.figures],
        "findings": [_finding(finding) for finding in report.findings],
        "tables": [_table(table) for table in report.tables],
        "limits": json_value(report.limits),
        "versions": json_value(report.versions),
    }


def _figure(figure: Figure) -> dict[str, JsonValue]:
    measure = MEASURES[figure.measure]
    return {
        "measure": measure.key,
        "of": valid_unicode(figure.of),
        "label": measure.label,
        "value": json_value(figure.value),
        "text": figure_text(figure),
        "unit": measure.unit,
        "threshold": valid_unicode(figure.threshold),
        "verdict": json_value(figure.verdict),
        "definition": measure.definition,
        "source": measure.source,
    }


def _finding(finding: Finding) -> dict[str, JsonValue]:
    return {
        "check": valid_unicode(finding.check),
        "verdict": finding.verdict.value,
        "column": json_value(finding.column),
        "message": valid_unicode(finding.message),
        "n_affected": json_value(finding.n_affected),
    }


def _table(table: ReportTable) -> dict[str, JsonValue]:
    frame = table.said
    return {
        "name": valid_unicode(table.name),
        "title": valid_unicode(table.title),
        "note": valid_unicode(table.note),
        "columns": [valid_unicode(str(name)) for name in frame.columns],
        "rows": [json_value(row) for row in frame.itertuples(index=False, name=None)],
    }


def _dump(document: dict[str, JsonValue]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8") + b"\n"


@dataclass(frozen=True, kw_only=True)
class Renderer:
    """One format of a report."""

    label: str  # name on a download button
    extension: str  # of the file; the extension without its dot
    mime: str
    function: Callable[[Report], bytes]  # report in, bytes out
    help: str  # what the file is good for


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        "html": Renderer(
            label="HTML",
            extension="html",
            mime="text/html",
            function=render_html,
            help="To read, print and file: one page with verdict, figures, charts and tables.",
        ),
        "xlsx": Renderer(
            label="Excel",
            extension="xlsx",
            mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            function=render_xlsx,
            help="A summary sheet and a sheet per table, with exact figures.",
        ),
        "csv": Renderer(
            label="CSV",
            extension="zip",
            mime="application/zip",
            function=render_csv_zip,
            help="A zip of plain text: every table, the figures, the findings, and how it was made.",
        ),
        "json": Renderer(
            label="JSON",
            extension="json",
            mime="application/json",
            function=render_json,
            help="Everything but the charts, for programs.",
        ),
    }
)


def render(report: Report, format: str) -> bytes:  # noqa: A002 - the word people use
    """Write the report in one of the formats of :data:`RENDERERS`."""
    return RENDERERS[format].function(report)


def file_name(report: Report, format: str) -> str:  # noqa: A002 - the word people use
    """Return a safe file name: tool, UTC time, digest; two results never share one."""
    stem = report_stem(report.tool, report.created_at, content_digest(report))
    return f"{stem}.{RENDERERS[format].extension}"
