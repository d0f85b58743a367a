"""What chance alone gives: the row rules if the scrambled rows were in random order.

Let the scrambled rows be put in a uniformly random order. A column then has
M = Σ_i 1[o_i = s_π(i)] matching cells. With a_v and b_v original and scrambled cells of value v
(values that may match only) and S = Σ_v a_v b_v:

    E[M]   = S / n
    Var[M] = (S − Σ_v a_v b_v (a_v + b_v) / n + S² / n²) / (n − 1)

Both are exact; the variance is Hoeffding's for Σ_i c(i, π(i)) with c(i, k) = 1[o_i = s_k]. How the
columns combine within a row has no such formula, so full and partial leakage and the histogram
come from random orders drawn with a seed.
"""

from dataclasses import dataclass, field

import numpy as np

from core.chance import binomial_tail, poisson_tail
from core.coding import FloatArray, IntArray
from core.comparing.nearest_records import N_THREADS
from core.leakage.nearest import PackedTables
from core.processes.jobs import Threads

FEWEST_PERMUTATIONS, _MOST_PERMUTATIONS = 20, 500
_CELLS_FOR_PERMUTATIONS = 400_000_000  # about two seconds of comparing
_ROWS_WORTH_A_COLUMN = 2000  # a column of fewer rows takes as long
_BLOCK = 65_536
_NEARLY_POISSON = 1e-6
# Below this share of the expectation a standard deviation is the rounding of a zero.
_NO_VARIATION = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnChance:
    """Exact expectation and variance of the matching cells of each column."""

    expected_matches: FloatArray  # shape (n_columns,); expectation in [0, n_rows]
    variance: FloatArray

    @property
    def expected_total(self) -> float:
        """Return the expected matching cells of all columns together."""
        return float(self.expected_matches.sum())

    def z(self, n_matches: IntArray) -> FloatArray:
        """Return shape (n_columns,): standard deviations above chance; NaN where chance never varies."""
        excess, deviation = n_matches - self.expected_matches, np.sqrt(self.variance)
        varies = deviation > _NO_VARIATION * np.maximum(1.0, self.expected_matches)
        z: FloatArray = np.divide(excess, deviation, out=np.full(len(excess), np.nan), where=varies)
        return z


@dataclass(frozen=True, kw_only=True)
class ChanceRange:
    """A figure over random orders: its mean, spread and central 95 %."""

    mean: float
    std: float
    low: float
    high: float
    largest: float

    def z(self, observed: float) -> float | None:
        """Return by how many standard deviations `observed` exceeds chance; None where that never varies."""
        return (observed - self.mean) / self.std if self.std > 0 else None

    def is_exceeded_by(self, observed: float, *, z: float) -> bool:
        """Whether `observed` is above every random order, and by `z` standard deviations of them."""
        distance = self.z(observed)
        return observed > self.largest and (distance is None or distance >= z)


@dataclass(frozen=True, kw_only=True, eq=False)
class RandomOrders:
    """The row rules over random orders of the scrambled rows."""

    n_permutations: int  # random orders drawn
    full_share: ChanceRange  # their ranges; shares in [0, 1]
    partial_share: ChanceRange
    mean_matching_cells: ChanceRange
    # shape (n_permutations, n_columns + 1): rows with 0, 1, … matching cells
    rows_by_matches: IntArray = field(repr=False)


def column_chance(packed: PackedTables, rows: IntArray, other_rows: IntArray) -> ColumnChance:
    """Return the exact expectation and variance of matches per column under random order (Hoeffding 1951)."""
    n = len(rows)
    expected, variance = [], []
    for column in packed.columns:
        a = np.bincount(column.original[rows], minlength=column.n_values).astype(np.float64)
        b = np.bincount(column.anonymized[other_rows], minlength=column.n_values).astype(np.float64)
        s = float(a @ b)
        spread = s - float((a * b) @ (a + b)) / n + (s / n) ** 2
        expected.append(s / n)
        variance.append(max(spread, 0.0) / (n - 1) if n > 1 else 0.0)
    return ColumnChance(expected_matches=np.array(expected), variance=np.array(variance))


def probabilities_of_matches(n_matches: IntArray, chance: ColumnChance) -> FloatArray:
    """Return shape (n_columns,): the chance of so many matching cells or more under random order.

    Counts are taken as binomial with the exact mean and variance, as Poisson where the variance is no smaller
    than the mean: a few matches where hardly any are expected are many standard deviations, and no wonder.
    """
    mean = np.maximum(chance.expected_matches, np.finfo(float).tiny)
    agreement = np.clip(1 - chance.variance / mean, 0.0, 1.0)
    trials = np.maximum(np.round(mean / np.maximum(agreement, _NEARLY_POISSON)), 1)
    binomial = binomial_tail(n_matches, trials, np.minimum(mean / trials, 1.0))
    poisson = poisson_tail(n_matches, mean)
    p_values: FloatArray = np.where(agreement > _NEARLY_POISSON, binomial, poisson)
    return p_values


def n_permutations_for(n_rows: int, n_columns: int) -> int:
    """Return how many random orders fit about two seconds, from 20 to 500."""
    fitting = _CELLS_FOR_PERMUTATIONS // (max(n_rows, _ROWS_WORTH_A_COLUMN) * n_columns)
    return max(FEWEST_PERMUTATIONS, min(_MOST_PERMUTATIONS, fitting))


def draw_random_orders(
    packed: PackedTables, rows: IntArray, other_rows: IntArray, *, n_permutations: int, seed: int
) -> RandomOrders:
    """Apply the row rules to seeded random orders of the scrambled rows."""
    sides = [
        (column.original[rows], column.anonymized[other_rows])
        for column in packed.columns
        if not column.anonymized.min()  # 0 is a value of both
    ]

    def one(number: int) -> tuple[IntArray, int]:
        order = np.random.default_rng((seed, number)).permutation(len(rows))
        n_columns = len(packed.columns)
        matching = np.zeros(len(order), dtype=np.min_scalar_type(n_columns))
        for original, scrambled in sides:
            np.add(matching, original == scrambled.take(order), out=matching)
        histogram = np.bincount(matching, minlength=n_columns + 1)
        n_full = 0
        for start in range(0, 0 if packed.all_valid else len(order), _BLOCK):
            block = slice(start, start + _BLOCK)
            valid = packed.n_valid(rows[block], other_rows[order[block]], grid=False)
            n_full += int(np.count_nonzero((matching[block] == valid) & (valid > 0)))
        return histogram, int(histogram[n_columns]) if packed.all_valid else n_full

    with Threads(N_THREADS) as pool:
        drawn = list(pool.map(one, range(n_permutations)))
    rows_by_matches = np.stack([histogram for histogram, _ in drawn])
    n_full = np.array([full for _, full in drawn])
    n_matching = rows_by_matches @ np.arange(rows_by_matches.shape[1])
    n_any = len(rows) - rows_by_matches[:, 0]
    return RandomOrders(
        n_permutations=n_permutations,
        full_share=_range(n_full / len(rows)),
        partial_share=_range((n_any - n_full) / len(rows)),
        mean_matching_cells=_range(n_matching / len(rows)),
        rows_by_matches=rows_by_matches,
    )


def _range(values: FloatArray) -> ChanceRange:
    """Return mean, population standard deviation, central 95 % and the largest of some values."""
    low, high = np.quantile(values, [0.025, 0.975])
    return ChanceRange(
        mean=float(values.mean()),
        std=float(values.std()),
        low=float(low),
        high=float(high),
        largest=float(values.max()),
    )
