"""Files that are there whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from core.__main__ import main
from core.at_hand import write_file
from core.commands import output
from core.errors import AuditInputError


def test_write_file__writes_all_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_file(tmp_path / "a.csv", b"x" * 100_000)
    write_file(tmp_path / "a.csv", b"y", replace=True)
    write_file(tmp_path / "b.csv", b"z", private=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.csv": b"y", "b.csv": b"z"}
    mask = os.umask(0)
    os.umask(mask)
    rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert rights == {"a.csv": 0o666 & ~mask, "b.csv": 0o600}


@pytest.mark.parametrize("links", [True, False])
def test_write_file__never_replaces_unasked(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", disk_without_links)
    target = tmp_path / "a.csv"
    write_file(target, b"first")
    with pytest.raises(FileExistsError):
        write_file(target, b"second")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.csv", b"first")]


def disk_without_links(*_args: object) -> None:
    raise OSError(errno.EPERM, "not permitted")


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full when what was written is to reach it."""

    def fail(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("replace", [True, False])
def test_write_file__a_full_disk_leaves_nothing(replace: bool, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        write_file(tmp_path / "a.csv", b"x", replace=replace)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize(
    "options",
    [
        ["events", "log.csv", "--out-dir", "out", "--write-user-mapping"],
        ["tabular", "log.csv", "--report-dir", "out"],
        ["risk", "log.csv", "--quasi-identifier", "OD_ISO", "--violations", "out/v.csv"],
    ],
)
def test_commands__a_full_disk_leaves_nothing_that_looks_like_a_report(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    rows = "".join(f"2024-01-{i % 28 + 1:02},u{i % 9},vpis\n" for i in range(60))
    for name in ("log.csv", "log_anonymized.csv"):
        (tmp_path / name).write_text(f"OD_ISO,GUID,dogodek\n{rows}")
    (tmp_path / "log_anonymized_log.json").write_text('{"log_info": {}}')
    assert main(options) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_events__lists_of_people_are_for_their_owner_alone(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("OD_ISO,GUID,dogodek\n" + "".join(f"2024-01-08,u{i % 9},vpis\n" for i in range(60)))
    main(["events", str(log), "--out-dir", str(tmp_path / "out"), "--write-user-mapping"])
    private = [path for path in (tmp_path / "out" / "not_for_sharing").iterdir() if path.is_file()]
    assert "user_mapping.csv" in {path.name for path in private}
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}


@pytest.mark.parametrize(
    ("stopped_by", "error"),
    [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(errno.ENOSPC, "full"), AuditInputError)],
)
def test_write_new_files__writes_all_or_none(
    stopped_by: BaseException, error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_and_stop(path: Path, data: bytes, *, private: bool) -> None:
        write_file(path, data, private=private)
        if path.name == "second":
            raise stopped_by

    files = {tmp_path / name: b"x" for name in ("first", "second", "third")}
    with monkeypatch.context() as patched:
        patched.setattr(output, "write_file", write_and_stop)
        with pytest.raises(error):
            output.write_new_files("FOLDER", files)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "third").write_bytes(b"somebody's")
    with pytest.raises(AuditInputError, match="third cannot be written"):
        output.write_new_files("FOLDER", files)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"somebody's"]
