"""Individual risk with sampling weights: how likely a record's person is found in the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from core.coding import IntArray
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError
from core.risk.wildcards import Pairs

FloatArray = npt.NDArray[np.float64]

_LARGE_CLASS = 40  # from here on the series converges fast for every p
_N_TERMS = 60  # leaves a relative error below 1e-16 for p ≥ 1/2 or such a class


@dataclass(frozen=True, kw_only=True, eq=False)
class IndividualRisk:
    """Benedetti and Franconi's risk of each class."""

    # shape (n_classes,): the expectation of 1 / people of the population in the class, in (0, 1]
    class_risk: FloatArray
    class_sizes: IntArray  # shape (n_classes,): records in each class of the sample
    estimated_population_sizes: FloatArray  # shape (n_classes,): sum of the weights in each class
    n_below_size: int  # classes whose weights sum to less than their records; they are taken to be complete

    @property
    def highest_risk(self) -> float:
        """Return the risk of the record that is most at risk, in (0, 1]."""
        return float(self.class_risk.max())

    @property
    def expected_reidentifications(self) -> float:
        """Return Σ risk over records: how many an intruder who tries everybody is expected to find."""
        return float(self.class_risk @ self.class_sizes)

    @property
    def average_risk(self) -> float:
        """Return the mean risk over records, in (0, 1]."""
        return self.expected_reidentifications / int(self.class_sizes.sum())

    def n_records_above(self, risk: float) -> int:
        """Return the records with more than that risk."""
        return int(self.class_sizes[self.class_risk > risk].sum())


def individual_risk(
    classes: EquivalenceClasses, weights: FloatArray, *, compatible: Pairs | None = None
) -> IndividualRisk:
    """Estimate each record's risk from the sampling weights of its class.

    `weights`: shape (n_records_in_table,): how many people of the population a record stands for. Those of
    records that are left out are not looked at.

    `compatible`: pairs of a class and each class compatible with it, where a missing value matches every
    value; then records and weights of all of them count. None: each class with itself.

    Notes
    -----
    With f records of the sample in a class and weights that sum to F, the class's population size given f
    is negative binomial with p = f / F, and the risk its expectation of 1 / size:
    (p / f) · ₂F₁(1, 1; f + 1; 1 - p). For f = 1 that is p / (1 - p) · ln(1 / p), for f = 2 it is
    p / (1 - p) - (p / (1 - p))² ln(1 / p). Where F < f, p is taken as 1 and the risk is 1 / f.

    References
    ----------
    Benedetti and Franconi, Statistical and technological solutions for controlled data dissemination, New
    Techniques and Technologies for Statistics, 1998. Franconi and Polettini, Individual risk estimation in
    μ-Argus: a review, Privacy in Statistical Databases, LNCS 3050, 2004.
    """
    counted = classes.class_of_record >= 0
    used = weights[counted]
    if not len(used):
        raise AuditInputError("There is no record with a sampling weight.")
    n_bad = int(np.count_nonzero(~(np.isfinite(used) & (used > 0))))
    if n_bad:
        raise AuditInputError(
            f"{n_bad:,} of {len(used):,} sampling weights are missing, infinite, zero or negative; a weight "
            "says how many people of the population a record stands for."
        )
    members = classes.class_of_record[counted]
    sizes = np.bincount(members, minlength=classes.n_classes)
    totals = cast("FloatArray", np.bincount(members, weights=used, minlength=classes.n_classes))
    counted_sizes = sizes
    if compatible is not None:
        counted_sizes = _over(compatible, sizes, classes.n_classes).astype(np.int64)
        totals = _over(compatible, totals, classes.n_classes)
    return IndividualRisk(
        class_risk=risk_given_population(counted_sizes, totals),
        class_sizes=sizes,
        estimated_population_sizes=totals,
        n_below_size=int(np.count_nonzero(totals < counted_sizes * (1 - 1e-12))),
    )


def _over(compatible: Pairs, values: npt.NDArray[np.generic], n_classes: int) -> FloatArray:
    """Return shape (n_classes,): the sum of the values of the classes compatible with each."""
    return cast(
        "FloatArray", np.bincount(compatible.of_class, weights=values[compatible.item], minlength=n_classes)
    )


def risk_given_population(class_sizes: IntArray, population_sizes: FloatArray) -> FloatArray:
    """Return E(1 / population size of the class | records of the sample in it), in (0, 1]."""
    p = np.minimum(class_sizes / population_sizes, 1.0)
    found = _by_series(class_sizes, p)
    slow = (p < 0.5) & (class_sizes < _LARGE_CLASS)
    found[slow] = _by_recurrence(class_sizes[slow], p[slow])
    return found


def _by_series(class_sizes: IntArray, p: FloatArray) -> FloatArray:
    """Return p / f · Σ_j j! / ((f + 1) … (f + j)) · (1 - p)^j; SciPy's hyp2f1 overflows for f near 100."""
    term = p / class_sizes
    total = term.copy()
    for j in range(1, _N_TERMS):
        term *= (1 - p) * j / (class_sizes + j)
        total += term
    return total


def _by_recurrence(class_sizes: IntArray, p: FloatArray) -> FloatArray:
    """Return p I_f, I_f = ∫ v^(f - 1) / (p + (1 - p) v) dv over [0, 1]; I_f+1 = (1 / f - p I_f) / (1 - p)."""
    integral = -np.log(p) / (1 - p)
    for f in range(1, int(class_sizes.max(initial=1))):
        following = (1 / f - p * integral) / (1 - p)
        integral = np.where(class_sizes > f, following, integral)
    return p * integral
