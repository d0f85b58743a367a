"""Reordered tables that stand row by row once each is sorted by a column: seen by a witness, another column.

Row by row nothing can be compared in tables of another order. But where a released column gives its rows the
order of an original one, the other columns agree row by row once both tables are sorted, and disagree when
one table is moved on by a few rows. Where values repeat, it is enough that in their order they occur as often
as the original's, or that each block of equal originals holds what it held.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from core.chance import NO_ACCIDENT, dependence
from core.coding import FloatArray, IntArray
from core.values.cells import CodeArray

FEWEST_ROWS = 20
FEWEST_IN_ORDER = 10  # records of a group that is sorted alone
HIGHLY_DISTINCT, NEARLY_DISTINCT = 0.5, 0.9
_FEWEST_DISTINCT = 0.2  # share of distinct values from which a column's order tells records apart
_MOST_VALUES = 50  # of a column whose values are held against each other as they are
_MOST_GROUPS, _ROWS_PER_GROUP = 8, 10  # that the values of a column are put in
_FEWEST_IN_GROUP = 5
_CLEARLY = 1.5  # times the agreement of rows moved on, from which it is that of the rows themselves
_N_MOVED = 40
_SAME_IN_BLOCKS = 0.97  # share of rows that blocks of equal values of the original have in common with a file
_FAR = 6  # standard deviations of that share of files moved on, of which only 40 were tried
_FEWEST_RUNS = 0.7  # times the changes from row to row that a column makes in a random order


@dataclass(frozen=True, kw_only=True, eq=False)
class Order:
    """An order of the rows: which row comes first, and how many rows share each place."""

    rows: IntArray
    sizes: IntArray

    @classmethod
    def by(cls, values: FloatArray | IntArray) -> Order:
        """Return the order that values of shape (n_rows,) give; NaN comes last."""
        return cls(rows=np.argsort(values, kind="stable"), sizes=np.unique(values, return_counts=True)[1])

    @cached_property
    def reversed(self) -> Order:
        """Return the order the other way round."""
        return Order(rows=self.rows[::-1], sizes=self.sizes[::-1])

    @property
    def places(self) -> IntArray:
        """Return shape (n_rows,): the place of each row; rows may share one."""
        places = np.empty(len(self.rows), dtype=np.int64)
        places[self.rows] = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return places

    def within(self, codes: CodeArray) -> IntArray:
        """Return the rows group by group, in each in this order."""
        return self.rows[np.argsort(codes[self.rows], kind="stable")]

    @property
    def firsts(self) -> IntArray:
        """Return the first row of each place: rows of one person say the same of them."""
        return self.rows[np.cumsum(self.sizes) - self.sizes]


@dataclass(frozen=True, kw_only=True, eq=False)
class Witness:
    """A pair of columns, as a few groups each, whose rows agree if the tables are sorted alike."""

    name: str
    before: IntArray
    after: IntArray


def few_groups(codes: CodeArray, amounts: Callable[[], FloatArray | None]) -> IntArray | None:
    """Return shape (n_rows,): groups of about equal size, by value or by number; None of nothing to tell.

    `codes` are the values, −1 where blank; `amounts` returns their numbers, asked where values are many.
    """
    most = min(_MOST_GROUPS, len(codes) // _ROWS_PER_GROUP)
    counts = np.bincount(codes + 1)
    if np.count_nonzero(counts) > _MOST_VALUES:
        numbers = amounts()
        if numbers is None or np.isnan(numbers).all():
            return None
        edges = np.nanquantile(numbers, np.linspace(0, 1, most + 1)[1:-1])
        groups = np.searchsorted(edges, numbers, side="right")
    else:
        usual = np.argsort(-counts, kind="stable")[: most - 1]
        usual = usual[counts[usual] >= _FEWEST_IN_GROUP]
        place = np.full(len(counts), most - 1)
        place[usual] = np.arange(len(usual))
        groups = place[codes + 1]
    return groups if np.count_nonzero(np.bincount(groups) >= _FEWEST_IN_GROUP) > 1 else None


def agree(before: IntArray, after: IntArray, *, blocks: CodeArray | None = None, n_tried: int = 1) -> bool:
    """Whether groups depend on each other row by row, and much less once one table is moved on by rows.

    Shape (n_rows,) each, the second moved on within each of the `blocks`, which are ascending. No accident
    among so many tries.
    """
    n, chance = len(before), NO_ACCIDENT / n_tried
    statistic, freedom = dependence(before, after)
    if not freedom or scipy.special.chdtrc(freedom, statistic) > chance:
        return False
    starts = np.zeros(n, dtype=np.int64) if blocks is None else np.searchsorted(blocks, blocks)
    sizes = n if blocks is None else np.searchsorted(blocks, blocks, side="right") - starts
    most = min(_N_MOVED // 2, n - 1) if blocks is None else FEWEST_IN_ORDER - 1
    place = np.arange(n) - starts
    moves = (sign * step for step in range(1, most + 1) for sign in (1, -1))
    moved = max(dependence(before, after[starts + (place + by) % sizes])[0] for by in moves)
    is_beyond = blocks is None or scipy.special.chdtrc(freedom, statistic - moved) <= chance
    return bool(statistic >= _CLEARLY * moved and is_beyond)


def same_order(
    before: Order, after: Order, witnesses: Sequence[Witness], *, of_file: bool, is_gone: bool, n_tried: int
) -> tuple[str | None] | None:
    """Return what shows that two orders are the same: a witness, or None that values occur as often.

    `of_file`: the rows as they stand; `is_gone`: the original column was to be gone, and may repeat. None
    where nothing shows it.
    """
    if _as_often(before.sizes, after.sizes, n_tried):
        return (None,)
    rows = _told_apart(before, after, may_repeat=of_file and is_gone)
    if rows is not None:
        for ours, one in itertools.product((rows[0], rows[0][::-1]), witnesses):
            if agree(one.before[ours], one.after[rows[1]], n_tried=n_tried * 2 * len(witnesses)):
                return (one.name,)
    nearly_distinct = len(after.sizes) >= NEARLY_DISTINCT * len(before.rows)
    if is_gone and nearly_distinct and len(before.sizes) >= FEWEST_ROWS:
        return next(((one.name,) for one in witnesses if _in_blocks(before, after, one)), None)
    return None


def _told_apart(before: Order, after: Order, *, may_repeat: bool) -> tuple[IntArray, IntArray] | None:
    """Return the rows of both tables in order, one of each place where rows repeat; None of too few."""
    n, n_places = len(before.rows), min(len(before.sizes), len(after.sizes))
    if n_places < (FEWEST_ROWS if may_repeat else n * _FEWEST_DISTINCT):
        return None
    if n_places >= n * NEARLY_DISTINCT or may_repeat:
        return before.rows, after.rows
    if len(before.sizes) == len(after.sizes):
        return before.firsts, after.firsts
    is_column = not np.array_equal(after.rows, np.arange(n))
    differ = len(after.sizes) >= NEARLY_DISTINCT * n and len(before.sizes) >= HIGHLY_DISTINCT * n
    return (before.rows, after.rows) if is_column and differ else None  # pseudonyms that number names


def _in_blocks(before: Order, after: Order, one: Witness) -> bool:
    """Whether an order has, block by block, what the original has of each value, however within a block.

    The rows of a name may stand at random, and no other column may hang on it: then the blocks still hold
    the same, and not so once one table is moved on. An order that a column itself gives says nothing.
    """
    n, size = len(before.rows), int(max(one.before.max(), one.after.max())) + 1
    values = one.after[after.rows]
    if np.count_nonzero(np.diff(values)) < _FEWEST_RUNS * n * (1 - (np.bincount(values) ** 2).sum() / n**2):
        return False
    for order in (before, before.reversed):
        block = np.repeat(np.arange(len(order.sizes)), order.sizes) * size
        held = np.bincount(block + one.before[order.rows], minlength=len(order.sizes) * size)
        alike, *moved = (
            np.minimum(held, np.bincount(block + np.roll(values, by), minlength=len(held))).sum() / n
            for by in np.linspace(0, n, _N_MOVED, endpoint=False).astype(np.int64)
        )
        if alike >= _SAME_IN_BLOCKS and alike - np.mean(moved) > _FAR * max(np.std(moved), 1 / n):
            return True
    return False


def _as_often(before: IntArray, after: IntArray, n_tried: int) -> bool:
    """Whether values occur as often in their order, which they hardly would in any other order."""
    if len(before) != len(after) or not (
        np.array_equal(before, after) or np.array_equal(before, after[::-1])
    ):
        return False
    of_alike = scipy.special.gammaln(np.unique(before, return_counts=True)[1] + 1).sum()
    ways = scipy.special.gammaln(len(before) + 1) - of_alike
    return bool(ways >= -np.log(NO_ACCIDENT / n_tried))
