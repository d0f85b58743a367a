"""Who carries the alleles of a whole block's sites, and where exactly one sample does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.vcf.blocks import Block, Offsets
from core.vcf.columns import MANY_COLUMNS, TAB, Bits, Text, count_between, packed
from core.vcf.frequencies import FrequencyReader
from core.vcf.rarity import Mask, Rarity
from core.vcf.records import Record
from core.vcf.sites import sole_carrier

SLASH, COLON, BAR = 47, 58, 124
ZERO, ONE = 48, 49
N_SITE_COLUMNS = 9  # of a file with samples, up to FORMAT
LONG_LINE = 600  # bytes
N_LOOKED_AT = 8  # samples, before a line is searched
REACH = 3  # from the tab before a genotype to its second allele


class Carriers(NamedTuple):
    """Who carries the ALT allele in a block's lines with one ALT allele.

    Attributes
    ----------
    sole
        Lines, among the candidates, whose rarest allele exactly one sample carries.
    bare
        Whether the line's samples are genotypes and nothing else, shape (lines,).
    known
        Whether `bits` tells the carriers of the line's ALT allele, shape (lines,).
    bits
        One bit a byte of the block: set at the tab before each sample that carries the allele.
    places
        Where samples are few: where in the line's samples the first that carries the allele begins, −1
        for none, shape (lines,).
    """

    sole: list[int]
    bare: Mask = np.empty(0, dtype=bool)
    known: Mask = np.empty(0, dtype=bool)
    bits: bytes = b""
    places: Offsets | None = None

    def first(self, block: Block, lines: Offsets) -> list[int]:
        """Return where in the lines' samples the first known to carry the allele begins, −1 for none."""
        if self.places is not None:
            found: list[int] = self.places[lines].tolist()
            return found
        if not len(self.bare):
            return [-1] * len(lines)
        spans = zip(
            block.tabs[8][lines].tolist(),
            block.ends[lines].tolist(),
            self.bare[lines].tolist(),
            self.known[lines].tolist(),
            strict=True,
        )
        return [
            _first_in_bare(block, start, end) if bare else self._first_bit(start, end) if known else -1
            for start, end, bare, known in spans
        ]

    def _first_bit(self, start: int, end: int) -> int:
        found = int.from_bytes(self.bits[start >> 3 : (end >> 3) + 1], "little") >> (start & 7)
        place = (found & -found).bit_length() - 1
        return place if place < end - start else -1


def _first_in_bare(block: Block, start: int, end: int) -> int:
    carrier = block.data.find(ONE, start, end)
    return block.data.rfind(TAB, start, carrier) - start if carrier >= 0 else -1


def find_carriers(block: Block, reader: FrequencyReader, candidates: Mask, rarity: Rarity) -> Carriers:
    """Find the carriers of the candidate lines' alleles.

    Lines with one ALT allele are looked at together; the others one by one.
    """
    if block.n_columns <= N_SITE_COLUMNS or not candidates.any():
        return Carriers([])
    has_genotypes, bare = _genotypes_first(block)
    simple = candidates & ~_several_alts(block)
    bare &= simple
    simple &= bare | ~_polyploid(block)
    called = simple & has_genotypes & ~bare
    of_reference = called & rarity.reference_is_rarest
    sole = [line for line in np.flatnonzero(candidates & ~simple).tolist() if _is_sole(block, line, reader)]
    sole += _sole_in_bare(block, bare, rarity.reference_is_rarest)
    if block.n_columns <= MANY_COLUMNS:
        counts, places = _in_few(block, called | bare, rarity.reference_is_rarest)
        return Carriers([*sole, *np.flatnonzero(called & (counts == 1)).tolist()], places=places)
    bits = b""
    if called.any():
        found = _carrier_bits(block, np.flatnonzero(of_reference))
        counts = count_between(found, block.tabs[8], block.ends)
        sole += np.flatnonzero(called & (counts == 1)).tolist()
        bits = found.tobytes()
    return Carriers(sole, bare & ~rarity.reference_is_rarest, called & ~of_reference, bits)


def _sole_in_bare(block: Block, lines: Mask, of_reference: Mask) -> list[int]:
    """Return the lines of nothing but genotypes in which exactly one sample names the allele."""
    numbers = np.flatnonzero(lines)
    numbers = numbers[~_begin_with_several(block, numbers, of_reference)]
    starts, ends = block.tabs[8][numbers].tolist(), block.ends[numbers].tolist()
    alleles = np.where(of_reference[numbers], ZERO, ONE).tolist()
    find = block.data.find
    sole = []
    for line, start, end, allele in zip(numbers.tolist(), starts, ends, alleles, strict=True):
        first = find(allele, start, end)
        if first >= 0:
            after = find(TAB, first, end)
            if after < 0 or find(allele, after, end) < 0:
                sole.append(line)
    return sole


def _begin_with_several(block: Block, numbers: Offsets, of_reference: Mask) -> Mask:
    """Tell which lines' first samples, of two alleles at most, name the allele more often than one can."""
    starts = block.tabs[8][numbers]
    cells = np.take(block.text, starts + np.arange(4 * N_LOOKED_AT)[:, None], mode="clip")
    diploid = np.all(cells[::4] == TAB, axis=0) & (starts + len(cells) <= block.ends[numbers])
    named = np.sum(cells == np.where(of_reference[numbers], ZERO, ONE), axis=0)
    return diploid & (named > 2)


def _in_few(block: Block, lines: Mask, of_reference: Mask) -> tuple[Offsets, Offsets]:
    """Count carriers of the rarest allele where samples are few; find the first of ALT, −1 for none."""
    numbers = np.flatnonzero(lines)
    tabs = block.tabs[N_SITE_COLUMNS - 1 :, numbers]
    first, separator, second = (
        np.take(block.text, tabs + shift, mode="clip") for shift in range(1, REACH + 1)
    )
    joined = (separator == SLASH) | (separator == BAR)
    allele = np.where(of_reference[numbers], ZERO, ONE)
    carries = (first == allele) | (joined & (second == allele))
    counts, places = np.zeros(len(block.ends), dtype=np.int64), np.full(len(block.ends), -1)
    counts[numbers] = carries.sum(axis=0)
    begins = np.take_along_axis(tabs, carries.argmax(axis=0)[None], axis=0)[0] - tabs[0]
    places[numbers] = np.where(carries.any(axis=0) & ~of_reference[numbers], begins, -1)
    return counts, places


def _is_sole(block: Block, line: int, reader: FrequencyReader) -> bool:
    record = Record(block.line(line))
    return sole_carrier(record, [record], reader)


def _several_alts(block: Block) -> Mask:
    several = np.zeros(len(block.ends), dtype=bool)
    starts, ends = block.tabs[3] + 1, block.tabs[4]
    for line in np.flatnonzero(ends - starts > 2).tolist():
        several[line] = b"," in block.alt(line)
    return several


def _polyploid(block: Block) -> Mask:
    """Tell whether the first sample's genotype has more than two alleles, as then may all of the line."""
    marks = np.take(block.text, block.tabs[8] + 4, mode="clip")
    return np.asarray((marks == SLASH) | (marks == BAR))


def _genotypes_first(block: Block) -> tuple[Mask, Mask]:
    """Tell in which lines FORMAT begins with GT, and in which it is nothing else."""
    start = block.tabs[7] + 1
    first, second, after = (np.take(block.text, start + shift, mode="clip") for shift in range(3))
    begins = (first == ord("G")) & (second == ord("T"))
    bare = begins & (after == TAB)
    return bare | (begins & (after == COLON)), bare


def _carrier_bits(block: Block, of_reference: Offsets) -> Bits:
    """Set a bit at the tab before each sample whose genotype names the ALT allele.

    In the lines `of_reference`, where the reference is the rarest, it is the reference that is looked
    for. Genotypes have one or two alleles, each a digit.
    """
    text = block.text
    named = np.zeros(block.size + REACH, dtype=bool)
    np.equal(text, ONE, out=named[: block.size])
    for samples in _spans(block, of_reference):
        named[samples] = text[samples] == ZERO

    def carries(at: int, piece: Text) -> Mask:
        end = at + len(piece)
        second = piece[2:-1] == SLASH
        second |= piece[2:-1] == BAR
        second &= named[at + 3 : end]
        second |= named[at + 1 : end - 2]  # the first allele
        second &= piece[:-3] == TAB
        return second

    return packed(text, carries, REACH)


def _spans(block: Block, lines: Offsets) -> Iterator[slice | Offsets]:
    """Yield where the samples of lines stand: each line by itself, or where they are short all at once."""
    starts, ends = block.tabs[8][lines], block.ends[lines]
    if block.first_length > LONG_LINE:
        yield from map(slice, starts.tolist(), ends.tolist())
    else:
        lengths = ends - starts
        before = np.cumsum(lengths) - lengths
        yield np.repeat(starts - before, lengths) + np.arange(lengths.sum())
