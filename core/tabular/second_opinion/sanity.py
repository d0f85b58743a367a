"""Whether columns that the log lets through look like identifiers all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.patterns import ALL_PATTERNS, CATALOGUE, scan_column
from core.roles import Role, RoleSuggestion
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.pair import TablePair
from core.tabular.second_opinion.settings import SecondOpinionThresholds
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.words import share_of
from core.verdict import Finding, Verdict

_MUTE = frozenset({"", "other"})
_LEFT = 0.9  # share of unchanged cells from which a column was let through, whatever the log says
_SURE = 0.8  # score from which a suggestion is enough for FAIL
_DATES = frozenset({"date", "date_other"})  # dates are quasi-identifiers, which roles judge, not identifiers


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnSanity:
    """A column that the log lets through, and what it looks like.

    Attributes
    ----------
    suggestion
        Role by the column's name and values.
    semantic, action
        As logged; empty where not logged.
    patterns
        Sensitive pattern to the cells that hold it.
    n_cells
        Cells that hold at least one pattern.
    """

    suggestion: RoleSuggestion
    semantic: str
    action: str
    patterns: Mapping[str, int]
    n_cells: int


def measure_sanity(
    tables: TablePair, suggestions: Sequence[RoleSuggestion], columns: Sequence[ColumnComparison]
) -> tuple[ColumnSanity, ...]:
    """Look at every anonymized column that is let through: by the log, or whatever it says, by its cells.

    The log lets through what is ``keep`` or ``other``, or not logged at all.
    """
    left = {column.anonymized for column in columns if (column.unchanged_share or 0.0) >= _LEFT}
    entries = {pair.pair.anonymized: pair.pair for pair in tables.coded}
    found = []
    for suggestion in suggestions:
        entry = entries.get(suggestion.column)
        logged = tables.log.entries.get(suggestion.column)
        semantic = entry.semantic if entry else logged.semantic if logged else ""
        action = entry.action if entry else logged.action if logged else ""
        if not action or meaning_of(action) is Meaning.KEPT or semantic in _MUTE or suggestion.column in left:
            found.append(_sanity(tables, suggestion, semantic, action))
    return tuple(found)


def _sanity(tables: TablePair, suggestion: RoleSuggestion, semantic: str, action: str) -> ColumnSanity:
    hits = scan_column(
        tables.anonymized[suggestion.column],
        [pattern for pattern in ALL_PATTERNS if pattern.key not in _DATES],
    )
    return ColumnSanity(
        suggestion=suggestion,
        semantic=semantic,
        action=action,
        patterns=dict(hits.counts),
        n_cells=hits.n_cells,
    )


def judge_sanity(
    measured: tuple[ColumnSanity, ...],
    thresholds: SecondOpinionThresholds,  # noqa: ARG001 - as every judge
) -> list[Finding]:
    """Return findings about columns that look like direct identifiers or hold sensitive patterns."""
    return [finding for column in measured for finding in _about(column)]


def _about(column: ColumnSanity) -> list[Finding]:
    role = column.suggestion.role
    findings = []
    if role is Role.DIRECT_IDENTIFIER:
        findings.append(_looks_like_identifier(column))
    if column.n_cells and role is not Role.DIRECT_IDENTIFIER:
        findings.append(_holds_patterns(column))
    return findings


def _looks_like_identifier(column: ColumnSanity) -> Finding:
    suggestion = column.suggestion
    sure = suggestion.score >= _SURE
    return Finding(
        check="looks_like_identifier",
        verdict=Verdict.FAIL if sure else Verdict.WARN,
        message=f"`{suggestion.column}` is {_as_logged(column)} but looks like a direct identifier "
        f"({suggestion.kind}). {suggestion.reason}",
        column=suggestion.column,
        n_affected=suggestion.n_nonblank,
    )


def _holds_patterns(column: ColumnSanity) -> Finding:
    kinds = ", ".join(CATALOGUE[key].label for key in column.patterns)
    return Finding(
        check="holds_sensitive_pattern",
        verdict=Verdict.WARN,
        message=f"{share_of(column.n_cells, column.suggestion.n_nonblank)} cells of "
        f"`{column.suggestion.column}`, which is {_as_logged(column)}, hold a sensitive pattern: {kinds}.",
        column=column.suggestion.column,
        n_affected=column.n_cells,
    )


def _as_logged(column: ColumnSanity) -> str:
    if not column.semantic and not column.action:
        return "not logged"
    return f"logged as `{column.semantic or 'nothing'}` / `{column.action or 'nothing'}`"
