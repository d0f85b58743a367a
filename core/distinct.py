"""The distinct values of a column, so that a check looks at each written form once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

_N_LOOKED_AT = 4096  # records that decide whether encoding pays
_LARGEST_ARRAY = 2**31 - 1  # bytes that one array of Arrow's plain strings can hold
_WORTH_ENCODING = 0.5  # share of distinct values among them from which it does not


@dataclass(frozen=True, kw_only=True, eq=False)
class DistinctValues:
    """The non-missing values of a column, each written form once where that saves work.

    Encoding a column whose values hardly repeat costs more than any scan of it; such a column
    keeps its records as they are, and every method answers the same.

    Attributes
    ----------
    values
        Array of strings to look at, shape (n_values,), without nulls.
    codes
        Shape (n_records,): the position in `values` of each record, -1 for a missing one.
    is_distinct
        False where `values` may hold a value more than once.
    """

    values: pa.Array
    codes: IntArray
    is_distinct: bool

    @property
    def n_records(self) -> int:
        """Return the number of records, missing ones included."""
        return len(self.codes)

    @cached_property
    def n_filled(self) -> int:
        """Return the number of records that are not missing."""
        return int(self.counts.sum())

    @cached_property
    def counts(self) -> IntArray:
        """Return shape (n_values,): the records that hold each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @cached_property
    def n_distinct(self) -> int:
        """Return the number of distinct non-missing values."""
        return len(self.values) if self.is_distinct else len(pc.unique(self.values))

    def n_cells(self, mask: BoolArray) -> int:
        """Return the number of records whose value is marked in `mask`, shape (n_values,)."""
        return int(self.counts[mask].sum())

    def in_records(self, mask: BoolArray) -> BoolArray:
        """Return shape (n_records,): `mask` of each record's value, False for a missing one."""
        return cast("BoolArray", np.append(mask, False)[self.codes])


def distinct_values(column: pa.ChunkedArray | pa.Array) -> DistinctValues:
    """Return the distinct values of a column of strings.

    Parameters
    ----------
    column
        Strings; null is a missing value.

    Returns
    -------
    DistinctValues
        Every non-missing record is counted.
    """
    if column.nbytes > _LARGEST_ARRAY:
        column = column.cast(pa.large_string())
    head = column.slice(0, _N_LOOKED_AT)
    if len(column) > _N_LOOKED_AT and pc.count_distinct(head).as_py() > _WORTH_ENCODING * len(head):
        return _as_they_are(column)
    encoded = pc.dictionary_encode(column)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return DistinctValues(values=encoded.dictionary, codes=codes, is_distinct=True)


def _as_they_are(column: pa.ChunkedArray | pa.Array) -> DistinctValues:
    filled = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
    values = column.drop_null() if column.null_count else column
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    codes = np.arange(len(values), dtype=np.int64)
    if filled is not None:
        every, codes = codes, np.full(len(column), -1, dtype=np.int64)
        codes[filled] = every
    return DistinctValues(values=values, codes=codes, is_distinct=False)
