"""What at a masked site still gives the masked allele or the donor away: one function a check.

Each takes the original record and the anonymized record that stands at its site, and answers yes
or no. They are written from the attacker's side: position, public databases and everything left in
the record are at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.vcf.numeric_info import LONG_ALLELE, NumericInfo
from core.vcf.records import Record
from core.vcf.repeats import RepeatPattern
from core.vcf.spellings import plain, spells, words_of

_ANNOTATION = re.compile(rb"(?i)(?:CSQ|ANN|EFF|BCSQ|VEP|HGVS|CLNHGVS|LOF|NMD)[A-Z0-9_.]*=.")
_ANNOTATION_STARTS = frozenset((b"CSQ", b"ANN", b"EFF", b"BCS", b"VEP", b"HGV", b"CLN", b"LOF", b"NMD"))
_PUBLIC_ID = re.compile(rb"(?i)(?:^|[;,])\s*(?:rs|ss|esv|nsv|essv|nssv|cos[mvn]|rcv|scv|vcv|ca|mu)[0-9]")
_HGVS = re.compile(
    rb"(?<![A-Za-z0-9])[cgmnpr]\.(?:[^|;,\s]*(?:[ACGT]>[ACGT]|del|ins|dup|inv|[A-Z][a-z]{2}[0-9]+[A-Z*=])"
    rb"|[ACGT][0-9]+[ACGT]|[A-Z][0-9]+[A-Z*])"
)
_FREQUENCY = re.compile(
    rb"(?i)(?:^|;)([\w.\-]*(?:AF|FREQ|TOPMED|EXAC|1000G|1KG|ESP\d|KRG|GNOMAD|KOVA|ALFA|HGDP|UK10K)[\w.\-]*)=([^;]+)"
)
_NUMBER = re.compile(rb"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_COUNT = re.compile(rb"(?:^|;)AC=([0-9]+(?:,[0-9]+)*)(?=;|$)")
_TOTAL = re.compile(rb"(?:^|;)AN=([1-9][0-9]*)(?=;|$)")
_USUAL_FILTERS = frozenset((b".", b"PASS"))
_HGVS_START = re.compile(rb"[cgmnpr]\.[A-Z0-9*(+-]")
_ID_WORD = re.compile(rb"[ =](?:RS|SS|[EN]S?SV|COS[MNV]|[RSV]CV|CA)[0-9]{2}")
_ID_KEY = re.compile(
    rb";(?:RS|RSID|RS_?ID|DBSNP\w*|AVSNP\w*|SNP_?ID|ALLELEID|VARIATIONID|CLNACC|CLNALLELEID|VRS_\w*)=[^;.]"
)
# Consequences, scores and classes of the allele, and counts of reads or carriers that are not zero.
_DESCRIBING = re.compile(
    rb";(?:FUNC|EXONICFUNC|AACHANGE|GENEDETAIL|CLN|MC=|CADD|SIFT|POLYPHEN|DBNSFP|REVEL|CONSEQUENCE|IMPACT"
    rb"|CSQ|ANN=|EFF=|BCSQ|VEP|LOF=|NMD=)[\w.]*=?[^;.=]"
    rb"|;(?:AC_\w+|MLEAC|NHOMALT|NHET|NHOM|HET|HOM|AO|QA|SAF|SAR|PAO|AC_?HOM|AC_?HET|SRF_ALT|AD|ADF|ADR)=[0,]*[1-9]"
    rb"|;(?:AB|ABHET|ABHOM)=[^;]*[1-9]|;(?:AS_SB_TABLE|DP4|I16)=[^;]*[1-9]|;(?:BASECOUNTS?|ACGT|NTCOUNTS?)="
    rb"|;AC=[0,]*[1-9][0-9,]*(?=;|$)"
)
_REPEAT_KEYS = re.compile(
    rb";(?:(?:DISPLAY_)?RU|RL|REPCN|REPCI|RPA|RUS|RUL|RUC|REPREF|REPLEN|SVLEN|SVINSSEQ|SVINSLEN|INSSEQ|INSLEN"
    rb"|STR|PERIOD|COPIES|MOTIFS?|BPDIFFS|END|LEN|AL|ALLELE_LEN|CN|NEXP|RB|REF|HOMLEN|HOMSEQ|HRUN|TRF|TRID|VARID"
    rb"|REPID|STRUC|VARTYPE|CIGAR)="
)
_REPEAT_IN_BRACKETS = re.compile(rb"\([ACGT]+\)[N0-9]|\[[ACGT]+\][N0-9]|[ACGT]\[[0-9]+\]")
_REPEAT_WRITTEN = re.compile(rb"[=,|:][ACGT]{1,6}[0-9]+(?=[;,|:]|$)")
_LENGTH_KEYS = re.compile(
    rb"(?:^|;)(?:END|SVLEN|SVTYPE|CIGAR|LEN|HLEN|INSLEN|INDEL|VARTYPE|TYPE|VT|SVINSLEN|SVINSSEQ|INSSEQ)(?==|;|$)"
)
_BREAKEND_MATE = re.compile(rb"[\[\]][^\[\]]*[\[\]]")
_SYMBOLIC = re.compile(rb"<[^<>]*>")


def public_id(kept: Record) -> bool:
    """Tell whether the ID column holds a public database's identifier, which names the allele."""
    return _PUBLIC_ID.search(kept.id) is not None


def id_holds_allele(alleles: list[bytes], kept: Record) -> bool:
    """Tell whether the ID spells the masked allele out, as in ``1:1005:A:G`` or ``chr1_1005_a_g``."""
    words = re.split(rb"[^A-Z<>*]+", kept.id.upper())
    return any(allele.upper() in words for allele in alleles)


def numeric_info() -> NumericInfo:
    """Return an empty store of INFO columns that hold nothing but numbers, for one reading of a pair."""
    return NumericInfo(_ID_KEY, _DESCRIBING)


def info_marks(
    alleles: list[bytes], ref: bytes, kept: Record, pattern: RepeatPattern | None, numeric: NumericInfo
) -> InfoLeaks:
    """Tell what INFO and FILTER still hold of a masked site.

    Parameters
    ----------
    alleles
        The original's ALT alleles.
    ref
        The original's REF: annotators write only what an insertion adds to it.
    kept
        The anonymized record.
    pattern
        Of a masked repeat: its pattern, which is searched in either case; None for other sites.
    numeric
        The numeric INFO columns met so far; it may learn another.
    """
    info = kept.info
    usual = kept.filter in _USUAL_FILTERS
    if usual and info == b".":
        return NO_LEAKS
    if usual and (pattern is None or pattern.min_length >= LONG_ALLELE):
        described = numeric.describes(alleles, info)
        if described is not None:
            return DESCRIBED if described else NO_LEAKS
    if not usual:
        info = b"FILTER=%s;%s" % (kept.filter.replace(b";", b","), info)
    if _annotated(info):
        return NAMED
    text = plain(info)
    words = words_of(text)
    if any(spells(allele.strip(b"<>"), ref, text, words) for allele in alleles):
        return NAMED
    if pattern is not None and pattern.found(text):
        return NAMED
    found = InfoLeaks(
        allele=False,
        public_id=_holds_public_id(text, words),
        described=_DESCRIBING.search(b";" + text) is not None,
    )
    if usual and not found.public_id:
        numeric.learn(info)
    return found


class InfoLeaks(NamedTuple):
    """Whether INFO names the allele or, where it does not, gives a public ID of it or describes it."""

    allele: bool
    public_id: bool
    described: bool


NO_LEAKS = InfoLeaks(allele=False, public_id=False, described=False)
NAMED = InfoLeaks(allele=True, public_id=False, described=False)
DESCRIBED = InfoLeaks(allele=False, public_id=False, described=True)


def _annotated(info: bytes) -> bool:
    """Tell whether an annotation begins with an allele, or any field holds HGVS."""
    if b"|" in info:
        for field in info.split(b";"):
            if field[:3].upper() in _ANNOTATION_STARTS and _names_an_allele(field):
                return True
    return b"." in info and _HGVS_START.search(info) is not None and _HGVS.search(info) is not None


def _holds_public_id(text: bytes, words: bytes) -> bool:
    """Tell whether a value is a public database's identifier, or a field of such identifiers has one."""
    if _ID_WORD.search(words):
        return True
    return b"GA4GH:" in text or _ID_KEY.search(b";" + text) is not None


def _names_an_allele(field: bytes) -> bool:
    """Tell whether an annotation field begins with an allele, as VEP and SnpEff write it."""
    if _ANNOTATION.match(field) is None:
        return False
    first, bar, _ = field.partition(b"=")[2].partition(b"|")
    return bool(bar) and first not in (b"", b".", b"N")


def other_frequency(info: bytes, maf: float) -> bool:
    """Tell whether any INFO field (AF_afr, gnomAD_AF, AC with AN, …) holds a frequency as rare as `maf`.

    The field that decides the rule is one of them: another may stand behind it. A value of exactly 0 in
    a population field says "not seen there", which is rare as well; values written with a percent sign,
    or in a field named so, are hundredths, and those of POPAF are −log10.
    """
    limit = maf * 1.001
    counts, total = _COUNT.search(info), _TOTAL.search(info)
    if counts and total and any(float(count) / float(total[1]) <= limit for count in counts[1].split(b",")):
        return True
    return any(
        min(share, 1 - share) <= limit for match in _FREQUENCY.finditer(info) for share in _shares(match)
    )


def _shares(match: re.Match[bytes]) -> Iterator[float]:
    """Yield the numbers of a field of frequencies that are shares."""
    key = match[1].upper()
    hundredths = b"%" in match[2] or b"PCT" in key or b"PERCENT" in key
    for number in _NUMBER.findall(match[2]):
        value = float(number) / 100 if hundredths else float(number)
        if key.endswith(b"POPAF"):
            value = 10**-value
        if value <= 1:
            yield value


def masked_in_name_only(kept: Record) -> bool:
    """Tell whether every ``N`` of the ALT column stands inside a symbolic allele or a mate's name.

    ``<N>`` and ``<NN>`` count as masked.
    """
    if kept.alt.isalpha():
        return b"N" not in kept.alt
    return not any(_has_masked_base(allele) for allele in kept.alt.split(b","))


def _has_masked_base(allele: bytes) -> bool:
    if allele.startswith(b"<"):
        return bool(allele.strip(b"<>")) and not allele.strip(b"<>N")
    return b"N" in _SYMBOLIC.sub(b"", _BREAKEND_MATE.sub(b"", allele))


def repeat_still_in_alt(original: Record, kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether the masked ALT still holds a repeat, in either case, or half the copies of the motif.

    An ``N`` between the copies does not hide them.
    """
    alt = kept.alt.upper()
    bare = alt.replace(b"N", b"")
    if not bare:
        return False
    if pattern.found(alt) or pattern.found(bare):
        return True
    motif = pattern.motif(original.alt)
    few = len(motif) * (pattern.min_repeat // 2 + 1)
    shown = (motif[shift:] + motif[:shift] for shift in range(len(motif)))
    return any((one * (few // len(one)))[:few] in bare for one in shown)


def repeat_length_kept(original: Record, kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether the length of a masked repeat can be read from the masked ALT.

    That is: an allele as long as the original's, or as what it adds to REF, or with one ``N`` a copy of
    the motif; or a number in ALT, as in ``<STR7>`` and ``(AC)7N``.
    """
    if len(kept.alt) == 1 and not kept.alt.isdigit():
        return False
    repeats = [allele for allele in original.alleles if pattern.found(allele)]
    lengths = {len(allele) for allele in repeats}
    for allele in repeats:
        lengths |= {len(allele) - len(original.ref), *pattern.copies(allele)}
    masked = [allele.strip(b"<>") for allele in kept.alt.split(b",") if b"N" in allele]
    alleles = (allele for allele in kept.alt.split(b",") if not set(allele) & set(b"[]"))
    return any(len(allele) > 1 and len(allele) in lengths for allele in masked) or any(
        re.search(rb"[0-9]", allele) for allele in alleles
    )


def reference_holds_allele(alleles: list[bytes], kept: Record) -> bool:
    """Tell whether a REF that was changed holds a masked allele."""
    ref = kept.ref.upper()
    return any(allele.upper() == ref or (len(allele) > 1 and allele.upper() in ref) for allele in alleles)


def repeat_described(kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether INFO describes the repeat (unit, count, length) or REF still shows it."""
    info = kept.info.upper()
    in_brackets = b"(" in info or b"[" in info
    return (
        _REPEAT_KEYS.search(b";" + kept.info) is not None
        or _REPEAT_WRITTEN.search(info) is not None
        or (in_brackets and _REPEAT_IN_BRACKETS.search(info) is not None)
        or pattern.found(kept.ref)
    )


def indel_described(original: Record, kept: Record) -> bool:
    """Tell whether REF or INFO show what a masked insertion, deletion or symbolic allele changes.

    A REF longer than one base beside a masked ALT of another length is a deletion, almost always of all
    but the first base.
    """
    if original.alt.isalpha() and len(original.alt) == len(original.ref):
        return False
    lengths = {len(allele) for allele in original.alleles if allele.isalpha()}
    if lengths == {len(original.ref)}:
        return False
    return len(kept.ref) > 1 or _LENGTH_KEYS.search(kept.info) is not None
