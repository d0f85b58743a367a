"""One cell: how numbers and dates are written, and the canonical text of each."""

from __future__ import annotations

import datetime
import re
from typing import cast

from core.cells.white_space import WHITE_SPACE

# Longest number, its sign not counted, that is written without an exponent in its canonical text.
LONGEST_PLAIN_NUMBER = 40

NUMBER_PATTERN = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,18})?$"
NOT_FINITE_PATTERN = r"^(?i:[+-]?inf(?:inity)?|nan)$"
_DATE_PATTERN = (
    r"^[0-9]{4}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)

_NUMBER = re.compile(
    r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,18}))?", re.ASCII
)  # only applied to what NUMBER_PATTERN matches
_IS_NUMBER = re.compile(NUMBER_PATTERN.replace("$", r"\Z"))
_IS_NOT_FINITE = re.compile(NOT_FINITE_PATTERN.replace("$", r"\Z"), re.ASCII)
_IS_DATE = re.compile(_DATE_PATTERN.replace("$", r"\Z"))
_DATE = re.compile(
    r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def canonical_text(text: str, *, dates: bool = False) -> str:
    """Return the canonical text of a cell: two cells are equal exactly when these are.

    Parameters
    ----------
    text
        The cell as written.
    dates
        Whether dates in different spellings are one value.

    Returns
    -------
    str
        The trimmed text; for a number its shortest exact decimal form; for a date, if asked for,
        the ISO 8601 form, without a time at midnight.

    Examples
    --------
    >>> canonical_text(" -999.0"), canonical_text("1e3"), canonical_text("1e300")
    ('-999', '1000', '1e300')
    >>> canonical_text("2020/1/2"), canonical_text("2020/1/2", dates=True)
    ('2020/1/2', '2020-01-02')
    """
    trimmed = text.strip(WHITE_SPACE)
    if _IS_NUMBER.match(trimmed):
        return _canonical_number(trimmed)
    if _IS_NOT_FINITE.match(trimmed):
        return {"-": "-inf", "n": "nan"}.get(trimmed[0].lower(), "inf")
    if dates and _IS_DATE.match(trimmed):
        return _canonical_date(trimmed)
    return trimmed


def _canonical_number(text: str) -> str:
    """Return the shortest exact decimal form of a number, with an exponent past 40 characters."""
    sign, whole, fraction, exponent_text = cast("re.Match[str]", _NUMBER.fullmatch(text)).groups()
    significant = (whole + fraction).lstrip("0")
    digits = significant.rstrip("0")
    if not digits:
        return "0"
    exponent = int(exponent_text or 0) - len(fraction) + len(significant) - len(digits)
    return ("-" if sign == "-" else "") + _written(digits, exponent)


def _written(digits: str, exponent: int) -> str:
    """Write digits × 10^exponent, plain where that takes at most 40 characters."""
    point = len(digits) + exponent
    if exponent >= 0 and point <= LONGEST_PLAIN_NUMBER:
        return digits + "0" * exponent
    if exponent < 0 < point and len(digits) < LONGEST_PLAIN_NUMBER:
        return f"{digits[:point]}.{digits[point:]}"
    if exponent < 0 and point <= 0 and 2 - exponent <= LONGEST_PLAIN_NUMBER:
        return "0." + "0" * -point + digits
    return f"{digits}e{exponent}"


def _canonical_date(text: str) -> str:
    """Return a date in ISO 8601, the time only where it is not midnight; impossible dates as they are."""
    year, month, day, hour, minute, second, fraction, offset = cast(
        "re.Match[str]", _DATE.fullmatch(text)
    ).groups()
    try:
        date = datetime.date(int(year), int(month), int(day)).isoformat()
        time = datetime.time(int(hour or 0), int(minute or 0), int(second or 0)).isoformat()
    except ValueError:
        return text
    fraction = (fraction or "").rstrip("0")
    zone = (offset or "").replace(":", "")
    zone = "" if zone in {"Z", "+0000", "-0000"} else zone
    time += f".{fraction}" if fraction else ""
    return date if time == "00:00:00" and not zone else f"{date}T{time}{zone}"


def special_pattern(*, dates: bool) -> str:
    """Return the pattern of trimmed cells whose canonical text may differ from what is written."""
    patterns = [NUMBER_PATTERN, NOT_FINITE_PATTERN, *([_DATE_PATTERN] if dates else [])]
    return "|".join(patterns)
