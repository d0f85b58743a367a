"""The nearest records of another table, by likeness in bits or by ranks: every row against every other.

*Bits* are how unlikely it is that two cells are as close by chance (Fellegi and Sunter, A theory for record
linkage, 1969), added over columns: to share a rare word says more than to share a sex. *Ranks* say how far
cells are apart, each column as much as any other: numbers by how many of the original lie between them, words
by being equal or not (Podani, Extending Gower's general coefficient of similarity to ordinal characters,
1999). A missing cell is a word of its own, and beyond all numbers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.coding import BoolArray, FloatArray, IntArray, some_rows
from core.comparing.positions import positions_of
from core.processes.jobs import Threads
from core.values.cells import codes_of_tables

N_THREADS = 2  # Arrow and NumPy release the interpreter lock while they work on a column
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
AnyScores = npt.NDArray[Any]


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
    positions = positions_of(parts)
    if positions is not None and _n_values(np.concatenate(positions)) > _FEWEST_VALUES:
        return _placed(positions)
    codes = codes_of_tables(parts)
    n_codes = max(int(part.max(initial=-1)) for part in codes) + 1
    most = _bits_of_sharing(np.bincount(codes[0] + 1, minlength=n_codes + 1), len(codes[0]))
    most[0] = 0  # two missing cells say nothing
    kind = np.min_scalar_type(n_codes + 1)
    return [
        LikenessColumn(is_number=False, cells=(part + 1).astype(kind), most=most[part + 1]) for part in codes
    ]


def _n_values(numbers: FloatArray) -> int:
    return int(np.count_nonzero(~np.isnan(np.unique(numbers))))


def _bits_of_sharing(n_alike: IntArray, n_cells: int) -> npt.NDArray[np.uint8]:
    """Return the sixteenths of a bit that sharing a value says that so many of the original's cells have."""
    bits = np.clip(-np.log2(np.maximum(n_alike, 1) / n_cells), 0, MOST_BITS)
    scored: npt.NDArray[np.uint8] = np.round(bits * PER_BIT).astype(np.uint8)
    return scored


def _placed(positions: Sequence[FloatArray]) -> list[LikenessColumn]:
    """Return where numbers stand in the first table's order, 0 to 4095; missing ones at the end."""
    original = positions[0]
    ordered = np.sort(original[~np.isnan(original)])
    placed = []
    for part in positions:
        low, high = np.searchsorted(ordered, part, "left"), np.searchsorted(ordered, part, "right")
        place = (low + high) / 2 / max(len(ordered), 1) * (LEVELS - 1)
        says_nothing = np.isnan(part) | _far_outside(ordered, part)
        placed.append(
            LikenessColumn(
                is_number=True,
                cells=np.where(np.isnan(part), LEVELS - 1, place).astype(np.int16).view(np.uint16),
                most=np.where(says_nothing, np.uint8(0), _bits_of_sharing(high - low, len(original))),
            )
        )
    return placed


def _far_outside(original: FloatArray, numbers: FloatArray) -> BoolArray:
    """Return which numbers lie so far outside the original's, which are in order, that they are nobody's."""
    if not len(original):
        return np.ones(len(numbers), dtype=bool)
    low, lower, upper, high = np.quantile(original, [0, 0.25, 0.75, 1])
    margin = _OUTSIDE * (upper / 2 - lower / 2)  # halves, so that 1e308 − −1e308 is finite
    with np.errstate(over="ignore"):
        outside: BoolArray = (numbers + margin < low) | (numbers - margin > high)
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

    def score(rows: slice, other: slice) -> Scores:
        return _sums(records, references, rows, other)

    best, second, nearest = two_best(score, n_records(records), n_records(references), own)
    bits = [(each / np.float32(PER_BIT)).astype(np.float32) for each in (best, second)]
    return Closest(best=bits[0], second=bits[1], nearest=nearest)


def two_best(
    score: Callable[[slice, slice], AnyScores], n: int, n_other: int, own: IntArray | None = None
) -> tuple[AnyScores, AnyScores, IntArray]:
    """Return for each of `n` records its two highest scores with `n_other` others, and whose the first is.

    Every record is held against every other, 64 × 4096 at a time. A score is 0 or more; of equals the first
    counts, and a record's `own` row number not at all.
    """

    def of_block(start: int) -> tuple[AnyScores, AnyScores, IntArray]:
        rows = slice(start, min(start + _ROWS_AT_ONCE, n))
        return _two_best_of_block(score, rows, n_other, None if own is None else own[rows])

    with Threads(N_THREADS) as pool:
        found = list(pool.map(of_block, range(0, n, _ROWS_AT_ONCE)))
    best, second, place = (np.concatenate(part) for part in zip(*found, strict=True))
    return best, second, place


def _two_best_of_block(
    score: Callable[[slice, slice], AnyScores], rows: slice, n_other: int, own: IntArray | None
) -> tuple[AnyScores, AnyScores, IntArray]:
    every = np.arange(rows.stop - rows.start)
    place: IntArray = np.zeros(len(every), np.int64)
    best: AnyScores = np.zeros(len(every), np.uint8)
    second = best
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
    best, second, place = two_best(score, *sizes, own)
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
