"""Every word of ours on every page is said in the language chosen; what is the person's own is left alone."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from core.languages import BRACKETS
from pages.components.language import CHOSEN
from pages.components.navigation import HOME
from tests.apptest.test_choices import PAGES, finished, press

Open = Callable[[str], AppTest]
SHOWN = {
    "label",
    "help",
    "body",
    "placeholder",
    "options",
    "text",
    "caption",
    "title",
    "delta",
    "alt",
    "message",
}
INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")
MARKUP = re.compile(
    r":material/\w+:|:(?:red|green|orange|gray|blue|violet)(?:-\w+)?|`[^`]*`|https?://\S+|&\w+;"
)
WORD = re.compile(r"[^\W\d_]{3,}")
OURS_ANYWHERE = {"AnonAudit", "PASS", "CSV", "Excel", "HTML", "JSON", "XLSX", "UTF", "VCF"}
# Names of the demos' files and columns, and values of theirs, which stay as they are typed; by tool.
THEIRS: dict[str, re.Pattern[str]] = {}
NOT_YET = {"tabular", "vcf", "leakage", "risk", "events", "diversity"}


def unsaid(text: str, theirs: re.Pattern[str]) -> list[str]:
    """Return the words outside brackets that are nobody's data."""
    while INNERMOST.search(text):
        text = INNERMOST.sub(" ", text)
    left = theirs.sub(" ", MARKUP.sub(" ", text.replace("\\", "").replace("\u2060", "")))
    return [word for word in WORD.findall(left) if word not in OURS_ANYWHERE]


def shown(app: AppTest) -> Iterator[str]:
    """Return every text that the page shows."""
    for node in app.main:
        proto = getattr(node, "proto", None)
        if isinstance(proto, Message):
            yield from _texts(proto)
    for table in app.dataframe:
        frame = table.value
        yield from map(str, frame.columns)
        yield from (cell for cell in frame.to_numpy(dtype=object).ravel() if isinstance(cell, str))


def _texts(proto: Message) -> Iterator[str]:
    for field, value in proto.ListFields():
        for one in value if isinstance(value, (list, tuple)) or hasattr(value, "append") else [value]:
            if isinstance(one, Message):
                yield from _texts(one)
            elif isinstance(one, str) and field.name in SHOWN:
                yield one


def said_page(open_page: Open, script: str, tool: str | None) -> AppTest:
    app = open_page(HOME)
    app.session_state[CHOSEN] = BRACKETS
    app = app.run()
    if tool is None:
        return app
    app = app.switch_page(script).run()
    page: Any = PAGES[tool]
    app = finished(app.button(key=f"{tool}_demo_{page.demo}").click().run())
    return finished(press(app, "_start"))


def problems(app: AppTest, theirs: re.Pattern[str]) -> list[str]:
    return sorted({f"{words}: {text[:160]}" for text in shown(app) if (words := unsaid(text, theirs))})


@pytest.mark.parametrize("tool", [name for name in PAGES if name not in NOT_YET])
def test_page__says_every_word_in_the_language(open_page: Open, tool: str) -> None:
    app = said_page(open_page, PAGES[tool].script, tool)
    assert not app.exception
    assert problems(app, THEIRS[tool]) == []


@pytest.mark.parametrize("tool", [None, *(name for name in PAGES if name not in NOT_YET)])
def test_empty_page__says_every_word_in_the_language(open_page: Open, tool: str | None) -> None:
    app = said_page(open_page, HOME, None)
    if tool is not None:
        app = app.switch_page(PAGES[tool].script).run()
    assert not app.exception
    assert problems(app, re.compile(r"(?!)")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("⟦3 records of ⟦12 %⟧ in a.csv⟧", []),
        ("⟦Said⟧ but this not", ["but", "this", "not"]),
        ("`column` ⟦said⟧ :material/lock:", []),
    ],
)
def test_unsaid__finds_what_stands_outside_of_brackets(text: str, words: list[str]) -> None:
    assert unsaid(text, re.compile(r"(?!)")) == words


PAGE_WITH_TABLE = """
import pandas as pd
import streamlit as st

st.dataframe(pd.DataFrame({"Heading": ["⟦said⟧", "a cell left"]}))
"""


def test_problems__sees_cells_and_headings() -> None:
    app = AppTest.from_string(PAGE_WITH_TABLE).run()
    assert len(problems(app, re.compile(r"(?!)"))) == 2
