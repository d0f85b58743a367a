"""The charts of row leakage, drawn from counts."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from core.charts import (
    COLORS,
    HEIGHT,
    Part,
    histogram,
    horizontal_bars,
    meaning_scale,
    sized,
    stacked_share_bar,
)
from core.leakage import LeakageMeasures
from core.leakage.views.tables import columns_table
from core.reports import ReportChart

_MOST_BARS = 30
_NO_PAIRS = "Rows could not be compared with their own, so there is nothing to show here."


def leakage_charts(measures: LeakageMeasures) -> dict[str, ReportChart]:
    """Return the charts by place: ``distribution``, ``columns``, ``proportion`` and ``nearest``."""
    charts = {"nearest": nearest_chart(measures)}
    if measures.rows is not None and measures.random_orders is not None:
        charts |= {
            "distribution": distribution_chart(measures),
            "columns": columns_chart(measures),
            "proportion": proportion_chart(measures),
        }
    return charts


def distribution_chart(measures: LeakageMeasures) -> ReportChart:
    """Draw the rows by their number of matching cells, with chance over it: mean and central 95 %."""
    rows, orders = measures.rows, measures.random_orders
    if rows is None or orders is None:
        raise ValueError(_NO_PAIRS)
    n_columns = len(measures.columns)
    low, high = np.quantile(orders.rows_by_matches, [0.025, 0.975], axis=0)
    table = pd.DataFrame(
        {
            "matches": np.arange(n_columns + 1),
            "observed": np.bincount(rows.match_count, minlength=n_columns + 1),
            "chance": orders.rows_by_matches.mean(axis=0),
            "low": low,
            "high": high,
        }
    )
    shown = table[: int(np.flatnonzero((table["observed"] > 0) | (table["high"] > 0)).max()) + 1]
    return ReportChart(
        title="Matching cells per row, and what chance gives",
        chart=_distribution(shown),
        alt_text=f"Histogram of {rows.n_rows:,} rows by matching cells: mean "
        f"{rows.mean_matching_cells:.2f} of "
        f"{n_columns}, by chance {measures.expected_matching_cells:.2f}.",
    )


def _distribution(table: pd.DataFrame) -> alt.LayerChart:
    meanings = ("observed", "chance")
    scale = meaning_scale(meanings)
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    x = alt.X("matches:O", title="Matching cells per row", axis=alt.Axis(labelAngle=0))
    tooltip = [
        alt.Tooltip("matches:O", title="Matching cells"),
        alt.Tooltip("observed:Q", title="Rows observed", format=","),
        alt.Tooltip("chance:Q", title="Rows by chance, mean", format=",.1f"),
        alt.Tooltip("low:Q", title="95 % of orders from", format=",.0f"),
        alt.Tooltip("high:Q", title="to", format=",.0f"),
    ]
    base = alt.Chart(table).encode(x=x, tooltip=tooltip)
    bars = (
        base.transform_calculate(series="'observed'")
        .mark_bar(width={"band": 0.75})
        .encode(
            y=alt.Y("observed:Q", title="Rows", axis=alt.Axis(format=",d", tickMinStep=1)),
            color=alt.Color("series:N", scale=scale, legend=legend),
        )
    )
    band = base.mark_rule(color=COLORS["chance"], strokeWidth=3, opacity=0.9).encode(y="low:Q", y2="high:Q")
    marks = (
        base.transform_calculate(series="'chance'")
        .mark_point(filled=True, size=90, shape="diamond", opacity=1)
        .encode(y="chance:Q", color=alt.Color("series:N", scale=scale, legend=legend))
    )
    line = base.mark_line(color=COLORS["chance"], strokeWidth=2, strokeDash=[5, 3]).encode(y="chance:Q")
    return sized(alt.layer(bars, band, line, marks), HEIGHT)


def columns_chart(measures: LeakageMeasures) -> ReportChart:
    """Draw by column the share of matching cells, with a tick at chance; the largest excess first."""
    table = columns_table(measures)
    shown = table[:_MOST_BARS]
    part = f" (the {_MOST_BARS} with the largest excess)" if len(table) > _MOST_BARS else ""
    return ReportChart(
        title=f"Matching cells by column, against chance{part}",
        chart=horizontal_bars(
            shown,
            label="Column",
            value="Matching share",
            reference="By chance",
            value_title="Rows in which the cell is the same (%)",
            label_title="Column",
        ),
        alt_text="Bars of matching cells by column with a tick at what chance gives: "
        + "; ".join(
            f"{row['Column']} {row['Matching share']:.1%}, chance {row['By chance']:.1%}"
            for _, row in shown[:5].iterrows()
        )
        + ".",
    )


def proportion_chart(measures: LeakageMeasures) -> ReportChart:
    """Draw rows by full, partial and no leakage, and those that could not be assessed."""
    rows = measures.rows
    if rows is None:
        raise ValueError(_NO_PAIRS)
    parts = [
        Part(label="full leakage", count=rows.n_full, meaning="FAIL"),
        Part(label="partial leakage", count=rows.n_partial, meaning="observed"),
        Part(label="no matching cell", count=rows.n_none, meaning="neutral"),
    ]
    if rows.n_without_valid_cells:
        parts.append(Part(label="no valid cell", count=rows.n_without_valid_cells, meaning="NOT_ASSESSED"))
    return ReportChart(
        title="Rows by leakage",
        chart=stacked_share_bar(parts, unit="records", title="Share of rows"),
        alt_text="; ".join(f"{part.label}: {int(part.count):,} rows" for part in parts) + ".",
    )


def nearest_chart(measures: LeakageMeasures) -> ReportChart:
    """Draw original rows by the share of cells they have in common with their nearest scrambled row."""
    nearest = measures.nearest
    edges = np.linspace(0, 1, 21)
    counts, _ = np.histogram(nearest.best_share, bins=edges)
    return ReportChart(
        title="Cells shared with the nearest scrambled row",
        chart=histogram(
            edges,
            {"observed": counts},
            x_title="Share of valid cells in common with the nearest row",
            y_title="Original rows",
        ),
        alt_text=f"Histogram of {nearest.n_assessed:,} original rows: on average "
        f"{nearest.mean_best_share:.1%} of the valid cells are in common with the nearest row.",
    )
