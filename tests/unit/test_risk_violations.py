"""The list of records that miss a threshold."""

from pathlib import Path

import pytest

from core.__main__ import main
from core.risk import RiskThresholds, judge_risk, violating_records, violations_csv
from tests.risk_examples import PEOPLE, measured, table

SPELLED = "age,disease\n30,flu\n30,Flu\n40,flu\n40,cold\n50,\n50,unknown\n"


def test_violating_records__are_those_of_classes_that_miss_something() -> None:
    audit = judge_risk(measured(sensitive=("disease",)), RiskThresholds(k=2, l=2, t=0.7))
    assert violating_records(audit).to_dict("list") == {
        "record": [4, 5, 6],
        "class_size": [2, 2, 1],
        "misses": ["l of disease", "l of disease", "k, l of disease, t of disease"],
    }


def test_violating_records__count_values_as_what_they_mean_and_pass_over_unknown_ones() -> None:
    found = measured(SPELLED, quasi="age", sensitive=("disease",))
    limits = RiskThresholds(k=1, l=2, average_risk=1, entropy_l=1.5, alpha=0.6, beta=9, delta=9)
    audit = judge_risk(found, limits)
    missed = violating_records(audit)
    assert missed["record"].tolist() == [1, 2, 5, 6]  # record 6 is the only known one of its class as written
    assert missed["misses"].tolist()[0] == "l of disease, entropy l of disease, α of disease"


def test_violating_records__are_none_where_all_is_met() -> None:
    audit = judge_risk(measured("age\n30\n30\n", quasi="age"), RiskThresholds(k=2))
    assert violating_records(audit).empty
    assert violations_csv(audit).decode().splitlines() == ['"Record","Class size","Misses"']


def test_violations__have_no_values_unless_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = judge_risk(measured(), RiskThresholds(k=2))
    assert violations_csv(audit).decode().splitlines()[1:] == ['"6","1","k"']
    with_values = violations_csv(audit, table(PEOPLE)).decode().splitlines()
    assert with_values[0].endswith('"Misses","age (quasi-identifier)","sex (quasi-identifier)"')
    assert with_values[1] == '"6","1","k","50","F"'
    source, target = tmp_path / "people.csv", tmp_path / "missed.csv"
    source.write_text(PEOPLE)
    chosen = [
        "risk",
        str(source),
        "--quasi-identifier",
        "age",
        "sex",
        "--k",
        "2",
        "--violations",
        str(target),
    ]
    assert main(chosen) == 1
    assert target.read_text().splitlines()[1:] == ['"6","1","k"']
    assert main(chosen) == 2  # never overwritten
    assert "exists and is never overwritten" in capsys.readouterr().err
    target.unlink()
    assert main([*chosen, "--violations-with-values"]) == 1
    assert '"50","F"' in target.read_text()
