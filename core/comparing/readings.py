"""Readings: how a value can be written otherwise, so that whoever knows it finds it all the same.

`READINGS` is the one table of them, and a new one is a line of it; `keys_of` writes the values of a column in
all. Encodings that say themselves what they are, such as Base64, are undone by :mod:`core.values.encoded_texts`.
"""

import codecs
import html
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.values.dates import read_dates
from core.values.letters import narrowed
from core.words import text

_SIGNS = re.compile(r"[\W_]+")
_NO_WORD = r"[^\p{L}\p{N}]+"
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_LOOK_ALIKES = str.maketrans(
    "аеорсхуівкмнтѕјһԁԛԝаАВЕКМНОРСТХУІЅЈαοικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcxyibkmhtsjhdqwaABEKMHOPCTXYISJaoikvptuxABEZHIKMNOPTYX",
)
_OTHER_ALPHABETS = r"[\p{Cyrillic}\p{Greek}]"
_ESCAPED_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED = (
    r"\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|&#?[a-zA-Z0-9]{2,8};|(?i)[ (\[{](dot|pika|at|afna|골뱅이|점)[ )\]}]"
)
_WORD_FOR_SIGN = re.compile(r"[ (\[{]{1,4}(dot|pika|at|afna|골뱅이|점)[ )\]}]{1,4}", re.IGNORECASE)
_FEWEST_DIGITS, _FEWEST_LETTERS, _FEWEST_SYLLABLES = 5, 4, 3  # that a key needs to be told from others

# --- a text, as people read it


def plain(text: str) -> str:
    r"""Return a text as letters and digits alone: lower case, no accents, look-alikes in Latin.

    >>> plain("Ana\u200b Kovačič"), plain("ANА-012"), plain("（０３１）")
    ('anakovacic', 'ana012', '031')
    """
    if text.isascii():
        return _SIGNS.sub("", text.lower())
    decomposed = unicodedata.normalize("NFKD", text.casefold()).translate(_LOOK_ALIKES)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if c.isalnum()))


def legible(values: pa.Array) -> pa.Array:
    """Return texts with escapes and words for signs resolved, and letters that look Latin as Latin ones."""
    values = _where(values, _ESCAPED, _unescaped)
    if pc.all(pc.string_is_ascii(values), min_count=0).as_py():
        return values
    return _where(values, _OTHER_ALPHABETS, lambda text: text.translate(_LOOK_ALIKES))


def _where(values: pa.Array, pattern: str, change: Callable[[str], str]) -> pa.Array:
    found = np.flatnonzero(pc.match_substring_regex(values, pattern).to_numpy(zero_copy_only=False))
    if not len(found):
        return values
    texts = values.to_pylist()
    for i in found:
        texts[i] = change(texts[i])
    return pa.array(texts, values.type)


def _unescaped(text: str) -> str:
    text = _ESCAPED_LETTER.sub(lambda found: chr(int(found[1], 16)), text)
    text = "".join(c if not 0xD800 <= ord(c) < 0xE000 else "?" for c in text)
    return _WORD_FOR_SIGN.sub(" ", html.unescape(unquote(text)))


def folded_texts(values: pa.Array) -> pa.Array:
    """Return texts as words are compared: lower case, without accents, letters apart from digits."""
    texts = pc.utf8_lower(legible(values))
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        texts = pc.replace_substring_regex(pc.utf8_normalize(texts, "NFKD"), r"[\p{Mn}\p{Cf}]+", "")
        texts = pc.utf8_normalize(texts, "NFKC")
    return apart(texts)


def apart(texts: pa.Array) -> pa.Array:
    """Return texts with a blank between a letter and a digit."""
    texts = pc.replace_substring_regex(texts, narrowed(r"([\p{L}])([\p{N}])", texts), r"\1 \2")
    return pc.replace_substring_regex(texts, narrowed(r"([\p{N}])([\p{L}])", texts), r"\1 \2")


def together(texts: pa.Array) -> pa.Array:
    """Return folded texts without signs and spaces."""
    return pc.replace_substring_regex(texts, narrowed(_NO_WORD, texts), "")


# --- keys


def _in_base(text: str, base: int) -> str:
    text = text.strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 30:
        return ""
    number, digits = int(text), ""
    while number:
        number, digit = divmod(number, base)
        digits = _ALPHABET[digit] + digits
    return digits


def _address_as_number(text: str) -> str:
    parts = text.strip().split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        return ""
    return str(sum(int(part) << shift for part, shift in zip(parts, (24, 16, 8, 0), strict=True)))


def _other_order(words: str) -> str:
    return " ".join(reversed(words.split())) if " " in words else ""


def _digits(words: str) -> str:
    digits = "".join(c for c in words if c.isdecimal())
    return digits if digits != words else ""


def _letters(words: str, *, but: str) -> str:
    letters = words.replace(" ", "")
    return re.sub(f"[{but}]", "", words) if letters.isascii() and letters.isalpha() else ""


def _sorted_letters(words: str) -> str:
    letters = words.replace(" ", "")
    return "".join(sorted(letters)) if letters.isalpha() else ""


_KEYS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "22233344455566677778889999")


def _keys_of_telephone(words: str) -> str:
    letters = words.replace(" ", "")
    return letters.translate(_KEYS) if letters.isascii() and letters.isalpha() else ""


_SOUNDS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "01230120022455012623010202")


def _sounds(words: str, step: int = 1) -> str:
    """Return the Soundex codes of a name's words (Odell and Russell), the last first where `step` is -1."""
    return "".join(_soundex(word) for word in words.split()[::step] if word.isascii() and word.isalpha())


def _soundex(word: str) -> str:
    codes = word.translate(_SOUNDS)
    kept = "".join(code for code, last in zip(codes, " " + codes, strict=False) if code != last)
    kept = kept[1:] if kept[:1] == codes[:1] else kept
    return (word[:1] + kept.replace("0", "") + "000")[:4]


_DIGITS_FOR_LETTERS = str.maketrans("aeiost", "431057"), str.maketrans("aeio", "4310")
_SYLLABLES_ALONE = re.compile("[가-힣]+")
_TYPED = """
r r s e e f a q q t t d w w c z x v g
k o i o j p u p h hk ho hl y n nj np nl b m ml l
_ r r rt s sw sg e f fr fa fq ft fx fv fg a q qt t t d w c z x v g
"""
_ROMANIZED = """
g kk n d tt r m b pp s ss _ j jj ch k t p h
a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i
_ k k k n n n t l k m l l l p l m p p t t ng t t k t p t
"""
_Letters = tuple[list[str], ...]
_ON_KEYS, _IN_LATIN = (
    tuple(line.replace("_", "").split(" ") for line in table.strip().splitlines())
    for table in (_TYPED, _ROMANIZED)
)


def _places(syllable: str) -> tuple[int, int, int]:
    """Return which first consonant, vowel and last consonant a syllable of Hangul has."""
    first, rest = divmod(ord(syllable) - 0xAC00, 588)
    return first, rest // 28, rest % 28


def _spelled(syllable: str, letters: _Letters = _IN_LATIN) -> str:
    return "".join(part[place] for part, place in zip(letters, _places(syllable), strict=True))


def _first_consonants(text: str) -> str:
    """Return the first consonant of each syllable of Hangul, in plain form."""
    bare = plain(text)
    return "".join(chr(0x1100 + _places(c)[0]) for c in bare) if _SYLLABLES_ALONE.fullmatch(bare) else ""


def _as_typed(text: str) -> str:
    """Return the letters of an English keyboard on the keys on which Hangul is typed."""
    bare = plain(text)
    return "".join(_spelled(c, _ON_KEYS) for c in bare) if _SYLLABLES_ALONE.fullmatch(bare) else ""


# How people spell syllables of their names, where it is not the revised romanization.
_SYLLABLES = """
김 kim 이 lee 박 park 최 choi 정 jung 강 kang 조 cho 윤 yoon 임 lim 오 oh 서 seo
신 shin 권 kwon 황 hwang 안 ahn 유 yoo 류 ryu 전 jeon 고 ko 문 moon 양 yang 손 son
배 bae 백 baek 허 huh 노 noh 구 koo 우 woo 주 joo 현 hyun 영 young 준 joon 희 hee
수 soo 선 sun 경 kyung 성 sung 훈 hoon 은 eun 원 won 숙 sook 순 soon 철 chul
석 seok 용 yong 명 myung 범 beom 승 seung 연 yeon 여 yeo 규 kyu 균 kyun 기 ki
길 gil 국 kook 건 gun
"""
_AS_SPELLED = MappingProxyType(dict(zip(*[iter(_SYLLABLES.split())] * 2, strict=True)))


def _with_digits(digits: Mapping[int, int], _: str, words: str) -> str:
    return words.translate(digits)


def _romanized(between: str, customary: slice, _: str, words: str) -> str:
    """Return a Korean name in Latin letters, the surname apart; "" for other names.

    Parameters
    ----------
    customary
        Which of its syllables are spelled as people do; the others in the revised romanization.
    """
    name = words.replace(" ", "")
    if not re.fullmatch("[가-힣]{2,5}", name):
        return ""
    as_people_do = range(len(name))[customary]
    surname, *given = (
        _AS_SPELLED.get(c, _spelled(c)) if place in as_people_do else _spelled(c)
        for place, c in enumerate(name)
    )
    return f"{surname} {between.join(given)}"


def _first_letters(words: str) -> str:
    names = [word for word in words.split() if word.isalpha()]
    return "".join(word[0] for word in names) if len(names) > 1 else ""


def _end(first: int, last: int | None, value: str, _: str) -> str:
    return plain(value)[first:last]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A way to write a value so that it can be recognized.

    `key` takes the value and its words, in small letters without accents and apart by a blank; it returns the
    letters and digits that are looked for, "" for none.
    """

    how: str  # in words, completing "the original …"
    key: Callable[[str, str], str]
    code: str = ""  # what a sceptic runs in Python: an expression in the text ``v``
    turns_back: bool = False  # whether anybody turns all of its values back
    in_texts: bool = False  # whether names are looked for so among the words of running texts too
    # where a key is looked for: inside cells, as a whole cell, or inside those of its own row, however short
    place: Literal["inside", "whole", "rows"] = "inside"


PLAIN, FIRST_LETTERS, _SPELLED = "in plain form", "by the first letters of its words", "in another spelling"
BACKWARDS = "written backwards"
_ENDS = range(4, 12)
READINGS = (
    Reading(how=PLAIN, key=lambda v, _: v, turns_back=True),
    Reading(how="in ROT13", key=lambda v, _: codecs.encode(v, "rot13"), turns_back=True,
            code='codecs.encode(v, "rot13")'),
    Reading(how="in ROT13", key=lambda _, w: codecs.encode(w, "rot13"), turns_back=True),
    Reading(how=BACKWARDS, key=lambda _, w: w[::-1], turns_back=True, in_texts=True,
            code="v[::-1]"),
    Reading(how="with its words in other order", key=lambda _, w: _other_order(w)),
    Reading(how="by its digits", key=lambda _, w: _digits(w), code=r're.sub(r"\D", "", v)'),
    Reading(how="by its digits, backwards", key=lambda _, w: _digits(w)[::-1]),
    Reading(how="by its consonants", key=lambda _, w: _letters(w, but="aeiou"), in_texts=True),
    Reading(how="by its consonants", key=lambda _, w: _letters(w, but="aeiouy")),
    Reading(how="by its letters in the order of the alphabet", key=lambda _, w: _sorted_letters(w)),
    Reading(how="by every second letter", key=lambda v, _: v[::2]),
    Reading(how="by the keys of a telephone", key=lambda _, w: _keys_of_telephone(w)),
    Reading(how="by its sounds (Soundex)", key=lambda _, w: _sounds(w)),
    Reading(how="by its sounds (Soundex)", key=lambda _, w: _sounds(w, -1)),
    Reading(how="by the first consonants of its syllables", key=lambda v, _: _first_consonants(v)),
    Reading(how="as typed on an English keyboard", key=lambda v, _: _as_typed(v), turns_back=True),
    Reading(how="as one number", key=lambda v, _: _address_as_number(v), turns_back=True),
    Reading(how="in hexadecimal digits", key=lambda v, _: _in_base(v, 16), turns_back=True),
    Reading(how="in digits of base 32", key=lambda v, _: _in_base(v, 32), turns_back=True),
    Reading(how="in digits of base 36", key=lambda v, _: _in_base(v, 36), turns_back=True),
    *(Reading(how=_SPELLED, key=partial(_with_digits, digits), in_texts=True)
      for digits in _DIGITS_FOR_LETTERS),
    *(Reading(how=_SPELLED, key=partial(_romanized, between, customary), in_texts=True)
      for between in (" ", "") for customary in (slice(0), slice(5), slice(1))),
    Reading(how=FIRST_LETTERS, key=lambda _, w: _first_letters(w), place="rows"),
    Reading(how=FIRST_LETTERS, key=lambda _, w: _first_letters(w)[::-1], place="rows"),
    *(Reading(how=text("by its last {characters} characters", characters=n), key=partial(_end, -n, None),
              place="whole") for n in _ENDS),
    *(Reading(how=text("by its first {characters} characters", characters=n), key=partial(_end, 0, n),
              place="whole") for n in _ENDS),
)  # fmt: skip
TURNED_BACK = tuple(reading for reading in READINGS if reading.turns_back)

_AS_DATE = Reading(how="as digits of a date", key=lambda v, _: v)
# year, short year, month and day, and month and day without zeros (n, e)
_DATES, _BACKWARDS = ("ymd", "dmy", "mdy", "smd", "dms", "mds", "y-m-d", "e-n-y"), ("ymd", "dmy")


def dated(values: Sequence[str]) -> Iterator[list[str]]:
    """Yield dates in the usual orders of year, month and day, as digits; nothing where most are none."""
    dates = read_dates(pa.array(values, pa.string()))
    whole = (dates.day > 0) & dates.century_known
    if not len(values) or whole.mean() < 0.5:
        return
    days = [
        (f"{y:04d}", f"{m:02d}", f"{d:02d}")
        for y, m, d in zip(dates.year, dates.month, dates.day, strict=True)
    ]
    parts = dict(zip("ymd", zip(*days, strict=True), strict=True)) | {"-": (" ",) * len(values)}
    parts |= {"s": tuple(year[2:] for year in parts["y"])}
    parts |= {short: tuple(each.lstrip("0") for each in parts[long]) for short, long in ("nm", "ed")}
    for order in _DATES:
        joined = map("".join, zip(*(parts[part] for part in order), strict=True))
        texts = [text if is_whole else "" for text, is_whole in zip(joined, whole, strict=True)]
        yield texts
        if order in _BACKWARDS:
            yield [each[::-1] for each in texts]


def written(values: Sequence[str], readings: Sequence[Reading]) -> Iterator[tuple[Reading, list[str]]]:
    """Yield readings, and the keys of all values: letters and digits alone.

    "" stands for none, and for a key that the plain value is as well.
    """
    words = words_apart(pa.array(values, pa.string()))
    bare = [plain(value) for value in values]
    for reading in readings:
        keys = [*map(plain, map(reading.key, values, words))]
        other = [key if key != own else "" for key, own in zip(keys, bare, strict=True)]
        yield reading, keys if reading.how == PLAIN else other


def keys_of(values: Sequence[str]) -> Iterator[tuple[Reading, list[str]]]:
    """Yield all readings, of dates too, with "" for keys that are too short to be looked for inside cells."""
    as_dates = ((_AS_DATE, [*map(plain, days)]) for days in dated(values))
    for reading, keys in itertools.chain(written(values, READINGS), as_dates):
        inside = reading.place == "inside"
        yield reading, [key if not inside or _is_long_enough(key) else "" for key in keys]


def respelled(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield names, given as words, as they are written otherwise in texts; "" where nothing changes."""
    for reading in READINGS:
        if reading.in_texts:
            keys = map(reading.key, words, words)
            yield [key if key != own else "" for key, own in zip(keys, words, strict=True)]


def _is_long_enough(key: str) -> bool:
    if key.isdecimal():
        return len(key) >= _FEWEST_DIGITS
    return len(key) >= (_FEWEST_LETTERS if key.isascii() else _FEWEST_SYLLABLES)


def words_apart(values: pa.Array) -> list[str]:
    """Return the words of each text, in small letters without accents, with one blank between."""
    texts = folded_texts(values)
    words = pc.replace_substring_regex(texts, narrowed(_NO_WORD, texts), " ")
    written: list[str] = pc.utf8_trim(words, " ").to_pylist()
    return written
