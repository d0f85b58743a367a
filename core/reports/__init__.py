"""One report for all tools, rendered to JSON, XLSX, CSV and HTML.

A tool's views fill in a :class:`Report`; pages and commands iterate over :data:`RENDERERS`. Renderers
read the report and nothing else: no clock, no versions, no files.
"""

from core.plain import zip_of
from core.reports.as_html import render_html
from core.reports.as_xlsx import render_xlsx
from core.reports.model import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportTable,
    current_versions,
    input_facts,
)
from core.reports.rendering import (
    RENDERERS,
    Renderer,
    content_digest,
    csv_bytes,
    file_name,
    render,
    render_csv,
    render_csv_zip,
    render_json,
)
