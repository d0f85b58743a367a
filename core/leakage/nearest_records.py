"""The nearest records of another table, by likeness in bits or by ranks: every row against every other.

*Bits* are how unlikely it is that two cells are as close by chance (Fellegi and Sunter, A theory for record
linkage, 1969), added over columns: to share a rare word says more than to share a sex. *Ranks* say how far
cells are apart, each column as much as any other: numbers by how many of the original lie between them, words
by being equal or not (Podani, Extending Gower's general coefficient of similarity to ordinal characters,
1999). A missing cell is a word of its own, and beyond all numbers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.cells import as_numbers, codes_of_tables
from core.coding import BoolArray, FloatArray, IntArray, some_rows
from core.jobs import Threads
from core.leakage.pairing import N_THREADS
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import without_ignored
from core.tables import Dataset

PER_BIT = 16
LEVELS = 4096
MOST_BITS = 12
_FEWEST_VALUES = 12  # a column of fewer numbers is one of words
MOST_COLUMNS = 256
_OUTSIDE = 0.2
_ALL_LEVELS = 65_535  # of all columns together
_MOST_WORDS = 65_521  # that have a code of their own
_ROWS_AT_ONCE, _OTHER_ROWS_AT_ONCE = 64, 4096  # a block then stays in the processor's cache

SmallArray = npt.NDArray[np.unsignedinteger]
Scores = npt.NDArray[np.uint16]


def _bits_by_distance() -> npt.NDArray[np.uint8]:
    """Return shape (levels,): the sixteenths of a bit that numbers so many levels apart score."""
    apart = np.arange(LEVELS) / LEVELS
    chance = np.clip(2 * apart, 2.0**-MOST_BITS, 1)
    return np.round(-np.log2(chance) * PER_BIT).astype(np.uint8)


_BITS = _bits_by_distance()


@dataclass(frozen=True, kw_only=True, eq=False)
class LikenessColumn:
    """One column of a table: places in the original's order or codes of words, and what equality scores."""

    is_number: bool
    cells: SmallArray = field(repr=False)
    most: npt.NDArray[np.uint8] = field(repr=False)

    def take(self, rows: IntArray) -> "LikenessColumn":
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
    chosen = [columns[place] for place in some_rows(np.random.default_rng(seed), len(columns), MOST_COLUMNS)]
    encoded = [_encode([table[name] for table in tables]) for name in chosen]
    return [tuple(column[number] for column in encoded) for number in range(len(tables))]


def _encode(parts: Sequence[pa.ChunkedArray]) -> list[LikenessColumn]:
    """Return one column of every table."""
    codes = codes_of_tables(parts)
    n_codes = max(int(part.max(initial=-1)) for part in codes) + 1
    counts = np.bincount(codes[0] + 1, minlength=n_codes + 1)
    share = np.maximum(counts, 1) / len(codes[0])
    most = np.round(np.clip(-np.log2(share), 0, MOST_BITS) * PER_BIT).astype(np.uint8)
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


def _places(numbers: Sequence[FloatArray]) -> list[SmallArray]:
    """Return where numbers stand in the first table's order, 0 to 4095; missing ones at the end."""
    ordered = np.sort(numbers[0][~np.isnan(numbers[0])])
    placed = []
    for part in numbers:
        low, high = np.searchsorted(ordered, part, "left"), np.searchsorted(ordered, part, "right")
        place = (low + high) / 2 / max(len(ordered), 1) * (LEVELS - 1)
        placed.append(np.where(np.isnan(part), LEVELS - 1, place).astype(np.int16).view(np.uint16))
    return placed


def _far_outside(original: FloatArray, numbers: FloatArray) -> BoolArray:
    """Return which numbers lie so far outside the original's that they are like nobody's."""
    low, lower, upper, high = np.nanquantile(original, [0, 0.25, 0.75, 1])
    margin = _OUTSIDE * (upper / 2 - lower / 2)  # halves, so that 1e308 − −1e308 is finite
    with np.errstate(over="ignore"):
        outside: BoolArray = (numbers + margin < low) | (numbers - margin > high)
    return outside


def comparable_rows(
    table: Dataset, columns: Sequence[str], settings: LeakageSettings, rows: IntArray
) -> pa.Table:
    """Return some rows of a table, ignored cells missing."""
    taken = table.table.select(list(columns)).take(rows)
    return pa.table([without_ignored(cells, settings) for cells in taken.columns], names=list(columns))


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

    def score(rows: slice, other: slice) -> Scores:
        return _sums(records, references, rows, other)

    best, second, nearest = _two_best(score, n_records(records), n_records(references), own)
    bits = [(each / np.float32(PER_BIT)).astype(np.float32) for each in (best, second)]
    return Closest(best=bits[0], second=bits[1], nearest=nearest)


def _two_best(
    score: Callable[[slice, slice], Scores], n: int, n_other: int, own: IntArray | None
) -> tuple[Scores, Scores, IntArray]:
    """Return for each record its best and second best score, and whose the best is, the first of equals."""

    def of_block(start: int) -> tuple[Scores, Scores, IntArray]:
        rows = slice(start, min(start + _ROWS_AT_ONCE, n))
        return _two_best_of_block(score, rows, n_other, None if own is None else own[rows])

    with Threads(N_THREADS) as pool:
        found = list(pool.map(of_block, range(0, n, _ROWS_AT_ONCE)))
    best, second, place = (np.concatenate(part) for part in zip(*found, strict=True))
    return best, second, place


def _two_best_of_block(
    score: Callable[[slice, slice], Scores], rows: slice, n_other: int, own: IntArray | None
) -> tuple[Scores, Scores, IntArray]:
    n = rows.stop - rows.start
    best, second, place = np.zeros(n, np.uint16), np.zeros(n, np.uint16), np.zeros(n, np.int64)
    every = np.arange(n)
    for start in range(0, n_other, _OTHER_ROWS_AT_ONCE):
        other = slice(start, min(start + _OTHER_ROWS_AT_ONCE, n_other))
        scores = score(rows, other)
        if own is not None:
            here = np.flatnonzero((own >= other.start) & (own < other.stop))
            scores[here, own[here] - start] = 0
        found = scores.argmax(axis=1)
        top = scores[every, found]
        scores[every, found] = 0
        is_better = top > best
        second = np.maximum(np.where(is_better, best, top), np.maximum(second, scores.max(axis=1)))
        place = np.where(is_better, found + start, place)
        best = np.maximum(best, top)
    return best, second, place


def _sums(records: Records, references: Records, rows: slice, other: slice) -> Scores:
    """Return shape (n_rows, n_other_rows): likeness in sixteenths of a bit."""
    shape = (rows.stop - rows.start, other.stop - other.start)
    sums, bits = np.zeros(shape, np.uint16), np.empty(shape, np.uint8)
    for column, reference in zip(records, references, strict=True):
        cells, others, most = column.cells[rows, None], reference.cells[None, other], column.most[rows, None]
        if column.is_number:
            apart = np.maximum(cells, others) - np.minimum(cells, others)
            np.take(_BITS, apart, out=bits, mode="clip")
            np.minimum(bits, most, out=bits)
        else:
            np.multiply(np.equal(cells, others), most, out=bits)
        np.add(sums, bits, out=sums)
    return sums


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedColumn:
    """A column for distances in ranks: places in the original's order, or codes of words."""

    cells: npt.NDArray[np.int16] = field(repr=False)
    is_number: bool
    most: int  # that two cells may be apart; words that differ are


Ranked = Sequence[RankedColumn]


def ranked(records: Records, places: Iterable[int] | None = None) -> Ranked:
    """Return all columns or some so that no sum of distances overflows.

    Of more than 65,521 words some share a code, one pair in 65,521.
    """
    chosen = list(records) if places is None else [records[place] for place in places]
    most = min(LEVELS, _ALL_LEVELS // len(chosen)) - 1
    return [
        RankedColumn(
            cells=(
                column.cells.astype(np.uint32) * most // (LEVELS - 1)
                if column.is_number
                else column.cells.astype(np.uint32) % _MOST_WORDS
            )
            .astype(np.uint16)
            .view(np.int16),
            is_number=column.is_number,
            most=most,
        )
        for column in chosen
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class Nearest:
    """The nearest reference of each record: how far it and the second nearest are, and its place."""

    distance: Scores = field(repr=False)  # shape (n_rows,), in ranks, from 0 to `most`
    second: Scores = field(repr=False)  # `most` with one reference
    place: IntArray = field(repr=False)  # the first of equals
    most: int


def find_nearest(records: Ranked, references: Ranked, *, own: IntArray | None = None) -> Nearest:
    """Return for each record its two nearest references; its own row number does not count."""
    most = len(records) * records[0].most

    def score(rows: slice, other: slice) -> Scores:
        apart = _distances(records, references, rows, other)
        return np.subtract(most, apart, out=apart, dtype=np.uint16)

    sizes = len(records[0].cells), len(references[0].cells)
    best, second, place = _two_best(score, *sizes, own)
    return Nearest(distance=most - best, second=most - second, place=place, most=most)


def _distances(records: Ranked, references: Ranked, rows: slice, other: slice) -> Scores:
    """Return shape (n_rows, n_other_rows): the sum over columns of how far cells are apart."""
    shape = (rows.stop - rows.start, other.stop - other.start)
    sums, apart = np.zeros(shape, np.int16), np.empty(shape, np.int16)
    n_differ, differ = np.zeros(shape, np.uint8), np.empty(shape, bool)  # of 255 columns
    for column, reference in zip(records, references, strict=True):
        cells, others = column.cells[rows, None], reference.cells[None, other]
        if column.is_number:
            np.subtract(cells, others, out=apart)
            np.absolute(apart, out=apart)
            np.add(sums, apart, out=sums)
        else:
            np.not_equal(cells, others, out=differ)
            np.add(n_differ, differ.view(np.uint8), out=n_differ)
    np.multiply(n_differ, records[0].most, out=apart.view(np.uint16), dtype=np.uint16, casting="unsafe")
    np.add(sums, apart, out=sums)
    return sums.view(np.uint16)
