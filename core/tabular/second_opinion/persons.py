"""Who is behind a class of records: persons counted once, and whether all of them share a sensitive value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from core.chance import poisson_tail
from core.classes import EquivalenceClasses
from core.coding import CodedColumn, CodedTable, IntArray, sorted_distinct, value_codes
from core.people.roles import PERSON_KINDS, Role, RoleSuggestion, suggest_roles
from core.tabular.second_opinion.pair import LoggedTables
from core.tabular.settings import SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import Value, counted, number, share_of, text

_PERSON_MEANING = re.compile(r"(?<![a-z])(?:id|mrn|ssn|e-?mail|passport)(?![a-z])")
_NO_PERSON = re.compile(
    r"doctor|physician|provider|hospital|ward|site|clinic|visit|encounter|order|device|staff|nurse|teacher|"
    r"school|record|row|name|phone|address|병원|의사|zdravnik|bolni",
    re.IGNORECASE,
)
_FEWEST_REPEATS = 0.02  # share of records that have to be repeats, fewer are double entries
_FEWEST_PERSONS = 0.02  # per record, of a column of which nobody says that it means persons
_FEWEST_NAMELESS = 10
_FEWEST_VALUES, _MOST_VALUES = 2, 0.2  # of a sensitive attribute; the latter per record
_NO_CHANCE, _HARDLY_CHANCE = 1e-4, 1e-2


@dataclass(frozen=True, kw_only=True, eq=False)
class Persons:
    """Which records are of one person."""

    column: str  # the identifier that repeats, and whether it is one of the original table
    is_original: bool
    # shape (n_anonymized_records,): a number for each person; records without one are persons of their own
    codes: IntArray = field(repr=False)

    @property
    def n_persons(self) -> int:
        """Return the number of persons."""
        return int(self.codes.max(initial=-1)) + 1


def find_persons(tables: LoggedTables, suggestions: Sequence[RoleSuggestion]) -> Persons | None:
    """Return the identifier by which persons have several records, None where each has one.

    An identifier is a column that is called one or logged as one, or any that was pseudonymized and tells
    no fewer than one person in fifty records apart; names repeat by chance and are none. Of several, the
    one with the fewest persons, unless nothing says that they are persons.
    """
    sure, unsure = [], []
    for column, is_original, meant in _identifiers(tables, suggestions):
        codes = _person_codes(tables.written["original" if is_original else "anonymized"][column])
        found = Persons(column=column, is_original=is_original, codes=codes)
        if meant:
            sure.append(found)
        elif found.n_persons >= max(_FEWEST_NAMELESS, _FEWEST_PERSONS * len(codes)):
            unsure.append(found)
    repeating = [one for one in sure if one.n_persons <= (1 - _FEWEST_REPEATS) * len(one.codes)]
    if repeating:
        return min(repeating, key=lambda one: one.n_persons)
    finest = max(unsure, key=lambda one: one.n_persons, default=None)
    if sure or finest is None or finest.n_persons > (1 - _FEWEST_REPEATS) * len(finest.codes):
        return None
    return finest


def _identifiers(
    tables: LoggedTables, suggestions: Sequence[RoleSuggestion]
) -> Iterator[tuple[str, bool, bool]]:
    """Yield columns, whether they are the original's, and whether something says that they mean persons."""
    kinds = {one.column: one.kind for one in suggestions if one.role is Role.DIRECT_IDENTIFIER}
    pairs = {pair.pair.anonymized: pair.pair for pair in tables.coded}
    for name in tables.anonymized.column_names:
        pair = pairs.get(name)
        meaning = pair.semantic if pair else ""
        if _NO_PERSON.search(f"{name} {meaning}"):
            continue
        meant = kinds.get(name) in PERSON_KINDS or _means_persons(meaning)
        if meant or (pair is not None and pair.action == "pseudonymize"):
            yield name, False, meant
    if tables.in_order and tables.n_original == tables.n_anonymized:
        gone = [name for name in tables.original.column_names if not _NO_PERSON.search(name)]
        drawn = {pair.pair.original for pair in tables.coded if pair.pair.action == "pseudonymize"}
        there = frozenset(tables.anonymized.column_names)
        gone = [name for name in gone if name in drawn or name not in there]
        known = {one.column: one.kind for one in suggest_roles(tables.written["original"].select(gone))}
        for name in gone:
            if known[name] in PERSON_KINDS or _means_persons(tables.log.entry(name).semantic):
                yield name, True, True


def _means_persons(semantic: str) -> bool:
    return bool(_PERSON_MEANING.search(semantic.casefold()))


def _person_codes(column: CodedColumn) -> IntArray:
    """Return a number for each value from 0, every blank cell one of its own."""
    codes, blank = column.trimmed.codes.astype(np.int64), column.codes < 0
    if not blank.any():
        return codes
    codes[blank] = codes.max(initial=-1) + 1 + np.arange(np.count_nonzero(blank))
    return value_codes(pa.array(codes))


@dataclass(frozen=True, kw_only=True, eq=False)
class PersonsInClasses:
    """Persons per class."""

    column: str  # the identifier that persons are counted by
    is_original: bool
    n_persons: int  # persons in classes; one in two classes counts in each
    sizes: IntArray  # distinct numbers of persons per class, ascending, and the persons in classes of each
    persons: IntArray

    def n_persons_below(self, k: int) -> int:
        """Return the persons in classes of fewer than `k` persons."""
        return int(self.persons[self.sizes < k].sum())


def persons_in_classes(classes: EquivalenceClasses, persons: Persons) -> PersonsInClasses | None:
    """Count the persons of each class; None where no record is in a class."""
    per_class = persons_per_class(classes, persons)
    if not len(per_class):
        return None
    sizes, n_classes = np.unique(per_class, return_counts=True)
    return PersonsInClasses(
        column=persons.column,
        is_original=persons.is_original,
        n_persons=int(per_class.sum()),
        sizes=sizes,
        persons=sizes * n_classes,
    )


def persons_per_class(classes: EquivalenceClasses, persons: Persons | None) -> IntArray:
    """Return shape (n_classes,): distinct persons, or records where nobody has several."""
    if persons is None:
        return classes.class_sizes
    inside = classes.class_of_record >= 0
    pairs = sorted_distinct(
        classes.class_of_record[inside] * max(persons.n_persons, 1) + persons.codes[inside]
    )
    return np.bincount(pairs // max(persons.n_persons, 1), minlength=classes.n_classes)


@dataclass(frozen=True, kw_only=True)
class AlikeClasses:
    """Classes in which everybody has the same value of a sensitive attribute."""

    column: str  # the sensitive attribute
    n_alike: int  # such classes, and all classes of at least two
    n_classes: int
    n_by_chance: float  # such classes to be expected if the attribute had nothing to do with the classes
    n_records: int  # records in such classes


def alike_classes(
    table: CodedTable,
    classes: EquivalenceClasses,
    suggestions: Sequence[RoleSuggestion],
    persons: Persons | None,
) -> tuple[AlikeClasses, ...]:
    """Return for each column that looks sensitive the classes that share one value of it."""
    sizes = persons_per_class(classes, persons)
    most = _MOST_VALUES * table.table.num_rows
    return tuple(
        _alike(table[one.column], one.column, classes, sizes)
        for one in suggestions
        if one.role is Role.SENSITIVE_ATTRIBUTE
        and one.column not in classes.quasi_identifiers
        and _FEWEST_VALUES <= one.n_distinct <= most
    )


def _alike(column: CodedColumn, name: str, classes: EquivalenceClasses, sizes: IntArray) -> AlikeClasses:
    codes, blank = column.codes_with_missing, column.codes < 0
    inside = classes.class_of_record >= 0
    of_class, values = classes.class_of_record[inside], codes[inside]
    lowest = np.full(classes.n_classes, codes.max(initial=0) + 1, dtype=np.int64)
    highest = np.full(classes.n_classes, -1, dtype=np.int64)
    np.minimum.at(lowest, of_class, values)
    np.maximum.at(highest, of_class, values)
    filled = np.bincount(of_class, weights=blank[inside], minlength=classes.n_classes) == 0
    several = (sizes > 1) & filled
    alike = several & (lowest == highest)
    shares = np.bincount(values) / max(len(values), 1)
    distinct_sizes, n_of_size = np.unique(sizes[several], return_counts=True)
    by_chance = sum(
        float((shares**size).sum()) * n for size, n in zip(distinct_sizes, n_of_size, strict=True)
    )
    return AlikeClasses(
        column=name,
        n_alike=int(np.count_nonzero(alike)),
        n_classes=int(np.count_nonzero(several)),
        n_by_chance=float(by_chance),
        n_records=int(classes.class_sizes[alike].sum()),
    )


def judge_persons(
    found: PersonsInClasses, quasi_identifiers: Sequence[str], thresholds: SecondOpinionThresholds
) -> list[Finding]:
    """Return a finding where classes that look large enough are of fewer persons."""
    limit, n_below = thresholds.smallest_k, found.n_persons_below(thresholds.smallest_k)
    facts: dict[str, Value] = {
        "by": text(
            "the original column `{column}`" if found.is_original else "`{column}`", column=found.column
        ),
        "columns": listed(quasi_identifiers),
        "persons": counted(int(found.sizes[0]), "person"),
    }
    if not n_below:
        message = text(
            "Counted by {by}, of which values repeat, the smallest group over {columns} has {persons}; at "
            "least {limit} are asked for.",
            limit=limit,
            **facts,
        )
        return [Finding(check="smallest_class_of_persons", verdict=Verdict.PASS, message=message)]
    return [
        Finding.of("smallest_class_of_persons", Verdict.FAIL, column=found.column, n_affected=n_below)(
            "Counted by {by}, of which values repeat, the smallest group over {columns} has {persons}, fewer "
            "than {limit}: {below} persons are in groups that small, however many records they have.",
            limit=limit,
            below=share_of(n_below, found.n_persons),
            **facts,
        )
    ]


def judge_alike(
    alike: Sequence[AlikeClasses], quasi_identifiers: Sequence[str], *, gravest: Verdict = Verdict.FAIL
) -> list[Finding]:
    """Return a finding for each attribute that more classes share than chance explains."""
    found = []
    for one in alike:
        chance = float(poisson_tail(one.n_alike, one.n_by_chance)) if one.n_alike else 1.0
        if chance < _HARDLY_CHANCE:
            found.append(
                Finding.of(
                    "alike_inside",
                    gravest if chance < _NO_CHANCE else Verdict.WARN,
                    column=one.column,
                    n_affected=one.n_records,
                )(
                    "In {found} groups over {columns} everybody has the same `{column}`; chance would "
                    "explain {by_chance}. Who knows that a person is in such a group knows it of them.",
                    found=share_of(one.n_alike, one.n_classes),
                    columns=listed(quasi_identifiers),
                    by_chance=number(float(f"{one.n_by_chance:.2g}")),
                )
            )
    return found
