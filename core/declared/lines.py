"""What is said of each rule: a line with its verdict, and how many persons and records are concerned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, FloatArray, IntArray
from core.declared.lists import IdMap, as_texts
from core.declared.pairing import Pair, Sheet, most_frequent
from core.declared.rules import Rule, Rules, are_among
from core.verdict import Verdict
from core.words import Text, counted, text

EPSILON = 1 / 86_400  # days; what times are rounded to
MOST_SHOWN = 10  # records that show what a line says


class Shown(NamedTuple):
    """Cells that show what a line says, of a few records, for a proof.

    Attributes
    ----------
    form
        What the proof prints of them, see :mod:`core.declared.proof`.
    table, column, original, of
        A released table and its column, and an original one and its.
    mine, theirs
        Released and original records, by number.
    days
        By which dates were moved.
    person
        The original column that says whose the records are.
    """

    form: str
    table: str
    column: str
    original: str
    of: str
    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    days: tuple[int, ...] = ()
    person: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """What is said of a rule and a column or table."""

    kind: str  # of the rule, or what is asked of every delivery: pairs, tables, rows, undeclared
    of: str  # TABLE.COL, a table, or the columns of the rule
    verdict: Verdict
    message: Text
    n_persons: int = 0  # that do not agree with the rule
    n_records: int = 0
    n_looked_at: int = 0  # records
    line: int = 0  # of the rule file
    shown: tuple[Shown, ...] = ()


@dataclass(kw_only=True, eq=False)
class Case:
    """A delivery beside its originals, records paired."""

    rules: Rules
    pairs: list[Pair]
    alone: list[Sheet]  # released tables without an original
    unreleased: list[Sheet]  # originals of which no table was released
    identifiers: pa.Array  # of persons in the originals, by the codes of `Pair.person`
    files: Sequence[str]  # names of the released files
    mapping: IdMap | None = None
    given: FloatArray | None = None  # shape (n_persons,): days by the table of shifts, NaN where none
    gone: Mapping[str, IntArray] = field(default_factory=dict)  # original records that rules take away
    # what each rule's shifts are, worked out once
    _shifts: dict[Rule, FloatArray] = field(default_factory=dict)

    def columns(self, rule: Rule) -> list[tuple[Pair, str]]:
        """Return the released columns that a rule is about and that have an original."""
        return [(pair, each) for pair in self.pairs for each in pair.columns if rule.names(pair.name, each)]

    def spoken_of(self, rule: Rule, pair: Pair, column: str) -> BoolArray:
        """Return shape (n_paired,): the records of a column that a rule speaks of, by its `where`.

        A rule without speaks of those that no other rule's `where` names.
        """
        if rule.where:
            return are_meant(rule, pair)[pair.theirs]
        return ~self.named_by_where(pair, column)

    def named_by_where(self, pair: Pair, column: str) -> BoolArray:
        """Return shape (n_paired,): the records of a column of which some rule speaks by its `where`."""
        found = np.zeros(len(pair.theirs), dtype=bool)
        for each in self.rules.rules:
            if each.where and each.names(pair.name, column):
                found |= are_meant(each, pair)[pair.theirs]
        return found

    @cached_property
    def released(self) -> list[Sheet]:
        """Return all released tables."""
        return [*(each.released for each in self.pairs), *self.alone]

    @property
    def n_persons(self) -> int:
        """Return the number of persons in the originals."""
        return len(self.identifiers)

    def shifts(self, rule: Rule, dated: Sequence[tuple[Pair, str]]) -> FloatArray:
        """Return shape (n_persons,): the days that most dates of a person were shifted by, NaN for none."""
        if self.given is not None:
            return self.given
        if rule not in self._shifts:
            owners, moved = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
            for pair, column in dated:
                owners.append(np.where(self.spoken_of(rule, pair, column), pair.persons, -1))
                moved.append(moved_by(pair, column))
            found = most_frequent(np.concatenate(owners), np.concatenate(moved))
            self._shifts[rule] = np.append(found, np.full(max(self.n_persons - len(found), 0), np.nan))
        return self._shifts[rule]


def are_meant(rule: Rule, pair: Pair) -> BoolArray:
    """Return shape (n_original,): the records that have the values of a rule's `where`; all without one."""
    found = np.ones(pair.original.n_records, dtype=bool)
    for column, values in rule.where:
        if column not in pair.original.columns:
            return np.zeros(pair.original.n_records, dtype=bool)
        cells = pair.original[column]
        found &= cells.in_records(are_among(as_texts(cells.values), values))
    return found


def shown(
    form: str,
    pair: Pair,
    column: str,
    which: BoolArray | IntArray,
    *,
    most: int = MOST_SHOWN,
    moved: FloatArray | None = None,
) -> tuple[Shown, ...]:
    """Return a few of the paired records marked in `which`, or those places; none where there are none.

    `moved`, shape (n_paired,): the days by which dates were moved.
    """
    at = (np.flatnonzero(which) if which.dtype == bool else which)[:most]
    if not len(at):
        return ()
    mine, theirs = (tuple(each[at].tolist()) for each in (pair.mine, pair.theirs))
    days = () if moved is None else tuple(round(each) for each in moved[at].tolist())
    own = pair.columns.get(pair.own or "", "")
    return (
        Shown(form, pair.name, column, pair.original.name, pair.columns[column], mine, theirs, days, own),
    )


def counts_of(place: str, *found: tuple[BoolArray, str]) -> list[Text]:
    """Return a sentence for each mask of records that holds some: of {column}, with how many as {records}."""
    return [
        text(message, column=f"`{place}`", records=counted(int(which.sum()), "record"))
        for which, message in found
        if which.any()
    ]


def moved_by(pair: Pair, column: str) -> FloatArray:
    """Return shape (n_paired,): the days from original to released dates, NaN where either says none."""
    mine, theirs = pair.days(column)
    return mine[pair.mine] - theirs[pair.theirs]


def n_different(persons: IntArray) -> int:
    """Return how many persons are named by codes, -1 for nobody."""
    return len(np.unique(persons[persons >= 0]))


def at_person(values: FloatArray, persons: IntArray) -> FloatArray:
    """Return the value of each record's person, NaN for nobody's."""
    return np.append(values, np.nan)[persons]
