"""Which reader a file of bytes is for, told by what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import pyarrow as pa

from core.apart import Answer
from core.errors import AuditInputError
from core.tables.apart import options_of, plain_reading
from core.tables.bounds import check_text
from core.tables.delimited import read_delimited
from core.tables.excel import password_protected, read_excel
from core.tables.model import Reading, ReadOptions
from core.tables.old_workbook import check_old_workbook_bounds
from core.tables.parquet import read_parquet
from core.tables.workbook_bounds import check_workbook_bounds, workbook_parts
from core.tables.xes import is_xes, read_xes
from core.words import input_error, joined, own, text

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARQUET = b"PAR1"
_REMEDY = "Export the table as CSV, Excel (.xlsx) or Parquet."
_HEAD = 4096

# First bytes of files that are no table this program reads, and what they are.
_OTHER_FILES = (
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ", "compressed with xz"),
    (b"(\xb5/\xfd", "compressed with Zstandard"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"SQLite format 3", "an SQLite database"),
    (b"$FL2", "an SPSS file"),
    (b"$FL3", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "a SAS file"),
    (b"HEADER RECORD*******LIB", "a SAS transport file"),
    (b"ARROW1", "an Arrow file"),
    (b"PARE", "an encrypted Parquet file"),
    (b"Obj\x01", "an Avro file"),
)


def is_binary(head: bytes) -> bool:
    """Return whether a file that begins so is for :func:`read_binary`."""
    return head.startswith((_ZIP, _OLE, _PARQUET))


def read_binary(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a workbook or Parquet file with every cell as text."""
    head = data.slice(0, min(len(_OLE), data.size)).to_pybytes()
    if head.startswith(_PARQUET):
        return read_parquet(data, name=name, options=options)
    if head.startswith(_ZIP):
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
        raise input_error(
            "{file}: the file begins like an Excel workbook or zip archive but is damaged or cut off. "
            "Open it in Excel and save it again, or save it as CSV.",
            file=name,
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
    return AuditInputError(joined([problem, _REMEDY]))


class Reader(Protocol):
    """A function that reads a table."""

    def __call__(self, data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
        """Read it, with every cell as text."""


TEXT = "text"
READERS: Mapping[str, Reader] = MappingProxyType(
    {"binary": read_binary, "xes": read_xes, TEXT: read_delimited}
)


def kind_of(data: pa.Buffer, *, name: str) -> str:
    """Return which of the readers a file is for."""
    head = data.slice(0, min(_HEAD, data.size)).to_pybytes()
    if is_binary(head):
        return "binary"
    if is_xes(head):
        return "xes"
    other = next((what for magic, what in _OTHER_FILES if head.startswith(magic)), _marked_up(head))
    if other:
        raise no_table(name, other)
    return TEXT


def read_for_other(data: pa.Buffer, *, name: str, options: dict[str, Any], kind: str) -> Answer:
    """Read a table for the process that sent it."""
    table, reading = READERS[kind](data, name=name, options=options_of(options))
    check_text(table.nbytes, of=data.size, name=name)
    return plain_reading(reading), table


def _marked_up(head: bytes) -> str | None:
    """Return what kind of marked-up text a file begins like, None for plain text."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html", b"<table", b"<head", b"<meta")):
        return "a web page (HTML)"
    if text.startswith((b"<?xml", b"<workbook")):
        return "an XML document"
    if text.startswith((b"{\\rtf",)):
        return "a text document (RTF)"
    compact = b"".join(text[:200].split())
    return "JSON" if compact.startswith((b'{"', b"[{", b"[[", b'["')) else None
