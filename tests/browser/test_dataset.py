"""The page of several tables in a real browser: four files, the picture of their keys, and the report."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from core.demo.delivery import DEMOS
from tests.browser.downloading import downloaded

SLOW = 90_000
WARDS = {"name": "wards.csv", "mimeType": "text/csv", "buffer": b"ward,floor\nA,1\nB,2\n"}
FILES = [
    *({"name": file.name, "mimeType": "text/csv", "buffer": file.data} for file in DEMOS[0].make()["tables"]),
    WARDS,
]


def test_four_files__are_read_together_drawn_and_reported(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("dataset")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(FILES)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("in 4 tables are among fewer than 5")
    picture = page.get_by_test_id("stVegaLiteChart").first.locator("svg")
    expect(picture).to_be_visible()
    for name in ("persons", "stays", "tests", "wards"):
        expect(picture.get_by_text(name, exact=True)).to_have_count(1)
    expect(picture.get_by_text("1 : n")).to_have_count(2)
    report = downloaded(page, "Download report").read_text(encoding="utf-8")
    assert "Tables and the keys between them" in report
    assert "<code>persons</code> to <code>stays</code> by" in report or "persons to stays by" in report
    page.emulate_media(color_scheme="dark")
    expect(picture).to_be_visible()


def test_bad_table__is_named_and_the_rest_goes_on(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("dataset")
    empty = {"name": "empty.csv", "mimeType": "text/csv", "buffer": b"person,reason\n"}
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files([*FILES, empty])
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    expect(page.get_by_text("empty.csv: the file has only a header").first).to_be_visible()
    expect(page.get_by_test_id("stMain")).to_contain_text("in 4 tables are among fewer than 5")
