"""Columns as positions on one scale: numbers, and dates in whatever spelling."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray
from core.values.calendars import iso_dates
from core.values.cells import as_numbers
from core.values.dates import Dates, read_dates, share_of_day

Texts: TypeAlias = pa.Array | pa.ChunkedArray

_NEARLY_ALL = 0.95  # cells there that have to be dates
_GLANCE = 200  # of the first cells that are looked at before all


def positions_of(parts: Sequence[Texts]) -> list[FloatArray] | None:
    """Return one column of several tables as positions; None unless all are numbers, or all are dates.

    Parameters
    ----------
    parts
        The column of each table, as text. Which spelling its dates have is told table by table.

    Returns
    -------
    list of FloatArray or None
        A part each, shape (n_cells,): numbers, or days since 1970-01-01 with the time of day as a fraction;
        NaN for a missing cell, and for one of twenty that is no date.
    """
    for read in (as_numbers, _as_days):
        found: list[FloatArray] = []
        for part in parts:
            cells = read(part)
            if cells is None:
                break
            found.append(cells)
        if len(found) == len(parts):
            return found
    return None


def dates_of(cells: Texts) -> tuple[pa.DictionaryArray, Dates] | None:
    """Return the cells coded, and what their values say as dates; None unless nearly all are dates.

    Days, months or years that only the whole column settles count as by :func:`core.values.dates.read_dates`.
    """
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    whole = whole.cast(pa.large_string())
    n_there = len(whole) - whole.null_count
    if not n_there or not _read(whole.slice(0, _GLANCE)).known.any():
        return None
    encoded = pc.dictionary_encode(whole)
    dates = _read(encoded.dictionary)
    known = pa.array(dates.known).take(encoded.indices)
    return (encoded, dates) if (pc.sum(known).as_py() or 0) >= _NEARLY_ALL * n_there else None


def _read(values: pa.Array) -> Dates:
    return read_dates(iso_dates(values, settle=True))


def _as_days(cells: Texts) -> FloatArray | None:
    """Return cells as days and parts of days; None unless nearly all are dates."""
    found = dates_of(cells)
    if found is None:
        return None
    encoded, dates = found
    days = dates.positions()
    if dates.has_time:
        days = days + share_of_day(encoded.dictionary)
    places: FloatArray = pc.fill_null(encoded.indices, len(days)).to_numpy(zero_copy_only=False)
    return np.append(days, np.nan)[places]
