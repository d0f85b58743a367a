"""The first nine columns of many lines at once: where each ends, and what the same text means, asked once.

Of lines with few columns the tabs of all are found together; of others, and where a line has another number
of columns than its header, line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from core.vcf.lines import (
    FIRST,
    MANY_COLUMNS,
    Block,
    Places,
    check_columns,
    ends_in,
    parse_position,
    where,
    windows,
)

CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT = range(9)
MAX_SHARED = 8  # different texts of a column that are looked for among all lines together
MAX_COMPARED = 24  # bytes of such a text
MAX_DIGITS = 18
MAX_PLAIN, SURE_DIGITS = 20, 15  # letters of a number that is read together with others, and its digits
_POWERS = np.array([float(10**power) for power in range(SURE_DIGITS + 1)])
_TAB, _NEWLINE, _ZERO, _POINT = b"\t\n0."
_A, _C, _F, _M, _EQUALS, _SEMICOLON = b"ACFM=;"
_LAST = ~FIRST[::-1]  # what is left of eight bytes of which so many of the last are looked at
_ZEROS = np.uint64(0x3030_3030_3030_3030)  # eight letters 0

# The four parts of a plain genotype of one sample, each told by one letter.
_GENOTYPE_FORM = bytes.maketrans(b"123456789|", b"000000000/")
_MISSING = frozenset((b"\t./.", b"\t0/.", b"\t./0"))
_LAST_BITS = int.from_bytes(b"\0\1\0\1", "little")  # of both digits of a genotype


class Columns:
    """The columns of a run of lines of one file.

    Attributes
    ----------
    lines
        The lines.
    ends
        Where each of the first columns ends; as many as the header announces, nine at most. Columns that a
        line does not have end with it and are empty.
    shift
        How far into the lines' text what :attr:`ends` says is moved there: all of the lines may not be kept
        here.
    odd
        Lines whose number of columns is not the header's, but which htslib takes.
    plain
        Whether a line has surely plain genotypes alone; lines with few columns are not looked at.
    """

    def __init__(self, name: str, numbers: Sequence[int], lines: Block, n_columns: int) -> None:
        self.lines = lines
        self.odd: list[int] = []
        self.plain = np.zeros(len(lines), dtype=np.bool_)
        n_split = min(n_columns, FORMAT + 1)
        self._heads, ends = lines, lines.ends
        if n_columns > MANY_COLUMNS:
            if (found := _heads(lines, n_columns)) is not None:
                self._heads, self.plain = found
                ends = _ends(self._heads, n_split)
        elif ends is None:
            ends = _ends(lines, n_columns)
        if ends is None:
            self.odd = _odd_lines(name, numbers, lines, n_columns)
            rows = [_first_ends(lines.text, low, high - 1, n_split) for low, high in _bounds(lines)]
            heads = zip(lines.starts.tolist(), rows, strict=False)
            self._heads = Block.of(lines.text[low : low + row[-1]] for low, row in heads)
            self.plain[:] = False
            ends = np.array(rows) + self._heads.starts[:-1, None]
        self.ends = ends[:, :n_split]
        self.shift = lines.starts[:-1] - self._heads.starts[:-1]
        self._cells = np.frombuffer(self._heads.text, dtype=np.uint8)
        self._windows = windows(self._heads.text)

    def __len__(self) -> int:
        return len(self.lines)

    def starts(self, column: int) -> Places:
        """Return where a column starts in each line."""
        return self.ends[:, column - 1] + 1 if column else self._heads.starts[:-1]

    def widths(self, column: int) -> Places:
        """Return how many bytes each line has in a column."""
        return np.maximum(self.ends[:, column] - self.starts(column), 0)

    def is_missing(self, column: int, places: Places) -> npt.NDArray[np.bool_]:
        """Tell for some lines whether a column, not the first, holds a point alone."""
        starts, ends = self.ends[:, column - 1][places] + 1, self.ends[:, column][places]
        return (ends - starts == 1) & (self._cells[starts] == _POINT)

    def value(self, column: int, place: int) -> bytes:
        """Return the text of one line's column."""
        start = self.ends[place, column - 1] + 1 if column else self._heads.starts[place]
        return self._heads.text[start : self.ends[place, column]]

    def values(self, column: int, places: Places) -> list[bytes]:
        """Return the text of a column of some lines."""
        return self._heads.parts(self.starts(column)[places], self.ends[:, column][places])

    def behind(self, column: int, place: int) -> bytes:
        """Return what follows a column of one line, with the tab before it."""
        start = self.ends[place, column] + self.shift[place]
        return self.lines.text[start : self.lines.starts[place + 1] - 1]

    def all_behind(self, column: int, places: Places) -> list[bytes]:
        """Return what follows a column of some lines, with the tab before it."""
        return self.lines.parts(self.ends_in_lines(column, places), self.lines.starts[places + 1] - 1)

    def ends_in_lines(self, column: int, places: Places) -> Places:
        """Return where a column of some lines ends in the text of the lines."""
        return self.ends[:, column][places] + self.shift[places]

    def mapped(self, column: int, meaning: Mapping[bytes, int], which: Places | None = None) -> Places:
        """Return what the text in a column means, of each line or of some; shared texts are asked once."""
        found = np.empty(len(self), dtype=np.int64)
        widths, begins = self.widths(column), self.starts(column)
        left = np.arange(len(self))
        if which is not None:
            left, widths, begins = which, widths[which], begins[which]
        for number in range(MAX_SHARED):
            if not len(left) or (width := int(widths[0])) > MAX_COMPARED:
                break
            differs = widths != width
            for at in range(0, width, 8):
                words = self._windows[begins + at] << np.uint64(
                    8 * max(0, at + 8 - width)
                )  # without what follows
                differs |= words != words[0]
            found[left if number or which is not None else slice(None)] = meaning[
                self.value(column, int(left[0]))
            ]
            others = np.flatnonzero(differs)
            left, widths, begins = left[others], widths[others], begins[others]
        found[left] = list(map(meaning.__getitem__, self.values(column, left)))
        return found if which is None else found[which]

    def contigs(self) -> list[tuple[bytes, int, int]]:
        """Return the runs of one contig: its name, the first line, and the line after the last."""
        ids = self.mapped(CHROM, Numbers())
        begins = [0, *(np.flatnonzero(np.diff(ids)) + 1).tolist(), len(self)]
        return [(self.value(CHROM, low), low, high) for low, high in pairwise(begins)]

    def positions(self, name: str, numbers: Sequence[int]) -> Places:
        """Read every POS."""
        widths = self.widths(POS)
        if widths.min() == 0 or widths.max() > MAX_DIGITS:
            texts = self.values(POS, np.arange(len(self)))
            return np.array(
                [parse_position(name, *one) for one in zip(numbers, texts, strict=True)], dtype=np.int64
            )
        last = self.ends[:, POS] - 1
        words = self._windows[np.maximum(last - 7, 0)]
        words[last < 7] <<= 8 * (7 - last[last < 7]).astype(np.uint64)  # there is less before it
        words = (words ^ _ZEROS) & _LAST[np.minimum(widths, 8)]
        if np.any(_others(words)):
            for one in zip(numbers, self.values(POS, np.arange(len(self))), strict=True):
                parse_position(name, *one)
        found = _whole(words)
        for at in range(8, int(widths.max())):
            digits = np.take(self._cells, last - at, mode="clip") - _ZERO
            digits[widths <= at] = 0
            if digits.max() > 9:
                place = int(np.argmax(digits))
                parse_position(name, numbers[place], self.value(POS, place))
            found += digits.astype(np.int64) * 10**at
        return found

    def frequencies(self) -> tuple[Places, Places]:
        """Return which lines have MAF, AF or AC as a key of INFO, and where the value of AF starts.

        −1 where AF is not the one field that decides: there is a MAF, AF is a flag or stands there twice.
        """
        cells = self._cells
        if b"AF=" in self.value(INFO, 0):
            found = self._keys(with_counts=False)
            if (
                len(found) == len(self)
                and np.all((cells[found - 1] != _M) & (cells[found + 2] == _EQUALS))
                and np.all((found > self.ends[:, INFO - 1]) & (found < self.ends[:, INFO]))
            ):  # one AF in each line
                return np.arange(len(self)), found + 3
        found = self._keys(with_counts=True)
        lines = np.searchsorted(self._heads.starts, found, side="right") - 1
        inside = (found > self.ends[lines, INFO - 1]) & (found < self.ends[lines, INFO])
        lines, found = lines[inside], found[inside]
        is_maf, is_af, has_value = cells[found - 1] == _M, cells[found + 1] == _F, cells[found + 2] == _EQUALS
        values = np.full(len(self), -2)
        values[lines] = -1
        places = np.flatnonzero(values == -1)
        is_value = is_af & has_value & ~is_maf
        again = lines[is_value]
        values[again] = found[is_value] + 3
        values[again[1:][again[1:] == again[:-1]]] = -1
        values[lines[is_maf | (is_af & ~has_value)]] = -1
        return places, values[places]

    def _keys(self, *, with_counts: bool) -> Places:
        """Return where AF, or AC as well, begins a field, or ends one such as MAF."""
        cells = self._cells
        first, last = self._heads.starts[[0, -1]].tolist()
        this, following = cells[first:last], cells[first + 1 : last + 1]

        def is_key_at(low: int, high: int) -> npt.NDArray[np.bool_]:
            is_second = following[low:high] == _F
            if with_counts:
                is_second |= following[low:high] == _C
            is_second &= this[low:high] == _A
            return is_second

        found = where(last - first, is_key_at) + first
        before, after = cells[found - 1], cells[found + 2]
        is_key = (before == _SEMICOLON) | (before == _TAB) | (before == _M)
        is_key &= (after == _EQUALS) | (after == _SEMICOLON) | (after == _TAB) | (after == _NEWLINE)
        found, before = found[is_key], before[is_key]
        earlier = cells[found - 2]
        return found[(before != _M) | (earlier == _SEMICOLON) | (earlier == _TAB)]

    def decimals(self, at: Places) -> npt.NDArray[np.float64]:
        """Read the values of INFO that start somewhere; NaN where one is no plain decimal.

        A whole number below 10¹⁵ through a power of ten is what reading the text gives, to the last bit.
        """
        digits = np.zeros(len(at), dtype=np.int64)
        n_digits, n_after, has_point, is_open = (np.zeros_like(digits) for _ in range(4))
        last = np.zeros(len(at), dtype=np.uint8)
        is_open += 1
        for step in range(MAX_PLAIN + 1):
            cells = self._cells[at + step]
            value = cells - _ZERO
            is_digit, is_point = is_open & (value < 10), is_open & (cells == _POINT) & (1 - has_point)
            digits += is_digit * (9 * digits + value)
            n_digits += is_digit
            n_after += is_digit & has_point
            has_point |= is_point
            last = np.where(is_open, cells, last)
            is_open &= is_digit | is_point
            if not is_open.any():
                break
        is_end = (last == _SEMICOLON) | (last == _TAB) | (last == _NEWLINE)
        is_plain = is_end & (n_digits > 0) & (n_digits <= SURE_DIGITS)
        return np.where(is_plain, digits / _POWERS[np.minimum(n_after, SURE_DIGITS)], np.nan)

    def first_bytes(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return eight bytes that the first sample of some lines begins with, beyond it those that follow."""
        return windows(self.lines.text)[self.ends_in_lines(FORMAT, places) + 1].view(np.uint8).reshape(-1, 8)


def _others(digits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the highest bit of each byte that is no digit, the letters of digits taken away."""
    plain: npt.NDArray[np.uint64] = digits & np.uint64(0x7F7F_7F7F_7F7F_7F7F)
    return (plain + np.uint64(0x7676_7676_7676_7676) | digits) & np.uint64(0x8080_8080_8080_8080)


def _whole(digits: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return numbers of eight digits, each a byte, the first the lowest."""
    digits = digits * 10 + (digits >> 8)  # two as one number, then four and all of them
    low, high = digits & 0xFF_0000_00FF, (digits >> 16) & 0xFF_0000_00FF
    found = (low * (100 + (1_000_000 << 32)) + high * (1 + (10_000 << 32))) >> 32
    return found.astype(np.int64)


def _ends(lines: Block, n_columns: int) -> Places | None:
    """Return where all columns of all lines end; None unless each line has so many."""
    low, high = lines.starts[[0, -1]].tolist()
    return ends_in(lines.text, low, high, n_columns)


def _bounds(lines: Block) -> Iterator[tuple[int, int]]:
    """Yield where each line begins, and where the next one does."""
    return pairwise(lines.starts.tolist())


def _heads(lines: Block, n_columns: int) -> tuple[Block, npt.NDArray[np.bool_]] | None:
    """Return lines up to FORMAT, and which have plain genotypes alone; None where a line is otherwise."""
    text, n_samples = lines.text, n_columns - FORMAT - 1
    plain, heads = np.zeros(len(lines), dtype=np.bool_), []
    for place, (low, high) in enumerate(_bounds(lines)):
        at = high - 1 - 4 * n_samples
        if text[max(at - 3, low) : at] == b"\tGT" and are_plain(text, at, n_samples):
            plain[place] = True
        elif place and text.count(b"\t", low, high) == n_columns - 1:
            at = low + _first_ends(text, low, high, FORMAT + 1)[-1]
        else:
            return None
        heads.append(text[low:at])
    return Block.of(heads), plain


def are_plain(text: bytes, low: int, n_samples: int) -> bool:
    """Tell whether samples are genotypes of two alleles below ten, or missing, and nothing else.

    Others of that kind may be taken for something else: digits are looked at up to the last bit, so that each
    differs from the first sample's in nothing more, and missing ones must all be alike.
    """
    cells = np.frombuffer(text, "<u4", n_samples, low)
    differing = int(np.bitwise_or.reduce(cells ^ cells[0]))
    form = text[low : low + 4].translate(_GENOTYPE_FORM)
    return (form == b"\t0/0" and not differing & ~_LAST_BITS) or (form in _MISSING and not differing)


def _odd_lines(name: str, numbers: Sequence[int], lines: Block, n_columns: int) -> list[int]:
    """Return the lines with another number of columns; refuse those that htslib refuses."""
    is_tab = np.frombuffer(lines.text, dtype=np.uint8) == _TAB
    odd = []
    for place, (low, high) in enumerate(_bounds(lines)):
        if np.count_nonzero(is_tab[low:high]) != n_columns - 1:
            check_columns(name, numbers[place], lines[place], n_columns)
            odd.append(place)
    return odd


def _first_ends(text: bytes, low: int, high: int, n_columns: int) -> list[int]:
    """Return where the first columns of a line end, given by where it stands in a text."""
    ends: list[int] = []
    at = low - 1
    while len(ends) < n_columns and (at := text.find(b"\t", at + 1, high)) >= 0:
        ends.append(at - low)
    return ends + [high - low] * (n_columns - len(ends))


class Numbers(dict[bytes, int]):
    """Numbers texts in the order in which they come."""

    def __missing__(self, text: bytes) -> int:
        self[text] = len(self)
        return self[text]
