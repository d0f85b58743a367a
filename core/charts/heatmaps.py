"""A figure for each pair of two labels."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.charts.colors import COLORS
from core.charts.layout import LABEL_LIMIT, safe_frame, sized
from core.measures.formatting import format_number
from core.measures.measure import Unit

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
    return sized(alt.layer(*layers), height)


def _flat_labels() -> alt.Axis:
    return alt.Axis(labelAngle=0, labelOverlap=False, labelLimit=LABEL_LIMIT)


def _legend_format(unit: Unit) -> str:
    """Return how a legend writes numbers: percent, whole counts, or decimals."""
    if unit in ("share", "risk"):
        return ".0%"
    return "," if unit in ("number", "bits") else ",d"
