"""Columns that the anonymization left as they were."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, CodedColumn, IntArray
from core.comparing.made_up import most_known_by_chance
from core.comparing.numbers import read_amounts
from core.people.roles import Role, RoleSuggestion
from core.tabular.actions import Meaning, meaning_of
from core.tabular.columns import ColumnPair, is_high_risk
from core.tabular.second_opinion.numbering import is_in_other_records
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionThresholds
from core.verdict import Finding, Verdict
from core.words import Value, own, share_of

_SWAPPED = "That is the swap that the log tells of; no other column was moved."
_READ = "Who is in the table can still be read from it."
_FEWEST, _STEPS = 20, range(1, 11)  # distinct amounts, and the steps that they are moved on by
_NO_ACCIDENT = 2  # standard deviations beyond chance
_CHANGED, _FEWEST_LEFT = 0.8, 3  # share of cells with new values, amid which so many values were left
_FEWER, _FEW = 0.5, 5  # of the records of a value, up to which some were left; records of one that is rare
_LEFT = 0.9  # share of unchanged cells from which a column is as it was: told so, and looked at no further


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnComparison:
    """How much of an original column is left in the anonymized one."""

    original: str  # column names
    anonymized: str
    semantic: str  # as logged; empty where not logged
    action: str
    # ``rows``: cells of the same row; ``values``: how often each value occurs, where the tables differ in
    # length or order; ``records``: there, where other columns show that a value's record is another now
    compared_by: Literal["rows", "values", "records"]
    n_filled_original: int  # cells that are not blank
    n_filled_anonymized: int
    n_distinct_original: int  # distinct values among them, equal as text, numbers or dates
    n_distinct_anonymized: int
    # Non-blank original cells; with fewer anonymized records, their expected number among as many original
    # records
    n_compared: int
    n_unchanged: int  # of those, the cells that are equal (rows), or whose value reappears (values)
    # Non-blank original cells whose value reappears in any row, each anonymized cell used once
    n_same_values: int
    # of `n_unchanged`, the cells whose value no other anonymized cell has: a rounded number may equal the
    # original by accident, but shares its value
    n_unchanged_alone: int
    # how many of these chance explains, where values are compared: of dates or numbers that fill their range,
    # as many reappear once all are moved on by a little
    n_alone_by_chance: float = 0.0
    # cells with a value of the original amid changed ones, though others of its kind were changed
    n_left_amid: int = 0

    @property
    def unchanged_share(self) -> float | None:
        """Return `n_unchanged` / `n_compared`; None for a column that was blank."""
        return self.n_unchanged / self.n_compared if self.n_compared else None

    @property
    def is_left(self) -> bool:
        """Whether nearly all cells are as they were, whatever the thresholds are."""
        return (self.unchanged_share or 0.0) >= _LEFT

    @property
    def holds_same_values(self) -> bool:
        """Whether nearly all values are the original's, in whatever rows."""
        return self.n_same_values >= _LEFT * self.n_compared > 0

    @property
    def distinct_share(self) -> float | None:
        """Return distinct / non-blank original cells; None for a column that was blank."""
        return self.n_distinct_original / self.n_filled_original if self.n_filled_original else None

    def is_unchanged(self, thresholds: SecondOpinionThresholds) -> bool:
        """Whether the column counts as left unchanged."""
        share = self.unchanged_share
        return share is not None and share >= thresholds.left_unchanged_share

    def is_highly_distinct(self, thresholds: SecondOpinionThresholds) -> bool:
        """Whether the column's values nearly tell its records apart."""
        share = self.distinct_share
        return share is not None and share >= thresholds.highly_distinct_share


def measure_unchanged(tables: LoggedTables) -> tuple[ColumnComparison, ...]:
    """Compare every pair of columns, in the order of the original."""
    return tuple(_comparison(pair, tables) for pair in tables.coded)


def _comparison(coded: CodedPair, tables: LoggedTables) -> ColumnComparison:
    n_filled = int(coded.original_counts.sum())
    n_compared = n_filled
    if tables.n_anonymized < tables.n_original:
        n_compared = min(
            n_filled, max(coded.n_same_values, round(n_filled * tables.n_anonymized / tables.n_original))
        )
    moved = not tables.in_order and is_in_other_records(tables, coded)
    return ColumnComparison(
        original=coded.pair.original,
        anonymized=coded.pair.anonymized,
        semantic=coded.pair.semantic,
        action=coded.pair.action,
        compared_by="rows" if tables.in_order else "records" if moved else "values",
        n_filled_original=n_filled,
        n_filled_anonymized=int(coded.anonymized_counts.sum()),
        n_distinct_original=int(np.count_nonzero(coded.original_counts)),
        n_distinct_anonymized=int(np.count_nonzero(coded.anonymized_counts)),
        n_compared=n_compared,
        n_unchanged=0 if moved else coded.n_same_row if tables.in_order else coded.n_same_values,
        n_same_values=coded.n_same_values,
        n_unchanged_alone=0 if moved else _n_alone(coded, tables),
        n_alone_by_chance=0.0 if tables.in_order else _n_alone_by_chance(coded.pair, tables),
        n_left_amid=_n_left_amid(coded, tables),
    )


def _n_left_amid(coded: CodedPair, tables: LoggedTables) -> int:
    """Return the cells that were forgotten where a column got new values.

    A word of which most records were changed, or values that few share, written as the original's are and no
    new one is: neither a stretch of values that were to stay nor two numbers that met by chance.
    """
    before, after = coded.original_counts, coded.anonymized_counts
    if after[before == 0].sum() < _CHANGED * max(after.sum(), 1):
        return 0
    column, original = tables.written["anonymized"][coded.pair.anonymized], tables.written["original"]
    shared = np.full(len(column.values), -1, dtype=np.int64)
    filled = column.codes >= 0
    shared[column.codes[filled]] = coded.anonymized[filled]
    known = shared >= 0
    is_there = known & (before[shared] > 0)
    expected = before[shared] * tables.n_anonymized / max(tables.n_original, 1)
    fewer = is_there & (after[shared] <= _FEWER * expected) & _are_without_digits(column)
    rare = is_there & (after[shared] < _FEW) & _written_otherwise(column, known & ~is_there)
    if rare.sum() < _FEWEST_LEFT or not _are_scattered(coded, original[coded.pair.original], shared[rare]):
        rare[:] = False
    left = fewer | rare
    return int(column.counts[left].sum()) if left.any() else 0


def _are_without_digits(column: CodedColumn) -> BoolArray:
    return np.asarray(pc.invert(pc.match_substring_regex(column.values, r"\d")), dtype=bool)


def _written_otherwise(column: CodedColumn, is_new: BoolArray) -> BoolArray:
    """Return which values are written as no new one is, runs of letters and of digits alike."""
    shapes = pc.replace_substring_regex(column.values, r"\p{L}+", "A")
    shapes = pc.replace_substring_regex(shapes, r"\d+", "9")
    return ~np.asarray(pc.is_in(shapes, pc.unique(shapes.filter(pa.array(is_new)))), dtype=bool)


def _are_scattered(coded: CodedPair, original: CodedColumn, left: IntArray) -> bool:
    """Whether changed values lie between those that were left, in the original's order."""
    amounts = read_amounts(original.values)
    texts = np.array(original.values.to_pylist(), dtype=object)
    order = np.argsort(texts if amounts is None else amounts.numbers, kind="stable")
    shared = np.full(len(original.values), -1, dtype=np.int64)
    filled = original.codes >= 0
    shared[original.codes[filled]] = coded.original[filled]
    is_left = np.isin(shared[order], left)
    n_runs = int(is_left[:1].sum() + (is_left[1:] & ~is_left[:-1]).sum())
    return n_runs >= max(_FEWEST_LEFT, is_left.sum() / 2)


def _n_alone(coded: CodedPair, tables: LoggedTables) -> int:
    alone = coded.anonymized_counts == 1
    if not tables.in_order:
        return int(np.count_nonzero(alone & (coded.original_counts > 0)))
    same = coded.anonymized[(coded.original == coded.anonymized) & (coded.original >= 0)]
    return int(np.count_nonzero(alone[same]))


def _n_alone_by_chance(pair: ColumnPair, tables: LoggedTables) -> float:
    """Return how many single values, moved on by a few steps or made of other words, the original has."""
    before, after = tables.written["original"][pair.original], tables.written["anonymized"][pair.anonymized]
    known, amounts = (read_amounts(one.values) for one in (before, after))
    if known is None or amounts is None:
        return most_known_by_chance(after, before)
    if len(amounts.distinct) < _FEWEST:
        return 0.0
    alone = amounts.numbers[(after.counts == 1) & ~np.isnan(amounts.numbers)]
    step = np.diff(amounts.distinct).min()
    moved = [np.isin(alone + sign * by * step, known.distinct).sum() for by in _STEPS for sign in (1, -1)]
    return float(np.mean(moved))


def judge_unchanged(
    measured: tuple[ColumnComparison, ...],
    thresholds: SecondOpinionThresholds,
    suggestions: Sequence[RoleSuggestion] = (),
) -> list[Finding]:
    """Return a finding per highly distinct column that is left, unchanged, in part or in other rows.

    A swap that the log tells of is proper where the column does not identify people, hardly any cell stayed,
    and no other column was put in other rows: two could have been moved together.
    """
    moved = [column for column in measured if _is_moved(column, thresholds)]
    identifying = {one.column for one in suggestions if one.role is Role.DIRECT_IDENTIFIER}
    findings = []
    for column in (column for column in measured if column.is_highly_distinct(thresholds)):
        if column.is_unchanged(thresholds):
            findings.append(_unchanged(column, in_part=False))
        elif _is_moved(column, thresholds):
            alone = moved == [column] and column.anonymized not in identifying
            findings.append(_reordered(column, is_proper=alone and _is_swapped(column, thresholds)))
        elif _is_partly_unchanged(column, thresholds):
            findings.append(_unchanged(column, in_part=True))
    left = (one for one in measured if one.n_left_amid and meaning_of(one.action) is not Meaning.PSEUDONYM)
    return [*findings, *(_left_amid(one, thresholds) for one in left)]


def _left_amid(column: ColumnComparison, thresholds: SecondOpinionThresholds) -> Finding:
    is_telling = column.is_highly_distinct(thresholds)
    return Finding.of(
        "left_amid_changed",
        Verdict.FAIL if is_telling else Verdict.WARN,
        column=column.anonymized,
        n_affected=column.n_left_amid,
    )(
        "{found} cells of `{column}` hold a value of the original, although nearly all others were changed: "
        "they were forgotten.",
        found=own(share_of(column.n_left_amid, column.n_filled_anonymized)),
        column=column.anonymized,
    )


def _is_partly_unchanged(column: ColumnComparison, thresholds: SecondOpinionThresholds) -> bool:
    """Whether enough values that nobody shares are as they were, and more than chance explains."""
    n, by_chance = column.n_unchanged_alone, column.n_alone_by_chance
    enough = n >= thresholds.partly_unchanged_share * column.n_compared
    return n > 0 and enough and n > by_chance + _NO_ACCIDENT * math.sqrt(by_chance)


def _is_moved(column: ColumnComparison, thresholds: SecondOpinionThresholds) -> bool:
    """Whether the values of a column are nearly all there, but in other rows."""
    kept = column.n_same_values >= thresholds.left_unchanged_share * column.n_compared > 0
    return column.compared_by != "values" and kept and not column.is_unchanged(thresholds)


def _is_swapped(column: ColumnComparison, thresholds: SecondOpinionThresholds) -> bool:
    """Whether the log tells of a swap of values that are no high risk, and nearly all were swapped."""
    told = meaning_of(column.action) is Meaning.SWAPPED and not is_high_risk(column.semantic)
    return told and column.n_unchanged < thresholds.partly_unchanged_share * column.n_compared


def _unchanged(column: ColumnComparison, *, in_part: bool) -> Finding:
    check, verdict = "unchanged_distinct_column", Verdict.FAIL
    message = (
        "`{column}` is left as it was: {found} of its cells are unchanged, and {distinct} of the "
        "original's values are distinct. Whoever knows this value of a person finds the record."
    )
    if in_part:
        check, verdict = "partly_unchanged_column", Verdict.WARN
        message = (
            "`{column}` is left as it was in part: {found} of its cells are unchanged, and {distinct} of the "
            "original's values are distinct."
        )
    return Finding.of(check, verdict, column=column.anonymized, n_affected=column.n_unchanged)(
        message, found=share_of(column.n_unchanged, column.n_compared), **_facts(column)
    )


def _reordered(column: ColumnComparison, *, is_proper: bool) -> Finding:
    return Finding.of(
        "values_in_other_rows",
        Verdict.PASS if is_proper else Verdict.WARN,
        column=column.anonymized,
        n_affected=column.n_same_values,
    )(
        "The original values of `{column}` are all but kept, in other rows: {found} reappear, and "
        "{distinct} of the original's values are distinct. {consequence}",
        found=share_of(column.n_same_values, column.n_compared),
        consequence=own(_SWAPPED if is_proper else _READ),
        **_facts(column),
    )


def _facts(column: ColumnComparison) -> dict[str, Value]:
    distinct = share_of(column.n_distinct_original, column.n_filled_original)
    return {"column": column.anonymized, "distinct": distinct}
