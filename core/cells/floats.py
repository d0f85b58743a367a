"""Columns of numbers as 64-bit floats, and where such floats are exact enough to compare."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.cells.arrays import BoolArray, Column, contiguous, text_and_offsets
from core.cells.one_cell import NOT_FINITE_PATTERN, NUMBER_PATTERN, canonical_text
from core.cells.white_space import trimmed

# Decimal numbers of at most 15 significant digits stay apart when rounded to a 64-bit float
# (DBL_DIG in C), as long as they are neither tiny nor huge.
_EXACT_IN_FLOAT = 15
_SMALLEST_SAFE, _LARGEST_SAFE = 1e-290, 1e290

_HEAD = 64  # cells that decide whether a column is worth a try as numbers


def as_numbers(column: Column) -> npt.NDArray[np.float64] | None:
    """Return shape (n_cells,): the cells as floats, missing as NaN; None unless all are finite numbers."""
    values = trimmed(contiguous(column))
    numbers = as_floats(values)
    if numbers is None:
        return None
    floats = numbers.to_numpy(zero_copy_only=False)
    n_finite = np.count_nonzero(np.isfinite(floats))
    return cast("npt.NDArray[np.float64]", floats) if n_finite + numbers.null_count == len(floats) else None


def as_floats(values: pa.Array) -> pa.Array | None:
    """Return the cells as 64-bit floats, None unless all but missing ones are numbers, infinite or nan.

    The first cells are looked at before, because Arrow goes through all cells even if each is no number.
    """
    head = values.slice(0, _HEAD)
    if pc.match_substring_regex(head, f"{NUMBER_PATTERN}|{NOT_FINITE_PATTERN}").false_count:
        return None
    try:
        return values.cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def exact_floats(cells: pa.Array) -> pa.Array | None:
    """Return floats that are equal exactly where the cells are; None where floats cannot tell."""
    floats = as_floats(cells)
    if floats is None:
        return None
    numbers = floats.drop_null().to_numpy()
    size = np.abs(numbers)
    zeros = pc.unique(cells.filter(pc.equal(floats, 0.0))).to_pylist()
    exact = (
        are_short(cells).all()
        and (of_usual_size(size) | (size == 0)).all()
        and all(canonical_text(text) == "0" for text in zeros)
    )
    return pc.add(floats, 0.0) if exact else None  # −0 + 0 is 0


def of_usual_size(size: npt.NDArray[np.float64]) -> BoolArray:
    """Return shape (n_numbers,): True where an absolute value is neither tiny (nor 0) nor huge."""
    usual: BoolArray = (size > _SMALLEST_SAFE) & (size < _LARGEST_SAFE)
    return usual


def are_short(values: pa.Array) -> BoolArray:
    """Return shape (n_cells,): True where a cell has no more digits than a float holds exactly."""
    short: BoolArray = np.diff(text_and_offsets(values)[1]) <= _EXACT_IN_FLOAT
    return short
