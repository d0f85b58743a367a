"""Classes counted in persons, and classes whose people share a sensitive value."""

import numpy as np
import pytest

from core.tabular.second_opinion import judge_second_opinion, measure_second_opinion, with_quasi_identifiers
from core.verdict import Verdict
from tests.second_opinion_examples import dataset, findings, log_of, opinion_on, the_finding, well_anonymized

# Two classes of 20 records: "F" are 10 persons of 2 records, "M" are 2 persons of 10.
SEX = ["F"] * 20 + ["M"] * 20
WHO = [f"F{i // 2}" for i in range(20)] + [f"M{i // 10}" for i in range(20)]
TOKEN = {who: np.random.default_rng(i).bytes(6).hex() for i, who in enumerate(dict.fromkeys(WHO))}
WARD = ["a", "b"] * 20
FOUND = (
    "Counted by `patient_id`, of which values repeat, the smallest class over `sex` has 2 persons, fewer "
    "than 5: 2 of 12 (16.7 %) persons are in classes that small, however many records they have."
)


def test_persons__classes_are_counted_by_pseudonyms_that_repeat() -> None:
    log = log_of(patient_id=("patient_id", "pseudonymize"), sex=("gender", "keep"))
    opinion = opinion_on(
        {"patient_id": WHO, "sex": SEX}, {"patient_id": [TOKEN[w] for w in WHO], "sex": SEX}, log
    )
    assert the_finding(opinion, "smallest_class").verdict is Verdict.PASS
    finding = the_finding(opinion, "smallest_class_of_persons")
    assert (finding.verdict, finding.message) == (Verdict.FAIL, FOUND)
    enough = opinion_on(
        {"patient_id": WHO, "sex": SEX},
        {"patient_id": [TOKEN[w] for w in WHO], "sex": SEX},
        log,
        smallest_k=2,
    )
    assert the_finding(enough, "smallest_class_of_persons").verdict is Verdict.PASS


def test_persons__an_original_identifier_counts_in_tables_of_one_order() -> None:
    original = {"patient_id": WHO, "sex": SEX, "ward": WARD}
    released = {"sex": SEX, "ward": WARD}
    log = log_of(patient_id=("patient_id", "drop"), sex=("gender", "keep"), ward=("other", "keep"))
    finding = the_finding(opinion_on(original, released, log), "smallest_class_of_persons")
    assert finding.message == FOUND.replace("by `", "by the original column `")
    order = np.random.default_rng(0).permutation(40)
    reordered = {name: [values[i] for i in order] for name, values in released.items()}
    assert findings(opinion_on(original, reordered, log), "smallest_class_of_persons") == []


@pytest.mark.parametrize(
    ("column", "semantic", "values"),
    [
        ("patient_id", "patient_id", [f"P{i}" for i in range(40)]),
        ("doctor_id", "other", [f"D{i // 4}" for i in range(40)]),
        ("name", "name", WHO),
        ("group", "other", WARD),
    ],
)
def test_persons__one_record_each_names_and_doctors_count_nobody_twice(
    column: str, semantic: str, values: list[str]
) -> None:
    tokens = {value: f"{i * 7919 % 100_003:06x}zq" for i, value in enumerate(dict.fromkeys(values))}
    opinion = opinion_on(
        {column: values, "sex": SEX},
        {column: [tokens[value] for value in values], "sex": SEX},
        log_of(**{column: (semantic, "pseudonymize"), "sex": ("gender", "keep")}),
    )
    assert findings(opinion, "smallest_class_of_persons") == []


def test_persons__a_pseudonymized_column_of_no_meaning_stands_for_persons_too() -> None:
    log = log_of(ref=("other", "pseudonymize"), sex=("gender", "keep"))
    opinion = opinion_on({"ref": WHO, "sex": SEX}, {"ref": [TOKEN[w] for w in WHO], "sex": SEX}, log)
    assert the_finding(opinion, "smallest_class_of_persons").column == "ref"


def test_persons__blank_identifiers_are_persons_of_their_own() -> None:
    who = [None if w.startswith("M") else w for w in WHO]
    log = log_of(patient_id=("patient_id", "pseudonymize"), sex=("gender", "keep"))
    tokens = [TOKEN[w] if w else None for w in who]
    opinion = opinion_on({"patient_id": who, "sex": SEX}, {"patient_id": tokens, "sex": SEX}, log)
    finding = the_finding(opinion, "smallest_class_of_persons")
    assert (finding.verdict, "has 10 persons" in finding.message) == (Verdict.PASS, True)


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
    verdict, message = _with_alike(1)
    assert verdict is Verdict.FAIL
    assert "everybody has the same `diagnosis`; chance would explain" in message


def test_alike__chance_raises_nothing() -> None:
    assert _with_alike(0) == (None, "")


def test_alike__small_classes_of_a_common_value_raise_nothing() -> None:
    rng = np.random.default_rng(1)
    columns = {
        "gender": rng.choice(["F", "M"], 40).tolist(),
        "region": rng.choice(["N", "S", "W"], 40).tolist(),
        "diagnosis": rng.choice(["none", "asthma"], 40, p=[0.8, 0.2]).tolist(),
    }
    log = log_of(gender=("gender", "keep"), region=("address", "keep"), diagnosis=("diagnosis", "keep"))
    assert findings(opinion_on(columns, columns, log), "alike_inside") == []
