"""What k users of a combination do not cover: users of one person, other people, and what groups tell."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import poisson_tail
from core.coding import BoolArray, FloatArray, IntArray, combined_codes, sorted_distinct, value_codes
from core.events.measuring import AnonymizedEvents
from core.events.settings import DERIVED_COLUMNS, KIND_COLUMNS, ReleaseOptions
from core.events.traces import pseudonym_codes
from core.events.users import OtherPersons, heads_staff
from core.verdict import Finding, Verdict
from core.words import Text, counted, own, percent, share_of, text

_MOST_HAVE_IT = 0.5  # share of users from which a kind of event says nothing new
# users told of, beyond chance; how often chance may give as many groups, of many users or of few
_SHARE_TO_WARN, _RARELY, _BY_CHANCE = 0.05, 1e-3, 1e-6
_CONSTANT = 0.9  # share of pseudonyms with one value of a column, from which it is the person's
_NEARLY_ALL = 0.9  # of the rows of a combination, or of the users
_WHOLE = re.compile(r"\d{1,3}")
_YEAR, _MONTH = 365.25, 31  # days
_FEWEST_STEPS, _DEVIATIONS = 5, 4  # steps, and standard deviations from as many as years go by
_LIKE_NUMBERS = 0.9  # share of values with a digit


def reached_text(k: int, reached: bool) -> Text:
    """Say whether k is reached."""
    return text("k = {k} is reached", k=k) if reached else text("k = {k} is not reached", k=k)


def beyond_k_findings(anonymized: AnonymizedEvents, options: ReleaseOptions) -> Iterator[Finding | None]:
    """Yield what an export tells although k users share each combination."""
    yield from (_persons_finding(anonymized, persons) for persons in anonymized.measured.log.other_persons)
    yield from (_staff_finding(anonymized, column) for column in anonymized.stages.columns)
    if anonymized.event_is_kept.any():
        rows = _Rows(anonymized=anonymized, options=options)
        yield from _group_findings(rows)
        yield _refilled_finding(rows)
        yield _dominated_finding(rows)
        yield from (_yearly_finding(rows, place) for place in range(len(rows.anonymized.stages.columns)))


_WHY = {
    "near_equal": (
        "they differ in case, spaces, separators, accents or leading zeros only",
        "Take them for one user each, or confirm that they are several.",
    ),
    "column": (
        "as the column {column} has it",
        "Choose it as the user column, or leave it out of the log if it does not hold the person.",
    ),
    "numbered": (
        "they differ in a number at the end only",
        "Take the part before the number as the user if these are cards or accounts of one person.",
    ),
    "domains": (
        "they differ in the domain only",
        "Take the part without the domain as the user if these are accounts of one person.",
    ),
    "together": (
        "their events always come within 2 seconds of each other",
        "Count the person or home instead of the device.",
    ),
    "tests": (
        "they are called tests or demos, or are one word numbered in a row",
        "Leave these accounts out of the log.",
    ),
}


def _persons_finding(anonymized: AnonymizedEvents, persons: OtherPersons) -> Finding | None:
    kept, k = anonymized.event_is_kept, anonymized.rule.k
    smallest = _smallest_group_of_persons(
        persons, anonymized.group_of_event[kept], anonymized.user_of_event[kept]
    )
    reached = smallest is not None and smallest >= k
    if smallest is None or (reached and persons.kind not in ("near_equal", "column")):
        return None
    why, step = _WHY[persons.kind]
    return Finding.of(
        f"users_{persons.kind}",
        Verdict.WARN if reached or not persons.is_named else Verdict.FAIL,
        column=persons.column,
        n_affected=persons.n_users_joined,
    )(
        "{n} user identifier may be {persons}: {why}; then the smallest combination is shared by {smallest}, "
        "and {reached}. {step}",
        "{n} user identifiers may be {persons}: {why}; then the smallest combination is shared by "
        "{smallest}, and {reached}. {step}",
        n=persons.n_users_joined,
        persons=counted(persons.n_persons_joined, "person"),
        why=text(why, column=persons.column or ""),
        smallest=smallest,
        reached=reached_text(k, reached),
        step=own(step),
    )


def _smallest_group_of_persons(persons: OtherPersons, group: IntArray, user: IntArray) -> int | None:
    """Return the distinct persons of the combination that fewest have; None without any event of a person."""
    person = persons.person_of_user[user]
    group, person = group[person >= 0], person[person >= 0]
    if not len(group):
        return None
    pairs = sorted_distinct(group * (int(person.max()) + 1) + person)
    per_group = np.bincount(pairs // (int(person.max()) + 1))
    return int(per_group[per_group > 0].min())


def _staff_finding(anonymized: AnonymizedEvents, name: str) -> Finding | None:
    """Say where a released column holds numbers of other people, whom k does not count."""
    column = anonymized.measured.log.others.get(name)
    if column is None or not heads_staff(name):
        return None
    values = pc.drop_null(pc.unique(column.cast(pa.string())))
    like_numbers = pc.sum(pc.match_substring_regex(values, "[0-9]")).as_py() or 0
    if not len(values) or like_numbers < _LIKE_NUMBERS * len(values):
        return None
    return Finding.of("other_people", Verdict.WARN, column=name, n_affected=len(values))(
        "The {n} value of {column}, by its name, is the number of an employee or another person. k counts "
        "users and does not protect these people: colleagues know whose number it is.",
        "The {n} values of {column}, by its name, are numbers of employees or other people. k counts users "
        "and does not protect these people: colleagues know whose number it is.",
        column=name,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """The released rows; users, combinations and values by row."""

    anonymized: AnonymizedEvents
    options: ReleaseOptions

    @cached_property
    def user(self) -> IntArray:
        """Return shape (n_rows,): codes of users without gaps."""
        return value_codes(self.anonymized.user_of_event[self.anonymized.event_is_kept])

    @cached_property
    def group(self) -> IntArray:
        """Return shape (n_rows,): the released combination."""
        return self.anonymized.group_of_event[self.anonymized.event_is_kept]

    @cached_property
    def pseudonym(self) -> IntArray:
        """Return shape (n_rows,): the pseudonym."""
        codes = pseudonym_codes(self.anonymized, self.options.pseudonym_per)
        return value_codes(codes[self.anonymized.event_is_kept])

    @property
    def n_users(self) -> int:
        """Return the number of users released."""
        return int(self.user.max()) + 1

    @cached_property
    def finest(self) -> IntArray:
        """Return shape (n_columns,): the last value of each column that is not coarser."""
        stages = self.anonymized.stages
        return stages.values_of_group[stages.stage_of_group == 0].max(axis=0)

    def column(self, place: int) -> tuple[IntArray, IntArray, BoolArray]:
        """Return a column by row: its value as released and in the log, and whether the first is as fine."""
        stages = self.anonymized.stages
        released = stages.values_of_group[self.group, place]
        before = stages.values_of_group[stages.group_of_unit[0][stages.unit_of_event], place]
        return released, before[self.anonymized.event_is_kept], released <= self.finest[place]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Groups:
    """Groups of users with one value of a column, and how many of each have which kind of event."""

    n_of_group: IntArray  # shape (n_groups,), users with the value in the log
    # shape (n_cells,), the group, the kind and the users of each cell that is released
    group: IntArray
    kind: IntArray
    n: IntArray
    users: IntArray  # shape (n_members,), users of each cell, one cell after the other
    n_rows: IntArray  # shape (n_cells,), released rows
    share_of_others: (
        FloatArray  # shape (n_cells,), share of the users of other groups with the kind, in [0, 1]
    )
    n_users: int  # of the log
    is_of_person: bool  # whether each user has one value of the column

    @classmethod
    def of(cls, rows: _Rows, place: int, kind: IntArray, kind_is_fine: BoolArray) -> "_Groups":
        """Return the groups that a column makes; `kind` by row."""
        released, _, is_fine = rows.column(place)
        stages, n_users = rows.anonymized.stages, rows.anonymized.stages.n_users
        in_log = stages.values_of_group[stages.group_of_unit[0], place]
        members = sorted_distinct(in_log * n_users + stages.user_of_unit) // n_users
        n_in_log = len(np.unique(stages.user_of_unit))
        n_kinds, shown = int(kind.max()) + 1, is_fine & kind_is_fine
        had = sorted_distinct(kind[kind_is_fine] * rows.n_users + rows.user[kind_is_fine]) // rows.n_users
        cell = released[shown] * n_kinds + kind[shown]
        pairs = sorted_distinct(cell * rows.n_users + rows.user[shown])
        cells, n = np.unique(pairs // rows.n_users, return_counts=True)
        n_of_group = np.bincount(members)
        others = np.bincount(had, minlength=n_kinds)[cells % n_kinds] - n
        return cls(
            n_of_group=n_of_group,
            group=cells // n_kinds,
            kind=cells % n_kinds,
            n=n,
            users=pairs % rows.n_users,
            n_rows=np.bincount(np.searchsorted(cells, cell), minlength=len(cells)),
            share_of_others=np.minimum(others / np.maximum(n_in_log - n_of_group[cells // n_kinds], 1), 1),
            n_users=n_in_log,
            is_of_person=len(members) == n_in_log,
        )

    @property
    def says_something(self) -> BoolArray:
        """Return which cells are of at most half of all users, with a kind of at most half of the others."""
        of_some = self.n_of_group[self.group] <= _MOST_HAVE_IT * self.n_users
        return of_some & (self.share_of_others <= _MOST_HAVE_IT)

    def all_have_it(self) -> BoolArray:
        """Return which cells all of their group are in, with a kind that at most half of the others have."""
        return (self.n == self.n_of_group[self.group]) & self.says_something

    def chances(self) -> FloatArray:
        """Return shape (n_cells,): the chance that all of the group have the kind; 0 where most users do."""
        return np.where(self.says_something, self.share_of_others ** self.n_of_group[self.group], 0.0)

    def all_but_few(self, k: int) -> BoolArray:
        """Return which cells all but fewer than k of a group are in, whose size another cell tells.

        Of kinds that nearly all users have none: who lacks one is rare wherever they are.
        """
        missing = self.n_of_group[self.group] - self.n
        counts_users = self.n_rows == self.n
        whole = np.zeros(len(self.n_of_group), dtype=bool)
        whole[self.group[(missing == 0) & counts_users]] = True
        few = (missing > 0) & (missing < k) & (self.n >= k) & counts_users
        few &= self.share_of_others <= _NEARLY_ALL
        return few & whole[self.group] & self.is_of_person


def _group_findings(rows: _Rows) -> Iterator[Finding | None]:
    """Yield where a released value gives a kind of event of all its users, or of all but a few."""
    columns = rows.anonymized.stages.columns
    kinds = [place for place, name in enumerate(columns) if name in KIND_COLUMNS]
    asked = [place for place in range(len(columns)) if place not in kinds]
    if not kinds or not asked:
        return
    of_kinds = [rows.column(place) for place in kinds]
    kind = value_codes(combined_codes([released for released, _, _ in of_kinds], n_records=len(rows.user)))
    is_fine = np.logical_and.reduce([fine for _, _, fine in of_kinds])
    if not is_fine.any():
        return
    of_columns = {columns[place]: _Groups.of(rows, place, kind, is_fine) for place in asked}
    yield _group_tells(rows, of_columns)
    yield _all_but_few(rows, of_columns)


def _group_tells(rows: _Rows, of_columns: Mapping[str, _Groups]) -> Finding | None:
    groups = [*of_columns.values()]
    told = [each.all_have_it() for each in groups]
    users = [each.users[np.repeat(is_told, each.n)] for each, is_told in zip(groups, told, strict=True)]
    n_found = len(sorted_distinct(np.concatenate(users)))
    chances = np.concatenate([each.chances() for each in groups])
    chance = min(float(chances @ np.concatenate([each.n for each in groups])) / rows.n_users, 1.0)
    n_cells = sum(int(np.count_nonzero(each)) for each in told)
    by_chance = poisson_tail(n_cells, float(chances.sum())) if n_cells else 1.0
    is_many = n_found / rows.n_users - chance > _SHARE_TO_WARN
    if by_chance >= (_RARELY if is_many else _BY_CHANCE):
        return None
    return Finding.of("group_tells", Verdict.WARN, n_affected=n_found)(
        "{n} time all users with one value of {columns} have a kind of event that at most half of the "
        "others have: the value gives it away of {found}. Chance gives {chance}.",
        "{n} times all users with one value of {columns} have a kind of event that at most half of the "
        "others have: the value gives it away of {found}. Chance gives {chance}.",
        n=n_cells,
        columns=", ".join(name for name, each in zip(of_columns, told, strict=True) if each.any()),
        found=share_of(n_found, rows.n_users, "users"),
        chance=percent(chance),
    )


def _all_but_few(rows: _Rows, of_columns: Mapping[str, _Groups]) -> Finding | None:
    k = rows.anonymized.rule.k
    few = {name: each.all_but_few(k) for name, each in of_columns.items()}
    n_few = sum(int(np.count_nonzero(each)) for each in few.values())
    if not n_few:
        return None
    return Finding.of("group_all_but_few", Verdict.WARN, n_affected=n_few)(
        "{n} time all but fewer than {k} users with one value of {columns} have a kind of event, and another "
        "kind tells how many they are: whoever has it not is one of fewer than {k}.",
        "{n} times all but fewer than {k} users with one value of {columns} have a kind of event, and "
        "another kind tells how many they are: whoever has it not is one of fewer than {k}.",
        n=n_few,
        columns=", ".join(name for name, each in few.items() if each.any()),
        k=k,
    )


def _refilled_finding(rows: _Rows) -> Finding | None:
    """Say where the other rows of a pseudonym give coarser values back, and k is not reached then."""
    columns, k = rows.anonymized.stages.columns, rows.anonymized.rule.k
    values, is_filled = [], np.zeros(len(rows.user), dtype=bool)
    names = []
    for place, name in enumerate(columns):
        released, before, is_fine = rows.column(place)
        filled = _filled(rows.pseudonym, released, before, is_fine)
        right = (filled != released) & (filled == before)
        names += [name] if right.any() else []
        is_filled |= right
        values.append(np.where(right, filled, released))
    if not is_filled.any():
        return None
    group = value_codes(combined_codes(values, n_records=len(rows.user)))
    pairs = sorted_distinct(group * rows.n_users + rows.user)
    few = np.bincount(pairs // rows.n_users)[group] < k
    n_found = len(sorted_distinct(rows.user[few & is_filled]))
    if not n_found:
        return None
    return Finding.of("values_given_back", Verdict.FAIL, n_affected=n_found)(
        "Other rows of the same pseudonym say {columns} where it was made coarser: so {n} user is back in a "
        "combination of fewer than {k}.",
        "Other rows of the same pseudonym say {columns} where it was made coarser: so {n} users are back in "
        "combinations of fewer than {k}.",
        n=n_found,
        columns=", ".join(names),
        k=k,
    )


def _filled(pseudonym: IntArray, released: IntArray, before: IntArray, is_fine: BoolArray) -> IntArray:
    """Return a column with the pseudonym's one fine value for coarser ones, where nearly all have one."""
    n = int(pseudonym.max()) + 1
    several = np.bincount(pseudonym, minlength=n) > 1
    is_constant = _one_value(pseudonym, before, n) >= 0
    if np.count_nonzero(several & is_constant) < max(_CONSTANT * np.count_nonzero(several), 1):
        return released
    fine = _one_value(pseudonym[is_fine], released[is_fine], n)[pseudonym]
    return np.where(~is_fine & (fine >= 0), fine, released)


def _one_value(pseudonym: IntArray, values: IntArray, n: int) -> IntArray:
    """Return shape (n,): the one value of each pseudonym, -1 where it has none or several."""
    lowest, highest = np.full(n, values.max(initial=-1) + 1), np.full(n, -1)
    np.minimum.at(lowest, pseudonym, values)
    np.maximum.at(highest, pseudonym, values)
    return np.where(lowest == highest, highest, -1)


def _dominated_finding(rows: _Rows) -> Finding | None:
    """Say where one user has nearly all rows of a combination, whose number is then that user's.

    The (n, k) rule with n = 1 and 90 %: Hundepool et al., Statistical Disclosure Control, 2012, 4.2.2.
    """
    pairs, n_rows = np.unique(rows.group * rows.n_users + rows.user, return_counts=True)
    group = value_codes(pairs // rows.n_users)
    most = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(most, group, n_rows)
    n_of_group, n_users = np.bincount(group, weights=n_rows), np.bincount(group)
    n_found = int(np.count_nonzero((most > _NEARLY_ALL * n_of_group) & (n_users > 1)))
    if not n_found:
        return None
    return Finding.of("dominated_counts", Verdict.WARN, n_affected=n_found)(
        "In {n} released combination one user has more than {share} of the rows: their number is nearly "
        "that user's own.",
        "In {n} released combinations one user has more than {share} of the rows: their number is nearly "
        "that user's own.",
        n=n_found,
        share=percent(_NEARLY_ALL),
    )


def _yearly_finding(rows: _Rows, place: int) -> Finding | None:
    """Say where a number goes up by one a year under one pseudonym, as an age does on a birthday.

    As often as years go by over all pseudonyms, within four standard deviations, and for most of them at no
    common day, as a school year does.
    """
    columns = rows.anonymized.stages.columns
    released, _, is_fine = rows.column(place)
    labels = rows.anonymized.stages.labels[place]
    log = rows.anonymized.measured.log
    tells_time = any(name in DERIVED_COLUMNS and name not in KIND_COLUMNS for name in columns)
    numbers = np.array([int(label) if _WHOLE.fullmatch(label) else -1 for label in labels])[released]
    if columns[place] not in log.others or not tells_time or (numbers[is_fine] < 0).any():
        return None
    days = log.calendar.days[log.kept_after_cleanup][rows.anonymized.event_is_kept]
    order = np.lexsort((days, rows.pseudonym))
    order = order[is_fine[order]]
    who, day, number = rows.pseudonym[order], days[order], numbers[order]
    same = who[1:] == who[:-1]
    change, gap = np.diff(number)[same], np.diff(day)[same]
    n_steps, expected = int(np.count_nonzero(change)), float(gap.sum()) / _YEAR
    if n_steps < _FEWEST_STEPS or np.count_nonzero(change == 1) < _CONSTANT * n_steps:
        return None
    if abs(n_steps - expected) > _DEVIATIONS * np.sqrt(expected):
        return None
    is_step = change == 1
    starts, ends = np.sort(day[:-1][same][is_step]), np.sort(day[1:][same][is_step])
    at_once = np.arange(1, len(starts) + 1) - np.searchsorted(ends, starts, "left")
    if at_once.max() > len(starts) / 2:
        return None
    return Finding.of("yearly_number", Verdict.WARN, column=columns[place], n_affected=len(starts))(
        "{column} goes up by one a year under a pseudonym, as an age does: {n} time it tells the birthday, "
        "{month} of them within a month.",
        "{column} goes up by one a year under a pseudonym, as an age does: {n} times it tells the birthday, "
        "{month} of them within a month.",
        n=len(starts),
        column=columns[place],
        month=int(np.count_nonzero(gap[is_step] <= _MONTH)),
    )
