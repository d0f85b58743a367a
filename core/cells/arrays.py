"""Columns of Arrow as contiguous arrays, and as masks, codes and bytes of NumPy."""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.int32]
Column: TypeAlias = pa.Array | pa.ChunkedArray

_LARGEST_ARRAY = 2**31 - 1  # bytes that one array of Arrow's plain strings can hold


def contiguous(column: Column) -> pa.Array:
    """Return the column as one array, of 64-bit offsets where 32 bits cannot address its text."""
    if not pa.types.is_large_string(column.type) and column.nbytes >= _LARGEST_ARRAY:
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        chunks = column.chunks or [pa.array([], column.type)]
        column = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    return column


def as_mask(booleans: pa.Array) -> BoolArray:
    """Return an Arrow mask as a NumPy array that may be written to; missing is False."""
    filled = booleans.fill_null(False) if booleans.null_count else booleans
    return cast("BoolArray", filled.to_numpy(zero_copy_only=False).astype(bool, copy=True))


def codes_of(encoded: pa.DictionaryArray) -> CodeArray:
    """Return the codes of a dictionary-encoded array; -1 where a cell is missing."""
    indices = encoded.indices
    indices = indices.fill_null(-1) if indices.null_count else indices
    return cast("CodeArray", indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False))


def text_and_offsets(values: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.integer]]:
    """Return the bytes of all cells, end to end, and shape (n_cells + 1,): where each begins."""
    _, offsets_buffer, text_buffer = values.buffers()
    width = np.dtype(np.int64 if pa.types.is_large_string(values.type) else np.int32)
    offsets = np.frombuffer(offsets_buffer, width, len(values) + 1, values.offset * width.itemsize)
    text = np.frombuffer(text_buffer or b"", np.uint8)
    return text[offsets[0] : offsets[-1]], offsets - offsets[0]
