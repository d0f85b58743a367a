"""Whether texts are names of people: by lists and surnames, by their form alone, or in another writing."""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import prod

import scipy

from core.people import names as people
from core.people.names import (
    ADMINISTRATIVE_ENDINGS,
    CATEGORICAL_ENDINGS,
    GIVEN_NAMES_LIKE_PLACES,
    KOREAN_SURNAMES,
    WORDS_THAT_ARE_NO_NAMES,
)
from core.values.encoded_texts import decoded
from core.values.letters import without_accents, without_marks

_LETTERS = re.compile(r"[^\W\d_]+")
_HANGUL_NAME = re.compile(r"[가-힣]{2,4}")
_LATIN_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*(?:[ '’.-]+[^\W\d_]+\.?){0,4}", re.UNICODE)
_PART = r"[^\W\d_]{1,40}(?:['’-][^\W\d_]{1,40}){0,2}"
_WORDS = re.compile(rf"{_PART}(?:,? (?:{_PART}|[^\W\d_]\.)){{1,3}}")
_SMALL_WORDS = frozenset(
    ("von", "van", "vom", "zu", "den", "der", "de", "del", "da", "di", "la", "le", "bin", "al", "el")
)
_SYLLABLE = "(?:ch|kk|tt|pp|ss|jj|[bcdghjklmnprstwy])?[aeiouwy]{1,4}(?:ng|[bhklmnprt])?"
_SYLLABLES = f"(?=[A-Z])(?i:{_SYLLABLE}-{_SYLLABLE})"
_SURNAME = f"(?i:{people.ROMANIZED_KOREAN_SURNAMES})"
_ROMANIZED_KOREAN = re.compile(f"{_SURNAME},? {_SYLLABLES}|{_SYLLABLES} {_SURNAME}")
_MASKED_NAME = re.compile(r"[가-힣][*○◯Ｏ●OX]{1,2}[가-힣]?")
_FEWEST_PAIRS = 30  # distinct values from which their form says something
_FEWEST_PEOPLE = 3  # distinct ones, where the header speaks of people
_NO_PEOPLE = 0.1  # share of the values with a word of firms and the like, up to which they are people
_MOST_ALIKE = 0.2  # share of the values that may begin, or end, with the same word
# share of the values of which a word in one place stands beside another one too, and in the other place
_RECUR, _RECUR_LESS = 0.6, 0.15
_SIGNS = re.compile(r"[/\\?&=:;|\"'{}\[\],<>#]+")  # between the parts of a longer value
_JOINTS = re.compile(r"[._-]+")
_MOST_PLACES = 16  # parts of a longer value that are looked at
_FIRST, _LOOKED_AT = 12, 60  # values read otherwise: these say whether the others are worth it


def looks_like_korean_name(value: str) -> bool:
    """Whether a text is 2–4 syllables that begin with a surname and is no common word or place."""
    if not _HANGUL_NAME.fullmatch(value) or value in WORDS_THAT_ARE_NO_NAMES:
        return False
    if not {value[:1], value[:2]} & KOREAN_SURNAMES:
        return False
    return (
        value[1:] in GIVEN_NAMES_LIKE_PLACES or value[-1] not in ADMINISTRATIVE_ENDINGS + CATEGORICAL_ENDINGS
    )


def looks_like_latin_name(value: str) -> bool:
    """Whether a text is made of words of which one is a common English or Slovenian name."""
    if not _LATIN_NAME.fullmatch(value):
        return False
    words = [without_accents(word) for word in _LETTERS.findall(value)]
    return any(word in _KNOWN_NAMES or (len(word) > 4 and _is_south_slavic(word, value)) for word in words)


_KNOWN_NAMES = (
    people.ENGLISH_GIVEN_NAMES
    | people.ENGLISH_SURNAMES
    | people.SLOVENIAN_GIVEN_NAMES
    | people.SLOVENIAN_SURNAMES
)


def _is_south_slavic(word: str, value: str) -> bool:
    """Whether a word ends in -ič or -ić, as many surnames of the region do."""
    return word.endswith("ic") and bool(re.search(r"i[čć]\b", value.casefold()))


def is_full_name(value: str) -> bool:
    """Whether a text is several words, all of them common English or Slovenian names, or Min-jun Kim."""
    value = _TITLES.sub("", value).replace(",", " ", 1)
    if _ROMANIZED_KOREAN.fullmatch(" ".join(value.split())):
        return True
    words = [without_accents(word) for word in _LETTERS.findall(value) if len(word) > 1]
    return len(words) > 1 and looks_like_latin_name(value) and all(word in _KNOWN_NAMES for word in words)


def is_full_korean_name(value: str) -> bool:
    """Whether a text is a Korean surname with two syllables of given names, and no common word or place."""
    return len(value) == 3 and looks_like_korean_name(value) and {*value[1:]} <= people.GIVEN_SYLLABLES


def are_given_names_with_surnames(values: Sequence[str]) -> bool:
    """Whether distinct values are two to four words each, in many combinations, and no firms or answers.

    So are names of products, too: the header has to speak of people.
    """
    pairs = [pair for value in values if (pair := _first_and_last(_TITLES.sub("", value)))]
    if len(pairs) < max(_FEWEST_PEOPLE, 0.8 * len(values)):
        return False
    no_people = sum(not people.NO_WORDS_OF_PEOPLE.isdisjoint(map(str.casefold, pair)) for pair in pairs)
    most = max(count for words in zip(*pairs, strict=True) for count in Counter(words).values())
    return no_people <= _NO_PEOPLE * len(pairs) and most <= max(2, _MOST_ALIKE * len(pairs))


def are_full_names(values: Sequence[str]) -> bool:
    """Whether distinct values are two to four words each, as given names and surnames are combined.

    Of any language: each word has a capital or is of a script that has none, and words recur beside
    others, in the first place and in the last, none too often. So do names of products and places, now
    and then: somebody has to look.

    >>> names = [f"{given} {surname}" for given in "Uwe Jens Ute Ilse Kai Anke".split()
    ...          for surname in "Voß Lenz Kühn Frey Thoma Rapp".split()]
    >>> are_full_names(names), are_full_names([f"Klinik {name}" for name in names])
    (True, False)
    """
    pairs = [pair for pair in map(_first_and_last, values) if pair]
    if len(pairs) < max(_FEWEST_PAIRS, 0.8 * len(values)):
        return False
    shares = []
    for words in map(Counter, zip(*pairs, strict=True)):
        if max(words.values()) > _MOST_ALIKE * len(pairs):
            return False
        shares.append(sum(count for count in words.values() if count > 1) / len(pairs))
    return max(shares) >= _RECUR and min(shares) >= _RECUR_LESS


def _first_and_last(value: str) -> tuple[str, str] | None:
    """Return the first and the last of two to four words with capitals, or of a script without; else None."""
    value = without_marks(value)
    if not _WORDS.fullmatch(value) or "가" <= value[0] <= "힣":
        return None
    first, *others = value.replace(",", "").split()
    if first[0].islower() or any(word[0].islower() and word not in _SMALL_WORDS for word in others):
        return None
    return first, others[-1]


def are_words(values: Sequence[str]) -> bool:
    """Whether distinct values are words, or made of words, and no codes that are drawn or counted.

    Codes are written in letters and digits of ASCII, and one letter says nothing of the next. So values are
    words where they are letters of another script, or where their first four letters, an initial aside, and
    their last four go together more often than the same letters would in any order of their own: by chance
    once in a million, each.

    >>> are_words([f"{given}.{surname}" for given in ("uwe", "jens", "ilse", "anke", "kai", "heike")
    ...            for surname in ("lenz", "frey", "thoma", "rapp", "voss", "kuehn")])
    True
    >>> are_words([f"{at * 7919 % 100003:05x}" for at in range(99)])
    False
    """
    letters = ["".join(_LETTERS.findall(without_marks(value))).casefold() for value in dict.fromkeys(values)]
    texts = sorted({each for each in letters if len(each) > 1})
    n_written = sum(len(each) > 1 for each in letters)
    if len(texts) < max(_FEWEST_PAIRS, _FEWEST_TEXTS * len(letters)) or n_written < 0.8 * len(letters):
        return False
    if sum(max(text) > _LAST_OF_LATIN for text in texts) >= 0.8 * len(texts):
        return True
    after_initial = [text[1:] for text in texts]
    return _go_together([text[-_AT_ONCE:] for text in texts]) and any(
        map(_go_together, (texts, after_initial))
    )


_FEWEST_TEXTS = 0.25  # share of the values that differ in their letters, else these are of sites and the like
_LAST_OF_LATIN = "ɏ"
_AT_ONCE = 4  # letters that are held against each other
_BY_CHANCE = 1e-6


def _go_together(parts: Sequence[str]) -> bool:
    """Whether more pairs of texts begin with the same letters than these by themselves make likely."""
    parts = [part[:_AT_ONCE].ljust(_AT_ONCE) for part in parts]
    n_pairs = len(parts) * (len(parts) - 1) / 2
    n_alike = _n_alike(parts)
    expected = n_pairs * prod(_n_alike(letters) / n_pairs for letters in zip(*parts, strict=True))
    return n_alike > 0 and float(scipy.special.pdtrc(n_alike - 1, expected)) < _BY_CHANCE


def _n_alike(texts: Sequence[str]) -> float:
    return sum(n * (n - 1) / 2 for n in Counter(texts).values())


def is_written_as_name(value: str) -> bool:
    """Whether a text is one to three words as names are written, of any language, titles aside.

    >>> [is_written_as_name(each) for each in ("dr. Featherstone", "NOVAK Ana", "김민지", "D12", "on call")]
    [True, True, True, False, False]
    """
    bare = _TITLES.sub("", value)
    if "가" <= bare[:1] <= "힣":
        return looks_like_korean_name(_KOREAN_TITLES.sub("", bare))
    return bool(_PEOPLE.fullmatch(bare)) and without_accents(bare) not in people.NO_NAMES_OF_OTHERS


def is_titled(value: str) -> bool:
    """Whether a text begins or ends with a title, such as ``dr.`` or ``RN``."""
    return bool(_TITLES.search(value) or _KOREAN_TITLES.search(value))


def is_of_a_trade(value: str) -> bool:
    """Whether a text names an occupation or a branch of medicine by how its last word ends."""
    return bool(_TRADE.search(value))


_TITLES = re.compile(
    r"^(?:(?:dr|prof|doc|mag|mr|mrs|ms|mx|miss|asist|prim|sr|spec|univ|dipl|med)\.? +)+"
    r"|,? (?:M\.?D|R\.?N|Ph\.?D|D\.?O|dr\. med)\.?$",
    re.IGNORECASE,
)
_KOREAN_TITLES = re.compile(r" ?(?:선생님?|교수님?|의사|간호사|원장님?|과장님?|님|씨)$")
_ONE = r"[^\W\d_a-z][^\W\d_]{2,30}(?:['’-][^\W\d_]{1,30})?"
_PEOPLE = re.compile(rf"(?:[^\W\d_a-z]\. ?){{0,2}}{_ONE}(?:,? (?:{_ONE}|[^\W\d_a-z]\.)){{0,2}}")
_TRADE = re.compile(
    r"(?:log(?:y|ist|ija|inja)?|ist(?:ka)?|ics|ian|iatr(?:y|ist|er|ija)|surg(?:ery|eon)|kirurg(?:ija)?|medicine"
    r"|medicina|nurse|sestra|doctor|zdravni[ck]a?|physician|practitioner|registrar|resident|therap(?:y|ist)"
    r"|terapija|care|teacher|ucitelj(?:ica)?|učitelj(?:ica)?|profesor(?:ica)?|manager|assistant|worker|staff)$",
    re.IGNORECASE,
)


def are_masked_names(values: Sequence[str]) -> bool:
    """Whether distinct values are Korean names with a syllable hidden, such as 김*수.

    >>> are_masked_names(["김*수", "박○영", "이*", "최*연"] * 10), are_masked_names(["A*", "B*"] * 20)
    (True, False)
    """
    n = sum(bool(_MASKED_NAME.fullmatch(value)) for value in values)
    return n >= max(_FEWEST_PAIRS, 0.8 * len(values))


def read_otherwise(values: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield ways in which values may be encoded, each with what some of them say, "" for nothing.

    In every case the first ways cannot be read into just any text; those of `ANY_TEXT` can.
    """
    found = Counter(how for value in values[:_FIRST] for how in decoded(value).values())
    hows = [how for how, n in found.most_common(3) if n >= 0.8 * len(values[:_FIRST])]
    if hows:
        read = [{how: text for text, how in decoded(value).items()} for value in values[:_LOOKED_AT]]
        yield from ((how, [each.get(how, "") for each in read]) for how in hows)
    for how, way in ANY_TEXT.items():
        if sum(looks_like_latin_name(way(value)) for value in values[:_FIRST]) * 3 >= _FIRST:
            yield how, [way(value) for value in values[:_LOOKED_AT]]


def parts_inside(values: Sequence[str]) -> Iterator[list[str]]:
    """Yield the parts in one place of longer values, such as JSON, addresses of the web and names of files.

    Those of which few differ, or that few values have, are passed over, and so are words that many parts
    have; dots and hyphens become spaces.

    >>> [*parts_inside([f"/data/{name}.{n}/a" for n, name in enumerate("abcdefghij" * 3)])][0][:2]
    ['a 0', 'b 1']
    """
    found = [
        [part for each in _SIGNS.split(value) if (part := each.strip())] for value in values[:_LOOKED_AT]
    ]
    many = 0.8 * len(found)
    if sum(len(parts) > 1 for parts in found) < many:
        return
    for place in range(_MOST_PLACES):
        parts = [each[place] for each in found if len(each) > place]
        if len(parts) >= many and len(set(parts)) >= max(_FEWEST_PAIRS // 2, len(parts) // 4):
            words = [[part] if "@" in part else _JOINTS.sub(" ", part).split() for part in parts]
            common = {word for word, n in Counter(chain(*words)).items() if n > _MOST_ALIKE * len(parts)}
            yield [" ".join(word for word in each if word not in common) for each in words]


def _parted(value: str) -> str:
    """Return a word that is two listed names as two words, the shorter first one first."""
    word = without_accents(value)
    if len(word) > 2 * _LONGEST_NAME:
        return ""
    for at in range(2, len(word) - 1):
        first, last = word[:at], word[at:]
        if {first, last} <= _KNOWN_NAMES and (first in _GIVEN or last in _GIVEN):
            return f"{first.title()} {last.title()}"
    return ""


def _of_a_user(value: str) -> str:
    """Return the listed surname, beside an initial, of which a user's name is made."""
    word = without_accents(value.rstrip("0123456789"))
    return next((name.title() for name in (word[1:], word[:-1]) if len(name) > 3 and name in _SURNAMES), "")


def _of_consonants(value: str) -> str:
    """Return the listed surname of which the vowels were left out, all or but for the first letter's."""
    return _BY_CONSONANTS.get(without_accents(value), "") if len(value) > 2 else ""


_GIVEN = people.ENGLISH_GIVEN_NAMES | people.SLOVENIAN_GIVEN_NAMES
_SURNAMES = people.ENGLISH_SURNAMES | people.SLOVENIAN_SURNAMES
_LONGEST_NAME = max(map(len, _KNOWN_NAMES))
_VOWELS = re.compile("[aeiou]")
_BY_CONSONANTS = {
    first + _VOWELS.sub("", rest): name.title()
    for name in sorted(_KNOWN_NAMES)
    for first, rest in (("", name), (name[0], name[1:]))
    if _VOWELS.search(rest)
}
ANY_TEXT: dict[str, Callable[[str], str]] = {
    "in ROT13": lambda value: codecs.encode(value, "rot13"),
    "backwards": lambda value: value[::-1],
    "with digits for letters": lambda value: value.translate(str.maketrans("43105$@", "aeiossa")),
    "in one word": _parted,
    "as names of users": _of_a_user,
    "with the vowels filled in": _of_consonants,
}
