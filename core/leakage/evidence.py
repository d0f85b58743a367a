"""Records behind row leakage: leaked rows, one pair of rows cell by cell, and the counts of every row."""

import io
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from pyarrow import csv as pa_csv

from core.leakage.judging import LeakageAudit
from core.leakage.measuring import LeakageMeasures
from core.leakage.pairing import TablePair
from core.leakage.result import leaked_rows
from core.reports import ReportTable
from core.reports.evidence import records_table
from core.reports.model import Column, Table, table_by
from core.tables import Dataset
from core.words import text

_MOST_SHOWN = 100


def evidence_tables(audit: LeakageAudit, original: Dataset) -> tuple[ReportTable, ...]:
    """Return the first leaked rows with their cells, masked; nothing where no row is still there."""
    leaked = leaked_rows(audit.measures)[:_MOST_SHOWN]
    if not leaked:
        return ()
    cells = original.table.take(pa.array([row - 1 for row, _ in leaked]))
    facts: dict[Column, Sequence[object]] = {
        Column("row", "Row"): [row for row, _ in leaked],
        Column("where", "Still there", kind="words"): [place for _, place in leaked],
    }
    shown = records_table(
        facts, {text("{column}", column=name): cells[name] for name in original.columns}, reveal=False
    )
    return (ReportTable("Evidence", "Original rows that are still there", shown),)


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
