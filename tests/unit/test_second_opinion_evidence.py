"""Records behind findings, the gravest first, and classes of persons."""

import numpy as np
import pytest

from core.reports.evidence import small_class_records
from core.reports.model import said_frame
from core.tabular.evidence import relinked_records, unchanged_records
from core.tabular.second_opinion import judge_second_opinion, measure_second_opinion, with_quasi_identifiers
from core.tabular.second_opinion.opinion import folded, gravest_first
from core.verdict import Finding, Verdict
from tests.report_examples import frame_of
from tests.second_opinion_examples import dataset, findings, log_of, opinion_on, the_finding, well_anonymized


def test_records__of_what_is_unchanged_relinked_or_in_small_classes() -> None:
    original = dataset({"a": ["1", "2", "3", None]})
    anonymized = dataset({"a": ["1.0", "x", "3", None]})
    frame = said_frame(unchanged_records(original, anonymized, column="a"))
    assert frame.to_dict("list") == {
        "Record": [1, 3],
        "a (original)": ["1", "3"],
        "a (anonymized)": ["1.0", "3"],
    }
    original = dataset({"a": ["1", "2"]})
    found = unchanged_records(original, dataset({"a_b": ["9", "2"]}), column="a", anonymized_column="a_b")
    assert frame_of(found)["record"].tolist() == [2]
    assert unchanged_records(original, dataset({"a": ["1"]}), column="a").cells() == []
    original, anonymized = dataset({"Name": ["a", "b"]}), dataset({"NAME": ["a", "c"]})
    frame = said_frame(unchanged_records(original, anonymized, column="NAME"))
    assert frame["NAME (original)"].tolist() == ["a"]
    frame = frame_of(relinked_records(original, anonymized, columns=["NAME"]))
    assert frame["original_record"].tolist() == [1]
    original = dataset({"a": ["1", "1", "2", None], "b": ["x", "y", "x", None]})
    anonymized = dataset({"a": ["2.0", "1", None, "7"], "b": ["x", "y", None, "x"]})
    frame = said_frame(relinked_records(original, anonymized, columns=["a", "b"]))
    assert frame.to_dict("list") == {
        "Record": [1, 2],
        "Original record": [3, 2],
        "a": ["2.0", "1"],
        "b": ["x", "y"],
    }
    anonymized = dataset({"sex": ["F", "F", "M", None, "F"], "age": ["1", "1", "2", None, "1"]})
    frame = frame_of(small_class_records(anonymized, quasi_identifiers=["sex", "age"], k=5, reveal=True))
    assert frame["record"].tolist() == [3, 1, 2, 5]
    assert frame["class_size"].tolist() == [1, 3, 3, 3]
    frame = frame_of(small_class_records(anonymized, quasi_identifiers=["sex"], k=2, reveal=True))
    assert frame["record"].tolist() == [3]


OURS = ["Record", "Original record", "Group size", "Found", "Size in records", "Record (column)"]


def test_evidence__never_takes_a_column_for_a_fact_by_its_heading() -> None:
    columns = {name: [f"{name} {i}" for i in range(3)] for name in OURS}
    table = dataset(columns)
    for found in (
        relinked_records(table, table, columns=OURS, reveal=False),
        small_class_records(table, quasi_identifiers=OURS, k=5, reveal=False),
    ):
        frame = said_frame(found)
        assert frame.columns.is_unique
        assert frame["Record"].tolist() == [1, 2, 3]
        assert not any(str(value).endswith((" 0", " 1", " 2")) for value in frame.to_numpy().ravel())
    shown = said_frame(relinked_records(table, table, columns=OURS))
    assert shown.iloc[0].tolist() == [1, 1, *(f"{name} 0" for name in OURS)]
    table = dataset({"Found": ["Ana", "Rok"]})
    frame = said_frame(unchanged_records(table, table, column="Found", reveal=False))
    assert frame["Found (original)"].tolist() == ["AAA", "AAA"]


# --- the gravest finding first, and many columns told as one


def _finding(check: str, verdict: Verdict = Verdict.FAIL, column: str | None = None) -> Finding:
    return Finding(check=check, verdict=verdict, message=f"{column}: {check}.", column=column, n_affected=2)


def test_gravest_first__puts_numbers_and_names_of_people_before_shares() -> None:
    found = [
        _finding("row_count_differs", Verdict.WARN),
        _finding("relinkage"),
        _finding("copy", column="lab"),
        _finding("copy", column="born"),
        _finding("copy", column="who"),
        _finding("copy", column="number"),
        _finding("originals_beside_the_table"),
        _finding("small", Verdict.WARN, column="number"),
    ]
    semantics = {"number": "ssn", "who": "name", "born": "birthdate", "lab": "other"}
    ordered = gravest_first(found, (), semantics)
    assert [one.column or one.check for one in ordered] == [
        *("number", "who", "originals_beside_the_table", "born", "lab", "relinkage", "number"),
        "row_count_differs",
    ]


def test_folded__tells_four_columns_of_one_check_as_one_and_leaves_others_alone() -> None:
    found = [_finding("copy", column=name) for name in "abcd"] + [_finding("relinkage")]
    (one, other) = folded(found)
    assert one.message == "a: copy. So it is with 3 more columns: `b`, `c` and `d`."
    assert (one.column, one.columns, one.n_affected) == (None, ("a", "b", "c", "d"), 8)
    assert one.document()["columns"] == ["a", "b", "c", "d"]
    assert other.check == "relinkage"
    three = [_finding("copy", column=name) for name in "abc"]
    mixed = [*three, _finding("copy", Verdict.WARN, column="d")]
    facts = [_finding("fact", Verdict.PASS, column=name) for name in "abcde"]
    assert folded([*mixed, *facts]) == (*mixed, *facts)
    assert "columns" not in three[0].document()
    columns = {f"lab{i}": [f"{10 * i + row / 7:.3f}" for row in range(40)] for i in range(6)}
    (finding,) = findings(opinion_on(columns, columns), "unchanged_distinct_column")
    assert finding.columns == tuple(columns)
    assert finding.message.endswith(
        "So it is with 5 more columns: `lab1`, `lab2`, `lab3`, `lab4` and `lab5`."
    )


# --- classes counted in persons, and classes whose people share a sensitive value

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


@pytest.mark.slow
def test_alike__classes_that_share_a_diagnosis_beyond_chance_fail() -> None:
    assert _with_alike(0) == (None, "")
    verdict, message = _with_alike(1)
    assert verdict is Verdict.FAIL
    assert "everybody has the same `diagnosis`; chance would explain" in message
    rng = np.random.default_rng(1)
    columns = {
        "gender": rng.choice(["F", "M"], 40).tolist(),
        "region": rng.choice(["N", "S", "W"], 40).tolist(),
        "diagnosis": rng.choice(["none", "asthma"], 40, p=[0.8, 0.2]).tolist(),
    }
    log = log_of(gender=("gender", "keep"), region=("address", "keep"), diagnosis=("diagnosis", "keep"))
    assert findings(opinion_on(columns, columns, log), "alike_inside") == []
