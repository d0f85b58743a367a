"""Released values and attributes that tell of people or times, and ones that do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.quality.events.logs import (
    EVENTS,
    Log,
    Make,
    person_names,
    seconds_at,
    shared_profiles,
    uuids,
    varied,
    with_choices,
)
from benchmarks.quality.scoreboard import Scenario
from core.events import event_mapping


def unmapped(share: float) -> Make:
    """So many of the events have names that the mapping does not know."""

    def make(s: Scenario) -> Log:
        log = shared_profiles(s)
        kinds = np.unique(log.event)
        own = dict(zip(kinds, [f"activity {letter}" for letter in "ABCDE"], strict=False))
        n_renamed = max(1, round(share * len(kinds)))
        return varied(log, event=np.array([own[e] if e in kinds[:n_renamed] else e for e in log.event]))

    return make


def own_mapping(s: Scenario) -> Log:
    mapping = event_mapping([(name, "help" if "EM" in name else name.lower()) for name in EVENTS])
    return with_choices(shared_profiles(s, n_events=4), settings={"mapping": mapping, "leave_out": ()})


_RAW = {"columns": ("event", "time_period"), "flatten": "time_period", "leave_out": ()}


def _raw(s: Scenario, label: Callable[[int, np.random.Generator], str]) -> Log:
    """Ten events happen to groups of ten users at once; the event's own name is released."""
    rng, n = s.rng("log"), s.n_records
    group = np.arange(n) // 10
    group = np.minimum(group, max(n // 10 - 1, 0))
    labels = np.array([label(int(number), rng) for number in range(int(group.max()) + 1)])
    at = seconds_at(group % 50, group // 50 % 7, 10, rng, n)
    return Log(user=person_names(n, s.rng("names")), event=labels[group], seconds=at, settings=_RAW)


def labelled(label: Callable[[int, np.random.Generator], str]) -> Make:
    return lambda s: _raw(s, label)


def activity(number: int, rng: np.random.Generator) -> str:
    del rng
    words = ("walk", "lunch", "visit", "check", "therapy", "class", "transport", "bath")
    return f"{words[number % 8]} group {'ABCDEFGH'[number // 8 % 8]}{'XYZWVUTSRQ'[number // 64 % 10]}"


def stamp(form: str) -> Make:
    """Write when it was into the event's name."""

    def make(s: Scenario) -> Log:
        log = _raw(s, activity)
        moment = (log.moments().astype("datetime64[D]")).astype("datetime64[s]")
        texts = pd.DatetimeIndex(moment + np.timedelta64(10, "h")).strftime(form)
        return varied(log, event=np.array([f"{e} {t}" for e, t in zip(log.event, texts, strict=True)]))

    return make


def names_in_values(s: Scenario) -> Log:
    """Name those who took part in a group event."""
    log = _raw(s, activity)
    group = np.minimum(np.arange(s.n_records) // 10, max(s.n_records // 10 - 1, 0))
    members = {number: ", ".join(log.user[group == number][:3]) for number in np.unique(group)}
    event = np.array([f"{e} with {members[g]}" for e, g in zip(log.event, group, strict=True)])
    return varied(log, event=event)


def nearly_uniform(share: float) -> Make:
    def make(s: Scenario) -> Log:
        rng, n = s.rng("log"), s.n_records
        kinds = np.array([f"X.{name}" for name in EVENTS])
        other = rng.random(n) < share
        weekday = np.arange(n) % min(5, max(n // 20, 1))
        event = np.where(other, kinds[rng.integers(0, 5, n)], kinds[weekday])
        settings = {"columns": ("weekday",), "flatten": "weekday", "sensitive": "event"}
        return Log(
            user=uuids(n, rng), event=event, seconds=seconds_at(0, weekday, 9, rng, n), settings=settings
        )

    return make


def chosen(make: Make, **parts: dict[str, object]) -> Make:
    return lambda s: with_choices(make(s), **parts)


def changed(make: Make, change: Callable[[Log], Log]) -> Make:
    return lambda s: change(make(s))
