"""Anything run in a fresh process: the same result and errors, and an end to what takes too much."""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.files.input_bytes import Shared
from core.processes import bounded_process
from core.processes.bounded_process import EndedError, Process, UnforeseenError, called_apart, run_apart
from core.processes.bounds import ALLOWED, Bounds, memory_bound
from core.words import input_error, say, speaking
from tests.kinds import Patch

SMALL = Bounds(1 << 30, 20)


class Held(NamedTuple):
    """Something of everything that comes back."""

    table: pa.Table
    numbers: npt.NDArray[np.int64]
    names: tuple[str, ...]


def given_back(table: pa.Table, numbers: npt.NDArray[np.int64], names: tuple[str, ...]) -> Held:
    return Held(table, numbers, names)


def where() -> int:
    return os.getpid()


def size_of(data: pa.Buffer) -> int:
    return data.size


def hold(n_bytes: int) -> int:
    return len(b"x" * n_bytes)


def for_ever(*, report: Callable[[int], None] = lambda _: None) -> int:
    report(1)
    while True:
        pass


def count(upto: int, *, report: Callable[[int], None]) -> int:
    threads = [threading.Thread(target=report, args=(number,)) for number in range(upto)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return upto


def abort() -> int:
    os.abort()


def refuse() -> int:
    raise input_error("{n} cells are wrong.", n=7)


def not_foreseen() -> int:
    raise ZeroDivisionError("a cell that must not be shown")


def of_another_type() -> int:
    return "a word"  # type: ignore[return-value]


def talk_nonsense(said: bytes) -> int:
    for each in Path("/proc/self/fd").iterdir():
        try:
            line = socket.socket(fileno=os.dup(int(each.name)))
            line.sendall(said)
        except OSError:
            continue
    return 1


def write_a_file(path: str) -> int:
    Path(path).write_bytes(b"x")
    return 1


_KEPT: list[str] = []


def remember(word: str) -> tuple[str, ...]:
    _KEPT.append(word)
    return tuple(_KEPT)


TABLE = pa.table({"n": list(range(300_000)), "words": ["a word", None, "another"] * 100_000})


@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("n", [3, 300_000])
def test_run_apart__gives_back_tables_and_arrays_small_and_large(
    n: int, shares: bool, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(bounded_process, "HAS_SHARED_MEMORY", shares)
    given = TABLE.slice(0, n), np.arange(n), ("a", "b")
    found = run_apart(given_back, *given, bounds=SMALL)
    assert found.table.equals(given[0])
    assert (found.numbers == given[1]).all()
    assert found.names == ("a", "b")
    assert run_apart(size_of, pa.py_buffer(b"x" * n), bounds=SMALL) == n


@pytest.mark.skipif(not bounded_process.HAS_SHARED_MEMORY, reason="as Linux shares memory")
def test_run_apart__shared_memory_arrives_as_what_it_holds_and_can_be_changed_no_more_once_read() -> None:
    assert run_apart(size_of, Shared(pa.py_buffer(b"abc")), bounds=SMALL) == 3
    with Shared(pa.py_buffer(b"abc")) as one, Shared(size=10) as other:
        assert one.path != other.path
        assert one.read(3).to_pybytes() == b"abc"
        with pytest.raises(OSError, match="not permitted"), Path(one.path).open("r+b", buffering=0) as file:
            file.write(b"x")


def test_run_apart__every_call_has_a_process_of_its_own_that_saw_nothing_before() -> None:
    processes = {run_apart(where, bounds=SMALL) for _ in range(3)}
    assert len(processes) == 3
    assert os.getpid() not in processes
    assert [run_apart(remember, word, bounds=SMALL) for word in "ab"] == [("a",), ("b",)]
    _wait_until(lambda: not _forked())


def test_process__is_asked_several_things_of_the_same_file() -> None:
    process = Process(__name__)
    assert [process.call(remember, word, bounds=SMALL) for word in "ab"] == [("a",), ("a", "b")]
    with pytest.raises(AuditInputError, match="7 cells are wrong"):
        process.call(refuse, bounds=SMALL)
    assert process.call(remember, "c", bounds=SMALL) == ("a", "b", "c")
    process.end()
    process.end()
    with pytest.raises(EndedError):
        process.call(where, bounds=SMALL)
    _wait_until(lambda: not _forked())


def test_run_apart__a_problem_comes_back_to_be_said_in_any_language() -> None:
    with pytest.raises(AuditInputError) as caught:
        run_apart(refuse, bounds=SMALL)
    with speaking("brackets"):
        assert say(caught.value.problems[0]) == "⟦7 cells are wrong.⟧"


def test_run_apart__an_error_that_nobody_foresaw_has_a_kind_and_a_place_alone() -> None:
    with pytest.raises(UnforeseenError) as caught:
        run_apart(not_foreseen, bounds=SMALL)
    assert str(caught.value).startswith("ZeroDivisionError at test_bounded.py:")
    assert "cell" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_run_apart__ends_what_aborts_takes_too_much_writes_or_answers_nonsense(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for function, *given in ((abort,), (hold, 2 << 30), (of_another_type,), (write_a_file, str(path))):
        with pytest.raises(EndedError):
            run_apart(function, *given, bounds=SMALL)
    assert not path.exists() or path.stat().st_size == 0
    assert run_apart(hold, 1 << 29, bounds=SMALL) == 1 << 29
    began = time.monotonic()
    with pytest.raises(EndedError):
        run_apart(for_ever, bounds=Bounds(1 << 30, 1))
    assert time.monotonic() - began < 20
    _wait_until(lambda: not _forked())


def _said(kind: bytes, content: bytes, n_bytes: int | None = None) -> bytes:
    return kind + struct.pack("<Q", len(content) if n_bytes is None else n_bytes) + content


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to find its line")
@pytest.mark.parametrize(
    "said",
    [
        b"m" + bytes(7) + b"\xff" * 40,
        _said(b"p", b"[" * 100_000),
        _said(b"p", b'[{"message": "{x.__class__}", "plural": "", "n": 1, "values": {"x": 1}}]'),
        _said(b"p", b"[]"),
        _said(b"t", b"no table"),
        _said(b"t", b"", 1 << 62),
        _said(b"m", b"\xff" * 8),
        _said(b"m", b""),
        _said(b"r", b"", 1 << 40),
        _said(b"q", b"x"),
    ],
)
def test_run_apart__nonsense_ends_it(said: bytes) -> None:
    with pytest.raises(EndedError):
        run_apart(talk_nonsense, said, bounds=SMALL)


def test_run_apart__reports_from_several_threads_and_is_stopped_by_what_a_report_raises() -> None:
    told: list[int] = []
    assert run_apart(count, 50, bounds=SMALL, report=told.append) == 50
    assert sorted(number for number in told if number) == list(range(1, 50))

    def stop(number: int) -> None:
        if number:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_apart(for_ever, bounds=SMALL, report=stop)
    _wait_until(lambda: not _forked())


@pytest.mark.skipif(sys.platform == "win32", reason="priorities of POSIX")
def test_run_apart__works_behind_this_process() -> None:
    process = Process(__name__)
    there = process.call(where, bounds=SMALL)
    assert os.getpriority(os.PRIO_PROCESS, there) > os.getpriority(os.PRIO_PROCESS, 0)
    process.end()


def test_run_apart__several_at_once_each_end_alone() -> None:
    ended, found = [], []

    def work(function: Callable[..., int], *given: object) -> None:
        try:
            found.append(run_apart(function, *given, bounds=SMALL))
        except EndedError:
            ended.append(function)

    threads = [threading.Thread(target=work, args=(abort,)) for _ in range(4)]
    threads += [threading.Thread(target=work, args=(hold, 1 << 20)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(ended), found) == (4, [1 << 20] * 4)


def test_run_apart__a_process_that_forks_no_more_is_replaced(monkeypatch: Patch) -> None:
    run_apart(where, bounds=SMALL)
    assert bounded_process.FORKER.process is not None
    bounded_process.FORKER.process.kill()
    bounded_process.FORKER.process.wait()
    assert run_apart(where, bounds=SMALL) != os.getpid()
    bounded_process.FORKER.end()
    monkeypatch.setattr(bounded_process, "ROOT", Path("/nowhere"))
    with pytest.raises(AuditInputError, match="not looked at: the process that reads files did not start"):
        run_apart(where, bounds=SMALL)
    bounded_process.FORKER.end()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_run_apart__its_process_ends_with_the_one_that_asked() -> None:
    code = (
        "from core.processes.bounded_process import *\nfrom tests.unit.test_bounded import for_ever, SMALL\n"
        "run_apart(for_ever, bounds=SMALL, report=lambda n: n and print(FORKER.process.pid, flush=True))\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=bounded_process.ROOT)
    assert asking.stdout is not None
    forker = int(asking.stdout.readline())
    (working,) = _children(forker)
    asking.send_signal(signal.SIGKILL)
    asking.communicate()
    _wait_until(lambda: not any(Path(f"/proc/{each}").exists() for each in (forker, working)))


def test_called_apart__what_takes_too_much_is_one_sentence(monkeypatch: Patch) -> None:
    assert called_apart(size_of, pa.py_buffer(b"x")) == 1
    with pytest.raises(AuditInputError) as raised:
        called_apart(hold, 3 << 30)
    assert str(raised.value).startswith("The work was ended: it takes more than 1 GiB of memory or 600 ")
    with pytest.raises(UnforeseenError):
        called_apart(not_foreseen)


def test_allowed__grows_with_the_file() -> None:
    assert memory_bound(100) == memory_bound(5 << 20) == 1 << 30
    assert memory_bound(100 << 20) == (2 << 30) + 64 * (100 << 20)
    assert ALLOWED["file"].of(100) == (1 << 30, 4)
    assert [ALLOWED[kind].of(100 << 20).seconds for kind in ALLOWED] == [404, 6060, 6600, 60]


def _forked() -> set[int]:
    """Return the processes that are at work."""
    process = bounded_process.FORKER.process
    return set() if process is None else set(_children(process.pid))


def _children(process: int) -> Iterator[int]:
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        yield from map(int, path.read_text().split())


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
