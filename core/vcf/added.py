"""Records that the anonymized file has at sites which the original lacks: where they name an allele."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.vcf.records import Record
from core.vcf.repeats import RepeatPattern

MAX_POSITION = (1 << 39) - 1


def plain_contig(contig: bytes) -> bytes:
    """Return a contig's name without ``chr``, in lower case: 1 and chr1 are the same."""
    return contig.lower().removeprefix(b"chr")


@dataclass(eq=False)
class AddedAlleles:
    """Added records that name an allele, in three arrays of one length; they may be records that were moved.

    Attributes
    ----------
    contig_ids
        One number per contig, by its name as :func:`plain_contig` returns it.
    places
        The number of the contig times 2⁴⁰, plus POS.
    mafs
        Site frequency by the record's own INFO; infinity where not computable.
    """

    contig_ids: dict[bytes, int] = field(default_factory=dict)
    places: array[int] = field(default_factory=lambda: array("q"))
    mafs: array[float] = field(default_factory=lambda: array("d"))

    def add(self, record: Record, maf: float) -> None:
        """Take a record up, unless it names no allele."""
        if not names_allele(record):
            return
        contig = self.contig_ids.setdefault(plain_contig(record.chrom), len(self.contig_ids))
        self.places.append((contig << 40) + min(int(record.pos), MAX_POSITION))
        self.mafs.append(maf)

    def n_rare(self, maf_threshold: float) -> int:
        """Return how many are rare by their own INFO."""
        return int(np.count_nonzero(np.array(self.mafs) < maf_threshold))

    def near(
        self, contigs: list[str], positions: npt.NDArray[np.int64], window: int
    ) -> npt.NDArray[np.bool_]:
        """Tell for each place, given by contig and POS, whether an added record is within `window` bases."""
        known = [self.contig_ids.get(plain_contig(contig.encode()), -1) for contig in contigs]
        ids = np.array(known, dtype=np.int64)
        own = (ids << 40) + np.minimum(positions, MAX_POSITION)
        places = np.sort(np.array(self.places, dtype=np.int64))
        lows = np.searchsorted(places, own - window)
        highs = np.searchsorted(places, own + window, side="right")
        return (highs > lows) & (ids >= 0)


def names_allele(record: Record) -> bool:
    """Tell whether ALT names anything beside ``N``, ``*`` and ``<NON_REF>``."""
    return any(allele.strip(b"Nn<>.") for allele in record.alleles)


def shows_more(original: Record, kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether a record names an allele, or shows a repeat, where the original shows none."""
    if not names_allele(original) and names_allele(kept):
        return True
    return pattern.found(kept.alt.upper()) and not pattern.found(original.alt.upper())
