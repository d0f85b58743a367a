"""Rows that stayed together although columns were recoded: labels exchanged, digits turned, answers inverted.

Rows and the values of each column give each other colours, starting from nothing but the column (colour
refinement): a value's is made of those of its rows, a row's of those of its values. Tables whose rows stayed
together under any one-to-one recoding of each column have the same colours; columns shuffled on their own
have not. Which columns were kept together is told by every two first.

References
----------
Weisfeiler, Leman, The reduction of a graph to canonical form, Nauchno-Technicheskaya Informatsiya 2(9), 1968.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from core.coding import Codes, IntArray, combined_codes, value_codes
from core.leakage.pairing import TablePair, follows
from core.leakage.row_signatures import FEWEST_COLUMNS, FoundRows, Hashes, rows_found, stirred

_MOST_ROWS, _MOST_COLUMNS = 300_000, 24
_MOST_OF_LONG_ONES, _LONG = 6, 20_000  # columns of tables with more rows than that
_ROUNDS = 4
_MOST_PARTNERS = 0.8  # of a block's columns, with which each column of it was kept together

_Coded: TypeAlias = IntArray  # shape (n_rows,), a code of each cell from 0 on


def find_recoded_rows(pair: TablePair, columns: Sequence[str], *, seed: int) -> FoundRows | None:
    """Return the rows of a colour of their own that one scrambled row has; None where chance gives them.

    Looked at are the 24 columns (six of more than 20,000 rows) with the most different values among those
    whose values are as frequent in both tables, a blank cell a value too; nothing of more than 300,000 rows.
    Every two of them that have the same colours, where the original's own with one of them shuffled have not,
    are kept together; those kept together with most others are the block, but those that follow from another.

    Parameters
    ----------
    pair, columns
        The tables, and the columns that are compared.
    seed
        Where shuffling starts.
    """
    n_rows = pair.original.n_records
    if n_rows != pair.scrambled.n_records or n_rows > _MOST_ROWS:
        return None
    most = _MOST_COLUMNS if n_rows <= _LONG else _MOST_OF_LONG_ONES
    coded = dict(_as_frequent(pair, columns)[:most])
    block = _block(coded, np.random.default_rng((seed, 8)))
    block = [
        name for name in block if not any(follows(pair, name, other) for other in block if other != name)
    ]
    if len(block) < FEWEST_COLUMNS:
        return None
    sides = [[coded[name][side] for name in block] for side in (0, 1)]

    def shuffled(generator: np.random.Generator) -> Hashes:
        return _colours([generator.permutation(column) for column in sides[0]])

    return rows_found("recoded", block, (_colours(sides[0]), _colours(sides[1])), shuffled, seed=seed)


def _as_frequent(pair: TablePair, columns: Sequence[str]) -> list[tuple[str, tuple[_Coded, _Coded]]]:
    """Return the columns with values as frequent in both tables, those of most different values first."""
    found = []
    for name in columns:
        codes = pair.codes[name]
        counts = [np.sort(each[each > 0]) for each in codes.counts_with_missing()]
        if len(counts[0]) > 1 and np.array_equal(counts[0], counts[1]):
            sides = (value_codes(codes.original), value_codes(codes.anonymized))
            if len(counts[0]) < len(sides[0]):
                found.append((len(counts[0]), name, sides))
    found.sort(key=lambda each: -each[0])
    return [(name, sides) for _, name, sides in found]


def _block(coded: dict[str, tuple[_Coded, _Coded]], generator: np.random.Generator) -> list[str]:
    """Return the columns of which nearly every two were kept together."""
    partners: dict[str, set[str]] = {name: set() for name in coded}
    for one, other in combinations(coded, 2):
        (first, first_there), (second, second_there) = coded[one], coded[other]
        mine = _pair_sum(first, second)
        if mine == _pair_sum(first_there, second_there) != _pair_sum(first, generator.permutation(second)):
            partners[one].add(other)
            partners[other].add(one)
    while partners:
        fewest = min(partners, key=lambda name: len(partners[name]))
        if len(partners[fewest]) >= _MOST_PARTNERS * (len(partners) - 1):
            break
        del partners[fewest]
        for others in partners.values():
            others.discard(fewest)
    return [name for name in coded if name in partners]


def _pair_sum(one: _Coded, other: _Coded) -> int:
    """Return a sum over rows of how many have each value, and both, which no recoding changes."""
    both = value_codes(combined_codes([one, other], n_records=len(one)))
    found = np.zeros(len(one), dtype=np.uint64)
    for codes in (one, other, both):
        found = stirred(found + np.bincount(codes)[codes].astype(np.uint64))
    return int(found.sum())


def _colours(columns: Sequence[Codes]) -> Hashes:
    """Return shape (n_rows,): the colour of each row, as a hash."""
    rows = np.ones(len(columns[0]), dtype=np.uint64)
    orders = [np.argsort(column, kind="stable") for column in columns]
    starts = [np.append(0, np.cumsum(np.bincount(column))[:-1]) for column in columns]
    for _ in range(_ROUNDS):
        after = stirred(rows)
        for place, column in enumerate(columns):
            of_values = np.add.reduceat(stirred(rows)[orders[place]], starts[place])
            after = stirred(after + stirred(of_values + np.uint64(place + 1))[column])
        rows = after
    return rows
