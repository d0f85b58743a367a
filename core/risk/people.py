"""People behind records: hidden persons of a class, persons by all their records, households."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import cast

import numpy as np
import pyarrow as pa

from core.classes import EquivalenceClasses, persons_per_class
from core.coding import CodedColumn, FloatArray, IntArray, coded_column, combined_codes, value_codes
from core.people.roles import (
    PERHAPS_NAMES,
    Role,
    RoleSuggestion,
    columns_of_people,
    is_trait,
    says_whose,
    suggest_roles,
)
from core.risk.settings import RiskSettings
from core.sequences import alike_by_bag
from core.tables import Dataset

_MOST_COLUMNS = 50  # that may hide persons and are looked at
_MOSTLY = 0.9  # share of repeated values in one class, or of persons with one value in all records
_CHANCE = np.log(1e-6)
_LOOKED_AT = 5_000  # repeated values of a column that are looked at, about
_APART = 1.1  # combinations over values, from which neither of two columns says the other
_FEWEST = 20  # persons, with whom a column repeats
_CODES = frozenset({"record identifier", "identifier by distinctness"})
# Texts without a digit, of several words or of other letters than ASCII's: unlike nearly all pseudonyms.
_NO_WORDS = re.compile(r"[\d_/#@]")
_WORDS = re.compile(r"\w[ ,]|[^\W\d_a-zA-Z]")


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

    @property
    def smallest(self) -> int:
        """Return the persons of the smallest class."""
        return int(self.persons_of_class.min())

    def below(self, k: int, classes: EquivalenceClasses) -> tuple[int, int]:
        """Return the classes of at least `k` records with fewer than `k` persons, and their records."""
        small = (self.persons_of_class < k) & (classes.class_sizes >= k)
        return int(np.count_nonzero(small)), int(classes.class_sizes[small].sum())


def hidden_persons(
    dataset: Dataset,
    quasi: Sequence[CodedColumn],
    classes: EquivalenceClasses,
    settings: RiskSettings,
    *,
    suggestions: Sequence[RoleSuggestion],
) -> HiddenPersons | None:
    """Return the column that says whose record it is, None where a person column is chosen or none seems to.

    It is named so, or the records with one of its values are nearly always in one class, or alike in more
    than half of the quasi-identifiers (`quasi`), two of which say nothing of each other: as a person has one
    sex and region at every age. The chance of either is below 1 in 10⁶. A column that has exactly one value
    in every class and no name of an identifier is a label of the classes rather than a person, and passed
    over.
    """
    if settings.person is not None or not classes.n_classes:
        return None
    left_out = dataset.table.select(list(settings.leave_out))
    candidates = [*suggestions, *(suggest_roles(left_out) if settings.leave_out else ())]
    candidates = [each for each in candidates if 1 < each.n_distinct < each.n_nonblank]
    order = {Role.DIRECT_IDENTIFIER: 0, Role.QUASI_IDENTIFIER: 2}
    candidates.sort(key=lambda each: (order.get(each.role, 1), -each.n_distinct))
    for each in candidates[:_MOST_COLUMNS]:
        person = coded_column(dataset.table, each.column).codes
        is_steady = in_one_class(classes.class_of_record, person, n_tests=len(candidates)) or (
            not is_trait(each) and _is_steady_in_most(quasi, classes, person, n_tests=len(candidates))
        )
        if not is_steady and not says_whose(each):
            continue
        persons = persons_per_class(classes.class_of_record, person, n_classes=classes.n_classes)
        named = each.role is Role.DIRECT_IDENTIFIER
        if named or (persons > 1).any():
            return HiddenPersons(
                column=each.column,
                is_steady=is_steady,
                looks_like_identifier=named,
                persons_of_class=persons,
            )
    return None


def in_one_class(class_of_record: IntArray, person: IntArray, *, n_tests: int) -> bool:
    """Return whether nearly all values that repeat stay in one class, beyond chance; -1 is none of either."""
    known = (class_of_record >= 0) & (person >= 0)
    n_classes = int(class_of_record.max(initial=-1)) + 1
    share = np.bincount(class_of_record[known], minlength=n_classes) / max(int(np.count_nonzero(known)), 1)
    if (step := int(person.max(initial=-1)) // _LOOKED_AT) > 1:
        known &= person % step == 0
    of_class, of_person = class_of_record[known], person[known]
    n_persons = int(of_person.max(initial=-1)) + 1
    n_of_person = np.bincount(of_person, minlength=n_persons)
    first = np.full(n_persons, n_classes, dtype=np.int64)
    last = np.full(n_persons, -1, dtype=np.int64)
    np.minimum.at(first, of_person, of_class)
    np.maximum.at(last, of_person, of_class)
    repeated = n_of_person > 1
    steady = repeated & (first == last)
    n_repeated, n_steady = int(np.count_nonzero(repeated)), int(np.count_nonzero(steady))
    if not n_steady or n_steady < _MOSTLY * n_repeated:
        return False
    chance = float(((n_of_person[steady] - 1) * np.log(share[first[steady]])).sum())
    return chance + np.log(n_tests) < _CHANCE


def _is_steady_in_most(
    quasi: Sequence[CodedColumn], classes: EquivalenceClasses, person: IntArray, *, n_tests: int
) -> bool:
    """Return whether values are steady in most quasi-identifiers together, of which two are independent."""
    assessed = classes.class_of_record >= 0
    codes = [np.where(assessed, column.codes_with_missing, -1) for column in quasi]
    steady = [each for each in codes if in_one_class(each, person, n_tests=n_tests)]
    if not len(codes) / 2 < len(steady) < len(codes):
        return False
    known = [each[assessed] for each in steady]
    n_values = [len(np.unique(each)) for each in known]
    for one, other in combinations(range(len(known)), 2):
        both = len(np.unique(combined_codes([known[one], known[other]], n_records=len(known[0]))))
        if both > _APART * max(n_values[one], n_values[other]):
            return True
    return False


def once_per_person(
    dataset: Dataset, suggestions: Sequence[RoleSuggestion], person: IntArray
) -> tuple[tuple[RoleSuggestion, ...], tuple[str, ...]]:
    """Return what columns look like with a record of each person, and which hold codes of persons.

    A person's number in several records is no category of few values: a column in which nearly all persons
    have one value is looked at with a record of each. Codes and texts that then nearly all differ, each one
    person's, repeat with the person. `person` has shape (n_records,), -1 for nobody's.
    """
    known = np.flatnonzero(person >= 0)
    persons, first = np.unique(person[known], return_index=True)
    if len(persons) < _FEWEST or len(known) < (1 + 1 - _MOSTLY) * len(persons):
        return tuple(suggestions), ()
    alike = [each for each in suggestions if _is_alike(dataset, each, person)]
    table = dataset.table.select([each.column for each in alike]).take(pa.array(known[first]))
    looks = {each.column: each for each in suggest_roles(table)} if alike else {}
    found = {
        column: each
        for column, each in looks.items()
        if each.role is Role.DIRECT_IDENTIFIER or (each.distinct_share or 0) >= _MOSTLY
    }
    codes = tuple(
        column
        for column, each in found.items()
        if each.kind in _CODES and (each.distinct_share or 0) >= _MOSTLY and each.n_distinct >= _FEWEST
    )
    return tuple(found.get(each.column, each) for each in suggestions), codes


def _is_alike(dataset: Dataset, suggestion: RoleSuggestion, person: IntArray) -> bool:
    """Return whether a column repeats, and nearly all persons have one value of it in all their records."""
    if suggestion.counts_rows or not _FEWEST <= suggestion.n_distinct < suggestion.n_nonblank:
        return False
    codes = coded_column(dataset.table, suggestion.column).codes
    known = (person >= 0) & (codes >= 0)
    pairs = combined_codes([person[known], codes[known]], n_records=int(np.count_nonzero(known)))
    n_persons = len(np.unique(person[known]))
    return len(np.unique(pairs)) <= (1 + 1 - _MOSTLY) * n_persons


def names_of_persons(dataset: Dataset, columns: Sequence[str]) -> tuple[RoleSuggestion, ...]:
    """Return the columns of persons and households whose values are names or numbers of people, or may be."""
    found: list[RoleSuggestion] = []
    for column in columns:
        values = coded_column(dataset.table, column).values
        (each,) = suggest_roles(pa.table({column: values}))
        texts = [value.strip() for value in values.slice(0, 500).to_pylist()]
        words = [not _NO_WORDS.search(one) and _WORDS.search(one) is not None for one in texts]
        if each.kind in ("", "identifier by distinctness", "free text") and sum(words) >= max(
            _MOSTLY * len(words), 1
        ):
            each = replace(each, kind=PERHAPS_NAMES)
        if each.kind == PERHAPS_NAMES or each.column in columns_of_people([each]):
            found.append(each)
    return tuple(found)


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
