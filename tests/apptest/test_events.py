"""The event-log anonymizer as a visitor meets it."""

import csv
import io
import time

import pytest
from streamlit.testing.v1 import AppTest

from core.demo import demo_file
from tests.kinds import Open
from tests.saying import Saying

PAGE = "pages/anonymize/events.py"
HEADER = "OD_ISO;GUID;dogodek"
# Each user shares Monday or Tuesday with another, and each pair of days is one user's.
TRIANGLE = """2024-01-08T10:00;a;X.FALL_DETECTED 2024-01-09T10:00;a;X.FALL_DETECTED
    2024-01-08T10:00;b;X.FALL_DETECTED 2024-01-14T10:00;b;X.FALL_DETECTED
    2024-01-09T10:00;c;X.FALL_DETECTED 2024-01-14T10:00;c;X.FALL_DETECTED""".split()


UNMAPPED = [f"2024-01-{8 + n // 2 % 2:02d} 10:00,p{n},{'vpis' if n % 2 else 'izpis'}" for n in range(12)]


def upload(app: AppTest, *lines: str, header: str = HEADER, name: str = "log.csv") -> AppTest:
    uploader = next(found for found in app.file_uploader if found.label == "Event log")
    return uploader.upload(name, "\n".join([header, *lines]).encode(), "text/csv").run()


def plain(text: str) -> str:
    return text.replace("\\", "").replace("\xa0", " ").replace("`", "")


def figures(app: AppTest) -> dict[str, str]:
    return {plain(metric.label): plain(metric.value) for metric in app.metric}


def headline(app: AppTest) -> str:
    return plain(app.header[0].value)


def problems(app: AppTest) -> list[str]:
    return [plain(error.value) for error in app.error]


def said_in(app: AppTest) -> str:
    return plain(" ".join(element.value for element in app.markdown))


def buttons(app: AppTest) -> list[str]:
    return [button.key for button in app.button]


def upload_mapping(app: AppTest, name: str, data: bytes) -> None:
    uploader = next(found for found in app.file_uploader if found.label == "Event mapping")
    uploader.upload(name, data, "text/csv").run()


@pytest.fixture
def triangle(open_page: Open) -> AppTest:
    app = upload(open_page(PAGE), *TRIANGLE)
    return app.slider(key="events_k").set_value(2).run()


def apply_settings(app: AppTest) -> AppTest:
    return next(button for button in app.button if button.label == "Apply settings").click().run()


def test_events__says_what_to_upload(open_page: Open) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert app.title[0].value == "Event-log anonymizer"
    assert any("when, who and what; any column names" in element.value for element in app.markdown)
    assert not app.metric


def test_events__shows_the_demo_with_both_verdicts_four_figures_and_the_way_of_the_events(
    open_page: Open,
) -> None:
    app = open_page(PAGE)
    app.button(key="events_demo_alarms").click().run()
    assert not app.exception
    n_events = len(list(csv.reader(io.StringIO(demo_file("events", "demo_alarm_log.csv").data.decode())))) - 1
    assert n_events == 9000
    assert headline(app) == Saying("Each line looks like at least 5 users, but … for 100 % of users.")
    assert list(figures(app).items())[:2] == [
        ("Users of the smallest combination", "5"),
        ("Events kept", "4,924"),
    ]
    assert list(figures(app))[2:4] == ["Singled out by known events", "Whole traces that fewer than k share"]
    offered = {download.key.removeprefix("download_events_") for download in app.get("download_button")}
    assert offered >= {"anonymized_events.csv", "event_removal_report.csv", "html"}
    way = "Of 9,000 events in the log, 3,003 kept as they are, 1,921 kept without week_number, 162 removed, "
    assert f"{way}3,914 cleaned away." in said_in(app).replace("`", "").replace("\\", "")


@pytest.mark.slow
def test_events__asks_which_columns_a_table_without_times_means_and_nothing_else(open_page: Open) -> None:
    lines = [f"2024-01-0{day}T10:00;{user};X.FALL_DETECTED;7" for day in range(1, 8) for user in "abcdef"]
    app = upload(open_page(PAGE), *(f"{n};x;y" for n in range(30)), header="ward;grade;note", name="w.csv")
    assert problems(app) == []
    asked = [
        box.value for box in app.selectbox if str(box.key).startswith("events_") and "_log_" not in box.key
    ]
    assert asked == [None, None, None]
    assert "Settings" not in [drawer.label for drawer in app.expander]
    use = next(button for button in app.button if button.label == "Use these columns")
    use.click().run()
    assert problems(app) == ["Choose three different columns."]
    app = upload(open_page(PAGE), *lines, header="a;b;c;d")
    assert "Settings" in [drawer.label for drawer in app.expander]  # found by their values
    assert app.button(key="events_confirm").label == "Confirm: a, b, c"
    assert "events_confirm" not in buttons(app.button(key="events_confirm").click().run())


@pytest.mark.slow
def test_events__answers_k_strategy_and_pseudonyms_at_once(open_page: Open) -> None:
    app = upload(open_page(PAGE), *TRIANGLE)
    assert problems(app) == [Saying("k is 5, above the 3 users with an event after cleanup (of 3 in …")]
    app.slider(key="events_k").set_value(2).run()
    assert problems(app) == []
    assert figures(app)["Events kept"] == "6"
    assert figures(app)["Singled out by known events"] == "100 %"
    app.segmented_control(key="events_scope").set_value("event").run()
    assert figures(app)["Singled out by known events"] == "0 %"
    app.slider(key="events_k").set_value(3).run()
    app.segmented_control(key="events_strategy").set_value("remove-users").run()
    assert not app.exception
    nothing = figures(app)
    assert (nothing["Events kept"], nothing["Users of the smallest combination"]) == ("0", "not assessed")
    assert headline(app) == Saying("Nothing is left … k = 3.")


@pytest.mark.slow
def test_events__takes_settings_only_when_applied_and_as_they_can_be_meant(open_page: Open) -> None:
    app = upload(open_page(PAGE), *TRIANGLE, "2024-01-08T10:00;d;X.BATTERY_EMPTY")
    app.slider(key="events_k").set_value(2).run()
    app.selectbox(key="events_flatten").set_value("month")
    apply_settings(app)
    told = "“Flatten column” must be one of generalized_event, week_number, weekday, time_period"
    assert problems(app) == [f"{told}, received month."]
    assert (figures(app)["Users kept"], figures(app)["Events kept"]) == ("3", "6")
    next(each for each in app.multiselect if each.key.startswith("events_leave_out_")).set_value([])
    app.multiselect(key="events_columns").set_value(["weekday"])
    app.selectbox(key="events_flatten").set_value("weekday")
    apply_settings(app)
    assert problems(app) == []
    assert (figures(app)["Users kept"], figures(app)["Events kept"]) == ("4", "7")


@pytest.mark.slow
def test_events__names_columns_and_lines_that_are_wrong_and_goes_on_when_told(open_page: Open) -> None:
    app = upload(open_page(PAGE), *TRIANGLE, header="when;who;what")
    app.slider(key="events_k").set_value(2).run()
    assert problems(app) == []
    assert figures(app)["Events kept"] == "6"
    found = "the audit took when as time and who as user and what as event"
    assert found in said_in(app)
    assert "events_confirm" in buttons(app)
    apply_settings(app)
    assert found not in said_in(app)
    app.run()
    assert "events_confirm" not in buttons(app)
    assert figures(app)["Events kept"] == "6"
    app = upload(app, *TRIANGLE, "never;d;X.FALL_DETECTED", header="when;who;what", name="second.csv")
    assert problems(app)[0] == Saying("second.csv: 1 of 7 records have no ISO 8601 date and time in … 8). …")
    app.checkbox(key="events_leave_out_unreadable").set_value(True)
    apply_settings(app)
    assert problems(app) == []
    assert figures(app)["Events kept"] == "6"


@pytest.mark.slow
def test_events__reads_another_mapping_and_says_what_is_wrong_with_one(triangle: AppTest) -> None:
    app = triangle
    upload_mapping(app, "mapping.csv", b"event,class\nFALL_DETECTED,tumble\n")
    assert not app.exception
    preview = next(table.value for table in app.dataframe if "generalized_event" in table.value.columns)
    assert set(preview["generalized_event"]) == {"tumble"}
    same_file = "\n".join([HEADER, *TRIANGLE]).encode()
    for name, data in (("broken.csv", b"a,b,c\n1,2,3\n"), ("log.csv", same_file)):
        upload_mapping(app, name, data)
        assert not app.exception
        assert problems(app) == [Saying("The event mapping as CSV has two columns, event and class, …")]
        assert figures(app)["Events kept"] == "6"


@pytest.mark.slow
def test_events__keeps_log_and_settings_over_a_page_switch_and_replaces_a_log(triangle: AppTest) -> None:
    app = triangle
    app.switch_page("pages/start/home.py").run()
    app.switch_page(PAGE).run()
    assert figures(app)["Events kept"] == "6"
    app = upload(app, *TRIANGLE[:4], name="log.csv")
    assert not app.exception
    assert figures(app)["Events kept"] == "2"


def test_events__offers_a_new_pseudonym_for_each_event_where_linked_ones_tell(triangle: AppTest) -> None:
    app = triangle
    assert "events_unlink" in buttons(app)
    app.button(key="events_unlink").click().run()
    assert not app.exception
    assert app.segmented_control(key="events_scope").value == "event"
    assert "events_unlink" not in buttons(app)


@pytest.mark.slow
def test_events__draws_new_pseudonyms_only_when_asked(triangle: AppTest) -> None:
    app = triangle

    def names() -> set[str]:
        tables = [table.value for table in app.dataframe if "week_number" in table.value.columns]
        return set(tables[0]["GUID"])

    first = names()
    app.run()
    assert names() == first
    app.number_input(key="events_limit").set_value(20.0).run()
    assert "(limit for two: 20.0 %)" in said_in(app)
    assert names() == first  # a limit judges, it does not change the export
    app.button(key="events_new_pseudonyms").click().run()
    assert names().isdisjoint(first)
    app.number_input(key="events_seed").set_value(1).run()
    seeded = names()
    app.button(key="events_new_pseudonyms").click().run()
    assert names() == seeded
    app.checkbox(key="events_keep_ids").check().run()
    assert names() == {"a", "b", "c"}


def test_events__says_that_a_file_has_no_header_line_without_repeating_a_cell(open_page: Open) -> None:
    app = upload(open_page(PAGE), *TRIANGLE[1:], header=TRIANGLE[0])
    assert not app.exception
    (problem,) = problems(app)
    assert problem.startswith("log.csv: a time stands where a column name belongs")
    assert "FALL" not in problem


def test_events__caps_rows_at_once(open_page: Open) -> None:
    app = upload(open_page(PAGE), *TRIANGLE, *[TRIANGLE[0]] * 4)
    app.slider(key="events_k").set_value(2).run()
    assert figures(app)["Singled out by the number of rows"] == "33.3 %"
    app.number_input(key="events_cap").set_value(1).run()
    assert not app.exception
    assert figures(app)["Singled out by the number of rows"] == "0 %"
    assert figures(app)["Events kept"] == "6"


@pytest.mark.slow
def test_events__suggests_settings_and_uses_one(open_page: Open) -> None:
    app = upload(open_page(PAGE), *UNMAPPED, header="when,who,what")
    app.button(key="events_without_classes").click().run()
    app.slider(key="events_k").set_value(3).run()
    assert headline(app).startswith("What happened is not assessed: ")
    app = _suggested(app.button(key="events_suggest_start").click().run())
    assert not app.exception
    app.slider(key="events_k").set_value(2).run()
    assert app.warning[0].value.startswith("Settings changed")
    app.slider(key="events_k").set_value(3).run()
    assert not app.warning
    table = next(frame.value for frame in app.dataframe if "Contributing columns" in frame.value.columns)
    app.button(key="events_use_suggestion_1").click().run()
    assert not app.exception
    assert ", ".join(app.multiselect(key="events_columns").value) == table["Contributing columns"].iloc[0]
    assert figures(app)["Events kept"] == f"{table['Events kept'].iloc[0]}"
    assert "not assessed" not in headline(app)


def _suggested(app: AppTest) -> AppTest:
    for _ in range(300):
        if not any(button.key == "events_suggest_stop" for button in app.button):
            return app
        time.sleep(0.1)
        app.run()
    raise AssertionError("the search did not end")


def test_events__keeps_kinds_without_a_class_as_they_are_and_asks_nothing_before_the_verdict(
    open_page: Open,
) -> None:
    app = upload(open_page(PAGE), *UNMAPPED, header="when,who,what")
    assert not app.exception
    assert problems(app) == []
    assert "2 kinds of events without a class" in [each.label for each in app.expander]
    assert app.button(key="events_use_classes").disabled
    assert app.multiselect(key="events_columns").value[0] == "event"
    app.slider(key="events_k").set_value(3).run()
    assert problems(app) == []
    assert "not assessed" not in headline(app)
    assert figures(app)["Events kept"] == "12"
    app.button(key="events_without_classes").click().run()
    assert app.multiselect(key="events_columns").value[0] == "generalized_event"
    assert not [each for each in app.button if each.key == "events_use_classes"]


@pytest.mark.slow
def test_events__takes_classes_given_to_kinds(open_page: Open) -> None:
    app = upload(open_page(PAGE), *UNMAPPED, header="when,who,what")
    editor = next(each.key for each in app.data_editor if each.key.startswith("events_kinds_"))
    edited = {0: {"event_class": "leaving"}, 1: {"event_class": "coming"}}
    app.session_state[editor] = {"edited_rows": edited, "added_rows": [], "deleted_rows": []}
    app.run()
    app.button(key="events_use_classes").click().run()
    assert not app.exception
    app.slider(key="events_k").set_value(3).run()
    preview = next(table.value for table in app.dataframe if "generalized_event" in table.value.columns)
    assert set(preview["generalized_event"]) == {"leaving", "coming"}


def test_earlier_export__is_told_of_with_who_came(open_page: Open) -> None:
    users = [f"2024-01-08T10:00;u{n};X.FALL_DETECTED" for n in range(12)]
    app = upload(open_page(PAGE), *users)
    assert headline(app).startswith("k = 5 is reached")
    earlier = ["100000;fall_detected;2;0;daytime" for n in range(11)]
    export = "\n".join(
        ["GUID;generalized_event;week_number;weekday;time_period"]
        + [line.replace("100000", f"p{n}") for n, line in enumerate(earlier)]
    )
    uploader = next(found for found in app.file_uploader if found.label.startswith("Tables of earlier"))
    uploader.upload("earlier.csv", export.encode(), "text/csv").run()
    assert headline(app).startswith("Whoever has an earlier export too")
    assert "its difference to anonymized_events.csv leaves 1 of 1 newcomers" in said_in(app)
