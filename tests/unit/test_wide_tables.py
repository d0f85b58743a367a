"""Records of very many columns are read another way, and come to the same table."""

import random

import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.tables import ReadOptions, delimited, read_dataset
from core.tables.delimited import read_delimited

N_COLUMNS = 6
OPTIONS = ReadOptions(missing_spellings=("NA",))


def table(cells: list[str], *, end: str = "\n", delimiter: str = ",", last: str = "") -> bytes:
    """Return records of cells drawn at random, below a header."""
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    names = delimiter.join(f"c{i}" for i in range(N_COLUMNS))
    rows = [delimiter.join(draw.choice(cells) for _ in range(N_COLUMNS)) + last for _ in range(300)]
    return end.join([names + last, *rows, ""]).encode()


FILES = {
    "usual": table(["a", "NA", "", " x", "서울", "12.5"]),
    "CR LF": table(["a", "b", ""], end="\r\n"),
    "semicolons": table(["a,b", "c"], delimiter=";"),
    "a delimiter after each record": table(["a", "b"], last=","),
    "no line end at the end": table(["a", "b"]).removesuffix(b"\n"),
    "lines of spaces": table(["a", "b"]).replace(b"\n", b"\n   \n", 9).replace(b"   \nc0", b"c0", 1),
    "quoted": table(['"a"', '"b,c"', '"d""e"', "f", '""', '"NA"']),
    "quoted line ends": table(['"a\nb"', "c"]),
}


def wide(data: bytes, monkeypatch: pytest.MonkeyPatch) -> pa.Table:
    """Read a table as if it had very many columns, in small blocks."""
    for name, size in {"WIDE": 4, "WIDE_WITH_QUOTES": 1, "_BLOCK": 64, "_ROWS_AT_ONCE": 7}.items():
        monkeypatch.setattr(delimited, name, size)
    return read_delimited(pa.py_buffer(data), name="t.csv", options=OPTIONS)[0]


@pytest.mark.parametrize("kind", FILES)
def test_wide_table__is_the_one_that_is_read_as_usual(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = read_dataset(FILES[kind], name="t.csv", options=OPTIONS).table
    assert usual.num_rows == 300
    assert wide(FILES[kind], monkeypatch).to_pydict() == usual.to_pydict()


@pytest.mark.parametrize("quote", ["", '"'])
def test_wide_table__names_the_lines_that_have_other_cells(
    quote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table([f"{quote}a{quote}"]) + b"a,b\n"
    for read in (lambda: read_dataset(data, name="t.csv"), lambda: wide(data, monkeypatch)):
        with pytest.raises(AuditInputError, match=r"1 of 301 records do not .* 6 .* but 2 \(line 302"):
            read()


def test_wide_table__a_record_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 1000)
    with pytest.raises(AuditInputError, match="a record is longer than"):
        wide(table(["a"]) + b"x" * 3000 + b"\nb\n", monkeypatch)
