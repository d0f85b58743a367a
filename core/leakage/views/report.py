"""The report of row leakage, and how cells were compared in words."""

from collections.abc import Sequence
from datetime import datetime

from core.leakage import LeakageAudit, LeakageMeasures, LeakageSettings, RowLeakage
from core.leakage.attacks import AttackRate
from core.leakage.document import (
    USUAL_FIGURES,
    leakage_arguments,
    leakage_document,
    leakage_figures,
    rows_document,
)
from core.leakage.in_engine import RowsInEngine
from core.leakage.judging import LARGEST_UNSEEN
from core.leakage.views.tables import (
    N_WORST_ROWS,
    attacks_table,
    columns_table,
    distances_table,
    leakage_charts,
    worst_rows_table,
)
from core.measures import leakage as measures
from core.reports import Figure, InputFacts, Report, ReportTable, current_versions, placed
from core.settings_form import described, report_lines
from core.verdict import Verdict, worst
from core.words import Text, Written, counted, joined, own, percent, text

MEASURE_KEYS = tuple(measure.key for measure in measures.MEASURES)
_ATTACK_MEASURES = {
    "singling out, one column": "singling_out_univariate_share",
    "singling out, several columns": "singling_out_multivariate_share",
    "linkage": "linkage_share",
}


def row_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return the figures of the row rules, None where rows could not be paired."""
    orders, expected = audit.measures.random_orders, audit.measures.expected_matching_cells
    limit = audit.thresholds.max_full_leakage_share
    most = "none tolerated" if limit == 0 else text("at most {share}", share=percent(limit))
    partial = "" if orders is None else _chance(percent(orders.partial_share.mean))
    cells = "" if expected is None else _chance(Written(f"{expected:.2f}"))
    judged: dict[str, tuple[str, tuple[str, ...]]] = {
        "full_leakage_share": (most, ("full_leakage",)),
        "partial_leakage_share": (partial, ("partial_leakage", "chance_not_assessed")),
        "mean_matching_cells": (cells, ("matching_cells", "chance_not_assessed")),
    }
    known, paired = leakage_figures(audit), audit.measures.rows is not None
    figures = [
        Figure(
            key,
            known[key],
            total=None if audit.measures.rows is None else audit.measures.rows.n_rows,
            threshold=threshold,
            verdict=_verdict_of(audit, *checks) if paired else Verdict.NOT_ASSESSED,
        )
        for key, (threshold, checks) in judged.items()
    ]
    return (*figures, Figure("std_matching_cells", known["std_matching_cells"]))


def usual_figures(rows: RowLeakage) -> tuple[Figure, ...]:
    """Return the usual figures alone, as they are before anything is known of chance."""
    return tuple(Figure(key, getattr(rows, key)) for key in USUAL_FIGURES)


def moved_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return the figures that do not depend on the order of rows."""
    whole, nearest, distances = (audit.measures.whole_rows, audit.measures.nearest, audit.measures.distances)
    known = leakage_figures(audit)
    return (
        Figure(
            "n_exact_rows_anywhere",
            known["n_exact_rows_anywhere"],
            threshold=_chance(_count(whole.expected_exact)),
            verdict=_verdict_of(audit, "whole_rows", "repeated_rows"),
        ),
        Figure(
            "n_unique_exact_rows_anywhere",
            known["n_unique_exact_rows_anywhere"],
            threshold=_chance(_count(whole.expected_unique_exact)),
            verdict=_verdict_of(audit, "whole_rows"),
        ),
        Figure(
            "relink_share",
            known["relink_share"],
            total=nearest.n_assessed,
            threshold=""
            if nearest.relink_share is None
            else _chance(percent(nearest.expected_relinked(whole.n_scrambled) / nearest.n_assessed)),
            verdict=Verdict.NOT_ASSESSED
            if nearest.relink_share is None
            else _verdict_of(audit, "relinkage", "relinkage_by_likeness"),
        ),
        Figure(
            "median_distance_to_closest",
            distances.to_original.median_distance,
            threshold=""
            if distances.within_original is None
            else text(
                "originals {distance}", distance=Written(f"{distances.within_original.median_distance:.3f}")
            ),
            verdict=_verdict_of(audit, "closest_records"),
        ),
    )


def nearest_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return the figures of nearest rows and closest records; with a hold-out table, that against it."""
    distances, within = audit.measures.distances, audit.measures.distances.within_original
    figures = [
        Figure("mean_best_share", audit.measures.nearest.mean_best_share),
        Figure("median_distance_ratio", distances.to_original.median_ratio),
        Figure("median_distance_within_original", None if within is None else within.median_distance),
    ]
    if distances.to_holdout is not None:
        figures.append(
            Figure(
                "closer_to_original_share",
                distances.closer_to_original_share,
                threshold="about 50 %",
                verdict=_verdict_of(audit, "closer_to_original_than_holdout"),
            )
        )
    return tuple(figures)


def found_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return the figures of persons found: near copies, re-linkage, without columns, past spelling."""
    measures = audit.measures
    near, aside, again = measures.near_copies, measures.set_aside, measures.second_look
    figures = [
        Figure(
            "n_near_copies",
            near.excess.n_observed,
            threshold=text(
                "chance {expected} of {total}", expected=_count(near.excess.n_expected), total=near.n_rows
            ),
            verdict=_verdict_of(audit, "near_copies"),
        )
    ]
    if near.relink_share is not None:
        figures.append(
            Figure(
                "relinked_by_likeness_share",
                near.relink_share,
                total=near.n_own,
                threshold=_chance(percent(1 / near.n_references)),
                verdict=_verdict_of(audit, "relinkage_by_likeness"),
            )
        )
    if aside is not None and aside.rows is not None:
        figures.append(
            Figure(
                "full_leakage_without_columns_share",
                aside.rows.full_leakage_share,
                total=aside.rows.n_rows,
                threshold=_chance(percent(aside.expected_full / aside.rows.n_rows)),
                verdict=_verdict_of(audit, "without_columns"),
            )
        )
    if again is not None:
        figures.append(
            Figure(
                "n_unique_exact_rows_second_look",
                again.whole_rows.n_unique_exact,
                threshold=_chance(_count(again.whole_rows.expected_unique_exact)),
                verdict=_verdict_of(audit, "second_look"),
            )
        )
    return tuple(figures)


_FIRST = ("full_leakage_share", "n_unique_exact_rows_anywhere", "n_near_copies", "mean_matching_cells")
_FIRST_OF_ANOTHER_LENGTH = (
    "n_unique_exact_rows_anywhere",
    "n_near_copies",
    "relink_share",
    "median_distance_to_closest",
)


def headline_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return the figures of rows, moved rows and persons found, those that a page shows at once first."""
    figures = (*row_figures(audit), *moved_figures(audit), *found_figures(audit))
    first: Sequence[str] = _FIRST if audit.measures.rows is not None else _FIRST_OF_ANOTHER_LENGTH
    failed = [each.measure for each in figures if each.verdict is Verdict.FAIL]
    if not {*failed} & {*first}:  # what failed does not stand behind what held
        first = (*failed, *first)
    return tuple(
        sorted(figures, key=lambda each: first.index(each.measure) if each.measure in first else len(first))
    )


def attack_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return how often attacks succeed, each beside the hold-out or the naive attacker; none if not tried."""
    attacks = audit.measures.attacks
    if attacks is None:
        return ()
    figures = [_attack_figure(audit, _ATTACK_MEASURES[r.attack], r) for r in attacks.rates if not r.column]
    inferred = [rate for rate in attacks.rates if rate.column]
    most = max(inferred, key=_gain, default=None)
    if most is not None:
        figures.append(_attack_figure(audit, "inference_share", most))
    if attacks.membership is not None:
        low, high = attacks.membership.interval
        figures += [
            Figure(
                "membership_auc",
                attacks.membership.auc,
                threshold=text(
                    "95 %: {low} to {high}", low=Written(f"{low:.2f}"), high=Written(f"{high:.2f}")
                ),
                verdict=_verdict_of(audit, "membership"),
            ),
            Figure("smallest_membership_auc", attacks.membership.smallest_shown),
            Figure(
                "smallest_leak_share",
                attacks.membership.smallest_leak_share,
                threshold=text("at most {share}", share=percent(LARGEST_UNSEEN)),
                verdict=_verdict_of(audit, "smallest_leak"),
            ),
        ]
    return tuple(figures)


def _attack_figure(audit: LeakageAudit, measure: str, rate: AttackRate) -> Figure:
    """Return an attack's success beside the hold-out's, else the naive attacker's."""
    control = rate.control_share
    against = (
        text("naive {share}", share=percent(rate.naive_share))
        if control is None
        else text("hold-out {share}", share=percent(control))
    )
    return Figure(
        measure,
        rate.share,
        threshold=against,
        verdict=None if control is None else _verdict_of(audit, "attacks") if rate.p_value <= 0.001 else None,
    )


def _gain(rate: AttackRate) -> float:
    """Return what an attack gains over the hold-out, else over naive guesses."""
    control = rate.control_share
    return rate.share - (rate.naive_share if control is None else control)


def further_figures(audit: LeakageAudit) -> tuple[Figure, ...]:
    """Return the figures of the row rules that a page leaves to its tables and a report states."""
    known = leakage_figures(audit)
    return tuple(Figure(key, known[key]) for key in ("expected_matching_cells", "n_rows_without_valid_cells"))


def _verdict_of(audit: LeakageAudit, *checks: str) -> Verdict | None:
    """Return the worst verdict of the findings of some checks; None where there is none."""
    found = [finding.verdict for finding in audit.findings if finding.check in checks]
    return worst(found) if found else None


def _count(expected: float) -> Text:
    return Written("< 0.01" if 0 < expected < 0.01 else f"{expected:,.2f}")


def _chance(figure: Text) -> Text:
    """Say what chance gives."""
    return text("chance {figure}", figure=figure)


TITLE = "Row leakage"
QUESTION = "Is a participant still in the scrambled table?"
LIMITS = (
    "The second look does not undo changes that differ from row to row, decreasing scales, and words merged.",
    "Where the original holds a person several times, few near copies stand out without a hold-out.",
    "Distances to the closest record alone can miss leaks: a few copied rows hardly move a median.",
    "With few rows, or few columns of few values, only a large excess can be told from chance.",
    "Near copies are looked for among up to 1,000 scrambled rows: few persons of very many may be missed.",
    "Nothing here calls a table anonymous.",
)
DISTANCES_NOTE = "Gower's distance, 0 (the same) to 1. Such distances alone can miss leaks."
ATTACKS_NOTE = (
    "Success with its 95 % interval (Wilson); naive guesses do not look; risk is (success − hold-out) / "
    "(1 − hold-out). Giomi et al. 2023, closeness by likeness in bits."
)


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


def leakage_report(audit: LeakageAudit, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report: figures, findings, tables of counts and charts; no cell values."""
    inputs = placed(inputs)
    return Report(
        tool="leakage",
        title=TITLE,
        question=QUESTION,
        verdict=audit.verdict,
        headline=audit.headline,
        inputs=inputs,
        settings=_settings(audit),
        figures=(
            *row_figures(audit),
            *moved_figures(audit),
            *found_figures(audit),
            *attack_figures(audit),
            *nearest_figures(audit),
            *further_figures(audit),
        ),
        findings=audit.findings,
        tables=_tables(audit.measures),
        charts=tuple(leakage_charts(audit.measures).values()),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        result=leakage_document(audit),
        seeds={"seed": audit.measures.settings.seed},
        arguments=(leakage_arguments(audit, [facts.path for facts in inputs]),),
    )


def rows_report(audit: RowsInEngine, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report of the row rules of two tables in an engine; it is not repeated from files."""
    worst_of = {
        "full_leakage_share": [each.verdict for each in audit.findings if each.check == "full_leakage"]
    }
    gravest = next(each for each in audit.findings if each.verdict is audit.verdict)
    return Report(
        tool="leakage",
        title=TITLE,
        question=QUESTION,
        verdict=audit.verdict,
        headline=gravest.message,
        inputs=placed(inputs),
        settings=report_lines(audit.settings, audit.thresholds),
        figures=tuple(
            Figure(key, getattr(audit.rows, key), verdict=worst(worst_of[key]) if key in worst_of else None)
            for key in USUAL_FIGURES
        ),
        findings=audit.findings,
        tables=(),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        result=rows_document(audit),
    )


def _settings(audit: LeakageAudit) -> dict[str, object]:
    measures, orders = audit.measures, audit.measures.random_orders
    told = described(LeakageSettings)
    return {
        **report_lines(measures.settings, audit.thresholds),
        told["ignore_columns"].label: list(measures.ignored_columns),
        told["n_permutations"].label: None if orders is None else orders.n_permutations,
        "Nearest rows": nearest_note(measures),
    }


def _tables(measures: LeakageMeasures) -> tuple[ReportTable, ...]:
    return (
        ReportTable(
            "columns",
            "Columns",
            columns_table(measures),
            note="Shares are over all rows compared; z is the excess in standard deviations of chance.",
        ),
        ReportTable(
            "worst rows",
            "Rows that share most with their original",
            worst_rows_table(measures),
            note=text("The first {most}; row numbers count from 1, without the header.", most=N_WORST_ROWS),
        ),
        ReportTable(
            "distances", "Distance to the closest record", distances_table(measures), note=DISTANCES_NOTE
        ),
        ReportTable("attacks", "Attacks", attacks_table(measures), note=ATTACKS_NOTE),
    )
