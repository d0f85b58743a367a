"""Original values, and what a person recognizes of them, inside the cells of every column.

Values are compared as words: lower case, without accents and signs, in any order. Where the order of the
records has changed, cells that hold any value are held against what the original column held, and against
made-up values of the same build.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import poisson_tail
from core.coding import BoolArray, CodedColumn, IntArray, distinct_values, some_rows
from core.comparing.keys import FEWEST, Held, Hits, hits_in_rows
from core.comparing.made_up import recombined
from core.comparing.readings import apart, dated, folded_texts, respelled, together, words_apart
from core.comparing.words import Form, Words, form_of, long_enough, tell, words_of, words_with
from core.people.roles import Role
from core.people.roles.vocabulary import match_name
from core.processes.jobs import Threads
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.numbering import same_number_same_record
from core.tabular.second_opinion.pair import LoggedTables
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings
from core.values.dates import YEAR
from core.verdict import Finding, Verdict
from core.words import Value, own, share_of, text
from core.words import number as in_words

_MOST_RECORDS = 50_000  # beyond, a seeded sample of them is read
_MOST_WORDS = 6  # of a value
_MOST_NAMES = 50_000  # distinct values of which parts are looked for
_MADE_UP, _MOST_DRAWS = (
    20_000,
    20,
)  # made-up values that are looked for, and how often each value is recombined
_TIMES_CHANCE, _NO_ACCIDENT = 5.0, 1e-4
_LEFT = 0.9  # share of the cells of a column from which it is the original's, elsewhere
_FEWEST_COUNTED, _WITHOUT_GAPS = 10, 0.2  # numbers, and the share of those from first to last that are there
_DISTINCT, _NEARLY_DISTINCT = 0.5, 0.99  # share of distinct values from which words, or numbers, identify
_OF_THE_KIND = 0.8  # share of values that make a column one of names, numbers or dates
_CLEARLY_MORE = 0.8  # of what chance leaves over
_DIGITS_IN_SHORT_DATES, _WAYS_OF_SHORT_DATES = 6, 3

_VALUES, _RESPELLED = "values", "respelled"

_DATE_LIKE = rf"^(?:\d{{1,4}}[-/. ]+\d{{1,2}}[-/. ]+\d{{1,4}}\.?|{YEAR}\d{{4}})(?:[T: ].*)?$"
_MEASURE_LIKE = r"^[+-]?\d*[.,]\d+$"
_WORDS_ONLY = r"^[^\d@]*$"
_ONE_LONG_NUMBER = r"^[^0-9]*(?P<number>[0-9]{5,})[^0-9]*$"
_WORDED = r"\p{L}.*\p{L}"


@dataclass(frozen=True, kw_only=True)
class ValuesInTexts:
    """An anonymized column whose cells hold values of an original column."""

    original: str  # column names
    anonymized: str
    # ``values`` as they were, in whatever spelling and order; ``respelled``, such as backwards, without
    # vowels or romanized; ``initials``, one word with the first letter of the other; ``one word`` of several
    form: str
    hits: Hits
    n_filled: int  # cells that are not blank, of those that were read
    # records that were read, where these are not all
    n_sampled: int | None = None


def measure_in_texts(
    tables: LoggedTables,
    columns: Sequence[ColumnComparison],
    settings: SecondOpinionSettings,
    *,
    explained: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[ValuesInTexts, ...]:
    """Look for the values of every column that was taken out, identifies or is highly distinct."""
    read = _Read(tables=tables, settings=settings)
    left = {column.original for column in columns if column.is_left}
    kept = {column.original for column in columns if column.n_filled_anonymized}
    names = [name for name in tables.original.column_names if name not in left]
    with Threads() as threads:
        asked = list(threads.map(lambda name: _sought(read, name, is_kept=name in kept), names))
        sought = [one for one in asked if one is not None]
        places = tables.anonymized.column_names if sought else []
        found = threads.map(lambda name: [*_in_column(read, sought, name)], places)
        return tuple(one for each in found for one in each if (one.original, one.anonymized) not in explained)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Read:
    """The records of both tables that are read."""

    tables: LoggedTables
    settings: SecondOpinionSettings

    def original(self, name: str) -> CodedColumn:
        return self._distinct(self.tables.original[name])

    def anonymized(self, name: str) -> CodedColumn:
        return self._distinct(self.tables.anonymized[name])

    @property
    def n_sampled(self) -> int | None:
        """Return how many records are read; None for all."""
        is_sample = max(self.tables.n_anonymized, self.tables.n_original) > _MOST_RECORDS
        return min(self.tables.n_anonymized, _MOST_RECORDS) if is_sample else None

    def source_of(self, anonymized: str) -> CodedColumn | None:
        """Return the original column that an anonymized one stands for."""
        pairs = (pair.pair.original for pair in self.tables.coded if pair.pair.anonymized == anonymized)
        name = next(pairs, None)
        return None if name is None else self.original(name)

    def _distinct(self, column: pa.ChunkedArray) -> CodedColumn:
        if len(column) > _MOST_RECORDS:
            rows = some_rows(np.random.default_rng(self.settings.seed), len(column), _MOST_RECORDS)
            column = column.take(pa.array(rows))
        return distinct_values(column)


# --- what is looked for


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sought:
    """A column whose values are looked for."""

    column: str  # its name and distinct values
    cells: CodedColumn
    kind: str  # ``names`` (words), ``numbers`` (with digits) or ``dates``
    is_name: bool  # whether parts of its values are looked for too

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Return the forms in which its values are looked for, the most revealing first."""
        return tuple(_forms(self.cells.values, kind=self.kind, is_name=self.is_name))

    @cached_property
    def made_up(self) -> tuple[Form, ...]:
        """Return the same of made-up values; none where nothing can be made up that is not one of them."""
        values = self.cells.values.to_pylist()[:_MOST_NAMES]
        rng, known = np.random.default_rng(0), set(values)
        n_draws = min(_MOST_DRAWS, 1 + _MADE_UP // max(1, len(values)))
        made = {one for _ in range(n_draws) for one in recombined(values, rng)} - known
        texts = pa.array(sorted(made), pa.string())
        return tuple(_forms(texts, kind=self.kind, is_name=self.is_name, in_parts=False))


def _sought(read: _Read, name: str, *, is_kept: bool) -> _Sought | None:
    """Return a column to look for, None where its values are found everywhere or tell nobody apart."""
    entry, named = read.tables.log.entry(name), match_name(name)
    taken_out = not is_kept or entry.takes_out
    identifies = is_high_risk(entry.semantic)
    identifies |= named is not None and named.rule.role is Role.DIRECT_IDENTIFIER
    values = read.original(name)
    if not values.n_filled:
        return None
    patterns = {"measures": _MEASURE_LIKE, "dates": _DATE_LIKE, "names": _WORDS_ONLY}
    kind = next((kind for kind, each in patterns.items() if _are_mostly(values.values, each)), "numbers")
    least = _NEARLY_DISTINCT if kind == "numbers" else _DISTINCT
    distinct = values.n_distinct >= least * values.n_filled
    if kind == "measures" or not (taken_out or identifies or distinct):
        return None
    is_name = kind == "names" and (taken_out or identifies)
    one = _Sought(column=name, cells=values, kind=kind, is_name=is_name)
    return one if one.forms else None


def _are_mostly(values: pa.Array, pattern: str) -> bool:
    """Whether most of the first values fit a pattern."""
    fitting = pc.match_substring_regex(values.slice(0, 1000), pattern)
    return bool(pc.mean(fitting.cast(pa.int8())).as_py() >= _OF_THE_KIND)


def _forms(values: pa.Array, *, kind: str, is_name: bool, in_parts: bool = True) -> Iterator[Form]:
    """Yield the values as they are, in other spellings, and of names what is left of them."""
    texts = folded_texts(values)
    words, bare = words_of(texts), together(texts)
    spelled = [bare]
    if kind == "dates":
        spelled += [pa.array(each, pa.string()) for each in dated(values.to_pylist())]
    elif kind == "numbers":
        spelled.append(pc.fill_null(pc.extract_regex(texts, _ONE_LONG_NUMBER).field("number"), ""))
    length = pc.utf8_length(bare).to_numpy(zero_copy_only=False)
    tells = tell(bare) & (words.n_words <= _MOST_WORDS)
    forms = [form_of(_VALUES, [words, *map(words_of, spelled)], tells, plain=words, length=length)]
    if is_name:
        others = (pa.array(each, pa.string()) for each in respelled(words_apart(values)))
        respellings = [words_of(apart(long_enough(each))) for each in others]
        forms.append(form_of(_RESPELLED, respellings, tells, plain=words, length=length))
        forms += _parts_of_names(words) if in_parts else ()
    yield from (form for form in forms if form.keys)


def _parts_of_names(words: Words) -> Iterator[Form]:
    """Yield what is left of names of two to four words: one with the other's first letter, or one alone."""
    texts, starts = words.words.to_pylist(), words.starts
    names = [texts[starts[i] : starts[i + 1]] for i in range(min(words.n_texts, _MOST_NAMES))]
    names = [name if 2 <= len(name) <= 4 else ["", ""] for name in names]
    names += [["", ""]] * (words.n_texts - len(names))
    for first, last in ((0, -1), (-1, 0)):
        tells = np.array([len(n[last]) > 2 and len(n[first]) > 1 for n in names], dtype=bool)
        spelled = [
            [write.format(name[first][:1], name[last]) for name in names]
            for write in ("{0} {1}", "{0}{1}", "{1}{0}")
        ]
        yield _of_parts("initials", spelled, tells)
    for one in (-1, 0):
        alone = [name[one] for name in names]
        yield _of_parts("one word", [alone], tell(pa.array(alone, pa.string())))


def _of_parts(name: str, spelled: Sequence[Sequence[str]], tells: BoolArray) -> Form:
    spellings = [words_of(pa.array(each, pa.string())) for each in spelled]
    length = np.array([len(each) for each in spelled[-1]], dtype=np.int64)
    return form_of(name, spellings, tells, plain=spellings[0], length=length)


# --- looking for it


@dataclass(frozen=True, kw_only=True, eq=False)
class _Place:
    """An anonymized column in which values are looked for."""

    name: str
    cells: CodedColumn
    words: Words

    def n_cells(self, text: IntArray) -> int:
        """Return how many cells have one of some texts."""
        return int(self.cells.counts[np.unique(text)].sum())


def _in_column(read: _Read, sought: Sequence[_Sought], anonymized: str) -> Iterator[ValuesInTexts]:
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
    words = words_with(cells.values, [form for one in sought for form in one.forms])
    place = _Place(name=anonymized, cells=cells, words=words)
    done: set[str] = set()
    for one, form in possible:
        hits = None if one.column in done else _hits(read, one, form, place)
        if hits is not None:
            done.add(one.column)
            yield ValuesInTexts(
                original=one.column,
                anonymized=anonymized,
                form=form.name,
                hits=hits,
                n_filled=cells.n_filled,
                n_sampled=read.n_sampled,
            )


def _hits(read: _Read, one: _Sought, form: Form, place: _Place) -> Hits | None:
    """Return what a column holds of another in one form, None where chance explains it."""
    held = form.held(place.words)
    if one.column == place.name and form.name in {_VALUES, _RESPELLED}:
        # Looked for in its own column: only what is not written as one of the original.
        ours, theirs = place.cells.values, one.cells.values
        known = pc.is_in(ours.cast(pa.string()), value_set=theirs.cast(pa.string()))
        changed = ~known.to_numpy(zero_copy_only=False)[held[0]]
        held = held[0][changed], held[1][changed]
    if not len(held[0]):
        return None
    if read.tables.order != "changed":
        hits = _own_rows(one, form, place.cells, held)
        if hits.are_more(_TIMES_CHANCE, _NO_ACCIDENT):
            return hits
    found = _anywhere(read, one, form, place, held) if read.tables.order != "kept" else None
    return _of_any(place, *found) if found else _of_a_cell_or_two(one, form, place, held)


def _own_rows(one: _Sought, form: Form, cells: CodedColumn, held: Held) -> Hits:
    return hits_in_rows(held, cells.codes, np.append(form.of_value, -1)[one.cells.codes])


def _of_any(place: _Place, n_hits: int, n_by_chance: float) -> Hits:
    return Hits(n_hits=n_hits, n_compared=place.cells.n_filled, n_by_chance=n_by_chance, by_rows=False)


def _of_a_cell_or_two(one: _Sought, form: Form, place: _Place, held: Held) -> Hits | None:
    """Return cells fewer than any other check asks for, where a number is too long to be there by chance."""
    n_hits = place.n_cells(held[0])
    if one.kind != "numbers" or form.name != _VALUES or n_hits >= FEWEST or one.column == place.name:
        return None
    return None if _is_chance(n_hits, _n_by_digits(one, form, place)) else _of_any(place, n_hits, 0.0)


def _is_chance(count: float, expected: float) -> bool:
    return bool(poisson_tail(count, max(expected, 1e-9)) > _NO_ACCIDENT)


def _n_by_digits(one: _Sought, form: Form, place: _Place) -> float:
    """Return how many texts with long numbers hold a value, were these any numbers of as many digits."""
    n_values = len(np.unique(form.of_value[form.of_value >= 0]))
    likely = n_values / 10.0**form.shortest
    if one.kind == "dates":
        likely = _WAYS_OF_SHORT_DATES * n_values / 10.0**_DIGITS_IN_SHORT_DATES
    return min(1.0, likely) * len(place.words.with_long_numbers())


def _anywhere(read: _Read, one: _Sought, form: Form, place: _Place, held: Held) -> tuple[int, float] | None:
    """Return the cells that hold any value, and how many would by chance, where no row is known."""
    n_hits = place.n_cells(held[0])
    counted = one.kind != "names" and (
        _hold_by_counting(place.words, held[0])
        or same_number_same_record(read.tables, one.column, place.name) is False
    )
    if n_hits < FEWEST or counted or _is_a_shared_word(one, place, held):
        return None
    if one.column == place.name:
        are_same = n_hits >= _LEFT * place.cells.n_filled and _are_the_same(one, form, place.cells, held)
        return (n_hits, 0.0) if are_same else None
    source = read.source_of(place.name)
    n_told, expected = n_hits, 0.0
    if source is not None:
        n_told, expected = _beyond_the_original(read, one, form, source, n_hits)
    elif one.kind == "names" and not _are_varied(form, held, n_hits):
        return None
    if form.name not in {_VALUES, _RESPELLED}:  # parts of made-up names are parts of the names
        return (n_told, expected) if source is not None and n_told >= FEWEST else None
    made_up = _n_made_up(one, form, place) or ((0.0, 0.0) if source is not None else None)
    if made_up is None or n_told < max(FEWEST, _TIMES_CHANCE * made_up[0]):
        return None
    by_digits = 0.0 if one.kind == "names" else _n_by_digits(one, form, place)
    is_chance = _is_chance(min(n_told, len(np.unique(held[0]))), max(by_digits, made_up[1]))
    return None if is_chance else (n_told, max(expected, made_up[0]))


def _are_varied(form: Form, held: Held, n_hits: int) -> bool:
    """Whether as many different values are held as cells, or half of all: words of categories are not."""
    n_values = len(np.unique(form.of_value[form.of_value >= 0]))
    return len(np.unique(held[1])) >= _DISTINCT * min(n_values, n_hits)


def _beyond_the_original(
    read: _Read, one: _Sought, form: Form, source: CodedColumn, n_hits: int
) -> tuple[int, float]:
    """Return the cells with a value beyond those of the column's own original, and how many are expected.

    Where it held as many, the cells that held the value of their own row are what is left of them.
    """
    held = form.held(words_with(source.values, one.forms))
    n_before = int(source.counts[np.unique(held[0])].sum())
    expected = n_before * read.tables.n_anonymized / max(read.tables.n_original, 1)
    if n_hits >= max(FEWEST + expected, _TIMES_CHANCE * expected):
        return n_hits, expected  # they were put there
    own_rows = _own_rows(one, form, source, held)
    n_own = own_rows.n_hits if own_rows.are_more(_TIMES_CHANCE, _NO_ACCIDENT) else 0
    return round(n_hits * n_own / max(n_before, 1)), 0.0


def _n_made_up(one: _Sought, form: Form, place: _Place) -> tuple[float, float] | None:
    """Return the cells, and the texts, with as many made-up values; None where none can be made up."""
    other = next((each for each in one.made_up if each.name == form.name), None)
    if other is None:
        return None
    text_, _ = other.held(words_with(place.cells.values, [other]))
    scale = form.n_keys / other.n_keys
    return place.n_cells(text_) * scale, len(np.unique(text_)) * scale


def _is_a_shared_word(one: _Sought, place: _Place, held: Held) -> bool:
    """Whether two columns of categories have no more than a word in common, such as `high`."""
    texts, numbers = (np.unique(each) for each in held)
    are_few = len(numbers) < FEWEST and one.cells.n_distinct < _DISTINCT * one.cells.n_filled
    is_a_word = bool(np.all(place.words.n_words[texts] == 1))  # two, such as a full name, are no accident
    return are_few and is_a_word and place.n_cells(texts) < _LEFT * place.cells.n_filled


def _hold_by_counting(words: Words, held: IntArray) -> bool:
    """Whether less than half of a column's numbers hold a value, and they were counted up.

    Of numbers without gaps each that may be written is there, whatever it means elsewhere.
    """
    long = pc.match_substring_regex(words.words, r"^[0-9]{5,15}$")
    numbers = np.unique(pc.cast(pc.unique(words.words.filter(long)), pa.int64()).to_numpy())
    if len(numbers) < _FEWEST_COUNTED or numbers[-1] - numbers[0] >= len(numbers) / _WITHOUT_GAPS:
        return False
    return 2 * len(np.unique(held)) < len(words.with_long_numbers())


def _are_the_same(one: _Sought, form: Form, cells: CodedColumn, held: Held) -> bool:
    """Whether a column's own values occur as often as before; drawn anew from them they would not."""
    text_, number = held
    n_numbers = 1 + max(int(number.max()), int(form.of_value.max(initial=0)))
    ours = np.bincount(number, weights=cells.counts[text_], minlength=n_numbers)
    used = form.of_value >= 0
    theirs = np.bincount(form.of_value[used], weights=one.cells.counts[used], minlength=n_numbers)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(int(ours.sum()), theirs / theirs.sum(), size=20)
    by_chance = float(np.minimum(drawn, theirs).sum(axis=1).max())
    kept = float(np.minimum(ours, theirs).sum())
    return kept - by_chance >= _CLEARLY_MORE * (ours.sum() - by_chance) > 0


# --- judging


_WHAT = {
    _VALUES: "values",
    _RESPELLED: "values in another spelling",
    "initials": "names, one word shortened to its first letter,",
    "one word": "one word of the names",
}


def judge_in_texts(measured: Sequence[ValuesInTexts]) -> list[Finding]:
    """Return a finding per column whose cells hold what should be gone."""
    return [_finding(one) for one in measured]


def _finding(one: ValuesInTexts) -> Finding:
    found = share_of(one.hits.n_hits, one.n_filled)
    facts: dict[str, Value] = {
        "what": own(_WHAT[one.form]),
        "source": text("the original column `{column}`", column=one.original)
        if one.original != one.anonymized
        else text("its own original"),
        "found": text("{found} cells", found=found)
        if one.n_sampled is None
        else text(
            "{found} cells of a sample of {n} record",
            "{found} cells of a sample of {n} records",
            n=one.n_sampled,
            found=found,
        ),
    }
    message = (
        "Cells of `{column}` hold {what} of {source}, in the same rows: {found}, by chance about "
        "{by_chance}. Whoever reads them sees what should be gone."
        if one.hits.by_rows
        else (
            "Cells of `{column}` hold {what} of {source}, in some row: {found}, by chance about {by_chance}. "
            "Whoever reads them sees what should be gone."
        )
    )
    verdict = Verdict.WARN if one.form == "one word" else Verdict.FAIL
    finding = Finding.of(
        "original_values_inside", verdict, column=one.anonymized, n_affected=one.hits.n_hits
    )(message, by_chance=in_words(one.hits.n_by_chance), **facts)
    short = text("Cells of `{column}` hold {what} of {source}: {found}.", column=one.anonymized, **facts)
    return finding.told(short=short)
