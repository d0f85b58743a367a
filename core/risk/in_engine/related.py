"""Sensitive attributes of a table in an engine that tell one another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from core.coding import IntArray
from core.risk.in_engine.classes import Records
from core.risk.in_engine.sensitive import Attribute
from core.risk.sensitive import (
    GUESSED_GROUPS,
    MOST_ATTRIBUTES,
    Related,
    group_of_code,
    n_known_groups,
    related_of,
)

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression


def related_in_engine(records: Records, attributes: Sequence[Attribute]) -> tuple[Related, ...]:
    """Find pairs of sensitive attributes that tell one another.

    As :func:`core.risk.sensitive.related_attributes`, over all assessed records, where that draws some.
    """
    chosen = attributes[:MOST_ATTRIBUTES]
    found: dict[tuple[int, int], Related | None] = {}
    for a, b in combinations(range(len(chosen)), 2):
        every = records.records(
            s0=records.columns[chosen[a].name].value, s1=records.columns[chosen[b].name].value
        )
        with records.engine.kept(every.group_by(["s0", "s1"]).agg(n=every.count())) as pairs:
            found[a, b] = _tried(records, pairs, ("s0", chosen[a]), ("s1", chosen[b]))
            found[b, a] = _tried(records, pairs, ("s1", chosen[b]), ("s0", chosen[a]))
    return tuple(each for _, each in sorted(found.items()) if each is not None)


def _tried(
    records: Records, pairs: Expression, known: tuple[str, Attribute], guessed: tuple[str, Attribute]
) -> Related | None:
    """Return what one attribute tells of another; no record's value counts for its own guess."""
    import ibis  # noqa: PLC0415 - takes seconds to import

    n_groups = n_known_groups(int(known[1].n_missing_assessed.sum()))
    coded = _coded(pairs, *known, "a", n_groups)
    coded = _coded(coded, *guessed, "b", GUESSED_GROUPS)
    coded = coded.filter((coded.a >= 0) & (coded.b >= 0))
    both = coded.group_by(["a", "b"]).agg(n=coded.n.sum().cast("int64"))
    ranked = both.mutate(
        place=ibis.row_number().over(ibis.window(group_by="a", order_by=[ibis.desc("n"), "b"]))
    )
    of_a = ranked.group_by("a").agg(
        best=ranked.n.max(), second=ranked.n.max(where=ranked.place == 1).fill_null(0)
    )
    right = records.engine.row(of_a.agg(n=of_a.best.sum(where=of_a.best - 1 > of_a.second)))["n"]
    of_b = both.group_by("b").agg(n=both.n.sum())
    guesses = records.engine.row(of_b.agg(n=of_b.n.sum(), most=of_b.n.max()))
    return related_of(
        known[1].name,
        guessed[1].name,
        n_records=int(guesses["n"] or 0),
        n_right=int(right or 0),
        n_most=int(guesses["most"] or 0),
    )


def _coded(pairs: Expression, column: str, attribute: Attribute, name: str, n_groups: int) -> Expression:
    """Return the pairs with what a column's values mean, numbers in groups; -1 for an unknown one."""
    import ibis  # noqa: PLC0415 - takes seconds to import

    code, n_values = _codes(attribute, n_groups), len(attribute.column.values)
    names = ibis.memtable(
        pa.table({f"v{name}": attribute.cells.slice(0, n_values), f"c{name}": pa.array(code[:n_values])})
    )
    of_missing = int(code[n_values]) if len(code) > n_values else -1
    joined = pairs.left_join(names, pairs[column] == names[f"v{name}"])
    found = joined[column].isnull().ifelse(of_missing, joined[f"c{name}"])
    return joined.mutate(**{name: found}).drop(f"v{name}", f"c{name}")


def _codes(attribute: Attribute, n_groups: int) -> IntArray:
    """Return shape (n_cells,): the group of each distinct cell."""
    folded = attribute.folded
    code = folded.group_of_value[attribute.column.codes]
    if folded.numbers is None or not (code >= 0).any():
        return code
    weights = attribute.n_missing_assessed[code >= 0]
    counts = np.trim_zeros(np.bincount(code[code >= 0], weights=weights), "b").astype(np.int64)
    group = np.full(int(code.max()) + 2, -1, dtype=np.int64)  # the last one is that of an unknown value
    group[: len(counts)] = group_of_code(counts, n_groups)
    return group[code]
