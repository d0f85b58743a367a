"""Values that two releases wrote more or less coarsely: intervals of numbers, days and codes on one line.

An interval of numbers (``20-29``, ``[20,30)``, ``65+``, ``<18``), a date of any precision and a code cut
short (``12**``) each stand for a stretch of an ordered line. Where releases cut the line differently, their
values are not equal and yet overlap.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, CodedColumn, CodedTable, FloatArray, IntArray
from core.dates import YEAR, read_dates

_MOSTLY = 0.9  # share of a column's distinct values that must be of a kind; the others stand for themselves
_LAST = "\U0010ffff"  # after every other character
_FIGURE = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_ONE = re.compile(rf"^({_FIGURE})$")
_BETWEEN = re.compile(rf"^({_FIGURE}) ?(?:-|–|—|~|\.\.+|to|do) ?({_FIGURE})(?: ?(?:세|years?|let))?$")
_BRACKETS = re.compile(rf"^([\[(]) ?({_FIGURE}) ?[,;] ?({_FIGURE}) ?([\])])$")
_AT_LEAST = re.compile(rf"^(?:(≥|>=|>) ?({_FIGURE})|({_FIGURE}) ?(\+|이상))$")
_BELOW = re.compile(rf"^(?:(≤|<=|<) ?({_FIGURE})|({_FIGURE}) ?(미만|이하))$")
_BOUNDED = re.compile(rf"{_BETWEEN.pattern}|{_BRACKETS.pattern}|{_AT_LEAST.pattern}|{_BELOW.pattern}")
_CUT_NUMBER = re.compile(r"^0[0-9]+$")
_YEAR = re.compile(f"^{YEAR}$")
_QUARTER = re.compile(rf"^(?:({YEAR})[ -]?Q([1-4])|Q([1-4])[ -]?({YEAR}))$")
_CODE = re.compile(r"^([0-9A-Za-z][0-9A-Za-z./-]*?)(\**)$")
_FORMS = (
    (rf"^(?:≥|>=) ?({_FIGURE})$", r"\1+"),
    (rf"^({_FIGURE}) ?(?:\+|세? ?이상)$", r"\1+"),
    (rf"^< ?({_FIGURE})$|^({_FIGURE}) ?세? ?미만$", r"<\1\2"),
    (rf"^(?:≤|<=) ?({_FIGURE})$|^({_FIGURE}) ?세? ?이하$", r"≤\1\2"),
    (rf"^({_FIGURE}) ?(?:-|~|\.\.+|to|do) ?({_FIGURE})(?: ?(?:세|years?|let))?$", r"\1-\2"),
)

Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, kw_only=True, eq=False)
class Aligned:
    """A column of two releases, coded so that what may be the same has one code."""

    name: str
    later: IntArray  # shape (n_records,): codes from 0, missing is a value of its own
    earlier: IntArray
    # by code of `written`, where each value begins and ends on the line, NaN for what is no stretch; None
    # where no value of one release overlaps an unequal one of the other
    ends: Ends | None = None
    written_later: IntArray  # shape (n_records,): alike only for equal written values
    written_earlier: IntArray
    is_read: bool = False  # whether values are numbers, days or codes on a line, and no other words

    def written(self, *, is_later: bool) -> IntArray:
        """Return the codes of written values in one of the releases."""
        return self.written_later if is_later else self.written_earlier

    @property
    def is_changed(self) -> bool:
        """Return whether the releases cut the line differently."""
        return self.ends is not None


def aligned(later: CodedTable, earlier: CodedTable, name: str) -> Aligned:
    """Code a column of two releases alike.

    Where the releases cut a line differently, values that overlap, over however many others, get one code:
    the finest that both releases can be made as coarse as. Else equal values do: letter case, width, dashes
    and the way an interval is written aside, unless one release tells them apart.
    """
    (one, other), values = joint_codes(later[name].trimmed, earlier[name].trimmed)
    one, other = one + 1, other + 1
    ends = _ends(values, _present(one, len(values)), _present(other, len(values)))
    is_read = ends is not None
    if ends is not None:
        one, other, ends = _as_stretches(one, other, ends)
        n_values = len(ends[0])
        if not _cut_differently(*ends, _present(one, n_values), _present(other, n_values)):
            ends = None
    if ends is None:
        return Aligned(
            name=name, later=one, earlier=other, written_later=one, written_earlier=other, is_read=is_read
        )
    merged = _components(*ends)
    padded = tuple(np.concatenate([[np.nan], end]) for end in ends)
    group = np.concatenate([[0], merged + 1])
    return Aligned(
        name=name,
        later=group[one],
        earlier=group[other],
        ends=(padded[0], padded[1]),
        written_later=one,
        written_earlier=other,
        is_read=True,
    )


def _as_stretches(one: IntArray, other: IntArray, ends: Ends) -> tuple[IntArray, IntArray, Ends]:
    """Return codes from 1 that are alike for equal stretches, such as ``60+`` and ``≥60``, and their ends.

    Where a release tells equal stretches apart they stay apart.
    """
    low, high = ends
    known = ~np.isnan(low)
    place = np.zeros(len(low), dtype=np.int64)
    stretches, place[known] = np.unique(np.stack([low[known], high[known]]), axis=1, return_inverse=True)
    n_known = stretches.shape[1]
    place[~known] = n_known + np.arange(np.count_nonzero(~known))
    for codes in (one, other):
        present = np.flatnonzero(_present(codes, len(low)))
        if len(np.unique(place[present])) < len(present):
            return one, other, ends
    nothing = np.full(np.count_nonzero(~known), np.nan)
    to = np.concatenate([[0], place + 1])
    merged = np.concatenate([stretches[0], nothing]), np.concatenate([stretches[1], nothing])
    return to[one], to[other], merged


def joint_codes(one: CodedColumn, other: CodedColumn) -> tuple[tuple[IntArray, IntArray], pa.Array]:
    """Return the records' codes in both columns, alike for equal values, -1 for missing; and the values."""
    every = pa.concat_arrays([one.values.cast(pa.large_string()), other.values.cast(pa.large_string())])
    places, values = _alike(every, len(one.values))
    codes = np.append(places, -1)
    second = np.where(other.codes < 0, -1, other.codes + len(one.values))
    return (codes[one.codes], codes[second]), values


def _alike(every: pa.Array, n_first: int) -> tuple[IntArray, pa.Array]:
    """Return codes of the values of both, and the first value of each.

    Other letter case, width and dashes make no other value, unless one of them tells these apart.
    """
    for spelled in (in_one_spelling(every), every):
        places = spelled.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
        if all(len(np.unique(each)) == len(each) for each in (places[:n_first], places[n_first:])):
            break
    return places, every.take(pa.array(np.unique(places, return_index=True)[1]))


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


def _present(codes: IntArray, n_values: int) -> BoolArray:
    return np.bincount(codes, minlength=n_values + 1)[1:] > 0


def _ends(words: pa.Array, in_later: BoolArray, in_earlier: BoolArray) -> Ends | None:
    """Return where values begin and end, shape (n_values,) each; None where they are none, or all in both."""
    if not len(words) or (in_later & in_earlier).all():
        return None
    values = words.to_pylist()
    told = np.array([value.strip("*") != "" for value in values])
    for read in (_numbers, _days, _codes):
        low, high = read(values, in_later, in_earlier)
        if np.count_nonzero(~np.isnan(low)) >= _MOSTLY * np.count_nonzero(told) > 0:
            return low, high
    return None


def _cut_differently(low: FloatArray, high: FloatArray, in_later: BoolArray, in_earlier: BoolArray) -> bool:
    """Return whether some value of one release overlaps a value of the other that is not the same stretch."""
    known = ~np.isnan(low)
    for mine, others in ((in_later, in_earlier), (in_earlier, in_later)):
        own = np.flatnonzero(mine & ~others & known)
        theirs = np.flatnonzero(others & known)
        # for each: the stretches that begin before its end, less those that end before it begins
        begun = np.searchsorted(np.sort(low[theirs]), high[own], side="left")
        ended = np.searchsorted(np.sort(high[theirs]), low[own], side="right")
        stretches = set(zip(low[theirs].tolist(), high[theirs].tolist(), strict=True))
        overlaps = (begun - ended) > 0
        if any(
            (low[at], high[at]) not in stretches or n > 1
            for at, n in zip(own[overlaps], (begun - ended)[overlaps], strict=True)
        ):
            return True
    return False


def _components(low: FloatArray, high: FloatArray) -> IntArray:
    """Return shape (n_values,): a number for each set of stretches that hang together."""
    known = np.flatnonzero(~np.isnan(low))
    order = known[np.argsort(low[known], kind="stable")]
    reach = np.maximum.accumulate(high[order])
    starts = np.append(True, low[order][1:] >= reach[:-1])[: len(order)]
    found = np.arange(len(low)) + len(low)  # values that are no stretch stand for themselves
    found[order] = np.cumsum(starts) - 1
    return found


def _numbers(values: Sequence[str], in_later: BoolArray, in_earlier: BoolArray) -> Ends:
    """Read values as stretches of numbers.

    ``20-29`` ends below 30, unless another one begins at 29, and none is like ``29-29``.
    """
    unit = 10.0 ** -max((_decimals(value) for value in values), default=0)
    if any(_CUT_NUMBER.match(value) for value in values) or not any(
        _BOUNDED.match(value) for value in values
    ):
        return np.full(len(values), np.nan), np.full(len(values), np.nan)  # codes, or nothing is cut
    ends = [_stretch(value, unit) for value in values]
    low, high = (np.array(each) for each in zip(*ends, strict=True))
    dashed = np.array([_BETWEEN.match(value) is not None for value in values])
    closed = np.zeros(len(values), dtype=bool)
    for mine in (in_later, in_earlier):
        own = np.flatnonzero(mine & dashed)
        closed[own] |= bool((high == low)[own].any()) or not np.isin(high[own], low[own]).any()
    high[closed] += unit
    wrong = ~(high > low)
    low[wrong] = high[wrong] = np.nan
    return np.round(low, 9), np.round(high, 9)


def _stretch(value: str, unit: float) -> tuple[float, float]:
    """Return where a number, or an interval of numbers, begins and ends; NaN for another value."""
    if found := _ONE.match(value):
        return float(found[1]), float(found[1]) + unit
    if found := _BETWEEN.match(value):
        return float(found[1]), float(found[2])
    if found := _BRACKETS.match(value):
        low, high = float(found[2]), float(found[3])
        return low + (unit if found[1] == "(" else 0), high + (unit if found[4] == "]" else 0)
    if found := _AT_LEAST.match(value):
        return float(found[2] or found[3]) + (unit if found[1] == ">" else 0), math.inf
    if found := _BELOW.match(value):
        is_closed = found[1] in ("≤", "<=") or found[4] == "이하"
        return -math.inf, float(found[2] or found[3]) + (unit if is_closed else 0)
    return math.nan, math.nan


def _decimals(value: str) -> int:
    return max((len(each) for each in re.findall(r"[0-9]\.([0-9]+)", value)), default=0)


def _days(values: Sequence[str], _later: BoolArray, _earlier: BoolArray) -> Ends:
    """Read values as stretches of days: of a day, a month, a quarter or a year."""
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    dates = read_dates(pa.array(values, pa.large_string()))
    for at, value in enumerate(values):
        if dates.known[at]:
            year, month, day = int(dates.year[at]), int(dates.month[at]), int(dates.day[at])
            n_months = 1 if month > 0 else 12
        elif _YEAR.match(value):
            year, month, day, n_months = int(value), 1, -1, 12
        elif found := _QUARTER.match(value):
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


def _codes(values: Sequence[str], in_later: BoolArray, in_earlier: BoolArray) -> Ends:
    """Read values as codes that were cut short, by stars or to fewer characters, from the right."""
    nothing = np.full(len(values), np.nan), np.full(len(values), np.nan)
    found = [_CODE.match(value) for value in values]
    heads = [each[1] if each else "" for each in found]
    if not any(each and each[2] for each in found) and not _are_cut(heads, in_later, in_earlier):
        return nothing
    ends = sorted({*(head for head in heads if head), *(head + _LAST for head in heads if head)})
    place = {end: float(number) for number, end in enumerate(ends)}
    low = np.array([place.get(head, np.nan) for head in heads])
    high = np.array([place.get(head + _LAST, np.nan) if head else np.nan for head in heads])
    return low, high


def _are_cut(heads: Sequence[str], in_later: BoolArray, in_earlier: BoolArray) -> bool:
    """Return whether one release has the beginnings of the other's codes, all of one length."""
    for short, long in ((in_later, in_earlier), (in_earlier, in_later)):
        lengths = {len(head) for head, here in zip(heads, short, strict=True) if here and head}
        if len(lengths) != 1:
            continue
        (length,) = lengths
        beginnings = {head for head, here in zip(heads, short, strict=True) if here}
        longer = [head for head, here in zip(heads, long, strict=True) if here and len(head) > length]
        if (
            length > 1
            and longer
            and sum(head[:length] in beginnings for head in longer) >= _MOSTLY * len(longer)
        ):
            return True
    return False
