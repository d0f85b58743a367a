"""Read a pair of files once and note everything that a judgment at any MAF threshold needs.

Lines that stand at the same sites and are equal are not split beyond what their frequency and ALT need:
such a record is not masked, whatever it holds. All others are split, paired with their own record and
judged by the checks, each of which is written once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.bare import BareRecords
from core.vcf.binary import is_binary, read_binary
from core.vcf.candidates import CandidateCollector, Candidates, Found, Marks, Tally
from core.vcf.checks import Case, leaks_of
from core.vcf.checks.case import satisfies_repeat_rule
from core.vcf.checks.info import other_keys
from core.vcf.columns import ALT, CHROM, FILTER, FORMAT, ID, INFO, QUAL, REF, Columns, Places
from core.vcf.files import Content, VcfFile, unchanged_files
from core.vcf.frequencies import NOT_COMPUTABLE, FrequencyReader, Rarity, rarest_allele
from core.vcf.header import VcfHeader, metadata_of, read_header
from core.vcf.header_leaks import HeaderFinding, header_findings
from core.vcf.lines import Lines, Merge, Run, Site, SortedLines, UnsortedError, check_columns
from core.vcf.marks import Mark
from core.vcf.pairing import Level, VcfPair
from core.vcf.pointers import Neighbours, has_phasing, shows_more
from core.vcf.records import (
    DIGITS,
    N_FIXED,
    USUAL_FILTERS,
    Record,
    alt_column,
    genotypes_changed,
    has_sole_carrier,
    n_tabs,
    own_records,
)
from core.vcf.remembering import forgetting
from core.vcf.repeats import RepeatPattern, is_unnamed_repeat
from core.vcf.rewriting import Forms, is_rewritten
from core.vcf.settings import MAF_LIMIT, VcfSettings
from core.vcf.thinning import Thinning
from core.vcf.unread import unread_bytes
from core.vcf.values import ValueChecker
from core.words import text

NEVER_MASKED = -math.inf  # the site is absent from the anonymized file
ALWAYS_MASKED = math.inf
REUSED = 1 << 25  # bytes: the most that the C library agrees to
MAX_ALTS = 100_000  # ALT columns whose kind is remembered
TAB = b"\t"
# An INFO key that begins or ends with a space, which htslib refuses.
_ODD_SPACE = re.compile(rb"[\t;] |[\t;][^\t;=]* [\t;=]|[\t;][^\t;=]* \Z")
_NAME = re.compile(rb"(?=.*[0-9])(?=.*[^0-9.,-]).{4,}|.*[A-Za-z].{5,}")

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class VcfScan:
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
    reordered: int
    neighbours: Neighbours  # what records of the anonymized file tell about other sites
    repeat_alts: frozenset[bytes]  # what stands in ALT of masked repeats, each once; no more than two
    forms_varying: tuple[str, ...]  # columns that are blank in more than one way in masked records
    thinned: Tally  # records that lost what later ones kept, and the names of these columns and fields
    thinned_names: tuple[str, ...]
    hindered: Tally  # records whose frequency a declaration in the header makes not computable
    removed: Tally  # records of the anonymized file compared with the original
    added: Tally
    added_repeats: Tally
    reference_changed: Tally
    genotypes_changed: Tally
    changed_elsewhere: Tally
    alleles_shown: Tally  # records that show an allele or a repeat where the original does not
    extra_columns: Tally  # records with text beyond the announced columns
    repeats_unnamed: Tally  # records with a repeat in a form that the rule does not look for
    unread: tuple[str, ...] = ()  # where the anonymized file holds bytes that no reader shows


@forgetting()
def scan_pair(pair: VcfPair, settings: VcfSettings, *, progress: Progress | None = None) -> VcfScan:
    """Read both files of a pair once.

    Sorted files are read in one pass with constant memory. Files that are not sorted by contig and
    position are read again, held in memory and sorted.
    """
    _keep_freed_memory()
    with unchanged_files(pair.original, pair.anonymized):
        try:
            scan = _scan(pair, settings, progress, sort=False)
        except UnsortedError:
            again = None if progress is None else partial(_count_nothing, progress)
            scan = _scan(pair, settings, again, sort=True)
    return replace(scan, unread=(*scan.unread, *unread_bytes(pair.anonymized)))


def _keep_freed_memory() -> None:
    """Have the C library use freed memory again instead of giving it back and asking for it anew.

    glibc does so up to the size of the largest piece that was freed; others do as they do.
    """
    np.empty(REUSED, dtype=np.uint8)


def _count_nothing(progress: Progress, _n_bytes: int) -> None:
    """Let a second reading of the same bytes be stopped too."""
    progress(0)


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
            merge = Merge(SortedLines(original, ranks), SortedLines(anonymized, ranks), ranks)
        else:
            merge = Merge(original, anonymized, ranks)
        scanner = _Scanner(settings, (first_header, second_header), merge, keeps_order=sort)
        for part in merge:
            if isinstance(part, Run):
                scanner.take_run(part)
            else:
                scanner.take_site(part)
        mixed = 0 < anonymized.n_returns < anonymized.n_ends
        return replace(scanner.result(pair), unread=(text("line ends of two kinds"),) if mixed else ())


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
        if not kind and alt_column(alt).is_blank:
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


class _Answers(dict[bytes, int]):
    """What each text of a column says of itself: 1 for yes, 0 for no."""

    def __init__(self, ask: Callable[[bytes], bool]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, text: bytes) -> int:
        if len(self) >= MAX_ALTS:
            self.clear()
        self[text] = found = int(self._ask(text))
        return found


class _Original(NamedTuple):
    """A record of the original that is looked at closely, and what is known of it."""

    record: Record
    maf: float
    kind: int

    @property
    def is_candidate(self) -> bool:
        """Tell whether it is a target at some threshold."""
        return self.maf < MAF_LIMIT or bool(self.kind & _Alt.REPEAT)

    @property
    def spared_up_to(self) -> float:
        """Return the threshold up to which it is no target: below 0 for a repeat, which always is one."""
        if self.kind & _Alt.REPEAT:
            return -1.0
        return self.maf if self.maf < MAF_LIMIT else math.inf


class _Judged(NamedTuple):
    """The outcome for one candidate: bits, the threshold up to which the MAF rule is satisfied, INFO keys."""

    marks: int
    masked_up_to: float
    keys: tuple[bytes, ...] = ()


class _KeptSite(NamedTuple):
    """What the anonymized records of one site tell together."""

    masked_up_to: float  # the threshold up to which one of them satisfies the MAF rule
    alts: set[bytes]  # their ALT columns
    has_repeat: bool  # whether any of them shows a repeat


class _Run(NamedTuple):
    """A run of lines at the same sites in both files, and what is known of the original's."""

    lines: Run
    columns: Columns
    stretches: list[tuple[bytes, int, int]]  # contig, first line, line after the last
    positions: Places
    kinds: npt.NDArray[np.int64]  # bits of _Alt
    rarity: Rarity


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
        self.same_declarations = first.declarations == second.declarations
        self.n_columns = (first.n_columns, second.n_columns)
        # Whether what htslib takes in the original it takes in the anonymized file.
        self.is_alike = self.values[0].agrees(self.values[1]) and first.n_columns == second.n_columns
        self.names = frozenset(name.upper() for name in first.samples if _NAME.fullmatch(name))
        self.alt_kinds = _AltKinds(self.pattern)
        self.collector = CandidateCollector(keeps_order=keeps_order)
        self.tallies = _Tallies()
        self.neighbours = Neighbours()
        self.repeat_alts: set[bytes] = set()
        self.forms = Forms()
        self.thinning = Thinning()
        self.filled = {
            "ID": (ID, _Answers(lambda text: text != b".")),
            "QUAL": (QUAL, _Answers(lambda text: text != b".")),
            "FILTER": (FILTER, _Answers(lambda text: text not in USUAL_FILTERS)),
        }
        self.bare = BareRecords()
        # what comes of a bare record, by REF, both ALT columns, what ALT tells, and whether it has a frequency
        self.bare_outcomes: dict[tuple[bytes, bytes, bytes, int, bool], _Judged] = {}
        self.n_exchanged = 0  # records that stand before one of their own site that they followed
        self.genotypes = _Answers(lambda format_: format_ == b"GT" or format_.startswith(b"GT:"))
        self.phased = _Answers(has_phasing)
        self.n_records = [0, 0]
        self.n_with_alt = 0
        self.n_without_frequency = 0
        self.orders: list[tuple[Sequence[int], Sequence[int]]] | None = [] if keeps_order else None

    def take_run(self, run: Run) -> None:
        """Take lines of both files that stand at the same sites."""
        columns = Columns(self.merge.original.name, run.numbers, run.lines, self.n_columns[0])
        stretches = self._enter(run, columns)
        positions = columns.positions(self.merge.original.name, run.numbers)
        for chrom, low, high in stretches:
            if np.any(np.diff(positions[low:high]) < 0):
                raise UnsortedError
            for order in self.merge.orders:
                order.enter(chrom, int(positions[low]), int(positions[high - 1]))
        n_lines = len(columns)
        self.n_records[0] += n_lines
        self.n_records[1] += n_lines
        if self.orders is not None:
            self.orders.append((run.numbers, run.kept_numbers))
        kinds = columns.mapped(ALT, self.alt_kinds)
        rarity = self.readers[0].many(columns, (kinds & _Alt.NONE) == 0)
        found = _Run(run, columns, stretches, positions, kinds, rarity)
        self._count(found)
        which = np.flatnonzero((rarity.mafs < MAF_LIMIT) | ((kinds & _Alt.REPEAT) != 0))
        judged = self._judge_closely(found, which)
        self._note_equal(found, judged)
        if len(which):
            self._collect(found, which, self._marks_of_equal(found, which, judged), judged)

    def _enter(self, run: Run, columns: Columns) -> list[tuple[bytes, int, int]]:
        """Return the runs of one contig; refuse comments among the records."""
        stretches = columns.contigs()
        if any(chrom.startswith(b"#") for chrom, _, _ in stretches):
            for number, line in zip(run.numbers, run.lines, strict=True):
                check_columns(self.merge.original.name, number, line, self.n_columns[0])
        return stretches

    def _marks_of_equal(self, run: _Run, which: Places, judged: Mapping[int, _Judged]) -> Marks:
        """Mark lines that are equal in both files, alone at their site: they are not masked."""
        kinds = run.kinds[which]
        marks = np.where(kinds & _Alt.REPEAT, np.uint64(Mark.REPEAT | Mark.REPEAT_KEPT), np.uint64(0))
        if self.n_columns[0] > N_FIXED + 1:
            marks[self._are_sole(run, which, judged)] |= np.uint64(Mark.SOLE_CARRIER)
        return marks

    def _are_sole(self, run: _Run, which: Places, judged: Mapping[int, _Judged]) -> npt.NDArray[np.bool_]:
        """Tell for which unchanged lines exactly one sample carries the rarest allele.

        The genotype of a single sample, of one or two alleles below ten, is read among all lines together.
        """
        sole = np.zeros(len(which), dtype=np.bool_)
        known = np.zeros(len(which), dtype=np.bool_)
        if self.n_columns[0] == N_FIXED + 2:
            rarest = run.rarity.rarest[which]
            cells = run.columns.first_bytes(4)[which]
            ends = (cells == ord(":")) | (cells == ord("\n"))
            is_digit = (cells >= ord("0")) & (cells <= ord("9"))
            parts = (cells[:, 1] == ord("/")) | (cells[:, 1] == ord("|"))
            one = is_digit[:, 0] & ends[:, 1]
            two = is_digit[:, 0] & parts & is_digit[:, 2] & ends[:, 3]
            has_genotypes = run.columns.mapped(FORMAT, self.genotypes)[which] != 0
            known = (rarest >= 0) & (one | two) & has_genotypes
            digit = rarest + ord("0")
            sole = known & ((cells[:, 0] == digit) | (two & (cells[:, 2] == digit)))
        for number in np.flatnonzero(~known).tolist():
            place = int(which[number])
            if place not in judged:
                sole[number] = self._is_sole(run, place)
        return sole

    def _is_sole(self, run: _Run, place: int) -> bool:
        """Tell whether exactly one sample carries the rarest allele of an unchanged line."""
        columns = run.columns
        format_ = columns.value(FORMAT, place)
        if not self.genotypes[format_]:
            return False
        samples = columns.behind(FORMAT, place)
        rarest = int(run.rarity.rarest[place])
        if 0 <= rarest < len(DIGITS) and DIGITS[rarest] not in samples:
            return False
        n_alts = columns.value(ALT, place).count(b",") + 1
        if rarest < 0:
            info = columns.value(INFO, place)
            rarest = rarest_allele(self.readers[0].site(info).frequencies, n_alts)
        return has_sole_carrier(samples, format_, n_alts, rarest)

    def _count(self, run: _Run) -> None:
        has_alt, is_repeat = (run.kinds & _Alt.NONE) == 0, (run.kinds & _Alt.REPEAT) != 0
        self.n_with_alt += int(has_alt.sum())
        self.n_without_frequency += int((has_alt & ~is_repeat & (run.rarity.mafs == np.inf)).sum())
        for place in run.rarity.hindered:
            if not is_repeat[place]:
                self.tallies.hindered.add(run.columns.value(CHROM, place), int(run.positions[place]))

    def _judge_closely(self, run: _Run, which: Places) -> dict[int, _Judged]:
        """Judge the lines that cannot be ruled out: changed, odd, or of a site with several records."""
        begins = np.array([low for _, low, _ in run.stretches])
        again = np.flatnonzero(np.diff(run.positions) == 0) + 1
        again = again[~np.isin(again, begins)]
        columns, chosen = run.columns, which.tolist()
        odd = set(columns.odd)
        close = odd.union(run.lines.changed)
        if run.lines.spaced:
            close.update(
                place
                for place in run.lines.lines.with_spaces()
                if _ODD_SPACE.search(columns.behind(ALT, place))
            )
        if self.same_declarations:
            close.update(which[(run.kinds[which] & _Alt.BLANK) != 0].tolist())
        else:
            close.update(chosen)
        sites = {place: place + 1 for place in close}
        if len(again):
            candidates = set(chosen)
            for low, high in _groups(again.tolist()):
                places = range(low, high)
                if not close.isdisjoint(places) or not candidates.isdisjoint(places):
                    for place in places:
                        sites.pop(place, None)
                    sites[low] = high
        judged: dict[int, _Judged] = {}
        alone = [low for low, high in sorted(sites.items()) if high - low == 1 and low not in odd]
        found = self._lines_alone(run, np.array(alone, dtype=np.int64))
        for low, high in sorted(sites.items()):
            self.thinning.at = high - 1
            if high - low > 1 or low in odd:
                self._judge_places(run, range(low, high), odd, judged)
            else:
                judged[low] = self._judge_line(*next(found), run.lines.kept_numbers[low])
        if self.thinning.open:
            self._see_unchanged(run)
        return judged

    def _see_unchanged(self, run: _Run) -> None:
        """Look in unchanged lines for what earlier records lost, where its name stands."""
        passed = {*run.lines.changed, *run.columns.odd}
        for name in sorted(self.thinning.open):
            first = self.thinning.begun.get(name, -1)
            for place in self._naming(run, name):
                if place > first and place not in passed:
                    self.thinning.see(Record(run.lines.kept[place], self.n_columns[1]))
                    if name not in self.thinning.open:
                        break
        self.thinning.begun.clear()

    def _naming(self, run: _Run, name: str) -> Iterator[int]:
        """Yield the lines of the anonymized file in which a column is filled, or a field's name stands."""
        if name in self.filled:
            column, is_filled = self.filled[name]
            yield from np.flatnonzero(run.columns.mapped(column, is_filled)).tolist()
            return
        key = name.partition("/")[2].encode("utf-8", "surrogateescape")
        starts = run.lines.kept.starts
        for match in re.finditer(rb"(?i)[\t;:]%s(?=[=;:\t\n])" % re.escape(key), run.lines.kept.own_text):
            yield int(np.searchsorted(starts, starts[0] + match.start(), side="right")) - 1

    def _lines_alone(self, run: _Run, places: Places) -> Iterator[tuple[_Original, bytes]]:
        """Yield lines that are alone at their site, with the anonymized line."""
        lines = run.lines
        records = [Record(line, self.n_columns[0]) for line in lines.lines.at(places)]
        numbers = [lines.numbers[place] for place in places.tolist()]
        self.values[0].check_all(self._name(0), numbers, records)
        mafs, kinds = run.rarity.mafs[places].tolist(), run.kinds[places].tolist()
        yield from zip(map(_Original, records, mafs, kinds), lines.kept.at(places), strict=True)

    def _judge_line(self, original: _Original, line: bytes, number: int) -> _Judged:
        """Judge a line that is alone at its site in both files."""
        bare = self.bare.find(line, original.record)
        if bare is not None:
            return self._judge_bare(original, line, *bare)
        mine = self._kept_record(number, line, original.record)
        site, (kept_maf,) = self._kept_site((original,), (mine,))
        return self._judge_own(original, mine, kept_maf, site, original.spared_up_to)

    def _judge_bare(self, original: _Original, line: bytes, alt: bytes, rest: int) -> _Judged:
        """Judge a line of which the anonymized file left nothing but REF.

        It differs from the original in what is missing alone: REF and ALT are judged, without the rest.
        """
        if not original.is_candidate:
            return _Judged(0, ALWAYS_MASKED)
        record = original.record
        key = record.ref, record.alt, alt, original.kind, original.maf < math.inf
        outcome = self.bare_outcomes.get(key)
        if outcome is None:
            if len(self.bare_outcomes) == MAX_ALTS:
                self.bare_outcomes.clear()
            alone = original._replace(record=Record.of_alleles(record.ref, record.alt))
            site = _KeptSite(ALWAYS_MASKED, {alt}, has_repeat=False)
            outcome = self._mark(alone, Record.of_alleles(record.ref, alt), NOT_COMPUTABLE, site)
            self.bare_outcomes[key] = outcome
        if self._counts_as_masked(original, outcome) and self.bare.is_new(record, alt, rest):
            self._note_masked(original, Record(line, self.n_columns[1]))
        return outcome

    def _judge_places(
        self, run: _Run, places: range, odd: AbstractSet[int], judged: dict[int, _Judged]
    ) -> None:
        lines, mafs, kinds = run.lines, run.rarity.mafs, run.kinds
        originals, kept = [], []
        for place in places:
            number, line = lines.numbers[place], lines.lines[place]
            if place in odd:
                record = self._record(0, number, line)
            else:
                record = Record(line, self.n_columns[0])
                self.values[0].check(self._name(0), number, record)
            originals.append(_Original(record, float(mafs[place]), int(kinds[place])))
            kept.append(self._kept_record(lines.kept_numbers[place], lines.kept[place], record))
        for place, outcome in zip(places, self._judge(originals, kept)[0], strict=True):
            judged[place] = outcome

    def _note_equal(self, run: _Run, judged: Mapping[int, _Judged]) -> None:
        """Note what equal lines tell of other sites, and repeats in them that the rule does not name."""
        columns, kinds, pattern = run.columns, run.kinds, self.pattern
        for place in np.flatnonzero(kinds & _Alt.POINTS).tolist():
            if place not in judged:
                self.neighbours.read_alt(
                    columns.value(CHROM, place), int(run.positions[place]), columns.value(ALT, place)
                )
        is_long = (columns.widths(REF) >= pattern.min_length) & ((kinds & _Alt.NONE) == 0)
        for place in np.flatnonzero(is_long | ((kinds & _Alt.UNNAMED) != 0)).tolist():
            if place not in judged and is_unnamed_repeat(
                columns.value(REF, place), columns.value(ALT, place), pattern
            ):
                self.tallies.repeats_unnamed.add(columns.value(CHROM, place), int(run.positions[place]))
        if self.n_columns[0] <= N_FIXED + 1:
            return
        for place in np.flatnonzero(columns.mapped(FORMAT, self.phased)).tolist():
            if place not in judged:
                self.neighbours.read_phasing(
                    columns.value(CHROM, place),
                    int(run.positions[place]),
                    columns.value(FORMAT, place),
                    columns.behind(FORMAT, place),
                )

    def _collect(self, run: _Run, which: Places, marks: Marks, judged: Mapping[int, _Judged]) -> None:
        columns, kinds = run.columns, run.kinds[which]
        masked_up_to = run.rarity.mafs[which].copy()
        keys: dict[int, tuple[bytes, ...]] = {}
        if judged:
            places = np.array(sorted(judged), dtype=np.int64)
            numbers = np.searchsorted(which, places)
            for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
                if number < len(which) and which[number] == place:
                    outcome = judged[place]
                    marks[number], masked_up_to[number] = outcome.marks, outcome.masked_up_to
                    if outcome.keys:
                        keys[number] = outcome.keys
        bounds = np.searchsorted(which, [low for _, low, _ in run.stretches] + [len(columns)])
        self.collector.add(
            Found(
                contigs=[
                    (chrom, int(n_found))
                    for (chrom, _, _), n_found in zip(run.stretches, np.diff(bounds), strict=True)
                    if n_found
                ],
                positions=run.positions[which],
                mafs=run.rarity.mafs[which],
                marks=marks,
                masked_up_to=masked_up_to,
                motifs={
                    number: self.pattern.motif(columns.value(ALT, int(which[number])))
                    for number in np.flatnonzero(kinds & _Alt.REPEAT).tolist()
                },
                lengths=columns.widths(REF)[which],
                keys=keys,
                numbers=[run.lines.numbers[place] for place in which.tolist()]
                if self.orders is not None
                else [],
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
        chosen = [
            (original, outcome, number)
            for original, outcome, number in zip(originals, judged, site.numbers, strict=True)
            if original.is_candidate
        ]
        if not chosen:
            return
        self.collector.add(
            Found(
                contigs=[(site.contig, len(chosen))],
                positions=np.full(len(chosen), site.position),
                mafs=np.array([original.maf for original, _, _ in chosen]),
                marks=np.array([outcome.marks for _, outcome, _ in chosen], dtype=np.uint64),
                masked_up_to=np.array([outcome.masked_up_to for _, outcome, _ in chosen]),
                motifs={
                    place: self.pattern.motif(original.record.alt)
                    for place, (original, _, _) in enumerate(chosen)
                    if original.kind & _Alt.REPEAT
                },
                lengths=np.array([len(original.record.ref) for original, _, _ in chosen]),
                keys={place: outcome.keys for place, (_, outcome, _) in enumerate(chosen) if outcome.keys},
                numbers=[number for _, _, number in chosen],
            )
        )

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

    def _record(self, file: int, number: int, line: bytes) -> Record:
        """Split a line of one of the files, refusing what htslib refuses."""
        n_columns = n_tabs(line) + 1
        if n_columns != self.n_columns[file]:
            check_columns(self._name(file), number, line, self.n_columns[file])
        record = Record(line, self.n_columns[file], has_extra=n_columns > self.n_columns[file])
        self.values[file].check(self._name(file), number, record)
        return record

    def _name(self, file: int) -> str:
        return (self.merge.anonymized if file else self.merge.original).name

    def _kept_record(self, number: int, line: bytes, original: Record) -> Record:
        """Split an anonymized line; what stands from QUAL on, word for word, in the original's is right."""
        record = original.beside(line) if self.is_alike else None
        if record is None:
            record = self._record(1, number, line)
        if self.n_columns[1] in (self.n_columns[0], N_FIXED):
            self.bare.learn(record)
        return record

    def _judge(
        self, originals: Sequence[_Original], kept: Sequence[Record]
    ) -> tuple[list[_Judged], list[int]]:
        """Judge the records of one site, each of the original against its own record."""
        own = own_records([original.record for original in originals], kept)
        if self.orders is None and len(own) > 1:
            placed = [place for place in own if place >= 0]
            self.n_exchanged += sum(later < place for place, later in pairwise(placed))
        site, kept_mafs = self._kept_site(originals, kept)
        judged = []
        site_maf = min([original.spared_up_to for original in originals], default=math.inf)
        for original, place in zip(originals, own, strict=True):
            mine, kept_maf = (kept[place], kept_mafs[place]) if place >= 0 else (None, math.inf)
            judged.append(self._judge_own(original, mine, kept_maf, site, site_maf))
        if len(kept) > len(originals) or -1 in own:
            self._take_added(originals, kept, kept_mafs, own, judged)
        return judged, own

    def _judge_own(
        self, original: _Original, mine: Record | None, kept_maf: float, site: _KeptSite, site_maf: float
    ) -> _Judged:
        """Judge a record of the original against its own; up to `site_maf` none at its site is a target."""
        if mine is None:
            self.tallies.removed.add(original.record.chrom, original.record.pos)
        else:
            self._compare(original, mine, site_maf)
        if not original.is_candidate:
            return _Judged(0, site.masked_up_to)
        outcome = self._mark(original, mine, kept_maf, site)
        if mine is not None and self._counts_as_masked(original, outcome):
            self._note_masked(original, mine)
        return outcome

    def _kept_site(
        self, originals: Sequence[_Original], kept: Sequence[Record]
    ) -> tuple[_KeptSite, list[float]]:
        """Return what the anonymized records of a site tell together, and the frequency of each."""
        masked_up_to, has_repeat, mafs = NEVER_MASKED, False, []
        for place, record in enumerate(kept):
            maf = self._kept_maf(originals, place, record)
            mafs.append(maf)
            masked_up_to = max(masked_up_to, ALWAYS_MASKED if record.column.is_blank else maf)
            kind = self.alt_kinds[record.alt]
            has_repeat = has_repeat or bool(kind & _Alt.REPEAT)
            self._note_kept(record, kind)
        return _KeptSite(masked_up_to, {record.alt for record in kept}, has_repeat), mafs

    def _kept_maf(self, originals: Sequence[_Original], place: int, record: Record) -> float:
        """Read a frequency, unless the original's stands in the same words under the same declarations."""
        if self.same_declarations and place < len(originals):
            original = originals[place]
            if original.record.info == record.info and not original.kind & _Alt.NONE:
                return original.maf
        return self.readers[1].maf(record.info)

    def _mark(self, original: _Original, mine: Record | None, kept_maf: float, site: _KeptSite) -> _Judged:
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
            is_masked = any(b"N" in alt and alt != record.alt for alt in site.alts)
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
        if self._sole_carrier(record, mine):
            marks |= Mark.SOLE_CARRIER
        return _Judged(marks, site.masked_up_to, keys)

    def _note_masked(self, original: _Original, mine: Record) -> None:
        """Note in which way a record at a masked site is blank."""
        is_repeat = bool(original.kind & _Alt.REPEAT)
        if is_repeat and len(self.repeat_alts) < 2 and satisfies_repeat_rule(original.record, mine):
            self.repeat_alts.add(mine.alt)
        self.forms.add(original.record, mine, is_repeat=is_repeat)

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

    def _note_kept(self, record: Record, kind: int) -> None:
        """Note what an anonymized record tells of other sites, and what stands beyond its columns."""
        if kind & _Alt.POINTS:
            self.neighbours.read_alt(record.chrom, int(record.pos), record.alt)
        if record.samples and self.phased[record.format]:
            self.neighbours.read_phasing(record.chrom, int(record.pos), record.format, record.samples)
        if record.extra and record.extra.strip(TAB):
            self.tallies.extra_columns.add(record.chrom, record.pos)

    def _compare(self, original: _Original, kept: Record, site_maf: float) -> None:
        """Count how a record differs from the original's beside masking."""
        record = original.record
        if record.line == kept.line:
            self.thinning.see(kept)
            self._note_unnamed(original, kept)
            return
        if record.alt == kept.alt:
            self.thinning.compare(record, kept, site_maf)
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
            if record.column.names_allele:
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
        thinned, names = self.thinning.result()
        return VcfScan(
            original_name=pair.original.name,
            anonymized_name=pair.anonymized.name,
            level=pair.level,
            settings=self.settings,
            metadata_targets=metadata_targets,
            metadata_masked=metadata_masked,
            header_findings=header_findings(*self.headers, self.merge.orders[1].seen),
            candidates=self.collector.result(),
            n_original=self.n_records[0],
            n_anonymized=self.n_records[1],
            n_with_alt=self.n_with_alt,
            n_without_frequency=self.n_without_frequency,
            reordered=_n_out_of_order(self.orders or []) + self.n_exchanged,
            neighbours=self.neighbours,
            repeat_alts=frozenset(self.repeat_alts),
            forms_varying=self.forms.varying(),
            thinned=thinned,
            thinned_names=names,
            **vars(self.tallies),
        )


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
