"""Tables of no common key that share numbers: what stands once in both tells which records are one person's.

An amount to the cent, a balance carried over or a measured value stands once in each table. If such values
meet far more often than numbers as dense, and as often repeated within a table, would by chance, they are a
key as good as the one taken away.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple, Protocol

import numpy as np

from core.chance import NO_ACCIDENT, poisson_tail
from core.coding import CodedTable, FloatArray, IntArray, combination_codes
from core.delivery.keys import Place
from core.values.cells import as_numbers
from core.values.dates import read_days

_FEWEST, _SHARE = 20, 0.1  # values met beyond chance, and their share of those that stand once
_NEARLY_ONCE = 0.3  # share of records whose value stands once, from which a column tells records apart
_FINEST = 1e-6  # steps of numbers that are looked at
_MULTIPLES = 0.95  # share of values that are multiples of a coarser step
_NEIGHBOURS = 10  # values to either side by which a density is told
_DAY = 86_400


class _Facts(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def key_columns(self) -> tuple[str, ...]: ...
    @property
    def quasi_identifiers(self) -> tuple[str, ...]: ...
    @property
    def person_column(self) -> object: ...
    @property
    def read_by(self) -> tuple[Place, ...]: ...
    @property
    def counts(self) -> object: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Met:
    """Two columns whose values join the records of two tables."""

    one: Place
    other: Place
    n_met: int  # values that stand once in both, and those that stand once in the table that has fewer
    n_once: int
    n_by_chance: float
    # shape (n_met,): how many of the joined records are alike by the quasi-identifiers of both tables
    alike: IntArray


class _Numbers(NamedTuple):
    """The values of a column that stand once, ascending, and their records."""

    place: Place
    values: FloatArray
    records: IntArray
    repeated: float  # chance that two records of the table have the same value


def met_values(tables: Mapping[str, CodedTable], facts: Sequence[_Facts]) -> tuple[Met, ...]:
    """Return of each two tables, not both joined to persons, the columns whose values meet most often."""
    of_people = [each for each in facts if not each.read_by and each.counts is None]
    if all(each.person_column is not None for each in of_people):
        return ()
    columns = {each.name: list(_columns(tables[each.name], each)) for each in of_people}
    found = []
    for one, other in combinations(of_people, 2):
        if one.person_column is not None and other.person_column is not None:
            continue
        pairs = list(product(columns[one.name], columns[other.name]))
        met = [each for pair in pairs if (each := _met(*pair, tables, (one, other), len(pairs))) is not None]
        found += sorted(met, key=lambda each: -each.n_met + each.n_by_chance)[:1]
    return tuple(found)


def _columns(table: CodedTable, facts: _Facts) -> Iterator[_Numbers]:
    for column in table.table.column_names:
        cells = table[column].trimmed
        if column in facts.key_columns or cells.n_distinct < _NEARLY_ONCE * max(cells.n_filled, _FEWEST):
            continue
        numbers = as_numbers(cells.values)
        if numbers is None:
            days = read_days(cells.values)
            numbers = None if np.isnan(days).any() else np.round(days * _DAY)
        if numbers is None or np.isnan(numbers).any():
            continue
        each, place, n = np.unique(numbers, return_inverse=True, return_counts=True)
        per_record = np.append(place, len(each))[cells.codes]
        n_of = np.bincount(per_record, minlength=len(each) + 1)[: len(each)]
        record = np.full(len(each) + 1, -1)
        record[per_record] = np.arange(len(per_record))
        once = np.flatnonzero((n_of == 1) & (n == 1))
        if len(once) >= max(_NEARLY_ONCE * cells.n_filled, _FEWEST):
            n_pairs = max(cells.n_filled * (cells.n_filled - 1), 1)
            repeated = float((n_of * (n_of - 1)).sum() + 2) / n_pairs
            yield _Numbers(Place(facts.name, column), each[once], record[once], repeated)


def _step(values: FloatArray) -> float:
    """Return the step that nearly all values are multiples of: a power of ten."""
    step = _FINEST
    while (
        step < 1e9
        and np.mean(np.abs(values / step / 10 - np.round(values / step / 10)) < _FINEST) >= _MULTIPLES
    ):
        step *= 10
    return step


def _met(
    one: _Numbers,
    other: _Numbers,
    tables: Mapping[str, CodedTable],
    facts: tuple[_Facts, _Facts],
    n_tried: int,
) -> Met | None:
    step = min(_step(one.values), _step(other.values))
    mine, theirs = (np.round(each.values / step).astype(np.int64) for each in (one, other))
    both, first, second = np.intersect1d(mine, theirs, return_indices=True)
    n_once = min(len(mine), len(theirs))
    if len(both) < max(_FEWEST, _SHARE * n_once):
        return None
    repeated = len(mine) * len(theirs) * (one.repeated + other.repeated) / 2
    by_chance = max(_by_chance(mine, theirs), repeated)
    is_more = float(poisson_tail(len(both), max(by_chance, 1e-9))) < NO_ACCIDENT / n_tried
    if len(both) - by_chance < max(_FEWEST, _SHARE * n_once) or not is_more:
        return None
    records = one.records[first], other.records[second]
    codes = [
        tables[each.name][column].trimmed.codes[at].astype(np.int64) + 1
        for each, at in zip(facts, records, strict=True)
        for column in each.quasi_identifiers
        if column not in (one.place.column, other.place.column)
    ]
    alike = combination_codes(codes, n_records=len(both))
    return Met(
        one=one.place,
        other=other.place,
        n_met=len(both),
        n_once=n_once,
        n_by_chance=by_chance,
        alike=np.bincount(alike)[alike],
    )


def _by_chance(mine: IntArray, theirs: IntArray) -> float:
    """Return how many of `mine` would meet one of `theirs`, both ascending, were these spread as densely."""
    n = min(_NEIGHBOURS, len(theirs) // 2)
    at = np.searchsorted(theirs, mine)
    low, high = np.clip(at - n, 0, len(theirs) - 1), np.clip(at + n, 0, len(theirs) - 1)
    is_near = (mine >= theirs[0]) & (mine <= theirs[-1])
    density = (high - low) / np.maximum(theirs[high] - theirs[low], 1)
    return float(np.minimum(density * is_near, 1).sum())
