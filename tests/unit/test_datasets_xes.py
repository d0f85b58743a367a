"""Event logs in XES: what is read, and what is refused before it can do harm."""

import gzip
import zlib

import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.tables import Dataset, ReadOptions, read_dataset
from core.tables import xes as xes_reading
from core.tables.reading import READERS

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0" xmlns="http://www.xes-standard.org/">'
EVENT = (
    '<event><string key="concept:name" value="vpis"/>'
    '<date key="time:timestamp" value="2024-01-08T10:00:00.000+01:00"/>'
    '<int key="cost" value="3"><string key="unit" value="EUR"/></int></event>'
)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read here, where a test can lower a bound; test_reading_apart.py reads in the other process."""

    def read_here(data: pa.Buffer, *, n_bytes: int, name: str, options: ReadOptions, kind: str) -> object:
        assert n_bytes == data.size
        return READERS[kind](data, name=name, options=options)

    monkeypatch.setattr("core.tables.reading.read_apart", read_here)


def log(*cases: str, extra: str = "") -> bytes:
    traces = "".join(f'<trace><string key="concept:name" value="{case}"/>{EVENT}</trace>' for case in cases)
    default = "<global scope='event'><string key='concept:name' value='none'/></global>"
    return f"{HEAD}{default}{extra}{traces}</log>".encode()


def read(data: bytes) -> Dataset:
    return read_dataset(data, name="log.xes")


def problem(data: bytes) -> str:
    with pytest.raises(AuditInputError) as caught:
        read(data)
    return str(caught.value)


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lambda data: gzip.compress(data[:60]) + gzip.compress(data[60:])]
)
def test_read_xes__has_a_record_for_each_event(pack: object) -> None:
    dataset = read(pack(log("ana", "bor")))  # type: ignore[operator]
    assert dataset.columns == ("case:concept:name", "time:timestamp", "concept:name", "cost")
    assert dataset.table.to_pylist()[1] == {
        "case:concept:name": "bor",
        "time:timestamp": "2024-01-08T10:00:00.000+01:00",
        "concept:name": "vpis",
        "cost": "3",
    }
    assert (dataset.n_records, dataset.reading.summary) == (2, "XES")


def test_read_xes__leaves_cells_empty_and_bounds_events_and_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = '<trace><string key="ward" value="A"/><event><string key="concept:name" value="izpis"/>'
    extra += "</event></trace>"
    loose = '<event><string key="concept:name" value="loose"/></event>'
    rows = read(log("ana", extra=extra + loose)).table.to_pylist()
    assert [(row["case:concept:name"], row["case:ward"], row["concept:name"]) for row in rows] == [
        (None, "A", "izpis"),
        (None, None, "loose"),
        ("ana", None, "vpis"),
    ]
    monkeypatch.setattr(xes_reading, "MOST_EVENTS", 1)
    assert problem(log("ana", "bor")) == "log.xes: the XES file is not read: it has more than 1 events."
    monkeypatch.setattr(xes_reading, "MOST_COLUMNS", 2)
    assert "more than 2 different attributes" in problem(log("ana"))


def test_read_xes__refuses_what_expands() -> None:
    bomb = '<!DOCTYPE log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    data = log("&b;").replace(b"<log", bomb.encode() + b"<log")
    assert problem(data) == (
        "log.xes: the XES file declares a document type, which logs do not need and attacks use; it "
        "is not read. "
        "Export it without one."
    )
    outside = '<!DOCTYPE log SYSTEM "file:///etc/passwd">'
    assert "declares a document type" in problem(log("ana").replace(b"<log", outside.encode() + b"<log"))
    assert "compressed with gzip" in problem(gzip.compress(b"a,b\n1,2\n"))
    assert "compressed with gzip" in problem(b"\x1f\x8b\x08broken")
    assert "an XML document" in problem(b"<?xml version='1.0'?><people/>")
    damaged = bytearray(gzip.compress(log(*(str(n) for n in range(3000))), mtime=0))
    damaged[2000:2020] = bytes(20)
    with pytest.raises(AuditInputError):
        read(bytes(damaged))
    assert zlib.crc32(bytes(damaged))


def test_read_xes__refuses_what_unpacks_to_far_more_than_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xes_reading, "RATIO_FROM", 1 << 20)
    data = log("ana").replace(b"</log>", b" " * (8 << 20) + b"</log>")
    assert "unpacks to more than 200 times its size" in problem(gzip.compress(data))
    assert read(gzip.compress(log(*(f"case {n}" for n in range(5000))))).n_records == 5000
    monkeypatch.setattr(xes_reading, "LARGEST_TEXT", 1000)
    assert "it is not read" in problem(log(*"abcdefgh"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (log("ana")[:-9], "the XES file is damaged or cut off in line 2"),
        (gzip.compress(log("ana"))[:-12], "the gzip file is cut off"),
        (HEAD.encode() + b"</log>", "it has no event"),
        (log("ana").replace(b"vpis", b"v" * 70_000), "a value is longer than 65,536 characters"),
        (log("ana", extra="<list key='a'>" * 120 + "</list>" * 120), "nested more than 100 deep"),
        (
            log("ana").replace(b"<log", b"<x><log").replace(b"</log>", b"</log></x>"),
            "its outermost element is not a log",
        ),
    ],
)
def test_read_xes__says_in_a_sentence_what_is_wrong(data: bytes, words: str) -> None:
    assert words in problem(data)
