"""Sensitive attributes of a table in an engine: their values come here, classes are counted there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from core.coding import CodedColumn, FloatArray, IntArray
from core.engines import distinct_values, n_too_many
from core.equivalence import CountedClasses
from core.risk.folding import Likelihood, fold_values, is_in_tenths, least_shares, likely_of, tenths
from core.risk.in_engine.classes import Records, any_of, at_least_one, largest_of, smallest_of, whole
from core.risk.records import Pairs
from core.risk.sensitive import ByClass, Limited, SensitiveMeasurement, sensitive_codes
from core.risk.settings import RiskThresholds
from core.words import input_error

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_MOST_COUNTERS = 32  # codes of which a class is a row of counters
_MOST_DIGITS = 3  # counters that are one sum, each of classes below 131,072 records
_EXACT_BITS = 53  # of a double
_MOST_ROUNDS = 1024  # values of a class that are told apart one after another
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


class Attribute:
    """One sensitive attribute: its values come here, its classes are counted in the engine."""

    def __init__(self, table: Records, name: str, thresholds: RiskThresholds) -> None:
        self.table, self.engine, self.name = table, table.engine, name
        self.thresholds, self.settings = thresholds, table.settings
        self.signatures: dict[bytes, Expression] = {}
        self.pairs: dict[bytes, Expression] = {}
        self.cells, self.column, n_missing = self._values()
        self.n_missing_assessed = n_missing
        self.distance, self.code = sensitive_codes(self.column, self.settings)
        self.folded = fold_values(self.column, self.settings)

    def _values(self) -> tuple[pa.Array, _Values, IntArray]:
        """Return the distinct values as the engine has them and as text, and the assessed records of each."""
        key, engine = self.table.columns[self.name], self.engine
        if n_values := n_too_many(engine, key):
            raise input_error(
                "{column} has {n} different values, too many to take them out of the engine. Make it "
                "coarser, such as by rounding, or do not choose it as sensitive.",
                column=f"`{self.name}`",
                n=n_values,
            )
        cells, written, (n, n_assessed) = distinct_values(engine, key, ~self.table.left_out)
        known = len(written)
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

        if (known := code.tobytes()) not in self.pairs:
            coded = self._coded(code)
            n = coded.count()
            if self.table.person is not None:
                n = coded.p.nunique() + coded.p.isnull().sum()
            counted = coded.group_by([*self.table.keys, "c"]).agg(n=n.cast("int64"), records=coded.count())
            self.pairs[known] = self.table.kept.enter_context(self.engine.kept(counted))
        pairs = self.pairs[known]
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
            packed = self._packed(code, n_codes) if self.table.person is None else None
            if packed is None:
                packed = self.table.kept.enter_context(self.engine.kept(self._counted(code, n_codes)))
            self.signatures[known] = packed
        return self.signatures[known]

    def _counted(self, code: IntArray, n_codes: int) -> Expression:
        """Return the signatures, each class being a row of counters."""
        records = self._coded(code)
        counters = {}
        for each in range(n_codes):
            is_it = records.c == each
            n = is_it.sum()
            if self.table.person is not None:
                n = records.p.nunique(where=is_it) + (is_it & records.p.isnull()).sum()
            counters[f"n{each}"] = n.fill_null(0).cast("int64")
        classes = records.group_by(self.table.keys).agg(records=records.count(), **counters)
        return classes.group_by(["records", *counters]).agg(m=classes.count())

    def _packed(self, code: IntArray, n_codes: int) -> Expression | None:
        """Return the signatures, several counters being digits of one sum; None where a class is too large.

        A sum of powers of two is exact in a double below 2⁵³, and holds as many digits as classes are small.
        """
        n_sums = -(-n_codes // _MOST_DIGITS)
        base = 2 ** (_EXACT_BITS // -(-n_codes // n_sums))
        place = [(f"w{each % n_sums}", float(base ** (each // n_sums))) for each in range(n_codes)]
        records = self._weighted(code, place)
        sums = {name: records[name].sum().fill_null(0.0) for name in dict(place)}
        classes = records.group_by(self.table.keys).agg(records=records.count(), **sums)
        alike = classes.group_by(["records", *sums]).agg(m=classes.count())
        digits = {
            f"n{each}": (smallest_of(alike[name], 2.0**_EXACT_BITS) / weight).floor().cast("int64") % base
            for each, (name, weight) in enumerate(place)
        }
        with ExitStack() as kept:
            found = kept.enter_context(self.engine.kept(alike.select("records", "m", **digits)))
            if (self.engine.row(found.agg(most=found.records.max()))["most"] or 0) >= base:
                return None
            self.table.kept.enter_context(kept.pop_all())
        return found

    def _weighted(self, code: IntArray, place: Sequence[tuple[str, float]]) -> Expression:
        """Return the assessed records with what their value adds to each of the sums."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        known = len(self.column.values)
        weights = {name: np.zeros(len(code)) for name, _ in place}
        for row, each in enumerate(code.tolist()):
            if each >= 0:
                weights[place[each][0]][row] = place[each][1]
        columns = {name: pa.array(weight[:known]) for name, weight in weights.items()}
        names = ibis.memtable(pa.table({"v": self.cells.slice(0, known), **columns}))
        records = self.table.records(s=self.table.columns[self.name].value)
        joined = records.left_join(names, records.s == names.v)
        if len(code) == known:
            return joined
        of_missing = {name: float(weight[known]) for name, weight in weights.items()}
        return joined.mutate(
            **{name: joined.s.isnull().ifelse(each, joined[name]) for name, each in of_missing.items()}
        )

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
            totals[whole(found["c"])] = found["n"]
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
        distinct = whole(found["distinct_l"])
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
        pairs = pairs.mutate(gain=gain, bound=largest_of(-pairs.q.ln(), 0.0))
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
            basic_beta=largest_of(pairs.gain.max(), 0.0),
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
            stop=smallest_of(pairs.place.lead().over(in_order).fill_null(last), last),
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
        at = largest_of(smallest_of(pairs.x_place, pairs.stop), pairs.c).cast("float64")
        p_at = largest_of(smallest_of(pairs.x_p, pairs.p_stop), pairs.p)
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
        totals = whole(by_total["total"]), whole(by_total["n"])
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
            flags[f"n_{place}"] = any_of(list(likely.values())).ifelse(table.m, 0).sum()
            counts |= {f"{key}_{place}": is_it.ifelse(table[key], 0).max() for key, is_it in likely.items()}
        found = self.engine.rows(table.group_by("total").agg(n=table.m.sum(), **flags, **counts))
        totals, pairs = whole(found["total"]), []
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
                likely.append(Pairs(whole(most["total"]), whole(most["c"]), whole(most["n"])))
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
    """Return a row a signature, in the engine: as `Attribute._by_class`, by arithmetic on its counters."""
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
        basic_beta=largest_of(_greatest(gains), 0.0),
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


def _clipped_l(value: Any, distinct: Any) -> Any:
    """Return entropy l between 1 and distinct l, as rounding may not leave it."""
    return largest_of(smallest_of(value, at_least_one(distinct).cast("float64")), 1.0)


def _between_0_and_1(value: Any) -> Any:
    return largest_of(smallest_of(value, 1.0), 0.0)
