"""Event logs and their exports: what a careful person would object to, and what is properly done.

A kind is a log, the settings somebody chose, and the export that comes of them; judged is the audit of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.events.logs import (
    EVENTS,
    FAMILY,
    GIVEN,
    Log,
    Make,
    judged,
    natural,
    person_names,
    repeated,
    seconds_at,
    shared_profiles,
    users_of,
    uuids,
    varied,
    with_choices,
)
from benchmarks.quality.scoreboard import Kind, Scenario
from core.events import event_mapping
from core.verdict import Verdict


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


def sessions_of_one_event(s: Scenario) -> Log:
    log = true_persons(s)
    return varied(
        log, extra={"session": [f"s{row:07d}" for row in range(len(log.user))], "patient_id": log.user}
    )


def row_numbers(s: Scenario) -> Log:
    """Take the row for the user; the person stands beside it, one of all five "users" of a group."""
    log = true_persons(s)
    rows = np.arange(len(log.user))
    return varied(log, user=(1 + rows).astype(str), extra={"patient_id": log.user[rows - rows % 10]})


def unmapped(s: Scenario) -> Log:
    """Give events names that the mapping does not know."""
    log = shared_profiles(s)
    return varied(log, event=np.array([f"activity {len(event)}" for event in log.event]))


def own_mapping(s: Scenario) -> Log:
    mapping = event_mapping([(name, "help" if "EM" in name else name.lower()) for name in EVENTS])
    return with_choices(shared_profiles(s, n_events=4), settings={"mapping": mapping, "leave_out": ()})


_RAW = {"columns": ("event", "time_period"), "flatten": "time_period", "leave_out": ()}


def _raw(s: Scenario, label: Callable[[int], str]) -> Log:
    """Ten events happen to groups of ten users at once; the event's own name is released."""
    rng, n = s.rng("log"), s.n_records
    group = np.minimum(np.arange(n) // 10, max(n // 10 - 1, 0))
    labels = np.array([label(int(number)) for number in range(int(group.max()) + 1)])
    at = seconds_at(group % 50, group // 50 % 7, 10, rng, n)
    return Log(user=person_names(n, s.rng("names")), event=labels[group], seconds=at, settings=_RAW)


def labelled(label: Callable[[int], str]) -> Make:
    return lambda s: _raw(s, label)


def activity(number: int) -> str:
    words = ("walk", "lunch", "visit", "check", "therapy", "class", "transport", "bath")
    return f"{words[number % 8]} group {'ABCDEFGH'[number // 8 % 8]}{'XYZWVUTSRQ'[number // 64 % 10]}"


def stamped(s: Scenario) -> Log:
    """Write when it was into the event's name."""
    log = _raw(s, activity)
    times = pd.DatetimeIndex(log.moments().astype("datetime64[D]")).strftime("%Y%m%dT100000")
    return varied(log, event=np.array([f"{e} {t}" for e, t in zip(log.event, times, strict=True)]))


def names_in_values(s: Scenario) -> Log:
    """Name those who took part in a group event."""
    log = _raw(s, activity)
    group = np.minimum(np.arange(s.n_records) // 10, max(s.n_records // 10 - 1, 0))
    members = {number: ", ".join(log.user[group == number][:3]) for number in np.unique(group)}
    event = np.array([f"{e} with {members[g]}" for e, g in zip(log.event, group, strict=True)])
    return varied(log, event=event)


def nearly_uniform(share: float) -> Make:
    """Let each weekday have one kind of event, but for a share of the events."""

    def make(s: Scenario) -> Log:
        rng, n = s.rng("log"), s.n_records
        kinds = np.array([f"X.{name}" for name in EVENTS])
        weekday = np.arange(n) % min(5, max(n // 20, 1))
        event = np.where(rng.random(n) < share, kinds[rng.integers(0, 5, n)], kinds[weekday])
        settings = {"columns": ("weekday",), "flatten": "weekday", "sensitive": "event"}
        at = seconds_at(0, weekday, 9, rng, n)
        return Log(user=uuids(n, rng), event=event, seconds=at, settings=settings)

    return make


def chosen(make: Make, **parts: dict[str, object]) -> Make:
    return lambda s: with_choices(make(s), **parts)


def apart(s: Scenario) -> Log:
    """Nobody has two events in one week; a new pseudonym for each week."""
    rng, n = s.rng("log"), s.n_records
    n_each = rng.integers(1, 6, n)
    user, n_events = np.repeat(uuids(n, rng), n_each), int(n_each.sum())
    week = np.concatenate([rng.permutation(10)[:number] for number in n_each])
    at = seconds_at(week, rng.integers(0, 7, n_events), rng.integers(0, 24, n_events), rng, n_events)
    event = np.array([f"X.{name}" for name in EVENTS])[rng.integers(0, 5, n_events)]
    return Log(user=user, event=event, seconds=at, options={"pseudonym_per": "week"})


def named(make: Make, names: Callable[[int, np.random.Generator], np.ndarray]) -> Make:
    """Return the same log with users called otherwise."""

    def renamed(s: Scenario) -> Log:
        log = make(s)
        users, position = users_of(log)
        return varied(log, user=names(len(users), s.rng("names"))[position])

    return renamed


def two_parts(n: int, rng: np.random.Generator) -> np.ndarray:
    pairs = [f"{a}-{b}" for a in range(1, 200) for b in range(1, 200)]
    return np.array(pairs)[rng.permutation(len(pairs))[:n]]


def versions(number: int) -> str:
    return ("PHASE_2_2024", "v10.2.14", "step 3/12", "ISO9001", "room 12.5", "24h monitoring")[number % 6]


def capped(s: Scenario) -> Log:
    """Return a natural log with a row a user and combination at most."""
    log = natural(s)
    settings = {"columns": ("workday_weekend",), "flatten": "workday_weekend", "leave_out": ()}
    return with_choices(log, settings=settings, rule={"cap": 1})


def timed(times: Callable[[np.ndarray], Sequence[str]], **settings: object) -> Make:
    return lambda s: with_choices(varied(shared_profiles(s), times=times), settings=dict(settings))


def two_years(s: Scenario) -> Log:
    log = shared_profiles(s)
    columns = ("generalized_event", "iso_year", "week_number")
    settings = {"columns": columns, "flatten": "week_number"}
    week = log.seconds // (7 * 86_400)
    return with_choices(varied(log, seconds=log.seconds + (week % 2) * 364 * 86_400), settings=settings)


def _leaky(name: str, family: str, make: Make, control: Make, **how: Any) -> Kind:
    judge, without = judged(make), judged(control)
    return Kind(tool="events", name=name, family=family, leaky=True, judge=judge, control=without, **how)


def _fine(name: str, family: str, make: Make) -> Kind:
    return Kind(tool="events", name=name, family=family, leaky=False, judge=judged(make))


_ASK = {"at_least": Verdict.WARN}
_GROUPS, _PER_EVENT = labelled(activity), {"pseudonym_per": "event"}
_REMOVED = {
    "rule": {"strategy": "remove-users"},
    "settings": {"columns": ("generalized_event", "weekday"), "flatten": "weekday"},
}
_STEPS = {"settings": {"flatten_steps": ("auto",)}}
# fmt: off
KINDS = (
    _leaky("every user has another number of rows", "numbers", all_numbers, same_number),
    _leaky("numbers of rows, flattened in all steps", "numbers", chosen(all_numbers, **_STEPS), chosen(same_number, **_STEPS)),
    _leaky("one user with fifty times the rows", "numbers", one_heavy, nobody_heavy, **_ASK),
    _leaky("order of kinds by week", "order", order_of_kinds, one_order, **_ASK),
    _leaky(
        "a real log, users removed", "together", chosen(natural, **_REMOVED), sizes=(1000,), **_ASK,
        control=chosen(natural, **_REMOVED, options=_PER_EVENT),
    ),
    _leaky("one person in five cases", "users", spelt(by_case), true_persons),
    _leaky(
        "one number as spreadsheets write it", "users", control=true_numbers,
        make=numbered(lambda i, k: (str(i), f"{i}.0", f"{i}.00", f"0{i}", f"{i},0")[k]),
    ),
    _leaky("row numbers taken for users", "users", row_numbers, sessions_of_one_event, **_ASK),
    _leaky("no event is in the mapping", "mapping", unmapped, shared_profiles, at_least=Verdict.NOT_ASSESSED),
    _leaky("compact timestamps in event names", "values", stamped, _GROUPS, **_ASK),
    _leaky("participants named in the event", "values", names_in_values, _GROUPS),
    _leaky("e-mail addresses in events", "values", labelled(lambda g: f"mail to {GIVEN[g % 18]}.{FAMILY[g % 15]}@example.org"), _GROUPS, **_ASK),
    _leaky("pseudonyms from a seed", "pseudonyms", chosen(shared_profiles, options={"pseudonym_seed": 1}), shared_profiles, **_ASK),
    _leaky("the users' own identifiers", "pseudonyms", chosen(shared_profiles, options={"keep_user_ids": True}), shared_profiles, **_ASK),
    _leaky("one value of the attribute a combination", "attribute", nearly_uniform(0.0), nearly_uniform(0.8), **_ASK),
    _fine("shared profiles", "linked", shared_profiles),
    _fine("two years", "linked", two_years),
    _fine("a row a user and combination at most", "linked", capped),
    _fine("a real log, a pseudonym an event", "unlinked", chosen(natural, options=_PER_EVENT)),
    _fine("one event a week, a pseudonym a week", "unlinked", apart),
    _fine("names of people as users", "users", named(shared_profiles, person_names)),
    _fine("numbers in two parts as users", "users", named(shared_profiles, two_parts)),
    _fine("own column names", "reading", lambda s: varied(shared_profiles(s), names=("when", "who", "what"))),
    _fine("day-first times", "reading", timed(lambda at: pd.DatetimeIndex(at).strftime("%d.%m.%Y %H:%M").tolist(), time_format="day-first")),
    _fine("epoch seconds", "reading", timed(lambda at: at.astype("datetime64[s]").astype(np.int64).astype(str), time_format="epoch-seconds")),
    _fine("versions and phases as events", "values", labelled(versions)),
    _fine("an own mapping", "values", own_mapping),
    _fine("a diverse attribute", "attribute", nearly_uniform(0.8)),
)
# fmt: on
