"""The records of one site in both files: pair them, and judge each of the original against its own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from core.vcf.candidates import CandidateCollector, Mark, Tally
from core.vcf.checks import Case, fields_told, leaks_of
from core.vcf.checks.case import satisfies_repeat_rule
from core.vcf.checks.samples import tells_repeat
from core.vcf.frequencies import FrequencyReader, rarest_allele
from core.vcf.header import VcfHeader, attributes_of
from core.vcf.left import MOST_NAMES, Left, PhaseSets, Ways, left_of
from core.vcf.lines import check_columns
from core.vcf.memoized import remembered
from core.vcf.neighbours import changes_of, shows_more
from core.vcf.records import Record, alt_column, genotypes_changed, is_blank, own_records
from core.vcf.repeats import LOCUS_KEYS, RepeatPattern, is_unnamed_repeat, unnamed_event
from core.vcf.settings import MAF_LIMIT, VcfSettings

NEVER_MASKED = -math.inf  # the site is absent from the anonymized file
ALWAYS_MASKED = math.inf
_TAB, _PLAIN = b"\t", b"ACGT,"
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
    PLAIN = 1 << 8  # bases alone


@remembered
def _kind_of_alt(alt: bytes, pattern: RepeatPattern) -> int:
    """Return bits of :class:`Alt`."""
    kind = Alt.NONE if alt in (b".", b"") else Alt.BLANK * is_blank(alt)
    kind |= Alt.SYMBOLIC * (b"<" in alt)
    kind |= Alt.PLAIN * (not alt.translate(None, _PLAIN)) | Alt.EMPTY * (not alt_column(alt).alleles)
    kind |= Alt.REPEAT * pattern.found(alt) | Alt.UNNAMED * is_unnamed_repeat(b"", alt, pattern)
    kind |= Alt.SEVERAL * (b"," in alt)
    return kind | Alt.POINTS * (b"*" in alt or b"[" in alt or b"]" in alt)


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

    `keys` is the number of a set of them.
    """

    marks: int
    masked_up_to: float
    keys: int = 0


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
    something_new: Tally = field(default_factory=Tally)
    alleles_shown: Tally = field(default_factory=Tally)  # an allele or a repeat where the original shows none
    extra_columns: Tally = field(default_factory=Tally)  # text beyond the announced columns
    repeats_unnamed: Tally = field(default_factory=Tally)  # repeats in forms that the rule does not name
    repeats_counted: Tally = field(default_factory=Tally)  # of these, alleles called by their copies


#: What was found beside the marks: the name of a :class:`Tallies` or ``moved``, and a frequency.
Event = tuple[str, float]


class SiteJudge:
    """Judges the records of one site after the other, each as it is written.

    Attributes
    ----------
    ways
        In which ways masked records are blank, and what others lost.
    phase_sets
        Which numbers new phase sets have.
    new
        In how many records each column or field is new.
    locus_keys
        Keys of INFO that the original declares by which a record may be called a repeat.
    n_exchanged
        Records that stand before one of their own site that they followed.
    events
        What was found of the site that was judged last, beside the marks of its records.
    """

    def __init__(
        self,
        settings: VcfSettings,
        headers: tuple[VcfHeader, VcfHeader],
        names: tuple[str, str],
        collector: CandidateCollector,
    ) -> None:
        first, second = headers
        self.pattern = RepeatPattern.of(settings)
        self.readers = (FrequencyReader(first.declarations), FrequencyReader(second.declarations))
        self.n_columns = (first.n_columns, second.n_columns)
        self.same_declarations = first.declarations == second.declarations
        # whether each column of samples is whose it was; else their order may be another
        self.has_own_samples = first.samples == second.samples
        self.names = frozenset(name.upper() for name in first.samples if _NAME.fullmatch(name))
        declared = [
            attributes_of(line)[1].get(b"ID", b"") for line in first.lines if line.startswith(b"##INFO")
        ]
        self.ways = Ways(declared)
        self.locus_keys = tuple(key for key in LOCUS_KEYS if key in declared)
        self.phase_sets = PhaseSets()
        self.new: Counter[str] = Counter()
        self.repeat_alts: set[bytes] = set()
        self.n_exchanged = 0
        self.events: list[Event] = []
        self._file_names = names
        self._collector = collector
        self._parts: frozenset[int] = frozenset()  # of a record that was split by allele, beside its own

    def kind_of(self, alt: bytes) -> int:
        """Return bits of :class:`Alt`."""
        return _kind_of_alt(alt, self.pattern)

    def record(self, file: int, number: int, line: bytes) -> Record:
        """Split a line of one of the files, refusing another number of columns than htslib takes."""
        n_columns = line.count(_TAB) + 1
        name = self._file_names[file]
        if n_columns != self.n_columns[file]:
            check_columns(name, number, line, self.n_columns[file])
        return Record(line, self.n_columns[file], has_extra=n_columns > self.n_columns[file])

    def judge(self, originals: Sequence[Original], kept: Sequence[Record]) -> tuple[list[Judged], list[int]]:
        """Judge the records of one site, each of the original against its own.

        Returns
        -------
        The outcome of each of the original, and the place of its own anonymized record, −1 for none.
        """
        self.events = []
        own = self._own_records(originals, kept)
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

    def rare_alleles(self, record: Record, threshold: float) -> bytes:
        """Return ALT without alleles that are surely no reason to mask the record."""
        if len(record.alts) == 1:
            return record.alt
        shares = self.readers[0].site(record.info).frequencies
        if len(shares) != len(record.alts):
            return record.alt
        most = max(min(shares), threshold)
        return b",".join(alt for alt, share in zip(record.alts, shares, strict=True) if share <= most)

    def _own_records(self, originals: Sequence[Original], kept: Sequence[Record]) -> list[int]:
        """Return the place of each original's own record; of one split by allele, that of its rarest allele.

        The other parts name alleles that had not to be masked, and are left aside.
        """
        self._parts = frozenset()
        if len(originals) == 1 < len(kept) and (place := self._rarest_part(originals[0], kept)) >= 0:
            self._parts = frozenset(range(len(kept))) - {place}
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
        left: tuple[Left, ...] = ()
        if mine is None:
            self._note("removed")
        elif mine.line != original.record.line:
            left = self._compare(original, mine, site_maf)
        else:
            self.ways.see(mine.line)
        if mine is not None and not self._parts:
            self._note_unnamed(original, mine)
        if not original.is_candidate:
            return Judged(0, site.masked_up_to)
        outcome = self._mark(original, mine, kept_maf, site)
        is_masked = self._counts_as_masked(original.maf, original.kind, outcome)
        if mine is not None and not self._parts and is_masked:
            self._note_masked(original, mine, left)
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
            kind = self.kind_of(record.alt)
            has_repeat = has_repeat or bool(kind & Alt.REPEAT)
            if record.extra and record.extra.strip(_TAB):
                self._note("extra_columns")
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
            keys = self._collector.key_set(fields_told(case, leaks))
        if self._sole_carrier(record, mine):
            marks |= Mark.SOLE_CARRIER
        return Judged(marks, site.masked_up_to, keys)

    def _note_masked(self, original: Original, mine: Record, left: Sequence[Left]) -> None:
        """Note in which way a record at a masked site is blank."""
        is_repeat = bool(original.kind & Alt.REPEAT)
        if is_repeat and len(self.repeat_alts) < 2 and satisfies_repeat_rule(original.record, mine):
            self.repeat_alts.add(mine.alt)
        if mine.alt != original.record.alt:
            self.ways.add_masked(left, is_repeat=is_repeat)

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

    def _note(self, what: str, maf: float = math.inf) -> None:
        self.events.append((what, maf))

    def _compare(self, original: Original, kept: Record, site_maf: float) -> tuple[Left, ...]:
        """Count how a record differs from the original's beside masking; return what was left of it."""
        record = original.record
        left = tuple(left_of(record, kept, in_order=self.has_own_samples, is_part=bool(self._parts)))
        new = {one.column for one in left if one.how == "new"}
        if "FORMAT/PS" in new and self.phase_sets.are_counted(record, kept):
            new.remove("FORMAT/PS")
        if new:
            self._note("something_new")
            self.new.update(name for name in new if name in self.new or len(self.new) < MOST_NAMES)
        if self._parts:
            return left
        if record.alt == kept.alt:
            self.ways.see(kept.line)
            self.ways.add_other(left, site_maf)
        if record.ref != kept.ref and (record.alt == kept.alt or not record.ref.startswith(kept.ref)):
            self._note("reference_changed")
        if genotypes_changed(record, kept, in_order=self.has_own_samples):
            self._note("genotypes_changed")
        if record.alt != kept.alt and shows_more(record, kept, self.pattern):
            self._note("alleles_shown")
        return left

    def _note_unnamed(self, original: Original, kept: Record) -> None:
        record = original.record
        if original.kind & (Alt.REPEAT | Alt.NONE):
            return
        may_be = original.kind & Alt.UNNAMED or len(record.ref) >= self.pattern.min_length or self.locus_keys
        is_told = kept.names(record.alleles) or tells_repeat(kept)
        if may_be and is_told and is_unnamed_repeat(record.ref, record.alt, self.pattern, record.info):
            self._note(unnamed_event(record.ref, record.alt, record.info, self.pattern))

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
            if place in taken or place in self._parts:
                continue
            self._note("added")
            if self.pattern.found(record.alt.upper()) and not originals:
                self._note("added_repeats")
            if record.column.names_allele:
                self._note("moved", maf)
            if originals and shows_more(originals[0].record, record, self.pattern):
                self._note("alleles_shown")
            if target >= 0:
                case, found = self._case(originals[target], record, maf), judged[target]
                leaks = leaks_of(case)
                keys = self._collector.key_set(fields_told(case, leaks), found.keys)
                judged[target] = Judged(found.marks | leaks, found.masked_up_to, keys)

    @staticmethod
    def _counts_as_masked(maf: float, kind: int, judged: Judged) -> bool:
        if kind & Alt.REPEAT:
            return bool(judged.marks & Mark.REPEAT_MASKED)
        return judged.masked_up_to > maf
