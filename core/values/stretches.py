"""Values that stand for a stretch of an ordered line: intervals of numbers, days of any precision, cut codes.

An interval of numbers (``20-29``, ``[20,30)``, ``65+``, ``<18``, ``up to 64``), a date or a part of one and a
code cut short (``12**``) each stand for all between two ends. What is none has no ends.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray
from core.values.dates import YEAR, read_dates
from core.values.numbers import plain_numbers

Ends = tuple[FloatArray, FloatArray]

_LAST = "\U0010ffff"  # after every other character
_FIGURE = r"(?:[+-]?(?:[0-9][0-9'’]*(?:[.,][0-9]+)*|\.[0-9]+))"
_UNIT = r"(?:세|years?|let)?"
_BETWEEN = re.compile(rf"({_FIGURE}) ?(?:-|–|—|~|\.\.+|to|do) ?({_FIGURE})(?: ?{_UNIT})?")
_BRACKETS = re.compile(rf"([\[(]) ?({_FIGURE}?) ?[,;] ?({_FIGURE}) ?([\])])")
_FROM = re.compile(
    rf"(?P<sign>≥|>=?|from |nad |over |od ) ?(?P<low>{_FIGURE})"
    rf"|(?P<plus>{_FIGURE}) ?(?:세|years)? ?(?:\+|이상|and over|and older|or more|in več)"
)
_UNTIL = re.compile(
    rf"(?P<sign>≤|<=?|under |pod |below |up to |do ) ?(?P<high>{_FIGURE})"
    rf"|(?P<less>{_FIGURE}) ?세? ?(?P<word>미만|이하)"
)
_BEYOND, _BELOW = (">", "nad", "over"), ("<", "under", "pod", "below", "미만")  # itself not in it
_WORD_BEFORE = re.compile(r"[^\W\d_]+:? ")
_CUT_NUMBER = re.compile(r"0[0-9]+")
_QUARTER = re.compile(rf"(?:({YEAR})[ -]?[Qq]([1-4])|[Qq]([1-4])[ -]?({YEAR}))")
_CODE = re.compile(r"([0-9A-Za-z][0-9A-Za-z./-]*?)(\**)")
_PLAIN = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_FORMS = (  # of ledgers, which hold digests of these
    (rf"^(?:≥|>=) ?({_PLAIN})$", r"\1+"),
    (rf"^({_PLAIN}) ?(?:\+|세? ?이상)$", r"\1+"),
    (rf"^< ?({_PLAIN})$|^({_PLAIN}) ?세? ?미만$", r"<\1\2"),
    (rf"^(?:≤|<=) ?({_PLAIN})$|^({_PLAIN}) ?세? ?이하$", r"≤\1\2"),
    (rf"^({_PLAIN}) ?(?:-|~|\.\.+|to|do) ?({_PLAIN})(?: ?(?:세|years?|let))?$", r"\1-\2"),
)


class Interval(NamedTuple):
    """An interval of numbers as it is written."""

    low: str  # empty where nothing bounds it
    high: str
    has_low: bool  # whether the end itself is in it
    has_high: bool
    is_dashed: bool = False  # whether two numbers are written with a dash or `to` between


def interval(value: str) -> Interval | None:
    """Return the interval of numbers that a text stands for; None for a number, and what is no interval.

    >>> interval("20-29"), interval("<18")
    (Interval(low='20', high='29', has_low=True, has_high=True, is_dashed=True), \
Interval(low='', high='18', has_low=True, has_high=False, is_dashed=False))
    """
    words = value.strip().lower()
    for each in dict.fromkeys((words, _inner(words))):
        if found := _BRACKETS.fullmatch(each):
            return Interval(found[2], found[3], found[1] == "[", found[4] == "]")
        if found := _FROM.fullmatch(each):
            sign = (found["sign"] or "").strip()
            return Interval(found["low"] or found["plus"], "", sign not in _BEYOND, True)
        if found := _UNTIL.fullmatch(each):
            sign = (found["sign"] or found["word"]).strip()
            return Interval("", found["high"] or found["less"], True, sign not in _BELOW)
        if found := _BETWEEN.fullmatch(each):
            return Interval(found[1], found[2], True, True, is_dashed=True)
    return None


def _inner(words: str) -> str:
    """Return a text without a word before and one behind, such as a unit."""
    before = _WORD_BEFORE.match(words)
    inner = words[before.end() :] if before else words
    rest, _, last = inner.rpartition(" ")
    return rest if last.isalpha() and rest else inner


def in_one_spelling(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return values in lower case, of usual width and with hyphens for dashes."""
    plain = pc.utf8_lower(pc.utf8_normalize(values, "NFKC"))
    return pc.replace_substring_regex(plain, r" ?[‐‑‒–—−] ?", "-")


def in_one_form(values: pa.Array) -> pa.Array:
    """Return values in one spelling, with single spaces, and intervals of numbers written in one way."""
    plain = pc.replace_substring_regex(in_one_spelling(values), r"\s+", " ")
    for pattern, form in _FORMS:
        plain = pc.replace_substring_regex(plain, pattern, form)
    return plain


def number_ends(values: Sequence[str], parts: Sequence[BoolArray]) -> Ends:
    """Return where numbers and intervals of them begin and end, shape (n_values,) each; NaN for what is none.

    ``20-29`` ends below 30, unless in the same of `parts` (whether a value is in each, shape (n_values,))
    another one begins at 29, and none is like ``29-29``. Codes such as 007, and numbers of which none is an
    interval, have no ends. How figures are written is told by all of them.
    """
    found = [interval(value) for value in values]
    figures = [
        each for value, one in zip(values, found, strict=True) for each in (one[:2] if one else (value,))
    ]
    plain = plain_numbers(pa.array([each.replace("’", "'").strip() or None for each in figures]), share=0)
    nothing = np.full(len(values), np.nan), np.full(len(values), np.nan)
    if plain is None or not any(found) or any(map(_CUT_NUMBER.fullmatch, values)):
        return nothing
    texts = iter(plain.texts.to_pylist())
    read = [[next(texts) for _ in range(2 if one else 1)] for one in found]
    unit = 10.0 ** -max((len(each.partition(".")[2]) for pair in read for each in pair if each), default=0)
    ends = [_bounds(one, pair, unit) for one, pair in zip(found, read, strict=True)]
    low, high = (np.array(each, dtype=np.float64) for each in zip(*ends, strict=True))
    dashed = np.array([one is not None and one.is_dashed for one in found])
    closed = np.zeros(len(values), dtype=bool)
    for mine in parts:
        own = np.flatnonzero(mine & dashed)
        closed[own] |= bool((high == low)[own].any()) or not np.isin(high[own], low[own]).any()
    high[closed] += unit
    wrong = ~(high > low)
    low[wrong] = high[wrong] = np.nan
    return np.round(low, 9), np.round(high, 9)


def _bounds(one: Interval | None, figures: Sequence[str | None], unit: float) -> tuple[float, float]:
    """Return where a number, or an interval, begins and ends; a dashed one before its last number."""
    ends = [math.nan if each is None else float(each) for each in figures]
    if one is None:
        return ends[0], ends[0] + unit
    low = -math.inf if not one.low else ends[0] + unit * (not one.has_low)
    high = math.inf if not one.high else ends[1] + unit * (one.has_high and not one.is_dashed)
    return low, high


def day_ends(values: Sequence[str], parts: Sequence[BoolArray] = ()) -> Ends:  # noqa: ARG001 - as `number_ends`
    """Return where days, months, quarters and years begin and end, as days since 1970; NaN for others."""
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    dates = read_dates(pa.array(values, pa.large_string()))
    for at, value in enumerate(values):
        if dates.known[at]:
            year, month, day = int(dates.year[at]), int(dates.month[at]), int(dates.day[at])
            n_months = 1 if month > 0 else 12
        elif re.fullmatch(YEAR, value):
            year, month, day, n_months = int(value), 1, -1, 12
        elif found := _QUARTER.fullmatch(value):
            year, month = int(found[1] or found[4]), int(found[2] or found[3]) * 3 - 2
            day, n_months = -1, 3
        else:
            continue
        low[at] = _day(year, max(month, 1)) + max(day - 1, 0)
        high[at] = low[at] + 1 if day > 0 else _day(year, max(month, 1) + n_months)
    return low, high


def _day(year: int, month: int) -> int:
    """Return the days from 1970 to the first of a month, which may be past December."""
    start = np.datetime64(f"{year + (month - 1) // 12:04d}-{(month - 1) % 12 + 1:02d}-01")
    return int(start.astype("datetime64[D]").astype(np.int64))


def code_heads(values: Sequence[str]) -> tuple[list[str], bool]:
    """Return what is left of codes that were cut from the right, "" of no code; and whether stars say so."""
    found = [_CODE.fullmatch(value) for value in values]
    return [each[1] if each else "" for each in found], any(each is not None and each[2] for each in found)


def code_ends(heads: Sequence[str]) -> Ends:
    """Return where the codes that begin so begin and end in the order of all of them; NaN for others."""
    ends = sorted({*(head for head in heads if head), *(head + _LAST for head in heads if head)})
    place = {end: float(number) for number, end in enumerate(ends)}
    low = np.array([place.get(head, np.nan) for head in heads])
    high = np.array([place.get(head + _LAST, np.nan) if head else np.nan for head in heads])
    return low, high
