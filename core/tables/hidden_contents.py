"""What a workbook or Parquet file holds beside the table that is read: other sheets, comments, metadata.

Only texts are gathered, up to a bound, after the bounds of the file itself were checked; nothing is
interpreted, opened or followed.
"""

import html
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from core.words import own, text

_MOST_LETTERS = 4_000_000  # of all texts of a file together
_PIECE = 1 << 20  # bytes
_PIECES = 64  # of those of a part that are looked at together
_LARGEST_SHEETS = 256 << 20  # bytes of all sheets, beyond which the other ones are only named

_TEXT = re.compile(rb">([^<>]+)<")
# every text, value of an attribute, comment and raw section of a part
_SAID = re.compile(rb""">([^<>]+)<|="([^"<>]+)"|='([^'<>]+)'|<!--(.*?)-->|<!\[CDATA\[(.*?)\]\]>""", re.DOTALL)
_STRING = re.compile(rb"</\w+:si>")
_PLAIN_STRING = re.compile(rb"<(?:\w+:)?t(?: [^<>]*)?>([^<]*)</(?:\w+:)?t>")
_SPOKEN = re.compile(rb"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>", re.DOTALL)
# of a sheet's cells what is no value: formulas, how something is spoken, comments
_NO_VALUE = re.compile(
    rb"<(?:\w+:)?f\b[^<>]*>([^<]+)<|<(?:\w+:)?rPh\b(.*?)</(?:\w+:)?rPh>|<!--(.*?)-->", re.DOTALL
)
_REFERENCE = re.compile(r"""(?<![\w"])\$?[A-Z]{1,3}\$?\d+(?![\w"])""")  # of a formula to cells
_READABLE = re.compile(rb"[\x20-\x7e\x80-\xff]{4,}")
_WIDE = re.compile(rb"(?:[^\x00-\x1f]\x00|[^\x00][\x01-\x9f\xac-\xd7]){3,}")
_END_OF_ARCHIVE, _END_BYTES = b"PK\5\6", 22
_CELLS = re.compile(rb"<(?:\w+:)?sheetData\b")
_END_OF_CELLS = re.compile(rb"</(?:\w+:)?sheetData>")
_HIDDEN = re.compile(rb'<(?:row|col)\s[^>]*?\bhidden="(?:1|true)"')
_PROPERTY = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]+)(?:\s[^>]*)?>([^<>]+)<")
_MANY_LETTERS = 1 << 22  # of one tag, beyond which its beginning is forgotten
HIDDEN, EMBEDDED = "hidden rows or columns", "embedded files or pictures"
PROPERTIES = "the document's properties"
ABOVE = "lines above the table"
OF_SHEETS = "formulas, lists of choices, headers and footers"
_OTHER = "other parts of the workbook"
_MOST_PROPERTIES, _LONGEST_PROPERTY = 8, 80  # such as a program fills in by itself, and their letters
OF_PROGRAMS = re.compile(
    r"openpyxl|xlsxwriter|apache poi|sheetjs|epplus|openxlsx|writexl|pandas|python|libreoffice.*|"
    r"microsoft (?:excel|office).*|unknown( creator)?|windows user|user|admin(?:istrator)?|\W*",
    re.IGNORECASE,
)
_TOLD_BY_NOBODY = frozenset(  # properties that programs write
    {"Application", "AppVersion", "DocSecurity", "ScaleCrop", "created", "modified", "LinksUpToDate"}
    | {"SharedDoc", "HyperlinksChanged", "lpstr", "i", "TotalTime", "revision", "version", "lastPrinted"}
)
_OF_WRITERS = frozenset({"parquet.avro.schema", "writer.model.name", "r", "huggingface"})
_PANDAS_WORDS = frozenset({"columns", "column_indexes", "creator", "pandas_version"})


@dataclass(frozen=True, kw_only=True)
class Beside:
    """One thing that a file holds beside its table."""

    what: str  # in words, such as ``the hidden sheet “key”`` or ``comments``
    # distinct texts found in it, in its order; not all of them where `is_complete` is False
    texts: tuple[str, ...] = field(repr=False)
    n_texts: int  # Texts, those repeated counted again
    is_complete: bool = True  # whether all was looked at
    # whether proper files hold such a thing too, so that it matters only by what it says
    is_usual: bool = False
    # whether it is part of the sheets and so of the table, where it is on the sheet that is read
    is_of_table: bool = False
    sheet: str = ""  # the name of a sheet that was not read


def beside_of(
    what: str, texts: Iterable[str], *, is_usual: bool = False, most: int = _MOST_LETTERS
) -> Beside:
    """Gather distinct texts until they come to so many letters; blank ones are left out."""
    found: dict[str, None] = {}
    n_texts = n_letters = 0
    is_complete = True
    for one in map(str.strip, texts):
        if not one:
            continue
        n_texts += 1
        if one not in found:
            n_letters += len(one)
            if n_letters > most:
                is_complete = False
                break
            found[one] = None
    return Beside(what=what, texts=tuple(found), n_texts=n_texts, is_complete=is_complete, is_usual=is_usual)


def bounded(found: Iterable[Beside]) -> tuple[Beside, ...]:
    """Return the things that are worth a word, all their texts together within the bound."""
    kept: list[Beside] = []
    rest = _MOST_LETTERS
    for one in found:
        short = beside_of(one.what, one.texts, is_usual=one.is_usual, most=rest)
        rest -= sum(map(len, short.texts))
        if one.n_texts or not one.is_complete:
            complete = one.is_complete and short.is_complete
            kept.append(replace(one, texts=short.texts, is_complete=complete))
    return tuple(kept)


# --- Parquet


def beside_parquet(schema: pa.Schema, metadata: Mapping[bytes, bytes] | None) -> tuple[Beside, ...]:
    """Return what the metadata of a Parquet file says beside names and types of its columns."""
    of_file = {key: value for key, value in (metadata or {}).items() if key != b"ARROW:schema"}
    found = [_of_metadata(key, value, schema.names) for key, value in of_file.items()]
    for column in schema:
        own = {key: value for key, value in (column.metadata or {}).items() if key != b"PARQUET:field_id"}
        found += [_of_metadata(key, value, schema.names, column.name) for key, value in own.items()]
    return bounded(found)


def _of_metadata(key: bytes, value: bytes, columns: Sequence[str], column: str = "") -> Beside:
    name, said = key.decode("utf-8", "replace"), value[: _PIECES << 20].decode("utf-8", "replace")
    if name == "pandas":
        what = "what pandas noted in the metadata"
        if column:
            what = "what pandas noted in the metadata of column “{column}”"
        return beside_of(text(what, column=column), _pandas_texts(said, columns))
    what = "metadata “{name}” of column “{column}”" if column else "metadata “{name}”"
    usual = name in _OF_WRITERS or name.startswith("org.apache.spark")
    return beside_of(text(what, name=name, column=column), [said], is_usual=usual)


def _pandas_texts(text: str, columns: Sequence[str]) -> Iterator[str]:
    """Yield the texts of pandas' notes that are no names of columns, types or versions."""
    try:
        noted = json.loads(text)
    except (ValueError, RecursionError):
        yield text
        return
    known = {*columns, "range"}
    if isinstance(noted, dict):
        rest = {key: value for key, value in noted.items() if key not in _PANDAS_WORDS}
        rest["index_columns"] = [
            one for one in rest.get("index_columns") or [] if not isinstance(one, dict) and one not in known
        ]
        yield from _leaves(rest)


def _leaves(value: object) -> Iterator[str]:
    """Yield the texts and numbers of a JSON value, deeper than which no recursion went while reading."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.values(), *(key for key in one if key not in {"attributes", "index_columns"})]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str | int | float) and not isinstance(one, bool):
            yield str(one)


# --- workbooks


def beside_workbook(data: pa.Buffer, shown: Sequence[pa.Array] = ()) -> tuple[Beside, ...]:
    """Return what stands in an .xlsx file and is no cell, wherever; none where it is damaged.

    Parameters
    ----------
    shown
        Texts of cells: of the texts that cells share, those are left out.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [one for member in archive.infolist() for one in _of_part(archive, member, shown)]
            names = [member.filename for member in archive.infolist()]
            around = beside_of(own("bytes around the archive"), _around(archive, data))
            return joined([*parts, beside_of(own(_OTHER), names, is_usual=True), around])
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError):
        return ()


def _around(archive: zipfile.ZipFile, data: pa.Buffer) -> Iterator[str]:
    """Yield what stands before and after the parts of an archive, and its comments."""
    for comment in (archive.comment, *(member.comment for member in archive.infolist())):
        yield comment.decode("utf-8", "replace")
    first = min((member.header_offset for member in archive.infolist()), default=0)
    end = data.slice(max(0, data.size - (_PIECES << 20))).to_pybytes()
    after = end[end.rfind(_END_OF_ARCHIVE) + _END_BYTES + len(archive.comment) :]
    for some in (data.slice(0, min(first, _PIECES << 20)).to_pybytes(), after):
        yield from _strings(some)


def joined(found: Iterable[Beside]) -> tuple[Beside, ...]:
    """Return things of one kind as one."""
    parts: dict[str, list[Beside]] = {}
    for one in found:
        parts.setdefault(one.what, []).append(one)
    return tuple(
        Beside(
            what=what,
            texts=tuple(text for one in alike for text in one.texts),
            n_texts=sum(one.n_texts for one in alike),
            is_complete=all(one.is_complete for one in alike),
            is_usual=all(one.is_usual for one in alike),
            is_of_table=alike[0].is_of_table,
        )
        for what, alike in parts.items()
    )


def sheets_are_small(data: pa.Buffer) -> bool:
    """Whether the sheets of an .xlsx file together are small enough to read all of them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = [part.file_size for part in archive.infolist() if part.filename.startswith("xl/worksheets/")]
    return sum(sizes) <= _LARGEST_SHEETS


def _of_part(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, shown: Sequence[pa.Array]
) -> Iterator[Beside]:
    """Yield what a part of the archive says."""
    name = member.filename
    if member.is_dir():
        return
    if name.startswith(("xl/embeddings/", "xl/vbaProject", "xl/media/", "xl/activeX/")):
        yield Beside(what=EMBEDDED, texts=(), n_texts=1, is_complete=False)
    if name == "xl/sharedStrings.xml":
        yield beside_of(own("texts that no cell shows"), _unused(archive, member, shown), is_usual=True)
        return
    if name.startswith("xl/worksheets/sheet"):
        yield from _of_sheet(archive, member)
        return
    known = (part for beginning, part in _PARTS.items() if name.startswith(beginning))
    what, texts_of, is_usual = next(known, (own(_OTHER), _everything, True))
    found = beside_of(what, texts_of(_next(_pieces(archive, member))), is_usual=is_usual)
    yield found if what != PROPERTIES else as_properties(found)


def _of_sheet(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[Beside]:
    """Yield what a sheet says that is no value of a cell, and how much of it is hidden."""
    n_hidden, rest, said = 0, b"", dict[str, None]()
    is_within, parts = False, _pieces(archive, member)  # whether the cells have begun
    for piece in parts:
        rest += piece
        if not is_within and (begin := _CELLS.search(rest)):
            is_within, head = True, rest[: begin.start()]
            n_hidden += len(_HIDDEN.findall(head))
            said.update(dict.fromkeys(_everything(head + b">")))
            rest = rest[begin.start() :]
        if not is_within:
            continue
        end = _END_OF_CELLS.search(rest)
        seen = end.start() if end else max(_last_row(rest), len(rest) - _MANY_LETTERS, 0)
        n_hidden += len(_HIDDEN.findall(rest, 0, seen))
        said.update((_REFERENCE.sub(" ", one), None) for one in _matches(_NO_VALUE, rest[:seen]))
        rest = rest[seen:] + (_next(parts) if end else b"")
    yield beside_of(own(OF_SHEETS), chain(said, _everything(rest)), is_usual=True)
    yield Beside(what=HIDDEN, texts=(), n_texts=n_hidden, is_of_table=True)


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a part of an archive, unpacked a mebibyte at a time."""
    with archive.open(member) as part:
        while piece := part.read(_PIECE):
            yield piece


def _last_row(xml: bytes) -> int:
    """Return where the last row of some cells begins, or the last element where none does."""
    row = xml.rfind(b"<row")
    return row if row > 0 else xml.rfind(b"<")


def _unused(archive: zipfile.ZipFile, member: zipfile.ZipInfo, shown: Sequence[pa.Array]) -> Iterator[str]:
    """Yield the texts kept for cells that no cell shows, and how cells are spoken."""
    rest, parts = b"", _pieces(archive, member)
    while block := _next(parts):
        rest += block
        *strings, rest = rest.split(b"</si>") if b"</si>" in rest else _STRING.split(rest)
        spoken = [text for one in strings if b"rPh" in one for text in _SPOKEN.findall(one)]
        written = [_SPOKEN.sub(b"", one) if b"rPh" in one else one for one in strings]
        texts = pa.array([_plain(b"".join(_PLAIN_STRING.findall(one))) for one in written], pa.string())
        for cells in shown:
            texts = texts.filter(pc.invert(pc.is_in(texts, value_set=cells.cast(texts.type))))
        yield from texts.to_pylist()
        yield from (text for one in spoken for text in _everything(one))
    yield from _everything(rest)


def _next(parts: Iterator[bytes]) -> bytes:
    """Return as much of a part as is read at once."""
    return b"".join(islice(parts, _PIECES))


def _everything(part: bytes) -> Iterator[str]:
    """Yield every text and value of an XML part; of another one what can be read."""
    if part.startswith((b"\xff\xfe<", b"\xfe\xff\x00<")):
        part = part.decode("utf-16", "replace").encode()
    return _matches(_SAID, part) if part.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<") else _strings(part)


def _strings(part: bytes) -> Iterator[str]:
    for match in _READABLE.finditer(part):
        yield match[0].decode("utf-8", "replace")
    for match in _WIDE.finditer(part):
        yield match[0].decode("utf-16-le", "replace")


def _matches(pattern: re.Pattern[bytes], xml: bytes) -> Iterator[str]:
    for match in pattern.finditer(xml):
        yield _plain(next((group for group in match.groups() if group), b""))


def _all_matches(pattern: re.Pattern[bytes]) -> Callable[[bytes], Iterator[str]]:
    return lambda xml: _matches(pattern, xml)


def _plain(text: bytes) -> str:
    return html.unescape(text.decode("utf-8", "replace"))


def as_properties(found: Beside) -> Beside:
    """Mark a few short properties as usual: who wrote a workbook, its title and institution."""
    are_few = found.n_texts <= _MOST_PROPERTIES and all(len(one) <= _LONGEST_PROPERTY for one in found.texts)
    return replace(found, is_usual=are_few)


def _properties(xml: bytes) -> Iterator[str]:
    """Yield what a person may have written among the properties."""
    for match in _PROPERTY.finditer(xml):
        text = _plain(match[2])
        if match[1].decode() not in _TOLD_BY_NOBODY and not OF_PROGRAMS.fullmatch(text.strip()):
            yield text


_PARTS: Mapping[str, tuple[str, Callable[[bytes], Iterable[str]], bool]] = MappingProxyType(
    {
        "docProps/core": (PROPERTIES, _properties, False),
        "docProps/app": (PROPERTIES, _properties, False),
        "docProps/custom": ("the document's own properties", _everything, False),
        "xl/comments": (own("comments"), _all_matches(_TEXT), False),
        "xl/threadedComments": (own("comments"), _all_matches(_TEXT), False),
        "xl/pivotCache": ("the data behind a pivot table", _everything, False),
        "xl/externalLinks": ("values of other workbooks", _everything, False),
        "xl/drawings/drawing": (own("drawings"), _everything, True),
        "xl/charts/chart": (own("charts"), _everything, True),
        "customXml/item": ("custom XML", _everything, True),
        "xl/worksheets/_rels": (own("links"), _everything, True),
        "xl/workbook.xml": ("names of values", _everything, True),
    }
)
