"""Gower's distance between records of numbers and words, for many pairs of records at once.

It is the mean over columns of |x − y| / range for numbers and 0 or 1 for words, over the columns where
neither cell is missing or ignored; 1 where there is none. A column is of numbers when every cell of it,
in all tables, is a finite number.

References
----------
Gower, A general coefficient of similarity and some of its properties, Biometrics 27(4), 1971.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.cells import BoolArray, CodeArray, as_numbers, canonical_codes
from core.leakage.packing import pack_masks
from core.leakage.pairing import N_THREADS, IntArray
from core.leakage.rows import is_ignored
from core.leakage.settings import LeakageSettings
from core.tables import Dataset

FloatArray = npt.NDArray[np.float32]
CellArray = npt.NDArray[np.float32 | np.unsignedinteger]

_ROWS_AT_ONCE = 32
_OTHER_ROWS_AT_ONCE = 4096  # a block of distances then stays in the processor's cache


@dataclass(frozen=True, kw_only=True, eq=False)
class GowerTable:
    """Records ready for Gower's distance."""

    is_number: tuple[bool, ...]  # by column, whether it holds numbers
    # by column, shape (n_rows,): numbers scaled to [0, 1], or codes of words; 0 where missing
    cells: tuple[CellArray, ...] = field(repr=False)
    # shape (n_columns, n_rows), False where a cell is missing or ignored
    there: BoolArray = field(repr=False)

    @cached_property
    def missing_bits(self) -> npt.NDArray[np.uint64]:
        """Return shape (n_words, n_rows): a bit a column, set where the cell is not there."""
        return pack_masks(list(~self.there), self.n_rows)

    @property
    def n_rows(self) -> int:
        """Return the number of records."""
        return int(self.there.shape[1])

    def take(self, rows: IntArray | slice) -> GowerTable:
        """Return some of the records."""
        return GowerTable(
            is_number=self.is_number,
            cells=tuple(column[rows] for column in self.cells),
            there=self.there[:, rows],
        )


def gower_tables(
    tables: Sequence[Dataset],
    columns: Sequence[str],
    settings: LeakageSettings,
    *,
    rows: Sequence[IntArray | slice],
    codes: Mapping[str, Sequence[CodeArray]] | None = None,
) -> list[GowerTable]:
    """Make tables comparable: numbers on one scale, words with one code in all of them.

    A column is of numbers when every cell in every table is a finite number; its scale runs from
    the smallest to the largest of all.
    """
    encoded = [
        _encode(tables, name, settings, rows, None if codes is None else codes[name]) for name in columns
    ]
    pa.default_memory_pool().release_unused()
    return [
        GowerTable(
            is_number=tuple(is_number for is_number, _, _ in encoded),
            cells=tuple(cells[table] for _, cells, _ in encoded),
            there=np.stack([there[table] for _, _, there in encoded]),
        )
        for table in range(len(tables))
    ]


def _encode(
    tables: Sequence[Dataset],
    name: str,
    settings: LeakageSettings,
    rows: Sequence[IntArray | slice],
    codes: Sequence[CodeArray] | None,
) -> tuple[bool, list[CellArray], list[BoolArray]]:
    """Return a column of all tables: whether it holds numbers, its cells, and which are there."""
    columns = [_without_ignored(table.table[name], settings) for table in tables]
    there = [np.asarray(column.is_valid())[kept] for column, kept in zip(columns, rows, strict=True)]
    numbers = [as_numbers(column) for column in columns]
    known = [part for part in numbers if part is not None]
    parts = _scaled(known) if len(known) == len(columns) else _small(codes or _codes(columns))
    cells = [part[kept] for part, kept in zip(parts, rows, strict=True)]
    return len(known) == len(columns), cells, there


def _without_ignored(cells: pa.ChunkedArray, settings: LeakageSettings) -> pa.ChunkedArray:
    """Return the cells with ignored ones missing."""
    ignored = is_ignored(cells, settings)
    return cells if ignored is None else pc.if_else(pa.array(ignored), None, cells)


def _scaled(parts: Sequence[npt.NDArray[np.float64]]) -> list[CellArray]:
    """Return numbers of all tables scaled together to [0, 1]; 0 in a constant column and where missing."""
    there = [part[~np.isnan(part)] for part in parts]
    size = max(float(np.abs(part).max(initial=0)) for part in there) or 1.0
    # the size is divided out first, so that 1e308 − −1e308 is finite
    low = min(float(part.min(initial=np.inf)) for part in there) / size
    high = max(float(part.max(initial=-np.inf)) for part in there) / size
    width = high - low if high > low else 1.0
    return [
        np.nan_to_num((part / size - low) / width, posinf=0, neginf=0).astype(np.float32) for part in parts
    ]


def _codes(columns: Sequence[pa.ChunkedArray]) -> Sequence[CodeArray]:
    """Return codes that all tables share."""
    chunks = [chunk.cast(pa.large_string()) for column in columns for chunk in column.chunks]
    codes = canonical_codes(pa.chunked_array(chunks, pa.large_string()), dates=True)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _small(codes: Sequence[CodeArray]) -> list[CellArray]:
    """Return codes in the smallest unsigned integers that hold them; 0 where missing."""
    kind = np.min_scalar_type(1 + max(int(part.max(initial=0)) for part in codes))
    return [(part.astype(np.int32) + 1).astype(kind) for part in codes]


def two_smallest_distances(
    records: GowerTable, references: GowerTable, *, own_rows: IntArray | None = None
) -> FloatArray:
    """Return shape (n_records, 2): the distances to the closest and the second closest reference.

    Gower's distance is the mean over columns of |x − y| for scaled numbers and of 0 or 1 for words,
    over the columns where both cells are there; 1 where there is none. Infinite where there is no
    such reference. Memory is bounded by blocks.
    """

    def one(start: int) -> FloatArray:
        block = slice(start, start + _ROWS_AT_ONCE)
        skipped = None if own_rows is None else own_rows[block]
        return _two_smallest_of_block(records.take(block), references, skipped)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return np.concatenate(list(pool.map(one, range(0, records.n_rows, _ROWS_AT_ONCE))))


def _two_smallest_of_block(
    records: GowerTable, references: GowerTable, skipped: IntArray | None
) -> FloatArray:
    """Return the two smallest distances of a few records to all references."""
    everyone = np.arange(records.n_rows)
    best = np.full((records.n_rows, 2), np.inf, dtype=np.float32)
    for start in range(0, references.n_rows, _OTHER_ROWS_AT_ONCE):
        distance = _distances(records, references.take(slice(start, start + _OTHER_ROWS_AT_ONCE)))
        if skipped is not None:
            here = np.flatnonzero((skipped >= start) & (skipped < start + distance.shape[1]))
            distance[here, skipped[here] - start] = np.inf
        closest = distance.argmin(axis=1)
        smallest = distance[everyone, closest]
        distance[everyone, closest] = np.inf
        candidates = np.stack([best[:, 0], best[:, 1], smallest, distance.min(axis=1)], axis=1)
        best = np.sort(candidates, axis=1)[:, :2]
    return best


def _distances(records: GowerTable, references: GowerTable) -> FloatArray:
    """Return shape (n_records, n_references): the distance of every combination."""
    shape = (records.n_rows, references.n_rows)
    total, apart = np.zeros(shape, np.float32), np.empty(shape, np.float32)
    n_different, differs = np.zeros(shape, np.uint16), np.empty(shape, bool)
    weights, other_weights = records.there.astype(np.float32), references.there.astype(np.float32)
    for column, is_number in enumerate(records.is_number):
        one, two = records.cells[column][:, None], references.cells[column][None, :]
        if is_number:
            np.abs(np.subtract(one, two, out=apart), out=apart)
            np.multiply(apart, other_weights[column][None, :], out=apart)
            np.multiply(apart, weights[column][:, None], out=apart)
            np.add(total, apart, out=total)
        else:
            np.not_equal(one, two, out=differs)
            np.logical_and(differs, references.there[column][None, :], out=differs)
            np.logical_and(differs, records.there[column][:, None], out=differs)
            np.add(n_different, differs, out=n_different)
    n_columns = _n_columns_in_both(records, references)
    total += n_different
    np.divide(total, np.maximum(n_columns, 1), out=total)
    total[n_columns == 0] = 1
    return total


def _n_columns_in_both(records: GowerTable, references: GowerTable) -> npt.NDArray[np.float32]:
    """Return shape (n_records, n_references): columns in which neither cell is missing.

    Counted in bits: for so few rows a matrix product takes longer, above all where several threads
    compete for it.
    """
    n_missing: npt.NDArray[np.float32] = np.zeros((records.n_rows, references.n_rows), np.float32)
    for bits, other_bits in zip(records.missing_bits, references.missing_bits, strict=True):
        n_missing += np.bitwise_count(bits[:, None] | other_bits[None, :])
    return len(records.is_number) - n_missing
