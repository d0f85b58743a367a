"""Long work in a thread of its own: progress, a way to stop, and what is done is kept."""

import ctypes
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar, cast

from core.errors import AuditInputError

Result = TypeVar("Result")
Item = TypeVar("Item")
LOOK_UP_SECONDS = 0.2  # so often a thread that waits can be interrupted
GRACE_SECONDS = 1.0  # for work to end by itself and keep what it has


class Interruption(BaseException):
    """Raised within work that was asked to end and did not; nothing catches it on the way."""


class Interruptible:
    """A thread whose work can be interrupted until it has ended.

    An interruption is never taken back: CPython 3.11 would then stop at every function under a tracer such as
    coverage, and be slow without. It is waited for instead.
    """

    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread
        self._lock = threading.Lock()
        self._has_ended = False

    def interrupt(self) -> None:
        """Raise an :class:`Interruption` in the thread once it runs Python code, unless it has ended."""
        with self._lock:
            if not self._has_ended and self._thread.ident is not None:
                _interrupt(self._thread.ident)

    def end(self) -> None:
        """Let nothing interrupt this thread from now on; what is on its way arrives here and is dropped."""
        without_interruption(self._mark_end)

    def _mark_end(self) -> None:
        with self._lock:
            self._has_ended = True


_INTERRUPTING = threading.Lock()
_SHIELDED: set[int] = set()  # threads that are at what must not be interrupted, and those of them that were
_ASKED: set[int] = set()


def _interrupt(ident: int) -> None:
    """Raise an :class:`Interruption` in a thread, once it is not shielded, and in those that work for it."""
    with _INTERRUPTING:
        if ident in _SHIELDED:
            _ASKED.add(ident)
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(Interruption))
    for threads in tuple(_WORKING_FOR.get(ident, ())):
        threads.interrupt()


def without_interruption(mark: Callable[[], None]) -> None:
    """Mark that nothing interrupts this thread any more; what is on its way arrives here and is dropped."""
    while True:
        try:
            mark()
            for _ in range(3):
                pass
        except Interruption:
            continue
        return


class Shielded:
    """Lets no interruption into what it surrounds: it is raised afterwards.

    The locks of threading's conditions, and so those of executors and futures, are taken in Python code. An
    interruption in there leaves them taken for ever, and every thread that wants them waits.
    """

    def __enter__(self) -> None:
        self._ident = threading.get_ident()
        self._is_inner = self._ident in _SHIELDED
        if self._is_inner:
            return
        try:
            with _INTERRUPTING:
                _SHIELDED.add(self._ident)
            for _ in range(3):  # what is on its way arrives here
                pass
        except Interruption:
            _SHIELDED.discard(self._ident)
            raise

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if self._is_inner:
            return
        with _INTERRUPTING:
            _SHIELDED.discard(self._ident)
            asked = self._ident in _ASKED
            _ASKED.discard(self._ident)
        if asked and error is None:
            raise Interruption


class Threads:
    """Threads for a while, by default as many as there are processors.

    They are interrupted with the thread that has them, and when it leaves with an error: then what was not
    begun is not begun any more.
    """

    def __init__(self, n: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(n or os.cpu_count())
        self._owner = threading.get_ident()
        self._at_work: set[int] = set()
        self._changing = threading.RLock()

    def __enter__(self) -> "Threads":
        _WORKING_FOR.setdefault(self._owner, []).append(self)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        with Shielded():
            if error is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self.interrupt()
            self._pool.shutdown()
            mine = _WORKING_FOR[self._owner]
            mine.remove(self)
            if not mine:
                del _WORKING_FOR[self._owner]

    def submit(self, work: Callable[..., Result], *arguments: Any, **named: Any) -> "Awaited[Result]":
        """Let a thread do work; with one thread, after all earlier work."""
        with Shielded():
            return Awaited(self._pool.submit(self._do, partial(work, *arguments, **named)))

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Let the threads do work for every item; return the results in the items' order."""
        awaited = deque([self.submit(work, item) for item in items])
        return (awaited.popleft().result() for _ in range(len(awaited)))

    def interrupt(self) -> None:
        """Interrupt what is being done."""
        for ident in tuple(self._at_work):
            with self._changing:
                if ident in self._at_work:
                    _interrupt(ident)

    def _do(self, work: Callable[[], Result]) -> Result:
        try:
            with self._changing:
                self._at_work.add(threading.get_ident())
            return work()
        finally:
            without_interruption(self._mark_end)

    def _mark_end(self) -> None:
        with self._changing:
            self._at_work.discard(threading.get_ident())
        with _INTERRUPTING:
            _ASKED.discard(threading.get_ident())


_WORKING_FOR: dict[int, list[Threads]] = {}  # by the thread that has them


class Awaited(Generic[Result]):
    """The result of work that another thread does."""

    def __init__(self, future: Future[Result]) -> None:
        self._future = future

    def result(self) -> Result:
        """Wait for the result, or raise what the work raised; the wait can be interrupted."""
        while True:
            with Shielded():
                try:
                    return self._future.result(LOOK_UP_SECONDS)
                except TimeoutError:
                    if self._future.done():
                        return self._future.result()


class JobState(StrEnum):
    """Where a job is."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass
class Progress:
    """What the work tells about itself, and what it is told."""

    n_done: int = 0  # items (configurations, bytes, files) done and to do; `n_total` is 0 until known
    n_total: int = 0
    text: str = ""  # what is being done, without cell values
    unit: str = ""  # ``bytes`` or ``%`` (of the time) when that is what `n_done` counts; empty for items
    so_far: Callable[[], object] | None = None  # says what is done, where work is interrupted
    started_at: float = field(default_factory=time.monotonic)
    reported_at: float = field(default_factory=time.monotonic)
    _stop: threading.Event = field(default_factory=threading.Event)

    def keep(self, so_far: Callable[[], object]) -> None:
        """Say where to find what is done, should the work be interrupted before it hands it over."""
        self.so_far = so_far

    def report(self, n_done: int, n_total: int, text: str = "") -> None:
        """Say how far the work is."""
        self.n_done, self.n_total, self.text = n_done, n_total, text
        self.reported_at = time.monotonic()

    @property
    def stop_asked(self) -> bool:
        """Return whether the work shall end soon and hand over what it has."""
        return self._stop.is_set()

    @property
    def share_done(self) -> float:
        """Return the share in [0, 1] of the work that is done, 0 while unknown."""
        return min(self.n_done / self.n_total, 1.0) if self.n_total else 0.0


class Job(Generic[Result]):
    """One piece of work running beside the page.

    Parameters
    ----------
    key
        What the work is for: fingerprints of the inputs and the settings. A page shows a result
        only while its own key is the same.
    work
        Called once with a :class:`Progress`; looks at `stop_asked` at least every second and then
        returns what it has. Work that does not is interrupted, and what it has is what the progress
        says it has `so_far`.
    """

    def __init__(self, key: str, work: Callable[[Progress], Result]) -> None:
        self.key = key
        self.progress = Progress()
        self.result: Result | None = None
        self.problems: tuple[str, ...] = ()
        self.ended_at: float | None = None
        self._state: JobState | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run, name="anonaudit-job", daemon=True)
        self._interruptible = Interruptible(self._thread)
        self._thread.start()

    def _run(self) -> None:
        state = JobState.FAILED
        try:
            self.result = self._work(self.progress)
            state = JobState.STOPPED if self.progress.stop_asked else JobState.DONE
        except AuditInputError as error:
            self.problems = error.problems
        except Interruption:
            state = JobState.STOPPED
        finally:
            self._interruptible.end()
            if state is JobState.STOPPED and self.result is None and self.progress.so_far is not None:
                self.result = cast("Result", self.progress.so_far())
            self.ended_at = time.monotonic()
            self._state = state

    @property
    def state(self) -> JobState:
        """Return where the job is."""
        if self._state is None and not self._thread.is_alive():
            return JobState.STOPPED  # interrupted for a second time, at its very end
        return self._state or JobState.RUNNING

    def stop(self) -> None:
        """Ask the work to end; it keeps what is done. What does not end by itself is interrupted."""
        self.progress._stop.set()
        threading.Thread(target=self._end, name="anonaudit-end-of-job", daemon=True).start()

    def _end(self) -> None:
        self._thread.join(GRACE_SECONDS)
        while self._thread.is_alive() and self._state is None:
            self._interruptible.interrupt()
            self._thread.join(GRACE_SECONDS / 4)

    def wait(self, timeout_seconds: float | None = None) -> None:
        """Wait until the work has ended."""
        self._thread.join(timeout_seconds)

    @property
    def is_running(self) -> bool:
        """Return whether the work goes on."""
        return self.state is JobState.RUNNING

    @property
    def elapsed_seconds(self) -> float:
        """Return the seconds since the start, up to the end; it may have waited for its turn before."""
        return (self.ended_at or time.monotonic()) - self.progress.started_at

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds left at the speed up to the last report, None while it cannot be told."""
        share, progress = self.progress.share_done, self.progress
        if share in (0, 1):
            return 0 if share else None
        left = (progress.reported_at - progress.started_at) / share - self.elapsed_seconds
        return left if left > 0 else None  # it takes longer than so far
