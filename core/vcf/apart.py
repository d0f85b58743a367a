"""Files are read in a process of its own, with limits on memory and time; see :mod:`core.apart`.

What a file does to that process ends one pair, and what it found comes back as numbers and text by the
types of :class:`core.vcf.measuring.VcfScan`. Uploaded bytes go there through memory that both processes see.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from core.apart import HAS_SHARED_MEMORY, POOL, Answer, Bounds, EndedError, Shared, gibibytes, memory_bound
from core.errors import AuditInputError
from core.packing import packed, unpacked
from core.unforeseen import UNEXPECTED
from core.vcf.candidates import Candidates, Tally
from core.vcf.donor.measuring import DonorMeasurement, measure_donors
from core.vcf.files import Progress, VcfFile
from core.vcf.measuring import VcfScan
from core.vcf.outcomes import TOO_LITTLE_MEMORY, ScanOutcome, run_scan, unread
from core.vcf.pairing import VcfPair
from core.vcf.settings import VcfSettings
from core.words import Text, plain_text, text, text_of

SECONDS, SECONDS_FOR_A_MEGABYTE = 60, 60  # a megabyte may unpack to a thousand, at 20 MB a second
WORTH_KEEPING = 10_000_000  # bytes: a process that read more is not kept for other files
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
    repeats = {**asdict(settings), "severities": {}}
    try:
        document, table = _ask(
            "scan_for_other", files, report, {"level": pair.level, "settings": repeats}, pa.py_buffer(b"")
        )
        scan = None
        if table is not None:
            scan = unpacked(VcfScan, table)
            check_scan(scan)
            scan = replace(scan, settings=settings, level=pair.level)
        problems = tuple(map(text_of, document["problems"]))
        if scan is None and not problems:
            raise EndedError
    except AuditInputError as error:  # there was no process to read it
        return unread(pair, *error.problems)
    except (EndedError, LookupError, TypeError, ValueError):
        return unread(pair, _broken(BROKEN, pair.anonymized, files))
    n_seconds = time.perf_counter() - started
    return ScanOutcome(pair=pair, scan=scan, problems=problems, n_seconds=n_seconds)


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
    sites = pa.BufferOutputStream()
    if original is not None:
        table = packed(original)
        with pa.ipc.new_stream(sites, table.schema) as stream:
            stream.write_table(table)
    try:
        _, table = _ask("measure_for_other", files, report, {}, sites.getvalue())
        if table is None:
            raise EndedError
        return unpacked(DonorMeasurement, table)
    except (EndedError, LookupError, TypeError, ValueError):
        raise AuditInputError(_broken(BROKEN_DONORS, file, files)) from None


def _ask(
    task: str, files: Sequence[VcfFile], report: Progress, arguments: dict[str, object], data: pa.Buffer
) -> Answer:
    """Have a process do something with files; one that read little is kept for the next."""
    n_bytes = sum(file.n_bytes for file in files)
    worker = POOL.take()
    try:
        with ExitStack() as held:
            sent, contents = _sent(files, held)
            answer = worker.ask(
                f"{__name__}:{task}",
                pa.py_buffer(b"".join([data, *contents])) if contents else data,
                {**arguments, "files": sent, "n_own": data.size},
                bounds=_bounds(n_bytes + data.size),
                report=report,
            )
    except AuditInputError:
        POOL.give_back(worker)
        raise
    except BaseException:
        worker.end()
        raise
    if n_bytes > WORTH_KEEPING:
        worker.end()
    else:
        POOL.give_back(worker)
    return answer


def _sent(files: Sequence[VcfFile], held: ExitStack) -> tuple[list[dict[str, object]], list[bytes]]:
    """Return where the other process finds each file, and what has to go through the pipe instead."""
    sent: list[dict[str, object]] = []
    contents: list[bytes] = []
    for file in files:
        if file.content is None:
            sent.append({"name": file.name, "path": str(file.path and file.path.absolute())})
        elif HAS_SHARED_MEMORY:
            shared = held.enter_context(Shared(pa.py_buffer(file.content)))
            sent.append({"name": file.name, "path": shared.path})
        else:
            sent.append({"name": file.name, "n_bytes": len(file.content)})
            contents.append(file.content)
    return sent, contents


def _bounds(n_bytes: int) -> Bounds:
    return Bounds(memory_bound(n_bytes), SECONDS + SECONDS_FOR_A_MEGABYTE * (n_bytes >> 20))


def _broken(message: str, file: VcfFile, files: Sequence[VcfFile]) -> Text:
    bounds = _bounds(sum(each.n_bytes for each in files))
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


def scan_for_other(
    data: pa.Buffer, report: Progress, *, files: list[dict[str, Any]], n_own: int, **fields: Any
) -> Answer:
    """Read a pair for the process that asked."""
    original, anonymized = _given(files, data, n_own)
    pair = VcfPair(original=original, anonymized=anonymized, level=fields["level"])
    outcome = run_scan(pair, VcfSettings(**fields["settings"]), _Reporter(report))
    table = packed(outcome.scan) if outcome.scan is not None else None
    return {"problems": list(map(plain_text, outcome.problems))}, table


def measure_for_other(
    data: pa.Buffer, report: Progress, *, files: list[dict[str, Any]], n_own: int
) -> Answer:
    """Look for the donors for the process that asked."""
    file, *panel = _given(files, data, n_own)
    original = None
    if n_own:
        with pa.ipc.open_stream(data[:n_own]) as stream:
            original = unpacked(Candidates, stream.read_all())
    try:
        measured = measure_donors(
            file, original=original, panel=panel[0] if panel else None, progress=_Reporter(report)
        )
    except MemoryError:
        raise AuditInputError(text(TOO_LITTLE_MEMORY, file=file.name)) from None
    except UNEXPECTED as error:
        raise AuditInputError(text(UNREADABLE, file=file.name, kind=type(error).__name__)) from None
    return {}, packed(measured)


def _given(files: list[dict[str, Any]], data: pa.Buffer, at: int) -> Iterator[VcfFile]:
    for file in files:
        if "path" in file:
            yield VcfFile(name=file["name"], path=Path(file["path"]))
        else:
            yield VcfFile(name=file["name"], content=data[at : at + file["n_bytes"]].to_pybytes())
            at += file["n_bytes"]


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
