"""Files as a command names them: on disk, or those alone that a filed report is repeated on.

What is written is there whole or not at all.
"""

import io
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import AuditInputError
from core.files.input_bytes import Shared, open_input, read_unchanged
from core.files.own_reports import is_own_report
from core.words import input_error

if sys.platform != "win32":
    import fcntl


class Source(NamedTuple):
    """A file by the name it was filed under: its bytes or where they are, and how its table was read."""

    name: str
    data: bytes | Path | Shared
    options: Mapping[str, Any] | None = None


_ALONE: ContextVar[Mapping[str, Source] | None] = ContextVar("_ALONE", default=None)


@contextmanager
def alone(files: Mapping[str, Source]) -> Iterator[None]:
    """Let commands see these files by their paths, and no other of this machine, while this lasts."""
    token = _ALONE.set({str(Path(path)): source for path, source in files.items()})
    try:
        yield
    finally:
        _ALONE.reset(token)


def source_at(path: Path) -> Source:
    """Return what is at a path; only a file given where a report is repeated."""
    files = _ALONE.get()
    if files is None:
        return Source(path.name, path)
    if str(path) not in files:
        raise input_error("{file} is not among the files given.", file=str(path))
    return files[str(path)]


def is_alone() -> bool:
    """Tell whether a report is being repeated, which may be anybody's and reaches nothing but its files."""
    return _ALONE.get() is not None


def bytes_at(path: Path) -> bytes:
    """Return what a file holds, if that does not change meanwhile."""
    name, data, _ = source_at(path)
    if isinstance(data, Shared):
        return bytes(data.mapped())
    return read_unchanged(data, name=name) if isinstance(data, Path) else data


def is_file(path: Path) -> bool:
    """Tell whether there is such a file."""
    files = _ALONE.get()
    return path.is_file() if files is None else str(path) in files


def is_folder(path: Path) -> bool:
    """Tell whether there is such a folder."""
    files = _ALONE.get()
    return path.is_dir() if files is None else any(Path(each).parent == path for each in files)


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder by name, without those of folders in it and reports of our own."""
    files = _ALONE.get()
    if files is None:
        return sorted(path for path in folder.iterdir() if path.is_file() and not is_own_report(path))
    return [path for path in map(Path, files) if path.parent == folder]


def places() -> Mapping[str, int]:
    """Return each file's place among those given; empty where files are on disk."""
    return {path: place for place, path in enumerate(_ALONE.get() or ())}


_UNFINISHED = re.compile(r"\.anonaudit-[0-9a-f]{16}\.part")
_PRIVATE = 0o600
_USUAL = 0o666  # less what the process takes away


def write_file(path: Path, data: bytes, *, replace: bool = False, private: bool = False) -> None:
    """Write a file under another name first; it gets its own once the disk has all of it.

    A full disk, a crash or a power cut leaves nothing under the file's name, or what was there. `replace`: a
    file of this name may be replaced, else FileExistsError. `private`: only the owner may read it, as lists
    of people and their pseudonyms. What a killed process left unfinished in the folder is swept.
    """
    _sweep(path.parent)
    rights = _PRIVATE if private else _USUAL
    is_whole = False
    while not is_whole:
        unfinished = path.with_name(f".anonaudit-{secrets.token_hex(8)}.part")
        try:
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights), "wb") as file:
                if _is_locked(file) and not os.fstat(file.fileno()).st_nlink:
                    continue  # another process swept it before it was locked
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                if sys.platform == "win32":  # which renames nothing that is open
                    file.close()
                give_name(unfinished, path, replace=replace)
                is_whole = True
        finally:
            unfinished.unlink(missing_ok=True)


def _is_locked(file: io.IOBase) -> bool:
    """Lock a file; return whether that could be done: no other process has, and the disk knows locks."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove what killed processes left unfinished in a folder; what one still writes, it holds locked."""
    with suppress(OSError):
        for name in filter(_UNFINISHED.fullmatch, os.listdir(folder)):  # noqa: PTH208 - names of many files
            with suppress(OSError, AuditInputError), open_input(folder / name) as file:
                if _is_locked(file):
                    (folder / name).unlink()


def give_name(unfinished: Path, path: Path, *, replace: bool) -> None:
    """Give a file that is whole its name; FileExistsError where `replace` is false and there is one of it."""
    if replace:
        unfinished.replace(path)
    else:
        try:
            path.hardlink_to(unfinished)  # never replaces a file, as renaming would
        except FileExistsError:
            raise
        except OSError:  # a disk without links
            if path.exists() or path.is_symlink():
                raise FileExistsError(path) from None
            unfinished.replace(path)
    with suppress(OSError):  # a system where folders cannot be flushed
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
