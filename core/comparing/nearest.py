"""The own original among the few nearest of all: by rank, by value within a class, by letters, by relation.

Rows are known: row i of both sides is the same record. What counts is how many originals are as near to a
released value as its own; a value that leads to fewer than five persons finds them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy

from core.chance import average_ranks
from core.coding import BoolArray, FloatArray, IntArray

Order = Literal["one to one", "in order", "all but in order", "nearly in order"]

MOST = 0.9  # share of the compared records from which a column follows from another
FEWEST_ROWS, _FEWEST_VALUES = 10, 3  # fewer are in order by chance too often
_ONE_TO_ONE = 10  # values from which a column that tells an original one for one is no accident
_ALL_BUT, NEARLY = 0.999, 0.9999  # rank correlations
_FEW_PLACES, _FEWER_PLACES, SOME = 4, 2, 0.5  # that leave a record among few; share of the records that are
_LIKE = 0.3  # share of their pairs of letters that two texts have in common, from which they are alike
FEW = 5  # persons among whom somebody is found
FEWEST_RELATED = 30  # records or classes on which a relation is looked for
_MOST_FITTED = 2_000
_MET_BY_CHANCE, _NEARLY_ALL = 0.03, 0.95  # pairs of records that are as near, records that have to be
CORRELATED = 0.95  # from which two columns are looked at
_PART = 0.05  # of the spread, from which a column takes part
_NOTHING = 1e-9  # of a spread, what rounding of binary numbers adds


# --- by rank


def standard_ranks(values: FloatArray) -> FloatArray:
    """Return ranks with mean 0 and length 1, so that their product is the correlation; 0 where blank."""
    known = ~np.isnan(values)
    ranks = np.zeros(len(values))
    if known.any():
        of_known = average_ranks(values[known])
        ranks[known] = of_known - of_known.mean()
    length = np.linalg.norm(ranks)
    return ranks / length if length else ranks


def order_kept(first: FloatArray, second: FloatArray) -> tuple[Order | None, int]:
    """Return how the order of two columns agrees, forwards or backwards, and how many are in their place.

    Without NaN. A record is in its place if both ranks are the same, ties counted.
    """
    n_values = [len(np.unique(values)) for values in (first, second)]
    if min(n_values) < _FEWEST_VALUES:
        return None, 0
    correlation = float(standard_ranks(first) @ standard_ranks(second))
    rank, other = average_ranks(first), average_ranks(second if correlation >= 0 else -second)
    away = np.abs(rank - other) - _half_of_ties(first) - _half_of_ties(second)
    n_in_place = int(np.count_nonzero(away <= 0))
    if n_in_place >= MOST * len(first):
        one_to_one = min(n_values) >= _ONE_TO_ONE and n_values[1] >= 0.98 * n_values[0] >= 0.96 * n_values[1]
        return ("one to one" if one_to_one else "in order"), n_in_place
    n_near = int(np.count_nonzero(away <= _FEW_PLACES))
    if n_near >= MOST * len(first) and abs(correlation) >= _ALL_BUT:
        return "all but in order", n_near
    n_nearer = int(np.count_nonzero(away <= _FEWER_PLACES))
    among_few = n_nearer >= max(SOME * len(first), 2 * (2 * _FEWER_PLACES + 1))
    if among_few or abs(correlation) >= NEARLY:
        return "nearly in order", max(n_near, n_in_place)
    return None, 0


def _half_of_ties(values: FloatArray) -> FloatArray:
    """Return for each value half of how many others equal it: how far its rank is from the first of them."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts[codes] - 1) / 2


def n_nearest_in_classes(first: FloatArray, second: FloatArray, classes: IntArray) -> tuple[int, int]:
    """Return how many originals are alone nearest to their record's value in its class, and of how many.

    The second values are put on the scale of the first by their ranks. Records alone in their class are left
    out.
    """
    ranks = average_ranks(second if standard_ranks(first) @ standard_ranks(second) > 0 else -second)
    guessed = np.interp(ranks, np.arange(1, len(first) + 1), np.sort(first))
    order = np.lexsort((first, classes))
    values, codes = first[order], classes[order]
    ends = np.flatnonzero(np.diff(codes, append=-1)) + 1
    n_nearest = n_shared = 0
    for low, high in itertools.pairwise([0, *ends.tolist()]):
        if high - low < 2:
            continue
        n_shared += high - low
        mine, theirs = values[low:high], guessed[order[low:high]]
        middles = np.concatenate(([-np.inf], (mine[1:] + mine[:-1]) / 2, [np.inf]))
        n_nearest += int(np.count_nonzero((middles[:-1] < theirs) & (theirs < middles[1:])))
    return n_nearest, n_shared


# --- by letters


def letter_pairs(texts: Sequence[str]) -> list[frozenset[str]]:
    """Return the pairs of characters of each text, spaces around it included; none of a blank one."""
    folded = (f" {text.strip().casefold()} " for text in texts)
    pairs = (map("".join, itertools.pairwise(text)) for text in folded)
    return [frozenset(pair for pair in each if any(map(str.isalnum, pair))) for each in pairs]


def n_shared_pairs(
    before: Sequence[frozenset[str]], after: Sequence[frozenset[str]]
) -> tuple[FloatArray, FloatArray]:
    """Return shape (n_before, n_after): the pairs that texts have in common, and Dice's share of both."""
    numbers = {pair: at for at, pair in enumerate(frozenset().union(*before, *after))}
    sides = []
    for texts in (before, after):
        columns = [numbers[pair] for text in texts for pair in text]
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        ones, shape = np.ones(len(columns)), (len(texts), len(numbers))
        sides.append(scipy.sparse.csr_matrix((ones, (rows, columns)), shape=shape))
    shared = (sides[0] @ sides[1].T).toarray()
    sizes = np.add.outer([len(text) for text in before], [len(text) for text in after])
    return shared, 2 * shared / np.maximum(sizes, 1)


def n_nearest_texts(before: Sequence[frozenset[str]], after: Sequence[frozenset[str]]) -> tuple[int, int]:
    """Return how many texts, as pairs of letters, are nearest to their own original, and of how many.

    A text is nearest that shares more, and at least 0.3, of its pairs than with any other distinct original.
    """
    rows = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a and b]
    if not rows:
        return 0, 0
    ours, theirs = ([side[i] for i in rows] for side in (before, after))
    _, likeness = n_shared_pairs(ours, theirs)
    texts = np.array([hash(text) for text in ours])
    own = np.diag(likeness)
    other = np.where(texts[:, None] == texts[None, :], -1.0, likeness).max(axis=0)
    return int(np.count_nonzero((own > other + 1e-9) & (own >= _LIKE))), len(rows)


# --- by relation


@dataclass(frozen=True, kw_only=True, eq=False)
class Relation:
    """A weighted sum of released columns that is one of original columns (Hotelling 1936)."""

    of_before: FloatArray  # weights, shapes (n_before,) and (n_after,)
    of_after: FloatArray
    constant: float
    near: float  # how far both may be from each other
    spread: float  # standard deviation of the sum
    parts: tuple[BoolArray, BoolArray]  # which columns take part

    @property
    def away(self) -> float:
        """Return how far both may be from each other, of the spread."""
        return self.near / self.spread


def related(before: FloatArray, after: FloatArray, seed: int) -> Relation | None:
    """Return the relation of two blocks of columns that one half of the rows shows and the other proves.

    Shape (n_rows, n_columns) each, NaN where blank. It has to hold for 95 % of the rows closer than 3 of 100
    pairs of rows meet by chance.

    References
    ----------
    Hotelling, Relations between two sets of variates, Biometrika 28, 1936.
    """
    filled = ~np.isnan(after).any(axis=1)
    known = np.flatnonzero(filled & ~np.isnan(before).any(axis=1))
    n_columns = before.shape[1] + after.shape[1]
    if len(known) < max(FEWEST_RELATED + 2 * n_columns, 0.5 * np.count_nonzero(filled)):
        return None
    rng = np.random.default_rng(seed)
    fit, test = np.array_split(rng.permutation(known)[: 2 * _MOST_FITTED], 2)
    for _ in range(2):
        found = _canonical(before[fit], after[fit])
        if found is None:
            return None
        ours, theirs, constant = found
        away = np.abs(after[fit] @ theirs - before[fit] @ ours - constant)
        fit = fit[away <= np.quantile(away, 0.9)]
    known_values = before[test] @ ours + constant
    away = np.abs(after[test] @ theirs - known_values)
    by_chance = np.quantile(np.abs(known_values - rng.permutation(known_values)), _MET_BY_CHANCE)
    near = float(np.quantile(away, _NEARLY_ALL))
    spread = known_values.std()
    if not spread or near > by_chance + _NOTHING * spread:
        return None
    return Relation(
        of_before=ours,
        of_after=theirs,
        constant=constant,
        near=2 * near + _NOTHING * float(np.abs(known_values).max()),
        spread=spread,
        parts=(
            np.abs(ours) * before[test].std(axis=0) >= _PART * spread,
            np.abs(theirs) * after[test].std(axis=0) >= _PART * spread,
        ),
    )


def _canonical(before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray, float] | None:
    """Return the weights of the two most correlated sums of columns, and the constant between them."""
    (ours, first), (theirs, second) = _whitened(before), _whitened(after)
    if not first.size or not second.size:
        return None
    left, sizes, right = np.linalg.svd(ours.T @ theirs)
    if sizes[0] < CORRELATED:
        return None
    weights = first @ left[:, 0] * sizes[0], second @ right[0]
    return *weights, float((after.mean(axis=0) @ weights[1]) - before.mean(axis=0) @ weights[0])


def _whitened(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return uncorrelated columns of one length that span the same, and the weights that give them."""
    spread = columns.std(axis=0)
    spread[spread == 0] = np.inf
    left, sizes, right = np.linalg.svd((columns - columns.mean(axis=0)) / spread, full_matrices=False)
    kept = sizes > max(1e-7 * sizes[0], 1e-12)
    return left[:, kept], right[kept].T / sizes[kept] / spread[:, None]


def n_found(
    released: tuple[FloatArray, IntArray], known: tuple[FloatArray, IntArray], near: float, share: float
) -> tuple[int, int]:
    """Return the records whose value leads to fewer than five originals of a larger class; and of all.

    Either side is values and classes; `share`: of all originals, those that are looked at.
    """
    (values, classes), (originals, theirs) = (
        (numbers[~np.isnan(numbers)], codes[~np.isnan(numbers)]) for numbers, codes in (released, known)
    )
    low = min(values.min(), originals.min()) - near
    width = max(values.max(), originals.max()) + 2 * near - low
    ordered = np.sort(originals - low + theirs * (2 * width))
    at = values - low + classes * (2 * width)
    n_near = np.searchsorted(ordered, at + near, side="right") - np.searchsorted(ordered, at - near)
    sizes = np.bincount(theirs, minlength=int(classes.max()) + 1)[classes]
    found = (1 + (n_near - 1) / share < FEW) & (sizes / share >= FEW) & (n_near > 0)
    return int(np.count_nonzero(found)), len(values)


def correlated(ours: FloatArray, theirs: FloatArray) -> list[tuple[int, int]]:
    """Return the places of the pairs of columns of two blocks that are worth a look."""
    n = ours.shape[1]
    together = pd.DataFrame(np.column_stack([ours, theirs])).corr(min_periods=FEWEST_RELATED).to_numpy()
    return [(int(i), int(j)) for i, j in np.argwhere(np.abs(together[:n, n:]) >= CORRELATED)]
