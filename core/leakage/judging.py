"""From figures and thresholds to findings and a verdict; cheap, so that sliders answer at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.datasets import Dataset
from core.leakage.chance import ChanceRange
from core.leakage.measuring import LeakageMeasures, measure_leakage
from core.leakage.pairing import pair_tables
from core.leakage.rows import RowLeakage
from core.leakage.settings import LeakageSettings, LeakageThresholds
from core.verdict import Finding, Verdict, worst


@dataclass(frozen=True, kw_only=True, eq=False)
class LeakageAudit:
    """The measures, the thresholds they were held against, and what follows.

    Attributes
    ----------
    measures, thresholds
        What went in.
    findings
        Sentences with counts, one a check.
    verdict
        The worst of the findings.
    """

    measures: LeakageMeasures
    thresholds: LeakageThresholds
    findings: tuple[Finding, ...]
    verdict: Verdict

    @property
    def headline(self) -> str:
        """Return the sentence that explains the verdict, with its counts."""
        if self.verdict is Verdict.PASS:
            return "No more of the original rows is left than chance gives."
        check = next(finding for finding in self.findings if finding.verdict is self.verdict)
        return _short(check, self.measures)


_MORE_CELLS = "Rows share more cells with their original row than chance gives."
_SHORT = {
    "partial_leakage": _MORE_CELLS,
    "matching_cells": _MORE_CELLS,
    "columns_above_chance": _MORE_CELLS,
    "near_copies": "More scrambled rows are nearly copies of an original row than chance or likeness "
    "explains.",
    "relinkage": "Rows can be re-linked with their original row more often than by chance.",
}


def _short(finding: Finding, measures: LeakageMeasures) -> str:
    """Return what a finding comes down to; its own sentence where that is short already."""
    rows, whole = measures.rows, measures.whole_rows
    match finding.check:
        case "full_leakage" if rows is not None:
            return f"{rows.n_full:,} of {rows.n_rows:,} rows are the same as their original row."
        case "whole_rows" if finding.verdict is Verdict.FAIL:
            return (
                f"{whole.n_unique_exact:,} of {whole.n_unique:,} unique rows of the original are still in "
                "the scrambled table."
            )
        case "repeated_rows":
            return (
                f"{whole.n_exact:,} of {whole.n_original:,} original rows are still in the scrambled table."
            )
        case _:
            return _SHORT.get(finding.check, finding.message)


def audit_leakage(
    original: Dataset,
    scrambled: Dataset,
    *,
    settings: LeakageSettings | None = None,
    thresholds: LeakageThresholds | None = None,
    holdout: Dataset | None = None,
) -> LeakageAudit:
    """Ask whether rows of the original table are still in the scrambled one.

    Parameters
    ----------
    original, scrambled
        The tables.
    settings, thresholds
        The defaults compare rows by position, ignore nothing and tolerate no full leakage.
    holdout
        Records of the same kind that the scrambled table was not made from.

    Returns
    -------
    LeakageAudit
        FAIL for any full leakage above the threshold, or more unique whole rows than chance gives;
        WARN where partial leakage exceeds chance; NOT_ASSESSED where rows could not be compared.

    Raises
    ------
    AuditInputError
        See :func:`core.leakage.pairing.pair_tables` and :func:`core.leakage.measuring.measure_leakage`.
    """
    settings = settings or LeakageSettings()
    pair = pair_tables(original, scrambled, key=settings.key)
    return judge_leakage(measure_leakage(pair, settings, holdout=holdout), thresholds or LeakageThresholds())


def judge_leakage(measures: LeakageMeasures, thresholds: LeakageThresholds) -> LeakageAudit:
    """Hold the measures against the thresholds.

    Parameters
    ----------
    measures
        What was measured.
    thresholds
        From where a figure is a concern.

    Returns
    -------
    LeakageAudit
        At least one finding.
    """
    findings = (
        *_row_findings(measures, thresholds),
        *_whole_row_findings(measures, thresholds),
        *_nearest_findings(measures, thresholds),
        *_column_set_findings(measures),
    )
    return LeakageAudit(
        measures=measures,
        thresholds=thresholds,
        findings=findings,
        verdict=worst(finding.verdict for finding in findings),
    )


def _row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Judge the row rules against chance."""
    rows, orders = measures.rows, measures.random_orders
    if rows is None or orders is None:
        yield Finding(
            check="rows_not_paired", verdict=Verdict.NOT_ASSESSED, message=measures.row_problem
        )  # fmt: skip
        return
    yield from _valid_cell_findings(rows)
    yield _full_leakage_finding(rows, orders.full_share, thresholds)
    if rows.n_rows == 1:
        yield Finding(
            check="chance_not_assessed",
            verdict=Verdict.NOT_ASSESSED,
            message="With a single row there is only one order, so chance cannot be told from leakage.",
        )
        return
    yield _partial_leakage_finding(rows, orders.partial_share, thresholds)
    yield _matching_cells_finding(measures, rows, orders.mean_matching_cells, thresholds)
    yield from _column_findings(measures, rows, thresholds)


def _valid_cell_findings(rows: RowLeakage) -> Iterator[Finding]:
    """Say how many rows have nothing to compare; never let them pass in silence."""
    n = rows.n_without_valid_cells
    if n:
        yield Finding(
            check="rows_without_valid_cells",
            verdict=Verdict.NOT_ASSESSED if n == rows.n_rows else Verdict.WARN,
            message=f"{_of(n, rows.n_rows, 'rows')} have no valid cell: everything in them is ignored or "
            f"missing "
            "in both tables, so they were not assessed.",
            n_affected=n,
        )


def _full_leakage_finding(rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds) -> Finding:
    """FAIL above the tolerated share; say what chance gives."""
    if not rows.n_full:
        return Finding(
            check="full_leakage",
            verdict=Verdict.PASS,
            message=f"None of {rows.n_rows:,} rows is the same as its original row in every valid cell.",
            n_affected=0,
        )
    tolerated = rows.full_leakage_share <= thresholds.max_full_leakage_share
    advice = (
        "within the tolerated share" if tolerated else "privacy is not preserved, scramble again or add noise"
    )
    by_chance = chance.low <= rows.full_leakage_share <= chance.high
    return Finding(
        check="full_leakage",
        verdict=Verdict.WARN if tolerated else Verdict.FAIL,
        message=f"NOTICE: {_of(rows.n_full, rows.n_rows, 'rows')} are the same as their original row in "
        f"every valid cell: {advice}. Random order would give "
        f"{'about as many, ' if by_chance else ''}{_percent_range(chance)}.",
        n_affected=rows.n_full,
    )


def _partial_leakage_finding(rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds) -> Finding:
    """WARN where more rows match in part than random orders give."""
    exceeds = chance.is_exceeded_by(rows.partial_leakage_share, z=thresholds.z)
    comparison = "more than chance gives" if exceeds else "no more than chance gives"
    return Finding(
        check="partial_leakage",
        verdict=Verdict.WARN if exceeds else Verdict.PASS,
        message=f"{_of(rows.n_partial, rows.n_rows, 'rows')} share some but not all valid cells with their "
        f"original "
        f"row, {comparison}: random order gives {_percent_range(chance)}.",
        n_affected=rows.n_partial,
    )


def _matching_cells_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """WARN where rows share more cells with their original row than random orders give."""
    expected = measures.expected_matching_cells
    exceeds = chance.is_exceeded_by(rows.mean_matching_cells, z=thresholds.z)
    comparison = "more than chance gives" if exceeds else "no more than chance gives"
    return Finding(
        check="matching_cells",
        verdict=Verdict.WARN if exceeds else Verdict.PASS,
        message=f"Rows share {rows.mean_matching_cells:.2f} of {len(measures.columns)} cells with their "
        f"original row "
        f"on average, {comparison}: the same rows in random order share {expected:.2f} "
        f"({chance.low:.2f} to {chance.high:.2f} in 95 % of orders).",
    )


def _column_findings(
    measures: LeakageMeasures, rows: RowLeakage, thresholds: LeakageThresholds
) -> Iterator[Finding]:
    """WARN where columns keep more of their cells in place than chance."""
    z_scores = np.nan_to_num(measures.column_z(), nan=-np.inf)
    above = np.flatnonzero(z_scores >= thresholds.z)
    if not len(above) or measures.column_chance is None:
        return
    top = int(z_scores.argmax())
    expected = measures.column_chance.expected_matches[top] / rows.n_rows
    yield Finding(
        check="columns_above_chance",
        verdict=Verdict.WARN,
        message=f"{len(above):,} of {_columns(len(measures.columns))} keep more cells in place than chance "
        f"gives; "
        f"most of all “{measures.columns[top]}”, the same in "
        f"{_of(int(rows.column_matches[top]), rows.n_rows, 'rows')}, where chance gives {expected:.2%}.",
        column=measures.columns[top] if len(above) == 1 else None,
        n_affected=len(above),
    )


def _whole_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """FAIL where more unique whole rows reappear than independent columns give."""
    found = measures.whole_rows
    if len(measures.columns) == 1:
        yield Finding(
            check="whole_rows",
            verdict=Verdict.NOT_ASSESSED,
            message="With a single column a whole row is one cell, so whole rows that reappear cannot be "
            "told from "
            f"chance: {_of(found.n_exact, found.n_original, 'rows')} are found in the scrambled table.",
            n_affected=found.n_exact,
        )
        return
    copied = found.is_copy and found.excess >= 1
    exceeds = copied or (found.excess > 0 and found.p_value <= thresholds.chance_level)
    yield Finding(
        check="whole_rows",
        verdict=Verdict.FAIL if exceeds else Verdict.PASS,
        message=f"{_of(found.n_unique_exact, found.n_unique, 'rows that are unique in the original')} are "
        f"found whole "
        f"somewhere in the scrambled table, {_against_chance(found.expected_unique_exact, exceeds=exceeds)}. "
        f"Counting repeated rows too, {_of(found.n_exact, found.n_original, 'rows')} are found, where such "
        f"columns would give {_number(found.expected_exact)}."
        + (
            " The scrambled table holds exactly the rows of the original, in another order." if copied else ""
        ),
        n_affected=found.n_unique_exact,
    )
    yield from _repeated_row_findings(measures, thresholds)


def _repeated_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where repeated rows reappear beyond chance, FAIL where the whole table does."""
    found = measures.whole_rows
    if (
        found.n_repeated_exact > found.expected_repeated_exact
        and found.repeated_p_value <= thresholds.chance_level
    ):
        yield Finding(
            check="repeated_rows",
            verdict=Verdict.FAIL if found.n_exact == found.n_original else Verdict.WARN,
            message=f"{found.n_repeated_exact:,} distinct rows that several original records share are "
            f"found whole in "
            f"the scrambled table, {_against_chance(found.expected_repeated_exact, exceeds=True)}.",
            n_affected=found.n_repeated_exact,
        )


def _against_chance(expected: float, *, exceeds: bool) -> str:
    """Say what columns in random orders of their own would give."""
    return (
        f"{'more' if exceeds else 'no more'} than chance: with every column shuffled on its own it would be "
        f"{_number(expected)}"
    )


def _nearest_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where rows find their own scrambled row, or come closer to the original than to a hold-out."""
    nearest = measures.nearest
    if nearest.n_relinked is not None and measures.whole_rows.n_scrambled > 1:
        expected = nearest.expected_relinked(measures.whole_rows.n_scrambled)
        exceeds = stats.poisson.sf(nearest.n_relinked - 1, expected) <= stats.norm.sf(thresholds.z)
        looked_at = "rows" if nearest.is_exact else "sampled rows"
        yield Finding(
            check="relinkage",
            verdict=Verdict.WARN if exceeds and nearest.n_relinked else Verdict.PASS,
            message=f"For {_of(nearest.n_relinked, nearest.n_assessed, looked_at)} the own scrambled row "
            f"is the unique "
            f"best match among all; chance would give {_number(expected)}.",
            n_affected=nearest.n_relinked,
        )
    yield _near_copy_finding(measures, thresholds)
    yield from _distance_findings(measures, thresholds)


def _near_copy_finding(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Finding:
    """WARN where more rows are nearly found than people are alike or shuffled values give."""
    found = measures.near_copies
    exceeds = found.p_value <= stats.norm.sf(thresholds.z)
    if not exceeds:
        return Finding(
            check="near_copies",
            verdict=Verdict.PASS,
            message=f"No more original rows have a scrambled row very like them than have another original "
            f"row, "
            f"or a row of shuffled columns, as like ({found.n_rows:,} rows looked at).",
            n_affected=0,
        )
    return Finding(
        check="near_copies",
        verdict=Verdict.WARN,
        message=f"{_of(found.n_observed, found.n_rows, 'original rows looked at')} have a scrambled row "
        f"that shares "
        f"{found.share:.0%} of their cells or more, where {found.n_within:,} have another original row as "
        f"like and "
        f"{found.n_shuffled:,} a row of shuffled columns: people may have moved with little changed.",
        n_affected=found.n_observed,
    )


def _distance_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where scrambled rows are closer to original records than chance or strangers would be."""
    distances = measures.distances
    closer = distances.closer_than_originals_z
    if closer is not None and distances.within_original is not None:
        exceeds = closer >= thresholds.z
        yield Finding(
            check="closest_records",
            verdict=Verdict.WARN if exceeds else Verdict.PASS,
            message=f"Scrambled rows are {'closer' if exceeds else 'no closer'} to an original record than "
            f"original "
            f"records are to each other: median distance {distances.to_original.median_distance:.3f} against "
            f"{distances.within_original.median_distance:.3f} (Gower, 0 to 1; {distances.n_rows:,} rows "
            f"looked at). "
            "Such distances alone can miss leaks.",
        )
    share, z = measures.distances.closer_to_original_share, measures.distances.closer_z
    if share is not None and z is not None:
        yield Finding(
            check="closer_to_original_than_holdout",
            verdict=Verdict.WARN if z >= thresholds.z else Verdict.PASS,
            message=f"{share:.1%} of {measures.distances.n_rows:,} scrambled rows are closer to an "
            f"original record than "
            "to one of as many hold-out records; a table that learned nothing of the original persons "
            "gives about "
            "50 %. Such distances alone can miss leaks.",
        )


def _column_set_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """Say which columns could not be compared."""
    if measures.only_in_scrambled:
        n = len(measures.only_in_scrambled)
        yield Finding(
            check="columns_only_in_scrambled",
            verdict=Verdict.WARN,
            message=f"{n} {'column' if n == 1 else 'columns'} of the scrambled table could not be "
            f"compared, because the "
            "original has no column of that name.",
            n_affected=n,
        )
    if measures.only_in_original:
        n = len(measures.only_in_original)
        yield Finding(
            check="columns_only_in_original",
            verdict=Verdict.PASS,
            message=f"{n} {'column' if n == 1 else 'columns'} of the original table "
            f"{'is' if n == 1 else 'are'} not in the scrambled table.",
            n_affected=n,
        )


def _columns(n: int) -> str:
    """Return a number of columns in words."""
    return f"{n:,} column" if n == 1 else f"{n:,} columns"


def _of(n: int, total: int, noun: str) -> str:
    """Return a count of a total with its share, such as ``3 of 928 rows (0.32%)``."""
    return f"{n:,} of {total:,} {noun} ({n / total:.2%})" if total else f"0 of 0 {noun}"


def _percent_range(chance: ChanceRange) -> str:
    """Return a mean with its central 95 %."""
    return f"{chance.mean:.2%} ({chance.low:.2%} to {chance.high:.2%} in 95 % of orders)"


def _number(value: float) -> str:
    """Return an expected count with as many decimals as it needs."""
    if value < 0.005:
        return "none" if value == 0 else "fewer than 0.01"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
