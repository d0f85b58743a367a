"""The exported files, word for word, and k counted from their bytes."""

import re
import secrets

import numpy as np
import pytest

from core.events import (
    AnonymizedEvents,
    EventSettings,
    Release,
    ReleaseOptions,
    Rule,
    anonymize_events,
    measure_events,
    release_events,
    verify_release,
)
from core.events.release import csv_cell, new_pseudonyms, release_files
from core.tables import read_dataset

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
    ("scope", "n_names_of_ana", "n_names"),
    [("user", 1, 5), ("week", 2, 6), ("day", 3, 7), ("event", 3, 7)],
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
