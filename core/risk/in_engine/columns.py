"""What columns of a table in an engine do to uniqueness: each one, the smallest sets, and special uniques."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from core.engines import Engine, KeyColumn, key_columns
from core.risk.columns import (
    UNCHOSEN_MAX_CELLS,
    Columns,
    CountedCombinations,
    Distinctness,
    SinglingOutSets,
    UnchosenColumns,
    column_contributions,
    searched_unchosen,
    singling_out_sets,
)
from core.risk.in_engine.classes import Records, whole
from core.risk.measuring import RiskMeasurement
from core.risk.suda import (
    MAX_CELLS,
    SETS_MAX_CELLS,
    ColumnsMeasurement,
    Suda,
    SudaSettings,
    dis_suda,
    msu_score,
)
from core.tables import ReadOptions

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression


def unchosen_in_engine(
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


def is_searched(measured: RiskMeasurement) -> bool:
    """Tell whether there are so few classes that each column and sets of them are looked at."""
    n_columns = len(measured.classes.quasi_identifiers)
    return 0 < 2 * n_columns * measured.classes.n_classes <= SETS_MAX_CELLS


def search_in_engine(
    engine: Engine,
    measured: RiskMeasurement,
    *,
    suda: SudaSettings | None,
    options: ReadOptions | None = None,
) -> tuple[ColumnsMeasurement | None, Suda | None]:
    """Measure what each quasi-identifier does, and special uniques where asked for, as in memory.

    `suda` says how far special uniques are searched; a size of which the sets are too much work is left out,
    which the result says. None for columns of a table with too many classes, or none; None for special
    uniques not asked for. The rest as for :func:`core.risk.in_engine.measure_in_engine`.
    """
    if not measured.classes.n_classes or not (is_searched(measured) or suda):
        return None, None
    settings, quasi = measured.settings, measured.classes.quasi_identifiers
    names = (*quasi, settings.person) if settings.person else quasi
    with ExitStack() as kept:
        columns = key_columns(engine, names, options or ReadOptions())
        records = Records(engine, settings, columns, quasi)
        every = records.records()
        table = kept.enter_context(
            engine.kept(every.group_by(records.keys).agg(n=every.count().cast("int64")))
        )
        found = None
        if is_searched(measured):
            counted = counted_combinations(engine, table, quasi)
            sets = singling_out_sets(counted, max_cells=SETS_MAX_CELLS)
            found = ColumnsMeasurement(contributions=column_contributions(counted), sets=sets)
        return found, None if suda is None else _special_uniques(engine, table, measured, suda.max_size, kept)


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


def _special_uniques(
    engine: Engine, table: Expression, measured: RiskMeasurement, max_size: int, kept: ExitStack
) -> Suda:
    """Find special uniques, a size at a time: each set of columns is a grouping of the combinations."""
    n_columns, n_classes = len(measured.classes.quasi_identifiers), measured.classes.n_classes
    requested = searched = min(max_size, n_columns)
    while (
        searched > 1 and n_classes * sum(math.comb(n_columns, n) for n in range(1, searched + 1)) > MAX_CELLS
    ):
        searched -= 1
    sets = [each for size in range(1, searched + 1) for each in combinations(range(n_columns), size)]
    numbered = kept.enter_context(engine.kept(table.mutate(r=_number())))
    found: Any = None
    for size in range(1, searched + 1):
        points = msu_score(size, n_columns=n_columns, max_size=searched)
        minimal = kept.enter_context(engine.kept(_minimal(numbered, sets, size, found, points)))
        found = minimal if found is None else found.union(minimal)
    scored = found.group_by("r").agg(score=found.p.sum())
    return _suda(
        measured,
        by_score=engine.rows(scored.group_by("score").agg(n=scored.count()).order_by("score")),
        by_set=engine.rows(found.group_by("s").agg(n=found.count())),
        of_size=engine.row(table.agg(n_unique=(table.n == 1).sum(), n_pairs=(table.n == 2).sum())),
        sets=sets,
        requested_size=requested,
    )


def _number() -> Any:
    import ibis  # noqa: PLC0415 - takes seconds to import

    return ibis.row_number().over(ibis.window(order_by="n"))  # Spark numbers nothing without an order


def _minimal(
    table: Expression, sets: Sequence[Columns], size: int, smaller: Expression | None, points: float
) -> Expression:
    """Return the combinations r that are alone in a set s of a size, and in none that is part of it."""
    import ibis  # noqa: PLC0415 - takes seconds to import

    alone = []
    for place, columns in enumerate(sets):
        if len(columns) == size:
            groups = table.group_by([f"k{column}" for column in columns]).agg(
                n=table.n.sum(), r=table.r.max()
            )
            number, score = ibis.literal(place, "int64"), ibis.literal(points, "float64")
            alone.append(groups.filter(groups.n == 1).select("r", s=number, p=score))
    every = alone[0].union(*alone[1:]) if len(alone) > 1 else alone[0]
    if smaller is None:
        return every
    parts = [
        (place, part)
        for place, columns in enumerate(sets)
        for part, fewer in enumerate(sets)
        if len(columns) == size and len(fewer) < size and {*fewer} < {*columns}
    ]
    within = ibis.memtable(
        pa.table(dict(zip(("whole", "part"), map(pa.array, zip(*parts, strict=True)), strict=True)))
    )
    known = smaller.join(within, smaller.s == within.part).select(known="r", whole="whole").distinct()
    return every.anti_join(known, [every.r == known.known, every.s == known.whole])


def _suda(
    measured: RiskMeasurement,
    *,
    by_score: Mapping[str, list[Any]],
    by_set: Mapping[str, list[Any]],
    of_size: Mapping[str, Any],
    sets: Sequence[Columns],
    requested_size: int,
) -> Suda:
    quasi, population, dis = measured.classes.quasi_identifiers, measured.population, None
    scores = np.repeat(np.array(by_score["score"], dtype=float), whole(by_score["n"]))
    n_uniques, searched = int(of_size["n_unique"] or 0), len(sets[-1])
    if population is not None:
        dis = dis_suda(
            scores,
            n_uniques=n_uniques,
            n_pair_records=2 * int(of_size["n_pairs"] or 0),
            n_columns=len(quasi),
            sampling_fraction=min(population.n_records / population.population_size, 1.0),
        )
    by_size, by_column = np.zeros(searched, dtype=np.int64), np.zeros(len(quasi))
    for place, n in zip(by_set["s"], by_set["n"], strict=True):
        columns = sets[place]
        by_size[len(columns) - 1] += n
        by_column[[*columns]] += n * msu_score(len(columns), n_columns=len(quasi), max_size=searched)
    return Suda(
        quasi_identifiers=quasi,
        max_size=searched,
        requested_size=requested_size,
        was_stopped=False,
        n_records=measured.classes.n_records,
        n_sample_uniques=n_uniques,
        n_by_size=by_size,
        score_of_record=scores,
        dis_of_record=dis,
        contribution_of_record=np.zeros((0, len(quasi))),
        scored_records=np.arange(len(scores)),
        column_contribution=by_column / max(float(scores.sum()), 1.0),
    )
