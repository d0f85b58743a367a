from pathlib import Path

from core.tables import read_dataset
from core.tabular.log import read_log
from core.tabular.second_opinion import SecondOpinion, judge_second_opinion, measure_second_opinion
from core.verdict import Verdict
from tests.saying import Saying


def opinion_on(folder: Path, name: str) -> SecondOpinion:
    measured = measure_second_opinion(
        read_dataset(folder / "tabular" / f"{name}.csv"),
        read_dataset(folder / "tabular" / f"{name}_anonymized.csv"),
        read_log(folder / "tabular" / f"{name}_anonymized_log.json"),
    )
    return judge_second_opinion(measured)


def test_patients_low__is_impossible_to_miss(golden_dir: Path) -> None:
    opinion = opinion_on(golden_dir, "patients_low")
    assert opinion.verdict is Verdict.FAIL
    assert opinion.findings[0].check == "unchanged_distinct_column"
    assert "DRIVERS" in opinion.findings[0].columns
    said = {each.check: each for each in reversed(opinion.findings)}
    assert said["relinkage"].message == Saying("By the 21 columns left unchanged, 111 of 111 (100 %) …one …")
    smallest = said["smallest_class"]
    assert smallest.verdict is Verdict.FAIL
    assert smallest.message == Saying(
        "…over `MARITAL`, `GENDER`, `ADDRESS`, `ZIP`, `BIRTHDATE`, `DEATHDATE` and 8 more has 1 record, …"
        "fewer than 5: 111 of 111 (100 %) …"
    )
    failed = {
        (finding.check, column)
        for finding in opinion.findings
        if finding.verdict is Verdict.FAIL
        for column in (finding.column, *finding.columns)
    }
    named = "FIRST LAST MAIDEN DRIVERS".split()
    left = "LAT LON CITY BIRTHPLACE INCOME HEALTHCARE_EXPENSES".split()
    assert {("unchanged_distinct_column", column) for column in (*named, *left)} <= failed
    assert {("looks_like_identifier", column) for column in named} <= failed


def test_the_other_pairs__fail_too(golden_dir: Path) -> None:
    assert opinion_on(golden_dir, "patients_high").verdict is Verdict.FAIL
    opinion = opinion_on(golden_dir, "conditions_low")
    assert opinion.verdict is Verdict.FAIL
    finding = next(finding for finding in opinion.findings if finding.check == "no_quasi_identifier")
    assert finding.verdict is Verdict.NOT_ASSESSED
    assert finding.message == Saying(
        "No quasi-identifier in the log, so …not assessed. Proposed: `START` and …"
    )
