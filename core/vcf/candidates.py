"""The original records that may be targets, kept as compact arrays while a file streams by."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from core.vcf.blocks import Block, Offsets
from core.vcf.repeats import RepeatPattern
from core.vcf.sites import Mark

MAX_MOTIF = np.iinfo(np.uint16).max  # motifs beyond share one name; motifs of 6 bases never get there

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.uint32]
Whole = npt.NDArray[np.integer[Any]]  # as narrow as the numbers allow: millions of candidates are held


class Places(Sequence[str]):
    """Places in a file, written as ``CHROM:POS`` when they are asked for."""

    def __init__(self, names: Sequence[str], contigs: Sequence[int], positions: Sequence[int]) -> None:
        self._names = names
        self._contigs = contigs
        self._positions = positions

    def __len__(self) -> int:
        return len(self._contigs)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Places: ...
    def __getitem__(self, index: int | slice) -> str | Places:
        if isinstance(index, slice):
            return Places(self._names, self._contigs[index], self._positions[index])
        return f"{self._names[self._contigs[index]]}:{self._positions[index]}"


@dataclass(eq=False)
class Tally:
    """How many records or sites, and where."""

    n: int = 0
    contig_ids: dict[bytes, int] = field(default_factory=dict)
    contigs: array[int] = field(default_factory=lambda: array("i"))
    positions: array[int] = field(default_factory=lambda: array("q"))

    def add(self, contig: bytes, position: int | bytes, n: int = 1) -> None:
        """Count `n` more at a position."""
        self.n += n
        self.contigs.append(self.contig_ids.setdefault(contig, len(self.contig_ids)))
        self.positions.append(int(position))

    @property
    def places(self) -> Places:
        """Return every position, in the order they came."""
        names = [contig.decode("utf-8", "backslashreplace") for contig in self.contig_ids]
        return Places(names, self.contigs, self.positions)


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Original records that are a target at some threshold, in file order; arrays of one length.

    Attributes
    ----------
    contigs
        Index into `contig_names`, one a candidate.
    positions
        POS.
    mafs
        Site frequency in [0, 0.5) or, for repeats, any value; infinity where not computable.
    marks
        Bits of :class:`core.vcf.sites.Mark`.
    moved, moved_up_to
        For the few candidates where it is not their own frequency: which they are, ascending, and the
        frequency up to which the MAF rule is satisfied; see :meth:`masked_up_to`.
    motifs
        Index into `motif_names`, 0 where there is no repeat.
    """

    contigs: Whole
    positions: Whole
    mafs: Floats
    marks: Marks
    moved: Offsets
    moved_up_to: Floats
    motifs: npt.NDArray[np.uint16]
    contig_names: tuple[str, ...]
    motif_names: tuple[str, ...]

    def places(self, which: Offsets) -> Places:
        """Return where candidates stand."""
        return Places(self.contig_names, self.contigs[which].tolist(), self.positions[which].tolist())

    def masked_up_to(self, which: Offsets) -> Floats:
        """Return for candidates what is below a threshold exactly when the MAF rule is not satisfied."""
        values = self.mafs[which]
        if len(self.moved):
            places = np.minimum(np.searchsorted(self.moved, which), len(self.moved) - 1)
            found = self.moved[places] == which
            values[found] = self.moved_up_to[places[found]]
        return values


class _Column:
    """A growing array: it is extended in place, and its values are never copied to be read.

    Whole numbers are held as `kind` until one comes that does not fit, then as `wider`.
    """

    def __init__(self, kind: type[Any], wider: type[Any] | None = None) -> None:
        self._data = bytearray()
        self._kind = kind
        self._wider = wider

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add values at the end."""
        if self._wider is not None and len(values) and int(values.max()) > np.iinfo(self._kind).max:
            self._data = bytearray(self.values().astype(self._wider).tobytes())
            self._kind, self._wider = self._wider, None
        self._data += np.ascontiguousarray(values, dtype=self._kind).tobytes()

    def values(self) -> npt.NDArray[Any]:
        """Return everything added so far."""
        return np.frombuffer(self._data, dtype=self._kind)


class CandidateCollector:
    """Takes the candidates of one block after the other and joins them at the end."""

    def __init__(self, pattern: RepeatPattern) -> None:
        self.pattern = pattern
        self.contig_ids: dict[bytes, int] = {}
        self.motif_ids: dict[bytes, int] = {b"": 0}
        self.n_candidates = 0
        self.contigs = _Column(np.uint16, np.int64)
        self.positions = _Column(np.uint32, np.int64)
        self.mafs = _Column(np.float64)
        self.marks = _Column(np.uint32)
        self.moved = _Column(np.int64)
        self.moved_up_to = _Column(np.float64)
        self.motifs = _Column(np.uint16)
        self.orders: list[Offsets] = []

    def add(self, block: Block, lines: Offsets, mafs: Floats, marks: Marks, masked_up_to: Floats) -> None:
        """Keep the candidate lines of a block; the arrays have an entry for every line of it."""
        contigs = self._contigs(block)[lines]
        positions, own_marks = block.positions[lines], marks[lines]
        same = np.zeros(len(lines), dtype=bool)
        same[1:] = (np.diff(positions) == 0) & (np.diff(contigs) == 0)
        own_marks[same] |= np.uint32(Mark.SAME_SITE)
        self.contigs.append(contigs)
        self.positions.append(positions)
        self.mafs.append(mafs[lines])
        self.marks.append(own_marks)
        moved = np.flatnonzero(masked_up_to[lines] != mafs[lines])
        self.moved.append(moved + self.n_candidates)
        self.moved_up_to.append(masked_up_to[lines][moved])
        self.n_candidates += len(lines)
        self.motifs.append(self._motifs(block, lines, own_marks))
        if block.order is not None:
            self.orders.append(block.order[lines])

    def result(self) -> Candidates:
        """Return what was collected, without copying it."""
        candidates = Candidates(
            contigs=self.contigs.values(),
            positions=self.positions.values(),
            mafs=self.mafs.values(),
            marks=self.marks.values(),
            moved=self.moved.values(),
            moved_up_to=self.moved_up_to.values(),
            motifs=self.motifs.values(),
            contig_names=tuple(name.decode("utf-8", "backslashreplace") for name in self.contig_ids),
            motif_names=tuple(name.decode("ascii") for name in self.motif_ids),
        )
        return _in_file_order(candidates, np.concatenate(self.orders)) if self.orders else candidates

    def _contigs(self, block: Block) -> npt.NDArray[np.int32]:
        contigs = np.empty(len(block.ends), dtype=np.int32)
        for contig, low, high in block.segments:
            contigs[low:high] = self.contig_ids.setdefault(contig, len(self.contig_ids))
        return contigs

    def _motifs(self, block: Block, lines: Offsets, marks: Marks) -> npt.NDArray[np.uint16]:
        motifs = np.zeros(len(lines), dtype=np.uint16)
        for place in np.flatnonzero(marks & Mark.REPEAT).tolist():
            line = lines[place]
            motif = self.pattern.motif(block.alt(line))
            motifs[place] = min(self.motif_ids.setdefault(motif, len(self.motif_ids)), MAX_MOTIF)
        return motifs


def _in_file_order(candidates: Candidates, order: Offsets) -> Candidates:
    """Order sites by where their first record stands in the file, keeping a site's records together."""
    begins = (candidates.marks & Mark.SAME_SITE) == 0
    first = order[begins][np.cumsum(begins) - 1]
    in_file = np.lexsort((np.arange(len(order)), first))
    masked_up_to = candidates.masked_up_to(in_file)
    moved = np.flatnonzero(masked_up_to != candidates.mafs[in_file])
    return Candidates(
        contigs=candidates.contigs[in_file],
        positions=candidates.positions[in_file],
        mafs=candidates.mafs[in_file],
        marks=candidates.marks[in_file],
        moved=moved,
        moved_up_to=masked_up_to[moved],
        motifs=candidates.motifs[in_file],
        contig_names=candidates.contig_names,
        motif_names=candidates.motif_names,
    )
