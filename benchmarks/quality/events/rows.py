"""Exports of which the number, the set or the order of rows tells people apart, and ones where it does not."""

from __future__ import annotations

import numpy as np

from benchmarks.quality.events.logs import EVENTS, Log, repeated, seconds_at, uuids, varied, with_choices
from benchmarks.quality.scoreboard import Scenario


def all_numbers(s: Scenario) -> Log:
    return repeated(s, 1 + np.arange(min(s.n_records, 400)))


def same_number(s: Scenario) -> Log:
    return repeated(s, np.full(min(s.n_records, 400), 5))


def some_numbers(s: Scenario) -> Log:
    n = min(s.n_records, 1000)
    n_odd = max(2, n // 5)
    return repeated(s, np.concatenate([np.full(n - n_odd, 4), 5 + np.arange(n_odd)]))


def one_heavy(s: Scenario) -> Log:
    return repeated(s, np.concatenate([np.full(s.n_records - 1, 3), [150]]))


def few_heavy(s: Scenario) -> Log:
    return repeated(s, np.concatenate([2 + np.arange(s.n_records - 3) % 2, [90, 140, 260]]))


def nobody_heavy(s: Scenario) -> Log:
    return repeated(s, 2 + np.arange(s.n_records) % 2)


def split_total(s: Scenario) -> Log:
    """Everybody has the same two combinations and the same number of rows, split differently."""
    rng, n = s.rng("log"), min(s.n_records, 200)
    first = 1 + np.arange(n)
    user = np.repeat(uuids(n, rng), n + 1)
    place = np.concatenate([np.repeat([0, 1], [a, n + 1 - a]) for a in first])
    return Log(
        user=user, event=np.full(len(user), "X.NOT_MOVING"), seconds=seconds_at(place, 1, 10, rng, len(place))
    )


def even_total(s: Scenario) -> Log:
    return repeated(s, np.full(min(s.n_records, 200), 6), n_places=2)


def numbers_in_pairs(s: Scenario) -> Log:
    return repeated(s, 1 + np.arange(min(s.n_records, 400)) // 2)


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


def order_in_a_day(log: Log) -> Log:
    """Let the order show in the hours of one day instead of weeks."""
    rng = np.random.default_rng(1)
    week = log.seconds // (7 * 86_400)
    settings = {"columns": ("generalized_event", "month", "day", "hour"), "flatten": "hour"}
    return with_choices(varied(log, seconds=seconds_at(0, 2, 8 + week, rng, len(week))), settings=settings)


def order_by_month(log: Log) -> Log:
    rng = np.random.default_rng(1)
    week = log.seconds // (7 * 86_400)
    settings = {"columns": ("generalized_event", "year", "month"), "flatten": "month"}
    return with_choices(varied(log, seconds=seconds_at(week * 5, 2, 8, rng, len(week))), settings=settings)


def subsets(s: Scenario) -> Log:
    """Everybody has four of twelve weeks, drawn for each."""
    rng, n = s.rng("log"), min(s.n_records, 400)
    week = rng.permuted(np.tile(np.arange(12), (n, 1)), axis=1)[:, :4]
    return Log(
        user=np.repeat(uuids(n, rng), 4),
        event=np.full(4 * n, "X.FALL_DETECTED"),
        seconds=seconds_at(week.ravel(), 0, 9, rng, 4 * n),
        settings={"columns": ("generalized_event", "week_number"), "flatten": "week_number"},
    )


def same_subset(s: Scenario) -> Log:
    log = subsets(s)
    n_users = len(np.unique(log.user))
    return varied(log, seconds=seconds_at(np.tile(np.arange(4), n_users), 0, 9, s.rng("at"), 4 * n_users))


def in_one_week(s: Scenario) -> Log:
    """Ten events of everybody in one week, on drawn days and hours, one pseudonym a week."""
    rng, n = s.rng("log"), min(s.n_records, 1000)
    at = seconds_at(0, rng.integers(0, 7, 10 * n), rng.integers(8, 12, 10 * n), rng, 10 * n)
    return Log(
        user=np.repeat(uuids(n, rng), 10),
        event=np.full(10 * n, "X.FALL_DETECTED"),
        seconds=at,
        settings={"columns": ("generalized_event", "weekday", "hour"), "flatten": "hour"},
        options={"pseudonym_per": "week"},
    )
