"""Search of a lattice of generalizations for the cheapest that protects enough.

Generalizing further only merges classes, so fewer records are in classes below k: where too many are, all
finer generalizations fail as well; where few enough are, none of the coarser ones fails for k. These tags
leave most of the lattice uncounted. Candidates are taken in the order of the loss they have at least, and
the search ends where that reaches the loss of the best one found.

References
----------
LeFevre, DeWitt, Ramakrishnan, Incognito: efficient full-domain k-anonymity, SIGMOD 2005. Kohlmayer, Prasser,
Eckert, Kemper, Kuhn, Flash: efficient, stable and optimal k-anonymity, PASSAT 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from core.errors import AuditInputError
from core.risk.ladders import FloatArray
from core.risk.lattice import ClassesAccepted, Generalization, Lattice, Node

MAX_CELLS = (
    300_000_000  # distinct combinations × generalizations counted by one search or frontier; about a minute
)
FEWEST_EVALUATIONS = 20  # of a table so large that these alone take longer

_UNKNOWN, _FAILS, _HOLDS, _MEASURED = range(4)


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What a search found.

    Attributes
    ----------
    best
        The cheapest generalization; None where none reaches the protection asked for.
    is_exact
        Whether no cheaper one exists in the lattice; False where the search was bounded or stopped.
    n_nodes, n_measured
        Generalizations in the lattice, and those whose classes were counted.
    """

    best: Generalization | None
    is_exact: bool
    n_nodes: int
    n_measured: int


def search_cheapest(
    lattice: Lattice,
    *,
    k: int,
    suppression_limit: float,
    accepted: ClassesAccepted | None = None,
    max_evaluations: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> SearchOutcome:
    """Find the generalization of least loss that reaches k with few enough records suppressed.

    Records in classes smaller than `k`, and in classes that `accepted` refuses, are suppressed.

    Parameters
    ----------
    lattice
        The generalizations.
    k
        At least 1.
    suppression_limit
        Largest share of the assessed records that may be suppressed, in [0, 1).
    accepted
        Given the classes, True for each class that is protected well enough otherwise (l, t). Nothing is
        assumed of how it behaves along the ladders; every candidate is asked.
    max_evaluations
        Generalizations whose classes are counted at most, by this search, at least 1; None for as many as
        take about a minute.
    stop
        Asked between two candidates; True ends the search.

    Returns
    -------
    SearchOutcome
        The best found. With equal loss the one that suppresses fewer records, then the lower levels.

    Raises
    ------
    AuditInputError
        `k`, `suppression_limit` or `max_evaluations` out of range.
    """
    _check(k, suppression_limit, max_evaluations)
    search = _Search(
        lattice=lattice,
        k=k,
        n_allowed=math.floor(suppression_limit * lattice.table.n_records + 1e-9),
        accepted=accepted,
        max_evaluations=max_evaluations or max(MAX_CELLS // lattice.table.n_combinations, FEWEST_EVALUATIONS),
        stop=stop,
    )
    is_exact = search.run()
    return SearchOutcome(
        best=search.best, is_exact=is_exact, n_nodes=lattice.n_nodes, n_measured=search.n_evaluations
    )


def _check(k: int, suppression_limit: float, max_evaluations: int | None) -> None:
    problems = []
    if k < 1:
        problems.append(f"k must be at least 1, received {k}.")
    if not 0 <= suppression_limit < 1:
        problems.append(f"suppression_limit must be at least 0 and below 1, received {suppression_limit:g}.")
    if max_evaluations is not None and max_evaluations < 1:
        problems.append(f"max_evaluations must be at least 1, received {max_evaluations}.")
    if problems:
        raise AuditInputError(*problems)


@dataclass(kw_only=True, eq=False)
class _Search:
    """One run over a lattice: what is known of each generalization, and the best so far."""

    lattice: Lattice
    k: int
    n_allowed: int
    accepted: ClassesAccepted | None
    max_evaluations: int
    stop: Callable[[], bool] | None
    best: Generalization | None = None
    n_evaluations: int = 0
    tags: npt.NDArray[np.int8] = field(init=False)
    losses: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.tags = np.zeros(self.lattice.shape, dtype=np.int8)
        self.losses = self.lattice.losses()

    def run(self) -> bool:
        """Search until nothing cheaper can be left (True) or the bound is reached (False)."""
        top = tuple(levels - 1 for levels in self.lattice.shape)
        if not self._reaches_k(top):
            return True
        self._consider(top)
        flat_tags = self.tags.reshape(-1)  # a view
        for flat in np.argsort(self.losses, axis=None, kind="stable"):
            if flat_tags[flat] in (_FAILS, _MEASURED):
                continue
            node = cast("Node", tuple(map(int, np.unravel_index(flat, self.lattice.shape))))
            if self._cannot_improve(node):
                return True
            if self._is_over():
                return False
            if self.tags[node] == _UNKNOWN:
                self._tag_path(node, top)
            if self.tags[node] == _HOLDS:
                self._consider(node)
        return True

    def _is_over(self) -> bool:
        return self.n_evaluations >= self.max_evaluations or (self.stop is not None and self.stop())

    def _cannot_improve(self, node: Node) -> bool:
        return self.best is not None and self.losses[node] > self.best.loss + 1e-12

    def _tag_path(self, node: Node, top: Node) -> None:
        """Find by halving where k begins to hold on a path of cheapest steps from a node to the top."""
        path = [node, *self._steps_up(node, top)]
        low, high = -1, len(path) - 1  # the top holds; nothing below the path's start is on it
        while high - low > 1:
            middle = (low + high) // 2
            if self._reaches_k(path[middle]):
                high = middle
            else:
                low = middle
        if self.tags[path[high]] == _HOLDS:
            self._consider(path[high])  # a good one early on ends the search early

    def _steps_up(self, node: Node, top: Node) -> Iterable[Node]:
        while node != top:
            above = [
                (*node[:axis], level + 1, *node[axis + 1 :])
                for axis, level in enumerate(node)
                if level < top[axis]
            ]
            node = min(above, key=lambda each: (self.losses[each], each))
            yield node

    def _reaches_k(self, node: Node) -> bool:
        """Return whether few enough records are in classes below k, and tag what follows from it."""
        if self.tags[node] == _UNKNOWN:
            self._count(node)
            holds = self.lattice.measure(node).n_below(self.k) <= self.n_allowed
            region = tuple(slice(level, None) if holds else slice(level + 1) for level in node)
            tagged = self.tags[region]
            tagged[tagged == _UNKNOWN] = _HOLDS if holds else _FAILS
        return bool(self.tags[node] != _FAILS)

    def _count(self, node: Node) -> None:
        """Count the generalization unless its classes are known from a search before."""
        self.n_evaluations += not self.lattice.is_measured(node)

    def _consider(self, node: Node) -> None:
        """Measure the loss of a generalization that reaches k, and keep it if it is the best."""
        self.tags[node] = _MEASURED
        found = self._generalization(node)
        if found is not None and (self.best is None or _order(found) < _order(self.best)):
            self.best = found

    def _generalization(self, node: Node) -> Generalization | None:
        """Return the generalization with its suppression, None where too many would be suppressed."""
        if self.accepted is None:
            self._count(node)
            sizes = self.lattice.measure(node)
        else:
            self.n_evaluations += 1
            suppressed = self.lattice.suppressed_combinations(node, k=self.k, accepted=self.accepted)
            sizes = self.lattice.by_size(node, ~suppressed)
        shown = sizes.size >= self.k
        n_records = self.lattice.table.n_records
        n_suppressed = n_records - int(sizes.n_records[shown].sum())
        if n_suppressed > self.n_allowed:
            return None
        return Generalization(
            k=self.k,
            levels=node,
            n_records=n_records,
            n_suppressed=n_suppressed,
            smallest_class=int(sizes.size[shown].min()),
            loss=float(min((sizes.loss[shown].sum() + n_suppressed) / n_records, 1.0)),
        )


def _order(found: Generalization) -> tuple[float, int, Node]:
    return (round(found.loss, 12), found.n_suppressed, found.levels)


def search_frontier(
    lattice: Lattice,
    *,
    ks: Sequence[int],
    suppression_limit: float,
    accepted: ClassesAccepted | None = None,
    max_evaluations: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> tuple[SearchOutcome, ...]:
    """Return the cheapest generalization for each k, without those that another one beats.

    A result is left out where another has at most its loss and at most its risk (1 / smallest class), and
    less of one. Searches share the counted classes.

    Parameters
    ----------
    lattice, suppression_limit, accepted, max_evaluations, stop
        As for one search; the bound holds for each k, and by default all of them together take about a
        minute.
    ks
        The sizes to reach; those that nothing reaches are left out.

    Returns
    -------
    tuple
        By ascending smallest class; loss ascends along.
    """
    wanted = sorted(set(ks))
    if max_evaluations is None:
        affordable = MAX_CELLS // lattice.table.n_combinations
        max_evaluations = max(affordable // max(len(wanted), 1), FEWEST_EVALUATIONS)
    outcomes = [
        search_cheapest(
            lattice,
            k=k,
            suppression_limit=suppression_limit,
            accepted=accepted,
            max_evaluations=max_evaluations,
            stop=stop,
        )
        for k in wanted
    ]
    found = [(outcome, outcome.best) for outcome in outcomes if outcome.best is not None]
    front = [
        (outcome, best)
        for outcome, best in found
        if not any(_beats(other, best) for _, other in found) and _is_last(best, [each for _, each in found])
    ]
    return tuple(outcome for outcome, _ in sorted(front, key=lambda pair: pair[1].smallest_class))


def _beats(other: Generalization, one: Generalization) -> bool:
    """Return whether another is at least as good in loss and risk, and better in one of them."""
    at_least = other.loss <= one.loss and other.smallest_class >= one.smallest_class
    return at_least and (other.loss < one.loss or other.smallest_class > one.smallest_class)


def _is_last(one: Generalization, every: Sequence[Generalization]) -> bool:
    """Return whether it is the last, and so of the largest k, of those equal in loss and risk."""
    same = [each for each in every if (each.loss, each.smallest_class) == (one.loss, one.smallest_class)]
    return same[-1] is one
