"""Bars, bars of shares, heatmaps and histograms, each drawn from an aggregated table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from core.charts.look import (
    COLORS,
    HEIGHT,
    LABEL_LIMIT,
    PERCENT_LABEL,
    Specification,
    legend_columns,
    meaning_scale,
    rule_layers,
    safe_frame,
    sized,
    specification,
    threshold_rule,
)
from core.coding import FloatArray, IntArray
from core.measures.measure import Unit
from core.words import Amount, say


def horizontal_bars(
    frame: pd.DataFrame,
    *,
    label: str,
    value: str,
    reference: str | None = None,
    unit: Unit = "share",
    value_title: str,
    label_title: str,
    meaning: str = "observed",
    reference_meaning: str = "chance",
    rule: float | None = None,
    rule_label: str = "",
) -> Specification:
    """Draw one bar per row, in the order of the frame, with a tick for what to compare it with."""
    columns = [label, value] if reference is None else [label, value, reference]
    table, _ = safe_frame(frame[columns])
    meanings = (meaning,) if reference is None else (meaning, reference_meaning)
    scale = {"domain": [say(each) for each in meanings], "range": [COLORS[each] for each in meanings]}
    legend = None if reference is None else {"title": None, "orient": "top", "columns": 1, "symbolOpacity": 1}
    y: dict[str, object] = {"field": "c0", "type": "nominal", "sort": None, "title": say(label_title)}
    y["axis"] = {"labelLimit": LABEL_LIMIT, "maxExtent": LABEL_LIMIT}
    bars = {
        "data": {"name": "bars"},
        "mark": {"type": "bar", "height": {"band": 0.55}},
        "encoding": {
            "y": y,
            "x": {"field": "c1", "type": "quantitative", "title": say(value_title), **_value_axis(unit)},
            "color": {"field": "series", "type": "nominal", "scale": scale, "legend": legend},
            "tooltip": _tooltips(label_title, value_title),
        },
    }
    layers: list[Mapping[str, object]] = [bars]
    datasets: dict[str, object] = {"bars": _bar_rows(table, "c1", meaning, unit)}
    if reference is not None:
        layers.append(_reference_ticks(y, reference_meaning))
        datasets["reference"] = _bar_rows(table, "c2", reference_meaning, unit)
    if rule is not None:
        layers.extend(rule_layers("rule", {"field": "at", "type": "quantitative"}))
        datasets["rule"] = [{"at": rule, "label": say(rule_label)}]
    return specification(layers, datasets, height=max(80, 26 * len(table) + 10))


def _bar_rows(table: pd.DataFrame, column: str, meaning: str, unit: Unit) -> list[dict[str, object]]:
    """Return a row per bar or tick; None where there is no value, so that nothing is drawn."""
    return [
        {
            "c0": label,
            column: None if pd.isna(number) else float(number),
            "series": say(meaning),
            "text": say(Amount(unit, number)),
        }
        for label, number in zip(table["c0"], table[column], strict=True)
    ]


def _tooltips(label_title: str, value_title: str) -> list[dict[str, object]]:
    return [
        {"field": "c0", "type": "nominal", "title": say(label_title)},
        {"field": "text", "type": "nominal", "title": say(value_title)},
    ]


def _value_axis(unit: Unit) -> dict[str, object]:
    if unit in ("share", "risk"):
        return {
            "axis": {"labelExpr": PERCENT_LABEL, "grid": True},
            "scale": {"domain": [0, 1], "nice": False},
        }
    return {"axis": {"format": ","}}


def _reference_ticks(y: Mapping[str, object], meaning: str) -> dict[str, object]:
    return {
        "data": {"name": "reference"},
        "mark": {"type": "tick", "thickness": 4, "bandSize": 22},
        "encoding": {
            "y": dict(y),
            "x": {"field": "c2", "type": "quantitative"},
            "color": {"field": "series", "type": "nominal"},
            "tooltip": _tooltips("Compared with", meaning),
        },
    }


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a whole: its name, how many, and what its colour means (a key of :data:`COLORS`)."""

    label: str
    count: float
    meaning: str


def stacked_share_bar(parts: Sequence[Part], *, unit: Unit, title: str) -> alt.LayerChart:
    """Draw one horizontal bar of counts that sum to the whole; the legend names each with count and share."""
    table = _share_table(parts, unit)
    scale = alt.Scale(domain=list(table["legend"]), range=[COLORS[part.meaning] for part in parts])
    base = alt.Chart(table).encode(
        x=alt.X(
            "start:Q",
            title=say(title),
            axis=alt.Axis(labelExpr=PERCENT_LABEL, grid=False),
            scale=alt.Scale(domain=[0, 1], nice=False),
        ),
        x2="end:Q",
    )
    bar = base.mark_bar(height=36).encode(
        color=alt.Color(
            "legend:N",
            scale=scale,
            legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=legend_columns(2)),
        ),
        order=alt.Order("position:Q"),
        tooltip=[
            alt.Tooltip("label:N", title=say("Part")),
            alt.Tooltip("count:Q", title=say("Count"), format=","),
            alt.Tooltip("share:N", title=say("Share")),
        ],
    )
    return sized(alt.layer(bar), 64)


def _share_table(parts: Sequence[Part], unit: Unit) -> pd.DataFrame:
    counts = np.array([part.count for part in parts], dtype=float)
    shares = counts / counts.sum() if counts.sum() > 0 else np.zeros(len(parts))
    ends = np.cumsum(shares)
    texts = [say(Amount("share", float(share))) for share in shares]
    labels = [say(part.label) for part in parts]
    return pd.DataFrame(
        {
            "position": range(len(parts)),
            "label": labels,
            "count": counts,
            "share": texts,
            "legend": [
                f"{label}: {say(Amount(unit, part.count))} ({text})"
                for label, part, text in zip(labels, parts, texts, strict=True)
            ],
            "start": ends - shares,
            "end": ends,
        }
    )


_HEATMAP_RANGE = ("#DCE9F5", "#6AA3D5", "#134A80")


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
    with_figures: bool = True,
) -> alt.LayerChart:
    """Draw one cell per row of the frame, dark for large values, each with its figure written in it."""
    table, _ = safe_frame(frame[[x, y, value]])
    table["text"] = [say(Amount(unit, number)) for number in table["c2"]]
    x_title, y_title, value_title = say(x_title), say(y_title), say(value_title)
    percent = unit in ("share", "risk")
    largest = 1.0 if percent else float(table["c2"].max())
    table["dark"] = table["c2"] > 0.5 * largest
    domain = [0, largest / 2, largest]
    base = alt.Chart(table).encode(
        x=alt.X("c0:N", sort=None, title=x_title, axis=_flat_labels()),
        y=alt.Y(
            "c1:N", sort=None, title=y_title, axis=alt.Axis(labelLimit=LABEL_LIMIT, maxExtent=LABEL_LIMIT)
        ),
    )
    cells = base.mark_rect(stroke=COLORS["neutral"], strokeWidth=0.5).encode(
        color=alt.Color(
            "c2:Q",
            scale=alt.Scale(domain=domain, range=list(_HEATMAP_RANGE), interpolate="lab"),
            legend=alt.Legend(title=value_title, **_legend_form(unit)),
        ),
        tooltip=[
            alt.Tooltip("c0:N", title=x_title),
            alt.Tooltip("c1:N", title=y_title),
            alt.Tooltip("text:N", title=value_title),
        ],
    )
    texts = base.mark_text(fontSize=11).encode(
        text="text:N", color=alt.condition("datum.dark", alt.value("#F4F8FC"), alt.value("#16202E"))
    )
    height = max(80, 30 * table["c1"].nunique() + 10)
    layers = [cells, texts] if with_figures else [cells]
    return sized(alt.layer(*layers), height)


def _flat_labels() -> alt.Axis:
    return alt.Axis(labelAngle=0, labelOverlap=False, labelLimit=LABEL_LIMIT)


def _legend_form(unit: Unit) -> dict[str, str]:
    """Return how a legend writes numbers: percent, whole counts, or decimals."""
    if unit in ("share", "risk"):
        return {"labelExpr": PERCENT_LABEL}
    return {"format": "," if unit in ("number", "bits") else ",d"}


NumberArray = FloatArray | IntArray


def histogram(
    edges: Sequence[float] | NumberArray,
    counts: Mapping[str, Sequence[float] | NumberArray],
    *,
    x_title: str,
    y_title: str,
    rule: float | None = None,
    rule_label: str = "",
) -> alt.LayerChart:
    """Draw counts per interval, one or more series laid over each other."""
    lower, upper = list(edges[:-1]), list(edges[1:])
    x_title, y_title = say(x_title), say(y_title)
    table = pd.concat(
        [
            pd.DataFrame({"lower": lower, "upper": upper, "count": list(values), "series": say(meaning)})
            for meaning, values in counts.items()
        ]
    )
    several = len(counts) > 1
    bars = (
        alt.Chart(table)
        .mark_bar(strokeWidth=1, fillOpacity=0.55 if several else 1)
        .encode(
            x=alt.X("lower:Q", title=x_title, bin="binned"),
            x2="upper:Q",
            y=alt.Y("count:Q", title=y_title, stack=None),
            color=_series_color(tuple(counts), show=several),
            stroke=alt.Stroke("series:N", legend=None, scale=meaning_scale(tuple(counts))),
            tooltip=[
                alt.Tooltip("lower:Q", title=say("From")),
                alt.Tooltip("upper:Q", title=say("to")),
                alt.Tooltip("count:Q", title=y_title, format=","),
                alt.Tooltip("series:N", title=say("Series")),
            ],
        )
    )
    layers = [bars] if rule is None else [bars, *threshold_rule(rule, rule_label)]
    return sized(alt.layer(*layers), HEIGHT)


def _series_color(meanings: Sequence[str], *, show: bool) -> alt.Color:
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1) if show else None
    return alt.Color("series:N", scale=meaning_scale(meanings), legend=legend)
