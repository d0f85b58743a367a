"""Checks of masked sites: short tandem repeats."""

import re

from core.vcf.checks.case import Case
from core.vcf.checks.check import FAIL, WARN, site_check
from core.vcf.readings import Kind

_IN_BRACKETS = re.compile(rb"\([ACGT]+\)[N0-9]|\[[ACGT]+\][N0-9]|[ACGT]\[[0-9]+\]")
_WRITTEN = re.compile(rb"[=,|:][ACGT]{1,6}[0-9]+(?=[;,|:]|$)")
_DIGIT = re.compile(rb"[0-9]")
ONE_N = "Write one N in place of the whole ALT column at these sites."


@site_check(
    "repeat_in_masked_alt",
    "Repeat still in the masked ALT",
    FAIL,
    message="{n} of {of} masked sites still hold the repeat, or half its copies, in the ALT that counts as "
    "masked.",
    remedy=ONE_N,
)
def repeat_in_masked_alt(case: Case) -> bool:
    """Tell whether the masked ALT still holds a repeat, in either case, or half the copies of the motif.

    An ``N`` between the copies does not hide them.
    """
    alt = case.kept.alt.upper()
    bare = alt.replace(b"N", b"")
    if not bare or not case.is_repeat or not case.is_masked:
        return False
    pattern = case.pattern
    if pattern.found(alt) or pattern.found(bare):
        return True
    motif = pattern.motif(case.original.alt)
    few = len(motif) * (pattern.min_repeat // 2 + 1)
    shown = (motif[shift:] + motif[:shift] for shift in range(len(motif)))
    return any((one * (few // len(one)))[:few] in bare for one in shown)


@site_check(
    "repeat_length_kept",
    "Repeat length kept",
    FAIL,
    message="{n} of {of} masked sites have a masked ALT from which the repeat's length, which identifies, "
    "can be counted: as many letters as the repeat has bases or copies, or a number.",
    remedy="Write one N, or the same number of Ns everywhere, in place of ALT at these sites.",
)
def repeat_length_kept(case: Case) -> bool:
    """Tell whether the length of a masked repeat can be read from the masked ALT.

    That is: an allele as long as the original's, or as what it adds to REF, or with one ``N`` a copy of
    the motif; or a number in ALT, as in ``<STR7>`` and ``(AC)7N``.
    """
    original, kept = case.original, case.kept
    if not case.is_repeat or not case.is_masked or (len(kept.alt) == 1 and not kept.alt.isdigit()):
        return False
    if any(_DIGIT.search(allele) for allele in kept.alts if not set(allele) & set(b"[]")):
        return True
    repeats = [allele for allele in original.alleles if case.pattern.found(allele)]
    lengths = {len(allele) for allele in repeats}
    for allele in repeats:
        lengths |= {len(allele) - len(original.ref), *case.pattern.copies(allele)}
    masked = [allele.strip(b"<>") for allele in kept.alts if b"N" in allele]
    return any(len(allele) > 1 and len(allele) in lengths for allele in masked)


@site_check(
    "repeat_described",
    "Repeat described beside ALT",
    WARN,
    message="{n} of {of} masked sites show the repeat in REF or describe it in INFO (unit, copies, length, "
    "end), from which the masked length may follow.",
    remedy="Write the first base alone in REF at these sites, and blank INFO.",
)
def repeat_described(case: Case) -> bool:
    """Tell whether INFO describes the repeat (unit, count, length) or REF still shows it."""
    if not case.is_repeat:
        return False
    info = case.kept.info.upper()
    in_brackets = b"(" in info or b"[" in info
    return (
        bool(case.kinds & Kind.REPEAT)
        or _WRITTEN.search(info) is not None
        or (in_brackets and _IN_BRACKETS.search(info) is not None)
        or case.pattern.found(case.kept.ref)
    )


REPEAT_CHECKS = (repeat_in_masked_alt, repeat_length_kept, repeat_described)
