"""What one block of the original tells by itself: frequencies, repeats, carriers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.vcf.blocks import Block
from core.vcf.candidates import Marks
from core.vcf.carriers import Carriers, find_carriers
from core.vcf.rarity import Mask, Rarity, site_rarity
from core.vcf.settings import MAF_LIMIT
from core.vcf.sites import ALWAYS_MASKED, Mark, SiteRules

DOT, COMMA = 46, 44


@dataclass(eq=False)
class OriginalBlock:
    """What is known of the block of the original that is being paired; arrays of shape (lines,)."""

    block: Block
    has_alt: Mask
    rarity: Rarity
    candidates: Mask
    carriers: Carriers
    marks: Marks
    masked_up_to: npt.NDArray[np.float64]


def prepare(block: Block, rules: SiteRules) -> OriginalBlock:
    """Judge a block of the original by itself.

    Raises
    ------
    AuditInputError
        When a line is not one of VCF.
    """
    block.check_info_keys()
    alt_starts, alt_ends = block.tabs[3] + 1, block.tabs[4]
    lengths = alt_ends - alt_starts
    first = np.take(block.text, alt_starts, mode="clip")
    has_alt = ~((lengths == 1) & (first == DOT))
    rarity = site_rarity(block, rules.original_reader, has_alt)
    marks = np.zeros(len(block.ends), dtype=np.uint32)
    for line in np.flatnonzero(has_alt & (lengths >= rules.pattern.min_length)).tolist():
        if rules.pattern.found(block.alt(line)):
            marks[line] = Mark.REPEAT | Mark.REPEAT_KEPT
    masked_up_to = rarity.mafs.copy()
    for line in np.flatnonzero(has_alt & ((first == DOT) | (first == COMMA) | (lengths == 0))).tolist():
        if not block.alt(line).strip(b".,"):
            masked_up_to[line] = ALWAYS_MASKED
    candidates = (rarity.mafs < MAF_LIMIT) | (marks != 0)
    carriers = find_carriers(block, rules.original_reader, candidates, rarity)
    marks[np.array(carriers.sole, dtype=np.int64)] |= Mark.SOLE_CARRIER
    return OriginalBlock(block, has_alt, rarity, candidates, carriers, marks, masked_up_to)
