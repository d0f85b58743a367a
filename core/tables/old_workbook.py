"""Workbooks of the old kind (.xls): whether they keep to their bounds, and what they hold beside cells.

Their records could state 65,536 columns, where a sheet has 256, and a reader lays out the whole rectangle
up to the farthest cell. The file is an OLE container: in it, one stream of records, and two of the document's
properties.
"""

import codecs
import io
import struct
from collections.abc import Iterator

import pyarrow as pa
from olefile import OleFileIO

from core.tables.beside import (
    EMBEDDED,
    HIDDEN,
    OF_PROGRAMS,
    OF_SHEETS,
    PROPERTIES,
    Beside,
    as_properties,
    beside_of,
    joined,
)
from core.words import input_error, own

_N_COLUMNS = 256
_CELLS = frozenset({0x0006, 0x00D6, 0x00FD, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E})
_CELLS_IN_A_ROW = frozenset({0x00BD, 0x00BE})
_BOUND_SHEET, _END = 0x0085, 0x000A
_OBJECT, _TEXT_OF_OBJECT, _CONTINUED = 0x005D, 0x01B6, 0x003C
_HIDDEN = {0x0208: (12, 0x20), 0x007D: (8, 0x01)}  # rows and columns: where the mark stands
_HEADER_OR_FOOTER = frozenset({0x0014, 0x0015})
_COMMENT = 0x19
_DAMAGED = (struct.error, IndexError, ValueError, OSError)  # the last: a container that is none
_PROPERTIES = {  # streams of properties, and which of them programs write
    "\x05SummaryInformation": frozenset({7, 9, 18}),
    "\x05DocumentSummaryInformation": frozenset({26, 27, 28, 29}),
}
_CODE_PAGES = {1200: "utf-16-le", 10000: "mac_roman", 65001: "utf-8"}
_TEXT, _WIDE_TEXT = 0x1E, 0x1F
_MOST_PROPERTIES, _MOST_LETTERS = 1_000, 1 << 20


def check_old_workbook_bounds(data: pa.Buffer, *, name: str) -> None:
    """Refuse an .xls workbook with cells beyond the last column that such a sheet has."""
    try:
        with OleFileIO(io.BytesIO(data)) as file:
            is_damaged = any(
                column >= _N_COLUMNS for column in _last_columns(_stream(file, "Workbook", "Book"))
            )
    except _DAMAGED:
        is_damaged = True
    if is_damaged:
        raise input_error(
            "{file}: the Excel workbook is damaged. Open it in Excel and save it again, or save it as CSV.",
            file=name,
        ) from None


def _last_columns(stream: bytes) -> Iterator[int]:
    """Yield the last column, from 0, of every record that holds cells, sheet by sheet as a reader goes."""
    begins = {0}
    for kind, content in _records(stream, 0, _END):
        if kind == _BOUND_SHEET:
            begins.add(struct.unpack_from("<I", content)[0])
    for begin in begins:
        for kind, content in _records(stream, begin, _END):
            if kind in _CELLS:
                yield struct.unpack_from("<H", content, 2)[0]
            elif kind in _CELLS_IN_A_ROW:
                yield struct.unpack_from("<H", content, len(content) - 2)[0]


def _records(stream: bytes, begin: int, last: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield kind and content of the records from an offset up to the last of a kind, or up to the padding."""
    while begin + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, begin)
        if not (kind or length):
            return
        begin += 4
        yield kind, stream[begin : begin + length]
        if kind == last:
            return
        begin += length


# --- what it holds beside cells


def beside_old_workbook(data: pa.Buffer) -> tuple[Beside, ...]:
    """Return what stands in an .xls workbook that is no cell, up to where it is damaged."""
    return joined(_beside(data))


def _beside(data: pa.Buffer) -> Iterator[Beside]:
    try:
        file = OleFileIO(io.BytesIO(data))
        for name, of_programs in _PROPERTIES.items():
            document, own = _properties(_stream(file, name), of_programs)
            yield as_properties(beside_of(PROPERTIES, document))
            yield beside_of("the document's own properties", own)
        names = [name for path in file.listdir(storages=True) for name in path]
        if any(name.startswith(("MBD", "_VBA_PROJECT")) for name in names):
            yield Beside(what=EMBEDDED, texts=(), n_texts=1, is_complete=False)
        if any(name.startswith("_SX_DB") for name in names):
            yield Beside(what="the data behind a pivot table", texts=(), n_texts=1, is_complete=False)
        yield from _of_records(_stream(file, "Workbook"))
    except _DAMAGED:
        return


def _of_records(stream: bytes) -> Iterator[Beside]:
    """Yield comments, other texts of objects, headers and footers, and how much is hidden."""
    comments, others, feet = list[str](), list[str](), list[str]()
    n_hidden = n_letters = 0
    texts = others
    for kind, content in _records(stream, 0):
        if kind == _CONTINUED and n_letters:
            texts[-1] += (part := _letters(content, n_letters))
            n_letters -= len(part)
        elif kind == _OBJECT:
            texts = comments if struct.unpack_from("<H", content, 4)[0] == _COMMENT else others
        elif kind == _TEXT_OF_OBJECT:
            n_letters = struct.unpack_from("<H", content, 10)[0]
            texts.append("")
        elif kind in _HEADER_OR_FOOTER and len(content) > 3:
            feet.append(_letters(content[2:], struct.unpack_from("<H", content)[0]))
        elif kind in _HIDDEN:
            place, mark = _HIDDEN[kind]
            n_hidden += bool(struct.unpack_from("<H", content, place)[0] & mark)
    yield beside_of("comments", comments)
    yield beside_of("drawings", others, is_usual=True)
    yield beside_of(own(OF_SHEETS), feet, is_usual=True)
    yield Beside(what=HIDDEN, texts=(), n_texts=n_hidden, is_of_table=True)


def _letters(content: bytes, n_letters: int) -> str:
    """Return up to so many letters; the first byte says whether each is of two bytes."""
    if content[0] & 1:
        return content[1 : 1 + 2 * n_letters].decode("utf-16-le", errors="replace")
    return content[1 : 1 + n_letters].decode("latin-1")


def _properties(stream: bytes, of_programs: frozenset[int]) -> tuple[list[str], list[str]]:
    """Return the texts of the document's properties, and of those that somebody added."""
    found: tuple[list[str], list[str]] = [], []
    if not stream:
        return found
    for part in range(min(struct.unpack_from("<I", stream, 24)[0], 2)):
        begin = struct.unpack_from("<I", stream, 44 + 20 * part)[0]
        for number, value in _texts_of_properties(stream[begin:]):
            if part or (number not in of_programs and not OF_PROGRAMS.fullmatch(value.strip())):
                found[part].append(value)
    return found


def _texts_of_properties(part: bytes) -> Iterator[tuple[int, str]]:
    """Yield number and text of the properties that are texts."""
    n_properties = min(struct.unpack_from("<I", part, 4)[0], _MOST_PROPERTIES)
    places = dict(struct.iter_unpack("<II", part[8 : 8 + 8 * n_properties]))
    page = struct.unpack_from("<H", part, places[1] + 4)[0] if 1 in places else 1252
    for number, place in places.items():
        kind, length = struct.unpack_from("<II", part, place) if number > 1 else (0, 0)
        if kind in (_TEXT, _WIDE_TEXT):
            coding = "utf-16-le" if kind == _WIDE_TEXT else _coding(page)
            content = part[
                place + 8 : place + 8 + min(length, _MOST_LETTERS) * (2 if kind == _WIDE_TEXT else 1)
            ]
            yield number, content.decode(coding, errors="replace").rstrip("\0")


def _coding(page: int) -> str:
    coding = _CODE_PAGES.get(page, f"cp{page}")
    try:
        return codecs.lookup(coding).name
    except LookupError:
        return "latin-1"


def _stream(file: OleFileIO, *names: str) -> bytes:
    """Return the first stream of one of these names, wherever it is stored, empty where there is none."""
    path = next((path for path in file.listdir() if path[-1] in names), None)
    return file.openstream(path).read() if path else b""
