"""Columns found by their values, and times as people and programs write them."""

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.events import (
    EventSettings,
    ReleaseOptions,
    Rule,
    anonymize_events,
    audit_events,
    measure_events,
    suggest_settings,
    suggested_mapping,
)
from core.events import result as search
from core.events.column_finding import with_found_columns
from core.events.result import suggestion_lines, suggestions_document
from core.events.timestamps import parse_timestamps
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict


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


@pytest.mark.parametrize(
    "header",
    [
        "nr;when;temperature;ward;who;what",
        "nr;timestamp;temp;ward;patient_id;activity",
        "št;čas;temp;oddelek;pacient;dogodek",
        "번호;시간;체온;병동;환자번호;이벤트",
        "id;time:timestamp;temp;ward;case:concept:name;concept:name",
    ],
)
def test_with_found_columns__goes_by_names_and_values(header: str) -> None:
    names = header.split(";")
    assert found(table(header, ROWS)) == (names[1], names[4], names[5])


def test_with_found_columns__goes_by_values_alone() -> None:
    rows = [";".join(row.split(";")[position] for position in (1, 4, 5)) for row in ROWS]
    assert found(table("a;b;c", rows)) == ("a", "b", "c")
    assert found(table("a;b;c", [";".join(reversed(row.split(";"))) for row in rows])) == ("c", "b", "a")


@pytest.mark.parametrize(
    "header", ["čas;oskrbovanec;vrsta;enota", "시각;어르신;종류;동", "at;resident;type;unit"]
)
def test_with_found_columns__kinds_are_of_events_where_another_column_has_fewer(header: str) -> None:
    kinds = ("prihod", "odhod", "padec", "spanje", "obisk")
    rows = [f"2024-01-{1 + n % 28:02d} 10:00;p{n % 17};{kinds[n % 5]};{'AB'[n % 2]}" for n in range(120)]
    assert found(table(header, rows)) == tuple(header.split(";")[:3])


@pytest.mark.parametrize(("header", "n_kinds"), [("at;who;wing;code", 10), ("at;resident;wing;signal", 60)])
def test_with_found_columns__two_values_are_a_property_where_another_column_fits(
    header: str, n_kinds: int
) -> None:
    rows = [
        f"2024-01-{1 + n % 28:02d} 10:00;p{n * n % 97};{'AB'[n % 2]};kind {n % n_kinds}" for n in range(1000)
    ]
    time, user, wing, kind = header.split(";")
    assert found(table(header, rows)) == (time, user, kind)
    without = [row.rpartition(";")[0] for row in rows]
    assert found(table(header.rpartition(";")[0], without)) == (time, user, wing)


def test_with_found_columns__keeps_what_is_there_and_what_was_given() -> None:
    dataset = table("nr;OD_ISO;temp;ward;GUID;what", ROWS)
    settings = with_found_columns(dataset, EventSettings())
    assert (settings.user_column, settings.event_column) == ("GUID", "what")
    assert settings.found_columns == ("event_column",)
    given = with_found_columns(dataset, EventSettings(event_column="absent"), given=["event_column"])
    assert given.event_column == "absent"
    again = with_found_columns(
        table("OD_ISO;GUID;dogodek", ["2024-01-01;a;b"]), EventSettings(user_column="who")
    )
    assert (again.user_column, again.found_columns) == ("GUID", ())


def test_with_found_columns__leaves_a_table_without_times_or_people_alone() -> None:
    assert found(table("a;b;c", ["x;y;z", "u;v;w"])) == ("OD_ISO", "GUID", "dogodek")
    assert found(table("when;what", ["2024-01-01;x", "2024-01-02;y"])) == ("OD_ISO", "GUID", "dogodek")
    assert found(table("when", ["2024-01-01"])) == ("OD_ISO", "GUID", "dogodek")


def test_with_found_columns__tells_of_a_missing_header_without_a_cell() -> None:
    rows = [row.partition(";")[2] for row in ROWS]
    with pytest.raises(AuditInputError) as caught:
        with_found_columns(table(rows[0], rows[1:]), EventSettings())
    assert "no header line" in str(caught.value)
    assert "p0" not in str(caught.value)
    assert found(table(rows[0], rows[1:], header="none")) == ("Column 1", "Column 4", "Column 5")
    wide = table("who;2024-01-01;2024-01-02", ["ana;x;y", "bor;y;x"])
    assert found(wide) == ("OD_ISO", "GUID", "dogodek")


def test_audit_events__asks_to_confirm_columns_and_times_that_were_found() -> None:
    dataset = table(
        "ts;who;dogodek", [f"{1_700_000_000 + n};{user};X.FALL_DETECTED" for n in range(3) for user in "ab"]
    )

    def audited(**changes: object) -> dict[str, Verdict]:
        settings = with_found_columns(dataset, EventSettings(**changes))
        made = audit_events(
            dataset,
            settings=settings,
            rule=Rule(k=2),
            options=ReleaseOptions(),
            token_source=np.random.default_rng(1).bytes,
        )
        return {finding.check: finding.verdict for finding in made.findings}

    open_ones = audited()
    assert (open_ones["columns_found"], open_ones["time_format"]) == (Verdict.WARN, Verdict.WARN)
    confirmed = audited(time_column="ts", user_column="who", time_format="epoch-seconds")
    assert "columns_found" not in confirmed
    assert confirmed["time_format"] is Verdict.PASS


@pytest.mark.parametrize(
    ("cells", "time_format", "days", "hours"),
    [
        (["22.11.2026 14:05", "1. 2. 2026 7:05:09"], "day-first", ["2026-11-22", "2026-02-01"], [14, 7]),
        (["22/11/2026, 14:05", "22-11-2026 14.05"], "day-first", ["2026-11-22"] * 2, [14, 14]),
        (["2014/10/22", "2014/10/22 3:05"], "year-first", ["2014-10-22"] * 2, [0, 3]),
        (["11/22/2026 12:05 AM", "11/22/2026 1:05 p.m."], "month-first", ["2026-11-22"] * 2, [0, 13]),
        (["1700000000", "1700000001.5"], "epoch-seconds", ["2023-11-14"] * 2, [22, 22]),
        (["1700000000123"], "epoch-milliseconds", ["2023-11-14"], [22]),
    ],
)
def test_parse_timestamps__finds_how_times_are_written(
    cells: list[str], time_format: str, days: list[str], hours: list[int]
) -> None:
    for asked in ("auto", time_format):
        times = parse_timestamps(pa.array(cells), time_format=asked)
        assert times.readable.all()
        assert times.time_format == time_format
        assert times.days.astype("datetime64[D]").astype(str).tolist() == days
        assert times.hours.tolist() == hours
    assert not parse_timestamps(pa.array(cells)).readable.any()


def test_parse_timestamps__says_when_day_and_month_could_be_exchanged() -> None:
    assert parse_timestamps(pa.array(["03/04/2024 10:00"]), time_format="auto").is_ambiguous
    assert not parse_timestamps(pa.array(["03/04/2024", "13/04/2024"]), time_format="auto").is_ambiguous


@pytest.mark.parametrize(
    "cell", ["31.2.2024 10:00", "1.1.24 10:00", "13:00 PM", "1/1/2024 13:00 PM", "17000000", "x"]
)
def test_parse_timestamps__does_not_read_what_is_no_time(cell: str) -> None:
    assert not parse_timestamps(pa.array([cell]), time_format="auto").readable.any()


def test_parse_timestamps__keeps_to_iso_where_it_reads_most() -> None:
    times = parse_timestamps(pa.array(["2024-01-01T10:00", None, "", "2024/01/02 10:00"]), time_format="auto")
    assert (times.time_format, times.readable.tolist()) == ("year-first", [True, False, False, True])
    times = parse_timestamps(
        pa.array(["2024-01-01T10:00:00Z", "20240102T10", "1.1.2024"]), time_format="auto"
    )
    assert (times.time_format, times.readable.tolist()) == ("iso", [True, True, False])


def dataset(*lines: str) -> Dataset:
    return read_dataset("\n".join(["OD_ISO;GUID;dogodek", *lines]).encode(), name="log.csv")


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
