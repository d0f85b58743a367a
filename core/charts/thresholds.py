"""A threshold: a dashed vertical line with its name above the plot."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from core.charts.colors import COLORS


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


def threshold_rule(at: float, label: str) -> list[alt.Chart]:
    """Return the same as :func:`rule_layers` for layers of Altair, on a quantitative axis."""
    base = alt.Chart(pd.DataFrame({"at": [at], "label": [label]})).encode(x="at:Q")
    rule = base.mark_rule(color=COLORS["threshold"], strokeDash=[6, 4], strokeWidth=2)
    text = base.mark_text(color=COLORS["threshold"], align="center", baseline="bottom", fontWeight="bold")
    return [rule, text.encode(y=alt.value(-3), text="label:N")]
