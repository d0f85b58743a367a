"""Derived columns of a log and the coarser levels each of them can be flattened to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from core.coding import CodedColumn, IntArray
from core.events.log import EventLog
from core.events.settings import ANY, COARSER

# How "any" is written in exported files, by setting; screens say "any week".
ANY_TEXTS = {"100": "100", "any": "any", "blank": ""}
TIME_PERIODS = ("night", "morning", "daytime", "afternoon")

# First hour of each stretch of the day: night until 6, morning, daytime, afternoon, night from 22.
_PERIOD_OF_HOUR = np.repeat([0, 1, 2, 3, 0], [6, 2, 9, 5, 2]).astype(np.int64)
_HALF_OF_PERIOD = np.array([1, 0, 0, 1])  # day is morning and daytime, 6-17 h
_FIRST_WEEKEND_DAY = 5
_NOON = 12


def derived_column(log: EventLog, name: str) -> CodedColumn:
    """Return a derived column of every event of the log.

    Week and ISO year follow ISO 8601; `weekday` counts from Monday 0; `time_period` is night from
    22 to 6 h, morning to 8 h, daytime to 17 h, afternoon to 22 h; `quantized_hour` is the first
    hour of the block of ``hour_block`` hours.

    `name`: one of :data:`core.events.settings.DERIVED_COLUMNS`, or a level that only flattening uses:
    ``quarter``, ``half_day``, ``day_night``, ``any``.
    """
    return _DERIVATIONS[name](log)


def level_column(log: EventLog, column: str, level: str) -> CodedColumn:
    """Return a contributing column at a level: its own name for the values as they are.

    Values of a coarser level are written so that they cannot be taken for finer ones: month 3 in
    the column ``week_number`` is ``month_3``, "any" is ``100`` or as the settings say.
    """
    if level == column:
        return derived_column(log, column)
    coarse = derived_column(log, level)
    if level in _PREFIXED_LEVELS:
        labels = tuple(f"{level}_{label}" for label in coarse.labels)
        return CodedColumn(name=level, codes=coarse.codes, values=pa.array(labels, pa.string()))
    return coarse


def shown_value(column: str, value: str) -> str:
    """Return a released value in words: "any week" for the sentinel, "month 3" for month_3."""
    if value in ANY_TEXTS.values():
        return f"any {_ANY_OF.get(column, column)}"
    for level in COARSER.get(column, ()):
        if level in _PREFIXED_LEVELS and value.startswith(f"{level}_"):
            return f"{level.replace('_', ' ')} {value.removeprefix(f'{level}_')}"
    return _WEEKDAYS[int(value)] if column == "weekday" and value in _WEEKDAY_CODES else value


_PREFIXED_LEVELS = frozenset({"month", "quarter", "quantized_hour", "generalized_event"})
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WEEKDAY_CODES = frozenset("0123456")
_ANY_OF = {
    "generalized_event": "event class",
    "week_number": "week",
    "iso_year": "ISO year",
    "day": "day of the month",
    "quantized_hour": "hour block",
    "workday_weekend": "day",
    "time_period": "time period",
}


def _numbers(name: str, values: IntArray) -> CodedColumn:
    """Return small whole numbers as a column, without sorting a million of them."""
    lowest = int(values.min(initial=0))
    occurs = np.bincount(values - lowest) > 0
    labels = tuple(str(value + lowest) for value in np.flatnonzero(occurs))
    code_of = np.cumsum(occurs) - 1
    return CodedColumn(
        name=name, codes=code_of[values - lowest].astype(np.int64), values=pa.array(labels, pa.string())
    )


def _words(name: str, codes: IntArray, words: tuple[str, ...]) -> CodedColumn:
    """Return codes of words as a column that holds only the words that occur."""
    occurs = np.bincount(codes, minlength=len(words)) > 0
    labels = tuple(word for word, found in zip(words, occurs, strict=True) if found)
    return CodedColumn(
        name=name, codes=(np.cumsum(occurs) - 1)[codes].astype(np.int64), values=pa.array(labels, pa.string())
    )


def _period_codes(log: EventLog) -> IntArray:
    return _PERIOD_OF_HOUR[log.calendar.hour]


def _event(log: EventLog) -> CodedColumn:
    order = sorted(range(len(log.events)), key=lambda code: log.events[code])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    labels = tuple(log.events[code] for code in order)
    return CodedColumn(name="event", codes=rank[log.event_of_event], values=pa.array(labels, pa.string()))


_DERIVATIONS: dict[str, Callable[[EventLog], CodedColumn]] = {
    "generalized_event": lambda log: _words("generalized_event", log.class_of_event, log.classes),
    "year": lambda log: _numbers("year", log.calendar.year),
    "month": lambda log: _numbers("month", log.calendar.month),
    "day": lambda log: _numbers("day", log.calendar.day),
    "hour": lambda log: _numbers("hour", log.calendar.hour),
    "quantized_hour": lambda log: _numbers(
        "quantized_hour", log.calendar.hour // log.settings.hour_block * log.settings.hour_block
    ),
    "iso_year": lambda log: _numbers("iso_year", log.calendar.iso_year),
    "week_number": lambda log: _numbers("week_number", log.calendar.week_number),
    "weekday": lambda log: _numbers("weekday", log.calendar.weekday),
    "workday_weekend": lambda log: _words(
        "workday_weekend",
        (log.calendar.weekday >= _FIRST_WEEKEND_DAY).astype(np.int64),
        ("workday", "weekend"),
    ),
    "time_period": lambda log: _words("time_period", _period_codes(log), TIME_PERIODS),
    "event": _event,
    "quarter": lambda log: _numbers("quarter", (log.calendar.month - 1) // 3 + 1),
    "half_day": lambda log: _words(
        "half_day", (log.calendar.hour >= _NOON).astype(np.int64), ("before_noon", "after_noon")
    ),
    "day_night": lambda log: _words(
        "day_night", _HALF_OF_PERIOD[_period_codes(log)], ("day", "evening_night")
    ),
    ANY: lambda log: CodedColumn(
        name=ANY,
        codes=np.zeros(log.n_events, dtype=np.int64),
        values=pa.array([ANY_TEXTS[log.settings.any_value]]),
    ),
}
