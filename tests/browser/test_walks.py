"""Ten walks as strangers make them: own files dropped on Home, and a verdict without reading a document.

Pictures of each are written to the folder that WALKS names, to be looked at.
"""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from core.languages import LANGUAGES
from tests.browser.conftest import opener_of
from tests.browser.test_bars import FIRST_SCREEN, MOST_WORDS, WORDS
from tests.kinds import Wait
from tests.vcf_files import bgzf, masked_header, vcf_text
from tests.workbooks import workbook

SLOW = 60_000  # milliseconds, on a busy machine
MOST_CLICKS = 3
Files = Mapping[str, bytes]


def _drawn(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - people that nobody is


def _hospital() -> Files:
    """A Slovenian hospital's table, with semicolons and decimal commas."""
    draw = _drawn(1)
    towns = ("1000 Ljubljana", "2000 Maribor", "3000 Celje", "6000 Koper")
    rows = [
        f"{draw.choice('MŽ')};{draw.randint(18, 90)};{draw.choice(towns)};{draw.gauss(75, 12):.1f}".replace(
            ".", ","
        )
        + f";{draw.choice(('astma', 'sladkorna bolezen', 'migrena'))}"
        for _ in range(400)
    ]
    return {"bolniki 2025.csv": "\n".join(["spol;starost;pošta;teža;diagnoza", *rows]).encode()}


def _hospital_twice() -> Files:
    """The same table, and one of which every column was shuffled on its own."""
    ((name, data),) = _hospital().items()
    header, *rows = data.decode().splitlines()
    columns = [list(column) for column in zip(*(row.split(";") for row in rows), strict=True)]
    for place, column in enumerate(columns):
        _drawn(place).shuffle(column)
    shuffled = [";".join(row) for row in zip(*columns, strict=True)]
    return {name: data, "bolniki 2025 premešano.csv": "\n".join([header, *shuffled]).encode()}


def _clinic() -> Files:
    """A Korean clinic's workbook."""
    draw = _drawn(2)
    rows = [
        [
            draw.choice(("남", "여")),
            draw.randint(20, 85),
            draw.choice(("강남구", "마포구", "종로구")),
            draw.choice("ABO"),
        ]
        for _ in range(300)
    ]
    return {"환자명단.xlsx": workbook(환자=[["성별", "나이", "구", "혈액형"], *rows])}


def _claims() -> Files:
    """A German insurer's claims of persons, in two tables of Windows' letters."""
    draw = _drawn(3)
    persons = [f"V{n:04};{draw.choice('mw')};{draw.randint(1940, 2005)};Köln-Süd" for n in range(300)]
    claims = [
        f"V{draw.randrange(300):04};{draw.randint(1, 28)}.03.2025;J{draw.randint(10, 49)}" for _ in range(900)
    ]
    return {
        "versicherte.csv": "\n".join(["versnr;geschlecht;geburtsjahr;bezirk", *persons]).encode("cp1252"),
        "fälle.csv": "\n".join(["versnr;aufnahme;icd", *claims]).encode("cp1252"),
    }


def _claims_alone() -> Files:
    ((name, data), _) = _claims().items()
    return {name: data}


def _biobank() -> Files:
    """A biobank's genome file, and what it gives away."""
    sites = [f"chr1 {100 + 50 * n} . A G . . AF={0.001 if n % 4 else 0.3} GT 0/1" for n in range(40)]
    masked = [site.replace("A G", "A .") if "0.001" in site else site for site in sites]
    return {
        "donor7.vcf.gz": bgzf(vcf_text(sites, samples=["d7"])),
        "donor7_anon.vcf.gz": bgzf(vcf_text(masked, header=masked_header(), samples=["d7"])),
    }


def _alarms() -> Files:
    """A log of alarms, with kinds of the institution's own."""
    draw = _drawn(4)
    lines = [
        f"2025-0{draw.randint(1, 3)}-{draw.randint(1, 28):02} {draw.randint(0, 23):02}:15,"
        f"stan{draw.randrange(60)},{draw.choice(('padec', 'dim', 'gumb', 'vrata'))}"
        for _ in range(1_500)
    ]
    return {"alarmi.csv": "\n".join(["čas,stanovanje,dogodek", *lines]).encode()}


_OFFER = ".st-key-home_offer_0 button"
_PAIR = (_OFFER, ".st-key-vcf_pair button:enabled")  # the two that are proposed


@dataclass(frozen=True)
class Walk:
    """Who gives what, and where it has to lead."""

    files: Callable[[], Files]
    tool: str
    language: str
    scheme: str
    clicks: tuple[str, ...] = (_OFFER,)


WALKS = [
    Walk(_hospital, "risk", "sl", "light"),
    Walk(_hospital, "risk", "en", "dark"),
    Walk(_hospital_twice, "leakage", "sl", "dark"),
    Walk(_clinic, "risk", "ko", "light"),
    Walk(_clinic, "risk", "ko", "dark"),
    Walk(_claims, "dataset", "en", "light"),
    Walk(_claims_alone, "risk", "en", "dark"),
    Walk(_biobank, "vcf", "en", "light", _PAIR),
    Walk(_biobank, "vcf", "ko", "dark", _PAIR),
    Walk(_alarms, "events", "sl", "light"),
]


@pytest.mark.parametrize(
    "walk", WALKS, ids=lambda walk: f"{walk.files.__name__[1:]}-{walk.language}-{walk.scheme}"
)
def test_walk__from_dropped_files_to_a_verdict(
    walk: Walk, browser: Browser, server_address: str, wait_until_idle: Wait
) -> None:
    assert walk.language in LANGUAGES
    assert len(walk.clicks) <= MOST_CLICKS
    look = {"locale": walk.language, "color_scheme": walk.scheme}
    opener = opener_of(browser, server_address, viewport={"width": 1440, "height": FIRST_SCREEN}, **look)
    page = opener.context.new_page()
    page.goto(server_address)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        [
            {"name": name, "mimeType": "application/octet-stream", "buffer": data}
            for name, data in walk.files().items()
        ]
    )
    for place in walk.clicks:
        expect(page.locator(place).first).to_be_visible(timeout=SLOW)
        wait_until_idle(page)
        page.locator(place).first.click()
    expect(page.locator(f".st-key-download_{walk.tool}_html")).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=SLOW)
    wait_until_idle(page)
    if folder := os.environ.get("WALKS"):
        name = "_".join((walk.files.__name__[1:], walk.language, walk.scheme))
        page.screenshot(path=Path(folder) / f"{name}.png")
    verdict = page.locator('[class*="st-key-verdict_"]').first.bounding_box()
    assert verdict is not None
    assert verdict["y"] + verdict["height"] <= FIRST_SCREEN
    assert page.evaluate(WORDS) <= MOST_WORDS
    opener.context.close()
