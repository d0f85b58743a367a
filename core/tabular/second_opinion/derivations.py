"""Whether a column, whatever its name, follows from an original column that is gone or was changed.

Numbers and dates are compared by their order (whoever knows the original finds the record by its place),
by constants, and as parts of dates; texts by the pairs of characters they share. Rows are compared unless
their order has changed; then only what whole sets of values show. Of an anonymized column that stands for
an original one, only what goes beyond the relation between the two originals counts.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import average_ranks
from core.coding import FloatArray, IntArray, combined_codes, some_rows
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.amounts import PARTS, Amounts, read_amounts, read_codes
from core.tabular.second_opinion.classes import logged_quasi_identifiers
from core.tabular.second_opinion.numbering import shown_by_others
from core.tabular.second_opinion.pair import LoggedTables, remembered
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import joined, own, share_of, text

_MOST = 0.9  # share of the compared records from which a column follows from another
_MOST_ROWS = 50_000  # compared of a pair of columns that the sample shows to be alike
_MOST_IN_A_SET = 200_000  # records of reordered tables whose whole columns are held against each other
_FEWEST_ROWS = 10  # fewer are in order by chance too often
_FEWEST_VALUES = 3
_ONE_TO_ONE = 10  # values from which a column that tells an original one for one is no accident
_LIKELY, _ALL_BUT, _NEARLY = 0.95, 0.999, 0.9999  # rank correlations
_FEW_PLACES, _FEWER_PLACES, _SOME = 4, 2, 0.5  # that leave a record among few; share of the records that are
_NEARLY_IN_PLACE = 0.999
_MOST_NEAREST = 0.8  # share of records nearest to their own original in their class that surely tell
_MOST_READINGS = 400  # numbers that columns may be read as, per table
_SHARED = 0.5  # share of texts whose nearest original is their own
_SOME_SHARED = 0.1
_MOST_TEXT_PAIRS = 400
_LONGEST_TEXT = 200  # characters
_ANCHORS = 4
_FEWEST_DISTINCT = 20  # numbers that a constant has to explain
_NEARLY_ALL = 0.98  # of dates written or counted as numbers
_MOST_COVERED = 0.3  # share of all possible values that are taken, from which finding one is no news
_LOOKED_UP = 300
_CLEARLY_MORE = 0.8  # of what values drawn anew leave over
_MOST_OF_A_PART, _LARGEST_PART = 5, 10_000  # columns that may hold one part of a date, and their numbers
_MANY_WORDS = 20  # beside numbers, more than there are units
_MOST_DATES = 6  # original columns of dates between which days are counted
_TELLING = 0.2  # distinct share below which a column tells nobody apart


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """An anonymized column, or several, from which an original column can be found out."""

    original: str  # the original column
    anonymized: tuple[str, ...]  # the column, or the parts of a date
    # ``one to one``, ``in order``, ``all but in order``, ``nearly in order``, ``nearest``, ``constant``,
    # ``parts`` or ``near text``
    kind: str
    # records in their place, explained by the constant or the parts, or nearest to their own original
    n_matched: int
    n_compared: int
    original_distinct_share: float  # distinct / non-blank cells; of parts, their combinations
    anonymized_distinct_share: float
    # whether the original column is gone from the table, the log says that it was dropped, pseudonymized or
    # identifies people, or its own column holds at most half as many values
    taken_out: bool
    by_position: bool = False  # whether the order of the records shows the same
    others: tuple[str, ...] = ()  # more original columns, from which the rest of it follows
    until: str = ""  # another original column, where what is known are the days from `original` to it
    groups: tuple[str, ...] = ()  # columns within whose values it follows


_UNTIL = "until:"  # before the name of the column up to which days are counted
COARSER = 0.5  # of the original's distinct values, up to which a column was made coarser


def is_until(reading: str) -> bool:
    """Whether a reading of a column of dates counts the days up to another one."""
    return reading.startswith(_UNTIL)


def measure_derivations(search: Search) -> tuple[Derivation, ...]:
    """Look for originals in every anonymized column that was changed or added."""
    found: list[Derivation] = []
    if search.tables.order != "changed":
        found += [*_in_order(search), *_parts_of_rows(search), *_near_texts(search)]
    if search.tables.order != "kept":
        found += [*_parts_of_values(search), *_days_of_values(search)]
    found += _constants_of_values(search)
    return tuple(found)


@dataclass(kw_only=True, eq=False)
class Search:
    """Both tables, with the columns to compare read as amounts once."""

    tables: LoggedTables  # the tables and the log, and the size and seed of the sample
    settings: SecondOpinionSettings
    left: frozenset[str]  # anonymized columns that are as they were; they and their originals hide nothing

    @cached_property
    def originals(self) -> list[str]:
        """Return the original columns that are gone or changed."""
        kept = {pair.pair.original for pair in self.tables.coded if pair.pair.anonymized in self.left}
        return [name for name in self.tables.original.column_names if name not in kept]

    @cached_property
    def candidates(self) -> list[str]:
        """Return the anonymized columns that were changed or added."""
        return [name for name in self.tables.anonymized.column_names if name not in self.left]

    @cached_property
    def stands_for(self) -> Mapping[str, str]:
        """Return the original of each anonymized column that has one."""
        return {pair.pair.anonymized: pair.pair.original for pair in self.tables.coded}

    def table(self, side: str) -> pa.Table:
        """Return one of the two tables."""
        return self.tables.original if side == "original" else self.tables.anonymized

    @cached_property
    def sample(self) -> IntArray:
        """Return the sampled rows, the same of both tables."""
        return self.rows(self.settings.sample_size)

    def rows(self, most: int) -> IntArray:
        """Return a seeded sample of so many rows, in order."""
        return some_rows(np.random.default_rng(self.settings.seed), self.tables.n_original, most)

    @cached_property
    def n_told_apart(self) -> int:
        """Return how many records of the smaller table are compared as a set; 0 where that takes too long."""
        n = min(self.tables.n_original, self.tables.n_anonymized)
        if self.tables.order == "changed":
            return n if max(self.tables.n_original, self.tables.n_anonymized) <= _MOST_IN_A_SET else 0
        return min(n, _MOST_ROWS)

    def amounts(self, side: str, name: str, *, sampled: bool = False) -> Amounts | None:
        """Return a column as amounts, of the sample or of all rows that are compared."""
        return self._amounts(side, name, sampled=sampled and len(self.sample) < self.tables.n_original)

    @remembered
    def _amounts(self, side: str, name: str, *, sampled: bool) -> Amounts | None:
        return read_amounts(self.cells(side, name, sampled=sampled))

    def cells(self, side: str, name: str, *, sampled: bool) -> pa.ChunkedArray:
        """Return the cells of a column that are compared."""
        column = self.table(side)[name]
        if self.tables.order == "changed":
            return column
        rows = self.sample if sampled else self.rows(_MOST_ROWS)
        return column.take(pa.array(rows)) if len(rows) < len(column) else column

    def numbers(self, side: str, name: str) -> Amounts | None:
        """Return a column as amounts, else as the numbers of its codes."""
        return self.amounts(side, name) or read_codes(self.cells(side, name, sampled=False))

    def orders(self, side: str, name: str, *, sampled: bool) -> Mapping[str, FloatArray]:
        """Return the numbers that a column may be ordered by: its amounts, its codes, the alphabet."""
        amounts = self.amounts(side, name, sampled=sampled)
        cells = self.cells(side, name, sampled=sampled)
        if amounts is not None and not (amounts.kind == "number" and _are_worded(cells)):
            between = self._days_between(name, amounts, sampled=sampled) if side == "original" else {}
            return {**amounts.readings, **between}
        codes = read_codes(cells)
        by_number = amounts.readings if amounts else {"code": codes.numbers} if codes else {}
        by_letters = {"alphabet": _places(cells), "small letters": _places(pc.utf8_lower(cells))}
        if side == "original" and pc.any(pc.match_substring(cells, " ")).as_py():
            by_letters["last word"] = _places(pc.replace_substring_regex(cells, r"^.* ", ""))
        return {**by_number, **by_letters}

    @remembered
    def classes_but(self, name: str) -> IntArray:
        """Return the class of each compared row by its quasi-identifiers but one column."""
        chosen = self.settings.quasi_identifiers or logged_quasi_identifiers(self.tables)
        written = self.tables.written["anonymized"]
        codes = [written[one].codes_with_missing for one in chosen if one != name]
        return combined_codes(codes, n_records=self.tables.n_anonymized)[self.rows(_MOST_ROWS)]

    @cached_property
    def dates(self) -> list[str]:
        """Return the first original columns of dates."""
        read = (
            (name, self.amounts("original", name, sampled=True)) for name in self.tables.original.column_names
        )
        return [name for name, amounts in read if amounts is not None and amounts.kind == "date"][
            :_MOST_DATES
        ]

    def _days_between(self, name: str, dates: Amounts, *, sampled: bool) -> Mapping[str, FloatArray]:
        """Return the days from an original column of dates to each later one, by that one's name."""
        later = self.dates[self.dates.index(name) + 1 :] if name in self.dates else []
        read = {f"{_UNTIL}{other}": self.amounts("original", other, sampled=sampled) for other in later}
        return {key: other.numbers - dates.numbers for key, other in read.items() if other is not None}

    def taken_out(self, original: str) -> bool:
        """Whether a column is gone, was to be gone or identifies people, or was made much coarser."""
        entry = self.tables.log.entry(original)
        if original not in self.stands_for.values() or entry.takes_out or is_high_risk(entry.semantic):
            return True
        own = [pair for pair in self.tables.coded if pair.pair.original == original]
        n_values = int(np.count_nonzero(own[0].original_counts))
        return max(int(np.count_nonzero(pair.anonymized_counts)) for pair in own) <= COARSER * n_values

    def derivation(
        self,
        original: str,
        *anonymized: str,
        kind: str,
        counts: tuple[int, int],
        distinct_share: float | None = None,
        by_position: bool = False,
        others: tuple[str, ...] = (),
        until: str = "",
        groups: tuple[str, ...] = (),
    ) -> Derivation:
        """Return what was found of one or several anonymized columns."""
        own = (
            self.tables.distinct_share("anonymized", anonymized[0])
            if distinct_share is None
            else distinct_share
        )
        return Derivation(
            original=original,
            anonymized=anonymized,
            kind=kind,
            n_matched=counts[0],
            n_compared=counts[1],
            original_distinct_share=self.tables.distinct_share("original", original),
            anonymized_distinct_share=own,
            taken_out=self.taken_out(original),
            by_position=by_position,
            others=others,
            until=until,
            groups=groups,
        )


# --- by order


def _are_worded(cells: pa.ChunkedArray) -> bool:
    """Whether cells with numbers hold more words than there are units: names with a number behind them."""
    words = pc.replace_substring_regex(cells, r"[^\p{L}]+", "")
    return bool(pc.count_distinct(words).as_py() >= _MANY_WORDS)


def _places(texts: pa.ChunkedArray) -> FloatArray:
    """Return the place of each text in the order of the alphabet; NaN where blank."""
    encoded = pc.dictionary_encode(texts).combine_chunks()
    places = np.empty(len(encoded.dictionary) + 1)
    places[pc.sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(encoded.dictionary))
    places[-1] = np.nan
    return places[pc.fill_null(encoded.indices, -1).to_numpy()]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Readings:
    """The numbers that columns may be read as: one row each, as ranks of mean 0 and length 1."""

    names: list[tuple[str, str]]
    ranks: FloatArray


def _readings(search: Search, side: str, columns: Sequence[str]) -> _Readings:
    names: list[tuple[str, str]] = []
    rows: list[FloatArray] = []
    for column in columns:
        for reading, values in search.orders(side, column, sampled=True).items():
            if len(names) < _MOST_READINGS:
                names.append((column, reading))
                rows.append(_standard_ranks(values))
    return _Readings(names=names, ranks=np.array(rows).reshape(len(rows), len(search.sample)))


def _standard_ranks(values: FloatArray) -> FloatArray:
    """Return ranks with mean 0 and length 1; 0 where blank or all alike."""
    known = ~np.isnan(values)
    ranks = np.zeros(len(values))
    if known.any():
        of_known = average_ranks(values[known])
        ranks[known] = of_known - of_known.mean()
    length = np.linalg.norm(ranks)
    return ranks / length if length else ranks


def _in_order(search: Search) -> Iterator[Derivation]:
    """Yield pairs of numeric or date columns of which one tells the order, or a constant, of the other."""
    if len(search.sample) < _FEWEST_ROWS:
        return
    before = _readings(search, "original", search.tables.original.column_names)
    after = _readings(search, "anonymized", search.candidates)
    alike = np.abs(before.ranks @ after.ranks.T)
    of_originals = np.abs(before.ranks @ before.ranks.T)
    wanted = frozenset(search.originals)
    for i, j in np.argwhere(alike >= _LIKELY):
        (original, first), (anonymized, second) = before.names[i], after.names[j]
        if original in wanted and not _is_natural(search, before, of_originals[i], anonymized, original):
            yield from _order_of_pair(search, (original, first), (anonymized, second))


def _is_natural(
    search: Search, before: _Readings, related: FloatArray, anonymized: str, original: str
) -> bool:
    """Whether the original of the anonymized column is related to the other original about as closely."""
    own = search.stands_for.get(anonymized)
    if own is None or own == original:
        return False
    places = [k for k, (name, _) in enumerate(before.names) if name == own]
    return bool(places) and bool(related[places].max() >= _LIKELY)


def _order_of_pair(
    search: Search, original: tuple[str, str], anonymized: tuple[str, str]
) -> Iterator[Derivation]:
    """Yield how exactly an anonymized column tells the order of an original one, over all compared rows."""
    first = search.orders("original", original[0], sampled=False).get(original[1])
    second = search.orders("anonymized", anonymized[0], sampled=False).get(anonymized[1])
    if first is None or second is None:
        return
    known = ~(np.isnan(first) | np.isnan(second))
    if np.count_nonzero(known) < max(_FEWEST_ROWS, 0.5 * np.count_nonzero(~np.isnan(second))):
        return
    first, second = first[known], second[known]
    kind, n = _kind_of_order(first, second)
    found = {} if kind is None else {kind: (n, len(first))}
    if kind not in {"one to one", "in order"}:
        n_nearest, n_in_classes = _nearest_in_classes(first, second, search.classes_but(anonymized[0])[known])
        if n_in_classes >= _SOME * len(first) and n_nearest >= _SOME * n_in_classes:
            found["nearest"] = n_nearest, n_in_classes
    position = abs(float(_standard_ranks(first) @ _standard_ranks(np.flatnonzero(known).astype(float))))
    for kind, counts in found.items():
        yield search.derivation(
            original[0],
            anonymized[0],
            kind=kind,
            until=original[1].removeprefix(_UNTIL) if is_until(original[1]) else "",
            counts=counts,
            by_position=position >= _NEARLY_IN_PLACE,
        )


def _kind_of_order(first: FloatArray, second: FloatArray) -> tuple[str | None, int]:
    """Return how the order of two columns agrees, and how many records are in their place."""
    n_values = [len(np.unique(values)) for values in (first, second)]
    if min(n_values) < _FEWEST_VALUES:
        return None, 0
    rank, other = average_ranks(first), average_ranks(second)
    correlation = float(_standard_ranks(first) @ _standard_ranks(second))
    if correlation < 0:
        other = len(other) + 1 - other
    away = np.abs(rank - other) - _half_of_ties(first) - _half_of_ties(second)
    n_in_place = int(np.count_nonzero(away <= 0))
    if n_in_place >= _MOST * len(first):
        one_to_one = min(n_values) >= _ONE_TO_ONE and n_values[1] >= 0.98 * n_values[0] >= 0.96 * n_values[1]
        return ("one to one" if one_to_one else "in order"), n_in_place
    n_near = int(np.count_nonzero(away <= _FEW_PLACES))
    if n_near >= _MOST * len(first) and abs(correlation) >= _ALL_BUT:
        return "all but in order", n_near
    n_nearer = int(np.count_nonzero(away <= _FEWER_PLACES))
    among_few = n_nearer >= max(_SOME * len(first), 2 * (2 * _FEWER_PLACES + 1))
    if among_few or abs(correlation) >= _NEARLY:
        return "nearly in order", max(n_near, n_in_place)
    return None, 0


def _nearest_in_classes(first: FloatArray, second: FloatArray, classes: IntArray) -> tuple[int, int]:
    """Return how many originals are alone nearest to their record's value in its class, and of how many.

    The second values are put on the scale of the first by their ranks. Records alone in their class are left
    out.
    """
    ranks = average_ranks(second if _standard_ranks(first) @ _standard_ranks(second) > 0 else -second)
    guessed = np.interp(ranks, np.arange(1, len(first) + 1), np.sort(first))
    order = np.lexsort((first, classes))
    values, codes = first[order], classes[order]
    ends = np.flatnonzero(np.diff(codes, append=-1)) + 1
    n_nearest = n_shared = 0
    for low, high in itertools.pairwise([0, *ends.tolist()]):
        if high - low < 2:
            continue
        n_shared += high - low
        mine, theirs = values[low:high], guessed[order[low:high]]
        middles = np.concatenate(([-np.inf], (mine[1:] + mine[:-1]) / 2, [np.inf]))
        n_nearest += int(np.count_nonzero((middles[:-1] < theirs) & (theirs < middles[1:])))
    return n_nearest, n_shared


def _half_of_ties(values: FloatArray) -> FloatArray:
    """Return for each value half of how many others equal it: how far its rank is from the first of them."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts[codes] - 1) / 2


# --- parts of dates


def _parts_of_rows(search: Search) -> Iterator[Derivation]:
    """Yield the columns that hold parts of the dates of an original column, row by row."""
    read = {name: _numbers_or_codes(search, name, sampled=True) for name in search.candidates}
    numbers = {name: amounts.numbers for name, amounts in read.items() if amounts is not None}
    for original in search.originals:
        dates = search.amounts("original", original, sampled=True)
        if dates is None or dates.kind != "date":
            continue
        parts = {part: dates.part(part) for part in PARTS}
        found = {}
        for part, values in parts.items():
            column = next((name for name, n in numbers.items() if _equal_share(values, n) >= _MOST), None)
            if column is not None:
                found[part] = column
        months = {"month", "year and month"} & found.keys()
        weekdays = {"weekday", "weekday_1"} & found.keys()
        by_week = "week" in found and weekdays
        if (months and "day" in found) or by_week or not _WITH_DAY.isdisjoint(found):
            yield _of_parts(search, original, found)


def _equal_share(values: FloatArray, numbers: FloatArray) -> float:
    known = ~np.isnan(values)
    return float(np.mean(values[known] == numbers[known])) if len(np.unique(values[known])) > 2 else 0.0


def _of_parts(search: Search, original: str, found: Mapping[str, str]) -> Derivation:
    """Return the parts found as one derivation, with how distinct their combinations are."""
    columns = tuple(dict.fromkeys(found.values()))
    together = search.tables.anonymized.select(list(columns))
    groups = together.group_by(list(columns)).aggregate([([], "count_all")])
    n = search.tables.n_anonymized
    n_rows = len(search.sample)
    return search.derivation(
        original, *columns, kind="parts", counts=(n_rows, n_rows), distinct_share=groups.num_rows / max(n, 1)
    )


_WITH_DAY = frozenset({"month and day", "day and month", "day of year"})
_PART_RANGES = {
    "year": (1850, 2150),
    "month": (1, 12),
    "day": (1, 31),
    "year and month": (185_001, 215_012),
    "month and day": (101, 1231),
    "day and month": (101, 3112),
    "day of year": (1, 366),
    "week": (1, 53),
    "weekday": (0, 6),
    "weekday_1": (1, 7),
}
_WHOLE_DATES = (
    ("year", "month", "day"),
    ("year", "day of year"),
    ("year", "month and day"),
    ("year", "day and month"),
    ("year and month", "day"),
    ("year", "week", "weekday"),
    ("year", "week", "weekday_1"),
)


def _parts_of_values(search: Search) -> Iterator[Derivation]:
    """Yield columns whose numbers, put together, are the dates of an original column."""
    ranges = {part: _within(search, part) for part in _PART_RANGES}
    sets = [
        (parts, columns)
        for parts in _WHOLE_DATES
        for columns in itertools.product(*(ranges[part] for part in parts))
        if len(set(columns)) == len(columns)
    ]
    for original in search.originals:
        dates = search.amounts("original", original)
        if dates is None or dates.kind != "date" or len(dates.distinct) < _FEWEST_DISTINCT:
            continue
        for parts, columns in sets:
            known = _together([dates.part(part) for part in parts])
            written = _together([_numbers_of(search, name) for name in columns])
            n, n_written = _n_in_common(known, written), int(np.count_nonzero(~np.isnan(written)))
            n_values = len(np.unique(written[~np.isnan(written)]))
            if n >= _NEARLY_ALL * n_written and n_values >= _FEWEST_DISTINCT:
                share = n_values / n_written
                yield search.derivation(
                    original, *columns, kind="parts", counts=(n, n_written), distinct_share=share
                )


_DAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((part, (part,)) for part in ("month and day", "day and month", "day of year")),
    ("month and day", ("month", "day")),
    ("week", ("week",)),
)


def _days_of_values(search: Search) -> Iterator[Derivation]:
    """Yield columns that hold the days of the year of an original column of dates, or of births the weeks."""
    ranges = {part: _within(search, part) for part in dict.fromkeys(itertools.chain(*(p for _, p in _DAYS)))}
    for original in search.originals:
        dates = search.amounts("original", original)
        if dates is None or dates.kind != "date" or len(dates.distinct) < _FEWEST_DISTINCT:
            continue
        is_birth = is_high_risk(search.tables.log.entry(original).semantic)
        for whole, parts in _DAYS:
            known = dates.part(whole)
            for columns in itertools.product(*(ranges[part] for part in parts)):
                if len(set(columns)) < len(columns) or (whole == "week" and not is_birth):
                    continue
                written = _together([_numbers_of(search, name) for name in columns], 100)
                if are_drawn_alike(_counted(known), _counted(written)):
                    n = int(np.count_nonzero(~np.isnan(written)))
                    yield search.derivation(original, *columns, kind="days", counts=(n, n))


def _counted(numbers: FloatArray) -> tuple[npt.NDArray[np.generic], IntArray]:
    return np.unique(numbers[~np.isnan(numbers)], return_counts=True)


def are_drawn_alike(
    before: tuple[npt.NDArray[np.generic], IntArray], after: tuple[npt.NDArray[np.generic], IntArray]
) -> bool:
    """Whether values occur as often as before, far beyond what drawing them anew gives.

    Both are distinct values, ascending, and how often each occurs; the second may lack some.
    """
    place = np.minimum(np.searchsorted(before[0], after[0]), len(before[0]) - 1)
    known = before[0][place] == after[0]
    n = int(after[1].sum())
    kept = float(np.minimum(after[1][known], before[1][place[known]]).sum())
    if kept < _CLEARLY_MORE * n:
        return False
    drawn = np.random.default_rng(0).multinomial(n, before[1] / before[1].sum(), size=5)
    by_chance = float(np.minimum(drawn, before[1]).sum(axis=1).max())
    return kept - by_chance >= _CLEARLY_MORE * (n - by_chance) > 0


def _together(parts: Sequence[FloatArray], largest: int = _LARGEST_PART) -> FloatArray:
    """Return one number for each row's parts of a date."""
    number = np.zeros(len(parts[0]))
    for part in parts:
        number = number * largest + part
    return number


def _within(search: Search, part: str) -> list[str]:
    """Return the first columns of whole numbers that may be a part of dates."""
    return [name for name in search.candidates if _is_within(search, name, *_PART_RANGES[part])][
        :_MOST_OF_A_PART
    ]


def _is_within(search: Search, name: str, low: float, high: float) -> bool:
    values = _numbers_of(search, name)
    known = values[~np.isnan(values)]
    whole = len(known) > 0 and bool(np.all(known == np.floor(known)))
    return whole and low <= known.min() and known.max() <= high


def _numbers_of(search: Search, name: str) -> FloatArray:
    amounts = _numbers_or_codes(search, name, sampled=False)
    return np.full(search.tables.n_anonymized, np.nan) if amounts is None else amounts.numbers


def _numbers_or_codes(search: Search, name: str, *, sampled: bool) -> Amounts | None:
    """Return an anonymized column as numbers, those of its codes where it is none."""
    amounts = search.amounts("anonymized", name, sampled=sampled)
    if amounts is None or amounts.kind != "number":
        return read_codes(search.cells("anonymized", name, sampled=sampled))
    return amounts


def _n_in_common(known: FloatArray, others: FloatArray) -> int:
    """Return how many numbers occur among the known ones, each of which counts once."""
    codes, _ = pd.factorize(np.concatenate([known, others]))
    size = int(codes.max(initial=-1)) + 2
    counts = [
        np.bincount(side + 1, minlength=size)[1:] for side in (codes[: len(known)], codes[len(known) :])
    ]
    return int(np.minimum(*counts).sum())


# --- constants, without rows


def _constants_of_values(search: Search) -> Iterator[Derivation]:
    """Yield columns that are an original column times a constant, plus a constant, or a date as a number."""
    for anonymized in search.candidates:
        if search.tables.distinct_share("anonymized", anonymized) < _TELLING:
            continue
        after = search.numbers("anonymized", anonymized)
        if after is None:
            continue
        for original in search.originals:
            before = search.numbers("original", original)
            if before is None:
                continue
            found = _dates_as_numbers(before, after) or _linear(
                before, after, own=search.stands_for.get(anonymized) == original
            )
            if (
                found is not None
                and not _same_scale_natural(search, original, anonymized)
                and not _are_counted_anew(search, (original, anonymized), before, after)
            ):
                yield search.derivation(original, anonymized, kind="constant", counts=found)


def _same_scale_natural(search: Search, original: str, anonymized: str) -> bool:
    """Whether the original of the anonymized column holds the same constants of the other original."""
    own = search.stands_for.get(anonymized)
    if own is None or own == original:
        return False
    before, also = search.numbers("original", original), search.numbers("original", own)
    return before is not None and also is not None and _linear(before, also) is not None


def _are_counted_anew(search: Search, columns: tuple[str, str], before: Amounts, after: Amounts) -> bool:
    """Whether both are numbers in even steps, and kept columns show that their order says nothing."""
    sizes = search.tables.n_original, search.tables.n_anonymized
    if (len(before.numbers), len(after.numbers)) != sizes or not all(
        _is_evenly_spaced(one.distinct) for one in (before, after)
    ):
        return False
    places = (
        np.where(np.isnan(one.numbers), -1, np.searchsorted(one.distinct, one.numbers))
        for one in (before, after)
    )
    return shown_by_others(search.tables, columns, *places) is False


def _is_evenly_spaced(numbers: FloatArray) -> bool:
    return bool(len(numbers) * np.diff(numbers).min() > _MOST_COVERED * (numbers[-1] - numbers[0]))


_DAY_ZERO = (25_569.0, 719_163.0, 2_440_588.0, 40_587.0, 0.0)  # Excel, year 1, Julian, modified, 1970
_SECONDS = (86_400.0, 86_400_000.0)


def _dates_as_numbers(before: Amounts, after: Amounts) -> tuple[int, int] | None:
    """Return how many numbers are the dates, counted or written in a usual way; None where not nearly all."""
    if before.kind != "date" or after.kind != "number" or len(after.distinct) < _FEWEST_DISTINCT:
        return None
    n = int(np.count_nonzero(~np.isnan(after.numbers)))
    year = before.part("year") * 10_000 + before.part("month") * 100 + before.part("day")
    written = [year, *(numbers for name, numbers in before.readings.items() if name != "days")]
    counted = [before.numbers + zero for zero in _DAY_ZERO]
    counted += [before.numbers * unit for unit in _SECONDS]
    low, high = after.distinct[0], after.distinct[-1]
    likely = [known for known in (*written, *counted) if np.nanmin(known) <= low and np.nanmax(known) >= high]
    best = max((_n_in_common(known, after.numbers) for known in likely), default=0)
    return (best, n) if best >= _NEARLY_ALL * n else None


def _linear(before: Amounts, after: Amounts, *, own: bool = False) -> tuple[int, int] | None:
    """Return how many numbers are the others times a constant plus a constant, None where not nearly all."""
    # consecutive numbers are such of any others; those of the `own` original are no constant
    known, numbers = before.distinct, after.distinct
    if min(len(known), len(numbers)) < _FEWEST_DISTINCT:
        return None
    chosen = numbers[np.linspace(0, len(numbers) - 1, min(len(numbers), _LOOKED_UP)).astype(int)]
    half = np.maximum(last_place(numbers), _last_digits(numbers, chosen))
    near = half + np.interp(chosen, chosen[[0, -1]], half[[0, -1]])  # the outermost were rounded as well
    if len(known) * near.mean() > _MOST_COVERED * (numbers[-1] - numbers[0]):
        return None
    best = max(
        _n_linear(chosen, turned, low, high, near, own=own)
        for turned in (known, -known[::-1])
        for low in turned[:_ANCHORS]
        for high in turned[-_ANCHORS:]
    )
    return (best, len(chosen)) if best >= _MOST * len(chosen) else None


def _n_linear(
    numbers: FloatArray, known: FloatArray, low: float, high: float, near: FloatArray, *, own: bool
) -> int:
    """Return how many numbers are near known ones once `low` and `high` are brought onto the outermost."""
    slope = (numbers[-1] - numbers[0]) / (high - low) if high > low else 0.0
    is_itself = 2 * abs(slope - 1) * (high - low) <= near[-1] and 2 * abs(numbers[0] - low) <= near[0]
    if slope <= 0 or (own and is_itself):
        return 0
    back = low + (numbers - numbers[0]) / slope
    place = np.searchsorted(known, back)
    nearest = np.minimum(
        np.abs(known[np.clip(place, 0, len(known) - 1)] - back),
        np.abs(known[np.clip(place - 1, 0, len(known) - 1)] - back),
    )
    return int(np.count_nonzero(nearest * slope <= near))


def last_place(numbers: FloatArray) -> float:
    """Return half of the last decimal place that the numbers have, 0.5 for whole numbers."""
    size = np.maximum(1, np.abs(numbers))
    for places in range(7):
        if np.all(np.abs(numbers - np.round(numbers, places)) < 1e-9 * size):
            return float(0.5 * 10.0**-places)
    return float(1e-9 * size.max())


# --- texts


def _last_digits(numbers: FloatArray, chosen: FloatArray) -> FloatArray:
    """Return half of the last significant digit of some whole numbers that were all rounded to as many."""
    most = int(np.abs(numbers).max())
    if most < 10 or np.any(numbers != np.floor(numbers)):
        return np.zeros(len(chosen))
    n_digits = max(len(str(int(number)).rstrip("0")) for number in np.abs(numbers))
    size = np.floor(np.log10(np.maximum(np.abs(chosen), 1)))
    return 0.5 * 10.0 ** (size - n_digits + 1)


def _near_texts(search: Search) -> Iterator[Derivation]:
    """Yield text columns whose texts are nearest, by the pairs of characters, to their own row's original."""
    names = [
        name
        for name in search.candidates
        if _is_telling_text(search, "anonymized", name)
        and search.tables.distinct_share("anonymized", name) >= _TELLING
    ]
    originals = [name for name in search.originals if _is_telling_text(search, "original", name)]
    if len(names) * len(originals) > _MOST_TEXT_PAIRS or len(search.sample) < _FEWEST_ROWS:
        return
    before = {
        name: _pairs_of_characters(search, "original", name) for name in search.tables.original.column_names
    }
    for anonymized in names:
        after = _pairs_of_characters(search, "anonymized", anonymized)
        for original in originals:
            n, n_compared = _n_nearest(before[original], after)
            own = search.stands_for.get(anonymized)
            if own is not None and own != original and n:
                n_natural, _ = _n_nearest(before[original], before[own])
                n = 0 if n_natural >= n / 2 else n
            if n_compared >= _FEWEST_ROWS and n >= max(_FEWEST_VALUES, _SOME_SHARED * n_compared):
                yield search.derivation(original, anonymized, kind="near text", counts=(n, n_compared))


def _is_telling_text(search: Search, side: str, name: str) -> bool:
    """Whether a column holds varied texts that are no amounts."""
    texts = search.table(side)[name].take(pa.array(search.sample)).drop_null()
    if len(pc.unique(texts)) < _ONE_TO_ONE or len(texts) < _FEWEST_ROWS:
        return False
    return search.amounts(side, name, sampled=True) is None


def _pairs_of_characters(search: Search, side: str, name: str) -> list[Counter[str]]:
    texts = search.table(side)[name].take(pa.array(search.sample)).to_pylist()
    return [_pairs(text[:_LONGEST_TEXT]) if text else Counter() for text in texts]


def _pairs(text: str) -> Counter[str]:
    folded = f" {text.strip().casefold()} "
    return Counter(pair for pair in map("".join, itertools.pairwise(folded)) if any(map(str.isalnum, pair)))


def _n_nearest(before: Sequence[Counter[str]], after: Sequence[Counter[str]]) -> tuple[int, int]:
    """Return how many texts are nearest, by Dice's share of pairs of characters, to their own, and of all."""
    rows = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a and b]
    if not rows:
        return 0, 0
    words = {pair: i for i, pair in enumerate({pair for i in rows for pair in (*before[i], *after[i])})}
    first, second = (_matrix([side[i] for i in rows], words) for side in (before, after))
    sizes = first.sum(axis=1)[:, None] + second.sum(axis=1)[None, :]
    likeness = 2 * (np.minimum(first, 1) @ np.minimum(second, 1).T) / sizes
    own = np.diag(likeness)
    texts = pd.factorize(pd.Series([text.tobytes() for text in first]))[0]
    other = np.where(texts[:, None] == texts[None, :], -1.0, likeness).max(axis=0)
    return int(np.count_nonzero((own > other + 1e-9) & (own >= 0.3))), len(rows)


def _matrix(texts: Sequence[Counter[str]], words: Mapping[str, int]) -> npt.NDArray[np.float32]:
    matrix = np.zeros((len(texts), len(words)), dtype=np.float32)
    for i, pairs in enumerate(texts):
        matrix[i, [words[pair] for pair in pairs]] = list(pairs.values())
    return matrix


# --- judging


def judge_derivations(
    measured: Sequence[Derivation], thresholds: SecondOpinionThresholds, told: Mapping[str, Verdict]
) -> list[Finding]:
    """Return a finding for each column from which people can be found or an original be read.

    `told` are the columns of which other checks say so already, and how gravely; they are told again only
    if this is graver.
    """
    judged = [(one, _verdict(one, thresholds)) for one in measured]
    return [_finding(one, verdict) for one, verdict in _surest_of_each(judged, told)]


def _surest_of_each(
    judged: Sequence[tuple[Derivation, Verdict | None]], told: Mapping[str, Verdict]
) -> Iterator[tuple[Derivation, Verdict]]:
    """Yield for each anonymized column the gravest of what it follows from, of these the surest."""
    taken: set[str] = set()
    telling = [(one, verdict) for one, verdict in judged if verdict is not None]
    for one, verdict in sorted(telling, key=lambda found: (-found[1].severity, _KINDS.index(found[0].kind))):
        known = taken | {name for name in told if told[name].severity >= verdict.severity}
        if not known.intersection(one.anonymized):
            taken.update(one.anonymized)
            yield one, verdict


def _verdict(one: Derivation, thresholds: SecondOpinionThresholds) -> Verdict | None:
    """Return what a derivation makes of the table; None where it reveals nothing that counts."""
    limit, own = thresholds.highly_distinct_share, one.anonymized_distinct_share
    telling = one.taken_out or one.original_distinct_share >= limit
    if one.kind in {"together", "in_groups"}:
        share = one.n_matched / one.n_compared
        warn = Verdict.WARN if share > thresholds.relinkage_warn_share else None
        return Verdict.FAIL if share > thresholds.relinkage_fail_share else warn
    if one.kind == "nearly in order":
        return Verdict.WARN if own >= _MOST else None
    if one.kind == "nearest":
        return Verdict.FAIL if one.n_matched >= _MOST_NEAREST * one.n_compared else Verdict.WARN
    if one.kind == "near text":
        surely = one.n_matched >= _SHARED * one.n_compared and one.original_distinct_share >= limit
        return Verdict.FAIL if surely and own >= limit else Verdict.WARN if own >= limit else None
    sure: Verdict | None
    if one.kind == "piece":
        return Verdict.FAIL if own >= limit else Verdict.WARN
    if one.until and one.kind in {"one to one", "in order"}:
        coarser = own <= COARSER * one.original_distinct_share  # such as ages in years
        sure = Verdict.FAIL if own >= limit else None if coarser else Verdict.WARN
    elif one.kind == "combined":
        sure = Verdict.FAIL if own >= _MOST else Verdict.WARN
    elif one.kind == "all but in order":
        sure = Verdict.FAIL if own >= _MOST else Verdict.WARN if own >= _TELLING else None
    elif one.kind == "in order":
        sure = Verdict.FAIL if own >= _MOST else Verdict.WARN if own >= limit else None
    else:
        sure = Verdict.FAIL if telling else Verdict.WARN
    return Verdict.WARN if sure is Verdict.FAIL and one.by_position else sure


_KINDS = (
    "constant",
    "parts",
    "days",
    "combined",
    "one to one",
    "in order",
    "all but in order",
    "together",
    "in_groups",
    "nearest",
    "near text",
    "piece",
    "nearly in order",
)
_MESSAGES = {
    "one to one": "The values of {columns} stand one for one for those of the original column `{original}`: "
    "{found} compared. {consequence}",
    "in order": "The values of {columns} are in the order of those of the original column `{original}`: "
    "{found} compared. {consequence}",
    "all but in order": "The values of {columns} are all but in the order of those of the original column "
    "`{original}`: {found} compared. {consequence}",
    "nearly in order": "The values of {columns} are nearly in the order of those of the original column "
    "`{original}`: {found} compared. {consequence}",
    "constant": "The values of {columns} are, up to a constant or another way of counting, those of the "
    "original column `{original}`: {found} compared. {consequence}",
    "parts": "The values of {columns} are the parts of the dates of the original column `{original}`: "
    "{found} compared. {consequence}",
    "days": "The values of {columns} are the days of the year, or weeks, of the dates of the original column "
    "`{original}`: {found} compared. {consequence}",
    "combined": "The values of {columns} are worked out from those of the original columns {originals}: "
    "{found} compared. {consequence}",
    "together": "The values of {columns} tell together, whatever noise or factor is in each, a sum, "
    "difference or ratio of the original columns {originals}: {found} lead to fewer than five persons. "
    "{consequence}",
    "in_groups": "Within each group of {groups}, the values of {columns} follow those of the original column "
    "`{original}`, as differences, shares, places or totals do: {found} lead to fewer than five persons. "
    "{consequence}",
    "piece": "The values of {columns} hold, at a place of their own, pieces of those of {originals}, such as "
    "the last digits or the first letters: {found} compared. {consequence}",
    "nearest": "Among the records that share their quasi-identifiers, the values of {columns} are nearest to "
    "their own record's of the original column `{original}`: {found} compared. {consequence}",
    "near text": "The values of {columns} are spelled most like their own row's text of the original column "
    "`{original}`: {found} compared. {consequence}",
}
_BETWEEN = (
    "The values of {columns} follow the days from the original column `{original}` to `{until}`: {found} "
    "compared. {consequence}"
)
_CONSEQUENCE = {
    "one to one": "Whoever knows one side knows the other.",
    "in order": "Whoever knows the original finds the record by its place.",
    "all but in order": "Whoever knows the original finds the record among few: the noise is too small.",
    "nearly in order": "Whoever knows the original finds the record among few.",
    "constant": "A few known values undo all of them.",
    "parts": "Put together, they are the original.",
    "days": "With a year or a decade beside them, they find a person.",
    "combined": "Whoever knows those of a person finds the record.",
    "together": "Whoever knows those of a person finds the record.",
    "in_groups": "Whoever knows those of the group finds each record.",
    "piece": "Whoever knows the original finds the record among few.",
    "nearest": "Whoever knows the original and the quasi-identifiers finds the record: the noise is too "
    "small.",
    "near text": "Whoever knows the original finds the nearest text.",
}


def _finding(one: Derivation, verdict: Verdict) -> Finding:
    message = text(
        _BETWEEN if one.until else _MESSAGES[one.kind],
        columns=listed(one.anonymized),
        until=one.until,
        original=one.original,
        originals=listed((one.original, *one.others)),
        groups=listed(one.groups),
        found=share_of(one.n_matched, one.n_compared),
        consequence=own(_CONSEQUENCE[one.kind]),
    )
    if one.by_position:
        message = joined([message, "The order of the records shows the same: sort them anew."])
    return Finding(
        check=f"derived_{one.kind.replace(' ', '_')}",
        verdict=verdict,
        message=message,
        column=one.anonymized[0] if len(one.anonymized) == 1 else None,
        n_affected=one.n_matched,
    )
