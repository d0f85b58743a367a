"""Where the published rule is known to cry wolf: its verdict stays, and the reason stands beside it."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from core.people.roles import RoleSuggestion
from core.tabular.actions import Meaning, meaning_of
from core.tabular.measuring import TabularMeasurement
from core.tabular.rules import ColumnCheck
from core.tabular.second_opinion import SecondOpinion, SecondOpinionMeasurement
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.words import listed
from core.verdict import Verdict
from core.words import Text, counted, text


class FalseAlarm(NamedTuple):
    """Why a check of the rule that is not PASS is none to worry about, and what to do.

    What was done, in words that the rule does not know, counts as PASS beside the rule's verdict; what nobody
    has looked at yet counts as WARN.
    """

    words: str
    is_done: bool

    @property
    def verdict(self) -> Verdict:
        """Return what counts."""
        return Verdict.PASS if self.is_done else Verdict.WARN


def _done(message: str) -> FalseAlarm:
    return FalseAlarm(message, is_done=True)


def _to_look_at(message: Text | str) -> FalseAlarm:
    return FalseAlarm(message, is_done=False)


_YEARS = re.compile(r"9999s?(?:\s?[-–~]\s?9999)?[A-Za-z가-힣]{0,2}|A{1,6}\s?9999|[<>≤≥]=?\s?9999")
_MOSTLY = 0.5  # share of cells that are unchanged from which an action changed too little
_MOST_WORDS = 50  # distinct values of a column of categories
_REPEATED = 0.1  # distinct share up to which they are categories
_OF_CELLS = frozenset({"dropped", "patterns", "pseudonyms"})  # checks that ask what the cells show
_OF_THE_ORIGINAL = ("original_values_", "disguise_", "derived_", "unchanged_", "partly_unchanged_")
_KOREAN_NAMES = frozenset({"hangul_name", "hangul_name_spaced"})


def known_false_alarms(
    measured: TabularMeasurement, opinion: SecondOpinionMeasurement | None, judged: SecondOpinion | None
) -> Mapping[str, FalseAlarm]:
    """Return column to why a check of the rule that is not PASS is none to worry about.

    Of cells in which the second opinion finds the original, nothing is said to be a false alarm.
    """
    if opinion is None or judged is None:
        return {}
    seen, failed, notes = _Seen(opinion), _failed(judged), {}
    for check in measured.checks:
        explain, name = _EXPLANATIONS.get(check.check), check.anonymized_column or check.column
        if explain is None or check.status is Verdict.PASS or (name in failed and check.check in _OF_CELLS):
            continue
        if note := explain(check, seen):
            notes[name] = note
    return notes


def _failed(judged: SecondOpinion) -> frozenset[str]:
    """Return the anonymized columns in which the second opinion finds the original, in whatever form."""
    gravest = [
        finding
        for finding in judged.findings
        if finding.verdict is Verdict.FAIL and finding.check.startswith(_OF_THE_ORIGINAL)
    ]
    return frozenset(name for one in gravest for name in (one.column, *one.columns) if name)


def unrecognized_protection(
    measured: TabularMeasurement,
    opinion: SecondOpinionMeasurement | None,
    judged: SecondOpinion | None,
    notes: Mapping[str, FalseAlarm],
) -> FalseAlarm | None:
    """Return why high-risk columns count as unprotected though all were changed; None where not all were.

    A column of which most values are the original's, in whatever rows, was not changed. Where all are gone,
    or done in other words by `notes`, so is this.
    """
    if opinion is None or judged is None or not measured.unprotected_columns:
        return None
    failed = _failed(judged)
    compared = {column.original: column for column in opinion.columns}
    for name in measured.unprotected_columns:
        column, meaning = compared.get(name), meaning_of(measured.log.entries[name].action)
        if meaning in {None, Meaning.KEPT} or name in failed:
            return None
        if column is not None and (
            column.anonymized in failed
            or (column.unchanged_share or 0.0) >= _MOSTLY
            or column.n_same_values >= _MOSTLY * column.n_filled_anonymized > 0
        ):
            return None
    message = text(
        "A known false alarm of the rule: it knows its own words for protecting actions only, and the log "
        "uses others for {columns}, most of whose cells were changed. Where it is what was done, log `drop`, "
        "`pseudonymize`, `date_floor_year`, `date_floor_decade`, `region_generalize` or `mask_zip_leading`.",
        columns=listed(measured.unprotected_columns),
    )
    done = {check.column for check in measured.checks if check.check == "removed"}
    done |= {name for name, note in notes.items() if note.is_done}
    return FalseAlarm(message, is_done=done.issuperset(measured.unprotected_columns))


class _Seen:
    """What the second opinion measured, by anonymized column."""

    def __init__(self, opinion: SecondOpinionMeasurement) -> None:
        self.columns: dict[str, ColumnComparison] = {column.anonymized: column for column in opinion.columns}
        self.roles: dict[str, RoleSuggestion] = {one.column: one for one in opinion.suggestions}
        self.marks = opinion.marks


def _about_dropped(check: ColumnCheck, seen: _Seen) -> FalseAlarm | None:
    column = seen.columns.get(check.anonymized_column or "")
    if column is None:
        return None
    is_marked = not column.n_filled_anonymized and bool(seen.marks.get(column.anonymized))
    if is_marked or (column.n_distinct_anonymized == 1 and not column.n_same_values):
        words = (
            "A known false alarm of the rule: all these cells hold a mark that only says that a value was "
            "there. Leave them empty."
        )
        return FalseAlarm(words, is_done=is_marked)  # one word for all may say something of all
    return None


def _about_patterns(check: ColumnCheck, seen: _Seen) -> FalseAlarm | None:
    role = seen.roles.get(check.anonymized_column or "")
    if role is None or role.kind == "person's name" or not _KOREAN_NAMES & check.found:
        return None
    if role.n_distinct > min(_MOST_WORDS, _REPEATED * role.n_nonblank):
        return None
    return _to_look_at(
        text(
            "A known false alarm of the rule: it takes any short word in Hangul for a name, and these are "
            "{words} repeated over {records}, as categories are. Write them as codes, or judge them by eye.",
            words=counted(role.n_distinct, "word"),
            records=counted(role.n_nonblank, "record"),
        )
    )


def _about_dates(check: ColumnCheck, seen: _Seen) -> FalseAlarm | None:  # noqa: ARG001 - as every explanation
    if not check.shapes or not all(_YEARS.fullmatch(shape) for shape in check.shapes):
        return None
    return _done(
        "A known false alarm of the rule: the year alone shows no more than its first day does. Write that "
        "day, such as YYYY-01-01."
    )


def _about_removed(check: ColumnCheck, seen: _Seen) -> FalseAlarm | None:  # noqa: ARG001 - as every explanation
    if meaning_of(check.action) is not Meaning.GONE:
        return None
    return _done(
        text(
            "A known false alarm of the rule: `{action}` is logged, which says the same in a word it does "
            "not know. Log `drop`.",
            action=check.action,
        )
    )


def _about_pseudonyms(check: ColumnCheck, seen: _Seen) -> FalseAlarm | None:
    column = seen.columns.get(check.anonymized_column or "")
    if (
        column is None
        or "unlike" not in check.found
        or "few" in check.found
        or column.n_unchanged
        or column.n_same_values
    ):
        return None
    return _to_look_at(
        "A known false alarm of the rule: it knows pseudonyms by a few ways of writing, and none of these "
        "values is the original's. Check by eye that nothing of the original is in them."
    )


_EXPLANATIONS: Mapping[str, Callable[[ColumnCheck, _Seen], FalseAlarm | None]] = {
    "dropped": _about_dropped,
    "patterns": _about_patterns,
    "date_floor": _about_dates,
    "removed": _about_removed,
    "pseudonyms": _about_pseudonyms,
}
