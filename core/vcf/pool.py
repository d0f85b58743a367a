"""Pairs read several at once, each in a process of its own.

Processes are started by name and spoken to through pipes: nothing is forked from a server with
threads, uploaded bytes never reach a disk, what a file does to one process ends one pair only, and
all of them can be ended at any moment. They end by themselves when this process is gone.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from core.jobs import Progress
from core.vcf.outcomes import STOPPED, ScanOutcome, run_scan, unread
from core.vcf.pairing import VcfPair
from core.vcf.settings import VcfSettings
from core.vcf.worker import Answer, Request

ROOT = Path(__file__).parents[2]
POLL_SECONDS = 0.1
COMMAND = ("-P", "-c", "from core.vcf.worker import main; main()")
BROKEN = (
    "the process that read this pair ended unexpectedly ({reason}). If the computer is short of memory, "
    "read fewer pairs at once."
)


class Worker:
    """A process that reads one pair after the other."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - this very interpreter and our own module
            [sys.executable, *COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def read(self, pair: VcfPair, settings: VcfSettings, count: Callable[[int], None]) -> ScanOutcome:
        """Have one pair read.

        Raises
        ------
        EOFError, OSError, pickle.UnpicklingError
            When the process ended before it answered.
        """
        requests, answers = self.process.stdin, self.process.stdout
        if requests is None or answers is None:
            raise EOFError
        pickle.dump(Request(pair, settings), requests, protocol=pickle.HIGHEST_PROTOCOL)
        requests.flush()
        while True:
            answer: int | Answer = pickle.load(answers)  # noqa: S301 - from our own process
            if isinstance(answer, Answer):
                return ScanOutcome(
                    pair=pair, scan=answer.scan, problems=answer.problems, n_seconds=answer.n_seconds
                )
            count(answer)

    def end(self) -> None:
        """End the process, whatever it is doing; calling it twice does nothing more."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Give the pipes back, once nobody reads from them any more."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent cannot be
                    pipe.close()

    @property
    def reason(self) -> str:
        """Return in words how the process ended; one that answered nonsense is ended here."""
        try:
            code = self.process.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            return "its answer cannot be read"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


class Pool:
    """Threads that each feed a process, and what they brought back.

    Parameters
    ----------
    pairs, settings
        What to read.
    n_jobs
        How many processes at most.
    progress
        Told how many stored bytes were read of all; asked whether to stop.
    """

    def __init__(
        self, pairs: Sequence[VcfPair], settings: VcfSettings, *, n_jobs: int, progress: Progress | None
    ) -> None:
        self.pairs = pairs
        self.settings = settings
        self.progress = progress or Progress()
        self.progress.unit = "bytes"
        self.sizes = [pair.original.n_bytes + pair.anonymized.n_bytes for pair in pairs]
        self.n_read = [0] * len(pairs)
        self.outcomes: dict[int, ScanOutcome] = {}
        self.reading: list[int] = []
        self.workers: set[Worker] = set()
        self.stopped = False
        self.changed = threading.Condition()
        self.waiting = iter(range(len(pairs)))
        self.threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(n_jobs)]

    def results(self) -> Iterator[ScanOutcome]:
        """Yield the outcomes in the order of the pairs; when asked to stop, the rest as not read."""
        try:
            for thread in self.threads:
                thread.start()
            for number, pair in enumerate(self.pairs):
                yield self._wait_for(number) or unread(pair, STOPPED)
        finally:
            self.end()

    def end(self) -> None:
        """End all processes and wait until they are gone."""
        with self.changed:
            self.stopped = True
            workers = list(self.workers)
        for worker in workers:
            worker.end()
        for thread in self.threads:
            if thread.is_alive():
                thread.join()

    def _wait_for(self, number: int) -> ScanOutcome | None:
        with self.changed:
            while number not in self.outcomes and not self.stopped:
                if self.progress.stop_asked:
                    break
                self.changed.wait(POLL_SECONDS)
        if number not in self.outcomes and not self.stopped:
            self.end()
        return self.outcomes.get(number)

    def _feed(self) -> None:
        """Have one pair after the other read by a process; a process that ended is replaced."""
        worker: Worker | None = None
        try:
            while (number := self._next()) is not None:
                outcome: ScanOutcome | None
                try:
                    worker = worker or self._start()
                    outcome = self._read(worker, number)
                except Exception:  # whatever it was, it ends one pair and never the run
                    outcome = self._broken(worker, number)
                    self._discard(worker)
                    worker = None
                self._done(number, outcome)
        finally:
            self._discard(worker)

    def _next(self) -> int | None:
        with self.changed:
            number = None if self.stopped else next(self.waiting, None)
            if number is not None:
                self.reading.append(number)
                self._report()
            return number

    def _start(self) -> Worker:
        worker = Worker()
        with self.changed:
            self.workers.add(worker)
            stopped = self.stopped
        if stopped:
            worker.end()
        return worker

    def _read(self, worker: Worker, number: int) -> ScanOutcome:
        def count(n_bytes: int) -> None:
            with self.changed:
                self.n_read[number] = min(self.n_read[number] + n_bytes, self.sizes[number])
                self._report()

        return worker.read(self.pairs[number], self.settings, count)

    def _broken(self, worker: Worker | None, number: int) -> ScanOutcome | None:
        """Return what a process that ended leaves behind; without any process, read the pair here."""
        if self.stopped:
            return None
        if worker is None:
            return run_scan(self.pairs[number], self.settings)
        return unread(self.pairs[number], BROKEN.format(reason=worker.reason))

    def _discard(self, worker: Worker | None) -> None:
        if worker is not None:
            worker.end()
            worker.close()
            with self.changed:
                self.workers.discard(worker)

    def _done(self, number: int, outcome: ScanOutcome | None) -> None:
        with self.changed:
            self.reading.remove(number)
            if outcome is not None:
                self.outcomes[number] = outcome
                self.n_read[number] = self.sizes[number]
            self._report()
            self.changed.notify_all()

    def _report(self) -> None:
        names = ", ".join(self.pairs[number].anonymized.name for number in self.reading)
        n_done = len(self.outcomes)
        text = f"Reading {names}" if names else "Reading"
        if len(self.pairs) > 1:
            text += f" ({n_done} of {len(self.pairs)} pairs done)"
        self.progress.report(sum(self.n_read), sum(self.sizes), text)
