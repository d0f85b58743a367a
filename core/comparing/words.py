"""Texts of a column as words: what stands in them, in whatever order, spelling and script.

A word is a number of 64 bits, and words in any order are its sum, so that millions of them are compared with
arrays. Texts of scripts without spaces between words are taken apart by the values that are looked for.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, IntArray, sorted_distinct
from core.comparing.readings import folded_texts, together
from core.values.letters import narrowed

Hashes = npt.NDArray[np.uint64]

_BEGINNING = 20  # bits of a sum that tell most sums from those that are looked for
_MOST_KEPT = 1 << 19  # words of a column of which runs are kept for the next form
_FEWEST_LETTERS, _FEWEST_SYLLABLES, _FEWEST_DIGITS = 4, 2, 5
_NO_WORD = r"[^\p{L}\p{N}]+"
# Letters of scripts that write words without spaces between them, or with particles after them.
_WITHOUT_SPACES = (  # Japanese, Chinese, Thai, Lao, Burmese and Khmer letters
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_SPACED = re.compile(rf"(?<=[{_WITHOUT_SPACES}])[ ・·]+(?=[{_WITHOUT_SPACES}])")
_BORDERLESS = re.compile(rf"[가-힣{_WITHOUT_SPACES}]{{2,}}")
_LONG_SYLLABLES = r"^[가-힣\p{Han}]"  # that two of make a name


@dataclass(frozen=True, kw_only=True, eq=False)
class Words:
    """The words of texts, one after the other, as numbers: sums of them stand for words in any order."""

    words: pa.Array  # strings, and the 64 bits that stand for each
    hashes: Hashes
    text: IntArray  # shape (n_words,): the text of each, in rising order
    n_texts: int  # how many texts there are
    kept_runs: dict[int, tuple[Hashes, IntArray]] = field(default_factory=dict)

    @cached_property
    def totals(self) -> Hashes:
        """Return shape (n_words + 1,): the sum of the words before each."""
        return np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(self.hashes, dtype=np.uint64)])

    @cached_property
    def starts(self) -> IntArray:
        """Return shape (n_texts + 1,): where the words of each text begin."""
        return np.searchsorted(self.text, np.arange(self.n_texts + 1))

    @cached_property
    def n_words(self) -> IntArray:
        """Return shape (n_texts,)."""
        return np.diff(self.starts)

    @cached_property
    def sums(self) -> Hashes:
        """Return shape (n_texts,): the sum of all words of each text."""
        return self.totals[self.starts[1:]] - self.totals[self.starts[:-1]]

    def runs(self, n_words: int) -> tuple[Hashes, IntArray]:
        """Return the sums of every run of so many words of one text, and the text of each."""
        if n_words in self.kept_runs:
            return self.kept_runs[n_words]
        n = max(0, len(self.text) - n_words + 1)
        same = self.text[n_words - 1 : n_words - 1 + n] == self.text[:n]
        found = (self.totals[n_words : n_words + n] - self.totals[:n])[same], self.text[:n][same]
        if len(self.text) <= _MOST_KEPT:
            self.kept_runs[n_words] = found
        return found

    def with_long_numbers(self) -> IntArray:
        """Return the texts that have a number of five digits or more."""
        long = pc.match_substring_regex(self.words, rf"^[0-9]{{{_FEWEST_DIGITS},}}$")
        return np.unique(self.text[long.to_numpy(zero_copy_only=False)])


def words_of(texts: pa.Array) -> Words:
    """Return the words of folded texts: runs of letters or digits."""
    lists = pc.split_pattern_regex(texts, narrowed(_NO_WORD, texts))
    filled = pc.not_equal(lists.flatten(), "")
    words = lists.flatten().filter(filled)
    encoded = pc.dictionary_encode(words)
    of_word = pd.util.hash_array(encoded.dictionary.to_numpy(zero_copy_only=False), categorize=False)
    text = pc.list_parent_indices(lists).filter(filled).to_numpy().astype(np.int64)
    return Words(words=words, hashes=of_word[encoded.indices.to_numpy()], text=text, n_texts=len(texts))


def tell(bare: pa.Array) -> BoolArray:
    """Return which texts, without signs and spaces, are long enough not to be found everywhere."""
    length = pc.utf8_length(bare).to_numpy(zero_copy_only=False)
    only_letters = pc.replace_substring_regex(bare, narrowed(r"[^\p{L}]+", bare), "")
    letters = pc.utf8_length(only_letters).to_numpy(zero_copy_only=False)
    syllables = pc.match_substring_regex(bare, _LONG_SYLLABLES).to_numpy(zero_copy_only=False)
    enough = np.where(syllables, letters >= _FEWEST_SYLLABLES, letters >= _FEWEST_LETTERS)
    found: BoolArray = enough | (length - letters >= _FEWEST_DIGITS)
    return found


def long_enough(texts: pa.Array) -> pa.Array:
    """Return texts, those too short to tell anything empty: `decide` without vowels is in many a token."""
    return pc.if_else(pa.array(tell(together(texts))), texts, "")


@dataclass(frozen=True, kw_only=True, eq=False)
class Form:
    """One form in which the values of a column are looked for."""

    name: str  # which form it is
    # shape (n_values,): a number for each distinct value of the column, the same for values that are the same
    # in this form; -1 for one without it
    of_value: IntArray
    # number of words to sums of words, in rising order, and the number of what each stands for
    keys: Mapping[int, tuple[Hashes, IntArray]]
    alone: tuple[str, ...]  # spellings of one word in scripts without borders of words
    shortest: int  # characters of the shortest spelling

    @property
    def n_keys(self) -> int:
        """Return how many different words, or runs of them, are looked for."""
        return sum(len(sums) for sums, _ in self.keys.values())

    def held(self, words: Words) -> tuple[IntArray, IntArray]:
        """Return the distinct pairs of a text, and the number of a value that it holds."""
        pairs = [np.zeros(0, dtype=np.int64)]
        for n_words, (sums, numbers) in self.keys.items():
            found, text = words.runs(n_words)
            begun = np.zeros(2**_BEGINNING, dtype=bool)
            begun[sums >> (64 - _BEGINNING)] = True
            hopeful = begun[found >> (64 - _BEGINNING)]
            found, text = found[hopeful], text[hopeful]
            place = np.minimum(np.searchsorted(sums, found), len(sums) - 1)
            hit = sums[place] == found
            pairs.append(text[hit] * len(self.of_value) + numbers[place[hit]])
        return np.divmod(sorted_distinct(np.concatenate(pairs)), max(1, len(self.of_value)))


def form_of(
    name: str, spellings: Sequence[Words], tells: BoolArray, *, plain: Words, length: IntArray
) -> Form:
    """Return what is looked for of values that tell; those with the same plain words are one."""
    _, number = np.unique(plain.sums, return_inverse=True)
    n_words = np.concatenate([words.n_words[tells] for words in spellings])
    sums = np.concatenate([words.sums[tells] for words in spellings])
    numbers = np.tile(number[tells], len(spellings))
    keys = {}
    for n in np.unique(n_words[n_words > 0]):
        chosen, first = np.unique(sums[n_words == n], return_index=True)
        keys[int(n)] = (chosen, numbers[n_words == n][first])
    return Form(
        name=name,
        of_value=np.where(tells, number, -1),
        keys=keys,
        alone=tuple({word for words in spellings for word in _alone(words, tells)}),
        shortest=int(length[tells].min(initial=10**9)),
    )


def _alone(words: Words, tells: BoolArray) -> Iterator[str]:
    """Yield the texts of one word that tell, of scripts without borders of words."""
    texts = words.words.filter(pa.array((tells & (words.n_words == 1))[words.text]))
    if not pc.all(pc.string_is_ascii(texts), min_count=0).as_py():
        yield from (text for text in texts.to_pylist() if _BORDERLESS.fullmatch(text))


def words_with(values: pa.Array, sought: Sequence[Form]) -> Words:
    """Return the words of cells; in scripts without borders of words the values that they hold instead.

    Spaces inside such a text are none of its words' borders: ``佐藤 花子さん`` holds ``佐藤花子``.
    """
    texts = folded_texts(values)
    known: dict[str, set[str]] = {}
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        for value in (value for form in sought for value in form.alone):
            known.setdefault(value[:_FEWEST_SYLLABLES], set()).add(value)
    if known:
        held = _held_in(known)
        joined = (_SPACED.sub("", text) for text in texts.to_pylist())
        texts = pa.array([_BORDERLESS.sub(lambda run: held(run[0]), text) for text in joined], pa.string())
    return words_of(texts)


def _held_in(known: Mapping[str, Collection[str]]) -> Callable[[str], str]:
    """Return what tells the known words that a word holds, the longest first, none over another; else it."""

    @cache
    def held(word: str) -> str:
        found = [
            (-len(value), start, value)
            for start in range(len(word) - _FEWEST_SYLLABLES + 1)
            for value in known.get(word[start : start + _FEWEST_SYLLABLES], ())
            if word.startswith(value, start)
        ]
        taken: dict[int, str] = {}
        free = [True] * len(word)
        for negative, start, value in sorted(found):
            if all(free[start : start - negative]):
                free[start : start - negative] = [False] * -negative
                taken[start] = value
        return f" {' '.join(taken[start] for start in sorted(taken))} " if taken else word

    return held
