"""Filed reports in a real browser: a report is decided on, its package taken away, and both checked."""

import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from core.filed.deciding import read_decided
from core.reports import render
from tests import report_examples as examples

REPORT = {"name": "report.json", "mimeType": "application/json", "buffer": render(examples.report(), "json")}


def _taken(page: Page, label: str) -> bytes:
    with page.expect_download(timeout=30_000) as started:
        page.get_by_role("button", name=label, exact=True).click()
    return Path(started.value.path()).read_bytes()


def test_report__is_decided_packed_and_read_again(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("filed")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([REPORT])
    expect(page.get_by_role("button", name="Decide")).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("radiogroup").get_by_text("Return for changes").click()
    page.get_by_label("Who decides").fill("Ana Novak")
    page.get_by_label("Reason", exact=True).fill("Once more, žal")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("Returned for changes by Ana Novak")).to_be_visible()
    wait_until_idle(page)
    decided = read_decided(_taken(page, "Decided report"), name="report_decided.json")
    assert decided.undecided == REPORT["buffer"]
    assert decided.decision.outcome == "returned"
    page = visit("filed")
    given = {"name": "report_decided.json", "mimeType": "application/json", "buffer": decided.data}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([given])
    expect(page.get_by_text("The file is byte for byte as it was written.")).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        expect(page.get_by_text("Returned for changes by Ana Novak")).to_be_visible()


def test_package__holds_what_verify_names(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None], tmp_path: Path
) -> None:
    page = visit("filed")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([REPORT])
    expect(page.get_by_role("button", name="Decide")).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("radiogroup").get_by_text("Approve").click()
    page.get_by_label("Who decides").fill("Ana")
    page.get_by_label("Reason", exact=True).fill("so")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("Approved by Ana")).to_be_visible()
    wait_until_idle(page)
    (tmp_path / "evidence.zip").write_bytes(_taken(page, "evidence.zip"))
    with zipfile.ZipFile(tmp_path / "evidence.zip") as archive:
        names = archive.namelist()
        assert archive.read("report.json") == REPORT["buffer"]
        told = archive.read("VERIFY.txt").decode()
    assert {"decided.json", "decided.html", "SHA256SUMS"} <= {*names}
    assert "The decision is not signed" in told
