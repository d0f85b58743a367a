"""Reading a log: times, mapping, settings, and what is odd about a file."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.events.log import EventLog, read_event_log
from core.events.mapping import (
    BUILT_IN_MAPPING,
    EventMapping,
    event_mapping,
    mapping_csv,
    mapping_json,
    read_event_mapping,
)
from core.events.settings import EventSettings, ReleaseOptions, Rule
from core.events.stages import derived_column, level_column, prepare_stages, shown_value
from core.events.timestamps import Calendar, parse_timestamps
from core.tables import read_dataset
from core.verdict import Verdict
from tests.saying import Saying


def log_of(*lines: str, header: str = "OD_ISO;GUID;dogodek", **changes: object) -> EventLog:
    data = "\n".join([header, *lines]).encode()
    return read_event_log(read_dataset(data, name="log.csv"), EventSettings(**changes))


def problems_of(*lines: str, **changes: object) -> tuple[str, ...]:
    with pytest.raises(AuditInputError) as caught:
        log_of(*lines, **changes)
    return caught.value.problems


@pytest.mark.parametrize(
    ("written", "day", "hour"),
    [
        ("2024-01-01T14:05:06", "2024-01-01", 14),
        ("2024-01-01 14:05", "2024-01-01", 14),
        ("2024-01-01T14", "2024-01-01", 14),
        ("20240101T140506", "2024-01-01", 14),
        ("2024-01-01t14:05:06.123456z", "2024-01-01", 14),
        ("2024-01-01T23:30:00,5+02:00", "2024-01-01", 23),
        ("2024-01-01T23:30:00-0800", "2024-01-01", 23),
        ("2024-01-01T23:59:60Z", "2024-01-01", 23),
        ("2024-02-29T24:00:00", "2024-03-01", 0),
        ("1850-06-15T10:00", "1850-06-15", 10),
        ("2500-12-31T22:00", "2500-12-31", 22),
        ("2024-03-31T02:30:00", "2024-03-31", 2),  # skipped by daylight saving in Ljubljana
        ("  2024-01-01  ", "2024-01-01", 0),
    ],
)
def test_parse_timestamps__reads_local_time(written: str, day: str, hour: int) -> None:
    times = parse_timestamps(pa.array([written]))
    assert times.readable.tolist() == [True]
    assert np.datetime64("1970-01-01") + times.days[0] == np.datetime64(day)
    assert times.hours.tolist() == [hour]


@pytest.mark.parametrize(
    "written",
    [
        None,
        "",
        "yesterday",
        "2023-02-29",
        "2024-13-01",
        "2024-00-10",
        "2024-01-00",
        "2024-01-32",
        "2024-0101",
        "2024-01-01T25:00",
        "2024-01-01T24:00:01",
        "2024-01-01T10:60",
        "2024-01-01T10:00:61",
        "2024-W05-3",
        "01.02.2024 10:00",
        "12024-01-01",
    ],
)
def test_parse_timestamps__marks_what_is_no_date_and_time(written: str | None) -> None:
    assert parse_timestamps(pa.array([written], pa.string())).readable.tolist() == [False]


def test_parse_timestamps__counts_zones_and_dates_without_time() -> None:
    times = parse_timestamps(
        pa.chunked_array([["2024-01-01T10:00Z", "2024-01-01T10:00+01:00"], ["2024-01-01", "?"]])
    )
    assert times.n_by_zone == {"Z": 1, "+01:00": 1, "": 1}
    assert times.n_without_time == 1


def test_calendar__agrees_with_the_standard_library_at_every_turn_of_a_year() -> None:
    days = [date(year, 12, 25) + timedelta(n) for year in range(1, 9998, 7) for n in range(14)]
    calendar = Calendar(
        days=np.array([day.toordinal() - date(1970, 1, 1).toordinal() for day in days]),
        hour=np.zeros(len(days), dtype=np.int64),
    )
    expected = np.array([(*day.isocalendar(), day.year, day.month, day.day) for day in days])
    found = np.column_stack(
        [
            calendar.iso_year,
            calendar.week_number,
            calendar.weekday + 1,
            calendar.year,
            calendar.month,
            calendar.day,
        ]
    )
    assert (found == expected).all()


@pytest.mark.parametrize(
    ("hour", "period", "half", "block", "wide_block"),
    [
        (0, "night", "before_noon", "0", "0"),
        (5, "night", "before_noon", "3", "5"),
        (6, "morning", "before_noon", "6", "5"),
        (7, "morning", "before_noon", "6", "5"),
        (8, "daytime", "before_noon", "6", "5"),
        (14, "daytime", "after_noon", "12", "10"),
        (15, "daytime", "after_noon", "15", "15"),
        (16, "daytime", "after_noon", "15", "15"),
        (17, "afternoon", "after_noon", "15", "15"),
        (21, "afternoon", "after_noon", "21", "20"),
        (22, "night", "after_noon", "21", "20"),
        (23, "night", "after_noon", "21", "20"),
    ],
)
def test_derived_column__cuts_the_day_as_published(
    hour: int, period: str, half: str, block: str, wide_block: str
) -> None:
    log = log_of(f"2024-01-06T{hour:02}:59:59;u;A.FALL_DETECTED")
    assert derived_column(log, "time_period").labels == (period,)
    assert derived_column(log, "half_day").labels == (half,)
    assert derived_column(log, "quantized_hour").labels == (block,)
    wide = log_of(f"2024-01-06T{hour:02}:00;u;A.FALL_DETECTED", hour_block=5)
    assert derived_column(wide, "quantized_hour").labels == (wide_block,)


def test_derived_column__gives_every_column_of_an_event() -> None:
    log = log_of("2027-01-01T18:30:00+01:00;u;PENDANT.FALL_DETECTED")
    values = {
        name: derived_column(log, name).labels
        for name in (
            *("generalized_event", "year", "month", "day", "hour", "iso_year", "week_number", "weekday"),
            *("workday_weekend", "event", "quarter", "day_night", "any"),
        )
    }
    assert values == {
        "generalized_event": ("fall_detected",),
        "year": ("2027",),
        "month": ("1",),
        "day": ("1",),
        "hour": ("18",),
        "iso_year": ("2026",),
        "week_number": ("53",),
        "weekday": ("4",),
        "workday_weekend": ("workday",),
        "event": ("PENDANT.FALL_DETECTED",),
        "quarter": ("1",),
        "day_night": ("evening_night",),
        "any": ("100",),
    }


def test_derived_column__orders_numbers_as_numbers_and_weekends_after_workdays() -> None:
    log = log_of("2024-03-09;u;A", "2024-01-02;u;B", "2023-10-02;u;C")
    assert derived_column(log, "week_number").labels == ("1", "10", "40")
    assert derived_column(log, "workday_weekend").labels == ("workday", "weekend")
    assert derived_column(log, "workday_weekend").codes.tolist() == [1, 0, 0]


def test_level_column__writes_coarser_values_unlike_finer_ones() -> None:
    log = log_of("2024-03-09T10:00;u;A.FALL_DETECTED")
    assert level_column(log, "week_number", "week_number").labels == ("10",)
    assert level_column(log, "week_number", "month").labels == ("month_3",)
    assert level_column(log, "weekday", "workday_weekend").labels == ("weekend",)
    assert level_column(log, "event", "generalized_event").labels == ("generalized_event_fall_detected",)


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("week_number", "100", "any week"),
        ("weekday", "100", "any weekday"),
        ("time_period", "100", "any time period"),
        ("week_number", "month_3", "month 3"),
        ("week_number", "3", "3"),
        ("weekday", "0", "Mon"),
        ("generalized_event", "month_report", "month_report"),
        ("event", "generalized_event_fall", "generalized event fall"),
    ],
)
def test_shown_value__says_it_in_words(column: str, value: str, shown: str) -> None:
    assert shown_value(column, value) == shown


def test_read_event_log__trims_users_and_events_and_ignores_other_columns() -> None:
    log = log_of(
        "2024-01-01; u ;A.FALL_DETECTED;x",
        "2024-01-02;u; A.FALL_DETECTED;y",
        header="OD_ISO;GUID;dogodek;note",
    )
    assert log.users == ("u",)
    assert log.events == ("A.FALL_DETECTED",)


def test_read_event_log__reads_windows_line_ends_and_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbfOD_ISO;GUID;dogodek\r\n2024-01-01T10:00;u;A.FALL_DETECTED\r\n"
    log = read_event_log(read_dataset(data, name="log.csv"), EventSettings())
    assert (log.n_events, log.users) == (1, ("u",))


def test_read_event_log__names_all_missing_columns_at_once() -> None:
    with pytest.raises(AuditInputError) as caught:
        log_of("2024-01-01;u;x", header="when;GUID;what")
    assert caught.value.problems == (
        Saying("log.csv has no column OD_ISO (time_column), dogodek (event_column); it has …"),
    )


def test_read_event_log__stops_at_unreadable_records_and_says_where() -> None:
    lines = ["2024-01-01;u;A", "never;u;A", "2024-01-01;;A", "2024-01-01;u;", *["later;u;A"] * 6]
    assert problems_of(*lines) == (
        Saying("log.csv: 7 of 10 records have no ISO 8601 date and time in … 3, 6, 7, 8, 9 and …"),
        Saying("log.csv: 1 of 10 records have no user in GUID (line 4). …"),
        Saying("log.csv: 1 of 10 records have no event in dogodek (line 5). …"),
    )


def test_read_event_log__goes_on_without_unreadable_records_when_agreed() -> None:
    log = log_of("2024-01-01T10:00;u;A.FALL_DETECTED", "never;v;A.FALL_DETECTED", leave_out_unreadable=True)
    assert (log.n_events, log.n_events_in_file, log.n_users) == (1, 2, 1)
    assert [(finding.check, finding.verdict, finding.message) for finding in log.findings] == [
        (
            "unreadable_records",
            Verdict.WARN,
            "1 of 2 records are left out as unreadable: 1 with no ISO 8601 date and time in OD_ISO.",
        )
    ]


def test_read_event_log__refuses_a_file_without_any_readable_record() -> None:
    assert problems_of("never;u;A", "x;u;A", leave_out_unreadable=True) == (
        "log.csv: none of 2 records has a user, an event and a readable time.",
    )


def test_read_event_log__notes_what_is_odd() -> None:
    log = log_of(
        "2024-01-01T10:00:00Z;u;A.FALL_DETECTED",
        "2024-01-01T10:00:00Z;u;A.FALL_DETECTED",
        "2024-01-01T10:00:00+01:00;u;A.FALL_DETECTED",
        "2022-01-03;u;STRANGE",
    )
    assert {finding.check: finding.message for finding in log.findings} == {
        "dates_without_time": Saying("1 of 4 timestamps are a date without a time; …"),
        "mixed_time_zones": Saying("3 timestamps are in UTC or without a zone, the others with one. …"),
        "duplicate_records": Saying("1 of 4 records repeat the time, user and event of another. …"),
        "unmapped_events": "1 of 4 events, of 1 kind, are not in the event mapping and count as other_event.",
        "weeks_of_several_years": Saying("The log spans 3 ISO years, and week_number puts the same week …"),
    }
    assert log.unmapped == {"STRANGE": 1}


@pytest.mark.parametrize("columns", [("week_number", "iso_year"), ("weekday",)])
def test_read_event_log__says_nothing_of_years_that_are_kept_apart(columns: tuple[str, ...]) -> None:
    log = log_of(
        "2024-01-01T10:00;u;A.FALL_DETECTED",
        "2022-01-03T10:00;u;A.FALL_DETECTED",
        columns=columns,
        flatten=columns[0],
    )
    assert log.findings == ()


def test_event_mapping__classifies_by_name_then_by_the_part_after_a_dot() -> None:
    mapping = EventMapping((("A.B", "whole"), ("B", "suffix"), ("C.D", "two"), ("D", "last")))
    assert [mapping.classify(event) for event in ("A.B", "X.B", "B", "X.C.D", "X.Y.D", "Z")] == [
        "whole",
        "suffix",
        "suffix",
        "two",
        "last",
        None,
    ]


@pytest.mark.parametrize("write", [mapping_csv, mapping_json])
def test_read_event_mapping__reads_what_was_written(write: object, tmp_path: Path) -> None:
    path = tmp_path / "mapping"
    path.write_bytes(b"\xef\xbb\xbf" + write(BUILT_IN_MAPPING))
    assert read_event_mapping(path) == BUILT_IN_MAPPING


def test_read_event_mapping__takes_semicolons_and_blank_lines() -> None:
    assert read_event_mapping(b"event;class\n\n A ; a\nB;b\nA;a\n").pairs == (("A", "a"), ("B", "b"))
    assert event_mapping([("A", "a"), ("", "")]).classes == ("a",)


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"\xff\xfe\x00", ("The event mapping is not UTF-8 text; save it as UTF-8.",)),
        (b'{"A": ', ("The event mapping begins like JSON and is none; check its brackets.",)),
        (b'["A"]', ("The event mapping as JSON is an object of event to class, both text.",)),
        (b'{"A": 1}', ("The event mapping as JSON is an object of event to class, both text.",)),
        (
            b"a,b,c\n1,2,3\n",
            ("The event mapping as CSV has two columns, event and class, and a header line.",),
        ),
        (b"", ("The event mapping as CSV has two columns, event and class, and a header line.",)),
        (b"{}", ("The event mapping names no event.",)),
        (
            b"event,class\nA,\nB,b\nB,c\n",
            (
                "The event mapping's line 1 names an event or a class, not both.",
                "The event mapping's line 3 gives an event a second class.",
            ),
        ),
    ],
)
def test_read_event_mapping__says_what_is_wrong(data: bytes, problems: tuple[str, ...]) -> None:
    with pytest.raises(AuditInputError) as caught:
        read_event_mapping(data)
    assert caught.value.problems == problems


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"columns": ()}, "columns is empty; choose at least one contributing column."),
        ({"columns": ("weekday", "weekday")}, "columns names a contributing column twice."),
        (
            {"columns": ("weekday", "hour"), "flatten": "month"},
            "flatten must be one of weekday, hour, received month.",
        ),
        (
            {"user_column": "OD_ISO"},
            "user_column, time_column and event_column must be three different columns.",
        ),
        ({"hour_block": 0}, "hour_block must be from 1 to 24, received 0."),
        ({"hour_block": 25}, "hour_block must be from 1 to 24, received 25."),
        (
            {"leave_out": ("power",), "mapping": EventMapping((("A", "a"),))},
            Saying("leave_out must be one of a, other_event, measurement_event, …"),
        ),
        ({"sensitive": "weekday"}, Saying("sensitive must be one of year, month, day, hour, …")),
        (
            {"flatten_steps": ("month:any",)},
            Saying("the column of a flatten step must be one of generalized_event, …"),
        ),
        (
            {"flatten_steps": ("week_number:year",)},
            "the level of a flatten step of week_number must be one of month, any, received year.",
        ),
        (
            {"flatten_steps": ("week_number:any", "week_number:month")},
            "flatten_steps takes week_number to month after a level as coarse or coarser.",
        ),
    ],
)
def test_event_settings__refuse_what_cannot_be_meant(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(AuditInputError) as caught:
        EventSettings(**changes)
    assert problem in caught.value.problems


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"k": 1}, "k must be at least 2, received 1."),
        ({"strategy": "remove"}, "strategy must be one of remove-events, remove-users, received remove."),
        ({"max_trace_unique_share": 1.5}, "max_trace_unique_share must be from 0 to 1, received 1.5."),
    ],
)
def test_rule__refuses_what_cannot_be_meant(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(AuditInputError) as caught:
        Rule(**changes)
    assert caught.value.problems == (problem,)


def test_release_options__refuse_what_cannot_be_meant() -> None:
    with pytest.raises(AuditInputError) as caught:
        ReleaseOptions(pseudonym_per="month")
    assert caught.value.problems == ("pseudonym_per must be one of user, week, day, event, received month.",)
    with pytest.raises(AuditInputError) as caught:
        ReleaseOptions(pseudonym_per="day", keep_user_ids=True)
    assert caught.value.problems == (Saying("keep_user_ids writes the original identifiers, so …"),)


def test_prepare_stages__refuses_a_value_that_looks_like_any() -> None:
    log = log_of("2024-01-01;u;100", columns=("event",), flatten="event")
    with pytest.raises(AuditInputError) as caught:
        prepare_stages(log, ("event:any",))
    assert str(caught.value) == Saying("A value of event is written like one of its coarser values (100 …")


def test_read_event_log__refuses_contributing_columns_that_are_nowhere() -> None:
    assert problems_of(
        "2024-01-01T10:00;u1;A;north",
        header="OD_ISO;GUID;dogodek;ward",
        columns=("weekday", "minute", "dogodek"),
        flatten="weekday",
    ) == (Saying("columns must be one of generalized_event, year, month, day, …"),)


def test_derived_column__may_be_one_of_the_log() -> None:
    log = log_of(
        "2024-01-01T10:00;u1;A; north ",
        "2024-01-01T10:00;u2;A;",
        "2024-01-01T10:00;u3;A;north",
        header="OD_ISO;GUID;dogodek;ward",
        columns=("ward",),
        flatten="ward",
    )
    ward = derived_column(log, "ward")
    assert [ward.labels[code] for code in ward.codes] == ["north", "", "north"]
    stages = prepare_stages(log, ("ward:any",))
    assert stages.labels == (("", "north", "100"),)
    assert stages.n_stages == 2
    assert prepare_stages(log, ("auto",)).steps == ("ward:any",)
