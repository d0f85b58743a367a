"""A report as files: CSV, JSON, XLSX, HTML, or all of them in one archive."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.files.own_reports import PARTS_OF_CSV
from core.files.plain_text import BYTE_ORDER_MARK, Scalar, scalar, starts_like_formula, zip_of
from core.languages import ENGLISH
from core.reports.as_html import render_html
from core.reports.as_json import render_json
from core.reports.model import (
    Report,
    about_table,
    distinct_names,
    figures_table,
    findings_table,
    headings,
    said_rows,
)
from core.result import Table
from core.words import speaking


def render_csv(report: Report) -> bytes:
    """Write a zip with ``about.csv``, ``figures.csv``, ``findings.csv`` and a file per table.

    CSV is UTF-8 with byte order mark, comma, CRLF. Text that a spreadsheet would run as a formula is
    preceded by an apostrophe; numbers never are. Missing and infinite numbers are empty cells.
    """
    with speaking(ENGLISH):
        makers = (about_table, figures_table, findings_table)
        tables = {part: make(report) for part, make in zip(PARTS_OF_CSV, makers, strict=True)}
        names = distinct_names((table.called for table in report.tables), taken=tables)
        tables |= dict(zip(names, report.tables, strict=True))
        return zip_of({f"{name}.csv": csv_bytes(table) for name, table in tables.items()})


def render_xlsx(report: Report) -> bytes:
    """Write a workbook: a summary, figures, findings and how it was made, and a sheet per table."""
    from core.reports import as_xlsx  # noqa: PLC0415 - takes long to import

    return as_xlsx.render_xlsx(report)


def csv_bytes(table: Table) -> bytes:
    """Write one table as CSV, safe to open in a spreadsheet."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(_cells(headings(table.columns)))
    writer.writerows(map(_cells, said_rows(table, with_marks=True)))
    return (BYTE_ORDER_MARK + buffer.getvalue()).encode("utf-8")


def _cells(row: Iterable[object]) -> list[Scalar]:
    return [_cell(scalar(value)) for value in row]


def _cell(value: Scalar) -> Scalar:
    if isinstance(value, str):
        value = value.replace("\x00", "")  # readers stop at it
        return f"'{value}" if starts_like_formula(value) else value
    return value


@dataclass(frozen=True, kw_only=True)
class Renderer:
    """One format of a report."""

    label: str  # name on a download button
    extension: str  # of the file; the extension without its dot
    function: Callable[[Report], bytes]  # report in, bytes out
    help: str  # what the file is good for


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        "html": Renderer(
            label="HTML",
            extension="html",
            function=render_html,
            help="To read, print and file: one page with verdict, figures, charts and tables.",
        ),
        "xlsx": Renderer(
            label="Excel",
            extension="xlsx",
            function=render_xlsx,
            help="A summary sheet and a sheet per table, with exact figures.",
        ),
        "csv": Renderer(
            label="CSV tables (ZIP)",
            extension="zip",
            function=render_csv,
            help="Plain text: every table, the figures, the findings, and how it was made.",
        ),
        "json": Renderer(
            label="JSON",
            extension="json",
            function=render_json,
            help="Everything but the charts, for programs.",
        ),
    }
)


def render(report: Report, format: str) -> bytes:  # noqa: A002 - the word people use
    """Write the report in one of the formats of :data:`RENDERERS`."""
    return RENDERERS[format].function(report)
