"""Which table and which record of a delivery was made of which original.

Tables are paired by their names, else by the columns that they share. Records are paired place by place where
both tables stand in one order; else by what both have: identifiers by their mapping, cells that were kept,
and, once a person's shift is known, the shifted dates. Records that nothing tells apart are paired in the
order of their dates. What is left is paired with nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, CodedColumn, FloatArray, IntArray, coded, coded_column, combination_codes
from core.comparing.names import columns_alike, folded_name
from core.declared.lists import as_texts
from core.known import bags
from core.tables import Dataset
from core.values.cells import as_numbers
from core.values.dates import read_days

_OF_A_RELEASE = (  # in names of files
    *("deidentified", "anonymized", "anonymised", "pseudonymized", "pseudonymised", "released", "original"),
    *("originals", "shifted", "masked", "deid", "anon", "release", "source", "raw"),
)
_ALIKE = 0.5  # share of columns from which tables of other names are paired
_KEPT = 0.9  # share of a column's cells that have to stand in both tables for it to pair records
_DATES_KEPT = 0.98  # … of dates, many of which stand in both tables whatever their shift
_IN_PLACE = 0.95  # share of records with the same person place by place
_BITS = 40.0  # by which that is more than chance
_ARE_DATES = 0.9  # share of a column's distinct values that are days
_MOST_ROUNDS = 6
_GLANCE = 1_000  # values that show whether any are days
SECONDS = 86_400  # of a day, to which times are rounded


class Sheet:
    """A table whose columns are coded once."""

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name, self.table = name, table
        self._coded: dict[str, CodedColumn] = {}
        self._days: dict[str, FloatArray] = {}

    def __getitem__(self, column: str) -> CodedColumn:
        """Return a column; blank cells are missing, spaces around values no part of them."""
        if column not in self._coded:
            self._coded[column] = coded_column(self.table, column).trimmed
        return self._coded[column]

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.table.column_names)

    @property
    def n_records(self) -> int:
        """Return the number of records."""
        return int(self.table.num_rows)


@dataclass(kw_only=True, eq=False)
class Pair:
    """A released table and its original, and which of their records are the same.

    Attributes
    ----------
    columns
        Released column to the original one.
    own
        The released column whose original says whose each record is; None where another table does.
    person
        Shape (n_original,): whose each original record is, -1 where nobody can be told.
    mine, theirs
        Shape (n_paired,): the records, by number, of the released table and of the original.
    way
        Whether records stand place by place, are told by what they share, or cannot be told.
    unsure
        Released records that nothing tells apart, paired in the order of their dates.
    """

    released: Sheet
    original: Sheet
    columns: Mapping[str, str]
    own: str | None = None
    person: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    mine: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    theirs: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    way: str = ""
    unsure: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _joint: dict[str, tuple[pa.Array, IntArray, IntArray]] = field(default_factory=dict)
    _days: dict[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    _day_values: dict[str, FloatArray] = field(default_factory=dict)
    _changed: dict[str, BoolArray] = field(default_factory=dict)  # of the records that are paired so far

    @property
    def name(self) -> str:
        """Return the name of the released table."""
        return self.released.name

    def joint(self, column: str) -> tuple[pa.Array, IntArray, IntArray]:
        """Return the values of a released column and its original, and each table's codes of them."""
        if column not in self._joint:
            one, other = self.released[column], self.original[self.columns[column]]
            values = coded(pa.chunked_array([as_texts(one.values), as_texts(other.values)]))
            place = values.codes.astype(np.int64)
            first, second = place[: len(one.values)], place[len(one.values) :]
            mine, theirs = np.append(first, -1)[one.codes], np.append(second, -1)[other.codes]
            self._joint[column] = values.values, mine, theirs
        return self._joint[column]

    def cells(self, column: str) -> tuple[IntArray, IntArray]:
        """Return shape (n_paired,) each: the codes of released and original cells of paired records."""
        _, mine, theirs = self.joint(column)
        return mine[self.mine], theirs[self.theirs]

    def days(self, column: str) -> tuple[FloatArray, FloatArray]:
        """Return both tables' cells as days, shape (n_records,) each; NaN where a cell says none."""
        if column not in self._days:
            _, mine, theirs = self.joint(column)
            days = np.append(self._day_of_value(column), np.nan)
            self._days[column] = days[mine], days[theirs]
        return self._days[column]

    def _day_of_value(self, column: str) -> FloatArray:
        if column not in self._day_values:
            self._day_values[column] = read_days(self.joint(column)[0])
        return self._day_values[column]

    def are_dates(self, column: str) -> bool:
        """Return whether nearly all original values of a column are days."""
        return column in self.dated

    @cached_property
    def dated(self) -> list[str]:
        """Return the released columns of which nearly all original values are days."""
        return [column for column in self.columns if self._is_dated(column)]

    def _is_dated(self, column: str) -> bool:
        values = self.original[self.columns[column]].values
        if not len(values):
            return False
        glance = read_days(values[:: max(len(values) // _GLANCE, 1)])
        if np.mean(np.isnan(glance)) > _ARE_DATES:
            return False  # hardly any is
        _, _, theirs = self.joint(column)
        days = self._day_of_value(column)
        is_original = np.bincount(theirs[theirs >= 0], minlength=len(days)) > 0
        return bool(np.mean(~np.isnan(days[is_original])) >= _ARE_DATES)

    def changed(self, column: str) -> BoolArray:
        """Return shape (n_paired,): where a cell says something else than the original; 5 and 5.0 are one."""
        if column not in self._changed:
            values, *_ = self.joint(column)
            mine, theirs = self.cells(column)
            wrong = mine != theirs
            if wrong.any() and (numbers := as_numbers(values)) is not None:
                told = np.append(numbers, np.nan)
                wrong &= ~(told[mine] == told[theirs])
            self._changed[column] = wrong
        return self._changed[column]

    @property
    def persons(self) -> IntArray:
        """Return shape (n_paired,): whose each paired record is."""
        return self.person[self.theirs]

    def called(self, column: str) -> set[str]:
        """Return what an original column is called in both tables."""
        return {column, *(mine for mine, theirs in self.columns.items() if theirs == column)}

    def taking(self, mine: IntArray, theirs: IntArray) -> None:
        """Take further records as the same."""
        self._changed.clear()
        self.mine, self.theirs = np.append(self.mine, mine), np.append(self.theirs, theirs)


def pair_tables(released: Sequence[Sheet], originals: Sequence[Sheet]) -> list[Pair]:
    """Return the tables that belong together by name, else by the columns that they share."""
    left: list[Sheet] = [*originals]
    pairs: list[Pair] = []
    for by_name in (True, False):
        for mine in [each for each in released if all(pair.released is not each for pair in pairs)]:
            likeness = [(_likeness(mine, each, by_name=by_name), -at) for at, each in enumerate(left)]
            if likeness and max(likeness)[0] >= _ALIKE:
                theirs = left.pop(-max(likeness)[1])
                alike = columns_alike(mine.columns, theirs.columns)
                pairs.append(Pair(released=mine, original=theirs, columns=alike))
    return pairs


def _likeness(one: Sheet, other: Sheet, *, by_name: bool) -> float:
    if by_name:
        return float(_plain_name(one.name) == _plain_name(other.name))
    shared = columns_alike(one.columns, other.columns)
    return len(shared) / max(len({*one.columns, *other.columns}) - len(shared), 1) if shared else 0.0


def _plain_name(name: str) -> str:
    plain = folded_name(name)
    for word in _OF_A_RELEASE:
        plain = plain.removesuffix(word).removeprefix(word) or plain
    return plain


# --- whose each original record is


def persons_of(originals: Sequence[Sheet], places: Mapping[str, str]) -> dict[str, tuple[IntArray, pa.Array]]:
    """Return, for each table, whose each record is, a code from 0, and the persons' identifiers.

    `places` names tables' columns of persons; other tables are reached by columns of the same name that
    hold each value once in a table whose persons are known.
    """
    named = [each for each in originals if each.name in places]
    if not named:
        return {}
    columns = [each[places[each.name]] for each in named]
    together = coded(pa.chunked_array([as_texts(each.values) for each in columns]))
    found: dict[str, IntArray] = {}
    start = 0
    for sheet, column in zip(named, columns, strict=True):
        codes = together.codes[start : start + len(column.values)].astype(np.int64)
        start += len(column.values)
        found[sheet.name] = np.append(codes, -1)[column.codes]
    by_name = {each.name: each for each in originals}
    for _ in originals:
        for sheet, known in product(originals, [*found]):
            if sheet.name not in found:
                reached = _reached(sheet, by_name[known], found[known])
                if reached is not None:
                    found[sheet.name] = reached
    return {name: (codes, together.values) for name, codes in found.items()}


def _reached(sheet: Sheet, known: Sheet, person: IntArray) -> IntArray | None:
    for mine, theirs in columns_alike(sheet.columns, known.columns).items():
        key, other = sheet[mine], known[theirs]
        if other.n_distinct < 2 or other.n_distinct != other.n_records or not len(key.values):
            continue
        at = pc.index_in(as_texts(key.values), value_set=as_texts(other.values)).fill_null(-1).to_numpy()
        if np.mean(at >= 0) >= _KEPT:
            owner = np.full(len(other.values) + 1, -1)
            owner[other.codes] = person
            owner[-1] = -1
            return np.append(owner[at], -1)[key.codes].astype(np.int64)
    return None


# --- records


class Images:
    """What stands for original values, by the folded names of columns; and persons' shifts."""

    def __init__(self) -> None:
        self.is_whole = False  # whether a mapping says what stands for persons
        self.moved = np.zeros(0)  # shape (n_persons,): the days of each person's shift, as far as seen
        self._known: dict[str, tuple[pa.Array, pa.Array]] = {}

    def know(self, column: str, originals: pa.Array, images: pa.Array) -> None:
        """Remember what stands for the values of a column of this name, unless something is known."""
        if len(originals):
            self._known.setdefault(folded_name(column), (as_texts(originals), as_texts(images)))

    def see(self, shift: FloatArray) -> None:
        """Remember shifts of persons, codes from 0, of whom none is known; NaN where none is seen."""
        longer = np.full(max(len(shift) - len(self.moved), 0), np.nan)
        self.moved = np.append(self.moved, longer)
        new = np.append(shift, np.full(len(self.moved) - len(shift), np.nan))
        self.moved = np.where(np.isnan(self.moved), new, self.moved)

    def of(self, column: str) -> tuple[pa.Array, pa.Array] | None:
        """Return the originals and what stands for them, None where nothing is known."""
        return self._known.get(folded_name(column))


@dataclass(frozen=True, kw_only=True)
class _Key:
    """A column that tells records apart: shape (n_released,) and (n_original,), -1 where missing."""

    mine: IntArray
    theirs: IntArray
    is_person: bool = False
    is_mapped: bool = False
    share: float = 1.0  # of cells that both tables hold


def pair_records(pair: Pair, images: Images, *, gone: IntArray) -> None:
    """Find the records of a pair that are the same.

    `gone` are the original records that a rule takes away: these are paired last, with what is left.
    """
    keys = _keys(pair, images)
    if not keys:
        return
    if _are_in_place(pair, keys):
        pair.way = "place"
        pair.mine = pair.theirs = np.arange(pair.released.n_records)
        _shifted_dates(pair, images)
        return
    pair.way = "key"
    stays = np.ones(pair.original.n_records, dtype=bool)
    stays[gone] = False
    for those in (np.flatnonzero(stays), gone):
        _pair_by_keys(pair, images, keys, those)
    others = [each for each in keys if not each.is_person]
    if len(others) < len(keys) and images.is_whole:  # what another person's identifier may stand in
        dates = _shifted_dates(pair, images)
        if others and (dates or any(each.is_mapped for each in others)):
            _take_unique(pair, [*others, *dates], np.arange(pair.original.n_records))


def _keys(pair: Pair, images: Images) -> list[_Key]:
    """Return what tells records apart, persons and mapped identifiers first, then the cells most kept."""
    found = []
    for mine, theirs in pair.columns.items():
        known = images.of(theirs)
        values, ours, others = pair.joint(mine)
        if known is None and pair.are_dates(mine) and _share_kept(ours, others) < _DATES_KEPT:
            continue
        if known is not None:
            at = pc.index_in(values, value_set=known[0])
            to = pc.index_in(known[1].take(at), value_set=values).fill_null(-1).to_numpy().astype(np.int64)
            others = np.append(to, -1)[others]
        elif (numbers := as_numbers(values)) is not None:  # 5 and 5.0 are one
            place = np.append(np.unique(numbers, return_inverse=True)[1], -1)
            ours, others = place[ours], place[others]
        share = _share_kept(ours, others)
        if share >= _KEPT or known is not None:
            found.append(
                _Key(
                    mine=ours,
                    theirs=others,
                    is_person=mine == pair.own,
                    is_mapped=known is not None,
                    share=share,
                )
            )
    return sorted(found, key=lambda each: (not each.is_person, -each.share))


def _share_kept(mine: IntArray, theirs: IntArray) -> float:
    """Return the share of filled released cells that stand in the original, each as often."""
    n = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
    ours, others = (np.bincount(each[each >= 0], minlength=n) for each in (mine, theirs))
    return float(np.minimum(ours, others).sum() / ours.sum()) if ours.sum() else 0.0


def _are_in_place(pair: Pair, keys: Sequence[_Key]) -> bool:
    """Return whether both tables stand in one order."""
    n = pair.released.n_records
    if n != pair.original.n_records or not n:
        return False
    agreed = [(float(np.mean(each.mine == each.theirs)), each) for each in keys]
    if any(each.is_person and share < _IN_PLACE for share, each in agreed):
        return False
    if np.median([share for share, _ in agreed]) < _KEPT:
        return False
    sure = [each.mine for share, each in agreed if share >= _KEPT]
    codes = combination_codes(sure, n_records=n)
    runs = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
    share = np.bincount(codes) / n
    bits = -np.log2((share**2).sum()) * n
    is_sorted = len(runs) <= 2 * len(share) and len(share) < n / 2
    return bool(bits >= _BITS or n < 20) and not is_sorted


def _pair_by_keys(pair: Pair, images: Images, keys: Sequence[_Key], those: IntArray) -> None:
    """Pair what is left of the released records with some original ones, the surest first."""
    rounds = [keys[: len(keys) - left] for left in range(min(len(keys), _MOST_ROUNDS))]
    if any(each.is_person for each in keys):  # nobody's record is paired with another person's
        rounds.append([each for each in keys if each.is_person])
    else:
        rounds = rounds[: max(len(rounds) // 2, 1)]
    if not np.isnan(images.moved).all() and (dates := _shifted_dates(pair, images)):  # seen in other tables
        _take_unique(pair, [*keys, *dates], those)
        if images.is_whole or pair.own is None:
            _take_unique(pair, [*(each for each in keys if not each.is_person), *dates], those)
    for by in rounds:
        _take_unique(pair, by, those)
    shifted = _shifted_dates(pair, images)
    for by in rounds:
        for date in shifted:
            _take_unique(pair, [*by, date], those)
    for by in rounds if keys[0].is_person else rounds[:1]:
        _take_in_order(pair, by, those)
    plain = [each for each in keys if not (each.is_mapped or each.is_person)]
    if pair.own is None and plain:  # what is mapped may be of records that nothing tells apart
        _take_unique(pair, plain, those)


def _left(pair: Pair, those: IntArray) -> tuple[IntArray, IntArray]:
    mine = np.ones(pair.released.n_records, dtype=bool)
    mine[pair.mine] = False
    theirs = np.zeros(pair.original.n_records, dtype=bool)
    theirs[those] = True
    theirs[pair.theirs] = False
    return np.flatnonzero(mine), np.flatnonzero(theirs)


def _codes(by: Sequence[_Key], mine: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray, int]:
    stacked = [np.concatenate([each.mine[mine], each.theirs[theirs]]) for each in by]
    codes = combination_codes(stacked, n_records=len(mine) + len(theirs))
    return codes[: len(mine)], codes[len(mine) :], int(codes.max(initial=-1)) + 1


def _take_unique(pair: Pair, by: Sequence[_Key], those: IntArray) -> None:
    mine, theirs = _left(pair, those)
    if not len(mine) or not len(theirs):
        return
    ours, others, n = _codes(by, mine, theirs)
    once = (np.bincount(ours, minlength=n) == 1) & (np.bincount(others, minlength=n) == 1)
    place = np.full(n, -1)
    place[others] = theirs
    taken = once[ours]
    pair.taking(mine[taken], place[ours[taken]])


def _take_in_order(pair: Pair, by: Sequence[_Key], those: IntArray) -> None:
    """Pair groups of as many records on both sides in the order of their dates."""
    mine, theirs = _left(pair, those)
    if not len(mine) or not len(theirs):
        return
    ours, others, n = _codes(by, mine, theirs)
    sizes = np.bincount(ours, minlength=n), np.bincount(others, minlength=n)
    fits = (sizes[0] == sizes[1]) & (sizes[0] > 0)
    columns = [pair.days(each) for each in pair.dated]
    mine, ours = mine[fits[ours]], ours[fits[ours]]
    theirs, others = theirs[fits[others]], others[fits[others]]
    first = np.lexsort((*(days[0][mine] for days in reversed(columns)), ours))
    second = np.lexsort((*(days[1][theirs] for days in reversed(columns)), others))
    pair.taking(mine[first], theirs[second])
    pair.unsure = np.append(pair.unsure, mine[first][sizes[0][ours[first]] > 1])


def _shifted_dates(pair: Pair, images: Images) -> list[_Key]:
    """Return each column of dates as a key: the original ones shifted as their persons' others are."""
    found = []
    for column in pair.dated:
        mine, theirs = pair.days(column)
        shift = most_frequent(pair.persons, mine[pair.mine] - theirs[pair.theirs])
        images.see(shift)
        n_persons = int(pair.person.max(initial=-1)) + 1
        moved = np.full(max(n_persons, len(images.moved)) + 1, np.nan)
        moved[: len(images.moved)] = images.moved
        moved[: len(shift)] = np.where(np.isnan(shift), moved[: len(shift)], shift)
        moved = theirs + moved[pair.person]
        both = np.round(np.concatenate([mine, moved]) * SECONDS)
        codes = np.where(np.isnan(both), -1, np.nan_to_num(both)).astype(np.int64)
        ours, others = codes[: len(mine)], codes[len(mine) :].copy()
        others[others < 0] = -2  # what says no day is like nothing
        found.append(_Key(mine=ours, theirs=others))
    return found


def most_frequent(owner: IntArray, values: FloatArray) -> FloatArray:
    """Return shape (n_owners,): the most frequent value of each, NaN where there is none.

    `owner` has codes from 0, -1 for nobody's. Zero, what was not moved, only where there is
    nothing else; of several the least.
    """
    n_owners = int(owner.max(initial=-1)) + 1
    found = np.full(n_owners, np.nan)
    known = (owner >= 0) & ~np.isnan(values)
    if not known.any():
        return found
    value = np.round(values[known] * SECONDS).astype(np.int64)
    least = int(value.min())
    n_values = int(value.max()) - least + 1
    pairs, counts = np.unique(owner[known] * n_values + (value - least), return_counts=True)
    who, value = pairs // n_values, pairs % n_values + least
    firsts = np.flatnonzero(np.append(True, who[1:] != who[:-1]))
    score = np.where(value != 0, counts + len(owner), counts)
    is_best = score == np.repeat(np.maximum.reduceat(score, firsts), np.diff(firsts, append=len(who)))
    best = np.flatnonzero(is_best)[::-1]  # the least is written last
    found[who[best]] = value[best] / SECONDS
    return found


# --- persons without a mapping


def images_by_bags(mine: Sequence[Pair]) -> tuple[pa.Array, pa.Array]:
    """Return original persons and what stands for them, told by all that both tables have of them.

    Only persons whose kept cells, numbers of records and intervals between dates nobody else has are told.
    The tables are those with a column of persons.
    """
    signatures = [_signatures(each, each.own) for each in mine if each.own is not None]
    ids = [coded(pa.chunked_array([as_texts(one[side]) for one in signatures])) for side in (0, 2)]
    totals = [np.zeros((len(side.values), 2 * len(mine)), dtype=np.int64) for side in ids]
    starts = [0, 0]
    for at, found in enumerate(signatures):
        for side in (0, 1):
            n = len(found[2 * side])
            codes = ids[side].codes[starts[side] : starts[side] + n]
            totals[side][codes, at] = found[2 * side + 1] + 1
            starts[side] += n
    stacked = np.concatenate(totals)
    codes = combination_codes(list(stacked.T), n_records=len(stacked))
    n = int(codes.max(initial=-1)) + 1
    ours, others = codes[: len(totals[0])], codes[len(totals[0]) :]
    once = (np.bincount(ours, minlength=n) == 1) & (np.bincount(others, minlength=n) == 1)
    place = np.full(n, -1)
    place[others] = np.arange(len(others))
    told = np.flatnonzero(once[ours])
    return ids[1].values.take(pa.array(place[ours[told]])), ids[0].values.take(pa.array(told))


def _signatures(pair: Pair, own: str) -> tuple[pa.Array, IntArray, pa.Array, IntArray]:
    """Return released persons and a code of what each has, then the original ones with theirs."""
    sides = (pair.released[own], pair.original[pair.columns[own]])
    kept = [np.concatenate([each.mine, each.theirs]) for each in _keys(pair, Images())]
    owner = np.concatenate(
        [sides[0].codes, np.where(sides[1].codes >= 0, sides[1].codes + len(sides[0].values), -1)]
    ).astype(np.int64)
    for each in pair.dated:
        days = np.concatenate(pair.days(each))
        first = np.full(int(owner.max(initial=-1)) + 2, np.inf)
        np.fmin.at(first, owner, np.where(owner >= 0, days, np.inf))
        since = np.round((days - first[owner]) * SECONDS)
        kept.append(np.where(np.isfinite(since), np.nan_to_num(since, posinf=-1), -1).astype(np.int64))
    items = combination_codes([each - each.min(initial=0) for each in kept], n_records=len(owner))
    known = owner >= 0
    n_owners = len(sides[0].values) + len(sides[1].values)
    told = bags(owner[known], items[known], n_owners)
    return (
        sides[0].values,
        told[: len(sides[0].values)],
        sides[1].values,
        told[len(sides[0].values) :],
    )


def sheets(tables: Mapping[str, Dataset]) -> list[Sheet]:
    """Return tables by their names."""
    return [Sheet(name, each.table) for name, each in tables.items()]
