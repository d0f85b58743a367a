"""What only a browser shows of the application as a whole."""

import os
import re
import tomllib

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.components.navigation import TOOLS
from tests.browser.downloading import downloaded
from tests.kinds import Visit, Wait

PATHS = ["", *(tool.key for tool in TOOLS)]
# Rules of axe that elements of Streamlit 1.67 itself break.
NOT_OURS = {"presentation-role-conflict", "empty-table-header"}


@pytest.mark.parametrize("path", PATHS)
def test_deep_link__on_a_fresh_server_shows_the_page_and_no_dialog(
    quiet_page: Page, fresh_server: str, path: str
) -> None:
    quiet_page.goto(f"{fresh_server}/{path}")
    title = next((tool.title for tool in TOOLS if tool.key == path), "AnonAudit")
    expect(quiet_page.get_by_role("heading", level=1, name=title)).to_be_visible(timeout=30_000)
    expect(quiet_page.get_by_test_id("stTopNavLink").first).to_be_visible()
    expect(quiet_page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_page__has_no_accessibility_violation_of_ours(
    quiet_page: Page, visit: Visit, path: str, scheme: str
) -> None:
    quiet_page.emulate_media(color_scheme=scheme)
    page = visit(path)  # what a run has not drawn anew yet is faded, and fails on contrast
    violations = Axe().run(page).response["violations"]
    assert [found["id"] for found in violations if found["id"] not in NOT_OURS] == []


def test_server__tells_the_browser_to_refuse_other_hosts(page: Page, server_address: str) -> None:
    headers = page.context.request.get(server_address).headers
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]


PEOPLE = {
    "name": "people.csv",
    "mimeType": "text/csv",
    "buffer": b"age,sex,disease\n"
    + b"".join(b"%d,%s,d%d\n" % (30 + n % 2, b"FM"[n % 2 : n % 2 + 1], n % 3) for n in range(60)),
}


def test_policy_and_settings__are_chosen_taken_away_and_opened(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(PEOPLE)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    # What is drawn late above "Open settings" moves the drawer that stands open out of sight.
    expect(page.locator("[data-testid=stVegaLiteChart] svg").filter(visible=True).first).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.get_by_role("combobox", name="Policy").click()
    page.get_by_role("option", name="CMS-like: no cell below 11").click()
    expect(page.get_by_text("Meets the limits that the policy")).to_be_visible()
    wait_until_idle(page)
    slider = page.get_by_role("slider", name="Smallest group size k")
    expect(slider).to_have_value("11")
    if folder := os.environ.get("LOOK"):
        page.set_viewport_size({"width": 1280, "height": 3600})
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{folder}/policy_light.png")
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{folder}/policy_dark.png")
    taken = downloaded(page, "Download settings")
    settings = tomllib.loads(taken.read_text(encoding="utf-8"))
    assert (settings["tool"], settings["policy"], settings["settings"]["k"]) == ("risk", "cms-cell-11", 11)
    slider.press("ArrowRight")
    expect(page.get_by_text("differs from the policy")).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("button", name="Open settings").click()
    written = {"name": "mine.toml", "mimeType": "application/toml", "buffer": taken.read_bytes()}
    page.get_by_test_id("stPopoverBody").get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        written
    )
    expect(slider).to_have_value("11")
    expect(page.get_by_text("differs from the policy")).to_have_count(0)
    expect(page.get_by_role("alert").filter(has_text=re.compile("mine.toml"))).to_have_count(0)
