"""What a table is once read, how to read it, and what reading assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from core.errors import refuse
from core.tables.beside import Beside
from core.words import Text, joined, own, text

if TYPE_CHECKING:  # a frame is rarely asked for, and pandas takes a third of a second to import
    import pandas as pd

MISSING_SPELLINGS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")

DELIMITERS: Mapping[str, str] = MappingProxyType(
    {
        ",": own("comma"),
        ";": own("semicolon"),
        "\t": own("tab"),
        "|": "vertical bar",
        ":": own("colon"),
        "^": own("caret"),
        "~": own("tilde"),
        " ": own("space"),
    }
)
"""Delimiters to offer, with their names; any other single ASCII character is accepted as well."""

ENCODINGS: Mapping[str, str] = MappingProxyType(
    {
        "utf-8": "UTF-8",
        "utf-8-sig": "UTF-8 with byte order mark",
        "utf-16-le": "UTF-16 little-endian",
        "utf-16-be": "UTF-16 big-endian",
        "cp949": "CP949 / EUC-KR (Korean)",
        "cp932": "CP932 / Shift_JIS (Japanese)",
        "euc_jp": "EUC-JP (Japanese)",
        "iso2022_jp": "ISO 2022-JP (Japanese)",
        "gb18030": "GB18030 / GBK (Chinese)",
        "cp950": "CP950 / Big5 (Chinese)",
        "cp1250": "CP1250 (Windows, Central European)",
        "iso8859-2": "ISO 8859-2 (Central European)",
        "cp1252": "CP1252 (Windows, Western European)",
        "latin-1": "Latin-1 (Western European)",
    }
)
"""Encodings to offer, with their names; any other text codec of Python is accepted as well."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "auto": "Detect",
        "first_line": "The first line holds the column names",
        "second_line": "The second line holds the column names",
        "none": "There are no column names; every line is a record",
    }
)
"""Ways to find the column names; a number such as "4" means the fourth line that is not blank."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a table; None means "detect it and say what was assumed"."""

    delimiter: str | None = None  # one ASCII character, for text files; see :data:`DELIMITERS`
    encoding: str | None = None  # A Python codec name, for text files; see :data:`ENCODINGS`
    sheet: str | None = None  # A sheet's name, for Excel files
    # ``auto``, ``first_line`` (the first line holds the names), ``second_line`` (the first line is an
    # exporter's; the line below it holds the names), ``none``, or the number of the line that holds the
    # names, counted without blank lines; see :data:`HEADERS`
    header: str = "auto"
    # Cells that, trimmed, equal one of these are missing. Empty cells always are.
    missing_spellings: tuple[str, ...] = MISSING_SPELLINGS


def check_options(options: ReadOptions) -> None:
    """Refuse reading options that no file can be read with."""
    refuse(
        problem
        for problem in (
            _delimiter_problem(options.delimiter),
            _encoding_problem(options.encoding),
            _header_problem(options.header),
        )
        if problem
    )


def _delimiter_problem(delimiter: str | None) -> str | None:
    if delimiter is None or (len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0'):
        return None
    return text(
        "delimiter must be one ASCII character other than a quotation mark or a line break, received "
        "{given}.",
        given=repr(delimiter),
    )


def _encoding_problem(encoding: str | None) -> str | None:
    if encoding is None:
        return None
    try:
        "a".encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        return text(
            "encoding must be a text codec such as {codecs}, received {given}.",
            codecs=", ".join(ENCODINGS),
            given=repr(encoding),
        )
    return None


def _header_problem(header: str) -> str | None:
    if header in HEADERS or (header.isascii() and header.isdigit() and 0 < len(header.lstrip("0")) < 10):
        return None
    return text(
        "header must be one of {known} or a line number from 1, received {given}.",
        known=", ".join(HEADERS),
        given=repr(header),
    )


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What reading a file assumed, so that the person can see and correct it."""

    format: str  # ``CSV`` (text with any delimiter), ``XLSX``, ``XLS``, ``Parquet`` or ``XES``
    # the options with every detected value filled in; reading again with them gives the same
    options: ReadOptions
    detected: tuple[str, ...] = ()  # names of the options that were detected rather than given
    sheets: tuple[str, ...] = ()  # all sheets of an Excel file that hold cells, hidden ones included
    notes: tuple[str, ...] = ()  # sentences about what was done to the table, such as "Column 3 has no name"
    # columns that the file gives no name, as they are called in the table
    unnamed_columns: tuple[str, ...] = ()
    # line of the file (row of the sheet) that holds the column names, from 1; 0 for none
    header_line: int = 1
    # columns of codes of two letters where `NA`, which may be one, was taken as missing
    codes_missing: tuple[str, ...] = ()
    beside: tuple[Beside, ...] = ()  # what a workbook or Parquet file holds beside the table

    @property
    def summary(self) -> Text:
        """Return what was assumed on one line, such as "CSV, comma-separated, UTF-8, header in line 1"."""
        parts = [self.format]
        if self.options.delimiter is not None:
            parts.append(_separated(self.options.delimiter))
        if self.options.encoding is not None:
            parts.append(ENCODINGS.get(self.options.encoding, self.options.encoding))
        if self.options.sheet is not None:
            parts.append(text("sheet “{sheet}”", sheet=self.options.sheet))
        if self.format not in ("Parquet", "XES"):
            where = "header in row {line}" if self.format.startswith("XLS") else "header in line {line}"
            parts.append(text(where, line=self.header_line) if self.header_line else "no header")
        return joined(parts, ", ")


def _separated(delimiter: str) -> str:
    """Return how a delimiter is called in a sentence."""
    if delimiter == "\x1f":
        return "one column"
    name = own(DELIMITERS[delimiter]) if delimiter in DELIMITERS else repr(delimiter)
    return text("{delimiter}-separated", delimiter=name)


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A table of people, read as text."""

    name: str  # file name without folders, as the person knows it
    # All columns of type ``string``; of type ``large_string`` when the text comes to 2 GiB, so that no column
    # can ever be too long for its offsets. A missing cell is null. Column names are unique, in file order.
    # Cells keep their written form, including surrounding spaces.
    table: pa.Table = field(repr=False)
    fingerprint: str  # SHA-256 over the bytes and the reading options: the key of everything cached
    sha256: str  # SHA-256 of the file's bytes alone, as ``sha256sum`` prints it; for reports
    n_bytes: int  # size of the file
    reading: Reading  # what was assumed

    @property
    def n_records(self) -> int:
        """Return the number of records, the header not counted."""
        return int(self.table.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the column names in file order."""
        return tuple(self.table.column_names)

    @property
    def unnamed_columns(self) -> tuple[str, ...]:
        """Return the columns that the file gives no name."""
        return self.reading.unnamed_columns

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Return the table as a frame of pandas' ``str`` dtype (missing is NaN); do not change it."""
        return cast("pd.DataFrame", self.table.to_pandas())
