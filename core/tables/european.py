"""Which single-byte encoding of Europe a text is in, judged by where its letters stand in words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import islice

_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
_N_WORDS = 200_000
_VOWELS = frozenset("aeiouyAEIOUY")
_ASCII, _BEYOND_ASCII = bytes(range(0x80)), bytes(range(0x80, 0x100))
_SHARED_WINDOWS = frozenset(range(0x80, 0xA0))

# Letters that are a consonant in CP1250 and a vowel in CP1252, at the same byte: č è, ć æ, ř ø, …
_CONSONANT_OR_VOWEL = frozenset("čćŕďňřČĆŔĎŇŘ")
# Letters of š and ž: the same byte in both, but only Central European words are full of them.
_CARONS = frozenset("šžŠŽ")
_WESTERN_SIGNS = frozenset("çÇ")


def european_encoding(blocks: Iterable[bytes]) -> str:
    """Return ``cp1250``, ``iso8859-2``, ``cp1252`` or ``latin-1``, whichever the words read best in.

    č and è share a byte, and so do many such pairs. A consonant stands beside vowels and a vowel
    between consonants, so that Kovačič and Molière are told apart. What no word decides, such as
    a file whose only letters are ä, ö and ü, is the same text in either: then Western.
    """
    words: Counter[bytes] = Counter()
    used: set[int] = set()
    for block in blocks:
        words.update(islice(_WORD.findall(block), _N_WORDS))
        used.update(block.translate(None, _ASCII) if len(used) < len(_BEYOND_ASCII) else b"")
    central = sum(min(count, 50) * _central_vote(word) for word, count in words.items())
    if _is_iso(words, used):
        return "iso8859-2"
    western = "cp1252" if used & _SHARED_WINDOWS else "latin-1"
    order = ("cp1250", western) if central > 0 else (western, "cp1250")
    return next((codec for codec in order if _decodes(used, codec)), "latin-1")


def _decodes(used: set[int], codec: str) -> bool:
    try:
        bytes(used).decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _is_iso(words: Counter[bytes], used: set[int]) -> bool:
    """Tell whether š and ž stand where ISO 8859-2 has them, inside words, and nowhere else."""
    if used & _SHARED_WINDOWS:
        return False
    n_carons = n_other = 0
    for word, count in words.items():
        text = word.decode("iso8859-2")
        n_carons += count * sum(letter in _CARONS for letter in text) * (len(text) > 1)
        n_other += count * sum(letter in "ąęłżńśźĄĘŁŻŃŚŹ" for letter in text)
    return n_carons > n_other


def _central_vote(word: bytes) -> float:
    """Return how much a word speaks for Central (positive) or Western Europe (negative)."""
    central = word.decode("cp1250", errors="replace")
    western = word.decode("cp1252", errors="replace")
    return sum(
        _letter_vote(central, western, position)
        for position, byte in enumerate(word)
        if byte in _BEYOND_ASCII
    )


def _letter_vote(central: str, western: str, position: int) -> float:
    here, there = central[position], western[position]
    if here == there:
        return 2.0 * (here in _CARONS) - 2.0 * (here in _WESTERN_SIGNS)
    if there in _RAISED and position == len(central) - 1 < _LONGEST_UNIT:
        return -3.0
    if len(central) > 1 and here.isalpha() != there.isalpha():
        return 3.0 if here.isalpha() else -3.0
    if here in _CONSONANT_OR_VOWEL:
        return _consonant_vote(central, position)
    return _PAIRS.get(here, 0.0)


# ² ³ ¹ ª º at the end of a short word are units and ordinals (m², nº), not ą ł ş.
_RAISED, _LONGEST_UNIT = frozenset("²³¹ªº"), 3
# ĺ å, đ ð, ę ê, ě ì, ő õ, ů ù, ű û, ă ã, ń ñ, ţ þ share a byte: which is likelier in a table.
_PAIRS = {
    "ĺ": -1.0,
    "Ĺ": -1.0,
    "đ": 1.0,
    "Đ": 1.0,
    "ę": 0.5,
    "ě": 0.5,
    "ő": 0.5,
    "ů": 0.5,
    "ű": 0.5,
    "ă": -0.5,
    "ń": -0.5,
    "ţ": -0.5,
}


def _consonant_vote(word: str, position: int) -> float:
    """Return a vote for a consonant (positive) or a vowel (negative) at a place of a word."""
    before, after = word[position - 1 : position], word[position + 1 : position + 2]
    if not before:
        return 1.0 if after else -1.0
    if after and _is_vowel(after):
        return 1.0
    if _is_vowel(before):
        return 1.0 if not after or after in "nkjlhNKJLH" else -1.0
    return -1.0 if after else -0.5


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[0] in _VOWELS
