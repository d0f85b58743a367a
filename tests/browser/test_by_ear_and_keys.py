"""Without a mouse or without eyes, and with names that want room."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from core.tools import TOOLS
from tests.browser.test_bars import PAGES
from tests.kinds import Visit, Wait

SLOW = 60_000  # milliseconds, on a busy machine
TABLE = b"id,age,score\n1,30,5\n2,41,9\n3,52,7\n4,63,8\n"
MOVED = b"id,age,score\n1,52,5\n2,30,9\n3,63,2\n4,41,1\n"
MOST_STEPS = 250
MOST_TO_REPORT = 25
RING = """() => {const style = getComputedStyle(document.activeElement);
  return [document.activeElement.dataset.testid, style.outlineStyle, parseFloat(style.outlineWidth) >= 2]}"""
ON_PICTURE = """() => !!document.activeElement.closest(
  '[data-testid="stFullScreenFrame"]:has([data-testid="stVegaLiteChart"]), [data-testid="stImage"]')"""
FOCUSED = """() => {const one = document.activeElement;
  return (one.getAttribute("aria-label") || one.innerText || "").trim()}"""
BESIDE_THE_PAGE = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  return main.scrollWidth - main.clientWidth}"""


def _step_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press a key until what is called so has the focus."""
    for _ in range(MOST_STEPS):
        page.keyboard.press(key)
        if re.search(name, page.evaluate(FOCUSED)):
            return
    raise AssertionError(f"{name} cannot be reached by {key}")


def _give(page: Page, button: str, name: str, data: bytes) -> None:
    """Choose a file by keys; a rerun that draws the uploader again takes the focus, so go there again."""
    for attempt in range(4):
        _step_to(page, button)
        try:
            with page.expect_file_chooser(timeout=5_000) as chooser:
                page.keyboard.press("Enter")
        except PlaywrightTimeoutError:
            assert attempt < 3, "the file chooser cannot be opened by keys"
        else:
            chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": data})
            break
    expect(page.get_by_text(f"{name} ·").first).to_be_visible(timeout=SLOW)


def test_keyboard_alone__leads_from_the_upload_to_the_report(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    _give(page, r"(^|\n)Upload$", "first.csv", TABLE)
    expect(page.locator('[class*="st-key-verdict_"]').first).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    wait_until_idle(page)
    _step_to(page, r"(^|\n)Download report$")
    with page.expect_download(timeout=SLOW) as started:
        page.keyboard.press("Enter")
    assert Path(started.value.path()).read_bytes().startswith(b"<!doctype html>")


@pytest.mark.parametrize(("tool", "demo"), PAGES)
def test_keyboard__is_seen_in_the_menu_and_is_soon_at_the_report(
    tool: str, demo: str, visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit(tool)
    page.locator(f".st-key-{tool}_demo_{demo} button:visible").first.click(timeout=SLOW)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    wait_until_idle(page)
    page.get_by_test_id("stSkipToContent").focus()
    rings = []
    for _ in range(MOST_TO_REPORT):
        page.keyboard.press("Tab")
        rings.append(page.evaluate(RING))
        assert not page.evaluate(ON_PICTURE)
        if page.evaluate(FOCUSED).endswith("Download report"):
            break
    else:
        raise AssertionError(f"{MOST_TO_REPORT} Tabs do not lead to the report")
    in_menu = [ring for name, *ring in rings if str(name).startswith("stTopNav")]
    assert len(in_menu) == len(TOOLS) + 3
    assert all(ring == ["solid", True] for ring in in_menu)


def test_verdict__is_said_and_said_again_when_it_changes(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    page.locator('[class*="st-key-risk_demo_generalized"] button:visible').first.click()
    said = page.locator('[role="status"][aria-live="polite"]')
    expect(said).to_have_text(re.compile(r"^(PASS|WARN|NOT ASSESSED|FAIL): "), timeout=SLOW)
    wait_until_idle(page)
    before = said.inner_text()
    page.get_by_role("slider", name="Smallest group size k").first.press("End")
    expect(said).not_to_have_text(before, timeout=SLOW)
    expect(said).to_have_text(re.compile("^FAIL"))


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize(
    "name", ["n" * 196 + ".csv", "\u05d1\u05d9\u05e7\u05d5\u05e8\u05d9\u05dd " * 9 + ".csv"]
)
def test_long_and_right_to_left_names__overlap_nothing(
    name: str, width: int, visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("leakage")
    page.set_viewport_size({"width": width, "height": 900})
    for n_before, (role, data) in enumerate((("original", TABLE), ("scrambled", MOVED))):
        place = page.locator(f'[class*="st-key-leakage_{role}_upload"] input[type="file"]')
        place.set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})
        expect(page.get_by_text(".csv ·")).to_have_count(n_before + 1, timeout=SLOW)
        wait_until_idle(page)
    expect(page.locator('[class*="st-key-verdict_"]').first).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    assert page.evaluate(BESIDE_THE_PAGE) <= 0
    chips = page.get_by_text("How it was read")
    names = page.get_by_text(".csv ·")
    for place in range(names.count()):
        words, button = names.nth(place).bounding_box(), chips.nth(place).bounding_box()
        assert words is not None
        assert button is not None
        beside = words["x"] + words["width"] <= button["x"] + 1
        below = words["y"] + words["height"] <= button["y"] + 1
        assert beside or below
