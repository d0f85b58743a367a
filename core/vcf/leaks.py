"""What at a masked site still gives the masked allele or the donor away: one function a check.

Each takes the original record and the anonymized record that stands at its site, and answers yes
or no. They are written from the attacker's side: position, public databases and everything left in
the record are at hand.
"""

from __future__ import annotations

import re
from functools import cache

from core.vcf.records import Record
from core.vcf.repeats import RepeatPattern

_ANNOTATION = re.compile(rb"(?i)(?:CSQ|ANN|EFF|BCSQ|VEP|HGVS|CLNHGVS|LOF|NMD)[A-Z0-9_.]*=.")
_ANNOTATION_STARTS = frozenset((b"CSQ", b"ANN", b"EFF", b"BCS", b"VEP", b"HGV", b"CLN", b"LOF", b"NMD"))
_PUBLIC_ID = re.compile(rb"(?i)(?:^|[;,])\s*(?:rs|ss|esv|nsv|essv|nssv|cos[mvn]|rcv|scv|vcv|ca|mu)[0-9]")
_HGVS = re.compile(rb"[cgmnpr]\.[^|;,\s]*(?:[ACGT]>[ACGT]|del|ins|dup|inv|[A-Z][a-z]{2}[0-9]+[A-Z*=])")
_FREQUENCY = re.compile(rb"(?:^|;)(?!(?:AF|MAF)=)[\w.\-]*(?:AF|FREQ|Freq|freq|af)[\w.\-]*=([^;]+)")
_NUMBER = re.compile(rb"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_REPEAT_KEYS = re.compile(
    rb"(?:^|;)(?:RU|RL|REPCN|REPCI|RPA|RUS|RUL|RUC|SVLEN|SVINSSEQ|SVINSLEN|INSSEQ|STR|PERIOD|BPDIFFS|END)="
)
_BREAKEND_MATE = re.compile(rb"[\[\]][^\[\]]*[\[\]]")
_SYMBOLIC = re.compile(rb"<[^<>]*>")
_LONG_ALLELE = 6
# Blanks for all that ends a word of a field's value; a text before "=" is a key, not a word.
_BLANKED = bytes(
    byte if (chr(byte).isalnum() and byte < 128) or byte in b"_.*=" else 32 for byte in range(256)
)

#: FORMAT fields and what in a sample's value betrays a non-reference allele (applied from its start).
DEPTH_FIELDS = {
    b"AD": rb"[0-9.]++,(?:[0.]*+,)*+[1-9]",
    b"ADF": rb"[0-9.]++,(?:[0.]*+,)*+[1-9]",
    b"ADR": rb"[0-9.]++,(?:[0.]*+,)*+[1-9]",
    b"DPR": rb"[0-9.]++,(?:[0.]*+,)*+[1-9]",
    b"AO": rb"(?:[0.]*+,)*+[1-9]",
    b"DV": rb"[1-9]",
    b"NV": rb"(?:[0.]*+,)*+[1-9]",
    b"VAF": rb"(?:0?\.?0*,)*0?\.?0*[1-9]",
    b"PL": rb"[1-9][0-9]*+,",
    b"REPCN": rb"[0-9]",
}


def public_id(kept: Record) -> bool:
    """Tell whether the ID column holds a public database's identifier, which names the allele."""
    return kept.id != b"." and _PUBLIC_ID.search(kept.id) is not None


def id_holds_allele(alleles: list[bytes], kept: Record) -> bool:
    """Tell whether the ID spells the masked allele out, as in ``1:1005:A:G``."""
    if kept.id == b".":
        return False
    words = re.split(rb"[^A-Za-z<>*]+", kept.id)
    return any(allele in words for allele in alleles)


def info_holds_allele(alleles: list[bytes], ref: bytes, info: bytes) -> bool:
    """Tell whether INFO still holds a masked allele: an annotation of it, or its text in a field.

    Parameters
    ----------
    alleles
        The original's ALT alleles.
    ref
        The original's REF: annotators write only what an insertion adds to it.
    info
        The anonymized record's INFO.
    """
    if b"|" in info or b"HGVS" in info:
        for field in info.split(b";"):
            if field[:3].upper() in _ANNOTATION_STARTS and _names_an_allele(field):
                return True
    return any(_spells(allele.strip(b"<>"), ref, info) for allele in alleles)


def _spells(allele: bytes, ref: bytes, info: bytes) -> bool:
    """Tell whether INFO holds an allele as a word of a field's value or, if it is long, anywhere."""
    inserted = allele[len(ref) :] if allele.startswith(ref) else b""
    return _holds(allele, info) or (len(inserted) > 1 and _holds(inserted, info))


def _holds(text: bytes, info: bytes) -> bool:
    if text not in info:
        return False
    if len(text) >= _LONG_ALLELE:
        return True
    words = b" %s " % info.translate(_BLANKED)
    return b" %s " % text in words or b"=%s " % text in words


def _names_an_allele(field: bytes) -> bool:
    """Tell whether an annotation field begins with an allele, as VEP and SnpEff write it, or holds HGVS."""
    if _ANNOTATION.match(field) is None:
        return False
    value = field.partition(b"=")[2]
    first, bar, _ = value.partition(b"|")
    return (bool(bar) and first not in (b"", b".", b"N")) or _HGVS.search(value) is not None


def other_frequency(info: bytes, maf: float) -> bool:
    """Tell whether an INFO field of another name (AF_afr, gnomAD_AF, …) holds a frequency as rare as `maf`.

    A value of exactly 0 in a population field says "not seen there", which is rare as well.
    """
    for match in _FREQUENCY.finditer(info):
        for number in _NUMBER.findall(match[1]):
            if float(number) <= maf * 1.001:
                return True
    return False


def depth_betrays(kept: Record, carrier: int | None = None) -> bool:
    """Tell whether AD, PL or a like field of any sample shows reads of a non-reference allele.

    `carrier` is where in the samples that of a known carrier begins: it is looked at first.
    """
    if not kept.format:
        return False
    pattern = _depth_pattern(kept.format)
    if pattern is None:
        return False
    if carrier is not None and pattern.match(kept.samples, carrier):
        return True
    return pattern.search(kept.samples) is not None


@cache
def _depth_pattern(format_: bytes) -> re.Pattern[bytes] | None:
    """Return what matches at the tab before a sample that betrays an allele in any of its fields."""
    keys = format_.split(b":")
    fields = [(keys.index(key), value) for key, value in DEPTH_FIELDS.items() if key in keys]
    betraying = [rb"(?:[^\t:]*+:){%d}+%s" % field for field in sorted(fields)]
    return re.compile(rb"\t(?:%s)" % b"|".join(betraying)) if betraying else None


def samples_hold_allele(alleles: list[bytes], kept: Record) -> bool:
    """Tell whether a phasing identifier (PID, such as ``1005_A_G``) of any sample spells an allele out."""
    if b"PID" not in kept.format and b"PGT" not in kept.format:
        return False
    return any(
        re.search(rb"[0-9]_[A-Za-z*]+_%s(?=[:\t]|\Z)" % re.escape(text), kept.samples) for text in alleles
    )


def masked_in_name_only(kept: Record) -> bool:
    """Tell whether every ``N`` of the ALT column stands inside a symbolic allele or a mate's name.

    ``<N>`` and ``<NN>`` count as masked.
    """
    return not any(_has_masked_base(allele) for allele in kept.alt.split(b","))


def _has_masked_base(allele: bytes) -> bool:
    if allele.startswith(b"<"):
        return bool(allele.strip(b"<>")) and not allele.strip(b"<>N")
    return b"N" in _SYMBOLIC.sub(b"", _BREAKEND_MATE.sub(b"", allele))


def repeat_still_in_alt(kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether the masked ALT still holds a short tandem repeat."""
    return pattern.found(kept.alt)


def repeat_length_kept(original: Record, kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether a masked allele is as long as the repeat it masks, so that the length can be counted."""
    lengths = {len(allele) for allele in original.alleles if pattern.found(allele)}
    return any(b"N" in allele and len(allele) in lengths for allele in kept.alt.split(b","))


def reference_holds_allele(alleles: list[bytes], kept: Record) -> bool:
    """Tell whether a REF that was changed holds a masked allele."""
    return any(len(allele) > 1 and allele in kept.ref for allele in alleles)


def repeat_described(kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether INFO describes the repeat (unit, count, length) or REF still shows it."""
    return _REPEAT_KEYS.search(kept.info) is not None or pattern.found(kept.ref)
