"""Flattening, raising and removal on logs countable by hand."""

import re
import secrets

import numpy as np
import pytest

from core.errors import AuditInputError
from core.events import (
    AnonymizedEvents,
    EventSettings,
    Release,
    ReleaseOptions,
    Rule,
    anonymize_events,
    comparable_outcomes,
    compare_strategies,
    measure_events,
    release_events,
    strategy_curve,
    verify_release,
)
from core.events.measuring import MeasuredEvents, flatten, reduce_to_k
from core.events.release import csv_cell, new_pseudonyms, release_files
from core.tables import read_dataset
from tests.saying import Saying

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
    assert str(caught.value) == Saying("k is 3, above the 2 users with an event after cleanup (of 2 in …")


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
    assert released(measured, Rule(k=3)) == {("6", "night"): 4, ("2", "daytime"): 3, ("100", "night"): 5}
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
        *"week_number:month time_period:day_night time_period:any week_number:any".split(),
    )


def test_flatten__takes_the_class_only_where_it_is_the_flatten_column() -> None:
    measured = measure(
        *users("a", MONDAY + DAY),
        columns=("generalized_event", "weekday"),
        flatten="generalized_event",
        flatten_steps=("auto",),
    )
    assert measured.multi.steps == ("generalized_event:any", "weekday:workday_weekend", "weekday:any")


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


LOG = """OD_ISO;GUID;dogodek
2024-01-15T10:00;ana;X.FALL_DETECTED
2024-01-08T10:00;bor;X.FALL_DETECTED
2024-01-08T10:00;ana;X.FALL_DETECTED
2024-01-09T10:00;ana;X.FALL_DETECTED
2024-01-22T10:00;cene;X.FALL_DETECTED
2024-01-08T23:00;dana;X.FALL_DETECTED
2024-01-08T10:00;eva;X.NOT_MOVING
2024-01-08T10:00;=fani;X.NOT_MOVING
"""
COLUMNS = ("generalized_event", "week_number", "time_period")


def anonymized(log: str = LOG, *, strategy: str = "remove-events", **changes: object) -> AnonymizedEvents:
    settings = EventSettings(**{"columns": COLUMNS, **changes})
    measured = measure_events(read_dataset(log.encode(), name="log.csv"), settings)
    return anonymize_events(measured, Rule(k=2, strategy=strategy))


def release(made: AnonymizedEvents, **options: object) -> Release:
    return release_events(made, ReleaseOptions(**options), np.random.default_rng(7).bytes)


def test_events_csv__holds_user_and_contributing_columns_sorted_by_what_they_say() -> None:
    assert release(anonymized(), keep_user_ids=True).events_csv.decode() == (
        "GUID;generalized_event;week_number;time_period\n"
        "ana;fall_detected;2;daytime\n"
        "ana;fall_detected;2;daytime\n"
        "bor;fall_detected;2;daytime\n"
        "ana;fall_detected;100;daytime\n"
        "cene;fall_detected;100;daytime\n"
        "'=fani;fall_idle;2;daytime\n"
        "eva;fall_idle;2;daytime\n"
    )


def test_removal_report__counts_users_with_totals_and_masks_groups_below_k() -> None:
    assert release(anonymized()).removal_report_csv.decode() == (
        "generalized_event;week_number;time_period;GUID_original;GUID_anonymized\n"
        "fall_detected;2;daytime;2;2\n"
        "fall_detected;100;night;<2;0\n"
        "fall_detected;100;daytime;2;2\n"
        "fall_detected;;;at least 5;4\n"
        "fall_idle;2;daytime;2;2\n"
        "fall_idle;;;2;2\n"
        "Not for sharing: it tells of removed users. Groups of fewer than 2 are masked.;;;;\n"
    )


def test_user_removal_report__counts_events_of_removed_users_under_pseudonyms() -> None:
    made = anonymized(strategy="remove-users")
    assert release(anonymized()).user_removal_csv is None
    report = release(made).user_removal_csv
    assert report is not None
    assert re.fullmatch(r"User;Event Count\nu[0-9a-f]{20};1\n", report.decode())
    assert release(made, keep_user_ids=True).user_removal_csv == b"User;Event Count\ndana;1\n"
    everyone_stays = anonymized(LOG.replace("23:00", "10:00"), strategy="remove-users")
    assert release(everyone_stays).user_removal_csv is None


def test_user_removal_report__names_most_events_first() -> None:
    log = LOG + "2024-01-08T07:00;gal;X.NOT_MOVING\n2024-01-08T07:00;gal;X.NOT_MOVING\n"
    report = release(anonymized(log, strategy="remove-users"), keep_user_ids=True).user_removal_csv
    assert report == b"User;Event Count\ngal;2\ndana;1\n"


def test_user_mapping__names_everyone_in_any_file() -> None:
    made = anonymized(strategy="remove-users")
    exported = release(made)
    mapping = dict(line.split(";") for line in exported.user_mapping_csv.decode().splitlines())
    assert sorted(mapping) == ["'=fani", "GUID", "ana", "bor", "cene", "dana", "eva"]
    names = {line.split(";")[0] for line in exported.events_csv.decode().splitlines()[1:]}
    assert exported.user_removal_csv is not None
    names |= {line.split(";")[0] for line in exported.user_removal_csv.decode().splitlines()[1:]}
    assert names == set(mapping.values()) - {"pseudonym"}


def test_pseudonyms__are_fresh_unless_seeded() -> None:
    made = anonymized()
    fresh = [release_events(made, ReleaseOptions(), secrets.token_bytes).events_csv for _ in range(2)]
    assert fresh[0] != fresh[1]
    assert release(made).events_csv == release(made).events_csv


def test_new_pseudonyms__are_distinct_even_where_the_source_repeats_itself() -> None:
    answers = [bytes(20), bytes(9) + b"\1"]
    assert new_pseudonyms(2, lambda _: answers.pop(0)) == ("u" + "0" * 20, "u" + "0" * 19 + "1")


@pytest.mark.parametrize(
    ("scope", "n_names_of_ana", "n_names"), [("user", 1, 5), ("week", 2, 6), ("day", 3, 7), ("event", 3, 7)]
)
def test_pseudonyms__are_new_for_each_stretch_and_for_each_flattened_event(
    scope: str, n_names_of_ana: int, n_names: int
) -> None:
    exported = release(anonymized(), pseudonym_per=scope)
    names = {line.split(";")[0] for line in exported.events_csv.decode().splitlines()[1:]}
    mapping = [line.split(";") for line in exported.user_mapping_csv.decode().splitlines()[1:]]
    assert len({name for user, name in mapping if user == "ana" and name in names}) == n_names_of_ana
    assert len(names) == n_names
    assert exported.verification.n_users == 5
    assert exported.verification.k_reached


def test_verify_release__counts_users_and_not_pseudonyms_or_records() -> None:
    data = b"GUID;week\na;1\na;1\nb;1\nc;2\nd;2\n"
    counted = verify_release(data, k=2, n_columns=1)
    assert (counted.n_events, counted.n_users, counted.n_combinations, counted.smallest) == (5, 4, 2, 2)
    assert counted.k_reached
    assert not verify_release(data, k=3, n_columns=1).k_reached
    same_user = verify_release(data, k=2, n_columns=1, user_of_name={"a": 0, "b": 1, "c": 2, "d": 2})
    assert (same_user.smallest, same_user.k_reached, same_user.n_users) == (1, False, 3)


def test_verify_release__of_no_record_does_not_reach_k() -> None:
    counted = verify_release(b"GUID;week\n", k=2, n_columns=1)
    assert (counted.n_events, counted.n_combinations, counted.smallest) == (0, 0, None)
    assert not counted.k_reached


def test_release__of_nothing_is_a_header() -> None:
    made = anonymized(
        "OD_ISO;GUID;dogodek\n2024-01-08T10:00;a;X.FALL_DETECTED\n2024-01-08T23:00;b;X.FALL_DETECTED\n",
        strategy="remove-users",
    )
    exported = release(made)
    assert exported.events_csv == b"GUID;generalized_event;week_number;time_period\n"
    assert exported.removal_report_csv.decode().splitlines()[-2] == "fall_detected;;;at least 2;0"
    assert not exported.verification.k_reached
    assert release(made, pseudonym_per="day").verification.n_users == 0


def test_release__quotes_values_that_hold_separators_and_disarms_formulas() -> None:
    lines = ["OD_ISO;GUID;dogodek", *(f'2024-01-08;"{user}";"=a;b ""c"""' for user in ("u;1", "u\n2"))]
    made = anonymized("\n".join(lines) + "\n", columns=("event", "weekday"), flatten="weekday", leave_out=())
    exported = release(made, keep_user_ids=True)
    assert exported.events_csv.decode() == (
        'GUID;event;weekday\n"u\n2";"\'=a;b ""c""";0\n"u;1";"\'=a;b ""c""";0\n'
    )
    assert (exported.verification.n_users, exported.verification.smallest) == (2, 2)


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\ta", "'\ta"), ("a", "a"), ('"', '""""')],
)
def test_csv_cell__is_never_run_as_a_formula(text: str, cell: str) -> None:
    assert csv_cell(text) == cell


def test_release_files__hold_the_mapping_only_when_asked() -> None:
    exported = release(anonymized(strategy="remove-users"))
    apart = ("event_removal_report.csv", "user_removal_report_counts.csv")
    names = ["anonymized_events.csv", *(f"not_for_sharing/{name}" for name in apart)]
    assert list(release_files(exported, with_user_mapping=False)) == names
    assert list(release_files(exported, with_user_mapping=True)) == [
        *names,
        "not_for_sharing/user_mapping.csv",
    ]
    assert list(release_files(release(anonymized()), with_user_mapping=False)) == names[:2]
