"""Risk against a population: a table of it, or its size alone. Journalist, marketer, k-map, δ-presence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray, combined_codes, value_codes
from core.errors import AuditInputError
from core.risk.population import check_population_size
from core.risk.population_estimates import MarketerEstimate, marketer_estimates

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class PopulationRisk:
    """The classes of a sample and the same classes in the population."""

    # ``table``: population classes were counted; ``size``: only the population's size is known, and a class
    # may have nobody in the population but those in the sample. Every risk is then a bound.
    based_on: Literal["table", "size"]
    sample_sizes: IntArray  # shape (n_classes,): people of the sample in each class that the sample has
    # shape (n_classes,): people of the population in the same class, at least so many by the size alone
    population_sizes: FloatArray
    population_size: int  # people in the population
    # classes of the population, those without anybody from the sample included; None where only the size is
    # known
    n_population_classes: int | None
    estimates: tuple[MarketerEstimate, ...] = ()  # of the marketer's risk, where only the size is known

    @property
    def n_records(self) -> int:
        """Return the people in the sample."""
        return int(self.sample_sizes.sum())

    @property
    def k_map(self) -> float:
        """Return the smallest population class that somebody of the sample is in.

        References
        ----------
        Sweeney, Computational disclosure control, PhD thesis, MIT, 2001.
        """
        return float(self.population_sizes.min())

    @property
    def journalist_highest_risk(self) -> float:
        """Return 1 / smallest population class that somebody of the sample is in, in (0, 1].

        A journalist wants to find anybody of the sample in the population, to show that it can be done.

        References
        ----------
        El Emam, Guide to the de-identification of personal health information, CRC Press, 2013.
        """
        return 1 / self.k_map

    @property
    def marketer_risk(self) -> float:
        """Return the expected share in (0, 1] of the sample that matching everybody identifies.

        Each record matches as many people as its population class has, one of them rightly:
        Σ (sample class / population class) / records. It is the journalist's risk averaged over records.

        References
        ----------
        Dankar and El Emam, A method for evaluating marketer re-identification risk, EDBT/ICDT Workshops,
        2010.
        """
        return float((self.sample_sizes / self.population_sizes).sum() / self.n_records)

    def n_records_at_risk(self, k: int) -> int:
        """Return the records in population classes of fewer than `k` people."""
        return int(self.sample_sizes[self.population_sizes < k].sum())

    @property
    def delta_presence(self) -> tuple[float, float] | None:
        """Return the smallest and the largest share of a population class that is in the sample.

        That is how sure somebody can be that a person of the population is in the released table; 0
        for the smallest where a population class has nobody in the sample. None where the population
        classes are not known.

        References
        ----------
        Nergiz, Atzori, Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007.
        """
        if self.n_population_classes is None:
            return None
        shares = self.sample_sizes / self.population_sizes
        all_present = self.n_population_classes == len(self.sample_sizes)
        return (float(shares.min()) if all_present else 0.0, float(shares.max()))


def risk_by_population_size(class_sizes: IntArray, *, population_size: int) -> PopulationRisk:
    """Bound the risk against a population of which only the size is known, and estimate it.

    The sample does not tell whether a class is larger in the population: a person alone in it may be alone
    there too. So the bounds are the prosecutor's risks, and no class is scaled up.
    """
    n_records = int(class_sizes.sum())
    if not n_records:
        raise AuditInputError("There is no record to compare with the population.")
    check_population_size(population_size, n_records=n_records)
    return PopulationRisk(
        based_on="size",
        sample_sizes=class_sizes,
        population_sizes=class_sizes.astype(np.float64),
        population_size=population_size,
        n_population_classes=None,
        estimates=marketer_estimates(class_sizes, population_size=population_size),
    )


def risk_by_population_table(
    table: pa.Table,
    population: pa.Table,
    quasi_identifiers: Sequence[str],
    *,
    leave_out: BoolArray | None = None,
) -> PopulationRisk:
    """Count the sample's classes in a table of the population.

    Values are compared as written; null, empty and blank cells are one missing value, which is a value
    of its own.
    """
    _check_columns(population, quasi_identifiers)
    kept = np.ones(table.num_rows, dtype=bool) if leave_out is None else ~leave_out
    sample = table.filter(pa.array(kept))
    if not sample.num_rows:
        raise AuditInputError("There is no record to compare with the population.")
    _check_population_records(population.num_rows, n_records=sample.num_rows)
    codes = _joint_codes(sample, population, quasi_identifiers)
    n_classes = int(codes.max()) + 1
    in_sample = np.bincount(codes[: sample.num_rows], minlength=n_classes)
    in_population = np.bincount(codes[sample.num_rows :], minlength=n_classes)
    _check_contained(in_sample, in_population)
    found = in_sample > 0
    return PopulationRisk(
        based_on="table",
        sample_sizes=in_sample[found],
        population_sizes=in_population[found].astype(np.float64),
        population_size=population.num_rows,
        n_population_classes=int(np.count_nonzero(in_population)),
    )


def _check_columns(population: pa.Table, quasi_identifiers: Sequence[str]) -> None:
    absent = [column for column in quasi_identifiers if column not in population.column_names]
    if absent:
        named = ", ".join(f"`{column}`" for column in absent)
        raise AuditInputError(
            f"The population table has no column {named}; it needs every quasi-identifier, written and "
            "generalized as in the table."
        )


def _check_population_records(n_population: int, *, n_records: int) -> None:
    if n_population < n_records:
        raise AuditInputError(
            f"The population table has {n_population:,} records, fewer than the {n_records:,} of the table; "
            "it has to include everybody the table was drawn from."
        )


def _check_contained(in_sample: IntArray, in_population: IntArray) -> None:
    """Refuse a population that some class of the sample is absent from or larger than in."""
    problems = []
    absent = (in_sample > 0) & (in_population == 0)
    if absent.any():
        problems.append(
            f"{np.count_nonzero(absent):,} of {np.count_nonzero(in_sample):,} classes of the table "
            f"({in_sample[absent].sum():,} of {in_sample.sum():,} records) do not occur in the population "
            "table; write and generalize the quasi-identifiers in both the same way."
        )
    larger = (in_sample > in_population) & (in_population > 0)
    if larger.any():
        problems.append(
            f"{np.count_nonzero(larger):,} of {np.count_nonzero(in_sample):,} classes of the table have more "
            "records there than in the population table, so the table is no sample of this population."
        )
    if problems:
        raise AuditInputError(*problems)


def _joint_codes(sample: pa.Table, population: pa.Table, quasi_identifiers: Sequence[str]) -> IntArray:
    """Return the class of each record of the sample, then of the population, as 0 … n_classes - 1."""
    columns = [
        value_codes(_one_missing(pa.chunked_array([*sample[column].chunks, *population[column].chunks])))
        for column in quasi_identifiers
    ]
    codes = combined_codes(columns, n_records=sample.num_rows + population.num_rows)
    return value_codes(codes)


def _one_missing(column: pa.ChunkedArray) -> pa.ChunkedArray:
    blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(column)), 0)
    return cast("pa.ChunkedArray", pc.if_else(blank, None, column))
