"""Categories that two releases call otherwise, told by how many have them beside everything else.

``F`` in one release and ``female`` in the other, or ``1`` for what was ``0``: where the counts by all other
columns fit one way of pairing the words, and no other way nearly so well, the words are taken as the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from core.coding import FloatArray, IntArray

_MOST_WORDS = 100  # of a column that are paired
_ENOUGH = 5  # records of a word that tell what it means
_FITS = 0.25  # share of a word's records that may differ from those of the word that it is paired with
_MOST = 0.9  # share of the records of both whose words must be clear
_CLEARLY = 2  # times as many must differ from those of every other word, of which there must be one

Codes = tuple[IntArray, IntArray]


@dataclass(frozen=True, kw_only=True)
class Renaming:
    """A column in which two releases have words of their own, and some of these."""

    column: str
    later: tuple[str, ...]
    earlier: tuple[str, ...]  # of a renaming that is taken, place by place what the later ones were


def same_words(codes: Codes, context: Codes, *, only_own: bool) -> Mapping[int, int] | None:
    """Return by code of the earlier release the later one of the same meaning; None where it is not clear.

    `codes` are of a column of the later and the earlier release: equal for equal words, below 1 for missing;
    `context` are all other columns of both, from 0. `only_own`: only words are paired that the other release
    has not, all of them; else all are, and it must be clear of those that nine tenths of both have.
    """
    (later, n_later), (earlier, n_earlier) = (np.unique(each[each > 0], return_counts=True) for each in codes)
    if not 0 < min(len(later), len(earlier)) <= max(len(later), len(earlier)) <= _MOST_WORDS:
        return None
    apart = n_later[:, None] + n_earlier - 2 * _in_common(codes, context, later, earlier)
    rows, columns = (
        np.flatnonzero(~np.isin(words, others) | (not only_own))
        for words, others in ((later, earlier), (earlier, later))
    )
    place, fit = scipy.optimize.linear_sum_assignment(apart[np.ix_(rows, columns)])
    place, fit = rows[place], columns[fit]
    best = apart[place, fit]
    apart[place, fit] = np.inf
    next_best = np.minimum(apart.min(axis=1)[place], apart.min(axis=0)[fit])
    is_clear = (best <= _FITS * (n_later[place] + n_earlier[fit])) & np.isfinite(next_best)
    is_clear &= np.minimum(n_later[place], n_earlier[fit]) >= _ENOUGH
    is_clear &= _CLEARLY * np.maximum(best, 1) <= next_best
    place, fit = place[is_clear], fit[is_clear]
    least = 1.0 if only_own else _MOST
    told = ((n_later, rows, place), (n_earlier, columns, fit))
    if any(n[at].sum() < max(least * n[of].sum(), 1) for n, of, at in told):
        return None
    return dict(zip(earlier[fit].tolist(), later[place].tolist(), strict=True))


def _in_common(codes: Codes, context: Codes, later: IntArray, earlier: IntArray) -> FloatArray:
    """Return shape (n_later, n_earlier): how many records of two words have the same context."""
    size = int(max(each.max(initial=0) for each in context)) + 1
    mine, theirs = (
        _counts(each, of, words, size)
        for each, of, words in zip(codes, context, (later, earlier), strict=True)
    )
    found = np.zeros((len(later), len(earlier)))
    for at in range(len(later)):
        n = np.zeros(size)
        own = slice(*np.searchsorted(mine[0], [at, at + 1]))
        n[mine[1][own]] = mine[2][own]
        found[at] = np.bincount(
            theirs[0], weights=np.minimum(n[theirs[1]], theirs[2]), minlength=len(earlier)
        )
    return found


def _counts(
    codes: IntArray, context: IntArray, words: IntArray, size: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return words' places and contexts, by both, and how many records have them."""
    here = np.isin(codes, words)
    cells, counts = np.unique(np.searchsorted(words, codes[here]) * size + context[here], return_counts=True)
    return cells // size, cells % size, counts
