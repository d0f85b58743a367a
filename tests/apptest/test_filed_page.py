"""The page of filed reports as a visitor meets it."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from pages.components.navigation import FILED, HOME
from tests.apptest.test_choices import finished

EXAMPLES = Path(__file__).parents[1] / "filed_examples"
FILES = ("people.csv", "people_scrambled.csv")
Open = Callable[[str], AppTest]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a report that was just made."""
    folder = tmp_path_factory.mktemp("filed")
    words = [str(EXAMPLES / name) for name in FILES]
    main(["leakage", *words, "--random-orders", "50", "--report", str(folder), "--formats", "json"])
    (path,) = folder.glob("*.json")
    return path.read_bytes()


def _with(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    given = [(name, data, "application/octet-stream") for name, data in files]
    app = app.file_uploader[0].set_value(given).run()
    assert not app.exception
    return app


def _inputs() -> list[tuple[str, bytes]]:
    return [(f"renamed_{name}", (EXAMPLES / name).read_bytes()) for name in FILES]


def _repeated(app: AppTest) -> AppTest:
    app = finished(app.button(key="filed_start").click().run())
    assert not app.exception
    return app


def test_filed__repeats_a_report_on_files_of_other_names(open_page: Open, report: bytes) -> None:
    app = _with(open_page(FILED), ("filed.json", report), *_inputs())
    assert "FAIL" in " ".join(each.value for each in app.markdown)
    app = _repeated(app)
    assert app.success[0].value.startswith("**SAME**")
    given = [list(each.value.iloc[:, 2]) for each in app.dataframe if each.value.shape[1] > 2]
    assert [f"renamed_{name}" for name in FILES] in given


def test_filed__says_what_was_changed_and_where(open_page: Open, report: bytes) -> None:
    document = json.loads(report)
    document["settings"]["Seed"] = 77
    app = _with(open_page(FILED), ("filed.json", json.dumps(document).encode()), *_inputs())
    assert app.error[0].value.endswith("changed since it was made\\, in\\: settings\\.")
    app = _repeated(app)
    assert app.error[1].value.startswith("**DIFFERENT**")
    assert app.dataframe[0].value.to_numpy().tolist() == [["settings › Seed", "77", "0"]]


def test_filed__says_which_file_is_missing(open_page: Open, report: bytes) -> None:
    app = _repeated(_with(open_page(FILED), ("filed.json", report), _inputs()[0]))
    assert "people\\_scrambled\\.csv" in app.error[0].value


def test_filed__compares_two_reports(open_page: Open, report: bytes) -> None:
    old = (EXAMPLES / "report_0_1.json").read_bytes()
    app = _with(open_page(FILED), ("new.json", report), ("old.json", old))
    assert app.selectbox(key="filed_before").value == "old.json"
    assert any("FAIL → FAIL" in each.value for each in app.markdown)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"PK\x03\x04x", "is an archive"), (b'{"tool": 1', "not whole JSON"), (b"{}", "no report of AnonAudit")],
)
def test_filed__says_in_one_sentence_what_is_no_report(open_page: Open, data: bytes, said: str) -> None:
    app = _with(open_page(FILED), ("filed.json", data))
    assert said in app.error[0].value


_HOSTILE = (
    "![x](http://evil.example/x.png) [y](javascript:z) <img src=q onerror=z> :red[w] "
    ":material/bug: $v$\n# `u`"
)


def test_filed__shows_what_a_report_holds_as_text(open_page: Open, report: bytes) -> None:
    def hostile(part: object) -> object:
        if isinstance(part, list):
            return [hostile(each) for each in part]
        if isinstance(part, dict):
            return {name: hostile(each) for name, each in part.items()}
        return f"{_HOSTILE} {part}" if isinstance(part, str) else part

    document = json.loads(report)
    for part in ("findings", "inputs", "settings", "limits", "question", "headline"):
        if part in document:
            document[part] = hostile(document[part])
    document["findings"] = [
        each | {"verdict": old["verdict"]}
        for each, old in zip(document["findings"], json.loads(report)["findings"], strict=True)
    ]
    document["inputs"] = [
        each | {"sha256": old["sha256"]}
        for each, old in zip(document["inputs"], json.loads(report)["inputs"], strict=True)
    ]
    name = f"{_HOSTILE.replace('/', '_')}.json"
    files = ((name, json.dumps(document).encode()), ("b.json", report))
    for page in (HOME, FILED):
        app = _with(open_page(page), *files)
        shown = [
            app.markdown,
            app.error,
            app.warning,
            app.info,
            app.success,
            app.header,
            app.subheader,
            app.caption,
        ]
        words = " ".join(str(each.value) for several in shown for each in several)
        assert "evil" in words
        assert not re.search(r"(?<!\\)(!\[x|\]\(|<img|:red\[|:material/bug|\$v)", words)


def test_home__takes_a_report_and_its_files_along(open_page: Open, report: bytes) -> None:
    app = _with(open_page(HOME), ("filed.json", report), *_inputs())
    (button,) = [each for each in app.button if each.key and each.key.startswith("home_filed_")]
    app = button.click().run()
    assert not app.exception
    assert app.title[0].value == "Filed reports"
    assert app.button(key="filed_start")
