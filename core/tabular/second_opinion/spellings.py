"""Other spellings that a reader recognizes: look-alike letters, escapes, backwards, no vowels, romanized."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.letters import narrowed
from core.tabular.second_opinion.amounts import read_amounts

_ESCAPED = (
    r"\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|&#?[a-zA-Z0-9]{2,8};|(?i)[ (\[{](dot|pika|at|afna|골뱅이|점)[ )\]}]"
)
_ESCAPED_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_OTHER_ALPHABETS = r"[\p{Cyrillic}\p{Greek}]"
_LOOK_ALIKES = str.maketrans(
    "аеорсхуівкмнтѕјһԁԛԝаАВЕКМНОРСТХУІЅЈαοικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcxyibkmhtsjhdqwaABEKMHOPCTXYISJaoiknptuxABEZHIKMNOPTYX",
)
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
    text = _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), text)
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
