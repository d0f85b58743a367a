"""Sensitive attributes as codes that can be counted, numbers in bins that can be shown."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from core.attribute_disclosure import Distance, ordered_codes
from core.coding import IntArray, value_codes
from core.diversity.features import FloatArray, is_numeric, numbers_of


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveAttribute:
    """A sensitive attribute of some records."""

    name: str  # the column
    codes: IntArray = field(repr=False)  # shape (n_records,): what is counted for diversity, -1 for missing
    numeric: bool  # whether all known values are numbers; the ordered distance is used then
    # shape (n_bins - 1,): a number up to the first edge is in the first bin, and so on; None where values are
    # counted as written
    edges: FloatArray | None
    n_distinct: int  # distinct values as written

    @property
    def distance(self) -> Distance:
        """Return which distance t-closeness is measured with."""
        return "ordered" if self.numeric else "equal"

    @property
    def n_values(self) -> int:
        """Return the number of values or bins that diversity can count."""
        return int(self.codes.max(initial=-1)) + 1

    def code(self, column: pa.ChunkedArray) -> IntArray:
        """Return shape (n_records,): codes of another column of text, in the same bins."""
        if not self.numeric:
            return _text_codes(column)
        if self.edges is None:
            return ordered_codes(numbers_of(column))
        return _binned(numbers_of(column), self.edges)


def read_sensitive(column: pa.ChunkedArray, *, name: str, n_bins: int | None) -> SensitiveAttribute:
    """Read a sensitive attribute; numbers with more than `n_bins` distinct values are binned.

    Bins hold about equal numbers of records. A missing value is none: it makes no cell more diverse.
    """
    numeric = is_numeric(column)
    as_written = ordered_codes(numbers_of(column)) if numeric else _text_codes(column)
    n_distinct = int(as_written.max(initial=-1)) + 1
    edges = None
    if numeric and n_bins is not None and n_distinct > n_bins:
        edges = _equal_frequency_edges(numbers_of(column), n_bins)
    return SensitiveAttribute(
        name=name,
        codes=as_written if edges is None else _binned(numbers_of(column), edges),
        numeric=numeric,
        edges=edges,
        n_distinct=n_distinct,
    )


def _text_codes(column: pa.ChunkedArray) -> IntArray:
    codes = value_codes(column)
    known = column.combine_chunks().is_valid().to_numpy(zero_copy_only=False)
    return np.where(known, codes, -1)


def _equal_frequency_edges(numbers: FloatArray, n_bins: int) -> FloatArray:
    """Return the inner edges, values of the data themselves; fewer where one value is very frequent."""
    known = numbers[~np.isnan(numbers)]
    edges = np.quantile(known, np.arange(1, n_bins) / n_bins, method="inverted_cdf")
    return np.unique(edges[edges < known.max()])


def _binned(numbers: FloatArray, edges: FloatArray) -> IntArray:
    codes = np.searchsorted(edges, numbers, side="left")
    return np.where(np.isnan(numbers), -1, codes).astype(np.int64)
