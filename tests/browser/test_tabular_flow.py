"""From the upload to the downloaded file, as a person would."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.demo import TABULAR as DEMOS
from tests.browser.downloading import download

OPTIONS = {".csv": "text/csv", ".json": "application/json"}


@pytest.fixture
def verified(visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]) -> Page:
    """The page after the demo's files were uploaded as a person would upload their own."""
    page = visit("tabular")
    files = [file for role in DEMOS[0].make().values() for file in role]
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        [
            {
                "name": file.name,
                "mimeType": OPTIONS[file.name[file.name.rindex(".") :]],
                "buffer": file.data,
            }
            for file in files
        ]
    )
    expect(page.get_by_role("heading", name="4 files verified")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    return page


def _download(page: Page, label: str) -> tuple[str, bytes]:
    taken = download(page, label)
    return taken.suggested_filename, taken.path().read_bytes()


def test_uploaded_files__are_verified_and_every_report_can_be_downloaded(verified: Page) -> None:
    expect(verified.get_by_text("Published rule: FAIL")).to_be_visible()

    name, data = _download(verified, "CSV report (한국어)")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert data.startswith(b"\xef\xbb\xbf")
    assert name.startswith("anonymization_report_")
    assert [row["익명화 결과"] for row in rows] == ["PASS", "WARN", "FAIL", "PASS"]
    assert next(iter(rows[0])) == "파일명"

    english, data = _download(verified, "CSV report (English)")
    assert english != name
    assert data.decode("utf-8-sig").startswith("File name,Anonymization result,")

    name, data = _download(verified, "Report as JSON")
    report = json.loads(data)
    assert report["verdict"] == "FAIL"
    assert name.startswith("anonaudit_tabular_")

    _, data = _download(verified, "Download report")
    assert data.count(b"<svg") == 3  # class sizes; a file without quasi-identifiers has none
    assert data.count(b'<table class="map">') == 4
    assert b"<script" not in data

    _, data = _download(verified, "Report as Excel")
    assert "xl/workbook.xml" in zipfile.ZipFile(io.BytesIO(data)).namelist()

    name, data = _download(verified, "Report as CSV tables (ZIP)")
    assert name.endswith(".zip")
    assert any(member.endswith(".csv") for member in zipfile.ZipFile(io.BytesIO(data)).namelist())


def test_k_slider__moves_by_keyboard_and_judges_again_at_once(
    verified: Page, wait_until_idle: Callable[[Page], None]
) -> None:
    slider = verified.get_by_role("slider", name="Smallest group size k")
    slider.focus()
    for k in (6, 7):
        slider.press("ArrowRight")
        said = verified.get_by_text(f"in groups smaller than {k}").filter(visible=True)
        expect(said.first).to_be_visible()
        wait_until_idle(verified)
    slider.press("End")
    expect(verified.get_by_text("in groups smaller than 50").filter(visible=True).first).to_be_visible()


def test_file_chosen__shows_why_our_verdict_differs_from_the_log_s(
    verified: Page, wait_until_idle: Callable[[Page], None], choose: Callable[[Page, str, str], None]
) -> None:
    choose(verified, "File to look at", "survey.csv")
    for part in ("Published rule: PASS", "Second opinion: FAIL"):
        expect(verified.get_by_text(part)).to_be_visible()
    wait_until_idle(verified)
    sides = (("rule", "Published rule", "PASS"), ("opinion", "Second opinion", "FAIL"))
    for side, title, verdict in sides:
        place = verified.locator(f".st-key-tabular_side_{side}")
        expect(place).to_contain_text(re.compile(rf"^\s*{title}.{{0,40}}?{verdict}", re.DOTALL))


def test_list_and_map__open_the_row_that_is_clicked(
    verified: Page, wait_until_idle: Callable[[Page], None]
) -> None:
    verified.set_viewport_size({"width": 1440, "height": 900})  # from 1400 on the list is a table
    wait_until_idle(verified)
    listed = verified.get_by_test_id("stDataFrame").filter(visible=True).first
    listed.click(position={"x": 16, "y": 88})
    for part in ("Published rule: PASS", "Second opinion: FAIL"):
        expect(verified.get_by_text(part)).to_be_visible()
    wait_until_idle(verified)
    columns = verified.get_by_test_id("stDataFrame").filter(visible=True).nth(1)
    columns.click(position={"x": 16, "y": 52})
    expect(verified.get_by_text("Mark a column for")).to_have_count(0)


def test_verdict__stands_within_the_first_screen(verified: Page) -> None:
    cards = verified.locator('[class*="st-key-verdict_"]')
    for place in range(2):
        box = cards.nth(place).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900
    metrics = verified.get_by_test_id("stMetric")
    assert sum(metrics.nth(place).is_visible() for place in range(metrics.count())) <= 4
