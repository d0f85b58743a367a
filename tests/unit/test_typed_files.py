"""Feather, JSON lines, SPSS, Stata and SAS: what is read from them, and every way they can be unusable."""

import datetime as dt
import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from pyarrow import feather

from core.errors import AuditInputError
from core.tables import Dataset, read_dataset
from tests.saying import Saying

PEOPLE = pd.DataFrame(
    {
        "id": [1, 2, 3],
        "weight": [31.0, None, 40.5],
        "sex": [1, 2, 1],
        "born": [dt.date(1958, 3, 12), None, dt.date(1960, 1, 1)],
        "seen": pd.to_datetime(["2020-01-01 10:20:30", None, "2021-05-05 00:00:00"]),
        "name": ["Ana Kos", "", "Eva"],
        "large": [12_345_678_901, 2, 3],
    }
)
CELLS = {
    "id": ["1", "2", "3"],
    "weight": ["31", None, "40.5"],
    "sex": ["1", "2", "1"],
    "born": ["1958-03-12", None, "1960-01-01"],
    "seen": ["2020-01-01 10:20:30", None, "2021-05-05 00:00:00"],
    "name": ["Ana Kos", None, "Eva"],
    "large": ["12345678901", "2", "3"],
}
WRITERS: dict[str, Callable[..., None]] = {
    "sav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
    "por": pyreadstat.write_por,
    "xpt": pyreadstat.write_xport,
}
LABELS = {"sex": {1: "male", 2: "female", 3: "Janez Novak"}}


def read(path: Path) -> Dataset:
    return read_dataset(path)


def lines(*records: str, end: str = "\n") -> Dataset:
    return read_dataset(end.join(records).encode(), name="t.jsonl")


def beside(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    return {each.what: each.texts for each in dataset.reading.beside}


def _places(data: bytes, start: int) -> tuple[int, ...]:
    """Return where the parts of a Stata file begin, as it says."""
    return struct.unpack_from("<14Q", data, start)


@pytest.mark.parametrize(
    ("ending", "kind"),
    [("sav", "SPSS"), ("dta", "Stata"), ("por", "SPSS portable"), ("xpt", "SAS transport")],
)
def test_read_dataset__reads_stored_values_of_statistical_files(
    ending: str, kind: str, tmp_path: Path
) -> None:
    WRITERS[ending](PEOPLE, tmp_path / f"t.{ending}")
    dataset = read(tmp_path / f"t.{ending}")
    found = {name.lower(): cells for name, cells in dataset.table.to_pydict().items()}
    assert (found, dataset.reading.summary, dataset.reading.format) == (CELLS, kind, kind)


def test_read_dataset__puts_labels_notes_and_attributes_beside_the_table(tmp_path: Path) -> None:
    said: dict[str, Any] = {"variable_value_labels": LABELS, "column_labels": {"weight": "Weight of Ana"}}
    pyreadstat.write_sav(PEOPLE, tmp_path / "t.sav", **said, note="made by Ana", file_label="Ptuj")
    pyreadstat.write_dta(PEOPLE, tmp_path / "t.dta", **said)
    labels = {"labels of values": ("male", "female", "Janez Novak"), "labels of columns": ("Weight of Ana",)}
    assert beside(read(tmp_path / "t.dta")) == labels
    rest = {"notes": ("made by Ana",), "the file's label": ("Ptuj",)}
    assert beside(read(tmp_path / "t.sav")) == labels | rest


def test_read_dataset__finds_attributes_that_no_reader_hands_out(tmp_path: Path) -> None:
    pyreadstat.write_dta(PEOPLE, tmp_path / "t.dta")
    plain = (tmp_path / "t.dta").read_bytes()
    empty = b"<characteristics></characteristics>"
    assert empty in plain
    note = b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + b"asked Janez Novak\0"
    filled = empty.replace(b"><", b"><ch>" + len(note).to_bytes(4, "little") + note + b"</ch><")
    places = plain.index(b"<map>") + 5
    moved = [
        each + (len(filled) - len(empty)) * (each > plain.index(empty)) for each in _places(plain, places)
    ]
    mapped = plain[:places] + struct.pack("<14Q", *moved) + plain[places + 14 * 8 :]
    found = read_dataset(mapped.replace(empty, filled), name="t.dta")
    assert found.table.to_pydict() == CELLS
    assert "asked Janez Novak" in beside(found)["attributes of the file or its columns"]
    pyreadstat.write_sav(PEOPLE, tmp_path / "t.sav")
    spss, text = (tmp_path / "t.sav").read_bytes(), b"owner('Janez Novak'\n)"
    end = spss.index((999).to_bytes(4, "little"))
    head = b"".join(each.to_bytes(4, "little") for each in (7, 17, 1, len(text)))
    found = read_dataset(spss[:end] + head + text + spss[end:], name="t.sav")
    assert found.table.to_pydict() == CELLS
    assert "owner('Janez Novak'" in beside(found)["attributes of the file or its columns"]


def test_read_dataset__keeps_what_a_person_called_missing_in_spss(tmp_path: Path) -> None:
    pyreadstat.write_sav(PEOPLE, tmp_path / "t.sav", missing_ranges={"sex": [2]})
    assert read(tmp_path / "t.sav").table["sex"].to_pylist() == ["1", "2", "1"]


@pytest.mark.parametrize(("ending", "program"), [("sav", "SPSS"), ("dta", "Stata"), ("xpt", "SAS")])
def test_read_dataset__says_that_a_statistical_file_is_damaged(
    ending: str, program: str, tmp_path: Path
) -> None:
    WRITERS[ending](PEOPLE, tmp_path / f"t.{ending}")
    data = (tmp_path / f"t.{ending}").read_bytes()
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data[: 200 if ending == "sav" else len(data) // 2], name=f"t.{ending}")
    assert caught.value.problems == (Saying(f"t.{ending}: the file of {program} is damaged, …"),)


def test_read_dataset__refuses_a_transport_file_of_several_tables(tmp_path: Path) -> None:
    pyreadstat.write_xport(PEOPLE, tmp_path / "t.xpt", file_format_version=5)
    data = (tmp_path / "t.xpt").read_bytes()
    member = data[data.index(b"HEADER RECORD*******MEMBER") :]
    with pytest.raises(AuditInputError, match="holds several tables"):
        read_dataset(data + member, name="t.xpt")


def test_read_dataset__reads_feather_and_values_of_dictionaries_that_no_cell_has(tmp_path: Path) -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, None, 0]), pa.array(["a", "Janez Novak"]))
    table = pa.table({"a": coded, "n": [1.5, 2.0, None], "d": [dt.date(2020, 1, 2), None, None]})
    for packing in ("lz4", "zstd", "uncompressed"):
        feather.write_feather(table, tmp_path / "t.feather", compression=packing)
        dataset = read(tmp_path / "t.feather")
        cells = {"a": ["a", None, "a"], "n": ["1.5", "2", None], "d": ["2020-01-02", None, None]}
        assert (dataset.table.to_pydict(), dataset.reading.format) == (cells, "Feather")
        assert beside(dataset)["values that no cell has"] == ("Janez Novak",)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (pa.table({"a": [[1], [2]]}), "t: column “a” holds lists or records …"),
        (pa.table({"a": pa.array([], pa.string())}), "t: the file holds no record. …"),
        (None, "t: the Feather file is damaged or cut off. …"),
    ],
)
def test_read_dataset__says_why_feather_is_unusable(table: pa.Table | None, problem: str) -> None:
    out = io.BytesIO(b"ARROW1" + bytes(90))
    if table is not None:
        feather.write_feather(table, out)
    with pytest.raises(AuditInputError) as caught:
        read_dataset(out.getvalue(), name="t")
    assert caught.value.problems == (Saying(problem),)


def test_read_dataset__flattens_records_to_the_paths_of_their_values() -> None:
    found = lines(
        '{"resourceType": "Patient", "id": "1", "n": 1.0, "name": [{"family": "K", "given": ["Eva", "Li"]}]}',
        "",
        '{"resourceType": "Patient", "id": "2", "name": [], "active": true, "n": null, "x": {}}',
        '{"id": "3", "name": [{"family": "Žagar"}], "active": false, "n": 12345678901234567890}',
    )
    assert found.reading.summary == "JSON lines"
    assert found.table.to_pydict() == {
        "resourceType": ["Patient", "Patient", None],
        "id": ["1", "2", "3"],
        "n": ["1.0", None, "12345678901234567890"],
        "name[0].family": ["K", None, "Žagar"],
        "name[0].given[0]": ["Eva", None, None],
        "name[0].given[1]": ["Li", None, None],
        "active": [None, "true", "false"],
    }


@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n  "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_read_dataset__reads_json_lines_however_they_end(start: str, end: str) -> None:
    assert lines(start + '{"a": 1}', '{"a": 2}', "", end=end).table.to_pydict() == {"a": ["1", "2"]}


def test_read_dataset__takes_one_resource_for_a_table_and_other_json_for_none() -> None:
    assert lines('{"resourceType": "Patient", "id": "1"}').table.to_pydict()["id"] == ["1"]
    for other in ('{"a": 1}', '{\n"log_info": {"a": 1}\n}', '[{"a": 1},\n{"a": 2}]', '[\n {"a": 1}]'):
        with pytest.raises(AuditInputError, match="the file is JSON, not a table"):
            lines(other)


def test_read_dataset__names_all_lines_that_are_no_record() -> None:
    good, deep = '{"a": 1}', '{"a": ' + "[" * 100_000
    bad = ['{"a": 2, "a": 3}', "[1]", "{", deep, '{"a.b": 1, "a": {"b": 2}}', "1", '{"a": {"b": 1, "b": 1}}']
    with pytest.raises(AuditInputError) as caught:
        lines(good, good, bad[0])
    assert caught.value.problems == (Saying("t.jsonl: line 3 is no record in JSON, or has one key twice. …"),)
    with pytest.raises(AuditInputError) as caught:
        lines(good, good, *bad)
    told = "t.jsonl: 7 lines are no records in JSON, or have one key twice: 3, 4, 5, 6, 7 and 2 more. …"
    assert caught.value.problems == (Saying(told),)
    with pytest.raises(AuditInputError, match="no line holds a value"):
        lines("{}", "{}")
