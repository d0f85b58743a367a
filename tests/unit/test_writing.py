"""Files that are there whole or not at all."""

import errno
import gc
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

from core.__main__ import main
from core.commands import output
from core.errors import AuditInputError
from core.files.named_files import write_file


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


SYSTEM = ("posix", "nt", "_io", "io")


@pytest.fixture
def files_left_open() -> Iterator[None]:
    """Let nobody hear of files that a fault left open: the end of the process closes them."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def _called(work: Callable[[], None], before: Callable[[int], None]) -> list[str]:
    """Do some work; before each of its calls to the system be told its number, from 0; return their names."""
    names: list[str] = []

    def hear(_frame: FrameType, event: str, called: object) -> None:
        of = type(getattr(called, "__self__", None)).__module__
        if event == "c_call" and (getattr(called, "__module__", None) in SYSTEM or of in SYSTEM):
            names.append(str(getattr(called, "__name__", "")))
            before(len(names) - 1)

    sys.setprofile(hear)
    try:
        work()
    finally:
        sys.setprofile(None)
    return names


def _there(folder: Path) -> dict[str, bytes]:
    """Return the files under names of their own."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith(".part")}


def _unfinished(folder: Path) -> list[Path]:
    return [*folder.glob(".anonaudit-*.part")]


def _faulty(number: int, fault: BaseException) -> Callable[[int], None]:
    def fail(at: int) -> None:
        if at == number:
            raise fault

    return fail


def _ended_by(work: Callable[[], None], before: Callable[[int], None]) -> BaseException | None:
    try:
        _called(work, before)
    except BaseException as error:
        return error
    return None


WAYS = [(b"old", True), (None, True), (None, False), (b"old", False)]
NEW = b"new" * 10_000
FAULTS = [KeyboardInterrupt, MemoryError, lambda: OSError(errno.ENOSPC, "No space left on device")]


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize(("old", "replace"), WAYS)
def test_write_file__killed_at_any_call_leaves_the_old_file_or_the_new_one(
    old: bytes | None, replace: bool, links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", disk_without_links)
    target = tmp_path / "a.csv"
    if old is not None:
        target.write_bytes(old)
    begun, seen = _there(tmp_path), []

    def work() -> None:
        write_file(target, NEW, replace=replace)

    def killed(_number: int) -> None:  # what a kill leaves is what the disk has at this moment
        sys.setprofile(None)
        seen.append(_there(tmp_path))

    numbers = range(len(_called(_refused_or(work), lambda _: None)))
    for number in numbers:
        _put_back(tmp_path, begun)
        _called(_refused_or(work), lambda at, number=number: killed(at) if at == number else None)
    assert len(seen) == len(numbers) > 5
    assert all(each in (begun, {"a.csv": NEW}) for each in seen)
    assert seen[0] == begun
    assert (_there(tmp_path) == {"a.csv": NEW}) == (replace or old is None)


def _refused_or(work: Callable[[], None]) -> Callable[[], None]:
    """Return the work, which may find a file of its name there."""

    def refused() -> None:
        with suppress(FileExistsError):
            work()

    return refused


def _put_back(folder: Path, files: dict[str, bytes]) -> None:
    for each in folder.iterdir():
        each.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)


@pytest.mark.one_of(3)
@pytest.mark.usefixtures("files_left_open")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("fault", FAULTS, ids=["stopped", "no memory", "full disk"])
@pytest.mark.parametrize(("old", "replace"), WAYS)
def test_write_file__with_a_fault_at_any_call_leaves_the_old_file_or_the_new_one(
    old: bytes | None, replace: bool, fault: Callable[[], BaseException], tmp_path: Path
) -> None:
    begun = {} if old is None else {"a.csv": old}

    def work() -> None:
        write_file(tmp_path / "a.csv", NEW, replace=replace)

    _put_back(tmp_path, begun)
    names = _called(_refused_or(work), lambda _: None)
    for number, name in enumerate(names):
        _put_back(tmp_path, begun)
        ended_by = _ended_by(work, _faulty(number, fault()))
        assert ended_by is None or isinstance(ended_by, FileExistsError | type(fault()))
        assert _there(tmp_path) == {"a.csv": NEW} or (ended_by and _there(tmp_path) == begun)
        assert not _unfinished(tmp_path) or name == "unlink"


@pytest.mark.usefixtures("files_left_open")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("fault", FAULTS, ids=["stopped", "no memory", "full disk"])
def test_write_new_files__with_a_fault_at_any_call_leaves_all_or_none(
    fault: Callable[[], BaseException], tmp_path: Path
) -> None:
    files = {tmp_path / name: NEW for name in ("a.csv", "b.csv")}

    def work() -> None:
        output.write_new_files("FOLDER", files, private={tmp_path / "b.csv"})

    for number in range(len(_called(work, lambda _: None))):
        _put_back(tmp_path, {})
        ended_by = _ended_by(work, _faulty(number, fault()))
        assert ended_by is None or isinstance(ended_by, AuditInputError | type(fault()))
        assert _there(tmp_path) == ({} if ended_by else {path.name: NEW for path in files})


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


@pytest.mark.slow
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
