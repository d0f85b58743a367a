"""Pair the records of two sorted files in one pass, a block of each in memory.

Files that agree line by line, apart from masked records, are paired without looking into the
anonymized file's columns at all. Where the records differ, the sites of the two blocks are joined
by position. Files that are not sorted by contig and position are refused with
:class:`core.vcf.blocks.UnsortedError`; the caller sorts them and tries again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from core.vcf.blocks import Block, Offsets, UnsortedError
from core.vcf.columns import offsets_of

_EQUAL = -2


@dataclass(frozen=True, eq=False)
class Matched:
    """Sites with one record in each file: line `original[i]` stands at the site of `anonymized[i]`.

    `changed` holds the places i, ascending, where the two lines are not equal byte by byte. `only` holds
    for each of them where the text of `original_block` differs when that is a single byte, else −1.
    """

    original_block: Block
    original: Offsets
    anonymized_block: Block
    anonymized: Offsets
    changed: Offsets
    only: Offsets


@dataclass(frozen=True, eq=False)
class Repeated:
    """One site with several records in at least one file, as ranges of lines."""

    original_block: Block
    original: range
    anonymized_block: Block
    anonymized: range


@dataclass(frozen=True, eq=False)
class OnlyOriginal:
    """Lines of the original whose sites the anonymized file does not have."""

    block: Block
    lines: Offsets


@dataclass(frozen=True, eq=False)
class OnlyAnonymized:
    """Lines of the anonymized file whose sites the original does not have."""

    block: Block
    lines: Offsets


Pairing = Matched | Repeated | OnlyOriginal | OnlyAnonymized


@dataclass(frozen=True, eq=False)
class _Facing:
    """A place in each of two blocks, from which their lines are compared."""

    block: Block
    begin: int
    other: Block
    place: int

    def same_site(self, pair: int) -> bool:
        """Tell whether the lines this far on stand at the same contig and position."""
        line = self.begin + pair
        site = self.block.cut(self.block.starts[line], self.block.tabs[1][line] + 1)
        return self.other.data.startswith(site, self.other.starts[self.place + pair])


@dataclass(eq=False)
class _Stream:
    """A file's blocks with a place in them, and the contigs it has left behind."""

    blocks: Iterator[Block]
    block: Block | None = None
    line: int = 0
    contig: bytes = b""
    position: int = -1
    seen: set[bytes] = field(default_factory=set)

    def fill(self) -> bool:
        """Go to the next block when this one is used up; False at the end of the file."""
        while self.block is None or self.line >= len(self.block.ends):
            self.block = next(self.blocks, None)
            self.line = 0
            if self.block is None:
                return False
        return True

    def current(self) -> Block:
        if self.block is None:
            raise TypeError("The stream is at its end.")
        return self.block

    def peek_contig(self) -> bytes:
        """Return the contig at this place."""
        return self.current().contig(self.line)

    def segment(self) -> tuple[bytes, int]:
        """Return the contig at this place and the line after its run, checked to be sorted."""
        block = self.current()
        contig, _, high = next(part for part in block.segments if part[1] <= self.line < part[2])
        self._enter(contig)
        positions = block.positions[self.line : high]
        if positions[0] < self.position or np.any(positions[1:] < positions[:-1]):
            raise UnsortedError
        return contig, high

    def _enter(self, contig: bytes) -> None:
        if contig == self.contig:
            return
        if contig in self.seen:
            raise UnsortedError
        self.seen.add(contig)
        self.contig, self.position = contig, -1

    def advance(self, lines: int, contig: bytes, position: int) -> None:
        """Step over lines that were paired."""
        self._enter(contig)
        self.line += lines
        self.position = position


def align(
    original: Iterator[Block], anonymized: Iterator[Block], contigs: Mapping[bytes, int]
) -> Iterator[Pairing]:
    """Pair the records of two files.

    Parameters
    ----------
    original, anonymized
        The files' blocks.
    contigs
        The place of each contig in the order the files are expected to follow; needed only where
        one file has a contig that the other lacks.

    Raises
    ------
    UnsortedError
        When a file is not sorted, or the two follow different orders of contigs.
    """
    first, second = _Stream(original), _Stream(anonymized)
    met: bytes | None = None  # the contig that both files were last seen on together
    while first.fill() and second.fill():
        in_step = _in_step(first, second)
        if in_step:
            yield from in_step
            met = first.contig
        elif first.peek_contig() == second.peek_contig():
            met = first.peek_contig()
            yield from _join(first, second)
        else:
            yield _drain_one(first, second, met, contigs)
    while first.fill():
        yield OnlyOriginal(*_drain(first, second, met))
    while second.fill():
        yield OnlyAnonymized(*_drain(second, first, met))


def _in_step(first: _Stream, second: _Stream) -> list[Pairing]:
    """Pair lines one to one for as long as both files have the same sites in the same order."""
    facing = _Facing(first.current(), first.line, second.current(), second.line)
    if not facing.same_site(0):
        return []
    contig, high = first.segment()
    n_pairs = min(high - facing.begin, len(facing.other.ends) - facing.place)
    changed, only = _differing(facing, n_pairs)
    # A single byte that differs after POS leaves the site as it is.
    doubtful = changed[only <= facing.block.tabs[1][facing.begin + changed]]
    n_pairs = next((pair for pair in doubtful.tolist() if not facing.same_site(pair)), n_pairs)
    n_pairs = _whole_sites(facing, high, n_pairs)
    if n_pairs == 0:
        return []
    last = int(facing.block.positions[facing.begin + n_pairs - 1])
    first.advance(n_pairs, contig, last)
    second.advance(n_pairs, contig, last)
    n_changed = int(np.searchsorted(changed, n_pairs))
    return _by_site(facing, n_pairs, changed[:n_changed], only[:n_changed])


def _by_site(facing: _Facing, n_pairs: int, changed: Offsets, only: Offsets) -> list[Pairing]:
    """Take sites with several records out of lines that are in step."""
    block, begin, other, place = facing.block, facing.begin, facing.other, facing.place
    sites, starts, counts = _sites(block.positions[begin : begin + n_pairs])
    if len(sites) == n_pairs:
        lines = np.arange(n_pairs)
        return [Matched(block, begin + lines, other, place + lines, changed, only)]
    single = starts[counts == 1]
    at = np.full(n_pairs, -1)
    at[single] = np.arange(len(single))
    kept = at[changed] >= 0
    matched = Matched(block, begin + single, other, place + single, at[changed][kept], only[kept])
    found: list[Pairing] = [matched]
    for start, count in zip(starts[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        mine = range(begin + start, begin + start + count)
        theirs = range(place + start, place + start + count)
        found.append(Repeated(block, mine, other, theirs))
    return found


def _differing(facing: _Facing, n_pairs: int) -> tuple[Offsets, Offsets]:
    """Return which of the next pairs of lines are not equal byte by byte, and see :class:`Matched`."""
    mine = slice(facing.begin, facing.begin + n_pairs)
    theirs = slice(facing.place, facing.place + n_pairs)
    starts, ends = facing.block.starts[mine], facing.block.ends[mine]
    other_starts, other_ends = facing.other.starts[theirs], facing.other.ends[theirs]
    resized = np.flatnonzero(ends - starts != other_ends - other_starts)
    unequal = _unequal_bytes(facing, starts, ends, other_starts, resized)
    lines = np.searchsorted(ends, unequal)
    first = np.flatnonzero(np.diff(lines, prepend=-1))
    single = np.diff(first, append=len(lines)) == 1
    only = np.full(n_pairs, _EQUAL)
    only[resized] = -1
    only[lines[first]] = np.where(single, unequal[first], -1)
    changed = np.flatnonzero(only != _EQUAL)
    return changed, only[changed]


def _unequal_bytes(
    facing: _Facing, starts: Offsets, ends: Offsets, other_starts: Offsets, resized: Offsets
) -> Offsets:
    """Return where the text differs, compared in whole stretches between lines whose lengths differ."""
    text, other = facing.block.text, facing.other.text
    begin = int(starts[0])
    differs = np.empty(int(ends[-1]) - begin, dtype=bool)
    done = 0
    lows, highs = np.append(0, resized + 1), np.append(resized, len(starts))
    stretches = np.flatnonzero(lows < highs)
    lows, highs = lows[stretches], highs[stretches]
    spans = zip(starts[lows].tolist(), ends[highs - 1].tolist(), other_starts[lows].tolist(), strict=True)
    for start, end, place in spans:
        differs[done : start - begin] = False
        done = end - begin
        np.not_equal(text[start:end], other[place : place + end - start], out=differs[start - begin : done])
    differs[done:] = False
    return offsets_of(differs) + begin


def _whole_sites(facing: _Facing, high: int, n_pairs: int) -> int:
    """Step back to the start of a site that goes on in only one of the files."""
    if n_pairs == 0:
        return 0
    begin, end = facing.begin, facing.begin + n_pairs
    positions = facing.block.positions
    last = positions[end - 1]
    beyond = facing.place + n_pairs
    goes_on = end < high and positions[end] == last
    if not goes_on and beyond < len(facing.other.ends):
        goes_on = facing.other.site_text(beyond) == facing.block.site_text(end - 1)
    if not goes_on:
        return n_pairs
    return int(np.searchsorted(positions[begin:end], last, side="left"))


def _join(first: _Stream, second: _Stream) -> Iterator[Pairing]:
    """Pair the sites of both blocks up to the last position that both have completely."""
    contig, high = first.segment()
    _, other_high = second.segment()
    facing = _Facing(first.current(), first.line, second.current(), second.line)
    positions = facing.block.positions[facing.begin : high]
    places = facing.other.positions[facing.place : other_high]
    bound = min(positions[-1], places[-1])
    n_mine = int(np.searchsorted(positions, bound, side="right"))
    n_theirs = int(np.searchsorted(places, bound, side="right"))
    first.advance(n_mine, contig, int(bound))
    second.advance(n_theirs, contig, int(bound))
    yield from _join_sites(facing, positions[:n_mine], places[:n_theirs])


def _join_sites(facing: _Facing, positions: Offsets, places: Offsets) -> Iterator[Pairing]:
    block, begin, other, place = facing.block, facing.begin, facing.other, facing.place
    sites, starts, counts = _sites(positions)
    other_sites, other_starts, other_counts = _sites(places)
    common, mine, theirs = np.intersect1d(sites, other_sites, assume_unique=True, return_indices=True)
    single = (counts[mine] == 1) & (other_counts[theirs] == 1)
    lines, other_lines = begin + starts[mine[single]], place + other_starts[theirs[single]]
    pairs = enumerate(zip(block.texts(lines), other.texts(other_lines), strict=True))
    changed = np.array([pair for pair, (text, other_text) in pairs if text != other_text], dtype=np.int64)
    yield Matched(block, lines, other, other_lines, changed, np.full(len(changed), -1))
    for left, right in zip(mine[~single].tolist(), theirs[~single].tolist(), strict=True):
        low, other_low = begin + int(starts[left]), place + int(other_starts[right])
        yield Repeated(
            block,
            range(low, low + int(counts[left])),
            other,
            range(other_low, other_low + int(other_counts[right])),
        )
    yield OnlyOriginal(block, begin + np.flatnonzero(~np.isin(positions, common)))
    yield OnlyAnonymized(other, place + np.flatnonzero(~np.isin(places, common)))


def _sites(positions: Offsets) -> tuple[Offsets, Offsets, Offsets]:
    """Return the distinct positions of a sorted array, where each begins, and how often it stands."""
    starts = np.flatnonzero(np.append(True, positions[1:] != positions[:-1])) if len(positions) else positions
    counts = np.diff(np.append(starts, len(positions)))
    return positions[starts], starts, counts


def _drain_one(
    first: _Stream, second: _Stream, met: bytes | None, contigs: Mapping[bytes, int]
) -> OnlyOriginal | OnlyAnonymized:
    """Step over a contig, or the rest of it, that only one file has."""
    mine, theirs = first.peek_contig(), second.peek_contig()
    unknown = len(contigs)
    theirs_first = contigs.get(theirs, unknown) < contigs.get(mine, unknown)
    if theirs == met or (mine != met and theirs_first):
        return OnlyAnonymized(*_drain(second, first, met))
    return OnlyOriginal(*_drain(first, second, met))


def _drain(stream: _Stream, other: _Stream, met: bytes | None) -> tuple[Block, Offsets]:
    contig, high = stream.segment()
    if contig in other.seen and contig != met:
        raise UnsortedError
    block, low = stream.current(), stream.line
    stream.advance(high - low, contig, int(block.positions[high - 1]))
    return block, np.arange(low, high)
