"""Values that a class makes likely, and sensitive attributes that tell one another."""

import numpy as np
import pytest

from core.risk import RiskAudit, RiskThresholds, judge_risk
from core.verdict import Verdict
from tests.risk_examples import measured, messages

WORDS = ("flu", "cold", "gout", "acne", "asthma")


def _table(disease: np.ndarray, **more: np.ndarray) -> str:
    columns = {"age": np.arange(len(disease)) // 50 * 10, "disease": disease, **more}
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def _random(seed: int = 0) -> np.ndarray:
    return np.array(WORDS, dtype=object)[np.random.default_rng(seed).integers(0, 5, 1000)]


def _judged(text: str, *sensitive: str, **settings: object) -> RiskAudit:
    return judge_risk(measured(text, quasi="age", sensitive=sensitive or ("disease",), **settings))


def test_likely__is_not_said_of_what_chance_makes() -> None:
    assert _judged(_table(_random())).overall is Verdict.PASS


def test_likely__is_said_of_a_dominant_value() -> None:
    disease = _random()
    disease[:46] = "HIV"
    told = messages(_judged(_table(disease)))
    assert told["dominant_value"] == (
        "WARN: In 1 class (50 records) a value of `disease` has at least 80.0 %, and 30.0 % more than in the "
        "table, up to 92.0 %; chance alone makes < 0.001 such classes. Who is known to be in one has it "
        "that likely: "
        "ask for a largest α or t, and generalize until it holds."
    )


def test_likely__is_said_of_a_rare_value_that_is_frequent_in_a_class() -> None:
    disease = _random()
    disease[:20] = "HIV"
    told = messages(_judged(_table(disease)))
    assert "dominant_value" not in told
    assert told["skewed_value"].startswith("WARN: In 1 class (50 records)")
    disease = _random()
    disease[::50] = "HIV"  # as often, spread over all classes
    assert "skewed_value" not in messages(_judged(_table(disease)))


def test_likely__looks_at_numbers_by_tenths() -> None:
    income = np.random.default_rng(1).permutation(20_000 + 40 * np.arange(1000))
    assert _judged(_table(_random(), income=income), "income").overall is not Verdict.FAIL
    income[:50] = 60_000 + 40 * np.arange(50)
    assert "dominant_value" in messages(_judged(_table(_random(), income=income), "income"))


def test_related__is_said_of_attributes_that_tell_one_another() -> None:
    disease = _random()
    drug = np.array([f"drug {word}" for word in disease], dtype=object)
    text = _table(disease, drug=drug)
    assert messages(_judged(text, "disease", "drug"))["related_sensitive"] == (
        "WARN: Whoever knows `disease` guesses `drug` rightly for 100 % of 1,000 records, without it for "
        f"{np.unique(disease, return_counts=True)[1].max() / 10:.1f} %. 1 other pair likewise. Each was "
        "judged as "
        "if nobody knew the other: leave one out, or add the others to the quasi-identifiers (several "
        "sensitive "
        "attributes)."
    )
    together = _judged(text, "disease", "drug", several_sensitive="others_added")
    assert "related_sensitive" not in messages(together)


@pytest.mark.parametrize("seed", range(5))
def test_related__is_not_said_of_independent_attributes_nor_of_all_different_ones(seed: int) -> None:
    text = _table(_random(), drug=_random(seed + 1), code=np.array([f"c{n}" for n in range(1000)]))
    assert "related_sensitive" not in messages(_judged(text, "disease", "drug", "code"))


def test_related__needs_records() -> None:
    text = "age,a,b\n" + "".join(f"30,{n % 3},{n % 3}x\n" for n in range(18))
    found = measured(text, quasi="age", sensitive=("a", "b"))
    assert found.related == ()


def test_missing_sensitive_values__are_a_fact_where_they_are_few() -> None:
    disease = _random()
    disease[:20] = ""
    assert messages(_judged(_table(disease)))["missing_sensitive_values"].startswith("PASS: 20 of 1,000")
    disease[:50] = ""  # a whole class
    assert messages(_judged(_table(disease)))["missing_sensitive_values"].startswith("WARN: 50 of 1,000")


def test_judge__without_a_class_size_rests_on_the_average_risk() -> None:
    found = measured("age,sex\n" + "30,F\n" * 9 + "40,F\n", quasi="age")
    assert judge_risk(found, RiskThresholds(k=1, average_risk=0.25)).verdict is Verdict.PASS
    assert judge_risk(found, RiskThresholds(k=1, average_risk=0.15)).verdict is Verdict.FAIL
    nothing = judge_risk(found, RiskThresholds(k=1))
    assert nothing.verdict is Verdict.NOT_ASSESSED
    assert messages(nothing)["k"] == "PASS: No size of classes is asked for; the smallest has 1 record."
