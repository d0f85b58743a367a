"""What a stranger once stumbled over in the first ten minutes, with own files and at most a click or two."""

import json
import random
from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Page, expect

from tests.browser.downloading import downloaded
from tests.browser.test_bars import FIRST_SCREEN
from tests.kinds import Visit, Wait

SLOW = 90_000  # milliseconds, on a busy machine
DRAW = random.Random(1)  # noqa: S311 - people that nobody is


def _given(page: Page, files: Mapping[str, str]) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        [
            {"name": name, "mimeType": "text/csv", "buffer": text.encode("utf-8")}
            for name, text in files.items()
        ]
    )


def _date(*years: int) -> str:
    return f"{DRAW.randint(*years)}-{DRAW.randint(1, 12):02}-{DRAW.randint(1, 28):02}"


def _table(header: str, rows: Iterator[str]) -> str:
    return "\n".join([header, *rows]) + "\n"


def _patients(n: int = 300) -> str:
    return _table(
        "id,birth_date,given_name,postcode,admission_date,diagnosis",
        (
            f"{i},{_date(1940, 2005)},{DRAW.choice(('Ana', 'Maja', 'Luka'))},{DRAW.choice((1000, 2000))},"
            f"{_date(2025, 2025)},{DRAW.choice(('asthma', 'flu', 'gout'))}"
            for i in range(n)
        ),
    )


def test_home__sends_patients_to_disclosure_risk_says_why_and_keeps_their_table(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("")
    _given(page, {"patients.csv": _patients()})
    offers = page.locator('[class*="st-key-home_offer_"] button')
    expect(offers.first).to_contain_text("Disclosure risk", timeout=SLOW)
    expect(page.get_by_text("seems to have one row for each person")).to_be_visible()
    assert not [label for label in offers.all_inner_texts() if "Event" in label]
    wait_until_idle(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="ℓ-diversity").click()
    kept = page.get_by_role("button", name="Use what you gave before: patients.csv")
    expect(kept).to_be_visible(timeout=SLOW)


def _originals(n: int = 200) -> list[tuple[str, str, str]]:
    return [(f"P{i}", _date(1940, 2005), DRAW.choice(("Koper", "Celje"))) for i in range(n)]


def test_log__is_made_on_the_page_from_two_tables(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("tabular")
    rows = _originals()
    _given(
        page,
        {
            "visits.csv": _table("patient,birth,town", map(",".join, rows)),
            "for publication.csv": _table(
                "birth,town", (f"{born[:4]}-01-01,{town}" for _, born, town in rows)
            ),
        },
    )
    made = page.get_by_role("button", name="Verify with this log")
    expect(made).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the log").click()
    entries = json.loads(saved.value.path().read_text())["log_info"]
    assert {name: each["action"] for name, each in entries.items()}["patient"] == "drop"
    made.click()
    expect(page.get_by_text("Published rule: PASS").first).to_be_visible(timeout=SLOW)


def test_year_alone__is_done_in_other_words_and_the_published_verdict_stands_beside(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("tabular")
    rows = _originals()
    actions = {"patient": "drop", "birth": "date_floor_year", "town": "keep"}
    log = {
        "_meta": {"mode": "low", "allow_dx": False, "source_file": "visits.csv"},
        "log_info": {name: {"semantic": name, "action": action} for name, action in actions.items()},
    }
    _given(
        page,
        {
            "visits.csv": _table("patient,birth,town", map(",".join, rows)),
            "visits_anonymized.csv": _table("birth,town", (f"{born[:4]},{town}" for _, born, town in rows)),
            "visits_anonymized_log.json": json.dumps(log),
        },
    )
    told = "1 of them was done in other words than the rule's."
    expect(page.get_by_test_id("stMain")).to_contain_text(told, timeout=SLOW)
    wait_until_idle(page)
    expect(page.get_by_text("Published rule: FAIL").first).to_be_visible()
    expect(page.locator('[class*="st-key-verdict_FAIL"]')).to_have_count(0)


def test_events__keep_their_columns_names_and_say_any_in_words(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("events")
    kinds = ("fall", "smoke", "button", "door")
    lines = (
        f"{_date(2025, 2025)} {DRAW.randint(0, 23):02}:15,F{DRAW.randrange(60)},{DRAW.choice(kinds)}"
        for _ in range(1_500)
    )
    _given(page, {"alarms.csv": _table("moment,flat,what", lines)})
    expect(page.get_by_role("button", name="New pseudonym for each event")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    head, *rows = downloaded(page, "anonymized_events.csv").read_text("utf-8-sig").splitlines()
    assert head.split(",")[0] == "flat"
    assert not {"GUID", "dogodek"} & {*head.split(",")}
    weeks = {row.split(",")[2] for row in rows}
    assert "any" in weeks
    assert "100" not in weeks


def test_risk__has_its_policy_beside_k_and_ways_out_as_cards(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    page.set_viewport_size({"width": 1440, "height": FIRST_SCREEN})
    page.locator(".st-key-risk_demo_untouched button").first.click()
    cards = page.get_by_text("All groups of 5 or more", exact=False)
    expect(cards.first).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    expect(page.get_by_role("button", name="Download", exact=True).first).to_be_visible()
    k = page.get_by_role("slider", name="Smallest group size k").first.bounding_box()
    for question in ("Who receives it?", "How bad would being found be?", "Policy"):
        asked = page.get_by_role("combobox", name=question).first.bounding_box()
        assert k is not None
        assert asked is not None
        assert abs(k["y"] - asked["y"]) < FIRST_SCREEN / 3


def test_dataset__says_the_roles_of_columns_above_the_verdict(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("dataset")
    page.locator(".st-key-dataset_demo_linked button").first.click()
    verdict = page.locator('[class*="st-key-verdict_"]').first
    expect(verdict).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    roles, card = page.get_by_text("others may know").first.bounding_box(), verdict.bounding_box()
    assert roles is not None
    assert card is not None
    assert roles["y"] < card["y"] < FIRST_SCREEN


@pytest.mark.slow  # of 300,000 rows
def test_leakage__of_a_large_pair_has_its_first_verdict_without_a_click(
    visit: Visit, wait_until_idle: Wait
) -> None:
    page = visit("leakage")
    rows = [f"{i},{DRAW.randint(18, 90)},{DRAW.gauss(75, 12):.1f}" for i in range(300_000)]
    shuffled = [
        f"{row.split(',', 1)[0]},{other.split(',', 1)[1]}"
        for row, other in zip(rows, rows[::-1], strict=True)
    ]
    _given(page, {"patients.csv": _table("id,age,weight", iter(rows))})
    expect(page.get_by_text("patients.csv ·").first).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    _given(page, {"patients_scrambled.csv": _table("id,age,weight", iter(shuffled))})
    expect(page.locator('[class*="st-key-verdict_"]').first).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stMetric").first).to_be_visible()
