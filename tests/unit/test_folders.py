"""Folders as inputs: what is in them beside is named, and nothing audited is never exit 0."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from core.__main__ import main
from core.files.own_reports import is_own_report
from core.languages import LANGUAGES
from core.reports import RENDERERS
from core.words import speaking
from tests.report_examples import report

WORDS = {  # of the tools that read files, with an input at {0}
    "tabular": ["{0}"],
    "leakage": ["{0}", "{0}"],
    "risk": ["{0}"],
    "dataset": ["{0}"],
    "events": ["{0}"],
    "diversity": ["{0}"],
    "vcf": ["-o", "{0}", "-a", "{0}"],
    "verify": ["{0}"],
    "compare": ["{0}", "{0}"],
    "decide": ["{0}"],
}
OWN_FOLDER = ("tabular", "dataset", "vcf")  # that take every file of a folder for an input of theirs


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


NOTHING: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "sub-folder": Path.mkdir,
    "gone": lambda path: path.symlink_to("nowhere.csv"),
    "notes.pdf": lambda path: path.write_bytes(b"%PDF-1.4"),
    "table_with_header_only.jpg": lambda path: path.write_bytes(b"\xff\xd8\xff"),
}


@pytest.mark.parametrize("tool", WORDS)
def test_nothing_audited__is_exit_code_2_and_a_sentence(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, make in ({"empty": lambda _path: None} | NOTHING).items():
        folder = Path(f"of_{name}")
        folder.mkdir()
        make(folder / name)
        for form in ([], ["--json"])[: 1 if tool == "decide" else 2]:
            assert main([tool, *(word.format(folder) for word in WORDS[tool]), *form]) == 2, name
            printed = capsys.readouterr()
            assert "error: " in printed.err, name
            told = json.loads(printed.out)["errors"] if form else []
            assert all(each["message"] in printed.err for each in told), name
            assert bool(told) == bool(printed.out), name
            if tool in OWN_FOLDER and name != "empty":
                assert name in printed.err
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"of_{name}" for name in ("empty", *NOTHING)
    )


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["tabular", "dataset"])
def test_passed_over__is_named_beside_what_is_audited(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    main(["demo", tool, str(folder)])
    capsys.readouterr()
    main([tool, str(folder), "--json"])
    before = capsys.readouterr()
    for name, make in NOTHING.items():
        make(folder / name)
    _file_reports(folder)
    main([tool, str(folder), "--json"])
    after = capsys.readouterr()
    assert _without_times(after.out) == _without_times(before.out)
    named = set(after.err.splitlines()) - set(before.err.splitlines())
    assert len(named) == 4
    assert all(any(f"`{name}`" in line for line in named) for name in NOTHING)


def _without_times(printed: str) -> object:
    document = json.loads(printed)
    for file in document.get("files", ()):
        file.pop("seconds", None)
    return {key: part for key, part in document.items() if key not in ("created_at", "digests")}


def _file_reports(folder: Path) -> list[Path]:
    """File a report in each format and language."""
    for code in LANGUAGES:
        with speaking(code):
            for name, each in RENDERERS.items():
                data = each.function(report())
                (folder / f"{code}_{name}.{each.extension}").write_bytes(data)
    return [path for path in folder.iterdir() if path.stem.partition("_")[0] in LANGUAGES]


def test_is_own_report__knows_each_format_in_each_language(tmp_path: Path) -> None:
    written = _file_reports(tmp_path)
    assert len(written) == len(LANGUAGES) * len(RENDERERS)
    assert [path.name for path in written if not is_own_report(path)] == []


@pytest.mark.slow
def test_is_own_report__knows_what_commands_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    main(["demo", "tabular", "tables"])
    main(["demo", "vcf", "genomes"])
    for headers in ("ko", "en"):
        main(["tabular", "tables", "--headers", headers, "--report-dir", headers, "--report", "filed"])
    main(["vcf", "-o", "genomes", "-a", "genomes", "--report-dir", "out"])
    written = [path for name in ("ko", "en", "filed", "out") for path in (tmp_path / name).iterdir()]
    assert len(written) >= 7
    assert [path.name for path in written if path.is_file() and not is_own_report(path)] == []


@pytest.mark.parametrize(
    "data",
    [
        b"File name,Anonymization result\nx,PASS\n",
        b"filename,origin,check,verdict,n_affected,message,remedy,places,patient\n1,2,3,4,5,6,7,8,9\n",
        b'{"report_format": 2, "patients": []}',
        b"<!doctype html>\n<table><tr><td>AnonAudit</td></tr></table>",
        b"PK\x03\x04",
        b"",
    ],
)
def test_is_own_report__takes_no_data_for_one(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    assert not is_own_report(tmp_path / "a")


def test_is_own_report__a_workbook_of_the_same_author_is_data(tmp_path: Path) -> None:
    from openpyxl import Workbook  # noqa: PLC0415 - for this test alone

    workbook = Workbook()
    workbook.properties.creator = "AnonAudit"
    for name in ("persons", "stays"):
        workbook.create_sheet(name)
    workbook.save(tmp_path / "a.xlsx")
    assert not is_own_report(tmp_path / "a.xlsx")


@pytest.mark.slow
def test_tabular__writes_no_report_among_its_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    main(["demo", "tabular", "in"])
    before = sorted((tmp_path / "in").iterdir())
    main(["tabular", "in"])
    assert sorted((tmp_path / "in").iterdir()) == before
    assert len([*(tmp_path / "reports").iterdir()]) == 1
