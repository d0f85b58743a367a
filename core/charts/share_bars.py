"""One bar whose parts sum to a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from core.charts.colors import COLORS
from core.charts.layout import PERCENT_LABEL, sized
from core.measures.formatting import format_number
from core.measures.measure import Unit
from core.verdict import Verdict


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
            "start:Q",
            title=title or f"Share of {unit}",
            axis=alt.Axis(labelExpr=PERCENT_LABEL, grid=False),
            scale=alt.Scale(domain=[0, 1], nice=False),
        ),
        x2="end:Q",
    )
    bar = base.mark_bar(height=36).encode(
        color=alt.Color(
            "legend:N", scale=scale, legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=2)
        ),
        order=alt.Order("position:Q"),
        tooltip=[
            alt.Tooltip("label:N", title="Part"),
            alt.Tooltip("count:Q", title=unit.capitalize(), format=","),
            alt.Tooltip("share:N", title="Share"),
        ],
    )
    return sized(alt.layer(bar), 64)


def verdict_counts_bar(counts: Mapping[Verdict, int], *, unit: str = "checks") -> alt.LayerChart:
    """Draw how many checks ended in each verdict, from PASS to FAIL; see :func:`stacked_share_bar`."""
    parts = [
        Part(
            label=f"{verdict.symbol} {verdict.word}",
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
