"""Columns of text as the numbers or dates they stand for, however they are written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray
from core.letters import narrowed

_MOST = 0.95  # share of the filled cells that have to be read
_LOOKED_AT = 200  # distinct values that tell how a column is written
_DATE_SPELLINGS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"),
    *("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%fZ"),
    *("%d.%m.%Y", "%d. %m. %Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y"),
    *("%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"),
    *("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d%b%Y"),
    *("%Y년 %m월 %d일", "%Y년%m월%d일", "%Y. %m. %d.", "%Y. %m. %d", "%Y-%j", "%G-W%V-%u"),
)
# One number with anything but digits before and after it: a currency, a unit, a letter.
_EXPONENT = "(?:[eE][+-][0-9]{1,3})?"  # of scientific form
_ONE_NUMBER = rf"^(?P<before>[^0-9]*)(?P<number>[0-9](?:[0-9.,'’\s]*[0-9])?{_EXPONENT})(?P<after>[^0-9]*)$"
_SPACES = r"['’\s\x{A0}\x{202F}]"
_GROUPS = {mark: rf"^[0-9]{{1,3}}(?:\{mark}[0-9]{{3}})+$" for mark in ",."}
_HEX = r"^[0-9a-fA-F]{4,15}$"
_LETTER = r"[a-fA-F][0-9]"
_DAY = 86_400.0  # seconds


@dataclass(frozen=True, kw_only=True, eq=False)
class Amounts:
    """What the cells of a column amount to."""

    kind: Literal["number", "date"]  # ``number`` or ``date``
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
        return {name: write(self.numbers) for name, write in _DATE_NUMBERS.items()}

    def part(self, name: str) -> FloatArray:
        """Return a part of dates, one of `PARTS`."""
        return _PARTS[name](self.numbers)


def read_amounts(column: pa.ChunkedArray | pa.Array) -> Amounts | None:
    """Read a column of text as dates of one spelling or as numbers.

    Numbers may have a currency, a unit or letters before or behind, signs between thousands, either decimal
    mark, and an exponent (``1.5e+07``); or all be hexadecimal.
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
    """Read a column of numbers of people, with signs and letters between their digits, as whole numbers."""
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
    """Read distinct values as dates of the spelling that most of them have."""
    places = np.flatnonzero(filled)
    first = pd.Series(values.take(pa.array(places[:: max(1, len(places) // _LOOKED_AT)])).to_pylist())
    if first.str.fullmatch("[0-9]*").mean() > 1 - _MOST:
        return None
    likely = [spelling for spelling in _DATE_SPELLINGS if any(_is_date(text, spelling) for text in first[:3])]
    shares = {spelling: _read_dates(first, spelling).notna().mean() for spelling in likely}
    spelling = max(shares, key=shares.__getitem__, default="")
    if not spelling or shares[spelling] < _MOST:
        return None
    dates = _read_dates(pd.Series(values.to_pylist()), spelling)
    days = dates.to_numpy("datetime64[us]").astype(np.int64) / (_DAY * 1e6)
    return "date", np.where(dates.isna(), np.nan, days)


def _is_date(text: str, spelling: str) -> bool:
    try:
        datetime.strptime(text, spelling)
    except ValueError:
        return False
    return True


def _read_dates(texts: pd.Series, spelling: str) -> pd.Series:
    return pd.to_datetime(texts, format=spelling, errors="coerce").astype("datetime64[us]")


def _numbers(values: pa.Array, filled: npt.NDArray[np.bool_]) -> _Read | None:
    """Read distinct values as numbers with a currency, a unit or letters around them."""
    found = pc.extract_regex(values.cast(pa.string()), _ONE_NUMBER)
    read = pc.is_valid(found).to_numpy(zero_copy_only=False)
    if np.count_nonzero(read & filled) < _MOST * np.count_nonzero(filled):
        return None
    before, number = (found.field(part) for part in ("before", "number"))
    plain = _with_decimal_point(pc.replace_substring_regex(number, _SPACES, ""))
    numbers = pd.to_numeric(pd.Series(plain.to_pylist(), dtype="object"), errors="coerce").to_numpy(float)
    negative = pc.match_substring_regex(before, narrowed(r"^[^\p{L}]*[-−][^\p{L}]*$", before))
    sign = np.where(pc.fill_null(negative, False).to_numpy(zero_copy_only=False), -1.0, 1.0)
    return "number", np.where(read, numbers * sign, np.nan)


def _with_decimal_point(numbers: pa.Array) -> pa.Array:
    """Return numbers without signs between thousands and with a point before decimals."""
    for mark, other in ((",", "."), (".", ",")):
        if not _any(pc.match_substring(numbers, mark)):
            continue
        several = _any(pc.greater(pc.count_substring(numbers, mark), 1))
        before_other = _any(pc.match_substring_regex(numbers, rf"\{mark}.*\{other}"))
        marked = numbers.filter(pc.match_substring(numbers, mark))
        in_groups = mark == "," and not _any(pc.invert(pc.match_substring_regex(marked, _GROUPS[mark])))
        if several or before_other or in_groups:
            numbers = pc.replace_substring(numbers, mark, "")
    return pc.replace_substring(numbers, ",", ".")


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())


def _hexadecimal(values: pa.Array, filled: npt.NDArray[np.bool_]) -> _Read | None:
    """Read distinct values as hexadecimal numbers, if they all are and some could be nothing else."""
    shaped = pc.match_substring_regex(values, _HEX).to_numpy(zero_copy_only=False)
    n_needed = _MOST * np.count_nonzero(filled)
    if np.count_nonzero(shaped & filled) < n_needed or not _any(pc.match_substring_regex(values, _LETTER)):
        return None
    texts = values.to_pylist()
    return "number", np.array(
        [float(int(text, 16)) if is_hex else np.nan for text, is_hex in zip(texts, shaped, strict=True)]
    )


def _calendar(days: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return year, month and day, NaN where there is no date."""
    known = ~np.isnan(days)
    dates = np.where(known, np.floor(days), 0).astype("datetime64[D]")
    years, months = dates.astype("datetime64[Y]"), dates.astype("datetime64[M]")
    parts = (
        years.astype(np.int64) + 1970,
        (months - years).astype(np.int64) + 1,
        (dates - months).astype(np.int64) + 1,
    )
    year, month, day = (np.where(known, part, np.nan) for part in parts)
    return year, month, day


def _written(order: str) -> Callable[[FloatArray], FloatArray]:
    """Return what writes a date as the number of its year (Y long, y short), month (m) and day (d)."""

    def write(days: FloatArray) -> FloatArray:
        year, month, day = _calendar(days)
        parts = {"Y": (year, 10_000), "y": (year % 100, 100), "m": (month, 100), "d": (day, 100)}
        number = np.zeros(len(days))
        for letter in order:
            value, size = parts[letter]
            number = number * size + value
        return number

    return write


_DATE_NUMBERS: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {"days": lambda days: days, **{order: _written(order) for order in ("ymd", "dmy", "mdy", "dmY", "mdY")}}
)
"""Numbers that dates are written as, whose order differs; years first is the order of days."""

_PARTS: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {
        "year": lambda days: _calendar(days)[0],
        "short year": lambda days: _calendar(days)[0] % 100,
        "month": lambda days: _calendar(days)[1],
        "year and month": lambda days: _calendar(days)[0] * 100 + _calendar(days)[1],
        "day": lambda days: _calendar(days)[2],
        "month and day": lambda days: _calendar(days)[1] * 100 + _calendar(days)[2],
        "day and month": lambda days: _calendar(days)[2] * 100 + _calendar(days)[1],
        "day of year": lambda days: np.floor(days) - _first_of_year(days) + 1,
        "week": lambda days: _week(days),  # noqa: PLW0108 - defined below
        "weekday": lambda days: (np.floor(days) + _THURSDAY) % 7,
        "weekday_1": lambda days: (np.floor(days) + _THURSDAY) % 7 + 1,
    }
)
PARTS = tuple(_PARTS)
"""Parts of dates that a column may hold, as numbers."""


_THURSDAY = 3  # the weekday of day 0, 1 January 1970, where Monday is 0


def _week(days: FloatArray) -> FloatArray:
    """Return the week of the year, of which the first holds its first Thursday (ISO 8601)."""
    thursday = np.floor(days) - (np.floor(days) + _THURSDAY) % 7 + _THURSDAY
    return (thursday - _first_of_year(thursday)) // 7 + 1


def _first_of_year(days: FloatArray) -> FloatArray:
    year = _calendar(days)[0]
    known = ~np.isnan(year)
    years = (np.where(known, year, 1970).astype(np.int64) - 1970).astype("datetime64[Y]")
    return np.where(known, years.astype("datetime64[D]").astype(np.int64), np.nan)
