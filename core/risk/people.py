"""People behind records: hidden persons of a class, persons by all their records, households."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from core.classes import EquivalenceClasses, persons_per_class
from core.coding import FloatArray, IntArray, coded_column, value_codes
from core.risk.settings import RiskSettings
from core.roles import Role, RoleSuggestion, says_whose, suggest_roles
from core.sequences import alike_by_bag
from core.tables import Dataset

_MOST_COLUMNS = 50  # that may hide persons and are looked at
_MOSTLY = 0.9  # share of repeated values whose records are all in one class
_CHANCE = np.log(1e-6)


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeCounts:
    """How many of something have each size."""

    sizes: IntArray  # distinct sizes, ascending, and how many have them
    counts: IntArray

    @property
    def n(self) -> int:
        """Return how many there are."""
        return int(self.counts.sum())

    def n_below(self, size: int) -> int:
        """Return how many have less than a size."""
        return int(self.counts[self.sizes < size].sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class HiddenPersons:
    """A column that seems to say whose record it is, although records were counted."""

    # named so, or its records with the same value are nearly always in one class, far beyond chance
    column: str
    is_steady: bool  # whether the latter
    looks_like_identifier: bool  # whether its name or its values say so too
    persons_of_class: IntArray  # shape (n_classes,): its different values in each class, at least 1

    def below(self, k: int, classes: EquivalenceClasses) -> tuple[int, int]:
        """Return the classes of at least `k` records with fewer than `k` persons, and their records."""
        small = (self.persons_of_class < k) & (classes.class_sizes >= k)
        return int(np.count_nonzero(small)), int(classes.class_sizes[small].sum())


def hidden_persons(
    dataset: Dataset,
    classes: EquivalenceClasses,
    settings: RiskSettings,
    *,
    suggestions: Sequence[RoleSuggestion],
) -> HiddenPersons | None:
    """Return the column that says whose record it is, None where a person column is chosen or none seems to.

    A column that has exactly one value in every class and no name of an identifier is a label of the classes
    rather than a person, and passed over.
    """
    if settings.person is not None or not classes.n_classes:
        return None
    left_out = dataset.table.select(list(settings.leave_out))
    candidates = [*suggestions, *(suggest_roles(left_out) if settings.leave_out else ())]
    candidates = [each for each in candidates if 1 < each.n_distinct < each.n_nonblank]
    candidates.sort(key=lambda each: (each.role is not Role.DIRECT_IDENTIFIER, -each.n_distinct))
    for each in candidates[:_MOST_COLUMNS]:
        person = coded_column(dataset.table, each.column).codes
        n_repeated = _n_repeated_in_one_class(classes, person, n_tests=len(candidates))
        if not n_repeated and not says_whose(each):
            continue
        persons = persons_per_class(classes.class_of_record, person, n_classes=classes.n_classes)
        named = each.role is Role.DIRECT_IDENTIFIER
        if named or (persons > 1).any():
            return HiddenPersons(
                column=each.column,
                is_steady=n_repeated > 0,
                looks_like_identifier=named,
                persons_of_class=persons,
            )
    return None


def _n_repeated_in_one_class(classes: EquivalenceClasses, person: IntArray, *, n_tests: int) -> int:
    """Return how many values repeat where nearly all that do stay in one class beyond chance, else 0."""
    known = np.flatnonzero((classes.class_of_record >= 0) & (person >= 0))
    of_class, of_person = classes.class_of_record[known], person[known]
    n_persons = int(of_person.max(initial=-1)) + 1
    n_of_person = np.bincount(of_person, minlength=n_persons)
    first = np.full(n_persons, classes.n_classes, dtype=np.int64)
    last = np.full(n_persons, -1, dtype=np.int64)
    np.minimum.at(first, of_person, of_class)
    np.maximum.at(last, of_person, of_class)
    repeated = n_of_person > 1
    steady = repeated & (first == last)
    n_repeated, n_steady = int(np.count_nonzero(repeated)), int(np.count_nonzero(steady))
    if not n_steady or n_steady < _MOSTLY * n_repeated:
        return 0
    share = np.bincount(of_class, minlength=classes.n_classes) / len(known)
    chance = float(((n_of_person[steady] - 1) * np.log(share[first[steady]])).sum())
    return n_repeated if chance + np.log(n_tests) < _CHANCE else 0


def persons_by_all_records(classes: EquivalenceClasses, person: IntArray) -> SizeCounts:
    """Return how many persons share with how many the classes of all their records, and how often each."""
    known = (classes.class_of_record >= 0) & (person >= 0)
    of_person = value_codes(person[known])
    nobody_apart = np.zeros(int(of_person.max(initial=-1)) + 1, dtype=np.int64)
    sizes = alike_by_bag(of_person, classes.class_of_record[known], nobody_apart)
    found, counts = np.unique(sizes, return_counts=True)
    return SizeCounts(sizes=found, counts=counts.astype(np.int64))


@dataclass(frozen=True, kw_only=True, eq=False)
class HouseholdRisk:
    """Risk that a household is found through any of its members."""

    column: str  # says which household a record is of
    # shape (n_households,): 1 - Π(1 - 1 / class size) over its records, in (0, 1]
    risk_of_household: FloatArray
    households_of_class: IntArray  # shape (n_classes,): different households in each class, at least 1
    n_unknown: int  # assessed records that name no household

    @property
    def n_households(self) -> int:
        """Return the households with an assessed record."""
        return len(self.risk_of_household)

    @cached_property
    def highest_risk(self) -> float | None:
        """Return the risk of the household most at risk, in (0, 1]; None without any."""
        return float(self.risk_of_household.max()) if self.n_households else None

    @cached_property
    def average_risk(self) -> float | None:
        """Return the mean risk of a household, in (0, 1]; None without any."""
        return float(self.risk_of_household.mean()) if self.n_households else None

    def n_above(self, risk: float) -> int:
        """Return the households with more than that risk."""
        return int(np.count_nonzero(self.risk_of_household > risk + 1e-12))


def household_risk(dataset: Dataset, classes: EquivalenceClasses, column: str) -> HouseholdRisk:
    """Measure the risk of households from the classes of their members' records (Templ, Springer, 2017)."""
    household = coded_column(dataset.table, column).codes
    assessed = classes.class_of_record >= 0
    known = assessed & (household >= 0)
    with np.errstate(divide="ignore"):
        safe = np.log1p(-1 / classes.size_of_record[known])
    n_codes = int(household.max(initial=-1)) + 1
    total = np.bincount(household[known], weights=safe, minlength=n_codes)
    seen = np.bincount(household[known], minlength=n_codes) > 0
    return HouseholdRisk(
        column=column,
        risk_of_household=cast("FloatArray", -np.expm1(total[seen])),
        households_of_class=persons_per_class(
            classes.class_of_record, household, n_classes=classes.n_classes
        ),
        n_unknown=int(np.count_nonzero(assessed & (household < 0))),
    )
