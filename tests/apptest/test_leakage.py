"""The leakage page as a visitor meets it."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import leakage
from core.processes.jobs import Progress
from pages.measure.leakage_parts import work as leakage_work

PAGE = "pages/measure/leakage.py"
ORIGINAL = b"id,age,sex,score\n1,30,f,5\n2,41,m,-999\n3,52,f,7\n4,63,m,-999\n"
SCRAMBLED = b"id,age,sex,score\n1,52,f,5\n2,30,f,-999\n3,63,m,2\n4,41,f,1\n"

Open = Callable[[str], AppTest]


def upload(app: AppTest, role: str, data: bytes, name: str) -> AppTest:
    widget = next(found for found in app.file_uploader if found.key.startswith(f"leakage_{role}_upload"))
    return widget.upload(name, data, "text/csv").run()


def both(app: AppTest, original: bytes = ORIGINAL, scrambled: bytes = SCRAMBLED) -> AppTest:
    app = upload(app, "original", original, "original.csv")
    return upload(app, "scrambled", scrambled, "scrambled.csv")


def figure(app: AppTest, label: str) -> str:
    return next(metric.value.replace("\xa0", " ") for metric in app.metric if metric.label == label)


def text(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.header, *app.subheader])


def test_page__says_what_to_upload_and_offers_demos(open_page: Open) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert app.title[0].value == "Row leakage"
    assert "Upload the **original** table" in text(app)
    assert {"leakage_demo_leaking", "leakage_demo_safe", "leakage_demo_reversed"} <= {
        button.key for button in app.button
    }


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("demo", "words", "full", "n_charts"),
    [
        ("leaking", r"30 of 600 unique rows of the original are still in the scrambled table\.", "3.0 %", 5),
        ("safe", r"No more of the original rows is left than chance gives\.", "0 %", 4),
        ("reversed", r"600 of 600 unique rows of the original are still in the scrambled table\.", "0 %", 4),
    ],
)
def test_demo__shows_its_verdict(open_page: Open, demo: str, words: str, full: str, n_charts: int) -> None:
    app = open_page(PAGE)
    app.button(key=f"leakage_demo_{demo}").click().run()
    assert not app.exception
    assert words in text(app)
    assert figure(app, "Full leakage") == full
    assert len(app.get("vega_lite_chart")) == n_charts


@pytest.mark.slow
def test_page__compares_two_uploads(open_page: Open) -> None:
    app = both(open_page(PAGE))
    assert not app.exception
    assert figure(app, "Average matching cells per row") == "1.75"
    app.multiselect(key=next(w.key for w in app.multiselect if "ignore_columns" in w.key)).select("id").run()
    assert figure(app, "Average matching cells per row") == "0.75"
    app.multiselect(key="leakage_ignore_values").set_value(["-999"]).run()
    assert figure(app, "Average matching cells per row") == "0.50"
    assert "Ignored values\\: \\-999\\." in text(app)


def people(n: int, *, prefix: str, shift: int) -> bytes:
    rows = [f"{prefix}{n * n + number},{number % 7},{(number + shift) % 5}" for number in range(n)]
    return "\n".join(["code,age,score", *rows]).encode()


@pytest.mark.slow
def test_page__new_pseudonyms_are_proposed_to_be_left_out(open_page: Open) -> None:
    app = both(open_page(PAGE), people(60, prefix="p", shift=0), people(60, prefix="q", shift=0))
    assert not app.exception
    assert "`code` never repeats and matches nowhere" in text(app)
    assert figure(app, "Full leakage") == "0 %"
    app.button(key="leakage_leave_out").click().run()
    assert not app.exception
    assert "never repeats" not in text(app)
    assert figure(app, "Full leakage") == "100 %"


def test_page__numbers_with_noise_are_not_proposed_to_be_left_out(open_page: Open) -> None:
    tables = ["\n".join(["height,age", *(f"{n + noise},{n % 5}" for n in range(60))]) for noise in (0.1, 0.2)]
    app = both(open_page(PAGE), *(table.encode() for table in tables))
    assert not app.exception
    assert "never repeats" not in text(app)


@pytest.mark.slow
def test_page__few_leaked_rows_are_listed(open_page: Open) -> None:
    original = "\n".join(["a,b,c", *(f"{n},{n * 7 % 5000},{n * 3}" for n in range(5000))])
    kept = {10, 2_000, 4_999}
    scrambled = "\n".join(
        [
            "a,b,c",
            *(
                line if n in kept else f"x{n},y{n % 50},z{n % 7}"
                for n, line in enumerate(original.splitlines()[1:])
            ),
        ]
    )
    app = both(open_page(PAGE), original.encode(), scrambled.encode())
    assert "3 of 5,000 original rows are still there in full" in text(app).replace("\\", "").replace(
        "\xa0", " "
    )
    listed = next(frame.value for frame in app.dataframe if "Still there" in frame.value.columns)
    assert listed["Row"].tolist() == [11, 2_001, 5_000]


@pytest.mark.slow
def test_page__keys_pair_rows_and_thresholds_judge_again(open_page: Open) -> None:
    app = both(open_page(PAGE), ORIGINAL, ORIGINAL)
    assert figure(app, "Full leakage") == "100 %"
    app.slider(key="leakage_max_full").set_value(5.0).run()
    assert "FAIL" in next(metric.delta for metric in app.metric if metric.label == "Full leakage")
    app.selectbox(key=next(w.key for w in app.selectbox if "leakage_key" in w.key)).set_value("id").run()
    assert "Rows are paired by the key column" in text(app)


def test_page__different_lengths_are_said_and_the_rest_is_shown(open_page: Open) -> None:
    app = both(open_page(PAGE), scrambled=b"id,age,sex,score\n9,1,x,1\n")
    assert not app.exception
    assert figure(app, "Full leakage") == "not assessed"
    assert "rows cannot be compared by position" in text(app)
    assert figure(app, "Whole rows found anywhere") == "0"


def test_page__another_length_is_judged_by_what_needs_no_order(open_page: Open) -> None:
    rows = people(60, prefix="p", shift=0).decode().splitlines()
    app = both(open_page(PAGE), "\n".join(rows).encode(), "\n".join([rows[0], *rows[:10:-1]]).encode())
    assert not app.exception
    assert any(part.value.startswith("- ") and "by position" in part.value for part in app.markdown)
    assert next(metric.label for metric in app.metric) == "Unique whole rows found"
    assert figure(app, "Unique whole rows found") == "50"
    (shown,) = [frame.value for frame in app.dataframe if "Still there" in frame.value.columns]
    assert set(shown["Still there"]) == {"elsewhere"}
    assert len(shown) == 50


def test_page__bad_input_is_one_sentence(open_page: Open) -> None:
    app = both(open_page(PAGE), scrambled=b"x,y\n1,2\n3,4\n")
    assert not app.exception
    assert app.error[0].value.replace("\\", "").replace("\xa0", " ") == (
        "original.csv and scrambled.csv have no column name in common; rows can only be compared over "
        "columns of the same name."
    )


@pytest.mark.slow
def test_page__a_second_upload_replaces_the_first(open_page: Open) -> None:
    app = both(open_page(PAGE))
    app = upload(app, "scrambled", ORIGINAL, "again.csv")
    assert figure(app, "Full leakage") == "100 %"
    assert "scrambled\\.csv" not in text(app)


@pytest.mark.slow
def test_page__input_survives_a_page_switch(open_page: Open) -> None:
    app = both(open_page(PAGE))
    app.switch_page("pages/start/home.py").run()
    app.switch_page(PAGE).run()
    assert figure(app, "Average matching cells per row") == "1.75"


@pytest.mark.slow
def test_page__ignored_columns_and_row_order_survive_a_page_switch(open_page: Open) -> None:
    app = both(open_page(PAGE))
    ignored = next(found for found in app.multiselect if found.key.startswith("leakage_ignore_columns"))
    ignored.set_value(["score"]).run()
    order = next(found for found in app.selectbox if found.key.startswith("leakage_key"))
    order.set_value("id").run()
    before = figure(app, "Average matching cells per row")
    app.switch_page("pages/start/home.py").run()
    app.switch_page(PAGE).run()
    assert not app.exception
    ignored = next(found for found in app.multiselect if found.key.startswith("leakage_ignore_columns"))
    order = next(found for found in app.selectbox if found.key.startswith("leakage_key"))
    assert (ignored.value, order.value) == (["score"], "id")
    assert figure(app, "Average matching cells per row") == before


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", ["original.csv", "copy.csv"])
def test_page__one_file_may_stand_in_two_places(open_page: Open, name: str) -> None:
    app = upload(open_page(PAGE), "original", ORIGINAL, "original.csv")
    app = upload(app, "scrambled", ORIGINAL, name)
    assert not app.exception
    assert figure(app, "Full leakage") == "100 %"
    app = upload(app, "holdout", ORIGINAL, name)
    assert not app.exception
    assert "so it is no hold" in app.error[0].value
    remove = next(found for found in app.button if found.key.startswith("leakage_holdout_remove"))
    remove.click().run()
    assert not app.exception
    assert figure(app, "Full leakage") == "100 %"
    assert not app.warning


def test_page__shows_attacks_and_what_was_found_elsewhere(open_page: Open) -> None:
    app = both(open_page(PAGE))
    labels = {metric.label for metric in app.metric}
    assert {
        "Rows that point at one person",
        "Linkage of two halves",
        "Inference of a column, at most",
    } <= labels
    assert "Attacks" in [tab.label for tab in app.tabs]


@pytest.mark.slow
def test_page__shows_cells_of_a_row_on_demand_only(open_page: Open) -> None:
    app = both(open_page(PAGE))
    assert all("Original" not in frame.value.columns for frame in app.dataframe)
    app.toggle(key="leakage_reveal").set_value(True).run()
    shown = next(frame.value for frame in app.dataframe if "Original" in frame.value.columns)
    assert shown["Original"].tolist() == ["1", "30", "f", "5"]


@pytest.mark.slow
def test_page__a_large_pair_has_a_verdict_at_once_and_the_rest_comes_by_itself(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leakage_work, "_MOST_CELLS_AT_ONCE", 0)
    begun, go_on = [], threading.Event()
    measure_leakage = leakage.measure_leakage

    def wait(*given: Any, progress: Progress, **named: Any) -> object:
        progress.report(50, 100)
        begun.append(given)
        assert go_on.wait(60)
        return measure_leakage(*given, progress=progress, **named)

    monkeypatch.setattr(leakage, "measure_leakage", wait)
    app = both(open_page(PAGE))
    assert not app.exception
    assert figure(app, "Average matching cells per row") == "1.75"
    assert len(begun) == 1
    assert "leakage_start" not in {button.key for button in app.button}
    assert "No whole row is left beyond chance\\. Rows that are nearly the same are still" in text(app)
    assert "st-key-verdict_NOT_ASSESSED" in str([style.value for style in app.html])
    go_on.set()
    for _ in range(300):
        if len(app.get("vega_lite_chart")) == 4:
            break
        time.sleep(0.1)
        app.run()
    assert figure(app, "Whole rows found anywhere") == "0"
    assert len(app.get("vega_lite_chart")) == 4
    app.multiselect(key="leakage_ignore_values").set_value(["-999"]).run()
    assert "Settings changed" in app.warning[0].value
    assert any("outdated_" in style.value for style in app.html)
    assert figure(app, "Average matching cells per row") == "1.75"
    app.multiselect(key="leakage_ignore_values").set_value([]).run()
    assert not app.warning


@pytest.mark.slow
def test_page__a_large_pair_fails_at_once_where_whole_rows_are_left(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leakage_work, "_MOST_CELLS_AT_ONCE", 0)
    go_on = threading.Event()
    monkeypatch.setattr(leakage, "measure_leakage", lambda *_, **__: go_on.wait(60) and None)
    app = open_page(PAGE)
    app.button(key="leakage_demo_leaking").click().run()
    assert r"30 of 600 unique rows of the original are still in the scrambled table\." in text(app)
    assert "Do next" in text(app)
    go_on.set()


@pytest.mark.slow
def test_page__says_above_all_that_the_holdout_of_a_large_pair_is_none(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leakage_work, "_MOST_CELLS_AT_ONCE", 0)
    original, scrambled = (
        "".join(f"{n * by % 197},{n * by % 91},{n % 13}\n" for n in range(200)) for by in (37, 53)
    )
    header = "a,b,c\n"
    app = both(open_page(PAGE), (header + original).encode(), (header + scrambled).encode())
    app = upload(app, "holdout", (header + original).encode(), "again.csv")
    assert r"of the hold\-out again" in app.error[0].value
    assert not app.metric
