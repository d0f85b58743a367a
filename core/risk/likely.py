"""Values that a class makes likely although it holds several, against what chance alone makes of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy import stats

from core.attribute_disclosure import SensitiveCounts, merged_counts
from core.coding import IntArray
from core.risk.folding import FoldedValues

FloatArray = npt.NDArray[np.float64]

DOMINANT_SHARE = 0.8  # of a class from which one value is nearly certain
DOMINANT_GAIN = 0.3  # above its share of the table
SKEWED_SHARE = 0.2  # of a class from which a value that is rare in the table matters
SKEWED_RATIO = 5.0  # times its share of the table
_CHANCE = 0.001  # probability below which classes are not what chance makes
_GROUPS_OF_NUMBERS = 10


@dataclass(frozen=True, kw_only=True)
class LikelyValues:
    """Classes in which one value of a sensitive attribute is likely, and how many chance would make so."""

    n_classes: int  # classes with such a value, and their records
    n_records: int
    n_expected: float  # classes of the same sizes that would have one if values were spread by chance
    highest_share: float  # largest share of such a value in a class, in [0, 1]
    beyond_chance: bool  # whether chance makes so many, or any of them, with a probability below 0.001


@dataclass(frozen=True, kw_only=True)
class Likelihood:
    """What classes make likely of one sensitive attribute."""

    dominant: LikelyValues  # classes in which a value has at least 80 %, and 30 points more than in the table
    skewed: LikelyValues  # classes in which a value has at least 20 %, and five times its share of the table


def likely_values(counts: SensitiveCounts, folded: FoldedValues) -> Likelihood:
    """Find classes that make a value likely; numbers are looked at in tenths of the table's records."""
    if folded.numbers is not None and counts.n_values > _GROUPS_OF_NUMBERS:
        counts = merged_counts(counts, _tenths(counts))
    q = counts.share_in_table
    dominant = np.maximum(DOMINANT_SHARE, q + DOMINANT_GAIN)
    skewed = np.maximum(SKEWED_SHARE, SKEWED_RATIO * q)
    return Likelihood(dominant=_found(counts, dominant), skewed=_found(counts, skewed))


def _tenths(counts: SensitiveCounts) -> IntArray:
    """Return the tenth of the records that each value is in, by the middle of its records."""
    middle = np.cumsum(counts.share_in_table) - counts.share_in_table / 2
    tenth = np.minimum((middle * _GROUPS_OF_NUMBERS).astype(np.int64), _GROUPS_OF_NUMBERS - 1)
    return cast("IntArray", np.unique(tenth, return_inverse=True)[1].astype(np.int64))


def _found(counts: SensitiveCounts, least_share: FloatArray) -> LikelyValues:
    """Return the classes in which a value has at least its least share; above 1 it never has."""
    wanted = counts.share_in_class >= least_share[counts.value_of_pair] - 1e-12
    several = counts.class_totals[counts.class_of_pair] > 1  # one record is no share
    pairs = np.flatnonzero(wanted & several)
    classes = np.unique(counts.class_of_pair[pairs])
    expected = _expected(counts, least_share)
    beyond = False
    if len(pairs):
        q = counts.share_in_table[counts.value_of_pair[pairs]]
        totals = counts.class_totals[counts.class_of_pair[pairs]]
        chance = stats.binom.sf(counts.n_of_pair[pairs] - 1, totals, q)
        n_tests = counts.n_classes * max(counts.n_values, 1)
        beyond = bool(chance.min() * n_tests < _CHANCE) or bool(
            stats.poisson.sf(len(classes) - 1, expected) < _CHANCE
        )
    return LikelyValues(
        n_classes=len(classes),
        n_records=int(counts.class_totals[classes].sum()),
        n_expected=expected,
        highest_share=float(counts.share_in_class[pairs].max()) if len(pairs) else 0.0,
        beyond_chance=beyond,
    )


def _expected(counts: SensitiveCounts, least_share: FloatArray) -> float:
    """Return how many pairs of class and value would have the least share by chance."""
    possible = np.flatnonzero((least_share <= 1) & (counts.share_in_table > 0))
    sizes, n_classes = np.unique(counts.class_totals[counts.class_totals > 1], return_counts=True)
    shares, first, n_values = np.unique(
        counts.share_in_table[possible], return_index=True, return_counts=True
    )
    if not len(sizes) or not len(shares):
        return 0.0
    least = least_share[possible][first]  # the same share of the table has the same least share
    total = 0.0
    for size, n in zip(sizes.tolist(), n_classes.tolist(), strict=True):
        needed = np.ceil(least * size - 1e-9)
        total += n * float(stats.binom.sf(needed - 1, size, shares) @ n_values)
    return total
