"""What the words of released values tell: users and other people's names, dates, addresses, numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray, sorted_distinct, value_codes
from core.events.log import EventLog, all_of
from core.events.measuring import AnonymizedEvents
from core.events.settings import KIND_COLUMNS
from core.events.users import cannot_be_respelt, folded, is_word
from core.people.free_text.names import find_names
from core.people.patterns import CATALOGUE, scan_column
from core.people.roles import columns_of_people, suggest_roles
from core.values.calendars import iso_dates
from core.values.dates import YEAR
from core.verdict import Finding, Verdict
from core.words import Text, counted, joined, own, text

_MOST_WORDS_TOGETHER = 5  # of a UUID
_WORD = re.compile(r"[^\W_]+")
_PATTERNS = (
    "email",
    "resident_number",
    "resident_number_embedded",
    "us_ssn",
    "phone",
    "phone_spaced",
    "international_phone",
    "iban",
    "emso",
)
_DATES = tuple(
    re.compile(rf"(?<!\d){form}(?!\d)")
    for form in (
        rf"(?P<year>{YEAR})(?P<sep>[-/._]?)(?P<month>\d\d)(?P=sep)(?P<day>\d\d)",
        rf"(?P<day>\d{{1,2}})(?P<sep>[-/.]) ?(?P<month>\d{{1,2}})(?P=sep) ?(?P<year>{YEAR})",
        rf"(?P<month>\d{{1,2}})(?P<sep>[-/.])(?P<day>\d{{1,2}})(?P=sep)(?P<year>{YEAR})",
    )
)
_EPOCH = re.compile(r"(?<!\d)(\d{10})(?:\d{3})?(?!\d)")
_A_YEAR = 366
_SECONDS_OF_DAY = 86_400
_FEWEST_HITS, _TIMES_CHANCE = 3, 5
_MANY_VALUES = 0.5
_FEWEST_USERS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class _Released:
    """The distinct values of a released column of words, and which events show which, -1 for none."""

    column: str
    values: tuple[str, ...]
    value_of_event: IntArray

    def counts(self, n_found: int, n_shown: int) -> dict[str, Any]:
        """Return what sentences say of values that were found and of the events that show them."""
        return {
            "column": self.column,
            "n": len(self.values),
            "found": n_found,
            "shown": n_shown,
            "events": counted(len(self.value_of_event), "exported event"),
        }


def telling_findings(anonymized: AnonymizedEvents) -> list[Finding]:
    """Return what released names, classes and cells tell of people and times beside what they are.

    Only values that are in the export are looked at. People are the users of the log, of the columns that
    are not released those in which most users have a value of their own, and whom names in texts name.
    """
    findings = []
    own_columns = anonymized.measured.log.others
    for column in anonymized.stages.columns if anonymized.event_is_kept.any() else ():
        if column in KIND_COLUMNS or column in own_columns:
            stages = anonymized.stages
            place = stages.columns.index(column)
            codes = stages.values_of_group[anonymized.group_of_event[anonymized.event_is_kept], place]
            shown = sorted_distinct(codes)
            position = np.full(len(stages.labels[place]), -1)
            position[shown] = np.arange(len(shown))
            released = _Released(
                column=column,
                values=tuple(stages.labels[place][code] for code in shown),
                value_of_event=position[codes],
            )
            findings += [
                _people_finding(anonymized, released),
                _dates_finding(anonymized, released),
                _patterns_finding(released),
            ]
    return [finding for finding in findings if finding is not None]


def _runs_of_words(value: str) -> set[str]:
    """Return the words of a value, and up to five of them with what stands between."""
    words = list(_WORD.finditer(value))
    return {
        value[words[start].start() : words[start + n].end()]
        for n in range(_MOST_WORDS_TOGETHER)
        for start in range(len(words) - n)
    }


def _people_finding(anonymized: AnonymizedEvents, released: _Released) -> Finding | None:
    pairs = [(word, n) for n, value in enumerate(released.values) for word in _runs_of_words(value)]
    if not pairs:
        return None
    named = find_names(pc.replace_substring(pa.array(released.values, pa.large_string()), "_", " ")).surely
    by_words = bool(named.any())
    sources = [text("names as people write them")] if by_words else []
    runs = pa.array([word for word, _ in pairs])
    words, as_written = folded(runs), pc.utf8_lower(runs)
    value_of_word = np.array([n for _, n in pairs])
    for source, identifiers, by_own in _people(anonymized.measured.log):
        plain = cannot_be_respelt(identifiers)
        found = pc.index_in(as_written if plain else words, identifiers if plain else folded(identifiers))
        found = found.fill_null(-1).to_numpy()
        hits = found >= 0
        hits[hits] = is_word(words.filter(pa.array(hits)))
        if by_own and not hits.any():
            hits = _hits_beyond_chance(anonymized, released, found, value_of_word)
        if hits.any():
            named[value_of_word[hits]] = True
            sources.append(source)
    if not sources:
        return None
    n_events = int(np.count_nonzero(named[released.value_of_event]))
    is_one_word = by_words and len(sources) == 1 and np.count_nonzero(named) == 1
    verdict = Verdict.WARN if is_one_word else Verdict.FAIL
    return Finding.of("people_in_values", verdict, column=released.column, n_affected=n_events)(
        "{found} of {n} released value of {column} name people, by {sources}; {shown} of {events} show "
        "them. Give these events a class in the mapping that says what happened and not to whom.",
        "{found} of {n} released values of {column} name people, by {sources}; {shown} of {events} show "
        "them. Give these events a class in the mapping that says what happened and not to whom.",
        sources=all_of(sources),
        **released.counts(int(named.sum()), n_events),
    )


def _people(log: EventLog) -> Iterator[tuple[Text, pa.Array, bool]]:
    """Return where people's identifiers stand, the identifiers, and whether they are the users."""
    users = text("the user column {column}", column=log.settings.user_column)
    yield (users, pa.array(log.users, pa.string()), True)
    if log.n_users < _FEWEST_USERS:
        return
    for name, column in log.others.items():
        values = pc.unique(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
        if len(values) < _MANY_VALUES * log.n_users:
            continue
        if _says_one_thing_of(column, log.user_of_event) and not _says_one_thing_of(
            column, log.event_of_event
        ):
            source = text("the column {column}", column=name)
            yield (source, values.drop_null().cast(pa.string()), False)


def _says_one_thing_of(column: pa.ChunkedArray, codes: IntArray) -> bool:
    """Return whether each code has one value of the column only."""
    values = value_codes(column)
    of_code = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    of_code[codes] = values
    return bool((of_code[codes] == values).all())


def _hits_beyond_chance(
    anonymized: AnonymizedEvents, released: _Released, found: IntArray, value_of_word: IntArray
) -> np.ndarray:
    """Return which numbers in values are of users who had that event, if more are than chance gives."""
    none = np.zeros(len(found), dtype=bool)
    candidates = np.flatnonzero(found >= 0)
    if not len(candidates):
        return none
    log = anonymized.measured.log
    users = anonymized.user_of_event[anonymized.event_is_kept]
    pairs = sorted_distinct(released.value_of_event * log.n_users + users)
    own = np.isin(value_of_word[candidates] * log.n_users + found[candidates], pairs)
    n_users_of_value = np.bincount(pairs // log.n_users, minlength=len(released.values))
    expected = float((n_users_of_value[value_of_word[candidates]] / log.n_users).sum())
    if int(own.sum()) < max(_FEWEST_HITS, _TIMES_CHANCE * expected):
        return none
    none[candidates[own]] = True
    return none


def _dates_finding(anonymized: AnonymizedEvents, released: _Released) -> Finding | None:
    days = anonymized.measured.log.calendar.days
    first, last = int(days.min()) - _A_YEAR, int(days.max()) + _A_YEAR
    in_numbers = iso_dates(pa.array(released.values, pa.large_string()))
    dated = np.array([_has_date(value, first, last) for value in in_numbers.to_pylist()], dtype=bool)
    if not dated.any():
        return None
    n_events = int(np.count_nonzero(dated[released.value_of_event]))
    return Finding.of("dates_in_values", Verdict.FAIL, column=released.column, n_affected=n_events)(
        "{found} of {n} released value of {column} hold a date or a time stamp of the log's years; {shown} "
        "of {events} tell their day whatever the time columns say. Map these events to classes without it.",
        "{found} of {n} released values of {column} hold a date or a time stamp of the log's years; {shown} "
        "of {events} tell their day whatever the time columns say. Map these events to classes without it.",
        **released.counts(int(dated.sum()), n_events),
    )


def _has_date(value: str, first: int, last: int) -> bool:
    """Return whether a value holds a date, or seconds since 1970, between two days."""
    for pattern in _DATES:
        for found in pattern.finditer(value):
            day = _day_number(*(int(found[part]) for part in ("year", "month", "day")))
            if day is not None and first <= day <= last:
                return True
    return any(first <= int(found[1]) // _SECONDS_OF_DAY <= last for found in _EPOCH.finditer(value))


def _day_number(year: int, month: int, day: int) -> int | None:
    try:
        return (date(year, month, day) - date(1970, 1, 1)).days
    except ValueError:
        return None


def _patterns_finding(released: _Released) -> Finding | None:
    hits = scan_column(pa.array(released.values), [CATALOGUE[key] for key in _PATTERNS])
    kinds, found = [CATALOGUE[key].label for key in hits.counts], hits.in_records()
    if not kinds:
        cells = pa.array(released.values, pa.string()).take(pa.array(released.value_of_event))
        roles = suggest_roles(pa.table({released.column: cells}))
        kinds = [each.kind for each in roles if columns_of_people([each])]
        found = np.full(len(released.values), bool(kinds))
    if not kinds:
        return None
    n_events = int(np.count_nonzero(found[released.value_of_event]))
    return Finding.of("identifiers_in_values", Verdict.FAIL, column=released.column, n_affected=n_events)(
        "{found} of {n} released value of {column} look like identifiers of people ({kinds}); {shown} of "
        "{events} show them. Map these events to classes without them.",
        "{found} of {n} released values of {column} look like identifiers of people ({kinds}); {shown} "
        "of {events} show them. Map these events to classes without them.",
        kinds=joined([own(each) for each in kinds], ", "),
        **released.counts(int(found.sum()), n_events),
    )
