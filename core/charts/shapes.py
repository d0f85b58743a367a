"""Bars, bars of shares, heat maps and histograms, each drawn from an aggregated table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from core.charts.look import (
    COLORS,
    HEIGHT,
    NAMES,
    PERCENT,
    WHOLE,
    Channel,
    Chart,
    chart,
    counts,
    field,
    layer,
    legend,
    meaning,
    places,
    threshold,
)
from core.coding import FloatArray, IntArray
from core.measures.measure import Unit
from core.words import Amount, own, say

NumberArray = FloatArray | IntArray


def horizontal_bars(
    frame: pd.DataFrame,
    *,
    label: str,
    value: str,
    reference: str | None = None,
    unit: Unit = "share",
    value_title: str,
    label_title: str,
    reference_meaning: str = "chance",
    rule: float | None = None,
    rule_label: str = "",
) -> Chart:
    """Draw one bar per row, in the order of the frame, with a tick for what to compare it with."""

    def rows(column: str, series: str) -> pd.DataFrame:
        numbers, words = frame[column], [say(Amount(unit, number)) for number in frame[column]]
        return pd.DataFrame({"name": frame[label], "value": numbers, "series": say(series), "text": words})

    def named(title: str, written: str) -> list[object]:
        return [field("name:N", title), field("text:N", written)]

    meanings = ["observed"] if reference is None else ["observed", reference_meaning]
    y = field("name:N", label_title, sort=None, axis=NAMES)
    shares = {"axis": {**PERCENT, "grid": True, "tickCount": 10}, "scale": WHOLE}
    x = field("value:Q", value_title, **(shares if unit in ("share", "risk") else {"axis": {"format": ","}}))
    key = None if reference is None else legend()
    color = meaning("series:N", meanings, legend=key)
    tips = named(label_title, value_title)
    layers = [
        layer(rows(value, "observed"), "bar", {"height": {"band": 0.55}}, y=y, x=x, color=color, tooltip=tips)
    ]
    if reference is not None:
        tick = {"thickness": 4, "bandSize": 22}
        tips = named("Compared with", reference_meaning)
        ticks = rows(reference, reference_meaning)
        layers.append(layer(ticks, "tick", tick, y=y, x=x, color=color, tooltip=tips))
    if rule is not None:
        layers += threshold(rule, rule_label, field("value:Q"))
    return chart(*layers, height=max(80, 26 * len(frame) + 10))


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a whole: its name, how many, and what its colour means (a key of :data:`COLORS`)."""

    label: str
    count: float
    meaning: str


def stacked_share_bar(parts: Sequence[Part], *, unit: Unit, title: str) -> Chart:
    """Draw one horizontal bar of counts that sum to the whole; the legend names each with count and share."""
    total = sum(part.count for part in parts)
    rows, end = [], 0.0
    for part in parts:
        share = part.count / total if total else 0.0
        start, end, written = end, end + share, say(Amount("share", share))
        named = f"{say(part.label)}: {say(Amount(unit, part.count))} ({written})"
        rows.append((say(part.label), part.count, written, named, start, end))
    table = pd.DataFrame(rows, columns=["label", "count", "share", "legend", "start", "end"])
    scale = {"domain": list(table["legend"]), "range": [COLORS[part.meaning] for part in parts]}
    color = field("legend:N", scale=scale, legend=legend(2))
    tooltip = [field("label:N", "Part"), field("count:Q", "Count", format=","), field("share:N", "Share")]
    x = field("start:Q", title, axis={**PERCENT, "grid": False, "tickCount": 10}, scale=WHOLE)
    bar = layer(table, "bar", {"height": 36}, x=x, x2={"field": "end"}, color=color, tooltip=tooltip)
    return chart(bar, height=64)


def shades(of: str, title: str, low: float, high: float, *, is_share: bool = True) -> Channel:
    """Return the channel that colours shares, or counts, from one to another, pale to dark."""
    ends = {"format": ",d", "values": sorted({int(low), int(low + high) // 2, int(high)})}
    key = {"labelExpr": PERCENT["labelExpr"], "tickCount": 3} if is_share else ends
    above = {"orient": "top", "gradientLength": {"expr": "min(width,200)"}}
    scale = {"domain": [low, (low + high) / 2, high], "range": ["#DCE9F5", "#6AA3D5", "#134A80"]}
    return field(of, title, scale={**scale, "interpolate": "lab"}, legend={**above, **key})


_ON_LIGHT, _ON_DARK = "#16202E", "#F4F8FC"
_LETTER = 7  # pixels of a figure's letter in a cell


def heatmap(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    value: str,
    x_title: str,
    y_title: str,
    value_title: str,
    unit: Unit = "share",
) -> Chart:
    """Draw one cell per row of the frame, dark for large values, each with its figure where it has room."""
    table = pd.DataFrame({"x": frame[x], "y": frame[y], "value": frame[value]})
    table["text"] = [say(Amount(unit, number)) for number in table["value"]]
    is_share = unit in ("share", "risk")
    most = 1.0 if is_share else float(table["value"].max())
    table["is_dark"] = table["value"] > most / 2
    columns = [str(name) for name in dict.fromkeys(table["x"])]

    def room(words: Iterable[str], enough: object, narrow: object) -> dict[str, str]:
        wide = len(columns) * (_LETTER * max(map(places, words)) + 2)
        return {"expr": f"width < {wide} ? {narrow} : {enough}"}

    labels = {"labelAngle": room(columns, 0, -40), "labelAlign": room(columns, "'center'", "'right'")}
    place = {
        "x": field("x:N", x_title, sort=None, axis={**labels, **NAMES, "labelOverlap": False}),
        "y": field("y:N", y_title, sort=None, axis=NAMES),
    }
    color = shades("value:Q", value_title, 0, most, is_share=is_share)
    tooltip = [field("x:N", x_title), field("y:N", y_title), field("text:N", value_title)]
    edge = {"stroke": COLORS["neutral"], "strokeWidth": 0.5}
    ink = {"condition": {"test": "datum.is_dark", "value": _ON_DARK}, "value": _ON_LIGHT}
    figures = {"fontSize": 11, "opacity": room(table["text"], 1, 0)}
    return chart(
        layer(table, "rect", edge, **place, color=color, tooltip=tooltip),
        layer(table, "text", figures, **place, text=field("text:N"), color=ink),
        height=max(80, 30 * table["y"].nunique() + 10),
    )


def histogram(
    edges: Sequence[float] | NumberArray,
    n_of: Sequence[float] | NumberArray,
    *,
    of: str,
    x_title: str,
    y_title: str,
    looks: Mapping[str, object] | None = None,
    **x: object,
) -> Chart:
    """Draw counts per interval in the colour of a meaning; intervals of nothing are left out."""
    table = pd.DataFrame({"lower": edges[:-1], "upper": edges[1:], "count": n_of})
    table = table[table["count"] > 0]
    largest = float(table["count"].max()) if len(table) else 1
    return chart(
        layer(
            table,
            "bar",
            {"color": COLORS[of], **(looks or {})},
            x=field("lower:Q", x_title, bin="binned", scale={"domain": [edges[0], edges[-1]]}, **x),
            x2={"field": "upper"},
            y=field("count:Q", y_title, **counts(largest)),
            tooltip=[
                field("lower:Q", "From"),
                field("upper:Q", own("to")),
                field("count:Q", y_title, format=","),
            ],
        ),
        height=HEIGHT,
    )
