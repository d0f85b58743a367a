"""What few bytes of the cells already tell, so that most columns need no closer look."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.cells.arrays import BoolArray, text_and_offsets
from core.cells.one_cell import LONGEST_PLAIN_NUMBER
from core.cells.white_space import BEGINS_SPACE, ENDS_SPACE

_MAY_BEGIN_NUMBER = np.array([chr(byte) in "0123456789+-.iInN" for byte in range(256)])
_NEVER_IN_NUMBER = np.array([chr(byte) not in "0123456789+-.eEinfatyINFATY" for byte in range(256)])
_NEVER_IN_EITHER = _NEVER_IN_NUMBER & np.array([chr(byte) not in "/:TZ " for byte in range(256)])
_ISO_DATE_LENGTH = 10
_LOWER_CASE = np.uint8(ord("a") - ord("A"))


def says_itself(values: pa.Array) -> bool:
    """Whether the cells surely all are their own canonical text, by a look at few of their bytes.

    True for texts that begin like no number, for integers written plainly, and for dates like
    2020-01-02, all without space around them. False means only that a closer look is needed.
    """
    text, offsets = text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts, ends = offsets[:-1][filled], offsets[1:][filled]
    if not len(starts):
        return True
    first = text[starts]
    if BEGINS_SPACE[first].any() or ENDS_SPACE[text[ends - 1]].any():
        return False
    if not (_MAY_BEGIN_NUMBER[first] & _may_be_that_long(first, ends - starts)).any():
        return True
    return _are_plain_integers(text, starts, ends) or _are_iso_dates(text, starts, ends)


def _may_be_that_long(first: npt.NDArray[np.uint8], lengths: npt.NDArray[np.integer]) -> BoolArray | np.bool_:
    """Return False for a cell that begins with i or n, but is no longer than ``no``."""
    letter = first > ord("9")
    return ~letter | (lengths >= len("nan")) if letter.any() else np.True_


def _are_plain_integers(
    text: npt.NDArray[np.uint8], starts: npt.NDArray[np.integer], ends: npt.NDArray[np.integer]
) -> bool:
    """Whether all cells are digits only, possibly after a minus, none over 40 long or with a leading zero."""
    if text.min() < ord("-") or text.max() > ord("9") or (ends - starts).max() > LONGEST_PLAIN_NUMBER:
        return False
    first = text[starts]
    negative = first == ord("-")
    if np.count_nonzero(text < ord("0")) != np.count_nonzero(negative):  # a point, slash, or inner hyphen
        return False
    if (negative & (ends - starts == 1)).any():
        return False
    leading = np.where(negative, text[np.minimum(starts + 1, len(text) - 1)], first)
    return not ((leading == ord("0")) & (negative | (ends - starts > 1))).any()


def _are_iso_dates(
    text: npt.NDArray[np.uint8], starts: npt.NDArray[np.integer], ends: npt.NDArray[np.integer]
) -> bool:
    """Whether all cells are four digits, two and two with hyphens between; valid as a date or not."""
    if len(text) != len(starts) * _ISO_DATE_LENGTH or (ends - starts != _ISO_DATE_LENGTH).any():
        return False
    characters = text.reshape(-1, _ISO_DATE_LENGTH)
    hyphens = characters == ord("-")
    digits = (characters >= ord("0")) & (characters <= ord("9"))
    return bool((hyphens[:, [4, 7]]).all() and digits[:, [0, 1, 2, 3, 5, 6, 8, 9]].all())


def may_be_special(values: pa.Array, *, dates: bool) -> BoolArray:
    """Return shape (n_cells,): False where a cell's bytes rule out a number, or, if asked for, a date."""
    text, offsets = text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts = offsets[:-1][filled]
    possible = np.zeros(len(values), dtype=bool)
    if len(starts):
        never = _NEVER_IN_EITHER[text] if dates else _NEVER_IN_NUMBER[text] | _is_inner_hyphen(text, starts)
        possible[filled] = _MAY_BEGIN_NUMBER[text[starts]] & ~np.maximum.reduceat(never, starts)
    return possible


def _is_inner_hyphen(text: npt.NDArray[np.uint8], starts: npt.NDArray[np.integer]) -> BoolArray:
    """Return shape (n_bytes,): True for a hyphen that neither begins a cell nor follows an e."""
    hyphen: BoolArray = text == ord("-")
    hyphen[starts] = False
    hyphen[1:] &= (text[:-1] | _LOWER_CASE) != ord("e")
    return hyphen
