"""A table in an engine as a measurement asks it: its columns' values come here, classes are counted there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from core.classes import CountedClasses, EquivalenceClasses, Items
from core.coding import IntArray
from core.engines import (
    Engine,
    KeyColumn,
    Values,
    distinct_values,
    is_groupable,
    items_in_engine,
    key_columns,
    n_too_many,
    with_codes,
)
from core.people.roles import Role, RoleSuggestion, suggest_by_name
from core.risk.columns import (
    UNCHOSEN_MAX_CELLS,
    Columns,
    CountedCombinations,
    Distinctness,
    SinglingOutSets,
    UnchosenColumns,
    searched_unchosen,
    singling_out_sets,
    unchosen_columns,
)
from core.risk.further_columns import FurtherColumns, further_columns
from core.risk.measuring import ColumnFacts, PersonFacts
from core.risk.records import RecordEntry
from core.risk.sensitive import (
    GUESSED_GROUPS,
    MOST_ATTRIBUTES,
    Related,
    SensitiveMeasurement,
    group_of_code,
    measure_sensitive,
    n_known_groups,
    related_of,
    sensitive_codes,
)
from core.risk.settings import RiskSettings
from core.risk.suda import SETS_MAX_CELLS
from core.tables import ReadOptions
from core.values.doubtful_cells import about_doubtful_numbers
from core.verdict import Finding
from core.words import input_error

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression


class EngineSource:
    """A table in an engine; assessed records are expressions with keys k0, k1, … and perhaps the person p."""

    def __init__(self, engine: Engine, settings: RiskSettings, options: ReadOptions) -> None:
        self.engine, self.settings, self.options = engine, settings, options
        self.name, self.columns = engine.address.name, tuple(engine.table.columns)
        self.quasi = tuple(dict.fromkeys(settings.quasi_identifiers))
        person = (settings.person,) if settings.person else ()
        names = (*self.quasi, *dict.fromkeys(settings.sensitive), *person)
        self._key_columns = keys = key_columns(engine, names, options)
        self.keys = [f"k{place}" for place in range(len(self.quasi))]
        fully = all_of([keys[name].is_suppressed for name in self.quasi])
        some = any_of(
            [
                keys[name].is_missing if settings.missing == "value" else keys[name].is_suppressed
                for name in self.quasi
            ]
        )
        if settings.missing == "value":  # a record of blanks alone has a value in each; see `enter_records`
            fully = fully & any_of([keys[name].is_suppressed & ~keys[name].is_missing for name in self.quasi])
        self.fully, self.some = fully, some
        self.left_out = fully | some if settings.missing == "drop" else fully
        self.person = keys[settings.person].value if settings.person else None
        self._counted: dict[tuple[str, bytes], Items] = {}

    def enter(self) -> tuple[RecordEntry, tuple[ColumnFacts, ...]]:
        """Return which records are assessed, and facts of each quasi-identifier."""
        values = {
            f"n{place}": self._key_columns[name].value.nunique() for place, name in enumerate(self.quasi)
        }
        missing = {
            f"m{place}": self._key_columns[name].is_missing.sum() for place, name in enumerate(self.quasi)
        }
        found = self.engine.row(
            self.engine.table.agg(
                n_records=self.engine.table.count(),
                n_fully=self.fully.sum(),
                n_left_out=self.left_out.sum(),
                n_some=(self.some & ~self.left_out).sum(),
                **values,
                **missing,
            )
        )
        found = {key: int(value or 0) for key, value in found.items()}
        if not found["n_records"]:
            raise input_error("{table}: the table holds no record.", table=self.engine.address.name)
        self._n_in_table, self._n_left_out = found["n_records"], found["n_left_out"]
        entry = RecordEntry(
            n_in_table=found["n_records"],
            leave_out=np.zeros(0, dtype=bool),
            n_fully_suppressed=found["n_fully"],
            n_dropped=found["n_left_out"] - found["n_fully"],
            n_with_missing=found["n_some"],
        )
        return entry, tuple(
            ColumnFacts(column=name, n_values=found[f"n{place}"], n_missing=found[f"m{place}"])
            for place, name in enumerate(self.quasi)
        )

    def records(self, **further: Any) -> Expression:
        """Return the assessed records with their keys, and further columns."""
        chosen = {key: self._key_columns[name].value for key, name in zip(self.keys, self.quasi, strict=True)}
        if self.person is not None:
            chosen["p"] = self.person
        return self.engine.table.filter(~self.left_out).select(**chosen, **further)

    def classes(self) -> CountedClasses:
        """Return how many classes have each size, and how many records are in them."""
        if self.person is None and self._values:
            name = next(iter(self._values))
            items = self._items(name, sensitive_codes(self._values[name].column(name), self.settings)[1])
            sizes, place = np.unique(items.records, return_inverse=True)
            n_classes = np.bincount(place, weights=items.m, minlength=len(sizes)).astype(np.int64)
            n_records = sizes * n_classes
        else:
            found = self._sizes()
            sizes, n_classes, n_records = (found[key] for key in ("size", "n_classes", "n_records"))
        return CountedClasses(
            self.quasi, sizes=sizes, n_classes=n_classes, n_records=n_records, n_left_out=self._n_left_out
        )

    def _sizes(self, **further: Any) -> dict[str, IntArray]:
        """Return how many classes have each size, and their records, over the keys and further columns."""
        records = self.records(**further)
        size = records.count() if self.person is None else at_least_one(records.p.nunique())
        classes = records.group_by([*self.keys, *further]).agg(n_records=records.count(), size=size)
        by_size = classes.group_by("size").agg(n_classes=classes.count(), n_records=classes.n_records.sum())
        return {key: whole(found) for key, found in self.engine.rows(by_size.order_by("size")).items()}

    # --- sensitive attributes

    @cached_property
    def _values(self) -> Mapping[str, Values]:
        """Return the distinct values of each attribute, and the assessed records of each."""
        found = {}
        for name in dict.fromkeys(self.settings.sensitive):
            key = self._key_columns[name]
            if n_values := n_too_many(self.engine, key):
                raise input_error(
                    "{column} has {n} different values, too many to take them out of the engine. Make it "
                    "coarser, such as by rounding, or do not choose it as sensitive.",
                    column=f"`{name}`",
                    n=n_values,
                )
            found[name] = distinct_values(self.engine, key, ~self.left_out)
        return found

    def doubtful_numbers(self) -> Iterator[Finding]:
        """Yield the sensitive attributes of which the numbers may be others than was read."""
        for name, values in self._values.items():
            yield from about_doubtful_numbers(name, values.written)

    def _items(self, name: str, code: IntArray) -> Items:
        """Return the items of classes by a code of each value, counted once; persons where there are any."""
        key = name, code.tobytes()
        if key not in self._counted:
            rows = self.records(c=self._key_columns[name].value)
            self._counted[key] = items_in_engine(
                self.engine,
                with_codes(rows, "c", self._values[name], code),
                self.keys,
                n_items=int(code.max(initial=-1)) + 1,
                counts_persons=self.person is not None,
            )
        return self._counted[key]

    def sensitive(self, classes: EquivalenceClasses) -> tuple[SensitiveMeasurement, ...]:
        """Return what classes give away about each attribute."""
        return tuple(
            measure_sensitive(
                values.column(name),
                classes,
                partial(self._items, name),
                settings=self.settings,
                n_assessed=values.of_each(values.counts[1]),
            )
            for name, values in self._values.items()
        )

    def related(self, sensitive: Sequence[SensitiveMeasurement]) -> tuple[Related, ...]:
        """Find pairs of sensitive attributes that tell one another.

        As :func:`core.risk.sensitive.related_attributes`, over all assessed records, where that draws some.
        """
        found = []
        for known, guessed in permutations(sensitive[:MOST_ATTRIBUTES], 2):
            values = self._values[known.column]
            n_groups = n_known_groups(int(values.counts[1].sum()))
            codes = {"k": self._groups(known, n_groups), "c": self._groups(guessed, GUESSED_GROUPS)}
            names = {"k": known.column, "c": guessed.column}
            rows = self.engine.table.filter(~self.left_out).select(
                **{key: self._key_columns[name].value for key, name in names.items()}
            )
            for key, name in names.items():
                rows = with_codes(rows, key, self._values[name], codes[key])
            both = rows.filter(rows.k.notnull() & rows.c.notnull())
            items = items_in_engine(self.engine, both, ["k"], n_items=int(codes["c"].max(initial=-1)) + 1)
            found.append(related_of(known.column, guessed.column, items))
        return tuple(each for each in found if each is not None)

    def _groups(self, measured: SensitiveMeasurement, n_groups: int) -> IntArray:
        """Return shape (n_values + 1,): what each value means, numbers in groups; -1 for an unknown one."""
        values = self._values[measured.column]
        n_assessed = values.of_each(values.counts[1])
        code = measured.folded.group_of_value
        if measured.folded.numbers is None or not (code >= 0).any():
            return code
        weights = n_assessed[code >= 0]
        counts = np.trim_zeros(np.bincount(code[code >= 0], weights=weights), "b").astype(np.int64)
        group = np.full(int(code.max()) + 2, -1, dtype=np.int64)  # the last one is that of an unknown value
        group[: len(counts)] = group_of_code(counts, n_groups)
        return group[code]

    # --- persons, and columns that nobody chose

    def persons(self, _: EquivalenceClasses) -> PersonFacts | None:
        """Return how many persons have each smallest class; None without a person column."""
        if self.person is None:
            return None
        records = self.records()
        pairs = records.group_by([*self.keys, "p"]).agg(n=records.count())
        known = pairs.p.notnull()
        sized = pairs.mutate(size=at_least_one(known.sum().over(group_by=self.keys)))
        smallest = sized.filter(sized.p.notnull()).group_by("p").agg(size=lambda each: each.size.min())
        by_size = smallest.group_by("size").agg(n=smallest.count())
        found = self.engine.rows(by_size.order_by("size"))
        n_unknown = self.engine.row(records.agg(n=records.p.isnull().sum()))["n"]
        return PersonFacts(
            n_persons=sum(found["n"]),
            n_unknown=int(n_unknown or 0),
            smallest_size=whole(found["size"]),
            n_by_size=whole(found["n"]),
        )

    @cached_property
    def _left(self) -> tuple[Mapping[str, KeyColumn], Mapping[str, ColumnFacts]]:
        return column_facts(self.engine, self.unchosen_names, self.options)

    @property
    def unchosen_names(self) -> list[str]:
        """Return the columns that nothing was said of, those that cannot be grouped too."""
        settings = self.settings
        named = {settings.person, *self.quasi, *settings.sensitive, *settings.leave_out}
        return [name for name in self.columns if name not in named]

    def unassigned(self) -> tuple[RoleSuggestion, ...]:
        """Suggest a role for each column that nothing was said of, by its name and counts."""
        found = (
            suggest_by_name(name, n_nonblank=self._n_in_table - each.n_missing, n_distinct=each.n_values)
            for name, each in self._left[1].items()
        )
        return tuple(sorted(found, key=lambda each: (list(Role).index(each.role), -each.score)))

    @property
    def _n_values(self) -> dict[str, int]:
        return {name: each.n_values for name, each in self._left[1].items()}

    def unchosen(self) -> UnchosenColumns:
        """Return what the columns nobody chose single out together."""
        keys = self._left[0]
        together = tuple(name for name in unchosen_columns(self.settings, self.columns) if name in keys)
        found = UnchosenColumns(columns=together, n_records=self._n_in_table, n_unique=0)
        return _unchosen(self.engine, found, keys, self._n_values)

    @property
    def further_names(self) -> tuple[str, ...]:
        """Return the columns that are joined with the quasi-identifiers."""
        return further_columns(self.settings, self.columns, self._n_values)

    @property
    def are_too_many(self) -> bool:
        """Return whether records are too many to group them again with each further column."""
        return len(self.further_names) * self._n_in_table > SETS_MAX_CELLS

    def further(self, classes: EquivalenceClasses) -> tuple[FurtherColumns, ...]:
        """Return how many records are in classes of each size over further columns, and over all of these."""
        names, columns = self.further_names if classes.n_classes else (), self._left[0]
        found = []
        for each in [*((name,) for name in names), *((names,) if len(names) > 1 else ())]:
            if not self.are_too_many:
                of = self._sizes(**{f"c{place}": columns[name].value for place, name in enumerate(each)})
                found.append(FurtherColumns(columns=each, sizes=of["size"], n_of_size=of["n_records"]))
        return tuple(found)


def _unchosen(
    engine: Engine, found: UnchosenColumns, columns: Mapping[str, KeyColumn], n_values: Mapping[str, int]
) -> UnchosenColumns:
    """Return columns with what they single out, as in memory; sets are searched on all records or none."""
    if not found.columns:
        return found
    keys = {name: f"k{place}" for place, name in enumerate(found.columns)}
    values = engine.table.select(**{key: columns[name].value for name, key in keys.items()})

    def counted(names: Sequence[str]) -> Expression:
        return values.group_by([keys[name] for name in names]).agg(n=values.count().cast("int64"))

    def n_unique(names: Sequence[str]) -> int:
        classes = counted(names)
        return int(engine.row(classes.agg(n=(classes.n == 1).sum()))["n"] or 0)

    def sets_of(names: Sequence[str]) -> tuple[SinglingOutSets, int] | None:
        if len(names) * found.n_records > SETS_MAX_CELLS:
            return None
        with engine.kept(counted(names)) as table:
            of_names = table.rename({f"k{place}": keys[name] for place, name in enumerate(names)})
            combined = counted_combinations(engine, of_names, names)
            return singling_out_sets(combined, max_cells=UNCHOSEN_MAX_CELLS), found.n_records

    return searched_unchosen(found, n_values, n_unique=n_unique, sets_of=sets_of)


def counted_combinations(engine: Engine, table: Expression, names: Sequence[str]) -> CountedCombinations:
    """Return distinct combinations k0, k1, … with the records n of each, as what sets are measured on."""

    @cache
    def measure(columns: Columns) -> Distinctness:
        keys = [f"k{column}" for column in columns]
        groups = (
            table.group_by(keys).agg(n=table.n.sum().cast("int64")) if keys else table.agg(n=table.n.sum())
        )
        found = engine.row(
            groups.agg(
                n_classes=groups.count(),
                n_unique=(groups.n == 1).sum(),
                n_records=groups.n.sum(),
                n_same=(groups.n * (groups.n - 1) // 2).sum(),
            )
        )
        n = int(found["n_records"])
        return Distinctness(
            columns=tuple(names[column] for column in columns),
            n_records=n,
            n_classes=int(found["n_classes"]),
            n_unique=int(found["n_unique"]),
            n_pairs_separated=n * (n - 1) // 2 - int(found["n_same"]),
        )

    whole = measure(tuple(range(len(names))))
    return CountedCombinations(
        quasi_identifiers=tuple(names),
        n_combinations=whole.n_classes,
        n_records=whole.n_records,
        n_unique=whole.n_unique,
        measure=measure,
    )


def column_facts(
    engine: Engine, names: Sequence[str], options: ReadOptions
) -> tuple[Mapping[str, KeyColumn], Mapping[str, ColumnFacts]]:
    """Return those of the columns that can be grouped, and how many values and missing cells each has."""
    names = [name for name in names if is_groupable(engine.table[name])]
    keys = key_columns(engine, names, options)
    wanted: dict[str, Any] = {}
    for place, name in enumerate(names):
        wanted |= {f"n{place}": keys[name].value.nunique(), f"m{place}": keys[name].is_missing.sum()}
    found = engine.row(engine.table.agg(**wanted)) if wanted else {}
    return keys, {
        name: ColumnFacts(
            column=name, n_values=int(found[f"n{place}"] or 0), n_missing=int(found[f"m{place}"] or 0)
        )
        for place, name in enumerate(names)
    }


def all_of(conditions: Sequence[Any]) -> Any:
    """Return whether all of at least one condition hold."""
    found = conditions[0]
    for each in conditions[1:]:
        found = found & each
    return found


def any_of(conditions: Sequence[Any]) -> Any:
    """Return whether any of at least one condition holds."""
    found = conditions[0]
    for each in conditions[1:]:
        found = found | each
    return found


def at_least_one(value: Any) -> Any:
    """Return a count, 1 where it is 0."""
    import ibis  # noqa: PLC0415

    return ibis.greatest(value, 1)


def whole(values: Sequence[Any]) -> IntArray:
    """Return whole numbers that an engine answered, 0 for nothing."""
    return np.array([int(each or 0) for each in values], dtype=np.int64)
