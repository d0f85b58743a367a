"""Equivalence classes: records with the same values in all quasi-identifiers, and what is in each class.

A class counts its records, or its persons; where a missing value matches every value, those compatible with
it. What a class gives away depends on nothing but how many of its units have which value: its signature.
Classes of one signature are one entry of `Items`, which an engine answers, or classes in memory one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, Codes, FloatArray, IntArray, combined_codes, value_codes
from core.errors import AuditInputError
from core.words import input_error

_DENSE = 16  # counting every pair of class and item pays up to so many times the records
_MOST_WORK = 200_000_000  # classes visited over all joins
_MOST_PAIRS = 50_000_000  # pairs of class and item that one spreading may make


@dataclass(frozen=True, kw_only=True, eq=False)
class EquivalenceClasses:
    """The equivalence classes of a table over some quasi-identifiers."""

    quasi_identifiers: tuple[str, ...]  # the columns, in the order given
    # shape (n_records_in_table,), the class of each record as 0 … n_classes - 1 in order of first appearance;
    # -1 for a record that is left out
    class_of_record: IntArray
    class_sizes: IntArray  # shape (n_classes,), records (or distinct persons, or users) per class

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(self.class_sizes)

    @property
    def n_members(self) -> int:
        """Return the members of all classes together: records, or persons of each class."""
        return int(self.class_sizes.sum())

    @property
    def n_records(self) -> int:
        """Return the number of records assessed, those left out not counted."""
        return len(self.class_of_record) - self.n_left_out

    @cached_property
    def n_left_out(self) -> int:
        """Return the number of records left out."""
        return int(np.count_nonzero(self.class_of_record < 0))

    @property
    def k(self) -> int | None:
        """Return the smallest class size, None where no record is assessed."""
        return int(self.class_sizes.min()) if self.n_classes else None

    @cached_property
    def size_of_record(self) -> IntArray:
        """Return shape (n_records_in_table,): the size of each record's class, 0 when left out."""
        return cast("IntArray", np.append(self.class_sizes, 0)[self.class_of_record])

    @cached_property
    def records_of_class(self) -> IntArray:
        """Return shape (n_classes,): the assessed records of each class."""
        return np.bincount(self.class_of_record + 1, minlength=self.n_classes + 1)[1:]

    @cached_property
    def size_histogram(self) -> tuple[IntArray, IntArray]:
        """Return the distinct class sizes, ascending, and the records in classes of each size.

        The records sum to `n_records`. Everything a threshold slider asks is answered from here.
        """
        if not self.n_classes:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing
        sizes, size_of_class = np.unique(self.class_sizes, return_inverse=True)
        records = np.bincount(size_of_class, weights=self.records_of_class, minlength=len(sizes))
        return sizes, records.astype(np.int64)

    @cached_property
    def classes_of_size(self) -> IntArray:
        """Return shape (n_sizes,): how many classes have each distinct size, ascending."""
        return np.unique(self.class_sizes, return_counts=True)[1]

    def n_records_below(self, k: int) -> int:
        """Return the number of assessed records in classes with fewer than `k` members."""
        sizes, records = self.size_histogram
        return int(records[sizes < k].sum())

    def share_below(self, k: int) -> float | None:
        """Return the share in [0, 1] of assessed records in classes smaller than `k`, None of none."""
        return self.n_records_below(k) / self.n_records if self.n_records else None


class CountedClasses(EquivalenceClasses):
    """The classes of a table that is elsewhere: how many have each size, and not who is in them."""

    def __init__(
        self,
        quasi_identifiers: Sequence[str],
        *,
        sizes: IntArray,
        n_classes: IntArray,
        n_records: IntArray,
        n_left_out: int,
    ) -> None:
        """Take distinct sizes, ascending, the classes that have each, the records in these and in none."""
        nothing = np.zeros(0, dtype=np.int64)
        super().__init__(
            quasi_identifiers=tuple(quasi_identifiers), class_of_record=nothing, class_sizes=nothing
        )
        self.__dict__["size_histogram"] = sizes, n_records
        self.__dict__["classes_of_size"] = n_classes  # a frozen object has no other way in
        self.__dict__["n_left_out"] = n_left_out

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return int(self.classes_of_size.sum())

    @property
    def n_members(self) -> int:
        """Return the members of all classes together."""
        return int(self.size_histogram[0] @ self.classes_of_size)

    @property
    def n_records(self) -> int:
        """Return the number of records assessed."""
        return int(self.size_histogram[1].sum())

    @property
    def k(self) -> int | None:
        """Return the smallest class size, None where no record is assessed."""
        return int(self.size_histogram[0][0]) if self.n_classes else None


def equivalence_classes(
    table: pa.Table, quasi_identifiers: Sequence[str], *, leave_out: BoolArray | None = None
) -> EquivalenceClasses:
    """Group the records of a table by their values, as written, in all quasi-identifiers; missing is a value.

    Without quasi-identifiers all records form one class (Sweeney, k-anonymity, IJUFKS 10(5), 2002).
    `leave_out`: shape (n_records,), records that no class shall count.
    """
    codes = combined_codes(
        [value_codes(table[column]) for column in quasi_identifiers], n_records=table.num_rows
    )
    return classes_of_codes(codes, quasi_identifiers, leave_out=leave_out)


def classes_of_codes(
    codes: IntArray, quasi_identifiers: Sequence[str], *, leave_out: BoolArray | None = None
) -> EquivalenceClasses:
    """Return the classes of records that have any code per combination already; see `equivalence_classes`."""
    if leave_out is None or not leave_out.any():
        class_of_record = value_codes(codes)
        sizes = np.bincount(class_of_record)
    else:
        class_of_record = np.full(len(codes), -1, dtype=np.int64)
        class_of_record[~leave_out] = value_codes(codes[~leave_out])
        sizes = np.bincount(class_of_record[class_of_record >= 0])
    return EquivalenceClasses(
        quasi_identifiers=tuple(quasi_identifiers), class_of_record=class_of_record, class_sizes=sizes
    )


def persons_per_class(class_of_record: IntArray, person_of_record: IntArray, *, n_classes: int) -> IntArray:
    """Return shape (n_classes,): the distinct persons of each class, at least 1."""
    known = (class_of_record >= 0) & (person_of_record >= 0)
    n_persons = int(person_of_record.max(initial=-1)) + 1
    pairs = pc.unique(pa.array(class_of_record[known] * max(n_persons, 1) + person_of_record[known]))
    of_class = pairs.to_numpy() // max(n_persons, 1)
    return np.maximum(np.bincount(of_class, minlength=n_classes), 1)


class Pairs(NamedTuple):
    """How often each item occurs in each class; only pairs that occur, sorted by class, then item."""

    of_class: IntArray
    item: IntArray
    n: IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Items:
    """How many units (records, or persons) of each class have which item, such as a sensitive value.

    An entry is one class, or several that are alike: with as many records, and as many units of each item.
    Only pairs of entry and item that occur are held, sorted by entry and then by item. An unknown item is
    none.
    """

    m: IntArray  # shape (n_entries,): the classes that are alike; 1 where an entry is a class
    records: IntArray  # shape (n_entries,): records of one of them, those of unknown items included
    # shape (n_pairs,): the entry, the item's code 0 … n_items - 1, and the units of one class with it (at
    # least 1)
    of_class: IntArray
    item: IntArray
    n: IntArray
    # shape (n_items,), units with each item in the whole table; over all classes, if these do not overlap
    # (missing values as wildcards) and are no part of the table
    totals: IntArray

    @property
    def n_entries(self) -> int:
        """Return the number of entries."""
        return len(self.m)

    @cached_property
    def class_totals(self) -> IntArray:
        """Return shape (n_entries,): units of a class whose item is known."""
        return sum_by(self.of_class, self.n, size=self.n_entries).astype(np.int64)

    @cached_property
    def share_in_class(self) -> FloatArray:
        """Return shape (n_pairs,): the item's share in (0, 1] of the known ones of its class."""
        return self.n / self.class_totals[self.of_class]

    @cached_property
    def share_in_table(self) -> FloatArray:
        """Return shape (n_items,): each item's share in [0, 1] of the known ones of the table."""
        return self.totals / max(int(self.totals.sum()), 1)

    @cached_property
    def ranked(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return entry, units and rank (0 first) of each pair, most frequent items of a class first."""
        order = np.lexsort((-self.n, self.of_class))
        of_class = self.of_class[order]
        rank = np.arange(len(order)) - np.searchsorted(of_class, of_class)
        return of_class, self.n[order], rank

    def merged(self, groups: IntArray) -> "Items":
        """Return the items of each group as one, units added up; `groups`, (n_items,): -1 is unknown."""
        n_groups = int(groups.max(initial=-1)) + 1
        to = groups[self.item]
        known = to >= 0
        pairs = summed(Pairs(self.of_class[known], to[known], self.n[known]))
        counted = groups >= 0
        totals = sum_by(groups[counted], self.totals[counted], size=n_groups).astype(np.int64)
        return replace(self, of_class=pairs.of_class, item=pairs.item, n=pairs.n, totals=totals)


def items_of_classes(
    classes: EquivalenceClasses, codes: IntArray, *, totals: IntArray | None = None
) -> Items:
    """Count the items of each equivalence class, without records left out of the classes; an entry a class.

    `codes`: shape (n_records,), a code from 0 per distinct item, for an ordered distance ascending with the
    values. Negative for a missing one, which is not counted, because it makes no class more diverse; where
    missing is an answer of its own (such as "no diagnosis") give it a code. `totals`: shape (n_items,),
    records with each item in the whole table, where the classes hold a part of it.
    """
    counted = (classes.class_of_record >= 0) & (codes >= 0)
    n_items = int(codes.max(initial=-1)) + 1
    pairs = classes.class_of_record[counted] * max(n_items, 1) + codes[counted]
    if classes.n_classes * n_items <= _DENSE * len(pairs):
        n_of_every = np.bincount(pairs, minlength=classes.n_classes * n_items)
        found = np.flatnonzero(n_of_every)
        n = n_of_every[found]
    else:
        found, n = np.unique(pairs, return_counts=True)
    item = found % max(n_items, 1)
    if totals is None:
        totals = sum_by(item, n, size=n_items).astype(np.int64)
    return Items(
        m=np.ones(classes.n_classes, dtype=np.int64),
        records=classes.records_of_class,
        of_class=found // max(n_items, 1),
        item=item,
        n=n.astype(np.int64),
        totals=totals,
    )


def items_of_signatures(m: IntArray, records: IntArray, pairs: Pairs, *, n_items: int) -> Items:
    """Return entries of which each stands for `m` classes alike, with their pairs in any order."""
    order = np.lexsort((pairs.item, pairs.of_class))
    of_class, item, n = (each[order] for each in pairs)
    totals = sum_by(item, n * m[of_class], size=n_items).astype(np.int64)
    return Items(m=m, records=records, of_class=of_class, item=item, n=n, totals=totals)


def sum_by(groups: IntArray, values: IntArray | FloatArray, *, size: int) -> FloatArray:
    """Return shape (size,): the sum of the values of each group; counts stay exact below 2**53."""
    return cast("FloatArray", np.bincount(groups, weights=values, minlength=size).astype(np.float64))


def spread(pairs: Pairs, codes: Codes, missing: BoolArray) -> Pairs:
    """Return the pairs with each class replaced by all classes that are compatible with it.

    Compatible are classes with equal values in every column that neither misses. `codes`, `missing`: shape
    (n_classes, n_columns). AuditInputError: classes miss columns in too many different ways.
    """
    groups = _groups_by_missing(missing)
    if len(groups) * len(codes) > _MOST_WORK:
        raise _too_much(len(groups))
    own = [_of_group(pairs, group, n_classes=len(codes)) for group in groups]
    found: list[Pairs] = []
    n_pairs = 0
    for receivers in groups:
        joined = [
            _join(given, codes, missing, receivers, givers) for given, givers in zip(own, groups, strict=True)
        ]
        found.append(summed(_concatenated(joined)))
        n_pairs += len(found[-1].of_class)
        if n_pairs > _MOST_PAIRS:
            raise _too_much(len(groups))
    return summed(_concatenated(found))


def compatible_sizes(
    codes: Codes, missing: BoolArray, classes: EquivalenceClasses, person_of_record: IntArray | None
) -> IntArray:
    """Return shape (n_classes,): records, or distinct persons, compatible with each class; see `spread`."""
    numbers = np.arange(classes.n_classes, dtype=np.int64)
    if person_of_record is None:
        own = Pairs(numbers, np.zeros_like(numbers), classes.class_sizes)
        return spread(own, codes, missing).n
    known = (classes.class_of_record >= 0) & (person_of_record >= 0)
    of_class, person = classes.class_of_record[known], person_of_record[known]
    persons = spread(summed(Pairs(of_class, person, np.ones_like(of_class))), codes, missing)
    return np.maximum(np.bincount(persons.of_class, minlength=classes.n_classes), 1)


def summed(pairs: Pairs) -> Pairs:
    """Return the pairs with equal ones added up, sorted by class and then by item."""
    if not len(pairs.of_class):
        return pairs
    n_items = int(pairs.item.max()) + 1
    found, position = np.unique(pairs.of_class * n_items + pairs.item, return_inverse=True)
    n = np.bincount(position, weights=pairs.n, minlength=len(found)).astype(np.int64)
    return Pairs(found // n_items, found % n_items, n)


def _groups_by_missing(missing: BoolArray) -> list[IntArray]:
    """Return the classes that miss the same columns, a group each."""
    packed = np.packbits(missing, axis=1)
    pattern = combined_codes(list(packed.T.astype(np.int64)), n_records=len(missing))
    order = np.argsort(pattern, kind="stable")
    starts = np.flatnonzero(np.diff(pattern[order])) + 1
    return cast("list[IntArray]", np.split(order, starts))


def _of_group(pairs: Pairs, group: IntArray, *, n_classes: int) -> Pairs:
    """Return the pairs of one group's classes, the class as its position in the group."""
    position = np.full(n_classes, -1, dtype=np.int64)
    position[group] = np.arange(len(group))
    place = position[pairs.of_class]
    inside = place >= 0
    return Pairs(place[inside], pairs.item[inside], pairs.n[inside])


def _join(given: Pairs, codes: Codes, missing: BoolArray, receivers: IntArray, givers: IntArray) -> Pairs:
    """Return what classes of one group receive from the compatible classes of another."""
    shared = np.flatnonzero(~(missing[receivers[0]] | missing[givers[0]]))
    both = np.concatenate([receivers, givers])
    combined = combined_codes([codes[both, column] for column in shared], n_records=len(both))
    keys = np.unique(combined, return_inverse=True)[1]
    offered = summed(Pairs(keys[len(receivers) :][given.of_class], given.item, given.n))
    wanted = keys[: len(receivers)]
    first = np.searchsorted(offered.of_class, wanted, side="left")
    n_taken = np.searchsorted(offered.of_class, wanted, side="right") - first
    skipped = np.repeat(first - (np.cumsum(n_taken) - n_taken), n_taken)
    taken = skipped + np.arange(int(n_taken.sum()))
    return Pairs(np.repeat(receivers, n_taken), offered.item[taken], offered.n[taken])


def _concatenated(parts: list[Pairs]) -> Pairs:
    return Pairs(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _too_much(n_groups: int) -> AuditInputError:
    return input_error(
        "Records miss quasi-identifiers in {n} different ways, too many to compare each with each; count "
        "missing as a value, or leave such records out.",
        n=n_groups,
    )
