"""What records tell of other places: added ones, mates, phase sets, alleles inside a deletion, alleles."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.checks.spellings import PAIR_CODES, trimmed
from core.vcf.memoized import remembered
from core.vcf.records import Record, alt_column
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
    # targets beside which carriers alone have half a genotype or another number of copies
    odd: Pointers = field(default_factory=Pointers)
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


LONGEST_REF = 200  # bases; of a longer one only so many overlap others
MOST_ROWS = 1 << 14  # that overlap in a chain, and are compared together
MOST_KEPT = 1 << 21  # changes of contigs with two names, of masked and of other records
_BASES = b"ACGT"
_TWO_BASES = {code: bases for bases, code in PAIR_CODES.items()}


class Row(NamedTuple):
    """A record: the original's and its own in the anonymized file; an empty ALT for one that is not there."""

    position: int
    ref: bytes
    alt: bytes
    kept_ref: bytes
    kept_alt: bytes
    is_target: bool  # whether the original is a target at some threshold
    is_repeat: bool = False  # whether the repeat rule makes it one


class Change(NamedTuple):
    """What an allele changes: bases that are lost from a position on, and those in their place."""

    position: int
    lost: bytes
    gained: bytes

    @property
    def parts(self) -> frozenset[tuple[int, int, int]]:
        """Return the single bases that a substitution changes; none of an insertion or deletion."""
        if len(self.lost) != len(self.gained):
            return frozenset()
        found = enumerate(zip(self.lost, self.gained, strict=True), self.position)
        return frozenset((at, before, after) for at, (before, after) in found if before != after)


def changes_of(position: int, ref: bytes, alt: bytes, bases: Mapping[int, int]) -> Iterator[Change]:
    """Yield what each allele of plain bases changes, as far to the left as the known `bases` allow."""
    ref = ref.upper()
    if ref.strip(_BASES):
        return
    for after in (one for allele in alt_column(alt).alleles for one in _meant(allele.upper(), ref)):
        if after and not after.strip(_BASES) and after != ref:
            yield _leftmost(position, ref, after, bases)


def _meant(allele: bytes, ref: bytes) -> tuple[bytes, ...]:
    """Return the alleles that one may stand for: an ambiguity code of two bases is REF or the other one."""
    if len(allele) == len(ref) == 1 and allele in _TWO_BASES:
        return tuple(bytes([base]) for base in _TWO_BASES[allele])
    return (allele,)


def _leftmost(position: int, ref: bytes, alt: bytes, bases: Mapping[int, int]) -> Change:
    n_shared, ref, alt = trimmed(ref, alt)
    position += n_shared
    while not (ref and alt) and bases.get(position - 1) == (ref or alt)[-1]:
        ref, alt = ref[-1:] + ref[:-1], alt[-1:] + alt[:-1]
        position -= 1
    return Change(position, ref, alt)


class SameAlleles:
    """Takes the records of both files in their order, and notes the targets whose allele another one names.

    Attributes
    ----------
    named, named_repeats
        Where these targets stand: rare variants, and repeats.
    """

    def __init__(self, contigs: Iterable[bytes]) -> None:
        self.named, self.named_repeats = Pointers(), Pointers()
        spellings: dict[bytes, set[bytes]] = {}
        for contig in contigs:
            spellings.setdefault(plain_contig(contig), set()).add(contig)
        self._of_two_names = frozenset(
            contig for found in spellings.values() if len(found) > 1 for contig in found
        )
        self._rows: list[Row] = []
        self._contig, self._end = b"", -1
        self._masked: dict[tuple[bytes, Change], list[tuple[bytes, Row]]] = {}
        self._others: dict[tuple[bytes, Change], set[bytes]] = {}

    def has_two_names(self, contig: bytes) -> bool:
        """Tell whether a contig is declared under another name too, so that all its records are wanted."""
        return contig in self._of_two_names

    def take(self, contig: bytes, row: Row) -> None:
        """Take the next record of those that overlap or touch others; one that does not is no harm."""
        if contig != self._contig or row.position > self._end + 1 or len(self._rows) == MOST_ROWS:
            self.close()
            self._contig = contig
        self._rows.append(row)
        self._end = max(self._end, row.position + min(len(row.ref), LONGEST_REF) - 1)
        if contig in self._of_two_names:
            self._keep(contig, row)

    def close(self) -> None:
        """Compare the records that were taken, before one that is apart from them, or at the end."""
        rows, self._rows, self._end = self._rows, [], -1
        if len(rows) < 2 or not any(map(_is_masked, rows)):
            return
        bases: dict[int, int] = {}
        for row in rows:
            bases.update(enumerate((row.ref or row.kept_ref).upper()[:LONGEST_REF], row.position))
        named = [{*changes_of(row.position, row.kept_ref, row.kept_alt, bases)} for row in rows]
        parts = [{part for change in own for part in change.parts} for own in named]
        n_named, n_parts = (Counter(one for own in every for one in own) for every in (named, parts))
        for row, own, own_parts in zip(rows, named, parts, strict=True):
            if _is_masked(row) and any(
                n_named[one] > (one in own)
                or (one.parts and all(n_parts[part] > (part in own_parts) for part in one.parts))
                for one in changes_of(row.position, row.ref, row.alt, bases)
            ):
                self._of(row).add(self._contig, row.position)

    def _keep(self, contig: bytes, row: Row) -> None:
        """Keep what a record on a contig of two names changes, to find it under the other name."""
        if len(self._masked) + len(self._others) > MOST_KEPT:
            return
        plain = plain_contig(contig)
        if _is_masked(row):
            for change in changes_of(row.position, row.ref, row.alt, {}):
                self._masked.setdefault((plain, change), []).append((contig, row))
        for change in changes_of(row.position, row.kept_ref, row.kept_alt, {}):
            self._others.setdefault((plain, change), set()).add(contig)

    def finish(self) -> None:
        """Compare the last records, and those of contigs with two names, once all were taken."""
        self.close()
        for key, rows in self._masked.items():
            for contig, row in rows:
                if self._others.get(key, set()) - {contig}:
                    self._of(row).add(contig, row.position)

    def _of(self, row: Row) -> Pointers:
        return self.named_repeats if row.is_repeat else self.named


def _is_masked(row: Row) -> bool:
    """Tell whether a target's own record no longer names any of its alleles."""
    return row.is_target and alt_column(row.kept_alt).distinct.isdisjoint(alt_column(row.alt).alleles)
