"""Logs in which several users are one person, and ones in which they are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.quality.events.logs import EVENTS, Log, Make, person_names, seconds_at, varied
from benchmarks.quality.scoreboard import Scenario


def spelt(spell: Callable[[str, int], str]) -> Make:
    """Five spellings of one person stand where five persons should."""

    def make(s: Scenario) -> Log:
        n_persons = max(2, s.n_records // 5)
        names = person_names(n_persons, s.rng("names"))
        users = np.array([spell(name, number) for name in names for number in range(5)])
        return _groups_of_five(s, users)

    return make


def _groups_of_five(s: Scenario, users: np.ndarray) -> Log:
    """Five neighbours in the list have the same two events, which nobody else has."""
    rng = s.rng("log")
    group = np.repeat(np.arange(len(users)) // 5, 2)
    place = np.tile([0, 1], len(users))
    at = seconds_at(group % 50, group // 50 % 7, group // 350 % 24, rng, len(group))
    event = np.array([f"X.{name}" for name in EVENTS])[(group // 8_400 + place) % len(EVENTS)]
    columns = ("generalized_event", "week_number", "weekday", "hour")
    return Log(user=np.repeat(users, 2), event=event, seconds=at, settings={"columns": columns})


def true_persons(s: Scenario) -> Log:
    return _groups_of_five(s, person_names(max(2, s.n_records // 5) * 5, s.rng("names")))


def by_case(name: str, number: int) -> str:
    given, family = name.split(".")
    return (name, name.upper(), name.title(), f"{given}.{family.title()}", f"{given.upper()}.{family}")[
        number
    ]


def numbered(spell: Callable[[int, int], str]) -> Make:
    def make(s: Scenario) -> Log:
        numbers = 1 + s.rng("names").permutation(max(2, s.n_records // 5) * 3)[: max(2, s.n_records // 5)]
        return _groups_of_five(s, np.array([spell(int(i), k) for i in numbers for k in range(5)]))

    return make


def true_numbers(s: Scenario) -> Log:
    n = max(2, s.n_records // 5) * 5
    return _groups_of_five(s, (1 + s.rng("names").permutation(3 * n)[:n]).astype(str))


def sessions(s: Scenario) -> Log:
    """Take a session for the user; the person stands beside it and has several."""
    log = true_persons(s)
    rows = np.arange(len(log.user))
    persons = log.user[rows - rows % 10]  # all five "users" of a group are one person
    return varied(log, user=np.array([f"s{row:07d}" for row in rows]), extra={"patient_id": persons})


def sessions_of_one_event(s: Scenario) -> Log:
    log = true_persons(s)
    rows = np.arange(len(log.user))
    return varied(log, extra={"session": [f"s{row:07d}" for row in rows], "patient_id": log.user})


def row_numbers(s: Scenario) -> Log:
    log = sessions(s)
    return varied(log, user=np.arange(1, 1 + len(log.user)).astype(str))
