"""What is looked for in which columns of the two tables, and what was found: a derivation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray, IntArray, combined_codes, some_rows
from core.comparing.numbers import Amounts, alphabetic_places, read_amounts, read_codes
from core.people.roles import Role
from core.people.roles.vocabulary import match_name
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.classes import logged_quasi_identifiers
from core.tabular.second_opinion.pair import LoggedTables, remembered
from core.tabular.settings import SecondOpinionSettings

_MOST_ROWS = 50_000  # compared of a pair of columns that the sample shows to be alike
_MOST_IN_A_SET = 200_000  # records of reordered tables whose whole columns are held against each other
_MANY_WORDS = 20  # beside numbers, more than there are units
_MOST_DATES = 6  # original columns of dates between which days are counted
_UNTIL = "until:"  # before the name of the column up to which days are counted
COARSER = 0.5  # of the original's distinct values, up to which a column was made coarser


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """An anonymized column, or several, from which an original column can be found out."""

    original: str  # the original column
    anonymized: tuple[str, ...]  # the column, or the parts of a date
    kind: str  # what was found, see `core.tabular.second_opinion.derivations`
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


def until(reading: str) -> str:
    """Return the column up to which a reading of a column of dates counts the days, "" for none."""
    return reading.removeprefix(_UNTIL) if reading.startswith(_UNTIL) else ""


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

    def is_natural(self, original: str, anonymized: str, shows: Callable[[str], bool]) -> bool:
        """Whether the anonymized column's own original, unless it is the one sought, shows the same of it."""
        own = self.stands_for.get(anonymized)
        return own is not None and own != original and shows(own)

    def identifies(self, name: str) -> bool:
        """Whether a column, by its name or the log, is a direct identifier."""
        named = match_name(name)
        by_name = named is not None and named.rule.role is Role.DIRECT_IDENTIFIER
        return by_name or is_high_risk(self.tables.log.entry(name).semantic)

    def table(self, side: str) -> pa.Table:
        """Return one of the two tables."""
        return self.tables.original if side == "original" else self.tables.anonymized

    @cached_property
    def sample(self) -> IntArray:
        """Return the sampled rows, the same of both tables."""
        return self.rows(self.settings.sample_size)

    def rows(self, most: int = _MOST_ROWS) -> IntArray:
        """Return a seeded sample of so many rows, in order."""
        return some_rows(np.random.default_rng(self.settings.seed), self.tables.n_original, most)

    @cached_property
    def n_told_apart(self) -> int:
        """Return how many records of the smaller table are compared as a set; 0 where that takes too long."""
        n = min(self.tables.n_original, self.tables.n_anonymized)
        if self.tables.order == "changed":
            return n if max(self.tables.n_original, self.tables.n_anonymized) <= _MOST_IN_A_SET else 0
        return min(n, _MOST_ROWS)

    def cells(self, side: str, name: str, *, sampled: bool) -> pa.ChunkedArray:
        """Return the cells of a column that are compared."""
        column = self.table(side)[name]
        if self.tables.order == "changed":
            return column
        rows = self.sample if sampled else self.rows()
        return column.take(pa.array(rows)) if len(rows) < len(column) else column

    def amounts(self, side: str, name: str, *, sampled: bool = False) -> Amounts | None:
        """Return a column as amounts, of the sample or of all rows that are compared."""
        return self._amounts(side, name, sampled=sampled and len(self.sample) < self.tables.n_original)

    @remembered
    def _amounts(self, side: str, name: str, *, sampled: bool) -> Amounts | None:
        return read_amounts(self.cells(side, name, sampled=sampled))

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
        by_letters = {
            "alphabet": alphabetic_places(cells),
            "small letters": alphabetic_places(pc.utf8_lower(cells)),
        }
        if side == "original" and pc.any(pc.match_substring(cells, " ")).as_py():
            by_letters["last word"] = alphabetic_places(pc.replace_substring_regex(cells, r"^.* ", ""))
        return {**by_number, **by_letters}

    @remembered
    def classes_but(self, name: str) -> IntArray:
        """Return the class of each compared row by its quasi-identifiers but one column."""
        chosen = self.settings.quasi_identifiers or logged_quasi_identifiers(self.tables)
        written = self.tables.written["anonymized"]
        codes = [written[one].codes_with_missing for one in chosen if one != name]
        return combined_codes(codes, n_records=self.tables.n_anonymized)[self.rows()]

    @cached_property
    def dates(self) -> list[str]:
        """Return the first original columns of dates."""
        read = (
            (name, self.amounts("original", name, sampled=True)) for name in self.tables.original.column_names
        )
        return [name for name, amounts in read if amounts and amounts.kind == "date"][:_MOST_DATES]

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
        own = self.tables.distinct_share("anonymized", anonymized[0])
        return Derivation(
            original=original,
            anonymized=anonymized,
            kind=kind,
            n_matched=counts[0],
            n_compared=counts[1],
            original_distinct_share=self.tables.distinct_share("original", original),
            anonymized_distinct_share=own if distinct_share is None else distinct_share,
            taken_out=self.taken_out(original),
            by_position=by_position,
            others=others,
            until=until,
            groups=groups,
        )


def _are_worded(cells: pa.ChunkedArray) -> bool:
    """Whether cells with numbers hold more words than there are units: names with a number behind them."""
    words = pc.replace_substring_regex(cells, r"[^\p{L}]+", "")
    return bool(pc.count_distinct(words).as_py() >= _MANY_WORDS)
