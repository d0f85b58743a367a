"""Gower's distance to the closest record, of the release and of records held out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.cells import as_numbers, codes_of_tables
from core.coding import BoolArray, Codes, IntArray, SharedCodes
from core.jobs import Threads
from core.leakage.nearest import pack_masks
from core.leakage.pairing import N_THREADS, TablePair
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import without_ignored
from core.tables import Dataset
from core.words import input_error

FloatArray = npt.NDArray[np.float32]
CellArray = npt.NDArray[np.float32 | np.unsignedinteger]

_ROWS_AT_ONCE = 32
_OTHER_ROWS_AT_ONCE = 4096  # a block of distances then stays in the processor's cache


@dataclass(frozen=True, kw_only=True, eq=False)
class GowerTable:
    """Records ready for Gower's distance."""

    is_number: tuple[bool, ...]  # by column, whether it holds numbers
    # by column, shape (n_rows,): numbers scaled to [0, 1], or codes of words; 0 where missing
    cells: tuple[CellArray, ...] = field(repr=False)
    # shape (n_columns, n_rows), False where a cell is missing or ignored
    there: BoolArray = field(repr=False)

    @cached_property
    def missing_bits(self) -> npt.NDArray[np.uint64]:
        """Return shape (n_words, n_rows): a bit a column, set where the cell is not there."""
        return pack_masks(list(~self.there), self.n_rows)

    @property
    def n_rows(self) -> int:
        """Return the number of records."""
        return int(self.there.shape[1])

    def take(self, rows: IntArray | slice) -> "GowerTable":
        """Return some of the records."""
        return GowerTable(
            is_number=self.is_number,
            cells=tuple(column[rows] for column in self.cells),
            there=self.there[:, rows],
        )


def _gower_tables(
    tables: Sequence[Dataset],
    columns: Sequence[str],
    settings: LeakageSettings,
    *,
    rows: Sequence[IntArray | slice],
    codes: Mapping[str, SharedCodes] | None = None,
) -> list[GowerTable]:
    """Make tables comparable: numbers on one scale from the smallest to the largest, words with one code."""
    encoded = [
        _encode(tables, name, settings, rows, None if codes is None else codes[name]) for name in columns
    ]
    pa.default_memory_pool().release_unused()
    return [
        GowerTable(
            is_number=tuple(is_number for is_number, _, _ in encoded),
            cells=tuple(cells[table] for _, cells, _ in encoded),
            there=np.stack([there[table] for _, _, there in encoded]),
        )
        for table in range(len(tables))
    ]


def _encode(
    tables: Sequence[Dataset],
    name: str,
    settings: LeakageSettings,
    rows: Sequence[IntArray | slice],
    codes: SharedCodes | None,
) -> tuple[bool, list[CellArray], list[BoolArray]]:
    """Return a column of all tables: whether it holds numbers, its cells, and which are there."""
    columns = [without_ignored(table.table[name], settings) for table in tables]
    there = [np.asarray(column.is_valid())[kept] for column, kept in zip(columns, rows, strict=True)]
    numbers = [as_numbers(column) for column in columns]
    known = [part for part in numbers if part is not None]
    parts = (
        _scaled(known)
        if len(known) == len(columns)
        else _small([codes.original, codes.anonymized] if codes else codes_of_tables(columns))
    )
    cells = [part[kept] for part, kept in zip(parts, rows, strict=True)]
    return len(known) == len(columns), cells, there


def _scaled(parts: Sequence[npt.NDArray[np.float64]]) -> list[CellArray]:
    """Return numbers of all tables scaled together to [0, 1]; 0 in a constant column and where missing."""
    there = [part[~np.isnan(part)] for part in parts]
    size = max(float(np.abs(part).max(initial=0)) for part in there) or 1.0
    # the size is divided out first, so that 1e308 − −1e308 is finite
    low = min(float(part.min(initial=np.inf)) for part in there) / size
    high = max(float(part.max(initial=-np.inf)) for part in there) / size
    width = high - low if high > low else 1.0
    return [
        np.nan_to_num((part / size - low) / width, posinf=0, neginf=0).astype(np.float32) for part in parts
    ]


def _small(codes: Sequence[Codes]) -> list[CellArray]:
    """Return codes in the smallest unsigned integers that hold them; 0 where missing."""
    kind = np.min_scalar_type(1 + max(int(part.max(initial=0)) for part in codes))
    return [(part.astype(np.int32) + 1).astype(kind) for part in codes]


def _two_smallest_distances(
    records: GowerTable, references: GowerTable, *, own_rows: IntArray | None = None
) -> FloatArray:
    """Return shape (n_records, 2): Gower's distances to the two closest references, infinite for none."""

    def one(start: int) -> FloatArray:
        block = slice(start, start + _ROWS_AT_ONCE)
        skipped = None if own_rows is None else own_rows[block]
        return _two_smallest_of_block(records.take(block), references, skipped)

    with Threads(N_THREADS) as pool:
        return np.concatenate(list(pool.map(one, range(0, records.n_rows, _ROWS_AT_ONCE))))


def _two_smallest_of_block(
    records: GowerTable, references: GowerTable, skipped: IntArray | None
) -> FloatArray:
    """Return the two smallest distances of a few records to all references."""
    everyone = np.arange(records.n_rows)
    best = np.full((records.n_rows, 2), np.inf, dtype=np.float32)
    for start in range(0, references.n_rows, _OTHER_ROWS_AT_ONCE):
        distance = _distances(records, references.take(slice(start, start + _OTHER_ROWS_AT_ONCE)))
        if skipped is not None:
            here = np.flatnonzero((skipped >= start) & (skipped < start + distance.shape[1]))
            distance[here, skipped[here] - start] = np.inf
        closest = distance.argmin(axis=1)
        smallest = distance[everyone, closest]
        distance[everyone, closest] = np.inf
        candidates = np.stack([best[:, 0], best[:, 1], smallest, distance.min(axis=1)], axis=1)
        best = np.sort(candidates, axis=1)[:, :2]
    return best


def _distances(records: GowerTable, references: GowerTable) -> FloatArray:
    """Return shape (n_records, n_references): the distance of every combination."""
    shape = (records.n_rows, references.n_rows)
    total, apart = np.zeros(shape, np.float32), np.empty(shape, np.float32)
    n_different, differs = np.zeros(shape, np.uint16), np.empty(shape, bool)
    weights, other_weights = records.there.astype(np.float32), references.there.astype(np.float32)
    for column, is_number in enumerate(records.is_number):
        one, two = records.cells[column][:, None], references.cells[column][None, :]
        if is_number:
            np.abs(np.subtract(one, two, out=apart), out=apart)
            np.multiply(apart, other_weights[column][None, :], out=apart)
            np.multiply(apart, weights[column][:, None], out=apart)
            np.add(total, apart, out=total)
        else:
            np.not_equal(one, two, out=differs)
            np.logical_and(differs, references.there[column][None, :], out=differs)
            np.logical_and(differs, records.there[column][:, None], out=differs)
            np.add(n_different, differs, out=n_different)
    n_columns = _n_columns_in_both(records, references)
    total += n_different
    np.divide(total, np.maximum(n_columns, 1), out=total)
    total[n_columns == 0] = 1
    return total


def _n_columns_in_both(records: GowerTable, references: GowerTable) -> npt.NDArray[np.float32]:
    """Return shape (n_records, n_references): columns in which neither cell is missing, counted in bits."""
    n_missing: npt.NDArray[np.float32] = np.zeros((records.n_rows, references.n_rows), np.float32)
    for bits, other_bits in zip(records.missing_bits, references.missing_bits, strict=True):
        n_missing += np.bitwise_count(bits[:, None] | other_bits[None, :])
    return len(records.is_number) - n_missing


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


def measure_distances(
    pair: TablePair,
    columns: Sequence[str],
    *,
    settings: LeakageSettings,
    max_comparisons: int,
    holdout: Dataset | None = None,
) -> Distances:
    """Measure how close scrambled rows come to originals by Gower's distance, which alone can miss leaks.

    Yao et al., The DCR delusion: measuring the privacy risk of synthetic data, 2025.
    """
    if holdout is not None:
        require_columns(holdout, columns)
    generator = np.random.default_rng(settings.seed)
    fitting = max_comparisons // (pair.original.n_records * len(columns))
    rows = _sample(generator, pair.scrambled.n_records, fitting)
    own = _sample(generator, pair.original.n_records, fitting)
    tables = [pair.original, pair.scrambled, *([] if holdout is None else [holdout])]
    kept: list[IntArray | slice] = [slice(None), rows, slice(None)]
    codes = pair.codes if holdout is None else None
    every, sampled, *others = _gower_tables(tables, columns, settings, rows=kept[: len(tables)], codes=codes)
    strangers = others[0] if others else None
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
    two = _two_smallest_distances(records, references, own_rows=own_rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(two[:, 1] == 0, np.float32(1), two[:, 0] / two[:, 1])
    ratio[np.isinf(two[:, 1])] = np.nan
    return ClosestRecords(
        n_records=references.n_rows - (own_rows is not None), closest=two[:, 0], ratio=ratio
    )
