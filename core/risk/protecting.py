"""What every class of a generalized table has to reach beside its size: persons, sensitive values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.attribute_disclosure import (
    Distance,
    SensitiveCounts,
    alpha,
    basic_beta,
    delta_disclosure,
    distinct_l,
    entropy_l,
    merged_counts,
    sensitive_counts,
    t_closeness,
)
from core.coding import CodedColumn, IntArray
from core.equivalence import EquivalenceClasses
from core.risk.combinations import BoolArray
from core.risk.folding import FoldedValues, distinct_meanings, fold_values
from core.risk.ladders import FloatArray
from core.risk.lattice import ClassesAccepted
from core.risk.records import persons_per_class
from core.risk.sensitive import class_distances, sensitive_codes
from core.risk.settings import Hierarchy, RiskSettings

ClassDistances = Callable[[SensitiveCounts], FloatArray]  # of each class's values from the whole table's

_TOLERANCE = 1e-9  # of entropies, distances and shares, which are rounded


@dataclass(frozen=True, kw_only=True)
class ClassLimits:
    """What a class has to reach in a sensitive attribute; None is not asked."""

    # fewest distinct values, and smallest entropy l
    l: int | None = None  # noqa: E741 - the model's own letter
    entropy_l: float | None = None
    # Largest distance from all assessed records, those to be suppressed included. Against the records shown
    # alone it can come out different, so measure the result again.
    t: float | None = None
    alpha: float | None = None  # largest share of one value, basic β, and δ with absent values passed over
    beta: float | None = None
    delta: float | None = None

    @property
    def is_set(self) -> bool:
        """Return whether anything is asked."""
        return any(limit is not None for limit in vars(self).values())

    def met(self, counts: SensitiveCounts, *, distance: ClassDistances, distinct: IntArray) -> BoolArray:
        """Return shape (n_classes,): whether each class meets them; one without a known value does not."""
        good = distinct >= (self.l or 1)
        if self.entropy_l is not None:
            good &= entropy_l(counts) >= self.entropy_l - _TOLERANCE
        for limit, measure in (
            (self.t, distance),
            (self.alpha, alpha),
            (self.beta, basic_beta),
            (self.delta, delta_disclosure),
        ):
            if limit is not None:
                good &= measure(counts) <= limit + _TOLERANCE
        return good


def protects_sensitive(
    sensitive_codes: IntArray,
    limits: ClassLimits,
    *,
    distance: Distance | ClassDistances = "equal",
    folded: FoldedValues | None = None,
    assessed: BoolArray | None = None,
) -> ClassesAccepted:
    """Return the check, for a search, of whether a class keeps a sensitive attribute to itself."""
    totals = None
    if assessed is not None:
        known = sensitive_codes[assessed & (sensitive_codes >= 0)]
        totals = np.bincount(known, minlength=int(sensitive_codes.max(initial=-1)) + 1)

    def measured(counts: SensitiveCounts) -> FloatArray:
        return distance(counts) if callable(distance) else t_closeness(counts, distance=distance)

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        if not limits.is_set:
            return np.ones(classes.n_classes, dtype=bool)
        counts = sensitive_counts(classes, sensitive_codes, totals=totals)
        distinct = distinct_l(counts) if folded is None else distinct_meanings(counts, folded)
        if folded is not None and folded.numbers is not None:
            counts = merged_counts(counts, folded.interval_of_group)
        return limits.met(counts, distance=measured, distinct=distinct)

    return accepted


def protects_column(
    column: CodedColumn,
    settings: RiskSettings,
    limits: ClassLimits,
    *,
    hierarchy: Hierarchy | None,
    assessed: BoolArray,
) -> list[ClassesAccepted]:
    """Return the checks of a sensitive attribute, as written and, where it differs, as what values mean."""
    distance, codes = sensitive_codes(column, settings, hierarchy)
    written = protects_sensitive(
        codes,
        limits,
        distance=lambda counts: class_distances(counts, column, distance, hierarchy),
        assessed=assessed,
    )
    folded = fold_values(column, settings)
    if not folded.changes:
        return [written]
    meant = protects_sensitive(
        folded.group_of_value[column.codes],
        ClassLimits(**(vars(limits) | ({"t": None} if distance == "hierarchical" else {}))),
        distance="ordered" if folded.numbers is not None else "equal",
        folded=folded,
        assessed=assessed,
    )
    return [written, meant]


def has_persons(person_of_record: IntArray, at_least: int) -> ClassesAccepted:
    """Return the check of whether so many distinct persons are in a class."""

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        persons = persons_per_class(classes.class_of_record, person_of_record, n_classes=classes.n_classes)
        return persons >= at_least

    return accepted


def all_of(checks: Sequence[ClassesAccepted]) -> ClassesAccepted | None:
    """Return the check that all checks pass; None of none."""
    if not checks:
        return None

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        fine = np.ones(classes.n_classes, dtype=bool)
        for check in checks:
            fine &= check(classes)
        return fine

    return accepted
