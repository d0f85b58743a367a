"""What one known event, or the time of one, gives for certain beyond what most have anyway."""

from dataclasses import dataclass

import numpy as np
import scipy

from core.coding import BoolArray, FloatArray, IntArray, combined_codes, sorted_distinct, value_codes
from core.events.measuring import AnonymizedEvents
from core.events.settings import DERIVED_COLUMNS, KIND_COLUMNS
from core.events.trace_risk import whole_trace_codes
from core.events.traces import Traces

_MOST_HAVE_IT = 0.5  # share of users, or of what happens, from which nothing new is told
_FIRST_TRACES, _AT_ONCE = 4, 4_000_000


@dataclass(frozen=True, kw_only=True)
class Inference:
    """Users of whom more follows for certain, and what chance gives of them."""

    n_users: int  # users released
    # users with an event such that all who have it have another too, which at most half of all users have
    n_by_event: int
    # share in [0, 1] of the users that this is so for if all events were spread over the users at random
    chance_by_event: float
    # users with an event at a time at which one kind alone happens, which is at most half of what happens;
    # None where the export tells no time or no kind
    n_by_time: int | None
    chance_by_time: float  # the same if the kinds were spread over all times at random
    n_times: int  # times that are released as fine as they come, and those with one such kind
    n_times_of_one_kind: int


def inference(anonymized: AnonymizedEvents, traces: Traces) -> Inference:
    """Count the users of whom one known event, or a known time, gives more for certain.

    `traces`: of the release, under its pseudonyms. An event is a released combination; one event gives
    another where every trace with the first has the second. A time is what the released time columns say, as
    far as they are not made coarser; events whose time is coarser count at every time that it may be.

    Notes
    -----
    Events spread at random: a user with d of all m events of users has another that n users have with
    probability 1 - exp(-d n / m), and all who have the known event with the product of theirs. Kinds spread
    at random: n users at one time have one kind of share p with probability p^n. A user is told of where any
    of it happens.
    """
    n_by_event, chance_by_event = _by_event(traces) if traces.n_users else (0, 0.0)
    times = _Times.of(anonymized)
    by_time = None if times is None else times.users_told()
    return Inference(
        n_users=traces.n_users,
        n_by_event=n_by_event,
        chance_by_event=chance_by_event,
        n_by_time=None if by_time is None else by_time[0],
        chance_by_time=0.0 if by_time is None else by_time[1],
        n_times=0 if times is None else times.n_times,
        n_times_of_one_kind=0 if times is None else int(np.count_nonzero(times.has_one_kind)),
    )


def _by_event(traces: Traces) -> tuple[int, float]:
    """Return the users of whom one known event gives another, and the share that chance gives."""
    user = traces.user_of_trace[traces.trace_of_point]
    had = sorted_distinct(traces.combination_of_point * traces.n_users + user)
    event, user = had // traces.n_users, had % traces.n_users
    n_having = np.bincount(event, minlength=traces.n_combinations)
    gives = _gives_another(traces, n_having)
    told = np.bincount(user[gives[event]], minlength=traces.n_users) > 0
    none = _log_of_none(event, user, n_having, traces.n_users)
    none_of_user = np.bincount(user, weights=none[event], minlength=traces.n_users)
    return int(told.sum()), max(0.0, float(-np.expm1(none_of_user).mean()))


def _log_of_none(event: IntArray, user: IntArray, n_having: IntArray, n_users: int) -> FloatArray:
    """Return for each event the logarithm of the chance that it gives none of the others.

    `event`, `user`: who has which, each pair once. Numbers of users are rounded to two digits for it.
    """
    n_events = np.bincount(user, minlength=n_users)
    degrees, of_user = np.unique(n_events, return_inverse=True)
    power = 10.0 ** np.maximum(np.floor(np.log10(n_having)) - 1, 0)
    sizes, of_event, n_of_size = np.unique(
        np.round(n_having / power) * power, return_inverse=True, return_counts=True
    )
    log_has = np.log(-np.expm1(-np.outer(degrees, sizes) / len(event)))
    having = scipy.sparse.csr_array(
        (np.ones(len(event)), (event, of_user[user])), shape=(len(n_having), len(degrees))
    )
    none = np.zeros(len(n_having))
    for start in range(0, len(none), _AT_ONCE // len(sizes)):
        part = slice(start, start + _AT_ONCE // len(sizes))
        all_have = np.exp(having[part] @ log_has)
        known = n_having[part, None]
        is_asked = (sizes >= known) & (sizes <= _MOST_HAVE_IT * n_users)
        n_others = n_of_size - (of_event[part, None] == np.arange(len(sizes)))  # but itself
        none[part] = np.where(is_asked, n_others * np.log1p(-all_have), 0.0).sum(axis=1)
    return none


def _gives_another(traces: Traces, n_having: IntArray) -> BoolArray:
    """Return for each event whether all traces with it have another that at most half of the users have."""
    distinct = np.zeros(len(traces.user_of_trace), dtype=bool)
    distinct[np.unique(whole_trace_codes(traces), return_index=True)[1]] = True
    kept = distinct[traces.trace_of_point]
    trace, combination = traces.trace_of_point[kept], traces.combination_of_point[kept]
    order = np.lexsort((traces.lengths[trace], combination))  # of each event its shortest trace first
    n_traces = np.bincount(combination, minlength=traces.n_combinations)
    starts = np.cumsum(n_traces) - n_traces
    shortest = trace[order[starts[n_traces > 0]]]
    known = np.repeat(np.flatnonzero(n_traces > 0), traces.lengths[shortest])
    offset = np.arange(len(known)) - np.repeat(np.cumsum(traces.lengths[shortest]), traces.lengths[shortest])
    other = traces.combination_of_point[
        np.repeat(traces.starts[shortest] + traces.lengths[shortest], traces.lengths[shortest]) + offset
    ]
    asked = (known != other) & (n_having[other] >= n_having[known])
    asked &= n_having[other] <= _MOST_HAVE_IT * traces.n_users
    known, other = known[asked], other[asked]
    points = traces.trace_of_point * traces.n_combinations + traces.combination_of_point
    gives, n_seen, at_once = np.zeros(traces.n_combinations, dtype=bool), 1, _FIRST_TRACES
    while len(known):
        is_through = n_traces[known] <= n_seen
        gives[known[is_through]] = True
        known, other = known[~is_through], other[~is_through]
        at_once = max(min(at_once, _AT_ONCE // max(len(known), 1)), 1)
        places = n_seen + np.arange(at_once)
        of_known = starts[known][:, None] + np.minimum(places, n_traces[known][:, None] - 1)
        wanted = trace[order[of_known]] * traces.n_combinations + other[:, None]
        found = points[np.minimum(np.searchsorted(points, wanted), len(points) - 1)] == wanted
        known, other = known[found.all(axis=1)], other[found.all(axis=1)]
        n_seen, at_once = n_seen + at_once, at_once * 4
    return gives


@dataclass(frozen=True, kw_only=True, eq=False)
class _Times:
    """The released times, and the kinds of what happened at each."""

    user_of_row: IntArray  # shape (n_rows,), one row of each user, time and kind; users from 0
    time_of_row: IntArray  # from 0
    kind_of_row: IntArray
    has_one_kind: BoolArray  # shape (n_times,), whether one kind alone may have happened then, not the usual

    @property
    def n_times(self) -> int:
        return len(self.has_one_kind)

    @classmethod
    def of(cls, anonymized: AnonymizedEvents) -> "_Times | None":
        """Return the times of an export; None where it tells no time or no kind."""
        stages, own = anonymized.stages, anonymized.measured.log.others
        kept = anonymized.event_is_kept
        kinds = [n for n, name in enumerate(stages.columns) if name in KIND_COLUMNS]
        kinds = kinds or [n for n, name in enumerate(stages.columns) if name in own]
        times = [
            n for n, name in enumerate(stages.columns) if name in DERIVED_COLUMNS and name not in KIND_COLUMNS
        ]
        if not kinds or not times or not kept.any():
            return None
        # of all events, removed ones too: a time is not of one kind because few have the others
        groups, of_event = np.unique(anonymized.group_of_event, return_inverse=True)
        values = stages.values_of_group[groups]
        of_row, user = of_event[kept], value_codes(anonymized.user_of_event[kept])
        finest = stages.values_of_group[stages.stage_of_group == 0].max(axis=0)
        time = _codes(values[:, times])
        kind = _codes(values[:, kinds])
        is_fine = values[:, times] <= finest[times]
        one = _have_one_kind(values[:, times], is_fine, time, kind)
        one[time[(values[:, kinds] > finest[kinds]).any(axis=1)]] = False  # a coarser kind may be several
        n_times, n_kinds = int(time.max()) + 1, int(kind.max()) + 1
        rows = sorted_distinct((user * n_times + time[of_row]) * n_kinds + kind[of_row])
        row_kind, row_time = rows % n_kinds, rows // n_kinds % n_times
        of_kind = np.bincount(row_kind, minlength=n_kinds) / len(rows)
        kind_of_time = np.zeros(n_times, dtype=np.int64)
        kind_of_time[time] = kind
        return cls(
            user_of_row=rows // n_kinds // n_times,
            time_of_row=row_time,
            kind_of_row=row_kind,
            has_one_kind=one & (of_kind[kind_of_time] <= _MOST_HAVE_IT),
        )

    def users_told(self) -> tuple[int, float]:
        """Return the users of whom a known time gives the kind, and the share that chance gives."""
        n_users = int(self.user_of_row.max()) + 1
        told = np.bincount(self.user_of_row[self.has_one_kind[self.time_of_row]], minlength=n_users) > 0
        shares = np.bincount(self.kind_of_row) / len(self.kind_of_row)
        shares = shares[shares <= _MOST_HAVE_IT]
        at_time = sorted_distinct(self.user_of_row * self.n_times + self.time_of_row)
        user, time = at_time // self.n_times, at_time % self.n_times
        n_at_time = np.bincount(time, minlength=self.n_times)
        sizes, of_time = np.unique(n_at_time, return_inverse=True)
        by_size = (shares[:, None] ** sizes).sum(axis=0)
        none = np.log1p(-np.minimum(by_size, 1 - 1e-12))[of_time]
        none_of_user = np.bincount(user, weights=none[time], minlength=n_users)
        return int(told.sum()), max(0.0, float(-np.expm1(none_of_user).mean()))


def _codes(values: IntArray) -> IntArray:
    return value_codes(combined_codes([value_codes(column) for column in values.T], n_records=len(values)))


def _have_one_kind(values: IntArray, is_fine: BoolArray, time: IntArray, kind: IntArray) -> BoolArray:
    """Return for each time whether the combinations that may be of it have one kind.

    All arguments by released combination; a value that is not as fine as it comes may be any. A time is asked
    by the columns in which it is fine; without such a column it is none.
    """
    one = np.ones(int(time.max()) + 1, dtype=bool)
    patterns = np.unique(is_fine, axis=0)
    for asked in patterns:
        own = (is_fine == asked).all(axis=1)
        if not asked.any():
            one[time[own]] = False
            continue
        for pattern in patterns:
            common = asked & pattern
            other = (is_fine == pattern).all(axis=1)
            codes = _codes(values[:, common]) if common.any() else np.zeros(len(values), dtype=np.int64)
            lowest, highest = np.full(codes.max() + 1, kind.max() + 1), np.full(codes.max() + 1, -1)
            np.minimum.at(lowest, codes[other], kind[other])
            np.maximum.at(highest, codes[other], kind[other])
            differs = (lowest[codes] < kind) | (highest[codes] > kind)
            one[time[own & differs]] = False
    return one
