"""Tasks on a Dask cluster: results as they come, workers that are lost, a scheduler that goes away."""

import logging
import queue
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from core.cluster.tasks import Answer, Stamp, Task, build, do, stamps
from core.errors import AuditInputError
from core.words import Text, input_error, plain_text, text

ANSWER_SECONDS = 10  # for a scheduler to answer
LOOK_UP_SECONDS = 1.0
MOST_SENT = 1_000  # tasks that the scheduler holds at once
NOT_INSTALLED = "--scheduler needs Dask: install what requirements-engines.txt lists."
NO_ANSWER = (
    "--scheduler: nothing answers at {address} as a Dask scheduler. Check the address, and that it runs the "
    "version of Dask that this machine has."
)
CANNOT_LOAD = (
    "--scheduler: a worker of {address} cannot load AnonAudit. Start all workers with its folder in "
    "PYTHONPATH, and with the same packages."
)
OTHER_BUILD = (
    "--scheduler: {theirs} is on the worker {worker}, and {ours} here. Start all workers with the same "
    "Python and from the same copy of AnonAudit."
)
OTHER_DISK = (
    "--scheduler: the worker {worker} does not see {file} as this machine does. Keep the files on a disk "
    "that all workers see under the same path."
)
KILLED = (
    "{pair}: every process that worked on this pair was lost, at last with no other pair beside it. It takes "
    "more memory than a worker has, or a file of it is damaged."
)
GONE = "{pair}: not done, because the scheduler went away."
UNFORESEEN = "{pair}: the work ended in an error that was not foreseen ({kind}); nothing was verified."


class Scheduler:
    """The scheduler of a Dask cluster that is there already, at an address such as ``tcp://node1:8786``.

    A ``tls://`` one takes certificates from Dask's own settings. AuditInputError: nothing answers, or a
    worker has another AnonAudit, Python or disk.
    """

    def __init__(self, address: str) -> None:
        import asyncio  # noqa: PLC0415 - takes long to import

        try:
            import distributed  # noqa: PLC0415 - optional, and takes long to import
        except ImportError:
            raise AuditInputError(NOT_INSTALLED) from None
        self._address = address
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            asyncio.run(_knock(address))  # a client that meets nobody leaves threads and messages behind
            with _unwarned():
                self._client = distributed.Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError):
            raise input_error(NO_ANSWER, address=address) from None
        self.is_gone = False

    def close(self) -> None:
        """Take back what is not done, and leave the scheduler."""
        with _unwarned():
            self._client.close(timeout=ANSWER_SECONDS)

    @property
    def n_workers(self) -> int:
        """Return how many workers there are."""
        return 0 if self.is_gone else len(self._client.scheduler_info(n_workers=-1)["workers"])

    def check(self, task: Task) -> None:
        """Refuse workers that are there and could not do a task as it is done here."""
        try:
            found: dict[str, tuple[str, str]] = self._client.run(_about, task.files)
        except Exception:  # whatever comes up on a worker that has another build, or is none
            raise input_error(CANNOT_LOAD, address=self._address) from None
        for worker, (theirs, unseen) in found.items():
            if theirs != build():
                raise input_error(OTHER_BUILD, worker=worker, theirs=theirs, ours=build())
            if unseen:
                raise input_error(OTHER_DISK, worker=worker, file=unseen)

    def answers(self, tasks: Sequence[Task], look_up: Callable[[int], None]) -> Iterator[tuple[int, Answer]]:
        """Yield the number of each task with what became of it, as they are done.

        Dask begins a task anew on another worker when its own is lost, a few times. Then the task waits until
        all others are done, and is tried alone: it may have been lost for another's sake.

        Parameters
        ----------
        tasks
            What to do.
        look_up
            Called with the number of workers several times a minute at least, while nothing is done too.
        """
        suspects: list[int] = []
        yield from self._sent(tasks, range(len(tasks)), look_up, suspects, at_once=MOST_SENT)
        killers: list[int] = []
        yield from self._sent(tasks, sorted(suspects), look_up, killers, at_once=1)
        for number in killers:
            yield number, _lost(text(KILLED, pair=tasks[number].name))

    def _sent(
        self,
        tasks: Sequence[Task],
        numbers: Sequence[int],
        look_up: Callable[[int], None],
        lost: list[int],
        *,
        at_once: int,
    ) -> Iterator[tuple[int, Answer]]:
        waiting, sent, done = deque(numbers), dict[int, Any](), queue.SimpleQueue[int]()
        run = uuid4().hex
        while waiting or sent:
            while waiting and len(sent) < at_once and not self.is_gone:
                number = waiting.popleft()
                key = f"anonaudit-{run}-{number}"
                sent[number] = self._client.submit(do, tasks[number], build(), key=key, pure=False)
                sent[number].add_done_callback(lambda _, number=number: done.put(number))
            if self.is_gone:
                yield from ((number, _gone(tasks[number])) for number in (*sent, *waiting))
                return
            try:
                number = done.get(timeout=LOOK_UP_SECONDS)
            except queue.Empty:
                look_up(self.n_workers)
                continue
            answer = self._answer(tasks[number], sent[number])
            if self.is_gone:
                continue
            sent.pop(number).release()
            if answer is None:
                lost.append(number)
            else:
                yield number, answer

    def _answer(self, task: Task, future: Any) -> Answer | None:
        """Return what became of a task; None where its workers were lost."""
        from distributed import KilledWorker  # noqa: PLC0415

        try:
            answer: Answer = future.result()
        except KilledWorker:
            return None
        except Exception as error:  # whatever came up on a worker; a sentence about its pair
            if future.cancelled() or self._client.status != "running":
                self.is_gone = True
                return None
            return _lost(text(UNFORESEEN, pair=task.name, kind=type(error).__name__))
        return answer


async def _knock(address: str) -> None:
    from distributed.core import connect  # noqa: PLC0415
    from distributed.security import Security  # noqa: PLC0415

    comm = await connect(address, timeout=ANSWER_SECONDS, **Security().get_connection_args("client"))
    await comm.close()


def _about(files: tuple[Stamp, ...]) -> tuple[str, str]:
    """Return which AnonAudit and Python a worker has, and the first file that it does not see alike."""
    ours = stamps([Path(stamp.path) for stamp in files])
    unseen = [Path(stamp.path).name for stamp, mine in zip(files, ours, strict=True) if stamp != mine]
    return build(), next(iter(unseen), "")


def _lost(problem: Text) -> Answer:
    return Answer(problems=(plain_text(problem),), is_whole=False)


def _gone(task: Task) -> Answer:
    return _lost(text(GONE, pair=task.name))


@contextmanager
def _unwarned() -> Iterator[None]:
    """Keep Dask's warnings of versions to itself; what matters of them is checked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
