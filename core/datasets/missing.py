"""Missing cells: empty, or one of the spellings, surrounding spaces not counted."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

IntArray = npt.NDArray[np.int64] | npt.NDArray[np.int32]

# First bytes of a cell that may begin with a space, in ASCII or, by lead byte, in Unicode.
_SPACES = (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0xC2, 0xE1, 0xE2, 0xE3)


def missing_as_null(table: pa.Table, spellings: Sequence[str], *, padded_only: bool = False) -> pa.Table:
    """Return the table with cells that are missing as null.

    Looks at the first and last byte of each cell, which is quick, and trims only where these leave
    it possible that the cell is missing.

    Parameters
    ----------
    table
        Columns of type string or large_string.
    spellings
        What counts as missing besides the empty cell.
    padded_only
        True when cells that are exactly empty or a spelling are null already.
    """
    look = _Look(spellings, padded_only=padded_only)
    with ThreadPoolExecutor(2) as threads:
        columns = list(threads.map(look.marked, table.columns))
    return pa.table(columns, schema=table.schema)


class _Look:
    """Finds missing cells of one set of spellings."""

    def __init__(self, spellings: Sequence[str], *, padded_only: bool) -> None:
        self._missing = pa.array(["", *spellings], type=pa.large_string())
        self._padded_only = padded_only
        self._spaces = np.zeros(256, dtype=bool)
        self._spaces[list(_SPACES)] = True
        self._spellings = np.zeros(256, dtype=bool)
        self._spellings[[spelling.encode()[0] for spelling in spellings if spelling]] = True

    def marked(self, cells: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return a column with its missing cells as null."""
        chunks = [self._nulled(chunk) if self._may_hold_missing(chunk) else chunk for chunk in cells.chunks]
        return pa.chunked_array(chunks, type=cells.type)

    def _nulled(self, chunk: pa.Array) -> pa.Array:
        missing = self._missing.cast(chunk.type)
        is_missing = pc.is_in(pc.utf8_trim_whitespace(chunk), value_set=missing)
        return pc.if_else(is_missing, pa.scalar(None, chunk.type), chunk)

    def _may_hold_missing(self, chunk: pa.Array) -> bool:
        _, limits, text = chunk.buffers()
        width = np.dtype(np.int64 if pa.types.is_large_string(chunk.type) else np.int32)
        offsets: IntArray = np.frombuffer(limits, dtype=width)[chunk.offset : chunk.offset + len(chunk) + 1]
        filled = offsets[1:] > offsets[:-1]
        begins, ends = offsets[:-1][filled], offsets[1:][filled] - 1
        if not self._padded_only and len(begins) + chunk.null_count < len(chunk):
            return True
        if not len(begins):
            return False
        letters = np.frombuffer(text, dtype=np.uint8)
        firsts = letters[begins]
        if self._spaces[firsts].any():
            return True
        alike = self._spellings[firsts]
        if not self._padded_only:
            return bool(alike.any())
        lasts = letters[ends[alike]]
        return bool((self._spaces[lasts] | (lasts >= 0x80)).any())
