"""Filed reports in a real browser: a report is decided on, its package taken away, and both checked."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from core.filed.deciding import read_decided
from core.languages import LANGUAGES
from core.reports import render
from tests import report_examples as examples
from tests.browser.conftest import let_in
from tests.browser.downloading import downloaded
from tests.kinds import Visit, Wait

REPORT = {"name": "report.json", "mimeType": "application/json", "buffer": render(examples.report(), "json")}


def _taken(page: Page, label: str) -> bytes:
    with page.expect_download(timeout=30_000) as started:
        page.get_by_role("button", name=label, exact=True).click()
    return Path(started.value.path()).read_bytes()


def test_report__is_decided_packed_and_read_again(visit: Visit, wait_until_idle: Wait) -> None:
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


def test_package__holds_what_verify_names(visit: Visit, wait_until_idle: Wait, tmp_path: Path) -> None:
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
    (tmp_path / "evidence.zip").write_bytes(_taken(page, "Evidence package (ZIP)"))
    with zipfile.ZipFile(tmp_path / "evidence.zip") as archive:
        names = archive.namelist()
        assert archive.read("report.json") == REPORT["buffer"]
        told = archive.read("VERIFY.txt").decode()
    assert {"decided.json", "decided.html", "SHA256SUMS"} <= {*names}
    assert "The decision is not signed" in told


EXAMPLES = Path(__file__).parents[1] / "filed_examples"
FILES = [EXAMPLES / "people.csv", EXAMPLES / "people_scrambled.csv"]


def test_report__of_a_page_is_repeated_where_it_is_dropped_with_its_files(
    visit: Visit, wait_until_idle: Wait, tmp_path: Path
) -> None:
    page = visit("leakage")
    for path in FILES:
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(path)
        expect(page.get_by_text(f"{path.name} ·")).to_be_visible(timeout=30_000)
        wait_until_idle(page)
    report = downloaded(page, "Report as JSON").rename(tmp_path / "filed.json")
    page = visit("filed")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files([report, *FILES])
    page.get_by_role("button", name="Repeat the audit").click(timeout=60_000)
    expect(page.get_by_text("the audit comes to the same report")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize("code", LANGUAGES)
def test_navigation__shows_every_page_at_1440_pixels(
    browser: Browser, server_address: str, code: str
) -> None:
    size = {"width": 1440, "height": 900}
    page = let_in(browser.new_context(locale=code, viewport=size), server_address).new_page()
    page.goto(f"{server_address}/filed")
    links = page.get_by_test_id("stTopNavLink")
    expect(links).to_have_count(9, timeout=60_000)
    for number in range(9):
        expect(links.nth(number)).to_be_visible()
    page.context.close()
