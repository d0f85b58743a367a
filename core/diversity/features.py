"""A table of text as numbers a model can use, and the way back to the text that is released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray, combined_codes
from core.errors import AuditInputError

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]

_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
MISSING_CATEGORY = ""


@dataclass(frozen=True, kw_only=True)
class FeatureColumn:
    """A feature: its name, and its categories when it holds some; numbers have none.

    A missing category is a category of its own, written as the empty text, and comes last.
    """

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def width(self) -> int:
        """Return the number of encoded columns: 1 for numbers, one per category otherwise."""
        return 1 if self.categories is None else len(self.categories)


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureSpace:
    """How feature values are held and encoded.

    Values are a matrix of shape (n_records, n_columns): numbers as they are with NaN for missing,
    categories as their position. The encoding, which models and trees see, replaces missing numbers
    by 0 and categories by 0/1 columns.
    """

    columns: tuple[FeatureColumn, ...]  # the features
    has_missing_numbers: bool = True  # whether any number may be missing; False saves looking for them

    @cached_property
    def offsets(self) -> IntArray:
        """Return shape (n_columns + 1,): where each column's encoding begins, and the total width."""
        return np.cumsum([0, *(column.width for column in self.columns)], dtype=np.int64)

    @cached_property
    def _all_numeric(self) -> bool:
        return all(column.categories is None for column in self.columns)

    def position(self, name: str) -> int:
        """Return a column's position."""
        return self._positions[name]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {column.name: position for position, column in enumerate(self.columns)}

    def encode(self, values: FloatArray, columns: Sequence[int] | None = None) -> FloatArray:
        """Return shape (n_records, encoded width): the encoding of all columns, or of those given.

        `values` always holds all columns; the encoding comes in the order of `columns`.
        """
        chosen = range(len(self.columns)) if columns is None else columns
        if self._all_numeric or all(self.columns[position].categories is None for position in chosen):
            return self._without_missing(values if columns is None else values[:, list(chosen)])
        return np.hstack([self._encode_one(values[:, position], position) for position in chosen])

    def encoded_names(self, columns: Sequence[int]) -> list[tuple[int, int | None]]:
        """Return, per encoded column, the feature's position and the category it stands for."""
        return [
            (position, None if self.columns[position].categories is None else category)
            for position in columns
            for category in range(self.columns[position].width)
        ]

    def _without_missing(self, numbers: FloatArray) -> FloatArray:
        return np.nan_to_num(numbers, nan=0.0) if self.has_missing_numbers else numbers

    def _encode_one(self, cells: FloatArray, position: int) -> FloatArray:
        column = self.columns[position]
        if column.categories is None:
            return self._without_missing(cells)[:, None]
        return (cells[:, None] == np.arange(column.width)).astype(np.float64)


def read_features(
    tables: Sequence[pa.Table], names: Sequence[str], *, categorical: Sequence[str]
) -> tuple[FeatureSpace, tuple[FloatArray, ...]]:
    """Turn the feature columns of one or more tables into numbers with common categories."""
    everywhere = set.intersection(*(set(table.column_names) for table in tables))
    problems = [
        f"The feature “{name}” is not a column of every table." for name in names if name not in everywhere
    ]
    if problems:
        raise AuditInputError(*problems)
    of_categories = set(categorical)
    problems = [
        problem
        for name in names
        if (problem := _column_problem(name, [t[name] for t in tables], name in of_categories))
    ]
    if problems:
        raise AuditInputError(*problems)
    read = [_read_column(name, [t[name] for t in tables], name in of_categories) for name in names]
    has_missing = any(np.isnan(cells).any() for _, by_table in read for cells in by_table)
    space = FeatureSpace(columns=tuple(column for column, _ in read), has_missing_numbers=has_missing)
    return space, tuple(
        np.column_stack([cells[position] for _, cells in read]) for position in range(len(tables))
    )


def is_numeric(column: pa.ChunkedArray) -> bool:
    """Return whether every known value of a column of text reads as a finite number; of none, False."""
    return column.null_count < len(column) and n_not_numbers(column) == 0


def n_not_numbers(column: pa.ChunkedArray) -> int:
    """Return how many known values of a column of text do not read as a finite number."""
    looks_right = pc.fill_null(pc.match_substring_regex(column, _NUMBER), False)
    numbers = numbers_of(pc.if_else(looks_right, column, pa.scalar(None, pa.string())))
    return len(column) - column.null_count - int(np.isfinite(numbers).sum())


def numbers_of(column: pa.ChunkedArray) -> FloatArray:
    """Return shape (n_records,): a column of text as numbers, NaN where missing."""
    trimmed = pc.utf8_trim_whitespace(column)
    unsigned = pc.replace_substring_regex(trimmed, r"^\+", "")  # Arrow reads no plus sign
    return cast(
        "FloatArray",
        pc.cast(unsigned, pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64, copy=False),
    )


def row_codes(values: FloatArray, columns: Sequence[int]) -> IntArray:
    """Return shape (n_records,): one code per distinct combination of the columns; NaN is a value."""
    codes = [np.unique(values[:, position], return_inverse=True)[1] for position in columns]
    combined = combined_codes([code.astype(np.int64) for code in codes], n_records=len(values))
    return np.unique(combined, return_inverse=True)[1].astype(np.int64)


def _column_problem(name: str, cells: Sequence[pa.ChunkedArray], categorical: bool) -> str | None:
    if all(each.null_count == len(each) for each in cells):
        return f"The feature “{name}” has no value in any record; leave it out of the features."
    n_text = 0 if categorical else sum(n_not_numbers(each) for each in cells)
    if n_text:
        n_known = sum(len(each) - each.null_count for each in cells)
        return (
            f"The feature “{name}” holds text in {n_text:,} of {n_known:,} values; "
            "say that it is categorical (`--categorical`), or leave it out of the features (`--leave-out`)."
        )
    return None


def _read_column(
    name: str, cells: Sequence[pa.ChunkedArray], categorical: bool
) -> tuple[FeatureColumn, list[FloatArray]]:
    if not categorical:
        return FeatureColumn(name=name), [numbers_of(each) for each in cells]
    texts = [each.cast(pa.string()).combine_chunks() for each in cells]
    known = sorted({value for each in texts for value in pc.unique(each).to_pylist() if value is not None})
    missing = [MISSING_CATEGORY] if any(each.null_count for each in texts) else []
    value_set = pa.array(known, pa.string())
    codes = [
        pc.fill_null(pc.index_in(each, value_set=value_set), len(known)).to_numpy(zero_copy_only=False)
        for each in texts
    ]
    column = FeatureColumn(name=name, categories=(*known, *missing))
    return column, [each.astype(np.float64) for each in codes]
