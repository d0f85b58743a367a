"""A search from Python: a frame as the table, any object that predicts, or no model at all."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from core.__main__ import main
from core.diversity import DiversityAudit, ModelChoice, audit_diversity, released_table
from core.errors import AuditInputError
from core.tables import read_dataset
from core.verdict import Verdict
from tests.cases.table import says
from tests.diversity_examples import SETTINGS, dataset, people
from tests.kinds import Told

GIVEN = replace(SETTINGS, target_accuracy=0.3, n_splits=3)
FEATURES = ["age", "job", "income", "score"]


class Rule:
    """A model that is no estimator: what asks an ONNX session looks so."""

    def __init__(self) -> None:
        self.seen: list[pd.DataFrame] = []

    def predict(self, features: pd.DataFrame) -> np.ndarray:
        self.seen.append(features)
        return np.where(features["age"] + 12 * (features["job"] == "pilot") > 55, "yes", "no")


class Fails:
    def predict(self, features: object) -> object:
        raise ValueError(f"secret cell {features}")


def pipeline(frame: pd.DataFrame) -> object:
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job"]), remainder="passthrough"
    )
    return make_pipeline(encoder, LogisticRegression(max_iter=2000)).fit(frame[FEATURES], frame["ill"])


def release_of(found: DiversityAudit) -> pd.DataFrame:
    assert found.recommended is not None
    chosen = found.search.configuration(found.recommended.k, found.recommended.l)
    assert chosen.kept_set is not None
    return released_table(found.search.problem, chosen.kept_set.kept_cells).to_pandas()


def test_given_model__of_any_kind_is_asked_about_a_frame() -> None:
    frame = people(200)
    for model in (pipeline(frame), Rule(), numbers_alone(frame)):
        settings = replace(GIVEN, categorical=("job",))
        if isinstance(model, RandomForestClassifier):
            settings = replace(settings, categorical=(), quasi_identifiers=("age",), left_out=("job",))
        found = audit_diversity(frame, settings, model=model)
        features = (
            frame[FEATURES]
            if not isinstance(model, RandomForestClassifier)
            else frame[["age", "income", "score"]]
        )
        asked = features.to_numpy() if isinstance(model, RandomForestClassifier) else features
        truth = float(np.mean(np.asarray(model.predict(asked)) == frame["ill"].to_numpy()))
        assert found.search.problem.base_accuracy == pytest.approx(truth)
        assert found.offered
        assert len(release_of(found)) > 0


def numbers_alone(frame: pd.DataFrame) -> RandomForestClassifier:
    model = RandomForestClassifier(n_estimators=5, random_state=0)
    return model.fit(frame[["age", "income", "score"]].to_numpy(), frame["ill"])


def test_given_model__sees_the_dtypes_of_the_frame() -> None:
    frame = people(120).astype({"job": "category", "age": "int32"})
    rule = Rule()
    audit_diversity(frame.assign(ok=frame["age"] > 40), GIVEN, model=rule)
    assert {str(dtype) for dtype in rule.seen[-1].dtypes} == {"int32", "category", "int64", "float64", "bool"}
    plain = Rule()
    found = audit_diversity(dataset(people(120)), GIVEN, model=plain)
    assert found.search.problem.inputs.model.description == "Rule given in Python"
    assert list(plain.seen[-1].columns) == FEATURES


def test_given_model__may_predict_numbers() -> None:
    frame = people(200)
    model = LinearRegression().fit(frame[["age", "income"]], frame["score"])
    settings = replace(
        GIVEN,
        label="score",
        task="regression",
        quasi_identifiers=("age",),
        categorical=(),
        left_out=("job", "ill"),
        target_accuracy=0.0,
    )
    problem = audit_diversity(frame, settings, model=model).search.problem
    assert problem.base_accuracy == pytest.approx(model.score(frame[["age", "income"]], frame["score"]))


def test_given_model__that_cannot_predict_is_told_of_without_its_words() -> None:
    with pytest.raises(AuditInputError) as raised:
        audit_diversity(people(), GIVEN, model=Fails())
    assert says(str(raised.value), "The model could not predict the 120 records: it raised ValueError.…")
    assert "secret" not in str(raised.value)
    frame = people()
    with pytest.raises(AuditInputError) as raised:
        audit_diversity(frame, replace(GIVEN, left_out=("score",)), model=pipeline(frame))
    assert says(str(raised.value), "The model asks for 1 column that is no feature here: score.")


def test_no_model__releases_on_k_and_l_alone() -> None:
    frame = people(300).drop(columns=["ill", "score"]).assign(note="free words")
    settings = replace(GIVEN, label="", target_accuracy=None, l_min=2)
    found = audit_diversity(frame, settings, choice=ModelChoice(source="none"))
    assert (found.verdict, found.stability) == (Verdict.PASS, None)
    chosen = found.search.configuration(found.recommended.k, found.recommended.l)
    assert chosen.accuracy is None
    release = release_of(found)
    assert release.groupby(["age", "job"]).size().min() >= found.recommended.k
    assert len(release) <= 300
    with pytest.raises(AuditInputError):
        audit_diversity(frame, replace(settings, cells="all_features"), choice=ModelChoice(source="none"))


@pytest.mark.slow
def test_release__is_written_without_a_model_and_with_predictions_only(tmp_path: Path, capsys: Told) -> None:
    table, frame = tmp_path / "people.csv", people(200)
    frame.assign(guess=frame["ill"]).to_csv(table, index=False)
    roles = "--sensitive income --quasi-identifier age job --categorical job --k-max 5 --l-min 2"
    for name, more in (("none", "--model none"), ("guessed", "--label ill --predictions guess")):
        out = tmp_path / f"{name}.csv"
        code = main(["diversity", str(table), *roles.split(), *more.split(), "--release", str(out)])
        assert code in (0, 1), capsys.readouterr().err
        assert read_dataset(out).frame.groupby(["age", "job"]).size().min() >= 2
