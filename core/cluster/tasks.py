"""One pair of a batch, as it is sent to a worker, and what comes back."""

import hashlib
import platform
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from core import __version__
from core.errors import AuditInputError
from core.files.input_bytes import open_input
from core.processes.bounds import limit_memory
from core.processes.packing import packed_bytes
from core.words import Plain, plain_text, text

ROOT = Path(__file__).parents[1]
FILES_REMEMBERED = 64  # such as a panel, which every pair is held against
OTHER_BUILD = (
    "{pair}: the worker has another AnonAudit or Python than this machine. Start all workers with the same "
    "Python and from the same copy of AnonAudit."
)
OTHER_DISK = (
    "{pair}: the worker on {host} does not see {file} as this machine does. Keep the files on a disk that "
    "all workers see under the same path."
)
OUT_OF_MEMORY = (
    "{pair}: the pair takes more memory than the process may have. Allow more, or verify a part of it."
)


class Measured(Protocol):
    """What a pair came to, as a dataclass of plain data."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What ended a part of it; such a pair is done again when a run is continued."""


class Stamp(NamedTuple):
    """A file as one machine sees it."""

    path: str
    n_bytes: int


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is done with one pair."""

    name: str  # of the pair, in messages
    files: tuple[Stamp, ...]
    settings: str  # all that the result depends on beside the files, as a digest
    measure: Callable[[], Measured]  # a partial of a function of ours
    known: frozenset[str] = frozenset()  # digests of what is kept already of files of these names
    memory: int | None = None  # bytes that a process may take


class Answer(NamedTuple):
    """What became of a task: problems, or its digest and, unless that was known, what was measured."""

    digest: str = ""
    data: bytes | None = None
    problems: tuple[Plain, ...] = ()
    is_whole: bool = True


def stamps(paths: Sequence[Path]) -> tuple[Stamp, ...]:
    """Return files as this machine sees them; those that are gone have no bytes."""
    return tuple(Stamp(str(path.absolute()), _size(path)) for path in paths)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


@cache
def build() -> str:
    """Return what tells this AnonAudit and Python from others."""
    digest = hashlib.sha256()
    for path in sorted(ROOT.rglob("*.py")):
        digest.update(f"{path.relative_to(ROOT)}".encode() + path.read_bytes())
    release = ".".join(platform.python_version_tuple()[:2])
    return f"AnonAudit {__version__} {digest.hexdigest()[:16]}, Python {release}"


def do(task: Task, asked_by: str) -> Answer:
    """Do a task on a worker."""
    if asked_by != build():
        return _refused(text(OTHER_BUILD, pair=task.name))
    for stamp in task.files:
        if _size(Path(stamp.path)) != stamp.n_bytes:
            unseen = text(OTHER_DISK, pair=task.name, host=platform.node(), file=Path(stamp.path).name)
            return _refused(unseen)
    limit_memory(task.memory)
    try:
        digest = digest_of(task)
        if digest in task.known:
            return Answer(digest)
        found = task.measure()
        return Answer(digest, packed_bytes(found), is_whole=not found.problems and digest == digest_of(task))
    except AuditInputError as error:
        return _refused(*error.problems)
    except MemoryError:
        return _refused(text(OUT_OF_MEMORY, pair=task.name))


def _refused(*problems: str) -> Answer:
    return Answer(problems=tuple(map(plain_text, problems)), is_whole=False)


def identity(task: Task) -> tuple[tuple[int, ...], ...]:
    """Return what changes with the files of a task, without reading them."""
    found: list[tuple[int, ...]] = []
    for stamp in task.files:
        try:
            seen = Path(stamp.path).stat()
        except OSError:
            found.append((-1,))
        else:
            found.append((seen.st_ino, seen.st_size, seen.st_mtime_ns))
    return tuple(found)


def digest_of(task: Task) -> str:
    """Return the digest of a pair's files by name and content, the settings and this version."""
    digest = hashlib.sha256(f"{build()}\n{task.settings}".encode())
    for stamp, seen in zip(task.files, identity(task), strict=True):
        path = Path(stamp.path)
        try:
            content = _content(path, *seen)
        except (OSError, AuditInputError):
            content = "gone"
        digest.update(f"\n{path.name}\n{content}".encode())
    return digest.hexdigest()


@lru_cache(FILES_REMEMBERED)
def _content(path: Path, *_identity: int) -> str:
    with open_input(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def settings_digest(*settings: object) -> str:
    """Return a digest of settings, the same in every process."""
    return hashlib.sha256(repr(_plain(settings)).encode()).hexdigest()


def _plain(value: Any) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(_plain(getattr(value, each.name)) for each in fields(value))]
    if isinstance(value, Mapping):
        return sorted(([str(key), _plain(one)] for key, one in value.items()), key=repr)
    if isinstance(value, Set):
        return sorted(map(repr, map(_plain, value)))
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, (str, Path)) else value
