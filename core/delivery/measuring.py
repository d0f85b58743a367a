"""Measuring the tables of one delivery: each alone, and all of them read together."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedTable, IntArray, combination_codes
from core.counts import CellsMeasurement, Together
from core.declared import Declared, Originals, measure_declared
from core.delivery.attack import Attack
from core.delivery.cells import counts_of, tables_of_counts, with_other_counts
from core.delivery.groups import Groups, groups_of
from core.delivery.joined import Joined, ListFacts, column_codes, read_list
from core.delivery.keys import (
    RECORD,
    Keys,
    Link,
    Persons,
    Place,
    PlaceNames,
    find_keys,
    given_links,
    persons_or_records,
    table_names,
)
from core.delivery.lookups import INTO, Lookups, facts_among, keys_of_persons, with_lookups
from core.delivery.masks import Overlay, overlays
from core.delivery.met_values import Met, met_values
from core.delivery.one_value import OneValue, memberships, one_values
from core.delivery.owners import Whose, earlier_with_persons, with_persons
from core.delivery.pseudonyms import KeyFacts, key_facts
from core.delivery.refilled import Refilled, said_elsewhere
from core.delivery.same_order import SameOrder, same_orders
from core.delivery.sensitive import Intersection, JoinedSensitive, intersections, joined_sensitive
from core.delivery.settings import DeliverySettings
from core.delivery.totals import Residual, residuals
from core.errors import AuditInputError
from core.files.leftovers import Leftover, leftovers_of
from core.known import Known, events_of, known_one, n_below
from core.people.free_text import ModelName, TextColumn, measure_texts
from core.people.roles import Role, RoleSuggestion, columns_of_people, suggest_roles
from core.people.roles.vocabulary import name_tokens
from core.releases import EarlierTable, Ledger, ReleasedTable, ReleasesMeasurement, Roles, measure_releases
from core.sequences import Time, measure_time
from core.tables import Dataset
from core.values.cells import as_numbers
from core.values.doubtful_cells import about_doubtful_cells
from core.verdict import Finding

DAYS_OF_A_YEAR = 366
_FOUND = 0.5  # share of the values of a table's key from which it is that of others' places
_DIRECT = Role.DIRECT_IDENTIFIER
# Kinds of columns that number records or persons, and are nobody's name or number elsewhere.
_FEWEST_NAMED = 5  # persons whom a column of numbers names
NUMBERS = frozenset({"record identifier", "identifier by distinctness", "patient or person number"})


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFacts:
    """One table of the delivery."""

    name: str
    n_records: int
    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    key_columns: tuple[str, ...]  # that links join
    suggestions: tuple[RoleSuggestion, ...]
    person_column: Place | None = None  # None where nobody can be told
    whose: Whose | None = None  # … and how it says so
    n_persons: int = 0
    n_nobody: int = 0  # records that name no person
    n_only_here: int = 0  # persons in this table and in no other
    n_elsewhere: int = 0  # persons in other tables and not in this
    read_by: tuple[Place, ...] = ()  # of a lookup table: the columns through which it was read
    repeats: bool = False  # whether some person has several records
    lists: tuple[str, ...] = ()  # columns that hold lists in their cells
    texts: tuple[TextColumn, ...] = ()  # free text, and words in which somebody is named
    # Of tables that persons are not joined to: what the cells tell, where each record is a count of people …
    counts: CellsMeasurement | None = None
    # … and the fewest persons that share a value of the column that names each record once elsewhere
    n_sharing: int = 0
    # columns that name each person once beside the key, such as a list of pseudonyms and numbers
    listed: tuple[RoleSuggestion, ...] = ()
    time: Time = field(default_factory=Time)  # what dates and order tell, however they were shifted
    shifted: tuple[str, ...] = ()  # dates that are shifted as declared: known by intervals and order alone
    # shape (n_persons,): the smallest class of each person in it by its quasi-identifiers, in persons; empty
    # where nobody can be told
    smallest: IntArray
    n_alike: IntArray | None = None  # how many persons each is of, where alike ones are counted together

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Return the columns that seem to be sensitive attributes."""
        return tuple(each.column for each in self.suggestions if each.role is Role.SENSITIVE_ATTRIBUTE)

    @property
    def released(self) -> tuple[str, ...]:
        """Return the columns that are no keys, nor numbers of records, nor free text."""
        texts = [each.column for each in self.texts if each.is_text]
        return tuple(
            column for column in self.columns if column not in {*self.key_columns, *self.numbers, *texts}
        )

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the columns that look like numbers of records or persons, lists apart."""
        return tuple(
            each.column
            for each in self.suggestions
            if each.kind in NUMBERS and each.role is _DIRECT and each.column not in self.lists
        )

    def n_below(self, k: int) -> int:
        """Return the persons whom one of their records puts in a class of fewer than `k` persons."""
        return n_below(self.smallest, k, self.n_alike)


@dataclass(frozen=True, kw_only=True, eq=False)
class DeliveryMeasurement:
    """Everything measured of the tables; thresholds are held against it without measuring again."""

    settings: DeliverySettings
    tables: tuple[TableFacts, ...]
    links: tuple[Link, ...]
    n_persons: int | None  # in all tables together; None where no key joins any
    # what demographics and 0, 1, 2, 3 and all records find; empty where nobody can be told
    known: tuple[Known, ...] = ()
    # the same of records alone, without demographics: k^m-anonymity for m of 1, 2 and 3
    records_alone: tuple[Known, ...] = ()
    attacks: tuple[Attack, ...] = ()  # the facts that find most, by how many they are
    # of the fewest facts that find half of the persons, those that do
    finding_half: tuple[Attack, ...] = ()
    # what one record finds when every released column but keys is known, those of persons too
    everything_known: Known | None = None
    unchosen: tuple[Place, ...] = ()  # the released columns that are neither keys nor quasi-identifiers
    # columns of which all alike have one value, and tables in which all alike are
    one_values: tuple[OneValue, ...] = ()
    # what classes of persons give away of each sensitive column, by their own columns, and by a record too
    sensitive: tuple[JoinedSensitive, ...] = ()
    lists: tuple[ListFacts, ...] = ()  # what parts of lists find
    keys: tuple[KeyFacts, ...] = ()  # pseudonyms that tell something
    groups: tuple[Groups, ...] = ()  # households, and what they find
    same_orders: tuple[SameOrder, ...] = ()  # tables that no key joins, and the order of their records does
    met: tuple[Met, ...] = ()  # … and values that stand once in both
    intersections: tuple[Intersection, ...] = ()  # … and what is sensitive of who is in both
    residuals: tuple[Residual, ...] = ()  # totals that tell what is missing of their groups
    refilled: tuple[Refilled, ...] = ()  # quasi-identifiers that other columns fill, or say more finely
    overlays: tuple[Overlay, ...] = ()  # masks of one number that show more together
    # what is joined to each other and to none of the persons
    apart: "tuple[DeliveryMeasurement, ...]" = ()
    counts_together: tuple[Together, ...] = ()  # what tables of counts tell together
    same_files: tuple[tuple[str, str], ...] = ()  # tables that were given twice; the second is passed over
    releases: ReleasesMeasurement | None = None  # what earlier releases tell beside it, where they were given
    leftovers: Mapping[str, tuple[Leftover, ...]] = field(
        default_factory=dict
    )  # beside tables, by their files
    codes_missing: tuple[Finding, ...] = ()  # codes that may have been taken for missing cells
    elsewhere: tuple[Finding, ...] = ()  # what was not looked at where an engine counted
    unanswered: tuple[str, ...] = ()  # why an engine did not answer to the end
    declared: Declared | None = None  # what it says beside its originals, where they were given

    @property
    def is_in_engine(self) -> bool:
        """Return whether an engine counted, and the records stayed there."""
        return bool(self.elsewhere)

    @property
    def texts(self) -> tuple[TextColumn, ...]:
        """Return the free text of all tables, each column named with its table."""
        return tuple(
            replace(each, column=str(Place(table.name, each.column)))
            for table in self.tables
            for each in table.texts
        )

    def known_by(self, n_events: int | None) -> Known:
        """Return what so many known records find, None for all."""
        return next(each for each in self.known if each.n_events == n_events)

    @property
    def whose(self) -> dict[str, Whose]:
        """Return where each table says whose its records are."""
        return {each.name: each.whose for each in self.tables if each.whose is not None}

    @cached_property
    def record_tables(self) -> tuple[TableFacts, ...]:
        """Return the tables in which persons have several records."""
        return tuple(table for table in self.tables if table.repeats)


def measure_delivery(
    datasets: Sequence[Dataset],
    settings: DeliverySettings | None = None,
    *,
    earlier: Sequence[EarlierTable | Ledger] = (),
    text_model: ModelName = "none",
    originals: Originals | None = None,
) -> DeliveryMeasurement:
    """Read the tables of one delivery together and measure what an intruder finds.

    Parameters
    ----------
    datasets
        The tables, two or more; missing keys name nobody, missing quasi-identifiers are a value of their own.
    settings
        Keys, roles and the size of samples.
    earlier
        Tables of earlier releases, or their ledgers.
    text_model
        An installed model that looks for names in free text too.
    originals
        What the tables were made of, and what is declared about it.

    Raises
    ------
    AuditInputError
        A setting names a table or column that is not there, or fewer than two tables hold records.
    """
    settings = settings or DeliverySettings()
    kept, same = _without_copies(datasets)
    tables = {name: CodedTable(table=each.table) for name, each in named_tables(kept).items()}
    declared = _declared(kept, originals)
    names = PlaceNames({name: table.table.column_names for name, table in tables.items()})
    left_out = {names.place(each, "--leave-out") for each in settings.leave_out}
    given = names.keys(settings.keys)
    released = _released(tables, left_out)
    keys = find_keys(released, given_links(tables, given), counts=tables_of_counts(tables))
    roles = _Roles(
        quasi={names.place(each, "--quasi-identifier") for each in settings.quasi_identifiers},
        sensitive={names.place(each, "--sensitive") for each in settings.sensitive},
        left_out=left_out,
        keys=keys,
        text_model=text_model,
        shifted=frozenset(names.place(each, "--rules") for each in (declared.shifted if declared else ())),
    )
    tables = {name: _with_new(table, keys.tables[name]) for name, table in tables.items()}
    person = None if settings.person is None else names.place(settings.person, "--person")
    measured = _measured(tables, keys.links, settings, roles, person=person)
    released = _released(tables, left_out)
    measured = replace(
        measured,
        same_files=same,
        declared=declared,
        met=met_values(released, measured.tables),
        intersections=intersections(released, [each for each in measured.tables if not each.read_by]),
        residuals=residuals(released, keys.links),
        leftovers=_leftovers(kept),
        codes_missing=tuple(_doubtful_cells(measured, kept)),
    )
    as_released = released_tables(measured, kept)
    measured, earlier = with_other_counts(measured, tables, as_released, earlier)
    if not earlier:
        return measured
    before = earlier_with_persons(earlier, as_released, measured.whose)
    return replace(measured, releases=measure_releases(as_released, before) if before else None)


def _declared(kept: Sequence[Dataset], originals: Originals | None) -> Declared | None:
    if originals is None or not originals.tables:
        return None
    return measure_declared(named_tables(kept), originals, files=[each.name for each in kept])


def _measured(
    tables: Mapping[str, CodedTable],
    links: Sequence[Link],
    settings: DeliverySettings,
    roles: "_Roles",
    *,
    person: Place | None,
) -> DeliveryMeasurement:
    """Measure what is joined to persons, then what else is joined, as a delivery of its own."""
    columns, read = roles.read(tables)
    told = facts_among(tables, links, read)
    tables, persons = persons_or_records(tables, links, person=person, facts=told)
    measured = DeliveryMeasurement(settings=settings, tables=(), links=tuple(links), n_persons=None)
    if persons is None:
        facts = [
            _table_facts(name, tables[name], read[name], roles, keys=_linked(name, links)) for name in read
        ]
        return replace(measured, tables=tuple(facts), same_orders=same_orders(tables, facts))
    lookups = with_lookups(tables, links, persons.of_record, columns)
    tables = lookups.tables
    roles = roles.with_lookups(lookups)
    facts = []
    for name, table in tables.items():
        if name in persons.of_record:
            keys = keys_of_persons(name, tables, links, persons, told)
            suggested = [*read[name], *_led_to(name, tables, lookups, roles.sensitive)]
            found = _table_facts(name, table, suggested, roles, keys=keys, persons=persons)
            found = _with_persons(found, table, persons)
            facts.append(replace(found, whose=_whose(name, persons, roles.keys)))
        else:
            found = _table_facts(name, table, read[name], roles, keys=_linked(name, links))
            sharing, reading = _n_sharing(found, tables, persons), lookups.referring.get(name, ())
            facts.append(replace(found, n_sharing=sharing, read_by=reading))
    measured = _read_together(replace(measured, tables=tuple(facts)), tables, persons)
    rest = {
        name: table for name, table in tables.items() if name not in {*persons.of_record, *lookups.referring}
    }
    theirs = _links_apart(rest, tables, links, persons)
    if not theirs:
        return measured
    apart = _measured(rest, theirs, settings, roles, person=None)
    by_name = {each.name: each for each in apart.tables}
    return replace(measured, tables=tuple(by_name.get(each.name, each) for each in facts), apart=(apart,))


def _links_apart(
    rest: Collection[str], tables: Mapping[str, CodedTable], links: Sequence[Link], persons: Persons
) -> list[Link]:
    """Return the links of other tables: what persons' own tables name too is no person, such as a ward."""
    known = {name_tokens(column) for name in persons.of_record for column in tables[name].table.column_names}
    return [
        link
        for link in links
        if {place.table for place in link.places} <= {*rest}
        and known.isdisjoint(name_tokens(place.column) for place in link.places)
    ]


def _linked(name: str, links: Sequence[Link]) -> set[str]:
    return {place.column for link in links for place in (link.one, link.other) if place.table == name}


def _led_to(
    name: str, tables: Mapping[str, CodedTable], lookups: Lookups, sensitive: Collection[Place]
) -> Iterator[RoleSuggestion]:
    """Yield what columns of lookup tables are by their own names, where they say more than the key alone."""
    for place, origin in lookups.columns.items():
        if place.table != name:
            continue
        cells = tables[name].table[place.column]
        (found,) = as_chosen(origin.table, suggest_roles(pa.table({origin.column: cells})), sensitive)
        if says_more(found, tables[name][place.column.partition(INTO)[0]].trimmed.n_distinct):
            yield replace(found, column=place.column)


def says_more(led_to: RoleSuggestion, n_keys: int) -> bool:
    """Return whether a column of a lookup table says more than the key of so many values that leads to it."""
    is_known = led_to.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE)
    return is_known or (led_to.role is Role.OTHER and led_to.n_distinct < n_keys)


def _n_sharing(facts: TableFacts, tables: Mapping[str, CodedTable], persons: Persons) -> int:
    """Return the fewest persons that share a value of the table's own key where it stands in their tables."""
    most = 0
    for column in facts.columns:
        mine = tables[facts.name][column].trimmed
        if mine.n_distinct < 2 or mine.n_distinct != mine.n_filled:
            continue
        for name, person in persons.of_record.items():
            for other in tables[name].table.column_names:
                theirs = tables[name][other].trimmed if name_tokens(other) == name_tokens(column) else mine
                if theirs is mine or pc.mean(pc.is_in(mine.values, value_set=theirs.values)).as_py() < _FOUND:
                    continue
                known = (person >= 0) & (theirs.codes >= 0)
                events = events_of(
                    np.zeros(persons.n_persons, dtype=np.int64),
                    person[known],
                    theirs.codes[known].astype(np.int64),
                )
                most = max(most, int(np.bincount(events.event).min()))
    return most


def _with_new(table: CodedTable, combined: CodedTable) -> CodedTable:
    """Return a table with the columns that were combined of others."""
    new = [column for column in combined.table.column_names if column not in table.table.column_names]
    made = table.table
    for column in new:
        made = made.append_column(column, combined.table[column])
    return replace(table, table=made) if new else table


def released_tables(measured: DeliveryMeasurement, datasets: Sequence[Dataset]) -> list[ReleasedTable]:
    """Return the tables with their columns' roles, as releases are compared; copies are left out."""
    kept, _ = _without_copies(datasets)
    return [_released_table(facts, named_tables(kept), measured.whose) for facts in measured.tables]


def _released_table(
    facts: TableFacts, tables: Mapping[str, Dataset], whose: Mapping[str, Whose]
) -> ReleasedTable:
    dataset = with_persons(facts.name, tables, whose)
    roles = Roles(
        quasi_identifiers=facts.quasi_identifiers,
        sensitive=facts.sensitive,
        person=None if facts.whose is None else facts.whose.column,
    )
    return ReleasedTable(name=facts.name, dataset=dataset, roles=roles.common(dataset.columns))


def _whose(name: str, persons: Persons, keys: Keys) -> Whose:
    """Return where a table says whose its records are."""
    if name not in persons.through:
        place = persons.columns[name]
        return Whose(column=place.column, key=keys.parts_of(place))
    here, there, is_folded = persons.through[name]
    key = keys.parts_of(here)
    return Whose(
        column=f"{' + '.join(key)} > {_whose(there.table, persons, keys).column}",
        key=key,
        there=there.table,
        there_key=keys.parts_of(there),
        is_folded=is_folded,
    )


def _read_together(
    measured: DeliveryMeasurement,
    tables: Mapping[str, CodedTable],
    persons: Persons,
) -> DeliveryMeasurement:
    settings, facts = measured.settings, measured.tables
    mine = [each for each in facts if each.name in persons.of_record]
    joined = Joined(tables, {each.name: each.quasi_identifiers for each in mine}, mine, persons)
    released = {
        each.name: [one for one in each.released if one not in each.shifted or one in each.quasi_identifiers]
        for each in mine
    }
    everything = Joined(tables, released, mine, persons)
    attacks = joined.attacks()
    return replace(
        measured,
        n_persons=persons.n_persons,
        known=joined.known(settings),
        records_alone=joined.records_alone(settings),
        attacks=attacks.best,
        finding_half=attacks.finding_half,
        everything_known=everything.one_known(),
        one_values=_one_values(tables, mine, persons, joined),
        sensitive=_sensitive(tables, mine, persons, joined),
        lists=joined.lists(settings),
        keys=key_facts(
            tables,
            {each.name: each.key_columns for each in mine},
            {each.name: each.numbers for each in facts},
        ),
        groups=groups_of(tables, {each.name: each.columns for each in mine}, persons, joined.demographics),
        same_orders=same_orders(tables, facts),
        overlays=overlays(tables, persons),
        refilled=said_elsewhere(tables, {each.name: each.quasi_identifiers for each in mine}, persons),
        unchosen=tuple(
            Place(each.name, column)
            for each in mine
            for column in released[each.name]
            if column not in each.quasi_identifiers
        ),
    )


def _one_values(
    tables: Mapping[str, CodedTable], facts: Sequence[TableFacts], persons: Persons, joined: Joined
) -> tuple[OneValue, ...]:
    """Return what all alike have, where nothing more is known, and of sensitive columns by one record too."""
    unknown = {
        each.name: [
            one for one in each.released if one not in (*each.quasi_identifiers, *each.lists, *each.shifted)
        ]
        for each in facts
    }
    found = one_values(tables, unknown, persons, joined.classes())
    told = {each.place for each in found if each.beyond_chance}
    sensitive = {
        each.name: [
            one for one in unknown[each.name] if one in each.sensitive and Place(each.name, one) not in told
        ]
        for each in facts
    }
    in_tables = {each.name: joined.classes_without(each.name) for each in facts}
    partial = [each.name for each in facts if not persons.in_table(each.name).all()]
    by_whole = {each.name: joined.classes_without(each.name, *partial) for each in facts}
    return (
        *found,
        *one_values(tables, sensitive, persons, joined.classes_by_record()),
        *memberships(persons, in_tables, by_whole),
    )


def _sensitive(
    tables: Mapping[str, CodedTable], facts: Sequence[TableFacts], persons: Persons, joined: Joined
) -> tuple[JoinedSensitive, ...]:
    """Return what classes give away of sensitive columns, where nothing more is known, and by one record."""
    columns = {
        each.name: [
            one
            for one in each.sensitive
            if one in each.released and one not in (*each.quasi_identifiers, *each.lists)
        ]
        for each in facts
    }
    by_record = joined.classes_by_record()
    every = (joined.classes(), *([by_record] if len(by_record.person) else []))
    return tuple(found for one in every for found in joined_sensitive(tables, columns, persons, one))


class _Roles(NamedTuple):
    """The columns that were chosen."""

    quasi: set[Place]
    sensitive: set[Place]
    left_out: set[Place]
    keys: Keys  # columns that say who is meant only together
    text_model: ModelName
    shifted: frozenset[Place] = frozenset()

    def columns_of(self, name: str, table: CodedTable) -> tuple[str, ...]:
        """Return the columns of a table that are released; of those combined, the combination alone."""
        hidden = {*self.left_out, *self.keys.numbers}
        return tuple(each for each in table.table.column_names if Place(name, each) not in hidden)

    def read(
        self, tables: Mapping[str, CodedTable]
    ) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[RoleSuggestion, ...]]]:
        """Return the columns of each table that are released, and what they look like."""
        columns = {name: self.columns_of(name, table) for name, table in tables.items()}
        return columns, {
            name: as_chosen(name, suggest_roles(table.select(columns[name])), self.sensitive)
            for name, table in tables.items()
        }

    def with_lookups(self, lookups: Lookups) -> "_Roles":
        """Return the roles with those of the columns of lookup tables where they are led to."""
        led = lookups.columns.items()
        quasi, shifted = (
            {place for place, origin in led if origin in chosen} for chosen in (self.quasi, self.shifted)
        )
        return self._replace(quasi=self.quasi | quasi, shifted=self.shifted | shifted)


def _without_copies(datasets: Sequence[Dataset]) -> tuple[list[Dataset], tuple[tuple[str, str], ...]]:
    kept: dict[str, Dataset] = {}
    same = []
    for dataset in datasets:
        if dataset.fingerprint in kept:
            same.append((kept[dataset.fingerprint].name, dataset.name))
        else:
            kept[dataset.fingerprint] = dataset
    if len(kept) < 2:
        raise AuditInputError(
            "A data set is two tables or more; give all tables of the delivery, or use Disclosure risk for "
            "one."
        )
    return list(kept.values()), tuple(same)


def named_tables(datasets: Sequence[Dataset]) -> dict[str, Dataset]:
    """Return tables by what they are called: as their files, several of one workbook as their sheets too."""
    n_of = Counter((each.name, each.sha256) for each in datasets)
    files = []
    for each in datasets:
        stem, dot, ending = each.name.rpartition(".")
        is_alone = n_of[each.name, each.sha256] == 1 or not each.reading.options.sheet
        files.append(each.name if is_alone else f"{stem} {each.reading.options.sheet}{dot}{ending}")
    return dict(zip(table_names(files), datasets, strict=True))


def _doubtful_cells(measured: DeliveryMeasurement, kept: Sequence[Dataset]) -> Iterator[Finding]:
    datasets = dict(named_tables(kept))
    for table in measured.tables:
        dataset = datasets[table.name]
        own = {
            column: pc.unique(dataset.table[column]).drop_null()
            for column in table.quasi_identifiers
            if column in dataset.columns
        }
        for finding in about_doubtful_cells(dataset, own):
            yield finding.of_file(table.name)


def _leftovers(datasets: Sequence[Dataset]) -> dict[str, tuple[Leftover, ...]]:
    """Return what files hold beside the tables that were read of them."""
    files = {(each.name, each.sha256): each for each in reversed(datasets)}
    found = {}
    for (name, digest), first in files.items():
        read = {each.reading.options.sheet for each in datasets if each.sha256 == digest}
        beside = tuple(one for one in first.reading.beside if one.sheet not in read)
        found[name] = leftovers_of(replace(first, reading=replace(first.reading, beside=beside)))
    return {name: leftovers for name, leftovers in found.items() if leftovers}


def _released(tables: Mapping[str, CodedTable], left_out: set[Place]) -> dict[str, CodedTable]:
    return {
        name: table.select(
            [column for column in table.table.column_names if Place(name, column) not in left_out]
        )
        for name, table in tables.items()
    }


def _table_facts(
    name: str,
    table: CodedTable,
    suggestions: Sequence[RoleSuggestion],
    roles: _Roles,
    *,
    keys: Collection[str],
    persons: Persons | None = None,
) -> TableFacts:
    suggested = {each.column for each in suggestions}
    columns = tuple(column for column in table.table.column_names if column in suggested)
    linked = {*keys, *(place.column for place in roles.keys.numbers.values() if place.table == name)}
    repeats = persons is not None and persons.repeat_in(name)
    released = [column for column in columns if column not in linked]
    lists = tuple(column for column in released if read_list(table[column].trimmed) is not None)
    facts = TableFacts(
        name=name,
        n_records=table.table.num_rows,
        columns=columns,
        quasi_identifiers=(),
        key_columns=tuple(column for column in columns if column in linked),
        suggestions=tuple(suggestions),
        repeats=repeats,
        lists=lists,
        texts=measure_texts(
            table.select([each for each in released if INTO not in each]),
            skip=columns_of_people(suggestions),
            model=roles.text_model,
        ),
        smallest=np.zeros(0, dtype=np.int64),
    )
    shifted = tuple(each for each in released if Place(name, each) in roles.shifted)
    facts = replace(
        facts,
        quasi_identifiers=chosen_columns(
            facts,
            [each for each in released if each not in shifted or Place(name, each) in roles.quasi],
            roles.quasi,
            lambda name: _is_measured(table[name].values),
        ),
        shifted=shifted,
    )
    if persons is None:
        return replace(facts, counts=counts_of(facts, table.table))
    return replace(facts, columns=tuple(each for each in columns if not tells_no_more(each, facts)))


def tells_no_more(column: str, facts: TableFacts) -> bool:
    """Return whether a column is led to by a key that is known itself, and nobody knows it by itself."""
    if INTO not in column or column.partition(INTO)[0] not in facts.quasi_identifiers:
        return False
    role = next(each.role for each in facts.suggestions if each.column == column)
    return role is not Role.QUASI_IDENTIFIER and column not in facts.quasi_identifiers


def as_chosen(
    name: str, suggestions: Sequence[RoleSuggestion], sensitive: Collection[Place]
) -> tuple[RoleSuggestion, ...]:
    """Return what a table's columns look like, those chosen as sensitive ones."""
    return tuple(
        replace(each, role=Role.SENSITIVE_ATTRIBUTE) if Place(name, each.column) in sensitive else each
        for each in suggestions
    )


def chosen_columns(
    facts: TableFacts, released: Sequence[str], chosen: set[Place], is_measured: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the columns chosen; else those that look like it, and of records and lists all to be known.

    Whoever saw a person on a day or at a place knows what a record says of it, but no measured number.
    """
    if chosen:
        return tuple(column for column in released if Place(facts.name, column) in chosen)
    role = {each.column: each.role for each in facts.suggestions}
    no_number = {
        each.column for each in facts.suggestions if each.kind in NUMBERS and each.column in facts.lists
    }
    return tuple(
        column
        for column in released
        if role[column] is Role.QUASI_IDENTIFIER
        or column in no_number
        or (
            role[column] is Role.OTHER
            and INTO not in column
            and (facts.repeats or column in facts.lists)
            and not is_measured(column)
        )
    )


def _is_measured(values: pa.Array) -> bool:
    """Return whether values are numbers with decimals, or more different ones than days of a year."""
    numbers = as_numbers(values)
    return numbers is not None and (len(values) > DAYS_OF_A_YEAR or bool((numbers % 1 != 0).any()))


def _with_persons(facts: TableFacts, table: CodedTable, persons: Persons) -> TableFacts:
    person = persons.of_record[facts.name]
    here = persons.in_table(facts.name) > 0
    elsewhere = np.zeros(persons.n_persons, dtype=bool)
    for other in persons.of_record:
        if other != facts.name:
            elsewhere |= persons.in_table(other) > 0
    at_once = [column for column in facts.quasi_identifiers if column not in facts.lists]
    is_numbered = persons.columns[facts.name].column == RECORD
    listed = [] if facts.repeats or is_numbered else beside_the_key(facts, int(np.count_nonzero(here)))
    numbers = [column for column in facts.columns if column in {*facts.key_columns, *facts.numbers}]
    return replace(
        facts,
        person_column=persons.columns[facts.name],
        n_persons=int(np.count_nonzero(here)),
        n_nobody=int(np.count_nonzero(person < 0)),
        n_only_here=int(np.count_nonzero(here & ~elsewhere)),
        n_elsewhere=int(np.count_nonzero(elsewhere & ~here)),
        smallest=_smallest(table, at_once, person, persons.n_persons)[here],
        listed=tuple(listed),
        time=measure_time(table, facts.released, numbers, person),
    )


def beside_the_key(facts: TableFacts, n_persons: int) -> list[RoleSuggestion]:
    """Return the columns of numbers, no keys, that name each person of a table once, or some of them."""
    return [
        each
        for each in facts.suggestions
        if each.column in facts.numbers
        and each.column not in facts.key_columns
        and n_persons > 1
        and each.n_distinct >= min(n_persons, max(each.n_nonblank, _FEWEST_NAMED))
    ]


def _smallest(table: CodedTable, quasi: Sequence[str], person: IntArray, n_persons: int) -> IntArray:
    """Return shape (n_persons,): the smallest class, counted in persons, that a record of theirs is in."""
    known = person >= 0
    codes = combination_codes([column_codes(table[column]) for column in quasi], n_records=len(person))[known]
    everybody = np.zeros(n_persons, dtype=np.int64)
    return known_one(events_of(everybody, person[known], codes)).smallest
