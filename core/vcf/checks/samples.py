"""Checks of masked sites: who carries the allele, and which it is, by the samples' fields."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from core.vcf.checks.case import Case
from core.vcf.checks.check import FAIL, WARN, site_check
from core.vcf.records import GENOTYPE, Record
from core.vcf.remembering import remembered
from core.vcf.repeats import is_unnamed_repeat

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
_NOT_ZERO = re.compile(rb"[1-9]")
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INDEX = rb"(?:(?:[0.][/|])+[1-9]|[1-9][0-9]*(?:[/|]|(?=[:\t]|\Z)))"
GENOTYPE_ALONE = (
    "Keep GT alone, with the same text for every sample, at these sites: bcftools annotate -x ^FORMAT/GT."
)


class FormatPatterns(NamedTuple):
    """What shows an allele's index, betrays a carrier, or holds another genotype, a repeat or anything."""

    own: re.Pattern[bytes] | None
    carrier: re.Pattern[bytes] | None
    genotype: re.Pattern[bytes] | None
    repeat: re.Pattern[bytes] | None
    filled: re.Pattern[bytes] | None


def _shows(case: Case, pattern: re.Pattern[bytes] | None) -> bool:
    """Tell whether a pattern is found in the samples; None is in no sample."""
    return pattern is not None and case.is_hidden and pattern.search(case.samples) is not None


@site_check(
    "genotype_kept",
    "Genotype still carries the allele",
    FAIL,
    message="{n} of {of} masked sites have genotypes that still carry a masked allele's index: who carries "
    "the rare variant is still told.",
    remedy="Write ./. for every sample at these sites, carriers and others alike.",
)
def genotype_kept(case: Case) -> bool:
    """Tell whether any genotype names an ALT allele, in GT or in another field (OGT, PGT, LGT)."""
    patterns = format_patterns(case.kept.format)
    if _shows(case, patterns.genotype):
        return True
    # Without any such digit, which is found out much faster, no genotype names an ALT allele.
    return patterns.own is not None and _shows(case, _NOT_ZERO) and _shows(case, patterns.own)


@site_check(
    "depth_betrays",
    "Depth fields betray the carrier",
    WARN,
    message="{n} of {of} masked sites have per-sample fields (AD, PL, GL, GP, DS, PS and the like) that "
    "show who carries the masked allele.",
    remedy=GENOTYPE_ALONE,
)
def depth_betrays(case: Case) -> bool:
    """Tell whether AD, PL, GP, DS or a like field of any sample shows a non-reference allele."""
    return _shows(case, format_patterns(case.kept.format).carrier)


@site_check(
    "carriers_blanked",
    "Carriers set apart",
    FAIL,
    message="{n} of {of} masked sites have samples in which the carriers alone were blanked, or are written "
    "otherwise than the others: other separators, another missing form, fields left out or of another "
    "length.",
    remedy="Write the same text for every sample at these sites.",
)
def carriers_blanked(case: Case) -> bool:
    """Tell whether what every carrier has differs in form from what any other sample has.

    Forms are how missing values, separators, lists and trailing fields are written; numbers are alike.
    Where genotypes still name an ALT allele the check of genotypes says so. A FT that set the carriers
    apart in the original already says nothing about masking.
    """
    original, kept = case.original, case.kept
    if (
        not case.is_hidden
        or kept.is_uniform
        or not (original.has_genotypes and kept.has_genotypes)
        or kept.has_carriers
    ):
        return False
    if original.n_samples != kept.n_samples:
        return False
    carries = [cell.partition(b":")[0].strip(b"0./|") != b"" for cell in original.cells]
    if all(carries) or not any(carries):
        return False
    after = [cell.split(b":") for cell in kept.cells]
    if _told_apart((_form(cell) for cell in kept.cells), carries):
        return True
    keys = kept.format.split(b":")
    if any(
        _told_apart((_form(cell[place]) if place < len(cell) else b"" for cell in after), carries)
        for place in range(len(keys))
    ):
        return True
    return (
        b"FT" in keys
        and _told_apart(_filters(keys, kept.cells), carries)
        and not (
            b"FT" in original.format.split(b":")
            and _told_apart(_filters(original.format.split(b":"), original.cells), carries)
        )
    )


def _form(text: bytes) -> bytes:
    """Return a text with every number written as 0 and every word as a."""
    return _WORD.sub(b"a", _NUMBER.sub(b"0", text))


_WORD = re.compile(rb"[A-Za-z_]+")


def _filters(keys: list[bytes], cells: list[bytes]) -> Iterable[bytes]:
    place = keys.index(b"FT")
    return [(cell.split(b":") + [b""] * len(keys))[place] for cell in cells]


def _told_apart(forms: Iterable[bytes], carries: list[bool]) -> bool:
    """Tell whether carriers and others share no form, where there are both."""
    groups: tuple[set[bytes], set[bytes]] = (set(), set())
    for form, carrier in zip(forms, carries, strict=True):
        groups[carrier].add(form)
    return not groups[0] & groups[1]


@site_check(
    "sample_fields_kept",
    "Other fields of samples",
    WARN,
    message="{n} of {of} masked sites have values in per-sample fields other than GT, which may tell the "
    "allele or its carrier.",
    remedy=GENOTYPE_ALONE,
)
def sample_fields_kept(case: Case) -> bool:
    """Tell whether any sample has a value in a field that no other check looks into."""
    patterns = format_patterns(case.kept.format)
    return _shows(case, patterns.filled) or (not _is_any_repeat(case) and _shows(case, patterns.repeat))


@site_check(
    "allele_in_samples",
    "Allele in the samples",
    FAIL,
    message="{n} of {of} masked sites have a sample whose fields spell the allele out (PID, such as "
    "1005_A_G; TGT, such as A/G) or give the repeat's length (REPCN, GB and the like).",
    remedy=GENOTYPE_ALONE,
)
def allele_in_samples(case: Case) -> bool:
    """Tell whether a sample's value spells an allele out, in either case, or gives a repeat's length."""
    samples = case.samples if case.is_hidden and not case.kept.is_missing else b""
    for allele in case.original.alleles:
        text = allele.strip(b"<>")
        if any(
            spelled in samples and _spelled(spelled).search(samples) is not None
            for spelled in (text, text.lower())
        ):
            return True
    return _is_any_repeat(case) and _shows(case, format_patterns(case.kept.format).repeat)


def tells_repeat(record: Record) -> bool:
    """Tell whether a field of the samples gives the length of a repeat."""
    pattern = format_patterns(record.format).repeat if record.samples else None
    return pattern is not None and pattern.search(record.telling_samples) is not None


def _is_any_repeat(case: Case) -> bool:
    """Tell whether the original is a short tandem repeat, in a form that the rule names or another."""
    return case.is_repeat or is_unnamed_repeat(case.original.ref, case.original.alt, case.pattern)


@remembered
def _spelled(text: bytes) -> re.Pattern[bytes]:
    """Return the pattern of an allele where it is no part of a word."""
    return re.compile(rb"(?<![A-Za-z<])<?%s>?(?![A-Za-z=])" % re.escape(text))


@remembered
def format_patterns(format_: bytes) -> FormatPatterns:
    """Return what is looked for in samples under one FORMAT."""
    keys = format_.split(b":")
    fields = dict(CARRIER_FIELDS)
    if b"RD" in keys:  # VarScan: AD holds the reads of the allele alone
        fields[b"AD"] = _ANY_READS
    known = fields.keys() | REPEAT_FIELDS | {b"GT", b""}
    genotypes = [key for place, key in enumerate(keys) if key.endswith(b"GT") and (key != b"GT" or place)]
    unknown = [key for key in keys if key not in known and key not in genotypes]
    return FormatPatterns(
        own=GENOTYPE if keys[0] == b"GT" else None,
        carrier=_of_fields(keys, {key: value for key, value in fields.items() if key in keys}),
        genotype=_of_fields(keys, dict.fromkeys(genotypes, _INDEX)),
        repeat=_of_fields(keys, dict.fromkeys(sorted(REPEAT_FIELDS.intersection(keys)), rb"[^:\t]*[0-9]")),
        filled=_of_fields(keys, dict.fromkeys(unknown, rb"[^:\t]*[1-9A-Za-z]")),
    )


def _of_fields(keys: list[bytes], values: dict[bytes, bytes]) -> re.Pattern[bytes] | None:
    """Return what matches at the tab before a sample in which one of the fields has its value."""
    fields = sorted((keys.index(key), value) for key, value in values.items())
    if not fields:
        return None
    return re.compile(rb"\t(?:%s)" % b"|".join(rb"(?:[^\t:]*+:){%d}+(?:%s)" % field for field in fields))


SAMPLE_CHECKS = (
    genotype_kept,
    depth_betrays,
    carriers_blanked,
    sample_fields_kept,
    allele_in_samples,
)
