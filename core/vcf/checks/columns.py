"""Checks of masked sites: ALT, REF, QUAL, ID and FILTER, and short tandem repeats."""

import re
from collections.abc import Iterator

from core.vcf.checks.case import Case, field_check, site_check
from core.vcf.checks.info import public_ids_in_info
from core.vcf.checks.spellings import holds_allele, resembles, respelled
from core.vcf.readings import Kind
from core.vcf.records import USUAL_FILTERS

_PUBLIC_ID = re.compile(rb"(?i)(?:^|[;,])\s*(?:rs|ss|esv|nsv|essv|nssv|cos[mvn]|rcv|scv|vcv|ca|mu)[0-9]")
_BREAKEND_MATE = re.compile(rb"[\[\]][^\[\]]*[\[\]]")
_SYMBOLIC = re.compile(rb"<[^<>]*>")


@site_check("masked_in_name_only")
def masked_in_name_only(case: Case) -> bool:
    """Tell whether every ``N`` of the ALT column stands inside a symbolic allele or a mate's name.

    ``<N>`` and ``<NN>`` count as masked.
    """
    if not case.is_repeat or not case.is_masked:
        return False
    return not any(_has_masked_base(allele) for allele in case.kept.alts)


def _has_masked_base(allele: bytes) -> bool:
    if allele.startswith(b"<"):
        return bool(allele.strip(b"<>")) and not allele.strip(b"<>N")
    return b"N" in _SYMBOLIC.sub(b"", _BREAKEND_MATE.sub(b"", allele))


@site_check("allele_respelled")
def allele_respelled(case: Case) -> bool:
    """Tell whether ALT names the allele in another spelling, or most of a long one."""
    if case.still_named or case.kept.alt == b".":
        return False
    original, kept = case.original, case.kept
    if respelled(original.alleles, original.ref, kept.ref, kept.alt):
        return True
    return not case.is_repeat and resembles(original.alleles, original.ref, kept.alt)


@site_check("length_in_alt")
def length_in_alt(case: Case) -> bool:
    """Tell whether the Ns of a masked ALT count the bases of an allele of another length than REF."""
    if case.is_repeat or case.kept.alt.strip(b"N,") or case.is_substitution:
        return False
    lengths = {len(allele) for allele in case.original.alleles if allele.isalpha()} - {1}
    return any(len(allele) in lengths for allele in case.kept.alts)


@site_check("frequency_only")
def frequency_only(case: Case) -> bool:
    """Tell whether ALT still names the allele of a rare record that counts as masked."""
    return not case.is_repeat and case.still_named and case.is_masked


@site_check("unmasked_duplicate")
def unmasked_duplicate(case: Case) -> bool:
    """Tell whether the record itself is not masked although its site counts as masked."""
    return case.still_named and not case.is_masked


@site_check("allele_in_ref")
def allele_in_ref(case: Case) -> bool:
    """Tell whether a REF that was changed holds a masked allele; a part of the original's REF does not."""
    ref = case.kept.ref.upper()
    if case.original.ref.upper().startswith(ref):
        return False
    return any(
        allele.upper() == ref or (len(allele) > 1 and allele.upper() in ref)
        for allele in case.original.alleles
    )


@field_check("public_id")
def public_id(case: Case) -> Iterator[bytes]:
    """Yield which of ID, FILTER and INFO hold a public identifier, or ID the allele (``chr1_1005_a_g``)."""
    if id_is_public(case):
        yield b"ID"
    if case.kept.filter not in USUAL_FILTERS and _PUBLIC_ID.search(case.kept.filter):
        yield b"FILTER"
    yield from public_ids_in_info(case)


def id_is_public(case: Case) -> bool:
    """Tell whether the ID column holds a public identifier or spells the allele out."""
    return case.kept.id != b"." and (
        _PUBLIC_ID.search(case.kept.id) is not None or holds_allele(case.original.alleles, case.kept.id)
    )


@site_check("other_id")
def other_id(case: Case) -> bool:
    """Tell whether ID is neither missing nor found by the check before."""
    return case.kept.id != b"." and not id_is_public(case)


COLUMN_CHECKS = (
    masked_in_name_only,
    allele_respelled,
    length_in_alt,
    frequency_only,
    unmasked_duplicate,
    allele_in_ref,
    public_id,
    other_id,
)


_IN_BRACKETS = re.compile(rb"\([ACGT]+\)[N0-9]|\[[ACGT]+\][N0-9]|[ACGT]\[[0-9]+\]")
_WRITTEN = re.compile(rb"[=,|:][ACGT]{1,6}[0-9]+(?=[;,|:]|$)")
_DIGIT = re.compile(rb"[0-9]")


@site_check("repeat_in_masked_alt")
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


@site_check("repeat_length_kept")
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


@site_check("repeat_described")
def repeat_described(case: Case) -> bool:
    """Tell whether INFO describes the repeat (unit, count, length) or REF still shows it.

    Where REF is the whole locus, as INFO says, neither that nor REF depends on the allele.
    """
    if not case.is_repeat:
        return False
    info = case.kept.info.upper()
    in_brackets = b"(" in info or b"[" in info
    return (
        (
            bool(case.kinds & Kind.REPEAT)
            and any(one.key not in case.of_locus for one in case.info.fields(Kind.REPEAT))
        )
        or _WRITTEN.search(info) is not None
        or (in_brackets and _IN_BRACKETS.search(info) is not None)
        or (case.pattern.found(case.kept.ref) and not case.of_locus)
    )


REPEAT_CHECKS = (repeat_in_masked_alt, repeat_length_kept, repeat_described)
