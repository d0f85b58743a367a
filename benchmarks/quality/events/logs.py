"""Logs of events, and how the export that comes of one is judged."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Scenario
from core.events import EventSettings, ReleaseOptions, Rule, audit_events
from core.tables import read_dataset
from core.verdict import Verdict

EVENTS = ("FALL_DETECTED", "EMERGENCY_BUTTON_PRESSED", "SMOKE_DETECTED", "WATER_LEAK_DETECTED", "NOT_MOVING")
_START = np.datetime64("2024-01-08T00:00:00")
GIVEN = "ana boris cvetka darja eva franc gregor helena igor jana klemen luka maja nejc oskar petra rok tina".split()
FAMILY = "novak horvat krajnc mlakar vidmar golob turk kralj bizjak hribar kotnik rozman oblak petek medved".split()


@dataclass(frozen=True, kw_only=True)
class Log:
    """A log of events, and what somebody chose for its export.

    Attributes
    ----------
    user, event
        A row's person and what happened.
    seconds
        When, in seconds from the first Monday.
    extra
        Other columns of the file.
    names
        The columns' names: time, user, event.
    times
        How times are written.
    settings, rule, options
        What the person chose.
    """

    user: np.ndarray
    event: np.ndarray
    seconds: np.ndarray
    extra: dict[str, Sequence[str]] = field(default_factory=dict)
    names: tuple[str, str, str] = ("OD_ISO", "GUID", "dogodek")
    times: Callable[[np.ndarray], Sequence[str]] = lambda moments: moments.astype(str)
    settings: dict[str, object] = field(default_factory=dict)
    rule: dict[str, object] = field(default_factory=dict)
    options: dict[str, object] = field(default_factory=dict)

    def moments(self) -> np.ndarray:
        """Return when each event was."""
        return _START + self.seconds.astype("timedelta64[s]")


Make = Callable[[Scenario], Log]


def judged(make: Make) -> Callable[[Scenario], Verdict]:
    """Return how a kind is judged: make its log, export it as chosen, audit the export."""

    def judge(scenario: Scenario) -> Verdict:
        log = make(scenario)
        time, user, event = log.names
        columns = {time: log.times(log.moments()), user: log.user, event: log.event, **log.extra}
        frame = pd.DataFrame(columns).astype(str)
        order = np.argsort(log.seconds, kind="stable")
        if scenario.reordered:
            order = scenario.rng("order").permutation(len(frame))
        dataset = read_dataset(frame.iloc[order].to_csv(index=False, sep=";").encode(), name="log.csv")
        chosen = {"time_column": time, "user_column": user, "event_column": event, **log.settings}
        release = ReleaseOptions(**log.options)  # type: ignore[arg-type]
        return audit_events(
            dataset,
            settings=EventSettings(**chosen),  # type: ignore[arg-type]
            rule=Rule(**log.rule),  # type: ignore[arg-type]
            options=release,
            token_source=secrets.token_bytes
            if release.pseudonym_seed is None
            else np.random.default_rng(release.pseudonym_seed).bytes,
        ).overall

    return judge


def uuids(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.array([str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(n)])


def person_names(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return distinct names; numbered from the second round on, as logins are."""
    pairs = [f"{given}.{family}" for given in GIVEN for family in FAMILY]
    rounds = [f"{pair}{number or ''}" for number in range(n // len(pairs) + 1) for pair in pairs]
    return np.array(rounds)[:n][rng.permutation(n)]


def seconds_at(week: object, weekday: object, hour: object, rng: np.random.Generator, n: int) -> np.ndarray:
    """Return seconds in the hour of a day of a week."""
    return (np.asarray(week) * 7 + weekday) * 86_400 + np.asarray(hour) * 3_600 + rng.integers(0, 3_600, n)


def shared_profiles(s: Scenario, *, n_events: int = 3) -> Log:
    """Return a log in which at least eight users each have the same events in the same weeks."""
    rng = s.rng("log")
    n = s.n_records
    n_profiles = max(1, min(6, n // 8))
    events = rng.integers(0, len(EVENTS), (n_profiles, n_events))
    week = rng.permuted(np.tile(np.arange(6), (n_profiles, 1)), axis=1)[:, :n_events]
    weekday, hour = rng.integers(0, 7, (n_profiles, n_events)), rng.integers(0, 22, (n_profiles, n_events))
    profile = np.repeat(np.arange(n) % n_profiles, n_events)
    place = np.tile(np.arange(n_events), n)
    at = seconds_at(week[profile, place], weekday[profile, place], hour[profile, place], rng, len(profile))
    names = np.array([f"DEVICE.{name}" for name in EVENTS])
    return Log(user=np.repeat(uuids(n, rng), n_events), event=names[events[profile, place]], seconds=at)


def natural(s: Scenario, *, longest: int = 60) -> Log:
    """Return a log with users as uneven as real ones, three months long."""
    rng = s.rng("log")
    n_each = np.minimum((rng.pareto(1.2, s.n_records) * 3 + 1).astype(int), longest)
    user = np.repeat(uuids(s.n_records, rng), n_each)
    n = len(user)
    names = np.array([f"DEVICE.{name}" for name in EVENTS])
    at = seconds_at(rng.integers(0, 12, n), rng.integers(0, 7, n), rng.integers(0, 24, n), rng, n)
    return Log(user=user, event=names[rng.integers(0, len(names), n)], seconds=at)


def repeated(s: Scenario, n_of_user: np.ndarray, *, n_places: int = 1, **changes: object) -> Log:
    """Return a log in which everybody has the same combinations, each so many times."""
    rng = s.rng("log")
    place = np.concatenate([np.arange(number) % n_places for number in n_of_user])
    user = np.repeat(uuids(len(n_of_user), rng), n_of_user)
    at = seconds_at(place % 3, 2, 9, rng, len(place))
    return Log(user=user, event=np.full(len(place), "X.FALL_DETECTED"), seconds=at, **changes)  # type: ignore[arg-type]


def varied(log: Log, **changes: object) -> Log:
    return replace(log, **changes)  # type: ignore[arg-type]


def with_choices(log: Log, **parts: dict[str, object]) -> Log:
    """Return the log with parts of its choices changed: settings, rule, options."""
    return replace(log, **{name: {**getattr(log, name), **part} for name, part in parts.items()})  # type: ignore[arg-type]


def users_of(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct users and the position of each row's."""
    return np.unique(log.user, return_inverse=True)
