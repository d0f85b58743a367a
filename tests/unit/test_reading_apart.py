"""Tables read in another process: the same result, and files that would end a process."""

import io
import subprocess
import sys
import zipfile

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import AuditInputError
from core.processes import bounded_process
from core.tables import ReadOptions, read_dataset, reading
from core.tables.delimited import read_delimited
from core.tables.reading import read_apart, read_binary
from core.words import say, speaking
from tests.kinds import Patch
from tests.workbooks import with_part_changed, workbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
BOUNDS = "takes more than 1 GiB of memory or 4 seconds, the bounds for a file of its size"
OPTIONS = ReadOptions(missing_spellings=("NA",))


def with_part(data: bytes, part: str, content: str) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as target:
        target.writestr(part, content)
    return out.getvalue()


def small() -> bytes:
    return workbook(S=[["a", "b"], ["x", 1], ["NA", 2]])


def in_parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def there_read(data: bytes, *, name: str, kind: str = "binary") -> tuple[pa.Table, reading.Reading]:
    return read_apart(pa.py_buffer(data), n_bytes=len(data), name=name, options=OPTIONS, kind=kind)


def test_read_apart__gives_what_reading_here_gives() -> None:
    hidden = workbook(S=[["title"], ["a", "b"], ["x", 1]], T=[["note"]])
    numbers = in_parquet(pa.table({"n": list(range(200_000)), "t": ["x", None] * 100_000}))
    for data in (small(), hidden, numbers):
        here = read_binary(pa.py_buffer(data), name="t", options=OPTIONS)
        there = there_read(data, name="t")
        assert there[0].equals(here[0])
        assert there[1] == here[1]
    with pytest.raises(AuditInputError) as said_here:
        read_binary(pa.py_buffer(small()[:300]), name="t.xlsx", options=OPTIONS)
    with pytest.raises(AuditInputError) as said_there:
        there_read(small()[:300], name="t.xlsx")
    assert said_there.value.problems == said_here.value.problems


FAR_CELL = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
HUGE_COUNT = f'<sst xmlns="{MAIN}" count="4000000000" uniqueCount="4000000000"><si><t>a</t></si></sst>'
KILLERS = {
    "a count of shared texts": lambda: with_part(small(), "xl/sharedStrings.xml", HUGE_COUNT),
    "a part in other case": lambda: with_part_changed(
        small(), "xl/worksheets/sheet1.xml", b"</sheetData>", FAR_CELL, renamed="xl/Worksheets/SHEET1.XML"
    ),
    "an element beyond ASCII": lambda: with_part_changed(
        small(), "xl/worksheets/sheet1.xml", b"</sheetData>", FAR_CELL.replace(b"c r", "é:c r".encode())
    ),
    "a dictionary of long texts": lambda: in_parquet(
        pa.table({"a": pa.array(["x" * 100_000]).dictionary_encode().take(pa.array([0] * 60_000))})
    ),
}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("killer", KILLERS)
def test_read_dataset__a_file_that_ends_its_reader_is_one_sentence(killer: str) -> None:
    data = KILLERS[killer]()
    assert len(data) < 20_000
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data, name="t.xlsx")
    (problem,) = caught.value.problems
    assert problem.startswith("t.xlsx: ")
    assert BOUNDS in problem or "is damaged" in problem or "would unpack to 6,000 MB" in problem
    assert read_dataset(small(), name="next.xlsx").n_records == 2


@pytest.mark.slow
def test_read_dataset__reads_large_text_elsewhere(monkeypatch: Patch) -> None:
    data = b"id,word\n" + b"".join(b"%d,w%d\n" % (i, i % 7) for i in range(400_000))
    here = read_delimited(pa.py_buffer(data), name="t", options=ReadOptions())
    monkeypatch.setattr(reading, "WORTH_A_PROCESS", 1000)
    for shared in (True, False):
        monkeypatch.setattr(bounded_process, "HAS_SHARED_MEMORY", shared)
        there = read_dataset(data, name="t")
        assert there.table.equals(here[0])
        assert there.reading == here[1]


@pytest.mark.slow
def test_read_apart__notes_and_what_stands_beside_can_be_said_in_other_languages() -> None:
    _, found = there_read(workbook(S=[["a", "", "a"], ["x", 1, 2]], Key=[["secret"]]), name="t.xlsx")
    with speaking("brackets"):
        assert [say(note) for note in found.notes] == [
            "⟦The workbook has 2 sheets; “S” was read.⟧",
            "⟦Column 2 has no name and is called “Unnamed: 2”.⟧",
            "⟦Column names that occur more than once were numbered: “a_2”.⟧",
        ]
        assert [say(one.what) for one in found.beside if one.sheet] == ["⟦the sheet “Key”⟧"]
        assert say(found.summary) == "⟦XLSX⟧, ⟦sheet “S”⟧, ⟦header in row 1⟧"


@pytest.mark.slow
def test_limit__binds_the_process_that_reads() -> None:
    code = (
        "import resource; from core.processes.bounds import Bounds, limit, memory_bound\n"
        "limit(Bounds(memory_bound(100), 10))\n"
        "for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE): assert resource.getrlimit(kind)[0] == 0\n"
        "bytearray(memory_bound(100) // 2)\n"
        "bytearray(memory_bound(100) * 5 // 4)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=bounded_process.ROOT)
    assert "MemoryError" in done.stderr
    assert "line 5" in done.stderr
