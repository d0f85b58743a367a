"""Alleles of masked sites that another record of the anonymized file still names, in whatever writing.

One change is written in many ways: twice at a position, with bases before or behind it, an insertion or
deletion further along a run of the same bases, a substitution inside one of several bases, on contig 1 and on
chr1. Records that overlap or touch are put onto the bases that their REF columns tell, and compared there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from core.vcf.checks.spellings import PAIR_CODES, trimmed
from core.vcf.pointers import Pointers, plain_contig
from core.vcf.records import alt_column

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
