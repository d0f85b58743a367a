"""Counts per interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from core.charts.colors import meaning_scale
from core.charts.layout import HEIGHT, sized
from core.charts.thresholds import threshold_rule

NumberArray = npt.NDArray[np.float64] | npt.NDArray[np.int64]


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
    layers = [bars] if rule is None else [bars, *threshold_rule(rule, rule_label)]
    return sized(alt.layer(*layers), HEIGHT)


def _series_color(meanings: Sequence[str], *, show: bool) -> alt.Color:
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1) if show else None
    return alt.Color("series:N", scale=meaning_scale(meanings), legend=legend)
