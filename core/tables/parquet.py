"""Parquet files: every column as text."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from core.processes.bounds import SMALL_FILE_BYTES
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
from core.tables.hidden_contents import beside_of, beside_parquet, bounded
from core.tables.missing import codes_that_are_words, look_like_codes, missing_as_null
from core.tables.model import Reading
from core.words import input_error, own

_LARGEST_AREA = 1_000_000_000
_LARGE_TEXT = (1 << 31) - 1
_OFFSET_BYTES = 4  # of every cell, were it blank


def read_parquet(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a Parquet file with every column as text.

    Numbers are written with all their digits, dates as ``YYYY-MM-DD``, moments as
    ``YYYY-MM-DD HH:MM:SS`` with the fraction and time zone they have, and as a date where every
    moment of the column is midnight. Nulls are missing.
    """
    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        _refuse_unusable(file, n_bytes=data.size, name=name)
        read = _packed(data, file, name=name).read()
        table = _texts(read, name=name)
    except pa.ArrowMemoryError:
        raise  # beyond the bound of the process that reads it, not damaged
    except (pa.ArrowException, OSError):
        raise input_error(
            "{file}: the Parquet file is damaged, cut off or encrypted. Export it again, or as CSV.",
            file=name,
        ) from None
    unused = beside_of(own("values that no cell has"), _unused(read), is_usual=True)
    table, reading = _with_header(table, name=name, options=options)
    metadata = beside_parquet(file.schema_arrow, file.metadata.metadata)
    return table, replace(reading, beside=bounded([*metadata, unused]))


def _unused(table: pa.Table) -> Iterator[str]:
    """Yield values of dictionaries that no cell has."""
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            is_used = np.zeros(len(chunk.dictionary), dtype=bool)
            is_used[chunk.indices.drop_null().to_numpy()] = True
            yield from map(str, chunk.dictionary.filter(pa.array(~is_used)).to_pylist())


def _packed(data: pa.Buffer, file: parquet.ParquetFile, *, name: str) -> parquet.ParquetFile:
    """Return a file whose texts fit in memory, counted first: a dictionary may pack a long text a lot."""
    if data.size > SMALL_FILE_BYTES:
        return file
    texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
    packed = parquet.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    n_bytes = 0
    for batch in packed.iter_batches(columns=texts):
        n_bytes += sum(_n_bytes(cells) for cells in batch.columns)
        check_text(n_bytes, of=data.size, name=name)
    return file


def _is_text(of: pa.DataType) -> bool:
    of = of.value_type if pa.types.is_dictionary(of) else of
    return any(is_kind(of) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def _n_bytes(cells: pa.Array) -> int:
    """Return the bytes that cells of text come to."""
    if not pa.types.is_dictionary(cells.type):
        return int(pc.sum(pc.binary_length(cells)).as_py() or 0)
    lengths = pc.binary_length(cells.dictionary)
    return int(pc.sum(lengths.take(cells.indices).cast(pa.int64())).as_py() or 0)


def _refuse_unusable(file: parquet.ParquetFile, *, n_bytes: int, name: str) -> None:
    check_n_columns(len(file.schema_arrow), name=name)
    nested = [column.name for column in file.schema_arrow if pa.types.is_nested(column.type)]
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
    n_rows, n_columns = file.metadata.num_rows, len(file.schema_arrow)
    if not n_rows or not n_columns:
        raise input_error(
            "{file}: the Parquet file holds no record. Export the table with its records.", file=name
        )
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


def _with_header(table: pa.Table, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
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
        format="Parquet",
        options=replace(options, delimiter=None, encoding=None, sheet=None, header=header_option(position)),
        detected=("header",) if options.header == "auto" else (),
        notes=(*lines_above(position), *header.notes),
        unnamed_columns=header.unnamed,
        header_line=position + 1,
        codes_missing=codes if not position else (),
    )
    return table.slice(max(position, 0)).rename_columns(list(header.names)), reading
