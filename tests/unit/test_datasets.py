import datetime as dt
import hashlib
import io
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import AuditInputError
from core.tables import (
    DELIMITERS,
    ENCODINGS,
    HEADERS,
    MISSING_SPELLINGS,
    ReadOptions,
    check_options,
    delimited,
    read_dataset,
)
from tests.cases.table import holds_for_each, says


def columns(data: bytes, **options: object) -> dict[str, list[str | None]]:
    return read_dataset(data, name="t.csv", options=ReadOptions(**options)).table.to_pydict()


def problem(data: bytes, **options: object) -> str:
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data, name="t.csv", options=ReadOptions(**options))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


def test_read_dataset__keeps_every_cell_sees_separators_and_finds_the_header() -> None:
    assert columns(b"id,x\n00123, 1.50 \n1e5,true\n") == {"id": ["00123", "1e5"], "x": [" 1.50 ", "true"]}
    assert columns(b"id,x,y\n1,NA,\n", missing_spellings=()) == {"id": ["1"], "x": ["NA"], "y": [None]}
    assert columns(b"id;weight;height\n1;70,5;1,80\n2;81,0;1,75\n")["weight"] == ["70,5", "81,0"]
    dataset = read_dataset(b"sep=;\r\na;b\r\n1;2\r\n", name="t.csv")
    assert dataset.table.to_pydict() == {"a": ["1"], "b": ["2"]}
    assert dataset.reading.header_line == 2

    def holds(text, columns, line):
        dataset = read_dataset(text.encode(), name="t.csv")
        assert " ".join(dataset.columns).replace("Unnamed: ", "Unnamed:") == columns
        assert dataset.reading.header_line == line
        again = read_dataset(text.encode(), name="t.csv", options=dataset.reading.options)
        assert again.table.equals(dataset.table)

    holds_for_each(HEADER_LINES, holds)


@pytest.mark.parametrize(
    "spelling", ["", " ", "\t", *MISSING_SPELLINGS, " NA", "NULL  ", "\u00a0", "\u3000nan"]
)
def test_read_dataset__marks_missing_spellings(spelling):
    assert columns(f'id;x\n1;"{spelling}"\n'.encode()) == {"id": ["1"], "x": [None]}


@pytest.mark.parametrize("word", ["na", "Nan", "NAN", "NA.", "N / A", "NANCY", "-"])
def test_read_dataset__keeps_words_that_resemble_missing(word):
    assert columns(f"id,x\n1,{word}\n".encode()) == {"id": ["1"], "x": [word]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":", "^", "~"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_read_dataset__sniffs_delimiter_and_line_ends(delimiter, line_end):
    text = line_end.join([f"a{delimiter}b", f'"x{delimiter}""y"""{delimiter}2', f"3{delimiter}4", ""])
    dataset = read_dataset(text.encode(), name="t.txt")
    assert dataset.table.to_pydict() == {"a": [f'x{delimiter}"y"', "3"], "b": ["2", "4"]}
    assert dataset.reading.options.delimiter == delimiter


KOREAN = "이름,성별,진단명\n홍길동,남성,고혈압\n김영희,여성,당뇨병\n"
SLOVENIAN = "ime;priimek;kraj\nŽiga;Kovačič;Šentjur\nMojca;Hočevar;Koper\n"


WESTERN = ("nom;ville\nLefèvre;Genève\n", "name;ort\nMüller;Köln\n", "nom;prix\nœuvre;5 €\n")
ENCODED = [(KOREAN, one) for one in ("utf-8", "utf-8-sig", "cp949", "utf-16-le")]
ENCODED += [(SLOVENIAN, one) for one in ("cp1250", "iso8859-2", "utf-16-be")]
ENCODED += zip(WESTERN, ("latin-1", "latin-1", "cp1252"), strict=True)


def test_read_dataset__detects_the_encoding():
    def holds(text, encoding):
        dataset = read_dataset(text.encode(encoding), name="t.csv")
        assert dataset.reading.options.encoding == encoding
        assert dataset.table.equals(read_dataset(text.encode(), name="t.csv").table)

    holds_for_each(ENCODED, holds)


@pytest.mark.slow
def test_read_dataset__reads_long_records_blank_lines_late_letters_and_a_csv_named_xls() -> None:
    data = b"a;b\n" + b"1;2\n" * 500_000 + "Müller;ß\n".encode("latin-1")
    assert read_dataset(data, name="t.csv").table["a"][-1].as_py() == "Müller"
    assert columns(b"a\n1\n\n3\n\n") == {"a": ["1", None, "3"]}
    assert columns(b"a,b\n1,2\n\n3,4\n   \n\n\x1a") == {"a": ["1", "3"], "b": ["2", "4"]}
    long = "x" * 3_000_000
    assert columns(f"a,b\n1,{long}\n2,y\n".encode())["b"] == [long, "y"]
    assert columns(f"{long},b\n1,2\n".encode()) == {long: ["1"], "b": ["2"]}
    assert read_dataset(b"a;b\n1;2\n", name="t.xls").reading.format == "CSV"


def test_read_dataset__names_columns_that_are_repeated_or_without_a_name() -> None:
    assert read_dataset(b"a,a,a_2,a\n1,2,3,4\n", name="t.csv").columns == ("a", "a_3", "a_2", "a_4")
    dataset = read_dataset(b"a,,c, Unnamed: 3\n1,2,3,4\n", name="t.csv")
    assert dataset.columns == ("a", "Unnamed: 2", "c", "Unnamed: 3")
    assert dataset.unnamed_columns == ("Unnamed: 2", "Unnamed: 3")
    dataset = read_dataset(b"Report,,\nid,age,sex\n1,2,3\n", name="t.csv")
    assert dataset.columns == ("id", "age", "sex")
    assert dataset.reading.options.header == "second_line"
    assert read_dataset(
        b"Report,,\nid,age,sex\n1,2,3\n", name="t.csv", options=ReadOptions(header="first_line")
    ).columns == ("Report", "Unnamed: 2", "Unnamed: 3")


def test_read_dataset__reads_a_path_and_bytes_alike(tmp_path: Path):
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n1,2\n")
    dataset = read_dataset(path)
    assert (dataset.name, dataset.n_bytes) == ("people.csv", 8)
    assert dataset.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert dataset.fingerprint == read_dataset(b"a,b\n1,2\n", name="x").fingerprint


WRONG = [
    (b"", "the file is empty (0 bytes)"),
    (b"sep=;\n", "only a header (line 1)"),
    (b"\r\n\n", "holds no text, only blank lines"),
    (b"a,b\n", "only a header (line 1)"),
    (b'a,b\n1,"x\ny"\n2\n3,4,5\n', "2 of 3 records…2 cells…1 and 3 (lines 4 and 5)"),
    (b"a,b\n1,2\n3,\0\n", "line 3 holds a NUL byte"),
    (b'a,b\n1,2\n3,"4\n5,6\n', "a quotation mark that opens in the record of line 3 is not closed"),
    (b'a,b\n1,"2\n3,4\n5,"6" x\n', "quotation mark"),
    (
        b"a,b\n" + b"1,2,\n" * 300 + b"1,2,3\n",
        "301 of 301…2 cells…3 (first in lines 2, 3, 4, 5 and 6)",
    ),
]


def test_read_dataset__says_what_is_wrong_or_is_instead_and_notes_what_it_did() -> None:
    def holds(data, pieces):
        assert says(problem(data), "t.csv: …" + pieces)

    holds_for_each(WRONG, holds)

    def holds(data, what):
        assert problem(data).startswith(f"t.csv: the file is {what}, not a table.")

    holds_for_each(INSTEAD, holds)

    def holds(data, notes):
        found = read_dataset(data, name="t.csv").reading.notes
        assert len(found) == len(notes)
        assert all(says(note, pieces) for note, pieces in zip(found, notes, strict=True))

    holds_for_each(NOTES, holds)


def test_read_dataset__gives_the_same_with_the_options_it_reports():
    data = io.BytesIO(SLOVENIAN.encode("cp1250")).getvalue()
    first = read_dataset(data, name="t.csv")
    again = read_dataset(data, name="t.csv", options=first.reading.options)
    assert again.table.equals(first.table)
    assert again.reading.detected == ()


def workbook(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_read_dataset__writes_excel_cells_as_a_person_sees_them():
    data = workbook(
        ["id", "value", "day", "yes"],
        [9001011234567, 0.1 + 0.2, dt.date(2024, 1, 2), True],
        ["00123", -3.0, dt.datetime(2024, 1, 2, 10, 30, 15), False],
        [None, 1e-7, dt.time(8, 5), None],
    )
    assert columns(data) == {
        "id": ["9001011234567", "00123", None],
        "value": ["0.3", "-3", "1e-07"],
        "day": ["2024-01-02", "2024-01-02 10:30:15", "08:05:00"],
        "yes": ["TRUE", "FALSE", None],
    }


def test_read_dataset__writes_parquet_columns_as_text():
    stream = pa.BufferOutputStream()
    parquet.write_table(
        pa.table(
            {
                "n": [1, None],
                "x": [0.1, 1e300],
                "day": [dt.date(2024, 1, 2)] * 2,
                "at": [dt.datetime(2024, 1, 2, 10, 30), dt.datetime(2024, 1, 3)],
                "midnight": [dt.datetime(2024, 1, 2)] * 2,
                "kind": pa.array(["a", "NA"]).dictionary_encode(),
            }
        ),
        stream,
    )
    assert columns(stream.getvalue().to_pybytes()) == {
        "n": ["1", None],
        "x": ["0.1", "1e+300"],
        "day": ["2024-01-02"] * 2,
        "at": ["2024-01-02 10:30:00", "2024-01-03 00:00:00"],
        "midnight": ["2024-01-02"] * 2,
        "kind": ["a", None],
    }


HEADER_LINES = [
    ("Report of 2024\nid,age,sex\n1,2,3\n", "id age sex", 2),
    ("Izpis, 1. 1. 2024\n\nid;spol\n1;m\n2;f\n", "id spol", 3),
    ("Title;\nPrinted today;\nid;sex\n1;m\n", "id sex", 3),
    ("Unnamed: 0,Unnamed: 1,x\nid,sex,zip\n1,m,2\n", "id sex zip", 2),
    ("a,b,,\nid,sex,zip,city\n1,m,2,3\n", "id sex zip city", 2),
    ("a,b,,\n1,2,,\n3,4,5,6\n", "a b Unnamed:3 Unnamed:4", 1),
    (",,\n1,2,3\n", "Unnamed:1 Unnamed:2 Unnamed:3", 1),
]


@pytest.mark.parametrize("header", ["first_line", "second_line", "3", "none"])
def test_read_dataset__obeys_a_chosen_header(header):
    dataset = read_dataset(b"a,b\n\nc,d\ne,f\n1,2\n", name="t.csv", options=ReadOptions(header=header))
    names = {"first_line": ("a", "b"), "second_line": ("c", "d"), "3": ("e", "f")}
    assert dataset.columns == names.get(header, ("Column 1", "Column 2"))
    assert dataset.reading.options.header == header


@pytest.mark.parametrize(
    "text",
    ["time (h:m)\n12:30\n13:30\n", "note\na, b\nc, d\n", "full name\nJane Doe\n", "a\n1,2\n3;4\n5\t6\n"],
)
def test_read_dataset__leaves_one_column_whole(text):
    dataset = read_dataset(text.encode(), name="t.csv")
    assert dataset.columns == (text.splitlines()[0],)
    (note,) = dataset.reading.notes
    assert says(note, "Only one column was found")


NOTES = [
    (b"a,b\n1,2,\n3,4,\n", ["ends with a delimiter"]),
    (b"a,b\n1,2\n,\n", ["The last record is blank"]),
    (b"a,b\n" + b",\n" * 20, ["The last 20 records are blank"]),
    (b"T,,\na b ,,\nid,sex,\n1,2,3\n", ["The 2 lines above the column names", "Column 3…“Unnamed: 3”"]),
    (b" a ,b ,c\n1,2,3\n", ["2 column names"]),
    (b"a,b ,c\n1,2,3\n", ["1 column name "]),
    (
        b"a,b,c,d,e,f,g,,,\n1,2,3,4,5,6,7,8,9,0\n",
        ["8, 9 and 10…“Unnamed: 8”…“Unnamed: 10”"],
    ),
    (b"a,a,a,a,a,a,a\n1,2,3,4,5,6,7\n", ["“a_2”, “a_3”, “a_4”, “a_5”, “a_6” and 1 more."]),
    (b"a,a,a_2,a\n1,2,3,4\n", ["“a_3” and “a_4”"]),
]


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [10_000])
def test_read_dataset__reads_very_wide_tables(n_columns):
    names = [f"c{number}" for number in range(n_columns)]
    lines = [",".join(names), *[",".join(["1"] * n_columns)] * 3]
    dataset = read_dataset("\n".join(lines).encode(), name="t.csv")
    assert (dataset.n_records, len(dataset.columns)) == (3, n_columns)


INSTEAD = [
    (b"%PDF-1.7", "a PDF document"),
    (b"\x1f\x8b\x08", "compressed with gzip"),
    (b"FEA1", "a Feather file of version 1"),
    (b"\x00\x01\x00\x00Standard ACE DB\x00", "an Access database"),
    (b"<html><table>", "a web page (HTML)"),
    (b"\xef\xbb\xbf \n<!DOCTYPE html>", "a web page (HTML)"),
    (b"<?xml version='1.0'?><a/>", "an XML document"),
    (b"{\\rtf1 a}", "a text document (RTF)"),
    (b'[\n {"a": 1}]', "JSON"),
]


def test_read_dataset__says_when_a_path_cannot_be_opened(tmp_path: Path):
    with pytest.raises(AuditInputError) as caught:
        read_dataset(tmp_path / "none.csv")
    assert says(caught.value, "none.csv: …No such file or directory")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(AuditInputError, match="0 bytes"):
        read_dataset(tmp_path / "empty.csv")


def test_check_options__names_every_option_that_is_wrong():
    with pytest.raises(AuditInputError) as caught:
        check_options(ReadOptions(delimiter=";;", encoding="klingon", header="top"))
    told = ("delimiter…received ';;'.", "encoding…received 'klingon'.", "header…received 'top'.")
    assert all(says(problem, pieces) for problem, pieces in zip(caught.value.problems, told, strict=True))


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": delimiter, "encoding": encoding, "header": header}
        for delimiter, encoding, header in zip(
            [*DELIMITERS, None],
            [*ENCODINGS][: len(DELIMITERS) + 1],
            [*HEADERS, *"123", "12", "99"],
            strict=True,
        )
    ],
)
def test_check_options__accepts_what_is_offered(options):
    check_options(ReadOptions(**options))


SUMMARIES = [
    (b"a,b\n1,2\n", {}, "CSV, comma-separated, UTF-8, header in line 1"),
    (b"a#b\n1#2\n", {"delimiter": "#"}, "CSV, '#'-separated, UTF-8, header in line 1"),
    (b"a,b\n1,2\n", {"header": "none"}, "CSV, comma-separated, UTF-8, no header"),
    (b"a\n1,2\n3;4\n5\t6\n", {}, "CSV, one column, UTF-8, header in line 1"),
]


def test_summary_frame_and_fingerprint__say_how_a_file_was_read() -> None:
    def holds(data, options, summary):
        assert read_dataset(data, name="t.csv", options=ReadOptions(**options)).reading.summary == summary

    holds_for_each(SUMMARIES, holds)
    fingerprints = {
        read_dataset(data, name="t.csv", options=options).fingerprint
        for data in (b"a,b\n1,2\n", b"a,b\n1,3\n")
        for options in (ReadOptions(), ReadOptions(header="first_line"), ReadOptions(missing_spellings=()))
    }
    assert len(fingerprints) == 6
    frame = read_dataset(b"a,b\n007,NA\n", name="t.csv").frame
    assert frame["a"].tolist() == ["007"]
    assert frame["b"].isna().all()


@pytest.mark.parametrize("blank", ["", "\n", "\n   \n\n"])
def test_read_dataset__a_table_read_in_part_is_refused(monkeypatch, blank):
    parsed = delimited._parsed
    monkeypatch.setattr(delimited, "_parsed", lambda *args: parsed(*args).slice(0, 2))
    with pytest.raises(AuditInputError) as caught:
        read_dataset(f"a,b\n1,x\n2,y\n{blank}3,z\n".encode(), name="t.csv")
    assert str(caught.value).startswith("t.csv: only 2 of 3 records could be read.")


@pytest.mark.parametrize(
    "text", ["a,b\n1,x\n\n2,y\n", "a,b\r1,x\r2,y\r", "a\n1\n\n", "a,b\r\n1,x\r\n  \r\n2,y"]
)
def test_read_dataset__lines_that_are_no_records_are_none_lost(text):
    assert read_dataset(text.encode(), name="t.csv").n_records == (1 if text.startswith("a\n") else 2)


@pytest.mark.slow
def test_many_columns__of_a_large_file_are_read_within_the_bounds(tmp_path: Path) -> None:
    row = ",".join(["1234567"] * 3000)
    text = "\n".join([",".join(f"c{number}" for number in range(3000)), *[row] * 800])
    (tmp_path / "wide.csv").write_text(text)  # 19 MB: read in a process of its own
    dataset = read_dataset(tmp_path / "wide.csv")
    assert (dataset.n_records, len(dataset.columns)) == (800, 3000)
    assert dataset.table["c2999"].to_pylist() == ["1234567"] * 800
    (tmp_path / "cut.csv").write_text(text + "\n1,2")
    with pytest.raises(AuditInputError, match=r"1 of 801 records do not have 3,000 cells like the header"):
        read_dataset(tmp_path / "cut.csv")
