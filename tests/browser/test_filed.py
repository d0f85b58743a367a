"""Filed reports in a real browser: a downloaded report is repeated on its files; every page is in sight."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from core.languages import LANGUAGES
from tests.browser.conftest import let_in
from tests.browser.downloading import downloaded

EXAMPLES = Path(__file__).parents[1] / "filed_examples"
FILES = [EXAMPLES / "people.csv", EXAMPLES / "people_scrambled.csv"]


def test_report__of_a_page_is_repeated_where_it_is_dropped_with_its_files(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None], tmp_path: Path
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
