"""The report of the event-log anonymizer, and the sentences its page shares with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.events import EventAudit, Outcome
from core.events.document import event_figures, events_arguments, events_document
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
from core.events.views.proof import event_proof
from core.events.views.tables import (
    class_loss_table,
    comparison_table,
    cross_table_after,
    cross_table_before,
    diversity_table,
    flattened_by_step,
    row_table,
    stage_table,
    step_table,
    trace_table,
    unmapped_table,
)
from core.measures import events as measures
from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions, placed
from core.reports.proof import Tried, figure_tried, tried_tables
from core.settings_form import described, report_lines, reported
from core.verdict import Verdict, worst_first
from core.words import Text, counted, joined, own, part_of, percent, text

TITLE = "Event-log anonymizer"
QUESTION = (
    "Which export of an event log shows every combination for at least k users, at what loss, and what does "
    "k not cover?"
)
LIMITS = (
    (
        "k covers single combinations. A pseudonym links a user's events, and several of them together, "
        "their number or their order can be unique although each is shared: that is what the figures of "
        "traces, counts and order say."
    ),
    (
        "Whether two identifiers are one person is judged by their spelling and by other columns of the "
        "log; nicknames, second accounts and shared devices are not seen. Names inside released event "
        "values are found where the log has them as users or in a column of its own."
    ),
    (
        "Linking with other data: whoever holds another log of the same people may match them by more than "
        "the columns released here."
    ),
    (
        "Inference: everyone in a combination may have the same attribute (look at ℓ-diversity), and "
        "knowing that somebody is in the log may already tell something."
    ),
    (
        "Uneven data: a few users with most of the events dominate every combination. Raise k, flatten "
        "another column, or merge event classes."
    ),
    (
        "An export like this needs a legal basis; k users per combination do not replace it, and nothing "
        "here calls the log anonymous."
    ),
)
MEASURE_KEYS = tuple(measure.key for measure in measures.MEASURES)


@dataclass(frozen=True)
class Crossing:
    """Two columns whose values are drawn against each other, and what is said of it."""

    x: str
    y: str
    x_title: str
    y_title: str
    before: str
    after: str
    not_exported: str


CROSSINGS = (
    Crossing(
        "week_number",
        "time_period",
        "Week",
        "Time period",
        "Events by week and time period, after cleanup",
        "Events by week and time period, as exported",
        "Week and time period are not both in the export.",
    ),
    Crossing(
        "weekday",
        "generalized_event",
        "Weekday",
        "Event class",
        "Events by weekday and event class, after cleanup",
        "Events by weekday and event class, as exported",
        "Weekday and event class are not both in the export.",
    ),
)


def headline(audit: EventAudit) -> Text:
    """Return the sentence that explains the verdicts: k, and what two known events still do."""
    made, k = audit.release.verification, audit.anonymized.rule.k
    if not made.n_events:
        return text("Nothing is left to release with k = {k}.", k=k)
    known, n_users = event_figures(audit), audit.traces_after.n_users
    whole, number, multiset, sequence = (
        part_of(known[f"{key}_unique_share"], n_users, "users")
        for key in ("whole_trace", "number", "multiset", "sequence")
    )
    reason = _REASONS.get(told_in_headline(audit)) or _known_events_reason(audit)
    said = text(
        reason,
        k=k,
        risk=part_of(audit.traces_after.singled_out(KNOWN_EVENTS_JUDGED), _n_counted(audit), "users"),
        whole=whole,
        number=number,
        multiset=multiset,
        sequence=sequence,
    )
    if "{k}" in reason:
        return said
    return joined([said, text("k = {k} is reached in every exported combination.", k=k)])


def _n_counted(audit: EventAudit) -> int | None:
    """Return the users of whom known events were looked at, None where that was a sample."""
    share = audit.traces_after.known(KNOWN_EVENTS_JUDGED).singled_out
    return audit.traces_after.n_users if share is not None and share.is_exact else None


# Said only where k is reached: else nothing is worse. Two known events have sentences of their own.
_REASONS = {
    "mapping": "What happened is not assessed: the event mapping does not tell the events apart.",
    "users_near_equal": "User identifiers that differ in spelling only may be one person.",
    "users_column": "Several users may be one person.",
    "people_in_values": "Released values name people.",
    "identifiers_in_values": "Released values look like identifiers of people.",
    "dates_in_values": "Released values hold dates.",
    "user_ids_kept": "The export holds the original user identifiers.",
    "row_numbers": "The number of rows alone singles out {number}.",
    "whole_trace": "The whole trace of {whole} is nobody else's.",
    "row_multisets": "All rows of a user together single out {multiset}.",
    "row_sequences": "The order of events singles out {sequence}.",
}


def _known_events_reason(audit: EventAudit) -> str:
    if not audit.release.verification.k_reached:
        return (
            "k = {k} is not reached in every exported combination, and two known events can single out "
            "{risk}."
        )
    if audit.trace_verdict is Verdict.PASS:
        return "k = {k} is reached in every exported combination; two known events can single out {risk}."
    return "Two known events can single out {risk}."


def told_in_headline(audit: EventAudit) -> str:
    """Return the check of the gravest finding, which the headline names; empty where all is well."""
    if not audit.release.verification.k_reached:
        return "k_anonymity"
    if audit.overall is Verdict.PASS:
        return ""
    told = [each for each in audit.findings if each.check in (*_REASONS, "trace_risk")]
    grave = [each.check for each in worst_first(told) if each.verdict is audit.overall]
    if grave and grave[0] in _LINKED:  # one harm, however it is found: what singles out most comes first
        return next(each.check for each in told if each.check in _LINKED and each.verdict is audit.overall)
    return grave[0] if grave else ""


_LINKED = ("row_numbers", "row_multisets", "row_sequences", "trace_risk", "whole_trace")


def way_of_events(audit: EventAudit) -> Text:
    """Return how many events go the way from the log to the export, and how many each step takes."""
    measured, reduced = audit.measured, audit.anonymized.reduced
    n_cleaned, n_flattened = measured.n_events_after_cleanup, reduced.n_events_flattened
    steps = flattened_by_step(audit.anonymized)
    return text(
        "{n} event in the log → {cleaned} after cleanup → {kept} kept as they are, {flattened} made coarser"
        "{steps} → {removed} removed → {released} released.",
        "{n} events in the log → {cleaned} after cleanup → {kept} kept as they are, {flattened} made coarser"
        "{steps} → {removed} removed → {released} released.",
        n=measured.log.n_events_in_file,
        cleaned=n_cleaned,
        kept=reduced.n_events - n_flattened,
        flattened=n_flattened,
        steps=text(" ({steps})", steps=joined(steps, ", ")) if steps else "",
        removed=n_cleaned - reduced.n_events,
        released=reduced.n_events,
    )


_FIRST = ("smallest_combination", "events_after", "trace_unique_share")
_FIGURES_TOLD = {
    "whole_trace": "whole_trace_unique_share",
    "row_multisets": "multiset_unique_share",
    "row_sequences": "sequence_unique_share",
}


def page_figures(audit: EventAudit) -> tuple[Figure, ...]:
    """Return what is kept and what can be found out: four by which a release is chosen, with the gravest."""
    first = (*_FIRST, _FIGURES_TOLD.get(told_in_headline(audit), "number_unique_share"))
    known = event_figures(audit)
    whole_log = Figure("whole_log_penalty_share", known["whole_log_penalty_share"])
    found = (*risk_figures(audit), *_kept_figures(known), whole_log)
    return tuple(sorted(found, key=lambda each: (*first, each.measure).index(each.measure)))


def risk_figures(audit: EventAudit) -> tuple[Figure, ...]:
    """Return k as counted from the export, trace risk, and diversity where it was asked for."""
    rule, share = audit.anonymized.rule, audit.traces_after.singled_out(KNOWN_EVENTS_JUDGED)
    known = event_figures(audit)
    return (
        Figure(
            "smallest_combination",
            known["smallest_combination"],
            threshold=text("at least {k}", k=rule.k),
            verdict=audit.verdict,
        ),
        Figure(
            "trace_unique_share",
            share,
            of="two known events",
            total=_n_counted(audit),
            threshold=_trace_threshold(audit, rule.max_trace_unique_share),
            verdict=audit.trace_verdict,
        ),
        *_row_figures(audit, known),
        Figure(
            "whole_trace_unique_share",
            known["whole_trace_unique_share"],
            total=audit.traces_after.n_users,
            threshold=_at_most(rule.max_whole_trace_share),
            verdict=audit.whole_trace_verdict,
        ),
        *_diversity_figures(audit),
    )


def _row_figures(audit: EventAudit, known: Mapping[str, float | None]) -> Iterator[Figure]:
    """Yield what the rows of a user tell; their order only where the export has one."""
    limit = audit.anonymized.rule.max_rows_unique_share
    verdicts = {finding.check: finding.verdict for finding in audit.findings}
    judged = (
        ("number_unique_share", NUMBER_SHARE_TO_FAIL, "row_numbers"),
        ("multiset_unique_share", limit, "row_multisets"),
        ("sequence_unique_share", limit, "row_sequences"),
    )
    for key, most, check in judged:
        if key != "sequence_unique_share" or known[key] is not None:
            yield Figure(
                key,
                known[key],
                threshold=_at_most(most),
                verdict=verdicts.get(check),
                total=audit.rows.n_users,
            )


def _kept_figures(known: Mapping[str, float | None]) -> Iterator[Figure]:
    """Yield what is kept and what it cost."""
    for key in ("users_after", "events_after", "events_flattened_kept"):
        yield Figure(key, known[key])
    yield Figure("penalty_share", known["penalty_share"], of="from cleanup to the export")


_FURTHER = (
    "number_below_k_share",
    "events_capped",
    "whole_log_penalty_share",
    "cells_generalized",
    "users_total",
    "users_after_cleanup",
    "events_total",
    "events_after_cleanup",
)


def figures(audit: EventAudit) -> tuple[Figure, ...]:
    """Return all figures of an audit."""
    known = event_figures(audit)
    further = (Figure(key, known[key]) for key in _FURTHER)
    return (*_kept_figures(known), *risk_figures(audit), *further)


def _at_most(share: float) -> Text:
    return text("at most {limit}", limit=percent(share))


def _trace_threshold(audit: EventAudit, limit: float | None) -> Text:
    """Return what trace risk is held against; without a limit set, that is the share of four known events."""
    if limit is not None:
        return _at_most(limit)
    four = percent(audit.traces_after.singled_out(KNOWN_EVENTS[-1]))
    return text("four: {four}, at most {limit}", four=four, limit=percent(TRACE_SHARE_TO_WARN))


def _diversity_figures(audit: EventAudit) -> tuple[Figure, ...]:
    diversity = audit.diversity
    if diversity is None:
        return ()
    of = text("{column}", column=diversity.attribute)
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

    `inputs` are the log, and the mapping if one was read; `outcomes` other ways of anonymizing, for the
    chosen k or for all k of the curve; `created_at` is in UTC.
    """
    inputs = placed(inputs)
    return Report(
        tool="events",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=inputs,
        settings=_settings(audit),
        figures=figures(audit),
        findings=audit.findings,
        tables=_tables(audit, outcomes),
        charts=_charts(audit, outcomes),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        result=events_document(audit),
        seeds={"pseudonym_seed": None if audit.release.options.pseudonym_seed is None else "given"},
        arguments=(events_arguments(audit, inputs[0].path if inputs else "LOG.csv"),),
        verdicts={
            "Published rule (k)": audit.verdict,
            "Traces": audit.trace_verdict,
            "Whole traces": audit.whole_trace_verdict,
            "Counts and order": audit.rows_verdict,
        },
    )


def _settings(audit: EventAudit) -> dict[str, object]:
    settings, anonymized = audit.measured.log.settings, audit.anonymized
    told = described(EventSettings)
    return {
        **report_lines(anonymized.rule, audit.release.options, settings),
        told["flatten_steps"].label: list(anonymized.stages.steps),
        told["time_format"].label: reported(told["time_format"], audit.measured.log.time_format),
        "Flattening": own(anonymized.flattening),
        "Columns found by their values, not confirmed": list(settings.found_columns),
    }


def _tables(audit: EventAudit, outcomes: Sequence[Outcome]) -> tuple[ReportTable, ...]:
    anonymized, k = audit.anonymized, audit.anonymized.rule.k
    chosen = [outcome for outcome in outcomes if outcome.k == k]
    ways = text("Ways to reach k = {k}", k=k)
    made = [
        ("stages", "From the log to the export", stage_table(anonymized)),
        ("classes", "Loss per event class", class_loss_table(anonymized)),
        ("steps", "Loss after each flatten step", step_table(anonymized)),
        ("strategies", ways, comparison_table(chosen, audit.measured)),
        ("traces", "What known events tell", trace_table(audit.traces_before, audit.traces_after)),
        ("rows", "What counts and order tell", row_table(audit)),
    ]
    if audit.diversity is not None:
        diversity = diversity_table(audit.diversity)
        made.append(("diversity", "Diversity within combinations", diversity))
    if audit.measured.log.unmapped:
        unmapped = unmapped_table(audit.measured)
        made.append(("unmapped", "Events without a class", unmapped))
    tables = (ReportTable(name, title, frame) for name, title, frame in made)
    return (*tables, *(event_proof(audit) or tried_tables(_tried(audit))))


def _tried(audit: EventAudit) -> Iterator[Tried]:
    """Yield what was tried to tell users apart in the export, and how far."""
    users = counted(audit.traces_after.n_users, "user")
    for figure in risk_figures(audit):
        is_known = figure.measure == "trace_unique_share" and figure.value is not None
        is_sample = is_known and _n_counted(audit) is None
        message = "{users}, estimated from a sample" if is_sample else "{users}"
        yield figure_tried(figure, text(message, users=users))


def _charts(audit: EventAudit, outcomes: Sequence[Outcome]) -> tuple[ReportChart, ...]:
    anonymized = audit.anonymized
    charts = [stage_figure(audit), *group_figures(audit), loss_figure(audit), trace_figure(audit)]
    charts += [figure for crossing in CROSSINGS for figure in cross_figures(audit, crossing)]
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
        (
            True,
            "Users sharing each combination, after cleanup and before flattening",
            "Events by the number of users that share their combination, before anonymization",
        ),
        (
            False,
            "Users sharing each combination, as exported",
            "Events by the number of users that share their combination, after anonymization",
        ),
    )
    charts = [
        (title, group_chart(audit.anonymized, before=before, log=log), alt_text)
        for before, title, alt_text in drawn
    ]
    return [ReportChart(title, chart, alt_text) for title, chart, alt_text in charts if chart is not None]


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


def cross_figures(audit: EventAudit, crossing: Crossing) -> list[ReportChart]:
    """Return the heat maps of two columns before and after; after only where both are released."""
    x, y = crossing.x, crossing.y
    tables = (
        (crossing.before, cross_table_before(audit.measured, x, y)),
        (crossing.after, cross_table_after(audit.anonymized, x, y)),
    )
    charts = [
        (title, cross_chart(table, x_title=crossing.x_title, y_title=crossing.y_title))
        for title, table in tables
        if table is not None
    ]
    return [
        ReportChart(title, chart, text("Heat map: {title}", title=own(title)))
        for title, chart in charts
        if chart is not None
    ]


def curve_figure(audit: EventAudit, outcomes: Sequence[Outcome], *, k: int) -> ReportChart:
    """Return the chart of events kept over k."""
    n_events = audit.measured.n_events_after_cleanup
    return ReportChart(
        "Events kept for every k",
        curve_chart(outcomes, n_events=n_events, k=k),
        text("Share of events kept over k from 2 to 50 for four ways of anonymizing; k = {k} is marked", k=k),
    )


def recommended_way(outcomes: Sequence[Outcome]) -> Text:
    """Return which way keeps most events for the chosen k, in a sentence."""
    best = max(outcomes, key=lambda outcome: (outcome.n_events, -outcome.penalty_share))
    return text(
        "For k = {k}, {flattening} flattening and removal of events keeps most: {events} of {users}."
        if best.strategy == REMOVE_EVENTS
        else "For k = {k}, {flattening} flattening and removal of users keeps most: {events} of {users}.",
        k=best.k,
        flattening=own(best.flattening),
        events=counted(best.n_events, "event"),
        users=counted(best.n_users, "user"),
    )
