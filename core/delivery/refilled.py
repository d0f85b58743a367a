"""Quasi-identifiers that were emptied or made coarser, and other columns that say them, also over lookups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from core.chance import NO_ACCIDENT, binomial_tail, determines
from core.coding import CodedColumn, CodedTable, IntArray, combination_codes
from core.delivery.keys import RECORD, Persons, Place
from core.values.stretches import day_ends, number_ends

_SAME = 0.9  # share of persons of whom both columns say the same
_MOST_RANGES, _LOOKED_AT = 200, 1_000  # values of a column, and of one that may say them more finely
_MOST_REPEATED = 0.5  # share of distinct values, of the filled cells, up to which a column says something


@dataclass(frozen=True, kw_only=True, eq=False)
class Refilled:
    """A column whose empty cells another one fills, or whose ranges another one says more finely."""

    place: Place
    by: Place
    n_empty: int  # cells; 0 where it says ranges more finely
    # shape (n_persons,), of those told: how many are like each, by what is told too and as released
    alike: IntArray
    alike_before: IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    place: Place
    values: CodedColumn
    codes: IntArray  # shape (n_persons,), -1 for none


def said_elsewhere(
    tables: Mapping[str, CodedTable], quasi: Mapping[str, Sequence[str]], persons: Persons
) -> tuple[Refilled, ...]:
    """Return the quasi-identifiers of persons that other columns fill where empty, or say more finely.

    The other column says the same in nine of ten other records, or its values determine it, or lie within its
    ranges, beyond chance. Of several, the one that tells most persons, then the first.
    """
    columns = list(_columns(tables, persons))
    known = [each for each in columns if each.place.column in quasi.get(each.place.table, ())]
    others = [each for each in columns if each not in known]
    found = []
    for each in known:
        empty = (persons.in_table(each.place.table) > 0) & (each.codes < 0)
        beside = [one.codes + 1 for one in known if one is not each]
        told = [
            (one.place, np.where(empty, cells, each.codes), empty & (cells >= 0))
            for one in others
            if empty.any() and (cells := _cells(each, one, n_tried=len(others))) is not None
        ]
        finer = [
            (one.place, one.codes, (each.codes >= 0) & (one.codes >= 0))
            for one in others
            if _is_finer(each, one, n_tried=len(others))
        ]
        for some, n_empty in ((told, int(empty.sum())), (finer, 0)):
            if any(who.any() for *_, who in some):
                by, codes, who = max(some, key=lambda one: np.count_nonzero(one[2]))
                found.append(
                    Refilled(
                        place=each.place,
                        by=by,
                        n_empty=n_empty,
                        alike=_sizes([codes + 1, *beside])[who],
                        alike_before=_sizes([each.codes + 1, *beside])[who],
                    )
                )
    return tuple(found)


def _sizes(codes: Sequence[IntArray]) -> IntArray:
    of_class = combination_codes(codes, n_records=len(codes[0]))
    sizes: IntArray = np.bincount(of_class)[of_class]
    return sizes


def _columns(tables: Mapping[str, CodedTable], persons: Persons) -> Iterator[_Column]:
    """Yield the columns that say one thing of a person, and of several the same."""
    for name, person in persons.of_record.items():
        if persons.repeat_in(name):
            continue
        for column in tables[name].table.column_names:
            values = tables[name][column].trimmed
            if column == RECORD or values.n_distinct < 2:
                continue
            codes = np.full(persons.n_persons, -1)
            codes[person[person >= 0]] = values.codes[person >= 0]
            yield _Column(place=Place(name, column), values=values, codes=codes)


def _cells(one: _Column, other: _Column, *, n_tried: int) -> IntArray | None:
    """Return shape (n_persons,): what another column says a cell is, as a code; None of no such column."""
    both = (one.codes >= 0) & (other.codes >= 0)
    if not both.any() or other.values.n_distinct > _MOST_REPEATED * other.values.n_filled:
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
    pairs, n_of = np.unique(other.codes[both] * n_values + one.codes[both], return_counts=True)
    by_number = pairs[np.argsort(n_of, kind="stable")]  # the most frequent last, which stays
    usual = np.full(other.values.n_distinct + 1, -1)
    usual[by_number // n_values] = by_number % n_values
    found: IntArray = usual[other.codes]
    return found


def _is_finer(one: _Column, other: _Column, *, n_tried: int) -> bool:
    """Return whether values of another column lie within the ranges of a column, beyond chance."""
    n_ranges, n_values = one.values.n_distinct, other.values.n_distinct
    if not 1 < n_ranges <= _MOST_RANGES or n_values <= n_ranges:
        return False
    ranges, values = one.values.values.to_pylist(), other.values.values.slice(0, _LOOKED_AT).to_pylist()
    mine = np.arange(len(ranges) + len(values)) < len(ranges)
    for ends in (number_ends, day_ends):
        low, high = ends([*ranges, *values], (mine, ~mine))
        if np.isnan(low[mine]).all() or np.isnan(low[~mine]).mean() > 1 - _SAME:
            continue
        wide, narrow = (np.nanmedian((high - low)[which]) for which in (mine, ~mine))
        inside = (low[mine][:, None] <= low[~mine]) & (high[~mine] <= high[mine][:, None])
        both = (one.codes >= 0) & (other.codes >= 0) & (other.codes < len(values))
        n, here, there = int(both.sum()), one.codes[both], other.codes[both]
        n_inside = int(np.count_nonzero(inside[here, there]))
        shares = [
            np.bincount(codes, minlength=len(each)) / max(n, 1)
            for codes, each in ((here, ranges), (there, values))
        ]
        chance = float(shares[0] @ inside @ shares[1])
        is_more = n_inside >= _SAME * n and float(binomial_tail(n_inside, n, chance)) < NO_ACCIDENT / n_tried
        if narrow < wide and is_more:
            return True
    return False
