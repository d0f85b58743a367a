"""Pseudonyms that nobody can compute: random, and drawn anew for every export."""

from __future__ import annotations

from collections.abc import Callable

TokenSource = Callable[[int], bytes]  # returns so many random bytes, such as ``secrets.token_bytes``

_TOKEN_BYTES = 10


def new_pseudonyms(n: int, token_source: TokenSource) -> tuple[str, ...]:
    """Return `n` distinct random pseudonyms: ``u`` and 80 random bits in hexadecimal digits.

    They depend on nothing but the token source; which person gets which is chance.
    """
    names: dict[str, None] = {}
    while len(names) < n:
        digits = token_source(_TOKEN_BYTES * (n - len(names))).hex()
        width = 2 * _TOKEN_BYTES
        names.update(
            dict.fromkeys(f"u{digits[start : start + width]}" for start in range(0, len(digits), width))
        )
    return tuple(names)
