"""Read a pair of files once and note everything that a judgment at any MAF threshold needs.

Lines that stand at the same sites and are equal are not split beyond what their frequency and ALT need:
such a record is not masked, whatever it holds. All others are split, paired with their own record and
judged by the checks, each of which is written once.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

import numpy as np

from core.files.plain_text import shell_word
from core.vcf.binary import is_binary, read_binary
from core.vcf.candidates import Candidates
from core.vcf.files import Content, VcfFile, unchanged_files
from core.vcf.header import VcfHeader, metadata_of, read_header
from core.vcf.header_leaks import HeaderFinding, header_findings, some_contigs_removed
from core.vcf.left import shown
from core.vcf.lines import Lines, Places
from core.vcf.memoized import forgetting
from core.vcf.neighbours import Neighbours, Pointers
from core.vcf.other_frequencies import RarerElsewhere
from core.vcf.pairing import Level, VcfPair
from core.vcf.rows import Alignment, SortedLines, UnsortedError
from core.vcf.sample_names import decoded, is_role
from core.vcf.scan import Scanner
from core.vcf.settings import VcfSettings
from core.vcf.sites import Tallies
from core.vcf.unread import unread_bytes
from core.vcf.words_in_records import WordFinding
from core.words import input_error, text

REUSED = 1 << 23  # bytes: more than any text read at once; the C library agrees to fewer than 2²⁵
UNSORTED = (
    "{file}: this file or its original is not sorted by contig and position, and they do not fit into the "
    "memory that a process may take. Sort both, and verify what is in the new folder: mkdir -p sorted; "
    "{first}; {second}"
)
_CONTIGS = (("##contig", np.inf),)
Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class VcfScan(Tallies):
    """Everything one reading of a pair found; no threshold has been applied yet."""

    original_name: str
    anonymized_name: str
    level: Level
    settings: VcfSettings  # the settings the scan was made with; its repeat parameters are part of the result
    metadata_targets: int  # header lines that had to be masked, and those that are
    metadata_masked: int
    header_findings: tuple[HeaderFinding, ...]  # what the anonymized header and sample names tell
    candidates: Candidates
    n_original: int  # records of each file
    n_anonymized: int
    # original records with an ALT allele, and those among them whose frequency is not computable
    n_with_alt: int
    n_without_frequency: int
    # original records whose frequency was looked at, and those of them where it is the file's own: of so many
    # alleles, in so many records
    n_frequencies_seen: int
    own_frequencies: tuple[tuple[int, int], ...]
    reordered: int
    is_original: bool  # whether the anonymized file is the original, header and all
    neighbours: Neighbours  # what records of the anonymized file tell about other sites
    repeat_alts: frozenset[bytes]  # what stands in ALT of masked repeats, each once; no more than two
    new: tuple[str, ...]  # columns and fields that are new in records, the most frequent first
    # columns and fields that are blank in several ways, each at thresholds up to a frequency
    several_ways: tuple[tuple[str, float], ...]
    rarer_elsewhere: RarerElsewhere  # second ones of the anonymized file's records
    original_key: str = ""  # what tells the original from others, the same in other scans of it
    words: tuple[WordFinding, ...] = ()  # what fields of the anonymized records say of people
    contigs_of_some: tuple[str, ...] = ()  # that some samples have and others have not
    unread: tuple[str, ...] = ()  # where the anonymized file holds bytes that no reader shows


@forgetting()
def scan_pair(pair: VcfPair, settings: VcfSettings, *, progress: Progress | None = None) -> VcfScan:
    """Read both files of a pair once.

    Sorted files are read in one pass with constant memory. Files that are not sorted by contig and
    position are read again, held in memory and sorted; those that do not fit are refused.
    """
    np.empty(REUSED, dtype=np.uint8)  # glibc uses freed memory again, up to the largest piece that was freed
    with unchanged_files(pair.original, pair.anonymized):
        try:
            scan = _scan(pair, settings, progress, sort=False)
        except UnsortedError:
            # the same bytes are not counted twice, but reading them can be stopped too
            scan = _sorted_scan(pair, settings, progress and (lambda _n_bytes: progress(0)))
    return replace(scan, unread=(*scan.unread, *unread_bytes(pair.anonymized)))


def _sorted_scan(pair: VcfPair, settings: VcfSettings, progress: Progress | None) -> VcfScan:
    try:
        return _scan(pair, settings, progress, sort=True)
    except MemoryError:
        first, second = (_command_to_sort(file.name) for file in (pair.original, pair.anonymized))
        raise input_error(UNSORTED, file=pair.anonymized.name, first=first, second=second) from None


def _command_to_sort(name: str) -> str:
    """Return what sorts a file on disk, whatever its size, and keeps its name and kind."""
    kind = "b" if name.lower().endswith(".bcf") else "v" if name.lower().endswith(".vcf") else "z"
    return f"bcftools sort -O {kind} -o {shell_word(f'sorted/{name}')} {shell_word(f'./{name}')}"


def _scan(pair: VcfPair, settings: VcfSettings, progress: Progress | None, *, sort: bool) -> VcfScan:
    with (
        open_lines(pair.original, progress) as (first_header, original),
        open_lines(pair.anonymized, progress) as (second_header, anonymized),
    ):
        ranks: dict[bytes, int] = {}
        for contig in (*first_header.contigs, *second_header.contigs):
            ranks.setdefault(contig, len(ranks))
        if sort:
            ranks = {}
        first, second = (SortedLines(one, ranks) if sort else one for one in (original, anonymized))
        alignment = Alignment(first, second, ranks)
        names = (pair.original.name, pair.anonymized.name)
        scanner = Scanner(settings, (first_header, second_header), names, keeps_order=sort)
        for batch in alignment:
            scanner.take(batch)
        mixed = 0 < anonymized.n_returns < anonymized.n_ends
        scan = _result(scanner, pair, alignment.contigs_kept)
        return replace(scan, unread=(text("line ends of two kinds"),) if mixed else ())


@contextmanager
def open_lines(file: VcfFile, progress: Progress | None) -> Iterator[tuple[VcfHeader, Lines]]:
    """Read a file's header, and give it with the lines that follow; the file is closed after."""
    with closing(Content(file, progress)) as content:
        text = content.read()
        if is_binary(text):
            yield read_binary(file.name, text, content.read)
            return
        header, beyond = read_header(file.name, text, content.read)
        yield header, Lines(file.name, header.n_columns, content, beyond)


def _result(scanner: Scanner, pair: VcfPair, contigs: frozenset[bytes]) -> VcfScan:
    """Put everything together once both files are at their end."""
    judge = scanner.judge
    metadata_targets, metadata_masked = metadata_of(*scanner.headers)
    scanner.same.finish()
    scanner.beside.finish()
    candidates, odd = scanner.collector.result(), Pointers()
    scanner.beside.odd.tell(odd)
    scanner.beside.shifted.tell(scanner.same.named)
    return VcfScan(
        original_name=pair.original.name,
        anonymized_name=pair.anonymized.name,
        level=pair.level,
        settings=scanner.settings,
        metadata_targets=metadata_targets,
        metadata_masked=metadata_masked,
        header_findings=header_findings(*scanner.headers, scanner.symbols.gone),
        candidates=candidates,
        original_key=_original_key(candidates, scanner.headers[0].samples),
        n_original=scanner.n_records[0],
        n_anonymized=scanner.n_records[1],
        n_with_alt=scanner.n_with_alt,
        n_without_frequency=scanner.n_without_frequency,
        n_frequencies_seen=scanner.own.n_looked_at,
        own_frequencies=tuple(sorted(scanner.own.alleles.items())),
        reordered=judge.n_exchanged if scanner.orders is None else _n_out_of_order(scanner.orders),
        is_original=not scanner.is_changed,
        neighbours=replace(
            scanner.neighbours,
            odd=odd,
            spelled=scanner.same.named,
            spelled_repeats=scanner.same.named_repeats,
            named=scanner.words.named_sites(),
        ),
        rarer_elsewhere=scanner.others.found,
        words=scanner.words.findings(),
        contigs_of_some=tuple(scanner.contigs.told()),
        repeat_alts=frozenset(judge.repeat_alts),
        new=tuple(shown(name) for name, _ in sorted(judge.new.items(), key=lambda one: (-one[1], one[0]))),
        several_ways=(*(_CONTIGS * some_contigs_removed(*scanner.headers, contigs)), *judge.ways.result()),
        **vars(scanner.tallies),
    )


def _original_key(candidates: Candidates, samples: Sequence[bytes]) -> str:
    """Return what tells an original from others: its rare and repeat sites, keyed by them its samples' names.

    It is empty where all samples have the name of a role, which those of other files have as well.
    """
    if samples and all(is_role(decoded(name)) for name in samples):
        return ""
    key = hashlib.sha256(b"".join((candidates.positions.tobytes(), candidates.mafs.tobytes()))).digest()
    return hashlib.blake2b(b"\n".join(sorted(samples)), key=key, digest_size=16).hexdigest()


def _n_out_of_order(orders: list[tuple[Places, Places]]) -> int:
    """Count the anonymized records that stand after a record they preceded in the original."""
    if not orders:
        return 0
    mine, theirs = (np.concatenate(every) for every in zip(*orders, strict=True))
    in_file = mine[np.argsort(theirs, kind="stable")]
    return int(np.sum(in_file < np.maximum.accumulate(in_file)))
