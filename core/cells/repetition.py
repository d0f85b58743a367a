"""How much the values of columns repeat, which decides whether a dictionary of them pays."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_FEW, _MANY = 2048, 65_536  # cells that decide
_RARELY, _MOSTLY = 0.05, 0.5  # distinct over all of these cells


def repeat_often(a: pa.Array, b: pa.Array) -> bool:
    """Whether the first cells of both columns are a few values again and again."""
    return max(_distinct_share(column, _FEW) for column in (a, b)) < _RARELY


def hardly_repeat(a: pa.Array, b: pa.Array) -> bool:
    """Whether most of the first cells of either column are values of their own."""
    return max(_distinct_share(column, _MANY) for column in (a, b)) > _MOSTLY


def _distinct_share(column: pa.Array, n_looked_at: int) -> float:
    """Return distinct over all of the first cells, in [0, 1]; near 1, a dictionary does not pay."""
    head = column.slice(0, n_looked_at)
    return float(pc.count_distinct(head).as_py() / max(len(head), 1))
