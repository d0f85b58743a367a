"""Every page with its demo, in every language, light and dark, wide and narrow: nothing cut or untold."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from core.languages import ENGLISH, LANGUAGES, catalogues
from pages.components.navigation import TOOLS
from tests.browser.conftest import opened_by, opener_of
from tests.browser.test_application import NOT_OURS

SLOW = 60_000  # milliseconds, on a busy machine
PATHS = ["", *(tool.key for tool in TOOLS)]
SIZES = [{"width": 1440, "height": 900}, {"width": 390, "height": 844}]
STREAMLITS = (  # what Streamlit draws and words itself: tables, the uploader's button, its menu
    '[data-testid="stDataFrame"], [data-testid="stFileUploaderDropzone"], [data-testid="stIconMaterial"], '
    '[data-testid="stExpanderIcon"], [role="img"], [role="status"], code, style, script'
)
OVERFLOWS = """() => [document.documentElement, ...document.querySelectorAll('[data-testid="stMain"]')]
  .filter(part => part.scrollWidth > part.clientWidth).map(part => `${part.scrollWidth} px wide`)"""
CUT = """streamlits => [...document.querySelectorAll('[data-testid="stMain"] *')].filter(part =>
    part.checkVisibility() && !part.closest(streamlits + ', svg') && part.clientWidth > 0
    && ["hidden", "clip"].includes(getComputedStyle(part).overflowX)
    && part.scrollWidth > part.clientWidth + 1 && (part.innerText || "").trim())
  .map(part => `cut: ${part.innerText.slice(0, 60)}`)"""
CUT_IN_CHARTS = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg')]
  .filter(chart => chart.checkVisibility()).flatMap(chart => {
    const whole = chart.getBoundingClientRect();
    return [...chart.querySelectorAll("text")].filter(text => {
      const own = text.getBoundingClientRect();
      return own.width && (own.left < whole.left - 2 || own.right > whole.right + 2);
    }).map(text => `cut in a chart: ${text.textContent}`)})"""
PALE_IN_CHARTS = """() => {
  const light = color => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ground = light(getComputedStyle(document.querySelector(".stApp")).backgroundColor);
  return [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg text')]
    .filter(text => text.checkVisibility()).filter(text => {
      const own = light(getComputedStyle(text).fill);
      return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05) < 4.5;
    }).map(text => `pale in a chart: ${text.textContent}`)}"""
# What stands in the menu below the names of tools: each has it, and none reaches into its neighbour's.
SAID_BELOW = """n => {
  const links = [...document.querySelectorAll('[data-testid="stTopNavLink"]')].slice(1);
  const canvas = document.createElement("canvas").getContext("2d");
  return links.length < n ? ["a link is missing"] : links.filter((link, place) => {
    const below = getComputedStyle(link, "::after"), next = links[place + 1];
    canvas.font = `${below.fontSize} ${below.fontFamily}`;
    const words = below.content.slice(1, -1), end = link.getBoundingClientRect().left + 4;
    const free = next ? next.getBoundingClientRect().left + 4 : innerWidth;
    return !/\\p{L}/u.test(words) || end + canvas.measureText(words).width > free;
  }).map(link => link.textContent);
}"""
TEXTS = """streamlits => [...document.querySelectorAll(
    'p, li, h1, h2, h3, label, button, summary, a, svg text, [data-testid="stMetricLabel"]')]
  .filter(part => part.checkVisibility() && !part.closest(streamlits)
    && part.closest('[data-testid="stMain"], [data-testid="stTopNavLink"]')).map(part => {
    const own = part.cloneNode(true);
    own.querySelectorAll(streamlits + ', [data-testid="stTooltipIcon"]').forEach(other => other.remove());
    return own.textContent.replace(/[\\u2060\\s]+/g, " ").trim()})"""


@cache
def _untold(code: str) -> re.Pattern[str]:
    """Return what a page in another language never says: the English of whole messages of ours."""
    english = {
        form
        for _, catalogue in catalogues(code)
        for message in catalogue
        if message.id and message.string not in (message.id, (message.id,))
        for form in (message.id if isinstance(message.id, list | tuple) else (message.id,))
        if re.search(r"[A-Za-z]{3}", re.sub(r"\{\w+\}", "", form)) and " " in form
    }
    plain = (re.sub(r"[*`]", "", form) for form in english)
    return re.compile(
        "|".join(re.sub(r"\\\{\w+\\\}", ".{1,200}?", re.escape(form)) for form in sorted(plain))
    )


def open_page(page: Page, path: str, address: str) -> None:
    """Open a page, and its demo, and wait until all of it is there."""
    page.set_default_timeout(SLOW)
    page.goto(f"{address}/{path}")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
    if path:
        page.locator(f'[class*="st-key-{path}_demo_"] button:visible').first.click()
        expect(page.locator('[class*="st-key-verdict_"]').first).to_be_visible(timeout=SLOW)
        expect(page.locator(".st-key-download_" + path + "_html")).to_be_visible(timeout=SLOW)
    _wait(page)


def _wait(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=SLOW
    )
    expect(page.locator('[data-stale="true"], [data-testid="stSkeleton"]')).to_have_count(0, timeout=SLOW)
    page.wait_for_timeout(500)  # charts take the new width


def _problems(page: Page, code: str) -> Iterator[str]:
    yield from page.evaluate(OVERFLOWS)
    yield from page.evaluate(CUT, STREAMLITS)
    yield from page.evaluate(CUT_IN_CHARTS)
    yield from page.evaluate(PALE_IN_CHARTS)
    if code != ENGLISH:
        for told in page.evaluate(TEXTS, STREAMLITS):
            if _untold(code).fullmatch(told):
                yield f"English: {told}"


def _click_until(page: Page, click: Callable[[], None], address: str) -> None:
    """Click, again where a page that was drawn anew meanwhile lost the click, until the address is there."""
    for attempt in range(4):
        click()
        try:
            expect(page).to_have_url(address, timeout=SLOW / 4)
        except AssertionError:
            assert attempt < 3, f"no click leads to {address}"
        else:
            return


@pytest.fixture(scope="module")
def openers(browser: Browser, server_address: str) -> Iterator[Mapping[str, Page]]:
    """A tab for each language, which opens those of the tests."""
    found = {code: opener_of(browser, server_address, locale=code, viewport=SIZES[0]) for code in LANGUAGES}
    yield found
    for opener in found.values():
        opener.context.close()


@pytest.mark.parametrize("code", LANGUAGES)
def test_navigation__shows_home_and_every_tool_at_once(
    code: str, openers: Mapping[str, Page], server_address: str, wait_until_idle: Callable[[Page], None]
) -> None:
    page = opened_by(openers[code])
    page.goto(server_address)
    links = page.locator('[data-testid="stTopNavLink"]:visible')
    for width in (SIZES[0]["width"], 1280):
        page.set_viewport_size({"width": width, "height": 900})
        expect(links).to_have_count(len(PATHS) + 1, timeout=SLOW)
        expect(page.get_by_test_id("stTopNav").get_by_text("more")).to_have_count(0)
    wait_until_idle(page)
    assert page.evaluate(SAID_BELOW, links.count() - 1) == []
    card = page.locator(".st-key-tool_vcf")  # all of it leads to its tool
    _click_until(page, lambda: card.click(position={"x": 5, "y": 5}), f"{server_address}/vcf")
    _click_until(page, page.get_by_test_id("stHeaderLogo").click, f"{server_address}/")
    page.close()


@pytest.mark.parametrize("path", PATHS)
def test_page__is_whole_in_every_language_light_and_dark_wide_and_narrow(
    path: str, openers: Mapping[str, Page], server_address: str
) -> None:
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        # On a deep link Streamlit 1.67 first looks for its server below the page's own path.
        if message.type in ("warning", "error"):
            found.append(f"console: {message.text}")

    for code in LANGUAGES:
        page = opened_by(openers[code])
        page.on("console", hear)
        open_page(page, path, server_address)
        for scheme, size in product(("light", "dark"), SIZES):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            _wait(page)
            where = f"{code} {scheme} {size['width']}"
            found += [f"{where}: {problem}" for problem in _problems(page, code)]
            if size == SIZES[0]:
                violations = Axe().run(page).response["violations"]
                found += [
                    f"{where}: {one['id']}: {one['nodes'][0]['target']}"
                    for one in violations
                    if one["id"] not in NOT_OURS
                ]
        page.close()
    assert not found, "\n".join(dict.fromkeys(found))
