"""``python -m core leakage``: the usual lines, one JSON document, exit codes."""

import json
from pathlib import Path

import pytest

from core.__main__ import main
from tests.cases.table import says
from tests.kinds import Told

ORIGINAL = "id,age,sex\n1,30,f\n2,41,m\n3,52,f\n4,63,m\n"
SHUFFLED = "id,age,sex\n1,52,f\n2,30,f\n3,63,m\n4,41,f\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "original.csv").write_text(ORIGINAL)
    (tmp_path / "scrambled.csv").write_text(SHUFFLED)
    return str(tmp_path / "original.csv"), str(tmp_path / "scrambled.csv")


def test_leakage__prints_the_usual_lines(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leakage", *files, "--ignore-column", "id"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("NOT ASSESSED: 4 original records and no hold-out are too few ")
    figures = lines[lines.index("Figures:") + 1 :]
    for line in (
        "  Full leakage: 0 % (none tolerated, PASS)",
        "  Average matching cells per row: 0.25 (chance 0.75, PASS)",
        "  Spread of matching cells (SD): 0.43",
        "  Whole rows found anywhere: 3 (chance 2.00, PASS)",
        "  Rows without a valid cell: 0",
    ):
        assert line in figures
    assert any(says(line, "  Partial leakage: 25.0 % (chance …%, PASS)") for line in figures)


def test_leakage__prints_one_json_document(files: tuple[str, str], capsys: Told) -> None:
    assert main(["leakage", *files, "--ignore-column", "0", "--ignore-value", "None", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    told = {
        "tool": "leakage",
        "verdict": "NOT_ASSESSED",  # four persons cannot show a leak of a few
        "overall": "NOT_ASSESSED",
        "n_rows_compared": 4,
        "n_columns_compared": 2,
        "full_leakage_share": 0.0,
        "partial_leakage_share": 0.25,
        "mean_matching_cells": 0.25,
        "std_matching_cells": pytest.approx(0.4330127),
        "n_rows_without_valid_cells": 0,
        "expected_matching_cells": 0.75,
    }
    assert {key: document[key] for key in told} == told
    (age,) = (each for each in document["columns"] if each["column"] == "age")
    assert age == {
        "column": "age",
        "n_valid": 4,
        "n_matching": 0,
        "match_share": 0.0,
        "expected_share": 0.25,
        "excess": -0.25,
        "z": -1.0,
    }
    assert document["n_exact_rows_anywhere"] == 3
    assert document["n_unique_exact_rows_anywhere"] == 3
    assert document["relink_share"] == 0.0
    keys = {"check", "verdict", "column", "columns", "message", "n_affected", "remedy"}
    assert keys < set(document["findings"][0])
    assert document["n_near_copies"] == 0
    assert {"full_leakage_without_columns_share", "membership_auc"}.isdisjoint(document)
    assert [attack["attack"] for attack in document["attacks"]][:3] == [
        "singling out, one column",
        "singling out, several columns",
        "linkage",
    ]


@pytest.mark.slow
def test_leakage__says_what_is_left_without_new_numbers_and_past_spelling(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [f"{row * 7 % 40},{row * 11 % 37},{'abcde'[row % 5]}" for row in range(40)]
    for name, letter in (("original", "P"), ("scrambled", "Q"), ("holdout", "R")):
        shift = 100 if name == "holdout" else 0
        lines = [f"{letter}{row},{cells[row]}" for row in range(40)]
        if shift:
            lines = [f"R{row},{row * 3 % 40},{row * 5 % 37},{'edcba'[row % 5]}" for row in range(40)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["pid,a,b,c", *lines]) + "\n")
    files = [str(tmp_path / f"{name}.csv") for name in ("original", "scrambled")]
    options = ["--holdout", str(tmp_path / "holdout.csv")]
    assert main(["leakage", *files, *options]) == 1
    out = capsys.readouterr().out
    assert says(out, "FAIL: Without `pid`, …40 of 40 rows (100 %)")
    assert says(out, "  Full leakage, columns set aside: 100 % (chance …, FAIL)")
    assert "Membership" in out
    assert "  Inference of a column, at most: " in out
    assert main(["leakage", *files, *options, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["full_leakage_without_columns_share"] == 1
    assert document["membership_auc"] > 0.5


def test_leakage__fails_for_a_copy(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leakage", files[0], files[0], "--holdout", files[1], "--key", "id"]) == 1
    out = capsys.readouterr().out
    assert "  Full leakage: 100 % (none tolerated, FAIL)" in out
    assert out.startswith("FAIL: ")


def test_leakage__tables_of_other_length_are_judged_without_the_order_of_rows(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "short.csv").write_text("id,age,sex\n7,1,x\n")
    assert main(["leakage", files[0], str(tmp_path / "short.csv"), "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["verdict"] == "NOT_ASSESSED"
    assert {each["verdict"] for each in document["findings"]} == {"PASS", "NOT_ASSESSED"}
    assert document["n_rows_compared"] == 4
    assert document["full_leakage_share"] is None
    assert document["columns"] == []
    assert captured.err == ""
    assert main(["leakage", files[0], str(tmp_path / "short.csv")]) == 0
    assert "Partial Leakage" not in capsys.readouterr().out


def test_leakage__of_other_keys_and_arguments_is_an_input_problem(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.csv").write_text("id,age,sex\n907,1,x\n")
    assert main(["leakage", files[0], str(tmp_path / "other.csv"), "--key", "id"]) == 2
    captured = capsys.readouterr()
    assert "NOT ASSESSED" in captured.out
    assert says(captured.err, "error: …“id”…original.csv and other.csv")
    assert main(["leakage", *files, "--max-full-leakage", "2"]) == 2
    assert capsys.readouterr().err == "error: --max-full-leakage must be from 0 to 1, received 2.\n"


@pytest.mark.slow
def test_leakage__reads_free_text_of_the_scrambled_table(tmp_path: Path, capsys: Told) -> None:
    notes = [f"came with pain in bed {n} and was told to rest" for n in range(30)]
    for name, turn in (("original.csv", 0), ("scrambled.csv", 7)):
        rows = [f"{30 + n},{notes[(n + turn) % 30]}" for n in range(30)]
        (tmp_path / name).write_text("\n".join(["age,note", *rows]))
    files = ["leakage", str(tmp_path / "original.csv"), str(tmp_path / "scrambled.csv"), "--json"]
    main(files)
    before = json.loads(capsys.readouterr().out)
    assert before["texts"][0]["n_cells"] == 30
    assert [each["verdict"] for each in before["findings"] if each["check"] == "text_not_read"] == [
        "NOT_ASSESSED"
    ]
    main([*files, "--read", "note=29"])
    after = json.loads(capsys.readouterr().out)
    assert [each["verdict"] for each in after["findings"] if each["check"] == "text_read"] == ["PASS"]
    assert main([*files, "--read", "age=3"]) == 2
    assert "--read: no column `age` holds free text." in capsys.readouterr().err
