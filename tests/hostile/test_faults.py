"""Whatever goes wrong, inputs stay as they were, nothing half written is left, and the next run works."""

import ast
import gzip
import hashlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.sessions import Session
from core.__main__ import main
from core.errors import AuditInputError
from core.filed.signing import read_private_key, sign, signer_line
from core.files import input_bytes
from core.files.input_bytes import Shared
from core.tables import read_dataset
from core.vcf import VcfFile, VcfPair, VcfSettings, run_scan
from tests.browser.conftest import TOKEN, start_server, stop_server
from tests.browser.test_memory import processes
from tests.hostile import filed, repeats
from tests.hostile.corpus import genome

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    rows = [f"{draw.randrange(20, 90)},{draw.choice('FM')},t{draw.randrange(9_000)}" for _ in range(300_000)]
    path = tmp_path_factory.mktemp("faults") / "people.csv"
    path.write_text("\n".join(["age,sex,town", *rows]), encoding="utf-8")
    return path


def _command(table: Path, report: Path) -> list[str]:
    columns = [part for name in ("age", "sex", "town") for part in ("--quasi-identifier", name)]
    return [sys.executable, "-m", "core", "risk", str(table), *columns, "--violations", str(report)]


# A command that says when its file is written, and then waits: the worst moment to be ended at.
_WAITING = """
import os, sys, time
from core import __main__

def wait(_file):
    os.fsync = lambda _file: None
    print("writing", flush=True)
    time.sleep(60)

os.fsync = wait
signal = __main__.signal
signal.signal(signal.SIGINT, __main__._INTERRUPTED)
sys.exit(__main__.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "how", [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.quick)]
)
def test_command__ended_while_it_writes_leaves_no_file_of_that_name(how: int, tmp_path: Path) -> None:
    """What the laws of `tests/unit/test_writing.py` say of one function holds for a process and a signal."""
    people, report = tmp_path / "people.csv", tmp_path / "violations.csv"
    people.write_text("age,sex,town\n30,F,t1\n40,M,t2\n")
    words = _command(people, report)[3:]
    process = subprocess.Popen(
        [sys.executable, "-c", _WAITING, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    is_stop = how == signal.SIGINT
    assert process.returncode == (130 if is_stop else -how)
    assert said == ("error: Stopped before the end; nothing was judged.\n" if is_stop else "")
    left = [path.name for path in tmp_path.iterdir() if path != people]
    assert not left if is_stop else [name.endswith(".part") for name in left] == [True]
    assert people.read_text() == "age,sex,town\n30,F,t1\n40,M,t2\n"
    assert main(words) in (0, 1)
    assert report.exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte that has 40 kB left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    with suppress(OSError):
        if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
            with (disk / "full").open("wb", buffering=0) as file, suppress(OSError):
                while file.write(bytes(1 << 12)):
                    pass
            os.truncate(disk / "full", (disk / "full").stat().st_size - 40_000)
            yield disk
            subprocess.run(["umount", "-l", str(disk)], check=True)
            return
    pytest.skip("only root may mount a disk")


def _run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_report__on_a_full_disk_is_not_begun(table: Path, tmp_path: Path, small_disk: Path) -> None:
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    done = _run(_command(table, small_disk / "report.csv"))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: ")
    assert "No space left" in done.stderr
    assert [path.name for path in small_disk.iterdir()] == ["full"]
    assert hashlib.sha256(table.read_bytes()).hexdigest() == digest
    assert _run(_command(table, tmp_path / "elsewhere.csv")).returncode in (0, 1)


def test_full_temporary_disk__is_missed_by_nobody(table: Path, tmp_path: Path, small_disk: Path) -> None:
    usual, there = tmp_path / "usual.csv", tmp_path / "there.csv"
    with (small_disk / "rest").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(512)):
            pass
    for report, folder in ((usual, tmp_path), (there, small_disk)):
        done = _run(_command(table, report), TMPDIR=str(folder))
        assert done.returncode in (0, 1), done.stderr
    assert usual.read_bytes() == there.read_bytes()
    server, address = start_server(tmp_path / "log.txt", TMPDIR=str(small_disk))
    try:
        session = Session(address, "risk", token=TOKEN)
        session.upload("table to be released", {"people.csv": table.read_bytes()})
        assert "300\\\\,000 records" in session.text
    finally:
        stop_server(server)


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"30,F,t1\n")


def _replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def _overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"x")
    os.utime(path, ns=(0, 0))  # a clock that ticks slowly would hide it


_ROLES = ("--quasi-identifier", "age", "sex", "--sensitive", "disease")
_REJECT = ("decide", "report.json", "--reject", "--by", "Ana", "--reason", "Too many alone.")
CHANGES: dict[str, Callable[[Path], None]] = {
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "grows": _append,
    "is replaced": _replace,
    "is overwritten": _overwrite,
    "is removed": Path.unlink,
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("size", ["small", "large"])
def test_table__that_changes_while_it_is_read_is_refused(
    how: str, size: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex,town\n" + "30,F,t1\n" * 5000)
    put, read = Shared.put, input_bytes.read_whole

    def put_and_change(shared: Shared, place: int, data: bytes) -> None:
        put(shared, place, data)
        if place == 0:
            CHANGES[how](path)

    def read_and_change(file: io.BufferedReader, *, name: str, most: int) -> bytes:
        content = read(file, name=name, most=most)
        CHANGES[how](path)
        return content

    if size == "large":
        monkeypatch.setattr("core.tables.reading.WORTH_A_PROCESS", 1)
        monkeypatch.setattr(input_bytes, "_BLOCK", 1000)
        monkeypatch.setattr(Shared, "put", put_and_change)
    else:
        monkeypatch.setattr(input_bytes, "read_whole", read_and_change)
    with pytest.raises(AuditInputError, match=r"^people\.csv: the file was changed or removed while"):
        read_dataset(path)


READERS: dict[str, tuple[str, list[str]]] = {  # the file that changes, and the command that reads it
    "verify": ("report.json", ["verify", "report.json", "people.csv"]),
    "verify, a table": ("people.csv", ["verify", "report.json", "people.csv"]),
    "compare": ("report.json", ["compare", "other.json", "report.json"]),
    "decide": ("report.json", [*_REJECT]),
    "decided report": ("decided.json", ["decide", "decided.json", "--check"]),
    "signature": ("decided.json.sig", ["decide", "decided.json", "--check"]),
    "signers": ("signers", ["decide", "decided.json", "--check", "--signers", "signers"]),
    "private key": ("key", [*_REJECT, "--out", "new.json", "--sign", "key"]),
    "ledger": ("ledger.json", ["risk", "people.csv", *_ROLES, "--earlier", "ledger.json"]),
    "earlier table": ("before.csv", ["risk", "people.csv", *_ROLES, "--earlier", "before.csv"]),
    "salt": ("salt", ["risk", "people.csv", *_ROLES, "--ledger", "new.json", "--ledger-salt", "salt"]),
    "settings": ("settings.toml", ["risk", "people.csv", "--settings", "settings.toml"]),
    "policy": ("policy.toml", ["risk", "people.csv", *_ROLES, "--policy", "policy.toml"]),
    "data set": ("before.csv", ["dataset", "people.csv", "before.csv"]),
    "counts": ("counts.csv", ["risk", "counts.csv", "--counts", "n"]),
    "original": ("before.csv", ["risk", "people.csv", *_ROLES, "--original", "before.csv"]),
}


def _filed(folder: Path) -> None:
    """Write all the files that the commands above read."""
    signing = filed.key()
    for name, source in repeats.files("risk").items():
        (folder / name).write_bytes(source.data)  # type: ignore[arg-type]
        (folder / "before.csv").write_bytes(source.data.rpartition(b"\n")[0])  # type: ignore[union-attr]
    decided = filed.decided()
    counts = [f"{i // 2},{'fm'[i % 2]},{3 + i}" for i in range(12)]
    for name, data in {
        "report.json": filed.report(),
        "other.json": filed.report(),
        "decided.json": decided,
        "decided.json.sig": sign(decided, read_private_key(signing.private, name="key")),
        "signers": signer_line("ana", signing.public).encode(),
        "ledger.json": filed.ledger(),
        "salt": b"0123456789abcdef" * 4,
        "settings.toml": filed.settings(),
        "policy.toml": next((ROOT / "policies").glob("*.toml")).read_bytes(),
        "counts.csv": "\n".join(["age,sex,n", *counts]).encode(),
    }.items():
        (folder / name).write_bytes(data)
    (folder / "key").write_bytes(signing.private)
    (folder / "key").chmod(0o600)


@pytest.mark.parametrize("how", ["grows", "is removed"])
@pytest.mark.parametrize("name", READERS)
def test_command__says_that_a_file_changed_while_it_was_read(
    name: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _filed(tmp_path)
    monkeypatch.chdir(tmp_path)
    changing, words = READERS[name]
    before = {path.name for path in tmp_path.iterdir()}
    read = input_bytes.read_whole

    def read_and_change(file: io.BufferedReader, *, name: str, most: int) -> bytes:
        content, path = read(file, name=name, most=most), Path(file.name)
        if path.name == changing and path.exists():
            CHANGES[how](path)
        return content

    with monkeypatch.context() as patched:
        patched.setattr(input_bytes, "read_whole", read_and_change)
        assert main(words) == 2
    said = capsys.readouterr()
    assert f"{changing}: the file was changed or removed while it was read" in said.err
    assert "Traceback" not in said.err
    assert {path.name for path in tmp_path.iterdir()} | {changing} == before
    _filed(tmp_path)
    assert main(words) in (0, 1), capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_command_in_an_engine__that_is_ended_clears_away_what_the_engine_wrote(
    how: int, tmp_path: Path
) -> None:
    _filed(tmp_path)
    inputs = {path: path.read_bytes() for path in tmp_path.iterdir()}
    words = ["risk", "duckdb:people.csv", *_ROLES, "--report", "{out}"]
    starting, began = _starting(), time.monotonic()
    code, _, n_files, _ = _ended(words, tmp_path, None, 0)
    seconds = time.monotonic() - began
    assert code in (0, 1)
    ended = 0
    for part in (0.4, 0.75):
        code, said, found, temporary = _ended(words, tmp_path, how, max(part * seconds, starting))
        ended += code == (130 if how == signal.SIGINT else -how)
        assert code in (0, 1, 130, -how), said
        assert found in (0, n_files)
        assert not temporary
    assert ended
    assert {path: path.read_bytes() for path in inputs} == inputs


def _starting() -> float:
    """Return seconds after which a command hears signals: it has begun to load its modules."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import argparse, typing"], check=True)
    return 2 * (time.monotonic() - began)


def _ended(words: list[str], folder: Path, how: int | None, delay: float) -> tuple[int, str, int, list[Path]]:
    """Run a command and end it; return its code, what it said, how many files it wrote, temporary ones."""
    out, temporary = Path(tempfile.mkdtemp(dir=folder)), Path(tempfile.mkdtemp(dir=folder))
    process = subprocess.Popen(
        [sys.executable, "-m", "core", *(word.format(out=out) for word in words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if how is not None:
        time.sleep(delay)
        process.send_signal(how)
    _, said = process.communicate(timeout=120)
    written = [path for path in out.iterdir() if not path.name.startswith(".")]
    return process.returncode, said, len(written), list(temporary.iterdir())


WRITERS: dict[str, list[str]] = {
    "release": ["risk", "people.csv", *_ROLES, "--what-if", "--release", "{disk}/release.csv"],
    "report": ["risk", "people.csv", *_ROLES, "--report", "{disk}/report", "--formats", "json,html,xlsx,csv"],
    "report of a data set": ["dataset", "people.csv", "before.csv", "--report", "{disk}/report"],
    "report of a table in DuckDB": ["risk", "duckdb:people.csv", *_ROLES, "--report", "{disk}/report"],
    "report of counts": ["risk", "counts.csv", "--counts", "n", "--report", "{disk}/report"],
    "ledger": ["risk", "people.csv", *_ROLES, "--ledger", "{disk}/ledger.json"],
    "decided report": [*_REJECT, "--out", "{disk}/decided.json"],
    "signature": [*_REJECT, "--out", "{disk}/decided.json", "--sign", "key"],
    "package": ["decide", "decided.json", "--check", "--package", "{disk}/package.zip"],
    "keys": ["keys", "{disk}/key", "--name", "ana@hospital.example"],
    "demo": ["demo", "risk", "{disk}/demo"],
}


@pytest.mark.parametrize("left", [0, 12_000])
@pytest.mark.parametrize("name", WRITERS)
def test_command__on_a_full_disk_leaves_nothing(  # noqa: PLR0917 - fixtures
    name: str,
    left: int,
    tmp_path: Path,
    small_disk: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _filed(tmp_path)
    monkeypatch.chdir(tmp_path)
    with (small_disk / "full").open("ab", buffering=0) as file, suppress(OSError):
        while file.write(bytes(512)):
            pass
    os.truncate(small_disk / "full", (small_disk / "full").stat().st_size - left)
    inputs = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code = main([word.format(disk=small_disk) for word in WRITERS[name]])
    said = capsys.readouterr().err
    found = [path for path in small_disk.rglob("*") if path.is_file() and path.name != "full"]
    if code == 2:
        assert "No space left" in said
        assert len(said.splitlines()) == 1
        assert found == []
    else:  # it takes no more than there was
        assert left
        assert found
    assert {path: path.read_bytes() for path in inputs} == inputs
    (small_disk / "full").unlink()
    for folder in small_disk.iterdir():
        shutil.rmtree(folder) if folder.is_dir() else folder.unlink()
    assert main([word.format(disk=small_disk) for word in WRITERS[name]]) in (0, 1), capsys.readouterr().err


@pytest.mark.parametrize("how", CHANGES)
def test_genome_file__that_changes_while_it_is_read_is_not_judged(how: str, tmp_path: Path) -> None:
    paths = [tmp_path / "a.vcf", tmp_path / "high_anony_a.vcf"]
    for path in paths:
        path.write_bytes(gzip.decompress(genome("bgzf")))
    original, anonymized = (VcfFile(name=path.name, path=path) for path in paths)
    pair = VcfPair(original=original, anonymized=anonymized, level="high")
    assert run_scan(pair, VcfSettings()).scan is not None
    changed = False

    def change(_n_bytes: int) -> None:
        nonlocal changed
        if not changed:
            changed = True
            CHANGES[how](paths[1])

    outcome = run_scan(pair, VcfSettings(), change)
    assert outcome.scan is None
    assert outcome.problems[0].startswith("high_anony_a.vcf: ")
    assert "was changed or removed" in outcome.problems[0] or how != "is replaced"


def test_clock__measures_nothing() -> None:
    """A clock may be set back; it only says when something was made."""
    for folder in ("core", "pages"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                said = ast.unparse(node) if isinstance(node, ast.Attribute | ast.BinOp) else ""
                assert said not in ("time.time", "time.time_ns", "datetime.today"), path
                assert not isinstance(node, ast.BinOp) or "datetime.now" not in said, path


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processes of Linux")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_server__ended_at_work_leaves_no_process_and_starts_again(how: int, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    server, address = start_server(log)
    port = int(address.rpartition(":")[2])
    session = Session(address, "risk", token=TOKEN)
    session.upload("table to be released", {"people.csv": b"age,sex\n" + b"30,F\n40,M\n" * 50_000})
    mine = processes(str(port))
    assert len(mine) > 1
    server.send_signal(how)
    server.wait(20)
    for _ in range(100):
        if not [each for each in mine if Path(f"/proc/{each}").exists()]:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a process that reads files outlives the server")
    assert "Traceback" not in log.read_text()
    again, _ = start_server(tmp_path / "again.txt", port=port)
    stop_server(again)
