"""Checks of masked sites: INFO."""

import re
from collections.abc import Iterator

from core.vcf.checks.case import Case, field_check, site_check
from core.vcf.checks.spellings import plain, spells, words_of
from core.vcf.readings import Field, Kind

_HGVS = re.compile(
    rb"(?<![A-Za-z0-9])[cgmnpr]\.(?:[^|;,\s]*(?:[ACGT]>[ACGT]|del|ins|dup|inv|[A-Z][a-z]{2}[0-9]+[A-Z*=])"
    rb"|[ACGT][0-9]+[ACGT]|[A-Z][0-9]+[A-Z*])"
)
_HGVS_LEVELS = b"cgmnpr"
_HGVS_START = re.compile(rb"[cgmnpr]\.[A-Z0-9*(+-]")
_ID_WORD = re.compile(rb"[ =](?:RS|SS|[EN]S?SV|COS[MNV]|[RSV]CV|CA)[0-9]{2}")
_ENDS_OF_IDS = bytes.maketrans(b"SVMN123456789", b"AAAA000000000")
_NUMBER = re.compile(rb"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COUNTS = re.compile(rb"[0-9]+(?:,[0-9]+)*")
_ZERO = b"0.,|/: "
_WORD = re.compile(rb"[\w.-]+")
_GRAPH_PATH = re.compile(rb"[<>][0-9]+")
#: Kinds that a check of their own speaks of.
SPOKEN_OF = (
    Kind.HARMLESS | Kind.IDENTIFIER | Kind.DESCRIBES | Kind.COUNTS | Kind.FREQUENCY | Kind.LENGTH | Kind.TELLS
)


def field_named(text: bytes) -> bytes:
    """Return a field's name as bcftools takes it: its key of INFO, or FILTER."""
    key = text.partition(b"=")[0]
    return key if key == b"FILTER" else b"INFO/" + key


@field_check("allele_in_info")
def allele_in_info(case: Case) -> Iterator[bytes]:
    """Yield what of INFO and FILTER spells the allele out or annotates it."""
    if case.kinds & Kind.ANNOTATES:
        yield from (
            field_named(field.text) for field in case.info.fields(Kind.ANNOTATES) if _names_an_allele(field)
        )
    info = case.kept.info
    if _may_hold_hgvs(info) and _HGVS_START.search(info) and _HGVS.search(info):
        yield from (field_named(text) for text in info.split(b";") if _HGVS.search(text))
    if case.wordy and _spells_it(case, case.wordy, case.words):
        for text in case.wordy_fields:
            if _spells_it(case, alone := plain(text), words_of(alone)):
                yield field_named(text)


def _spells_it(case: Case, text: bytes, words: bytes) -> bool:
    ref = case.original.ref
    return any(spells(allele.strip(b"<>"), ref, text, words) for allele in case.original.alleles) or (
        case.is_repeat and case.pattern.found(text)
    )


def _may_hold_hgvs(info: bytes) -> bool:
    """Tell whether the letter of a level stands before a point."""
    return any(part[-1:] in _HGVS_LEVELS for part in info.split(b".")[:-1])


def _names_an_allele(field: Field) -> bool:
    """Tell whether an annotation begins with an allele, as VEP and SnpEff write it."""
    first, bar, _ = (field.value or b"").partition(b"|")
    return bool(bar) and first not in (b"", b".", b"N")


def public_ids_in_info(case: Case) -> Iterator[bytes]:
    """Yield the fields whose value is a public database's identifier, or that are for such ones."""
    if case.kinds & Kind.IDENTIFIER:
        yield from (
            field_named(field.text) for field in case.info.fields(Kind.IDENTIFIER) if field.value is not None
        )
    if case.wordy and _holds_id_word(case.wordy, case.words):
        for text in case.wordy_fields:
            if _holds_id_word(alone := plain(text), words_of(alone)):
                yield field_named(text)


def _holds_id_word(text: bytes, words: bytes) -> bool:
    """Tell whether a word is a public identifier: all of them end in one of few letters and two digits."""
    return b"GA4GH:" in text or (
        b"A00" in words.translate(_ENDS_OF_IDS) and _ID_WORD.search(words) is not None
    )


@field_check("told_in_info")
def told_in_info(case: Case) -> Iterator[bytes]:
    """Yield the fields whose key promises such a thing and whose value is not zero, or that name a sample."""
    if case.kinds & Kind.TELLS:
        yield from (field_named(field.text) for field in case.info.fields(Kind.TELLS) if _tells(field))
    if case.names and case.wordy and not case.names.isdisjoint(_WORD.findall(case.wordy)):
        for text in case.wordy_fields:
            if not case.names.isdisjoint(_WORD.findall(plain(text))):
                yield field_named(text)


def _tells(field: Field) -> bool:
    """Tell whether a value is neither zero nor, of AT, something else than a path through a graph."""
    if field.value is None or not field.value.strip(_ZERO):
        return False
    return field.key != b"AT" or _GRAPH_PATH.search(field.value) is not None


@field_check("described_in_info")
def described_in_info(case: Case) -> Iterator[bytes]:
    """Yield the fields that describe the allele; counts of nobody describe nothing."""
    if case.kinds & (Kind.DESCRIBES | Kind.COUNTS):
        yield from (
            field_named(field.text)
            for field in case.info.fields(Kind.DESCRIBES | Kind.COUNTS)
            if field.kind & Kind.DESCRIBES or (field.value is not None and field.value.strip(_ZERO))
        )


@field_check("rare_frequency_in_info")
def rare_frequency_in_info(case: Case) -> Iterator[bytes]:
    """Yield the fields (AF_afr, gnomAD_AF, AC with AN, …) that hold a frequency as rare as the site's.

    The field that decides the rule is one of them: another may stand behind it. A value of exactly 0 in
    a population field says "not seen there", which is rare as well.
    """
    if case.is_repeat:
        return
    limit = case.maf * 1.001
    is_any = case.kept_maf <= case.maf  # by the field that decides, whichever it is
    if is_any or _counts_are_rare(case, limit):
        yield from (field_named(field.text) for field in case.info.fields() if field.key == b"AC")
    for field in case.info.fields(Kind.FREQUENCY):
        if is_any or any(min(share, 1 - share) <= limit for share in _shares(field)):
            yield field_named(field.text)


def _counts_are_rare(case: Case, limit: float) -> bool:
    """Tell whether AC with AN makes a frequency up to a limit."""
    values = {field.key: field.value or b"" for field in case.info.fields() if field.key in (b"AC", b"AN")}
    counts, total = values.get(b"AC", b""), values.get(b"AN", b"")
    if not _COUNTS.fullmatch(counts) or not total.isdigit() or int(total) == 0:
        return False
    return any(int(count) / int(total) <= limit for count in counts.split(b","))


def _shares(field: Field) -> Iterator[float]:
    """Yield the numbers of a field of frequencies that are shares, from percent or −log10 (POPAF) too."""
    value = field.value or b""
    hundredths = b"%" in value or b"PCT" in field.key or b"PERCENT" in field.key
    for text in _NUMBER.findall(value):
        number = float(text) / 100 if hundredths else float(text)
        if field.key.endswith(b"POPAF"):
            number = 10**-number
        if number <= 1:
            yield number


@site_check("indel_described")
def indel_described(case: Case) -> bool:
    """Tell whether REF or INFO show what a masked insertion, deletion or symbolic allele changes.

    A REF longer than one base beside a masked ALT of another length is a deletion, almost always of all
    but the first base.
    """
    original, kept = case.original, case.kept
    if case.is_repeat or kept.alt == original.alt:
        return False
    lengths = {len(allele) for allele in original.alleles if allele.isalpha()}
    if lengths == {len(original.ref)}:
        return False
    return len(kept.ref) > 1 or bool(case.kinds & Kind.LENGTH)


@field_check("other_info")
def other_info(case: Case) -> Iterator[bytes]:
    """Yield the fields that are neither harmless nor spoken of by another check."""
    return map(b"INFO/".__add__, other_keys(case))


def other_keys(case: Case) -> tuple[bytes, ...]:
    """Return the keys of fields that are neither harmless nor spoken of by another check."""
    spoken_of = SPOKEN_OF | (Kind.REPEAT if case.is_repeat else 0)
    others = case.info.others(spoken_of)
    return tuple(key for key in others if key.upper() not in case.of_locus) if b"START" in others else others


INFO_CHECKS = (
    allele_in_info,
    told_in_info,
    described_in_info,
    rare_frequency_in_info,
    indel_described,
    other_info,
)
