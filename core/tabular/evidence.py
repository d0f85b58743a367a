"""The records behind a column's check, masked unless the person asks to see them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from core.cells import cells_equal
from core.coding import BoolArray, distinct_values
from core.masking import masked_shapes
from core.patterns import CATALOGUE, scan_column
from core.tables import Dataset
from core.tabular.measurement import TabularMeasurement
from core.tabular.rules import ColumnCheck, scan_anonymized
from core.tabular.values import are_date_floors, look_like_pseudonyms

RECORD = "Record"
ORIGINAL_VALUE = "Original value"
ANONYMIZED_VALUE = "Anonymized value"
FOUND = "Found"


def evidence_rows(
    original: Dataset,
    anonymized: Dataset,
    measurement: TabularMeasurement,
    column: str,
    *,
    limit: int = 100,
    reveal: bool = False,
) -> pd.DataFrame:
    """Return the first records that speak against an anonymized column."""
    checks = [check for check in measurement.checks if check.anonymized_column == column]
    if not checks:
        return pd.DataFrame({RECORD: [], ANONYMIZED_VALUE: [], FOUND: []})
    check, cells = checks[0], anonymized.table[column]
    failing = _failing(check, original, cells, measurement)
    rows = pa.array(np.flatnonzero(failing)[:limit])
    shown = cells.take(rows)
    table = {RECORD: rows.to_numpy() + 1}
    if original.n_records == anonymized.n_records:
        table[ORIGINAL_VALUE] = _written(original.table[check.column].take(rows), reveal=reveal)
    table[ANONYMIZED_VALUE] = _written(shown, reveal=reveal)
    table[FOUND] = _found(check, shown, measurement)
    return pd.DataFrame(table)


def _failing(
    check: ColumnCheck, original: Dataset, cells: pa.ChunkedArray, measurement: TabularMeasurement
) -> BoolArray:
    """Return shape (n_records,): which records the check counted as failing."""
    values = distinct_values(cells)
    if check.check == "dropped":
        return values.in_records(np.full(len(values.values), not _is_permitted(check, measurement)))
    if check.check == "date_floor":
        decade = check.action == "date_floor_decade"
        return values.in_records(~are_date_floors(values.values, decade=decade))
    if check.check == "pseudonyms":
        unlike = values.in_records(~look_like_pseudonyms(values))
        if original.n_records != len(cells):
            return unlike
        return unlike | cells_equal(original.table[check.column], cells)
    if check.check == "patterns":
        patterns = tuple(CATALOGUE[key] for key in measurement.settings.patterns)
        scanned = scan_anonymized(cells, action=check.action, patterns=patterns)
        return scanned.residual_records
    return np.zeros(len(cells), dtype=np.bool_)


def _is_permitted(check: ColumnCheck, measurement: TabularMeasurement) -> bool:
    return check.action != "drop" and measurement.log.allow_dx


def _found(check: ColumnCheck, shown: pa.ChunkedArray, measurement: TabularMeasurement) -> list[str]:
    """Return what speaks against each of the cells."""
    if check.check == "patterns":
        hits = scan_column(shown, tuple(CATALOGUE[key] for key in measurement.settings.patterns))
        labels = [(CATALOGUE[key].label, hits.distinct.in_records(mask)) for key, mask in hits.masks.items()]
        return [", ".join(label for label, mask in labels if mask[row]) for row in range(len(shown))]
    words = {
        "dropped": "value remains",
        "date_floor": "not the first day of a decade"
        if check.action == "date_floor_decade"
        else "not the first day of a year",
        "pseudonyms": "unchanged, or not like a pseudonym",
    }
    return [words.get(check.check, "")] * len(shown)


def _written(cells: pa.ChunkedArray, *, reveal: bool) -> list[str | None]:
    written: list[str | None] = (cells if reveal else masked_shapes(cells)).to_pylist()
    return written
