"""The leakage page in a real browser: upload, sliders, keyboard, downloads that can be read."""

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.downloading import downloaded

ORIGINAL = b"id,age,sex,score\n1,30,f,5\n2,41,m,-999\n3,52,f,7\n4,63,m,-999\n"
SCRAMBLED = b"id,age,sex,score\n1,52,f,5\n2,30,f,-999\n3,63,m,2\n4,41,f,1\n"


def figure(page: Page, label: str) -> str:
    card = page.get_by_test_id("stMetric").filter(has_text=label)
    return card.get_by_test_id("stMetricValue").inner_text()


def upload(page: Page, position: int, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "text/csv", "buffer": data}
    page.get_by_test_id("stFileUploaderDropzoneInput").nth(position).set_input_files(file)
    expect(page.get_by_text(f"{name} ·")).to_be_visible(timeout=30_000)


def test_uploads__are_compared_and_downloads_can_be_read(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("leakage")
    upload(page, 0, "original.csv", ORIGINAL)
    wait_until_idle(page)
    upload(page, 0, "scrambled.csv", SCRAMBLED)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    assert figure(page, "Average matching cells per row") == "1.75"

    page.get_by_text("Settings", exact=True).first.click()
    expect(page.get_by_role("combobox", name="Values to ignore")).to_be_visible()
    wait_until_idle(page)
    page.wait_for_timeout(1_000)  # until the drawer is open
    page.get_by_role("combobox", name="Values to ignore").fill("-999")
    page.get_by_role("option", name="-999", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Ignored values: -999.")).to_be_visible()
    wait_until_idle(page)
    assert figure(page, "Average matching cells per row") == "1.50"

    document = json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8-sig"))
    assert document["tool"] == "leakage"
    lines = downloaded(page, "Counts per row (CSV)").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5
