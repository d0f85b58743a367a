"""Every word of ours on every page is said in the language chosen; what is the person's own is left alone."""

import calendar
import html
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import openpyxl
import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from core.events import BUILT_IN_MAPPING, DERIVED_COLUMNS
from core.events.mapping import OTHER_EVENT
from core.events.settings import COARSER
from core.languages import BRACKETS, Bracketed
from core.measures import MEASURES
from core.reports import current_versions
from core.tables import MISSING_SPELLINGS
from core.words import speaking
from docs.words import messages
from pages.components import results
from pages.components.language import CHOSEN
from pages.components.navigation import HOME
from tests.apptest.test_choices import PAGES, finished, press

Open = Callable[[str], AppTest]
SHOWN = {*"label help body placeholder options text caption title delta alt message".split()}
INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")
MARKUP = re.compile(
    r"</?div[^<>]*>|:material/\w+:|:(?:red|green|orange|gray|blue|violet|small)(?:-\w+)?|`[^`]*`|https?://\S+|&\w+;|[0-9a-f]{64}"
)
WORD = re.compile(r"[^\W\d_]{3,}")
VALUE = re.compile(r"\{\w*\}")
OURS_ANYWHERE = {"AnonAudit", "PASS", "CSV", "Excel", "HTML", "JSON", "XLSX", "UTC", "UTF", "VCF"}
MACHINE_NAMES = {"⟦Check⟧", "⟦Key⟧"}  # headings of columns that hold them
# What others called what they wrote, and the names of packages, stand in it as they are.
QUOTED = (
    *sorted({measure.source for measure in MEASURES.values()}, key=len, reverse=True),
    ", ".join(MISSING_SPELLINGS),
    *sorted((word for each in current_versions().items() for word in each), key=len, reverse=True),
)
# Names of the demos' files and columns, and values of theirs, which stay as they are typed; by tool.
EVENT_NAMES = {
    *calendar.day_name,
    *("OD_ISO", "GUID", "dogodek", "demo_alarm_log", "csv", "night", "morning", "daytime", "afternoon"),
    *DERIVED_COLUMNS,
    *(level for levels in COARSER.values() for level in levels),
    *(word for pair in BUILT_IN_MAPPING.pairs for word in pair),
    *(OTHER_EVENT, "SMOKE_DETECTOR", "WATER_LEAK_DETECTOR", "FALL_DETECTOR", "DOOR_SENSOR"),
    *("EMERGENCY_PENDANT", "CONTROL_PANEL", "BLOOD_PRESSURE_MONITOR", "DOOR_LEFT_OPEN", "event_class"),
}
THEIRS: dict[str, re.Pattern[str]] = {
    "diversity": re.compile(r"iris\.csv|\b(sepal|petal) (length|width)( \(cm\))?|\btarget\b"),
    "risk": re.compile(r"demo_patients(_released)?\.csv|\b(age|sex|town|diagnosis|days_in_hospital|A+)\b"),
    "events": re.compile(
        rf"(?<!\w)({'|'.join([*EVENT_NAMES, *calendar.day_name])}|demo-\d{{4}}|u[0-9a-f]{{20}})(?!\w)"
    ),
    "tabular": re.compile(
        r"(lab_results|patients|survey|visits)(_anonymized)?(_log)?\.(csv|json)"
        # columns, what their log says of them, and shapes of values
        r"|\b(birth_?date|blood_type|department|doctor|full_name|gender|glucose|latitude|longitude|name|note"
        r"|patient_id|payment|phone|region|respondent|room|sample(_id)?|sex|smoker|ssn|street|visit_(date|no)"
        r"|address|free_text|laboratory_value|other|date_floor_year|drop|keep|pseudonymize|region_generalize"
        r"|주민등록번호|환자명|A+|YYYY)\b"
    ),
    "leakage": re.compile(
        r"survey(_leaking)?\.csv|\b(age|sex|handedness|education|bmi|smoker|income_band|wellbeing"
        r"|importance_of_faith|town)\b"
    ),
    "dataset": re.compile(
        r"\b(persons|stays|tests)(\.csv)?\b|\b(pseudonym|age_group|sex|region|stay|person|admission|test)\b"
    ),
    "vcf": re.compile(
        r"(?:(?:high_0\.01|low)_anony_)?(?:north|south)\.vcf\.gz|chr\w+|##source|\b[ACGT]{3,}\b"
    ),
}


def unsaid(text: str, theirs: re.Pattern[str]) -> list[str]:
    """Return the words outside brackets that are nobody's data, nor a command to type."""
    if text.startswith("python -m core "):
        return []
    text += "⟧" * (text.count("⟦") - text.count("⟧"))  # a reason in a list of files ends where its line does
    while INNERMOST.search(text):
        text = INNERMOST.sub(" ", text)
    text = text.replace("\\", "").replace("\xa0", " ").replace("\u2060", "")
    for quoted in QUOTED:
        text = text.replace(quoted, " ")
    left = theirs.sub(" ", MARKUP.sub(" ", text))
    return [word for word in WORD.findall(left) if word not in OURS_ANYWHERE]


def shown(app: AppTest) -> Iterator[str]:
    """Return every text that the page shows."""
    for node in app.main:
        proto = getattr(node, "proto", None)
        if isinstance(proto, Message):
            yield from _texts(proto)
    for table in app.dataframe:
        frame, settings = table.value, json.loads(table.proto.columns or "{}")
        for name in frame.columns:
            yield str(settings.get(name, {}).get("label") or name)
            options = settings.get(name, {}).get("type_config", {}).get("options", [])
            said = {one["value"]: one["label"] for one in options if isinstance(one, dict)}
            yield from (said.get(cell, cell) for cell in frame[name].tolist() if isinstance(cell, str))


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
    with speaking(BRACKETS):  # here AppTest names the options chosen; the page is in a thread of its own
        app = finished(app.button(key=f"{tool}_demo_{page.demo}").click().run())
        return finished(press(app, "_start"))


def problems(app: AppTest, theirs: re.Pattern[str]) -> list[str]:
    return sorted({f"{words}: {text[:160]}" for text in shown(app) if (words := unsaid(text, theirs))})


@pytest.mark.slow
@pytest.mark.parametrize("tool", list(PAGES)[::-1])
def test_page_and_reports__say_every_word_in_the_language(
    open_page: Open, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, results.Download] = {}
    show = results.show_download

    def keep(download: results.Download, *, key: str) -> None:
        offered[key.removeprefix(f"{tool}_")] = download
        show(download, key=key)

    monkeypatch.setattr(results, "show_download", keep)
    asked: set[tuple[str, str]] = set()
    template = Bracketed.template

    def remember(language: Bracketed, message: str, plural: str, n: int | None) -> str:
        asked.add((message, plural))
        return template(language, message, plural, n)

    monkeypatch.setattr(Bracketed, "template", remember)
    app = said_page(open_page, PAGES[tool].script, tool)
    assert not app.exception
    assert problems(app, THEIRS[tool]) == []
    with speaking(BRACKETS):
        pages, sheets = offered["html"].make(), offered["xlsx"].make()
        document = json.loads(offered["json"].make())
    texts = {*_texts_of_html(pages.decode()), *_texts_of_xlsx(sheets)} - {*_steps_of_proof(document)}
    said = {text for text in texts - {tool} if not text.startswith("python -m core ")}
    assert sorted(text for text in said if unsaid(text, THEIRS[tool])) == []
    asked = {each for each in asked if not each[0].startswith("⟦")}  # the first sentence of what is said
    unknown = {message for message, _ in asked - messages().keys() if WORD.search(VALUE.sub("", message))}
    assert {message for message in unknown if message.endswith((".", "?", ":")) or "{" in message} == set()


@pytest.mark.slow
def test_files_and_evidence_of_the_tabular_verifier__are_said_in_the_language(open_page: Open) -> None:
    with speaking(BRACKETS):  # the test's own thread writes options too
        app = said_page(open_page, PAGES["tabular"].script, "tabular")
        for name in app.selectbox(key="tabular_file").options:
            app = app.selectbox(key="tabular_file").set_value(name).run()
            files = [box for box in app.selectbox if box.key.startswith("tabular_evidence_")]
            for label in files[0].options if files else []:
                app = app.selectbox(key=files[0].key).select(label).run()
                assert not app.exception
                assert problems(app, THEIRS["tabular"]) == []


def _texts_of_html(page: str) -> Iterator[str]:
    """Return what a reader reads of a report and its charts, and what is read out."""
    body = re.sub(r"(?s)<style.*?</style>|<wbr>", "", page.partition("<body")[2].partition(">")[2])
    body = re.sub(r'<span class="unit">(.*?)</span>', r"\1", body)
    body = re.sub(r"</?tspan[^>]*>", " ", re.sub(r"</?code>", "`", body))
    body = re.sub(r'<span class="unit">([^<]*)</span>', r"\1", body)  # around a number, of one message
    yield from map(html.unescape, re.findall(r'(?:aria-label|alt|title)="([^"]*)"', body))
    yield from map(html.unescape, re.split(r"<[^>]*>", body))


def _texts_of_xlsx(workbook: bytes) -> Iterator[str]:
    for sheet in openpyxl.load_workbook(io.BytesIO(workbook)):
        for column in sheet.iter_cols(values_only=True):
            if not MACHINE_NAMES & set(column):
                yield from (cell for cell in column if isinstance(cell, str))


def _steps_of_proof(document: Mapping[str, Any]) -> Iterator[str]:
    """Return the commands to type that the steps of a proof hold, each a whole cell."""
    for table in document["tables"]:
        if table["name"].startswith("Proof"):
            place = table["columns"].index("Command")
            yield from (row[place] for row in table["rows"])


@pytest.mark.parametrize("tool", [None, *PAGES])
def test_empty_page__says_every_word_in_the_language(open_page: Open, tool: str | None) -> None:
    app = said_page(open_page, HOME, None)
    if tool is not None:
        app = app.switch_page(PAGES[tool].script).run()
    assert not app.exception
    assert problems(app, re.compile(r"(?!)")) == []


@pytest.mark.parametrize(("code", "n_styles"), [("ko", 1), ("sl", 0)])
def test_lines_of_korean__break_between_words(code: str, n_styles: int) -> None:
    app = AppTest.from_string(f"""
import streamlit as st
from pages.components.language import CHOSEN, break_lines
st.session_state[CHOSEN] = "{code}"
break_lines()
""").run()
    assert not app.exception
    assert sum("keep-all" in each.proto.body for each in app.get("html")) == n_styles


def test_column_named_like_a_word_of_ours__stays_as_it_is(open_page: Open) -> None:
    app = open_page(HOME)
    app.session_state[CHOSEN] = "ko"
    page: Any = PAGES["diversity"]
    app = app.run().switch_page(page.script).run()
    app = app.button(key=f"diversity_demo_{page.demo}").click().run()
    assert any("target" in box.options for box in app.selectbox if box.key.startswith("diversity_label_"))


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


@pytest.mark.parametrize(("code", "said"), [("ko", "올리기"), ("sl", "Naloži")])
def test_uploader__is_said_in_the_language_of_the_session(code: str, said: str, open_page: Open) -> None:
    app = open_page(HOME)
    app.session_state[CHOSEN] = code
    app.run()
    assert any(f'content: "{said}"' in part.proto.body for part in app.get("html"))
