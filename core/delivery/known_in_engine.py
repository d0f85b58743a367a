"""What an intruder finds who knows persons and some of their events, counted where the tables are.

As in :mod:`core.known`, for everybody: persons with the same histogram are counted together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from core.delivery.measuring import TableFacts
from core.engines import Engine
from core.known import Known

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

MOST_SETS = 20_000_000  # pairs, or triples, of persons' records that are counted


class _Delivery(Protocol):
    """Tables of one engine whose records' persons are known."""

    engine: Engine
    n_persons: int

    def records(self, name: str, columns: Sequence[str], *, prefix: str = "c") -> Expression: ...
    def persons(self) -> Expression: ...


class Events:
    """Persons with what is known of them (d) and of their records (e)."""

    def __init__(
        self, delivery: _Delivery, chosen: Mapping[TableFacts, Sequence[str]], kept: ExitStack
    ) -> None:
        import ibis  # noqa: PLC0415 - takes seconds to import

        self._delivery, self._kept, self._tables = delivery, kept, list(chosen)
        records, uncoded = [], []
        persons = delivery.persons()
        self.own: list[list[str]] = [[] for _ in chosen]  # what each table tells of a person, by column
        for place, (table, columns) in enumerate(chosen.items()):
            rows = delivery.records(table.name, columns, prefix=f"t{place}_")
            if table.repeats and columns:
                records.append(self._coded(rows, place))
            elif table.repeats:  # what is told is how many records there are
                uncoded.append(rows.mutate(e=ibis.literal(-1 - place, "int64")).select("p", "e"))
            elif columns:
                told = rows.rename(q="p")
                persons = persons.left_join(told, persons.p == told.q).drop("q")
                self.own[place] = [name for name in told.columns if name != "q"]
        own = [name for columns in self.own for name in columns]
        self.with_own = persons
        told = ibis.dense_rank().over(order_by=own) if own else ibis.literal(0, "int64")
        self._persons = self._keep(persons.mutate(d=told).select("p", "d"))
        self._records = self._keep(union(records)) if records else None
        self._every = [*([self._records] if self._records is not None else []), *uncoded]
        if self._records is not None:
            once, mine = self._records.distinct(), self._persons.rename(q="p")
            self._once = self._keep(once.join(mine, once.p == mine.q).select("p", "d", "e"))

    def units(self) -> dict[tuple[str, ...], Expression]:
        """Return the persons p by what is known of them, d, and, where there are records, of one, e."""
        found: dict[tuple[str, ...], Expression] = {("d",): self._persons}
        return found if self._records is None else found | {("d", "e"): self._once}

    def _keep(self, question: Expression) -> Expression:
        return self._kept.enter_context(self._delivery.engine.kept(question))

    def _coded(self, rows: Expression, place: int) -> Expression:
        """Return whose each record is, and a number for what it tells, of each table others."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        columns = [name for name in rows.columns if name != "p"]
        kinds = rows.select(*columns).distinct()
        number = ibis.row_number().over(order_by=columns) * len(self._tables) + place
        kinds = self._keep(
            kinds.mutate(e=number.cast("int64")).rename({f"r_{name}": name for name in columns})
        )
        joined = rows.join(kinds, [rows[name] == kinds[f"r_{name}"] for name in columns])
        return joined.select("p", "e")

    # --- classes of each table

    def with_classes(self, table: TableFacts) -> TableFacts:
        """Return a table with the smallest class of each person in it, alike persons together."""
        place = self._tables.index(table)
        if not table.quasi_identifiers:
            one = np.ones(min(table.n_persons, 1), dtype=np.int64)
            return replace(table, smallest=one * table.n_persons, n_alike=one * table.n_persons)
        if table.repeats:
            mine = self._once.filter(self._once.e % len(self._tables) == place)
            sized = mine.mutate(n=mine.count().over(group_by="e"))
            smallest = sized.group_by("p").agg(smallest=sized.n.min())
        else:
            rows = self._delivery.records(table.name, table.quasi_identifiers)
            sized = rows.group_by([name for name in rows.columns if name != "p"]).agg(n=rows.count())
            smallest = sized.mutate(smallest=sized.n)
        found = self._found(None, smallest)
        return replace(table, smallest=found.smallest, n_alike=found.n_alike)

    # --- what is known, and what it finds

    def known(self) -> tuple[Known, ...]:
        """Return what demographics with none to three and with all records find."""
        persons, n = self._persons, self._persons.count().over(group_by="d")
        none = self._found(0, persons.mutate(smallest=n))
        stated = self._stated(["d"])
        return none, self._one(stated), *self._several(stated, ["d"]), self._all()

    def known_one(self) -> Known:
        """Return what demographics and one record find."""
        return self._one(self._stated(["d"]))

    def records_alone(self) -> tuple[Known, ...]:
        """Return what one to three records find by themselves."""
        if self._records is None:
            return ()
        stated = self._stated([])
        return self._one(stated), *self._several(stated, [])

    def _stated(self, by: Sequence[str]) -> Expression:
        """Return of each person `size`, the others alike, and of their records how many there are.

        Those are `n_events` different ones, of which `n_alone` nobody else alike has; the fewest persons
        that have one are `smallest`.
        """
        import ibis  # noqa: PLC0415 - takes seconds to import

        persons = self._persons.mutate(size=self._persons.count().over(group_by=by))
        if self._records is None:
            none = ibis.literal(0, "int64")
            return persons.mutate(n_events=none, n_alone=none, smallest=ibis.null("int64"))
        sized = self._sized(by)
        mine = sized.group_by(q="p").agg(
            n_events=sized.count(), n_alone=(sized.n == 1).sum().cast("int64"), smallest=sized.n.min()
        )
        joined = persons.left_join(mine, persons.p == mine.q).drop("q")
        return self._keep(
            joined.mutate(n_events=joined.n_events.fill_null(0), n_alone=joined.n_alone.fill_null(0))
        )

    def _sized(self, by: Sequence[str]) -> Expression:
        return self._once.mutate(n=self._once.count().over(group_by=[*by, "e"]))

    def _one(self, stated: Expression) -> Known:
        return self._found(1, _answer(stated, 1))

    def _several(self, stated: Expression, by: Sequence[str]) -> tuple[Known, Known]:
        """Return what two and three records find, of everybody; nothing is looked at where that is too much.

        A choice that holds a record that nobody else alike has leaves the person alone: only choices of
        the others are counted.
        """
        if self._records is None:
            return self._found(2, _answer(stated, 1)), self._found(3, _answer(stated, 1))
        rest = (stated.n_events - stated.n_alone).cast("float64")
        most = self._delivery.engine.row(
            stated.agg(two=_choices(rest, 2).sum(), three=_choices(rest, 3).sum())
        )
        found: list[Known] = []
        sized = self._sized(by)
        shared = chosen = self._keep(sized.filter(sized.n > 1).select("p", "d", "e"))
        for n_events, key in ((2, "two"), (3, "three")):
            if (most[key] or 0) > MOST_SETS or (found and not found[-1].n_looked_at):
                found.append(self._counted(n_events, {"smallest": (), "n": (), "alone": ()}))
                continue
            last = chosen.columns[-1]
            more = shared.select(q="p", more="e")
            chosen = chosen.join(more, [chosen.p == more.q, chosen[last] < more.more]).drop("q")
            chosen = self._keep(chosen.rename({f"e{n_events}": "more"}))
            events = [name for name in chosen.columns if name.startswith("e")]
            counts = chosen.mutate(n=chosen.count().over(group_by=[*by, *events]))
            mine = counts.group_by(q="p").agg(
                **{f"n{n_events}": counts.n.min(), f"a{n_events}": (counts.n == 1).sum().cast("int64")}
            )
            stated = self._keep(stated.left_join(mine, stated.p == mine.q).drop("q"))
            found.append(self._found(n_events, _answer(stated, n_events)))
        return found[0], found[1]

    def _all(self) -> Known:
        """Return what demographics and all records find, each as often as it occurs."""
        persons = self._persons
        if not self._every:
            return self._found(None, persons.mutate(smallest=persons.count().over(group_by="d")))
        every = union(self._every)
        bags = every.group_by(q="p").agg(bag=every.e.collect())
        bags = bags.mutate(bag=bags.bag.sort())
        joined = persons.left_join(bags, persons.p == bags.q)
        alike = joined.group_by(["d", "bag"]).agg(n=joined.count())
        return self._found(None, alike.mutate(smallest=alike.n))

    def _found(self, n_events: int | None, answer: Expression) -> Known:
        """Return how many persons have each `smallest`, and what `alone` comes to among them.

        An answer is of `n` persons, or of one; without `alone`, who is in a class of one is.
        """
        columns = {"smallest": answer.smallest}
        columns["n"] = answer.n if "n" in answer.columns else 1
        is_alone = answer.alone if "alone" in answer.columns else _share(answer.smallest == 1)
        answer = answer.select(**columns, alone=is_alone)
        grouped = answer.group_by("smallest").agg(
            n=answer.n.sum().cast("int64"), alone=(answer.alone * answer.n).sum()
        )
        return self._counted(n_events, self._delivery.engine.rows(grouped.order_by("smallest")))

    def _counted(self, n_events: int | None, found: Mapping[str, Sequence[Any]]) -> Known:
        n_alike = np.array([int(each) for each in found["n"]], dtype=np.int64)
        return Known(
            n_events=n_events,
            n_persons=self._delivery.n_persons,
            n_looked_at=int(n_alike.sum()),
            smallest=np.array([int(each) for each in found["smallest"]], dtype=np.int64),
            alone=np.array([float(each) for each in found["alone"]]) / np.maximum(n_alike, 1),
            n_alike=n_alike,
        )


def _answer(stated: Expression, n_events: int) -> Expression:
    """Return the fewest persons that so many records leave, and the share of choices that leave one.

    Who has fewer records is looked at with all of them.
    """
    import ibis  # noqa: PLC0415 - takes seconds to import

    few = stated.n_events == 0
    smallest = [(few, stated.size)]
    alone = [(few, _share(stated.size == 1))]
    for n in range(1, n_events + 1):
        is_it = stated.n_events == n if n < n_events else stated.n_events >= n
        total = stated.n_events.cast("float64")
        if n == 1:
            least, n_alone = stated.smallest, stated.n_alone.cast("float64")
        else:
            least = (stated.n_alone > 0).ifelse(1, stated[f"n{n}"])
            of_others = _choices((stated.n_events - stated.n_alone).cast("float64"), n)
            n_alone = _choices(total, n) - of_others + stated[f"a{n}"].fill_null(0)
        smallest.append((is_it, least))
        alone.append((is_it, n_alone / _choices(total, n)))
    return stated.select(smallest=ibis.cases(*smallest), alone=ibis.cases(*alone))


def _share(condition: Any) -> Any:
    """Return 1 or 0 as decimals: PostgreSQL takes 1.0 for an exact number, which Ibis does not expect."""
    return condition.ifelse(1, 0).cast("float64")


def _choices(of: Any, n: int) -> Any:
    """Return in how many ways n of some records are chosen, as decimals."""
    return {1: of, 2: of * (of - 1) / 2, 3: of * (of - 1) * (of - 2) / 6}[n]


def union(tables: Sequence[Expression]) -> Expression:
    """Return the rows of all tables, those that are alike too."""
    return reduce(lambda a, b: a.union(b), tables)
