"""Hostile files for every reader: small good ones, changed by a seeded hand, and some made to kill.

Every good file holds the planted value; no message may ever show it.
"""

import functools
import gzip
import io
import json
import random
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import skops.io
from pyarrow import feather, parquet
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

from tests.hostile.filed import FILED, filed_killers, rewritten
from tests.vcf_files import bcf, bgzf, masked_header, vcf_text
from tests.workbooks import with_part_changed

PLANTED = "Novakplanted"
ROWS = [["name", "born", "town", "income"]] + [
    [PLANTED, f"19{60 + i % 30}-0{i % 9 + 1}-11", "Ptuj" if i % 2 else "서울", str(1000 + 7 * i)]
    for i in range(40)
]


class Hostile(NamedTuple):
    """A file, the reader it is meant for, and how it came to be."""

    reader: str
    how: str
    given: bytes | Callable[[], bytes]  # a function makes what takes long to make

    @property
    def data(self) -> bytes:
        """Return its bytes."""
        return self.given if isinstance(self.given, bytes) else self.given()


def delimited(delimiter: str = ",", end: str = "\n", encoding: str = "utf-8") -> bytes:
    text = end.join(
        delimiter.join(f'"{cell}"' if i % 3 else cell for i, cell in enumerate(row)) for row in ROWS
    )
    return (text + end).encode(encoding, "replace")


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("notes").append([PLANTED])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def in_parquet(compression: str) -> bytes:
    columns = list(zip(*ROWS[1:], strict=True))
    out = io.BytesIO()
    parquet.write_table(pa.table(dict(zip(ROWS[0], columns, strict=True))), out, compression=compression)
    return out.getvalue()


def in_feather() -> bytes:
    columns = list(zip(*ROWS[1:], strict=True))
    out = io.BytesIO()
    feather.write_feather(pa.table(dict(zip(ROWS[0], columns, strict=True))), out)
    return out.getvalue()


def in_json_lines() -> bytes:
    records = (dict(zip(ROWS[0], row, strict=True)) | {"name": [{"given": [PLANTED]}]} for row in ROWS[1:])
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def statistical(ending: str) -> bytes:
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[ending]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"t.{ending}")
        write(pd.DataFrame(ROWS[1:], columns=ROWS[0]).astype(str), path)
        return path.read_bytes()


def log_in_xes() -> bytes:
    events = "".join(
        f'<event><string key="concept:name" value="{row[0]}"/>'
        f'<date key="time:timestamp" value="{row[1]}T10:00:00"/></event>'
        for row in ROWS[1:]
    )
    trace = f'<trace><string key="concept:name" value="1"/>{events}</trace>'
    return f'<?xml version="1.0"?><log xes.version="1.0">{trace}</log>'.encode()


def log_in_json() -> bytes:
    entries = {name: {"semantic": name, "action": "keep", "note": PLANTED} for name in ROWS[0]}
    return json.dumps({"_meta": {"mode": "low"}, "log_info": entries}).encode()


def mapping_in_csv() -> bytes:
    return ("event,class\n" + "".join(f"{PLANTED}{i},class{i % 3}\n" for i in range(20))).encode()


def mapping_in_json() -> bytes:
    return json.dumps({f"{PLANTED}{i}": f"class{i % 3}" for i in range(20)}).encode()


def hierarchy() -> bytes:
    return "".join(f"{PLANTED}{i};group {i // 4};*\n" for i in range(20)).encode()


def model(kind: str) -> bytes:
    numbers = [[i % 5, i % 7] for i in range(40)]
    labels = [PLANTED if i % 3 else "other" for i in range(40)]
    fitted = SVC() if kind == "svm" else RandomForestClassifier(2, max_depth=2, random_state=0)
    return bytes(skops.io.dumps(fitted.fit(numbers, labels)))


def genome(kind: str) -> bytes:
    lines = [f"chr1 {100 * i} . A {'G' if i % 2 else 'ACACACACAC'} . . AF=0.00{i % 9}" for i in range(1, 30)]
    text = vcf_text(lines, header=masked_header())
    if kind == "text":
        return text
    if kind == "bgzf":
        return bgzf(text, block=300)
    return bcf(text)


GOOD: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "csv": ("table", delimited),
    "semicolons and CR": ("table", lambda: delimited(";", "\r")),
    "tabs in UTF-16": ("table", lambda: delimited("\t", "\r\n", "utf-16")),
    "csv in CP949": ("table", lambda: delimited(",", "\n", "cp949")),
    "workbook": ("table", workbook),
    "parquet": ("table", lambda: in_parquet("snappy")),
    "parquet, nothing packed": ("table", lambda: in_parquet("none")),
    "Feather": ("table", in_feather),
    "JSON lines": ("table", in_json_lines),
    "SPSS": ("table", lambda: statistical("sav")),
    "Stata": ("table", lambda: statistical("dta")),
    "SAS transport": ("table", lambda: statistical("xpt")),
    "XES": ("table", log_in_xes),
    "XES in gzip": ("table", lambda: gzip.compress(log_in_xes(), mtime=0)),
    "log": ("log", log_in_json),
    "mapping in CSV": ("mapping", mapping_in_csv),
    "mapping in JSON": ("mapping", mapping_in_json),
    "hierarchy": ("hierarchy", hierarchy),
    "forest": ("model", lambda: model("forest")),
    "support vectors": ("model", lambda: model("svm")),
    "VCF": ("vcf", lambda: genome("text")),
    "VCF in BGZF": ("vcf", lambda: genome("bgzf")),
    "BCF": ("vcf", lambda: genome("bcf")),
    **FILED,
}


@functools.cache
def good(kind: str) -> bytes:
    return GOOD[kind][1]()


PIECES = (
    b"\x00", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x80\x00\x00\x00",
    b"\xed\xa0\x80", b"\r", b"\n\n\n", b'"', b'""', b'"\n', b",,,,,,", b"\t", b"\x1b[31m", b"\xef\xbb\xbf",
    b"[" * 5000, b"{" * 5000, b"9" * 6000, b"-1", b"1e999", b"nan", b"<", b"</", b"&#x0;", b"&a;", b"]]>",
    b"PK\x03\x04", b"PAR1", b"\\ud800", b"##INFO=<", b"\x1f\x8b", b"=cmd", b";" * 3000, b":" * 3000,
    b"/" * 3000,
)  # fmt: skip


def changed(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    """Return a file after one to three changes, and what they were."""
    said = []
    for _ in range(draw.choice((1, 1, 2, 3))):
        what, data = draw.choice(CHANGES)(data, draw)
        said.append(what)
    return ", ".join(said), data


def _flip(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    out = bytearray(data)
    for _ in range(draw.choice((1, 2, 8, 40))):
        if out:
            out[draw.randrange(len(out))] = draw.randrange(256)
    return "bytes changed", bytes(out)


def _cut(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    at = draw.randrange(len(data) + 1)
    return "cut off", data[:at]


def _remove(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    at = draw.randrange(len(data) + 1)
    return "a part removed", data[:at] + data[at + draw.randrange(1, 400) :]


def _repeat(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    at = draw.randrange(len(data) + 1)
    piece = data[at : at + draw.randrange(1, 200)]
    return "a part repeated", data[:at] + piece * draw.choice((2, 50, 3000)) + data[at:]


def _insert(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    at = draw.randrange(len(data) + 1)
    return "a piece inserted", data[:at] + draw.choice(PIECES) + data[at:]


def _number(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    at = draw.randrange(len(data) + 1)
    number = struct.pack(draw.choice("<> ").strip() + "i", draw.choice((-1, 0, 1 << 30, (1 << 31) - 1, 4096)))
    return "a number changed", data[:at] + number + data[at + 4 :]


def _repack(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    """Change what an archive packs, so that the archive itself is whole."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(member.filename, archive.read(member)) for member in archive.infolist()]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError, RuntimeError):
        return _flip(data, draw)
    except Exception:  # whatever a damaged archive raises
        return _flip(data, draw)
    if not members:
        return _cut(data, draw)
    which = draw.randrange(len(members))
    what, content = draw.choice(PACKED)(members[which][1], draw)
    name = members[which][0]
    renamed = draw.choice((name, name, name, name.upper(), name + "é", "../" + name))
    members[which] = (renamed, content)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, text in members:
            archive.writestr(each, text)
    return f"{what} in a part", out.getvalue()


def packed_changes(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    """Return bytes after one change."""
    return draw.choice(PACKED)(data, draw)


def _rewrite(data: bytes, draw: random.Random) -> tuple[str, bytes]:
    """Change what a document says, so that it is whole and its own digests fit."""
    changed = rewritten(data, draw)
    return ("a value rewritten", changed) if changed else _flip(data, draw)


PACKED = (_flip, _cut, _remove, _repeat, _insert, _number)
CHANGES = (*PACKED, _repack, _repack, _rewrite, _rewrite)


def killers() -> Iterator[Hostile]:
    """Yield files that ended, froze or filled a process once, or are of such a kind."""
    names = ",".join(f"c{i}" for i in range(100_000))
    yield Hostile("table", "100,000 columns", f"{names}\n{names}\n".encode())
    yield Hostile("table", "blank columns", (b"," * 150_000 + b"\n") * 20)
    yield Hostile("table", "a cell of 40 MB", b"a,b\n1," + b"x" * (40 << 20) + b"\n")
    yield Hostile("table", "a quotation mark never closed", b'a,b\n1,"' + b"x,y\n" * 200_000)
    yield Hostile("table", "only quotation marks", b'"' * 300_000)
    yield Hostile("table", "short lines", b"a\n" + b"\n" * 300_000 + b"b\n")
    yield Hostile("table", "every line of another length", b"".join(b"," * i + b"\n" for i in range(800)))
    yield Hostile("table", "repeated names", b",".join([b"a"] * 19_000) + b"\n" + b"," * 18_999 + b"\n")
    for part, packed in (("long", 100_000), ("short", 10)):
        texts = pa.array(["x" * packed]).dictionary_encode().take(pa.array([0] * 60_000))
        out = io.BytesIO()
        parquet.write_table(pa.table({"a": texts}), out)
        yield Hostile("table", f"a dictionary of one {part} text", out.getvalue())
    out = io.BytesIO()
    parquet.write_table(pa.table({"a": pa.nulls(60_000_000, pa.string())}), out)
    yield Hostile("table", "60,000,000 blank cells in Parquet", out.getvalue())
    yield Hostile("table", "names that are no UTF-8", in_parquet("none").replace(b"born", b"b\xff\xfen"))
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    for how, tag in (
        ("a cell far away", far),
        ("an element beyond ASCII", far.replace(b"<c", "<é:c".encode())),
    ):
        yield Hostile(
            "table", how, with_part_changed(workbook(), "xl/worksheets/sheet1.xml", b"</sheetData>", tag)
        )
    yield Hostile(
        "table", "a bomb in XES", gzip.compress(log_in_xes().replace(b"<trace>", b" " * (200 << 20)), 9)
    )
    deep = b"<string key='a' value='b'>" * 100_000
    yield Hostile("table", "XES nested deeply", log_in_xes().replace(b"<event>", b"<event>" + deep, 1))
    keys = ",".join(f'"k{i % 3}":{{"semantic":"x","action":"y"}}' for i in range(100_000))
    for reader in ("log", "mapping"):
        yield Hostile(reader, "brackets that never close", b"[" * 1_000_000)
        yield Hostile(reader, "braces that never close", b'{"a":' * 500_000)
        yield Hostile(reader, "repeated keys", f'{{"log_info":{{{keys}}}}}'.encode())
        yield Hostile(reader, "a number of 100,000 digits", b'{"log_info": ' + b"9" * 100_000 + b"}")
        yield Hostile(reader, "half a character", b'{"log_info": {"a\\ud800": "\\udfff"}}')
    yield Hostile("mapping", "half a character as text", b'{"a\\ud800": "b"}')
    yield Hostile("mapping", "CR line ends", mapping_in_csv().replace(b"\n", b"\r"))
    yield Hostile("mapping", "a line for every problem", b"event,class\n" + b"a,\n" * 200_000)
    yield from (Hostile(reader, how, data) for reader, how, data in filed_killers())
    line = b'##INFO=<ID=a,Number=1,Type=String,Description="%s">\n'
    for shape in (b"a/", b"/", b"\\", b"C[", b"a:", b"=", b"19", b"a@", b"-a="):
        text = genome("text").replace(
            b"##cmdline", line % (shape * (200_000 // len(shape))) + b"##cmdline", 1
        )
        yield Hostile("vcf", f"a header line of {shape.decode()}", text)
    yield Hostile(
        "vcf",
        "short header lines",
        genome("text").replace(b"##cmdline", b"##a=b\n" * 100_000 + b"##cmdline", 1),
    )
    record = genome("text").rstrip(b"\n").rsplit(b"\n", 1)[1]
    yield Hostile("vcf", "30,000 records at a site", genome("text") + (record + b"\n") * 30_000)
    cells = record.split(b"\t")
    cells[4] = b",".join([b"G", b"T"] * 50_000)
    yield Hostile("vcf", "100,000 ALTs at a site", genome("text") + b"\t".join(cells) + b"\n")


def hostile_file(number: int) -> Hostile:
    """Return one file of the corpus; the same number gives the same file."""
    draw = random.Random(number)  # noqa: S311 - repeatable, not secret
    kind = list(GOOD)[number % len(GOOD)]
    how, data = changed(good(kind), draw)
    return Hostile(GOOD[kind][0], f"{kind}, {how} ({number})", data)
