"""Sort the records of a file in memory, for files that are not sorted by contig and position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from core.vcf.blocks import Block, Offsets

LINES_PER_BLOCK = 20_000


def sorted_blocks(blocks: Iterable[Block], contigs: dict[bytes, int]) -> Iterator[Block]:
    """Yield the records sorted by contig and position, records of one site in their order in the file.

    Parameters
    ----------
    blocks
        All blocks of a file; they are held in memory together.
    contigs
        Place of each contig; contigs met for the first time are added at the end.
    """
    held = list(blocks)
    ranks = [_ranks(block, contigs) for block in held]
    if not held:
        return
    positions = np.concatenate([block.positions for block in held])
    of_block = np.repeat(np.arange(len(held)), [len(block.ends) for block in held])
    in_block = np.concatenate([np.arange(len(block.ends)) for block in held])
    all_ranks = np.concatenate(ranks)
    order = np.lexsort((positions, all_ranks))
    for low, high in _cuts(all_ranks[order], positions[order]):
        part = order[low:high]
        places = zip(of_block[part].tolist(), in_block[part].tolist(), strict=True)
        text = b"\n".join(held[block].line(line) for block, line in places) + b"\n"
        yield Block(held[0].name, held[0].n_columns, text, len(text), 1, order=part)


def _ranks(block: Block, contigs: dict[bytes, int]) -> Offsets:
    ranks = np.empty(len(block.ends), dtype=np.int64)
    for contig, low, high in block.segments:
        ranks[low:high] = contigs.setdefault(contig, len(contigs))
    return ranks


def _cuts(ranks: Offsets, positions: Offsets) -> Iterator[tuple[int, int]]:
    """Cut sorted records into runs of about `LINES_PER_BLOCK` that end where a site ends."""
    ends = np.flatnonzero((np.diff(positions) != 0) | (np.diff(ranks) != 0)) + 1
    low, n_lines = 0, len(positions)
    while low < n_lines:
        at = int(np.searchsorted(ends, low + LINES_PER_BLOCK))
        high = int(ends[at]) if at < len(ends) else n_lines
        yield low, high
        low = high
