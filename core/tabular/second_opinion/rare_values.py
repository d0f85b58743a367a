"""What stands out: a value that hardly anybody has, an age above 89, rows that were forgotten."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from core.chance import NO_ACCIDENT, binomial_tail
from core.coding import BoolArray
from core.people.rare_values import OldAges, RareValues, about_old, about_rare, old_ages, rare_values
from core.people.roles import Role, RoleSuggestion
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.second_opinion.persons import Persons
from core.tabular.settings import SecondOpinionThresholds
from core.values.cells import CodeArray
from core.verdict import Finding, Verdict
from core.words import share_of

_CHANGED = 0.85  # share of values that other rows have, and that were changed there
_LEFT = 0.9  # share of unchanged cells from which a column was not changed at all
_MOSTLY = 0.9  # share of the cells of a block that are as they were
_LARGEST_BLOCK = 0.5  # share of the rows
_FEWEST_ROWS, _FEW_VALUES = 5, 3
_LOSS = 4.0  # what a changed row costs a block, of what an unchanged row brings


@dataclass(frozen=True, kw_only=True)
class ForgottenRows:
    """Rows that follow each other and are as they were, in a column that was changed elsewhere."""

    original: str  # column names
    anonymized: str
    first: int  # the first and last of these rows, from 1
    last: int
    # cells among them that hold their original value or, without rows to compare, any original value
    n_unchanged: int
    is_telling: bool  # whether the column was to be gone, or half of these values differ


@dataclass(frozen=True, kw_only=True)
class Standouts:
    """All that stands out."""

    rare: tuple[RareValues, ...]
    old: tuple[OldAges, ...]
    forgotten: tuple[ForgottenRows, ...]


def measure_standouts(
    tables: LoggedTables,
    suggestions: Sequence[RoleSuggestion],
    *,
    quasi_identifiers: Collection[str],
    persons: Persons | None,
) -> Standouts:
    """Look for rare values in coarse columns but quasi-identifiers, ages above 89, and forgotten rows."""
    drawn = {pair.pair.anonymized for pair in tables.coded if pair.pair.action == "pseudonymize"}
    direct = {one.column for one in suggestions if one.role is Role.DIRECT_IDENTIFIER}
    columns = [name for name in tables.anonymized.column_names if name not in {*drawn, *direct}]
    rare = (
        rare_values(tables.written["anonymized"][name], name, None if persons is None else persons.codes)
        for name in columns
        if name not in quasi_identifiers
    )
    ages = {one.column for one in suggestions if one.kind == "age"}
    ages |= {pair.pair.anonymized for pair in tables.coded if pair.pair.semantic == "age"}
    old = (old_ages(tables.anonymized[name], name) for name in columns if name in ages)
    forgotten = (_forgotten(pair, tables, persons) for pair in tables.coded)
    return Standouts(
        rare=tuple(one for one in rare if one is not None),
        old=tuple(one for one in old if one is not None),
        forgotten=tuple(one for one in forgotten if one is not None),
    )


# --- forgotten rows


def _forgotten(pair: CodedPair, tables: LoggedTables, persons: Persons | None) -> ForgottenRows | None:
    """Return the block of rows that was left as it was, None where chance explains it."""
    if pair.anonymized is pair.original or not len(pair.anonymized):
        return None
    if tables.in_order:
        same = (pair.original == pair.anonymized) & (pair.anonymized >= 0)
    else:
        same = (pair.anonymized >= 0) & (pair.original_counts[pair.anonymized] > 0)
    n_same = int(np.count_nonzero(same))
    if not _FEWEST_ROWS <= n_same < _LEFT * len(same):
        return None
    start, end = densest_block(same)
    if not _is_no_chance(same, start, end, persons) or _is_capped(pair.anonymized, start, end):
        return None
    values = pair.anonymized[start:end][same[start:end]]
    outside = np.ones(len(same), dtype=bool)
    outside[start:end] = False
    distinct = len(np.unique(values)) >= 0.5 * len(values)
    if not distinct and not _changed_elsewhere(pair, tables, values, outside):
        return None
    return ForgottenRows(
        original=pair.pair.original,
        anonymized=pair.pair.anonymized,
        first=start + 1,
        last=end,
        n_unchanged=len(values),
        is_telling=distinct or pair.pair.entry.takes_out,
    )


def _is_no_chance(same: BoolArray, start: int, end: int, persons: Persons | None) -> bool:
    """Whether a block is a part of the rows, and so unlike the others that chance hardly made it.

    Rows of one person that follow each other are one chance.
    """
    if persons is not None:
        begins = np.concatenate([[True], np.diff(persons.codes) != 0])
        same, start, end = same[begins], *(int(begins[:at].sum()) for at in (start, end))
    n_inside = int(np.count_nonzero(same[start:end]))
    if end - start > _LARGEST_BLOCK * len(same) or n_inside < max(_FEWEST_ROWS, _MOSTLY * (end - start)):
        return False
    share = max(int(np.count_nonzero(same)) - n_inside, 1) / (len(same) - (end - start))
    return bool(len(same) * binomial_tail(n_inside, end - start, share) <= NO_ACCIDENT)


def _is_capped(anonymized: CodeArray, start: int, end: int) -> bool:
    """Whether all other rows have hardly more than one value, as where sorted numbers are capped."""
    outside = np.concatenate([anonymized[:start], anonymized[end:]])
    at_an_end = start == 0 or end == len(anonymized)
    return at_an_end and 1 <= len(np.unique(outside[outside >= 0])) <= _FEW_VALUES


def _changed_elsewhere(pair: CodedPair, tables: LoggedTables, values: CodeArray, outside: BoolArray) -> bool:
    """Whether most of the values were changed in other rows: their own rule does not leave them alone."""
    if not tables.in_order:
        return False
    changed = pair.original[outside & (pair.original != pair.anonymized)]
    return float(np.isin(values, changed).mean()) >= _CHANGED


def densest_block(hits: BoolArray) -> tuple[int, int]:
    """Return start and end of the rows whose sum is largest where a hit counts 1 and anything else costs 4.

    >>> densest_block(np.array([0, 1, 0, 0, 1, 1, 1, 1, 0, 1], dtype=bool))
    (4, 8)
    """
    sums = np.concatenate([[0.0], np.cumsum(np.where(hits, 1.0, -_LOSS))])
    lowest = np.minimum.accumulate(sums)
    end = int(np.argmax(sums - lowest))
    start = int(np.argmin(sums[: end + 1]))
    return start, end


# --- judging


def judge_standouts(
    measured: Standouts,
    thresholds: SecondOpinionThresholds,  # noqa: ARG001 - as every judge
) -> list[Finding]:
    """Return findings about rare values, old ages and forgotten rows."""
    return [
        *(_about_forgotten(one) for one in measured.forgotten),
        *(about_old(one) for one in measured.old),
        *about_rare(measured.rare),
    ]


def _about_forgotten(one: ForgottenRows) -> Finding:
    n_rows = one.last - one.first + 1
    return Finding.of(
        "forgotten_rows",
        Verdict.FAIL if one.is_telling else Verdict.WARN,
        column=one.anonymized,
        n_affected=one.n_unchanged,
    )(
        "`{column}` holds originals in rows {first} to {last}: {found} cells there, unlike in the other "
        "rows. Treat these rows as the rest.",
        first=one.first,
        last=one.last,
        found=share_of(one.n_unchanged, n_rows),
    )
