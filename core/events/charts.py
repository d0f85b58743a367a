"""The charts of the event-log anonymizer, drawn from aggregates."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from core.charts import (
    COLORS,
    HEIGHT,
    NAMES,
    PERCENT,
    TEXT_COLOR,
    WHOLE,
    Chart,
    chart,
    class_size_chart,
    field,
    heatmap,
    layer,
    legend,
    meaning,
    threshold,
)
from core.coding import IntArray
from core.events.judging import EventAudit
from core.events.measuring import AnonymizedEvents, MeasuredEvents, Outcome
from core.events.stages import derived_column, shown_value
from core.events.trace_risk import Share, TraceRisk
from core.result import Drawing, Note
from core.words import counted, own, percent, say, text

OUTCOMES = {
    "left_out": "Left out",
    "kept": "Kept as they are",
    "flattened": "Kept flattened",
    "removed": "Removed",
}
_MEANINGS = {"left_out": "neutral", "kept": "kept", "flattened": "generalized", "removed": "removed"}
_STAGE_MEANINGS = ("original", "original", "kept", "generalized", "removed")


def stage_drawing(rows: Sequence[tuple[str, int, int]]) -> Drawing:
    """Draw the events from the log to what is kept as it is, kept flattened and removed."""
    table = pd.DataFrame(
        [
            (
                say(stage),
                users,
                events,
                COLORS[meant],
                say("{events}, {users}", events=counted(events, "event"), users=counted(users, "user")),
            )
            for (stage, users, events), meant in zip(rows, _STAGE_MEANINGS, strict=True)
        ],
        columns=["stage", "users", "events", "color", "text"],
    )
    room = {"domain": [0, max(int(table["events"].max()) * 1.6, 1)], "nice": False}  # for the labels
    y = field("stage:N", sort=None, title=None, axis={"labelLimit": 200})
    x = field("events:Q", "Events", axis={"format": ",d", "labelSeparation": 8}, scale=room)
    tooltip = [field("stage:N", "Stage"), field("text:N", "Kept")]
    words = {"align": "left", "dx": 6, "dy": -6, "color": TEXT_COLOR, "lineBreak": ", "}
    drawn = chart(
        layer(
            table, "bar", {"height": {"band": 0.6}},
            x=x, y=y, color=field("color:N", scale=None), tooltip=tooltip,
        ),
        layer(table, "text", words, x=x, y=y, text=field("text:N")),
        height=190,
    )  # fmt: skip
    return Drawing(
        "From the log to the export",
        drawn,
        "Bars of events in the log, after cleanup, kept as they are, kept flattened and removed",
    )


def loss_drawing(rows: Sequence[tuple[str, int, int, int, int, int]]) -> Drawing:
    """Draw for each event class what was left out, kept, kept flattened and removed."""
    table = pd.DataFrame(
        [
            (event_class, say(label), outcomes[position], position)
            for position, label in enumerate(OUTCOMES.values())
            for event_class, _, *outcomes in rows
        ],
        columns=["event_class", "outcome", "n_events", "position"],
    )
    bars = layer(
        table,
        "bar",
        {"height": {"band": 0.65}},
        y=field("event_class:N", "Event class", sort=[event_class for event_class, *_ in rows], axis=NAMES),
        x=field("n_events:Q", "Events", axis={"format": ",d"}),
        color=meaning("outcome:N", {label: _MEANINGS[key] for key, label in OUTCOMES.items()}),
        order=field("position:Q"),
        tooltip=[
            field("event_class:N", "Event class"),
            field("outcome:N", "Outcome"),
            field("n_events:Q", "Events", format=","),
        ],
    )
    return Drawing(
        "Loss per event class",
        chart(bars, height=max(120, 28 * len(rows) + 30)),
        "Events of each class left out, kept as they are, kept flattened and removed",
    )


def group_drawings(anonymized: AnonymizedEvents, *, log: bool = False) -> Iterator[Drawing]:
    """Draw the events by the users that share their combination, before and after; none without events."""
    for before, title, alt in (
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
    ):
        sizes, events = size_histogram(anonymized, before=before)
        if len(sizes):
            drawn = class_size_chart(
                sizes,
                events,
                anonymized.rule.k,
                log=log,
                x_title="Users sharing the combination",
                y_title="Events",
                share_title="Share of events",
                groups=("in combinations smaller than {k}", "in combinations of {k} or more"),
            )
            yield Drawing(title, drawn, alt)


def size_histogram(anonymized: AnonymizedEvents, *, before: bool) -> tuple[IntArray, IntArray]:
    """Return distinct numbers of users per combination, and the events in combinations of each.

    Before: the combinations after cleanup, nothing flattened. After: the released ones.
    """
    stages, reduced = anonymized.stages, anonymized.reduced
    if before:
        users = stages.n_users_of_whole_group[stages.group_of_unit[0]]
        n_events = stages.n_events_of_unit
    else:
        users = reduced.n_users_after[reduced.flattened.group_of_unit[reduced.kept]]
        n_events = reduced.n_events_of_unit[reduced.kept]
    sizes, place = np.unique(users, return_inverse=True)
    return sizes, np.bincount(place, weights=n_events, minlength=len(sizes)).astype(np.int64)


_CROSSINGS = (
    (
        ("week_number", "time_period"),
        {"x_title": "Week", "y_title": "Time period"},
        "Events by week and time period, after cleanup",
        "Events by week and time period, as exported",
        "Week and time period are not both in the export.",
    ),
    (
        ("weekday", "generalized_event"),
        {"x_title": "Weekday", "y_title": "Event class"},
        "Events by weekday and event class, after cleanup",
        "Events by weekday and event class, as exported",
        "Weekday and event class are not both in the export.",
    ),
)


def heat_maps(audit: EventAudit) -> Iterator[Drawing | Note]:
    """Draw the events per value of two columns before and after; after only where both are released."""
    for columns, titles, before, after, not_exported in _CROSSINGS:
        tables = {
            before: cross_table_before(audit.measured, *columns),
            after: cross_table_after(audit.anonymized, *columns),
        }
        drawn = [
            Drawing(title, cross_chart(table, **titles), text("Heat map: {title}", title=own(title)))
            for title, table in tables.items()
            if table is not None and not table.empty
        ]
        yield from drawn
        if len(drawn) == 1:
            yield Note(not_exported)


def cross_chart(table: pd.DataFrame, *, x_title: str, y_title: str) -> Chart:
    """Draw the events per value of two columns as a heat map."""
    columns = list(dict.fromkeys(table.sort_values("x_order")["x"]))
    rows = list(dict.fromkeys(table.sort_values("y_order")["y"]))
    grid = pd.MultiIndex.from_product([rows, columns], names=["y", "x"])
    return heatmap(
        table.set_index(["y", "x"])["n_events"].reindex(grid, fill_value=0).reset_index(),
        x="x",
        y="y",
        value="n_events",
        x_title=x_title,
        y_title=y_title,
        value_title="Events",
        unit="events",
    )


def cross_table_before(measured: MeasuredEvents, x: str, y: str) -> pd.DataFrame:
    """Return the events after cleanup per value of two derived columns, empty cells left out."""
    log = measured.log
    columns = [derived_column(log, name) for name in (x, y)]
    codes = [column.codes[log.kept_after_cleanup] for column in columns]
    return _cross_table((x, y), codes, [column.labels for column in columns])


def cross_table_after(anonymized: AnonymizedEvents, x: str, y: str) -> pd.DataFrame | None:
    """Return the released events per released value of two columns; None where one is not released."""
    stages = anonymized.stages
    if x not in stages.columns or y not in stages.columns:
        return None
    places = [stages.columns.index(name) for name in (x, y)]
    groups = anonymized.group_of_event[anonymized.event_is_kept]
    codes = [stages.values_of_group[groups, place] for place in places]
    return _cross_table((x, y), codes, [stages.labels[place] for place in places])


def _cross_table(
    names: tuple[str, str], codes: list[IntArray], labels: list[tuple[str, ...]]
) -> pd.DataFrame:
    n_second = len(labels[1])
    counts = np.bincount(codes[0] * n_second + codes[1], minlength=len(labels[0]) * n_second)
    cells = np.flatnonzero(counts)
    return pd.DataFrame(
        {
            "x": [say(shown_value(names[0], labels[0][cell // n_second])) for cell in cells],
            "y": [say(shown_value(names[1], labels[1][cell % n_second])) for cell in cells],
            "x_order": cells // n_second,
            "y_order": cells % n_second,
            "n_events": counts[cells],
        }
    )


def trace_drawing(before: TraceRisk, after: TraceRisk) -> Drawing:
    """Draw the share of users that known events can single out, before and after, with intervals."""
    series = {
        "before (after cleanup, one pseudonym per user)": "original",
        "after (as exported)": "anonymized",
    }
    rows = [
        {
            "known": known.n_known,
            "series": say(words),
            "is_before": risk is before,
            "share": known.singled_out.value,
            "lower": known.singled_out.lower,
            "upper": known.singled_out.upper,
            "written": _with_interval(known.singled_out),
        }
        for words, risk in zip(series, (before, after), strict=True)
        for known in risk.by_known
        if known.singled_out is not None
    ]
    table = pd.DataFrame(rows)
    where = {
        "x": field("known:O", "Known events", axis={"labelAngle": 0}),
        "color": meaning("series:N", series, legend=legend(2)),
    }
    y = field("share:Q", "Users singled out", axis=PERCENT, scale=WHOLE)
    dashes = {"condition": {"test": "datum.is_before", "value": [4, 2]}, "value": [1, 0]}
    interval = {"y": field("lower:Q"), "y2": {"field": "upper"}}
    tooltip = [
        field("known:O", "Known events"),
        field("series:N", "Log"),
        field("written:N", "Users singled out"),
    ]
    drawn = chart(
        layer(table, "line", {"strokeWidth": 2}, **where, y=y, strokeDash=dashes),
        layer(table, "rule", {"strokeWidth": 2}, **where, **interval),
        layer(table, "point", {"filled": True, "size": 90}, **where, y=y, tooltip=tooltip),
        height=HEIGHT,
    )
    return Drawing(
        "Users that known events can single out",
        drawn,
        "Share of users singled out by one to four known events, before and after anonymization",
    )


def _with_interval(share: Share) -> str:
    if share.is_exact:
        return say(percent(share.value))
    low, high = percent(share.lower), percent(share.upper)
    return say("{value} (95 % interval {low} to {high})", value=percent(share.value), low=low, high=high)


def curve_drawing(audit: EventAudit, outcomes: Sequence[Outcome]) -> Drawing:
    """Draw the share of events kept over k: a colour a strategy, dashed or not by flattening; k as a line."""
    n_events, k = audit.measured.n_events_after_cleanup, audit.anonymized.rule.k
    table = pd.DataFrame(
        {
            "k": [each.k for each in outcomes],
            "strategy": [say(each.strategy) for each in outcomes],
            "flattening": [say(each.flattening) for each in outcomes],
            "share": [each.n_events / n_events for each in outcomes],
            "written": [say(percent(each.n_events / n_events)) for each in outcomes],
            "events": [each.n_events for each in outcomes],
            "users": [each.n_users for each in outcomes],
        }
    )
    titled = legend(2, symbolSize=500)
    ways = {"domain": [say("single-level"), say("multi-level")], "range": [[5, 4], [1, 0]]}
    lines = layer(
        table,
        "line",
        {"strokeWidth": 2.5},
        x=field("k:Q", "k (users that share each combination)", scale={"nice": False}),
        y=field("share:Q", "Events kept", axis=PERCENT, scale=WHOLE),
        color=meaning(
            "strategy:N",
            {own("remove-events"): "kept", own("remove-users"): "removed"},
            legend={**titled, "title": say("Strategy")},
        ),
        strokeDash=field(
            "flattening:N",
            scale=ways,
            legend={**titled, "title": say("Flattening"), "symbolStrokeColor": COLORS["neutral"]},
        ),
        tooltip=[
            field("k:Q", "k"),
            field("strategy:N", "Strategy"),
            field("flattening:N", "Flattening"),
            field("written:N", "Share of events"),
            field("events:Q", "Events kept", format=","),
            field("users:Q", "Users kept", format=","),
        ],
    )
    return Drawing(
        "Events kept for every k",
        chart(lines, *threshold(k, f"k = {k}", field("k:Q")), height=300),
        text("Share of events kept over k from 2 to 50 for four ways of anonymizing; k = {k} is marked", k=k),
    )
