"""Every figure of the risk command on six public tables, against figures computed outside this project."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.demo import diversity_table
from core.diversity import DiversitySettings, ModelChoice, SearchProblem, as_published, prepare_search, search
from core.diversity.minimized import Minimization
from core.tables import read_dataset

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
    (attribute,) = document["sensitive"]
    for figures, keys in ((document, OF_CLASSES), (attribute, OF_SENSITIVE)):
        for key in keys:
            if expected[key] is None:
                assert figures[key] is None, key
            else:
                assert figures[key] == pytest.approx(expected[key], abs=1e-6), key
    numeric = described["sensitive_is_numeric"]
    assert attribute["distance"] == "ordered" or not numeric


FILES_DIVERSITY = (
    *"""breast_cancer_tree.json breast_cancer_informative.json
    wine_tree.json wine_informative.json""".split(),
)
INFORMATIVE = ("breast_cancer_informative.json", "wine_informative.json")


def reference(golden_dir: Path, name: str) -> dict[str, Any]:
    return json.loads((golden_dir / "diversity" / name).read_text())


def problem_of(expected: dict[str, Any]) -> SearchProblem:
    file, split = diversity_table(expected["dataset"]), expected["split"]
    settings = DiversitySettings(
        label="target",
        sensitive_attributes=(expected["sensitive_attribute"],),
        quasi_identifiers=tuple(expected["quasi_identifiers"]),
        **{name: expected[name] for name in ("k_min", "k_max", "l_min", "target_accuracy")},
    )
    seed, size = split["random_state"], split["test_size"]
    choice = ModelChoice(source=expected["model"], test_size=size, split_seed=seed)
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
    assert sum(len(reference(golden_dir, each)["configurations"]) for each in FILES_DIVERSITY) == 207


@pytest.mark.parametrize("name", INFORMATIVE)
def test_search__differs_from_the_reference_when_records_decide_or_minimization_does_nothing(
    golden_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reference(golden_dir, name)
    problem = problem_of(expected)
    by_records = dataclasses.replace(problem.settings, majority="records")
    inputs = dataclasses.replace(problem.inputs, settings=by_records)

    def n_differing(of: SearchProblem) -> int:
        found = found_with_deletion(of)
        triples = ((found[k, ell][1], accuracy) for k, ell, _, accuracy in expected["configurations"])
        return sum(one != pytest.approx(accuracy, abs=1e-9) for one, accuracy in triples)

    assert n_differing(dataclasses.replace(problem, inputs=inputs)) > 0
    monkeypatch.setattr(Minimization, "replaced", lambda _self, values, _nodes: values)
    assert n_differing(problem_of(expected)) > 5
