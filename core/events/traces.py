"""Traces: what one pseudonym links, as sets of combinations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import cast

import numpy as np

from core.coding import IntArray, sorted_distinct, value_codes
from core.events.anonymization import AnonymizedEvents, MeasuredEvents
from core.events.stages import FloatArray


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
