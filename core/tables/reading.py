"""Bytes or a path in, a dataset out."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import pyarrow as pa

from core.errors import AuditInputError
from core.files.input_bytes import HAS_SHARED_MEMORY, Shared, open_input, read_unchanged, unchanged
from core.files.named_files import source_at
from core.processes.bounded_process import EndedError, refused, run_apart
from core.processes.bounds import ALLOWED, most_memory
from core.processes.jobs import Threads
from core.settings.reading import ReadOptions, check_options
from core.tables.bounds import check_text
from core.tables.delimited import read_delimited
from core.tables.excel import password_protected, read_excel
from core.tables.header import listed, quoted
from core.tables.model import Dataset, Reading
from core.tables.parquet import read_parquet
from core.tables.xes import is_xes, read_xes
from core.words import Text, input_error, joined, own, text

WORTH_A_PROCESS = 16 << 20  # bytes of text; less is read sooner than a process starts
_RESAVED = "Open it in the program that wrote it and save the table alone as CSV."
_LARGEST_UNPACKED = 2 << 30  # bytes, as a workbook says of itself; its process is bounded by what is true
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARQUET = b"PAR1"
_REMEDY = "Export the table as CSV, Excel (.xlsx) or Parquet."
_HEAD = 4096

# First bytes of files that are no table this program reads, and what they are.
_OTHER_FILES = (
    (b"%PDF", "a PDF document"),
    (b"##fileformat=VCF", "a genome file (VCF)"),
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
    *((bytes((version, order, 1, 0)), "a Stata file") for version in (113, 114, 115) for order in (1, 2)),
    (b"ASCII SPSS PORT FILE", "an SPSS file"),
    (b"\x00\x01\x00\x00Standard", "an Access database"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "a SAS file"),
    (b"HEADER RECORD*******LIB", "a SAS transport file"),
    (b"ARROW1", "an Arrow file"),
    (b"PARE", "an encrypted Parquet file"),
    (b"Obj\x01", "an Avro file"),
)


def read_dataset(
    source: bytes | Path | Shared, *, name: str | None = None, options: ReadOptions | None = None
) -> Dataset:
    """Read a table with every cell as text.

    The format is decided by the content, whatever the name says.

    Parameters
    ----------
    source
        The file's bytes, also in shared memory, or its path.
    name
        File name to show; needed with bytes.
    options
        What the person corrected; the default detects everything.

    Returns
    -------
    Dataset
        At least one column and one record.

    Raises
    ------
    AuditInputError
        The file cannot be read as a table; says why and what to do.
    """
    if isinstance(source, Path):
        held, source, filed = source_at(source)
        name, options = name or held, options if filed is None else _as_filed(filed, options)
    options = options or ReadOptions()
    check_options(options)
    name = name or "table"
    source = _snapshot(source, name=name) if isinstance(source, Path) else source
    data = source.mapped() if isinstance(source, Shared) else pa.py_buffer(source)
    if not data.size:
        raise input_error("{file}: the file is empty (0 bytes). Export the table again.", file=name)
    with Threads(1) as thread:  # hashing releases the interpreter: it runs beside reading
        sha256 = thread.submit(lambda: hashlib.sha256(data).hexdigest())
        given = source if isinstance(source, Shared) else data
        table, reading = _read(data, name=name, options=options, given=given)
        reading = replace(reading, notes=(*reading.notes, *_taken_for_missing(reading)))
    return Dataset(
        name=name,
        table=table,
        fingerprint=_fingerprint(sha256.result(), options, reading.options),
        sha256=sha256.result(),
        n_bytes=data.size,
        reading=reading,
    )


def _taken_for_missing(reading: Reading) -> Iterator[Text]:
    if reading.codes_missing:
        yield text(
            "`NA` was read as missing in {columns}, where all other values are codes of two letters; if it "
            "is one (Namibia, North America), say that it is a value.",
            columns=listed(quoted(reading.codes_missing)),
        )


def _as_filed(filed: Mapping[str, Any], options: ReadOptions | None) -> ReadOptions:
    """Return the options of a report that is repeated; which sheet is asked, where it named none."""
    told = options_of(filed)
    return told if told.sheet or options is None else replace(told, sheet=options.sheet)


def _snapshot(path: Path, *, name: str) -> bytes | Shared:
    """Return a file's bytes as they are now; what changes it meanwhile would change what is judged."""
    try:
        if path.stat().st_size < WORTH_A_PROCESS or not HAS_SHARED_MEMORY:
            return read_unchanged(path, name=name, most=most_memory())
        with unchanged(path, name=name), open_input(path, name=name) as file:
            return Shared.of(file, name=name, most=most_memory())
    except OSError as error:
        raise input_error(
            "{file}: the file cannot be opened ({reason}). Check its path.",
            file=name,
            reason=str(error.strerror),
        ) from None


def _fingerprint(sha256: str, given: ReadOptions, resolved: ReadOptions) -> str:
    return hashlib.sha256(repr((sha256, given, resolved)).encode()).hexdigest()


def _read(
    data: pa.Buffer, *, name: str, options: ReadOptions, given: pa.Buffer | Shared
) -> tuple[pa.Table, Reading]:
    """Read a table where its reader can do no harm: only short text in this process."""
    kind = kind_of(data, name=name)
    if kind == TEXT and data.size < WORTH_A_PROCESS:
        return read_delimited(data, name=name, options=options)
    return read_apart(given, n_bytes=data.size, name=name, options=options, kind=kind)


# --- which reader a file of bytes is for, told by what it holds


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
    return read_excel(data, name=name, excel_format="XLS", options=options)


def _check_workbook(data: pa.Buffer, *, name: str) -> None:
    parts = _parts_of_archive(data)
    if "xl/workbook.xml" in parts:
        if sum(parts.values()) > _LARGEST_UNPACKED:
            raise input_error(
                "{file}: the workbook unpacks to more than {most} GiB and was not opened. Delete what stands "
                "far from the table, or save the sheet as CSV.",
                file=name,
                most=_LARGEST_UNPACKED >> 30,
            )
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
    elif "word/document.xml" in parts:
        what = "a Word document"
    else:
        what = "a zip archive"
    raise no_table(name, what)


def _parts_of_archive(data: pa.Buffer) -> dict[str, int]:
    """Return the files in a zip archive and the bytes they say they unpack to; none where it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {member.filename: member.file_size for member in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return {}


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


def read_bounded(data: pa.Buffer, name: str, options: ReadOptions, kind: str) -> tuple[pa.Table, Reading]:
    """Read a table, its text no larger than a file of that size may unpack to."""
    table, reading = READERS[kind](data, name=name, options=options)
    check_text(table.nbytes, of=data.size, name=name)
    return table, reading


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


def read_sheets(read: Callable[[ReadOptions], Dataset], options: ReadOptions) -> list[Dataset]:
    """Read a table, and of a workbook whose sheet nobody chose every sheet that holds one, hidden or not.

    Other sheets than the first that holds one are taken for tables from two columns and a record on; what is
    none, such as a page of notes, stands beside the others, see :attr:`Reading.beside`.
    """
    first = read(options)
    found = [first]
    for sheet in first.reading.sheets if "sheet" in first.reading.detected else ():
        if sheet != first.reading.options.sheet:
            with suppress(AuditInputError):
                found.append(read(replace(options, sheet=sheet)))
    return [each for each in found if each is first or len(each.columns) > 1]


def read_apart(
    data: pa.Buffer | Shared, *, n_bytes: int, name: str, options: ReadOptions, kind: str
) -> tuple[pa.Table, Reading]:
    """Read a table in another process; see :mod:`core.processes.bounded_process`."""
    try:
        return run_apart(read_bounded, data, name, options, kind, bounds=ALLOWED["file"].of(n_bytes))
    except EndedError:
        raise refused(n_bytes, name=name, remedy=_RESAVED) from None


def options_of(fields: Mapping[str, Any]) -> ReadOptions:
    """Return options from their JSON."""
    return ReadOptions(**{**fields, "missing_spellings": tuple(fields["missing_spellings"])})
