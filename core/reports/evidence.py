"""Records behind a result: facts about them, then cells of the person's own, masked unless revealed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.classes import equivalence_classes
from core.files.plain_text import masked_shapes
from core.result import Col, Table
from core.tables import Dataset
from core.words import text

MOST_RECORDS = 100  # that are shown
RECORD = Col("record", "Record")
CLASS_SIZE = Col("class_size", "Group size")
Facts = Mapping[Col, npt.NDArray[Any] | Sequence[object]]


def records_table(
    facts: Facts,
    cells: Mapping[str, pa.Array | pa.ChunkedArray],
    *,
    reveal: bool,
    behind: Facts | None = None,
    name: str = "",
    title: str = "",
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
    name, title
        Of the table.

    Examples
    --------
    >>> table = records_table({Col("n", "Record"): [1]}, {"Record": pa.array(["Ana"])}, reveal=False)
    >>> [column.key for column in table.columns], table.cells()
    (['n', 'cell_0'], [(1, 'AAA')])
    """
    shown = {
        Col(f"cell_{position}", heading): (each if reveal else masked_shapes(each)).to_pylist()
        for position, (heading, each) in enumerate(cells.items())
    }
    columns = {**facts, **shown, **(behind or {})}
    cells_of = (each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values())
    return Table("", title, tuple(columns), [*zip(*cells_of, strict=True)], name=name)


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


def small_class_evidence(datasets: Iterable[tuple[Dataset, Sequence[str]]], *, k: int) -> tuple[Table, ...]:
    """Return the records in classes smaller than `k`, masked, of each table and its quasi-identifiers."""
    found = []
    for dataset, columns in datasets:
        records = small_class_records(dataset, quasi_identifiers=columns, k=k) if columns else None
        if records is not None and records.rows:
            title = text("Records of {file} in groups smaller than {k}", file=dataset.name, k=k)
            found.append(replace(records, name=text("Evidence {file}", file=dataset.name), title=title))
    return tuple(found)
