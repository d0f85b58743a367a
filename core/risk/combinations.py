"""Records collapsed to their distinct combinations of values, so that searching over columns is cheap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.coding import IntArray, combination_codes, combined_codes, value_codes
from core.risk.wildcards import Pairs, spread

BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.integer]

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
        return members_of_codes(chosen, sizes)


def members_of_codes(codes: Sequence[IntArray], sizes: IntArray) -> IntArray:
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
    columns: Mapping[str, CodeArray],
    *,
    leave_out: BoolArray | None = None,
    counted: BoolArray | None = None,
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
