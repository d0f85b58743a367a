"""Delimited text (CSV, TSV and the like): delimiter, header, records."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from core.datasets.encodings import read_text
from core.datasets.header import (
    Header,
    header_option,
    header_position,
    listed,
    name_columns,
    numbered_columns,
)
from core.datasets.missing import missing_as_null
from core.datasets.model import DELIMITERS, Reading, ReadOptions
from core.errors import AuditInputError

_PREFIX = 1 << 20
_LARGEST_PREFIX = 1 << 26
_SNIFFED_RECORDS = 200
_LINES_NAMED = 5
_NO_DELIMITER = "\x1f"  # unit separator: parses a table of one column without a delimiter
_LARGE_TEXT = (1 << 31) - 1
_NUL, _LINE_FEED, _RETURN, _QUOTE = 0x00, 0x0A, 0x0D, 0x22

# Python's own limit on a cell, 128 KiB, holds for the whole process; cells may be longer.
csv.field_size_limit(_LARGE_TEXT)


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """How a text is laid out: found in its first lines, used for all of it.

    Attributes
    ----------
    delimiter
        One character.
    header
        The column names.
    position
        Which of the lines that are not blank holds the names, from 0; -1 for none.
    line
        Number of the line the names begin in, from 1; 0 for none.
    data_begins
        Offset in bytes of the first line after the header.
    data_line
        Number of that line, from 1.
    has_trailing
        Whether records end with one delimiter more than the header has.
    """

    delimiter: str
    header: Header
    position: int
    line: int
    data_begins: int
    data_line: int
    has_trailing: bool


def read_delimited(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read delimited text with every cell as text.

    Blank lines are no records, but for a table of one column, where they are missing cells unless
    they end the file. Quoted cells may hold delimiters, quotes (doubled) and line breaks.

    Raises
    ------
    AuditInputError
        The text is empty, has only a header, is not text, or has lines of another length.
    """
    text = read_text(data, name=name, encoding=options.encoding)
    utf8 = _without_trailing_lines(text.utf8)
    _refuse_no_text(utf8, name=name)
    layout = _layout(utf8, name=name, options=options)
    table, notes = _read_records(utf8, layout, name=name, options=options)
    resolved = replace(
        options, delimiter=layout.delimiter, encoding=text.encoding, header=header_option(layout.position)
    )
    return table, Reading(
        format="CSV",
        options=replace(resolved, sheet=None),
        detected=tuple(
            option
            for option, given in (
                ("delimiter", options.delimiter is not None),
                ("encoding", options.encoding is not None),
                ("header", options.header != "auto"),
            )
            if not given
        ),
        notes=(*layout.header.notes, *notes),
        unnamed_columns=layout.header.unnamed,
        header_line=layout.line,
    )


def _without_trailing_lines(utf8: pa.Buffer) -> pa.Buffer:
    """Return the text without the blank lines (and DOS end mark) that end it."""
    end = utf8.size
    while end:
        block = utf8.slice(max(0, end - _PREFIX), min(_PREFIX, end)).to_pybytes()
        kept = len(block.rstrip(b"\r\n\x1a"))
        end -= len(block) - kept
        if kept:
            break
    return utf8.slice(0, end)


def _refuse_no_text(utf8: pa.Buffer, *, name: str) -> None:
    if not utf8.size:
        raise AuditInputError(f"{name}: the file holds no text, only blank lines. Export the table again.")
    zero = _find(utf8, _NUL)
    if zero >= 0:
        line = _count_lines(utf8.slice(0, zero))
        raise AuditInputError(
            f"{name}: line {line:,} holds a NUL byte, so the file is binary or damaged. Export the table "
            "as CSV in UTF-8."
        )


def _find(data: pa.Buffer, byte: int) -> int:
    """Return the offset of the first such byte, -1 for none; copies nothing."""
    letters = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(letters), _PREFIX):
        is_found = letters[start : start + _PREFIX] == byte
        if is_found.any():
            return start + int(is_found.argmax())
    return -1


def _count_lines(utf8: pa.Buffer) -> int:
    """Return the number of lines, an unfinished last one included."""
    letters = np.frombuffer(utf8, dtype=np.uint8)
    n_lines = 1
    for start in range(0, len(letters), _PREFIX):
        block = letters[start : start + _PREFIX]
        n_lines += int(np.count_nonzero(block == _LINE_FEED))
        returns = np.flatnonzero(block == _RETURN) + start + 1
        n_lines += int(np.count_nonzero(letters[returns[returns < len(letters)]] != _LINE_FEED))
        n_lines += int(np.count_nonzero(returns == len(letters)))
    return n_lines


# --- layout


def _layout(utf8: pa.Buffer, *, name: str, options: ReadOptions) -> _Layout:
    size = _PREFIX
    while True:
        prefix = utf8.slice(0, min(size, utf8.size)).to_pybytes().decode(errors="ignore")
        layout = _layout_of(prefix, utf8, whole=size >= utf8.size, name=name, options=options)
        if layout:
            return layout
        size *= 8


def _layout_of(
    prefix: str, utf8: pa.Buffer, *, whole: bool, name: str, options: ReadOptions
) -> _Layout | None:
    """Return the layout, None when the prefix is too short to hold a line after the header."""
    lines = list(io.StringIO(prefix, newline=""))
    hint = _separator_hint(lines[0])
    hint_lines = int(hint is not None)
    delimiter = options.delimiter or hint or _sniffed(lines, whole=whole) or _absent(utf8)
    records = _first_records(lines[hint_lines:], delimiter, whole=whole)
    position = header_position([cells for _, _, cells in records], header=options.header)
    if position + 1 >= len(records):
        if not whole:
            return None
        raise _only_header(name, n_lines=len(records), position=position)
    begins, ends, names = records[max(position, 0)]
    header = name_columns(names) if position >= 0 else numbered_columns(len(names))
    data_lines = hint_lines + (ends if position >= 0 else 0)
    widths = {len(cells) for _, _, cells in records[position + 1 :]}
    return _Layout(
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
    if position >= n_lines:
        return AuditInputError(
            f"{name}: line {position + 1} was to hold the column names, but the file has only {n_lines} "
            f"line{'s' if n_lines > 1 else ''} that are not blank. Choose another line for the names."
        )
    return AuditInputError(
        f"{name}: the file has only a header (line {position + 1}) and no record. Export the table with "
        "its records."
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


def _sniffed(lines: Sequence[str], *, whole: bool) -> str | None:
    """Return the delimiter that splits most of the first records like their header, None of none."""
    best: tuple[float, int] = (0.5, 0)
    found = None
    for delimiter in DELIMITERS:
        widths = [len(cells) for _, _, cells in _first_records(lines, delimiter, whole=whole)]
        if not widths or widths[0] < 2:
            continue
        same = sum(width in (widths[0], widths[0] + 1) for width in widths) / len(widths)
        if (same, widths[0]) > best:
            best, found = (same, widths[0]), delimiter
    return found


def _absent(utf8: pa.Buffer) -> str:
    """Return a delimiter that a table of one column does not hold."""
    return next(
        (delimiter for delimiter in (",", ";", "\t") if _find(utf8, ord(delimiter)) < 0), _NO_DELIMITER
    )


# --- records


@dataclass
class _RaggedRows:
    """What to do with a line of another length: skip it when it holds only spaces, else stop."""

    found: bool = field(default=False)

    def __call__(self, row: arrow_csv.InvalidRow) -> str:
        if not row.text.strip(" "):
            return "skip"
        self.found = True
        return "error"


def _read_records(
    utf8: pa.Buffer, layout: _Layout, *, name: str, options: ReadOptions
) -> tuple[pa.Table, list[str]]:
    names = [*layout.header.names, *[_NO_DELIMITER] * layout.has_trailing]
    records = utf8.slice(layout.data_begins)
    ragged = _RaggedRows()
    try:
        table = _parsed(records, names, layout.delimiter, options.missing_spellings, ragged)
    except pa.ArrowInvalid:
        raise _unreadable(utf8, layout, name=name) from None
    if _find(records, _QUOTE) >= 0 and _count_lines(records) != table.num_rows:
        _refuse_open_quotes(utf8, layout, name=name)
    if not layout.has_trailing:
        return missing_as_null(table, options.missing_spellings, padded_only=True), []
    if table[_NO_DELIMITER].null_count < table.num_rows:
        raise _unreadable(utf8, replace(layout, has_trailing=False), name=name)
    table = table.drop_columns([_NO_DELIMITER])
    return missing_as_null(table, options.missing_spellings, padded_only=True), [
        "Every record ends with a delimiter; the empty column after it was left out."
    ]


def _parsed(
    records: pa.Buffer, names: Sequence[str], delimiter: str, spellings: Sequence[str], ragged: _RaggedRows
) -> pa.Table:
    """Parse records with pyarrow, giving it larger blocks while a record does not fit in one."""
    text_type = pa.string() if records.size <= _LARGE_TEXT else pa.large_string()
    block_size = _PREFIX
    has_quotes = _find(records, _QUOTE) >= 0
    while True:
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(records),
                read_options=arrow_csv.ReadOptions(column_names=list(names), block_size=block_size),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=delimiter,
                    newlines_in_values=has_quotes,
                    ignore_empty_lines=len(names) > 1,
                    invalid_row_handler=ragged,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    check_utf8=False,
                    column_types=dict.fromkeys(names, text_type),
                    null_values=["", *spellings],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            if ragged.found or "straddl" not in str(error) or block_size > records.size:
                raise
        block_size = min(block_size * 32, _LARGE_TEXT)


# --- problems


def _unreadable(utf8: pa.Buffer, layout: _Layout, *, name: str) -> AuditInputError:
    """Return what is wrong with the records: read slowly, once, to name lines."""
    n_cells = len(layout.header.names)
    n_records = n_odd = 0
    lines: list[str] = []
    widths: Counter[int] = Counter()
    for line, width in _widths(utf8, layout):
        n_records += 1
        if width != n_cells:
            n_odd += 1
            widths[width] += 1
            lines.extend([f"{line:,}"] if len(lines) < _LINES_NAMED else [])
    if not n_odd:
        return AuditInputError(f"{name}: the records cannot be told apart; check the quotation marks.")
    others = listed([str(width) for width, _ in widths.most_common()], at_most=3)
    return AuditInputError(
        f"{name}: {n_odd:,} of {n_records:,} records do not have {n_cells:,} "
        f"cell{'s' if n_cells > 1 else ''} like the header but {others} "
        f"(line{'s' if n_odd > 1 else ''} {listed(lines)}{' and more' if n_odd > _LINES_NAMED else ''}). "
        "Repair those lines, or choose another delimiter or header line."
    )


def _widths(utf8: pa.Buffer, layout: _Layout) -> Iterator[tuple[int, int]]:
    """Yield first line and number of cells of every record."""
    for line, cells in _slowly(utf8, layout, strict=False):
        if len(cells) > 1 or cells[0].strip(" "):
            yield line, len(cells)


def _slowly(utf8: pa.Buffer, layout: _Layout, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield first line and cells of every record, read by Python.

    With `strict`, a quoted cell must end where its closing quotation mark stands.
    """
    stream = io.TextIOWrapper(pa.BufferReader(utf8.slice(layout.data_begins)), encoding="utf-8", newline="")
    reader = csv.reader(stream, delimiter=layout.delimiter, strict=strict)
    begins = layout.data_line
    while True:
        try:
            cells = next(reader, None)
        except csv.Error:
            raise _OpenQuoteError(begins) from None
        if cells is None:
            return
        if cells:
            yield begins, cells
        begins = layout.data_line + reader.line_num


class _OpenQuoteError(Exception):
    """A quoted cell does not end as quoted cells do; carries the line its record begins in."""


def _refuse_open_quotes(utf8: pa.Buffer, layout: _Layout, *, name: str) -> None:
    """Raise when a cell with line breaks may be several records that one wrong quotation mark joined."""
    try:
        for _ in _slowly(utf8, layout, strict=True):
            pass
    except _OpenQuoteError as error:
        raise AuditInputError(
            f"{name}: a quotation mark that opens in the record of line {error.args[0]:,} is not closed at "
            "the end of a cell, so records may run together. Repair that line, or export the table again."
        ) from None
