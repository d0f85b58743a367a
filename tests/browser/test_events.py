"""What only a browser shows of the event-log anonymizer: slider, downloads, keyboard, accessibility."""

import io
import zipfile
from collections import defaultdict
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.downloading import downloaded

NOT_OURS = {"presentation-role-conflict", "empty-table-header"}


@pytest.fixture
def scheme() -> str:
    return "light"


@pytest.fixture
def events_page(
    quiet_page: Page, visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None], scheme: str
) -> Page:
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
    events_page: Page, wait_until_idle: Callable[[Page], None]
) -> None:
    slider = events_page.get_by_role("slider", name="k: users that share each combination")
    for _ in range(5):
        slider.press("ArrowRight")
    expect(figure(events_page, "Users of the smallest combination")).to_have_text("10", timeout=60_000)
    wait_until_idle(events_page)
    n_events = int(str(figure(events_page, "Events kept").text_content()).replace(",", ""))
    lines = downloaded(events_page, "anonymized_events.csv").read_text().splitlines()
    assert lines[0] == "GUID;generalized_event;week_number;weekday;time_period"
    assert len(lines) - 1 == n_events
    users = defaultdict(set)
    for line in lines[1:]:
        name, _, combination = line.partition(";")
        users[combination].add(name)
    assert min(map(len, users.values())) == 10
    assert not any("demo-" in line for line in lines)


def test_events__offers_the_report_and_all_files(events_page: Page) -> None:
    report = downloaded(events_page, "Download report").read_text()
    assert "Event-log anonymizer" in report
    assert "<svg" in report
    archive = zipfile.ZipFile(io.BytesIO(downloaded(events_page, "All files as zip").read_bytes()))
    assert archive.namelist() == [
        "anonymized_events.csv",
        "not_for_sharing/event_removal_report.csv",
    ]


def test_events__gives_a_new_figure_for_other_pseudonyms(events_page: Page) -> None:
    events_page.get_by_role("radio", name="Event", exact=True).click()
    expect(figure(events_page, "Singled out by known events")).to_have_text("0 %", timeout=60_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_events__has_no_accessibility_violation_of_ours(events_page: Page, scheme: str) -> None:
    for tab in ("Loss", "Heat maps", "Trace risk", "Strategies", "Event mapping", "Preview"):
        events_page.get_by_role("tab", name=tab).click()
        expect(events_page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        violations = Axe().run(events_page).response["violations"]
        assert [found["id"] for found in violations if found["id"] not in NOT_OURS] == [], tab


def test_events__says_what_a_cap_costs_and_leads_to_the_mapping_step(
    events_page: Page, visit: Callable[[str], Page], wait_until_idle: Callable[[Page], None]
) -> None:
    events_page.locator(".st-key-events_more_findings summary").click()
    expect(
        events_page.get_by_text("One row of each user and combination (a cap) would not be").first
    ).to_be_visible()
    cap = events_page.get_by_role("spinbutton", name="Rows per user and combination")
    cap.fill("1")
    cap.press("Enter")
    expect(figure(events_page, "Events kept")).to_have_text("4,059", timeout=60_000)
    wait_until_idle(events_page)
    log = "OD_ISO;GUID;dogodek\n" + "".join(
        f"2024-01-0{1 + n % 7}T10:00:00;u{n % 12};door {n % 2}\n" for n in range(84)
    )
    file = {"name": "doors.csv", "mimeType": "text/csv", "buffer": log.encode()}
    events_page.get_by_role("button", name="How it was read").click()
    events_page.locator('[class*="st-key-events_log_upload"] input').set_input_files(file)
    expect(events_page.get_by_role("heading", name="2 kinds of events have no class")).to_be_visible(
        timeout=60_000
    )
    expect(events_page.locator('[class*="st-key-verdict_"]')).to_have_count(0)
    wait_until_idle(events_page)
    events_page.get_by_role("button", name="Go on without classes").click()
    expect(events_page.get_by_text("What happened is not assessed:").first).to_be_visible(timeout=60_000)
