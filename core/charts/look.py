"""How every chart looks: colours with one meaning each, sizes, threshold lines, the theme of reports."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from types import MappingProxyType
from typing import cast
from unicodedata import east_asian_width

import altair as alt
import pandas as pd

from core.words import Written, say

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
"""Meaning → colour, the same on every page. Each has a contrast of at least 3:1 against the theme's light
and dark backgrounds; within a group (the four verdicts, original and anonymized, observed and chance,
kept, generalized and removed) the colours stay apart for colour-blind readers."""

TEXT_COLOR = "#727B8A"  # marks of type text: the one grey readable on both backgrounds


def meaning_scale(meanings: Sequence[str]) -> alt.Scale:
    """Return the colour scale that gives each meaning of :data:`COLORS`, as it is said, its one colour."""
    return alt.Scale(
        domain=[say(meaning) for meaning in meanings], range=[COLORS[meaning] for meaning in meanings]
    )


HEIGHT = 280

LABEL_LIMIT = 240
PERCENT_LABEL = "format(100 * datum.value, '.3~g') + ' %'"


def safe_frame(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Rename the columns to c0, c1, …: Altair reads ``a.b``, ``x[0]`` and ``q:Q`` as paths and types."""
    titles = {f"c{position}": str(name) for position, name in enumerate(frame.columns)}
    return frame.set_axis(list(titles), axis=1), titles


_PADDING = {"left": 5, "top": 5, "right": 16, "bottom": 5}  # half of the last label stands beyond its axis
_TITLE_PLACES = 38  # letters of an axis title that stand beside each other 390 pixels wide


def sized(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    """Give a chart its height, that of the plot alone, and the width of what it stands in."""
    # Streamlit would otherwise fit axes and legend into the height, and leave small plots none.
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return cast(
        "alt.LayerChart", chart.properties(width="container", height=height, autosize=fit, padding=_PADDING)
    )


def title_lines(title: str) -> list[str]:
    """Return an axis title in lines short enough for a narrow window; Hangul takes two places a syllable."""
    lines = [""]
    for word in title.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and sum(1 + (east_asian_width(letter) == "W") for letter in longer) > _TITLE_PLACES:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def legend_columns(most: int) -> alt.ExprRef:
    """Return how many entries of a legend stand beside each other; in a narrow window one, so none is cut."""
    return alt.ExprRef(f"width < 420 ? 1 : {most}")


@dataclass(frozen=True, eq=False)
class Specification:
    """A chart as its Vega-Lite specification, for charts that a slider draws again.

    Altair's objects check every part against the whole schema: that takes longer than all else between a
    slider and its chart.
    """

    content: Mapping[str, object]  # Top-level specification; data under ``datasets``, rows of plain values

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
            "padding": _PADDING,
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
            "encoding": {"x": dict(x), "y": {"value": -3}, "text": {"field": "label", "type": "nominal"}},
        },
    ]


def threshold_rule(at: float, label: str) -> list[alt.Chart]:
    """Return the same as :func:`rule_layers` for layers of Altair, on a quantitative axis."""
    base = alt.Chart(pd.DataFrame({"at": [at], "label": [say(label)]})).encode(x="at:Q")
    rule = base.mark_rule(color=COLORS["threshold"], strokeDash=[6, 4], strokeWidth=2)
    text = base.mark_text(color=COLORS["threshold"], align="center", baseline="bottom", fontWeight="bold")
    return [rule, text.encode(y=alt.value(-3), text="label:N")]


def number_locale() -> dict[str, object]:
    """Return how charts write numbers on their axes: with the separators of the language spoken."""
    written = say(Written("1,234.5"))
    separators = {"thousands": written[1], "decimal": written[-2]}
    return {"number": {**separators, "grouping": [3], "currency": ["", ""]}}


_REPORT_WIDTH = 720


def for_report(
    chart: alt.TopLevelMixin | Specification, *, width: int = _REPORT_WIDTH, height: int | None = None
) -> dict[str, object]:
    """Return the chart's Vega-Lite specification at a fixed width, `height` at most, with the report's theme.

    Text and axes are drawn in ``currentColor``, the colour of the text around the chart, so that one
    SVG serves light, dark and paper.
    """
    specification = cast("dict[str, object]", chart.to_dict())
    if specification.get("width") == "container":
        specification["width"] = width
        specification["autosize"] = {"type": "fit-x", "contains": "padding"}
    drawn_height = specification.get("height")
    if height is not None and isinstance(drawn_height, int):
        specification["height"] = min(drawn_height, height)
    specification = cast("dict[str, object]", _fitting(_in_ink(specification), width))
    specification["config"] = {**_REPORT_CONFIG, "locale": number_locale()}
    specification["background"] = None
    specification.setdefault("padding", {"left": 4, "top": 4, "bottom": 4, "right": 28})  # labels of bars
    return specification


def _in_ink(part: object) -> object:
    """Return a specification with the grey of written labels replaced by the colour of the page's text."""
    if isinstance(part, dict):
        return {name: _in_ink(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_in_ink(value) for value in part]
    return "currentColor" if part == TEXT_COLOR else part


def _fitting(part: object, width: int) -> object:
    """Return a specification whose long titles and legends are broken into lines: they would be cut off."""
    if isinstance(part, list):
        return [_fitting(value, width) for value in part]
    if not isinstance(part, dict):
        return part
    found = {name: _fitting(value, width) for name, value in part.items()}
    if width >= _REPORT_WIDTH:
        return found
    for channel, n_pixels in (("x", width), ("y", HEIGHT)):
        axis = found.get(channel)
        if isinstance(axis, dict) and isinstance(axis.get("title"), str):
            found[channel] = {**axis, "title": _lines(axis["title"], n_pixels)}
    legend = found.get("legend")
    if isinstance(legend, dict) and legend.get("orient") in ("top", "bottom"):
        found["legend"] = {**legend, "columns": 1}
    return found


def _lines(title: str, n_pixels: int) -> list[str]:
    return wrap(title, n_pixels // _LETTER, break_long_words=False, break_on_hyphens=False)


_LETTER = 8  # pixels of a letter in a title
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
