"""A model from a file predicts in a process of its own, and is asked there only."""

import io
import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skops.io
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from core.diversity import (
    ModelChoice,
    SearchProblem,
    judge_diversity,
    load_estimator,
    measure_diversity,
    model_process,
)
from core.errors import AuditInputError
from core.verdict import Verdict
from tests.cases.table import holds_for_each, says
from tests.diversity_examples import people, prepared, problems

RECORDS = np.random.default_rng(3).normal(size=(200, 4)).astype(np.float32)
LABELS = np.where(RECORDS[:, 0] + RECORDS[:, 2] > 0, "yes", "no")
FEATURES = ["age", "income", "score"]


def table(records: np.ndarray) -> pa.Table:
    return pa.table({f"c{i}": column.astype(np.float64) for i, column in enumerate(records.T)})


def fitted(kind: Any) -> bytes:
    return skops.io.dumps(kind.fit(people()[FEATURES], people()["ill"]))


def from_file(data: bytes, frame: pd.DataFrame | None = None, **changes: object) -> SearchProblem:
    choice = ModelChoice(source="file", file_name="model.skops", file=data)
    frame = people().drop(columns="job") if frame is None else frame
    return prepared(frame, choice, **{"quasi_identifiers": ("age",), "categorical": (), **changes})


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(5, random_state=0),
        GradientBoostingClassifier(n_estimators=5, random_state=0),
        HistGradientBoostingClassifier(max_iter=5, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_load_estimator__predicts_what_the_model_predicted_before(kind: Any) -> None:
    problem = from_file(fitted(kind))
    expected = (kind.predict(people()[FEATURES]) == people()["ill"]).mean()
    assert problem.base_accuracy == pytest.approx(expected)
    assert type(kind).__name__ in problem.inputs.model.description
    assert judge_diversity(measure_diversity(problem)).verdict is Verdict.PASS


@pytest.mark.slow
def test_load_estimator__takes_a_pipeline_with_categories() -> None:
    frame = people()
    encoder = ColumnTransformer([("jobs", OneHotEncoder(), ["job"])], remainder="passthrough")
    model = make_pipeline(encoder, RandomForestClassifier(5, random_state=0))
    data = skops.io.dumps(model.fit(frame[["age", "job", "income", "score"]], frame["ill"]))
    chosen = {"quasi_identifiers": ("age", "job"), "categorical": ("job",)}
    assert from_file(data, frame, **chosen).base_accuracy > 0.9
    unseen = frame.assign(job=frame["job"].where(frame.index > 0, "astronaut"))
    (said,) = problems(lambda: from_file(data, unseen, **chosen))
    assert says(said, "The model in model.skops cannot predict the records: ")


@pytest.mark.slow
def test_file_model__gives_missing_numbers_as_zero_to_a_model_that_refuses_them() -> None:
    holes = people().drop(columns="job").astype({"age": float})
    holes.loc[0, "age"] = np.nan
    problem = from_file(fitted(make_pipeline(StandardScaler(), LogisticRegression())), holes)
    assert any(says(note.message, "missing numbers were given to it as 0") for note in problem.notes)


@pytest.mark.slow
def test_load_estimator__names_features_the_table_does_not_have() -> None:
    frame = people().rename(columns={"age": "years"})

    def of_features(*names: str, named: bool) -> Callable[[], SearchProblem]:
        features = frame[list(names)]
        model = DecisionTreeClassifier(random_state=0)
        model.fit(features if named else features.to_numpy(), frame["ill"])
        return lambda: from_file(skops.io.dumps(model))

    (said,) = problems(of_features("years", "income", "score", named=True))
    assert says(said, "model.skops was trained on 1 of 3 features that the table does not have: years.")
    (said,) = problems(of_features("years", "income", named=False))
    assert says(said, "model.skops was trained on 2 features without names;… 3. ")
    assert of_features("years", "income", "score", named=False)().base_accuracy == 1.0


@pytest.mark.slow
def test_load_estimator__sees_a_model_of_another_label_or_task() -> None:
    frame = people()
    other = DecisionTreeClassifier(random_state=0).fit(frame[FEATURES], frame["ill"].map("label {}".format))
    (said,) = problems(lambda: from_file(skops.io.dumps(other)))
    assert says(said, f"model.skops predicts none of …{frame['ill'].nunique()} values of the label “ill”")
    first = frame["ill"].iloc[0]
    partly = frame["ill"].where(frame["ill"] != first, "never seen")
    model = DecisionTreeClassifier(random_state=0).fit(frame[FEATURES], partly)
    (note,) = [note for note in from_file(skops.io.dumps(model)).notes if note.check == "label_not_predicted"]
    assert (note.verdict, note.n_affected) == (Verdict.WARN, int((frame["ill"] == first).sum()))
    numbers = skops.io.dumps(LinearRegression().fit(frame[FEATURES], frame["age"]))
    (said,) = problems(lambda: from_file(numbers))
    assert says(said, "model.skops holds a model for regression; classification was asked for.")
    years = frame.drop(columns=["job", "ill"]).assign(years=frame["age"])
    found = from_file(numbers, years, label="years", task="regression")
    assert found.base_accuracy == pytest.approx(1.0)


def rezipped(data: bytes, changed: Callable[[str, bytes], bytes]) -> bytes:
    """Return a model file with other content of its parts."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return zipped({name: changed(name, source.read(name)) for name in source.namelist()})


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def joblib_bytes(compress: int) -> bytes:
    buffer = io.BytesIO()
    joblib.dump({"a": np.arange(3)}, buffer, compress=compress)
    return buffer.getvalue()


def outside_its_arrays(field: str) -> DecisionTreeClassifier:
    """Return a tree of which one field points outside, or that belongs to other features."""
    model = DecisionTreeClassifier(random_state=0).fit(people()[FEATURES], people()["ill"])
    state = model.tree_.__getstate__()
    nodes = state["nodes"].copy()
    if field != "owner":
        nodes[field][0] = 1_000_000
    state["nodes"] = nodes
    hostile = type(model.tree_)(3, np.array([2]), 1)
    hostile.__setstate__(state)
    model.tree_ = hostile
    if field == "owner":
        model.n_features_in_ = 0
    return model


def boosted_outside_its_arrays() -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(max_iter=2).fit(people()[FEATURES], people()["ill"])
    model._predictors[0][0].nodes["left"][0] = 4_000_000
    return model


NUMBERS = np.arange(80, dtype=np.float64).reshape(40, 2)
ANSWERS = np.arange(40) % 3
OWN = Pipeline([("own", FunctionTransformer(json.dumps)), ("tree", DecisionTreeClassifier())])


def refused() -> list[tuple[bytes, str]]:
    """Return what is no model to ask, and what is said of it."""
    whole = fitted(DecisionTreeClassifier())
    cut = "is not a complete skops file: it is damaged or cut off. "
    damaged = "is not a complete skops file: it is damaged, or from another version. "
    contradicts = "holds a model that was never fitted, or whose parts contradict each other."
    near = KNeighborsClassifier().fit(people()[["age", "income"]], people()["ill"])
    headers = rezipped(whole, lambda _, data: data.replace(b"'descr'", b"'''''''"))
    halves = rezipped(whole, lambda name, data: data if name == "schema.json" else data[: len(data) // 2])
    broken = ({"a.txt": b"hello"}, {"schema.json": b"{}"}, {"schema.json": b"[" * 5000})
    trees = [outside_its_arrays(field) for field in ("left_child", "right_child", "feature", "owner")]
    pickles = [pickle.dumps({"a": 1}, protocol=protocol) for protocol in range(6)]
    return [
        (b"", "the file is empty (0 bytes)"),
        (b"a,b\n1,2\n", "is not a skops file. "),
        (b"\x80\x04x", "pickle"),
        *((data, "is a pickle or joblib file, whatever") for data in [*pickles, *map(joblib_bytes, (0, 3))]),
        *((whole[:end], cut) for end in range(4, len(whole), len(whole) // 20)),
        *((zipped(members), damaged) for members in broken),
        (headers, "is not a complete skops file"),
        (halves, damaged),
        (skops.io.dumps({"a": 1}), "holds no scikit-learn model that predicts."),
        (
            skops.io.dumps(make_pipeline(StandardScaler()).fit(np.eye(3))),
            "no scikit-learn model that predicts.",
        ),
        (skops.io.dumps(KMeans(n_clusters=2, n_init=1).fit(NUMBERS)), ""),
        *((skops.io.dumps(model), contradicts) for model in [*trees, DecisionTreeClassifier()]),
        (skops.io.dumps(boosted_outside_its_arrays()), contradicts),
        (skops.io.dumps(near), "types that are not trusted …EuclideanDistance64, …KDTree. "),
        (skops.io.dumps(OWN), "types that are not trusted and was not loaded: …dumps"),
    ]


@pytest.mark.slow
def test_load_estimator__refuses_what_is_no_model_in_a_sentence_here_and_in_its_process() -> None:
    def holds(data: bytes, pieces: str) -> None:
        by_process = problems(lambda: load_estimator(data, name="m.skops"))
        here = problems(lambda: model_process.load(pa.py_buffer(data), "m.skops"))
        assert by_process == here
        assert len(here) == 1
        assert says(here[0], f"m.skops…{pieces}"), here

    holds_for_each(refused(), holds)


def test_load_estimator__bounds_what_it_unpacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(data: bytes) -> str:
        return "\n".join(problems(lambda: model_process.load(pa.py_buffer(data), "m.skops")))

    with monkeypatch.context() as patched:
        patched.setattr(model_process, "LARGEST_UNPACKED_BYTES", 1_000_000)
        bomb = zipped({"schema.json": b"{}", "bomb": b"0" * 30_000_000})
        assert len(bomb) < 100_000
        assert says(said(bomb), "m.skops …30 MB in 2 parts; at most 1 MB in 50,000 parts")
    monkeypatch.setattr(model_process, "_MOST_MEMBERS", 1)
    assert says(said(skops.io.dumps(DecisionTreeClassifier().fit(NUMBERS, ANSWERS))), "500 MB in 1 parts")


@pytest.mark.slow
def test_model_process__predicts_until_it_ends_and_then_says_so_in_a_sentence() -> None:
    model = RandomForestClassifier(3, random_state=0).fit(RECORDS, LABELS)
    loaded = load_estimator(skops.io.dumps(model), name="m.skops")
    expected = model.predict(RECORDS).tolist()
    for _ in range(2):
        names, positions = loaded.process.predict(table(RECORDS), named=False)
        assert [names[position] for position in positions] == expected
    loaded.process._process.end()
    with pytest.raises(AuditInputError, match=r"m\.skops: the file could not be read"):
        loaded.process.predict(table(RECORDS), named=False)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["dual_coef_", "_n_support", "support_vectors_", "_probA"])
def test_model_process__support_vectors_that_contradict_each_other_end_nothing_else(part: str) -> None:
    model = SVC(random_state=0).fit(RECORDS, LABELS)
    setattr(model, part, getattr(model, part)[:1])
    loaded = load_estimator(skops.io.dumps(model), name="m.skops")
    said = ""
    try:
        assert len(loaded.process.predict(table(RECORDS), named=False)[1]) == len(RECORDS)
    except AuditInputError as error:
        said = str(error)
    assert said.partition(":")[0].removeprefix("The model in ").partition(" ")[0] in {"", "m.skops"}


@pytest.mark.slow
def test_model_files__import_neither_skops_nor_trees_of_files_here() -> None:
    program = "import json, sys, core.diversity.model_files\nprint(json.dumps('skops' in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) is False


def predicted(records: dict[str, object], names: list[str] | None) -> model_process.Predicted:
    return model_process.predict(pa.table(records), names, "m.skops")


@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_worker__loads_a_model_and_predicts_as_it_does(names: list[str] | None) -> None:
    def holds(estimator: Any) -> None:
        features = NUMBERS if names is None else pd.DataFrame(NUMBERS, columns=names)
        estimator.fit(features, ANSWERS)
        told = model_process.load(pa.py_buffer(skops.io.dumps(estimator)), "m.skops")
        assert (told.kind, told.n_features) == (type(estimator).__name__, 2)
        classes, codes = predicted({"0": NUMBERS[:, 0], "1": NUMBERS[:, 1]}, names)
        expected = [str(each) if classes else each for each in estimator.predict(features)]
        assert list(np.array(classes)[codes] if classes else codes) == expected

    forest = RandomForestClassifier(n_estimators=3, random_state=0)
    boosted = HistGradientBoostingClassifier(max_iter=2, random_state=0)
    trees = [DecisionTreeClassifier(random_state=0), DecisionTreeRegressor(random_state=0)]
    holds_for_each([*trees, forest, boosted], holds)


def test_worker__refuses_records_of_another_kind() -> None:
    data = skops.io.dumps(DecisionTreeClassifier().fit(NUMBERS, ANSWERS))
    model_process.load(pa.py_buffer(data), "m.skops")
    with pytest.raises(AuditInputError, match=r"The model in m\.skops cannot predict the records"):
        predicted({"0": ["a word"] * 3, "1": [1.0, 2, 3]}, None)
