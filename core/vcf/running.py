"""Verify pairs of files, each on its own: an error ends one pair, never the run."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import AuditInputError
from core.jobs import Progress
from core.vcf.files import VcfFile
from core.vcf.outcomes import STOPPED, PairOutcome, ScanOutcome, judge_outcome, run_scan, unread
from core.vcf.pairing import Pairing, VcfPair, is_vcf_name, pair_files, split_uploads
from core.vcf.pool import Pool
from core.vcf.settings import VcfSettings

WORTH_A_PROCESS = 10_000_000  # bytes; below, starting processes takes longer than reading


def scan_pairs(
    pairs: Sequence[VcfPair], settings: VcfSettings, progress: Progress, *, n_jobs: int | None = None
) -> tuple[ScanOutcome, ...]:
    """Read pairs with progress by bytes, large ones several at once in processes of their own.

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
    if _n_bytes(pairs) < WORTH_A_PROCESS:
        return tuple(_scan_here(pairs, settings, progress))
    n_jobs = min(n_jobs or default_jobs(), len(pairs))
    return tuple(Pool(pairs, settings, n_jobs=n_jobs, progress=progress).results())


def run_pairs(pairs: Sequence[VcfPair], settings: VcfSettings, *, n_jobs: int = 1) -> Iterator[PairOutcome]:
    """Verify pairs in the order given; large ones several at once, in processes of their own."""
    n_jobs = min(n_jobs, len(pairs))
    if n_jobs <= 1 or _n_bytes(pairs) < WORTH_A_PROCESS:
        scans: Iterator[ScanOutcome] = (run_scan(pair, settings) for pair in pairs)
    else:
        scans = Pool(pairs, settings, n_jobs=n_jobs, progress=None).results()
    for outcome in scans:
        yield judge_outcome(outcome, settings)


def default_jobs() -> int:
    """Return how many pairs to verify at once: the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _n_bytes(pairs: Sequence[VcfPair]) -> int:
    return sum(pair.original.n_bytes + pair.anonymized.n_bytes for pair in pairs)


class _StoppedError(Exception):
    """The person asked to stop."""


def _scan_here(pairs: Sequence[VcfPair], settings: VcfSettings, progress: Progress) -> Iterator[ScanOutcome]:
    """Read small pairs one after the other in this process."""
    counter = _Counter(progress, _n_bytes(pairs))
    waiting = iter(pairs)
    for pair in waiting:
        counter.begin(f"Reading {pair.anonymized.name}")
        try:
            yield run_scan(pair, settings, counter)
        except _StoppedError:
            yield from (unread(left, STOPPED) for left in (pair, *waiting))


@dataclass
class _Counter:
    """Adds up the bytes of all pairs; several threads may call it."""

    progress: Progress
    n_total: int
    n_done: int = 0
    text: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, text: str) -> None:
        self.text = text
        self.progress.unit = "bytes"
        self.progress.report(self.n_done, self.n_total, text)

    def __call__(self, n_bytes: int) -> None:
        if self.progress.stop_asked:
            raise _StoppedError
        with self.lock:
            self.n_done += n_bytes
        self.progress.report(self.n_done, self.n_total, self.text)


def pair_folders(originals: Path, anonymized: Path) -> Pairing:
    """Pair the VCF and BCF files of two folders, which may be the same folder.

    Raises
    ------
    AuditInputError
        When a folder cannot be read.
    """
    return pair_files(*files_of_folders(originals, anonymized))


def files_of_folders(originals: Path, anonymized: Path) -> tuple[list[VcfFile], list[VcfFile]]:
    """Return the VCF and BCF files of both folders; of one folder for both, told apart by their names.

    Raises
    ------
    AuditInputError
        When a folder cannot be read.
    """
    first, second = _files_in(originals), _files_in(anonymized)
    return split_uploads(first) if originals.resolve() == anonymized.resolve() else (first, second)


def _files_in(folder: Path) -> list[VcfFile]:
    try:
        found = sorted(path for path in folder.iterdir() if is_vcf_name(path.name) and path.is_file())
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise AuditInputError(f"The folder {folder} cannot be read ({reason}).") from None
    return [VcfFile(name=path.name, path=path) for path in found]
