"""A release beside earlier ones where both are: an engine subtracts their classes, only counts come back.

The distinct values of a column come here, and are told apart as in memory. Each is a number in the engine,
which groups both releases by these numbers and says how many classes have how many of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.coding import CodedTable, IntArray
from core.engines import (
    Address,
    Engine,
    KeyColumn,
    Origin,
    distinct_values,
    key_columns,
    n_too_many,
    text_form,
    trimmed_text,
)
from core.errors import AuditInputError, UnansweredError
from core.releases.counts import Groups, Moved, Pairs, overlap_of
from core.releases.ledger import Ledger
from core.releases.measuring import (
    Compared,
    NotCompared,
    ReleasesMeasurement,
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

_SIDES = ("one", "other")  # counts of the later release, of the earlier one


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
    cells: pa.Array  # those that are there, as the engine has them
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

    def coded(self, side: int) -> tuple[Any, Expression]:
        """Return a release's values as they are grouped, and a table of the code c of each known one, v."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        cells = self.sides[side].cells
        codes = pa.array(self.codes[side][: len(cells)], pa.int64())
        return self.sides[side].value, ibis.memtable(pa.table({"v": cells, "c": codes}))

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
        self._keys = [f"k{place}" for place in range(len(self._quasi))]
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
        cells, written, (counts,) = distinct_values(engine, column)
        nothing = pa.nulls(cells.null_count, pa.large_string())
        every = pa.concat_arrays([written.cast(pa.large_string()), nothing])
        return _Side(column.value, cells.slice(0, len(written)), every, counts)

    # --- in the engine

    def _coded(self, side: int) -> Expression:
        """Return how many records n have which codes: keys k0, …, w0, … as written, values s0, …; whose p."""
        columns = {f"k{place}": each.coded(side) for place, each in enumerate(self._quasi)}
        columns |= {
            f"w{place}": replace(each, codes=each.as_written).coded(side)
            for place, each in enumerate(self._quasi)
            if each.is_changed
        }
        columns |= {f"s{place}": each.coded(side) for place, each in enumerate(self._sensitive)}
        person = {} if self._persons[side] is None else {"p": self._persons[side]}
        rows = self._engines[side].table.select(
            **{f"v{name}": value for name, (value, _) in columns.items()}, **person
        )
        for name, (_, codes) in columns.items():
            joined = rows.left_join(codes, rows[f"v{name}"] == codes.v)
            missing = -1 if name.startswith("s") else 0
            rows = joined.mutate(**{name: joined.c.fill_null(missing).cast("int64")}).drop("v", "c")
        keys = [*columns, *person]
        return self._keep(rows.group_by(keys).agg(n=rows.count().cast("int64")))

    def _counted(self, keys: Sequence[str], *, of_records: bool = False) -> Expression:
        """Return how many of both releases have the same codes; where a sensitive value is one, if known."""
        counted = []
        for side, rows in enumerate(self._records):
            chosen = rows if of_records or not keys[-1].startswith("s") else rows.filter(rows[keys[-1]] >= 0)
            if self.roles.person is None or of_records:
                sized = chosen.group_by(list(keys)).agg(n=chosen.n.sum())
            else:
                persons = chosen.filter(chosen.p.notnull()).select(*keys, "p").distinct()
                sized = persons.group_by(list(keys)).agg(n=persons.count())
            numbers = {name: (sized.n if place == side else sized.n * 0) for place, name in enumerate(_SIDES)}
            counted.append(
                sized.select(*keys, **{name: each.cast("int64") for name, each in numbers.items()})
            )
        both = counted[0].union(counted[1])
        return both.group_by(list(keys)).agg(**{name: both[name].sum().cast("int64") for name in _SIDES})

    def _keep(self, question: Expression) -> Expression:
        return self._kept.enter_context(self.table.engine.kept(question))

    def _ask(self, question: Expression) -> dict[str, IntArray]:
        found = self.table.engine.rows(question)
        return {
            name: np.array([int(each or 0) for each in values], dtype=np.int64)
            for name, values in found.items()
        }

    def _pairs(self, counted: Expression) -> Pairs:
        """Return how often which counts stand beside each other."""
        found = self._ask(counted.group_by(list(_SIDES)).agg(times=counted.count()))
        order = np.lexsort((found["other"], found["one"]))
        return found["one"][order], found["other"][order], found["times"][order]

    # --- here

    def compared(self) -> Compared:
        """Subtract each release from the other."""
        classes = self._keep(self._counted(self._keys))
        values = [self._keep(self._counted([*self._keys, f"s{n}"])) for n in range(len(self._sensitive))]
        pairs = [self._pairs(each) for each in (classes, *values)]
        one, other, times = pairs[0]
        n_earlier, n_found = int(other @ times), int((other * (one > 0)) @ times)
        came, left = self._moved(classes, values)
        own = tuple(
            found for each in (*self._quasi, *self._sensitive) if (found := each.own_words()) is not None
        )
        return Compared(
            table=self.table.name,
            release=self.release,
            roles=self.roles,
            missing_columns=tuple(
                name
                for name in self.table.roles.quasi_identifiers
                if name not in self.roles.quasi_identifiers
            ),
            changed_columns=self._changed,
            own_words=own,
            n_later=int(one @ times),
            n_earlier=n_earlier,
            is_same=not came.n and not left.n and self._is_same(),
            found_share=0.0 if own else n_found / n_earlier if n_earlier else 1.0,
            overlap=overlap_of(pairs),
            came=came,
            left=left,
        )

    @property
    def _changed(self) -> tuple[str, ...]:
        return tuple(each.name for each in self._quasi if each.is_changed)

    def _is_same(self) -> bool:
        """Return whether both hold the same records of these columns, in whatever order."""
        keys = [f"w{place}" if each.is_changed else f"k{place}" for place, each in enumerate(self._quasi)]
        values = [f"s{place}" for place in range(len(self._sensitive))]
        both = self._counted([*keys, *values], of_records=True)
        return not self._ask(both.agg(n=(both.one != both.other).sum()))["n"][0]

    def _moved(self, classes: Expression, values: Sequence[Expression]) -> tuple[Moved, Moved]:
        """Return those whom each release has more of, as :func:`core.releases.counts.surplus` does."""
        table = classes
        for place, each in enumerate(values):
            of_class = each.group_by(self._keys).agg(**_of_class(each, place))
            same = [table[key] == of_class[key] for key in self._keys]
            found = [name for name in of_class.columns if name not in self._keys]
            joined = table.left_join(of_class, same)
            table = joined.select(
                *(joined[name] for name in table.columns),
                **{name: joined[name].fill_null(0) for name in found},
            )
        table = self._keep(table)
        is_single = self.roles.person is None or not self._is_several(table, len(values))
        return self._side(table, 0, is_single), self._side(table, 1, is_single)

    def _is_several(self, table: Expression, n: int) -> bool:
        """Return whether somebody has two values of one attribute in a class, as far as counts tell."""
        several = {
            f"v{place}{side}": (table[f"all{place}{side}"] > table[side]).sum()
            for place, side in product(range(n), _SIDES)
        }
        return bool(several) and any(int(each[0]) for each in self._ask(table.agg(**several)).values())

    def _side(self, table: Expression, at: int, is_single: bool) -> Moved:
        import ibis  # noqa: PLC0415 - takes seconds to import

        mine, theirs = _SIDES[at], _SIDES[1 - at]
        names = [each.name for each in self._sensitive]
        together = [f"{'add' if is_single else 'most'}{place}{mine}" for place in range(len(names))]
        more = [table[mine] - table[theirs], *(table[name] for name in together)]
        moved = table.mutate(moved=ibis.greatest(0, *more)).filter(lambda each: each.moved > 0)
        away = {
            f"away{place}": (
                (moved[f"diff{place}{mine}"] == 1)
                & (moved[f"add{place}{mine}"] >= moved.moved)
                & (moved[f"has{place}{mine}"] >= 2)
            ).ifelse(1, 0)
            for place in range(len(names))
        }
        sized = moved.select(size=moved.moved, within=moved[mine], **away)
        found = self._ask(sized.group_by(list(sized.columns)).agg(times=sized.count()))
        size, n = found["size"], found["size"] * found["times"]
        groups = Groups(who=np.arange(len(size)), size=size, within=found["within"], n=n)
        return Moved(
            n=int(n.sum()),
            groups=groups,
            n_given_away={name: int(n @ found[f"away{place}"]) for place, name in enumerate(names)},
        )

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
        "{release}: it counts classes under salted hashes, which no engine makes of its own; it was not "
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


def _of_class(values: Expression, place: int) -> dict[str, Any]:
    """Return of a class what each release has more of its values, and how many of each there are."""
    import ibis  # noqa: PLC0415 - takes seconds to import

    found: dict[str, Any] = {}
    for mine, theirs in (_SIDES, _SIDES[::-1]):
        more = ibis.greatest(values[mine] - values[theirs], 0)
        at = f"{place}{mine}"
        found |= {
            f"add{at}": more.sum(),
            f"most{at}": more.max(),
            f"diff{at}": (more > 0).ifelse(1, 0).sum(),
            f"has{at}": (values[mine] > 0).ifelse(1, 0).sum(),
            f"all{at}": values[mine].sum(),
        }
    return {name: each.cast("int64") for name, each in found.items()}
