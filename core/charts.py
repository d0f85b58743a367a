"""What all charts share: colours with one meaning each, safe field names, and the builders several tools use.

Charts are drawn from aggregates. They carry no theme of their own, so that the page's theme (light or
dark) applies; every colour is readable on both. :func:`for_report` gives a chart the size and theme of a
printed report.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from core.measures.formatting import format_number
from core.measures.measure import Unit
from core.verdict import Verdict

COLORS: Mapping[str, str] = MappingProxyType(
    {
        "PASS": "#009E73",
        "WARN": "#B98300",
        "NOT_ASSESSED": "#7C8494",
        "FAIL": "#C93A22",
        "original": "#1F6DB0",
        "anonymized": "#D2679A",
        "observed": "#5B6BD6",
        "chance": "#8C8370",
        "kept": "#2A8C9E",
        "generalized": "#A88A1E",
        "removed": "#A2556B",
        "neutral": "#6F7F95",
        "threshold": "#9A5BD0",
    }
)
"""Meaning → colour, the same on every page. Each has a contrast of at least 3:1 against the light and the
dark background; within a group (the four verdicts, original and anonymized, observed and chance, kept,
generalized and removed) the colours stay apart for colour-blind readers."""

LIGHT_BACKGROUND = "#ffffff"
DARK_BACKGROUND = "#0e1117"
TEXT_COLOR = "#727B8A"  # marks of type text: the one grey readable on both backgrounds

VERDICT_LABELS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.PASS: "PASS",
        Verdict.WARN: "WARN",
        Verdict.NOT_ASSESSED: "NOT ASSESSED",
        Verdict.FAIL: "FAIL",
    }
)
VERDICT_SYMBOLS: Mapping[Verdict, str] = MappingProxyType(
    {Verdict.PASS: "✓", Verdict.WARN: "!", Verdict.NOT_ASSESSED: "?", Verdict.FAIL: "✕"}
)
"""A verdict is told by word and symbol; its colour only repeats it."""

HEIGHT = 280
REPORT_WIDTH = 720
LABEL_LIMIT = 240
_PERCENT_LABEL = "format(100 * datum.value, '.3~g') + ' %'"
_HEATMAP_RANGE = ("#DCE9F5", "#6AA3D5", "#134A80")

NumberArray = npt.NDArray[np.float64] | npt.NDArray[np.int64]


# ---------------------------------------------------------------------------------------------- names


def safe_frame(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Rename the columns to c0, c1, … so that no name is read as an expression.

    Altair and Vega read ``a.b``, ``x[0]`` and ``q:Q`` as paths and types and then draw wrong or empty
    charts without an error. Plot the returned frame and give each axis its title.

    Returns
    -------
    tuple
        The renamed copy, and safe name → title in the order of the columns. Duplicate names stay apart.
    """
    titles = {f"c{position}": str(name) for position, name in enumerate(frame.columns)}
    return frame.set_axis(list(titles), axis=1), titles


def meaning_scale(meanings: Sequence[str]) -> alt.Scale:
    """Return the colour scale that gives each meaning of :data:`COLORS` its one colour."""
    return alt.Scale(domain=list(meanings), range=[COLORS[meaning] for meaning in meanings])


# ------------------------------------------------------------------------------------- specifications


@dataclass(frozen=True, eq=False)
class Specification:
    """A chart as its Vega-Lite specification, for charts that a slider draws again.

    Altair's objects check every part against the whole schema: that takes longer than all else between a
    slider and its chart.

    Attributes
    ----------
    content
        Top-level specification; data under ``datasets``, rows of plain values.
    """

    content: Mapping[str, object]

    def to_dict(self) -> dict[str, object]:
        """Return the specification as a copy of its own, as Altair's charts do."""
        return copy.deepcopy(dict(self.content))


def specification(
    layers: Sequence[Mapping[str, object]], datasets: Mapping[str, object], *, height: int
) -> Specification:
    """Return layers over named datasets as a chart as wide as what it stands in."""
    return Specification(
        {
            "$schema": alt.SCHEMA_URL,
            "layer": list(layers),
            "datasets": dict(datasets),
            "width": "container",
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
        }
    )


def rule_layers(dataset: str, x: Mapping[str, object], *, offset: int = 0) -> list[dict[str, object]]:
    """Return a dashed vertical threshold and its ``label``, above the plot where no bar can cover it."""
    rule = {"type": "rule", "color": COLORS["threshold"], "strokeDash": [6, 4], "strokeWidth": 2}
    text = {"type": "text", "color": COLORS["threshold"], "align": "center", "baseline": "bottom"}
    return [
        {
            "data": {"name": dataset},
            "mark": {**rule, "xOffset": offset} if offset else rule,
            "encoding": {"x": dict(x)},
        },
        {
            "data": {"name": dataset},
            "mark": {**text, "fontWeight": "bold"},
            "encoding": {
                "x": dict(x),
                "y": {"value": -3},
                "text": {"field": "label", "type": "nominal"},
            },
        },
    ]


def _rule_label(base: alt.Chart) -> alt.Chart:
    """Return the name of a vertical rule, written above the plot where no bar can cover it."""
    text = base.mark_text(color=COLORS["threshold"], align="center", baseline="bottom", fontWeight="bold")
    return text.encode(y=alt.value(-3), text="label:N")


def _flat_labels() -> alt.Axis:
    return alt.Axis(labelAngle=0, labelOverlap=False, labelLimit=LABEL_LIMIT)


# -------------------------------------------------------------------------------------- proportion bars


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a whole: its name, how many, and what its colour means (a key of :data:`COLORS`)."""

    label: str
    count: float
    meaning: str


def stacked_share_bar(parts: Sequence[Part], *, unit: Unit, title: str = "") -> alt.LayerChart:
    """Draw one horizontal bar whose parts sum to the whole.

    Parameters
    ----------
    parts
        Distinct meanings, counts of at least 0; parts of 0 stay in the legend.
    unit
        What is counted, for the axis title and the legend.
    title
        Axis title; "Share of <unit>" when empty.

    Returns
    -------
    altair.LayerChart
        The legend names each part with count and share, so colour is never the only signal.
    """
    table = _share_table(parts, unit)
    scale = alt.Scale(domain=list(table["legend"]), range=[COLORS[part.meaning] for part in parts])
    base = alt.Chart(table).encode(
        x=alt.X(
            "start:Q", title=title or f"Share of {unit}", axis=_percent_axis(grid=False), scale=_unit_scale()
        ),
        x2="end:Q",
    )
    bar = base.mark_bar(height=36).encode(
        color=alt.Color(
            "legend:N", scale=scale, legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=4)
        ),
        order=alt.Order("position:Q"),
        tooltip=[
            alt.Tooltip("label:N", title="Part"),
            alt.Tooltip("count:Q", title=unit.capitalize(), format=","),
            alt.Tooltip("share:N", title="Share"),
        ],
    )
    return _sized(alt.layer(bar), 64)


def verdict_counts_bar(counts: Mapping[Verdict, int], *, unit: str = "checks") -> alt.LayerChart:
    """Draw how many checks ended in each verdict, from PASS to FAIL; see :func:`stacked_share_bar`."""
    parts = [
        Part(
            label=f"{VERDICT_SYMBOLS[verdict]} {VERDICT_LABELS[verdict]}",
            count=counts.get(verdict, 0),
            meaning=verdict.value,
        )
        for verdict in Verdict
        if counts.get(verdict, 0) or verdict is not Verdict.NOT_ASSESSED
    ]
    return stacked_share_bar(parts, unit="values", title=f"Share of {unit}")


def _share_table(parts: Sequence[Part], unit: Unit) -> pd.DataFrame:
    counts = np.array([part.count for part in parts], dtype=float)
    shares = counts / counts.sum() if counts.sum() > 0 else np.zeros(len(parts))
    ends = np.cumsum(shares)
    texts = [format_number("share", float(share)) for share in shares]
    return pd.DataFrame(
        {
            "position": range(len(parts)),
            "label": [part.label for part in parts],
            "count": counts,
            "share": texts,
            "legend": [
                f"{part.label}: {format_number(unit, part.count)} ({text})"
                for part, text in zip(parts, texts, strict=True)
            ],
            "start": ends - shares,
            "end": ends,
        }
    )


def _percent_axis(*, grid: bool = True) -> alt.Axis:
    return alt.Axis(labelExpr=_PERCENT_LABEL, grid=grid)


def _unit_scale() -> alt.Scale:
    return alt.Scale(domain=[0, 1], nice=False)


# ------------------------------------------------------------------------------------ other builders


def histogram(
    edges: Sequence[float] | NumberArray,
    counts: Mapping[str, Sequence[float] | NumberArray],
    *,
    x_title: str,
    y_title: str,
    rule: float | None = None,
    rule_label: str = "",
) -> alt.LayerChart:
    """Draw counts per interval, one or more series laid over each other.

    Parameters
    ----------
    edges
        Shape (n_bins + 1,), ascending.
    counts
        Meaning (a key of :data:`COLORS`, such as ``original``) → shape (n_bins,).
    x_title, y_title
        Axis titles with units.
    rule, rule_label
        Where to draw a dashed threshold, and its name.
    """
    lower, upper = list(edges[:-1]), list(edges[1:])
    table = pd.concat(
        [
            pd.DataFrame({"lower": lower, "upper": upper, "count": list(values), "series": meaning})
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
                alt.Tooltip("lower:Q", title="From"),
                alt.Tooltip("upper:Q", title="to"),
                alt.Tooltip("count:Q", title=y_title, format=","),
                alt.Tooltip("series:N", title="Series"),
            ],
        )
    )
    layers = [bars] if rule is None else [bars, *_value_rule(rule, rule_label)]
    return _sized(alt.layer(*layers), HEIGHT)


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
    """Draw one bar per row, in the order of the frame, with a tick for what to compare it with.

    Parameters
    ----------
    frame
        One row per bar. Any column names; labels are unique; a missing value draws no bar.
    label, value, reference
        Columns: text of the bar, its length, and the length of the reference tick.
    unit
        ``share`` and ``risk`` get a percent axis from 0 to 100 %.
    value_title, label_title
        Axis titles with units.
    meaning, reference_meaning
        What the colours mean, keys of :data:`COLORS`; both appear in the legend.
    rule, rule_label
        Where to draw a dashed threshold, and its name.
    """
    columns = [label, value] if reference is None else [label, value, reference]
    table, _ = safe_frame(frame[columns])
    meanings = (meaning,) if reference is None else (meaning, reference_meaning)
    scale = {"domain": list(meanings), "range": [COLORS[each] for each in meanings]}
    legend = None if reference is None else {"title": None, "orient": "top", "symbolOpacity": 1}
    y: dict[str, object] = {"field": "c0", "type": "nominal", "sort": None, "title": label_title}
    y["axis"] = {"labelLimit": LABEL_LIMIT}
    bars = {
        "data": {"name": "bars"},
        "mark": {"type": "bar", "height": {"band": 0.55}},
        "encoding": {
            "y": y,
            "x": {"field": "c1", "type": "quantitative", "title": value_title, **_value_axis(unit)},
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
        datasets["rule"] = [{"at": rule, "label": rule_label}]
    return specification(layers, datasets, height=max(80, 26 * len(table) + 10))


def _bar_rows(table: pd.DataFrame, column: str, meaning: str, unit: Unit) -> list[dict[str, object]]:
    """Return a row per bar or tick; None where there is no value, so that nothing is drawn."""
    return [
        {
            "c0": label,
            column: None if pd.isna(number) else float(number),
            "series": meaning,
            "text": format_number(unit, number),
        }
        for label, number in zip(table["c0"], table[column], strict=True)
    ]


def _tooltips(label_title: str, value_title: str) -> list[dict[str, object]]:
    return [
        {"field": "c0", "type": "nominal", "title": label_title},
        {"field": "text", "type": "nominal", "title": value_title},
    ]


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
    """Draw one cell per row of the frame, dark for large values, each with its figure written in it.

    Parameters
    ----------
    frame
        One row per cell, in the order in which labels shall appear. Any column names.
    x, y, value
        Columns: labels of the two axes and the figure.
    x_title, y_title, value_title
        Axis and legend titles with units.
    unit
        How to write the figure; ``share`` and ``risk`` colour 0 to 100 %.
    with_figures
        False leaves the figures to the tooltip, for cells too narrow to hold them.
    """
    table, _ = safe_frame(frame[[x, y, value]])
    table["text"] = [format_number(unit, number) for number in table["c2"]]
    percent = unit in ("share", "risk")
    largest = 1.0 if percent else float(table["c2"].max())
    table["dark"] = table["c2"] > 0.5 * largest
    domain = [0, largest / 2, largest]
    base = alt.Chart(table).encode(
        x=alt.X("c0:N", sort=None, title=x_title, axis=_flat_labels()),
        y=alt.Y("c1:N", sort=None, title=y_title, axis=alt.Axis(labelLimit=LABEL_LIMIT)),
    )
    cells = base.mark_rect(stroke=COLORS["neutral"], strokeWidth=0.5).encode(
        color=alt.Color(
            "c2:Q",
            scale=alt.Scale(domain=domain, range=list(_HEATMAP_RANGE), interpolate="lab"),
            legend=alt.Legend(title=value_title, format=_legend_format(unit)),
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
    return _sized(alt.layer(*layers), height)


def _sized(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    """Give a chart its height, that of the plot alone, and the width of what it stands in."""
    # Streamlit would otherwise fit axes and legend into the height, and leave small plots none.
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return cast("alt.LayerChart", chart.properties(width="container", height=height, autosize=fit))


def _legend_format(unit: Unit) -> str:
    """Return how a legend writes numbers: percent, whole counts, or decimals."""
    if unit in ("share", "risk"):
        return ".0%"
    return "," if unit in ("number", "bits") else ",d"


def _value_axis(unit: Unit) -> dict[str, object]:
    if unit in ("share", "risk"):
        return {
            "axis": {"labelExpr": _PERCENT_LABEL, "grid": True},
            "scale": {"domain": [0, 1], "nice": False},
        }
    return {"axis": {"format": ","}}


def _series_color(meanings: Sequence[str], *, show: bool) -> alt.Color:
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1) if show else None
    return alt.Color("series:N", scale=meaning_scale(meanings), legend=legend)


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


def _value_rule(at: float, label: str) -> list[alt.Chart]:
    base = alt.Chart(pd.DataFrame({"at": [at], "label": [label]})).encode(x="at:Q")
    rule = base.mark_rule(color=COLORS["threshold"], strokeDash=[6, 4], strokeWidth=2)
    return [rule, _rule_label(base)]


# -------------------------------------------------------------------------------------------- reports


def for_report(chart: alt.TopLevelMixin | Specification, *, width: int = REPORT_WIDTH) -> dict[str, object]:
    """Return the chart's Vega-Lite specification at a fixed width and with the report's theme.

    Text and axes are drawn in ``currentColor``, the colour of the text around the chart, so that one
    SVG serves light, dark and paper.
    """
    specification = cast("dict[str, object]", chart.to_dict())
    if specification.get("width") == "container":
        specification["width"] = width
        specification["autosize"] = {"type": "fit-x", "contains": "padding"}
    specification = cast("dict[str, object]", _in_ink(specification))
    specification["config"] = _REPORT_CONFIG
    specification["background"] = None
    specification.setdefault("padding", 4)
    return specification


def _in_ink(part: object) -> object:
    """Return a specification with the grey of written labels replaced by the colour of the page's text."""
    if isinstance(part, dict):
        return {name: _in_ink(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_in_ink(value) for value in part]
    return "currentColor" if part == TEXT_COLOR else part


_INK: dict[str, object] = {
    "labelColor": "currentColor",
    "titleColor": "currentColor",
    "gridColor": "currentColor",
    "gridOpacity": 0.12,
    "domainColor": "currentColor",
    "domainOpacity": 0.4,
    "tickColor": "currentColor",
    "tickOpacity": 0.4,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": 600,
    "titlePadding": 8,
}
_REPORT_CONFIG: dict[str, object] = {
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": _INK,
    "header": {"labelColor": "currentColor", "titleColor": "currentColor"},
    "legend": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "symbolType": "square",
    },
    "title": {"color": "currentColor", "subtitleColor": "currentColor"},
}
