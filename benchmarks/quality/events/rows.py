"""Exports of which the number, the set or the order of rows tells people apart, and ones where it does not."""

from __future__ import annotations

import numpy as np

from benchmarks.quality.events.logs import EVENTS, Log, repeated, seconds_at, uuids, varied
from benchmarks.quality.scoreboard import Scenario


def all_numbers(s: Scenario) -> Log:
    return repeated(s, 1 + np.arange(min(s.n_records, 400)))


def same_number(s: Scenario) -> Log:
    return repeated(s, np.full(min(s.n_records, 400), 5))


def one_heavy(s: Scenario) -> Log:
    return repeated(s, np.concatenate([np.full(s.n_records - 1, 3), [150]]))


def nobody_heavy(s: Scenario) -> Log:
    return repeated(s, 2 + np.arange(s.n_records) % 2)


def order_of_kinds(s: Scenario) -> Log:
    """Everybody has every kind once; who had which in which week differs."""
    rng, n = s.rng("log"), s.n_records
    n_weeks = len(EVENTS) if n <= 200 else 12
    week = np.array([rng.permutation(n_weeks)[: len(EVENTS)] for _ in range(n)])
    event = np.tile([f"X.{name}" for name in EVENTS], n)
    at = seconds_at(week.ravel(), 3, 14, rng, week.size)
    return Log(
        user=np.repeat(uuids(n, rng), len(EVENTS)),
        event=event,
        seconds=at,
        settings={"columns": ("generalized_event", "week_number"), "flatten": "week_number"},
    )


def one_order(s: Scenario) -> Log:
    """Return the same in one order out of a few that many share."""
    rng, n = s.rng("log"), s.n_records
    orders = np.array([rng.permutation(len(EVENTS)) for _ in range(max(1, min(4, n // 10)))])
    week = orders[np.arange(n) % len(orders)]
    log = order_of_kinds(s)
    return varied(log, seconds=seconds_at(week.ravel(), 3, 14, rng, week.size))
