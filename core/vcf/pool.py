"""Pairs read in processes of their own, several large ones at once; an error ends one pair, never the run."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from core.errors import AuditInputError
from core.jobs import Progress
from core.vcf.apart import check_scan, measure_apart, scan_apart
from core.vcf.donor import judge_donors
from core.vcf.donor.measuring import DonorMeasurement
from core.vcf.files import VcfFile
from core.vcf.measuring import VcfScan
from core.vcf.outcomes import STOPPED, PairOutcome, ScanOutcome, judge_outcome, unread
from core.vcf.pairing import VcfPair
from core.vcf.settings import VcfSettings
from core.words import text

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
