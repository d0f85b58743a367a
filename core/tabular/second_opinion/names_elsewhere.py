"""Original values, and what a person recognizes of them, inside the cells of every column.

Values are compared as words: lower case, without accents and signs, in any order. A hit is a cell that holds
the value of its own row; what chance gives is counted exactly from how often each value stands in both
columns. Where the order of the records has changed, hits are cells that hold any value, held against what the
original column held, or against words combined anew.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import binomial_tail, poisson_tail
from core.coding import BoolArray, CodedColumn, IntArray, distinct_values, some_rows, sorted_distinct
from core.jobs import Threads
from core.letters import narrowed
from core.roles import Role
from core.roles.vocabulary import match_name
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.numbering import same_number_same_record
from core.tabular.second_opinion.pair import LoggedTables
from core.tabular.second_opinion.readable import recombined
from core.tabular.second_opinion.rewriting import dates_respelled, legible, respelled
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.verdict import Finding, Verdict
from core.words import number, own, share_of, text

_MOST_RECORDS = 50_000  # beyond, a seeded sample of them is read
_LEFT = 0.9  # share of unchanged cells from which a column is said to be left as it was, elsewhere
_FEWEST_SHARED = 3  # different values, below which columns of categories may use the same word
_FEWEST_HITS, _TIMES_CHANCE, _NO_ACCIDENT = 3, 5.0, 1e-4
_FEWEST_COUNTED, _WITHOUT_GAPS = 10, 0.2  # numbers, and the share of those from first to last that are there
_BEGINNING = 20  # bits of a sum that tell most sums from those that are looked for
_MOST_WORDS = 6  # of a value
_MOST_KEPT = 1 << 19  # words of a column of which runs are kept for the next form
_DAYS_OF_LIVES = 25_000.0  # dates that people alive may have been born on
_MOST_NAMES = 50_000  # distinct values whose remains are looked for
_FEWEST_LETTERS, _FEWEST_SYLLABLES, _FEWEST_DIGITS = 4, 2, 5
_DISTINCT, _NEARLY_DISTINCT = 0.5, 0.99  # share of distinct values from which words, or numbers, identify
_OF_THE_KIND = 0.8  # share of values that make a column one of names, numbers or dates
_CLEARLY_MORE = 0.8  # of what chance leaves over

_RESPELLED = "respelled"

_U64 = npt.NDArray[np.uint64]
_NONE: _U64 = np.zeros(0, dtype=np.uint64)

_DATE_LIKE = r"^(?:\d{1,4}[-/. ]+\d{1,2}[-/. ]+\d{1,4}\.?|(?:19|20)\d{6})(?:[T ].*)?$"
_MEASURE_LIKE = r"^[+-]?\d*[.,]\d+$"
_WORDS_ONLY = r"^[^\d@]*$"
_NO_WORD = r"[^\p{L}\p{N}]+"
_WORDED = r"\p{L}.*\p{L}"
# Letters of scripts that write words without spaces between them, or with particles after them.
_BORDERLESS = r"가-힣\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LONG_SYLLABLES = r"^[가-힣\p{Han}]"  # that two of make a name


@dataclass(frozen=True, kw_only=True)
class ValuesElsewhere:
    """An anonymized column whose cells hold values of an original column."""

    original: str  # column names
    anonymized: str
    # ``values`` as they were, in whatever spelling and order; ``respelled``, such as backwards, without
    # vowels or romanized; ``initials``, one word with the first letter of the other; ``one word`` of several
    form: str
    # whether hits are cells that hold the value of their own row; else cells that hold any value
    by_rows: bool
    n_hits: int  # cells, and how many there would be by chance
    n_by_chance: float
    n_filled: int  # non-blank cells of the anonymized column that were read


@dataclass(frozen=True, kw_only=True, eq=False)
class ElsewhereMeasurement:
    """All columns found to hold values of original columns."""

    found: tuple[ValuesElsewhere, ...]  # at most one per original and anonymized column
    n_read: int  # records read, all unless there are more than 50,000
    is_sample: bool  # whether these are not all


def measure_elsewhere(
    tables: LoggedTables,
    columns: Sequence[ColumnComparison],
    settings: SecondOpinionSettings,
    *,
    explained: frozenset[tuple[str, str]] = frozenset(),
) -> ElsewhereMeasurement:
    """Look for the values of every column that was taken out, identifies or is highly distinct."""
    read = _Read(tables=tables, settings=settings)
    sought = _sought(read, columns)
    found: list[ValuesElsewhere] = []
    if sought:
        with Threads() as threads:
            names = tables.anonymized.column_names
            for in_column in threads.map(lambda name: list(_in_column(read, sought, name)), names):
                found += in_column
    return ElsewhereMeasurement(
        found=tuple(one for one in found if (one.original, one.anonymized) not in explained),
        n_read=min(tables.n_anonymized, _MOST_RECORDS),
        is_sample=max(tables.n_anonymized, tables.n_original) > _MOST_RECORDS,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Read:
    """The records of both tables that are read."""

    tables: LoggedTables
    settings: SecondOpinionSettings

    def original(self, name: str) -> CodedColumn:
        return self._distinct(self.tables.original[name])

    def anonymized(self, name: str) -> CodedColumn:
        return self._distinct(self.tables.anonymized[name])

    def _distinct(self, column: pa.ChunkedArray) -> CodedColumn:
        if len(column) > _MOST_RECORDS:
            rows = some_rows(np.random.default_rng(self.settings.seed), len(column), _MOST_RECORDS)
            column = column.take(pa.array(rows))
        return distinct_values(column)


# --- words


@dataclass(frozen=True, kw_only=True, eq=False)
class _Words:
    """The words of texts, one after the other, as numbers: sums of them stand for words in any order."""

    words: pa.Array  # strings, and the 64 bits that stand for each
    hashes: _U64
    text: IntArray  # shape (n_words,): the text of each, in rising order
    n_texts: int  # how many texts there are

    @cached_property
    def totals(self) -> _U64:
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
    def sums(self) -> _U64:
        """Return shape (n_texts,): the sum of all words of each text."""
        return self.totals[self.starts[1:]] - self.totals[self.starts[:-1]]

    def windows(self, n_words: int) -> tuple[_U64, IntArray]:
        """Return the sums of every run of so many words of one text, and the text of each."""
        if n_words in self._windows:
            return self._windows[n_words]
        n = max(0, len(self.text) - n_words + 1)
        same = self.text[n_words - 1 : n_words - 1 + n] == self.text[:n]
        found = (self.totals[n_words : n_words + n] - self.totals[:n])[same], self.text[:n][same]
        if len(self.text) <= _MOST_KEPT:
            self._windows[n_words] = found
        return found

    @cached_property
    def _windows(self) -> dict[int, tuple[_U64, IntArray]]:
        return {}  # many forms are looked for in the same ones


def folded_texts(values: pa.Array) -> pa.Array:
    """Return texts as they are compared: lower case, without accents, letters apart from digits."""
    texts = pc.utf8_lower(legible(values))
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        texts = pc.replace_substring_regex(pc.utf8_normalize(texts, "NFKD"), r"[\p{Mn}\p{Cf}]+", "")
        texts = pc.utf8_normalize(texts, "NFKC")
    return _apart(texts)


def folded_together(values: pa.Array) -> pa.Array:
    """Return texts in lower case, without accents, signs and spaces."""
    texts = folded_texts(values)
    return pc.replace_substring_regex(texts, narrowed(_NO_WORD, texts), "")


def _apart(texts: pa.Array) -> pa.Array:
    texts = pc.replace_substring_regex(texts, narrowed(r"([\p{L}])([\p{N}])", texts), r"\1 \2")
    return pc.replace_substring_regex(texts, narrowed(r"([\p{N}])([\p{L}])", texts), r"\1 \2")


def words_of(texts: pa.Array) -> _Words:
    """Return the words of folded texts: runs of letters or digits."""
    lists = pc.split_pattern_regex(texts, narrowed(_NO_WORD, texts))
    filled = pc.not_equal(lists.flatten(), "")
    words = lists.flatten().filter(filled)
    text = pc.list_parent_indices(lists).filter(filled).to_numpy()
    return _Words(words=words, hashes=_hashes(words), text=text.astype(np.int64), n_texts=len(texts))


def _hashes(words: pa.Array) -> _U64:
    """Return 64 bits for each word, the same for the same word."""
    encoded = pc.dictionary_encode(words)
    of_word = pd.util.hash_array(encoded.dictionary.to_numpy(zero_copy_only=False), categorize=False)
    return of_word[encoded.indices.to_numpy()]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Form:
    """One form in which the values of an original column are looked for."""

    name: str  # which form it is
    # shape (n_values,): a number for each distinct value of the column, the same for values that are the same
    # in this form; -1 for one without it
    of_value: IntArray
    # number of words to sums of words, in rising order, and the number of what each stands for
    keys: Mapping[int, tuple[_U64, IntArray]]
    alone: tuple[str, ...]  # spellings of one word in scripts without borders of words
    shortest: int  # characters of the shortest spelling
    firsts: _U64  # the words of values of two words, to combine anew; empty for other forms
    lasts: _U64

    def in_texts(self, words: _Words) -> tuple[IntArray, IntArray]:
        """Return the distinct pairs (text, number of what it holds)."""
        pairs = []
        for n_words, (sums, numbers) in self.keys.items():
            found, text = words.windows(n_words)
            begun = np.zeros(2**_BEGINNING, dtype=bool)
            begun[sums >> (64 - _BEGINNING)] = True
            hopeful = begun[found >> (64 - _BEGINNING)]
            found, text = found[hopeful], text[hopeful]
            place = np.minimum(np.searchsorted(sums, found), len(sums) - 1)
            hit = sums[place] == found
            pairs.append(text[hit] * len(self.of_value) + numbers[place[hit]])
        return np.divmod(sorted_distinct(np.concatenate(pairs)), len(self.of_value))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sought:
    """A column whose values are looked for."""

    column: str  # its name and distinct values
    cells: CodedColumn
    kind: str  # ``names`` (words), ``numbers`` (with digits) or ``dates``
    forms: tuple[_Form, ...]  # in which its values are looked for, the most revealing first


def _sought(read: _Read, columns: Sequence[ColumnComparison]) -> list[_Sought]:
    """Return the columns to look for, with their values as words."""
    left = {column.original for column in columns if column.is_left}
    kept = {column.original for column in columns if column.n_filled_anonymized}
    names = [name for name in read.tables.original.column_names if name not in left]
    with Threads() as threads:
        found = threads.map(lambda name: _column_sought(read, name, is_kept=name in kept), names)
        return [one for one in found if one is not None]


def _column_sought(read: _Read, name: str, *, is_kept: bool) -> _Sought | None:
    """Return the forms of a column's values, None where they are found everywhere or tell nobody apart."""
    entry, named = read.tables.log.entry(name), match_name(name)
    taken_out = not is_kept or entry.takes_out
    identifies = is_high_risk(entry.semantic)
    identifies |= named is not None and named.rule.role is Role.DIRECT_IDENTIFIER
    values = read.original(name)
    if not values.n_filled:
        return None
    patterns = {"measures": _MEASURE_LIKE, "dates": _DATE_LIKE, "names": _WORDS_ONLY}
    kinds = (kind for kind, pattern in patterns.items() if _are_mostly(values.values, pattern))
    kind = next(kinds, "numbers")
    least = _NEARLY_DISTINCT if kind == "numbers" else _DISTINCT
    distinct = kind in {"names", "numbers", "dates"} and values.n_distinct >= least * values.n_filled
    if kind == "measures" or not (taken_out or identifies or distinct):
        return None
    is_name = kind == "names" and (taken_out or identifies)
    forms = tuple(form for form in _forms(values.values, kind=kind, is_name=is_name) if form.keys)
    return _Sought(column=name, cells=values, kind=kind, forms=forms) if forms else None


def _forms(values: pa.Array, *, kind: str, is_name: bool) -> Iterator[_Form]:
    """Yield the values as they are, in other spellings, and of names what is left of them."""
    texts = folded_texts(values)
    words = words_of(texts)
    together = pc.replace_substring_regex(texts, narrowed(_NO_WORD, texts), "")
    spelled = [texts, together]
    if kind == "dates":
        spelled += dates_respelled(values)
    elif kind == "numbers":
        pattern = rf"^[^0-9]*(?P<number>[0-9]{{{_FEWEST_DIGITS},}})[^0-9]*$"
        spelled.append(pc.fill_null(pc.extract_regex(texts, pattern).field("number"), ""))
    others = [each for at, each in enumerate(spelled) if not any(map(each.equals, spelled[:at]))][1:]
    spellings = [words, *map(words_of, others)]
    length = pc.utf8_length(together).to_numpy(zero_copy_only=False)
    tells = _tell(together, length) & (words.n_words <= _MOST_WORDS)
    two = tells & (words.n_words == 2)
    are_pairs = kind == "names" and two.sum() > tells.sum() / 2
    firsts = words.hashes[words.starts[:-1][two]] if are_pairs else _NONE
    lasts = words.hashes[words.starts[1:][two] - 1] if are_pairs else _NONE
    yield _form("values", spellings, tells, length, firsts=firsts, lasts=lasts)
    if is_name:
        respellings = [words_of(_apart(_long_enough(other))) for other in respelled(texts)]
        yield _form(_RESPELLED, respellings, tells, length, plain=words)
        yield from _name_forms(words)


def _tell(together: pa.Array, length: IntArray) -> BoolArray:
    """Return which values are long enough not to be found everywhere."""
    only_letters = pc.replace_substring_regex(together, narrowed(r"[^\p{L}]+", together), "")
    letters = pc.utf8_length(only_letters).to_numpy(zero_copy_only=False)
    syllables = pc.match_substring_regex(together, _LONG_SYLLABLES).to_numpy(zero_copy_only=False)
    enough = np.where(syllables, letters >= _FEWEST_SYLLABLES, letters >= _FEWEST_LETTERS)
    return enough | (length - letters >= _FEWEST_DIGITS)


def _long_enough(texts: pa.Array) -> pa.Array:
    """Return texts, those too short to tell anything empty: `decide` without vowels is in many a token."""
    together = pc.replace_substring_regex(texts, narrowed(_NO_WORD, texts), "")
    length = pc.utf8_length(together).to_numpy(zero_copy_only=False)
    return pc.if_else(pa.array(_tell(together, length)), texts, "")


def _form(
    name: str,
    spellings: Sequence[_Words],
    tells: BoolArray,
    length: IntArray,
    *,
    plain: _Words | None = None,
    firsts: _U64 | None = None,
    lasts: _U64 | None = None,
) -> _Form:
    """Return what is looked for; values with the same words in the first or the plain spelling are one."""
    _, number = np.unique((plain or spellings[0]).sums, return_inverse=True)
    of_value = np.where(tells, number, -1)
    n_words = np.concatenate([words.n_words[tells] for words in spellings])
    sums = np.concatenate([words.sums[tells] for words in spellings])
    numbers = np.tile(number[tells], len(spellings))
    keys = {}
    for n in np.unique(n_words[n_words > 0]):
        chosen, first = np.unique(sums[n_words == n], return_index=True)
        keys[int(n)] = (chosen, numbers[n_words == n][first])
    return _Form(
        name=name,
        of_value=of_value,
        keys=keys,
        alone=tuple({word for words in spellings for word in _alone(words, tells)}),
        shortest=int(length[tells].min(initial=10**9)),
        firsts=_NONE if firsts is None else firsts,
        lasts=_NONE if lasts is None else lasts,
    )


def _alone(words: _Words, tells: BoolArray) -> Iterator[str]:
    """Yield the texts of one word that tell, of scripts without borders of words."""
    texts = words.words.filter(pa.array((tells & (words.n_words == 1))[words.text]))
    if not pc.all(pc.string_is_ascii(texts), min_count=0).as_py():
        yield from texts.filter(pc.match_substring_regex(texts, rf"^[{_BORDERLESS}]{{2,}}$")).to_pylist()


def _name_forms(words: _Words) -> Iterator[_Form]:
    """Yield what is left of names of two to four words: one with the other's first letter, or one alone."""
    texts, starts = words.words.to_pylist(), words.starts
    names = [texts[starts[i] : starts[i + 1]] for i in range(min(words.n_texts, _MOST_NAMES))]
    names = [name if 2 <= len(name) <= 4 else ["", ""] for name in names]
    names += [["", ""]] * (words.n_texts - len(names))
    for first, last in ((0, -1), (-1, 0)):
        tells = np.array(
            [len(n[last]) >= _FEWEST_LETTERS - 1 and len(n[first]) > 1 for n in names], dtype=bool
        )
        spelled = (
            [f"{name[first][:1]} {name[last]}" for name in names],
            [f"{name[first][:1]}{name[last]}" for name in names],
            [f"{name[last]}{name[first][:1]}" for name in names],
        )
        if tells.any():
            length = np.array([1 + len(name[last]) for name in names])
            yield _form(
                "initials", [words_of(pa.array(each, pa.string())) for each in spelled], tells, length
            )
    for one in (-1, 0):
        alone = pa.array([name[one] for name in names], pa.string())
        length = pc.utf8_length(alone).to_numpy(zero_copy_only=False)
        tells = _tell(alone, length)
        if tells.any():
            yield _form("one word", [words_of(alone)], tells, length)


# --- looking for them


def _in_column(read: _Read, sought: Sequence[_Sought], anonymized: str) -> Iterator[ValuesElsewhere]:
    """Yield the columns whose values an anonymized column holds, each in its most revealing form."""
    cells = read.anonymized(anonymized)
    if not cells.n_filled:
        return
    longest = pc.max(pc.utf8_length(cells.values)).as_py()
    is_dated = _are_mostly(cells.values, _DATE_LIKE)
    is_worded = _are_mostly(cells.values, _WORDED)
    possible = [
        (one, form)
        for one in sought
        for form in one.forms
        if form.shortest <= longest
        and not (one.kind == "dates" and is_dated)
        and (is_worded or form.name != _RESPELLED)
    ]
    if not possible:
        return
    words = _cell_words(cells, [form for one in sought for form in one.forms])
    done: set[str] = set()
    for one, form in possible:
        found = None
        if one.column not in done:
            found = _one_form(read, one, form, anonymized, cells=cells, words=words)
        if found is not None:
            done.add(one.column)
            yield found


def _are_mostly(values: pa.Array, pattern: str) -> bool:
    """Whether most of the first values fit a pattern."""
    fitting = pc.match_substring_regex(values.slice(0, 1000), pattern)
    return bool(pc.mean(fitting.cast(pa.int8())).as_py() >= _OF_THE_KIND)


def _cell_words(cells: CodedColumn, sought: Sequence[_Form]) -> _Words:
    """Return the words of a column's values; in scripts without borders of words the values held instead.

    Spaces inside such a text are none of its words' borders: ``佐藤 花子さん`` holds ``佐藤花子``.
    """
    texts = folded_texts(cells.values)
    words = words_of(texts)
    if pc.all(pc.string_is_ascii(texts)).as_py():
        return words
    known: dict[str, set[str]] = {}
    for value in (value for form in sought for value in form.alone):
        known.setdefault(value[:_FEWEST_SYLLABLES], set()).add(value)
    if not known:
        return words
    spaced = rf"([{_BORDERLESS.removeprefix('가-힣')}])[ ・·]+([{_BORDERLESS.removeprefix('가-힣')}])"
    if _any(pc.match_substring_regex(texts, spaced)):
        joined = pc.replace_substring_regex(texts, spaced, r"\1\2")
        words = words_of(pc.replace_substring_regex(joined, spaced, r"\1\2"))
    return _with_held_words(words, known)


def _any(found: pa.Array) -> bool:
    return bool(pc.any(found, min_count=0).as_py())


def _with_held_words(words: _Words, known: Mapping[str, Collection[str]]) -> _Words:
    """Return the words, those that hold known ones replaced by them; by their beginnings they are known."""
    long = pc.match_substring_regex(words.words, rf"[{_BORDERLESS}]{{3,}}").to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(long)
    if not len(rows):
        return words
    encoded = pc.dictionary_encode(words.words.take(pa.array(rows)))
    held = [_held(word, known) or [word] for word in encoded.dictionary.to_pylist()]
    counts = np.ones(len(words.words), dtype=np.int64)
    counts[rows] = np.array([len(each) for each in held])[encoded.indices.to_numpy()]
    parts = pa.array([part for each in held for part in each], words.words.type)
    starts = np.cumsum([0, *map(len, held)])
    place = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    of_word = np.full(len(counts), -1)
    of_word[rows] = starts[encoded.indices.to_numpy()]
    source = np.where(of_word[place] < 0, place, len(counts) + of_word[place] + nth)
    combined = pa.concat_arrays([words.words, parts]).take(pa.array(source))
    return _Words(words=combined, hashes=_hashes(combined), text=words.text[place], n_texts=words.n_texts)


def _held(word: str, known: Mapping[str, Collection[str]]) -> list[str]:
    """Return the known words that a word holds, the longest first, none over another."""
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
    return [taken[start] for start in sorted(taken)]


def _one_form(
    read: _Read, one: _Sought, form: _Form, anonymized: str, *, cells: CodedColumn, words: _Words
) -> ValuesElsewhere | None:
    """Return what a column holds of another in one form, None where chance explains it."""
    text, number = form.in_texts(words)
    if one.column == anonymized and form.name in {"values", _RESPELLED}:
        # Looked for in its own column: only what is not written as one of the original.
        ours, theirs = cells.values, one.cells.values  # noqa: PD011 - of a dataclass
        known = pc.is_in(ours.cast(pa.string()), value_set=theirs.cast(pa.string()))
        changed = ~known.to_numpy(zero_copy_only=False)
        text, number = text[changed[text]], number[changed[text]]
    if len(text) == 0:
        return None
    found = None
    if read.tables.order != "changed":
        found = _in_rows(one, form, cells=cells, text=text, number=number)
    if found is None and read.tables.order != "kept":
        found = _anywhere(read, one, form, anonymized, cells=cells, words=words, held=(text, number))
    if found is None and one.column != anonymized:
        found = _in_a_cell_or_two(one, form, cells=cells, words=words, text=text)
    if found is None:
        return None
    n_hits, n_by_chance, by_rows = found
    return ValuesElsewhere(
        original=one.column,
        anonymized=anonymized,
        form=form.name,
        by_rows=by_rows,
        n_hits=n_hits,
        n_by_chance=n_by_chance,
        n_filled=cells.n_filled,
    )


_Hits = tuple[int, float, bool]


def _in_rows(
    one: _Sought, form: _Form, *, cells: CodedColumn, text: IntArray, number: IntArray
) -> _Hits | None:
    """Count the cells that hold the value of their own row, and how many would in random order."""
    value = np.append(form.of_value, -1)[one.cells.codes]
    n_numbers = 1 + int(max(value.max(initial=-1), number.max(initial=-1)))
    pairs = np.sort(text * n_numbers + number)
    rows = np.flatnonzero((cells.codes >= 0) & (value >= 0))
    of_rows = cells.codes[rows] * n_numbers + value[rows]
    place = np.minimum(np.searchsorted(pairs, of_rows), len(pairs) - 1)
    n_hits = int(np.count_nonzero(pairs[place] == of_rows))
    n_of_number = np.bincount(value[value >= 0], minlength=n_numbers)
    n_by_chance = float((cells.counts[text] * n_of_number[number]).sum()) / max(len(cells.codes), 1)
    if n_hits < _FEWEST_HITS or n_hits < _TIMES_CHANCE * n_by_chance:
        return None
    if poisson_tail(n_hits, max(n_by_chance, 1e-9)) > _NO_ACCIDENT:
        return None
    return n_hits, n_by_chance, True


def _in_a_cell_or_two(
    one: _Sought, form: _Form, *, cells: CodedColumn, words: _Words, text: IntArray
) -> _Hits | None:
    """Count cells fewer than any other check asks for, where a number is too long to be there by chance."""
    n_hits = int(cells.counts[np.unique(text)].sum())
    if one.kind != "numbers" or form.name != "values" or n_hits >= _FEWEST_HITS:
        return None
    return None if _are_any_digits(one, form, words, n_hits) else (n_hits, 0.0, False)


def _anywhere(
    read: _Read,
    one: _Sought,
    form: _Form,
    anonymized: str,
    *,
    cells: CodedColumn,
    words: _Words,
    held: tuple[IntArray, IntArray],
) -> _Hits | None:
    """Count the cells that hold any value, where nobody knows whose row is whose."""
    text, number = held
    n_hits = int(cells.counts[np.unique(text)].sum())
    is_chance = one.kind != "names" and (
        _hold_by_counting(words, text)
        or same_number_same_record(read.tables, one.column, anonymized) is False
    )
    if n_hits < _FEWEST_HITS or is_chance or _is_a_shared_word(one, form, cells, words, held):
        return None
    if one.column == anonymized:
        are_same = n_hits >= _LEFT * cells.n_filled and _are_the_same(one, form, cells=cells, held=held)
        return (n_hits, 0.0, False) if are_same else None
    before = _before(read, one, form, anonymized)
    if before is not None:
        scale = read.tables.n_anonymized / max(read.tables.n_original, 1)
        found = _against_before(n_hits, n_own=before[0], n_whole=before[1], scale=scale)
        n_texts = len(np.unique(text))
        is_chance = (
            found is not None
            and one.kind != "names"
            and _are_any_digits(one, form, words, min(found[0], n_texts))
        )
        return None if is_chance else found
    if len(form.firsts):
        return _against_recombined(form, cells=cells, words=words, n_hits=n_hits)
    if form.name not in {"values", _RESPELLED} or (form.alone and _is_any_name(one, cells, n_hits)):
        return None
    n_found = len(np.unique(number))
    return _against_density(form, cells=cells, n_hits=n_hits, n_found=n_found, kind=one.kind)


def _is_a_shared_word(
    one: _Sought, form: _Form, cells: CodedColumn, words: _Words, held: tuple[IntArray, IntArray]
) -> bool:
    """Whether two columns of categories have no more than a word in common, such as `high`."""
    text, number = (np.unique(each) for each in held)
    if len(number) >= _FEWEST_SHARED or one.cells.n_distinct >= _DISTINCT * one.cells.n_filled:
        return False
    if len(text) >= _FEWEST_SHARED or cells.counts[text].sum() >= _LEFT * cells.n_filled:
        return False
    known = form.keys[1][0] if 1 in form.keys else _NONE  # two words, such as a full name, are no accident
    return bool(np.all(words.n_words[text] == 1) and np.isin(words.sums[text], known).all())


def _against_before(n_hits: int, *, n_own: int, n_whole: int, scale: float) -> _Hits | None:
    """Hold cells with a value against those of the original column, of which some held that of their row."""
    expected = n_whole * scale
    if n_hits >= max(_FEWEST_HITS + expected, _TIMES_CHANCE * expected):
        return n_hits, expected, False  # they were put there
    n_left = round(n_hits * n_own / max(n_whole, 1))
    return (n_left, 0.0, False) if n_left >= _FEWEST_HITS else None


def _before(read: _Read, one: _Sought, form: _Form, anonymized: str) -> tuple[int, int] | None:
    """Return the original column's cells with their row's value beyond chance and with any, None without."""
    pairs = (pair.pair.original for pair in read.tables.coded if pair.pair.anonymized == anonymized)
    source = next(pairs, None)
    if source is None:
        return None
    cells = read.original(source)
    text, number = form.in_texts(_cell_words(cells, one.forms))
    if len(text) == 0:
        return 0, 0
    found = _in_rows(one, form, cells=cells, text=text, number=number)
    return found[0] if found else 0, int(cells.counts[np.unique(text)].sum())


def are_counted(texts: pa.Array) -> bool:
    """Whether the long numbers of texts were counted up, as 000001 is: many of those between are there."""
    long = pc.match_substring_regex(texts, rf"^[0-9]{{{_FEWEST_DIGITS},15}}$")
    numbers = np.unique(pc.cast(pc.unique(texts.filter(long)), pa.int64()).to_numpy())
    return len(numbers) >= _FEWEST_COUNTED and numbers[-1] - numbers[0] < len(numbers) / _WITHOUT_GAPS


def _hold_by_counting(words: _Words, held: IntArray) -> bool:
    """Whether less than half of a column's numbers hold a value, and they were counted up.

    Of numbers without gaps each that may be written is there, whatever it means elsewhere.
    """
    if not are_counted(words.words):
        return False
    long = pc.match_substring_regex(words.words, rf"^[0-9]{{{_FEWEST_DIGITS},15}}$")
    return 2 * len(np.unique(held)) < len(np.unique(words.text[long.to_numpy(zero_copy_only=False)]))


def _are_any_digits(one: _Sought, form: _Form, words: _Words, n_texts: int) -> bool:
    """Whether so many different texts with long numbers, random tokens among them, hold a value by chance.

    A token that stands in many cells is drawn once. Dates are looked for in six digits in three orders too.
    Amounts are held against those that are a little smaller or larger than any value.
    """
    digits = pc.match_substring_regex(words.words, rf"^[0-9]{{{_FEWEST_DIGITS},}}$")
    n_with_digits = len(np.unique(words.text[digits.to_numpy(zero_copy_only=False)]))
    n_values = len(np.unique(form.of_value[form.of_value >= 0]))
    likely = 3 * n_values / 10.0**6 if one.kind == "dates" else n_values / 10.0**form.shortest
    n_by_chance = max(min(1.0, likely) * n_with_digits, _n_nearby(one.cells.values, words))
    return poisson_tail(n_texts, max(n_by_chance, 1e-9)) > _NO_ACCIDENT


def _n_nearby(values: pa.Array, words: _Words) -> float:
    """Return how many texts hold a value by chance, were their numbers as frequent as in the range around.

    Which is from half of the smallest value to twice the largest, without the range of the values.
    """
    sought, there = (
        each.filter(pc.match_substring_regex(each, "^[0-9]{1,15}$")) for each in (values, words.words)
    )
    if len(sought) < len(values) or not len(there):
        return 0.0
    sought, there = (pc.cast(each, pa.int64()).to_numpy() for each in (pc.unique(sought), there))
    low, high = int(sought.min()), int(sought.max())
    around = ((there >= low // 2) & (there < low)) | ((there > high) & (there <= 2 * high))
    return float(np.count_nonzero(around)) / max(low - low // 2 + high, 1) * len(sought)


def _against_recombined(form: _Form, *, cells: CodedColumn, words: _Words, n_hits: int) -> _Hits | None:
    """Hold cells with a value against cells with any of its words beside each other."""
    firsts, lasts = np.isin(words.hashes, form.firsts), np.isin(words.hashes, form.lasts)
    pair = (firsts[:-1] & lasts[1:]) | (lasts[:-1] & firsts[1:])
    pair &= words.text[1:] == words.text[:-1]
    n_pairs = max(int(cells.counts[np.unique(words.text[:-1][pair])].sum()), n_hits)
    # How likely are first and last words of different values a value themselves?
    rng = np.random.default_rng(0)
    first, last = rng.integers(0, len(form.firsts), (2, 5_000))
    likely = float(np.isin(form.firsts[first] + form.lasts[last], form.keys[2][0]).mean())
    n_by_chance = n_pairs * likely
    clearly = n_hits - n_by_chance >= _CLEARLY_MORE * (n_pairs - n_by_chance)
    if binomial_tail(n_hits, n_pairs, likely) > _NO_ACCIDENT or not clearly:
        return None
    return n_hits, n_by_chance, False


def _is_any_name(one: _Sought, cells: CodedColumn, n_hits: int) -> bool:
    """Whether cells hold as many names made up of the same letters, in a script without borders of words."""
    values = one.cells.values.to_pylist()[:_MOST_NAMES]  # noqa: PD011 - of a dataclass
    made_up = {*recombined(values, np.random.default_rng(0))} - {*values}
    if not made_up:
        return True
    (other, *_) = _forms(pa.array(sorted(made_up), pa.string()), kind=one.kind, is_name=False)
    text, _ = (
        other.in_texts(_cell_words(cells, [other])) if other.keys else (np.zeros(0, dtype=np.int64),) * 2
    )
    scale = max(1.0, len(values) / len(made_up))
    n_by_chance = float(cells.counts[np.unique(text)].sum()) * scale
    return n_hits < _TIMES_CHANCE * n_by_chance or poisson_tail(n_hits, max(n_by_chance, 1e-9)) > _NO_ACCIDENT


def _are_the_same(one: _Sought, form: _Form, *, cells: CodedColumn, held: tuple[IntArray, IntArray]) -> bool:
    """Whether a column's own values occur as often as before; drawn anew from them they would not."""
    text, number = held
    n_numbers = 1 + max(int(number.max()), int(form.of_value.max(initial=0)))
    ours = np.bincount(number, weights=cells.counts[text], minlength=n_numbers)
    used = form.of_value >= 0
    theirs = np.bincount(form.of_value[used], weights=one.cells.counts[used], minlength=n_numbers)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(int(ours.sum()), theirs / theirs.sum(), size=20)
    by_chance = float(np.minimum(drawn, theirs).sum(axis=1).max())
    kept = float(np.minimum(ours, theirs).sum())
    return kept - by_chance >= _CLEARLY_MORE * (ours.sum() - by_chance) > 0


def _against_density(
    form: _Form, *, cells: CodedColumn, n_hits: int, n_found: int, kind: str
) -> _Hits | None:
    """Hold cells with an identifier against how many numbers are that long; words by variety."""
    n_values = len(np.unique(form.of_value[form.of_value >= 0]))
    if kind == "names":
        return (n_hits, 0.0, False) if n_found >= _DISTINCT * min(n_values, n_hits) else None
    n_possible = _DAYS_OF_LIVES if kind == "dates" else 10.0**form.shortest
    n_by_chance = min(1.0, n_values / n_possible) * cells.n_filled
    if n_hits < _TIMES_CHANCE * n_by_chance or poisson_tail(n_hits, max(n_by_chance, 1e-9)) > _NO_ACCIDENT:
        return None
    return n_hits, n_by_chance, False


# --- judging


def judge_elsewhere(
    measured: ElsewhereMeasurement,
    thresholds: SecondOpinionThresholds,  # noqa: ARG001 - as every judge
) -> list[Finding]:
    """Return a finding per column whose cells hold what should be gone."""
    return [_finding(one, measured) for one in measured.found]


_WHAT = {
    "values": "values",
    _RESPELLED: "values in another spelling",
    "initials": "names, one word shortened to its first letter,",
    "one word": "one word of the names",
}


def _finding(one: ValuesElsewhere, measured: ElsewhereMeasurement) -> Finding:
    source = (
        text("its own original")
        if one.original == one.anonymized
        else text("the original column `{column}`", column=one.original)
    )
    found = share_of(one.n_hits, one.n_filled)
    found = (
        text(
            "{found} cells of a sample of {n} record",
            "{found} cells of a sample of {n} records",
            n=measured.n_read,
            found=found,
        )
        if measured.is_sample
        else text("{found} cells", found=found)
    )
    message = (
        "Cells of `{column}` hold {what} of {source}, in the same rows: {found}, by chance about "
        "{by_chance}. Whoever reads them sees what should be gone."
        if one.by_rows
        else (
            "Cells of `{column}` hold {what} of {source}, in some row: {found}, by chance about {by_chance}. "
            "Whoever reads them sees what should be gone."
        )
    )
    return Finding.of(
        "original_values_inside",
        Verdict.WARN if one.form == "one word" else Verdict.FAIL,
        column=one.anonymized,
        n_affected=one.n_hits,
    )(message, what=own(_WHAT[one.form]), source=source, found=found, by_chance=number(one.n_by_chance)).told(
        short=text(
            "Cells of `{column}` hold {what} of {source}: {found}.",
            column=one.anonymized,
            what=own(_WHAT[one.form]),
            source=source,
            found=found,
        )
    )
