"""Text from files is data: shown as typed, never as Markdown."""

import hashlib
import re
import string

from core.files.plain_text import printable, unbroken
from core.words import Text, Written, counted, text

_WORD_JOINER = "\u2060"
_AUTOLINK = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)|(?<=[<>=-])(?=[<>=-])", re.IGNORECASE)
_LONG = re.compile(r"[^\s`]{101,}")
_ESCAPES = str.maketrans({mark: f"\\{mark}" for mark in string.punctuation})


def plain(words: str) -> str:
    """Return Markdown that shows `words` as it is, on one line; of a word of over 100 letters both ends.

    Backslashes stop formulas, colours, images, links and icons; an invisible word joiner stops what Streamlit
    1.67 links or replaces in spite of a backslash (``://``, ``www.``, ``@``, ``->``).
    """
    joined = _AUTOLINK.sub(_WORD_JOINER, _on_one_line(words))
    return joined.translate(_ESCAPES)


def sentence(words: str) -> str:
    """Return Markdown for a sentence of ours in which column names stand between backticks."""
    parts = re.split(r"`([^`]+)`", _on_one_line(words))
    return "".join(f"`{part}`" if position % 2 else plain(part) for position, part in enumerate(parts))


def _on_one_line(words: str) -> str:
    shown = unbroken(printable(re.sub(r"\s+", " ", words)))
    return _LONG.sub(lambda long: f"{long[0][:60]}…{long[0][-30:]}", shown)


def short_digest(words: str) -> str:
    """Return eight letters that stand for words: in names of files and widgets, others have others."""
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def size(n_bytes: int) -> Text:
    """Return a file size in the unit people read it in, 1 MB being 1,000,000 bytes."""
    if n_bytes < 1000:
        return counted(n_bytes, "byte")
    amount, unit = n_bytes / 1000, "kB"
    for larger in ("MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return text("{amount} {unit}", amount=Written(f"{float(f'{amount:.3g}'):,.15g}"), unit=unit)


def duration(seconds: float) -> Text:
    """Return a duration in words short enough for a progress line."""
    if seconds < 1:
        return text("less than a second")
    if seconds < 90:
        return text("{seconds} s", seconds=round(seconds))
    return text("{minutes} min", minutes=round(seconds / 60))
