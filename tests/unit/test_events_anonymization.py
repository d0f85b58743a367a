"""Flattening, raising and removal on logs countable by hand."""

import re
import secrets

import numpy as np
import pytest

from core.errors import AuditInputError
from core.events import EventSettings, ReleaseOptions, Rule, measuring
from core.events.measuring import AnonymizedEvents, MeasuredEvents, anonymize_events, flatten, reduce_to_k
from core.events.release import (
    Release,
    csv_cell,
    new_pseudonyms,
    release_events,
    release_files,
    verify_release,
)
from tests.events_examples import log_of

MONDAY = "2024-01-08"  # ISO week 2
NEXT_MONDAY = "2024-01-15"
FEBRUARY = "2024-02-05"  # ISO week 6
NIGHT, DAY = "T23:00", "T10:00"


def measure(*events: tuple[str, str], **changes: object) -> MeasuredEvents:
    """Return a measured log of events of one class, of users of a letter each at a time."""
    lines = [f"{time};{user};A.FALL_DETECTED" for users, time in events for user in users]
    settings = {"columns": ("week_number", "time_period"), **changes}
    return measuring.measure_events(log_of(*lines), EventSettings(**settings))


def released(measured: MeasuredEvents, k: int) -> dict[tuple[str, ...], int]:
    """Return the distinct users of each released combination."""
    anonymized = anonymize_events(measured, Rule(k=k))
    stages, counts = anonymized.stages, anonymized.reduced.n_users_after
    return {
        tuple(stages.labels[n][value] for n, value in enumerate(stages.values_of_group[group])): int(
            counts[group]
        )
        for group in range(stages.n_groups)
        if counts[group]
    }


def left(measured: MeasuredEvents, k: int, strategy: str = "remove-events") -> tuple[int, int]:
    """Return the events and users that are left."""
    reduced = anonymize_events(measured, Rule(k=k, strategy=strategy)).reduced
    return reduced.n_events, reduced.n_users


def test_anonymize_events__counts_users_and_not_events() -> None:
    measured = measure(("aaab", MONDAY + DAY), ("cdcd", NEXT_MONDAY + NIGHT))
    assert released(measured, 2) == {("2", "daytime"): 2, ("3", "night"): 2}
    assert left(measured, 3) == (0, 0)
    assert anonymize_events(measured, Rule(k=3)).reduced.penalty_share == 1.0


def test_anonymize_events__flattens_only_combinations_below_k() -> None:
    measured = measure(("abc", MONDAY + DAY), ("ab", NEXT_MONDAY + DAY), ("cd", FEBRUARY + DAY))
    assert released(measured, 3) == {("2", "daytime"): 3, ("any", "daytime"): 4}
    reduced = anonymize_events(measured, Rule(k=3)).reduced
    assert (reduced.n_events_flattened, reduced.n_cells_generalized) == (4, 4)
    assert reduced.penalty_share == 4 / (7 * 2)


def test_anonymize_events__removes_events_of_what_still_violates_or_users_until_nothing_does() -> None:
    measured = measure(("abc", MONDAY + DAY), ("ab", MONDAY + NIGHT))
    assert left(measured, 3) == (3, 3)
    assert anonymize_events(measured, Rule(k=3)).reduced.penalty_share == 2 / 5
    # Removing a, alone at night, leaves week 2 with b and c; without c, week 6 still has four.
    weeks = (("cdefg", FEBRUARY + DAY), ("defg", NEXT_MONDAY + DAY))
    measured = measure(("abc", MONDAY + DAY), ("a", MONDAY + NIGHT), *weeks)
    assert left(measured, 3, "remove-users") == (8, 4)
    assert left(measured, 3) == (12, 7)
    measured = measure(("a", MONDAY + DAY), ("b", MONDAY + NIGHT))
    assert left(measured, 2, "remove-users") == (0, 0)
    assert not anonymize_events(measured, Rule(k=2, strategy="remove-users")).reduced.user_is_kept.any()


def test_anonymize_events__refuses_k_above_the_users_and_a_log_left_out_whole() -> None:
    measured = measure(("a", MONDAY + DAY), ("b", MONDAY + NIGHT))
    with pytest.raises(
        AuditInputError, match=r"k is 3, above the 2 users with an event after cleanup \(of 2"
    ):
        anonymize_events(measured, Rule(k=3))
    with pytest.raises(AuditInputError, match="above the 1 user with an event after cleanup"):
        anonymize_events(measure(("a", MONDAY + DAY)), Rule(k=2))
    with pytest.raises(AuditInputError, match="All 2 events belong to classes that are left out"):
        measure(("a", MONDAY + DAY), ("a", MONDAY + NIGHT), leave_out=("other_event", "fall_detected"))


MULTI = {"flatten_steps": ("week_number:month", "week_number:any")}
MONTH = {"flatten_steps": ("week_number:month",)}


def test_multi_level__stops_each_combination_at_the_first_step_that_suffices() -> None:
    weeks = (("abc", MONDAY + DAY), ("ab", NEXT_MONDAY + DAY), ("cd", "2024-01-22" + DAY))
    measured = measure(*weeks, ("xyz", FEBRUARY + DAY), **MULTI)
    expected = {("2", "daytime"): 3, ("month_1", "daytime"): 4, ("6", "daytime"): 3}
    assert released(measured, 3) == expected
    flattened = anonymize_events(measured, Rule(k=3)).reduced.flattened
    assert flattened.n_below_after_step.tolist() == [4, 0, 0]


def test_multi_level__raises_the_cheapest_combination_that_shares_the_coarser_value() -> None:
    """Nights of March have two users at the last step; January's are fewer events than February's."""
    nights = (("abc", MONDAY + NIGHT), ("abcd", FEBRUARY + NIGHT), ("mn", "2024-03-04" + NIGHT))
    measured = measure(*nights, ("xyz", MONDAY + DAY), **MULTI)
    assert released(measured, 3) == {("6", "night"): 4, ("2", "daytime"): 3, ("any", "night"): 5}
    anonymized = anonymize_events(measured, Rule(k=3))
    assert anonymized.reduced.flattened.n_events_raised == 3
    assert (anonymized.reduced.n_events, anonymized.single_level.n_events) == (12, 10)


def test_multi_level__never_raises_a_part_of_a_combination() -> None:
    """Week 5 of 2024 has days of January and of February; with month as the last step it is split."""
    week = (("ab", "2024-01-31" + DAY), ("c", "2024-02-01" + DAY))
    flattened = flatten(measure(*week, ("xy", "2024-02-12" + DAY), **MONTH).multi, 3, raise_settled=True)
    assert flattened.n_events_raised == 0
    assert reduce_to_k(flattened, k=3, strategy="remove-events").n_events == 3


def test_multi_level__falls_back_where_single_level_keeps_more() -> None:
    anonymized = anonymize_events(measure(("ab", MONDAY + DAY), ("c", FEBRUARY + DAY), **MONTH), Rule(k=3))
    assert (anonymized.fell_back, anonymized.flattening) == (True, "single-level")
    assert anonymized.reduced.n_events == 3


def test_multi_level__takes_all_levels_smallest_loss_first() -> None:
    days = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 8, 15, 22)]
    events = [("ab", day + time) for day in days for time in ("T07:00", DAY, "T18:00", NIGHT)]
    steps = "week_number:month time_period:day_night time_period:any week_number:any".split()
    assert measure(*events, flatten_steps=("auto",)).multi.steps == tuple(steps)
    columns = {"columns": ("generalized_event", "weekday"), "flatten": "generalized_event"}
    measured = measure(("a", MONDAY + DAY), **columns, flatten_steps=("auto",))
    assert measured.multi.steps == ("generalized_event:any", "weekday:workday_weekend", "weekday:any")


def test_compare_strategies__counts_all_four_ways_and_every_k() -> None:
    measured = measure(("abc", MONDAY + DAY), ("ab", NEXT_MONDAY + DAY), ("ab", FEBRUARY + NIGHT))
    assert {
        (one.flattening, one.strategy): (one.n_users, one.n_events, one.n_events_flattened)
        for one in measuring.compare_strategies(measured, k=3)
    } == {
        ("single-level", "remove-events"): (3, 3, 0),
        ("single-level", "remove-users"): (0, 0, 0),
        ("multi-level", "remove-events"): (3, 7, 7),  # week 2 is raised to lift the others
        ("multi-level", "remove-users"): (3, 7, 7),
    }
    measured = measure(("abc", MONDAY + DAY))
    curve = measuring.strategy_curve(measured, ks=(2, 3, 4))  # also above the number of users
    single = [(one.k, one.n_events) for one in curve if one.flattening == "single-level"]
    assert single == [(2, 3), (2, 3), (3, 3), (3, 3), (4, 0), (4, 0)]
    every = measuring.comparable_outcomes(measured, k=60)
    assert {outcome.k for outcome in every} == {*range(2, 51), 60}
    assert {outcome.k for outcome in measuring.comparable_outcomes(measured, k=3, largest_log=2)} == {3}


MARK = b"\xef\xbb\xbf"
LOG = """2024-01-15T10:00;ana;X.FALL_DETECTED
2024-01-08T10:00;bor;X.FALL_DETECTED
2024-01-08T10:00;ana;X.FALL_DETECTED
2024-01-09T10:00;ana;X.FALL_DETECTED
2024-01-22T10:00;cene;X.FALL_DETECTED
2024-01-08T23:00;dana;X.FALL_DETECTED
2024-01-08T10:00;eva;X.NOT_MOVING
2024-01-08T10:00;=fani;X.NOT_MOVING""".splitlines()
COLUMNS = ("generalized_event", "week_number", "time_period")


def anonymized(*lines: str, strategy: str = "remove-events", **changes: object) -> AnonymizedEvents:
    settings = EventSettings(**{"columns": COLUMNS, **changes})
    measured = measuring.measure_events(log_of(*(lines or LOG)), settings)
    return anonymize_events(measured, Rule(k=2, strategy=strategy))


def release(made: AnonymizedEvents, **options: object) -> Release:
    return release_events(made, ReleaseOptions(**options), np.random.default_rng(7).bytes)


def cells(data: bytes) -> list[list[str]]:
    return [line.split(",") for line in data.decode("utf-8-sig").splitlines()[1:]]


def test_events_csv__holds_user_and_contributing_columns_sorted_by_what_they_say() -> None:
    assert release(anonymized(), keep_user_ids=True).events_csv.decode("utf-8-sig") == (
        "GUID,generalized_event,week_number,time_period\n"
        "ana,fall_detected,W02,daytime\n"
        "ana,fall_detected,W02,daytime\n"
        "bor,fall_detected,W02,daytime\n"
        "ana,fall_detected,any,daytime\n"
        "cene,fall_detected,any,daytime\n"
        "'=fani,fall_idle,W02,daytime\n"
        "eva,fall_idle,W02,daytime\n"
    )


def test_events_csv__has_days_and_weeks_as_numbers_in_the_published_form_alone() -> None:
    columns = {"columns": ("week_number", "weekday"), "flatten": "week_number"}
    lines = {
        form: release(anonymized(*LOG, any_value=form, **columns)).events_csv.decode("utf-8-sig").splitlines()
        for form in ("100", "any", "blank")
    }
    assert {line.partition(",")[2] for line in lines["100"][1:]} == {"2,0", "100,0"}
    assert {line.partition(",")[2] for line in lines["any"][1:]} == {"W02,Monday", "any,Monday"}
    assert {line.partition(",")[2] for line in lines["blank"][1:]} == {"W02,Monday", ",Monday"}


def test_removal_report__counts_users_with_totals_and_masks_groups_below_k() -> None:
    assert release(anonymized()).removal_report_csv.decode("utf-8-sig") == (
        "generalized_event,week_number,time_period,GUID_original,GUID_anonymized\n"
        "fall_detected,W02,daytime,2,2\n"
        "fall_detected,any,night,<2,0\n"
        "fall_detected,any,daytime,2,2\n"
        "fall_detected,,,at least 5,4\n"
        "fall_idle,W02,daytime,2,2\n"
        "fall_idle,,,2,2\n"
        "Not for sharing: it tells of removed users. Groups of fewer than 2 are masked.,,,,\n"
    )


def test_user_removal_report__counts_events_of_removed_users_most_first_under_pseudonyms() -> None:
    made = anonymized(strategy="remove-users")
    assert release(anonymized()).user_removal_csv is None
    report = release(made).user_removal_csv
    assert report is not None
    assert re.fullmatch(r"User,Event Count\nu[0-9a-f]{20},1\n", report.decode("utf-8-sig"))
    assert release(made, keep_user_ids=True).user_removal_csv == MARK + b"User,Event Count\ndana,1\n"
    by_day = [line.replace("23:00", "10:00") for line in LOG]
    assert release(anonymized(*by_day, strategy="remove-users")).user_removal_csv is None  # everyone stays
    more = anonymized(*LOG, *["2024-01-08T07:00;gal;X.NOT_MOVING"] * 2, strategy="remove-users")
    assert release(more, keep_user_ids=True).user_removal_csv == MARK + b"User,Event Count\ngal,2\ndana,1\n"


def test_user_mapping__names_everyone_in_any_file() -> None:
    exported = release(anonymized(strategy="remove-users"))
    mapping = dict(line.split(",") for line in exported.user_mapping_csv.decode("utf-8-sig").splitlines())
    assert sorted(mapping) == ["'=fani", "GUID", "ana", "bor", "cene", "dana", "eva"]
    assert exported.user_removal_csv is not None
    names = {name for name, *_ in cells(exported.events_csv) + cells(exported.user_removal_csv)}
    assert names == set(mapping.values()) - {"pseudonym"}


def test_pseudonyms__are_fresh_unless_seeded_and_distinct_even_where_the_source_repeats_itself() -> None:
    made = anonymized()
    fresh = [release_events(made, ReleaseOptions(), secrets.token_bytes).events_csv for _ in range(2)]
    assert fresh[0] != fresh[1]
    assert release(made).events_csv == release(made).events_csv
    answers = [bytes(20), bytes(9) + b"\1"]
    assert new_pseudonyms(2, lambda _: answers.pop(0)) == ("u" + "0" * 20, "u" + "0" * 19 + "1")


@pytest.mark.parametrize(
    ("scope", "n_names_of_ana", "n_names"), [("user", 1, 5), ("week", 2, 6), ("day", 3, 7), ("event", 3, 7)]
)
def test_pseudonyms__are_new_for_each_stretch_and_for_each_flattened_event(
    scope: str, n_names_of_ana: int, n_names: int
) -> None:
    exported = release(anonymized(), pseudonym_per=scope)
    names = {name for name, *_ in cells(exported.events_csv)}
    mapping = cells(exported.user_mapping_csv)
    assert len({name for user, name in mapping if user == "ana" and name in names}) == n_names_of_ana
    assert len(names) == n_names
    assert (exported.verification.n_users, exported.verification.k_reached) == (5, True)


def test_verify_release__counts_users_and_not_pseudonyms_or_records() -> None:
    data = b"GUID,week\na,1\na,1\nb,1\nc,2\nd,2\n"
    counted = verify_release(data, k=2, n_columns=1)
    assert (counted.n_events, counted.n_users, counted.n_combinations, counted.smallest) == (5, 4, 2, 2)
    assert counted.k_reached
    assert not verify_release(data, k=3, n_columns=1).k_reached
    same_user = verify_release(data, k=2, n_columns=1, user_of_name={"a": 0, "b": 1, "c": 2, "d": 2})
    assert (same_user.smallest, same_user.k_reached, same_user.n_users) == (1, False, 3)
    counted = verify_release(b"GUID,week\n", k=2, n_columns=1)
    assert (counted.n_events, counted.n_combinations, counted.smallest) == (0, 0, None)
    assert not counted.k_reached


def test_release__of_nothing_is_a_header() -> None:
    lines = [f"2024-01-08{time};{user};X.FALL_DETECTED" for user, time in (("a", DAY), ("b", NIGHT))]
    made = anonymized(*lines, strategy="remove-users")
    exported = release(made)
    assert exported.events_csv.decode("utf-8-sig") == "GUID,generalized_event,week_number,time_period\n"
    assert exported.removal_report_csv.decode("utf-8-sig").splitlines()[-2] == "fall_detected,,,at least 2,0"
    assert not exported.verification.k_reached
    assert release(made, pseudonym_per="day").verification.n_users == 0


def test_release__quotes_values_that_hold_separators_and_disarms_formulas() -> None:
    lines = [f'2024-01-08;"{user}";"=a,b ""c"""' for user in ("u,1", "u\n2")]
    made = anonymized(*lines, columns=("event", "weekday"), flatten="weekday", leave_out=())
    exported = release(made, keep_user_ids=True)
    assert exported.events_csv.decode("utf-8-sig") == (
        'GUID,event,weekday\n"u\n2","\'=a,b ""c""",Monday\n"u,1","\'=a,b ""c""",Monday\n'
    )
    assert (exported.verification.n_users, exported.verification.smallest) == (2, 2)
    written = {text: csv_cell(text) for text in ("=1", "+1", "-1", "@a", "\ta")}
    assert written == {text: f"'{text}" for text in written}
    assert (csv_cell("a"), csv_cell('"')) == ("a", '""""')


def test_release_files__hold_the_mapping_only_when_asked() -> None:
    exported = release(anonymized(strategy="remove-users"))
    apart = ("event_removal_report.csv", "user_removal_report_counts.csv", "user_mapping.csv")
    names = ["anonymized_events.csv", *(f"not_for_sharing/{name}" for name in apart)]
    assert list(release_files(exported, with_user_mapping=False)) == names[:3]
    assert list(release_files(exported, with_user_mapping=True)) == names
    assert list(release_files(release(anonymized()), with_user_mapping=False)) == names[:2]
