"""Processor time of this process and of those that read tables for it."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

from core.apart import POOL


def worked_seconds() -> float:
    """Return the processor seconds used so far, those of processes that wait for a file included."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    waiting = sum(_ticks(worker.process.pid) for worker in POOL.idle) / os.sysconf("SC_CLK_TCK")
    return time.process_time() + ended.ru_utime + ended.ru_stime + waiting


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:  # it has ended, and is counted there
        return 0
    return int(fields[11]) + int(fields[12])
