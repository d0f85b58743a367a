"""Excel and Parquet: what is read from them, and every way they can be unusable."""

import datetime as dt
import decimal
import io
import struct
import zipfile

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import AuditInputError
from core.tables import Dataset, ReadOptions, read_dataset
from core.tables.reading import READERS, read_apart
from tests.cases.table import holds_for_each, says
from tests.old_workbooks import OLE, old_workbook
from tests.workbooks import workbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Read here, where a test can lower a bound; test_reading_apart.py reads in the other process."""

    def read_here(data, *, n_bytes, name, options, kind):
        assert n_bytes == data.size
        return READERS[kind](data, name=name, options=options)

    monkeypatch.setattr("core.tables.reading.read_apart", read_here)


def read(data: bytes, **options: str) -> Dataset:
    return read_dataset(data, name="t.xlsx", options=ReadOptions(**options))


def problem(data: bytes, **options: str) -> str:
    with pytest.raises(AuditInputError) as caught:
        read(data, **options)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


def read_apart_problem(data: bytes) -> str:
    """Return the problem of a file that is read in the other process."""
    with pytest.MonkeyPatch.context() as undone:
        undone.setattr("core.tables.reading.read_apart", read_apart)
        return problem(data)


def handmade(sheet: str, **parts: str) -> bytes:
    """Return a workbook of one sheet, given the XML inside its sheetData."""
    relation = f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    shared = f'<Relationship Id="r2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    root = f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types"/>')
        archive.writestr(
            "_rels/.rels", f'<Relationships xmlns="{PACKAGE}/relationships">{root}</Relationships>'
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships">{relation}{shared}</Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{MAIN}"><sheetData>{sheet}</sheetData></worksheet>',
        )
        for name, content in parts.items():
            archive.writestr(f"xl/{name}.xml", f'<sst xmlns="{MAIN}">{content}</sst>')
    return stream.getvalue()


def written(table: pa.Table) -> bytes:
    stream = pa.BufferOutputStream()
    parquet.write_table(table, stream)
    return stream.getvalue().to_pybytes()


def test_read_dataset__reads_old_excel_and_names_from_the_first_record_of_parquet() -> None:
    dataset = read(old_workbook(["id", "ime", "da"], [7.0, "Žiga", True], [1.5, "이름", False]))
    assert dataset.reading.summary == "XLS, sheet “S”, header in row 1"
    assert dataset.table.to_pydict() == {"id": ["7", "1.5"], "ime": ["Žiga", "이름"], "da": ["TRUE", "FALSE"]}
    rows = [["id", "text"], *[[float(number), "x" * 40] for number in range(500)]]
    assert read(old_workbook(*rows)).n_records == 500
    data = bytearray(old_workbook(["id"], [7.0]))
    place = data.index(struct.pack("<HHHHH", 0x0203, 14, 1, 0, 0)) + 6
    data[place : place + 2] = struct.pack("<H", 255)
    assert len(read(bytes(data)).columns) == 256
    data[place : place + 2] = struct.pack("<H", 256)
    assert DAMAGED in problem(bytes(data))
    data = written(pa.table({"Report": ["id", "1"], "Unnamed: 1": ["sex", "f"]}))
    assert read(data).table.to_pydict() == {"id": ["1"], "sex": ["f"]}
    assert read(data, header="none").columns == ("Column 1", "Column 2")


def test_read_dataset__chooses_the_first_visible_sheet_with_cells():
    data = workbook(hidden=[["h"], [1]], empty=[], people=[["id"], [1]], more=[["x"], [2]])
    dataset = read(data)
    assert dataset.reading.options.sheet == "people"
    assert dataset.reading.sheets == ("hidden", "empty", "people", "more")
    assert dataset.reading.detected == ("sheet", "header")
    assert dataset.reading.notes == (
        "The workbook has 4 sheets; “people” was read.",
        "Hidden in the workbook: “hidden”.",
    )
    assert read(data, sheet="more").columns == ("x",)
    assert read(data, sheet="hidden").columns == ("h",)


def test_read_dataset__reads_titles_corners_blank_rows_durations_and_long_numbers() -> None:
    data = workbook(S=[[], [None, "Patients"], [], [None, "id", "sex"], [None, 1, "f"], [None, 2, "m"]])
    dataset = read(data)
    assert dataset.table.to_pydict() == {"id": ["1", "2"], "sex": ["f", "m"]}
    assert dataset.reading.header_line == 4
    assert dataset.reading.options.header == "second_line"
    assert dataset.reading.notes == ("The row above the column names was left out.",)
    assert read(data, header="none").table["Column 1"].to_pylist() == ["Patients", None, "id", "1", "2"]
    data = workbook(S=[["a", "b"], [1, 2], [None, None], [3, 4], *[["", " "]] * 12_000])
    assert read(data).table.to_pydict() == {"a": ["1", None, "3"], "b": ["2", None, "4"]}
    data = workbook(S=[["a"], [dt.timedelta(hours=30, minutes=5)], [123456789012345678], [0.5]])
    assert read(data).table["a"].to_pylist() == ["30:05:00", "1.23456789012346e+17", "0.5"]


def _merged(*ranges: str, rows: list[list[object]]) -> Dataset:
    book, held = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for each in ranges:
        book.active.merge_cells(each)
    book.save(held)
    return read(held.getvalue())


CELLS = [
    ["region", "year", "sex", "n"],
    *(["NS"[at // 4], 2020 + at // 2, "fm"[at % 2], at] for at in range(8)),
]
REGIONS, YEARS = {"region": ["N"] * 4 + ["S"] * 4}, {"year": ["2020"] * 2 + ["2021"] * 2}


@pytest.mark.parametrize(
    ("ranges", "filled", "n_blank"),
    [
        (("A2:A5", "A6:A9"), REGIONS, 0),
        (("A2:A5", "B2:B3", "B4:B5"), REGIONS | YEARS, 0),
        (("C2:C3",), {"sex": ["f", "f"]}, 0),
        (("B2:B3",), {"year": ["2020", None]}, 1),  # may be of both rows
        (("D2:D3",), {"n": ["0", None]}, 1),
        (("C9:D9",), {"n": ["0", "1", "2", "3", "4", "5", "6", None]}, 1),
        (("A1:B1",), {"sex": ["f", "m"]}, 0),  # names of columns
        ((), {"region": ["N"] * 4}, 0),
    ],
)
def test_read_dataset__fills_merged_labels_and_says_what_was_merged(
    ranges: tuple[str, ...], filled: dict[str, list[str | None]], n_blank: int
) -> None:
    dataset = _merged(*ranges, rows=CELLS)
    for column, cells in filled.items():
        assert dataset.table[column].to_pylist()[: len(cells)] == cells
    notes = [note for note in dataset.reading.notes if "erged cell" in note]
    is_filled = any("in each row" in note for note in notes)
    assert is_filled == (bool(ranges) and not n_blank and ranges != ("A1:B1",))
    assert any(note.startswith(f"{n_blank} merged") for note in notes) == bool(n_blank)


def test_read_dataset__reads_long_texts_in_small_blocks(monkeypatch):
    monkeypatch.setattr("core.tables.excel._LETTERS_AT_ONCE", 10)
    rows = [["a"], *[[f"text {number}"] for number in range(50)]]
    assert read(workbook(S=rows)).n_records == 50


@pytest.mark.parametrize(
    "cells",
    [
        "<row><c><v>1</v></c></row><row><c><v>2</v></c></row>",
        '<row r="1"><c t="n" r="A1"><v>1</v></c></row><row><c r="A2"><v>2</v></c></row>',
    ],
)
def test_read_dataset__reads_cells_without_plain_references(cells):
    assert read(handmade(cells)).table.to_pydict() == {"1": ["2"]}


FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="{row}"><c {extra}r="{column}{row}"><v>1</v></c></row>'
DAMAGED = "the Excel workbook is damaged"
UNREADABLE = "the file begins like an Excel workbook but is damaged or of a kind that cannot be read"


@pytest.mark.parametrize(
    ("row", "column", "what"),
    [
        (1048577, "A", DAMAGED),
        (9000000, "B", DAMAGED),
        (1, "XFE", DAMAGED),
        (1, "ZZZ", DAMAGED),
        (1048576, "AF", "a sheet that spans 33,554,432 cells, more than 31,457,280"),
        (1048576, "XFD", "takes more than 1 GiB of memory"),
    ],
)
def test_read_dataset__refuses_cells_far_away_in_its_process(row: int, column: str, what: str) -> None:
    far = f'<row r="1"><c r="A1"><v>1</v></c></row><row r="{row}"><c r="{column}{row}"><v>1</v></c></row>'
    found = read_apart_problem(handmade(far))
    assert what in found or "takes more than 1 GiB of memory" in found


def test_read_dataset__refuses_cells_in_no_place() -> None:
    for cells in ("<row><c r='1A'/></row>", '<row><c t="n"></row>'):
        assert UNREADABLE in problem(handmade(cells))


def test_read_dataset__refuses_what_unpacks_to_too_much(monkeypatch) -> None:
    monkeypatch.setattr("core.tables.reading._LARGEST_UNPACKED", 1 << 10)
    data = handmade("<row><c><v>1</v></c></row>" * 1000)
    assert "unpacks to more than 0 GiB" in problem(data)
    monkeypatch.setattr("core.tables.excel._LARGEST_TEXT", 1 << 10)
    monkeypatch.setattr("core.tables.reading._LARGEST_UNPACKED", 1 << 20)
    rows = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 200))
    data = handmade(rows, sharedStrings=f"<si><t>{'x' * 100}</t></si>")
    assert problem(data) == "t.xlsx: the sheet holds more than 0 GiB of text. Save it as CSV."
    monkeypatch.setattr("core.tables.typed._LARGEST_AREA", 3)
    found = problem(written(pa.table({"a": [1, 2], "b": [3, 4]})))
    assert "2 records of 2 columns, more than 3 cells" in found


def test_read_dataset__refuses_damaged_parts_and_says_what_a_file_is() -> None:
    data = bytearray(handmade('<row r="1"><c r="A1"><v>1</v></c></row>' * 100))
    place = data.index(b"worksheets/sheet1.xml") + 40
    data[place : place + 8] = b"\xff" * 8
    assert UNREADABLE in problem(bytes(data))

    def holds(data, options, pieces):
        assert says(problem(data, **options), "t.xlsx: …" + pieces)

    holds_for_each(WRONG, holds)
    for part, what in (
        ("people.csv", "a zip archive"),
        ("content.xml", "an OpenDocument file"),
        ("xl/workbook.bin", "a binary Excel workbook (.xlsb)"),
    ):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr(part, "a,b")
        assert problem(stream.getvalue()).startswith(f"t.xlsx: the file is {what}, not a table.")


WRONG = [
    (b"PK\x03\x04" + b"x" * 50, {}, "Excel workbook or zip archive but is damaged"),
    (OLE + bytes(600), {}, UNREADABLE),
    (OLE + b"\xff" * 600, {}, UNREADABLE),
    (old_workbook(["a"], [1.0]).replace("Workbook".encode("utf-16-le"), b"X" * 16), {}, UNREADABLE),
    (OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le"), {}, "protected with a password"),
    (workbook(S=[["a", "b"]]), {}, "sheet “S” has only a header"),
    (workbook(S=[], T=[]), {}, "the workbook holds no cells"),
    (b"PAR1" + bytes(50), {}, "the Parquet file is damaged, cut off or encrypted"),
    (written(pa.table({"id": [1], "tags": [["a"]]})), {}, "column “tags” holds lists"),
    (written(pa.table({"a": [[1]], "b": [{"x": 1}]})), {}, "columns “a” and “b” hold lists"),
    (written(pa.table({"id": pa.array([], pa.int64())})), {}, "the file holds no record"),
    (written(pa.table({"id": [1], "photo": [b"\xff\xd8"]})), {}, "column “photo” cannot be written as text"),
    (workbook(S=[["a"], [1]], T=[["b"], [1]]), {"sheet": "U"}, "no sheet “U”…“S” and “T”"),
    (workbook(S=[["a"], [1]], T=[]), {"sheet": "T"}, "the sheet “T” is empty"),
    (workbook(S=[["a"], [1]]), {"header": "7"}, "row 7 of sheet “S”…only 2 of its first rows"),
    (written(pa.table({"a": [1]})), {"header": "3"}, "line 3 was to hold the column names"),
]


def test_read_dataset__uses_long_offsets_for_long_texts(monkeypatch):
    monkeypatch.setattr("core.tables.typed._LARGE_TEXT", 3)
    monkeypatch.setattr("core.tables.delimited._LARGE_TEXT", 3)
    for data in (written(pa.table({"a": ["long", "text"]})), b"a\nlong\ntext\n"):
        table = read(data).table
        assert table.schema.field("a").type == pa.large_string()
        assert table.to_pydict() == {"a": ["long", "text"]}


def test_read_dataset__writes_parquet_values_without_loss():
    day = dt.datetime(2024, 1, 2, 3, 4, 5, 600)
    data = written(
        pa.table(
            {
                "money": [decimal.Decimal("1.50")],
                "zone": pa.array([day], pa.timestamp("us", "UTC")),
                "local": pa.array([day], pa.timestamp("us")),
                "time": [dt.time(8, 5)],
                "flag": [True],
                "half": pa.array([1.5], pa.float16()),
                "nothing": pa.nulls(1),
                "raw": [b"abc"],
                "": ["unnamed"],
            }
        )
    )
    dataset = read(data)
    assert dataset.table.to_pydict() == {
        "money": ["1.50"],
        "zone": ["2024-01-02 03:04:05.000600Z"],
        "local": ["2024-01-02 03:04:05.000600"],
        "time": ["08:05:00.000000"],
        "flag": ["true"],
        "half": ["1.5"],
        "nothing": [None],
        "raw": ["abc"],
        "Unnamed: 9": ["unnamed"],
    }
    assert dataset.reading.summary == "Parquet"
