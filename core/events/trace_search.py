"""Search for a choice of known events that nobody else has."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from core.coding import IntArray
from core.events.timestamps import BoolArray
from core.events.traces import Traces

_RARE_FIRST = (48, 192)  # combinations tried before all of them
_LARGEST_PRODUCT = 200_000_000  # multiplications of one step of the search
_MOST_STEPS = 400


class TraceSearch:
    """Looks for combinations of one trace that no other user's trace has together.

    Some choice of n combinations is unique exactly when n of them hit, for every other user's
    trace, at least one that it lacks. The search branches on what the most similar trace lacks,
    because one of these must be chosen, and ends with all pairs at once by a sparse matrix product.
    """

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._order = np.argsort(traces.combination_of_point, kind="stable")
        self._n_traces = np.bincount(traces.combination_of_point, minlength=traces.n_combinations)
        self._starts = np.cumsum(self._n_traces) - self._n_traces
        self._row_of_trace = np.zeros(len(traces.user_of_trace), dtype=np.int64)

    def fewest_known(self, trace: int, *, at_least: int, at_most: int) -> int | None:
        """Return the fewest known combinations that single out the trace's user.

        `at_least`, `at_most`: numbers of known combinations to try, ascending. A unique choice stays unique
        with more known, so the first hit answers for all larger numbers.

        Returns ``at_most + 1`` where no choice is unique; None where a part of the search was given up, which
        only a trace of very many combinations among very many users can bring about.
        """
        shared = self._shared_with_others(trace)
        if len(shared) and (shared.shape[1] - shared.sum(axis=1)).min() == 0:
            return at_most + 1  # somebody else has all of it
        steps = _Steps()
        for n_known in range(at_least, at_most + 1):
            for n_rarest in (*_RARE_FIRST, shared.shape[1]):
                if n_rarest <= shared.shape[1] and _some_choice_is_unique(
                    shared[:, :n_rarest], n_known, steps
                ):
                    return None if steps.given_up else n_known
        return None if steps.given_up else at_most + 1

    def _shared_with_others(self, trace: int) -> BoolArray:
        """Return shape (n_other_traces, length): who has which of the trace's combinations, rarest first."""
        start = self._traces.starts[trace]
        own = self._traces.combination_of_point[start : start + self._traces.lengths[trace]]
        own = own[np.argsort(self._n_traces[own], kind="stable")]
        having = [self._having(int(combination)) for combination in own]
        is_other = np.zeros(len(self._row_of_trace), dtype=bool)
        is_other[np.concatenate(having)] = True
        is_other &= self._traces.user_of_trace != self._traces.user_of_trace[trace]
        others = np.flatnonzero(is_other)
        self._row_of_trace[others] = np.arange(len(others))
        shared = np.zeros((len(others), len(own)), dtype=bool)
        for column, traces in enumerate(having):
            shared[self._row_of_trace[traces[is_other[traces]]], column] = True
        return shared

    def _having(self, combination: int) -> IntArray:
        start = self._starts[combination]
        points = self._order[start : start + self._n_traces[combination]]
        return self._traces.trace_of_point[points]


class _Steps:
    """Steps taken so far, and whether one was refused."""

    def __init__(self) -> None:
        self.n_left = _MOST_STEPS
        self.given_up = False

    def allow(self, size: int) -> bool:
        self.n_left -= 1
        if self.n_left < 0 or size > _LARGEST_PRODUCT:
            self.given_up = True
            return False
        return True


def _some_choice_is_unique(shared: BoolArray, n_known: int, steps: _Steps) -> bool:
    """Return whether some choice of up to `n_known` columns has no row that is True in all of them."""
    if not len(shared) or not shared.any(axis=0).all():
        return True
    n_lacking = shared.shape[1] - shared.sum(axis=1)
    most_similar = int(np.argmin(n_lacking))
    if n_known == 1 or n_lacking[most_similar] == 0:
        return False
    if n_known == 2:
        return _some_pair_is_unique(shared, steps)
    return any(
        _some_choice_is_unique(shared[shared[:, column]], n_known - 1, steps)
        for column in np.flatnonzero(~shared[most_similar])
    )


def _some_pair_is_unique(shared: BoolArray, steps: _Steps) -> bool:
    """Return whether some two columns are True together in no row: a zero of sharedᵀ · shared."""
    n_shared = shared.sum(axis=1)
    if not steps.allow(int(n_shared @ n_shared)):
        return False
    sparse = csr_array(shared.astype(np.int32))
    return bool((sparse.T @ sparse).nnz < shared.shape[1] ** 2)
