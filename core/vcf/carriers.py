"""Who carries the alleles of a whole block's sites, and where exactly one sample does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.vcf.blocks import Block, Offsets
from core.vcf.columns import TAB, Bits, Text, count_between, packed
from core.vcf.frequencies import FrequencyReader
from core.vcf.rarity import Mask, Rarity
from core.vcf.records import Record
from core.vcf.sites import sole_carrier

SLASH, COLON, BAR = 47, 58, 124
ZERO, ONE = 48, 49
N_SITE_COLUMNS = 9  # of a file with samples, up to FORMAT
REACH = 3  # from the tab before a genotype to its second allele


class Carriers(NamedTuple):
    """Who carries the ALT allele in a block's lines with one ALT allele.

    Attributes
    ----------
    sole
        Lines, among the candidates, whose rarest allele exactly one sample carries.
    known
        Whether the carriers of the line's ALT allele were looked for, shape (lines,).
    bits
        One bit a byte of the block: set at the tab before each sample that carries the allele.
    """

    sole: Offsets
    known: Mask
    bits: bytes

    def first(self, block: Block, line: int) -> int | None:
        """Return where in the line's samples the first one known to carry the allele begins."""
        if not block.has_long_lines or not len(self.known) or not self.known[line]:
            return None  # in a short line a pattern finds it as fast
        start, end = int(block.tabs[8][line]), int(block.ends[line])
        found = int.from_bytes(self.bits[start >> 3 : (end >> 3) + 1], "little") >> (start & 7)
        place = (found & -found).bit_length() - 1
        return place if 0 <= place < end - start else None


NO_CARRIERS = Carriers(np.empty(0, dtype=np.int64), np.empty(0, dtype=bool), b"")


def find_carriers(block: Block, reader: FrequencyReader, candidates: Mask, rarity: Rarity) -> Carriers:
    """Find the carriers of the candidate lines' alleles.

    Lines with one ALT allele are looked at together; the others one by one.
    """
    if block.n_columns <= N_SITE_COLUMNS or not candidates.any():
        return NO_CARRIERS
    simple = candidates & ~_several_alts(block) & ~_polyploid(block)
    called = simple & _begins_with_genotype(block)
    of_reference = called & rarity.reference_is_rarest
    bits = _carrier_bits(block, np.flatnonzero(of_reference))
    counts = count_between(bits, block.tabs[8], block.ends)
    others = [line for line in np.flatnonzero(candidates & ~simple).tolist() if _is_sole(block, line, reader)]
    sole = np.append(np.flatnonzero(called & (counts == 1)), np.array(others, dtype=np.int64))
    return Carriers(sole, called & ~of_reference, bits.tobytes())


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


def _begins_with_genotype(block: Block) -> Mask:
    start = block.tabs[7] + 1
    first, second, after = (np.take(block.text, start + shift, mode="clip") for shift in range(3))
    return (first == ord("G")) & (second == ord("T")) & ((after == TAB) | (after == COLON))


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
    if block.has_long_lines:
        yield from map(slice, starts.tolist(), ends.tolist())
    else:
        lengths = ends - starts
        before = np.cumsum(lengths) - lengths
        yield np.repeat(starts - before, lengths) + np.arange(lengths.sum())
