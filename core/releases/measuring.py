"""Measuring what a release tells beside earlier ones; thresholds measure nothing again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedTable, IntArray, coded_column, combination_codes, sorted_distinct
from core.errors import AuditInputError
from core.people.names import COUNT_NAMES, TOTAL_WORDS
from core.people.roles import Role, suggest_roles
from core.people.roles.vocabulary import name_tokens
from core.releases.counts import (
    Beside,
    ClassCounts,
    Moved,
    Overlap,
    beside,
    count_classes,
    looked_up,
    overlap_of,
    surplus,
)
from core.releases.hashing import hashed_counts
from core.releases.ledger import Ledger, LedgerTable
from core.releases.persons import (
    Alike,
    Candidates,
    Records,
    Redrawn,
    alike_in_both,
    are_same_people,
    candidates_over,
    redrawn,
    share_alike,
    stand_in_one_order,
    surplus_of_persons,
)
from core.releases.ranges import Aligned, aligned
from core.releases.renaming import Codes, Renaming, same_words
from core.releases.settings import EarlierTable, Released, ReleasedTable, Roles
from core.releases.splits import Side, Split, split_counts, splits_of
from core.tables import Dataset
from core.values.cells import as_numbers, codes_of_tables
from core.values.stretches import in_one_spelling
from core.verdict import Finding
from core.words import Text, input_error, text

AnyReleased = TypeVar("AnyReleased", bound=Released)

_ALIKE = 0.5  # share of columns that two tables have in common from which they are releases of one
_FEW_FOUND = 0.5  # share of the earlier release in classes of the later one below which they do not match
_FEW_VALUES = 0.2  # distinct values a record up to which a sensitive attribute has categories
_NOT_RARE = 5  # records of a value that other people drawn alike would have too
_OWN_WORDS = 0.05  # share of either release with words that the other has not, from which they are renamed
_MOST_COUNTED = 5_000_000  # records that a table of counts is read as
_NEARLY_ALL = 0.9  # share of records that values name in both releases, from which these are joined
_YEARS_ON = (1, 2, 3)  # by which people of the same table are older
_FEWEST_AGES = 10  # distinct whole numbers that may be ages or years
_FITS_BETTER = 0.25  # share by which fewer have no match once people are so much older
_NO_CHANCE = 5.0  # … and standard deviations of their number
_NUMBERED = 0.9  # share of distinct values from which a column numbers records


@dataclass(frozen=True, kw_only=True)
class Relinked:
    """Persons with another pseudonym in each release who are found again by what else is in both."""

    columns: tuple[str, ...]
    n: int
    n_persons: int  # of the later release
    is_shown: bool  # whether the releases agree in these columns more than those of different people


@dataclass(frozen=True, kw_only=True, eq=False)
class Joined:
    """Records of two releases without common pseudonyms that are the same ones all the same."""

    columns: tuple[str, ...]  # whose values name a record of each; empty where the order of records does
    alike: Alike


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """A table beside one of an earlier release."""

    table: str
    release: str  # what the earlier one is called
    is_ledger: bool = False
    roles: Roles  # of the columns that both have
    missing_columns: tuple[str, ...] = ()  # quasi-identifiers that the earlier one has not
    changed_columns: tuple[str, ...] = ()  # whose values the releases cut differently
    renamed: tuple[Renaming, ...] = ()  # words that are taken as the same
    own_words: tuple[Renaming, ...] = ()  # … and such as hinder from comparing
    n_later: int  # persons, or records
    n_earlier: int
    n_common: int | None = None  # persons in both; None without common pseudonyms
    has_fresh_pseudonyms: bool = False
    is_same: bool = False  # whether both hold the same
    found_share: float = 1.0  # share of the earlier release in classes that the later one has too
    overlap: Overlap | None = None  # None with common pseudonyms
    came: Moved
    left: Moved
    alike: Alike | None = None
    splits: tuple[Split, ...] = ()
    relinked: Relinked | None = None
    joined: Joined | None = None
    redrawn: tuple[Redrawn, ...] = ()  # columns that seem to have other noise in each release
    # a whole number that fits the later release much better once it is so much higher, which is no proof
    shifted: tuple[str, int] | None = None

    @property
    def is_comparable(self) -> bool:
        """Return whether the classes of the releases are the same ones."""
        return self.n_common is not None or self.found_share >= _FEW_FOUND

    @property
    def is_sure(self) -> bool:
        """Return whether differences are people, and not different people altogether."""
        return self.overlap is None or self.overlap.is_sure

    @property
    def counts_persons(self) -> bool:
        """Return whether persons were counted, not records."""
        return self.roles.person is not None


@dataclass(frozen=True, kw_only=True)
class NotCompared:
    """An earlier table that was not compared, and why."""

    release: str
    reason: Text


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasesMeasurement:
    """Everything measured of a release beside earlier ones."""

    n_earlier: int  # tables of earlier releases, ledgers' too
    compared: tuple[Compared, ...]
    not_compared: tuple[NotCompared, ...] = ()
    elsewhere: tuple[Finding, ...] = ()  # what is not assessed where the tables are
    # by table and sensitive attribute, over all releases with common pseudonyms
    candidates: Mapping[tuple[str, str], Candidates] = field(default_factory=dict)


def measure_releases(
    tables: Sequence[ReleasedTable], earlier: Sequence[EarlierTable | Ledger]
) -> ReleasesMeasurement:
    """Measure what the tables of a release tell whoever has earlier releases too.

    Missing quasi-identifiers are a value of their own, missing sensitive values unknown. `earlier` are
    tables, each held against the table of the release that is named like it or has most of its columns, and
    ledgers.
    """
    compared: list[Compared] = []
    not_compared: list[NotCompared] = []
    over: dict[str, list[tuple[Dataset, tuple[Renaming, ...]]]] = {}
    hashed: dict[object, ClassCounts] = {}
    for release, each, columns in _single_tables(earlier):
        table = table_for(each.name, columns, tables)
        if table is not None and not table.roles.quasi_identifiers:  # nothing in it is known of anybody
            if isinstance(each, Dataset) and (linked := _linked_by_numbers(table, each, release)) is not None:
                compared.append(linked)
            continue
        if table is None:
            not_compared.append(no_table_for(release))
            continue
        try:
            if isinstance(each, Dataset):
                each = _as_records(each, table, release)  # noqa: PLW2901 - the same, as others are
                found = _beside_table(table, each, release)
            else:
                found = _beside_ledger(table, each, release, _ledger_of(each, earlier), hashed)
        except AuditInputError as error:
            not_compared += [NotCompared(release=release, reason=text(problem)) for problem in error.problems]
            continue
        compared.append(found)
        if found.n_common is not None and isinstance(each, Dataset):
            over.setdefault(table.name, []).append((each, found.renamed))
    return ReleasesMeasurement(
        n_earlier=len(compared) + len(not_compared),
        compared=tuple(compared),
        not_compared=tuple(not_compared),
        candidates={
            (table.name, name): found
            for table in tables
            if table.name in over
            for name, found in _candidates(table, over[table.name])
        },
    )


def _single_tables(
    earlier: Sequence[EarlierTable | Ledger],
) -> Iterator[tuple[str, Dataset | LedgerTable, tuple[str, ...]]]:
    for each in earlier:
        if isinstance(each, EarlierTable):
            yield each.release, each.dataset, each.dataset.columns
        else:
            for table in each.tables:
                person = () if table.roles.person is None else (table.roles.person,)
                yield each.name, table, (*table.roles.quasi_identifiers, *table.roles.sensitive, *person)


def _ledger_of(table: LedgerTable, earlier: Sequence[EarlierTable | Ledger]) -> Ledger:
    return next(
        each for each in earlier if isinstance(each, Ledger) and any(one is table for one in each.tables)
    )


def no_table_for(release: str) -> NotCompared:
    """Say that an earlier table is one of none of the release's."""
    reason = text(
        "{release}: no table of this release has its columns; it was not compared.", release=release
    )
    return NotCompared(release=release, reason=reason)


def table_for(name: str, columns: Sequence[str], tables: Sequence[AnyReleased]) -> AnyReleased | None:
    """Return the table named so, folder and ending aside; else the one with most of the columns.

    None where none has half of them.
    """
    own = name.rpartition("/")[2]
    stem = own.rpartition(".")[0] or own
    for table in tables:
        if stem in (table.name, table.name.rpartition(".")[0]):
            return table

    def share(table: AnyReleased) -> float:
        mine = set(table.columns)
        return len(mine & set(columns)) / max(min(len(mine), len(columns)), 1)

    best = max(tables, key=share, default=None)
    return best if best is not None and share(best) >= _ALIKE else None


def _as_records(earlier: Dataset, table: ReleasedTable, release: str) -> Dataset:
    """Return an earlier table of counts as the records it counts, without its totals; any other as it is."""
    own = [name for name in earlier.columns if name not in table.dataset.columns]
    counts = [name for name in own if " ".join(name_tokens(name)) in COUNT_NAMES]
    numbers = as_numbers(earlier.table[counts[0]].combine_chunks()) if len(counts) == 1 else None
    others = [name for name in earlier.columns if name not in counts]
    if not counts or not others or _n_different(earlier.table.select(others)) < earlier.n_records:
        return earlier
    if numbers is None or np.isnan(numbers).any() or not 0 < numbers.sum() <= _MOST_COUNTED:
        raise input_error(
            "{release} is a table of counts, some of them suppressed; it was not compared with records.",
            release=release,
        )
    words = [earlier.table[name].to_pylist() for name in others]
    is_total = [
        any({*name_tokens(word or "")[:1]} & TOTAL_WORDS for word in row) for row in zip(*words, strict=True)
    ]
    times = np.where(is_total, 0, numbers).astype(np.int64)
    return replace(earlier, table=earlier.table.take(pa.array(np.repeat(np.arange(len(times)), times))))


def _n_different(table: pa.Table) -> int:
    return int(table.group_by(table.column_names).aggregate([]).num_rows)


def common_roles(table: Released, columns: tuple[str, ...], release: str) -> Roles:
    """Return the roles of the columns that an earlier table has too.

    Raises
    ------
    AuditInputError
        It has none of the quasi-identifiers.
    """
    roles = table.roles.common(columns)
    if not roles.quasi_identifiers:
        raise input_error(
            "{release}: none of the quasi-identifiers of {table} is in it; it was not compared.",
            release=release,
            table=f"`{table.name}`",
        )
    return roles


def _beside_table(table: ReleasedTable, earlier: Dataset, release: str) -> Compared:
    pair = _Pair(table, earlier, common_roles(table, earlier.columns, release))
    found = _of_pair(table, earlier, release, pair)
    own = pair.own_words()
    if not own and (found.is_sure if found.overlap is not None else not pair.are_other_values):
        return found
    renamed, pair = pair.with_words_of_the_later()
    if renamed and not pair.own_words():
        again = _of_pair(table, earlier, release, pair)
        seemed_others = bool(own) or (found.overlap is not None and found.overlap.is_unlikely)
        if again.is_sure or (seemed_others and again.overlap is not None and again.overlap.is_shown):
            return replace(again, renamed=renamed)
    if own:
        return replace(found, found_share=0.0, own_words=own)
    is_other = found.overlap is not None and found.overlap.is_unlikely
    return replace(found, shifted=_shifted(table, earlier, release, found)) if is_other else found


def _shifted(table: ReleasedTable, earlier: Dataset, release: str, found: Compared) -> tuple[str, int] | None:
    """Return the column and the years by which releases of seemingly different people fit much better.

    Looked at is who has no match in the other release, in the direction in which these are fewer: of people
    who grew older, and others who came or left, hardly anybody; of different people as many as before.
    """
    apart = min(found.came.n, found.left.n)
    most = apart - max(_FITS_BETTER * apart, _NO_CHANCE * np.sqrt(apart))
    for name in found.roles.quasi_identifiers:
        numbers = as_numbers(earlier.table[name].combine_chunks())
        if numbers is None or (numbers % 1 > 0).any() or len(np.unique(numbers)) < _FEWEST_AGES:
            continue
        for years in _YEARS_ON:
            now = pa.array(
                [None if np.isnan(each) else f"{each + years:.0f}" for each in numbers.tolist()], pa.string()
            )
            place = earlier.columns.index(name)
            moved = replace(earlier, table=earlier.table.set_column(place, name, now))
            pair = _Pair(table, moved, found.roles)
            counts = (
                count_classes(each.classes, each.values, unit=pair.unit(each))
                for each in (pair.later, pair.earlier)
            )
            now_found = by_counts(table, found.roles, release, beside(*counts))
            if min(now_found.came.n, now_found.left.n) <= most:
                return name, years
    return None


def _of_pair(table: ReleasedTable, earlier: Dataset, release: str, pair: "_Pair") -> Compared:
    roles, both = pair.roles, (pair.later, pair.earlier)
    later, earlier_counts = (count_classes(each.classes, each.values, unit=pair.unit(each)) for each in both)
    found = by_counts(table, roles, release, beside(later, earlier_counts))
    found = replace(
        found,
        is_same=pair.is_same,
        changed_columns=tuple(each.name for each in pair.columns if each.is_changed),
        redrawn=pair.redrawn(),
    )
    if not pair.has_common_people:
        return replace(
            found,
            has_fresh_pseudonyms=roles.person is not None,
            splits=tuple(_splits(pair)),
            relinked=None if roles.person is None else _relinked(table, earlier, pair),
            joined=_joined(
                table, earlier, pair, has_own_classes=not found.is_comparable or bool(pair.own_words())
            ),
        )
    alike = alike_in_both(pair.later, pair.earlier)
    return replace(
        found,
        n_later=len(pair.later.units),
        n_earlier=len(pair.earlier.units),
        n_common=alike.n,
        overlap=None,
        came=surplus_of_persons(pair.later, pair.earlier),
        left=surplus_of_persons(pair.earlier, pair.later),
        alike=alike,
    )


def by_counts(table: Released, roles: Roles, release: str, found: Beside) -> Compared:
    """Return what two releases without pseudonyms tell beside each other, by counts alone."""
    (came, left), (n_later, n_earlier) = (surplus(found, side) for side in (0, 1)), found.n
    return Compared(
        table=table.name,
        release=release,
        roles=roles,
        is_same=not came.n and not left.n,
        missing_columns=tuple(
            name for name in table.roles.quasi_identifiers if name not in roles.quasi_identifiers
        ),
        n_later=n_later,
        n_earlier=n_earlier,
        found_share=found.n_found / n_earlier if n_earlier else 1.0,
        overlap=overlap_of(found),
        came=came,
        left=left,
    )


class _Pair:
    """Two releases of a table, coded alike."""

    def __init__(self, table: ReleasedTable, earlier: Dataset, roles: Roles) -> None:
        self.roles = roles
        self._tables = CodedTable(table=table.dataset.table), CodedTable(table=earlier.table)
        self._n = table.dataset.n_records, earlier.n_records
        self._units = (
            tuple(np.arange(n) for n in self._n)
            if roles.person is None
            else _persons([each.table for each in self._tables], roles.person)
        )
        self.own_columns = self._own_columns(table)
        columns = [aligned(*self._tables, name) for name in roles.quasi_identifiers]
        self._fill(columns, {name: self.joint(name) for name in roles.sensitive})

    def _own_columns(self, table: ReleasedTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the quasi-identifiers that one release alone has; of the earlier one, what looks like it."""
        mine = tuple(
            name for name in table.roles.quasi_identifiers if name not in self.roles.quasi_identifiers
        )
        further = [name for name in self._tables[1].table.column_names if name not in table.dataset.columns]
        theirs = (
            each.column
            for each in suggest_roles(self._tables[1].select(further))
            if each.role is Role.QUASI_IDENTIFIER
        )
        return mine, tuple(theirs) if further else ()

    def _fill(self, columns: Sequence[Aligned], values: Mapping[str, Codes]) -> None:
        self.columns, self._values = columns, values
        classes = self.together([(each.later, each.earlier) for each in columns])
        common = self.together([(each.written_later, each.written_earlier) for each in columns])
        written = [
            combination_codes(
                [codes, *(table[name].trimmed.codes.astype(np.int64) + 1 for name in own)], n_records=n
            )
            for codes, table, own, n in zip(common, self._tables, self.own_columns, self._n, strict=True)
        ]
        self.later, self.earlier = (
            Records(
                unit=self._units[side],
                classes=classes[side],
                written=written[side],
                values={name: codes[side] for name, codes in values.items()},
            )
            for side in (0, 1)
        )
        self.is_same = self._is_same(common, values)
        self.has_common_people = self.roles.person is not None and are_same_people(self.later, self.earlier)

    def joint(self, name: str) -> Codes:
        """Return a column's codes in both, alike for equal cells, dates in any spelling; -1 for missing."""
        return joint_values([each.table[name] for each in self._tables])

    @property
    def _words(self) -> dict[str, Codes]:
        """Return the columns of categories, as codes from 1, below for missing."""
        found = {each.name: (each.later, each.earlier) for each in self.columns if not each.is_read}
        for name, (one, other) in self._values.items():
            if few_values(len(np.unique(other[other >= 0])), len(other)):
                found[name] = one + 1, other + 1
        return found

    @property
    def are_other_values(self) -> bool:
        """Return whether half of the same people have another sensitive value than before."""
        return any(
            share_alike(self.later, self.earlier, name) < _ALIKE
            for name in self._words.keys() & self._values.keys()
        )

    def own_words(self) -> tuple[Renaming, ...]:
        """Return columns of which each release has words of its own for what the other calls otherwise.

        So it seems where a twentieth of either release has words that are not in the other, rare ones aside;
        of sensitive attributes, whose values change, where they have none in common.
        """
        found = []
        for name, codes in self._words.items():
            if name in self._values and np.isin(codes[1][codes[1] > 0], codes[0]).any():
                continue
            own = own_words(codes)
            if own is not None:
                found.append(self._renaming(name, codes, *own))
        return tuple(found)

    def _renaming(self, name: str, codes: Codes, later: Iterable[int], earlier: Iterable[int]) -> Renaming:
        said = [
            tuple(str(table.table[name][int(np.argmax(each == word))].as_py()) for word in words)
            for table, each, words in zip(self._tables, codes, (later, earlier), strict=True)
        ]
        return Renaming(column=name, later=said[0], earlier=said[1])

    def with_words_of_the_later(self) -> "tuple[tuple[Renaming, ...], _Pair]":
        """Return words that are clearly the same, and the releases with the later ones in place of them.

        Columns with words of their own are looked at, and all where there are none: what a column calls 1
        may have been 2. What is known of one column tells more of the next.
        """
        codes = {each.name: (each.later, each.earlier) for each in self.columns} | self._words
        own = {each.column for each in self.own_words()}
        left = [name for name in self._words if not own or name in own]
        found: dict[str, Mapping[int, int]] = {}
        while name := next((name for name in left if self._pair(name, codes, own - {*found}, found)), None):
            left.remove(name)
        pair = copy(self)
        pair._fill(
            [
                replace(each, earlier=codes[each.name][1], written_earlier=codes[each.name][1])
                if each.name in found
                else each
                for each in self.columns
            ],
            {
                name: (one, codes[name][1] - 1 if name in found else other)
                for name, (one, other) in self._values.items()
            },
        )
        return tuple(
            self._renaming(name, self._words[name], list(words.values()), list(words))
            for name, words in found.items()
        ), pair

    def _pair(
        self, name: str, codes: dict[str, Codes], unclear: Set[str], found: dict[str, Mapping[int, int]]
    ) -> bool:
        """Put a column's later words in place of earlier ones; return whether it is clear which these are."""
        others = [each for other, each in codes.items() if other != name and other not in unclear]
        contexts = [self.together(others)]
        if self.roles.person is not None:
            contexts.append((self.later.unit + 1, self.earlier.unit + 1))
        for only_own, context in product((True, False) if name in unclear else (False,), contexts):
            words = same_words(codes[name], context, only_own=only_own)
            if words is not None and any(word != now for word, now in words.items()):
                one, other = codes[name]
                now = np.arange(int(other.max(initial=0)) + 1)
                if not only_own:  # others are words of their own
                    now[1:] += max(int(one.max(initial=0)), len(now))
                now[[*words]] = [*words.values()]
                codes[name], found[name] = (one, now[other]), words
                return True
        return False

    def together(self, columns: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
        both = [np.concatenate(pair) for pair in columns]
        codes = combination_codes(both, n_records=sum(self._n))
        return codes[: self._n[0]], codes[self._n[0] :]

    def _is_same(
        self, written: tuple[IntArray, IntArray], values: Mapping[str, tuple[IntArray, IntArray]]
    ) -> bool:
        """Return whether both hold the same records of these columns, in whatever order."""
        if self._n[0] != self._n[1]:
            return False
        one, other = self.together([written, *((codes[0] + 1, codes[1] + 1) for codes in values.values())])
        return bool(np.array_equal(np.sort(one), np.sort(other)))

    def unit(self, records: Records) -> IntArray | None:
        """Return whose the records are, None where they are counted."""
        return None if self.roles.person is None else records.unit

    def redrawn(self) -> tuple[Redrawn, ...]:
        """Return the columns whose numbers differ as noise drawn anew for each release does."""
        one, other = (each.table for each in self._tables)
        names = [
            name for name in one.column_names if name in other.column_names and name != self.roles.person
        ]
        found = []
        for name in names if self.roles.person is not None else []:
            numbers = [as_numbers(each[name].combine_chunks()) for each in (one, other)]
            mine, theirs = numbers
            if mine is not None and theirs is not None:
                found.append(redrawn(name, self._units, (mine, theirs)))
        return tuple(each for each in found if each is not None)

    def is_cut(self, name: str) -> bool:
        """Return whether the releases cut a column differently."""
        return any(each.name == name and each.is_changed for each in self.columns)

    def combined(self, names: Sequence[str]) -> tuple[IntArray, IntArray]:
        """Return the records' combinations of columns, equal where written alike."""
        return self.together([(one + 1, other + 1) for one, other in map(self.joint, names)])


def joint_values(columns: Sequence[pa.ChunkedArray]) -> Codes:
    """Return a column's codes in two tables, alike for equal cells, dates in any spelling; -1 for missing."""
    one, other = codes_of_tables(columns)
    if not np.isin(other[other >= 0], one).any():  # perhaps only spelled otherwise
        one, other = codes_of_tables([in_one_spelling(each) for each in columns])
    return one.astype(np.int64), other.astype(np.int64)


def own_words(codes: Codes, counts: Codes | None = None) -> tuple[IntArray, IntArray] | None:
    """Return the words, rare ones aside, that each of two releases has alone; None of a few of its records.

    `codes` of a column in both count from 0; `counts` are the records each stands for, without it one.
    """
    found = []
    for (mine, theirs), times in zip((codes, codes[::-1]), counts or (None, None), strict=True):
        n_of = np.bincount(mine, times, minlength=1)
        own = np.flatnonzero((n_of >= _NOT_RARE) & ~np.isin(np.arange(len(n_of)), theirs))
        if n_of[own].sum() < _OWN_WORDS * max(n_of.sum(), 1):
            return None
        found.append(own)
    return found[0], found[1]


def few_values(n_values: int, n_records: int) -> bool:
    """Return whether a sensitive attribute has categories."""
    return n_values <= _FEW_VALUES * n_records


def _persons(tables: Sequence[pa.Table], column: str) -> list[IntArray]:
    """Return whose each record is in several tables, -1 for nobody's.

    ``00123`` and ``123`` are one person, unless reading numbers makes one of two persons of a table, such as
    of the pseudonyms ``00e1`` and ``00e2``: then pseudonyms are equal only where written so.
    """
    folded = codes_of_tables([table[column] for table in tables])
    written = [coded_column(table, column).trimmed for table in tables]
    if all(
        len(np.unique(codes[codes >= 0])) == len(each.values)
        for codes, each in zip(folded, written, strict=True)
    ):
        return [codes.astype(np.int64) for codes in folded]
    every = pa.concat_arrays([each.values.cast(pa.large_string()) for each in written]).dictionary_encode()
    place, start = np.append(every.indices.to_numpy(zero_copy_only=False).astype(np.int64), -1), 0
    found = []
    for each in written:
        found.append(np.where(each.codes < 0, -1, place[each.codes + start]))
        start += len(each.values)
    return found


def _splits(pair: _Pair) -> Iterator[Split]:
    """Yield what follows from the cuts of columns that the releases cut differently: of one, two and all."""
    changed = [each for each in pair.columns if each.ends is not None]
    chosen = [*combinations(changed, 1), *combinations(changed, 2)]
    if len(changed) > 2:
        chosen.append(tuple(changed))
    nothing = np.full(len(pair.later.unit), -1), np.full(len(pair.earlier.unit), -1)
    for columns in chosen:
        others = [(each.later, each.earlier) for each in pair.columns if each not in columns]
        context = pair.together(others)
        found = {}
        for name in pair.roles.sensitive or ("",):
            values = (pair.later.values[name], pair.earlier.values[name]) if name else nothing
            later, earlier = (
                _side(pair, records, codes, [each.written(is_later=is_later) for each in columns], value)
                for is_later, records, codes, value in zip(
                    (True, False), (pair.later, pair.earlier), context, values, strict=True
                )
            )
            found[name] = split_counts(
                later, earlier, [each.ends for each in columns if each.ends is not None]
            )
        yield from splits_of(tuple(each.name for each in columns), found)


def _side(
    pair: _Pair, records: Records, context: IntArray, stretches: Sequence[IntArray], value: IntArray
) -> Side:
    """Return what a release tells of each person, or record, once."""
    side = Side(context=context, group=records.classes, stretches=stretches, value=value)
    if pair.roles.person is None:
        return side
    known = np.flatnonzero(records.unit >= 0)
    each = combination_codes(
        [codes[known] for codes in (records.unit, context, records.classes, *stretches, value + 1)],
        n_records=len(known),
    )
    return side.chosen(known[np.unique(each, return_index=True)[1]])


def _relinked(table: ReleasedTable, earlier: Dataset, pair: _Pair) -> Relinked | None:
    """Return those found again under another pseudonym, by the columns of three sets that find most."""
    roles = pair.roles
    shared = [name for name in table.dataset.columns if name in earlier.columns and name != roles.person]
    sets = (roles.quasi_identifiers, (*roles.quasi_identifiers, *roles.sensitive), _stable(pair, shared))
    found = []
    for columns in dict.fromkeys(tuple(each) for each in sets):
        if not columns:
            continue
        one, other = pair.combined(columns)
        counts = [
            count_classes(codes, {}, unit=records.unit)
            for codes, records in ((one, pair.later), (other, pair.earlier))
        ]
        alone = counts[0].keys[counts[0].counts == 1]
        linked = alone[looked_up(counts[1].keys, counts[1].counts, alone) == 1]
        of_linked = np.isin(one, linked.astype(np.int64)) & (pair.later.unit >= 0)
        n = len(sorted_distinct(pair.later.unit[of_linked]))
        shown = overlap_of(beside(*counts))
        found.append(Relinked(columns=columns, n=n, n_persons=len(pair.later.units), is_shown=shown.is_shown))
    return max(found, key=lambda each: (each.is_shown, each.n, -len(each.columns)), default=None)


def _joined(table: ReleasedTable, earlier: Dataset, pair: _Pair, *, has_own_classes: bool) -> Joined | None:
    """Return the records of both releases in classes of both, where values or their order join nearly all.

    None where one release tells all that the other does, so that joining them tells nothing more.
    `has_own_classes`: whether each has classes of its own, so that quasi-identifiers join nothing.
    """
    mine, theirs = (bool(each) for each in pair.own_columns)
    is_cut = has_own_classes or any(each.is_changed for each in pair.columns)
    if not (mine or is_cut) or not (theirs or is_cut):
        return None
    shared = [
        name
        for name in table.dataset.columns
        if name in earlier.columns and name != pair.roles.person and not pair.is_cut(name)
        if not (has_own_classes and name in pair.roles.quasi_identifiers)
    ]
    columns: tuple[str, ...] = ()
    one, other = pair.combined(shared)
    units = [np.arange(len(one)), np.arange(len(other))]
    if not stand_in_one_order(one, other):
        columns = _stable(pair, shared)
        one, other = pair.combined(columns)
        size = int(max(one.max(initial=0), other.max(initial=0))) + 1
        is_one = (np.bincount(one, minlength=size) == 1) & (np.bincount(other, minlength=size) == 1)
        if not columns or is_one.sum() < _NEARLY_ALL * max(len(one), len(other)):
            return None
        units = [np.where(is_one[each], each, -1) for each in (one, other)]
    sides = (replace(each, unit=unit) for each, unit in zip((pair.later, pair.earlier), units, strict=True))
    return Joined(columns=columns, alike=alike_in_both(*sides))


def _linked_by_numbers(table: ReleasedTable, earlier: Dataset, release: str) -> Compared | None:
    """Return a table without quasi-identifiers beside an earlier one where others find persons again."""
    roles = table.roles.common(earlier.columns)
    if roles.person is None:
        return None
    pair = _Pair(table, earlier, roles)
    linked = None if pair.has_common_people else _relinked(table, earlier, pair)
    if linked is None or not linked.n:
        return None
    nobody = surplus(beside(*(count_classes(np.zeros(0, dtype=np.int64), {}) for _ in range(2))), 0)
    return Compared(
        table=table.name,
        release=release,
        roles=roles,
        n_later=len(pair.later.units),
        n_earlier=len(pair.earlier.units),
        has_fresh_pseudonyms=True,
        came=nobody,
        left=nobody,
        relinked=linked,
    )


def _stable(pair: _Pair, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns but those that number records anew in each release."""
    kept = []
    for name in columns:
        one, other = pair.joint(name)
        distinct = sorted_distinct(one[one >= 0])
        is_number = len(distinct) > _NUMBERED * max(len(one), 1)
        if not (is_number and np.mean(np.isin(distinct, other)) < 1 - _NUMBERED):
            kept.append(name)
    return tuple(kept)


def _beside_ledger(
    table: ReleasedTable,
    earlier: LedgerTable,
    release: str,
    ledger: Ledger,
    hashed: dict[object, ClassCounts],
) -> Compared:
    roles = earlier.roles
    asked = (*roles.quasi_identifiers, *(() if roles.person is None else (roles.person,)))
    if missing := [name for name in asked if name not in table.dataset.columns]:
        raise input_error(
            "{release}: it counts by {columns}, which {table} has not; it was not compared.",
            release=release,
            columns=missing,
            table=f"`{table.name}`",
        )
    roles = roles.common(table.dataset.columns)
    key = (table.name, roles, ledger.salt)
    if key not in hashed:
        hashed[key] = hashed_counts(replace(table, roles=roles), ledger.salt)
    found = by_counts(table, roles, release, beside(hashed[key], earlier.counts))
    return replace(found, is_ledger=True)


def _candidates(
    table: ReleasedTable, earlier: Sequence[tuple[Dataset, tuple[Renaming, ...]]]
) -> Iterator[tuple[str, Candidates]]:
    """Yield by sensitive attribute what all releases with common pseudonyms leave of a person's values."""
    for name in table.roles.sensitive:
        having = [(each, renamed) for each, renamed in earlier if name in each.columns]
        if not having:
            continue
        records = _coded_alike([(table.dataset, ()), *having], table.roles, name)
        yield name, candidates_over(records[0], records[1:], name)


def _coded_alike(
    releases: Sequence[tuple[Dataset, tuple[Renaming, ...]]], roles: Roles, name: str
) -> list[Records]:
    """Return the records of several releases; persons and values coded alike, classes by each for itself."""
    tables = [dataset for dataset, _ in releases]
    persons = _persons([each.table for each in tables], str(roles.person))
    values = codes_of_tables([each.table[name] for each in tables])
    for at, (dataset, renamed) in enumerate(releases):
        for words in (each for each in renamed if each.column == name):
            now = np.arange(int(values[at].max(initial=-1)) + 2)  # -1 stays
            for later, former in zip(words.later, words.earlier, strict=True):
                place = pc.index(tables[0].table[name], later).as_py()
                now[values[at][pc.index(dataset.table[name], former).as_py()]] = values[0][place]
            now[-1] = -1
            values[at] = now[values[at]].astype(np.int32)
    found = []
    for each, unit, value in zip(tables, persons, values, strict=True):
        coded = CodedTable(table=each.table)
        columns = [
            coded[column].trimmed.codes.astype(np.int64) + 1
            for column in roles.quasi_identifiers
            if column in each.columns
        ]
        classes = combination_codes(columns, n_records=each.n_records)
        found.append(
            Records(unit=unit, classes=classes, written=classes, values={name: value.astype(np.int64)})
        )
    return found
