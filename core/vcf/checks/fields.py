"""INFO fields by what their keys say; an attacker knows these keys from the tools that write them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Kind:
    """What the key of an INFO field promises: bits, as whole numbers."""

    HARMLESS = 1 << 0  # of the position, alike for every allele and donor
    IDENTIFIER = 1 << 1  # of the variant in a public database
    DESCRIBES = 1 << 2  # consequence, score or class of the allele
    COUNTS = 1 << 3  # of its reads or carriers
    FREQUENCY = 1 << 4
    LENGTH = 1 << 5  # kind, length or end of what is inserted or deleted
    REPEAT = 1 << 6  # unit, copies or length of a repeat
    TELLS = 1 << 7  # samples, the change of a gene, genotypes counted, the allele in another form
    ANNOTATES = 1 << 8  # a list of annotations, each of which may begin with an allele
    SPELLS = 1 << 9  # the key itself holds letters like an allele's


class Field(NamedTuple):
    """One INFO field: as written, its key in capitals, its value (None for a flag), and its kinds."""

    text: bytes
    key: bytes
    value: bytes | None
    kind: int


_PATTERNS: tuple[tuple[int, re.Pattern[bytes]], ...] = (
    (Kind.HARMLESS, re.compile(rb"DP|MQ|MQ0|MQ0F|AN|NS|MASKED|REDACTED|ANONYMI[SZ]ED")),
    (
        Kind.IDENTIFIER,
        re.compile(
            rb"RS|RSID|RS_?ID|DBSNP\w*|AVSNP\w*|SNP_?ID|ALLELEID|VARIATIONID|CLNACC|CLNALLELEID|VRS_\w*"
        ),
    ),
    (
        Kind.DESCRIBES,
        re.compile(
            rb"(?:FUNC|EXONICFUNC|AACHANGE|GENEDETAIL|CLN|CADD|SIFT|POLYPHEN|DBNSFP|REVEL|CONSEQUENCE|IMPACT"
            rb"|CSQ|BCSQ|VEP)[\w.]*|MC|ANN|EFF|LOF|NMD|BASECOUNTS?|ACGT|NTCOUNTS?"
        ),
    ),
    (
        Kind.COUNTS,
        re.compile(
            rb"AC|AC_\w+|MLEAC|NHOMALT|NHET|NHOM|HET|HOM|AO|QA|SAF|SAR|PAO|AC_?HOM|AC_?HET|SRF_ALT|AD|ADF|ADR"
            rb"|AB|ABHET|ABHOM|AS_SB_TABLE|DP4|I16"
        ),
    ),
    (
        Kind.FREQUENCY,
        re.compile(
            rb"[\w.\-]*(?:AF|FREQ|TOPMED|EXAC|1000G|1KG|ESP\d|KRG|GNOMAD|KOVA|ALFA|HGDP|UK10K)[\w.\-]*"
        ),
    ),
    (
        Kind.LENGTH,
        re.compile(rb"END|SVLEN|SVTYPE|CIGAR|LEN|HLEN|INSLEN|INDEL|VARTYPE|TYPE|VT|SVINSLEN|SVINSSEQ|INSSEQ"),
    ),
    (
        Kind.REPEAT,
        re.compile(
            rb"(?:DISPLAY_)?RU|RL|REPCN|REPCI|RPA|RUS|RUL|RUC|REPREF|REPLEN|SVLEN|SVINSSEQ|SVINSLEN|INSSEQ"
            rb"|INSLEN|STR|PERIOD|COPIES|MOTIFS?|BPDIFFS|END|LEN|AL|ALLELE_LEN|CN|NEXP|RB|REF|HOMLEN|HOMSEQ"
            rb"|HRUN|TRF|TRID|VARID|REPID|STRUC|VARTYPE|CIGAR"
        ),
    ),
    (
        Kind.TELLS,
        re.compile(
            rb"SAMPLES?|MEMBERS?|SVMEMBERS|[QR]NAMES?|READ_?NAMES?|CARRIERS?|DONORS?|SUPP_(?:VEC|SAMPLE)\w*"
            rb"|(?:HOM|HET|HEMI)S?_\w+|\w*GT_?COUNTS?|GC|GTC|GTS|MAC|SAC|\w*_?HIST(?:OGRAM)?(?:_\w+)?|TSTV|TITV"
            rb"|OLD_\w+|ORIG\w*|ALT_?\w*|ALLELES?|VARIANT(?:_?ID)?|AT|PATHS?|GRAPH"
            rb"|\w*(?:AMINO_?ACID|AA_?CHANGE|CODON|HGVS|PROTEIN|CDNA|CDS)\w*"
        ),
    ),
    (
        Kind.ANNOTATES,
        re.compile(rb"(?:CSQ|ANN|EFF|BCSQ|VEP|HGVS|CLNHGVS|LOF|NMD)[A-Z0-9_.]*"),
    ),
    (
        Kind.SPELLS,
        re.compile(rb".*(?:[ACGTN]{6}|(?<![A-Z])[ACGTN]+(?:_|TO|[0-9]+)[ACGTN]+(?![A-Z0-9])).*", re.DOTALL),
    ),
)


def fields_of(info: bytes) -> list[Field]:
    """Split an INFO column into the fields that say something: flags, and values that are not missing."""
    if info == b".":
        return []
    found = []
    for text in info.split(b";"):
        name, equals, value = text.partition(b"=")
        if value.strip(b".,") if equals else text:
            key, kind = _known(name)
            found.append(_field((text, key, value if equals else None, kind)))
    return found


_field = Field._make


@lru_cache(maxsize=4096)
def _known(name: bytes) -> tuple[bytes, int]:
    key = name.upper()
    return key, kind_of(key)


def kind_of(key: bytes) -> int:
    """Return the kinds of fields under a key, given in capitals."""
    kind = 0
    for bit, pattern in _PATTERNS:
        if pattern.fullmatch(key):
            kind |= bit
    return kind
