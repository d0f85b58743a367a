"""Files read in another process: the same result, and files that would end a process."""

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from core import apart
from core.apart import (
    Bounds,
    EndedError,
    Worker,
    answer,
    ask_apart,
    memory_bound,
    prepare,
    seconds_bound,
    serve,
)
from core.errors import AuditInputError
from core.holding import Shared
from core.tables import ReadOptions, read_dataset, reading
from core.tables.delimited import read_delimited
from core.tables.reading import read_apart, read_binary, read_for_other
from core.words import say, speaking, text_of
from tests.kinds import Patch

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
BOUNDS = "takes more than 1 GiB of memory or 10 seconds, the bounds for a file of its size"
OPTIONS = ReadOptions(missing_spellings=("NA",))


def workbook(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def rewritten(data: bytes, part: str, old: bytes, new: bytes, *, renamed: str | None = None) -> bytes:
    """Return a workbook with a change in one part, as an attacker would make it."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            content = source.read(name)
            assert name != part or old in content
            changed = content.replace(old, new) if name == part else content
            target.writestr(renamed or name if name == part else name, changed)
    return out.getvalue()


def with_part(data: bytes, part: str, content: str) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as target:
        target.writestr(part, content)
    return out.getvalue()


def small() -> bytes:
    return workbook(S=[["a", "b"], ["x", 1], ["NA", 2]])


def in_parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def there_read(data: bytes, *, name: str, kind: str = "binary") -> tuple[pa.Table, reading.Reading]:
    return read_apart(pa.py_buffer(data), name=name, options=OPTIONS, kind=kind)


def test_read_apart__gives_what_reading_here_gives() -> None:
    hidden = workbook(S=[["title"], ["a", "b"], ["x", 1]], T=[["note"]])
    numbers = in_parquet(pa.table({"n": list(range(200_000)), "t": ["x", None] * 100_000}))
    for data in (small(), hidden, numbers):
        here = read_binary(pa.py_buffer(data), name="t", options=OPTIONS)
        there = there_read(data, name="t")
        assert there[0].equals(here[0])
        assert there[1] == here[1]
    with pytest.raises(AuditInputError) as said_here:
        read_binary(pa.py_buffer(small()[:300]), name="t.xlsx", options=OPTIONS)
    with pytest.raises(AuditInputError) as said_there:
        there_read(small()[:300], name="t.xlsx")
    assert said_there.value.problems == said_here.value.problems


def test_read_apart__the_process_works_behind_this_one_and_waits_for_the_next_file() -> None:
    there_read(small(), name="t")
    waiting = list(apart.POOL.idle)
    if sys.platform != "win32":  # priorities of POSIX
        behind = os.getpriority(os.PRIO_PROCESS, waiting[-1].process.pid)
        assert behind > os.getpriority(os.PRIO_PROCESS, 0)
    there_read(small(), name="t")
    assert waiting
    assert apart.POOL.idle == waiting


FAR_CELL = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
HUGE_COUNT = f'<sst xmlns="{MAIN}" count="4000000000" uniqueCount="4000000000"><si><t>a</t></si></sst>'
KILLERS = {
    "a count of shared texts": lambda: with_part(small(), "xl/sharedStrings.xml", HUGE_COUNT),
    "a part in other case": lambda: rewritten(
        small(), "xl/worksheets/sheet1.xml", b"</sheetData>", FAR_CELL, renamed="xl/Worksheets/SHEET1.XML"
    ),
    "an element beyond ASCII": lambda: rewritten(
        small(), "xl/worksheets/sheet1.xml", b"</sheetData>", FAR_CELL.replace(b"c r", "é:c r".encode())
    ),
    "a dictionary of long texts": lambda: in_parquet(
        pa.table({"a": pa.array(["x" * 100_000]).dictionary_encode().take(pa.array([0] * 60_000))})
    ),
}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("killer", KILLERS)
def test_read_dataset__a_file_that_ends_its_reader_is_one_sentence(killer: str) -> None:
    data = KILLERS[killer]()
    assert len(data) < 20_000
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data, name="t.xlsx")
    (problem,) = caught.value.problems
    assert problem.startswith("t.xlsx: ")
    assert BOUNDS in problem or "is damaged" in problem or "would unpack to 6,000 MB" in problem
    assert read_dataset(small(), name="next.xlsx").n_records == 2


STARTED = """
from sys import stdout
stdout.buffer.write(bytes([17, 0, 0, 0, 0, 0, 0, 0]) + b'{"started": true}')
stdout.flush()
"""


def test_read_apart__a_process_that_does_not_start_or_answers_nonsense_is_ended(monkeypatch: Patch) -> None:
    answers = ("print('x' * 99)", "import sys; sys.stdout.buffer.write(bytes(8) + b'[]')", "pass")
    starts = ("raise SystemExit(1)", "print('x' * 99)", "import os; os.abort()")
    cases = [(code, "not looked at") for code in starts]  # which says nothing of the file
    for code, said in cases + [(STARTED + code, "could not be read") for code in answers]:
        apart.POOL.end()
        monkeypatch.setattr(apart, "_COMMAND", ("-c", code))
        with pytest.raises(AuditInputError, match=said):
            there_read(small(), name="t")
        assert apart.POOL.idle == []


def test_read_apart__an_interruption_ends_the_process(monkeypatch: Patch) -> None:
    apart.POOL.end()
    ended = []
    started = apart.Worker()
    monkeypatch.setattr(started, "ask", lambda *_args, **_kwargs: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(started, "end", lambda: ended.append(True))
    apart.POOL.give_back(started)
    with pytest.raises(KeyboardInterrupt):
        there_read(small(), name="t")
    assert ended == [True]
    apart.Worker.end(started)


def test_pool__keeps_a_process_for_each_processor_and_replaces_one_that_has_gone(monkeypatch: Patch) -> None:
    monkeypatch.setattr(apart.os, "cpu_count", lambda: 2)
    apart.POOL.end()
    for _ in range(3):
        prepare()
    first, last = apart.POOL.idle
    last.process.kill()
    last.process.wait()
    assert apart.POOL.take() is first
    second = apart.POOL.take()
    assert second not in (first, last)
    assert second.is_alive
    monkeypatch.setattr(apart.os, "cpu_count", lambda: 1)
    pool = apart.Pool()
    for each in (first, second):
        assert each.is_alive
        pool.give_back(each)
    assert (first.is_alive, second.is_alive) == (True, False)
    pool.end()
    assert not first.is_alive


@pytest.mark.slow
def test_read_dataset__reads_large_text_elsewhere(monkeypatch: Patch) -> None:
    data = b"id,word\n" + b"".join(b"%d,w%d\n" % (i, i % 7) for i in range(400_000))
    here = read_delimited(pa.py_buffer(data), name="t", options=ReadOptions())
    monkeypatch.setattr(reading, "WORTH_A_PROCESS", 1000)
    for shared in (True, False):
        monkeypatch.setattr(apart, "HAS_SHARED_MEMORY", shared)
        there = read_dataset(data, name="t")
        assert there.table.equals(here[0])
        assert there.reading == here[1]


def test_ask_apart__of_two_processes_each_has_its_own_memory() -> None:
    with apart.Shared(pa.py_buffer(b"abc")) as one, apart.Shared(size=10) as other:
        assert one.path != other.path
        assert one.read(3).to_pybytes() == b"abc"
        with pytest.raises(OSError, match="not permitted"), Path(one.path).open("r+b", buffering=0) as file:
            file.write(b"x")


@pytest.mark.slow
def test_ask_apart__a_task_that_ends_its_process_is_told() -> None:
    for task in ("os:abort", "core.apart:no_such_task", "json:loads"):
        with pytest.raises(EndedError):
            ask_apart(task, pa.py_buffer(b"x"), {})
    assert apart.POOL.idle == [] or apart.POOL.idle[0].is_alive


def test_serve__answers_every_request_until_there_are_no_more() -> None:
    requests, answers = io.BytesIO(), io.BytesIO()
    for data in (small(), b"PK\x03\x04"):
        apart._send(requests, request(data))
        requests.write(data)
    requests.write(b"half a request")
    requests.seek(0)
    serve_without_limits(requests, answers)
    answers.seek(0)
    assert table_in(answers).num_rows == 2
    assert "damaged or cut off" in text_of(apart._receive(answers)["problems"][0])
    assert answers.read() == b""


def table_in(answers: IO[bytes]) -> pa.Table:
    assert apart._receive(answers)["has_table"]
    with pa.ipc.open_stream(answers) as stream:
        return stream.read_all()


def request(data: bytes, name: str = "t") -> dict[str, object]:
    arguments = {"name": name, "options": asdict(OPTIONS), "kind": "binary"}
    bounds = {"n_bytes": len(data), "memory": memory_bound(len(data)), "seconds": seconds_bound(len(data))}
    return {"task": "core.tables.reading:read_for_other", "arguments": arguments, **bounds}


def serve_without_limits(requests: io.BytesIO, answers: io.BytesIO) -> None:
    """Serve here; the limits would bind the process that tests."""
    with Patch.context() as patched:
        patched.setattr(apart, "limit", lambda *_args, **_kwargs: None)
        serve(requests, answers)


def test_serve__ends_when_nothing_is_asked_for_long(monkeypatch: Patch) -> None:
    monkeypatch.setattr(apart, "IDLE_SECONDS", 0)
    reading, writing = os.pipe()
    answers = io.BytesIO()
    with os.fdopen(reading, "rb", buffering=0) as requests, os.fdopen(writing, "wb"):
        serve(requests, answers)  # the other end is open, and says nothing
    assert answers.getvalue() == b""


def answered(asked: dict[str, object], task: Callable[..., apart.Answer], data: bytes) -> io.BytesIO:
    out = io.BytesIO()
    answer(asked, task, pa.py_buffer(data), to=out)
    out.seek(0)
    return out


def test_answer__writes_problems_as_they_are_and_reports_before_it_answers() -> None:
    (problem,) = apart._receive(answered(request(b"", "t.zip"), read_for_other, b"PK\x03\x04"))["problems"]
    assert text_of(problem).startswith("t.zip: the file begins like an Excel")

    def count(_data: pa.Buffer, report: Callable[[int], None], *, upto: int) -> apart.Answer:
        for number in range(1, upto):
            report(number)
        return {"done": True}, None

    out = answered({"arguments": {"upto": 3}, "reports": True}, count, b"")
    said = [apart._receive(out) for _ in range(3)]
    assert said == [{"reported": 1}, {"reported": 2}, {"document": {"done": True}, "has_table": False}]


@pytest.mark.slow
def test_read_apart__notes_and_what_stands_beside_can_be_said_in_other_languages() -> None:
    _, found = there_read(workbook(S=[["a", "", "a"], ["x", 1, 2]], Key=[["secret"]]), name="t.xlsx")
    with speaking("brackets"):
        assert [say(note) for note in found.notes] == [
            "⟦The workbook has 2 sheets; “S” was read.⟧",
            "⟦Column 2 has no name and is called “Unnamed: 2”.⟧",
            "⟦Column names that occur more than once were numbered: “a_2”.⟧",
        ]
        assert [say(one.what) for one in found.beside if one.sheet] == ["⟦the sheet “Key”⟧"]
        assert say(found.summary) == "⟦XLSX⟧, ⟦sheet “S”⟧, ⟦header in row 1⟧"


@pytest.mark.slow
def test_limit__binds_the_process_that_reads() -> None:
    code = (
        "import resource; from core.apart import Bounds, limit, memory_bound\n"
        "limit(Bounds(memory_bound(100), 10))\n"
        "for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE): assert resource.getrlimit(kind)[0] == 0\n"
        "bytearray(memory_bound(100) // 2)\n"
        "bytearray(memory_bound(100) * 5 // 4)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=apart.ROOT)
    assert "MemoryError" in done.stderr
    assert "line 5" in done.stderr


def test_bounds__grow_with_the_file() -> None:
    assert memory_bound(100) == memory_bound(5 << 20) == 1 << 30
    assert memory_bound(100 << 20) == (2 << 30) + 64 * (100 << 20)
    assert (seconds_bound(100), seconds_bound(100 << 20)) == (10, 410)


NUMBERS = pa.table({"n": list(range(200_000)), "words": ["a word"] * 200_000})


def give_numbers(data: pa.Buffer) -> apart.Answer:
    """Answer with the size of what was given, and a table."""
    return {"n_bytes": data.size}, NUMBERS


@pytest.mark.skipif(not apart.HAS_SHARED_MEMORY, reason="as Linux shares memory")
def test_serve__takes_large_files_and_gives_tables_through_shared_memory(monkeypatch: Patch) -> None:
    monkeypatch.setattr(apart, "_WRITTEN_AT_ONCE", 1 << 20)
    given_back = []
    monkeypatch.setattr(apart, "give_back_memory", lambda: given_back.append(True))
    file, taken = Shared(pa.py_buffer(b"x" * 5_000)), Shared(size=1 << 23)
    asked = {**request(b"x" * 5_000), "task": f"{__name__}:give_numbers", "arguments": {}}
    requests, answers = io.BytesIO(), io.BytesIO()
    apart._send(requests, {**asked, "given": file.path, "taken": taken.path, "room": taken.size})
    requests.seek(0)
    serve_without_limits(requests, answers)
    answers.seek(0)
    head = apart._receive(answers)
    assert head["document"] == {"n_bytes": 5_000}
    assert answers.read() == b""
    with pa.ipc.open_stream(taken.read(int(head["n_bytes"]))) as stream:
        assert stream.read_all().equals(NUMBERS)
    assert len(given_back) >= 3  # between the batches, and after a large file


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_limit__bounds_memory_beyond_what_is_there_and_forbids_files(monkeypatch: Patch) -> None:
    bound: dict[int, int] = {}
    monkeypatch.setattr(apart.resource, "setrlimit", lambda kind, both: bound.update({kind: both[0]}))
    before = apart._addresses()
    apart.limit(Bounds(1 << 30, 10), mapped=1 << 20)
    assert bound[apart.resource.RLIMIT_AS] >= before + (1 << 30) + (1 << 20)
    assert 10 <= bound[apart.resource.RLIMIT_CPU] <= 10 + time.process_time()
    assert bound[apart.resource.RLIMIT_FSIZE] == bound[apart.resource.RLIMIT_CORE] == 0

    def unknown(_kind: int, _both: object) -> None:
        raise ValueError

    monkeypatch.setattr(apart.resource, "setrlimit", unknown)
    apart.limit(Bounds(1 << 30, 10))  # a system that knows no such limit


def test_main__says_that_it_has_started_serves_and_ends(monkeypatch: Patch) -> None:
    reading, writing = os.pipe()
    requests = io.BytesIO()
    apart._send(requests, request(small()))
    requests.write(small())
    requests.seek(0)
    ended: list[int] = []
    opened = []
    open_file = os.fdopen

    def remembered(*given: Any, **more: Any) -> Any:
        opened.append(open_file(*given, **more))
        return opened[-1]

    monkeypatch.setattr(apart.os, "fdopen", remembered)
    monkeypatch.setattr(apart.os, "dup", lambda _number: writing)
    monkeypatch.setattr(apart.os, "dup2", lambda *_numbers: None)
    monkeypatch.setattr(apart.os, "_exit", ended.append)
    monkeypatch.setattr(apart.os, "nice", lambda _steps: None)
    monkeypatch.setattr(apart, "open", lambda *_, **__: requests, raising=False)
    monkeypatch.setattr(apart, "limit", lambda *_, **__: None)
    apart.main()
    monkeypatch.undo()
    opened[0].close()
    with os.fdopen(reading, "rb") as answers:
        assert apart._receive(answers) == {"started": True}
        assert table_in(answers).num_rows == 2
    assert ended == [0]


def test_worker__that_answers_nonsense_has_ended() -> None:
    for said in (b"\xff" * 8, apart._LENGTH.pack(2) + b"[]", apart._LENGTH.pack(3) + b"{}"):
        with pytest.raises(EndedError):
            apart._receive(io.BytesIO(said))
    for nonsense in ({"started": False}, {}):
        worker = Worker.__new__(Worker)
        worker._has_started = False
        worker.process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        apart._send(worker.process.stdin, nonsense)
        worker.process.stdin.close()
        with pytest.raises((AuditInputError, EndedError)):
            worker.ask("core.tables.reading:read_for_other", pa.py_buffer(b""), {})
        worker.end()
        assert not worker.is_alive
