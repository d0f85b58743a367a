"""What one person uploads or starts never holds up another, and ends when it is no longer wanted."""

import json
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import let_in
from tests.hostile.corpus import Hostile, killers

KILLERS = {
    file.how: file
    for file in killers()
    if file.reader == "table"
    and file.how
    in ("an element beyond ASCII", "a dictionary of one long text", "a bomb in XES", "blank columns")
}
UPLOADER = "stFileUploaderDropzoneInput"


def _other_session(page: Page, server_address: str, wait_until_idle: Callable[[Page], None]) -> Page:
    browser = page.context.browser
    assert browser is not None
    other = let_in(browser.new_context(), server_address).new_page()
    other.goto(server_address)
    expect(other.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
    wait_until_idle(other)
    return other


@pytest.mark.parametrize("how", KILLERS)
def test_killing_file__leaves_another_session_working(
    how: str,
    visit: Callable[[str], Page],
    server_address: str,
    wait_until_idle: Callable[[Page], None],
) -> None:
    file: Hostile = KILLERS[how]
    page = visit("risk")
    other = _other_session(page, server_address, wait_until_idle)
    places = ["AnonAudit", "Row leakage"] * 3
    usual = statistics.median(_switch(other, place) for place in places)
    name = {"a bomb in XES": "t.txt"}.get(how, "t.xlsx")
    page.get_by_test_id(UPLOADER).first.set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": file.data}
    )
    during = max(_switch(other, place) for place in places[:4])
    assert during < 3 * usual + 1
    expect(page.get_by_test_id("stAlert").filter(has_text=name).first).to_be_visible(timeout=60_000)
    assert _switch(other, "AnonAudit") < 3 * usual + 1
    other.context.close()


def _switch(page: Page, name: str) -> float:
    started = time.monotonic()
    link = "Home" if name == "AnonAudit" else name
    page.get_by_test_id("stTopNavLink").filter(has_text=link).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible(timeout=30_000)
    return time.monotonic() - started


def _heavy_pair() -> list[dict[str, object]]:
    """Return a table whose verification takes long, its anonymized form and log."""
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    names = [f"c{i}" for i in range(25)]
    rows = [",".join(f"{draw.choice('abcdefgh')}{draw.random():.9f}" for _ in names) for _ in range(40_000)]
    changed = [
        ",".join(f"{draw.choice('abcdefgh')}{draw.random():.9f}" for _ in names) for _ in range(40_000)
    ]
    log = {"log_info": {name: {"semantic": "id", "action": "pseudonymize"} for name in names}}
    head = ",".join(names)
    files = {
        "x.csv": "\n".join([head, *rows]),
        "x_anonymized.csv": "\n".join([head, *changed]),
        "x_anonymized_log.json": json.dumps(log),
    }
    return [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()]


def _server_seconds(address: str) -> float:
    """Return the processor seconds that the server has taken."""
    port = address.rpartition(":")[2]
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes()
            if f"--server.port={port}".encode() in command:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    raise AssertionError("the server is gone")


@pytest.mark.parametrize("how", ["Delete my data", "closing the tab"])
def test_heavy_work__ends_when_it_is_no_longer_wanted(
    how: str, page: Page, fresh_server: str, wait_until_idle: Callable[[Page], None]
) -> None:
    page.goto(f"{fresh_server}/tabular")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    small = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,sex\n30,F\n40,M\n"}
    page.get_by_test_id(UPLOADER).first.set_input_files(small)
    expect(page.get_by_role("button", name="Delete my data")).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    page.get_by_role("button", name="Add files").click()
    page.get_by_test_id(UPLOADER).first.set_input_files(_heavy_pair())
    begun = _server_seconds(fresh_server)
    while _server_seconds(fresh_server) < begun + 4:
        time.sleep(0.2)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")
    if how == "Delete my data":
        page.get_by_role("button", name="Delete my data").click()
        page.get_by_role("button", name="Delete all").click()
        expect(page.get_by_text("go when you close the tab")).to_be_visible(timeout=10_000)
    else:
        page.close()
    time.sleep(3)
    before = _server_seconds(fresh_server)
    time.sleep(2)
    assert _server_seconds(fresh_server) - before < 0.5
