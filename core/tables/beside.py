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
from types import MappingProxyType

import pyarrow as pa

from core.words import own, text

_MOST_LETTERS = 4_000_000  # of all texts of a file together
_LARGEST_PART = 64 << 20
_LARGEST_SHEETS = 256 << 20  # bytes of all sheets, beyond which the other ones are only named

_TEXT = re.compile(rb">([^<>]+)<")
_VALUE = re.compile(rb'\sv="([^"]+)"')
_LINK = re.compile(rb'Target="([^"]+)"[^>]*TargetMode="External"|TargetMode="External"[^>]*Target="([^"]+)"')
_DEFINED = re.compile(rb"<definedName\s[^>]*>([^<]+)<")
_CONSTANT = re.compile(rb'<formula[12]>("[^<]+"|&quot;[^<]+)<')
_FOOT = re.compile(rb"<(?:odd|even|first)(?:Header|Footer)>([^<]+)<")
_PROPERTY = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]+)(?:\s[^>]*)?>([^<>]+)<")
_END_OF_CELLS = b"</sheetData>"
_HIDDEN = re.compile(rb'<(?:row|col)\s[^>]*?\bhidden="(?:1|true)"')
_MANY_LETTERS = 1 << 22  # of one tag, beyond which its beginning is forgotten
HIDDEN, EMBEDDED = "hidden rows or columns", "embedded files or pictures"
PROPERTIES = "the document's properties"
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
    name, said = key.decode("utf-8", "replace"), value[:_LARGEST_PART].decode("utf-8", "replace")
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


def beside_workbook(data: pa.Buffer) -> tuple[Beside, ...]:
    """Return what stands in the parts of an .xlsx file that are no cells; none where it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return joined(one for member in archive.infolist() for one in _of_part(archive, member))
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError):
        return ()


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


def _of_part(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[Beside]:
    """Yield what a part of the archive says."""
    name = member.filename
    if name.startswith(("xl/embeddings/", "xl/vbaProject", "xl/media/", "xl/activeX/")):
        yield Beside(what=EMBEDDED, texts=(), n_texts=1, is_complete=False)
    for beginning, (what, texts_of, is_usual) in _PARTS.items():
        if name.startswith(beginning) and not member.is_dir():
            xml, n_hidden = _read(archive, member, is_sheet=beginning == "xl/worksheets/sheet")
            found = beside_of(what, texts_of(xml), is_usual=is_usual)
            yield found if what != PROPERTIES else as_properties(found)
            yield Beside(what=HIDDEN, texts=(), n_texts=n_hidden, is_of_table=True)
            return


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, *, is_sheet: bool) -> tuple[bytes, int]:
    """Return a part up to a bound; of a sheet what follows its cells, and how much of them is hidden."""
    n_hidden, rest = 0, b""
    with archive.open(member) as part:
        if not is_sheet:
            return part.read(_LARGEST_PART), 0
        while piece := part.read(1 << 20):
            rest += piece
            end = rest.find(_END_OF_CELLS)
            seen = end if end >= 0 else max(rest.rfind(b"<"), len(rest) - _MANY_LETTERS, 0)
            n_hidden += len(_HIDDEN.findall(rest[:seen]))
            if end >= 0:
                return rest[end:] + part.read(_LARGEST_PART), n_hidden
            rest = rest[seen:]
    return b"", n_hidden


def _all_matches(pattern: re.Pattern[bytes]) -> Callable[[bytes], Iterator[str]]:
    def texts(xml: bytes) -> Iterator[str]:
        for match in pattern.finditer(xml):
            yield _plain(next(group for group in match.groups() if group))

    return texts


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


def _custom_properties(xml: bytes) -> Iterator[str]:
    return (_plain(text) for text in _TEXT.findall(xml))


def _after_cells(xml: bytes) -> Iterator[str]:
    for pattern in (_CONSTANT, _FOOT):
        yield from _all_matches(pattern)(xml)


_PARTS: Mapping[str, tuple[str, Callable[[bytes], Iterable[str]], bool]] = MappingProxyType(
    {
        "docProps/core": (PROPERTIES, _properties, False),
        "docProps/app": (PROPERTIES, _properties, False),
        "docProps/custom": ("the document's own properties", _custom_properties, False),
        "xl/comments": (own("comments"), _all_matches(_TEXT), False),
        "xl/threadedComments": (own("comments"), _all_matches(_TEXT), False),
        "xl/pivotCache": ("the data behind a pivot table", _all_matches(_VALUE), False),
        "xl/externalLinks": ("values of other workbooks", _all_matches(_TEXT), False),
        "xl/drawings/drawing": (own("drawings"), _all_matches(_TEXT), True),
        "xl/charts/chart": (own("charts"), _all_matches(_TEXT), True),
        "customXml/item": ("custom XML", _all_matches(_TEXT), True),
        "xl/worksheets/_rels": (own("links"), _all_matches(_LINK), True),
        "xl/worksheets/sheet": ("lists of choices, headers and footers", _after_cells, True),
        "xl/workbook.xml": ("names of values", _all_matches(_DEFINED), True),
    }
)
