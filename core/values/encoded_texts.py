"""Encodings undone: what a text says in Base64, hexadecimal, percent signs and the like."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from urllib.parse import unquote

_DEEPEST = 3  # encodings upon each other
_MOST_TEXTS = 40  # that one text is read as
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{4,}={0,2}")
_BASE32 = re.compile(r"[A-Za-z2-7]{4,}={0,6}")
_BASE85 = re.compile(r"[!-~]{5,}")
_HEX = re.compile(r"(?:0x)?(?:[0-9a-fA-F]{2}[ :-]?){2,}")
_BITS = re.compile(r"[01]{8}(?:[ ,;.-]*[01]{8})+")
_NUMBERS = re.compile(r"\d{2,5}(?:[ ,;.-]+\d{2,5})+")
# Letters of Latin and Korean: bytes that are no text seldom read as these.
_READABLE = re.compile(r"[ -~\u00a0-\u024f\u0300-\u036f\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]+")

_DIGITS = (
    "zero one two three four five six seven eight nine",
    "oh ena dva tri štiri pet šest sedem osem devet",
    "nil en dve trije stiri pet sest sedem osem devet",
    "nought eno dva tri štirje pet šest sedem osem devet",
    "nič 일 이 삼 사 오 육 칠 팔 구",
    "nula 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉",
    "공 일 이 삼 사 오 륙 칠 팔 구",
    "영 일 이 삼 사 오 육 칠 팔 구",
)
_SPOKEN_SIGNS = {".": "point dot comma pika vejica 점", "-": "dash minus hyphen", "+": "plus"}
_WORDS: Mapping[str, str] = MappingProxyType(
    {word: str(digit) for line in _DIGITS for digit, word in enumerate(line.split())}
    | {word: sign for sign, words in _SPOKEN_SIGNS.items() for word in words.split()}
)
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_SPOKEN = re.compile(rf"(?:(?:{_WORD})[\W_]*){{4,}}", re.IGNORECASE)


def _as_text(data: bytes) -> str:
    """Return bytes as the text that they are in a usual encoding, empty where they are none."""
    for encoding in ("utf-8", "utf-16", "utf-16-le", "cp949"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _READABLE.fullmatch(text):
            return text
    return ""


def _of_base64(text: str) -> str:
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    return _as_text(base64.b64decode(bare + "=" * (-len(bare) % 4)))


def _of_base32(text: str) -> str:
    bare = text.rstrip("=").upper()
    return _as_text(base64.b32decode(bare + "=" * (-len(bare) % 8)))


def _of_base85(text: str) -> str:
    for decode in (base64.b85decode, base64.a85decode):
        with suppress(ValueError):
            decoded_text = decode(text).decode()
            if _READABLE.fullmatch(decoded_text):
                return decoded_text
    return ""


def _of_hexadecimal(text: str) -> str:
    return _as_text(bytes.fromhex(re.sub("[ :-]", "", text.removeprefix("0x"))))


def _of_bits(text: str) -> str:
    bits = re.sub("[^01]", "", text)
    return _as_text(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))


def _of_numbers(text: str) -> str:
    letters = "".join(chr(int(number)) for number in re.findall(r"\d+", text))
    return letters if _READABLE.fullmatch(letters) else ""


def _of_words(text: str) -> str:
    return "".join(_WORDS[word] for word in re.findall(_WORD, text.casefold()))


_DECODERS: tuple[tuple[str, Callable[[str], object], Callable[[str], str]], ...] = (
    ("in Base64", _BASE64.fullmatch, _of_base64),
    ("in Base32", _BASE32.fullmatch, _of_base32),
    ("in Base85", _BASE85.fullmatch, _of_base85),
    ("in hexadecimal", _HEX.fullmatch, _of_hexadecimal),
    ("in bits", _BITS.fullmatch, _of_bits),
    ("as numbers of letters", _NUMBERS.fullmatch, _of_numbers),
    ("with its digits in words", _SPOKEN.fullmatch, _of_words),
    ("with percent signs", re.compile("%[0-9a-fA-F]{2}").search, unquote),
    ("with names of letters", re.compile("&#?[a-zA-Z0-9]+;").search, html.unescape),
)


def decoded(text: str) -> Mapping[str, str]:
    """Return the texts that a text may encode, and how in words, completing "the original …".

    Up to three encodings upon each other are undone. Backwards and in ROT13 any text can be read: alone, they
    are left to others.

    >>> decoded("zero four one nine")
    mappingproxy({'0419': 'with its digits in words', '9140': 'backwards, with its digits in words'})
    """
    found: dict[str, str] = {}
    seen = {text}
    newest: list[tuple[str, tuple[str, ...], bool]] = [(text, (), False)]
    for _ in range(_DEEPEST):
        made: list[tuple[str, tuple[str, ...], bool]] = []
        for one, ways, is_encoded in newest:
            for text_made, way, decodes in _one_step(one):
                if text_made and text_made not in seen and len(seen) < _MOST_TEXTS:
                    seen.add(text_made)
                    made.append((text_made, (way, *ways), is_encoded or decodes))
        found |= {one: ", ".join(ways) for one, ways, is_encoded in made if is_encoded}
        newest = made
    return MappingProxyType(found)


def _one_step(text: str) -> list[tuple[str, str, bool]]:
    """Return what a text is with one encoding undone, which, and whether not any text could be read so."""
    steps = [(text[::-1], "backwards", False), (codecs.encode(text, "rot13"), "in ROT13", False)]
    for how, fits, decode in _DECODERS:
        if fits(text):
            try:
                steps.append((decode(text), how, True))
            except (ValueError, binascii.Error, OverflowError):
                continue
    return steps
