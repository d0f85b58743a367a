"""The records of two files as Arrow columns, aligned by contig and position.

Both files are read piece by piece. A batch holds all records of both files up to a place that both have
reached; each site of it knows where its records stand in either file. Files in step are those in which each
site has one record in both. Files that are not sorted are refused with :class:`UnsortedError`; the caller has
them sorted.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.processes.bounds import memory_left
from core.vcf.lines import MAX_POS, Block, Lines, Places, check_columns, parse_position, where

CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT, SAMPLES = range(10)
EVEN = 2  # of two files, one has at least the second part of the other's lines waiting
MEMORY_TO_SPARE = 64 << 20  # bytes
MEMORY_TO_ORDER = 40  # bytes a line, for its contig, position, and place
SORTED_LINES = 1 << 13  # given at once
_FAR = 1 << 40  # positions below are told from those of other contigs in one number
_MAX_DIGITS = 18
_TAB, _NEWLINE, _ZERO = b"\t\n0"
HEAD = ID + 1  # columns that tell where a record stands, and one more
BEGINNING = 20  # bytes a column, in which the first ones mostly stand
FEW_COLUMNS = 64  # up to which the tabs of all lines are found together

Mask = npt.NDArray[np.bool_]

Contig = tuple[bytes, int, int]  # its name, the first row, and the row after the last


class UnsortedError(Exception):
    """The records are not sorted by contig and position, so one pass cannot pair them."""


class Columns:
    """The first columns of lines, the last with all that stands behind it; each is cut out when asked for.

    A column that a line does not have is empty.

    Attributes
    ----------
    ends
        Where each ends in the text, shape (lines, columns).
    is_odd
        Whether a line has another number of columns than its header announces, where all were looked at.
    """

    def __init__(self, text: pa.Buffer, starts: Places, ends: Places, is_odd: Mask) -> None:
        self._text = text
        self._starts = starts
        self.ends = ends
        self.is_odd = is_odd
        self._known: dict[int, pa.Array] = {}

    @classmethod
    def of(cls, lines: pa.Array, n_wanted: int, n_columns: int) -> "Columns":
        """Find the first columns of lines that end in a line end and should have so many in all."""
        starts = np.frombuffer(lines.buffers()[1], dtype=np.int64)[lines.offset :][: len(lines) + 1]
        text = lines.buffers()[2] or pa.py_buffer(b"")
        found = _tabs(text, starts, n_columns) if n_wanted > SAMPLES and n_columns <= FEW_COLUMNS else None
        if found is not None:
            ends = np.concatenate([found[:, : min(SAMPLES, n_columns - 1)], found[:, -1:]], axis=1)
            ends = np.pad(ends, [(0, 0), (0, max(0, n_wanted - ends.shape[1]))], mode="edge")
            return cls(text, starts[:-1], ends, np.zeros(len(lines), dtype=np.bool_))
        ends = np.repeat(starts[1:, None] - 1, n_wanted, axis=1)
        n_splits = max(n_wanted - 1, min(n_columns, n_wanted))
        short = _texts(text, starts[:-1], np.minimum(starts[1:], starts[:-1] + BEGINNING * n_wanted))
        split = pc.split_pattern(short, b"\t", max_splits=n_splits)
        if n_columns <= n_wanted or np.any(pc.list_value_length(split).to_numpy() < n_wanted):
            split = pc.split_pattern(lines, b"\t", max_splits=n_splits)
        parts, counts = split.offsets.to_numpy()[:-1], pc.list_value_length(split).to_numpy()
        bounds = np.frombuffer(split.values.buffers()[1], dtype=np.int64)
        for column in range(n_wanted - 1):
            which = np.flatnonzero(counts > column + 1)
            first = parts[which]
            ends[which, column] = starts[which] + bounds[first + column + 1] - bounds[first] + column
        is_odd = np.zeros(len(lines), dtype=np.bool_)
        if n_wanted > SAMPLES:
            is_odd = counts != n_columns if n_columns <= n_wanted else _n_tabs(text, starts) != n_columns - 1
        return cls(text, starts[:-1], ends, is_odd)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, column: int) -> pa.Array:
        if column not in self._known:
            self._known[column] = _texts(self._text, self._begins(column), self.ends[:, column])
        return self._known[column]

    def text(self, column: int, place: int) -> bytes:
        """Return one column of one line."""
        low, high = int(self._begins(column, place)), int(self.ends[place, column])
        found: bytes = self._text.slice(low, high - low).to_pybytes()
        return found

    def behind(self, column: int) -> pa.Array:
        """Return all that stands behind a column of each line."""
        ends = self.ends[:, -1]
        return _texts(self._text, np.minimum(self.ends[:, column] + 1, ends), ends)

    def _begins(self, column: int, at: int | slice = slice(None)) -> Places:
        if not column:
            return self._starts[at]
        return np.minimum(self.ends[at, column - 1] + 1, self.ends[at, column])

    def widths(self, column: int) -> Places:
        """Return how many bytes each line has in a column."""
        return self.ends[:, column] - self._begins(column)

    def take(self, places: Places | slice) -> "Columns":
        """Return those of some lines, in their order."""
        return Columns(self._text, self._starts[places], self.ends[places], self.is_odd[places])


def _texts(text: pa.Buffer, starts: Places, ends: Places) -> pa.Array:
    """Return parts of a text, none of which begins before the one before it ends."""
    if not len(starts):
        return pa.array([], pa.large_binary())
    bounds = np.stack([starts, ends], axis=1).ravel()
    buffers = [None, pa.py_buffer(bounds), text]
    every = pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, buffers)  # with those between them
    return every.take(pa.array(np.arange(0, len(bounds), 2)))


def _tabs(text: pa.Buffer, starts: Places, n_columns: int) -> Places | None:
    """Return where each column of lines ends; None unless each line has so many."""
    low, high = starts[[0, -1]].tolist()
    cells = np.frombuffer(text, dtype=np.uint8)[low:high]
    found = where(high - low, lambda at, end: cells[at:end] <= _NEWLINE)
    if len(found) != n_columns * (len(starts) - 1) or np.any(cells[found] < _TAB):
        return None
    found = found.reshape(-1, n_columns) + low
    return found if np.array_equal(found[:, -1], starts[1:] - 1) else None


def _n_tabs(text: pa.Buffer, starts: Places) -> Places:
    """Return how many tabs each line holds."""
    cells = np.frombuffer(text, dtype=np.uint8)[starts[0] : starts[-1]]
    bits = np.packbits(cells == _TAB, bitorder="little")
    before = np.concatenate(([0], np.cumsum(np.bitwise_count(bits), dtype=np.int64)))
    at, within = np.divmod(starts - starts[0], 8)
    left = np.append(bits, 0)[at] & ((1 << within) - 1).astype(np.uint8)
    return np.diff(before[at] + np.bitwise_count(left))


@dataclass(frozen=True, eq=False)
class Rows:
    """Some records of one file that follow each other, as text and in columns.

    Attributes
    ----------
    block
        The lines.
    columns
        Their first columns: all up to the samples, or CHROM and POS.
    contigs
        The runs of one contig; the first and the last may go on beyond these rows.
    positions
        POS of each.
    numbers
        Its place in the file, from 1.
    """

    block: Block
    columns: Columns
    contigs: tuple[Contig, ...]
    positions: Places
    numbers: Places

    def __len__(self) -> int:
        return len(self.positions)

    def part(self, low: int, high: int) -> "Rows":
        """Return some of the rows, the last not included."""
        contigs = tuple(
            (name, max(first, low) - low, min(last, high) - low)
            for name, first, last in self.contigs
            if first < high and last > low
        )
        at = slice(low, high)
        return Rows(
            self.block.part(low, high), self.columns.take(at), contigs, self.positions[at], self.numbers[at]
        )

    def more_columns(self, n_columns: int, places: Places) -> Columns:
        """Return the first columns of some rows, which have more."""
        return Columns.of(self.block.as_array().take(pa.array(places)), n_columns + 1, n_columns)

    @classmethod
    def of(cls, source: Lines, n_lines: int, n_wanted: int) -> "Rows":
        """Read CHROM and POS of the next lines of a file, and where further columns stand."""
        block, numbers = source.next(n_lines), source.numbers(n_lines)
        columns = Columns.of(block.as_array(), n_wanted, source.n_columns)
        names = columns[CHROM].dictionary_encode()
        ids, texts = names.indices.to_numpy(), names.dictionary.to_pylist()
        positions = _positions(columns[POS])
        if positions is None or any(one[:1] == b"#" for one in texts):
            positions = _literal_positions(source, block, numbers)
        begins = np.flatnonzero(np.diff(ids, prepend=-1)).tolist()
        contigs = tuple((texts[ids[low]], low, high) for low, high in pairwise([*begins, n_lines]))
        return cls(block, columns, contigs, positions, numbers)


def _positions(texts: pa.Array) -> Places | None:
    """Read every POS; None where one is not surely a position."""
    widths, data = pc.binary_length(texts).to_numpy(), texts.buffers()[2]
    if not len(texts):
        return np.zeros(0, dtype=np.int64)
    if data is None or widths.min() == 0 or widths.max() > _MAX_DIGITS:
        return None
    digits = np.frombuffer(data, dtype=np.uint8)[: int(widths.sum())] - _ZERO
    if digits.max() > 9:
        return None
    found: Places = pc.cast(pc.cast(texts, pa.large_string()), pa.int64()).to_numpy()
    return found


def _literal_positions(source: Lines, block: Block, numbers: Places) -> Places:
    """Read every POS line by line, refusing the first line that htslib refuses."""
    found = []
    for number, line in zip(numbers.tolist(), block, strict=True):
        check_columns(source.name, number, line, source.n_columns)
        found.append(parse_position(source.name, number, line.split(b"\t", POS + 1)[POS]))
    return np.array(found, dtype=np.int64)


class SortedLines(Lines):
    """All lines of a file, sorted in memory by contig and position; those of a site stay in their order.

    Parameters
    ----------
    lines
        The file's lines.
    ranks
        Place of each contig; contigs met for the first time are added at the end.

    Raises
    ------
    MemoryError
        When what is left of the process's memory would not do for holding the lines.
    """

    def __init__(self, lines: Lines, ranks: dict[bytes, int]) -> None:
        super().__init__(lines.name, lines.n_columns, io.BytesIO(), b"")
        pieces, contigs, positions = [], [], []
        while n_lines := lines.fill():
            rows = Rows.of(lines, n_lines, HEAD)
            lines.take(n_lines)
            ids = [ranks.setdefault(name, len(ranks)) for name, _, _ in rows.contigs]
            contigs.append(np.repeat(ids, [high - low for _, low, high in rows.contigs]))
            positions.append(rows.positions)
            pieces.append(rows.block.as_array())
            left = memory_left()
            if left is not None and left < MEMORY_TO_ORDER * sum(map(len, positions)) + MEMORY_TO_SPARE:
                raise MemoryError
        self._pieces = pieces
        self._begins = np.cumsum([0, *map(len, pieces)])
        keys = [np.concatenate([np.zeros(0, dtype=np.int64), *one]) for one in (positions, contigs)]
        self._order = np.lexsort(keys)
        self._n_given = 0

    def numbers(self, n_lines: int) -> Places:
        """Return the numbers of the next lines in the file."""
        first = self._n_given - self.n_waiting
        return self._order[first : first + n_lines] + 1

    def _read(self) -> None:
        left = list(self.next(self.n_waiting))
        some = self._order[self._n_given : self._n_given + SORTED_LINES]
        self._n_given += len(some)
        self.is_over = self._n_given == len(self._order)
        pieces = np.searchsorted(self._begins, some, side="right") - 1
        taken = np.empty(len(some), dtype=object)
        for piece in np.unique(pieces).tolist():
            which = pieces == piece
            taken[which] = self._pieces[piece].take(pa.array(some[which] - self._begins[piece])).to_pylist()
        block = Block.of([*left, *(line[:-1] for line in taken)])
        self._text, self._starts, self._at = block.text, block.starts, 0


@dataclass(eq=False)
class Order:
    """Checks that a file is sorted by contig and position."""

    contig: bytes = b""
    position: int = -1
    seen: set[bytes] = field(default_factory=set)

    def enter(self, contig: bytes, positions: Places) -> None:
        """Go on to some rows of one contig."""
        if contig != self.contig:
            if contig in self.seen:
                raise UnsortedError
            self.seen.add(contig)
            self.contig, self.position = contig, -1
        if positions[0] < self.position or np.any(np.diff(positions) < 0):
            raise UnsortedError
        self.position = int(positions[-1])


class Batch(NamedTuple):
    """All records of both files at some sites that follow each other.

    `contigs` are the runs of sites of one contig. Records of site *i* are the rows from ``at[i]`` to before
    ``at[i + 1]`` of `mine`, and from ``kept_at[i]`` on of `kept`; one of the two may be none.
    """

    contigs: list[Contig]
    positions: Places
    mine: Rows
    kept: Rows
    at: Places
    kept_at: Places

    @property
    def owners(self) -> Places:
        """Return the site of each row of `mine`."""
        return np.repeat(np.arange(len(self.positions)), np.diff(self.at))

    @property
    def kept_owners(self) -> Places:
        """Return the site of each row of `kept`."""
        return np.repeat(np.arange(len(self.positions)), np.diff(self.kept_at))


class _Side:
    """One of the files: the rows that wait, of which the keys are read once."""

    def __init__(self, lines: Lines, n_wanted: int) -> None:
        self.lines = lines
        self.order = Order()
        self._n_wanted = n_wanted
        self._rows: Rows | None = None
        self._at, self._n_read = 0, -1

    def waiting(self) -> Rows:
        if self._rows is None or self._n_read != self.lines.n_read:
            self._rows = Rows.of(self.lines, self.lines.n_waiting, self._n_wanted)
            self._n_read, self._at = self.lines.n_read, 0
        return self._rows.part(self._at, len(self._rows))

    def take(self, n_rows: int) -> Rows:
        rows = self.waiting().part(0, n_rows)
        self.lines.take(n_rows)
        self._at += n_rows
        for contig, low, high in rows.contigs:
            self.order.enter(contig, rows.positions[low:high])
        return rows


class Alignment:
    """Two files read side by side.

    Parameters
    ----------
    original, anonymized
        Their lines.
    ranks
        The place of each contig in the order the files are expected to follow; needed only where one file has
        a contig that the other lacks.
    """

    def __init__(self, original: Lines, anonymized: Lines, ranks: Mapping[bytes, int]) -> None:
        self._sides = (_Side(original, SAMPLES + 1), _Side(anonymized, HEAD))
        self._ranks = ranks
        self._met: bytes | None = None  # the contig that both files were last seen on together

    @property
    def contigs_kept(self) -> frozenset[bytes]:
        """Return the contigs of the anonymized file that were met so far."""
        return frozenset(self._sides[1].order.seen)

    def __iter__(self) -> Iterator[Batch]:
        """Yield all sites in order."""
        first, second = (side.lines for side in self._sides)
        while True:
            n_first, n_second = first.fill(2), second.fill(2)
            n_second = second.fill(n_first // EVEN)  # few lines left would be a batch by themselves
            first.fill(n_second // EVEN)
            rows = [side.waiting() for side in self._sides]
            if not any(map(len, rows)):
                return
            n_rows = self._up_to(rows)
            if any(n_rows):
                yield self._batch(n_rows)

    def _up_to(self, rows: Sequence[Rows]) -> list[int]:
        """Return how many rows of each file go up to the place that both have reached; read on for none."""
        n_contigs, whose = self._whose_turn(rows)
        limit, limiting = MAX_POS, None
        for side in whose:
            goes_on = len(rows[side].contigs) == n_contigs and not self._sides[side].lines.is_over
            if goes_on and (last := int(rows[side].positions[-1])) < limit:
                limit, limiting = last, side
        n_rows = [0, 0]
        for side in whose:
            _, low, high = rows[side].contigs[n_contigs - 1]
            n_rows[side] = low + int(np.searchsorted(rows[side].positions[low:high], limit))
        if limiting is not None and not any(n_rows):
            self._sides[limiting].lines.fill(len(rows[limiting]) + 1)
        return n_rows

    def _batch(self, n_rows: Sequence[int]) -> Batch:
        mine, kept = (side.take(n) for side, n in zip(self._sides, n_rows, strict=True))
        contigs = [name for name, _, _ in max(mine.contigs, kept.contigs, key=len)]
        keys, kept_keys = _keys(mine), _keys(kept)
        is_in_step = len(mine) == len(kept) and np.array_equal(keys, kept_keys)
        every = keys if is_in_step else np.sort(np.concatenate([keys, kept_keys]))
        sites = every[np.flatnonzero(np.diff(every, prepend=-1))]
        at, kept_at = (np.append(np.searchsorted(one, sites), len(one)) for one in (keys, kept_keys))
        ids, positions = np.divmod(sites, _FAR) if len(contigs) > 1 else (np.zeros_like(sites), sites)
        bounds = np.searchsorted(ids, np.arange(len(contigs) + 1)).tolist()
        runs = list(zip(contigs, bounds[:-1], bounds[1:], strict=True))
        return Batch(runs, positions, mine, kept, at, kept_at)

    def _whose_turn(self, rows: Sequence[Rows]) -> tuple[int, tuple[int, ...]]:
        """Tell how many contigs, and which files' rows of them, come next: both where they are the same."""
        mine, theirs = (one.contigs[0][0] if one.contigs else None for one in rows)
        if mine is None or theirs is None:
            side = int(mine is None)
            self._check_left(mine or theirs or b"", 1 - side)
            return 1, (side,)
        if mine == theirs:
            pairs = zip(*(one.contigs for one in rows), strict=False)
            same = [one[0] for one, _ in takewhile(lambda pair: pair[0][0] == pair[1][0], pairs)]
            if any(one.positions.max() >= _FAR for one in rows):
                same = same[:1]
            for contig in same:
                if contig != self._met and any(contig in side.order.seen for side in self._sides):
                    raise UnsortedError  # one of the files has been here without the other
                self._met = contig
            return len(same), (0, 1)
        unknown = len(self._ranks)
        theirs_first = self._ranks.get(theirs, unknown) < self._ranks.get(mine, unknown)
        if theirs == self._met or (mine != self._met and theirs_first):
            self._check_left(theirs, 0)
            return 1, (1,)
        self._check_left(mine, 1)
        return 1, (0,)

    def _check_left(self, contig: bytes, other: int) -> None:
        """Refuse a contig that the other file has left behind before both were on it together."""
        if contig in self._sides[other].order.seen and contig != self._met:
            raise UnsortedError


def _keys(rows: Rows) -> Places:
    """Return numbers that rows of one site have in common, ascending."""
    if len(rows.contigs) < 2:
        return rows.positions
    return rows.positions + np.repeat(
        np.arange(len(rows.contigs)) * _FAR, [high - low for _, low, high in rows.contigs]
    )
