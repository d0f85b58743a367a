"""The page of several tables in a real browser: four files, the picture of their keys, and the report."""

from pathlib import Path

import pyarrow as pa
from playwright.sync_api import Browser, expect

from core.demo import DATASET as DEMOS
from tests.browser.conftest import let_in, start_server, stop_server
from tests.browser.downloading import downloaded
from tests.kinds import Visit, Wait
from tests.postgresql import PASSWORD, USER, Server, server

SLOW = 90_000
FILES = [
    *({"name": file.name, "mimeType": "text/csv", "buffer": file.data} for file in DEMOS[0].make()["tables"]),
    {"name": "wards.csv", "mimeType": "text/csv", "buffer": b"ward,floor\nA,1\nB,2\n"},
]


def test_four_files__are_read_together_drawn_and_reported(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("dataset")
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(FILES)
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=SLOW)
    wait_until_idle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("in 4 tables down to fewer than 5")
    picture = page.get_by_test_id("stVegaLiteChart").first.locator("svg")
    expect(picture).to_be_visible()
    for name in ("persons", "stays", "tests", "wards"):
        expect(picture.get_by_text(name, exact=True)).to_have_count(1)
    expect(picture.get_by_text("1 : n")).to_have_count(2)
    report = downloaded(page, "Download report").read_text(encoding="utf-8")
    assert "Tables, whom each finds, and the keys between them" in report
    assert "<code>persons</code> to <code>stays</code> by" in report or "persons to stays by" in report
    page.emulate_media(color_scheme="dark")
    expect(picture).to_be_visible()


__all__ = ["server"]

PEOPLE = pa.table(
    {"age": [30, 40, 50] * 20, "sex": ["f", "m"] * 30, "diagnosis": ["flu", "cold", "gout", "flu"] * 15}
)


def test_table_in_postgresql__is_measured_there(server: Server, tmp_path: Path, browser: Browser) -> None:
    place, _, table = server.table(PEOPLE).rpartition("/")
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        f'[engines.registry]\naddress = "{place}"\nuser = "{USER}"\n'
        f'password = "{PASSWORD}"\ntables = ["{table}"]\n',
        encoding="utf-8",
    )
    log = tmp_path / "log.txt"
    running, address = start_server(log, f"--secrets.files={secrets}")
    context = let_in(browser.new_context(viewport={"width": 1440, "height": 900}), address)
    try:
        page = context.new_page()
        page.goto(f"{address}/risk")
        page.get_by_role("combobox", name="A table in a database").click()
        page.get_by_role("option", name=f"registry: {table}").click()
        page.get_by_role("button", name="Measure it where it is").click(timeout=60_000)
        verdict = page.get_by_test_id("stMetric").filter(has_text="Smallest group size (k)")
        expect(verdict).to_contain_text("10", timeout=60_000)
        report = downloaded(page, "Download report").read_text(encoding="utf-8")
        shown = page.locator("body").inner_text()
        page.screenshot(path=tmp_path / "page.png", full_page=True)
    finally:
        context.close()
        stop_server(running)
    assert table in report
    for told in (report, shown, log.read_text(encoding="utf-8")):
        assert PASSWORD not in told
        assert USER not in told
