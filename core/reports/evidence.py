"""Records behind a result: facts about them, then cells of the person's own, masked unless revealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from core.plain import masked_shapes
from core.reports.model import Column, Table, table_by

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
