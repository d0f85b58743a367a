"""Whole sets of numbers, whatever rows they stand in: drawn alike, or alike up to slope and constant.

Values drawn anew from the same people occur about as often as before; values that are the original's, written
in whatever way, occur just as often. What drawing anew gives is what chance gives.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from core.chance import NO_ACCIDENT
from core.coding import FloatArray, IntArray
from core.comparing.numbers import Amounts, last_place

Counted = tuple[npt.NDArray[np.generic], IntArray]  # distinct values, ascending, and how often each occurs

_CLEARLY_MORE = 0.8  # of what values drawn anew leave over
FEWEST_DISTINCT = 20  # numbers that a constant, a part or a form has to explain
_REPEATED = 0.7  # distinct numbers per number, up to which how often each occurs tells something
_MOST = 0.9  # of numbers explained by a constant
_LOOKED_UP, _ANCHORS = 300, 4  # numbers that are looked up; outermost originals that they may begin at
_MOST_COVERED = 0.3  # share of all possible values that are taken, from which finding one is no news
_DAY_ZERO = (25_569.0, 719_163.0, 2_440_588.0, 40_587.0, 0.0)  # Excel, year 1, Julian, modified, 1970
_SECONDS = (86_400.0, 86_400_000.0)
_FEWEST_VALUES = 10  # distinct values, fewer of which may be drawn alike by chance


def counted(numbers: FloatArray, unit: float | None = None) -> Counted:
    """Return the distinct finite numbers, in whole units if one is given, and how often each occurs."""
    known = numbers[np.isfinite(numbers)]
    return np.unique(known if unit is None else np.rint(known / unit), return_counts=True)


def are_drawn_alike(before: Counted, after: Counted) -> bool:
    """Whether values occur as often as before, far beyond what drawing them anew gives.

    The second may lack some values.
    """
    if not len(before[0]) or not len(after[0]):
        return False
    place = np.minimum(np.searchsorted(before[0], after[0]), len(before[0]) - 1)
    known = before[0][place] == after[0]
    n = int(after[1].sum())
    kept = float(np.minimum(after[1][known], before[1][place[known]]).sum())
    if kept < _CLEARLY_MORE * n:
        return False
    drawn = np.random.default_rng(0).multinomial(n, before[1] / before[1].sum(), size=5)
    by_chance = float(np.minimum(drawn, before[1]).sum(axis=1).max())
    return kept - by_chance >= _CLEARLY_MORE * (n - by_chance) > 0


def are_drawn_anew(ours: IntArray, theirs: IntArray) -> bool:
    """Whether counts of the same values differ at least as much as those of two independent draws would.

    Shape (n_values,) each. Pearson's statistic given the totals against a gamma law of its mean and variance,
    exact for binomial counts. False for fewer than 10 values, of which nothing can be told.
    """
    known = ours + theirs > 0
    total = (ours + theirs)[known].astype(float)
    share = float(theirs.sum() / max(total.sum(), 1.0))
    spread = share * (1 - share)
    if not spread or len(total) < _FEWEST_VALUES:
        return False
    statistic = float(((theirs[known] - total * share) ** 2 / (total * spread)).sum())
    mean = len(total) - 1.0
    variance = max(float((2 + (1 - 6 * spread) / (total * spread)).sum()), 1.0)
    law = mean**2 / variance, statistic / (variance / mean)
    return statistic >= mean or bool(scipy.special.gammainc(*law) > NO_ACCIDENT)


def on_the_scale(made: FloatArray, known: FloatArray) -> FloatArray:
    """Return numbers times the power of ten that brings them to the size of the known ones."""
    if not len(made):
        return made
    sizes = float(np.median(np.abs(made))), float(np.median(np.abs(known)))
    if min(sizes) == 0:
        return made
    return made * 10.0 ** np.rint(np.log10(sizes[1] / sizes[0]))


def are_evenly_spaced(numbers: FloatArray) -> bool:
    """Whether distinct numbers, ascending, are nearly all there are between the first and the last."""
    return bool(len(numbers) * np.diff(numbers).min() > _MOST_COVERED * (numbers[-1] - numbers[0]))


def n_rescaled(before: Amounts, after: Amounts, *, own: bool = False) -> tuple[int, int] | None:
    """Return how many numbers are the originals counted or written otherwise, and of how many.

    Of dates as days or seconds from a usual beginning or as digits; else times a constant plus a constant
    (of the `own` original not the numbers themselves). None where not nearly all are.
    """
    found = _dates_as_numbers(before, after) or _linear(before.distinct, after.distinct, own=own)
    return found or _linear_in_order(before.numbers, after.numbers, own=own)


def _dates_as_numbers(before: Amounts, after: Amounts) -> tuple[int, int] | None:
    if before.kind != "date" or after.kind != "number" or len(after.distinct) < FEWEST_DISTINCT:
        return None
    year = before.part("year") * 10_000 + before.part("month and day")
    written = [year, *(numbers for name, numbers in before.readings.items() if name != "days")]
    counted_up = [before.numbers + zero for zero in _DAY_ZERO]
    counted_up += [before.numbers * unit for unit in _SECONDS]
    low, high = after.distinct[0], after.distinct[-1]
    released = counted(after.numbers)
    for known in (*written, *counted_up):
        is_likely = np.nanmin(known) <= low and np.nanmax(known) >= high
        if is_likely and are_drawn_alike(counted(known), released):
            n = int(released[1].sum())
            return n, n
    return None


def _linear(known: FloatArray, numbers: FloatArray, *, own: bool) -> tuple[int, int] | None:
    # consecutive numbers are such of any others
    if min(len(known), len(numbers)) < FEWEST_DISTINCT:
        return None
    chosen = numbers[np.linspace(0, len(numbers) - 1, min(len(numbers), _LOOKED_UP)).astype(int)]
    half = np.maximum(last_place(numbers), _last_digits(numbers, chosen))
    near = half + np.interp(chosen, chosen[[0, -1]], half[[0, -1]])  # the outermost were rounded as well
    if len(known) * near.mean() > _MOST_COVERED * (numbers[-1] - numbers[0]):
        return None
    best = max(
        _n_linear(chosen, turned, low, high, near, own=own)
        for turned in (known, -known[::-1])
        for low in turned[:_ANCHORS]
        for high in turned[-_ANCHORS:]
    )
    return (best, len(chosen)) if best >= _MOST * len(chosen) else None


def _linear_in_order(before: FloatArray, after: FloatArray, *, own: bool) -> tuple[int, int] | None:
    """Return the same of numbers as dense as they are rounded: in order, both stand on one line.

    Each as often as its original, far beyond what drawing them anew gives.
    """
    known, numbers = (np.sort(each[np.isfinite(each)]) for each in (before, after))
    n = len(numbers)
    values, counts = np.unique(known, return_counts=True)
    repeat = (
        len(values) <= _REPEATED * n and np.ptp(counts) > 0
    )  # all else evenly spaced is on one line anyway
    if len(known) != n or not repeat or min(len(values), len(np.unique(numbers))) < FEWEST_DISTINCT:
        return None
    unit = 2 * last_place(numbers)
    for turned in (known, -known[::-1]):
        slope, constant = np.polyfit(turned, numbers, 1)
        is_itself = (
            own and abs(slope - 1) * (turned[-1] - turned[0]) <= unit and abs(numbers[0] - known[0]) <= unit
        )
        line = slope * turned + constant
        is_on_it = np.abs(numbers - line).max() <= 1.5 * unit
        if is_on_it and not is_itself and are_drawn_alike(counted(line, unit), counted(numbers, unit)):
            return n, n
    return None


def _n_linear(
    numbers: FloatArray, known: FloatArray, low: float, high: float, near: FloatArray, *, own: bool
) -> int:
    """Return how many numbers are near known ones once `low` and `high` are brought onto the outermost."""
    slope = (numbers[-1] - numbers[0]) / (high - low) if high > low else 0.0
    is_itself = 2 * abs(slope - 1) * (high - low) <= near[-1] and 2 * abs(numbers[0] - low) <= near[0]
    if slope <= 0 or (own and is_itself):
        return 0
    back = low + (numbers - numbers[0]) / slope
    place = np.searchsorted(known, back)
    nearest = np.minimum(
        np.abs(known[np.clip(place, 0, len(known) - 1)] - back),
        np.abs(known[np.clip(place - 1, 0, len(known) - 1)] - back),
    )
    return int(np.count_nonzero(nearest * slope <= near))


def _last_digits(numbers: FloatArray, chosen: FloatArray) -> FloatArray:
    """Return half of the last significant digit of some whole numbers that were all rounded to as many."""
    most = int(np.abs(numbers).max())
    if most < 10 or np.any(numbers != np.floor(numbers)):
        return np.zeros(len(chosen))
    n_digits = max(len(str(int(number)).rstrip("0")) for number in np.abs(numbers))
    size = np.floor(np.log10(np.maximum(np.abs(chosen), 1)))
    return 0.5 * 10.0 ** (size - n_digits + 1)
