"""A policy is chosen and settings are taken away and opened again, in a real browser."""

import os
import re
import tomllib
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.downloading import downloaded

PEOPLE = {
    "name": "people.csv",
    "mimeType": "text/csv",
    "buffer": b"age,sex,disease\n"
    + b"".join(b"%d,%s,d%d\n" % (30 + n % 2, b"FM"[n % 2 : n % 2 + 1], n % 3) for n in range(60)),
}


def test_policy_and_settings__are_chosen_taken_away_and_opened(
    visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    page = visit("risk")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(PEOPLE)
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible(timeout=60_000)
    wait_until_idle(page)
    # What is drawn late above "Open settings" moves the drawer that stands open out of sight.
    expect(page.locator("[data-testid=stVegaLiteChart] svg").filter(visible=True).first).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.get_by_role("button", name="Open settings").click()
    page.get_by_role("combobox", name="Policy").click()
    page.get_by_role("option", name="CMS-like: no cell below 11").click()
    expect(page.get_by_text("Meets the limits that the policy")).to_be_visible()
    wait_until_idle(page)
    page.keyboard.press("Escape")
    slider = page.get_by_role("slider", name="Smallest class size k")
    expect(slider).to_have_value("11")
    if folder := os.environ.get("LOOK"):
        page.set_viewport_size({"width": 1280, "height": 3600})
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{folder}/policy_light.png")
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{folder}/policy_dark.png")
    taken = downloaded(page, "Download settings")
    settings = tomllib.loads(taken.read_text(encoding="utf-8"))
    assert (settings["tool"], settings["policy"], settings["settings"]["k"]) == ("risk", "cms-cell-11", 11)
    slider.press("ArrowRight")
    expect(page.get_by_text("differs from the policy")).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("button", name="Open settings").click()
    written = {"name": "mine.toml", "mimeType": "application/toml", "buffer": taken.read_bytes()}
    page.get_by_test_id("stPopoverBody").get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        written
    )
    expect(slider).to_have_value("11")
    expect(page.get_by_text("differs from the policy")).to_have_count(0)
    expect(page.get_by_role("alert").filter(has_text=re.compile("mine.toml"))).to_have_count(0)
