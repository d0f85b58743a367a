"""What one person uploads or starts never holds up another, and ends when it is no longer wanted."""

import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.bench_load import _processor_seconds
from core.tables.reading import is_binary
from tests.browser.conftest import opened_by, opener_of
from tests.browser.test_memory import processes
from tests.hostile.corpus import Hostile, genome, killers

ALWAYS = ("an element beyond ASCII", "a dictionary of one long text", "a bomb in XES", "blank columns")
PAGES = {"table": "risk", "vcf": "vcf", "log": "tabular", "report": "filed"}
KILLERS = [
    pytest.param(file, id=f"{file.reader}-{file.how}", marks=() if file.how in ALWAYS else pytest.mark.slow)
    for file in killers()
    if file.reader in PAGES
]
UPLOADER = "stFileUploaderDropzoneInput"


@pytest.fixture(scope="module")
def stranger(browser: Browser, server_address: str) -> Iterator[Page]:
    """A tab that opens those of another visitor, in a process of the browser's own."""
    opener = opener_of(browser, server_address)
    yield opener
    opener.context.close()


@pytest.fixture
def other(stranger: Page, server_address: str, wait_until_idle: Callable[[Page], None]) -> Iterator[Page]:
    """Another visitor's page."""
    page = opened_by(stranger)
    page.goto(server_address)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    yield page
    page.close()


@pytest.mark.parametrize("file", KILLERS)
def test_killing_file__leaves_another_session_working(
    file: Hostile, visit: Callable[[str], Page], other: Page
) -> None:
    page = visit(PAGES[file.reader])
    places = ["AnonAudit", "Row leakage"] * 3
    usual = statistics.median(_switch(other, place) for place in places)
    given = _with_what_belongs_to_it(file)
    page.get_by_test_id(UPLOADER).first.set_input_files(
        [
            {"name": name, "mimeType": "application/octet-stream", "buffer": data}
            for name, data in given.items()
        ]
    )
    during = max(_switch(other, place) for place in places[:4])
    assert during < 3 * usual + 1
    expect(page.get_by_role("button", name="Delete my data")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stApp")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=60_000
    )
    if file.how in ALWAYS:
        expect(page.get_by_test_id("stAlert").filter(has_text=next(iter(given))).first).to_be_visible()
    assert _switch(other, "AnonAudit") < 3 * usual + 1


def _with_what_belongs_to_it(file: Hostile) -> dict[str, bytes]:
    """Return a file under a name that its page takes, and the others that the page wants with it."""
    if file.reader == "vcf":
        return {"a.vcf": genome("text"), "high_anony_a.vcf": file.data}
    if file.reader == "report":
        return {"r.json": file.data}
    if file.reader == "log":
        table = b"age,sex\n30,F\n40,M\n"
        return {"x.csv": table, "x_anonymized.csv": table, "x_anonymized_log.json": file.data}
    return {"t.xlsx" if is_binary(file.data[:8]) else "t.txt": file.data}


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
    """Return the processor seconds that the server and the processes it started have taken."""
    server, *_ = processes(address.rpartition(":")[2])
    return _processor_seconds(server)


HEAVY: dict[str, Callable[[], list[dict[str, object]]]] = {
    "tabular": _heavy_pair,
}


@pytest.mark.parametrize("how", ["Delete my data", "closing the tab"])
@pytest.mark.parametrize("tool", HEAVY)
def test_heavy_work__ends_when_it_is_no_longer_wanted(
    tool: str, how: str, page: Page, fresh_server: str, wait_until_idle: Callable[[Page], None]
) -> None:
    page.goto(f"{fresh_server}/{tool}")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    small = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,sex\n30,F\n40,M\n"}
    page.get_by_test_id(UPLOADER).first.set_input_files(small)
    expect(page.get_by_role("button", name="Delete my data")).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    page.get_by_role("button", name=re.compile("Add files|Change the file")).click()
    page.get_by_test_id(UPLOADER).first.set_input_files(HEAVY[tool]())
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
