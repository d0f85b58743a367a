"""Classes that two releases of the same people split, by cutting columns at different places.

Ages 20 to 29 in one release and 25 to 34 in another: who is in a class of each is between 25 and 29. How many
that are is a table whose totals are the classes' sizes, with cells only where classes overlap. A cell that
is the same in all such tables follows from the two releases (Gusfield, "A graph theoretic approach to
statistical data security", SIAM Journal on Computing 1988); so does what all in it have, value by value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy

from core.coding import BoolArray, FloatArray, IntArray, combination_codes
from core.releases.counts import Groups, repeated

_SAME = 0.5  # share of the contexts of two releases that count alike, from which they are of the same people
_MOST_CELLS = 2_000_000  # pairs of overlapping classes that are looked at
_MOST_FLOWS = 2_000_000  # cells of all parts that cells are bounded in, one by one
_FLOW_COSTS = 1_000  # cells that take as long as beginning does


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


@dataclass(frozen=True, kw_only=True)
class Split:
    """What the cuts of two releases in some columns leave."""

    columns: tuple[str, ...]
    is_sure: bool  # whether it follows; else it does if no more people came and left than the counts show
    is_shown: bool  # whether the releases hold the same people, as far as other columns tell
    n: int  # people in both releases
    groups: Groups
    n_given_away: Mapping[str, int] = field(default_factory=dict)


class Parts(NamedTuple):
    """Parts of classes of two releases: those who are in one class of each, and in both releases."""

    n: int  # people in both releases
    is_shown: bool  # whether half of the contexts count alike, so that the releases are of the same people
    # shape (n_parts,): the fewest and the most who are in it, if as few came and left as can have
    least: IntArray
    most: IntArray
    within: IntArray  # the fewer people in the two classes that hold it
    is_mixed: BoolArray  # whether people came to, and others left, those it hangs together with
    n_given_away: IntArray  # people of the part if all have one known value, and several in both classes

    def groups(self, chosen: BoolArray, *, is_least: bool) -> Groups:
        """Return chosen parts of classes that can hold somebody, with the fewest or the most in them."""
        chosen = chosen & (self.most > 0) & (self.most < self.within)
        size = self.most[chosen]
        n = self.least[chosen] if is_least else size
        return Groups(who=np.arange(len(size)), size=size, within=self.within[chosen], n=n)


def splits_of(columns: tuple[str, ...], found: Mapping[str, Parts]) -> Iterator[Split]:
    """Yield what surely follows of the columns that are cut differently, and what may.

    The second follows only if no more came and left than counts show. `found`: what follows by each sensitive
    attribute, ``""`` for none.
    """
    for is_sure in (True, False):
        chosen = {
            name: ~each.is_mixed & (each.least > 0) if is_sure else each.is_mixed ^ (each.least == 0)
            for name, each in found.items()
        }
        groups = [each.groups(chosen[name], is_least=is_sure) for name, each in found.items()]
        split = Split(
            columns=columns,
            is_sure=is_sure,
            is_shown=any(each.is_shown for each in found.values()),
            n=max(each.n for each in found.values()),
            groups=max(groups, key=lambda each: len(each.size)),
            n_given_away={
                name: int(each.n_given_away[chosen[name]].sum()) for name, each in found.items() if name
            },
        )
        if is_sure or len(split.groups.size) or any(split.n_given_away.values()):
            yield split


def split_counts(later: Side, earlier: Side, ends: Sequence[tuple[FloatArray, FloatArray]]) -> Parts:
    """Return what follows of who is in a class of each release.

    `ends`: by column and code of a stretch, where it begins and ends; NaN for none, which stands for itself.
    """
    is_alike = _counting_alike(later, earlier)
    mine, theirs = _Classes(later), _Classes(earlier)
    first, second = _overlapping(mine, theirs, ends)
    # each cell once for each value that both of its classes have
    at, value = mine.values_of(first)
    there = theirs.place_of(second[at], value)
    at, value, there = (each[there >= 0] for each in (at, value, there))
    here = mine.place_of(first[at], value)
    # who is alike in all that both releases tell: those of a group with a value
    both = combination_codes(
        [
            np.concatenate([each.group[each.class_of] for each in (mine, theirs)]),
            np.concatenate([each.values for each in (mine, theirs)]) + 1,
        ],
        n_records=len(mine.class_of) + len(theirs.class_of),
    )
    found = _bounded(
        _Totals(mine.value_counts, both[: len(mine.class_of)]),
        _Totals(theirs.value_counts, both[len(mine.class_of) :]),
        here,
        there,
    )
    n_cells = len(first)
    least, most = (
        np.bincount(at, weights=each, minlength=n_cells).astype(np.int64)
        for each in (found.least, found.most)
    )
    told = (value >= 0) & (found.least > 0) & (most[at] == found.most)
    told &= (mine.n_values[first[at]] > 1) & (theirs.n_values[second[at]] > 1)
    return Parts(
        n=found.n,
        is_shown=bool(len(is_alike) and np.mean(is_alike) >= _SAME),
        least=least,
        most=most,
        within=np.minimum(mine.sizes[first], theirs.sizes[second]),
        is_mixed=np.bincount(at, weights=found.is_mixed, minlength=n_cells) > 0,
        n_given_away=np.bincount(at, weights=np.where(told, found.least, 0), minlength=n_cells).astype(
            np.int64
        ),
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
        self.values = self._keys % self._above - 1
        self.n_values = np.bincount(self.class_of, minlength=len(first))

    def values_of(self, classes: IntArray) -> tuple[IntArray, IntArray]:
        """Return each value of each class: the place of the class in what was given, and the value."""
        start = np.searchsorted(self.class_of, classes)
        which, place = repeated(start, self.n_values[classes])
        return which, self.values[place]

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


class _Totals(NamedTuple):
    """The rows, or the columns, of a table."""

    counts: IntArray
    part: IntArray  # shape (n,): those of different parts have no cell in common

    def over(self, at: IntArray, n: IntArray, n_parts: int) -> IntArray:
        """Return by part how much more they are than their cells hold."""
        left = self.counts - np.bincount(at, weights=n, minlength=len(self.counts))
        return np.bincount(self.part, weights=left, minlength=n_parts).astype(np.int64)


class _Bounds(NamedTuple):
    """What the cells can be in all tables that have the totals."""

    n: int  # in all cells
    least: IntArray  # shape (n_cells,)
    most: IntArray
    is_mixed: BoolArray  # whether both rows and columns of its part are more than cells can hold


def _bounded(rows: _Totals, columns: _Totals, row: IntArray, column: IntArray) -> _Bounds:
    """Bound each cell of a table, where its cells hold as many as they can.

    A part whose rows are more than that has a column of the others, and one whose columns are more a row.
    """
    n_cells, n_parts = len(row), int(max(rows.part.max(initial=-1), columns.part.max(initial=-1))) + 1
    n = _filled(rows.counts, columns.counts, row, column)
    came, left = rows.over(row, n, n_parts), columns.over(column, n, n_parts)
    of_came, of_left = np.flatnonzero(came), np.flatnonzero(left)
    to, away = np.flatnonzero(came[rows.part]), np.flatnonzero(left[columns.part])
    row = np.concatenate([row, to, len(rows.counts) + np.searchsorted(of_left, columns.part[away])])
    column = np.concatenate([column, len(columns.counts) + np.searchsorted(of_came, rows.part[to]), away])
    totals = np.append(rows.counts, left[of_left]), np.append(columns.counts, came[of_came])
    n = _filled(*totals, row, column)
    is_settled = _settled(n, row, column + len(totals[0]))
    least = np.where(is_settled, n, 0)
    most = np.where(is_settled, n, np.minimum(totals[0][row], totals[1][column]))
    part = np.append(rows.part, of_left)[row]
    for at, ends in _spans(n, row, column + len(totals[0]), part, ~is_settled[:n_cells]):
        least[at], most[at] = ends
    return _Bounds(
        int(n[:n_cells].sum()), least[:n_cells], most[:n_cells], ((came > 0) & (left > 0))[part[:n_cells]]
    )


def _filled(rows: IntArray, columns: IntArray, row: IntArray, column: IntArray) -> IntArray:
    """Return cells, shape (n_cells,), that hold as many as the totals of rows and columns let them."""
    n_rows, n_nodes = len(rows), len(rows) + len(columns)
    start, end = n_nodes, n_nodes + 1
    tails = np.concatenate([np.full(n_rows, start), row, np.arange(n_rows, n_nodes)])
    heads = np.concatenate([np.arange(n_rows), column + n_rows, np.full(len(columns), end)])
    most = np.concatenate([rows, np.minimum(rows[row], columns[column]), columns])
    flow = _flow(tails, heads, most, start, end).flow
    return np.asarray(flow[row, column + n_rows]).ravel().astype(np.int64)


def _flow(tails: IntArray, heads: IntArray, most: IntArray, start: int, end: int) -> Any:
    size = int(max(tails.max(), heads.max(), start, end)) + 1
    graph = scipy.sparse.csr_matrix((most.astype(np.int32), (tails, heads)), shape=(size, size))
    return scipy.sparse.csgraph.maximum_flow(graph, start, end)


def _settled(n: IntArray, row: IntArray, column: IntArray) -> BoolArray:
    """Return which cells are the same in all tables with the totals of this one; rows and columns are nodes.

    A cell can be another number where a cycle of cells adds and takes away by turns: along cells that may
    grow, which all may, and back along those above 0. Undirected edges of a strongly connected graph of both
    kinds are on no cycle where they are bridges (Boesch & Tindell, American Mathematical Monthly 1980).
    """
    n_nodes = int(max(row.max(initial=-1), column.max(initial=-1))) + 1
    back = n > 0
    arcs = _graph(np.concatenate([row, column[back]]), np.concatenate([column, row[back]]), n_nodes)
    part = scipy.sparse.csgraph.connected_components(arcs, connection="strong")[1]
    inside = part[row] == part[column]
    is_settled = ~inside
    is_settled[inside] = back[inside] & _are_bridges(row[inside], column[inside], n_nodes)
    return is_settled


def _spans(
    n: IntArray, row: IntArray, column: IntArray, part: IntArray, wanted: BoolArray
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield cells and the least and the most that they can be; of too many, those of small parts.

    A cell grows by what can flow from its column to its row through others, and shrinks by what can flow
    the other way.
    """
    order = np.argsort(part, kind="stable")
    start = np.searchsorted(part[order], np.arange(int(part.max(initial=-1)) + 2))
    n_of_part = np.diff(start)
    asked = np.flatnonzero(wanted)
    asked = asked[np.argsort(n_of_part[part[asked]], kind="stable")]
    for at in asked[np.cumsum(n_of_part[part[asked]] + _FLOW_COSTS) <= _MOST_FLOWS].tolist():
        cells = order[start[part[at]] : start[part[at] + 1]]
        cells = cells[cells != at]
        _, place = np.unique(
            np.concatenate([[row[at], column[at]], row[cells], column[cells]]), return_inverse=True
        )
        one, other, tails, heads = place[0], place[1], place[2 : len(cells) + 2], place[len(cells) + 2 :]
        most = np.full(len(cells), int(n[cells].sum()) + int(n[at]))
        arcs = np.append(tails, heads), np.append(heads, tails), np.append(most, n[cells])
        grows = _flow(*arcs, other, one).flow_value
        shrinks = _flow(*arcs, one, other).flow_value
        yield at, (int(n[at]) - min(shrinks, int(n[at])), int(n[at]) + grows)


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
