"""What classes of persons, joined over all tables, give away of each sensitive column."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Protocol

import numpy as np

from core.classes import CountedClasses, Items
from core.coding import CodedColumn, CodedTable, IntArray, sorted_distinct
from core.delivery.keys import Persons, Place
from core.delivery.one_value import Classes, items_of
from core.people.roles.vocabulary import name_tokens
from core.risk.sensitive import SensitiveMeasurement, measure_sensitive
from core.risk.settings import RiskSettings

# As Disclosure risk counts by default; a person counts once for each value.
_COUNTED = RiskSettings(quasi_identifiers=(), person="person")


class _Facts(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def quasi_identifiers(self) -> tuple[str, ...]: ...
    @property
    def sensitive(self) -> tuple[str, ...]: ...
    @property
    def person_column(self) -> object: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedSensitive:
    """What the classes of persons give away of one column; records of the measurement are persons."""

    place: Place
    by_record: bool  # whether one record is known beside the persons' own quasi-identifiers
    found: SensitiveMeasurement | None  # None where there is too much to count


def joined_sensitive(
    tables: Mapping[str, CodedTable],
    columns: Mapping[str, Sequence[str]],
    persons: Persons,
    classes: Classes,
) -> tuple[JoinedSensitive, ...]:
    """Measure the sensitive columns over classes of persons; who has no value of one is not counted.

    `columns` are those to measure, by table; the rest as for :func:`core.delivery.one_value.one_values`.
    """
    found, sizes = [], np.unique(np.bincount(classes.of_class), return_counts=True)
    for name, chosen in columns.items():
        for column in chosen:
            place, person = Place(name, column), persons.of_record[name]
            values = replace(tables[name][column], name=str(place))
            known = person >= 0
            count = partial(_items, values.codes[known], person[known], classes)
            n_records = np.bincount(values.codes_with_missing[known], minlength=len(values.values) + 1)
            measured = measured_over(values, n_records, counted_classes(*sizes), count)
            found.append(JoinedSensitive(place=place, by_record=classes.by_record, found=measured))
    return tuple(found)


def measured_over(
    column: CodedColumn,
    n_records: IntArray,
    classes: CountedClasses,
    count: Callable[[IntArray], Items | None],
) -> SensitiveMeasurement | None:
    """Measure a column over classes of persons; None where it cannot be counted.

    `n_records`: shape (n_values + 1,), the persons' records of each value, the last of a missing one. `count`
    returns the items of the classes by a code of each value, as
    :func:`core.risk.sensitive.measure_sensitive` asks for them.
    """

    def counted(code: IntArray) -> Items:
        if (items := count(code)) is None:
            raise _TooMuchError
        return items

    try:
        return measure_sensitive(column, classes, counted, settings=_COUNTED, n_assessed=n_records)
    except _TooMuchError:
        return None


def counted_classes(sizes: IntArray, n_classes: IntArray) -> CountedClasses:
    """Return classes of persons by how many are of each size, the sizes ascending."""
    return CountedClasses((), sizes=sizes, n_classes=n_classes, n_records=sizes * n_classes, n_left_out=0)


class _TooMuchError(Exception):
    """There are too many pairs of persons, classes and values."""


def _items(codes: IntArray, person: IntArray, classes: Classes, code: IntArray) -> Items | None:
    item = code[codes]
    n_items = int(code.max(initial=-1)) + 1
    known = item >= 0
    pairs = sorted_distinct(person[known].astype(np.int64) * max(n_items, 1) + item[known])
    return items_of(classes, pairs // max(n_items, 1), pairs % max(n_items, 1), n_items)


# --- tables that no key joins


@dataclass(frozen=True, kw_only=True)
class Intersection:
    """A sensitive column of two tables without a key: who is in both has a value that both groups hold."""

    one: Place
    other: Place
    n_groups: int  # groups that both tables have, by the quasi-identifiers that both have
    n_told: int  # … of which several values stand in each, and only one in both


def intersections(tables: Mapping[str, CodedTable], facts: Sequence[_Facts]) -> tuple[Intersection, ...]:
    """Return the sensitive columns of one name whose values in two tables leave one for who is in both.

    Of tables not both joined to persons; groups are of the quasi-identifiers that are called alike in both.
    """
    found = []
    for one, other in combinations(facts, 2):
        theirs = {name_tokens(each): each for each in other.quasi_identifiers}
        both = [
            (each, theirs[tokens])
            for each in one.quasi_identifiers
            if (tokens := name_tokens(each)) in theirs
        ]
        if not both or (one.person_column is not None and other.person_column is not None):
            continue
        hidden = {name_tokens(each): each for each in other.sensitive}
        for column in one.sensitive:
            if (there := hidden.get(name_tokens(column))) is not None:
                groups = [
                    _values_of(tables[facts_of.name], [pair[side] for pair in both], called)
                    for side, (facts_of, called) in enumerate(((one, column), (other, there)))
                ]
                shared = [(groups[0][each], groups[1][each]) for each in groups[0].keys() & groups[1].keys()]
                n_told = sum(min(len(a), len(b)) > 1 and len(a & b) == 1 for a, b in shared)
                if n_told:
                    found.append(
                        Intersection(
                            one=Place(one.name, column),
                            other=Place(other.name, there),
                            n_groups=len(shared),
                            n_told=n_told,
                        )
                    )
    return tuple(found)


def _values_of(table: CodedTable, quasi: Sequence[str], column: str) -> dict[tuple[object, ...], set[object]]:
    """Return the values of a column by those of the quasi-identifiers; missing ones are none."""
    cells = [table[each].trimmed for each in (*quasi, column)]
    rows = np.unique(np.stack([each.codes for each in cells], axis=1), axis=0)
    texts = [[*each.values.to_pylist(), None] for each in cells]
    found: dict[tuple[object, ...], set[object]] = {}
    for *codes, value in rows.tolist():
        if value >= 0:
            key = tuple(texts[at][code] for at, code in enumerate(codes))
            found.setdefault(key, set()).add(texts[-1][value])
    return found
