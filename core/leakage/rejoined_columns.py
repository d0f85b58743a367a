"""Columns scrambled apart that can be put side by side again: by an order kept in them, or shared digits."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from core.coding import FloatArray
from core.comparing.numbers import last_place
from core.leakage.pairing import TablePair
from core.leakage.row_signatures import FoundRows, Hashes, columns_of_numbers, row_hashes, rows_found

_MOST_ROWS, _MOST_COLUMNS = 50_000, 40
_FEWEST_MATCHED = 0.1  # of the values of a column
_LAST = 1e-6  # decimal that is read
_FEWEST_DIGITS = 1000  # endings that a value may have, and more than it has values


def find_rejoined_columns(pair: TablePair, columns: Sequence[str], *, seed: int) -> Iterator[FoundRows]:
    """Yield by what columns of numbers or dates can be put side by side again, of the first 50,000 rows.

    By order: neighbours within two columns or more are still neighbours, as after a shift of each column by
    some rows or after shuffling within short blocks; columns in ascending or descending order say nothing. By
    digits: of two columns or more, values end alike beyond the digits that the original has.

    Parameters
    ----------
    pair, columns
        The tables, and the columns that are compared.
    seed
        Where shuffling starts.
    """
    sides = [each.table.slice(0, _MOST_ROWS) for each in (pair.original, pair.scrambled)]
    read = columns_of_numbers(sides, columns[:_MOST_COLUMNS])
    numbers = {name: (found[0], found[1]) for name, found in read.items()}
    for found in (_by_order(numbers, seed), _by_digits(numbers, seed)):
        if len(found) > 1:
            most = max(found.values(), key=lambda each: each.n_found)
            yield FoundRows(
                kind=most.kind,
                columns=tuple(found),
                n_found=most.n_found,
                n_unique=most.n_unique,
                n_expected=most.n_expected,
                p_value=sorted(each.p_value for each in found.values())[1],
            )


def _by_order(numbers: dict[str, tuple[FloatArray, FloatArray]], seed: int) -> dict[str, FoundRows]:
    """Return the columns in which neighbours are still neighbours."""
    kept = {}
    for name, (original, scrambled) in numbers.items():
        if _is_sorted(original) or _is_sorted(scrambled):
            continue
        found = rows_found(
            "order",
            [name],
            (_neighbours(original), _neighbours(scrambled)),
            partial(_shuffled, column=original),
            seed=seed,
        )
        if found is not None and found.n_found >= _FEWEST_MATCHED * found.n_unique:
            kept[name] = found
    return kept


def _shuffled(generator: np.random.Generator, *, column: FloatArray) -> Hashes:
    return _neighbours(generator.permutation(column))


def _is_sorted(column: FloatArray) -> bool:
    known = column[~np.isnan(column)]
    return bool((known[1:] >= known[:-1]).all() or (known[1:] <= known[:-1]).all())


def _neighbours(column: FloatArray) -> Hashes:
    """Return the signatures of every two values that stand next to each other, in whatever order."""
    both = np.column_stack([column[:-1], column[1:]])
    return row_hashes(np.sort(both[~np.isnan(both).any(axis=1)], axis=1))


def _by_digits(numbers: dict[str, tuple[FloatArray, FloatArray]], seed: int) -> dict[str, FoundRows]:
    """Return the scrambled columns whose values end as those of another do, beyond the original's digits."""
    units = {
        name: [2 * last_place(side[~np.isnan(side)]) for side in sides] for name, sides in numbers.items()
    }
    finer = [name for name, (own, other) in units.items() if other < own]
    whole = min((units[name][0] for name in finer), default=1.0)
    last = max(min((units[name][1] for name in finer), default=1.0), _LAST)
    n_endings = round(whole / last)
    if n_endings < _FEWEST_DIGITS:
        return {}
    ends = {}
    for name in finer:
        column = numbers[name][1]
        ends[name] = np.round(column[~np.isnan(column)] / last) % n_endings
    shared: dict[str, FoundRows] = {}
    for one, other in combinations(finer, 2):
        found = rows_found(
            "digits",
            [one, other],
            (row_hashes(ends[one][:, None]), row_hashes(ends[other][:, None])),
            partial(_drawn, shape=(len(ends[one]), 1), n_endings=n_endings),
            seed=seed,
        )
        if found is not None and found.n_found >= _FEWEST_MATCHED * found.n_unique:
            shared.setdefault(one, found)
            shared.setdefault(other, found)
    return shared


def _drawn(generator: np.random.Generator, *, shape: tuple[int, int], n_endings: int) -> Hashes:
    return row_hashes(generator.integers(0, n_endings, shape).astype(float))
