"""Distance to the closest record, by Gower's distance for columns of numbers and of words."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import stats

from core.cells import as_numbers, shared_codes
from core.datasets import Dataset
from core.errors import AuditInputError
from core.leakage.pairing import N_THREADS, IntArray
from core.leakage.rows import is_ignored
from core.leakage.settings import LeakageSettings

DistanceArray = npt.NDArray[np.float32]
GowerArray = npt.NDArray[np.float32 | np.int32]

_MOST_ROWS = 2000
_FEWEST_ROWS = 50
_ROWS_AT_ONCE = 16
_OTHER_ROWS_AT_ONCE = 8192


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosestRecords:
    """How close scrambled rows come to a table of records.

    Attributes
    ----------
    n_records
        Records that were searched.
    closest, ratio
        Shape (n_rows,): Gower distance to the closest record, in [0, 1]; and that distance over
        the distance to the second closest, in [0, 1], 1 where both are 0, NaN with one record.
    """

    n_records: int
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
    """Distances of sampled scrambled rows, with what to hold them against.

    Attributes
    ----------
    n_rows
        Scrambled rows looked at; a seeded sample unless `is_exact`.
    is_exact
        Whether all scrambled rows were looked at.
    to_original
        To all records of the original table.
    within_original
        Of as many original rows to the closest other original row: how close people are anyway.
    to_original_sample, to_holdout
        With a hold-out table: to equally many records of the original and the hold-out table.
    """

    n_rows: int
    is_exact: bool
    to_original: ClosestRecords
    within_original: ClosestRecords | None
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


@dataclass(frozen=True, kw_only=True, eq=False)
class _GowerColumn:
    """A column of several tables: numbers scaled to [0, 1], or codes; NaN and -1 are missing."""

    is_number: bool
    parts: tuple[GowerArray, ...]


def measure_distances(
    original: Dataset,
    scrambled: Dataset,
    columns: Sequence[str],
    *,
    settings: LeakageSettings,
    holdout: Dataset | None = None,
) -> Distances:
    """Measure how close scrambled rows come to original records.

    Gower's distance is the mean over columns of |x − y| / range for numbers and 0 or 1 for words,
    over the columns where neither cell is missing or ignored; 1 where there is none. A column is
    of numbers when every cell of it, in all tables, is a finite number.

    Parameters
    ----------
    original, scrambled, holdout
        The tables; the hold-out holds records of the same kind that the scrambled table was not
        made from.
    columns
        The columns compared.
    settings
        Values to ignore, seed, and how many comparisons may be made.

    Returns
    -------
    Distances
        For at most 2,000 scrambled rows, at least 50 where there are as many.

    Raises
    ------
    AuditInputError
        The hold-out has no records or lacks a column.

    References
    ----------
    Gower, A general coefficient of similarity and some of its properties, Biometrics 27(4), 1971.
    Yao et al., The DCR delusion: measuring the privacy risk of synthetic data, 2025: such distances
    alone can miss leaks.
    """
    if holdout is not None:
        _require_columns(holdout, columns)
    tables = [original, scrambled, *([] if holdout is None else [holdout])]
    gower = [_gower_column(tables, name, settings) for name in columns]
    generator = np.random.default_rng(settings.seed)
    rows = _sample(generator, scrambled.n_records, original.n_records * len(columns), settings)
    own = _sample(generator, original.n_records, original.n_records * len(columns), settings)
    within = _closest(gower, (0, own), (0, None), skip_self=True) if original.n_records > 1 else None
    to_original = _closest(gower, (1, rows), (0, None))
    n_rows, is_exact = len(rows), len(rows) == scrambled.n_records
    if holdout is None:
        return Distances(n_rows=n_rows, is_exact=is_exact, to_original=to_original, within_original=within)
    n_references = min(original.n_records, holdout.n_records)
    samples = [
        np.sort(generator.choice(table.n_records, n_references, replace=False))
        for table in (original, holdout)
    ]
    return Distances(
        n_rows=n_rows,
        is_exact=is_exact,
        to_original=to_original,
        within_original=within,
        to_original_sample=_closest(gower, (1, rows), (0, samples[0])),
        to_holdout=_closest(gower, (1, rows), (2, samples[1])),
    )


def _require_columns(holdout: Dataset, columns: Sequence[str]) -> None:
    """Raise unless the hold-out table has records and every column."""
    if not holdout.n_records:
        raise AuditInputError(f"{holdout.name} has no records below its header.")
    absent = [name for name in columns if name not in set(holdout.columns)]
    if absent:
        named = ", ".join(f"“{name}”" for name in absent[:5]) + (" …" if len(absent) > 5 else "")
        raise AuditInputError(
            f"The hold-out table {holdout.name} lacks {len(absent)} of the {len(columns)} compared columns: "
            f"{named}; it has to have them all."
        )


def _sample(
    generator: np.random.Generator, n_rows: int, cells_per_row: int, settings: LeakageSettings
) -> IntArray:
    """Return all row numbers, or a sample of as many as may be compared."""
    fitting = settings.max_comparisons // 10 // max(cells_per_row, 1)
    n_sampled = min(n_rows, max(_FEWEST_ROWS, min(_MOST_ROWS, fitting)))
    return np.sort(generator.choice(n_rows, n_sampled, replace=False))


def _gower_column(tables: Sequence[Dataset], name: str, settings: LeakageSettings) -> _GowerColumn:
    """Return a column of all tables, ready for distances."""
    cells = [_without_ignored(table.table[name], settings) for table in tables]
    numbers = [as_numbers(column) for column in cells]
    known = [part for part in numbers if part is not None]
    if len(known) == len(cells):
        return _GowerColumn(is_number=True, parts=tuple(_scaled(known)))
    together = pa.chunked_array([chunk for column in cells for chunk in column.chunks], cells[0].type)
    codes, _ = shared_codes(together, pa.array([], pa.string()))
    ends = np.cumsum([len(column) for column in cells])[:-1]
    return _GowerColumn(is_number=False, parts=tuple(np.split(codes, ends)))


def _without_ignored(cells: pa.ChunkedArray, settings: LeakageSettings) -> pa.ChunkedArray:
    """Return the cells with ignored ones missing, in 64-bit strings so that tables can be joined."""
    cells = cells.cast(pa.large_string())
    ignored = is_ignored(cells, settings)
    return cells if ignored is None else pc.if_else(pa.array(ignored), None, cells)


def _scaled(parts: Sequence[npt.NDArray[np.float64]]) -> list[npt.NDArray[np.float32]]:
    """Return numbers of all tables scaled together to [0, 1]; a constant column is 0. NaN stays."""
    together = np.concatenate(parts)
    together = together[~np.isnan(together)]
    if not len(together):
        return [part.astype(np.float32) for part in parts]
    size = float(np.abs(together).max()) or 1.0  # divided out first, so that 1e308 − −1e308 is finite
    low, high = float(together.min()) / size, float(together.max()) / size
    return [((part / size - low) / ((high - low) or 1.0)).astype(np.float32) for part in parts]


def _closest(
    gower: Sequence[_GowerColumn],
    from_rows: tuple[int, IntArray],
    to_rows: tuple[int, IntArray | None],
    *,
    skip_self: bool = False,
) -> ClosestRecords:
    """Return the two smallest distances of some rows of one table to rows of another.

    Rows are given as (number of the table, row numbers or None for all); with `skip_self` a row
    is not its own closest.
    """
    table, rows = from_rows
    other, other_rows = to_rows
    references = [
        column.parts[other] if other_rows is None else column.parts[other][other_rows] for column in gower
    ]

    def one(start: int) -> npt.NDArray[np.float32]:
        block = rows[start : start + _ROWS_AT_ONCE]
        own = [column.parts[table][block][:, None] for column in gower]
        return _two_smallest(gower, own, references, block if skip_self else None)

    with ThreadPoolExecutor(N_THREADS) as pool:
        two = np.concatenate(list(pool.map(one, range(0, len(rows), _ROWS_AT_ONCE))), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(two[:, 1] == 0, np.float32(1), two[:, 0] / two[:, 1])
    ratio[np.isinf(two[:, 1])] = np.nan
    return ClosestRecords(n_records=len(references[0]) - skip_self, closest=two[:, 0], ratio=ratio)


def _two_smallest(
    gower: Sequence[_GowerColumn],
    own: Sequence[GowerArray],
    references: Sequence[GowerArray],
    skipped: IntArray | None,
) -> npt.NDArray[np.float32]:
    """Return shape (n_rows, 2): the smallest and second smallest distance of each row."""
    n_rows, n_references = len(own[0]), len(references[0])
    two = np.full((n_rows, 2), np.inf, dtype=np.float32)
    for start in range(0, n_references, _OTHER_ROWS_AT_ONCE):
        block = slice(start, start + _OTHER_ROWS_AT_ONCE)
        distance = _gower_distance(gower, own, [column[None, block] for column in references])
        if skipped is not None:
            here = np.flatnonzero((skipped >= start) & (skipped < start + distance.shape[1]))
            distance[here, skipped[here] - start] = np.inf
        both = np.concatenate(
            [two, np.partition(distance, 1, axis=1)[:, :2] if distance.shape[1] > 1 else distance], axis=1
        )
        two = np.partition(both, 1, axis=1)[:, :2]
    return np.sort(two, axis=1)


def _gower_distance(
    gower: Sequence[_GowerColumn],
    own: Sequence[GowerArray],
    other: Sequence[GowerArray],
) -> npt.NDArray[np.float32]:
    """Return shape (n_rows, n_other_rows): the distance of every combination of rows."""
    shape = (own[0].shape[0], other[0].shape[1])
    total, n_columns = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for column, one, two in zip(gower, own, other, strict=True):
        if column.is_number:
            apart = np.abs(one - two)
            missing_one, missing_two = np.isnan(one), np.isnan(two)
        else:
            apart = (one != two).astype(np.float32)
            missing_one, missing_two = one == -1, two == -1
        if missing_one.any() or missing_two.any():
            there = ~(missing_one | missing_two)
            total += np.where(there, apart, np.float32(0))
            n_columns += there
        else:
            total += apart
            n_columns += np.float32(1)
    return np.where(n_columns > 0, total / np.maximum(n_columns, np.float32(1)), np.float32(1))
