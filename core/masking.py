"""Shapes that stand for values where these are not to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

_LONGEST_SHAPE = 40


def masked_shapes(values: pa.Array) -> pa.Array:
    """Return the shape of each value: dates as ``YYYY-MM-DD``, digits as 9, letters as A.

    Examples
    --------
    >>> masked_shapes(pa.array(["1987-01-21", "Kim 7, 서울", "12.5e3"])).to_pylist()
    ['YYYY-MM-DD', 'AAA 9, AA', '99.9A9']
    """
    shapes = pc.replace_substring_regex(
        values, r"[0-9]{4}([-/.])[0-9]{1,2}[-/.][0-9]{1,2}", "\x00\\1\x01\\1\x02"
    )
    shapes = pc.replace_substring_regex(shapes, r"\p{N}", "9")
    shapes = pc.replace_substring_regex(shapes, r"[\p{L}\p{M}]", "A")
    for mark, part in (("\x00", "YYYY"), ("\x01", "MM"), ("\x02", "DD")):
        shapes = pc.replace_substring(shapes, mark, part)
    return pc.utf8_slice_codeunits(pc.replace_substring_regex(shapes, r"\p{C}", "?"), 0, _LONGEST_SHAPE)


def evidence_frame(
    facts: Mapping[str, npt.NDArray[np.int64] | npt.NDArray[np.float64] | Sequence[str]],
    values: Mapping[str, pa.Array | pa.ChunkedArray],
    *,
    reveal: bool,
) -> pd.DataFrame:
    """Return a table of records: facts about them as they are, then cells, masked unless revealed.

    What is masked is told by where it stands here, never by its heading: a column of the person's own that
    is called like one of the facts gets another heading.

    Parameters
    ----------
    facts
        Heading to numbers, or to words of ours.
    values
        Column of a table to its cells as text; null is a missing one.
    reveal
        Whether to show the cells; else their shapes.

    Examples
    --------
    >>> evidence_frame({"Record": [1]}, {"Record": pa.array(["Ana"])}, reveal=False).to_dict("records")
    [{'Record': 1, 'Record (column)': 'AAA'}]
    """
    frame: dict[str, object] = dict(facts)
    for name, cells in values.items():
        heading = name
        while heading in frame:
            heading = f"{heading} (column)"
        shown = cells if reveal else masked_shapes(cells)
        frame[heading] = np.array(shown.to_pylist(), dtype=object)
    return pd.DataFrame(frame)
