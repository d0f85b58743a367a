"""The tables of row leakage: counts by column and row, and cell values on demand only."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as pa_csv

from core.leakage import LeakageMeasures, TablePair
from core.measures.measure import Unit

COLUMN_UNITS: dict[str, Unit] = {
    "Matching share": "share",
    "By chance": "share",
    "Excess": "share",
}
ROW_UNITS: dict[str, Unit] = {"Share of valid cells": "share"}
ATTACK_UNITS: dict[str, Unit] = dict.fromkeys(("Success", "From", "To", "Naive", "Hold-out", "Risk"), "share")
N_WORST_ROWS = 50


def columns_table(measures: LeakageMeasures) -> pd.DataFrame:
    """Return a row per column: cells compared and matching, against chance; the largest excess first."""
    rows, chance = measures.rows, measures.column_chance
    names = ("Column", "Valid cells", "Matching cells", *COLUMN_UNITS, "z")
    if rows is None or chance is None:
        return pd.DataFrame(columns=list(names))
    observed, expected = rows.column_matches / rows.n_rows, chance.expected_matches / rows.n_rows
    frame = pd.DataFrame(
        dict(
            zip(
                names,
                (
                    list(measures.columns),
                    rows.column_valid,
                    rows.column_matches,
                    observed,
                    expected,
                    observed - expected,
                    np.round(measures.column_z(), 2),
                ),
                strict=True,
            )
        )
    )
    return frame.sort_values("z", ascending=False, na_position="last", ignore_index=True)


def worst_rows_table(measures: LeakageMeasures, *, n_rows: int = N_WORST_ROWS) -> pd.DataFrame:
    """Return the rows that share most with their original: row number from 1 and counts, no values.

    Fully matching rows come first, then by share of valid cells, then by matching cells.
    """
    rows = measures.rows
    names = ["Row", "Matching cells", "Valid cells", *ROW_UNITS, "Leakage"]
    if rows is None:
        return pd.DataFrame(columns=names)
    share = rows.match_count / np.maximum(rows.valid_count, 1)
    order = np.lexsort((measures.original_rows, -rows.match_count.astype(np.int64), -share))[:n_rows]
    kinds = np.where(
        rows.is_full[order],
        "full",
        np.where(rows.match_count[order] > 0, "partial", np.where(rows.valid_count[order] > 0, "none", "")),
    )
    return pd.DataFrame(
        dict(
            zip(
                names,
                (
                    measures.original_rows[order] + 1,
                    rows.match_count[order],
                    rows.valid_count[order],
                    share[order],
                    kinds,
                ),
                strict=True,
            )
        )
    )


def row_values_table(pair: TablePair, measures: LeakageMeasures, row: int) -> pd.DataFrame:
    """Return one pair of rows cell by cell: evidence, shown on demand only."""
    position = int(np.flatnonzero(measures.original_rows == row - 1)[0])
    cells = [pair.paired_cells(name) for name in measures.columns]
    return pd.DataFrame(
        {
            "Column": list(measures.columns),
            "Original": [original[position].as_py() for original, _ in cells],
            "Scrambled": [scrambled[position].as_py() for _, scrambled in cells],
            "Equal": [bool(pair.equal[name][position]) for name in measures.columns],
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
    return pd.DataFrame(
        [
            {
                "From … to": label,
                "Records searched": found.n_records,
                "5th percentile": found.fifth_percentile,
                "Median": found.median_distance,
                "Median ratio to the second closest": found.median_ratio,
            }
            for label, found in lines.items()
            if found is not None
        ]
    )


def attacks_table(measures: LeakageMeasures) -> pd.DataFrame:
    """Return a row an attack: guesses, successes with their 95 % interval, and what they stand against."""
    rates = () if measures.attacks is None else measures.attacks.rates
    return pd.DataFrame(
        [
            {
                "Attack": rate.attack,
                "Column": rate.column,
                "Guesses": rate.n_guesses,
                "Success": rate.share,
                "From": rate.interval[0],
                "To": rate.interval[1],
                "Naive": rate.naive_share,
                "Hold-out": rate.control_share,
                "Risk": rate.risk,
            }
            for rate in rates
        ],
        columns=["Attack", "Column", "Guesses", *ATTACK_UNITS],
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
