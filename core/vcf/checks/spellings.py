"""A masked allele in another spelling: other case, percent signs, the other strand, other padding.

Everything here works on upper-case text whose percent signs are decoded, as :func:`plain` returns it.
"""

import re
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from core.vcf.memoized import remembered

# A variant as people write it: ``1:1005:A:G``, an identifier of dbSNP, a change in HGVS.
WRITTEN_VARIANT = re.compile(
    rb"(?<![A-Za-z0-9])(?:chr)?(?:\d{1,2}|X|Y|MT?)[:_\s-]\d+[:_\s-]*[ACGT]+\s*[>/:_\s-]\s*[ACGT]+(?![A-Za-z])"
    rb"|(?<![A-Za-z0-9])rs\d{3,}|[cgmn]\.[0-9+*-]+[ACGT]+>[ACGT]"
)
_OTHER_STRAND = bytes.maketrans(b"ACGT", b"TGCA")
_LONG_ALLELE = 6
_MIN_INSERTED = 4
PAIR_CODES = {b"AG": b"R", b"CT": b"Y", b"CG": b"S", b"AT": b"W", b"GT": b"K", b"AC": b"M"}
# Blanks for all that ends a word of a field's value; a text before "=" is a key, not a word.
_BLANKED = bytes(
    byte if (chr(byte).isalnum() and byte < 128) or byte in b"_.*=" else 32 for byte in range(256)
)
_LETTERS = re.compile(rb"[A-Z*]+")


def plain(text: bytes) -> bytes:
    """Return a text in upper case with its percent signs decoded."""
    return (unquote_to_bytes(text) if b"%" in text else text).upper()


def words_of(text: bytes) -> bytes:
    """Return the words of a plain INFO column, each between blanks or after its key and ``=``."""
    return b" %s " % text.translate(_BLANKED)


def spells(allele: bytes, ref: bytes, text: bytes, words: bytes) -> bool:
    """Tell whether a text holds an allele as a word, or beside REF, or if it is long anywhere.

    Notes
    -----
    Of an insertion, what it adds to REF is searched too, for annotators write only that. Long alleles
    are also searched on the other strand.
    """
    allele, ref = allele.upper(), ref.upper()
    inserted = allele[len(ref) :] if allele.startswith(ref) else b""
    return (
        _holds(allele, text, words)
        or (len(inserted) > 1 and _holds(inserted, text, words))
        or _substitutes(ref, allele, text)
    )


def _holds(allele: bytes, text: bytes, words: bytes) -> bool:
    if len(allele) >= _LONG_ALLELE:
        return allele in text or allele.translate(_OTHER_STRAND)[::-1] in text
    return allele in text and (b" %s " % allele in words or b"=%s " % allele in words)


def _substitutes(ref: bytes, allele: bytes, text: bytes) -> bool:
    """Tell whether REF and the allele stand together, as in ``1005_A_G``, ``A1005G`` or ``AtoG``."""
    if not ref.isalpha() or not allele.isalpha() or allele not in text or ref not in text:
        return False
    found = _substitution(ref, allele).finditer(text)
    return any(not text[max(0, match.start() - 1) : match.start()].isalpha() for match in found)


@remembered
def _substitution(ref: bytes, allele: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"%s(?:_|TO|[0-9]+)%s(?![A-Z0-9])" % (ref, allele))


def holds_allele(alleles: Sequence[bytes], text: bytes) -> bool:
    """Tell whether a text of an identifier, such as ``chr1_1005_a_g``, holds an allele as a word."""
    words = re.split(rb"[^A-Z<>*]+", text.upper())
    return any(allele.upper() in words for allele in alleles)


def resembles(alleles: Sequence[bytes], ref: bytes, kept_alt: bytes) -> bool:
    """Tell whether an ALT holds half of what an allele inserts, forwards, backwards or on the other strand.

    Of insertions of fewer than four bases, half says little.
    """
    names = _names(kept_alt)
    for allele in alleles:
        inserted = trimmed(ref.upper(), allele.upper())[2]
        if len(inserted) < _MIN_INSERTED or not inserted.isalpha():
            continue
        half = max(3, (len(inserted) + 1) // 2)
        if any(
            form[start : start + half] in name
            for name in names
            if len(name) >= half
            for form in (inserted, inserted[::-1], inserted.translate(_OTHER_STRAND)[::-1])
            for start in range(len(form) - half + 1)
        ):
            return True
    return False


def respelled(alleles: Sequence[bytes], ref: bytes, kept_ref: bytes, kept_alt: bytes) -> bool:
    """Tell whether an ALT that differs from the original's names one of its alleles all the same.

    That is: in another case, inside a symbolic allele or beside a dot or an ``N``, by an ambiguity code
    of REF and the allele, with other padding, or with REF and ALT exchanged.
    """
    ref, kept_ref = ref.upper(), kept_ref.upper()
    names = _names(kept_alt)
    for allele in (one.strip(b"<>").upper() for one in alleles):
        if allele in names or (allele == kept_ref and ref in names):
            return True
        if len(ref) == len(allele) == 1 and PAIR_CODES.get(bytes(sorted(ref + allele))) in names:
            return True
        if kept_ref != ref and any(trimmed(kept_ref, name)[1:] == trimmed(ref, allele)[1:] for name in names):
            return True
    return False


@remembered
def _names(alt: bytes) -> frozenset[bytes]:
    """Return what the alleles of an ALT column name, without the letters that mask: ``GN`` names ``G``."""
    found: set[bytes] = set()
    for allele in alt.upper().split(b","):
        if not allele.startswith(b"<NON_REF"):
            found.update(_LETTERS.findall(allele))
            found.update(part for part in allele.strip(b"<>").split(b"N") if part)
    return frozenset(found)


def trimmed(ref: bytes, alt: bytes) -> tuple[int, bytes, bytes]:
    """Return a variant without what REF and ALT have in common at their ends, the last base first.

    Before it how many bases both had in common at their beginning.
    """
    while ref and alt and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    n_shared = 0
    while ref and alt and ref[0] == alt[0]:
        ref, alt, n_shared = ref[1:], alt[1:], n_shared + 1
    return n_shared, ref, alt
