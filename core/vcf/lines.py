"""The lines of one file, read piece by piece, as text and where each begins."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NoReturn, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.errors import AuditInputError
from core.words import text

PIECE = 3 << 20  # bytes of text read at once
MAX_POS = 1 << 62
FEW_LINES = 4  # in 4096 bytes: where lines are so long, their ends are looked for one by one
CHUNK = 1 << 17  # bytes looked at together, which fit into the processor's cache
_NEWLINE, _RETURN = b"\n\r"

Places = npt.NDArray[np.int64]


class Source(Protocol):
    """Where the text of the records comes from."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer, or the beginning of it; return how many bytes that are, 0 at the end."""


class Block:
    """Lines that follow each other in a text, without their ends; a line is cut out when it is asked for.

    Attributes
    ----------
    text
        The text they stand in, with a line end behind each.
    starts
        Where each begins, and where one after the last would.
    """

    def __init__(self, text: bytes, starts: Places) -> None:
        self.text = text
        self.starts = starts

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> "Block":
        """Put lines together."""
        text = b"".join(line + b"\n" for line in lines)
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

    def as_array(self) -> pa.Array:
        """Return the lines with their ends, not copied."""
        buffers = [None, pa.py_buffer(np.ascontiguousarray(self.starts)), pa.py_buffer(self.text)]
        return pa.Array.from_buffers(pa.large_binary(), len(self), buffers)


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
    n_read
        How many times more of the file was read.
    """

    def __init__(self, name: str, n_columns: int, source: Source, begun: bytes) -> None:
        self.name = name
        self.n_columns = n_columns
        self.is_over = False
        self.n_read = 0
        self.n_ends, self.n_returns = 0, 0  # line ends, and those of two bytes
        self._source = source
        self._text = begun  # with the beginning of a line that is not read whole yet
        self._starts = np.zeros(1, dtype=np.int64)
        self._at = 0  # the next line
        self._buffer = np.empty(PIECE, dtype=np.uint8).data
        self._n_before = 1  # number of the first line of the text

    @property
    def number(self) -> int:
        """Return the number of the next line in the file."""
        return self._n_before + self._at

    def numbers(self, n_lines: int) -> Places:
        """Return the numbers of the next lines in the file."""
        return np.arange(self.number, self.number + n_lines)

    @property
    def n_waiting(self) -> int:
        """Return how many lines were read and not taken."""
        return len(self._starts) - 1 - self._at

    def fill(self, n_lines: int = 1) -> int:
        """Read until at least so many lines wait, or the file is at its end; return how many do."""
        while self.n_waiting < n_lines and not self.is_over:
            self._read()
            self.n_read += 1
        return self.n_waiting

    def take(self, n_lines: int) -> Block:
        """Return the next lines, and step over them."""
        lines = self.next(n_lines)
        self._at += n_lines
        return lines

    def next(self, n_lines: int) -> Block:
        """Return the next lines."""
        return Block(self._text, self._starts[self._at : self._at + n_lines + 1])

    def _read(self) -> None:
        n_bytes = self._source.readinto(self._buffer)
        n_waiting = self.n_waiting
        left = self._text[self._starts[self._at] :]
        self.is_over = not n_bytes
        last_end = b"\n" if self.is_over and left and not left.endswith(b"\n") else b""
        text = b"".join((left, self._buffer[:n_bytes], last_end))
        starts = starts_in(text)
        before_ends = np.frombuffer(text, dtype=np.uint8)[starts[1:] - 2]
        n_returns = int(np.count_nonzero(before_ends == _RETURN))
        if n_returns:
            self.n_returns += n_returns
            text = text.replace(b"\r\n", b"\n")
            starts = starts_in(text)
        self._n_before += self._at
        self._text, self._at, self._starts = text, 0, starts
        self.n_ends += self.n_waiting - n_waiting - len(last_end)


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
