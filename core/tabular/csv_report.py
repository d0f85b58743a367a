"""The run's report as the published CSV: one row per file, in the order that they were done."""

import csv
import io
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from core.files.named_files import write_file
from core.files.own_reports import TABULAR_COLUMNS, Headers
from core.files.plain_text import BYTE_ORDER_MARK, printable, starts_like_formula
from core.tabular.judging import TabularAudit


def csv_report_name(at: datetime) -> str:
    """Return the report's file name, such as ``anonymization_report_20260131_235959.csv``."""
    return f"anonymization_report_{at:%Y%m%d_%H%M%S}.csv"


def csv_report_header(headers: Headers = "ko") -> str:
    """Return the byte order mark and the line of column names."""
    return BYTE_ORDER_MARK + _line(TABULAR_COLUMNS[headers])


def write_csv_report(path: Path, rows: Iterable[str], *, headers: Headers = "ko") -> Path:
    """Write the report, with a number where another run of the same second has its name; return its path."""
    data = "".join([csv_report_header(headers), *rows]).encode()
    place, number = path, 1
    while True:
        with suppress(FileExistsError):
            write_file(place, data)
            return place
        number += 1
        place = path.with_stem(f"{path.stem}_{number}")


def csv_report_row(audit: TabularAudit, *, seconds: float) -> str:
    """Return a file's line: the published decision and figures, percentages with two decimals.

    Without any quasi-identifier the two class shares are written as 0.00, as published; the second opinion
    says that they were not assessed.
    """
    below_2, below_5 = class_shares(audit)
    return _line(
        (
            f"'{printable(audit.name)}" if starts_like_formula(audit.name) else printable(audit.name),
            audit.verdict.value,
            *(f"{100 * share:.2f}" for share in audit.measurement.shares),
            str(audit.recommended_review),
            str(audit.mandatory_review),
            f"{100 * below_2:.2f}",
            f"{100 * below_5:.2f}",
            f"{seconds:.2f}",
        )
    )


def class_shares(audit: TabularAudit) -> tuple[float, float]:
    """Return the shares of records in classes with k < 2 and k < 5; 0 where nothing was assessed."""
    if audit.classes is None:
        return 0.0, 0.0
    return audit.classes.share_below(2) or 0.0, audit.classes.share_below(5) or 0.0


def _line(cells: tuple[str, ...]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()
