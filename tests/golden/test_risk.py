"""Every figure of the risk command on six public tables, against figures computed outside this project."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main

FILES = (
    "hospital_anonymized.csv",
    "drugs_k5.csv",
    "drug_type.csv",
    "StudentsMath_Score_k5.csv",
    "adult_anonymized_10.csv",
    "stroke_k5.csv",
)
OF_CLASSES = (
    "k",
    "n_classes",
    "average_class_size",
    "share_k_lt_2",
    "share_k_lt_5",
    "prosecutor_highest_risk",
    "prosecutor_average_risk",
)
OF_SENSITIVE = (
    "alpha",
    "distinct_l",
    "entropy_l",
    "recursive_c_at_l2",
    "recursive_c_at_l3",
    "t",
    "basic_beta",
    "delta_ln",
)


@pytest.mark.parametrize("file", FILES)
def test_risk_command__equals_the_reference(
    file: str, golden_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = json.loads((golden_dir / "risk" / "expected.json").read_text())
    (described,) = [each for each in cases if each["file"] == file]
    sensitive = described["sensitive_attribute"]
    columns = [part for name in described["quasi_identifiers"] for part in ("--quasi-identifier", name)]
    path = str(golden_dir / "risk" / file)
    assert main(["risk", path, *columns, "--sensitive", sensitive, "--json"]) in (0, 1)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    expected = described["expected"]
    assert set(expected) == {*OF_CLASSES, *OF_SENSITIVE}
    for figures, keys in ((document, OF_CLASSES), (document["sensitive"][sensitive], OF_SENSITIVE)):
        for key in keys:
            if expected[key] is None:
                assert figures[key] is None, key
            else:
                assert figures[key] == pytest.approx(expected[key], abs=1e-6), key
    numeric = described["sensitive_is_numeric"]
    assert document["sensitive"][sensitive]["distance"] == "ordered" or not numeric
