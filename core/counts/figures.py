"""Figures beside counts: shares that give small counts away, and averages of few people."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.cells import as_numbers
from core.coding import FloatArray
from core.counts.cube import Cube

_SHARES = (
    0.9  # of the cells of a column whose figures are whole numbers of people, from which it is of shares
)
_MOST_ROUNDED = 0.25  # people that rounding leaves open, on average, up to which that says something


@dataclass(frozen=True, kw_only=True, eq=False)
class Figures:
    """A column of figures beside counts."""

    column: str
    is_share: bool  # of the count, so that people follow
    # shape (n_rows,): those people, and those left; NaN where nothing follows
    people: FloatArray
    rest: FloatArray
    n_of_suppressed: int  # figures shown where the count is suppressed

    def n_below(self, least: int) -> int:
        """Return the rows in which from 1 to below `least` people follow."""
        few = ((self.people > 0) & (self.people < least)) | ((self.rest > 0) & (self.rest < least))
        return int(np.count_nonzero(few))


def is_figures(column: pa.ChunkedArray) -> bool:
    """Whether a column holds figures and no categories: numbers with decimals, or per cent.

    >>> is_figures(pa.chunked_array([["2.5", "3"]])), is_figures(pa.chunked_array([["3 %", "4 %"]]))
    (True, True)
    >>> is_figures(pa.chunked_array([["2023", "2024"]])), is_figures(pa.chunked_array([["0-17", "18+"]]))
    (False, False)
    """
    numbers = _numbers(column.drop_null().unique())
    if numbers is None or not len(numbers):
        return False
    is_percent = "%" in column.drop_null()[0].as_py()
    return is_percent or bool((numbers % 1 != 0).any())


def _numbers(values: pa.ChunkedArray | pa.Array) -> FloatArray | None:
    """Return numbers, per cent signs and decimal commas aside; None where there are others."""
    plain = pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"\s?%$", "")
    return as_numbers(pc.replace_substring_regex(plain, r"^([+-]?[0-9]+),([0-9]+)$", r"\1.\2"))


def measure_figures(table: pa.Table, cube: Cube, column: str) -> Figures:
    """Measure what figures tell of the people they are of.

    A column is one of shares of the count where nearly all of its figures come to whole numbers of people, as
    far as they are rounded, and rounding leaves few open.
    """
    n = np.full(table.num_rows, np.nan)
    for key, row in cube.rows.items():
        if (count := cube.cells[key]) is not None:
            n[row] = count
    written = table[column]
    figures = _numbers(written.combine_chunks())
    assert figures is not None  # noqa: S101 - asked before
    people, rest = np.full_like(n, np.nan), np.full_like(n, np.nan)
    known = ~(np.isnan(n) | np.isnan(figures)) & (n > 0)
    decimals = _decimals(written)
    for whole in (100.0, 1.0):
        share = figures / whole
        if (
            not known.any()
            or (share[known] < 0).any()
            or (share[known] > 1).any()
            or share[known].max() < 0.02
        ):
            continue
        open_ = 0.5 * 10.0**-decimals / whole * n
        near = np.abs(share * n - np.round(share * n)) <= open_ + 1e-9
        if np.mean(near[known]) >= _SHARES and np.mean(open_[known]) <= _MOST_ROUNDED:
            people[known] = np.round(share * n)[known]
            rest[known] = n[known] - people[known]
            break
    return Figures(
        column=column,
        is_share=bool((~np.isnan(people)).any()),
        people=people,
        rest=rest,
        n_of_suppressed=int(np.count_nonzero(np.isnan(n) & ~np.isnan(figures))),
    )


def _decimals(written: pa.ChunkedArray) -> int:
    found = [re.search(r"[.,](\d{1,9})", each) for each in written.drop_null().unique().to_pylist()]
    return max((len(each[1]) for each in found if each), default=0)
