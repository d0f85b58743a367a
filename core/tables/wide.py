"""Delimited text of many columns: all cells of some records are cut out at once, and dealt to the columns.

A parser that fills columns one by one reserves a block of text for each of them: with two thousand columns
that is more than a process may take that reads a hostile file. Here a block is cut once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.tables.bounds import LONGEST_RECORD

WIDE = 512  # columns
_BLOCK = 16 << 20
_ROWS_AT_ONCE = 256
_LINE_FEED, _RETURN = b"\n", b"\r"


class UnevenRecordsError(Exception):
    """A record has another number of cells than there are columns."""


class EndlessRecordError(Exception):
    """A record does not end within the largest that is read."""


def wide_table(records: pa.Buffer, names: Sequence[str], delimiter: str, nulls: Sequence[str]) -> pa.Table:
    """Read records without quotation marks."""
    return _table((_cells(block, len(names), delimiter) for block in _blocks(records)), names, nulls)


def wide_table_of_rows(rows: Iterable[Sequence[str]], names: Sequence[str], nulls: Sequence[str]) -> pa.Table:
    """Make a table of records that were taken apart already; as :func:`wide_table` otherwise."""
    return _table(_joined(rows, len(names)), names, nulls)


def _table(blocks: Iterable[pa.Array], names: Sequence[str], nulls: Sequence[str]) -> pa.Table:
    """Deal the cells of blocks of records to the columns."""
    missing = pa.array(["", *nulls], pa.string())
    schema = pa.schema([(name, pa.string()) for name in names])
    dealt = []
    for cells in blocks:
        known = pc.if_else(pc.is_in(cells, value_set=missing), pa.scalar(None, pa.string()), cells)
        places = np.arange(0, len(known), len(names))
        columns = [known.take(pa.array(places + column)) for column in range(len(names))]
        dealt.append(pa.record_batch(columns, schema=schema))
    return pa.Table.from_batches(dealt, schema=schema)


def _blocks(records: pa.Buffer) -> Iterator[pa.Buffer]:
    """Yield the records in blocks that end with a line."""
    begin = 0
    while begin < records.size:
        end = min(begin + _BLOCK, records.size)
        if end < records.size:
            last = records.slice(begin, end - begin).to_pybytes().rfind(_LINE_FEED)
            if last < 0:
                end = min(begin + LONGEST_RECORD, records.size)
                last = records.slice(begin, end - begin).to_pybytes().find(_LINE_FEED)
                if last < 0 and end < records.size:
                    raise EndlessRecordError
            end = end if last < 0 else begin + last + 1
        yield records.slice(begin, end - begin)
        begin = end


def _cells(block: pa.Buffer, n_columns: int, delimiter: str) -> pa.Array:
    """Return the cells of a block, record after record."""
    text = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, block.size], pa.int32()).buffers()[1], block]
    )
    lines = pc.split_pattern(text, "\n").flatten()
    lines = pc.utf8_rtrim(lines, characters="\r")
    lines = lines.filter(pc.greater(pc.binary_length(pc.utf8_trim(lines, characters=" ")), 0))
    cells = pc.split_pattern(lines, delimiter)
    if len(cells) and pc.any(pc.not_equal(pc.list_value_length(cells), n_columns)).as_py():
        raise UnevenRecordsError
    return cells.flatten()


def _joined(rows: Iterable[Sequence[str]], n_columns: int) -> Iterator[pa.Array]:
    """Yield the cells of some records, record after record."""
    some: list[str] = []
    for row in rows:
        if len(row) == 1 and not row[0].strip(" "):
            continue
        if len(row) != n_columns:
            raise UnevenRecordsError
        some += row
        if len(some) >= _ROWS_AT_ONCE * n_columns:
            yield pa.array(some, pa.string())
            some = []
    yield pa.array(some, pa.string())


def has_lone_returns(records: pa.Buffer) -> bool:
    """Return whether a carriage return ends a line by itself, or stands in a cell."""
    letters = np.frombuffer(records, dtype=np.uint8)
    returns = np.flatnonzero(letters == ord(_RETURN))
    after = returns + 1
    return bool(
        (after >= len(letters)).any() or (letters[after[after < len(letters)]] != ord(_LINE_FEED)).any()
    )
