"""The canonical texts of a whole column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.cells.arrays import Column, as_mask, contiguous
from core.cells.glance import says_itself
from core.cells.one_cell import LONGEST_PLAIN_NUMBER, canonical_text, special_pattern
from core.cells.white_space import trimmed

_CANONICAL_DECIMAL_PATTERN = r"^(?:0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9])$"


def canonical_values(values: Column, *, dates: bool = False) -> pa.Array:
    """Return the canonical text of each cell, as an Arrow array of the same length; missing stays so.

    Fast where most cells are texts or plain decimals; a number with an exponent, and a date, costs
    about a microsecond.
    """
    values = trimmed(contiguous(values))
    if says_itself(values):
        return values
    found = as_mask(pc.match_substring_regex(values, special_pattern(dates=dates)))
    special = values.take(np.flatnonzero(found)) if len(values) else values
    if not len(special):
        return values
    return pc.replace_with_mask(values, pa.array(found), _canonical_specials(special, dates=dates))


def _canonical_specials(values: pa.Array, *, dates: bool) -> pa.Array:
    """Return the canonical texts of trimmed numbers, infinities, nans and dates."""
    values = _shortened_decimals(values)
    canonical = pc.and_(
        pc.match_substring_regex(values, _CANONICAL_DECIMAL_PATTERN),
        pc.less_equal(pc.binary_length(values), LONGEST_PLAIN_NUMBER),
    )
    odd = ~as_mask(canonical)
    if not odd.any():
        return values
    rewritten = [
        canonical_text(text, dates=dates) for text in values.take(np.flatnonzero(odd)).to_pylist()
    ]  # fmt: skip
    return pc.replace_with_mask(values, pa.array(odd), pa.array(rewritten, values.type))


def _shortened_decimals(values: pa.Array) -> pa.Array:
    """Return decimals without the zeros that end them: ``2.50`` as ``2.5``, ``2.0`` as ``2``."""
    if pc.any(pc.match_substring_regex(values, r"^-?[0-9]+\.[0-9]*0$")).as_py():
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+)\.0+$", r"\1")
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+\.[0-9]*[1-9])0+$", r"\1")
    return values
