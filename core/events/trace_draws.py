"""Random known events: how often a draw of them singles out its user."""

from __future__ import annotations

from typing import cast

import numpy as np

from core.coding import IntArray
from core.events.timestamps import BoolArray
from core.events.traces import Traces

_FIRST_CANDIDATES = 64
_CANDIDATES_AT_ONCE = 4_000_000


def count_unique_draws(traces: Traces, n_known: int, *, n_draws: int, rng: np.random.Generator) -> int:
    """Return how many of `n_draws` random draws no other user's trace contains.

    Each draw takes a user at random, one of their traces at random, and `n_known` distinct
    combinations of it at random, all of them where it has fewer.
    """
    drawn = _draw_traces(traces, n_draws, rng)
    known = _draw_points(traces, drawn, n_known, rng)
    return int(np.count_nonzero(~_others_have(traces, traces.user_of_trace[drawn], known)))


def _draw_traces(traces: Traces, n_draws: int, rng: np.random.Generator) -> IntArray:
    """Return a trace for each draw: of a user at random, one of their traces at random."""
    order = np.argsort(traces.user_of_trace, kind="stable")
    n_traces = np.bincount(traces.user_of_trace, minlength=traces.n_users)
    users = rng.integers(0, traces.n_users, n_draws)
    starts = np.cumsum(n_traces) - n_traces
    return cast("IntArray", order[starts[users] + rng.integers(0, n_traces[users])])


def _draw_points(traces: Traces, drawn: IntArray, n_known: int, rng: np.random.Generator) -> IntArray:
    """Return shape (n_draws, n_known): distinct combinations of each trace, repeated where too few."""
    lengths = traces.lengths[drawn]
    places = np.zeros((len(drawn), n_known), dtype=np.int64)
    for position in range(n_known):
        place = rng.integers(0, np.maximum(lengths - position, 1))
        for taken in np.sort(places[:, :position], axis=1).T:
            place = place + (place >= taken)
        places[:, position] = np.where(position < lengths, place, places[:, 0])
    return cast("IntArray", traces.combination_of_point[traces.starts[drawn][:, None] + places])


def _others_have(traces: Traces, users: IntArray, known: IntArray) -> BoolArray:
    """Return shape (n_draws,): whether another user has a trace with all the known combinations.

    Candidates are the traces with the rarest known combination, a few at first: common
    combinations find another user among them, and only draws without one look at all.
    """
    order = np.argsort(traces.combination_of_point, kind="stable")
    n_traces = np.bincount(traces.combination_of_point, minlength=traces.n_combinations)
    starts = np.cumsum(n_traces) - n_traces
    rarest = known[np.arange(len(known)), np.argmin(n_traces[known], axis=1)]
    points = traces.trace_of_point * traces.n_combinations + traces.combination_of_point
    found = np.zeros(len(known), dtype=bool)
    n_looked_at = np.zeros(len(known), dtype=np.int64)
    at_once = _FIRST_CANDIDATES
    while len(open_draws := np.flatnonzero(~found & (n_looked_at < n_traces[rarest]))):
        open_draws = open_draws[: max(_CANDIDATES_AT_ONCE // at_once, 1)]
        n_now = np.minimum(n_traces[rarest[open_draws]] - n_looked_at[open_draws], at_once)
        draw = np.repeat(open_draws, n_now)
        offset = np.arange(len(draw)) - np.repeat(np.cumsum(n_now) - n_now, n_now)
        candidates = traces.trace_of_point[order[starts[rarest[draw]] + n_looked_at[draw] + offset]]
        matches = traces.user_of_trace[candidates] != users[draw]
        for combination in known.T:
            wanted = candidates[matches] * traces.n_combinations + combination[draw[matches]]
            place = np.minimum(np.searchsorted(points, wanted), len(points) - 1)
            matches[matches] = points[place] == wanted
        found[draw[matches]] = True
        n_looked_at[open_draws] += n_now
        at_once = min(at_once * 4, _CANDIDATES_AT_ONCE)
    return found
