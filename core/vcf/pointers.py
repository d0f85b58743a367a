"""Records that point to a place: added ones, mates, phase sets, alleles inside a deletion."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.vcf.records import Record
from core.vcf.remembering import remembered
from core.vcf.repeats import RepeatPattern

MAX_POSITION = (1 << 39) - 1
MAX_DIGITS = 10  # of a position; longer numbers are none
PHASING_KEYS = frozenset((b"PID", b"PS", b"HP"))
_ACCESSION = re.compile(rb"(nc_|cm)(0000[0-9]{2}|000(?:6[6-8][0-9])|012920)(?:\.[0-9]+)?")
_FIRST_OF_GENBANK = 662  # CM000663 is chromosome 1 of the human reference
_MATE = re.compile(rb"[\[\]]([^\[\]]+):([0-9]{1,15})[\[\]]")
_ALLELES = re.compile(rb"(?<![0-9A-Za-z.])([0-9]{1,%d})_[ACGTNacgtn*]+_([^:\t\n]+)" % MAX_DIGITS)
_MASKED = b"Nn.*,"  # an allele of these alone names nothing
_SETS = re.compile(rb"(?<![0-9])[0-9]{1,%d}(?![0-9])" % MAX_DIGITS)

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def plain_contig(contig: bytes) -> bytes:
    """Return a contig's name in one spelling: 1, chr1, chr01, NC_000001.11 and CM000663.2 are the same."""
    plain = contig.rpartition(b"#")[2].lower().removeprefix(b"chr")
    if match := _ACCESSION.fullmatch(plain):
        number = int(match[2]) - (_FIRST_OF_GENBANK if match[1] == b"cm" else 0)
        plain = {23: b"x", 24: b"y", 12920: b"mt"}.get(number, b"%d" % number)
    return b"mt" if plain == b"m" else plain.lstrip(b"0") or plain


@dataclass(eq=False)
class Pointers:
    """Places that records point to, each with the frequency of the record."""

    # one number per contig, by its name as :func:`plain_contig` returns it
    contig_ids: dict[bytes, int] = field(default_factory=dict)
    # the number of the contig times 2⁴⁰, plus POS
    places: array[int] = field(default_factory=lambda: array("q"))
    # site frequency by the pointing record's own INFO; infinity where not computable or not asked for
    mafs: array[float] = field(default_factory=lambda: array("d"))

    def add(self, contig: bytes, position: int, maf: float = np.inf) -> None:
        """Take a place up; the same place twice running is taken up once."""
        number = self.contig_ids.setdefault(plain_contig(contig), len(self.contig_ids))
        place = (number << 40) + min(position, MAX_POSITION)
        if not self.places or self.places[-1] != place or self.mafs[-1] != maf:
            self.places.append(place)
            self.mafs.append(maf)

    def n_rare(self, maf_threshold: float) -> int:
        """Return how many of the pointing records are rare by their own INFO."""
        return int(np.count_nonzero(np.array(self.mafs) < maf_threshold))

    def between(self, contigs: list[str], starts: Places, ends: Places) -> Mask:
        """Tell for each stretch of a contig, both ends included, whether something points into it."""
        known = [self.contig_ids.get(plain_contig(contig.encode()), -1) for contig in contigs]
        ids = np.array(known, dtype=np.int64)
        places = np.sort(np.array(self.places, dtype=np.int64))
        lows = np.searchsorted(places, (ids << 40) + np.minimum(starts, MAX_POSITION))
        highs = np.searchsorted(places, (ids << 40) + np.minimum(ends, MAX_POSITION), side="right")
        return (highs > lows) & (ids >= 0)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """What records of the anonymized file tell about other sites."""

    # records without a partner that name an allele: they may be masked records that were moved
    added: Pointers = field(default_factory=Pointers)
    # alleles of other sites, written as ``POS_REF_ALT`` in the samples (PID)
    identifiers: Pointers = field(default_factory=Pointers)
    # positions of other sites that phase sets are named by (PS, HP)
    phase_sets: Pointers = field(default_factory=Pointers)
    mates: Pointers = field(default_factory=Pointers)  # where breakends have their mates
    stars: Pointers = field(default_factory=Pointers)  # records with the allele ``*``: a deletion spans them
    # targets whose allele another record names: rare variants, and repeats
    spelled: Pointers = field(default_factory=Pointers)
    spelled_repeats: Pointers = field(default_factory=Pointers)
    named: Pointers = field(default_factory=Pointers)  # places and identifiers that a field of another names

    def read_alt(self, contig: bytes, position: int, alt: bytes) -> None:
        """Take up what an ALT column with a ``*`` or a breakend points to."""
        if b"*" in alt.split(b","):
            self.stars.add(contig, position)
        for mate, place in _MATE.findall(alt):
            self.mates.add(mate, int(place))

    def read_phasing(self, contig: bytes, position: int, format_: bytes, samples: bytes) -> None:
        """Take up what the phasing fields of a record's samples point to, other than its own position."""
        keys = format_.split(b":")
        if b"PID" in keys:
            for place, allele in set(_ALLELES.findall(samples)):
                if int(place) != position and allele.strip(_MASKED):
                    self.identifiers.add(contig, int(place))
        for key in (b"PS", b"HP"):
            if key in keys:
                for place in _set_positions(samples, keys.index(key)):
                    if place != position:
                        self.phase_sets.add(contig, place)


def _set_positions(samples: bytes, column: int) -> Iterator[int]:
    """Yield the positions in one field of all samples, each once."""
    cells = {cell.split(b":")[column] for cell in samples[1:].split(b"\t") if cell.count(b":") >= column}
    yield from {int(number) for cell in cells for number in _SETS.findall(cell.replace(b"-", b" "))}


@remembered
def has_phasing(format_: bytes) -> bool:
    """Tell whether a FORMAT has a key of phasing."""
    return not PHASING_KEYS.isdisjoint(format_.split(b":"))


def shows_more(original: Record, kept: Record, pattern: RepeatPattern) -> bool:
    """Tell whether a record names an allele, or shows a repeat, where the original shows none."""
    if not original.column.names_allele and kept.column.names_allele:
        return True
    return pattern.found(kept.alt.upper()) and not pattern.found(original.alt.upper())
