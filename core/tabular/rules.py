"""The published rule's checks of one column; every check reads every value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.cells import cells_equal
from core.coding import BoolArray, DistinctValues, distinct_values
from core.patterns import CATALOGUE, RULE_PATTERNS, PatternHits, SensitivePattern, scan_values
from core.tabular.columns import MatchedColumn, is_dropping
from core.tabular.log import DATE_FLOOR_ACTIONS, AnonymizationLog
from core.tabular.values import (
    are_date_floors,
    frequent_shapes,
    look_like_pseudonyms,
    n_shared_values,
)
from core.tabular.words import percent, share_of
from core.verdict import Verdict

PATTERN_LIMIT = 0.10  # share of non-blank values of a column that may hold sensitive patterns
DIVERSE = 0.70  # distinct pseudonyms for each distinct original value, at least
RESEMBLING = 0.90  # share of pseudonyms that look like one, at least
CHANGED = 0.99  # share of pseudonyms that differ from the original, at least


@dataclass(frozen=True, kw_only=True)
class ColumnCheck:
    """What the rule says of one anonymized column, or of an absent or unnamed one."""

    column: str  # names in the two tables; the second is None where the column is absent
    anonymized_column: str | None
    semantic: str  # as logged; empty where nothing is
    action: str
    check: str  # machine name of the check that was made
    status: Verdict  # PASS, WARN or FAIL
    reason: str  # a sentence with counts; never a cell value
    n_filled: int = 0  # non-blank anonymized values
    n_failing: int = 0  # how many of them speak against the column
    shapes: tuple[str, ...] = ()  # up to three frequent shapes of failing values, such as ``YYYY-MM-DD``


@dataclass(frozen=True, kw_only=True, eq=False)
class ScannedColumn:
    """A column of the anonymized table with the sensitive patterns found in it."""

    values: DistinctValues  # its distinct values
    hits: PatternHits  # what the patterns found
    # shape (n_values,): values with a pattern that are not the correct result of the logged date floor
    residual: BoolArray

    @property
    def n_residual(self) -> int:
        """Return the cells that hold a sensitive pattern."""
        return self.values.n_cells(self.residual)

    @property
    def residual_records(self) -> BoolArray:
        """Return shape (n_records,): which records hold a sensitive pattern."""
        return self.values.in_records(self.residual)

    @property
    def residual_counts(self) -> Mapping[str, int]:
        """Return pattern key to the cells that hold it, patterns without any left out."""
        counts = {key: self.values.n_cells(mask & self.residual) for key, mask in self.hits.masks.items()}
        return {key: n for key, n in counts.items() if n}


def scan_anonymized(
    column: pa.ChunkedArray, *, action: str, patterns: tuple[SensitivePattern, ...] = RULE_PATTERNS
) -> ScannedColumn:
    """Search an anonymized column; what a date floor correctly produced is not a residual."""
    values = distinct_values(column)
    hits = scan_values(values, patterns)
    residual = hits.any_mask
    if action in DATE_FLOOR_ACTIONS and hits.masks:
        residual = residual & ~are_date_floors(values.values, decade=action == "date_floor_decade")
    return ScannedColumn(values=values, hits=hits, residual=residual)


def check_unnamed(match: MatchedColumn) -> ColumnCheck:
    """Warn of a column without a name, which the rule leaves out."""
    return _result(match, "unnamed", Verdict.WARN, "The column has no name and was left out.")


def check_absent(match: MatchedColumn, log: AnonymizationLog) -> ColumnCheck:
    """Judge an original column that is not in the anonymized table."""
    reason = "The column was removed: it is not in the anonymized table."
    if log.mode == "high" or match.action == "drop":
        return _result(match, "removed", Verdict.PASS, reason)
    return _result(
        match, "removed", Verdict.WARN, f"{reason} In low mode columns are kept, and no `drop` is logged."
    )


def check_column(
    match: MatchedColumn,
    original: pa.ChunkedArray,
    anonymized: pa.ChunkedArray,
    scanned: ScannedColumn,
    *,
    allow_dx: bool,
) -> ColumnCheck:
    """Judge an anonymized column by what the log says was done to it."""
    if match.action == "keep_if_permitted_else_drop" and allow_dx:
        return _result(match, "dropped", Verdict.PASS, "The log permits keeping this column.", scanned)
    if is_dropping(match.action, allow_dx=allow_dx):
        return _check_dropped(match, scanned)
    if match.action == "pseudonymize":
        return _check_pseudonyms(match, original, anonymized, scanned)
    if match.action in DATE_FLOOR_ACTIONS:
        return _check_date_floor(match, scanned)
    return _check_patterns(match, scanned)


def _check_dropped(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    n_left, n_records = scanned.values.n_filled, scanned.values.n_records
    if not n_left:
        return _result(match, "dropped", Verdict.PASS, f"All {n_records:,} values are blank.", scanned)
    told = "`drop` is logged" if match.action == "drop" else "keeping it is not permitted"
    return _result(
        match,
        "dropped",
        Verdict.FAIL,
        f"{share_of(n_left, n_records)} values remain although {told}.",
        scanned,
        n_failing=n_left,
    )


def _check_date_floor(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    decade = match.action == "date_floor_decade"
    wrong = ~are_date_floors(scanned.values.values, decade=decade)
    n_wrong, n_filled = scanned.values.n_cells(wrong), scanned.values.n_filled
    wanted = "the first day of a decade" if decade else "the first day of a year"
    if not n_wrong:
        return _result(
            match, "date_floor", Verdict.PASS, f"All {n_filled:,} non-blank values are {wanted}.", scanned
        )
    shapes = frequent_shapes(scanned.values, wrong)
    return _result(
        match,
        "date_floor",
        Verdict.FAIL,
        f"{share_of(n_wrong, n_filled)} non-blank values are not {wanted}; shapes: {', '.join(shapes)}.",
        scanned,
        n_failing=n_wrong,
        shapes=shapes,
    )


def _check_patterns(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    n_found, n_filled = scanned.n_residual, scanned.values.n_filled
    if not n_found:
        reason = f"None of {n_filled:,} non-blank values holds a sensitive pattern."
        return _result(match, "patterns", Verdict.PASS, reason, scanned)
    kinds = ", ".join(f"{CATALOGUE[key].label} {n:,}" for key, n in scanned.residual_counts.items())
    failed = n_found / n_filled > PATTERN_LIMIT
    return _result(
        match,
        "patterns",
        Verdict.FAIL if failed else Verdict.PASS,
        f"{share_of(n_found, n_filled)} non-blank values hold a sensitive pattern ({kinds}); at most "
        f"{percent(PATTERN_LIMIT)} may.",
        scanned,
        n_failing=n_found,
        shapes=frequent_shapes(scanned.values, scanned.residual),
    )


@dataclass(frozen=True, kw_only=True)
class _Pseudonyms:
    """What the rule counts of a pseudonymized column."""

    n_filled: int
    n_distinct: int
    n_distinct_original: int
    n_unlike: int
    n_unchanged: int
    n_compared: int
    by_row: bool


def _check_pseudonyms(
    match: MatchedColumn, original: pa.ChunkedArray, anonymized: pa.ChunkedArray, scanned: ScannedColumn
) -> ColumnCheck:
    counted = _count_pseudonyms(original, anonymized, scanned)
    problems = tuple(_pseudonym_problems(counted))
    if problems:
        return _result(
            match,
            "pseudonyms",
            Verdict.WARN,
            " ".join(problems),
            scanned,
            n_failing=max(counted.n_unlike, counted.n_unchanged if counted.by_row else 0),
        )
    return _result(
        match,
        "pseudonyms",
        Verdict.PASS,
        f"{counted.n_distinct:,} distinct pseudonyms stand for {counted.n_distinct_original:,} "
        "distinct original "
        f"values; {share_of(counted.n_filled - counted.n_unlike, counted.n_filled)} look like pseudonyms.",
        scanned,
    )


def _count_pseudonyms(
    original: pa.ChunkedArray, anonymized: pa.ChunkedArray, scanned: ScannedColumn
) -> _Pseudonyms:
    before = distinct_values(original)
    values = scanned.values
    n_distinct = values.n_distinct
    by_row = len(original) == len(anonymized)
    if by_row:
        n_unchanged, n_compared = int(np.count_nonzero(cells_equal(original, anonymized))), values.n_filled
    else:
        n_unchanged, n_compared = n_shared_values(values, before), n_distinct
    return _Pseudonyms(
        n_filled=values.n_filled,
        n_distinct=n_distinct,
        n_distinct_original=before.n_distinct,
        n_unlike=values.n_filled - values.n_cells(look_like_pseudonyms(values)),
        n_unchanged=n_unchanged,
        n_compared=n_compared,
        by_row=by_row,
    )


def _pseudonym_problems(found: _Pseudonyms) -> Iterator[str]:
    if found.n_distinct_original and found.n_distinct / found.n_distinct_original < DIVERSE:
        yield (
            f"Low uniqueness: {found.n_distinct:,} distinct pseudonyms stand for "
            f"{found.n_distinct_original:,} distinct original values; at least {percent(DIVERSE)} are "
            "asked for."
        )
    if found.n_filled and (found.n_filled - found.n_unlike) / found.n_filled < RESEMBLING:
        yield (
            f"{share_of(found.n_unlike, found.n_filled)} values do not resemble pseudonyms; at most "
            f"{percent(1 - RESEMBLING)} may."
        )
    if found.n_compared and (found.n_compared - found.n_unchanged) / found.n_compared < CHANGED:
        where = (
            "values equal the original in the same row"
            if found.by_row
            else "distinct values occur in the original"
        )
        yield f"{share_of(found.n_unchanged, found.n_compared)} {where}; at most {percent(1 - CHANGED)} may."


def _result(
    match: MatchedColumn,
    check: str,
    status: Verdict,
    reason: str,
    scanned: ScannedColumn | None = None,
    *,
    n_failing: int = 0,
    shapes: tuple[str, ...] = (),
) -> ColumnCheck:
    return ColumnCheck(
        column=match.original,
        anonymized_column=match.anonymized,
        semantic=match.semantic,
        action=match.action,
        check=check,
        status=status,
        reason=reason,
        n_filled=scanned.values.n_filled if scanned else 0,
        n_failing=n_failing,
        shapes=shapes,
    )
