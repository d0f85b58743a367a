"""Every figure of the risk command on six public tables, against figures computed outside this project."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.__main__ import main
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
from core.coding import FloatArray, IntArray, value_codes
from core.demo.diversity import demo_file
from core.diversity import DiversitySettings, ModelChoice, SearchProblem, as_published, prepare_search, search
from core.diversity.minimized import Minimization
from core.equivalence import equivalence_classes
from core.tables import ReadOptions, read_dataset

FILES = (
    *"""hospital_anonymized.csv drugs_k5.csv drug_type.csv StudentsMath_Score_k5.csv
    adult_anonymized_10.csv stroke_k5.csv""".split(),
)
OF_CLASSES = (
    *"""k n_classes average_class_size share_k_lt_2 share_k_lt_5 prosecutor_highest_risk
    prosecutor_average_risk""".split(),
)
OF_SENSITIVE = (
    *"alpha distinct_l entropy_l recursive_c_at_l2 recursive_c_at_l3 t basic_beta delta_ln".split(),
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


FILES_DIVERSITY = (
    *"""breast_cancer_tree.json breast_cancer_informative.json
    wine_tree.json wine_informative.json""".split(),
)
INFORMATIVE = ("breast_cancer_informative.json", "wine_informative.json")


def reference(golden_dir: Path, name: str) -> dict[str, Any]:
    return json.loads((golden_dir / "diversity" / name).read_text())


def problem_of(expected: dict[str, Any]) -> SearchProblem:
    file = demo_file(expected["dataset"])
    settings = DiversitySettings(
        label="target",
        sensitive_attributes=(expected["sensitive_attribute"],),
        quasi_identifiers=tuple(expected["quasi_identifiers"]),
        k_min=expected["k_min"],
        k_max=expected["k_max"],
        l_min=expected["l_min"],
        target_accuracy=expected["target_accuracy"],
    )
    choice = ModelChoice(
        source=expected["model"],
        test_size=expected["split"]["test_size"],
        split_seed=expected["split"]["random_state"],
    )
    return prepare_search(read_dataset(file.data, name=file.name), as_published(settings), choice)


def found_with_deletion(problem: SearchProblem) -> dict[tuple[int, int], tuple[float, float]]:
    return {
        (each.k, each.l): (each.deletion_ratio, each.accuracy)
        for each in search(problem, verified=False)
        if each.deletion_ratio and each.accuracy is not None
    }


@pytest.mark.parametrize("name", FILES_DIVERSITY)
def test_search__finds_every_configuration_of_the_reference_and_no_other(golden_dir: Path, name: str) -> None:
    expected = reference(golden_dir, name)
    problem = problem_of(expected)
    assert problem.base_accuracy == pytest.approx(expected["base_accuracy"], abs=1e-9)
    found = found_with_deletion(problem)
    assert sorted(found) == sorted((k, ell) for k, ell, _, _ in expected["configurations"])
    for k, ell, deletion_ratio, accuracy in expected["configurations"]:
        assert found[k, ell] == pytest.approx((deletion_ratio, accuracy), abs=1e-9), (k, ell)


def test_search__covers_207_configurations(golden_dir: Path) -> None:
    assert sum(len(reference(golden_dir, name)["configurations"]) for name in FILES_DIVERSITY) == 207


def untouched(self: Minimization, values: FloatArray, nodes: IntArray) -> FloatArray:
    return values


@pytest.mark.parametrize("name", INFORMATIVE)
def test_search__differs_from_the_reference_when_minimization_does_nothing(
    golden_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reference(golden_dir, name)
    monkeypatch.setattr(Minimization, "replaced", untouched)
    found = found_with_deletion(problem_of(expected))
    differing = [
        (k, ell)
        for k, ell, _, accuracy in expected["configurations"]
        if found[k, ell][1] != pytest.approx(accuracy, abs=1e-9)
    ]
    assert len(differing) > 5


@pytest.mark.parametrize("name", INFORMATIVE)
def test_search__differs_from_the_reference_when_records_decide_a_merged_label(
    golden_dir: Path, name: str
) -> None:
    expected = reference(golden_dir, name)
    problem = problem_of(expected)
    settings = dataclasses.replace(problem.settings, majority="records")
    inputs = dataclasses.replace(problem.inputs, settings=settings)
    found = found_with_deletion(dataclasses.replace(problem, inputs=inputs))
    accuracies = {(k, ell): accuracy for k, ell, _, accuracy in expected["configurations"]}
    assert any(found[pair][1] != pytest.approx(accuracy, abs=1e-9) for pair, accuracy in accuracies.items())
