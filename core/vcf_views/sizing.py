"""How the charts of the VCF verifier fill their place."""

from __future__ import annotations

import altair as alt


def fitted(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    """Return the chart as wide as its place, axes and titles included."""
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized: alt.LayerChart = chart.properties(width="container", height=height, autosize=fit)
    return sized
