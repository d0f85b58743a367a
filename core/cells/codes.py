"""Columns as codes that are the same exactly where cells are equal."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.cells.arrays import CodeArray, Column, codes_of, contiguous
from core.cells.floats import exact_floats
from core.cells.repetition import hardly_repeat
from core.cells.values import canonical_values

_ONE_AT_A_TIME = threading.Lock()


def shared_codes(a: Column, b: Column, *, dates: bool = False) -> tuple[CodeArray, CodeArray]:
    """Give equal values of two columns one code, so that they can be joined, counted and compared.

    Parameters
    ----------
    a, b
        String columns, of any lengths; missing is null.
    dates
        Whether dates in different spellings are one value.

    Returns
    -------
    tuple[CodeArray, CodeArray]
        Shapes (n_cells_a,) and (n_cells_b,): two cells, in whichever column, have the same code
        exactly when they are equal. Codes are 0 … n_values - 1; a missing cell is -1.
    """
    a, b = contiguous(a), contiguous(b)
    if hardly_repeat(a, b):
        return _codes_cell_by_cell(a, b, dates=dates)
    encoded = [pc.dictionary_encode(column) for column in (a, b)]
    dictionaries = [part.dictionary.cast(pa.large_string()) for part in encoded]
    values = pa.concat_arrays(dictionaries)
    codes = codes_of(pc.dictionary_encode(canonical_values(values, dates=dates)))
    n_a = len(dictionaries[0])
    return (
        np.append(codes[:n_a], np.int32(-1))[codes_of(encoded[0])],
        np.append(codes[n_a:], np.int32(-1))[codes_of(encoded[1])],
    )


def canonical_codes(column: Column, *, dates: bool = False) -> CodeArray:
    """Return shape (n_cells,): equal cells have one code, 0 … n_values - 1; a missing cell is -1."""
    return shared_codes(column, pa.array([], pa.string()), dates=dates)[0]


def _codes_cell_by_cell(a: pa.Array, b: pa.Array, *, dates: bool) -> tuple[CodeArray, CodeArray]:
    """Return the codes of two columns whose values hardly repeat; one pair at a time, to bound memory."""
    with _ONE_AT_A_TIME:
        return _codes_of_all_cells(a, b, dates=dates)


def _codes_of_all_cells(a: pa.Array, b: pa.Array, *, dates: bool) -> tuple[CodeArray, CodeArray]:
    """Return the codes of two columns, every cell looked at."""
    cells = pa.concat_arrays([a.cast(pa.large_string()), b.cast(pa.large_string())])
    values = exact_floats(cells)
    if values is None:
        values = canonical_values(cells, dates=dates)
    codes = codes_of(pc.dictionary_encode(values))
    return codes[: len(a)], codes[len(a) :]
