"""Read a pair of files once and note everything that a judgment at any MAF threshold needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from core.vcf.added import AddedAlleles, shows_more
from core.vcf.alignment import Matched, OnlyAnonymized, OnlyOriginal, Pairing, Repeated, align
from core.vcf.binary import is_binary, read_binary
from core.vcf.blanked import is_blanked, mark_blanked
from core.vcf.blocks import (
    Block,
    Offsets,
    UnsortedError,
    check_columns,
    check_info_keys,
    parse_position,
)
from core.vcf.candidates import CandidateCollector, Candidates, Tally
from core.vcf.cutting import BLOCK, read_blocks
from core.vcf.files import Content, VcfFile
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import MAX_HEADER, VcfHeader, parse_header, split_header
from core.vcf.header_leaks import HeaderFinding, header_findings
from core.vcf.originals import OriginalBlock, prepare
from core.vcf.pairing import Level, VcfPair
from core.vcf.phasing import PhasingIdentifiers
from core.vcf.read_ahead import read_ahead
from core.vcf.records import Record, genotypes_changed
from core.vcf.repeats import RepeatPattern
from core.vcf.settings import VcfSettings
from core.vcf.sites import ALWAYS_MASKED, KeptRecord, Mark, SiteRules, keep, mark_site
from core.vcf.sorting import sorted_blocks
from core.vcf.unread import unread_bytes
from core.vcf.values import ValueChecker

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class VcfScan:
    """Everything one reading of a pair found; no threshold has been applied yet.

    Attributes
    ----------
    settings
        The settings the scan was made with; its repeat parameters are part of the result.
    n_original, n_anonymized
        Records of each file.
    n_with_alt, n_without_frequency
        Original records with an ALT allele, and those among them whose frequency is not computable.
    hindered
        Records whose frequency a declaration in the header makes not computable.
    removed, added, reordered, reference_changed, genotypes_changed
        Records of the anonymized file compared with the original.
    alleles_shown
        Sites at which it shows an allele or a repeat and the original does not.
    added_alleles
        Where its added records name an allele.
    unread
        Where it holds bytes that no reader shows.
    """

    original_name: str
    anonymized_name: str
    level: Level
    settings: VcfSettings
    original_header: VcfHeader
    anonymized_header: VcfHeader
    candidates: Candidates
    n_original: int
    n_anonymized: int
    n_with_alt: int
    n_without_frequency: int
    hindered: Tally
    removed: Tally
    added: Tally
    added_repeats: Tally
    reordered: int
    reference_changed: Tally
    genotypes_changed: Tally
    alleles_shown: Tally
    added_alleles: AddedAlleles
    unread: tuple[str, ...] = ()

    @cached_property
    def header_findings(self) -> tuple[HeaderFinding, ...]:
        """Return what the anonymized header and sample names tell."""
        return header_findings(self.original_header, self.anonymized_header)


def scan_pair(pair: VcfPair, settings: VcfSettings, *, progress: Progress | None = None) -> VcfScan:
    """Read both files of a pair once.

    Sorted files are read in one pass with constant memory. Files that are not sorted by contig and
    position are read again, held in memory and sorted.

    Parameters
    ----------
    pair
        The files and the level.
    settings
        Repeat parameters; the MAF threshold is applied later.
    progress
        Called with the number of stored bytes read since the last call.

    Raises
    ------
    AuditInputError
        When either file cannot be read as VCF.
    """
    _keep_freed_memory()
    try:
        scan = _scan(pair, settings, progress, sort=False)
    except UnsortedError:
        again = None if progress is None else partial(_count_nothing, progress)
        scan = _scan(pair, settings, again, sort=True)
    return replace(scan, unread=unread_bytes(pair.anonymized))


def _keep_freed_memory() -> None:
    """Have the C library use freed memory again instead of giving it back and asking for it anew.

    glibc does so up to the size of the largest piece that was freed; others do as they do.
    """
    np.empty(4 * BLOCK, dtype=np.uint8)


def _count_nothing(progress: Progress, _n_bytes: int) -> None:
    """Let a second reading of the same bytes be stopped too."""
    progress(0)


def _scan(pair: VcfPair, settings: VcfSettings, progress: Progress | None, *, sort: bool) -> VcfScan:
    with (
        open_records(pair.original, progress) as (first_header, original),
        open_records(pair.anonymized, progress) as (second_header, anonymized),
    ):
        contigs = _contig_order(first_header, second_header)
        blocks: tuple[Iterator[Block], Iterator[Block]] = original, anonymized
        if sort:
            contigs = {}
            blocks = sorted_blocks(original, contigs), sorted_blocks(anonymized, contigs)
        scanner = _Scanner(settings, first_header, second_header)
        with read_ahead(*blocks) as (first, second):
            for pairing in align(scanner.originals(first), scanner.count_anonymized(second), contigs):
                scanner.take(pairing)
        return scanner.result(pair)


def _contig_order(first: VcfHeader, second: VcfHeader) -> dict[bytes, int]:
    order: dict[bytes, int] = {}
    for contig in (*first.contigs, *second.contigs):
        order.setdefault(contig, len(order))
    return order


@contextmanager
def open_records(file: VcfFile, progress: Progress | None) -> Iterator[tuple[VcfHeader, Iterator[Block]]]:
    """Read a file's header, and give it with the blocks of records that follow; the file is closed after.

    Raises
    ------
    AuditInputError
        When the file is not a VCF file that can be read; the blocks raise it as they are read.
    """
    with closing(Content(file, progress)) as content:
        text = content.read()
        if is_binary(text):
            yield read_binary(file, content)
            return
        while (end := split_header(text)) is None and len(text) < MAX_HEADER:
            piece = content.read()
            if not piece:
                end = len(text)
                break
            text += piece
        header = parse_header(file.name, text[:end])
        yield header, read_blocks(file.name, header, text[end:], content)


class _Scanner:
    """Collects the candidates and the tallies while blocks and pairings come in."""

    def __init__(self, settings: VcfSettings, first: VcfHeader, second: VcfHeader) -> None:
        self.settings = settings
        self.headers = (first, second)
        self.rules = SiteRules(
            pattern=RepeatPattern.of(settings),
            original_reader=FrequencyReader(first.declarations),
            anonymized_reader=FrequencyReader(second.declarations),
        )
        self.values = (ValueChecker(first), ValueChecker(second))
        self.same_declarations = first.declarations == second.declarations
        self.pending: OriginalBlock | None = None
        self.collector = CandidateCollector(self.rules.pattern)
        self.phasing = PhasingIdentifiers(second)
        self.counts = dict.fromkeys(("original", "anonymized", "with_alt", "without_frequency"), 0)
        self.tallies = {name: Tally() for name in _TALLIES}
        self.orders: list[tuple[Offsets, Offsets]] = []
        self.added_alleles = AddedAlleles()

    def originals(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Pass the original's blocks on, each judged as it comes and stored when the next one comes."""
        for block in blocks:
            self._store()
            self.pending = prepare(block, self.rules)
            self._count_block(self.pending)
            yield block
        self._store()

    def count_anonymized(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Pass the anonymized file's blocks on and count their lines."""
        for block in self.phasing.read(blocks):
            self.counts["anonymized"] += len(block.ends)
            yield block

    def take(self, pairing: Pairing) -> None:
        """Note what one pairing of records tells."""
        if isinstance(pairing, Matched):
            self._take_matched(pairing)
        elif isinstance(pairing, Repeated):
            self._take_repeated(pairing)
        elif isinstance(pairing, OnlyOriginal):
            self._take_removed(pairing)
        else:
            self._take_added(pairing)

    def _count_block(self, state: OriginalBlock) -> None:
        self.counts["original"] += len(state.block.ends)
        self.counts["with_alt"] += int(state.has_alt.sum())
        unknown = state.has_alt & (state.rarity.mafs == np.inf) & ((state.marks & Mark.REPEAT) == 0)
        self.counts["without_frequency"] += int(unknown.sum())
        for line in state.rarity.hindered:
            if not state.marks[line] & Mark.REPEAT:
                self.tallies["hindered"].add(state.block.contig(line), int(state.block.positions[line]))

    def _current(self, block: Block) -> OriginalBlock:
        if self.pending is None or self.pending.block is not block:
            raise TypeError("Pairings must follow the blocks of the original.")
        return self.pending

    def _take_matched(self, matched: Matched) -> None:
        state = self._current(matched.original_block)
        self._note_order(matched)
        if not len(matched.changed):
            return
        lines, places = self._others(state, matched)
        block, kept_block = state.block, matched.anonymized_block
        changed = zip(lines.tolist(), places.tolist(), kept_block.texts(places), strict=True)
        for line, place, kept_text in changed:
            original = self._original(block, line)
            record = self._record(kept_block, place, kept_text, original)
            if state.candidates[line]:
                self._mark(state, line, original, [self._kept(record, original, state.rarity.mafs[line])])
            if record.alt != original.alt and shows_more(original, record, self.rules.pattern):
                self.tallies["alleles_shown"].add(record.chrom, record.pos)
            if record.ref != original.ref or record.rest != original.rest:
                self._compare_integrity([original], [record])

    def _others(self, state: OriginalBlock, matched: Matched) -> tuple[Offsets, Offsets]:
        """Mark the sites of which one base of ALT was blanked; return the lines of the other changed ones."""
        lines, places = matched.original[matched.changed], matched.anonymized[matched.changed]
        if not self.same_declarations:
            return lines, places
        blanked = is_blanked(matched) & state.candidates[lines] & ((state.marks[lines] & Mark.REPEAT) == 0)
        quick = lines[blanked]
        state.marks[quick] = mark_blanked(state.block, quick, state.carriers, self.rules)
        state.masked_up_to[quick] = ALWAYS_MASKED
        return lines[~blanked], places[~blanked]

    def _record(self, block: Block, line: int, text: bytes, original: Record) -> Record:
        """Split a changed line; one whose end is the original's needs no further check."""
        rest = original.rest
        if text.endswith(rest) and text.count(b"\t", 0, len(text) - len(rest)) == 5:
            record = Record(text)
            if record.pos == original.pos:
                return record
        return self._checked(block, line)

    def _kept(self, record: Record, original: Record, maf: float) -> KeptRecord:
        """Recompute the frequency, unless it stands in the same words under the same declarations."""
        if self.same_declarations and record.rest == original.rest:
            return KeptRecord(record, float(maf))
        return keep(record, self.rules)

    def _mark(self, state: OriginalBlock, line: int, original: Record, kept: list[KeptRecord]) -> None:
        marks, masked_up_to = mark_site(original, float(state.rarity.mafs[line]), kept, self.rules)
        state.marks[line] = marks
        state.masked_up_to[line] = masked_up_to

    def _take_repeated(self, site: Repeated) -> None:
        state = self._current(site.original_block)
        kept = [self._checked(site.anonymized_block, line) for line in site.anonymized]
        self._compare(state, list(site.original), kept)
        extra = len(site.anonymized) - len(site.original)
        if extra:
            line = site.original[0]
            tally = self.tallies["added" if extra > 0 else "removed"]
            tally.add(state.block.contig(line), int(state.block.positions[line]), abs(extra))

    def _compare(self, state: OriginalBlock, lines: list[int], records: list[Record]) -> None:
        kept = [keep(record, self.rules) for record in records]
        originals = [self._original(state.block, line) for line in lines]
        for line, original in zip(lines, originals, strict=True):
            if state.candidates[line]:
                self._mark(state, line, original, kept)
        if any(all(shows_more(one, record, self.rules.pattern) for one in originals) for record in records):
            self.tallies["alleles_shown"].add(records[0].chrom, records[0].pos)
        self._compare_integrity(originals, records)

    def _compare_integrity(self, originals: list[Record], records: list[Record]) -> None:
        first = originals[0]
        if {record.ref for record in originals} != {record.ref for record in records}:
            self.tallies["reference_changed"].add(first.chrom, first.pos)
        if len(originals) == len(records) and any(
            left.samples != right.samples and genotypes_changed(left, right)
            for left, right in zip(originals, records, strict=True)
        ):
            self.tallies["genotypes_changed"].add(first.chrom, first.pos)

    def _checked(self, block: Block, line: int) -> Record:
        """Split a line of the anonymized file, refusing what htslib refuses."""
        text, number = block.line(line), block.first_line + line
        check_columns(block.name, number, text, block.n_columns)
        record = Record(text)
        parse_position(block.name, number, record.pos)
        check_info_keys(block.name, number, record.info)
        self.values[1].check(block.name, number, record)
        return record

    def _original(self, block: Block, line: int) -> Record:
        """Split a line of the original, refusing values that htslib refuses."""
        record = Record(block.line(line))
        self.values[0].check(block.name, block.first_line + line, record)
        return record

    def _take_removed(self, removed: OnlyOriginal) -> None:
        lines = removed.lines
        if not len(lines):
            return
        state = self._current(removed.block)
        state.marks[lines] = (state.marks[lines] & Mark.REPEAT) | Mark.MISSING
        state.masked_up_to[lines] = -np.inf
        self._tally_lines("removed", removed.block, lines)

    def _take_added(self, added: OnlyAnonymized) -> None:
        if not len(added.lines):
            return
        added.block.check_info_keys()
        self._tally_lines("added", added.block, added.lines)
        for line in added.lines.tolist():
            record = self._checked(added.block, line)
            self.added_alleles.add(record, self.rules.anonymized_reader.maf(record.info))
            if self.rules.pattern.found(record.alt.upper()):
                self.tallies["added_repeats"].add(record.chrom, record.pos)

    def _tally_lines(self, name: str, block: Block, lines: Offsets) -> None:
        tally = self.tallies[name]
        for line in lines.tolist():
            tally.add(block.contig(line), int(block.positions[line]))

    def _note_order(self, matched: Matched) -> None:
        mine, theirs = matched.original_block.order, matched.anonymized_block.order
        if mine is not None and theirs is not None:
            self.orders.append((mine[matched.original], theirs[matched.anonymized]))

    def _store(self) -> None:
        """Keep the candidates of the block that has been paired completely."""
        state, self.pending = self.pending, None
        if state is not None:
            lines = np.flatnonzero(state.candidates)
            self.collector.add(state.block, lines, state.rarity.mafs, state.marks, state.masked_up_to)

    def result(self, pair: VcfPair) -> VcfScan:
        """Put everything together once both files are at their end."""
        self._store()
        return VcfScan(
            original_name=pair.original.name,
            anonymized_name=pair.anonymized.name,
            level=pair.level,
            settings=self.settings,
            original_header=self.headers[0],
            anonymized_header=self.headers[1],
            candidates=self.phasing.mark(self.collector.result()),
            n_original=self.counts["original"],
            n_anonymized=self.counts["anonymized"],
            n_with_alt=self.counts["with_alt"],
            n_without_frequency=self.counts["without_frequency"],
            reordered=_n_out_of_order(self.orders),
            added_alleles=self.added_alleles,
            unread=(),
            **self.tallies,
        )


_TALLIES = (
    "hindered",
    "removed",
    "added",
    "added_repeats",
    "reference_changed",
    "genotypes_changed",
    "alleles_shown",
)


def _n_out_of_order(orders: list[tuple[Offsets, Offsets]]) -> int:
    """Count the anonymized records that stand after a record they preceded in the original."""
    if not orders:
        return 0
    mine = np.concatenate([pair[0] for pair in orders])
    theirs = np.concatenate([pair[1] for pair in orders])
    in_file = mine[np.argsort(theirs, kind="stable")]
    return int(np.sum(in_file < np.maximum.accumulate(in_file)))
