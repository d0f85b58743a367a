"""Records behind a result: facts about them, then cells of the person's own, masked unless revealed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from core.equivalence import equivalence_classes
from core.plain import masked_shapes
from core.reports.model import Column, ReportTable, Table, table_by
from core.tables import Dataset
from core.words import text

MOST_RECORDS = 100  # that are shown
RECORD = Column("record", "Record")
CLASS_SIZE = Column("class_size", "Class size")
Facts = Mapping[Column, npt.NDArray[Any] | Sequence[object]]


def records_table(
    facts: Facts,
    cells: Mapping[str, pa.Array | pa.ChunkedArray],
    *,
    reveal: bool,
    behind: Facts | None = None,
) -> Table:
    """Return records: facts about them as they are, then cells, masked unless revealed.

    What is masked is told by where it stands here, never by its heading.

    Parameters
    ----------
    facts, behind
        What stands before the cells, and behind them.
    cells
        Heading to cells as text; null is a missing one.
    reveal
        Whether to show the cells; else their shapes.

    Examples
    --------
    >>> table = records_table({Column("n", "Record"): [1]}, {"Record": pa.array(["Ana"])}, reveal=False)
    >>> table.to_dict("list")
    {'n': [1], 'cell_0': ['AAA']}
    """
    shown = {
        Column(f"cell_{position}", heading): (each if reveal else masked_shapes(each)).to_pylist()
        for position, (heading, each) in enumerate(cells.items())
    }
    columns = {**facts, **shown, **(behind or {})}
    return table_by(
        {
            column: values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
            for column, values in columns.items()
        }
    )


def small_class_records(
    dataset: Dataset, *, quasi_identifiers: Sequence[str], k: int, reveal: bool = False
) -> Table:
    """Return the records in the smallest classes, those alone in their class first."""
    table = dataset.table.select(list(quasi_identifiers))
    blank = np.logical_and.reduce([column.is_null().to_numpy() for column in table.columns])
    sizes = equivalence_classes(table, list(quasi_identifiers), leave_out=blank).size_of_record
    small = np.flatnonzero((sizes > 0) & (sizes < k))
    rows = small[np.argsort(sizes[small], kind="stable")][:MOST_RECORDS]
    shown = table.take(pa.array(rows))
    return records_table(
        {RECORD: rows + 1, CLASS_SIZE: sizes[rows]},
        {text("{column}", column=name): shown[name] for name in quasi_identifiers},
        reveal=reveal,
    )


def small_class_evidence(
    datasets: Iterable[tuple[Dataset, Sequence[str]]], *, k: int
) -> tuple[ReportTable, ...]:
    """Return the records in classes smaller than `k`, masked, of each table and its quasi-identifiers."""
    found = []
    for dataset, columns in datasets:
        records = small_class_records(dataset, quasi_identifiers=columns, k=k) if columns else None
        if records is not None and len(records):
            title = text("Records of {file} in classes smaller than {k}", file=dataset.name, k=k)
            found.append(ReportTable(text("Evidence {file}", file=dataset.name), title, records))
    return tuple(found)
