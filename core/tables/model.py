"""What a table is once read, and what reading assumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from core.settings.reading import DELIMITERS, ENCODINGS, ReadOptions
from core.tables.hidden_contents import Beside
from core.words import Text, joined, own, text

if TYPE_CHECKING:  # a frame is rarely asked for, and pandas takes a third of a second to import
    import pandas as pd


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

    def __getstate__(self) -> dict[str, object]:
        """Return what goes to another process: all but the frame, which is made anew there."""
        return {name: value for name, value in vars(self).items() if name != "frame"}

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
