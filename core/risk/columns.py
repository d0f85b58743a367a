"""What each column does to uniqueness, and what columns that were not chosen do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Literal, cast

import numpy as np

from core.coding import IntArray, coded_column, combination_codes
from core.risk.records import Combinations, distinct_combinations, grouped
from core.risk.settings import RiskSettings
from core.tables import Dataset
from core.words import Written, input_error

MAX_CELLS = 300_000_000  # combinations, and a constant a column, of the sets looked at; under a minute
WORK_OF_A_COLUMN = 1_500  # what adding a column to a set costs beside its combinations
_LISTED_PER_LOOK = 20  # sets that are listed, and passed over, in the time of looking at one

Columns = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Distinctness:
    """How well some columns tell records apart."""

    columns: tuple[str, ...]  # their names
    n_records: int  # records assessed, their distinct combinations of values, and records alone in theirs
    n_classes: int
    n_unique: int
    n_pairs_separated: int  # pairs of records that differ in at least one of the columns

    @property
    def distinction(self) -> float | None:
        """Return distinct combinations / records, in [0, 1]: records that can stay so that all differ.

        Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, VLDB 2007.
        """
        return self.n_classes / self.n_records if self.n_records else None

    @property
    def separation(self) -> float | None:
        """Return pairs of records that differ / all pairs, in [0, 1]; None below two records.

        Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, VLDB 2007.
        """
        n_pairs = self.n_records * (self.n_records - 1) // 2
        return self.n_pairs_separated / n_pairs if n_pairs else None

    @property
    def unique_share(self) -> float | None:
        """Return records alone in their combination / records, in [0, 1]."""
        return self.n_unique / self.n_records if self.n_records else None


@dataclass(frozen=True, kw_only=True)
class ColumnContribution:
    """What one quasi-identifier does."""

    column: str  # its name
    alone: Distinctness  # the column on its own
    # records that are unique with all quasi-identifiers and would not be without this one
    n_unique_gained: int

    @property
    def unique_share_gained(self) -> float | None:
        """Return `n_unique_gained` / records, in [0, 1]."""
        n_records = self.alone.n_records
        return self.n_unique_gained / n_records if n_records else None


@dataclass(frozen=True, kw_only=True)
class SinglingOutSets:
    """The smallest sets of columns that single out more than a share of the records."""

    share: float  # the share, in [0, 1)
    # sets of the smallest size that do it, most effective first; empty where not even all columns do
    sets: tuple[Distinctness, ...]
    # ``exact``: all sets of that size, and no smaller one does it. ``greedy``: the bound was reached at
    # `searched_size`; sets up to it do not do it, and one larger set was grown column by column, so a smaller
    # one may exist.
    method: Literal["exact", "greedy"]
    searched_size: int  # largest size of which all sets were looked at
    n_looked_at: int  # sets of columns grouped


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedCombinations:
    """The distinct combinations of a table that is elsewhere: how many, and how to measure some columns."""

    quasi_identifiers: tuple[str, ...]  # the columns, in the order given
    n_combinations: int  # distinct combinations, records, and records that no other one equals
    n_records: int
    n_unique: int
    measure: Callable[[Columns], Distinctness]  # columns by their places

    @property
    def n_values(self) -> list[int]:
        """Return the distinct values of each column, a missing one being a value."""
        return [self.measure((column,)).n_classes for column in range(len(self.quasi_identifiers))]


def distinctness(table: Combinations | CountedCombinations, columns: Sequence[int]) -> Distinctness:
    """Measure how well some columns tell records apart."""
    if isinstance(table, CountedCombinations):
        return table.measure(tuple(columns))
    group = grouped([table.codes[column] for column in columns], n=table.n_combinations)
    sizes = np.bincount(group, weights=table.sizes).astype(np.int64)
    sizes = sizes[sizes > 0]
    n = table.n_records
    same = sum(int(size) * (int(size) - 1) // 2 * int(many) for size, many in _counted(sizes))
    return Distinctness(
        columns=tuple(table.quasi_identifiers[column] for column in columns),
        n_records=n,
        n_classes=len(sizes),
        n_unique=int(np.count_nonzero(sizes == 1)),
        n_pairs_separated=n * (n - 1) // 2 - same,
    )


def _counted(sizes: np.ndarray) -> zip[tuple[int, int]]:
    return zip(*(each.tolist() for each in np.unique(sizes, return_counts=True)), strict=True)


def column_contributions(table: Combinations | CountedCombinations) -> tuple[ColumnContribution, ...]:
    """Return what each quasi-identifier does, in the order of the columns."""
    return tuple(
        ColumnContribution(
            column=name, alone=distinctness(table, [column]), n_unique_gained=table.n_unique - without
        )
        for column, (name, without) in enumerate(
            zip(table.quasi_identifiers, _unique_without(table), strict=True)
        )
    )


def _unique_without(table: Combinations | CountedCombinations) -> list[int]:
    """Return for each column the records that all others make unique, in time near linear in the columns."""
    if isinstance(table, CountedCombinations):
        every = range(len(table.quasi_identifiers))
        return [distinctness(table, [each for each in every if each != left]).n_unique for left in every]
    return [
        int(np.count_nonzero(np.bincount(group, weights=table.sizes) == 1))
        for group in groups_without(table.codes, n=table.n_combinations)
    ]


def groups_without(codes: Sequence[IntArray], *, n: int) -> Iterator[IntArray]:
    """Yield for each column what :func:`core.risk.records.grouped` gives of all others, in time near linear.

    `codes`: one array of shape (n,) a column.
    """
    nothing = np.zeros(n, dtype=np.int64)
    after = [nothing]
    for own in codes[:0:-1]:
        after.append(_dense(grouped([after[-1], own], n=n)))
    before = nothing
    for own in codes:
        yield grouped([before, after.pop()], n=n)
        before = _dense(grouped([before, own], n=n))


def _dense(group: IntArray) -> IntArray:
    """Return the groups numbered without gaps."""
    occurs = np.bincount(group) > 0
    return cast("IntArray", (np.cumsum(occurs, dtype=np.int32) - 1)[group])


def singling_out_sets(
    table: Combinations | CountedCombinations, *, share: float = 0.5, max_cells: int = MAX_CELLS
) -> SinglingOutSets:
    """Find the smallest sets of columns in which more than a share of the records are unique.

    Sizes are searched one after another. A set is passed over unlooked-at where the product of its columns'
    numbers of values cannot reach the share.

    `max_cells`: bound on the work: combinations, and a constant for each column, of all sets; once a whole
    size would exceed it, the best set so far is grown by the column that adds most, and the result says so.
    """
    if not 0 <= share < 1:
        outside = "share must be at least 0 and below 1, received {share}."
        raise input_error(outside, share=Written(f"{share:g}"))
    n_columns = len(table.quasi_identifiers)
    enough = share * table.n_records
    if table.n_unique <= enough:
        return SinglingOutSets(share=share, sets=(), method="exact", searched_size=n_columns, n_looked_at=0)
    n_values = table.n_values
    work_left = max(max_cells, n_columns * (table.n_combinations + WORK_OF_A_COLUMN))
    best: Columns = ()
    sets: tuple[Distinctness, ...] = ()
    size = n_looked_at = 0
    while not sets:  # all columns together do it
        size += 1
        work_of_a_set = table.n_combinations + WORK_OF_A_COLUMN * size
        possible = _possible(n_values, size, enough, most=work_left // work_of_a_set)
        if possible is None:
            return _grown(table, best, share=share, searched_size=size - 1, n_looked_at=n_looked_at)
        work_left -= len(possible) * work_of_a_set
        n_looked_at += len(possible)
        found = [(distinctness(table, each), each) for each in possible]
        found.sort(key=lambda pair: (-pair[0].n_unique, pair[1]))
        sets = tuple(measured for measured, _ in found if measured.n_unique > enough)
        best = found[0][1] if found else best
    return SinglingOutSets(
        share=share, sets=sets, method="exact", searched_size=size, n_looked_at=n_looked_at
    )


def _possible(n_values: Sequence[int], size: int, enough: float, *, most: int) -> list[Columns] | None:
    """Return the sets whose values could tell enough records apart; None where those are more than `most`."""
    if math.comb(len(n_values), size) > _LISTED_PER_LOOK * most:
        return None
    sets = [
        each
        for each in combinations(range(len(n_values)), size)
        if math.prod(n_values[column] for column in each) > enough
    ]
    return sets if len(sets) <= most else None


def _grown(
    table: Combinations | CountedCombinations,
    best: Columns,
    *,
    share: float,
    searched_size: int,
    n_looked_at: int,
) -> SinglingOutSets:
    """Add the column that makes most records unique, or tells most pairs apart, until enough are unique."""
    columns, measured = best, distinctness(table, best)
    while measured.n_unique <= share * table.n_records:
        others = [each for each in range(len(table.quasi_identifiers)) if each not in columns]
        tried = [(distinctness(table, [*columns, other]), (*columns, other)) for other in others]
        n_looked_at += len(tried)
        measured, columns = max(tried, key=lambda pair: (pair[0].n_unique, pair[0].n_pairs_separated))
    return SinglingOutSets(
        share=share, sets=(measured,), method="greedy", searched_size=searched_size, n_looked_at=n_looked_at
    )


UNCHOSEN_MAX_CELLS = 20_000_000  # combinations × sets of columns; about a second
_N_LOOKED_AT = 20_000  # records drawn for the sets, where there are more
MOST_COLUMNS = 30  # with the most values, among which sets are searched


@dataclass(frozen=True, kw_only=True, eq=False)
class UnchosenColumns:
    """The columns of a release that nobody chose for anything, together."""

    # released columns that are no quasi-identifier, sensitive attribute, person, weight, household or shifted
    # date, and not said to be left out or to name people; those said to be harmless are among them
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

    @property
    def singles_out(self) -> bool:
        """Return whether all together single out over half of the records."""
        return 2 * self.n_unique > self.n_records and bool(self.columns)


def unchosen_columns(settings: RiskSettings, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the released columns that nobody chose for anything, in the table's order."""
    chosen = {*settings.quasi_identifiers, *settings.sensitive, *settings.leave_out}
    chosen |= {*settings.direct_identifiers, *settings.shifted, settings.person or "", settings.weight or ""}
    chosen.add(settings.household or "")
    return tuple(column for column in columns if column not in chosen)


def measure_unchosen(
    dataset: Dataset, settings: RiskSettings, *, n_values: Mapping[str, int]
) -> UnchosenColumns:
    """Measure what the columns nobody chose single out together, as written, a missing cell being a value.

    `n_values` are the distinct values of those that are looked at.
    """
    found = UnchosenColumns(
        columns=tuple(name for name in unchosen_columns(settings, dataset.columns) if name in n_values),
        n_records=dataset.n_records,
        n_unique=0,
    )
    return searched_unchosen(
        found, n_values, n_unique=partial(_n_unique, dataset), sets_of=partial(_sets, dataset)
    )


def searched_unchosen(
    found: UnchosenColumns,
    n_values: Mapping[str, int],
    *,
    n_unique: Callable[[Sequence[str]], int],
    sets_of: Callable[[Sequence[str]], tuple[SinglingOutSets, int] | None],
) -> UnchosenColumns:
    """Return columns with the records unique in all of them and, if these are over half, the smallest sets.

    Parameters
    ----------
    found, n_values
        The columns, and how many distinct values each has.
    n_unique
        Counts the records that are unique in some columns.
    sets_of
        Searches sets among some columns, and says on how many records; None of too many for that.
    """
    names = found.columns
    found = replace(found, n_unique=n_unique(sorted(names, key=lambda name: -n_values[name])))
    most = with_most_values(names, n_values)
    searched = sets_of(most) if found.singles_out else None
    if searched is None or not searched[0].sets:
        return found
    sets, n_looked_at = searched
    return replace(
        found,
        smallest=sets.sets[0].columns,
        n_unique_in_smallest=n_unique(sets.sets[0].columns),
        n_sets=len(sets.sets),
        sets=tuple((each.columns, each.unique_share or 0.0) for each in sets.sets),
        is_exact=sets.method == "exact",
        n_looked_at=n_looked_at,
        n_columns_looked_at=len(most),
    )


def with_most_values(names: Sequence[str], n_values: Mapping[str, int]) -> list[str]:
    """Return the columns among which sets are searched, in the table's order."""
    ordered = sorted(names, key=lambda name: -n_values.get(name, 0))
    return [name for name in names if name in ordered[:MOST_COLUMNS]]


def _n_unique(dataset: Dataset, names: Sequence[str]) -> int:
    """Return the records unique in some columns, coded one after another until all of them are unique."""
    n = dataset.n_records
    combined: IntArray = np.zeros(n, dtype=np.int64)
    for name in names:
        column = coded_column(dataset.table, name)
        if column.n_distinct + (column.n_missing > 0) > 1:
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
    codes = {name: coded_column(table, name).codes_with_missing for name in names}
    return singling_out_sets(distinct_combinations(codes), max_cells=UNCHOSEN_MAX_CELLS), table.num_rows
