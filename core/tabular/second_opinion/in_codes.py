"""Original values that anybody reads off pseudonyms and codes: inside them, written otherwise, or their ends.

Both sides are brought to one plain form first (letter case, accents, signs, invisible and look-alike
characters and encodings such as Base64 do not count), so whatever combines these is one case.
"""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import binomial_tail
from core.comparing.keys import FEWEST, Held, Hits, Keys, hits_in_rows
from core.comparing.made_up import recombined
from core.comparing.readings import PLAIN, READINGS, legible, plain
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.pair import LoggedTables, Sample
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.values.encoded_texts import decoded
from core.verdict import Finding, Verdict
from core.words import own, share_of

_MOST_ORIGINALS = 20_000  # distinct values looked for where nobody knows which row is whose
_MOST_COLUMNS = 60  # of either table
_LONGEST = 80  # plain characters of a token; longer texts are read word by word elsewhere
_DISTINCT = 0.3  # share of distinct values from which a column is looked for, or in
_LEAST_SHARE, _TIMES_CHANCE, _NO_ACCIDENT = 0.05, 3, 1e-9
_SHORTENED = frozenset(reading.how for reading in READINGS if reading.place != "inside")
_LOOKED_AT = 20  # cells that show whether a column holds encoded texts
_MEASURE = re.compile(r"[+-]?\d*[.,]\d+")


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


def measure_in_codes(
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
            seen = [one for one in _in_column(read, name, tokens) if (one.original, name) not in explained]
            found += [max(seen, key=lambda one: one.n_hits)] if seen else []
    return tuple(found)


@dataclass(kw_only=True, eq=False)
class _Read(Sample):
    """The sampled cells of both tables, read once per column."""

    @cached_property
    def originals(self) -> Mapping[str, tuple[Sequence[str], float]]:
        """Return cells and distinct share of the columns whose values vary enough to lead to somebody."""
        found = {}
        for name, cells in itertools.islice(self.original.items(), _MOST_COLUMNS):
            filled = [cell for cell in cells if cell]
            distinct_share = len(set(filled)) / max(len(filled), 1)
            n_measures = sum(_MEASURE.fullmatch(cell) is not None for cell in filled)
            if len(set(filled)) >= FEWEST and distinct_share >= _DISTINCT and n_measures < len(filled) / 2:
                found[name] = cells, distinct_share
        return found

    def tokens(self, anonymized: str) -> list[str]:
        """Return the plain cells, of the sampled rows unless the order has changed; none where coarse."""
        column = self.tables.anonymized[anonymized]
        if self.tables.order == "changed":
            distinct = self.tables.written["anonymized"][anonymized].values
            cells = distinct.take(self.some(len(distinct)))
            coarse = len(distinct) < _DISTINCT * (len(column) - column.null_count)
        else:
            cells = pc.fill_null(column.take(self.rows), "").combine_chunks()
            filled = cells.filter(pc.not_equal(cells, ""))
            coarse = len(filled.unique()) < _DISTINCT * len(filled)
        tokens = _shown(legible(cells).to_pylist())
        long = sum(len(token.partition(" ")[0]) > 2 * _LONGEST for token in tokens)
        return [] if coarse or long > len(tokens) / 2 or len({*tokens} - {""}) < FEWEST else tokens

    @cached_property
    def of_rows(self) -> Keys:
        """Return the keys of the sampled rows."""
        keys = Keys(of_rows=True)
        for name, (cells, _) in self.originals.items():
            keys.add(name, [*dict.fromkeys(filter(None, cells))])
        return keys

    @cached_property
    def of_all(self) -> tuple[Keys, Keys]:
        """Return the keys of all values, and of made-up ones, for tables whose order has changed."""
        rng = np.random.default_rng(self.settings.seed)
        real, made_up = Keys(of_rows=False), Keys(of_rows=False)
        for name in self.originals:
            distinct = self.tables.written["original"][name].trimmed.values
            chosen = rng.permutation(len(distinct))[:_MOST_ORIGINALS]
            values = [value for value in distinct.take(pa.array(chosen)).to_pylist() if value]
            known = set(values)
            made = [*dict.fromkeys(value for value in recombined(values, rng) if value not in known)]
            if made:  # else nothing can be made up that is not one of them
                real.add(name, values)
                made_up.add(name, made, like=values)
        return real, made_up

    def is_respelled(self, name: str) -> bool:
        """Whether hardly any value of the original column of this name stands here as it was."""
        ours, theirs = (self.tables.written[side][name] for side in ("anonymized", "original"))
        literal = pc.is_in(ours.values.cast(theirs.values.type), value_set=theirs.values)
        n_blank = ours.n_records - ours.n_filled if theirs.n_filled < theirs.n_records else 0
        n_literal = ours.n_cells(literal.to_numpy(zero_copy_only=False)) + n_blank
        return n_literal / ours.n_records < _LEAST_SHARE


def _shown(cells: Sequence[str]) -> list[str]:
    """Return what cells show in plain form: all of it, what it encodes, and every second character."""
    some = [cell for cell in cells if cell][:_LOOKED_AT]
    are_encoded = any(map(decoded, some))
    shown = []
    for cell in cells:
        whole = plain(cell)
        parts = [whole, *(map(plain, decoded(cell.strip())) if are_encoded else ())]
        parts += [whole[::2], whole[1::2]] if len(whole) <= _LONGEST else []
        shown.append(" ".join(parts) if whole else "")
    return shown


# --- hits


def _in_column(read: _Read, name: str, tokens: Sequence[str]) -> Iterator[ReadableColumn]:
    if read.tables.order != "changed":
        yield from _in_rows(read, name, tokens)
    if read.tables.order != "kept":
        yield from _anywhere(read, name, tokens)


def _in_rows(read: _Read, name: str, tokens: Sequence[str]) -> Iterator[ReadableColumn]:
    place = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    cells = np.array([place[token] if token else -1 for token in tokens])
    for (original, how), shown in read.of_rows.held([*place]).items():
        is_own = original == name
        if is_own and how in _SHORTENED:
            continue  # cut short, and what is kept, is told of elsewhere
        held = _otherwise(shown, [*place], read.of_rows.values[name]) if is_own and how == PLAIN else shown
        number = {value: i for i, value in enumerate(read.of_rows.values[original])}
        with_key = read.of_rows.with_key((original, how))
        values = np.array([number.get(cell, -1) for cell in read.originals[original][0]])
        values[~np.isin(values, [*with_key])] = -1
        yield from _result(read, original, name, how, hits_in_rows(held, cells, values))


def _otherwise(held: Held, tokens: Sequence[str], values: Sequence[str]) -> Held:
    """Return what tokens hold otherwise than as the whole of them."""
    pairs = zip(*held, strict=True)
    other = [plain(values[number]) not in tokens[text].partition(" ")[0] for text, number in pairs]
    return held[0][other], held[1][other]


def _anywhere(read: _Read, name: str, tokens: Sequence[str]) -> Iterator[ReadableColumn]:
    real, made_up = read.of_all
    by_chance = made_up.held(tokens)
    n_tokens = sum(map(bool, tokens))
    for (original, how), (text_, number) in real.held(tokens).items():
        if original == name and not read.is_respelled(name):
            continue
        n_values, n_made_up = len(real.values[original]), len(made_up.values[original])
        of_made_up = by_chance.get((original, how), (text_[:0], text_[:0]))
        n_expected = len(np.unique(of_made_up[0])) * max(1.0, n_values / n_made_up) + 1
        # tokens that share a piece, such as a year, show one value together
        likely = min(1.0, (len(np.unique(of_made_up[1])) + 1) / n_made_up)
        if binomial_tail(len(np.unique(number)), n_values, likely) < _NO_ACCIDENT:
            n_hits = len(np.unique(text_))
            hits = Hits(n_hits=n_hits, n_compared=n_tokens, n_by_chance=n_expected, by_rows=False)
            yield from _result(read, original, name, how, hits)


def _result(read: _Read, original: str, anonymized: str, how: str, hits: Hits) -> Iterator[ReadableColumn]:
    if hits.are_more(_TIMES_CHANCE, _NO_ACCIDENT, least_share=_LEAST_SHARE):
        entry = read.tables.log.entry(original)
        yield ReadableColumn(
            original=original,
            anonymized=anonymized,
            how=how,
            n_hits=hits.n_hits,
            n_compared=hits.n_compared,
            original_distinct_share=read.originals[original][1],
            taken_out=entry.takes_out or is_high_risk(entry.semantic),
        )


def judge_in_codes(measured: Sequence[ReadableColumn], thresholds: SecondOpinionThresholds) -> list[Finding]:
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
