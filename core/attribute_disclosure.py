"""Attribute disclosure: what an equivalence class tells about its members' sensitive value.

Every model is computed for all classes at once, from the pairs (class, sensitive value) that occur,
so memory grows with the records and never with classes × values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast

import numpy as np

from core.coding import FloatArray, IntArray
from core.equivalence import EquivalenceClasses
from core.words import Written, input_error

Distance = Literal["equal", "ordered"]

_DENSE = 16  # counting every pair of class and value pays up to so many times the records


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveCounts:
    """How often each sensitive value occurs in each equivalence class.

    Only pairs that occur are held, sorted by class and then by value.
    """

    # shape (n_pairs,): the class 0 … n_classes - 1, the value's code 0 … n_values - 1, and the records of
    # that class with that value (at least 1)
    class_of_pair: IntArray
    value_of_pair: IntArray
    n_of_pair: IntArray
    n_classes: int  # number of classes, those without any known sensitive value included
    n_values: int  # one more than the largest code
    # shape (n_values,), records with each value, where classes overlap (missing quasi-identifiers as
    # wildcards) and their sum would count records twice, or are a part of the table; None otherwise
    known_totals: IntArray | None = None

    @cached_property
    def class_totals(self) -> IntArray:
        """Return shape (n_classes,): records of the class whose sensitive value is known."""
        return _sum_by(self.class_of_pair, self.n_of_pair, size=self.n_classes).astype(np.int64)

    @cached_property
    def value_totals(self) -> IntArray:
        """Return shape (n_values,): records with each sensitive value, over all classes."""
        if self.known_totals is not None:
            return self.known_totals
        return _sum_by(self.value_of_pair, self.n_of_pair, size=self.n_values).astype(np.int64)

    @cached_property
    def share_in_class(self) -> FloatArray:
        """Return shape (n_pairs,): the value's share in (0, 1] of its class."""
        return self.n_of_pair / self.class_totals[self.class_of_pair]

    @cached_property
    def share_in_table(self) -> FloatArray:
        """Return shape (n_values,): each value's share in [0, 1] of all assessed records."""
        return self.value_totals / max(int(self.value_totals.sum()), 1)

    @cached_property
    def ranked(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return class, records and rank (0 first) of each pair, most frequent values of a class first."""
        order = np.lexsort((-self.n_of_pair, self.class_of_pair))
        class_of_pair = self.class_of_pair[order]
        rank = np.arange(len(order)) - np.searchsorted(class_of_pair, class_of_pair)
        return class_of_pair, self.n_of_pair[order], rank


def sensitive_counts(
    classes: EquivalenceClasses, sensitive_codes: IntArray, *, totals: IntArray | None = None
) -> SensitiveCounts:
    """Count the sensitive values of each equivalence class, without records left out of the classes.

    `sensitive_codes`: shape (n_records,), a code from 0 per distinct value, for the ordered distance
    ascending with the values. Negative for a missing value, which is not counted, because it makes no class
    more diverse; where missing is an answer of its own (such as "no diagnosis") give it a code. `totals`:
    shape (n_values,), records with each value in the whole table, where the classes hold a part of it.
    """
    counted = (classes.class_of_record >= 0) & (sensitive_codes >= 0)
    n_values = int(sensitive_codes.max(initial=-1)) + 1
    pairs = classes.class_of_record[counted] * max(n_values, 1) + sensitive_codes[counted]
    if classes.n_classes * n_values <= _DENSE * len(pairs):
        n_of_every = np.bincount(pairs, minlength=classes.n_classes * n_values)
        found = np.flatnonzero(n_of_every)
        n_of_pair = n_of_every[found]
    else:
        found, n_of_pair = np.unique(pairs, return_counts=True)
    return SensitiveCounts(
        class_of_pair=found // max(n_values, 1),
        value_of_pair=found % max(n_values, 1),
        n_of_pair=n_of_pair.astype(np.int64),
        n_classes=classes.n_classes,
        n_values=n_values,
        known_totals=totals,
    )


def ordered_codes(values: FloatArray) -> IntArray:
    """Return shape (n_records,): the rank of each number among the distinct ones, -1 for NaN."""
    codes = np.unique(values, return_inverse=True)[1]
    return cast("IntArray", np.where(np.isnan(values), -1, codes).astype(np.int64, copy=False))


def distinct_l(counts: SensitiveCounts) -> IntArray:
    """Return shape (n_classes,): distinct sensitive values of each class; 0 where none is known.

    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    return np.bincount(counts.class_of_pair, minlength=counts.n_classes).astype(np.int64)


def entropy_l(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_classes,): exp of the entropy of each class, in [1, distinct l]; 0 where none is known.

    Entropy l-diversity holds for every l up to it (Machanavajjhala et al., TKDD 1(1), 2007).
    """
    share = counts.share_in_class
    entropy = _sum_by(counts.class_of_pair, -share * np.log(share), size=counts.n_classes)
    distinct = distinct_l(counts)
    at_least_one = np.clip(np.exp(entropy), 1.0, np.maximum(distinct, 1))  # rounding stays in range
    return cast("FloatArray", np.where(distinct > 0, at_least_one, 0.0))


def recursive_c(counts: SensitiveCounts, *, l: int) -> FloatArray:  # noqa: E741 - the model's own letter
    """Return shape (n_classes,): r_1 / (r_l + … + r_m), with r the class's counts in falling order.

    A class is recursively (c, l)-diverse for every c above it (Machanavajjhala et al., TKDD 1(1), 2007);
    infinite where it has fewer than `l` values, which must be 1 at least.
    """
    if l < 1:
        raise input_error("ℓ must be at least 1 for recursive (c, ℓ)-diversity; it is {value}.", value=l)
    class_of_pair, n_of_pair, rank = counts.ranked
    tail = _sum_by(class_of_pair, np.where(rank >= l - 1, n_of_pair, 0), size=counts.n_classes)
    most = _sum_by(class_of_pair, np.where(rank == 0, n_of_pair, 0), size=counts.n_classes)
    bound = np.full(counts.n_classes, np.inf)
    np.divide(most, tail, out=bound, where=tail > 0)
    return bound


def largest_recursive_l(counts: SensitiveCounts, *, c: float) -> IntArray:
    """Return shape (n_classes,): the largest l with r_1 < c (r_l + … + r_m), 0 where even l = 1 fails.

    Recursive (c, l)-diversity holds for every l up to it, in [0, distinct l]; 0 where no value is known.

    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    if not c > 0:
        raise input_error(
            "c must be above 0 for recursive (c, ℓ)-diversity; it is {value}.", value=Written(str(c))
        )
    class_of_pair, n_of_pair, rank = counts.ranked
    total = counts.class_totals[class_of_pair]
    before = np.cumsum(n_of_pair) - n_of_pair
    starts = np.flatnonzero(rank == 0)
    before -= np.repeat(before[starts], np.diff(starts, append=len(rank)))
    most = np.repeat(n_of_pair[starts], np.diff(starts, append=len(rank)))
    holds = most < c * (total - before)  # falls with rising l, so the number of them is the largest
    return _sum_by(class_of_pair, holds.astype(np.int64), size=counts.n_classes).astype(np.int64)


def basic_beta(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_classes,): largest relative gain (p - q) / q of a value in each class, 0 for no gain.

    p is the value's share of the class and q its share of the table; basic β-likeness holds for every β from
    the largest figure on (Cao and Karras, PVLDB 5(11), 2012). NaN where no value of the class is known.
    """
    gains = np.maximum(_gain(counts), 0.0)
    found = np.full(counts.n_classes, np.nan)
    np.fmax.at(found, counts.class_of_pair, gains)
    return found


def enhanced_beta(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_classes,): the smallest β for which enhanced β-likeness holds in each class.

    It holds when every value that gains has (p - q) / q ≤ min(β, -ln q) (Cao and Karras 2012). Where some
    value gains more than -ln q, no β makes it hold: infinite. NaN where no value of the class is known.
    """
    gains = _gain(counts)
    bound = -np.log(counts.share_in_table[counts.value_of_pair])
    needed = np.where(gains <= np.maximum(bound, 0.0), np.maximum(gains, 0.0), np.inf)
    found = np.full(counts.n_classes, np.nan)
    np.fmax.at(found, counts.class_of_pair, needed)
    return found


def delta_disclosure(
    counts: SensitiveCounts, *, absent: Literal["passed_over", "infinite"] = "passed_over"
) -> FloatArray:
    """Return shape (n_classes,): the largest |ln(p / q)| of a value in each class; NaN where none is known.

    δ-disclosure privacy holds for every δ above the largest figure (Brickell and Shmatikov, KDD 2008).
    `absent`: what a value of the table does that the class lacks (p = 0), where the logarithm is not finite:
    ``passed_over`` as most programs do, or ``infinite`` as the definition says.
    """
    ratio = np.abs(np.log(counts.share_in_class / counts.share_in_table[counts.value_of_pair]))
    found = np.full(counts.n_classes, np.nan)
    np.fmax.at(found, counts.class_of_pair, ratio)
    if absent == "infinite":
        misses = distinct_l(counts) < np.count_nonzero(counts.value_totals)
        found[misses & (counts.class_totals > 0)] = np.inf
    return found


def alpha(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_classes,): the share in (0, 1] of a class's most frequent value; NaN of none.

    Wong et al., (α, k)-anonymity, KDD 2006.
    """
    shares = np.full(counts.n_classes, np.nan)
    np.fmax.at(shares, counts.class_of_pair, counts.share_in_class)
    return shares


def t_closeness(counts: SensitiveCounts, *, distance: Distance = "equal") -> FloatArray:
    """Return shape (n_classes,): earth mover's distance in [0, 1] from the class to the table; NaN of none.

    ``equal``: every two values are 1 apart, so half the sum of the absolute differences. ``ordered``: codes
    ascend with the values and neighbours are 1 / (n_values - 1) apart, so the mean absolute difference of the
    cumulated shares (Li, Li, Venkatasubramanian, ICDE 2007).
    """
    found = _equal_distance(counts) if distance == "equal" else _ordered_distance(counts)
    return cast("FloatArray", np.where(counts.class_totals > 0, np.clip(found, 0.0, 1.0), np.nan))


def hierarchical_t(counts: SensitiveCounts, *, levels: Sequence[IntArray]) -> FloatArray:
    """Return shape (n_classes,): earth mover's distance in [0, 1] over a hierarchy of values; NaN of none.

    Moving a share from one value to another costs the height of their lowest common group divided by the
    height of the hierarchy. `levels`: one array of shape (n_values,) for each level below the top, the
    values' own first: the group of each value; groups of a level are whole groups of the level below.

    Notes
    -----
    The cost of a group is height(N) / H · min(gain, loss of its children), and
    min(a, b) = (a + b - |a - b|) / 2; over all groups these sums telescope into the mean over the
    levels of the equal distance between the shares of the groups of each level.

    Li, Li, Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """
    found = sum((t_closeness(merged_counts(counts, groups)) for groups in levels), np.zeros(counts.n_classes))
    return found / max(len(levels), 1)


def smallest(values: IntArray | FloatArray) -> float | None:
    """Return the smallest figure of any class, NaN passed over; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known.min()) if len(known) else None


def largest(values: IntArray | FloatArray) -> float | None:
    """Return the largest figure of any class, NaN passed over; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else None


def _gain(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_pairs,): (p - q) / q."""
    expected = counts.share_in_table[counts.value_of_pair]
    return (counts.share_in_class - expected) / expected


def merged_counts(counts: SensitiveCounts, groups: IntArray) -> SensitiveCounts:
    """Return the counts with the values of each group merged; `groups`, shape (n_values,), count from 0."""
    n_groups = int(groups.max(initial=-1)) + 1
    pairs, position = np.unique(
        counts.class_of_pair * max(n_groups, 1) + groups[counts.value_of_pair], return_inverse=True
    )
    totals = counts.known_totals
    return replace(
        counts,
        class_of_pair=pairs // max(n_groups, 1),
        value_of_pair=pairs % max(n_groups, 1),
        n_of_pair=_sum_by(position, counts.n_of_pair, size=len(pairs)).astype(np.int64),
        n_values=n_groups,
        known_totals=None if totals is None else _sum_by(groups, totals, size=n_groups).astype(np.int64),
    )


def _equal_distance(counts: SensitiveCounts) -> FloatArray:
    """Return half of Σ|p - q|: values absent from a class count with q, all others with |p - q|."""
    expected = counts.share_in_table[counts.value_of_pair]
    present = np.abs(counts.share_in_class - expected) - expected
    return 0.5 * (1.0 + _sum_by(counts.class_of_pair, present, size=counts.n_classes))


def _ordered_distance(counts: SensitiveCounts) -> FloatArray:
    """Return Σ|P - Q| / (n_values - 1) over the cumulated shares P of the class and Q of the table."""
    if counts.n_values <= 1:
        return np.zeros(counts.n_classes)
    cumulated = np.cumsum(counts.share_in_table)[:-1]  # the last is 1 for every class
    prefix = np.concatenate([[0.0], np.cumsum(cumulated)])
    start, stop, level, of_class = _stretches(counts)
    crossing = np.clip(np.searchsorted(cumulated, level), start, stop)
    below = level * (crossing - start) - (prefix[crossing] - prefix[start])
    above = (prefix[stop] - prefix[crossing]) - level * (stop - crossing)
    return _sum_by(of_class, below + above, size=counts.n_classes) / (counts.n_values - 1)


def _stretches(counts: SensitiveCounts) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Return start, stop (exclusive), cumulated share and class of each stretch where P is constant."""
    of_class, value = counts.class_of_pair, counts.value_of_pair
    n_last = counts.n_values - 1
    first = np.flatnonzero(np.diff(of_class, prepend=-1))
    records_before = np.cumsum(counts.n_of_pair) - counts.n_of_pair
    in_class = records_before - np.repeat(records_before[first], np.diff(first, append=len(of_class)))
    level = (in_class + counts.n_of_pair) / counts.class_totals[of_class]
    following = np.append(value[1:], n_last)
    is_last = np.append(of_class[1:] != of_class[:-1], True)[: len(of_class)]
    stop = np.minimum(np.where(is_last, n_last, following), n_last)
    start = np.concatenate([np.zeros(len(first), dtype=np.int64), np.minimum(value, n_last)])
    return (
        start,
        np.concatenate([np.minimum(value[first], n_last), stop]),
        np.concatenate([np.zeros(len(first)), level]),
        np.concatenate([of_class[first], of_class]),
    )


def _sum_by(groups: IntArray, values: IntArray | FloatArray, *, size: int) -> FloatArray:
    """Return shape (size,): the sum of the values of each group; counts stay exact below 2**53."""
    return cast("FloatArray", np.bincount(groups, weights=values, minlength=size).astype(np.float64))
