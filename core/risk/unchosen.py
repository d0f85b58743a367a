"""What the released columns that nobody chose single out, taken together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.coding import IntArray, coded_column, combination_codes
from core.risk.columns import SinglingOutSets, singling_out_sets
from core.risk.combinations import distinct_combinations
from core.risk.settings import RiskSettings
from core.tables import Dataset

_MAX_CELLS = 20_000_000  # combinations × sets of columns; about a second
_N_LOOKED_AT = 20_000  # records drawn for the sets, where there are more
_MOST_COLUMNS = 30  # with the most values, among which sets are searched


@dataclass(frozen=True, kw_only=True, eq=False)
class UnchosenColumns:
    """The columns of a release that nobody chose for anything, together."""

    # released columns that are no quasi-identifier, sensitive attribute, person, weight or household, and not
    # said to be left out or to name people; those said to be harmless are among them
    columns: tuple[str, ...]
    n_records: int  # records of the table
    n_unique: int  # records that no other one equals in all of them
    # the columns of a smallest set that singles most records out; empty where not even all together single
    # out over half
    smallest: tuple[str, ...] = ()
    n_unique_in_smallest: int = 0  # records of the table that no other one equals in them
    n_sets: int = 0  # sets of that size that do it
    # They, and the share in [0, 1] of the `n_looked_at` records that each singles out
    sets: tuple[tuple[tuple[str, ...], float], ...] = ()
    # whether all smaller sets were looked at, on `n_looked_at` records and among `n_columns_looked_at`
    # columns
    is_exact: bool = True
    n_looked_at: int = 0  # records that sets were searched on; drawn at random (seeded) where there are more
    n_columns_looked_at: int = 0  # columns among which sets were searched, those with the most values

    @property
    def unique_share(self) -> float | None:
        """Return `n_unique` / `n_records`, in [0, 1]; None of no record."""
        return self.n_unique / self.n_records if self.n_records else None


def unchosen_columns(settings: RiskSettings, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the released columns that nobody chose for anything, in the table's order."""
    chosen = {*settings.quasi_identifiers, *settings.sensitive, *settings.leave_out}
    chosen |= {*settings.direct_identifiers, settings.person or "", settings.weight or ""}
    chosen.add(settings.household or "")
    return tuple(column for column in columns if column not in chosen)


def measure_unchosen(
    dataset: Dataset, settings: RiskSettings, *, n_values: Mapping[str, int]
) -> UnchosenColumns:
    """Measure what the columns nobody chose single out together.

    A missing cell is a value of its own; values are compared as written.
    """
    names = unchosen_columns(settings, dataset.columns)
    ordered = sorted(names, key=lambda name: -n_values.get(name, 0))
    n_unique = _n_unique(dataset, ordered)
    found = UnchosenColumns(columns=names, n_records=dataset.n_records, n_unique=n_unique)
    if 2 * n_unique <= dataset.n_records or not names:
        return found
    most = [name for name in names if name in ordered[:_MOST_COLUMNS]]
    sets, n_looked_at = _sets(dataset, most)
    if not sets.sets:
        return found
    smallest = sets.sets[0].columns
    return replace(
        found,
        smallest=smallest,
        n_unique_in_smallest=_n_unique(dataset, smallest),
        n_sets=len(sets.sets),
        sets=tuple((each.columns, each.unique_share or 0.0) for each in sets.sets),
        is_exact=sets.method == "exact",
        n_looked_at=n_looked_at,
        n_columns_looked_at=len(most),
    )


def _n_unique(dataset: Dataset, names: Sequence[str]) -> int:
    """Return the records unique in some columns, coded one after another until all of them are unique."""
    n = dataset.n_records
    combined: IntArray = np.zeros(n, dtype=np.int64)
    for name in names:
        column = coded_column(dataset.table, name)
        if column.n_values > 1:
            combined = combination_codes([combined, column.codes], n_records=n)
            if int(combined.max(initial=-1)) == n - 1:
                return n
    return int(np.count_nonzero(np.bincount(combined) == 1)) if len(names) else 0


def _sets(dataset: Dataset, names: Sequence[str]) -> tuple[SinglingOutSets, int]:
    """Search the smallest sets that single out over half, on a bounded number of records."""
    table = dataset.table.select(names)
    if table.num_rows > _N_LOOKED_AT:
        drawn = np.random.default_rng(0).choice(table.num_rows, _N_LOOKED_AT, replace=False)
        table = table.take(np.sort(drawn))
    codes = {name: coded_column(table, name).codes for name in names}
    return singling_out_sets(distinct_combinations(codes), max_cells=_MAX_CELLS), table.num_rows
