"""Columns that the original's rows, in their place, give back by a sum: means of neighbours, added scores.

A mean over the rows before and after keeps no value, and a score of all answers has a name of its own:
neither is seen by comparing cells. Both are linear in the original's numbers, row by row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.coding import FloatArray
from core.leakage.pairing import TablePair
from core.leakage.row_signatures import columns_of_numbers

_MOST_ROWS, _MOST_COLUMNS = 50_000, 30
_FEWEST_ROWS, _A_NUMBER = 50, 10  # rows at least, and for each number that is fitted
_BEFORE_AND_AFTER = 2  # rows
# rows by which tables are moved on to see what rows elsewhere give, as hours and days that come round do
_AWAY = (11, 17, 24, 25, 29, 31, 168)
_TELLING = 0.2  # distinct values over rows, from which a sum of other columns leads to few
_GIVEN, _BY_ITSELF, _ELSEWHERE = 0.9, 0.5, 0.5  # of the variance


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """A scrambled column that original rows give back."""

    column: str
    by_neighbours: bool  # by its own values in the rows before and after, else by other columns of the row
    columns: tuple[str, ...]  # original columns
    share: float  # of its variance that is given, in [0, 1], and by rows elsewhere
    share_elsewhere: float
    n_rows: int


def find_rebuilt(pair: TablePair, columns: Sequence[str]) -> tuple[Rebuilt, ...]:
    """Return the scrambled columns that paired rows give to nine tenths, and rows elsewhere to no half.

    Not those that their own cell gives to a half, as noise leaves it, nor those that the scrambled row itself
    gives; by other columns one whose values five rows share at most. Of the first 50,000 rows, and 30 columns
    of numbers.

    Parameters
    ----------
    pair, columns
        The tables, paired by position or key, and the columns that are compared.
    """
    if pair.original_rows is None or pair.scrambled_rows is None or pair.n_pairs < _FEWEST_ROWS:
        return ()
    rows, others = pair.original_rows[:_MOST_ROWS], pair.scrambled_rows[:_MOST_ROWS]
    original = _numbers(pair.original.table.select(list(columns)).take(rows))
    scrambled = _numbers(pair.scrambled.table.select([*columns, *pair.only_in_scrambled]).take(others))
    found = []
    for name, made in scrambled.items():
        if name in original and _given(made, [original[name]]) >= _BY_ITSELF:
            continue
        own, rest = original.get(name), [each for each in original if each != name]
        looks = [(True, [name], _neighbours(own))] if own is not None else []
        if len(np.unique(made[~np.isnan(made)])) >= _TELLING * len(made):
            looks.append((False, rest, [original[each] for each in rest]))
        for by_neighbours, names, known in looks:
            one = _rebuilt(name, made, known, by_neighbours=by_neighbours, names=names)
            if one is not None and not _follows(name, one.share, scrambled):
                found.append(one)
                break
    return tuple(found)


def _numbers(table: pa.Table) -> Mapping[str, FloatArray]:
    """Return the first columns of numbers or dates that vary, NaN where missing."""
    read = columns_of_numbers([table], table.column_names[: 2 * _MOST_COLUMNS])
    known = {name: each for name, (each,) in read.items() if np.nanstd(each) > 0}
    return dict(list(known.items())[:_MOST_COLUMNS])


def _neighbours(column: FloatArray) -> list[FloatArray]:
    return [np.roll(column, by) for by in range(-_BEFORE_AND_AFTER, _BEFORE_AND_AFTER + 1)]


def _rebuilt(
    name: str, made: FloatArray, known: Sequence[FloatArray], *, by_neighbours: bool, names: Sequence[str]
) -> Rebuilt | None:
    share = _given(made, known)
    if share < _GIVEN:
        return None
    elsewhere = max(_given(made, [np.roll(each, by) for each in known]) for by in _AWAY)
    if elsewhere >= _ELSEWHERE:
        return None
    return Rebuilt(
        column=name,
        by_neighbours=by_neighbours,
        columns=tuple(names),
        share=share,
        share_elsewhere=elsewhere,
        n_rows=len(made),
    )


def _follows(name: str, share: float, scrambled: Mapping[str, FloatArray]) -> bool:
    """Whether the other cells of the scrambled row give a column as well, as they give a sum of them."""
    return _given(scrambled[name], [each for other, each in scrambled.items() if other != name]) >= share / 2


def _given(made: FloatArray, known: Sequence[FloatArray]) -> float:
    """Return the share of the variance that a sum of columns gives, for as many as are fitted; 0 of few."""
    table = np.column_stack([made, *known])
    table = table[~np.isnan(table).any(axis=1)]
    n, k = table.shape
    if k < 2 or n < max(_FEWEST_ROWS, _A_NUMBER * k):
        return 0.0
    table = table - table.mean(axis=0)
    spread = table.std(axis=0)
    if not spread[0]:
        return 0.0
    table = table / np.where(spread > 0, spread, 1.0)
    left = table[:, 0] - table[:, 1:] @ np.linalg.lstsq(table[:, 1:], table[:, 0], rcond=None)[0]
    return float(max(0.0, 1 - (left**2).sum() / (n - k) / (table[:, 0] ** 2).mean()))
