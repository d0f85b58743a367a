"""How like two records are, in bits: how unlikely so close a cell would be by chance, summed over columns.

A cell pair of words scores −log₂ of the share of original records that have the value, when it is equal, and
0 when it is not. A pair of numbers scores −log₂(2 d), d being how far apart they stand in the original's
order (0 to 1), but no more than that for equal words. Sums are kept in sixteenths of a bit.

References
----------
Fellegi and Sunter, A theory for record linkage, JASA 64(328), 1969: rare agreements count for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.cells import CodeArray, as_numbers, canonical_codes
from core.leakage.pairing import N_THREADS, IntArray

PER_BIT = 16
_LEVELS = 4096
_MOST_BITS = 12
_FEWEST_VALUES = 12  # a column of fewer numbers is one of words
MOST_COLUMNS = 256
_OUTSIDE = 0.2
_ROWS_AT_ONCE = 32
_OTHER_ROWS_AT_ONCE = 8192  # a block of sums then stays in the processor's cache

SmallArray = npt.NDArray[np.unsignedinteger]


def _bits_by_distance() -> npt.NDArray[np.uint8]:
    """Return shape (levels,): the sixteenths of a bit that numbers so many levels apart score."""
    apart = np.arange(_LEVELS) / _LEVELS
    chance = np.clip(2 * apart, 2.0**-_MOST_BITS, 1)
    return np.round(-np.log2(chance) * PER_BIT).astype(np.uint8)


_BITS = _bits_by_distance()


@dataclass(frozen=True, kw_only=True, eq=False)
class LikenessColumn:
    """One column of a table: places in the original's order or codes of words, and what equality scores."""

    is_number: bool
    cells: SmallArray = field(repr=False)
    most: npt.NDArray[np.uint8] = field(repr=False)

    def take(self, rows: IntArray) -> LikenessColumn:
        """Return some of the records."""
        return LikenessColumn(is_number=self.is_number, cells=self.cells[rows], most=self.most[rows])


Records = tuple[LikenessColumn, ...]


def take_records(records: Records, rows: IntArray) -> Records:
    """Return some of the records of a table."""
    return tuple(column.take(rows) for column in records)


def n_records(records: Records) -> int:
    """Return the number of records."""
    return len(records[0].cells)


def likeness_tables(tables: Sequence[pa.Table], columns: Sequence[str], *, seed: int) -> list[Records]:
    """Make tables comparable; the first is the original, by which numbers are placed and values are rare."""
    chosen = list(columns)
    if len(chosen) > MOST_COLUMNS:
        places = np.random.default_rng(seed).choice(len(chosen), MOST_COLUMNS, replace=False)
        chosen = [columns[place] for place in np.sort(places)]
    encoded = [_encode([table[name] for table in tables]) for name in chosen]
    return [tuple(column[number] for column in encoded) for number in range(len(tables))]


def _encode(parts: Sequence[pa.ChunkedArray]) -> list[LikenessColumn]:
    """Return one column of every table."""
    codes = _codes(parts)
    n_codes = max(int(part.max(initial=-1)) for part in codes) + 1
    counts = np.bincount(codes[0] + 1, minlength=n_codes + 1)
    share = np.maximum(counts, 1) / len(codes[0])
    most = np.round(np.clip(-np.log2(share), 0, _MOST_BITS) * PER_BIT).astype(np.uint8)
    most[0] = 0  # two missing cells say nothing
    numbers = [as_numbers(part) for part in parts] if n_codes > _FEWEST_VALUES else [None]
    known = [part for part in numbers if part is not None]
    caps = [most[part + 1] for part in codes]
    if len(known) == len(parts):
        cells = _places(known)
        caps = [
            np.where(_far_outside(known[0], part), 0, cap).astype(np.uint8)
            for part, cap in zip(known, caps, strict=True)
        ]
        return [
            LikenessColumn(is_number=True, cells=part, most=cap)
            for part, cap in zip(cells, caps, strict=True)
        ]
    kind = np.min_scalar_type(n_codes + 1)
    return [
        LikenessColumn(is_number=False, cells=(part + 1).astype(kind), most=cap)
        for part, cap in zip(codes, caps, strict=True)
    ]


def _codes(parts: Sequence[pa.ChunkedArray]) -> list[CodeArray]:
    """Return the codes of the cells of every table, -1 where missing; equal cells share a code."""
    chunks = [chunk for part in parts for chunk in part.chunks]
    together = canonical_codes(pa.chunked_array(chunks, type=parts[0].type), dates=True)
    together = together.astype(np.int64)
    return np.split(together, np.cumsum([len(part) for part in parts])[:-1])


def _places(numbers: Sequence[npt.NDArray[np.float64]]) -> list[SmallArray]:
    """Return where numbers stand in the first table's order, 0 to 4095; missing ones at the end."""
    ordered = np.sort(numbers[0][~np.isnan(numbers[0])])
    placed = []
    for part in numbers:
        low, high = np.searchsorted(ordered, part, "left"), np.searchsorted(ordered, part, "right")
        place = (low + high) / 2 / max(len(ordered), 1) * (_LEVELS - 1)
        placed.append(np.where(np.isnan(part), _LEVELS - 1, place).astype(np.int16).view(np.uint16))
    return placed


def _far_outside(
    original: npt.NDArray[np.float64], numbers: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return which numbers lie so far outside the original's that they are like nobody's."""
    low, lower, upper, high = np.nanquantile(original, [0, 0.25, 0.75, 1])
    margin = _OUTSIDE * (upper / 2 - lower / 2)  # halves, so that 1e308 − −1e308 is finite
    with np.errstate(over="ignore"):
        outside: npt.NDArray[np.bool_] = (numbers + margin < low) | (numbers - margin > high)
    return outside


@dataclass(frozen=True, kw_only=True, eq=False)
class Closest:
    """The closest reference of each record."""

    # shape (n_rows,), bits of likeness with the closest and the second closest reference
    best: npt.NDArray[np.float32] = field(repr=False)
    second: npt.NDArray[np.float32] = field(repr=False)
    # shape (n_rows,), row number of the closest reference, the first of equals
    nearest: IntArray = field(repr=False)

    @property
    def gap(self) -> npt.NDArray[np.float32]:
        """Return shape (n_rows,): by how many bits a record points at one reference alone."""
        gap: npt.NDArray[np.float32] = self.best - self.second
        return gap


def find_closest(records: Records, references: Records, *, own: IntArray | None = None) -> Closest:
    """Return for each record its two most like references; its own row number does not count."""
    n = n_records(records)
    blocks = [np.arange(start, min(start + _ROWS_AT_ONCE, n)) for start in range(0, n, _ROWS_AT_ONCE)]

    def one(rows: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        return _closest_of_block(take_records(records, rows), references, None if own is None else own[rows])

    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(pool.map(one, blocks))
    best, second, nearest = (np.concatenate(part) for part in zip(*found, strict=True))
    return Closest(
        best=(best / np.float32(PER_BIT)).astype(np.float32),
        second=(second / np.float32(PER_BIT)).astype(np.float32),
        nearest=nearest,
    )


def _closest_of_block(
    records: Records, references: Records, own: IntArray | None
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the best and second best sum of a few records, and whose the best is."""
    n, n_other = n_records(records), n_records(references)
    best, second = np.zeros(n, np.int64), np.zeros(n, np.int64)
    nearest = np.zeros(n, np.int64)
    every = np.arange(n)
    for start in range(0, n_other, _OTHER_ROWS_AT_ONCE):
        stop = min(start + _OTHER_ROWS_AT_ONCE, n_other)
        sums = _sums(records, references, slice(start, stop))
        if own is not None:
            here = np.flatnonzero((own >= start) & (own < stop))
            sums[here, own[here] - start] = 0
        place = sums.argmax(axis=1)
        top = sums[every, place].astype(np.int64)
        sums[every, place] = 0
        next_top = sums.max(axis=1).astype(np.int64)
        better = top > best
        second = np.maximum(np.where(better, best, top), np.maximum(second, next_top))
        nearest = np.where(better, place + start, nearest)
        best = np.maximum(best, top)
    return best, second, nearest


def _sums(records: Records, references: Records, other: slice) -> npt.NDArray[np.uint16]:
    """Return shape (n_rows, n_other_rows): likeness in sixteenths of a bit."""
    shape = (n_records(records), other.stop - other.start)
    sums = np.zeros(shape, np.uint16)
    bits = np.empty(shape, np.uint8)
    for column, reference in zip(records, references, strict=True):
        cells, others = column.cells[:, None], reference.cells[None, other]
        if column.is_number:
            apart = np.maximum(cells, others) - np.minimum(cells, others)
            np.take(_BITS, apart, out=bits, mode="clip")
            np.minimum(bits, column.most[:, None], out=bits)
        else:
            np.multiply(np.equal(cells, others), column.most[:, None], out=bits)
        np.add(sums, bits, out=sums)
    return sums
