"""How a text can be written otherwise, so that a person or a program reads the original in it all the same.

`WAYS` lists the ways to write a single value: as a whole cell, or as a plain form inside other texts.
`respelled` and `dates_respelled` write names and dates as words are compared.
"""

import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.comparing.numbers import read_amounts
from core.dates import read_dates
from core.letters import narrowed

_SIGNS = re.compile(r"[\W_]+")
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_LOOK_ALIKES = str.maketrans(
    "аеорсхуівкмнтѕјһԁԛԝаАВЕКМНОРСТХУІЅЈαοικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcxyibkmhtsjhdqwaABEKMHOPCTXYISJaoikvptuxABEZHIKMNOPTYX",
)
_ESCAPED_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_KEYS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "22233344455566677778889999")
_SOUNDS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "01230120022455012623010202")
_SYLLABLES_ALONE = re.compile("[가-힣]+")
_TYPED = """
r r s e e f a q q t t d w w c z x v g
k o i o j p u p h hk ho hl y n nj np nl b m ml l
_ r r rt s sw sg e f fr fa fq ft fx fv fg a q qt t t d w c z x v g
"""
_TYPED_FIRST, _TYPED_VOWEL, _TYPED_LAST = (
    line.replace("_", "").split(" ") for line in _TYPED.strip().splitlines()
)
_FEWEST_DIGITS, _FEWEST_LETTERS, _FEWEST_SYLLABLES = 5, 4, 3  # that a form needs to be told from others


# --- one value


def bare(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def plain(text: str) -> str:
    r"""Return a text as letters and digits alone: lower case, no accents, look-alikes in Latin.

    >>> plain("Ana\u200b Kovačič"), plain("ANА-012"), plain("（０３１）")
    ('anakovacic', 'ana012', '031')
    """
    if text.isascii():
        return _SIGNS.sub("", text.lower())
    decomposed = unicodedata.normalize("NFKD", text.casefold()).translate(_LOOK_ALIKES)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if c.isalnum()))


def without_escapes(text: str) -> str:
    """Return text with letters escaped as in JSON as they are."""
    return _ESCAPED_LETTER.sub(lambda found: chr(int(found[1], 16)), text)


def _in_base(cell: str, base: int) -> str:
    if not (cell.isascii() and cell.isdigit()) or len(cell) > 30:
        return ""
    number, digits = int(cell), ""
    while number:
        number, digit = divmod(number, base)
        digits = _ALPHABET[digit] + digits
    return digits


def _address_as_number(text: str) -> str:
    parts = text.strip().split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        return ""
    return str(sum(int(part) << shift for part, shift in zip(parts, (24, 16, 8, 0), strict=True)))


def _other_order(text: str) -> str:
    words = [plain(word) for word in _SIGNS.split(text)]
    return "".join(reversed(words)) if len(words) > 1 else ""


def _digits(text: str) -> str:
    bare = "".join(c for c in text if c.isdecimal())
    return bare if bare != plain(text) else ""


def _consonants(text: str) -> str:
    bare = plain(text)
    return re.sub("[aeiouy]", "", bare) if bare.isascii() and bare.isalpha() else ""


def _sorted_letters(text: str) -> str:
    bare = plain(text)
    return "".join(sorted(bare)) if bare.isalpha() else ""


def _keys_of_telephone(text: str) -> str:
    bare = plain(text)
    return bare.translate(_KEYS) if bare.isascii() and bare.isalpha() else ""


def _sounds(text: str, step: int = 1) -> str:
    """Return the Soundex codes of a name's words (Odell and Russell), the last first where `step` is -1."""
    words = [plain(word) for word in _SIGNS.split(text)][::step]
    return "".join(_soundex(word) for word in words if word.isascii() and word.isalpha())


def _soundex(word: str) -> str:
    codes = word.translate(_SOUNDS)
    kept = "".join(code for code, last in zip(codes, " " + codes, strict=False) if code != last)
    kept = kept[1:] if kept[:1] == codes[:1] else kept
    return (word[:1] + kept.replace("0", "") + "000")[:4]


def _first_consonants(text: str) -> str:
    """Return the first consonant of each syllable of Hangul, in plain form."""
    bare = plain(text)
    return (
        "".join(chr(0x1100 + (ord(c) - 0xAC00) // 588) for c in bare)
        if _SYLLABLES_ALONE.fullmatch(bare)
        else ""
    )


def _as_typed(text: str) -> str:
    """Return the letters of an English keyboard on the keys on which Hangul is typed."""
    bare = plain(text)
    if not _SYLLABLES_ALONE.fullmatch(bare):
        return ""
    places = [divmod(ord(c) - 0xAC00, 588) for c in bare]
    return "".join(
        _TYPED_FIRST[first] + _TYPED_VOWEL[rest // 28] + _TYPED_LAST[rest % 28] for first, rest in places
    )


def _in_other_case(value: str) -> tuple[str, ...]:
    decomposed = unicodedata.normalize("NFKD", value)
    plain_text = "".join(character for character in decomposed if character.isalnum())
    return (
        *(value.lower(), value.upper(), value.title()),
        *(plain_text, plain_text.lower(), plain_text.upper()),
    )


def _nothing(_: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to write a value."""

    how: str  # in words, completing "the original …"
    cells: Callable[[str], tuple[str, ...]] = _nothing  # the texts of whole cells that hold the value so
    inside: Callable[[str], str] | None = None  # its plain form inside other plain texts; "" for none

    def cells_of(self, value: str) -> frozenset[str]:
        """Return the texts that a cell may have that holds the value, the value itself not among them."""
        return frozenset(self.cells(value)) - {value}


WAYS = (
    Way(how="in ROT13", cells=lambda value: (codecs.encode(value, "rot13"),)),
    Way(how="in plain form", inside=plain),
    Way(
        how="written backwards",
        cells=lambda value: (value[::-1], bare(value)[::-1]),
        inside=lambda value: plain(value)[::-1],
    ),
    Way(how="in other letter case or without spaces and signs", cells=_in_other_case),
    Way(how="with its words in other order", inside=_other_order),
    Way(how="by its digits", inside=_digits),
    Way(how="by its digits, backwards", inside=lambda text: _digits(text)[::-1]),
    Way(how="by its consonants", inside=_consonants),
    Way(how="by its letters in the order of the alphabet", inside=_sorted_letters),
    Way(how="by every second letter", inside=lambda text: plain(text[::2])),
    Way(how="by the keys of a telephone", inside=_keys_of_telephone),
    Way(how="by its sounds (Soundex)", inside=_sounds),
    Way(how="by its sounds (Soundex)", inside=lambda text: _sounds(text, -1)),
    Way(how="by the first consonants of its syllables", inside=_first_consonants),
    Way(how="as typed on an English keyboard", inside=_as_typed),
    Way(how="as one number", inside=_address_as_number),
    Way(how="in hexadecimal digits", inside=lambda text: _in_base(text.strip(), 16)),
    Way(how="in digits of base 32", inside=lambda text: _in_base(text.strip(), 32)),
    Way(how="in digits of base 36", inside=lambda text: _in_base(text.strip(), 36)),
)
WAYS_OF_CELLS = tuple(way for way in WAYS if way.cells is not _nothing)
_DATE_FORMS = ("%y%m%d", "%d%m%y", "%m%d%y", "%Y%m%d", "%d%m%Y", "%m%d%Y")


def _is_long_enough(form: str) -> bool:
    if form.isdecimal():
        return len(form) >= _FEWEST_DIGITS
    return len(form) >= (_FEWEST_LETTERS if form.isascii() else _FEWEST_SYLLABLES)


def plain_forms(values: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each form and the forms of all values, "" for none or too short a one."""
    for way in WAYS:
        if way.inside is not None:
            forms = map(way.inside, values)
            yield way.how, [form if _is_long_enough(form) else "" for form in forms]
    dates = read_dates(pa.array(values, pa.string()))
    whole = (dates.day > 0) & dates.century_known
    if whole.mean() >= 0.5:
        for pattern in _DATE_FORMS:
            yield (
                "as digits of a date",
                [
                    _dated(pattern, *day) if known else ""
                    for known, *day in zip(whole, dates.year, dates.month, dates.day, strict=True)
                ],
            )


def _dated(pattern: str, year: int, month: int, day: int) -> str:
    parts = {"%Y": f"{year:04d}", "%y": f"{year % 100:02d}", "%m": f"{month:02d}", "%d": f"{day:02d}"}
    return "".join(parts[pattern[i : i + 2]] for i in range(0, len(pattern), 2))


# --- names and dates as words

_ESCAPED = (
    r"\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|&#?[a-zA-Z0-9]{2,8};|(?i)[ (\[{](dot|pika|at|afna|골뱅이|점)[ )\]}]"
)
_OTHER_ALPHABETS = r"[\p{Cyrillic}\p{Greek}]"
_DIGITS_FOR_LETTERS = (("a", "4"), ("e", "3"), ("i", "1"), ("o", "0"), ("s", "5"), ("t", "7"))
_FEWEST_CONSONANTS = 3
_WORD_FOR_SIGN = re.compile(r"[ (\[{]{1,4}(dot|pika|at|afna|골뱅이|점)[ )\]}]{1,4}", re.IGNORECASE)

_JAMO = """
g kk n d tt r m b pp s ss _ j jj ch k t p h
a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i
_ k k k n n n t l k m l l l p l m p p t t ng t t k t p t
"""
_INITIALS, _VOWELS, _FINALS = (line.split() for line in _JAMO.strip().splitlines())
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
    text = without_escapes(text)
    text = "".join(c if not 0xD800 <= ord(c) < 0xE000 else "?" for c in text)
    return _WORD_FOR_SIGN.sub(" ", html.unescape(unquote(text)))


def respelled(texts: pa.Array) -> Iterator[pa.Array]:
    """Yield names, lower case and without accents, in other spellings; empty where nothing changes."""
    for other in _respelled(texts):
        yield pc.if_else(pc.equal(other, texts), "", other)


def _respelled(texts: pa.Array) -> Iterator[pa.Array]:
    yield pc.utf8_reverse(texts)
    consonants = pc.replace_substring_regex(texts, "[aeiou]", "")
    n_letters = pc.utf8_length(pc.replace_substring_regex(consonants, narrowed(r"[^\p{L}]+", consonants), ""))
    yield pc.if_else(pc.greater_equal(n_letters, _FEWEST_CONSONANTS), consonants, "")
    with_digits = texts
    for n, (letter, digit) in enumerate(_DIGITS_FOR_LETTERS):
        with_digits = pc.replace_substring(with_digits, letter, digit)
        if n in {3, 5}:
            yield with_digits
    if pc.any(pc.match_substring_regex(texts, "[가-힣]{2}"), min_count=0).as_py():
        names = texts.to_pylist()
        for between in (" ", ""):
            for spell in (_revised, _as_spelled, _surname_as_spelled):
                yield pa.array([_romanized(name, spell, between) for name in names], texts.type)


def _romanized(name: str, spell: Callable[[str, int], str], between: str) -> str:
    """Return a Korean name in Latin letters, the surname apart; empty for other names."""
    name = name.replace(" ", "")
    if not re.fullmatch("[가-힣]{2,5}", name):
        return ""
    surname, *given = (spell(syllable, place) for place, syllable in enumerate(name))
    return f"{surname} {between.join(given)}"


def _revised(syllable: str, place: int = 0) -> str:  # noqa: ARG001 - as every way of spelling
    code = ord(syllable) - 0xAC00
    letters = (_INITIALS[code // 588], _VOWELS[code % 588 // 28], _FINALS[code % 28])
    return "".join(letter for letter in letters if letter != "_")


def _as_spelled(syllable: str, place: int = 0) -> str:  # noqa: ARG001 - as every way of spelling
    return _AS_SPELLED.get(syllable, _revised(syllable))


def _surname_as_spelled(syllable: str, place: int) -> str:
    return _revised(syllable) if place else _as_spelled(syllable)


def dates_respelled(values: pa.Array) -> Iterator[pa.Array]:
    """Yield dates in the usual orders of year, month and day, as words and as numbers; no other texts."""
    amounts = read_amounts(values)
    if amounts is None or amounts.kind != "date":
        return
    known = ~np.isnan(amounts.numbers)
    days = np.where(known, amounts.numbers, 0).astype(int).astype("datetime64[D]")
    text = pa.array(days).cast(pa.string())
    year, month, day = (pc.utf8_slice_codeunits(text, *ends) for ends in ((0, 4), (5, 7), (8, 10)))
    short = pc.utf8_slice_codeunits(year, 2)
    eight_digits = ((year, month, day, ""), (day, month, year, ""))
    short_years = ((short, month, day, ""), (day, month, short, ""), (month, day, short, ""))
    for parts in ((year, month, day, " "), *eight_digits, (month, day, year, ""), *short_years):
        written = pc.if_else(pa.array(known), pc.binary_join_element_wise(*parts), "")
        yield written
        if parts in eight_digits:
            yield pc.utf8_reverse(written)
    without_zeros = (*(pc.utf8_ltrim(part, "0") for part in (day, month)), year, " ")
    yield pc.if_else(pa.array(known), pc.binary_join_element_wise(*without_zeros), "")
