"""What chance alone gives: tails of the laws that counts follow, ranks, and how sure a share is.

Of :mod:`scipy.special` only: :mod:`scipy.stats` takes longer to import than most audits take. Counts and
parameters may be arrays.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from core.coding import FloatArray, IntArray


NO_ACCIDENT = 1e-6
"""The chance, over all that was tried together (Bonferroni), below which nothing was found by accident."""

NO_ACCIDENT_SPREADS = 4.75
"""The same in standard deviations of a normal law beyond its mean."""

Z_95 = 1.959963984540054  # standard deviations that hold 95 % of a normal distribution


def binomial_tail(count: ArrayLike, n: ArrayLike, p: ArrayLike) -> Any:
    """Return the chance of `count` or more of `n`, each with probability `p`.

    >>> float(binomial_tail(1, 2, 0.5)), float(binomial_tail(0, 2, 0.5)), float(binomial_tail(3, 2, 0.5))
    (0.75, 1.0, 0.0)
    """
    count, n = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tail = scipy.special.betainc(np.maximum(count, 1.0), np.maximum(n - count + 1, 1.0), p)
    return np.where(count <= 0, 1.0, np.where(count > n, 0.0, tail))


_FOLLOW = 0.9  # share of those alike by one thing that are alike by another which follows from it


def determines(codes: IntArray, values: IntArray, *, n_tried: int = 1) -> bool:
    """Return whether those alike by `codes` have one of the `values`, and hardly would by chance.

    Shape (n,) each, from 0; -1 is unknown and left out. Nine of ten have to agree with the others of their
    code, as those who share the most frequent value by chance would so rarely, among so many tries.

    >>> day = np.arange(60) * 7 % 13
    >>> determines(day, day % 5), determines(np.arange(60) % 7, day)
    (True, False)
    """
    known = (codes >= 0) & (values >= 0)
    n_values = int(values.max(initial=0)) + 1
    both = np.sort(codes[known].astype(np.int64) * n_values + values[known])
    pairs = np.flatnonzero(np.append(True, both[1:] != both[:-1])[: len(both)])
    group = both[pairs] // n_values
    groups = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    n_alike = len(both) - len(groups)
    if not n_alike or len(both) - len(pairs) < (2 * _FOLLOW - 1) * n_alike:  # each that differs parts two
        return False
    most = np.maximum.reduceat(np.diff(pairs, append=len(both)), groups)
    n_agreed = int(most.sum()) - len(groups)
    usual = float(np.bincount(values[known]).max() / known.sum())
    is_more = n_agreed >= _FOLLOW * n_alike
    return is_more and float(binomial_tail(n_agreed, n_alike, usual)) < NO_ACCIDENT / n_tried


def poisson_tail(count: ArrayLike, mean: ArrayLike) -> Any:
    """Return the chance of `count` or more where `mean` are expected.

    >>> float(poisson_tail(0, 2.0)), round(float(poisson_tail(1, 2.0)), 6), float(poisson_tail(1, 0.0))
    (1.0, 0.864665, 0.0)
    """
    count = np.asarray(count, dtype=np.float64)
    return np.where(count <= 0, 1.0, scipy.special.gammainc(np.maximum(count, 1.0), mean))


def poisson_law(most: int, mean: float) -> FloatArray:
    """Return shape (most + 1,): the chance of 0, 1, … `most` where `mean` are expected.

    >>> poisson_law(2, 1.0).round(4).tolist()
    [0.3679, 0.3679, 0.1839]
    """
    counts = np.arange(most + 1)
    law: FloatArray = np.exp(scipy.special.xlogy(counts, mean) - scipy.special.gammaln(counts + 1) - mean)
    return law


def normal_tail(z: float) -> float:
    """Return the chance of `z` standard deviations above the mean or more.

    >>> round(normal_tail(1.96), 4)
    0.025
    """
    return float(scipy.special.ndtr(-z))


def average_ranks(values: FloatArray) -> FloatArray:
    """Return ranks from 1 on; those alike share the mean of theirs.

    >>> average_ranks(np.array([20.0, 10.0, 20.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, n_alike = np.unique(values, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(n_alike) - (n_alike - 1) / 2)[place]
    return ranks


def dependence(before: IntArray, after: IntArray) -> tuple[float, int]:
    """Return how much two columns of groups depend on each other, and the degrees of freedom.

    The smaller of Pearson's statistic, which one chance meeting of two rare values makes large, and of twice
    the logarithm of the likelihood ratio (Wilks 1938), which many empty cells do.
    """
    size = int(after.max()) + 1
    table = np.bincount(before * size + after, minlength=(int(before.max()) + 1) * size).reshape(-1, size)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(before)
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    pearson = ((table - expected) ** 2 / expected).sum()
    ratio = 2 * scipy.special.xlogy(table, table / expected).sum()
    return float(min(pearson, ratio)), freedom


def association(before: IntArray, after: IntArray) -> float:
    """Return how much two columns of groups depend on each other, from 0 to 1 where one follows from one.

    As a share of what they do where the rows of both are sorted by them.
    """
    statistic, _ = dependence(before, after)
    most, _ = dependence(np.sort(before), np.sort(after))
    return statistic / most if most else 0.0


def wilson_interval(n_hits: int, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share; (0, 1) of nothing, exact at none and at all.

    >>> low, high = wilson_interval(27, 30)
    >>> round(low, 3), round(high, 3)
    (0.744, 0.965)

    References
    ----------
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22(158), 1927.
    """
    if not n:
        return 0.0, 1.0
    share, square = n_hits / n, Z_95**2 / n
    middle, half = share + square / 2, Z_95 * sqrt(share * (1 - share) / n + square / (4 * n))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return max(low, 0.0) if n_hits else 0.0, min(high, 1.0) if n_hits < n else 1.0
