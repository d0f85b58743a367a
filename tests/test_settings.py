"""A setting is described once: it is on the page, on the command line, in report and JSON, and in docs/."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.__main__ import build_parser
from core.commands.tabular import file_document
from core.demo.tabular import make_hospital
from core.settings_form import Setting, described
from core.tables import read_dataset
from core.tabular import read_log, verify_tabular
from core.tabular.views import VerifiedFile
from docs.generated import TOOLS, with_settings
from pages.components import navigation

ROOT = Path(__file__).parents[1]
SETTINGS = [
    pytest.param(tool, told, id=f"{tool}-{told.name}")
    for tool in TOOLS
    for form in import_module(f"core.commands.{tool}").FORMS
    for told in described(form).values()
]


def _texts(node: object) -> Iterator[str]:
    for attribute in ("label", "value", "body"):
        if isinstance(text := getattr(node, attribute, None), str):
            yield text
    for child in getattr(node, "children", {}).values():
        yield from _texts(child)


@cache
def _page(tool: str) -> str:
    """Return all words that a tool's page shows with its demo."""
    found = next(each for each in navigation.TOOLS if each.key == tool)
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=120).run()
    app.switch_page(found.script).run()
    app.button(key=f"{tool}_demo_{found.demos[0].key}").click().run()
    seen = [*_texts(app.main)]
    for name in app.selectbox(key="tabular_file").options if tool == "tabular" else ():
        seen += _texts(app.selectbox(key="tabular_file").set_value(name).run().main)
    assert not app.exception
    return "\n".join(seen).replace("\\", "")


@pytest.fixture(autouse=True, scope="module")
def _empty_caches() -> Iterator[None]:
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.mark.parametrize(("tool", "told"), SETTINGS)
def test_setting__is_on_the_page(tool: str, told: Setting) -> None:
    assert told.label in _page(tool)


@pytest.mark.parametrize(("tool", "told"), SETTINGS)
def test_setting__is_on_the_command_line(tool: str, told: Setting) -> None:
    parser = build_parser([tool])
    (tools,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    options = {flag: each for each in tools.choices[tool]._actions for flag in each.option_strings}
    assert options[told.flag].help.startswith(told.label)
    if told.is_several:
        one, other = [[told.flag, "a", "b"], [told.flag, "a", told.flag, "b"]]
        alone = argparse.ArgumentParser()
        alone._add_action(options[told.flag])
        assert vars(alone.parse_args(one)) == vars(alone.parse_args(other))


def _tabular() -> tuple[Mapping[str, object], Mapping[str, object]]:
    files = {file.name: file.data for file in make_hospital()["files"]}
    original, anonymized = (
        read_dataset(files[name], name=name) for name in ("visits.csv", "visits_anonymized.csv")
    )
    log = read_log(files["visits_anonymized_log.json"], name="visits_anonymized_log.json")
    audit = verify_tabular(original, anonymized, log)
    return VerifiedFile(audit=audit).settings, file_document(audit, seconds=0.0)


RESULTS: Mapping[str, Callable[[], tuple[Mapping[str, object], Mapping[str, object]]]] = {
    "tabular": cache(_tabular),
}


@pytest.mark.parametrize(("tool", "told"), SETTINGS)
def test_setting__is_in_the_report_and_in_json(tool: str, told: Setting) -> None:
    report, document = RESULTS[tool]()
    assert told.label in report
    assert told.name in {**document, **document["settings"]}


@pytest.mark.parametrize("tool", TOOLS)
def test_docs__list_every_setting(tool: str) -> None:
    page = (ROOT / f"docs/{tool}.md").read_text(encoding="utf-8")
    assert page == with_settings(page, tool), "run: make docs"
