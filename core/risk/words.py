"""Numbers in sentences."""

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


def percent(share: float) -> str:
    """Return a share in [0, 1] as percent; rounding never makes something nothing."""
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
