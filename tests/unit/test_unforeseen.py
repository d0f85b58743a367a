"""Errors that nobody foresees end in a sentence and exit code 2; 1 would say that the verdict is FAIL."""

import itertools
import json
import multiprocessing
import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands import audited, output, tabular
from core.errors import AuditInputError
from core.files.named_files import write_file
from core.files.plain_text import valid_json

ROOT = Path(__file__).parents[2]
TABLE = "a,b,c\n" + "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(60))


def _run(words: str, folder: Path, *, to: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m core {words} {to}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.one_of(4)
@pytest.mark.parametrize(
    ("words", "to", "code"),
    [
        ("risk t.csv --quasi-identifier a", ">/dev/full", 2),
        ("risk t.csv --quasi-identifier a --json", ">/dev/full", 2),
        ("--help", ">/dev/full", 2),
        ("measures", ">&-", 2),
        ("risk t.csv --quasi-identifier a", ">&- 2>&-", 2),
        ("risk gone.csv", "2>&-", 2),
        ("risk gone.csv", "2>/dev/full", 2),
        ("risk t.csv --quasi-identifier a --k 1 --l 1", ">/dev/null 2>&-", 0),
    ],
)
def test_streams__that_cannot_be_written_end_in_a_sentence(
    words: str, to: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    ran = _run(words, tmp_path, to=to)
    assert ran.returncode == code, ran
    assert "Traceback" not in ran.stderr
    assert "unexpected" not in ran.stderr
    assert ran.stdout == ""
    if "2>" not in to and words != "--help":
        assert "error: The output " in ran.stderr


def test_names__of_more_letters_than_a_disk_knows_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    long = "x" * 300
    for words in (
        *(
            ["risk", long],
            ["tabular", long],
            ["dataset", long, long],
            ["leakage", long, "t.csv"],
            ["events", long],
        ),
        *(["diversity", long, "--label", "a"], ["vcf", "-o", long, "-a", long], ["verify", long]),
        ["tabular", "t.csv", "--anonymized-dir", long],
        ["risk", "t.csv", "--quasi-identifier", "a", "--report", long],
    ):
        assert main(words) == 2, words
        printed = capsys.readouterr()
        assert long in printed.err, words
        assert "unexpected" not in printed.err, words


LOGS = (
    '{"log_info": {"\\ud800": {"semantic": "id", "action": "drop"}}}',
    '{"log_info": {"a": {"semantic": "s\\udfffx", "action": "\\ud800"}}, "_meta": {"created_at": "\\ud800"}}',
    '{"log_info": {"a": {"semantic": ["\\uDFFF"], "action": {"\\ud83d": "\\ud83d"}}, "b": "\\ud800"}}',
)


@pytest.mark.parametrize("log", LOGS)
def test_log__with_half_characters_is_read(
    log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "t_anonymized.csv"):
        Path(name).write_text(TABLE)
    Path("t_anonymized_log.json").write_text(log)
    for form in ([], ["--json"], ["--report", "out", "--formats", "html,json,csv,xlsx"]):
        assert main(["tabular", "t.csv", *form]) == 1
        assert "unexpected" not in capsys.readouterr().err


def test_valid_json__keeps_whole_characters() -> None:
    document = json.loads('{"a\\ud83d\\ude00": ["\\ud83d\\ude00", {"b": "\\ud800"}], "n": [1, null, true]}')
    assert valid_json(document) == {"a😀": ["😀", {"b": "�"}], "n": [1, None, True]}


def _hold(
    folder: Path, ready: "multiprocessing.synchronize.Event", end: "multiprocessing.synchronize.Event"
) -> None:
    def wait(_file: int) -> None:
        ready.set()
        end.wait(60)

    os.fsync = wait  # type: ignore[assignment]  # of a process of its own
    write_file(folder / "slow", b"slow")


def test_write_file__sweeps_what_was_left_and_nothing_that_is_being_written(tmp_path: Path) -> None:
    left = tmp_path / ".anonaudit-0123456789abcdef.part"
    others = [tmp_path / name for name in (".anonaudit-01.part", "a.part", ".anonaudit-0123456789abcdef.csv")]
    for path in (left, *others):
        path.write_bytes(b"left")
    context = multiprocessing.get_context("fork")
    ready, end = context.Event(), context.Event()
    writer = context.Process(target=_hold, args=(tmp_path, ready, end))
    writer.start()
    assert ready.wait(60)
    (being_written,) = (path for path in tmp_path.glob(".anonaudit-*.part") if path not in (left, *others))
    assert not left.exists()
    left.write_bytes(b"left again")
    write_file(tmp_path / "quick", b"quick")
    assert not left.exists()
    assert being_written.exists()
    end.set()
    writer.join(60)
    assert (tmp_path / "slow").read_bytes() == b"slow"
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "quick", tmp_path / "slow"])


def test_write_file__leaves_pipes_with_such_a_name_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".anonaudit-0123456789abcdef.part")
    write_file(tmp_path / "quick", b"quick")
    assert (tmp_path / "quick").read_bytes() == b"quick"


def test_runs_of_one_second__write_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime):
        ticks = itertools.count()

        @classmethod
        def now(cls, _zone: object = None) -> "Clock":  # type: ignore[override]
            return cls(2026, 1, 1, 0, 0, next(cls.ticks) // 3, tzinfo=UTC)

    monkeypatch.setattr(audited, "datetime", Clock)
    monkeypatch.setattr(tabular, "datetime", Clock)
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "t_anonymized.csv"):
        Path(name).write_text(TABLE)
    Path("t_anonymized_log.json").write_text('{"log_info": {}}')
    for _ in range(2):
        main(["tabular", "t.csv", "--report", "filed"])
    assert len([*Path("reports").glob("*.csv")]) == 2
    assert len([*Path("filed").glob("*.json")]) == 2
    assert [*Path("reports").glob("*.part")] == []


def test_write_new_files__takes_nothing_away_that_another_run_wrote_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_late(path: Path, data: bytes, *, private: bool) -> None:
        if path.name == "second":
            path.write_bytes(b"another's")
        write_file(path, data, private=private)

    monkeypatch.setattr(output, "write_file", write_late)
    with pytest.raises(AuditInputError, match="second"):
        output.write_new_files("FOLDER", {tmp_path / name: b"x" for name in ("first", "second")})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"second": b"another's"}
