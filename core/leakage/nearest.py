"""The best match of every original row in the scrambled table, by cells packed as small numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.coding import BoolArray, Codes, IntArray, SharedCodes, some_rows
from core.comparing.nearest_records import AnyScores, two_best
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings
from core.values.cells import cells_equal_to

SmallCodes = npt.NDArray[np.unsignedinteger]
Bits = npt.NDArray[np.uint64]
_WORD = 64


def _ignored_codes(column: pa.ChunkedArray, codes: Codes, settings: LeakageSettings) -> BoolArray | None:
    """Return the mask of ignored cells of a column whose codes are known; None where none is."""
    ignored = np.zeros(len(codes), dtype=bool)
    for value in settings.values_to_ignore:
        ignored |= cells_equal_to(column, value, dates=True)
    if settings.ignores_missing:
        ignored |= codes < 0
    return ignored if ignored.any() else None


def _missing_that_leaves_out(
    codes: SharedCodes, settings: LeakageSettings
) -> tuple[BoolArray | None, BoolArray | None]:
    """Return where a cell is missing, if two missing cells are left out and both tables have some."""
    if settings.missing_on_both != "leave out" or settings.ignores_missing:
        return None, None
    missing, other_missing = codes.original < 0, codes.anonymized < 0
    return (missing, other_missing) if missing.any() and other_missing.any() else (None, None)


def _matching_codes(
    codes: SharedCodes, ignored: BoolArray | None, other_ignored: BoolArray | None, settings: LeakageSettings
) -> SharedCodes:
    """Return the smallest unsigned codes, equal where cells match; the last two match nothing."""
    sides, masks = [codes.original, codes.anonymized], (ignored, other_ignored)
    n_values = codes.n_values
    if settings.missing_on_both == "match" and not settings.ignores_missing:
        sides = [np.where(side < 0, np.int32(n_values), side) for side in sides]
        n_values += 1
    counts = [_value_counts(*each, n_values) for each in zip(sides, masks, strict=True)]
    shared = np.flatnonzero((counts[0] > 0) & (counts[1] > 0))
    kind = np.min_scalar_type(len(shared) + 1)
    packed = []
    for which, (side, mask) in enumerate(zip(sides, masks, strict=True)):
        number = np.full(n_values + 1, len(shared) + which, dtype=kind)  # its last entry is for missing, -1
        number[shared] = np.arange(len(shared), dtype=kind)
        small = number[side]
        if mask is not None:
            small[mask] = len(shared) + which
        packed.append(small)
    return SharedCodes(original=packed[0], anonymized=packed[1])


def _value_counts(codes: Codes, ignored: BoolArray | None, n_values: int) -> IntArray:
    """Return shape (n_values,): how often each value occurs where it is not ignored or missing."""
    counted = codes >= 0 if ignored is None else (codes >= 0) & ~ignored
    return np.bincount(codes[counted], minlength=n_values)


def pack_masks(masks: Sequence[BoolArray | None], n_rows: int) -> Bits:
    """Return shape (n_words, n_rows): a bit a column; a column without a mask has none set."""
    words = np.zeros((-(-len(masks) // _WORD), n_rows), dtype=np.uint64)
    for column, mask in enumerate(masks):
        if mask is not None:
            words[column // _WORD] |= mask.astype(np.uint64) << np.uint64(column % _WORD)
    return words


@dataclass(frozen=True, kw_only=True, eq=False)
class PackedTables:
    """Both tables packed: codes by column, ignored and missing cells as bits by row."""

    columns: tuple[SharedCodes, ...] = field(repr=False)  # see `_matching_codes`
    # shape (n_words, n_rows) or None, see :func:`pack_masks`: ignored cells, and missing ones, where two
    # leave the pair out
    original_ignored: Bits | None = field(repr=False)
    scrambled_ignored: Bits | None = field(repr=False)
    original_missing: Bits | None = field(repr=False)
    scrambled_missing: Bits | None = field(repr=False)

    @property
    def all_valid(self) -> bool:
        """Whether every pair of cells is valid whatever rows are compared."""
        return (
            self.original_ignored is None and self.scrambled_ignored is None and self.original_missing is None
        )

    def n_valid(self, rows: IntArray | slice, other_rows: IntArray | slice, *, grid: bool) -> IntArray:
        """Return the valid cells by row, or with `grid` of every original row against every scrambled one."""
        left_out: IntArray = np.zeros(1, np.int64)
        for word in range(-(-len(self.columns) // _WORD)):
            bits = self._left_out_bits(word, rows, other_rows, grid=grid)
            if bits is not None:
                left_out = left_out + np.bitwise_count(bits)
        return len(self.columns) - left_out

    def _left_out_bits(
        self, word: int, rows: IntArray | slice, other_rows: IntArray | slice, *, grid: bool
    ) -> Bits | None:
        """Return the bits of the columns left out, None where none is."""

        def bits(masks: Bits | None, side: int) -> Bits | None:
            if masks is None:
                return None
            chosen: Bits = masks[word][rows if side == 0 else other_rows]
            return (chosen[:, None] if side == 0 else chosen[None, :]) if grid else chosen

        found = [bits(self.original_ignored, 0), bits(self.scrambled_ignored, 1)]
        missing, other_missing = bits(self.original_missing, 0), bits(self.scrambled_missing, 1)
        if missing is not None and other_missing is not None:
            found.append(missing & other_missing)
        there = [part for part in found if part is not None]
        if not there:
            return None
        combined: Bits = there[0]
        for part in there[1:]:
            combined = combined | part
        return combined


def pack_tables(pair: TablePair, columns: Sequence[str], settings: LeakageSettings) -> PackedTables:
    """Pack all columns of both tables, all rows."""
    packed, ignored, missing = [], [], []
    for name in columns:
        codes = pair.codes[name]
        ours = _ignored_codes(pair.original.table[name], codes.original, settings)
        theirs = _ignored_codes(pair.scrambled.table[name], codes.anonymized, settings)
        packed.append(_matching_codes(codes, ours, theirs, settings))
        ignored.append((ours, theirs))
        missing.append(_missing_that_leaves_out(codes, settings))
    n_rows = len(packed[0].original), len(packed[0].anonymized)
    bits = [
        _bits_of([each[side] for each in masks], n_rows[side])
        for masks in (ignored, missing)
        for side in (0, 1)
    ]
    return PackedTables(
        columns=tuple(packed),
        original_ignored=bits[0],
        scrambled_ignored=bits[1],
        original_missing=bits[2],
        scrambled_missing=bits[3],
    )


def _bits_of(masks: Sequence[BoolArray | None], n_rows: int) -> Bits | None:
    """Return the masks as bits, None where no column has one."""
    return None if all(mask is None for mask in masks) else pack_masks(masks, n_rows)


ShareArray = npt.NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class NearestRows:
    """The best match of original rows in the scrambled table."""

    n_original: int  # rows of the original table
    # shape (n_assessed,), the original rows looked at, from 0; all of them when exact
    rows: IntArray = field(repr=False)
    # shape (n_assessed,), the largest share of equal valid cells with any scrambled row, in [0, 1]
    best_share: ShareArray = field(repr=False)
    is_alone: BoolArray = field(repr=False)  # shape (n_assessed,), whether one scrambled row has that share
    # shape (n_assessed,), True where the row's own scrambled row is the only best; None where rows are not
    # paired
    own_is_best: BoolArray | None = field(repr=False)

    @property
    def n_assessed(self) -> int:
        """Return the number of original rows looked at."""
        return len(self.rows)

    @property
    def is_exact(self) -> bool:
        """Whether every original row that has a partner was looked at."""
        return self.n_assessed == self.n_original

    @cached_property
    def n_relinked(self) -> int | None:
        """Return the rows whose own scrambled row is the unique best match; None where not paired."""
        return None if self.own_is_best is None else int(np.count_nonzero(self.own_is_best))

    @property
    def relink_share(self) -> float | None:
        """Return re-linked rows over rows looked at, in [0, 1]; None where rows are not paired."""
        return None if self.n_relinked is None else self.n_relinked / self.n_assessed

    def expected_relinked(self, n_scrambled: int) -> float:
        """Return the rows that would be re-linked if scrambled rows were named at random."""
        return self.n_with_unique_best / n_scrambled

    @cached_property
    def n_with_unique_best(self) -> int:
        """Return the rows with exactly one best match, whosever it is."""
        return int(np.count_nonzero(self.is_alone))

    @property
    def mean_best_share(self) -> float:
        """Return the mean of the best share over rows looked at."""
        return float(self.best_share.mean(dtype=np.float64))


def find_nearest_rows(
    pair: TablePair, packed: PackedTables, *, max_comparisons: int, seed: int
) -> NearestRows:
    """Compare original rows with every scrambled row and keep the best match.

    Every valid cell counts the same; a pair without valid cells has share 0, and no row is alone with that.
    """
    candidates = np.arange(pair.original.n_records) if pair.original_rows is None else pair.original_rows
    fitting = max(1, max_comparisons // max(pair.scrambled.n_records * len(packed.columns), 1))
    positions = some_rows(np.random.default_rng(seed), len(candidates), fitting)
    rows = candidates[positions]
    own = None if pair.scrambled_rows is None else pair.scrambled_rows[positions]
    valid = None if packed.all_valid else packed.n_valid

    def score(block: slice, other: slice) -> AnyScores:
        chosen = rows[block]
        sides = [(column.original[chosen][:, None], column.anonymized[other]) for column in packed.columns]
        matching = _count_matches(sides)
        return matching if valid is None else _shares(matching, valid(chosen, other, grid=True))

    best, second, _ = two_best(score, len(rows), pair.scrambled.n_records)
    share = best.astype(np.float32) if valid else _shares(best, np.array(len(packed.columns)))
    is_alone = (best > second) & (best > 0)
    return NearestRows(
        n_original=len(candidates),
        rows=rows,
        best_share=share,
        is_alone=is_alone,
        own_is_best=None if own is None else is_alone & (_own_shares(packed, rows, own) == share),
    )


def _count_matches(sides: Sequence[tuple[SmallCodes, SmallCodes]]) -> AnyScores:
    """Return shape (n_rows, n_other_rows): matching cells of every combination of rows."""
    shape = (len(sides[0][0]), len(sides[0][1]))
    counts, equal = np.zeros(shape, dtype=np.min_scalar_type(len(sides))), np.empty(shape, dtype=bool)
    for column, other_column in sides:
        np.equal(column, other_column, out=equal)
        np.add(counts, equal, out=counts)
    return counts


def _shares(matching: AnyScores, valid: IntArray) -> ShareArray:
    """Return matching over valid cells; 0 where none is valid. Equal fractions give equal floats."""
    shares: ShareArray = np.divide(matching, np.maximum(valid, 1), dtype=np.float32)
    return shares


def _own_shares(packed: PackedTables, rows: IntArray, own: IntArray) -> ShareArray:
    """Return shape (n_rows,): the share of equal valid cells of each row with its own scrambled row."""
    matching = np.zeros(len(rows), dtype=np.uint16)
    for column in packed.columns:
        matching += column.original[rows] == column.anonymized[own]
    return _shares(matching, np.broadcast_to(packed.n_valid(rows, own, grid=False), matching.shape))
