"""Search of lattices of generalizations for the cheapest that protects enough.

Generalizing further only merges classes, so fewer records are in classes below k: where too many are, all
finer generalizations fail as well; where few enough are, none of the coarser ones fails for k. These tags
leave most of the lattice uncounted. Candidates are taken in the order of the loss they have at least, and
the search ends where that reaches the loss of the best one found.

A lattice too large for tags is gone through from its top, where nothing is shown, step by step downwards: of
the columns that can be shown one level finer the one that saves most for the classes it splits, until none
can.

References
----------
LeFevre, DeWitt, Ramakrishnan, Incognito: efficient full-domain k-anonymity, SIGMOD 2005. Kohlmayer, Prasser,
Eckert, Kemper, Kuhn, Flash: efficient, stable and optimal k-anonymity, PASSAT 2012. Going down step by step:
Fung, Wang, Yu, Top-down specialization for information and privacy preservation, ICDE 2005.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast, get_args

import numpy as np
import numpy.typing as npt

from core.coding import FloatArray
from core.errors import refuse
from core.risk.lattice import ClassesAccepted, Generalization, Lattice, Node, Objective, SizesAndLosses
from core.words import Written, input_error, text

_MAX_WORK = 300_000_000  # cells that one search or frontier looks at; under 20 seconds
_FEWEST_EVALUATIONS = 20  # of a table so large that these alone take longer

_UNKNOWN, _FAILS, _HOLDS, _MEASURED = range(4)


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What a generalization has to reach, and what it shall cost least of."""

    k: int  # smallest class of the records shown, at least 1
    suppression_limit: float  # largest share of the assessed records that may be suppressed, in [0, 1)
    # Given the classes, True for each class that is protected well enough otherwise (l, t, α, …). Nothing is
    # assumed of how it behaves along the ladders; every candidate is asked. None accepts all.
    accepted: ClassesAccepted | None = None
    accepted_work: int = 0  # cells that one such question looks at, beside the combinations
    # largest mean over the records shown of 1 / class size; None is not asked
    average_risk: float | None = None
    # what is made as small as possible: precision lost, discernibility or the average class
    objective: Objective = "ncp"

    def check(self) -> None:
        """Refuse demands out of range."""
        problems = []
        if self.k < 1:
            problems.append(text("k must be at least 1, received {k}.", k=self.k))
        if not 0 <= self.suppression_limit < 1:
            outside = "suppression_limit must be at least 0 and below 1, received {share}."
            problems.append(text(outside, share=Written(f"{self.suppression_limit:g}")))
        if self.average_risk is not None and not 0 < self.average_risk <= 1:
            outside = "average_risk must be above 0 and at most 1, received {risk}."
            problems.append(text(outside, risk=Written(f"{self.average_risk:g}")))
        if self.objective not in get_args(Objective):
            unknown = "objective must be one of {known}, received {objective}."
            known = ", ".join(get_args(Objective))
            problems.append(text(unknown, known=known, objective=str(self.objective)))
        refuse(problems)


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What a search found."""

    # the cheapest generalization; None where none reaches the protection asked for
    best: Generalization | None
    # whether no cheaper one exists in the lattice; False where the search was bounded or stopped
    is_exact: bool
    n_nodes: int  # generalizations in the lattice, and those whose classes were counted
    n_measured: int


def search_cheapest(
    lattice: Lattice,
    demand: Demand,
    *,
    max_evaluations: int | None = None,
    max_work: int = _MAX_WORK,
    stop: Callable[[], bool] | None = None,
    known: dict[Node, SizesAndLosses] | None = None,
) -> SearchOutcome:
    """Find the cheapest generalization for what is demanded; classes too small or refused are suppressed."""
    demand.check()
    if max_evaluations is not None and max_evaluations < 1:
        raise input_error("max_evaluations must be at least 1, received {most}.", most=max_evaluations)
    search = (_TaggedSearch if lattice.is_listed else _StepwiseSearch)(
        lattice=lattice,
        demand=demand,
        max_evaluations=max_evaluations,
        work_ends_at=lattice.work + max_work,
        stop=stop,
        known={} if known is None else known,
    )
    is_exact = search.run()
    return SearchOutcome(
        best=search.best, is_exact=is_exact, n_nodes=lattice.n_nodes, n_measured=search.n_evaluations
    )


@dataclass(kw_only=True, eq=False)
class _Search:
    """One run over a lattice: the best so far, and how much has been looked at."""

    lattice: Lattice
    demand: Demand
    max_evaluations: int | None
    work_ends_at: int
    stop: Callable[[], bool] | None
    known: dict[Node, SizesAndLosses]
    best: Generalization | None = None
    n_evaluations: int = 0

    @property
    def n_allowed(self) -> int:
        """Return the records that may be suppressed."""
        return math.floor(self.demand.suppression_limit * self.lattice.table.n_records + 1e-9)

    def run(self) -> bool:
        """Search; return whether nothing cheaper can be left."""
        raise NotImplementedError

    def is_over(self) -> bool:
        """Return whether the search has to end although something may be left."""
        if self.max_evaluations is not None:
            exhausted = self.n_evaluations >= self.max_evaluations
        else:
            exhausted = self.n_evaluations >= _FEWEST_EVALUATIONS and self.lattice.work >= self.work_ends_at
        return exhausted or (self.stop is not None and self.stop())

    def consider(self, node: Node) -> Generalization | None:
        """Measure a generalization, keep it if it is the best; None where it does not do."""
        found = self._generalization(node)
        if found is not None and (self.best is None or self.order(found) < self.order(self.best)):
            self.best = found
        return found

    def order(self, found: Generalization) -> tuple[float, int, Node]:
        """Return what makes one generalization better than another."""
        return (round(found.cost(self.demand.objective), 12), found.n_suppressed, found.levels)

    def _generalization(self, node: Node) -> Generalization | None:
        """Return the generalization with its suppression, None where it does not reach what is demanded."""
        sizes = self._sizes(node)
        found = sizes.generalization(node, k=self.demand.k, n_records=self.lattice.table.n_records)
        if found is None or found.n_suppressed > self.n_allowed:
            return None
        limit = self.demand.average_risk
        return None if limit is not None and found.average_risk > limit + 1e-12 else found

    def _sizes(self, node: Node) -> SizesAndLosses:
        if self.demand.accepted is None:
            self.count(node)
            return self.lattice.measure(node)
        if node not in self.known:
            self.n_evaluations += 1
            self.lattice.work += self.demand.accepted_work
            self.known[node] = self.lattice.by_size(node, self.demand.accepted)
        return self.known[node]

    def count(self, node: Node) -> None:
        """Count the generalization unless its classes are known from a search before."""
        self.n_evaluations += node not in self.lattice.measured


@dataclass(kw_only=True, eq=False)
class _TaggedSearch(_Search):
    """A search that tags what follows from each generalization it counts."""

    tags: npt.NDArray[np.int8] = field(init=False)
    losses: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.tags = np.zeros(self.lattice.shape, dtype=np.int8)
        self.losses = self.lattice.losses()

    def run(self) -> bool:
        """Search until nothing cheaper can be left (True) or the bound is reached (False)."""
        top = self.lattice.top
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
            if self.is_over():
                return False
            if self.tags[node] == _UNKNOWN:
                self._tag_path(node, top)
            if self.tags[node] == _HOLDS:
                self._consider(node)
        return True

    def _cannot_improve(self, node: Node) -> bool:
        if self.demand.objective != "ncp":  # the order of candidates says nothing about other costs
            return False
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
            self.count(node)
            holds = self.lattice.measure(node).n_below(self.demand.k) <= self.n_allowed
            region = tuple(slice(level, None) if holds else slice(level + 1) for level in node)
            tagged = self.tags[region]
            tagged[tagged == _UNKNOWN] = _HOLDS if holds else _FAILS
        return bool(self.tags[node] != _FAILS)

    def _consider(self, node: Node) -> None:
        """Measure the cost of a generalization that reaches k, and keep it if it is the best."""
        self.tags[node] = _MEASURED
        found = self.consider(node)
        if self.demand.objective != "ncp" and found is not None and not found.n_suppressed:
            # Coarser ones have fewer and larger classes and nothing to gain from suppressing less.
            coarser = self.tags[tuple(slice(level, None) for level in node)]
            coarser[coarser != _FAILS] = _MEASURED


@dataclass(kw_only=True, eq=False)
class _StepwiseSearch(_Search):
    """A search from the top down, one level of one column at a time."""

    def run(self) -> bool:
        """Go down while a column can be shown one level finer; what is found need not be the cheapest."""
        now = self.consider(self.lattice.top)
        if now is None:
            return False
        columns = [column for column, level in enumerate(now.levels) if level]
        while columns and not self.is_over():
            reached: dict[int, Generalization] = {}
            for column in columns:
                found = self.consider(
                    (*now.levels[:column], now.levels[column] - 1, *now.levels[column + 1 :])
                )
                if found is not None:
                    reached[column] = found
                if self.is_over():
                    break
            if not reached:
                break
            worth = {column: self._worth(now, found) for column, found in reached.items()}
            now = reached[max(worth, key=lambda column: (worth[column], -column))]
            # Finer in other columns as well, classes only get smaller: what failed once fails for good.
            columns = [column for column in reached if now.levels[column]]
        return False

    def _worth(self, now: Generalization, finer: Generalization) -> float:
        """Return the cost saved for the room used up: how many times as many classes there are."""
        saved = now.cost(self.demand.objective) - finer.cost(self.demand.objective)
        return saved / math.log2(1 + finer.n_classes / now.n_classes)


def search_frontier(
    lattice: Lattice, demand: Demand, *, ks: Sequence[int], stop: Callable[[], bool] | None = None
) -> tuple[SearchOutcome, ...]:
    """Return the cheapest generalization for each k, without those that another one beats.

    A result is left out where another has at most its cost and at most its risk (1 / smallest class), and
    less of one. Searches share the counted classes, and the work.
    """
    wanted = sorted(set(ks))
    known: dict[Node, SizesAndLosses] = {}
    ends_at = lattice.work + _MAX_WORK
    outcomes = []
    for number, k in enumerate(wanted):
        outcomes.append(
            search_cheapest(
                lattice,
                replace(demand, k=k),
                max_work=max((ends_at - lattice.work) // (len(wanted) - number), 0),
                stop=stop,
                known=known,
            )
        )
    found = [(outcome, outcome.best) for outcome in outcomes if outcome.best is not None]
    every = [best for _, best in found]
    cost = [best.cost(demand.objective) for best in every]
    front = [
        (outcome, best)
        for (outcome, best), own in zip(found, cost, strict=True)
        if not any(_beats(other, each, best, own) for other, each in zip(every, cost, strict=True))
        and _is_last(best, own, every, cost)
    ]
    return tuple(outcome for outcome, _ in sorted(front, key=lambda pair: pair[1].smallest_class))


def _beats(other: Generalization, its_cost: float, one: Generalization, cost: float) -> bool:
    """Return whether another is at least as good in cost and risk, and better in one of them."""
    at_least = its_cost <= cost and other.smallest_class >= one.smallest_class
    return at_least and (its_cost < cost or other.smallest_class > one.smallest_class)


def _is_last(
    one: Generalization, cost: float, every: Sequence[Generalization], costs: Sequence[float]
) -> bool:
    """Return whether it is the last, and so of the largest k, of those equal in cost and risk."""
    same = [
        each
        for each, its_cost in zip(every, costs, strict=True)
        if (its_cost, each.smallest_class) == (cost, one.smallest_class)
    ]
    return same[-1] is one
