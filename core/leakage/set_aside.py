"""What is left without columns that never match: new participant numbers hide an unchanged row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.leakage.pairing import TablePair
from core.leakage.rows import RowLeakage, count_row_matches
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import WholeRows, expected_full_matches, find_whole_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class SetAside:
    """The row rules and whole rows over the columns left."""

    columns: tuple[str, ...]  # columns set aside, and the number of those left
    n_left: int
    rows: RowLeakage | None  # the row rules over the columns left; None where rows are not paired
    # rows that would leak fully over the columns left if scrambled rows were in random order
    expected_full: float
    whole_rows: WholeRows  # whole rows over the columns left

    @property
    def full_p_value(self) -> float:
        """Return the probability that random order gives as many fully leaked rows."""
        if self.rows is None or not self.rows.n_full:
            return 1.0
        return float(stats.poisson.sf(self.rows.n_full - 1, self.expected_full))


def set_columns_aside(
    pair: TablePair,
    columns: Sequence[str],
    settings: LeakageSettings,
    rows: RowLeakage | None,
    *,
    holdout: TablePair | None = None,
) -> SetAside | None:
    """Measure again without the columns that never match."""
    aside = tuple(name for name in columns if _never_matches(pair, name))
    gone = set(aside)
    left = tuple(name for name in columns if name not in gone)
    if not aside or len(left) < 2:
        return None
    return SetAside(
        columns=aside,
        n_left=len(left),
        rows=None if rows is None else count_row_matches(pair, left, settings),
        expected_full=expected_full_matches(pair, left),
        whole_rows=find_whole_rows(pair, left, holdout=holdout),
    )


def _never_matches(pair: TablePair, name: str) -> bool:
    """Whether a column holds values in both tables, and shares none."""
    codes, other_codes = pair.codes[name]
    n_values = int(max(codes.max(), other_codes.max())) + 1
    counts = np.bincount(codes[codes >= 0], minlength=n_values) > 0
    other_counts = np.bincount(other_codes[other_codes >= 0], minlength=n_values) > 0
    return bool(counts.any() and other_counts.any() and not (counts & other_counts).any())
