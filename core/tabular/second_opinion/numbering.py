"""Identifiers that were counted up, such as P001 and X001: whether the same number is the same record.

Numbers without gaps hold each other's whatever they stand for, so that nothing follows from finding one where
nobody knows whose row is whose. Then the columns that were kept decide: records of the same number agree in
them far beyond chance, or no more than chance has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from core.chance import NO_ACCIDENT_SPREADS, association
from core.coding import IntArray
from core.comparing.numbers import counted_numbers
from core.tabular.second_opinion.pair import (
    CodedPair,
    LoggedTables,
    in_groups,
    remembered,
)

_TOGETHER = 0.25  # share of the most that two columns can depend on each other, from which they do
_A_PART = 0.1  # share of the records of one value, from which a part of a column was left
_SHIFTS = (0, -1, 1, -2, 2)  # by which counting may begin elsewhere


@remembered
def same_number_same_record(tables: LoggedTables, original: str, anonymized: str) -> bool | None:
    """Whether kept columns show that the same number means the same record; None where they cannot tell.

    Asked of columns that were both counted up; None for others.
    """
    before, after = _of_records(tables, "original", original), _of_records(tables, "anonymized", anonymized)
    return (
        None
        if before is None or after is None
        else shown_by_others(tables, (original, anonymized), before, after)
    )


def shown_by_others(
    tables: LoggedTables, columns: tuple[str, str], before: IntArray, after: IntArray
) -> bool | None:
    """Whether columns kept beside two show that the same number means the same record; None for no answer.

    `before` has shape (n_original,), `after` (n_anonymized,); −1 stands for none. Numbers may be counted from
    elsewhere, backwards, or cut to their last digits.
    """
    kept = [pair for pair in _beside(tables, *columns) if pair.is_kept]
    found = [_do_agree(kept, renumbered, after) for renumbered in _renumbered(before, after)]
    return True if True in found else found[0]


def is_in_other_records(tables: LoggedTables, column: CodedPair) -> bool:
    """Whether a column's values stand in other records than before, as far as the columns beside it show.

    Of a kept column: records are not found whole with it, and those of one value agree in no column more than
    by chance. Of one of which a part of the values is there: so few records of one value can be the same, by
    the columns kept beside it, that no part of the column was left as it was.
    """
    beside = _beside(tables, column.pair.original, column.pair.anonymized)
    kept = [pair for pair in beside if pair.is_kept]
    if not column.is_kept:
        beyond, possible, spread = _agreement(kept, column.original, column.anonymized)
        return tables.tells_apart(column) and beyond + 2 * spread < _A_PART * possible
    if column.pair.anonymized not in tables.apart:
        return False
    if not tables.tells_apart(column):
        return True
    if _do_agree(kept, column.original, column.anonymized) is not False:
        return False
    rows, others = _same(column.original, column.anonymized)
    return not any(
        association(
            in_groups(tables.written["original"][pair.pair.original])[rows],
            in_groups(tables.written["anonymized"][pair.pair.anonymized])[others],
        )
        >= _TOGETHER
        for pair in beside
        if not pair.is_kept
    )


def _beside(tables: LoggedTables, original: str, anonymized: str) -> list[CodedPair]:
    return [
        pair for pair in tables.coded if pair.pair.original != original and pair.pair.anonymized != anonymized
    ]


@remembered
def _of_records(tables: LoggedTables, side: str, name: str) -> IntArray | None:
    """Return shape (n_records,): a column's numbers, −1 without one; None unless they were counted up."""
    column = tables.written[side][name].trimmed
    numbers = counted_numbers(column.values)
    return None if numbers is None else np.append(numbers, -1)[column.codes]


def _renumbered(before: IntArray, after: IntArray) -> Iterator[IntArray]:
    """Yield the original's numbers as they are, and as they may have been rewritten."""
    is_one = before >= 0
    first, last = before[is_one].min(), before.max()
    of_after = after[after >= 0]
    moves = dict.fromkeys([*_SHIFTS, int(of_after.min() - first), int(of_after.max() - last)])
    for move in moves:
        yield np.where(is_one, before + move, -1)
    for total in dict.fromkeys([first + last, of_after.min() + of_after.max(), of_after.max() + first]):
        yield np.where(is_one, total - before, -1)
    n_digits = len(str(of_after.max()))
    if last >= 10**n_digits:
        yield np.where(is_one, before % 10**n_digits, -1)


def _do_agree(kept: list[CodedPair], before: IntArray, after: IntArray) -> bool | None:
    """Whether records of one number agree in kept columns beyond chance; None where these cannot tell."""
    beyond, possible, spread = _agreement(kept, before, after)
    accident = NO_ACCIDENT_SPREADS * spread
    return None if possible / 2 < accident else beyond > max(accident, possible / 2)


def _agreement(kept: list[CodedPair], before: IntArray, after: IntArray) -> tuple[float, float, float]:
    """Return the cells of kept columns in which records of one number agree beyond chance, and could.

    And the standard deviation of what chance gives.
    """
    rows, other_rows = _same(before, after)
    beyond = possible = by_chance = 0.0
    for pair in kept:
        ours, theirs = pair.original[rows], pair.anonymized[other_rows]
        filled = (ours >= 0) & (theirs >= 0)
        n, n_codes = int(filled.sum()), 1 + int(max(pair.original.max(), pair.anonymized.max()))
        counts = [np.bincount(each[filled], minlength=n_codes) for each in (ours, theirs)]
        met = float(np.multiply(*counts).sum()) / max(n, 1)
        beyond += float((ours == theirs)[filled].sum()) - met
        possible += n - met
        by_chance += met
    return beyond, possible, math.sqrt(by_chance + 1)


def _same(before: IntArray, after: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of each number that both have, the first of each side."""
    numbers, rows = np.unique(before, return_index=True)
    others, other_rows = np.unique(after, return_index=True)
    common, at, other_at = np.intersect1d(numbers, others, return_indices=True)
    is_one = common >= 0
    return rows[at[is_one]], other_rows[other_at[is_one]]
