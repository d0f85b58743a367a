"""The tables of one delivery, joined where they are: only counts of persons come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.delivery.classes_in_engine import JoinedClasses, Told, memberships_in_engine
from core.delivery.judging import DeliveryAudit, judge_delivery, not_counted
from core.delivery.keys import (
    Link,
    Place,
    PlaceNames,
    kind_of_persons,
    table_names,
    ways_to_persons,
)
from core.delivery.known_in_engine import Events, union
from core.delivery.lookups import INTO, OF_ONE
from core.delivery.measuring import (
    DAYS_OF_A_YEAR,
    DeliveryMeasurement,
    TableFacts,
    as_chosen,
    beside_the_key,
    chosen_columns,
    says_more,
    tells_no_more,
)
from core.delivery.settings import DeliverySettings, DeliveryThresholds
from core.engines import (
    SECRETS,
    Address,
    Engine,
    KeyColumn,
    Origin,
    beside,
    connected,
    is_groupable,
    key_columns,
    trimmed_text,
    unanswered_by,
)
from core.errors import AuditInputError, UnansweredError
from core.people.roles import Role, RoleSuggestion, suggest_by_name
from core.releases import Ledger, Roles
from core.releases.in_engine import BesideInEngine, TableInEngine, measure_releases_in_engine
from core.tables import ReadOptions
from core.values.cells import NUMBER_PATTERN
from core.verdict import Finding, not_in_engine
from core.words import input_error, listed, share_of

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_SURELY_FOUND = 0.95  # share of a key's values from which nobody asks whether more match in another form
_KEY = "anonaudit_key"  # what keys are called while tables are joined
_NO_CELL = " "  # what stands for a missing cell: no other begins with a space
_NUMBER = NUMBER_PATTERN.replace(r"\.", "[.]")  # written so that every engine reads it: no backslash
_DECIMALS = "[.][0-9]*[1-9]"


class InEngine(NamedTuple):
    """What was found of tables in an engine, where they are, and which could not be used."""

    audit: DeliveryAudit
    origins: tuple[Origin, ...]
    earlier: tuple[Origin, ...]  # of earlier releases
    problems: tuple[str, ...]


def audit_delivery_in_engine(
    addresses: Sequence[Address],
    *,
    settings: DeliverySettings,
    thresholds: DeliveryThresholds,
    earlier: Sequence[Address | Ledger] = (),
    options: ReadOptions | None = None,
    memory: str | None = None,
    secrets: Path = SECRETS,
    is_stopped: Callable[[], bool] | None = None,
) -> InEngine:
    """Reach tables in one engine, join them by the keys named, and count persons there.

    Parameters
    ----------
    addresses
        Where the tables are; what cannot be reached is told, and the others are audited.
    settings, thresholds
        With keys; nobody is drawn at random.
    earlier
        Where tables of earlier releases are, in the same engine, and ledgers.
    options, memory, secrets, is_stopped
        See :func:`core.engines.connected`.

    Raises
    ------
    AuditInputError
        Fewer than two tables can be used, no key is named, or a setting names what is not there.
    """
    if not settings.keys:
        raise input_error(
            "Tables in an engine are joined by the keys that are named alone; name one with --key "
            "TABLE.COL=TABLE.COL."
        )
    options = options or ReadOptions()
    with ExitStack() as kept:
        reach = partial(connected, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped)
        next_to = partial(beside, options=options, is_stopped=is_stopped)
        reached = _reached(addresses, reach, next_to, options, kept)
        try:
            measured = _Delivery(reached, settings, kept).measure()
        except UnansweredError as error:
            raise AuditInputError(*unanswered_by(error, reached.engines())) from None
        releases = BesideInEngine()
        if measured.unanswered and is_stopped is not None and is_stopped():
            raise AuditInputError(*measured.unanswered)
        if earlier and not measured.unanswered:
            tables = [_released(facts, reached.tables[facts.name]) for facts in measured.tables]
            releases = measure_releases_in_engine(tables, earlier, next_to=next_to, options=options)
            measured = replace(measured, releases=releases.measurement)
        origins = tuple(each.engine.origin for each in reached.tables.values())
        problems = (*reached.problems, *releases.problems, *measured.unanswered)
        return InEngine(judge_delivery(measured, thresholds), origins, releases.origins, problems)


def _released(facts: TableFacts, table: _Table) -> TableInEngine:
    """Return a table as releases are compared, by records where another table says whose they are."""
    place = facts.person_column
    roles = Roles(
        quasi_identifiers=facts.quasi_identifiers,
        sensitive=facts.sensitive,
        person=place.column if place is not None and place.table == facts.name else None,
    )
    return TableInEngine(name=facts.name, engine=table.engine, roles=roles)


class _Reached(NamedTuple):
    tables: dict[str, _Table]
    lost: tuple[str, ...]  # names of tables that cannot be used
    same: tuple[tuple[str, str], ...]  # tables that were given twice
    problems: tuple[str, ...]

    def engines(self) -> list[Engine]:
        return [each.engine for each in self.tables.values()]


def _reached(
    addresses: Sequence[Address],
    reach: Callable[[Address], AbstractContextManager[Engine]],
    next_to: Callable[[Engine, Address], Engine],
    options: ReadOptions,
    kept: ExitStack,
) -> _Reached:
    tables: dict[str, _Table] = {}
    lost: list[str] = []
    same: list[tuple[str, str]] = []
    problems: list[str] = []
    first: Engine | None = None
    once = list(dict.fromkeys(addresses))
    names = dict(zip(once, table_names([_file(each) for each in once]), strict=True))
    for address in addresses:
        name = names[address]
        try:
            if first is None:
                first = engine = kept.enter_context(reach(address))
            else:
                engine = next_to(first, address)
            twice = [
                each
                for each in tables.values()
                if each.engine.address == address
                or (each.engine.sha256 and each.engine.sha256 == engine.sha256)
            ]
            if twice:
                same.append((twice[0].name, name))
            else:
                tables[name] = _Table(name, engine, options)
        except AuditInputError as error:
            lost.append(name)
            problems += error.problems
    if len(tables) < 2:
        raise (
            AuditInputError(*problems)
            if problems
            else input_error(
                "A data set is two tables or more; give all tables of the delivery, or use Disclosure risk "
                "for one."
            )
        )
    return _Reached(tables, tuple(lost), tuple(same), tuple(problems))


def _file(address: Address) -> str:
    """Return a table's name as that of a file: what stands behind its last dot is no more than an ending."""
    bare = address.place.rstrip("/").rpartition("/")[2] or address.place
    is_file = address.engine == "duckdb" or bare.lower().endswith((".parquet", ".pq"))
    return bare if is_file else f"{bare.rpartition('.')[2]}."


class _Table:
    """A table as it is held, its columns as they are compared, and what they hold."""

    def __init__(self, name: str, engine: Engine, options: ReadOptions) -> None:
        self.name, self.engine, self.options = name, engine, options
        names = [column for column in engine.table.columns if is_groupable(engine.table[column])]
        self.not_grouped = tuple(column for column in engine.table.columns if column not in names)
        keys = key_columns(engine, names, options)
        values = {column: key.value for column, key in keys.items()}
        facts: dict[str, Any] = {"n": engine.table.count()}
        for place, value in enumerate(values.values()):
            facts |= {f"{key}{place}": fact for key, fact in _facts(value).items()}
        found = {key: int(each or 0) for key, each in engine.row(engine.table.agg(**facts)).items()}
        self.n_records = found["n"]
        if not self.n_records:
            raise input_error("{file} has no records below its header.", file=engine.address.name)
        self.columns: dict[str, _Column] = {}
        for place, (column, value) in enumerate(values.items()):
            n_filled, n_values = found[f"filled{place}"], found[f"values{place}"]
            is_number = found.get(f"numbers{place}", n_filled if value.type().is_numeric() else 0) == n_filled
            is_number &= not value.type().is_boolean()
            self.columns[column] = _Column(
                key=keys[column],
                value=trimmed_text(value) if found.get(f"spaced{place}") else value,
                n_filled=n_filled,
                n_values=n_values,
                has_missing=n_filled < self.n_records,
                is_measured=is_number and (n_values > DAYS_OF_A_YEAR or found[f"decimals{place}"] > 0),
            )

    def value(self, column: str) -> Any:
        """Return a column as an expression that is never null: missing is a value of its own."""
        each = self.columns[column]
        return each.value.cast("string").fill_null(_NO_CELL) if each.has_missing else each.value


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    key: KeyColumn  # as it is written
    value: Any  # as it is compared, null where missing
    n_filled: int
    n_values: int
    has_missing: bool
    is_measured: bool  # whether it holds numbers with decimals, or more of them than days of a year


def _facts(value: Any) -> dict[str, Any]:
    """Return counts of a column's cells, and of those that are not written as they are compared."""
    facts = {"filled": value.count(), "values": value.nunique()}
    if value.type().is_string():
        facts["spaced"] = (trimmed_text(value) != value).sum()
        facts["numbers"] = value.re_search(_NUMBER).sum()
    return facts | {"decimals": value.cast("string").re_search(_DECIMALS).sum()}


class _Delivery:
    """Tables of one engine, joined: p is a person, d what is known of them, e what a record tells."""

    def __init__(self, reached: _Reached, settings: DeliverySettings, kept: ExitStack) -> None:
        self._tables, self._reached, self._settings, self._kept = reached.tables, reached, settings, kept
        self.engine = next(iter(self._tables.values())).engine
        names = PlaceNames({name: list(table.columns) for name, table in self._tables.items()})
        at_hand = [
            each
            for each in settings.keys
            if not any(end.strip().startswith(f"{name}.") for end in each.split("=") for name in reached.lost)
        ]
        self._left_out = {names.place(each, "--leave-out") for each in settings.leave_out}
        self._quasi = {names.place(each, "--quasi-identifier") for each in settings.quasi_identifiers}
        self._sensitive = {names.place(each, "--sensitive") for each in settings.sensitive}
        self._spelled: list[tuple[Link, int]] = []  # keys that more match in another form, and how many
        self._links = [self._link(*pair) for pair in names.keys(at_hand)]
        person = None if settings.person is None else names.place(settings.person, "--person")
        facts = {place for link in self._links for place in link.places if self._is_fact(place)}
        kind = kind_of_persons(self._links, lambda place: self._column(place).n_values, person, facts)
        self._person = {place.table: place for place in reversed(kind)}
        self._through: dict[str, tuple[Place, Place, bool]] = {}
        while ways := ways_to_persons(self._links, {*self._person, *self._through}):
            self._through |= ways
        self._read_by: dict[str, list[Place]] = {}  # lookup tables, and the columns that lead to them
        self._led_to: dict[Place, Place] = {}  # each new column of a table of persons, and where it is from
        self._read_lookups()

    def _is_fact(self, place: Place) -> bool:
        column = self._column(place)
        by_name = suggest_by_name(place.column, n_nonblank=column.n_filled, n_distinct=column.n_values)
        return by_name.role is Role.QUASI_IDENTIFIER

    def _column(self, place: Place) -> _Column:
        return self._tables[place.table].columns[place.column]

    def _kept_for_good(self, question: Expression) -> Expression:
        return self._kept.enter_context(self.engine.kept(question))

    def _key_values(self, places: Sequence[Place]) -> list[Any]:
        """Return columns as expressions that can be equal to each other."""
        values = [self._column(place).value for place in places]
        if all(value.type() == values[0].type() for value in values):
            return values
        to = "int64" if all(value.type().is_integer() for value in values) else "string"
        return [value.cast(to) for value in values]

    # --- keys

    def _link(self, one: Place, other: Place) -> Link:
        """Measure a key that was named, as :func:`core.delivery.keys.given_links`."""
        sides = {
            place: self._tables[place.table].engine.table.select(v=value).filter(value.notnull())
            for place, value in zip((one, other), self._key_values((one, other)), strict=True)
        }
        facts = {
            place: self.engine.row(side.agg(n=side.count(), d=side.v.nunique()))
            for place, side in sides.items()
        }
        unique = {place: each["n"] == each["d"] > 0 for place, each in facts.items()}
        first, second = sorted(sides, key=lambda place: (not unique[place], -facts[place]["d"]))
        link = Link(
            one=first,
            other=second,
            n_found=self._n_common(sides[first], sides[second]),
            n_values=int(facts[second]["d"]),
            one_is_unique=unique[first],
            other_is_unique=unique[second],
            is_given=True,
        )
        if link.share_found < _SURELY_FOUND:
            n_loose = self._n_common(*(side.select(v=_loose(side.v)) for side in sides.values()))
            if n_loose > link.n_found:
                self._spelled.append((link, n_loose))
        return link

    def _n_common(self, one: Expression, other: Expression) -> int:
        one, other = one.distinct(), other.select(w=other.v).distinct()
        both = one.join(other, one.v == other.w)
        return int(self.engine.row(both.agg(n=both.count()))["n"] or 0)

    # --- lookup tables

    def _read_lookups(self) -> None:
        """Give tables of persons the columns of tables that they refer to; see `core.delivery.lookups`."""
        for name in self._joined():
            table = self._tables[name]
            wide, origins = self._looked_up(name, {*self._joined()}, {})
            if origins:
                wide = wide.select(*table.engine.table.columns, *origins)
                self._tables[name] = _Table(name, replace(table.engine, table=wide), table.options)
                self._led_to |= {Place(name, column): origin for column, origin in origins.items()}
        self._quasi |= {place for place, origin in self._led_to.items() if origin in self._quasi}

    def _looked_up(
        self, name: str, passed: set[str], keys: Mapping[str, Any]
    ) -> tuple[Expression, dict[str, Place]]:
        """Return a table with keys and with the columns that its own lead to, and where each is from."""
        ways = [
            (here, there)
            for link in self._links
            for there, here, is_unique in (
                (link.one, link.other, link.one_is_unique),
                (link.other, link.one, link.other_is_unique),
            )
            if here.table == name and is_unique and there.table not in passed
        ]
        values = [self._key_values(way) for way in ways]
        own = {f"{_KEY}{place}": mine for place, (mine, _) in enumerate(values)}
        wide = self._tables[name].engine.table.mutate(**keys, **own)
        origins: dict[str, Place] = {}
        for place, ((here, there), (_, key)) in enumerate(zip(ways, values, strict=True)):
            self._read_by.setdefault(there.table, []).append(here)
            theirs, further = self._looked_up(there.table, passed | {there.table}, {_KEY: key})
            kept = (Place(there.table, column) for column in self._tables[there.table].columns)
            mine = {each.column: each for each in kept if each not in {*self._left_out, there}}
            found = {**mine, **further}
            named = {f"{here.column}{INTO}{column}": column for column in found}
            theirs = theirs.filter(theirs[_KEY].notnull()).select(**{f"{_KEY}_there": _KEY}, **named)
            joined = wide.left_join(theirs, wide[f"{_KEY}{place}"] == theirs[f"{_KEY}_there"])
            wide = joined.drop(f"{_KEY}_there")
            origins |= {new: found[column] for new, column in named.items()}
        return wide, origins

    # --- persons

    def _joined(self) -> list[str]:
        return [name for name in self._tables if name in self._person or name in self._through]

    def _code_persons(self) -> None:
        """Give everybody whom a table names a number, and count the records of each in every table."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        self._of_key = dict(zip(self._person, self._key_values([*self._person.values()]), strict=True))
        keys = [
            self._tables[name].engine.table.select(k=value).filter(value.notnull()).distinct()
            for name, value in self._of_key.items()
        ]
        every = union(keys).distinct()
        numbered = every.mutate(p=ibis.row_number().over(order_by=every.k))
        self._codes = self._kept_for_good(numbered)
        counts = []
        for name in self._joined():
            rows = self._of_persons(name, {})
            counts.append(
                rows.group_by("p").agg(
                    **{
                        f"n_{place}": (rows.count() if name == other else rows.p.max() * 0).cast("int64")
                        for place, other in enumerate(self._joined())
                    }
                )
            )
        everybody = union(counts)
        summed = {
            column: everybody[column].sum().cast("int64") for column in everybody.columns if column != "p"
        }
        self._at = self._kept_for_good(everybody.group_by("p").agg(**summed))

    def _of_persons(self, name: str, columns: Mapping[str, Any]) -> Expression:
        """Return the records of a table that name somebody: the person p, and columns."""
        if name in self._through:
            here, there, _ = self._through[name]
            mine, theirs = self._key_values((here, there))
            reach = self._of_persons(there.table, {"k": theirs}).filter(lambda each: each.k.notnull())
        else:
            mine, reach = self._of_key[name], self._codes
        rows = self._tables[name].engine.table.select(own_key=mine, **columns)
        return rows.join(reach, rows.own_key == reach.k).select("p", *columns)

    def records(self, name: str, columns: Sequence[str], *, prefix: str = "c") -> Expression:
        """Return the records of a table that name somebody, p, with columns by their place."""
        values = [self._tables[name].value(column) for column in columns]
        return self._of_persons(name, {f"{prefix}{place}": value for place, value in enumerate(values)})

    def told(self, place: Place) -> Told:
        """Return a column with whose each cell is."""
        table = self._tables[place.table]
        column = table.columns[place.column]
        cells = self._of_persons(place.table, {"c": column.key.value, "v": column.value})
        return Told(table.engine, column.key, cells)

    def in_tables(self) -> tuple[Expression, list[str]]:
        """Return the records of each person r in each table, n_0, n_1, …, and the tables."""
        return self._at.rename(r="p"), self._joined()

    def persons(self) -> Expression:
        """Return everybody, p, once."""
        return self._at.select("p")

    # --- tables alone

    def _table_facts(self) -> list[TableFacts]:
        mine = self._joined()
        counts: dict[str, Any] = {"n_persons": self._at.count()} if mine else {}
        for place in range(len(mine)):
            here = self._at[f"n_{place}"]
            there = sum((self._at[f"n_{other}"] for other in range(len(mine))), -here) > 0
            counts |= {
                f"here{place}": (here > 0).sum(),
                f"records{place}": here.sum(),
                f"most{place}": here.max(),
                f"only{place}": ((here > 0) & ~there).sum(),
                f"else{place}": ((here == 0) & there).sum(),
            }
        found = self.engine.row(self._at.agg(**counts)) if mine else {}
        self.n_persons = int(found.get("n_persons") or 0)
        numbers = {key: int(each or 0) for key, each in found.items()}
        return [
            self._facts(table, mine.index(name) if name in mine else None, numbers)
            for name, table in self._tables.items()
        ]

    def _facts(self, table: _Table, at: int | None, numbers: Mapping[str, int]) -> TableFacts:
        """Return what is known of a table before classes are counted."""
        kept = [name for name in table.columns if Place(table.name, name) not in self._left_out]
        suggestions = self._suggested(table, kept)
        columns = tuple(each.column for each in suggestions)
        linked = self._keys_of(table.name)
        facts = TableFacts(
            name=table.name,
            n_records=table.n_records,
            columns=columns,
            quasi_identifiers=(),
            key_columns=tuple(name for name in columns if name in linked),
            suggestions=suggestions,
            repeats=at is not None and numbers[f"most{at}"] > 1,
            smallest=np.zeros(0, dtype=np.int64),
        )
        released = [name for name in columns if name not in linked]
        quasi = chosen_columns(facts, released, self._quasi, lambda name: table.columns[name].is_measured)
        facts = replace(facts, quasi_identifiers=quasi)
        facts = replace(facts, columns=tuple(each for each in columns if not tells_no_more(each, facts)))
        if at is None:
            return replace(facts, read_by=tuple(dict.fromkeys(self._read_by.get(table.name, ()))))
        n_persons = numbers[f"here{at}"]
        return replace(
            facts,
            person_column=self._person[table.name]
            if table.name in self._person
            else self._through[table.name][1],
            n_persons=n_persons,
            n_nobody=table.n_records - numbers[f"records{at}"],
            n_only_here=numbers[f"only{at}"],
            n_elsewhere=numbers[f"else{at}"],
            listed=() if facts.repeats else tuple(beside_the_key(facts, n_persons)),
        )

    def _suggested(self, table: _Table, columns: Sequence[str]) -> tuple[RoleSuggestion, ...]:
        """Return what columns look like by name and counts; of those led to, such as tell more than keys."""
        found = []
        for column in columns:
            origin = self._led_to.get(Place(table.name, column), Place(table.name, column))
            facts, key = table.columns[column], table.columns[column.partition(INTO)[0]]
            look = suggest_by_name(origin.column, n_nonblank=facts.n_filled, n_distinct=facts.n_values)
            (look,) = as_chosen(origin.table, [look], self._sensitive)
            if origin.table == table.name or says_more(look, key.n_values):
                found.append(replace(look, column=column))
        return tuple(found)

    def _keys_of(self, name: str) -> set[str]:
        """Return the columns of a table that are keys, as :func:`core.delivery.lookups.keys_of_persons`."""
        linked = {place for link in self._links for place in link.places if place.table == name}
        if name not in self._joined():
            return {place.column for place in linked}
        own = {*self._person.values(), *(place for way in self._through.values() for place in way[:2])}
        return {
            place.column
            for place in linked | {place for place in self._person.values() if place.table == name}
            if place in own or (not self._is_fact(place) and self._names_records(place))
        }

    def _names_records(self, place: Place) -> bool:
        """Return whether nearly each value of a column is of one person alone."""
        cells = self._of_persons(place.table, {"c": self._column(place).value})
        values = cells.filter(cells.c.notnull()).group_by("c").agg(n=cells.p.nunique())
        found = self.engine.row(values.agg(of_one=(values.n == 1).sum(), n=values.count()))
        return (found["of_one"] or 0) >= OF_ONE * max(found["n"] or 0, 1)

    # --- all of it

    def measure(self) -> DeliveryMeasurement:
        """Measure each table alone, and all of them read together."""
        if self._person:
            self._code_persons()
        facts = self._table_facts()
        measured = DeliveryMeasurement(
            settings=self._settings,
            tables=tuple(facts),
            links=tuple(self._links),
            n_persons=self.n_persons if self._person else None,
            same_files=self._reached.same,
        )
        if self._person:
            measured = self._read_together(measured)
        return replace(measured, elsewhere=tuple(self._not_assessed(measured)))

    def _read_together(self, measured: DeliveryMeasurement) -> DeliveryMeasurement:
        """Add what the tables tell together, up to where the engine answers no more."""
        mine = [each for each in measured.tables if each.person_column is not None]
        unchosen = (
            Place(each.name, column)
            for each in mine
            for column in each.released
            if column not in each.quasi_identifiers
        )
        measured = replace(measured, unchosen=tuple(unchosen))
        try:
            with ExitStack() as kept:
                events = Events(self, {each: each.quasi_identifiers for each in mine}, kept)
                tables = tuple(
                    each if each not in mine else events.with_classes(each) for each in measured.tables
                )
                measured = replace(measured, tables=tables)
                measured = replace(measured, known=events.known())
                measured = replace(measured, records_alone=events.records_alone())
                measured = self._given_away(measured, mine, events)
            with ExitStack() as kept:
                everything = Events(self, {each: each.released for each in mine}, kept).known_one()
                measured = replace(measured, everything_known=everything)
        except UnansweredError as error:
            return replace(measured, unanswered=unanswered_by(error, self._reached.engines()))
        return measured

    def _given_away(
        self, measured: DeliveryMeasurement, mine: Sequence[TableFacts], events: Events
    ) -> DeliveryMeasurement:
        """Add what all alike have, and what classes give away of sensitive columns."""
        classes = {keys: JoinedClasses(self, units, keys) for keys, units in events.units().items()}
        by_person = classes["d",]
        found = [each for place in measured.unchosen if (each := by_person.one_value(place)) is not None]
        told = {each.place for each in found if each.beyond_chance}
        hidden = [Place(table.name, column) for table in mine for column in table.sensitive]
        hidden = [place for place in hidden if place in measured.unchosen]
        if (by_record := classes.get(("d", "e"))) is not None:
            more = (by_record.one_value(place) for place in hidden if place not in told)
            found += [each for each in more if each is not None]
        found += memberships_in_engine(self, events.with_own, events.own)
        sensitive = tuple(each.sensitive(place) for each in classes.values() for place in hidden)
        return replace(measured, one_values=tuple(found), sensitive=sensitive)

    def _not_assessed(self, measured: DeliveryMeasurement) -> Iterator[Finding]:
        """Yield what is not assessed because the records stay where they are."""
        yield not_in_engine(
            "What values and pseudonyms tell by themselves, free text, lists, tables of counts, households, "
            "intervals, the order of records, the cheapest attack, and "
            "keys that nobody named are not assessed: they need the records themselves. Columns were judged "
            "by their names and by how many different values they have."
        )
        for link, n_loose in self._spelled:
            yield not_in_engine(
                "{found} of {other} are in {one} as they are written, and {more} without prefixes, leading "
                "zeros and marks. They were joined as written, so that persons stand apart who are one: "
                "write the key alike in both tables.",
                found=share_of(link.n_found, link.n_values, "values"),
                other=f"`{link.other}`",
                one=f"`{link.one}`",
                more=n_loose,
            )
        for known in measured.known:
            if not known.n_looked_at:
                yield not_in_engine(not_counted(known))
        if numbers := [str(known.n_events) for known in measured.records_alone if not known.n_looked_at]:
            yield not_in_engine(
                "What so many records of a person find by themselves was not counted: {numbers}. There are "
                "too many choices of records to count.",
                numbers=", ".join(numbers),
            )
        lists = [
            str(Place(name, column)) for name, table in self._tables.items() for column in table.not_grouped
        ]
        if lists:
            yield not_in_engine(
                "Columns that cannot be grouped were not looked at: {columns}.", columns=listed(lists)
            )


def _loose(value: Any) -> Any:
    """Return keys as text from their first digit but 0 on, without decimals, marks and case."""
    bare = value.cast("string").re_replace("[.,]0+$", "").re_replace("[^0-9A-Za-z]", "").lower()
    digits = bare.re_replace("^[^1-9]+", "")
    return (digits == "").ifelse(bare, digits)
