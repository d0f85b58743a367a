"""Earlier releases, free text and tables of counts in a real browser: from files to the report."""

import json

from playwright.sync_api import Page, expect

from tests.browser.downloading import download, downloaded
from tests.kinds import Visit, Wait

SLOW = 60_000
GROUPS = [(age, sex) for age in ("20-29", "30-39", "40-49") for sex in "FM"]
JANUARY = [f"p{n},{','.join(GROUPS[n % 6])},{('flu', 'asthma', 'none')[n // 6 % 3]}" for n in range(360)]
FEBRUARY = [*JANUARY, "n1,20-29,F,flu", "n2,20-29,F,flu"]
COUNTS = "region,diagnosis,n\nA,flu,20\nA,cold,2\nA,Total,22\nB,flu,30\nB,cold,12\nB,Total,42\n"


def _file(name: str, text: str, kind: str = "text/csv") -> dict[str, object]:
    return {"name": name, "mimeType": kind, "buffer": text.encode()}


def _people(name: str, rows: list[str]) -> dict[str, object]:
    return _file(name, "\n".join(["pid,age,sex,diagnosis", *rows]) + "\n")


def _upload(page: Page, *files: dict[str, object]) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(list(files))
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)


def _give_earlier(page: Page, *files: dict[str, object]) -> None:
    drawer = page.get_by_test_id("stExpander").filter(has_text="Earlier releases").first
    drawer.locator("summary").click()
    drawer.get_by_role("tab", name="Earlier releases").click()
    drawer.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(list(files))


def test_ledger_of_january__fails_february_and_stands_in_the_report(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("risk")
    _upload(page, _people("january.csv", JANUARY))
    wait_until_idle(page)
    ledger = download(page, "Ledger of this release").path().read_text(encoding="utf-8")
    assert not any(value in ledger for value in ("20-29", "asthma"))
    page = visit("risk")
    _upload(page, _people("february.csv", FEBRUARY))
    wait_until_idle(page)
    _give_earlier(page, _file("ledger.json", ledger, "application/json"))
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Held against 1 table of earlier releases: FAIL.", timeout=SLOW)
    card = page.get_by_test_id("stMetric").filter(has_text="Newcomers among fewer than k").first
    expect(card).to_contain_text("FAIL")
    wait_until_idle(page)
    report = json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
    (compared,) = report["earlier_releases"]
    assert ("ledger" in compared["release"], compared["n_newcomers_below_k"]) == (True, 2)


def test_counts__are_said_to_be_some_and_audited_as_cells(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    _upload(page, _file("counts.csv", COUNTS))
    wait_until_idle(page)
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("n seems to count people")
    page.get_by_text("Roles, suggested").click()
    page.wait_for_timeout(1_500)  # until the drawer is open and its editor drawn
    editor = page.get_by_test_id("stDataFrame").filter(visible=True).first
    editor.click(position={"x": 60, "y": 55})
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(1_000)  # until the list of roles stands open
    page.keyboard.type("count", delay=60)
    page.keyboard.press("Enter")
    page.wait_for_timeout(1_000)  # until the editor, which gathers changes, has sent this one
    wait_until_idle(page)
    page.get_by_role("button", name="Confirm the roles").click()
    expect(main).to_contain_text("counts of n are from 1 to 4", timeout=SLOW)
    wait_until_idle(page)
    report = json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
    assert report["verdict"] == "FAIL"
    slider = page.get_by_role("slider", name="Smallest count")
    slider.press("Home")
    expect(main).to_contain_text("No count of n that is shown is from 1 to 1", timeout=SLOW)
