"""What a released combination tells about an attribute that is not released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.attribute_disclosure import (
    distinct_l,
    entropy_l,
    largest,
    sensitive_counts,
    smallest,
    t_closeness,
)
from core.coding import IntArray, value_codes
from core.equivalence import EquivalenceClasses
from core.events.anonymization import AnonymizedEvents
from core.events.columns import derived_column

_NEARLY_ALL = 0.9


@dataclass(frozen=True, kw_only=True)
class CombinationDiversity:
    """Diversity of an attribute within the released combinations, over events."""

    attribute: str  # the derived column, or the raw event
    n_combinations: int  # released combinations
    n_uniform: int  # combinations in which the attribute has one value, which knowing the combination tells
    # combinations of more values in which one value is had by at least nine of ten events, and which halve at
    # least the doubt that the whole release leaves about it
    n_dominated: int
    distinct_l: float | None  # the smallest of any combination; None without any
    entropy_l: float | None
    # the largest distance in [0, 1] of a combination's distribution from that of the release (equal distance:
    # half the sum of the differences); None without any
    t: float | None


def combination_diversity(anonymized: AnonymizedEvents, attribute: str) -> CombinationDiversity:
    """Measure l-diversity and t-closeness of an attribute within the released combinations.

    References
    ----------
    Machanavajjhala et al., l-diversity, TKDD 1(1), 2007; Li et al., t-closeness, ICDE 2007.
    """
    log, kept = anonymized.measured.log, anonymized.event_is_kept
    values = derived_column(log, attribute).codes[log.kept_after_cleanup][kept]
    class_of_record = value_codes(anonymized.group_of_event[kept])
    classes = EquivalenceClasses(
        quasi_identifiers=anonymized.stages.columns,
        class_of_record=class_of_record,
        class_sizes=np.bincount(class_of_record).astype(np.int64),
    )
    counts = sensitive_counts(classes, values)
    distinct = distinct_l(counts)
    return CombinationDiversity(
        attribute=attribute,
        n_combinations=classes.n_classes,
        n_uniform=int(np.count_nonzero(distinct == 1)),
        n_dominated=_n_dominated(class_of_record, values),
        distinct_l=smallest(distinct),
        entropy_l=smallest(entropy_l(counts)),
        t=largest(t_closeness(counts)),
    )


def _n_dominated(combination: IntArray, values: IntArray) -> int:
    """Return the combinations, not uniform, whose commonest value has nearly all events."""
    n_values = int(values.max(initial=-1)) + 1
    cells, n_of_cell = np.unique(combination * max(n_values, 1) + values, return_counts=True)
    owner, value = cells // max(n_values, 1), cells % max(n_values, 1)
    n_of_combination = np.bincount(owner, weights=n_of_cell)
    share = n_of_cell / n_of_combination[owner]
    overall = np.bincount(value, weights=n_of_cell, minlength=n_values)[value] / max(len(values), 1)
    return int(np.count_nonzero((share < 1) & (share >= _NEARLY_ALL) & (1 - share <= (1 - overall) / 2)))
