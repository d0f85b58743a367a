"""Columns compared cell by cell, as text first and closely only where the texts differ."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.cells.arrays import BoolArray, Column, as_mask, codes_of, contiguous
from core.cells.codes import shared_codes
from core.cells.floats import are_short, as_floats, of_usual_size
from core.cells.glance import may_be_special, says_itself
from core.cells.one_cell import canonical_text, special_pattern
from core.cells.repetition import repeat_often
from core.cells.values import canonical_values
from core.cells.white_space import trimmed

_MOSTLY = 0.5  # share of differing cells from which whole columns are compared closely


def cells_equal(a: Column, b: Column, *, dates: bool = False) -> BoolArray:
    """Compare two columns cell by cell.

    A missing cell equals nothing, also not another missing cell.

    Parameters
    ----------
    a, b
        String columns of equal length; missing is null.
    dates
        Whether dates in different spellings are one value.

    Returns
    -------
    BoolArray
        Shape (n_cells,), True where both cells are there and equal.
    """
    a, b = contiguous(a), contiguous(b)
    equal = as_mask(pc.equal(a, b))
    differs = ~equal
    for column in (a, b):
        if column.null_count:
            differs &= as_mask(pc.is_valid(column))
    n_differ = np.count_nonzero(differs)
    if not n_differ or (says_itself(a) and says_itself(b)):
        return equal
    if repeat_often(a, b):
        codes_a, codes_b = shared_codes(a, b, dates=dates)
        return cast("BoolArray", (codes_a == codes_b) & (codes_a >= 0))
    if n_differ > _MOSTLY * len(a):
        return _cells_equal_closely(a, b, dates=dates) & (equal | differs)
    rest = np.flatnonzero(differs)
    equal[rest] = _cells_equal_closely(a.take(rest), b.take(rest), dates=dates)
    return equal


def cells_equal_to(column: Column, value: str, *, dates: bool = False) -> BoolArray:
    """Return shape (n_cells,): True where a cell equals the value; False where it is missing."""
    column = contiguous(column)
    if says_itself(column):
        return as_mask(pc.equal(column, canonical_text(value, dates=dates)))
    encoded = pc.dictionary_encode(column)
    wanted = as_mask(
        pc.equal(canonical_values(encoded.dictionary, dates=dates), canonical_text(value, dates=dates))
    )
    indices = codes_of(encoded)
    return cast("BoolArray", np.append(wanted, False)[indices])


def _cells_equal_closely(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare cells as text, number and date; two missing cells may count as equal."""
    a, b = trimmed(a), trimmed(b)
    numbers = _numbers_equal(a, b, dates=dates)
    if numbers is not None:
        return numbers
    equal = as_mask(pc.equal(a, b))
    possible = may_be_special(a, dates=dates) & may_be_special(b, dates=dates)
    candidates = np.flatnonzero(~equal & possible)
    if len(candidates):
        a, b = a.take(candidates), b.take(candidates)
        numbers = _numbers_equal(a, b, dates=dates)
        equal[candidates] = _specials_equal(a, b, dates=dates) if numbers is None else numbers
    return equal


def _specials_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare trimmed cells whose texts differ: only two numbers, or two dates, can still be equal."""
    equal = np.zeros(len(a), dtype=bool)
    pattern = special_pattern(dates=dates)
    found = np.flatnonzero(as_mask(pc.match_substring_regex(a, pattern)))
    found = found[as_mask(pc.match_substring_regex(b.take(found), pattern))]
    if len(found):
        equal[found] = _canonical_texts_equal(a.take(found), b.take(found), dates=dates)
    return equal


def _numbers_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray | None:
    """Compare trimmed cells by 64-bit floats where those are exact enough; None unless all are numbers.

    Equal decimals round to equal floats, so different floats settle it. Equal floats settle it for
    short numbers of usual size; what is left is compared by canonical texts.
    """
    numbers_a, numbers_b = as_floats(a), as_floats(b)
    if numbers_a is None or numbers_b is None:
        return None
    floats_a, floats_b = (numbers.to_numpy(zero_copy_only=False) for numbers in (numbers_a, numbers_b))
    equal = floats_a == floats_b
    size = np.abs(floats_a)
    safe = of_usual_size(size) & are_short(a) & are_short(b)
    careful = np.flatnonzero((equal & ~safe) | (np.isnan(floats_a) & np.isnan(floats_b)))
    if len(careful):
        equal[careful] = _canonical_texts_equal(a.take(careful), b.take(careful), dates=dates)
    return cast("BoolArray", equal)


def _canonical_texts_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare cells by their canonical texts, each distinct text looked at once."""
    codes_a, codes_b = shared_codes(a, b, dates=dates)
    return cast("BoolArray", codes_a == codes_b)
