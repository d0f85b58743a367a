"""What row leakage says: figures beside chance, tables of counts, charts, and how cells were compared."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from core.leakage.attacks import AttackRate
from core.leakage.chance import ColumnChance
from core.leakage.charts import (
    columns_drawing,
    distribution_drawing,
    leaked_drawing,
    nearest_drawing,
    proportion_drawing,
)
from core.leakage.in_engine import RowsInEngine
from core.leakage.judging import LeakageAudit
from core.leakage.measuring import LeakageMeasures
from core.leakage.person_findings import smallest_leak
from core.leakage.settings import LeakageSettings
from core.leakage.tool import TOOL
from core.leakage.whole_rows import RowLeakage
from core.people.free_text.result import texts_group
from core.result import Col, Drawing, Figure, Group, Note, Part, Result, Table, verdict_of
from core.settings.form import described, report_lines, settings_document
from core.verdict import Verdict
from core.words import Text, Written, counted, joined, own, percent, text

COLUMNS_NOTE = "Shares are over all rows compared; z is the excess in standard deviations of chance."
DISTANCES_NOTE = "A distance in ranks, 0 (the same) to 1. Such distances alone can miss leaks."
ATTACKS_NOTE = (
    "Success with its 95 % interval (Wilson); naive guesses do not look; risk is (success − hold-out) / "
    "(1 − hold-out). Giomi et al. 2023, closeness by likeness in bits."
)


USUAL_FIGURES = ("full_leakage_share", "partial_leakage_share", "mean_matching_cells", "std_matching_cells")
_ATTACK_MEASURES = {
    "singling out, one column": "singling_out_univariate_share",
    "singling out, several columns": "singling_out_multivariate_share",
    "linkage": "linkage_share",
}
_COLUMNS = (
    Col("column", "Column"),
    Col("n_valid", "Valid cells"),
    Col("n_matching", "Matching cells"),
    Col("match_share", "Matching share", "share"),
    Col("expected_share", "By chance", "share"),
    Col("excess", "Excess", "share"),
    Col("z", "z"),
)
_ROWS = (
    Col("row", "Row"),
    Col("n_matching", "Matching cells"),
    Col("n_valid", "Valid cells"),
    Col("matching_share", "Share of valid cells", "share"),
    Col("leakage", "Leakage", kind="words"),
)
_LEAKED = (Col("row", "Row"), Col("where", "Still there", kind="words"))
_DISTANCES = (
    Col("between", "From … to", kind="words"),
    Col("n_records", "Records searched"),
    Col("fifth_percentile", "5th percentile"),
    Col("median", "Median"),
    Col("median_ratio", "Median ratio to the second closest"),
)
_ATTACKS = (
    Col("attack", "Attack", kind="words"),
    Col("column", "Column"),
    Col("n_guesses", "Guesses"),
    Col("share", "Success", "share"),
    Col("low", "From", "share", get=lambda rate: rate.interval[0]),
    Col("high", "To", "share", get=lambda rate: rate.interval[1]),
    Col("naive_share", "Naive", "share"),
    Col("control_share", "Hold-out", "share"),
    Col("risk", "Risk", "share"),
)
_FIRST = ("full_leakage_share", "n_unique_exact_rows_anywhere", "n_near_copies", "mean_matching_cells")
_FIRST_OF_ANOTHER_LENGTH = (
    "n_unique_exact_rows_anywhere",
    "n_near_copies",
    "relink_share",
    "median_distance_to_closest",
)
_N_WORST = 50
_MOST_LISTED = 1_000


def leakage_result(audit: LeakageAudit) -> Result:
    """Return all that the audit says: counts and row numbers, no cell."""
    measures = audit.measures
    return Result(
        tool=TOOL.key,
        verdict=audit.verdict,
        headline=audit.headline,
        findings=audit.findings,
        first=_FIRST if measures.rows is not None else _FIRST_OF_ANOTHER_LENGTH,
        groups=tuple(_groups(audit)),
        settings=_settings(measures, audit),
        asked=settings_document(measures.settings, audit.thresholds),
        seeds={"seed": measures.settings.seed},
    )


def _groups(audit: LeakageAudit) -> Iterator[Group]:
    measures = audit.measures
    yield Group("leaked", "Original rows that are still there", tuple(_leaked_parts(audit)), where="page")
    yield Group("persons", "What was found", (*_row_figures(audit), *_moved(audit), *_found(audit)))
    yield Group(
        "rows",
        "Rows",
        (*proportion_drawing(measures), *distribution_drawing(measures)),
        empty="Rows could not be compared with their own, so there is nothing to show here.",
    )
    columns = _columns_compared(measures)
    drawn = columns_drawing([(name, found, by_chance) for name, _, _, found, by_chance, *_ in columns])
    yield Group("columns", "Columns", (*drawn, Table("columns", "Columns", _COLUMNS, columns, COLUMNS_NOTE)))
    yield Group("worst", "Worst rows", (_worst_table(measures),))
    yield Group("distances", "Closest records", (_distances_table(measures),))
    yield Group("attacks", "Attacks", _attacks(audit), empty="Attacks need two columns and two rows.")
    yield Group(
        "nearest",
        "Nearest rows",
        (nearest_drawing(measures), Note(nearest_note(measures)), *_nearest(audit)),
    )
    further = (
        Figure("expected_matching_cells", measures.expected_matching_cells),
        Figure("n_rows_without_valid_cells", getattr(measures.rows, "n_without_valid_cells", None)),
    )
    yield Group("further", "Rows", (*_compared(measures), *further), where="report")
    yield from texts_group(measures.texts, audit.read)


def _compared(measures: LeakageMeasures) -> Iterator[Figure]:
    """Yield how much was compared."""
    rows, whole = measures.rows, measures.whole_rows
    yield Figure("n_rows_compared", whole.n_original if rows is None else rows.n_rows)
    yield Figure("n_columns_compared", len(measures.columns))


def _row_figures(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield the figures of the row rules beside chance; None where rows could not be paired."""
    rows, orders = audit.measures.rows, audit.measures.random_orders
    expected, limit = audit.measures.expected_matching_cells, audit.thresholds.max_full_leakage_share
    most = "none tolerated" if limit == 0 else text("at most {share}", share=percent(limit))
    partial = "" if orders is None else _chance(percent(orders.partial_share.mean))
    cells = "" if expected is None else _chance(Written(f"{expected:.2f}"))
    for key, threshold, checks in (
        ("full_leakage_share", most, ("full_leakage",)),
        ("partial_leakage_share", partial, ("partial_leakage", "chance_not_assessed")),
        ("mean_matching_cells", cells, ("matching_cells", "chance_not_assessed")),
    ):
        yield Figure(
            key,
            getattr(rows, key, None),
            threshold,
            Verdict.NOT_ASSESSED if rows is None else verdict_of(audit.findings, *checks),
            total=None if rows is None else rows.n_rows,
        )
    yield Figure("std_matching_cells", getattr(rows, "std_matching_cells", None))


def usual_figures(rows: RowLeakage) -> tuple[Figure, ...]:
    """Return the usual figures alone, as they are before anything is known of chance."""
    return tuple(Figure(key, getattr(rows, key)) for key in USUAL_FIGURES)


def _moved(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield the figures that do not depend on the order of rows."""
    whole, nearest, distances = audit.measures.whole_rows, audit.measures.nearest, audit.measures.distances
    yield Figure(
        "n_exact_rows_anywhere",
        whole.n_exact,
        _chance(_count(whole.expected_exact)),
        verdict_of(audit.findings, "whole_rows", "repeated_rows"),
    )
    yield Figure(
        "n_unique_exact_rows_anywhere",
        whole.n_unique_exact,
        _chance_of(whole.expected_unique_exact, whole.n_unique),
        verdict_of(audit.findings, "whole_rows"),
    )
    if (known := audit.measures.known_rows) is not None:
        yield Figure(
            "n_known_rows",
            known.n_unique_exact,
            _chance(_count(known.expected_unique_exact)),
            verdict_of(audit.findings, "known_rows"),
        )
    yield from _kept_together(audit)
    yield from _by_signature(audit)
    relinked, within = nearest.relink_share, distances.within_original
    yield Figure(
        "relink_share",
        relinked,
        ""
        if relinked is None
        else _chance(percent(nearest.expected_relinked(whole.n_scrambled) / nearest.n_assessed)),
        Verdict.NOT_ASSESSED
        if relinked is None
        else verdict_of(audit.findings, "relinkage", "relinkage_by_likeness"),
        total=nearest.n_assessed,
    )
    yield Figure(
        "median_distance_to_closest",
        distances.to_original.median_distance,
        ""
        if within is None
        else text("originals {distance}", distance=Written(f"{within.median_distance:.3f}")),
    )


def _kept_together(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield the figure of two columns that were scrambled together, where any were."""
    if together := audit.measures.scrambled_together:
        yield Figure(
            "kept_together_share",
            together.share,
            _chance(percent(together.whole_rows.expected_unique_exact / together.whole_rows.n_unique)),
            verdict_of(audit.findings, "kept_together"),
            total=together.whole_rows.n_unique,
        )


def _by_signature(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield how many rows the reading finds that finds most, where one finds any."""
    found = max(audit.measures.by_signatures, key=lambda each: each.n_found, default=None)
    if found is not None:
        checks = [f"signature_{each.kind}" for each in audit.measures.by_signatures]
        yield Figure(
            "n_rows_by_signature",
            found.n_found,
            _chance_of(found.n_expected, found.n_unique),
            verdict_of(audit.findings, *checks),
            total=found.n_unique,
        )


def _found(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield the figures of persons found: near copies, re-linkage, without columns, past spelling."""
    near, aside, again = audit.measures.near_copies, audit.measures.set_aside, audit.measures.second_look
    yield Figure(
        "n_near_copies",
        near.excess.n_observed,
        _chance_of(near.excess.n_expected, near.n_rows),
        verdict_of(audit.findings, "near_copies"),
    )
    yield from _members(audit)
    if near.relink_share is not None:
        yield Figure(
            "relinked_by_likeness_share",
            near.relink_share,
            _chance(percent(1 / near.n_references)),
            verdict_of(audit.findings, "relinkage_by_likeness"),
            total=near.n_own,
        )
    if aside is not None and aside.rows is not None:
        yield Figure(
            "full_leakage_without_columns_share",
            aside.rows.full_leakage_share,
            _chance(percent(aside.expected_full / aside.rows.n_rows)),
            verdict_of(audit.findings, "without_columns"),
            total=aside.rows.n_rows,
        )
    if again is not None:
        yield Figure(
            "n_unique_exact_rows_second_look",
            again.whole_rows.n_unique_exact,
            _chance_of(again.whole_rows.expected_unique_exact, again.whole_rows.n_unique),
            verdict_of(audit.findings, "second_look"),
        )


def _members(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield how many members are among the persons nearest to scrambled rows, and what would have shown."""
    found = audit.measures.members
    yield Figure(
        "n_nearest_members",
        None if found is None else found.n_members,
        "" if found is None else _chance(_count(found.n_expected)),
        verdict_of(audit.findings, "members") if found else Verdict.NOT_ASSESSED,
        total=None if found is None else found.n_nearest,
    )
    persons, total, largest = smallest_leak(audit.measures, audit.thresholds)
    yield Figure(
        "smallest_leak_share",
        None if persons is None else persons / total,
        text("at most {share}", share=percent(largest)),
        verdict_of(audit.findings, "smallest_leak"),
    )


def _nearest(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield the figures of nearest rows and closest records; with a hold-out table, that against it."""
    distances, within = audit.measures.distances, audit.measures.distances.within_original
    yield Figure("mean_best_share", audit.measures.nearest.mean_best_share)
    yield Figure("median_distance_ratio", distances.to_original.median_ratio)
    yield Figure("median_distance_within_original", None if within is None else within.median_distance)
    if distances.to_holdout is not None:
        yield Figure("closer_to_original_share", distances.closer_to_original_share, "about 50 %")


def _attack_figures(audit: LeakageAudit) -> Iterator[Figure]:
    """Yield how often attacks succeed, each beside the hold-out or the naive attacker; none if not tried."""
    attacks = audit.measures.attacks
    if attacks is None:
        return
    inferred = max((rate for rate in attacks.rates if rate.column), key=_gain, default=None)
    told = [(_ATTACK_MEASURES[rate.attack], rate) for rate in attacks.rates if not rate.column]
    for measure, rate in (*told, *([] if inferred is None else [("inference_share", inferred)])):
        naive, control = rate.naive_share, rate.control_share
        yield Figure(
            measure,
            rate.share,
            text("naive {share}", share=percent(naive))
            if control is None
            else text("hold-out {share}", share=percent(control)),
            verdict_of(audit.findings, "attacks") if control is not None and rate.p_value <= 0.001 else None,
        )
    if (found := attacks.membership) is not None:
        low, high = (Written(f"{each:.2f}") for each in found.interval)
        yield Figure("membership_auc", found.auc, text("95 %: {low} to {high}", low=low, high=high))
        yield Figure("smallest_membership_auc", found.smallest_shown)


def _attacks(audit: LeakageAudit) -> tuple[Part, ...]:
    """Return the figures of attacks, and a row for each: guesses, successes, and what they stand against."""
    attacks = audit.measures.attacks
    if attacks is None:
        return (Table("attacks", "Attacks", _ATTACKS, (), ATTACKS_NOTE, where="report"),)
    note = "Without a hold-out no attack is judged: part of its success is knowledge of the population."
    notes = () if audit.measures.has_holdout else (Note(note),)
    return (
        *_attack_figures(audit),
        *notes,
        Table("attacks", "Attacks", _ATTACKS, attacks.rates, ATTACKS_NOTE),
    )


def _gain(rate: AttackRate) -> float:
    """Return what an attack gains over the hold-out, else over naive guesses."""
    return rate.share - (rate.naive_share if rate.control_share is None else rate.control_share)


def _count(expected: float) -> Text:
    return Written("< 0.01" if 0 < expected < 0.01 else f"{expected:,.2f}")


def _chance(figure: Text) -> Text:
    """Say what chance gives."""
    return text("chance {figure}", figure=figure)


def _chance_of(expected: float, total: int) -> Text:
    """Say how many of all chance gives."""
    return text("chance {expected} of {total}", expected=_count(expected), total=total)


def leaked_rows(measures: LeakageMeasures) -> list[tuple[int, str]]:
    """Return the original rows (from 1) still there in every valid cell: in their own place, or elsewhere."""
    nearest, rows = measures.nearest, measures.rows
    in_place = [] if rows is None else np.sort(measures.original_rows[rows.is_full]).tolist()
    found = nearest.rows[nearest.best_share == 1] if nearest.is_exact else np.array([], np.int64)
    elsewhere = np.setdiff1d(found, np.array(in_place, np.int64)).tolist()
    return [
        *((row + 1, own("in its own place")) for row in in_place),
        *((row + 1, own("elsewhere")) for row in elsewhere),
    ]


def _leaked_parts(audit: LeakageAudit) -> Iterator[Drawing | Table]:
    """Yield where leaked rows stand, and their list; nothing where none is told."""
    told = {finding.check for finding in audit.findings if finding.verdict is not Verdict.PASS}
    leaked = leaked_rows(audit.measures)
    if leaked and told & {"full_leakage", "whole_rows", "repeated_rows"}:
        yield leaked_drawing(leaked, audit.measures.whole_rows.n_original)
        yield Table("leaked", "Rows of the original that are still there", _LEAKED, leaked[:_MOST_LISTED])


def _further_in_engine(audit: RowsInEngine) -> Iterator[Figure]:
    """Yield how much was compared, and what chance would give."""
    rows, chance = audit.rows, audit.chance
    yield Figure("n_rows_compared", rows.n_rows)
    yield Figure("n_columns_compared", len(audit.columns))
    yield Figure("n_rows_without_valid_cells", rows.n_without_valid_cells)
    yield Figure("expected_matching_cells", None if chance is None else chance.expected_total / rows.n_rows)
    yield Figure("expected_full_rows", audit.expected_full)
    yield Figure("n_original_rows_alone", audit.n_alone[0])
    yield Figure("n_scrambled_rows_alone", audit.n_alone[1])


def _columns_compared(measures: LeakageMeasures) -> list[tuple[Any, ...]]:
    """Return a row per column; none where rows could not be paired."""
    rows, chance = measures.rows, measures.column_chance
    return [] if rows is None or chance is None else _column_rows(measures.columns, rows, chance)


def _column_rows(
    columns: Sequence[str], rows: RowLeakage, chance: ColumnChance | None
) -> list[tuple[Any, ...]]:
    """Return a row per column: cells compared and matching, against chance; the largest excess first."""
    observed, unknown = rows.column_matches / rows.n_rows, np.full(len(columns), np.nan)
    expected = unknown if chance is None else chance.expected_matches / rows.n_rows
    z = unknown if chance is None else np.round(chance.z(rows.column_matches), 2)
    order = np.argsort(-z, kind="stable")  # a column without one comes last
    parts = (rows.column_valid, rows.column_matches, observed, expected, observed - expected, z)
    return [
        (columns[place], *cells)
        for place, *cells in zip(order.tolist(), *(each[order].tolist() for each in parts), strict=True)
    ]


def _worst_table(measures: LeakageMeasures) -> Table:
    """Return the rows that share most with their original: full ones first, by share, then by cells."""
    rows, found = measures.rows, []
    if rows is not None:
        share = rows.match_count / np.maximum(rows.valid_count, 1)
        order = np.lexsort((measures.original_rows, -rows.match_count.astype(np.int64), -share))[:_N_WORST]
        kinds = np.select(
            [rows.is_full[order], rows.match_count[order] > 0, rows.valid_count[order] > 0],
            [own("full"), own("partial"), own("none")],
            "",
        )
        parts = (
            measures.original_rows[order] + 1,
            rows.match_count[order],
            rows.valid_count[order],
            share[order],
        )
        found = list(zip(*(each.tolist() for each in parts), kinds.tolist(), strict=True))
    note = text("The first {most}; row numbers count from 1, without the header.", most=_N_WORST)
    return Table("worst_rows", "Rows that share most with their original", _ROWS, found, note)


def _distances_table(measures: LeakageMeasures) -> Table:
    """Return how close records are to the closest other: scrambled, original, hold-out."""
    distances = measures.distances
    lines = {
        "Scrambled rows to the original": distances.to_original,
        "Original rows to the other originals": distances.within_original,
        "Scrambled rows to a sample of the original": distances.to_original_sample,
        "Scrambled rows to the hold-out": distances.to_holdout,
    }
    rows = [
        (label, found.n_records, found.fifth_percentile, found.median_distance, found.median_ratio)
        for label, found in lines.items()
        if found is not None
    ]
    return Table("distances", "Distance to the closest record", _DISTANCES, rows, DISTANCES_NOTE)


_MISSING_IN_BOTH = {
    "leave out": "A cell missing in both tables is not compared; missing in one table is a difference.",
    "match": "A cell missing in both tables is a match; missing in one table is a difference.",
    "difference": "A cell missing in both tables is a difference; missing in one table is a difference.",
}


def nearest_note(measures: LeakageMeasures) -> Text:
    """Return whether the nearest rows are exact or a sample, in a sentence."""
    nearest, n_scrambled = measures.nearest, measures.whole_rows.n_scrambled
    if nearest.is_exact:
        return text(
            "Exact: {n} original row against all {scrambled}.",
            "Exact: {n} original rows against all {scrambled}.",
            n=nearest.n_assessed,
            scrambled=counted(n_scrambled, "scrambled row"),
        )
    return text(
        "A random sample (seed {seed}): {found} of {total} original rows, each against all {scrambled}.",
        seed=str(measures.settings.seed),
        found=nearest.n_assessed,
        total=nearest.n_original,
        scrambled=counted(n_scrambled, "scrambled row"),
    )


def comparison_note(measures: LeakageMeasures) -> Text:
    """Return how cells were compared, in sentences: missing cells, ignored values and columns, chance."""
    settings, orders = measures.settings, measures.random_orders
    parts: list[str] = [
        text(
            "{n} column compared, {ignored} ignored.",
            "{n} columns compared, {ignored} ignored.",
            n=len(measures.columns),
            ignored=len(measures.ignored_columns),
        ),
        text("Ignored values: {values}.", values=", ".join(settings.ignore_values) or own("none")),
        _MISSING_IN_BOTH[settings.missing_on_both],
    ]
    if orders is not None:
        parts.append(
            text(
                "Chance over {n} random order, seed {seed}.",
                "Chance over {n} random orders, seed {seed}.",
                n=orders.n_permutations,
                seed=str(settings.seed),
            )
        )
    return joined([*parts, *measures.notes])


def rows_result(audit: RowsInEngine) -> Result:
    """Return what the row rules say of two tables in an engine."""
    judged = {"full_leakage_share": verdict_of(audit.findings, "full_leakage")}
    gravest = next(each for each in audit.findings if each.verdict is audit.verdict)
    figures = tuple(Figure(key, getattr(audit.rows, key), verdict=judged.get(key)) for key in USUAL_FIGURES)
    columns = _column_rows(audit.columns, audit.rows, audit.chance)
    return Result(
        tool=TOOL.key,
        verdict=audit.verdict,
        headline=gravest.message,
        findings=audit.findings,
        groups=(
            Group("persons", "What was found", figures),
            Group("columns", "Columns", (Table("columns", "Columns", _COLUMNS, columns, COLUMNS_NOTE),)),
            Group("further", "Rows", tuple(_further_in_engine(audit)), where="report"),
        ),
        settings=report_lines(audit.settings, audit.thresholds),
        asked=settings_document(audit.settings, audit.thresholds),
    )


def _settings(measures: LeakageMeasures, audit: LeakageAudit) -> dict[str, object]:
    told, orders = described(LeakageSettings), measures.random_orders
    return {
        **report_lines(measures.settings, audit.thresholds),
        told["ignore_columns"].label: list(measures.ignored_columns),
        told["n_permutations"].label: None if orders is None else orders.n_permutations,
        "Nearest rows": nearest_note(measures),
    }
