"""Counts and lists as words."""

from __future__ import annotations

from collections.abc import Sequence

_NEARLY_ALL, _HARDLY_ANY = 99.95, 0.05  # percent, beyond which one decimal would round to all or none
_SHOWN = 6


def share_of(n: int, total: int) -> str:
    """Return "n of total (p %)", never 100 % of what is not all nor 0 % of what is not none.

    Examples
    --------
    >>> share_of(1, 3), share_of(99_999, 100_000), share_of(5, 5), share_of(0, 0)
    ('1 of 3 (33.3 %)', '99,999 of 100,000 (over 99.9 %)', '5 of 5 (100 %)', '0 of 0')
    """
    counts = f"{n:,} of {total:,}"
    return f"{counts} ({percent(n / total)})" if total else counts


def percent(share: float) -> str:
    """Return a share in [0, 1] as percent with one decimal, all and none only where exact.

    Examples
    --------
    >>> percent(1.0), percent(0.99999), percent(0.5), percent(0.00001), percent(0.0)
    ('100 %', 'over 99.9 %', '50.0 %', 'under 0.1 %', '0 %')
    """
    value = 100 * share
    if value in {0, 100}:
        return f"{value:.0f} %"
    if value >= _NEARLY_ALL:
        return "over 99.9 %"
    return "under 0.1 %" if value < _HARDLY_ANY else f"{value:.1f} %"


def counted(n: int, thing: str, *, plural: str = "") -> str:
    """Return "1 record", "2 records".

    Examples
    --------
    >>> counted(1, "record"), counted(2_000, "record"), counted(2, "class", plural="classes")
    ('1 record', '2,000 records', '2 classes')
    """
    return f"{n:,} {thing if n == 1 else plural or thing + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return names in backticks, the first six of a long list with how many more.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcdefgh")
    ('`a`', '`a`, `b` and `c`', '`a`, `b`, `c`, `d`, `e`, `f` and 2 more')
    """
    shown = [f"`{name}`" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        return f"{', '.join(shown)} and {len(names) - _SHOWN} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"
