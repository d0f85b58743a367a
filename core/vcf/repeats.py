"""Short tandem repeats in ALT alleles."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.vcf.memoized import remembered
from core.vcf.settings import VcfSettings

_COUNTED = re.compile(rb"(?i)<(?:STR|VNTR|RPT|TR)[:_]?[0-9]+")
_COPIES = re.compile(rb"(?i)<(?:(?:STR|CN|VNTR|RPT|TR|CNV:TR)[:_]?[0-9]+|CNV:TR>)")
_LONG_MOTIF = re.compile(rb"([ACGT]{7,30}?)\1{2,}")
_LONG = 12  # digits of no number of bases or copies
_FEWEST_LONG = 3  # copies of a unit that is longer than the rule's motifs
#: Keys of INFO of which a caller of repeats, or an annotation of them, writes one at least.
LOCUS_KEYS = (b"RU", b"MOTIFS", b"MOTIF", b"PERIOD", b"DISPLAY_RU")
#: INFO that says so of a repeat of more than one base, as Python and RE2 read it.
OF_SEVERAL_BASES = r"(?:^|;)(?:(?:RU|MOTIFS?|DISPLAY_RU)=[A-Za-z]{2}|PERIOD=(?:[2-9]|[0-9]{2}))"
LOCUS = re.compile(rb"(?:^|;)(?:%s)=" % b"|".join(LOCUS_KEYS))
_UNITS, _NUMBERS = (b"RU", b"MOTIFS", b"MOTIF", b"DISPLAY_RU"), (b"RPA", b"REF", b"RC", b"RUC")
_OF_LOCUS = re.compile(rb"(?<=;)(RU|MOTIFS?|PERIOD|DISPLAY_RU|RPA|REF|RC|RUC|START|END)=([^;]*)(?=;)")
_NO_ALLELE = frozenset((b".", b"", b"N", b"*", b"<NON_REF>", b"<*>"))


@dataclass(frozen=True, eq=False)
class RepeatPattern:
    """The pattern of a short tandem repeat, compiled once for a scan."""

    pattern: re.Pattern[bytes]
    min_length: int
    min_repeat: int
    min_motif: int
    max_motif: int

    @classmethod
    def of(cls, settings: VcfSettings) -> "RepeatPattern":
        """Compile the pattern: a motif of A, C, G, T (upper case), repeated in a row."""
        source = rb"([ACGT]{%d,%d}?)\1{%d,}" % (
            settings.min_motif,
            settings.max_motif,
            settings.min_repeat - 1,
        )
        return cls(
            re.compile(source),
            settings.min_motif * settings.min_repeat,
            settings.min_repeat,
            settings.min_motif,
            settings.max_motif,
        )

    def found(self, alt: bytes) -> bool:
        """Tell whether the ALT column as written (commas included) holds a repeat."""
        return len(alt) >= self.min_length and self.pattern.search(alt) is not None

    def copies(self, alt: bytes) -> list[int]:
        """Return how many copies of its motif each repeat of an ALT allele has."""
        return [len(match[0]) // len(match[1]) for match in self.pattern.finditer(alt)]

    @remembered
    def motif(self, alt: bytes) -> bytes:
        """Return the motif of the first repeat in the ALT column, b"" for none.

        Rotations of a motif are one: the alphabetically first is returned.
        """
        match = self.pattern.search(alt) if len(alt) >= self.min_length else None
        return canonical_motif(match[1]) if match else b""


def is_unnamed_repeat(ref: bytes, alt: bytes, pattern: RepeatPattern, info: bytes = b"") -> bool:
    """Tell whether a record shows a repeat that the published rule does not look for.

    That is: a number of copies in a symbolic allele (``<STR35>``, ``<CN7>``), a repeat in small letters, of a
    longer motif than the settings say, one in REF of which ALT has fewer copies, or what INFO calls a repeat
    of whose copies ALT adds or takes away some.
    """
    if pattern.found(alt) or alt in _NO_ALLELE:
        return False
    if b"<" in alt:
        return _COPIES.search(alt) is not None
    capitals = alt.upper()
    if len(alt) >= pattern.min_length and (
        pattern.found(capitals) or _LONG_MOTIF.search(capitals) is not None
    ):
        return True
    is_shorter = len(ref) >= pattern.min_length and any(len(one) < len(ref) for one in alt.split(b","))
    return (is_shorter and pattern.found(ref.upper())) or (
        info != b"" and called_repeat(ref, alt, info, pattern) > 0
    )


def called_repeat(ref: bytes, alt: bytes, info: bytes, pattern: RepeatPattern) -> int:
    """Return how many copies the longest allele of what INFO calls a repeat has; 0 for none, or too few.

    Read are GATK's RU and RPA, HipSTR's START, END and PERIOD, GangSTR's RU and REF, TRGT's MOTIFS, adVNTR's
    RU and RC. The unit has as many bases as the rule's motifs, two at least, for runs of one base tell of
    nobody; copies are as many as the rule asks for, of a longer unit three. An allele as long as REF changes
    no copies.
    """
    told = {key: value.split(b",") for key, value in _OF_LOCUS.findall(b";%s;" % info)}
    alleles = (ref, *alt.split(b","))
    if not told or all(len(one) == len(ref) for one in alleles):
        return 0
    units = [len(one) for key in _UNITS for one in told.get(key, ()) if one.isalpha()]
    unit = max(units or _numbers(told, b"PERIOD"), default=0)
    if unit < max(pattern.min_motif, 2):
        return 0
    copies = [*_numbers(told, *_NUMBERS), *(len(one) // unit for one in alleles)]
    for start, end in zip(_numbers(told, b"START"), _numbers(told, b"END"), strict=False):
        copies.append((end - start + 1) // unit)
    least = pattern.min_repeat if unit <= pattern.max_motif else _FEWEST_LONG
    return max(copies) if max(copies) >= least else 0


def _numbers(told: Mapping[bytes, Sequence[bytes]], *keys: bytes) -> list[int]:
    """Return the whole numbers under some keys."""
    return [int(one) for key in keys for one in told.get(key, ()) if one.isdigit() and len(one) < _LONG]


def unnamed_event(ref: bytes, alt: bytes, info: bytes, pattern: RepeatPattern) -> str:
    """Return which tally counts a repeat that the rule does not name: those called by their copies apart."""
    is_counted = _COUNTED.search(alt) or (b"<" not in alt and called_repeat(ref, alt, info, pattern))
    return "repeats_counted" if is_counted else "repeats_unnamed"


def canonical_motif(motif: bytes) -> bytes:
    """Return the alphabetically first rotation of a motif.

    Examples
    --------
    >>> canonical_motif(b"GCA")
    b'AGC'
    """
    return min(motif[shift:] + motif[:shift] for shift in range(len(motif)))
