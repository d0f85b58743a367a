"""The formats a report comes in: one registry for the pages' downloads and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.reports.as_csv import render_csv_zip
from core.reports.as_html import render_html
from core.reports.as_json import content_digest, render_json
from core.reports.as_xlsx import render_xlsx
from core.reports.model import Report
from core.reports.names import report_stem


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
