"""Distance to the closest record, of the release and of records held out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.coding import FloatArray, IntArray, some_rows
from core.comparing.nearest_records import (
    Records,
    find_nearest,
    likeness_tables,
    n_records,
    ranked,
    take_records,
)
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import comparable_rows
from core.tables import Dataset
from core.words import input_error

_MOST_ROWS = 2000
_FEWEST_ROWS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosestRecords:
    """How close scrambled rows come to a table of records."""

    n_records: int  # records that were searched
    # shape (n_rows,): distance in ranks to the closest record, in [0, 1]; and that distance over the distance
    # to the second closest, in [0, 1], 1 where both are 0, NaN with one record
    closest: FloatArray = field(repr=False)
    ratio: FloatArray = field(repr=False)

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


def measure_distances(
    pair: TablePair,
    columns: Sequence[str],
    *,
    settings: LeakageSettings,
    max_comparisons: int,
    holdout: Dataset | None = None,
) -> Distances:
    """Measure how close scrambled rows come to originals, which alone can miss leaks.

    Yao et al., The DCR delusion: measuring the privacy risk of synthetic data, 2025.
    """
    if holdout is not None:
        require_columns(holdout, columns)
    generator = np.random.default_rng(settings.seed)
    fitting = max_comparisons // (pair.original.n_records * len(columns))
    sampled, own = (
        some_rows(generator, table.n_records, max(_FEWEST_ROWS, min(_MOST_ROWS, fitting)))
        for table in (pair.scrambled, pair.original)
    )
    given = [(pair.original, np.arange(pair.original.n_records)), (pair.scrambled, sampled)]
    if holdout is not None:
        given.append((holdout, np.arange(holdout.n_records)))
    every, scrambled, *others = likeness_tables(
        [comparable_rows(table, columns, settings, rows) for table, rows in given],
        columns,
        seed=settings.seed,
    )
    within = None if len(own) == 1 else _closest(take_records(every, own), every, own_rows=own)
    n_fewer = min(n_records(each) for each in (every, *others))
    equally_many = [
        _closest(scrambled, take_records(each, some_rows(generator, n_records(each), n_fewer)))
        for each in ((every, *others) if others else ())
    ]
    return Distances(
        n_rows=len(sampled),
        is_exact=len(sampled) == pair.scrambled.n_records,
        to_original=_closest(scrambled, every),
        within_original=within,
        to_original_sample=equally_many[0] if others else None,
        to_holdout=equally_many[1] if others else None,
    )


def require_columns(holdout: Dataset, columns: Sequence[str]) -> None:
    """Raise :class:`AuditInputError` unless the hold-out table has records and every column."""
    if not holdout.n_records:
        raise input_error("{file} has no records below its header.", file=holdout.name)
    there = set(holdout.columns)
    absent = [name for name in columns if name not in there]
    if absent:
        named = ", ".join(f"“{name}”" for name in absent[:5]) + (" …" if len(absent) > 5 else "")
        raise input_error(
            "The hold-out table {file} lacks {n} of the {total} compared columns: {names}; it has to "
            "have them all.",
            file=holdout.name,
            n=len(absent),
            total=len(columns),
            names=named,
        )


def _closest(records: Records, references: Records, *, own_rows: IntArray | None = None) -> ClosestRecords:
    """Return the distances of records to the closest references, their own rows not counted."""
    found = find_nearest(ranked(records), ranked(references), own=own_rows)
    n_others = n_records(references) - (own_rows is not None)
    ratio = np.where(found.second == 0, 1.0, found.distance / np.maximum(found.second, 1))
    return ClosestRecords(
        n_records=n_others,
        closest=found.distance / found.most,
        ratio=ratio if n_others > 1 else np.full(len(ratio), np.nan),
    )
