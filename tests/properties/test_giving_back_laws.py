"""Features given back one at a time: the fast way against the literal definition, on small problems."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.literal_giving_back import literal_giving_back
from core.diversity import DiversitySettings, ModelChoice, SearchProblem, minimization, prepare_search
from core.diversity.minimization import minimize
from core.diversity.minimized import Minimization, MinimizationProblem
from core.tables import read_dataset
from tests.thorough import tried

KINDS = ["tree", "forest", "boosting", "logistic"]


def table(seed: int, *, n_records: int, regression: bool) -> pd.DataFrame:
    """Numbers, some of them missing, with few values or constant, a category, a one-hot group, a label."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"n{i}": rng.normal(size=n_records).round(2) for i in range(4)})
    frame["steps"] = rng.integers(0, 3, n_records)
    frame["still"] = 7
    frame["gaps"] = np.where(rng.random(n_records) < 0.2, np.nan, rng.normal(size=n_records).round(1))
    frame["job"] = rng.choice(["clerk", "nurse", "pilot"], n_records)
    home = rng.integers(0, 3, n_records)
    frame["home_farm"], frame["home_town"] = (home == 0).astype(int), (home == 1).astype(int)
    score = frame["n0"] + frame["n1"] * frame["steps"] + (frame["job"] == "pilot") - frame["home_farm"]
    score += rng.normal(0, 0.3, n_records)
    frame["ill"] = score.round(3) if regression else pd.cut(score, 3, labels=["a", "b", "c"]).astype(str)
    return frame.assign(secret=rng.integers(0, 5, n_records))


def problem_of(seed: int, kind: str, *, regression: bool, groups: bool) -> SearchProblem:
    frame = table(seed, n_records=90, regression=regression)
    data = read_dataset(frame.to_csv(index=False).encode(), name="people.csv")
    asked = DiversitySettings(
        label="ill",
        sensitive_attributes=("secret",),
        quasi_identifiers=tuple(frame.columns.drop(["ill", "secret"])),
        categorical=("job",),
        one_hot_groups=(("home_farm", "home_town"),) if groups else (),
        task="regression" if regression else "classification",
    )
    return prepare_search(data, asked, ModelChoice(source=kind, test_size=0.6))  # type: ignore[arg-type]


def minimization_of(prepared: SearchProblem, target: float, n_fit: int, *, at_root: bool) -> tuple[Any, ...]:
    """Return the minimization with every feature replaced, by leaves or all by one, and the hold-out."""
    inputs, records = prepared.inputs, prepared.values  # noqa: PD011 - no frame
    asked: dict[str, Any] = {
        "space": inputs.space,
        "units": inputs.units,
        "predict": inputs.predict,
        "outcome": inputs.outcome,
        "majority": "records",
    }
    first = MinimizationProblem(**asked, target_accuracy=-np.inf if at_root else np.inf)
    predictions = inputs.predict(records)
    fit, held_out = np.arange(n_fit), np.arange(n_fit, len(records))
    found = minimize(first, records, predictions, fit=fit, held_out=held_out)
    assert inputs.model is not None
    problem = MinimizationProblem(**asked, target_accuracy=target)
    whole = {name: getattr(found, name) for name in ("tree", "level", "representatives", "sources")}
    replaced = Minimization(
        problem=problem,
        **whole,
        generalized=(True,) * len(inputs.units),
        agreement=found.agreement if at_root else found.leaves_agreement,
        leaves_agreement=found.leaves_agreement,
    )
    return replaced, records[held_out], predictions[held_out]


@pytest.mark.one_of(4)
@pytest.mark.parametrize("regression", [False, True], ids=["classes", "numbers"])
@pytest.mark.parametrize("kind", KINDS)
@tried(6)
@given(
    seed=st.integers(0, 10_000),
    target=st.sampled_from([0.5, 0.8, 0.95, 1.0, 1.1]),
    n_fit=st.integers(3, 25),
    variant=st.fixed_dictionaries(
        {"groups": st.booleans(), "at_root": st.booleans(), "batch_cells": st.sampled_from([1, 40, 10**6])}
    ),
)
def test_give_back_features__is_the_literal_definition(
    *, kind: str, regression: bool, seed: int, target: float, n_fit: int, variant: dict[str, Any]
) -> None:
    prepared = problem_of(seed, kind, regression=regression, groups=variant["groups"])
    replaced, values, truth = minimization_of(prepared, target, n_fit, at_root=variant["at_root"])
    expected = literal_giving_back(replaced, values, truth)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimization, "BATCH_CELLS", variant["batch_cells"])
        found = minimization.give_back_features(replaced, values, truth)
    assert found.generalized == expected.generalized
    assert found.agreement == expected.agreement
