"""The charts of a row-leakage audit, drawn from aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from core.charts import (
    COLORS,
    HEIGHT,
    Part,
    alt,
    counts,
    histogram,
    horizontal_bars,
    layered,
    meaning,
    stacked_share_bar,
)
from core.leakage.measuring import LeakageMeasures
from core.result import Drawing
from core.words import Written, own, percent, say, text

_MOST_PLACES = 100
_MOST_BARS = 30


def leaked_drawing(leaked: Sequence[tuple[int, str]], n_original: int) -> Drawing:
    """Draw where in the original the leaked rows stand, by their numbers from 1, and nothing but them."""
    rows, n_elsewhere = [row for row, _ in leaked], sum(place == "elsewhere" for _, place in leaked)
    edges = np.linspace(0.5, n_original + 0.5, min(n_original, _MOST_PLACES) + 1)
    found, _ = np.histogram(rows, bins=edges)
    return Drawing(
        text(
            "{n} of {total} original rows is still there in full: {own} in its own place, {elsewhere} "
            "elsewhere",
            "{n} of {total} original rows are still there in full: {own} in their own place, {elsewhere} "
            "elsewhere",
            n=len(leaked),
            total=n_original,
            own=len(leaked) - n_elsewhere,
            elsewhere=n_elsewhere,
        ),
        partial(
            histogram,
            edges,
            found,
            of="FAIL",
            x_title="Row of the original table",
            y_title="Rows still there",
            looks={"stroke": COLORS["FAIL"], "strokeWidth": 2},
        ),
        text(
            "Bars of leaked rows by their place in the original table, from row {first} to row {last}.",
            first=min(rows),
            last=max(rows),
        ),
        where="page",
    )


def distribution_drawing(measures: LeakageMeasures) -> tuple[Drawing, ...]:
    """Draw the rows by their number of matching cells, with chance over it: mean and central 95 %.

    None where rows could not be compared with their own.
    """
    rows, orders = measures.rows, measures.random_orders
    if rows is None or orders is None:
        return ()
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
    drawing = Drawing(
        "Matching cells per row, and what chance gives",
        partial(_distribution, shown),
        text(
            "Histogram of {n} row by matching cells: mean {mean} of {cells}, by chance {expected}.",
            "Histogram of {n} rows by matching cells: mean {mean} of {cells}, by chance {expected}.",
            n=rows.n_rows,
            mean=Written(f"{rows.mean_matching_cells:.2f}"),
            cells=n_columns,
            expected=Written(f"{measures.expected_matching_cells:.2f}"),
        ),
    )
    return (drawing,)


def _distribution(table: pd.DataFrame) -> alt.LayerChart:
    table = table.assign(is_seen=say("observed"), is_chance=say("chance"))
    rows = alt.Chart(table).encode(
        x=alt.X("matches:O", title="Matching cells per row", axis={"labelAngle": 0}),
        tooltip=[
            alt.Tooltip("matches:O", title="Matching cells"),
            alt.Tooltip("observed:Q", title="Rows observed", format=","),
            alt.Tooltip("chance:Q", title="Rows by chance, mean", format=",.1f"),
            alt.Tooltip("low:Q", title="95 % of orders from", format=",.0f"),
            alt.Tooltip("high:Q", title=own("to"), format=",.0f"),
        ],
    )
    y = alt.Y("observed:Q", title="Rows", **counts(max(table["observed"].max(), table["high"].max())))
    color, of = COLORS["chance"], ("observed", "chance")
    diamonds = rows.mark_point(filled=True, size=90, shape="diamond", opacity=1)
    return layered(
        rows.mark_bar(width={"band": 0.75}).encode(y=y, color=meaning("is_seen:N", of)),
        rows.mark_rule(color=color, strokeWidth=3, opacity=0.9).encode(y=alt.Y("low:Q"), y2=alt.Y2("high")),
        diamonds.encode(y=alt.Y("chance:Q"), color=meaning("is_chance:N", of)),
        rows.mark_line(color=color, strokeWidth=2, strokeDash=[5, 3]).encode(y=alt.Y("chance:Q")),
        height=HEIGHT,
    )


def columns_drawing(rows: Sequence[tuple[str, float, float]]) -> tuple[Drawing, ...]:
    """Draw by column the share of matching cells, with a tick at chance, in the order of the rows."""
    if not rows:
        return ()
    title = (
        text("Matching cells by column, against chance (the {most} with the largest excess)", most=_MOST_BARS)
        if len(rows) > _MOST_BARS
        else "Matching cells by column, against chance"
    )
    drawing = Drawing(
        title,
        partial(
            horizontal_bars,
            rows[:_MOST_BARS],
            compared_with="chance",
            value_title="Rows with the same cell (%)",
            label_title="Column",
        ),
    )
    return (drawing,)


def proportion_drawing(measures: LeakageMeasures) -> tuple[Drawing, ...]:
    """Draw rows by full, partial and no leakage, and those not assessed; nothing where rows have no pair."""
    rows = measures.rows
    if rows is None:
        return ()
    parts = [
        Part(label="full leakage", count=rows.n_full, meaning="FAIL"),
        Part(label="partial leakage", count=rows.n_partial, meaning="observed"),
        Part(label="no matching cell", count=rows.n_none, meaning="neutral"),
    ]
    if rows.n_without_valid_cells:
        parts.append(Part(label="no valid cell", count=rows.n_without_valid_cells, meaning="NOT_ASSESSED"))
    drawing = Drawing(
        "Rows by leakage",
        partial(stacked_share_bar, parts, unit="records", title="Share of rows"),
    )
    return (drawing,)


def nearest_drawing(measures: LeakageMeasures) -> Drawing:
    """Draw original rows by the share of cells they have in common with their nearest scrambled row."""
    nearest = measures.nearest
    edges = np.linspace(0, 1, 21)
    found, _ = np.histogram(nearest.best_share, bins=edges)
    return Drawing(
        "Cells shared with the nearest scrambled row",
        partial(
            histogram,
            edges,
            found,
            of="observed",
            x_title="Share of cells as in the nearest row",
            y_title="Original rows",
        ),
        text(
            "Histogram of {n} original row: on average {share} of the valid cells are in common with the "
            "nearest row.",
            "Histogram of {n} original rows: on average {share} of the valid cells are in common with the "
            "nearest row.",
            n=nearest.n_assessed,
            share=percent(nearest.mean_best_share),
        ),
    )
