"""Measuring the tables of one delivery: each alone, and all of them read together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.cells import as_numbers
from core.coding import CodedTable, IntArray, combination_codes
from core.delivery.attack import Attack, Records, cheapest_attacks
from core.delivery.keys import Link, Persons, Place, given_links, persons_of, propose_links
from core.delivery.known import Events, Known, events_of, known_all, known_none, known_one, known_several
from core.delivery.order import Sequences, measure_sequences
from core.delivery.settings import DeliverySettings
from core.errors import AuditInputError
from core.roles import Role, RoleSuggestion, suggest_roles
from core.tables import Dataset
from core.words import text

MOST_KNOWN = 3
_DAYS_OF_A_YEAR = 366
_DIRECT = Role.DIRECT_IDENTIFIER
# Kinds of columns that number records or persons, and are nobody's name or number elsewhere.
NUMBERS = frozenset({"record identifier", "identifier by distinctness", "patient or person number"})


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFacts:
    """One table of the delivery."""

    name: str
    n_records: int
    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    key_columns: tuple[str, ...]  # that links join
    suggestions: tuple[RoleSuggestion, ...]
    person_column: Place | None = None  # None where nobody can be told
    n_persons: int = 0
    n_nobody: int = 0  # records that name no person
    n_only_here: int = 0  # persons in this table and in no other
    repeats: bool = False  # whether some person has several records
    # shape (n_persons,): the smallest class of each person in it by its quasi-identifiers, in persons; empty
    # where nobody can be told
    smallest: IntArray

    @property
    def released(self) -> tuple[str, ...]:
        """Return the columns that are no keys, nor numbers of records."""
        numbers = {each.column for each in self.suggestions if each.kind in NUMBERS and each.role is _DIRECT}
        return tuple(column for column in self.columns if column not in {*self.key_columns, *numbers})

    def n_below(self, k: int) -> int:
        """Return the persons whom one of their records puts in a class of fewer than `k` persons."""
        return int(np.count_nonzero(self.smallest < k))


@dataclass(frozen=True, kw_only=True, eq=False)
class DeliveryMeasurement:
    """Everything measured of the tables; thresholds are held against it without measuring again."""

    settings: DeliverySettings
    tables: tuple[TableFacts, ...]
    links: tuple[Link, ...]
    n_persons: int | None  # in all tables together; None where no key joins any
    # what demographics and 0, 1, 2, 3 and all records find; empty where nobody can be told
    known: tuple[Known, ...] = ()
    # the same of records alone, without demographics: k^m-anonymity for m of 1, 2 and 3
    records_alone: tuple[Known, ...] = ()
    attacks: tuple[Attack, ...] = ()  # the facts that find most, by how many they are
    # what one record finds when every released column but keys is known, those of persons too
    everything_known: Known | None = None
    unchosen: tuple[Place, ...] = ()  # the released columns that are neither keys nor quasi-identifiers
    # what the intervals between the dates of a person's records tell, however the dates were shifted
    sequences: tuple[Sequences, ...] = ()
    same_files: tuple[tuple[str, str], ...] = ()  # tables that were given twice; the second is passed over

    def known_by(self, n_events: int | None) -> Known:
        """Return what so many known records find, None for all."""
        return next(each for each in self.known if each.n_events == n_events)

    @cached_property
    def record_tables(self) -> tuple[TableFacts, ...]:
        """Return the tables in which persons have several records."""
        return tuple(table for table in self.tables if table.repeats)


def measure_delivery(
    datasets: Sequence[Dataset],
    settings: DeliverySettings | None = None,
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> DeliveryMeasurement:
    """Read the tables of one delivery together and measure what an intruder finds.

    Parameters
    ----------
    datasets
        The tables, two or more; missing keys name nobody, missing quasi-identifiers are a value of their own.
    settings
        Keys, roles and the size of samples.
    should_stop
        Asked between persons; what is measured by then stands.

    Raises
    ------
    AuditInputError
        A setting names a table or column that is not there, or fewer than two tables hold records.
    """
    settings = settings or DeliverySettings()
    kept, same = _without_copies(datasets)
    names_of = table_names(kept)
    tables = {name: CodedTable(table=each.table) for name, each in zip(names_of, kept, strict=True)}
    names = _Names(tables)
    roles = _Roles(
        quasi={names.place(each, "--quasi-identifier") for each in settings.quasi_identifiers},
        left_out={names.place(each, "--leave-out") for each in settings.leave_out},
    )
    links = _links(tables, names.keys(settings.keys), roles.left_out)
    person = None if settings.person is None else names.place(settings.person, "--person")
    persons = persons_of(tables, links, person=person)
    facts = tuple(_table_facts(name, table, links, persons, roles) for name, table in tables.items())
    measured = DeliveryMeasurement(
        settings=settings, tables=facts, links=links, n_persons=None, same_files=same
    )
    return measured if persons is None else _read_together(measured, tables, persons, should_stop)


def _links(
    tables: Mapping[str, CodedTable], keys: Sequence[tuple[Place, Place]], left_out: set[Place]
) -> tuple[Link, ...]:
    """Return the links that were named, and those proposed between columns that none of them joins."""
    given = given_links(tables, keys)
    taken = {place for link in given for place in (link.one, link.other)}
    proposed = propose_links(_released(tables, left_out))
    return (*given, *(link for link in proposed if not {link.one, link.other} & taken))


def _read_together(
    measured: DeliveryMeasurement,
    tables: Mapping[str, CodedTable],
    persons: Persons,
    should_stop: Callable[[], bool],
) -> DeliveryMeasurement:
    settings, facts = measured.settings, measured.tables
    joined = _Joined(tables, {each.name: each.quasi_identifiers for each in facts}, facts, persons)
    everything = _Joined(tables, {each.name: each.released for each in facts}, facts, persons)
    return replace(
        measured,
        n_persons=persons.n_persons,
        known=joined.known(settings, should_stop),
        records_alone=joined.records_alone(settings, should_stop),
        attacks=joined.attacks(),
        everything_known=everything.one_known(),
        sequences=measure_sequences(
            tables, {each.name: each.released for each in facts if each.repeats}, persons.of_record
        ),
        unchosen=tuple(
            Place(each.name, column)
            for each in facts
            if each.person_column is not None
            for column in each.released
            if column not in each.quasi_identifiers
        ),
    )


class _Roles(NamedTuple):
    """The columns that were chosen."""

    quasi: set[Place]
    left_out: set[Place]


def _without_copies(datasets: Sequence[Dataset]) -> tuple[list[Dataset], tuple[tuple[str, str], ...]]:
    kept: dict[str, Dataset] = {}
    same = []
    for dataset in datasets:
        if dataset.fingerprint in kept:
            same.append((kept[dataset.fingerprint].name, dataset.name))
        else:
            kept[dataset.fingerprint] = dataset
    if len(kept) < 2:
        raise AuditInputError(
            "A data set is two tables or more; give all tables of the delivery, or use Disclosure risk for "
            "one."
        )
    return list(kept.values()), tuple(same)


def table_names(datasets: Sequence[Dataset]) -> list[str]:
    """Return what the tables are called: their files' names, without ending where that keeps them apart."""
    stems = [dataset.name.rpartition(".")[0] or dataset.name for dataset in datasets]
    names = stems if len(set(stems)) == len(stems) else [dataset.name for dataset in datasets]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({n + 1})" if n else name for name, n in zip(names, before, strict=True)]


class _Names:
    """Finds the columns that settings name."""

    def __init__(self, tables: Mapping[str, CodedTable]) -> None:
        self._tables = tables

    def place(self, written: str, option: str) -> Place:
        for name in sorted(self._tables, key=len, reverse=True):
            for prefix in (
                f"{name}.",
                *(f"{name}.{ending}." for ending in ("csv", "tsv", "txt", "xlsx", "parquet")),
            ):
                column = written.removeprefix(prefix)
                if column != written and column in self._tables[name].table.column_names:
                    return Place(name, column)
        raise AuditInputError(
            text(
                "{option}: there is no column {column}; write TABLE.COL with one of the tables {tables}.",
                option=option,
                column=f"`{written}`",
                tables=", ".join(self._tables),
            )
        )

    def keys(self, written: Sequence[str]) -> list[tuple[Place, Place]]:
        found = []
        for key in written:
            one, separator, other = key.partition("=")
            if not separator:
                raise AuditInputError(text("--key needs TABLE.COL=TABLE.COL, received {given}.", given=key))
            pair = self.place(one.strip(), "--key"), self.place(other.strip(), "--key")
            if pair[0].table == pair[1].table:
                raise AuditInputError(
                    text("--key {given} joins a table to itself; name columns of two tables.", given=key)
                )
            found.append(pair)
        return found


def _released(tables: Mapping[str, CodedTable], left_out: set[Place]) -> dict[str, CodedTable]:
    return {
        name: table.select(
            [column for column in table.table.column_names if Place(name, column) not in left_out]
        )
        for name, table in tables.items()
    }


def _table_facts(
    name: str, table: CodedTable, links: Sequence[Link], persons: Persons | None, roles: _Roles
) -> TableFacts:
    columns = tuple(
        column for column in table.table.column_names if Place(name, column) not in roles.left_out
    )
    linked = {place.column for link in links for place in (link.one, link.other) if place.table == name}
    suggestions = suggest_roles(table.select(columns))
    repeats = persons is not None and persons.repeat_in(name)
    released = [column for column in columns if column not in linked]
    facts = TableFacts(
        name=name,
        n_records=table.table.num_rows,
        columns=columns,
        quasi_identifiers=_quasi_identifiers(
            name, table, released, suggestions, roles.quasi, repeats=repeats
        ),
        key_columns=tuple(column for column in columns if column in linked),
        suggestions=suggestions,
        repeats=repeats,
        smallest=np.zeros(0, dtype=np.int64),
    )
    return facts if persons is None or name not in persons.of_record else _with_persons(facts, table, persons)


def _quasi_identifiers(
    name: str,
    table: CodedTable,
    released: Sequence[str],
    suggestions: Sequence[RoleSuggestion],
    chosen: set[Place],
    *,
    repeats: bool,
) -> tuple[str, ...]:
    """Return the columns chosen; else those that look like it, and of records all that can be known.

    Whoever saw a person on a day or at a place knows what a record says of it, but no measured number.
    """
    if chosen:
        return tuple(column for column in released if Place(name, column) in chosen)
    role = {each.column: each.role for each in suggestions}
    return tuple(
        column
        for column in released
        if role[column] is Role.QUASI_IDENTIFIER
        or (repeats and role[column] is Role.OTHER and not _is_measured(table[column].values))
    )


def _is_measured(values: pa.Array) -> bool:
    """Return whether values are numbers with decimals, or more different ones than days of a year."""
    numbers = as_numbers(values)
    return numbers is not None and (len(values) > _DAYS_OF_A_YEAR or bool((numbers % 1 != 0).any()))


def _with_persons(facts: TableFacts, table: CodedTable, persons: Persons) -> TableFacts:
    person = persons.of_record[facts.name]
    here = persons.in_table(facts.name) > 0
    elsewhere = np.zeros(persons.n_persons, dtype=bool)
    for other in persons.of_record:
        if other != facts.name:
            elsewhere |= persons.in_table(other) > 0
    return replace(
        facts,
        person_column=persons.columns[facts.name],
        n_persons=int(np.count_nonzero(here)),
        n_nobody=int(np.count_nonzero(person < 0)),
        n_only_here=int(np.count_nonzero(here & ~elsewhere)),
        smallest=_smallest(table, facts.quasi_identifiers, person, persons.n_persons)[here],
    )


def _smallest(table: CodedTable, quasi: Sequence[str], person: IntArray, n_persons: int) -> IntArray:
    """Return shape (n_persons,): the smallest class, counted in persons, that a record of theirs is in."""
    known = person >= 0
    codes = combination_codes([_codes(table, column) for column in quasi], n_records=len(person))[known]
    everybody = np.zeros(n_persons, dtype=np.int64)
    return known_one(events_of(everybody, person[known], codes)).smallest


class _Joined:
    """Persons with their demographics and records, from all tables."""

    def __init__(
        self,
        tables: Mapping[str, CodedTable],
        chosen: Mapping[str, Sequence[str]],
        facts: Sequence[TableFacts],
        persons: Persons,
    ) -> None:
        self._n_persons = persons.n_persons
        self._of_person: dict[Place, IntArray] = {}
        self._records: dict[str, Records] = {}
        for table in facts:
            if table.person_column is None:
                continue
            person, coded = persons.of_record[table.name], tables[table.name]
            columns = {column: _codes(coded, column) for column in chosen[table.name]}
            if table.repeats:
                self._records[table.name] = Records(person=person, columns=columns)
                continue
            for column, codes in columns.items():
                mine = np.zeros(self._n_persons, dtype=np.int64)  # 0 for who is not in the table
                mine[person[person >= 0]] = codes[person >= 0] + 1
                self._of_person[Place(table.name, column)] = mine
        self._demographics = combination_codes(self._of_person.values(), n_records=self._n_persons)
        self._person, self._event = self._events_of_all()

    def _events_of_all(self) -> tuple[IntArray, IntArray]:
        """Return whose each record with quasi-identifiers is, and its combination of them."""
        person, event, start = [], [], 0
        for records in self._records.values():
            if not records.columns:
                continue
            known = records.person >= 0
            codes = combination_codes(records.columns.values(), n_records=len(known))[known]
            person.append(records.person[known])
            event.append(codes + start)
            start += int(codes.max(initial=-1)) + 1
        nothing = np.zeros(0, dtype=np.int64)
        return np.concatenate([nothing, *person]), np.concatenate([nothing, *event])

    def known(self, settings: DeliverySettings, should_stop: Callable[[], bool]) -> tuple[Known, ...]:
        """Return what demographics with none to three and with all records find."""
        events = events_of(self._demographics, self._person, self._event)
        return (
            known_none(events),
            known_one(events),
            *_several(events, settings, should_stop),
            known_all(self._demographics, self._person, self._event),
        )

    def records_alone(self, settings: DeliverySettings, should_stop: Callable[[], bool]) -> tuple[Known, ...]:
        """Return what one to three records find by themselves."""
        if not len(self._person):
            return ()
        events = events_of(np.zeros_like(self._demographics), self._person, self._event)
        return known_one(events), *_several(events, settings, should_stop)

    def one_known(self) -> Known:
        """Return what demographics and one record find."""
        return known_one(events_of(self._demographics, self._person, self._event))

    def attacks(self) -> tuple[Attack, ...]:
        """Return the cheapest attacks."""
        return cheapest_attacks(self._of_person, self._records, n_persons=self._n_persons)


def _codes(table: CodedTable, column: str) -> IntArray:
    """Return shape (n_records,): codes from 0; missing is a value of its own."""
    return table[column].trimmed.codes.astype(np.int64) + 1


def _several(events: Events, settings: DeliverySettings, should_stop: Callable[[], bool]) -> list[Known]:
    return [
        known_several(
            events, n, most_persons=settings.most_persons, seed=settings.seed, should_stop=should_stop
        )
        for n in range(2, MOST_KNOWN + 1)
    ]
