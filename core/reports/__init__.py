"""One report for all tools, rendered to JSON, XLSX, CSV and HTML.

A tool's views fill in a :class:`Report`; pages and commands iterate over :data:`RENDERERS`. Renderers
read the report and nothing else: no clock, no versions, no files.
"""

from core.reports.archive import zip_of
from core.reports.as_csv import csv_bytes, render_csv, render_csv_zip
from core.reports.as_html import render_html
from core.reports.as_json import content_digest, render_json
from core.reports.as_xlsx import render_xlsx
from core.reports.facts import current_versions, input_facts
from core.reports.model import Figure, InputFacts, Report, ReportChart, ReportTable
from core.reports.rendering import RENDERERS, Renderer, file_name, render

__all__ = [
    "RENDERERS",
    "Figure",
    "InputFacts",
    "Renderer",
    "Report",
    "ReportChart",
    "ReportTable",
    "content_digest",
    "csv_bytes",
    "current_versions",
    "file_name",
    "input_facts",
    "render",
    "render_csv",
    "render_csv_zip",
    "render_html",
    "render_json",
    "render_xlsx",
    "zip_of",
]
