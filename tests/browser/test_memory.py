"""What a session held is in no process of the server any more, seconds after its tab was closed."""

import json
import random
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from benchmarks.sessions import Session
from core.commands.audit import audit_again
from core.files.named_files import Source, alone
from core.reports import render_json
from tests.browser.conftest import TOKEN, let_in, start_server, stop_server
from tests.browser.downloading import downloaded
from tests.vcf_files import bgzf, vcf_text

PIECE = 1 << 24


def processes(port: str) -> list[int]:
    """Return the server and the processes that it and these started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if f"--server.port={port}".encode() in (folder / "cmdline").read_bytes():
                server = int(folder.name)
        except OSError:
            continue
    started = [server]
    for one in started:  # which grows meanwhile
        started += [child for child, parent in parents.items() if parent == one]
    return started


def _readable(process: int) -> Iterator[tuple[int, int]]:
    for line in Path(f"/proc/{process}/maps").read_text().splitlines():
        place, rights, *_ = line.split()
        if rights.startswith("r") and "[v" not in line:
            start, end = (int(each, 16) for each in place.split("-"))
            yield start, end


def n_in_memory(process: int, word: str) -> int:
    """Count a word in a process's memory, in the encodings that strings have there; 0 once it has ended."""
    pattern = re.compile(
        b"|".join(re.escape(word.encode(each)) for each in ("utf-8", "utf-16-le", "utf-32-le"))
    )
    n = 0
    with (
        suppress(ProcessLookupError, FileNotFoundError),
        Path(f"/proc/{process}/mem").open("rb", 0) as memory,
    ):
        for start, end in _readable(process):
            for place in range(start, end, PIECE):
                try:
                    memory.seek(place)
                    n += len(pattern.findall(memory.read(min(PIECE, end - place))))
                except OSError:
                    break
    return n


def _megabytes(process: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    assert found
    return int(found[1]) / 1024


def _table(word: str) -> bytes:
    """Return a table of which every text is of one session only."""
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    lines = [
        f"{word}p{i},{draw.randrange(20, 90)},{draw.choice('FM')},{word}t{draw.randrange(40)},{word}d{i % 9}"
        for i in range(20_000)
    ]
    return "\n".join([f"person,age,sex,{word}town,disease", *lines]).encode()


AS_LINUX_SHOWS_IT = pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="reads the memory of a process as Linux shows it"
)


@pytest.mark.slow
@AS_LINUX_SHOWS_IT
def test_memory__holds_nothing_of_a_session_whose_tab_was_closed(
    page: Page, fresh_server: str, wait_until_idle: Callable[[Page], None]
) -> None:
    browser = page.context.browser
    assert browser is not None

    def session(word: str) -> tuple[int, float]:
        """Audit a table, download its report, close the tab; return what is left after 5 s, and megabytes."""
        tab = let_in(browser.new_context(), fresh_server).new_page()
        tab.goto(f"{fresh_server}/risk")
        expect(tab.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
        wait_until_idle(tab)
        file = {"name": f"{word}.csv", "mimeType": "text/csv", "buffer": _table(word)}
        tab.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
        expect(tab.get_by_role("button", name="Download report")).to_be_visible(timeout=120_000)
        wait_until_idle(tab)
        assert downloaded(tab, "Report as JSON")
        assert n_in_memory(server, word) > 20_000, "the scan finds nothing at all"
        tab.context.close()
        time.sleep(5)
        return sum(n_in_memory(each, word) for each in processes(port)), _megabytes(server)

    port = fresh_server.rpartition(":")[2]
    (server, *_) = processes(port)
    # libraries are loaded once, and as many processes are kept as a busy machine once needed
    before = max(session("First" + secrets.token_hex(6))[1] for _ in range(2))
    left, after = session("Planted" + secrets.token_hex(6))
    assert left == 0
    assert after - before < 150


class _Visit(NamedTuple):
    """What is done on a page, the tool's unless another is named: files to its uploaders, and a button."""

    files: Mapping[str, Mapping[str, bytes]]
    button: str = ""
    page: str = ""
    until: str = "download_button"


def _pair(word: str) -> _Visit:
    log = {f"{word}town": {"semantic": "address", "action": "keep"}}
    name = f"{word}x"
    files = {
        f"{name}.csv": _table(word),
        f"{name}_anonymized.csv": _table(word).replace(b",F,", b",M,"),
        f"{name}_anonymized_log.json": json.dumps({"log_info": log}).encode(),
    }
    return _Visit({"Originals": files})


def _genomes(word: str) -> _Visit:
    records = [
        f"chr1 {1000 + 7 * i} {word}r{i} A G . PASS AC=1;AF=0.{i % 9 + 1};AN=10 GT 0/1" for i in range(20_000)
    ]
    text = vcf_text(records, samples=[f"{word}s"])
    return _Visit({"Originals": {f"{word}a.vcf.gz": bgzf(text), f"high_anony_{word}a.vcf.gz": bgzf(text)}})


def _events(word: str) -> _Visit:
    lines = [
        f"2024-01-{i % 28 + 1:02}T10:00:00,{word}u{i % 500},{word}{'abcd'[i % 4]}" for i in range(20_000)
    ]
    return _Visit(
        files={"Event log": {f"{word}.csv": "\n".join(["OD_ISO,GUID,dogodek", *sorted(lines)]).encode()}},
    )


def _labelled(word: str) -> _Visit:
    """Return fewer people, each with an outcome that a model can learn."""
    header, *rows = _table(word).decode().splitlines()[:3_000]
    lines = [f"{header},outcome", *(f"{row},{'yes' if ',F,' in row else 'no'}" for row in rows)]
    return _Visit({"Table to anonymize": {f"{word}.csv": "\n".join(lines).encode()}})


def _delivery(word: str) -> _Visit:
    """Return two tables about the same people, and one of them as it was released before."""
    persons = _table(word).decode().splitlines()
    stays = [f"{word}p{i % 20_000},2024-01-{i % 28 + 1:02},{word}w{i % 7}" for i in range(30_000)]
    files = {
        f"{word}persons.csv": "\n".join(persons).encode(),
        f"{word}stays.csv": "\n".join(["person,day,ward", *stays]).encode(),
    }
    earlier = {f"{word}earlier.csv": "\n".join(persons[:15_000]).encode()}
    return _Visit({"tables of the delivery": files, "Tables of earlier releases": earlier})


def _notes(word: str) -> _Visit:
    """Return notes that name people, and what was released before."""
    names = ("Ana Novak", "Janez Horvat", "Maja Kos")
    rows = [
        f'{20 + i % 60},{"FM"[i % 2]},"{word} note {i}: {names[i % 3]} came on day {i} with her mother."'
        for i in range(6_000)
    ]
    table = "\n".join(["age,sex,note", *rows]).encode()
    earlier = "\n".join(["age,sex,note", *rows[:5_000]]).encode()
    files = {"table to be released": {f"{word}.csv": table}, "Tables of earlier": {f"{word}0.csv": earlier}}
    return _Visit(files, page="risk")


def _counts(word: str) -> _Visit:
    """Return counts of people by place and group."""
    lines = [f"{word}t{i},{word}g{j},{(7 * i + j) % 40}" for i in range(300) for j in range(20)]
    return _Visit(
        {"table to be released": {f"{word}.csv": "\n".join(["town,group,count", *lines]).encode()}},
        page="risk",
    )


def _filed(word: str) -> _Visit:
    """Return a filed report, and the table that it was made of."""
    table = _table(word)
    with alone({f"{word}.csv": Source(f"{word}.csv", table)}):
        made = audit_again("risk", [[f"{word}.csv", "--quasi-identifier", "age", f"{word}town"]])
        report = render_json(made.full_report(datetime.now(UTC)))
    return _Visit(
        {"Reports as page (HTML) or JSON": {f"{word}.json": report, f"{word}.csv": table}},
        "Repeat the audit",
        "filed",
        "alert",
    )


VISITS: dict[str, Callable[[str], _Visit]] = {
    "tabular": _pair,
    "vcf": _genomes,
    "leakage": lambda word: _Visit(
        {
            "Original table": {f"{word}.csv": _table(word)},
            "Scrambled table": {f"{word}2.csv": _table(word)[:-200_000].rpartition(b"\n")[0]},
        }
    ),
    "events": _events,
    "diversity": _labelled,
    "dataset": _delivery,
    "free text and releases": _notes,
    "counts": _counts,
    "filed reports": _filed,
}


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that only the sessions of these tests visit."""
    server, address = start_server(tmp_path_factory.mktemp("memory") / "log.txt")
    yield address
    stop_server(server)


@pytest.mark.slow
@AS_LINUX_SHOWS_IT
@pytest.mark.parametrize("tool", VISITS)
def test_memory__of_each_tool_is_given_back_with_its_tab(tool: str, own_server: str) -> None:
    port = own_server.rpartition(":")[2]

    def session(word: str) -> tuple[int, float]:
        """Audit files and close the tab; return what is left of them after 5 s, and megabytes."""
        visit = VISITS[tool](word)
        tab = Session(own_server, visit.page or tool, token=TOKEN)
        for label, files in visit.files.items():
            tab.upload(label, files)
        if visit.button:
            tab.press(visit.button)
        tab.wait_for(visit.until)
        assert any(n_in_memory(each, word) for each in processes(port)), "the scan finds nothing at all"
        tab.close()
        time.sleep(5)
        among = processes(port)
        return sum(n_in_memory(each, word) for each in among), sum(map(_megabytes, among))

    # libraries are loaded once, and as many processes are kept as a busy machine once needed
    before = max(session("First" + secrets.token_hex(6))[1] for _ in range(2))
    left, after = session("Planted" + secrets.token_hex(6))
    assert left == 0
    assert after - before < 150
