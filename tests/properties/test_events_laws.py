"""Laws of event-log anonymization: the fast result is the literal definition, and k holds when re-read."""

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import combinations
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.events import (
    EventSettings,
    ReleaseOptions,
    Rule,
    anonymize_events,
    compare_strategies,
    measure_events,
    release_events,
    released_traces,
    trace_risk,
)
from core.events.measuring import AnonymizedEvents, MeasuredEvents, flatten, reduce_to_k
from core.events.release import Release
from core.events.settings import COARSER, PSEUDONYM_SCOPES, STRATEGIES
from core.events.traces import Traces, build_traces
from tests.events_examples import log_of
from tests.thorough import tried

Log = list[tuple[int, int, int, str]]
Rows = dict[int, tuple[str, ...]]
START = datetime(2023, 12, 25)
EVENTS = ("A.FALL_DETECTED", "A.NOT_MOVING", "B.SMOKE_DETECTED", "strange")
COLUMNS = ("generalized_event", "week_number", "weekday", "time_period")


class Asked(NamedTuple):
    log: Log
    k: int
    strategy: str
    columns: tuple[str, ...] = COLUMNS
    steps: tuple[str, ...] = ()

    @property
    def rule(self) -> Rule:
        return Rule(k=self.k, strategy=self.strategy)


events = st.tuples(
    st.integers(0, 7), st.integers(0, 45), st.sampled_from([1, 6, 7, 9, 18, 23]), st.sampled_from(EVENTS)
)
logs = st.lists(events, min_size=8, max_size=60).filter(lambda log: len({user for user, *_ in log}) >= 5)
sets = [COLUMNS, ("week_number", "weekday"), ("generalized_event", "week_number"), ("week_number", "hour")]
wanted = (logs, st.integers(2, 5), st.sampled_from(STRATEGIES))
of_columns = st.builds(Asked, *wanted, st.sampled_from(sets))
of_steps = st.builds(Asked, *wanted, steps=st.sampled_from([(), ("auto",), ("week_number:month",)]))


def measure(log: Log, **changes: object) -> MeasuredEvents:
    lines = [
        f"{(START + timedelta(days=day, hours=hour)).isoformat()};user{user};{event}"
        for user, day, hour, event in log
    ]
    return measure_events(log_of(*lines), EventSettings(leave_out=(), **changes))


def steps_of(columns: tuple[str, ...], data: st.DataObject) -> tuple[str, ...]:
    """Draw steps of any columns, in an order that never gets finer."""
    found = []
    for column in columns:
        levels = data.draw(st.lists(st.sampled_from(COARSER[column]), unique=True, min_size=0))
        found += [f"{column}:{level}" for level in sorted(levels, key=COARSER[column].index)]
    return tuple(found)


def literal_rows(measured: MeasuredEvents, stage: int) -> list[tuple[str, ...]]:
    """Return each event's combination at a stage, as text, from the stage's own tables."""
    stages = measured.multi
    groups = stages.group_of_unit[stage][stages.unit_of_event]
    return [
        tuple(stages.labels[column][value] for column, value in enumerate(stages.values_of_group[group]))
        for group in groups
    ]


def n_users(rows: Rows, users: list[int]) -> dict[tuple[str, ...], set[int]]:
    found: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for event, row in rows.items():
        found[row].add(users[event])
    return found


def literal_reduction(rows: Rows, users: list[int], k: int, strategy: str) -> Rows:
    """Remove events or users as the rule says, one round after the other."""
    while violating := {row for row, found in n_users(rows, users).items() if len(found) < k}:
        gone = {users[event] for event, row in rows.items() if row in violating}
        rows = {
            event: row
            for event, row in rows.items()
            if (users[event] not in gone if strategy == "remove-users" else row not in violating)
        }
    return rows


@tried(60)
@given(asked=of_columns)
def test_single_level__is_the_literal_definition_and_all_levels_keep_as_many_events(asked: Asked) -> None:
    log, k, strategy, columns, _ = asked
    measured = measure(log, columns=columns)
    kept_by = {
        (outcome.flattening, outcome.strategy): outcome.n_events
        for outcome in compare_strategies(measured, k=k)  # without falling back
    }
    assert kept_by["multi-level", "remove-events"] >= kept_by["single-level", "remove-events"]
    place = columns.index("week_number")
    users = measured.log.user_of_event.tolist()
    rows = dict(enumerate(literal_rows(measured, 0)))
    small = {row for row, found in n_users(rows, users).items() if len(found) < k}
    rows = {
        event: (*row[:place], "any", *row[place + 1 :]) if row in small else row
        for event, row in rows.items()
    }
    kept = literal_reduction(rows, users, k, strategy)
    reduced = anonymize_events(measured, asked.rule).reduced
    assert reduced.n_events == len(kept)
    assert reduced.n_users == len({users[event] for event in kept})
    assert reduced.n_events_flattened == sum(row[place] == "any" for row in kept.values())


@tried(40)
@given(asked=of_columns, data=st.data())
def test_multi_level__is_the_literal_definition_before_raising_and_keeps_as_many(
    asked: Asked, data: st.DataObject
) -> None:
    log, k, strategy, columns, _ = asked
    steps = steps_of(columns, data)
    single = anonymize_events(measure(log, columns=columns), asked.rule)
    for chosen in (steps, ("auto",)):
        multi = anonymize_events(measure(log, columns=columns, flatten_steps=chosen), asked.rule)
        assert multi.reduced.n_events >= single.reduced.n_events
        counts = multi.reduced.n_users_after
        assert ((counts == 0) | (counts >= k)).all()
    if not steps:
        return
    measured = measure(log, columns=columns, flatten_steps=steps)
    users = measured.log.user_of_event.tolist()
    rows, active = {}, range(len(users))
    for stage in range(measured.multi.n_stages):
        at_stage = literal_rows(measured, stage)
        found = n_users({event: at_stage[event] for event in active}, users)
        rows.update({event: at_stage[event] for event in active})
        active = [event for event in active if len(found[at_stage[event]]) < k]
    kept = literal_reduction(rows, users, k, strategy)
    flattened = flatten(measured.multi, k, raise_settled=False)
    assert reduce_to_k(flattened, k=k, strategy=strategy).n_events == len(kept)


def release_of(anonymized: AnonymizedEvents, **options: object) -> Release:
    return release_events(anonymized, ReleaseOptions(**options), np.random.default_rng(1).bytes)


def cells(data: bytes) -> list[list[str]]:
    return [line.split(",") for line in data.decode("utf-8-sig").splitlines()[1:]]


@tried(40)
@given(asked=of_steps, scope=st.sampled_from(PSEUDONYM_SCOPES))
def test_release__satisfies_k_when_read_again_and_invents_nothing(asked: Asked, scope: str) -> None:
    anonymized = anonymize_events(measure(asked.log, flatten_steps=asked.steps), asked.rule)
    release = release_of(anonymized, pseudonym_per=scope)
    user_of = {name: user for user, name in cells(release.user_mapping_csv)}
    rows = cells(release.events_csv)
    per_combination = defaultdict(set)
    for name, *values in rows:
        per_combination[tuple(values)].add(user_of[name])
    assert all(len(users) >= asked.k for users in per_combination.values())
    assert release.verification.k_reached == bool(rows)
    originals = Counter((f"user{user}", class_of(event)) for user, _, _, event in asked.log)
    released = Counter((user_of[name], values[0]) for name, *values in rows)
    assert released <= originals
    assert len(rows) == anonymized.reduced.n_events
    # the steps applied again to the released table remove nothing
    rows = cells(release_of(anonymized, keep_user_ids=True).events_csv)
    table = {number: tuple(values) for number, (_, *values) in enumerate(rows)}
    users = [int(user.removeprefix("user")) for user, *_ in rows]
    assert [row for row, found in n_users(table, users).items() if len(found) < asked.k] == []
    assert literal_reduction(dict(table), users, asked.k, asked.strategy) == table


def class_of(event: str) -> str:
    classes = dict(zip(EVENTS, ("fall_detected", "fall_idle", "smoke_detected"), strict=False))
    return classes.get(event, "other_event")


@tried(40)
@given(asked=of_steps, order=st.randoms(use_true_random=False))
def test_result__does_not_depend_on_names_of_users_or_order_of_records(asked: Asked, order: object) -> None:
    names = list(range(100, 108))
    order.shuffle(names)
    renamed = [(names[user], *rest) for user, *rest in asked.log]
    order.shuffle(renamed)
    results = []
    for log in (asked.log, renamed):
        anonymized = anonymize_events(measure(log, flatten_steps=asked.steps), asked.rule)
        traces = trace_risk(released_traces(anonymized, "user"))
        report = release_of(anonymized).removal_report_csv
        results.append((report, anonymized.reduced.penalty_share, traces))
    assert results[0] == results[1]


points = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 6)), min_size=1, max_size=45)


def literal_traces(traces: Traces) -> list[tuple[int, frozenset[int]]]:
    sets = defaultdict(set)
    for trace, combination in zip(traces.trace_of_point, traces.combination_of_point, strict=True):
        sets[int(trace)].add(int(combination))
    return [(int(traces.user_of_trace[trace]), frozenset(found)) for trace, found in sorted(sets.items())]


def literal_risk(traces: Traces, n_known: int) -> tuple[float, float]:
    """Return the singled-out and the random share by trying every choice against every trace."""
    everyone = literal_traces(traces)

    def alone(user: int, trace: frozenset[int], n: int) -> list[bool]:
        others = [other for owner, other in everyone if owner != user]
        choices = combinations(sorted(trace), min(n, len(trace)))
        return [not any(set(choice) <= other for other in others) for choice in choices]

    per_user: dict[int, list[list[bool]]] = defaultdict(list)
    any_number: dict[int, bool] = defaultdict(bool)
    for user, trace in everyone:
        per_user[user].append(alone(user, trace, n_known))
        any_number[user] |= any(any(alone(user, trace, n)) for n in range(1, n_known + 1))
    singled_out = list(any_number.values())
    random = [np.mean([np.mean(of_trace) for of_trace in traces]) for traces in per_user.values()]
    return float(np.mean(singled_out)), float(np.mean(random))


@tried(60)
@given(points=points, n_pseudonyms=st.integers(1, 3))
def test_trace_risk__is_the_literal_definition(points: list[tuple[int, int]], n_pseudonyms: int) -> None:
    users = np.array([user for user, _ in points])
    pseudonyms = users * n_pseudonyms + np.arange(len(points)) % n_pseudonyms
    traces = build_traces(pseudonyms, users, np.array([combination for _, combination in points]))
    enumerated = trace_risk(traces)
    searched = trace_risk(traces, largest_exact=0)
    for known, found in zip(enumerated.by_known, searched.by_known, strict=True):
        singled_out, random = literal_risk(traces, known.n_known)
        assert known.singled_out.value == found.singled_out.value == singled_out
        assert known.singled_out.is_exact
        assert found.singled_out.is_exact
        assert abs(known.random.value - random) < 1e-12
        if not found.random.is_exact:
            assert found.random.lower - 0.03 <= random <= found.random.upper + 0.03
    shares = [known.singled_out.value for known in enumerated.by_known]
    assert shares == sorted(shares)
    sets = literal_traces(traces)
    unique = {user for user, trace in sets if not any(o == trace and w != user for w, o in sets)}
    assert abs(enumerated.whole_trace - len(unique) / traces.n_users) < 1e-12
