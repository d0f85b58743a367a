"""Pseudonyms that anybody can compute from the originals: hashes, with no or a guessable key, ciphers, codes.

Tried on a seeded sample: in the same rows, unless their order has changed; by whether the computed token
occurs at all, unless their order is kept.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from core.chance import binomial_tail
from core.comparing.digests import (
    Compared,
    Cut,
    Fit,
    Key,
    Recipe,
    Target,
    TokenShape,
    Value,
    guessable_keys,
    joined_digests,
    keyed_digests,
    keys_of,
    learned,
    plain_digests,
    slow_digests,
    spelled,
    together,
    token_shape,
    usual_digests,
)
from core.comparing.learned import Rule, have_the_same_symbols, rule_between, rule_into
from core.comparing.likeness import FEWEST, NO_ACCIDENT, kept_likeness, one_for_one
from core.comparing.made_up import recombined
from core.tabular.actions import Meaning, meaning_of
from core.tabular.columns import is_high_risk
from core.tabular.log import QUASI_IDENTIFYING_SEMANTICS, folded
from core.tabular.second_opinion.numbering import same_number_same_record
from core.tabular.second_opinion.pair import LoggedTables, Sample, remembered
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.words import listed, values_compared
from core.verdict import Finding, Verdict
from core.words import Text, own, text

_N_ROUNDS = 4  # made-up values for each value, from which chance is counted
_FEWEST = 3  # distinct values that have to be compared
_ANY_HASH = 0.05  # share of hashes that need to be found: no other column holds them by chance
_ANY_NUMBER = 0.5  # the same of decimal digits, which amounts have too
_NO_ACCIDENT = 1e-9  # probability of as many tokens by chance
_SMALLEST_DISTINCT_SHARE = 0.3  # of digits, below which they are measurements, not tokens
_LONG, _MANY = 8, 20  # digits, and distinct values, from which numbers that repeat are tokens all the same
_MOST_JOINED, _MOST_JOINED_BY_THREE, _MOST_WITH_ROWS = 20, 9, 6  # original columns that are joined
_MOST_COLUMNS = 60  # token columns, and original columns for each of them, that are looked at
_MOST_KEYED, _MOST_SLOW = 3, 3  # originals tried for a column that has no own; columns, with slow functions
_SLOW_LENGTH = 16  # hexadecimal digits of a token, from which these are tried
_LOOKED_AT = 40  # values of which some are chosen to learn on
_NEARLY_ALL = 0.9
_MOST_ALONE = 20  # constants of columns that may be salts
_N_SALTED = 6  # records with a salt of their own that are looked at
_MOST_PAIRS = 60  # of columns that are compared by likeness
_NEARLY_UNIQUE = 0.998  # share of distinct values
_TAKEN_OUT = frozenset({Meaning.GONE, Meaning.PSEUDONYM, Meaning.REPLACED})

Tier = Literal["usual", "plain", "keyed", "slow"]
_N_PROBES: Mapping[Tier, int] = {"usual": 100, "plain": 4, "keyed": 1, "slow": 1}  # values to learn on
_FEWEST_PROBES, _MOST_PROBES = 20, 1500  # values for each column, and for all together
_ROWS = ("\0row0", "\0row1")  # the numbers of the rows, as columns to join others with


@dataclass(frozen=True, kw_only=True)
class ComputedPseudonym:
    """An anonymized column whose tokens anybody can compute from original columns."""

    originals: tuple[str, ...]  # column names; several originals were joined
    anonymized: str
    kind: str  # ``hash`` or ``cipher``
    how: Text  # in words, completing "the values are …"
    n_matched: int  # values found so, among those compared
    n_compared: int
    is_sample: bool  # whether these are not all values
    with_row: bool = False  # whether the number of the row was joined to them
    original_distinct_share: float  # distinct / non-blank cells, the highest of the originals; in [0, 1]
    taken_out: bool  # whether the log says that an original is gone or a pseudonym, or identifies people


@dataclass(frozen=True, kw_only=True)
class KeptLikeness:
    """An anonymized column whose values are alike where those of an original one are."""

    original: str  # column names
    anonymized: str
    n_values: int  # distinct originals, each with its pseudonym, that were compared
    z: float  # standard deviations beyond pseudonyms dealt out anew


def measure_computed(
    tables: LoggedTables,
    columns: Sequence[ColumnComparison],
    settings: SecondOpinionSettings,
    *,
    explained: Collection[tuple[str, str]] = (),
) -> tuple[ComputedPseudonym, ...]:
    """Try to compute the tokens of every anonymized column that is not left as it was.

    At most one way is told for a column, the simplest. `explained` pairs of original and anonymized columns
    are not tried.
    """
    search = _Search(tables=tables, settings=settings, columns=columns, explained=frozenset(explained))
    found: dict[str, ComputedPseudonym] = {}
    shaped = [name for name in search.anonymized_names if search.shape(name)][:_MOST_COLUMNS]
    for tier in _N_PROBES:
        for original, names in search.tried(tier, [name for name in shaped if name not in found]).items():
            found |= search.hashed(original, [name for name in names if name not in found], tier)
    found |= search.joined([name for name in shaped if name not in found])
    for name, salts in itertools.permutations(shaped, 2):
        if name not in found and (one := search.salted(name, salts)):
            found[name] = one
    for name in search.anonymized_names:
        rules = (search.by_rule(original, name) for original in search.candidates(name))
        if name not in found and (one := next(filter(None, rules), None)):
            found[name] = one
    return tuple(found[name] for name in search.anonymized_names if name in found)


def measure_kept_likeness(
    tables: LoggedTables, columns: Sequence[ColumnComparison], settings: SecondOpinionSettings
) -> tuple[KeptLikeness, ...]:
    """Compare pseudonyms with their originals where rows are known: of each column, and of those added."""
    if tables.order == "changed":
        return ()
    search = _Search(tables=tables, settings=settings, columns=columns)
    found = []
    for original, anonymized in itertools.islice(search.taken_out_pairs(), _MOST_PAIRS):
        cells = search.original[original], search.anonymized[anonymized]
        values = one_for_one(*cells, seed=settings.seed)
        if len(values) >= FEWEST:
            z = kept_likeness(*zip(*values, strict=True), seed=settings.seed)
            if z >= NO_ACCIDENT:
                found.append(
                    KeptLikeness(original=original, anonymized=anonymized, n_values=len(values), z=z)
                )
    return tuple(found)


# --- what is compared


@dataclass(kw_only=True, eq=False)
class _Search(Sample):
    """Values of both tables to compare, and what was computed of them, once."""

    columns: Sequence[ColumnComparison]
    explained: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def anonymized_names(self) -> list[str]:
        """Return the anonymized columns that are not left as they were."""
        left = {column.anonymized for column in self.columns if column.is_left}
        return [name for name in self.tables.anonymized.column_names if name not in left]

    @remembered
    def shape(self, anonymized: str) -> TokenShape | None:
        """Return how the tokens of a column are written, None where it holds none."""
        cells = [cell for cell in self.anonymized[anonymized] if cell]
        n_distinct = len(set(cells))
        shape = token_shape(cells) if n_distinct >= _FEWEST else None
        if (
            shape is not None
            and shape.written == "digits"
            and n_distinct < _SMALLEST_DISTINCT_SHARE * len(cells)
        ):
            return shape if shape.length >= _LONG and n_distinct >= _MANY else None
        return shape

    @cached_property
    def varied(self) -> Mapping[str, int]:
        """Return how many distinct values each original column has in the sampled rows."""
        return {name: len(set(cells) - {""}) for name, cells in self.original.items()}

    @remembered
    def own(self, anonymized: str) -> list[str]:
        """Return the original columns that an anonymized one stands for."""
        return [column.original for column in self.columns if column.anonymized == anonymized]

    @remembered
    def originals(self, anonymized: str) -> list[str]:
        """Return the original columns to try, its own first, then the most varied."""
        others = sorted(self.varied, key=lambda name: -self.varied[name])
        names = dict.fromkeys([*self.own(anonymized), *others])
        some = [name for name in names if self.varied[name] >= _FEWEST][:_MOST_COLUMNS]
        return [name for name in some if (name, anonymized) not in self.explained]

    @remembered
    def candidates(self, anonymized: str) -> list[str]:
        """Return those with about as many distinct values, as a key for all of them leaves it."""
        theirs = self.tables.n_distinct("anonymized", anonymized)
        same = self.tables.n_original == self.tables.n_anonymized
        return [
            name
            for name in self.originals(anonymized)
            if theirs <= 1.02 * (ours := self.tables.n_distinct("original", name)) + 2
            and (not same or theirs >= 0.5 * ours)
        ]

    def tried(self, tier: Tier, names: Sequence[str]) -> Mapping[str, list[str]]:
        """Return the originals to try, and for which anonymized columns."""
        found: dict[str, list[str]] = {}
        n_left = _MOST_SLOW if tier == "slow" else len(names)
        for name in names:
            originals = self.originals(name) if tier == "usual" else self.candidates(name)
            shape = self.shape(name)
            if tier in {"keyed", "slow"}:
                own = [each for each in originals if each in self.own(name)]
                originals = own or originals[: _MOST_KEYED if tier == "keyed" else 1]
            is_short = not shape or shape.written in {"uuid", "digits"} or shape.length < _SLOW_LENGTH
            if tier == "slow" and (is_short or not n_left):
                continue
            n_left -= 1
            for original in originals:
                found.setdefault(original, []).append(name)
        return found

    def digests(self, tier: Tier, value: str, shapes: Iterable[TokenShape]) -> Iterator[tuple[Recipe, bytes]]:
        """Return the digests of a value."""
        if tier == "usual":
            return usual_digests(value)
        if tier == "plain":
            lengths = {shape.length // 2 for shape in shapes if shape.form[0] == "hex"}
            return plain_digests(value, lengths)
        if tier == "keyed":
            return keyed_digests(value, self.keys)
        return slow_digests(value, self.noted)

    @cached_property
    def noted(self) -> list[str]:
        """Return what may be a salt because it stands in the log, or alone in a column of either table."""
        alone = [
            cells[0]
            for table in (self.original, self.anonymized)
            for cells in table.values()
            if cells and cells[0] and len(set(cells)) == 1
        ]
        return list(dict.fromkeys([*self.tables.log.texts, *alone[:_MOST_ALONE]]))

    @cached_property
    def keys(self) -> Sequence[Key]:
        """Return the guessable keys, names of these columns and files and what is noted among them."""
        log, shaped = self.tables.log, [name for name in self.anonymized_names if self.shape(name)]
        names = [
            *sorted(self.varied, key=lambda name: -self.varied[name])[:_MOST_COLUMNS],
            *shaped[:_MOST_COLUMNS],
        ]
        files = [name.rsplit("/", 1)[-1] for name in (log.source_file, log.output_file, log.name) if name]
        stems = [name.split(".", 1)[0].removesuffix("_anonymized_log") for name in files]
        return guessable_keys([*names, *map(folded, names), *files, *stems, *self.noted])

    @cached_property
    def sources(self) -> Mapping[str, list[str]]:
        """Return the cells that may have been joined: of original columns, and the numbers of their rows."""
        rows = self.rows.to_pylist()
        return {**self.original, _ROWS[0]: list(map(str, rows)), _ROWS[1]: [str(row + 1) for row in rows]}

    @cached_property
    def joined_names(self) -> list[Value]:
        """Return the columns to join: each two, each three of some, runs of neighbours, one and its row."""
        varied = [name for name, n in self.varied.items() if n > 1]
        names = sorted(varied, key=lambda name: (not self._is_about_people(name), -self.varied[name]))[
            :_MOST_JOINED
        ]
        repeat = sorted(names, key=self._identifies_alone)[:_MOST_JOINED_BY_THREE]
        every = list(self.original)[:_MOST_JOINED]
        runs = (every[i:j] for i, j in itertools.combinations(range(len(every) + 1), 2) if j - i > 2)
        with_rows = itertools.product(names[:_MOST_WITH_ROWS], _ROWS)
        found = itertools.chain(
            itertools.permutations(names, 2),
            itertools.permutations(repeat, 3),
            map(tuple, runs),
            *((pair, pair[::-1]) for pair in with_rows),
        )
        return list(dict.fromkeys(found))

    def _identifies_alone(self, original: str) -> bool:
        """Whether nearly all values of a column differ: nobody joins two others to it."""
        return self.varied[original] >= _NEARLY_UNIQUE * sum(map(bool, self.original[original]))

    def _is_about_people(self, original: str) -> bool:
        """Whether the log calls a column high-risk or a quasi-identifier."""
        semantic = self.tables.log.entry(original).semantic
        return is_high_risk(semantic) or semantic in QUASI_IDENTIFYING_SEMANTICS

    def is_taken_out(self, original: str) -> bool:
        """Whether the log says, in any words, that a column is gone or a pseudonym, or identifies people."""
        entry = self.tables.log.entry(original)
        return meaning_of(entry.action) in _TAKEN_OUT or entry.takes_out or is_high_risk(entry.semantic)

    def taken_out_pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the columns that the log calls taken out with what stands for them, then what was added."""
        coded = {pair.pair.anonymized: pair.pair for pair in self.tables.coded}
        for name in self.anonymized_names:
            pair = coded.get(name)
            entry = self.tables.log.entry(pair.original) if pair else None
            if pair and entry and (entry.takes_out or meaning_of(pair.action) in _TAKEN_OUT):
                yield pair.original, name
        stood_for = {pair.original for pair in coded.values()}
        gone = [name for name in self.tables.original.column_names if name not in stood_for]
        yield from itertools.product(gone, [name for name in self.anonymized_names if name not in coded])

    @remembered
    def bodies(self, anonymized: str) -> list[str | None]:
        """Return the tokens of the sampled rows, each in one spelling; None where a cell holds none."""
        shape = self.shape(anonymized)
        return [shape.body(cell) if shape and cell else None for cell in self.anonymized[anonymized]]

    @remembered
    def tokens(self, anonymized: str) -> frozenset[str]:
        """Return all tokens of an anonymized column, each in one spelling."""
        shape = self.shape(anonymized)
        return frozenset(body for cell in self.cells(anonymized) if shape and (body := shape.body(cell)))

    @remembered
    def cells(self, anonymized: str) -> list[str]:
        """Return all distinct cells of an anonymized column, trimmed."""
        values: list[str] = self.tables.written["anonymized"][anonymized].trimmed.values.to_pylist()
        return values

    def comparisons(self, originals: Value, anonymized: str) -> Iterator[Compared]:
        """Yield what is compared: values with the tokens of their rows, then with all tokens."""
        shape, order = self.shape(anonymized), self.tables.order
        if shape is None:
            return
        values = list(zip(*(self.sources[name] for name in originals), strict=True))
        if order != "changed":
            rows = zip(values, self.bodies(anonymized), strict=True)
            pairs = [(value, body) for value, body in rows if body is not None and all(value)]
            if len({value for value, _ in pairs}) >= _FEWEST:
                yield Compared(column=anonymized, shape=shape, pairs=pairs)
        if order != "kept":
            distinct = [(value, "") for value in dict.fromkeys(values) if all(value)]
            tokens = self.tokens(anonymized)
            if min(len(distinct), len(tokens)) >= _FEWEST:
                yield Compared(column=anonymized, shape=shape, pairs=distinct, tokens=tokens)

    @cached_property
    def every(self) -> list[tuple[Compared, list[Compared]]]:
        """Return all tokens of the anonymized columns, to search at once; nothing where rows are known."""
        names = self.anonymized_names if self.tables.order != "kept" else []
        shapes = {name: shape for name in names if (shape := self.shape(name))}
        return together(
            [
                Compared(column=name, shape=shape, pairs=(), tokens=self.tokens(name))
                for name, shape in shapes.items()
            ]
        )

    # --- what is found

    def hashed(self, original: str, names: Sequence[str], tier: Tier) -> dict[str, ComputedPseudonym]:
        """Return for columns whose tokens are digests of an original one how most of them are computed."""
        compared = [each for name in names for each in self.comparisons((original,), name)]
        tried: set[tuple[Compared, Recipe, Cut]] = set()
        best: dict[Compared, Fit] = {}
        n_probes = min(_N_PROBES[tier], max(_FEWEST_PROBES, _MOST_PROBES // max(len(names), 1)))
        for value in _probes(compared, n_probes):
            targets: list[Target] = [
                (each, each.of_value[value], [each])
                for each in compared
                if each.tokens is None and value in each.of_value
            ]
            free = {each.column: each for each in compared if each.tokens is not None}
            for every, group in self.every:
                targets.append((every, "", [free[each.column] for each in group if each.column in free]))
            made = self.digests(tier, value[0], [each.shape for each in compared])
            for found in learned(made, targets, few=tier in {"keyed", "slow"}):
                if found not in tried:
                    tried.add(found)
                    one, recipe, cut = found
                    fit = one.proved(recipe, cut, few=tier in {"keyed", "slow"})
                    best[one] = max(fit, best.get(one, fit), key=lambda each: each.n_matched)
            compared = [each for each in compared if each not in best or not _is_nearly_all(best[each])]
        told = {each.column: self._told((original,), each, fit) for each, fit in reversed(best.items())}
        return {name: one for name, one in told.items() if one is not None}

    def joined(self, names: Sequence[str]) -> dict[str, ComputedPseudonym]:
        """Return for columns whose tokens are hashes of joined ones how, as one record shows it."""
        order, bodies = self.tables.order, {name: self.bodies(name) for name in names}
        filled = [*self.original.values(), *(bodies.values() if order != "changed" else ())]
        row = max(range(len(self.rows)), key=lambda i: sum(bool(cells[i]) for cells in filled), default=None)
        if row is None or not names:
            return {}
        shapes = {name: shape for name in names if (shape := self.shape(name))}
        tokens = {name: bodies[name][row] or "" for name in shapes if order != "changed"}
        in_rows = [
            Compared(column=name, shape=shapes[name], pairs=()) for name, token in tokens.items() if token
        ]
        targets: list[Target] = [(each, tokens[each.column], [each]) for each in in_rows]
        for every, group in self.every:
            targets.append((every, "", [each for each in group if each.column in shapes]))
        values = {name: cells[row] for name, cells in self.sources.items()}
        told: dict[str, ComputedPseudonym] = {}
        for originals in self.joined_names:
            value = tuple(values[name] for name in originals)
            for one, recipe, cut in learned(joined_digests(value), targets, few=True) if all(value) else ():
                for compared in self.comparisons(originals, one.column):
                    fit = compared.proved(recipe, cut, few=True)
                    if one.column not in told and (found := self._told(originals, compared, fit)):
                        told[one.column] = found
        return told

    def salted(self, anonymized: str, salts: str) -> ComputedPseudonym | None:
        """Return how tokens are computed with a salt for each record, that stands in a column beside them."""
        shape, beside = self.shape(anonymized), self.anonymized[salts]
        rows = [(i, body) for i, body in enumerate(self.bodies(anonymized)) if body and beside[i]][:_N_SALTED]
        is_salt = len(set(beside)) >= _NEARLY_UNIQUE * len(beside) and not self.own(salts)
        if not is_salt or shape is None or shape.written == "digits" or len(rows) < _FEWEST:
            return None
        for original in self.candidates(anonymized)[:_MOST_KEYED]:
            cells = self.original[original]
            every = [value for value in dict.fromkeys(cells) if value]
            values = [every if self.tables.order == "changed" else [cells[i]] for i, _ in rows]
            keys = [keys_of(beside[i].encode()) for i, _ in rows]
            compared = [
                Compared(column=anonymized, shape=shape, pairs=[((value,), body) for value in each if value])
                for each, (_, body) in zip(values, rows, strict=True)
            ]
            made = itertools.chain.from_iterable(keyed_digests(value, keys[0]) for value in values[0])
            for _, recipe, cut in learned(made, [(compared[0], rows[0][1], compared[:1])], few=True):
                place = keys[0].index(recipe.key) if recipe.key else 0
                salted = [recipe._replace(key=each[place]) for each in keys]
                n = sum(map(partial(Compared.has, cut=cut), compared, salted))
                if n >= _NEARLY_ALL * len(rows):
                    counts = (n, len(rows))
                    found = self._result((original,), anonymized, kind="hash", how=recipe.how, counts=counts)
                    return replace(found, is_sample=True)
        return None

    def _told(self, originals: Value, compared: Compared, fit: Fit) -> ComputedPseudonym | None:
        """Return what is found, None where too few tokens are, or as many by chance."""
        least = _ANY_NUMBER if compared.shape.written == "digits" else _ANY_HASH
        enough = fit.n_matched >= max(2, least * fit.n_compared)
        if not enough or binomial_tail(fit.n_matched, fit.n_compared, _chance(compared, fit)) >= _NO_ACCIDENT:
            return None
        counts = (fit.n_matched, fit.n_compared)
        found = self._result(originals, compared.column, kind="hash", how=fit.recipe.how, counts=counts)
        return replace(found, is_sample=True) if fit.recipe.is_slow else found

    def by_rule(self, original: str, anonymized: str) -> ComputedPseudonym | None:
        """Return a rule that turns the values of one column into another's, by letters or by arithmetic."""
        order, found, n = self.tables.order, None, 0
        if order != "changed":
            cells = zip(self.original[original], self.anonymized[anonymized], strict=True)
            rows = [(value, token) for value, token in cells if value and token]
            folded_rows = [(value.casefold(), token.casefold()) for value, token in rows]
            weak = self.is_taken_out(original)
            found, n = rule_between(rows, weak=weak), len(rows)
            if found is None and folded_rows != rows:
                found = rule_between(folded_rows)
        is_free = order != "kept" and same_number_same_record(self.tables, original, anonymized) is not False
        if is_free and found is None:
            values = [value for value in dict.fromkeys(self.original[original]) if value]
            tokens = self.cells(anonymized)
            found, n = rule_into(values, tokens), len(values)
            every = self.tables.written["original"][original].trimmed.values.to_pylist()
            if found is None and have_the_same_symbols(every, tokens):
                n = len(tokens)
                found = Rule(text("the original with its characters replaced, or moved to other places"), n)
        if found is None:
            return None
        counts = (found.n_matched, n)
        return self._result((original,), anonymized, kind="cipher", how=found.how, counts=counts)

    def _result(
        self, names: Value, anonymized: str, *, kind: str, how: Text, counts: tuple[int, int]
    ) -> ComputedPseudonym:
        originals = tuple(name for name in names if name in self.original)
        return ComputedPseudonym(
            originals=originals,
            anonymized=anonymized,
            kind=kind,
            how=how,
            n_matched=counts[0],
            n_compared=counts[1],
            is_sample=self.is_sample,
            with_row=not {*_ROWS}.isdisjoint(names),
            original_distinct_share=max(self.tables.distinct_share("original", name) for name in originals),
            taken_out=any(self.is_taken_out(name) for name in originals),
        )


def _probes(compared: Sequence[Compared], n: int) -> list[Value]:
    """Return values to learn on: with a token in most columns, and spelled in most ways."""
    counts = Counter(
        value for each in compared for value in itertools.islice(each.of_value, max(n, _LOOKED_AT))
    )
    return sorted(counts, key=lambda value: (-counts[value], -len(spelled(value[0]))))[:n]


def _is_nearly_all(fit: Fit) -> bool:
    return fit.n_matched >= _NEARLY_ALL * fit.n_compared


def _chance(compared: Compared, fit: Fit) -> float:
    """Return how probable one value's token is by chance; of decimal digits counted on made-up values."""
    if compared.shape.written != "digits" or fit.recipe.is_slow:
        return compared.by_chance
    rng = np.random.default_rng(0)
    known = {value for value, _ in compared.pairs}
    columns = [list(column) for column in zip(*(value for value, _ in compared.pairs), strict=True)]
    tokens = [token for _, token in compared.pairs]
    made_up = (
        (tuple(value), token)
        for _ in range(_N_ROUNDS)
        for *value, token in zip(*(recombined(column, rng) for column in columns), tokens, strict=True)
    )
    pairs = [pair for pair in made_up if pair[0] not in known]
    n_found = (
        replace(compared, pairs=pairs).proved(fit.recipe, fit.cut, few=fit.few).n_matched if pairs else 0
    )
    return max(compared.by_chance, (n_found + 1) / (len(pairs) + 1))


# --- judging


def judge_computed(
    measured: Sequence[ComputedPseudonym], thresholds: SecondOpinionThresholds
) -> list[Finding]:
    """Return a finding per column of pseudonyms that anybody can compute."""
    return [_finding(one, thresholds) for one in measured]


def _finding(computed: ComputedPseudonym, thresholds: SecondOpinionThresholds) -> Finding:
    telling = computed.taken_out or computed.original_distinct_share >= thresholds.highly_distinct_share
    if computed.with_row:
        message = (
            "The values of `{column}` are {how} of {originals} in the original and the number of the row, "
            "joined: {found}. {consequence}"
        )
    elif len(computed.originals) > 1:
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
        found=values_compared(computed.n_matched, computed.n_compared, is_sample=computed.is_sample),
        consequence=own(consequence),
    )


def judge_kept_likeness(measured: Sequence[KeptLikeness], told: Collection[str | None]) -> list[Finding]:
    """WARN of columns that are alike where their originals are, where nothing graver is told of them."""
    return [
        Finding.of("kept_likeness", Verdict.WARN, column=one.anonymized, n_affected=one.n_values)(
            "The values of `{column}` are alike where those of the original column `{original}` are, {z} "
            "standard deviations beyond pseudonyms dealt out anew ({n} distinct values compared): a code "
            "that keeps what is alike gives the rest away, once a few persons are known.",
            original=one.original,
            z=round(one.z),
            n=one.n_values,
        )
        for one in measured
        if one.anonymized not in told
    ]
