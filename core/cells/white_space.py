"""White space around cells, found by the bytes that begin and end them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.cells.arrays import BoolArray, text_and_offsets

WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())


def _bytes_at(position: int) -> BoolArray:
    """Return shape (256,): True for a byte that a white space has at that position of its UTF-8."""
    found = {character.encode()[position] for character in WHITE_SPACE}
    return np.array([byte in found for byte in range(256)])


BEGINS_SPACE, ENDS_SPACE = _bytes_at(0), _bytes_at(-1)


def _edge_bytes(values: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the first and the last byte of every cell that is not empty."""
    text, offsets = text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts, ends = (
        (offsets[:-1], offsets[1:]) if filled.all() else (offsets[:-1][filled], offsets[1:][filled])
    )
    return text[starts], text[ends - 1]


def trimmed(values: pa.Array) -> pa.Array:
    """Return the cells without white space around them; the same array where there is none."""
    first, last = _edge_bytes(values)
    if not (BEGINS_SPACE[first].any() or ENDS_SPACE[last].any()):
        return values
    return pc.utf8_trim(values, characters=WHITE_SPACE)
