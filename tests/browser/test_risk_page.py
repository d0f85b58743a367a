"""The disclosure-risk page in a real browser: upload, roles, k by keyboard, what-if, a table to take away."""

import json

from playwright.sync_api import Page, expect

from tests.browser.downloading import downloaded
from tests.kinds import Visit, Wait

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
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)


def test_roles_and_k__are_judged_again(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    _upload(page)
    wait_until_idle(page)
    assert _figure(page, "Smallest group size (k)") == "3"
    expect(page.get_by_text("Nobody chose the quasi-identifiers")).to_be_visible()
    page.get_by_text("Roles, suggested: 2 quasi-identifiers, 1 sensitive attribute").click()
    page.wait_for_timeout(1_500)  # until the drawer is open and its editor drawn
    wait_until_idle(page)
    page.get_by_role("button", name="Confirm the roles").click()
    expect(page.get_by_text("Nobody chose the quasi-identifiers")).to_have_count(0)
    wait_until_idle(page)
    at_risk = page.get_by_test_id("stMetric").filter(has_text="Records at risk")
    expect(at_risk).to_contain_text("100 %")
    slider = page.get_by_role("slider", name="Smallest group size k")
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    expect(at_risk).to_contain_text("0 %")
    expect(at_risk).to_contain_text("PASS")
    wait_until_idle(page)
    report = json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
    assert (
        report["settings_said"]["Smallest group size k"] == 3
    )  # what depends on k is drawn again apart from the page
