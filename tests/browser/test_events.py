"""What only a browser shows of the event-log anonymizer: slider, downloads, keyboard, accessibility."""

import io
import zipfile
from collections import defaultdict

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.downloading import downloaded
from tests.kinds import Visit, Wait

NOT_OURS = {"presentation-role-conflict", "empty-table-header"}


@pytest.fixture
def scheme() -> str:
    return "light"


@pytest.fixture
def events_page(quiet_page: Page, visit: Visit, wait_until_idle: Wait, scheme: str) -> Page:
    quiet_page.emulate_media(color_scheme=scheme)
    page = visit("events")
    page.get_by_role("button", name="Alarm log of a care service").click()
    expect(figure(page, "Events kept")).to_have_text("4,924", timeout=60_000)
    wait_until_idle(page)
    return page


def figure(page: Page, label: str) -> object:
    card = page.get_by_test_id("stMetric").filter(has_text=label).first
    return card.get_by_test_id("stMetricValue")


def test_events__answers_the_k_slider_and_exports_what_it_shows(
    events_page: Page, wait_until_idle: Wait
) -> None:
    slider = events_page.get_by_role("slider", name="k: users that share each combination")
    for _ in range(5):
        slider.press("ArrowRight")
    expect(figure(events_page, "Users of the smallest combination")).to_have_text("10", timeout=60_000)
    wait_until_idle(events_page)
    n_events = int(str(figure(events_page, "Events kept").text_content()).replace(",", ""))
    lines = downloaded(events_page, "anonymized_events.csv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "GUID,generalized_event,week_number,weekday,time_period"
    assert len(lines) - 1 == n_events
    users = defaultdict(set)
    for line in lines[1:]:
        name, _, combination = line.partition(",")
        users[combination].add(name)
    assert min(map(len, users.values())) == 10
    assert not any("demo-" in line for line in lines)


def test_events__offers_the_report_and_all_files(events_page: Page) -> None:
    report = downloaded(events_page, "Download report").read_text()
    assert "Event-log anonymizer" in report
    assert "<svg" in report
    archive = zipfile.ZipFile(io.BytesIO(downloaded(events_page, "All files as ZIP").read_bytes()))
    assert archive.namelist() == ["anonymized_events.csv", "not_for_sharing/event_removal_report.csv"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_events__has_no_accessibility_violation_of_ours(events_page: Page, scheme: str) -> None:
    for tab in ("Loss", "Heat maps", "Trace risk", "Strategies", "Event mapping", "Preview"):
        events_page.get_by_role("tab", name=tab).click()
        expect(events_page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        violations = Axe().run(events_page).response["violations"]
        assert [found["id"] for found in violations if found["id"] not in NOT_OURS] == [], tab
