"""The VCF verifier in a browser: demo, slider, downloads, upload."""

import csv
from collections.abc import Callable

from playwright.sync_api import Page, expect

from core.files.own_reports import VCF_COLUMNS
from tests.browser.downloading import downloaded
from tests.vcf_files import bgzf, masked_header, vcf_text

SLOW = 30_000  # milliseconds, on a busy machine
LINES = ["chr1 100 . A G . . AF=0.001", "chr1 300 . A T . . AF=0.0105"]
FILES = [
    {"name": "s.vcf.gz", "mimeType": "application/gzip", "buffer": bgzf(vcf_text(LINES))},
    {
        "name": "high_anony_s.vcf.gz",
        "mimeType": "application/gzip",
        "buffer": bgzf(vcf_text(["chr1 100 . A . . . .", LINES[1]], header=masked_header())),
    },
]


def test_demo__is_verified_and_its_reports_can_be_taken_away(
    visit: Callable[[str], Page],
    wait_until_idle: Callable[[Page], None],
) -> None:
    page = visit("vcf")
    page.get_by_role("button", name="Two synthetic cohorts").click()
    expect(page.get_by_role("heading", name="3 pairs: 1 FAIL, 1 WARN, 1 PASS.")).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("heading", name="71 of 566 targets are not masked")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    cards = page.locator('[class*="st-key-verdict_"]')
    for place in range(2):
        box = cards.nth(place).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900
    expect(page.get_by_text("Masked: ALT names the allele no more; blank genotypes are not")).to_be_visible()
    metrics = page.get_by_test_id("stMetric")
    assert sum(metrics.nth(place).is_visible() for place in range(metrics.count())) <= 4
    expect(page.locator("[data-testid=stVegaLiteChart] svg")).to_have_count(2, timeout=SLOW)
    wait_until_idle(page)
    rows = list(csv.DictReader(downloaded(page, "CSV report").read_text(encoding="utf-8").splitlines()))
    assert tuple(rows[0]) == VCF_COLUMNS
    assert [row["verification_result"] for row in rows] == ["ok", "ok", "fail"]
    found = list(csv.DictReader(downloaded(page, "All findings").read_text(encoding="utf-8").splitlines()))
    assert all(row["remedy"] and row["places"] for row in found)
    pairs = list(csv.DictReader(downloaded(page, "All pairs").read_text(encoding="utf-8").splitlines()))
    assert [row["state"] for row in pairs] == ["verified"] * 3
    lines = downloaded(page, "Unmasked sites as BED").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(rows[2]["unmasked_positions"].split(";"))
    assert downloaded(page, "Download report").read_text(encoding="utf-8").count("<svg") == 4


def test_upload_and_keyboard__the_slider_counts_again(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("vcf")
    headline = page.get_by_test_id("stHeading")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(FILES)
    expect(headline.get_by_text("Every target counts as masked")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    page.get_by_role("slider").first.press("ArrowRight")
    expect(headline.get_by_text("1 of 4 targets is not masked")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    typed = page.get_by_role("spinbutton", name="A variant is rare below this minor allele frequency")
    expect(typed).to_have_value("0.015")
    typed.fill("0.0102")
    typed.press("Enter")
    expect(headline.get_by_text("Every target counts as masked")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    slider = page.get_by_role("slider").first
    expect(slider).to_have_attribute("aria-valuetext", "0.0102")
    for _ in range(3):
        slider.press("ArrowRight")
    expect(typed).to_have_value("0.03")
    expect(headline.get_by_text("1 of 4 targets is not masked")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="Home").click()
    expect(page.get_by_role("heading", level=1, name="AnonAudit")).to_be_visible()
    wait_until_idle(page)
    page.go_back()
    expect(typed).to_have_value("0.03", timeout=SLOW)
    expect(slider).to_have_attribute("aria-valuetext", "0.03")
