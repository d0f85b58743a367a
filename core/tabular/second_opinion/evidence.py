"""The records behind a finding, with their values, for the person who asks to see them.

Nothing here is part of a measurement or a message: each function reads the tables again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from core.cells import cells_equal, shared_codes
from core.coding import combined_codes
from core.equivalence import equivalence_classes
from core.masking import evidence_frame
from core.tables import Dataset
from core.tabular.log import columns_alike

RECORD = "Record"
ORIGINAL_RECORD = "Original record"


def unchanged_records(
    original: Dataset,
    anonymized: Dataset,
    *,
    column: str,
    anonymized_column: str | None = None,
    limit: int = 100,
    reveal: bool = True,
) -> pd.DataFrame:
    """Return the first records whose cell equals the original's in the same row."""
    name = anonymized_column or column
    cells, anonymized_cells = _cells(original, anonymized, column), anonymized.table[name]
    equal = np.zeros(0, dtype=bool)
    if len(cells) == len(anonymized_cells):
        equal = cells_equal(cells, anonymized_cells, dates=True)
    rows = np.flatnonzero(equal)[:limit]
    return evidence_frame(
        {RECORD: rows + 1},
        {
            f"{column} (original)": cells.take(pa.array(rows)),
            f"{name} (anonymized)": anonymized_cells.take(pa.array(rows)),
        },
        reveal=reveal,
    )


def _cells(original: Dataset, anonymized: Dataset, column: str) -> pa.ChunkedArray:
    """Return an original column by its own name, or by the one the anonymized table spells otherwise."""
    alike = columns_alike(original.columns, anonymized.columns)
    own = {theirs: ours for ours, theirs in alike.items()}
    return original.table[own.get(column, column)]


def relinked_records(
    original: Dataset, anonymized: Dataset, *, columns: Sequence[str], limit: int = 100, reveal: bool = True
) -> pd.DataFrame:
    """Return the first anonymized records that match exactly one original record, and which."""
    pairs = [
        shared_codes(_cells(original, anonymized, name), anonymized.table[name], dates=True)
        for name in columns
    ]
    n = original.n_records
    joint = combined_codes(
        [np.concatenate(pair).astype(np.int64) + 1 for pair in pairs], n_records=n + anonymized.n_records
    )
    _, codes = np.unique(joint, return_inverse=True)
    counts = np.bincount(codes[:n], minlength=int(codes.max(initial=-1)) + 1)
    position = np.zeros(len(counts), dtype=np.int64)
    position[codes[:n]] = np.arange(n)
    filled = np.logical_or.reduce([pair[1] >= 0 for pair in pairs])
    rows = np.flatnonzero((counts[codes[n:]] == 1) & filled)[:limit]
    matched = anonymized.table.select(list(columns)).take(pa.array(rows))
    return evidence_frame(
        {RECORD: rows + 1, ORIGINAL_RECORD: position[codes[n:]][rows] + 1},
        {name: matched[name] for name in columns},
        reveal=reveal,
    )


def small_class_records(
    anonymized: Dataset, *, quasi_identifiers: Sequence[str], k: int, limit: int = 100, reveal: bool = True
) -> pd.DataFrame:
    """Return the records in the smallest classes, those alone in their class first."""
    table = anonymized.table.select(list(quasi_identifiers))
    blank = np.logical_and.reduce([column.is_null().to_numpy() for column in table.columns])
    sizes = equivalence_classes(table, list(quasi_identifiers), leave_out=blank).size_of_record
    small = np.flatnonzero((sizes > 0) & (sizes < k))
    rows = small[np.argsort(sizes[small], kind="stable")][:limit]
    shown = table.take(pa.array(rows))
    return evidence_frame(
        {RECORD: rows + 1, "Class size": sizes[rows]},
        {name: shown[name] for name in quasi_identifiers},
        reveal=reveal,
    )
