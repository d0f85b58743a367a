"""Whole rows of the original found anywhere in the scrambled table, in whatever order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import binomial_tail, normal_tail, poisson_law
from core.coding import BoolArray, FloatArray, IntArray, SharedCodes, combination_codes
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings
from core.tables import Dataset
from core.values.cells import Column, cells_equal_to

CountArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, kw_only=True, eq=False)
class RowLeakage:
    """Matching and valid cells of every row, and what follows from them."""

    match_count: CountArray = field(repr=False)  # shape (n_rows,), 0 ≤ matching ≤ valid ≤ columns compared
    valid_count: CountArray = field(repr=False)
    column_matches: IntArray = field(repr=False)  # shape (n_columns,), the same cells counted by column
    column_valid: IntArray = field(repr=False)
    # shape (n_rows,), the rows that each stands for where alike ones are counted together; else None
    n_alike: IntArray | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """Return the number of rows compared."""
        return self._count(np.ones(len(self.match_count), dtype=bool))

    def _count(self, chosen: BoolArray) -> int:
        return int(np.count_nonzero(chosen) if self.n_alike is None else self.n_alike[chosen].sum())

    @cached_property
    def is_full(self) -> BoolArray:
        """Return shape (n_rows,): True where every valid cell matches and there is one."""
        return cast("BoolArray", (self.match_count == self.valid_count) & (self.valid_count > 0))

    @cached_property
    def n_full(self) -> int:
        """Return the number of rows with full leakage."""
        return self._count(self.is_full)

    @cached_property
    def n_partial(self) -> int:
        """Return the number of rows where some valid cells match, not all."""
        return self._count((self.match_count > 0) & (self.match_count < self.valid_count))

    @cached_property
    def n_without_valid_cells(self) -> int:
        """Return the number of rows that cannot be judged."""
        return self._count(self.valid_count == 0)

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
        return float(np.average(self.match_count, weights=self.n_alike))

    @cached_property
    def std_matching_cells(self) -> float:
        """Return the population standard deviation of matching cells over all rows."""
        if self.n_alike is None:
            return float(self.match_count.std(dtype=np.float64))
        spread = (self.match_count - self.mean_matching_cells) ** 2
        return float(np.sqrt(np.average(spread, weights=self.n_alike)))


def count_row_matches(pair: TablePair, columns: tuple[str, ...], settings: LeakageSettings) -> RowLeakage:
    """Count matching and valid cells of every pair of rows.

    A cell is valid unless either side is an ignore value, or, with the default setting, both are
    missing; missing on one side is a difference.
    """
    n_rows = pair.n_pairs
    match_count, valid_count = np.zeros(n_rows, np.uint16), np.zeros(n_rows, np.uint16)
    matches, valid = [], []
    for name in columns:
        is_match, is_valid = _compared_cells(pair, name, settings)
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


def _compared_cells(
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


def without_ignored(cells: pa.ChunkedArray, settings: LeakageSettings) -> pa.ChunkedArray:
    """Return the cells with ignored ones missing."""
    ignored = is_ignored(cells, settings)
    return cells if ignored is None else pc.if_else(pa.array(ignored), None, cells)


def comparable_rows(
    table: Dataset, columns: Sequence[str], settings: LeakageSettings, rows: IntArray
) -> pa.Table:
    """Return some rows of a table, ignored cells missing."""
    taken = table.table.select(list(columns)).take(rows)
    return pa.table([without_ignored(cells, settings) for cells in taken.columns], names=list(columns))


# A sum of many yes/no events is close to normal once its variance is this large.
_NORMAL_FROM_VARIANCE = 100.0
# Events rarer than this, and those as sure, add up to Poisson counts.
_RARE = 1e-3
_EVEN = 0.5
_NEGLIGIBLE = 1e-18
_SAME_VALUES = 0.95  # share of a column's cells that hold the original's values as often
_MOSTLY_DIFFERENT = 0.5  # distinct values divided by rows


@dataclass(frozen=True, kw_only=True)
class WholeRows:
    """Exact rows found anywhere, against what independent columns would give."""

    n_original: int  # rows of the tables
    n_scrambled: int
    n_exact: int  # Σ over distinct rows of min(rows in the original, rows in the scrambled table)
    expected_exact: float  # its expectation if each scrambled column were put in a random order of its own
    n_unique: int  # rows of the original that no other original row equals
    n_unique_exact: int  # those found in the scrambled table at least once
    # its expectation if each scrambled column were put in a random order of its own
    expected_unique_exact: float
    p_value: float  # probability in [0, 1] that such independent columns give `n_unique_exact` or more
    # the same for distinct rows that the original holds more than once; here chance is the larger of
    # independent columns and strangers who are as the original's persons
    n_repeated_exact: int
    expected_repeated_exact: float
    repeated_p_value: float
    # distinct rows that exactly two original records share: how often persons of this population are alike in
    # everything anyway
    n_pairs: int = 0
    n_holdout: int = 0  # Hold-out records, and unique original rows found among them; 0 and 0 without any
    n_holdout_exact: int = 0
    n_moves: int = 0  # times that the scrambled values were moved to neighbours', and rows found then in all
    n_neighbours: int = 0
    # whether the scrambled cells are the original's own, put in another order, so that no strangers gave them
    is_rearranged: bool = False

    @property
    def expected_among_strangers(self) -> float:
        """Return the unique rows that as many strangers of the same population would share.

        With a hold-out, as many as it shares, by its number of records; without, Good and Turing's estimate:
        a stranger is like exactly one original person as often as an original person is like exactly one
        other. Where values were moved to their neighbours', the mean found then if that is more.
        """
        if self.n_holdout:
            return self.n_holdout_exact * self.n_scrambled / self.n_holdout
        return max(2 * self.n_pairs * self.n_scrambled / self.n_original, self.expected_among_neighbours)

    @property
    def expected_among_neighbours(self) -> float:
        """Return the unique rows found on average with values moved to their neighbours'; 0 if not moved."""
        return self.n_neighbours / self.n_moves if self.n_moves else 0.0

    @property
    def stranger_p_value(self) -> float:
        """Return the probability that strangers share as many unique rows, given all that were seen shared.

        Exact and conditional: of the rows seen shared, in both tables or within the original, each falls to
        the scrambled table in proportion to the pairs of records looked at.

        References
        ----------
        Good, The population frequencies of species, Biometrika 40, 1953. Przyborowski and Wilenski,
        Homogeneity of results in testing samples from Poisson series, Biometrika 31, 1940.
        """
        if self.n_holdout:
            total, part = self.n_holdout_exact, self.n_scrambled / (self.n_scrambled + self.n_holdout)
        else:
            total = self.n_pairs
            part = 2 * self.n_scrambled / (2 * self.n_scrambled + self.n_original)
        p_value = float(binomial_tail(self.n_unique_exact, self.n_unique_exact + total, part))
        if not self.n_moves:
            return p_value
        together = self.n_unique_exact + self.n_neighbours
        return max(p_value, float(binomial_tail(self.n_unique_exact, together, 1 / (1 + self.n_moves))))

    @property
    def excess(self) -> float:
        """Return unique rows that reappear beyond expectation; negative where fewer do."""
        return self.n_unique_exact - self.expected_unique_exact

    @property
    def is_copy(self) -> bool:
        """Whether the scrambled table holds exactly the original's rows, in whatever order."""
        return self.n_exact == self.n_original == self.n_scrambled


def find_whole_rows(
    pair: TablePair, columns: Sequence[str], *, holdout: TablePair | None = None
) -> WholeRows:
    """Count the rows of the original that the scrambled table holds in full, in whatever order.

    Every column counts: ignore values are ordinary values here, a missing cell is a value of its own.

    Notes
    -----
    Let b_j of the n scrambled cells in column j hold the row's value, and let r be the rarest such
    column. Each of the b_r rows with the rarest value agrees in all other columns with probability
    q = Π_{j ≠ r} b_j / n, so the row is expected b_r q times. Its number is taken as
    Binomial(b_r, q): exact for one column, and otherwise as close as drawing with replacement is
    to drawing without.
    """
    rows = _whole_row_codes(pair, columns)
    counts, other_counts = rows.original_counts, rows.anonymized_counts
    first = _first_rows(rows)
    distinct = np.flatnonzero(counts)
    trials, agreement = _binomials_by_chance(pair, columns, first[distinct])
    reappears = expected_overlap(np.ones_like(trials), trials, agreement)
    found, unique = other_counts[distinct] > 0, counts[distinct] == 1
    n_unique_exact, n_repeated_exact = (int(np.count_nonzero(each & found)) for each in (unique, ~unique))
    n_unique, n_pairs = _n_rows_shared_by(pair, columns)
    by_strangers = 1 - np.exp(-counts[distinct][~unique] * (len(rows.anonymized) / len(rows.original)))
    repeated_reappear = np.maximum(reappears[~unique], by_strangers)
    return WholeRows(
        n_original=len(rows.original),
        n_scrambled=len(rows.anonymized),
        n_exact=rows.n_same_values,
        expected_exact=float(expected_overlap(counts[distinct], trials, agreement).sum()),
        n_unique=n_unique,
        n_unique_exact=n_unique_exact,
        expected_unique_exact=float(reappears[unique].sum()),
        p_value=probability_of_at_least(n_unique_exact, reappears[unique]),
        n_repeated_exact=n_repeated_exact,
        expected_repeated_exact=float(repeated_reappear.sum()),
        repeated_p_value=probability_of_at_least(n_repeated_exact, repeated_reappear),
        n_pairs=n_pairs,
        n_holdout=holdout.scrambled.n_records if holdout else 0,
        n_holdout_exact=n_unique_found(holdout, columns) if holdout else 0,
        is_rearranged=_is_rearranged(pair, columns),
    )


def _is_rearranged(pair: TablePair, columns: Sequence[str]) -> bool:
    """Tell whether all columns hold nearly the original's values as often, one of them mostly different ones.

    Strangers share few values of such a column.
    """
    n_rows = max(pair.original.n_records, pair.scrambled.n_records)
    is_telling = False
    for name in columns:
        counts, others = pair.codes[name].counts_with_missing()
        if np.minimum(counts, others).sum() < _SAME_VALUES * n_rows:
            return False
        is_telling |= bool(np.count_nonzero(counts) >= _MOSTLY_DIFFERENT * n_rows)
    return is_telling


def _whole_row_codes(pair: TablePair, columns: Sequence[str]) -> SharedCodes:
    """Return the codes of all rows, equal rows of one code; -1, of no row of the other table."""
    keep = np.ones(pair.original.n_records, dtype=bool)
    other_keep = np.ones(pair.scrambled.n_records, dtype=bool)
    for name in columns:
        codes = pair.codes[name]
        counts, other_counts = codes.counts_with_missing()
        keep &= (other_counts > 0)[codes.original]
        other_keep &= (counts > 0)[codes.anonymized]
    combined = _combine(pair, columns, keep, other_keep)
    n_kept = int(np.count_nonzero(keep))
    result = np.full(len(keep), -1, dtype=np.int64)
    other_result = np.full(len(other_keep), -1, dtype=np.int64)
    result[keep], other_result[other_keep] = combined[:n_kept], combined[n_kept:]
    return SharedCodes(original=result, anonymized=other_result)


def _combine(pair: TablePair, columns: Sequence[str], keep: BoolArray, other_keep: BoolArray) -> IntArray:
    """Return one code per distinct row, missing a value, over the kept rows of both tables end to end."""
    coded = (pair.codes[name] for name in columns)
    return combination_codes(
        (np.concatenate([codes.original[keep], codes.anonymized[other_keep]]) for codes in coded),
        n_records=int(np.count_nonzero(keep) + np.count_nonzero(other_keep)),
    )


def _first_rows(rows: SharedCodes) -> IntArray:
    """Return shape (n_codes,): a row of the original that has the code, whichever; 0 where none has."""
    first = np.zeros(rows.n_values, dtype=np.int64)
    there = np.flatnonzero(rows.original >= 0)
    first[rows.original[there]] = there
    return first


def _binomials_by_chance(
    pair: TablePair, columns: Sequence[str], rows: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return shape (n_rows,) each: b of a row's rarest value, and the chance q that the rest agrees."""
    rarest = np.full(len(rows), pair.scrambled.n_records, dtype=np.int64)
    logarithm = np.zeros(len(rows))
    for name in columns:
        codes = pair.codes[name]
        count = codes.counts_with_missing()[1][codes.original[rows]]
        logarithm += np.log(count / pair.scrambled.n_records)
        rarest = np.minimum(rarest, count)
    agreement = np.exp(logarithm - np.log(rarest / pair.scrambled.n_records))
    return rarest, np.minimum(agreement, 1.0)


def _n_rows_shared_by(pair: TablePair, columns: Sequence[str]) -> tuple[int, int]:
    """Return the distinct rows that one original record has, and those that exactly two share."""
    none_of_scrambled = np.zeros(pair.scrambled.n_records, dtype=bool)
    every_original = np.ones(pair.original.n_records, dtype=bool)
    counts = np.bincount(_combine(pair, columns, every_original, none_of_scrambled))
    return int(np.count_nonzero(counts == 1)), int(np.count_nonzero(counts == 2))


def n_unique_found(pair: TablePair, columns: Sequence[str]) -> int:
    """Return the rows that one original record has and the other table holds, whatever their order."""
    rows = _whole_row_codes(pair, columns)
    return int(np.count_nonzero((rows.original_counts == 1) & (rows.anonymized_counts > 0)))


def expected_full_matches(pair: TablePair, columns: Sequence[str]) -> float:
    """Return the exact mean of rows equal in full to their original in random order; missing is a value."""
    rows = _whole_row_codes(pair, columns)
    return float(rows.original_counts @ rows.anonymized_counts / len(rows.anonymized))


def expected_overlap(counts: IntArray, trials: IntArray, agreement: FloatArray) -> FloatArray:
    """Return E[min(a, X)] for X ~ Binomial(b, q), by distinct row; for a = 1 the chance of X ≥ 1."""
    below = trials * agreement * (1 - binomial_tail(counts - 1, trials - 1, agreement))
    return cast("FloatArray", below + counts * binomial_tail(counts, trials, agreement))


def probability_of_at_least(observed: int, probabilities: FloatArray) -> float:
    """Return the probability that independent events of given probabilities number `observed` or more.

    Exact to rounding for small counts; rare and nearly sure events (below 1e-3, above 1 − 1e-3) are
    summed as Poisson counts, and from a variance of 100 the sum is taken as normal.
    """
    if observed <= 0:
        return 1.0
    variance = float((probabilities * (1 - probabilities)).sum())
    if variance >= _NORMAL_FROM_VARIANCE:
        return normal_tail((observed - 0.5 - probabilities.sum()) / np.sqrt(variance))
    likely = probabilities > _EVEN
    happening = _count_law(probabilities[~likely])
    failing = _count_law(1 - probabilities[likely])
    at_least = np.append(happening[::-1].cumsum()[::-1], 0.0)
    needed = observed - np.count_nonzero(likely) + np.arange(len(failing))
    return float(min(1.0, failing @ at_least[np.clip(needed, 0, len(happening))]))


def _count_law(probabilities: FloatArray) -> FloatArray:
    """Return the law of how many independent events happen, none likelier than even; cut where negligible."""
    rare = probabilities < _RARE
    mean = float(probabilities[rare].sum())
    longest = int(mean + 12 * np.sqrt(mean) + 30)
    law = poisson_law(longest, mean)
    for p in probabilities[~rare]:
        law = np.append(law * (1 - p), 0.0) + np.append(0.0, law * p)
        if law[-1] < _NEGLIGIBLE:
            law = law[:-1]
    return law
