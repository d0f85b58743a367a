"""Short tandem repeats in ALT alleles."""

import re
from dataclasses import dataclass

from core.vcf.memoized import remembered
from core.vcf.settings import VcfSettings

_COUNTED = re.compile(rb"(?i)<(?:STR|VNTR|RPT|TR)[:_]?[0-9]+")
_COPIES = re.compile(rb"(?i)<(?:(?:STR|CN|VNTR|RPT|TR|CNV:TR)[:_]?[0-9]+|CNV:TR>)")
_LONG_MOTIF = re.compile(rb"([ACGT]{7,30}?)\1{2,}")
_NO_ALLELE = frozenset((b".", b"", b"N", b"*", b"<NON_REF>", b"<*>"))


@dataclass(frozen=True, eq=False)
class RepeatPattern:
    """The pattern of a short tandem repeat, compiled once for a scan."""

    pattern: re.Pattern[bytes]
    min_length: int
    min_repeat: int

    @classmethod
    def of(cls, settings: VcfSettings) -> "RepeatPattern":
        """Compile the pattern: a motif of A, C, G, T (upper case), repeated in a row."""
        source = rb"([ACGT]{%d,%d}?)\1{%d,}" % (
            settings.min_motif,
            settings.max_motif,
            settings.min_repeat - 1,
        )
        return cls(re.compile(source), settings.min_motif * settings.min_repeat, settings.min_repeat)

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


def is_unnamed_repeat(ref: bytes, alt: bytes, pattern: RepeatPattern) -> bool:
    """Tell whether a record shows a repeat that the published rule does not look for.

    That is: a number of copies in a symbolic allele (``<STR35>``, ``<CN7>``), a repeat in small letters, of a
    longer motif than the settings say, or one in REF of which ALT has fewer copies.
    """
    if pattern.found(alt):
        return False
    if b"<" in alt:
        return _COPIES.search(alt) is not None
    capitals = alt.upper()
    if len(alt) >= pattern.min_length and (
        pattern.found(capitals) or _LONG_MOTIF.search(capitals) is not None
    ):
        return True
    if (
        len(ref) < pattern.min_length
        or alt in _NO_ALLELE
        or all(len(one) >= len(ref) for one in alt.split(b","))
    ):
        return False
    return pattern.found(ref.upper())


def unnamed_event(alt: bytes) -> str:
    """Return which tally counts a repeat that the rule does not name: those called by their copies apart."""
    return "repeats_counted" if _COUNTED.search(alt) else "repeats_unnamed"


def canonical_motif(motif: bytes) -> bytes:
    """Return the alphabetically first rotation of a motif.

    Examples
    --------
    >>> canonical_motif(b"GCA")
    b'AGC'
    """
    return min(motif[shift:] + motif[:shift] for shift in range(len(motif)))
