"""Cells of quasi-identifiers that were emptied and that other columns give back, also over lookup tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from core.chance import NO_ACCIDENT, binomial_tail, determines
from core.coding import CodedColumn, CodedTable, IntArray, combination_codes
from core.delivery.keys import RECORD, Persons, Place

_SAME = 0.9  # share of persons of whom both columns say the same
_MOST_REPEATED = 0.5  # share of distinct values, of the filled cells, up to which a column says something


@dataclass(frozen=True, kw_only=True, eq=False)
class Refilled:
    """A column whose empty cells another one fills."""

    place: Place
    by: Place
    n_empty: int
    # shape (n_refilled,): how many persons are like each by the quasi-identifiers, refilled and as released
    alike: IntArray
    alike_before: IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    place: Place
    values: CodedColumn
    codes: IntArray  # shape (n_persons,), -1 for none


def refilled(
    tables: Mapping[str, CodedTable], quasi: Mapping[str, Sequence[str]], persons: Persons
) -> tuple[Refilled, ...]:
    """Return the quasi-identifiers of persons whose empty cells others fill, by what they say of the rest.

    The other column says the same in nine of ten other records, or its values determine it, beyond chance.
    Of several, the one that fills most.
    """
    columns = list(_columns(tables, persons))
    known = [each for each in columns if each.place.column in quasi.get(each.place.table, ())]
    found = []
    for each in known:
        empty = _in_table(persons, each.place.table) & (each.codes < 0)
        others = [one for one in columns if one not in known]
        filled = [
            (other, cells)
            for other in others
            if empty.any() and (cells := _cells(each, other, n_tried=len(others))) is not None
        ]
        filled = [(other, cells) for other, cells in filled if (cells[empty] >= 0).any()]
        if not filled:
            continue
        by, cells = max(filled, key=lambda one: np.count_nonzero(one[1][empty] >= 0))
        place = np.flatnonzero(empty & (cells >= 0))
        sizes = []
        for codes in (np.where(empty, cells, each.codes), each.codes):
            classes = [codes + 1, *(one.codes + 1 for one in known if one is not each)]
            of_class = combination_codes(classes, n_records=persons.n_persons)
            sizes.append(np.bincount(of_class)[of_class][place])
        found.append(
            Refilled(
                place=each.place,
                by=by.place,
                n_empty=int(empty.sum()),
                alike=sizes[0],
                alike_before=sizes[1],
            )
        )
    return tuple(found)


def _in_table(persons: Persons, name: str) -> np.ndarray:
    return persons.in_table(name) > 0


def _columns(tables: Mapping[str, CodedTable], persons: Persons) -> Iterator[_Column]:
    """Yield the columns that say one thing of a person, and of several the same."""
    for name, person in persons.of_record.items():
        if persons.repeat_in(name):
            continue
        for column in tables[name].table.column_names:
            values = tables[name][column].trimmed
            if column == RECORD or not 1 < values.n_distinct <= _MOST_REPEATED * values.n_filled:
                continue
            codes = np.full(persons.n_persons, -1)
            codes[person[person >= 0]] = values.codes[person >= 0]
            yield _Column(place=Place(name, column), values=values, codes=codes)


def _cells(one: _Column, other: _Column, *, n_tried: int) -> IntArray | None:
    """Return shape (n_persons,): what another column says a cell is, as a code; None where it says nothing."""
    both = (one.codes >= 0) & (other.codes >= 0)
    if not both.any():
        return None
    as_one = pc.index_in(other.values.values, value_set=one.values.values)
    new = one.values.n_distinct + np.arange(other.values.n_distinct)  # says what the column says nowhere
    to = np.append(np.where(as_one.is_valid(), as_one.fill_null(-1), new).astype(np.int64), -1)
    same = int(np.count_nonzero(to[other.codes[both]] == one.codes[both]))
    shares = [
        np.bincount(each, minlength=int(new[-1]) + 1) for each in (to[other.codes[both]], one.codes[both])
    ]
    chance = float(shares[0] @ shares[1]) / max(int(both.sum()), 1) ** 2
    n = int(both.sum())
    if same >= _SAME * n and float(binomial_tail(same, n, chance)) < NO_ACCIDENT / n_tried:
        return to[other.codes]
    if not determines(other.codes[both], one.codes[both], n_tried=n_tried):
        return None
    n_values = one.values.n_distinct
    pairs = np.bincount(
        other.codes[both] * n_values + one.codes[both], minlength=other.values.n_distinct * n_values
    ).reshape(-1, n_values)
    usual = np.append(np.where(pairs.any(axis=1), pairs.argmax(axis=1), -1), -1)
    found: IntArray = usual[other.codes]
    return found
