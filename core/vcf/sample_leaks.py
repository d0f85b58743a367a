"""What the samples of a masked site still tell: who carries the allele, and which it is."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from core.vcf.records import GENOTYPE, Record

# FORMAT fields and what in a sample's value betrays an allele (applied from the value's start).
_OTHER_READS = rb"[0-9.]++,(?:[0.]*+,)*+[1-9]"  # after the reads of the reference
_ANY_READS = rb"(?:[0.]*+,)*+[1-9]"
_SHARE = rb"(?:0?\.?0*,)*0?\.?0*[1-9]"
_PHRED = rb"[1-9][0-9]*+,"
_LIKELIHOOD = rb"-[0-9.]*[1-9][0-9.eE+-]*,(?:[^,:\t]*,)*-?0(?:\.0*)?(?=[,:\t]|\Z)"
_PROBABILITY = rb"(?:0?\.[0-4][0-9]*|0(?:\.0*)?|[0-9.]+[eE]-[0-9]+),"
_DOSAGE = rb"(?:[0-9.]*,)*(?:0?\.[1-9]|[1-9])"
_PRESENT = rb"[0-9]"
CARRIER_FIELDS: dict[bytes, bytes] = {
    **dict.fromkeys((b"AD", b"ADF", b"ADR", b"DPR", b"LAD"), _OTHER_READS),
    **dict.fromkeys((b"AO", b"DV", b"NV", b"QA", b"EC", b"LAA", b"TIR", b"SAF", b"SAR"), _ANY_READS),
    **dict.fromkeys((b"VAF", b"AF", b"VF", b"AB", b"FREQ"), _SHARE),
    **dict.fromkeys((b"PL", b"PP", b"LPL"), _PHRED),
    b"GL": _LIKELIHOOD,
    b"GP": _PROBABILITY,
    **dict.fromkeys((b"DS", b"HDS", b"ADS"), _DOSAGE),
    **dict.fromkeys((b"SB", b"DP4", b"SAC"), rb"[0-9]+,[0-9]+,(?:0,)?[1-9]"),
    b"BCOUNT": rb"(?:[0-9]+,)*[1-9][0-9]*,(?:0,)*[1-9]",
    **dict.fromkeys((b"PS", b"HP", b"PID", b"PQ"), _PRESENT),
    b"CN": rb"(?:[013-9]|[0-9]{2})",
}
REPEAT_FIELDS = frozenset(
    b"REPCN REPCI GB BPDIFFS AL ALLREADS MALLREADS MC MS CN RC ADSP ADFL ADIR ALLR AP AM".split()
)
HARMLESS_FIELDS = frozenset((b"GT", b"DP", b"GQ", b"RGQ", b"MIN_DP", b"MQ", b"FT", b"NR", b"RD", b"RO", b""))
_NOT_ZERO = re.compile(rb"[1-9]")
_INDEX = rb"(?:(?:[0.][/|])+[1-9]|[1-9][0-9]*(?:[/|]|(?=[:\t]|\Z)))"


class FormatPatterns(NamedTuple):
    """What shows an allele's index, betrays a carrier, or holds another genotype, a repeat or the unknown."""

    own: re.Pattern[bytes] | None
    carrier: re.Pattern[bytes] | None
    genotype: re.Pattern[bytes] | None
    repeat: re.Pattern[bytes] | None
    unknown: re.Pattern[bytes] | None


class Samples(NamedTuple):
    """The samples of a record: where they stand in a text, the tab before the first included."""

    patterns: FormatPatterns
    text: bytes | bytearray
    start: int
    end: int

    @classmethod
    def of(cls, record: Record) -> Samples:
        """Return the samples of a record by itself."""
        return cls(format_patterns(record.format), record.samples, 0, len(record.samples))

    def shows(self, pattern: re.Pattern[bytes] | None) -> bool:
        """Tell whether a pattern is found; None is in no sample."""
        return pattern is not None and pattern.search(self.text, self.start, self.end) is not None


def genotype_kept(kept: Samples) -> bool:
    """Tell whether any genotype names an ALT allele, in GT or in another field (OGT, PGT, LGT)."""
    if kept.shows(kept.patterns.genotype):
        return True
    # Without any such digit, which is found out much faster, no genotype names an ALT allele.
    return kept.patterns.own is not None and kept.shows(_NOT_ZERO) and kept.shows(kept.patterns.own)


def depth_betrays(kept: Samples, carrier: int = -1) -> bool:
    """Tell whether AD, PL, GP, DS or a like field of any sample shows a non-reference allele.

    `carrier` is where in the samples that of a known carrier begins: it is looked at first. −1 is none.
    """
    pattern = kept.patterns.carrier
    if pattern is None:
        return False
    if carrier >= 0 and pattern.match(kept.text, kept.start + carrier, kept.end):
        return True
    return kept.shows(pattern)


def repeat_in_samples(kept: Samples) -> bool:
    """Tell whether a field of any sample holds the repeat's length or copies (REPCN, GB, MC and the like)."""
    return kept.shows(kept.patterns.repeat)


def unknown_fields(kept: Samples) -> bool:
    """Tell whether any sample has a value in a field whose meaning is not known here."""
    return kept.shows(kept.patterns.unknown)


def samples_hold_allele(alleles: list[bytes], kept: Samples) -> bool:
    """Tell whether a sample's value spells an allele out: ``1005_A_G``, ``A/G``, in either case."""
    for allele in alleles:
        for spelled, pattern in _spellings(allele):
            if kept.text.find(spelled, kept.start, kept.end) >= 0 and kept.shows(pattern):
                return True
    return False


@lru_cache(maxsize=4096)
def _spellings(allele: bytes) -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
    """Return an allele as it may be written, each with the pattern of where it is no part of a word."""
    text = allele.strip(b"<>")
    return tuple(
        (spelled, re.compile(rb"(?<![A-Za-z<])<?%s>?(?![A-Za-z=])" % re.escape(spelled)))
        for spelled in sorted({text, text.lower()})
    )


def carriers_blanked(original: Record, kept: Record) -> bool:
    """Tell whether masking set the carriers' fields apart, so that a blank tells who carries.

    True when no genotype names an ALT allele any more, and in the genotype, or in a field whose values are
    harmless, what every carrier has differs in form from what any other sample has: blank or not, blank in
    another spelling, left out, or another filter. A form that set them apart in the original already says
    nothing about masking.
    """
    if not (original.has_genotypes and kept.has_genotypes) or kept.has_carriers:
        return False
    before, after = (_fields_by_sample(record) for record in (original, kept))
    if len(before) != len(after):
        return False
    carries = [bool(sample[0].strip(b"0./|")) for sample in before]
    if _told_apart([sample[0].replace(b"|", b"/") for sample in after], carries):
        return True
    old, new = original.format.split(b":"), kept.format.split(b":")
    return any(
        key in HARMLESS_FIELDS
        and _told_apart(_forms(after, place, key), carries)
        and not (key in old and _told_apart(_forms(before, old.index(key), key), carries))
        for place, key in enumerate(new)
    )


def _fields_by_sample(record: Record) -> list[list[bytes]]:
    return [sample.split(b":") for sample in record.samples[1:].split(b"\t")]


def _forms(samples: list[list[bytes]], place: int, key: bytes) -> list[bytes]:
    """Return each field's form: how blank and phase are written, which filter it is, or that it is filled."""
    fields = [sample[place] if place < len(sample) else b"" for sample in samples]
    if key == b"GT":
        return [field.translate(None, b"0123456789") for field in fields]
    return [b"filled" if key != b"FT" and field.strip(b".,") else field for field in fields]


def _told_apart(values: list[bytes], carries: list[bool]) -> bool:
    """Tell whether carriers and others share no value, where there are both."""
    groups: tuple[set[bytes], set[bytes]] = (set(), set())
    for value, carrier in zip(values, carries, strict=True):
        groups[carrier].add(value)
    others, carriers = groups
    return bool(others and carriers) and not others & carriers


@cache
def format_patterns(format_: bytes) -> FormatPatterns:
    """Return what is looked for in samples under one FORMAT."""
    keys = format_.split(b":")
    fields = dict(CARRIER_FIELDS)
    if b"RD" in keys:  # VarScan: AD holds the reads of the allele alone
        fields[b"AD"] = _ANY_READS
    known = fields.keys() | REPEAT_FIELDS | HARMLESS_FIELDS
    genotypes = [key for place, key in enumerate(keys) if key.endswith(b"GT") and (key != b"GT" or place)]
    unknown = [key for key in keys if key not in known and key not in genotypes]
    return FormatPatterns(
        own=GENOTYPE if keys[0] == b"GT" else None,
        carrier=_of_fields(keys, {key: value for key, value in fields.items() if key in keys}),
        genotype=_of_fields(keys, dict.fromkeys(genotypes, _INDEX)),
        repeat=_of_fields(keys, dict.fromkeys(sorted(REPEAT_FIELDS.intersection(keys)), rb"[^:\t]*[0-9]")),
        unknown=_of_fields(keys, dict.fromkeys(unknown, rb"[^:\t]*[0-9A-Za-z]")),
    )


def _of_fields(keys: list[bytes], values: dict[bytes, bytes]) -> re.Pattern[bytes] | None:
    """Return what matches at the tab before a sample in which one of the fields has its value."""
    fields = sorted((keys.index(key), value) for key, value in values.items())
    if not fields:
        return None
    return re.compile(rb"\t(?:%s)" % b"|".join(rb"(?:[^\t:]*+:){%d}+(?:%s)" % field for field in fields))
