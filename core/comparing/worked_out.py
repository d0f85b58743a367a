"""Columns of numbers that others of the same table give exactly: sums, differences, products, quotients.

A total tells the part that was taken out, and a date and an age in days the day of birth. Of ten records and
more for each number that is fitted, nineteen in twenty within a half percent of the spread are no accident.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from core.coding import BoolArray, FloatArray
from core.comparing.numbers import last_place

_FEWEST, _A_NUMBER = 30, 10  # records at least, and for each number that is fitted
_TOLD, _THERE = 0.95, 0.5  # share of records that are given, and of the records of a column that are there
_FINE = 0.005  # of the spread, between the twentieths, that a number is given up to
_LOOKED_AT = 20_000  # records
_STEPS, _EXACT = (
    20,
    0.01,
)  # of the last place between them, fewer than which are given exactly, to a hundredth


def worked_out(target: FloatArray, others: Mapping[str, FloatArray]) -> tuple[str, ...]:
    """Return the fewest columns whose sum or product, with a factor or power each, is another's value.

    None of them is left out without losing it. Of products, all numbers have to be above 0.

    Parameters
    ----------
    target
        Shape (n_records,), NaN where missing.
    others
        The columns that may give it, of the same shape.
    """
    step = max(len(target) // _LOOKED_AT, 1)
    target, others = target[::step], {name: each[::step] for name, each in others.items()}
    known = target[~np.isnan(target)]
    names = [name for name, each in others.items() if _is_usable(each, target)]
    if len(known) < _FEWEST or not names:
        return ()
    low, high = np.quantile(known, [0.05, 0.95])
    unit = last_place(known)
    if high == low:
        return ()
    is_coarse = high - low < _STEPS * 2 * unit  # a place more or less would do for any fit
    near = _EXACT * unit if is_coarse else max(1.01 * unit, _FINE * float(high - low))
    for is_product in (False, True):
        columns = {name: others[name] for name in names if not is_product or np.nanmin(others[name]) > 0}
        if columns and not (is_product and known.min() <= 0):
            found = _fewest(target, columns, near, is_product=is_product)
            if found:
                return found
    return ()


def _is_usable(column: FloatArray, target: FloatArray) -> bool:
    """Return whether a column varies, and is there for most records of the target."""
    there = ~np.isnan(column) & ~np.isnan(target)
    is_there = there.sum() >= _THERE * np.count_nonzero(~np.isnan(target)) > 0
    return bool(is_there and np.ptp(column[there]) > 0)


def _fewest(
    target: FloatArray, columns: Mapping[str, FloatArray], near: float, *, is_product: bool
) -> tuple[str, ...]:
    chosen = list(columns)
    if not _gives(target, [columns[name] for name in chosen], near, is_product=is_product):
        return ()
    for name in list(columns) if len(chosen) > 1 else ():
        rest = [each for each in chosen if each != name]
        if rest and _gives(target, [columns[each] for each in rest], near, is_product=is_product):
            chosen = rest
    return tuple(chosen)


def _gives(target: FloatArray, columns: Sequence[FloatArray], near: float, *, is_product: bool) -> bool:
    """Return whether a fit, repeated on the nearer half of the records, gives nearly all of them."""
    table = np.column_stack([target, *columns])
    table = table[~np.isnan(table).any(axis=1)]
    if len(table) < max(_FEWEST, _A_NUMBER * table.shape[1]):
        return False
    read = np.log(table) if is_product else table
    centre, spread = read.mean(axis=0), read.std(axis=0)
    if not (spread[1:] > 0).all():
        return False
    x = np.column_stack([np.ones(len(table)), (read[:, 1:] - centre[1:]) / spread[1:]])
    rows: BoolArray = np.ones(len(table), dtype=bool)
    for _ in range(3):
        factors = np.linalg.lstsq(x[rows], read[rows, 0], rcond=None)[0]
        made = x @ factors
        away = np.abs((np.exp(np.minimum(made, 700)) if is_product else made) - table[:, 0])
        if (away <= near).mean() >= _TOLD:
            return True
        rows = away <= np.median(away)
    return False
