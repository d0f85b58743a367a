"""Pairs read in bounded processes of their own, several at once; an error ends one pair, never the run.

What a file does to its process (:mod:`core.processes.bounded_process`) ends that pair, and what was found comes back as
numbers and text by the types of :class:`core.vcf.measuring.VcfScan`. Uploaded bytes go there through memory
that both processes see.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.errors import AuditInputError
from core.files.input_bytes import HAS_SHARED_MEMORY, Shared
from core.processes.bounded_process import EndedError, run_apart
from core.processes.bounds import ALLOWED, Bounds, gibibytes
from core.processes.jobs import Progress
from core.processes.unforeseen import UNEXPECTED
from core.vcf.candidates import Candidates, Tally
from core.vcf.donor import judge_donors
from core.vcf.donor.measuring import DonorMeasurement, measure_donors
from core.vcf.files import Progress as ByteCount
from core.vcf.files import VcfFile
from core.vcf.measuring import VcfScan
from core.vcf.outcomes import (
    STOPPED,
    TOO_LITTLE_MEMORY,
    PairOutcome,
    ScanOutcome,
    judge_outcome,
    run_scan,
    unread,
)
from core.vcf.pairing import VcfPair
from core.vcf.settings import VcfSettings
from core.words import Text, text

REPORTED_BYTES, REPORTED_SECONDS = 1 << 20, 0.5  # between two reports
BROKEN = (
    "{file}: the process that read this pair ended: a file is damaged, or takes more than {gibibytes} GiB of "
    "memory or {seconds} seconds, the bounds for files of this size. Sorted files take the least memory."
)
BROKEN_DONORS = (
    "{file}: the process that read the donors ended: a file is damaged, or takes more than {gibibytes} GiB "
    "of memory or {seconds} seconds, the bounds for files of this size. Sorted files take the least memory."
)
UNREADABLE = (
    "{file}: looking for the donors ended in an error that was not foreseen ({kind}); they were not assessed."
)


def scan_apart(pair: VcfPair, settings: VcfSettings, report: ByteCount) -> ScanOutcome:
    """Read one pair in another process; whatever ends that process is the problem of this pair."""
    started = time.perf_counter()
    files = (pair.original, pair.anonymized)
    try:
        with _lent(*files) as (original, anonymized):
            given = replace(pair, original=original, anonymized=anonymized)
            found = run_apart(
                read_pair, given, replace(settings, severities={}), bounds=_bounds(files), report=report
            )
        if found.scan is not None:
            check_scan(found.scan)
    except AuditInputError as error:  # there was no process to read it
        return unread(pair, *error.problems)
    except (EndedError, ValueError):
        return unread(pair, _broken(BROKEN, pair.anonymized, files))
    n_seconds = time.perf_counter() - started
    scan = found.scan and replace(found.scan, settings=settings, level=pair.level)
    return ScanOutcome(pair=pair, scan=scan, problems=found.problems, n_seconds=n_seconds)


def measure_apart(
    file: VcfFile, *, original: Candidates | None, panel: VcfFile | None, report: ByteCount
) -> DonorMeasurement:
    """Look for the donors in another process; see :func:`measure_donors`.

    Raises
    ------
    AuditInputError
        When a file cannot be read, or ends that process.
    """
    files = (file, *([panel] if panel else []))
    try:
        with _lent(*files) as (lent, *others):
            return run_apart(read_donors, lent, original, *others, bounds=_bounds(files), report=report)
    except EndedError:
        raise AuditInputError(_broken(BROKEN_DONORS, file, files)) from None


@contextmanager
def _lent(*files: VcfFile) -> Iterator[list[VcfFile]]:
    """Give the files as another process finds them: their bytes in shared memory, their paths as they are."""
    held: list[Shared] = []
    lent = []
    for file in files:
        if file.path is not None:
            lent.append(replace(file, path=file.path.absolute()))
        elif HAS_SHARED_MEMORY:
            held.append(Shared(pa.py_buffer(file.content)))
            lent.append(VcfFile(name=file.name, path=Path(held[-1].path)))
        else:
            lent.append(file)
    yield lent


def _bounds(files: Sequence[VcfFile]) -> Bounds:
    return ALLOWED["genomes"].of(sum(file.n_bytes for file in files))


def _broken(message: str, file: VcfFile, files: Sequence[VcfFile]) -> Text:
    bounds = _bounds(files)
    memory = gibibytes(bounds.memory)
    return text(message, file=file.name, gibibytes=memory, seconds=bounds.seconds)


def check_scan(scan: VcfScan) -> None:
    """Refuse arrays that do not belong together, and numbers of names that there are not."""
    found = scan.candidates
    lengths = {len(one) for one in (found.positions, found.contigs, found.mafs, found.marks)}
    lengths |= {len(found.keys), len(found.motifs)}
    numbered: list[tuple[Any, int]] = [
        (found.contigs, len(found.contig_names)),
        (found.keys, len(found.key_sets)),
        (found.marks, len(found.mark_sets)),
        (found.motifs, len(found.motif_names)),
        (found.moved, len(found.positions)),
        (found.long, len(found.positions)),
    ]
    is_whole = len(found.moved) == len(found.moved_up_to) and len(found.long) == len(found.long_ends)
    for tally in (value for value in vars(scan).values() if isinstance(value, Tally)):
        is_whole &= tally.n == len(tally.contigs) == len(tally.positions) == len(tally.mafs)
        numbered.append((np.array(tally.contigs, dtype=np.int64), len(tally.contig_ids)))
    in_range = (not len(which) or 0 <= which.min() <= which.max() < n for which, n in numbered)
    if len(lengths) > 1 or not is_whole or not all(in_range):
        raise ValueError("The result does not hold together.")


# The other side.


class Read(NamedTuple):
    """What was found in a pair, or why it could not be read."""

    scan: VcfScan | None
    problems: tuple[str, ...]


def read_pair(pair: VcfPair, settings: VcfSettings, *, report: ByteCount) -> Read:
    """Read a pair for the process that asked."""
    outcome = run_scan(pair, settings, _Reporter(report))
    return Read(outcome.scan, outcome.problems)


def read_donors(
    file: VcfFile, original: Candidates | None, panel: VcfFile | None = None, *, report: ByteCount
) -> DonorMeasurement:
    """Look for the donors for the process that asked."""
    try:
        return measure_donors(file, original=original, panel=panel, progress=_Reporter(report))
    except MemoryError:
        raise AuditInputError(text(TOO_LITTLE_MEMORY, file=file.name)) from None
    except UNEXPECTED as error:
        raise AuditInputError(text(UNREADABLE, file=file.name, kind=type(error).__name__)) from None


@dataclass(eq=False)
class _Reporter:
    """Passes the number of bytes read on: a megabyte at a time, or after half a second."""

    report: ByteCount
    n_unsent: int = 0
    sent_at: float = field(default_factory=time.monotonic)

    def __call__(self, n_bytes: int) -> None:
        self.n_unsent += n_bytes
        if self.n_unsent >= REPORTED_BYTES or time.monotonic() - self.sent_at >= REPORTED_SECONDS:
            self.report(self.n_unsent)
            self.n_unsent, self.sent_at = 0, time.monotonic()


WORTH_SEVERAL = 10_000_000  # bytes; below, starting processes takes longer than reading one after the other


def scan_pairs(
    pairs: Sequence[VcfPair], settings: VcfSettings, progress: Progress, *, n_jobs: int | None = None
) -> tuple[ScanOutcome, ...]:
    """Read pairs with progress by bytes, large ones several at once.

    When asked to stop, the pairs that were read are kept; the others are outcomes that say so.

    Parameters
    ----------
    pairs, settings
        What to read, and the repeat parameters.
    progress
        Told how many stored bytes have been read; asked again and again whether to stop.
    n_jobs
        How many pairs at once at most; one per core by default.
    """
    return tuple(_Pool(pairs, settings, progress).results(n_jobs or default_jobs()))


def run_pairs(pairs: Sequence[VcfPair], settings: VcfSettings, *, n_jobs: int = 1) -> Iterator[PairOutcome]:
    """Verify pairs in the order given, large ones several at once."""
    for outcome in _Pool(pairs, settings, Progress()).results(n_jobs):
        yield judge_outcome(outcome, settings)


def look_for_donors(
    outcome: PairOutcome, settings: VcfSettings, *, panel: VcfFile | None = None
) -> PairOutcome:
    """Return a pair with what its anonymized file, and the panel, tell of the donors."""
    if outcome.audit is None:
        return outcome
    measured, problems = _donors(outcome.pair, outcome.audit.scan, panel)
    return _with_donors(outcome, measured, problems, settings)


def _donors(
    pair: VcfPair, scan: VcfScan, panel: VcfFile | None
) -> tuple[DonorMeasurement | None, tuple[str, ...]]:
    try:
        return measure_apart(
            pair.anonymized, original=scan.candidates, panel=panel, report=lambda _n_bytes: None
        ), ()
    except AuditInputError as error:
        return None, error.problems


def _with_donors(
    outcome: PairOutcome,
    measured: DonorMeasurement | None,
    problems: tuple[str, ...],
    settings: VcfSettings,
) -> PairOutcome:
    donors = None if measured is None else judge_donors(measured, settings)
    return replace(outcome, donors=donors, donor_problems=problems)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredPair:
    """What was read of a pair, before anything is judged, as it is sent by a worker or kept."""

    scan: VcfScan
    donors: DonorMeasurement | None  # where they were looked for
    problems: tuple[str, ...]  # that ended the look for them
    n_seconds: float

    @classmethod
    def of(cls, outcome: PairOutcome) -> "MeasuredPair":
        """Return what a pair's outcome rests on.

        Raises
        ------
        AuditInputError
            With the problems that ended the pair.
        """
        if outcome.audit is None:
            raise AuditInputError(*outcome.problems)
        donors = None if outcome.donors is None else outcome.donors.measurement
        return cls(
            scan=outcome.audit.scan,
            donors=donors,
            problems=outcome.donor_problems,
            n_seconds=outcome.n_seconds,
        )

    def judged(self, pair: VcfPair, settings: VcfSettings) -> PairOutcome:
        """Return the pair's outcome.

        Raises
        ------
        ValueError
            When what was sent or kept does not hold together.
        """
        check_scan(self.scan)
        scan = replace(self.scan, settings=settings, level=pair.level)
        read = ScanOutcome(pair=pair, scan=scan, problems=(), n_seconds=self.n_seconds)
        return _with_donors(judge_outcome(read, settings), self.donors, self.problems, settings)


def measure_pair(
    pair: VcfPair, settings: VcfSettings, *, looks_for_donors: bool, panel: VcfFile | None
) -> MeasuredPair:
    """Read a pair in a process of its own, and look for its donors where that is asked for.

    Raises
    ------
    AuditInputError
        With the problems that ended the pair.
    """
    read = scan_apart(pair, settings, lambda _n_bytes: None)
    if read.scan is None:
        raise AuditInputError(*read.problems)
    donors, problems = _donors(pair, read.scan, panel) if looks_for_donors else (None, ())
    return MeasuredPair(scan=read.scan, donors=donors, problems=problems, n_seconds=read.n_seconds)


def default_jobs() -> int:
    """Return how many pairs to verify at once: the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _StoppedError(Exception):
    """Reading is to stop."""


class _Pool:
    """Threads that each have a process read one pair after the other."""

    def __init__(self, pairs: Sequence[VcfPair], settings: VcfSettings, progress: Progress) -> None:
        self.pairs = pairs
        self.settings = settings
        self.progress = progress
        self.progress.unit = "bytes"
        self.sizes = [pair.original.n_bytes + pair.anonymized.n_bytes for pair in pairs]
        self.n_read = [0] * len(pairs)
        self.n_done = 0
        self.reading: list[int] = []
        self.is_over = False
        self.changed = threading.Lock()

    def results(self, n_jobs: int) -> Iterator[ScanOutcome]:
        """Yield the outcomes in the order of the pairs; when asked to stop, the rest as not read."""
        n_threads = min(n_jobs, len(self.pairs)) if sum(self.sizes) >= WORTH_SEVERAL else 1
        threads = ThreadPoolExecutor(max(1, n_threads), thread_name_prefix="anonaudit-pair")
        try:
            waiting = [threads.submit(self._read, number) for number in range(len(self.pairs))]
            for outcome in waiting:
                yield outcome.result()
        finally:
            self.is_over = True
            threads.shutdown(cancel_futures=True)

    def _read(self, number: int) -> ScanOutcome:
        def count(n_bytes: int) -> None:
            with self.changed:
                self.n_read[number] = min(self.n_read[number] + n_bytes, self.sizes[number])
                self._report()
            self.is_over |= self.progress.stop_asked
            if self.is_over:
                raise _StoppedError

        pair = self.pairs[number]
        with self.changed:
            self.reading.append(number)
        try:
            count(0)
            outcome = scan_apart(pair, self.settings, count)
        except _StoppedError:
            return unread(pair, text(STOPPED, file=pair.anonymized.name), was_stopped=True)
        finally:
            with self.changed:
                self.reading.remove(number)
        with self.changed:
            self.n_read[number] = self.sizes[number]
            self.n_done += 1
            self._report()
        return outcome

    def _report(self) -> None:
        names = ", ".join(self.pairs[number].anonymized.name for number in sorted(self.reading))
        doing = text("Reading {files}", files=names) if names else text("Reading")
        if (total := len(self.pairs)) > 1:
            doing = text("{doing} ({done} of {total} pairs done)", doing=doing, done=self.n_done, total=total)
        self.progress.report(sum(self.n_read), sum(self.sizes), doing)
