"""Every input is opened by one function: plain files alone, and no more of them than they say they hold."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import AuditInputError
from core.files import input_bytes
from core.files.input_bytes import Shared, open_input, read_unchanged
from core.reports import render_json
from tests.report_examples import report

SECONDS = 60  # that a command may take before it is said to wait for ever
KINDS = ("pipe", "socket", "device")
WORDS = {  # how each kind of input is named; {0} is no plain file, the others are
    "table": ["risk", "{0}", "--quasi-identifier", "a"],
    "original": ["leakage", "{0}", "table.csv"],
    "scrambled": ["leakage", "table.csv", "{0}"],
    "hold-out": ["leakage", "table.csv", "table.csv", "--holdout", "{0}"],
    "population": ["risk", "table.csv", "--quasi-identifier", "a", "--population", "{0}"],
    "hierarchy": ["risk", "table.csv", "--quasi-identifier", "a", "--what-if", "--hierarchy", "a={0}"],
    "published too": ["risk", "table.csv", "--counts", "c", "--also", "{0}"],
    "table before": ["risk", "table.csv", "--quasi-identifier", "a", "--original", "{0}"],
    "tables": ["dataset", "table.csv", "{0}"],
    "earlier": ["dataset", "table.csv", "table.csv", "--earlier", "{0}"],
    "salt": ["dataset", "table.csv", "table.csv", "--earlier", "table.csv", "--ledger-salt", "{0}"],
    "log": ["tabular", "table.csv", "table.csv", "--log", "{0}"],
    "pair": ["tabular", "--pair", "{0}", "table.csv", "log.json"],
    "log of a pair": ["tabular", "--pair", "table.csv", "table.csv", "{0}"],
    "settings": ["risk", "table.csv", "--settings", "{0}"],
    "policy": ["risk", "table.csv", "--quasi-identifier", "a", "--policy", "{0}"],
    "events": ["events", "{0}"],
    "mapping": ["events", "table.csv", "--mapping", "{0}"],
    "data": ["diversity", "{0}", "--label", "a"],
    "model": ["diversity", "table.csv", "--label", "a", "--model", "{0}"],
    "train": [
        *("diversity", "table.csv", "--label", "a", "--quasi-identifier", "b", "--sensitive", "c"),
        *("--train", "{0}"),
    ],
    "vcf": ["vcf", "--pair", "{0}", "{0}", "low", "-o", ".", "-a", "."],
    "panel": ["vcf", "--pair", "a.vcf", "a.vcf", "low", "-o", ".", "-a", ".", "--panel", "{0}"],
    "report": ["verify", "{0}"],
    "reports": ["compare", "{0}", "{0}"],
    "key": ["decide", "report.json", "--approve", "--by", "A", "--reason", "b", "--sign", "{0}"],
    "decided": ["decide", "{0}", "--approve", "--by", "A", "--reason", "b"],
}


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    """End what waits for ever."""

    def fail(*_: object) -> None:
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, fail)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, former)


def made(kind: str, folder: Path) -> str:
    path = folder / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(kind)
    else:
        path.symlink_to("/dev/zero")
    return kind


@pytest.mark.one_of(3)
@pytest.mark.parametrize("role", WORDS)
def test_inputs__that_are_no_plain_files_are_refused_in_a_sentence(
    role: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("a,b,c\n" + "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(60)))
    Path("report.json").write_bytes(render_json(report()))
    Path("log.json").write_text('{"log_info": {}}')
    Path("a.vcf").write_text("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    for kind in KINDS:
        name = made(kind, tmp_path)
        try:
            code = main([word.format(name) for word in WORDS[role]])
        except SystemExit as end:  # argparse, of a word it does not take
            raise AssertionError(capsys.readouterr().err) from end
        printed = capsys.readouterr()
        assert code == 2, (kind, printed)
        assert "error: " in printed.err, kind
        assert name in printed.err, (kind, printed)
        assert "unexpected" not in printed.err, (kind, printed)


@pytest.mark.parametrize("kind", KINDS)
def test_open_input__takes_links_to_plain_files_and_nothing_else(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AuditInputError, match=kind):
        open_input(Path(made(kind, tmp_path)))
    with pytest.raises(IsADirectoryError):
        open_input(tmp_path)
    (tmp_path / "plain").write_bytes(b"x")
    (tmp_path / "link").symlink_to("plain")
    (tmp_path / "link_to_link").symlink_to("link")
    for name in ("plain", "link", "link_to_link"):
        with open_input(tmp_path / name) as file:
            assert file.read() == b"x"


def test_read_unchanged__reads_no_more_than_is_allowed_or_was_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)
    assert read_unchanged(file, most=100) == b"x" * 100
    with pytest.raises(AuditInputError, match="more than 0 MB"):
        read_unchanged(file, most=99)
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(AuditInputError, match="more than 1,024 MB"):
        read_unchanged(file)
    with pytest.raises(AuditInputError, match="more than 5 MB"), open_input(file) as opened:
        Shared.of(opened, name="file", most=5 << 20)


@pytest.mark.parametrize("read", [input_bytes.read_whole, Shared.of])
def test_a_file_that_says_less_than_it_gives__is_no_input(read: Callable[..., object]) -> None:
    endless = Path("/proc/self/status")  # says that it has 0 bytes, as does all of /proc
    with open_input(endless) as opened, pytest.raises(AuditInputError, match="was changed"):
        read(opened, name="status", most=1 << 20)
