"""Sites whose rarest allele exactly one sample carries, for a whole block at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.vcf.blocks import Block, Offsets
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import VcfHeader
from core.vcf.rarity import Mask, Rarity
from core.vcf.records import Record
from core.vcf.sites import sole_carrier

SLASH, BAR = 47, 124
ZERO, ONE = 48, 49


def sole_carriers(
    block: Block, header: VcfHeader, reader: FrequencyReader, candidates: Mask, rarity: Rarity
) -> Offsets:
    """Return the candidate lines whose rarest allele exactly one sample carries.

    Lines with one ALT allele are counted with numpy; the others one by one.
    """
    if not header.samples or not candidates.any():
        return np.empty(0, dtype=np.int64)
    simple = candidates & ~_several_alts(block) & ~_polyploid(block)
    lines = np.flatnonzero(simple & _begins_with_genotype(block))
    wanted = np.where(rarity.reference_is_rarest[lines], ZERO, ONE).astype(np.uint8)
    found = lines[_carried_once(block, lines, wanted)]
    others = [line for line in np.flatnonzero(candidates & ~simple).tolist() if _is_sole(block, line, reader)]
    return np.concatenate([found, np.array(others, dtype=np.int64)])


def _is_sole(block: Block, line: int, reader: FrequencyReader) -> bool:
    record = Record(block.line(line))
    return sole_carrier(record, [record], reader)


def _several_alts(block: Block) -> Mask:
    several = np.zeros(len(block.ends), dtype=bool)
    starts, ends = block.tabs[3] + 1, block.tabs[4]
    for line in np.flatnonzero(ends - starts > 2).tolist():
        several[line] = b"," in block.data[starts[line] : ends[line]]
    return several


def _polyploid(block: Block) -> Mask:
    """Tell whether the first sample's genotype has more than two alleles, as then may all of the line."""
    marks = np.take(block.text, block.sample_starts[:, 0] + 4, mode="clip")
    return np.asarray((marks == SLASH) | (marks == BAR))


def _begins_with_genotype(block: Block) -> Mask:
    start = block.tabs[7] + 1
    cells = [np.take(block.text, start + shift, mode="clip") for shift in range(2)]
    return (cells[0] == ord("G")) & (cells[1] == ord("T"))


def _carried_once(block: Block, lines: Offsets, wanted: npt.NDArray[np.uint8]) -> Mask:
    """Tell for each line whether exactly one sample's genotype holds the wanted digit.

    With one ALT allele, a genotype is one or two digits.
    """
    starts = block.sample_starts[lines] + 1
    first, mark, second = (np.take(block.text, starts + shift, mode="clip") for shift in range(3))
    digit = wanted[:, None]
    carried = first == digit
    carried |= ((mark == SLASH) | (mark == BAR)) & (second == digit)
    return np.asarray(np.count_nonzero(carried, axis=1) == 1)
