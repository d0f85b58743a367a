"""Which class an event belongs to: built in, edited by the person, or read from a file."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from core.errors import AuditInputError, refuse
from core.files.named_files import bytes_at
from core.files.plain_text import parsed_json
from core.words import input_error, text

OTHER_EVENT = "other_event"
_LARGEST_MAPPING = 20_000_000  # bytes
_MOST_PROBLEMS = 20

_BUILT_IN_CLASSES = {
    "emergency_button": ("EMERGENCY_BUTTON_PRESSED",),
    "fall_detected": ("FALL_DETECTED",),
    "fall_cancelled": ("FALL_DETECTION_CANCELED",),
    "fall_idle": ("NOT_MOVING",),
    "smoke_detected": ("SMOKE_DETECTED",),
    "waterleak_detected": ("WATER_LEAK_DETECTED",),
    "measurement_event": ("MEASUREMENT_RECEIVED_VALID",),
    "power_event": (
        "BATTERY_EMPTY",
        "BATTERY_FULL",
        "BATTERY_FAILURE",
        "BATTERY_FAILURE_RESTORED",
        "MAINS_POWER_FAILED",
        "MAINS_POWER_RESTORED",
        "POWER_ON",
    ),
    "system_event": (
        "MISSING_PROTOCOL_MAPPING",
        "SUPERVISORY",
        "SUPERVISORY_RESOTRED",  # as devices spell it
        "TAMPER_DETECTED",
        "TAMPER_RESTORED",
        "SMOKE_DETECTION_RESTORED",
        "WATER_LEAK_RESTORED",
    ),
}


@dataclass(frozen=True)
class EventMapping:
    """Event names and the class of each."""

    # (event, class): the event is a whole name such as ``DEVICE.ALARM`` or the part after the dot, ``ALARM``.
    # Each event once.
    pairs: tuple[tuple[str, str], ...]

    @cached_property
    def class_of(self) -> Mapping[str, str]:
        """Return the class of each event named."""
        return MappingProxyType(dict(self.pairs))

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the distinct classes, in the order they are first named."""
        return tuple(dict.fromkeys(event_class for _, event_class in self.pairs))

    def classify(self, event: str) -> str | None:
        """Return an event's class by its whole name, else by what follows its first, else its last dot."""
        known = self.class_of
        spellings = (event, event.partition(".")[2], event.rpartition(".")[2])
        return next((known[spelling] for spelling in spellings if spelling in known), None)


BUILT_IN_MAPPING = EventMapping(
    tuple((event, event_class) for event_class, events in _BUILT_IN_CLASSES.items() for event in events)
)


def event_mapping(pairs: Iterable[tuple[str, str]]) -> EventMapping:
    """Return a mapping from (event, class) pairs, trimmed, without pairs that are blank in both.

    A half empty pair, or an event named with two classes, is an AuditInputError that tells all such lines.
    """
    trimmed = [(str(event).strip(), str(event_class).strip()) for event, event_class in pairs]
    problems: list[str] = []
    known: dict[str, str] = {}
    for line, (event, event_class) in enumerate(trimmed, start=1):
        if bool(event) != bool(event_class):
            problems.append(
                text("The event mapping's line {line} names an event or a class, not both.", line=line)
            )
        elif known.get(event, event_class) != event_class:
            problems.append(text("The event mapping's line {line} gives an event a second class.", line=line))
        elif event:
            known[event] = event_class
    if not known and not problems:
        problems.append("The event mapping names no event.")
    if len(problems) > _MOST_PROBLEMS:
        n_more = len(problems) - _MOST_PROBLEMS
        more = text("{n} more line is like these.", "{n} more lines are like these.", n=n_more)
        problems = [*problems[:_MOST_PROBLEMS], more]
    refuse(problems)
    return EventMapping(tuple(known.items()))


def read_event_mapping(source: bytes | Path) -> EventMapping:
    """Read a mapping from JSON (an object of event to class) or CSV (two columns, a header), in UTF-8."""
    data = bytes_at(source) if isinstance(source, Path) else source
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AuditInputError("The event mapping is not UTF-8 text; save it as UTF-8.") from None
    if len(data) > _LARGEST_MAPPING:
        raise input_error(
            "The event mapping has {megabytes} MB; at most {most} are read. Name each event once.",
            megabytes=round(len(data) / 1e6),
            most=round(_LARGEST_MAPPING / 1e6),
        )
    pairs = _json_pairs(content) if content.lstrip().startswith(("{", "[")) else _csv_pairs(content)
    try:
        "".join(part for pair in pairs for part in pair).encode()
    except UnicodeEncodeError:  # JSON can spell half a character
        raise AuditInputError("The event mapping holds half a character, which no event has.") from None
    return event_mapping(pairs)


def mapping_csv(mapping: EventMapping) -> bytes:
    """Return the mapping as CSV with the header ``event,generalized_event``."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows([("event", "generalized_event"), *mapping.pairs])
    return written.getvalue().encode("utf-8-sig")


def mapping_json(mapping: EventMapping) -> bytes:
    """Return the mapping as a JSON object of event to class."""
    return (json.dumps(dict(mapping.pairs), ensure_ascii=False, indent=2) + "\n").encode()


def _json_pairs(content: str) -> list[tuple[str, str]]:
    try:
        document = parsed_json(content, object_pairs_hook=lambda pairs: pairs)
    except ValueError:
        raise AuditInputError("The event mapping begins like JSON and is none; check its brackets.") from None
    if not isinstance(document, list) or not all(
        isinstance(pair, tuple) and isinstance(pair[1], str) for pair in document
    ):
        raise AuditInputError("The event mapping as JSON is an object of event to class, both text.")
    return document


def _csv_pairs(content: str) -> list[tuple[str, str]]:
    header = next(iter(content.lstrip("\r\n").splitlines()), "")
    delimiter = max(",;\t", key=header.count)
    try:
        rows = [row for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter) if any(row)]
    except csv.Error:
        rows = []
    if not rows or any(len(row) != 2 for row in rows):
        raise AuditInputError("The event mapping as CSV has two columns, event and class, and a header line.")
    return [(row[0], row[1]) for row in rows[1:]]
