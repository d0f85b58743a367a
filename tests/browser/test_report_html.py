"""The HTML report in a real browser: nothing fetched, readable by everybody, whole on paper."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from core.languages import LANGUAGES
from core.reports import render_html
from core.result import Col, Table
from core.words import speaking
from tests import report_examples as examples
from tests.browser.conftest import let_in
from tests.browser.test_looks import open_page
from tests.tool_reports import TOOLS, report_of


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


def test_report__fits_a_narrow_screen(
    browser: Browser, report_file: Path, wide_reports: Mapping[str, Path]
) -> None:
    page, widths = browser.new_page(viewport={"width": 390, "height": 800}), []
    for path in (report_file, *wide_reports.values()):
        page.goto(path.as_uri())
        widths.append(page.evaluate("document.documentElement.scrollWidth"))
    page.close()
    assert widths == [390] * 5


def test_report__prints_in_dark_mode_on_white(browser: Browser, report_file: Path) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(report_file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    colors = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    page.close()
    assert colors == ["rgb(255, 255, 255)", "rgb(17, 24, 32)"]


def test_report__speaks_the_language_of_its_page(browser: Browser, server_address: str) -> None:
    context = let_in(browser.new_context(locale="sl"), server_address)
    page = context.new_page()
    open_page(page, "risk", server_address)
    with page.expect_download() as started:
        page.locator(".st-key-download_risk_html button:visible").first.click()
    report = Path(started.value.path()).read_text(encoding="utf-8")
    context.close()
    assert '<html lang="sl">' in report
    assert ">Tveganje razkritja</h1>" in report


PAGE_OF_PDF = re.compile(rb"/Type\s*/Page\b")
UPRIGHT, ACROSS, DOWN = 688, 1017, 1026  # pixels between the margins of a sheet of A4


def _table_of_long_words(n_columns: int) -> Table:
    """Return a table whose headings and cells are of long words, and sentences with one of 200 letters."""
    cells = ["y" * 40, "y" * 27 + " 1", "some words " * 5 + "z" * 200]
    columns = tuple(Col(f"{n}", f"{'x' * 20}_{n}") for n in range(n_columns))
    rows = [(cell,) * n_columns for cell in cells]
    return Table("", "Long words", columns, rows, name=f"words {n_columns}")


@pytest.fixture(scope="module")
def wide_reports(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Return the report of four tables of 30 columns in every language, and one with a very wide table."""
    folder, files = tmp_path_factory.mktemp("wide"), examples.wide_tables()
    long = [_table_of_long_words(n) for n in (3, 6, 7, 8, 11, 12, 14)]
    reports = {"words": render_html(examples.report(tables=(*long, examples.marked_table())))}
    for code in LANGUAGES:
        with speaking(code):
            reports[code] = render_html(examples.tabular_run(files))
    for name, data in reports.items():
        (folder / f"{name}.html").write_bytes(data)
    return {name: folder / f"{name}.html" for name in reports}


@pytest.mark.parametrize("code", LANGUAGES)
def test_report__of_four_tables_of_thirty_columns_has_six_pages_before_its_appendix(
    browser: Browser, wide_reports: Mapping[str, Path], code: str
) -> None:
    context = browser.new_context(bypass_csp=True)  # hides the appendix by a style of the test's own
    page = context.new_page()
    page.goto(wide_reports[code].as_uri())
    page.add_style_tag(content=".appendix, footer { display: none !important }")
    printed = page.pdf(prefer_css_page_size=True)
    front = page.evaluate("document.querySelector('header.top').getBoundingClientRect().height")
    context.close()
    assert len(PAGE_OF_PDF.findall(printed)) <= 6
    assert front > 0


@pytest.mark.parametrize("name", [*LANGUAGES, "words"])
def test_report__prints_no_table_and_no_chart_off_the_page(
    browser: Browser, wide_reports: Mapping[str, Path], name: str
) -> None:
    off = """([width, which]) => [...document.querySelectorAll('body *')].filter(
        each => (each.closest('#tables') !== null) === which && !each.closest('svg, .aloud')
            && each.getBoundingClientRect().right > width + 1).map(each => each.outerHTML.slice(0, 90))"""
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto(wide_reports[name].as_uri())
    found = []
    for width, is_across in ((UPRIGHT, False), (ACROSS, True)):
        page.set_viewport_size({"width": width, "height": 900})
        found += page.evaluate(off, [width, is_across])
    rules = page.evaluate("[...document.styleSheets[0].cssRules].map(rule => rule.cssText).join(' ')")
    page.close()
    assert found == []
    assert all(f"@{box}" in rules for box in ("top-left", "top-right", "bottom-left", "bottom-right"))


@pytest.mark.parametrize("tool", TOOLS)
def test_report__of_every_tool_decides_on_one_page_and_fits_the_paper(
    browser: Browser, tmp_path: Path, tool: str
) -> None:
    page, heights, n_lines, wide = browser.new_page(viewport={"width": UPRIGHT, "height": 900}), {}, {}, {}
    page.emulate_media(media="print")
    for code in LANGUAGES:
        with speaking(code):
            (tmp_path / "report.html").write_bytes(render_html(report_of(tool)))
        page.goto((tmp_path / "report.html").as_uri())
        heights[code] = page.evaluate("document.querySelector('header.top').getBoundingClientRect().height")
        n_lines[code] = page.locator(".headline").evaluate(
            "each => Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight))"
        )
        wide[code] = page.locator("section:not(#tables) > .scroll > table, .file table").evaluate_all(
            "all => all.filter(each => each.scrollWidth > 689).map(each => each.innerText.slice(0, 60))"
        )
    page.close()
    assert {code: height for code, height in heights.items() if height > DOWN} == {}
    assert {code: n for code, n in n_lines.items() if n > 2} == {}
    assert {code: tables for code, tables in wide.items() if tables} == {}


def test_report__puts_all_that_decides_on_its_first_page(
    browser: Browser, wide_reports: Mapping[str, Path]
) -> None:
    page = browser.new_page(viewport={"width": UPRIGHT, "height": 900})
    page.emulate_media(media="print")
    page.goto(wide_reports["en"].as_uri())
    front = page.locator("header.top")
    height, said = front.bounding_box(), front.inner_text()
    n_findings = front.locator("ul.findings li").count()
    links = page.locator("a").evaluate_all("all => all.map(each => each.getAttribute('href').slice(1))")
    missing = page.evaluate("all => all.filter(each => !document.getElementById(each))", links)
    page.close()
    assert height is not None
    assert height["height"] < DOWN
    assert n_findings == 5
    assert missing == []
    for part in (
        "more: see “All findings”",
        "Do next",
        "clinic_3.csv",
        "UTC",
        "AnonAudit 1",
        "Digest of the",
    ):
        assert part in said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report__with_a_map_has_no_accessibility_finding(
    browser: Browser, wide_reports: Mapping[str, Path], scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(wide_reports["en"].as_uri())
    violations = Axe().run(page).response["violations"]
    context.close()
    assert [(found["id"], found["nodes"][0]["html"][:120]) for found in violations] == []
