"""One record, split into its columns when a site has to be looked at closely."""

from __future__ import annotations

import re
from functools import cache

NO_ALT = b"."
#: ALT alleles that name no variant of the donor's: overlapping deletion and "anything else".
EMPTY_ALLELES = frozenset((b".", b"*", b"<NON_REF>", b"<*>", b""))
_GENOTYPE = re.compile(rb"\t(?:[0.][/|])*[1-9]")


class Record:
    """The columns of one line, split no further than is asked for.

    `rest` is everything from QUAL on; two records with equal rests have equal INFO, FORMAT and
    samples. A line is split only after its number of columns was checked, or when its rest is that
    of a line that was.
    """

    __slots__ = ("_columns", "alt", "chrom", "id", "pos", "ref", "rest")

    def __init__(self, line: bytes) -> None:
        self.chrom, self.pos, self.id, self.ref, self.alt, self.rest = line.split(b"\t", 5)
        self._columns: list[bytes] | None = None

    def _split(self) -> list[bytes]:
        if self._columns is None:
            columns = self.rest.split(b"\t", 4)
            has_samples = len(columns) > 4
            self._columns = [*columns[:4], b"\t" + columns[4]] if has_samples else [*columns[:3], b"", b""]
        return self._columns

    @property
    def info(self) -> bytes:
        """Return the INFO column."""
        return self._split()[2]

    @property
    def format(self) -> bytes:
        """Return the FORMAT column, b"" without samples."""
        return self._split()[3]

    @property
    def samples(self) -> bytes:
        """Return everything after FORMAT, the tab before each sample included."""
        return self._split()[-1]

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
        return self.has_genotypes and _GENOTYPE.search(self.samples) is not None

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
    """Tell whether a sample's genotype differs; one blanked together with ALT is masked, not changed."""
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
