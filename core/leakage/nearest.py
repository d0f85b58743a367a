"""The nearest row: which scrambled row shares most with an original one, and whether it is its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.leakage.packing import PackedTables, SmallCodes
from core.leakage.pairing import N_THREADS, IntArray, TablePair

ShareArray = npt.NDArray[np.float32]

_ROWS_AT_ONCE = 64
_OTHER_ROWS_AT_ONCE = 4096  # a block of counts then stays in the processor's cache


@dataclass(frozen=True, kw_only=True, eq=False)
class NearestRows:
    """The best match of original rows in the scrambled table."""

    n_original: int  # rows of the original table
    # shape (n_assessed,), the original rows looked at, from 0; all of them when exact
    rows: IntArray = field(repr=False)
    # shape (n_assessed,), the largest share of equal valid cells with any scrambled row, in [0, 1]
    best_share: ShareArray = field(repr=False)
    n_best: IntArray = field(repr=False)  # shape (n_assessed,), how many scrambled rows have that share
    # shape (n_assessed,), True where the row's own scrambled row is the only best; None where rows are not
    # paired
    own_is_best: npt.NDArray[np.bool_] | None = field(repr=False)

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
        return int(np.count_nonzero((self.n_best == 1) & (self.best_share > 0)))

    @property
    def mean_best_share(self) -> float:
        """Return the mean of the best share over rows looked at."""
        return float(self.best_share.mean(dtype=np.float64))


def find_nearest_rows(
    pair: TablePair, packed: PackedTables, *, max_comparisons: int, seed: int
) -> NearestRows:
    """Compare original rows with every scrambled row and keep the best match.

    Every valid cell counts the same; a pair without valid cells has share 0. Memory is bounded by
    blocks of 64 × 4096 rows whatever the tables' size.
    """
    candidates = np.arange(pair.original.n_records) if pair.original_rows is None else pair.original_rows
    positions = _chosen(
        len(candidates), pair.scrambled.n_records * len(packed.columns), max_comparisons, seed
    )
    rows = candidates[positions]
    own = None if pair.scrambled_rows is None else pair.scrambled_rows[positions]
    blocks = [slice(start, start + _ROWS_AT_ONCE) for start in range(0, len(rows), _ROWS_AT_ONCE)]

    def one(block: slice) -> tuple[ShareArray, IntArray, ShareArray | None]:
        return _best_of_block(packed, rows[block], None if own is None else own[block])

    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(pool.map(one, blocks))
    best = np.concatenate([share for share, _, _ in found])
    n_best = np.concatenate([n for _, n, _ in found])
    own_shares = [share for _, _, share in found if share is not None]
    own_is_best = (np.concatenate(own_shares) == best) & (n_best == 1) & (best > 0) if own_shares else None
    return NearestRows(
        n_original=len(candidates), rows=rows, best_share=best, n_best=n_best, own_is_best=own_is_best
    )


def best_shares(packed: PackedTables, rows: IntArray, *, skip_self: bool = False) -> ShareArray:
    """Return shape (n_rows,): the largest share of equal valid cells with any row of the other table.

    With `skip_self` the row of the same number does not count.
    """
    blocks = [rows[start : start + _ROWS_AT_ONCE] for start in range(0, len(rows), _ROWS_AT_ONCE)]
    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(
            pool.map(lambda block: _best_of_block(packed, block, None, skip_self=skip_self)[0], blocks)
        )
    return np.concatenate(found)


def _chosen(n_rows: int, cells_per_row: int, max_comparisons: int, seed: int) -> IntArray:
    """Return all positions, or a seeded sample of as many as may be compared."""
    fitting = max(1, max_comparisons // max(cells_per_row, 1))
    if fitting >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, fitting, replace=False))


def _best_of_block(
    packed: PackedTables, rows: IntArray, own: IntArray | None, *, skip_self: bool = False
) -> tuple[ShareArray, IntArray, ShareArray | None]:
    """Return the best share, how many scrambled rows have it, and the own row's share."""
    best = np.full(len(rows), -1, dtype=np.float32)
    n_best = np.zeros(len(rows), dtype=np.int64)
    original = [column.original[rows][:, None] for column in packed.columns]
    n_other = len(packed.columns[0].scrambled)
    for start in range(0, n_other, _OTHER_ROWS_AT_ONCE):
        other = slice(start, min(start + _OTHER_ROWS_AT_ONCE, n_other))
        matching = _count_matches(original, [column.scrambled[other] for column in packed.columns])
        if skip_self:
            here = np.flatnonzero((rows >= other.start) & (rows < other.stop))
            matching[here, rows[here] - other.start] = 0
        _keep_best(best, n_best, *_best_shares(packed, matching, rows, other))
    return best, n_best, None if own is None else _own_shares(packed, rows, own)


def _count_matches(
    original: list[SmallCodes], scrambled: list[SmallCodes]
) -> npt.NDArray[np.unsignedinteger]:
    """Return shape (n_rows, n_other_rows): matching cells of every combination of rows."""
    shape = (len(original[0]), len(scrambled[0]))
    counts = np.zeros(shape, dtype=np.min_scalar_type(len(original)))
    equal = np.empty(shape, dtype=bool)
    for column, other_column in zip(original, scrambled, strict=True):
        np.equal(column, other_column, out=equal)
        np.add(counts, equal, out=counts)
    return counts


def _best_shares(
    packed: PackedTables, matching: npt.NDArray[np.unsignedinteger], rows: IntArray, other: slice
) -> tuple[ShareArray, IntArray]:
    """Return shape (n_rows,) each: the best share within a block, and how often it occurs."""
    if packed.all_valid:  # counts order as shares do
        most = matching.max(axis=1)
        n_most = np.count_nonzero(matching == most[:, None], axis=1)
        return (most / np.float32(len(packed.columns))).astype(np.float32), n_most
    shares = _shares(matching, packed.n_valid(rows, other, grid=True))
    most_share = shares.max(axis=1)
    return most_share, np.count_nonzero(shares == most_share[:, None], axis=1)


def _shares(matching: npt.NDArray[np.unsignedinteger], valid: npt.NDArray[np.int64]) -> ShareArray:
    """Return matching over valid cells; 0 where none is valid. Equal fractions give equal floats."""
    shares: ShareArray = np.divide(matching, np.maximum(valid, 1), dtype=np.float32)
    return shares


def _keep_best(best: ShareArray, n_best: IntArray, share: ShareArray, n_share: IntArray) -> None:
    """Bring the best so far up to date with another block's best."""
    n_best[share == best] += n_share[share == best]
    better = share > best
    best[better], n_best[better] = share[better], n_share[better]


def _own_shares(packed: PackedTables, rows: IntArray, own: IntArray) -> ShareArray:
    """Return shape (n_rows,): the share of equal valid cells of each row with its own scrambled row."""
    matching = np.zeros(len(rows), dtype=np.uint16)
    for column in packed.columns:
        matching += column.original[rows] == column.scrambled[own]
    return _shares(matching, np.broadcast_to(packed.n_valid(rows, own, grid=False), matching.shape))
