"""How a table is read: what may be said of it, where what is found by itself is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from core.errors import refuse
from core.words import own, text

ModelName = Literal["none", "gliner", "presidio"]  # that looks for names in free text
MISSING_SPELLINGS = ("NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")

DELIMITERS: Mapping[str, str] = MappingProxyType(
    {
        ",": own("comma"),
        ";": own("semicolon"),
        "\t": own("tab"),
        "|": "vertical bar",
        ":": own("colon"),
        "^": own("caret"),
        "~": own("tilde"),
        " ": own("space"),
    }
)
"""Delimiters to offer, with their names; any other single ASCII character is accepted as well."""

ENCODINGS: Mapping[str, str] = MappingProxyType(
    {
        "utf-8": "UTF-8",
        "utf-8-sig": "UTF-8 with byte order mark",
        "utf-16-le": "UTF-16 little-endian",
        "utf-16-be": "UTF-16 big-endian",
        "cp949": "CP949 / EUC-KR (Korean)",
        "cp932": "CP932 / Shift_JIS (Japanese)",
        "euc_jp": "EUC-JP (Japanese)",
        "iso2022_jp": "ISO 2022-JP (Japanese)",
        "gb18030": "GB18030 / GBK (Chinese)",
        "cp950": "CP950 / Big5 (Chinese)",
        "cp1250": "CP1250 (Windows, Central European)",
        "iso8859-2": "ISO 8859-2 (Central European)",
        "cp1252": "CP1252 (Windows, Western European)",
        "latin-1": "Latin-1 (Western European)",
    }
)
"""Encodings to offer, with their names; any other text codec of Python is accepted as well."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "auto": "Detect",
        "first_line": "The first line holds the column names",
        "second_line": "The second line holds the column names",
        "none": "There are no column names; every line is a record",
    }
)
"""Ways to find the column names; a number such as "4" means the fourth line that is not blank."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a table; None means "detect it and say what was assumed"."""

    delimiter: str | None = None  # one ASCII character, for text files; see :data:`DELIMITERS`
    encoding: str | None = None  # A Python codec name, for text files; see :data:`ENCODINGS`
    sheet: str | None = None  # A sheet's name, for Excel files
    # ``auto``, ``first_line`` (the first line holds the names), ``second_line`` (the first line is an
    # exporter's; the line below it holds the names), ``none``, or the number of the line that holds the
    # names, counted without blank lines; see :data:`HEADERS`
    header: str = "auto"
    # Cells that, trimmed, equal one of these are missing. Empty cells always are.
    missing_spellings: tuple[str, ...] = MISSING_SPELLINGS


def check_options(options: ReadOptions) -> None:
    """Refuse reading options that no file can be read with."""
    refuse(
        problem
        for problem in (
            _delimiter_problem(options.delimiter),
            _encoding_problem(options.encoding),
            _header_problem(options.header),
        )
        if problem
    )


def _delimiter_problem(delimiter: str | None) -> str | None:
    if delimiter is None or (len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0'):
        return None
    return text(
        "delimiter must be one ASCII character other than a quotation mark or a line break, received "
        "{given}.",
        given=repr(delimiter),
    )


def _encoding_problem(encoding: str | None) -> str | None:
    if encoding is None:
        return None
    try:
        "a".encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        return text(
            "encoding must be a text codec such as {codecs}, received {given}.",
            codecs=", ".join(ENCODINGS),
            given=repr(encoding),
        )
    return None


def _header_problem(header: str) -> str | None:
    if header in HEADERS or (header.isascii() and header.isdigit() and 0 < len(header.lstrip("0")) < 10):
        return None
    return text(
        "header must be one of {known} or a line number from 1, received {given}.",
        known=", ".join(HEADERS),
        given=repr(header),
    )
