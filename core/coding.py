"""Columns as codes: the one place where written values become numbers that are joined and counted.

Codes run from 0 to n_values - 1. A missing value has a code of its own, but for `DistinctValues` and
`core.cells.shared_codes`, where it is -1 and equals nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.jobs import Threads

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]  # integers of any size

_LARGEST_CODE = np.iinfo(np.int64).max
_LARGEST_ARRAY = 2**31 - 1  # bytes that one array of Arrow's plain strings can hold
_N_LOOKED_AT = 4096  # records that decide whether encoding pays
_WORTH_ENCODING = 0.5  # share of distinct values among them from which it does not
_COUNTED_DIRECTLY = 4  # codes per record up to which counting needs no renumbering
_SUPPRESSED = r"^\s*\*+\s*$"


def value_codes(column: pa.ChunkedArray | pa.Array | Codes) -> IntArray:
    """Return shape (n_records,): a code per distinct value, in order of first appearance."""
    column = pa.array(column) if isinstance(column, np.ndarray) else column
    return _encoded(column)[0].astype(np.int64, copy=False)


def combined_codes(columns: Iterable[Codes], *, n_records: int) -> IntArray:
    """Return shape (n_records,): one code per distinct combination of the codes, not consecutive.

    Codes are combined as digits of one number; before the number could exceed 64 bits, what has
    been combined so far is renumbered, so any number of columns works.
    """
    combined, size = np.zeros(n_records, dtype=np.int64), 1
    for column in columns:
        n_values = max(int(column.max(initial=-1)) + 1, 1)
        if size > _LARGEST_CODE // n_values:
            combined = value_codes(combined)
            size = int(combined.max(initial=-1)) + 1
        combined *= n_values
        combined += column
        size *= n_values
    return combined


def combination_codes(columns: Iterable[Codes], *, n_records: int) -> IntArray:
    """Return shape (n_records,): a code per distinct combination, consecutive, by first appearance."""
    return value_codes(combined_codes(columns, n_records=n_records))


def joint_codes(pairs: Sequence[tuple[Codes, Codes]]) -> tuple[IntArray, IntArray]:
    """Give equal combinations of values of two tables one code, at most four times as many as records.

    `pairs`: per column, at least one, its codes in both tables, alike for equal values; -1 is a value too.
    The result is one array twice where every column is.
    """
    same = all(one is other for one, other in pairs)
    n_first = len(pairs[0][0])
    n_records = n_first if same else n_first + len(pairs[0][1])
    columns = ((one if same else np.concatenate([one, other])) + 1 for one, other in pairs)
    codes = combined_codes(columns, n_records=n_records)
    if int(codes.max(initial=0)) > _COUNTED_DIRECTLY * len(codes):
        codes = value_codes(codes)
    return (codes, codes) if same else (codes[:n_first], codes[n_first:])


def sorted_distinct(codes: IntArray) -> IntArray:
    """Return the distinct codes, ascending; by sorting, which for a million beats numpy's hashing."""
    in_order = np.sort(codes)
    return in_order[np.append(True, in_order[1:] != in_order[:-1])[: len(in_order)]]


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedColumn:
    """A column as numbers, each written form once."""

    name: str
    codes: Codes  # shape (n_records,); 4 bytes a record where ten million have to fit
    values: pa.Array  # shape (n_values,), the written forms; null for a missing cell (empty or blank)

    @property
    def n_values(self) -> int:
        """Return the number of distinct values, a missing one counted as one."""
        return len(self.values)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the written forms by code."""
        return tuple(self.values.to_pylist())

    @cached_property
    def value_is_missing(self) -> BoolArray:
        """Return shape (n_values,): whether a value is a missing cell."""
        return cast("BoolArray", self.values.is_null().to_numpy(zero_copy_only=False))

    @cached_property
    def value_is_suppressed(self) -> BoolArray:
        """Return shape (n_values,): whether a value is missing or nothing but stars."""
        stars = pc.fill_null(pc.match_substring_regex(self.values, _SUPPRESSED), True)
        return cast("BoolArray", stars.to_numpy(zero_copy_only=False))

    @property
    def n_missing(self) -> int:
        """Return the number of missing cells."""
        return int(np.count_nonzero(self.value_is_missing[self.codes])) if self.value_is_missing.any() else 0

    @cached_property
    def n_known_values(self) -> int:
        """Return the number of distinct values that are not missing."""
        return int(np.count_nonzero(~self.value_is_missing))

    @property
    def known_codes(self) -> IntArray:
        """Return shape (n_records,): the codes, -1 where the cell is missing."""
        number = np.arange(self.n_values, dtype=np.int64)
        number[self.value_is_missing] = -1
        return number[self.codes]


def coded_column(table: pa.Table, name: str) -> CodedColumn:
    """Return a column of a table as codes; empty and blank cells are one missing value.

    Other values are compared as written.
    """
    codes, values = _encoded(table[name])
    codes = codes.astype(np.int32, copy=False)
    blank = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(values), pa.scalar("", values.type)), True)
    missing = np.flatnonzero(blank.to_numpy(zero_copy_only=False))
    if not len(missing) or (len(missing) == 1 and not values[int(missing[0])].is_valid):
        return CodedColumn(name=name, codes=codes, values=values)
    kept = np.ones(len(values), dtype=bool)
    kept[missing] = False
    number = np.cumsum(kept, dtype=np.int32) - 1
    number[missing] = np.count_nonzero(kept)
    filled = values.filter(pa.array(kept))
    values = pa.concat_arrays([filled, pa.nulls(1, values.type)])
    return CodedColumn(name=name, codes=number[codes], values=values)


def coded_columns(table: pa.Table, names: Sequence[str]) -> dict[str, CodedColumn]:
    """Return columns of a table as codes, by name; columns are coded side by side."""
    distinct = list(dict.fromkeys(names))
    with Threads() as threads:
        coded = threads.map(lambda name: coded_column(table, name), distinct)
        return dict(zip(distinct, coded, strict=True))


@dataclass(frozen=True, kw_only=True, eq=False)
class DistinctValues:
    """The non-missing values of a column, each written form once where that saves work.

    Encoding a column whose values hardly repeat costs more than any scan of it; such a column
    keeps its records as they are, and every method answers the same.
    """

    values: pa.Array  # strings to look at, shape (n_values,), without nulls
    codes: Codes  # shape (n_records,): the position in `values` of each record, -1 for a missing one
    is_distinct: bool  # False where `values` may hold a value more than once

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

    @property
    def codes_with_missing(self) -> IntArray:
        """Return shape (n_records,): the codes from 0, missing as a value of its own, by first appearance."""
        codes = self.codes.astype(np.int64)
        missing = codes < 0
        if not missing.any():
            return codes
        place = codes[: np.argmax(missing)].max(initial=-1) + 1
        return np.where(missing, place, codes + (codes >= place))

    def without(self, mask: BoolArray) -> DistinctValues:
        """Return the column with the values marked in `mask`, shape (n_values,), as missing ones."""
        place = np.where(mask, -1, np.cumsum(~mask) - 1)
        return DistinctValues(
            values=self.values.filter(pa.array(~mask)),
            codes=np.append(place, -1)[self.codes].astype(self.codes.dtype),
            is_distinct=self.is_distinct,
        )

    @cached_property
    def trimmed(self) -> DistinctValues:
        """Return the column with the white space around its values taken off."""
        values = pc.utf8_trim_whitespace(self.values)
        if values.equals(self.values):
            return self
        codes = coded(values)
        return replace(codes, codes=np.append(codes.codes, -1)[self.codes])

    def in_records(self, mask: BoolArray) -> BoolArray:
        """Return shape (n_records,): `mask` of each record's value, False for a missing one."""
        return cast("BoolArray", np.append(mask, False)[self.codes])


def distinct_values(column: pa.ChunkedArray | pa.Array) -> DistinctValues:
    """Return the distinct values of a column of strings; every non-missing record is counted."""
    if column.nbytes > _LARGEST_ARRAY:
        column = column.cast(pa.large_string())
    head = column.slice(0, _N_LOOKED_AT)
    if len(column) > _N_LOOKED_AT and pc.count_distinct(head).as_py() > _WORTH_ENCODING * len(head):
        return _as_they_are(column)
    return coded(column)


def coded(column: pa.ChunkedArray | pa.Array) -> DistinctValues:
    """Return the distinct values of a column of strings in the order of first appearance, however many."""
    codes, values = _encoded(column, null_encoding="mask")
    return DistinctValues(values=values, codes=codes, is_distinct=True)


def one_below_the_other(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return two columns of strings as one, of 64-bit offsets where either has them."""
    if first.type != second.type:
        first, second = first.cast(pa.large_string()), second.cast(pa.large_string())
    return pa.chunked_array([*first.chunks, *second.chunks], first.type)


def coded_parts(together: DistinctValues, n_first: int) -> tuple[DistinctValues, DistinctValues]:
    """Return two columns that were coded as one, the first of `n_first` records, as each by itself."""
    first, second = together.codes[:n_first], together.codes[n_first:]
    n_values = int(first.max(initial=-1)) + 1
    return (
        DistinctValues(values=together.values.slice(0, n_values), codes=first, is_distinct=True),
        _by_first_appearance(together.values, second),
    )


def _by_first_appearance(values: pa.Array, codes: IntArray) -> DistinctValues:
    """Return values and codes with the values that occur alone, in the order in which they do."""
    first = np.full(len(values) + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    used = np.flatnonzero(first[:-1] < len(codes))
    used = used[np.argsort(first[used], kind="stable")]
    place = np.full(len(values) + 1, -1, dtype=codes.dtype)
    place[used] = np.arange(len(used))
    return DistinctValues(values=values.take(pa.array(used)), codes=place[codes], is_distinct=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedTable:
    """A table of text whose columns are coded once, when first asked for."""

    table: pa.Table  # columns of strings; null is a missing value
    columns: dict[str, DistinctValues] = field(default_factory=dict)  # those coded so far
    # shape (n_values,): which of a column's distinct values stand for missing ones; None where none does
    blanks: Callable[[pa.Array], BoolArray | None] = lambda _: None

    def __getitem__(self, name: str) -> DistinctValues:
        """Return the distinct values of a column, in the order of first appearance."""
        if name not in self.columns:
            column = coded(self.table[name])
            blank = self.blanks(column.values)
            self.columns[name] = column if blank is None else column.without(blank)
        return self.columns[name]

    def select(self, names: Sequence[str]) -> CodedTable:
        """Return some of the columns."""
        known = {name: self.columns[name] for name in names if name in self.columns}
        return replace(self, table=self.table.select(list(names)), columns=known)


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


def _encoded(column: pa.ChunkedArray | pa.Array, *, null_encoding: str = "encode") -> tuple[Codes, pa.Array]:
    """Return the codes of all cells, -1 for a missing one unless it is encoded, and the values."""
    if column.nbytes > _LARGEST_ARRAY and pa.types.is_string(column.type):
        column = column.cast(pa.large_string())
    encoded = pc.dictionary_encode(column, null_encoding=null_encoding)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    indices = encoded.indices.fill_null(-1) if encoded.indices.null_count else encoded.indices
    return indices.to_numpy(zero_copy_only=False), encoded.dictionary
