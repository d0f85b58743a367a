"""The report of the event-log anonymizer, and the sentences its page shares with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from core.events import AnonymizedEvents, EventAudit, Outcome
from core.events.judging import KNOWN_EVENTS_JUDGED, NUMBER_SHARE_TO_FAIL, TRACE_SHARE_TO_WARN
from core.events.settings import REMOVE_EVENTS, EventSettings
from core.events.trace_risk import KNOWN_EVENTS
from core.events.views.charts import (
    class_loss_chart,
    cross_chart,
    curve_chart,
    group_chart,
    stage_chart,
    trace_chart,
)
from core.events.views.tables import (
    class_loss_table,
    comparison_table,
    cross_table_after,
    cross_table_before,
    diversity_table,
    row_table,
    stage_table,
    step_table,
    trace_table,
    unmapped_table,
)
from core.measures import events as measures
from core.measures.measure import format_number
from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions
from core.settings_form import described, report_lines
from core.verdict import Verdict, worst, worst_first
from core.words import percent

TITLE = "Event-log anonymizer"
QUESTION = (
    "Which export of an event log shows every combination for at least k users, at what loss, and what does "
    "k not cover?"
)
_WHAT_K_DOES_NOT_COVER = """
k covers single combinations. A pseudonym links a user's events, and several of them together, their number or
their order can be unique although each is shared: that is what the figures of traces, counts and order say.

Whether two identifiers are one person is judged by their spelling and by other columns of the log; nicknames,
second accounts and shared devices are not seen. Names inside released event values are found where the log
has them as users or in a column of its own.

Linking with other data: whoever holds another log of the same people may match them by more than the columns
released here.

Inference: everyone in a combination may have the same attribute (look at l-diversity), and knowing that
somebody is in the log may already tell something.

Uneven data: a few users with most of the events dominate every combination. Raise k, flatten another column,
or merge event classes.

An export like this needs a legal basis; k users per combination do not replace it, and nothing here calls the
log anonymous.
"""
LIMITS = tuple(" ".join(limit.split()) for limit in _WHAT_K_DOES_NOT_COVER.split("\n\n"))
MEASURE_KEYS = tuple(measure.key for measure in measures.MEASURES)
CROSSINGS = (
    ("week_number", "time_period", "Week", "Time period"),
    ("weekday", "generalized_event", "Weekday", "Event class"),
)
_SHARE_COLUMNS = ("Information lost", "Share of users", "Share of events kept", "Share before", "Share after")


def headline(audit: EventAudit) -> str:
    """Return the sentence that explains the verdicts: k, and what two known events still do."""
    counted, k = audit.release.verification, audit.anonymized.rule.k
    if not counted.n_events:
        return f"Nothing is left to release with k = {k}."
    share = audit.traces_after.singled_out(KNOWN_EVENTS_JUDGED)
    reached = f"k = {k} is {'' if counted.k_reached else 'not '}reached in every exported combination"
    risk = percent(share)
    reason = _gravest_reason(audit)
    if reason is not None:
        return f"{reached}, yet {reason}."
    if audit.trace_verdict is Verdict.PASS:
        return f"{reached}; two known events can single out {risk} of users."
    return f"{reached}, yet two known events can single out {risk} of users."


_REASONS = {
    "mapping": "what happened is not assessed: the event mapping does not tell the events apart",
    "users_near_equal": "user identifiers that differ in spelling only may be one person",
    "users_column": "several users may be one person",
    "people_in_values": "released values name people",
    "identifiers_in_values": "released values look like identifiers of people",
    "dates_in_values": "released values hold dates",
    "user_ids_kept": "it holds the original user identifiers",
    "row_numbers": "the number of rows alone singles out {number} of users",
    "row_multisets": "all rows of a user together single out {multiset} of users",
    "row_sequences": "the order of events singles out {sequence} of users",
}


def _gravest_reason(audit: EventAudit) -> str | None:
    """Return why the verdict is worse than what k and the traces say, in a clause; None where it is not."""
    known = worst([audit.verdict, audit.trace_verdict])
    worse = [finding for finding in audit.findings if finding.verdict.severity > known.severity]
    reasons = [finding for finding in worst_first(worse) if finding.check in _REASONS]
    if not reasons or (reasons[0].check in _ROWS and audit.trace_verdict is not Verdict.PASS):
        return None
    rows = audit.rows
    shares = {
        "number": rows.share(rows.n_alone_by_number),
        "multiset": rows.share(rows.n_unique_multiset),
        "sequence": rows.share(rows.n_unique_sequence),
    }
    texts = {name: percent(share) for name, share in shares.items()}
    return _REASONS[reasons[0].check].format(**texts)


_ROWS = ("row_multisets", "row_sequences")  # a milder way to say what known events say already


def kept_figures(anonymized: AnonymizedEvents) -> tuple[Figure, ...]:
    """Return what is kept and what it cost; known before the export is written."""
    reduced = anonymized.reduced
    return (
        Figure("users_after", reduced.n_users),
        Figure("events_after", reduced.n_events),
        Figure("events_flattened_kept", reduced.n_events_flattened),
        Figure("penalty_share", reduced.penalty_share),
    )


def risk_figures(audit: EventAudit) -> tuple[Figure, ...]:
    """Return k as counted from the export, trace risk, and diversity where it was asked for."""
    rule, share = audit.anonymized.rule, audit.traces_after.singled_out(KNOWN_EVENTS_JUDGED)
    return (
        Figure(
            "smallest_combination",
            audit.release.verification.smallest,
            threshold=f"at least {rule.k}",
            verdict=audit.verdict,
        ),
        Figure(
            "trace_unique_share",
            share,
            of="two known events",
            threshold=_trace_threshold(audit, rule.max_trace_unique_share),
            verdict=audit.trace_verdict,
        ),
        *_row_figures(audit),
        Figure("whole_trace_unique_share", audit.traces_after.whole_trace),
        *_diversity_figures(audit),
    )


def _row_figures(audit: EventAudit) -> tuple[Figure, ...]:
    rows, limit = audit.rows, percent(audit.anonymized.rule.max_rows_unique_share)
    verdicts = {finding.check: finding.verdict for finding in audit.findings}
    figures = (
        Figure(
            "number_unique_share",
            rows.share(rows.n_alone_by_number),
            threshold=f"at most {format_number('share', NUMBER_SHARE_TO_FAIL)}",
            verdict=verdicts.get("row_numbers"),
        ),
        Figure(
            "multiset_unique_share",
            rows.share(rows.n_unique_multiset),
            threshold=f"at most {limit}",
            verdict=verdicts.get("row_multisets"),
        ),
    )
    if rows.n_unique_sequence is None:
        return figures
    sequence = Figure(
        "sequence_unique_share",
        rows.share(rows.n_unique_sequence),
        threshold=f"at most {limit}",
        verdict=verdicts.get("row_sequences"),
    )
    return (*figures, sequence)


def figures(audit: EventAudit) -> tuple[Figure, ...]:
    """Return all figures of an audit."""
    measured, reduced = audit.measured, audit.anonymized.reduced
    return (
        *kept_figures(audit.anonymized),
        *risk_figures(audit),
        Figure("number_below_k_share", audit.rows.share(audit.rows.n_below_k_by_number)),
        Figure("events_capped", reduced.n_events_capped),
        Figure("whole_log_penalty_share", audit.whole_log_penalty_share),
        Figure("cells_generalized", reduced.n_cells_generalized),
        Figure("users_total", measured.log.n_users),
        Figure("users_after_cleanup", measured.n_users_after_cleanup),
        Figure("events_total", measured.log.n_events_in_file),
        Figure("events_after_cleanup", measured.n_events_after_cleanup),
    )


def _trace_threshold(audit: EventAudit, limit: float | None) -> str:
    """Return what trace risk is held against; without a limit set, that is the share of four known events."""
    if limit is not None:
        return f"at most {format_number('share', limit)}"
    four = percent(audit.traces_after.singled_out(KNOWN_EVENTS[-1]))
    return f"four: {four}, at most {format_number('share', TRACE_SHARE_TO_WARN)}"


def _diversity_figures(audit: EventAudit) -> tuple[Figure, ...]:
    diversity = audit.diversity
    if diversity is None:
        return ()
    of = diversity.attribute
    return (
        Figure("uniform_combinations", diversity.n_uniform, of=of),
        Figure("combination_distinct_l", diversity.distinct_l, of=of),
        Figure("combination_entropy_l", diversity.entropy_l, of=of),
        Figure("combination_t", diversity.t, of=of),
    )


def events_report(
    audit: EventAudit, *, inputs: Sequence[InputFacts], outcomes: Sequence[Outcome], created_at: datetime
) -> Report:
    """Return the report: counts, settings, whether k is reached, loss, and trace risk; no user.

    Parameters
    ----------
    audit
        The result.
    inputs
        The log, and the mapping if one was read.
    outcomes
        Other ways of anonymizing: for the chosen k, or for all k of the curve.
    created_at
        UTC.
    """
    return Report(
        tool="events",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=tuple(inputs),
        settings=_settings(audit),
        figures=figures(audit),
        findings=audit.findings,
        tables=_tables(audit, outcomes),
        charts=_charts(audit, outcomes),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts=verdict_parts(audit),
    )


def verdict_parts(audit: EventAudit) -> dict[str, Verdict]:
    """Return the verdicts that stand beside the overall one, by name."""
    return {
        "Published rule (k)": audit.verdict,
        "Traces": audit.trace_verdict,
        "Counts and order": audit.rows_verdict,
    }


def _settings(audit: EventAudit) -> dict[str, object]:
    settings, anonymized = audit.measured.log.settings, audit.anonymized
    told = described(EventSettings)
    return {
        **report_lines(anonymized.rule, audit.release.options, settings),
        told["flatten_steps"].label: list(anonymized.stages.steps),
        told["time_format"].label: audit.measured.log.time_format,
        "Flattening": anonymized.flattening,
        "Columns found by their values, not confirmed": list(settings.found_columns),
    }


def _tables(audit: EventAudit, outcomes: Sequence[Outcome]) -> tuple[ReportTable, ...]:
    anonymized, k = audit.anonymized, audit.anonymized.rule.k
    chosen = [outcome for outcome in outcomes if outcome.k == k]
    frames = {
        "stages": ("From the log to the export", stage_table(anonymized)),
        "classes": ("Loss per event class", class_loss_table(anonymized)),
        "steps": ("Loss after each flatten step", step_table(anonymized)),
        "strategies": (f"Ways to reach k = {k}", comparison_table(chosen, audit.measured)),
        "traces": ("What known events tell", trace_table(audit.traces_before, audit.traces_after)),
        "rows": ("What counts and order tell", row_table(audit)),
    }
    if audit.diversity is not None:
        frames["diversity"] = ("Diversity within combinations", diversity_table(audit.diversity))
    if audit.measured.log.unmapped:
        frames["unmapped"] = ("Events without a class", unmapped_table(audit.measured))
    return tuple(
        ReportTable(
            name,
            title,
            frame,
            units={
                column: "share"
                for column in frame.columns
                if column in _SHARE_COLUMNS or column.startswith("After, ")
            },
        )
        for name, (title, frame) in frames.items()
    )


def _charts(audit: EventAudit, outcomes: Sequence[Outcome]) -> tuple[ReportChart, ...]:
    anonymized = audit.anonymized
    charts = [stage_figure(audit), *group_figures(audit), loss_figure(audit), trace_figure(audit)]
    charts += [figure for crossing in CROSSINGS for figure in cross_figures(audit, *crossing)]
    if len({outcome.k for outcome in outcomes}) > 1:
        charts.append(curve_figure(audit, outcomes, k=anonymized.rule.k))
    return tuple(charts)


def stage_figure(audit: EventAudit) -> ReportChart:
    """Return the chart from the log to the export."""
    return ReportChart(
        "From the log to the export",
        stage_chart(audit.anonymized),
        "Bars of events in the log, after cleanup, kept as they are, kept flattened and removed",
    )


def group_figures(audit: EventAudit, *, log: bool = False) -> list[ReportChart]:
    """Return the histograms of events by users sharing their combination, before and after."""
    drawn = (
        ("before", True, "Users sharing each combination, after cleanup and before flattening"),
        ("after", False, "Users sharing each combination, as exported"),
    )
    charts = [
        (when, title, group_chart(audit.anonymized, before=before, log=log)) for when, before, title in drawn
    ]
    return [
        ReportChart(
            title, chart, f"Events by the number of users that share their combination, {when} anonymization"
        )
        for when, title, chart in charts
        if chart is not None
    ]


def loss_figure(audit: EventAudit) -> ReportChart:
    """Return the chart of loss per event class."""
    return ReportChart(
        "Loss per event class",
        class_loss_chart(audit.anonymized),
        "Events of each class left out, kept as they are, kept flattened and removed",
    )


def trace_figure(audit: EventAudit) -> ReportChart:
    """Return the chart of trace risk."""
    return ReportChart(
        "Users that known events can single out",
        trace_chart(audit.traces_before, audit.traces_after),
        "Share of users singled out by one to four known events, before and after anonymization",
    )


def cross_figures(audit: EventAudit, x: str, y: str, x_title: str, y_title: str) -> list[ReportChart]:
    """Return the heat maps of two columns before and after; after only where both are released."""
    tables = (
        ("after cleanup", cross_table_before(audit.measured, x, y)),
        ("as exported", cross_table_after(audit.anonymized, x, y)),
    )
    charts = [
        (when, cross_chart(table, x_title=x_title, y_title=y_title))
        for when, table in tables
        if table is not None
    ]
    return [
        ReportChart(
            f"Events by {x_title.lower()} and {y_title.lower()}, {when}",
            chart,
            f"Heat map of events by {x_title.lower()} and {y_title.lower()}, {when}",
        )
        for when, chart in charts
        if chart is not None
    ]


def curve_figure(audit: EventAudit, outcomes: Sequence[Outcome], *, k: int) -> ReportChart:
    """Return the chart of events kept over k."""
    n_events = audit.measured.n_events_after_cleanup
    return ReportChart(
        "Events kept for every k",
        curve_chart(outcomes, n_events=n_events, k=k),
        f"Share of events kept over k from 2 to 50 for four ways of anonymizing; k = {k} is marked",
    )


def recommended_way(outcomes: Sequence[Outcome]) -> str:
    """Return which way keeps most events for the chosen k, in a sentence."""
    best = max(outcomes, key=lambda outcome: (outcome.n_events, -outcome.penalty_share))
    strategy = "events" if best.strategy == REMOVE_EVENTS else "users"
    return (
        f"For k = {best.k}, {best.flattening} flattening and removal of {strategy} keeps most: "
        f"{best.n_events:,} events of {best.n_users:,} users."
    )
