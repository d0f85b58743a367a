"""Counts and order, the cap, who is one user, and what released values tell; on logs countable by hand."""

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.events import EventAudit, EventSettings, ReleaseOptions, Rule, audit_events, event_mapping
from core.events.users import folded, near_equal_users
from core.tables import ReadOptions, read_dataset
from core.verdict import Finding, Verdict
from tests.saying import Saying

MONDAYS = ("2024-01-08", "2024-01-15", "2024-01-22")
FALL, IDLE = "X.FALL_DETECTED", "X.NOT_MOVING"


def audit(
    *lines: str,
    header: str = "OD_ISO;GUID;dogodek",
    rule: dict[str, object] | None = None,
    options: dict[str, object] | None = None,
    **settings: object,
) -> EventAudit:
    return audit_events(
        read_dataset("\n".join([header, *lines]).encode(), name="log.csv"),
        settings=EventSettings(**settings),  # type: ignore[arg-type]
        rule=Rule(**{"k": 2, **(rule or {})}),  # type: ignore[arg-type]
        options=ReleaseOptions(**(options or {})),  # type: ignore[arg-type]
        token_source=np.random.default_rng(1).bytes,
    )


def finding(found: EventAudit, check: str) -> Finding | None:
    return next((each for each in found.findings if each.check == check), None)


def log(**rows: str) -> list[str]:
    """Return events: for each user a letter a row, the day by its place: f a fall, i idle, - none."""
    return [
        f"{MONDAYS[place % 3]}T10:00;{user};{FALL if letter == 'f' else IDLE}"
        for user, letters in rows.items()
        for place, letter in enumerate(letters)
        if letter != "-"
    ]


def times(number: int, user: str) -> list[str]:
    return [f"2024-01-08T10:{minute:02d};{user};{FALL}" for minute in range(number)]


def test_row_risk__counts_users_alone_with_their_number_of_rows() -> None:
    found = audit(*times(1, "a"), *times(1, "b"), *times(2, "c"), *times(2, "d"), *times(3, "e"))
    rows = found.rows
    assert (rows.n_users, rows.n_alone_by_number, rows.n_below_k_by_number) == (5, 1, 1)
    assert (rows.n_unique_multiset, rows.n_unique_sequence, rows.n_standing_out) == (1, 1, 0)
    assert found.verdict is Verdict.PASS
    assert found.trace_verdict is Verdict.PASS
    assert (found.rows_verdict, found.overall) == (Verdict.FAIL, Verdict.FAIL)


def test_row_risk__passes_where_everybody_has_a_number_that_others_have() -> None:
    found = audit(*times(2, "a"), *times(2, "b"), *times(3, "c"), *times(3, "d"))
    assert (found.rows.n_alone_by_number, found.rows.n_unique_multiset) == (0, 0)
    assert found.overall is Verdict.PASS


def test_row_risk__sees_who_has_far_more_rows_than_everybody_else() -> None:
    many = [line for number in range(300) for line in times(1 + number % 2, f"u{number}")]
    alone = audit(*many, *times(20, "heavy"), rule={"k": 5})
    assert (alone.rows.n_standing_out, alone.rows_verdict) == (1, Verdict.WARN)
    near = audit(*many, *times(3, "near"), rule={"k": 5})
    assert (near.rows.n_alone_by_number, near.rows.n_standing_out, near.rows_verdict) == (1, 0, Verdict.PASS)


def test_row_risk__tells_rows_split_differently_from_their_number() -> None:
    found = audit(
        *log(a="ffi", b="ffi", c="fii", d="iif"), columns=("generalized_event",), flatten="generalized_event"
    )
    assert (found.rows.n_alone_by_number, found.rows.n_unique_multiset) == (0, 0)
    found = audit(
        *log(a="fff", b="ffi", c="fii"), columns=("generalized_event",), flatten="generalized_event"
    )
    assert (found.rows.n_alone_by_number, found.rows.n_unique_multiset) == (0, 3)
    assert found.rows.n_unique_sequence is None


@pytest.mark.parametrize(
    ("columns", "scope", "n_unique"),
    [
        (("generalized_event", "week_number"), "user", 1),
        (("generalized_event", "month", "day"), "user", 1),
        (("generalized_event", "weekday"), "user", None),
        (("week_number", "weekday"), "user", None),
        (("generalized_event", "week_number"), "event", None),
        (("generalized_event", "weekday", "hour"), "week", 0),
        (("generalized_event", "hour"), "day", 0),
    ],
)
def test_row_risk__follows_the_order_that_the_export_tells(
    columns: tuple[str, ...], scope: str, n_unique: int | None
) -> None:
    lines = log(a="fif", b="fif", c="iff", d="if-", e="if-", g="-ff", h="-ff")
    found = audit(*lines, columns=columns, flatten=columns[-1], options={"pseudonym_per": scope})
    assert found.rows.n_unique_sequence == n_unique


def test_row_risk__takes_no_order_from_weeks_of_several_years() -> None:
    lines = [f"{year}-01-08T10:00;{user};{FALL}" for year in (2023, 2024) for user in "ab"]
    columns = ("generalized_event", "week_number")
    assert audit(*lines, columns=columns).rows.n_unique_sequence is None
    assert audit(*lines, columns=(*columns, "iso_year")).rows.n_unique_sequence == 0


def test_row_risk__limit_is_the_persons() -> None:
    lines = log(a="fff", b="ffi", c="fii")
    settings = {"columns": ("generalized_event",), "flatten": "generalized_event"}
    strict = audit(*lines, **settings)
    assert strict.rows_verdict is Verdict.FAIL
    assert audit(*lines, rule={"max_rows_unique_share": 1.0}, **settings).rows_verdict is Verdict.WARN


def test_cap__removes_the_excess_and_counts_it_as_lost() -> None:
    lines = [*times(1, "a"), *times(4, "b"), *times(2, "c")]
    capped = audit(*lines, rule={"cap": 1})
    assert capped.overall is Verdict.PASS
    reduced = capped.anonymized.reduced
    assert (reduced.n_events, reduced.n_events_capped, reduced.penalty_share) == (3, 4, 4 / 7)
    assert len(capped.release.events_csv.splitlines()) == 1 + 3
    assert finding(capped, "rows_capped").message == Saying(
        "At most 1 row of a user with the same combination is released; 4 of 7 events …"
    )
    assert audit(*lines, rule={"cap": 2}).anonymized.reduced.n_events == 5
    assert audit(*lines, rule={"cap": 9}).anonymized.reduced.n_events == 7


def test_cap__holds_over_combinations_that_flattening_joins() -> None:
    lines = log(a="fff", b="f--", c="-f-", d="--f")
    capped = audit(*lines, rule={"k": 3, "cap": 2}, flatten="week_number")
    assert capped.anonymized.reduced.n_events == 2 + 3


def test_rule__refuses_a_cap_below_one_and_a_share_that_is_none() -> None:
    with pytest.raises(AuditInputError) as caught:
        Rule(cap=0, max_rows_unique_share=2.0)
    assert caught.value.problems == (
        "cap must be at least 1, received 0.",
        "max_rows_unique_share must be from 0 to 1, received 2.",
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana", "ANA"),
        ("Ana Novak", "ana  novak"),
        ("ana.novak", "ana_novak"),
        ("p007", "P-7"),
        ("0042", "42"),
        ("42.0", "42"),
        ("č1", "c\u030c1"),
        ("Ａna", "ana"),
        ("a\u200bb", "ab"),
        ("žan", "Zan"),
    ],
)
def test_folded__makes_one_of_spellings(one: str, other: str) -> None:
    first, second = folded(pa.array([one, other])).to_pylist()
    assert first == second


@pytest.mark.parametrize(
    ("one", "other"),
    [("1-23", "12-3"), ("1-2-3", "12-3"), ("70", "7"), ("10", "1.0.0"), ("김민", "김만"), ("а1", "a1")],
)
def test_folded__keeps_others_apart(one: str, other: str) -> None:
    first, second = folded(pa.array([one, other])).to_pylist()
    assert first != second


SPELLINGS = ("ana", "Ana", "ANA ", "bor", "BOR", "Bor.")


def test_near_equal_users__fail_where_k_needs_several_spellings_of_one_person() -> None:
    lines = [f"2024-01-08T10:00;{user};{FALL}" for user in SPELLINGS[:3]]
    lines += [f"2024-01-16T10:00;{user};{FALL}" for user in SPELLINGS[3:]]
    found = audit(*lines, rule={"k": 3})
    assert found.verdict is Verdict.PASS
    persons = finding(found, "users_near_equal")
    assert persons.verdict is Verdict.FAIL
    assert persons.message == Saying(
        "6 user identifiers may be 2 persons: they differ in case, … 1, … 3 is …"
    )
    assert audit(*lines, rule={"k": 3}, near_equal_users="distinct").overall is Verdict.PASS
    joined = audit(*lines, near_equal_users="join")
    assert joined.measured.log.users == ("ana", "bor")
    assert finding(joined, "users_joined").n_affected == 4


def test_near_equal_users__warn_where_k_holds_all_the_same() -> None:
    lines = [f"2024-01-08T10:00;{user};{FALL}" for user in ("ana", "Ana", "bor", "cene")]
    assert finding(audit(*lines), "users_near_equal").verdict is Verdict.WARN


def test_near_equal_users__are_not_seen_in_codes_that_meet_by_chance() -> None:
    letters = np.array(list("abcdefghijABCDEFGHIJ"))
    drawn = np.unique(["".join(row) for row in letters[np.random.default_rng(3).integers(0, 20, (2000, 3))]])
    assert near_equal_users(pa.array(drawn.tolist())) is None
    assert near_equal_users(pa.array([*drawn.tolist(), "abc 01", "abc1"])) is not None


def test_persons_in_columns__tell_sessions_from_users() -> None:
    lines = [f"2024-01-08T10:0{n};s{n};{FALL};{'ana' if n < 4 else 'bor'}" for n in range(6)]
    header = "OD_ISO;GUID;dogodek;patient_id"
    found = audit(*lines, header=header, rule={"k": 3})
    persons = finding(found, "users_column")
    assert (persons.verdict, persons.column, persons.n_affected) == (Verdict.FAIL, "patient_id", 6)
    assert audit(*lines, header=header, user_column="patient_id").overall is not Verdict.NOT_ASSESSED
    for other in ("ward", "employee_id", "household id", "full_name", "담당의사번호", "visit id"):
        of_others = audit(*lines, header=header.replace("patient_id", other), rule={"k": 3})
        assert finding(of_others, "users_column") is None
    for named in ("person", "PatientID", "환자번호", "user"):
        assert finding(audit(*lines, header=header.replace("patient_id", named)), "users_column") is not None
    own = [line.replace(";ana", f";p{n}").replace(";bor", f";p{n}") for n, line in enumerate(lines)]
    assert finding(audit(*own, header=header), "users_column") is None


RAW = {"columns": ("event", "weekday"), "flatten": "weekday"}


def raw(*events: str, users: int = 4) -> list[str]:
    return [f"2024-01-08T10:00;user.number{n};{event}" for event in events for n in range(users)]


@pytest.mark.parametrize(
    ("event", "check"),
    [
        ("walk with user.number2", "people_in_values"),
        ("visit 2024-01-09", "dates_in_values"),
        ("visit 9.1.2024", "dates_in_values"),
        ("visit 20240109T1005", "dates_in_values"),
        ("visit 8 Jan 2024", "dates_in_values"),
        ("visit 1704700000", "dates_in_values"),
        ("mail to ana@example.org", "identifiers_in_values"),
        ("call +386 41 123 456", "identifiers_in_values"),
    ],
)
def test_telling__finds_what_released_values_say_of_people_and_days(event: str, check: str) -> None:
    found = audit(*raw(event, "lunch"), **RAW)
    assert finding(found, check).verdict is Verdict.FAIL
    assert event not in finding(found, check).message
    hidden = audit(*raw(event, "lunch"), columns=("weekday",), flatten="weekday")
    assert finding(hidden, check) is None


@pytest.mark.parametrize(
    "event", ["walk", "v10.2.14", "PHASE_2_2024", "271649006", "31.2.2024", "visit 1999-01-09"]
)
def test_telling__lets_names_of_events_be(event: str) -> None:
    assert audit(*raw(event, "lunch"), **RAW).overall is Verdict.PASS


def test_telling__finds_names_that_another_column_of_the_log_holds() -> None:
    lines = [
        f"2024-01-08T10:00;u{n};walk with Ana{'abcdef'[n]} Novak;Ana{'abcdef'[n // 2]} Novak"
        for n in range(6)
    ]
    shared = [line.replace(line.split(";")[2], "walk with Anab Novak") for line in lines]
    header = "OD_ISO;GUID;dogodek;contact"
    assert finding(audit(*shared, header=header, **RAW), "people_in_values").verdict is Verdict.FAIL
    plain = [line.replace(line.split(";")[2], "walk") for line in lines]
    assert finding(audit(*plain, header=header, **RAW), "people_in_values") is None


def test_telling__counts_numbers_of_users_only_beyond_chance() -> None:
    groups = [(n, n // 3) for n in range(30)]
    named = [
        f"2024-01-08T10:00;{1000 + n};walk {' '.join(str(1000 + m) for m, other in groups if other == group)}"
        for n, group in groups
    ]
    assert finding(audit(*named, **RAW), "people_in_values").verdict is Verdict.FAIL
    rooms = [f"2024-01-08T10:00;{1000 + n};room {1000 + (group * 7 + 5) % 30}" for n, group in groups]
    assert finding(audit(*rooms, **RAW), "people_in_values") is None


def test_mapping__that_tells_nothing_apart_is_not_assessed() -> None:
    unmapped = audit(*raw("walk", "lunch"))
    assert (unmapped.verdict, unmapped.overall) == (Verdict.PASS, Verdict.NOT_ASSESSED)
    assert finding(unmapped, "mapping").message == Saying(
        "What happened is not assessed: none of the 2 kinds of events is …"
    )
    assert finding(unmapped, "unmapped_events").remedy == "Add 2 kinds of events to the mapping."
    shared = audit(*raw("walk", "lunch", users=5), *raw("swim of somebody", users=1))
    assert finding(shared, "unmapped_events").remedy == (
        "Give `walk`, `lunch` and 1 more kind of events classes in the event mapping."
    )
    merged = audit(
        *raw("walk", "lunch"), mapping=event_mapping([("walk", "x"), ("lunch", "x")]), leave_out=()
    )
    assert "all 2 kinds of events are in one class" in finding(merged, "mapping").message
    told = audit(*raw("walk", "lunch"), mapping=event_mapping([("walk", "x"), ("lunch", "y")]), leave_out=())
    assert told.overall is Verdict.PASS
    assert finding(audit(*raw("walk", "lunch"), **RAW), "mapping") is None
    assert finding(audit(*raw(FALL)), "mapping") is None


def test_seed_and_own_identifiers__are_said() -> None:
    lines = raw(FALL)
    assert finding(audit(*lines, options={"pseudonym_seed": 3}), "pseudonym_seed").verdict is Verdict.WARN
    assert audit(*lines, options={"keep_user_ids": True}).overall is Verdict.FAIL
    with pytest.raises(AuditInputError, match=r"pseudonym_seed must be at least 0, received -1\."):
        ReleaseOptions(pseudonym_seed=-1)


@pytest.mark.parametrize(("any_value", "written"), [("100", "100"), ("any", "any"), ("blank", "")])
def test_any_value__is_written_as_asked(any_value: str, written: str) -> None:
    lines = log(a="f--", b="-f-")
    columns = ("generalized_event", "week_number")
    found = audit(*lines, columns=columns, any_value=any_value)
    rows = [line.split(";")[1:] for line in found.release.events_csv.decode().splitlines()[1:]]
    assert rows == [["fall_detected", written]] * 2
    assert found.verdict is Verdict.PASS


def test_missing_words__can_be_users() -> None:
    lines = [f"2024-01-08T10:00;{user};{FALL}" for user in ("NA", "bor")]
    data = "\n".join(["OD_ISO;GUID;dogodek", *lines]).encode()
    dataset = read_dataset(data, name="log.csv", options=ReadOptions(missing_spellings=()))
    found = audit_events(
        dataset,
        settings=EventSettings(),
        rule=Rule(k=2),
        options=ReleaseOptions(),
        token_source=np.random.default_rng(1).bytes,
    )
    assert found.measured.log.users == ("NA", "bor")
    with pytest.raises(AuditInputError, match="1 of 2 records have no user in GUID"):
        audit(*lines)


def test_diversity__says_where_one_value_has_nearly_all_events() -> None:
    def of_day(day: str, first: int, second: int) -> list[str]:
        events = [FALL] * first + [IDLE] * second
        return [f"2024-01-{day}T10:00;{day}u{n};{event}" for n, event in enumerate(events)]

    settings = {"columns": ("weekday",), "flatten": "weekday", "sensitive": "generalized_event"}
    told = audit(*of_day("08", 19, 1), *of_day("09", 1, 19), **settings)
    assert (told.diversity.n_uniform, told.diversity.n_dominated) == (0, 2)
    assert finding(told, "diversity").verdict is Verdict.WARN
    usual = audit(*of_day("08", 19, 1), *of_day("09", 19, 1), **settings)
    assert (usual.diversity.n_dominated, finding(usual, "diversity").verdict) == (0, Verdict.PASS)


def test_whole_log_penalty__counts_what_is_merged_and_left_out() -> None:
    lines = [*raw("X.BATTERY_EMPTY", users=1), *raw("X.BATTERY_EMPTY", "X.BATTERY_FULL", FALL, IDLE, users=2)]
    settings = {"columns": ("generalized_event",), "flatten": "generalized_event"}
    found = audit(*lines, leave_out=("power_event",), **settings)
    assert found.whole_log_penalty_share == pytest.approx(5 / 9)
    merged = audit(*lines, leave_out=(), **settings)
    assert merged.anonymized.reduced.penalty_share == 0
    assert merged.whole_log_penalty_share == pytest.approx(5 * (2 / 4) / 9)
    assert audit(*lines, columns=("weekday",), flatten="weekday", leave_out=()).whole_log_penalty_share == 0


def test_row_risk__sees_several_who_are_alone_with_ten_times_the_rows_of_most() -> None:
    few = [line for number in range(600) for line in times(1, f"u{number}")]
    heavy = [line for number in range(5) for line in times(30 + number, f"h{number}")]
    found = audit(*few, *heavy, rule={"k": 5})
    assert (found.rows.n_standing_out, found.rows_verdict) == (5, Verdict.WARN)


def test_row_findings__name_a_cap_only_where_it_helps() -> None:
    by_count = audit(*times(1, "a"), *times(1, "b"), *times(2, "c"), *times(2, "d"), *times(3, "e"))
    assert (by_count.rows.n_alone_by_number_capped, by_count.rows.n_unique_multiset_capped) == (0, 0)
    helped = finding(by_count, "row_numbers")
    assert helped is not None
    assert helped.message.endswith(
        "With one row of each user and combination (a cap) it would be 0 by number and 0 by all rows."
    )
    assert helped.remedy == "Release one row of each user and combination (a cap)."
    by_kind = audit(*log(a="f--", b="-f-", c="ff-", d="f-f", e="--f", f="-ff"))
    assert by_kind.rows.n_unique_multiset_capped == 6
    still = finding(by_kind, "row_multisets")
    assert still is not None
    assert still.message.endswith(
        "One row of each user and combination (a cap) would not be enough: "
        "0 by number and 6 by all rows would still be alone."
    )
    told = [each.message for each in by_kind.findings if "(a cap)" in each.message]
    assert told == [still.message]


def test_whole_trace__has_a_limit_and_a_verdict_of_its_own() -> None:
    lines = log(a="ff-", b="ff-", c="-ff", d="f-f", e="f-f")
    found = audit(*lines, flatten="week_number")
    assert (found.traces_after.whole_trace, found.whole_trace_verdict) == (0.2, Verdict.WARN)
    said = finding(found, "whole_trace")
    assert said is not None
    assert said.message == Saying(
        "The whole trace under a pseudonym, the set of its combinations, … 1 of 5 users; … 50.0 % …"
    )
    assert said.n_affected == 1
    strict = audit(*lines, flatten="week_number", rule={"max_whole_trace_share": 0.1})
    assert (strict.whole_trace_verdict, strict.overall) == (Verdict.FAIL, Verdict.FAIL)
    assert strict.trace_verdict is found.trace_verdict
    nothing = audit(*lines, rule={"k": 5}, columns=("event", "day"), flatten="event")
    assert nothing.whole_trace_verdict is Verdict.NOT_ASSESSED
