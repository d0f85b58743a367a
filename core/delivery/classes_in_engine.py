"""What classes of persons give away, joined over all tables and counted where the tables are.

As :mod:`core.delivery.one_value` and :mod:`core.delivery.sensitive`, of items that an engine counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from core.classes import Items, Pairs, items_of_signatures
from core.coding import IntArray
from core.delivery.keys import Place
from core.delivery.one_value import MOST_PAIRS, MOST_VALUES, OneValue, one_value_of, tells_membership
from core.delivery.sensitive import JoinedSensitive, counted_classes, measured_over
from core.engines import Engine, KeyColumn, distinct_values, items_in_engine, n_too_many, with_codes
from core.risk.sensitive import SensitiveMeasurement

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression


class Told(NamedTuple):
    """A column of a table in an engine, and whose its cells are."""

    engine: Engine
    key: KeyColumn
    cells: Expression  # of persons: p, and the cell c as it is written and without blanks around it, v


class _Delivery(Protocol):
    engine: Engine
    n_persons: int

    def told(self, place: Place) -> Told: ...
    def in_tables(self) -> tuple[Expression, Sequence[str]]: ...


class JoinedClasses:
    """Classes of persons, the units p, by keys: what is known of the person, and perhaps of a record."""

    def __init__(self, delivery: _Delivery, units: Expression, keys: Sequence[str]) -> None:
        self._delivery, self._units, self._keys = delivery, units, [*keys]
        self._by_record = len(keys) > 1

    @cached_property
    def _sizes(self) -> tuple[IntArray, IntArray]:
        """Return how many persons classes have, ascending, and how many classes have so many."""
        sized = self._units.group_by(self._keys).agg(size=self._units.count())
        found = self._delivery.engine.rows(sized.group_by("size").agg(n=sized.count()).order_by("size"))
        return np.array(found["size"], dtype=np.int64), np.array(found["n"], dtype=np.int64)

    def _with_items(self, known: Expression) -> Expression:
        """Return the units with the items that are known of each, beside a row without one of each."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        mine = self._units.join(known, self._units.p == known.q).select("p", *self._keys, "c")
        alone = self._units.select("p", *self._keys, c=ibis.null("int64"))
        return mine.mutate(c=mine.c.cast("int64")).union(alone)

    def _items(self, known: Expression, n_items: int) -> Items | None:
        """Return the persons of each class by item, None where there are too many.

        `known` has whose each item is, q, and its code c below `n_items`, once.
        """
        engine, rows = self._delivery.engine, self._with_items(known)
        if self._by_record and engine.row(rows.agg(n=rows.count()))["n"] > MOST_PAIRS:
            return None
        found = items_in_engine(engine, rows, self._keys, n_items=n_items)
        totals = np.zeros(n_items, dtype=np.int64)
        counted = engine.rows(known.group_by("c").agg(n=known.count())) if n_items else {"c": (), "n": ()}
        totals[np.array(counted["c"], dtype=np.int64)] = counted["n"]
        return replace(found, records=found.records - found.class_totals, totals=totals)

    def one_value(self, place: Place) -> OneValue | None:
        """Return in how many classes everybody has one value of a column; None in none.

        The values are numbered where they are, and none leaves the engine.
        """
        import ibis  # noqa: PLC0415 - takes seconds to import

        cells = self._delivery.told(place).cells
        kinds = cells.select("v").filter(cells.v.notnull()).distinct()
        n_values = int(self._delivery.engine.row(kinds.agg(n=kinds.count()))["n"])
        if not 1 < n_values <= MOST_VALUES:
            return None
        kinds = kinds.mutate(code=ibis.row_number().over(order_by="v")).rename(w="v")
        known = cells.join(kinds, cells.v == kinds.w).select(q="p", c="code").distinct()
        if (items := self._items(known, n_values)) is None:
            return None
        persons_in = partial(self._n_alike, known) if self._by_record else None
        n_persons = self._delivery.n_persons
        return one_value_of(place, items, n_persons, by_record=self._by_record, persons_in=persons_in)

    def _n_alike(self, known: Expression, _: object) -> int:
        """Return the persons in classes of several of which everybody has one value."""
        rows = self._with_items(known)
        sized = rows.mutate(
            size=rows.c.isnull().sum().over(group_by=self._keys),
            n=rows.count().over(group_by=[*self._keys, "c"]),
        )
        alike = sized.filter(sized.c.notnull() & (sized.n == sized["size"]) & (sized["size"] > 1))
        return int(self._delivery.engine.row(alike.agg(n=alike.p.nunique()))["n"] or 0)

    def sensitive(self, place: Place) -> JoinedSensitive:
        """Return what the classes give away of a column."""
        return JoinedSensitive(place=place, by_record=self._by_record, found=self._measured(place))

    def _measured(self, place: Place) -> SensitiveMeasurement | None:
        told = self._delivery.told(place)
        if n_too_many(told.engine, told.key):
            return None
        values = distinct_values(told.engine, told.key)
        cells = told.cells.group_by("c").agg(n=told.cells.count())
        coded = with_codes(cells, "c", values, np.arange(len(values.written) + 1))
        found = self._delivery.engine.rows(coded)
        n_records = np.zeros(len(values.written) + 1, dtype=np.int64)
        n_records[np.array(found["c"], dtype=np.int64)] = found["n"]

        def count(code: IntArray) -> Items | None:
            coded = with_codes(told.cells, "c", values, code)
            known = coded.filter(coded.c.notnull()).select(q="p", c="c").distinct()
            return self._items(known, int(code.max(initial=-1)) + 1)

        return measured_over(values.column(str(place)), n_records, counted_classes(*self._sizes), count)


def memberships_in_engine(
    delivery: _Delivery, persons: Expression, own: Sequence[Sequence[str]]
) -> Iterator[OneValue]:
    """Yield the tables in which everybody of some class is, or nobody, as `core.delivery.one_value` does.

    `persons` have p and all that is told of each, `own` the columns of each table there.
    """
    at, names = delivery.in_tables()
    engine, joined = delivery.engine, persons.join(at, persons.p == at.r)
    present = engine.row(
        joined.agg(**{f"n_{one}": (joined[f"n_{one}"] > 0).sum() for one in range(len(names))})
    )
    is_whole = [int(present[f"n_{one}"] or 0) == delivery.n_persons for one in range(len(names))]
    for (place, name), is_absent in product(enumerate(names), (False, True)):
        others = [one for one in range(len(own)) if one != place and (is_whole[one] or not is_absent)]
        keys = [column for one in others for column in own[one]]
        is_it = (joined[f"n_{place}"] > 0) != is_absent
        rows = joined.select(*keys, here=is_it.ifelse(1, 0))
        sums: dict[str, Any] = {"size": rows.count(), "n": rows.here.sum().cast("int64")}
        classes = rows.group_by(keys).agg(**sums) if keys else rows.agg(**sums)
        alike = engine.rows(classes.group_by(["size", "n"]).agg(m=classes.count()))
        size, n, m = (np.array(alike[key], dtype=np.int64) for key in ("size", "n", "m"))
        inside = np.flatnonzero(n)
        pairs = Pairs(inside, np.zeros_like(inside), n[inside])
        items = items_of_signatures(m, size, pairs, n_items=1)
        found, n_all = one_value_of(name, items, delivery.n_persons), int(items.totals[0])
        if tells_membership(found, n_all, delivery.n_persons, is_absent=is_absent):
            yield replace(found, is_absent=is_absent)
