"""Records as they enter: coded values, what is missing, who is left out, whose record it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.cells import as_numbers
from core.coding import BoolArray, CodedColumn, IntArray, combined_codes
from core.equivalence import EquivalenceClasses, classes_of_codes
from core.errors import AuditInputError
from core.risk.settings import RiskSettings
from core.risk.wildcards import compatible_sizes
from core.tables import Dataset

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordEntry:
    """Which records are assessed, and why others are not."""

    n_in_table: int  # records of the table
    leave_out: BoolArray  # shape (n_in_table,), True for records that are not assessed
    # records blank or ``*`` in every quasi-identifier; they single nobody out and are left out
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
    stars is missing for ``wildcard`` and ``drop``, and a value for ``value``.
    """
    fully = np.ones(n_records, dtype=bool)
    some = np.zeros(n_records, dtype=bool)
    for column in columns:
        fully &= column.value_is_suppressed[column.codes]
        some |= _is_missing(column, settings)[column.codes]
    dropped = some & ~fully if settings.missing == "drop" else np.zeros(n_records, dtype=bool)
    leave_out = fully | dropped
    return RecordEntry(
        n_in_table=n_records,
        leave_out=leave_out,
        n_fully_suppressed=int(np.count_nonzero(fully)),
        n_dropped=int(np.count_nonzero(dropped)),
        n_with_missing=int(np.count_nonzero(some & ~leave_out)),
    )


def _is_missing(column: CodedColumn, settings: RiskSettings) -> BoolArray:
    return column.value_is_missing if settings.missing == "value" else column.value_is_suppressed


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
    codes = np.column_stack([column.codes[record] for column in columns])
    missing = np.column_stack([_is_missing(column, settings)[column.codes[record]] for column in columns])
    return codes, missing


def first_records(classes: EquivalenceClasses) -> IntArray:
    """Return shape (n_classes,): the first record of each class."""
    record = np.zeros(classes.n_classes, dtype=np.int64)
    assessed = np.flatnonzero(classes.class_of_record >= 0)[::-1]
    record[classes.class_of_record[assessed]] = assessed  # the last one written is the first record
    return record


def persons_per_class(class_of_record: IntArray, person_of_record: IntArray, *, n_classes: int) -> IntArray:
    """Return shape (n_classes,): the distinct persons of each class, at least 1."""
    known = (class_of_record >= 0) & (person_of_record >= 0)
    n_persons = int(person_of_record.max(initial=-1)) + 1
    pairs = pc.unique(pa.array(class_of_record[known] * max(n_persons, 1) + person_of_record[known]))
    of_class = pairs.to_numpy() // max(n_persons, 1)
    return np.maximum(np.bincount(of_class, minlength=n_classes), 1)


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
        raise AuditInputError(f"The weight column `{column}` holds cells that are no numbers.")
    n_bad = int(np.count_nonzero(~(weights > 0)))
    if n_bad:
        raise AuditInputError(
            f"{n_bad:,} of {len(weights):,} weights in `{column}` are missing, zero or negative; a weight "
            "says how many people a record stands for and is above 0."
        )
    return weights
