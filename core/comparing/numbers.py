"""Columns of text as numbers: amounts, days, parts of days, codes, places in the alphabet, forms of columns.

A reading gives one number for each cell, NaN where it is blank or cannot be read. The matchers beside this
module hold readings of two tables against each other (:mod:`core.comparing.nearest` row by row,
:mod:`core.comparing.sets` as whole sets, :mod:`core.comparing.sorted_alike` in the order they give).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray, IntArray
from core.values.dates import read_days
from core.values.letters import narrowed
from core.values.numbers import plain_numbers

_MOST = 0.95  # share of the filled cells that have to be read
_LOOKED_AT = 200  # distinct values that show how a column is written
# One number with anything but digits before and after it: a currency, a unit, a letter.
_EXPONENT = "(?:[eE][+-][0-9]{1,3})?"  # of scientific form
_ONE_NUMBER = rf"^(?P<before>[^0-9]*)(?P<number>[0-9](?:[0-9.,'’\s]*[0-9])?{_EXPONENT})(?P<after>[^0-9]*)$"
_HEX, _LETTER = r"^[0-9a-fA-F]{4,15}$", r"[a-fA-F][0-9]"
_TWO = r"^[^0-9]*([0-9]+(?:\.[0-9]+)?)[^0-9]+([0-9]+(?:\.[0-9]+)?)[^0-9]*$"  # numbers in a cell
_COUNTED = r"^(?P<before>[^0-9]*)(?P<number>[0-9]{1,15})(?P<behind>[^0-9]*)$"
_NEARLY_ALL, _FEW_KINDS = 0.97, 0.05  # share of the texts with a number, and of different letters around it
_FEWEST_COUNTED, _WITHOUT_GAPS = 10, 0.2  # numbers, and the share of those from first to last that are there
_FEWEST_IN_GROUP, _FEWEST_IN_ORDER = 5, 10  # records of a group whose spread, or order, is that of others


@dataclass(frozen=True, kw_only=True, eq=False)
class Amounts:
    """What the cells of a column amount to."""

    kind: Literal["number", "date"]
    # shape (n_cells,): numbers, or days since 1970 with fractions; NaN where blank or not read
    numbers: FloatArray

    @cached_property
    def distinct(self) -> FloatArray:
        """Return the distinct numbers, ascending."""
        return np.unique(self.numbers[~np.isnan(self.numbers)])

    @cached_property
    def readings(self) -> Mapping[str, FloatArray]:
        """Return the values as one or, of dates, several numbers: in whatever order a date may be written."""
        if self.kind == "number":
            return {"": self.numbers}
        orders = {order: self._written(order) for order in ("ymd", "dmy", "mdy", "dmY", "mdY")}
        return {"days": self.numbers, **orders}

    def part(self, name: str) -> FloatArray:
        """Return a part of dates, one of `PARTS`."""
        return _PARTS[name](self.numbers)

    def _written(self, order: str) -> FloatArray:
        """Return dates as the number of their year (Y long, y short), month (m) and day (d)."""
        year, month, day = _calendar(self.numbers)
        parts = {"Y": (year, 10_000), "y": (year % 100, 100), "m": (month, 100), "d": (day, 100)}
        number = np.zeros(len(self.numbers))
        for letter in order:
            value, size = parts[letter]
            number = number * size + value
        return number


def read_amounts(column: pa.ChunkedArray | pa.Array) -> Amounts | None:
    """Read a column of text as dates or as numbers; None where less than 95 % of the filled cells are.

    Dates are those of :mod:`core.values.dates` that say the day, but digits alone are numbers. Numbers may have a
    currency, a unit or letters before or behind, signs between thousands, either decimal mark, and an
    exponent (``1.5e+07``); or all be hexadecimal.
    """
    encoded = pc.dictionary_encode(pc.utf8_trim_whitespace(column))
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    values = encoded.dictionary
    filled = pc.not_equal(values, "").to_numpy(zero_copy_only=False)
    if np.count_nonzero(filled) < 3:
        return None
    read = _hexadecimal(values, filled) or _dates(values, filled) or _numbers(values, filled)
    if read is None:
        return None
    kind, of_values = read
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return Amounts(kind=kind, numbers=np.append(of_values, np.nan)[codes])


def read_codes(column: pa.ChunkedArray | pa.Array) -> Amounts | None:
    """Read numbers of people, with signs and letters between their digits, as whole numbers.

    None unless 95 % of the filled cells have the same number of digits, 5 to 15.
    """
    digits = pc.replace_substring_regex(column, r"[^0-9]+", "")
    lengths = pc.utf8_length(digits)
    n_digits = pc.mode(lengths)[0]["mode"].as_py() if len(column) > column.null_count else 0
    alike = pc.fill_null(pc.equal(lengths, n_digits), False)
    if not 5 <= n_digits <= 15 or pc.sum(alike).as_py() < _MOST * (len(column) - column.null_count):
        return None
    numbers = pc.cast(pc.if_else(alike, digits, None), pa.int64()).to_numpy(zero_copy_only=False)
    return Amounts(kind="number", numbers=np.asarray(numbers, dtype=np.float64))


_Read = tuple[Literal["number", "date"], FloatArray]


def _dates(values: pa.Array, filled: npt.NDArray[np.bool_]) -> _Read | None:
    places = np.flatnonzero(filled)
    first = values.take(pa.array(places[:: max(1, len(places) // _LOOKED_AT)]))
    digits_alone = pc.match_substring_regex(first, "^[0-9]*$").to_numpy(zero_copy_only=False)
    if digits_alone.mean() > 1 - _MOST or np.isnan(read_days(first)).mean() > 1 - _MOST:
        return None
    days = read_days(values)
    is_read = np.count_nonzero(~np.isnan(days)) >= _MOST * np.count_nonzero(filled)
    return ("date", days) if is_read else None


def _numbers(values: pa.Array, filled: npt.NDArray[np.bool_]) -> _Read | None:
    found = pc.extract_regex(values.cast(pa.string()), _ONE_NUMBER)
    read = pc.is_valid(found).to_numpy(zero_copy_only=False)
    if np.count_nonzero(read & filled) < _MOST * np.count_nonzero(filled):
        return None
    before, number = (found.field(part) for part in ("before", "number"))
    plain = plain_numbers(number, share=_MOST)
    if plain is None:
        return None
    numbers = plain.texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    negative = pc.match_substring_regex(before, narrowed(r"^[^\p{L}]*[-−][^\p{L}]*$", before))
    sign = np.where(pc.fill_null(negative, False).to_numpy(zero_copy_only=False), -1.0, 1.0)
    return "number", np.where(read, numbers * sign, np.nan)


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())


def _hexadecimal(values: pa.Array, filled: npt.NDArray[np.bool_]) -> _Read | None:
    """Read hexadecimal numbers, if all values are and some could be nothing else."""
    shaped = pc.match_substring_regex(values, _HEX).to_numpy(zero_copy_only=False)
    n_needed = _MOST * np.count_nonzero(filled)
    if np.count_nonzero(shaped & filled) < n_needed or not _any(pc.match_substring_regex(values, _LETTER)):
        return None
    read = zip(values.to_pylist(), shaped, strict=True)
    return "number", np.array([float(int(text, 16)) if is_hex else np.nan for text, is_hex in read])


def two_numbers(cells: Sequence[str | None]) -> list[FloatArray]:
    """Return the two numbers that each cell holds, such as a blood pressure; none if some do not."""
    texts = pd.Series([cell for cell in cells if cell], dtype="str")
    if not len(texts) or texts.iloc[:100].str.fullmatch(_TWO).mean() < _MOST:
        return []
    both = pd.Series([cell or "" for cell in cells], dtype="str").str.extract(_TWO).astype(float).to_numpy()
    return [both[:, 0], both[:, 1]] if (~np.isnan(both[:, 0])).sum() >= _MOST * len(texts) else []


def alphabetic_places(texts: pa.ChunkedArray) -> FloatArray:
    """Return the place of each text in the order of the alphabet; NaN where blank."""
    encoded = pc.dictionary_encode(texts).combine_chunks()
    places = np.empty(len(encoded.dictionary) + 1)
    places[pc.sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(encoded.dictionary))
    places[-1] = np.nan
    return places[pc.fill_null(encoded.indices, -1).to_numpy()]


def counted_numbers(texts: pa.Array) -> IntArray | None:
    """Return shape (n_texts,): the number of each; None unless they were counted up, in whatever steps.

    Nearly all have one number, between the same letters or few kinds of them; others are −1.
    """
    parts = pc.extract_regex(texts, _COUNTED)
    around = [pc.struct_field(parts, name) for name in ("before", "behind")]
    letters = pc.binary_join_element_wise(*around, "0")
    n_kinds = pc.count_distinct(letters).as_py()
    too_few = letters.null_count > (1 - _NEARLY_ALL) * len(texts)
    if too_few or not 0 < n_kinds <= max(1, _FEW_KINDS * len(texts)):
        return None
    numbers = pc.cast(pc.struct_field(parts, "number"), pa.int64())
    found: IntArray = pc.fill_null(numbers, -1).to_numpy(zero_copy_only=False)
    known = np.unique(found[found >= 0])
    if len(known) < _FEWEST_COUNTED:
        return None
    step = int(np.gcd.reduce(np.diff(known)))
    few_gaps = (known[-1] - known[0]) // step < len(known) / _WITHOUT_GAPS
    return np.where(found < 0, -1, found // step) if few_gaps else None


def last_place(numbers: FloatArray) -> float:
    """Return half of the last decimal place that the numbers have, 0.5 for whole numbers."""
    size = np.maximum(1, np.abs(numbers))
    for places in range(7):
        if np.all(np.abs(numbers - np.round(numbers, places)) < 1e-9 * size):
            return float(0.5 * 10.0**-places)
    return float(1e-9 * size.max())


# --- parts of dates


def _calendar(days: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return year, month and day, NaN where there is no date."""
    known = ~np.isnan(days)
    dates = np.where(known, np.floor(days), 0).astype("datetime64[D]")
    years, months = dates.astype("datetime64[Y]"), dates.astype("datetime64[M]")
    parts = years.astype(int) + 1970, (months - years).astype(int) + 1, (dates - months).astype(int) + 1
    year, month, day = (np.where(known, part, np.nan) for part in parts)
    return year, month, day


_THURSDAY = 3  # the weekday of day 0, 1 January 1970, where Monday is 0


def _weekday(days: FloatArray) -> FloatArray:
    return (np.floor(days) + _THURSDAY) % 7


def _day_of_year(days: FloatArray) -> FloatArray:
    year = _calendar(days)[0]
    years = (np.where(np.isnan(year), 1970, year).astype(np.int64) - 1970).astype("datetime64[Y]")
    return np.floor(days) - years.astype("datetime64[D]").astype(np.int64) + 1


def _week(days: FloatArray) -> FloatArray:
    """Return the week of the year, of which the first holds its first Thursday (ISO 8601)."""
    return (_day_of_year(np.floor(days) - _weekday(days) + _THURSDAY) - 1) // 7 + 1


_PARTS: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {
        "year": lambda days: _calendar(days)[0],
        "short year": lambda days: _calendar(days)[0] % 100,
        "month": lambda days: _calendar(days)[1],
        "year and month": lambda days: _calendar(days)[0] * 100 + _calendar(days)[1],
        "day": lambda days: _calendar(days)[2],
        "month and day": lambda days: _calendar(days)[1] * 100 + _calendar(days)[2],
        "day and month": lambda days: _calendar(days)[2] * 100 + _calendar(days)[1],
        "day of year": _day_of_year,
        "week": _week,
        "weekday": _weekday,
        "weekday_1": lambda days: _weekday(days) + 1,
    }
)
PARTS = tuple(_PARTS)
"""Parts of dates that a column may hold, as numbers."""


# --- within groups, and of two columns


def spreads(numbers: FloatArray, groups: IntArray) -> FloatArray:
    """Return how many standard deviations each number is from the mean of its group; NaN in small groups.

    Shape (n_rows, n_columns), as `numbers`; `groups` has shape (n_rows,).
    """
    grouped = pd.DataFrame(numbers).groupby(groups)
    spread = grouped.transform("std").to_numpy()
    many = (spread > 0) & (grouped.transform("count").to_numpy() >= _FEWEST_IN_GROUP)
    found: FloatArray = (numbers - grouped.transform("mean").to_numpy()) / np.where(many, spread, np.nan)
    return found


def places(numbers: FloatArray, groups: IntArray) -> FloatArray:
    """Return the place of each number in the order of its group, in (0, 1); NaN in small groups."""
    grouped = pd.DataFrame(numbers).groupby(groups)
    n = grouped.transform("count").to_numpy()
    return np.where(n >= _FEWEST_IN_ORDER, grouped.rank().to_numpy() / (n + 1), np.nan)


def steps(numbers: FloatArray, groups: IntArray) -> FloatArray:
    """Return the difference of each number from the one before in its group: what was added up."""
    return np.asarray(pd.DataFrame(numbers).groupby(groups).diff())


FORMS: tuple[Callable[[FloatArray, FloatArray], FloatArray], ...] = (
    *(np.add, np.subtract, np.multiply, np.divide),
    lambda a, b: b - a,
    lambda a, b: b / a,
    lambda a, b: a / b**2,
    lambda a, b: b / a**2,
)
"""What is worked out from two columns, such as a body-mass index."""
