"""What classes joined over all tables give away of sensitive columns, held against the limits of classes."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.attribute_disclosure import LIMITS
from core.delivery import DeliverySettings, DeliveryThresholds, audit_delivery, measure_delivery
from core.delivery.result import delivery_result
from core.risk import RiskSettings, measure_risk
from core.tables import Dataset
from core.verdict import Finding, Verdict
from tests.unit.test_delivery import pseudonyms, table

N = 120
IDS = pseudonyms(N)
SEX = ["f", "m"] * (N // 2)
RANDOM = np.random.default_rng(5)


def persons(**more: Sequence[object]) -> Dataset:
    return table("persons", pseudonym=IDS, sex=SEX, **more)


def found(*tables: Dataset, settings: DeliverySettings | None = None, **limits: object) -> dict[str, Finding]:
    audit = audit_delivery(tables, settings, DeliveryThresholds(**limits))
    return {each.check: each for each in reversed(audit.findings)}


def results_of(diagnosis: Sequence[object], column: str = "diagnosis") -> Dataset:
    return table("tests", person=IDS[: len(diagnosis)], **{column: diagnosis})


TWO = [["flu", "gout"][n // 2 % 2] for n in range(N)]
MISSES = {
    "two values of three": ({"l": 3}, TWO, "distinct_l"),
    "one value that most have": ({"alpha": 0.7}, ["flu" if n % 9 else "gout" for n in range(N)], "alpha"),
    "another mix of men": (
        {"t": 0.2},
        ["gout" if n % 2 and n % 3 else "flu" if n % 5 else "cold" for n in range(N)],
        "t",
    ),
    "hardly mixed": ({"entropy_l": 1.8}, ["flu" if n % 12 > 1 else "gout" for n in range(N)], "entropy_l"),
    "one disease in four spellings": (
        {"l": 2},
        [["HIV", "hiv", "H.I.V.", "HIV "][n // 2 % 4] for n in range(N)],
        "folded_distinct_l",
    ),
}
MEETS = {
    "three values": ({"l": 3}, [["flu", "gout", "cold"][n // 2 % 3] for n in range(N)], "distinct_l"),
    "two evenly": ({"alpha": 0.7}, TWO, "alpha"),
    "alike in both": ({"t": 0.2}, TWO, "t"),
}


@pytest.mark.parametrize("name", MISSES)
def test_limits__that_joined_classes_miss_fail(name: str) -> None:
    limits, values, check = MISSES[name]
    told = found(persons(), results_of(values), **limits)[check]
    assert told.verdict is Verdict.FAIL
    assert "`tests.diagnosis`" in told.message
    assert "person" in told.message or check == "entropy_l"
    assert check not in found(persons(), results_of(values))


@pytest.mark.parametrize("name", MEETS)
def test_limits__that_joined_classes_meet_pass(name: str) -> None:
    limits, values, check = MEETS[name]
    assert found(persons(), results_of(values), **limits)[check].verdict is Verdict.PASS


def test_figures__are_those_of_disclosure_risk_on_the_joined_table() -> None:
    age = RANDOM.choice(["18-44", "45-64", "65+"], N).tolist()
    values = RANDOM.choice(["flu", "Flu", "gout", "cold", ""], N - 9).tolist()
    amounts = RANDOM.choice(["1,5", "2,25", "10", "1.000,5"], N - 9).tolist()
    tests = table("tests", person=IDS[: N - 9], diagnosis=values, income=amounts)
    measured = measure_delivery(
        (persons(age_group=age), tests), DeliverySettings(sensitive=("tests.income",))
    )
    joined = table(
        "joined", sex=SEX, age_group=age, diagnosis=[*values, *[""] * 9], income=[*amounts, *[""] * 9]
    )
    settings = RiskSettings(quasi_identifiers=("sex", "age_group"), sensitive=("diagnosis", "income"))
    here = {each.column: each for each in measure_risk(joined, settings=settings).sensitive}
    assert [str(each.place) for each in measured.sensitive] == ["tests.diagnosis", "tests.income"]
    for each in measured.sensitive:
        own, told = here[each.place.column], each.found
        assert told is not None
        for key in (one for limit in LIMITS for one in (limit.figure, f"folded_{limit.figure}")):
            assert told.figures[key] == pytest.approx(own.figures[key]), key
        for limit in LIMITS:
            for asked in (0.1, 0.5, 1.5, 3):
                assert told.beyond(limit, asked) == own.beyond(limit, asked)


def test_limits__by_one_known_record_fail_where_one_may_be_known() -> None:
    wards = [f"ward {n // 2 % 3}" for n in range(2 * N)]
    told = [["flu", "gout"][n // 2 % 3 > 1] for n in range(2 * N)]
    visits = table("visits", person=[*IDS, *IDS], ward=wards, diagnosis=told)
    assert found(persons(), visits, l=2)["distinct_l"].message.startswith("Whoever knows one record too: ")
    assert found(persons(), visits, l=2, known_records=0)["distinct_l"].verdict is Verdict.PASS


def test_limits__of_no_sensitive_column_are_not_assessed_and_chosen_ones_are() -> None:
    tables = (persons(), results_of([["a1", "b2"][n // 2 % 2] for n in range(N)], "v7"))
    assert found(*tables, l=3)["sensitive"].verdict is Verdict.NOT_ASSESSED
    chosen = DeliverySettings(sensitive=("tests.v7",))
    assert found(*tables, settings=chosen, l=3)["distinct_l"].verdict is Verdict.FAIL


def test_result__shows_the_figures_of_which_something_is_asked() -> None:
    tables = (persons(), results_of(TWO))
    shown = delivery_result(audit_delivery(tables, None, DeliveryThresholds(l=3, alpha=0.9)))
    figures = {each.measure: each for each in shown.group("persons").figures}
    assert (figures["distinct_l"].value, figures["distinct_l"].verdict) == (2, Verdict.FAIL)
    assert (figures["alpha"].of, figures["alpha"].verdict) == ("tests.diagnosis", Verdict.PASS)
    assert "t" not in figures
