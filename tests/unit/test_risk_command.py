"""``python -m core risk``: one JSON document, lines of text, exit codes, sentences for bad input."""

import json
from pathlib import Path

import pytest

from core.__main__ import main
from tests.risk_examples import PEOPLE


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return str(path)


CHOSEN = ("--quasi-identifier", "age", "--quasi-identifier", "sex", "--sensitive", "disease")


def test_risk__prints_one_json_document(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["risk", people, *CHOSEN, "--json"]) == 1
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert printed.err == ""
    expected = {
        "tool": "risk",
        "file": "people.csv",
        "verdict": "FAIL",
        "overall": "FAIL",
        "quasi_identifiers": ["age", "sex"],
        "k": 1,
        "n_records": 6,
        "n_classes": 3,
        "share_k_lt_5": 1.0,
    }
    assert {key: document[key] for key in expected} == expected
    assert set(document["sensitive"]) == {"disease"}


def test_risk__takes_suggested_roles_where_none_are_given(
    people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["risk", people, "--k", "2", "--l", "1", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["quasi_identifiers"] == ["age", "sex"]
    assert document["sensitive_attributes"] == ["disease", "salary"]
    (finding,) = [each for each in document["findings"] if each["check"] == "roles_suggested"]
    assert finding["message"] == (
        "Nobody chose the quasi-identifiers; taken are those that names and values suggest: `age`, `sex`, "
        "sensitive `disease`, `salary`. Every figure depends on this choice."
    )


def test_risk__prints_lines(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["risk", people, *CHOSEN, "--original", people]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["people.csv: 6 records in 3 classes over age, sex", "  Smallest class size (k): 1"]
    assert "disease (equal distance)" in lines
    assert "against people.csv" in lines
    assert lines[-1] == "Verdict FAIL, exposure WARN, overall FAIL."


def test_risk__reads_a_hierarchy(people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tree.csv").write_text("value,group\nflu,lung\ncold,lung\ngout,joint\n")
    assert main(["risk", people, *CHOSEN, "--hierarchy", f"disease={tmp_path / 'tree.csv'}", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["sensitive"]["disease"]["distance"] == "hierarchical"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--quasi-identifier", "zip"],
            "There is no column `zip`; the table has age, sex, disease, salary.",
        ),
        (
            ["--quasi-identifier", "disease", "--sensitive", "disease"],
            "`disease` cannot be both a quasi-identifier and a sensitive attribute; choose one.",
        ),
        ([*CHOSEN, "--k", "1"], "k must be at least 2, received 1."),
        ([*CHOSEN, "--hierarchy", "disease"], "--hierarchy needs COL=FILE, received disease."),
        (
            [*CHOSEN, "--original", "nowhere.csv"],
            "nowhere.csv: the file cannot be opened (No such file or directory). Check its path.",
        ),
    ],
)
def test_risk__says_what_is_wrong(
    arguments: list[str], sentence: str, people: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["risk", people, *arguments, "--json"]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"error: {sentence}\n")


def test_risk__without_anything_to_suggest_asks_for_quasi_identifiers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("q1,q2\na,b\na,c\n")
    assert main(["risk", str(path)]) == 2
    assert capsys.readouterr().err == (
        "error: No quasi-identifier is chosen. Choose the columns that somebody may know about a person.\n"
    )
