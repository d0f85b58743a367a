"""Pseudonyms that anybody can compute from the originals: hashes, with no or a guessable key, and ciphers.

Recipes are learned on a few values and held against a seeded sample: in the same rows, unless their order has
changed; by whether the computed token occurs at all, unless their order is kept.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from core.chance import binomial_tail
from core.coding import BoolArray, IntArray
from core.comparing.made_up import recombined
from core.tabular.actions import Meaning, meaning_of
from core.tabular.columns import is_high_risk
from core.tabular.log import QUASI_IDENTIFYING_SEMANTICS, folded
from core.tabular.second_opinion.ciphers import (
    Cipher,
    are_alike_in_places,
    cipher_between,
    cipher_into,
    have_the_same_symbols,
)
from core.tabular.second_opinion.digests import (
    UUID_NAMESPACES,
    Cut,
    Key,
    Recipe,
    TokenShape,
    bare_in_small_letters,
    cuts_of,
    digests_by_key,
    guessable_keys,
    keyed_digests,
    plain_digests,
    token_shape,
    unkeyed_digests,
    with_iso_dates,
)
from core.tabular.second_opinion.numbering import same_number_same_record
from core.tabular.second_opinion.pair import LoggedTables, Sample, remembered
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.words import listed, values_compared
from core.verdict import Finding, Verdict
from core.words import own, text

_N_ROUNDS = 4  # made-up values for each value, from which chance is counted
_FEWEST = 3  # distinct values that have to be compared
_ANY_HASH = 0.05  # share of hashes that need to be found: no other column holds them by chance
_NO_ACCIDENT = 1e-9  # probability of as many tokens by chance
_N_PROBES, _N_KEYED_PROBES = 12, 1  # values that all recipes are tried on, without and with keys
_N_TOLD_APART = 40  # values of which several must match before all are looked at
_SMALLEST_DISTINCT_SHARE = 0.3  # of digits, below which they are measurements, not tokens
_LONG, _MANY = 8, 20  # digits, and distinct values, from which numbers that repeat are tokens all the same
_MOST_JOINED, _MOST_JOINED_BY_THREE = 20, 9  # original columns that are joined to each other
_MOST_COLUMNS = 60  # token columns, and original columns for each of them, that are looked at
_STEP = 8  # characters between the beginnings of slices of keyed digests, where nobody knows whose
_NEARLY_UNIQUE = 0.998  # share of distinct values
_JOINTS = ("", " ", "|", "_", "-", ",", ";", ":", "/")
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    *(str, str.lower, with_iso_dates, bare_in_small_letters),
    str.upper,
)
_LINE_END = 10
_HASH_BITS = 22  # of the beginnings of tokens; a million of them fill a quarter
_ALPHABET = {"uuid": 16, "hex": 16, "digits": 10, "base32": 32, "base64": 64}

_U64 = npt.NDArray[np.uint64]
_Value = tuple[str, ...]
_Name = tuple[str, str, Key | None]
_Make = Callable[[_Value], bytes | None]
_Compared: TypeAlias = "_Rows | _Set"


@dataclass(frozen=True, kw_only=True)
class ComputedPseudonym:
    """An anonymized column whose tokens anybody can compute from original columns."""

    originals: tuple[str, ...]  # column names; several originals were joined
    anonymized: str
    kind: str  # ``hash`` or ``cipher``
    how: str  # in words, completing "the values are …"
    n_matched: int  # values found so, among those compared
    n_compared: int
    original_distinct_share: float  # distinct / non-blank cells, the highest of the originals; in [0, 1]
    taken_out: (
        bool  # whether the log says that an original column is gone or a pseudonym, or identifies people
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ComputedMeasurement:
    """All computed pseudonyms found."""

    found: tuple[ComputedPseudonym, ...]  # at most one per anonymized column and original column
    is_sample: bool  # whether only a sample of the values was compared


def measure_computed(
    tables: LoggedTables,
    columns: Sequence[ColumnComparison],
    settings: SecondOpinionSettings,
    *,
    explained: Collection[tuple[str, str]] = (),
) -> ComputedMeasurement:
    """Try to compute the tokens of every anonymized column that is not left as it was."""
    samples = _Samples(tables=tables, settings=settings)
    for column in columns:
        samples.n_distinct_values["original", column.original] = column.n_distinct_original
        samples.n_distinct_values["anonymized", column.anonymized] = column.n_distinct_anonymized
    left = {column.anonymized for column in columns if column.is_left}
    found: list[ComputedPseudonym] = []
    n_looked_at = 0
    for anonymized in tables.anonymized.column_names:
        if anonymized in left or n_looked_at >= _MOST_COLUMNS:
            continue
        column_found = list(itertools.islice(_computed(samples, anonymized, columns, explained), 1))
        n_looked_at += samples.shape(anonymized) is not None
        found += column_found
    return ComputedMeasurement(found=tuple(found), is_sample=samples.is_sample)


def _computed(
    samples: _Samples,
    anonymized: str,
    columns: Sequence[ColumnComparison],
    explained: Collection[tuple[str, str]],
) -> Iterator[ComputedPseudonym]:
    """Yield ways to compute an anonymized column, the simplest first."""
    originals = samples.originals_for(anonymized, columns)
    originals = [name for name in originals if (name, anonymized) not in explained]
    candidates = [name for name in originals if samples.may_be_one_to_one(name, anonymized)]
    shape = samples.shape(anonymized)
    if shape is not None:
        for original in originals:
            yield from _as_hash(samples, (original,), anonymized, shape, _usual)
        for original in candidates:
            yield from _as_hash(samples, (original,), anonymized, shape, _unkeyed)
        own = [column.original for column in columns if column.anonymized == anonymized]
        keyed = partial(_keyed, keys=samples.keys(anonymized, candidates), made={})
        for original in [name for name in candidates if name in own] or candidates:
            yield from _as_hash(samples, (original,), anonymized, shape, keyed)
        yield from _joined(samples, samples.joinable, anonymized, shape)
    for original in candidates:
        yield from _as_cipher(samples, original, anonymized)


# --- what is compared


@dataclass(kw_only=True, eq=False)
class _Samples(Sample):
    """Values of both tables to compare, read once per column."""

    n_distinct_values: dict[tuple[str, str], int] = field(default_factory=dict)
    hays: dict[tuple[object, ...], list[str]] = field(default_factory=dict)

    @remembered
    def shape(self, anonymized: str) -> TokenShape | None:
        """Return how the tokens of a column are written, None where it holds none."""
        cells = [cell for cell in self.anonymized[anonymized] if cell]
        n_distinct = len(set(cells))
        shape = token_shape(cells) if n_distinct >= _FEWEST else None
        if shape is not None and shape.kind == "digits":
            enough = n_distinct >= _SMALLEST_DISTINCT_SHARE * len(cells)
            return shape if enough or (shape.length >= _LONG and n_distinct >= _MANY) else None
        return shape

    @cached_property
    def varied(self) -> Mapping[str, int]:
        """Return how many distinct values each original column has in the sampled rows."""
        return {name: len(set(cells) - {""}) for name, cells in self.original.items()}

    def originals_for(self, anonymized: str, columns: Sequence[ColumnComparison]) -> list[str]:
        """Return the original columns to try, its own first, then the most varied."""
        own = [column.original for column in columns if column.anonymized == anonymized]
        others = sorted(self.varied, key=lambda name: -self.varied[name])
        names = dict.fromkeys([*own, *others])
        return [name for name in names if self.varied[name] >= _FEWEST][:_MOST_COLUMNS]

    @cached_property
    def joinable(self) -> list[str]:
        """Return the original columns that vary, those about people first, then the most varied."""
        names = [name for name, n in self.varied.items() if n > 1]
        return sorted(names, key=lambda name: (not self._is_about_people(name), -self.varied[name]))

    def identifies_alone(self, original: str) -> bool:
        """Whether nearly all values of a column differ: nobody joins two others to it."""
        return self.varied[original] >= _NEARLY_UNIQUE * sum(map(bool, self.original[original]))

    def _is_about_people(self, original: str) -> bool:
        """Whether the log calls a column high-risk or a quasi-identifier."""
        semantic = self.tables.log.entry(original).semantic
        return is_high_risk(semantic) or semantic in QUASI_IDENTIFYING_SEMANTICS

    def _is_taken_out(self, original: str) -> bool:
        """Whether the log says, in any words, that a column is gone or a pseudonym, or identifies people."""
        entry = self.tables.log.entry(original)
        said = meaning_of(entry.action) in {Meaning.GONE, Meaning.PSEUDONYM, Meaning.REPLACED}
        return said or entry.takes_out or is_high_risk(entry.semantic)

    def keys(self, anonymized: str, originals: Sequence[str]) -> tuple[Key, ...]:
        """Return the guessable keys, the names of the columns and files, and texts of the log, among them."""
        log = self.tables.log
        files = [name.rsplit("/", 1)[-1] for name in (log.source_file, log.output_file, log.name) if name]
        stems = [name.split(".", 1)[0].removesuffix("_anonymized_log") for name in files]
        names = [anonymized, *originals, *map(folded, originals), *files, *stems, *log.texts]
        return guessable_keys(tuple(dict.fromkeys(names)))

    def n_distinct(self, side: str, name: str) -> int:
        """Return the distinct values of a column, counted once."""
        return self.n_distinct_values.get((side, name)) or self.tables.n_distinct(side, name)

    def may_be_one_to_one(self, original: str, anonymized: str) -> bool:
        """Whether the columns have about as many distinct values, as a key for all of them leaves it."""
        ours, theirs = self.n_distinct("original", original), self.n_distinct("anonymized", anonymized)
        if self.tables.n_original != self.tables.n_anonymized:
            return theirs <= 1.02 * ours + 2
        return 0.5 * ours <= theirs <= 1.02 * ours + 2

    def pairs(self, originals: Sequence[str], anonymized: str) -> list[tuple[_Value, str]]:
        """Return the sampled rows in which all these columns are filled."""
        cells = zip(
            zip(*(self.original[name] for name in originals), strict=True),
            self.anonymized[anonymized],
            strict=True,
        )
        return [(value, token) for value, token in cells if token and all(value)]

    @remembered
    def bodies(self, anonymized: str, shape: TokenShape) -> list[str | None]:
        """Return the tokens of the sampled rows, each in one spelling; None where a cell holds none."""
        return [shape.body(cell) if cell else None for cell in self.anonymized[anonymized]]

    def record(
        self, originals: Sequence[str], anonymized: str, shape: TokenShape
    ) -> tuple[Mapping[str, str], _Compared] | None:
        """Return a record with as many values as any, and what its token is looked for in."""
        bodies = self.bodies(anonymized, shape) if self.tables.order != "changed" else None
        rows = [i for i in range(len(self.rows)) if bodies is None or bodies[i] is not None]
        if not rows or not originals:
            return None
        best = max(rows, key=lambda i: sum(bool(self.original[name][i]) for name in originals))
        values = {name: self.original[name][best] for name in originals}
        if bodies is not None:
            return values, self.as_rows(shape, [((), bodies[best] or "")])
        return values, self.as_set(shape, [((), "")], anonymized)

    def as_rows(self, shape: TokenShape, pairs: Sequence[tuple[_Value, str]]) -> _Rows:
        return _Rows(shape=shape, pairs=pairs, hays=self.hays)

    def as_set(self, shape: TokenShape, pairs: Sequence[tuple[_Value, str]], anonymized: str) -> _Set:
        return _Set(shape=shape, pairs=pairs, hays=self.hays, known=self.known(anonymized, shape))

    def values(self, originals: Sequence[str]) -> list[_Value]:
        """Return the distinct combinations of these columns in the sampled rows."""
        cells = zip(*(self.original[name] for name in originals), strict=True)
        return list(dict.fromkeys(value for value in cells if all(value)))

    @remembered
    def known(self, anonymized: str, shape: TokenShape) -> _Known:
        """Return all tokens of an anonymized column, each in one spelling."""
        bodies = (shape.body(cell) for cell in self.cells(anonymized))
        return _Known(tokens=frozenset(body for body in bodies if body is not None), shape=shape)

    @remembered
    def cells(self, anonymized: str) -> list[str]:
        """Return all distinct cells of an anonymized column, trimmed."""
        values: list[str] = self.tables.written["anonymized"][anonymized].trimmed.values.to_pylist()
        return values

    def result(
        self, originals: tuple[str, ...], anonymized: str, *, kind: str, how: str, counts: tuple[int, int]
    ) -> ComputedPseudonym:
        return ComputedPseudonym(
            originals=originals,
            anonymized=anonymized,
            kind=kind,
            how=how,
            n_matched=counts[0],
            n_compared=counts[1],
            original_distinct_share=max(self.tables.distinct_share("original", name) for name in originals),
            taken_out=any(self._is_taken_out(name) for name in originals),
        )


# --- hashes


@dataclass(frozen=True, kw_only=True, eq=False)
class _Known:
    """The tokens of a column, to look for anywhere in a text at once."""

    tokens: frozenset[str]
    shape: TokenShape

    @cached_property
    def length(self) -> int:
        """Return the usual length of a token."""
        lengths = Counter(map(len, itertools.islice(self.tokens, 1000)))
        return lengths.most_common(1)[0][0] if lengths else self.shape.length

    @cached_property
    def beginnings(self) -> _U64:
        """Return the first eight characters of each token of usual length as numbers, sorted."""
        text = "\n".join(token.ljust(8) for token in self.tokens if len(token) == self.length)
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        starts = np.append(0, np.flatnonzero(data == _LINE_END) + 1)
        return np.unique(self._eights(text)[starts]) if text else np.zeros(0, dtype=np.uint64)

    @cached_property
    def marked(self) -> BoolArray:
        """Return a table by the hash of a beginning: whether some token has it."""
        marked = np.zeros(2**_HASH_BITS, dtype=np.bool_)
        marked[_hashed(self.beginnings)] = True
        return marked

    def _eights(self, text: str) -> _U64:
        """Return for each place of a text the eight characters from there, fewer in short tokens."""
        data = text.encode() + b"\n" * 16
        eights = np.empty(len(text), dtype=np.uint64)
        for first in range(min(8, len(text))):
            eights[first::8] = np.frombuffer(data, ">u8", count=-((first - len(text)) // 8), offset=first)
        return eights >> np.uint64(8 * (8 - min(8, self.length)))

    def places_in(self, text: str) -> IntArray:
        """Return the places of a text where a token seems to begin; numbers begin or end a line."""
        eights = self._eights(text)
        places = np.arange(len(text))
        if self.shape.kind == "digits":
            ends = np.append(np.flatnonzero(np.frombuffer(text.encode(), np.uint8) < ord("0")), len(text))
            places = np.concatenate([[0], ends[:-1] + 1, ends - self.length])
            places = places[places >= 0]
        places = places[self.marked[_hashed(eights[places])]]
        return places[np.isin(eights[places], self.beginnings)]


def _hashed(numbers: _U64) -> _U64:
    return numbers * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - _HASH_BITS)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """Values and the token in the row of each."""

    shape: TokenShape
    pairs: Sequence[tuple[_Value, str]]
    hays: dict[tuple[object, ...], list[str]]

    @cached_property
    def by_chance(self) -> float:
        return float(_ALPHABET[self.shape.kind]) ** -min(self.shape.length, 30)

    def probes(self, n: int) -> list[tuple[_Value, str]]:
        return list(dict(self.pairs).items())[:n]

    def hopeful(self, hays: Sequence[str], tokens: Iterable[str]) -> list[int]:
        """Return the texts that hold their token."""
        return [i for i, (hay, token) in enumerate(zip(hays, tokens, strict=True)) if token in hay]

    def cuts(self, texts: Sequence[str], token: str, *, step: int = 1) -> Iterator[Cut]:  # noqa: ARG002
        return cuts_of(texts, token)

    def is_match(self, text: str, cut: Cut, token: str) -> bool:
        return cut.of(text, len(token)) == token


@dataclass(frozen=True, kw_only=True, eq=False)
class _Set:
    """Values and the tokens of the whole column, nobody knows whose."""

    shape: TokenShape
    pairs: Sequence[tuple[_Value, str]]
    hays: dict[tuple[object, ...], list[str]]
    known: _Known

    @cached_property
    def by_chance(self) -> float:
        n = len(self.known.tokens)
        return min(1.0, n * float(_ALPHABET[self.shape.kind]) ** -min(self.known.length, 30))

    def probes(self, n: int) -> list[tuple[_Value, str]]:
        return list(self.pairs)[:n]

    def hopeful(self, hays: Sequence[str], tokens: Iterable[str]) -> list[int]:  # noqa: ARG002 - as of rows
        """Return the texts that seem to hold any token."""
        ends = np.cumsum([len(hay) + 1 for hay in hays])
        places = self.known.places_in("\n".join(hays))
        return np.unique(np.searchsorted(ends, places, side="right")).tolist()

    def cuts(self, texts: Sequence[str], token: str, *, step: int = 1) -> Iterator[Cut]:  # noqa: ARG002
        length = self.known.length
        for i, written in enumerate(texts):
            last = len(written) - length
            step = max(step, last) or 1 if self.shape.kind == "digits" else step  # its beginning or its end
            for start in {*range(0, last + 1, step), last} if last >= 0 else ():
                if written[start : start + length] in self.known.tokens:
                    yield Cut(text=i, start=start, from_end=False)
                    yield Cut(text=i, start=len(written) - start, from_end=True)

    def is_match(self, text: str, cut: Cut, token: str) -> bool:  # noqa: ARG002 - as of rows
        return cut.of(text, self.known.length) in self.known.tokens


_Found = tuple[
    str, int, Callable[[_Compared], int]
]  # in words, tokens found, and how to count them elsewhere


def _as_hash(
    samples: _Samples,
    originals: tuple[str, ...],
    anonymized: str,
    shape: TokenShape,
    search: Callable[[_Compared], Iterable[_Found]],
) -> Iterator[ComputedPseudonym]:
    """Yield the way that computes most tokens, looked for in rows and then among all tokens."""
    for compared in _comparisons(samples, originals, anonymized, shape):
        n = len(compared.pairs)
        how, n_matched, recount = max(
            search(compared), key=lambda found: found[1], default=("", 0, lambda _: 0)
        )
        enough = n_matched >= max(2, _ANY_HASH * n)
        if enough and binomial_tail(n_matched, n, _chance(compared, recount)) < _NO_ACCIDENT:
            yield samples.result(originals, anonymized, kind="hash", how=how, counts=(n_matched, n))
            return


def _chance(compared: _Compared, recount: Callable[[_Compared], int]) -> float:
    """Return how probable one value's token is by chance, counted on made-up values."""
    if compared.shape.kind != "digits":
        return compared.by_chance
    rng = np.random.default_rng(0)
    known = {value for value, _ in compared.pairs}
    columns = [list(column) for column in zip(*(value for value, _ in compared.pairs), strict=True)]
    tokens = [token for _, token in compared.pairs]
    made_up = [
        (value, token)
        for _ in range(_N_ROUNDS)
        for *value, token in zip(*(recombined(column, rng) for column in columns), tokens, strict=True)
    ]
    pairs = [(tuple(value), token) for value, token in made_up if tuple(value) not in known]
    n_found = recount(replace(compared, pairs=pairs)) if pairs else 0
    return max(compared.by_chance, (n_found + 1) / (len(pairs) + 1))


def _comparisons(
    samples: _Samples, originals: tuple[str, ...], anonymized: str, shape: TokenShape
) -> Iterator[_Compared]:
    order = samples.tables.order
    if order != "changed":
        rows = zip(*(samples.original[name] for name in originals), strict=True)
        cells = zip(rows, samples.bodies(anonymized, shape), strict=True)
        pairs = [(value, body) for value, body in cells if body is not None and all(value)]
        if len({value for value, _ in pairs}) >= _FEWEST:
            yield samples.as_rows(shape, pairs)
    if order != "kept":
        values = samples.values(originals)
        compared = samples.as_set(shape, [(value, "") for value in values], anonymized)
        if len(values) >= _FEWEST and len(compared.known.tokens) >= _FEWEST:
            yield compared


def _hays(compared: _Compared, values: Sequence[str], *, usual: bool) -> list[list[str]]:
    """Return for each value the texts of each of its digests without a key, worked out once."""
    shape = compared.shape
    keys = [(shape.kind, shape.length, usual, value) for value in values]
    new = list(dict.fromkeys(v for v, key in zip(values, keys, strict=True) if key not in compared.hays))
    digests = [[digest for _, digest in _without_key(value, shape, usual=usual)] for value in new]
    hays = iter(shape.hays(list(itertools.chain(*digests))))
    for value, of_value in zip(new, digests, strict=True):
        of_each = list(itertools.islice(hays, len(of_value)))
        compared.hays[shape.kind, shape.length, usual, value] = ["\n".join(of_each)] if usual else of_each
    return [compared.hays[key] for key in keys]


def _without_key(value: str, shape: TokenShape, *, usual: bool) -> Iterator[tuple[_Name, bytes]]:
    """Yield the digests of a value without a key, and as UUID in published namespaces."""
    yield from unkeyed_digests(value, usual=usual, n_bytes=shape.n_bytes)
    if shape.kind == "uuid" and not usual:
        yield from keyed_digests(value, UUID_NAMESPACES)


def _usual(compared: _Compared) -> Iterator[_Found]:
    """Yield the most common of the usual recipes without a key, each tried on all values."""
    shape, n_bytes = compared.shape, compared.shape.n_bytes
    pairs = list(Counter(compared.pairs).items())
    hays = [hay for (hay,) in _hays(compared, [value for ((value,), _), _ in pairs], usual=True)]
    hopeful = compared.hopeful(hays, (token for (_, token), _ in pairs))
    if sum(pairs[i][1] for i in hopeful) < _ANY_HASH * len(compared.pairs):
        return
    counts: Counter[tuple[str, Cut]] = Counter()
    for (value, token), n in (pairs[i] for i in hopeful):
        digests = unkeyed_digests(value[0], usual=True, n_bytes=n_bytes)
        texts_of = [(name[1], shape.texts(digest)) for name, digest in digests]
        found = {(name, cut) for name, texts in texts_of for cut in compared.cuts(texts, token)}
        counts.update(dict.fromkeys(found, n))
    for (name, cut), n in counts.most_common(1):
        yield (
            text("an unsalted {algorithm} hash", algorithm=own(name)),
            n,
            partial(_n_usual, algorithm=name, cut=cut),
        )


def _n_usual(compared: _Compared, *, algorithm: str, cut: Cut) -> int:
    """Return the values of which some spelling gives the token by one of the usual algorithms."""
    shape = compared.shape
    n = 0
    for (value,), token in compared.pairs:
        digests = unkeyed_digests(value, usual=True, n_bytes=shape.n_bytes)
        texts = (shape.text(digest, cut.text) for name, digest in digests if name[1] == algorithm)
        n += any(compared.is_match(text, cut, token) for text in texts)
    return n


def _unkeyed(compared: _Compared) -> Iterator[_Found]:
    """Yield every recipe without a key that fits one of a few values."""
    shape = compared.shape
    tried: set[tuple[_Name, Cut]] = set()
    probes = compared.probes(_N_PROBES)
    hays = _hays(compared, [value for (value,), _ in probes], usual=False)
    for (value, token), of_value in zip(probes, hays, strict=True):
        hopeful = frozenset(compared.hopeful(of_value, itertools.repeat(token, len(of_value))))
        digests = _without_key(value[0], shape, usual=False) if hopeful else ()
        for name, digest in (found for i, found in enumerate(digests) if i in hopeful):
            for cut in compared.cuts(shape.texts(digest), token):
                if (name, cut) not in tried:
                    tried.add((name, cut))
                    recipe = Recipe(spelling=name[0], algorithm=name[1], key=name[2], n_bytes=shape.n_bytes)
                    count = partial(_n_matched, make=partial(_digest, recipe), cut=cut)
                    yield recipe.how, count(compared, hopeful=True), count


def _digest(recipe: Recipe, value: _Value) -> bytes | None:
    return recipe.digest(value[0])


def _keyed(compared: _Compared, *, keys: Sequence[Key], made: dict[_Value, list[str]]) -> Iterator[_Found]:
    """Yield recipes with a guessable key; `made` keeps the texts of the last value for the next look."""
    shape = compared.shape
    for value, token in compared.probes(_N_KEYED_PROBES):
        if value not in made:
            made.clear()
            made[value] = _texts_together(shape, list(digests_by_key(value[0], keys)))
        hays = made[value]
        hopeful = [keys[i] for i in compared.hopeful(hays, itertools.repeat(token, len(hays)))]
        for (spelling, algorithm, key), digest in keyed_digests(value[0], hopeful):
            for cut in compared.cuts(shape.texts(digest, few=True), token, step=_STEP):
                recipe = Recipe(spelling=spelling, algorithm=algorithm, key=key)
                count = partial(_n_matched, make=partial(_digest, recipe), cut=cut, few=True)
                n = count(compared, hopeful=True)
                if n > 1:
                    yield recipe.how, n, count


def _texts_together(shape: TokenShape, digests: Sequence[Sequence[bytes]]) -> list[str]:
    """Return for each group of digests all their texts in one."""
    hays = iter(shape.hays(list(itertools.chain(*digests)), few=True))
    return ["\n".join(itertools.islice(hays, len(group))) for group in digests]


def _joined(
    samples: _Samples, originals: Sequence[str], anonymized: str, shape: TokenShape
) -> Iterator[ComputedPseudonym]:
    """Yield hashes of two or three columns that were joined, in any order, as one record shows them."""
    record = samples.record(originals[:_MOST_JOINED], anonymized, shape)
    if record is None:
        return
    values, probe = record
    repeat = sorted(originals[:_MOST_JOINED], key=samples.identifies_alone)
    twos = itertools.permutations(originals[:_MOST_JOINED], 2)
    threes = itertools.permutations(repeat[:_MOST_JOINED_BY_THREE], 3)
    sets = [names for names in itertools.chain(twos, threes) if all(values[name] for name in names)]
    joined = [tuple(values[name] for name in names) for names in sets]
    key = (shape.kind, shape.length, *values.items())
    if key not in samples.hays:
        digests = [
            [digest for text in texts for _, digest in plain_digests(text, few=len(value) > 2)]
            for value in joined
            for texts in [{text for _, _, text in _joined_texts(value)}]
        ]
        samples.hays[key] = _texts_together(shape, digests)
    hays = samples.hays[key]
    token = probe.pairs[0][1]
    for i in probe.hopeful(hays, itertools.repeat(token, len(hays))):
        for make, cut in _joined_recipes(joined[i], probe):
            search = partial(_one_recipe, make=make, cut=cut)
            yield from _as_hash(samples, sets[i], anonymized, shape, search)


def _joined_texts(value: _Value) -> Iterator[tuple[str, Callable[[str], str], bytes]]:
    """Yield the ways to join and spell a value."""
    joints, spellings = (_JOINTS[:5], _SPELLINGS[:4]) if len(value) > 2 else (_JOINTS, _SPELLINGS)
    for joint, spell in itertools.product(joints, spellings):
        yield joint, spell, spell(joint.join(value)).encode()


def _joined_recipes(value: _Value, probe: _Compared) -> Iterator[tuple[_JoinedDigest, Cut]]:
    """Yield the recipes that turn a joined value into a token."""
    token = probe.pairs[0][1]
    for joint, spell, data in _joined_texts(value):
        for algorithm, digest in plain_digests(data, few=len(value) > 2):
            for cut in probe.cuts(probe.shape.texts(digest, few=True), token, step=_STEP):
                yield _JoinedDigest(joint=joint, spell=spell, algorithm=algorithm), cut


@dataclass(frozen=True, kw_only=True)
class _JoinedDigest:
    """How a record's values are joined and hashed."""

    joint: str
    spell: Callable[[str], str]
    algorithm: str

    def __call__(self, value: _Value) -> bytes:
        return dict(plain_digests(self.spell(self.joint.join(value)).encode()))[self.algorithm]


def _one_recipe(compared: _Compared, *, make: _JoinedDigest, cut: Cut) -> Iterator[_Found]:
    count = partial(_n_matched, make=make, cut=cut, few=True)
    how = text("an unsalted {algorithm} hash", algorithm=own(make.algorithm))
    yield how, count(compared, hopeful=True), count


def _n_matched(
    compared: _Compared, *, make: _Make, cut: Cut, few: bool = False, hopeful: bool = False
) -> int:
    """Return the values whose computed token is there; if `hopeful`, few once that looks accidental."""
    found = []
    for i, (value, token) in enumerate(compared.pairs):
        digest = make(value)
        if digest is not None:
            text = compared.shape.text(digest, cut.text, few=few)
            if compared.is_match(text, cut, token):
                found.append(digest)
        if hopeful and i == _N_TOLD_APART and len(found) <= 1:
            break
    return len(found) if len(set(found)) > 1 else 0


# --- ciphers


def _as_cipher(samples: _Samples, original: str, anonymized: str) -> Iterator[ComputedPseudonym]:
    """Yield a rule that turns the values of one column into another's, letter by letter or by arithmetic."""
    order = samples.tables.order
    ciphers: list[tuple[Cipher | None, int]] = []
    if order != "changed":
        rows = [(value[0], token) for value, token in samples.pairs((original,), anonymized)]
        folded_rows = [(value.casefold(), token.casefold()) for value, token in rows]
        ciphers = [(cipher_between(rows) or cipher_between(folded_rows), len(rows))]
    is_free = order != "kept" and same_number_same_record(samples.tables, original, anonymized) is not False
    if is_free and not any(cipher for cipher, _ in ciphers):
        values = [value for (value,) in samples.values((original,))]
        cells = samples.cells(anonymized)
        folded_cells = [cell.casefold() for cell in cells]
        cipher = cipher_into(values, cells) or cipher_into([v.casefold() for v in values], folded_cells)
        ciphers.append((cipher, len(values)))
    for cipher, n in ciphers:
        if cipher is not None:
            counts = (cipher.n_matched, n)
            yield samples.result((original,), anonymized, kind="cipher", how=cipher.how, counts=counts)
            return
    if is_free:
        everyone = samples.tables.written["original"][original].trimmed.values
        tokens = samples.cells(anonymized)
        values = everyone.to_pylist()
        if are_alike_in_places(values, tokens) or have_the_same_symbols(values, tokens):
            how = "the original with its characters replaced, or moved to other places"
            counts = (len(tokens), len(tokens))
            yield samples.result((original,), anonymized, kind="cipher", how=how, counts=counts)


# --- judging


def judge_computed(measured: ComputedMeasurement, thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return a finding per column of pseudonyms that anybody can compute."""
    return [_finding(one, thresholds, is_sample=measured.is_sample) for one in measured.found]


def _finding(computed: ComputedPseudonym, thresholds: SecondOpinionThresholds, *, is_sample: bool) -> Finding:
    telling = computed.taken_out or computed.original_distinct_share >= thresholds.highly_distinct_share
    several = len(computed.originals) > 1
    if several:
        message = (
            "The values of `{column}` are {how} of the original columns {originals} joined: {found}. "
            "{consequence}"
        )
    elif computed.originals == (computed.anonymized,):
        message = "The values of `{column}` are {how}: {found}. {consequence}"
    else:
        message = (
            "The values of `{column}` are {how} of the original column {originals}: {found}. {consequence}"
        )
    consequence = (
        "Anybody with a list of possible originals can compute them and look people up."
        if computed.kind == "hash"
        else "A few known people give the rule away, and the rule gives away all: draw random pseudonyms."
    )
    return Finding.of(
        f"disguise_{computed.kind}",
        Verdict.FAIL if telling else Verdict.WARN,
        column=computed.anonymized,
        n_affected=computed.n_matched,
    )(
        message,
        how=own(computed.how),
        originals=listed(computed.originals),
        found=values_compared(computed.n_matched, computed.n_compared, is_sample=is_sample),
        consequence=own(consequence),
    )
