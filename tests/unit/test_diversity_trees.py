"""Trees grown without scikit-learn's estimators, and what is known of a model without asking it."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from core.diversity import outcomes as dependence_module
from core.diversity.cells import grow_tree
from core.diversity.features import FeatureColumn, FeatureSpace
from core.diversity.models import linear_scores
from core.diversity.outcomes import tree_dependence


def points(seed: int, n_records: int = 120, n_columns: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n_records, n_columns)).round(1).astype(np.float32)


def same_tree(ours: object, theirs: object) -> bool:
    names = ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples")
    return all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in names)


@pytest.mark.parametrize("leaf", [1, 2, 7])
@pytest.mark.parametrize("seed", range(5))
def test_grow_tree__is_the_tree_of_the_classifier(seed: int, leaf: int) -> None:
    records = points(seed)
    target = np.random.default_rng(seed).integers(0, 3, len(records)).astype(float)
    theirs = DecisionTreeClassifier(random_state=seed, min_samples_leaf=leaf).fit(records, target)
    ours = grow_tree(records, target, n_classes=3, seed=seed, min_samples_leaf=leaf)
    assert same_tree(ours, theirs.tree_)


@pytest.mark.parametrize("n_outputs", [1, 4])
def test_grow_tree__is_the_tree_of_the_regressor(n_outputs: int) -> None:
    records = points(1)
    target = np.random.default_rng(2).normal(size=(len(records), n_outputs))
    theirs = DecisionTreeRegressor(random_state=10, min_samples_leaf=3).fit(records, target)
    assert same_tree(grow_tree(records, target, n_classes=None, seed=10, min_samples_leaf=3), theirs.tree_)


def test_grow_tree__takes_no_notice_of_absent_classes() -> None:
    records = points(3)
    target = np.where(records[:, 0] + records[:, 1] > 0, 2.0, 0.0)
    theirs = DecisionTreeClassifier(random_state=0).fit(records, target)
    ours = grow_tree(records, target, n_classes=4, seed=0)
    assert np.array_equal(ours.children_left, theirs.tree_.children_left)
    assert np.array_equal(ours.threshold, theirs.tree_.threshold)
    assert np.array_equal(ours.value[:, 0, [0, 2]], theirs.tree_.value[:, 0])


@pytest.mark.parametrize("most_bytes", [10**9, 0])
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier])
def test_dependence__misses_no_column_that_changes_a_prediction(
    kind: type, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependence_module, "LARGEST_TABLE_BYTES", most_bytes)
    records = points(4).astype(float)
    estimator = kind(random_state=1, max_depth=3).fit(records, records[:, 0] + records[:, 1] > 0.3)
    known = tree_dependence(
        estimator, lambda values: values.astype(np.float32), column_of=np.arange(5), n_columns=5
    )
    assert known is not None
    depends = np.broadcast_to(known.of_records(records), records.shape)
    before = estimator.predict(records)
    for column in range(5):
        for value in (-5.0, -0.5, 0.0, 0.5, 5.0):
            changed = records.copy()
            changed[:, column] = value
            assert not (estimator.predict(changed) != before)[~depends[:, column]].any()
    assert not depends[:, ~known.used].any()
    assert known.used[:2].all()
    if most_bytes and kind is DecisionTreeClassifier:
        assert depends.sum() < known.used.sum() * len(records)  # a way through the tree sees fewer columns


def test_dependence__is_not_known_of_other_models() -> None:
    fitted = GaussianNB().fit(points(5), points(5)[:, 0] > 0)
    assert tree_dependence(fitted, np.asarray, column_of=np.arange(5), n_columns=5) is None


def test_linear_scores__predict_as_the_classifier_and_leave_close_calls_to_it() -> None:
    space = FeatureSpace(columns=tuple(FeatureColumn(name=f"c{i}") for i in range(5)))
    records = points(6).astype(float)
    for n_classes in (2, 3):
        labels = np.digitize(records[:, 0] - records[:, 1], np.arange(1, n_classes) - 1.0).astype(float)
        estimator = make_pipeline(StandardScaler(), LogisticRegression()).fit(records, labels)
        linear = linear_scores(estimator, space)
        assert linear is not None
        scores, size = linear.of_records(records)
        assert linear.predicted(scores, size).tolist() == estimator.predict(records).tolist()
        assert np.isnan(linear.predicted(np.zeros((1, n_classes)), np.ones(1))).all()


def test_linear_scores__are_those_of_a_scaled_logistic_regression_only() -> None:
    space = FeatureSpace(columns=(FeatureColumn(name="c"),))
    for estimator in (LogisticRegression(), make_pipeline(MinMaxScaler(), LogisticRegression())):
        assert linear_scores(estimator, space) is None
