"""Tables of counts in a delivery: each by itself, beside the others, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from core.coding import CodedTable
from core.counts import (
    CellsMeasurement,
    Cube,
    Together,
    cells_of_records,
    looks_like_counts,
    measure_counts,
    measure_together,
)
from core.delivery.keys import Place
from core.errors import AuditInputError
from core.people.roles.vocabulary import name_tokens
from core.releases import EarlierTable, Ledger, ReleasedTable, table_for
from core.values.cells import as_numbers

if TYPE_CHECKING:
    from core.delivery.measuring import DeliveryMeasurement, TableFacts


def tables_of_counts(tables: Mapping[str, CodedTable]) -> set[str]:
    """Return the names of tables whose records are counts of people."""
    return {
        name
        for name, each in tables.items()
        if looks_like_counts(each.table, each.table.column_names) is not None
    }


def with_other_counts(
    measured: DeliveryMeasurement,
    tables: Mapping[str, CodedTable],
    released: Sequence[ReleasedTable],
    earlier: Sequence[EarlierTable | Ledger],
) -> tuple[DeliveryMeasurement, list[EarlierTable | Ledger]]:
    """Return tables of counts beside each other and earlier ones, and all other earlier tables."""
    are_counts = {each.name: each for each in measured.tables if each.counts is not None}
    of: dict[str, list[EarlierTable]] = {}
    others: list[EarlierTable | Ledger] = []
    for each in earlier:
        table = (
            table_for(each.dataset.name, each.dataset.columns, released)
            if isinstance(each, EarlierTable)
            else None
        )
        if isinstance(each, EarlierTable) and table is not None and table.name in are_counts:
            of.setdefault(table.name, []).append(each)
        else:
            others.append(each)
    facts = tuple(
        each if each.counts is None else _with_others(each, tables, measured, of.get(each.name, ()))
        for each in measured.tables
    )
    return replace(measured, tables=facts, counts_together=_counts_together(facts, tables)), others


def _with_others(
    counts: TableFacts,
    tables: Mapping[str, CodedTable],
    measured: DeliveryMeasurement,
    earlier: Sequence[EarlierTable],
) -> TableFacts:
    """Return a table of counts beside the others, and beside records of persons."""
    others = [each for each in measured.tables if each.name != counts.name]
    records = [(each.name, _counted(each, tables[each.name], counts, measured)) for each in others]
    beside = [
        (each.name, tables[each.name].table.select(each.columns))
        for each in others
        if each.counts is not None
    ]
    counted = [(name, table) for name, table in records if table is not None]
    if not (earlier or beside or counted):
        return counts
    table = tables[counts.name].table
    return replace(counts, counts=counts_of(counts, table, earlier, beside=beside, records=counted))


def _counted(
    records: TableFacts, table: CodedTable, counts: TableFacts, measured: DeliveryMeasurement
) -> pa.Table | None:
    """Return the persons of a table of records by the columns that a table of counts has too."""
    mine = set(map(name_tokens, counts.columns))
    shared = [column for column in records.columns if name_tokens(column) in mine]
    if records.counts is not None or not shared or not _is_of_persons(records, measured):
        return None
    counted = table.table.select(shared).group_by(shared).aggregate([([], "count_all")])
    names = [*shared, "count"]
    return counted.rename_columns(names).cast(pa.schema([(name, pa.string()) for name in names]))


def _is_of_persons(facts: TableFacts, measured: DeliveryMeasurement) -> bool:
    """Return whether a table has one record a person, or where nobody is known one for each number."""
    if measured.n_persons is not None:
        return facts.person_column is not None and not facts.repeats
    return bool(facts.numbers)


def _counts_together(facts: Sequence[TableFacts], tables: Mapping[str, CodedTable]) -> tuple[Together, ...]:
    """Return what tables of counts tell together, and with those of one record a person.

    Columns are the same where they are named alike.
    """
    if not any(each.counts is not None for each in facts):
        return ()
    named: dict[tuple[str, ...], str] = {}
    cubes = []
    for each in facts:
        if each.counts is not None:
            cube: Cube | None = each.counts.measured[0].cube
        else:
            is_of_persons = each.person_column is not None and not each.repeats
            released = tables[each.name].table.select(each.quasi_identifiers if is_of_persons else [])
            cube = cells_of_records(released)
        if cube is None:
            continue
        columns = [column.removeprefix(f"{each.name}.") for column in cube.dimensions]
        alike = [named.setdefault(name_tokens(column), column) for column in columns]
        if len(set(alike)) == len(alike):
            cubes.append((each.name, replace(cube, dimensions=tuple(alike))))
    return measure_together(cubes)


def counts_of(
    facts: TableFacts,
    table: pa.Table,
    earlier: Sequence[EarlierTable] = (),
    beside: Sequence[tuple[str, pa.Table]] = (),
    records: Sequence[tuple[str, pa.Table]] = (),
) -> CellsMeasurement | None:
    """Return what the cells of a table of counts tell, columns named with the table; None of no counts."""
    found = looks_like_counts(table, facts.released)
    if found is None:
        return None
    names = {column: str(Place(facts.name, column)) for column in facts.columns}
    table = table.select(facts.columns).rename_columns([*names.values()])
    further = [
        (
            each.release,
            each.dataset.table.rename_columns([names.get(name, name) for name in each.dataset.columns]),
        )
        for each in earlier
    ]
    counted = names[found[0]]
    worded = [each for each in table.column_names if each != counted and not _is_plain_number(table[each])]
    try:
        measured = measure_counts(
            table,
            count=counted,
            dimensions=worded,
            name=facts.name,
            others=further,
            beside=[(name, _named_alike(each, names, counted)) for name, each in beside],
            records=[(name, _named_alike(each, names, counted)) for name, each in records],
        )
    except AuditInputError:  # no table of cells
        return None
    return CellsMeasurement(
        name=facts.name, dimensions=tuple(worded), measured=(measured,), contributions=None
    )


def _named_alike(table: pa.Table, names: Mapping[str, str], count: str) -> pa.Table:
    """Return another table of counts with its counts, and columns of one name, named as in this one."""
    mine = {name_tokens(column): name for column, name in names.items() if name != count}
    found = looks_like_counts(table, table.column_names)
    named = [
        count if found is not None and column == found[0] else mine.pop(name_tokens(column), column)
        for column in table.column_names
    ]
    return table.rename_columns(named)


def _is_plain_number(column: pa.ChunkedArray) -> bool:
    """Return whether a column holds whole numbers, such as further counts."""
    numbers = as_numbers(column.unique())
    return numbers is not None and not bool((numbers % 1 != 0).any())
