"""Measuring a table's disclosure risk: everything that does not depend on thresholds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from core.classes import CountedClasses, EquivalenceClasses, Pairs, spread
from core.coding import CodedColumn, CodedTable, IntArray, coded_column, coded_columns
from core.counts import looks_like_counts
from core.errors import AuditInputError, UnansweredError, refuse
from core.files.leftovers import Leftover, leftovers_of
from core.people.free_text import ModelName, TextColumn, measure_texts
from core.people.roles import Role, RoleSuggestion, columns_of_people, suggest_roles
from core.releases import EarlierTable, Ledger, ReleasedTable, ReleasesMeasurement, Roles, measure_releases
from core.risk.alike import YesTogether, yes_together
from core.risk.columns import UnchosenColumns, groups_without, measure_unchosen
from core.risk.comparison import Comparison, Linkage, compare_with_original, link_records
from core.risk.further_columns import FurtherColumns, measure_further
from core.risk.people import (
    HiddenPersons,
    HouseholdRisk,
    SizeCounts,
    hidden_persons,
    household_risk,
    names_of_persons,
    once_per_person,
    persons_by_all_records,
)
from core.risk.population import PopulationUniques, population_uniques
from core.risk.population_estimates import (
    IndividualRisk,
    PopulationRisk,
    individual_risk,
    risk_by_population_size,
    risk_by_population_table,
)
from core.risk.records import (
    RecordEntry,
    class_values,
    classes_over,
    enter_records,
    first_records,
    repeated_persons,
    sampling_weights,
)
from core.risk.sensitive import (
    Related,
    SensitiveMeasurement,
    measure_sensitive,
    related_attributes,
    sensitive_items,
)
from core.risk.settings import Hierarchy, RiskSettings, check_settings
from core.risk.told import Told, measure_told
from core.sequences import Time, measure_time, orders_beside
from core.tables import Dataset
from core.values.dates import read_days
from core.values.doubtful_cells import about_doubtful_cells
from core.verdict import Finding
from core.words import Text, counted, input_error, text

_ARE_DATES = 0.9  # share of the values of a column of dates that are days
_N_WORST = 50
_MOST_LISTED = 20_000_000  # classes whose sizes are listed for estimates of the population
_MOST_CELLS = 1_000_000  # classes × quasi-identifiers of which each is left out in turn; under half a second


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What matters about one quasi-identifier: distinct known values, missing cells."""

    column: str
    n_values: int
    n_missing: int


@dataclass(frozen=True, kw_only=True, eq=False)
class PersonFacts:
    """Whose records they are."""

    n_persons: int  # distinct persons among the assessed records
    n_unknown: int  # assessed records that name no person
    # distinct sizes, ascending, of the smallest class each known person is in, and the persons
    smallest_size: IntArray
    n_by_size: IntArray

    def n_below(self, k: int) -> int:
        """Return the persons with a record in a class of fewer than `k` persons."""
        return int(self.n_by_size[self.smallest_size < k].sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskMeasurement:
    """Everything measured of a table; thresholds are held against it without measuring again."""

    name: str  # the table's name and columns
    columns: tuple[str, ...]
    settings: RiskSettings  # what was chosen
    entry: RecordEntry  # which records are assessed
    # over the quasi-identifiers; sizes are records, or persons where a person column is given
    classes: EquivalenceClasses
    quasi_identifiers: tuple[ColumnFacts, ...]  # facts about each
    sensitive: tuple[SensitiveMeasurement, ...] = ()  # one for each sensitive attribute, in the order chosen
    persons: PersonFacts | None  # none without a person column
    # distinct class sizes, and records in classes of each, were one quasi-identifier left out; empty where
    # classes overlap, count persons, or are too many for that
    without: Mapping[str, tuple[IntArray, IntArray]] = field(default_factory=dict)
    unassigned: tuple[RoleSuggestion, ...] = ()  # what the columns look like that nothing was chosen for
    comparison: Comparison | None = None  # what anonymization cost, where an original was given
    population: PopulationRisk | None = None  # risk against the population, where its table or size was given
    # estimated population uniques, where only the population's size was given
    uniques: PopulationUniques | None = None
    individual: IndividualRisk | None = None  # risk by sampling weights, where a weight column was given
    # groups of values by sensitive attribute, as given
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    # what the released columns nobody chose single out together
    unchosen: UnchosenColumns = field(
        default_factory=lambda: UnchosenColumns(columns=(), n_records=0, n_unique=0)
    )
    # classes with each released column that nobody chose, and last with all of them where there are several
    further: tuple[FurtherColumns, ...] = ()
    sensitive_suggestions: tuple[RoleSuggestion, ...] = ()  # what the sensitive attributes look like
    related: tuple[Related, ...] = ()  # sensitive attributes that tell one another
    told: Told = field(default_factory=Told)  # what columns tell beside the classes, of the records of a file
    together: YesTogether | None = None  # sensitive attributes of yes and no, one of which whole classes have
    # A column that says whose record it is although records are counted, where there seems to be one
    hidden_persons: HiddenPersons | None = None
    repeating: tuple[str, ...] = ()  # columns that nobody chose whose values repeat with the person
    # persons by how many share with them the classes of all their records; None without a person column
    persons_by_all_records: SizeCounts | None = None
    time: Time = field(default_factory=Time)  # what dates and order tell, however they were shifted
    household: HouseholdRisk | None = None  # risk of households, where their column was given
    # a column that seems to count people, so that rows are cells; and whether some rows are totals
    looks_like_counts: tuple[str, bool] | None = None
    # records linked to the original by their numbers, where it was given and both have the same rows
    linkage: Linkage | None = None
    texts: tuple[TextColumn, ...] = ()  # released columns of free text, and others in which people are named
    leftovers: tuple[Leftover, ...] = ()  # what its file holds beside it
    releases: ReleasesMeasurement | None = None  # what earlier releases tell beside it, where they were given
    # what could not be assessed, or is counted another way, because the table stays where it is
    elsewhere: tuple[Finding, ...] = ()
    unanswered: tuple[str, ...] = ()  # why an engine did not answer to the end

    @property
    def unit(self) -> str:
        """Return what a class size counts: ``record`` or ``person``."""
        return "record" if self.persons is None else "person"

    def units(self, n: int) -> Text:
        """Return a class size in words: records or persons."""
        return counted(n, "record") if self.persons is None else counted(n, "person")

    @cached_property
    def average_risk(self) -> float | None:
        """Return the mean over the assessed records of 1 / class size; None of no record."""
        sizes, records = self.classes.size_histogram
        return float((records / sizes).sum() / records.sum()) if len(sizes) else None

    @cached_property
    def first_record_of_class(self) -> IntArray:
        """Return shape (n_classes,): the first record of each class."""
        return first_records(self.classes)

    @cached_property
    def worst_classes(self) -> IntArray:
        """Return up to 50 classes, the smallest first, then those with fewest sensitive values."""
        n_classes = self.classes.n_classes
        own = [each.distinct_l for each in self.sensitive if each.classes is self.classes]
        fewest = np.min(own, axis=0) if own else np.zeros(n_classes)
        return np.lexsort((np.arange(n_classes), fewest, self.classes.class_sizes))[:_N_WORST]

    def n_below_without(self, column: str, k: int) -> int | None:
        """Return the records in classes below `k`, were a quasi-identifier left out; None if not measured."""
        if column not in self.without:
            return None
        sizes, records = self.without[column]
        return int(records[sizes < k].sum())

    @property
    def highest_risk(self) -> float | None:
        """Return 1 / smallest class size; None of no record."""
        return 1 / self.classes.k if self.classes.k else None


def measure_risk(
    dataset: Dataset,
    *,
    settings: RiskSettings,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    original: Dataset | None = None,
    population: Dataset | None = None,
    text_model: ModelName = "none",
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> RiskMeasurement:
    """Measure a table's disclosure risk.

    Parameters
    ----------
    dataset
        The table to be released.
    settings
        Quasi-identifiers, sensitive attributes, how missing values count.
    hierarchies
        By sensitive attribute; t is then the hierarchical distance.
    original
        The table before anonymization, for what anonymization cost.
    population
        A table of everybody the records were drawn from; instead of `population_size`.
    text_model
        An installed model that looks for names in free text too.
    earlier
        Earlier releases of the table, or their ledgers.

    Raises
    ------
    AuditInputError
        Settings that name no or wrong columns, or contradict each other.
    """
    if settings.is_of_counts:
        raise AuditInputError("The rows are said to be cells of counts and no people; audit them as counts.")
    check_settings(settings, dataset.columns)
    _check_hierarchies(hierarchies or {}, settings)
    _check_shifted(dataset, settings)
    source = _Records(dataset, settings, hierarchies or {})
    measured = _measure_file(source, population)
    skip = columns_of_people((*measured.unassigned, *measured.sensitive_suggestions))
    skip |= {*settings.leave_out, *settings.direct_identifiers}
    measured = replace(
        measured,
        time=_time(dataset, CodedTable(table=dataset.table, columns=source.as_written), measured, original),
        texts=measure_texts(
            CodedTable(table=dataset.table, keeps=False, columns=source.as_written),
            skip=skip,
            model=text_model,
        ),
        leftovers=leftovers_of(dataset, original),
    )
    del source  # and the codes of the columns chosen, before those of other tables are made
    if earlier:
        releases = measure_releases([released_table(dataset, settings)], earlier)
        measured = replace(measured, releases=releases)
    if original is None:
        return measured
    return replace(
        measured,
        comparison=compare_with_original(dataset, original, measured.classes, settings),
        linkage=link_records(dataset, original, settings),
    )


def released_table(dataset: Dataset, settings: RiskSettings) -> ReleasedTable:
    """Return the table with its columns' roles, as releases are compared."""
    return ReleasedTable(name=dataset.name, dataset=dataset, roles=released_roles(settings))


def released_roles(settings: RiskSettings) -> Roles:
    """Return what columns are where releases are compared."""
    return Roles(
        quasi_identifiers=tuple(dict.fromkeys(settings.quasi_identifiers)),
        sensitive=settings.sensitive,
        person=settings.person,
    )


class Source(Protocol):
    """A table as a measurement asks it: the records of a file as arrays, or an engine that counts them.

    The questions are asked in this order, and of an engine that does not answer one no further.
    """

    name: str
    columns: tuple[str, ...]
    settings: RiskSettings

    def enter(self) -> tuple[RecordEntry, tuple[ColumnFacts, ...]]:
        """Return which records are assessed, and facts of each quasi-identifier."""

    def classes(self) -> EquivalenceClasses:
        """Return the classes of the assessed records over the quasi-identifiers."""

    def persons(self, classes: EquivalenceClasses) -> PersonFacts | None:
        """Return how many persons have each smallest class; None without a person column."""

    def sensitive(self, classes: EquivalenceClasses) -> tuple[SensitiveMeasurement, ...]:
        """Return what classes give away about each sensitive attribute."""

    def related(self, sensitive: Sequence[SensitiveMeasurement]) -> tuple[Related, ...]:
        """Return the sensitive attributes that tell one another."""

    def unassigned(self) -> tuple[RoleSuggestion, ...]:
        """Return what the columns look like that nothing was chosen for."""

    def unchosen(self) -> UnchosenColumns:
        """Return what the released columns nobody chose single out together."""

    def further(self, classes: EquivalenceClasses) -> tuple[FurtherColumns, ...]:
        """Return the classes with each further column, and with all of them."""


def measure_source(source: Source) -> RiskMeasurement:
    """Measure what a table shows by itself, wherever it is."""
    entry, facts = source.enter()
    classes = source.classes()
    measured = RiskMeasurement(
        name=source.name,
        columns=source.columns,
        settings=source.settings,
        entry=entry,
        classes=classes,
        quasi_identifiers=facts,
        persons=source.persons(classes),
    )
    population, uniques = _by_population_size(classes, source.settings)
    measured = replace(measured, population=population, uniques=uniques)
    try:
        measured = replace(measured, sensitive=source.sensitive(classes))
        measured = replace(measured, related=source.related(measured.sensitive))
        measured = replace(measured, unassigned=source.unassigned(), unchosen=source.unchosen())
        return replace(measured, further=source.further(classes))
    except UnansweredError as error:
        return replace(measured, unanswered=error.problems)


def _by_population_size(
    classes: EquivalenceClasses, settings: RiskSettings
) -> tuple[PopulationRisk | None, PopulationUniques | None]:
    """Return risk against a population of which the size is given, and estimated uniques; None of none."""
    size = settings.population_size
    if size is None or not classes.n_classes:
        return None, None
    if classes.n_classes > _MOST_LISTED:
        message = "There are {n} groups, too many to estimate the population from; leave its size out."
        raise input_error(message, n=classes.n_classes)
    sizes = classes.class_sizes
    if isinstance(classes, CountedClasses):
        sizes = np.repeat(classes.size_histogram[0], classes.classes_of_size)
    if settings.missing == "wildcard":  # sizes of classes that overlap say nothing of the population
        sizes = classes.records_of_class
    return risk_by_population_size(sizes, population_size=size), population_uniques(
        sizes, population_size=size
    )


class _Records:
    """The records of a file."""

    def __init__(
        self, dataset: Dataset, settings: RiskSettings, hierarchies: Mapping[str, Hierarchy]
    ) -> None:
        self.dataset, self.settings, self.hierarchies = dataset, settings, hierarchies
        self.name, self.columns = dataset.name, dataset.columns
        self.coded = coded_columns(dataset.table, _coded_names(settings))
        self.quasi = [self.coded[name] for name in dict.fromkeys(settings.quasi_identifiers)]
        self.person = self.coded[settings.person].codes if settings.person is not None else None
        self.entry = enter_records(self.quasi, settings, n_records=dataset.n_records)

    @property
    def as_written(self) -> dict[str, CodedColumn]:
        """Return the columns of which no cell was taken for a missing one here."""
        nulls = {name: self.dataset.table[name].null_count for name in self.coded}
        return {name: column for name, column in self.coded.items() if column.n_missing == nulls[name]}

    def enter(self) -> tuple[RecordEntry, tuple[ColumnFacts, ...]]:
        return self.entry, tuple(
            ColumnFacts(column=each.name, n_values=each.n_distinct, n_missing=each.n_missing)
            for each in self.quasi
        )

    def classes(self) -> EquivalenceClasses:
        return self._classes_over(self.quasi)

    def _classes_over(self, columns: Sequence[CodedColumn]) -> EquivalenceClasses:
        return classes_over(columns, self.entry, self.settings, person_of_record=self.person)

    def persons(self, classes: EquivalenceClasses) -> PersonFacts | None:
        return None if self.person is None else _person_facts(classes, self.person)

    def sensitive(self, classes: EquivalenceClasses) -> tuple[SensitiveMeasurement, ...]:
        return tuple(self._sensitive(name, classes) for name in dict.fromkeys(self.settings.sensitive))

    def _sensitive(self, name: str, classes: EquivalenceClasses) -> SensitiveMeasurement:
        column, settings, columns = self.coded[name], self.settings, self.quasi
        others = [other for other in settings.sensitive if other != name]
        if others and settings.several_sensitive == "others_added":
            names = dict.fromkeys((*settings.quasi_identifiers, *others))
            columns = [self.coded[each] for each in names]
            classes = self._classes_over(columns)
        counted = sensitive_items(
            column, classes, settings=settings, quasi_identifiers=columns, person_of_record=self.person
        )
        assessed = column.codes_with_missing[~self.entry.leave_out]
        return measure_sensitive(
            column,
            classes,
            counted,
            settings=settings,
            hierarchy=self.hierarchies.get(name),
            n_assessed=np.bincount(assessed, minlength=len(column.values) + 1),
        )

    def related(self, sensitive: Sequence[SensitiveMeasurement]) -> tuple[Related, ...]:
        return related_attributes(
            [self.coded[each.column] for each in sensitive],
            {each.column: each.folded for each in sensitive},
            assessed=~self.entry.leave_out,
        )

    @cached_property
    def _unassigned(self) -> tuple[RoleSuggestion, ...]:
        return _unassigned(self.dataset, self.settings)

    def unassigned(self) -> tuple[RoleSuggestion, ...]:
        return self._unassigned

    @property
    def _n_values(self) -> dict[str, int]:
        return {each.column: each.n_distinct for each in self._unassigned if not each.counts_rows}

    def unchosen(self) -> UnchosenColumns:
        return measure_unchosen(self.dataset, self.settings, n_values=self._n_values)

    def further(self, classes: EquivalenceClasses) -> tuple[FurtherColumns, ...]:
        return measure_further(
            self.dataset,
            self.quasi,
            self.entry,
            classes,
            self.settings,
            person=self.person,
            n_values=self._n_values,
        )


def _measure_file(source: _Records, population: Dataset | None) -> RiskMeasurement:
    """Measure what a table shows without its original, by its records too."""
    dataset, settings = source.dataset, source.settings
    chosen = (*settings.quasi_identifiers, *settings.sensitive)
    if population is not None and settings.population_size is not None:
        raise AuditInputError("Give a table of the population or its size, not both.")
    measured, person = measure_source(source), source.person
    classes = measured.classes
    if population is not None:
        measured = replace(measured, population=_against_table(dataset, classes, population, person=person))
    hidden = hidden_persons(dataset, source.quasi, classes, settings, suggestions=measured.unassigned)
    unassigned, repeating = _once_per_person(dataset, measured.unassigned, person, hidden)
    return replace(
        measured,
        without=_sizes_without(source.quasi, classes, settings) if person is None else {},
        individual=_individual(dataset, source.quasi, classes, settings),
        hierarchies=dict(source.hierarchies),
        sensitive_suggestions=_suggested(dataset, [each.column for each in measured.sensitive]),
        unassigned=unassigned,
        hidden_persons=hidden,
        repeating=repeating,
        told=measure_told(
            dataset,
            settings,
            source.entry,
            classes,
            coded=source.coded,
            quasi=source.quasi,
            sensitive=measured.sensitive,
            unassigned=() if hidden else unassigned,
            person=person,
        ),
        together=yes_together(
            [source.coded[each.column] for each in measured.sensitive],
            {each.column: each.folded for each in measured.sensitive},
            classes,
        ),
        persons_by_all_records=None if person is None else persons_by_all_records(classes, person),
        household=_households(dataset, classes, settings),
        looks_like_counts=looks_like_counts(dataset.table, settings.categories(dataset.columns)),
        elsewhere=tuple(about_doubtful_cells(dataset, {name: source.coded[name].values for name in chosen})),
    )


def _against_table(
    dataset: Dataset, classes: EquivalenceClasses, population: Dataset, *, person: IntArray | None
) -> PopulationRisk | None:
    """Return risk against a table of the population, a person counted once; None of no record."""
    if not classes.n_classes:
        return None
    leave_out = classes.class_of_record < 0
    if person is not None:
        leave_out = leave_out | repeated_persons(classes.class_of_record, person)
    names = classes.quasi_identifiers
    return risk_by_population_table(dataset.table, population.table, names, leave_out=leave_out)


def _time(dataset: Dataset, table: CodedTable, measured: RiskMeasurement, original: Dataset | None) -> Time:
    """Return what dates and order tell of a table; intervals only where it says whose each record is."""
    settings, hidden = measured.settings, measured.hidden_persons
    person = settings.person or (hidden.column if hidden else None)
    passed = {*settings.leave_out, *(each.column for each in measured.unassigned if each.counts_rows)}
    kept = [column for column in dataset.columns if column not in passed]
    numbers = [each.column for each in measured.unassigned if each.role is Role.DIRECT_IDENTIFIER]
    numbers = [
        column for column in kept if column in (*numbers, person) and column not in settings.quasi_identifiers
    ]
    columns = [column for column in kept if column not in numbers]
    time = measure_time(table, columns, numbers, person if person in kept else None)
    if original is None:
        return time
    beside = orders_beside(table.select(kept), CodedTable(table=original.table), numbers, name=original.name)
    return replace(time, orders=(*time.orders, *beside))


def _households(
    dataset: Dataset, classes: EquivalenceClasses, settings: RiskSettings
) -> HouseholdRisk | None:
    return None if settings.household is None else household_risk(dataset, classes, settings.household)


def _suggested(dataset: Dataset, columns: Sequence[str]) -> tuple[RoleSuggestion, ...]:
    return suggest_roles(dataset.table.select(columns)) if columns else ()


def _individual(
    dataset: Dataset, quasi: Sequence[CodedColumn], classes: EquivalenceClasses, settings: RiskSettings
) -> IndividualRisk | None:
    """Return the risk by weights; with wildcards a class has the weights of all that are compatible."""
    if settings.weight is None or not classes.n_classes:
        return None
    compatible = None
    if settings.missing == "wildcard":
        codes, missing = class_values(quasi, classes, settings)
        numbers = np.arange(classes.n_classes, dtype=np.int64)
        compatible = spread(Pairs(numbers, numbers, np.ones_like(numbers)), codes, missing)
    return individual_risk(classes, sampling_weights(dataset, settings.weight), compatible=compatible)


def _check_hierarchies(hierarchies: Mapping[str, Hierarchy], settings: RiskSettings) -> None:
    refuse(
        text(
            "There are groups of values for {column}, which is no sensitive attribute; choose it as one, or "
            "name the first column of the file as the sensitive attribute is named.",
            column=f"`{column}`",
        )
        for column in hierarchies
        if column not in settings.sensitive
    )


def _check_shifted(dataset: Dataset, settings: RiskSettings) -> None:
    """Refuse columns that are said to be shifted dates and hardly hold any."""
    days = {each: read_days(coded_column(dataset.table, each).trimmed.values) for each in settings.shifted}
    refuse(
        text("{column} holds no dates, so they cannot be shifted.", column=f"`{column}`")
        for column, found in days.items()
        if not len(found) or np.mean(~np.isnan(found)) < _ARE_DATES
    )


def suggested_settings(dataset: Dataset) -> RiskSettings:
    """Return settings with the roles that the columns' names and values suggest.

    Without any suggested quasi-identifier the settings have none, and measuring refuses them.
    """
    suggestions = {suggestion.column: suggestion.role for suggestion in suggest_roles(dataset.table)}
    return RiskSettings(
        quasi_identifiers=_with_role(dataset, suggestions, Role.QUASI_IDENTIFIER),
        sensitive=_with_role(dataset, suggestions, Role.SENSITIVE_ATTRIBUTE),
    )


def _with_role(dataset: Dataset, roles: Mapping[str, Role], role: Role) -> tuple[str, ...]:
    return tuple(column for column in dataset.columns if roles[column] is role)


def _coded_names(settings: RiskSettings) -> list[str]:
    person = [settings.person] if settings.person is not None else []
    return [*settings.quasi_identifiers, *settings.sensitive, *person]


def _sizes_without(
    quasi: Sequence[CodedColumn], classes: EquivalenceClasses, settings: RiskSettings
) -> dict[str, tuple[IntArray, IntArray]]:
    """Return sizes and the assessed records in classes of each, were one column left out of the classes."""
    if settings.missing == "wildcard" or not 0 < classes.n_classes * len(quasi) <= _MOST_CELLS:
        return {}
    codes = class_values(quasi, classes, settings)[0].astype(np.int64)
    found = {}
    for column, group in zip(quasi, groups_without(list(codes.T), n=len(codes)), strict=True):
        merged = np.bincount(group, weights=classes.class_sizes).astype(np.int64)
        sizes, n = np.unique(merged[merged > 0], return_counts=True)
        found[column.name] = sizes, sizes * n
    return found


def _person_facts(classes: EquivalenceClasses, person: IntArray) -> PersonFacts:
    assessed = classes.class_of_record >= 0
    known = assessed & (person >= 0)
    smallest = np.full(int(person.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(smallest, person[known], classes.size_of_record[known])
    sizes, n_by_size = np.unique(smallest[smallest < np.iinfo(np.int64).max], return_counts=True)
    return PersonFacts(
        n_persons=int(n_by_size.sum()),
        n_unknown=int(np.count_nonzero(assessed & (person < 0))),
        smallest_size=sizes,
        n_by_size=n_by_size,
    )


def _unassigned(dataset: Dataset, settings: RiskSettings) -> tuple[RoleSuggestion, ...]:
    """Return what columns look like that nothing was chosen for, or that say whose a record is by names."""
    named = {
        *settings.quasi_identifiers,
        *settings.sensitive,
        *settings.leave_out,
        settings.person,
        settings.weight,
        settings.household,
    }
    left = [column for column in dataset.columns if column not in named]
    found = suggest_roles(dataset.table.select(left)) if left else ()
    return (*found, *names_of_persons(dataset, [*filter(None, {settings.person, settings.household})]))


def _once_per_person(
    dataset: Dataset,
    unassigned: Sequence[RoleSuggestion],
    person: IntArray | None,
    hidden: HiddenPersons | None,
) -> tuple[tuple[RoleSuggestion, ...], tuple[str, ...]]:
    """Return what columns look like with a record of each person, and which repeat with the person."""
    own = None if hidden is None else hidden.column
    if own is not None:
        person = coded_column(dataset.table, own).codes
    if person is None:
        return tuple(unassigned), ()
    looks, repeating = once_per_person(dataset, unassigned, person)
    return looks, tuple(column for column in repeating if column != own)


def settings_for_other(settings: RiskSettings, columns: Sequence[str]) -> RiskSettings | None:
    """Return the settings for a second table, as far as it has the columns; None without quasi-identifier.

    Population and weights belong to the first table and are left out.
    """

    def there(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns)

    if not there(settings.quasi_identifiers):
        return None
    return replace(
        settings,
        quasi_identifiers=there(settings.quasi_identifiers),
        sensitive=there(settings.sensitive),
        leave_out=there(settings.leave_out),
        direct_identifiers=there(settings.direct_identifiers),
        other=there(settings.other),
        shifted=there(settings.shifted),
        person=settings.person if settings.person in columns else None,
        household=settings.household if settings.household in columns else None,
        weight=None,
        population_size=None,
    )
