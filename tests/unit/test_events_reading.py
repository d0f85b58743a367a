"""Reading a log: columns, times, mapping, settings, and what is odd about a file."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.events import (
    EventSettings,
    ReleaseOptions,
    Rule,
    anonymize_events,
    measure_events,
    suggest_settings,
    suggested_mapping,
)
from core.events import suggestions as search
from core.events.column_finding import with_found_columns
from core.events.log import EventLog, read_event_log
from core.events.mapping import (
    BUILT_IN_MAPPING,
    EventMapping,
    event_mapping,
    mapping_csv,
    mapping_json,
    read_event_mapping,
)
from core.events.stages import derived_column, level_column, prepare_stages, shown_value
from core.events.suggestions import suggestion_lines, suggestions_document
from core.events.timestamps import Calendar, parse_timestamps
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict
from tests.cases.table import holds_for_each, read_cases, says
from tests.events_examples import HEADER, audit, chosen_for
from tests.events_examples import log_of as dataset
from tests.saying import Saying

CASES = read_cases("events.txt")


def log_of(*lines: str, header: str = HEADER, **changes: object) -> EventLog:
    return read_event_log(dataset(*lines, header=header), EventSettings(**changes))


def problems(call: Callable[[], object]) -> tuple[str, ...]:
    with pytest.raises(AuditInputError) as caught:
        call()
    return caught.value.problems


def problems_of(*lines: str, **changes: object) -> tuple[str, ...]:
    return problems(lambda: log_of(*lines, **changes))


def test_parse_timestamps__reads_local_time_and_finds_how_it_is_written() -> None:
    def holds(written: str, cell: str, day: str, hour: str) -> None:
        for asked in (written,) if written == "iso" else ("auto", written):
            times = parse_timestamps(pa.array([cell]), time_format=asked)
            assert (times.readable.tolist(), times.time_format) == ([True], written)
            assert times.days.astype("datetime64[D]").astype(str).tolist() == [day]
            assert times.hours.tolist() == [int(hour)]
        assert parse_timestamps(pa.array([cell])).readable.tolist() == [written == "iso"]

    holds_for_each(CASES["times"], holds)


def test_parse_timestamps__does_not_read_what_is_no_time() -> None:
    def holds(asked: str, cells: str) -> None:
        times = [cell for cell in cells.split(" | ") if parsed(cell, asked).readable.any()]
        assert times == []

    def parsed(cell: str | None, asked: str) -> object:
        return parse_timestamps(pa.array([cell], pa.string()), time_format=asked)

    holds_for_each(CASES["no times"], holds)
    assert not any(parsed(cell, "iso").readable.any() for cell in (None, ""))


def test_parse_timestamps__says_when_day_and_month_could_be_exchanged() -> None:
    assert parse_timestamps(pa.array(["03/04/2024 10:00"]), time_format="auto").is_ambiguous
    assert not parse_timestamps(pa.array(["03/04/2024", "13/04/2024"]), time_format="auto").is_ambiguous


def _told_of_time(times: list[str], header: str = "OD_ISO", **changes: object) -> list[str]:
    lines = [f"{time},u{at % 3},a" for at, time in enumerate(times)]
    log = log_of(*lines, header=f"{header},GUID,dogodek", **changes)
    found = [each for each in log.findings if each.check == "time_format"]
    return [f"{each.verdict.value}: {each.message}" for each in found]


def test_times__that_may_be_something_else_are_asked_about() -> None:
    serials = ["44560.4597", "44561.5", "44562"]
    (told,) = _told_of_time(serials)
    assert told == Saying("WARN: 3 timestamps of OD_ISO are read as days since 1900, … excel-days.")
    (told,) = _told_of_time(serials, time_format="excel-days")
    assert told == Saying("PASS: 3 timestamps …")
    (told,) = _told_of_time(["30.12.21 11:02", "31.12.21 11:02"])
    assert told == Saying("WARN: … Years of two digits are read as 1931 to 2030. Confirm it … day-first.")
    assert problems(lambda: _told_of_time(serials, header="value"))  # five digits alone are no times


def test_parse_timestamps__keeps_to_iso_where_it_reads_most() -> None:
    for cells, written, readable in (
        (["2024-01-01T10:00", None, "", "2024/01/02 10:00"], "year-first", [True, False, False, True]),
        (["2024-01-01T10:00:00Z", "20240102T10", "1.1.2024"], "iso", [True, True, False]),
    ):
        times = parse_timestamps(pa.array(cells), time_format="auto")
        assert (times.time_format, times.readable.tolist()) == (written, readable)


IN_WORDS = {
    "english and slovenian months": (["3 March 2021 10:15", "5. marec 2021 10.30"], [10, 10]),
    "halves of the day": (["Mar 5, 2021 3:15 PM", "Apr 6, 2021 12:15 AM"], [15, 0]),
    "korean": (["2021년 3월 5일 오후 3:00", "2021. 3. 6. 오전 10:00"], [15, 10]),
    "with a weekday and a zone": (["Fri, 05 Mar 2021 10:15:00 +0100", "2021-03-06 11:00+0100"], [10, 11]),
    "without signs": (["20210305151500", "20210306101500"], [15, 10]),
    "of a database": (["05-MAR-21 03.00.00.000000 PM", "16-MAR-21 10.00.00.000000 AM"], [15, 10]),
    "of an era": (["昭和33年3月12日 10:15", "昭和33年3月13日 9:00"], [10, 9]),
}


@pytest.mark.parametrize("name", IN_WORDS)
def test_parse_timestamps__reads_dates_in_words_and_of_other_calendars(name: str) -> None:
    cells, hours = IN_WORDS[name]
    times = parse_timestamps(pa.array([*cells, None]), time_format="auto")
    assert (times.readable.tolist(), times.hours.tolist()) == ([True, True, False], [*hours, 0])
    assert not parse_timestamps(pa.array(cells[:1]), time_format="day-first").readable.any()


def test_parse_timestamps__reads_years_that_can_only_be_those_of_another_calendar() -> None:
    cells = [f"{day:02d}/03/2564 15:10" for day in range(1, 31)]
    times = parse_timestamps(pa.array(cells), time_format="auto")
    assert times.days.tolist() == [18_686 + day for day in range(1, 31)]  # from 1 March 2021 on


@pytest.mark.parametrize("cells", [["May be", "3 people"], ["March", "5. marec"], ["2021", "31 Feb 2021"]])
def test_parse_timestamps__words_that_are_no_day_are_not_readable(cells: list[str]) -> None:
    assert not parse_timestamps(pa.array(cells), time_format="auto").readable.any()


def test_parse_timestamps__counts_zones_and_dates_without_time() -> None:
    cells = [["2024-01-01T10:00Z", "2024-01-01T10:00+01:00"], ["2024-01-01", "?"]]
    times = parse_timestamps(pa.chunked_array(cells))
    assert times.n_by_zone == {"Z": 1, "+01:00": 1, "": 1}
    assert times.n_without_time == 1


def test_calendar__agrees_with_the_standard_library_at_every_turn_of_a_year() -> None:
    days = [date(year, 12, 25) + timedelta(n) for year in range(1, 9998, 7) for n in range(14)]
    numbers = np.array([day.toordinal() - date(1970, 1, 1).toordinal() for day in days])
    zeros = np.zeros(len(days), dtype=np.int64)
    of = Calendar(days=numbers, hour=zeros, second=zeros)
    expected = np.array([(*day.isocalendar(), day.year, day.month, day.day) for day in days])
    found = [of.iso_year, of.week_number, of.weekday + 1, of.year, of.month, of.day]
    assert (np.column_stack(found) == expected).all()


def test_derived_column__cuts_the_day_as_published() -> None:
    def holds(hour: str, period: str, half: str, block: str, wide_block: str) -> None:
        log = log_of(f"2024-01-06T{hour:0>2}:59:59;u;A.FALL_DETECTED")
        names = ("time_period", "half_day", "quantized_hour")
        assert [derived_column(log, name).labels for name in names] == [(period,), (half,), (block,)]
        wide = log_of(f"2024-01-06T{hour:0>2}:00;u;A.FALL_DETECTED", hour_block=5)
        assert derived_column(wide, "quantized_hour").labels == (wide_block,)

    holds_for_each(CASES["hours"], holds)


def test_derived_column__gives_every_column_of_an_event() -> None:
    log = log_of("2027-01-01T18:30:00+01:00;u;PENDANT.FALL_DETECTED")
    values = """generalized_event fall_detected  year 2027  month 1  day 1  hour 18  iso_year 2026
        week_number 53  weekday 4  workday_weekend workday  event PENDANT.FALL_DETECTED  quarter 1
        day_night evening_night  any any""".split()
    expected = {name: (value,) for name, value in zip(values[::2], values[1::2], strict=True)}
    assert {name: derived_column(log, name).labels for name in expected} == expected


def test_derived_column__orders_numbers_as_numbers_and_weekends_after_workdays() -> None:
    log = log_of("2024-03-09;u;A", "2024-01-02;u;B", "2023-10-02;u;C")
    assert derived_column(log, "week_number").labels == ("1", "10", "40")
    assert derived_column(log, "workday_weekend").labels == ("workday", "weekend")
    assert derived_column(log, "workday_weekend").codes.tolist() == [1, 0, 0]


def test_level_column__writes_coarser_values_unlike_finer_ones_and_says_them_in_words() -> None:
    log = log_of("2024-03-09T10:00;u;A.FALL_DETECTED")
    assert level_column(log, "week_number", "week_number").labels == ("10",)
    assert level_column(log, "week_number", "month").labels == ("month_3",)
    assert level_column(log, "weekday", "workday_weekend").labels == ("weekend",)
    assert level_column(log, "event", "generalized_event").labels == ("generalized_event_fall_detected",)
    shown = {case.columns: shown_value(*case.columns[:2]) for case in CASES["shown"]}
    assert shown == {columns: columns[2] for columns in shown}


def test_read_event_log__trims_users_and_events_and_ignores_other_columns() -> None:
    lines = ("2024-01-01; u ;A.FALL_DETECTED;x", "2024-01-02;u; A.FALL_DETECTED;y")
    log = log_of(*lines, header=f"{HEADER};note")
    assert (log.users, log.events) == (("u",), ("A.FALL_DETECTED",))
    data = b"\xef\xbb\xbfOD_ISO;GUID;dogodek\r\n2024-01-01T10:00;u;A.FALL_DETECTED\r\n"
    log = read_event_log(read_dataset(data, name="log.csv"), EventSettings())
    assert (log.n_events, log.users) == (1, ("u",))


def test_read_event_log__says_where_the_file_cannot_be_read() -> None:
    assert problems_of("2024-01-01;u;x", header="when;GUID;what") == (
        Saying("log.csv has no column OD_ISO (time_column), dogodek (event_column); it has …"),
    )
    lines = ["2024-01-01;u;A", "never;u;A", "2024-01-01;;A", "2024-01-01;u;", *["later;u;A"] * 6]
    assert problems_of(*lines) == (
        Saying("log.csv: 7 of 10 records have no ISO 8601 date and time in … 3, 6, 7, 8, 9 and …"),
        Saying("log.csv: 1 of 10 records have no user in GUID (line 4). …"),
        Saying("log.csv: 1 of 10 records have no event in dogodek (line 5). …"),
    )
    (said,) = problems_of("never;u;A", "x;u;A", leave_out_unreadable=True)
    assert says(said, "log.csv: none of 2 records has a user, an event and a readable time")
    chosen = {"columns": ("weekday", "minute", "dogodek"), "flatten": "weekday"}
    (said,) = problems_of("2024-01-01T10:00;u1;A;north", header=f"{HEADER};ward", **chosen)
    assert says(said, "columns must be one of generalized_event, year, month, day, ")


def test_read_event_log__goes_on_without_unreadable_records_when_agreed() -> None:
    log = log_of("2024-01-01T10:00;u;A.FALL_DETECTED", "never;v;A.FALL_DETECTED", leave_out_unreadable=True)
    assert (log.n_events, log.n_events_in_file, log.n_users) == (1, 2, 1)
    (said,) = log.findings
    assert (said.check, said.verdict) == ("unreadable_records", Verdict.WARN)
    assert says(said.message, "1 of 2 records…1 with no ISO 8601 date and time in OD_ISO.")


def test_read_event_log__notes_what_is_odd() -> None:
    times = ("2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z", "2024-01-01T10:00:00+01:00")
    log = log_of(*(f"{time};u;A.FALL_DETECTED" for time in times), "2022-01-03;u;STRANGE")
    assert {finding.check: finding.message for finding in log.findings} == {
        "dates_without_time": Saying("1 of 4 timestamps are a date without a time; …"),
        "mixed_time_zones": Saying("3 timestamps are in UTC or without a zone, the others with one. …"),
        "duplicate_records": Saying("1 of 4 records repeat the time, user and event of another. …"),
        "unmapped_events": Saying("1 of 4 events, of 1 kind, are not in the event mapping … other_event."),
        "weeks_of_several_years": Saying("The log spans 3 ISO years, and week_number puts the same week …"),
    }
    assert log.unmapped == {"STRANGE": 1}
    for columns in (("week_number", "iso_year"), ("weekday",)):  # years are kept apart, or not told
        lines = [f"{day}T10:00;u;A.FALL_DETECTED" for day in ("2024-01-01", "2022-01-03")]
        assert log_of(*lines, columns=columns, flatten=columns[0]).findings == ()


def test_event_mapping__classifies_by_name_then_by_the_part_after_a_dot() -> None:
    mapping = EventMapping((("A.B", "whole"), ("B", "suffix"), ("C.D", "two"), ("D", "last")))
    classes = {"A.B": "whole", "X.B": "suffix", "B": "suffix", "X.C.D": "two", "X.Y.D": "last", "Z": None}
    assert {event: mapping.classify(event) for event in classes} == classes


def test_read_event_mapping__reads_what_was_written_and_semicolons_and_blank_lines(tmp_path: Path) -> None:
    for write in (mapping_csv, mapping_json):
        path = tmp_path / "mapping"
        path.write_bytes(b"\xef\xbb\xbf" + write(BUILT_IN_MAPPING))
        assert read_event_mapping(path) == BUILT_IN_MAPPING
    assert read_event_mapping(b"event;class\n\n A ; a\nB;b\nA;a\n").pairs == (("A", "a"), ("B", "b"))
    assert event_mapping([("A", "a"), ("", "")]).classes == ("a",)


def test_read_event_mapping__says_what_is_wrong() -> None:
    def holds(data: str | bytes, *pieces: str) -> None:
        found = problems(lambda: read_event_mapping(data.encode() if isinstance(data, str) else data))
        assert len(found) == len(pieces)
        assert all(map(says, found, pieces)), found

    holds_for_each(CASES["mappings"], holds)
    columns = "as CSV has two columns, event and class, and a header line"
    both = ("line 1 names an event or a class, not both", "line 3 gives an event a second class")
    odd = [(b"", columns), (b"\xff\xfe\x00", "is not UTF-8 text"), ("event,class\nA,\nB,b\nB,c\n", *both)]
    holds_for_each(odd, holds)


def test_settings__refuse_what_cannot_be_meant() -> None:
    def holds(written: str | dict[str, object], pieces: str) -> None:
        given = json.loads(written) if isinstance(written, str) else written
        chosen = {name: tuple(one) if isinstance(one, list) else one for name, one in given.items()}
        (kind,) = [kind for kind in (EventSettings, Rule, ReleaseOptions) if chosen_for(kind, chosen)]
        found = problems(lambda: kind(**chosen))
        assert any(says(problem, pieces) for problem in found), found

    holds_for_each(CASES["settings"], holds)
    left_out = {"leave_out": ("power",), "mapping": EventMapping((("A", "a"),))}
    holds(left_out, "leave_out must be one of a, other_event, measurement_event, ")
    assert len(problems(lambda: Rule(cap=0, max_rows_unique_share=2.0))) == 2


def test_prepare_stages__refuses_a_value_that_looks_like_any() -> None:
    log = log_of("2024-01-01;u;any", columns=("event",), flatten="event")
    (said,) = problems(lambda: prepare_stages(log, ("event:any",)))
    assert says(said, "A value of event is written like one of its coarser values (any")


def test_derived_column__may_be_one_of_the_log() -> None:
    lines = [f"2024-01-01T10:00;u{n};A;{ward}" for n, ward in enumerate((" north ", "", "north"))]
    log = log_of(*lines, header=f"{HEADER};ward", columns=("ward",), flatten="ward")
    ward = derived_column(log, "ward")
    assert [ward.labels[code] for code in ward.codes] == ["north", "", "north"]
    stages = prepare_stages(log, ("ward:any",))
    assert (stages.labels, stages.n_stages) == ((("", "north", "any"),), 2)
    assert prepare_stages(log, ("auto",)).steps == ("ward:any",)


def table(names: str, rows: list[str], **options: object) -> Dataset:
    return read_dataset("\n".join([names, *rows]).encode(), name="log.csv", options=ReadOptions(**options))


def found(dataset: Dataset, **settings: object) -> tuple[str, str, str]:
    chosen = with_found_columns(dataset, EventSettings(**settings))
    return chosen.time_column, chosen.user_column, chosen.event_column


ROWS = [
    f"{n};2024-01-{1 + n % 28:02d} 10:00;{36 + n % 3}.5;ward "
    f"{n % 4};p{n % 17};{('vpis', 'izpis', 'pregled')[n % 3]}"
    for n in range(120)
]


def test_with_found_columns__goes_by_names_and_values() -> None:
    holds_for_each(CASES["headers"], lambda header, *names: _same(found(table(header, ROWS)), names))
    rows = [";".join(row.split(";")[position] for position in (1, 4, 5)) for row in ROWS]
    assert found(table("a;b;c", rows)) == ("a", "b", "c")
    assert found(table("a;b;c", [";".join(reversed(row.split(";"))) for row in rows])) == ("c", "b", "a")


def _same(one: object, other: object) -> None:
    assert one == other


def test_with_found_columns__kinds_are_of_events_where_another_column_has_fewer() -> None:
    kinds = ("prihod", "odhod", "padec", "spanje", "obisk")
    rows = [f"2024-01-{1 + n % 28:02d} 10:00;p{n % 17};{kinds[n % 5]};{'AB'[n % 2]}" for n in range(120)]
    for header in ("čas;oskrbovanec;vrsta;enota", "시각;어르신;종류;동", "at;resident;type;unit"):
        assert found(table(header, rows)) == tuple(header.split(";")[:3])


def test_with_found_columns__two_values_are_a_property_where_another_column_fits() -> None:
    for header, n_kinds in (("at;who;wing;code", 10), ("at;resident;wing;signal", 60)):
        cells = [(n, n * n % 97, "AB"[n % 2], n % n_kinds) for n in range(1000)]
        rows = [f"2024-01-{1 + n % 28:02d} 10:00;p{who};{wing};kind {kind}" for n, who, wing, kind in cells]
        time, user, wing, kind = header.split(";")
        assert found(table(header, rows)) == (time, user, kind)
        without = [row.rpartition(";")[0] for row in rows]
        assert found(table(header.rpartition(";")[0], without)) == (time, user, wing)


def test_with_found_columns__keeps_what_is_there_and_what_was_given() -> None:
    log = table("nr;OD_ISO;temp;ward;GUID;what", ROWS)
    settings = with_found_columns(log, EventSettings())
    assert (settings.user_column, settings.event_column) == ("GUID", "what")
    assert settings.found_columns == ("event_column",)
    given = with_found_columns(log, EventSettings(event_column="absent"), given=["event_column"])
    assert given.event_column == "absent"
    again = with_found_columns(dataset("2024-01-01;a;b"), EventSettings(user_column="who"))
    assert (again.user_column, again.found_columns) == ("GUID", ())


def test_with_found_columns__leaves_a_table_without_times_or_people_alone() -> None:
    tables = [("a;b;c", ["x;y;z", "u;v;w"]), ("when", ["2024-01-01"])]
    tables += [("when;what", ["2024-01-01;x", "2024-01-02;y"])]
    tables += [("who;2024-01-01;2024-01-02", ["ana;x;y", "bor;y;x"])]  # wide, and no missing header
    assert {found(table(*each)) for each in tables} == {("OD_ISO", "GUID", "dogodek")}


def test_with_found_columns__tells_of_a_missing_header_without_a_cell() -> None:
    rows = [row.partition(";")[2] for row in ROWS]
    said = "\n".join(problems(lambda: with_found_columns(table(rows[0], rows[1:]), EventSettings())))
    assert "no header line" in said
    assert "p0" not in said
    assert found(table(rows[0], rows[1:], header="none")) == ("Column 1", "Column 4", "Column 5")


def test_audit_events__asks_to_confirm_columns_and_times_that_were_found() -> None:
    lines = [f"{1_700_000_000 + n};{user};X.FALL_DETECTED" for n in range(3) for user in "ab"]
    log = table("ts;who;dogodek", lines)

    def audited(**changes: object) -> dict[str, Verdict]:
        settings = with_found_columns(log, EventSettings(**changes))
        names = ("time_column", "user_column", "event_column", "time_format", "found_columns")
        made = audit(log=log, **{name: getattr(settings, name) for name in names})
        return {finding.check: finding.verdict for finding in made.findings}

    open_ones = audited()
    assert (open_ones["columns_found"], open_ones["time_format"]) == (Verdict.WARN, Verdict.WARN)
    confirmed = audited(time_column="ts", user_column="who", time_format="epoch-seconds")
    assert "columns_found" not in confirmed
    assert confirmed["time_format"] is Verdict.PASS


DAYS = [f"2024-01-{8 + n:02d}T{n % 3 * 8:02d}:00;u{n};X.FALL_DETECTED" for n in range(6)]


def test_suggest_settings__finds_what_keeps_most() -> None:
    log, rule = dataset(*DAYS), Rule(k=3)
    asked = EventSettings()
    assert anonymize_events(measure_events(log, asked), rule).reduced.n_events == 0
    found = suggest_settings(log, asked, rule)
    assert (found.n_tried, found.n_ways, len(found.best)) == (36, 36, 3)
    best = found.best[0]
    kept = anonymize_events(measure_events(log, best.settings), rule).reduced
    assert (best.n_events, best.n_users) == (kept.n_events, kept.n_users) == (6, 6)
    assert [each.lost_share for each in found.best] == sorted(each.lost_share for each in found.best)
    assert 0 < best.lost_share < 1


def test_suggest_settings__counts_a_column_left_out_as_lost_and_nothing_where_nothing_is() -> None:
    same = [f"2024-01-08T10:00;{user};X.FALL_DETECTED" for user in "abc"]
    assert suggest_settings(dataset(*same), EventSettings(), Rule(k=3)).best[0].lost_share == 0
    settings = EventSettings(columns=("generalized_event", "day"), flatten="day")
    days = [f"2024-01-{8 + n:02d}T10:00;u{n};X.FALL_DETECTED" for n in range(4)]
    found = suggest_settings(dataset(*days), settings, Rule(k=4))
    assert {each.lost_share for each in found.best} == {0.5}


def test_suggest_settings__says_when_nothing_reaches_k() -> None:
    found = suggest_settings(dataset(*DAYS), EventSettings(), Rule(k=50))
    assert found.best == ()
    assert suggestion_lines(found)[-1] == "None of them reaches k with anything left. Choose a smaller k."


def test_suggest_settings__is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_EVENTS_LOOKED_AT", 60)
    assert suggest_settings(dataset(*DAYS), EventSettings(), Rule(k=3)).n_tried == 10


def test_suggest_settings__never_releases_the_attribute_to_protect() -> None:
    settings = EventSettings(columns=("generalized_event", "week_number"), sensitive="month")
    found = suggest_settings(dataset(*DAYS), settings, Rule(k=2))
    assert all("month" not in each.settings.columns for each in found.best)


def test_suggested_mapping__keeps_common_kinds_and_joins_rare_ones() -> None:
    lines = [f"2024-01-08T10:00;u{n};lunch" for n in range(4)]
    lines += [f"2024-01-08T10:00;u{n};walk {n % 2}" for n in range(4)]
    lines += ["2024-01-08T10:00;u0;999", "2024-01-08T10:00;u0;bath"]
    log, rule = dataset(*lines), Rule(k=3)
    mapping = suggested_mapping(measure_events(log, EventSettings()).log, 3)
    assert dict(mapping.pairs) == {
        "lunch": "lunch",
        "walk 0": "walk",
        "walk 1": "walk",
        "999": "other_event",
        "bath": "other_event",
    }
    found = suggest_settings(log, EventSettings(), rule)
    assert found.best[0].settings.mapping == mapping
    assert (
        suggestion_lines(found)[-1] == "With an event mapping that fits the log; --suggest --json prints it."
    )
    kept = anonymize_events(measure_events(log, found.best[0].settings), rule)
    assert found.best[0].lost_share > kept.reduced.penalty_share  # 2 of 5 kinds are merged, twice
    document = suggestions_document(found)
    assert document["suggestions"][0]["mapping"]["lunch"] == "lunch"


def test_suggest_settings__leaves_a_mapping_that_fits_alone() -> None:
    found = suggest_settings(dataset(*DAYS), EventSettings(), Rule(k=2))
    assert found.best[0].settings.mapping == EventSettings().mapping
    assert "mapping" not in suggestion_lines(found)[-1]
