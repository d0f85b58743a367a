"""Persons, or households, found by all their records: what lies between these, whatever was done to each.

Days between visits stay where every date of a person is moved by one number, and a household's ages stay
where they are shuffled inside it. As long as a column tells which records belong together, they find people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray, IntArray, value_codes
from core.leakage.near_copies import NearCopies, find_near_copies
from core.leakage.pairing import TablePair, pair_tables
from core.leakage.row_signatures import FoundRows, Hashes, columns_of_numbers, rows_found, stirred
from core.leakage.settings import LeakageSettings

_MOST_ROWS, _MOST_COLUMNS, _MOST_KEYS = 50_000, 20, 3
_FEWEST, _FEWEST_NEAR, _RECORDS = 20, 50, (1.2, 50)  # persons, of whom means are near; records of one
_FEWEST_RECORDS = 3  # of a person who can be found
_MOST_COMPARISONS = 500_000_000
_FOUND = 0.1  # of the persons with so many records
_STEP = 1e-6  # by which numbers are told apart


def find_persons_again(pair: TablePair, columns: Sequence[str], *, seed: int) -> Iterator[FoundRows]:
    """Yield by which column most persons are found, of the first 50,000 rows.

    Persons are the values of a column of both tables that is no number and repeats. A person's signature is
    how far the numbers or dates of three records or more are from the smallest. Chance: see
    :mod:`core.leakage.row_signatures`; shuffled are the values over all records.

    Parameters
    ----------
    pair, columns
        The tables, and the columns that are compared.
    seed
        Where shuffling starts.
    """
    sides, read, keys = _read(pair, columns)
    found = []
    for key in keys:
        persons = [value_codes(side[key]) for side in sides]
        for name, parts in read.items():
            signatures = [_signatures(*each) for each in zip(persons, parts, strict=True)]
            shuffled = partial(_shuffled, persons=persons[0], column=parts[0])
            each = rows_found("gaps", [key, name], (signatures[0], signatures[1]), shuffled, seed=seed)
            if each is not None and each.n_found >= _FOUND * len(signatures[0]):
                found.append(each)
    if found:
        yield max(found, key=lambda each: each.n_found - each.n_expected)


_Read = tuple[list[pa.Table], dict[str, list[FloatArray]], list[str]]


def _read(pair: TablePair, columns: Sequence[str]) -> _Read:
    """Return the first rows of both tables, their columns of numbers, and those that may be persons."""
    sides = [each.table.slice(0, _MOST_ROWS) for each in (pair.original, pair.scrambled)]
    read = columns_of_numbers(sides, columns[:_MOST_COLUMNS])
    repeating = [name for name in columns if all(_may_be_persons(side, name) for side in sides)]
    return sides, read, [name for name in repeating if name not in read][:_MOST_KEYS]


def find_near_persons(
    pair: TablePair, columns: Sequence[str], settings: LeakageSettings
) -> NearCopies | None:
    """Return how many persons the means of their numbers point at, by the column that finds most.

    Noise drawn anew for each record averages out. None where no column is that of persons with several
    records, there are fewer than 50 persons, or fewer than two columns of numbers or dates.
    """
    sides, read, keys = _read(pair, columns)
    found = []
    for key in keys if len(read) > 1 else ():
        if min(pc.count_distinct(side[key]).as_py() for side in sides) < _FEWEST_NEAR:
            continue
        tables = [_means(side, key, [parts[at] for parts in read.values()]) for at, side in enumerate(sides)]
        tables = [each.rename_columns(list(read)) for each in tables]
        both = (pair.original, pair.scrambled)
        means = pair_tables(*(replace(each, table=one) for each, one in zip(both, tables, strict=True)))
        found.append(find_near_copies(means, list(read), settings, max_comparisons=_MOST_COMPARISONS))
    return min(found, key=lambda each: each.excess.p_value, default=None)


def _means(table: pa.Table, key: str, columns: Sequence[FloatArray]) -> pa.Table:
    """Return the mean of each column of each person, as text."""
    frame = pd.DataFrame(dict(enumerate(columns))).groupby(value_codes(table[key])).mean()
    return pa.table({str(name): frame[name].map("{:.9g}".format).to_list() for name in frame})


def _may_be_persons(table: pa.Table, name: str) -> bool:
    """Return whether a column repeats as that of a person or household does."""
    n_values = pc.count_distinct(table[name]).as_py()
    least, most = _RECORDS
    return n_values >= _FEWEST and least <= table.num_rows / n_values <= most


def _signatures(persons: IntArray, column: FloatArray) -> Hashes:
    """Return the signatures of the persons with three records or more, shape (n_persons_with_so_many,)."""
    known = (persons >= 0) & ~np.isnan(column)
    persons, numbers = persons[known], column[known]
    order = np.lexsort((numbers, persons))
    persons, numbers = persons[order], numbers[order]
    first = np.flatnonzero(np.diff(persons, prepend=-1))
    sizes = np.diff(np.append(first, len(persons)))
    steps = np.round((numbers - np.repeat(numbers[first], sizes)) / _STEP).view(np.uint64)
    place = (np.arange(len(persons)) - np.repeat(first, sizes)).astype(np.uint64)
    mixed = stirred(steps + stirred(place + np.uint64(1)))
    signed = np.add.reduceat(mixed, first) if len(first) else np.empty(0, dtype=np.uint64)
    return signed[sizes >= _FEWEST_RECORDS]


def _shuffled(generator: np.random.Generator, *, persons: IntArray, column: FloatArray) -> Hashes:
    return _signatures(persons, generator.permutation(column))
