"""Names of people in texts: English, Slovenian and Japanese by lists, titles and kinship, Korean by form.

A text is read as its words, each distinct word looked at once; which words stand beside each other decides.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, IntArray
from core.people import names as people
from core.people.names import GIVEN_NAMES_LIKE_PLACES, KOREAN_SURNAMES, WORDS_THAT_ARE_NO_NAMES
from core.values.cells import text_and_offsets
from core.values.letters import without_accents


class _Is(IntFlag):
    """What a word is."""

    GIVEN = 1
    SURNAME = 2
    CAPITAL = 4
    INITIAL = 8
    TITLE = 16
    RELATIVE = 32
    ALSO_A_WORD = 64  # a listed name that is a word too
    EPONYM = 128  # stands beside names that are no person's
    ENDS = 256  # a sentence or a part of one ends with it
    COMMA = 512
    NUMBER = 1024
    UPPER = 2048
    LOWER = 4096
    COMMON = 8192  # begins with a capital here, and with none elsewhere in the column
    KOREAN = 16384  # surname and given name
    HONORED = 32768  # with what only people are called by
    HONORIFIC = 65536
    BEFORE_KOREAN = 131072
    KOREAN_SURNAME = 262144
    KOREAN_GIVEN = 524288
    PARTICLE = 1048576  # of a surname, such as ``van``
    KOREAN_CALLED = 2097152  # a surname with what only people are called by


_ENDS, _COMMA, _NUMBER, _HONORIFIC = map(
    int, (_Is.ENDS, _Is.COMMA, _Is.NUMBER, _Is.HONORIFIC)
)  # flags take long to join
_GIVEN = people.ENGLISH_GIVEN_NAMES | people.SLOVENIAN_GIVEN_NAMES
_SURNAMES = people.ENGLISH_SURNAMES | people.SLOVENIAN_SURNAMES
_BETWEEN = r"[\s/:=()\[\]{}\"„“”»«<>|]+"
_EDGES = ".,;!?'’‘*-_#…"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.-?){1,3}")
_SOUTH_SLAVIC = re.compile("i[čć]$|I[ČĆ]$")
_WORD_IN_CODE = r"\p{L}{3}|[가-힣]{2}"
_MOST_WORDED = 0.1  # share of the distinct values with a word, up to which a column is of codes
_HANGUL = re.compile(r"[가-힣]+")
_HAN = r"\p{Han}"
_JAPANESE = (
    rf"(?:^|[^\p{{Han}}])(?:{'|'.join(sorted(people.JAPANESE_SURNAMES))})[ 　]?"
    rf"(?:[^\P{{Han}}{people.NO_JAPANESE_NAMES}](?:[{people.ENDS_OF_JAPANESE_NAMES}]|\p{{Han}}[郎子]))"
    r"(?:[様氏君殿]|[^\p{Han}]|$)"
)
# Slovenian cases: an ending, and what stands instead of it in the first case.
_ENDINGS = (
    *((ending, "") for ending in ("ja", "ju", "jem", "a", "u", "om", "em", "ov", "ova", "ovo", "ovi", "s")),
    *((ending, "a") for ending in ("e", "i", "o")),
)
_HONORIFICS = people.KOREAN_HONORIFICS | {
    honorific + particle for honorific in people.KOREAN_HONORIFICS for particle in people.KOREAN_PARTICLES
}
_TO_PEOPLE = frozenset(["께서", "에게", "한테"])  # particles that only living beings have
_TITLES_AFTER_SURNAMES = frozenset(["선생", "교수", "과장", "원장", "간호사"])
_ALSO_THIS_OR_FORMER = frozenset("이한전그원주")  # surnames that stand before such titles as words
_AGE = re.compile(r"\d{1,3}세")
_PARTICLES_OF_SURNAMES = frozenset(["van", "von", "de", "der", "den", "del", "la", "di", "da", "el", "al"])
_DOUBLE_SURNAMES = frozenset(surname for surname in KOREAN_SURNAMES if len(surname) > 1)
_FEW_SURNAMES = 2  # different ones with initials, from which other words after initials are surnames too
_FEW_CAPITALS = 0.5  # share of words with a capital, up to which one says something
_RARE, _RARE_SHARE = 3, 0.05  # texts, or their share, up to which a Korean word in place of a name is one
_MANY, _MANY_SHARE = 10, 0.05  # rare words in the form of names, from which they are names
_DISTINCT_PAIRS = 0.5  # share of pairs of words that differ, from which they can be names


class FoundNames(NamedTuple):
    """Which texts name people: shape (n_texts,) each."""

    surely: BoolArray
    perhaps: BoolArray  # a listed name alone, or two words with a capital


def find_names(texts: pa.Array) -> FoundNames:
    """Look for people's names in texts without nulls; see the module.

    Digits make no name, so that texts which differ in digits alone are read once.
    """
    encoded = pc.dictionary_encode(_digits_as_zeros(texts))
    of_text = encoded.indices.to_numpy(zero_copy_only=False)
    words = _words_of(encoded.dictionary, np.bincount(of_text, minlength=len(encoded.dictionary)))
    surely, perhaps = words.latin()
    korean, korean_perhaps = words.korean()
    found = words.in_texts(surely | korean)
    if pc.any(pc.match_substring_regex(encoded.dictionary, _HAN)).as_py():
        found |= pc.match_substring_regex(encoded.dictionary, _JAPANESE).to_numpy(zero_copy_only=False)
    maybe = words.in_texts(perhaps | korean_perhaps) & ~found
    return FoundNames(surely=found[of_text], perhaps=maybe[of_text])


def _digits_as_zeros(texts: pa.Array) -> pa.Array:
    """Return the texts with every digit of ASCII as 0."""
    text, offsets = text_and_offsets(texts)
    zeros = np.where((text >= ord("1")) & (text <= ord("9")), np.uint8(ord("0")), text)
    return pa.Array.from_buffers(texts.type, len(texts), [None, pa.py_buffer(offsets), pa.py_buffer(zeros)])


def _words_of(texts: pa.Array, times: IntArray) -> "_Words":
    """Return the words of distinct texts, each there so many times: shape (n_texts,)."""
    lists = pc.split_pattern_regex(texts, _BETWEEN)
    encoded = pc.dictionary_encode(lists.flatten())
    distinct = encoded.dictionary.to_pylist()
    lower = frozenset(_folded(word) for word in distinct if word[:1].islower())
    read = [_read(word, lower) for word in distinct]
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    names = {name: code for code, name in enumerate(dict.fromkeys(name for _, name in read if name))}
    return _Words(
        bits=np.array([bits for bits, _ in read], dtype=np.int64)[codes],
        words=codes.astype(np.int64),
        names=np.array([names.get(name, -1) for _, name in read], dtype=np.int64)[codes],
        text=pc.list_parent_indices(lists).to_numpy(zero_copy_only=False).astype(np.int64),
        times=times,
    )


def _read(word: str, lower: Collection[str]) -> tuple[int, str]:
    """Return what a word is, and the Korean name in it, if any."""
    bare = word.strip(_EDGES)
    bits = 0
    if _INITIALS.fullmatch(word):
        return int(_Is.INITIAL | _Is.ENDS), ""
    if word.endswith((".", ";", "!", "?")):
        bits |= _ENDS
    if word.endswith(","):
        bits |= _COMMA
    if word[:1].isdigit():
        return bits | _NUMBER | (_HONORIFIC if _AGE.match(word) else 0), ""
    if hangul := _HANGUL.match(bare):
        found, name = _korean_word(hangul[0])
        return int(bits | found), name
    if not _WORD.fullmatch(bare):
        return bits, ""
    return int(bits | _latin_word(bare, lower, is_dotted=word.endswith("."))), ""


def _latin_word(bare: str, lower: Collection[str], *, is_dotted: bool) -> _Is:
    plain = _folded(bare)
    bits = _Is.CAPITAL if bare[0].isupper() and len(bare) > 1 else _Is.LOWER if bare[0].islower() else _Is(0)
    tests = (
        (_Is.GIVEN, _is_listed(plain, _GIVEN)),
        (
            _Is.SURNAME,
            _is_listed(plain, _SURNAMES)
            or bool(re.search(r"[^\W\d_]{3}i[čć](?:a|u|em|eva|evo)?$", bare.lower())),
        ),
        (_Is.INITIAL, len(bare) == 1 and bare.isupper()),
        (_Is.TITLE, plain in people.TITLES or (is_dotted and plain in people.TITLES_WITH_A_DOT)),
        (_Is.RELATIVE, plain in people.RELATIVES),
        (_Is.ALSO_A_WORD, plain in people.NAMES_THAT_ARE_WORDS),
        (_Is.EPONYM, plain in people.BESIDE_EPONYMS),
        (_Is.UPPER, len(bare) > 1 and bare.isupper()),
        (_Is.PARTICLE, bare in _PARTICLES_OF_SURNAMES),
        (_Is.COMMON, bare[0].isupper() and plain in lower),
    )
    for bit, holds in tests:
        bits |= bit if holds else _Is(0)
    return bits


def _folded(word: str) -> str:
    return without_accents(word.strip(_EDGES))


def _is_listed(plain: str, names: Collection[str]) -> bool:
    """Whether a word is a listed name, in a double name or in one of the Slovenian cases."""
    first = re.split("['’-]", plain)[0]
    if plain in names or (len(first) > 2 and first in names):
        return True
    return any(
        len(plain) - len(ending) > 2
        and plain.endswith(ending)
        and plain[: -len(ending)] + first_case in names
        for ending, first_case in _ENDINGS
    )


def _korean_word(run: str) -> tuple[_Is, str]:
    bits = _Is(0)
    if run in _HONORIFICS:
        bits |= _Is.HONORIFIC
    if run in _HONORIFICS and run.startswith("씨"):
        bits |= _Is.TITLE
    if run in people.KOREAN_BEFORE_NAMES:
        bits |= _Is.BEFORE_KOREAN
    if run in KOREAN_SURNAMES:
        bits |= _Is.KOREAN_SURNAME
    if len(run) == 2 and {*run} <= people.GIVEN_SYLLABLES:
        bits |= _Is.KOREAN_GIVEN
    surname = run[:2] if run[:2] in _DOUBLE_SURNAMES else run[:1]
    called = run[len(surname) :]
    if surname in KOREAN_SURNAMES and called in _HONORIFICS and _calls(surname, called):
        bits |= _Is.KOREAN_CALLED
    name, rest = run[: len(surname) + 2], run[len(surname) + 2 :]
    given = name[len(surname) :]
    is_name = (
        surname in KOREAN_SURNAMES
        and len(given) == 2
        and {*given} <= people.GIVEN_SYLLABLES
        and name not in WORDS_THAT_ARE_NO_NAMES
        and (given[-1] not in people.ADMINISTRATIVE_ENDINGS or given in GIVEN_NAMES_LIKE_PLACES)
    )
    if not is_name or not (not rest or rest in people.KOREAN_PARTICLES or rest in _HONORIFICS):
        return bits, ""
    honored = (rest in _HONORIFICS and rest not in {"양", "군"}) or rest in _TO_PEOPLE
    return bits | _Is.KOREAN | (_Is.HONORED if honored else _Is(0)), name


def _calls(surname: str, called: str) -> bool:
    """Whether what stands after a surname calls somebody by it."""
    if called.startswith("씨"):
        return True
    return called.startswith(tuple(_TITLES_AFTER_SURNAMES)) and surname not in _ALSO_THIS_OR_FORMER


@dataclass(frozen=True, kw_only=True, eq=False)
class _Words:
    """The words of texts, one after the other; shape (n_words,) each."""

    bits: IntArray  # what each is
    words: IntArray  # a number for each written form
    names: IntArray  # the Korean name that it may hold, -1 for none
    text: IntArray  # the text it is of, in rising order
    times: IntArray  # shape (n_distinct_texts,): how often each text is there

    @property
    def n_texts(self) -> int:
        """Return the number of texts, each as often as it is there."""
        return int(self.times.sum())

    def n_of(self, found: BoolArray | IntArray) -> int:
        """Return the number of words marked, or at these positions, each as often as its text is there."""
        return int(self.times[self.text[found]].sum())

    def are(self, *kinds: _Is, beside: int = 0) -> BoolArray:
        """Return which words, or those so many places on in the same text, are all of these."""
        bits = self.bits
        if beside:
            bits = np.zeros_like(self.bits)
            if abs(beside) < len(bits):
                here = slice(0, -beside) if beside > 0 else slice(-beside, None)
                there = slice(beside, None) if beside > 0 else slice(0, beside)
                bits[here] = np.where(self.text[here] == self.text[there], self.bits[there], 0)
        wanted = int(np.bitwise_or.reduce(kinds))
        return (bits & wanted) == wanted

    def in_texts(self, found: BoolArray) -> BoolArray:
        """Return shape (n_distinct_texts,): which hold a word found."""
        held = np.zeros(len(self.times), dtype=np.bool_)
        held[self.text[found]] = True
        return held

    @cached_property
    def capitals_speak(self) -> bool:
        """Whether words with a capital are few enough to mean something."""
        n_capitals, n_lower = (self.n_of(self.are(kind)) for kind in (_Is.CAPITAL, _Is.LOWER))
        return n_capitals <= _FEW_CAPITALS * max(n_capitals + n_lower, 1)

    def latin(self) -> tuple[BoolArray, BoolArray]:
        """Return the words at which names begin, and those that may be names alone."""
        of_thing = (
            self.are(_Is.EPONYM, beside=1) | self.are(_Is.EPONYM, beside=2) | self.are(_Is.EPONYM, beside=-1)
        )
        goes_on = ~self.are(_Is.ENDS)
        full = self._full_name(1) & goes_on
        full |= self._full_name(2) & self.are(_Is.INITIAL, beside=1) & goes_on
        surely = (full & ~of_thing) | self._titled() | self._of_a_relative()
        surely |= self._with_initials() & ~of_thing
        unknown = self._pairs_of_capitals() & goes_on & ~of_thing
        if self._vary_like_names(unknown):
            surely |= unknown
        single = self.are(_Is.GIVEN) | self.are(_Is.SURNAME)
        single &= self.are(_Is.CAPITAL) & ~self.are(_Is.ALSO_A_WORD) & ~self.are(_Is.COMMON) & ~of_thing
        return surely, (single | unknown) & self.capitals_speak

    def _with_initials(self) -> BoolArray:
        """Return where initials stand before a surname, a listed one where there are such, or behind it."""
        dotted = self.are(_Is.INITIAL) & self.are(_Is.ENDS)
        before = self.are(_Is.INITIAL) & self._may_be_surname(1)
        behind = self._may_be_surname(0) & self.are(_Is.INITIAL, beside=1) & self.are(_Is.ENDS, beside=1)
        behind &= self.are(_Is.SURNAME) & ~self.are(_Is.ENDS)
        is_word, word_follows = self.are(_Is.ALSO_A_WORD), self.are(_Is.ALSO_A_WORD, beside=1)
        listed = before & self.are(_Is.SURNAME, beside=1) & ~word_follows
        listed |= behind & (~is_word | self.are(_Is.COMMA))
        listed |= before & dotted & self.are(_Is.SURNAME, beside=1) & self.are(_Is.INITIAL, beside=-1)
        at = np.flatnonzero(before & dotted & self.are(_Is.SURNAME, beside=1))
        if len(np.unique(self.words[at + 1])) < _FEW_SURNAMES:
            return listed
        return listed | (before & dotted) | behind

    def _may_be_surname(self, on: int) -> BoolArray:
        """Return where the word `on` places on begins with a capital and is no common word."""
        no_name = (
            self.are(_Is.COMMON, beside=on)
            | self.are(_Is.TITLE, beside=on)
            | self.are(_Is.EPONYM, beside=on)
            | self.are(_Is.UPPER, beside=on)
        )
        return self.are(_Is.CAPITAL, beside=on) & ~no_name & self.capitals_speak

    def _pairs_of_capitals(self) -> BoolArray:
        """Return where two words with a capital stand, which is uncommon for both."""
        pair = self.are(_Is.CAPITAL) & self.are(_Is.CAPITAL, beside=1)
        for kind in (_Is.COMMON, _Is.UPPER, _Is.TITLE, _Is.EPONYM):
            pair &= ~self.are(kind) & ~self.are(kind, beside=1)
        return pair

    def _vary_like_names(self, pairs: BoolArray) -> bool:
        """Whether so many texts hold such a pair, mostly different ones, that they are people's names."""
        at = np.flatnonzero(pairs)
        n_distinct = len(np.unique(np.stack([self.words[at], self.words[at + 1]]), axis=1).T)
        enough = max(_MANY, _MANY_SHARE * self.n_texts)
        return self.capitals_speak and n_distinct >= max(enough, _DISTINCT_PAIRS * self.n_of(at))

    def _full_name(self, on: int) -> BoolArray:
        """Return where a given name and a surname stand `on` words apart, in either order."""
        capitals = self.are(_Is.CAPITAL) & self.are(_Is.CAPITAL, beside=on)
        words = self.are(_Is.ALSO_A_WORD) | self.are(_Is.ALSO_A_WORD, beside=on)
        common = self.are(_Is.COMMON) | self.are(_Is.COMMON, beside=on)
        listed = self.are(_Is.GIVEN) & self.are(_Is.SURNAME, beside=on) & ~self.are(_Is.COMMA)
        listed |= self.are(_Is.SURNAME) & self.are(_Is.GIVEN, beside=on)
        one_capital = self.are(_Is.CAPITAL) ^ self.are(_Is.CAPITAL, beside=on)
        listed &= np.where(capitals, ~(words & common), ~words & ~one_capital)
        if not self.capitals_speak:
            return listed
        further = self.are(_Is.GIVEN) & ~self.are(_Is.COMMA) & ~self.are(_Is.ALSO_A_WORD) & capitals & ~common
        further &= ~self.are(_Is.EPONYM, beside=on) & ~self.are(_Is.TITLE, beside=on)
        return listed | (further & (self.are(_Is.UPPER) | ~self.are(_Is.UPPER, beside=on)))

    def _titled(self) -> BoolArray:
        title = self.are(_Is.TITLE) & ~self.are(_Is.NUMBER, beside=-1)
        named = self._named(1) | (self.are(_Is.INITIAL, beside=1) & self._named(2))
        particle = self.are(_Is.PARTICLE, beside=1)
        named |= particle & (self._named(2) | (self.are(_Is.PARTICLE, beside=2) & self._named(3)))
        return title & (named | self._in_small_letters(title))

    def _in_small_letters(self, title: BoolArray) -> BoolArray:
        """Return where a surname follows in small letters; those that are words too only beside others."""
        small = title & self.are(_Is.LOWER) & self.are(_Is.LOWER, beside=1) & self.are(_Is.SURNAME, beside=1)
        plain = small & ~self.are(_Is.ALSO_A_WORD, beside=1)
        return small if len(np.unique(self.words[np.flatnonzero(plain) + 1])) >= _FEW_SURNAMES else plain

    def _named(self, on: int) -> BoolArray:
        """Return where the word `on` places on can be a name after a title."""
        listed = self.are(_Is.GIVEN, beside=on) | self.are(_Is.SURNAME, beside=on)
        shouted = self.are(_Is.UPPER, beside=on) & ~listed
        known = listed | self.capitals_speak
        no_name = (
            self.are(_Is.COMMON, beside=on) | self.are(_Is.TITLE, beside=on) | self.are(_Is.EPONYM, beside=on)
        )
        return self.are(_Is.CAPITAL, beside=on) & known & ~shouted & ~no_name

    def _of_a_relative(self) -> BoolArray:
        word = self.are(_Is.ALSO_A_WORD, beside=1) & self.are(_Is.COMMON, beside=1)
        return (
            self.are(_Is.RELATIVE) & self.are(_Is.GIVEN, beside=1) & self.are(_Is.CAPITAL, beside=1) & ~word
        )

    def korean(self) -> tuple[BoolArray, BoolArray]:
        """Return the Korean names that something says are names, and those that may be words."""
        name = self.are(_Is.KOREAN)
        n_in = self._n_texts_of_name()
        rare = name & (n_in <= max(_RARE, _RARE_SHARE * self.n_texts))
        called = (
            self.are(_Is.HONORED) | self.are(_Is.HONORIFIC, beside=1) | self.are(_Is.BEFORE_KOREAN, beside=-1)
        )
        apart = (
            self.are(_Is.KOREAN_SURNAME)
            & self.are(_Is.KOREAN_GIVEN, beside=1)
            & self.are(_Is.HONORIFIC, beside=2)
        )
        surely = (rare & called) | apart | self.are(_Is.KOREAN_CALLED)
        surely |= self.are(_Is.KOREAN_SURNAME) & self.are(_Is.TITLE, _Is.HONORIFIC, beside=1)
        n_rare = len(np.unique(self.names[rare]))
        if n_rare >= max(_MANY, _MANY_SHARE * self.n_texts):
            surely |= rare
        return surely, rare & ~surely

    def _n_texts_of_name(self) -> IntArray:
        """Return in how many texts the Korean name of each word stands."""
        held = np.flatnonzero(self.names >= 0)
        names, in_text = divmod(
            np.unique(self.names[held] * len(self.times) + self.text[held]), max(len(self.times), 1)
        )
        n_names = int(self.names.max(initial=-1)) + 1
        counts = np.bincount(names, weights=self.times[in_text], minlength=n_names)
        return np.append(counts, 0).astype(np.int64)[self.names]


def names_in_codes(values: pa.Array) -> BoolArray:
    """Return which distinct values without nulls hold a listed surname, or a Korean name, beside codes.

    Nowhere where more than a few values hold a word: the column is no column of codes then.
    """
    worded = pc.match_substring_regex(values, _WORD_IN_CODE).to_numpy(zero_copy_only=False).copy()
    if not worded.any() or worded.mean() > _MOST_WORDED:
        return np.zeros(len(values), dtype=np.bool_)
    found = [_holds_surname(value) for value in values.filter(pa.array(worded)).to_pylist()]
    worded[worded] = found
    return worded


def _holds_surname(value: str) -> bool:
    for word in _WORD.findall(value):
        plain = without_accents(word)
        if word[0].isupper() and len(word) > (4 if word.isupper() else 2):
            of_region = len(word) > 5 and bool(_SOUTH_SLAVIC.search(word))
            if of_region or (plain in _SURNAMES and plain not in people.NO_NAMES_IN_CODES):
                return True
    return any(_korean_word(run)[1] for run in _HANGUL.findall(value))


def are_sentences(texts: Iterable[str]) -> bool:
    """Whether most of several texts are made of words as sentences are, and not of codes or names.

    >>> are_sentences(["came with pain, told to rest", "no complaints since the last visit"])
    True
    >>> are_sentences(["Ann Mary Smith-Jones Ltd", "Bob Peter Brown Ltd"]), are_sentences(["I10 E11 J45 M54"])
    (False, False)
    """
    split = [text.split() for text in texts]
    words = [[word for word in parts if _WORD.fullmatch(word.strip(_EDGES))] for parts in split]
    n_words = [len(each) for each in words]
    if not split or sum(n_words) < 0.6 * sum(map(len, split)):
        return False
    flat = [word for each in words for word in each]
    hangul = sum(bool(_HANGUL.match(word)) for word in flat)
    if hangul > 0.5 * len(flat):
        return bool(np.median(n_words) >= 3)
    lower = sum(word[0].islower() for word in flat)
    shouted = sum(word.isupper() for word in flat) > 0.9 * len(flat)
    return bool(np.median(n_words) >= (5 if shouted else 4) and (shouted or lower >= 0.5 * len(flat)))
