"""Checks of masked sites: who carries the allele, and which it is, by the samples' fields."""

import re
from collections.abc import Iterable

from core.vcf.checks.case import Case, site_check
from core.vcf.memoized import remembered
from core.vcf.readings import Kind, format_patterns
from core.vcf.records import GENOTYPE, Record
from core.vcf.repeats import LOCUS, is_unnamed_repeat

_NOT_ZERO = re.compile(rb"[1-9]")
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def _shows(case: Case, kind: int) -> bool:
    """Tell whether a value of a kind, or for 0 of none, is found in the samples."""
    pattern = format_patterns(case.kept.format).get(kind)
    return pattern is not None and case.is_hidden and pattern.search(case.samples) is not None


@site_check("genotype_kept")
def genotype_kept(case: Case) -> bool:
    """Tell whether any genotype names an ALT allele, in GT or in another field (OGT, PGT, LGT, LAA)."""
    if _shows(case, Kind.GENOTYPE):
        return True
    is_first = case.is_hidden and case.kept.format.split(b":")[0] == b"GT"
    # without any such digit, which is found out much faster, no genotype names an ALT allele
    return (
        is_first and _NOT_ZERO.search(case.samples) is not None and GENOTYPE.search(case.samples) is not None
    )


@site_check("depth_betrays")
def depth_betrays(case: Case) -> bool:
    """Tell whether AD, PL, GP, DS or a like field of any sample shows a non-reference allele."""
    return _shows(case, Kind.CARRIES)


@site_check("carriers_blanked")
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


@site_check("sample_fields_kept")
def sample_fields_kept(case: Case) -> bool:
    """Tell whether any sample has a value in a field that no other check looks into."""
    return _shows(case, 0) or (not _is_any_repeat(case) and _shows(case, Kind.REPEAT))


@site_check("allele_in_samples")
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
    return _is_any_repeat(case) and _shows(case, Kind.REPEAT)


def tells_repeat(record: Record) -> bool:
    """Tell whether a field of the samples gives the length of a repeat."""
    pattern = format_patterns(record.format).get(Kind.REPEAT) if record.samples else None
    return pattern is not None and pattern.search(record.telling_samples) is not None


def _is_any_repeat(case: Case) -> bool:
    """Tell whether the original is a short tandem repeat, in a form that the rule names or another."""
    original = case.original
    is_indel = any(len(allele) != len(original.ref) for allele in original.alleles)
    return (
        case.is_repeat
        or is_unnamed_repeat(original.ref, original.alt, case.pattern)
        or (is_indel and LOCUS.search(original.info) is not None)
    )


@remembered
def _spelled(text: bytes) -> re.Pattern[bytes]:
    """Return the pattern of an allele where it is no part of a word."""
    return re.compile(rb"(?<![A-Za-z<])<?%s>?(?![A-Za-z=])" % re.escape(text))


SAMPLE_CHECKS = (
    genotype_kept,
    depth_betrays,
    carriers_blanked,
    sample_fields_kept,
    allele_in_samples,
)
