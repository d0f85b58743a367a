"""Released columns that are functions of what the original says of who somebody is.

A year of birth, the size of a school or the number of a stratum are as well known as the birth date, the
school and the rest that they were made from, whatever they are called. A column is a function of another
where records next to each other in its order (or alike in it) are alike in the column far beyond chance, with
hardly an exception. In tables of another order each value of a function is held by just as many records of
every group of the columns that were kept as one original value, or as one stretch of original values.
"""

import itertools
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.chance import NO_ACCIDENT, binomial_tail
from core.coding import (
    CodedColumn,
    Codes,
    FloatArray,
    IntArray,
    coded,
    combination_codes,
    some_rows,
)
from core.comparing.numbers import read_amounts
from core.people.roles import Role, RoleSuggestion, is_trait, suggest_by_name, suggest_roles
from core.tabular.actions import Meaning, meaning_of
from core.tabular.log import QUASI_IDENTIFYING_SEMANTICS
from core.tabular.second_opinion.pair import CodedPair, LoggedTables, classes_together, remembered
from core.tabular.second_opinion.persons import Persons

_MOST_ROWS = 5_000  # persons that are compared
_EXCEPTIONS = 0.02  # share of the records next to each other that may differ
_KEPT = 0.95  # share of values or cells from which they count as kept
_FEWEST, _MOST = 3, 0.2  # distinct values of a column that others stand for; the latter per record
_SOME = 200  # values that tell a column of dates
_MOST_GROUPS = 60  # of the records, by the columns that were kept
_WIDTHS, _LONGEST = (1, 2, 4), 16  # of pieces, and characters in which they are looked for
_MOST_FORMS = 12  # of known originals, that strata may be made of
_SEEN, _ALSO_KNOWN = "body measurement visible to others", "occupation or education"
_LESS = frozenset({Meaning.GONE, Meaning.COARSER})
_TWINS = frozenset({Role.OTHER, Role.QUASI_IDENTIFIER})
_STILL_THERE = frozenset({Meaning.KEPT, Meaning.COARSER, Meaning.CUT_OFF})


@dataclass(frozen=True, kw_only=True)
class Function:
    """A released column that is told by an original one, or tells it."""

    anonymized: str  # column names
    original: str
    is_known: bool  # whether others know the original, by its name, its values or the log
    piece: tuple[int, ...] = ()  # the characters of each value, from 0, that are the function; empty for all
    is_pseudonym: bool = False  # whether the log calls the column one, which should tell nothing

    def codes(self, column: CodedColumn) -> IntArray:
        """Return shape (n_records,): the column's values as far as they are a function, as codes from 0."""
        if not self.piece:
            return column.codes_with_missing
        letters = [pc.utf8_slice_codeunits(column.values, at, at + 1) for at in self.piece]
        pieces = coded(pc.binary_join_element_wise(*letters, pa.scalar("", letters[0].type)))
        return np.append(pieces.codes, len(pieces.values))[column.codes]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Cells:
    """A column of the compared records, and the orders that it gives them."""

    codes: IntArray  # shape (n_rows,), -1 where blank
    # shape (n_rows,) each, NaN where blank: amounts, dates also by their day in the year; none of words
    orders: tuple[FloatArray, ...]

    def gives(self, other: IntArray, chance: float) -> bool:
        """Whether other codes are a function of this column, as by chance they seldom are.

        Where values are of two records or more on average: fewer may be of persons who have two.
        """
        filled = (self.codes >= 0) & (other >= 0)
        values = other[filled]
        counts = np.bincount(values, minlength=1)
        alike, n_steps = float(((counts / max(len(values), 1)) ** 2).sum()), np.count_nonzero(counts)
        n_groups = len(np.unique(self.codes[filled]))
        for each in (self.codes, *self.orders):
            by_value = each is self.codes
            if n_steps < 2 or (n_groups if by_value else n_steps) * 2 > len(values):
                continue
            order = np.argsort(each[filled], kind="stable")
            same = np.diff(values[order]) == 0
            if by_value:
                same = same[np.diff(each[filled][order]) == 0]
            n_unlike = np.count_nonzero(~same) - (0 if by_value else n_steps)
            by_chance = binomial_tail(np.count_nonzero(same), len(same), alike)
            if n_unlike <= _EXCEPTIONS * len(same) and by_chance < chance:
                return True
        return False


def _cells(column: CodedColumn, rows: IntArray) -> _Cells:
    codes = column.codes[rows].astype(np.int64)
    here, places = np.unique(codes[codes >= 0], return_inverse=True)
    found = np.full((2, len(codes)), np.nan)
    orders = _orders(column.values.take(pa.array(here)))[:2]
    for each, values in zip(found, orders, strict=False):
        each[codes >= 0] = values[places]
    return _Cells(codes=codes, orders=tuple(found[: len(orders)]))


def _orders(values: pa.Array) -> list[FloatArray]:
    """Return shape (n_values,): amounts, and of dates the day, year and decade too; of words none."""
    amounts = read_amounts(values) if len(values) >= _FEWEST else None
    if amounts is None or np.isnan(amounts.numbers).any():
        return []
    if amounts.kind == "number":
        return [amounts.numbers]
    years = amounts.part("year")
    return [amounts.numbers, amounts.part("month and day"), years, years // 10]


@dataclass(kw_only=True, eq=False)
class _Search:
    """Both tables, with the records to compare."""

    tables: LoggedTables
    persons: Persons | None

    @cached_property
    def pairs(self) -> dict[str, CodedPair]:
        """Return the pair of each anonymized column that has an original."""
        return {pair.pair.anonymized: pair for pair in self.tables.coded}

    @cached_property
    def rows(self) -> IntArray:
        """Return the rows of the original to compare: some, and one of each person."""
        first, who = np.arange(self.tables.n_original), None
        if self.persons is not None and self.tables.in_order:
            who = self.persons.codes
        elif self.persons is not None and self.persons.column in self.pairs:
            who = self.column("original", self.pairs[self.persons.column].pair.original).codes
        if who is not None:
            first = np.sort(np.unique(who, return_index=True)[1])
        return first[some_rows(np.random.default_rng(0), len(first), _MOST_ROWS)]

    def column(self, side: str, name: str) -> CodedColumn:
        """Return a column as written."""
        return self.tables.written[side][name]

    @cached_property
    def originals(self) -> dict[str, bool]:
        """Return the originals that others may know, and those that were taken out; whether the former."""
        tables, found = self.tables, {}
        kept = {pair.pair.original for pair in tables.coded}
        for one in suggest_roles(tables.written["original"]):
            entry, n = tables.log.entry(one.column), one.n_nonblank
            said = suggest_by_name(entry.semantic, n_nonblank=n, n_distinct=one.n_distinct)
            known = entry.semantic in QUASI_IDENTIFYING_SEMANTICS or _is_known(said) or _is_known(one)
            known = known or (meaning_of(entry.action) in _LESS and self._holds_dates(one.column))
            hidden = one.column not in kept or meaning_of(entry.action) in {Meaning.GONE, Meaning.PSEUDONYM}
            of_groups = _FEWEST <= one.n_distinct <= _MOST * n and one.role in _TWINS
            if one.n_distinct > 1 and (known or (hidden and of_groups)):
                found[one.column] = known
        return found

    def _holds_dates(self, name: str) -> bool:
        some = read_amounts(self.column("original", name).values[:_SOME])
        return some is not None and some.kind == "date"

    @remembered
    def known(self, original: str) -> _Cells:
        """Return an original column in the rows to compare."""
        return _cells(self.column("original", original), self.rows)

    @remembered
    def in_rows(self, name: str) -> _Cells | None:
        """Return a released column in the rows of the original; None where nobody can tell which is whose."""
        if self.tables.in_order:
            return _cells(self.column("anonymized", name), self.rows)
        pair = self.pairs.get(name)
        if pair is None or pair.n_same_values < _KEPT * max(pair.anonymized_counts.sum(), 1):
            return None
        return self.known(pair.pair.original)

    @cached_property
    def groups(self) -> tuple[IntArray, IntArray] | None:
        """Return the original's and the released records by what kept columns of few values say of them."""
        if self.tables.n_original != self.tables.n_anonymized:
            return None
        pairs = [
            pair
            for pair in self.pairs.values()
            if pair.n_values > 1 and np.array_equal(*pair.counts_with_missing())
        ]
        return classes_together(pairs, _MOST_GROUPS)

    def is_drawn_alike(self, ours: CodedColumn, original: str, chance: float) -> bool:
        """Whether a released column of unknown order is the original renamed, or cut into stretches."""
        theirs = self.column("original", original)
        if self.groups is None or ours.n_missing + theirs.n_missing or not self._is_of_groups(ours):
            return False
        before, after = self.groups
        made = [codes for name, codes in self.forms if name == original]
        return any(self._is_renamed(ours.codes, codes, chance) for codes in (theirs.codes, *made)) or any(
            _is_cut(way[ours.codes], after, place[theirs.codes], before, chance)
            for place in self.orders(original)[:2]
            for each in _orders(ours.values)[:1]
            for way in (each, -each)
        )

    def stratum(self, name: str, hidden: Collection[str], chance: float) -> str | None:
        """Return a hidden original that a column of unknown order tells together with others known."""
        ours = self.column("anonymized", name)
        if self.groups is None or ours.n_missing or not self._is_of_groups(ours):
            return None
        for parts in (*itertools.combinations(self.forms, 2), *itertools.combinations(self.forms, 3)):
            told = [original for original, _ in parts if original in hidden]
            if told and len({original for original, _ in parts}) == len(parts):
                codes = combination_codes([codes for _, codes in parts], n_records=len(ours.codes))
                if self._is_renamed(ours.codes, codes, chance / len(self.forms) ** 3):
                    return told[0]
        return None

    @cached_property
    def forms(self) -> list[tuple[str, IntArray]]:
        """Return the known originals of few values, and the years and decades of dates, as codes."""
        found = []
        for name in [name for name, known in self.originals.items() if known]:
            column = self.column("original", name)
            if self._is_of_groups(column):
                found.append((name, column.codes_with_missing))
            dates = self.orders(name)[2:]
            found += [(name, np.unique(each[column.codes], return_inverse=True)[1]) for each in dates]
        return found[:_MOST_FORMS]

    @remembered
    def orders(self, original: str) -> list[FloatArray]:
        """Return what `_orders` does of an original column's values."""
        return _orders(self.column("original", original).values)

    def _is_of_groups(self, column: CodedColumn) -> bool:
        return 1 < column.n_distinct <= _MOST * len(column.codes)

    def _is_renamed(self, ours: Codes, theirs: Codes, chance: float) -> bool:
        """Whether the records of each value are spread over the groups as those of one original value."""
        if self.groups is None or ours.max() != theirs.max():
            return False
        before, after = self.groups
        spread = _spread(ours, after)
        if not np.array_equal(_sorted(spread), _sorted(_spread(theirs, before))):
            return False
        any_order = float(scipy.special.gammaln(len(spread) + 1) + _log(len(ours)))
        return bool(any_order - _log(spread).sum() < np.log(chance))


def _is_known(one: RoleSuggestion) -> bool:
    return (is_trait(one) and one.kind != _SEEN) or one.kind == _ALSO_KNOWN


def _log(counts: IntArray | int) -> FloatArray:
    """Return how unlikely it is, as a logarithm, that a count is just what it is (a normal law's mode)."""
    return np.log(2 * np.pi * np.maximum(counts, 1 / (2 * np.pi))) / 2


def _spread(codes: Codes, groups: IntArray) -> IntArray:
    """Return shape (n_values, n_groups): the records of each value in each group."""
    size = int(groups.max()) + 1
    n_values = int(codes.max()) + 1
    return np.bincount(codes.astype(np.int64) * size + groups, minlength=n_values * size).reshape(-1, size)


def _sorted(spread: IntArray) -> IntArray:
    return spread[np.lexsort(spread.T)]


def _is_cut(ours: FloatArray, after: IntArray, theirs: FloatArray, before: IntArray, chance: float) -> bool:
    """Whether values, in order, are held in each group by as many records as stretches of the original."""
    spread = _spread(np.unique(ours, return_inverse=True)[1], after)
    order = np.argsort(theirs, kind="stable")
    sizes = spread.sum(axis=1)
    ends = np.cumsum(sizes)[:-1]
    if (theirs[order][ends] == theirs[order][ends - 1]).any():
        return False
    stretches = np.repeat(np.arange(len(sizes)), sizes)
    cut = _spread(stretches, before[order])
    return np.array_equal(cut, spread) and bool(_log(sizes).sum() - _log(spread).sum() < np.log(chance))


def measure_functions(
    tables: LoggedTables,
    persons: Persons | None,
    *,
    logged: Collection[str],
    made_up: Collection[str] = (),
) -> tuple[Function, ...]:
    """Return the released columns that are functions of originals that others know or that were taken out.

    Beside those `logged` as quasi-identifiers. A column that was kept or made coarser, says the log, is one
    of its own original, unless its values are `made_up`. Originals that can be read in a column that counts
    tell no more through another.
    """
    search = _Search(tables=tables, persons=persons)
    others = {*logged, *([persons.column] if persons and not persons.is_original else [])}
    released = [
        name
        for name in tables.anonymized.column_names
        if name not in others and tables.n_distinct("anonymized", name) > 1
    ]
    chance = NO_ACCIDENT / max(len(released) * len(search.originals), 1)
    real = [name for name in released if name not in made_up]
    found = {name: one for name in real if (one := _of_its_own(search, name, chance))}
    open_ones = {
        search.pairs[name].pair.original
        for name in {*logged, *found} & search.pairs.keys()
        if search.pairs[name].n_same_values >= _KEPT * search.pairs[name].original_counts.sum()
    }
    hidden = [name for name in search.originals if name not in open_ones]
    for name in [name for name in released if name not in found]:
        if one := _of_others(search, name, hidden, chance):
            found[name] = one
    for name in set(tables.anonymized.column_names) - {*logged, *found}:
        if one := _in_pieces(search, name, hidden, chance):
            found[name] = one
    return tuple(found[name] for name in tables.anonymized.column_names if name in found)


def _of_its_own(search: _Search, name: str, chance: float) -> Function | None:
    """Return a column as a function of the original that it stands for."""
    pair = search.pairs.get(name)
    if pair is None or pair.pair.original not in search.originals:
        return None
    original, known = pair.pair.original, search.originals[pair.pair.original]
    is_there = known and (
        meaning_of(pair.pair.action) in _STILL_THERE or pair.n_same_row >= _KEPT * len(pair.original)
    )
    if not is_there and not _is_told(search, name, original, chance):
        return None
    return Function(anonymized=name, original=original, is_known=known)


def _of_others(search: _Search, name: str, hidden: Collection[str], chance: float) -> Function | None:
    """Return a column as a function of another column's original, of those that others know if of any."""
    pair, n = search.pairs.get(name), len(search.rows)
    is_token = pair is not None and meaning_of(pair.pair.action) is Meaning.PSEUDONYM
    if is_token and search.tables.n_distinct("anonymized", name) > _MOST * n:
        return None
    for original in sorted(hidden, key=lambda each: not search.originals[each]):
        is_own = pair is not None and pair.pair.original == original
        if not is_own and _is_told(search, name, original, chance, is_token=is_token):
            return Function(anonymized=name, original=original, is_known=search.originals[original])
    strata = None if search.tables.in_order else search.stratum(name, hidden, chance)
    return Function(anonymized=name, original=strata, is_known=True) if strata else None


def _is_told(search: _Search, name: str, original: str, chance: float, *, is_token: bool = False) -> bool:
    """Whether a column is a function of an original that others know, or tells it; of others, its twin."""
    ours = search.in_rows(name)
    if ours is None:
        return search.is_drawn_alike(search.column("anonymized", name), original, chance)
    theirs = search.known(original)
    told = theirs.gives(ours.codes, chance)
    if search.originals[original]:
        return told or (not is_token and ours.gives(theirs.codes, chance))
    return told and not theirs.orders and ours.gives(theirs.codes, chance)


def _in_pieces(search: _Search, name: str, hidden: Collection[str], chance: float) -> Function | None:
    """Return a column of tokens of which letters at certain places are functions of originals others know."""
    column, tables = search.column("anonymized", name), search.tables
    if column.n_distinct <= _FEWEST or (not tables.in_order and tables.n_anonymized > _MOST_ROWS):
        return None
    cells = tables.anonymized[name]
    cells = cells.take(pa.array(search.rows)) if tables.in_order else cells
    told: dict[int, str] = {}
    known = [original for original in hidden if search.originals[original]]
    slices = [(at, at + width) for width in _WIDTHS for at in range(_LONGEST)]
    for start, stop in slices:
        piece = coded(pc.utf8_slice_codeunits(cells, start, stop))
        for original in known if 1 < piece.n_distinct <= _MOST * len(piece.codes) else ():
            is_told = (
                search.known(original).gives(piece.codes, chance / len(slices))
                if tables.in_order
                else search.is_drawn_alike(piece, original, chance / len(slices))
            )
            told |= dict.fromkeys(range(start, stop), original) if is_told else {}
    if not told:
        return None
    original = told[min(told)]
    own = search.pairs.get(name)
    is_pseudonym = own is not None and meaning_of(own.pair.action) is Meaning.PSEUDONYM
    return Function(
        anonymized=name,
        original=original,
        is_known=True,
        piece=tuple(sorted(told)),
        is_pseudonym=is_pseudonym,
    )
