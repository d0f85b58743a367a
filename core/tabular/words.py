"""Counts and lists as words."""

from __future__ import annotations

from collections.abc import Sequence

from core.words import counted, percent, share_of  # noqa: F401

_SHOWN = 6


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
