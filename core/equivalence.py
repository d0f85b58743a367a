"""Equivalence classes: records that share the same values in all quasi-identifiers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, IntArray, combined_codes, value_codes


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
    def size_histogram(self) -> tuple[IntArray, IntArray]:
        """Return the distinct class sizes, ascending, and the records in classes of each size.

        The records sum to `n_records`. Everything a threshold slider asks is answered from here.
        """
        if not self.n_classes:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing
        per_class = np.bincount(self.class_of_record + 1, minlength=self.n_classes + 1)[1:]
        sizes, size_of_class = np.unique(self.class_sizes, return_inverse=True)
        records = np.bincount(size_of_class, weights=per_class, minlength=len(sizes))
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
