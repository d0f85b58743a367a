"""How every chart looks: colours with one meaning each, sizes, threshold lines, the theme of reports.

A chart is an Altair chart. Titles of its channels are said in the language spoken when it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from unicodedata import east_asian_width

from core.charts.lazy_altair import alt
from core.lazy_pandas import pd
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

NAMES: dict[str, Any] = {"labelLimit": 240, "maxExtent": 240}  # axis of names
PERCENT: dict[str, Any] = {
    "labelExpr": "format(100 * datum.value, '.3~g') + ' %'",
    "labelFlush": False,
}  # of shares
WHOLE: dict[str, Any] = {"domain": [0, 1], "nice": False}  # scale of shares
_TITLE_PLACES, _PLACE = 38, 6  # letters of an axis title beside each other, 390 pixels wide; pixels of one
_MOST_TOLD = 5  # marks in words
_FRAME: dict[str, Any] = {
    "width": "container",
    # Streamlit would otherwise fit axes and legend into the height, and leave small plots none.
    "autosize": {"type": "fit-x", "contains": "padding"},
    "padding": {"left": 5, "top": 5, "right": 16, "bottom": 5},  # half of the last label is beyond its axis
}


def layered(*layers: alt.Chart, height: int, **more: Any) -> alt.LayerChart:
    """Return layers as a chart as wide as what it stands in; `height` is that of the plot alone.

    Layers without rows are left out: their scales would have no extent, of which browsers warn.
    """
    shown = [each for each in layers if len(each.data)] or layers[:1]
    return alt.LayerChart(layer=shown, height=height, **_FRAME, **more)


def specification(
    chart: alt.LayerChart, *, validate: bool = False
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    """Return a chart as Vega-Lite in the language spoken, and the tables that its layers name."""
    with _named_tables(chart) as tables:
        written: dict[str, Any] = chart.to_dict(validate=validate)
    del written["$schema"]
    said: dict[str, Any] = _said({**written, "config": {"locale": number_locale()}}, written["height"])
    return said, tables


@contextmanager
def _named_tables(chart: alt.LayerChart) -> Iterator[dict[str, pd.DataFrame]]:
    """Let a chart name its tables for a while, instead of holding them, and yield them by name."""
    tables: dict[str, pd.DataFrame] = {}
    held = [(part, part.data) for part in (chart, *chart.layer) if isinstance(part.data, pd.DataFrame)]
    for part, table in held:
        known = [name for name, other in tables.items() if other is table]
        name = known[0] if known else f"rows_{len(tables)}"
        tables[name], part.data = table, alt.NamedData(name)
    try:
        yield tables
    finally:
        for part, table in held:
            part.data = table


def _said(part: Any, height: int, channel: str = "") -> Any:
    """Return a part of a specification with its titles said, those of axes in lines.

    The lines are short enough for the height of the plot, or for a narrow window.
    """
    if isinstance(part, list):
        return [_said(each, height) for each in part]
    if not isinstance(part, dict):
        return part
    said = {name: _said(value, height, name) for name, value in part.items()}
    if title := said.get("title"):
        room = {"x": _TITLE_PLACES, "y": min(height // _PLACE, _TITLE_PLACES)}.get(channel)
        words = [say(each) for each in ([title] if isinstance(title, str) else title)]
        said["title"] = _lines(words, room) if room else words[0]
    return said


def _lines(parts: Sequence[str], n_places: int) -> str | list[str]:
    lines: list[str] = []
    for part in parts:
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


def legend(n_columns: int = 1, **more: Any) -> dict[str, Any]:
    """Return a legend above the plot, entries beside each other; below in a narrow window, so none is cut."""
    columns = {"expr": f"width < 420 ? 1 : {n_columns}"} if n_columns > 1 else 1
    form = {"title": None, "orient": "top", "columns": columns, "labelLimit": 0, "symbolOpacity": 1}
    return {**form, **more}


def meaning(of: str, meanings: Mapping[Any, str] | Sequence[str], **more: Any) -> alt.Color:
    """Return the channel that gives each meaning its colour of :data:`COLORS`.

    `meanings`: what is said to key of the colour; where they are the same word, the words alone.
    """
    keys = meanings if isinstance(meanings, Mapping) else dict(zip(meanings, meanings, strict=True))
    scale = {"domain": [say(word) for word in keys], "range": [COLORS[key] for key in keys.values()]}
    return alt.Color(of, scale=scale, **{"legend": legend(len(keys)), **more})


def counts(largest: float = 10, *, log: bool = False) -> dict[str, Any]:
    """Return scale and axis of counts; the logarithmic one keeps 0 and names powers of ten."""
    if log:
        powers = [10**power for power in range(len(str(int(max(largest, 1))))) if 10**power <= largest]
        scale = {"type": "symlog", "domain": [0, max(int(largest), 1)]}
        return {"scale": scale, "axis": {"format": ",d", "values": [0, *powers]}}
    # Of few Vega would name halves too, each as the nearest whole number.
    few = {"values": list(range(int(largest) + 1))} if largest < 4 else {}
    return {"axis": {"format": ",d", "tickMinStep": 1, **few}}


def threshold(at: object, label: str, x: alt.X, *, shift: int = 0) -> list[alt.Chart]:
    """Return a dashed vertical line and its label, above the plot where no bar can cover it.

    `x`: the channel that places it, which reads the column it names.
    """
    column = x["shorthand"].partition(":")[0]
    marks = alt.Chart(pd.DataFrame([{column: at, "label": say(label)}])).encode(x=x)
    color = COLORS["threshold"]
    return [
        marks.mark_rule(color=color, strokeDash=[6, 4], strokeWidth=2, xOffset=shift),
        marks.mark_text(color=color, baseline="bottom", fontWeight="bold").encode(
            y=alt.YValue(-3), text=alt.Text("label:N")
        ),
    ]


def number_locale() -> dict[str, object]:
    """Return how charts write numbers on their axes: with the separators of the language spoken."""
    written = say(Written("1,234.5"))
    separators = {"thousands": written[1], "decimal": written[-2]}
    return {"number": {**separators, "grouping": [3], "currency": ["", ""]}}


def on_page(chart: alt.LayerChart) -> dict[str, Any]:
    """Return a chart as Streamlit takes it; the theme is the page's."""
    written, tables = specification(chart)
    return {**written, "datasets": tables}


def vega_lite(chart: alt.LayerChart, *, validate: bool = False) -> dict[str, Any]:
    """Return a chart as Vega-Lite with its rows; a missing value is None."""
    written, tables = specification(chart, validate=validate)
    rows = {
        name: table.astype(object).where(table.notna(), None).to_dict(orient="records")
        for name, table in tables.items()
    }
    return {**written, "datasets": rows}


def described(written: Mapping[str, Any]) -> str:
    """Return what a chart shows in words: titles of axes, what its first marks are, and thresholds."""
    layers = [each["encoding"] for each in written["layer"]]
    axes = (("x", "Horizontal axis: {title}."), ("y", "Vertical axis: {title}."))
    titles = [(layers[0].get(axis, {}).get("title"), message) for axis, message in axes]
    said = [
        say(message, title=title if isinstance(title, str) else " ".join(title))
        for title, message in titles
        if title
    ]
    told: list[object] = []
    for layer in written["layer"]:
        tips, words = (layer["encoding"].get(name) for name in ("tooltip", "text"))
        named = layer.get("data", written.get("data"))
        if isinstance(tips, list) and tips not in told:
            told.append(tips)
            said.append(_first_marks(tips, written["datasets"][named["name"]]))
        elif words and layer["mark"].get("color") == COLORS["threshold"]:
            (row,) = pd.DataFrame(written["datasets"][named["name"]]).to_dict(orient="records")
            said.append(say("Threshold: {words}.", words=row[words["field"]]))
    return " ".join(said)


def one_bar(chart: alt.LayerChart) -> str:
    """Return in words what a chart says that has one bar and nothing beside it; "" for any other.

    Such a bar is as long as any other number would make it: no picture of it is shown.
    """
    (bars, *others), mark = chart.layer, chart.layer[0].mark
    is_bar = (mark if isinstance(mark, str) else mark.type) == "bar"
    rows = bars.data if isinstance(bars.data, pd.DataFrame) else chart.data
    if others or not is_bar or not isinstance(rows, pd.DataFrame) or len(rows) != 1:
        return ""
    tips = vega_lite(chart)["layer"][0]["encoding"].get("tooltip", ())
    (row,) = rows.to_dict(orient="records")
    return " · ".join(f"{tip['title']}: {_cell(row[tip['field']])}" for tip in tips)


def _first_marks(tips: Sequence[Mapping[str, str]], rows: pd.DataFrame | Sequence[object]) -> str:
    """Return what the tooltips of the first marks say, such as "Column, Share: age, 20 %; sex, 5 %."."""
    first = pd.DataFrame(rows[:_MOST_TOLD]).to_dict(orient="records")
    marks = [", ".join(_cell(row[tip["field"]]) for tip in tips) for row in first]
    end = "; …" if len(rows) > _MOST_TOLD else "."
    return f"{', '.join(tip['title'] for tip in tips)}: {'; '.join(marks)}{end}"


def _cell(value: object) -> str:
    if isinstance(value, int | float):
        return say(Written(f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"))
    return str(value)


def for_report(chart: alt.LayerChart, *, width: int = 720, height: int | None = None) -> dict[str, Any]:
    """Return a chart as Vega-Lite at a fixed width, `height` at most, with the theme of a report.

    Text and axes are drawn in ``currentColor``, the colour of the text around the chart, so that one
    SVG serves light, dark and paper.
    """
    printed: dict[str, Any] = _as_printed(vega_lite(chart))
    if height is not None:
        printed["height"] = min(printed["height"], height)
    config = {**_REPORT_CONFIG, **printed["config"]}
    return {**printed, "width": width, "config": config, "background": None}


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
