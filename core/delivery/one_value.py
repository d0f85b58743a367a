"""Columns of which all persons with the same quasi-identifiers have one value, whatever table it is in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.coding import CodedColumn, CodedTable, IntArray, sorted_distinct
from core.delivery.keys import Persons, Place

_MOST_VALUES = 1_000  # different values of a column that is looked at
_MOST_ALIKE = 0.5  # share of classes of one value from which a column says what the quasi-identifiers say
_BY_CHANCE = 0.01  # expected classes of one value, from which one is no accident


@dataclass(frozen=True, kw_only=True)
class OneValue:
    """Classes over the persons' quasi-identifiers in which everybody has one value of a column."""

    place: Place
    n_classes: int  # such classes of two persons or more, and the persons in them
    n_persons: int
    # whether as many persons would hardly have the value, were values spread without regard to classes
    beyond_chance: bool
    says_the_same: bool  # whether most classes are such: the column may only repeat the quasi-identifiers


def one_values(
    tables: Mapping[str, CodedTable],
    columns: Mapping[str, Sequence[str]],
    persons: Persons,
    demographics: IntArray,
) -> tuple[OneValue, ...]:
    """Return the columns of which everybody in some class of the persons' quasi-identifiers has one value.

    Parameters
    ----------
    tables, columns
        By name of the table; the columns to look at, that are no quasi-identifiers.
    persons
        Whose each record is.
    demographics
        Shape (n_persons,): the class of each person, codes from 0.
    """
    found = (
        _one_value(Place(name, column), tables[name][column].trimmed, persons.of_record[name], demographics)
        for name, chosen in columns.items()
        for column in chosen
    )
    return tuple(each for each in found if each is not None)


def _one_value(
    place: Place, values: CodedColumn, person: IntArray, demographics: IntArray
) -> OneValue | None:
    if not 1 < values.n_distinct <= _MOST_VALUES:
        return None
    n_persons, n_values = len(demographics), len(values.values)
    known = (person >= 0) & (values.codes >= 0)
    pairs = sorted_distinct(person[known].astype(np.int64) * n_values + values.codes[known])
    who, value = pairs // n_values, pairs % n_values
    sizes = np.bincount(demographics, minlength=1)
    cells, n_of_cell = np.unique(demographics[who] * n_values + value, return_counts=True)
    of_class, size = cells // n_values, sizes[cells // n_values]
    whole = (n_of_cell == size) & (size > 1)
    n_large = int(np.count_nonzero(sizes > 1))
    if not whole.any():
        return None
    share = np.bincount(value, minlength=n_values) / n_persons
    by_chance = share[cells[whole] % n_values] ** size[whole]
    classes = np.unique(of_class[whole])
    return OneValue(
        place=place,
        n_classes=len(classes),
        n_persons=int(sizes[classes].sum()),
        beyond_chance=bool(by_chance.min() * n_large * n_values < _BY_CHANCE),
        says_the_same=len(classes) > _MOST_ALIKE * n_large,
    )
