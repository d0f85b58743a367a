"""Letters that texts hold: accents taken off, and regular expressions over them.

The classes of all letters and digits take more than a millisecond to prepare, each time: far longer than to
search a short column. Nearly all columns hold only ASCII, or Hangul besides.
"""

import unicodedata

import pyarrow as pa
import pyarrow.compute as pc

_SHORT = 20_000  # texts, from which searching takes longer than getting ready
_HANGUL_AND_ASCII = "^[\x01-\x7f가-힣]*$"


def without_accents(text: str) -> str:
    """Return a text in small letters, decomposed, without accents."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def without_marks(text: str) -> str:
    """Return a text without the signs that Devanagari, Thai and others set on letters, and without joiners.

    Accents that a letter holds stay: ``é``.
    """
    if text.isascii():
        return text
    return "".join(letter for letter in text if unicodedata.category(letter) not in _MARKS)


_MARKS = frozenset(("Mn", "Mc", "Me", "Cf"))


def narrowed(regex: str, texts: pa.Array) -> str:
    r"""Return a regex that finds the same in these texts, and is ready sooner.

    ``\p{L}`` and ``\p{N}`` stand in brackets in it. The regex itself is returned where the texts hold other
    letters than those of ASCII and, if few, Hangul.

    >>> narrowed(r"[^\p{L}\p{N}]+", pa.array(["R2-D2"]))
    '[^a-zA-Z0-9]+'
    """
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        letters = "a-zA-Z"
    elif len(texts) <= _SHORT and pc.all(pc.match_substring_regex(texts, _HANGUL_AND_ASCII)).as_py():
        letters = "a-zA-Z가-힣"
    else:
        return regex
    return regex.replace(r"\p{L}", letters).replace(r"\p{N}", "0-9")
