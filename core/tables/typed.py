"""Tables whose cells have types, of any kind of file: every column as text."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from core.settings.reading import ReadOptions
from core.tables.bounds import check_n_columns, check_text
from core.tables.header import (
    header_option,
    header_position,
    lines_above,
    listed,
    name_columns,
    numbered_columns,
    quoted,
)
from core.tables.hidden_contents import Beside, bounded
from core.tables.missing import codes_that_are_words, look_like_codes, missing_as_null
from core.tables.model import Reading
from core.words import input_error

_LARGEST_AREA = 1_000_000_000
_LARGE_TEXT = (1 << 31) - 1
_OFFSET_BYTES = 4  # of every cell, were it blank


def check_schema(schema: pa.Schema, n_rows: int, *, n_bytes: int, name: str) -> None:
    """Refuse a table without records, of lists or records as cells, or larger than any audit answers for."""
    check_n_columns(len(schema), name=name)
    nested = [column.name for column in schema if pa.types.is_nested(column.type)]
    if nested:
        raise input_error(
            "{file}: column {columns} holds lists or records instead of single values. Export the table "
            "with one value a cell.",
            "{file}: columns {columns} hold lists or records instead of single values. Export the table "
            "with one value a cell.",
            n=len(nested),
            file=name,
            columns=listed(quoted(nested)),
        )
    n_columns = len(schema)
    if not n_rows or not n_columns:
        raise input_error("{file}: the file holds no record. Export the table with its records.", file=name)
    if n_rows * n_columns > _LARGEST_AREA:
        raise input_error(
            "{file}: the table has {records} records of {columns} columns, more than {most} cells. "
            "Audit a part of it.",
            file=name,
            records=n_rows,
            columns=n_columns,
            most=_LARGEST_AREA,
        )
    check_text(_OFFSET_BYTES * n_rows * n_columns, of=n_bytes, name=name)


def read_typed(
    table: pa.Table, *, name: str, options: ReadOptions, kind: str, beside: Iterable[Beside] = ()
) -> tuple[pa.Table, Reading]:
    """Return a table with every column as text, and what reading assumed.

    Numbers are written with all their digits, dates as ``YYYY-MM-DD``, moments as
    ``YYYY-MM-DD HH:MM:SS`` with the fraction and time zone they have, and as a date where every
    moment of the column is midnight. Nulls are missing.

    Parameters
    ----------
    table
        At least one record, no nested column; see :func:`check_schema`.
    name
        The file's name, for problems.
    options
        What the person corrected; only the header's line and spellings of missing count.
    kind
        What the file is called, such as ``Parquet``.
    beside
        What it holds beside the table.

    Raises
    ------
    AuditInputError
        A column cannot be written as text, or no record is below the header.
    """
    found, reading = _with_header(_texts(table, name=name), name=name, options=options, kind=kind)
    return found, replace(reading, beside=bounded(beside))


def _texts(table: pa.Table, *, name: str) -> pa.Table:
    columns, failed = [], []
    for field, cells in zip(table.schema, table.columns, strict=True):
        try:
            columns.append(as_text(cells))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            failed.append(field.name)
    if failed:
        raise input_error(
            "{file}: column {columns} cannot be written as text. Export the table with text, numbers and "
            "dates only, or as CSV.",
            "{file}: columns {columns} cannot be written as text. Export the table with text, numbers "
            "and dates only, or as CSV.",
            n=len(failed),
            file=name,
            columns=listed(quoted(failed)),
        )
    large = sum(cells.nbytes for cells in columns) > _LARGE_TEXT
    text_type = pa.large_string() if large else pa.string()
    return pa.table([cells.cast(text_type) for cells in columns], names=table.column_names)


def as_text(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as large_string, which no column overflows."""
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    convert: Callable[[pa.ChunkedArray], pa.ChunkedArray] = lambda c: c  # noqa: E731
    if pa.types.is_timestamp(cells.type):
        convert = _without_zeros
    elif pa.types.is_float16(cells.type):
        cells = cells.cast(pa.float32())
    return convert(cells.cast(pa.large_string()))


def _without_zeros(moments: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return moments without the zeros that every one of them ends in: the fraction, then the time."""
    for zeros in (r"\.0+(Z?)$", r" 00:00:00()Z?$"):
        if pc.all(pc.match_substring_regex(moments, zeros), min_count=0).as_py():
            moments = pc.replace_substring_regex(moments, zeros, r"\1")
    return moments


def _with_header(table: pa.Table, *, name: str, options: ReadOptions, kind: str) -> tuple[pa.Table, Reading]:
    """Return the table with the names its schema or, where that has next to none, its first record gives."""
    written, table = table, missing_as_null(table, options.missing_spellings)
    codes = codes_that_are_words(written, look_like_codes(table), options.missing_spellings)
    first = [
        list(row.values())
        for row in table.slice(0, 10).rename_columns([str(i) for i in range(table.num_columns)]).to_pylist()
    ]
    rows = [table.column_names, *[["" if cell is None else str(cell) for cell in row] for row in first]]
    position = header_position(rows, header=options.header)
    if position >= len(rows) or position >= table.num_rows:
        raise input_error(
            "{file}: line {line} was to hold the column names, but no record is below it. Choose another "
            "line for the names.",
            file=name,
            line=position + 1,
        )
    header = name_columns(rows[position]) if position >= 0 else numbered_columns(table.num_columns)
    reading = Reading(
        format=kind,
        options=replace(options, delimiter=None, encoding=None, sheet=None, header=header_option(position)),
        detected=("header",) if options.header == "auto" else (),
        notes=(*lines_above(position), *header.notes),
        unnamed_columns=header.unnamed,
        header_line=position + 1,
        codes_missing=codes if not position else (),
    )
    return table.slice(max(position, 0)).rename_columns(list(header.names)), reading
