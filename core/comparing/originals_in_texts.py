"""Which original values stand in texts that are no cells of a table, and whether so many would by chance.

Texts and values are compared as words: letters or digits that follow each other. What is met by chance is
stated for each kind of value: an ordinary word may be somebody's name, a number of as many digits somebody's
number, a day one that somebody was born on.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray
from core.people.names import NAMES_THAT_ARE_WORDS
from core.values.dates import read_dates
from core.values.encoded_texts import decoded

Kind = Literal["word", "words", "number", "day"]

# share of words that are somebody's name and say something else, such as a season; and that begin a full name
_A_WORD, _SOME_WORDS = 1 / 50, 1e-5
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[,;|\"\n\t]")
_ENDS = frozenset(',;|"\n\t')  # part one name from the next
_OF_DATES = frozenset("年月日년월일")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|&[A-Z]")  # a letter in JSON, a mark of headers and footers
_HUMP = re.compile(r"(?<=[^\W\d_])(?<![A-Z])(?=[A-Z])")  # where a word begins in a word
_ENCODED, _MOST_DECODED = 12, 5000  # letters of a text, and texts that are read so
_NO_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff가-힣]")  # scripts that write names without spaces
_LONGEST_GLUED, _MOST_WORDS = 12, 8
_MANY_VALUES, _LONGEST_PATTERN, _SAMPLE = 200_000, 10_000, 1000
_INITIAL = 2  # letters of a word that is too short for a name
_RUNNING = 5  # words of a text in which a name has a capital
_NAME = re.compile(r"(?:[^\W\d_]|[ .,'’-])+")
_MOST = 0.9  # of the values of a column
_TOO_COMMON = 0.1  # share of people from which a word is nobody's


@dataclass(frozen=True, eq=False)
class Sought:
    """Distinct values of original columns: of one, or names of people of which each column is a part."""

    columns: tuple[str, ...]
    values: pa.Array  # shape (n_values,), without nulls
    identifies: bool  # whether the columns are known to say who somebody is

    @cached_property
    def _sample(self) -> list[list[str]]:
        return [tokens(value) for value in some(self.values)]

    @cached_property
    def n_words(self) -> float:
        """Return how many words most values have."""
        return float(np.median([len([one for one in each if one not in _ENDS]) for each in self._sample]))

    @cached_property
    def is_of_names(self) -> bool:
        """Whether the values say who somebody is in words, as names do, and so do parts of them."""
        n_names = sum(map(bool, map(_NAME.fullmatch, some(self.values))))
        return self.identifies and n_names > _MOST * len(self._sample)

    @property
    def has_parts(self) -> bool:
        """Whether they are several such words."""
        return self.is_of_names and self.n_words > 1


@dataclass(frozen=True)
class Found:
    """Values of some columns in texts."""

    sought: Sought
    values: frozenset[str]  # as words
    chance: float  # of as many in such texts, were they about other people


def some(values: pa.Array) -> list[str]:
    """Return values from all over a column."""
    sample: list[str] = values[:: max(1, len(values) // _SAMPLE)].to_pylist()
    return sample


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text, and what parts names from each other.

    >>> tokens("score_Novak, MRN123")
    ['score', 'novak', ',', 'mrn', '123']
    """
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())


class Texts:
    """Texts that may hold values."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take them apart; encoded ones, escaped letters and words without spaces as they read."""
        encoded = [text for text in texts if len(text) >= _ENCODED][:_MOST_DECODED]
        read = [
            _ESCAPED.sub(_plain, text) for text in (*texts, *(to for text in encoded for to in decoded(text)))
        ]
        written = [
            *read,
            *(parts for text in read[:_MOST_DECODED] if (parts := _HUMP.sub(" ", text)) != text),
        ]
        self.tokens = [tokens(text) for text in written]
        self.words = frozenset(word for each in self.tokens for word in each)
        # words in small letters in running text are no names
        self.plain = frozenset(
            word
            for text, each in zip(written, self.tokens, strict=True)
            if len(each) >= _RUNNING
            for word in each
            if word.isalpha() and word in text and word.upper() != word
        )

    @cached_property
    def n_words(self) -> int:
        """Return the number of distinct words of letters."""
        return sum(word.isalpha() for word in self.words)

    @cached_property
    def n_numbers(self) -> Counter[int]:
        """Return the number of distinct numbers by their digits."""
        return Counter(len(word) for word in self.words if word.isdigit())

    @cached_property
    def days(self) -> frozenset[int]:
        """Return the days that the texts may name, as 19580312; day and month in both orders."""
        return frozenset(day for each in self.tokens for day in _days(each))

    @cached_property
    def glued(self) -> tuple[str, ...]:
        """Return the words of scripts without spaces."""
        return tuple(word for word in self.words if len(word) > 2 and _NO_SPACES.search(word))


def _plain(code: re.Match[str]) -> str:
    return chr(int(code[1], 16)) if code[1] else " "


def _days(words: Sequence[str]) -> Iterator[int]:
    numbers = [word for word in words if word not in _OF_DATES]
    for at, word in enumerate(numbers):
        size = [len(one) if one.isdecimal() else 0 for one in numbers[at : at + 3]]
        if size[0] == 8:
            yield int(word)
            yield int(word[4:] + word[2:4] + word[:2])
        elif len(size) == 3 and size[0] == 4 and 0 < size[1] < 3 and 0 < size[2] < 3:
            yield int(f"{word}{int(numbers[at + 1]):02}{int(numbers[at + 2]):02}")
        elif len(size) == 3 and size[2] == 4 and 0 < size[0] < 3 and 0 < size[1] < 3:
            for month, day in ((int(word), int(numbers[at + 1])), (int(numbers[at + 1]), int(word))):
                yield int(f"{numbers[at + 2]}{month:02}{day:02}")


def find(sought: Sought, texts: Sequence[Texts]) -> list[Found]:
    """Return, for each of some texts, which values stand in them."""
    words = frozenset[str]().union(*(each.words for each in texts))
    index = _Index(sought, _candidates(sought, words))
    days = _days_of(sought) if any(each.days for each in texts) else np.array([], np.int64)
    return [_found(sought, index, days, each) for each in texts]


def _candidates(sought: Sought, words: frozenset[str]) -> list[list[str]]:
    """Return the values of which all words stand in the texts; of names of which one does."""
    values = sought.values if sought.identifies else sought.values[:_MANY_VALUES]
    if _fit_a_pattern(words) and not any(map(_NO_SPACES.search, words)):
        letters, numbers = _either(filter(str.isalpha, words)), _either(filter(str.isdigit, words))
        # letters and numbers may follow each other without anything between them
        pattern = rf"^[^\pL\pN]*(?:{numbers}?(?:{letters}{numbers})*{letters}?(?:[^\pL\pN]+|$))+$"
        if sought.has_parts:
            pattern = _either(word for word in words if len(word) > _INITIAL and word.isalpha())
        values = values.filter(pc.match_substring_regex(pc.utf8_lower(values), pattern))
    return [tokens(value) for value in values.to_pylist()]


def _fit_a_pattern(words: Collection[str]) -> bool:
    """Whether a pattern of some words is quicker than to take values apart."""
    return sum(map(len, words)) <= _LONGEST_PATTERN


def _either(words: Iterable[str]) -> str:
    """Return a pattern of any of some words, or of what is nowhere."""
    return rf"(?:{'|'.join(map(re.escape, words)) or chr(0)})"


class _Index:
    """Values by their words: whole ones, and those of people by each word."""

    def __init__(self, sought: Sought, values: Sequence[Sequence[str]]) -> None:
        self.whole: set[str] = set()
        self.lengths: defaultdict[str, set[int]] = defaultdict(set)
        self.people: defaultdict[str, set[int]] = defaultdict(set)
        self.glued: set[str] = set()
        self.n_people = len(sought.values)
        least = sought.n_words if not sought.identifies else 0
        for number, each in enumerate(values):
            if sought.has_parts:
                for word in each:
                    if len(word) > (1 if _NO_SPACES.search(word) else _INITIAL):
                        self.people[word].add(number)
            elif len(each) >= least and _is_long(each, identifies=sought.identifies):
                self.whole.add(" ".join(each))
                self.lengths[each[0]].add(len(each))
            self.glued.update(name for name in _parts(each) if len(name) > 2 and _NO_SPACES.search(name))


def _parts(words: Sequence[str]) -> Iterator[str]:
    """Yield what stands between commas, without spaces."""
    return iter("".join("," if word in _ENDS else word for word in words).split(","))


def _is_long(words: Sequence[str], *, identifies: bool) -> bool:
    """Whether a value is long enough not to be found by accident."""
    letters = "".join(word for word in words if word not in _ENDS)
    if letters.isdigit():
        return len(letters) > 4
    return len(letters) > (2 if identifies or _NO_SPACES.search(letters) else 3)


def _days_of(sought: Sought) -> IntArray:
    """Return the days that the values are, none where they are no dates."""
    values = sought.values[:_MANY_VALUES]
    dates = read_dates(values[:_SAMPLE])
    if not len(values) or (dates.known & (dates.day > 0)).mean() < _MOST:
        return np.array([], np.int64)
    dates = read_dates(values)
    is_day = dates.known & (dates.day > 0)
    return np.unique((dates.year * 100 + dates.month)[is_day] * 100 + dates.day[is_day])


def _found(sought: Sought, index: _Index, days: IntArray, texts: Texts) -> Found:
    hits: defaultdict[Kind, set[str]] = defaultdict(set)
    for each in texts.tokens:
        for kind, value in _people(each, index) if sought.has_parts else _whole(each, index):
            hits[kind].add(value)
    hits["words"] |= {name for word in texts.glued for name in _glued(word, index.glued)}
    hits["word"] -= texts.plain | NAMES_THAT_ARE_WORDS
    if len(days):
        hits["number"].clear()
        hits["day"] = {str(day) for day in texts.days & set(days.tolist())}
    chance = 1.0
    for kind, values in hits.items():
        chance *= _chance(kind, values, sought, days, texts) if values else 1.0
    return Found(sought, frozenset[str]().union(*hits.values()), chance)


def _whole(words: Sequence[str], index: _Index) -> Iterator[tuple[Kind, str]]:
    """Yield the values that stand in a text."""
    for at, word in enumerate(words):
        for length in index.lengths.get(word, ()):
            value = " ".join(words[at : at + length])
            if value in index.whole:
                is_number = any(map(str.isdigit, value))
                yield "number" if is_number else "words" if length > 1 else "word", value


def _people(words: Sequence[str], index: _Index) -> Iterator[tuple[Kind, str]]:
    """Yield the words that follow each other and belong to one person; two beside each other are no others'.

    A given name and a surname that nobody in the table has together are somebody else's.
    """
    run: list[str] = []
    whose: set[int] = set()
    goes_on = is_other = False
    for word in (*words, ""):
        if word in _ENDS or (len(word) == 1 and not _NO_SPACES.search(word)):
            goes_on = False if word in _ENDS else goes_on
            if is_other and not goes_on:
                run, whose, is_other = [], set(), False
            continue
        known = index.people.get(word, set())
        if run and known & whose:
            run.append(word)
            whose &= known
            goes_on = True
            continue
        beside = bool(run and known and goes_on)
        if len(whose) > max(2, _TOO_COMMON * index.n_people):
            pass
        elif len({*run}) > 1:
            yield "words", " ".join(run)
        elif run and not (beside or is_other):
            yield "word", run[0]
        is_other = beside and len(run) == 1
        run, whose, goes_on = ([word], set(known), True) if known else ([], set(), False)


def _glued(word: str, names: set[str]) -> Iterator[str]:
    """Yield the names that stand in a word of a script without spaces."""
    for at in range(len(word)) if names else ():
        for end in range(at + 3, min(at + _LONGEST_GLUED, len(word)) + 1):
            if word[at:end] in names:
                yield word[at:end]


def shown_in(cells: pa.Array, values: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return which values, given with their words, one of some distinct cells holds whole."""
    wanted = frozenset[str]().union(*values.values())
    if _fit_a_pattern(wanted) and wanted:
        cells = cells.filter(pc.match_substring_regex(pc.utf8_lower(cells), _either(wanted)))
    places: defaultdict[str, set[int]] = defaultdict(set)
    for place, cell in enumerate(cells[:_MANY_VALUES].to_pylist() if wanted else ()):
        words = frozenset(tokens(cell))
        glued = (
            [one for one in wanted if any(one in word for word in words)] if _NO_SPACES.search(cell) else ()
        )
        for word in (words & wanted).union(glued):
            places[word].add(place)
    held = {value: [places.get(word, set[int]()) for word in words] for value, words in values.items()}
    return frozenset(
        value for value, each in held.items() if each and set.intersection(*sorted(each, key=len))
    )


def _chance(kind: Kind, values: set[str], sought: Sought, days: IntArray, texts: Texts) -> float:
    """Return the chance that texts about others hold as many values of a kind."""
    if kind == "word":
        return _at_least(len(values), texts.n_words * _A_WORD)
    if kind == "words":
        return _at_least(len(values), texts.n_words * _SOME_WORDS)
    if kind == "day":
        n_within = sum(days[0] <= day <= days[-1] for day in texts.days)
        years = (days[-1] - days[0]) / 1e4 + 1 / 12
        return _at_least(len(values), n_within * min(1.0, len(days) / (365 * years)))
    expected = n_alike = 0.0
    shapes = Counter(_shape(value) for value in values)
    for longest, space in shapes:
        n_alike = max(n_alike, texts.n_numbers[longest])
        expected += texts.n_numbers[longest] * min(1.0, len(sought.values) / space)
    return _at_least(len(values), expected)


def _shape(value: str) -> tuple[int, float]:
    """Return the digits of the longest number of a value, and how many values of its form there are."""
    n_digits = sum(map(str.isdigit, value))
    n_letters = min(sum(map(str.isalpha, value)), 3)
    longest = max(len(word) for word in value.split() if word.isdigit())
    return longest, 9.0 * 10 ** (n_digits - 1) * 26**n_letters


def _at_least(n: int, expected: float) -> float:
    """Return the chance of so many where so many are expected."""
    from scipy.stats import poisson  # noqa: PLC0415 - takes long to import, and is rarely needed

    return float(poisson.sf(n - 1, max(expected, 1e-12)))
