"""How much a page says before anything is opened, with its demo loaded, wide and on a telephone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.demo import TABULAR as DEMOS
from tests.browser.test_looks import OVERFLOWS
from tests.kinds import Visit, Wait

HOSPITAL = DEMOS[0]
EXAMPLES = Path(__file__).parents[1] / "filed_examples"
FILED = [EXAMPLES / name for name in ("report.json", "people.csv", "people_scrambled.csv")]
COUNTS = "region,age,n\n" + "".join(
    f"{region},{age},{n}\n"
    for region, row in (("north", (3, 40, 8)), ("south", (15, 2, 77)), ("east", (40, 1, 8)))
    for age, n in zip(("18-39", "40-64", "65+"), row, strict=True)
)
MOST_WORDS = 300
MOST_CARDS = 4
FIRST_SCREEN = 900  # pixels of 1440 × 900
PHONE = {"width": 390, "height": 844}
SLOW = 60_000  # milliseconds, on a busy machine
# Tool and demo.
PAGES = [
    ("tabular", "hospital"),
    ("vcf", "cohort"),
    ("leakage", "leaking"),
    ("risk", "untouched"),
    ("dataset", "linked"),
    ("events", "alarms"),
    ("diversity", "iris"),
]
# The main block's words that can be seen: no table, chart or icon, and of what is closed only its name.
WORDS = """() => {
  const seen = [];
  const texts = document.createTreeWalker(
    document.querySelector('[data-testid="stMain"]'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const place = texts.currentNode.parentElement;
    const closed = place.closest("details:not([open])");
    const left = 'style, script, table, [data-testid="stDataFrame"], [data-testid="stVegaLiteChart"], '
      + '[data-testid="stIconMaterial"], [data-testid="stExpanderIcon"], [role="img"], [role="status"]';
    if (!place.closest(left) && place.checkVisibility() && (!closed || place.closest("summary")))
      seen.push(texts.currentNode.textContent);
  }
  return seen.join(" ").split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)).length;
}"""
CARDS = """() => [...document.querySelectorAll('[data-testid="stMetric"]')]
  .filter(card => card.checkVisibility() && !card.closest("details:not([open])")).length"""


@pytest.mark.quick  # a page of each tool
@pytest.mark.parametrize(("tool", "demo"), PAGES)
def test_page__says_the_verdict_first_and_few_words_before_anything_is_opened(
    tool: str, demo: str, visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit(tool)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(f".st-key-{tool}_demo_{demo} button").first.click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    _keeps_the_bars(page, wait_until_idle)


def test_page__keeps_the_bars_with_a_filed_report_and_with_a_table_of_counts(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("filed")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(FILED)
    expect(page.get_by_role("button", name="Repeat the audit")).to_be_visible(timeout=SLOW)
    _keeps_the_bars(page, wait_until_idle)
    page = visit("risk")
    counts = {"name": "counts.csv", "mimeType": "text/csv", "buffer": COUNTS.encode()}
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(counts)
    as_counts = page.get_by_role("button", name="Audit it as a table of counts")
    expect(as_counts).to_be_visible(timeout=SLOW)
    _keeps_the_bars(page, wait_until_idle)
    as_counts.click()
    expect(as_counts).to_have_count(0, timeout=SLOW)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    _keeps_the_bars(page, wait_until_idle)


def _keeps_the_bars(page: Page, wait_until_idle: Wait) -> None:
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    wait_until_idle(page)
    assert _end_of_verdict(page) <= FIRST_SCREEN
    assert page.evaluate(CARDS) <= MOST_CARDS
    assert page.evaluate(WORDS) <= MOST_WORDS
    wide = page.viewport_size
    page.set_viewport_size(PHONE)
    wait_until_idle(page)
    expect(page.get_by_test_id("stMain")).to_have_js_property("scrollTop", 0)
    assert _end_of_verdict(page) <= PHONE["height"]
    assert page.evaluate(WORDS) <= MOST_WORDS
    page.set_viewport_size(wide)
    wait_until_idle(page)


@pytest.mark.parametrize(("tool", "demo"), [("vcf", "cohort"), ("tabular", "hospital")])
def test_several_files__are_listed_whole_in_few_words_at_every_width(
    tool: str, demo: str, visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit(tool)
    page.locator(f".st-key-{tool}_demo_{demo} button").first.click()
    listed = page.locator(f'[class*="st-key-listed_read_{tool}_"]').nth(1)  # the first has its card below
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    for width, height in ((1440, 900), (1280, 800), (720, 450), (390, 844)):  # 720 is 1440 at 200 %
        page.set_viewport_size({"width": width, "height": height})
        wait_until_idle(page)
        assert page.evaluate(WORDS) <= MOST_WORDS, width
        expect(listed).to_be_visible(visible=width < 1400)
        expect(listed.get_by_test_id("stMarkdown").last).to_be_visible(visible=640 < width < 1400)
    name = page.locator(f'[class*="st-key-listed_read_{tool}_"] button').nth(1)
    asked = name.inner_text()
    name.click()
    expect(page.locator(f".st-key-{tool}_file").get_by_role("combobox")).to_have_value(asked)


def _end_of_verdict(page: Page) -> float:
    card = page.locator('[class*="st-key-verdict_"]').first.bounding_box()
    assert card is not None
    return card["y"] + card["height"]


def test_home__says_what_it_is_in_few_words(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("")
    expect(page.get_by_role("button", name="Demo: Diabetes")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    assert page.evaluate(WORDS) <= MOST_WORDS


LONG = {"x" * 196 + ".csv", "مرضى_المستشفى_שלום.csv"}


@pytest.mark.parametrize("name", sorted(LONG), ids=["long", "right-to-left"])
def test_page__holds_any_file_name_at_twice_the_size(name: str, visit: Visit, wait_until_idle: Wait) -> None:
    for tool in ("risk", "tabular"):
        page = visit(tool)
        page.set_viewport_size({"width": 720, "height": 450})  # 1440 pixels at 200 %
        rows = "".join(f"{20 + n % 60},{'MF'[n % 2]},T{n % 7}\n" for n in range(100))
        file = {"name": name, "mimeType": "text/csv", "buffer": f"age,sex,town\n{rows}".encode()}
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
        expect(page.get_by_text("of your files are held in memory")).to_be_visible(timeout=SLOW)
        wait_until_idle(page)
        assert page.evaluate(OVERFLOWS) == []


def test_page__lists_thirty_files_under_the_verdict_at_twice_the_size(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("tabular")
    page.set_viewport_size({"width": 720, "height": 450})
    files = [file for several in HOSPITAL.make().values() for file in several]
    given = [
        {"name": f"{place}_{file.name}", "mimeType": "text/csv", "buffer": file.data}
        for place in range(3)
        for file in files
    ][:30]
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(given)
    verdict = page.locator('[class*="st-key-verdict_"]').first
    expect(verdict).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    expect(verdict).to_be_in_viewport()
    assert page.evaluate(OVERFLOWS) == []
