"""One report for all tools, rendered to JSON, XLSX, CSV and HTML.

A tool's result becomes a :class:`Report`; pages and commands iterate over :data:`RENDERERS`. Renderers
read the report and nothing else: no clock, no versions, no files.
"""

from core.files.plain_text import zip_of
from core.reports.as_html import render_html
from core.reports.as_json import content_digest, document_digest, part_digests, render_json, report_document
from core.reports.model import (
    Figure,
    InputFacts,
    Report,
    ReportSection,
    current_versions,
    figures_of,
    file_facts,
    findings_of,
    input_facts,
    origin_facts,
    placed,
    report_stem,
)
from core.reports.of_result import report_of
from core.reports.rendering import RENDERERS, Renderer, csv_bytes, render, render_csv, render_xlsx
