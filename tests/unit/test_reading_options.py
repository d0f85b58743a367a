"""How tables are read, in the same options of every command; and records behind findings, masked."""

import json
import zipfile
from pathlib import Path

import pytest

from core.__main__ import main
from tests.kinds import Told

ROWS = [("Žan", 31 + n % 3, ("m", "f")[n % 2], "NA" if n == 5 else str(n)) for n in range(24)]


def _table(folder: Path, name: str = "table.csv", rows: list[tuple[object, ...]] = ROWS) -> str:
    """Write a table that nothing but its options reads: two title lines, CP1250, a tilde between cells."""
    lines = ["Ward;1~", "Title~~", "name~age~sex~visits", *("~".join(map(str, row)) for row in rows)]
    (folder / name).write_bytes("\n".join(lines).encode("cp1250"))
    return str(folder / name)


READING = ["--encoding", "cp1250", "--delimiter", "tilde", "--header-row", "3", "--no-missing-words"]


def _calls(folder: Path) -> dict[str, list[str]]:
    table = _table(folder)
    _table(folder, "table_anonymized.csv")
    entries = {name: {"semantic": "other", "action": "keep"} for name in ("name", "age", "sex", "visits")}
    log = {"_meta": {"mode": "low"}, "log_info": entries}
    (folder / "table_anonymized_log.json").write_text(json.dumps(log), encoding="utf-8")
    events = ["x", "OD_ISO~GUID~dogodek", *(f"2024-01-0{1 + n % 7}~ž{n % 6}~A" for n in range(60))]
    (folder / "log.csv").write_bytes("\n".join(events).encode("cp1250"))
    return {
        "tabular": [table],
        "leakage": [table, table],
        "risk": [table, "--quasi-identifier", "age", "sex", "--earlier", table],
        "dataset": [table, _table(folder, "other.csv", ROWS[:20])],
        "diversity": [
            *(table, "--label", "sex", "--sensitive", "visits", "--quasi-identifier", "age"),
            *("--k-max", "2", "--bins", "2", "--categorical", "visits", "--leave-out", "name"),
        ],
    }


@pytest.mark.parametrize("tool", ["tabular", "leakage", "risk", "dataset", "diversity"])
def test_reading_options__hold_for_all_tables_of_a_command(tool: str, tmp_path: Path, capsys: Told) -> None:
    call = _calls(tmp_path)[tool]
    assert main([tool, *call, *READING, "--json"]) in (0, 1), capsys.readouterr().err
    json.loads(capsys.readouterr().out)
    wrong = [*READING[:5], "1", *READING[6:]]
    assert main([tool, *call, *wrong, "--json"]) == 2


def test_reading_options__of_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _calls(tmp_path)
    call = ["events", str(tmp_path / "log.csv"), "--k", "2", "--json"]
    assert main([*call, *READING[:4], "--header-row", "2"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["settings"]["user_column"] == "GUID"


@pytest.mark.slow
def test_no_missing_words_and_ignored_columns__hold_for_leakage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nNA,1\nNA,2\nx,3\ny,4\n")
    found = []
    for more in ([], ["--no-missing-words"]):
        main(["leakage", str(path), str(path), *more, "--json"])
        found.append(json.loads(capsys.readouterr().out)["mean_matching_cells"])
    assert found == [1.5, 2.0]
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\n1,-999,1\n2,5,-999\n3,6,7\n")
    documents = []
    for more in (["-999", "0,2"], ["--ignore-value", "-999", "--ignore-column", "0", "2"]):
        main(["leakage", str(path), str(path), *more, "--json"])
        documents.append(json.loads(capsys.readouterr().out))
    same = ("verdict", "figures", "findings", "columns", "attacks")
    assert [documents[0][key] for key in same] == [documents[1][key] for key in same]
    assert documents[0]["n_columns_compared"] == 1
    assert documents[0]["settings"]["ignore_values"] == ["-999"]
    given = ["--encoding", "klingon", "--delimiter", "~~", "--header-row", "top"]
    assert main(["leakage", "no.csv", "no.csv", *given]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "found"),
    [
        (["leakage", "survey.csv", "survey_leaking.csv"], "Original rows that are still there"),
        (["risk", "survey.csv", "--quasi-identifier", "age", "bmi"], "Smallest groups"),
    ],
)
def test_evidence__is_masked_and_only_there_when_asked_for(
    call: list[str],
    found: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "leakage", str(tmp_path)]) == 0
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    main([*call, "--json"])
    assert found not in {each["title"] for each in json.loads(capsys.readouterr().out)["tables"]}
    main([*call, "--json", "--evidence", "masked"])
    tables = json.loads(capsys.readouterr().out)["tables"]
    (shown,) = (each for each in tables if each["title"] == found)
    assert "99" in shown["rows"][0]
    main([*call, "--evidence", "masked"])
    printed = capsys.readouterr().out
    assert f"Evidence: {found}" in printed
    assert "university" not in printed


@pytest.mark.slow
def test_evidence__of_a_table_and_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "tabular", str(tmp_path)]) == 0
    capsys.readouterr()
    main(["tabular", str(tmp_path / "lab_results.csv"), "--json", "--evidence", "masked"])
    tables = json.loads(capsys.readouterr().out)["tables"]
    first = next(each for each in tables if each["name"].startswith("Evidence"))
    assert first["title"] == "Column check of name"
    assert [row[0] for row in first["rows"]] == [42, 208]
    assert first["rows"][0][1:] == ["AAA", "AAA", "value remains"]


@pytest.mark.parametrize("tool", ["dataset", "diversity"])
def test_evidence__of_other_tools_shows_numbers_and_shapes_and_no_cell(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "person,age,town,score,sick\n"
    rows = [f"P{n:04d},{20 + n % 4},Kranj{n % 2},{n % 3},{n % 2}" for n in range(40)]
    rows[7], rows[30] = "P0007,97,Zzyzx-Q,2,1", "P0030,91,Ljubno,1,0"
    (tmp_path / "t.csv").write_text(head + "\n".join(rows))
    (tmp_path / "u.csv").write_text("person,visit\n" + "".join(f"P{n:04d},v{n % 5}\n" for n in range(40)))
    first, second = str(tmp_path / "t.csv"), str(tmp_path / "u.csv")
    search = (
        "--label sick --sensitive score --quasi-identifier age town --categorical town --leave-out person"
    )
    words = {
        "dataset": [first, second, *"--quasi-identifier t.age t.town".split()],
        "diversity": [first, *search.split(), "--k-max", "3"],
    }[tool]
    out = tmp_path / "out"
    formats = "html,json,csv,xlsx"
    main([tool, *words, "--evidence", "masked", "--report", str(out), "--formats", formats])
    printed = capsys.readouterr().out
    assert "Evidence: Records of t.csv in groups smaller than " in printed
    (report,) = out.glob("*.json")
    tables = json.loads(report.read_text())["tables"]
    table = next(each for each in tables if each["name"].startswith("Evidence"))
    assert table["columns"] == ["Record", "Group size", "age", "town"]
    assert [8, 1, "99", "AAAAA-A"] in table["rows"]
    told = printed + json.dumps(table)
    if tool == "dataset":  # the ℓ-diversity search names the values that it would release
        told += "".join(
            archive.read(name).decode("utf-8", "replace")
            for path in (*out.glob("*.xlsx"), *out.glob("*.zip"))
            for archive in [zipfile.ZipFile(path)]
            for name in archive.namelist()
        )
        told += "".join(path.read_text() for path in (*out.glob("*.html"), *out.glob("*.json")))
    assert [word for word in ("Zzyzx", "Ljubno", "P0007") if word in told] == []
    capsys.readouterr()
    main([tool, *words, "--json"])
    names = [each["name"] for each in json.loads(capsys.readouterr().out)["tables"]]
    assert [name for name in names if name.startswith("Evidence")] == []
