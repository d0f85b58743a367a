"""Dates of a column in whatever spelling it has: year first, day first, month first, in words (`iso_dates`).

Which of two numbers is the day is a matter of the whole column: some day after the 12th settles it. Where
nothing does, the year alone is sure, and where not even the year is (``01/02/03``), nothing is. Years written
without a sign between are those from 1800 to 2300; of two digits, those from 1931 to 2030.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray, IntArray
from core.values.calendars import iso_dates

Precision = Literal["year", "month", "day"]

YEAR = "(?:1[89][0-9]{2}|2[0-2][0-9]{2}|2300)"
"""Years, without groups: 1800 to 2300, as research data sets shift dates past 2100."""

CENTURY_TURNS = 31
"""A year of two digits counts as 19.. from here on, as 20.. below: 1931 to 2030."""

_TIME = r"(?P<time>(?:[Tt:]|,? +)[0-9]{1,2}[:.h][0-9]{2}.*)?"
_TWO = "[0-9]{1,2}"
_YEAR_FIRST = rf"^(?P<year>[0-9]{{4}}) ?[-/.년] ?(?P<month>{_TWO}) ?[-/.월] ?(?P<day>{_TWO}) ?[.일]?{_TIME}$"
_YEAR_MONTH = rf"^(?P<year>[0-9]{{4}}) ?[-/년] ?(?P<month>{_TWO})월?$"
_MONTH_YEAR = rf"^(?P<month>{_TWO}) ?[-/.] ?(?P<year>{YEAR})$"
_COMPACT = rf"^(?P<year>{YEAR})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])$"
_YEAR_LAST = rf"^(?P<a>{_TWO}) ?(?P<dot>[-/.]) ?(?P<b>{_TWO}) ?[-/.] ?(?P<c>[0-9]{{4}})\.?{_TIME}$"
_COMPACT_LAST = rf"^(?P<a>[0-3][0-9])(?P<b>[0-3][0-9])(?P<c>{YEAR})$"
_SHORT = rf"^(?P<a>{_TWO})(?P<dot>[-/.]) ?(?P<b>{_TWO})[-/.] ?(?P<c>{_TWO}){_TIME}$"
_MAY_BE = (  # a quick look at what every date has; a longer one at columns of other texts would cost more
    r"^[0-9]{1,4} ?[-/.년] ?[0-9]{1,2} ?[-/.월] ?[0-9]|^[0-9]{8}$|^[0-9]{1,2} ?[-/.] ?[12][0-9]{3}$"
    r"|^[0-9]{4} ?[-/년] ?[0-9]{1,2}(?:월|$)"
)
_YEAR_AT_END = rf"^[^0-9]*(?:{_TWO}[^0-9]+){{0,2}}[0-9]{{4}}[^0-9]{{0,4}}{_TIME}$"
_FIELDS = ("year", "month", "day", "time", "a", "b", "c", "dot", "week", "hour", "minute", "second")
_DAY_MONTH = rf"^{_TWO} ?[./-] ?{_TWO}\.?$"

_DAY_OF_YEAR = rf"^(?P<year>{YEAR})-(?P<day>[0-3][0-9]{{2}})$"
_DAY_OF_WEEK = rf"^(?P<year>{YEAR})-W(?P<week>[0-5][0-9])-(?P<day>[1-7])$"
_CLOCK = (
    rf"[Tt :](?P<hour>{_TWO})[:.h](?P<minute>[0-9]{{2}})"
    r"(?:[:.](?P<second>[0-9]{2})(?:[.,][0-9]+)?)? ?(?:[AaPp]\.?[Mm]\.?|UTC|[Zz]|[+-][0-9]{2}:?[0-9]{2})?$"
)
_IN_HALVES, _AFTERNOON = r"[AaPp]\.?[Mm]\.?$", r"[Pp]\.?[Mm]\.?$"

_SURE = 0.9  # share of the telling dates that must tell the same order of day and month
_MANY_DAYS, _FEW_YEARS = 20, 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Dates:
    """What the distinct texts of a column say as dates."""

    year: IntArray  # shape (n_values,), -1 where the text is no date, does not say it, or nothing settles it
    month: IntArray
    day: IntArray
    century_known: BoolArray  # shape (n_values,); False for a year of two digits
    has_time: bool  # whether a time follows some date

    @property
    def known(self) -> BoolArray:
        """Return shape (n_values,): whether the text is a date."""
        return self.year >= 0

    @property
    def finest(self) -> Precision:
        """Return the finest that every date says."""
        known = self.known
        if (self.month[known] < 0).any() or not known.any():
            return "year"
        return "month" if (self.day[known] < 0).any() else "day"

    def positions(self) -> FloatArray:
        """Return shape (n_values,): days on one scale, NaN for no date; what is not said is its middle."""
        month = np.where(self.month > 0, self.month, 7)
        day = np.where(self.day > 0, self.day, 1 if self.finest == "year" else 15)
        return np.where(self.known, _first_of_month(self.year, month) + day - 1.0, np.nan)


def read_dates(values: pa.Array) -> Dates:
    """Read distinct texts as dates; blanks around them are passed over.

    Parameters
    ----------
    values
        Shape (n_values,), null for a missing one.

    Returns
    -------
    Dates
        Days that no calendar knows, such as 30 February, are no dates.

    >>> found = read_dates(pa.array(["31.12.2021", "1.2.2021", "none"]))
    >>> found.year.tolist(), found.month.tolist(), found.day.tolist()
    ([2021, 2021, -1], [12, 2, -1], [31, 1, -1])
    """
    texts = iso_dates(_texts(values))
    parts = _Parts(len(values))
    if not pc.any(pc.match_substring_regex(texts, _MAY_BE)).as_py():
        return parts.dates()
    for pattern in (_YEAR_FIRST, _COMPACT, _YEAR_MONTH, _MONTH_YEAR):
        parts.take(_extracted(texts, pattern))
    parts.take(_year_last(_extracted(texts, _YEAR_LAST)))
    parts.take(_year_last(_extracted(texts, _COMPACT_LAST)))
    short = _extracted(texts, _SHORT)
    parts.take(_short_years(short), century_known=False)
    return parts.dates()


def read_days(values: pa.Array) -> FloatArray:
    """Read distinct texts as days with the time of day, also as day or week of a year (ISO 8601).

    Parameters
    ----------
    values
        Shape (n_values,), null for a missing one.

    Returns
    -------
    FloatArray
        Shape (n_values,): days since 1970 with the fraction that has gone by, whatever the time zone; NaN
        where a text does not say the day.

    >>> read_days(pa.array(["1970-01-02T06:00:00Z", "1970-02-01", "1970"])).tolist()
    [1.25, 31.0, nan]
    """
    found, texts = read_dates(values), iso_dates(_texts(values))
    days = np.where(found.day > 0, _first_of_month(found.year, found.month) + found.day - 1.0, np.nan)
    parts = _extracted(texts, _DAY_OF_YEAR)
    january = _first_of_month(parts["year"], np.ones_like(parts["year"]))
    days = np.where(parts["year"] >= 0, january + parts["day"] - 1, days)
    parts = _extracted(texts, _DAY_OF_WEEK)
    fourth = _first_of_month(parts["year"], np.ones_like(parts["year"])) + 3  # it is in the first week
    monday = fourth - (fourth + 3) % 7 + 7 * (parts["week"] - 1)
    days = np.where(parts["year"] >= 0, monday + parts["day"] - 1, days)
    return days + share_of_day(texts) if found.has_time else days


def share_of_day(texts: pa.Array) -> FloatArray:
    """Return shape (n_texts,): the share of the day gone by at the time in a text, 0 where it says none."""
    parts = _extracted(texts, _CLOCK)
    in_halves, is_later = (
        pc.fill_null(pc.match_substring_regex(texts, form), False).to_numpy(zero_copy_only=False)
        for form in (_IN_HALVES, _AFTERNOON)
    )
    hours = np.where(in_halves, parts["hour"] % 12 + 12 * is_later, parts["hour"])
    seconds = 3600 * hours + 60 * parts["minute"] + np.maximum(parts["second"], 0)
    return np.where(parts["hour"] >= 0, seconds / 86_400, 0.0)


def begins_with_the_day(values: pa.Array) -> BoolArray:
    """Return shape (n_values,): whether a text has the form of a date that does not begin with its year.

    Cutting such a text from the right keeps the day and loses the year.
    """
    texts = _texts(values)
    forms = (_YEAR_LAST, _SHORT, _MONTH_YEAR, _DAY_MONTH)
    found = [pc.fill_null(pc.match_substring_regex(texts, form), False) for form in forms]
    in_words = pc.and_(pc.not_equal(iso_dates(texts), texts), pc.match_substring_regex(texts, _YEAR_AT_END))
    found.append(pc.fill_null(in_words, False))
    return np.logical_or.reduce([each.to_numpy(zero_copy_only=False) for each in found])


def _texts(values: pa.Array) -> pa.Array:
    return pc.utf8_trim_whitespace(values.cast(pa.large_string()))


class _Parts:
    """Years, months and days as found so far, each of shape (n_values,)."""

    def __init__(self, n_values: int) -> None:
        self.year, self.month, self.day = (np.full(n_values, -1, dtype=np.int64) for _ in range(3))
        self.century_known = np.ones(n_values, dtype=bool)
        self.has_time = False

    def take(self, found: Mapping[str, IntArray], *, century_known: bool = True) -> None:
        """Take the dates of one spelling over where none was found before."""
        year, month, day = found["year"], found["month"], found["day"]
        fresh = (self.year < 0) & (year >= 0) & _is_possible(year, month, day)
        self.year[fresh], self.month[fresh], self.day[fresh] = year[fresh], month[fresh], day[fresh]
        self.century_known[fresh] = century_known
        self.has_time |= bool((found["time"][fresh] > 0).any())

    def dates(self) -> Dates:
        """Return what was found."""
        return Dates(
            year=self.year,
            month=self.month,
            day=self.day,
            century_known=self.century_known,
            has_time=self.has_time,
        )


def _extracted(texts: pa.Array, pattern: str) -> dict[str, IntArray]:
    """Return each part of a spelling as numbers, -1 where a text is of another; 1 for a time."""
    nothing = np.full(len(texts), -1, dtype=np.int64)
    found = dict.fromkeys(_FIELDS, nothing)
    if not pc.any(pc.match_substring_regex(texts, pattern)).as_py():
        return found
    matched = pc.extract_regex(texts, pattern)
    for position, field in enumerate(matched.type):
        part = pc.if_else(matched.is_valid(), matched.field(position), None)
        if field.name in ("time", "dot"):
            wanted = pc.equal(part, ".") if field.name == "dot" else pc.not_equal(part, "")
            found[field.name] = _filled(wanted.cast(pa.int64()))
        else:
            found[field.name] = _filled(pc.if_else(pc.equal(part, ""), None, part).cast(pa.int64()))
    return found


def _filled(numbers: pa.Array) -> IntArray:
    return cast("IntArray", pc.fill_null(numbers, -1).to_numpy(zero_copy_only=False))


def _year_last(found: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return what two numbers and a year of four digits say, in the order that the column settles."""
    first, second, year = found["a"], found["b"], found["c"]
    n_day_first, n_month_first = np.count_nonzero(first > 12), np.count_nonzero(second > 12)
    n_telling = n_day_first + n_month_first
    unsaid = np.full_like(first, -1)
    if n_telling and n_month_first >= _SURE * n_telling:
        return {**found, "year": year, "month": first, "day": second}
    if (n_telling and n_day_first >= _SURE * n_telling) or (not n_telling and (found["dot"] != 0).all()):
        return {**found, "year": year, "month": second, "day": first}
    smaller, larger = np.minimum(first, second), np.maximum(first, second)
    is_date = (smaller >= 1) & (smaller <= 12) & (larger <= 31)
    return {**found, "year": np.where(is_date, year, -1), "month": unsaid, "day": unsaid}


def _short_years(found: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return what three numbers of one or two digits say; nothing where the year may be the first or last."""
    first, second, last = found["a"], found["b"], found["c"]
    is_last, is_first = _can_only_be_years(last, first), _can_only_be_years(first, last)
    if is_last == is_first:
        return {**found, "year": np.full_like(first, -1)}
    if is_last:
        return _year_last({**found, "c": _with_century(last)})
    return {**found, "year": _with_century(first), "month": second, "day": last}


def _can_only_be_years(numbers: IntArray, other: IntArray) -> bool:
    """Return whether numbers can be no days, or repeat few values where the other ones are like all days."""
    known = numbers[numbers >= 0]
    if (known > 31).any() or (known == 0).any():
        return True
    return len(np.unique(known)) <= _FEW_YEARS and len(np.unique(other[other >= 0])) >= _MANY_DAYS


def _with_century(years: IntArray) -> IntArray:
    return np.where(years < 0, -1, years + np.where(years >= CENTURY_TURNS, 1900, 2000))


def _is_possible(year: IntArray, month: IntArray, day: IntArray) -> BoolArray:
    """Return where a calendar has the day; what is not said (-1) is possible."""
    named = np.where((month >= 1) & (month <= 12), month, 1)
    length = _first_of_month(year + named // 12, named % 12 + 1) - _first_of_month(year, named)
    is_month = (month == -1) | ((month >= 1) & (month <= 12))
    return cast("BoolArray", is_month & ((day == -1) | ((day >= 1) & (day <= length))))


def _first_of_month(year: IntArray, month: IntArray) -> FloatArray:
    """Return the days from 1970-01-01 to the first of each month."""
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    return cast("FloatArray", months.astype("datetime64[D]").astype(np.int64).astype(np.float64))
