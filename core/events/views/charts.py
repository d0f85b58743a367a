"""Charts of the event-log anonymizer, drawn from its tables."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from core.charts import (
    COLORS,
    HEIGHT,
    LABEL_LIMIT,
    PERCENT_LABEL,
    TEXT_COLOR,
    Specification,
    class_size_chart,
    heatmap,
    sized,
    threshold_rule,
)
from core.events import AnonymizedEvents, Outcome, TraceRisk
from core.events.trace_risk import Share
from core.events.views.tables import OUTCOMES, class_loss_table, size_histogram, stage_table
from core.words import counted, percent, say, text

_MEANINGS = {"left_out": "neutral", "kept": "kept", "flattened": "generalized", "removed": "removed"}
_STAGE_MEANINGS = ("original", "original", "kept", "generalized", "removed")
_MOST_COLUMNS_WITH_FIGURES = 16
_LONGEST_FLAT_LABEL = 4
_PERCENT = alt.Axis(labelExpr=PERCENT_LABEL)


def group_chart(anonymized: AnonymizedEvents, *, before: bool, log: bool = False) -> Specification | None:
    """Draw the events by the users that share their combination, k as a line; None without events."""
    sizes, events = size_histogram(anonymized, before=before)
    if not len(sizes):
        return None
    return class_size_chart(
        sizes,
        events,
        anonymized.rule.k,
        log=log,
        x_title="Users sharing the combination",
        y_title="Events",
        share_title="Share of events",
        groups=("in combinations smaller than {k}", "in combinations of {k} or more"),
    )


def stage_chart(anonymized: AnonymizedEvents) -> alt.LayerChart:
    """Draw the events from the log to what is kept as it is, kept flattened and removed."""
    table = stage_table(anonymized)
    amounts = zip(table["events"], table["users"], strict=True)
    kept = [
        text("{events}, {users}", events=counted(events, "event"), users=counted(users, "user"))
        for events, users in amounts
    ]
    table = table.assign(
        stage=[say(stage) for stage in table["stage"]],
        color=[COLORS[meaning] for meaning in _STAGE_MEANINGS],
        text=[say(each) for each in kept],
    )
    base = alt.Chart(table).encode(
        y=alt.Y("stage:N", sort=None, title=None, axis=alt.Axis(labelLimit=200)),
        x=alt.X(
            "events:Q",
            title=say("Events"),
            axis=alt.Axis(format=",d"),
            scale=alt.Scale(domain=[0, max(int(table["events"].max()) * 1.6, 1)], nice=False),
        ),
    )
    bars = base.mark_bar(height={"band": 0.6}).encode(
        color=alt.Color("color:N", scale=None),
        tooltip=[
            alt.Tooltip("stage:N", title=say("Stage")),
            alt.Tooltip("text:N", title=say("Kept")),
        ],
    )
    texts = base.mark_text(align="left", dx=6, color=TEXT_COLOR, lineBreak=", ", dy=-6).encode(text="text:N")
    return sized(alt.layer(bars, texts), 190)


def class_loss_chart(anonymized: AnonymizedEvents) -> alt.LayerChart:
    """Draw for each event class what was left out, kept, kept flattened and removed."""
    table = class_loss_table(anonymized)
    keys, words = list(OUTCOMES), [say(label) for label in OUTCOMES.values()]
    long = table.melt(id_vars=["event_class"], value_vars=keys, var_name="outcome", value_name="n_events")
    long["position"] = [keys.index(key) for key in long["outcome"]]
    long["outcome"] = [words[position] for position in long["position"]]
    scale = alt.Scale(domain=words, range=[COLORS[_MEANINGS[key]] for key in keys])
    chart = (
        alt.Chart(long)
        .mark_bar(height={"band": 0.65})
        .encode(
            y=alt.Y(
                "event_class:N",
                sort=list(table["event_class"]),
                title=say("Event class"),
                axis=alt.Axis(labelLimit=LABEL_LIMIT, maxExtent=LABEL_LIMIT),
            ),
            x=alt.X("n_events:Q", title=say("Events"), axis=alt.Axis(format=",d")),
            color=alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
            order=alt.Order("position:Q"),
            tooltip=[
                alt.Tooltip("event_class:N", title=say("Event class")),
                alt.Tooltip("outcome:N", title=say("Outcome")),
                alt.Tooltip("n_events:Q", title=say("Events"), format=","),
            ],
        )
    )
    return sized(alt.layer(chart), max(120, 28 * len(table) + 30))


def cross_chart(table: pd.DataFrame, *, x_title: str, y_title: str) -> alt.LayerChart | None:
    """Draw the events per value of two columns as a heat map; None without events."""
    if table.empty:
        return None
    columns = list(dict.fromkeys(table.sort_values("x_order")["x"]))
    rows = list(dict.fromkeys(table.sort_values("y_order")["y"]))
    counts = table.set_index(["y", "x"])["n_events"]
    grid = pd.MultiIndex.from_product([rows, columns], names=["y", "x"])
    chart = heatmap(
        counts.reindex(grid, fill_value=0).reset_index(),
        x="x",
        y="y",
        value="n_events",
        x_title=x_title,
        y_title=y_title,
        value_title="Events",
        unit="events",
        with_figures=len(columns) <= _MOST_COLUMNS_WITH_FIGURES,
    )
    if max(map(len, columns)) > _LONGEST_FLAT_LABEL:
        for layer in chart.layer:
            layer.encoding.x.axis.labelAngle = -40
    return chart


def trace_chart(before: TraceRisk, after: TraceRisk) -> alt.LayerChart:
    """Draw the share of users that known events can single out, before and after, with intervals."""
    both = [say("before (after cleanup, one pseudonym per user)"), say("after (as exported)")]
    rows = [
        {
            "known": known.n_known,
            "series": series,
            "share": known.singled_out.value,
            "lower": known.singled_out.lower,
            "upper": known.singled_out.upper,
            "written": _with_interval(known.singled_out),
        }
        for series, risk in zip(both, (before, after), strict=True)
        for known in risk.by_known
        if known.singled_out is not None
    ]
    table = pd.DataFrame(rows, columns=["known", "series", "share", "lower", "upper", "written"])
    scale = alt.Scale(domain=both, range=[COLORS["original"], COLORS["anonymized"]])
    known_events, singled_out = say("Known events"), say("Users singled out")
    base = alt.Chart(table).encode(
        x=alt.X("known:O", title=known_events, axis=alt.Axis(labelAngle=0)),
        color=alt.Color("series:N", scale=scale, legend=alt.Legend(title=None, orient="top", labelLimit=0)),
    )
    y = alt.Y("share:Q", title=singled_out, axis=_PERCENT, scale=alt.Scale(domain=[0, 1]))
    tooltip = [
        alt.Tooltip("known:O", title=known_events),
        alt.Tooltip("series:N", title=say("Log")),
        alt.Tooltip("written:N", title=singled_out),
    ]
    dashes = alt.StrokeDash("series:N", legend=None, scale=alt.Scale(domain=both, range=[[4, 2], [1, 0]]))
    lines = base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dashes)
    bars = base.mark_rule(strokeWidth=2).encode(y=alt.Y("lower:Q"), y2="upper:Q")
    points = base.mark_point(filled=True, size=90).encode(y=y, tooltip=tooltip)
    return sized(alt.layer(lines, bars, points), HEIGHT)


def _with_interval(share: Share) -> str:
    if share.is_exact:
        return say(percent(share.value))
    low, high = percent(share.lower), percent(share.upper)
    return say("{value} (95 % interval {low} to {high})", value=percent(share.value), low=low, high=high)


def curve_chart(outcomes: Sequence[Outcome], *, n_events: int, k: int) -> alt.LayerChart:
    """Draw the share of events kept over k for both strategies and flattenings, k as a line."""
    rule = threshold_rule(k, f"k = {k}")
    return sized(alt.layer(_curve_lines(_curve_table(outcomes, n_events)), *rule), 300)


def _curve_table(outcomes: Sequence[Outcome], n_events: int) -> pd.DataFrame:
    """Return a row per k, strategy and flattening: the share of events kept, events and users."""
    return pd.DataFrame(
        [
            {
                "k": outcome.k,
                "strategy": say(outcome.strategy),
                "flattening": say(outcome.flattening),
                "share": outcome.n_events / n_events,
                "written": say(percent(outcome.n_events / n_events)),
                "events": outcome.n_events,
                "users": outcome.n_users,
            }
            for outcome in outcomes
        ]
    )


def _curve_lines(table: pd.DataFrame) -> alt.Chart:
    """Draw a line per strategy, in its colour, and flattening, dashed or not."""
    strategies = [say("remove-events"), say("remove-users")]
    scale = alt.Scale(domain=strategies, range=[COLORS["kept"], COLORS["removed"]])
    dashes = alt.Scale(domain=[say("single-level"), say("multi-level")], range=[[5, 4], [1, 0]])
    flattening = alt.Legend(
        title=say("Flattening"), orient="top", symbolStrokeColor=COLORS["neutral"], symbolSize=500
    )
    chart = alt.Chart(table).mark_line(strokeWidth=2.5)
    return chart.encode(
        x=alt.X("k:Q", title=say("k (users that share each combination)"), scale=alt.Scale(nice=False)),
        y=alt.Y("share:Q", title=say("Events kept"), axis=_PERCENT, scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "strategy:N", scale=scale, legend=alt.Legend(title=say("Strategy"), orient="top", symbolSize=500)
        ),
        strokeDash=alt.StrokeDash("flattening:N", scale=dashes, legend=flattening),
        tooltip=[
            alt.Tooltip("k:Q"),
            alt.Tooltip("strategy:N", title=say("Strategy")),
            alt.Tooltip("flattening:N", title=say("Flattening")),
            alt.Tooltip("written:N", title=say("Share of events")),
            alt.Tooltip("events:Q", title=say("Events kept"), format=","),
            alt.Tooltip("users:Q", title=say("Users kept"), format=","),
        ],
    )
