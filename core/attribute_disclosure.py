"""Attribute disclosure: what an equivalence class tells about its members' sensitive value.

Every model is computed for all classes at once, from the pairs (class, sensitive value) that occur,
so memory grows with the records and never with classes × values. A figure is one of each entry of `Items`: of
a class, or of all classes that are alike, wherever they were counted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import scipy

from core.classes import Items, sum_by
from core.coding import BoolArray, FloatArray, IntArray
from core.words import Written, input_error

Distance = Literal["equal", "ordered"]

_TOLERANCE = 1e-9  # of entropies, distances and shares: a figure that is the limit but for rounding meets it


def ordered_codes(values: FloatArray) -> IntArray:
    """Return shape (n_records,): the rank of each number among the distinct ones, -1 for NaN."""
    codes = np.unique(values, return_inverse=True)[1]
    return cast("IntArray", np.where(np.isnan(values), -1, codes).astype(np.int64, copy=False))


def distinct_l(counts: Items) -> IntArray:
    """Return shape (n_entries,): distinct sensitive values of each class; 0 where none is known.

    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    return np.bincount(counts.of_class, minlength=counts.n_entries).astype(np.int64)


def entropy_l(counts: Items) -> FloatArray:
    """Return shape (n_entries,): exp of the entropy of each class, in [1, distinct l]; 0 where none is known.

    Entropy l-diversity holds for every l up to it (Machanavajjhala et al., TKDD 1(1), 2007).
    """
    share = counts.share_in_class
    entropy = sum_by(counts.of_class, -share * np.log(share), size=counts.n_entries)
    distinct = distinct_l(counts)
    at_least_one = np.clip(np.exp(entropy), 1.0, np.maximum(distinct, 1))  # rounding stays in range
    return cast("FloatArray", np.where(distinct > 0, at_least_one, 0.0))


def recursive_c(counts: Items, *, l: int) -> FloatArray:  # noqa: E741 - the model's own letter
    """Return shape (n_entries,): r_1 / (r_l + … + r_m), with r the class's counts in falling order.

    A class is recursively (c, l)-diverse for every c above it (Machanavajjhala et al., TKDD 1(1), 2007);
    infinite where it has fewer than `l` values, which must be 1 at least.
    """
    if l < 1:
        raise input_error("ℓ must be at least 1 for recursive (c, ℓ)-diversity; it is {value}.", value=l)
    of_class, n, rank = counts.ranked
    tail = sum_by(of_class, np.where(rank >= l - 1, n, 0), size=counts.n_entries)
    most = sum_by(of_class, np.where(rank == 0, n, 0), size=counts.n_entries)
    bound = np.full(counts.n_entries, np.inf)
    np.divide(most, tail, out=bound, where=tail > 0)
    return bound


def largest_recursive_l(counts: Items, *, c: float) -> IntArray:
    """Return shape (n_entries,): the largest l with r_1 < c (r_l + … + r_m), 0 where even l = 1 fails.

    Recursive (c, l)-diversity holds for every l up to it, in [0, distinct l]; 0 where no value is known.

    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.
    """
    if not c > 0:
        raise input_error(
            "c must be above 0 for recursive (c, ℓ)-diversity; it is {value}.", value=Written(str(c))
        )
    of_class, n, rank = counts.ranked
    total = counts.class_totals[of_class]
    before = np.cumsum(n) - n
    starts = np.flatnonzero(rank == 0)
    before -= np.repeat(before[starts], np.diff(starts, append=len(rank)))
    most = np.repeat(n[starts], np.diff(starts, append=len(rank)))
    holds = most < c * (total - before)  # falls with rising l, so the number of them is the largest
    return sum_by(of_class, holds.astype(np.int64), size=counts.n_entries).astype(np.int64)


def basic_beta(counts: Items) -> FloatArray:
    """Return shape (n_entries,): largest relative gain (p - q) / q of a value in each class, 0 for no gain.

    p is the value's share of the class and q its share of the table; basic β-likeness holds for every β from
    the largest figure on (Cao and Karras, PVLDB 5(11), 2012). NaN where no value of the class is known.
    """
    gains = np.maximum(_gain(counts), 0.0)
    found = np.full(counts.n_entries, np.nan)
    np.fmax.at(found, counts.of_class, gains)
    return found


def enhanced_beta(counts: Items) -> FloatArray:
    """Return shape (n_entries,): the smallest β for which enhanced β-likeness holds in each class.

    It holds when every value that gains has (p - q) / q ≤ min(β, -ln q) (Cao and Karras 2012). Where some
    value gains more than -ln q, no β makes it hold: infinite. NaN where no value of the class is known.
    """
    gains = _gain(counts)
    bound = -np.log(counts.share_in_table[counts.item])
    needed = np.where(gains <= np.maximum(bound, 0.0), np.maximum(gains, 0.0), np.inf)
    found = np.full(counts.n_entries, np.nan)
    np.fmax.at(found, counts.of_class, needed)
    return found


def delta_disclosure(
    counts: Items, *, absent: Literal["passed_over", "infinite"] = "passed_over"
) -> FloatArray:
    """Return shape (n_entries,): the largest |ln(p / q)| of a value in each class; NaN where none is known.

    δ-disclosure privacy holds for every δ above the largest figure (Brickell and Shmatikov, KDD 2008).
    `absent`: what a value of the table does that the class lacks (p = 0), where the logarithm is not finite:
    ``passed_over`` as most programs do, or ``infinite`` as the definition says.
    """
    ratio = np.abs(np.log(counts.share_in_class / counts.share_in_table[counts.item]))
    found = np.full(counts.n_entries, np.nan)
    np.fmax.at(found, counts.of_class, ratio)
    if absent == "infinite":
        misses = distinct_l(counts) < np.count_nonzero(counts.totals)
        found[misses & (counts.class_totals > 0)] = np.inf
    return found


def alpha(counts: Items) -> FloatArray:
    """Return shape (n_entries,): the share in (0, 1] of a class's most frequent value; NaN of none.

    Wong et al., (α, k)-anonymity, KDD 2006.
    """
    shares = np.full(counts.n_entries, np.nan)
    np.fmax.at(shares, counts.of_class, counts.share_in_class)
    return shares


def t_closeness(counts: Items, *, distance: Distance = "equal") -> FloatArray:
    """Return shape (n_entries,): earth mover's distance in [0, 1] from the class to the table; NaN of none.

    ``equal``: every two values are 1 apart, so half the sum of the absolute differences. ``ordered``: codes
    ascend with the values and neighbours are 1 / (n_values - 1) apart, so the mean absolute difference of the
    cumulated shares (Li, Li, Venkatasubramanian, ICDE 2007).
    """
    found = _equal_distance(counts) if distance == "equal" else _ordered_distance(counts)
    return cast("FloatArray", np.where(counts.class_totals > 0, np.clip(found, 0.0, 1.0), np.nan))


def hierarchical_t(counts: Items, *, levels: Sequence[IntArray]) -> FloatArray:
    """Return shape (n_entries,): earth mover's distance in [0, 1] over a hierarchy of values; NaN of none.

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
    found = sum((t_closeness(counts.merged(groups)) for groups in levels), np.zeros(counts.n_entries))
    return found / max(len(levels), 1)


def smallest(values: IntArray | FloatArray) -> float | None:
    """Return the smallest figure of any class, NaN passed over; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known.min()) if len(known) else None


def largest(values: IntArray | FloatArray) -> float | None:
    """Return the largest figure of any class, NaN passed over; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else None


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A threshold of classes, and the figure of each class that it is held against."""

    threshold: str  # its name in settings
    figure: str  # key of :data:`core.measures.MEASURES`
    symbol: str  # in files for programs
    of_classes: Callable[[Items], IntArray | FloatArray]
    is_least: bool = False  # whether at least so much is asked for; else at most
    says: str = ""  # what of an attribute's values it is, in a sentence

    def missed(self, values: IntArray | FloatArray, asked: float) -> BoolArray:
        """Return shape (n_entries,): whether each class misses it; one without a known value does not."""
        if self.is_least:
            return (values > 0) & (values < asked - _TOLERANCE)
        return values > asked + _TOLERANCE


# Judged, offered as release, searched for and shown in this order; a line is all that a new one needs here.
LIMITS = (
    Limit(threshold="l", figure="distinct_l", symbol="l", of_classes=distinct_l, is_least=True),
    Limit(threshold="entropy_l", figure="entropy_l", symbol="entropy l", of_classes=entropy_l, is_least=True),
    Limit(threshold="t", figure="t", symbol="t", of_classes=t_closeness),
    Limit(
        threshold="alpha",
        figure="alpha",
        symbol="α",
        of_classes=alpha,
        says="the largest share α of one of them",
    ),
    Limit(
        threshold="beta",
        figure="basic_beta",
        symbol="β",
        of_classes=basic_beta,
        says="the largest relative gain β of one of them",
    ),
    Limit(
        threshold="delta",
        figure="delta_ln",
        symbol="δ",
        of_classes=delta_disclosure,
        says="the largest |ln| ratio δ of a share to that of the whole table",
    ),
)


def _gain(counts: Items) -> FloatArray:
    """Return shape (n_pairs,): (p - q) / q."""
    expected = counts.share_in_table[counts.item]
    return (counts.share_in_class - expected) / expected


def _equal_distance(counts: Items) -> FloatArray:
    """Return half of Σ|p - q|: values absent from a class count with q, all others with |p - q|."""
    expected = counts.share_in_table[counts.item]
    present = np.abs(counts.share_in_class - expected) - expected
    return 0.5 * (1.0 + sum_by(counts.of_class, present, size=counts.n_entries))


def _ordered_distance(counts: Items) -> FloatArray:
    """Return Σ|P - Q| / (n_values - 1) over the cumulated shares P of the class and Q of the table."""
    if len(counts.totals) <= 1:
        return np.zeros(counts.n_entries)
    cumulated = np.cumsum(counts.share_in_table)[:-1]  # the last is 1 for every class
    prefix = np.concatenate([[0.0], np.cumsum(cumulated)])
    start, stop, level, of_class = _stretches(counts)
    crossing = np.clip(np.searchsorted(cumulated, level), start, stop)
    below = level * (crossing - start) - (prefix[crossing] - prefix[start])
    above = (prefix[stop] - prefix[crossing]) - level * (stop - crossing)
    return sum_by(of_class, below + above, size=counts.n_entries) / (len(counts.totals) - 1)


def _stretches(counts: Items) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Return start, stop (exclusive), cumulated share and class of each stretch where P is constant."""
    of_class, value = counts.of_class, counts.item
    n_last = len(counts.totals) - 1
    first = np.flatnonzero(np.diff(of_class, prepend=-1))
    records_before = np.cumsum(counts.n) - counts.n
    in_class = records_before - np.repeat(records_before[first], np.diff(first, append=len(of_class)))
    level = (in_class + counts.n) / counts.class_totals[of_class]
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


@dataclass(frozen=True, kw_only=True)
class OwnItems:
    """Classes that have several items, none of which any other class has."""

    n_classes: int
    n_records: int
    n_items: int
    share_in_table: float  # of units with these items, in (0, 1]


_MOST_OF_ALL = 0.5  # share of the units from which a set is the rest of the table


def own_items(counts: Items, *, by_chance: float) -> OwnItems | None:
    """Find a set of items that some classes share and no other class has, such as other names of one thing.

    Sets are the connected parts of classes and their items; one has most of the units, and the others of
    several items in each class count. A set of the share q is all that n units
    have, and no others, with a chance of at most qⁿ, times the sets of as many items: below `by_chance`.
    Return them all as one, None where there are none.
    """
    n_entries, n_items = counts.n_entries, len(counts.totals)
    graph = scipy.sparse.coo_array(
        (np.ones(len(counts.item)), (counts.of_class, n_entries + counts.item)),
        shape=(n_entries + n_items,) * 2,
    )
    part = scipy.sparse.csgraph.connected_components(graph.tocsr(), directed=False)[1]
    n_parts = int(part.max(initial=-1)) + 1
    units = np.bincount(part[n_entries:], weights=counts.totals, minlength=n_parts)
    share = units / max(float(units.sum()), 1.0)
    if share.max(initial=0.0) <= _MOST_OF_ALL:
        return None
    size = np.bincount(part[n_entries:], minlength=n_parts)
    fewest = np.full(n_parts, n_items)
    np.minimum.at(fewest, part[:n_entries], distinct_l(counts))
    sets = scipy.special.gammaln(n_items + 1) - scipy.special.gammaln(size + 1)
    sets -= scipy.special.gammaln(n_items - size + 1)
    found = (share > 0) & (share < _MOST_OF_ALL) & (fewest > 1)
    found &= units * np.log(np.maximum(share, 1e-300)) + sets < np.log(by_chance)
    if not found.any():
        return None
    classes = found[part[:n_entries]]
    return OwnItems(
        n_classes=int(counts.m[classes].sum()),
        n_records=int(counts.m[classes] @ counts.records[classes]),
        n_items=int(size[found].sum()),
        share_in_table=float(share[found].sum()),
    )
