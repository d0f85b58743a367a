"""One site looked at closely: is it masked, at which thresholds, and what gives it away.

The answer is a set of bits and two numbers per original record, so that any MAF threshold can be
judged later without reading again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.vcf import leaks, sample_leaks
from core.vcf.frequencies import FrequencyReader
from core.vcf.numeric_info import NumericInfo
from core.vcf.rarity import reference_is_rarest
from core.vcf.records import Record
from core.vcf.repeats import RepeatPattern
from core.vcf.sample_leaks import Samples
from core.vcf.spellings import respelled

NEVER_MASKED = -math.inf  # the site is absent from the anonymized file
ALWAYS_MASKED = math.inf


class Mark:
    """What a scan notes about one original record: bits, as whole numbers."""

    REPEAT = 1 << 0  # a short tandem repeat: a target at any threshold
    REPEAT_MASKED = 1 << 1  # some anonymized record satisfies the repeat rule
    MISSING = 1 << 2  # no anonymized record at the site
    SAME_SITE = 1 << 3  # the candidate before stands at the same site
    NAME_ONLY = 1 << 4
    INFO_ONLY = 1 << 5
    DUPLICATE = 1 << 6
    PUBLIC_ID = 1 << 7
    OTHER_ID = 1 << 8
    INFO_ALLELE = 1 << 9
    INFO_FREQUENCY = 1 << 10
    GENOTYPE = 1 << 11
    DEPTH = 1 << 12
    REPEAT_IN_ALT = 1 << 13
    REPEAT_LENGTH = 1 << 14
    REFERENCE = 1 << 15
    REPEAT_DESCRIBED = 1 << 16
    REPEAT_KEPT = 1 << 17  # an anonymized record at the site still holds a repeat
    SOLE_CARRIER = 1 << 18  # exactly one sample carries the rarest allele, which is still named
    SAMPLE_ALLELE = 1 << 20
    ALT_CHANGED = 1 << 19  # some anonymized record's ALT differs from the original's
    PHASED = 1 << 21  # a phasing identifier of another record names an allele of the site
    DESCRIBED = 1 << 22  # INFO describes the allele
    RESPELLED = 1 << 23  # another ALT names the allele in another spelling
    INDEL = 1 << 24  # REF or INFO shows what a masked insertion or deletion changes
    BLANKED_CARRIERS = 1 << 25  # only the carriers' genotypes were blanked
    SAMPLE_FIELDS = 1 << 26  # samples hold fields whose meaning is not known


@dataclass(frozen=True, kw_only=True)
class SiteRules:
    """What a closer look needs: the repeat pattern and how each file's frequencies are read."""

    pattern: RepeatPattern
    original_reader: FrequencyReader
    anonymized_reader: FrequencyReader
    numeric: NumericInfo = field(default_factory=leaks.numeric_info)


class KeptRecord(NamedTuple):
    """An anonymized record with its recomputed frequency (infinity where not computable)."""

    record: Record
    maf: float

    @property
    def masked_up_to(self) -> float:
        """Return the threshold up to which this record alone counts as masked under the MAF rule."""
        return ALWAYS_MASKED if self.record.alt_is_blank else self.maf


class SiteMark(NamedTuple):
    """The outcome for one original record: bits, and the threshold up to which the MAF rule is satisfied."""

    marks: int
    masked_up_to: float


def keep(record: Record, rules: SiteRules) -> KeptRecord:
    """Recompute an anonymized record's frequency."""
    return KeptRecord(record, rules.anonymized_reader.maf(record.info))


def mark_site(original: Record, maf: float, kept: Sequence[KeptRecord], rules: SiteRules) -> SiteMark:
    """Compare one original record that may be a target with all anonymized records at its site.

    Parameters
    ----------
    original
        The original record.
    maf
        Its site frequency; infinity where not computable.
    kept
        The anonymized records at the same contig and position; empty when the site is missing.
    rules
        The patterns and readers.
    """
    is_repeat = rules.pattern.found(original.alt)
    marks = Mark.REPEAT if is_repeat else 0
    if not kept:
        return SiteMark(marks | Mark.MISSING, NEVER_MASKED)
    masked_up_to = max([record.masked_up_to for record in kept])
    if is_repeat:
        marks |= _repeat_marks(original, kept, rules.pattern)
    for record, _ in kept:
        if rules.pattern.found(record.alt):
            marks |= Mark.REPEAT_KEPT
        if record.alt != original.alt:
            marks |= Mark.ALT_CHANGED
    if marks & Mark.REPEAT_MASKED if is_repeat else masked_up_to > maf:
        marks |= _exposure_marks(original, maf, kept, rules, is_repeat=is_repeat)
    if sole_carrier(original, [record.record for record in kept], rules.original_reader):
        marks |= Mark.SOLE_CARRIER
    return SiteMark(marks, masked_up_to)


def _exposure_marks(
    original: Record, maf: float, kept: Sequence[KeptRecord], rules: SiteRules, *, is_repeat: bool
) -> int:
    """Mark what gives a masked site away."""
    marks = 0
    alleles = original.alleles
    for record, kept_maf in kept:
        if record.names(alleles):
            marks |= _named_mark(original, maf, record, kept_maf, is_repeat=is_repeat)
        elif respelled(alleles, original.ref, record.ref, record.alt):
            marks |= Mark.RESPELLED
        marks |= site_leaks(original, alleles, record, rules, is_repeat=is_repeat)
        if record.format and record.alt != original.alt:
            marks |= samples_leak(alleles, Samples.of(record), is_repeat=is_repeat)
            if record.samples != original.samples and sample_leaks.carriers_blanked(original, record):
                marks |= Mark.BLANKED_CARRIERS
        if not is_repeat and (kept_maf <= maf or leaks.other_frequency(record.info, maf)):
            marks |= Mark.INFO_FREQUENCY
    return marks


def _repeat_marks(original: Record, kept: Sequence[KeptRecord], pattern: RepeatPattern) -> int:
    satisfying = [record.record for record in kept if satisfies_repeat_rule(original, record.record)]
    if not satisfying:
        return 0
    marks = Mark.REPEAT_MASKED
    if all(leaks.masked_in_name_only(record) for record in satisfying):
        marks |= Mark.NAME_ONLY
    if any(leaks.repeat_still_in_alt(original, record, pattern) for record in satisfying):
        marks |= Mark.REPEAT_IN_ALT
    if any(leaks.repeat_length_kept(original, record, pattern) for record in satisfying):
        marks |= Mark.REPEAT_LENGTH
    if any(leaks.repeat_described(record.record, pattern) for record in kept):
        marks |= Mark.REPEAT_DESCRIBED
    return marks


def satisfies_repeat_rule(original: Record, kept: Record) -> bool:
    """Tell whether the published rule counts a repeat as masked: ALT differs and holds an ``N``."""
    return kept.alt != original.alt and b"N" in kept.alt


def _named_mark(original: Record, maf: float, kept: Record, kept_maf: float, *, is_repeat: bool) -> int:
    """Mark an original allele that is still named although the site counts as masked."""
    if is_repeat:
        return 0 if satisfies_repeat_rule(original, kept) else Mark.DUPLICATE
    return Mark.INFO_ONLY if kept_maf > maf else Mark.DUPLICATE


def site_leaks(
    original: Record, alleles: list[bytes], kept: Record, rules: SiteRules, *, is_repeat: bool = False
) -> int:
    """Mark where the columns up to INFO still hold a masked allele."""
    marks = 0
    if kept.id != b".":
        known = leaks.public_id(kept) or leaks.id_holds_allele(alleles, kept)
        marks |= Mark.PUBLIC_ID if known else Mark.OTHER_ID
    pattern = rules.pattern if is_repeat else None
    in_info = leaks.info_marks(alleles, original.ref, kept, pattern, rules.numeric)
    if in_info.allele:
        marks |= Mark.INFO_ALLELE
    if in_info.public_id:
        marks |= Mark.PUBLIC_ID
    if in_info.described:
        marks |= Mark.DESCRIBED
    if kept.ref != original.ref and leaks.reference_holds_allele(alleles, kept):
        marks |= Mark.REFERENCE
    if not is_repeat and kept.alt != original.alt and leaks.indel_described(original, kept):
        marks |= Mark.INDEL
    return marks


def samples_leak(alleles: list[bytes], kept: Samples, carrier: int = -1, *, is_repeat: bool = False) -> int:
    """Mark where the samples still tell who carries a masked allele.

    `carrier` is where in the samples one that carries the allele begins, −1 when none is known.
    """
    marks = 0
    if carrier >= 0 or sample_leaks.genotype_kept(kept):
        marks |= Mark.GENOTYPE
    if sample_leaks.depth_betrays(kept, carrier):
        marks |= Mark.DEPTH
    if sample_leaks.samples_hold_allele(alleles, kept):
        marks |= Mark.SAMPLE_ALLELE
    if is_repeat and sample_leaks.repeat_in_samples(kept):
        marks |= Mark.SAMPLE_ALLELE
    if sample_leaks.unknown_fields(kept):
        marks |= Mark.SAMPLE_FIELDS
    return marks


def sole_carrier(original: Record, kept: Sequence[Record], reader: FrequencyReader) -> bool:
    """Tell whether exactly one sample carries the site's rarest allele in a record that still names it."""
    alleles = original.alt.split(b",")
    holding = [record for record in kept if record.format and record.names(alleles)]
    if not holding:
        return False
    frequencies = reader.site(original.info).frequencies
    if reference_is_rarest(frequencies):
        return any(record.alt == original.alt and record.has_sole_carrier(0) for record in holding)
    rarest = alleles[_rarest_index(frequencies, len(alleles))]
    return any(
        record.names([rarest]) and record.has_sole_carrier(record.alt.split(b",").index(rarest) + 1)
        for record in holding
    )


def _rarest_index(frequencies: Sequence[float], n_alleles: int) -> int:
    if len(frequencies) != n_alleles:
        return 0
    return min(range(n_alleles), key=frequencies.__getitem__)
