"""The row rules: how many cells of a row are the same as in its own original row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from core.cells import BoolArray, Column, cells_equal_to
from core.leakage.pairing import IntArray, TablePair
from core.leakage.settings import LeakageSettings

CountArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, kw_only=True, eq=False)
class RowLeakage:
    """Matching and valid cells of every row, and what follows from them."""

    match_count: CountArray = field(repr=False)  # shape (n_rows,), 0 ≤ matching ≤ valid ≤ columns compared
    valid_count: CountArray = field(repr=False)
    column_matches: IntArray = field(repr=False)  # shape (n_columns,), the same cells counted by column
    column_valid: IntArray = field(repr=False)

    @property
    def n_rows(self) -> int:
        """Return the number of rows compared."""
        return len(self.match_count)

    @cached_property
    def is_full(self) -> BoolArray:
        """Return shape (n_rows,): True where every valid cell matches and there is one."""
        return cast("BoolArray", (self.match_count == self.valid_count) & (self.valid_count > 0))

    @cached_property
    def n_full(self) -> int:
        """Return the number of rows with full leakage."""
        return int(np.count_nonzero(self.is_full))

    @cached_property
    def n_partial(self) -> int:
        """Return the number of rows where some valid cells match, not all."""
        return int(np.count_nonzero((self.match_count > 0) & (self.match_count < self.valid_count)))

    @cached_property
    def n_without_valid_cells(self) -> int:
        """Return the number of rows that cannot be judged."""
        return int(np.count_nonzero(self.valid_count == 0))

    @property
    def n_none(self) -> int:
        """Return the number of rows with valid cells of which none matches."""
        return self.n_rows - self.n_full - self.n_partial - self.n_without_valid_cells

    @property
    def full_leakage_share(self) -> float:
        """Return fully matching rows over all rows, in [0, 1]."""
        return self.n_full / self.n_rows

    @property
    def partial_leakage_share(self) -> float:
        """Return partly matching rows over all rows, in [0, 1]."""
        return self.n_partial / self.n_rows

    @cached_property
    def mean_matching_cells(self) -> float:
        """Return the mean of matching cells over all rows."""
        return float(self.match_count.mean(dtype=np.float64))

    @cached_property
    def std_matching_cells(self) -> float:
        """Return the population standard deviation of matching cells over all rows."""
        return float(self.match_count.std(dtype=np.float64))


def count_row_matches(pair: TablePair, columns: tuple[str, ...], settings: LeakageSettings) -> RowLeakage:
    """Count matching and valid cells of every pair of rows.

    A cell is valid unless either side is an ignore value, or, with the default setting, both are
    missing; missing on one side is a difference.
    """
    n_rows = pair.n_pairs
    match_count, valid_count = np.zeros(n_rows, np.uint16), np.zeros(n_rows, np.uint16)
    matches, valid = [], []
    for name in columns:
        is_match, is_valid = compared_cells(pair, name, settings)
        match_count += is_match
        matches.append(np.count_nonzero(is_match))
        if is_valid is None:
            valid_count += np.uint16(1)
        else:
            valid_count += is_valid
        valid.append(n_rows if is_valid is None else np.count_nonzero(is_valid))
    return RowLeakage(
        match_count=match_count,
        valid_count=valid_count,
        column_matches=np.array(matches, np.int64),
        column_valid=np.array(valid, np.int64),
    )


def compared_cells(
    pair: TablePair, name: str, settings: LeakageSettings
) -> tuple[BoolArray, BoolArray | None]:
    """Return for the paired cells of a column which match and which are valid (None: all are)."""
    is_match = pair.equal[name]
    original, scrambled = pair.paired_cells(name)
    ignored = [is_ignored(cells, settings) for cells in (original, scrambled)]
    left_out = [mask for mask in ignored if mask is not None]
    if original.null_count and scrambled.null_count and not settings.ignores_missing:
        both_missing = is_missing(original) & is_missing(scrambled)
        if settings.missing_on_both == "match":
            is_match = is_match | both_missing
        elif settings.missing_on_both == "leave out":
            left_out.append(both_missing)
    if not left_out:
        return is_match, None
    is_valid = ~np.logical_or.reduce(left_out)
    return is_match & is_valid, is_valid


def is_missing(cells: Column) -> BoolArray:
    """Return shape (n_cells,): True where a cell is missing."""
    return cast("BoolArray", np.asarray(pc.is_null(cells)))


def is_ignored(cells: Column, settings: LeakageSettings) -> BoolArray | None:
    """Return shape (n_cells,): True where a cell is an ignore value; None where surely none is."""
    masks = [cells_equal_to(cells, value, dates=True) for value in settings.values_to_ignore]
    if settings.ignores_missing and cells.null_count:
        masks.append(is_missing(cells))
    found = [mask for mask in masks if mask.any()]
    return cast("BoolArray", np.logical_or.reduce(found)) if found else None
