"""Equivalence classes: records that share the same values in all quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

IntArray = npt.NDArray[np.int64]

_LARGEST_CODE = np.iinfo(np.int64).max


@dataclass(frozen=True, kw_only=True, eq=False)
class EquivalenceClasses:
    """The equivalence classes of a table over some quasi-identifiers.

    Attributes
    ----------
    quasi_identifiers
        The columns, in the order given.
    class_of_record
        Shape (n_records_in_table,), the class of each record as 0 … n_classes - 1 in order of
        first appearance; -1 for a record that is left out.
    class_sizes
        Shape (n_classes,), records (or distinct persons, or users) per class.
    """

    quasi_identifiers: tuple[str, ...]
    class_of_record: IntArray
    class_sizes: IntArray

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(self.class_sizes)

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

    def n_records_below(self, k: int) -> int:
        """Return the number of assessed records in classes with fewer than `k` members."""
        sizes, records = self.size_histogram
        return int(records[sizes < k].sum())

    def share_below(self, k: int) -> float | None:
        """Return the share in [0, 1] of assessed records in classes smaller than `k`, None of none."""
        return self.n_records_below(k) / self.n_records if self.n_records else None


def equivalence_classes(
    table: pa.Table, quasi_identifiers: Sequence[str], *, leave_out: npt.NDArray[np.bool_] | None = None
) -> EquivalenceClasses:
    """Group the records of a table by their values in all quasi-identifiers.

    A missing value is a value of its own. Values are compared as written. Without
    quasi-identifiers all records form one class.

    Parameters
    ----------
    table
        Columns of any type that Arrow can dictionary-encode.
    quasi_identifiers
        Column names; the result does not depend on their order but for the class numbers.
    leave_out
        Shape (n_records,); True for records that no class shall count.

    Returns
    -------
    EquivalenceClasses
        Class sizes sum to the records not left out.

    References
    ----------
    Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002.
    """
    codes = combined_codes(
        [value_codes(table[column]) for column in quasi_identifiers], n_records=table.num_rows
    )
    return classes_of_codes(codes, quasi_identifiers, leave_out=leave_out)


def classes_of_codes(
    codes: IntArray, quasi_identifiers: Sequence[str], *, leave_out: npt.NDArray[np.bool_] | None = None
) -> EquivalenceClasses:
    """Return the classes of records that have a code of their combination already.

    Parameters
    ----------
    codes
        Shape (n_records,): one code per distinct combination, any numbers.
    quasi_identifiers
        What the codes were combined from.
    leave_out
        Shape (n_records,); True for records that no class shall count.
    """
    if leave_out is None or not leave_out.any():
        class_of_record = _renumber(codes)
        sizes = np.bincount(class_of_record)
    else:
        class_of_record = np.full(len(codes), -1, dtype=np.int64)
        class_of_record[~leave_out] = _renumber(codes[~leave_out])
        sizes = np.bincount(class_of_record[class_of_record >= 0])
    return EquivalenceClasses(
        quasi_identifiers=tuple(quasi_identifiers), class_of_record=class_of_record, class_sizes=sizes
    )


def value_codes(column: pa.ChunkedArray | pa.Array) -> IntArray:
    """Return shape (n_records,): a code per distinct value, 0 … n_values - 1; missing has its own."""
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)


def sorted_distinct(codes: IntArray) -> IntArray:
    """Return the distinct codes, ascending; by sorting, which for a million beats numpy's hashing."""
    in_order = np.sort(codes)
    return in_order[np.append(True, in_order[1:] != in_order[:-1])[: len(in_order)]]


def combined_codes(codes: Sequence[npt.NDArray[np.integer]], *, n_records: int) -> IntArray:
    """Return shape (n_records,): one code per distinct combination of the codes, not consecutive.

    Codes are combined as digits of one number; before the number could exceed 64 bits, what has
    been combined so far is renumbered, so any number of columns works.
    """
    combined = np.zeros(n_records, dtype=np.int64)
    size = 1
    for column in codes:
        n_values = int(column.max(initial=-1)) + 1
        if size > _LARGEST_CODE // max(n_values, 1):
            combined = _renumber(combined)
            size = int(combined.max(initial=-1)) + 1
        combined = combined * n_values + column
        size *= max(n_values, 1)
    return combined


def _renumber(codes: IntArray) -> IntArray:
    """Return the codes as 0 … n - 1 in order of first appearance."""
    return value_codes(pa.array(codes))
