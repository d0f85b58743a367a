"""Home as a visitor meets it."""

import json
import threading
from datetime import datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.processes.jobs import Progress
from core.tools import Tool
from pages.components.navigation import HOME, TOOLS
from tests.kinds import Open, Patch


def test_home__says_what_happens_to_data(open_page: Open) -> None:
    app = open_page(HOME)
    assert not app.exception
    assert app.title[0].value == "AnonAudit"
    words = " ".join(element.value for element in app.markdown)
    assert "It stays on this machine" in words
    assert "1,000 MB a file" in words


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_home__asks_every_tool_s_question(open_page: Open, tool: Tool) -> None:
    app = open_page(HOME)
    assert (tool.asked or tool.question) in [element.value for element in app.header]
    assert {f"home_{tool.key}_{demo.key}" for demo in tool.demos} <= {button.key for button in app.button}


def _dropped(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    return app.file_uploader[0].set_value([(name, data, "text/csv") for name, data in files]).run()


@pytest.mark.slow
def test_home__offers_the_audits_that_fit_and_takes_the_files_along(open_page: Open) -> None:
    table = b"age,sex,town\n" + b"".join(b"%d,F,A\n" % (30 + i % 9) for i in range(40))
    app = _dropped(open_page(HOME), ("people.csv", table), ("people_anonymized.csv", table))
    offered = [button for button in app.button if button.key.startswith("home_offer_")]
    assert [button.label for button in offered] == ["Row leakage", "Disclosure risk"]
    assert "All tools" in [drawer.label for drawer in app.expander]
    app = offered[0].click().run()
    assert not app.exception
    assert app.title[0].value == "Row leakage"
    assert "whole" in " ".join(element.value for element in app.markdown)


@pytest.mark.slow
def test_pages__offer_what_was_given_before_where_it_fits(open_page: Open) -> None:
    table = b"age,sex,town,outcome\n" + b"".join(b"%d,F,A,%d\n" % (30 + i % 9, i % 2) for i in range(40))
    app = _dropped(open_page(HOME), ("people.csv", table))
    scripts = {tool.key: tool.script for tool in TOOLS}
    app = app.switch_page(scripts["vcf"]).run()
    assert not [button for button in app.button if button.key.startswith("vcf_held_")]
    app = app.switch_page(scripts["risk"]).run()
    (offered,) = [button for button in app.button if button.key.startswith("risk_held_")]
    assert offered.label.replace("\\", "") == "Use what you gave before: people.csv"
    app = offered.click().run()
    assert not app.exception
    assert any("people.csv" in each.value.replace("\\", "") for each in app.markdown)
    assert not [button for button in app.button if button.key.startswith("risk_held_")]


def test_home__says_what_cannot_be_used_and_goes_on(open_page: Open) -> None:
    report = b'{"tool": "risk", "verdict": "FAIL", "inputs": [], "findings": [], "versions": {}}'
    app = _dropped(
        open_page(HOME),
        ("report.json", report),
        ("broken.xlsx", b"PK no"),
        ("people.csv", b"age,sex\n3,F\n4,M\n"),
    )
    assert not app.exception
    assert any("is a report of ours" in each.value for each in app.markdown)
    assert "broken" in app.error[0].value
    assert [button.label for button in app.button if button.key.startswith("home_offer_")] == [
        "Disclosure risk",
        "ℓ-diversity search",
    ]


TABLE = b"name,age\n" + b"".join(b"Zebulon%d,%d\n" % (i, 20 + i) for i in range(30))


def test_trail__has_a_line_for_each_audit_and_verdict(
    open_page: Open, tmp_path: Path, monkeypatch: Patch
) -> None:
    trail = tmp_path / "trail.jsonl"
    monkeypatch.setenv("ANONAUDIT_TRAIL", str(trail))
    app = open_page("pages/measure/risk.py")
    assert not trail.exists()
    app = app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    app.run()
    assert not app.exception
    (line,) = [json.loads(line) for line in trail.read_text().splitlines()]
    assert sorted(line) == ["n_files", "session", "time", "tool", "verdict"]
    assert (line["tool"], line["n_files"]) == ("risk", 1)
    assert line["verdict"] in ("PASS", "WARN", "NOT_ASSESSED", "FAIL")
    assert datetime.fromisoformat(line["time"]).tzinfo is not None
    assert len(line["session"]) == 16
    assert trail.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("how", ["no folder", "a folder", "a full disk"])
def test_trail__that_cannot_be_written_is_told_to_the_operator_and_the_page_goes_on(
    how: str, open_page: Open, tmp_path: Path, monkeypatch: Patch, caplog: pytest.LogCaptureFixture
) -> None:
    trail = {
        "no folder": tmp_path / "none" / "trail.jsonl",
        "a folder": tmp_path,
        "a full disk": Path("/dev/full"),
    }[how]
    if how == "a full disk" and not trail.exists():
        pytest.skip("a device of Linux")
    monkeypatch.setenv("ANONAUDIT_TRAIL", str(trail))
    app = open_page("pages/measure/risk.py")
    app = app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    assert not app.exception
    (said,) = {record.getMessage() for record in caplog.records if record.name == "anonaudit"}
    assert said.startswith(f"the trail of audits {trail} cannot be written: ")
    assert "Quixotic" not in said
    caplog.clear()
    monkeypatch.setenv("ANONAUDIT_TRAIL", str(tmp_path / "trail.jsonl"))
    assert not app.run().exception
    assert len((tmp_path / "trail.jsonl").read_text().splitlines()) == 1, "it is tried again"
    assert not caplog.records


def test_trail__is_not_written_unless_a_file_is_named(
    open_page: Open, tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = open_page("pages/measure/risk.py")
    app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("result", "said"), [(None, " before anything was done."), ([1], "; what was done until then is shown.")]
)
def test_ask_for_work__says_whether_stopped_work_left_anything(result: object, said: str) -> None:
    stopped = threading.Event()

    def work(progress: Progress) -> object:
        while not progress.stop_asked:
            stopped.wait(0.01)
        return result

    def page(given: object) -> None:
        import streamlit as st  # noqa: PLC0415 - an AppTest runs this function's text as a script

        from core.web.caching import vault  # noqa: PLC0415
        from pages.components.long_work import ask_for_work, start_work  # noqa: PLC0415

        if "begun" not in st.session_state:
            st.session_state["begun"] = True
            start_work("tool", "key", given)  # type: ignore[arg-type]
            job = vault().job("tool")
            assert job is not None
            job.stop()
            job.wait(10)
        ask_for_work("tool", "key", given, label="Start")  # type: ignore[arg-type]

    app = AppTest.from_function(page, args=(work,)).run(timeout=20)
    assert [info.value.removeprefix("Stopped after less than a second") for info in app.info] == [said]
    assert app.button(key="tool_again").label == "Start again"


def test_ask_for_work__keeps_what_former_settings_gave_in_grey_until_it_starts_again() -> None:
    def page() -> None:
        import streamlit as st  # noqa: PLC0415 - an AppTest runs this function's text as a script

        from core.web.caching import vault  # noqa: PLC0415
        from pages.components.long_work import ask_for_work, greyed_out  # noqa: PLC0415

        inputs = st.text_input("file", "a")
        key = f"{inputs} {st.number_input('k', value=2, step=1)}"
        if (running := vault().job("tool")) is not None:
            running.wait(10)
        job = ask_for_work("tool", key, lambda _: key, label="Start", inputs=inputs)
        if job is not None:
            with greyed_out("tool", when=job.key != key):
                st.code(job.result)

    app = AppTest.from_function(page).run(timeout=20)
    assert not app.warning
    app.button(key="tool_start").click().run()
    assert [code.value for code in app.code] == ["a 2"]
    assert not app.html
    app.number_input[0].set_value(3).run()
    assert [code.value for code in app.code] == ["a 2"]
    assert "grayscale" in app.html[0].value
    assert app.warning[0].value.startswith("Settings changed")
    app.button(key="tool_start").click().run()
    assert [code.value for code in app.code] == ["a 3"]
    assert not app.warning
    app.number_input[0].set_value(2).run()
    app.text_input[0].set_value("b").run()
    assert not app.code
    assert not app.warning
