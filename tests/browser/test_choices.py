"""Choices and files over a visit to another page, in a real browser; every widget: tests/apptest."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

STATE = """() => Object.fromEntries([...document.querySelectorAll('.stElementContainer[class*="st-key-"]')]
  .map(box => [[...box.classList].find(name => name.startsWith("st-key-")),
    [...box.querySelectorAll('input, [role="slider"], [aria-checked], [data-baseweb="tag"]')]
      .map(one => [one.getAttribute("aria-valuenow"), one.getAttribute("aria-checked"),
                   one.type === "checkbox" ? one.checked : one.value, one.textContent])])
  .filter(([key, parts]) => parts.length))"""


def _go_home_and_back(page: Page, wait_until_idle: Callable[[Page], None]) -> None:
    wait_until_idle(page)
    title = page.get_by_role("heading", level=1).inner_text()
    page.get_by_test_id("stTopNavLink").filter(has_text="Home").click()
    expect(page.get_by_role("heading", level=1, name="AnonAudit")).to_be_visible()
    wait_until_idle(page)
    page.go_back()
    expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
    expect(page.get_by_text("of your files are held in memory")).to_be_visible(timeout=30_000)
    wait_until_idle(page)


@pytest.mark.parametrize(("tool", "least"), [("risk", 2), ("vcf", 1), ("diversity", 2)])
def test_choices__are_kept_over_a_page_switch(
    tool: str, least: int, visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit(tool)
    page.locator(f'[class*="st-key-{tool}_demo"] button').first.click()
    expect(page.get_by_text("of your files are held in memory")).to_be_visible(timeout=30_000)
    if tool == "diversity":
        page.locator("summary", has_text="Settings").first.click()
    expect(page.get_by_role("slider").first).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    page.wait_for_timeout(1_000)
    before = page.evaluate(STATE)
    for slider in page.get_by_role("slider").all():
        if slider.is_visible() and slider.get_attribute("aria-disabled") != "true":
            slider.press("ArrowRight")
            wait_until_idle(page)
    for toggle in page.get_by_test_id("stCheckbox").all():
        if toggle.is_visible() and toggle.locator("input").is_enabled():
            toggle.locator("label").first.click()
            wait_until_idle(page)
    page.wait_for_timeout(1_000)
    wait_until_idle(page)
    chosen = page.evaluate(STATE)
    assert sum(chosen[key] != before.get(key) for key in chosen) >= least
    _go_home_and_back(page, wait_until_idle)
    assert page.evaluate(STATE) == chosen
