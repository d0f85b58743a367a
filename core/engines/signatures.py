"""The one question about classes in an engine: how many are alike, and what units they have of each item.

An answer has a row for each signature: how many records a class has, and how many units of which item; never
a value of the columns by which records are grouped, and never a row for each of classes that are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.classes import Items, Pairs, items_of_signatures
from core.coding import IntArray
from core.engines.columns import Values
from core.engines.sources import Engine

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_MOST_COUNTERS = 32  # items of which a class is a row of counters; of more it is a list of those it has
_UNITS_BITS = 40  # of an entry of such a list, below those of its item


def with_codes(rows: Expression, column: str, values: Values, code: IntArray) -> Expression:
    """Return rows with the code of each value of a column in its place, null where it is negative.

    `code`: shape (n_values + 1,), the last that of a missing value.
    """
    import ibis  # noqa: PLC0415

    n_values = len(values.written)
    names = ibis.memtable(pa.table({"v": values.cells.slice(0, n_values), "to": pa.array(code[:n_values])}))
    joined = rows.left_join(names, rows[column] == names.v)
    found = joined[column].isnull().ifelse(int(code[n_values]), joined.to)
    known = (found >= 0).ifelse(found, ibis.null("int64")).cast("int64")
    return joined.mutate(**{column: known}).drop("v", "to")


def items_in_engine(
    engine: Engine,
    rows: Expression,
    keys: Sequence[str],
    *,
    n_items: int,
    counts_persons: bool = False,
    is_weighted: bool = False,
) -> Items:
    """Return what classes over `keys` have of the items c, codes below `n_items`, null for an unknown one.

    `counts_persons`: units are different persons p of a class and item, who is unknown being one each; else
    records, or, of weighted rows, the n that each of these stands for.
    """
    if counts_persons or is_weighted or n_items > _MOST_COUNTERS:
        n: Any = rows.n.sum() if is_weighted else rows.count()
        if counts_persons:
            n = rows.p.nunique() + rows.p.isnull().sum()
        classes, items = _lists(rows, keys, n), ["bag"]
    else:
        counters = {f"n{each}": rows.count(where=rows.c == each) for each in range(n_items)}
        classes, items = rows.group_by(list(keys)).agg(records=rows.count(), **counters), [*counters]
    alike = classes.group_by(["records", *items]).agg(m=classes.count())
    found = engine.answer(alike)
    m, records = _whole(found["m"]), _whole(found["records"])
    pairs = _listed(found["bag"]) if items == ["bag"] else _counted([_whole(found[name]) for name in items])
    return items_of_signatures(m, records, pairs, n_items=n_items)


def _lists(rows: Expression, keys: Sequence[str], n: Any) -> Expression:
    """Return the classes with their records and, in order, one number for each item and its units."""
    pairs = rows.group_by([*keys, "c"]).agg(n=n.cast("int64"), records=rows.count())
    entry = pairs.c * 2**_UNITS_BITS + pairs.n
    classes = pairs.group_by(list(keys)).agg(
        records=pairs.records.sum().cast("int64"), bag=entry.collect(where=pairs.c.notnull())
    )
    return classes.mutate(bag=classes.bag.sort())


def _listed(bags: pa.ChunkedArray) -> Pairs:
    lengths = pc.fill_null(pc.list_value_length(bags), 0).to_numpy().astype(np.int64)
    entries = _whole(pc.list_flatten(bags))
    return Pairs(np.repeat(np.arange(len(lengths)), lengths), *np.divmod(entries, 2**_UNITS_BITS))


def _counted(counters: Sequence[IntArray]) -> Pairs:
    if not counters:
        nothing = np.zeros(0, dtype=np.int64)
        return Pairs(nothing, nothing, nothing)
    table = np.column_stack(counters)
    of_class, item = np.nonzero(table)
    return Pairs(of_class, item, table[of_class, item])


def _whole(numbers: pa.ChunkedArray) -> IntArray:
    """Return shape (n,): whole numbers of whatever type an engine answers with."""
    return pc.fill_null(pc.cast(numbers, pa.int64()), 0).to_numpy().astype(np.int64, copy=False)
