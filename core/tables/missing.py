"""Missing cells: empty, or one of the spellings, surrounding spaces not counted."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.processes.jobs import Threads

IntArray = npt.NDArray[np.int64] | npt.NDArray[np.int32]

NOT_AVAILABLE = "NA"
_FEWEST_CODES = 3  # different ones, from which a column is one of codes
_FIRST_LOOK = 1_000  # records that tell most columns to be of something else
_SPACE, _ASCII = 0x20, 0x7F
_WORTH_A_THREAD = 10_000  # records; handing over a shorter column takes longer than looking at it
# First and last bytes of the spaces that Unicode has beyond ASCII, such as U+00A0 and U+3000.
_SPACES = "\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_PARTS = np.array(sorted({byte for space in _SPACES for byte in (space.encode()[0], space.encode()[-1])}))


def missing_as_null(table: pa.Table, spellings: Sequence[str], *, padded_only: bool = False) -> pa.Table:
    """Return the table with cells that are missing as null.

    Looks at the first and last byte of each cell, which is quick, and trims only where these leave
    it possible that the cell is missing.
    """
    look = _Look(spellings, padded_only=padded_only)
    if table.num_rows < _WORTH_A_THREAD:
        columns = [look.marked(column) for column in table.combine_chunks().columns]
    else:
        with Threads(2) as threads:
            columns = list(threads.map(look.marked, table.columns))
    return pa.table(columns, schema=table.schema)


def look_like_codes(table: pa.Table) -> list[str]:
    """Return the columns with missing cells whose values are all codes of two letters, as of countries."""
    return [
        name
        for name, cells in zip(table.column_names, table.columns, strict=True)
        if cells.null_count and _are_codes(cells.slice(0, _FIRST_LOOK)) and _are_codes(cells)
    ]


def _are_codes(cells: pa.ChunkedArray) -> bool:
    values = pc.drop_null(pc.unique(cells))
    return len(values) >= _FEWEST_CODES and pc.all(pc.match_substring_regex(values, "^[A-Z]{2}$")).as_py()


def codes_that_are_words(table: pa.Table, names: Sequence[str], spellings: Sequence[str]) -> tuple[str, ...]:
    """Return which of these columns hold `NA` as written: Namibia and North America are called so, too."""
    if NOT_AVAILABLE not in spellings:
        return ()
    return tuple(
        name
        for name in names
        if pc.any(pc.equal(pc.utf8_trim_whitespace(table[name]), NOT_AVAILABLE), min_count=0).as_py()
    )


class _Look:
    """Finds missing cells of one set of spellings."""

    def __init__(self, spellings: Sequence[str], *, padded_only: bool) -> None:
        self._missing = pa.array(["", *spellings], type=pa.large_string())
        self._padded_only = padded_only
        self._firsts = {spelling.encode()[0] for spelling in spellings if spelling}

    def marked(self, cells: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return a column with its missing cells as null."""
        chunks = [self._nulled(chunk) if self._may_hold_missing(chunk) else chunk for chunk in cells.chunks]
        return pa.chunked_array(chunks, type=cells.type)

    def _nulled(self, chunk: pa.Array) -> pa.Array:
        missing = self._missing.cast(chunk.type)
        is_missing = pc.is_in(pc.utf8_trim_whitespace(chunk), value_set=missing)
        return (
            pc.if_else(is_missing, pa.scalar(None, chunk.type), chunk)
            if pc.any(is_missing).as_py()
            else chunk
        )

    def _may_hold_missing(self, chunk: pa.Array) -> bool:
        """Return False only when no cell can be missing; the byte after an empty cell is looked at, too."""
        _, limits, text = chunk.buffers()
        width = np.dtype(np.int64 if pa.types.is_large_string(chunk.type) else np.int32)
        offsets: IntArray = np.frombuffer(limits, dtype=width)[chunk.offset : chunk.offset + len(chunk) + 1]
        if not self._padded_only and np.count_nonzero(offsets[1:] == offsets[:-1]) > chunk.null_count:
            return True
        letters = np.frombuffer(text or b"", dtype=np.uint8)
        if not len(letters):
            return False
        firsts = letters.take(offsets[:-1], mode="clip")
        if _may_be_space(firsts):
            return True
        alike = np.logical_or.reduce([firsts == first for first in self._firsts] or [firsts < 0])
        if not self._padded_only:
            return bool(alike.any())
        return _may_be_space(letters.take(offsets[1:][alike] - 1, mode="clip"))


def _may_be_space(letters: npt.NDArray[np.uint8]) -> bool:
    """Tell whether any byte is a space in ASCII, or begins or ends one in UTF-8."""
    if not len(letters):
        return False
    return bool(letters.min() <= _SPACE) or bool(letters.max() > _ASCII and np.isin(letters, _PARTS).any())
