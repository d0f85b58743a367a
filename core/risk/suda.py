"""Special uniques (SUDA2): minimal sets of values that one record alone has, and records scored by them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, FloatArray, IntArray, coded_columns
from core.errors import refuse
from core.risk.columns import ColumnContribution, SinglingOutSets, column_contributions, singling_out_sets
from core.risk.measuring import RiskMeasurement
from core.risk.records import Combinations
from core.settings.form import Widget, check, setting
from core.tables import Dataset
from core.words import Written, text

Columns = tuple[int, ...]
Unique = tuple[Columns, IntArray]  # a set of columns, and the combinations unique in it
Stop = Callable[[int, int], bool]  # sets done and sets in all; whether to stop

MAX_CELLS = 150_000_000  # combinations grouped, and a constant for each set, in a search; under 15 seconds
_WORK_OF_A_SET = 600  # what looking at a set of columns costs beside its combinations, for each column


@dataclass(frozen=True, kw_only=True)
class SudaSettings:
    """How far special uniques are searched."""

    max_size: int = setting(
        3,
        "Values of the largest set to search",
        "SUDA2 usually searches sets of up to three values; larger sets take longer and count for less.",
        "--suda-size",
        least=1,
        most=20,
        metavar="N",
        widget=Widget(key="suda_size"),
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True, eq=False)
class Suda:
    """Minimal sample uniques: sets of values that one record alone has, and no part of which is unique."""

    quasi_identifiers: tuple[str, ...]  # the columns
    max_size: int  # largest set of which all were searched; 0 where the search was stopped before
    requested_size: int  # largest set asked for; more than `max_size` where the search was bounded or stopped
    was_stopped: bool  # whether somebody ended the search
    n_records: int  # records assessed
    n_sample_uniques: int  # records that no other record equals in all quasi-identifiers
    n_by_size: IntArray  # shape (max_size,): minimal sample uniques of one column, of two, …
    # shape (n_records_in_table,): SUDA score, 0 for a record without any such set
    score_of_record: FloatArray
    # shape (n_records_in_table,): DIS-SUDA score in [0, 1], an estimate of the probability that a match of
    # the record is right; None where the share of the population in the table is not known
    dis_of_record: FloatArray | None
    # shape (n_uniques_with_score, n_columns): part in [0, 1] of the record's score that comes from sets with
    # the column; sets have several columns, so parts add up to more than 1
    contribution_of_record: FloatArray
    scored_records: IntArray  # shape (n_uniques_with_score,): positions of those records in the table
    column_contribution: FloatArray  # shape (n_columns,): the same for the sum of all scores

    @property
    def is_complete(self) -> bool:
        """Return whether all sets asked for were searched."""
        return self.max_size == self.requested_size


def measure_suda(
    table: Combinations,
    *,
    max_size: int,
    sampling_fraction: float | None,
    max_cells: int = MAX_CELLS,
    stop: Stop | None = None,
) -> Suda:
    """Find all minimal sample uniques up to a size, and score the records that have any.

    `max_cells`: bound on the work: combinations grouped, and a constant, of every set of columns. A size
    during which it is reached is not counted (single columns are always searched); the result says so and its
    scores count no larger sets. The bound is one of work and not of time, so that a table always gives the
    same.
    """
    _check(max_size, sampling_fraction)
    requested = min(max_size, len(table.quasi_identifiers))
    found, searched, was_stopped = _search(table, requested, max_cells, stop)
    scored, scores, by_column = _scores(table, found, searched)
    dis = None
    if sampling_fraction is not None:
        dis = dis_suda(
            scores,
            n_uniques=table.n_unique,
            n_pair_records=2 * int(np.count_nonzero(table.sizes == 2)),
            n_columns=len(table.quasi_identifiers),
            sampling_fraction=sampling_fraction,
        )
    n_by_size = np.zeros(searched, dtype=np.int64)
    for columns, unique in found:
        n_by_size[len(columns) - 1] += len(unique)
    return Suda(
        quasi_identifiers=table.quasi_identifiers,
        max_size=searched,
        requested_size=requested,
        was_stopped=was_stopped,
        n_records=table.n_records,
        n_sample_uniques=table.n_unique,
        n_by_size=n_by_size,
        score_of_record=_of_records(scored, scores, table),
        dis_of_record=None if dis is None else _of_records(scored, dis, table),
        contribution_of_record=by_column / scores[:, None],
        scored_records=_records_of(scored, table),
        column_contribution=by_column.sum(axis=0) / max(float(scores.sum()), 1.0),
    )


def _check(max_size: int, sampling_fraction: float | None) -> None:
    problems = []
    if max_size < 1:
        problems.append(text("max_size must be at least 1, received {size}.", size=max_size))
    if sampling_fraction is not None and not 0 < sampling_fraction <= 1:
        outside = "sampling_fraction must be above 0 and at most 1, received {share}."
        problems.append(text(outside, share=Written(f"{sampling_fraction:g}")))
    refuse(problems)


def _search(
    table: Combinations, max_size: int, max_cells: int, stop: Stop | None
) -> tuple[list[Unique], int, bool]:
    """Return each set of columns with its uniques, the size searched whole, and whether it was stopped."""
    n_columns = len(table.quasi_identifiers)
    n_sets = sum(math.comb(n_columns, size) for size in range(1, max_size + 1))
    found: list[Unique] = []
    for n_done, (columns, unique, work) in enumerate(every_set(table, max_size), start=1):
        found.append((columns, unique))
        is_last = columns == tuple(range(n_columns - len(columns), n_columns))  # of its size
        searched = len(columns) if is_last else len(columns) - 1
        was_stopped = stop is not None and stop(n_done, n_sets) and n_done < n_sets
        larger = len(columns) + 1 if is_last and len(columns) < max_size else 0
        coming = larger * math.comb(n_columns, larger) * _WORK_OF_A_SET  # beyond the bound it is not begun
        is_beyond = work + coming > max_cells and (is_last or len(columns) > 1) and n_done < n_sets
        if was_stopped or is_beyond:
            return [each for each in found if len(each[0]) <= searched], searched, was_stopped
    return found, max_size, False


def _scores(
    table: Combinations, found: Sequence[Unique], searched: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the combinations with a score, their scores, and the part of each that each column has."""
    n_columns = len(table.quasi_identifiers)
    has_score = np.zeros(table.n_combinations, dtype=bool)
    for _, unique in found:
        has_score[unique] = True
    scored = np.flatnonzero(has_score)
    position = np.cumsum(has_score) - 1
    scores = np.zeros(len(scored))
    by_column = np.zeros((len(scored), n_columns))
    for columns, unique in found:
        points = msu_score(len(columns), n_columns=n_columns, max_size=searched)
        at = position[unique]
        scores[at] += points
        by_column[at[:, None], list(columns)] += points
    return scored, scores, by_column


def every_set(table: Combinations, max_size: int) -> Iterator[tuple[Columns, IntArray, int]]:
    """Yield every set of columns by size, what is unique in it, and the work done until then."""
    alone = table.sizes == 1
    work = 0
    smaller: dict[Columns, BoolArray] = {(): np.zeros(table.n_combinations, dtype=bool)}
    for size in range(1, max_size + 1):
        unique: dict[Columns, BoolArray] = {}
        for columns in combinations(range(len(table.quasi_identifiers)), size):
            known = np.logical_or.reduce([smaller[part] for part in combinations(columns, size - 1)])
            found = np.zeros(0, dtype=np.int64)
            work += size * _WORK_OF_A_SET + table.n_combinations
            if (alone & ~known).any():  # only a record that is unique in all columns is in some
                left = np.flatnonzero(~known)
                found = left[table.members(columns, among=left) == 1]
                known[found] = True
                work += size * len(left)
            if size < max_size:
                unique[columns] = known
            yield columns, found, work
        smaller = unique


def msu_score(size: int, *, n_columns: int, max_size: int) -> float:
    """Return the points of one minimal sample unique: Π (n_columns - i) over i = size … max_size.

    `max_size` counts as at most n_columns - 1; a set of all columns scores 1 (Elliot, Manning, Ford 2002).
    """
    largest = min(max_size, n_columns - 1)
    return float(math.prod(n_columns - i for i in range(size, largest + 1)))


def dis_suda(
    scores: FloatArray, *, n_uniques: int, n_pair_records: int, n_columns: int, sampling_fraction: float
) -> FloatArray:
    """Spread the file's data intrusion simulation (DIS) risk over records by their scores.

    Notes
    -----
    DIS = U π / (U π + P (1 - π)) with U uniques and P records in pairs; with Q = 1 + (8 - columns) / 20 and
    A = Σ 1 / score^Q a record gets 1 / (1 + (U / DIS - U) / (score^Q A)).

    References
    ----------
    Skinner and Elliot, A measure of disclosure risk for microdata, JRSS B 64(4), 2002. Elliot and Manning,
    Using DIS to modify the classification of special uniques, UNECE work session on statistical data
    confidentiality, 2003. Formulas as in sdcMicro's suda2.
    """
    found = np.zeros(len(scores))
    scored = scores > 0
    if not scored.any():
        return found
    matches = n_uniques * sampling_fraction
    dis = matches / (matches + n_pair_records * (1 - sampling_fraction))
    powers = scores[scored] ** (1 + (8 - n_columns) / 20)
    found[scored] = 1 / (1 + (n_uniques / dis - n_uniques) / (powers * (1 / powers).sum()))
    return found


def _of_records(scored: IntArray, values: FloatArray, table: Combinations) -> FloatArray:
    """Return each record's value, 0 for a record without score or left out."""
    of_combination = np.zeros(table.n_combinations + 1)  # the last one for a record left out, position -1
    of_combination[scored] = values
    return of_combination[table.combination_of_record]


def _records_of(unique: IntArray, table: Combinations) -> IntArray:
    """Return the record of each combination that has one record."""
    record = np.zeros(table.n_combinations, dtype=np.int64)
    assessed = np.flatnonzero(table.combination_of_record >= 0)
    record[table.combination_of_record[assessed]] = assessed
    return record[unique]


SETS_MAX_CELLS = 60_000_000  # combinations × sets of columns; some seconds


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnsMeasurement:
    """What each quasi-identifier does, and the smallest sets that single most records out."""

    contributions: tuple[ColumnContribution, ...]  # one for each quasi-identifier
    sets: SinglingOutSets  # smallest sets of columns in which more than half of the records are unique


def class_combinations(
    measured: RiskMeasurement, dataset: Dataset, *, wildcards: bool = False
) -> Combinations:
    """Return the classes of a measurement as combinations; a missing value is a value of its own."""
    classes = measured.classes
    shown = dataset.table.select(list(classes.quasi_identifiers)).take(
        pa.array(measured.first_record_of_class)
    )
    coded = coded_columns(shown, classes.quasi_identifiers)
    return Combinations(
        quasi_identifiers=classes.quasi_identifiers,
        codes=tuple(coded[name].codes_with_missing for name in classes.quasi_identifiers),
        sizes=classes.records_of_class,
        combination_of_record=classes.class_of_record,
        missing=tuple(
            coded[name].value_is_suppressed[coded[name].codes] for name in classes.quasi_identifiers
        )
        if wildcards and measured.settings.missing == "wildcard"
        else (),
    )


def measure_columns(measured: RiskMeasurement, dataset: Dataset) -> ColumnsMeasurement | None:
    """Measure what each quasi-identifier does, over records; None where no record is assessed."""
    if not measured.classes.n_classes:
        return None
    table = class_combinations(measured, dataset)
    return ColumnsMeasurement(
        contributions=column_contributions(table), sets=singling_out_sets(table, max_cells=SETS_MAX_CELLS)
    )


def measure_special_uniques(
    measured: RiskMeasurement,
    dataset: Dataset,
    *,
    max_size: int = SudaSettings.max_size,
    stop: Callable[[int, int], bool] | None = None,
) -> Suda | None:
    """Find the smallest sets of values that single records out (SUDA2); None where no record is assessed.

    A missing value counts as the measurement's settings say: with wildcards it matches every value, so that
    a set singles out only whom nobody with missing values could be either.

    DIS-SUDA needs the share of the population that is in the table; without a population it is not assessed.

    Parameters
    ----------
    measured, dataset
        As for :func:`class_combinations`.
    max_size
        Values of the largest set to search, at least 1; more than there are columns is all of them.
    stop
        Asked after each set of columns with the sets done and in all; True ends the search.

    Raises
    ------
    AuditInputError
        `max_size` below 1.
    """
    if not measured.classes.n_classes:
        return None
    population = measured.population
    return measure_suda(
        class_combinations(measured, dataset, wildcards=True),
        max_size=max_size,
        sampling_fraction=None
        if population is None
        else min(population.n_records / population.population_size, 1.0),
        stop=stop,
    )
