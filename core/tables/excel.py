"""Excel workbooks: one sheet with every cell as the text a person sees."""

import datetime as dt
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pyarrow as pa
from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from core.errors import AuditInputError
from core.settings.reading import ReadOptions
from core.tables.header import (
    header_option,
    header_position,
    listed,
    name_columns,
    numbered_columns,
    quoted,
    rows_above,
)
from core.tables.hidden_contents import ABOVE, Beside, beside_of, beside_workbook, bounded, sheets_are_small
from core.tables.missing import codes_that_are_words, look_like_codes, missing_as_null
from core.tables.model import Reading
from core.words import input_error, own, text

Cell = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta
_ROWS_AT_ONCE, _LETTERS_AT_ONCE = 10_000, 1 << 26
_LARGEST_TEXT = 1 << 30
_FIRST_ROWS = 20
_NO_COVER = 0.1  # of the largest sheet's cells, from which one before it is the table, and no cover or notes
_NUMBER = re.compile(r"[+-]?[0-9.,' ]*[0-9]")
_LARGEST_AREA = 30 << 20  # cells from the first to the farthest: 30 columns of Excel's rows, or as many cells
_MOST_ROWS_AND_COLUMNS = {"XLSX": (1 << 20, 1 << 14), "XLS": (1 << 16, 1 << 8)}
_NOT_LOOKED_AT = Beside(
    what=own("comments, properties and hidden rows of an .xls file; save it as .xlsx to have them audited"),
    texts=(),
    n_texts=0,
    is_complete=False,
)
_EXACT = 1e15  # a float holds every integer below


class _TooMuchTextError(Exception):
    """The cells of a sheet hold more text than fits in memory with ease."""


def read_excel(
    data: pa.Buffer, *, name: str, excel_format: str, options: ReadOptions
) -> tuple[pa.Table, Reading]:
    """Read one sheet of a workbook with every cell as text.

    Integers are written without decimals, other numbers with up to 15 significant digits (all that
    Excel keeps), dates as ``YYYY-MM-DD``, with ``HH:MM:SS`` where they have a time, and truth values
    as ``TRUE`` and ``FALSE``. Error values such as ``#N/A`` are missing. Blank rows between records
    are records, those after the last record are not. A label merged down a column is read as its value in
    each of its rows; of other merged cells the value stands in the first. Notes say so.
    """
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            return _read_workbook(workbook, data, name=name, excel_format=excel_format, options=options)
    except PasswordError:
        raise password_protected(name) from None
    except _TooMuchTextError:
        raise input_error(
            "{file}: the sheet holds more than {most} GiB of text. Save it as CSV.",
            file=name,
            most=_LARGEST_TEXT >> 30,
        ) from None
    except (CalamineError, OSError):
        raise input_error(
            "{file}: the file begins like an Excel workbook but is damaged or of a kind that cannot be "
            "read. Open it in Excel and save it as .xlsx or CSV.",
            file=name,
        ) from None


def password_protected(name: str) -> AuditInputError:
    """Return the problem of a workbook that opens only with a password."""
    return input_error(
        "{file}: the Excel workbook is protected with a password. Save it without one, or as CSV.", file=name
    )


def _read_workbook(
    workbook: CalamineWorkbook, data: pa.Buffer, *, name: str, excel_format: str, options: ReadOptions
) -> tuple[pa.Table, Reading]:
    is_old = excel_format == "XLS"
    is_small = is_old or sheets_are_small(data)
    sheets = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    names = [sheet.name for sheet in sheets]
    visible = [sheet.name for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]
    if options.sheet is not None and options.sheet not in names:
        raise input_error(
            "{file}: the workbook has no sheet “{sheet}”. Choose one of {sheets}.",
            file=name,
            sheet=options.sheet,
            sheets=listed(quoted(names)),
        )
    given = [options.sheet] if options.sheet is not None else []
    chosen = _main_sheet(workbook, given or visible or names, is_small=is_small)
    if chosen is None:
        raise _no_cells(name, options.sheet)
    _check_size(chosen, excel_format, name=name)
    table, reading = _read_sheet(chosen, name=name, options=options)
    others = [sheet for sheet in sheets if sheet.name != chosen.name]
    hidden = [sheet for sheet in names if sheet not in visible]
    notes = [*_notes(names, hidden, chosen.name), *reading.notes]
    return table, replace(
        reading,
        format=excel_format,
        options=replace(reading.options, sheet=chosen.name),
        detected=(*(("sheet",) if options.sheet is None else ()), *reading.detected),
        sheets=tuple(names),
        notes=tuple(notes),
        beside=bounded(
            [
                *reading.beside,
                *(besides := [_other_sheet(workbook, sheet, is_read=is_small) for sheet in others]),
                *([_NOT_LOOKED_AT] if is_old else beside_workbook(data, _shown(table, reading, besides))),
            ]
        ),
    )


def _check_size(sheet: CalamineSheet, excel_format: str, *, name: str) -> None:
    """Refuse a sheet of more cells than are read, or with cells that no sheet has."""
    (bottom, right), (n_rows, n_columns) = sheet.end or (0, 0), _MOST_ROWS_AND_COLUMNS[excel_format]
    if bottom >= n_rows or right >= n_columns:
        raise input_error(
            "{file}: the Excel workbook is damaged. Open it in Excel and save it again, or save it as CSV.",
            file=name,
        )
    if (area := _n_cells(sheet)) > _LARGEST_AREA:
        raise input_error(
            "{file}: the workbook has a sheet that spans {area} cells, more than {most}, and was not read. "
            "Delete what stands far from the table, or save the sheet as CSV.",
            file=name,
            area=area,
            most=_LARGEST_AREA,
        )


def _shown(table: pa.Table, reading: Reading, others: Sequence[Beside]) -> list[pa.Array]:
    """Return the texts of cells, of the table and around it."""
    around = [*table.column_names, *(text for one in (*reading.beside, *others) for text in one.texts)]
    return [pa.array(around, pa.string()), *(column.combine_chunks() for column in table.columns)]


def _notes(names: Sequence[str], hidden: Sequence[str], chosen: str) -> Iterator[str]:
    if len(names) > 1:
        yield text(
            "The workbook has {n} sheet; “{sheet}” was read.",
            "The workbook has {n} sheets; “{sheet}” was read.",
            n=len(names),
            sheet=chosen,
        )
    if hidden:
        yield text("Hidden in the workbook: {sheets}.", sheets=listed(quoted(hidden)))


def _other_sheet(workbook: CalamineWorkbook, sheet: SheetMetadata, *, is_read: bool) -> Beside:
    """Return the texts of a sheet that is not the table."""
    is_visible = sheet.visible == SheetVisibleEnum.Visible
    what = text("the sheet “{sheet}”" if is_visible else "the hidden sheet “{sheet}”", sheet=sheet.name)
    if not is_read:
        return Beside(what=what, texts=(), n_texts=0, is_complete=False, sheet=sheet.name)
    rows = workbook.get_sheet_by_name(sheet.name).iter_rows()
    return replace(beside_of(what, (as_text(cell) for row in rows for cell in row)), sheet=sheet.name)


def _no_cells(name: str, sheet: str | None) -> AuditInputError:
    if sheet is None:
        return input_error("{file}: the workbook holds no cells. Export the table again.", file=name)
    return input_error("{file}: the sheet “{sheet}” is empty. Choose another sheet.", file=name, sheet=sheet)


def _main_sheet(
    workbook: CalamineWorkbook, candidates: Sequence[str], *, is_small: bool
) -> CalamineSheet | None:
    """Return the first sheet that holds cells, and in a small workbook is no cover of a larger one."""
    largest = 1
    if is_small and len(candidates) > 1:
        largest = max(_n_cells(workbook.get_sheet_by_name(each)) for each in candidates)
    for candidate in candidates:
        sheet = workbook.get_sheet_by_name(candidate)
        if sheet.height and _n_cells(sheet) >= _NO_COVER * largest:
            return sheet
    return None


def _n_cells(sheet: CalamineSheet) -> int:
    return int(sheet.height) * int(sheet.width)


def _read_sheet(sheet: CalamineSheet, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    rows = sheet.iter_rows()
    first = [[as_text(cell) for cell in row] for row in islice(rows, _FIRST_ROWS)]
    filled = [index for index, row in enumerate(first) if any(cell.strip() for cell in row)]
    position = header_position([first[index] for index in filled], header=options.header)
    if position >= len(filled):
        raise input_error(
            "{file}: row {row} of sheet “{sheet}” was to hold the column names, but only {filled} of its "
            "first rows hold cells. Choose another line for the names.",
            file=name,
            row=position + 1,
            sheet=sheet.name,
            filled=len(filled),
        )
    header_row = filled[position] if position >= 0 else filled[0] - 1
    header = name_columns(first[header_row]) if position >= 0 else numbered_columns(len(first[0]))
    table = _records(first[header_row + 1 :], rows, header.names)
    if not table.num_rows:
        raise input_error(
            "{file}: sheet “{sheet}” has only a header and no record. Export the table with its records.",
            file=name,
            sheet=sheet.name,
        )
    table, merged = _with_merged_cells(table, sheet, header_row + 1)
    read = missing_as_null(table, options.missing_spellings)
    return read, Reading(
        codes_missing=codes_that_are_words(table, look_like_codes(read), options.missing_spellings),
        format="",
        options=replace(options, delimiter=None, encoding=None, header=header_option(position)),
        detected=("header",) if options.header == "auto" else (),
        notes=(*rows_above(position), *header.notes, *merged),
        unnamed_columns=header.unnamed,
        beside=bounded([beside_of(own(ABOVE), _cells(first[:header_row]), is_usual=True)]),
        header_line=header_row + 1 if position >= 0 else 0,
    )


def _records(first: Sequence[Sequence[str]], rows: Iterator[list[Cell]], names: Sequence[str]) -> pa.Table:
    """Return the records, blank rows at the end left out."""
    batches = [_batch(first, names)] if first else []
    batches.extend(_batch(block, names) for block in _blocks(rows))
    schema = pa.schema([(column, pa.string()) for column in names])
    table = pa.Table.from_batches(batches, schema=schema)
    return table.slice(0, _n_rows_to_last_filled(batches))


def _with_merged_cells(table: pa.Table, sheet: CalamineSheet, first: int) -> tuple[pa.Table, list[str]]:
    """Return the records with the labels of merged cells in each of their rows, and notes of merged cells.

    A value merged down is a label where it is no number, or where all columns before it have merged cells
    too; a number elsewhere may be that of all rows together. `first` is the sheet's row of the first record.
    """
    left = sheet.start[1] if sheet.start else 0
    columns: dict[int, list[str]] = {}
    n_blank = 0
    for (top, column), (bottom, last) in sorted(sheet.merged_cell_ranges or [], key=lambda each: each[0][1]):
        start, place = top - first, column - left
        if not (0 <= start < table.num_rows and 0 <= place < table.num_columns):
            continue
        cells = columns.get(place) or table.column(place).to_pylist()
        is_label = not _NUMBER.fullmatch(cells[start].strip()) or columns.keys() >= {*range(place)}
        n_blank += last > column or (bottom > top and not is_label)
        if bottom > top and is_label:
            stop = min(bottom - first + 1, table.num_rows)
            cells[start:stop] = [cells[start]] * (stop - start)
            columns[place] = cells
    for place, cells in columns.items():
        table = table.set_column(place, table.schema.field(place), pa.array(cells, pa.string()))
    notes: list[str] = []
    if columns:
        names = listed(quoted([table.column_names[place] for place in sorted(columns)]))
        notes.append(text("Merged cells of {columns} were read as their value in each row.", columns=names))
    if n_blank:
        notes.append(
            text(
                "{n} merged cell was read as its value in the first cell and blanks in the others.",
                "{n} merged cells were read as their value in the first cell and blanks in the others.",
                n=n_blank,
            )
        )
    return table, notes


def _blocks(rows: Iterator[list[Cell]]) -> Iterator[list[list[Cell]]]:
    """Yield rows in blocks, small ones where the text is long: a workbook keeps a repeated text once."""
    block: list[list[Cell]] = []
    n_letters = n_all = 0
    for row in rows:
        block.append(row)
        n_letters += sum(len(cell) for cell in row if isinstance(cell, str))
        if n_all + n_letters > _LARGEST_TEXT:
            raise _TooMuchTextError
        if len(block) == _ROWS_AT_ONCE or n_letters > _LETTERS_AT_ONCE:
            yield block
            block, n_all, n_letters = [], n_all + n_letters, 0
    if block:
        yield block


def _cells(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return (cell for row in rows for cell in row)


def _batch(rows: Sequence[Sequence[Cell]], names: Sequence[str]) -> pa.RecordBatch:
    columns = [
        pa.array([as_text(cell) for cell in column], pa.string()) for column in zip(*rows, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(names))


def _n_rows_to_last_filled(batches: Sequence[pa.RecordBatch]) -> int:
    n_rows: int = sum(batch.num_rows for batch in batches)
    for batch in reversed(batches):
        columns = [column.to_pylist() for column in batch.columns]
        for row in range(batch.num_rows - 1, -1, -1):
            if any(column[row].strip() for column in columns):
                return n_rows
            n_rows -= 1
    return n_rows


def as_text(cell: Cell) -> str:
    """Return a cell as the text a person sees."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float | int):
        return f"{cell:.0f}" if abs(cell) < _EXACT and float(cell).is_integer() else f"{cell:.15g}"
    if isinstance(cell, dt.timedelta):
        seconds = round(cell.total_seconds())
        hours, rest = divmod(abs(seconds), 3600)
        return f"{'-' if seconds < 0 else ''}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"
    if isinstance(cell, dt.datetime):
        return str(cell) if cell.time() != dt.time() else cell.date().isoformat()
    return cell.isoformat()
