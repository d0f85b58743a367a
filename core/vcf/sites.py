"""The records of one site in both files: pair them, judge each of the original against its own, count."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.vcf.alike import BASES, AlikeRecords, Rest
from core.vcf.candidates import CandidateCollector, Found, Tally
from core.vcf.checks import Case, fields_told, leaks_of
from core.vcf.checks.case import satisfies_repeat_rule
from core.vcf.checks.samples import tells_repeat
from core.vcf.columns import FILTER, ID, QUAL
from core.vcf.frequencies import NOT_COMPUTABLE, FrequencyReader, rarest_allele
from core.vcf.header import VcfHeader
from core.vcf.lines import Block, Merge, Site, check_columns
from core.vcf.marks import Mark
from core.vcf.other_frequencies import OtherFrequencies
from core.vcf.own_frequencies import OwnFrequencies
from core.vcf.pointers import Neighbours, has_phasing, shows_more
from core.vcf.records import (
    N_FIXED,
    USUAL_FILTERS,
    Record,
    alt_column,
    genotypes_changed,
    is_blank,
    own_records,
)
from core.vcf.repeats import RepeatPattern, is_unnamed_repeat
from core.vcf.rewriting import Forms, is_rewritten
from core.vcf.same_alleles import Row, SameAlleles, changes_of
from core.vcf.sample_names import decoded, is_generic
from core.vcf.settings import MAF_LIMIT, VcfSettings
from core.vcf.thinning import Thinning
from core.vcf.values import ValueChecker
from core.vcf.words_in_records import RecordWords

NEVER_MASKED = -math.inf  # the site is absent from the anonymized file
ALWAYS_MASKED = math.inf
MAX_ALTS = 100_000  # ALT columns whose kind is remembered
MAX_OUTCOMES = 1 << 14  # of records that are like others
TAB = b"\t"
_SYMBOL = re.compile(rb"<([^<>]+)>")
_NAME = re.compile(rb"(?=.*[0-9])(?=.*[^0-9.,-]).{4,}|.*[A-Za-z].{5,}")


class Alt:
    """What an ALT column by itself tells: bits, as whole numbers."""

    NONE = 1 << 0  # no ALT allele at all
    BLANK = 1 << 1  # alleles, each of them missing
    REPEAT = 1 << 2
    POINTS = 1 << 3  # to another place: a breakend, or the allele *
    UNNAMED = 1 << 4  # a repeat in a form that the rule does not look for
    SEVERAL = 1 << 5  # more than one allele
    SYMBOLIC = 1 << 7
    EMPTY = 1 << 6  # no allele that anybody could carry: blocks of the reference, overlapped deletions


def kind_of_alt(alt: bytes, pattern: RepeatPattern) -> int:
    """Return bits of :class:`Alt`."""
    kind = Alt.NONE if alt in (b".", b"") else Alt.BLANK * is_blank(alt)
    kind |= Alt.SYMBOLIC * (b"<" in alt)
    kind |= Alt.EMPTY * (not alt_column(alt).alleles)
    kind |= Alt.REPEAT * pattern.found(alt) | Alt.UNNAMED * is_unnamed_repeat(b"", alt, pattern)
    kind |= Alt.SEVERAL * (b"," in alt)
    return kind | Alt.POINTS * (b"*" in alt or b"[" in alt or b"]" in alt)


class Format:
    """What a FORMAT by itself tells: bits, as whole numbers."""

    GENOTYPES = 1 << 0  # come first
    PHASED = 1 << 1  # it has a key of phasing


def kind_of_format(format_: bytes) -> int:
    """Return bits of :class:`Format`."""
    return Format.GENOTYPES * (format_ + b":").startswith(b"GT:") | Format.PHASED * has_phasing(format_)


class Symbols:
    """The symbolic alleles of both files, such as ``DEL`` of ``<DEL>``, where the header defines any."""

    def __init__(self, header: VcfHeader) -> None:
        self.are_defined = any(line.startswith(b"##ALT=") for line in header.lines)
        self._had: set[bytes] = set()
        self._has: set[bytes] = set()

    def take(self, alt: bytes, kept_alt: bytes) -> None:
        """Take up ALT of a record in both files."""
        if self.are_defined:
            self._had.update(_SYMBOL.findall(alt))
            self._has.update(_SYMBOL.findall(kept_alt))

    @property
    def gone(self) -> frozenset[bytes]:
        """Return the names that the original's records have and the anonymized file's have not."""
        return frozenset(self._had - self._has)


class Answers(dict[bytes, int]):
    """What each text of a column says of itself, as a number; up to so many of them are remembered."""

    def __init__(self, ask: Callable[[bytes], int]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, text: bytes) -> int:
        if len(self) >= MAX_ALTS:
            self.clear()
        self[text] = found = int(self._ask(text))
        return found


class Original(NamedTuple):
    """A record of the original that is looked at closely, and what is known of it."""

    record: Record
    maf: float
    kind: int

    @property
    def is_candidate(self) -> bool:
        """Tell whether it is a target at some threshold."""
        return self.maf < MAF_LIMIT or bool(self.kind & Alt.REPEAT)

    @property
    def spared_up_to(self) -> float:
        """Return the threshold up to which it is no target: below 0 for a repeat, which always is one."""
        if self.kind & Alt.REPEAT:
            return -1.0
        return self.maf if self.maf < MAF_LIMIT else math.inf


class Judged(NamedTuple):
    """The outcome for one candidate: bits, the threshold up to which the MAF rule is satisfied, INFO keys.

    NaN stands for the threshold that is the record's own frequency, `keys` for the number of a set of them.
    """

    marks: int
    masked_up_to: float
    keys: int = 0


#: What judging a record that is like others depends on: REF and ALT, those of the masked record, what follows
#: them, and whether the record is a target at some threshold and has a frequency.
Like = tuple[bytes, bytes, Rest, bool, bool]


class KeptSite(NamedTuple):
    """What the anonymized records of one site tell together."""

    masked_up_to: float  # the threshold up to which one of them satisfies the MAF rule
    alts: set[bytes]  # their ALT columns
    has_repeat: bool  # whether any of them shows a repeat


@dataclass(frozen=True, kw_only=True, eq=False)
class Tallies:
    """What is counted over a whole pair, with the places."""

    hindered: Tally = field(default_factory=Tally)  # a declaration makes the frequency not computable
    removed: Tally = field(default_factory=Tally)  # records of the anonymized file compared with the original
    added: Tally = field(default_factory=Tally)
    added_repeats: Tally = field(default_factory=Tally)
    reference_changed: Tally = field(default_factory=Tally)
    genotypes_changed: Tally = field(default_factory=Tally)
    changed_elsewhere: Tally = field(default_factory=Tally)
    alleles_shown: Tally = field(default_factory=Tally)  # an allele or a repeat where the original shows none
    extra_columns: Tally = field(default_factory=Tally)  # text beyond the announced columns
    repeats_unnamed: Tally = field(default_factory=Tally)  # repeats in forms that the rule does not name


def _has_plain_alleles(like: Like) -> bool:
    """Tell whether ALT is plain bases, and the masked REF begins the original's."""
    ref, _, alt = like[0].partition(TAB)
    return not alt.translate(None, BASES) and ref.startswith(like[1].partition(TAB)[0])


class SiteJudge:
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
        # whether each column of samples is whose it was; else their order may be another
        self.has_own_samples = first.samples == second.samples
        self.names = frozenset(name.upper() for name in first.samples if _NAME.fullmatch(name))
        self.alt_kinds = Answers(partial(kind_of_alt, pattern=self.pattern))
        self._listen(first, second)
        self.collector = CandidateCollector(keeps_order=keeps_order)
        self.parts: frozenset[int] = frozenset()  # of a record that was split by allele, beside its own
        self.tallies = Tallies()
        self.neighbours = Neighbours()
        self.repeat_alts: set[bytes] = set()
        self.forms = Forms.of(first.lines)
        self.thinning = Thinning()
        self.filled = {
            "ID": (ID, Answers(lambda text: text != b".")),
            "QUAL": (QUAL, Answers(lambda text: text != b".")),
            "FILTER": (FILTER, Answers(lambda text: text not in USUAL_FILTERS)),
            "FILTER=PASS": (FILTER, Answers(lambda text: text == b"PASS")),
            "FILTER=.": (FILTER, Answers(lambda text: text == b".")),
        }
        self.alike = AlikeRecords(len(first.samples), keeps_rest=self.same_declarations and self.is_alike)
        self.outcomes: dict[Like, Judged] = {}  # of records that others may be like
        self.n_exchanged = 0  # records that stand before one of their own site that they followed
        self.formats = Answers(kind_of_format)
        self.n_records = [0, 0]
        self.is_changed = first.lines != second.lines or first.samples != second.samples
        self.n_with_alt = 0
        self.n_without_frequency = 0
        self.own = OwnFrequencies(self.readers[0], len(first.samples))
        self.orders: list[tuple[Sequence[int], Sequence[int]]] | None = [] if keeps_order else None

    def _listen(self, first: VcfHeader, second: VcfHeader) -> None:
        """Begin to take up what records tell of others, of people and of frequencies."""
        telling = frozenset(name for name in self.names if not is_generic(decoded(name)))
        self.same = SameAlleles((*first.contigs, *second.contigs))
        self.words = RecordWords(second, telling)
        self.symbols = Symbols(second)
        self.others = OtherFrequencies(second)

    def take_site(self, site: Site) -> None:
        """Take one site that does not stand at the same place in both files, or in one of them only."""
        self.is_changed |= site.lines != site.kept
        self.n_records[0] += len(site.lines)
        self.n_records[1] += len(site.kept)
        originals = list(map(partial(self._original, site), site.numbers, site.lines))
        kept = list(map(partial(self._record, 1), site.kept_numbers, site.kept))
        judged, own = self._judge(originals, kept)
        self._tell_others(site, originals, kept, own)
        if self.orders is not None:
            mine = [at for at, place in enumerate(own) if place >= 0]
            theirs = [site.kept_numbers[own[at]] for at in mine]
            self.orders.append(([site.numbers[at] for at in mine], theirs))
        every = zip(originals, judged, site.numbers, strict=True)
        chosen = [(one, outcome, number) for one, outcome, number in every if one.is_candidate]
        if not chosen:
            return
        self.collector.add(
            Found(
                contigs=[(site.contig, len(chosen))],
                positions=np.full(len(chosen), site.position),
                mafs=np.array([one.maf for one, _, _ in chosen]),
                marks=np.array([outcome.marks for _, outcome, _ in chosen], dtype=np.uint64),
                masked_up_to=np.array([outcome.masked_up_to for _, outcome, _ in chosen]),
                motifs={
                    place: self.pattern.motif(one.record.alt)
                    for place, (one, _, _) in enumerate(chosen)
                    if one.kind & Alt.REPEAT
                },
                lengths=np.array([len(one.record.ref) for one, _, _ in chosen]),
                keys=np.array([outcome.keys for _, outcome, _ in chosen], dtype=np.uint16),
                numbers=[number for _, _, number in chosen],
            )
        )

    def _tell_others(
        self, site: Site, originals: Sequence[Original], kept: Sequence[Record], own: Sequence[int]
    ) -> None:
        """Take up what the records of a site tell of others."""
        if site.kept:
            lines, n = Block.of(site.kept), len(site.kept)
            self.words.read(lines)
            maf = min((one.maf for one in originals), default=np.inf)
            self.others.read(lines, site.contig, [site.position] * n, np.full(n, maf))
        self.symbols.take(b",".join(one.record.alt for one in originals), b",".join(one.alt for one in kept))
        for original, place in zip(originals, own, strict=True):
            record, mine = original.record, kept[place] if place >= 0 else None
            beside = (mine.ref, mine.alt) if mine else (record.ref, b"")
            row = Row(
                site.position,
                record.ref,
                self._rare_alleles(record),
                *beside,
                original.is_candidate,
                bool(original.kind & Alt.REPEAT),
            )
            self.same.take(site.contig, row)
            if original.is_candidate and mine and record.id not in (mine.id, b"."):
                self.words.note_targets(site.contig, np.array([site.position]), [record.id])
        for place, record in enumerate(kept):
            if b";" in record.id:
                self.words.note_identifiers(np.array([site.position]), [record.id])
            if place not in own:
                self.same.take(
                    site.contig, Row(site.position, b"", b"", record.ref, record.alt, is_target=False)
                )

    def _rare_alleles(self, record: Record) -> bytes:
        """Return ALT without alleles that are surely no reason to mask the record."""
        if len(record.alts) == 1:
            return record.alt
        shares = self.readers[0].site(record.info).frequencies
        if len(shares) != len(record.alts):
            return record.alt
        most = max(min(shares), self.settings.maf_threshold)
        return b",".join(alt for alt, share in zip(record.alts, shares, strict=True) if share <= most)

    def _original(self, site: Site, number: int, line: bytes) -> Original:
        """Split a record of the original and read its frequency."""
        record = self._record(0, number, line)
        kind = self.alt_kinds[record.alt]
        found = self.readers[0].site(record.info)
        maf = NOT_COMPUTABLE if kind & Alt.NONE else found.maf
        if not kind & (Alt.NONE | Alt.EMPTY):
            self.n_with_alt += 1
            if not kind & Alt.REPEAT:
                self.n_without_frequency += maf == NOT_COMPUTABLE
                for _ in self.own.chosen(int(maf != NOT_COMPUTABLE)):
                    self.own.look(record.info, record.alt, record.format + record.samples)
                if found.hindered_by:
                    self.tallies.hindered.add(site.contig, site.position)
        return Original(record, maf, kind)

    def _record(self, file: int, number: int, line: bytes) -> Record:
        """Split a line of one of the files, refusing what htslib refuses."""
        n_columns = line.count(b"\t") + 1
        if n_columns != self.n_columns[file]:
            check_columns(self._name(file), number, line, self.n_columns[file])
        record = Record(line, self.n_columns[file], has_extra=n_columns > self.n_columns[file])
        self.values[file].check(self._name(file), [number], [record])
        return record

    def _name(self, file: int) -> str:
        return (self.merge.anonymized if file else self.merge.original).name

    def _kept_record(self, number: int, line: bytes, original: Record) -> Record:
        """Split an anonymized line; what stands from QUAL on, word for word, in the original's is right."""
        record = original.beside(line) if self.is_alike else None
        if record is None:
            record = self._record(1, number, line)
        return record

    def _judge_line(self, original: Original, line: bytes, number: int, like: Like | None) -> Judged:
        """Judge a line that is alone at its site in both files; others that are like it are judged alike."""
        self.parts = frozenset()
        mine = self._kept_record(number, line, original.record)
        site, (kept_maf,) = self._kept_site((original,), (mine,))
        outcome = self._judge_own(original, mine, kept_maf, site, original.spared_up_to)
        if self.n_columns[1] in (self.n_columns[0], N_FIXED):
            self.alike.learn(original.record, mine)
        if like is not None and original.is_candidate and _has_plain_alleles(like):
            up_to = ALWAYS_MASKED if outcome.masked_up_to == ALWAYS_MASKED else math.nan
            self._remember(like, outcome._replace(masked_up_to=up_to))
        return outcome

    def _judge_first(self, like: Like, kind: int) -> Judged | None:
        """Judge a record of which nothing was left, the first with its alleles; None if it cannot be done."""
        # what it has beside REF and ALT is missing, so these alone are judged
        if not _has_plain_alleles(like):
            return None
        if not like[3]:
            outcome = Judged(0, ALWAYS_MASKED)
        elif like[2][0] < 0:
            return None
        else:
            (ref, _, alt), (kept_ref, _, kept_alt) = (one.partition(TAB) for one in like[:2])
            alone = Original(Record.of_alleles(ref, alt), 0.0 if like[4] else math.inf, kind)
            site = KeptSite(ALWAYS_MASKED, {kept_alt}, has_repeat=False)
            outcome = self._mark(alone, Record.of_alleles(kept_ref, kept_alt), NOT_COMPUTABLE, site)
        self._remember(like, outcome)
        return outcome

    def _remember(self, like: Like, outcome: Judged) -> None:
        if len(self.outcomes) == MAX_OUTCOMES:
            self.outcomes.clear()
        self.outcomes[like] = outcome

    def _judge(self, originals: Sequence[Original], kept: Sequence[Record]) -> tuple[list[Judged], list[int]]:
        """Judge the records of one site, each of the original against its own record."""
        own = self._own_records(originals, kept)
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

    def _own_records(self, originals: Sequence[Original], kept: Sequence[Record]) -> list[int]:
        """Return the place of each original's own record; of one split by allele, that of its rarest allele.

        The other parts name alleles that had not to be masked, and are left aside.
        """
        self.parts = frozenset()
        if len(originals) == 1 < len(kept) and (place := self._rarest_part(originals[0], kept)) >= 0:
            self.parts = frozenset(range(len(kept))) - {place}
            return [place]
        return own_records([original.record for original in originals], kept)

    def _rarest_part(self, original: Original, kept: Sequence[Record]) -> int:
        """Return which record stands for the rarest allele of one that was split by allele, −1 for none."""
        record = original.record
        position, whole = int(record.pos), {*changes_of(int(record.pos), record.ref, record.alt, {})}
        if len(record.alts) != len(kept) or len(whole) != len(kept):
            return -1
        told = [{*changes_of(position, one.ref, one.alt, {})} for one in kept]
        if any(len(one.alts) != 1 for one in kept) or not whole.issuperset(set().union(*told)):
            return -1
        shares = self.readers[0].site(record.info).frequencies
        rarest = rarest_allele(shares, len(record.alts))
        (hidden,) = changes_of(position, record.ref, record.alts[max(rarest - 1, 0)], {})
        masked = [place for place, found in enumerate(told) if not found]
        return next(
            (place for place, found in enumerate(told) if hidden in found), masked[0] if masked else -1
        )

    def _judge_own(
        self, original: Original, mine: Record | None, kept_maf: float, site: KeptSite, site_maf: float
    ) -> Judged:
        """Judge a record of the original against its own; up to `site_maf` none at its site is a target."""
        if mine is None:
            self.tallies.removed.add(original.record.chrom, original.record.pos)
        elif not self.parts:
            self._compare(original, mine, site_maf)
        if not original.is_candidate:
            return Judged(0, site.masked_up_to)
        outcome = self._mark(original, mine, kept_maf, site)
        if (
            mine is not None
            and not self.parts
            and self._counts_as_masked(original.maf, original.kind, outcome)
        ):
            self._note_masked(original, mine)
        return outcome

    def _kept_site(
        self, originals: Sequence[Original], kept: Sequence[Record]
    ) -> tuple[KeptSite, list[float]]:
        """Return what the anonymized records of a site tell together, and the frequency of each."""
        masked_up_to, has_repeat, mafs = NEVER_MASKED, False, []
        for place, record in enumerate(kept):
            maf = self._kept_maf(originals, place, record)
            mafs.append(maf)
            masked_up_to = max(masked_up_to, ALWAYS_MASKED if record.column.is_blank else maf)
            kind = self.alt_kinds[record.alt]
            has_repeat = has_repeat or bool(kind & Alt.REPEAT)
            self._note_kept(record, kind)
        return KeptSite(masked_up_to, {record.alt for record in kept}, has_repeat), mafs

    def _kept_maf(self, originals: Sequence[Original], place: int, record: Record) -> float:
        """Read a frequency, unless the original's stands in the same words under the same declarations."""
        if self.same_declarations and place < len(originals):
            original = originals[place]
            if original.record.info == record.info and not original.kind & Alt.NONE:
                return original.maf
        return self.readers[1].maf(record.info)

    def _mark(self, original: Original, mine: Record | None, kept_maf: float, site: KeptSite) -> Judged:
        """Mark one candidate: is its site masked, and what does its own record still give away."""
        record, is_repeat = original.record, bool(original.kind & Alt.REPEAT)
        marks = Mark.REPEAT * is_repeat
        if not site.alts:
            return Judged(marks | Mark.MISSING, NEVER_MASKED)
        if site.has_repeat:
            marks |= Mark.REPEAT_KEPT
        if (site.alts != {record.alt}) if mine is None else (mine.alt != record.alt):
            marks |= Mark.ALT_CHANGED
        is_masked = site.masked_up_to > original.maf
        if is_repeat:
            is_masked = any(b"N" in alt and alt != record.alt for alt in site.alts)
            marks |= Mark.REPEAT_MASKED * is_masked
        if mine is None:
            return Judged(marks, site.masked_up_to)
        if mine.names(record.alleles):
            marks |= Mark.NAMED
        keys = 0
        if is_masked:
            case = self._case(original, mine, kept_maf)
            leaks = leaks_of(case)
            marks |= leaks
            keys = self.collector.key_set(fields_told(case, leaks))
        if self._sole_carrier(record, mine):
            marks |= Mark.SOLE_CARRIER
        return Judged(marks, site.masked_up_to, keys)

    def _note_masked(self, original: Original, mine: Record) -> None:
        """Note in which way a record at a masked site is blank."""
        is_repeat = bool(original.kind & Alt.REPEAT)
        if is_repeat and len(self.repeat_alts) < 2 and satisfies_repeat_rule(original.record, mine):
            self.repeat_alts.add(mine.alt)
        self.forms.add(original.record, mine, is_repeat=is_repeat)

    def _case(self, original: Original, mine: Record, kept_maf: float) -> Case:
        return Case(
            original=original.record,
            kept=mine,
            maf=original.maf,
            kept_maf=kept_maf,
            is_repeat=bool(original.kind & Alt.REPEAT),
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
        if kind & Alt.POINTS:
            self.neighbours.read_alt(record.chrom, int(record.pos), record.alt)
        if record.samples and self.formats[record.format] & Format.PHASED:
            self.neighbours.read_phasing(record.chrom, int(record.pos), record.format, record.samples)
        if record.extra and record.extra.strip(TAB):
            self.tallies.extra_columns.add(record.chrom, record.pos)

    def _compare(self, original: Original, kept: Record, site_maf: float) -> None:
        """Count how a record differs from the original's beside masking."""
        record = original.record
        if record.line == kept.line:
            self.thinning.see(kept)
            self._note_unnamed(original, kept)
            return
        if record.alt == kept.alt:
            self.thinning.compare(record, kept, site_maf)
        if record.ref != kept.ref and (record.alt == kept.alt or not record.ref.startswith(kept.ref)):
            self.tallies.reference_changed.add(kept.chrom, kept.pos)
        if genotypes_changed(record, kept, in_order=self.has_own_samples):
            self.tallies.genotypes_changed.add(kept.chrom, kept.pos)
        if record.alt != kept.alt and shows_more(record, kept, self.pattern):
            self.tallies.alleles_shown.add(kept.chrom, kept.pos)
        elif site_maf >= 0 and is_rewritten(record, kept, in_order=self.has_own_samples):
            self.tallies.changed_elsewhere.add(kept.chrom, kept.pos, site_maf)
        self._note_unnamed(original, kept)

    def _note_unnamed(self, original: Original, kept: Record) -> None:
        record = original.record
        if original.kind & (Alt.REPEAT | Alt.NONE):
            return
        may_be = original.kind & Alt.UNNAMED or len(record.ref) >= self.pattern.min_length
        is_told = kept.names(record.alleles) or tells_repeat(kept)
        if may_be and is_told and is_unnamed_repeat(record.ref, record.alt, self.pattern):
            self.tallies.repeats_unnamed.add(kept.chrom, kept.pos)

    def _take_added(
        self,
        originals: Sequence[Original],
        kept: Sequence[Record],
        kept_mafs: Sequence[float],
        own: list[int],
        judged: list[Judged],
    ) -> None:
        """Count records without a partner; at a masked site they are looked at as the target's own is."""
        taken = set(own)
        masked = [
            number
            for number, (original, outcome) in enumerate(zip(originals, judged, strict=True))
            if original.is_candidate and self._counts_as_masked(original.maf, original.kind, outcome)
        ]
        target = masked[-1] if masked else -1
        for place, (record, maf) in enumerate(zip(kept, kept_mafs, strict=True)):
            if place in taken or place in self.parts:
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
                leaks = leaks_of(case)
                keys = self.collector.key_set(fields_told(case, leaks), found.keys)
                judged[target] = Judged(found.marks | leaks, found.masked_up_to, keys)

    @staticmethod
    def _counts_as_masked(maf: float, kind: int, judged: Judged) -> bool:
        if kind & Alt.REPEAT:
            return bool(judged.marks & Mark.REPEAT_MASKED)
        return judged.masked_up_to > maf
