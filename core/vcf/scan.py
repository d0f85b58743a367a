"""Read a pair of files once and note everything that a judgment at any MAF threshold needs.

Lines that stand at the same sites and are equal are not split beyond what their frequency and ALT need:
such a record is not masked, whatever it holds. All others are split, paired with their own record and
judged by the checks, each of which is written once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, compress, groupby, islice, repeat
from operator import eq
from typing import NamedTuple

import numpy as np

from core.vcf.binary import is_binary, read_binary
from core.vcf.candidates import CandidateCollector, Candidates, Found, Tally
from core.vcf.checks import Case, leaks_of
from core.vcf.checks.case import USUAL_FILTERS
from core.vcf.checks.info import other_keys
from core.vcf.files import Content, VcfFile
from core.vcf.frequencies import NOT_COMPUTABLE, FrequencyReader, rarest_allele
from core.vcf.header import VcfHeader, metadata_of, read_header
from core.vcf.header_leaks import HeaderFinding, header_findings
from core.vcf.lines import (
    MANY_COLUMNS,
    MAX_POS,
    PIECE,
    Lines,
    Merge,
    Run,
    Site,
    SortedLines,
    UnsortedError,
    check_columns,
    parse_position,
)
from core.vcf.marks import Mark
from core.vcf.own import own_records
from core.vcf.pairing import Level, VcfPair
from core.vcf.pointers import PHASING_KEYS, Neighbours, has_phasing, shows_more
from core.vcf.records import (
    DIGITS,
    N_FIXED,
    Record,
    genotypes_changed,
    has_sole_carrier,
    is_blank,
    n_tabs,
    names_allele,
)
from core.vcf.repeats import RepeatPattern, is_unnamed_repeat
from core.vcf.settings import MAF_LIMIT, VcfSettings
from core.vcf.unread import unread_bytes
from core.vcf.values import ValueChecker

NEVER_MASKED = -math.inf  # the site is absent from the anonymized file
ALWAYS_MASKED = math.inf
MAX_ALTS = 100_000  # ALT columns whose kind is remembered
TAB = b"\t"
# An INFO key that begins or ends with a space, which htslib refuses.
_ODD_SPACE = re.compile(rb"[\t;] |[\t;][^\t;=]* [\t;=]|[\t;][^\t;=]* \Z")
_MASKING_FILTER = re.compile(rb"(?i)mask|anon|redact|hidden|removed")
_NAME = re.compile(rb"(?=.*[0-9])(?=.*[^0-9.,-]).{4,}|.*[A-Za-z].{5,}")

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class VcfScan:
    """Everything one reading of a pair found; no threshold has been applied yet.

    Attributes
    ----------
    settings
        The settings the scan was made with; its repeat parameters are part of the result.
    metadata_targets, metadata_masked
        Header lines that had to be masked, and those that are.
    header_findings
        What the anonymized header and sample names tell.
    n_original, n_anonymized
        Records of each file.
    n_with_alt, n_without_frequency
        Original records with an ALT allele, and those among them whose frequency is not computable.
    neighbours
        What records of the anonymized file tell about other sites.
    repeat_alts
        What stands in ALT of masked repeats, each once; no more than two.
    hindered
        Records whose frequency a declaration in the header makes not computable.
    removed, added, added_repeats, reference_changed, genotypes_changed, changed_elsewhere
        Records of the anonymized file compared with the original.
    alleles_shown
        Records that show an allele or a repeat where the original does not.
    extra_columns
        Records with text beyond the announced columns.
    repeats_unnamed
        Records with a repeat in a form that the rule does not look for.
    unread
        Where the anonymized file holds bytes that no reader shows.
    """

    original_name: str
    anonymized_name: str
    level: Level
    settings: VcfSettings
    metadata_targets: int
    metadata_masked: int
    header_findings: tuple[HeaderFinding, ...]
    candidates: Candidates
    n_original: int
    n_anonymized: int
    n_with_alt: int
    n_without_frequency: int
    reordered: int
    neighbours: Neighbours
    repeat_alts: frozenset[bytes]
    hindered: Tally
    removed: Tally
    added: Tally
    added_repeats: Tally
    reference_changed: Tally
    genotypes_changed: Tally
    changed_elsewhere: Tally
    alleles_shown: Tally
    extra_columns: Tally
    repeats_unnamed: Tally
    unread: tuple[str, ...] = ()


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
    np.empty(32 * PIECE, dtype=np.uint8)


def _count_nothing(progress: Progress, _n_bytes: int) -> None:
    """Let a second reading of the same bytes be stopped too."""
    progress(0)


def _scan(pair: VcfPair, settings: VcfSettings, progress: Progress | None, *, sort: bool) -> VcfScan:
    with (
        open_lines(pair.original, progress) as (first_header, original),
        open_lines(pair.anonymized, progress) as (second_header, anonymized),
    ):
        original.sought, anonymized.sought = frozenset((b"MAF",)), PHASING_KEYS
        ranks: dict[bytes, int] = {}
        for contig in (*first_header.contigs, *second_header.contigs):
            ranks.setdefault(contig, len(ranks))
        if sort:
            ranks = {}
            merge = Merge(SortedLines(original, ranks), SortedLines(anonymized, ranks), ranks)
        else:
            merge = Merge(original, anonymized, ranks)
        scanner = _Scanner(settings, (first_header, second_header), merge, keeps_order=sort)
        for part in merge:
            if isinstance(part, Run):
                scanner.take_run(part)
            else:
                scanner.take_site(part)
        return scanner.result(pair)


@contextmanager
def open_lines(file: VcfFile, progress: Progress | None) -> Iterator[tuple[VcfHeader, Lines]]:
    """Read a file's header, and give it with the lines that follow; the file is closed after.

    Raises
    ------
    AuditInputError
        When the file is not a VCF file that can be read; the lines raise it as they are read.
    """
    with closing(Content(file, progress)) as content:
        text = content.read()
        if is_binary(text):
            yield read_binary(file.name, text, content.read)
            return
        header, beyond = read_header(file.name, text, content.read)
        yield header, Lines(file.name, header.n_columns, content, beyond)


class _Alt:
    """What an ALT column by itself tells: bits, as whole numbers."""

    NONE = 1 << 0  # no ALT allele at all
    BLANK = 1 << 1  # alleles, each of them missing
    REPEAT = 1 << 2
    POINTS = 1 << 3  # to another place: a breakend, or the allele *
    UNNAMED = 1 << 4  # a repeat in a form that the rule does not look for


class _AltKinds(dict[bytes, int]):
    """Bits of :class:`_Alt` of every ALT column met, up to a number."""

    def __init__(self, pattern: RepeatPattern) -> None:
        super().__init__()
        self._pattern = pattern

    def __missing__(self, alt: bytes) -> int:
        kind = _Alt.NONE if alt == b"." else 0
        if not kind and is_blank(alt):
            kind |= _Alt.BLANK
        if self._pattern.found(alt):
            kind |= _Alt.REPEAT
        if b"*" in alt or b"[" in alt or b"]" in alt:
            kind |= _Alt.POINTS
        if is_unnamed_repeat(b"", alt, self._pattern):
            kind |= _Alt.UNNAMED
        if len(self) >= MAX_ALTS:
            self.clear()
        self[alt] = kind
        return kind


class _Original(NamedTuple):
    """A record of the original that is looked at closely, and what is known of it."""

    record: Record
    maf: float
    kind: int

    @property
    def is_candidate(self) -> bool:
        """Tell whether it is a target at some threshold."""
        return self.maf < MAF_LIMIT or bool(self.kind & _Alt.REPEAT)


class _Judged(NamedTuple):
    """The outcome for one candidate: bits, the threshold up to which the MAF rule is satisfied, INFO keys."""

    marks: int
    masked_up_to: float
    keys: tuple[bytes, ...] = ()


class _KeptSite:
    """What the anonymized records of one site tell together.

    Attributes
    ----------
    masked_up_to
        The threshold up to which one of them satisfies the MAF rule.
    alts, alts_with_n
        Their ALT columns, and those that hold an ``N``.
    has_repeat
        Whether any of them shows a repeat.
    """

    def __init__(self, masked_up_to: float, alts: set[bytes], *, has_repeat: bool) -> None:
        self.masked_up_to = masked_up_to
        self.alts = alts
        self.alts_with_n = {alt for alt in alts if b"N" in alt}
        self.has_repeat = has_repeat


class _Chosen(NamedTuple):
    """The candidates among some lines, their bits, and the outcomes of those that were looked at closely."""

    which: list[int]
    marks: list[int]
    judged: dict[int, _Judged]


class _Columns(NamedTuple):
    """Columns of a run of the original's lines; `tails` is everything from QUAL on."""

    chroms: list[bytes]
    positions: list[int]
    refs: list[bytes]
    alts: list[bytes]
    tails: list[bytes]
    odd: list[int]  # lines whose number of columns is not the header's, but which htslib takes


@dataclass(eq=False)
class _Tallies:
    """What is counted over a whole pair, with the places."""

    hindered: Tally = field(default_factory=Tally)
    removed: Tally = field(default_factory=Tally)
    added: Tally = field(default_factory=Tally)
    added_repeats: Tally = field(default_factory=Tally)
    reference_changed: Tally = field(default_factory=Tally)
    genotypes_changed: Tally = field(default_factory=Tally)
    changed_elsewhere: Tally = field(default_factory=Tally)
    alleles_shown: Tally = field(default_factory=Tally)
    extra_columns: Tally = field(default_factory=Tally)
    repeats_unnamed: Tally = field(default_factory=Tally)


class _Scanner:
    """Collects the candidates and the tallies while runs and sites come in."""

    def __init__(
        self, settings: VcfSettings, headers: tuple[VcfHeader, VcfHeader], merge: Merge, *, keeps_order: bool
    ) -> None:
        first, second = headers
        self.settings = settings
        self.headers = headers
        self.merge = merge
        self.pattern = RepeatPattern.of(settings)
        self.readers = (FrequencyReader(first.declarations), FrequencyReader(second.declarations))
        self.values = (ValueChecker(first), ValueChecker(second))
        self.same_types = self.values[0].agrees(self.values[1])
        self.same_declarations = first.declarations == second.declarations
        self.n_columns = (first.n_columns, second.n_columns)
        self.names = frozenset(name.upper() for name in first.samples if _NAME.fullmatch(name))
        self.alt_kinds = _AltKinds(self.pattern)
        self.collector = CandidateCollector(keeps_order=keeps_order)
        self.tallies = _Tallies()
        self.neighbours = Neighbours()
        self.repeat_alts: set[bytes] = set()
        self.n_records = [0, 0]
        self.n_with_alt = 0
        self.n_without_frequency = 0
        self.orders: list[tuple[Sequence[int], Sequence[int]]] | None = [] if keeps_order else None
        self.sole_in_one: dict[tuple[bytes, int], bool] = {}

    def take_run(self, run: Run) -> None:
        """Take lines of both files that stand at the same sites."""
        columns = self._columns(run)
        n_lines = len(run.lines)
        self.n_records[0] += n_lines
        self.n_records[1] += n_lines
        if self.orders is not None:
            self.orders.append((run.numbers, run.kept_numbers))
        kinds = list(map(self.alt_kinds.__getitem__, columns.alts))
        rests = _rests(columns.tails, kinds)
        rarity = self.readers[0].many(
            [(place, rest[2]) for place, rest in rests.items()], n_lines, may_hold_maf=b"MAF" in run.keys
        )
        mafs = rarity.mafs
        kind_bits = np.frombuffer(bytes(kinds), dtype=np.uint8)
        has_alt, is_repeat = (kind_bits & _Alt.NONE) == 0, (kind_bits & _Alt.REPEAT) != 0
        self._count(columns, rarity.hindered, has_alt, is_repeat, mafs)
        which = np.flatnonzero((mafs < MAF_LIMIT) | is_repeat).tolist()
        judged = self._judge_closely(run, columns, kinds, mafs, which)
        self._note_equal(run, columns, kinds, judged)
        if which:
            rarest = rarity.rarest.tolist()
            marks = [
                judged[place].marks
                if place in judged
                else self._mark_equal(columns, place, kinds[place], rarest[place], rests.get(place))
                for place in which
            ]
            self._collect(_Chosen(which, marks, judged), run.numbers, columns, kinds, mafs)

    def _mark_equal(
        self, columns: _Columns, place: int, kind: int, rarest: int, rest: list[bytes] | None
    ) -> int:
        """Mark a line that is equal in both files, alone at its site: it is not masked."""
        marks = Mark.REPEAT | Mark.REPEAT_KEPT if kind & _Alt.REPEAT else 0
        if self.n_columns[0] > N_FIXED and self._is_sole(
            columns.alts[place], rarest, rest or columns.tails[place].split(TAB, 4)
        ):
            marks |= Mark.SOLE_CARRIER
        return marks

    def _columns(self, run: Run) -> _Columns:
        """Split the original's lines as far as REF and ALT; they must be sorted and have their columns."""
        name, n_columns = self.merge.original.name, self.n_columns[0]
        flat = list(chain.from_iterable(map(bytes.split, run.lines, repeat(TAB), repeat(5))))
        chroms, texts, refs, alts, tails = flat[::6], flat[1::6], flat[3::6], flat[4::6], flat[5::6]
        if len(flat) != 6 * len(run.lines) or any(chrom.startswith(b"#") for chrom in set(chroms)):
            for number, line in zip(run.numbers, run.lines, strict=True):
                check_columns(name, number, line, n_columns)
        counts = _counts(tails, n_columns)
        odd = []
        if counts.count(n_columns - 6) != len(counts):
            odd = [place for place, count in enumerate(counts) if count != n_columns - 6]
            for place in odd:
                check_columns(name, run.numbers[place], run.lines[place], n_columns)
        positions = _positions(name, run.numbers, texts)
        low = 0
        for chrom, n_lines in _counted(chroms):
            high = low + n_lines
            part = positions[low:high]
            if part != sorted(part):
                raise UnsortedError
            for order in self.merge.orders:
                order.enter(chrom, part[0], part[-1])
            low = high
        return _Columns(chroms, positions, refs, alts, tails, odd)

    def _count(
        self,
        columns: _Columns,
        hindered: list[int],
        has_alt: np.ndarray,
        is_repeat: np.ndarray,
        mafs: np.ndarray,
    ) -> None:
        self.n_with_alt += int(has_alt.sum())
        self.n_without_frequency += int((has_alt & ~is_repeat & (mafs == np.inf)).sum())
        for place in hindered:
            if not is_repeat[place]:
                self.tallies.hindered.add(columns.chroms[place], columns.positions[place])

    def _judge_closely(
        self, run: Run, columns: _Columns, kinds: list[int], mafs: np.ndarray, which: list[int]
    ) -> dict[int, _Judged]:
        """Judge the lines that cannot be ruled out: changed, odd, or of a site with several records."""
        positions, chroms = columns.positions, columns.chroms
        again = [
            place
            for place in compress(range(1, len(positions)), map(eq, positions, islice(positions, 1, None)))
            if chroms[place] == chroms[place - 1]
        ]
        close = {*run.changed, *columns.odd}
        if run.spaced:
            close.update(place for place, tail in enumerate(columns.tails) if _ODD_SPACE.search(tail))
        close.update(place for place in which if kinds[place] & _Alt.BLANK or not self.same_declarations)
        judged: dict[int, _Judged] = {}
        if again:
            candidates = set(which)
            for low, high in _groups(again):
                places = range(low, high)
                if not close.isdisjoint(places) or not candidates.isdisjoint(places):
                    close.difference_update(places)
                    self._judge_places(run, places, kinds, mafs, judged)
        for place in sorted(close):
            self._judge_places(run, range(place, place + 1), kinds, mafs, judged)
        return judged

    def _judge_places(
        self, run: Run, places: range, kinds: list[int], mafs: np.ndarray, judged: dict[int, _Judged]
    ) -> None:
        originals = [
            _Original(self._record(0, run.numbers[place], run.lines[place]), float(mafs[place]), kinds[place])
            for place in places
        ]
        kept = [
            self._record(1, run.kept_numbers[place], run.kept[place], original.record)
            for place, original in zip(places, originals, strict=True)
        ]
        for place, outcome in zip(places, self._judge(originals, kept)[0], strict=True):
            judged[place] = outcome

    def _note_equal(self, run: Run, columns: _Columns, kinds: list[int], judged: dict[int, _Judged]) -> None:
        """Note what equal lines tell of other sites, and repeats in them that the rule does not name."""
        chroms, positions, alts = columns.chroms, columns.positions, columns.alts
        if max(kinds) >= _Alt.POINTS:
            for place in [place for place, kind in enumerate(kinds) if kind & _Alt.POINTS]:
                if place not in judged:
                    self.neighbours.read_alt(chroms[place], positions[place], alts[place])
        for place in self._may_be_unnamed(columns, kinds):
            if place not in judged and is_unnamed_repeat(columns.refs[place], alts[place], self.pattern):
                self.tallies.repeats_unnamed.add(chroms[place], positions[place])
        if self.n_columns[1] > N_FIXED:
            for place, rest in _may_be_phased(columns.tails, run.kept_keys & PHASING_KEYS, self.n_columns[1]):
                if place not in judged and has_phasing(rest[3]):
                    self.neighbours.read_phasing(chroms[place], positions[place], rest[3], TAB + rest[4])

    def _may_be_unnamed(self, columns: _Columns, kinds: list[int]) -> list[int]:
        """Return the lines whose ALT shows a repeat of such a form, or whose REF is long enough for one."""
        has_long = max(map(len, columns.refs)) >= self.pattern.min_length
        if not has_long and max(kinds) < _Alt.UNNAMED:
            return []
        return [
            place
            for place, (kind, ref) in enumerate(zip(kinds, columns.refs, strict=True))
            if kind & _Alt.UNNAMED or (len(ref) >= self.pattern.min_length and not kind & _Alt.NONE)
        ]

    def _is_sole(self, alt: bytes, rarest: int, rest: list[bytes]) -> bool:
        """Tell whether exactly one sample carries the rarest allele of an unchanged line."""
        if len(rest) < 5 or not (rest[3] == b"GT" or rest[3].startswith(b"GT:")):
            return False
        n_alts = alt.count(b",") + 1
        if rarest < 0:
            rarest = rarest_allele(self.readers[0].site(rest[2]).frequencies, n_alts)
        samples = rest[4]
        if self.n_columns[0] == N_FIXED + 2:
            key = samples.partition(b":")[0], rarest
            if key not in self.sole_in_one:
                if len(self.sole_in_one) >= MAX_ALTS:
                    self.sole_in_one.clear()
                self.sole_in_one[key] = has_sole_carrier(TAB + key[0], b"GT:", n_alts, rarest)
            return self.sole_in_one[key]
        if rarest < len(DIGITS) and DIGITS[rarest] not in samples:
            return False
        return has_sole_carrier(TAB + samples, rest[3], n_alts, rarest)

    def _collect(
        self, chosen: _Chosen, numbers: Sequence[int], columns: _Columns, kinds: list[int], mafs: np.ndarray
    ) -> None:
        which, marks, judged = chosen
        own_mafs = mafs[which]
        masked_up_to = own_mafs.copy()
        number_of = {place: number for number, place in enumerate(which)} if judged else {}
        keys: dict[int, tuple[bytes, ...]] = {}
        for place, outcome in judged.items():
            if place in number_of:
                masked_up_to[number_of[place]] = outcome.masked_up_to
                if outcome.keys:
                    keys[number_of[place]] = outcome.keys
        refs, positions = columns.refs, columns.positions
        self.collector.add(
            Found(
                contigs=_counted([columns.chroms[place] for place in which]),
                positions=[positions[place] for place in which],
                mafs=own_mafs,
                marks=marks,
                masked_up_to=masked_up_to,
                motifs={
                    number: self.pattern.motif(columns.alts[place])
                    for number, place in enumerate(which)
                    if kinds[place] & _Alt.REPEAT
                },
                ends={
                    number: positions[place] + len(refs[place]) - 1
                    for number, place in enumerate(which)
                    if len(refs[place]) > 1
                },
                keys=keys,
                numbers=[numbers[place] for place in which] if self.orders is not None else [],
            )
        )

    def take_site(self, site: Site) -> None:
        """Take one site that does not stand at the same place in both files, or in one of them only."""
        self.n_records[0] += len(site.lines)
        self.n_records[1] += len(site.kept)
        originals = [
            self._original(number, line, site) for number, line in zip(site.numbers, site.lines, strict=True)
        ]
        kept = [
            self._record(1, number, line) for number, line in zip(site.kept_numbers, site.kept, strict=True)
        ]
        judged, own = self._judge(originals, kept)
        if self.orders is not None:
            pairs = [
                (site.numbers[mine], site.kept_numbers[place]) for mine, place in enumerate(own) if place >= 0
            ]
            self.orders.append(([pair[0] for pair in pairs], [pair[1] for pair in pairs]))
        which = [place for place, original in enumerate(originals) if original.is_candidate]
        if not which:
            return
        columns = _Columns(
            [site.contig] * len(originals),
            [site.position] * len(originals),
            [original.record.ref for original in originals],
            [original.record.alt for original in originals],
            [],
            [],
        )
        mafs = np.array([original.maf for original in originals], dtype=np.float64)
        kinds = [original.kind for original in originals]
        outcomes = dict(enumerate(judged))
        marks = [judged[place].marks for place in which]
        self._collect(_Chosen(which, marks, outcomes), site.numbers, columns, kinds, mafs)

    def _original(self, number: int, line: bytes, site: Site) -> _Original:
        """Split a record of the original and read its frequency."""
        record = self._record(0, number, line)
        kind = self.alt_kinds[record.alt]
        found = self.readers[0].site(record.info)
        maf = NOT_COMPUTABLE if kind & _Alt.NONE else found.maf
        if not kind & _Alt.NONE:
            self.n_with_alt += 1
            if not kind & _Alt.REPEAT:
                self.n_without_frequency += maf == NOT_COMPUTABLE
                if found.hindered_by:
                    self.tallies.hindered.add(site.contig, site.position)
        return _Original(record, maf, kind)

    def _record(self, file: int, number: int, line: bytes, like: Record | None = None) -> Record:
        """Split a line of one of the files, refusing what htslib refuses.

        What stands from QUAL on, word for word, in a record of the original has been checked there.
        """
        name = (self.merge.original if file == 0 else self.merge.anonymized).name
        n_columns = n_tabs(line) + 1
        if n_columns != self.n_columns[file]:
            check_columns(name, number, line, self.n_columns[file])
        record = Record(line, self.n_columns[file], has_extra=n_columns > self.n_columns[file])
        if like is None or record.rest != like.rest or not self.same_types:
            self.values[file].check(name, number, record)
        return record

    def _judge(
        self, originals: Sequence[_Original], kept: Sequence[Record]
    ) -> tuple[list[_Judged], list[int]]:
        """Judge the records of one site, each of the original against its own record."""
        own = own_records([original.record for original in originals], kept)
        kept_mafs = [self._kept_maf(originals, place, record) for place, record in enumerate(kept)]
        masked_up_to = max(
            (
                ALWAYS_MASKED if record.alt_is_blank else maf
                for record, maf in zip(kept, kept_mafs, strict=True)
            ),
            default=NEVER_MASKED,
        )
        self._note_kept(kept)
        site = _KeptSite(
            masked_up_to,
            {record.alt for record in kept},
            has_repeat=any(self.alt_kinds[record.alt] & _Alt.REPEAT for record in kept),
        )
        judged = []
        site_maf = min((original.maf for original in originals if original.is_candidate), default=math.inf)
        site_maf = -1.0 if any(original.kind & _Alt.REPEAT for original in originals) else site_maf
        for original, place in zip(originals, own, strict=True):
            mine = kept[place] if place >= 0 else None
            if mine is None:
                self.tallies.removed.add(original.record.chrom, original.record.pos)
            else:
                self._compare(original, mine, site_maf)
            if not original.is_candidate:
                judged.append(_Judged(0, masked_up_to))
                continue
            kept_maf = kept_mafs[place] if place >= 0 else math.inf
            judged.append(self._mark(original, mine, kept_maf, site))
        self._take_added(originals, kept, kept_mafs, own, judged)
        return judged, own

    def _kept_maf(self, originals: Sequence[_Original], place: int, record: Record) -> float:
        """Read a frequency, unless the original's stands in the same words under the same declarations."""
        if self.same_declarations and place < len(originals):
            original = originals[place]
            if original.record.info == record.info and not original.kind & _Alt.NONE:
                return original.maf
        return self.readers[1].maf(record.info)

    def _mark(
        self,
        original: _Original,
        mine: Record | None,
        kept_maf: float,
        site: _KeptSite,
    ) -> _Judged:
        """Mark one candidate: is its site masked, and what does its own record still give away."""
        record, is_repeat = original.record, bool(original.kind & _Alt.REPEAT)
        marks = Mark.REPEAT * is_repeat
        if not site.alts:
            return _Judged(marks | Mark.MISSING, NEVER_MASKED)
        if site.has_repeat:
            marks |= Mark.REPEAT_KEPT
        if (site.alts != {record.alt}) if mine is None else (mine.alt != record.alt):
            marks |= Mark.ALT_CHANGED
        is_masked = site.masked_up_to > original.maf
        if is_repeat:
            is_masked = bool(site.alts_with_n - {record.alt})
            marks |= Mark.REPEAT_MASKED * is_masked
        if mine is None:
            return _Judged(marks, site.masked_up_to)
        if mine.names(record.alleles):
            marks |= Mark.NAMED
        keys: tuple[bytes, ...] = ()
        if is_masked:
            case = self._case(original, mine, kept_maf)
            marks |= leaks_of(case)
            keys = other_keys(case)
            if is_repeat and case.is_masked and len(self.repeat_alts) < 2:
                self.repeat_alts.add(mine.alt)
        if self._sole_carrier(record, mine):
            marks |= Mark.SOLE_CARRIER
        return _Judged(marks, site.masked_up_to, keys)

    def _case(self, original: _Original, mine: Record, kept_maf: float) -> Case:
        return Case(
            original=original.record,
            kept=mine,
            maf=original.maf,
            kept_maf=kept_maf,
            is_repeat=bool(original.kind & _Alt.REPEAT),
            pattern=self.pattern,
            names=self.names,
        )

    def _sole_carrier(self, original: Record, kept: Record) -> bool:
        """Tell whether exactly one sample carries the rarest allele, which is still named."""
        if not kept.format or not kept.names(original.alts):
            return False
        rarest = rarest_allele(self.readers[0].site(original.info).frequencies, len(original.alts))
        if rarest == 0:
            return kept.alt == original.alt and kept.has_sole_carrier(0)
        allele = original.alts[rarest - 1]
        return allele in kept.alts and kept.has_sole_carrier(kept.alts.index(allele) + 1)

    def _note_kept(self, kept: Sequence[Record]) -> None:
        """Note what anonymized records tell of other sites, and what stands beyond their columns."""
        for record in kept:
            if self.alt_kinds[record.alt] & _Alt.POINTS:
                self.neighbours.read_alt(record.chrom, int(record.pos), record.alt)
            if record.samples and has_phasing(record.format):
                self.neighbours.read_phasing(record.chrom, int(record.pos), record.format, record.samples)
            if record.extra.strip(TAB):
                self.tallies.extra_columns.add(record.chrom, record.pos)

    def _compare(self, original: _Original, kept: Record, site_maf: float) -> None:
        """Count how a record differs from the original's beside masking."""
        record = original.record
        if record.line == kept.line:
            self._note_unnamed(original, kept)
            return
        if record.ref != kept.ref:
            self.tallies.reference_changed.add(kept.chrom, kept.pos)
        if genotypes_changed(record, kept):
            self.tallies.genotypes_changed.add(kept.chrom, kept.pos)
        if record.alt != kept.alt and shows_more(record, kept, self.pattern):
            self.tallies.alleles_shown.add(kept.chrom, kept.pos)
        elif site_maf >= 0 and is_rewritten(record, kept):
            self.tallies.changed_elsewhere.add(kept.chrom, kept.pos, site_maf)
        self._note_unnamed(original, kept)

    def _note_unnamed(self, original: _Original, kept: Record) -> None:
        record = original.record
        if original.kind & (_Alt.REPEAT | _Alt.NONE):
            return
        may_be = original.kind & _Alt.UNNAMED or len(record.ref) >= self.pattern.min_length
        if may_be and kept.names(record.alleles) and is_unnamed_repeat(record.ref, record.alt, self.pattern):
            self.tallies.repeats_unnamed.add(kept.chrom, kept.pos)

    def _take_added(
        self,
        originals: Sequence[_Original],
        kept: Sequence[Record],
        kept_mafs: Sequence[float],
        own: list[int],
        judged: list[_Judged],
    ) -> None:
        """Count records without a partner; at a masked site they are looked at as the target's own is."""
        if len(kept) <= len(originals) and -1 not in own:
            return
        taken = set(own)
        masked = [
            number
            for number, (original, outcome) in enumerate(zip(originals, judged, strict=True))
            if original.is_candidate and self._counts_as_masked(original, outcome)
        ]
        target = masked[-1] if masked else -1
        for place, (record, maf) in enumerate(zip(kept, kept_mafs, strict=True)):
            if place in taken:
                continue
            self.tallies.added.add(record.chrom, record.pos)
            if self.pattern.found(record.alt.upper()) and not originals:
                self.tallies.added_repeats.add(record.chrom, record.pos)
            if names_allele(record):
                self.neighbours.added.add(record.chrom, int(record.pos), maf)
            if originals and shows_more(originals[0].record, record, self.pattern):
                self.tallies.alleles_shown.add(record.chrom, record.pos)
            if target >= 0:
                case, found = self._case(originals[target], record, maf), judged[target]
                judged[target] = _Judged(
                    found.marks | leaks_of(case), found.masked_up_to, found.keys or other_keys(case)
                )

    @staticmethod
    def _counts_as_masked(original: _Original, judged: _Judged) -> bool:
        if original.kind & _Alt.REPEAT:
            return bool(judged.marks & Mark.REPEAT_MASKED)
        return judged.masked_up_to > original.maf

    def result(self, pair: VcfPair) -> VcfScan:
        """Put everything together once both files are at their end."""
        metadata_targets, metadata_masked = metadata_of(*self.headers)
        return VcfScan(
            original_name=pair.original.name,
            anonymized_name=pair.anonymized.name,
            level=pair.level,
            settings=self.settings,
            metadata_targets=metadata_targets,
            metadata_masked=metadata_masked,
            header_findings=header_findings(*self.headers),
            candidates=self.collector.result(),
            n_original=self.n_records[0],
            n_anonymized=self.n_records[1],
            n_with_alt=self.n_with_alt,
            n_without_frequency=self.n_without_frequency,
            reordered=_n_out_of_order(self.orders or []),
            neighbours=self.neighbours,
            repeat_alts=frozenset(self.repeat_alts),
            **vars(self.tallies),
        )


def is_rewritten(original: Record, kept: Record) -> bool:
    """Tell whether a record has a new ID, FILTER, FORMAT or ALT; nothing that was only taken away is new."""
    return (
        kept.id not in (original.id, b".")
        or (
            kept.filter != original.filter
            and kept.filter not in USUAL_FILTERS
            and not _MASKING_FILTER.search(kept.filter)
        )
        or (
            kept.format != original.format
            and not set(kept.format.split(b":")) <= {*original.format.split(b":"), b"", b"GT", b"."}
        )
        or (
            kept.alt != original.alt
            and not all(alt in original.alts or not alt.strip(b"N.<>*") for alt in kept.alts)
        )
    )


def _counted(names: list[bytes]) -> list[tuple[bytes, int]]:
    """Return the runs of equal names with their lengths."""
    if names.count(names[0]) == len(names):
        return [(names[0], len(names))]
    return [(name, len(list(group))) for name, group in groupby(names)]


def _counts(tails: list[bytes], n_columns: int) -> list[int]:
    """Return how many tabs each text has."""
    if n_columns <= MANY_COLUMNS:
        return list(map(bytes.count, tails, repeat(TAB)))
    return list(map(n_tabs, tails))


def _positions(name: str, numbers: Sequence[int], texts: list[bytes]) -> list[int]:
    """Read every POS; one by one where they are not all plain whole numbers."""
    if b"".join(texts).isdigit() and min(texts):
        positions = list(map(int, texts))
        if max(positions) < MAX_POS:
            return positions
    return [parse_position(name, number, text) for number, text in zip(numbers, texts, strict=True)]


def _rests(tails: list[bytes], kinds: list[int]) -> dict[int, list[bytes]]:
    """Return QUAL, FILTER, INFO and the rest of records that may have a frequency, by their place."""
    return {
        place: tail.split(TAB, 4)
        for place, tail in enumerate(tails)
        if b"A" in tail and (b"AF" in tail or b"AC" in tail) and not kinds[place] & _Alt.NONE
    }


def _may_be_phased(
    tails: list[bytes], keys: AbstractSet[bytes], n_columns: int
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield QUAL, FILTER, INFO, FORMAT and samples of records whose FORMAT may have a key of phasing."""
    if n_columns > MANY_COLUMNS:
        places = set(range(len(tails)))
    else:
        places = {place for key in keys for place, tail in enumerate(tails) if key in tail}
    for place in sorted(places):
        rest = tails[place].split(TAB, 4)
        if len(rest) == 5:
            yield place, rest


def _groups(again: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first line, and the line after the last, of sites whose further lines are given."""
    low = high = again[0] - 1
    for place in again:
        if place != high + 1:
            yield low, high + 1
            low = place - 1
        high = place
    yield low, high + 1


def _n_out_of_order(orders: list[tuple[Sequence[int], Sequence[int]]]) -> int:
    """Count the anonymized records that stand after a record they preceded in the original."""
    if not orders:
        return 0
    mine = np.concatenate([np.array(pair[0], dtype=np.int64) for pair in orders])
    theirs = np.concatenate([np.array(pair[1], dtype=np.int64) for pair in orders])
    in_file = mine[np.argsort(theirs, kind="stable")]
    return int(np.sum(in_file < np.maximum.accumulate(in_file)))
