"""Workbooks and Parquet are read in a process of their own, with limits on memory and time.

Native readers allocate what a file claims, and abort: 1.3 kB ended the server for everybody. Here such a
file ends a process that did nothing else. Bytes go there through a pipe and come back as Arrow; nothing
touches the disk, and nothing that comes back is ever unpickled. The process waits for the next file, so
that a small one need not wait for a start; after a minute without work, or when this process is gone, it
ends by itself.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from select import select
from struct import Struct
from typing import IO, Any

import pyarrow as pa

from core.errors import AuditInputError
from core.tables.beside import Beside
from core.tables.binary import read_binary
from core.tables.model import Reading, ReadOptions

if sys.platform != "win32":
    import resource

ROOT = Path(__file__).parents[2]
SMALL_FILE_BYTES = 5 << 20
SMALL_FILE_MEMORY = 1 << 30
LARGE_FILE_MEMORY = 2 << 30
MEMORY_FOR_A_BYTE = 64  # a workbook packs its cells about so tightly
SECONDS, SECONDS_FOR_A_MEGABYTE = 30, 3
IDLE_SECONDS = 60
_ROWS_SENT = 1 << 16
_LARGEST_DOCUMENT = 1 << 26
_LENGTH = Struct("<Q")
_COMMAND = ("-P", "-c", "from core.tables.apart import main; main()")
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # others reserve addresses that they never use
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
}


class _EndedError(Exception):
    """The process ended, or answered nonsense, before it had read the file."""


def memory_bound(n_bytes: int) -> int:
    """Return the bytes of memory that reading a file of a size may take, the reader itself not counted."""
    if n_bytes <= SMALL_FILE_BYTES:
        return SMALL_FILE_MEMORY
    return LARGE_FILE_MEMORY + MEMORY_FOR_A_BYTE * n_bytes


def seconds_bound(n_bytes: int) -> int:
    """Return the processor seconds that reading a file of a size may take."""
    return SECONDS + SECONDS_FOR_A_MEGABYTE * (n_bytes >> 20)


def read_apart(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a workbook or Parquet file in another process; see :func:`core.tables.binary.read_binary`.

    Raises
    ------
    AuditInputError
        As :func:`read_binary`, and where the file ends the process that reads it, or would take more memory
        or time than its size warrants.
    """
    worker = _POOL.take()
    try:
        answer = worker.read(data, name=name, options=options)
    except (_EndedError, OSError, EOFError, ValueError, KeyError, TypeError, pa.ArrowException):
        worker.end()
        raise _refused(data.size, name=name) from None
    except BaseException:  # such as Streamlit's own: half an answer may be left in the pipe
        worker.end()
        raise
    _POOL.give_back(worker)
    if isinstance(answer, AuditInputError):
        raise answer
    return answer


def _refused(n_bytes: int, *, name: str) -> AuditInputError:
    return AuditInputError(
        f"{name}: the file could not be read: it is damaged, or takes more than "
        f"{memory_bound(n_bytes) / (1 << 30):.0f} GiB of memory or {seconds_bound(n_bytes):,} seconds, the "
        f"bounds for a file of its size. Open it in the program that wrote it and save it as CSV."
    )


def prepare() -> None:
    """Start a process now, so that the first file need not wait for it."""
    _POOL.give_back(_Worker())


class _Worker:
    """A process that reads one file after the other."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - this very interpreter and our own module
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": str(ROOT)},
        )

    def read(
        self, data: pa.Buffer, *, name: str, options: ReadOptions
    ) -> tuple[pa.Table, Reading] | AuditInputError:
        requests, answers = self.process.stdin, self.process.stdout
        if requests is None or answers is None:
            raise _EndedError
        _send(requests, {"name": name, "options": asdict(options)})
        requests.write(_LENGTH.pack(data.size))
        requests.write(memoryview(data))
        requests.flush()
        answer = _receive(answers)
        if "problems" in answer:
            return AuditInputError(*map(str, answer["problems"]))
        with pa.ipc.open_stream(answers) as stream:
            table = stream.read_all()
        table.validate(full=True)
        return table, _reading(answer["reading"])

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """End the process, whatever it is doing; calling it twice does nothing more."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent cannot be
                    pipe.close()


class _Pool:
    """The processes that wait for a file."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()

    def take(self) -> _Worker:
        """Return a process that waits, else a new one."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive:
                    return worker
                worker.end()
        return _Worker()

    def give_back(self, worker: _Worker) -> None:
        """Keep a process for the next file; one is enough."""
        with self._lock:
            if not self._idle:
                self._idle.append(worker)
                return
        worker.end()

    def end(self) -> None:
        """End the processes that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()


_POOL = _Pool()
atexit.register(_POOL.end)


def _send(stream: IO[bytes] | io.BufferedIOBase, document: dict[str, Any]) -> None:
    text = json.dumps(document).encode()
    stream.write(_LENGTH.pack(len(text)))
    stream.write(text)


def _receive(stream: IO[bytes] | io.BufferedIOBase | io.RawIOBase) -> dict[str, Any]:
    length = _LENGTH.unpack(_exactly(stream, _LENGTH.size))[0]
    if length > _LARGEST_DOCUMENT:
        raise _EndedError
    document = json.loads(_exactly(stream, length))
    if not isinstance(document, dict):
        raise _EndedError
    return document


def _exactly(stream: IO[bytes] | io.BufferedIOBase | io.RawIOBase, n_bytes: int) -> bytearray:
    """Return so many bytes; a pipe gives them in pieces."""
    content = bytearray(n_bytes)
    rest = memoryview(content)
    while rest:
        n_read = stream.readinto(rest)  # type: ignore[union-attr]
        if not n_read:
            raise _EndedError
        rest = rest[n_read:]
    return content


def _options(fields: dict[str, Any]) -> ReadOptions:
    return ReadOptions(**{**fields, "missing_spellings": tuple(fields["missing_spellings"])})


def _reading(fields: dict[str, Any]) -> Reading:
    """Return what reading assumed, from its JSON."""
    texts = {key: tuple(fields[key]) for key in ("detected", "sheets", "notes", "unnamed_columns")}
    beside = tuple(Beside(**{**one, "texts": tuple(one["texts"])}) for one in fields["beside"])
    return Reading(**{**fields, **texts, "beside": beside, "options": _options(fields["options"])})


# The other side of the pipe.


def serve(requests: io.RawIOBase | io.BufferedIOBase, answers: IO[bytes] | io.BufferedIOBase) -> None:
    """Read the files that are sent, one after the other, until there are no more."""
    while _waits(requests):
        try:
            request = _receive(requests)
            data = pa.py_buffer(_exactly(requests, _LENGTH.unpack(_exactly(requests, _LENGTH.size))[0]))
        except _EndedError:
            return
        limit(data.size)
        answer(data, name=str(request["name"]), options=_options(request["options"]), to=answers)
        answers.flush()
        del data  # the next file must not meet this one's bytes in memory


def answer(data: pa.Buffer, *, name: str, options: ReadOptions, to: IO[bytes] | io.BufferedIOBase) -> None:
    """Read one file and write what it held, or what is wrong with it."""
    try:
        table, reading = read_binary(data, name=name, options=options)
    except AuditInputError as error:
        _send(to, {"problems": error.problems})
        return
    _send(to, {"reading": asdict(reading)})
    with pa.ipc.new_stream(to, table.schema) as stream:
        stream.write_table(table, max_chunksize=_ROWS_SENT)


def _waits(requests: io.RawIOBase | io.BufferedIOBase) -> bool:
    """Wait for a request; False after a minute without one."""
    if sys.platform == "win32" or not isinstance(requests, io.FileIO):
        return True
    return bool(select([requests], [], [], IDLE_SECONDS)[0])


def limit(n_bytes: int) -> None:
    """Bound what this process may take while it reads a file of a size; no file, no core dump."""
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(usage.ru_utime + usage.ru_stime) + seconds_bound(n_bytes)
    for kind, amount in (
        (resource.RLIMIT_AS, _addresses() + memory_bound(n_bytes)),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # a system that knows no such limit
            resource.setrlimit(kind, (amount, resource.getrlimit(kind)[1]))


def _addresses() -> int:
    """Return the bytes of address space this process holds already; 0 where the system does not say."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return 0


def main() -> None:
    """Serve the process that started this one; whatever else is printed goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(BrokenPipeError):
        serve(open(0, "rb", buffering=0), answers)  # noqa: SIM115 - what is buffered, select does not see
    os._exit(0)
