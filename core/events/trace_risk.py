"""Trace risk: how few known events single out a user whose events a pseudonym links."""

from dataclasses import dataclass
from math import comb

import numpy as np

from core.chance import wilson_interval
from core.coding import BoolArray, IntArray, value_codes
from core.events.traces import Traces, TraceSearch, count_unique_draws, own_traces
from core.known import bags, users_sharing

KNOWN_EVENTS = (1, 2, 3, 4)
_LARGEST_EXACT = 2_000_000
_N_USERS_SEARCHED = 500
N_DRAWS = 2_000


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share of users, exact or sampled."""

    value: float  # in [0, 1]
    lower: float  # the 95 % Wilson interval of a sampled share; the value itself where it is exact
    upper: float
    n_sampled: int = 0  # users or draws looked at; 0 where the share is exact

    @property
    def is_exact(self) -> bool:
        """Return whether everything was looked at."""
        return self.n_sampled == 0


@dataclass(frozen=True, kw_only=True)
class KnownEvents:
    """What some number of known events tells."""

    n_known: int  # events known, 1-4
    # users for whom some choice of so many known events is had by nobody else; None without any trace
    singled_out: Share | None
    random: Share | None  # probability that so many random events of a random user are had by nobody else
    below_k: float | None = None  # share of users of whom some choice fewer than k have; None where sampled


@dataclass(frozen=True, kw_only=True)
class TraceRisk:
    """How exposed the traces of a log are."""

    by_known: tuple[KnownEvents, ...]  # one entry for 1, 2, 3 and 4 known events
    # share of users with a trace whose whole set of combinations no other user has; None without any trace
    whole_trace: float | None
    whole_trace_below_k: float | None  # the same, of whose set fewer than k users have
    n_users: int  # users and pseudonyms; equal where a pseudonym is one user's
    n_traces: int

    def known(self, n_known: int) -> KnownEvents:
        """Return what `n_known` known events tell."""
        return self.by_known[KNOWN_EVENTS.index(n_known)]

    def singled_out(self, n_known: int) -> float | None:
        """Return the share of users that some choice of `n_known` events singles out."""
        share = self.known(n_known).singled_out
        return None if share is None else share.value


@dataclass(frozen=True, kw_only=True, eq=False)
class _Enumerated:
    """All choices of some number of combinations were looked at."""

    unique_of_user: BoolArray
    below_k_of_user: BoolArray
    random: float


def trace_risk(
    traces: Traces,
    *,
    k: int = 2,
    seed: int = 0,
    largest_exact: int = _LARGEST_EXACT,
    n_users_searched: int = _N_USERS_SEARCHED,
) -> TraceRisk:
    """Measure how few known events single out a user.

    A known event is a released combination of a trace; a trace is the set of distinct combinations
    under one pseudonym. A user is singled out by known events that are in one of the user's traces
    and together in no other user's. A trace with fewer combinations than are known is known whole.
    Where every choice is looked at, those that fewer than `k` users have are counted too.

    Every choice is looked at while there are at most `largest_exact` of them. Beyond, of the users
    not singled out so far, `n_users_searched` random ones (all, where there are no more) are
    searched for a unique choice, and the random share is estimated from draws.

    References
    ----------
    de Montjoye et al., Unique in the Crowd, Scientific Reports 3:1376, 2013, for random known
    events.
    """
    if not traces.n_users:
        nothing = tuple(KnownEvents(n_known=n, singled_out=None, random=None) for n in KNOWN_EVENTS)
        return TraceRisk(by_known=nothing, whole_trace=None, whole_trace_below_k=None, n_users=0, n_traces=0)
    rng = np.random.default_rng(seed)
    enumerated = _enumerate_choices(traces, largest_exact, k)
    sharing = users_sharing(whole_trace_codes(traces), traces.user_of_trace)
    search = TraceSearch(traces)
    searched = _search(search, enumerated, n_users_searched, rng)
    return TraceRisk(
        by_known=tuple(
            _exactly_known(n_known, enumerated[n_known])
            if n_known in enumerated
            else _known_from_draws(search, n_known, searched[n_known], rng)
            for n_known in KNOWN_EVENTS
        ),
        whole_trace=float(_any_of_user(traces, sharing < 2).mean()),
        whole_trace_below_k=float(_any_of_user(traces, sharing < max(k, 2)).mean()),
        n_users=traces.n_users,
        n_traces=len(traces.user_of_trace),
    )


def _exactly_known(n_known: int, choices: _Enumerated) -> KnownEvents:
    return KnownEvents(
        n_known=n_known,
        singled_out=_exact(choices.unique_of_user.mean()),
        random=_exact(choices.random),
        below_k=float(choices.below_k_of_user.mean()),
    )


def _known_from_draws(
    search: TraceSearch, n_known: int, singled_out: Share, rng: np.random.Generator
) -> KnownEvents:
    n_unique = count_unique_draws(search, n_known, n_draws=N_DRAWS, rng=rng)
    return KnownEvents(n_known=n_known, singled_out=singled_out, random=_sampled(n_unique, N_DRAWS))


def _exact(value: float) -> Share:
    return Share(value=float(value), lower=float(value), upper=float(value))


def _sampled(n_hits: int, n_sampled: int, *, n_undecided: int = 0) -> Share:
    """Return a sampled share; what could not be decided counts as a hit, and not in the lower end."""
    lower, _ = wilson_interval(n_hits, n_sampled)
    _, upper = wilson_interval(n_hits + n_undecided, n_sampled)
    return Share(value=(n_hits + n_undecided) / n_sampled, lower=lower, upper=upper, n_sampled=n_sampled)


def _any_of_user(traces: Traces, of_trace: BoolArray) -> BoolArray:
    """Return shape (n_users,): whether it holds for any of the user's traces."""
    found = np.zeros(traces.n_users, dtype=bool)
    found[traces.user_of_trace[of_trace]] = True
    return found


def _enumerate_choices(traces: Traces, largest: int, k: int) -> dict[int, _Enumerated]:
    """Look at every choice of 1, 2, … known events, each made of a smaller one, while at most `largest`."""
    results: dict[int, _Enumerated] = {}
    trace, last = traces.trace_of_point, np.arange(len(traces.trace_of_point))
    choice, random = traces.combination_of_point, np.zeros(len(traces.lengths))
    unique = np.zeros(len(traces.lengths), dtype=bool)
    below_k = unique
    for n_known in KNOWN_EVENTS:
        if n_known > 1:
            if _n_choices(traces, n_known) > largest:
                break
            n_later = traces.starts[trace] + traces.lengths[trace] - 1 - last
            source = np.repeat(np.arange(len(trace)), n_later)
            offset = np.arange(len(source)) - np.repeat(np.cumsum(n_later) - n_later, n_later)
            added = last[source] + 1 + offset
            codes = choice[source] * traces.n_combinations + traces.combination_of_point[added]
            trace, last, choice = trace[source], added, value_codes(codes)
        sharing = users_sharing(choice, traces.user_of_trace[trace])
        is_unique = sharing < 2
        n_choices = np.bincount(trace, minlength=len(random))
        n_unique = np.bincount(trace, weights=is_unique, minlength=len(random))
        random = np.where(n_choices > 0, n_unique / np.maximum(n_choices, 1), random)
        unique = unique | (n_unique > 0)
        below_k = below_k | (np.bincount(trace, weights=sharing < max(k, 2), minlength=len(random)) > 0)
        results[n_known] = _Enumerated(
            unique_of_user=_any_of_user(traces, unique),
            below_k_of_user=_any_of_user(traces, below_k),
            random=traces.mean_over_users(random),
        )
    return results


def _n_choices(traces: Traces, n_known: int) -> int:
    lengths, counts = np.unique(traces.lengths, return_counts=True)
    return sum(comb(int(length), n_known) * int(n) for length, n in zip(lengths, counts, strict=True))


def _search(
    search: TraceSearch,
    enumerated: dict[int, _Enumerated],
    n_users_searched: int,
    rng: np.random.Generator,
) -> dict[int, Share]:
    """Return the shares that were not enumerated, from a search of each sampled user's traces."""
    wanted = [n_known for n_known in KNOWN_EVENTS if n_known not in enumerated]
    if not wanted:
        return {}
    known = enumerated[wanted[0] - 1].unique_of_user
    users = np.flatnonzero(~known)
    if is_sample := len(users) > n_users_searched:
        users = np.sort(rng.choice(users, n_users_searched, replace=False))
    own = own_traces(search.traces)
    fewest = [_fewest_known(search, own[user], wanted) for user in users]
    shares = {}
    for n_known in wanted:
        n_hits = sum(number is not None and number <= n_known for number in fewest)
        of_searched = _sampled(n_hits, len(users), n_undecided=fewest.count(None)) if fewest else _exact(0.0)
        known_share = float(known.mean())
        value, lower, upper = (
            known_share + (1 - known_share) * part
            for part in (of_searched.value, of_searched.lower, of_searched.upper)
        )
        share = Share(value=value, lower=lower, upper=upper, n_sampled=of_searched.n_sampled)
        if not is_sample and None not in fewest:
            share = _exact((np.count_nonzero(known) + n_hits) / len(known))
        shares[n_known] = share
    return shares


def _fewest_known(search: TraceSearch, own_traces: IntArray, wanted: list[int]) -> int | None:
    """Return the fewest known events that single out a user by any of the traces; None if undecided."""
    fewest: int | None = wanted[-1] + 1
    for trace in own_traces:
        found = search.fewest_known(int(trace), at_least=wanted[0], at_most=wanted[-1])
        if found == wanted[0]:
            return found
        fewest = None if found is None or fewest is None else min(fewest, found)
    return fewest


def whole_trace_codes(traces: Traces) -> IntArray:
    """Return a code for each trace, alike where traces are the same set of combinations."""
    return bags(traces.trace_of_point, traces.combination_of_point, len(traces.user_of_trace))
