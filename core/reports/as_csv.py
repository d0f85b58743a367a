"""A report as CSV: one table as a file, several as a zip."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import pandas as pd

from core.reports.archive import ReproducibleZip
from core.reports.content import about_frame, figures_frame, findings_frame
from core.reports.model import Report
from core.reports.names import distinct_names
from core.reports.plain import Scalar, scalar, starts_like_formula

_BYTE_ORDER_MARK = "\ufeff"  # without it, spreadsheets read UTF-8 as the local code page


def render_csv(report: Report) -> bytes:
    """Write the report's tables as CSV: UTF-8 with byte order mark, comma, CRLF.

    A report with exactly one table gives that table; any other the zip of :func:`render_csv_zip`.
    Text that a spreadsheet would run as a formula is preceded by an apostrophe; numbers never are.
    Missing and infinite numbers are empty cells.
    """
    return csv_bytes(report.tables[0].frame) if len(report.tables) == 1 else render_csv_zip(report)


def render_csv_zip(report: Report) -> bytes:
    """Write a zip with ``about.csv``, ``figures.csv``, ``findings.csv`` and a file per table."""
    frames = {
        "about": about_frame(report),
        "figures": figures_frame(report),
        "findings": findings_frame(report),
    }
    names = distinct_names((table.name for table in report.tables), taken=frames)
    frames |= {name: table.frame for name, table in zip(names, report.tables, strict=True)}
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
