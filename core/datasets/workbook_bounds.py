"""What an Excel workbook would take in memory, found out before anything opens it.

A workbook is a zip archive of XML. A small one can be written to unpack to terabytes: by what it
packs, by stating cells in the far corner of a sheet, or by one long text that a million cells
share. What the archive states about itself may be false, so everything is unpacked once, in
pieces, and counted.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

import pyarrow as pa

from core.errors import AuditInputError

LARGEST_UNPACKED = 2 << 30
LARGEST_AREA = 50_000_000  # cells; a sheet of Excel's 1,048,576 rows with 47 columns
_PIECE = 1 << 20
_OVERLAP = 64
_REFERENCE = re.compile(rb"""r=["']([A-Za-z]{1,3})([0-9]{1,7})["']""")


class TooLargeError(Exception):
    """The archive unpacks to more than is allowed."""


def workbook_parts(data: pa.Buffer) -> list[str]:
    """Return the names of the files in a zip archive, none where it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return []


def check_workbook_bounds(data: pa.Buffer, *, name: str) -> None:
    """Refuse a workbook that would take too much memory.

    Raises
    ------
    AuditInputError
        It unpacks to more than 2 GiB, or a sheet spans more than 50 million cells; or it is
        damaged.
    """
    try:
        _check(data, name=name)
    except TooLargeError:
        raise AuditInputError(
            f"{name}: the workbook unpacks to more than {LARGEST_UNPACKED >> 30} GiB and was not opened. "
            "Save the sheet as CSV."
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError):
        raise AuditInputError(
            f"{name}: the Excel workbook is damaged. Open it in Excel and save it again, or save it as CSV."
        ) from None


def _check(data: pa.Buffer, *, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if sum(member.file_size for member in members) > LARGEST_UNPACKED:
            raise TooLargeError
        unpacked = 0
        for member in members:
            area = _Area()
            for piece in _pieces(archive, member):
                unpacked += len(piece)
                if unpacked > LARGEST_UNPACKED:
                    raise TooLargeError
                if member.filename.startswith("xl/worksheets/"):
                    area.add(piece)
            if area.n_cells > LARGEST_AREA:
                raise AuditInputError(
                    f"{name}: a sheet of the workbook spans {area.n_cells:,} cells, more than "
                    f"{LARGEST_AREA:,}. Delete what stands far from the table, or save the table as CSV."
                )


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(member) as part:
        while piece := part.read(_PIECE):
            yield piece


class _Area:
    """The rectangle from the first cell of a sheet to the farthest row and column stated in its XML."""

    def __init__(self) -> None:
        self._rest = b""
        self._n_rows = self._n_columns = 0

    @property
    def n_cells(self) -> int:
        return self._n_rows * self._n_columns

    def add(self, piece: bytes) -> None:
        """Take in the next piece of the XML."""
        text = self._rest + piece
        references = _REFERENCE.findall(text)
        if references:
            columns = {letters for letters, _ in references}
            self._n_columns = max(self._n_columns, *(_column_number(letters) for letters in columns))
            self._n_rows = max(self._n_rows, *(int(row) for row in {row for _, row in references}))
        self._rest = text[-_OVERLAP:]


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number
