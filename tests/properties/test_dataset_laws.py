"""Laws of reading: what is written as a table comes back cell by cell, however it was written."""

import csv
import io
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AuditInputError
from core.tables import MISSING_SPELLINGS, Dataset, ReadOptions, delimited, read_dataset
from core.tables.missing import missing_as_null
from tests.thorough import tried

LETTERS = "abcXYZ 0159-./_\"',;\t|:\n<>=@"
ENCODING_LETTERS = {
    "utf-8": "čšž홍길동äöüé\u3000😀",
    "utf-8-sig": "čšž홍길동äöüé\u3000😀",
    "utf-16-le": "čšž홍길동äöüé",
    "utf-16": "čšž홍길동äöüé",
    "cp949": "홍길동남여한글",
    "cp1250": "čšžČŠŽćđ",
    "latin-1": "èéêäöüßñ",
}
laws = tried(60)


@st.composite
def written_tables(draw, *, guessed=False):
    """Return columns, rows, and how they were written."""
    encoding = draw(st.sampled_from(sorted(ENCODING_LETTERS)))
    alphabet = LETTERS + ENCODING_LETTERS[encoding]
    n_columns = draw(st.integers(2 if guessed else 1, 6))
    cells = st.text(st.sampled_from(alphabet), max_size=8)
    rows = draw(st.lists(st.lists(cells, min_size=n_columns, max_size=n_columns), min_size=1, max_size=8))
    delimiter = draw(st.sampled_from(",;\t|"))
    line_end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    columns = [f"c{number}" for number in range(n_columns)]
    return columns, rows, {"encoding": encoding, "delimiter": delimiter, "line_end": line_end}


def written(columns, rows, *, encoding, delimiter, line_end):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows([columns, *rows])
    return text.getvalue().encode(encoding)


def expected(columns, rows):
    def cell(value):
        return None if value.strip() in ("", *MISSING_SPELLINGS) else value

    return {column: [cell(row[i]) for row in rows] for i, column in enumerate(columns)}


def same(first: Dataset, second: Dataset) -> bool:
    return first.table.equals(second.table) and first.columns == second.columns


@laws
@given(written_tables())
def test_cells_come_back_as_written(table):
    columns, rows, how = table
    options = ReadOptions(encoding=how["encoding"], delimiter=how["delimiter"], header="first_line")
    dataset = read_dataset(written(columns, rows, **how), name="t", options=options)
    assert dataset.table.to_pydict() == expected(columns, rows)


@laws
@given(written_tables(guessed=True))
def test_reading_again_with_the_options_reported_gives_the_same(table):
    columns, rows, how = table
    how["encoding"] = "utf-8" if how["encoding"] != "utf-16" else "utf-16"
    data = written(columns, rows, **how)
    first = read_dataset(data, name="t")
    again = read_dataset(data, name="t", options=first.reading.options)
    assert same(first, again)
    assert again.reading.options == first.reading.options
    assert again.reading.detected == ()
    assert first.table.to_pydict() == expected(columns, rows)


@laws
@given(written_tables(guessed=True), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]))
def test_line_ends_delimiter_and_unicode_form_change_nothing(table, encoding):
    columns, rows, how = table
    plain = written(columns, rows, encoding="utf-8", delimiter=",", line_end="\n")
    other = written(columns, rows, **{**how, "encoding": encoding})
    assert same(read_dataset(plain, name="t"), read_dataset(other, name="t"))


SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]


@laws
@given(st.lists(st.text(st.sampled_from([*SPACES, *"NAnul<>/x홍"]), max_size=6), min_size=1, max_size=20))
def test_missing_as_null__equals_trimming_every_cell(cells):
    table = pa.table({"a": pa.array(cells, pa.string())})
    trimmed = [None if cell.strip() in ("", *MISSING_SPELLINGS) else cell for cell in cells]
    assert missing_as_null(table, MISSING_SPELLINGS)["a"].to_pylist() == trimmed
    exact = pc.if_else(pc.is_in(table["a"], pa.array(["", *MISSING_SPELLINGS])), None, table["a"])
    half_done = pa.table({"a": exact})
    assert missing_as_null(half_done, MISSING_SPELLINGS, padded_only=True)["a"].to_pylist() == trimmed


@laws
@given(st.lists(st.sampled_from(["a", "b", "", "a_2", "Unnamed: 1", " a "]), min_size=1, max_size=8))
def test_column_names_are_unique_and_keep_the_first_of_each(names):
    header = ",".join(f'"{name}"' for name in names)
    data = f"{header}\n{','.join('1' * len(names))}\n".encode()
    dataset = read_dataset(data, name="t", options=ReadOptions(header="first_line", delimiter=","))
    assert len(set(dataset.columns)) == len(dataset.columns) == len(names)
    assert "" not in dataset.columns
    written_names = [name.strip() for name in names]
    for name in filter(None, written_names):
        assert dataset.columns[written_names.index(name)] == name


MAGIC = [b"", b"a,b\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PAR1", b"\xff\xfe"]


@laws
@given(st.binary(max_size=300), st.sampled_from(MAGIC))
def test_any_bytes_are_read_or_refused_in_our_own_words(data, magic):
    problems: tuple[str, ...] = ()
    try:
        dataset = read_dataset(magic + data, name="t.csv")
    except AuditInputError as error:
        problems = error.problems
    else:
        problems = () if dataset.n_records else ("no record",)
    assert all(problem.startswith("t.csv: ") for problem in problems)


def read_or_refused(data):
    try:
        dataset = read_dataset(data, name="t.csv")
    except AuditInputError as error:
        return error.problems
    return dataset.columns, [column.to_pylist() for column in dataset.table.columns]


def lines(letters):
    """Return text of a few lines, most of them of as many cells as the header."""
    cell = st.text(st.sampled_from(letters), max_size=4)
    line = st.one_of(st.lists(cell, min_size=3, max_size=3), st.lists(cell, max_size=4))
    end = st.sampled_from(["\n", "\r\n"])
    return st.tuples(st.lists(line, min_size=1, max_size=8), end).map(
        lambda drawn: "a,b,c" + drawn[1] + drawn[1].join(",".join(cells) for cells in drawn[0])
    )


@laws
@given(lines("xyNA 홍č0\r"))
def test_many_columns_are_read_as_few_are(text):
    as_few = read_or_refused(text.encode())
    with mock.patch.object(delimited, "WIDE", 2):
        assert read_or_refused(text.encode()) == as_few


@laws
@given(written_tables(guessed=True))
def test_many_quoted_columns_are_read_as_few_are(table):
    columns, rows, how = table
    data = written(columns, rows, **how)
    as_few = read_or_refused(data)
    with mock.patch.object(delimited, "WIDE", 2), mock.patch.object(delimited, "WIDE_WITH_QUOTES", 0):
        assert read_or_refused(data) == as_few
