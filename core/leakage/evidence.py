"""Records behind row leakage: leaked rows, one pair of rows cell by cell, and the counts of every row."""

import io
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from pyarrow import csv as pa_csv

from core.files.plain_text import BYTE_ORDER_MARK
from core.leakage.judging import LeakageAudit
from core.leakage.measuring import LeakageMeasures
from core.leakage.pairing import TablePair
from core.leakage.result import leaked_rows
from core.reports.evidence import records_table
from core.result import Col, Table
from core.tables import Dataset
from core.words import text

_MOST_SHOWN = 100
_CELLS = (
    Col("column", "Column"),
    Col("original", "Original"),
    Col("scrambled", "Scrambled"),
    Col("equal", "Equal"),
)


def evidence_tables(audit: LeakageAudit, original: Dataset) -> tuple[Table, ...]:
    """Return the first leaked rows with their cells, masked; nothing where no row is still there."""
    leaked = leaked_rows(audit.measures)[:_MOST_SHOWN]
    if not leaked:
        return ()
    cells = original.table.take(pa.array([row - 1 for row, _ in leaked]))
    facts: dict[Col, Sequence[object]] = {
        Col("row", "Row"): [row for row, _ in leaked],
        Col("where", "Still there", kind="words"): [place for _, place in leaked],
    }
    shown: dict[str, pa.ChunkedArray] = {
        text("{column}", column=name): cells[name] for name in original.columns
    }
    title = "Original rows that are still there"
    return (records_table(facts, shown, reveal=False, name="Evidence", title=title),)


def row_values_table(pair: TablePair, measures: LeakageMeasures, row: int) -> Table:
    """Return one pair of rows cell by cell: evidence, shown on demand only."""
    position = int(np.flatnonzero(measures.original_rows == row - 1)[0])
    cells = [pair.paired_cells(name) for name in measures.columns]
    rows = [
        (name, original[position].as_py(), scrambled[position].as_py(), bool(pair.equal[name][position]))
        for name, (original, scrambled) in zip(measures.columns, cells, strict=True)
    ]
    return Table("", "", _CELLS, rows)


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
    buffer.write(BYTE_ORDER_MARK.encode())
    pa_csv.write_csv(counts, buffer)
    return buffer.getvalue()
