"""How delimited text is laid out: delimiter, header, and where the records begin."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from core.errors import AuditInputError
from core.settings.reading import ReadOptions
from core.tables.bounds import LONGEST_RECORD, check_n_columns, record_too_long
from core.tables.header import Header, header_position, name_columns, numbered_columns, without_end
from core.words import input_error, text

NO_DELIMITER = "\x1f"  # unit separator: parses a table of one column without a delimiter
PREFIX = 1 << 20
_SNIFFED_RECORDS, _LEAST_ALIKE = 200, 0.5
_SNIFFED = "\t;|,^~:"  # of two that fit alike, a comma is likelier to be part of the text
_ENDS_EMPTY = text("The header ends with a delimiter and the records do not; the empty name was left out.")
_TIME_COLON = re.compile(r"(?<=\d):(?=\d)")

# Python's own limit on a cell, 128 KiB, holds for the whole process; cells may be longer.
csv.field_size_limit((1 << 31) - 1)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a text is laid out: found in its first lines, used for all of it."""

    delimiter: str  # one character
    header: Header  # the column names
    position: int  # which of the lines that are not blank holds the names, from 0; -1 for none
    line: int  # number of the line the names begin in, from 1; 0 for none
    data_begins: int  # offset in bytes of the first line after the header
    data_line: int  # number of that line, from 1
    has_trailing: bool  # whether records end with one delimiter more than the header has


def find_layout(utf8: pa.Buffer, *, name: str, options: ReadOptions) -> Layout:
    """Return how a text is laid out, looking at as much of its beginning as it takes."""
    size = PREFIX
    while True:
        prefix = utf8.slice(0, min(size, utf8.size)).to_pybytes().decode(errors="ignore")
        whole = size >= utf8.size
        if whole or prefix.count("\n") + prefix.count("\r") > 1:  # else no line below the first has ended
            layout = _layout_of(prefix, utf8, whole=whole, name=name, options=options)
            if layout:
                return layout
        if size >= LONGEST_RECORD:
            raise record_too_long(name)
        size = min(size * 8, LONGEST_RECORD)


def _layout_of(
    prefix: str, utf8: pa.Buffer, *, whole: bool, name: str, options: ReadOptions
) -> Layout | None:
    """Return the layout, None when the prefix is too short to hold a line after the header."""
    lines = list(io.StringIO(prefix, newline=""))
    hint = _separator_hint(lines[0])
    hint_lines = int(hint is not None)
    delimiter = options.delimiter or hint
    if not delimiter:
        delimiter = _sniffed(lines, header=options.header, whole=whole) or _absent(utf8)
    records = _first_records(lines[hint_lines:], delimiter, whole=whole)
    if not records and not whole:
        return None
    position = header_position([cells for _, _, cells in records], header=options.header)
    if position + 1 >= len(records):
        if not whole:
            return None
        raise _only_header(name, n_lines=len(records), position=position)
    begins, ends, names = records[max(position, 0)]
    widths = {len(cells) for _, _, cells in records[position + 1 :]}
    n_written, names = len(names), [*without_end(names, widths)] if position >= 0 else names
    check_n_columns(len(names), name=name)
    header = name_columns(names) if position >= 0 else numbered_columns(len(names))
    if len(names) < n_written:
        header = replace(header, notes=(*header.notes, _ENDS_EMPTY))
    data_lines = hint_lines + (ends if position >= 0 else 0)
    return Layout(
        delimiter=delimiter,
        header=header,
        position=position,
        line=hint_lines + begins if position >= 0 else 0,
        data_begins=sum(len(line.encode()) for line in lines[:data_lines]),
        data_line=data_lines + 1,
        has_trailing=widths == {len(names) + 1}
        and all(not cells[-1] for _, _, cells in records[position + 1 :]),
    )


def _only_header(name: str, *, n_lines: int, position: int) -> AuditInputError:
    if position >= n_lines > 0:
        return input_error(
            "{file}: line {line} was to hold the column names, but the file has only {n} line that are "
            "not blank. Choose another line for the names.",
            "{file}: line {line} was to hold the column names, but the file has only {n} lines that are "
            "not blank. Choose another line for the names.",
            n=n_lines,
            file=name,
            line=position + 1,
        )
    return input_error(
        "{file}: the file has only a header (line {line}) and no record. Export the table with its records.",
        file=name,
        line=position + 1,
    )


def _separator_hint(line: str) -> str | None:
    """Return the delimiter that a first line such as ``sep=;`` states."""
    stripped = line.rstrip("\r\n").strip('"')
    is_hint = len(stripped) == len("sep=;") and stripped.lower().startswith("sep=")
    return stripped[-1] if is_hint and stripped.isascii() else None


def _first_records(lines: Sequence[str], delimiter: str, *, whole: bool) -> list[tuple[int, int, list[str]]]:
    """Return first line, last line and cells of the first records; a cut-off last one is left out."""
    reader = csv.reader(lines, delimiter=delimiter)
    records = []
    begins = 1
    for cells in reader:
        if cells:
            records.append((begins, reader.line_num, cells))
        begins = reader.line_num + 1
        if len(records) > _SNIFFED_RECORDS:
            break
    if not whole and records and records[-1][1] == len(lines):
        records.pop()
    return records


def _sniffed(lines: Sequence[str], *, header: str, whole: bool) -> str | None:
    """Return the delimiter that splits most of the first records like their header, None of none."""
    best, found = (False, 0.0, 1), None
    for delimiter in _SNIFFED:
        records = [cells for _, _, cells in _first_records(lines, delimiter, whole=whole)]
        given = header_position(records, header=header) if records else 0
        n_above = _n_title_lines(records) if header == "auto" else max(0, given)
        widths = [len(cells) for cells in records[n_above:]]
        widths[:1] = [len(without_end(cells, widths[1:])) for cells in records[n_above : n_above + 1]]
        if not widths or widths[0] == 1 or (delimiter == ":" and _only_in_times(lines)):
            continue
        same = sum(width in (widths[0], widths[0] + 1) for width in widths) / len(widths)
        fit = (header != "auto" or not n_above, same, widths[0])
        if same > _LEAST_ALIKE and fit > best:
            best, found = fit, delimiter
    return found


def _n_title_lines(records: Sequence[Sequence[str]]) -> int:
    """Return how many lines of one cell stand above a header and records of its length; prose is no table."""
    n_lines = next((position for position, cells in enumerate(records) if len(cells) > 1), 0)
    header = records[n_lines] if n_lines else []
    is_table = len(records) - n_lines > 1 and len({len(cells) for cells in records[n_lines:]}) == 1
    named = [name for name in header if name]
    are_names = len(set(named)) == len(named) and not any(name[0] == " " for name in named)
    return n_lines if is_table and are_names and 2 * len(named) > len(header) else 0


def _only_in_times(lines: Sequence[str]) -> bool:
    """Tell whether every colon below the header stands between digits, as in 12:30."""
    below = "".join(lines[1:])
    return len(_TIME_COLON.findall(below)) == below.count(":")


def _absent(utf8: pa.Buffer) -> str:
    """Return a delimiter that a table of one column does not hold."""
    return next(
        (delimiter for delimiter in (",", ";", "\t") if find_byte(utf8, ord(delimiter)) < 0), NO_DELIMITER
    )


def find_byte(data: pa.Buffer, byte: int) -> int:
    """Return the offset of the first such byte, -1 for none; copies nothing."""
    letters = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(letters), PREFIX):
        is_found = letters[start : start + PREFIX] == byte
        if is_found.any():
            return start + int(is_found.argmax())
    return -1
