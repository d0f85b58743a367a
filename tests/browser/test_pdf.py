"""A report as PDF: printed by Chromium on click, nothing left behind; said where there is no Chromium."""

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.__main__ import main
from core.errors import AuditInputError
from core.reports import NO_BROWSER, as_pdf, render
from tests import report_examples as examples
from tests.browser.downloading import download

PEOPLE = "age,sex\n" + "30,F\n40,M\n" * 30


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def test_render_pdf__is_the_page_printed_and_leaves_nothing(space: Path) -> None:
    printed = render(examples.report(), "pdf")
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page\n") >= 2
    title = re.search(rb"/Title \((.*?)\)", printed) or re.search(rb"/Title <(.*?)>", printed)
    assert title is not None
    assert [*space.iterdir()] == []


@pytest.mark.parametrize("program", ["echo nothing", "head -c 9 /dev/zero > report.pdf", "exit 3"])
def test_render_pdf__says_where_chromium_made_none(
    program: str, space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin/chromium"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    with pytest.raises(AuditInputError, match="Chromium did not make the PDF"):
        render(examples.report(), "pdf")
    assert [*space.iterdir()] == []


def test_render_pdf__ends_a_browser_that_does_not_end(
    space: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "chromium"
    fake.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/number\nwait\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(as_pdf, "_SECONDS", 1)
    with pytest.raises(AuditInputError):
        render(examples.report(), "pdf")
    state = Path(f"/proc/{(tmp_path / 'number').read_text().strip()}/status")
    assert not state.exists() or "Z (zombie)" in state.read_text()


def test_command__writes_the_pdf_or_says_before_any_work_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    words = ["risk", str(tmp_path / "people.csv"), "--quasi-identifier", "age", "--formats", "pdf,json"]
    assert main([*words, "--report", str(tmp_path / "filed")]) == 0
    assert sorted(path.suffix for path in (tmp_path / "filed").iterdir()) == [".json", ".pdf"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([*words, "--report", str(tmp_path / "other")]) == 2
    assert capsys.readouterr().err == f"error: {NO_BROWSER}\n"
    assert not (tmp_path / "other").exists()


def test_page__offers_the_pdf(visit: Callable[[str], Page]) -> None:
    page = visit("risk")
    page.get_by_role("button", name="Patients, generalized").click()
    expect(page.get_by_role("button", name="Download report", exact=True)).to_be_visible()
    page.get_by_role("button", name="More formats").click()
    page.get_by_role("button", name="Make the PDF").click()
    expect(page.get_by_role("button", name="Report as PDF")).to_be_visible(timeout=60_000)
    taken = download(page, "Report as PDF")
    assert taken.suggested_filename.endswith(".pdf")
    assert Path(taken.path()).read_bytes().startswith(b"%PDF-")
