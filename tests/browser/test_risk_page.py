"""The disclosure-risk page in a real browser: upload, roles, k by keyboard, what-if, a table to take away."""

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from core.demo.risk import DEMOS
from tests.browser.downloading import downloaded

PEOPLE = {
    "name": "people.csv",
    "mimeType": "text/csv",
    "buffer": b"age,sex,disease\n"
    + b"".join(
        b"%d,%s,%s\n" % (30 + n % 20, b"FM"[n % 2 : n % 2 + 1], (b"flu", b"cold", b"gout")[n % 3])
        for n in range(60)
    ),
}


def _figure(page: Page, label: str) -> str:
    card = page.get_by_test_id("stMetric").filter(has_text=label)
    return card.get_by_test_id("stMetricValue").inner_text()


def _upload(page: Page) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(PEOPLE)
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible(timeout=60_000)


def test_roles_and_k__are_judged_again(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("risk")
    _upload(page)
    wait_until_idle(page)
    assert _figure(page, "Smallest class size (k)") == "3"
    expect(page.get_by_text("Nobody chose the quasi-identifiers")).to_be_visible()
    page.get_by_text("Roles, suggested: 2 quasi-identifiers, 1 sensitive attribute").click()
    page.wait_for_timeout(1_500)  # until the drawer is open and its editor drawn
    wait_until_idle(page)
    page.get_by_role("button", name="Confirm the roles").click()
    expect(page.get_by_text("Nobody chose the quasi-identifiers")).to_have_count(0)
    wait_until_idle(page)
    at_risk = page.get_by_test_id("stMetric").filter(has_text="Records at risk")
    expect(at_risk).to_contain_text("100 %")
    slider = page.get_by_role("slider", name="Smallest class size k")
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    expect(at_risk).to_contain_text("0 %")
    expect(at_risk).to_contain_text("PASS")
    wait_until_idle(page)
    report = json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
    assert (
        report["settings"]["Smallest class size k"] == 3
    )  # what depends on k is drawn again apart from the page


def test_verdict__stands_in_the_first_900_pixels(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("risk")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name=DEMOS[0].label).click()
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    card = page.locator('[class*="st-key-verdict_"]').first.bounding_box()
    assert card is not None
    assert card["y"] + card["height"] < 900
    cards = page.get_by_test_id("stMetric").filter(visible=True)
    expect(cards.first).to_be_visible()
    assert cards.count() <= 4


def test_chart__draws_bars_k_and_the_cumulative_share(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("risk")
    _upload(page)
    wait_until_idle(page)
    bars = page.locator('[data-testid=stVegaLiteChart] svg path[aria-roledescription="bar"]')
    expect(bars.first).to_have_attribute("aria-label", re.compile("quasi-identifiers.: 3; Records: 60"))
    expect(page.get_by_text("Cumulative share of records", exact=True).first).to_be_visible()


def test_what_if__offers_a_table_that_reaches_k(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("risk")
    _upload(page)
    wait_until_idle(page)
    page.get_by_role("button", name="Search the cheapest generalizations").click()
    expect(page.get_by_text("Generalization to look at")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    expect(page.get_by_text("shared by at least 6 records; 5 are asked for")).to_be_visible()
    wait_until_idle(page)
    lines = downloaded(page, "Generalized table").read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.split('","')[:2]) for line in lines[1:]]
    shown = [row for row in rows if "*" not in row[0]]
    assert len(lines) == 61
    assert min(shown.count(row) for row in shown) >= 5
    assert json.loads(downloaded(page, "How it was made").read_text(encoding="utf-8"))["k"] == 5


def test_violations_and_unchosen_columns__are_listed(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("risk")
    rows = b"".join(b"%d,%d,%d\n" % (30 + n // 8, n % 7, n // 7) for n in range(60))
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,shoe,hat\n" + rows}
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    lines = downloaded(page, "Records that miss a threshold").read_text(encoding="utf-8").splitlines()
    assert [line.replace('"', "") for line in lines] == [
        "Record,Class size,Misses",
        *(f"{n},4,k" for n in range(57, 61)),
    ]
    page.get_by_role("tab", name="Columns").click()
    expect(
        page.get_by_text("columns that nobody chose, taken together, single out 100 %").last
    ).to_be_visible()
