"""Batches of pairs: here or on a cluster, kept beside the report as they are done, and continued there."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from core.cluster import Answer, Kept, Measured, Scheduler, Task, digest_of, identity
from core.commands.output import print_warning, printable
from core.errors import AuditInputError
from core.processes.packing import packed_bytes, unpacked_bytes
from core.settings.asked import Asked
from core.words import input_error, say, text, text_of

Found = TypeVar("Found", bound=Measured)
Outcome = TypeVar("Outcome")
BETWEEN_SECONDS = 1.0  # two lines of progress


_NO_MATTER = frozenset(  # options that say which files, and what is made of the results
    {
        "originals",
        "anonymized_dir",
        "pair",
        "not_verified",
        "report",
        "report_dir",
        "formats",
        "headers",
        "json",
    }
    | {"by_file", "settings", "language", "debug", "run", "scheduler", "resume", "memory"}
)


def arguments_that_matter(arguments: Asked) -> dict[str, object]:
    """Return the options that what is measured of a pair may depend on."""
    return {name: value for name, value in vars(arguments).items() if name not in _NO_MATTER}


@dataclass(frozen=True, kw_only=True)
class Batch(Generic[Found, Outcome]):
    """The pairs of a run, and how each is measured and judged."""

    tool: str
    tasks: Sequence[Task]  # a pair each
    kind: type[Found]  # of what is measured
    # measures the pairs of these numbers on this machine, in their order
    here: Callable[[Sequence[int]], Iterable[Found | AuditInputError]]
    judge: Callable[[int, Found], Outcome]  # ValueError where what is kept does not hold together

    def outcomes(self, arguments: Asked) -> Iterator[tuple[int, Outcome | AuditInputError]]:
        """Yield the number of each pair with its outcome, or what ended it, as they are done."""
        if arguments.resume and arguments.report is None:
            raise AuditInputError("--resume continues what is in the folder of --report. Name that too.")
        kept = None
        if arguments.report is not None and (
            arguments.resume or arguments.scheduler is not None or len(self.tasks) > 1
        ):
            kept = Kept(arguments.report, self.tool)
            if arguments.resume:
                kept.check_is_of(self.tasks)
        if arguments.scheduler is None or not self.tasks:
            yield from self._here(kept, resumes=bool(arguments.resume))
        else:
            yield from self._on_cluster(arguments.scheduler, kept, resumes=bool(arguments.resume))

    def _here(self, kept: Kept | None, *, resumes: bool) -> Iterator[tuple[int, Outcome | AuditInputError]]:
        rest = []
        before = [identity(task) if kept else () for task in self.tasks]
        for number, task in enumerate(self.tasks):
            outcome = self._kept(number, kept, digest_of(task)) if kept and resumes else None
            if outcome is None:
                rest.append(number)
            else:
                yield number, outcome
        for number, found in zip(rest, self.here(rest), strict=True):
            if isinstance(found, AuditInputError):
                yield number, found
                continue
            task = self.tasks[number]
            if kept and not found.problems:
                digest = digest_of(task)
                if identity(task) == before[number]:
                    kept.put(task, digest, packed_bytes(found))
            yield number, self.judge(number, found)

    def _kept(self, number: int, kept: Kept, digest: str) -> Outcome | None:
        """Return the outcome of what is kept; None where it is not there whole."""
        task = self.tasks[number]
        found = kept.load(task, digest, self.kind) if digest in kept.known(task) else None
        try:
            return None if found is None else self.judge(number, found)
        except ValueError:
            return None

    def _on_cluster(
        self, address: str, kept: Kept | None, *, resumes: bool
    ) -> Iterator[tuple[int, Outcome | AuditInputError]]:
        scheduler = Scheduler(address)
        progress = _Progress(len(self.tasks))
        try:
            scheduler.check(self.tasks[0])
            todo = dict(enumerate(self.tasks))
            if kept and resumes:
                todo = {number: replace(task, known=kept.known(task)) for number, task in todo.items()}
            while todo:
                numbers, tasks = list(todo), list(todo.values())
                for place, answer in scheduler.answers(tasks, progress.look_up):
                    number = numbers[place]
                    outcome = self._outcome(number, answer, kept)
                    if outcome is None:  # what is kept is broken, and no worker is asked for it again
                        todo[number] = replace(todo[number], known=frozenset())
                        continue
                    del todo[number]
                    progress.tell(is_error=isinstance(outcome, AuditInputError))
                    yield number, outcome
            if scheduler.is_gone:
                print_warning(text(_GONE_KEPT if kept else _GONE, address=address))
        finally:
            progress.end()
            scheduler.close()

    def _outcome(self, number: int, answer: Answer, kept: Kept | None) -> Outcome | AuditInputError | None:
        if answer.problems:
            return AuditInputError(*map(text_of, answer.problems))
        if answer.data is None:
            return None if kept is None else self._kept(number, kept, answer.digest)
        try:
            outcome = self.judge(number, unpacked_bytes(self.kind, answer.data))
        except ValueError:
            return input_error("{pair}: what the worker sent cannot be read.", pair=self.tasks[number].name)
        if kept and answer.is_whole:
            kept.put(self.tasks[number], answer.digest, answer.data)
        return outcome


_GONE_KEPT = (
    "The scheduler {address} went away before all pairs were done. What was done is kept in the folder of "
    "--report; the same command with --resume does the rest."
)
_GONE = (
    "The scheduler {address} went away before all pairs were done. With --report FOLDER what is done is "
    "kept, and --resume does the rest."
)


@dataclass
class _Progress:
    """Says on stderr how far a run is."""

    n_pairs: int
    n_done: int = 0
    n_errors: int = 0
    n_workers: int | None = None
    told: str = ""
    told_at: float = field(default_factory=time.monotonic)

    def tell(self, *, is_error: bool) -> None:
        """Count a pair."""
        self.n_done += 1
        self.n_errors += is_error
        self._say()

    def look_up(self, n_workers: int) -> None:
        """Note how many workers there are."""
        self.n_workers = n_workers
        self._say()

    def end(self) -> None:
        """Say how far the run came."""
        self.told_at = 0
        self._say()

    def _say(self) -> None:
        if time.monotonic() - self.told_at < BETWEEN_SECONDS:
            return
        message = "Pairs done: {done} of {total}. Not verified: {errors}."
        if self.n_workers is not None:
            message = "Pairs done: {done} of {total}. Not verified: {errors}. Workers: {workers}."
        line = say(
            text(
                message,
                done=self.n_done,
                total=self.n_pairs,
                errors=self.n_errors,
                workers=self.n_workers or 0,
            )
        )
        if line != self.told:
            print(printable(line), file=sys.stderr, flush=True)
        self.told, self.told_at = line, time.monotonic()
