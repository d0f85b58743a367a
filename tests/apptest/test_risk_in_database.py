"""A table that the operator has configured, measured where it is, as a visitor meets it."""

import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
import streamlit as st
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

PAGE = "pages/measure/risk.py"


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
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


def test_database__is_not_offered_where_none_is_configured(
    secrets: Path, open_page: Callable[[str], AppTest]
) -> None:
    assert _offered(open_page(PAGE)) == []


def test_database__measures_a_configured_table_where_it_is(
    secrets: Path, open_page: Callable[[str], AppTest]
) -> None:
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


def test_database__that_cannot_be_read_is_one_sentence(
    secrets: Path, open_page: Callable[[str], AppTest]
) -> None:
    _configured(secrets)
    app = open_page(PAGE)
    app.selectbox(key="risk_database").set_value("registry: gone.parquet").run()
    assert not app.exception
    (error,) = app.error
    assert "there is no such file or folder" in error.value
    assert str(secrets.parent) not in error.value


def test_database__with_a_password_in_its_address_is_not_offered(
    secrets: Path, open_page: Callable[[str], AppTest]
) -> None:
    secrets.write_text('[engines.r]\naddress = "postgresql://a:geheim@host/db"\ntables = ["t"]\n')
    app = open_page(PAGE)
    assert not app.exception
    assert _offered(app) == []
    assert any("holds a password" in each.value for each in app.error)
    assert all("geheim" not in each.value for each in app.error)
