"""Laws of cells, minimization and the search, on small random tables."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks.literal_diversity import LiteralProblem, literal_configuration
from core.attribute_disclosure import alpha, distinct_l, entropy_l, recursive_c, sensitive_counts, t_closeness
from core.diversity import (
    DiversitySettings,
    ModelChoice,
    SearchProblem,
    as_published,
    minimized_sources,
    prepare_search,
    released_table,
    search,
    verify,
)
from core.diversity.evaluation import stratified_split
from core.equivalence import EquivalenceClasses
from core.plain import table_csv
from core.tables import read_dataset
from tests.thorough import tried

SOME = tried(8)
SEEDS = st.integers(0, 10_000)


def table(seed: int, n_records: int = 60) -> pd.DataFrame:
    """Three noisy numbers, a category, a sensitive number and a label that depends on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 12, n_records),
            "height": rng.normal(170, 9, n_records),
            "job": rng.choice(["clerk", "nurse", "pilot"], n_records),
            "income": rng.integers(10, 40, n_records),
            "score": rng.normal(0, 1, n_records),
        }
    )
    risk = frame["age"] + frame["height"] / 3 + 10 * (frame["job"] == "pilot") + rng.normal(0, 6, n_records)
    frame["ill"] = np.where(risk > risk.median(), "yes", "no")
    return frame


def problem_of(frame: pd.DataFrame, **changes: object) -> SearchProblem:
    chosen: dict[str, object] = {
        "label": "ill",
        "sensitive_attributes": ("income",),
        "quasi_identifiers": ("age", "height", "job"),
        "categorical": ("job",),
        "k_max": 6,
        "sensitive_bins": 5,
    }
    data = read_dataset(frame.to_csv(index=False).encode(), name="people.csv")
    return prepare_search(data, DiversitySettings(**(chosen | changes)), ModelChoice(source="tree"))


@tried(200)
@given(classes=st.lists(st.integers(0, 4), min_size=2, max_size=60), seed=SEEDS)
def test_stratified_split__equals_that_of_scikit_learn(classes: list[int], seed: int) -> None:
    ours = stratified_split(np.array(classes), seed)
    try:
        theirs = train_test_split(np.arange(len(classes)), test_size=0.4, random_state=seed, stratify=classes)
    except ValueError:
        assert ours is None
        return
    assert ours is not None
    assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]


@SOME
@given(seed=SEEDS, cells=st.sampled_from(["proper", "quasi_identifiers", "all_features"]))
def test_search__keeps_only_cells_of_k_records_and_l_values(seed: int, cells: str) -> None:
    problem = problem_of(table(seed), cells=cells)
    codes = problem.sensitive[0].codes
    for found in search(problem):
        assert found.kept_set is not None
        classes = found.kept_set.classes
        assert found.kept_set.n_kept + classes.n_left_out == problem.n_records
        for cell in range(classes.n_classes):
            members = np.flatnonzero(classes.class_of_record == cell)
            assert len(members) >= found.k
            assert len(np.unique(codes[members])) >= found.l


@SOME
@given(seed=SEEDS, diversity=st.sampled_from(["distinct", "entropy", "recursive"]))
def test_search__never_keeps_more_for_a_larger_l(seed: int, diversity: str) -> None:
    found = {(each.k, each.l): each for each in search(problem_of(table(seed), diversity=diversity))}
    for (k, ell), each in found.items():
        stricter = found.get((k, ell + 1))
        if stricter is not None:
            assert set(stricter.kept_set.kept) <= set(each.kept_set.kept)


@SOME
@given(seed=SEEDS)
def test_search__verifies_k_and_l_of_everything_it_offers(seed: int) -> None:
    problem = problem_of(table(seed))
    for each in search(problem):
        if each.stored:
            assert each.verification.k >= each.k
            assert each.verification.distinct_l >= each.l
            assert each.verification.classes.n_records == each.kept_set.n_kept


@SOME
@given(seed=SEEDS)
def test_search__gives_the_same_for_any_number_of_threads(seed: int) -> None:
    problem = problem_of(table(seed))
    once, again = search(problem, n_jobs=1), search(problem, n_jobs=2)
    for one, other in zip(once, again, strict=True):
        assert (one.k, one.l, one.status, one.accuracy) == (other.k, other.l, other.status, other.accuracy)
        assert one.deletion_ratio == other.deletion_ratio


@SOME
@given(seed=SEEDS)
def test_search__does_not_let_label_or_sensitive_attribute_steer_proper_cells(seed: int) -> None:
    frame = table(seed)
    rng = np.random.default_rng(seed + 1)
    shuffled = frame.assign(
        ill=np.where(rng.random(len(frame)) < 0.5, "yes", "no"), income=rng.permutation(frame["income"])
    )
    for one, other in zip(search(problem_of(frame)), search(problem_of(shuffled)), strict=True):
        assert one.kept_set.cells.cell_of_record.tolist() == other.kept_set.cells.cell_of_record.tolist()


@SOME
@given(seed=SEEDS)
def test_search__keeps_the_same_people_in_any_order_of_the_records(seed: int) -> None:
    """Ties apart: the numbers are drawn so that no two splits are equally good."""
    frame = table(seed).assign(person=range(60))
    order = np.random.default_rng(seed).permutation(60)
    training = read_dataset(table(seed + 1).assign(person=0).to_csv(index=False).encode(), name="t.csv")
    kept = []
    for people in (frame, frame.iloc[order]):
        data = read_dataset(people.to_csv(index=False).encode(), name="people.csv")
        chosen = problem_of(frame.drop(columns="person"), left_out=()).settings
        problem = prepare_search(
            data, dataclasses.replace(chosen, left_out=("person",)), ModelChoice(), training=training
        )
        persons = data.frame["person"].astype(int).to_numpy()[problem.records]
        kept.append({(e.k, e.l): set(persons[e.kept_set.kept]) for e in search(problem)})
    assert kept[0] == kept[1]


@SOME
@given(seed=SEEDS, target=st.sampled_from([0.6, 0.8, 0.95]))
def test_search__equals_the_literal_definition(seed: int, target: float) -> None:
    frame = table(seed, 80).drop(columns="job")
    problem = problem_of(
        frame, categorical=(), quasi_identifiers=("age", "height"), target_accuracy=target, k_min=4, k_max=7
    )
    problem = dataclasses.replace(
        problem, inputs=dataclasses.replace(problem.inputs, settings=as_published(problem.settings))
    )
    data = read_dataset(frame.to_csv(index=False).encode(), name="people.csv")
    problem = prepare_search(data, problem.settings, ModelChoice(source="tree"))
    labels = problem.inputs.outcome.values  # noqa: PD011
    model = problem.inputs.model.estimator
    assert isinstance(model, DecisionTreeClassifier)
    literal = LiteralProblem(
        values=problem.values,
        labels=labels,
        model=model,
        quasi_identifiers=[0, 1],
        sensitive=2,
        target_accuracy=target,
    )
    for found in search(problem, verified=False):
        minimized = found.evaluation.minimization if found.evaluation else None
        if minimized is not None and minimized.leaves_agreement < target:
            continue  # the literal definition does not take features out
        expected = literal_configuration(literal, found.k, found.l)
        assert (found.deletion_ratio, found.accuracy) == pytest.approx(expected)


@SOME
@given(seed=SEEDS)
def test_minimized_release__never_lowers_k_or_l(seed: int) -> None:
    problem = problem_of(table(seed))
    for found in search(problem):
        if found.evaluation is None:
            continue
        cells = found.kept_set.kept_cells
        minimized = minimized_sources(problem, cells, found.evaluation)
        once = verify(table_csv(released_table(problem, cells)), problem)
        again = verify(table_csv(released_table(problem, minimized)), problem)
        assert again.k >= once.k
        assert again.distinct_l >= once.distinct_l
        assert again.classes.n_classes <= once.classes.n_classes


RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=40)


def classes_of(records: list[tuple[int, int]]) -> EquivalenceClasses:
    of_record = np.unique([each[0] for each in records], return_inverse=True)[1].astype(np.int64)
    return EquivalenceClasses(
        quasi_identifiers=(), class_of_record=of_record, class_sizes=np.bincount(of_record)
    )


def literal(members: list[int], everybody: list[int], n_values: int) -> dict[str, float]:
    """One class by the books: plain loops over its sensitive values."""
    frequent = sorted(Counter(members).values(), reverse=True)
    p = [members.count(v) / len(members) for v in range(n_values)]
    q = [everybody.count(v) / len(everybody) for v in range(n_values)]
    steps = [abs(sum(p[: v + 1]) - sum(q[: v + 1])) for v in range(n_values)]
    tail = sum(frequent[1:])
    return {
        "distinct": len(frequent),
        "entropy": math.exp(-sum(s * math.log(s) for s in p if s > 0)),
        "c2": frequent[0] / tail if tail else math.inf,
        "alpha": frequent[0] / len(members),
        "equal": sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2,
        "ordered": sum(steps) / (n_values - 1) if n_values > 1 else 0.0,
    }


@tried(80)
@given(records=RECORDS)
def test_every_model__equals_its_literal_definition(records: list[tuple[int, int]]) -> None:
    codes = np.array([each[1] for each in records], dtype=np.int64)
    classes = classes_of(records)
    counts = sensitive_counts(classes, codes)
    found = {
        "distinct": distinct_l(counts),
        "entropy": entropy_l(counts),
        "c2": recursive_c(counts, l=2),
        "alpha": alpha(counts),
        "equal": t_closeness(counts),
        "ordered": t_closeness(counts, distance="ordered"),
    }
    for number in range(classes.n_classes):
        members = codes[classes.class_of_record == number].tolist()
        expected = literal(members, codes.tolist(), int(codes.max()) + 1)
        for name, values in found.items():
            assert values[number] == pytest.approx(expected[name], abs=1e-12), name


@tried(40)
@given(records=RECORDS)
def test_figures__stay_in_their_ranges(records: list[tuple[int, int]]) -> None:
    counts = sensitive_counts(classes_of(records), np.array([each[1] for each in records]))
    assert (entropy_l(counts) >= 1).all()
    assert (entropy_l(counts) <= distinct_l(counts)).all()
    assert (distinct_l(counts) <= counts.class_totals).all()
    for distance in ("equal", "ordered"):
        t = t_closeness(counts, distance=distance)
        assert (t >= 0).all()
        assert (t <= 1).all()
        if counts.n_classes == 1:
            assert t[0] == pytest.approx(0, abs=1e-12)
