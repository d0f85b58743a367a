"""Whether columns that the log lets through look like identifiers all the same."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.people.patterns import ALL_PATTERNS, CATALOGUE, PatternHits, scan_values
from core.people.roles import Role, RoleSuggestion, vary_like_names
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.pair import ColumnPair, LoggedTables
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import SecondOpinionThresholds
from core.values.cells import as_numbers
from core.verdict import Finding, Verdict
from core.words import Text, joined, own, share_of, text

_MUTE = frozenset({"", "other"})
_SURE = 0.8  # score from which a suggestion is enough for FAIL
_WORDS_OF_PEOPLE = frozenset({"person's name", "postal address", "free text"})
_SHAPES = frozenset({"person's name", "national identification number", "e-mail address", "phone number"})
_DISTINCT_NAMES = 0.5  # distinct share from which words under a name's heading are names of people
_DISTINCT_NUMBERS = 0.05  # the same of numbers, which a person's many records repeat
_HANGUL_NAMES = frozenset({"hangul_name", "hangul_name_spaced"})
_DATES = frozenset({"date", "date_other"})  # dates are quasi-identifiers, which roles judge, not identifiers


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnSanity:
    """A column that the log lets through, and what it looks like."""

    suggestion: RoleSuggestion  # role by the column's name and values
    semantic: str  # as logged; empty where not logged
    action: str
    patterns: Mapping[str, int]  # sensitive pattern to the cells that hold it
    n_cells: int  # cells that hold at least one pattern
    is_protected: bool = False  # whether the log says that it was changed


def measure_sanity(
    tables: LoggedTables,
    suggestions: Sequence[RoleSuggestion],
    columns: Sequence[ColumnComparison],
    surrogates: Collection[str] = (),
) -> tuple[ColumnSanity, ...]:
    """Look at every anonymized column that is let through: by the log, or whatever it says, by its cells.

    The log lets through what is ``keep`` or ``other``, or not logged at all. Of other columns those whose
    values have the shape of names, numbers or addresses of people are looked at too. Columns of `surrogates`
    look like identifiers and identify nobody, and so do added ones that only count the rows.
    """
    left = {column.anonymized for column in columns if column.is_left}
    entries = {pair.pair.anonymized: pair.pair for pair in tables.coded}
    found = []
    for suggestion in (one for one in suggestions if one.column not in surrogates):
        entry = entries.get(suggestion.column)
        logged = tables.log.entries.get(suggestion.column)
        semantic = entry.semantic if entry else logged.semantic if logged else ""
        action = entry.action if entry else logged.action if logged else ""
        let_through = not action or meaning_of(action) is Meaning.KEPT or semantic in _MUTE
        if _only_numbers_the_rows(tables, suggestion, entry):
            continue
        if let_through or suggestion.column in left:
            found.append(_sanity(tables, suggestion, semantic, action))
        elif suggestion.from_values and suggestion.kind in _SHAPES:
            found.append(_sanity(tables, suggestion, semantic, action, is_protected=True))
    return tuple(found)


def _only_numbers_the_rows(tables: LoggedTables, suggestion: RoleSuggestion, pair: ColumnPair | None) -> bool:
    """Whether a column that was added counts the rows, in whatever order: only its order could say more."""
    if pair is not None or suggestion.role is not Role.DIRECT_IDENTIFIER:
        return False
    cells = tables.anonymized[suggestion.column]
    numbers = as_numbers(cells) if not cells.null_count else None
    if numbers is None or not len(numbers):
        return False
    return bool(np.array_equal(np.sort(numbers), np.arange(len(numbers)) + numbers.min()))


def _sanity(
    tables: LoggedTables,
    suggestion: RoleSuggestion,
    semantic: str,
    action: str,
    *,
    is_protected: bool = False,
) -> ColumnSanity:
    hits = scan_values(
        tables.written["anonymized"][suggestion.column],
        [pattern for pattern in ALL_PATTERNS if pattern.key not in _DATES],
    )
    telling = [key for key in hits.masks if _is_telling(hits, key)]
    return ColumnSanity(
        suggestion=suggestion,
        semantic=semantic,
        action=action,
        is_protected=is_protected,
        patterns={key: n for key, n in hits.counts.items() if key in telling},
        n_cells=hits.distinct.n_cells(np.logical_or.reduce([hits.masks[key] for key in telling]))
        if telling
        else 0,
    )


def _is_telling(hits: PatternHits, key: str) -> bool:
    """Return whether cells with a pattern reveal anything: Hangul words that repeat are categories."""
    if key not in _HANGUL_NAMES:
        return True
    found = hits.masks[key]
    n_words = len(pc.unique(hits.distinct.values.filter(pa.array(found))))
    return vary_like_names(n_words, hits.distinct.n_cells(found))


def judge_sanity(
    measured: tuple[ColumnSanity, ...],
    thresholds: SecondOpinionThresholds,  # noqa: ARG001 - as every judge
) -> list[Finding]:
    """Return findings about columns that look like direct identifiers or hold sensitive patterns."""
    return [finding for column in measured for finding in _about(column)]


def _about(column: ColumnSanity) -> Iterator[Finding]:
    role = column.suggestion.role
    if role is Role.DIRECT_IDENTIFIER:
        yield _looks_like_identifier(column)
    if column.n_cells and not column.is_protected and role is not Role.DIRECT_IDENTIFIER:
        yield _holds_patterns(column)


def _looks_like_identifier(column: ColumnSanity) -> Finding:
    suggestion = column.suggestion
    sure = suggestion.score >= _SURE and (suggestion.from_values or _many_and_distinct(suggestion))
    return Finding.of(
        "looks_like_identifier",
        Verdict.FAIL if sure and not column.is_protected else Verdict.WARN,
        column=suggestion.column,
        n_affected=suggestion.n_nonblank,
    )(
        "`{column}` is {logged} but looks like a direct identifier ({kind}). {reason}",
        logged=_as_logged(column),
        kind=own(suggestion.kind),
        reason=own(suggestion.reason),
    ).told(
        short=text(
            "`{column}` is {logged} but looks like a direct identifier ({kind}).",
            column=suggestion.column,
            logged=_as_logged(column),
            kind=own(suggestion.kind),
        )
    )


def _many_and_distinct(suggestion: RoleSuggestion) -> bool:
    """Return whether values that only their heading calls identifiers are enough to find people by."""
    least = _DISTINCT_NAMES if suggestion.kind in _WORDS_OF_PEOPLE else _DISTINCT_NUMBERS
    many = vary_like_names(suggestion.n_distinct, suggestion.n_nonblank)
    return many and (suggestion.distinct_share or 0.0) >= least


def _holds_patterns(column: ColumnSanity) -> Finding:
    return Finding.of(
        "holds_sensitive_pattern", Verdict.WARN, column=column.suggestion.column, n_affected=column.n_cells
    )(
        "{found} cells of `{column}`, which is {logged}, hold a sensitive pattern: {patterns}.",
        found=share_of(column.n_cells, column.suggestion.n_nonblank),
        logged=_as_logged(column),
        patterns=joined([CATALOGUE[key].label for key in column.patterns], ", "),
    )


def _as_logged(column: ColumnSanity) -> Text:
    if not column.semantic and not column.action:
        return text("not logged")
    nothing = text("nothing")
    message = "logged as `{semantic}` / `{action}`"
    return text(message, semantic=column.semantic or nothing, action=column.action or nothing)
