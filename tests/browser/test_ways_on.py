"""From one tool to the next, with the files carried along."""

from pathlib import Path

from playwright.sync_api import Page, expect

from core.demo import LEAKAGE, DemoFile
from tests.kinds import Visit, Wait

SLOW = 60_000  # milliseconds, on a busy machine


def _take(page: Page, title: str, label: str) -> None:
    page.get_by_role("button", name=label).first.click()
    expect(page.get_by_role("heading", level=1, name=title)).to_be_visible(timeout=SLOW)
    expect(page.locator('[class*="st-key-verdict_"]').first).to_be_visible(timeout=SLOW)


def _given(page: Page, *files: DemoFile) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        [{"name": file.name, "mimeType": "text/csv", "buffer": file.data} for file in files]
    )


def test_files__go_along_from_tool_to_tool_and_back(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("tabular")
    page.locator(".st-key-tabular_demo_hospital button").first.click()
    expect(page.get_by_role("heading", name="4 files verified")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    _take(page, "Row leakage", "Compare them in Row leakage")
    expect(page.get_by_text("Original table: lab_results.csv")).to_be_visible()
    wait_until_idle(page)
    _take(page, "Disclosure risk", "Check this table in Disclosure risk")
    expect(page.get_by_text("lab_results_anonymized.csv ·").first).to_be_visible()
    wait_until_idle(page)
    _take(page, "Row leakage", "Compare them in Row leakage")
    expect(page.get_by_text("Scrambled table: lab_results_anonymized.csv")).to_be_visible()
    wait_until_idle(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="Tabular verifier").click()
    expect(page.get_by_role("heading", name="4 files verified")).to_be_visible(timeout=SLOW)


def test_two_tables_without_a_log__go_where_none_is_needed_read_as_they_were(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("tabular")
    files = LEAKAGE[0].make()
    _given(page, *files["original"], *files["scrambled"])
    wait_until_idle(page)
    expect(page.get_by_text("There is no log among these files.")).to_be_visible()
    _take(page, "Row leakage", "Compare them in Row leakage")
    expect(page.get_by_text(f"Original table: {files['original'][0].name}")).to_be_visible()
    expect(page.get_by_text(f"Scrambled table: {files['scrambled'][0].name}")).to_be_visible()


def test_release_of_a_search__is_checked_beside_its_original(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    page.locator(".st-key-risk_demo_untouched button").first.click()
    expect(page.get_by_role("button", name="Details").first).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    with page.expect_download(timeout=SLOW) as taken:  # the table, without a look at it
        page.get_by_role("button", name="Download", exact=True).first.click()
    assert Path(taken.value.path()).read_text("utf-8-sig").startswith('"age",')
    page.get_by_role("button", name="Details").first.click()
    expect(page.get_by_role("button", name="Generalized table")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    _take(page, "Row leakage", "Compare them in Row leakage")
    expect(page.get_by_text("Scrambled table: ")).to_be_visible()


def test_wrong_files__have_their_cause_first_and_nothing_to_pair(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("tabular")
    _given(page, DemoFile(name="visits.csv", data=b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"))
    expect(page.get_by_role("alert").first).to_contain_text("a PDF document", timeout=SLOW)
    wait_until_idle(page)
    page.get_by_test_id("stExpander").filter(has_text="Files and settings").locator("summary").click()
    page.get_by_role("tab", name="Pair files by hand").click()
    expect(page.get_by_text("There is nothing to pair")).to_be_visible()
    expect(page.get_by_role("combobox", name="Original")).to_have_count(0)
    expect(page.get_by_text("There is no log among these files.")).to_have_count(0)
