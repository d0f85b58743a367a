"""What was measured of each pair, kept beside the report, so that an interrupted run can be continued."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from core.cluster.tasks import Task
from core.errors import AuditInputError
from core.files.input_bytes import read_unchanged
from core.files.named_files import write_file
from core.processes.packing import unpacked_bytes
from core.words import input_error

Result = TypeVar("Result")
FOLDER = "pairs"
_ENDING = ".pair"


class Kept:
    """The results of a tool's pairs, by the names of their files and a digest of all they depend on.

    They are in a folder of the report's. AuditInputError: it cannot be read or written.
    """

    def __init__(self, folder: Path, tool: str) -> None:
        self._report = folder
        self._folder = folder / FOLDER
        self._tool = tool
        self._known: dict[str, set[str]] = defaultdict(set)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            names = [path.name for path in self._folder.iterdir() if path.name.endswith(_ENDING)]
        except OSError as error:
            raise self._unusable(error) from None
        for name in names:
            of_files, _, digest = name.removesuffix(_ENDING).rpartition("-")
            self._known[of_files].add(digest)

    def known(self, task: Task) -> frozenset[str]:
        """Return the digests of what is kept of files of these names."""
        return frozenset(self._known.get(self._key(task), ()))

    def check_is_of(self, tasks: Iterable[Task]) -> None:
        """Refuse a folder that holds the results of other pairs alone."""
        if self._known and not any(self._key(task) in self._known for task in tasks):
            raise input_error(
                "--resume: {folder} holds the pairs of another run, and none of this one. Name the folder of "
                "the run that was interrupted, or an empty one.",
                folder=str(self._report),
            )

    def load(self, task: Task, digest: str, kind: type[Result]) -> Result | None:
        """Return what is kept under a digest; None where it is not there whole."""
        with suppress(OSError, ValueError, AuditInputError):
            return unpacked_bytes(kind, read_unchanged(self._path(task, digest)))
        return None

    def put(self, task: Task, digest: str, data: bytes) -> None:
        """Keep what was measured; only the owner may read it."""
        try:
            write_file(self._path(task, digest), data, replace=True, private=True)
        except OSError as error:
            raise self._unusable(error) from None
        self._known[self._key(task)].add(digest)

    def _path(self, task: Task, digest: str) -> Path:
        return self._folder / f"{self._key(task)}-{digest}{_ENDING}"

    def _key(self, task: Task) -> str:
        names = "\n".join(Path(stamp.path).name for stamp in task.files)
        return f"{self._tool}-{hashlib.sha256(names.encode()).hexdigest()[:16]}"

    def _unusable(self, error: OSError) -> AuditInputError:
        return input_error(
            "--report: what is done cannot be kept in {folder}: {reason}. Choose another folder.",
            folder=str(self._folder),
            reason=str(error.strerror),
        )
