"""Text, tables and archives that mean the same everywhere: no cell is run, no clock is told."""

import io
import json
import math
import re
import shlex
import string
from collections.abc import Mapping, Set
from datetime import date, datetime
from enum import Enum
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
Scalar = None | bool | int | float | str

# Characters that XML 1.0 forbids (and with it XLSX); HTML shows none of them either.
# With them those that turn the direction of all text after them, which a name can do to a sentence.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%)|(?<=[<>]) (?=\d)")
_MISSING = ("NAType", "NaTType")  # pandas' own, which commands without tables do not import
_SHOWN = string.ascii_letters + string.digits + "._-/=:, "
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NO_BYTE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")  # the others stand for bytes of a file's name
_MOST_PARTS = 4_000_000  # of a JSON file; while it is read, no other session is served
_AT_ONCE = 1 << 18  # bytes
BYTE_ORDER_MARK = "\ufeff"  # without it, spreadsheets read UTF-8 as the local code page
_FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"  # full-width: spreadsheets in Korean and Japanese accept them
_FORMULA = "^[=+\\-@\\t\\r\\n＝＋－＠]"
_NUMBER = r"^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$"


def parsed_json(data: bytes | str, **how: Any) -> Any:
    """Return what `json.loads` does; ValueError too of what is nested deeply or holds too many parts."""
    if _n_parts(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data) > _MOST_PARTS:
        raise ValueError
    try:
        return json.loads(data, **how)
    except RecursionError:
        raise ValueError from None


def _n_parts(data: bytes) -> int:
    """Return how many parts a JSON file may hold at most, looking at so many bytes that stay at hand."""
    read = np.frombuffer(data, np.uint8)
    parts = (read[start : start + _AT_ONCE] for start in range(0, len(read), _AT_ONCE))
    return sum(int(np.count_nonzero(part == mark)) for part in parts for mark in b"[{,\\")


def valid_unicode(text: str) -> str:
    """Replace lone surrogates, which no encoding can write, by the replacement character."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def valid_json(value: Any) -> Any:
    """Return what a JSON document holds without lone surrogates, which it can spell and nothing can write."""
    if isinstance(value, str):
        return valid_unicode(value)
    if isinstance(value, dict):
        return {valid_unicode(key): valid_json(one) for key, one in value.items()}
    return [*map(valid_json, value)] if isinstance(value, list) else value


def printable(text: str) -> str:
    """Return the text without control characters (tab and line breaks stay) and lone surrogates."""
    return _FORBIDDEN.sub("", valid_unicode(text))


def shell_word(word: str) -> str:
    r"""Return a word as a shell reads it from what is shown; what cannot be seen in it by its bytes.

    Examples
    --------
    >>> print(shell_word("my table.csv"), shell_word("a" + chr(10) + "b.csv"))
    'my table.csv' $'a\x0ab.csv'
    """
    if word.isprintable():
        return shlex.quote(word)
    data = _NO_BYTE.sub("\N{REPLACEMENT CHARACTER}", word).encode("utf-8", "surrogateescape")
    return "$'" + "".join(chr(n) if chr(n) in _SHOWN else f"\\x{n:02x}" for n in data) + "'"


def unbroken(text: str) -> str:
    """Return the text with a space that no line breaks at between a figure and its sign."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


def starts_like_formula(text: str) -> bool:
    """Tell whether a spreadsheet may run the text: it begins with ``= + - @``, a tab or a line break."""
    return text.startswith(tuple(_FORMULA_STARTS))


def defused(text: str) -> str:
    """Return text with an apostrophe in front where a spreadsheet would run it; numbers are as they are."""
    is_number = re.fullmatch(_NUMBER, text, re.ASCII)
    return f"'{text}" if starts_like_formula(text) and not is_number else text


def holds_formulas(table: pa.Table) -> bool:
    """Return whether any cell of a table of text needs an apostrophe; in one go, for tables that are wide."""
    chunks = [chunk.cast(pa.large_string()) for column in table.columns for chunk in column.chunks]
    return bool(pc.any(_is_risky(pa.chunked_array(chunks, pa.large_string()))).as_py())


def table_csv(table: pa.Table, *, is_harmless: bool = False) -> bytes:
    """Return a table of text as CSV: commas, UTF-8 with :data:`BYTE_ORDER_MARK`, missing cells empty.

    A missing cell is in quotes where its line would be blank.

    Text that a spreadsheet would run as a formula is defused; `is_harmless` says that no cell is such
    a text, which saves looking for one.
    """
    columns = [column.cast(pa.string()) for column in table.columns]
    if len(columns) == 1:
        columns = [pc.fill_null(columns[0], "")]
    if not is_harmless and holds_formulas(table):
        columns = [_defused_column(column) for column in columns]
    written = io.BytesIO()
    written.write(BYTE_ORDER_MARK.encode())
    csv.write_csv(pa.table(columns, names=[defused(name) for name in table.column_names]), written)
    return written.getvalue()


def _is_risky(text: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.and_(
        pc.match_substring_regex(text, _FORMULA), pc.invert(pc.match_substring_regex(text, _NUMBER))
    )


def _defused_column(text: pa.ChunkedArray) -> pa.ChunkedArray:
    risky = pc.fill_null(_is_risky(text), False)
    return pc.if_else(risky, pc.binary_join_element_wise("'", text, ""), text)


def plain_fields(thing: object, *names: str) -> dict[str, Any]:
    """Return attributes by their names, which are their keys in JSON too; a tuple as a list."""
    values = ((name, getattr(thing, name)) for name in names)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def json_value(value: object) -> JsonValue:
    """Turn a value into what JSON can hold.

    Missing values, NaN and infinities become None; enumerations their value; sets sorted lists; dates
    ISO text; anything unknown its text.
    """
    if isinstance(value, Enum):
        return json_value(value.value)
    if isinstance(value, Mapping):
        return {valid_unicode(str(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, Set):
        return [json_value(item) for item in sorted(value, key=str)]
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return scalar(value)


def scalar(value: object) -> Scalar:
    """Turn a cell into None, a truth value, a finite number or text."""
    if isinstance(value, str):
        return valid_unicode(str(value.value if isinstance(value, Enum) else value))
    if value is None or type(value).__name__ in _MISSING:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else None
    return _text_of(value)


def _text_of(value: object) -> Scalar:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Enum):
        return scalar(value.value)
    if isinstance(value, Mapping | Set | list | tuple):
        return json.dumps(json_value(value), ensure_ascii=False)
    return valid_unicode(str(value))


def setting_text(value: object) -> str:
    """Write a setting for people: lists with commas, "none" for nothing, yes and no."""
    plain = json_value(value)
    if plain is None or plain in ([], {}, ""):
        return "none"
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, list):
        return ", ".join(setting_text(item) for item in plain)
    if isinstance(plain, dict):
        return "; ".join(f"{key}: {setting_text(item)}" for key, item in plain.items())
    return str(plain)


_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first moment that the format can express


class ReproducibleZip(ZipFile):
    """A zip archive for writing in which every member carries the same date."""

    def writestr(  # type: ignore[override]
        self, name: str, data: bytes | str, compress_type: int | None = None, compresslevel: int | None = None
    ) -> None:
        """Add a member from memory."""
        member = ZipInfo(name, _EARLIEST)
        member.external_attr = 0o644 << 16
        super().writestr(member, data, compress_type or ZIP_DEFLATED, compresslevel)

    def write(  # type: ignore[override]
        self, filename: str | PathLike[str], arcname: str | None = None
    ) -> None:
        """Add a member from a file, under another name."""
        self.writestr(arcname or Path(filename).name, Path(filename).read_bytes())


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Return files, by name, as one archive."""
    buffer = io.BytesIO()
    with ReproducibleZip(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def masked_shapes(values: pa.Array) -> pa.Array:
    """Return the shape of each value, shown in its stead: dates as ``YYYY-MM-DD``, digits as 9, letters as A.

    >>> masked_shapes(pa.array(["1987-01-21", "Kim 7, 서울", "12.5e3"])).to_pylist()
    ['YYYY-MM-DD', 'AAA 9, AA', '99.9A9']
    """
    shapes = pc.replace_substring_regex(
        values, r"[0-9]{4}([-/.])[0-9]{1,2}[-/.][0-9]{1,2}", "\x00\\1\x01\\1\x02"
    )
    shapes = pc.replace_substring_regex(shapes, r"\p{N}", "9")
    shapes = pc.replace_substring_regex(shapes, r"[\p{L}\p{M}]", "A")
    for mark, part in (("\x00", "YYYY"), ("\x01", "MM"), ("\x02", "DD")):
        shapes = pc.replace_substring(shapes, mark, part)
    return pc.utf8_slice_codeunits(pc.replace_substring_regex(shapes, r"\p{C}", "?"), 0, 40)
