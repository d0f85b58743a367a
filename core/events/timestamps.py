"""Timestamps, ISO 8601 or as people and programs write them, as local wall-clock time."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, IntArray
from core.values.calendars import iso_dates
from core.values.dates import CENTURY_TURNS

# Calendar date, extended or basic; a time of any precision; a zone that is read and not applied.
_ISO_8601 = (
    r"^\s*(?P<year>\d{4})(?P<first>-?)(?P<month>\d{2})(?P<second_dash>-?)(?P<day>\d{2})"
    r"(?:[Tt ](?P<hour>\d{2})(?::?(?P<minute>\d{2})(?::?(?P<second>\d{2}))?)?(?:[.,]\d+)?"
    r"\s*(?P<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?\s*$"
)
_CLOCK = (
    r"(?:[Tt ,:]\s*(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?)?(?:[.,]\d+)?"
    r"\s*(?P<half>[AaPp])?(?:\.?[Mm]\.?)?\s*(?P<zone>[Zz]|UTC|[+-]\d{2}(?::?\d{2})?)?)?\s*$"
)
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4}|\d{2})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_FIRST, _SECOND = r"(?P<first>[./-])\s?", r"(?P<second_dash>[./-])\s?"
_PATTERNS = {
    "iso": _ISO_8601,
    "year-first": rf"^\s*(?P<year>\d{{4}}){_FIRST}{_MONTH}{_SECOND}{_DAY}\.?{_CLOCK}",
    "day-first": rf"^\s*{_DAY}{_FIRST}{_MONTH}{_SECOND}{_YEAR}\.?{_CLOCK}",
    "month-first": rf"^\s*{_MONTH}{_FIRST}{_DAY}{_SECOND}{_YEAR}\.?{_CLOCK}",
}
_WITHOUT_SIGNS = r"^(\d{8})(\d{4}(?:\d{2})?)$"
_COUNTED = {  # the shape of numbers, how many of them are a second, and day 0
    "epoch-seconds": (r"^\s*\d{9,10}(?:\.\d+)?\s*$", 1.0, 0),
    "epoch-milliseconds": (r"^\s*\d{12,13}\s*$", 1000.0, 0),
    "excel-days": (r"^\s*(?:[2-9]\d|10)\d{3}(?:[.,]\d+)?\s*$", 1 / 86_400, -25_569),  # from 1954 to 2200
}
COUNTED = tuple(_COUNTED)
"""How times are written that are counted from some day: numbers that may be something else."""
_DETECTED_FROM = 20_000
_SECONDS_OF_DAY = 86_400
_NOON = 12
_EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday; Monday is 0
_HIGHEST = {"hour": 24, "minute": 59, "second": 60}  # 24:00 ends a day; :60 is a leap second


@dataclass(frozen=True, kw_only=True, eq=False)
class Timestamps:
    """Timestamps as written on the clock where they were taken."""

    # shape (n_records,), days since 1970-01-01 in the proleptic Gregorian calendar; 0 where not readable
    days: IntArray
    hours: IntArray  # shape (n_records,), hour of the day 0-23
    seconds: IntArray  # shape (n_records,), second of the hour; 0 where it is not written
    readable: BoolArray  # shape (n_records,), False where the cell is missing or no ISO 8601 date and time
    n_without_time: int  # readable timestamps that are a date only, taken as midnight
    # readable timestamps by the zone they are written in, such as ``+01:00``, ``Z`` or an empty text for none
    n_by_zone: dict[str, int]
    # how they are written, one of :data:`core.events.settings.TIME_FORMATS` but ``auto``
    time_format: str = "iso"
    # whether day and month could be exchanged in every timestamp looked at, or years have two digits
    is_ambiguous: bool = False
    has_short_years: bool = False  # whether some years have two digits: 1931 to 2030


def parse_timestamps(column: pa.ChunkedArray | pa.Array, *, time_format: str = "iso") -> Timestamps:
    """Read timestamps, each with its own precision and zone, keeping local time.

    A zone is recognized and not applied: an event at 23:30 in Ljubljana stays an event at night.
    Local times that a daylight-saving change skips are times like any other. A date without a time
    is midnight. Week dates (``2024-W05-3``), ordinal dates and years of other than four digits are
    not readable. Seconds and milliseconds since 1970 are read in UTC; days are Excel's, which counts from
    1900. Years of two digits are those from 1931 to 2030.

    `time_format`: how they are written. ``auto``: as ISO 8601 where all can be read so, else in the way that
    reads most of the first 20,000; where day-first and month-first read as many, day-first. Where some cannot
    be read, dates in words and of other calendars are, if that reads more
    (:func:`core.values.calendars.iso_dates`).

    References
    ----------
    ISO 8601-1:2019, Date and time, 5.2.2 and 5.3.
    """
    column = column.cast(pa.string())
    if time_format != "auto":
        return _parsed(column, time_format)
    found = _detected(column)
    if not _of_our_years(found).all() and (in_numbers := _in_numbers(column)) is not None:
        found = max(found, _detected(in_numbers), key=lambda each: np.count_nonzero(_of_our_years(each)))
    return found


def _of_our_years(found: Timestamps) -> BoolArray:
    """Return which timestamps are readable, of a year from 1800 to 2300."""
    return found.readable & (_years(found.days) >= 1800) & (_years(found.days) <= 2300)


def _in_numbers(column: pa.ChunkedArray | pa.Array) -> pa.Array | None:
    """Return timestamps in words, of another calendar or without any sign in numbers; None where none is."""
    encoded = pc.dictionary_encode(column)
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    texts = pc.utf8_trim_whitespace(encoded.dictionary.cast(pa.large_string()))
    written = pc.replace_substring_regex(iso_dates(texts, settle=True), _WITHOUT_SIGNS, r"\1T\2")
    return None if written.equals(texts) else written.cast(pa.string()).take(encoded.indices)


def _detected(column: pa.ChunkedArray | pa.Array) -> Timestamps:
    """Read timestamps in the way that reads most of them."""
    as_iso = _parsed(column, "iso")
    if as_iso.readable.all():
        return as_iso
    sample = column.drop_null().slice(0, _DETECTED_FROM)
    n_read = {name: int(np.count_nonzero(_parsed(sample, name).readable)) for name in (*_PATTERNS, *_COUNTED)}
    best = max(n_read, key=lambda name: n_read[name])
    if best == "iso":
        return as_iso
    found = _parsed(column, best)
    ambiguous = best == "day-first" and n_read["month-first"] == n_read["day-first"]
    return replace(found, is_ambiguous=ambiguous or found.has_short_years)


def _parsed(column: pa.ChunkedArray | pa.Array, time_format: str) -> Timestamps:
    if time_format in _COUNTED:
        return _parsed_counted(column, time_format)
    parts = pc.extract_regex(column, _PATTERNS[time_format])
    parts = parts.combine_chunks() if isinstance(parts, pa.ChunkedArray) else parts
    readable = _as_bool(pc.is_valid(parts)) & _as_bool(
        pc.fill_null(pc.equal(parts.field("first"), parts.field("second_dash")), False)
    )
    hour, minute, second = (_number(parts, name) for name in ("hour", "minute", "second"))
    if time_format != "iso":
        hour, is_hour = _in_half_days(parts, hour)
        readable &= is_hour
    year = _number(parts, "year")
    is_short = pc.fill_null(pc.equal(pc.utf8_length(parts.field("year")), 2), False)
    is_short = _as_bool(is_short) & readable
    year = np.where(is_short, year + np.where(year >= CENTURY_TURNS, 1900, 2000), year)
    months = (year - 1970) * 12 + _number(parts, "month") - 1
    days = _days(months) + _number(parts, "day") - 1
    readable &= (_number(parts, "month") >= 1) & (_number(parts, "month") <= 12)
    readable &= (days >= _days(months)) & (days < _days(months + 1))
    readable &= (minute <= _HIGHEST["minute"]) & (second <= _HIGHEST["second"])
    readable &= (hour < _HIGHEST["hour"]) | ((hour == _HIGHEST["hour"]) & (minute == 0) & (second == 0))
    days, hour = days + hour // 24, hour % 24
    counts = pc.value_counts(parts.field("zone").filter(pa.array(readable)))
    return Timestamps(
        days=np.where(readable, days, 0),
        hours=np.where(readable, hour, 0),
        seconds=np.where(readable, minute * 60 + second, 0),
        readable=readable,
        n_without_time=int(np.count_nonzero(readable & ~_present(parts, "hour"))),
        n_by_zone={str(entry["values"] or "").upper(): int(entry["counts"]) for entry in counts.to_pylist()},
        time_format=time_format,
        has_short_years=bool((is_short & readable).any()),
    )


def _parsed_counted(column: pa.ChunkedArray | pa.Array, time_format: str) -> Timestamps:
    pattern, per_second, first_day = _COUNTED[time_format]
    readable = _as_bool(pc.fill_null(pc.match_substring_regex(column, pattern), False))
    digits = pc.replace_substring(pc.utf8_trim_whitespace(column), ",", ".")
    numbers = pc.if_else(pa.array(readable), digits, "0").cast(pa.float64()).to_numpy() / per_second
    seconds = np.floor(numbers + 1e-3).astype(np.int64)  # fifteen digits hold a thousandth
    return Timestamps(
        days=np.where(readable, seconds // _SECONDS_OF_DAY + first_day, 0),
        hours=seconds % _SECONDS_OF_DAY // 3600,
        seconds=seconds % 3600,
        readable=readable,
        n_without_time=0,
        n_by_zone={"Z": int(np.count_nonzero(readable))},
        time_format=time_format,
    )


def _in_half_days(parts: pa.StructArray, hour: IntArray) -> tuple[IntArray, BoolArray]:
    """Return hours 0-24 of a clock that may say a.m. or p.m., and where that can be."""
    half = pc.utf8_lower(pc.fill_null(parts.field("half"), ""))
    is_am, is_pm = (_as_bool(pc.equal(half, letter)) for letter in "ap")
    is_hour = ~(is_am | is_pm) | ((hour >= 1) & (hour <= _NOON))
    return np.where(is_am, hour % _NOON, np.where(is_pm, hour % _NOON + _NOON, hour)), is_hour


@dataclass(frozen=True, kw_only=True, eq=False)
class Calendar:
    """What the calendar and the clock say of local times, column by column."""

    days: IntArray  # shape (n_events,), days since 1970-01-01
    hour: IntArray  # shape (n_events,), 0-23
    second: IntArray  # shape (n_events,), of the hour, 0 where it is not written

    @cached_property
    def seconds(self) -> IntArray:
        """Return seconds since 1970-01-01 on the clock where they were taken."""
        return self.days * _SECONDS_OF_DAY + self.hour * 3600 + self.second

    @cached_property
    def year(self) -> IntArray:
        """Return the calendar year."""
        return _years(self.days)

    @cached_property
    def month(self) -> IntArray:
        """Return the month, 1-12."""
        months = self.days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        return months % 12 + 1

    @cached_property
    def day(self) -> IntArray:
        """Return the day of the month, 1-31."""
        dates = self.days.astype("datetime64[D]")
        return cast("IntArray", (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1)

    @cached_property
    def weekday(self) -> IntArray:
        """Return the day of the week, Monday 0 to Sunday 6."""
        return (self.days + _EPOCH_WEEKDAY) % 7

    @cached_property
    def iso_year(self) -> IntArray:
        """Return the year that the ISO week belongs to: the year of the week's Thursday."""
        return _years(self._thursday)

    @cached_property
    def week_number(self) -> IntArray:
        """Return the ISO 8601 week, 1-53."""
        new_year = (self.iso_year - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
        return cast("IntArray", (self._thursday - new_year) // 7 + 1)

    @cached_property
    def _thursday(self) -> IntArray:
        """Return the Thursday of the day's ISO week, in days since 1970-01-01."""
        return self.days - self.weekday + 3


def _years(days: IntArray) -> IntArray:
    return days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970


def _days(months: IntArray) -> IntArray:
    """Return the first day of each month, months and days counted from 1970-01."""
    return cast("IntArray", months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64))


def _number(parts: pa.StructArray, name: str) -> IntArray:
    """Return a part as a number, 0 where it is not written (seconds of 10:15) or nothing matched."""
    digits = parts.field(name)
    digits = pc.if_else(pc.and_kleene(parts.is_valid(), pc.not_equal(digits, "")), digits, "0")
    numbers = pc.fill_null(digits, "0").cast(pa.int64()).to_numpy(zero_copy_only=False)
    return cast("IntArray", numbers)


def _present(parts: pa.StructArray, name: str) -> BoolArray:
    return _as_bool(pc.fill_null(pc.not_equal(parts.field(name), ""), False))


def _as_bool(values: pa.Array) -> BoolArray:
    return cast("BoolArray", values.to_numpy(zero_copy_only=False).astype(bool, copy=False))
