"""A file's bytes: how every input is opened, and how they are held, as they came or shared."""

import errno
import io
import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import finalize

import pyarrow as pa

from core.errors import AuditInputError
from core.words import input_error

if sys.platform == "linux":
    import fcntl

HAS_SHARED_MEMORY = hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir()
CHANGED = (
    "{file}: the file was changed or removed while it was read, so nothing was judged. Audit it again once "
    "nobody writes to it."
)
LARGEST_DOCUMENT = 1 << 30  # bytes; of settings, logs, models and reports, which are read whole
_NO_FILE = (
    "{file} is a pipe, a socket or a device; only plain files are read. Save what it gives in a file, and "
    "name that."
)
_TOO_LARGE = "{file} has more than {most} MB, the most that is read here. Check that it is the right file."
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # what became a pipe meanwhile is not waited for
_BLOCK = 16 << 20


def open_input(path: Path, *, name: str = "") -> io.BufferedReader:
    """Open a file that somebody named: plain, or a link to one; everything else may wait, or never end.

    OSError: there is none, it is a folder, or may not be read. AuditInputError: it is no plain file.
    """
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(kind):
        raise input_error(_NO_FILE, file=name or path.name)
    return open(path, "rb", opener=lambda file, flags: os.open(file, flags | _AT_ONCE))


def read_whole(file: io.BufferedReader, *, name: str, most: int = LARGEST_DOCUMENT) -> bytes:
    """Return what a file holds; AuditInputError of more than `most` bytes, and of more than it has said."""
    n_bytes = os.fstat(file.fileno()).st_size
    if n_bytes > most:
        raise input_error(_TOO_LARGE, file=name, most=most >> 20)
    data = file.read(n_bytes + 1)
    if len(data) > n_bytes:
        raise input_error(CHANGED, file=name)
    return data


@contextmanager
def unchanged(path: Path, *, name: str) -> Iterator[None]:
    """Refuse a file that is changed, replaced or removed while it is read."""
    before = _stamp(path)
    yield
    if _stamp(path) != before:
        raise input_error(CHANGED, file=name)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def read_unchanged(path: Path, *, name: str = "", most: int = LARGEST_DOCUMENT) -> bytes:
    """Return what a file holds, if that does not change meanwhile."""
    name = name or path.name
    with unchanged(path, name=name), open_input(path, name=name) as file:
        return read_whole(file, name=name, most=most)


def unreadable(error: OSError, *, file: str) -> AuditInputError:
    """Return the error of a file that somebody named and nobody can read."""
    return input_error("{file} cannot be read: {reason}.", file=file, reason=str(error.strerror))


def mapped(path: str) -> pa.Buffer:
    """Return what stands in shared memory, of this or another process, without copying."""
    with Path(path).open("rb") as file:
        is_empty = not os.fstat(file.fileno()).st_size
        return pa.py_buffer(b"" if is_empty else mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))


class Shared:
    """Memory that another process opens by its path; it goes with the last that holds it."""

    def __init__(self, data: pa.Buffer | None = None, *, size: int = 0) -> None:
        self.size = size
        self._file = os.memfd_create("table", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self.path = f"/proc/{os.getpid()}/fd/{self._file}"
        self._close = finalize(self, os.close, self._file)
        if data is None:
            os.ftruncate(self._file, size)  # takes no memory before something is written
        else:
            self.put(0, data)

    @classmethod
    def of(cls, file: io.BufferedReader, *, name: str, most: int) -> "Shared":
        """Copy what a file holds; AuditInputError as of :func:`read_whole`."""
        n_bytes = os.fstat(file.fileno()).st_size
        if n_bytes > most:
            raise input_error(_TOO_LARGE, file=name, most=most >> 20)
        shared = cls()
        while piece := file.read(_BLOCK):
            shared.put(shared.size, piece)
            shared.size += len(piece)
            if shared.size > n_bytes:
                raise input_error(CHANGED, file=name)
        return shared

    def __reduce__(self) -> tuple[Callable[[str], pa.Buffer], tuple[str]]:
        """Let another process have what is there, without copying."""
        return mapped, (self.path,)

    def put(self, place: int, data: pa.Buffer | bytes | memoryview) -> None:
        """Write bytes at a place."""
        rest = memoryview(data)
        while rest:
            n_written = os.pwrite(self._file, rest, place)
            rest, place = rest[n_written:], place + n_written

    def mapped(self) -> pa.Buffer:
        """Return what is there, without copying."""
        return mapped(self.path)

    def read(self, n_bytes: int) -> pa.Buffer:
        """Return what the other process wrote, without copying; it can be changed no more."""
        os.ftruncate(self._file, n_bytes)
        fcntl.fcntl(self._file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK)
        return pa.py_buffer(mmap.mmap(self._file, n_bytes, prot=mmap.PROT_READ))

    def __enter__(self) -> "Shared":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
