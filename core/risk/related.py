"""Sensitive attributes that tell one another: who knows the one can guess the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from core.coding import CodedColumn, IntArray
from core.risk.folding import FoldedValues

N_LOOKED_AT = 20_000  # records drawn where there are more
_FEWEST = 20  # records below which nothing can be said
_MOST_ATTRIBUTES = 20
_GUESSED_GROUPS, _KNOWN_GROUPS = 10, 100  # a number is guessed by tenths, known by hundredths at most
_IN_GROUP = 10  # records of a group by which a number is known
_LEFT = 0.25  # share of wrong guesses that may remain for one to tell the other


@dataclass(frozen=True, kw_only=True)
class Related:
    """Two sensitive attributes of which one tells the other."""

    known: str  # their columns
    guessed: str
    # records whose value of `guessed` is right when guessed from `known` by the other records, in [0, 1]
    right_share: float
    right_share_without: float  # the same without knowing anything
    n_records: int  # records it was tried on, those with both values known


def related_attributes(
    columns: Sequence[CodedColumn], folded: Mapping[str, FoldedValues], *, assessed: npt.NDArray[np.bool_]
) -> tuple[Related, ...]:
    """Find pairs of sensitive attributes where knowing one removes three of four wrong guesses of the other.

    A record's value is guessed as the most frequent one among the *other* records that have the same known
    value, so that a known value that is all different tells nothing. Numbers are guessed by tenths of the
    records. Of more than 20,000 records so many are drawn (seeded); of more than 20 attributes the first 20
    are looked at.
    """
    records = np.flatnonzero(assessed)
    if len(records) > N_LOOKED_AT:
        records = np.sort(np.random.default_rng(0).choice(records, N_LOOKED_AT, replace=False))
    chosen = columns[:_MOST_ATTRIBUTES]
    codes = [folded[each.name].group_of_value[each.codes[records]] for each in chosen]
    numeric = [folded[each.name].numbers is not None for each in chosen]
    guessed = [_grouped(c, _GUESSED_GROUPS) if n else c for c, n in zip(codes, numeric, strict=True)]
    n_known = int(np.clip(len(records) // _IN_GROUP, _GUESSED_GROUPS, _KNOWN_GROUPS))
    known = [_grouped(c, n_known) if n else c for c, n in zip(codes, numeric, strict=True)]
    pairs = [
        _tried(chosen[a].name, chosen[b].name, known[a], guessed[b])
        for a in range(len(chosen))
        for b in range(len(chosen))
        if a != b
    ]
    return tuple(each for each in pairs if each is not None)


def _grouped(codes: IntArray, n_groups: int) -> IntArray:
    """Return ascending codes as groups of about as many records; -1 stays."""
    if int(codes.max(initial=-1)) < n_groups:
        return codes
    counts = np.bincount(codes[codes >= 0])
    middle = (np.cumsum(counts) - counts / 2) / max(int(counts.sum()), 1)
    group = np.minimum((middle * n_groups).astype(np.int64), n_groups - 1)
    return cast("IntArray", np.append(group, -1)[codes])


def _tried(known: str, guessed: str, a: IntArray, b: IntArray) -> Related | None:
    both = (a >= 0) & (b >= 0)
    n = int(np.count_nonzero(both))
    if n < _FEWEST:
        return None
    right = _right_guesses(a[both], b[both]) / n
    without = float(np.bincount(b[both]).max() / n)
    if without == 1 or (1 - right) > _LEFT * (1 - without):
        return None
    return Related(known=known, guessed=guessed, right_share=right, right_share_without=without, n_records=n)


def _right_guesses(a: IntArray, b: IntArray) -> int:
    """Return the records whose b is the most frequent one among the others with the same a; no ties."""
    size = int(b.max()) + 1
    pairs, counts = np.unique(a * size + b, return_counts=True)
    of_a = pairs // size
    order = np.lexsort((-counts, of_a))
    counts, of_a = counts[order], of_a[order]
    first = np.flatnonzero(np.diff(of_a, prepend=-1))
    n_in_group = np.diff(first, append=len(of_a))
    second = np.where(n_in_group > 1, np.append(counts, 0)[np.minimum(first + 1, len(counts))], 0)
    best = counts[first]
    return int(best[best - 1 > second].sum())
