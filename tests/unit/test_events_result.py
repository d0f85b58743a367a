"""Tables, charts and the report of the event-log anonymizer, on logs countable by hand."""

from datetime import UTC, datetime

import pandas as pd
import pytest

from core.demo import EVENTS as DEMOS
from core.events import EventAudit, compare_strategies, export_files, release_zip, strategy_curve
from core.events.charts import cross_chart, cross_table_after, cross_table_before, size_histogram
from core.events.report import events_report
from core.events.result import (
    class_rows,
    events_result,
    recommended_way,
    risk_figures,
    scopes_table,
    told_in_headline,
    ways_table,
)
from core.events.stages import NUMBERS
from core.measures import MEASURES
from core.reports import InputFacts, Report, render
from core.result import Drawing, Figure, Note, Table
from core.tables import read_dataset
from core.verdict import Verdict
from tests import events_examples
from tests.cases.table import says
from tests.checked_charts import checked

MONDAY, TUESDAY, NEXT_MONDAY = "2024-01-08T10:00", "2024-01-09T10:00", "2024-01-15T10:00"
LOG = (
    *(f"{MONDAY};{user};X.FALL_DETECTED" for user in "abc"),
    f"{NEXT_MONDAY};a;X.FALL_DETECTED",
    f"{NEXT_MONDAY};b;X.FALL_DETECTED",
    f"{TUESDAY};c;X.NOT_MOVING",
    f"{TUESDAY};d;X.BATTERY_EMPTY",
    f"{TUESDAY};a;X.DOOR",
)


def audit(*lines: str, **chosen: object) -> EventAudit:
    return events_examples.audit(*(lines or LOG), **chosen)


def report(found: EventAudit, **changes: object) -> Report:
    facts = InputFacts(role="log", name="log.csv", n_bytes=1, sha256="0" * 64)
    outcomes = compare_strategies(found.measured, k=found.anonymized.rule.k)
    settings = {"inputs": [facts], "outcomes": outcomes, "created_at": datetime(2026, 1, 2, tzinfo=UTC)}
    return events_report(found, **(settings | changes))


def rows(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(frame.itertuples(index=False, name=None))


def table(found: EventAudit, name: str) -> Table:
    parts = [part for group in events_result(found).groups for part in group.parts]
    return next(part for part in parts if isinstance(part, Table) and part.key == name)


def headline(found: EventAudit) -> str:
    return events_result(found).headline


def test_stages__count_users_and_events_from_the_log_to_the_export() -> None:
    assert table(audit(k=3), "stages").cells() == [
        ("In the log", 4, 8),
        ("After cleanup", 3, 7),
        ("Kept as they are", 3, 3),
        ("Kept flattened", 0, 0),
        ("Removed", 3, 4),
    ]


def test_classes__account_for_every_event() -> None:
    classes = class_rows(audit().anonymized)
    assert classes == [
        ("fall_detected", 5, 0, 5, 0, 0),
        ("fall_idle", 1, 0, 0, 0, 1),
        ("other_event", 1, 0, 0, 0, 1),
        ("power_event", 1, 1, 0, 0, 0),
    ]
    assert all(sum(outcomes) == events for _, events, *outcomes in classes)


def test_steps__say_what_each_leaves_below_k_and_costs() -> None:
    steps = ("week_number:month", "week_number:any")
    found = audit(*LOG[:5], f"{MONDAY};d;X.FALL_DETECTED", k=3, flatten_steps=steps)
    assert table(found, "steps").cells() == [
        ("As it is", 2, 4, 2 / 6),
        ("week_number → month", 2, 4, 2 / 6),
        ("week_number → any", 2, 4, 2 / 6),
        ("Raise 4 settled events", 0, 6, 1 / 4),
        ("Removal", 0, 6, 1 / 4),
        ("Single-level flattening and removal instead", 0, 4, 2 / 6),
    ]
    single = table(audit(*LOG[:5], k=3), "steps").cells()
    assert [row[0] for row in single] == ["As it is", "week_number → any", "Removal"]


def test_ways__have_a_row_each() -> None:
    found = audit(k=3)
    rows = ways_table(found, compare_strategies(found.measured, k=3)).cells()
    assert [row[3:5] for row in rows] == [(3, 3 / 7), (0, 0.0), (5, 5 / 7), (0, 0.0)]
    way = recommended_way(compare_strategies(found.measured, k=3))
    assert says(way, "k = 3, multi-level flattening and removal of events…5 events of 3 users.")


def test_traces__show_both_shares_and_how_they_were_found() -> None:
    known, *_, how = zip(*table(audit(), "traces").cells(), strict=True)
    assert known == ("1", "1", "2", "2", "3", "3", "4", "4", "whole trace", "whole trace")
    assert set(how) == {"exact"}
    nothing = audit(*LOG[:1], f"{TUESDAY};b;X.NOT_MOVING", strategy="remove-users")
    *_, after, _, _, how = zip(*table(nothing, "traces").cells(), strict=True)
    assert set(how) == {"not assessed"}
    assert set(after) == {None}


def test_scopes_and_diversity__have_a_row_each() -> None:
    found = audit(sensitive="hour")
    assert [row[:2] for row in scopes_table({"user": found.traces_after}).cells()] == [("user", 3)]
    assert table(found, "diversity").cells() == [("hour", 2, 2, 0, 1.0, 1.0, 0.0)]


def test_unmapped__names_most_frequent_first() -> None:
    found = audit(*LOG, f"{MONDAY};a;Y.WINDOW", f"{MONDAY};b;Y.WINDOW")
    assert table(found, "unmapped").cells() == [("Y.WINDOW", 2), ("X.DOOR", 1)]
    assert events_result(audit(*LOG[:5])).group("unmapped").parts == ()


def of_many(*rare: str, **chosen: object) -> EventAudit:
    usual = [f"{MONDAY};u{user};X.{kind}" for user in range(9) for kind in ("FALL_DETECTED", "NOT_MOVING")]
    return audit(*usual, *rare, **{"k": 5} | chosen)


def test_report__names_nothing_that_few_users_have() -> None:
    unknown = of_many(f"{MONDAY};u1;HIV_TEST", f"{MONDAY};u2;HIV_TEST")
    left_out = of_many(*(f"{MONDAY};u{user};X.BATTERY_EMPTY" for user in (1, 2)))
    removed = of_many(*(f"{TUESDAY};u{user};X.FALL_DETECTED" for user in (1, 2)), flatten="time_period")
    for found, hidden in ((unknown, "HIV_TEST"), (unknown, "other_event"), (left_out, "power_event")):
        said = [str(cell) for part in report_tables(found) for row in part.cells() for cell in row]
        assert hidden not in said
        assert hidden in [str(row[0]) for key in ("classes", "unmapped") for row in shown(found, key)]
    assert [row[1:] for row in shown(removed, "classes")] == [(11, 0, 9, 0, 2), (9, 0, 9, 0, 0)]
    (together,) = next(part for part in report_tables(removed) if part.key == "classes").cells()
    assert together[1:] == (None, 0, 18, 0, None)  # without the other class what is removed would follow


def test_report__names_what_many_users_have() -> None:
    found = of_many(*(f"{MONDAY};u{user};{kind}" for user in range(6) for kind in ("DOOR", "WINDOW", "LIFT")))
    tables = {part.key: part.cells() for part in report_tables(found)}
    assert [row[0] for row in tables["unmapped"]] == ["DOOR", "LIFT", "WINDOW"]
    assert tables["classes"][0][:2] == ("other_event", 18)
    some = of_many(
        *(f"{MONDAY};u{user};{kind}" for user in range(6) for kind in ("DOOR", "LIFT")),
        *(f"{MONDAY};u{user};RARE" for user in (3, 4)),
    )
    named = next(part for part in report_tables(some) if part.key == "unmapped").cells()
    assert [(str(row[0]), row[1]) for row in named] == [
        ("LIFT", 6),
        ("Several together, some of few users", 8),
    ]


def report_tables(found: EventAudit) -> list[Table]:
    parts = [part for group in events_result(found).groups for part in group.parts]
    return [part for part in parts if isinstance(part, Table) and part.where != "page"]


def shown(found: EventAudit, key: str) -> list[tuple[object, ...]]:
    """Return what the page shows, to whom has the log."""
    if key == "classes":
        return class_rows(found.anonymized)
    return table(found, key).cells() if found.measured.log.unmapped else []


def test_cross_tables__count_before_and_after_in_words() -> None:
    found = audit(*LOG[:5], f"{TUESDAY};a;X.FALL_DETECTED", "2024-01-16T10:00;b;X.FALL_DETECTED")
    before = cross_table_before(found.measured, "week_number", "weekday")
    cells = [("2", "Mon", 3), ("2", "Tue", 1), ("3", "Mon", 2), ("3", "Tue", 1)]
    assert rows(before[["x", "y", "n_events"]]) == cells
    after = cross_table_after(found.anonymized, "week_number", "weekday")
    assert after is not None
    assert rows(after[["x", "y", "n_events"]]) == [("2", "Mon", 3), ("3", "Mon", 2), ("any week", "Tue", 2)]
    assert cross_table_after(found.anonymized, "week_number", "hour") is None
    chart = cross_chart(after, x_title="Week", y_title="Weekday")
    angle = checked(chart)["layer"][0]["encoding"]["x"]["axis"]["labelAngle"]
    assert angle == {"expr": "width < 174 ? -40 : 0"}


def test_size_histogram__counts_events_by_users_sharing_their_combination() -> None:
    for before, expected in ((True, ([1, 2, 3], [2, 2, 3])), (False, ([2, 3], [2, 3]))):
        sizes, events = size_histogram(audit().anonymized, before=before)
        assert (sizes.tolist(), events.tolist()) == expected


def test_charts__leave_out_what_has_no_event() -> None:
    nothing = audit(*LOG[:1], f"{TUESDAY};b;X.NOT_MOVING", strategy="remove-users")
    result = events_result(nothing)
    assert [part.title for part in result.group("combinations").parts if isinstance(part, Drawing)] == [
        "Users sharing each combination, before flattening"
    ]
    notes = [part.words for part in result.group("heat_maps").parts if isinstance(part, Note)]
    assert notes == [
        "Week and time period are not both in the export.",
        "Weekday and event class are not both in the export.",
    ]
    assert len(result.group("heat_maps").parts) == 4
    assert render(report(nothing), "json")


def test_cross_chart__writes_figures_only_where_cells_have_room() -> None:
    days = pd.date_range("2024-01-01", periods=20, freq="7D")
    many = audit(*(f"{day:%Y-%m-%d}T10:00;{user};X.FALL_DETECTED" for day in days for user in "ab"))
    table = cross_table_before(many.measured, "week_number", "time_period")
    chart = cross_chart(table, x_title="Week", y_title="Time period")
    few = cross_chart(table[table["x_order"] < 3], x_title="Week", y_title="Time period")
    figures = [checked(each)["layer"][1]["mark"]["opacity"]["expr"] for each in (chart, few)]
    assert figures == ["width < 180 ? 0 : 1", "width < 27 ? 0 : 1"]


def test_headline__says_what_k_reached() -> None:
    assert says(headline(audit()), "The number of rows alone singles out 33.3 % of users. …2 is ")
    apart = headline(audit(pseudonym_per="event"))
    assert says(apart, "k = 2 is reached in every exported combination; two known events…0 % of users.")
    assert says(headline(audit(k=3, strategy="remove-users")), "Nothing is left…k = 3.")


def test_told_in_headline__is_what_singles_out_most_of_what_is_as_grave() -> None:
    found = audit(k=2)
    shares = {each.check: (each.verdict, each.n_affected or 0) for each in found.findings}
    told = shares[told_in_headline(found)]
    linked = ("row_numbers", "row_multisets", "row_sequences", "trace_risk", "whole_trace")
    assert told == max(shares[check] for check in linked if shares[check][0] is found.overall)
    assert told_in_headline(audit(k=2, pseudonym_per="event")) == ""


@pytest.mark.slow
def test_report__holds_both_verdicts_every_figure_and_no_user() -> None:
    found = audit(*(line.replace(";a;", ";ana@example.org;") for line in LOG), sensitive="hour")
    made = report(found, outcomes=strategy_curve(found.measured, ks=(2, 3)))
    assert made.verdict is found.overall
    assert made.verdicts == {
        "Published rule (k)": Verdict.PASS,
        "Traces": found.trace_verdict,
        "Whole traces": found.whole_trace_verdict,
        "Counts and order": Verdict.FAIL,
    }
    assert {figure.measure for figure in made.figures} <= set(MEASURES)
    keys = "stages classes steps strategies traces rows diversity unmapped"
    assert [table.key for table in made.tables if table.key] == keys.split()
    assert made.tables[-1].name == "Proof"
    assert len(made.tables[3].cells()) == 4
    assert "Events kept for every k" in [chart.title for chart in made.charts]
    for format_ in ("html", "xlsx", "csv", "json"):
        assert b"ana@example.org" not in render(made, format_)
    assert b"k = 2 is reached" in render(made, "html")


@pytest.mark.slow
def test_report__of_nothing_left_can_be_written() -> None:
    made = report(audit(k=3, strategy="remove-users"))
    assert made.verdict is Verdict.NOT_ASSESSED
    assert "Events kept for every k" not in [chart.title for chart in made.charts]
    assert b"Nothing is left to release" in render(made, "html")


def test_figures__name_the_limit_that_was_set() -> None:
    for limit, threshold in ((None, "four: 0 %, at most 5.0 %"), (0.25, "at most 25.0 %")):
        figures = risk_figures(audit(max_trace_unique_share=limit))
        assert [each.threshold for each in figures if each.measure == "trace_unique_share"] == [threshold]


def test_page__shows_first_what_a_release_is_chosen_by_and_what_the_headline_tells() -> None:
    result = events_result(audit(k=2))
    shown = result.in_order([part for part in result.parts("page") if isinstance(part, Figure)])
    first = ["smallest_combination", "events_after", "trace_unique_share", "number_unique_share"]
    assert [figure.measure for figure in shown][:4] == first
    assert shown[-1].measure == "whole_log_penalty_share"


def test_preview__shows_the_first_rows_of_the_export() -> None:
    preview = table(audit(), "preview")
    names = ["GUID", "generalized_event", "week_number", "weekday", "time_period"]
    assert [column.key for column in preview.columns] == names
    assert [row[1:] for row in preview.cells()][:2] == [("fall_detected", "W02", "Monday", "daytime")] * 2
    assert preview.note == ""
    assert table(audit(any_value="100"), "preview").note == NUMBERS
    days = [f'2024-01-{day:02d}T10:00;{user};"x;{day}"' for day in range(1, 31) for user in "ab"]
    long = table(audit(*days, columns=("event", "weekday"), flatten="weekday"), "preview").cells()
    assert len(long) == 50
    assert long[0][1] == "x;1"


def test_export_files__have_names_of_their_own_and_go_into_one_archive() -> None:
    release = audit().release
    files = export_files(release, with_user_mapping=True)
    names = ["anonymized_events.csv", "event_removal_report.csv", "user_mapping.csv"]
    assert [file.name for file in files] == names
    assert files[0].unique_name.startswith("anonymized_events_")
    assert release_zip(release, with_user_mapping=False) == release_zip(release, with_user_mapping=False)


def test_demo__shows_what_k_does_not_cover() -> None:
    (demo,) = DEMOS
    (file,) = demo.make()["log"]
    found = events_examples.audit(log=read_dataset(file.data, name=file.name), k=5)
    assert (found.verdict, found.trace_verdict) == (Verdict.PASS, Verdict.WARN)
    assert says(
        headline(found),
        "Each line looks like at least 5 users, but all of one user's lines are shared by",
    )
