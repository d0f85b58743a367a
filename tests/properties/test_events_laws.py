"""Laws of event-log anonymization: the fast result is the literal definition, and k holds when re-read."""

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import combinations

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
from core.events.measuring import MeasuredEvents, flatten, reduce_to_k
from core.events.settings import COARSER, PSEUDONYM_SCOPES, STRATEGIES
from core.events.traces import Traces, build_traces
from tests.events_examples import log_of
from tests.thorough import tried

Log = list[tuple[int, int, int, str]]
Rows = dict[int, tuple[str, ...]]
START = datetime(2023, 12, 25)
EVENTS = ("A.FALL_DETECTED", "A.NOT_MOVING", "B.SMOKE_DETECTED", "strange")
COLUMNS = ("generalized_event", "week_number", "weekday", "time_period")

events = st.tuples(
    st.integers(0, 7), st.integers(0, 45), st.sampled_from([1, 6, 7, 9, 18, 23]), st.sampled_from(EVENTS)
)
logs = st.lists(events, min_size=8, max_size=60).filter(lambda log: len({user for user, *_ in log}) >= 5)
ks = st.integers(2, 5)
strategies = st.sampled_from(STRATEGIES)
column_sets = st.sampled_from(
    [COLUMNS, ("week_number", "weekday"), ("generalized_event", "week_number"), ("week_number", "hour")]
)


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


@tried(40)
@given(log=logs, k=ks, strategy=strategies, columns=column_sets)
def test_single_level__is_the_literal_definition(
    log: Log, k: int, strategy: str, columns: tuple[str, ...]
) -> None:
    measured = measure(log, columns=columns)
    place = columns.index("week_number")
    users = measured.log.user_of_event.tolist()
    rows = dict(enumerate(literal_rows(measured, 0)))
    small = {row for row, found in n_users(rows, users).items() if len(found) < k}
    rows = {
        event: (*row[:place], "100", *row[place + 1 :]) if row in small else row
        for event, row in rows.items()
    }
    kept = literal_reduction(rows, users, k, strategy)
    if k > len(set(users)):
        return
    reduced = anonymize_events(measured, Rule(k=k, strategy=strategy)).reduced
    assert reduced.n_events == len(kept)
    assert reduced.n_users == len({users[event] for event in kept})
    assert reduced.n_events_flattened == sum(row[place] == "100" for row in kept.values())


@tried(40)
@given(log=logs, k=ks, strategy=strategies, columns=column_sets, data=st.data())
def test_multi_level__is_the_literal_definition_before_raising(
    log: Log, k: int, strategy: str, columns: tuple[str, ...], data: st.DataObject
) -> None:
    steps = steps_of(columns, data)
    measured = measure(log, columns=columns, flatten_steps=steps)
    if not steps:
        return
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


@tried(40)
@given(log=logs, k=ks, strategy=strategies, columns=column_sets, data=st.data())
def test_multi_level__never_keeps_fewer_events_than_single_level(
    log: Log, k: int, strategy: str, columns: tuple[str, ...], data: st.DataObject
) -> None:
    steps = data.draw(st.just(("auto",)) | st.builds(lambda: steps_of(columns, data)))
    rule = Rule(k=k, strategy=strategy)
    single = anonymize_events(measure(log, columns=columns), rule)
    multi = anonymize_events(measure(log, columns=columns, flatten_steps=steps), rule)
    assert multi.reduced.n_events >= single.reduced.n_events
    counts = multi.reduced.n_users_after
    assert ((counts == 0) | (counts >= k)).all()


@tried(40)
@given(
    log=logs,
    k=ks,
    strategy=strategies,
    steps=st.sampled_from([(), ("auto",), ("week_number:month",)]),
    scope=st.sampled_from(PSEUDONYM_SCOPES),
)
def test_release__satisfies_k_when_read_again_and_invents_nothing(
    log: Log, k: int, strategy: str, steps: tuple[str, ...], scope: str
) -> None:
    anonymized = anonymize_events(measure(log, flatten_steps=steps), Rule(k=k, strategy=strategy))
    release = release_events(anonymized, ReleaseOptions(pseudonym_per=scope), np.random.default_rng(1).bytes)
    user_of = dict(line.split(";")[::-1] for line in release.user_mapping_csv.decode().splitlines()[1:])
    rows = [line.split(";") for line in release.events_csv.decode().splitlines()[1:]]
    per_combination = defaultdict(set)
    for name, *values in rows:
        per_combination[tuple(values)].add(user_of[name])
    assert all(len(users) >= k for users in per_combination.values())
    assert release.verification.k_reached == bool(rows)
    originals = Counter((f"user{user}", class_of(event)) for user, _, _, event in log)
    released = Counter((user_of[name], values[0]) for name, *values in rows)
    assert released <= originals
    assert len(rows) == anonymized.reduced.n_events


def class_of(event: str) -> str:
    known = {
        "A.FALL_DETECTED": "fall_detected",
        "A.NOT_MOVING": "fall_idle",
        "B.SMOKE_DETECTED": "smoke_detected",
    }
    return known.get(event, "other_event")


@tried(40)
@given(log=logs, k=ks, strategy=strategies, steps=st.sampled_from([(), ("auto",)]))
def test_steps__applied_again_to_the_released_table_remove_nothing(
    log: Log, k: int, strategy: str, steps: tuple[str, ...]
) -> None:
    anonymized = anonymize_events(measure(log, flatten_steps=steps), Rule(k=k, strategy=strategy))
    release = release_events(anonymized, ReleaseOptions(keep_user_ids=True), np.random.default_rng(1).bytes)
    rows = [line.split(";") for line in release.events_csv.decode().splitlines()[1:]]
    table = {number: tuple(values) for number, (_, *values) in enumerate(rows)}
    users = [int(user.removeprefix("user")) for user, *_ in rows]
    small = [row for row, found in n_users(table, users).items() if len(found) < k]
    assert small == []
    assert literal_reduction(dict(table), users, k, strategy) == table


@tried(40)
@given(
    log=logs,
    k=ks,
    strategy=strategies,
    steps=st.sampled_from([(), ("auto",)]),
    order=st.randoms(use_true_random=False),
)
def test_result__does_not_depend_on_names_of_users_or_order_of_records(
    log: Log, k: int, strategy: str, steps: tuple[str, ...], order: object
) -> None:
    names = list(range(100, 108))
    order.shuffle(names)
    renamed = [(names[user], *rest) for user, *rest in log]
    order.shuffle(renamed)
    rule = Rule(k=k, strategy=strategy)
    results = []
    for given_log in (log, renamed):
        anonymized = anonymize_events(measure(given_log, flatten_steps=steps), rule)
        release = release_events(anonymized, ReleaseOptions(), np.random.default_rng(1).bytes)
        traces = trace_risk(released_traces(anonymized, "user"))
        results.append((release.removal_report_csv, anonymized.reduced.penalty_share, traces))
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
    per_user: dict[int, list[list[bool]]] = defaultdict(list)
    for user, trace in everyone:
        choices = combinations(sorted(trace), min(n_known, len(trace)))
        per_user[user].append(
            [
                not any(set(choice) <= other for owner, other in everyone if owner != user)
                for choice in choices
            ]
        )
    singled_out = [
        any(
            any(
                not any(set(choice) <= other for owner, other in everyone if owner != user)
                for n in range(1, n_known + 1)
                for choice in combinations(sorted(trace), min(n, len(trace)))
            )
            for owner_of_trace, trace in everyone
            if owner_of_trace == user
        )
        for user in per_user
    ]
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


@tried(60)
@given(log=logs, k=ks, columns=column_sets)
def test_all_levels__keep_every_event_that_single_level_keeps_without_falling_back(
    log: Log, k: int, columns: tuple[str, ...]
) -> None:
    outcomes = {
        (outcome.flattening, outcome.strategy): outcome.n_events
        for outcome in compare_strategies(measure(log, columns=columns), k=k)
    }
    assert outcomes["multi-level", "remove-events"] >= outcomes["single-level", "remove-events"]
