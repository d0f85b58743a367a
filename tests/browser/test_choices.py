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
PEOPLE = "age,sex,disease\n" + "".join(f"{30 + n % 4},{'FM'[n % 2]},{'abc'[n % 3]}\n" for n in range(60))


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


@pytest.mark.parametrize(("tool", "least"), [("risk", 3), ("vcf", 1), ("diversity", 2)])
def test_choices__are_kept_over_a_page_switch(
    tool: str, least: int, visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit(tool)
    page.locator(f'[class*="st-key-{tool}_demo"] button').first.click()
    expect(page.get_by_text("of your files are held in memory")).to_be_visible(timeout=30_000)
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


@pytest.mark.parametrize(("tool", "second"), [("risk", "original"), ("diversity", "training")])
def test_file__stands_in_two_places_and_a_second_upload_replaces_the_first(
    tool: str, second: str, visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit(tool)
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": PEOPLE.encode()}
    other = file | {"name": "others.csv", "buffer": PEOPLE.replace("30,", "50,").encode()}
    inputs = page.get_by_test_id("stFileUploaderDropzoneInput")
    inputs.first.set_input_files(file)
    expect(page.get_by_text("people.csv ·")).to_have_count(1, timeout=30_000)
    wait_until_idle(page)
    place = page.locator(f'[class*="st-key-{tool}_{second}_upload"] input')
    place.set_input_files(file)
    expect(page.get_by_text("people.csv ·")).to_have_count(2, timeout=30_000)
    _go_home_and_back(page, wait_until_idle)
    expect(page.get_by_text("people.csv ·")).to_have_count(2)
    reading = page.locator("button", has_text="How it was read").last  # in an expander that is closed again
    reading.evaluate("button => button.click()")
    place.set_input_files(other)
    expect(page.get_by_text("others.csv ·")).to_have_count(1, timeout=30_000)
    expect(page.get_by_text("people.csv ·")).to_have_count(1)
    expect(page.get_by_test_id("stException")).to_have_count(0)
