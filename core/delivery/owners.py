"""Whose the records of a table are where two columns say it together, or another table does.

A release and earlier ones are compared person by person. The tests of a visit name the visit; whose that is
stands in the table of visits, of this release and of each earlier one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.delivery.keys import fold_keys
from core.releases import EarlierTable, Ledger, ReleasedTable, table_for
from core.tables import Dataset


@dataclass(frozen=True, kw_only=True)
class Whose:
    """Where a table says whose its records are."""

    column: str  # what the column is called, that of the table or one that is made
    key: tuple[str, ...]  # columns of the table that say it, or what leads to the table that does
    there: str | None = None  # that table
    there_key: tuple[str, ...] = ()
    is_folded: bool = False  # whether keys match only when spelled alike

    @property
    def is_made(self) -> bool:
        """Return whether the table has no such column."""
        return self.there is not None or len(self.key) > 1


def with_persons(name: str, tables: Mapping[str, Dataset], whose: Mapping[str, Whose]) -> Dataset:
    """Return a table with a column more that says whose a record is, where none of its own does."""
    dataset = tables[name]
    if name not in whose or not whose[name].is_made:
        return dataset
    cells = _cells(name, tables, whose)
    if cells is None:
        return dataset
    return replace(dataset, table=dataset.table.append_column(whose[name].column, cells))


def _cells(name: str, tables: Mapping[str, Dataset], whose: Mapping[str, Whose]) -> pa.Array | None:
    """Return the pseudonym of each record; None where a column or table is missing."""
    way = whose[name]
    keys = _joined(tables[name], way.key)
    if way.there is None or keys is None:
        return keys
    if way.there not in tables or way.there not in whose:
        return None
    persons = _cells(way.there, tables, whose)
    there = _joined(tables[way.there], way.there_key)
    if persons is None or there is None:
        return None
    if way.is_folded:
        keys, there = fold_keys(keys), fold_keys(there)
    return persons.take(pc.index_in(keys, value_set=there, skip_nulls=True))


def _joined(dataset: Dataset, columns: Sequence[str]) -> pa.Array | None:
    if any(column not in dataset.columns for column in columns):
        return None
    parts = [
        pc.utf8_trim_whitespace(dataset.table[column].combine_chunks().cast(pa.large_string()))
        for column in columns
    ]
    return pc.binary_join_element_wise(*parts, pa.scalar("\x1f", pa.large_string()))


def earlier_with_persons(
    earlier: Sequence[EarlierTable | Ledger], released: Sequence[ReleasedTable], whose: Mapping[str, Whose]
) -> list[EarlierTable | Ledger]:
    """Return the tables of earlier releases with columns that say whose a record is, as `with_persons` does.

    The table that says it is the one of the same folder that stands for it, else the one that has most of
    the keys.
    """
    stands_for: dict[str, list[EarlierTable]] = {}
    for each in earlier:
        if isinstance(each, EarlierTable):
            table = table_for(each.dataset.name, each.dataset.columns, released)
            stands_for.setdefault("" if table is None else table.name, []).append(each)

    def made(name: str, each: EarlierTable) -> EarlierTable:
        tables, at = {name: each.dataset}, name
        while at in whose and (there := whose[at].there) is not None and there not in tables:
            having = stands_for.get(there, [])
            if not having:
                break
            way, here = whose[at], tables[at]
            tables[there] = max(
                having,
                key=lambda other: (_folder(other) == _folder(each), _share_found(here, other.dataset, way)),
            ).dataset
            at = there
        return replace(each, dataset=with_persons(name, tables, whose))

    done = {id(each): made(name, each) for name, tables in stands_for.items() for each in tables}
    return [done.get(id(each), each) for each in earlier]


def _folder(table: EarlierTable) -> str:
    return table.release.rpartition("/")[0]


def _share_found(here: Dataset, there: Dataset, way: Whose) -> float:
    keys, others = _joined(here, way.key), _joined(there, way.there_key)
    if keys is None or others is None:
        return -1.0
    if way.is_folded:
        keys, others = fold_keys(keys), fold_keys(others)
    return (
        float(np.mean(pc.is_in(keys, value_set=others).to_numpy(zero_copy_only=False))) if len(keys) else 0.0
    )
