"""Original values that anybody reads off other cells: inside them, backwards, in other digits, or their ends.

Both sides are brought to one plain form first (letter case, accents, signs, invisible and look-alike
characters, Base64, hexadecimal and percent encoding do not count), so whatever combines these is one case. A
hit is a cell that shows the value of its own row, against other rows; where the order of the records has
changed, a cell that shows any value, against made-up values of the same build.
"""

import base64
import binascii
import itertools
import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import binomial_tail
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.made_up import are_dates, recombined
from core.tabular.second_opinion.pair import LoggedTables, Sample, remembered
from core.tabular.second_opinion.rewriting import plain, plain_forms, without_escapes
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.verdict import Finding, Verdict
from core.words import own, share_of, text

_MOST_ORIGINALS = 20_000  # distinct values looked for where nobody knows which row is whose
_MOST_COLUMNS = 60  # of either table
_LONGEST = 80  # plain characters of a token; longer texts are read word by word elsewhere
_DISTINCT = 0.3  # share of distinct values from which a column is looked for, or in
_FEWEST, _LEAST_SHARE, _TIMES_CHANCE, _NO_ACCIDENT = 3, 0.05, 3, 1e-9
_SHORTEST_END, _LONGEST_END = 4, 12
_DENSE = 0.2  # share of a range of numbers that is taken, from which any number of it occurs by chance
_TURNS = (1, 2, 3)  # how far off the rows are that each token is held against

_SIGNS = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W\d_]+")
_MEASURE = re.compile(r"[+-]?\d*[.,]\d+")
_HEXADECIMAL = re.compile(r"(?:[0-9a-fA-F]{2}){4,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")


@dataclass(frozen=True, kw_only=True)
class ReadableColumn:
    """An anonymized column off which values of an original column can be read."""

    original: str  # column names
    anonymized: str
    how: str  # in words, completing "the values of … are to be read off …"
    n_hits: int  # tokens that show a value, among those compared
    n_compared: int
    # distinct / non-blank cells of the original column in the sample; in [0, 1]
    original_distinct_share: float
    # whether the log says that the original column was dropped or pseudonymized, or calls it high-risk
    taken_out: bool


def measure_readable(
    tables: LoggedTables,
    columns: Sequence[ColumnComparison],
    settings: SecondOpinionSettings,
    *,
    explained: Collection[tuple[str, str]] = (),
) -> tuple[ReadableColumn, ...]:
    """Look for the values of every distinct original column in every other distinct column."""
    left = {column.anonymized for column in columns if column.is_left}
    read = _Read(tables=tables, settings=settings)
    found: list[ReadableColumn] = []
    for name in [name for name in tables.anonymized.column_names if name not in left][:_MOST_COLUMNS]:
        if tokens := read.tokens(name):
            column = _Column(name=name, tokens=tokens, read=read)
            seen = [one for one in column.found() if (one.original, name) not in explained]
            found += [max(seen, key=lambda one: one.n_hits)] if seen else []
    return tuple(found)


def _with_every_second(text: str) -> str:
    """Return a token with what its characters say that stand at odd, and at even places."""
    first = _whole(text)
    return f"{text} {first[::2]} {first[1::2]}" if first and len(first) <= _LONGEST else text


def _decoded(cell: str) -> str:
    """Return what a Base64, hexadecimal or percent encoded cell says, "" where it is none."""
    for pattern, decode in ((_HEXADECIMAL, bytes.fromhex), (_BASE64, _from_base64)):
        if pattern.fullmatch(cell):
            try:
                text = decode(cell).decode()
            except (ValueError, binascii.Error):
                continue
            if text.isprintable():
                return without_escapes(text)
    return without_escapes(unquote(cell)) if "%" in cell or "\\u" in cell else ""


def _from_base64(cell: str) -> bytes:
    standard = cell.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)


# --- what is compared


@dataclass(kw_only=True, eq=False)
class _Read(Sample):
    """The sampled cells of both tables, read once per column."""

    @cached_property
    def originals(self) -> "Mapping[str, _Original]":
        """Return the original columns whose values vary enough to lead to somebody."""
        found = {}
        for name, cells in itertools.islice(self.original.items(), _MOST_COLUMNS):
            filled = [cell for cell in cells if cell]
            distinct_share = len(set(filled)) / max(len(filled), 1)
            n_measures = sum(_MEASURE.fullmatch(cell) is not None for cell in filled)
            if len(set(filled)) >= _FEWEST and distinct_share >= _DISTINCT and n_measures < len(filled) / 2:
                found[name] = _Original(name=name, cells=cells, distinct_share=distinct_share)
        return found

    def tokens(self, anonymized: str) -> list[str]:
        """Return the plain cells, of the sampled rows unless the order has changed; none where coarse."""
        column = self.tables.anonymized[anonymized]
        if self.tables.order == "changed":
            distinct = self.tables.written["anonymized"][anonymized].values
            cells = distinct.take(self.some(len(distinct))).to_pylist()
            coarse = len(distinct) < _DISTINCT * (len(column) - column.null_count)
        else:
            cells = [cell or "" for cell in column.take(self.rows).to_pylist()]
            coarse = len({*cells} - {""}) < _DISTINCT * sum(map(bool, cells))
        plains = [f"{plain(cell)} {plain(_decoded(cell.strip()))}" for cell in cells]
        long = sum(len(text) > 2 * _LONGEST for text in plains)
        if coarse or long > len(plains) / 2 or len({text for text in plains if text != " "}) < _FEWEST:
            return []
        return [_with_every_second(text) for text in plains]

    @remembered
    def forms(self, original: str) -> list[tuple[str, list[str]]]:
        return list(plain_forms(self.originals[original].cells))

    @cached_property
    def shown(self) -> "_Shown":
        """Return the forms of all values, and of made-up ones, for tables whose order has changed."""
        rng = np.random.default_rng(self.settings.seed)
        shown = _Shown()
        for name in self.originals:
            distinct = self.tables.written["original"][name].trimmed.values
            chosen = rng.permutation(len(distinct))[:_MOST_ORIGINALS]
            values = [value for value in distinct.take(pa.array(chosen)).to_pylist() if value]
            known = set(values)
            shown.add(name, values, [value for value in recombined(values, rng) if value not in known])
        return shown


@dataclass(frozen=True, kw_only=True, eq=False)
class _Original:
    name: str
    cells: Sequence[str]
    distinct_share: float


_How = str | int  # a form's name; n for the first n characters, -n for the last
_Source = tuple[str, _How]  # original column, form


@dataclass(kw_only=True, eq=False)
class _Shown:
    """Forms of values to the columns that have them: inside a token, or as the whole of it."""

    inside: dict[str, set[_Source]] = field(default_factory=dict)
    whole: dict[str, set[_Source]] = field(default_factory=dict)
    made_up_inside: dict[str, set[_Source]] = field(default_factory=dict)
    made_up_whole: dict[str, set[_Source]] = field(default_factory=dict)
    n_values: dict[str, tuple[int, int]] = field(default_factory=dict)  # and made-up ones

    def add(self, name: str, values: Sequence[str], made_up: Sequence[str]) -> None:
        """Add the values of a column, unless nothing can be made up that is not one of them."""
        if not made_up:
            return
        self.n_values[name] = len(values), len(set(made_up))
        numbers = {int(bare) for value in values if (bare := "".join(c for c in value if c.isdecimal())[:30])}
        # Of numbers almost without gaps, any such number is one.
        dense = bool(numbers) and len(numbers) > _DENSE * (max(numbers) - min(numbers) + 1)
        for inside, whole, those in (
            (self.inside, self.whole, values),
            (self.made_up_inside, self.made_up_whole, made_up),
        ):
            for how, forms in plain_forms(those):
                if dense and how != "written backwards":
                    continue
                for form in filter(None, forms):
                    inside.setdefault(form, set()).add((name, how))
            for form, end in () if dense else _ends(those):
                whole.setdefault(form, set()).add((name, end))


def _ends(values: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the beginnings and ends of values in plain form, and which; a year ends no date."""
    for core in () if are_dates(values) else map(plain, values):
        for n in range(_SHORTEST_END, min(len(core), _LONGEST_END)):
            yield core[-n:], -n
            yield core[:n], n


# --- hits


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """An anonymized column with its tokens in plain form, and what they are held against."""

    name: str
    tokens: Sequence[str]
    read: _Read

    def found(self) -> Iterator[ReadableColumn]:
        order = self.read.tables.order
        if order != "changed":
            for original in self.read.originals.values():
                yield from self._in_rows(original)
        if order != "kept":
            yield from self._anywhere()

    def _in_rows(self, original: _Original) -> Iterator[ReadableColumn]:
        for how, forms in self.read.forms(original.name):
            is_own = self.name == original.name and how == "in plain form"  # what is kept is told elsewhere
            shows = _shows_otherwise if is_own else operator.contains
            yield from self._beyond_other_rows(original, how, forms, shows)
        if self.name == original.name or are_dates(original.cells):  # cut short: told of elsewhere
            return
        cores = [plain(cell) for cell in original.cells]
        for how, initials in _initials(original.cells):
            yield from self._beyond_other_rows(original, how, initials, operator.contains)
        for n in sorted(
            {len(token.partition(" ")[0]) for token in self.tokens} & set(range(_SHORTEST_END, _LONGEST_END))
        ):
            for end, part in ((-n, slice(-n, None)), (n, slice(n))):
                ends = [core[part] if len(core) > n else "" for core in cores]
                yield from self._beyond_other_rows(original, end, ends, _is_whole)

    def _beyond_other_rows(
        self, original: _Original, how: _How, forms: Sequence[str], shows: Callable[[str, str], bool]
    ) -> Iterator[ReadableColumn]:
        pairs = [(a, b) for a, b in zip(self.tokens, forms, strict=True) if b and a != " "]
        n_hits = sum(shows(token, form) for token, form in pairs)
        if n_hits >= max(_FEWEST, _LEAST_SHARE * len(pairs)):
            others = [(a, pairs[i - turn][1]) for turn in _TURNS for i, (a, _) in enumerate(pairs)]
            by_chance = sum(shows(token, form) for token, form in others)
            yield from self._result(original, how, (n_hits, len(pairs)), by_chance / len(others))

    def _anywhere(self) -> Iterator[ReadableColumn]:
        shown = self.read.shown
        hits = _sources(self.tokens, shown.inside, shown.whole)
        by_chance = _sources(self.tokens, shown.made_up_inside, shown.made_up_whole)
        n_tokens = sum(bool(token.strip()) for token in self.tokens)
        for (name, how), (n_hits, n_different) in hits.items():
            if name != self.name or self._is_respelled:
                n_values, n_made_up = shown.n_values[name]
                n_by_chance, n_different_by_chance = by_chance.get((name, how), (0, 0))
                rate = min(1.0, (n_by_chance * max(1.0, n_values / n_made_up) + 1) / (n_tokens + 1))
                # tokens that share a piece, such as a year, show one value together
                likely = min(1.0, (n_different_by_chance + 1) / n_made_up)
                if binomial_tail(n_different, n_values, likely) < _NO_ACCIDENT:
                    yield from self._result(self.read.originals[name], how, (n_hits, n_tokens), rate)

    @cached_property
    def _is_respelled(self) -> bool:
        """Whether hardly any value of the original column of this name stands here as it was."""
        ours, theirs = (self.read.tables.written[side][self.name] for side in ("anonymized", "original"))
        literal = pc.is_in(ours.values.cast(theirs.values.type), value_set=theirs.values)
        n_blank = ours.n_records - ours.n_filled if theirs.n_filled < theirs.n_records else 0
        n_literal = ours.n_cells(literal.to_numpy(zero_copy_only=False)) + n_blank
        return n_literal / ours.n_records < _LEAST_SHARE

    def _result(
        self, original: _Original, how: _How, hits: tuple[int, int], rate: float
    ) -> Iterator[ReadableColumn]:
        n_hits, n_compared = hits
        enough = n_hits >= max(_FEWEST, _LEAST_SHARE * n_compared, _TIMES_CHANCE * rate * n_compared)
        if enough and binomial_tail(n_hits, n_compared, max(rate, (n_compared + 1) ** -2)) < _NO_ACCIDENT:
            entry = self.read.tables.log.entry(original.name)
            yield ReadableColumn(
                original=original.name,
                anonymized=self.name,
                how=_in_words(how),
                n_hits=n_hits,
                n_compared=n_compared,
                original_distinct_share=original.distinct_share,
                taken_out=entry.takes_out or is_high_risk(entry.semantic),
            )


def _in_words(how: _How) -> str:
    if isinstance(how, str):
        return how
    message = "by its first {characters} characters" if how > 0 else "by its last {characters} characters"
    return text(message, characters=abs(how))


def _initials(cells: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the first letters of the words of names, in either order; none of single words."""
    words = [[plain(word) for word in _WORD.findall(cell)] for cell in cells]
    if 2 * sum(len(each) > 1 for each in words) < len(words):
        return
    letters = ["".join(word[:1] for word in each) if len(each) > 1 else "" for each in words]
    yield "by the first letters of its words", letters
    yield "by the first letters of its words", [each[::-1] for each in letters]


def _shows_otherwise(token: str, form: str) -> bool:
    return form not in _whole(token) and form in token


def _whole(token: str) -> str:
    return token.partition(" ")[0]


def _is_whole(token: str, end: str) -> bool:
    return _whole(token) == end


def _sources(
    tokens: Sequence[str], inside: Mapping[str, set[_Source]], whole: Mapping[str, set[_Source]]
) -> dict[_Source, tuple[int, int]]:
    """Return how many tokens show a value of each column in each form, and how many different values."""
    counts: Counter[_Source] = Counter()
    different: dict[_Source, set[str]] = defaultdict(set)
    lengths = sorted({len(form) for form in inside})
    for token in tokens:
        seen = {source: _whole(token) for source in whole.get(_whole(token), ())}
        for n in lengths:
            for form in (token[i : i + n] for i in range(len(token) - n + 1)):
                seen |= dict.fromkeys(inside.get(form, ()), form)
        counts.update(seen.keys())
        for source, form in seen.items():
            different[source].add(form)
    return {source: (n, len(different[source])) for source, n in counts.items()}


# --- judging


def judge_readable(measured: Sequence[ReadableColumn], thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return a finding per column off which original values can be read."""
    limit = thresholds.highly_distinct_share
    return [
        Finding.of(
            "disguise_readable",
            Verdict.FAIL if one.taken_out or one.original_distinct_share >= limit else Verdict.WARN,
            column=one.anonymized,
            n_affected=one.n_hits,
        )(
            "Values of the original column `{original}` can be read off `{column}`, {how}: {found} cells "
            "compared, far more than chance gives.",
            original=one.original,
            how=own(one.how),
            found=share_of(one.n_hits, one.n_compared),
        )
        for one in measured
    ]
