"""Everything about a pair of tables that does not depend on thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.datasets import Dataset
from core.errors import AuditInputError
from core.jobs import Progress
from core.leakage.chance import (
    FEWEST_PERMUTATIONS,
    ColumnChance,
    RandomOrders,
    column_chance,
    draw_random_orders,
    n_permutations_for,
)
from core.leakage.distances import Distances, measure_distances, require_columns
from core.leakage.near_copies import NearCopies, find_near_copies
from core.leakage.nearest import NearestRows, find_nearest_rows
from core.leakage.packing import PackedTables, pack_tables
from core.leakage.pairing import IntArray, TablePair
from core.leakage.rows import RowLeakage, count_row_matches
from core.leakage.settings import LeakageSettings, resolve_columns
from core.leakage.whole_rows import WholeRows, find_whole_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class LeakageMeasures:
    """What was measured of a pair of tables.

    Attributes
    ----------
    settings
        How cells were compared.
    columns, ignored_columns
        Columns compared, in the original's order, and columns the person left out.
    only_in_original, only_in_scrambled
        Columns that could not be compared.
    notes, row_problem
        What was assumed while aligning; why rows could not be paired, else empty.
    original_rows
        Shape (n_rows,), row numbers from 0 of the original rows that were paired.
    rows, column_chance, random_orders
        The row rules and what chance gives; None where rows could not be paired.
    whole_rows, nearest, near_copies, distances
        What does not depend on the order of rows.
    """

    settings: LeakageSettings
    columns: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    only_in_original: tuple[str, ...]
    only_in_scrambled: tuple[str, ...]
    notes: tuple[str, ...]
    row_problem: str
    original_rows: IntArray = field(repr=False)
    rows: RowLeakage | None
    column_chance: ColumnChance | None
    random_orders: RandomOrders | None
    whole_rows: WholeRows
    nearest: NearestRows
    near_copies: NearCopies
    distances: Distances

    @property
    def expected_matching_cells(self) -> float | None:
        """Return the exact mean of matching cells per row under random order; None if not paired."""
        if self.column_chance is None or self.rows is None:
            return None
        return self.column_chance.expected_total / self.rows.n_rows

    def column_z(self) -> npt.NDArray[np.float64]:
        """Return shape (n_columns,): standard deviations above chance; NaN where chance never varies."""
        if self.rows is None or self.column_chance is None:
            return np.full(len(self.columns), np.nan)
        excess = self.rows.column_matches - self.column_chance.expected_matches
        deviation = np.sqrt(self.column_chance.variance)
        varies = deviation > _NO_VARIATION * np.maximum(1.0, self.column_chance.expected_matches)
        z: npt.NDArray[np.float64] = np.divide(
            excess, deviation, out=np.full(len(excess), np.nan), where=varies
        )
        return z


_STEPS = (
    "Comparing cells",
    "Drawing random orders",
    "Looking for whole rows",
    "Looking for nearest rows",
    "Looking for near copies",
    "Measuring distances",
)

# Below this share of the expectation a standard deviation is the rounding of a zero.
_NO_VARIATION = 1e-9


# A stopped measurement finishes with samples this many times smaller.
_WHEN_STOPPED = 50


def measure_leakage(
    pair: TablePair,
    settings: LeakageSettings,
    *,
    holdout: Dataset | None = None,
    progress: Progress | None = None,
) -> LeakageMeasures:
    """Measure how much of the original table is still in the scrambled one.

    Parameters
    ----------
    pair
        The tables, aligned with the settings' key. Cells compared once are kept in it.
    settings
        What to ignore, seed and limits.
    holdout
        Records of the same kind that the scrambled table was not made from, if there are any.
    progress
        Is told each step. Asked to stop, the measurement ends soon, with fewer random orders and
        smaller samples, which it states.

    Returns
    -------
    LeakageMeasures
        Row figures are None where rows cannot be paired.

    Raises
    ------
    AuditInputError
        A column to ignore does not exist, all columns are ignored, or the hold-out does not fit.
    """
    progress = progress or Progress()
    columns = compared_columns(pair, settings)
    if holdout is not None:
        require_columns(holdout, columns)
    _begin("Comparing cells", progress)
    packed = pack_tables(pair, columns, settings)
    _begin("Drawing random orders", progress)
    rows, chance, orders = _measure_rows(pair, columns, settings, packed, progress)
    whole_rows, nearest, near_copies, distances = _measure_without_order(
        pair, columns, settings, packed, progress, holdout=holdout
    )
    return LeakageMeasures(
        settings=settings,
        columns=columns,
        ignored_columns=resolve_columns(settings.ignore_columns, pair.original.columns),
        only_in_original=pair.only_in_original,
        only_in_scrambled=pair.only_in_scrambled,
        notes=pair.notes,
        row_problem=pair.row_problem,
        original_rows=np.array([], np.int64) if pair.original_rows is None else pair.original_rows,
        rows=rows,
        column_chance=chance,
        random_orders=orders,
        whole_rows=whole_rows,
        nearest=nearest,
        near_copies=near_copies,
        distances=distances,
    )


def compared_columns(pair: TablePair, settings: LeakageSettings) -> tuple[str, ...]:
    """Return the common columns that the person did not leave out.

    Raises
    ------
    AuditInputError
        A column to ignore does not exist, or all are ignored.
    """
    ignored = resolve_columns(settings.ignore_columns, pair.original.columns)
    columns = tuple(name for name in pair.columns if name not in set(ignored))
    if not columns:
        raise AuditInputError(
            f"All {len(pair.columns)} common columns are ignored, so nothing is left to compare; "
            "ignore fewer."
        )
    return columns


def _begin(step: str, progress: Progress) -> None:
    """Say that a step begins, those before it being done."""
    progress.report(_STEPS.index(step), len(_STEPS), step)


def _budget(settings: LeakageSettings, progress: Progress) -> int:
    """Return how many cells may be compared, few once the person asked to stop."""
    return settings.max_comparisons // (_WHEN_STOPPED if progress.stop_asked else 1)


def _measure_rows(
    pair: TablePair,
    columns: tuple[str, ...],
    settings: LeakageSettings,
    packed: PackedTables,
    progress: Progress,
) -> tuple[RowLeakage | None, ColumnChance | None, RandomOrders | None]:
    """Return the row rules and their chance, nothing where rows are not paired."""
    if pair.original_rows is None or pair.scrambled_rows is None:
        return None, None, None
    n_permutations = settings.n_permutations or n_permutations_for(pair.n_pairs, len(columns))
    if progress.stop_asked:
        n_permutations = min(n_permutations, FEWEST_PERMUTATIONS)
    return (
        count_row_matches(pair, columns, settings),
        column_chance(packed, pair.original_rows, pair.scrambled_rows),
        draw_random_orders(
            packed,
            pair.original_rows,
            pair.scrambled_rows,
            n_permutations=n_permutations,
            seed=settings.seed,
        ),
    )


def _measure_without_order(
    pair: TablePair,
    columns: tuple[str, ...],
    settings: LeakageSettings,
    packed: PackedTables,
    progress: Progress,
    *,
    holdout: Dataset | None,
) -> tuple[WholeRows, NearestRows, NearCopies, Distances]:
    """Return what rows give away wherever they stand: whole rows, nearest rows, near copies, distances."""
    _begin("Looking for whole rows", progress)
    whole_rows = find_whole_rows(pair, columns)
    _begin("Looking for nearest rows", progress)
    nearest = find_nearest_rows(pair, packed, max_comparisons=_budget(settings, progress), seed=settings.seed)
    _begin("Looking for near copies", progress)
    near_copies = find_near_copies(
        pair, packed, columns, settings, nearest, max_comparisons=_budget(settings, progress) // 4
    )
    _begin("Measuring distances", progress)
    distances = measure_distances(
        pair, columns, settings=settings, holdout=holdout, max_comparisons=_budget(settings, progress) // 2
    )
    return whole_rows, nearest, near_copies, distances
