from pathlib import Path

import pytest

from core.tables import read_dataset
from core.tabular.log import read_log
from core.tabular.second_opinion import SecondOpinion, judge_second_opinion, measure_second_opinion
from core.verdict import Verdict


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
    assert next(one.message for one in opinion.findings if one.check == "relinkage") == (
        "By the 21 columns left unchanged, 111 of 111 (100 %) anonymized records match exactly one original "
        "record."
    )
    failed = {
        (finding.check, column)
        for finding in opinion.findings
        if finding.verdict is Verdict.FAIL
        for column in (finding.column, *finding.columns)
    }
    for column in ("FIRST", "LAST", "MAIDEN", "DRIVERS"):
        assert ("unchanged_distinct_column", column) in failed
        assert ("looks_like_identifier", column) in failed
    for column in ("LAT", "LON", "CITY", "BIRTHPLACE", "INCOME", "HEALTHCARE_EXPENSES"):
        assert ("unchanged_distinct_column", column) in failed
    smallest = next(finding for finding in opinion.findings if finding.check == "smallest_class")
    assert smallest.verdict is Verdict.FAIL
    assert smallest.message == (
        "The smallest class over `MARITAL`, `GENDER`, `ADDRESS` and `ZIP` has 1 record, fewer than 5: 111 of "
        "111 (100 %) records are in classes that small. `ADDRESS` contributes most: 100 % of records are "
        "unique with it, 28.8 % without it."
    )


@pytest.mark.parametrize("name", ["patients_high", "conditions_low"])
def test_the_other_pairs__fail_too(golden_dir: Path, name: str) -> None:
    assert opinion_on(golden_dir, name).verdict is Verdict.FAIL


def test_conditions_low__proposes_quasi_identifiers_where_the_log_has_none(golden_dir: Path) -> None:
    opinion = opinion_on(golden_dir, "conditions_low")
    finding = next(finding for finding in opinion.findings if finding.check == "no_quasi_identifier")
    assert finding.verdict is Verdict.NOT_ASSESSED
    assert finding.message.startswith(
        "No quasi-identifier in the log, so the size of classes was not assessed. Proposed: `START` and "
    )
