"""How every chart looks: colours with one meaning each, sizes, threshold lines, the theme of reports.

A chart is a Vega-Lite specification of plain values. Nothing checks it against the schema when it is drawn,
which takes longer than all else between a slider and its chart; the tests do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from unicodedata import east_asian_width

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
HEIGHT = 280

Channel = dict[str, Any]
Layer = dict[str, Any]
NAMES: Channel = {"labelLimit": 240, "maxExtent": 240}  # axis of names
PERCENT: Channel = {"labelExpr": "format(100 * datum.value, '.3~g') + ' %'", "labelFlush": False}  # of shares
WHOLE: Channel = {"domain": [0, 1], "nice": False}  # scale of shares
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_TITLE_PLACES, _PLACE = 38, 6  # letters of an axis title beside each other, 390 pixels wide; pixels of one
_FRAME = {
    "width": "container",
    # Streamlit would otherwise fit axes and legend into the height, and leave small plots none.
    "autosize": {"type": "fit-x", "contains": "padding"},
    "padding": {"left": 5, "top": 5, "right": 16, "bottom": 5},  # half of the last label is beyond its axis
}


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart: its specification, and the tables that its layers name."""

    content: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]

    def to_dict(self) -> dict[str, Any]:
        """Return the specification with its rows; a missing value is None."""
        rows = {
            name: table.astype(object).where(table.notna(), None).to_dict(orient="records")
            for name, table in self.tables.items()
        }
        return {**self.content, "datasets": rows}


def field(of: str, title: str = "", /, **more: object) -> Channel:
    """Return how a channel reads a column, such as ``events:Q`` for quantities (N: names, O: in order)."""
    name, kind = of.split(":")
    return {"field": name, "type": _TYPES[kind], **({"title": say(title)} if title else {}), **more}


def layer(
    rows: pd.DataFrame | Sequence[Mapping[str, object]],
    mark: str,
    looks: Mapping[str, object] | None = None,
    /,
    **channels: object,
) -> Layer:
    """Return marks of one kind, one a row; their columns are named here, never by what a file calls them."""
    table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    return {"data": table, "mark": {"type": mark, **(looks or {})}, "encoding": channels}


def chart(*layers: Layer, height: int, **more: object) -> Chart:
    """Return layers as a chart as wide as what it stands in; `height` is that of the plot alone.

    Layers without rows are left out: their scales would have no extent, of which browsers warn.
    """
    tables: dict[str, pd.DataFrame] = {}

    def named(each: Layer) -> Layer:
        if "layer" in each:
            return {**each, "layer": [named(part) for part in _with_rows(each["layer"])]}
        known = [name for name, table in tables.items() if table is each["data"]]
        name = known[0] if known else f"rows_{len(tables)}"
        tables[name] = each["data"]
        return {**each, "data": {"name": name}, "encoding": _titled(each["encoding"], height)}

    drawn = [named(each) for each in _with_rows(layers)]
    return Chart({"layer": drawn, "height": height, **_FRAME, **more}, tables)


def _with_rows(layers: Sequence[Layer]) -> Sequence[Layer]:
    return [each for each in layers if "layer" in each or len(each["data"])] or layers[:1]


def _titled(channels: Mapping[str, Any], height: int) -> dict[str, Any]:
    """Return channels with the titles of axes in lines short enough for the height, or a narrow window."""
    room = {"x": _TITLE_PLACES, "y": min(height // _PLACE, _TITLE_PLACES)}
    titles = {axis: channels.get(axis, {}).get("title") for axis in room}
    lines = {axis: _lines(title, room[axis]) for axis, title in titles.items() if title}
    return {**channels, **{axis: {**channels[axis], "title": title} for axis, title in lines.items()}}


def _lines(title: str | Sequence[str], n_places: int) -> str | list[str]:
    lines: list[str] = []
    for part in [title] if isinstance(title, str) else title:
        lines.append("")
        for word in part.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and places(longer) > n_places:
                lines.append(word)
            else:
                lines[-1] = longer
    return lines if lines[1:] else lines[0]


def places(words: str) -> int:
    """Return how wide words are, in letters; Hangul takes two places a syllable."""
    return sum(1 + (east_asian_width(letter) == "W") for letter in words)


def legend(n_columns: int = 1, **more: object) -> dict[str, object]:
    """Return a legend above the plot, entries beside each other; below in a narrow window, so none is cut."""
    columns = {"expr": f"width < 420 ? 1 : {n_columns}"} if n_columns > 1 else 1
    form = {"title": None, "orient": "top", "columns": columns, "labelLimit": 0, "symbolOpacity": 1}
    return {**form, **more}


def meaning(of: str, meanings: Mapping[Any, str] | Sequence[str], **more: object) -> Channel:
    """Return the channel that gives each meaning its colour of :data:`COLORS`.

    `meanings`: what is said to key of the colour; where they are the same word, the words alone.
    """
    keys = meanings if isinstance(meanings, Mapping) else dict(zip(meanings, meanings, strict=True))
    scale = {"domain": [say(word) for word in keys], "range": [COLORS[key] for key in keys.values()]}
    return field(of, scale=scale, **{"legend": legend(len(keys)), **more})


def counts(largest: float = 10, *, log: bool = False) -> dict[str, object]:
    """Return scale and axis of counts; the logarithmic one keeps 0 and names powers of ten."""
    if log:
        powers = [10**power for power in range(len(str(int(max(largest, 1))))) if 10**power <= largest]
        scale = {"type": "symlog", "domain": [0, max(int(largest), 1)]}
        return {"scale": scale, "axis": {"format": ",d", "values": [0, *powers]}}
    # Of few Vega would name halves too, each as the nearest whole number.
    few = {"values": list(range(int(largest) + 1))} if largest < 4 else {}
    return {"axis": {"format": ",d", "tickMinStep": 1, **few}}


def threshold(at: object, label: str, x: Channel, *, shift: int = 0) -> list[Layer]:
    """Return a dashed vertical line and its label, above the plot where no bar can cover it.

    `x`: the channel that places it, which reads the column it names.
    """
    rows = pd.DataFrame([{x["field"]: at, "label": say(label)}])
    line = {"color": COLORS["threshold"], "strokeDash": [6, 4], "strokeWidth": 2, "xOffset": shift}
    words = {"color": COLORS["threshold"], "baseline": "bottom", "fontWeight": "bold"}
    return [
        layer(rows, "rule", line, x=x),
        layer(rows, "text", words, x=x, y={"value": -3}, text=field("label:N")),
    ]


def number_locale() -> dict[str, object]:
    """Return how charts write numbers on their axes: with the separators of the language spoken."""
    written = say(Written("1,234.5"))
    separators = {"thousands": written[1], "decimal": written[-2]}
    return {"number": {**separators, "grouping": [3], "currency": ["", ""]}}


def for_report(drawn: Chart, *, width: int = 720, height: int | None = None) -> dict[str, Any]:
    """Return the chart's Vega-Lite specification at a fixed width, `height` at most, with the report's theme.

    Text and axes are drawn in ``currentColor``, the colour of the text around the chart, so that one
    SVG serves light, dark and paper.
    """
    specification: dict[str, Any] = _as_printed(drawn.to_dict())
    if height is not None:
        specification["height"] = min(specification["height"], height)
    config = {**_REPORT_CONFIG, "locale": number_locale()}
    return {**specification, "width": width, "config": config, "background": None}


def _as_printed(part: Any) -> Any:
    """Return a specification in the colour of the text around it, entries of legends below each other.

    Columns that hang on the width are counted before axes take theirs: the rows left over would be cut off.
    """
    if isinstance(part, dict) and str(part.get("expr", "")).startswith("width"):
        return 1
    if isinstance(part, dict):
        return {name: _as_printed(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_as_printed(value) for value in part]
    return "currentColor" if part == TEXT_COLOR else part


_INK: dict[str, object] = {
    "labelColor": "currentColor",
    "titleColor": "currentColor",
    "labelFontSize": 12,
    "titleFontSize": 12,
}
_REPORT_CONFIG: dict[str, object] = {
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        **_INK,
        "gridColor": "currentColor",
        "gridOpacity": 0.12,
        "domainColor": "currentColor",
        "domainOpacity": 0.4,
        "tickColor": "currentColor",
        "tickOpacity": 0.4,
        "titleFontWeight": 600,
        "titlePadding": 8,
    },
    "legend": {**_INK, "symbolType": "square"},
}
