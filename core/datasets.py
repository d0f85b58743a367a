"""Bytes or a path in, a :class:`Dataset` out: every cell as text, with what was assumed while reading."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

MISSING_SPELLINGS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a table; None means "detect it and say what was assumed".

    Attributes
    ----------
    delimiter
        One character, for text files.
    encoding
        A Python codec name, for text files.
    sheet
        A sheet's name, for Excel files.
    header
        ``auto``, ``first_line`` (the first line holds the names) or ``second_line`` (the first
        line is an exporter's; the record below it holds the names).
    missing_spellings
        Cells that, trimmed, equal one of these are missing. Empty cells always are.
    """

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: str = "auto"
    missing_spellings: tuple[str, ...] = MISSING_SPELLINGS


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What reading a file assumed, so that the person can see and correct it.

    Attributes
    ----------
    format
        ``CSV``, ``XLSX``, ``XLS`` or ``Parquet``.
    options
        The options with every detected value filled in; reading again with them gives the same.
    detected
        Names of the options that were detected rather than given.
    sheets
        All sheets of an Excel file.
    notes
        Sentences about what was done to the table, such as "Column 3 has no name".
    """

    format: str
    options: ReadOptions
    detected: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A table of people, read as text.

    Attributes
    ----------
    name
        File name without folders, as the person knows it.
    table
        All columns of type string (or large_string); a missing cell is null. Column names are
        unique, in file order. Cells keep their written form, including surrounding spaces.
    fingerprint
        SHA-256 over the bytes and the reading options: the key of everything cached.
    sha256
        SHA-256 of the file's bytes alone, as ``sha256sum`` prints it; for reports.
    n_bytes
        Size of the file.
    reading
        What was assumed.
    """

    name: str
    table: pa.Table = field(repr=False)
    fingerprint: str
    sha256: str
    n_bytes: int
    reading: Reading

    @property
    def n_records(self) -> int:
        """Return the number of records, the header not counted."""
        return int(self.table.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the column names in file order."""
        return tuple(self.table.column_names)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Return the table as a frame of pandas' ``str`` dtype (missing is NaN); do not change it."""
        return self.table.to_pandas()


def read_dataset(
    source: bytes | Path, *, name: str | None = None, options: ReadOptions | None = None
) -> Dataset:
    """Read a table with every cell as text.

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
    data = source.read_bytes() if isinstance(source, Path) else source
    sha256 = hashlib.sha256(data).hexdigest()
    table = csv.read_csv(pa.BufferReader(data), convert_options=csv.ConvertOptions(include_columns=None))
    missing = pa.array(["", *options.missing_spellings])
    table = pa.table(
        {
            column: pc.if_else(
                pc.is_in(pc.utf8_trim_whitespace(cells.cast(pa.string())), value_set=missing),
                None,
                cells.cast(pa.string()),
            )
            for column, cells in zip(table.column_names, table.columns, strict=True)
        }
    )
    return Dataset(
        name=name or (source.name if isinstance(source, Path) else "table"),
        table=table,
        fingerprint=hashlib.sha256(repr((sha256, options)).encode()).hexdigest(),
        sha256=sha256,
        n_bytes=len(data),
        reading=Reading(format="CSV", options=options),
    )
