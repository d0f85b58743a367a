"""Logs and choices of which the export is proper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from benchmarks.quality.events.logs import (
    EVENTS,
    Log,
    Make,
    natural,
    repeated,
    seconds_at,
    shared_profiles,
    users_of,
    uuids,
    varied,
    with_choices,
)
from benchmarks.quality.scoreboard import Scenario


def apart(s: Scenario, scope: str) -> Log:
    """Nobody has two events in one week; a new pseudonym for each day or week."""
    rng, n = s.rng("log"), s.n_records
    n_each = rng.integers(1, 6, n)
    user = np.repeat(uuids(n, rng), n_each)
    week = np.concatenate([rng.permutation(10)[:number] for number in n_each])
    at = seconds_at(week, rng.integers(0, 7, len(week)), rng.integers(0, 24, len(week)), rng, len(week))
    names = np.array([f"X.{name}" for name in EVENTS])
    return Log(
        user=user, event=names[rng.integers(0, 5, len(week))], seconds=at, options={"pseudonym_per": scope}
    )


def named(make: Make, names: Callable[[int, np.random.Generator], np.ndarray]) -> Make:
    """Return the same log with users called otherwise."""

    def renamed(s: Scenario) -> Log:
        log = make(s)
        users, position = users_of(log)
        return varied(log, user=names(len(users), s.rng("names"))[position])

    return renamed


def base62(n: int, rng: np.random.Generator) -> np.ndarray:
    alphabet = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"))
    drawn = {"".join(row) for row in alphabet[rng.integers(0, 62, (2 * n + 20, 4))]}
    return np.array(sorted(drawn))[rng.permutation(len(drawn))[:n]]


def two_parts(n: int, rng: np.random.Generator) -> np.ndarray:
    pairs = [f"{a}-{b}" for a in range(1, 200) for b in range(1, 200)]
    return np.array(pairs)[rng.permutation(len(pairs))[:n]]


def rooms(number: int, rng: np.random.Generator) -> str:
    del rng
    return f"ROOM {number % 40 + 1}"


def codes(number: int, rng: np.random.Generator) -> str:
    del rng
    return ("271649006", "E11.9", "99213", "8867-4", "I10", "38341003", "C50.9", "71046")[number % 8]


def versions(number: int, rng: np.random.Generator) -> str:
    del rng
    return ("PHASE_2_2024", "v10.2.14", "step 3/12", "ISO9001", "room 12.5", "24h monitoring")[number % 6]


def capped(s: Scenario) -> Log:
    """Return a natural log with a row a user and combination at most."""
    log = natural(s)
    settings = {"columns": ("workday_weekend",), "flatten": "workday_weekend", "leave_out": ()}
    return with_choices(log, settings=settings, rule={"cap": 1})


def pandas_times(form: str) -> Callable[[np.ndarray], Sequence[str]]:
    return lambda moments: pd.DatetimeIndex(moments).strftime(form).tolist()


def epoch(scale: int) -> Callable[[np.ndarray], Sequence[str]]:
    return lambda moments: (moments.astype("datetime64[s]").astype(np.int64) * scale).astype(str)


def timed(times: Callable[[np.ndarray], Sequence[str]], **settings: object) -> Make:
    return lambda s: with_choices(varied(shared_profiles(s), times=times), settings=dict(settings))


def two_years(s: Scenario) -> Log:
    log = shared_profiles(s)
    columns = ("generalized_event", "iso_year", "week_number")
    settings = {"columns": columns, "flatten": "week_number"}
    week = log.seconds // (7 * 86_400)
    return with_choices(varied(log, seconds=log.seconds + (week % 2) * 364 * 86_400), settings=settings)


def one_kind(s: Scenario) -> Log:
    return repeated(s, np.full(s.n_records, 2), n_places=2)
