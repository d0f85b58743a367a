"""The lines of two files side by side: runs of lines that stand at the same sites, or one site by itself.

Both files are read piece by piece. As long as their lines stand at the same sites in the same order
they come in runs, compared byte by byte and not split; elsewhere site by site, merged by contig and
position. Files that are not sorted are refused with :class:`UnsortedError`; the caller has them sorted.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, NoReturn, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.bounded import memory_left
from core.errors import AuditInputError
from core.words import text

MEMORY_TO_ORDER = 64  # bytes a line, for the order and where each begins
MEMORY_TO_SPARE = 64 << 20
PIECE = 3 << 20  # bytes of text read at once
MAX_POS = 1 << 62
FIRST_RUN = 64  # lines tried to be in step after they were not; each try that succeeds takes twice as many
MAX_RUN = 1 << 16
FEW_LINES = 4  # in 4096 bytes: where lines are so long, their ends are looked for one by one
MANY_COLUMNS = 64
EVEN = 2  # of two files, one has at least the second part of the other's lines waiting
CHUNK = 1 << 17  # bytes looked at together, which fit into the processor's cache
WINDOW = 24  # bytes in which CHROM and POS mostly stand
# What is left of eight bytes, the first the lowest, of which so many are looked at.
FIRST = np.array([(1 << 8 * n_bytes) - 1 for n_bytes in range(9)], dtype=np.uint64)
PADDING = bytes(32)  # behind a text, so that what stands near its end is looked at as all else is
_NEWLINE, _RETURN, _SPACE, _TAB = b"\n\r \t"

Places = npt.NDArray[np.int64]


class Source(Protocol):
    """Where the text of the records comes from."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer, or the beginning of it; return how many bytes that are, 0 at the end."""


class UnsortedError(Exception):
    """The records are not sorted by contig and position, so one pass cannot pair them."""


class Block:
    """Lines that follow each other in a text, without their ends; a line is cut out when it is asked for.

    Attributes
    ----------
    text
        The text they stand in; behind them come at least so many bytes as :data:`PADDING` has.
    starts
        Where each begins, and where one after the last would.
    ends
        Where each column of each ends, where that is known; a line's last column ends with it.
    """

    def __init__(self, text: bytes, starts: Places, ends: Places | None = None) -> None:
        self.text = text
        self.starts = starts
        self.ends = ends

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> "Block":
        """Put lines together."""
        text = b"".join([*(line + b"\n" for line in lines), PADDING])
        return cls(text, starts_in(text))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: int) -> bytes:
        low, high = self.starts[place : place + 2].tolist()
        return self.text[low : high - 1]

    def __iter__(self) -> Iterator[bytes]:
        text = self.text
        for low, high in pairwise(self.starts.tolist()):
            yield text[low : high - 1]

    def part(self, low: int, high: int) -> "Block":
        """Return some of the lines, the last not included."""
        return Block(self.text, self.starts[low : high + 1])

    def parts(self, starts: Places, ends: Places) -> list[bytes]:
        """Return parts of the text, each given by where it starts and ends."""
        text = self.text
        return [text[low:high] for low, high in zip(starts.tolist(), ends.tolist(), strict=True)]

    @property
    def own_text(self) -> bytes:
        """Return the text of these lines alone, with their ends."""
        return self.text[self.starts[0] : self.starts[-1]]

    def with_spaces(self) -> list[int]:
        """Return the lines that hold a space."""
        low, high = self.starts[[0, -1]].tolist()
        if self.text.find(b" ", low, high) < 0:
            return []
        found = np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8)[low:high] == _SPACE) + low
        places: list[int] = np.unique(np.searchsorted(self.starts, found, side="right") - 1).tolist()
        return places

    def site(self, place: int) -> bytes:
        """Return CHROM and POS as written, of one line; of a line without two tabs, some or all of it."""
        text, low, high = self.text, int(self.starts[place]), int(self.starts[place + 1]) - 1
        end = text.find(b"\t", text.find(b"\t", low, high) + 1, high)
        return text[low : high if end < 0 else end]

    def differing(self, other: "Block") -> list[int]:
        """Return the places of the lines that are not those of another block of as many lines."""
        equal = pc.equal(self._as_array(), other._as_array()).buffers()[1]  # a bit for each, the lowest first
        bits = np.unpackbits(np.frombuffer(equal, dtype=np.uint8), count=len(self), bitorder="little")
        places: list[int] = np.flatnonzero(bits == 0).tolist()
        return places

    def _as_array(self) -> pa.Array:
        """Return the lines with their ends, not copied."""
        buffers = [None, pa.py_buffer(self.starts), pa.py_buffer(self.text)]
        return pa.Array.from_buffers(pa.large_binary(), len(self), buffers)

    def first_elsewhere(self, other: "Block", places: list[int]) -> int:
        """Return the first of some places whose CHROM or POS is not another block's; −1 for none."""
        which = np.array(places, dtype=np.int64)
        if self.ends is not None:
            starts, others = self.starts[which], other.starts[which]
            # bytes of CHROM and POS with their tabs, not yet compared
            left = self.ends[which, 1] + 1 - starts
            differs = left > WINDOW
            for at in range(0, WINDOW, 8):
                words = windows(self.text)[starts + at] ^ windows(other.text)[others + at]
                differs |= words & FIRST[np.clip(left - at, 0, 8)] != 0
            which = which[differs]
        return next((place for place in which.tolist() if self.site(place) != other.site(place)), -1)


def windows(text: bytes) -> npt.NDArray[np.uint64]:
    """Return the eight bytes that stand at each place of a text and behind it, the first the lowest."""
    return np.ndarray(len(text) - 7, "<u8", text, strides=(1,))


def where(n_bytes: int, test: Callable[[int, int], npt.NDArray[np.bool_]]) -> Places:
    """Return the places of bytes that pass a test, which is asked for part after part of them."""
    if n_bytes <= CHUNK:
        return np.flatnonzero(test(0, n_bytes))
    bounds = ((low, min(low + CHUNK, n_bytes)) for low in range(0, n_bytes, CHUNK))
    return np.concatenate([np.flatnonzero(test(low, high)) + low for low, high in bounds])


def starts_in(text: bytes) -> Places:
    """Return where the lines of a text begin; what follows the last line end is none."""
    if text.count(b"\n", 0, 1 << 12) > FEW_LINES:
        cells = np.frombuffer(text, dtype=np.uint8)
        ends = where(len(cells), lambda low, high: cells[low:high] == _NEWLINE)
        return np.concatenate(([0], ends + 1))
    starts = [0]
    while end := text.find(b"\n", starts[-1]) + 1:
        starts.append(end)
    return np.array(starts)


def ends_in(text: bytes, low: int, high: int, n_columns: int) -> Places | None:
    """Return where all columns of the lines in a part of a text end; None unless each line has so many."""
    cells = np.frombuffer(text, dtype=np.uint8)[low:high]
    found = where(len(cells), lambda low, high: cells[low:high] <= _NEWLINE)
    if len(found) % n_columns:
        return None
    ends = found.reshape(-1, n_columns)
    signs = cells[ends]
    if np.any(signs[:, :-1] != _TAB) or np.any(signs[:, -1] != _NEWLINE):
        return None
    return ends + low if low else ends


class Lines:
    """The lines of one file that were read and not yet taken.

    Attributes
    ----------
    name
        The file's name, for messages.
    n_columns
        How many columns its header announces.
    is_over
        Whether no more come.
    is_split
        Whether the ends of columns are looked for together with those of lines.
    """

    def __init__(self, name: str, n_columns: int, source: Source, begun: bytes) -> None:
        self.name = name
        self.n_columns = n_columns
        self.is_over = False
        self.is_split = False
        self.n_ends, self.n_returns = 0, 0  # line ends, and those of two bytes
        self._source = source
        self._text = begun + PADDING  # with the beginning of a line that is not read whole yet
        self._starts = np.zeros(1, dtype=np.int64)
        self._ends: Places | None = None
        self._at = 0  # the next line
        self._buffer = np.empty(PIECE, dtype=np.uint8).data
        self._n_before = 1  # number of the first line of the text

    @property
    def number(self) -> int:
        """Return the number of the next line in the file."""
        return self._n_before + self._at

    @property
    def n_waiting(self) -> int:
        """Return how many lines were read and not taken."""
        return len(self._starts) - 1 - self._at

    def fill(self, n_lines: int = 1) -> int:
        """Read until at least so many lines wait, or the file is at its end; return how many do."""
        while self.n_waiting < n_lines and not self.is_over:
            self._read()
        return self.n_waiting

    def take(self, n_lines: int) -> tuple[Block, Sequence[int]]:
        """Return the next lines with their numbers in the file, and step over them."""
        lines, first = self.next(n_lines), self.number
        self._at += n_lines
        return lines, range(first, first + n_lines)

    def next(self, n_lines: int) -> Block:
        """Return the next lines."""
        at = slice(self._at, self._at + n_lines)
        ends = None if self._ends is None else self._ends[at]
        return Block(self._text, self._starts[at.start : at.stop + 1], ends)

    def _read(self) -> None:
        n_bytes = self._source.readinto(self._buffer)
        n_waiting = self.n_waiting
        left = self._text[self._starts[self._at] : -len(PADDING)]
        self.is_over = not n_bytes
        last_end = b"\n" if self.is_over and left and not left.endswith(b"\n") else b""
        text = b"".join((left, self._buffer[:n_bytes], last_end, PADDING))
        starts = self._find(text)
        before_ends = np.frombuffer(text, dtype=np.uint8)[starts[1:] - 2]
        n_returns = int(np.count_nonzero(before_ends == _RETURN))
        if n_returns:
            self.n_returns += n_returns
            text = text.replace(b"\r\n", b"\n")
            starts = self._find(text)
        self._n_before += self._at
        self._text, self._at = text, 0
        self._starts = starts
        self.n_ends += self.n_waiting - n_waiting - len(last_end)

    def _find(self, text: bytes) -> Places:
        """Return where the lines of a text begin, and note where their columns end."""
        end = text.rfind(b"\n") + 1
        is_split = end and self.is_split and self.n_columns <= MANY_COLUMNS
        self._ends = ends_in(text, 0, end, self.n_columns) if is_split else None
        return starts_in(text) if self._ends is None else np.append(0, self._ends[:, -1] + 1)


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
        When what is left of the process's memory would not do for the sorted copy.
    """

    def __init__(self, lines: Lines, ranks: dict[bytes, int]) -> None:
        super().__init__(lines.name, lines.n_columns, io.BytesIO(), b"")
        held: list[bytes] = []
        keys: list[tuple[int, int]] = []
        n_bytes = 0
        while lines.fill():
            found, numbers = lines.take(lines.n_waiting)
            n_bytes += int(found.starts[-1] - found.starts[0])
            left = memory_left()
            if left is not None and left < n_bytes + MEMORY_TO_ORDER * len(held) + MEMORY_TO_SPARE:
                raise MemoryError
            for line, number in zip(found, numbers, strict=True):
                held.append(line)
                contig, position = key_of(self.name, number, line, self.n_columns)
                keys.append((ranks.setdefault(contig, len(ranks)), position))
        self.is_over = True
        order = sorted(range(len(held)), key=keys.__getitem__)
        self._numbers = [place + 1 for place in order]
        block = Block.of(held[place] for place in order)
        self._text, self._starts = block.text, block.starts

    @property
    def number(self) -> int:
        """Return the number of the next line in the file."""
        return self._numbers[self._at]

    def take(self, n_lines: int) -> tuple[Block, Sequence[int]]:
        """Return the next lines with their numbers in the file, and step over them."""
        lines, numbers = self.next(n_lines), self._numbers[self._at : self._at + n_lines]
        self._at += n_lines
        return lines, numbers


class Run(NamedTuple):
    """Lines of both files at the same sites, one to one, whole sites only.

    `changed` tells which lines are not equal byte by byte. `numbers` and `kept_numbers` are their places
    in the files, from 1.
    """

    lines: Block
    numbers: Sequence[int]
    kept: Block
    kept_numbers: Sequence[int]
    changed: list[int]


class Site(NamedTuple):
    """One site whose lines do not face each other; one of the two may be empty."""

    contig: bytes
    position: int
    lines: list[bytes]
    numbers: Sequence[int]
    kept: list[bytes]
    kept_numbers: Sequence[int]


@dataclass(eq=False)
class Order:
    """Checks that a file is sorted by contig and position."""

    contig: bytes = b""
    position: int = -1
    seen: set[bytes] = field(default_factory=set)

    def enter(self, contig: bytes, position: int, last: int | None = None) -> None:
        """Go on to a site, or to sorted sites of one contig from `position` to `last`."""
        if contig != self.contig:
            if contig in self.seen:
                raise UnsortedError
            self.seen.add(contig)
            self.contig, self.position = contig, -1
        if position < self.position:
            raise UnsortedError
        self.position = position if last is None else last


@dataclass(eq=False)
class Merge:
    """Two files read side by side."""

    original: Lines  # their lines
    anonymized: Lines
    # the place of each contig in the order the files are expected to follow; needed only where one file has a
    # contig that the other lacks
    contigs: Mapping[bytes, int]
    # How far each file is. Whoever takes a run says so in both.
    orders: tuple[Order, Order] = field(default_factory=lambda: (Order(), Order()))
    _n_tried: int = MAX_RUN
    _met: bytes | None = None  # the contig that both files were last seen on together

    def __post_init__(self) -> None:
        self.original.is_split = True

    def __iter__(self) -> Iterator[Run | Site]:
        """Yield runs and sites in order."""
        first, second = self.original, self.anonymized
        while True:
            n_first, n_second = first.fill(2), second.fill(2)
            n_second = second.fill(n_first // EVEN)  # few lines left would be a run by themselves
            n_first = first.fill(n_second // EVEN)
            if not n_first and not n_second:
                return
            run = self._run() if n_first and n_second else None
            if run is not None:
                self._n_tried = min(2 * self._n_tried, MAX_RUN)
                yield run
                self._met = self.orders[0].contig
            else:
                self._n_tried = FIRST_RUN
                yield self._site()

    def _run(self) -> Run | None:
        """Take lines one to one for as long as both files have the same sites in the same order."""
        first, second = self.original, self.anonymized
        n_lines = min(first.n_waiting, second.n_waiting, self._n_tried)
        mine, theirs = first.next(n_lines), second.next(n_lines)
        changed = mine.differing(theirs)
        elsewhere = mine.first_elsewhere(theirs, changed)
        if elsewhere >= 0:
            n_lines = elsewhere
        n_lines = self._whole_sites(mine, n_lines)
        if not n_lines:
            return None
        lines, numbers = first.take(n_lines)
        kept, kept_numbers = second.take(n_lines)
        changed = [place for place in changed if place < n_lines]
        return Run(lines, numbers, kept, kept_numbers, changed)

    def _whole_sites(self, mine: Block, n_lines: int) -> int:
        """Step back to the start of a site that goes on, or may go on, in one of the files."""
        if not n_lines:
            return 0
        last = mine.site(n_lines - 1)
        if not any(self._goes_on(lines, n_lines, last) for lines in (self.original, self.anonymized)):
            return n_lines
        while n_lines and mine.site(n_lines - 1) == last:
            n_lines -= 1
        return n_lines

    @staticmethod
    def _goes_on(lines: Lines, n_lines: int, site: bytes) -> bool:
        if n_lines < lines.n_waiting:
            return lines.next(n_lines + 1).site(n_lines) == site
        return not lines.is_over

    def _site(self) -> Site:
        """Take the next site, from the file or the files that have it."""
        first, second = self.original, self.anonymized
        keys = [self._key(lines) if lines.fill() else None for lines in (first, second)]
        takes = self._whose_turn(*keys)
        found: list[tuple[list[bytes], Sequence[int]]] = []
        for lines, key, order, taken in zip((first, second), keys, self.orders, takes, strict=True):
            if key is None or not taken:
                found.append(([], ()))
                continue
            order.enter(*key)
            found.append(_lines_at(lines))
        key = keys[0] if takes[0] else keys[1]
        if key is None:
            raise TypeError("Both files are at their end.")
        return Site(*key, *found[0], *found[1])

    def _key(self, lines: Lines) -> tuple[bytes, int]:
        return key_of(lines.name, lines.number, lines.next(1)[0], lines.n_columns)

    def _whose_turn(
        self, mine: tuple[bytes, int] | None, theirs: tuple[bytes, int] | None
    ) -> tuple[bool, bool]:
        """Tell which files' next sites come next: both where they are the same."""
        if mine is None or theirs is None:
            self._check_left(mine or theirs, self.orders[mine is not None])
            return mine is not None, theirs is not None
        if mine[0] == theirs[0]:
            if mine[0] != self._met and any(mine[0] in order.seen for order in self.orders):
                raise UnsortedError  # one of the files has been here without the other
            self._met = mine[0]
            return mine[1] <= theirs[1], theirs[1] <= mine[1]
        unknown = len(self.contigs)
        theirs_first = self.contigs.get(theirs[0], unknown) < self.contigs.get(mine[0], unknown)
        if theirs[0] == self._met or (mine[0] != self._met and theirs_first):
            self._check_left(theirs, self.orders[0])
            return False, True
        self._check_left(mine, self.orders[1])
        return True, False

    def _check_left(self, key: tuple[bytes, int] | None, other: Order) -> None:
        """Refuse a contig that the other file has left behind before both were on it together."""
        if key is not None and key[0] in other.seen and key[0] != self._met:
            raise UnsortedError


def _lines_at(lines: Lines) -> tuple[list[bytes], Sequence[int]]:
    """Take all lines of the next site."""
    site = lines.next(1).site(0)
    n_lines = 1
    while lines.fill(n_lines + 1) > n_lines and lines.next(n_lines + 1).site(n_lines) == site:
        n_lines += 1
    found, numbers = lines.take(n_lines)
    return list(found), numbers


def key_of(name: str, number: int, line: bytes, n_columns: int) -> tuple[bytes, int]:
    """Return CHROM and POS of a line."""
    columns = line.split(b"\t", 2)
    if len(columns) < 3 or line.startswith(b"#"):
        check_columns(name, number, line, n_columns)
    return columns[0], parse_position(name, number, columns[1])


def check_columns(name: str, number: int, line: bytes, n_columns: int) -> None:
    """Refuse a blank line, a comment, or a line with a number of columns that htslib refuses.

    htslib takes records without samples in a file that has samples, and leaves out what stands beyond the
    last column that the header announces.
    """
    found = line.count(b"\t") + 1
    if found >= n_columns or found == 8:
        if line.startswith(b"#"):
            refuse_comment(name, number)
        return
    if not line:
        raise AuditInputError(
            text("{file}: record {number} is a blank line; remove it.", file=name, number=number)
        )
    if line.startswith(b"#"):
        refuse_comment(name, number)
    raise AuditInputError(
        text(
            "{file}: record {number} has {found} of the {n} columns that the header announces; the line is "
            "damaged or cut short.",
            file=name,
            number=number,
            found=found,
            n=n_columns,
        )
    )


def refuse_comment(name: str, number: int) -> NoReturn:
    """Refuse a comment between records."""
    raise AuditInputError(
        text(
            "{file}: record {number} is a comment or header line between records; remove it.",
            file=name,
            number=number,
        )
    )


def parse_position(name: str, number: int, digits: bytes) -> int:
    """Read a POS."""
    if not digits.isdigit():
        raise AuditInputError(
            text(
                "{file}: record {number} has a POS that is not a whole number from 0.",
                file=name,
                number=number,
            )
        )
    position = int(digits)
    if position >= MAX_POS:
        raise AuditInputError(text("{file}: record {number} has a POS beyond 2⁶².", file=name, number=number))
    return position
