"""The charts of the event-log anonymizer, drawn from aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from core.charts import (
    COLORS,
    HEIGHT,
    NAMES,
    PERCENT,
    TEXT_COLOR,
    WHOLE,
    alt,
    class_size_chart,
    heatmap,
    layered,
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
    return Drawing("From the log to the export", partial(_stages, table))


def _stages(table: pd.DataFrame) -> alt.LayerChart:
    room = {"domain": [0, max(int(table["events"].max()) * 1.6, 1)], "nice": False}  # for the labels
    stages = alt.Chart(table).encode(
        x=alt.X("events:Q", title="Events", axis={"format": ",d", "labelSeparation": 8}, scale=room),
        y=alt.Y("stage:N", sort=None, title=None, axis={"labelLimit": 200}),
    )
    words = stages.mark_text(align="left", dx=6, dy=-6, color=TEXT_COLOR, lineBreak=", ")
    return layered(
        stages.mark_bar(height={"band": 0.6}).encode(
            color=alt.Color("color:N", scale=None),
            tooltip=[alt.Tooltip("stage:N", title="Stage"), alt.Tooltip("text:N", title="Kept")],
        ),
        words.encode(text=alt.Text("text:N")),
        height=190,
    )


def loss_drawing(rows: Sequence[tuple[Any, ...]]) -> Drawing:
    """Draw for each event class what was left out, kept, kept flattened and removed."""
    table = pd.DataFrame(
        [
            (say(event_class), say(label), outcomes[position], position)
            for event_class, _, *outcomes in rows
            for position, label in enumerate(OUTCOMES.values())
        ],
        columns=["event_class", "outcome", "n_events", "position"],
    )
    return Drawing(
        "Loss per event class", partial(_loss, table, [say(event_class) for event_class, *_ in rows])
    )


def _loss(table: pd.DataFrame, classes: Sequence[str]) -> alt.LayerChart:
    bars = (
        alt.Chart(table)
        .mark_bar(height={"band": 0.65})
        .encode(
            x=alt.X("n_events:Q", title="Events", axis={"format": ",d"}),
            y=alt.Y("event_class:N", title="Event class", sort=list(classes), axis=NAMES),
            color=meaning("outcome:N", {label: _MEANINGS[key] for key, label in OUTCOMES.items()}),
            order=alt.Order("position:Q"),
            tooltip=[
                alt.Tooltip("event_class:N", title="Event class"),
                alt.Tooltip("outcome:N", title="Outcome"),
                alt.Tooltip("n_events:Q", title="Events", format=","),
            ],
        )
    )
    return layered(bars, height=max(120, 28 * len(classes) + 30))


def group_drawings(anonymized: AnonymizedEvents, *, log: bool = False) -> Iterator[Drawing]:
    """Draw the events by the users that share their combination, before and after; none without events."""
    for before, title in (
        (True, "Users sharing each combination, before flattening"),
        (False, "Users sharing each combination, as exported"),
    ):
        sizes, events = size_histogram(anonymized, before=before)
        if len(sizes):
            drawn = partial(
                class_size_chart,
                sizes,
                events,
                anonymized.rule.k,
                log=log,
                x_title="Users sharing the combination",
                y_title="Events",
                share_title="Share of events",
                groups=("in combinations smaller than {k}", "in combinations of {k} or more"),
            )
            yield Drawing(title, drawn)


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
        drawn = [  # no report holds the first: cells of what few have
            Drawing(title, partial(cross_chart, table, **titles), where="page" if title == before else "both")
            for title, table in tables.items()
            if table is not None and not table.empty
        ]
        yield from drawn
        if len(drawn) == 1:
            yield Note(not_exported)


def cross_chart(table: pd.DataFrame, *, x_title: str, y_title: str) -> alt.LayerChart:
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
    return Drawing("Users that known events can single out", partial(_traces, table, series))


def _traces(table: pd.DataFrame, series: Mapping[str, str]) -> alt.LayerChart:
    users = alt.Chart(table).encode(
        x=alt.X("known:O", title="Known events", axis={"labelAngle": 0}),
        color=meaning("series:N", series, legend=legend(2)),
    )
    y = alt.Y("share:Q", title="Users singled out", axis=PERCENT, scale=WHOLE)
    dashes = alt.StrokeDashValue([1, 0], condition={"test": "datum.is_before", "value": [4, 2]})
    tooltip = [
        alt.Tooltip("known:O", title="Known events"),
        alt.Tooltip("series:N", title="Log"),
        alt.Tooltip("written:N", title="Users singled out"),
    ]
    return layered(
        users.mark_line(strokeWidth=2).encode(y=y, strokeDash=dashes),
        users.mark_rule(strokeWidth=2).encode(y=alt.Y("lower:Q"), y2=alt.Y2("upper")),
        users.mark_point(filled=True, size=90).encode(y=y, tooltip=tooltip),
        height=HEIGHT,
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
    return Drawing(
        "Events kept for every k",
        partial(_curve, table, k),
        text("Share of events kept over k from 2 to 50 for four ways of anonymizing; k = {k} is marked", k=k),
    )


def _curve(table: pd.DataFrame, k: int) -> alt.LayerChart:
    titled = legend(2, symbolSize=500)
    ways = {"domain": [say("single-level"), say("multi-level")], "range": [[5, 4], [1, 0]]}
    dashes = {**titled, "title": "Flattening", "symbolStrokeColor": COLORS["neutral"]}
    strategies = {own("remove-events"): "kept", own("remove-users"): "removed"}
    lines = (
        alt.Chart(table)
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("k:Q", title="k (users that share each combination)", scale={"nice": False}),
            y=alt.Y("share:Q", title="Events kept", axis=PERCENT, scale=WHOLE),
            color=meaning("strategy:N", strategies, legend={**titled, "title": "Strategy"}),
            strokeDash=alt.StrokeDash("flattening:N", scale=ways, legend=dashes),
            tooltip=[
                alt.Tooltip("k:Q", title="k"),
                alt.Tooltip("strategy:N", title="Strategy"),
                alt.Tooltip("flattening:N", title="Flattening"),
                alt.Tooltip("written:N", title="Share of events"),
                alt.Tooltip("events:Q", title="Events kept", format=","),
                alt.Tooltip("users:Q", title="Users kept", format=","),
            ],
        )
    )
    return layered(lines, *threshold(k, f"k = {k}", alt.X("k:Q")), height=300)
