"""What a process that reads a stranger's file may take: memory and processor seconds; it writes nothing."""

import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from core.processes.queue import machine_memory, whole_number
from core.words import Text, Written

if sys.platform != "win32":
    import resource

MEMORY_VARIABLE = "ANONAUDIT_PROCESS_MEMORY"  # MB that no process may go beyond
SMALL_FILE_BYTES = 5 << 20
SMALL_FILE_MEMORY, LARGE_FILE_MEMORY = 1 << 30, 2 << 30
MEMORY_FOR_A_BYTE = 64  # a workbook packs its cells about so tightly
_PATIENCE = 20  # seconds that pass, on a busy machine, for one of the processor


class Bounds(NamedTuple):
    """What a process may take: bytes of memory beyond what it begins with, and processor seconds."""

    memory: int
    seconds: int


class Allowance(NamedTuple):
    """What one kind of work may take: processor seconds, so many more a megabyte, bytes of memory.

    Without `memory` it is that of :func:`memory_bound`.
    """

    seconds: int
    for_a_megabyte: int
    memory: int | None = None

    def of(self, n_bytes: int) -> Bounds:
        """Return the bounds for so many bytes of files."""
        memory = memory_bound(n_bytes) if self.memory is None else self.memory
        return Bounds(memory, self.seconds + (self.for_a_megabyte * n_bytes >> 20))


ALLOWED: Mapping[str, Allowance] = MappingProxyType(
    {
        "file": Allowance(4, 4),  # tables, reports and models
        "genomes": Allowance(60, 60),  # a megabyte may unpack to a thousand, at 20 MB a second
        "work": Allowance(600, 60),  # what takes a second for ten megabytes
        "chart": Allowance(60, 0, 1 << 44),  # its library reserves 32 GB of addresses and uses 0.1
    }
)


def limit_memory(n_bytes: int | None, *, here: bool = False) -> None:
    """Let no process that reads files go beyond so many bytes of memory; None: the operator's limit.

    `here`: neither shall this one.
    """
    _most_memory[:] = [] if n_bytes is None else [n_bytes]
    if here and n_bytes is not None:
        limit_addresses(n_bytes)


_most_memory: list[int] = []  # what was asked for in this process


def most_memory() -> int:
    """Return the bytes that no process may go beyond, by default three quarters of this machine's."""
    if _most_memory:
        return _most_memory[0]
    return whole_number(os.environ, MEMORY_VARIABLE, machine_memory() * 3 // 4 >> 20) << 20


def memory_bound(n_bytes: int) -> int:
    """Return the bytes of memory that a file of a size may take, the reader itself not counted."""
    if n_bytes <= SMALL_FILE_BYTES:
        return min(SMALL_FILE_MEMORY, most_memory())
    return min(LARGE_FILE_MEMORY + MEMORY_FOR_A_BYTE * n_bytes, most_memory())


def gibibytes(n_bytes: int) -> Text:
    """Return an amount of memory as a number of GiB."""
    amount = n_bytes / (1 << 30)
    return Written(f"{amount:.0f}" if amount >= 1 else f"{amount:.2g}")


def memory_left() -> int | None:
    """Return the bytes of memory that this process may take yet; None without a limit."""
    if sys.platform == "win32":
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most - _addresses()


def limit(bounds: Bounds) -> None:
    """Bound what this process may take from now on; no file, no core dump."""
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(usage.ru_utime + usage.ru_stime) + bounds.seconds
    limit_addresses(bounds.memory)
    signal.alarm(_PATIENCE * bounds.seconds + 60)  # for what waits for ever and uses no processor
    for kind, amount in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # a system that knows no such limit
            resource.setrlimit(kind, (amount, resource.getrlimit(kind)[1]))


def limit_addresses(n_bytes: int) -> None:
    """Let this process take so many bytes of addresses more than it holds already."""
    if sys.platform != "win32":
        with suppress(ValueError, OSError):  # a system that knows no such limit
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (_addresses() + n_bytes, hard))


def _addresses() -> int:
    """Return the bytes of address space this process holds already; 0 where the system does not say."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return 0
