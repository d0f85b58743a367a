"""The disclosure-risk page as a visitor meets it."""

import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
import streamlit as st
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from core import risk
from core.demo import RISK as DEMOS
from core.demo import Demo
from core.processes.jobs import Progress
from core.reports import NO_BROWSER, browser
from core.risk import RiskMeasurement, measure_risk
from core.tables import Dataset
from pages.components.navigation import HOME
from pages.measure.risk_parts import what_if
from tests.kinds import Open, Patch
from tests.risk_examples import PEOPLE

PAGE = "pages/measure/risk.py"
TABLE = PEOPLE.encode()


def _upload(app: AppTest, data: bytes = TABLE, *, name: str = "people.csv", at: int = 0) -> AppTest:
    return _went(app.file_uploader[at].set_value([(name, data, "text/csv")]))


def _went(element: Any) -> AppTest:
    """Run the page after something was set or clicked; it must not raise."""
    app = element.run()
    assert not app.exception
    return app


def _confirmed(app: AppTest) -> AppTest:
    (confirm,) = [button for button in app.button if button.label == "Confirm the roles"]
    return _went(confirm.click())


def _plain(words: str) -> str:
    return words.translate({ord("\\"): None, ord("\u2060"): None, ord("`"): None, ord("\xa0"): " "})


def _metrics(app: AppTest) -> dict[str, str]:
    return {_plain(metric.label): _plain(metric.value) for metric in app.metric}


def _k(app: AppTest) -> str:
    return _metrics(app)["Smallest group size (k)"]


def _texts(app: AppTest) -> str:
    found = [*app.markdown, *app.header, *app.caption, *app.info, *app.error]
    return _plain(" ".join(text.value for text in found))


def _frame(app: AppTest, column: str) -> pd.DataFrame:
    (frame,) = [each.value for each in app.dataframe if column in each.value.columns]
    return frame


def _number(app: AppTest, label: str) -> Any:
    (found,) = [each for each in app.number_input if each.label == label]
    return found


def test_empty__says_what_to_upload_and_offers_demos(open_page: Open) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert "Upload **one table** of people" in _texts(app)
    assert {f"risk_demo_{demo.key}" for demo in DEMOS} <= {button.key for button in app.button}
    assert not app.metric


@pytest.mark.slow
def test_upload__is_measured_once_by_the_suggested_roles_until_they_are_confirmed(
    open_page: Open, monkeypatch: Patch
) -> None:
    measured = []

    def measure(dataset: Dataset, **given: object) -> RiskMeasurement:
        measured.append(given)
        return measure_risk(dataset, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(risk, "measure_risk", measure)
    app = _upload(open_page(PAGE))
    assert len(measured) == 1
    metrics = _metrics(app)
    assert (_k(app), metrics["Records at risk"]) == ("1", "100 %")
    assert metrics["Unique records in the table"] == "16.7 %"
    told = _texts(app)
    assert "Nobody chose the quasi-identifiers" in told
    assert "Finds 1 of 6 records (16.7 %) for certain: it is alone in a group." in told
    assert "Not assessed without a table of the population or its size: Journalist, Marketer." in told
    app = _confirmed(app)
    assert ("Nobody chose" in _texts(app), _k(app)) == (False, "1")
    app = _went(app.switch_page(HOME).run().switch_page(PAGE))  # the page keeps files and confirmed roles
    assert ("Nobody chose" in _texts(app), _k(app)) == (False, "1")
    app = _upload(app, b"age,sex,disease\n" + b"30,F,flu\n30,F,cold\n" * 3, name="other.csv")
    assert _k(app) == "6"  # a second upload replaces the first


def test_k__judges_at_once_and_marks_its_preset(open_page: Open) -> None:
    app = _upload(open_page(PAGE))

    def marked() -> list[str]:
        presets = [button for button in app.button if (button.key or "").startswith("risk_preset_")]
        return [button.label for button in presets if button.proto.type == "primary"]

    assert marked() == ["5"]
    app = _went(app.slider(key="risk_k").set_value(3))
    assert (_metrics(app)["Records at risk"], marked()) == ("50.0 %", ["3"])
    assert "3 of 6 persons (50.0 %) share " in _texts(app)
    app = _went(app.slider(key="risk_k").set_value(4))
    assert marked() == []
    app = _went(app.button(key="risk_preset_11").click())
    assert (app.slider(key="risk_k").value, marked()) == (11, ["11"])


def test_limits__are_judged(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app.slider(key="risk_entropy_l").set_value(1.5)
    app.slider(key="risk_average").set_value(0.4)
    app.number_input(key="risk_beta").set_value(0.5)
    app.number_input(key="risk_delta").set_value(0.1)
    told = _texts(_went(app.slider(key="risk_alpha").set_value(0.5)))
    for said in (
        "The smallest entropy ℓ of disease is 1; at least 1.500 is asked for.",
        "The average risk of a record is 0.500; at most 0.400 is asked for.",
        "the largest share α of one of them is above 0.500, at most 1.",
        "the largest relative gain β of one of them is above 0.500",
        "δ of a share to that of the whole table is above 0.100",
    ):
        assert said in told


def test_figures__of_two_sensitive_attributes_have_two_names(open_page: Open) -> None:
    rows = "30,F,flu,gout\n30,F,cold,flu\n" * 3
    app = _upload(open_page(PAGE), f"age,sex,disease,diagnosis\n{rows}".encode())
    labels = [metric.label for metric in app.metric]
    assert len(labels) == len(set(labels))
    assert "disease: Fewest sensitive values (distinct ℓ)" in labels


def test_choices__of_the_form_are_measured(open_page: Open) -> None:
    app = _upload(open_page(PAGE), b"age,sex,disease\n30,F,flu\n30,,flu\n,F,gout\n")
    app.selectbox(key="risk_missing").set_value("wildcard")
    app.number_input(key="risk_closeness").set_value(50.0)
    app.number_input(key="risk_population_size").set_value(300)
    app = _confirmed(app)
    assert _k(app) == "3"
    for said in (
        "which was taken to match every value",
        "**Marketer risk: ",
        "Only the size of the population is known",
    ):
        assert said in _texts(app)
    assert app.number_input(key="risk_closeness").value == 50.0


def test_nothing_to_suggest__asks_for_quasi_identifiers(open_page: Open) -> None:
    app = _upload(open_page(PAGE), b"q1,q2\na,b\na,c\n")
    assert "No quasi-identifier is chosen." in _texts(app)
    assert not app.metric


def test_original__is_shown_side_by_side(open_page: Open) -> None:
    released = PEOPLE.replace("50,F", "40,M").encode()
    app = _upload(open_page(PAGE), released, name="released.csv")
    app = _upload(app, name="original.csv", at=1)
    frame = _frame(app, "original.csv").set_index("Figure")
    assert frame.loc["Smallest group size (k)"].tolist() == ["3", "1"]
    assert "Precision lost in the quasi-identifiers (NCP)" in _metrics(app)


def test_population__smaller_than_the_table_is_an_error(open_page: Open) -> None:
    app = _upload(_upload(open_page(PAGE)), b"age,sex\n30,F\n", name="population.csv", at=2)
    assert (len(app.error), len(app.metric)) == (1, 0)


@pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.key)
def test_demo__shows_a_result(demo: Demo, open_page: Open) -> None:
    assert _k(_went(open_page(PAGE).button(key=f"risk_demo_{demo.key}").click())) == "1"


def test_pdf__is_made_on_click_and_says_why_it_cannot_be(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pages.components.results.browser", lambda: None)
    assert NO_BROWSER in _texts(_upload(open_page(PAGE)))
    (tmp_path / "chromium").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    (tmp_path / "chromium").chmod(0o755)
    monkeypatch.setattr("pages.components.results.browser", browser)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    app = _upload(open_page(PAGE))
    assert NO_BROWSER not in _texts(app)
    assert "Chromium did not make the PDF." in _texts(app.button(key="make_risk_pdf").click().run())


def test_worst_classes__are_masked_until_shown(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    assert _frame(app, "Size in records")["age"].tolist() == ["99", "99", "99"]
    app = _went(app.toggle(key="risk_reveal").set_value(True))
    assert _frame(app, "Size in records")["age"].tolist() == ["50", "40", "30"]


def _after_work(app: AppTest, start: str, stop: str) -> AppTest:
    app.button(key=start).click().run()
    for _ in range(300):
        if not any(button.key == stop for button in app.button):
            break
        time.sleep(0.1)
        app.run()
    assert not app.exception
    return app


def _warned(app: AppTest) -> list[str]:
    return [warning.value.split(":")[0] for warning in app.warning]


@pytest.mark.slow
def test_what_if__of_a_small_table_has_ready_cards_and_makes_the_one_chosen(open_page: Open) -> None:
    app = _went(open_page(PAGE).button(key="risk_demo_untouched").click())
    assert "risk_start" not in {button.key for button in app.button}
    assert "All groups of 5 or more, " in _texts(app)
    assert "none that does what was asked loses less" in _texts(app)
    made = {button.key: button for button in app.button if str(button.key).startswith("risk_option_")}
    assert len(made) >= 2
    offered = {each.key for each in app.get("download_button")}
    assert {"download_risk_card_0", "download_risk_card_1"} <= offered
    assert "download_risk_generalized" not in offered
    app = _went(made["risk_option_1"].click())
    assert "download_risk_generalized" in {each.key for each in app.get("download_button")}
    options = _frame(app, "Smallest group")
    assert (options["Smallest group"] >= options["k asked for"]).all()
    assert not _warned(app)


@pytest.mark.slow
def test_what_if__of_a_large_table_waits_to_be_asked_for(open_page: Open, monkeypatch: Patch) -> None:
    monkeypatch.setattr(what_if, "_MOST_CELLS_AT_ONCE", 0)
    app = _went(open_page(PAGE).button(key="risk_demo_untouched").click())
    app = _after_work(app, "risk_start", "risk_stop")
    assert "All groups of 5 or more, " in _texts(app)
    options = _frame(app, "Smallest group")
    app.slider(key="risk_k").set_value(8).run()
    assert _frame(app, "Smallest group").equals(options)
    assert _warned(app) == ["Settings changed"]


def test_what_if__stopped_at_once_offers_nothing(open_page: Open, monkeypatch: Patch) -> None:
    monkeypatch.setattr(what_if, "_MOST_CELLS_AT_ONCE", 0)
    monkeypatch.setattr(Progress, "stop_asked", True)  # as who presses the button at once
    app = _went(open_page(PAGE).button(key="risk_demo_untouched").click())
    app = _after_work(app, "risk_start", "risk_stop")
    assert "Nothing useful found yet" in _texts(app)
    offered = {*(each.key for each in app.button), *(each.key for each in app.get("download_button"))}
    assert not offered & {"risk_option_0", "download_risk_card_0", "download_risk_generalized"}


@pytest.mark.slow
def test_special_uniques__are_searched_on_demand(open_page: Open) -> None:
    app = _after_work(_upload(open_page(PAGE)), "risk_suda_start", "risk_suda_stop")
    assert "1 of 6 records has a set of up to 2 values" in _texts(app)
    assert "DIS-SUDA, the chance that a match is right, is not assessed" in _texts(app)
    (size,) = [each for each in app.number_input if each.key.startswith("risk_suda_size_")]
    size.set_value(1).run()
    assert "1 of 6 records has a set of up to 2 values" in _texts(app)
    assert _warned(app) == ["Settings changed"]


def test_groups_of_values__give_the_hierarchical_distance(open_page: Open) -> None:
    groups = b"disease,group\nflu,lung\ncold,lung\ngout,joint\n"
    app = _upload(_upload(open_page(PAGE)), groups, name="groups.csv", at=3)
    frame = pd.concat([each.value for each in app.dataframe if "disease" in each.value]).set_index("Figure")
    assert frame.index.get_loc("Distance between values") < frame.index.get_loc("Entropy ℓ")
    assert frame.loc["Distance between values", "disease"] == "hierarchical"


@pytest.mark.slow
def test_free_text__is_read_on_the_page(open_page: Open) -> None:
    notes = [f"came with pain in bed {n} and was told to rest" for n in range(30)]
    rows = [f"30,{'flu' if n % 2 else 'cold'},{note}\n" for n, note in enumerate(notes)]
    app = _upload(open_page(PAGE), ("age,disease,note\n" + "".join(rows)).encode(), name="notes.csv")
    assert "note is free text (30 cells)" in _texts(app)
    shown = _frame(app, "note")["note"]
    assert (len(shown), {*shown} & {*notes}) == (20, set())
    app = _went(app.toggle(key="risk_texts_reveal").set_value(True))
    assert {*_frame(app, "note")["note"]} <= {*notes}
    app = _went(_number(app, "Cells read").set_value(30))
    assert "A person read 30 cells of note" in _texts(app)
    app = _went(_number(app, "Cells that name somebody").set_value(1))
    assert "found somebody named in 1" in _texts(app)


def test_counts__are_audited_as_cells_once_said(open_page: Open) -> None:
    table = "region,diagnosis,n\nA,flu,20\nA,cold,2\nA,Total,22\nB,flu,30\nB,cold,12\nB,Total,42\n"
    app = _upload(open_page(PAGE), table.encode(), name="counts.csv")
    assert "n seems to count people" in _texts(app)
    assert "seems to count people" in app.header[0].value
    app = _went(app.button(key="risk_as_counts").click())
    assert "risk_as_counts" not in [button.key for button in app.button]
    assert "counts of n are from 1 to 4" in _texts(app)
    app = _went(app.slider(key="risk_counts_k").set_value(2))
    assert "No count of n that is shown is from 1 to 1" in _texts(app)


@pytest.fixture
def secrets(monkeypatch: Patch, tmp_path: Path) -> Path:
    """Return the only file of secrets that the pages know."""
    known = st.get_option
    file = tmp_path / "secrets.toml"
    monkeypatch.setattr(st, "get_option", lambda key: [str(file)] if key == "secrets.files" else known(key))
    return file


def _configured(secrets: Path, *, tables: str = '"people.parquet", "gone.parquet"') -> None:
    table = pa.table({"age": [30, 40, 50] * 20, "sex": ["f", "m"] * 30, "diagnosis": ["flu", "cold"] * 30})
    parquet.write_table(table, secrets.with_name("people.parquet"))
    secrets.write_text(f'[engines.registry]\naddress = "duckdb:{secrets.parent}"\ntables = [{tables}]\n')


def _measured(app: AppTest) -> AppTest:
    next(button for button in app.button if button.key == "risk_database_start").click()
    for _ in range(240):
        app.run()
        if any(metric.label.startswith("Smallest group") for metric in app.metric):
            assert not app.exception
            return app
        time.sleep(0.25)
    raise AssertionError([each.value for each in app.error])


def _offered(app: AppTest) -> list[str]:
    return [name for box in app.selectbox if box.key == "risk_database" for name in box.options]


@pytest.mark.slow
def test_database__measures_a_configured_table_where_it_is(secrets: Path, open_page: Open) -> None:
    assert _offered(open_page(PAGE)) == []  # where none is configured
    _configured(secrets)
    app = open_page(PAGE)
    assert _offered(app) == ["registry: people.parquet", "registry: gone.parquet"]
    app = _went(app.selectbox(key="risk_database").set_value("registry: people.parquet"))
    quasi, sensitive = app.multiselect[:2]
    assert (quasi.value, sensitive.value) == (["age", "sex"], ["diagnosis"])
    app = _measured(app)
    told = " ".join(each.value for each in [*app.markdown, *app.error, *app.warning])
    assert "FAIL" in told  # everybody of an age and a sex has one diagnosis
    assert next(each for each in app.metric if each.label.startswith("Smallest group")).value == "10"
    assert {"Attribute disclosure", "Columns", "Columns nobody chose"} <= {each.label for each in app.tabs}
    assert any("sex" in frame.value.to_string() for frame in app.dataframe), "what each column does"
    app.slider(key="risk_k").set_value(7).run()
    assert any("Settings changed" in each.value for each in app.warning)


def test_database__that_cannot_be_read_is_one_sentence(secrets: Path, open_page: Open) -> None:
    _configured(secrets)
    app = open_page(PAGE)
    app = _went(app.selectbox(key="risk_database").set_value("registry: gone.parquet"))
    (error,) = app.error
    assert "there is no such file or folder" in error.value
    assert str(secrets.parent) not in error.value


def test_database__with_a_password_in_its_address_is_not_offered(secrets: Path, open_page: Open) -> None:
    secrets.write_text('[engines.r]\naddress = "postgresql://a:geheim@host/db"\ntables = ["t"]\n')
    app = open_page(PAGE)
    assert not app.exception
    assert _offered(app) == []
    assert any("holds a password" in each.value for each in app.error)
    assert all("geheim" not in each.value for each in app.error)
