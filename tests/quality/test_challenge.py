"""Cases that somebody brings: what is right, what is found, and what could not be tried."""

import json
from pathlib import Path

import pytest

from benchmarks.challenge import Case, UntriedError, main, read_case
from core.verdict import Verdict

PEOPLE = "age,sex\n" + "30,F\n40,M\n" * 30
ALONE = PEOPLE + "81,F\n"
RISK = ["risk", "people.csv", "--quasi-identifier", "age", "sex"]


def write_case(folder: Path, name: str, table: str, **changes: object) -> Path:
    case = {"command": RISK, "right": "FAIL", "class": "small groups", "by": "Ana", **changes}
    place = folder / name
    place.mkdir(parents=True)
    (place / "people.csv").write_text(table, encoding="utf-8")
    (place / "case.json").write_text(json.dumps(case), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("right", "answers"),
    [
        ("FAIL", {Verdict.FAIL}),
        ("warn or Fail", {Verdict.WARN, Verdict.FAIL}),
        ("not PASS", {Verdict.WARN, Verdict.NOT_ASSESSED, Verdict.FAIL, None}),
        ("NOT ASSESSED", {Verdict.NOT_ASSESSED}),
        ("not NOT ASSESSED", {Verdict.PASS, Verdict.WARN, Verdict.FAIL, None}),
        ("refused or NOT ASSESSED", {None, Verdict.NOT_ASSESSED}),
    ],
)
def test_right__says_which_answers(right: str, answers: set[Verdict | None]) -> None:
    assert Case(command=RISK, right=right, family="x").answers() == answers


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"right": "bad"}, '"right" is "bad"'),
        ({"right": "not FAIL or PASS"}, '"right" is'),
        ({"command": ["verify", "a.json"]}, '"command" has to begin with one of tabular'),
        ({"command": []}, '"command" has to begin'),
        ({"command": "risk people.csv"}, "case.json cannot be used: Expected `array`"),
        ({"class": None}, "case.json cannot be used: Expected `str`"),
        ({"inputs": ["people.csv", "other.csv"]}, "other.csv: not in the folder"),
    ],
)
def test_case__that_is_wrong_is_told(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(UntriedError, match="^" + said.replace("`", ".")):
        read_case(write_case(tmp_path, "bad", ALONE, **changes))


def test_challenge__counts_what_was_found_and_tries_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_case(tmp_path, "1_found", ALONE, by_finding="k", inputs=["people.csv"])
    write_case(tmp_path, "2_by_another_check", ALONE, by_finding="distinct_l")
    write_case(tmp_path, "3_proper", PEOPLE, right="not FAIL", **{"class": "groups of thirty"})
    write_case(tmp_path, "4_refused", "", right="refused", by="Eva")
    before = sorted(tmp_path.rglob("*"))
    assert main([str(tmp_path)]) == 1
    told = capsys.readouterr().out.splitlines()
    (line,) = [each for each in told if each.startswith("| risk | 3 |")]
    shares = [cell.partition(" ")[0] for cell in line.split(" | ")[1:8]]
    assert shares == "3 66.7 100.0 66.7 1 0.0 0.0".split()
    assert told[-1] == "risk 2_by_another_check: FAIL (right: FAIL, by distinct_l)"
    assert "Cases by: Ana (3), Eva (1)" in told
    write_case(tmp_path, "5_broken", ALONE, right="who knows")
    assert main([str(tmp_path), "--json"]) == 2
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert [each["verdict"] for each in document["cases"]] == ["FAIL", "FAIL", "WARN", None]
    assert [each["right"] for each in document["cases"]] == [True, False, True, True]
    assert list(document["untried"]) == ["5_broken"]
    assert err.startswith("error: 5_broken: ")
    assert before == [each for each in sorted(tmp_path.rglob("*")) if "5_broken" not in str(each)]


def test_challenge__of_right_answers_alone_ends_well_and_of_nothing_does_not(tmp_path: Path) -> None:
    write_case(tmp_path / "cases", "one", PEOPLE, right="PASS or WARN")
    assert main([str(tmp_path / "cases")]) == 0
    assert main([str(tmp_path)]) == 2
