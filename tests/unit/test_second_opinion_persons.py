"""Classes counted in persons, and classes whose people share a sensitive value."""

import numpy as np

from core.tabular.second_opinion import judge_second_opinion, measure_second_opinion, with_quasi_identifiers
from core.verdict import Verdict
from tests.second_opinion_examples import dataset, findings, log_of, opinion_on, the_finding, well_anonymized

# Two classes of 20 records: "F" are 10 persons of 2 records, "M" are 2 persons of 10.
SEX = ["F"] * 20 + ["M"] * 20
WHO = [f"F{i // 2}" for i in range(20)] + [f"M{i // 10}" for i in range(20)]
TOKEN = {who: np.random.default_rng(i).bytes(6).hex() for i, who in enumerate(dict.fromkeys(WHO))}
WARD = ["a", "b"] * 20


def test_persons__are_remembered_for_other_quasi_identifiers() -> None:
    released = dataset({"patient_id": [TOKEN[w] for w in WHO], "sex": SEX, "ward": WARD}, "x_anonymized.csv")
    log = log_of(patient_id=("patient_id", "pseudonymize"), sex=("gender", "keep"), ward=("other", "keep"))
    original = dataset({"patient_id": WHO, "sex": SEX, "ward": WARD})
    measured = measure_second_opinion(original, released, log)
    opinion = judge_second_opinion(with_quasi_identifiers(measured, released, ["ward", "sex"]))
    assert "over `ward` and `sex` has 2 persons" in the_finding(opinion, "smallest_class_of_persons").message


# --- classes that share a value


def _with_alike(n_classes: int) -> tuple[Verdict | None, str]:
    """Return what is said where so many regions have one diagnosis."""
    original, anonymized, log = well_anonymized()
    regions = sorted({str(region) for region in anonymized["region"]})[:n_classes]
    shared = [
        "F20" if region in regions else diagnosis
        for region, diagnosis in zip(anonymized["region"], anonymized["diagnosis"], strict=True)
    ]
    opinion = opinion_on({**original, "diagnosis": shared}, {**anonymized, "diagnosis": shared}, log)
    found = findings(opinion, "alike_inside")
    return (found[0].verdict, found[0].message) if found else (None, "")


def test_alike__classes_that_share_a_diagnosis_beyond_chance_fail() -> None:
    assert _with_alike(0) == (None, "")
    verdict, message = _with_alike(1)
    assert verdict is Verdict.FAIL
    assert "everybody has the same `diagnosis`; chance would explain" in message


def test_alike__small_classes_of_a_common_value_raise_nothing() -> None:
    rng = np.random.default_rng(1)
    columns = {
        "gender": rng.choice(["F", "M"], 40).tolist(),
        "region": rng.choice(["N", "S", "W"], 40).tolist(),
        "diagnosis": rng.choice(["none", "asthma"], 40, p=[0.8, 0.2]).tolist(),
    }
    log = log_of(gender=("gender", "keep"), region=("address", "keep"), diagnosis=("diagnosis", "keep"))
    assert findings(opinion_on(columns, columns, log), "alike_inside") == []
