"""What columns of a table in an engine do to uniqueness: each one, the smallest sets, and special uniques."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from core.engines import Engine
from core.risk.columns import (
    Columns,
    column_contributions,
    singling_out_sets,
)
from core.risk.in_engine.source import EngineSource, counted_combinations, whole
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
    source = EngineSource(engine, measured.settings, options or ReadOptions())
    with ExitStack() as kept:
        every = source.records()
        counted_records = every.group_by(source.keys).agg(n=every.count().cast("int64"))
        table = kept.enter_context(engine.kept(counted_records))
        found = None
        if is_searched(measured):
            counted = counted_combinations(engine, table, source.quasi)
            sets = singling_out_sets(counted, max_cells=SETS_MAX_CELLS)
            found = ColumnsMeasurement(contributions=column_contributions(counted), sets=sets)
        return found, None if suda is None else _special_uniques(engine, table, measured, suda.max_size, kept)


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
