"""What only a browser shows of the application as a whole."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.components.navigation import TOOLS

PATHS = ["", *(tool.key for tool in TOOLS)]
# Streamlit 1.67's own elements; what they are is in docs/development.md.
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
    quiet_page: Page, visit: Callable[[str], Page], path: str, scheme: str
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
