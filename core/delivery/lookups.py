"""Lookup tables, such as wards and hospitals: read as columns of the table that refers to them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable, Codes, IntArray, sorted_distinct
from core.delivery.keys import Link, Persons, Place, fold_keys
from core.people.roles import Role, RoleSuggestion

_FOR_LIFE = frozenset({"sex or gender", "date of birth"})
_OFTEN = 0.25  # share of the keys that repeat, from which what is beside them is not of one person
INTO = " > "  # between a key and the column that it leads to
OF_ONE = 0.95  # share of a key's values that are each of one person, from which it numbers persons' records


@dataclass(frozen=True, kw_only=True, eq=False)
class Lookups:
    """Tables of persons with the columns that their keys lead to."""

    tables: Mapping[str, CodedTable]  # all tables, those of persons with the columns of lookup tables
    # by table that was read so: the columns that lead to it, of tables of persons or of other lookup tables
    referring: Mapping[str, tuple[Place, ...]]
    columns: Mapping[Place, Place]  # each new column of a table of persons, and where it is from


def with_lookups(
    tables: Mapping[str, CodedTable],
    links: Sequence[Link],
    of_persons: Collection[str],
    kept: Mapping[str, Sequence[str]],
) -> Lookups:
    """Return tables of persons with the columns of the tables that they refer to, and what those refer to.

    A lookup table is not of persons and has a column that names each of its records once; many records of
    the other may name one. `kept` are the columns that are released, by table. A column is named by the way
    to it, such as ``ward > hospital > city``; it is missing where the key is, or leads nowhere.
    """
    ways = _Ways(tables, links, kept)
    columns: dict[Place, Place] = {}
    found = dict(tables)
    for name in of_persons:
        for column, cells, origin in list(ways.columns(name, {*of_persons})):
            found[name] = replace(found[name], table=found[name].table.append_column(column, cells))
            columns[Place(name, column)] = origin
    once = {name: tuple(dict.fromkeys(places)) for name, places in ways.referring.items()}
    return Lookups(tables=found, referring=once, columns=columns)


class _Ways:
    def __init__(
        self, tables: Mapping[str, CodedTable], links: Sequence[Link], kept: Mapping[str, Sequence[str]]
    ) -> None:
        self._tables, self._links, self._kept = tables, links, kept
        self.referring: dict[str, list[Place]] = {}

    def columns(self, name: str, passed: set[str]) -> Iterator[tuple[str, pa.Array, Place]]:
        """Yield the columns that the keys of a table lead to: name, cells, and where they are from."""
        for link in self._links:
            for there, here, is_unique in (
                (link.one, link.other, link.one_is_unique),
                (link.other, link.one, link.other_is_unique),
            ):
                if here.table != name or not is_unique or there.table in passed:
                    continue
                self.referring.setdefault(there.table, []).append(here)
                row = rows_named(self._tables, here, there, is_folded=link.is_folded)
                mine = self._tables[there.table].table
                own = (
                    (column, mine[column].combine_chunks(), Place(there.table, column))
                    for column in self._kept[there.table]
                    if column != there.column
                )
                for column, cells, origin in (*own, *self.columns(there.table, passed | {there.table})):
                    yield f"{here.column}{INTO}{column}", cells.take(row), origin


def rows_named(tables: Mapping[str, CodedTable], here: Place, there: Place, *, is_folded: bool) -> pa.Array:
    """Return of each record the row of the lookup table that its key names, null for none."""
    keys, named = (tables[place.table][place.column].trimmed for place in (here, there))
    values, others = keys.values, named.values
    if is_folded:
        values, others = fold_keys(values), fold_keys(others)
    row_of_value = np.full(len(named.values), -1, dtype=np.int64)
    filled = np.flatnonzero(named.codes >= 0)
    row_of_value[named.codes[filled]] = filled
    place = pc.fill_null(pc.index_in(values, value_set=others), -1).to_numpy(zero_copy_only=False)
    row = np.append(np.where(place >= 0, row_of_value[place], -1), -1)[keys.codes]
    return pa.array(row, mask=row < 0)


def keys_of_persons(
    name: str,
    tables: Mapping[str, CodedTable],
    links: Sequence[Link],
    persons: Persons,
    facts: Collection[Place],
) -> set[str]:
    """Return the columns of a table that are keys: they number persons or their records, and no more.

    Other joined columns, such as a course that several persons take, are what others may know, and so are
    those of `facts`.
    """
    own = {*persons.columns.values(), *(place for way in persons.through.values() for place in way[:2])}
    joined = {*(place for link in links for place in link.places), *persons.columns.values()}
    return {
        place.column
        for place in joined
        if place.table == name
        and (place in own or (place not in facts and _names_records(place, tables, persons)))
    }


def facts_among(
    tables: Mapping[str, CodedTable],
    links: Sequence[Link],
    suggestions: Mapping[str, Sequence[RoleSuggestion]],
) -> set[Place]:
    """Return the columns that say what others know of a person, and are no person by themselves.

    So do those that read as quasi-identifiers, and joined ones that nobody named, whose records differ in
    what a person has once for life, the sex or a date of birth: the persons of a household, for one.
    """
    read = {
        Place(name, each.column) for name, found in suggestions.items() for each in found if _is_known(each)
    }
    for place in {place for link in links if not link.is_given for place in link.places}:
        for_life = [each for each in suggestions[place.table] if each.kind in _FOR_LIFE]
        table = tables[place.table]
        if any(
            _differ(table[place.column], table[each.column])
            for each in for_life
            if each.column != place.column
        ):
            read.add(place)
    return read


def _is_known(suggestion: RoleSuggestion) -> bool:
    return suggestion.role is Role.QUASI_IDENTIFIER


def _differ(keys: CodedColumn, values: CodedColumn) -> bool:
    """Return whether a good part of the keys that repeat stand beside several values."""
    key = keys.trimmed.codes
    n_cells, n_values = np.bincount(key[key >= 0], minlength=1), _n_beside(key, values.trimmed.codes)
    repeated = n_cells > 1
    return bool(repeated.any() and np.mean(n_values[repeated] > 1) >= _OFTEN)


def _n_beside(key: Codes, value: Codes) -> IntArray:
    """Return shape (n_keys,): how many different values stand beside each key; missing ones are none."""
    known, size = (key >= 0) & (value >= 0), int(value.max(initial=-1)) + 1
    pairs = sorted_distinct(key[known].astype(np.int64) * max(size, 1) + value[known])
    return np.bincount(pairs // max(size, 1), minlength=int(key.max(initial=-1)) + 1)


def _names_records(place: Place, tables: Mapping[str, CodedTable], persons: Persons) -> bool:
    """Return whether nearly each value of a column is of one person alone, as a visit's number is."""
    codes = tables[place.table][place.column].trimmed.codes
    n_persons = _n_beside(codes, persons.of_record[place.table])
    n_persons = n_persons[n_persons > 0]
    return bool(len(n_persons) and np.mean(n_persons == 1) >= OF_ONE)
