"""Where the first columns of each line of a block end, and whether every line has all its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]
Text = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]
Test = Callable[[int, Text], Mask]  # of a piece of a text and where it begins

TAB = 9
N_LEADING = 9  # tabs: up to the one after FORMAT
MANY_COLUMNS = 64  # beyond, tabs are counted; where most of them stand is not asked
MEAN_COLUMN = 64  # bytes, from which tabs are rare
CHUNK = 1 << 17  # bytes looked at together: larger arrays get fresh memory, which costs more than the look


def leading_tabs(text: Text, starts: Offsets, ends: Offsets, n_columns: int) -> Offsets | None:
    """Find where the first columns of every line end.

    Parameters
    ----------
    text
        The block's text, shape (bytes,).
    starts, ends
        Where each line begins and where its newline is, shape (lines,).
    n_columns
        How many columns every line must have, at least 8.

    Returns
    -------
    numpy.ndarray or None
        Offsets of the first nine tabs, of at most 64 columns all tabs, shape (tabs, lines); None when a
        line has too few or too many columns.
    """
    if n_columns <= MANY_COLUMNS:
        return _from_all(text, starts, ends, n_columns - 1)
    if np.any(count_between(packed(text, _is_tab), starts, ends) != n_columns - 1):
        return None
    return _from_windows(text, starts)


def _is_tab(_at: int, text: Text) -> Mask:
    return text == TAB


def _from_all(text: Text, starts: Offsets, ends: Offsets, n_tabs: int) -> Offsets | None:
    is_tab = text == TAB
    found = offsets_of(is_tab) if len(text) > MEAN_COLUMN * n_tabs * len(starts) else np.flatnonzero(is_tab)
    if len(found) != len(starts) * n_tabs:
        return None
    table = found.reshape(len(starts), n_tabs)
    if np.any(table[:, 0] < starts) or np.any(table[:, -1] > ends):
        return None
    return np.ascontiguousarray(table.T)


def _from_windows(text: Text, starts: Offsets) -> Offsets:
    """Look at the beginning of each line only; every line is known to have more than nine tabs."""
    width = min(3 * int(_next_tabs(text, 0)[-1]) // 2, len(text))
    whole = int(np.searchsorted(starts, len(text) - width, side="right"))  # lines followed by a window
    windows = np.lib.stride_tricks.sliding_window_view(text, width)[starts[:whole]]
    found = np.flatnonzero(windows.ravel() == TAB)
    begins = np.arange(whole + 1) * width
    first = np.searchsorted(found, begins)
    enough = np.diff(first) >= N_LEADING
    tabs = np.empty((N_LEADING, len(starts)), dtype=np.int64)
    tabs[:, :whole] = np.take(found, first[:-1] + np.arange(N_LEADING)[:, None], mode="clip")
    tabs[:, :whole] += starts[:whole] - begins[:-1]
    others = np.append(np.flatnonzero(~enough), np.arange(whole, len(starts)))
    for line in others.tolist():
        tabs[:, line] = _next_tabs(text, int(starts[line]))
    return tabs


def _next_tabs(text: Text, start: int) -> Offsets:
    width = 256
    while True:
        found = np.flatnonzero(text[start : start + width] == TAB)
        if len(found) >= N_LEADING:
            return found[:N_LEADING] + start
        width *= 4


def offsets_of(mask: Mask) -> Offsets:
    """Return where a mask is true, ascending; it should rarely be, and is then asked eight bytes at a time.

    Parameters
    ----------
    mask
        Shape (bytes,), contiguous.
    """
    whole = len(mask) // 8 * 8
    eights = np.flatnonzero(mask[:whole].view(np.uint64) != 0)
    within = np.flatnonzero(mask[:whole].reshape(-1, 8)[eights])
    found = eights[within >> 3]
    found *= 8
    found += within & 7
    rest = np.flatnonzero(mask[whole:])
    return np.append(found, rest + whole) if len(rest) else found


def whole_numbers(digits: Text) -> Offsets:
    """Return the numbers whose digits stand in rows, the highest first, shape (digits, numbers).

    A product of matrices would do the same with threads that wait for each other.
    """
    numbers = np.zeros(digits.shape[1], dtype=np.int64)
    for row in digits:
        numbers *= 10
        numbers += row
    return numbers


def places(text: Text, test: Test, reach: int = 0) -> Offsets:
    """Return the offsets, ascending, of the bytes at which a test is true; see :func:`packed`."""
    found = [np.flatnonzero(test(at, piece)) + at for at, piece in _pieces(text, reach)]
    return np.concatenate(found)


def packed(text: Text, test: Test, reach: int = 0) -> Bits:
    """Return the outcome of a test at every byte, one bit each.

    Parameters
    ----------
    text
        Shape (bytes,).
    test
        Answers for each byte of a text but the last `reach`, which it may look at.
    reach
        How many bytes ahead the test looks; after the end of the text it finds zeros.
    """
    parts = [np.packbits(test(at, piece), bitorder="little") for at, piece in _pieces(text, reach)]
    n_bytes = sum(map(len, parts))
    words = np.zeros(n_bytes // 8 + 1, dtype="<u8")
    np.concatenate(parts, out=words.view(np.uint8)[:n_bytes])
    return words


def _pieces(text: Text, reach: int) -> Iterator[tuple[int, Text]]:
    """Yield small pieces with where they begin, each with the `reach` bytes that follow it."""
    last = max(0, (len(text) - 1) // CHUNK - 1) * CHUNK  # looked at apart: zeros are added to it
    for at in range(0, last, CHUNK):
        yield at, text[at : at + CHUNK + reach]
    yield last, np.append(text[last:], np.zeros(reach, dtype=np.uint8))


def count_between(bits: Bits, starts: Offsets, ends: Offsets) -> Offsets:
    """Count the set bits from each start up to before its end; `starts` and `ends` have shape (spans,)."""
    counts = np.bitwise_count(bits)
    before = np.cumsum(counts, dtype=np.int64) - counts

    def up_to(offsets: Offsets) -> Offsets:
        words = offsets >> 6
        below = (np.uint64(1) << (offsets & 63).astype(np.uint64)) - np.uint64(1)
        return before[words] + np.bitwise_count(bits[words] & below)

    return up_to(ends) - up_to(starts)
