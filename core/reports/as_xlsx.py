"""A report as an Excel workbook: a summary, findings, limits, then a sheet a table."""

import io
import re
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from core.files.own_reports import CREATOR, SHEETS
from core.files.plain_text import ReproducibleZip, printable, scalar, starts_like_formula
from core.languages import ENGLISH
from core.measures import MEASURES, format_number
from core.measures.measure import Unit
from core.reports import model
from core.reports.as_json import content_digest, settings_digest
from core.result import Table
from core.verdict import Verdict
from core.words import counted, own, say, spoken_language

LARGEST_TEXT = 32_767  # characters of a cell, as Excel counts them: UTF-16 units
LARGEST_SHEET = 1_048_576  # rows
WIDEST_SHEET = 16_384  # columns

_HEAD = 2  # the row of the names of columns, below the link back to the summary
_LARGEST_EXACT_INTEGER = 10**15  # beyond, Excel rounds
_ESCAPE_LOOKALIKE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_FIRST = ("Do next", "Verdicts")
_FIGURE_COLUMNS = ("Figure", "Value", "Unit", "Threshold", "Verdict", "Of", "Definition", "Source")
_SUMMARY_WIDTHS = (36, 16, 11, 26, 16, 26, 70, 44)
_SUMMARY_TEXT_COLUMNS = 6  # a text beside its name is merged over these columns
_VERDICT_FILLS = {
    Verdict.PASS: "D8F0E6",
    Verdict.WARN: "FBEBC8",
    Verdict.NOT_ASSESSED: "E4E7EC",
    Verdict.FAIL: "F9DAD3",
}
_INK = "1F2937"
_HEADER_FILL = PatternFill("solid", start_color="1F3A5F")
_HEADER_FONT = Font(bold=True, color="FFFFFF")
_SECTION_FONT = Font(bold=True, size=12, color="1F3A5F")
_LINE = Border(bottom=Side(style="thin", color="D5DAE1"))
_WRAP = Alignment(wrap_text=True, vertical="top")


def render_xlsx(report: model.Report) -> bytes:
    """Write the report as an Excel workbook.

    Sheets: "Summary" (question, verdict, links to all sheets, figures with definitions, inputs, settings,
    versions), "Findings", "Limits", then one per table, each with a link back. Every text is stored as
    text, whatever it begins with; text beyond 32,767 characters is cut and says so; a table beyond Excel's
    rows or columns says on the summary what was left out. Missing and infinite numbers are blank cells.
    The same report gives the same bytes, and two that differ in `created_at` differ in that line and the
    file's own date.
    """
    workbook = Workbook()
    own_sheets = [say(name) for name in SHEETS]
    names = model.sheet_names(map(_named, report.tables), taken=own_sheets)
    summary = workbook.active
    summary.title = own_sheets[0]
    _write_summary(summary, report, names)
    _write_findings(workbook.create_sheet(own_sheets[1]), report)
    _write_limits(workbook.create_sheet(own_sheets[2]), report)
    for name, table in zip(names, report.tables, strict=True):
        _write_table(workbook.create_sheet(name), table)
    for sheet in workbook.worksheets[1:]:
        _link(_put(sheet, 1, 1, say("← {sheet}", sheet=own("Summary"))), own_sheets[0])
    for sheet in workbook.worksheets:
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
        sheet.page_setup.fitToHeight = 0
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
    properties = workbook.properties
    properties.creator = CREATOR
    properties.title = cell_text(say(report.title))
    properties.created = properties.modified = model.in_utc(report.created_at).replace(tzinfo=None)
    buffer = io.BytesIO()  # openpyxl's own `save` would stamp the file with the present time
    ExcelWriter(workbook, ReproducibleZip(buffer, "w")).save()
    return buffer.getvalue()


# ---------------------------------------------------------------------------------------------- sheets


def _write_summary(sheet: Worksheet, report: model.Report, names: Sequence[str]) -> None:
    _set_widths(sheet, _SUMMARY_WIDTHS)
    title = _put(sheet, 1, 1, say("AnonAudit report: {title}", title=own(report.title)))
    title.font = Font(bold=True, size=16, color=_INK)
    title.alignment = Alignment(vertical="top")  # runs on over the empty cells beside it
    row = 2
    sections = [(section, list(rows)) for section, rows in _grouped(model.about_rows(report))]
    sections[0][1].append(("Digest of the result", content_digest(report)))
    sections[0][1].append(("Digest of the settings", settings_digest(report)))
    for section, rows in sections[:1] + [part for part in sections if part[0] in _FIRST]:
        row = _write_section(sheet, row, section, rows)
    own_sheets = [
        (say("Findings"), say("All findings")),
        (say("Limits"), say("What this result cannot tell")),
    ]
    tables = [(name, _about_table(table)) for name, table in zip(names, report.tables, strict=True)]
    links = [*own_sheets, *tables]
    last = _write_section(sheet, row, "Sheets of this workbook", links)
    for n, (name, _) in enumerate(links):
        _link(sheet.cell(last - len(links) + n, 1), name)
    row = _write_figures(sheet, last, report)
    for section, rows in sections[1:]:
        if section not in (*_FIRST, "Limit"):
            row = _write_section(sheet, row, section, rows)
    sheet.freeze_panes = "A2"


def _grouped(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for section, name, text in rows:
        groups.setdefault(section, []).append((name, text))
    return list(groups.items())


def _write_section(sheet: Worksheet, row: int, heading: str, rows: Sequence[tuple[str, str]]) -> int:
    """Write a heading and a line per (name, text) below `row`; return the first free row."""
    if not rows:
        return row
    row += 1
    _put(sheet, row, 1, say(heading)).font = _SECTION_FONT
    for name, text in rows:
        row += 1
        _put(sheet, row, 1, say(name)).font = Font(bold=True, color=_INK)
        cell = _put(sheet, row, 2, text)
        sheet.merge_cells(start_row=row, end_row=row, start_column=2, end_column=_SUMMARY_TEXT_COLUMNS + 1)
        _paint_verdict(cell, text)
        width = sum(_SUMMARY_WIDTHS[1 : _SUMMARY_TEXT_COLUMNS + 1])
        sheet.row_dimensions[row].height = _height([(name, _SUMMARY_WIDTHS[0]), (text, width)])
    return row + 1


def _write_figures(sheet: Worksheet, row: int, report: model.Report) -> int:
    if not report.figures:
        return row
    row += 1
    _put(sheet, row, 1, say("Figures")).font = _SECTION_FONT
    row += 1
    _write_header(sheet, row, [say(name) for name in _FIGURE_COLUMNS])
    told = model.figures_table(report)
    names = [column.key for column in told.columns]
    for figure, cells in zip(report.figures, told.cells(), strict=True):
        row += 1
        unit, said = MEASURES[figure.measure].unit, dict(zip(names, cells, strict=True))
        if (value := scalar(figure.value)) is None:
            value = said["As text"]
        texts = [value if name == "Value" else said[name] for name in _FIGURE_COLUMNS]
        for column, text in enumerate(texts, start=1):
            cell = _put(sheet, row, column, text)
            cell.border = _LINE
            _paint_verdict(cell, text)
        sheet.cell(row, 2).number_format = _number_format(unit, figure.value)
        sheet.cell(row, 2).alignment = Alignment(horizontal="right", vertical="top")
        sheet.row_dimensions[row].height = _height(
            [(str(text), width) for text, width in zip(texts, _SUMMARY_WIDTHS, strict=True)]
        )
    return row + 1


def _named(table: Table) -> str:
    """Return what a table's sheet is called: its name, which is said where it has a file's name in it."""
    is_said = own(table.called) != own(table.called).message or spoken_language() == ENGLISH
    return say(table.called if is_said else table.title).replace("`", "").replace(":", "")


def _about_table(table: Table) -> str:
    n_rows, n_columns = len(table.cells()), len(table.columns)
    parts = [say(table.title), say(counted(n_rows, "row")), say(table.note)]
    if n_rows > LARGEST_SHEET - _HEAD:
        cut = "First {shown} of {all} rows; the CSV and JSON hold all"
        parts.append(say(cut, shown=LARGEST_SHEET - _HEAD, all=n_rows))
    if n_columns > WIDEST_SHEET:
        cut = "First {shown} of {all} columns; the CSV and JSON hold all"
        parts.append(say(cut, shown=WIDEST_SHEET, all=n_columns))
    return ". ".join(part.rstrip(".") for part in parts if part)


def _write_findings(sheet: Worksheet, report: model.Report) -> None:
    findings, widths = model.findings_table(report), (16, 100, 28, 12, 28)
    _write_rows(sheet, findings)
    _set_widths(sheet, widths)
    for row, (_, message, *_) in enumerate(findings.cells(), start=_HEAD + 1):
        sheet.row_dimensions[row].height = _height([(str(message), widths[1])])
    if not report.findings:
        _put(sheet, _HEAD + 1, 2, say("No findings."))


def _write_limits(sheet: Worksheet, report: model.Report) -> None:
    _write_header(sheet, _HEAD, [say("What this result cannot tell")])
    for row, limit in enumerate(map(say, report.limits or ("None stated.",)), start=_HEAD + 1):
        _put(sheet, row, 1, limit)
        sheet.row_dimensions[row].height = _height([(limit, 110)])
    _set_widths(sheet, (110,))
    sheet.freeze_panes = f"A{_HEAD + 1}"


def _write_table(sheet: Worksheet, table: Table) -> None:
    rows, marks = _write_rows(sheet, table), table.marks()
    for column, each in enumerate(table.columns[:WIDEST_SHEET], start=1):
        for row, mark in enumerate(marks.get(each.key, ())[: len(rows)], start=_HEAD + 1):
            if mark is not None:
                sheet.cell(row, column).fill = PatternFill("solid", start_color=_VERDICT_FILLS[mark])
    shown = [sheet.cell(_HEAD, column).value for column in range(1, len(table.columns[:WIDEST_SHEET]) + 1)]
    _set_widths(sheet, [_width(cells) for cells in zip(shown, *rows[:200], strict=True)])


def _width(cells: Iterable[object]) -> float:
    """Return the width of a column in which its lines are whole, within bounds."""
    lines = (line for cell in cells for line in str(scalar(cell) or "").split("\n"))
    return min(max(max(map(len, lines)) + 3, 10), 60)


def _write_rows(sheet: Worksheet, table: Table) -> list[tuple[object, ...]]:
    """Write names and cells below the link back; the names stay in view and repeat on paper."""
    columns = table.columns[:WIDEST_SHEET]
    rows = [row[:WIDEST_SHEET] for row in model.said_rows(table, with_marks=True)[: LARGEST_SHEET - _HEAD]]
    _write_header(sheet, _HEAD, model.headings(columns))
    for row, values in enumerate(rows, start=_HEAD + 1):
        for place, (value, column) in enumerate(zip(values, columns, strict=True), start=1):
            plain = scalar(value)
            if plain is None:
                continue
            is_verdict = plain in Verdict.__members__
            cell = _put(sheet, row, place, model.verdict_text(Verdict(str(plain))) if is_verdict else plain)
            _paint_verdict(cell, cell.value)
            if isinstance(plain, int | float):
                cell.number_format = _number_format(column.unit, plain)
    sheet.freeze_panes = f"A{_HEAD + 1}"
    sheet.print_title_rows = f"{_HEAD}:{_HEAD}"
    if rows and columns:
        sheet.auto_filter.ref = f"A{_HEAD}:{get_column_letter(len(columns))}{len(rows) + _HEAD}"
    return rows


# ----------------------------------------------------------------------------------------------- cells


def _put(sheet: Worksheet, row: int, column: int, value: bool | int | float | str) -> Cell:
    """Write one cell; text stays text, also when it looks like a formula or an error code."""
    cell: Cell = sheet.cell(row, column)
    cell.alignment = _WRAP
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST_EXACT_INTEGER:
        value = str(value)
    if not isinstance(value, str):
        cell.value = value
        return cell
    cell.value = cell_text(value) or None
    if cell.value:
        cell.data_type = "s"
    if starts_like_formula(value):
        cell.quotePrefix = True  # still text after somebody edits it
    return cell


def _link(cell: Cell, sheet: str) -> None:
    """Let a cell lead to a sheet of the workbook."""
    place = "'{}'!A1".format(sheet.replace("'", "''"))
    cell.hyperlink = Hyperlink(ref=cell.coordinate, location=place)
    cell.font = Font(underline="single", color="1D4F91")


def cell_text(text: str) -> str:
    """Return the text as a cell can hold it: printable, cut at 32,767 characters."""
    plain = printable(text).replace("\r\n", "\n").replace("\r", "\n")
    plain = _ESCAPE_LOOKALIKE.sub("_x005F_", plain)  # Excel reads _x0041_ as an escape for A
    units = plain.encode("utf-16-le")
    if len(units) // 2 <= LARGEST_TEXT:
        return plain
    mark = f" … [cut: the text has {len(text):,} characters]"
    kept = units[: 2 * (LARGEST_TEXT - len(mark))].decode("utf-16-le", errors="ignore")
    return kept + mark


def _write_header(sheet: Worksheet, row: int, names: Sequence[str]) -> None:
    for column, name in enumerate(names, start=1):
        cell = _put(sheet, row, column, name)
        cell.font, cell.fill = _HEADER_FONT, _HEADER_FILL


def _paint_verdict(cell: Cell, value: object) -> None:
    if not isinstance(value, str):
        return
    for verdict, fill in _VERDICT_FILLS.items():
        if value == say(verdict.word):
            cell.fill = PatternFill("solid", start_color=fill)
            cell.font = Font(bold=True, color=_INK)


def _number_format(unit: Unit | None, value: float | None) -> str:
    """Return a display format that never shows a share above 0 as 0 % or one below 1 as 100 %."""
    if value is None or unit not in ("share", "risk"):
        return "#,##0" if isinstance(value, int) and not isinstance(value, bool) else "General"
    text = format_number(unit, value)
    if text[0] in "<>":
        return f'"{text}"'
    return "0 %" if value in (0, 1) else "0.0 %"


# ---------------------------------------------------------------------------------------------- layout


def _set_widths(sheet: Worksheet, widths: Sequence[float]) -> None:
    for column, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(column)].width = width


def _height(texts: Iterable[tuple[str, float]]) -> float:
    """Return a row height in points in which each text fits its width; Excel does not do it when merged."""
    lines = max(
        sum(-(-max(len(line), 1) // max(int(width * 0.95), 1)) for line in text.split("\n"))
        for text, width in texts
    )
    return min(15.0 * lines, 400.0)
