"""What all benchmarks measure alike: seconds, processor time, memory, and the yardstick of reading tables."""

from __future__ import annotations

import io
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from pyarrow import csv

from core.processes.bounded_process import FORKER

Result = TypeVar("Result")
Clock = Callable[[], float]


def worked_seconds() -> float:
    """Return the processor seconds used so far, those of processes that read files included."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    forker = 0.0 if FORKER.process is None else _ticks(FORKER.process.pid) / os.sysconf("SC_CLK_TCK")
    return time.process_time() + ended.ru_utime + ended.ru_stime + forker


def _ticks(pid: int) -> int:
    """Return the ticks of a process and of what it has forked that has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:  # it has ended, and is counted there
        return 0
    return sum(map(int, fields[11:15]))


def timed(
    work: Callable[[], Result], *, rounds: int = 1, clock: Clock = time.perf_counter
) -> tuple[float, Result]:
    """Return the seconds of the fastest round, as a busy machine only slows them, and the last result."""
    least = float("inf")
    for _ in range(rounds):
        started = clock()
        result = work()
        least = min(least, clock() - started)
    return least, result


def in_turn(*works: Callable[[], object], rounds: int) -> list[float]:
    """Return the least seconds of each, taken in turns so that a busy machine slows all alike."""
    seconds = [[timed(work)[0] for work in works] for _ in range(rounds)]
    return [min(each) for each in zip(*seconds, strict=True)]


def peak_bytes() -> int:
    """Return the largest memory this process has held."""
    # not getrusage: its peak is handed down from the process that started this one
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def read_as_text(data: bytes, **how: object) -> pa.Table:
    """Return a table read by pyarrow alone, every column as text: the yardstick of reading."""
    names = data[: data.index(b"\n")].decode().replace('"', "").strip().split(",")
    options = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), **how)
    return csv.read_csv(pa.BufferReader(data), convert_options=options)


def csv_bytes(table: pa.Table, **how: str) -> bytes:
    """Return a table as the bytes of a file."""
    written = io.BytesIO()
    csv.write_csv(table, written, csv.WriteOptions(**how))
    return written.getvalue()
