"""Files are read in a process of its own, with limits on memory and time; see :mod:`core.bounded`.

What a file does to that process ends one pair, and what it found comes back as numbers and text by the
types of :class:`core.vcf.measuring.VcfScan`. Uploaded bytes go there through memory that both processes see.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.bounded import EndedError, run_apart
from core.errors import AuditInputError
from core.holding import HAS_SHARED_MEMORY, Shared
from core.process_bounds import ALLOWED, Bounds, gibibytes
from core.unforeseen import UNEXPECTED
from core.vcf.candidates import Candidates, Tally
from core.vcf.donor.measuring import DonorMeasurement, measure_donors
from core.vcf.files import Progress, VcfFile
from core.vcf.measuring import VcfScan
from core.vcf.outcomes import TOO_LITTLE_MEMORY, ScanOutcome, run_scan, unread
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


def scan_apart(pair: VcfPair, settings: VcfSettings, report: Progress) -> ScanOutcome:
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
    file: VcfFile, *, original: Candidates | None, panel: VcfFile | None, report: Progress
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
            return run_apart(look_for_donors, lent, original, *others, bounds=_bounds(files), report=report)
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


def read_pair(pair: VcfPair, settings: VcfSettings, *, report: Progress) -> Read:
    """Read a pair for the process that asked."""
    outcome = run_scan(pair, settings, _Reporter(report))
    return Read(outcome.scan, outcome.problems)


def look_for_donors(
    file: VcfFile, original: Candidates | None, panel: VcfFile | None = None, *, report: Progress
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

    report: Progress
    n_unsent: int = 0
    sent_at: float = field(default_factory=time.monotonic)

    def __call__(self, n_bytes: int) -> None:
        self.n_unsent += n_bytes
        if self.n_unsent >= REPORTED_BYTES or time.monotonic() - self.sent_at >= REPORTED_SECONDS:
            self.report(self.n_unsent)
            self.n_unsent, self.sent_at = 0, time.monotonic()
