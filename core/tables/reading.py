"""Bytes or a path in, a dataset out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from core.errors import AuditInputError
from core.tables.apart import read_apart
from core.tables.binary import REMEDY, is_binary
from core.tables.delimited import read_delimited
from core.tables.model import Dataset, Reading, ReadOptions, check_options
from core.tables.xes import is_xes, read_xes

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


def read_dataset(
    source: bytes | Path, *, name: str | None = None, options: ReadOptions | None = None
) -> Dataset:
    """Read a table with every cell as text.

    The format is decided by the content, whatever the name says. A path is mapped into memory,
    read only.

    Parameters
    ----------
    source
        The file's bytes, or its path.
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
    options = options or ReadOptions()
    check_options(options)
    name = name or (source.name if isinstance(source, Path) else "table")
    data = _mapped(source, name=name)
    if not data.size:
        raise AuditInputError(f"{name}: the file is empty (0 bytes). Export the table again.")
    with ThreadPoolExecutor(1) as thread:  # hashing releases the interpreter: it runs beside reading
        sha256 = thread.submit(lambda: hashlib.sha256(data).hexdigest())
        table, reading = _reader(data, name=name)(data, name=name, options=options)
    return Dataset(
        name=name,
        table=table,
        fingerprint=_fingerprint(sha256.result(), options, reading.options),
        sha256=sha256.result(),
        n_bytes=data.size,
        reading=reading,
    )


def _mapped(source: bytes | Path, *, name: str) -> pa.Buffer:
    if not isinstance(source, Path):
        return pa.py_buffer(source)
    try:
        if source.stat().st_size == 0:
            return pa.py_buffer(b"")
        with pa.memory_map(str(source)) as file:
            return file.read_buffer()
    except OSError as error:
        raise AuditInputError(
            f"{name}: the file cannot be opened ({error.strerror}). Check its path."
        ) from None


def _fingerprint(sha256: str, given: ReadOptions, resolved: ReadOptions) -> str:
    return hashlib.sha256(repr((sha256, given, resolved)).encode()).hexdigest()


_Reader = Callable[..., tuple[pa.Table, Reading]]


def _reader(data: pa.Buffer, *, name: str) -> _Reader:
    """Return the reader for what a file holds, or say what it holds instead of a table."""
    head = data.slice(0, min(_HEAD, data.size)).to_pybytes()
    if is_binary(head):
        return read_apart
    if is_xes(head):
        return read_xes
    other = next((what for magic, what in _OTHER_FILES if head.startswith(magic)), _marked_up(head))
    if other:
        raise AuditInputError(f"{name}: the file is {other}, not a table. {REMEDY}")
    return read_delimited


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
