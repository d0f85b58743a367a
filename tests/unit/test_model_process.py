"""A model from a file predicts in a process of its own, and is asked there only."""

import io
import json
import subprocess
import sys
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skops.io
from sklearn.base import is_classifier
from sklearn.cluster import KMeans
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from core.diversity import load_estimator, model_process
from core.diversity.model_process import _nodes, trees_of
from core.diversity.outcomes import FlatTree, TreeDependence, tree_dependence
from core.errors import AuditInputError

RECORDS = np.random.default_rng(3).normal(size=(200, 4)).astype(np.float32)
LABELS = np.where(RECORDS[:, 0] + RECORDS[:, 2] > 0, "yes", "no")


def table(records: np.ndarray) -> pa.Table:
    return pa.table({f"c{i}": column.astype(np.float64) for i, column in enumerate(records.T)})


def test_model_process__begins_anew_when_it_has_ended() -> None:
    model = RandomForestClassifier(3, random_state=0).fit(RECORDS, LABELS)
    loaded = load_estimator(skops.io.dumps(model), name="m.skops")
    expected = model.predict(RECORDS).tolist()
    for _ in range(2):
        names, positions = loaded.process.predict(table(RECORDS), named=False)
        assert [names[position] for position in positions] == expected
        loaded.process._worker.end()
    worker = loaded.process._worker
    del loaded
    assert not worker.is_alive


def test_model_process__what_ends_it_is_one_sentence() -> None:
    data = skops.io.dumps(SVC().fit(RECORDS, LABELS))
    loaded = load_estimator(data, name="m.skops")
    assert loaded.trees is None
    loaded.process._worker.process.kill()
    loaded.process._worker.process.wait()
    loaded.process._data = pa.py_buffer(b"PK")
    with pytest.raises(AuditInputError, match=r"m\.skops is not a complete skops file"):
        loaded.process.predict(table(RECORDS), named=False)


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


def test_load_estimator__refuses_damaged_arrays() -> None:
    whole = skops.io.dumps(DecisionTreeClassifier().fit(RECORDS, LABELS))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith(".npy"):
                content = content.replace(b"'descr'", b"'''''''")
            target.writestr(name, content)
    with pytest.raises(AuditInputError, match="is not a complete skops file"):
        load_estimator(out.getvalue(), name="m.skops")


@pytest.mark.parametrize(
    "kind", [DecisionTreeClassifier(), RandomForestClassifier(4), ExtraTreesRegressor(3)]
)
def test_flat_tree__is_the_tree_it_was_made_of(kind: object) -> None:
    holes = np.where(np.random.default_rng(1).random(RECORDS.shape) < 0.2, np.nan, RECORDS)
    model = kind.fit(holes, LABELS if is_classifier(kind) else RECORDS[:, 0])  # type: ignore[attr-defined]
    trees = trees_of(model)
    assert trees is not None
    nodes = _nodes(trees)
    assert nodes is not None
    flat = FlatTree.all_of(nodes)
    points = np.concatenate([holes, RECORDS]).astype(np.float32)
    for tree, ours in zip(trees, flat, strict=True):
        assert ours.node_count == tree.node_count
        assert np.array_equal(ours.apply(points), tree.apply(points))
    columns = np.arange(4)
    theirs = tree_dependence(model, lambda values: values.astype(np.float32), column_of=columns, n_columns=4)
    again = TreeDependence(flat, lambda values: values.astype(np.float32), column_of=columns, n_columns=4)
    assert theirs is not None
    assert np.array_equal(theirs.of_records(points), again.of_records(points))
    assert np.array_equal(theirs.used, again.used)


def test_model_files__import_neither_skops_nor_trees_of_files_here() -> None:
    program = "import json, sys, core.diversity.model_files\nprint(json.dumps('skops' in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) is False


def _given(estimator: object) -> pa.Buffer:
    return pa.py_buffer(skops.io.dumps(estimator))


NUMBERS = np.arange(80, dtype=np.float64).reshape(40, 2)
ANSWERS = np.arange(40) % 3


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(n_estimators=3, random_state=0),
        HistGradientBoostingClassifier(max_iter=2, random_state=0),
        DecisionTreeRegressor(random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_worker__loads_a_model_and_predicts_as_it_does(estimator: Any, names: list[str] | None) -> None:
    features = NUMBERS if names is None else pd.DataFrame(NUMBERS, columns=names)
    estimator.fit(features, ANSWERS)
    told, _ = model_process.load(_given(estimator), name="m.skops")
    assert (told["kind"], told["n_features"]) == (type(estimator).__name__, 2)
    sink = pa.BufferOutputStream()
    table = pa.table({"0": NUMBERS[:, 0], "1": NUMBERS[:, 1]})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    answer, predicted = model_process.predict(sink.getvalue(), names=names, name="m.skops")
    assert predicted is not None
    codes = predicted["predicted"].to_numpy()
    classes = answer["classes"]
    assert list(np.array(classes)[codes] if classes else codes) == [
        str(each) if classes else each for each in estimator.predict(features)
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"\x80\x04x", "pickle"),
        (b"hello", "not a skops file"),
        (b"PK\x03\x04 cut", "m.skops"),
        (skops.io.dumps(DecisionTreeClassifier()), "never fitted"),
        (skops.io.dumps({"a": 1}), "no scikit-learn model"),
        (skops.io.dumps(KMeans(n_clusters=2, n_init=1).fit(NUMBERS)), "m.skops"),
    ],
)
def test_worker__refuses_what_is_no_model_in_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(AuditInputError, match=said):
        model_process.load(pa.py_buffer(data), name="m.skops")


def test_worker__names_types_that_it_does_not_trust() -> None:
    pipeline = Pipeline([("own", FunctionTransformer(json.dumps)), ("tree", DecisionTreeClassifier())])
    data = skops.io.dumps(pipeline)
    with pytest.raises(AuditInputError, match=r"types that are not trusted and was not loaded: .*dumps"):
        model_process.load(pa.py_buffer(data), name="m.skops")


def test_worker__refuses_archives_that_unpack_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pa.py_buffer(skops.io.dumps(DecisionTreeClassifier().fit(NUMBERS, ANSWERS)))
    monkeypatch.setattr(model_process, "_MOST_MEMBERS", 1)
    with pytest.raises(AuditInputError, match="at most 500 MB in 1 parts are read"):
        model_process.load(data, name="m.skops")


def test_worker__refuses_damaged_parts_and_records_of_another_kind() -> None:
    data = skops.io.dumps(DecisionTreeClassifier().fit(NUMBERS, ANSWERS))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content if name == "schema.json" else content[: len(content) // 2])
    with pytest.raises(AuditInputError, match="is damaged, or from another version"):
        model_process.load(pa.py_buffer(out.getvalue()), name="m.skops")
    model_process.load(pa.py_buffer(data), name="m.skops")
    sink = pa.BufferOutputStream()
    words = pa.table({"0": ["a word"] * 3, "1": [1.0, 2, 3]})
    with pa.ipc.new_stream(sink, words.schema) as stream:
        stream.write_table(words)
    with pytest.raises(AuditInputError, match=r"The model in m\.skops cannot predict the records"):
        model_process.predict(sink.getvalue(), names=None, name="m.skops")
