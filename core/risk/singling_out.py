"""Which columns and values single records out, from what was measured of the classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.coding import coded_columns
from core.risk.columns import (
    ColumnContribution,
    SinglingOutSets,
    column_contributions,
    singling_out_sets,
)
from core.risk.combinations import Combinations
from core.risk.measuring import RiskMeasurement
from core.risk.suda import Suda, measure_suda
from core.tables import Dataset

_MAX_CELLS = 60_000_000  # combinations × sets of columns; some seconds
USUAL_SET_SIZE = 3  # values of a set, as SUDA2 is usually run


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
    records = np.bincount(classes.class_of_record + 1, minlength=classes.n_classes + 1)[1:]
    return Combinations(
        quasi_identifiers=classes.quasi_identifiers,
        codes=tuple(coded[name].codes.astype(np.int64) for name in classes.quasi_identifiers),
        sizes=records,
        combination_of_record=classes.class_of_record,
        missing=tuple(
            coded[name].value_is_suppressed[coded[name].codes] for name in classes.quasi_identifiers
        )
        if wildcards and measured.settings.missing == "wildcard"
        else (),
    )


def measure_columns(measured: RiskMeasurement, dataset: Dataset) -> ColumnsMeasurement | None:
    """Measure what each quasi-identifier does, over records; None where no record is assessed.

    Parameters
    ----------
    measured, dataset
        As for :func:`class_combinations`.
    """
    if not measured.classes.n_classes:
        return None
    table = class_combinations(measured, dataset)
    return ColumnsMeasurement(
        contributions=column_contributions(table), sets=singling_out_sets(table, max_cells=_MAX_CELLS)
    )


def measure_special_uniques(
    measured: RiskMeasurement,
    dataset: Dataset,
    *,
    max_size: int = USUAL_SET_SIZE,
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
