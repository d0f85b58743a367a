"""Pseudonyms that nobody can compute: random, and drawn anew for every export."""

from collections.abc import Callable

import numpy as np

TokenSource = Callable[[int], bytes]  # returns so many random bytes, such as ``secrets.token_bytes``

_TOKEN_BYTES = 10


def new_pseudonyms(n: int, token_source: TokenSource) -> tuple[str, ...]:
    """Return `n` distinct random pseudonyms: ``u`` and 80 random bits in hexadecimal digits.

    They depend on nothing but the token source; which person gets which is chance.
    """
    tokens = token_source(_TOKEN_BYTES * n)
    if _begin_differently(tokens):
        return _written(tokens)
    names = dict.fromkeys(_written(tokens))
    while len(names) < n:
        names.update(dict.fromkeys(_written(token_source(_TOKEN_BYTES * (n - len(names))))))
    return tuple(names)


def _begin_differently(tokens: bytes) -> bool:
    """Return whether no two tokens share their first 64 bits; this only rules out looking at all of them."""
    table = np.frombuffer(tokens, np.uint8).reshape(-1, _TOKEN_BYTES)[:, :8]
    firsts = np.sort(np.ascontiguousarray(table).view(np.uint64).ravel())
    return not (firsts[1:] == firsts[:-1]).any()


def _written(tokens: bytes) -> tuple[str, ...]:
    digits = np.frombuffer(tokens.hex().encode(), np.uint8).reshape(-1, 2 * _TOKEN_BYTES)
    names = np.full((len(digits), 2 * _TOKEN_BYTES + 1), ord("u"), dtype=np.uint8)
    names[:, 1:] = digits
    return tuple(names.view(f"S{names.shape[1]}").ravel().astype(str).tolist())
