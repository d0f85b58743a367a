"""Columns as codes: the one place where written values become numbers that are joined and counted.

Codes run from 0 to n_values - 1, and a missing value is -1. An array by value that says something of a
missing one too has it as one more entry, the last: the code -1 finds it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.processes.jobs import Threads

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]  # integers of any size

_LARGEST_CODE = np.iinfo(np.int64).max
_LARGEST_ARRAY = 2**31 - 1  # bytes that one array of Arrow's plain strings can hold
_N_LOOKED_AT = 4096  # records that decide whether encoding pays
_WORTH_ENCODING = 0.5  # share of distinct values among them from which it does not
_COUNTED_DIRECTLY = 4  # codes per record up to which counting needs no renumbering
_FEW_CODES = 4096  # up to which encoding is faster than renumbering
_SUPPRESSED = r"^\s*\*+\s*$"
# Letters of a cell that are handed to what looks for people in it, and to what says of what kind a column is
LONGEST_READ, LONGEST_SHAPE = 100_000, 2_000


def value_codes(column: pa.ChunkedArray | pa.Array | Codes) -> IntArray:
    """Return shape (n_records,): a code per distinct value, in order of first appearance."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind == "i" and len(column):
            least = int(column.min())
            if _FEW_CODES < int(column.max()) - least < _COUNTED_DIRECTLY * len(column):
                return _renumbered(column.astype(np.int64, copy=False) - least)
        column = pa.array(column)
    return _encoded(column)[0].astype(np.int64, copy=False)


def _renumbered(codes: IntArray) -> IntArray:
    """Return codes from 0, not many more than records, by first appearance: as encoding, in a third of it."""
    n = len(codes)
    first = np.full(int(codes.max()) + 1, n)
    first[codes[::-1]] = np.arange(n)[::-1]
    is_first = np.zeros(n + 1, dtype=bool)
    is_first[first] = True
    place = np.cumsum(is_first) - 1
    found: IntArray = place[first[codes]]
    return found


def combined_codes(columns: Iterable[Codes], *, n_records: int) -> IntArray:
    """Return shape (n_records,): one code per distinct combination of codes, -1 a value too, not consecutive.

    Codes are combined as digits of one number; before the number could exceed 64 bits, what has
    been combined so far is renumbered, so any number of columns works.
    """
    combined, size = np.zeros(n_records, dtype=np.int64), 1
    for column in columns:
        lowest = int(column.min(initial=0))
        n_values = max(int(column.max(initial=-1)) + 1 - lowest, 1)
        if size > _LARGEST_CODE // n_values:
            combined = value_codes(combined)
            size = int(combined.max(initial=-1)) + 1
        combined *= n_values
        combined += column
        if lowest:
            combined -= lowest
        size *= n_values
    return combined


def combination_codes(columns: Iterable[Codes], *, n_records: int) -> IntArray:
    """Return shape (n_records,): a code per distinct combination, consecutive, by first appearance."""
    return value_codes(combined_codes(columns, n_records=n_records))


def some_rows(generator: np.random.Generator, n: int, most: int) -> IntArray:
    """Return all of `n` row numbers, or as many as `most` of them drawn at random, in ascending order."""
    return np.arange(n) if n <= most else np.sort(generator.choice(n, most, replace=False))


def sorted_distinct(codes: IntArray) -> IntArray:
    """Return the distinct codes, ascending; by sorting, which for a million beats numpy's hashing."""
    in_order = np.sort(codes)
    return in_order[np.append(True, in_order[1:] != in_order[:-1])[: len(in_order)]]


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedColumn:
    """A column as numbers, each written form once where that saves work.

    Encoding a column whose values hardly repeat costs more than any scan of it; such a column, see
    `distinct_values`, keeps its records as they are, and every method answers the same.
    """

    values: pa.Array  # the written forms, shape (n_values,), without nulls
    # shape (n_records,): the position in `values` of each record, -1 for a missing one; of 4 bytes where ten
    # million have to fit
    codes: Codes
    name: str = ""
    is_distinct: bool = True  # False where `values` may hold a value more than once
    # what was worked out of the values and may be asked for again, by whoever knows its key
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_records(self) -> int:
        """Return the number of records, missing ones included."""
        return len(self.codes)

    @cached_property
    def n_filled(self) -> int:
        """Return the number of records that are not missing."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def n_missing(self) -> int:
        """Return the number of missing cells."""
        return self.n_records - self.n_filled

    @cached_property
    def counts(self) -> IntArray:
        """Return shape (n_values,): the records that hold each value."""
        return _counts(self.codes, len(self.values))

    @cached_property
    def n_distinct(self) -> int:
        """Return the number of distinct non-missing values."""
        return len(self.values) if self.is_distinct else len(pc.unique(self.values))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the written forms by code."""
        return tuple(self.values.to_pylist())

    @cached_property
    def value_is_suppressed(self) -> BoolArray:
        """Return shape (n_values + 1,): whether a value is nothing but stars; the last, a missing one, is."""
        stars = pc.match_substring_regex(self.values, _SUPPRESSED).to_numpy(zero_copy_only=False)
        return np.append(stars, True)

    @property
    def codes_with_missing(self) -> IntArray:
        """Return shape (n_records,): the codes from 0, missing as one more value, the last."""
        codes = self.codes.astype(np.int64)
        codes[codes < 0] = len(self.values)
        return codes

    def n_cells(self, mask: BoolArray) -> int:
        """Return the number of records whose value is marked in `mask`, shape (n_values,)."""
        return int(self.counts[mask].sum())

    def without(self, mask: BoolArray) -> "CodedColumn":
        """Return the column with the values marked in `mask`, shape (n_values,), as missing ones."""
        place = np.where(mask, -1, np.cumsum(~mask) - 1)
        return replace(
            self,
            values=self.values.filter(pa.array(~mask)),
            codes=np.append(place, -1)[self.codes].astype(self.codes.dtype),
        )

    @cached_property
    def beginnings(self) -> "tuple[CodedColumn, BoolArray]":
        """Return the column with as much of each value as is read of it, and which values go on."""
        values, goes_on = beginnings(self.values, LONGEST_READ)
        return (replace(self, values=values, is_distinct=False) if goes_on.any() else self), goes_on

    @cached_property
    def trimmed(self) -> "CodedColumn":
        """Return the column with the white space around its values taken off."""
        values = pc.utf8_trim_whitespace(self.values)
        if values.equals(self.values):
            return self
        codes = coded(values)
        return replace(codes, codes=np.append(codes.codes, -1)[self.codes], name=self.name)

    def in_records(self, mask: BoolArray) -> BoolArray:
        """Return shape (n_records,): `mask` of each record's value, False for a missing one."""
        return cast("BoolArray", np.append(mask, False)[self.codes])


def beginnings(values: pa.Array, longest: int) -> tuple[pa.Array, BoolArray]:
    """Return texts with at most so many letters of each, and which go on, shape (n_values,)."""
    goes_on = pc.greater(pc.binary_length(values), longest).to_numpy(zero_copy_only=False)
    if not goes_on.any():
        return values, goes_on
    goes_on = pc.greater(pc.utf8_length(values), longest).to_numpy(zero_copy_only=False)
    return pc.utf8_slice_codeunits(values, 0, longest), goes_on


def coded_column(table: pa.Table, name: str) -> CodedColumn:
    """Return a column of a table as codes; empty and blank cells are missing, others compared as written."""
    column = replace(coded(table[name]), name=name)
    blank = pc.equal(pc.utf8_trim_whitespace(column.values), pa.scalar("", column.values.type))
    mask = blank.to_numpy(zero_copy_only=False)
    return column.without(mask) if mask.any() else column


def coded_columns(table: pa.Table, names: Sequence[str]) -> dict[str, CodedColumn]:
    """Return columns of a table as codes, by name; columns are coded side by side."""
    distinct = list(dict.fromkeys(names))
    with Threads() as threads:
        coded = threads.map(lambda name: coded_column(table, name), distinct)
        return dict(zip(distinct, coded, strict=True))


def distinct_values(column: pa.ChunkedArray | pa.Array) -> CodedColumn:
    """Return the distinct values of a column of strings; every non-missing record is counted."""
    if column.nbytes > _LARGEST_ARRAY:
        column = column.cast(pa.large_string())
    head = column.slice(0, _N_LOOKED_AT)
    if len(column) > _N_LOOKED_AT and pc.count_distinct(head).as_py() > _WORTH_ENCODING * len(head):
        return _as_they_are(column)
    return coded(column)


def coded(column: pa.ChunkedArray | pa.Array) -> CodedColumn:
    """Return the distinct values of a column of strings in the order of first appearance, however many."""
    codes, values = _encoded(column, null_encoding="mask")
    return CodedColumn(values=values, codes=codes)


def one_below_the_other(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return two columns of strings as one, of 64-bit offsets where either has them."""
    if first.type != second.type:
        first, second = first.cast(pa.large_string()), second.cast(pa.large_string())
    return pa.chunked_array([*first.chunks, *second.chunks], first.type)


def coded_parts(together: CodedColumn, n_first: int) -> tuple[CodedColumn, CodedColumn]:
    """Return two columns that were coded as one, the first of `n_first` records, as each by itself."""
    first, second = together.codes[:n_first], together.codes[n_first:]
    n_values = int(first.max(initial=-1)) + 1
    return (
        CodedColumn(values=together.values.slice(0, n_values), codes=first),
        _by_first_appearance(together.values, second),
    )


def _by_first_appearance(values: pa.Array, codes: IntArray) -> CodedColumn:
    """Return values and codes with the values that occur alone, in the order in which they do."""
    first = np.full(len(values) + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    used = np.flatnonzero(first[:-1] < len(codes))
    used = used[np.argsort(first[used], kind="stable")]
    place = np.full(len(values) + 1, -1, dtype=codes.dtype)
    place[used] = np.arange(len(used))
    return CodedColumn(values=values.take(pa.array(used)), codes=place[codes])


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedTable:
    """A table of text whose columns are coded when asked for, and kept so unless each is needed once only."""

    table: pa.Table  # columns of strings; null is a missing value
    keeps: bool = True
    columns: dict[str, CodedColumn] = field(default_factory=dict)  # those coded so far
    # shape (n_values,): which of a column's distinct values stand for missing ones; None where none does
    blanks: Callable[[pa.Array], BoolArray | None] = lambda _: None

    def __getitem__(self, name: str) -> CodedColumn:
        """Return the distinct values of a column, in the order of first appearance."""
        if name in self.columns:
            return self.columns[name]
        column = replace(coded(self.table[name]), name=name)
        blank = self.blanks(column.values)
        if blank is not None:
            column = column.without(blank)
        if self.keeps:
            self.columns[name] = column
        return column

    def select(self, names: Sequence[str]) -> "CodedTable":
        """Return some of the columns."""
        known = {name: self.columns[name] for name in names if name in self.columns}
        return replace(self, table=self.table.select(list(names)), columns=known)


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedCodes:
    """A column of two tables, or several as one, in which equal values have one code."""

    # shapes (n_original,) and (n_anonymized,): -1 where missing; one array twice where the columns are alike
    original: Codes
    anonymized: Codes

    @cached_property
    def n_values(self) -> int:
        """Return the number of codes."""
        return 1 + max(int(side.max()) if len(side) else -1 for side in (self.original, self.anonymized))

    @cached_property
    def original_counts(self) -> IntArray:
        """Return shape (n_values,): original cells per value."""
        return _counts(self.original, self.n_values)

    @cached_property
    def anonymized_counts(self) -> IntArray:
        """Return shape (n_values,): anonymized cells per value."""
        if self.anonymized is self.original:
            return self.original_counts
        return _counts(self.anonymized, self.n_values)

    def counts_with_missing(self) -> tuple[IntArray, IntArray]:
        """Return shape (n_values + 1,) each: the cells per value, and last the missing ones; not kept."""
        ours, theirs = (_counts(side, self.n_values) for side in (self.original, self.anonymized))
        return (
            np.append(ours, len(self.original) - ours.sum()),
            np.append(theirs, len(self.anonymized) - theirs.sum()),
        )

    @cached_property
    def n_same_row(self) -> int:
        """Return the cells that are equal in the same row; needs tables of equal length."""
        if self.anonymized is self.original:
            return int(self.original_counts.sum())
        return int(np.count_nonzero(self.equal_in_row))

    @property
    def equal_in_row(self) -> BoolArray:
        """Return shape (n_records,): where both cells of a row are there and equal."""
        return cast("BoolArray", (self.original == self.anonymized) & (self.original >= 0))

    @cached_property
    def n_same_values(self) -> int:
        """Return the cells whose value reappears in the anonymized column, each only once."""
        return int(np.minimum(self.original_counts, self.anonymized_counts).sum())

    @cached_property
    def n_same_row_by_chance(self) -> float:
        """Return how many cells would be equal in the same row if the rows were in random order."""
        products = self.original_counts.astype(float) @ self.anonymized_counts
        return float(products) / max(len(self.original), 1)

    @cached_property
    def n_found_alone(self) -> int:
        """Return the anonymized cells whose value exactly one original cell has."""
        return int(self.anonymized_counts[self.original_counts == 1].sum())


def joint_codes(columns: Sequence[SharedCodes]) -> SharedCodes:
    """Return the combinations of values of one or more columns as one column; missing is a value.

    Its codes are at most four times as many as its records, and one array twice where every column is.
    """
    same = all(column.original is column.anonymized for column in columns)
    n_first = len(columns[0].original)
    sides = [
        column.original if same else np.concatenate([column.original, column.anonymized])
        for column in columns
    ]
    codes = combined_codes(sides, n_records=len(sides[0]))
    if int(codes.max(initial=0)) > _COUNTED_DIRECTLY * len(codes):
        codes = value_codes(codes)
    if same:
        return SharedCodes(original=codes, anonymized=codes)
    return SharedCodes(original=codes[:n_first], anonymized=codes[n_first:])


def _counts(codes: Codes, n_values: int) -> IntArray:
    return np.bincount(codes.astype(np.int64, copy=False) + 1, minlength=n_values + 1)[1:]


def _as_they_are(column: pa.ChunkedArray | pa.Array) -> CodedColumn:
    filled = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
    values = column.drop_null() if column.null_count else column
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    codes = np.arange(len(values), dtype=np.int64)
    if filled is not None:
        every, codes = codes, np.full(len(column), -1, dtype=np.int64)
        codes[filled] = every
    return CodedColumn(values=values, codes=codes, is_distinct=False)


def _encoded(column: pa.ChunkedArray | pa.Array, *, null_encoding: str = "encode") -> tuple[Codes, pa.Array]:
    """Return the codes of all cells, -1 for a missing one unless it is encoded, and the values."""
    if column.nbytes > _LARGEST_ARRAY and pa.types.is_string(column.type):
        column = column.cast(pa.large_string())
    encoded = pc.dictionary_encode(column, null_encoding=null_encoding)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    indices = encoded.indices.fill_null(-1) if encoded.indices.null_count else encoded.indices
    return indices.to_numpy(zero_copy_only=False), encoded.dictionary
