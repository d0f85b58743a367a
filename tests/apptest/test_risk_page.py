"""The disclosure-risk page as a visitor meets it."""

import time
from pathlib import Path

import pyarrow as pa
import pytest
import streamlit as st
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from core import risk
from core.demo.risk import DEMOS
from core.jobs import Progress
from core.risk import RiskMeasurement, measure_risk
from core.tables import Dataset
from pages.components.navigation import HOME
from tests.kinds import Open, Patch
from tests.risk_examples import PEOPLE

PAGE = "pages/measure/risk.py"
TABLE = PEOPLE.encode()


def _upload(app: AppTest, data: bytes = TABLE, *, name: str = "people.csv", at: int = 0) -> AppTest:
    return app.file_uploader[at].set_value([(name, data, "text/csv")]).run()


def _metrics(app: AppTest) -> dict[str, str]:
    return {
        metric.label.replace("\\", "").replace("\xa0", " "): metric.value.replace("\xa0", " ")
        for metric in app.metric
    }


def _texts(app: AppTest) -> str:
    found = [*app.markdown, *app.header, *app.caption, *app.info, *app.error]
    return " ".join(text.value for text in found).replace("\\", "").replace("\xa0", " ").replace("\u2060", "")


def test_empty__says_what_to_upload_and_offers_demos(open_page: Open) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert "Upload **one table** of people" in _texts(app)
    assert {f"risk_demo_{demo.key}" for demo in DEMOS} <= {button.key for button in app.button}
    assert not app.metric


def test_upload__measures_the_suggested_roles_and_says_so(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    assert not app.exception
    metrics = _metrics(app)
    assert metrics["Smallest class size (k)"] == "1"
    assert metrics["Records at risk"] == "100 %"
    assert metrics["Unique records in the table"] == "16.7 %"
    assert "Nobody chose the quasi-identifiers" in _texts(app)
    assert "Finds 1 of 6 records (16.7 %) for certain: it is alone in a class." in _texts(app)


def test_upload__is_measured_once(open_page: Open, monkeypatch: Patch) -> None:
    measured = []

    def measure(dataset: Dataset, **given: object) -> RiskMeasurement:
        measured.append(given)
        return measure_risk(dataset, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(risk, "measure_risk", measure)
    assert not _upload(open_page(PAGE)).exception
    assert len(measured) == 1


def test_confirming_the_roles__takes_the_warning_away(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    (confirm,) = [button for button in app.button if button.label == "Confirm the roles"]
    app = confirm.click().run()
    assert not app.exception
    assert "Nobody chose" not in _texts(app)
    assert _metrics(app)["Smallest class size (k)"] == "1"


def test_k_slider__judges_at_once(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app = app.slider(key="risk_k").set_value(3).run()
    assert _metrics(app)["Records at risk"] == "50.0 %"
    assert "3 of 6 records (50.0 %) are in classes of fewer than 3 records" in _texts(app)


def test_presets__are_marked_while_they_are_asked_for(open_page: Open) -> None:
    app = _upload(open_page(PAGE))

    def marked() -> list[str]:
        presets = [button for button in app.button if (button.key or "").startswith("risk_preset_")]
        return [button.label for button in presets if button.proto.type == "primary"]

    assert marked() == ["5"]
    app = app.slider(key="risk_k").set_value(4).run()
    assert marked() == []
    app = app.button(key="risk_preset_11").click().run()
    assert marked() == ["11"]
    assert app.slider(key="risk_k").value == 11


def test_intruders__not_assessed_are_one_line(open_page: Open) -> None:
    told = _texts(_upload(open_page(PAGE)))
    assert "Not assessed without a table of the population or its size: Journalist, Marketer." in told


def test_figures__of_two_sensitive_attributes_have_two_names(open_page: Open) -> None:
    rows = "30,F,flu,gout\n30,F,cold,flu\n" * 3
    app = _upload(open_page(PAGE), f"age,sex,disease,diagnosis\n{rows}".encode())
    labels = [metric.label for metric in app.metric]
    assert len(labels) == len(set(labels))
    assert {"disease: Fewest sensitive values (distinct ℓ)"} <= set(labels)


def test_choices__of_the_form_are_measured(open_page: Open) -> None:
    app = _upload(open_page(PAGE), b"age,sex,disease\n30,F,flu\n30,,flu\n,F,gout\n")
    app.selectbox(key="risk_missing").set_value("wildcard")
    app.number_input(key="risk_population_size").set_value(300)
    (confirm,) = [button for button in app.button if button.label == "Confirm the roles"]
    app = confirm.click().run()
    assert not app.exception
    assert _metrics(app)["Smallest class size (k)"] == "3"
    assert "which was taken to match every value" in _texts(app)
    assert "**Marketer risk: " in _texts(app)


def test_nothing_to_suggest__asks_for_quasi_identifiers(open_page: Open) -> None:
    app = _upload(open_page(PAGE), b"q1,q2\na,b\na,c\n")
    assert not app.exception
    assert "No quasi-identifier is chosen." in _texts(app)
    assert not app.metric


def test_original__is_shown_side_by_side(open_page: Open) -> None:
    released = PEOPLE.replace("50,F", "40,M").encode()
    app = _upload(open_page(PAGE), released, name="released.csv")
    app = _upload(app, name="original.csv", at=1)
    assert not app.exception
    frames = [frame.value for frame in app.dataframe if "original.csv" in frame.value.columns]
    assert len(frames) == 1
    assert frames[0].set_index("Figure").loc["Smallest class size (k)"].tolist() == ["3", "1"]
    assert "Precision lost in the quasi-identifiers (NCP)" in _metrics(app)


def test_population__smaller_than_the_table_is_an_error(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app = _upload(app, b"age,sex\n30,F\n", name="population.csv", at=2)
    assert not app.exception
    assert len(app.error) == 1
    assert not app.metric


@pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.key)
def test_demo__shows_a_result(demo: object, open_page: Open) -> None:
    app = open_page(PAGE)
    app = app.button(key=f"risk_demo_{demo.key}").click().run()
    assert not app.exception
    assert _metrics(app)["Smallest class size (k)"] == "1"


def test_worst_classes__are_masked_until_shown(open_page: Open) -> None:
    app = _upload(open_page(PAGE))

    def ages() -> list[str]:
        (frame,) = [each.value for each in app.dataframe if "Size in records" in each.value.columns]
        return frame["age"].tolist()

    assert ages() == ["99", "99", "99"]
    app = app.toggle(key="risk_reveal").set_value(True).run()
    assert ages() == ["50", "40", "30"]


def test_page_switch__keeps_files_and_confirmed_roles(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    (confirm,) = [button for button in app.button if button.label == "Confirm the roles"]
    app = confirm.click().run()
    app = app.switch_page(HOME).run().switch_page(PAGE).run()
    assert not app.exception
    assert "Nobody chose" not in _texts(app)
    assert _metrics(app)["Smallest class size (k)"] == "1"


def test_second_upload__replaces_the_first(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app = _upload(app, b"age,sex,disease\n" + b"30,F,flu\n30,F,cold\n" * 3, name="other.csv")
    assert _metrics(app)["Smallest class size (k)"] == "6"


def _after_work(app: AppTest, stop_key: str) -> AppTest:
    for _ in range(300):
        if not any(button.key == stop_key for button in app.button):
            break
        time.sleep(0.1)
        app.run()
    return app


def test_limits__of_entropy_and_average_risk_are_judged(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app.slider(key="risk_entropy_l").set_value(1.5)
    app = app.slider(key="risk_average").set_value(0.4).run()
    assert "The smallest entropy ℓ of disease is 1; at least 1.500 is asked for." in _texts(app).replace(
        "`", ""
    )
    assert "The average risk of a record is 0.500; at most 0.400 is asked for." in _texts(app)


def test_limits__of_alpha_beta_and_delta_are_judged(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app.number_input(key="risk_beta").set_value(0.5)
    app.number_input(key="risk_delta").set_value(0.1)
    app = app.slider(key="risk_alpha").set_value(0.5).run()
    told = _texts(app).replace("`", "")
    assert "the largest share α of one of them is above 0.500, at most 1." in told
    assert "the largest relative gain β of one of them is above 0.500" in told
    assert "δ of a share to that of the whole table is above 0.100" in told


def test_closeness__and_the_size_of_the_population_are_taken(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app.number_input(key="risk_closeness").set_value(50.0)
    app.number_input(key="risk_population_size").set_value(600)
    app = next(button for button in app.button if button.label == "Confirm the roles").click().run()
    assert "Only the size of the population is known" in _texts(app)
    assert app.number_input(key="risk_closeness").value == 50.0


def test_what_if__searches_and_counts_the_table_again(open_page: Open) -> None:
    app = open_page(PAGE)
    app = app.button(key="risk_demo_untouched").click().run()
    app.button(key="risk_start").click().run()
    app = _after_work(app, "risk_stop")
    assert not app.exception
    assert "no cheaper one exists among them" in _texts(app)
    assert len(app.selectbox(key="risk_option").options) >= 2
    (options,) = [each.value for each in app.dataframe if "Smallest class" in each.value.columns]
    assert (options["Smallest class"] >= options["k asked for"]).all()
    app.slider(key="risk_k").set_value(8).run()
    (former,) = [each.value for each in app.dataframe if "Smallest class" in each.value.columns]
    assert former.equals(options)
    assert [warning.value.split(":")[0] for warning in app.warning] == ["Settings changed"]


def test_what_if__stopped_before_it_found_anything_offers_nothing(
    open_page: Open, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(Progress, "stop_asked", True)  # as who presses the button at once
    app = open_page(PAGE)
    app = app.button(key="risk_demo_untouched").click().run()
    app.button(key="risk_start").click().run()
    app = _after_work(app, "risk_stop")
    assert not app.exception
    assert "Nothing useful found yet" in _texts(app)
    offered = {*(each.key for each in app.selectbox), *(each.key for each in app.get("download_button"))}
    assert not offered & {"risk_option", "download_risk_generalized"}


def test_special_uniques__are_searched_on_demand(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    app.button(key="risk_suda_start").click().run()
    app = _after_work(app, "risk_suda_stop")
    assert not app.exception
    assert "1 of 6 records has a set of up to 2 values" in _texts(app)
    assert "DIS-SUDA, the chance that a match is right, is not assessed" in _texts(app)
    (size,) = [each for each in app.number_input if each.key.startswith("risk_suda_size_")]
    size.set_value(1).run()
    assert "1 of 6 records has a set of up to 2 values" in _texts(app)
    assert [warning.value.split(":")[0] for warning in app.warning] == ["Settings changed"]


def test_groups_of_values__give_the_hierarchical_distance(open_page: Open) -> None:
    app = _upload(open_page(PAGE))
    groups = b"disease,group\nflu,lung\ncold,lung\ngout,joint\n"
    app = _upload(app, groups, name="groups.csv", at=3)
    assert not app.exception
    (frame,) = [each.value for each in app.dataframe if "disease" in each.value.columns]
    assert frame.set_index("Figure").loc["Distance between values", "disease"] == "hierarchical"


def test_free_text__is_read_on_the_page(open_page: Open) -> None:
    notes = [f"came with pain in bed {n} and was told to rest" for n in range(30)]
    table = "age,disease,note\n" + "".join(
        f"30,{'flu' if n % 2 else 'cold'},{note}\n" for n, note in enumerate(notes)
    )
    app = _upload(open_page(PAGE), table.encode(), name="notes.csv")
    assert "`note` is free text (30 cells)" in _texts(app)
    (shown,) = [frame.value for frame in app.dataframe if "note" in frame.value]
    assert len(shown) == 20
    assert not set(shown["note"]) & set(notes)
    app = app.toggle(key="risk_texts_reveal").set_value(True).run()
    (shown,) = [frame.value for frame in app.dataframe if "note" in frame.value]
    assert set(shown["note"]) <= set(notes)
    (read,) = [each for each in app.number_input if each.label == "Cells read"]
    app = read.set_value(30).run()
    assert "A person read 30 cells of `note`" in _texts(app)
    (found,) = [each for each in app.number_input if each.label == "Cells that name somebody"]
    app = found.set_value(1).run()
    assert "found somebody named in 1" in _texts(app)
    assert not app.exception


def test_counts__are_audited_as_cells_once_said(open_page: Open) -> None:
    table = "region,diagnosis,n\nA,flu,20\nA,cold,2\nA,Total,22\nB,flu,30\nB,cold,12\nB,Total,42\n"
    app = _upload(open_page(PAGE), table.encode(), name="counts.csv")
    assert "`n` seems to count people" in _texts(app)
    assert "seems to count people" in app.header[0].value
    app = app.button(key="risk_as_counts").click().run()
    assert not app.exception
    assert "risk_as_counts" not in [button.key for button in app.button]
    assert "counts of n are from 1 to 4" in _texts(app).replace("`", "")
    app = app.slider(key="risk_counts_k").set_value(2).run()
    assert "No count of n that is shown is from 1 to 1" in _texts(app).replace("`", "")


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
        if any(metric.label.startswith("Smallest class") for metric in app.metric):
            return app
        time.sleep(0.25)
    raise AssertionError([each.value for each in app.error])


def _offered(app: AppTest) -> list[str]:
    return [name for box in app.selectbox if box.key == "risk_database" for name in box.options]


def test_database__is_not_offered_where_none_is_configured(secrets: Path, open_page: Open) -> None:
    assert _offered(open_page(PAGE)) == []


def test_database__measures_a_configured_table_where_it_is(secrets: Path, open_page: Open) -> None:
    _configured(secrets)
    app = open_page(PAGE)
    assert _offered(app) == ["registry: people.parquet", "registry: gone.parquet"]
    app.selectbox(key="risk_database").set_value("registry: people.parquet").run()
    assert not app.exception
    quasi, sensitive = app.multiselect[:2]
    assert (quasi.value, sensitive.value) == (["age", "sex"], ["diagnosis"])
    app = _measured(app)
    assert not app.exception
    told = " ".join(each.value for each in [*app.markdown, *app.error, *app.warning])
    assert "FAIL" in told  # everybody of an age and a sex has one diagnosis
    assert next(each for each in app.metric if each.label.startswith("Smallest class")).value == "10"
    assert {"Attribute disclosure", "Columns"} <= {each.label for each in app.expander}
    assert "Columns nobody chose" in told
    assert any("sex" in frame.value.to_string() for frame in app.dataframe), "what each column does"
    app.slider(key="risk_k").set_value(7).run()
    assert any("Settings changed" in each.value for each in app.warning)


def test_database__that_cannot_be_read_is_one_sentence(secrets: Path, open_page: Open) -> None:
    _configured(secrets)
    app = open_page(PAGE)
    app.selectbox(key="risk_database").set_value("registry: gone.parquet").run()
    assert not app.exception
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
