"""Near copies: original rows that share more with some scrambled row than chance or likeness explains.

Somebody who moved to another row and had a cell or two changed is no whole row any more. Such rows
show in the tail: more original rows than expected have a scrambled row that shares nearly all cells.
Expected is the larger of two baselines, because either alone would alarm for harmless reasons:
rows of the original among each other (people are alike), and the scrambled table with every column
shuffled on its own (the values were kept, the rows were not).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.leakage.nearest import NearestRows, ShareArray, best_shares
from core.leakage.packing import PackedTables, pack_tables, shuffle_columns
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings


@dataclass(frozen=True, kw_only=True)
class NearCopies:
    """The share of common cells at which observed rows stand out most, and how much.

    Attributes
    ----------
    n_rows
        Original rows looked at.
    share
        Share in (0, 1] of valid cells in common with the nearest row.
    n_observed
        Rows with a scrambled row at least that near.
    n_within, n_shuffled
        Rows with another original row, and with a row of the shuffled table, at least that near.
    p_value
        Probability in [0, 1] of such an excess if observed and expected rows were equally likely,
        times the number of shares looked at.
    """

    n_rows: int
    share: float
    n_observed: int
    n_within: int
    n_shuffled: int
    p_value: float

    @property
    def n_expected(self) -> int:
        """Return the larger of the two baselines."""
        return max(self.n_within, self.n_shuffled)


def find_near_copies(
    pair: TablePair,
    packed: PackedTables,
    columns: Sequence[str],
    settings: LeakageSettings,
    nearest: NearestRows,
    *,
    max_comparisons: int,
) -> NearCopies:
    """Compare how near the nearest scrambled rows are with two baselines.

    Parameters
    ----------
    pair, packed, columns, settings
        The tables, and how cells are compared.
    nearest
        The best matches observed; a seeded sample of its rows is used where comparing all would
        take too long.
    max_comparisons
        Cells to compare at most for each baseline.

    Returns
    -------
    NearCopies
        Where the excess is least likely.
    """
    n_cells = max(pair.original.n_records, pair.scrambled.n_records) * len(columns)
    n_rows = min(nearest.n_assessed, max(1, max_comparisons // n_cells))
    generator = np.random.default_rng(settings.seed)
    chosen = np.sort(generator.choice(nearest.n_assessed, n_rows, replace=False))
    rows = nearest.rows[chosen]
    shuffled = best_shares(shuffle_columns(packed, seed=settings.seed), rows)
    within = best_shares(pack_tables(pair, columns, settings, against_itself=True), rows, skip_self=True)
    return most_unlikely_excess(nearest.best_share[chosen], within, shuffled)


def most_unlikely_excess(observed: ShareArray, within: ShareArray, shuffled: ShareArray) -> NearCopies:
    """Return the share from which `observed` exceeds the larger baseline least likely by chance.

    At each share s observed, of the rows that reach s, observed or expected, either is taken as
    equally likely: a binomial test of one half, corrected for the number of shares looked at.
    """
    shares = np.unique(observed[observed > 0])
    found = [
        NearCopies(
            n_rows=len(observed),
            share=float(share),
            n_observed=(n_observed := int(np.count_nonzero(observed >= share))),
            n_within=(n_within := int(np.count_nonzero(within >= share))),
            n_shuffled=(n_shuffled := int(np.count_nonzero(shuffled >= share))),
            p_value=_excess_probability(n_observed, max(n_within, n_shuffled), n_tests=len(shares)),
        )
        for share in shares
    ]
    nothing = NearCopies(n_rows=len(observed), share=1.0, n_observed=0, n_within=0, n_shuffled=0, p_value=1.0)
    return min(found, key=lambda excess: excess.p_value, default=nothing)


def _excess_probability(n_observed: int, n_expected: int, *, n_tests: int) -> float:
    """Return the corrected probability of as many observed among all, in [0, 1]."""
    if n_observed <= n_expected:
        return 1.0
    return min(1.0, n_tests * float(stats.binom.sf(n_observed - 1, n_observed + n_expected, 0.5)))
