"""What a person who reads some cells of a text can say of all: the exact bound, and the cells to read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.coding import IntArray
from core.people.free_text.finding import TextColumn
from core.words import input_error

LARGEST_SHARE = 0.01  # of the cells, that may hold a name and nobody would know, once enough are read
_DOUBT = 0.05  # probability of seeing as few names as were seen, below which a share is ruled out
_MOST_NEEDED = 299  # cells of an endless column: 0.99 ** 299 is less than that
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Reading:
    """Cells of a column, drawn at random, that a person has read."""

    n_read: int
    n_found: int = 0  # of these, cells with anything that names somebody


def upper_bound(n_cells: int, n_read: int, n_found: int = 0) -> float:
    """Return the exact upper 95 % bound for the share of cells that name somebody.

    Parameters
    ----------
    n_cells
        Cells of the column; those read are drawn from them at random, each once.
    n_read, n_found
        Cells read, and of these the ones that name somebody.

    Returns
    -------
    float
        In [0, 1]: the largest share under which so few would be found with a probability above 0.05
        (hypergeometric; for endless columns that of Clopper and Pearson, for none found the rule of three).

    References
    ----------
    Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26(4), 1934.

    >>> upper_bound(600, 0), upper_bound(600, 600), round(upper_bound(10**9, 300), 5)
    (1.0, 0.0, 0.00994)
    """
    if not n_cells or not n_read:
        return 1.0
    low, high = n_found, n_cells - (n_read - n_found)  # the first is never ruled out
    while low < high:
        middle = (low + high + 1) // 2
        if scipy.stats.hypergeom.cdf(n_found, n_cells, middle, n_read) > _DOUBT:
            low = middle
        else:
            high = middle - 1
    return low / n_cells


def cells_to_read(n_cells: int) -> int:
    """Return how many cells have to be read without a name until the bound is low enough.

    >>> cells_to_read(600), cells_to_read(10**9), cells_to_read(3)
    (208, 299, 3)
    """
    n_named = int(n_cells * LARGEST_SHARE + _ROUNDING) + 1  # of the cells, which is too many
    drawn = np.arange(min(n_cells, _MOST_NEEDED))
    unseen = np.cumprod(np.maximum(n_cells - n_named - drawn, 0) / (n_cells - drawn))
    return int(np.count_nonzero(unseen > _DOUBT)) + bool(n_cells)


def read_cells(given: Iterable[str]) -> Mapping[str, Reading]:
    """Return what was read by column, given as ``COLUMN=READ`` or ``COLUMN=READ/FOUND``.

    >>> read_cells(["note=300", "memo=40/2"])
    {'note': Reading(n_read=300, n_found=0), 'memo': Reading(n_read=40, n_found=2)}
    """
    found = {}
    for each in given:
        column, _, counts = each.rpartition("=")
        n_read, _, n_found = counts.partition("/")
        if not column or not n_read.isdecimal() or not (n_found or "0").isdecimal():
            raise input_error("--read needs COLUMN=READ or COLUMN=READ/FOUND, received {given}.", given=each)
        found[column] = Reading(int(n_read), int(n_found or 0))
    return found


def reading_words(read: Mapping[str, Reading], texts: Iterable[TextColumn]) -> list[str]:
    """Return the words of the command line that say what was read, and which model read."""
    models = {each.model for each in texts} - {"none"}
    return [word for model in models for word in ("--text-model", model)] + [
        word
        for column, each in read.items()
        for word in ("--read", f"{column}={each.n_read}" + (f"/{each.n_found}" if each.n_found else ""))
    ]


def sample_of_cells(column: pa.ChunkedArray, n: int) -> IntArray:
    """Return the positions of up to `n` filled cells drawn at random, in the order in which to read them.

    A longer sample begins with the shorter one.
    """
    filled = np.flatnonzero(pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(column), ""), False).to_numpy())
    return np.random.default_rng(0).permutation(filled)[:n]
