"""Whether a workbook of the old kind (.xls) keeps to the 256 columns such a sheet has.

Its records could state 65,536 columns, and a reader lays out the whole rectangle up to the farthest
cell. The file is an OLE container of sectors chained by a table; in it, one stream of records.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from core.errors import AuditInputError

_N_COLUMNS = 256
_CELLS = frozenset({0x0006, 0x00D6, 0x00FD, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E})
_CELLS_IN_A_ROW = frozenset({0x00BD, 0x00BE})
_BOUND_SHEET, _END = 0x0085, 0x000A
_LARGEST_NUMBER = 0xFFFF_FFF0  # numbers from here on are marks, not sectors


def check_old_workbook_bounds(data: pa.Buffer, *, name: str) -> None:
    """Refuse an .xls workbook with cells beyond the last column that such a sheet has.

    Raises
    ------
    AuditInputError
        There is such a cell, or the container's chains run in circles.
    """
    try:
        stream = _Container(data.to_pybytes()).workbook()
        is_damaged = any(column >= _N_COLUMNS for column in _last_columns(stream))
    except (struct.error, IndexError, ValueError):  # the last: a sector that is not there
        is_damaged = True
    if is_damaged:
        raise AuditInputError(
            f"{name}: the Excel workbook is damaged. Open it in Excel and save it again, or save it as CSV."
        ) from None


def _last_columns(stream: bytes) -> Iterator[int]:
    """Yield the last column, from 0, of every record that holds cells, sheet by sheet as a reader goes."""
    begins = {0}
    for kind, content in _records(stream, 0):
        if kind == _BOUND_SHEET:
            begins.add(struct.unpack_from("<I", content)[0])
    for begin in begins:
        for kind, content in _records(stream, begin):
            if kind in _CELLS:
                yield struct.unpack_from("<H", content, 2)[0]
            elif kind in _CELLS_IN_A_ROW:
                yield struct.unpack_from("<H", content, len(content) - 2)[0]


def _records(stream: bytes, begin: int) -> Iterator[tuple[int, bytes]]:
    """Yield kind and content of the records from an offset up to the end mark of the sheet."""
    while begin + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, begin)
        begin += 4
        yield kind, stream[begin : begin + length]
        if kind == _END:
            return
        begin += length


@dataclass(frozen=True)
class _Container:
    """An OLE container, as far as it takes to find the stream of a workbook."""

    data: bytes

    def workbook(self) -> bytes:
        """Return the stream of records, empty where there is none."""
        directory = self._stream(self._number(48), self._table())
        entries = [directory[begin : begin + 128] for begin in range(0, len(directory), 128)]
        for entry in entries:
            length = struct.unpack_from("<H", entry, 64)[0]
            if entry[: max(0, length - 2)].decode("utf-16-le", errors="replace") in ("Workbook", "Book"):
                return self._content(entry, root=entries[0])
        return b""

    def _content(self, entry: bytes, *, root: bytes) -> bytes:
        start, size = struct.unpack_from("<II", entry, 116)
        if size >= self._number(56):
            return self._stream(start, self._table())[:size]
        small = self._stream(struct.unpack_from("<I", root, 116)[0], self._table())
        table = _numbers(self._stream(self._number(60), self._table()))
        return b"".join(small[64 * sector : 64 * sector + 64] for sector in _chain(start, table))[:size]

    def _number(self, offset: int) -> int:
        return int(struct.unpack_from("<I", self.data, offset)[0])

    def _sector(self, number: int) -> bytes:
        size = 1 << min(struct.unpack_from("<H", self.data, 30)[0], 16)
        return self.data[size * (number + 1) : size * (number + 2)]

    def _table(self) -> list[int]:
        """Return the table that says which sector follows each."""
        sectors = list(struct.unpack_from("<109I", self.data, 76))
        more, seen = self._number(68), set[int]()
        while more < _LARGEST_NUMBER and more not in seen:
            seen.add(more)
            *part, following = _numbers(self._sector(more))
            sectors, more = sectors + part, following
        return _numbers(b"".join(self._sector(sector) for sector in sectors if sector < _LARGEST_NUMBER))

    def _stream(self, start: int, table: list[int]) -> bytes:
        return b"".join(self._sector(sector) for sector in _chain(start, table))


def _numbers(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))


def _chain(start: int, table: list[int]) -> Iterator[int]:
    """Yield the sectors of a chain; one that runs in a circle is an error."""
    for _ in range(len(table) + 1):
        if start >= _LARGEST_NUMBER:
            return
        yield start
        start = table[start]
    raise IndexError
