"""Bars, bars of shares, heat maps and histograms, each drawn from an aggregated table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.charts.lazy_altair import alt
from core.charts.look import (
    COLORS,
    HEIGHT,
    NAMES,
    PERCENT,
    WHOLE,
    counts,
    layered,
    legend,
    meaning,
    places,
    threshold,
)
from core.coding import FloatArray, IntArray
from core.lazy_pandas import pd
from core.measures.measure import Unit
from core.words import amount, own, say

NumberArray = FloatArray | IntArray


def horizontal_bars(
    rows: Sequence[tuple[Any, ...]],
    *,
    value_title: str,
    label_title: str,
    unit: Unit = "share",
    compared_with: str = "",
    rule: float | None = None,
    rule_label: str = "",
) -> alt.LayerChart:
    """Draw one bar per row, in their order.

    A row is a name and its value; with `compared_with`, such as chance, a third for the tick to compare with.
    """

    def table(place: int, series: str) -> pd.DataFrame:
        named, numbers = [row[0] for row in rows], [row[place] for row in rows]
        words = [say(amount(unit, number)) for number in numbers]
        return pd.DataFrame({"name": named, "value": numbers, "series": say(series), "text": words})

    def named(title: str, written: str) -> list[alt.Tooltip]:
        return [alt.Tooltip("name:N", title=title), alt.Tooltip("text:N", title=written)]

    meanings = ["observed", compared_with] if compared_with else ["observed"]
    is_share = unit in ("share", "risk")
    scale: dict[str, Any] = {"scale": WHOLE} if is_share else {}
    axis = {**PERCENT, "grid": True, "tickCount": 10} if is_share else {"format": ","}
    marks = {
        "x": alt.X("value:Q", title=value_title, axis=axis, **scale),
        "y": alt.Y("name:N", title=label_title, sort=None, axis=NAMES),
        "color": meaning("series:N", meanings, legend=legend() if compared_with else None),
    }
    bars = alt.Chart(table(1, "observed")).mark_bar(height={"band": 0.55})
    layers = [bars.encode(**marks, tooltip=named(label_title, value_title))]
    if compared_with:
        ticks = alt.Chart(table(2, compared_with)).mark_tick(thickness=4, bandSize=22)
        layers.append(ticks.encode(**marks, tooltip=named("Compared with", compared_with)))
    if rule is not None:
        layers += threshold(rule, rule_label, alt.X("value:Q"))
    return layered(*layers, height=max(80, 26 * len(rows) + 10))


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a whole: its name, how many, and what its colour means (a key of :data:`COLORS`)."""

    label: str
    count: float
    meaning: str


def stacked_share_bar(parts: Sequence[Part], *, unit: Unit, title: str) -> alt.LayerChart:
    """Draw one horizontal bar of counts that sum to the whole; the legend names each with count and share."""
    total = sum(part.count for part in parts)
    rows, end = [], 0.0
    for part in parts:
        share = part.count / total if total else 0.0
        start, end, written = end, end + share, say(amount("share", share))
        named = f"{say(part.label)}: {say(amount(unit, part.count))} ({written})"
        rows.append((say(part.label), part.count, written, named, start, end))
    table = pd.DataFrame(rows, columns=["label", "count", "share", "legend", "start", "end"])
    scale = {"domain": list(table["legend"]), "range": [COLORS[part.meaning] for part in parts]}
    axis = {**PERCENT, "grid": False, "tickCount": 10}
    bar = (
        alt.Chart(table)
        .mark_bar(height=36)
        .encode(
            x=alt.X("start:Q", title=title, axis=axis, scale=WHOLE),
            x2=alt.X2("end"),
            color=alt.Color("legend:N", scale=scale, legend=legend(2)),
            tooltip=[
                alt.Tooltip("label:N", title="Part"),
                alt.Tooltip("count:Q", title="Count", format=","),
                alt.Tooltip("share:N", title="Share"),
            ],
        )
    )
    return layered(bar, height=64)


def shades(of: str, title: str, low: float, high: float, *, is_share: bool = True) -> alt.Color:
    """Return the channel that colours shares, or counts, from one to another, pale to dark."""
    ends = {"format": ",d", "values": sorted({int(low), int(low + high) // 2, int(high)})}
    key = {"labelExpr": PERCENT["labelExpr"], "tickCount": 3} if is_share else ends
    above = {"orient": "top", "gradientLength": {"expr": "min(width,200)"}}
    scale = {"domain": [low, (low + high) / 2, high], "range": ["#DCE9F5", "#6AA3D5", "#134A80"]}
    return alt.Color(of, title=title, scale={**scale, "interpolate": "lab"}, legend={**above, **key})


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
) -> alt.LayerChart:
    """Draw one cell per row of the frame, dark for large values, each with its figure where it has room."""
    table = pd.DataFrame({"x": frame[x], "y": frame[y], "value": frame[value]})
    table["text"] = [say(amount(unit, number)) for number in table["value"]]
    is_share = unit in ("share", "risk")
    most = 1.0 if is_share else float(table["value"].max())
    table["is_dark"] = table["value"] > most / 2
    columns = [str(name) for name in dict.fromkeys(table["x"])]

    def room(words: Iterable[str], enough: object, narrow: object) -> dict[str, str]:
        wide = len(columns) * (_LETTER * max(map(places, words)) + 2)
        return {"expr": f"width < {wide} ? {narrow} : {enough}"}

    labels = {"labelAngle": room(columns, 0, -40), "labelAlign": room(columns, "'center'", "'right'")}
    cells = alt.Chart(table).encode(
        x=alt.X("x:N", title=x_title, sort=None, axis={**labels, **NAMES, "labelOverlap": False}),
        y=alt.Y("y:N", title=y_title, sort=None, axis=NAMES),
    )
    ink = {"test": "datum.is_dark", "value": _ON_DARK}
    return layered(
        cells.mark_rect(stroke=COLORS["neutral"], strokeWidth=0.5).encode(
            color=shades("value:Q", value_title, 0, most, is_share=is_share),
            tooltip=[
                alt.Tooltip("x:N", title=x_title),
                alt.Tooltip("y:N", title=y_title),
                alt.Tooltip("text:N", title=value_title),
            ],
        ),
        cells.mark_text(fontSize=11, opacity=room(table["text"], 1, 0)).encode(
            text=alt.Text("text:N"), color=alt.ColorValue(_ON_LIGHT, condition=ink)
        ),
        height=max(80, 30 * table["y"].nunique() + 10),
    )


def histogram(
    edges: Sequence[float] | NumberArray,
    n_of: Sequence[float] | NumberArray,
    *,
    of: str,
    x_title: str,
    y_title: str,
    looks: Mapping[str, Any] | None = None,
) -> alt.LayerChart:
    """Draw counts per interval in the colour of a meaning; intervals of nothing are left out."""
    table = pd.DataFrame({"lower": edges[:-1], "upper": edges[1:], "count": n_of})
    table = table[table["count"] > 0]
    largest = float(table["count"].max()) if len(table) else 1
    domain = {"domain": [edges[0], edges[-1]]}
    bars = (
        alt.Chart(table)
        .mark_bar(color=COLORS[of], **(looks or {}))
        .encode(
            x=alt.X("lower:Q", title=x_title, bin="binned", scale=domain),
            x2=alt.X2("upper"),
            y=alt.Y("count:Q", title=y_title, **counts(largest)),
            tooltip=[
                alt.Tooltip("lower:Q", title="From"),
                alt.Tooltip("upper:Q", title=own("to")),
                alt.Tooltip("count:Q", title=y_title, format=","),
            ],
        )
    )
    return layered(bars, height=HEIGHT)
