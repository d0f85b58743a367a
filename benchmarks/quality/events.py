"""Event logs and their exports: what a careful person would object to, and what is properly done.

A kind is a log, the settings somebody chose, and the export that comes of them; judged is the audit of it.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind, Scenario
from core.datasets import ReadOptions, read_dataset
from core.events import EventSettings, ReleaseOptions, Rule, audit_events, event_mapping
from core.verdict import Verdict

_EVENTS = ("FALL_DETECTED", "EMERGENCY_BUTTON_PRESSED", "SMOKE_DETECTED", "WATER_LEAK_DETECTED", "NOT_MOVING")
_START = np.datetime64("2024-01-08T00:00:00")
_GIVEN = "ana boris cvetka darja eva franc gregor helena igor jana klemen luka maja nejc oskar petra rok tina".split()
_FAMILY = "novak horvat krajnc mlakar vidmar golob turk kralj bizjak hribar kotnik rozman oblak petek medved".split()


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
    settings, rule, options, missing
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
    missing: tuple[str, ...] | None = None

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
        options = ReadOptions() if log.missing is None else ReadOptions(missing_spellings=log.missing)
        dataset = read_dataset(
            frame.iloc[order].to_csv(index=False, sep=";").encode(), name="log.csv", options=options
        )
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


# Logs


def _uuids(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.array([str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(n)])


def _person_names(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return distinct names; numbered from the second round on, as logins are."""
    pairs = [f"{given}.{family}" for given in _GIVEN for family in _FAMILY]
    rounds = [f"{pair}{number or ''}" for number in range(n // len(pairs) + 1) for pair in pairs]
    return np.array(rounds)[:n][rng.permutation(n)]


def _at(week: object, weekday: object, hour: object, rng: np.random.Generator, n: int) -> np.ndarray:
    """Return seconds in the hour of a day of a week."""
    return (np.asarray(week) * 7 + weekday) * 86_400 + np.asarray(hour) * 3_600 + rng.integers(0, 3_600, n)


def shared_profiles(s: Scenario, *, n_events: int = 3) -> Log:
    """Return a log in which at least eight users each have the same events in the same weeks."""
    rng = s.rng("log")
    n = s.n_records
    n_profiles = max(1, min(6, n // 8))
    events = rng.integers(0, len(_EVENTS), (n_profiles, n_events))
    week = rng.permuted(np.tile(np.arange(6), (n_profiles, 1)), axis=1)[:, :n_events]
    weekday, hour = rng.integers(0, 7, (n_profiles, n_events)), rng.integers(0, 22, (n_profiles, n_events))
    profile = np.repeat(np.arange(n) % n_profiles, n_events)
    place = np.tile(np.arange(n_events), n)
    at = _at(week[profile, place], weekday[profile, place], hour[profile, place], rng, len(profile))
    names = np.array([f"DEVICE.{name}" for name in _EVENTS])
    return Log(user=np.repeat(_uuids(n, rng), n_events), event=names[events[profile, place]], seconds=at)


def natural(s: Scenario, *, longest: int = 60) -> Log:
    """Return a log with users as uneven as real ones, three months long."""
    rng = s.rng("log")
    n_each = np.minimum((rng.pareto(1.2, s.n_records) * 3 + 1).astype(int), longest)
    user = np.repeat(_uuids(s.n_records, rng), n_each)
    n = len(user)
    names = np.array([f"DEVICE.{name}" for name in _EVENTS])
    at = _at(rng.integers(0, 12, n), rng.integers(0, 7, n), rng.integers(0, 24, n), rng, n)
    return Log(user=user, event=names[rng.integers(0, len(names), n)], seconds=at)


def repeated(s: Scenario, n_of_user: np.ndarray, *, n_places: int = 1, **changes: object) -> Log:
    """Return a log in which everybody has the same combinations, each so many times."""
    rng = s.rng("log")
    place = np.concatenate([np.arange(number) % n_places for number in n_of_user])
    user = np.repeat(_uuids(len(n_of_user), rng), n_of_user)
    at = _at(place % 3, 2, 9, rng, len(place))
    return Log(user=user, event=np.full(len(place), "X.FALL_DETECTED"), seconds=at, **changes)  # type: ignore[arg-type]


def _varied(log: Log, **changes: object) -> Log:
    return replace(log, **changes)  # type: ignore[arg-type]


def _with(log: Log, **parts: dict[str, object]) -> Log:
    """Return the log with parts of its choices changed: settings, rule, options."""
    return replace(log, **{name: {**getattr(log, name), **part} for name, part in parts.items()})  # type: ignore[arg-type]


def _users_of(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct users and the position of each row's."""
    return np.unique(log.user, return_inverse=True)


# Leaks: how many rows, in which order, which together


def _all_numbers(s: Scenario) -> Log:
    return repeated(s, 1 + np.arange(min(s.n_records, 400)))


def _same_number(s: Scenario) -> Log:
    return repeated(s, np.full(min(s.n_records, 400), 5))


def _some_numbers(s: Scenario) -> Log:
    n = min(s.n_records, 1000)
    n_odd = max(2, n // 5)
    return repeated(s, np.concatenate([np.full(n - n_odd, 4), 5 + np.arange(n_odd)]))


def _one_heavy(s: Scenario) -> Log:
    return repeated(s, np.concatenate([np.full(s.n_records - 1, 3), [150]]))


def _few_heavy(s: Scenario) -> Log:
    return repeated(s, np.concatenate([2 + np.arange(s.n_records - 3) % 2, [90, 140, 260]]))


def _nobody_heavy(s: Scenario) -> Log:
    return repeated(s, 2 + np.arange(s.n_records) % 2)


def _split_total(s: Scenario) -> Log:
    """Everybody has the same two combinations and the same number of rows, split differently."""
    rng, n = s.rng("log"), min(s.n_records, 200)
    first = 1 + np.arange(n)
    user = np.repeat(_uuids(n, rng), n + 1)
    place = np.concatenate([np.repeat([0, 1], [a, n + 1 - a]) for a in first])
    return Log(
        user=user, event=np.full(len(user), "X.NOT_MOVING"), seconds=_at(place, 1, 10, rng, len(place))
    )


def _even_total(s: Scenario) -> Log:
    return repeated(s, np.full(min(s.n_records, 200), 6), n_places=2)


def _numbers_in_pairs(s: Scenario) -> Log:
    return repeated(s, 1 + np.arange(min(s.n_records, 400)) // 2)


def _order_of_kinds(s: Scenario) -> Log:
    """Everybody has every kind once; who had which in which week differs."""
    rng, n = s.rng("log"), s.n_records
    n_weeks = len(_EVENTS) if n <= 200 else 12
    week = np.array([rng.permutation(n_weeks)[: len(_EVENTS)] for _ in range(n)])
    event = np.tile([f"X.{name}" for name in _EVENTS], n)
    at = _at(week.ravel(), 3, 14, rng, week.size)
    return Log(
        user=np.repeat(_uuids(n, rng), len(_EVENTS)),
        event=event,
        seconds=at,
        settings={"columns": ("generalized_event", "week_number"), "flatten": "week_number"},
    )


def _one_order(s: Scenario) -> Log:
    """Return the same in one order out of a few that many share."""
    rng, n = s.rng("log"), s.n_records
    orders = np.array([rng.permutation(len(_EVENTS)) for _ in range(max(1, min(4, n // 10)))])
    week = orders[np.arange(n) % len(orders)]
    log = _order_of_kinds(s)
    return _varied(log, seconds=_at(week.ravel(), 3, 14, rng, week.size))


def _order_in_a_day(log: Log) -> Log:
    """Let the order show in the hours of one day instead of weeks."""
    rng = np.random.default_rng(1)
    week = log.seconds // (7 * 86_400)
    settings = {"columns": ("generalized_event", "month", "day", "hour"), "flatten": "hour"}
    return _with(_varied(log, seconds=_at(0, 2, 8 + week, rng, len(week))), settings=settings)


def _order_by_month(log: Log) -> Log:
    rng = np.random.default_rng(1)
    week = log.seconds // (7 * 86_400)
    settings = {"columns": ("generalized_event", "year", "month"), "flatten": "month"}
    return _with(_varied(log, seconds=_at(week * 5, 2, 8, rng, len(week))), settings=settings)


def _subsets(s: Scenario) -> Log:
    """Everybody has four of twelve weeks, drawn for each."""
    rng, n = s.rng("log"), min(s.n_records, 400)
    week = rng.permuted(np.tile(np.arange(12), (n, 1)), axis=1)[:, :4]
    return Log(
        user=np.repeat(_uuids(n, rng), 4),
        event=np.full(4 * n, "X.FALL_DETECTED"),
        seconds=_at(week.ravel(), 0, 9, rng, 4 * n),
        settings={"columns": ("generalized_event", "week_number"), "flatten": "week_number"},
    )


def _same_subset(s: Scenario) -> Log:
    log = _subsets(s)
    n_users = len(np.unique(log.user))
    return _varied(log, seconds=_at(np.tile(np.arange(4), n_users), 0, 9, s.rng("at"), 4 * n_users))


def _in_one_week(s: Scenario) -> Log:
    """Ten events of everybody in one week, on drawn days and hours, one pseudonym a week."""
    rng, n = s.rng("log"), min(s.n_records, 1000)
    at = _at(0, rng.integers(0, 7, 10 * n), rng.integers(8, 12, 10 * n), rng, 10 * n)
    return Log(
        user=np.repeat(_uuids(n, rng), 10),
        event=np.full(10 * n, "X.FALL_DETECTED"),
        seconds=at,
        settings={"columns": ("generalized_event", "weekday", "hour"), "flatten": "hour"},
        options={"pseudonym_per": "week"},
    )


# Leaks: who counts as a user


def _spelt(spell: Callable[[str, int], str]) -> Make:
    """Five spellings of one person stand where five persons should."""

    def make(s: Scenario) -> Log:
        n_persons = max(2, s.n_records // 5)
        names = _person_names(n_persons, s.rng("names"))
        users = np.array([spell(name, number) for name in names for number in range(5)])
        return _groups_of_five(s, users)

    return make


def _groups_of_five(s: Scenario, users: np.ndarray) -> Log:
    """Five neighbours in the list have the same two events, which nobody else has."""
    rng = s.rng("log")
    group = np.repeat(np.arange(len(users)) // 5, 2)
    place = np.tile([0, 1], len(users))
    at = _at(group % 50, group // 50 % 7, group // 350 % 24, rng, len(group))
    event = np.array([f"X.{name}" for name in _EVENTS])[(group // 8_400 + place) % len(_EVENTS)]
    columns = ("generalized_event", "week_number", "weekday", "hour")
    return Log(user=np.repeat(users, 2), event=event, seconds=at, settings={"columns": columns})


def _true_persons(s: Scenario) -> Log:
    return _groups_of_five(s, _person_names(max(2, s.n_records // 5) * 5, s.rng("names")))


def _by_case(name: str, number: int) -> str:
    given, family = name.split(".")
    return (
        name,
        name.upper(),
        name.title(),
        f"{given}.{family.title()}",
        f"{given.upper()}.{family}",
    )[number]


def _by_spaces(name: str, number: int) -> str:
    given, family = name.split(".")
    return f"{given}{(' ', '  ', ' ' + chr(160), chr(9), chr(0x200B) + ' ')[number]}{family}"


def _by_marks(name: str, number: int) -> str:
    given, family = name.split(".")
    return f"{given}{('.', '_', '-', ' ', '. ')[number]}{family}"


def _by_composition(name: str, number: int) -> str:
    composed, apart = "\u010d", "c\u030c"
    given, family = name.split(".")
    return (
        f"{given}{composed}.{family}",
        f"{given}{apart}.{family}",
        f"{given}{composed}.{family}\u200b",
        "".join(
            chr(ord(c) + 0xFEE0) if c.isascii() and c.isalpha() else c for c in f"{given}{composed}.{family}"
        ),
        f"\ufeff{given}{composed}.{family}",
    )[number]


def _numbered(spell: Callable[[int, int], str]) -> Make:
    def make(s: Scenario) -> Log:
        numbers = 1 + s.rng("names").permutation(max(2, s.n_records // 5) * 3)[: max(2, s.n_records // 5)]
        return _groups_of_five(s, np.array([spell(int(i), k) for i in numbers for k in range(5)]))

    return make


def _true_numbers(s: Scenario) -> Log:
    n = max(2, s.n_records // 5) * 5
    return _groups_of_five(s, (1 + s.rng("names").permutation(3 * n)[:n]).astype(str))


def _sessions(s: Scenario) -> Log:
    """Take a session for the user; the person stands beside it and has several."""
    log = _true_persons(s)
    rows = np.arange(len(log.user))
    persons = log.user[rows - rows % 10]  # all five "users" of a group are one person
    return _varied(log, user=np.array([f"s{row:07d}" for row in rows]), extra={"patient_id": persons})


def _sessions_of_one_event(s: Scenario) -> Log:
    log = _true_persons(s)
    rows = np.arange(len(log.user))
    return _varied(log, extra={"session": [f"s{row:07d}" for row in rows], "patient_id": log.user})


def _row_numbers(s: Scenario) -> Log:
    log = _sessions(s)
    return _varied(log, user=np.arange(1, 1 + len(log.user)).astype(str))


# Leaks: what the classes and values say


def _unmapped(share: float) -> Make:
    """So many of the events have names that the mapping does not know."""

    def make(s: Scenario) -> Log:
        log = shared_profiles(s)
        kinds = np.unique(log.event)
        own = dict(zip(kinds, [f"activity {letter}" for letter in "ABCDE"], strict=False))
        n_renamed = max(1, round(share * len(kinds)))
        return _varied(log, event=np.array([own[e] if e in kinds[:n_renamed] else e for e in log.event]))

    return make


def _merged(s: Scenario) -> Log:
    mapping = event_mapping([(name, "event") for name in _EVENTS])
    return _with(shared_profiles(s, n_events=4), settings={"mapping": mapping, "leave_out": ()})


def _own_mapping(s: Scenario) -> Log:
    mapping = event_mapping([(name, "help" if "EM" in name else name.lower()) for name in _EVENTS])
    return _with(shared_profiles(s, n_events=4), settings={"mapping": mapping, "leave_out": ()})


_RAW = {"columns": ("event", "time_period"), "flatten": "time_period", "leave_out": ()}


def _raw(s: Scenario, label: Callable[[int, np.random.Generator], str]) -> Log:
    """Ten events happen to groups of ten users at once; the event's own name is released."""
    rng, n = s.rng("log"), s.n_records
    group = np.arange(n) // 10
    group = np.minimum(group, max(n // 10 - 1, 0))
    labels = np.array([label(int(number), rng) for number in range(int(group.max()) + 1)])
    at = _at(group % 50, group // 50 % 7, 10, rng, n)
    return Log(user=_person_names(n, s.rng("names")), event=labels[group], seconds=at, settings=_RAW)


def _labelled(label: Callable[[int, np.random.Generator], str]) -> Make:
    return lambda s: _raw(s, label)


def _activity(number: int, rng: np.random.Generator) -> str:
    del rng
    words = ("walk", "lunch", "visit", "check", "therapy", "class", "transport", "bath")
    return f"{words[number % 8]} group {'ABCDEFGH'[number // 8 % 8]}{'XYZWVUTSRQ'[number // 64 % 10]}"


def _stamp(form: str) -> Make:
    """Write when it was into the event's name."""

    def make(s: Scenario) -> Log:
        log = _raw(s, _activity)
        moment = (log.moments().astype("datetime64[D]")).astype("datetime64[s]")
        texts = pd.DatetimeIndex(moment + np.timedelta64(10, "h")).strftime(form)
        return _varied(log, event=np.array([f"{e} {t}" for e, t in zip(log.event, texts, strict=True)]))

    return make


def _names_in_values(s: Scenario) -> Log:
    """Name those who took part in a group event."""
    log = _raw(s, _activity)
    group = np.minimum(np.arange(s.n_records) // 10, max(s.n_records // 10 - 1, 0))
    members = {number: ", ".join(log.user[group == number][:3]) for number in np.unique(group)}
    event = np.array([f"{e} with {members[g]}" for e, g in zip(log.event, group, strict=True)])
    return _varied(log, event=event)


def _names_of_another_column(s: Scenario) -> Log:
    """Have the people's full names in the file, and some of them in events."""
    log = _raw(s, _activity)
    full = np.array([name.replace(".", " ").title() for name in log.user])
    group = np.minimum(np.arange(s.n_records) // 10, max(s.n_records // 10 - 1, 0))
    event = np.array(
        [f"{e}: {full[np.flatnonzero(group == g)[0]]}" for e, g in zip(log.event, group, strict=True)]
    )
    return _varied(log, user=_uuids(s.n_records, s.rng("ids")), event=event, extra={"full_name": full})


def _only_the_column(s: Scenario) -> Log:
    log = _raw(s, _activity)
    full = [name.replace(".", " ").title() for name in log.user]
    return _varied(log, user=_uuids(s.n_records, s.rng("ids")), extra={"full_name": full})


def _class_of_a_person(s: Scenario) -> Log:
    """Call a class of the mapping after one of the users."""
    log = _varied(shared_profiles(s), user=np.repeat(_person_names(s.n_records, s.rng("names")), 3))
    pairs = [(name, name.lower()) for name in _EVENTS[1:]] + [(_EVENTS[0], f"calls of {log.user[0]}")]
    return _with(log, settings={"mapping": event_mapping(pairs), "leave_out": ()})


def _class_of_a_thing(s: Scenario) -> Log:
    log = _varied(shared_profiles(s), user=np.repeat(_person_names(s.n_records, s.rng("names")), 3))
    pairs = [(name, f"calls of {name.lower()}") for name in _EVENTS]
    return _with(log, settings={"mapping": event_mapping(pairs), "leave_out": ()})


# Leaks: what is told beside the combination


def _nearly_uniform(share: float) -> Make:
    def make(s: Scenario) -> Log:
        rng, n = s.rng("log"), s.n_records
        kinds = np.array([f"X.{name}" for name in _EVENTS])
        other = rng.random(n) < share
        weekday = np.arange(n) % min(5, max(n // 20, 1))
        event = np.where(other, kinds[rng.integers(0, 5, n)], kinds[weekday])
        settings = {"columns": ("weekday",), "flatten": "weekday", "sensitive": "event"}
        return Log(user=_uuids(n, rng), event=event, seconds=_at(0, weekday, 9, rng, n), settings=settings)

    return make


def _dominated(s: Scenario) -> Log:
    """Of each combination's rows nearly all are one user's."""
    rng, n = s.rng("log"), s.n_records
    n_groups = max(1, min(5, n // 8))
    group = np.arange(n) % n_groups
    n_rows = np.where(np.arange(n) < n_groups, 300 + np.arange(n), 1)
    place = np.repeat(group, n_rows)
    return Log(
        user=np.repeat(_uuids(n, rng), n_rows),
        event=np.full(len(place), "X.FALL_DETECTED"),
        seconds=_at(place, 1, 9, rng, len(place)),
    )


def _undominated(s: Scenario) -> Log:
    rng, n = s.rng("log"), s.n_records
    n_groups = max(1, min(5, n // 8))
    return Log(
        user=_uuids(n, rng),
        event=np.full(n, "X.FALL_DETECTED"),
        seconds=_at(np.arange(n) % n_groups, 1, 9, rng, n),
    )


def _single(s: Scenario) -> Log:
    """One event each, drawn freely."""
    rng, n = s.rng("log"), s.n_records
    names = np.array([f"X.{name}" for name in _EVENTS])
    at = _at(rng.integers(0, 8, n), rng.integers(0, 7, n), rng.integers(0, 24, n), rng, n)
    return Log(user=_uuids(n, rng), event=names[rng.integers(0, 5, n)], seconds=at)


def _chosen(make: Make, **parts: dict[str, object]) -> Make:
    return lambda s: _with(make(s), **parts)


def _changed(make: Make, change: Callable[[Log], Log]) -> Make:
    return lambda s: change(make(s))


# Proper releases


def _apart(s: Scenario, scope: str) -> Log:
    """Nobody has two events in one week; a new pseudonym for each day or week."""
    rng, n = s.rng("log"), s.n_records
    n_each = rng.integers(1, 6, n)
    user = np.repeat(_uuids(n, rng), n_each)
    week = np.concatenate([rng.permutation(10)[:number] for number in n_each])
    at = _at(week, rng.integers(0, 7, len(week)), rng.integers(0, 24, len(week)), rng, len(week))
    names = np.array([f"X.{name}" for name in _EVENTS])
    return Log(
        user=user, event=names[rng.integers(0, 5, len(week))], seconds=at, options={"pseudonym_per": scope}
    )


def _named(make: Make, names: Callable[[int, np.random.Generator], np.ndarray]) -> Make:
    """Return the same log with users called otherwise."""

    def renamed(s: Scenario) -> Log:
        log = make(s)
        users, position = _users_of(log)
        return _varied(log, user=names(len(users), s.rng("names"))[position])

    return renamed


def _base62(n: int, rng: np.random.Generator) -> np.ndarray:
    alphabet = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"))
    drawn = {"".join(row) for row in alphabet[rng.integers(0, 62, (2 * n + 20, 4))]}
    return np.array(sorted(drawn))[rng.permutation(len(drawn))[:n]]


def _two_parts(n: int, rng: np.random.Generator) -> np.ndarray:
    pairs = [f"{a}-{b}" for a in range(1, 200) for b in range(1, 200)]
    return np.array(pairs)[rng.permutation(len(pairs))[:n]]


def _with_na(n: int, rng: np.random.Generator) -> np.ndarray:
    names = _person_names(n, rng)
    names[:4] = ["NA", "null", "None", "nan"]
    return names


def _rooms(number: int, rng: np.random.Generator) -> str:
    del rng
    return f"ROOM {number % 40 + 1}"


def _codes(number: int, rng: np.random.Generator) -> str:
    del rng
    return ("271649006", "E11.9", "99213", "8867-4", "I10", "38341003", "C50.9", "71046")[number % 8]


def _versions(number: int, rng: np.random.Generator) -> str:
    del rng
    return ("PHASE_2_2024", "v10.2.14", "step 3/12", "ISO9001", "room 12.5", "24h monitoring")[number % 6]


def _capped(s: Scenario) -> Log:
    """Return a natural log with a row a user and combination at most."""
    log = natural(s)
    settings = {"columns": ("workday_weekend",), "flatten": "workday_weekend", "leave_out": ()}
    return _with(log, settings=settings, rule={"cap": 1})


def _pandas_times(form: str) -> Callable[[np.ndarray], Sequence[str]]:
    return lambda moments: pd.DatetimeIndex(moments).strftime(form).tolist()


def _epoch(scale: int) -> Callable[[np.ndarray], Sequence[str]]:
    return lambda moments: (moments.astype("datetime64[s]").astype(np.int64) * scale).astype(str)


def _timed(times: Callable[[np.ndarray], Sequence[str]], **settings: object) -> Make:
    return lambda s: _with(_varied(shared_profiles(s), times=times), settings=dict(settings))


def _two_years(s: Scenario) -> Log:
    log = shared_profiles(s)
    columns = ("generalized_event", "iso_year", "week_number")
    settings = {"columns": columns, "flatten": "week_number"}
    week = log.seconds // (7 * 86_400)
    return _with(_varied(log, seconds=log.seconds + (week % 2) * 364 * 86_400), settings=settings)


def _with_extras(s: Scenario) -> Log:
    log, rng = _single(s), s.rng("extra")
    n = len(log.user)
    wards = np.array([f"ward {number}" for number in range(12)])[rng.integers(0, 12, n)]
    return _varied(log, extra={"ward": wards, "temperature": rng.normal(37, 0.5, n).round(1).astype(str)})


def _one_kind(s: Scenario) -> Log:
    return repeated(s, np.full(s.n_records, 2), n_places=2)


def _leaky(
    name: str, family: str, make: Make, control: Make, at_least: Verdict = Verdict.FAIL, **more: object
) -> Kind:
    return Kind(
        tool="events",
        name=name,
        family=family,
        leaky=True,
        judge=judged(make),
        control=judged(control),
        at_least=at_least,
        **more,  # type: ignore[arg-type]
    )


def _fine(name: str, family: str, make: Make, **more: object) -> Kind:
    return Kind(tool="events", name=name, family=family, leaky=False, judge=judged(make), **more)  # type: ignore[arg-type]


_PER_DAY, _PER_EVENT = {"pseudonym_per": "day"}, {"pseudonym_per": "event"}
_WARN, _NOT = Verdict.WARN, Verdict.NOT_ASSESSED
_MANY = (1000, 5000, 20_000)
_SOME = (200, 1000, 5000, 20_000)
_COARSE = {"columns": ("generalized_event", "weekday"), "flatten": "weekday"}
_STEPS = {"flatten_steps": ("auto",)}
_USERS = {"strategy": "remove-users"}

KINDS = (
    _leaky("every user has another number of rows", "numbers", _all_numbers, _same_number),
    _leaky(
        "numbers of rows, users removed instead of events",
        "numbers",
        _chosen(_all_numbers, rule=_USERS),
        _chosen(_same_number, rule=_USERS),
    ),
    _leaky(
        "numbers of rows, flattened in all steps",
        "numbers",
        _chosen(_all_numbers, settings=_STEPS),
        _chosen(_same_number, settings=_STEPS),
    ),
    _leaky(
        "numbers of rows in one day, a pseudonym a day",
        "numbers",
        _chosen(_all_numbers, options=_PER_DAY),
        _chosen(_same_number, options=_PER_DAY),
    ),
    _leaky("a fifth have numbers of their own", "numbers", _some_numbers, _same_number, _WARN),
    _leaky("one user with fifty times the rows", "numbers", _one_heavy, _nobody_heavy, _WARN),
    _leaky("three users with far more rows", "numbers", _few_heavy, _nobody_heavy, _WARN),
    _leaky("numbers of rows that two users each share", "numbers", _numbers_in_pairs, _same_number, _WARN),
    _leaky("same rows in all, split differently", "numbers", _split_total, _even_total),
    _leaky("one user makes most of a combination", "numbers", _dominated, _undominated, _WARN),
    _leaky("order of kinds by week", "order", _order_of_kinds, _one_order, _WARN),
    _leaky(
        "order of kinds in a day",
        "order",
        _changed(_order_of_kinds, _order_in_a_day),
        _changed(_one_order, _order_in_a_day),
        _WARN,
    ),
    _leaky(
        "order of kinds by month",
        "order",
        _changed(_order_of_kinds, _order_by_month),
        _changed(_one_order, _order_by_month),
        _WARN,
    ),
    _leaky("four weeks of twelve", "together", _subsets, _same_subset, _WARN),
    _leaky(
        "days and hours of one week",
        "together",
        _in_one_week,
        _chosen(_in_one_week, options=_PER_EVENT),
        _WARN,
    ),
    _leaky(
        "a real log, one pseudonym a user",
        "together",
        natural,
        _chosen(natural, options=_PER_EVENT),
        _WARN,
        sizes=_SOME,
    ),
    _leaky(
        "a real log, users removed",
        "together",
        _chosen(natural, rule=_USERS, settings=_COARSE),
        _chosen(natural, rule=_USERS, settings=_COARSE, options=_PER_EVENT),
        _WARN,
        sizes=_MANY,
    ),
    _leaky("one person in five cases", "users", _spelt(_by_case), _true_persons),
    _leaky("one person with five kinds of spaces", "users", _spelt(_by_spaces), _true_persons),
    _leaky("one person with five separators", "users", _spelt(_by_marks), _true_persons),
    _leaky("one person in five Unicode forms", "users", _spelt(_by_composition), _true_persons),
    _leaky("one number with leading zeros", "users", _numbered(lambda i, k: "0" * k + str(i)), _true_numbers),
    _leaky(
        "one number as spreadsheets write it",
        "users",
        _numbered(lambda i, k: (str(i), f"{i}.0", f"{i}.00", f"0{i}", f"{i},0")[k]),
        _true_numbers,
    ),
    _leaky(
        "one code with and without zeros and case",
        "users",
        _numbered(lambda i, k: (f"P{i}", f"p{i}", f"P0{i}", f"P-{i}", f"P 00{i}")[k]),
        _true_numbers,
    ),
    _leaky("sessions taken for users", "users", _sessions, _sessions_of_one_event, _WARN),
    _leaky("row numbers taken for users", "users", _row_numbers, _sessions_of_one_event, _WARN),
    _leaky("no event is in the mapping", "mapping", _unmapped(1.0), shared_profiles, _NOT),
    _leaky("all kinds in one class", "mapping", _merged, _own_mapping, _NOT),
    _leaky("two fifths of the kinds unmapped", "mapping", _unmapped(0.4), shared_profiles, _WARN),
    _leaky("dates in event names", "values", _stamp("%Y-%m-%d"), _labelled(_activity), _WARN),
    _leaky("day-first dates in event names", "values", _stamp("%d.%m.%Y"), _labelled(_activity), _WARN),
    _leaky(
        "compact timestamps in event names", "values", _stamp("%Y%m%dT%H%M%S"), _labelled(_activity), _WARN
    ),
    _leaky("epoch seconds in event names", "values", _stamp("%s"), _labelled(_activity), _WARN),
    _leaky("participants named in the event", "values", _names_in_values, _labelled(_activity)),
    _leaky("names of another column in the event", "values", _names_of_another_column, _only_the_column),
    _leaky("a class called after a user", "values", _class_of_a_person, _class_of_a_thing),
    _leaky(
        "e-mail addresses in events",
        "values",
        _labelled(lambda g, _: f"mail to {_GIVEN[g % 18]}.{_FAMILY[g % 15]}@example.org"),
        _labelled(_activity),
        _WARN,
    ),
    _leaky(
        "phone numbers in events",
        "values",
        _labelled(lambda _, r: f"call +386 41 {r.integers(100, 999)} {r.integers(100, 999)}"),
        _labelled(_activity),
        _WARN,
    ),
    _leaky(
        "pseudonyms from a seed",
        "pseudonyms",
        _chosen(shared_profiles, options={"pseudonym_seed": 1}),
        shared_profiles,
        _WARN,
    ),
    _leaky(
        "the users' own identifiers",
        "pseudonyms",
        _chosen(shared_profiles, options={"keep_user_ids": True}),
        shared_profiles,
        _WARN,
    ),
    _leaky(
        "one value of the attribute a combination",
        "attribute",
        _nearly_uniform(0.0),
        _nearly_uniform(0.8),
        _WARN,
    ),
    _leaky(
        "nearly one value of the attribute",
        "attribute",
        _nearly_uniform(0.04),
        _nearly_uniform(0.8),
        _WARN,
        sizes=_SOME,
    ),
    _fine("shared profiles", "linked", shared_profiles),
    _fine("shared profiles, users removed", "linked", _chosen(shared_profiles, rule=_USERS)),
    _fine("shared profiles, all steps", "linked", _chosen(shared_profiles, settings=_STEPS)),
    _fine("shared profiles, k = 8", "linked", _chosen(shared_profiles, rule={"k": 8})),
    _fine("one event each", "linked", _single, sizes=_SOME),
    _fine("one kind of event only", "linked", _one_kind),
    _fine("two years", "linked", _two_years),
    _fine("a row a user and combination at most", "linked", _capped),
    _fine("other columns in the file", "linked", _with_extras),
    _fine("a real log, a pseudonym an event", "unlinked", _chosen(natural, options=_PER_EVENT), sizes=_SOME),
    _fine(
        "a real log, a pseudonym an event, users removed",
        "unlinked",
        _chosen(natural, options=_PER_EVENT, rule=_USERS, settings=_COARSE),
        sizes=_MANY,
    ),
    _fine(
        "a real log, a pseudonym an event, all steps",
        "unlinked",
        _chosen(natural, options=_PER_EVENT, settings=_STEPS),
        sizes=_SOME,
    ),
    _fine("one event a week, a pseudonym a week", "unlinked", lambda s: _apart(s, "week"), sizes=_SOME),
    _fine("one event a week, a pseudonym a day", "unlinked", lambda s: _apart(s, "day"), sizes=_SOME),
    _fine("names of people as users", "users", _named(shared_profiles, _person_names)),
    _fine("short codes in both cases", "users", _named(shared_profiles, _base62)),
    _fine(
        "numbers as users",
        "users",
        _named(shared_profiles, lambda n, rng: rng.permutation(9 * n)[:n].astype(str)),
    ),
    _fine(
        "padded numbers as users",
        "users",
        _named(shared_profiles, lambda n, rng: np.char.zfill(rng.permutation(9 * n)[:n].astype(str), 8)),
    ),
    _fine("numbers in two parts as users", "users", _named(shared_profiles, _two_parts)),
    _fine(
        "users called NA and null",
        "users",
        lambda s: _varied(_named(shared_profiles, _with_na)(s), missing=()),
    ),
    _fine(
        "own column names", "reading", lambda s: _varied(shared_profiles(s), names=("when", "who", "what"))
    ),
    _fine("day-first times", "reading", _timed(_pandas_times("%d.%m.%Y %H:%M"), time_format="day-first")),
    _fine("year-first times with slashes", "reading", _timed(_pandas_times("%Y/%m/%d %H:%M"))),
    _fine(
        "month-first times", "reading", _timed(_pandas_times("%m/%d/%Y %I:%M %p"), time_format="month-first")
    ),
    _fine("epoch seconds", "reading", _timed(_epoch(1), time_format="epoch-seconds")),
    _fine("epoch milliseconds", "reading", _timed(_epoch(1000), time_format="epoch-milliseconds")),
    _fine("times with a zone", "reading", _timed(_pandas_times("%Y-%m-%dT%H:%M:%S+01:00"))),
    _fine("own activities released as they are", "values", _labelled(_activity)),
    _fine("clinical codes as events", "values", _labelled(_codes)),
    _fine("versions and phases as events", "values", _labelled(_versions)),
    _fine(
        "numbered rooms, numbered users",
        "values",
        _named(_labelled(_rooms), lambda n, _: np.arange(1, n + 1).astype(str)),
    ),
    _fine("an own mapping", "values", _own_mapping),
    _fine("a diverse attribute", "attribute", _nearly_uniform(0.8), sizes=_SOME),
)
