"""A table in a PostgreSQL that the operator has configured: chosen, measured there, and filed."""

from pathlib import Path

import pyarrow as pa
from playwright.sync_api import Browser, expect

from tests.browser.conftest import let_in, start_server, stop_server
from tests.browser.downloading import downloaded
from tests.postgresql import PASSWORD, USER, Server, server

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
        verdict = page.get_by_test_id("stMetric").filter(has_text="Smallest class size (k)")
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
