"""Shapes that stand for values where these are not to be shown."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_LONGEST_SHAPE = 40


def masked_shapes(values: pa.Array) -> pa.Array:
    """Return the shape of each value: dates as ``YYYY-MM-DD``, digits as 9, letters as A.

    Examples
    --------
    >>> masked_shapes(pa.array(["1987-01-21", "Kim 7, 서울", "12.5e3"])).to_pylist()
    ['YYYY-MM-DD', 'AAA 9, AA', '99.9A9']
    """
    shapes = pc.replace_substring_regex(
        values, r"[0-9]{4}([-/.])[0-9]{1,2}[-/.][0-9]{1,2}", "\x00\\1\x01\\1\x02"
    )
    shapes = pc.replace_substring_regex(shapes, r"\p{N}", "9")
    shapes = pc.replace_substring_regex(shapes, r"[\p{L}\p{M}]", "A")
    for mark, part in (("\x00", "YYYY"), ("\x01", "MM"), ("\x02", "DD")):
        shapes = pc.replace_substring(shapes, mark, part)
    return pc.utf8_slice_codeunits(pc.replace_substring_regex(shapes, r"\p{C}", "?"), 0, _LONGEST_SHAPE)
