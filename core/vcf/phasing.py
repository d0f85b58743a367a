"""Phasing identifiers that name the allele of another site.

A caller that phases writes the first record of each phase set into all of them, as ``POS_REF_ALT`` in
the FORMAT field PID. Whoever masks a record and leaves its neighbours as they are leaves its alleles,
and who carries them, in every other record of the set. Only files whose header declares PID are
searched, and of what is found no more than a number per site is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.blocks import Block, Offsets
from core.vcf.candidates import Candidates
from core.vcf.header import VcfHeader
from core.vcf.sites import Mark

KEY = b"PID"
MAX_DIGITS = 10  # of a position; longer numbers are none
# The position before is looked at afterwards, so that the search jumps from one underscore to the next.
_ALLELES = re.compile(rb"_[ACGTNacgtn*]+_([^:\t\n]+)")
_MASKED = b"Nn.*,"  # an allele of these alone names nothing


class _Identifier(NamedTuple):
    """An allele that a sample names as ``POS_REF_ALT``, and where it stands in the text."""

    place: int
    position: int
    allele: bytes


class PhasingIdentifiers:
    """The sites that phasing identifiers of other records point to.

    Parameters
    ----------
    header
        The anonymized file's header.
    """

    def __init__(self, header: VcfHeader) -> None:
        self.declared = KEY in header.formats
        self.contigs: dict[str, int] = {}
        self.found: list[Offsets] = []

    def read(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Pass blocks of the anonymized file on, and remember where their identifiers point to."""
        for block in blocks:
            if self.declared and block.holds(KEY):
                self._search(block)
            yield block

    def mark(self, candidates: Candidates) -> Candidates:
        """Return the candidates, those marked that an identifier of another record points to."""
        if not self.found:
            return candidates
        pointed_to = np.unique(np.concatenate(self.found))
        own_ids = np.array(
            [self.contigs.get(name, -1) for name in candidates.contig_names] or [-1], dtype=np.int64
        )
        contigs = own_ids[candidates.contigs]
        hits = (contigs >= 0) & np.isin(_places(contigs, candidates.positions.astype(np.int64)), pointed_to)
        return replace(candidates, marks=candidates.marks | np.where(hits, np.uint32(Mark.PHASED), 0))

    def _search(self, block: Block) -> None:
        """Find the identifiers in a block's samples that name an allele of another record."""
        for contig, low, high in block.segments:
            found = _identifiers(block.data, int(block.starts[low]), int(block.ends[high - 1]) + 1)
            if not found:
                continue
            places = np.array([one.place for one in found], dtype=np.int64)
            lines = np.searchsorted(block.ends, places)
            positions = np.array([one.position for one in found], dtype=np.int64)
            elsewhere = (places > block.tabs[7][lines]) & (positions != block.positions[lines])
            named = {(found[one].position, found[one].allele) for one in np.flatnonzero(elsewhere).tolist()}
            hidden = {each for each, allele in named if not _shows(block, low, high, each, allele)}
            if hidden:
                name = contig.decode("utf-8", "backslashreplace")
                contig_id = np.int64(self.contigs.setdefault(name, len(self.contigs)))
                self.found.append(_places(contig_id, np.array(sorted(hidden), dtype=np.int64)))


def _identifiers(text: bytes | bytearray, start: int, end: int) -> list[_Identifier]:
    """Return the first and the last place of every identifier: one of them is not its own record's."""
    first: dict[bytes, int] = {}
    last: dict[bytes, int] = {}
    for match in _ALLELES.finditer(text, start, end):
        place = match.start()
        written = bytes(text[place - MAX_DIGITS - 1 : match.end()])
        last[written] = place
        first.setdefault(written, place)
    found = []
    for written, place in (*first.items(), *last.items()):
        number, _, allele = written[max(written.rfind(b":"), written.rfind(b"\t")) + 1 :].split(b"_", 2)
        if number.isdigit() and len(number) <= MAX_DIGITS and allele.strip(_MASKED):
            found.append(_Identifier(place, int(number), allele))
    return found


def _shows(block: Block, low: int, high: int, position: int, allele: bytes) -> bool:
    """Tell whether a record of these lines still names the allele in its ALT: then nothing is masked."""
    positions = block.positions[low:high]
    first, last = (low + int(np.searchsorted(positions, position, side=side)) for side in ("left", "right"))
    return any(allele in block.alt(line).split(b",") for line in range(first, last))


def _places(contigs: Offsets | np.int64, positions: Offsets) -> npt.NDArray[np.int64]:
    """Return one number per contig and position; beyond ten digits of a position, the largest."""
    return (contigs << 40) + np.minimum(positions, (1 << 40) - 1)
