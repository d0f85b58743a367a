"""The CSV report that other programs read, with exactly its ten columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from core.vcf.judgment import REPORT_COLUMNS, VcfAudit
from core.writing import write_file

REPORT_NAME = "VCF_anonymization_verification_report"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render_report(audits: Iterable[VcfAudit]) -> bytes:
    """Render the report as CSV, a row per anonymized file, UTF-8.

    A file name that a spreadsheet would run as a formula is written with a leading apostrophe.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=REPORT_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for audit in audits:
        row = audit.report_row()
        if str(row["filename"]).startswith(_FORMULA):
            row["filename"] = f"'{row['filename']}"
        writer.writerow(row)
    return text.getvalue().encode()


def write_report(audits: Iterable[VcfAudit], folder: Path) -> Path:
    """Write the report into a folder under the first free name: no suffix, then ``_2``, ``_3`` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    content = render_report(audits)
    number = 1
    while True:
        path = folder / f"{REPORT_NAME}{f'_{number}' if number > 1 else ''}.csv"
        try:
            write_file(path, content)
        except FileExistsError:
            number += 1
        else:
            return path
