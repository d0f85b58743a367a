"""Traces: what one pseudonym links, as sets of combinations; searches and random draws in them."""

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import cast

import numpy as np
import scipy

from core.coding import BoolArray, FloatArray, IntArray, sorted_distinct, value_codes
from core.events.measuring import AnonymizedEvents, MeasuredEvents


@dataclass(frozen=True, kw_only=True, eq=False)
class Traces:
    """Traces as sets of released combinations."""

    # shape (n_points,), the distinct (trace, combination) pairs, sorted; both count from 0
    trace_of_point: IntArray
    combination_of_point: IntArray
    user_of_trace: IntArray  # shape (n_traces,), whose trace it is, 0 … n_users - 1

    @property
    def n_users(self) -> int:
        """Return the number of users with a trace."""
        return int(self.user_of_trace.max(initial=-1)) + 1

    @cached_property
    def lengths(self) -> IntArray:
        """Return shape (n_traces,): distinct combinations of each trace."""
        return np.bincount(self.trace_of_point, minlength=len(self.user_of_trace)).astype(np.int64)

    @cached_property
    def starts(self) -> IntArray:
        """Return shape (n_traces,): where each trace's points begin."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def n_combinations(self) -> int:
        """Return one more than the largest combination."""
        return int(self.combination_of_point.max(initial=-1)) + 1

    def mean_over_users(self, per_trace: FloatArray) -> float:
        """Return the mean over users of the mean over each user's traces."""
        sums = np.bincount(self.user_of_trace, weights=per_trace, minlength=self.n_users)
        means = sums / np.bincount(self.user_of_trace, minlength=self.n_users)
        return fsum(means.tolist()) / self.n_users  # whatever the order of the users


def original_traces(measured: MeasuredEvents) -> Traces:
    """Return the traces after cleanup, before any flattening, one per user."""
    single = measured.single
    return build_traces(single.user_of_unit, single.user_of_unit, single.group_of_unit[0])


def released_traces(anonymized: AnonymizedEvents, pseudonym_per: str) -> Traces:
    """Return the traces of the release, one per pseudonym."""
    kept = anonymized.event_is_kept
    return build_traces(
        pseudonym_codes(anonymized, pseudonym_per)[kept],
        anonymized.user_of_event[kept],
        anonymized.group_of_event[kept],
    )


def pseudonym_codes(anonymized: AnonymizedEvents, pseudonym_per: str) -> IntArray:
    """Return shape (n_events_after_cleanup,): which events share a pseudonym, not consecutive.

    Per week and per day, a flattened event has a pseudonym of its own: under one with events of
    a known week, its own week would be known again.
    """
    users, n_events = anonymized.user_of_event, len(anonymized.user_of_event)
    if pseudonym_per == "user":
        return users
    if pseudonym_per == "event":
        return np.arange(n_events)
    log = anonymized.measured.log
    days = log.calendar.days[log.kept_after_cleanup]
    weekdays = log.calendar.weekday[log.kept_after_cleanup]
    stretch = days - weekdays if pseudonym_per == "week" else days
    stretch = stretch - stretch.min(initial=0)
    codes = users * (int(stretch.max(initial=0)) + 1) + stretch
    own = int(codes.max(initial=0)) + 1 + np.arange(n_events)
    return cast("IntArray", np.where(anonymized.stage_of_event > 0, own, codes))


def build_traces(pseudonyms: IntArray, users: IntArray, combinations: IntArray) -> Traces:
    """Return the traces of events: shape (n_events,) codes of pseudonym, user and combination."""
    trace = value_codes(pseudonyms)
    combination = value_codes(combinations)
    n_combinations = max(int(combination.max(initial=-1)) + 1, 1)
    points = sorted_distinct(trace * n_combinations + combination)
    user_of_trace = np.empty(int(trace.max(initial=-1)) + 1, dtype=np.int64)
    user_of_trace[trace] = users
    return Traces(
        trace_of_point=points // n_combinations,
        combination_of_point=points % n_combinations,
        user_of_trace=value_codes(user_of_trace),
    )


_RARE_FIRST = (48, 192)  # combinations tried before all of them
_LARGEST_PRODUCT = 200_000_000  # multiplications of one step of the search
_MOST_STEPS = 400
_FIRST_CANDIDATES, _TIMES_MORE = 64, 16


class TraceSearch:
    """Looks for combinations of one trace that no other user's trace has together.

    Some choice of n combinations is unique exactly when n of them hit, for every other user's
    trace, at least one that it lacks. The search branches on what the most similar trace lacks,
    because one of these must be chosen, and ends with all pairs at once by a sparse matrix product.
    """

    def __init__(self, traces: Traces) -> None:
        self.traces = traces
        self._order = np.argsort(traces.combination_of_point, kind="stable")
        self._n_traces = np.bincount(traces.combination_of_point, minlength=traces.n_combinations)
        self._starts = np.cumsum(self._n_traces) - self._n_traces
        self._row_of_trace = np.zeros(len(traces.user_of_trace), dtype=np.int64)
        self._points = traces.trace_of_point * traces.n_combinations + traces.combination_of_point

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
        start = self.traces.starts[trace]
        own = self.traces.combination_of_point[start : start + self.traces.lengths[trace]]
        own = own[np.argsort(self._n_traces[own], kind="stable")]
        having = [self._having(int(combination)) for combination in own]
        is_other = np.zeros(len(self._row_of_trace), dtype=bool)
        is_other[np.concatenate(having)] = True
        is_other &= self.traces.user_of_trace != self.traces.user_of_trace[trace]
        others = np.flatnonzero(is_other)
        self._row_of_trace[others] = np.arange(len(others))
        shared = np.zeros((len(others), len(own)), dtype=bool)
        for column, traces in enumerate(having):
            shared[self._row_of_trace[traces[is_other[traces]]], column] = True
        return shared

    def _having(self, combination: int) -> IntArray:
        start = self._starts[combination]
        points = self._order[start : start + self._n_traces[combination]]
        return self.traces.trace_of_point[points]

    def is_shared(self, trace: int, known: IntArray) -> bool:
        """Return whether another user has a trace with all of some combinations."""
        candidates = self._having(int(known[np.argmin(self._n_traces[known])]))
        users = self.traces.user_of_trace
        first, size = 0, _FIRST_CANDIDATES
        while first < len(candidates):  # a few first: most draws are shared by many
            some = candidates[first : first + size]
            some = some[users[some] != users[trace]]
            for combination in known:
                some = some[self._has(some, combination)]
            if len(some):
                return True
            first, size = first + size, size * _TIMES_MORE
        return False

    def _has(self, traces: IntArray, combination: int) -> BoolArray:
        wanted = traces * self.traces.n_combinations + combination
        place = np.minimum(np.searchsorted(self._points, wanted), len(self._points) - 1)
        return cast("BoolArray", self._points[place] == wanted)


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
        n_shared = shared.sum(axis=1)
        if not steps.allow(int(n_shared @ n_shared)):
            return False
        sparse = scipy.sparse.csr_array(shared.astype(np.int32))
        return bool((sparse.T @ sparse).nnz < shared.shape[1] ** 2)
    return any(
        _some_choice_is_unique(shared[shared[:, column]], n_known - 1, steps)
        for column in np.flatnonzero(~shared[most_similar])
    )


def count_unique_draws(search: TraceSearch, n_known: int, *, n_draws: int, rng: np.random.Generator) -> int:
    """Return how many of `n_draws` random draws no other user's trace contains.

    Each draw takes a user at random, one of their traces at random, and `n_known` distinct
    combinations of it at random, all of them where it has fewer.
    """
    traces, n_unique = search.traces, 0
    own = own_traces(traces)
    for user in rng.integers(0, traces.n_users, n_draws):
        trace = rng.choice(own[user])
        start, length = traces.starts[trace], traces.lengths[trace]
        known = start + rng.choice(length, min(n_known, int(length)), replace=False)
        n_unique += not search.is_shared(int(trace), traces.combination_of_point[known])
    return n_unique


def own_traces(traces: Traces) -> list[IntArray]:
    """Return the traces of each user."""
    order = np.argsort(traces.user_of_trace, kind="stable")
    return np.split(order, np.cumsum(np.bincount(traces.user_of_trace, minlength=traces.n_users))[:-1])
