"""A table in, an event log out: users, events and local times as codes, with what was odd about them."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, IntArray, combined_codes, value_codes
from core.errors import refuse
from core.events.mapping import OTHER_EVENT
from core.events.settings import EventSettings, check_columns
from core.events.timestamps import COUNTED, Calendar, Timestamps, parse_timestamps
from core.events.users import (
    OtherPersons,
    near_equal_users,
    numbered_users,
    one_spelling,
    persons_in_columns,
    users_called_tests,
    users_of_domains,
    users_together,
)
from core.people.roles.headers import listed_names
from core.tables import Dataset
from core.verdict import Finding, Verdict
from core.words import Text, counted, input_error, joined, listed, own, text

_FIRST_RECORD_LINE = 2
_N_LINES_NAMED = 5
_YEARS_SHARE_WEEKS = 2
_MOST_KINDS, _LONGEST_KIND = 3, 40  # kinds of events that are named, and the letters of one
_FEWEST_USERS = 5  # that have a kind of event which is named
_TIME_FORMAT_WORDS = {
    "iso": "ISO 8601 date and time",
    "year-first": "date and time with year, month and day in this order",
    "day-first": "date and time with day, month and year in this order",
    "month-first": "date and time with month, day and year in this order",
    "epoch-seconds": "time in seconds since 1970",
    "epoch-milliseconds": "time in milliseconds since 1970",
    "excel-days": "days since 1900, as Excel counts them",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class EventLog:
    """Every readable event of a file."""

    settings: EventSettings  # how it was read
    n_events_in_file: int  # records of the file, those that cannot be read included
    user_of_event: IntArray  # shape (n_events,), codes of the user and of the raw event, in file order
    users: tuple[str, ...]  # the distinct user identifiers and event names, trimmed; position is the code
    event_of_event: IntArray
    events: tuple[str, ...]
    class_of_event: IntArray  # shape (n_events,), code of the event's class in `classes`
    classes: tuple[str, ...]  # the distinct event classes that occur, in natural order
    unmapped: dict[str, int]  # events that the mapping does not name, and how many records have each
    calendar: Calendar  # local time of each event
    time_format: str  # how the timestamps were read
    # the columns that were not chosen, shape (n_events,) each, by name
    others: Mapping[str, pa.ChunkedArray] = field(repr=False)
    # other counts of persons than one for each user identifier, as spellings and columns suggest
    other_persons: tuple[OtherPersons, ...]
    findings: tuple[Finding, ...]  # what was odd about the file

    @property
    def n_events(self) -> int:
        """Return the number of readable events."""
        return len(self.user_of_event)

    @property
    def n_users(self) -> int:
        """Return the number of distinct users with a readable event."""
        return len(self.users)

    @cached_property
    def kept_after_cleanup(self) -> IntArray:
        """Return the positions of the events whose class is not left out, in file order."""
        left_out = np.array([name in self.settings.leave_out for name in self.classes], dtype=bool)
        return np.flatnonzero(~left_out[self.class_of_event])


def read_event_log(dataset: Dataset, settings: EventSettings) -> EventLog:
    """Read users, events (both compared as trimmed text) and local times of a table."""
    readable = _readable_records(dataset, settings)
    user_of_event, users = _coded(readable.user)
    near_equal = near_equal_users(pa.array(users, pa.string()))
    n_spellings = len(users)
    if near_equal is not None and settings.near_equal_users == "join":
        users, user_of_event = one_spelling(users, user_of_event)
    others = {name: readable.others[name] for name in readable.others.column_names}
    event_of_event, events = _coded(readable.event)
    class_of_event, classes, unmapped = _classified(event_of_event, events, settings)
    findings = (
        *readable.findings,
        _duplicates_finding(readable.time, user_of_event, event_of_event),
        _unmapped_finding(
            unmapped,
            settings,
            n_events=len(user_of_event),
            step=_map_these(
                unmapped, _shared_kinds(user_of_event, event_of_event, events) if unmapped else ()
            ),
        ),
        _joined_finding(n_spellings, len(users)),
        _years_finding(readable.calendar, settings),
    )
    return EventLog(
        settings=settings,
        n_events_in_file=dataset.n_records,
        user_of_event=user_of_event,
        users=users,
        event_of_event=event_of_event,
        events=events,
        class_of_event=class_of_event,
        classes=classes,
        unmapped=unmapped,
        calendar=readable.calendar,
        time_format=readable.time_format,
        others=others,
        other_persons=_other_persons(near_equal, readable, (users, user_of_event), settings),
        findings=tuple(finding for finding in findings if finding is not None),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _ReadableRecords:
    """The records that have a user, an event and a readable time, and what was odd about the others."""

    user: pa.ChunkedArray
    time: pa.ChunkedArray
    event: pa.ChunkedArray
    others: pa.Table
    calendar: Calendar
    time_format: str
    findings: tuple[Finding | None, ...]


def _readable_records(dataset: Dataset, settings: EventSettings) -> _ReadableRecords:
    _require_columns(dataset, settings)
    user, time, event = (dataset.table[name] for name in _chosen(settings))
    timestamps = parse_timestamps(time, time_format=settings.time_format)
    written = own(_TIME_FORMAT_WORDS[timestamps.time_format])
    unreadable = {
        text("no {written} in {column}", written=written, column=settings.time_column): ~timestamps.readable,
        text("no user in {column}", column=settings.user_column): _is_missing(user),
        text("no event in {column}", column=settings.event_column): _is_missing(event),
    }
    left_out = np.logical_or.reduce(list(unreadable.values()))
    _refuse_unreadable(dataset, unreadable, left_out, agreed=settings.leave_out_unreadable)
    return _ReadableRecords(
        user=_without(user, left_out),
        time=_without(time, left_out),
        event=_without(event, left_out),
        others=_without(dataset.table.drop_columns([*{*_chosen(settings)}]), left_out),
        calendar=Calendar(
            days=timestamps.days[~left_out],
            hour=timestamps.hours[~left_out],
            second=timestamps.seconds[~left_out],
        ),
        time_format=timestamps.time_format,
        findings=(
            _found_columns_finding(settings),
            _unreadable_finding(unreadable, left_out),
            _format_finding(timestamps, settings),
            _date_only_finding(timestamps),
            _zones_finding(timestamps),
        ),
    )


def _chosen(settings: EventSettings) -> tuple[str, str, str]:
    return settings.user_column, settings.time_column, settings.event_column


_Cells = TypeVar("_Cells", pa.ChunkedArray, pa.Table)


def _without(column: _Cells, left_out: BoolArray) -> _Cells:
    """Return the other cells; the column or table itself, not a copy, where none is left out."""
    return column.filter(pa.array(~left_out)) if left_out.any() else column


def _classified(
    event_of_event: IntArray, events: tuple[str, ...], settings: EventSettings
) -> tuple[IntArray, tuple[str, ...], dict[str, int]]:
    """Return the class code of each event, the classes, and how often what the mapping does not name."""
    found = [settings.mapping.classify(name) for name in events]
    classes = tuple(sorted({event_class or OTHER_EVENT for event_class in found}))
    position = {name: code for code, name in enumerate(classes)}
    codes = np.array([position[event_class or OTHER_EVENT] for event_class in found], dtype=np.int64)
    n_by_event = np.bincount(event_of_event, minlength=len(events))
    unmapped = {
        name: int(n)
        for name, n, event_class in zip(events, n_by_event, found, strict=True)
        if event_class is None
    }
    return codes[event_of_event], classes, unmapped


def _require_columns(dataset: Dataset, settings: EventSettings) -> None:
    wanted = {
        "user_column": settings.user_column,
        "time_column": settings.time_column,
        "event_column": settings.event_column,
    }
    missing = [f"{name} ({role})" for role, name in wanted.items() if name not in dataset.columns]
    if missing:
        raise input_error(
            "{file} has no column {missing}; it has {columns}. Choose the columns that hold "
            "user, time and event.",
            file=dataset.name,
            missing=", ".join(missing),
            columns=listed_names(dataset.columns),
        )
    check_columns(settings, dataset.columns)


def _is_missing(column: pa.ChunkedArray) -> BoolArray:
    blank = pc.equal(pc.utf8_trim_whitespace(column.cast(pa.string())), "")
    return cast("BoolArray", pc.fill_null(blank, True).to_numpy().astype(bool))


def _refuse_unreadable(
    dataset: Dataset, unreadable: Mapping[Text, BoolArray], left_out: BoolArray, *, agreed: bool
) -> None:
    if left_out.all():
        raise input_error(
            "{file}: the only record has no user, no event or no readable time.",
            "{file}: none of {n} records has a user, an event and a readable time.",
            n=dataset.n_records,
            file=dataset.name,
        )
    if agreed:
        return
    refuse(
        text(
            "{file}: {unreadable} of {n} record have {what} ({lines}). Correct it, or agree to leave such "
            "records out.",
            "{file}: {unreadable} of {n} records have {what} ({lines}). Correct them, or agree to leave such "
            "records out.",
            n=dataset.n_records,
            file=dataset.name,
            unreadable=int(np.count_nonzero(mask)),
            what=what,
            lines=_lines(mask),
        )
        for what, mask in unreadable.items()
        if mask.any()
    )


def _lines(mask: BoolArray) -> Text:
    """Return where the first marked records are, the header being line 1."""
    positions = np.flatnonzero(mask) + _FIRST_RECORD_LINE
    first = ", ".join(str(line) for line in positions[:_N_LINES_NAMED])
    if len(positions) > _N_LINES_NAMED:
        return text("lines {lines} and more", lines=first)
    return text("line {lines}", "lines {lines}", n=len(positions), lines=first)


def _coded(column: pa.ChunkedArray) -> tuple[IntArray, tuple[str, ...]]:
    """Return codes in order of first appearance and the trimmed values they stand for."""
    encoded = pc.dictionary_encode(pc.utf8_trim_whitespace(column.cast(pa.string())))
    encoded = encoded.combine_chunks()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, tuple(encoded.dictionary.to_pylist())


def _unreadable_finding(unreadable: Mapping[Text, BoolArray], left_out: BoolArray) -> Finding | None:
    n_left_out = int(np.count_nonzero(left_out))
    if not n_left_out:
        return None
    parts = [
        text("{found} with {what}", found=int(np.count_nonzero(mask)), what=what)
        for what, mask in unreadable.items()
        if mask.any()
    ]
    return Finding.of("unreadable_records", Verdict.WARN, n_affected=n_left_out)(
        "{left_out} of {n} record is left out as unreadable: {parts}.",
        "{left_out} of {n} records are left out as unreadable: {parts}.",
        n=len(left_out),
        left_out=n_left_out,
        parts=joined(parts, ", "),
    )


def _date_only_finding(timestamps: Timestamps) -> Finding | None:
    if not timestamps.n_without_time:
        return None
    return Finding.of("dates_without_time", Verdict.WARN, n_affected=timestamps.n_without_time)(
        "{without} of {n} timestamp is a date without a time; it counts as midnight, so hour and time "
        "period say nothing about it.",
        "{without} of {n} timestamps are a date without a time; they count as midnight, so hour and time "
        "period say nothing about them.",
        n=int(np.count_nonzero(timestamps.readable)),
        without=timestamps.n_without_time,
    )


def _zones_finding(timestamps: Timestamps) -> Finding | None:
    zones = set(timestamps.n_by_zone)
    with_utc_or_none = {"", "Z"} & zones
    if len(zones) < 2 or not with_utc_or_none:
        return None
    n_affected = sum(timestamps.n_by_zone[zone] for zone in with_utc_or_none)
    return Finding.of("mixed_time_zones", Verdict.WARN, n_affected=n_affected)(
        "{n} timestamp is in UTC or without a zone, the others with one. Each keeps the time as written, "
        "so hours of the two kinds may not mean the same part of the day.",
        "{n} timestamps are in UTC or without a zone, the others with one. Each keeps the time as "
        "written, so hours of the two kinds may not mean the same part of the day.",
    )


def _duplicates_finding(time: pa.ChunkedArray, user: IntArray, event: IntArray) -> Finding | None:
    codes = combined_codes([value_codes(time), user, event], n_records=len(user))
    n_repeated = len(codes) - pc.count_distinct(pa.array(codes)).as_py()
    if not n_repeated:
        return None
    return Finding.of("duplicate_records", Verdict.PASS, n_affected=n_repeated)(
        "{repeated} of {n} record repeat the time, user and event of another. They are kept; k counts "
        "users, so it does not rise by them.",
        "{repeated} of {n} records repeat the time, user and event of another. They are kept; k counts "
        "users, so it does not rise by them.",
        n=len(user),
        repeated=n_repeated,
    )


def _shared_kinds(user_of_event: IntArray, event_of_event: IntArray, events: Sequence[str]) -> set[str]:
    """Return the kinds of events that several users have, so that naming them tells of nobody."""
    n = int(user_of_event.max()) + 1
    pairs = np.unique(event_of_event.astype(np.int64) * n + user_of_event)
    n_users = np.bincount(pairs // n, minlength=len(events))
    return {events[int(at)] for at in np.flatnonzero(n_users >= _FEWEST_USERS)}


def _map_these(unmapped: Mapping[str, int], shared: Container[str]) -> Text:
    """Return that kinds of events need a class; those that several users have are named."""
    kinds = [kind for kind in sorted(unmapped, key=lambda kind: -unmapped[kind]) if kind in shared]
    named = [kind.replace("`", "'") for kind in kinds if len(kind) <= _LONGEST_KIND][:_MOST_KINDS]
    if not named:
        return text(
            "Add {n} kind of events to the mapping.",
            "Add {n} kinds of events to the mapping.",
            n=len(unmapped),
        )
    if rest := len(unmapped) - len(named):
        return text(
            "Give {kinds} and {n} more kind of events classes in the event mapping.",
            "Give {kinds} and {n} more kinds of events classes in the event mapping.",
            n=rest,
            kinds=listed(named),
        )
    return text("Add {kinds} to the event mapping.", kinds=listed(named))


def _unmapped_finding(
    unmapped: dict[str, int], settings: EventSettings, *, n_events: int, step: Text
) -> Finding | None:
    if not unmapped:
        return None
    n_affected, n_kinds = sum(unmapped.values()), len(unmapped)
    uses_classes = "generalized_event" in (*settings.columns, settings.sensitive)
    message = (
        "{affected} of {events}, of {kinds}, are not in the event mapping and count as {event_class}."
        if uses_classes
        else "{affected} of {events}, of {kinds}, are not in the event mapping and count as {event_class}, "
        "which the export does not show."
    )
    found = Finding.of(
        "unmapped_events", Verdict.WARN if uses_classes else Verdict.PASS, n_affected=n_affected
    )(
        message,
        affected=n_affected,
        events=counted(n_events, "event"),
        kinds=counted(n_kinds, "kind"),
        event_class=OTHER_EVENT,
    )
    return found.told(step=step)


def _joined_finding(n_spellings: int, n_users: int) -> Finding | None:
    if n_spellings == n_users:
        return None
    return Finding.of("users_joined", Verdict.PASS, n_affected=n_spellings - n_users)(
        "{n} user identifier that differs in spelling only is taken for {users}, as asked.",
        "{n} user identifiers that differ in spelling only are taken for {users}, as asked.",
        n=n_spellings,
        users=counted(n_users, "user"),
    )


def _other_persons(
    near_equal: OtherPersons | None,
    readable: _ReadableRecords,
    users: tuple[tuple[str, ...], IntArray],
    settings: EventSettings,
) -> tuple[OtherPersons, ...]:
    """Return who else may be one person; not the spellings where the person said what they are."""
    others = {name: readable.others[name] for name in readable.others.column_names}
    names, user_of_event = pa.array(users[0], pa.string()), users[1]
    found = (
        near_equal if settings.near_equal_users == "ask" else None,
        persons_in_columns(others, user_of_event),
        numbered_users(names),
        users_of_domains(names),
        users_together(user_of_event, readable.calendar.seconds),
        users_called_tests(names),
    )
    return tuple(persons for persons in found if persons is not None)


def _found_columns_finding(settings: EventSettings) -> Finding | None:
    if not settings.found_columns:
        return None
    columns = [getattr(settings, role) for role in settings.found_columns]
    words = {"time_column": text("time"), "user_column": text("user"), "event_column": text("event")}
    named = [
        text("{column} as {role}", column=f"`{column}`", role=words[role])
        for column, role in zip(columns, settings.found_columns, strict=True)
    ]
    return Finding.of("columns_found", Verdict.WARN)(
        "By the values and names of the log's columns, the audit took {named}; nobody has confirmed them.",
        named=all_of(named),
    ).told(step=text("Confirm {named}, or choose others.", named=all_of(named)))


def all_of(texts: Sequence[Text]) -> Text:
    """Return texts with "and" between them."""
    return reduce(lambda first, second: text("{first} and {second}", first=first, second=second), texts)


def _format_finding(timestamps: Timestamps, settings: EventSettings) -> Finding | None:
    if timestamps.time_format == "iso":
        return None
    confirmed = settings.time_format == timestamps.time_format
    to_confirm = not confirmed and (timestamps.is_ambiguous or timestamps.time_format in COUNTED)
    n_read = int(np.count_nonzero(timestamps.readable))
    written = own(_TIME_FORMAT_WORDS[timestamps.time_format])
    if timestamps.time_format.startswith("epoch"):
        written = text("{written} in UTC", written=written)
    found = text(
        "{n} timestamp of {column} is read as {written}.",
        "{n} timestamps of {column} are read as {written}.",
        n=n_read,
        column=settings.time_column,
        written=written,
    )
    if timestamps.has_short_years:
        found = joined([found, "Years of two digits are read as 1931 to 2030."])
    if to_confirm:
        confirm = text("Confirm it by choosing the time format {format}.", format=timestamps.time_format)
        found = joined([found, confirm])
    return Finding.of("time_format", Verdict.WARN if to_confirm else Verdict.PASS)(found)


def _years_finding(calendar: Calendar, settings: EventSettings) -> Finding | None:
    n_years = int(calendar.iso_year.max() - calendar.iso_year.min()) + 1
    separated = {"iso_year", "year"} & set(settings.columns)
    if "week_number" not in settings.columns or separated or n_years < _YEARS_SHARE_WEEKS:
        return None
    return Finding.of("weeks_of_several_years", Verdict.PASS)(
        "The log spans {n} ISO year, and week_number puts the same week of all of them together. Add "
        "iso_year to keep them apart.",
        "The log spans {n} ISO years, and week_number puts the same week of all of them together. Add "
        "iso_year to keep them apart.",
        n=n_years,
    )
