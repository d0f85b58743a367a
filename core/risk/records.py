"""Records as they enter: coded values, what is missing, who is left out, whose record it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.classes import (
    EquivalenceClasses,
    Pairs,
    classes_of_codes,
    compatible_sizes,
    persons_per_class,
    spread,
)
from core.coding import (
    BoolArray,
    CodedColumn,
    Codes,
    FloatArray,
    IntArray,
    combination_codes,
    combined_codes,
    value_codes,
)
from core.risk.settings import RiskSettings
from core.tables import Dataset
from core.values.cells import as_numbers
from core.words import input_error


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordEntry:
    """Which records are assessed, and why others are not."""

    n_in_table: int  # records of the table
    leave_out: BoolArray  # shape (n_in_table,), True for records that are not assessed
    # records ``*``, or in part blank, in every quasi-identifier; they single nobody out and are left out
    n_fully_suppressed: int
    # further records left out because a quasi-identifier is missing (only where missing is ``drop``)
    n_dropped: int
    n_with_missing: int  # assessed records with at least one missing quasi-identifier

    @property
    def n_assessed(self) -> int:
        """Return the number of records assessed."""
        return self.n_in_table - self.n_fully_suppressed - self.n_dropped


def enter_records(columns: Sequence[CodedColumn], settings: RiskSettings, *, n_records: int) -> RecordEntry:
    """Decide which records are assessed.

    `settings`: `missing` says what happens to a record with a missing quasi-identifier. A cell of nothing but
    stars is missing for ``wildcard`` and ``drop``, and a value for ``value``. There a record of blanks
    alone has that value everywhere, and only one with stars is suppressed.
    """
    fully = np.ones(n_records, dtype=bool)
    some, any_stars = np.zeros(n_records, dtype=bool), np.zeros(n_records, dtype=bool)
    for column in columns:
        suppressed = column.value_is_suppressed[column.codes]
        fully &= suppressed
        any_stars |= suppressed & (column.codes >= 0)
        some |= _is_missing(column, column.codes, settings)
    if settings.missing == "value":
        fully &= any_stars
    dropped = some & ~fully if settings.missing == "drop" else np.zeros(n_records, dtype=bool)
    leave_out = fully | dropped
    return RecordEntry(
        n_in_table=n_records,
        leave_out=leave_out,
        n_fully_suppressed=int(np.count_nonzero(fully)),
        n_dropped=int(np.count_nonzero(dropped)),
        n_with_missing=int(np.count_nonzero(some & ~leave_out)),
    )


def _is_missing(column: CodedColumn, codes: Codes, settings: RiskSettings) -> BoolArray:
    return codes < 0 if settings.missing == "value" else column.value_is_suppressed[codes]


def classes_over(
    columns: Sequence[CodedColumn],
    entry: RecordEntry,
    settings: RiskSettings,
    *,
    person_of_record: IntArray | None = None,
) -> EquivalenceClasses:
    """Return the classes of the assessed records over some columns.

    `settings`: with ``wildcard`` the size of a class is the number of records compatible with it in every
    column, its own included, so sizes sum to more than the records.

    `person_of_record`: shape (n_records,), the person of each record, -1 for an unknown one; sizes then count
    distinct persons. Unknown persons add nobody to a class with known persons, and are one person elsewhere.
    """
    codes = combined_codes([column.codes for column in columns], n_records=entry.n_in_table)
    names = tuple(column.name for column in columns)
    classes = classes_of_codes(codes, names, leave_out=entry.leave_out)
    if settings.missing == "wildcard" and entry.n_with_missing:
        sizes = compatible_sizes(*class_values(columns, classes, settings), classes, person_of_record)
    elif person_of_record is not None:
        sizes = persons_per_class(classes.class_of_record, person_of_record, n_classes=classes.n_classes)
    else:
        return classes
    return EquivalenceClasses(
        quasi_identifiers=names, class_of_record=classes.class_of_record, class_sizes=sizes
    )


def class_values(
    columns: Sequence[CodedColumn], classes: EquivalenceClasses, settings: RiskSettings
) -> tuple[npt.NDArray[np.int32], BoolArray]:
    """Return codes and missingness of each class in each column, both shape (n_classes, n_columns)."""
    record = first_records(classes)
    codes = [column.codes[record] for column in columns]
    missing = [_is_missing(column, own, settings) for column, own in zip(columns, codes, strict=True)]
    return np.column_stack(codes), np.column_stack(missing)


def first_records(classes: EquivalenceClasses) -> IntArray:
    """Return shape (n_classes,): the first record of each class."""
    record = np.zeros(classes.n_classes, dtype=np.int64)
    assessed = np.flatnonzero(classes.class_of_record >= 0)[::-1]
    record[classes.class_of_record[assessed]] = assessed  # the last one written is the first record
    return record


def repeated_persons(class_of_record: IntArray, person_of_record: IntArray) -> BoolArray:
    """Return shape (n_records,): whether a record repeats a known person in the same class."""
    known = np.flatnonzero((class_of_record >= 0) & (person_of_record >= 0))
    combined = combined_codes([class_of_record[known], person_of_record[known]], n_records=len(known))
    first = np.unique(combined, return_index=True)[1]
    repeated = np.zeros(len(class_of_record), dtype=bool)
    repeated[known] = True
    repeated[known[first]] = False
    return repeated


def sampling_weights(dataset: Dataset, column: str) -> FloatArray:
    """Return shape (n_records,): the sampling weights."""
    cells = dataset.table[column]
    weights = as_numbers(cells)
    if weights is None:
        raise input_error("The weight column {column} holds cells that are no numbers.", column=f"`{column}`")
    n_bad = int(np.count_nonzero(~(weights > 0)))
    if n_bad:
        raise input_error(
            "{n} of {total} weights in {column} is missing, zero or negative; a weight says how many "
            "people a record stands for and is above 0.",
            "{n} of {total} weights in {column} are missing, zero or negative; a weight says how many "
            "people a record stands for and is above 0.",
            n=n_bad,
            total=len(weights),
            column=f"`{column}`",
        )
    return weights


_DENSE = 8  # counting every possible combination pays up to so many times the combinations there are


@dataclass(frozen=True, kw_only=True, eq=False)
class Combinations:
    """The distinct combinations of values of a table's quasi-identifiers."""

    quasi_identifiers: tuple[str, ...]  # the columns, in the order given
    # one array of shape (n_combinations,) a column: a code per value, 0 … n_values - 1
    codes: tuple[IntArray, ...]
    sizes: IntArray  # shape (n_combinations,): records with each combination
    # shape (n_records_in_table,): the combination of each record, -1 for one that is left out
    combination_of_record: IntArray
    # one array of shape (n_combinations,) a column: whether its value is missing and matches every value;
    # empty where a missing value is a value of its own
    missing: tuple[BoolArray, ...] = ()

    @property
    def n_combinations(self) -> int:
        """Return the number of distinct combinations."""
        return len(self.sizes)

    @property
    def n_records(self) -> int:
        """Return the number of records assessed."""
        return int(self.sizes.sum())

    @property
    def n_unique(self) -> int:
        """Return the records that no other one equals."""
        return int(np.count_nonzero(self.sizes == 1))

    @property
    def n_values(self) -> list[int]:
        """Return the distinct values of each column, a missing one being a value."""
        return [len(np.unique(codes)) for codes in self.codes]

    def members(self, columns: Sequence[int], *, among: IntArray | None = None) -> IntArray:
        """Return the records that share a combination's values in some columns."""
        sizes = self.sizes if among is None else self.sizes[among]
        chosen = [self.codes[column] if among is None else self.codes[column][among] for column in columns]
        if self.missing and columns:
            missing = [
                self.missing[column] if among is None else self.missing[column][among] for column in columns
            ]
            if any(each.any() for each in missing):
                own = Pairs(np.arange(len(sizes)), np.zeros(len(sizes), dtype=np.int64), sizes)
                codes = np.column_stack(chosen).astype(np.int32)
                return spread(own, codes, np.column_stack(missing)).n
        return _members_of_codes(chosen, sizes)


def _members_of_codes(codes: Sequence[IntArray], sizes: IntArray) -> IntArray:
    """Return shape (n,): Σ of `sizes` over the entries with the same codes."""
    group = grouped(codes, n=len(sizes))
    return np.bincount(group, weights=sizes).astype(np.int64)[group]


def grouped(codes: Sequence[IntArray], *, n: int) -> IntArray:
    """Return shape (n,): a number from 0 for each distinct combination of codes, not all numbers used."""
    group = combined_codes(codes, n_records=n)
    if int(group.max(initial=0)) > _DENSE * n:
        return value_codes(group)
    return group


def distinct_combinations(
    columns: Mapping[str, Codes], *, leave_out: BoolArray | None = None, counted: BoolArray | None = None
) -> Combinations:
    """Collapse records to their distinct combinations of values."""
    every = [np.asarray(codes, dtype=np.int64) for codes in columns.values()]
    n_in_table = len(every[0])
    kept = np.arange(n_in_table) if leave_out is None else np.flatnonzero(~leave_out)
    codes = [each[kept] for each in every]
    combination = combination_codes(codes, n_records=len(kept))
    sizes = np.bincount(combination)
    first = np.zeros(len(sizes), dtype=np.int64)
    first[combination[::-1]] = np.arange(len(kept))[::-1]  # the last one written is the first record
    combination_of_record = np.full(n_in_table, -1, dtype=np.int64)
    combination_of_record[kept] = combination
    if counted is not None:
        sizes = np.bincount(combination, weights=counted[kept], minlength=len(first)).astype(np.int64)
    return Combinations(
        quasi_identifiers=tuple(columns),
        codes=tuple(each[first] for each in codes),
        sizes=sizes,
        combination_of_record=combination_of_record,
    )
