"""Delimited text (CSV, TSV and the like): delimiter, header, records."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from core.errors import AuditInputError
from core.settings.reading import ReadOptions
from core.tables.bounds import LONGEST_RECORD, record_too_long
from core.tables.encodings import read_text
from core.tables.header import header_option, lines_above, listed
from core.tables.hidden_contents import ABOVE, Beside, beside_of, bounded
from core.tables.layout import NO_DELIMITER, PREFIX, Layout, find_byte, find_layout
from core.tables.missing import codes_that_are_words, look_like_codes, missing_as_null
from core.tables.model import Reading
from core.words import counted, input_error, own, text

_OTHER_ENCODING = text(
    "The file is UTF-8 by its letters and was read so; the encoding asked for is of other files."
)
_LINES_NAMED = 5
WIDE_WITH_QUOTES = 8 << 20  # bytes; fewer are parsed sooner another way, and in little memory
_LARGE_TEXT = (1 << 31) - 1
WIDE = 512  # columns
_BLOCK = 16 << 20
_ROWS_AT_ONCE = 256
_NUL, _LINE_FEED, _RETURN, _QUOTE = 0x00, 0x0A, 0x0D, 0x22


def read_delimited(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read delimited text with every cell as text.

    Blank lines are no records, but for a table of one column, where they are missing cells unless
    they end the file. Quoted cells may hold delimiters, quotes (doubled) and line breaks.
    """
    decoded = read_text(data, name=name, encoding=options.encoding)
    utf8 = _without_trailing_lines(decoded.utf8)
    _refuse_no_text(utf8, name=name)
    layout = find_layout(utf8, name=name, options=options)
    table, notes = _read_records(utf8, layout, name=name, options=options)
    resolved = replace(
        options, delimiter=layout.delimiter, encoding=decoded.encoding, header=header_option(layout.position)
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
        notes=(
            *lines_above(layout.position),
            *layout.header.notes,
            *notes,
            *_doubts(table),
            *([] if decoded.is_as_asked else [_OTHER_ENCODING]),
        ),
        codes_missing=_codes_missing(utf8, layout, table, options),
        unnamed_columns=layout.header.unnamed,
        header_line=layout.line,
        beside=_above(utf8, layout),
    )


def _above(utf8: pa.Buffer, layout: Layout) -> tuple[Beside, ...]:
    """Return the lines above the column names."""
    lines = io.StringIO(utf8.slice(0, layout.data_begins).to_pybytes().decode(errors="replace"), newline="")
    return bounded([beside_of(own(ABOVE), [*lines][: max(0, layout.line - 1)], is_usual=True)])


def _codes_missing(utf8: pa.Buffer, layout: Layout, table: pa.Table, options: ReadOptions) -> tuple[str, ...]:
    """Return the columns of codes in which `NA` was taken as missing; these alone are read once more."""
    names = look_like_codes(table) if options.missing_spellings else []
    if not names:
        return ()
    all_names = [*layout.header.names, *[NO_DELIMITER] * layout.has_trailing]
    records = utf8.slice(layout.data_begins)
    written = _parsed(records, all_names, layout.delimiter, (), _RaggedRows(), only=names)
    return codes_that_are_words(written, names, options.missing_spellings)


def _without_trailing_lines(utf8: pa.Buffer) -> pa.Buffer:
    """Return the text without the blank lines (and DOS end mark) that end it."""
    end = utf8.size
    while end:
        block = utf8.slice(max(0, end - PREFIX), min(PREFIX, end)).to_pybytes()
        kept = len(block.rstrip(b"\r\n\x1a"))
        end -= len(block) - kept
        if kept:
            break
    return utf8.slice(0, end)


def _refuse_no_text(utf8: pa.Buffer, *, name: str) -> None:
    if not utf8.size:
        raise input_error(
            "{file}: the file holds no text, only blank lines. Export the table again.", file=name
        )
    zero = find_byte(utf8, _NUL)
    if zero >= 0:
        line = _count_lines(utf8.slice(0, zero))
        raise input_error(
            "{file}: line {line} holds a NUL byte, so the file is binary or damaged. Export the table as "
            "CSV in UTF-8.",
            file=name,
            line=line,
        )


def _count_lines(utf8: pa.Buffer) -> int:
    """Return the number of lines, an unfinished last one included."""
    letters = np.frombuffer(utf8, dtype=np.uint8)
    n_lines = 1
    for start in range(0, len(letters), PREFIX):
        block = letters[start : start + PREFIX]
        n_lines += int(np.count_nonzero(block == _LINE_FEED))
        returns = np.flatnonzero(block == _RETURN) + start + 1
        n_lines += int(np.count_nonzero(letters[returns[returns < len(letters)]] != _LINE_FEED))
        n_lines += int(np.count_nonzero(returns == len(letters)))
    return n_lines


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
    utf8: pa.Buffer, layout: Layout, *, name: str, options: ReadOptions
) -> tuple[pa.Table, list[str]]:
    names = [*layout.header.names, *[NO_DELIMITER] * layout.has_trailing]
    records = utf8.slice(layout.data_begins)
    ragged = _RaggedRows()
    try:
        table = _wide(utf8, layout, names, options.missing_spellings)
        if table is None:
            table = _parsed(records, names, layout.delimiter, options.missing_spellings, ragged)
    except (pa.ArrowInvalid, UnevenRecordsError):
        raise _unreadable(utf8, layout, name=name) from None
    except (_RecordTooLongError, EndlessRecordError):
        raise record_too_long(name) from None
    if find_byte(records, _QUOTE) < 0:
        _refuse_lost_records(utf8, layout, table.num_rows, name=name)
    elif _count_lines(records) != table.num_rows:
        _refuse_open_quotes(utf8, layout, name=name)
    if not layout.has_trailing:
        return missing_as_null(table, options.missing_spellings, padded_only=True), []
    if table[NO_DELIMITER].null_count < table.num_rows:
        raise _unreadable(utf8, replace(layout, has_trailing=False), name=name)
    table = table.drop_columns([NO_DELIMITER])
    return missing_as_null(table, options.missing_spellings, padded_only=True), [
        "Every record ends with a delimiter; the empty column after it was left out."
    ]


def _wide(utf8: pa.Buffer, layout: Layout, names: Sequence[str], spellings: Sequence[str]) -> pa.Table | None:
    """Read records of many columns; None where there are few, or too little text to be worth it."""
    records = utf8.slice(layout.data_begins)
    if len(names) < WIDE or _has_lone_returns(records):
        return None
    if find_byte(records, _QUOTE) < 0:
        return _wide_table(records, names, layout.delimiter, spellings)
    if records.size < WIDE_WITH_QUOTES:
        return None
    rows = (cells for _, cells in _slowly(utf8, layout, strict=False))
    return _wide_table_of_rows(rows, names, spellings)


def _refuse_lost_records(utf8: pa.Buffer, layout: Layout, n_records: int, *, name: str) -> None:
    """Raise when text without quotes was cut short: it has as many records as lines that are not blank."""
    records = utf8.slice(layout.data_begins)
    begins = range(0, records.size, PREFIX)
    pieces = (records.slice(begin, min(PREFIX, records.size - begin)) for begin in begins)
    n_lines = 1 + sum(piece.to_pybytes().count(b"\n") for piece in pieces)
    if n_records in (n_lines, 0):
        return
    n_lines = (
        _count_lines(records) if len(layout.header.names) == 1 else sum(1 for _ in _widths(utf8, layout))
    )
    if n_records < n_lines:
        raise input_error(
            "{file}: only {read} of {total} records could be read. Read the file again; if that does not "
            "help, export it again.",
            file=name,
            read=n_records,
            total=n_lines,
        )


def _doubts(table: pa.Table) -> Iterator[str]:
    """Yield notes about what may not be what the person meant."""
    if table.num_columns == 1:
        yield "Only one column was found. If the table has more, choose the delimiter."
    if n_blank := _n_blank_at_end(table):
        yield text(
            "The last record is blank in every column.",
            "The last {n} records are blank in every column.",
            n=n_blank,
        )


def _n_blank_at_end(table: pa.Table) -> int:
    """Return how many records at the end are blank: a spreadsheet exports rows nobody filled in."""
    filled = np.zeros(0, dtype=bool)
    n_looked = 0
    while n_looked < table.num_rows and not filled.any():
        n_looked = min(max(1, n_looked * 8), table.num_rows)
        tail = table.slice(table.num_rows - n_looked)
        filled = np.logical_or.reduce([column.is_valid().to_numpy() for column in tail.columns])
    return int(filled[::-1].argmax()) if filled.any() else int(table.num_rows)


def _parsed(
    records: pa.Buffer,
    names: Sequence[str],
    delimiter: str,
    spellings: Sequence[str],
    ragged: _RaggedRows,
    *,
    only: Sequence[str] | None = None,
) -> pa.Table:
    """Parse records with pyarrow, giving it larger blocks while a record does not fit in one."""
    text_type = pa.string() if records.size <= _LARGE_TEXT else pa.large_string()
    block_size = PREFIX
    has_quotes = find_byte(records, _QUOTE) >= 0
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
                    include_columns=only,
                    column_types=dict.fromkeys(names, text_type),
                    null_values=["", *spellings],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            if ragged.found or "straddl" not in str(error) or block_size > records.size:
                raise
            if block_size >= LONGEST_RECORD:
                raise _RecordTooLongError from None
        block_size = LONGEST_RECORD


def _unreadable(utf8: pa.Buffer, layout: Layout, *, name: str) -> AuditInputError:
    """Return what is wrong with the records: read slowly, once, to name lines."""
    n_cells = len(layout.header.names)
    n_records = n_odd = 0
    lines: list[int] = []
    widths: Counter[int] = Counter()
    for line, width in _widths(utf8, layout):
        n_records += 1
        if width != n_cells:
            n_odd += 1
            widths[width] += 1
            lines.extend([line] if len(lines) < _LINES_NAMED else [])
    if not n_odd:
        return input_error("{file}: the records cannot be told apart; check the quotation marks.", file=name)
    named = listed(lines)
    return input_error(
        "{file}: {odd} of {total} records do not have {cells} like the header but {others} ({lines}). "
        "Repair those lines, or choose another delimiter or header line.",
        file=name,
        odd=n_odd,
        total=n_records,
        cells=counted(n_cells, "cell"),
        others=listed([width for width, _ in widths.most_common()], at_most=3),
        lines=text("first in lines {lines}", lines=named)
        if n_odd > _LINES_NAMED
        else text("line {lines}", "lines {lines}", n=n_odd, lines=named),
    )


def _widths(utf8: pa.Buffer, layout: Layout) -> Iterator[tuple[int, int]]:
    """Yield first line and number of cells of every record."""
    for line, cells in _slowly(utf8, layout, strict=False):
        if len(cells) > 1 or cells[0].strip(" "):
            yield line, len(cells)


def _slowly(utf8: pa.Buffer, layout: Layout, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield first line and cells of every record, read by Python; `strict`: no text behind quoted cells."""
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


class _RecordTooLongError(Exception):
    """A record does not end within the largest block."""


class _OpenQuoteError(Exception):
    """A quoted cell does not end as quoted cells do; carries the line its record begins in."""


def _refuse_open_quotes(utf8: pa.Buffer, layout: Layout, *, name: str) -> None:
    """Raise when a cell with line breaks may be several records that one wrong quotation mark joined."""
    try:
        for _ in _slowly(utf8, layout, strict=True):
            pass
    except _OpenQuoteError as error:
        raise input_error(
            "{file}: a quotation mark that opens in the record of line {line} is not closed at the end "
            "of a cell, so records may run together. Repair that line, or export the table again.",
            file=name,
            line=error.args[0],
        ) from None


class UnevenRecordsError(Exception):
    """A record has another number of cells than there are columns."""


class EndlessRecordError(Exception):
    """A record does not end within the largest that is read."""


# Text of many columns: all cells of some records are cut out at once, and dealt to the columns. A parser that
# fills columns one by one reserves a block of text for each: with two thousand columns that is more than a
# process may take that reads a hostile file.


def _wide_table(records: pa.Buffer, names: Sequence[str], delimiter: str, nulls: Sequence[str]) -> pa.Table:
    """Read records without quotation marks."""
    return _table((_cells(block, len(names), delimiter) for block in _blocks(records)), names, nulls)


def _wide_table_of_rows(
    rows: Iterable[Sequence[str]], names: Sequence[str], nulls: Sequence[str]
) -> pa.Table:
    """Make a table of records that were taken apart already; as :func:`_wide_table` otherwise."""
    return _table(_joined(rows, len(names)), names, nulls)


def _table(blocks: Iterable[pa.Array], names: Sequence[str], nulls: Sequence[str]) -> pa.Table:
    """Deal the cells of blocks of records to the columns."""
    missing = pa.array(["", *nulls], pa.string())
    schema = pa.schema([(name, pa.string()) for name in names])
    dealt = []
    for cells in blocks:
        known = pc.if_else(pc.is_in(cells, value_set=missing), pa.scalar(None, pa.string()), cells)
        places = np.arange(0, len(known), len(names))
        columns = [known.take(pa.array(places + column)) for column in range(len(names))]
        dealt.append(pa.record_batch(columns, schema=schema))
    return pa.Table.from_batches(dealt, schema=schema)


def _blocks(records: pa.Buffer) -> Iterator[pa.Buffer]:
    """Yield the records in blocks that end with a line."""
    begin = 0
    while begin < records.size:
        end = min(begin + _BLOCK, records.size)
        if end < records.size:
            last = records.slice(begin, end - begin).to_pybytes().rfind(b"\n")
            if last < 0:
                end = min(begin + LONGEST_RECORD, records.size)
                last = records.slice(begin, end - begin).to_pybytes().find(b"\n")
                if last < 0 and end < records.size:
                    raise EndlessRecordError
            end = end if last < 0 else begin + last + 1
        yield records.slice(begin, end - begin)
        begin = end


def _cells(block: pa.Buffer, n_columns: int, delimiter: str) -> pa.Array:
    """Return the cells of a block, record after record."""
    text = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, block.size], pa.int32()).buffers()[1], block]
    )
    lines = pc.split_pattern(text, "\n").flatten()
    lines = pc.utf8_rtrim(lines, characters="\r")
    lines = lines.filter(pc.greater(pc.binary_length(pc.utf8_trim(lines, characters=" ")), 0))
    cells = pc.split_pattern(lines, delimiter)
    if len(cells) and pc.any(pc.not_equal(pc.list_value_length(cells), n_columns)).as_py():
        raise UnevenRecordsError
    return cells.flatten()


def _joined(rows: Iterable[Sequence[str]], n_columns: int) -> Iterator[pa.Array]:
    """Yield the cells of some records, record after record."""
    some: list[str] = []
    for row in rows:
        if len(row) == 1 and not row[0].strip(" "):
            continue
        if len(row) != n_columns:
            raise UnevenRecordsError
        some += row
        if len(some) >= _ROWS_AT_ONCE * n_columns:
            yield pa.array(some, pa.string())
            some = []
    yield pa.array(some, pa.string())


def _has_lone_returns(records: pa.Buffer) -> bool:
    """Return whether a carriage return ends a line by itself, or stands in a cell."""
    letters = np.frombuffer(records, dtype=np.uint8)
    returns = np.flatnonzero(letters == _RETURN)
    after = returns + 1
    return bool((after >= len(letters)).any() or (letters[after[after < len(letters)]] != _LINE_FEED).any())
