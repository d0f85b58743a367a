"""Counts, shares and lists of names as words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from core.measures import format_number


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return such as "1 record" or "1,234 records".

    Examples
    --------
    >>> counted(1, "record"), counted(1234, "class", "classes")
    ('1 record', '1,234 classes')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def share_of(n: int, total: int, noun: str = "") -> str:
    """Return such as "3 of 928 rows (0.3 %)"; of none, without a share.

    Examples
    --------
    >>> share_of(1, 3), share_of(99_999, 100_000), share_of(5, 5, "rows"), share_of(0, 0)
    ('1 of 3 (33.3 %)', '99,999 of 100,000 (> 99.9 %)', '5 of 5 rows (100 %)', '0 of 0')
    """
    counts = f"{n:,} of {total:,} {noun}".rstrip()
    return f"{counts} ({percent(n / total)})" if total else counts


def percent(share: float | None) -> str:
    """Return a share in [0, 1] as percent; rounding never makes something nothing, nor a part the whole.

    Examples
    --------
    >>> percent(1.0), percent(0.99999), percent(0.5), percent(0.00001), percent(0.0)
    ('100 %', '> 99.9 %', '50.0 %', '< 0.1 %', '0 %')
    """
    return format_number("share", share)


def number(value: float) -> str:
    """Return a number with up to three decimals."""
    return format_number("number", value)


def listed(names: Sequence[str], *, at_most: int = 8) -> str:
    """Return names as code, separated by commas; beyond `at_most` only how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], at_most=2)
    '`a`, `b` and 1 more'
    """
    shown = ", ".join(f"`{name}`" for name in names[:at_most])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most:,} more"
