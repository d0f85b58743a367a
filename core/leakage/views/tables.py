"""The tables and charts of a row-leakage audit."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as pa_csv

from core.charts import (
    COLORS,
    HEIGHT,
    Chart,
    Part,
    chart,
    counts,
    field,
    histogram,
    horizontal_bars,
    layer,
    meaning,
    stacked_share_bar,
)
from core.leakage import LeakageAudit, LeakageMeasures, TablePair
from core.reports import ReportChart, ReportTable
from core.reports.evidence import records_table
from core.reports.model import Column, Table, table_by, table_of
from core.tables import Dataset
from core.verdict import Verdict
from core.words import Text, Written, joined, own, percent, say, text

COLUMN_COLUMNS = (
    Column("column", "Column"),
    Column("n_valid", "Valid cells"),
    Column("n_matching", "Matching cells"),
    Column("matching_share", "Matching share", "share"),
    Column("chance_share", "By chance", "share"),
    Column("excess", "Excess", "share"),
    Column("z", "z"),
)
ROW_COLUMNS = (
    Column("row", "Row"),
    Column("n_matching", "Matching cells"),
    Column("n_valid", "Valid cells"),
    Column("matching_share", "Share of valid cells", "share"),
    Column("leakage", "Leakage", kind="words"),
)


DISTANCE_COLUMNS = (
    Column("between", "From … to", kind="words"),
    Column("n_records", "Records searched"),
    Column("fifth_percentile", "5th percentile"),
    Column("median", "Median"),
    Column("median_ratio", "Median ratio to the second closest"),
)
ATTACK_COLUMNS = (
    Column("attack", "Attack", kind="words"),
    Column("column", "Column"),
    Column("n_guesses", "Guesses"),
    Column("share", "Success", "share"),
    Column("low", "From", "share"),
    Column("high", "To", "share"),
    Column("naive_share", "Naive", "share"),
    Column("control_share", "Hold-out", "share"),
    Column("risk", "Risk", "share"),
)


N_WORST_ROWS = 50
_MOST_PLACES = 100


def columns_table(measures: LeakageMeasures) -> pd.DataFrame:
    """Return a row per column: cells compared and matching, against chance; the largest excess first."""
    rows, chance = measures.rows, measures.column_chance
    if rows is None or chance is None:
        return table_of([], COLUMN_COLUMNS)
    observed, expected = rows.column_matches / rows.n_rows, chance.expected_matches / rows.n_rows
    z = np.round(measures.column_z(), 2)
    cells = (list(measures.columns), rows.column_valid, rows.column_matches)
    values = (*cells, observed, expected, observed - expected, z)
    frame = table_by(dict(zip(COLUMN_COLUMNS, values, strict=True)))
    return frame.sort_values("z", ascending=False, na_position="last", ignore_index=True)


def worst_rows_table(measures: LeakageMeasures, *, n_rows: int = N_WORST_ROWS) -> pd.DataFrame:
    """Return the rows that share most with their original: row number from 1 and counts, no values.

    Fully matching rows come first, then by share of valid cells, then by matching cells.
    """
    rows = measures.rows
    if rows is None:
        return table_of([], ROW_COLUMNS)
    share = rows.match_count / np.maximum(rows.valid_count, 1)
    order = np.lexsort((measures.original_rows, -rows.match_count.astype(np.int64), -share))[:n_rows]
    kinds = np.select(
        [rows.is_full[order], rows.match_count[order] > 0, rows.valid_count[order] > 0],
        [own("full"), own("partial"), own("none")],
        "",
    )
    cells = (measures.original_rows[order] + 1, rows.match_count[order], rows.valid_count[order])
    return table_by(dict(zip(ROW_COLUMNS, (*cells, share[order], kinds), strict=True)))


def leaked_rows_table(measures: LeakageMeasures) -> Table:
    """Return the original rows that are still there in every valid cell: in their own place, or elsewhere."""
    nearest, rows = measures.nearest, measures.rows
    own_place = np.array([], np.int64)
    if rows is not None:
        own_place = np.sort(measures.original_rows[rows.is_full])
    found = nearest.rows[nearest.best_share == 1] if nearest.is_exact else np.array([], np.int64)
    elsewhere = np.setdiff1d(found, own_place)
    words = [own("in its own place")] * len(own_place) + [own("elsewhere")] * len(elsewhere)
    return table_by(
        {
            Column("row", "Row"): np.concatenate([own_place, elsewhere]) + 1,
            Column("where", "Still there", kind="words"): words,
        }
    )


def evidence_tables(audit: LeakageAudit, original: Dataset) -> tuple[ReportTable, ...]:
    """Return the first leaked rows with their cells, masked; nothing where no row is still there."""
    leaked = leaked_rows_table(audit.measures)[:_MOST_PLACES]
    cells = original.table.take(pa.array(leaked["row"].to_numpy() - 1))
    if not len(leaked):
        return ()
    facts = {column: leaked[column.key].tolist() for column in leaked.described}
    shown = records_table(
        facts, {text("{column}", column=name): cells[name] for name in original.columns}, reveal=False
    )
    return (ReportTable("Evidence", "Original rows that are still there", shown),)


def leaked_rows_chart(audit: LeakageAudit) -> ReportChart | None:
    """Draw where in the original the leaked rows stand, and nothing but them; None where none is told."""
    told = {finding.check for finding in audit.findings if finding.verdict is not Verdict.PASS}
    table, n_original = leaked_rows_table(audit.measures), audit.measures.whole_rows.n_original
    leaked = table["row"].to_numpy()
    n_elsewhere = int((table["where"] == "elsewhere").sum())
    if not told & {"full_leakage", "whole_rows", "repeated_rows"} or not len(leaked):
        return None
    edges = np.linspace(0.5, n_original + 0.5, min(n_original, _MOST_PLACES) + 1)
    found, _ = np.histogram(leaked, bins=edges)
    return ReportChart(
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
        histogram(
            edges,
            found,
            of="FAIL",
            x_title="Row of the original table",
            y_title="Rows still there",
            looks={"stroke": COLORS["FAIL"], "strokeWidth": 2},
        ),
        text(
            "Bars of leaked rows by their place in the original table, from row {first} to row {last}.",
            first=int(leaked.min()),
            last=int(leaked.max()),
        ),
    )


def row_values_table(pair: TablePair, measures: LeakageMeasures, row: int) -> Table:
    """Return one pair of rows cell by cell: evidence, shown on demand only."""
    position = int(np.flatnonzero(measures.original_rows == row - 1)[0])
    cells = [pair.paired_cells(name) for name in measures.columns]
    return table_by(
        {
            Column("column", "Column"): list(measures.columns),
            Column("original", "Original"): [original[position].as_py() for original, _ in cells],
            Column("scrambled", "Scrambled"): [scrambled[position].as_py() for _, scrambled in cells],
            Column("equal", "Equal"): [bool(pair.equal[name][position]) for name in measures.columns],
        }
    )


def distances_table(measures: LeakageMeasures) -> pd.DataFrame:
    """Return how close records are to the closest other: scrambled, original, hold-out."""
    distances = measures.distances
    lines = {
        "Scrambled rows to the original": distances.to_original,
        "Original rows to the other originals": distances.within_original,
        "Scrambled rows to a sample of the original": distances.to_original_sample,
        "Scrambled rows to the hold-out": distances.to_holdout,
    }
    return table_of(
        [
            (label, found.n_records, found.fifth_percentile, found.median_distance, found.median_ratio)
            for label, found in lines.items()
            if found is not None
        ],
        DISTANCE_COLUMNS,
    )


def attacks_table(measures: LeakageMeasures) -> pd.DataFrame:
    """Return a row an attack: guesses, successes with their 95 % interval, and what they stand against."""
    rates = () if measures.attacks is None else measures.attacks.rates
    return table_of(
        [
            (
                rate.attack,
                rate.column,
                rate.n_guesses,
                rate.share,
                *rate.interval,
                rate.naive_share,
                rate.control_share,
                rate.risk,
            )
            for rate in rates
        ],
        ATTACK_COLUMNS,
    )


def row_counts_csv(measures: LeakageMeasures) -> bytes:
    """Return the counts of every row as CSV: row number from 1, matching and valid cells, full leakage."""
    rows = measures.rows
    counts = pa.table(
        {
            "row": measures.original_rows + 1,
            "matching_cells": [] if rows is None else rows.match_count,
            "valid_cells": [] if rows is None else rows.valid_count,
            "full_leakage": [] if rows is None else rows.is_full,
        }
    )
    buffer = io.BytesIO()
    pa_csv.write_csv(counts, buffer)
    return buffer.getvalue()


_MOST_BARS = 30
_NO_PAIRS = "Rows could not be compared with their own, so there is nothing to show here."


def leakage_charts(measures: LeakageMeasures) -> dict[str, ReportChart]:
    """Return the charts by place: ``distribution``, ``columns``, ``proportion`` and ``nearest``."""
    charts = {"nearest": _nearest_chart(measures)}
    if measures.rows is not None and measures.random_orders is not None:
        charts |= {
            "distribution": distribution_chart(measures),
            "columns": _columns_chart(measures),
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
        "Matching cells per row, and what chance gives",
        _distribution(shown),
        text(
            "Histogram of {n} row by matching cells: mean {mean} of {cells}, by chance {expected}.",
            "Histogram of {n} rows by matching cells: mean {mean} of {cells}, by chance {expected}.",
            n=rows.n_rows,
            mean=Written(f"{rows.mean_matching_cells:.2f}"),
            cells=n_columns,
            expected=Written(f"{measures.expected_matching_cells:.2f}"),
        ),
    )


def _distribution(table: pd.DataFrame) -> Chart:
    table = table.assign(is_seen=say("observed"), is_chance=say("chance"))
    x = field("matches:O", "Matching cells per row", axis={"labelAngle": 0})
    tooltip = [
        field("matches:O", "Matching cells"),
        field("observed:Q", "Rows observed", format=","),
        field("chance:Q", "Rows by chance, mean", format=",.1f"),
        field("low:Q", "95 % of orders from", format=",.0f"),
        field("high:Q", own("to"), format=",.0f"),
    ]
    y = field("observed:Q", "Rows", **counts(max(table["observed"].max(), table["high"].max())))
    of = ("observed", "chance")
    chance = {"x": x, "y": field("chance:Q"), "tooltip": tooltip}
    dashed = {"color": COLORS["chance"], "strokeWidth": 2, "strokeDash": [5, 3]}
    spread = {"color": COLORS["chance"], "strokeWidth": 3, "opacity": 0.9}
    diamond = {"filled": True, "size": 90, "shape": "diamond", "opacity": 1}
    return chart(
        layer(
            table, "bar", {"width": {"band": 0.75}}, x=x, y=y, color=meaning("is_seen:N", of), tooltip=tooltip
        ),
        layer(table, "rule", spread, x=x, y=field("low:Q"), y2={"field": "high"}, tooltip=tooltip),
        layer(table, "point", diamond, **chance, color=meaning("is_chance:N", of)),
        layer(table, "line", dashed, **chance),
        height=HEIGHT,
    )


def _columns_chart(measures: LeakageMeasures) -> ReportChart:
    """Draw by column the share of matching cells, with a tick at chance; the largest excess first."""
    table = columns_table(measures)
    shown = table[:_MOST_BARS]
    title = (
        text("Matching cells by column, against chance (the {most} with the largest excess)", most=_MOST_BARS)
        if len(table) > _MOST_BARS
        else "Matching cells by column, against chance"
    )
    return ReportChart(
        title,
        horizontal_bars(
            shown,
            label="column",
            value="matching_share",
            reference="chance_share",
            value_title="Rows with the same cell (%)",
            label_title="Column",
        ),
        text(
            "Bars of matching cells by column with a tick at what chance gives: {columns}.",
            columns=joined(
                [
                    text(
                        "{column} {share}, chance {chance}",
                        column=row["column"],
                        share=percent(row["matching_share"]),
                        chance=percent(row["chance_share"]),
                    )
                    for _, row in shown[:5].iterrows()
                ],
                "; ",
            ),
        ),
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
        "Rows by leakage",
        stacked_share_bar(parts, unit="records", title="Share of rows"),
        text("{parts}.", parts=joined([_part_text(part) for part in parts], "; ")),
    )


def _part_text(part: Part) -> Text:
    return text("{part}: {n} row", "{part}: {n} rows", n=int(part.count), part=own(part.label))


def _nearest_chart(measures: LeakageMeasures) -> ReportChart:
    """Draw original rows by the share of cells they have in common with their nearest scrambled row."""
    nearest = measures.nearest
    edges = np.linspace(0, 1, 21)
    found, _ = np.histogram(nearest.best_share, bins=edges)
    return ReportChart(
        "Cells shared with the nearest scrambled row",
        histogram(
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
