"""The (k, l) grid search on scikit-learn's data, against 207 configurations computed outside this project."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from core.coding import FloatArray, IntArray
from core.demo.diversity import demo_file
from core.diversity import (
    DiversitySettings,
    ModelChoice,
    SearchProblem,
    as_published,
    prepare_search,
    search,
)
from core.diversity.minimized import Minimization
from core.tables import read_dataset

FILES = (
    "breast_cancer_tree.json",
    "breast_cancer_informative.json",
    "wine_tree.json",
    "wine_informative.json",
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


@pytest.mark.parametrize("name", FILES)
def test_search__finds_every_configuration_of_the_reference_and_no_other(golden_dir: Path, name: str) -> None:
    expected = reference(golden_dir, name)
    problem = problem_of(expected)
    assert problem.base_accuracy == pytest.approx(expected["base_accuracy"], abs=1e-9)
    found = found_with_deletion(problem)
    assert sorted(found) == sorted((k, ell) for k, ell, _, _ in expected["configurations"])
    for k, ell, deletion_ratio, accuracy in expected["configurations"]:
        assert found[k, ell] == pytest.approx((deletion_ratio, accuracy), abs=1e-9), (k, ell)


def test_search__covers_207_configurations(golden_dir: Path) -> None:
    assert sum(len(reference(golden_dir, name)["configurations"]) for name in FILES) == 207


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
