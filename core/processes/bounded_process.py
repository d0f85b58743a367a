"""Anything that reads a stranger's file is run in a fresh process with bounds; see :func:`run_apart`.

Native readers allocate what a file claims, and abort: 1.3 kB ended the server for everybody. Here such a
file ends a process that met nothing else. A process that holds no data forks each of them, with the modules
loaded that were needed before. What is given goes there pickled, large tables and bytes through memory that
both see; what comes back is built by the declared types and never unpickled. Nothing touches the disk, and
who has asked ends the process, whatever it is doing, by turning away.
"""

import atexit
import copyreg
import ctypes
import gc
import importlib
import io
import json
import mmap
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, ParamSpec, TypeVar, get_type_hints
from weakref import finalize

import pyarrow as pa

from core.errors import AuditInputError
from core.files.input_bytes import HAS_SHARED_MEMORY, Shared, mapped
from core.processes.bounds import ALLOWED, Bounds, gibibytes, limit, limit_addresses
from core.processes.packing import packed, read_tables, unpacked, write_tables
from core.words import input_error, joined, plain_text, text, text_of

if sys.platform != "win32":
    from select import POLLHUP, POLLIN, poll

P = ParamSpec("P")
Result = TypeVar("Result")
Report = Callable[[int], None]
ROOT = Path(__file__).parents[1]
WORTH_SHARING = 4 << 20  # bytes; fewer go through the socket as fast
LOOK_UP_SECONDS = 0.2  # so often a thread that waits looks up
_SECONDS_TO_TAKE = 60  # in which a process reads what it is asked
_LARGEST_MESSAGE = 1 << 26  # bytes of what is no table
_PRIORITY = 5  # steps behind the server, whose pages and sliders are answered first
_LOADED_WITH = {  # what a module needs once it works, so that each process need not load it
    "core.tables.reading": ("pandas", "pyarrow.pandas_compat"),
    "core.diversity.model_process": ("skops.io",),
    "core.vcf.running": ("pandas", "core.people.roles.suggest", "core.people.roles.check_digits"),
}
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # others reserve addresses that they never use
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
NOT_STARTED = (
    "The file was not looked at: the process that reads files did not start. Close what takes memory on this "
    "machine and try again; if that does not help, install AnonAudit anew."
)


def _frozen(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(mapping)


copyreg.pickle(MappingProxyType, lambda mapping: (_frozen, (dict(mapping),)))


class EndedError(Exception):
    """The process ended, or answered nonsense, before it had done what it was asked."""


class UnforeseenError(EndedError):
    """What was asked ended in an error that nobody foresaw: its kind and place, never its message."""


def refused(n_bytes: int, *, name: str, remedy: str) -> AuditInputError:
    """Return the problem of a file that ended its process."""
    bounds = ALLOWED["file"].of(n_bytes)
    problem = text(
        "{file}: the file could not be read: it is damaged, or takes more than {memory} GiB of memory or "
        "{seconds} seconds, the bounds for a file of its size.",
        file=name,
        memory=gibibytes(bounds.memory),
        seconds=bounds.seconds,
    )
    return AuditInputError(joined([problem, remedy]))


def run_apart(
    function: Callable[..., Result], *given: Any, bounds: Bounds, report: Report | None = None, **named: Any
) -> Result:
    """Run a function of ours in a fresh process, which ends with it.

    Parameters
    ----------
    function
        At the top of its module, with a declared type for what it returns: plain values, records, arrays and
        tables, see :mod:`core.processes.packing`. With `report`, it takes that by name.
    given, named
        What it is called with; pickled, a :class:`Shared` arrives as a buffer of what it holds.
    bounds
        Of memory, and of processor seconds. On Windows, and of memory on macOS, the system has none.
    report
        Called with each number that the function reports, and with 0 several times a second; what it raises
        is raised here, and ends the process.

    Raises
    ------
    AuditInputError
        As the function does, or where no process could be started.
    UnforeseenError
        The function raised something else.
    EndedError
        The process ended, by what it read or at its bounds.
    """
    process = Process(function.__module__)
    try:
        return process.call(function, *given, bounds=bounds, report=report, **named)
    finally:
        process.end()


def called_apart(function: Callable[P, Result], *given: P.args, **named: P.kwargs) -> Result:
    """Return what a function of ours returns for tables and settings, from another process.

    Raises
    ------
    AuditInputError
        As the function does, or where it takes more memory or time than it may.
    UnforeseenError
        See :func:`run_apart`.
    """
    bounds = ALLOWED["work"].of(sum(each.nbytes for each in _pickled((given, named))[1]))
    try:
        return run_apart(function, *given, bounds=bounds, **dict[str, Any](named))
    except UnforeseenError:
        raise
    except EndedError:
        raise input_error(
            "The work was ended: it takes more than {memory} GiB of memory or {seconds} seconds, the bounds "
            "for tables of their size. Take fewer records or columns at a time.",
            memory=gibibytes(bounds.memory),
            seconds=bounds.seconds,
        ) from None


@contextmanager
def _nonsense_ends() -> Iterator[None]:
    """Take what another process says, and is not to be read, for its end."""
    try:
        yield
    except (OSError, EOFError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        raise EndedError from None
    except pa.ArrowException:
        raise EndedError from None


class _Asked(NamedTuple):
    """What a process is asked; `given` is pickled, and its buffers of some sizes follow or are shared."""

    function: tuple[str, str]  # its module and name
    given: bytes
    sizes: tuple[int, ...]
    shared: str | None  # where the buffers are
    taken: str | None  # where a large result is put
    bounds: Bounds
    reports: bool


class Process:
    """A fresh process that is asked one thing, or several after each other of the same file.

    It ends with this object. `module` is loaded beforehand.
    """

    def __init__(self, module: str) -> None:
        self._line, kill = _forked(module)
        self.end = finalize(self, kill)  # whatever it is doing; calling it twice does no more
        self._has_started = False

    def call(
        self,
        function: Callable[..., Result],
        *given: Any,
        bounds: Bounds,
        report: Report | None = None,
        **named: Any,
    ) -> Result:
        """Call a function there; see :func:`run_apart`. After any error but that of an input, end it."""
        look_up = report or (lambda _: None)
        if not self._has_started:
            self._wait_for_start(look_up)
        content, buffers = _pickled((given, named))
        sizes = tuple(each.nbytes for each in buffers)
        taken = Shared(size=bounds.memory) if HAS_SHARED_MEMORY else None
        held = None
        if HAS_SHARED_MEMORY and sum(sizes) >= WORTH_SHARING:
            held, buffers = _shared(buffers), []
        asked = _Asked(
            function=(function.__module__, function.__qualname__),
            given=content,
            sizes=sizes,
            shared=None if held is None else held.path,
            taken=None if taken is None else taken.path,
            bounds=bounds,
            reports=report is not None,
        )
        with _nonsense_ends():
            self._line.settimeout(_SECONDS_TO_TAKE)
            _send(self._line, _ASKED, pickle.dumps(asked))
            for each in buffers:
                self._line.sendall(each)
            self._line.settimeout(LOOK_UP_SECONDS)
        result = self._answer(taken, bounds, look_up)
        kind: type[Result] = get_type_hints(function)["return"]
        with _nonsense_ends():
            return unpacked(kind, read_tables(result))

    def _wait_for_start(self, look_up: Report) -> None:
        try:
            self._has_started = _receive(self._line, look_up)[0] == _STARTED
        except EndedError:
            raise AuditInputError(NOT_STARTED) from None

    def _answer(self, taken: Shared | None, bounds: Bounds, look_up: Report) -> pa.Buffer:
        while True:
            kind, content = _receive(self._line, look_up, bounds.memory if taken is None else WORTH_SHARING)
            if kind == _REPORTED:
                look_up(int.from_bytes(content[:8], "little"))
            elif kind == _PROBLEMS:
                with _nonsense_ends():
                    raise AuditInputError(*map(text_of, json.loads(content)))
            elif kind == _UNFORESEEN:
                raise UnforeseenError(content.decode(errors="replace")[:200])
            elif kind == _SHARED and taken is not None:
                with _nonsense_ends():
                    return taken.read(int.from_bytes(content[:8], "little"))
            elif kind == _RESULT:
                return pa.py_buffer(content)
            else:
                raise EndedError


def _pickled(given: tuple[tuple[Any, ...], dict[str, Any]]) -> tuple[bytes, list[memoryview]]:
    """Return what is given, and apart from it the bytes of its tables and arrays."""
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(given, protocol=5, buffer_callback=buffers.append)
    return content, [each.raw() for each in buffers]


_ALIGNED = 64


def _shared(buffers: Iterable[memoryview]) -> Shared:
    held, at = Shared(), 0
    for each in buffers:
        held.put(at, each)
        at += -(-each.nbytes // _ALIGNED) * _ALIGNED
    return held


# What goes over the line: a letter, the number of bytes that follow, and those.

_HEAD, _NUMBER = Struct("<cQ"), Struct("<Q")
_STARTED, _ASKED, _REPORTED, _PROBLEMS, _UNFORESEEN, _RESULT, _SHARED = (
    letter.encode() for letter in ["s", "a", "r", "p", "u", "t", "m"]
)


def _send(line: socket.socket, kind: bytes, content: bytes = b"") -> None:
    line.sendall(_HEAD.pack(kind, len(content)) + content)


def _receive(
    line: socket.socket, look_up: Report = lambda _: None, most: int = _LARGEST_MESSAGE
) -> tuple[bytes, bytearray]:
    kind, n_bytes = _HEAD.unpack(_exactly(line, _HEAD.size, look_up))
    if n_bytes > max(most, _LARGEST_MESSAGE):
        raise EndedError
    return kind, _exactly(line, n_bytes, look_up)


def _exactly(line: socket.socket, n_bytes: int, look_up: Report = lambda _: None) -> bytearray:
    """Return so many bytes; they come in pieces, and who waits looks up now and then."""
    content = bytearray(n_bytes)
    rest = memoryview(content)
    while rest:
        try:
            n_read = line.recv_into(rest)
        except TimeoutError:
            look_up(0)
            continue
        except OSError:
            raise EndedError from None
        if not n_read:
            raise EndedError
        rest = rest[n_read:]
    return content


# The process that forks the others.


class _Copy:
    """A copy of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return None as long as it runs."""
        with suppress(ChildProcessError):
            return os.waitpid(self.pid, os.WNOHANG)[0] or None
        return self.pid

    def wait(self) -> None:
        """Wait until it has ended."""
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


class _Forker:
    """The process that forks: it is given modules and lines, never data."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | _Copy | None = None
        self._line: socket.socket | None = None
        self._changing = threading.Lock()

    def fork(self, module: str) -> socket.socket:
        """Return the line to a new process that has loaded a module."""
        mine, theirs = socket.socketpair()
        mine.settimeout(LOOK_UP_SECONDS)
        with self._changing, theirs, suppress(OSError):  # where it has ended, nobody answers on the line
            socket.send_fds(self._started(), [module.encode().ljust(_LONGEST_NAME)], [theirs.fileno()])
        return mine

    def begin_here(self) -> None:
        """Let a copy of this process fork: it has loaded all modules, and has no data yet and no threads."""
        if sys.platform != "linux" or threading.active_count() > 1:
            return
        self._line, theirs = socket.socketpair()
        with theirs:
            if pid := os.fork():
                self.process = _Copy(pid)
                return
            self._line.close()
            null = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(null, number)
            os.environ.update(_ENVIRONMENT)
            pa.set_memory_pool(pa.system_memory_pool())
            with suppress(OSError, AttributeError):
                ctypes.CDLL(None).mallopt(_MOST_ARENAS, 2)
            serve(theirs.fileno())

    def _started(self) -> socket.socket:
        if self._line is None or self.process is None or self.process.poll() is not None:
            self.end()
            self._line, theirs = socket.socketpair()
            with theirs:
                self.process = _started("serve", theirs.fileno())
        return self._line

    def end(self) -> None:
        """End it, and all that it has forked."""
        if self._line is not None and self.process is not None:
            self._line.close()
            self.process.wait()
        self.process = self._line = None


_LONGEST_NAME = 200
_MOST_ARENAS = -8  # as the C library calls it
FORKER = _Forker()
atexit.register(FORKER.end)


def _started(function: str, *lines: int) -> "subprocess.Popen[bytes]":
    code = f"from core.processes.bounded_process import {function}; {function}({', '.join(map(str, lines))})"
    return subprocess.Popen(  # noqa: S603 - this very interpreter and our own module
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE if sys.platform == "win32" else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=lines,
        env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": str(ROOT)},
    )


def _forked(module: str) -> tuple[socket.socket, Callable[[], None]]:
    """Return the line to a fresh process, forked where the system can, and what ends it."""
    if sys.platform != "win32":
        line = FORKER.fork(module)
        return line, line.close
    mine, theirs = socket.socketpair()
    process = _started("work_alone")
    process.stdin.write(theirs.share(process.pid))
    process.stdin.close()
    theirs.close()
    return mine, lambda: (process.kill(), mine.close())


def prepare(*modules: str) -> None:
    """Have modules loaded now, so that the first file need not wait for them."""
    for module in modules:
        Process(module).end()


def serve(number: int) -> NoReturn:
    """Fork a process for each line that comes, and end it once nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    os.nice(_PRIORITY)
    asking = socket.socket(fileno=number)
    at_work: dict[int, int] = {}  # the process at the end of each line
    while True:
        waiting = poll()
        waiting.register(asking, POLLIN)
        waiting.register(woken, POLLIN)
        for line in at_work:
            waiting.register(line, 0)  # tells when the other end is closed
        for line, event in waiting.poll():
            if line == woken:
                os.read(woken, 1 << 10)
            elif line in at_work and event & POLLHUP:
                os.kill(at_work[line], signal.SIGKILL)
            elif line == number:
                _fork(asking, at_work, woken, waking)
        ended = _ended_children()
        for line in [line for line, process in at_work.items() if process in ended]:
            del at_work[line]
            os.close(line)


def _fork(asking: socket.socket, at_work: dict[int, int], *others: int) -> None:
    name, lines, *_ = socket.recv_fds(asking, _LONGEST_NAME, 1)
    if not name:  # who started this process is gone
        for process in at_work.values():
            os.kill(process, signal.SIGKILL)
        os._exit(0)
    module = name.decode().strip()
    for needed in (module, *_LOADED_WITH.get(module, ())):
        with suppress(Exception):  # is met again by the process that needs it
            importlib.import_module(needed)
    gc.freeze()  # nothing loaded is garbage, and looking at it would copy it
    (line,) = lines
    with suppress(OSError):
        if at := os.fork():
            at_work[line] = at
            return
        signal.set_wakeup_fd(-1)
        for each in (*at_work, *others, asking.fileno()):  # else nobody saw another one end
            os.close(each)
        _work(socket.socket(fileno=line))
    os.close(line)


def _ended_children() -> set[int]:
    ended: set[int] = set()
    with suppress(ChildProcessError):
        while (process := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            ended.add(process)
    return ended


# The process that works.


def work_alone() -> NoReturn:
    """Work on the line that is shared on the standard input, as Windows does it."""
    _work(socket.fromshare(sys.stdin.buffer.read()))  # type: ignore[attr-defined]  # of Windows


def _work(line: socket.socket) -> NoReturn:
    """Do what is asked over a line until nobody asks any more."""
    with suppress(BaseException):  # who has asked sees that it ended
        _send(line, _STARTED)
        while True:
            _answer(line, pickle.loads(_receive(line)[1]))  # noqa: S301 - from the process that started this one
    os._exit(0)


def _answer(line: socket.socket, asked: _Asked) -> None:
    module, name = asked.function
    function = getattr(importlib.import_module(module), name)
    given, named = pickle.loads(asked.given, buffers=_buffers(line, asked))  # noqa: S301 - see above
    more = {"report": _reporting(line)} if asked.reports else {}
    limit(asked.bounds)
    try:
        tables = packed(function(*given, **named, **more))
    except AuditInputError as error:
        _send(line, _PROBLEMS, json.dumps(list(map(plain_text, error.problems))).encode())
    except MemoryError:
        raise
    except Exception as error:  # whatever a file makes of its reader
        *_, place = traceback.extract_tb(error.__traceback__)
        at = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        _send(line, _UNFORESEEN, at.encode())
    else:
        _give(line, tables, asked)


def _reporting(line: socket.socket) -> Report:
    """Return what sends a number, from several threads too."""
    sending = threading.Lock()

    def report(number: int) -> None:
        with sending:
            _send(line, _REPORTED, _NUMBER.pack(number))

    return report


def _buffers(line: socket.socket, asked: _Asked) -> list[pa.Buffer]:
    if asked.shared is None:
        return [pa.py_buffer(_exactly(line, size)) for size in asked.sizes]
    held = mapped(asked.shared)
    found, at = [], 0
    for size in asked.sizes:
        found.append(held.slice(at, size))
        at += -(-size // _ALIGNED) * _ALIGNED
    return found


def _give(line: socket.socket, tables: list[pa.Table], asked: _Asked) -> None:
    """Send a result, or put it where the other process sees it."""
    measured = pa.MockOutputStream()
    write_tables(list(tables), measured)
    n_bytes = measured.size()
    if asked.taken is None or n_bytes < WORTH_SHARING:
        content = io.BytesIO()
        write_tables(tables, content)
        _send(line, _RESULT, content.getvalue())
        return
    limit_addresses(asked.bounds.memory + n_bytes)
    with Path(asked.taken).open("r+b") as file, mmap.mmap(file.fileno(), n_bytes) as shared:
        sink = pa.FixedSizeBufferWriter(pa.py_buffer(shared))
        write_tables(tables, sink)
        sink.close()
        del sink
    _send(line, _SHARED, _NUMBER.pack(n_bytes))
