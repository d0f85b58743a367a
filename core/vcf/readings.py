"""What keys of INFO and FORMAT promise, one table, and an INFO column taken apart by it.

An attacker knows these keys from the tools that write them. A new reading is a line of :data:`READINGS`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from core.vcf.memoized import remembered

NUMERIC = b"0123456789.,-+eE"  # what numbers and lists of them are written with
_NOT_NUMERIC = re.compile(rb"[^0-9.,\-+eE]")
_LONGEST_NUMERIC = 1000  # bytes of a column that may be numbers alone; longer ones hold words


class Kind:
    """What a key promises: bits, as whole numbers."""

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
    CARRIES = 1 << 10  # of samples: reads, likelihoods and phases, by which a carrier is told from others
    GENOTYPE = 1 << 11  # of samples: indexes of the alleles that they have


class Reading(NamedTuple):
    """What values under some keys of a column say.

    In INFO keys are in capitals, and a check reads the values of its kinds; in FORMAT the pattern tells.
    """

    kind: int
    column: Literal["INFO", "FORMAT"]
    keys: bytes  # pattern of a whole key
    value: bytes = b""  # of a sample, from its beginning, where it tells what the kind says
    beside: bytes = b""  # a key that stands in FORMAT too; else the reading does not hold
    is_exact: bool = False  # whether numbers other than zero differ in what they tell


_ANY_READS = rb"(?:[0.]*+,)*+[1-9]"
_INDEX = rb"(?:(?:[0.][/|])+[1-9]|[1-9][0-9]*(?:[/|]|(?=[:\t]|\Z)))"
#: Of several readings of a key of FORMAT the first holds.
READINGS: tuple[Reading, ...] = (
    Reading(Kind.HARMLESS, "INFO", rb"DP|MQ|MQ0|MQ0F|AN|NS|MASKED|REDACTED|ANONYMI[SZ]ED"),
    Reading(
        Kind.IDENTIFIER,
        "INFO",
        rb"RS|RSID|RS_?ID|DBSNP\w*|AVSNP\w*|SNP_?ID|ALLELEID|VARIATIONID|CLNACC|CLNALLELEID"
        rb"|VRS_\w*",
    ),
    Reading(
        Kind.DESCRIBES,
        "INFO",
        rb"(?:FUNC|EXONICFUNC|AACHANGE|GENEDETAIL|CLN|CADD|SIFT|POLYPHEN|DBNSFP|REVEL|CONSEQUENCE"
        rb"|IMPACT|CSQ|BCSQ|VEP)[\w.]*|MC|ANN|EFF|LOF|NMD|BASECOUNTS?|ACGT|NTCOUNTS?",
    ),
    Reading(
        Kind.COUNTS,
        "INFO",
        rb"AC|AC_\w+|MLEAC|NHOMALT|NHET|NHOM|HET|HOM|AO|QA|SAF|SAR|PAO|AC_?HOM|AC_?HET|SRF_ALT|AD"
        rb"|ADF|ADR|AB|ABHET|ABHOM|AS_SB_TABLE|DP4|I16",
    ),
    Reading(
        Kind.FREQUENCY,
        "INFO",
        rb"[\w.\-]*(?:AF|FREQ|TOPMED|EXAC|1000G|1KG|ESP\d|KRG|GNOMAD|KOVA|ALFA|HGDP"
        rb"|UK10K)[\w.\-]*",
    ),
    Reading(
        Kind.LENGTH,
        "INFO",
        rb"END|SVLEN|SVTYPE|CIGAR|LEN|HLEN|INSLEN|INDEL|VARTYPE|TYPE|VT|SVINSLEN|SVINSSEQ|INSSEQ",
    ),
    Reading(
        Kind.REPEAT,
        "INFO",
        rb"(?:DISPLAY_)?RU|RL|REPCN|REPCI|RPA|RUS|RUL|RUC|REPREF|REPLEN|SVLEN|SVINSSEQ|SVINSLEN"
        rb"|INSSEQ|INSLEN|STR|PERIOD|COPIES|MOTIFS?|BPDIFFS|END|LEN|AL|ALLELE_LEN|CN|NEXP|RB|REF|HOMLEN|HOMSEQ"
        rb"|HRUN|TRF|TRID|VARID|REPID|STRUC|VARTYPE|CIGAR",
    ),
    Reading(
        Kind.TELLS,
        "INFO",
        rb"SAMPLES?|MEMBERS?|SVMEMBERS|[QR]NAMES?|READ_?NAMES?|CARRIERS?|DONORS?|SUPP_(?:VEC"
        rb"|SAMPLE)\w*|(?:HOM|HET|HEMI)S?_\w+|\w*GT_?COUNTS?|GC|GTC|GTS|MAC|SAC"
        rb"|\w*_?HIST(?:OGRAM)?(?:_\w+)?|TSTV|TITV"
        rb"|OLD_\w+|ORIG\w*|ALT_?\w*|ALLELES?|VARIANT(?:_?ID)?|AT|PATHS?|GRAPH"
        rb"|\w*(?:AMINO_?ACID|AA_?CHANGE|CODON|HGVS|PROTEIN|CDNA|CDS)\w*",
    ),
    Reading(Kind.ANNOTATES, "INFO", rb"(?:CSQ|ANN|EFF|BCSQ|VEP|HGVS|CLNHGVS|LOF|NMD)[A-Z0-9_.]*"),
    Reading(
        Kind.SPELLS, "INFO", rb".*(?:[ACGTN]{6}|(?<![A-Z])[ACGTN]+(?:_|TO|[0-9]+)[ACGTN]+(?![A-Z0-9])).*"
    ),
    Reading(Kind.GENOTYPE, "FORMAT", rb".*GT", _INDEX),
    Reading(Kind.GENOTYPE, "FORMAT", rb"LA|LAA", _ANY_READS),  # the alleles that are local to a sample
    Reading(Kind.CARRIES, "FORMAT", rb"AD", _ANY_READS, beside=b"RD"),  # VarScan: the allele's reads alone
    Reading(Kind.CARRIES, "FORMAT", rb"AD|ADF|ADR|DPR|LAD", rb"[0-9.]++,(?:[0.]*+,)*+[1-9]"),
    Reading(Kind.CARRIES, "FORMAT", rb"AO|DV|NV|QA|EC|TIR|SAF|SAR", _ANY_READS),
    Reading(Kind.CARRIES, "FORMAT", rb"VAF|AF|VF|AB|FREQ", rb"(?:0?\.?0*,)*0?\.?0*[1-9]"),
    Reading(Kind.CARRIES, "FORMAT", rb"PL|PP|LPL", rb"[1-9][0-9]*+,"),
    Reading(
        Kind.CARRIES, "FORMAT", rb"GL", rb"-[0-9.]*[1-9][0-9.eE+-]*,(?:[^,:\t]*,)*-?0(?:\.0*)?(?=[,:\t]|\Z)"
    ),
    Reading(Kind.CARRIES, "FORMAT", rb"GP", rb"(?:0?\.[0-4][0-9]*|0(?:\.0*)?|[0-9.]+[eE]-[0-9]+),"),
    Reading(Kind.CARRIES, "FORMAT", rb"DS|HDS|ADS", rb"(?:[0-9.]*,)*(?:0?\.[1-9]|[1-9])"),
    Reading(Kind.CARRIES, "FORMAT", rb"SB|DP4|SAC", rb"[0-9]+,[0-9]+,(?:0,)?[1-9]"),
    Reading(Kind.CARRIES, "FORMAT", rb"BCOUNT", rb"(?:[0-9]+,)*[1-9][0-9]*,(?:0,)*[1-9]"),
    Reading(Kind.CARRIES, "FORMAT", rb"PS|HP|PID|PQ", rb"[0-9]"),
    Reading(Kind.CARRIES, "FORMAT", rb"CN", rb"(?:[013-9]|[0-9]{2})", is_exact=True),
    Reading(
        Kind.REPEAT,
        "FORMAT",
        rb"REPCN|REPCI|GB|BPDIFFS|AL|ALLREADS|MALLREADS|MC|MS|CN|RC|ADSP|ADFL|ADIR|ALLR|AP|AM",
        rb"[^:\t]*[0-9]",
    ),
)
#: Keys of FORMAT whose numbers cannot be taken for each other.
EXACT = frozenset(key for one in READINGS if one.is_exact for key in one.keys.split(b"|"))
_LONGEST_KEY = 256  # as far as a key is looked at
_OF_INFO = tuple((one.kind, re.compile(one.keys, re.DOTALL)) for one in READINGS if one.column == "INFO")
_OF_FORMAT = tuple((re.compile(one.keys, re.DOTALL), one) for one in READINGS if one.column == "FORMAT")


class Field(NamedTuple):
    """One INFO field: as written, its key in capitals, its value (None for a flag), and its kinds."""

    text: bytes
    key: bytes
    value: bytes | None
    kind: int


class Keys:
    """What the names of an INFO column's fields tell."""

    def __init__(self, names: tuple[bytes, ...]) -> None:
        self.names = names
        known = [_known(name) for name in names]
        self.keys = tuple(key for key, _ in known)  # the names in capitals, and their kinds
        self.kinds = tuple(kind for _, kind in known)
        self.every = 0  # all kinds together
        for kind in self.kinds:
            self.every |= kind
        # the column without its values, and without what numbers are written with
        self.bare = b";".join(name.translate(None, NUMERIC) + b"=" for name in names)
        self._of: dict[int, list[int]] = {}
        self._others: dict[int, tuple[bytes, ...]] = {}

    def of(self, kinds: int) -> list[int]:
        """Return the places of the fields of any of some kinds; of all for −1."""
        if kinds not in self._of:
            self._of[kinds] = [at for at, kind in enumerate(self.kinds) if kind & kinds or kinds == -1]
        return self._of[kinds]

    def others(self, kinds: int) -> tuple[bytes, ...]:
        """Return the names of the fields of none of some kinds."""
        if kinds not in self._others:
            pairs = zip(self.names, self.kinds, strict=True)
            self._others[kinds] = tuple(name for name, kind in pairs if not kind & kinds)
        return self._others[kinds]


class Info:
    """An INFO column of an anonymized record; fields without a value, or with a missing one, say nothing.

    Attributes
    ----------
    kinds
        The kinds of the fields that say something, together.
    """

    def __init__(self, text: bytes) -> None:
        self._texts = text.split(b";") if text != b"." else []
        self._known = known = _keys_of(tuple([one.partition(b"=")[0] for one in self._texts]))
        #: Whether every field has a value, all are plain numbers, and no name spells anything.
        self.is_numeric = (
            len(text) <= _LONGEST_NUMERIC
            and text.translate(None, NUMERIC) == known.bare
            and b"=." not in text
            and b"=," not in text
            and b"=;" not in text
            and text[-1:] != b"="
            and not known.every & Kind.SPELLS
        )
        self.kinds = known.every
        self._silent: set[int] = set()  # places of fields that say nothing
        if not self.is_numeric:
            parts = (one.partition(b"=") for one in self._texts)
            says = [value.strip(b".,") if equals else name for name, equals, value in parts]
            if not all(says):
                self._silent = {at for at, said in enumerate(says) if not said}
                self.kinds = 0
                for at in self._said(-1):
                    self.kinds |= known.kinds[at]

    def _said(self, kinds: int) -> list[int]:
        """Return the places of the fields that say something and are of any of some kinds."""
        places = self._known.of(kinds)
        return [at for at in places if at not in self._silent] if self._silent else places

    def fields(self, kinds: int = -1) -> Iterator[Field]:
        """Yield the fields that say something and are of any of some kinds; all for −1."""
        known = self._known
        for at in self._said(kinds):
            text = self._texts[at]
            _, equals, value = text.partition(b"=")
            yield _field((text, known.keys[at], value if equals else None, known.kinds[at]))

    def others(self, kinds: int) -> tuple[bytes, ...]:
        """Return the names, as written, of fields that say something and are of none of some kinds."""
        if not self._silent:
            return self._known.others(kinds)
        known = self._known
        return tuple([known.names[at] for at in self._said(-1) if not known.kinds[at] & kinds])

    def wordy(self) -> list[bytes]:
        """Return the fields that hold something else than numbers, or whose name spells an allele."""
        if self.is_numeric:
            return []
        return [
            field.text
            for field in self.fields()
            if field.kind & Kind.SPELLS or field.value is None or _NOT_NUMERIC.search(field.value)
        ]


_field = Field._make


_keys_of = remembered(Keys)


@remembered
def _known(name: bytes) -> tuple[bytes, int]:
    key = name.upper()
    return key, kind_of(key)


def kind_of(key: bytes) -> int:
    """Return the kinds of fields of INFO under a key, given in capitals."""
    kind = 0
    key = key[:_LONGEST_KEY]
    for bit, pattern in _OF_INFO:
        if pattern.fullmatch(key):
            kind |= bit
    return kind


@remembered
def format_patterns(format_: bytes) -> Mapping[int, re.Pattern[bytes]]:
    """Return what tells each kind in samples under one FORMAT, under 0 a value that no reading is of."""
    keys = format_.split(b":")
    fields: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    for place, key in enumerate(keys):
        of = [
            one
            for pattern, one in _OF_FORMAT
            if pattern.fullmatch(key[:_LONGEST_KEY]) and (one.beside or key) in keys
        ]
        kinds = dict.fromkeys(one.kind for one in of) or [0] * bool(key)
        for kind in kinds if keys.index(key) == place and (key != b"GT" or place) else ():
            value = next((one.value for one in of if one.kind == kind), rb"[^:\t]*[1-9A-Za-z]")
            fields[kind].append((place, value))
    return {
        kind: re.compile(rb"\t(?:%s)" % b"|".join(rb"(?:[^\t:]*+:){%d}+(?:%s)" % one for one in values))
        for kind, values in fields.items()
    }
