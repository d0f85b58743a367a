"""A data set in one workbook: every sheet that holds a table is one of its tables."""

import json
from pathlib import Path

import pytest
from openpyxl import Workbook

from core.__main__ import main
from core.at_hand import Source
from core.delivery import audit_delivery, named_tables
from core.delivery.views import facts_of_tables
from core.filed import Sameness, read_report, repeat_report
from core.tables import Dataset, ReadOptions, read_dataset, read_sheets
from core.triage import GivenFile, offers
from core.verdict import Verdict

PERSONS = [["pid", "sex", "region"], *([f"P{n}", "fm"[n % 2], "abc"[n % 3]] for n in range(60))]
VISITS = [["pid", "ward"], *([f"P{n * 7 % 60}", "xyz"[n * n % 3]] for n in range(150))]
NOTES = [["About"], ["Written in May"]]


def book(folder: Path, *, name: str = "book.xlsx", **sheets: list[list[str]]) -> Path:
    """Write a workbook; sheets called `hidden…` are hidden."""
    written = Workbook()
    written.remove(written["Sheet"])
    for title, rows in sheets.items():
        sheet = written.create_sheet(title)
        sheet.sheet_state = "hidden" if title.startswith("hidden") else "visible"
        for row in rows:
            sheet.append(row)
    written.save(folder / name)
    return folder / name


def tables_of(path: Path, options: ReadOptions | None = None) -> list[Dataset]:
    return read_sheets(lambda asked: read_dataset(path, options=asked), options or ReadOptions())


def names(path: Path, options: ReadOptions | None = None) -> list[str]:
    return [*named_tables(tables_of(path, options))]


def test_read_sheets__takes_every_table_and_no_notes(tmp_path: Path) -> None:
    path = book(tmp_path, notes=NOTES, persons=PERSONS, hidden_visits=VISITS)
    assert names(path) == ["book persons", "book hidden_visits"]
    assert names(path, ReadOptions(sheet="persons")) == ["book"]
    assert names(book(tmp_path, name="one.xlsx", persons=PERSONS)) == ["one"]


def test_audit__joins_the_sheets_and_warns_of_what_is_no_table(tmp_path: Path) -> None:
    tables = tables_of(book(tmp_path, notes=NOTES, persons=PERSONS, hidden_visits=VISITS))
    findings = audit_delivery(tables).findings
    assert "joined_k" in [each.check for each in findings]
    beside = [each for each in findings if each.check == "beside_the_table"]
    assert [each.verdict for each in beside] == [Verdict.WARN]
    assert beside[0].message.startswith("book.xlsx: The file holds more than the table: the sheet “notes”")
    alone = audit_delivery(
        tables_of(book(tmp_path, name="alone.xlsx", persons=PERSONS, visits=VISITS))
    ).findings
    assert "beside_the_table" not in [each.check for each in alone]


def test_facts__name_a_workbook_once_with_its_sheets(tmp_path: Path) -> None:
    path = book(tmp_path, persons=PERSONS, visits=VISITS)
    (facts,) = facts_of_tables(tables_of(path))
    assert (facts.name, facts.reading) == ("book.xlsx", "XLSX, sheets `persons`, `visits`")
    assert facts.options is not None
    assert facts.options["sheet"] is None


@pytest.mark.parametrize("sheet", [None, "visits"])
def test_command__reads_all_sheets_and_its_report_is_repeated_alike(
    sheet: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = book(tmp_path, persons=PERSONS, visits=VISITS)
    other = tmp_path / "other.csv"
    other.write_text("pid,kind\n" + "".join(f"P{n},{'uv'[n % 2]}\n" for n in range(60)))
    asked = [] if sheet is None else ["--sheet", sheet]
    folder = tmp_path / "out"
    main(["dataset", str(path), str(other), *asked, "--json", "--report", str(folder), "--formats", "json"])
    document = json.loads(capsys.readouterr().out)
    ours = ["book persons", "book visits"] if sheet is None else ["book"]
    assert [each["table"] for each in document["tables"]] == [*ours, "other"]
    report = read_report(next(folder.glob("anonaudit_dataset*.json")))
    files = [Source("renamed.xlsx", path), Source("other.csv", other)]
    assert repeat_report(report, files).sameness is Sameness.SAME


def test_home__offers_data_set_for_a_workbook_of_several_tables(tmp_path: Path) -> None:
    path = book(tmp_path, persons=PERSONS, visits=VISITS)
    (first, *_) = offers([GivenFile(name=path.name, table=read_dataset(path))])
    assert (first.tool, first.places) == ("dataset", {"tables": ("book.xlsx",)})
    covered = book(tmp_path, name="covered.xlsx", notes=NOTES, persons=PERSONS)
    assert "dataset" not in [each.tool for each in offers([GivenFile(name="x", table=read_dataset(covered))])]
