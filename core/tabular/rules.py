"""The published rule's checks of one column; every check reads every value."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, CodedColumn, distinct_values
from core.people.patterns import PatternHits, SensitivePattern, scan_values
from core.tabular.columns import MatchedColumn, is_dropping
from core.tabular.log import DATE_FLOOR_ACTIONS, AnonymizationLog
from core.tabular.values import are_date_floors, frequent_shapes, look_like_pseudonyms, n_shared_values
from core.tabular.words import patterns_found
from core.values.cells import cells_equal
from core.verdict import Verdict
from core.words import Text, joined, percent, share_of, text

_PATTERN_LIMIT = 0.10  # share of non-blank values of a column that may hold sensitive patterns
_DIVERSE = 0.70  # distinct pseudonyms for each distinct original value, at least
_RESEMBLING = 0.90  # share of pseudonyms that look like one, at least
_CHANGED = 0.99  # share of pseudonyms that differ from the original, at least


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
    # keys of the patterns found, or what is wrong with pseudonyms: ``few``, ``unlike``, ``unchanged``
    found: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Pseudonyms:
    """What the rule counts of a pseudonymized column."""

    n_filled: int
    n_distinct: int
    n_distinct_original: int
    n_unlike: int
    n_unchanged: int
    n_compared: int
    by_row: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class ScannedColumn:
    """A column of the anonymized table with the sensitive patterns found in it."""

    cells: pa.ChunkedArray
    values: CodedColumn  # its distinct values
    hits: PatternHits  # what the patterns found
    # shape (n_values,): values with a pattern that are not the correct result of the logged date floor
    residual: BoolArray
    original: pa.Table  # where its original column is

    @property
    def n_records(self) -> int:
        """Return the number of records."""
        return self.values.n_records

    @property
    def n_filled(self) -> int:
        """Return the cells that are not blank."""
        return self.values.n_filled

    @property
    def n_residual(self) -> int:
        """Return the cells that hold a sensitive pattern, correct results of the logged date floor apart."""
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

    def residual_shapes(self) -> tuple[str, ...]:
        """Return up to three frequent shapes of cells with a pattern."""
        return frequent_shapes(self.values, self.residual)

    def wrong_dates(self, *, decade: bool) -> tuple[int, tuple[str, ...]]:
        """Return the cells that are not the first day of a year, or of a decade, and frequent shapes."""
        wrong = ~are_date_floors(self.values.values, decade=decade)
        n_wrong = self.values.n_cells(wrong)
        return n_wrong, frequent_shapes(self.values, wrong) if n_wrong else ()

    def pseudonyms(self, match: MatchedColumn) -> Pseudonyms:
        """Return what the rule counts of pseudonyms; of as many rows, those in one place belong together."""
        original, values = self.original[match.original], self.values
        before = distinct_values(original)
        by_row = len(original) == len(self.cells)
        return Pseudonyms(
            n_filled=values.n_filled,
            n_distinct=values.n_distinct,
            n_distinct_original=before.n_distinct,
            n_unlike=values.n_filled - values.n_cells(look_like_pseudonyms(values)),
            n_unchanged=int(np.count_nonzero(cells_equal(original, self.cells)))
            if by_row
            else n_shared_values(values, before),
            n_compared=values.n_filled if by_row else values.n_distinct,
            by_row=by_row,
        )


def scan_anonymized(
    column: pa.ChunkedArray, original: pa.Table, *, action: str, patterns: tuple[SensitivePattern, ...]
) -> ScannedColumn:
    """Search an anonymized column; what a date floor correctly produced is not a residual."""
    values = distinct_values(column)
    hits = scan_values(values, patterns)
    residual = hits.any_mask
    if action in DATE_FLOOR_ACTIONS and hits.masks:
        residual = residual & ~are_date_floors(values.values, decade=action == "date_floor_decade")
    return ScannedColumn(cells=column, values=values, hits=hits, residual=residual, original=original)


def check_absent(match: MatchedColumn, log: AnonymizationLog) -> ColumnCheck:
    """Judge an original column that is not in the anonymized table."""
    if log.mode == "high" or match.action == "drop":
        reason = "The column was removed: it is not in the anonymized table."
        return _result(match, "removed", Verdict.PASS, reason)
    reason = (
        "The column was removed: it is not in the anonymized table. In low mode columns are kept, and no "
        "`drop` is logged."
    )
    return _result(match, "removed", Verdict.WARN, reason)


def check_match(
    match: MatchedColumn,
    scanned: Mapping[str, ScannedColumn],
    log: AnonymizationLog,
    *,
    unnamed: Collection[str],
) -> ColumnCheck:
    """Judge an original column and what it became, which may be absent; `scanned` by anonymized column."""
    if match.original in unnamed:
        return _result(match, "unnamed", Verdict.WARN, "The column has no name and was left out.")
    if match.anonymized is None:
        return check_absent(match, log)
    return check_column(match, scanned[match.anonymized], allow_dx=log.allow_dx)


def check_column(match: MatchedColumn, scanned: ScannedColumn, *, allow_dx: bool) -> ColumnCheck:
    """Judge an anonymized column by what the log says was done to it."""
    if match.action == "keep_if_permitted_else_drop" and allow_dx:
        return _result(match, "dropped", Verdict.PASS, "The log permits keeping this column.", scanned)
    if is_dropping(match.action, allow_dx=allow_dx):
        return _check_dropped(match, scanned)
    if match.action == "pseudonymize":
        return _check_pseudonyms(match, scanned)
    if match.action in DATE_FLOOR_ACTIONS:
        return _check_date_floor(match, scanned)
    return _check_patterns(match, scanned)


def _check_dropped(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    n_left, n_records = scanned.n_filled, scanned.n_records
    if not n_left:
        reason = text("The only value is blank.", "All {n} values are blank.", n=n_records)
        return _result(match, "dropped", Verdict.PASS, reason, scanned)
    logged = "{found} values remain although `drop` is logged."
    not_permitted = "{found} values remain although keeping it is not permitted."
    return _result(
        match,
        "dropped",
        Verdict.FAIL,
        text(logged if match.action == "drop" else not_permitted, found=share_of(n_left, n_records)),
        scanned,
        n_failing=n_left,
    )


def _check_date_floor(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    decade = match.action == "date_floor_decade"
    n_wrong, shapes = scanned.wrong_dates(decade=decade)
    n_filled = scanned.n_filled
    if not n_wrong:
        right = (
            text(
                "The only non-blank value is the first day of a decade.",
                "All {n} non-blank values are the first day of a decade.",
                n=n_filled,
            )
            if decade
            else text(
                "The only non-blank value is the first day of a year.",
                "All {n} non-blank values are the first day of a year.",
                n=n_filled,
            )
        )
        return _result(match, "date_floor", Verdict.PASS, right, scanned)
    message = (
        "{found} non-blank values are not the first day of a decade; shapes: {shapes}."
        if decade
        else "{found} non-blank values are not the first day of a year; shapes: {shapes}."
    )
    return _result(
        match,
        "date_floor",
        Verdict.FAIL,
        text(message, found=share_of(n_wrong, n_filled), shapes=", ".join(shapes)),
        scanned,
        n_failing=n_wrong,
        shapes=shapes,
    )


def _check_patterns(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    n_found, n_filled = scanned.n_residual, scanned.n_filled
    if not n_found:
        reason = text("None of {filled} non-blank values holds a sensitive pattern.", filled=n_filled)
        return _result(match, "patterns", Verdict.PASS, reason, scanned)
    counts = scanned.residual_counts
    failed = n_found / n_filled > _PATTERN_LIMIT
    return _result(
        match,
        "patterns",
        Verdict.FAIL if failed else Verdict.PASS,
        text(
            "{found} non-blank values hold a sensitive pattern ({patterns}); at most {limit} may.",
            found=share_of(n_found, n_filled),
            patterns=patterns_found(counts),
            limit=percent(_PATTERN_LIMIT),
        ),
        scanned,
        n_failing=n_found,
        shapes=scanned.residual_shapes(),
        found=frozenset(counts),
    )


def _check_pseudonyms(match: MatchedColumn, scanned: ScannedColumn) -> ColumnCheck:
    counted = scanned.pseudonyms(match)
    problems = dict(_pseudonym_problems(counted))
    if problems:
        return _result(
            match,
            "pseudonyms",
            Verdict.WARN,
            joined([*problems.values()]),
            scanned,
            n_failing=max(counted.n_unlike, counted.n_unchanged if counted.by_row else 0),
            found=frozenset(problems),
        )
    return _result(
        match,
        "pseudonyms",
        Verdict.PASS,
        text(
            "Distinct pseudonyms: {pseudonyms}, for so many distinct original values: {originals}; {alike} "
            "look like pseudonyms.",
            pseudonyms=counted.n_distinct,
            originals=counted.n_distinct_original,
            alike=share_of(counted.n_filled - counted.n_unlike, counted.n_filled),
        ),
        scanned,
    )


def _pseudonym_problems(found: Pseudonyms) -> Iterator[tuple[str, Text]]:
    """Yield what is wrong with pseudonyms, by its name in a check."""
    if found.n_distinct_original and found.n_distinct / found.n_distinct_original < _DIVERSE:
        yield (
            "few",
            text(
                "Low uniqueness: distinct pseudonyms: {pseudonyms}, for so many distinct original values: "
                "{originals}; at least {limit} are asked for.",
                pseudonyms=found.n_distinct,
                originals=found.n_distinct_original,
                limit=percent(_DIVERSE),
            ),
        )
    if found.n_filled and (found.n_filled - found.n_unlike) / found.n_filled < _RESEMBLING:
        yield (
            "unlike",
            text(
                "{found} values do not resemble pseudonyms; at most {limit} may.",
                found=share_of(found.n_unlike, found.n_filled),
                limit=percent(1 - _RESEMBLING),
            ),
        )
    if found.n_compared and (found.n_compared - found.n_unchanged) / found.n_compared < _CHANGED:
        message = (
            "{found} values equal the original in the same row; at most {limit} may."
            if found.by_row
            else "{found} distinct values occur in the original; at most {limit} may."
        )
        n_and_share = share_of(found.n_unchanged, found.n_compared)
        yield "unchanged", text(message, found=n_and_share, limit=percent(1 - _CHANGED))


def _result(
    match: MatchedColumn,
    check: str,
    status: Verdict,
    reason: str,
    scanned: ScannedColumn | None = None,
    *,
    n_failing: int = 0,
    shapes: tuple[str, ...] = (),
    found: frozenset[str] = frozenset(),
) -> ColumnCheck:
    return ColumnCheck(
        column=match.original,
        anonymized_column=match.anonymized,
        semantic=match.semantic,
        action=match.action,
        check=check,
        status=status,
        reason=reason,
        n_filled=scanned.n_filled if scanned else 0,
        n_failing=n_failing,
        shapes=shapes,
        found=found,
    )
