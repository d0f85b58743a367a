"""Households: columns that put persons together in small groups, and what the groups' members tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable, IntArray, value_codes
from core.delivery.keys import RECORD, Persons, Place
from core.known import alike_by_bag
from core.people.roles.vocabulary import name_tokens
from core.values.dates import read_dates

_WORDS = frozenset(
    [
        *("household", "households", "hh", "family", "families", "mother", "father", "sibling", "couple"),
        *("haushalt", "familie", "hogar", "familia", "menage", "foyer", "famille", "famiglia", "huishouden"),
        *("hushall", "husholdning", "kotitalous", "gospodarstwo", "domacnost", "kucanstvo"),
        *("gospodinjstvo", "gospodinjstva", "druzina", "druzine"),
        *("가구", "가구번호", "세대", "세대번호", "가족", "가족번호"),
    ]
)
_SMALLEST, _LARGEST = 1.2, 20  # persons of a group, on average
_FEWEST_GROUPS = 10
_NAMED = 0.95  # share of a column's values that are keys of the table's own persons: it names their relatives
_CODE = r"^[A-Za-z0-9_-]{6,}$"  # … most of them with a digit
_WITH_DIGITS = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class Groups:
    """Persons in small groups, by one column."""

    place: Place
    n_persons: int  # in groups
    # shape (n_persons,): how many groups have the same members, by their own quasi-identifiers
    alike: IntArray

    @property
    def share_alone(self) -> float:
        """Return the share in [0, 1] of persons in a group whose members no other group has."""
        return float(np.mean(self.alike == 1)) if self.n_persons else 0.0


def groups_of(
    tables: Mapping[str, CodedTable],
    columns: Mapping[str, Sequence[str]],
    persons: Persons,
    demographics: IntArray,
) -> tuple[Groups, ...]:
    """Return what the members of small groups tell, for each column that puts persons together so.

    Such a column is named like a household, holds codes that a few persons share, or the keys of others in
    the table, such as their mothers'. `persons` says whose each record is; `demographics`, shape
    (n_persons,), is a code from 0 for each combination of the persons' own quasi-identifiers.
    """
    keys = {*persons.columns.values()}
    places = [
        Place(name, column)
        for name, chosen in columns.items()
        if not persons.repeat_in(name)
        for column in chosen
        if Place(name, column) not in keys
    ]
    codes = {
        place: _group_codes(tables[place.table], place, persons.columns[place.table]) for place in places
    }
    return tuple(
        _measured(place, group, persons.of_record[place.table], demographics)
        for place, group in codes.items()
        if group is not None
    )


def _group_codes(table: CodedTable, place: Place, key: Place) -> IntArray | None:
    """Return shape (n_records,): the group of each record by a column, -1 for none; None of other columns."""
    column = table[place.column].trimmed
    if _puts_together(place.column, column):
        return column.codes.astype(np.int64)
    if key.table != place.table or key.column == RECORD or column.n_distinct < _FEWEST_GROUPS:
        return None
    own = table[key.column].trimmed
    named = pc.index_in(column.values, value_set=own.values)
    if len(own.values) < column.n_filled or named.null_count > (1 - _NAMED) * len(named):
        return None
    relative = np.append(pc.fill_null(named, -1).to_numpy(zero_copy_only=False), -1)[column.codes]
    group = np.where(relative >= 0, relative, own.codes).astype(np.int64)
    return np.where(np.bincount(group[group >= 0], minlength=1)[group] > 1, group, -1)


def _puts_together(name: str, values: CodedColumn) -> bool:
    n = values.n_distinct
    if n < _FEWEST_GROUPS or not _SMALLEST <= values.n_filled / n <= _LARGEST:
        return False
    named = bool(_WORDS & set(name_tokens(name)))
    return named or (
        bool(pc.all(pc.match_substring_regex(values.values, _CODE)).as_py())
        and pc.mean(pc.match_substring_regex(values.values, "[0-9]")).as_py() >= _WITH_DIGITS
        and not read_dates(values.values).known.any()
    )


def _measured(place: Place, codes: IntArray, person: IntArray, demographics: IntArray) -> Groups:
    known = (person >= 0) & (codes >= 0)
    group = value_codes(codes[known])
    nobody_apart = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    alike = alike_by_bag(group, demographics[person[known]], nobody_apart)
    return Groups(place=place, n_persons=len(group), alike=alike[group])
