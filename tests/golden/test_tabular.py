import json

import pytest

from core.tables import read_dataset
from core.tabular import audit_tabular, read_log

CASES = ("patients_low.csv", "patients_high.csv", "conditions_low.csv")


@pytest.fixture(scope="module", params=CASES)
def case(request, golden_dir):
    folder = golden_dir / "tabular"
    stem = request.param.removesuffix(".csv")
    expected = {case["original"]: case for case in json.loads((folder / "expected.json").read_text())}
    audit = audit_tabular(
        read_dataset(folder / request.param),
        read_dataset(folder / f"{stem}_anonymized.csv"),
        read_log(folder / f"{stem}_anonymized_log.json"),
    )
    return audit, expected[request.param]


def test_tabular__figures_are_those_of_the_reference(case):
    audit, expected = case
    measured = audit.measurement
    assert measured.log.mode == expected["mode"]
    assert {result.column: result.status.value for result in measured.columns} == expected["column_status"]
    assert measured.policy_consistency == pytest.approx(expected["policy_consistency"], abs=1e-6)
    assert measured.high_risk_handling == pytest.approx(expected["high_risk_handling"], abs=1e-6)
    assert audit.recommended_review is expected["recommended_review"]
    assert audit.mandatory_review is expected["mandatory_review"]
    assert audit.verdict.value == expected["reference_verdict"]


def test_tabular__classes_are_those_of_the_reference(case):
    audit, expected = case
    assert list(audit.measurement.quasi_identifiers) == expected["quasi_identifiers"]
    if audit.classes is None:
        assert (expected["min_k"], expected["share_k_lt_2"], expected["share_k_lt_5"]) == (None, 0.0, 0.0)
    else:
        assert audit.classes.k == expected["min_k"]
        assert audit.classes.share_below(2) == pytest.approx(expected["share_k_lt_2"], abs=1e-6)
        assert audit.classes.share_below(5) == pytest.approx(expected["share_k_lt_5"], abs=1e-6)


def test_tabular__a_pass_of_the_rule_with_untouched_names_is_impossible_to_miss(case):
    audit, _ = case
    assert audit.overall.value == "FAIL"
    assert audit.second_opinion is not None
    failed = [finding for finding in audit.second_opinion.findings if finding.verdict.value == "FAIL"]
    assert failed
