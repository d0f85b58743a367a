"""What the event-log anonymizer says: what is kept and at what loss, and what k does not cover."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from core.events.charts import (
    OUTCOMES,
    curve_drawing,
    group_drawings,
    heat_maps,
    loss_drawing,
    stage_drawing,
    trace_drawing,
)
from core.events.judging import (
    INFERRED_SHARE_TO_WARN,
    KNOWN_EVENTS_JUDGED,
    NUMBER_SHARE_TO_FAIL,
    TRACE_SHARE_TO_WARN,
    EventAudit,
)
from core.events.measuring import MULTI_LEVEL, AnonymizedEvents, Outcome
from core.events.release import shared_groups
from core.events.settings import ANY, AUTOMATIC, REMOVE_EVENTS, EventSettings, parse_step
from core.events.stages import NUMBERS, PUBLISHED
from core.events.suggestions import Suggestions
from core.events.tool import TOOL
from core.events.trace_risk import KNOWN_EVENTS, TraceRisk
from core.releases.result import releases_groups, releases_limits
from core.result import Col, Figure, Group, Result, Table, Where, verdict_of
from core.settings.form import described, report_lines, reported, settings_document
from core.verdict import Verdict, worst_first
from core.words import Text, counted, joined, own, part_of, percent, text

_STAGES = (Col("stage", "Stage", kind="words"), Col("users", "Users"), Col("events", "Events"))
_CLASSES = (
    Col("event_class", "Event class", kind="words"),
    Col("events", "Events"),
    *(Col(key, label) for key, label in OUTCOMES.items()),
)
_STEPS = (
    Col("after", "After", kind="words"),
    Col("below_k", "Events below k"),
    Col("at_k", "Events at k"),
    Col("lost", "Information lost", "share"),
)
_WAYS = (
    Col("flattening", "Flattening", kind="words"),
    Col("strategy", "Strategy", kind="words"),
    Col("users", "Users kept"),
    Col("events", "Events kept"),
    Col("kept_share", "Share of events kept", "share"),
    Col("flattened", "Events flattened"),
    Col("cells", "Cells made coarser"),
    Col("lost", "Information lost", "share"),
)
_TRACES = (
    Col("known", "Known events", kind="words"),
    Col("what", "They", kind="words"),
    Col("before", "Share before", "share"),
    Col("after", "Share after", "share"),
    Col("lower", "After, lower", "share"),
    Col("upper", "After, upper", "share"),
    Col("how", "How", kind="words"),
)
_ROWS = (
    Col("known", "What somebody knows", kind="words"),
    Col("users", "Users singled out"),
    Col("share", "Share of users", "share"),
    Col("how", "How", kind="words"),
)
_SUGGESTIONS = (
    Col("columns", "Contributing columns", get=lambda each: ", ".join(each.settings.columns)),
    Col("flatten", "Flatten column", get=attrgetter("settings.flatten")),
    Col(
        "steps",
        "Flatten steps",
        kind="words",
        get=lambda each: _steps_in_words(each.settings.flatten_steps),
    ),
    Col("events", "Events kept", get=attrgetter("n_events")),
    Col("users", "Users kept", get=attrgetter("n_users")),
    Col("lost", "Information lost", "share", get=attrgetter("lost_share")),
)
_SCOPES = (
    Col("scope", "New pseudonym per", kind="words"),
    Col("pseudonyms", "Pseudonyms"),
    Col("two", "Two known events can single out", "share"),
    Col("four", "Four known events can single out", "share"),
    Col("whole", "Whole trace unique", "share"),
)
_DIVERSITY = (
    Col("attribute", "Attribute"),
    Col("combinations", "Combinations", get=attrgetter("n_combinations")),
    Col("uniform_combinations", "With one value", get=attrgetter("n_uniform")),
    Col("dominated_combinations", "With nearly one value", get=attrgetter("n_dominated")),
    Col("distinct_l", "Smallest distinct ℓ"),
    Col("entropy_l", "Smallest entropy ℓ"),
    Col("t", "Largest t"),
)
_UNMAPPED = (Col("event", "Event", kind="words"), Col("events", "Events"))
_FIRST = ("smallest_combination", "events_after", "trace_unique_share")
_FIGURES_TOLD = {
    "whole_trace": "whole_trace_below_k_share",
    "row_multisets": "multiset_below_k_share",
    "row_sequences": "sequence_below_k_share",
    "known_event_tells": "event_tells_share",
    "known_time_tells": "time_tells_share",
}
_PREVIEW_ROWS = 50
_FEW_USERS = own("Several together, some of few users")


def events_result(audit: EventAudit, outcomes: Sequence[Outcome] = ()) -> Result:
    """Return all that the audit says; no user but in the preview on the page.

    `outcomes` are other ways of anonymizing, for the chosen k or for all k of the curve.
    """
    told = _FIGURES_TOLD.get(told_in_headline(audit), "number_unique_share")
    return Result(
        tool=TOOL.key,
        verdict=audit.overall,
        verdicts={
            "Published rule (k)": audit.verdict,
            "Traces": audit.trace_verdict,
            "Whole traces": audit.whole_trace_verdict,
            "Counts and order": audit.rows_verdict,
        },
        headline=_headline(audit),
        findings=audit.findings,
        first=(*_FIRST, told, *(each.measure for each in risk_figures(audit))),
        groups=tuple(_groups(audit, outcomes)),
        settings=_settings(audit),
        limits=releases_limits(audit.releases),
        asked=settings_document(audit.measured.log.settings, audit.anonymized.rule, audit.release.options),
        seeds={"pseudonym_seed": None if audit.release.options.pseudonym_seed is None else "given"},
    )


def _groups(audit: EventAudit, outcomes: Sequence[Outcome]) -> Iterator[Group]:
    anonymized, before, after = audit.anonymized, audit.traces_before, audit.traces_after
    stages, classes = _stage_rows(anonymized), class_rows(anonymized)
    shared = class_rows(anonymized, shared_by=anonymized.rule.k)
    title = "From the log to the export"
    stages_table = Table("stages", title, _STAGES, stages, where="report")
    classes_table = Table("classes", "Loss per event class", _CLASSES, shared, where="report")
    loss = (
        replace(loss_drawing(classes), where="page"),
        replace(loss_drawing(shared), where="report"),
    )
    yield Group("stages", title, (stage_drawing(stages), stages_table))
    yield from _figure_groups(audit)
    yield Group("combinations", "Combinations", tuple(group_drawings(anonymized)))
    yield Group("loss", "Loss", (*loss, classes_table))
    yield Group("steps", "Loss after each flatten step", (_steps_table(anonymized),))
    yield Group("strategies", "Strategies", (ways_table(audit, outcomes),))
    yield Group("traces", "Trace risk", (trace_drawing(before, after), _traces_table(before, after)))
    yield Group("rows", "What counts and order tell", (_rows_table(audit),))
    yield Group("heat_maps", "Heat maps", tuple(heat_maps(audit)))
    yield from releases_groups(audit.releases)
    several = len({each.k for each in outcomes}) > 1
    yield Group("curve", "Strategies", (curve_drawing(audit, outcomes),) if several else ())
    title = "Diversity within combinations"
    diversity = () if audit.diversity is None else (Table("diversity", title, _DIVERSITY, [audit.diversity]),)
    yield Group("diversity", title, diversity)
    wheres: tuple[Where, ...] = ("page", "report") if audit.measured.log.unmapped else ()
    yield Group(
        "unmapped",
        "Event mapping",
        tuple(_unmapped_table(anonymized, where) for where in wheres),
        empty="Every event of the log has a class.",
    )
    yield Group("preview", "Preview", (_preview_table(audit),), where="page")


def _figure_groups(audit: EventAudit) -> Iterator[Group]:
    """Yield what is kept and what it cost, what can be found out, and what a report holds beside."""
    known = event_figures(audit)

    def figures(*keys: str) -> tuple[Figure, ...]:
        return tuple(Figure(key, known[key]) for key in keys)

    lost = Figure("penalty_share", known["penalty_share"], of="from cleanup to the export")
    kept = (*figures("users_after", "events_after", "events_flattened_kept"), lost)
    log = ("cells_generalized", "users_total", "users_after_cleanup", "events_total", "events_after_cleanup")
    yield Group("kept", "From the log to the export", kept)
    yield Group("risk", "What was found", tuple(risk_figures(audit)))
    further = ("number_below_k_share", "users_standing_out", "events_capped", "combinations_after")
    told = tuple(_inferred_figures(audit))
    yield Group("further", "What was found", (*figures(*further), *told), where="report")
    if known["sequence_unique_share"] is None:
        order = figures("sequence_unique_share")
        yield Group("order", "What counts and order tell", order, where="report", is_detail=True)
    yield Group("whole_log", "Loss", figures("whole_log_penalty_share"))
    yield Group("log", "Event log", figures(*log), where="report")


def event_figures(audit: EventAudit) -> dict[str, float | None]:
    """Return the figures of an audit by measure: shares in [0, 1], None for not assessed."""
    measured, reduced, rows = audit.measured, audit.anonymized.reduced, audit.rows
    inferred = audit.inferred
    return {
        "users_total": measured.log.n_users,
        "users_after_cleanup": measured.n_users_after_cleanup,
        "users_after": reduced.n_users,
        "events_total": measured.log.n_events_in_file,
        "events_after_cleanup": measured.n_events_after_cleanup,
        "events_after": reduced.n_events,
        "events_flattened_kept": reduced.n_events_flattened,
        "events_capped": reduced.n_events_capped,
        "cells_generalized": reduced.n_cells_generalized,
        "penalty_share": reduced.penalty_share,
        "whole_log_penalty_share": audit.whole_log_penalty_share,
        "combinations_after": audit.release.verification.n_combinations,
        "smallest_combination": audit.release.verification.smallest,
        "number_unique_share": rows.share(rows.n_alone_by_number),
        "number_below_k_share": rows.share(rows.n_below_k_by_number),
        "users_standing_out": rows.n_standing_out,
        "multiset_unique_share": rows.share(rows.n_unique_multiset),
        "multiset_below_k_share": rows.share(rows.n_below_k_multiset),
        "sequence_unique_share": rows.share(rows.n_unique_sequence),
        "sequence_below_k_share": rows.share(rows.n_below_k_sequence),
        "event_tells_share": rows.share(inferred.n_by_event),
        "time_tells_share": rows.share(inferred.n_by_time),
        "whole_trace_unique_share": audit.traces_after.whole_trace,
        "whole_trace_below_k_share": audit.traces_after.whole_trace_below_k,
    }


def _headline(audit: EventAudit) -> Text:
    """Return the sentence that explains the verdicts: k, and what two known events still do."""
    made, k = audit.release.verification, audit.anonymized.rule.k
    if not made.n_events:
        return text("Nothing is left to release with k = {k}.", k=k)
    known, n_users = event_figures(audit), audit.traces_after.n_users
    whole, number, multiset, sequence, by_event, by_time = (
        part_of(known[key], n_users, "users")
        for key in (
            "whole_trace_below_k_share",
            "number_unique_share",
            "multiset_below_k_share",
            "sequence_below_k_share",
            "event_tells_share",
            "time_tells_share",
        )
    )
    told = told_in_headline(audit)
    reason = _REASONS.get(told) or (_OF_RELEASES if _is_of_releases(told) else _known_events_reason(audit))
    said = text(
        reason,
        k=k,
        risk=part_of(audit.traces_after.singled_out(KNOWN_EVENTS_JUDGED), _n_counted(audit), "users"),
        whole=whole,
        number=number,
        multiset=multiset,
        sequence=sequence,
        by_event=by_event,
        by_time=by_time,
        least=max(k, 2),
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
    **dict.fromkeys(
        ("users_column", "users_numbered", "users_domains", "users_together"),
        "Several users may be one person.",
    ),
    "users_tests": "k is not reached without accounts of tests.",
    "values_given_back": "Other rows of a pseudonym give coarser values back.",
    "group_tells": "A released value gives what happened to all of its users.",
    "group_all_but_few": "All but few users of a released value have a kind of event.",
    "dominated_counts": "One user has nearly all rows of a combination.",
    "other_people": "A released column numbers other people.",
    "yearly_number": "A number tells birthdays under a pseudonym.",
    "own_column_time": "A released column tells finer times than the time columns.",
    "own_column_order": "A released column counts a user's events.",
    "people_in_values": "Released values name people.",
    "identifiers_in_values": "Released values look like identifiers of people.",
    "dates_in_values": "Released values hold dates.",
    "user_ids_kept": "The export holds the original user identifiers.",
    "row_numbers": "The number of rows alone singles out {number}.",
    "whole_trace": "Each line looks like at least {k} users, but all of one user's lines are shared by fewer "
    "than {least} for {whole}.",
    "row_multisets": "All rows of a user together are shared by fewer than {least} for {multiset}.",
    "row_sequences": "The order of events is shared by fewer than {least} for {sequence}.",
    "known_event_tells": "One known event gives another for {by_event}.",
    "known_time_tells": "The time of an event gives what happened for {by_time}.",
}


_OF_RELEASES = "Whoever has an earlier export too learns more of users."


def _is_of_releases(check: str) -> bool:
    return "release" in check


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
    known = (*_REASONS, "trace_risk")
    told = [each for each in audit.findings if each.check in known or _is_of_releases(each.check)]
    grave = [each.check for each in worst_first(told) if each.verdict is audit.overall]
    if grave and grave[0] in _LINKED:  # one harm, however it is found: what singles out most comes first
        return next(each.check for each in told if each.check in _LINKED and each.verdict is audit.overall)
    return grave[0] if grave else ""


_LINKED = ("row_numbers", "row_multisets", "row_sequences", "trace_risk", "whole_trace")


def way_of_events(audit: EventAudit) -> Text:
    """Return how many events go the way from the log to the export, and how many each step takes."""
    measured, reduced = audit.measured, audit.anonymized.reduced
    n_cleaned, n_flattened = measured.n_events_after_cleanup, reduced.n_events_flattened
    n_as_they_are, n_removed = reduced.n_events - n_flattened, n_cleaned - reduced.n_events
    n_unclean = measured.log.n_events_in_file - n_cleaned
    parts = (
        (n_as_they_are, text("{n} kept as they are", n=n_as_they_are)),
        (n_flattened, _made_coarser(audit.anonymized, n_flattened)),
        (n_removed, text("{n} removed", n=n_removed)),
        (n_unclean, text("{n} cleaned away", n=n_unclean)),
    )
    return text(
        "Of {n} event in the log, {parts}.",
        "Of {n} events in the log, {parts}.",
        n=measured.log.n_events_in_file,
        parts=joined([part for n, part in parts if n] or [text("none is released")], ", "),
    )


def _made_coarser(anonymized: AnonymizedEvents, n: int) -> Text:
    """Return how many released events end at each flatten step, those at which none does left out."""
    stages = anonymized.stages
    n_events = np.bincount(
        stages.stage_of_group, anonymized.reduced.n_events_of_group, minlength=stages.n_stages
    )
    found = {
        step: int(found) for step, found in zip(stages.steps, n_events[1:].tolist(), strict=True) if found
    }
    columns = [column for column, level in map(parse_step, found) if level == ANY]
    if len(columns) == len(found) == 1:
        return text("{n} kept without {column}", n=n, column=f"`{columns[0]}`")
    told = [text("{step}: {found}", step=_step_in_words(step), found=each) for step, each in found.items()]
    return text("{n} made coarser ({steps})", n=n, steps=joined(told, ", "))


def risk_figures(audit: EventAudit) -> Iterator[Figure]:
    """Yield k as counted from the export, trace risk, what rows tell, and diversity where it was chosen."""
    known, rule, after = event_figures(audit), audit.anonymized.rule, audit.traces_after
    at_least = text("at least {k}", k=rule.k)
    yield Figure("smallest_combination", known["smallest_combination"], at_least, audit.verdict)
    yield Figure(
        "trace_unique_share",
        after.singled_out(KNOWN_EVENTS_JUDGED),
        _trace_threshold(audit, rule.max_trace_unique_share),
        audit.trace_verdict,
        of="two known events",
        total=_n_counted(audit),
    )
    for key, most, check in (
        ("number_unique_share", NUMBER_SHARE_TO_FAIL, "row_numbers"),
        ("multiset_below_k_share", rule.max_rows_unique_share, "row_multisets"),
        ("sequence_below_k_share", rule.max_rows_unique_share, "row_sequences"),
    ):
        if key != "sequence_below_k_share" or known[key] is not None:  # where the export tells an order
            judged = verdict_of(audit.findings, check)
            yield Figure(key, known[key], _at_most(most), judged, total=audit.rows.n_users)
    for key in ("multiset_unique_share", "sequence_unique_share"):
        if known[key] is not None:
            yield Figure(key, known[key], total=audit.rows.n_users)
    yield Figure("whole_trace_unique_share", known["whole_trace_unique_share"], total=after.n_users)
    yield Figure(
        "whole_trace_below_k_share",
        known["whole_trace_below_k_share"],
        _at_most(rule.max_whole_trace_share),
        audit.whole_trace_verdict,
        total=after.n_users,
    )
    if (diversity := audit.diversity) is not None:
        of = text("{column}", column=diversity.attribute)
        yield Figure("uniform_combinations", diversity.n_uniform, of=of)
        yield Figure("combination_distinct_l", diversity.distinct_l, of=of)
        yield Figure("combination_entropy_l", diversity.entropy_l, of=of)
        yield Figure("combination_t", diversity.t, of=of)


def _inferred_figures(audit: EventAudit) -> Iterator[Figure]:
    """Yield what one known event and a known time tell, against what chance gives."""
    known, inferred = event_figures(audit), audit.inferred
    for key, chance, check in (
        ("event_tells_share", inferred.chance_by_event, "known_event_tells"),
        ("time_tells_share", inferred.chance_by_time, "known_time_tells"),
    ):
        judged = verdict_of(audit.findings, check)
        at_most = _at_most(chance + INFERRED_SHARE_TO_WARN)
        yield Figure(key, known[key], at_most, judged, total=inferred.n_users)


def _at_most(share: float) -> Text:
    return text("at most {limit}", limit=percent(share))


def _trace_threshold(audit: EventAudit, limit: float | None) -> Text:
    """Return what trace risk is held against; without a limit set, that is the share of four known events."""
    if limit is not None:
        return _at_most(limit)
    four = percent(audit.traces_after.singled_out(KNOWN_EVENTS[-1]))
    return text("four: {four}, at most {limit}", four=four, limit=percent(TRACE_SHARE_TO_WARN))


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


def _stage_rows(anonymized: AnonymizedEvents) -> list[tuple[str, int, int]]:
    """Return users and events in total, after cleanup, kept as they are, kept flattened, and removed."""
    measured, stages, reduced = anonymized.measured, anonymized.stages, anonymized.reduced
    released, is_flattened = reduced.n_events_of_unit, reduced.flattened.stage_of_unit > 0
    parts = {
        "kept": np.where(is_flattened, 0, released),
        "flattened": np.where(is_flattened, released, 0),
        "removed": stages.n_events_of_unit - released,
    }
    return [
        ("In the log", measured.log.n_users, measured.log.n_events_in_file),
        ("After cleanup", measured.n_users_after_cleanup, measured.n_events_after_cleanup),
        *(
            (OUTCOMES[key], len(np.unique(stages.user_of_unit[events > 0])), int(events.sum()))
            for key, events in parts.items()
        ),
    ]


def class_rows(anonymized: AnonymizedEvents, shared_by: int = 1) -> list[tuple[Any, ...]]:
    """Return for each event class its events, and those left out, kept, kept flattened and removed.

    Classes with any of these of fewer than `shared_by` users are one row, without what few have even then.
    """
    log = anonymized.measured.log
    kept, flattened = anonymized.event_is_kept, anonymized.stage_of_event > 0
    outcome = np.zeros(log.n_events, dtype=np.int64)
    outcome[log.kept_after_cleanup] = np.where(kept, 1 + flattened, 3)
    of_class, n_users = shared_groups(log.class_of_event, outcome, log.user_of_event, shared_by)
    n_events = np.zeros_like(n_users)
    np.add.at(n_events, (of_class, outcome), 1)
    rows = []
    for place, (events, users) in enumerate(zip(n_events.tolist(), n_users.tolist(), strict=True)):
        cells = [None if 0 < of < shared_by else n for n, of in zip(events, users, strict=True)]
        cells += [0] * (len(OUTCOMES) - len(cells))
        name = _FEW_USERS if place == len(n_events) - 1 else text("{value}", value=log.classes[place])
        if any(events):
            rows.append((name, None if None in cells else sum(events), *cells))
    return sorted(rows, key=lambda row: (row[0] is _FEW_USERS, -(row[1] or 0), row[0]))


def _unmapped_table(anonymized: AnonymizedEvents, where: Where) -> Table:
    """Return the kinds of events without a class; in a report those of fewer than k users in one row."""
    log, k = anonymized.measured.log, anonymized.rule.k if where == "report" else 1
    names = sorted(log.unmapped, key=lambda name: (-log.unmapped[name], name))
    place = {name: n for n, name in enumerate(names)}
    code_of_event = np.array([place.get(name, -1) for name in log.events], dtype=np.int64)[log.event_of_event]
    asked = code_of_event >= 0
    codes, n_users = shared_groups(
        code_of_event[asked], np.zeros(int(asked.sum()), dtype=np.int64), log.user_of_event[asked], k
    )
    n_events = np.bincount(codes, minlength=len(n_users)).tolist()
    told = (text("{value}", value=name) for name in names)
    rows = [
        (name, None if 0 < users < k else n)
        for name, n, users in zip([*told, _FEW_USERS], n_events, n_users[:, 0].tolist(), strict=False)
        if n
    ]
    return Table("unmapped", "Events without a class", _UNMAPPED, rows, where=where)


def _steps_table(anonymized: AnonymizedEvents) -> Table:
    """Return what is below k and lost after each flatten step, if that were removed there."""
    flattened, n_events = anonymized.reduced.flattened, anonymized.measured.n_events_after_cleanup
    steps = ["As it is", *(_step_in_words(step) for step in anonymized.stages.steps)]
    rows: list[tuple[str, int, int, float]] = [
        (step, int(n_below), n_events - int(n_below), (float(penalty) + int(n_below)) / n_events)
        for step, n_below, penalty in zip(
            steps, flattened.n_below_after_step, flattened.penalty_after_step, strict=True
        )
    ]
    if flattened.n_events_raised:
        n_raised = flattened.n_events_raised
        raised = text("Raise {n} settled event", "Raise {n} settled events", n=n_raised)
        rows.append((raised, *_after_raising(anonymized)))
    rows.append((own("Removal"), 0, anonymized.reduced.n_events, anonymized.reduced.penalty_share))
    if anonymized.flattening == MULTI_LEVEL:
        single = anonymized.single_level
        rows.append(("Single-level flattening and removal instead", 0, single.n_events, single.penalty_share))
    return Table("steps", "Loss after each flatten step", _STEPS, rows)


def _after_raising(anonymized: AnonymizedEvents) -> tuple[int, int, float]:
    """Return what stands below k once settled combinations were raised, and the penalty then."""
    stages, reduced = anonymized.stages, anonymized.reduced
    groups = reduced.flattened.group_of_unit
    reaches = reduced.n_users_before[groups] >= reduced.k
    n_events = stages.n_events_of_unit
    n_below, total = int(n_events[~reaches].sum()), int(n_events.sum())
    penalty = float(stages.loss_of_group[groups[reaches]] @ n_events[reaches])
    return n_below, total - n_below, (penalty + n_below) / total


def _step_in_words(step: str) -> Text:
    """Return such as "week_number → month"."""
    column, level = parse_step(step)
    return text("{column} → {level}", column=column, level=level)


def ways_table(audit: EventAudit, outcomes: Sequence[Outcome]) -> Table:
    """Return a row per way of anonymizing to the chosen k: what is kept, made coarser and lost."""
    k, n_events = audit.anonymized.rule.k, audit.measured.n_events_after_cleanup
    rows = [
        (
            each.flattening,
            each.strategy,
            each.n_users,
            each.n_events,
            each.n_events / n_events,
            each.n_events_flattened,
            each.n_cells_generalized,
            each.penalty_share,
        )
        for each in outcomes
        if each.k == k
    ]
    return Table("strategies", text("Ways to reach k = {k}", k=k), _WAYS, rows)


def _traces_table(before: TraceRisk, after: TraceRisk) -> Table:
    """Return a row per number of known events: shares before and after, with intervals of samples."""
    rows: list[tuple[object, ...]] = []
    for of_before, of_after in zip(before.by_known, after.by_known, strict=True):
        for what, first, second in (
            ("can single out", of_before.singled_out, of_after.singled_out),
            ("single out at random", of_before.random, of_after.random),
        ):
            share = first.value if first else None
            known = (second.value, second.lower, second.upper, _how(second.n_sampled)) if second else _UNKNOWN
            rows.append((str(of_before.n_known), what, share, *known))
    whole = after.whole_trace
    known = _UNKNOWN if whole is None else (whole, whole, whole, _EXACT)
    rows.append(("whole trace", "are unique", before.whole_trace, *known))
    below = after.whole_trace_below_k
    known = _UNKNOWN if below is None else (below, below, below, _EXACT)
    rows.append(("whole trace", "are shared by fewer than k", before.whole_trace_below_k, *known))
    return Table("traces", "What known events tell", _TRACES, rows)


_EXACT = own("exact")
_UNKNOWN = (None, None, None, "not assessed")


def _how(n_sampled: int) -> str:
    return text("sample of {n}", n=n_sampled) if n_sampled else _EXACT


def _rows_table(audit: EventAudit) -> Table:
    """Return a row per thing that rows under a pseudonym tell: users singled out, and their share."""
    found, k = audit.rows, audit.anonymized.rule.k
    told: list[tuple[str, int | None]] = [
        ("Number of rows", found.n_alone_by_number),
        (text("Number of rows, shared by fewer than {k}", k=k), found.n_below_k_by_number),
        ("Far more rows than others", found.n_standing_out),
        ("All rows, each as often as it occurs", found.n_unique_multiset),
        (text("All rows, shared by fewer than {k}", k=max(k, 2)), found.n_below_k_multiset),
        ("Order of the kinds of events", found.n_unique_sequence),
        (text("Order of the kinds, shared by fewer than {k}", k=max(k, 2)), found.n_below_k_sequence),
        ("One event, which gives another", audit.inferred.n_by_event),
        ("Time of an event, which gives its kind", audit.inferred.n_by_time),
    ]
    rows = [
        (known, number, found.share(number), "the export tells no order" if number is None else _EXACT)
        for known, number in told
    ]
    return Table("rows", "What counts and order tell", _ROWS, rows)


def suggestions_table(found: Suggestions) -> Table:
    """Return a row per suggestion: its columns and flattening, and what it keeps and loses."""
    title = "Settings that reach k, with what they keep and lose"
    return Table("suggestions", title, _SUGGESTIONS, found.best, where="page")


def _steps_in_words(steps: Sequence[str]) -> str:
    if tuple(steps) == (AUTOMATIC,):
        return "all levels"
    return text("{steps}", steps=", ".join(steps)) if steps else "one step"


def scopes_table(risks: Mapping[str, TraceRisk]) -> Table:
    """Return a row per pseudonym scope: pseudonyms, and what two and four known events single out."""
    words = {"user": own("user"), "week": own("week"), "day": own("day"), "event": own("event")}
    rows = [
        (words[scope], risk.n_traces, risk.singled_out(2), risk.singled_out(4), risk.whole_trace)
        for scope, risk in risks.items()
    ]
    title = "Trace risk for a new pseudonym per user, week, day and event"
    return Table("scopes", title, _SCOPES, rows, where="page")


def _preview_table(audit: EventAudit) -> Table:
    """Return the first rows of the exported file, as text; in the published form with its legend."""
    export = io.BytesIO(audit.release.events_csv)
    shown = pd.read_csv(export, dtype=str, keep_default_na=False, nrows=_PREVIEW_ROWS)
    columns = tuple(Col(name, text("{column}", column=name)) for name in shown.columns)
    rows = list(shown.itertuples(index=False, name=None))
    note = NUMBERS if audit.measured.log.settings.any_value == PUBLISHED else ""
    return Table("preview", "First lines of anonymized_events.csv", columns, rows, note, where="page")


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
