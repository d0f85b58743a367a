"""Attribute disclosure on six anonymized public tables, against figures computed outside this project."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.attribute_disclosure import (
    alpha,
    distinct_l,
    entropy_l,
    largest,
    ordered_codes,
    recursive_c,
    sensitive_counts,
    smallest,
    t_closeness,
)
from core.coding import value_codes
from core.equivalence import equivalence_classes
from core.tables import ReadOptions, read_dataset

FILES = (
    "hospital_anonymized.csv",
    "drugs_k5.csv",
    "drug_type.csv",
    "StudentsMath_Score_k5.csv",
    "adult_anonymized_10.csv",
    "stroke_k5.csv",
)


@pytest.fixture(scope="module", params=FILES)
def case(request: pytest.FixtureRequest, golden_dir: Path) -> dict[str, Any]:
    """A file's expected figures and ours."""
    cases = json.loads((golden_dir / "risk" / "expected.json").read_text())
    (described,) = [each for each in cases if each["file"] == request.param]
    # "Unknown" and "?" are values of these tables; nothing in them is missing.
    dataset = read_dataset(golden_dir / "risk" / request.param, options=ReadOptions(missing_spellings=()))
    numeric = described["sensitive_is_numeric"]
    column = dataset.table[described["sensitive_attribute"]]
    codes = ordered_codes(column.to_pandas().astype(float).to_numpy()) if numeric else value_codes(column)
    classes = equivalence_classes(dataset.table, described["quasi_identifiers"])
    counts = sensitive_counts(classes, codes)
    found = {
        "alpha": largest(alpha(counts)),
        "distinct_l": smallest(distinct_l(counts)),
        "entropy_l": smallest(entropy_l(counts)),
        "recursive_c_at_l2": largest(recursive_c(counts, l=2)),
        "recursive_c_at_l3": largest(recursive_c(counts, l=3)),
        "t": largest(t_closeness(counts, distance="ordered" if numeric else "equal")),
    }
    return {"expected": described["expected"], "found": found}


@pytest.mark.parametrize(
    "figure", ["alpha", "distinct_l", "entropy_l", "recursive_c_at_l2", "recursive_c_at_l3", "t"]
)
def test_attribute_disclosure__equals_the_reference(case: dict[str, Any], figure: str) -> None:
    expected = case["expected"][figure]
    assert case["found"][figure] == pytest.approx(np.inf if expected is None else expected, abs=1e-6)
