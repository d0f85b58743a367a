"""Classes that two releases of the same people split, by cutting columns at different places.

Ages 20 to 29 in one release and 25 to 34 in another: who is in a class of each is between 25 and 29. How many
that are is a table whose totals are the classes' sizes, with cells only where classes overlap. A cell that
is the same in all such tables follows from the two releases (Gusfield, "A graph theoretic approach to
statistical data security", SIAM Journal on Computing 1988); so does what all in it have, value by value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy

from core.coding import BoolArray, FloatArray, IntArray, combination_codes
from core.releases.counts import Groups, repeated

_SAME = 0.5  # share of the contexts of two releases that count alike, from which they are of the same people
_MOST_CELLS = 2_000_000  # pairs of overlapping classes that are looked at


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One release, in columns that both cut differently and in all others, coded alike in both."""

    context: IntArray  # shape (n_records,): the other columns, as coarse as both can be made
    group: IntArray  # … and these columns too
    stretches: Sequence[IntArray]  # by column, code into its ends
    value: IntArray  # of a sensitive attribute, -1 for missing

    def chosen(self, records: BoolArray | IntArray) -> Side:
        """Return some of the records."""
        return Side(
            context=self.context[records],
            group=self.group[records],
            stretches=[each[records] for each in self.stretches],
            value=self.value[records],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """What the cuts of two releases in some columns leave."""

    columns: tuple[str, ...]
    n: int  # people in contexts that count alike in both releases
    groups: Groups
    n_given_away: Mapping[str, int] = field(default_factory=dict)


class Parts(NamedTuple):
    """People who follow from two releases."""

    n: int  # people in contexts that have as many of each value in both; 0 where fewer than half do
    sizes: IntArray  # of each part that is no whole class
    within: IntArray  # the fewer people in the two classes that hold it
    n_given_away: int  # people of parts in which all have one known value, and several in both classes


def split_counts(later: Side, earlier: Side, ends: Sequence[tuple[FloatArray, FloatArray]]) -> Parts:
    """Return what follows of who is in a class of each release.

    Parameters
    ----------
    later, earlier
        The records of both releases.
    ends
        By column and code of a stretch, where it begins and ends; NaN for none, which stands for itself.
    """
    nothing = Parts(0, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0)
    is_alike = _counting_alike(later, earlier)
    if not len(is_alike) or np.mean(is_alike) < _SAME:
        return nothing
    mine, theirs = (_Classes(each.chosen(is_alike[each.context])) for each in (later, earlier))
    first, second = _overlapping(mine, theirs, ends)
    of_class = _settled(mine.sizes, theirs.sizes, first, second)
    wrong = set(mine.context[of_class.wanting].tolist())
    # each cell once for each value that both of its classes have
    at, value = mine.values_of(first)
    there = theirs.place_of(second[at], value)
    at, value, there = (each[there >= 0] for each in (at, value, there))
    here = mine.place_of(first[at], value)
    of_value = _settled(mine.value_counts, theirs.value_counts, here, there)
    wrong |= set(mine.context[mine.class_of[of_value.wanting]].tolist())
    holds = of_class.is_settled & (of_class.n > 0) & ~np.isin(mine.context[first], list(wrong))
    within = np.minimum(mine.sizes[first], theirs.sizes[second])
    parts = holds & (of_class.n < within)
    told = of_value.is_settled & (value >= 0) & holds[at] & (of_value.n == of_class.n[at])
    told &= (mine.n_values[first[at]] > 1) & (theirs.n_values[second[at]] > 1)
    return Parts(
        int(mine.sizes[~np.isin(mine.context, list(wrong))].sum()),
        of_class.n[parts],
        within[parts],
        int(of_value.n[told].sum()),
    )


def _counting_alike(later: Side, earlier: Side) -> BoolArray:
    """Return by context whether both releases have as many of each value."""
    context = np.concatenate([later.context, earlier.context])
    value = np.concatenate([later.value, earlier.value])
    cell = combination_codes([context, value + 1], n_records=len(context))
    more = np.bincount(cell, weights=np.repeat([1, -1], [len(later.context), len(earlier.context)]))
    return np.asarray(np.bincount(context, weights=np.abs(more[cell])) == 0)


class _Classes:
    """The classes of a release as cut, and how often each value is in them."""

    def __init__(self, side: Side) -> None:
        box = combination_codes([side.group, *side.stretches], n_records=len(side.group))
        first = np.unique(box, return_index=True)[1]
        self.sizes = np.bincount(box, minlength=len(first))
        self.context, self.group = side.context[first], side.group[first]
        self.stretches = [each[first] for each in side.stretches]
        self._above = int(side.value.max(initial=-1)) + 2
        self._keys, self.value_counts = np.unique(box * self._above + side.value + 1, return_counts=True)
        self.class_of = self._keys // self._above
        self.n_values = np.bincount(self.class_of, minlength=len(first))

    def values_of(self, classes: IntArray) -> tuple[IntArray, IntArray]:
        """Return each value of each class: the place of the class in what was given, and the value."""
        start = np.searchsorted(self.class_of, classes)
        which, place = repeated(start, self.n_values[classes])
        return which, self._keys[place] % self._above - 1

    def place_of(self, classes: IntArray, value: IntArray) -> IntArray:
        """Return where a class's value is counted, -1 where it has none."""
        key = classes * self._above + value + 1
        place = np.minimum(np.searchsorted(self._keys, key), max(len(self._keys) - 1, 0))
        is_there = (value + 1 < self._above) & (self._keys[place] == key) if len(self._keys) else key < 0
        return np.where(is_there, place, -1)


def _overlapping(
    mine: _Classes, theirs: _Classes, ends: Sequence[tuple[FloatArray, FloatArray]]
) -> tuple[IntArray, IntArray]:
    """Return the pairs of classes that may have people in common; of too many, those of small groups."""
    order = np.argsort(theirs.group, kind="stable")
    start = np.searchsorted(theirs.group[order], mine.group)
    times = np.searchsorted(theirs.group[order], mine.group, side="right") - start
    n_of_group = np.bincount(mine.group, weights=times)
    by_size = np.argsort(n_of_group, kind="stable")
    looked_at = np.zeros(len(n_of_group), dtype=bool)
    looked_at[by_size] = np.cumsum(n_of_group[by_size]) <= _MOST_CELLS
    first, place = repeated(start, np.where(looked_at[mine.group], times, 0))
    second = order[place]
    overlap = np.ones(len(first), dtype=bool)
    for one, other, (low, high) in zip(mine.stretches, theirs.stretches, ends, strict=True):
        here, there = one[first], other[second]
        overlap &= (here == there) | ((low[here] < high[there]) & (low[there] < high[here]))
    return first[overlap], second[overlap]


class _Cells(NamedTuple):
    """One table of whole numbers that has the totals asked for."""

    n: IntArray  # shape (n_cells,)
    is_settled: BoolArray  # shape (n_cells,): whether all tables with these totals have it
    wanting: IntArray  # rows that no table gives their total


def _settled(rows: IntArray, columns: IntArray, row: IntArray, column: IntArray) -> _Cells:
    """Fill the cells of a table so that its rows and columns have their totals, and say which must be so.

    A cell can be another number where a cycle of cells adds and takes away by turns: along cells that may
    grow, which all may, and back along those above 0. Undirected edges of a strongly connected graph of both
    kinds are on no cycle where they are bridges (Boesch & Tindell, American Mathematical Monthly 1980).
    """
    n_rows, n_nodes = len(rows), len(rows) + len(columns)
    column = column + n_rows
    start, end = n_nodes, n_nodes + 1
    tails = np.concatenate([np.full(n_rows, start), row, np.arange(n_rows, n_nodes)])
    heads = np.concatenate([np.arange(n_rows), column, np.full(len(columns), end)])
    most = np.concatenate([rows, np.minimum(rows[row], columns[column - n_rows]), columns])
    graph = scipy.sparse.csr_matrix((most.astype(np.int32), (tails, heads)), shape=(end + 1, end + 1))
    flow = scipy.sparse.csgraph.maximum_flow(graph, start, end).flow
    n = np.asarray(flow[row, column]).ravel().astype(np.int64)
    filled = np.bincount(row, weights=n, minlength=n_rows)
    back = n > 0
    arcs = _graph(np.concatenate([row, column[back]]), np.concatenate([column, row[back]]), n_nodes)
    part = scipy.sparse.csgraph.connected_components(arcs, connection="strong")[1]
    inside = part[row] == part[column]
    is_settled = ~inside
    is_settled[inside] = back[inside] & _are_bridges(row[inside], column[inside], n_nodes)
    return _Cells(n, is_settled, np.flatnonzero(filled < rows))


def _graph(tails: IntArray, heads: IntArray, n_nodes: int) -> scipy.sparse.csr_matrix:
    return scipy.sparse.csr_matrix(
        (np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(n_nodes, n_nodes)
    )


def _are_bridges(one: IntArray, other: IntArray, n_nodes: int) -> BoolArray:
    """Return which edges of an undirected graph are on no cycle.

    Each edge beside a forest has a random number; an edge of the forest is on a cycle where those that end
    below it do not cancel, but for chance once in 2⁶⁴.
    """
    part, first = np.unique(
        scipy.sparse.csgraph.connected_components(_graph(one, other, n_nodes), directed=False)[1],
        return_index=True,
    )
    root = n_nodes
    whole = _graph(
        np.concatenate([one, np.full(len(part), root)]), np.concatenate([other, first]), n_nodes + 1
    )
    order, above = scipy.sparse.csgraph.breadth_first_order(whole, root, directed=False)
    down, up = above[other] == one, above[one] == other
    beside = ~(down | up)
    marks = np.random.default_rng(0).integers(0, 2**63, np.count_nonzero(beside), dtype=np.uint64)
    below = np.zeros(n_nodes + 1, dtype=np.uint64)
    np.bitwise_xor.at(below, one[beside], marks)
    np.bitwise_xor.at(below, other[beside], marks)
    place = np.empty(n_nodes + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    of_above = place[above[order[1:]]]
    ends = [0, 1]
    while ends[-1] < len(order):
        ends.append(1 + int(np.searchsorted(of_above, ends[-1])))
    for begin, end in zip(ends[-2:0:-1], ends[:1:-1], strict=True):
        level = order[begin:end]
        np.bitwise_xor.at(below, above[level], below[level])
    return (down & (below[other] == 0)) | (up & (below[one] == 0))
