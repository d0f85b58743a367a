"""``python -m core diversity``: its document, its text, its exit codes."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier

from core.__main__ import main
from core.demo.diversity import demo_file
from core.tables import read_dataset
from tests.kinds import Patch, Told
from tests.saying import Saying

IRIS = ["diversity", "--demo", "iris"]


def document(capsys: Told, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture
def iris_file(tmp_path: Path) -> Path:
    path = tmp_path / "flowers.csv"
    path.write_bytes(demo_file("iris").data)
    return path


def test_demo__prints_the_document(capsys: Told) -> None:
    code, found = document(capsys, *IRIS, "--k-max", "4", "--target-accuracy", "0.5")
    assert code == 0
    assert found["tool"] == "diversity"
    assert {
        "verdict", "overall", "base_accuracy", "configurations", "pareto", "recommended", "findings", "seconds",  # noqa: E501
    } <= found.keys()  # fmt: skip
    assert sorted((c["k"], c["l"]) for c in found["configurations"]) == [
        (k, ell) for k in (2, 3, 4) for ell in range(1, k + 1)
    ]
    for each in found["configurations"]:
        assert {"deletion_ratio", "accuracy", "ncp", "stored", "reason", "min_k", "distinct_l"} <= each.keys()
        assert each["stored"] == (each["reason"] == "offered")
        if each["stored"]:
            assert each["min_k"] >= each["k"]
            assert each["distinct_l"] >= each["l"]
            assert set(each["generalizations"]) == {"ranges", "categories", "untouched"}
    assert f"k = {found['recommended']['k']}, " in found["recommended"]["reason"]


def test_reference_cells__meet_a_figure_of_the_reference(capsys: Told) -> None:
    code, found = document(
        capsys, "diversity", "--demo", "breast_cancer", "--model", "tree", "--reference-cells", "--k-min", "47",  # noqa: E501
        "--k-max", "47", "--l-min", "46",
    )  # fmt: skip
    assert code == 0
    assert {(c["k"], c["l"]): (round(c["deletion_ratio"], 10), round(c["accuracy"], 10))
            for c in found["configurations"]} == {
        (47, 46): (0.1649122807, 0.8854166667),
        (47, 47): (0.3298245614, 0.974025974),
    }  # fmt: skip


def test_sorting_and_filters__order_the_result_list(capsys: Told) -> None:
    _, found = document(
        capsys, *IRIS, "--k-max", "8", "--target-accuracy", "0.5", "--sort", "deletion_ratio",
        "--max-deletion", "0.5", "--min-accuracy", "0.6",
    )  # fmt: skip
    listed = [c for c in found["configurations"] if c["stored"]]
    within = [c["deletion_ratio"] for c in listed if c["deletion_ratio"] <= 0.5 and c["accuracy"] >= 0.6]
    assert within == sorted(within)


def test_text__names_verdict_model_and_recommendation(capsys: Told) -> None:
    assert main([*IRIS, "--k-max", "9", "--target-accuracy", "0.5", "--repeats", "3"]) == 0
    text = capsys.readouterr().out
    assert "model: decision tree, accuracy on untouched records" in text
    assert "recommended: Of the " in text
    assert "over seeds: " in text
    assert "… and " in text
    assert "nothing and can be released, beside those on the list; --json prints all\n" in text


def test_text__without_any_offer_fails(capsys: Told, tmp_path: Path) -> None:
    release = tmp_path / "r.csv"
    code = main(
        [*IRIS, "--k-max", "3", "--target-accuracy", "1", "--min-accuracy", "1", "--release", str(release)]
    )
    captured = capsys.readouterr()
    assert code == 2
    assert f"error: {release} was not written: no pair of k and ℓ meets the limits." in captured.err
    assert not release.exists()
    assert main([*IRIS, "--k-max", "3", "--target-accuracy", "1"]) == 1


def test_rank_columns__adds_the_ranking_to_the_result(capsys: Told) -> None:
    arguments = [*IRIS, "--k-max", "3", "--target-accuracy", "0.5"]
    _, plain = document(capsys, *arguments)
    assert "singling_out" not in plain
    _, found = document(capsys, *arguments, "--rank-columns")
    ranked = found["singling_out"]
    assert len(ranked) == 5
    assert set(ranked[0]) == {"column", "n_values", "unique_share", "unique_share_with_former"}
    assert ranked[0]["unique_share"] == max(each["unique_share"] for each in ranked)
    assert found["configurations"] == plain["configurations"]
    main([*arguments, "--rank-columns"])
    assert f"{ranked[0]['n_values']:>8}  {ranked[0]['column']}\n" in capsys.readouterr().out


def test_rank_columns__without_roles_ranks_only_and_passes_nothing(capsys: Told, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    frame = pd.DataFrame({"sex": ["f", "m", "f", "m"], "id": ["a", "b", "c", "d"], "age": [1, 1, 2, 3]})
    frame.assign(**{f"same{i}": "x" for i in range(20)}).to_csv(path, index=False)
    code, found = document(capsys, "diversity", str(path), "--label", "sex", "--rank-columns")
    assert (code, found["verdict"], found["overall"]) == (0, "NOT_ASSESSED", "NOT_ASSESSED")
    assert found["reason"] == "Nothing was searched: --sensitive, --quasi-identifier is missing."
    assert [each["column"] for each in found["singling_out"]][:3] == ["id", "age", "sex"]
    assert [each["unique_share"] for each in found["singling_out"]][:3] == [1.0, 0.5, 0.0]
    assert main(["diversity", str(path), "--rank-columns"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("NOT ASSESSED  people.csv, 4 records. Nothing was searched: --label, ")
    assert "   1.0000     1.0000        4  id\n" in text
    assert "… and 3 more; --json prints all" in text


def test_release__is_written(capsys: Told, tmp_path: Path, iris_file: Path) -> None:
    path = tmp_path / "released.csv"
    code, found = document(
        capsys, "diversity", str(iris_file), "--label", "target", "--sensitive", "petal width (cm)",
        "--quasi-identifier", "sepal length (cm)", "sepal width (cm)", "--leave-out", "petal length (cm)",
        "--k-max", "4", "--target-accuracy", "0.4", "--release", str(path),
    )  # fmt: skip
    assert code == 0
    released = pd.read_csv(path)
    assert released.columns.tolist() == [
        "sepal length (cm)",
        "sepal width (cm)",
        "petal width (cm)",
        "target",
    ]
    groups = released.groupby(["sepal length (cm)", "sepal width (cm)"], dropna=False, observed=True).size()
    assert groups.min() >= found["recommended"]["k"]


def test_model_file_and_training_table__are_used(capsys: Told, tmp_path: Path, iris_file: Path) -> None:
    frame = read_dataset(iris_file).frame.astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(frame.drop(columns="target"), frame["target"])
    path = tmp_path / "model.skops"
    path.write_bytes(skops.io.dumps(model))
    common = ["--label", "target", "--sensitive", "petal width (cm)", "--quasi-identifier", "sepal width (cm)",  # noqa: E501
              "--k-max", "3"]  # fmt: skip
    _, found = document(capsys, "diversity", str(iris_file), *common, "--model", str(path))
    assert (found["model"], found["base_accuracy"]) == ("DecisionTreeClassifier from model.skops", 1.0)
    _, found = document(capsys, "diversity", str(iris_file), *common, "--train", str(iris_file))
    assert (found["n_records"], found["base_accuracy"]) == (150, 1.0)
    guesses = tmp_path / "guesses.csv"
    frame.assign(guess=1).to_csv(guesses, index=False)
    code, found = document(capsys, "diversity", str(guesses), *common, "--predictions", "guess")
    assert found["base_accuracy"] == pytest.approx(1 / 3)
    assert (code, found["verdict"], found["recommended"]) == (0, "NOT_ASSESSED", None)


def test_regression__is_searched(capsys: Told, iris_file: Path) -> None:
    _, found = document(
        capsys, "diversity", str(iris_file), "--label", "petal length (cm)", "--sensitive", "petal width (cm)",  # noqa: E501
        "--quasi-identifier", "sepal length (cm)", "--regression", "--bins", "0", "--k-max", "3",
    )  # fmt: skip
    assert (found["model"], found["accuracy_is"]) == ("regression tree", "R²")
    assert found["sensitive_bins"] == {"petal width (cm)": None}


def test_regression__is_never_called_accuracy_in_the_text(capsys: Told, iris_file: Path) -> None:
    main(["diversity", str(iris_file), "--label", "petal length (cm)", "--sensitive", "petal width (cm)",
          "--quasi-identifier", "sepal length (cm)", "--regression", "--k-max", "6"])  # fmt: skip
    first = capsys.readouterr().out.splitlines()
    assert ", R² on untouched records " in first[1]
    assert not any(" accuracy " in line for line in first[1:4])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["nowhere.csv", "--label", "target"],
            "Say which columns to use: --sensitive, --quasi-identifier is missing.",
        ),
        (["--demo", "iris", "--l-min", "13"], "--l-min must be at most --k-max, received 13 and 12."),
        (["--demo", "iris", "--model", "oracle"], "or a skops file; oracle is neither."),
        (["--demo", "iris", "--label", "species"], "--label: there is no column “species”; the table has "),
    ],
)
def test_bad_input__is_said_on_stderr(
    capsys: Told, iris_file: Path, arguments: list[str], sentence: str
) -> None:
    found = [str(iris_file) if each == "nowhere.csv" else each for each in arguments]
    assert main(["diversity", *found]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--model-seed", "-1"], "--model-seed must be from 0 to 4,294,967,295, received -1."),
        (
            ["--split-seed", "4294967296"],
            "--split-seed must be from 0 to 4,294,967,295, received 4,294,967,296.",
        ),
        (["--jobs", "0"], "--jobs must be from 1 to 256, received 0."),
        (["--repeats", "-1"], "--repeats must be from 0 to 1,000, received -1."),
        (["--k-min", "1"], "--k-min must be at least 2, received 1."),
        (["--k-min", "13"], "--k-min must be at most --k-max, received 13 and 12."),
        (["--target-accuracy", "nan"], "--target-accuracy must be from 0 to 1, received nan."),
        (["--max-deletion", "1.5"], "--max-deletion must be from 0 to 1, received 1.5."),
        (["--recursive-c", "inf"], "--recursive-c must be above 0, received inf."),
        (["--recursive-c", "0"], "--recursive-c must be above 0, received 0."),
        (["--bins", "1"], "--bins must be from 2 to 10,000, received 1."),
        (["--test-size", "1"], "--test-size must be above 0 and below 1, received 1."),
        (["--release", "nowhere/r.csv"], "--release: there is no folder nowhere; choose another one."),
        (["--quasi-identifier", "colour"], "--quasi-identifier: there is no column “colour”; the table has"),
    ],
)
def test_options_out_of_range__are_named_in_one_sentence(
    capsys: Told, arguments: list[str], sentence: str
) -> None:
    assert main([*IRIS, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {sentence}")
    assert (captured.err.count("\n"), captured.out) == (1, "")


def test_release__never_overwrites_and_says_so_before_the_search(
    capsys: Told, iris_file: Path, monkeypatch: Patch
) -> None:
    before = iris_file.read_bytes()
    arguments = ["diversity", str(iris_file), "--label", "target", "--sensitive", "petal width (cm)",
                 "--quasi-identifier", "sepal width (cm)", "--release", str(iris_file)]  # fmt: skip
    monkeypatch.setattr("core.diversity.measure_diversity", None)  # would fail if called
    assert main(arguments) == 2
    assert capsys.readouterr().err == Saying(f"error: --release: {iris_file} exists and is never …")
    assert iris_file.read_bytes() == before


def test_quasi_identifiers__add_up_in_both_forms(capsys: Told, iris_file: Path) -> None:
    common = [
        "diversity",
        str(iris_file),
        "--label",
        "target",
        "--sensitive",
        "petal width (cm)",
        "--k-max",
        "2",
    ]
    first, second = "sepal length (cm)", "sepal width (cm)"
    _, together = document(capsys, *common, "--quasi-identifier", first, second)
    _, apart = document(capsys, *common, "--quasi-identifier", first, "--quasi-identifier", second)
    assert together["configurations"] == apart["configurations"]


def test_absent_file__is_named(capsys: Told) -> None:
    assert main(["diversity", "nowhere.csv", "--label", "a"]) == 2
    assert capsys.readouterr().err == "error: nowhere.csv is not a file.\n"
