"""A release beside earlier ones where both are: an engine subtracts their classes, only counts come back.

The distinct values of a column come here, and are told apart as in memory. Each is a number in the engine,
which groups both releases by these numbers and says how many classes have how many of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.coding import CodedTable, IntArray
from core.engines import (
    Address,
    Engine,
    KeyColumn,
    Origin,
    Values,
    distinct_values,
    items_in_engine,
    key_columns,
    n_too_many,
    text_form,
    trimmed_text,
    with_codes,
)
from core.errors import AuditInputError, UnansweredError
from core.releases.counts import Beside, beside_of_items
from core.releases.ledger import Ledger
from core.releases.measuring import (
    Compared,
    NotCompared,
    ReleasesMeasurement,
    by_counts,
    common_roles,
    few_values,
    joint_values,
    no_table_for,
    own_words,
    table_for,
)
from core.releases.ranges import aligned
from core.releases.renaming import Codes, Renaming
from core.releases.settings import Roles
from core.tables import ReadOptions
from core.verdict import Finding, not_in_engine
from core.words import Text, input_error, listed, text

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression


@dataclass(frozen=True, kw_only=True, eq=False)
class TableInEngine:
    """A table of the release that is judged, where it is, and what its columns are."""

    name: str
    engine: Engine
    roles: Roles

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns."""
        return tuple(self.engine.table.columns)


class BesideInEngine(NamedTuple):
    """What a release tells beside earlier ones, where these are, and which could not be used."""

    measurement: ReleasesMeasurement | None = None
    origins: tuple[Origin, ...] = ()
    problems: tuple[str, ...] = ()


def measure_releases_in_engine(
    tables: Sequence[TableInEngine],
    earlier: Sequence[Address | Ledger],
    *,
    next_to: Callable[[Engine, Address], Engine],
    options: ReadOptions,
) -> BesideInEngine:
    """Measure what tables in an engine tell whoever has earlier releases too, by counts alone.

    `earlier` are tables and ledgers; what cannot be held against the release is told. `next_to` and `options`
    say how a second table of an engine is reached, and which words are missing values.
    """
    compared: list[Compared] = []
    not_compared: list[NotCompared] = []
    elsewhere: list[Finding] = []
    origins: list[Origin] = []
    problems: list[str] = []
    for address in earlier:
        release = address.name
        if isinstance(address, Ledger):
            not_compared.append(NotCompared(release=release, reason=_by_hashes(release)))
            continue
        try:
            before = next_to(tables[0].engine, address)
        except AuditInputError as error:
            problems += error.problems
            not_compared += [NotCompared(release=release, reason=text(each)) for each in error.problems]
            continue
        origins.append(before.origin)
        columns = tuple(before.table.columns)
        table = table_for(release, columns, tables)
        if table is None:
            not_compared.append(no_table_for(release))
            continue
        try:
            with ExitStack() as kept:
                roles = common_roles(table, columns, release)
                pair = _Pair(table, before, roles=roles, release=release, options=options, kept=kept)
                compared.append(pair.compared())
                elsewhere += pair.not_assessed()
        except AuditInputError as error:
            problems += error.problems if isinstance(error, UnansweredError) else ()
            not_compared += [NotCompared(release=release, reason=text(each)) for each in error.problems]
    measured = ReleasesMeasurement(
        n_earlier=len(compared) + len(not_compared),
        compared=tuple(compared),
        not_compared=tuple(not_compared),
        elsewhere=tuple(elsewhere),
    )
    return BesideInEngine(measured, tuple(origins), tuple(problems))


class _Side(NamedTuple):
    """The values of a column in one release."""

    value: Any  # as it is grouped
    values: Values
    written: pa.Array  # all as text, a missing one last
    counts: IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """A column of both releases, of which each value has a code: 0 or below for a missing one."""

    name: str
    sides: tuple[_Side, _Side]
    codes: Codes  # as far as both can be made equally coarse
    as_written: Codes
    is_changed: bool
    has_words: bool  # whether its values are words that may be named otherwise

    def own_words(self) -> Renaming | None:
        """Return words that each release has of its own where they are not few."""
        if not self.has_words:
            return None
        found = own_words(self.as_written, (self.sides[0].counts, self.sides[1].counts))
        if found is None:
            return None
        said = [
            tuple(str(side.written[int(np.argmax(codes == word))].as_py()) for word in words)
            for side, codes, words in zip(self.sides, self.as_written, found, strict=True)
        ]
        return Renaming(column=self.name, later=said[0], earlier=said[1])


class _Pair:
    """Two releases of a table in one engine."""

    def __init__(
        self,
        table: TableInEngine,
        earlier: Engine,
        *,
        roles: Roles,
        release: str,
        options: ReadOptions,
        kept: ExitStack,
    ) -> None:
        self.table, self.roles, self.release, self._kept = table, roles, release, kept
        self._engines = table.engine, earlier
        names = (*roles.quasi_identifiers, *roles.sensitive, *((roles.person,) if roles.person else ()))
        both = [key_columns(engine, names, options) for engine in self._engines]
        self._persons = [None if roles.person is None else _person(each[roles.person]) for each in both]
        sides = {
            name: (self._values(self._engines[0], both[0][name]), self._values(earlier, both[1][name]))
            for name in (*roles.quasi_identifiers, *roles.sensitive)
        }
        self._quasi = [_aligned(name, sides[name]) for name in roles.quasi_identifiers]
        self._sensitive = [_joint(name, sides[name]) for name in roles.sensitive]
        self._records = [self._coded(side) for side in (0, 1)]

    def _values(self, engine: Engine, column: KeyColumn) -> _Side:
        if n_values := n_too_many(engine, column):
            raise input_error(
                "{release}: {column} has {n} different values, too many to take them out of the engine; it "
                "was not compared with {table}.",
                release=self.release,
                column=f"`{column.name}`",
                n=n_values,
                table=f"`{self.table.name}`",
            )
        if engine.table[column.name].type().is_floating() and column.value.type().is_string():
            written_alike = text_form(engine, column)(column.value)
            column = replace(column, value=column.value.notnull().ifelse(written_alike, column.value))
        values = distinct_values(engine, column)
        nothing = pa.nulls(values.cells.null_count, pa.large_string())
        every = pa.concat_arrays([values.written.cast(pa.large_string()), nothing])
        return _Side(column.value, values, every, values.counts[0])

    # --- in the engine

    def _coded(self, side: int) -> Expression:
        """Return how many records n have which codes: keys k0, …, w0, … as written, values s0, …; whose p."""
        columns = {f"k{place}": each for place, each in enumerate(self._quasi)}
        columns |= {
            f"w{place}": replace(each, codes=each.as_written)
            for place, each in enumerate(self._quasi)
            if each.is_changed
        }
        columns |= {f"s{place}": each for place, each in enumerate(self._sensitive)}
        person = {} if self._persons[side] is None else {"p": self._persons[side]}
        values = {name: each.sides[side].value for name, each in columns.items()}
        rows = self._engines[side].table.select(**values, **person)
        for name, each in columns.items():
            known = each.sides[side].values
            missing = -1 if name.startswith("s") else 0
            code = np.append(each.codes[side][: len(known.written)], missing)
            rows = with_codes(rows, name, known, code)
        keys = [*columns, *person]
        return self._kept.enter_context(
            self.table.engine.kept(rows.group_by(keys).agg(n=rows.count().cast("int64")))
        )

    def _beside(self, keys: Sequence[str], n_values: Mapping[str, int], *, of_records: bool) -> Beside:
        """Return the classes of both releases over keys, and how many of each have which sensitive values."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        starts = np.cumsum([1, *n_values.values()]).tolist()
        counts_records = of_records or self.roles.person is None
        unit = "n" if counts_records else "p"
        parts = []
        for side, rows in enumerate(self._records):
            parts.append(rows.select(*keys, unit, c=ibis.literal(side, "int64")))
            for place, start in enumerate(starts[:-1]):
                known = rows.filter(rows[f"s{place}"].notnull())
                parts.append(known.select(*keys, unit, c=2 * (start + known[f"s{place}"]) + side))
        every = ibis.union(*parts)
        if not counts_records:
            every = every.filter(every.p.notnull()).distinct()
        items = items_in_engine(
            self.table.engine, every, keys, n_items=2 * starts[-1], is_weighted=counts_records
        )
        return beside_of_items(items, n_values)

    # --- here

    def compared(self) -> Compared:
        """Subtract each release from the other."""
        n_values = {
            each.name: 1 + max(int(code.max(initial=-1)) for code in each.codes) for each in self._sensitive
        }
        keys = [f"k{place}" for place in range(len(self._quasi))]
        found = by_counts(
            self.table, self.roles, self.release, self._beside(keys, n_values, of_records=False)
        )
        own = tuple(
            words for each in (*self._quasi, *self._sensitive) if (words := each.own_words()) is not None
        )
        return replace(
            found,
            changed_columns=self._changed,
            own_words=own,
            is_same=found.is_same and self._is_same(),
            found_share=0.0 if own else found.found_share,
        )

    @property
    def _changed(self) -> tuple[str, ...]:
        return tuple(each.name for each in self._quasi if each.is_changed)

    def _is_same(self) -> bool:
        """Return whether both hold the same records of these columns, in whatever order."""
        keys = [f"w{place}" if each.is_changed else f"k{place}" for place, each in enumerate(self._quasi)]
        values = [f"s{place}" for place in range(len(self._sensitive))]
        one, other = self._beside([*keys, *values], {}, of_records=True).counts
        return bool(np.array_equal(one, other))

    def not_assessed(self) -> Iterator[Finding]:
        """Yield what is not assessed of these releases because records stay where they are."""
        names = {"release": self.release, "table": f"`{self.table.name}`"}
        yield not_in_engine(
            "{release} and {table} were subtracted from each other by counts, where they are. Whether "
            "records are joined by their order or by values that name one in each, whether words were "
            "renamed, people grew older or noise was drawn anew was not assessed: that needs the records "
            "themselves.",
            **names,
        )
        if self._changed:
            yield not_in_engine(
                "{release} and {table} cut {columns} at different places; what lies between two cuts was "
                "not assessed where the tables are.",
                columns=listed(self._changed),
                **names,
            )
        if self.roles.person is not None:
            yield not_in_engine(
                "Persons were counted in {release} and {table} and not followed: what a common pseudonym "
                "tells, and whether persons are found again under another, was not assessed where the "
                "tables are.",
                **names,
            )


def _by_hashes(release: str) -> Text:
    return text(
        "{release}: it counts groups under salted hashes, which no engine makes of its own; it was not "
        "compared. Give the earlier release itself, in the engine of this one.",
        release=release,
    )


def _person(column: KeyColumn) -> Any:
    return trimmed_text(column.value) if column.value.type().is_string() else column.value


def _aligned(name: str, sides: tuple[_Side, _Side]) -> _Column:
    later, earlier = (CodedTable(table=pa.table({name: pa.chunked_array([side.written])})) for side in sides)
    found = aligned(later, earlier, name)
    return _Column(
        name=name,
        sides=sides,
        codes=(found.later, found.earlier),
        as_written=(found.written_later, found.written_earlier),
        is_changed=found.is_changed,
        has_words=not found.is_read,
    )


def _joint(name: str, sides: tuple[_Side, _Side]) -> _Column:
    codes = joint_values([pa.chunked_array([side.written]) for side in sides])
    known = codes[1] >= 0
    is_few = few_values(len(np.unique(codes[1][known])), int(sides[1].counts.sum()))
    return _Column(
        name=name,
        sides=sides,
        codes=codes,
        as_written=(codes[0] + 1, codes[1] + 1),
        is_changed=False,
        # of what changes with people, only where none is in both
        has_words=is_few and not np.isin(codes[1][known], codes[0]).any(),
    )
