"""Findings of the row rules: rows and columns that stay in place beyond chance; what cannot be compared."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from core.chance import normal_tail, poisson_tail
from core.coding import IntArray
from core.leakage.chance import ChanceRange, ColumnChance, probabilities_of_matches
from core.leakage.measuring import LeakageMeasures
from core.leakage.person_findings import WORTH_A_LOOK, whole_row_verdict
from core.leakage.settings import LeakageThresholds
from core.leakage.whole_rows import RowLeakage
from core.verdict import Finding, Verdict
from core.words import Text, Written, counted, joined, listed, own, percent, share_of, text

_COMPARED = {True: "more than chance gives", False: "no more than chance gives"}
# Of fewer rows, one that stays as it was is never put down to chance.
_FEWEST_FOR_CHANCE = 20


def row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Judge the row rules against chance."""
    rows, orders = measures.rows, measures.random_orders
    if rows is None or orders is None:
        by_key = measures.settings.key is not None
        yield Finding.of("rows_not_paired", Verdict.NOT_ASSESSED if by_key else Verdict.PASS)(
            measures.row_problem
        )
        return
    yield from valid_cell_findings(rows)
    yield _full_leakage_finding(measures, rows, orders.full_share, thresholds)
    if rows.n_rows == 1:
        yield Finding.of("chance_not_assessed", Verdict.NOT_ASSESSED)(
            "With a single row there is only one order, so chance cannot be told from leakage."
        )
        return
    yield _partial_leakage_finding(rows, orders.partial_share, thresholds)
    yield _matching_cells_finding(measures, rows, orders.mean_matching_cells, thresholds)
    if measures.column_chance is not None:
        yield from column_findings(measures.columns, rows, measures.column_chance, thresholds)


def valid_cell_findings(rows: RowLeakage) -> Iterator[Finding]:
    """Say how many rows have nothing to compare; never let them pass in silence."""
    n = rows.n_without_valid_cells
    if n:
        yield Finding.of(
            "rows_without_valid_cells",
            Verdict.NOT_ASSESSED if n == rows.n_rows else Verdict.WARN,
            n_affected=n,
        )(
            "{rows} has no valid cell: everything in it is ignored or missing in both tables, so it was "
            "not assessed.",
            "{rows} have no valid cell: everything in them is ignored or missing in both tables, so they "
            "were not assessed.",
            rows=share_of(n, rows.n_rows, "rows"),
        )


def _full_leakage_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """FAIL above the tolerated share unless random order may give as many; PASS where it usually does."""
    if not rows.n_full:
        return Finding.of("full_leakage", Verdict.PASS, n_affected=0)(
            "None of {total} rows is the same as its original row in every valid cell.", total=rows.n_rows
        )
    tolerated = rows.full_leakage_share <= thresholds.max_full_leakage_share
    expected = max(measures.expected_full, chance.mean * rows.n_rows)
    p_value = float(poisson_tail(rows.n_full, expected))
    anywhere = whole_row_verdict(measures.whole_rows, thresholds)
    is_in_every_order = expected > rows.n_full - 0.5
    by_chance = (
        rows.n_rows >= _FEWEST_FOR_CHANCE
        and (rows.n_full < rows.n_rows - rows.n_without_valid_cells or is_in_every_order)
        and p_value > thresholds.chance_level
        and anywhere is not Verdict.FAIL
    )
    is_usual = by_chance and p_value > WORTH_A_LOOK and anywhere is Verdict.PASS
    advice = (
        "so few different rows coincide by chance"
        if is_usual
        else "within the tolerated share"
        if tolerated
        else "so few different rows say little about anybody; check that nobody is singled out by them"
        if by_chance
        else "privacy is not preserved, scramble again or add noise"
    )
    verdict = Verdict.PASS if is_usual else Verdict.WARN if tolerated or by_chance else Verdict.FAIL
    found = text(
        "NOTICE: {rows} is the same as its original row in every valid cell: {advice}.",
        "NOTICE: {rows} are the same as their original row in every valid cell: {advice}.",
        n=rows.n_full,
        rows=share_of(rows.n_full, rows.n_rows, "rows"),
        advice=own(advice),
    )
    random = (
        "Random order would give about as many, {range}." if by_chance else "Random order would give {range}."
    )
    return Finding.of("full_leakage", verdict, n_affected=rows.n_full)(
        joined([found, text(random, range=_percent_range(chance))])
    )


def _partial_leakage_finding(rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds) -> Finding:
    """WARN where more rows match in part than random orders give."""
    exceeds = chance.is_exceeded_by(rows.partial_leakage_share, z=thresholds.z)
    return Finding.of(
        "partial_leakage", Verdict.WARN if exceeds else Verdict.PASS, n_affected=rows.n_partial
    )(
        "{rows} shares some but not all valid cells with its original row, {comparison}: random order "
        "gives {range}.",
        "{rows} share some but not all valid cells with their original row, {comparison}: random order "
        "gives {range}.",
        rows=share_of(rows.n_partial, rows.n_rows, "rows"),
        comparison=own(_COMPARED[exceeds]),
        range=_percent_range(chance),
    )


def _matching_cells_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """WARN where rows share more cells with their original row than random orders give."""
    exceeds = chance.is_exceeded_by(rows.mean_matching_cells, z=thresholds.z)
    return Finding.of("matching_cells", Verdict.WARN if exceeds else Verdict.PASS)(
        "Rows share {cells} of {n} cell with their original row on average, {comparison}: the same rows "
        "in random order share {expected} ({low} to {high} in 95 % of orders).",
        "Rows share {cells} of {n} cells with their original row on average, {comparison}: the same rows "
        "in random order share {expected} ({low} to {high} in 95 % of orders).",
        n=len(measures.columns),
        cells=Written(f"{rows.mean_matching_cells:.2f}"),
        comparison=own(_COMPARED[exceeds]),
        expected=Written(f"{measures.expected_matching_cells:.2f}"),
        low=Written(f"{chance.low:.2f}"),
        high=Written(f"{chance.high:.2f}"),
    )


def column_findings(
    columns: Sequence[str], rows: RowLeakage, chance: ColumnChance, thresholds: LeakageThresholds
) -> Iterator[Finding]:
    """WARN where columns keep more of their cells in place than chance, also counted exactly."""
    above = _above_chance(rows, chance, thresholds)
    if not len(above):
        return
    top = int(above[0])
    expected = chance.expected_matches[top] / rows.n_rows
    yield Finding.of(
        "columns_above_chance",
        Verdict.WARN,
        column=columns[top] if len(above) == 1 else None,
        n_affected=len(above),
    )(
        "{n} of {columns} keeps more cells in place than chance gives; most of all “{column}”, the same "
        "in {rows}, where chance gives {expected}.",
        "{n} of {columns} keep more cells in place than chance gives; most of all “{column}”, the same "
        "in {rows}, where chance gives {expected}.",
        columns=counted(len(columns), "column"),
        column=columns[top],
        rows=share_of(int(rows.column_matches[top]), rows.n_rows, "rows"),
        expected=percent(expected),
    )


def _above_chance(rows: RowLeakage, chance: ColumnChance, thresholds: LeakageThresholds) -> IntArray:
    """Return the positions of columns that keep more cells in place than chance, the most of all first."""
    z_scores = np.nan_to_num(chance.z(rows.column_matches), nan=-np.inf)
    p_values = probabilities_of_matches(rows.column_matches, chance)
    z_scores[p_values > normal_tail(thresholds.z)] = -np.inf
    return np.argsort(-z_scores, kind="stable")[: int((z_scores >= thresholds.z).sum())]


def columns_in_place(measures: LeakageMeasures, thresholds: LeakageThresholds) -> list[str]:
    """Return the columns that keep more of their cells in place than chance, the most of all first."""
    if measures.rows is None or measures.column_chance is None:
        return []
    return [measures.columns[at] for at in _above_chance(measures.rows, measures.column_chance, thresholds)]


def column_set_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """Say which columns could not be compared, WARN where at least half; and where rows are no persons."""
    if measures.persons is not None:
        yield Finding.of("rows_of_persons", Verdict.PASS, column=measures.persons.column)(
            "{column} seems to say whose row it is, and has {values} in {rows}: all figures count rows, not "
            "persons.",
            column=f"`{measures.persons.column}`",
            values=counted(measures.persons.n_distinct, "value"),
            rows=counted(measures.persons.n_nonblank, "row"),
        )
    unlike = measures.not_comparable
    if len(unlike) >= max(2, len(measures.columns) / 2):
        yield Finding.of("columns_not_comparable", Verdict.WARN, n_affected=len(unlike))(
            "{n} of {columns} ({names}) share hardly a value with the original's, so that no row can be "
            "found by them: they may be encoded or cut short.",
            columns=counted(len(measures.columns), "column"),
            names=listed(unlike, at_most=3),
        )
    renamed = {} if measures.second_look is None else measures.second_look.renamed
    yield from missing_column_findings(
        measures.only_in_original, measures.only_in_scrambled, renamed=renamed.values()
    )


def missing_column_findings(
    only_in_original: Sequence[str], only_in_scrambled: Sequence[str], *, renamed: Collection[str] = ()
) -> Iterator[Finding]:
    """Say which columns only one table has, WARN where the scrambled one has any that nothing pairs."""
    if only_in_scrambled:
        n = len(only_in_scrambled)
        n_paired = len({*only_in_scrambled} & {*renamed})
        message = text(
            "{n} column of the scrambled table could not be compared, because the original has no column of "
            "that name.",
            "{n} columns of the scrambled table could not be compared, because the original has no column of "
            "that name.",
            n=n,
        )
        if n_paired:
            paired = text("The second look paired {paired} of them by their values.", paired=n_paired)
            message = joined([message, paired])
        yield Finding.of(
            "columns_only_in_scrambled", Verdict.PASS if n == n_paired else Verdict.WARN, n_affected=n
        )(message)
    if only_in_original:
        n = len(only_in_original)
        yield Finding.of("columns_only_in_original", Verdict.PASS, n_affected=n)(
            "{n} column of the original table is not in the scrambled table.",
            "{n} columns of the original table are not in the scrambled table.",
        )


def _percent_range(chance: ChanceRange) -> Text:
    """Return a mean with its central 95 %."""
    return text(
        "{mean} ({low} to {high} in 95 % of orders)",
        mean=percent(chance.mean),
        low=percent(chance.low),
        high=percent(chance.high),
    )
