"""One record, split into its columns when a site has to be looked at closely."""

from __future__ import annotations

import re
from functools import cache

NO_ALT = b"."
#: ALT alleles that name no variant of the donor's: overlapping deletion and "anything else".
EMPTY_ALLELES = frozenset((b".", b"*", b"<NON_REF>", b"<*>", b""))
GENOTYPE = re.compile(rb"\t(?:[0.][/|])*[1-9]")


class Record:
    """The columns of one line.

    `samples` is everything after FORMAT, the tab before each sample included; `format` and `samples`
    are empty in files without samples. A line is split only after its number of columns was checked, or
    when everything from QUAL on is that of a line that was.
    """

    __slots__ = ("_line", "alt", "chrom", "filter", "format", "id", "info", "pos", "ref", "samples")

    def __init__(self, line: bytes) -> None:
        self._line = line
        self.chrom, self.pos, self.id, self.ref, self.alt, _, self.filter, self.info, *rest = line.split(
            b"\t", 9
        )
        self.format = rest[0] if rest else b""
        self.samples = line[-len(rest[1]) - 1 :] if len(rest) > 1 else b""

    def with_alt(self, alt: bytes) -> Record:
        """Return the record with another ALT of the same length."""
        other = Record.__new__(Record)
        other._line, other.alt = self._line, alt
        other.chrom, other.pos, other.id, other.ref = self.chrom, self.pos, self.id, self.ref
        other.filter, other.info = self.filter, self.info
        other.format, other.samples = self.format, self.samples
        return other

    @property
    def rest(self) -> bytes:
        """Return everything from QUAL on: records with equal rests have equal INFO, FORMAT and samples."""
        before = len(self.chrom) + len(self.pos) + len(self.id) + len(self.ref) + len(self.alt)
        return self._line[before + 5 :]

    @property
    def alt_is_blank(self) -> bool:
        """Tell whether every ALT allele is ``.``."""
        return self.alt == NO_ALT or not self.alt.strip(b".,")

    @property
    def alleles(self) -> list[bytes]:
        """Return the ALT alleles that say something."""
        return [allele for allele in self.alt.split(b",") if allele not in EMPTY_ALLELES]

    @property
    def has_genotypes(self) -> bool:
        """Tell whether the samples begin with a genotype."""
        return self.format.startswith(b"GT") and self.format[2:3] in (b"", b":")

    @property
    def has_carriers(self) -> bool:
        """Tell whether any sample's genotype names an ALT allele."""
        return self.has_genotypes and GENOTYPE.search(self.samples) is not None

    def names(self, alleles: list[bytes]) -> bool:
        """Tell whether ALT names one of the alleles."""
        own = self.alt.split(b",")
        return any(allele in own for allele in alleles)

    def has_sole_carrier(self, allele: int) -> bool:
        """Tell whether exactly one sample carries the allele of this index (0 is the reference)."""
        if not self.has_genotypes:
            return False
        found = _carrier_pattern(allele).finditer(self.samples)
        return next(found, None) is not None and next(found, None) is None


def genotypes_changed(original: Record, kept: Record) -> bool:
    """Tell whether a sample's genotype differs; one blanked together with ALT is masked, not changed.

    Nor is anything changed in a file from which all samples were left out.
    """
    if not kept.format:
        return False
    before, after = _genotypes(original), _genotypes(kept)
    masked = original.alt != kept.alt
    return len(before) != len(after) or any(
        left != right and not (masked and not right.strip(b"./|"))
        for left, right in zip(before, after, strict=True)
    )


def _genotypes(record: Record) -> list[bytes]:
    """Return each sample's genotype as written; empty without genotypes."""
    if not record.has_genotypes:
        return []
    return [sample.partition(b":")[0] for sample in record.samples[1:].split(b"\t")]


@cache
def _carrier_pattern(allele: int) -> re.Pattern[bytes]:
    return re.compile(rb"\t(?:[0-9.]+[/|])*%d(?=[/|:\t]|\Z)" % allele)
