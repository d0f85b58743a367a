"""Workbooks and Parquet: what a file of bytes is, its bounds, and the reader for it.

These formats are read by native code that trusts what a file says of itself, so this is called only in a
process that such a file may end; see :mod:`core.apart`.
"""

from __future__ import annotations

import pyarrow as pa

from core.errors import AuditInputError
from core.tables.excel import password_protected, read_excel
from core.tables.model import Reading, ReadOptions
from core.tables.old_workbook import check_old_workbook_bounds
from core.tables.parquet import read_parquet
from core.tables.workbook_bounds import check_workbook_bounds, workbook_parts
from core.words import joined, own, text

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PARQUET = b"PAR1"
REMEDY = "Export the table as CSV, Excel (.xlsx) or Parquet."


def is_binary(head: bytes) -> bool:
    """Return whether a file that begins so is for :func:`read_binary`."""
    return head.startswith((ZIP, OLE, PARQUET))


def read_binary(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a workbook or Parquet file with every cell as text."""
    head = data.slice(0, min(len(OLE), data.size)).to_pybytes()
    if head.startswith(PARQUET):
        return read_parquet(data, name=name, options=options)
    if head.startswith(ZIP):
        _check_workbook(data, name=name)
        return read_excel(data, name=name, excel_format="XLSX", options=options)
    if "EncryptedPackage".encode("utf-16-le") in data.to_pybytes():
        raise password_protected(name)
    check_old_workbook_bounds(data, name=name)
    return read_excel(data, name=name, excel_format="XLS", options=options)


def _check_workbook(data: pa.Buffer, *, name: str) -> None:
    parts = workbook_parts(data)
    if "xl/workbook.xml" in parts:
        check_workbook_bounds(data, name=name)
        return
    if not parts:
        raise AuditInputError(
            text(
                "{file}: the file begins like an Excel workbook or zip archive but is damaged or cut off. "
                "Open it in Excel and save it again, or save it as CSV.",
                file=name,
            )
        )
    if "xl/workbook.bin" in parts:
        what = "a binary Excel workbook (.xlsb)"
    elif "content.xml" in parts:
        what = "an OpenDocument file"
    else:
        what = "a zip archive"
    raise no_table(name, what)


def no_table(name: str, what: str) -> AuditInputError:
    """Return the problem of a file that is something else."""
    problem = text("{file}: the file is {what}, not a table.", file=name, what=own(what))
    return AuditInputError(joined([problem, REMEDY]))
