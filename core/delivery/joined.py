"""The persons of a delivery with all that is told of them, from all tables that keys join.

Parts of cells that hold lists, such as ``chess;golf``, are facts one by one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable, IntArray, combination_codes, value_codes
from core.delivery.attack import Attacks, Records, cheapest_attacks
from core.delivery.keys import Persons, Place
from core.delivery.one_value import Classes
from core.delivery.settings import DeliverySettings
from core.known import Events, Known, events_of, known_all, known_none, known_one, known_several

_MARKS = (";", "|", ",", "/")
_SEVERAL = 0.5  # share of distinct cells that hold several parts
_REPEATED = 3  # times a part stands in the distinct cells, on average
_LONGEST = 40  # letters of a part; sentences have commas too
_FEWEST_PARTS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemList:
    """The parts of a column's lists, each once in a record."""

    record: IntArray  # shape (n_parts,): the record each is in, and its code from 0
    item: IntArray


def read_list(values: CodedColumn) -> ItemList | None:
    """Return the parts of the lists in a column, None where its cells hold no lists.

    They do where one mark parts at least half of the distinct cells into several short parts, each of which
    stands in three of them on average.
    """
    if len(values.values) < _FEWEST_PARTS:
        return None
    for mark in _MARKS:
        split = pc.split_pattern(values.values, mark)
        lengths = pc.list_value_length(split).to_numpy()
        if np.mean(lengths > 1) < _SEVERAL:
            continue
        parts = pc.utf8_trim_whitespace(split.flatten())
        kinds = pc.unique(parts)
        fits = len(parts) >= _REPEATED * len(kinds) >= _REPEATED * _FEWEST_PARTS
        if fits and pc.max(pc.utf8_length(kinds)).as_py() <= _LONGEST and _are_words(kinds):
            return _records(values, value_codes(parts), lengths)
    return None


def _are_words(kinds: pa.Array) -> bool:
    """Return whether parts are words or codes, and no pieces of numbers and dates."""
    return bool(pc.mean(pc.match_substring_regex(kinds, r"\p{L}")).as_py() >= _SEVERAL)


def _records(values: CodedColumn, item: IntArray, lengths: IntArray) -> ItemList:
    first = np.cumsum(lengths) - lengths
    record = np.flatnonzero(values.codes >= 0)
    cell = values.codes[record].astype(np.int64)
    n_parts = lengths[cell].astype(np.int64)
    place = np.arange(n_parts.sum()) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    return ItemList(record=np.repeat(record, n_parts), item=item[np.repeat(first[cell], n_parts) + place])


_MOST_KNOWN = 3


class _Table(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def repeats(self) -> bool: ...
    @property
    def lists(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class ListFacts:
    """A column of lists: what one, two or three of a list's parts find (k^m-anonymity)."""

    place: Place
    known: tuple[Known, ...]


class Joined:
    """Persons with their own quasi-identifiers and their records.

    Parameters
    ----------
    tables, chosen
        By name; the columns that are known.
    facts
        Of the tables that persons are joined to.
    persons
        Whose each record is.
    """

    def __init__(
        self,
        tables: Mapping[str, CodedTable],
        chosen: Mapping[str, Sequence[str]],
        facts: Sequence[_Table],
        persons: Persons,
    ) -> None:
        self._n_persons = persons.n_persons
        self._of_person: dict[Place, IntArray] = {}
        self._records: list[Records] = []
        self._lists: list[Records] = []
        self._numbers: list[
            IntArray
        ] = []  # whose the records are of tables that tell only how many there are
        for table in facts:
            person, coded = persons.of_record[table.name], tables[table.name]
            lists = [column for column in chosen[table.name] if column in table.lists]
            self._lists += [_parts(Place(table.name, column), coded, person) for column in lists]
            columns = {
                Place(table.name, column): column_codes(coded[column])
                for column in chosen[table.name]
                if column not in table.lists
            }
            if table.repeats and columns:
                self._records.append(Records(person=person, columns=columns))
            if table.repeats:
                if not chosen[table.name]:
                    self._numbers.append(person[person >= 0])
                continue
            for place, codes in columns.items():
                mine = np.zeros(self._n_persons, dtype=np.int64)  # 0 for who is not in the table
                mine[person[person >= 0]] = codes[person >= 0] + 1
                self._of_person[place] = mine
        self.demographics = combination_codes(self._of_person.values(), n_records=self._n_persons)
        self._person, self._event = self._events_of_all()

    def _events_of_all(self) -> tuple[IntArray, IntArray]:
        """Return whose each record with quasi-identifiers is, and its combination of them."""
        person, event, start = [], [], 0
        for records in (*self._records, *self._lists):
            known = records.person >= 0
            codes = combination_codes(records.columns.values(), n_records=len(known))[known]
            person.append(records.person[known])
            event.append(codes + start)
            start += int(codes.max(initial=-1)) + 1
        nothing = np.zeros(0, dtype=np.int64)
        return np.concatenate([nothing, *person]), np.concatenate([nothing, *event])

    def known(self, settings: DeliverySettings) -> tuple[Known, ...]:
        """Return what demographics with none to three and with all records find."""
        events = events_of(self.demographics, self._person, self._event)
        return (
            known_none(events),
            known_one(events),
            *_several(events, settings),
            known_all(self.demographics, *self._with_numbers()),
        )

    def _with_numbers(self) -> tuple[IntArray, IntArray]:
        """Return whose each record is and what it tells, where nothing is known that it is one."""
        above = int(self._event.max(initial=-1)) + 1
        codes = [np.full(len(person), above + place) for place, person in enumerate(self._numbers)]
        return np.concatenate([self._person, *self._numbers]), np.concatenate([self._event, *codes])

    def records_alone(self, settings: DeliverySettings) -> tuple[Known, ...]:
        """Return what one to three records find by themselves."""
        if not len(self._person):
            return ()
        events = events_of(np.zeros_like(self.demographics), self._person, self._event)
        return known_one(events), *_several(events, settings)

    def one_known(self) -> Known:
        """Return what demographics and one record find."""
        return known_one(events_of(self.demographics, self._person, self._event))

    def classes(self) -> Classes:
        """Return the classes by the persons' own columns."""
        everybody = np.arange(self._n_persons)
        return Classes(person=everybody, of_class=self.demographics, n_persons=self._n_persons)

    def classes_by_record(self) -> Classes:
        """Return the classes by the persons' own columns and one of their records."""
        events = events_of(self.demographics, self._person, self._event)
        codes = [self.demographics[events.person], events.event]
        of_class = combination_codes(codes, n_records=len(events.person))
        return Classes(person=events.person, of_class=of_class, n_persons=self._n_persons, by_record=True)

    def classes_without(self, *tables: str) -> Classes:
        """Return the classes by the persons' own columns in other tables."""
        columns = [codes for place, codes in self._of_person.items() if place.table not in tables]
        of_class = combination_codes(columns, n_records=self._n_persons)
        return replace(self.classes(), of_class=of_class)

    def lists(self, settings: DeliverySettings) -> tuple[ListFacts, ...]:
        """Return what one to three parts of each list find by themselves."""
        found = []
        for records in self._lists:
            ((place, codes),) = records.columns.items()
            events = events_of(np.zeros_like(self.demographics), records.person, codes)
            known = known_one(events), *_several(events, settings)
            found.append(ListFacts(place=place, known=known))
        return tuple(found)

    def attacks(self) -> Attacks:
        """Return the cheapest attacks."""
        return cheapest_attacks(self._of_person, (*self._records, *self._lists), n_persons=self._n_persons)


def _parts(place: Place, table: CodedTable, person: IntArray) -> Records:
    """Return the parts of a column's lists, each as a record."""
    found: ItemList | None = read_list(table[place.column].trimmed)
    assert found is not None  # noqa: S101 - asked before
    known = person[found.record] >= 0
    return Records(person=person[found.record[known]], columns={place: found.item[known]})


def column_codes(values: CodedColumn) -> IntArray:
    """Return shape (n_records,): codes from 0; missing is a value of its own."""
    return values.trimmed.codes.astype(np.int64) + 1


def _several(events: Events, settings: DeliverySettings) -> list[Known]:
    return [
        known_several(events, n, most_persons=settings.most_persons, seed=settings.seed)
        for n in range(2, _MOST_KNOWN + 1)
    ]
