"""Tables that no key joins, and that stand in the same order: place by place they are of the same persons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from core.coding import CodedTable, combination_codes
from core.people.roles.vocabulary import name_tokens

_FEWEST_RECORDS = 20
_MOST_VALUES = 0.5  # share of distinct values up to which a column is compared
_ALIKE = 0.98  # share of records that agree in all shared columns
_SURELY = 60.0  # bits by which that is more than chance
_SORTED = 2.0  # runs a combination, up to which the tables are only sorted alike


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def key_columns(self) -> tuple[str, ...]: ...
    @property
    def person_column(self) -> object: ...


@dataclass(frozen=True, kw_only=True)
class SameOrder:
    """Two tables whose records agree place by place."""

    first: str
    second: str
    columns: tuple[str, ...]  # that both have and by which it is seen
    n_records: int


def same_orders(tables: Mapping[str, CodedTable], facts: Sequence[_Named]) -> tuple[SameOrder, ...]:
    """Return pairs of tables, not both joined to persons, of one length whose shared columns agree by place.

    Tables that were both sorted by what they share agree too, and tell nothing by it; columns of keys are not
    compared.
    """
    found = []
    for one, other in combinations(facts, 2):
        first, second = tables[one.name], tables[other.name]
        n = first.table.num_rows
        joined = one.person_column is not None and other.person_column is not None
        if joined or n != second.table.num_rows or n < _FEWEST_RECORDS:
            continue
        shared = _shared(first, second, {*one.key_columns, *other.key_columns})
        if shared and _agree(first, second, shared):
            found.append(
                SameOrder(
                    first=one.name, second=other.name, columns=tuple(mine for mine, _ in shared), n_records=n
                )
            )
    return tuple(found)


def _shared(first: CodedTable, second: CodedTable, keys: set[str]) -> list[tuple[str, str]]:
    names = {name_tokens(column): column for column in second.table.column_names}
    return [
        (column, names[tokens])
        for column in first.table.column_names
        if (tokens := name_tokens(column)) in names
        and column not in keys
        and 1 < first[column].n_distinct <= _MOST_VALUES * first.table.num_rows
    ]


def _agree(first: CodedTable, second: CodedTable, shared: Sequence[tuple[str, str]]) -> bool:
    n = first.table.num_rows
    mine, theirs = [], []
    for column, other in shared:
        values = {value: code for code, value in enumerate(first[column].trimmed.values.to_pylist())}
        place = np.array([values.get(each, len(values)) for each in second[other].trimmed.values.to_pylist()])
        mine.append(first[column].trimmed.codes + 1)
        theirs.append(np.append(place, -1)[second[other].trimmed.codes] + 1)
    stacked = [np.concatenate(pair).astype(np.int64) for pair in zip(mine, theirs, strict=True)]
    codes = combination_codes(stacked, n_records=2 * n)
    one, other_ = codes[:n], codes[n:]
    share = np.bincount(one, minlength=int(codes.max()) + 1) / n
    bits = -np.log2((share**2).sum()) * n
    n_runs = 1 + int(np.count_nonzero(one[1:] != one[:-1]))
    return bool(
        np.mean(one == other_) >= _ALIKE and bits >= _SURELY and n_runs > _SORTED * len(np.unique(one))
    )
