"""What an Excel workbook would take in memory, found out before anything opens it.

A workbook is a zip archive of XML. A small one can be written to unpack to terabytes: by what it
packs, by cells in the far corner of a sheet (a reader lays out the whole rectangle up to them), or
by millions of empty elements. What the archive states about itself may be false, so everything is
unpacked once, in pieces, and counted.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import pyarrow as pa

from core.errors import AuditInputError
from core.words import input_error, joined, text

LARGEST_UNPACKED = 2 << 30
_LARGEST_AREA = 30 << 20
LARGEST_ELEMENTS = 40_000_000
_EXCEL_ROWS, _EXCEL_COLUMNS = 1 << 20, 1 << 14
_PIECE = 1 << 20

_CELL = re.compile(rb"<(?:[\w.-]+:)?c[\s/>]")
_PLAIN_CELL = re.compile(rb'<(?:[\w.-]+:)?c r="([A-Z]{1,3})[0-9]{1,7}"')
_ROW_OF_CELL = re.compile(rb'<(?:[\w.-]+:)?c r="[A-Z]{1,3}([0-9]{1,7})"')
_LONG_ROW_OF_CELL = re.compile(rb'<(?:[\w.-]+:)?c r="[A-Z]{1,3}([0-9]{7})"')
_REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")


class _DamagedError(Exception):
    """The XML of a sheet is not what a reader expects."""


class _TooLargeError(Exception):
    """The workbook would take too much memory; carries the message that says so, and its numbers."""


def workbook_parts(data: pa.Buffer) -> list[str]:
    """Return the names of the files in a zip archive, none where it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return []


def check_workbook_bounds(data: pa.Buffer, *, name: str) -> None:
    """Refuse a workbook that would take too much memory.

    Bounds are 2 GiB unpacked, 30 columns of Excel's 1,048,576 rows (or another rectangle of as
    many cells), and 40 million elements that are no cells.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check(archive)
    except _TooLargeError as error:
        message, numbers = error.args
        remedy = "Delete what stands far from the table, or save the sheet as CSV."
        raise AuditInputError(joined([text(message, file=name, **numbers), remedy])) from None
    except (
        _DamagedError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        ValueError,
        OSError,
        NotImplementedError,
        RuntimeError,  # a part is encrypted
        KeyError,  # a part is absent
    ):
        raise input_error(
            "{file}: the Excel workbook is damaged. Open it in Excel and save it again, or save it as CSV.",
            file=name,
        ) from None


def _check(archive: zipfile.ZipFile) -> None:
    too_large = _TooLargeError(
        "{file}: the workbook unpacks to more than {most} GiB and was not opened.",
        {"most": LARGEST_UNPACKED >> 30},
    )
    members = [member for member in archive.infolist() if not member.is_dir()]
    if _stated_size(members) > LARGEST_UNPACKED:
        raise too_large
    n_unpacked = 0
    for member in members:
        for piece in pieces(archive, member):
            n_unpacked += len(piece)
            if n_unpacked > LARGEST_UNPACKED:
                raise too_large
    stated = archive.read("xl/_rels/workbook.xml.rels")
    for member in members:
        if member.filename.endswith(".xml") or member.filename.rpartition("/")[2].encode() in stated:
            _sheet(archive, member).check()


def _sheet(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> "_Sheet":
    """Return the extent of a part, looked at as if it were a sheet: which one is, is only stated."""
    sheet = _scanned_sheet(pieces(archive, member), every_row=False)
    if sheet.is_plain and not sheet.has_few_columns:
        sheet = _scanned_sheet(pieces(archive, member), every_row=True)
    return sheet if sheet.is_plain else _parsed_sheet(pieces(archive, member))


def _stated_size(members: Iterable[zipfile.ZipInfo]) -> int:
    return sum(member.file_size for member in members)


def pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a part of an archive, unpacked a mebibyte at a time."""
    with archive.open(member) as part:
        while piece := part.read(_PIECE):
            yield piece


@dataclass
class _Sheet:
    """The rectangle from the first cell of a sheet to the farthest row and column its XML states."""

    # Whether to look at the row of every cell. A sheet of few columns is not too large with as many rows as
    # Excel has; then only a row beyond is looked for.
    every_row: bool = True
    n_rows: int = 0  # size of the rectangle
    n_columns: int = 0
    n_cells: int = 0  # Cells, and cells that begin with their reference, as spreadsheet programs write them
    n_plain: int = 0
    n_elements: int = 0  # elements that are no cells, opened or closed
    rest: bytes = field(default=b"", repr=False)

    @property
    def is_plain(self) -> bool:
        """Whether every cell was understood."""
        return self.n_cells == self.n_plain

    @property
    def has_few_columns(self) -> bool:
        """Whether the sheet cannot be too large, however many of Excel's rows it has."""
        return self.n_columns * _EXCEL_ROWS <= _LARGEST_AREA

    def add(self, piece: bytes) -> None:
        """Take in the next piece of the XML."""
        text = self.rest + piece
        end = text.rfind(b"<")
        if end < 0 or text.find(b">", end) >= 0 or len(text) - end > _PIECE:
            end = len(text)
        self._count(text[:end])
        self.rest = text[end:]

    def finish(self) -> None:
        """Take in what is left."""
        self._count(self.rest)
        self.rest = b""

    def _count(self, text: bytes) -> None:
        self.n_cells += len(_CELL.findall(text))
        columns = _PLAIN_CELL.findall(text)
        self.n_plain += len(columns)
        self.n_elements += text.count(b"<") - len(columns)
        if columns:
            self.n_columns = max(self.n_columns, *(_column_number(column) for column in set(columns)))
            rows = (_ROW_OF_CELL if self.every_row else _LONG_ROW_OF_CELL).findall(text)
            self.n_rows = max(self.n_rows, *(int(row) for row in set(rows))) if rows else self.n_rows

    def check(self) -> None:
        """Raise when a reader would lay out too much, or cells that no sheet has."""
        if self.n_rows > _EXCEL_ROWS or self.n_columns > _EXCEL_COLUMNS:
            raise _DamagedError
        if self.n_rows * self.n_columns > _LARGEST_AREA or self.n_cells > _LARGEST_AREA:
            area = max(self.n_rows * self.n_columns, self.n_cells)
            raise _TooLargeError(
                "{file}: the workbook has a sheet that spans {area} cells, more than {most}, and was not "
                "opened.",
                {"area": area, "most": _LARGEST_AREA},
            )
        if self.n_elements - self.n_cells * 3 > LARGEST_ELEMENTS:
            raise _TooLargeError(
                "{file}: the workbook has more than {most} elements besides its cells and was not opened.",
                {"most": LARGEST_ELEMENTS},
            )


def _scanned_sheet(pieces: Iterable[bytes], *, every_row: bool) -> _Sheet:
    """Return the extent of a sheet whose cells begin with their references."""
    sheet = _Sheet(every_row=every_row)
    for piece in pieces:
        sheet.add(piece)
    sheet.finish()
    return sheet


def _parsed_sheet(pieces: Iterable[bytes]) -> _Sheet:
    """Return the extent of a sheet whose cells leave their reference out or write it unusually."""
    sheet = _Sheet()
    place = [0, 0]

    def open_element(tag: str, attributes: dict[str, str]) -> None:
        local = tag.rpartition(":")[2]
        if local == "row":
            place[:] = [_number(attributes.get("r")) or place[0] + 1, 0]
        elif local == "c":
            place[1] += 1
            if "r" in attributes:
                match = _REFERENCE.fullmatch(attributes["r"])
                if not match:
                    raise _DamagedError
                place[:] = [int(match[2]), _column_number(match[1].encode())]
            sheet.n_cells += 1
            sheet.n_rows, sheet.n_columns = max(sheet.n_rows, place[0]), max(sheet.n_columns, place[1])
        sheet.n_elements += 1

    parser = expat.ParserCreate()
    parser.StartElementHandler = open_element
    try:
        for piece in pieces:
            parser.Parse(piece)
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise _DamagedError from None
    return sheet


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number
