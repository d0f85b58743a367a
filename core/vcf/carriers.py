"""What kept records tell of masked ones by who carries them: the same indel elsewhere, and odd genotypes.

Either may be chance. Each record that is compared adds how probable it is that chance alone would speak as
clearly; what speaks is told where so much of it comes of chance in one of a million files.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.checks.spellings import trimmed
from core.vcf.neighbours import Pointers
from core.vcf.rows import ALT, FORMAT, INFO, REF, SAMPLES, Columns, Rows

BY_CHANCE = 1e-6  # that chance gives so much as is told, at most
SHIFTED = 100  # bases between an indel and the same one elsewhere in a repeat
_NEXT = 3  # insertions and deletions on either side that are compared
_SAME_BASE = 0.5  # how probable it is at most that two bases are the same
_CARRIED = re.compile(rb"[1-9]")
# One copy, half a genotype, or more than two copies; what is wholly missing is none.
_ODD = re.compile(rb"\t(?:[0-9]{1,3}(?![0-9/|])|\.[/|][0-9]|[0-9]{1,3}[/|]\.|[0-9.]{1,3}[/|][0-9.]{1,3}[/|])")
_ODD_CELL = re.compile(_ODD.pattern[2:])
MOST_INSIDE, BESIDE = 200, 20  # records inside a masked one, and on either side of it, that are looked at
_END = re.compile(rb"(?:^|;)END=([0-9]{1,15})(?:;|$)")

_BASES = b"ACGT"
_FIRST = (b"GT", b"GT:")  # that FORMAT begins with

Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


@dataclass(eq=False)
class Suspected:
    """Masked sites of which other records may tell, and what chance alone would give."""

    sites: list[tuple[bytes, int]] = field(default_factory=list)
    expected: float = 0.0  # how many of them by chance

    def weigh(self, contig: bytes, position: int, chance: float, *, speaks: bool) -> None:
        """Take up a site of which something might speak that does so by chance with a probability."""
        self.expected += chance
        if speaks:
            self.sites.append((contig, position))

    def tell(self, pointers: Pointers) -> None:
        """Add the sites to others where they are more than chance gives."""
        if tail(len(set(self.sites)), self.expected) < BY_CHANCE:
            for contig, position in self.sites:
                pointers.add(contig, position)


def tail(n: int, expected: float) -> float:
    """Return how probable `n` or more are where so many are expected: Chernoff's bound, 1 for no more."""
    if n <= expected:
        return 1.0
    return math.exp(n - expected + n * math.log(expected / n)) if expected else 0.0


def carriers_of(samples: bytes) -> frozenset[int]:
    """Return which samples carry an ALT allele; of genotypes that stand first in their cells."""
    cells = samples.split(b"\t")
    return frozenset(at for at, cell in enumerate(cells) if _CARRIED.search(cell.partition(b":")[0]))


def is_shifted(position: int, alleles: tuple[bytes, bytes], other: int, others: tuple[bytes, bytes]) -> bool:
    """Tell whether two indels, each a position with REF and ALT, are one written at two ends of a repeat."""
    (first, lost, gained), (second, lost_too, gained_too) = (
        (at + shared, lost.upper(), gained.upper())
        for at, (shared, lost, gained) in ((position, trimmed(*alleles)), (other, trimmed(*others)))
    )
    if first > second:
        return is_shifted(other, others, position, alleles)
    unit, unit_too = lost or gained, lost_too or gained_too
    by = second - first
    if (lost and gained) or (lost_too and gained_too) or len(lost) != len(lost_too) or not unit:
        return False
    turned = by % len(unit)
    before = others[0][
        : second - other
    ].upper()  # bases of the reference, which have to go on as the unit does
    expected = bytes(unit[(by - n) % len(unit)] for n in range(min(len(before), by), 0, -1))
    return unit_too == unit[turned:] + unit[:turned] and before[len(before) - len(expected) :] == expected


@dataclass(eq=False)
class Span:
    """A masked record that stands for several bases, or beside others of its site, and what is kept there."""

    position: int
    end: int
    samples: bytes
    n_inside: int = 0
    n_odd: int = 0  # of those inside: records with an odd genotype
    who: set[int] = field(default_factory=set)  # samples with an odd genotype inside
    beside: list[frozenset[int]] = field(default_factory=list)  # those of each record beside it

    def look(self, odd: Sequence[frozenset[int]]) -> None:
        """Take up the samples with an odd genotype of each record inside."""
        self.n_inside += len(odd)
        self.n_odd += sum(map(bool, odd))
        self.who.update(*odd)

    def weigh(self, contig: bytes, suspected: Suspected) -> None:
        """Say whether the odd genotypes inside are of carriers, who have fewer beside it; chance is exact."""
        carriers = carriers_of(self.samples)
        n_beside = sum(not self.who.isdisjoint(one) for one in self.beside)
        n_samples, n_all = self.samples.count(b"\t") + 1, self.n_inside + len(self.beside)
        if not self.who or len(carriers) < len(self.who):
            return
        chance = math.comb(len(carriers), len(self.who)) / math.comb(n_samples, len(self.who))
        n_odd = self.n_odd + n_beside
        chance *= sum(
            math.comb(self.n_inside, n) * math.comb(len(self.beside), n_odd - n)
            for n in range(self.n_odd, min(self.n_inside, n_odd) + 1)
        ) / math.comb(n_all, n_odd)
        is_rarer_beside = n_beside * self.n_inside <= self.n_odd * len(self.beside) / 2
        suspected.weigh(
            contig, self.position, chance, speaks=self.who <= carriers and (is_rarer_beside or not n_beside)
        )


class Compared(NamedTuple):
    """Records of the original in a batch, in their order, and their own ones of the anonymized file."""

    columns: Columns
    mine: Rows
    kept: Rows
    own: Places  # the row of each record's own one, −1 for none
    is_symbolic: Mask
    is_masked: Mask  # whether ALT of a target was changed
    is_kept: Mask  # whether ALT is as it was

    def alleles(self, row: int) -> tuple[bytes, bytes]:
        """Return REF and ALT of a record of the original in capitals."""
        return self.columns.text(REF, row).upper(), self.columns.text(ALT, row).upper()

    def samples(self, row: int) -> bytes:
        """Return the samples of a record of the original; nothing where genotypes do not stand first."""
        has_genotypes = self.columns.text(FORMAT, row)[:3] in _FIRST
        return self.columns.text(SAMPLES, row) if has_genotypes else b""

    def kept_samples(self, row: int) -> bytes:
        """Return the samples of a record's own one; nothing where genotypes do not stand first."""
        parts = self.kept.block[int(self.own[row])].split(b"\t", SAMPLES)
        return parts[SAMPLES] if len(parts) > SAMPLES and parts[FORMAT][:3] in _FIRST else b""

    def span(self, row: int) -> "Span":
        """Return what a masked record stands for."""
        position = int(self.mine.positions[row])
        end = position + int(self.columns.widths(REF)[row]) - 1
        if self.is_symbolic[row] and (found := _END.search(self.columns.text(INFO, row))):
            end = max(end, int(found[1]))
        return Span(position, end, self.samples(row))


class KeptBeside:
    """Compares masked records with those around them that were kept, contig by contig, batch by batch.

    Attributes
    ----------
    shifted
        Masked insertions and deletions that another record makes nearby in a repeat, with the same carriers.
    odd
        Masked records inside or beside which carriers have half a genotype, or another number of copies.
    """

    def __init__(self) -> None:
        self.shifted, self.odd = Suspected(), Suspected()
        self._contig = b""
        self._open: list[Span] = []  # those that go on beyond the records read so far

    def read(self, some: Compared) -> None:
        """Read the next records."""
        positions = some.mine.positions
        refs, alts = some.columns.widths(REF), some.columns.widths(ALT)
        is_alone = np.diff(positions, prepend=-1, append=-1) != 0
        is_wide = (refs > 1) | some.is_symbolic | ~(is_alone[1:] & is_alone[:-1])
        for contig, low, high in some.mine.contigs:
            indels, masked, kept = (
                np.flatnonzero(one[low:high]) + low
                for one in (
                    (refs != alts) & (some.is_masked | some.is_kept),
                    some.is_masked & is_wide,
                    some.is_kept,
                )
            )
            if contig != self._contig:
                self.finish()
                self._contig = contig
            self._compare_indels(some, indels, alts - refs)
            self._look_inside(some, kept, [some.span(row) for row in masked.tolist()])

    def finish(self) -> None:
        """Weigh what is left once all records of a contig were read."""
        for span in self._open:
            span.weigh(self._contig, self.odd)
        self._open = []

    def _compare_indels(self, some: Compared, indels: Places, deltas: Places) -> None:
        positions, is_masked = some.mine.positions, some.is_masked
        for n in range(1, _NEXT + 1):
            one, two = indels[:-n], indels[n:]
            is_near = (positions[two] - positions[one] <= SHIFTED) & (deltas[one] == deltas[two])
            is_near &= is_masked[one] != is_masked[two]
            for left, right in zip(one[is_near].tolist(), two[is_near].tolist(), strict=True):
                self._compare(some, *((left, right) if is_masked[left] else (right, left)))

    def _compare(self, some: Compared, masked: int, kept: int) -> None:
        alleles, others = some.alleles(masked), some.alleles(kept)
        if b"".join((*alleles, *others)).strip(_BASES):
            return
        samples = some.kept_samples(kept)
        who, whose = carriers_of(some.samples(masked)), carriers_of(samples)
        n_bases = abs(len(alleles[0]) - len(alleles[1]))
        chance = _SAME_BASE**n_bases / math.comb(samples.count(b"\t") + 1, len(whose))
        place, other = (int(some.mine.positions[row]) for row in (masked, kept))
        speaks = bool(who) and who == whose and is_shifted(place, alleles, other, others)
        self.shifted.weigh(self._contig, place, chance, speaks=speaks)

    def _look_inside(self, some: Compared, kept: Places, spans: Sequence[Span]) -> None:
        where, left = some.mine.positions[kept], []
        for span in (*self._open, *spans):
            low, high = np.searchsorted(where, (span.position, span.end + 1)).tolist()
            inside = kept[low:high][: MOST_INSIDE - span.n_inside]
            span.look([_odd_samples(some, row) for row in inside.tolist()])
            goes_on = high == len(kept) and span.n_inside < MOST_INSIDE
            if span.who or goes_on:
                n_left = 2 * BESIDE - len(span.beside)
                before = kept[max(0, low - BESIDE) : low]
                beside = [*before, *kept[high : high + n_left - len(before)]]
                span.beside += [_odd_samples(some, int(row)) for row in beside]
            if goes_on:
                left.append(span)
            else:
                span.weigh(self._contig, self.odd)
        self._open = left


def _odd_samples(some: Compared, row: int) -> frozenset[int]:
    """Return which samples have one copy, more than two, or half a genotype."""
    samples = b"\t" + some.kept_samples(row)
    if _ODD.search(samples) is None:
        return frozenset()
    return frozenset(at for at, cell in enumerate(samples[1:].split(b"\t")) if _ODD_CELL.match(cell))
