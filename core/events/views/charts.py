"""Charts of the event-log anonymizer, drawn from its tables."""

from collections.abc import Sequence

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
from core.events import AnonymizedEvents, Outcome, TraceRisk
from core.events.trace_risk import Share
from core.events.views.tables import OUTCOMES, class_loss_table, size_histogram, stage_table
from core.words import counted, own, percent, say, text

_MEANINGS = {"left_out": "neutral", "kept": "kept", "flattened": "generalized", "removed": "removed"}
_STAGE_MEANINGS = ("original", "original", "kept", "generalized", "removed")


def group_chart(anonymized: AnonymizedEvents, *, before: bool, log: bool = False) -> Chart | None:
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


def stage_chart(anonymized: AnonymizedEvents) -> Chart:
    """Draw the events from the log to what is kept as it is, kept flattened and removed."""
    table = stage_table(anonymized)
    kept = [
        text("{events}, {users}", events=counted(events, "event"), users=counted(users, "user"))
        for events, users in zip(table["events"], table["users"], strict=True)
    ]
    table = table.assign(
        stage=[say(stage) for stage in table["stage"]],
        color=[COLORS[meaning] for meaning in _STAGE_MEANINGS],
        text=[say(each) for each in kept],
    )
    room = {"domain": [0, max(int(table["events"].max()) * 1.6, 1)], "nice": False}  # for the labels
    y = field("stage:N", sort=None, title=None, axis={"labelLimit": 200})
    x = field("events:Q", "Events", axis={"format": ",d", "labelSeparation": 8}, scale=room)
    tooltip = [field("stage:N", "Stage"), field("text:N", "Kept")]
    words = {"align": "left", "dx": 6, "dy": -6, "color": TEXT_COLOR, "lineBreak": ", "}
    return chart(
        layer(
            table, "bar", {"height": {"band": 0.6}},
            x=x, y=y, color=field("color:N", scale=None), tooltip=tooltip,
        ),
        layer(table, "text", words, x=x, y=y, text=field("text:N")),
        height=190,
    )  # fmt: skip


def class_loss_chart(anonymized: AnonymizedEvents) -> Chart:
    """Draw for each event class what was left out, kept, kept flattened and removed."""
    table = class_loss_table(anonymized)
    keys = list(OUTCOMES)
    long = table.melt(id_vars=["event_class"], value_vars=keys, var_name="outcome", value_name="n_events")
    long["position"] = [keys.index(key) for key in long["outcome"]]
    long["outcome"] = [say(OUTCOMES[key]) for key in long["outcome"]]
    bars = layer(
        long,
        "bar",
        {"height": {"band": 0.65}},
        y=field("event_class:N", "Event class", sort=list(table["event_class"]), axis=NAMES),
        x=field("n_events:Q", "Events", axis={"format": ",d"}),
        color=meaning("outcome:N", {label: _MEANINGS[key] for key, label in OUTCOMES.items()}),
        order=field("position:Q"),
        tooltip=[
            field("event_class:N", "Event class"),
            field("outcome:N", "Outcome"),
            field("n_events:Q", "Events", format=","),
        ],
    )
    return chart(bars, height=max(120, 28 * len(table) + 30))


def cross_chart(table: pd.DataFrame, *, x_title: str, y_title: str) -> Chart | None:
    """Draw the events per value of two columns as a heat map; None without events."""
    if table.empty:
        return None
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


def trace_chart(before: TraceRisk, after: TraceRisk) -> Chart:
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
    return chart(
        layer(table, "line", {"strokeWidth": 2}, **where, y=y, strokeDash=dashes),
        layer(table, "rule", {"strokeWidth": 2}, **where, **interval),
        layer(table, "point", {"filled": True, "size": 90}, **where, y=y, tooltip=tooltip),
        height=HEIGHT,
    )


def _with_interval(share: Share) -> str:
    if share.is_exact:
        return say(percent(share.value))
    low, high = percent(share.lower), percent(share.upper)
    return say("{value} (95 % interval {low} to {high})", value=percent(share.value), low=low, high=high)


def curve_chart(outcomes: Sequence[Outcome], *, n_events: int, k: int) -> Chart:
    """Draw the share of events kept over k: a colour a strategy, dashed or not by flattening; k as a line."""
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
    return chart(lines, *threshold(k, f"k = {k}", field("k:Q")), height=300)
