"""What only a browser shows of the l-diversity page: clicking a chart, stopping, downloads, accessibility."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Literal

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.downloading import downloaded

NOT_OURS = {"presentation-role-conflict", "empty-table-header"}
QUASI_IDENTIFIERS = ["sepal length (cm)", "sepal width (cm)"]
Visit = Callable[[str], Page]
Wait = Callable[[Page], None]


@pytest.fixture
def searched(visit: Visit, wait_until_idle: Wait) -> Page:
    """The page after the iris demo was searched by itself, with its default settings."""
    page = visit("diversity")
    page.set_viewport_size({"width": 1280, "height": 4000})
    page.get_by_role("button", name="Iris").click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_settings__are_folded_below_what_predicts_what(
    scheme: Literal["light", "dark"], visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("diversity")
    page.emulate_media(color_scheme=scheme)
    page.get_by_role("button", name="Iris").click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stMultiSelectTagsContainer").first).to_be_hidden()
    _open_settings(page, wait_until_idle)
    expect(page.get_by_test_id("stMultiSelectTagsContainer").first).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    told = page.get_by_text("more predict target; others may know")
    assert _end_of(told) < _end_of(page.get_by_text("Roles of columns · Settings"))
    violations = Axe().run(page).response["violations"]
    assert [found["id"] for found in violations if found["id"] not in NOT_OURS] == []


def _end_of(place: Locator) -> float:
    box = place.first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def _open_settings(page: Page, wait_until_idle: Wait) -> None:
    wait_until_idle(page)
    page.get_by_test_id("stExpander").filter(has_text="Settings · Earlier").locator("summary").first.click()


def _picked(page: Page) -> tuple[int, int]:
    values = [page.get_by_role("spinbutton", name=name, exact=True).input_value() for name in ("k", "ℓ")]
    return int(values[0]), int(values[1])


def test_search__is_verified_and_released_as_shown(searched: Page) -> None:
    k, _ = _picked(searched)
    released = pd.read_csv(downloaded(searched, "Anonymized table"), dtype=str)
    sizes = Counter(map(tuple, released[QUASI_IDENTIFIERS].to_numpy()))
    smallest = min(sizes.values())
    assert smallest >= k
    metric = searched.get_by_test_id("stMetric").filter(has_text="Smallest group size (k)")
    expect(metric.get_by_test_id("stMetricValue")).to_have_text(str(smallest))
    assert "ℓ-diversity search" in downloaded(searched, "Download report").read_text(encoding="utf-8")


def test_click_on_a_cell__shows_its_pair(searched: Page, wait_until_idle: Wait) -> None:
    wait_until_idle(searched)
    before = _picked(searched)
    grid = searched.get_by_test_id("stVegaLiteChart").nth(1)
    cells = grid.locator('path[aria-roledescription="rect mark"]')
    other = cells.nth(30)
    expect(other).to_be_visible()
    label = other.get_attribute("aria-label") or ""
    chosen = dict(part.split(": ", 1) for part in label.split("; ") if ": " in part)
    k = next(int(value) for name, value in chosen.items() if name.startswith("k"))
    ell = next(int(value) for name, value in chosen.items() if name.startswith("ℓ"))
    assert (k, ell) != before
    other.click()
    expect(searched.get_by_role("heading", name=f"k = {k}, ℓ = {ell}: ")).to_be_visible()
    wait_until_idle(searched)
    assert _picked(searched) == (k, ell)


def test_page_with_a_result__has_no_accessibility_violation_of_ours(searched: Page) -> None:
    violations = Axe().run(searched).response["violations"]
    assert [found["id"] for found in violations if found["id"] not in NOT_OURS] == []


def _start(page: Page, wait_until_idle: Wait) -> None:
    """Start the search; a rerun that draws the button again can swallow a click, so try again."""
    started = page.get_by_text("Pairs of k and ℓ")
    for _ in range(3):
        wait_until_idle(page)
        page.get_by_role("button", name="Search").click()
        try:
            started.wait_for(timeout=20_000)
        except PlaywrightTimeoutError:
            continue
        return
    expect(started).to_be_visible()


def test_stop__keeps_what_is_done(
    visit: Visit, wait_until_idle: Wait, choose: Callable[[Page, str, str], None]
) -> None:
    page = visit("diversity")
    page.set_viewport_size({"width": 1280, "height": 3000})
    page.get_by_role("button", name="Breast cancer").click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
    _open_settings(page, wait_until_idle)
    page.get_by_role("tab", name="Settings").click()
    choose(page, "Where the model comes from", "Train a random forest here")
    largest_k = page.get_by_role("spinbutton", name="Largest k")
    largest_k.fill("100")
    largest_k.press("Enter")
    page.wait_for_timeout(1_000)  # until the rerun has begun
    _start(page, wait_until_idle)
    expect(page.get_by_text(re.compile(r"Pairs of k and ℓ · [1-9]"))).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop and keep what is done").click()
    expect(page.get_by_text("Stopped after")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("pairs of k and ℓ were not evaluated")).to_be_visible()
    expect(page.get_by_role("heading", name="The trade-off")).to_be_visible()
