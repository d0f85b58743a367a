"""What all persons alike have: one value of a column, in whatever table, or a place in a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from core.classes import Items
from core.coding import CodedColumn, CodedTable, IntArray, sorted_distinct
from core.delivery.keys import Persons, Place

MOST_VALUES = 1_000  # different values of a column that is looked at
MOST_PAIRS = 50_000_000  # of values and classes of persons
_MOST_ALIKE = 0.5  # share of classes of one value from which a column says what the quasi-identifiers say
_MOST_ABSENT = 0.5  # share of persons who are not in a table up to which that tells something
_BY_CHANCE = 0.01  # expected classes of one value, from which one is no accident


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """Who is in which class: each pair once; a person is in several where one record of many is known."""

    person: IntArray  # shape (n_pairs,)
    of_class: IntArray  # shape (n_pairs,), from 0
    n_persons: int
    # whether one record is known beside the persons' own quasi-identifiers
    by_record: bool = False


@dataclass(frozen=True, kw_only=True)
class OneValue:
    """Classes in which everybody has one value of a column, or is in a table, or nobody is."""

    place: Place | str  # a column, or the name of a table
    n_classes: int  # such classes of two persons or more, and the persons in them
    n_persons: int
    # whether as many persons would hardly have the value, were values spread without regard to classes
    beyond_chance: bool
    says_the_same: bool  # whether most classes are such: the column may only repeat the quasi-identifiers
    by_record: bool = False  # whether classes are by one known record too
    is_absent: bool = False  # whether nobody of them is in the table, and most others are


def one_values(
    tables: Mapping[str, CodedTable],
    columns: Mapping[str, Sequence[str]],
    persons: Persons,
    classes: Classes,
) -> tuple[OneValue, ...]:
    """Return the columns of which everybody in some class has one value.

    Parameters
    ----------
    tables, columns
        By name of the table; the columns to look at, that are not known themselves.
    persons
        Whose each record is.
    classes
        Of the persons, by what is known of them.
    """
    found = (
        _of_column(Place(name, column), tables[name][column].trimmed, persons.of_record[name], classes)
        for name, chosen in columns.items()
        for column in chosen
    )
    return tuple(each for each in found if each is not None)


def memberships(
    persons: Persons, classes: Mapping[str, Classes], by_whole: Mapping[str, Classes]
) -> tuple[OneValue, ...]:
    """Return the tables in which everybody of some class is, or nobody, and others are not, beyond chance.

    `classes` are, by table, those of all other tables' columns; `by_whole`, for absence, of tables in which
    everybody is: who is in none of some tables says nothing more.
    """
    found = []
    for name, each in classes.items():
        is_here = persons.in_table(name) > 0
        for is_absent in (False, True):
            who, of_class = np.flatnonzero(is_here != is_absent), by_whole[name] if is_absent else each
            told = _one_value(name, who, np.zeros(len(who), dtype=np.int64), 1, of_class)
            if tells_membership(told, len(who), persons.n_persons, is_absent=is_absent):
                found.append(replace(told, is_absent=is_absent))
    return tuple(found)


def tells_membership(
    found: OneValue | None, n_alike: int, n_persons: int, *, is_absent: bool
) -> TypeGuard[OneValue]:
    """Return whether all of a class are in a table, or absent from one with most others, beyond chance.

    `n_alike` are the persons in the table, or absent from it.
    """
    some = 0 < n_alike <= _MOST_ABSENT * n_persons if is_absent else 0 < n_alike < n_persons
    return some and found is not None and found.beyond_chance


def _of_column(place: Place, values: CodedColumn, person: IntArray, classes: Classes) -> OneValue | None:
    if not 1 < values.n_distinct <= MOST_VALUES:
        return None
    n_values = len(values.values)
    known = (person >= 0) & (values.codes >= 0)
    pairs = sorted_distinct(person[known].astype(np.int64) * n_values + values.codes[known])
    return _one_value(place, pairs // n_values, pairs % n_values, n_values, classes)


def items_of(classes: Classes, who: IntArray, item: IntArray, n_items: int) -> Items | None:
    """Return the persons of each class by their items; None where there are too many pairs to count.

    `who` has shape (n_pairs,), ascending: each person once with each `item`, a code from 0 below `n_items`.
    """
    first, last = (np.searchsorted(who, classes.person, side=side) for side in ("left", "right"))
    n_mine = last - first
    if n_mine.sum() > MOST_PAIRS:
        return None
    place_of = np.repeat(last - np.cumsum(n_mine), n_mine) + np.arange(n_mine.sum())
    cells = np.repeat(classes.of_class, n_mine) * max(n_items, 1) + item[place_of]
    cells, n = np.unique(cells, return_counts=True)
    sizes = np.bincount(classes.of_class, minlength=1)
    return Items(
        m=np.ones(len(sizes), dtype=np.int64),
        records=sizes,
        of_class=cells // max(n_items, 1),
        item=cells % max(n_items, 1),
        n=n,
        totals=np.bincount(item, minlength=n_items),
    )


def _one_value(
    place: Place | str, who: IntArray, value: IntArray, n_values: int, classes: Classes
) -> OneValue | None:
    """Return the classes of one value; `who` and `value` as for :func:`items_of`."""
    items = items_of(classes, who, value, n_values)
    if items is None:
        return None
    return one_value_of(
        place,
        items,
        classes.n_persons,
        by_record=classes.by_record,
        persons_in=lambda alike: len(np.unique(classes.person[np.isin(classes.of_class, alike)])),
    )


def one_value_of(
    place: Place | str,
    items: Items,
    n_persons: int,
    *,
    by_record: bool = False,
    persons_in: Callable[[IntArray], int] | None = None,
) -> OneValue | None:
    """Return the classes of which everybody has one item, None of none.

    `n_persons`: of all classes; `persons_in` counts those in some entries, where a person is in several.
    """
    size, n_items = items.records[items.of_class], len(items.totals)
    whole = (items.n == size) & (size > 1)
    if not whole.any():
        return None
    n_large = int(items.m[items.records > 1].sum())
    by_chance = (items.totals / n_persons)[items.item[whole]] ** size[whole]
    alike = np.unique(items.of_class[whole])
    n_classes = int(items.m[alike].sum())
    return OneValue(
        place=place,
        n_classes=n_classes,
        n_persons=persons_in(alike) if persons_in else int(items.m[alike] @ items.records[alike]),
        beyond_chance=bool(by_chance.min() * n_large * n_items < _BY_CHANCE),
        says_the_same=n_classes > _MOST_ALIKE * n_large,
        by_record=by_record,
    )
