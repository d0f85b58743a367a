"""Heavy work waits for its turn: as much at once as processors and memory allow, first come, first served.

What a slider moves, or what opens a page, asks for no turn and waits for nobody.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.processes.jobs import Progress, Result
from core.words import Text, input_error, text

AT_ONCE_VARIABLE = "ANONAUDIT_AT_ONCE"
MEMORY_VARIABLE = "ANONAUDIT_MEMORY"
QUOTA_VARIABLE = "ANONAUDIT_QUOTA"
MEGABYTE = 1 << 20
LIGHT_BYTES = 2 * MEGABYTE  # of files; work on less takes less than a second
MEMORY_FOR_A_BYTE = 8  # of files; measured with a pair of tables of a million records
LOOK_UP_SECONDS = 0.1
KEPT_SECONDS = 2.0  # a place, for somebody whose page begins anew
LookUp = Callable[[int | None], None]
_OF_CONTAINER = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),  # of the older kind
)


class Limits(NamedTuple):
    """What the operator allows: heavy audits at once, bytes planned for them, bytes of files a session."""

    at_once: int
    memory: int
    quota: int

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Limits":
        """Read the limits; by default an audit a processor, half of the memory, an eighth of it a session.

        Raises
        ------
        AuditInputError
            When a variable holds something else than a whole number from 1 up.
        """
        memory = whole_number(environment, MEMORY_VARIABLE, machine_memory() // 2 // MEGABYTE)
        return cls(
            at_once=whole_number(environment, AT_ONCE_VARIABLE, _n_processors()),
            memory=memory * MEGABYTE,
            quota=whole_number(environment, QUOTA_VARIABLE, max(memory // 4, 1)) * MEGABYTE,
        )


def whole_number(environment: Mapping[str, str], name: str, default: int) -> int:
    """Return what a variable holds; AuditInputError for something else than a whole number from 1 up."""
    given = environment.get(name, "").strip()
    if not given:
        return default
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise input_error("{name} has to be a whole number from 1 up.", name=name)
    return int(given)


def _n_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_memory() -> int:
    """Return the bytes of memory that this machine or its container has; 8 GB where nobody says."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
    bounds = [machine]
    for said in _OF_CONTAINER:
        with suppress(OSError, ValueError):  # no container, or one without a bound
            bounds.append(int(said.read_text()))
    return min(bounds)


@dataclass
class _Waiting:
    left_at: float | None = None  # the place is kept for a while


@dataclass
class Turns:
    """Who works and who waits, in order."""

    limits: Limits
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: dict[str, _Waiting] = field(default_factory=dict)
    _at_work: dict[str, int] = field(default_factory=dict)  # bytes planned

    def ask(self, who: str, n_bytes: int) -> int | None:
        """Return how many wait before somebody, None once it is their turn; call :meth:`end` then."""
        with self._lock:
            for name in [name for name, each in self._waiting.items() if _has_gone(each)]:
                del self._waiting[name]
            self._waiting.setdefault(who, _Waiting()).left_at = None
            place = list(self._waiting).index(who)
            if place or not self._has_room(n_bytes):
                return place
            del self._waiting[who]
            self._at_work[who] = n_bytes
            return None

    def _has_room(self, n_bytes: int) -> bool:
        """Return whether one more may work; alone, one may take more than is planned."""
        within = sum(self._at_work.values()) + n_bytes <= self.limits.memory
        return not self._at_work or (within and len(self._at_work) < self.limits.at_once)

    def end(self, who: str) -> None:
        """Let the next work; the place of who did not get their turn is kept for a while."""
        with self._lock:
            self._at_work.pop(who, None)
            if who in self._waiting:
                self._waiting[who].left_at = time.monotonic()

    def wait(self, who: str, n_bytes: int, look_up: LookUp) -> None:
        """Wait for the turn; what `look_up` raises ends that."""
        told = None
        while (place := self.ask(who, n_bytes)) is not None:
            if place != told:
                look_up(told := place)
            time.sleep(LOOK_UP_SECONDS)
        if told is not None:
            look_up(None)


def _has_gone(waiting: _Waiting) -> bool:
    return waiting.left_at is not None and time.monotonic() - waiting.left_at > KEPT_SECONDS


@cache
def turns() -> Turns:
    """Return the turns of this server."""
    return Turns(Limits.of(os.environ))


@dataclass
class _Run:
    """Work that keeps the turn it once got until its end."""

    who: str
    look_up: LookUp
    has_turn: bool = False


_RUN: ContextVar[_Run | None] = ContextVar("_RUN", default=None)


@contextmanager
def of_run(who: str, look_up: LookUp) -> Iterator[None]:
    """Let work keep the turn that its first heavy part takes until it ends.

    `look_up` is told how many are before it, whenever that changes, and None in the end.
    """
    token = _RUN.set(_Run(who, look_up))
    try:
        yield
    finally:
        _RUN.reset(token)
        turns().end(who)


@contextmanager
def taken(who: str, n_bytes: int, look_up: LookUp = lambda _place: None) -> Iterator[None]:
    """Do heavy work on files of a size in its turn."""
    run = _RUN.get()
    if run is None:
        with of_run(who, look_up), taken(who, n_bytes):
            yield
        return
    if not run.has_turn:
        turns().wait(run.who, MEMORY_FOR_A_BYTE * n_bytes, run.look_up)
        run.has_turn = True
    yield


def in_turn(work: Callable[[Progress], Result], *, who: str, n_bytes: int) -> Callable[[Progress], Result]:
    """Return long work that waits for its turn, tells its place meanwhile, and then begins to count time."""

    def work_in_turn(progress: Progress) -> Result:
        def tell(place: int | None) -> None:
            progress.text = "" if place is None else place_text(place)

        with taken(who, n_bytes, tell):
            progress.started_at = time.monotonic()
            return work(progress)

    return work_in_turn


def place_text(n_before: int) -> Text:
    """Say how many wait before somebody."""
    if n_before == 0:
        return text("The server is at work for others; you are next.")
    return text("The server is at work for others: {n} before you.", n=n_before)
