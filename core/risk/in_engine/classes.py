"""The assessed records of a table in an engine, and their classes, as expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from core.coding import IntArray
from core.engines import Engine, KeyColumn
from core.equivalence import CountedClasses
from core.risk.further_columns import FurtherColumns
from core.risk.measuring import ColumnFacts, PersonFacts
from core.risk.records import RecordEntry
from core.risk.settings import RiskSettings
from core.words import input_error

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression


class Records:
    """The assessed records as expressions: keys k0, k1, … and, where there is one, the person p."""

    def __init__(
        self,
        engine: Engine,
        settings: RiskSettings,
        columns: Mapping[str, KeyColumn],
        quasi: Sequence[str],
        kept: ExitStack,
    ) -> None:
        self.engine, self.settings, self.columns, self.quasi = engine, settings, columns, quasi
        self.keys = [f"k{place}" for place in range(len(quasi))]
        fully = all_of([columns[name].is_suppressed for name in quasi])
        some = any_of(
            [
                columns[name].is_missing if settings.missing == "value" else columns[name].is_suppressed
                for name in quasi
            ]
        )
        if settings.missing == "value":  # a record of blanks alone has a value in each; see `enter_records`
            stars = [columns[name].is_suppressed & ~columns[name].is_missing for name in quasi]
            fully = fully & any_of(stars)
        self.fully, self.some = fully, some
        self.left_out = fully | some if settings.missing == "drop" else fully
        self.person = columns[settings.person].value if settings.person else None
        self.kept = kept
        self.n_left_out = 0  # records, once they entered

    def enter(self) -> tuple[RecordEntry, tuple[ColumnFacts, ...]]:
        """Return which records are assessed, and facts of each quasi-identifier."""
        values = {f"n{place}": self.columns[name].value.nunique() for place, name in enumerate(self.quasi)}
        missing = {f"m{place}": self.columns[name].is_missing.sum() for place, name in enumerate(self.quasi)}
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
        self.n_left_out = found["n_left_out"]
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
        chosen = {key: self.columns[name].value for key, name in zip(self.keys, self.quasi, strict=True)}
        if self.person is not None:
            chosen["p"] = self.person
        return self.engine.table.filter(~self.left_out).select(**chosen, **further)

    def classes(self, signatures: Expression | None) -> CountedClasses:
        """Return how many classes have each size, and how many records are in them."""
        if signatures is None or self.person is not None:
            by_size = self._by_size()
        else:
            by_size = signatures.group_by(size="records").agg(n_classes=signatures.m.sum())
            by_size = by_size.mutate(n_records=by_size.size * by_size.n_classes)
        found = self.engine.rows(by_size.order_by("size"))
        return CountedClasses(
            self.quasi,
            sizes=whole(found["size"]),
            n_classes=whole(found["n_classes"]),
            n_records=whole(found["n_records"]),
            n_left_out=self.n_left_out,
        )

    def _by_size(self, **further: Any) -> Expression:
        """Return how many classes have each size, and their records, over the keys and further columns."""
        records = self.records(**further)
        size = records.count() if self.person is None else at_least_one(records.p.nunique())
        classes = records.group_by([*self.keys, *further]).agg(n_records=records.count(), size=size)
        return classes.group_by("size").agg(n_classes=classes.count(), n_records=classes.n_records.sum())

    def classes_with(self, names: tuple[str, ...], columns: Mapping[str, KeyColumn]) -> FurtherColumns:
        """Return how many records are in classes of each size over further columns too."""
        by_size = self._by_size(**{f"c{place}": columns[name].value for place, name in enumerate(names)})
        found = self.engine.rows(by_size.order_by("size"))
        return FurtherColumns(columns=names, sizes=whole(found["size"]), n_of_size=whole(found["n_records"]))

    def persons(self) -> PersonFacts:
        """Return how many persons have each smallest class."""
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
    return largest_of(value, 1)


def largest_of(first: Any, second: Any) -> Any:
    """Return the larger of two values."""
    import ibis  # noqa: PLC0415

    return ibis.greatest(first, second)


def smallest_of(first: Any, second: Any) -> Any:
    """Return the smaller of two values."""
    import ibis  # noqa: PLC0415

    return ibis.least(first, second)


def whole(values: Sequence[Any]) -> IntArray:
    """Return whole numbers that an engine answered, 0 for nothing."""
    return np.array([int(each or 0) for each in values], dtype=np.int64)
