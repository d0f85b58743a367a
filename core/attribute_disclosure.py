"""Attribute disclosure: what an equivalence class tells about its members' sensitive value.

Every model is computed for all classes at once, from the pairs (class, sensitive value) that occur,
so memory grows with the records and never with classes × values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from core.equivalence import EquivalenceClasses, IntArray
from core.errors import AuditInputError

FloatArray = npt.NDArray[np.float64]
Distance = Literal["equal", "ordered"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveCounts:
    """How often each sensitive value occurs in each equivalence class.

    Only pairs that occur are held, sorted by class and then by value.

    Attributes
    ----------
    class_of_pair, value_of_pair, n_of_pair
        Shape (n_pairs,): the class 0 … n_classes - 1, the value's code 0 … n_values - 1, and the
        records of that class with that value (at least 1).
    n_classes
        Number of classes, those without any known sensitive value included.
    n_values
        One more than the largest code.
    """

    class_of_pair: IntArray
    value_of_pair: IntArray
    n_of_pair: IntArray
    n_classes: int
    n_values: int

    @cached_property
    def class_totals(self) -> IntArray:
        """Return shape (n_classes,): records of the class whose sensitive value is known."""
        return _sum_by(self.class_of_pair, self.n_of_pair, size=self.n_classes).astype(np.int64)

    @cached_property
    def value_totals(self) -> IntArray:
        """Return shape (n_values,): records with each sensitive value, over all classes."""
        return _sum_by(self.value_of_pair, self.n_of_pair, size=self.n_values).astype(np.int64)

    @cached_property
    def share_in_class(self) -> FloatArray:
        """Return shape (n_pairs,): the value's share in (0, 1] of its class."""
        return self.n_of_pair / self.class_totals[self.class_of_pair]

    @cached_property
    def share_in_table(self) -> FloatArray:
        """Return shape (n_values,): each value's share in [0, 1] of all assessed records."""
        return self.value_totals / max(int(self.value_totals.sum()), 1)


def sensitive_counts(classes: EquivalenceClasses, sensitive_codes: IntArray) -> SensitiveCounts:
    """Count the sensitive values of each equivalence class.

    Parameters
    ----------
    classes
        Records left out of the classes are left out here as well.
    sensitive_codes
        Shape (n_records,): a code from 0 per distinct value; for the ordered distance in
        ascending order of the values. Negative for a missing value: such a record is not counted,
        because a missing value makes no class more diverse. A caller for whom missing is an answer
        of its own (such as "no diagnosis") gives it a code.

    Returns
    -------
    SensitiveCounts
        Pairs sum to the assessed records with a known value.
    """
    counted = (classes.class_of_record >= 0) & (sensitive_codes >= 0)
    n_values = int(sensitive_codes.max(initial=-1)) + 1
    pairs = classes.class_of_record[counted] * max(n_values, 1) + sensitive_codes[counted]
    found, n_of_pair = np.unique(pairs, return_counts=True)
    return SensitiveCounts(
        class_of_pair=found // max(n_values, 1),
        value_of_pair=found % max(n_values, 1),
        n_of_pair=n_of_pair.astype(np.int64),
        n_classes=classes.n_classes,
        n_values=n_values,
    )


def ordered_codes(values: FloatArray) -> IntArray:
    """Return shape (n_records,): the rank of each number among the distinct ones, -1 for NaN."""
    codes = np.unique(values, return_inverse=True)[1]
    return cast("IntArray", np.where(np.isnan(values), -1, codes).astype(np.int64, copy=False))


def distinct_l(counts: SensitiveCounts) -> IntArray:
    """Return shape (n_classes,): distinct sensitive values of each class; 0 where none is known.

    References
    ----------
    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    return np.bincount(counts.class_of_pair, minlength=counts.n_classes).astype(np.int64)


def entropy_l(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_classes,): exp of the entropy of each class, in [1, distinct l].

    The number of equally frequent values that would be as uncertain as the class is: entropy
    l-diversity holds for every l up to it. 0 where no value is known.

    References
    ----------
    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    share = counts.share_in_class
    entropy = _sum_by(counts.class_of_pair, -share * np.log(share), size=counts.n_classes)
    distinct = distinct_l(counts)
    at_least_one = np.clip(np.exp(entropy), 1.0, np.maximum(distinct, 1))  # rounding stays in range
    return cast("FloatArray", np.where(distinct > 0, at_least_one, 0.0))


def recursive_c(counts: SensitiveCounts, *, l: int) -> FloatArray:  # noqa: E741 - the model's own letter
    """Return shape (n_classes,): r_1 / (r_l + … + r_m), with r the class's counts in falling order.

    A class is recursively (c, l)-diverse for every c above this bound. Infinite where the class has
    fewer than `l` values.

    Raises
    ------
    AuditInputError
        `l` is below 1.

    References
    ----------
    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    if l < 1:
        raise AuditInputError(f"l must be at least 1 for recursive (c, l)-diversity; it is {l}.")
    order = np.lexsort((-counts.n_of_pair, counts.class_of_pair))
    n_of_pair, class_of_pair = counts.n_of_pair[order], counts.class_of_pair[order]
    rank = np.arange(len(order)) - np.searchsorted(class_of_pair, class_of_pair)
    tail = _sum_by(class_of_pair, np.where(rank >= l - 1, n_of_pair, 0), size=counts.n_classes)
    most = _sum_by(class_of_pair, np.where(rank == 0, n_of_pair, 0), size=counts.n_classes)
    bound = np.full(counts.n_classes, np.inf)
    np.divide(most, tail, out=bound, where=tail > 0)
    return bound


def alpha(counts: SensitiveCounts) -> FloatArray:
    """Return shape (n_classes,): the share in (0, 1] of each class's most frequent sensitive value.

    NaN where no value of the class is known.

    References
    ----------
    Wong et al., (α, k)-anonymity, KDD 2006.
    """
    shares = np.full(counts.n_classes, np.nan)
    np.fmax.at(shares, counts.class_of_pair, counts.share_in_class)
    return shares


def t_closeness(counts: SensitiveCounts, *, distance: Distance = "equal") -> FloatArray:
    """Return shape (n_classes,): earth mover's distance in [0, 1] from the class to the whole table.

    NaN where no value of the class is known.

    Parameters
    ----------
    counts
        For the ordered distance, codes ascend with the values.
    distance
        ``equal``: every two values are 1 apart, the distance is half the sum of the absolute
        differences. ``ordered``: neighbouring values are 1 / (n_values - 1) apart, the distance is
        the mean absolute difference of the cumulated shares.

    References
    ----------
    Li, Li, Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """
    found = _equal_distance(counts) if distance == "equal" else _ordered_distance(counts)
    return cast("FloatArray", np.where(counts.class_totals > 0, np.clip(found, 0.0, 1.0), np.nan))


def smallest(values: IntArray | FloatArray) -> float | None:
    """Return the smallest figure of any class, NaN passed over; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known.min()) if len(known) else None


def largest(values: IntArray | FloatArray) -> float | None:
    """Return the largest figure of any class, NaN passed over; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else None


def _equal_distance(counts: SensitiveCounts) -> FloatArray:
    """Return half of Σ|p - q|: values absent from a class count with q, all others with |p - q|."""
    expected = counts.share_in_table[counts.value_of_pair]
    present = np.abs(counts.share_in_class - expected) - expected
    return 0.5 * (1.0 + _sum_by(counts.class_of_pair, present, size=counts.n_classes))


def _ordered_distance(counts: SensitiveCounts) -> FloatArray:
    """Return Σ|P - Q| / (n_values - 1) over the cumulated shares P of the class and Q of the table.

    P is constant between two values that occur in the class, and Q only rises, so each stretch is
    summed from prefix sums of Q on both sides of where Q passes P.
    """
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
