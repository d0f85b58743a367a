"""Distance to the closest record, against how close records are anyway and against a hold-out table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import stats

from core.errors import AuditInputError
from core.leakage.gower import GowerTable, gower_tables, two_smallest_distances
from core.leakage.pairing import IntArray, TablePair
from core.leakage.settings import LeakageSettings
from core.tables import Dataset

DistanceArray = npt.NDArray[np.float32]

_MOST_ROWS = 2000
_FEWEST_ROWS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosestRecords:
    """How close scrambled rows come to a table of records."""

    n_records: int  # records that were searched
    # shape (n_rows,): Gower distance to the closest record, in [0, 1]; and that distance over the distance to
    # the second closest, in [0, 1], 1 where both are 0, NaN with one record
    closest: DistanceArray = field(repr=False)
    ratio: DistanceArray = field(repr=False)

    @cached_property
    def median_distance(self) -> float:
        """Return the median distance to the closest record."""
        return float(np.median(self.closest))

    @cached_property
    def fifth_percentile(self) -> float:
        """Return the distance that 5 % of rows fall below."""
        return float(np.quantile(self.closest, 0.05))

    @cached_property
    def median_ratio(self) -> float | None:
        """Return the median nearest-neighbour distance ratio; None with a single record."""
        return None if np.isnan(self.ratio).all() else float(np.nanmedian(self.ratio))


@dataclass(frozen=True, kw_only=True, eq=False)
class Distances:
    """Distances of sampled scrambled rows, with what to hold them against."""

    n_rows: int  # scrambled rows looked at; a seeded sample unless `is_exact`
    is_exact: bool  # whether all scrambled rows were looked at
    to_original: ClosestRecords  # to all records of the original table
    # of as many original rows to the closest other original row: how close people are anyway
    within_original: ClosestRecords | None
    # with a hold-out table: to equally many records of the original and the hold-out table
    to_original_sample: ClosestRecords | None = None
    to_holdout: ClosestRecords | None = None

    @cached_property
    def closer_to_original_share(self) -> float | None:
        """Return the share of rows closer to the original than to the hold-out, ties half.

        Half is what a table gives that knows nothing of the original persons beyond what the
        hold-out persons share with them.
        """
        if self.to_original_sample is None or self.to_holdout is None:
            return None
        closer = self.to_original_sample.closest < self.to_holdout.closest
        tied = self.to_original_sample.closest == self.to_holdout.closest
        return float((np.count_nonzero(closer) + np.count_nonzero(tied) / 2) / self.n_rows)

    @cached_property
    def closer_than_originals_z(self) -> float | None:
        """Return how much closer scrambled rows are to original records than those are to each other.

        The z-score of the Mann-Whitney test with its correction for ties; None where it cannot be had.
        """
        if self.within_original is None:
            return None
        scrambled, within = self.to_original.closest, self.within_original.closest
        together = np.concatenate([scrambled, within])
        if together.min() == together.max():
            return None
        n, m = len(scrambled), len(within)
        u = float(stats.rankdata(together)[:n].sum()) - n * (n + 1) / 2
        _, ties = np.unique(together, return_counts=True)
        tied = float((ties.astype(np.float64) ** 3 - ties).sum()) / ((n + m) * (n + m - 1))
        return float((n * m / 2 - u) / np.sqrt(n * m / 12 * (n + m + 1 - tied)))

    @property
    def closer_z(self) -> float | None:
        """Return the standard deviations by which that share exceeds one half."""
        share = self.closer_to_original_share
        return None if share is None else (share - 0.5) * 2 * float(np.sqrt(self.n_rows))


def measure_distances(
    pair: TablePair,
    columns: Sequence[str],
    *,
    settings: LeakageSettings,
    max_comparisons: int,
    holdout: Dataset | None = None,
) -> Distances:
    """Measure how close scrambled rows come to original records, by Gower's distance.

    See :mod:`core.leakage.gower` for the distance.

    References
    ----------
    Yao et al., The DCR delusion: measuring the privacy risk of synthetic data, 2025: such distances
    alone can miss leaks.
    """
    if holdout is not None:
        require_columns(holdout, columns)
    generator = np.random.default_rng(settings.seed)
    fitting = max_comparisons // (pair.original.n_records * len(columns))
    rows = _sample(generator, pair.scrambled.n_records, fitting)
    own = _sample(generator, pair.original.n_records, fitting)
    every, sampled, strangers = _comparable_records(pair, columns, settings, rows, holdout)
    within = None if every.n_rows == 1 else _closest(every.take(own), every, own_rows=own)
    to_original_sample, to_holdout = _closest_of_equally_many(sampled, every, strangers, generator)
    return Distances(
        n_rows=len(rows),
        is_exact=len(rows) == pair.scrambled.n_records,
        to_original=_closest(sampled, every),
        within_original=within,
        to_original_sample=to_original_sample,
        to_holdout=to_holdout,
    )


def _comparable_records(
    pair: TablePair,
    columns: Sequence[str],
    settings: LeakageSettings,
    rows: IntArray,
    holdout: Dataset | None,
) -> tuple[GowerTable, GowerTable, GowerTable | None]:
    """Return all original records, the sampled scrambled rows, and the hold-out, if there is one."""
    tables = [pair.original, pair.scrambled]
    kept: list[IntArray | slice] = [slice(None), rows]
    if holdout is None:
        every, sampled = gower_tables(tables, columns, settings, rows=kept, codes=pair.codes)
        return every, sampled, None
    every, sampled, strangers = gower_tables([*tables, holdout], columns, settings, rows=[*kept, slice(None)])
    return every, sampled, strangers


def _closest_of_equally_many(
    records: GowerTable, every: GowerTable, strangers: GowerTable | None, generator: np.random.Generator
) -> tuple[ClosestRecords | None, ClosestRecords | None]:
    """Return the distances to equally many records of the original and the hold-out, if there is one."""
    if strangers is None:
        return None, None
    n_references = min(every.n_rows, strangers.n_rows)
    to_original, to_holdout = (
        _closest(records, table.take(_chosen(generator, table.n_rows, n_references)))
        for table in (every, strangers)
    )
    return to_original, to_holdout


def require_columns(holdout: Dataset, columns: Sequence[str]) -> None:
    """Raise :class:`AuditInputError` unless the hold-out table has records and every column."""
    if not holdout.n_records:
        raise AuditInputError(f"{holdout.name} has no records below its header.")
    there = set(holdout.columns)
    absent = [name for name in columns if name not in there]
    if absent:
        named = ", ".join(f"“{name}”" for name in absent[:5]) + (" …" if len(absent) > 5 else "")
        raise AuditInputError(
            f"The hold-out table {holdout.name} lacks {len(absent)} of the {len(columns)} compared columns: "
            f"{named}; it has to have them all."
        )


def _sample(generator: np.random.Generator, n_rows: int, fitting: int) -> IntArray:
    """Return all row numbers, or a sample of as many as may be compared."""
    return _chosen(generator, n_rows, min(n_rows, max(_FEWEST_ROWS, min(_MOST_ROWS, fitting))))


def _chosen(generator: np.random.Generator, n_rows: int, n_chosen: int) -> IntArray:
    """Return some row numbers in ascending order, each at most once."""
    return np.sort(generator.choice(n_rows, n_chosen, replace=False))


def _closest(
    records: GowerTable, references: GowerTable, *, own_rows: IntArray | None = None
) -> ClosestRecords:
    """Return the distances of records to the closest references, their own rows not counted."""
    two = two_smallest_distances(records, references, own_rows=own_rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(two[:, 1] == 0, np.float32(1), two[:, 0] / two[:, 1])
    ratio[np.isinf(two[:, 1])] = np.nan
    return ClosestRecords(
        n_records=references.n_rows - (own_rows is not None), closest=two[:, 0], ratio=ratio
    )
