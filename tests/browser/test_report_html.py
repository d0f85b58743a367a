"""The HTML report in a real browser: nothing fetched, readable by everybody, whole on paper."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from core.reports import render_html
from tests import report_examples as examples


@pytest.fixture(scope="module")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(render_html(examples.report()))
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report__has_no_serious_accessibility_finding(
    browser: Browser, report_file: Path, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # axe is a script
    page = context.new_page()
    page.goto(report_file.as_uri())
    violations = Axe().run(page).response["violations"]
    context.close()
    assert [(found["id"], found["impact"]) for found in violations] == []


@pytest.mark.parametrize(
    "text", ["<img src=http://198.51.100.1/x onerror=alert(1)>", "</style><script>alert(1)</script>"]
)
def test_report__runs_and_fetches_nothing(browser: Browser, tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(render_html(examples.text_report(text)))
    page = browser.new_page()
    requests, said = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(path.as_uri())
    shown = page.get_by_role("heading", level=1).inner_text()
    page.close()
    assert (shown, requests, said) == (text, [path.as_uri()], [])


def test_report__fits_a_narrow_screen(browser: Browser, report_file: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(report_file.as_uri())
    width = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert width == 390


def test_report__prints_in_dark_mode_on_white(browser: Browser, report_file: Path) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(report_file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    colors = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    page.close()
    assert colors == ["rgb(255, 255, 255)", "rgb(17, 24, 32)"]
