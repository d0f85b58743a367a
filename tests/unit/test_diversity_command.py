"""``python -m core diversity``: its document, its text, its exit codes."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier

from core.__main__ import main
from core.demo import diversity_table
from core.tables import read_dataset
from tests.cases.table import holds_for_each, read_cases, says
from tests.kinds import Patch, Told
from tests.one_json import figures_of

IRIS = ["diversity", "--demo", "iris"]


def document(capsys: Told, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def _of_file(path: Path, *further: str, label: str = "target") -> list[str]:
    return ["diversity", str(path), "--label", label, "--sensitive", "petal width (cm)", *further]


@pytest.fixture
def iris_file(tmp_path: Path) -> Path:
    path = tmp_path / "flowers.csv"
    path.write_bytes(diversity_table("iris").data)
    return path


def test_demo__prints_the_document(capsys: Told) -> None:
    code, found = document(capsys, *IRIS, "--k-max", "4", "--target-accuracy", "0.5")
    assert (code, found["tool"]) == (0, "diversity")
    fields = "verdict overall configurations result_list pareto recommended findings seconds"
    assert set(fields.split()) <= found.keys()
    pairs = [(k, ell) for k in (2, 3, 4) for ell in range(1, k + 1)]
    assert sorted((c["k"], c["l"]) for c in found["configurations"]) == pairs
    for each in found["configurations"]:
        assert {"deletion_ratio", "accuracy", "ncp", "result", "min_k", "distinct_l"} <= each.keys()
        assert (each in found["result_list"]) == (each["result"] == "offered")
        if each["result"] == "offered":
            assert each["min_k"] >= each["k"]
            assert each["distinct_l"] >= each["l"]
    assert {each["column"] for each in found["generalizations"]} == {*found["settings"]["quasi_identifiers"]}
    (recommended,) = found["recommended"]
    assert f"k = {recommended['k']}, " in recommended["reason"]
    chosen = next(c for c in found["configurations"] if [c["k"], c["l"]] == [*recommended.values()][:2])
    assert [found["recommended_k"], found["recommended_l"]] == [chosen["min_k"], chosen["distinct_l"]]


def test_reference_cells__meet_a_figure_of_the_reference(capsys: Told) -> None:
    asked = "--demo breast_cancer --model tree --reference-cells --k-min 47 --k-max 47 --l-min 46"
    code, found = document(capsys, "diversity", *asked.split())
    assert code == 1  # numbers as good as equal count once where the release is judged
    figures = {(c["k"], c["l"]): (c["deletion_ratio"], c["accuracy"]) for c in found["configurations"]}
    assert figures.keys() == {(47, 46), (47, 47)}
    assert figures[47, 46] == pytest.approx((0.1649122807, 0.8854166667), abs=1e-10)
    assert figures[47, 47] == pytest.approx((0.3298245614, 0.974025974), abs=1e-10)


def test_sorting_and_filters__order_the_result_list(capsys: Told) -> None:
    asked = "--k-max 8 --target-accuracy 0.5 --sort deletion_ratio --max-deletion 0.5 --min-accuracy 0.6"
    _, found = document(capsys, *IRIS, *asked.split())
    listed = found["result_list"]
    assert all(c["deletion_ratio"] <= 0.5 and c["accuracy"] >= 0.6 for c in listed)
    assert len(listed) > 1
    assert [c["deletion_ratio"] for c in listed] == sorted(c["deletion_ratio"] for c in listed)


def test_text__names_verdict_model_and_recommendation(capsys: Told) -> None:
    assert main([*IRIS, "--k-max", "9", "--target-accuracy", "0.5", "--splits", "3"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("WARN: Start from k = ")
    assert "decision tree" in text
    assert "Over 3 splits of these records it is " in text
    assert "… and " in text
    assert "nothing and can be released, beside those on the list; --json prints all\n" in text


def test_text__without_any_offer_fails(capsys: Told, tmp_path: Path) -> None:
    release = tmp_path / "r.csv"
    strict = [*IRIS, "--k-max", "3", "--target-accuracy", "1"]
    assert main([*strict, "--min-accuracy", "1", "--release", str(release)]) == 2
    assert says(capsys.readouterr().err, f"error: {release} was not written: no pair of k and ℓ meets")
    assert not release.exists()
    assert main(strict) == 1


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
    assert says(capsys.readouterr().out, f"  {ranked[0]['column']}…{ranked[0]['n_values']}…")


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
    assert says(text, "  id…4…100 %…100 %")
    assert "… and 3 more; --json prints all" in text


def test_release__is_written(capsys: Told, tmp_path: Path, iris_file: Path) -> None:
    path = tmp_path / "released.csv"
    quasi = ["sepal length (cm)", "sepal width (cm)"]
    asked = ["--leave-out", "petal length (cm)", "--target-accuracy", "0.4", "--release", str(path)]
    call = [*_of_file(iris_file, "--quasi-identifier", *quasi), *asked, "--k-max", "4"]
    code, found = document(capsys, *call)
    assert code == 0
    released = pd.read_csv(path)
    assert released.columns.tolist() == [*quasi, "petal width (cm)", "target"]
    groups = released.groupby(quasi, dropna=False, observed=True).size()
    assert groups.min() == found["recommended_k"] >= found["recommended"][0]["k"]


@pytest.mark.slow
def test_model_file_and_training_table__are_used(capsys: Told, tmp_path: Path, iris_file: Path) -> None:
    frame = read_dataset(iris_file).frame.astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(frame.drop(columns="target"), frame["target"])
    path, guesses = tmp_path / "model.skops", tmp_path / "guesses.csv"
    path.write_bytes(skops.io.dumps(model))
    frame.assign(guess=1).to_csv(guesses, index=False)
    common = ["--quasi-identifier", "sepal width (cm)", "--k-max", "3"]
    _, found = document(capsys, *_of_file(iris_file, *common), "--model", str(path))
    assert figures_of(found, "base_accuracy") == {"DecisionTreeClassifier from model.skops": 1.0}
    _, found = document(capsys, *_of_file(iris_file, *common), "--train", str(iris_file))
    assert found["n_records_to_anonymize"] == 150
    assert [*figures_of(found, "base_accuracy").values()] == [1.0]
    code, found = document(capsys, *_of_file(guesses, *common), "--predictions", "guess")
    assert figures_of(found, "base_accuracy") == {"predictions in column guess": pytest.approx(1 / 3)}
    assert (code, found["verdict"]) == (0, "NOT_ASSESSED")
    (start,) = found["recommended"]  # a table can be had, if no accuracy
    assert (start["k"], start["l"]) == (3, 3)
    assert found["recommended_k"] >= 3


def test_regression__is_searched_and_never_called_accuracy_in_the_text(capsys: Told, iris_file: Path) -> None:
    common = ["--quasi-identifier", "sepal length (cm)", "--regression"]
    call = _of_file(iris_file, *common, label="petal length (cm)")
    _, found = document(capsys, *call, "--bins", "0", "--k-max", "3")
    assert (found["settings_said"]["Model"], found["settings"]["task"]) == ("regression tree", "regression")
    assert [(each["attribute"], each["bins"]) for each in found["bins"]] == [
        ("petal width (cm)", "as written")
    ]
    main([*call, "--k-max", "6"])
    first = capsys.readouterr().out.splitlines()
    assert "R²" in first[0]
    assert "accuracy" not in first[0]


def test_bad_input__is_said_in_one_sentence_on_stderr(capsys: Told, iris_file: Path) -> None:
    def holds(arguments: str, pieces: str, table: list[str] = IRIS) -> None:
        assert main([*table, *arguments.split()]) == 2
        printed = capsys.readouterr()
        assert (printed.out, printed.err.count("\n")) == ("", 1)
        assert says(printed.err, f"error: …{pieces}"), printed.err

    holds_for_each(read_cases("diversity.txt")["options"], holds)
    file = ["diversity", str(iris_file)]
    holds("--label target", "Say which columns to use: --sensitive, --quasi-identifier is missing.", file)
    holds("--label a", "nowhere.csv is not a file.", ["diversity", "nowhere.csv"])


def test_release__never_overwrites_and_says_so_before_the_search(
    capsys: Told, iris_file: Path, monkeypatch: Patch
) -> None:
    before = iris_file.read_bytes()
    monkeypatch.setattr("core.diversity.measure_diversity", None)  # would fail if called
    quasi = ["--quasi-identifier", "sepal width (cm)"]
    assert main([*_of_file(iris_file, *quasi), "--release", str(iris_file)]) == 2
    assert says(capsys.readouterr().err, f"error: --release: {iris_file} exists and is never ")
    assert iris_file.read_bytes() == before


def test_quasi_identifiers__add_up_in_both_forms(capsys: Told, iris_file: Path) -> None:
    common, option = _of_file(iris_file, "--k-max", "2"), "--quasi-identifier"
    first, second = "sepal length (cm)", "sepal width (cm)"
    _, together = document(capsys, *common, option, first, second)
    _, apart = document(capsys, *common, option, first, option, second)
    assert together["configurations"] == apart["configurations"]
