"""Verify pairs of files, each on its own: an error ends one pair, never the run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib

from core.errors import AuditInputError
from core.jobs import Progress
from core.vcf.files import Progress as ByteCount
from core.vcf.files import VcfFile
from core.vcf.judgment import VcfAudit, judge_scan
from core.vcf.pairing import Pairing, VcfPair, is_vcf_name, pair_files, split_uploads
from core.vcf.scan import VcfScan, scan_pair
from core.vcf.settings import VcfSettings

WORTH_A_PROCESS = 10_000_000  # bytes; below, starting processes takes longer than reading


@dataclass(frozen=True, kw_only=True, eq=False)
class ScanOutcome:
    """What reading one pair came to: its scan, or the problems that ended it."""

    pair: VcfPair
    scan: VcfScan | None
    problems: tuple[str, ...]
    n_seconds: float


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOutcome:
    """What verifying one pair came to: its audit, or the problems that ended it."""

    pair: VcfPair
    audit: VcfAudit | None
    problems: tuple[str, ...]
    n_seconds: float


def run_scan(pair: VcfPair, settings: VcfSettings, progress: ByteCount | None = None) -> ScanOutcome:
    """Read one pair; problems of its files become part of the outcome."""
    started = time.perf_counter()
    scan: VcfScan | None = None
    problems: tuple[str, ...] = ()
    try:
        scan = scan_pair(pair, settings, progress=progress)
    except AuditInputError as error:
        problems = error.problems
    return ScanOutcome(pair=pair, scan=scan, problems=problems, n_seconds=time.perf_counter() - started)


def scan_pairs(
    pairs: Sequence[VcfPair], settings: VcfSettings, progress: Progress
) -> tuple[ScanOutcome, ...]:
    """Read pairs one after the other with progress by bytes; when asked to stop, return what is done.

    Parameters
    ----------
    pairs, settings
        What to read, and the repeat parameters.
    progress
        Told how many stored bytes have been read; asked before every piece whether to stop.
    """
    n_total = _n_bytes(pairs)
    outcomes: list[ScanOutcome] = []
    n_done = 0
    for pair in pairs:
        text = f"Reading {pair.anonymized.name}"
        progress.report(n_done, n_total, text)
        try:
            outcomes.append(run_scan(pair, settings, _Counter(progress, n_done, n_total, text)))
        except _StoppedError:
            break
        n_done += pair.original.n_bytes + pair.anonymized.n_bytes
    return tuple(outcomes)


def _n_bytes(pairs: Sequence[VcfPair]) -> int:
    return sum(pair.original.n_bytes + pair.anonymized.n_bytes for pair in pairs)


class _StoppedError(Exception):
    """The person asked to stop."""


@dataclass
class _Counter:
    """Adds up the bytes of one pair, on top of those of the pairs before it."""

    progress: Progress
    n_done: int
    n_total: int
    text: str

    def __call__(self, n_bytes: int) -> None:
        if self.progress.stop_asked:
            raise _StoppedError
        self.n_done += n_bytes
        self.progress.report(self.n_done, self.n_total, self.text)


def judge_outcome(outcome: ScanOutcome, settings: VcfSettings) -> PairOutcome:
    """Judge one outcome at the threshold of `settings`."""
    return PairOutcome(
        pair=outcome.pair,
        audit=judge_scan(outcome.scan, settings) if outcome.scan is not None else None,
        problems=outcome.problems,
        n_seconds=outcome.n_seconds,
    )


def run_pairs(pairs: Sequence[VcfPair], settings: VcfSettings, *, n_jobs: int = 1) -> Iterator[PairOutcome]:
    """Verify pairs in the order given; large ones several at once, in processes of their own."""
    n_jobs = min(n_jobs, len(pairs))
    if n_jobs <= 1 or _n_bytes(pairs) < WORTH_A_PROCESS:
        scans: Iterator[ScanOutcome] = (run_scan(pair, settings) for pair in pairs)
    else:
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
        scans = parallel(joblib.delayed(run_scan)(pair, settings) for pair in pairs)
    for outcome in scans:
        yield judge_outcome(outcome, settings)


def default_jobs() -> int:
    """Return how many pairs to verify at once: the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pair_folders(originals: Path, anonymized: Path) -> Pairing:
    """Pair the VCF and BCF files of two folders, which may be the same folder.

    Raises
    ------
    AuditInputError
        When a folder cannot be read.
    """
    first, second = _files_in(originals), _files_in(anonymized)
    if originals.resolve() == anonymized.resolve():
        first, second = split_uploads(first)
    return pair_files(first, second)


def _files_in(folder: Path) -> list[VcfFile]:
    try:
        found = sorted(path for path in folder.iterdir() if is_vcf_name(path.name) and path.is_file())
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise AuditInputError(f"The folder {folder} cannot be read ({reason}).") from None
    return [VcfFile(name=path.name, path=path) for path in found]
