"""Records of a VCF file in blocks: whole lines, where each begins, and its columns as offsets.

A block is text held once, with numpy arrays that point into it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from core.errors import AuditInputError
from core.vcf.columns import leading_tabs, offsets_of, whole_numbers

Offsets = npt.NDArray[np.int64]
NEWLINE, HASH, SPACE = 10, 35, 32
LONG_LINE = 4096  # bytes, from which line ends are searched one by one
POS_DIGITS = 15  # longer positions are read one by one
MAX_POS = 1 << 62
_SPACED_KEY = re.compile(rb"(?:^|;)[^;=]*\s[^;=]*(?:=|;|$)")


class UnsortedError(Exception):
    """The records are not sorted by contig and position, so one pass cannot pair them."""


@dataclass(frozen=True, eq=False)
class Block:
    """Whole lines of one file.

    Attributes
    ----------
    name
        The file's name, for messages.
    n_columns
        How many columns every line must have.
    data
        The lines, each ending in a newline, and perhaps more text that is not the block's. It is
        overwritten once neither the block nor any array that points into it is left.
    size
        How many bytes of `data` are the block's.
    first_line
        Number of the first line among the file's records, from 1.
    order
        For a file that was sorted by us: each line's place in the file; None otherwise.
    """

    name: str
    n_columns: int
    data: bytes | bytearray
    size: int
    first_line: int
    order: Offsets | None = None
    _view: memoryview = field(init=False, repr=False)  # as long as it is there the text stays as it is

    def __post_init__(self) -> None:
        object.__setattr__(self, "_view", memoryview(self.data))

    @cached_property
    def text(self) -> npt.NDArray[np.uint8]:
        """Return the text as numbers, shape (size,)."""
        return np.frombuffer(self.data, dtype=np.uint8, count=self.size)

    @cached_property
    def ends(self) -> Offsets:
        """Return where each line's newline is, shape (lines,)."""
        if self.first_length < LONG_LINE:
            return offsets_of(self.text == NEWLINE)
        ends = []
        end = self.data.find(b"\n", 0, self.size)
        while end >= 0:
            ends.append(end)
            end = self.data.find(b"\n", end + 1, self.size)
        return np.array(ends, dtype=np.int64)

    @property
    def first_length(self) -> int:
        """Return how long the first line is; most others are about as long."""
        return self.data.find(b"\n")

    @cached_property
    def starts(self) -> Offsets:
        """Return where each line begins, shape (lines,)."""
        starts = np.empty_like(self.ends)
        starts[:1] = 0
        starts[1:] = self.ends[:-1] + 1
        return starts

    @cached_property
    def tabs(self) -> Offsets:
        """Return where each line's first columns end, see :func:`core.vcf.columns.leading_tabs`.

        Raises
        ------
        AuditInputError
            When a line has too few or too many columns, is blank or is a comment.
        """
        tabs = leading_tabs(self.text, self.starts, self.ends, self.n_columns)
        if tabs is None:
            self._report_columns()
        self._check_comments()
        return tabs

    @cached_property
    def info_ends(self) -> Offsets:
        """Return where each line's INFO column ends, shape (lines,)."""
        return self.tabs[7] if self.n_columns > 8 else self.ends

    @cached_property
    def positions(self) -> Offsets:
        """Return POS of every line, shape (lines,).

        Raises
        ------
        AuditInputError
            When a POS is not a whole number from 0.
        """
        begin, end = self.tabs[0] + 1, self.tabs[1]
        lengths = end - begin
        width = min(int(lengths.max(initial=1)), POS_DIGITS)
        places = np.arange(width, 0, -1)[:, None]  # the last row for the units, one for the tens, …
        digits = np.take(self.text, end - places, mode="clip") - np.uint8(48)
        digits[places > lengths] = 0
        bad = (digits.max(axis=0, initial=0) > 9) | (lengths == 0)
        positions = whole_numbers(digits)
        for line in np.flatnonzero(bad | (lengths > POS_DIGITS)).tolist():
            positions[line] = self.parse_position(line)
        return positions

    def parse_position(self, line: int) -> int:
        """Read one line's POS digit by digit."""
        text = self.cut(self.tabs[0][line] + 1, self.tabs[1][line])
        return parse_position(self.name, self.first_line + line, text)

    @cached_property
    def segments(self) -> list[tuple[bytes, int, int]]:
        """Return runs of lines on one contig as (contig, first line, line after the last)."""
        n_lines = len(self.ends)
        if n_lines == 0:
            return []
        contig = self.contig(0)
        if self._all_on(contig):
            return [(contig, 0, n_lines)]
        names = [self.contig(line) for line in range(n_lines)]
        changes = [0, *(line for line in range(1, n_lines) if names[line] != names[line - 1]), n_lines]
        return [(names[low], low, high) for low, high in pairwise(changes)]

    def contig(self, line: int) -> bytes:
        """Return one line's CHROM."""
        return self.cut(self.starts[line], self.tabs[0][line])

    def _all_on(self, contig: bytes) -> bool:
        if np.any(self.tabs[0] - self.starts != len(contig)):
            return False
        cells = np.take(self.text, self.starts + np.arange(len(contig))[:, None])
        return bool(np.all(cells == np.frombuffer(contig, dtype=np.uint8)[:, None]))

    def cut(self, start: int, end: int) -> bytes:
        """Return a part of the text."""
        return bytes(self._view[start:end])

    def holds(self, text: bytes) -> bool:
        """Tell whether a text stands anywhere in the block."""
        return self.data.find(text, 0, self.size) >= 0

    def line(self, line: int) -> bytes:
        """Return one line without its newline."""
        return self.cut(self.starts[line], self.ends[line])

    def alt(self, line: int) -> bytes:
        """Return one line's ALT."""
        return self.cut(self.tabs[3][line] + 1, self.tabs[4][line])

    def info(self, line: int) -> bytes:
        """Return one line's INFO."""
        return self.cut(self.tabs[6][line] + 1, self.info_ends[line])

    def texts(self, lines: Offsets) -> list[bytes]:
        """Return lines without their newlines."""
        view = self._view
        spans = zip(self.starts[lines].tolist(), self.ends[lines].tolist(), strict=True)
        return [bytes(view[start:end]) for start, end in spans]

    def site_text(self, line: int) -> bytes:
        """Return one line's CHROM and POS as written; of a line without two tabs, all of it."""
        start, end = int(self.starts[line]), int(self.ends[line])
        return bytes(site_of(self.data, start, end))

    def check_info_keys(self) -> None:
        """Refuse INFO keys with spaces; one search of the block when it holds no space at all.

        Raises
        ------
        AuditInputError
            Naming the first line concerned.
        """
        if not self.holds(b" "):
            return
        spaces = np.flatnonzero(self.text == SPACE)
        for line in np.unique(np.searchsorted(self.ends, spaces)).tolist():
            check_info_keys(self.name, self.first_line + line, self.info(line))

    def _report_columns(self) -> NoReturn:
        """Raise for the first line that is a comment, or else whose number of columns is wrong."""
        self._check_comments()
        for line, text in enumerate(self.texts(np.arange(len(self.ends)))):
            check_columns(self.name, self.first_line + line, text, self.n_columns)
        raise AssertionError("Every line has its columns.")

    def _check_comments(self) -> None:
        comments = np.flatnonzero(np.take(self.text, self.starts) == HASH)
        if len(comments):
            line = int(comments[0])
            check_columns(self.name, self.first_line + line, self.line(line), self.n_columns)


def check_columns(name: str, number: int, line: bytes, n_columns: int) -> None:
    """Refuse a blank line, a comment, or a line with the wrong number of columns.

    Raises
    ------
    AuditInputError
        Naming the record's number.
    """
    if not line:
        raise AuditInputError(f"{name}: record {number:,} is a blank line; remove it.")
    if line.startswith(b"#"):
        raise AuditInputError(
            f"{name}: record {number:,} is a comment or header line between records; remove it."
        )
    found = line.count(b"\t") + 1
    if found != n_columns:
        raise AuditInputError(
            f"{name}: record {number:,} has {found} of the {n_columns} columns that the header announces; "
            "the line is damaged or cut short."
            if found < n_columns
            else f"{name}: record {number:,} has {found} columns, but the header announces {n_columns}."
        )


def check_info_keys(name: str, number: int, info: bytes) -> None:
    """Refuse INFO keys with spaces.

    Raises
    ------
    AuditInputError
        Naming the record's number.
    """
    if b" " in info and _SPACED_KEY.search(info):
        raise AuditInputError(f"{name}: record {number:,} has a space in an INFO key; INFO keys hold none.")


def parse_position(name: str, number: int, text: bytes) -> int:
    """Read a POS.

    Raises
    ------
    AuditInputError
        When it is not a whole number from 0 to 2⁶².
    """
    if not text.isdigit():
        raise AuditInputError(f"{name}: record {number:,} has a POS that is not a whole number from 0.")
    position = int(text)
    if position >= MAX_POS:
        raise AuditInputError(f"{name}: record {number:,} has a POS beyond 2⁶².")
    return position


def site_of(text: bytes | bytearray, start: int, end: int) -> bytes | bytearray:
    """Return CHROM and POS of the line that begins at `start`; of a line without two tabs, all of it."""
    first = text.find(b"\t", start, end)
    second = text.find(b"\t", first + 1, end) if first >= 0 else -1
    return text[start:second] if second >= 0 else text[start:end]
