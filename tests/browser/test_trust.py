"""What one person uploads or starts never holds up another, and ends when it is no longer wanted."""

import hashlib
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.bench_load import _processor_seconds
from benchmarks.sessions import Session
from core.commands.audit import audit_again
from core.files.named_files import Source, alone
from core.reports import render_json
from core.tables.reading import is_binary
from tests.browser.conftest import TOKEN, opened_by, opener_of, start_server, stop_server
from tests.browser.test_memory import processes
from tests.hostile.corpus import Hostile, genome, killers
from tests.hostile.filed import sealed
from tests.thorough import IS_THOROUGH

ALWAYS = ("an element beyond ASCII", "a dictionary of one long text", "a bomb in XES", "blank columns")
PAGES = {"table": "risk", "vcf": "vcf", "log": "tabular", "report": "filed"}
# `tests/hostile` reads all of them; in the browser `make test` tries a third, and those that once killed.
KILLERS = [
    pytest.param(file, id=f"{file.reader}-{file.how}")
    for place, file in enumerate(file for file in killers() if file.reader in PAGES)
    if IS_THOROUGH or place % 3 == 0 or file.how in ALWAYS
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
    page.get_by_role("button", name=re.compile("Add files|Change the file")).click()
    page.get_by_test_id(UPLOADER).first.set_input_files(_heavy_pair())
    _wait_for_work(fresh_server, 4, time.sleep)
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


def _wait_for_work(address: str, seconds: float, meanwhile: Callable[[float], None]) -> None:
    """Wait until a server has worked for so many processor seconds."""
    begun = _server_seconds(address)
    for _ in range(600):
        meanwhile(0.2)
        if _server_seconds(address) > begun + seconds:
            return
    pytest.fail(f"the server did not work for {seconds} seconds")


class Work(NamedTuple):
    """Files that take a page long: to its uploaders one after the other; the last, or a button, begins it."""

    page: str
    files: Mapping[str, Mapping[str, bytes]]
    button: str = ""


def _table(names: str, n: int, *, seed: int = 1) -> bytes:
    """Return a table of independent columns, the last one of two values."""
    draw = np.random.default_rng(seed)
    columns = [np.char.add("v", draw.integers(40, size=n).astype(str)) for _ in names.split(",")[1:]]
    rows = np.stack([*columns, draw.choice(["no", "yes"], n)], axis=1).tolist()
    return "\n".join([names, *map(",".join, rows)]).encode()


def _counts() -> dict[str, bytes]:
    """Return counts by three columns with all totals; what to suppress is looked for long."""
    counts = np.random.default_rng(3).poisson(5, (8, 8, 9))
    for axis in range(3):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    n_of = counts.shape
    rows = [
        ",".join(
            [*("Total" if at == n - 1 else f"c{at}" for at, n in zip(place, n_of, strict=True)), str(count)]
        )
        for place, count in np.ndenumerate(counts)
    ]
    return {"counts.csv": "\n".join(["region,age_group,education,count", *rows]).encode()}


def _delivery() -> dict[str, bytes]:
    """Return people and very many coarse events of theirs."""
    draw = np.random.default_rng(1)
    people = [f"p{i},{age},{'FM'[i % 2]}" for i, age in enumerate(draw.integers(20, 90, 20_000))]
    events = [
        f"p{person},2024-{month:02}-01,w{ward}"
        for person, month, ward in draw.integers((0, 1, 0), (20_000, 13, 5), (400_000, 3))
    ]
    return {
        "people.csv": "\n".join(["person,age,sex", *people]).encode(),
        "stays.csv": "\n".join(["person,day,ward", *events]).encode(),
    }


def _repeat() -> Work:
    """Return the report of a small table that says it is of a large one."""
    words = ["t.csv", "--quasi-identifier", *PEOPLE.split(",")[:-1], "--suda"]
    with alone({"t.csv": Source("t.csv", _table(PEOPLE, 50))}):
        made = audit_again("risk", [words])
    document = json.loads(render_json(made.full_report(datetime.now(UTC))))
    large = _table(PEOPLE, 400_000)
    document["inputs"][0] |= {"sha256": hashlib.sha256(large).hexdigest(), "n_bytes": len(large)}
    return Work(
        "filed",
        {"Reports as page (HTML) or JSON": {"r.json": sealed(document), "t.csv": large}},
        "Repeat the audit",
    )


PEOPLE = "age,town,education,occupation,race,country,marital_status,zip,disease"
WORK: dict[str, Callable[[], Work]] = {
    "risk": lambda: Work("risk", {"table to be released": {"t.csv": _table(PEOPLE, 200_000)}}),
    "counts": lambda: Work("risk", {"table to be released": _counts()}, "Audit it as a table of counts"),
    "dataset": lambda: Work("dataset", {"tables of the delivery": _delivery()}),
    "leakage": lambda: Work(
        "leakage",
        {
            "Original table": {"a.csv": _table(PEOPLE, 60_000)},
            "Scrambled table": {"b.csv": _table(PEOPLE, 60_000, seed=2)},
        },
    ),
    "diversity": lambda: Work(
        "diversity", {"Table to anonymize": {"t.csv": _table(f"{PEOPLE},outcome", 30_000)}}, "Search"
    ),
    "filed reports": _repeat,
}
STOP = "Stop and keep what is done"


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that only the sessions of a test visit."""
    server, address = start_server(tmp_path_factory.mktemp("work") / "log.txt")
    yield address
    stop_server(server)


@pytest.mark.slow
@pytest.mark.parametrize("tool", WORK)
def test_work_of_each_tool__ends_when_it_is_no_longer_wanted(tool: str, own_server: str) -> None:
    work = WORK[tool]()
    for how in ("Stop", "Delete my data", "closing the tab"):
        tab = Session(own_server, work.page, token=TOKEN)
        *first, last = work.files.items()
        for label, files in first:
            tab.upload(label, files)
        tab.put(*last)
        if work.button:
            tab.rerun()
            tab.press(work.button, wait=False)
        else:
            tab.begin()
        _wait_for_work(own_server, 1, tab.hear)
        assert tab.is_running or STOP in tab.text, f"{how}: it was done before"
        if how == "closing the tab":
            tab.close()
        elif how == "Delete my data":
            tab.press("Delete all", wait=False)
        elif STOP in tab.text:
            tab.press(STOP, wait=False)
        else:
            tab.stop()
        time.sleep(2.5)
        before = _server_seconds(own_server)
        time.sleep(1)
        assert _server_seconds(own_server) - before < 0.3, how
        tab.close()
