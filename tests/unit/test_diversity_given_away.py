"""What groups, the label and released columns give away beside k and ℓ; words for unknown."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.attribute_disclosure import own_items
from core.classes import classes_of_codes, items_of_classes
from core.coding import value_codes
from core.diversity import DiversityAudit, DiversitySettings, audit_diversity
from core.values.folded_text import folded_text, says_unknown
from core.verdict import Verdict

RNG = np.random.default_rng(11)
COMMON = ("flu", "gout", "asthma", "migraine")


def own(of_class: list[list[str]]) -> tuple[int, int] | None:
    """Return the classes and the items that are only theirs, of the values of each class."""
    codes = np.repeat(np.arange(len(of_class)), [len(each) for each in of_class])
    values = value_codes(pa.array([value for each in of_class for value in each]))
    found = own_items(items_of_classes(classes_of_codes(codes, ()), values), by_chance=1e-6)
    return None if found is None else (found.n_classes, found.n_items)


def mixed(n_classes: int, values: tuple[str, ...] = COMMON) -> list[list[str]]:
    return [[str(each) for each in RNG.permutation([*values, *values])] for _ in range(n_classes)]


def test_own_items__are_several_values_that_no_other_class_has() -> None:
    assert own([*mixed(9), *mixed(3, ("HCV", "hepatitis C"))]) == (3, 2)
    assert own([*mixed(20), ["a", "b", "c"] * 7]) == (1, 3)
    assert own([*mixed(9), *mixed(2, ("x1", "x2")), *mixed(2, ("y1", "y2"))]) == (4, 4)
    assert own([*mixed(9), *mixed(3, ("HCV", "hepatitis C", "flu"))]) is None  # one that others have
    assert own([*mixed(9), ["HCV", "hepatitis C"]]) is None  # as chance has it
    assert own([*mixed(3), *mixed(3, ("a", "b")), *mixed(3, ("c", "d"))]) is None  # the table is so
    assert own([*mixed(9), ["HCV"] * 9]) is None  # one value, seen without


@pytest.mark.parametrize(
    "word", ["해당없음 (미확인)", "Refused / missing", "keine Angabe", "ni podatka", "不明", "No sabe"]
)
def test_says_unknown__in_many_languages_and_together(word: str) -> None:
    assert says_unknown(folded_text(pa.array([word]))).all()


@pytest.mark.parametrize("word", ["fever of unknown origin", "nana", "none", "해당없음", "refusal of food"])
def test_says_unknown__not_of_words_beside_others(word: str) -> None:
    assert not says_unknown(folded_text(pa.array([word]))).any()


def searched(**columns: object) -> DiversityAudit:
    """Search a table of 200 persons with a diagnosis and a label, and columns of one's own."""
    n = 200
    frame = pd.DataFrame(
        {
            "age": RNG.integers(20, 80, n),
            "zone": RNG.integers(1, 5, n),
            "diagnosis": RNG.choice(COMMON, n),
            "again": RNG.integers(0, 2, n),
        }
    ).assign(**columns)
    settings = DiversitySettings(
        label="again",
        sensitive_attributes=("diagnosis",),
        quasi_identifiers=("age", "zone"),
        k_min=5,
        k_max=5,
        l_min=2,
        target_accuracy=0.0,
        categorical=tuple({"diagnosis", "code"} & {"diagnosis", *columns}),
        left_out=tuple({"patient"} & set(columns)),
    )
    return audit_diversity(frame, settings)


def said(found: DiversityAudit) -> dict[str, Verdict]:
    return {each.check: each.verdict for each in found.findings}


def test_related__what_a_column_gives_of_a_diagnosis() -> None:
    of = {"flu": "J11", "gout": "M10", "asthma": "J45", "migraine": "G43"}
    told = searched(code=lambda table: table["diagnosis"].map(of))
    assert said(told)["related_sensitive"] is Verdict.WARN
    assert "related_sensitive" not in said(searched(code=lambda table: table["zone"] * 7))


def test_homogeneous__of_the_label_where_nearly_all_have_one() -> None:
    told = searched(again=lambda table: (table["age"] > 50).astype(int))
    assert said(told)["homogeneous_label"] is Verdict.WARN
    assert said(searched())["homogeneous_label"] is Verdict.PASS


def test_hidden_persons__are_counted_by_a_column_that_is_left_out() -> None:
    patient = np.repeat(np.arange(20), 10)
    visits = searched(patient=[f"P{n}" for n in patient], age=20 + patient * 3, zone=1 + patient % 4)
    assert said(visits)["hidden_persons"] is not Verdict.PASS
    assert "hidden_persons" not in said(searched(patient=[f"P{n}" for n in range(200)]))
