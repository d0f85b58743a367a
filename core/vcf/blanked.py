"""Sites of one base whose ALT became ``.`` and of which nothing else changed, marked where they stand.

Most masked sites are such. Their lines are not split into columns unless something in them has to be
looked at closely; the outcome is that of :func:`core.vcf.sites.mark_site`.
"""

from __future__ import annotations

import numpy as np

from core.vcf.alignment import Matched
from core.vcf.blocks import Block, Offsets
from core.vcf.carriers import N_SITE_COLUMNS, Carriers
from core.vcf.rarity import Mask
from core.vcf.records import NO_ALT, Record
from core.vcf.sample_leaks import Samples, format_patterns
from core.vcf.sites import Mark, SiteRules, samples_leak, site_leaks

DOT = ord(".")
PASS = np.frombuffer(b"PASS", dtype=np.uint8)
IS_BASE = np.isin(np.arange(256), np.frombuffer(b"ACGTNacgtn", dtype=np.uint8))


def is_blanked(matched: Matched) -> Mask:
    """Tell for each changed pair whether one base became ``.`` in ALT and nothing else changed."""
    block, other = matched.original_block, matched.anonymized_block
    lines, places = matched.original[matched.changed], matched.anonymized[matched.changed]
    before_ref, before_alt, after_alt = block.tabs[2:5, lines]
    alt = before_alt + 1
    one_base = (matched.only == alt) & (after_alt - alt == 1) & (before_alt - before_ref == 2)
    kept = np.take(other.text, other.starts[places] + alt - block.starts[lines], mode="clip")
    return one_base & IS_BASE[np.take(block.text, alt)] & (kept == DOT)


def mark_blanked(block: Block, lines: Offsets, carriers: Carriers, rules: SiteRules) -> list[int]:
    """Mark lines of the original that :func:`is_blanked` tells.

    Their frequencies must be computable, and the same in both files.

    Parameters
    ----------
    block
        The block of the original.
    lines
        Which of its lines.
    carriers
        Who carries the block's alleles.
    rules
        The patterns and readers.
    """
    data = block.data
    has_samples = block.n_columns > N_SITE_COLUMNS
    samples = block.tabs[8][lines] if has_samples else block.info_ends[lines]
    columns = zip(
        lines.tolist(),
        (block.tabs[3][lines] + 1).tolist(),
        (block.tabs[6][lines] + 1).tolist(),
        block.info_ends[lines].tolist(),
        samples.tolist(),
        block.ends[lines].tolist(),
        _without_words(block, lines).tolist(),
        carriers.first(block, lines),
        strict=True,
    )
    found = []
    for line, alt, info, info_end, start, end, without_words, carrier in columns:
        allele = bytes(data[alt : alt + 1])
        marks = Mark.ALT_CHANGED | Mark.INFO_FREQUENCY
        described = rules.numeric.describes((), data, info, info_end) if without_words else None
        if described is None:
            original = Record(block.line(line))
            marks |= site_leaks(original, [allele], original.with_alt(NO_ALT), rules)
        elif described:
            marks |= Mark.DESCRIBED
        if has_samples:
            kept = Samples(format_patterns(bytes(data[info_end + 1 : start])), data, start, end)
            marks |= samples_leak([allele], kept, carrier)
        found.append(marks)
    return found


def _without_words(block: Block, lines: Offsets) -> Mask:
    """Tell in which lines ID is missing and FILTER is missing or ``PASS``."""
    before_id, after_id = block.tabs[1:3, lines]
    before_filter, after_filter = block.tabs[5:7, lines]
    cells = np.take(block.text, before_filter + np.arange(1, 5)[:, None], mode="clip")
    lengths = after_filter - before_filter - 1
    usual = ((lengths == 1) & (cells[0] == DOT)) | ((lengths == 4) & np.all(cells == PASS[:, None], axis=0))
    return usual & (after_id - before_id == 2) & (np.take(block.text, before_id + 1) == DOT)
