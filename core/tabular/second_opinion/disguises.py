"""Whether original values survive in disguise: copied, encoded, shifted, shortened, rounded.

Each is looked for on a seeded sample (all records, where there are no more): in the same rows, unless
their order has changed; by whether the disguised value occurs at all, unless their order is kept.
"""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray
from core.comparing.learned import MOST, first_rows
from core.comparing.readings import PLAIN, TURNED_BACK, folded_texts, plain, together, written
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.pair import LoggedTables, Sample, remembered
from core.tabular.second_opinion.transforms import holds, is_shortened, order_kept, shift_between
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.words import values_compared
from core.values.cells import canonical_text
from core.values.encoded_texts import decoded
from core.verdict import Finding, Verdict
from core.words import joined, own, percent, text

_MOST_PAIRS = 10_000  # pairs of columns up to which all are compared
_AS_FINE = 0.98  # share of the distinct values before, from which nothing was merged
_NEARLY_ALL = 0.9  # distinct share from which numbers kept in order tell nearly all records apart
_ANY_INSIDE = 0.03  # share of texts that hold the original
_FEWEST = 3  # distinct values that have to be compared for a likeness to mean anything
_LOOKED_AT = 20  # values that show whether a column holds encoded texts
_COARSE = 0.3  # distinct share up to which texts are bands or categories

_TOLD = {PLAIN: "in other letter case or without spaces and signs"}
_NUMBER = re.compile(r"[+-]?[\d.,' ]*\d[^\w]*")
_TAKEN_OUT = frozenset({Meaning.GONE, Meaning.PSEUDONYM, Meaning.REPLACED})


@dataclass(frozen=True, kw_only=True)
class Disguise:
    """An anonymized column whose values are made of an original column's by a rule anybody can apply."""

    original: str  # column names
    anonymized: str
    # ``copy``, ``encoding``, ``inside``, ``shift``, ``shortened``, ``order kept`` or ``order nearly kept``
    kind: str
    how: str  # in words, completing "the values are …"
    n_matched: int  # values found disguised, among those compared
    n_compared: int
    original_distinct_share: float  # distinct / non-blank cells of the two columns; in [0, 1]
    anonymized_distinct_share: float
    taken_out: bool  # whether the log says that the original column was dropped or pseudonymized
    coarser: bool  # whether it says that its values were made coarser
    # whether the original's name stands for nothing like it any more: the anonymized table has no column of
    # that name, or only a changed one and the original table none of the disguise's name
    renamed: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class DisguiseMeasurement:
    """All disguises found."""

    found: tuple[Disguise, ...]  # at most one per pair of columns
    is_sample: bool  # whether only a sample of the values was compared
    # pairs of columns not compared because there were too many; columns of the same name always are
    n_pairs_left_out: int


def measure_disguises(
    tables: LoggedTables, columns: Sequence[ColumnComparison], settings: SecondOpinionSettings
) -> DisguiseMeasurement:
    """Compare every anonymized column that is not left as it was with every original column."""
    samples = _Samples(tables=tables, settings=settings)
    left = {column.anonymized for column in columns if column.is_left}
    changed = [name for name in tables.anonymized.column_names if name not in left]
    originals = tables.original.column_names
    n_pairs = len(changed) * len(originals)
    if n_pairs <= _MOST_PAIRS:
        pairs = list(itertools.product(originals, changed))
    else:
        pairs = [(pair.pair.original, pair.pair.anonymized) for pair in tables.coded]
        pairs = [pair for pair in pairs if pair[1] not in left][:_MOST_PAIRS]
    found = (_disguise(samples, original, anonymized) for original, anonymized in pairs)
    return DisguiseMeasurement(
        found=_with_added_columns([disguise for disguise in found if disguise is not None], tables, left),
        is_sample=samples.is_sample,
        n_pairs_left_out=n_pairs - len(pairs),
    )


def _with_added_columns(
    found: Sequence[Disguise], tables: LoggedTables, left: Collection[str]
) -> tuple[Disguise, ...]:
    """Mark as renamed what an added column holds of an original whose own column was really changed."""
    respelled = {one.original for one in found if one.original == one.anonymized and one.kind == "encoding"}
    shown = {*left, *respelled}
    added = set(tables.anonymized.column_names) - set(tables.original.column_names)
    return tuple(
        replace(one, renamed=one.renamed or (one.anonymized in added and one.original not in shown))
        for one in found
    )


@dataclass(kw_only=True, eq=False)
class _Samples(Sample):
    """Values of both tables to compare, read once per column."""

    canonical_values: dict[str, str] = field(default_factory=dict)

    @remembered
    def distinct(self, side: str, name: str) -> list[str]:
        """Return a seeded sample of a column's distinct values."""
        values = self.tables.written[side][name].values
        if len(values) > self.settings.sample_size:
            rng = np.random.default_rng(self.settings.seed)
            chosen = rng.choice(len(values), self.settings.sample_size, replace=False)
            values = values.take(pa.array(chosen))
        return [value.strip() for value in values.to_pylist()]

    def canonical(self, value: str) -> str:
        """Return the canonical text of a sampled value, worked out once."""
        if value not in self.canonical_values:
            self.canonical_values[value] = canonical_text(value, dates=True)
        return self.canonical_values[value]

    @remembered
    def keys(self, original: str, *, of_rows: bool) -> list[tuple[str, dict[str, str]]]:
        """Return each way that is turned back, and the keys of an original column's sampled values."""
        values = [*{*self.original[original]} - {""}] if of_rows else self.distinct("original", original)
        found = written(values, TURNED_BACK)
        return [
            (_TOLD.get(reading.how, reading.how), dict(zip(values, keys, strict=True)))
            for reading, keys in found
        ]

    @remembered
    def shown(self, anonymized: str) -> Mapping[str, str]:
        """Return the plain form of each sampled cell."""
        return {cell: plain(cell) for cell in {*self.anonymized[anonymized]}}

    @remembered
    def decoded(self, anonymized: str) -> Mapping[str, Mapping[str, str]]:
        """Return what the sampled cells encode in plain form, and how; none where hardly any does."""
        values = self.distinct("anonymized", anonymized)
        looked_at = [bool(decoded(value)) for value in values[:_LOOKED_AT]]
        if not sum(looked_at) >= MOST * len(looked_at) > 0:
            return {}
        of_rows = self.anonymized[anonymized] if self.tables.in_order else []
        return {cell: decoded(cell) for cell in {*values, *filter(None, of_rows)}}

    @remembered
    def bare(self, side: str, name: str) -> pa.Array:
        """Return a column's distinct values as letters and digits alone."""
        return together(folded_texts(self.tables.written[side][name].values))


def _disguise(samples: _Samples, original: str, anonymized: str) -> Disguise | None:
    """Return how the anonymized column disguises the original one, None where it does not."""
    order, likeness = samples.tables.order, None
    if order != "changed":
        likeness = _in_rows(samples, original, anonymized)
    if order != "kept" and likeness is None:
        likeness = _in_values(samples, original, anonymized)
    if likeness is None:
        return None
    kind, how, n_matched, n_compared = likeness
    action = samples.tables.log.entry(original).action
    return Disguise(
        original=original,
        anonymized=anonymized,
        kind=kind,
        how=how,
        n_matched=n_matched,
        n_compared=n_compared,
        original_distinct_share=samples.tables.distinct_share("original", original),
        anonymized_distinct_share=samples.tables.distinct_share("anonymized", anonymized),
        taken_out=action == "keep_if_permitted_else_drop" or meaning_of(action) in _TAKEN_OUT,
        coarser=meaning_of(action) is Meaning.COARSER,
        renamed=original not in samples.tables.anonymized.column_names,
    )


_Likeness = tuple[str, str, int, int]


def _in_rows(samples: _Samples, original: str, anonymized: str) -> _Likeness | None:
    """Compare the sampled rows in which both columns are filled."""
    rows = [
        (a, b)
        for a, b in zip(samples.original[original], samples.anonymized[anonymized], strict=True)
        if a and b
    ]
    if len({a for a, _ in rows}) < _FEWEST:
        return None
    if original != anonymized and any(
        samples.canonical(a) == samples.canonical(b) for a, b in first_rows(rows)
    ):
        same = sum(samples.canonical(a) == samples.canonical(b) for a, b in rows)
        if same >= MOST * len(rows):
            return "copy", "a copy under another name", same, len(rows)
    found = _encoded_in_rows(samples, original, anonymized, rows)
    # The edges of a few bands hold some of the numbers by accident.
    n_numbers = sum(_NUMBER.fullmatch(a) is not None for a, _ in rows)
    is_coarse = samples.tables.distinct_share("anonymized", anonymized) < _COARSE
    are_bands = is_coarse and n_numbers >= MOST * len(rows)
    if found is None and not are_bands:
        found = _inside_in_rows(rows, own=original == anonymized)
    if found is None and original == anonymized:
        found = _recomputed_in_rows(rows)
    return found


def _inside_in_rows(rows: list[tuple[str, str]], *, own: bool) -> _Likeness | None:
    """Look for originals inside longer texts, much more often than in the texts of other rows."""
    if sum(a.casefold() in b.casefold() for a, b in rows) < max(_FEWEST, _ANY_INSIDE * len(rows)):
        return None
    others = [b for _, b in rows[1:]] + [rows[0][1]]
    n = sum(holds(b, a, as_word=not own) for a, b in rows)
    by_chance = sum(holds(b, a, as_word=not own) for (a, _), b in zip(rows, others, strict=True))
    if n < max(_FEWEST, _ANY_INSIDE * len(rows)) or n < _FEWEST * by_chance:
        return None
    return "inside", "", n, len(rows)


def _encoded_in_rows(
    samples: _Samples, original: str, anonymized: str, rows: list[tuple[str, str]]
) -> _Likeness | None:
    """Look for cells that are their own original in a form that is turned back, or encode it."""
    shown = samples.shown(anonymized)
    for how, keys in samples.keys(original, of_rows=True):
        if not any(keys[a] in ("", shown[b]) for a, b in first_rows(rows)):
            continue
        telling = [(keys[a], a, b) for a, b in rows if keys[a]]
        n = sum(key == shown[b] and a != b for key, a, b in telling)
        if len({b for _, _, b in telling}) >= _FEWEST and n >= MOST * len(telling):
            return "encoding", text("the original {way}", way=own(how)), n, len(telling)
    encoded = samples.decoded(anonymized)
    found = {b: _way_to(a, encoded[b]) for a, b in rows} if encoded else {}
    ways = [way for a, b in rows if encoded and (way := _way_to(a, encoded[b]))]
    if len({b for b, way in found.items() if way}) < _FEWEST or len(ways) < MOST * len(rows):
        return None
    return "encoding", _usual(ways), len(ways), len(rows)


def _way_to(original: str, encoded: Mapping[str, str]) -> str:
    """Return the way by which a cell encodes a text that is, or holds, the original; "" for none."""
    bare = plain(original)
    ways = (
        way for text, way in encoded.items() if plain(text) == bare or holds(text, original, as_word=True)
    )
    return next(ways, "")


def _usual(ways: Iterable[str]) -> str:
    way, _ = Counter(ways).most_common(1)[0]
    return text("the original {way}", way=joined(way.split(", "), ", "))


def _encoded_in_values(samples: _Samples, original: str, anonymized: str) -> _Likeness | None:
    """Look for values whose form that is turned back is some cell, and for cells that encode some value."""
    known, literal = samples.bare("anonymized", anonymized), samples.tables.written["anonymized"][anonymized]
    for how, keys in samples.keys(original, of_rows=False):
        telling = [value for value, key in keys.items() if key]
        hit = _are_in([keys[value] for value in telling], known)
        hit &= ~_are_in(telling, literal.trimmed.values)
        if len(telling) >= _FEWEST and hit.sum() >= MOST * len(telling):
            return "encoding", text("the original {way}", way=own(how)), int(hit.sum()), len(telling)
    encoded = samples.decoded(anonymized)
    flat = [(cell, plain(text), way) for cell, texts in encoded.items() for text, way in texts.items()]
    hit = _are_in([text for _, text, _ in flat], samples.bare("original", original))
    ways = {cell: way for (cell, _, way), is_known in zip(flat, hit, strict=True) if is_known}
    if len(ways) < max(_FEWEST, MOST * len(encoded)):
        return None
    return "encoding", _usual(ways.values()), len(ways), len(encoded)


def _are_in(texts: Sequence[str], known: pa.Array) -> BoolArray:
    found: BoolArray = pc.is_in(pa.array(texts, known.type), value_set=known).to_numpy(zero_copy_only=False)
    return found


def _recomputed_in_rows(rows: list[tuple[str, str]]) -> _Likeness | None:
    """Look for a constant shift, a shortened text, or rounding, between the columns of one name."""
    shift = shift_between(rows)
    if shift is not None and shift.n_matched >= MOST * len(rows):
        return "shift", shift.how, shift.n_matched, len(rows)
    n_shortened = sum(is_shortened(a, b) for a, b in rows)
    if n_shortened >= MOST * len(rows):
        return "shortened", "the beginning or end of the original", n_shortened, len(rows)
    kept = order_kept(rows)
    if kept == "nearly":
        return "order nearly kept", "in nearly the same order as the original", len(rows), len(rows)
    return (
        ("order kept", "in the same order as the original", len(rows), len(rows)) if kept == "all" else None
    )


def _in_values(samples: _Samples, original: str, anonymized: str) -> _Likeness | None:
    """Look for the disguised distinct values of one column among those of the other."""
    originals, tokens = samples.distinct("original", original), samples.distinct("anonymized", anonymized)
    if len(originals) < _FEWEST or len(tokens) < _FEWEST:
        return None
    if original != anonymized:
        n = int(_are_in(originals, samples.tables.written["anonymized"][anonymized].trimmed.values).sum())
        back = _are_in(tokens, samples.tables.written["original"][original].values).sum()
        if n >= MOST * len(originals) and back >= MOST * len(tokens):
            return "copy", "a copy under another name", n, len(originals)
    return _encoded_in_values(samples, original, anonymized)


def judge_disguises(measured: DisguiseMeasurement, thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return a finding per disguise that leads back to people."""
    not_compared = [_not_compared(measured)] if measured.n_pairs_left_out else []
    judged = [(disguise, _verdict(disguise, thresholds)) for disguise in measured.found]
    findings = [
        _finding(disguise, verdict, is_sample=measured.is_sample)
        for disguise, verdict in judged
        if verdict is not None
    ]
    return findings + not_compared


def told_by(measured: DisguiseMeasurement) -> frozenset[tuple[str, str]]:
    """Return the pairs of columns, original and anonymized, of which something is told by default."""
    thresholds = SecondOpinionThresholds()
    return frozenset(
        (one.original, one.anonymized) for one in measured.found if _verdict(one, thresholds) is not None
    )


def _not_compared(measured: DisguiseMeasurement) -> Finding:
    return Finding.of("disguises", Verdict.NOT_ASSESSED, n_affected=measured.n_pairs_left_out)(
        "Whether columns hide in columns of other names was not assessed for {n} pair of columns: there "
        "are too many.",
        "Whether columns hide in columns of other names was not assessed for {n} pairs of columns: there "
        "are too many.",
    )


def _verdict(disguise: Disguise, thresholds: SecondOpinionThresholds) -> Verdict | None:
    """Return what a disguise makes of the table; None where it reveals nothing that counts."""
    limit = thresholds.highly_distinct_share
    telling = disguise.taken_out or disguise.original_distinct_share >= limit
    if disguise.kind == "copy" and disguise.renamed and not telling:
        return Verdict.WARN
    if disguise.kind in {"copy", "encoding", "inside"}:
        return Verdict.FAIL if telling else None
    if _is_as_fine(disguise, limit):
        return Verdict.FAIL
    nearly = disguise.kind == "order nearly kept"
    if nearly or (disguise.kind == "order kept" and disguise.anonymized_distinct_share < _NEARLY_ALL):
        least = _NEARLY_ALL if nearly else limit
        return Verdict.WARN if disguise.anonymized_distinct_share >= least else None
    if disguise.anonymized_distinct_share >= limit:
        return Verdict.FAIL
    return Verdict.WARN if disguise.kind == "shift" else None


def _is_as_fine(disguise: Disguise, limit: float) -> bool:
    """Whether a column that the log calls coarser only has other values, as many as before."""
    before, after = disguise.original_distinct_share, disguise.anonymized_distinct_share
    return disguise.coarser and disguise.kind == "order kept" and after >= max(limit / 2, _AS_FINE * before)


_CONSEQUENCE = {
    "copy": "What is gone from one column is still in the other.",
    "encoding": "Anybody can turn them back.",
    "inside": "Whoever reads them sees what should be gone.",
    "shift": "One known value undoes all of them.",
    "shortened": "Whoever knows the original can shorten it the same way.",
    "order kept": "Whoever knows the original finds the nearest value.",
    "order nearly kept": "Whoever knows the original finds it among few.",
}


_NAMED_SO = {
    "inside": "The texts of `{column}` hold its original values inside: {found}. {consequence}",
    "distinct": "The values of `{column}` are {how}: {found} and {distinct} of them are distinct. "
    "{consequence}",
    "": "The values of `{column}` are {how}: {found}. {consequence}",
}
_NAMED_OTHERWISE = {
    "inside": "The texts of `{column}` hold the values of the original column `{original}` inside: {found}. "
    "{consequence}",
    "distinct": "The values of `{column}` are {how} of the original column `{original}`: {found} and "
    "{distinct} of them are distinct. {consequence}",
    "": "The values of `{column}` are {how} of the original column `{original}`: {found}. {consequence}",
}


def _finding(disguise: Disguise, verdict: Verdict, *, is_sample: bool) -> Finding:
    messages = _NAMED_SO if disguise.original == disguise.anonymized else _NAMED_OTHERWISE
    form = disguise.kind if disguise.kind == "inside" else ""
    if disguise.kind in {"shift", "shortened", "order kept", "order nearly kept"}:
        form = "distinct"
    return Finding.of(
        f"disguise_{disguise.kind.replace(' ', '_')}",
        verdict,
        column=disguise.anonymized,
        n_affected=disguise.n_matched,
    )(
        messages[form],
        original=disguise.original,
        how=own(disguise.how),
        found=values_compared(disguise.n_matched, disguise.n_compared, is_sample=is_sample),
        distinct=percent(disguise.anonymized_distinct_share),
        consequence=own(_CONSEQUENCE[disguise.kind]),
    )
