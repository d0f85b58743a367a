"""Disclosure risk of a table measured where it is: an engine runs the expressions, aggregates come back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from core.coding import CodedColumn, FloatArray, IntArray
from core.engines import SECRETS, Address, Engine, KeyColumn, Origin, connected, is_groupable, key_columns
from core.equivalence import CountedClasses
from core.errors import AuditInputError
from core.risk.columns import UnchosenColumns, unchosen_columns
from core.risk.folding import (
    Likelihood,
    fold_values,
    is_in_tenths,
    least_shares,
    likely_of,
    tenths,
)
from core.risk.judging import RiskAudit, judge_risk
from core.risk.measuring import ColumnFacts, PersonFacts, RiskMeasurement
from core.risk.population import population_uniques
from core.risk.population_estimates import risk_by_population_size
from core.risk.records import Pairs, RecordEntry
from core.risk.sensitive import ByClass, Limited, SensitiveMeasurement, sensitive_codes
from core.risk.settings import RiskSettings, RiskThresholds, check_settings
from core.roles import Role, RoleSuggestion, suggest_by_name
from core.tables import ReadOptions
from core.tables.parquet import as_text
from core.verdict import Finding, Verdict
from core.words import input_error, listed

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

MOST_VALUES = 10_000  # distinct values of a sensitive attribute that leave the engine
_MOST_COUNTERS = 32  # codes of which a class is a row of counters
_FEW_RECORDS = 10_000  # of which roles are suggested
_FEW_VALUES = 20  # that may be of hardly more records
_MOST_ROUNDS = 1024  # values of a class that are told apart one after another
_MOST_CLASSES = 20_000_000  # whose sizes are listed for estimates of the population
_LIMITS: Mapping[Limited, str] = {"alpha": "alpha", "t": "t", "basic_beta": "beta", "delta_ln": "delta"}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Values(CodedColumn):
    """The distinct values of a column, a code each, and how many records have each."""

    records: IntArray  # shape (n_values,)

    @cached_property
    def counts(self) -> IntArray:
        """Return shape (n_values,): the records that hold each value."""
        return self.records


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedSensitive(SensitiveMeasurement):
    """Attribute disclosure that was counted in an engine, for the limits asked for."""

    # by whether values are folded: shape (l + 1,), classes and records by distinct l
    by_l: tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]
    beyond: Mapping[tuple[Limited, bool], tuple[float, int, int]]  # limit, classes and records above it
    n_unknown: int  # classes of which no record has a known value

    @property
    def n_classes_unknown(self) -> int:
        """Return the classes of which no record has a known value."""
        return self.n_unknown

    @cached_property
    def _by_l(self) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
        return self.by_l

    def above(self, key: Limited, limit: float, *, folded: bool = False) -> tuple[int, int]:
        """Return classes, and records in them, whose figure is above the limit that was asked for."""
        asked, n_classes, n_records = self.beyond[key, folded]
        if asked != limit:
            raise KeyError(key)
        return n_classes, n_records


def audit_in_engine(
    address: Address,
    *,
    settings: RiskSettings,
    thresholds: RiskThresholds,
    options: ReadOptions | None = None,
    memory: str | None = None,
    secrets: Path = SECRETS,
    is_stopped: Callable[[], bool] | None = None,
) -> tuple[RiskAudit, Origin]:
    """Reach a table, and measure and judge it where it is.

    Parameters
    ----------
    address, options, memory, secrets, is_stopped
        See :func:`core.engines.connected`.
    settings, thresholds
        See :func:`measure_in_engine`.

    Raises
    ------
    AuditInputError
        The table cannot be reached, or cannot be measured as asked.
    """
    with connected(address, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped) as engine:
        measured = measure_in_engine(engine, settings=settings, thresholds=thresholds, options=options)
        return judge_risk(measured, thresholds), engine.origin


def roles_in_engine(address: Address, *, secrets: Path = SECRETS) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for each column that can be grouped, by its name and by counts over a few records."""
    with connected(address, secrets=secrets) as engine:
        few = engine.table.limit(_FEW_RECORDS)
        names = [name for name in few.columns if is_groupable(few[name])]
        counts = {f"n{place}": few[name].count() for place, name in enumerate(names)}
        counts |= {f"d{place}": few[name].nunique() for place, name in enumerate(names)}
        return _by_name(names, engine.row(few.agg(**counts)) if names else {})


def _by_name(names: Sequence[str], counts: Mapping[str, int]) -> tuple[RoleSuggestion, ...]:
    """Suggest roles from names, and from how many cells and different values the columns have by place."""
    return tuple(
        suggest_by_name(name, n_nonblank=counts[f"n{place}"], n_distinct=counts[f"d{place}"])
        for place, name in enumerate(names)
    )


def measure_in_engine(
    engine: Engine, *, settings: RiskSettings, thresholds: RiskThresholds, options: ReadOptions | None = None
) -> RiskMeasurement:
    """Measure a table's disclosure risk where it is.

    Parameters
    ----------
    engine
        The table.
    settings
        What its columns are.
    thresholds
        The limits that classes are counted against.
    options
        Which words are missing values.

    Raises
    ------
    AuditInputError
        Settings that name no or wrong columns, or ask for what is not measured in an engine.
    """
    columns = tuple(engine.table.columns)
    check_settings(settings, columns)
    _check_asked(settings, thresholds)
    quasi = tuple(dict.fromkeys(settings.quasi_identifiers))
    sensitive = tuple(dict.fromkeys(settings.sensitive))
    person = (settings.person,) if settings.person else ()
    keys = key_columns(engine, (*quasi, *sensitive, *person), options or ReadOptions())
    with ExitStack() as kept:
        table = _Table(engine, settings, keys, quasi, kept)
        entry, facts = table.enter()
        attributes = [_Attribute(table, name, thresholds) for name in sensitive]
        classes = table.classes(attributes[0].signatures_as_written() if attributes else None)
        measured = RiskMeasurement(
            name=engine.address.name,
            columns=columns,
            settings=settings,
            entry=entry,
            classes=classes,
            quasi_identifiers=facts,
            sensitive=tuple(each.measure(classes) for each in attributes),
            persons=table.persons() if settings.person else None,
            unassigned=(),
            unchosen=UnchosenColumns(columns=(), n_records=entry.n_in_table, n_unique=0),
        )
    return _with_unchosen(_with_population(measured), engine, options or ReadOptions())


def _check_asked(settings: RiskSettings, thresholds: RiskThresholds) -> None:
    """Refuse what is not measured in an engine, rather than leave it out."""
    asked = {
        "--missing=wildcard": settings.missing == "wildcard",
        "--several-sensitive=others_added": settings.several_sensitive == "others_added"
        and len(settings.sensitive) > 1,
        "--household": settings.household is not None or thresholds.household_risk is not None,
        "--weight": settings.weight is not None,
        "--counts": settings.is_of_counts,
        "--person-k": thresholds.person_k is not None,
    }
    wrong = [option for option, is_asked in asked.items() if is_asked]
    if wrong:
        raise refused_in_engine(wrong)


def refused_in_engine(options: Sequence[str]) -> AuditInputError:
    """Return the error of options that need the records themselves."""
    return input_error(
        "{options} needs the records themselves, which stay where the table is. Leave it out, or audit a "
        "file.",
        "{options} need the records themselves, which stay where the table is. Leave them out, or audit a "
        "file.",
        n=len(options),
        options=", ".join(options),
    )


class _Table:
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
        fully = _all([columns[name].is_suppressed for name in quasi])
        some = _any(
            [
                columns[name].is_missing if settings.missing == "value" else columns[name].is_suppressed
                for name in quasi
            ]
        )
        self.fully, self.some = fully, some
        self.left_out = fully | some if settings.missing == "drop" else fully
        self.person = columns[settings.person].value if settings.person else None
        self.kept = kept

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
            records = self.records()
            size = records.count() if self.person is None else _at_least_one(records.p.nunique())
            classes = records.group_by(self.keys).agg(n_records=records.count(), size=size)
            by_size = classes.group_by("size").agg(
                n_classes=classes.count(), n_records=classes.n_records.sum()
            )
        else:
            by_size = signatures.group_by(size="records").agg(n_classes=signatures.m.sum())
            by_size = by_size.mutate(n_records=by_size.size * by_size.n_classes)
        found = self.engine.rows(by_size.order_by("size"))
        return CountedClasses(
            self.quasi,
            sizes=_whole(found["size"]),
            n_classes=_whole(found["n_classes"]),
            n_records=_whole(found["n_records"]),
        )

    def persons(self) -> PersonFacts:
        """Return how many persons have each smallest class."""
        records = self.records()
        pairs = records.group_by([*self.keys, "p"]).agg(n=records.count())
        known = pairs.p.notnull()
        sized = pairs.mutate(size=_at_least_one(known.sum().over(group_by=self.keys)))
        smallest = sized.filter(sized.p.notnull()).group_by("p").agg(size=lambda each: each.size.min())
        by_size = smallest.group_by("size").agg(n=smallest.count())
        found = self.engine.rows(by_size.order_by("size"))
        n_unknown = self.engine.row(records.agg(n=records.p.isnull().sum()))["n"]
        return PersonFacts(
            n_persons=sum(found["n"]),
            n_unknown=int(n_unknown or 0),
            smallest_size=_whole(found["size"]),
            n_by_size=_whole(found["n"]),
        )


class _Attribute:
    """One sensitive attribute: its values come here, its classes are counted in the engine."""

    def __init__(self, table: _Table, name: str, thresholds: RiskThresholds) -> None:
        self.table, self.engine, self.name = table, table.engine, name
        self.thresholds, self.settings = thresholds, table.settings
        self.signatures: dict[bytes, Expression] = {}
        self.cells, self.column, n_missing = self._values()
        self.n_missing_assessed = n_missing
        self.distance, self.code = sensitive_codes(self.column, self.settings)
        self.folded = fold_values(self.column, self.settings)

    def _values(self) -> tuple[pa.Array, _Values, IntArray]:
        """Return the distinct values as the engine has them and as text, and the assessed records of each."""
        key, engine = self.table.columns[self.name], self.engine
        n_values, n_records = engine.row(
            engine.table.agg(n_values=key.value.nunique(), n_records=engine.table.count())
        ).values()
        if n_values > MOST_VALUES or (n_values > _FEW_VALUES and 2 * n_values > n_records):
            raise input_error(
                "{column} has {n} different values, too many to take them out of the engine. Make it "
                "coarser, such as "
                "by rounding, or do not choose it as sensitive.",
                column=f"`{self.name}`",
                n=n_values,
            )
        every = engine.table.select(s=key.value, assessed=~self.table.left_out)
        found = engine.answer(every.group_by("s").agg(n=every.count(), n_assessed=every.assessed.sum()))
        cells = found["s"].combine_chunks()
        order = np.argsort(
            cells.is_null().to_numpy(zero_copy_only=False), kind="stable"
        )  # a missing one last
        cells = cells.take(pa.array(order))
        n, n_assessed = (_whole(found[key].to_pylist())[order] for key in ("n", "n_assessed"))
        known = len(cells) - cells.null_count
        written = as_text(pa.chunked_array([cells.slice(0, known)])).combine_chunks()
        codes = np.append(np.arange(known), -1) if cells.null_count else np.arange(known)
        column = _Values(values=written, codes=codes, name=self.name, records=n[:known])
        return cells, column, n_assessed

    def signatures_as_written(self) -> Expression | None:
        """Return how many classes have the same members with each value; None of many values."""
        return self._signatures(self.code)

    def measure(self, classes: CountedClasses) -> CountedSensitive:
        """Return what classes give away about the attribute."""
        q, n_of_code = self._shares(self.code)
        written, by_class = self._figures(self.code, None, q, n_of_code, ordered=self.distance == "ordered")
        folded, folded_by_class = written, by_class
        likely = self._likelihood(self.code, q)
        if self.folded.changes or (self.folded.numbers is not None and self.distance != "ordered"):
            group = self.folded.group_of_value[self.column.codes]
            group_q, n_of_group = self._shares(group)
            likely = self._likelihood(group, group_q)
            if self.folded.changes:
                folded, folded_by_class = self._folded(group, group_q, n_of_group)
        figures = {key: written[key] for key in _FIGURES}
        figures |= {f"folded_{key}": folded[key] for key in _FOLDED}
        nothing = np.zeros(0)
        empty = ByClass(
            distinct_l=nothing.astype(np.int64),
            entropy_l=nothing,
            alpha=nothing,
            t=nothing,
            basic_beta=nothing,
            delta_ln=nothing,
        )
        return CountedSensitive(
            column=self.name,
            distance=self.distance,
            classes=classes,
            n_missing=int(self.n_missing_assessed[self.code < 0].sum()),
            n_values=int(np.count_nonzero(n_of_code)),
            figures=figures,
            by_class=empty,
            folded=self.folded,
            folded_by_class=empty,
            likelihood=likely,
            records_of_class=np.zeros(0, dtype=np.int64),
            by_l=(by_class.by_l, folded_by_class.by_l),
            beyond={
                **{(key, False): value for key, value in by_class.beyond.items()},
                **{(key, True): value for key, value in folded_by_class.beyond.items()},
            },
            n_unknown=by_class.n_unknown,
        )

    def _coded(self, code: IntArray) -> Expression:
        """Return the assessed records with the code c of their value, null for an unknown one."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        known = len(self.column.values)
        names = ibis.memtable(pa.table({"v": self.cells.slice(0, known), "c": pa.array(code[:known])}))
        of_missing = int(code[known]) if len(code) > known else -1
        records = self.table.records(s=self.table.columns[self.name].value)
        coded = records.left_join(names, records.s == names.v)
        found = coded.s.isnull().ifelse(of_missing, coded.c)
        return coded.mutate(c=(found >= 0).ifelse(found, ibis.null("int64")).cast("int64"))

    def _pairs(self, code: IntArray, merged: IntArray | None = None) -> Expression:
        """Return the members n of each class with each code c, null for an unknown one, and their records."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        coded = self._coded(code)
        n = coded.count()
        if self.table.person is not None:
            n = coded.p.nunique() + coded.p.isnull().sum()
        pairs = coded.group_by([*self.table.keys, "c"]).agg(n=n.cast("int64"), records=coded.count())
        if merged is None:
            return pairs
        groups = ibis.memtable(pa.table({"g": pa.array(np.arange(len(merged))), "to": pa.array(merged)}))
        joined = pairs.left_join(groups, pairs.c == groups.g)
        joined = joined.mutate(c=joined.to)
        return joined.group_by([*self.table.keys, "c"]).agg(n=joined.n.sum(), records=joined.records.sum())

    def _signatures(self, code: IntArray) -> Expression | None:
        """Return how many classes m have the same records, and members with each code; None of many codes.

        Figures of a class depend on nothing else, and few signatures stand for all small classes.
        """
        n_codes = int(code.max(initial=-1)) + 1
        if n_codes > _MOST_COUNTERS or not self.n_missing_assessed[code >= 0].any():
            return None
        if (known := code.tobytes()) not in self.signatures:
            records = self._coded(code)
            counters = {}
            for each in range(n_codes):
                is_it = records.c == each
                n = is_it.sum()
                if self.table.person is not None:
                    n = records.p.nunique(where=is_it) + (is_it & records.p.isnull()).sum()
                counters[f"n{each}"] = n.fill_null(0).cast("int64")
            classes = records.group_by(self.table.keys).agg(records=records.count(), **counters)
            alike = classes.group_by(["records", *counters]).agg(m=classes.count())
            self.signatures[known] = self.table.kept.enter_context(self.engine.kept(alike))
        return self.signatures[known]

    def _shares(self, code: IntArray) -> tuple[FloatArray, IntArray]:
        """Return shape (n_codes,): each code's share of the assessed records, and the records of each."""
        totals = np.zeros(int(code.max(initial=-1)) + 1)
        if self.table.person is None:
            known = code >= 0
            totals += np.bincount(code[known], weights=self.n_missing_assessed[known], minlength=len(totals))
        else:
            pairs = self._pairs(code)
            found = self.engine.rows(
                pairs.filter(pairs.c.notnull()).group_by("c").agg(n=lambda each: each.n.sum())
            )
            totals[_whole(found["c"])] = found["n"]
        return totals / max(totals.sum(), 1), totals.astype(np.int64)

    def _folded(
        self, group: IntArray, q: FloatArray, totals: IntArray
    ) -> tuple[dict[str, float | None], _Counted]:
        """Return the figures of values as what they mean; numbers close to each other are one."""
        if self.folded.numbers is None:
            return self._figures(group, None, q, totals, ordered=False)
        interval = self.folded.interval_of_group
        size = int(interval.max(initial=-1)) + 1
        merged_totals = np.bincount(interval[: len(totals)], weights=totals, minlength=size).astype(np.int64)
        merged_q = merged_totals / max(merged_totals.sum(), 1)
        figures, counted = self._figures(group, interval, merged_q, merged_totals, ordered=True)
        least, by_l = self._meanings(group)
        return {**figures, "distinct_l": least}, replace(counted, by_l=by_l)

    def _meanings(self, group: IntArray) -> tuple[int | None, tuple[IntArray, IntArray]]:
        """Return the fewest values of a class no two of which are close; classes and records by their number.

        Every round takes from each class the smallest value that is not close to the one taken before.
        """
        import ibis  # noqa: PLC0415

        following, keys = self.folded.following, self.table.keys
        names = ibis.memtable(pa.table({"g": pa.array(np.arange(len(following))), "f": pa.array(following)}))
        pairs = self._pairs(group)
        pairs = pairs.left_join(names, pairs.c == names.g).select(*keys, "c", "f", "records")
        pairs = pairs.mutate(records=pairs.records.sum().over(group_by=keys))
        alive: list[tuple[int, int]] = []
        with ExitStack() as kept:
            left = kept.enter_context(self.engine.kept(pairs.filter(pairs.c.notnull())))
            while len(alive) < _MOST_ROUNDS:
                classes = left.group_by(keys).agg(records=left.records.max())
                found = self.engine.row(classes.agg(n=classes.count(), records=classes.records.sum()))
                alive.append((int(found["n"]), int(found["records"] or 0)))
                if not alive[-1][0] or (alive[-1] != alive[0] and len(alive) > (self.thresholds.l or 1)):
                    break
                next_one = left.mutate(b=left.f.min().over(group_by=keys))
                left = kept.enter_context(
                    self.engine.kept(next_one.filter(next_one.c >= next_one.b).drop("b"))
                )
        ended = -np.diff(np.array([*alive, (0, 0)]), axis=0)
        n, records = (np.append(0, column) for column in ended.T)
        if not alive[0][0]:
            return None, (n, records)
        return int(np.flatnonzero(n)[0]), (n, records)

    def _figures(
        self, code: IntArray, merged: IntArray | None, q: FloatArray, totals: IntArray, *, ordered: bool
    ) -> tuple[dict[str, float | None], _Counted]:
        """Return the figures of the worst class, and what classes are beyond the limits."""
        signatures = self._signatures(code)
        if signatures is None:
            by_class = self._by_class(self._pairs(code, merged), q, ordered=ordered)
        else:
            by_class = _by_signature(signatures, _merged(len(totals), merged, code), q, ordered=ordered)
        limits = {key: getattr(self.thresholds, name) for key, name in _LIMITS.items()}
        limits = {key: limit for key, limit in limits.items() if limit is not None}
        found = self.engine.rows(
            by_class.group_by("distinct_l").agg(
                n=by_class.m.sum(),
                records=(by_class.records * by_class.m).sum(),
                **{f"most_{key}": by_class[key].max() for key in _MOST},
                least_entropy_l=by_class.entropy_l.min(),
                **_above(by_class, limits),
            )
        )
        distinct = _whole(found["distinct_l"])
        n, records = (np.bincount(distinct, weights=found[key], minlength=1) for key in ("n", "records"))
        by_l = n.astype(np.int64), records.astype(np.int64)
        beyond = {
            key: (limit, sum(found[f"n_{key}"]), sum(found[f"records_{key}"]))
            for key, limit in limits.items()
        }
        figures = _worst(found, n_values=int(np.count_nonzero(totals)))
        if merged is None:
            figures |= self._recursive(code, figures["distinct_l"])
        return figures, _Counted(by_l=by_l, beyond=beyond, n_unknown=int(by_l[0][0]))

    def _by_class(self, pairs: Expression, q: FloatArray, *, ordered: bool) -> Expression:
        """Return a row a class, in the engine: its records and the figures of every model."""
        import ibis  # noqa: PLC0415

        keys = self.table.keys
        shares = ibis.memtable(pa.table({"g": pa.array(np.arange(len(q))), "q": pa.array(q)}))
        pairs = pairs.left_join(shares, pairs.c == shares.g).select(*keys, "c", "n", "records", "q")
        total = pairs.n.sum(where=pairs.c.notnull()).over(group_by=keys)
        pairs = pairs.mutate(total=total.cast("float64"))
        share = (pairs.c.notnull()).ifelse(pairs.n.cast("float64") / pairs.total, ibis.null("float64"))
        pairs = pairs.mutate(share=share)
        gain = (pairs.share - pairs.q) / pairs.q
        pairs = pairs.mutate(gain=gain, bound=_largest_of(-pairs.q.ln(), 0.0))
        distance = 0.5 * (1.0 + ((pairs.share - pairs.q).abs() - pairs.q).sum())
        if ordered:
            pairs = self._with_moved(pairs, q)
            distance = pairs.moved.sum()
        return pairs.group_by(keys).agg(
            m=ibis.literal(1, "int64"),
            records=pairs.records.sum(),
            distinct_l=pairs.c.count(),
            entropy_l=_clipped_l((-pairs.share * pairs.share.ln()).sum().exp(), pairs.c.count()),
            alpha=pairs.share.max(),
            t=(pairs.c.count() > 0).ifelse(_between_0_and_1(distance), ibis.null("float64")),
            basic_beta=_largest_of(pairs.gain.max(), 0.0),
            beyond_enhanced=(pairs.gain > pairs.bound).ifelse(1, 0).max(),
            delta_ln=(pairs.share / pairs.q).ln().abs().max(),
        )

    def _with_moved(self, pairs: Expression, q: FloatArray) -> Expression:
        """Return the pairs with each one's part of the ordered distance, from its value up to the next one.

        Between them the share of the class that has come so far stands still, and that of the table,
        ascending with the values, crosses it at most once; where, is found by sorting both into each other.
        """
        import ibis  # noqa: PLC0415

        last = len(q) - 1
        if last < 1:
            return pairs.mutate(moved=ibis.literal(0.0))
        keys, cumulated = self.table.keys, np.cumsum(q)[:-1]
        prefix = np.concatenate([[0.0], np.cumsum(cumulated)])
        sums = ibis.memtable(pa.table({"g": pa.array(np.arange(last + 1)), "p": pa.array(prefix)}))
        pairs = pairs.left_join(sums, pairs.c == sums.g).drop("g")
        pairs = pairs.mutate(place=pairs.c.fill_null(last + 1), p=pairs.p.fill_null(float(prefix[-1])))
        in_order = ibis.window(group_by=keys, order_by="place")
        so_far = ibis.window(group_by=keys, order_by="place", preceding=(None, 0))
        pairs = pairs.mutate(
            level=pairs.n.sum().over(so_far).cast("float64") / pairs.total,
            is_first=ibis.row_number().over(in_order) == 0,
            stop=_smallest_of(pairs.place.lead().over(in_order).fill_null(last), last),
            p_stop=pairs.p.lead().over(in_order).fill_null(float(prefix[-1])),
        )
        levels = pairs.filter(pairs.c.notnull()).select(x="level").distinct()
        levels = levels.mutate(step=ibis.literal(0, "int64"), by=ibis.literal(0.0))
        steps = ibis.memtable(
            pa.table({"x": cumulated, "step": np.ones(last, dtype=np.int64), "by": cumulated})
        )
        both = levels.union(steps.select("x", "step", "by"))
        before = ibis.window(order_by=["x", "step"], preceding=(None, 0))
        both = both.mutate(x_place=both.step.sum().over(before), x_p=both.by.sum().over(before))
        crossing = both.filter(both.step == 0).select("x", "x_place", "x_p")
        pairs = pairs.left_join(crossing, pairs.level == crossing.x)
        at = _largest_of(_smallest_of(pairs.x_place, pairs.stop), pairs.c).cast("float64")
        p_at = _largest_of(_smallest_of(pairs.x_p, pairs.p_stop), pairs.p)
        below = pairs.level * (at - pairs.c) - (p_at - pairs.p)
        above = (pairs.p_stop - p_at) - pairs.level * (pairs.stop - at)
        moved = (below + above + pairs.is_first.ifelse(pairs.p, 0.0)) / last
        return pairs.mutate(moved=pairs.c.notnull().ifelse(moved, 0.0))

    def _recursive(self, code: IntArray, smallest: float | None) -> dict[str, float | None]:
        """Return the figures of recursive diversity; a class of one value decides them without ranks."""
        c = self.settings.recursive_c
        if smallest is None:
            return dict.fromkeys(("recursive_c_at_l2", "recursive_c_at_l3", "recursive_l"))
        if smallest == 1 and c > 1:
            return {"recursive_c_at_l2": np.inf, "recursive_c_at_l3": np.inf, "recursive_l": 1}
        import ibis  # noqa: PLC0415

        keys = self.table.keys
        pairs = self._pairs(code)
        pairs = pairs.filter(pairs.c.notnull())
        ranked = ibis.window(group_by=keys, order_by=[ibis.desc("n"), "c"])
        so_far = ibis.window(group_by=keys, order_by=[ibis.desc("n"), "c"], preceding=(None, 0))
        pairs = pairs.mutate(
            rank=ibis.row_number().over(ranked),
            before=pairs.n.sum().over(so_far) - pairs.n,
            total=pairs.n.sum().over(group_by=keys),
            most=pairs.n.max().over(group_by=keys),
        )
        holds = pairs.most < c * (pairs.total - pairs.before)
        classes = pairs.group_by(keys).agg(
            holding=holds.ifelse(1, 0).sum(),
            most=pairs.most.max(),
            second=pairs.n.sum(where=pairs["rank"] >= 1),
            third=pairs.n.sum(where=pairs["rank"] >= 2),
        )
        least = self.engine.row(
            classes.agg(
                holding=classes.holding.min(),
                second=(classes.most.cast("float64") / classes.second).max(),
                third=(classes.most.cast("float64") / classes.third).max(),
            )
        )
        return {
            "recursive_c_at_l2": least["second"] if smallest >= 2 else np.inf,
            "recursive_c_at_l3": least["third"] if smallest >= 3 else np.inf,
            "recursive_l": int(least["holding"]),
        }

    def _likelihood(self, code: IntArray, q: FloatArray) -> Likelihood:
        """Return the classes that make a value likely; numbers are looked at in tenths of the records."""
        merged = None
        if is_in_tenths(self.folded, len(q)):
            merged = tenths(q)
            q = np.bincount(merged, weights=q).astype(np.float64)
        dominant, skewed = least_shares(q)
        signatures = self._signatures(code)
        if signatures is None:
            by_total, pairs = self._likely_pairs(self._pairs(code, merged), dominant, skewed)
        else:
            by_total, pairs = self._likely_signatures(
                signatures, _merged(len(q), merged, code), dominant, skewed
            )
        totals = _whole(by_total["total"]), _whole(by_total["n"])
        found = [
            likely_of(
                pairs[place],
                totals,
                q,
                least,
                n_classes=int(sum(each or 0 for each in by_total[f"n_{place}"])),
                n_records=int(
                    sum((n or 0) * t for n, t in zip(by_total[f"n_{place}"], totals[0], strict=True))
                ),
            )
            for place, least in enumerate((dominant, skewed))
        ]
        return Likelihood(dominant=found[0], skewed=found[1])

    def _likely_signatures(
        self, classes: Expression, to: IntArray, *leasts: FloatArray
    ) -> tuple[dict[str, list[Any]], list[Pairs]]:
        """Return classes by their known records, also those with a likely value; and the likely pairs."""
        columns = [
            [classes[f"n{each}"] for each in np.flatnonzero(to == code)] for code in range(len(leasts[0]))
        ]
        named = {f"x{code}": _added(each) for code, each in enumerate(columns) if each}
        table = classes.select("m", **named, total=_added(list(named.values())))
        counts: dict[str, Any] = {}
        flags: dict[str, Any] = {}
        for place, least in enumerate(leasts):
            likely = {
                key: (table[key] >= (float(least[int(key[1:])]) - 1e-12) * table.total.cast("float64"))
                & (table.total > 1)
                & (table[key] > 0)
                for key in named
            }
            flags[f"n_{place}"] = _any(list(likely.values())).ifelse(table.m, 0).sum()
            counts |= {f"{key}_{place}": is_it.ifelse(table[key], 0).max() for key, is_it in likely.items()}
        found = self.engine.rows(table.group_by("total").agg(n=table.m.sum(), **flags, **counts))
        totals, pairs = _whole(found["total"]), []
        for place in range(len(leasts)):
            most = np.array([found[f"{key}_{place}"] for key in named], dtype=np.int64)
            code, at = np.nonzero(most)
            pairs.append(Pairs(totals[at], np.array([int(key[1:]) for key in named])[code], most[code, at]))
        return found, pairs

    def _likely_pairs(
        self, pairs: Expression, *leasts: FloatArray
    ) -> tuple[dict[str, list[Any]], list[Pairs]]:
        """Return the same of attributes with many values."""
        import ibis  # noqa: PLC0415

        shares = {f"least_{place}": least - 1e-12 for place, least in enumerate(leasts)}
        names = ibis.memtable(pa.table({"g": np.arange(len(leasts[0])), **shares}))
        keys = self.table.keys
        pairs = pairs.left_join(names, pairs.c == names.g)
        total = pairs.n.sum(where=pairs.c.notnull()).over(group_by=keys)
        pairs = pairs.mutate(total=total.fill_null(0))
        share = pairs.n.cast("float64") / pairs.total.nullif(0)
        is_likely = {
            f"n_{place}": ((share >= pairs[key]) & pairs.c.notnull() & (pairs.total > 1)).fill_null(False)
            for place, key in enumerate(shares)
        }
        with self.engine.kept(pairs.select(*keys, "c", "n", "total", **is_likely)) as kept:
            classes = kept.group_by(keys).agg(
                total=kept.total.max(), **{key: kept[key].ifelse(1, 0).max() for key in is_likely}
            )
            by_total = classes.group_by("total").agg(
                n=classes.count(), **{key: classes[key].sum() for key in is_likely}
            )
            found, likely = self.engine.rows(by_total), []
            for key in is_likely:
                wanted = kept.filter(kept[key])
                most = self.engine.rows(wanted.group_by(["c", "total"]).agg(n=wanted.n.max()))
                likely.append(Pairs(_whole(most["total"]), _whole(most["c"]), _whole(most["n"])))
        return found, likely


@dataclass(frozen=True, kw_only=True, eq=False)
class _Counted:
    """What of the classes thresholds are held against."""

    by_l: tuple[IntArray, IntArray]
    beyond: Mapping[Limited, tuple[float, int, int]]
    n_unknown: int


_FIGURES = (
    *("distinct_l", "entropy_l", "recursive_c_at_l2", "recursive_c_at_l3", "recursive_l", "alpha", "t"),
    *("basic_beta", "enhanced_beta", "delta_ln", "delta_ln_absent"),
)
_FOLDED = ("distinct_l", "entropy_l", "alpha", "t", "basic_beta", "delta_ln")
_MOST = ("alpha", "t", "basic_beta", "delta_ln", "beyond_enhanced")


def _merged(n_codes: int, merged: IntArray | None, code: IntArray) -> IntArray:
    """Return shape (n_counters,): the code that each counter is added to."""
    n_counters = int(code.max(initial=-1)) + 1
    return np.arange(n_codes) if merged is None else merged[:n_counters]


def _by_signature(classes: Expression, to: IntArray, q: FloatArray, *, ordered: bool) -> Expression:
    """Return a row a signature, in the engine: as `_Attribute._by_class`, by arithmetic on its counters."""
    import ibis  # noqa: PLC0415

    columns = [
        [classes[f"n{each}"] for each in np.flatnonzero(to == code).tolist()] for code in range(len(q))
    ]
    counts = [_added(each) for each in columns if each]
    shares = [float(share) for share, each in zip(q, columns, strict=True) if each]
    named = {f"x{place}": each.cast("float64") for place, each in enumerate(counts)}
    distinct = _added([(each > 0).ifelse(1, 0) for each in counts])
    table = classes.select("m", "records", **named, total=_added(counts).cast("float64"), distinct_l=distinct)
    nothing = ibis.null("float64")
    table = table.mutate(**{key: table[key] / table.total.nullif(0.0) for key in named})
    there = [(table[key], table[key] > 0, share) for key, share in zip(named, shares, strict=True)]
    entropy = _added([is_there.ifelse(-x * x.nullif(0.0).ln(), 0.0) for x, is_there, _ in there])
    gains = [is_there.ifelse((x - share) / share, nothing) for x, is_there, share in there if share]
    bounds = [max(-math.log(share), 0.0) for share in shares if share]
    above = [(gain > bound).ifelse(1, 0).fill_null(0) for gain, bound in zip(gains, bounds, strict=True)]
    ratios = [
        is_there.ifelse((x.nullif(0.0) / share).ln().abs(), nothing) for x, is_there, share in there if share
    ]
    if ordered:
        cumulated = np.cumsum(shares)
        steps = [
            (_added([x for x, _, _ in there[: place + 1]]) - cumulated[place]).abs()
            for place in range(len(q) - 1)
        ]
        distance = _added(steps) / (len(q) - 1) if steps else ibis.literal(0.0)
    else:
        distance = 0.5 * _added([(x - share).abs() for x, _, share in there])
    is_known = table.distinct_l > 0
    return table.select(
        "m",
        "records",
        "distinct_l",
        entropy_l=_clipped_l(entropy.exp(), table.distinct_l),
        alpha=_greatest([x for x, _, _ in there]),
        t=is_known.ifelse(_between_0_and_1(distance), nothing),
        basic_beta=_largest_of(_greatest(gains), 0.0),
        beyond_enhanced=_greatest(above),
        delta_ln=_greatest(ratios),
    )


def _greatest(values: Sequence[Any]) -> Any:
    import ibis  # noqa: PLC0415

    return ibis.greatest(*values) if len(values) > 1 else values[0]


def _added(values: Sequence[Any]) -> Any:
    found = values[0]
    for each in values[1:]:
        found = found + each
    return found


def _above(by_class: Expression, limits: Mapping[Limited, float]) -> dict[str, Any]:
    """Return how many classes are above each limit, and how many records are in them."""
    found: dict[str, Any] = {}
    for key, limit in limits.items():
        is_above = (by_class[key] > limit + 1e-12).fill_null(False)
        found[f"n_{key}"] = is_above.ifelse(by_class.m, 0).sum()
        found[f"records_{key}"] = is_above.ifelse(by_class.records * by_class.m, 0).sum()
    return found


def _worst(found: Mapping[str, Sequence[Any]], *, n_values: int) -> dict[str, float | None]:
    """Return the figure of the worst class for the models; classes without a known value are passed over."""
    known = [place for place, distinct in enumerate(found["distinct_l"]) if distinct]
    keys = ("distinct_l", "entropy_l", *_MOST[:-1], "enhanced_beta", "delta_ln_absent")
    if not known:
        return dict.fromkeys(keys)
    least = {key: min(found[column][place] for place in known) for key, column in _LEAST.items()}
    most = {key: max(found[f"most_{key}"][place] for place in known) for key in _MOST}
    return {
        **least,
        **{key: most[key] for key in _MOST[:-1]},
        "enhanced_beta": math.inf if most["beyond_enhanced"] else most["basic_beta"],
        "delta_ln_absent": most["delta_ln"] if least["distinct_l"] == n_values else math.inf,
    }


_LEAST = {"distinct_l": "distinct_l", "entropy_l": "least_entropy_l"}


def _with_population(measured: RiskMeasurement) -> RiskMeasurement:
    """Return the measurement with what is known of a population of which the size is given."""
    size, classes = measured.settings.population_size, measured.classes
    if size is None or not isinstance(classes, CountedClasses) or not classes.n_classes:
        return measured
    if classes.n_classes > _MOST_CLASSES:
        message = "There are {n} classes, too many to estimate the population from; leave its size out."
        raise input_error(message, n=classes.n_classes)
    sizes, n_classes = classes.size_histogram[0], classes.classes_of_size
    listed_sizes = np.repeat(sizes, n_classes)
    return replace(
        measured,
        population=risk_by_population_size(listed_sizes, population_size=size),
        uniques=population_uniques(listed_sizes, population_size=size),
    )


def _with_unchosen(measured: RiskMeasurement, engine: Engine, options: ReadOptions) -> RiskMeasurement:
    """Return the measurement with what is known of columns nobody chose, and what is not assessed."""
    settings = measured.settings
    named = {settings.person, *settings.quasi_identifiers, *settings.sensitive, *settings.leave_out}
    left = [name for name in measured.columns if name not in named]
    grouped = [name for name in left if is_groupable(engine.table[name])]
    keys = key_columns(engine, grouped, options)
    facts: dict[str, Any] = {}
    for place, name in enumerate(grouped):
        facts |= {f"n{place}": keys[name].value.count(), f"d{place}": keys[name].value.nunique()}
    found = engine.row(engine.table.agg(**facts)) if facts else {}
    unassigned = _by_name(grouped, found)
    together = [name for name in unchosen_columns(settings, measured.columns) if name in keys]
    n_unique = 0
    if together:
        values = engine.table.select(**{f"k{place}": keys[name].value for place, name in enumerate(together)})
        classes = values.group_by(list(values.columns)).agg(n=values.count())
        n_unique = int(engine.row(classes.agg(n=(classes.n == 1).sum()))["n"] or 0)
    n_records = measured.entry.n_in_table
    return replace(
        measured,
        unassigned=tuple(sorted(unassigned, key=lambda each: (list(Role).index(each.role), -each.score))),
        unchosen=UnchosenColumns(columns=tuple(together), n_records=n_records, n_unique=n_unique),
        elsewhere=tuple(
            _not_assessed(measured, [name for name in left if name not in grouped], 2 * n_unique > n_records)
        ),
    )


def _not_assessed(measured: RiskMeasurement, lists: Sequence[str], singles_out: bool) -> Iterator[Finding]:
    """Yield what is not assessed because the records stay where they are."""
    yield _elsewhere(
        "Whether values name people (direct identifiers, free text) was not looked at, because the "
        "records stay where "
        "the table is; columns were judged by their names and by how many different values they have."
    )
    yield _elsewhere(
        "Intervals between dates, the order of the records, and which quasi-identifier adds how much, are "
        "not assessed: "
        "they need the records themselves."
    )
    if measured.settings.person is None:
        yield _elsewhere(
            "Whether a column hides whose record it is was not looked at; choose a person column if there "
            "is one."
        )
    else:
        yield _elsewhere(
            "How many persons all their records together single out is not assessed: it needs the records "
            "themselves."
        )
    if len(measured.sensitive) > 1:
        yield _elsewhere(
            "Whether sensitive attributes tell one another is not assessed: it needs the records themselves."
        )
    if singles_out:
        yield _elsewhere("Which of the columns nobody chose single out most records was not searched.")
    if lists:
        yield _elsewhere(
            "Columns that cannot be grouped were not looked at: {columns}.", columns=listed(lists)
        )


def _elsewhere(message: str, **values: Any) -> Finding:
    return Finding.of("not_in_engine", Verdict.NOT_ASSESSED)(message, **values)


def _all(conditions: Sequence[Any]) -> Any:
    found = conditions[0]
    for each in conditions[1:]:
        found = found & each
    return found


def _any(conditions: Sequence[Any]) -> Any:
    found = conditions[0]
    for each in conditions[1:]:
        found = found | each
    return found


def _at_least_one(value: Any) -> Any:
    return _largest_of(value, 1)


def _largest_of(first: Any, second: Any) -> Any:
    import ibis  # noqa: PLC0415

    return ibis.greatest(first, second)


def _smallest_of(first: Any, second: Any) -> Any:
    import ibis  # noqa: PLC0415

    return ibis.least(first, second)


def _clipped_l(value: Any, distinct: Any) -> Any:
    """Return entropy l between 1 and distinct l, as rounding may not leave it."""
    return _largest_of(_smallest_of(value, _at_least_one(distinct).cast("float64")), 1.0)


def _between_0_and_1(value: Any) -> Any:
    return _largest_of(_smallest_of(value, 1.0), 0.0)


def _whole(values: Sequence[Any]) -> IntArray:
    return np.array([int(each or 0) for each in values], dtype=np.int64)
