"""What stays of dates that were shifted: for each person the sequence of intervals between their records.

To shift all dates of a person by a number of days of their own hides when something happened, and keeps how
long after the record before it. Whoever knows a few of a person's real dates finds the same intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.coding import CodedTable, IntArray, value_codes
from core.dates import read_dates
from core.delivery.keys import Place
from core.delivery.known import known_all

_MOSTLY = 0.9  # share of a column's distinct values that are dates, from which it is one of dates


@dataclass(frozen=True, kw_only=True, eq=False)
class Sequences:
    """The intervals between the dates of each person's records, by one column of dates."""

    place: Place
    n_persons: int  # with at least two dated records: of them alone is spoken
    # shape (n_persons,): how many of them have the same intervals in the same order
    alike_by_intervals: IntArray
    alike_by_number: IntArray  # … and the same number of dated records

    @property
    def share_alone(self) -> float:
        """Return the share in [0, 1] of persons whose intervals nobody else has; 0 of nobody."""
        return float(np.mean(self.alike_by_intervals == 1)) if self.n_persons else 0.0

    @property
    def share_alone_by_number(self) -> float:
        """Return the share in [0, 1] of persons whose number of records nobody else has; 0 of nobody."""
        return float(np.mean(self.alike_by_number == 1)) if self.n_persons else 0.0


def measure_sequences(
    tables: Mapping[str, CodedTable],
    columns: Mapping[str, Sequence[str]],
    of_record: Mapping[str, IntArray],
) -> tuple[Sequences, ...]:
    """Return what the intervals between records tell, for each column of days where persons repeat.

    Parameters
    ----------
    tables, columns
        By name; the columns to look at.
    of_record
        By table, shape (n_records,): whose each record is, -1 for nobody's.
    """
    found = []
    for name, chosen in columns.items():
        for column in chosen:
            days = _days(tables[name], column)
            if days is not None:
                found.append(_sequences(Place(name, column), of_record[name], days))
    return tuple(each for each in found if each.n_persons)


def _days(table: CodedTable, column: str) -> IntArray | None:
    """Return shape (n_records,): the day of each record, negative for none; None where they are no days."""
    coded = table[column].trimmed
    dates = read_dates(coded.values)
    if not len(coded.values) or dates.known.mean() < _MOSTLY or dates.finest != "day":
        return None
    days = np.append(np.where(dates.known, np.nan_to_num(dates.positions()), -1), -1)
    return days[coded.codes].astype(np.int64)


def _sequences(place: Place, person: IntArray, days: IntArray) -> Sequences:
    dated = (person >= 0) & (days >= 0)
    person, days = person[dated], days[dated]
    order = np.lexsort((days, person))
    person, days = person[order], days[order]
    n_of = np.bincount(person, minlength=1)
    several = n_of[person] > 1
    person, days = value_codes(person[several]), days[several]
    n_persons = int(person.max(initial=-1)) + 1
    if not n_persons:
        return Sequences(place=place, n_persons=0, alike_by_intervals=person, alike_by_number=person)
    same = person[1:] == person[:-1]
    gaps = np.diff(days)[same]
    of_gap = person[1:][same]
    numbers = np.bincount(person)
    rank = np.arange(len(of_gap)) - np.repeat(np.cumsum(numbers - 1) - (numbers - 1), numbers - 1)
    nobody_apart = np.zeros(n_persons, dtype=np.int64)
    in_order = known_all(nobody_apart, of_gap, rank * (int(gaps.max()) + 1) + gaps)
    return Sequences(
        place=place,
        n_persons=n_persons,
        alike_by_intervals=in_order.smallest,
        alike_by_number=np.bincount(numbers)[numbers],
    )
