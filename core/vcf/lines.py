"""The lines of two files side by side: runs of lines that stand at the same sites, or one site by itself.

Both files are read piece by piece. As long as their lines stand at the same sites in the same order
they come in runs, compared byte by byte and not split; elsewhere site by site, merged by contig and
position. Files that are not sorted are refused with :class:`UnsortedError`; the caller has them sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import ne
from typing import NamedTuple, NoReturn, Protocol

from core.errors import AuditInputError
from core.words import text

PIECE = 1 << 20  # bytes of text read at once
MAX_POS = 1 << 62
FIRST_RUN = 64  # lines tried to be in step after they were not; each try that succeeds takes twice as many
MAX_RUN = 1 << 30
MANY_COLUMNS = 64


class Source(Protocol):
    """Where the text of the records comes from."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer, or the beginning of it; return how many bytes that are, 0 at the end."""


class UnsortedError(Exception):
    """The records are not sorted by contig and position, so one pass cannot pair them."""


class Lines:
    """The lines of one file that were read and not yet taken.

    Attributes
    ----------
    name
        The file's name, for messages.
    n_columns
        How many columns its header announces.
    waiting
        Lines without their ends.
    at
        Which of them is the next.
    is_over
        Whether no more come.
    spaced
        Whether the text they were read with holds a space anywhere.
    """

    def __init__(self, name: str, n_columns: int, source: Source, begun: bytes) -> None:
        self.name = name
        self.n_columns = n_columns
        self.waiting: list[bytes] = []
        self.at = 0
        self.is_over = False
        self.spaced = False
        self.n_ends, self.n_returns = 0, 0  # line ends, and those of two bytes
        self._source = source
        self._rest = begun
        self._buffer = memoryview(bytearray(PIECE))
        self._n_before = 1  # number of the first waiting line

    def fill(self, n_lines: int = 1) -> int:
        """Read until at least so many lines wait, or the file is at its end; return how many do."""
        while len(self.waiting) - self.at < n_lines and not self.is_over:
            self._read()
        return len(self.waiting) - self.at

    def take(self, n_lines: int) -> tuple[list[bytes], Sequence[int]]:
        """Return the next lines with their numbers in the file, and step over them."""
        lines = self.waiting[self.at : self.at + n_lines]
        first = self._n_before + self.at
        self.at += n_lines
        return lines, range(first, first + n_lines)

    def site(self, place: int = 0) -> bytes:
        """Return CHROM and POS as written, of a line this far on."""
        return site_of(self.waiting[self.at + place])

    def _read(self) -> None:
        n_bytes = self._source.readinto(self._buffer)
        text = self._rest + self._buffer[:n_bytes]
        if b"\r" in text:
            self.n_returns += text.count(b"\r\n")
            text = text.replace(b"\r\n", b"\n")
        self.spaced = b" " in text or (self.spaced and self.at < len(self.waiting))
        lines = text.split(b"\n")
        self._rest = lines.pop()
        self.n_ends += len(lines)
        if not n_bytes:
            self.is_over = True
            if self._rest:
                lines.append(self._rest)
        self._n_before += self.at
        self.waiting = self.waiting[self.at :] + lines if self.at < len(self.waiting) else lines
        self.at = 0


class SortedLines(Lines):
    """All lines of a file, sorted in memory by contig and position; those of a site stay in their order.

    Parameters
    ----------
    lines
        The file's lines.
    ranks
        Place of each contig; contigs met for the first time are added at the end.
    """

    def __init__(self, lines: Lines, ranks: dict[bytes, int]) -> None:
        super().__init__(lines.name, lines.n_columns, _NOTHING, b"")
        held: list[bytes] = []
        keys: list[tuple[int, int]] = []
        while lines.fill():
            found, numbers = lines.take(len(lines.waiting) - lines.at)
            self.spaced = self.spaced or lines.spaced
            held += found
            for line, number in zip(found, numbers, strict=True):
                contig, position = key_of(self.name, number, line, self.n_columns)
                keys.append((ranks.setdefault(contig, len(ranks)), position))
        self.is_over = True
        order = sorted(range(len(held)), key=keys.__getitem__)
        self.waiting = [held[place] for place in order]
        self._numbers = [place + 1 for place in order]

    def take(self, n_lines: int) -> tuple[list[bytes], Sequence[int]]:
        """Return the next lines with their numbers in the file, and step over them."""
        numbers = self._numbers[self.at : self.at + n_lines]
        return super().take(n_lines)[0], numbers


class _Nothing:
    def readinto(self, _buffer: memoryview, /) -> int:
        return 0


_NOTHING = _Nothing()


class Run(NamedTuple):
    """Lines of both files at the same sites, one to one, whole sites only.

    `changed` tells which lines are not equal byte by byte. `numbers` and `kept_numbers` are their places
    in the files, from 1. `spaced` tells whether the original's lines may hold a space.
    """

    lines: list[bytes]
    numbers: Sequence[int]
    kept: list[bytes]
    kept_numbers: Sequence[int]
    changed: list[int]
    spaced: bool


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

    def __iter__(self) -> Iterator[Run | Site]:
        """Yield runs and sites in order."""
        first, second = self.original, self.anonymized
        while True:
            n_first, n_second = first.fill(2), second.fill(2)
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
        n_lines = min(len(first.waiting) - first.at, len(second.waiting) - second.at, self._n_tried)
        mine = first.waiting[first.at : first.at + n_lines]
        theirs = second.waiting[second.at : second.at + n_lines]
        changed = list(compress(range(n_lines), map(ne, mine, theirs)))
        for place in changed:
            if site_of(mine[place]) != site_of(theirs[place]):
                n_lines = place
                break
        n_lines = self._whole_sites(mine, n_lines)
        if not n_lines:
            return None
        lines, numbers = first.take(n_lines)
        kept, kept_numbers = second.take(n_lines)
        changed = [place for place in changed if place < n_lines]
        return Run(lines, numbers, kept, kept_numbers, changed, first.spaced)

    def _whole_sites(self, mine: list[bytes], n_lines: int) -> int:
        """Step back to the start of a site that goes on, or may go on, in one of the files."""
        if not n_lines:
            return 0
        last = site_of(mine[n_lines - 1])
        if not any(self._goes_on(lines, n_lines, last) for lines in (self.original, self.anonymized)):
            return n_lines
        while n_lines and site_of(mine[n_lines - 1]) == last:
            n_lines -= 1
        return n_lines

    @staticmethod
    def _goes_on(lines: Lines, n_lines: int, site: bytes) -> bool:
        if lines.at + n_lines < len(lines.waiting):
            return lines.site(n_lines) == site
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
        number = lines.take(0)[1]
        return key_of(lines.name, _start(number, lines), lines.waiting[lines.at], lines.n_columns)

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


def _start(numbers: Sequence[int], lines: Lines) -> int:
    return numbers.start if isinstance(numbers, range) else lines.at + 1


def _lines_at(lines: Lines) -> tuple[list[bytes], Sequence[int]]:
    """Take all lines of the next site."""
    site = lines.site()
    n_lines = 1
    while lines.fill(n_lines + 1) > n_lines and lines.site(n_lines) == site:
        n_lines += 1
    return lines.take(n_lines)


def site_of(line: bytes) -> bytes:
    """Return CHROM and POS of a line as written; of a line without two tabs, some or all of it."""
    return line[: line.find(b"\t", line.find(b"\t") + 1)]


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
