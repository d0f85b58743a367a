"""A process that reads pairs of files: asked on its standard input, answering on its standard output.

It belongs to :mod:`core.vcf.pool`. Uploaded bytes reach it through the pipe and nowhere else. It ends
as soon as its input ends, so that nothing is left running when the process that asked is gone.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import BinaryIO, NamedTuple

from core.vcf.outcomes import run_scan
from core.vcf.pairing import VcfPair
from core.vcf.scan import VcfScan
from core.vcf.settings import VcfSettings

REPORTED = 1 << 20  # bytes read between two messages


class Request(NamedTuple):
    """A pair to read."""

    pair: VcfPair
    settings: VcfSettings


class Answer(NamedTuple):
    """What reading it came to; the pair itself is not sent back."""

    scan: VcfScan | None
    problems: tuple[str, ...]
    n_seconds: float


def serve(requests: BinaryIO, answers: BinaryIO, leave: Callable[[], None]) -> None:
    """Read the pairs that are asked for, one after the other.

    Parameters
    ----------
    requests
        Pickled :class:`Request` after :class:`Request`.
    answers
        Takes, for each, pickled numbers of bytes read, then an :class:`Answer`.
    leave
        Called when `requests` is at its end, also in the middle of a pair.
    """
    waiting: SimpleQueue[Request | None] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting, leave), daemon=True).start()
    while (request := waiting.get()) is not None:
        counter = _Counter(answers)
        outcome = run_scan(*request, counter)
        counter.send(Answer(outcome.scan, outcome.problems, outcome.n_seconds))
        del request, outcome  # the next pair must not meet this one's bytes in memory


def _receive(requests: BinaryIO, waiting: SimpleQueue[Request | None], leave: Callable[[], None]) -> None:
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            waiting.put(pickle.load(requests))  # noqa: S301 - from our own parent process
    leave()
    waiting.put(None)


@dataclass
class _Counter:
    """Passes the number of bytes read on, a megabyte at a time; several threads may call it."""

    answers: BinaryIO
    n_unsent: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, n_bytes: int) -> None:
        with self.lock:
            self.n_unsent += n_bytes
            if self.n_unsent >= REPORTED:
                self._write(self.n_unsent)
                self.n_unsent = 0

    def send(self, answer: Answer) -> None:
        with self.lock:
            self._write(answer)

    def _write(self, message: int | Answer) -> None:
        pickle.dump(message, self.answers, protocol=pickle.HIGHEST_PROTOCOL)
        self.answers.flush()


def main() -> None:
    """Serve the process that started this one; whatever else is printed goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, lambda: os._exit(0))
