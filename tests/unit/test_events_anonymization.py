"""Flattening, raising and removal on logs countable by hand."""

import pytest

from core.errors import AuditInputError
from core.events import (
    EventSettings,
    Rule,
    anonymize_events,
    comparable_outcomes,
    compare_strategies,
    measure_events,
    strategy_curve,
)
from core.events.measuring import MeasuredEvents, flatten, reduce_to_k
from core.tables import read_dataset

MONDAY = "2024-01-08"  # ISO week 2
NEXT_MONDAY = "2024-01-15"
FEBRUARY = "2024-02-05"  # ISO week 6
NIGHT, DAY = "T23:00", "T10:00"


def measure(*events: tuple[str, str], **changes: object) -> MeasuredEvents:
    """Return a measured log of (user, time) events of one class, over week and time period."""
    lines = [f"{time};{user};A.FALL_DETECTED" for user, time in events]
    data = "\n".join(["OD_ISO;GUID;dogodek", *lines]).encode()
    settings = {"columns": ("week_number", "time_period"), **changes}
    return measure_events(read_dataset(data, name="log.csv"), EventSettings(**settings))


def released(measured: MeasuredEvents, rule: Rule) -> dict[tuple[str, ...], int]:
    """Return the distinct users of each released combination."""
    anonymized = anonymize_events(measured, rule)
    stages, counts = anonymized.stages, anonymized.reduced.n_users_after
    return {
        tuple(stages.labels[n][value] for n, value in enumerate(stages.values_of_group[group])): int(
            counts[group]
        )
        for group in range(stages.n_groups)
        if counts[group]
    }


def users(names: str, time: str) -> list[tuple[str, str]]:
    return [(name, time) for name in names]


def test_anonymize_events__counts_users_and_not_events() -> None:
    measured = measure(*users("aaab", MONDAY + DAY), *users("cdcd", NEXT_MONDAY + NIGHT))
    assert released(measured, Rule(k=2)) == {("2", "daytime"): 2, ("3", "night"): 2}
    outcome = anonymize_events(measured, Rule(k=3)).reduced
    assert (outcome.n_events, outcome.n_users, outcome.penalty_share) == (0, 0, 1.0)


def test_anonymize_events__flattens_only_combinations_below_k() -> None:
    measured = measure(
        *users("abc", MONDAY + DAY), *users("ab", NEXT_MONDAY + DAY), *users("cd", FEBRUARY + DAY)
    )
    assert released(measured, Rule(k=3)) == {("2", "daytime"): 3, ("100", "daytime"): 4}
    reduced = anonymize_events(measured, Rule(k=3)).reduced
    assert reduced.n_events_flattened == 4
    assert reduced.n_cells_generalized == 4
    assert reduced.penalty_share == 4 / (7 * 2)


def test_anonymize_events__removes_events_of_what_still_violates() -> None:
    measured = measure(*users("abc", MONDAY + DAY), *users("ab", MONDAY + NIGHT))
    reduced = anonymize_events(measured, Rule(k=3)).reduced
    assert (reduced.n_events, reduced.n_users) == (3, 3)
    assert reduced.penalty_share == 2 / 5


def test_anonymize_events__removes_users_until_no_combination_violates() -> None:
    """Removing a, alone at night, leaves week 2 with b and c; without c, week 6 still has four."""
    measured = measure(
        *users("abc", MONDAY + DAY),
        *users("a", MONDAY + NIGHT),
        *users("cdefg", FEBRUARY + DAY),
        *users("defg", NEXT_MONDAY + DAY),
    )
    reduced = anonymize_events(measured, Rule(k=3, strategy="remove-users")).reduced
    assert (reduced.n_events, reduced.n_users) == (8, 4)
    kept_by_events = anonymize_events(measured, Rule(k=3)).reduced
    assert (kept_by_events.n_events, kept_by_events.n_users) == (12, 7)


def test_anonymize_events__may_leave_nothing() -> None:
    measured = measure(("a", MONDAY + DAY), ("b", MONDAY + NIGHT))
    reduced = anonymize_events(measured, Rule(k=2, strategy="remove-users")).reduced
    assert (reduced.n_events, reduced.n_users, reduced.user_is_kept.any()) == (0, 0, False)


def test_anonymize_events__refuses_k_above_the_number_of_users() -> None:
    measured = measure(("a", MONDAY + DAY), ("b", MONDAY + NIGHT))
    with pytest.raises(AuditInputError) as caught:
        anonymize_events(measured, Rule(k=3))
    assert str(caught.value) == (
        "k is 3, above the 2 users with an event after cleanup (of 2 in all); no combination can reach it. "
        "Choose a smaller k."
    )


def test_anonymize_events__says_so_of_a_single_user() -> None:
    with pytest.raises(AuditInputError, match="above the 1 user with an event after cleanup"):
        anonymize_events(measure(("a", MONDAY + DAY)), Rule(k=2))


def test_measure_events__refuses_a_log_of_which_every_event_is_left_out() -> None:
    with pytest.raises(AuditInputError) as caught:
        measure(("a", MONDAY + DAY), ("a", MONDAY + NIGHT), leave_out=("other_event", "fall_detected"))
    assert str(caught.value) == "All 2 events belong to classes that are left out; leave out fewer classes."


MULTI = ("week_number:month", "week_number:any")


def test_multi_level__stops_each_combination_at_the_first_step_that_suffices() -> None:
    measured = measure(
        *users("abc", MONDAY + DAY),
        *users("ab", NEXT_MONDAY + DAY),
        *users("cd", "2024-01-22" + DAY),
        *users("xyz", FEBRUARY + DAY),
        flatten_steps=MULTI,
    )
    assert released(measured, Rule(k=3)) == {
        ("2", "daytime"): 3,
        ("month_1", "daytime"): 4,
        ("6", "daytime"): 3,
    }
    flattened = anonymize_events(measured, Rule(k=3)).reduced.flattened
    assert flattened.n_below_after_step.tolist() == [4, 0, 0]


def test_multi_level__raises_the_cheapest_combination_that_shares_the_coarser_value() -> None:
    """Nights of March have two users at the last step; January's are fewer events than February's."""
    measured = measure(
        *users("abc", MONDAY + NIGHT),
        *users("abcd", FEBRUARY + NIGHT),
        *users("xyz", MONDAY + DAY),
        *users("mn", "2024-03-04" + NIGHT),
        flatten_steps=MULTI,
    )
    assert released(measured, Rule(k=3)) == {
        ("6", "night"): 4,
        ("2", "daytime"): 3,
        ("100", "night"): 5,
    }
    anonymized = anonymize_events(measured, Rule(k=3))
    assert anonymized.reduced.flattened.n_events_raised == 3
    assert anonymized.reduced.n_events == 12
    assert anonymized.single_level.n_events == 10


def test_multi_level__never_raises_a_part_of_a_combination() -> None:
    """Week 5 of 2024 has days of January and of February; with month as the last step it is split."""
    measured = measure(
        *users("ab", "2024-01-31" + DAY),
        *users("c", "2024-02-01" + DAY),
        *users("xy", "2024-02-12" + DAY),
        flatten_steps=("week_number:month",),
    )
    flattened = flatten(measured.multi, 3, raise_settled=True)
    assert flattened.n_events_raised == 0
    assert reduce_to_k(flattened, k=3, strategy="remove-events").n_events == 3


def test_multi_level__falls_back_where_single_level_keeps_more() -> None:
    measured = measure(
        *users("ab", MONDAY + DAY), *users("c", FEBRUARY + DAY), flatten_steps=("week_number:month",)
    )
    anonymized = anonymize_events(measured, Rule(k=3))
    assert (anonymized.fell_back, anonymized.flattening) == (True, "single-level")
    assert anonymized.reduced.n_events == 3


def test_multi_level__takes_all_levels_smallest_loss_first() -> None:
    lines = [
        event
        for month in range(1, 13)
        for day in (1, 8, 15, 22)
        for time in ("T07:00", DAY, "T18:00", NIGHT)
        for event in users("ab", f"2024-{month:02}-{day:02}{time}")
    ]
    measured = measure(*lines, flatten_steps=("auto",))
    assert measured.multi.steps == (
        "week_number:month",
        "time_period:day_night",
        "time_period:any",
        "week_number:any",
    )


def test_flatten__takes_the_class_only_where_it_is_the_flatten_column() -> None:
    measured = measure(
        *users("a", MONDAY + DAY),
        columns=("generalized_event", "weekday"),
        flatten="generalized_event",
        flatten_steps=("auto",),
    )
    assert measured.multi.steps == (
        "generalized_event:any",
        "weekday:workday_weekend",
        "weekday:any",
    )


def test_compare_strategies__counts_all_four_ways() -> None:
    measured = measure(
        *users("abc", MONDAY + DAY), *users("ab", NEXT_MONDAY + DAY), *users("ab", FEBRUARY + NIGHT)
    )
    outcomes = {
        (outcome.flattening, outcome.strategy): (
            outcome.n_users,
            outcome.n_events,
            outcome.n_events_flattened,
        )
        for outcome in compare_strategies(measured, k=3)
    }
    assert outcomes == {
        ("single-level", "remove-events"): (3, 3, 0),
        ("single-level", "remove-users"): (0, 0, 0),
        ("multi-level", "remove-events"): (3, 7, 7),  # week 2 is raised to lift the others
        ("multi-level", "remove-users"): (3, 7, 7),
    }


def test_strategy_curve__holds_every_k_also_above_the_number_of_users() -> None:
    measured = measure(*users("abc", MONDAY + DAY))
    curve = strategy_curve(measured, ks=(2, 3, 4))
    assert [(outcome.k, outcome.n_events) for outcome in curve if outcome.flattening == "single-level"] == [
        (2, 3),
        (2, 3),
        (3, 3),
        (3, 3),
        (4, 0),
        (4, 0),
    ]


def test_comparable_outcomes__hold_the_chosen_k_and_of_a_large_log_no_other() -> None:
    measured = measure(*users("abc", MONDAY + DAY))
    every = comparable_outcomes(measured, k=60)
    assert {outcome.k for outcome in every} == {*range(2, 51), 60}
    assert {outcome.k for outcome in comparable_outcomes(measured, k=3, largest_log=2)} == {3}
