"""Event logs in XES (IEEE 1849), plain or compressed with gzip, as a table of a record an event."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from xml.parsers import expat

import pyarrow as pa

from core.errors import AuditInputError
from core.settings.reading import ReadOptions
from core.tables.model import Reading
from core.words import input_error, text

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_VALUE_TAGS = frozenset({"string", "date", "int", "float", "boolean", "id"})
_CASE = "case:"
_NAMES = ("case:concept:name", "time:timestamp", "concept:name")
LARGEST_TEXT = 4 << 30
LARGEST_RATIO, RATIO_FROM = 200, 64 << 20
MOST_EVENTS, MOST_COLUMNS, DEEPEST, LONGEST_VALUE = 10_000_000, 500, 100, 65_536
_HEAD = 4096


def is_xes(head: bytes) -> bool:
    """Return whether a file that begins so is an event log in XES, compressed or not."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
        except zlib.error:
            return False
    for encoding in ("utf-8-sig", "utf-16"):
        text = head.decode(encoding, "ignore").lower()
        if text.lstrip().startswith("<") and "<log" in text and "<html" not in text:
            return True
    return False


def read_xes(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a log event by event: attributes of events as columns, those of cases after ``case:``.

    Attributes within attributes, globals, classifiers and extensions are passed over. Nothing is
    fetched, and no entity is expanded.
    """
    log = _Log(name)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = log.start, log.end
    parser.StartDoctypeDeclHandler = log.refuse_doctype
    try:
        for chunk in _text_of(data, name=name):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise input_error(
            "{file}: the XES file is damaged or cut off in line {line}. Export it again.",
            file=name,
            line=error.lineno,
        ) from None
    return log.table(), Reading(
        format="XES", options=ReadOptions(missing_spellings=options.missing_spellings)
    )


def _text_of(data: pa.Buffer, *, name: str) -> Iterator[bytes]:
    """Yield the text in pieces; refuse what unpacks to far more than it should."""
    whole = memoryview(data)
    if bytes(whole[:2]) != _GZIP:
        if data.size > LARGEST_TEXT:
            raise _too_large(name)
        yield from (whole[start : start + _CHUNK].tobytes() for start in range(0, data.size, _CHUNK))
        return
    n_out, rest = 0, whole
    while len(rest):
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while not unpacker.eof and len(rest):
            piece, rest = rest[:_CHUNK].tobytes(), rest[_CHUNK:]
            while piece and not unpacker.eof:
                unpacked = _unpacked(unpacker, piece, name=name)
                n_out += len(unpacked)
                if n_out > LARGEST_TEXT or n_out > max(RATIO_FROM, LARGEST_RATIO * data.size):
                    raise _too_large(name)
                yield unpacked
                piece = unpacker.unconsumed_tail
        if not unpacker.eof:
            raise input_error("{file}: the gzip file is cut off. Compress or copy it again.", file=name)
        n_left = len(unpacker.unused_data) + len(rest)
        rest = whole[len(whole) - n_left :]
        if bytes(rest[:2]) != _GZIP:
            return


def _unpacked(unpacker: zlib._Decompress, piece: bytes, *, name: str) -> bytes:
    try:
        return unpacker.decompress(piece, _CHUNK)
    except zlib.error:
        raise input_error("{file}: the gzip file is damaged. Compress or copy it again.", file=name) from None


def _too_large(name: str) -> AuditInputError:
    return input_error(
        "{file}: the log unpacks to more than {ratio} times its size, or to more than {most} GiB; it is "
        "not read. Export a part of it, or as CSV or Parquet.",
        file=name,
        ratio=LARGEST_RATIO,
        most=LARGEST_TEXT >> 30,
    )


class _Log:
    """Events so far, column by column."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._path: list[str] = []
        self._case: dict[str, str] = {}
        self._event: dict[str, str] = {}
        self._columns: dict[str, list[str | None]] = {}
        self._n_events = 0
        self._handlers: dict[tuple[str, ...], Callable[[str, str], None]] = {
            ("log", "trace"): self._put_case,
            ("log", "trace", "event"): self._put_event,
            ("log", "event"): self._put_event,
        }

    def refuse_doctype(self, *_: object) -> None:
        raise input_error(
            "{file}: the XES file declares a document type, which logs do not need and attacks use; it "
            "is not read. Export it without one.",
            file=self._name,
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition("}")[2]
        if tag in _VALUE_TAGS and "key" in attributes:
            put = self._handlers.get(tuple(self._path))
            if put is not None:
                value = attributes.get("value", "")
                if len(value) > LONGEST_VALUE:
                    raise self._refused("a value is longer than {most} characters", most=LONGEST_VALUE)
                put(attributes["key"], value)
        elif tag == "trace":
            self._case = {}
        elif tag == "event":
            self._event = {}
        elif not self._path and tag != "log":
            raise self._refused("its outermost element is not a log")
        self._path.append(tag)
        if len(self._path) > DEEPEST:
            raise self._refused("its elements are nested more than {most} deep", most=DEEPEST)

    def end(self, tag: str) -> None:
        del tag
        if self._path.pop() == "event":
            self._keep_event()
        elif len(self._path) == 1:
            self._case = {}  # a trace ended: an event outside traces has no case

    def _put_case(self, key: str, value: str) -> None:
        self._case.setdefault(f"{_CASE}{key}", value)

    def _put_event(self, key: str, value: str) -> None:
        self._event.setdefault(key, value)

    def _keep_event(self) -> None:
        if self._n_events >= MOST_EVENTS:
            raise self._refused("it has more than {most} events", most=MOST_EVENTS)
        for key, value in (*self._case.items(), *self._event.items()):
            column = self._columns.get(key)
            if column is None:
                if len(self._columns) >= MOST_COLUMNS:
                    raise self._refused(
                        "its events have more than {most} different attributes", most=MOST_COLUMNS
                    )
                column = self._columns[key] = []
            column.extend([None] * (self._n_events - len(column)))
            column.append(value)
        self._n_events += 1

    def _refused(self, why: str, **values: int) -> AuditInputError:
        reason = text(why, **values)
        return input_error("{file}: the XES file is not read: {reason}.", file=self._name, reason=reason)

    def table(self) -> pa.Table:
        """Return the events; the columns that every log has come first."""
        if not self._n_events:
            raise self._refused("it has no event")
        for column in self._columns.values():
            column.extend([None] * (self._n_events - len(column)))
        first = [key for key in _NAMES if key in self._columns]
        order = [*first, *(key for key in self._columns if key not in first)]
        return pa.table({key: pa.array(self._columns[key], pa.string()) for key in order})
