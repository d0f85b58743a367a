"""JSON lines (NDJSON), such as FHIR's bulk exports: a record a line, nested values as columns."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from core.errors import AuditInputError
from core.settings.reading import ReadOptions
from core.tables.bounds import LONGEST_RECORD, check_n_columns, record_too_long
from core.tables.header import listed
from core.tables.model import Reading
from core.tables.typed import read_typed
from core.words import input_error, joined, text

_MARK = b"\xef\xbb\xbf"
_FHIR = re.compile(rb'"resourceType"\s*:')
_MOST_PROBLEMS = 5


def is_json_lines(data: pa.Buffer) -> bool:
    """Return whether a text's first line is a whole record, with another below it or of FHIR."""
    start = data.slice(0, min(data.size, LONGEST_RECORD)).to_pybytes().removeprefix(_MARK)
    line, _, rest = start.strip().partition(b"\n")
    if not line.startswith(b"{") or not line.rstrip().endswith(b"}"):
        return False
    return rest.lstrip().startswith(b"{") if rest else _FHIR.search(line) is not None


def read_json_lines(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read records, one a line in UTF-8.

    A value within another has the column of its path, as FHIRPath writes it: ``name[0].family``. Numbers
    keep their written form, ``true`` and ``false`` theirs; ``null``, an empty list or record and a key that
    a record has not are missing.

    Raises
    ------
    AuditInputError
        A line is no record, or has one key twice; all such lines are named, the first five by number.
    """
    columns: dict[str, list[str | None]] = {}
    wrong: list[int] = []
    n_records = 0
    for number, line in enumerate(_lines(data, name=name), start=1):
        if not line.strip():
            continue
        try:
            cells = _cells_of(line)
        except (ValueError, RecursionError):
            wrong.append(number)
            continue
        for column, cell in cells.items():
            kept = columns.setdefault(column, [])
            kept += [None] * (n_records - len(kept))
            kept.append(cell)
        check_n_columns(len(columns), name=name)
        n_records += 1
    if wrong:
        raise _no_records(wrong, name=name)
    if not columns:
        raise input_error("{file}: no line holds a value. Export the table with its records.", file=name)
    for kept in columns.values():
        kept.extend([None] * (n_records - len(kept)))
    table = pa.table({column: pa.array(kept, pa.large_string()) for column, kept in columns.items()})
    return read_typed(table, name=name, options=options, kind="JSON lines")


def _cells_of(line: bytes) -> dict[str, str | None]:
    """Return the cells of a record by column; ValueError where it is none or has a key or path twice."""
    record = json.loads(line, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_once)
    if not isinstance(record, dict):
        raise ValueError
    return _once(list(_cells(record)))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a record; one key twice is refused, since a reader would hide one of its values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _lines(data: pa.Buffer, *, name: str) -> Iterator[bytes]:
    whole = memoryview(data)
    start = len(_MARK) if bytes(whole[: len(_MARK)]) == _MARK else 0
    reader = pa.input_stream(pa.py_buffer(whole[start:]))
    rest = b""
    while block := reader.read(1 << 20):
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
        if len(rest) > LONGEST_RECORD:
            raise record_too_long(name)
    yield rest


def _cells(value: Any, path: str = "") -> Iterator[tuple[str, str | None]]:
    """Yield each value of a record with the path of its column."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _cells(each, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from _cells(each, f"{path}[{position}]")
    else:
        yield path, {None: None, True: "true", False: "false"}.get(value, value)


def _no_records(wrong: list[int], *, name: str) -> AuditInputError:
    problem = text(
        "{file}: line {lines} is no record in JSON, or has one key twice.",
        "{file}: {n} lines are no records in JSON, or have one key twice: {lines}.",
        n=len(wrong),
        file=name,
        lines=listed(wrong, at_most=_MOST_PROBLEMS),
    )
    return AuditInputError(joined([problem, "Write one record a line, each key once."]))
