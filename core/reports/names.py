"""Names of sheets, of files in an archive, and of the downloaded file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime

from core.reports.content import in_utc
from core.reports.plain import printable

_LONGEST_SHEET_NAME = 31
_LONGEST_FILE_NAME = 60
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\\t\r\n]")
_NOT_IN_FILE_NAMES = re.compile(r"[^\w\-]+")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")
_RESERVED_SHEET = "history"  # Excel refuses it


def sheet_names(names: Iterable[str], *, taken: Iterable[str] = ()) -> list[str]:
    """Return names that Excel accepts for sheets: at most 31 characters, distinct whatever the case."""
    used = {name.casefold() for name in taken} | {_RESERVED_SHEET}
    chosen = []
    for name in names:
        plain = _NOT_IN_SHEET_NAMES.sub(" ", printable(name)).strip(" '") or "Table"
        chosen.append(_distinct(plain, used, longest=_LONGEST_SHEET_NAME))
    return chosen


def distinct_names(names: Iterable[str], *, taken: Iterable[str] = ()) -> list[str]:
    """Return names that every file system accepts, distinct whatever the case."""
    used = {name.casefold() for name in taken}
    return [_distinct(file_stem(name), used, longest=_LONGEST_FILE_NAME) for name in names]


def file_stem(text: str) -> str:
    """Return letters, digits, ``_`` and ``-`` of a text, for a file name without extension."""
    plain = unicodedata.normalize("NFC", printable(text))
    stem = _NOT_IN_FILE_NAMES.sub("_", plain).strip("_-") or "table"
    return f"{stem}_" if _DEVICES.fullmatch(stem) else stem


def report_stem(tool: str, created_at: datetime, digest: str) -> str:
    """Return ``anonaudit_<tool>_<UTC time>_<digest>``: another result always has another name.

    The verdict is left out on purpose: a file name outlives what it was true of.
    """
    return f"anonaudit_{file_stem(tool)}_{in_utc(created_at):%Y%m%dT%H%M%SZ}_{digest[:8]}"


def _distinct(name: str, used: set[str], *, longest: int) -> str:
    """Shorten a name, number it if it is used already, and remember it."""
    number, candidate = 1, _shortened(name, longest)
    while candidate.casefold() in used:
        number += 1
        suffix = f"_{number}"
        candidate = _shortened(name, longest - len(suffix)) + suffix
    used.add(candidate.casefold())
    return candidate


def _shortened(name: str, longest: int) -> str:
    """Cut a name to a length counted as Excel counts, in UTF-16 units."""
    while len(name.encode("utf-16-le")) // 2 > longest:
        name = name[:-1]
    return name.rstrip(" '") or "_"
