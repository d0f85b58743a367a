"""The size and theme that a chart has in a printed report."""

from __future__ import annotations

from typing import cast

import altair as alt

from core.charts.colors import TEXT_COLOR
from core.charts.specifications import Specification

REPORT_WIDTH = 720


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
