"""Laws of cells, minimization and the search, on small random tables."""

import dataclasses
import math
from collections import Counter
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks.literal_diversity import LiteralProblem, literal_configuration
from core.attribute_disclosure import alpha, distinct_l, entropy_l, recursive_c, t_closeness
from core.classes import EquivalenceClasses, items_of_classes
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
from core.files.plain_text import table_csv
from tests.diversity_examples import dataset
from tests.thorough import tried

SOME = tried(8)
SEEDS = st.integers(0, 10_000)


def table(seed: int, n_records: int = 60) -> pd.DataFrame:
    """Three noisy numbers, a category, a sensitive number and a label that depends on them."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.normal(50, 12, n_records),
        "height": rng.normal(170, 9, n_records),
        "job": rng.choice(["clerk", "nurse", "pilot"], n_records),
        "income": rng.integers(10, 40, n_records),
        "score": rng.normal(0, 1, n_records),
    }
    frame = pd.DataFrame(columns)
    risk = frame["age"] + frame["height"] / 3 + 10 * (frame["job"] == "pilot") + rng.normal(0, 6, n_records)
    return frame.assign(ill=np.where(risk > risk.median(), "yes", "no"))


ROLES = {"label": "ill", "sensitive_attributes": ("income",), "quasi_identifiers": ("age", "height", "job")}
SETTINGS = DiversitySettings(**ROLES, categorical=("job",), k_max=6, sensitive_bins=5)


def problem_of(frame: pd.DataFrame, **changes: object) -> SearchProblem:
    return prepare_search(
        dataset(frame), dataclasses.replace(SETTINGS, **changes), ModelChoice(source="tree")
    )


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
def test_search__keeps_and_offers_only_cells_of_k_records_and_l_values(seed: int, cells: str) -> None:
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
        if found.stored:
            verified = found.verification
            assert (verified.k >= found.k, verified.distinct_l >= found.l) == (True, True)
            assert verified.classes.n_records == found.kept_set.n_kept


@SOME
@given(seed=SEEDS, diversity=st.sampled_from(["distinct", "entropy", "recursive"]))
def test_search__is_the_same_on_more_threads_and_never_keeps_more_for_a_larger_l(
    seed: int, diversity: str
) -> None:
    problem = problem_of(table(seed), diversity=diversity)
    once, again = search(problem, n_jobs=1), search(problem, n_jobs=2)
    figures = attrgetter("k", "l", "status", "accuracy", "deletion_ratio")
    assert list(map(figures, once)) == list(map(figures, again))
    found = {(each.k, each.l): each for each in once}
    for (k, ell), each in found.items():
        stricter = found.get((k, ell + 1))
        if stricter is not None:
            assert set(stricter.kept_set.kept) <= set(each.kept_set.kept)
        if each.evaluation is None:
            continue
        cells = each.kept_set.kept_cells  # and a minimized release lowers neither k nor l
        minimized = minimized_sources(problem, cells, each.evaluation)
        first = verify(table_csv(released_table(problem, cells)), problem)
        second = verify(table_csv(released_table(problem, minimized)), problem)
        assert second.k >= first.k
        assert second.distinct_l >= first.distinct_l
        assert second.classes.n_classes <= first.classes.n_classes


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
    training = dataset(table(seed + 1).assign(person=0), "t.csv")
    settings = dataclasses.replace(problem_of(table(seed)).settings, left_out=("person",))
    kept = []
    for people in (frame, frame.iloc[np.random.default_rng(seed).permutation(60)]):
        problem = prepare_search(dataset(people), settings, ModelChoice(), training=training)
        persons = problem.data.frame["person"].astype(int).to_numpy()[problem.records]
        kept.append({(e.k, e.l): set(persons[e.kept_set.kept]) for e in search(problem)})
    assert kept[0] == kept[1]


@SOME
@given(seed=SEEDS, target=st.sampled_from([0.6, 0.8, 0.95]))
def test_search__equals_the_literal_definition(seed: int, target: float) -> None:
    frame = table(seed, 80).drop(columns="job")
    chosen = {"categorical": (), "quasi_identifiers": ("age", "height"), "target_accuracy": target}
    settings = as_published(dataclasses.replace(SETTINGS, **chosen, k_min=4, k_max=7))
    problem = prepare_search(dataset(frame), settings, ModelChoice(source="tree"))
    model = problem.inputs.model.estimator
    assert isinstance(model, DecisionTreeClassifier)
    literal = LiteralProblem(
        values=problem.values,
        labels=problem.inputs.outcome.values,
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
    counts = items_of_classes(classes, codes)
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
    # and stays in its range
    assert (found["entropy"] >= 1).all()
    assert (found["entropy"] <= found["distinct"]).all()
    assert (found["distinct"] <= counts.class_totals).all()
    for name in ("equal", "ordered"):
        assert ((found[name] >= 0) & (found[name] <= 1)).all()
        assert counts.n_entries > 1 or found[name][0] == pytest.approx(0, abs=1e-12)
