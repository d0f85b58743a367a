"""What the samples of a masked site still tell: who carries the allele, and which it is."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from core.vcf.records import Record

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
_INDEX = rb"(?:(?:[0.][/|])+[1-9]|[1-9][0-9]*(?:[/|]|(?=[:\t]|\Z)))"


class _Patterns(NamedTuple):
    """What betrays a carrier, holds a genotype, a repeat's copies or anything unknown, under one FORMAT."""

    carrier: re.Pattern[bytes] | None
    genotype: re.Pattern[bytes] | None
    repeat: re.Pattern[bytes] | None
    unknown: re.Pattern[bytes] | None


def depth_betrays(kept: Record, carrier: int | None = None) -> bool:
    """Tell whether AD, PL, GP, DS or a like field of any sample shows a non-reference allele.

    `carrier` is where in the samples that of a known carrier begins: it is looked at first.
    """
    pattern = _patterns(kept.format).carrier
    if pattern is None:
        return False
    if carrier is not None and pattern.match(kept.samples, carrier):
        return True
    return pattern.search(kept.samples) is not None


def genotype_elsewhere(kept: Record) -> bool:
    """Tell whether a field of genotypes other than a leading GT (OGT, PGT, LGT) names an ALT allele."""
    pattern = _patterns(kept.format).genotype
    return pattern is not None and pattern.search(kept.samples) is not None


def repeat_in_samples(kept: Record) -> bool:
    """Tell whether a field of any sample holds the repeat's length or copies (REPCN, GB, MC and the like)."""
    pattern = _patterns(kept.format).repeat
    return pattern is not None and pattern.search(kept.samples) is not None


def unknown_fields(kept: Record) -> bool:
    """Tell whether any sample has a value in a field whose meaning is not known here."""
    pattern = _patterns(kept.format).unknown
    return pattern is not None and pattern.search(kept.samples) is not None


def samples_hold_allele(alleles: list[bytes], kept: Record) -> bool:
    """Tell whether a sample's value spells an allele out: ``1005_A_G``, ``A/G``, in either case."""
    for allele in alleles:
        text = allele.strip(b"<>")
        for spelled in {text, text.lower()}:
            if spelled in kept.samples and re.search(
                rb"(?<![A-Za-z<])<?%s>?(?![A-Za-z=])" % re.escape(spelled), kept.samples
            ):
                return True
    return False


def carriers_blanked(original: Record, kept: Record) -> bool:
    """Tell whether the carriers' genotypes alone were blanked, so that the blank tells who carries.

    True when no carrier of an ALT allele has a genotype that any other sample has, too, and no genotype
    names an allele any more.
    """
    if not (original.has_genotypes and kept.has_genotypes) or kept.has_carriers:
        return False
    before, after = (_genotypes(record) for record in (original, kept))
    if len(before) != len(after):
        return False
    groups: tuple[set[bytes], set[bytes]] = (set(), set())
    for old, new in zip(before, after, strict=True):
        groups[bool(old.strip(b"0./|"))].add(new.replace(b"|", b"/"))
    others, carriers = groups
    return bool(others and carriers) and not others & carriers


def _genotypes(record: Record) -> list[bytes]:
    return [sample.partition(b":")[0] for sample in record.samples[1:].split(b"\t")]


@cache
def _patterns(format_: bytes) -> _Patterns:
    keys = format_.split(b":")
    fields = dict(CARRIER_FIELDS)
    if b"RD" in keys:  # VarScan: AD holds the reads of the allele alone
        fields[b"AD"] = _ANY_READS
    known = fields.keys() | REPEAT_FIELDS | HARMLESS_FIELDS
    genotypes = [key for place, key in enumerate(keys) if key.endswith(b"GT") and (key != b"GT" or place)]
    unknown = [key for key in keys if key not in known and key not in genotypes]
    return _Patterns(
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
