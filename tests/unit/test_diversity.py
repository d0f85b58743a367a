"""The (k, l) search on tables countable by hand, and every sentence for bad input."""

import math
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.spatial.distance import pdist
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from core.demo import DEMO_NAMES, DEMO_ROLES, diversity_table
from core.demo import DIVERSITY as DEMOS
from core.diversity import (
    DiversitySearch,
    DiversitySettings,
    DiversityThresholds,
    Generalization,
    ModelChoice,
    Status,
    check_settings,
    generalizations,
    judge_diversity,
    measure_diversity,
    minimized_sources,
    pareto_front,
    prepare_search,
    rank_by_singling_out,
    released_generalizations,
    released_table,
    repeat_configuration,
    search,
    suggest_label,
    suggest_one_hot_groups,
    verify,
    zero_one_columns,
)
from core.diversity import cells as cells_module
from core.diversity import evaluation as evaluation_module
from core.diversity.cells import most_frequent, nearest_to_median
from core.diversity.features import (
    FeatureColumn,
    FeatureSpace,
    is_numeric,
    numbers_of,
    read_features,
    read_sensitive,
)
from core.diversity.judging import cause_of_failure
from core.diversity.measuring import unit_penalty
from core.diversity.minimization import SearchStoppedError, minimize
from core.diversity.minimized import Minimization, MinimizationProblem, cell_use, known_as, masked, unit_ncp
from core.diversity.outcomes import class_text, r_squared, read_outcomes, sorted_classes
from core.diversity.settings import just_below
from core.files.plain_text import table_csv
from core.people.roles import suggest_roles
from core.tables import read_dataset
from core.verdict import Verdict
from core.words import percent
from tests.cases.table import holds_for_each, read_cases, says
from tests.diversity_examples import SETTINGS, dataset, judged, measured, people, prepared, problems, told

COLUMNS = ("age", "job", "income", "score", "ill")
CASES = read_cases("diversity.txt")


# ------------------------------------------------------------------------------------------- settings


def test_check_settings__says_what_is_wrong() -> None:
    def holds(written: str, pieces: str) -> None:
        found = problems(lambda: check_settings(replace(SETTINGS, **told(written)), COLUMNS))
        assert any(says(problem, pieces) for problem in found), found

    holds_for_each(CASES["settings"], holds)
    wrong = replace(SETTINGS, target_accuracy=2.0, label="sick", recursive_c=-1.0)
    assert len(problems(lambda: check_settings(wrong, COLUMNS))) == 3

    def judges(written: str, pieces: str) -> None:
        (found,) = problems(lambda: DiversityThresholds(**told(written)))
        assert says(found, pieces), found

    holds_for_each(CASES["thresholds"], judges)


def test_pairs__run_l_up_to_k() -> None:
    assert replace(SETTINGS, k_min=2, k_max=4, l_min=3).pairs == ((3, 3), (4, 3), (4, 4))
    for k_min, k_max, l_min in ((2, 2, 1), (2, 9, 1), (3, 9, 5), (5, 9, 2), (4, 4, 4)):
        settings = replace(SETTINGS, k_min=k_min, k_max=k_max, l_min=l_min)
        assert settings.n_pairs == len(settings.pairs)


# ------------------------------------------------------------------------------------------- features


def test_numbers_of__reads_signs_exponents_and_missing() -> None:
    column = pa.chunked_array([[" +1.5", "-2e3", None, ".5", "00123"]])
    assert is_numeric(column)
    assert numbers_of(column)[[0, 1, 3, 4]].tolist() == [1.5, -2000.0, 0.5, 123.0]
    assert np.isnan(numbers_of(column)[2])
    commas = pa.chunked_array([["1.234,5", "-2,25", "12"]])
    assert is_numeric(commas)
    assert numbers_of(commas).tolist() == [1234.5, -2.25, 12.0]


def test_is_numeric__takes_finite_numbers_only() -> None:
    texts = ("inf", "nan", "1e999", "1,5,2", "0x10", "twelve")
    assert [text for text in texts if is_numeric(pa.chunked_array([["1", text]]))] == []
    assert not is_numeric(pa.chunked_array([pa.array([None, None], pa.string())]))


def test_read_features__encodes_numbers_missing_as_zero_and_categories_in_columns() -> None:
    table = pa.table({"a": ["1", None], "b": ["x", None]})
    space, (values,) = read_features([table], ["a", "b"], categorical=["b"])
    assert space.columns[1].categories == ("x", "")
    assert space.encode(values).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert space.encode(values, [1]).tolist() == [[1, 0], [0, 1]]
    assert space.encoded_names([0, 1]) == [(0, None), (1, 0), (1, 1)]


def test_read_features__names_every_column_it_cannot_use() -> None:
    table = pa.table({"a": ["1", "two", "3"], "b": pa.array([None] * 3, pa.string())})
    text, empty = problems(lambda: read_features([table], ["a", "b"], categorical=[]))
    assert says(text, "The feature “a” holds text in 1 of 3 values")
    assert says(empty, "The feature “b” has no value in any record")
    (absent,) = problems(lambda: read_features([table], ["c"], categorical=[]))
    assert says(absent, "The feature “c” is not a column of every table")


# ------------------------------------------------------------------------------------------- outcomes


def labels(*cells: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([list(cells)], pa.string())


def test_read_outcomes__orders_numbers_by_value_and_text_by_letter() -> None:
    (numbers,) = read_outcomes([labels("10", "2", "2.0")], subject="label “y”", task="classification")
    assert (numbers.classes, numbers.values.tolist()) == (("2", "10"), [1, 0, 0])  # noqa: PD011
    assert sorted_classes({"b", "a", "2"}) == ("2", "a", "b")
    assert class_text(np.True_) == "1"


def test_read_outcomes__says_what_is_wrong() -> None:
    def holds(cells: str, task: str, pieces: str) -> None:
        column = labels(*(None if cell == "-" else cell for cell in cells.split(" | ")))
        (found,) = problems(lambda: read_outcomes([column], subject="label “y”", task=task))
        assert says(found, f"The label “y” …{pieces}"), found

    holds_for_each(CASES["labels"], holds)
    many = " | ".join(str(n / 7) for n in range(60))
    holds(many, "classification", "has 60 different values in 60 records and looks ")


def test_r_squared__of_constant_truth_is_one_or_zero() -> None:
    same = np.array([2.0, 2.0])
    assert r_squared(same, same) == 1.0
    assert r_squared(same + 1, same) == 0.0
    assert r_squared(np.array([1.0, 1.0]), np.array([0.0, 2.0])) == 0.0


# ------------------------------------------------------------------------------------------ sensitive


def test_read_sensitive__bins_numbers_into_equal_parts() -> None:
    column = pa.chunked_array([[str(n) for n in range(1, 9)] + [None]])
    found = read_sensitive(column, name="income", n_bins=4)
    assert found.edges.tolist() == [2.0, 4.0, 6.0]
    assert found.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, -1]
    assert (found.n_distinct, found.n_values, found.distance) == (8, 4, "ordered")
    assert found.code(pa.chunked_array([["2", "2.5"]])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (["HIV", "hiv", "H.I.V.", " HIV ", "flu"], [0, 0, 0, 0, 1]),
        (["Type-2 diabetes", "type 2 Diabetes", "ＴＹＰＥ２diabetes"], [0, 0, 0]),
        (["yes", "모름", "n/a", "Neznano", "YES"], [0, -1, -1, -1, 0]),
        (["J45.0", "J45.1", "Rh-", "Rh+"], [0, 1, 2, 3]),  # what signs tell apart stays apart
        (["10-20", "1020", "<=50K", ">50K"], [0, 1, 2, 3]),
    ],
)
def test_read_sensitive__counts_meanings_of_texts(values: list[str], codes: list[int]) -> None:
    found = read_sensitive(pa.chunked_array([values]), name="t", n_bins=4)
    assert found.codes.tolist() == codes
    assert found.code(pa.chunked_array([values[::-1]])).max() == max(codes)


def test_read_sensitive__counts_few_numbers_as_written_and_missing_as_none() -> None:
    numbers = read_sensitive(pa.chunked_array([["5", "7", "5"]]), name="n", n_bins=4)
    assert (numbers.edges, numbers.codes.tolist()) == (None, [0, 1, 0])
    assert numbers.code(pa.chunked_array([["7", "9"]])).tolist() == [0, 1]
    text = read_sensitive(pa.chunked_array([["flu", None, "flu"]]), name="t", n_bins=4)
    assert (text.codes.tolist(), text.distance) == ([0, -1, 0], "equal")


# ---------------------------------------------------------------------------------------------- cells


def test_nearest_to_median__takes_the_first_of_equally_near() -> None:
    values = np.array([4.0, 1.0, 2.0, 9.0, np.nan, np.nan, 7.0])
    cells = np.array([0, 0, 0, 0, 0, 1, 2])
    grouped, sizes = np.argsort(cells, kind="stable"), np.array([5, 1, 1])
    # The known values of cell 0 are 1 2 4 9, their median 3: 4 and 2 are equally near, 4 comes first.
    assert nearest_to_median(values, cells, grouped, sizes).tolist() == [0, 5, 6]


def test_most_frequent__takes_the_first_of_equally_frequent() -> None:
    codes, cells = np.array([2, 1, 1, 2, 0, 0]), np.array([0, 0, 0, 0, 1, 1])
    assert most_frequent(codes, cells).tolist() == [0, 4]


# ---------------------------------------------------------------------------------------- preparation


def test_prepare_search__splits_one_table_and_measures_the_untouched_half() -> None:
    problem = prepared()
    assert problem.n_records == 60
    assert problem.features == ("age", "job", "income", "score")
    everyone = train_test_split(np.arange(120), test_size=0.5, random_state=14)[1]
    assert problem.records.tolist() == everyone.tolist()
    assert 0.5 < problem.base_accuracy < 1


def test_prepare_search__trains_on_a_table_of_its_own() -> None:
    data, training = dataset(people()), dataset(people(80, seed=9), "training.csv")
    problem = prepare_search(data, SETTINGS, ModelChoice(), training=training)
    assert problem.n_records == 120


def test_prepare_search__says_what_is_wrong() -> None:
    def holds(n_people: str, changes: str, choice: str, pieces: str) -> None:
        found = problems(
            lambda: prepared(people(int(n_people)), ModelChoice(**told(choice)), **told(changes))
        )
        assert len(found) == 1
        assert says(found[0], pieces), found

    holds_for_each(CASES["searches"], holds)
    for income, pieces in ((7, "has one value only in 60 records"), (None, "no value in any of 60 records")):
        (found,) = problems(lambda income=income: prepared(people().assign(income=income)))
        assert says(found, f"The sensitive attribute “income” …{pieces}")


def test_prepare_search__says_what_is_wrong_with_a_training_table() -> None:
    def said(training: pd.DataFrame, choice: ModelChoice | None = None) -> tuple[str, ...]:
        with_it = {"training": dataset(training, "t.csv")}
        return problems(
            lambda: prepare_search(dataset(people()), SETTINGS, choice or ModelChoice(), **with_it)
        )

    (found,) = said(people().drop(columns=["age", "ill"]))
    assert says(found, "t.csv lacks 2 columns of people.csv: age, ill.")
    (found,) = said(people().assign(ill="no"))
    assert says(found, "All 120 training records have the same label")
    (found,) = said(people(), ModelChoice(source="predictions", predictions_column="score"))
    assert says(found, "only when the model is trained here")


def test_prepare_search__refuses_too_many_categories_in_one_sentence() -> None:
    n = 60_000
    towns = [f"z{i % 20_000}" for i in range(n)]
    frame = pd.DataFrame({"age": np.arange(n) % 80, "zip": towns, "ill": ["yes", "no"] * (n // 2)})
    roles = {"label": "ill", "sensitive_attributes": ("zip",), "quasi_identifiers": ("age",)}
    settings = DiversitySettings(**roles, categorical=("zip",))
    (problem,) = problems(lambda: prepare_search(dataset(frame), settings, ModelChoice()))
    assert says(problem, "“zip” has 20,000 categories in 30,000 records:…0/1 column")
    # as the a label of fewer than every fifth value, which does not look continuous
    frame = frame.assign(label=[f"z{i % 10_000}" for i in range(n)])[["age", "ill", "label"]]
    settings = replace(settings, label="label", sensitive_attributes=("ill",), categorical=("ill",))
    (problem,) = problems(lambda: prepare_search(dataset(frame), settings, ModelChoice()))
    assert says(problem, "The label “label” (`--label`) has 10,000 classes in 30,000 records")


def test_prepare_search__notes_missing_numbers_unseen_categories_and_single_classes() -> None:
    frame = people()
    test_half = train_test_split(np.arange(120), test_size=0.5, random_state=14)[1]
    frame.loc[test_half[0], "job"] = "astronaut"
    frame.loc[test_half[1], "ill"] = "maybe"
    frame = frame.astype({"age": float})
    frame.loc[test_half[2], "age"] = np.nan
    numbers, categories, classes = (note.message for note in prepared(frame).notes)
    assert says(numbers, "1 of 180 numbers are missing and count as 0 for the model")
    assert says(categories, "1 of 60 records hold a category of “job” that the training")
    assert says(classes, "1 of 3 classes of the label have one record only")


@pytest.mark.parametrize("source", ["tree", "forest", "boosting", "logistic"])
def test_prepare_search__trains_every_model_the_same_way_twice(source: str) -> None:
    numbers = people().assign(ill=people()["age"] * 2 + people()["score"])
    for task, frame, least in (("classification", people(), 0.6), ("regression", numbers, 0.9)):
        once, again = (prepared(frame, ModelChoice(source=source), task=task) for _ in range(2))
        assert once.base_accuracy == again.base_accuracy
        assert once.base_accuracy > least


def test_prepare_search__says_when_training_did_not_converge() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 30)) ** 9, columns=[f"f{i}" for i in range(30)])
    frame = frame.assign(label=np.where(rng.random(400) < 0.5, "a", "b"))
    settings = DiversitySettings(label="label", sensitive_attributes=("f0",), quasi_identifiers=("f1",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem = prepare_search(dataset(frame), settings, ModelChoice(source="logistic"))
    assert [note.check for note in problem.notes] in ([], ["training"])


# --------------------------------------------------------------------------------------------- search


def test_unit_penalty__counts_a_category_that_became_missing_as_lost() -> None:
    column = FeatureColumn(name="town", categories=("Bled", "Kranj", ""))
    values = np.array([[2.0], [2.0], [0.0], [0.0], [0.0], [1.0], [2.0], [2.0], [2.0]])
    unit = cells_module.QuasiIdentifierUnit(columns=(0,), codes=values[:, 0].astype(np.int64))
    cells = cells_module.make_cells(np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), values, [unit], k=3)
    # The first cell is written as missing: one of three had a town; the second holds two of three values.
    assert unit_penalty(unit, values, cells, 0, column).tolist() == pytest.approx([1 / 3, 2 / 3, 0])


def test_search__removes_cells_of_too_few_values_and_says_so() -> None:
    # Two cells of two by age; in the older one both have the same illness.
    illnesses, ill = ["flu", "cold", "flu", "flu"], ["no", "no", "yes", "yes"]
    frame = pd.DataFrame({"age": [20, 21, 60, 61] * 4, "illness": illnesses * 4, "ill": ill * 4})
    roles = {"label": "ill", "sensitive_attributes": ("illness",), "quasi_identifiers": ("age",)}
    chosen = {"k_min": 8, "k_max": 8, "l_min": 1, "target_accuracy": 0.3}
    settings = DiversitySettings(**roles, **chosen, categorical=("illness",))
    problem = prepare_search(dataset(frame), settings, ModelChoice(), training=dataset(frame, "t.csv"))
    found = {each.l: each for each in measure_diversity(problem).configurations}
    statuses = [Status.NO_DELETION, Status.OFFERED, Status.NOTHING_LEFT]
    assert [found[ell].status for ell in (1, 2, 3)] == statuses
    assert [found[ell].deletion_ratio for ell in (1, 2, 3)] == [0.0, 0.5, 1.0]
    assert found[2].kept_set.kept.tolist() == [0, 1, 4, 5, 8, 9, 12, 13]
    released = released_table(problem, found[2].kept_set.kept_cells)
    assert set(released["age"].to_pylist()) == {"20"}  # nearest the median 20.5, first on ties
    verified = found[2].verification
    assert (verified.k, verified.distinct_l, verified.t) == (8, 2, 0.0)


def test_search__below_the_target_names_the_accuracy_that_is_reached() -> None:
    found = measured(target_accuracy=0.6)
    below = tuple(each for each in found.configurations if each.status is Status.BELOW_TARGET)
    audit = judge_diversity(replace(found, configurations=below))
    none = next(each for each in audit.findings if each.check == "nothing_within_limits")
    best = max(below, key=lambda each: each.accuracy or 0.0)
    reached = percent(math.floor(1000 * best.accuracy) / 1000)
    assert says(none.remedy, f"to {reached} or less…(k = {best.k}, ℓ = {best.l})")


def test_search__marks_what_is_below_the_target() -> None:
    # Labels by the toss of a coin: no model keeps an accuracy of 99 %.
    frame = people().assign(ill=np.random.default_rng(0).choice(["yes", "no"], 120))
    audit = judged(frame, target_accuracy=0.99)
    found = {each.status for each in audit.search.configurations}
    assert found <= {Status.BELOW_TARGET, Status.NOTHING_LEFT}
    assert (audit.verdict, audit.overall, audit.recommended) == (Verdict.FAIL, Verdict.FAIL, None)
    none = next(finding for finding in audit.findings if finding.check == "nothing_within_limits")
    assert says(none.message, "None of the 14 evaluated pairs…13 are …1 leaves ")
    untouched = percent(audit.search.problem.base_accuracy)
    assert says(none.remedy, f"less than the {untouched} that the untouched model has")
    assert says(cause_of_failure(audit), f"itself has {untouched}, less than the 99.0 %")


def test_just_below__is_five_points_less_in_whole_percent() -> None:
    targets = {0.95: 0.9, 0.9249: 0.87, 0.03: 0.0, -2.0: 0.0}
    assert {untouched: just_below(untouched) for untouched in targets} == targets


def test_prepare_search__sets_the_target_just_below_the_untouched_model() -> None:
    assert SETTINGS.target_accuracy is None
    with pytest.raises(ValueError, match="when the search is prepared"):
        SETTINGS.target  # noqa: B018
    problem = prepared()
    assert problem.settings.target == just_below(problem.base_accuracy)
    assert prepared(target_accuracy=0.2).settings.target == 0.2


def test_search__says_too_few_records_where_none_can_be_split() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3, 50, 51, 52], "s": list("abcddd"), "ill": list("nnnyyy")})
    roles = {"label": "ill", "sensitive_attributes": ("s",), "quasi_identifiers": ("age",)}
    settings = DiversitySettings(**roles, categorical=("s",), k_min=3, k_max=3)
    problem = prepare_search(dataset(frame), settings, ModelChoice(), training=dataset(frame, "t.csv"))
    found = {each.l: each.status for each in measure_diversity(problem).configurations}
    assert found[2] is Status.TOO_FEW_RECORDS


def test_search__reports_progress_and_stopped_keeps_what_is_done() -> None:
    seen: list[tuple[int, int]] = []
    measure_diversity(prepared(), on_progress=lambda *progress: seen.append(progress))
    assert seen == [(number, 14) for number in range(1, 15)]
    seen.clear()
    asked = {"on_progress": lambda *progress: seen.append(progress), "should_stop": lambda: len(seen) >= 4}
    found = measure_diversity(prepared(), **asked)
    stopped = [each for each in found.configurations if each.status is Status.STOPPED]
    assert len(found.configurations) == 14
    assert 5 <= len(stopped) <= 10
    assert {each.deletion_ratio for each in stopped} == {None}
    audit = judge_diversity(found)
    said = [finding.message for finding in audit.findings]
    assert any(says(each, f"stopped: {len(stopped)} of 14 pairs of k and ℓ") for each in said)
    assert audit.overall.severity >= Verdict.NOT_ASSESSED.severity


def test_search__stopped_within_an_evaluation_keeps_what_was_done_before() -> None:
    """With everything out of reach of the target, minimization asks at every feature it gives back."""
    problem = prepared(target_accuracy=1.0)
    n_asked = 0

    def should_stop(after: int) -> bool:
        nonlocal n_asked
        n_asked += 1
        return n_asked > after

    search(problem, verified=False, should_stop=lambda: should_stop(10**9))
    n_all, n_asked = n_asked, 0
    n_evaluations = len({each.kept_set.key for each in search(problem, verified=False) if each.evaluation})
    assert n_all > 4 + 14 + n_evaluations  # k, pairs, and then some within the evaluations
    found_at = {}
    for after in range(1, n_all):
        n_asked = 0
        found = search(problem, verified=False, should_stop=lambda after=after: should_stop(after))
        done = [each for each in found if each.status is not Status.STOPPED]
        assert all((each.evaluation is None) == (each.accuracy is None) for each in done)
        found_at[after] = len(done)
    assert list(found_at.values()) == sorted(found_at.values())
    assert found_at[1] == 0
    assert 0 < found_at[n_all - 1] < 14


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_measure_diversity__interrupted_between_pairs_has_what_was_done(n_jobs: int) -> None:
    handed: list[Callable[[], DiversitySearch]] = []

    def interrupt(n_done: int, _n_all: int) -> None:
        if n_done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_diversity(prepared(), n_jobs=n_jobs, on_progress=interrupt, on_start=handed.append)
    found = handed[0]().configurations
    whole = measured().configurations
    assert [(each.k, each.l) for each in found] == [(each.k, each.l) for each in whole]
    done = [pair for pair in zip(found, whole, strict=True) if pair[0].status is not Status.STOPPED]
    assert 5 <= len(done) < 14 + (n_jobs > 1)  # two threads may have got to the end meanwhile
    assert all((one.status, one.accuracy) == (other.status, other.accuracy) for one, other in done)


def test_search__with_predictions_only_does_not_assess_accuracy() -> None:
    frame = people()
    choice = ModelChoice(source="predictions", predictions_column="guess")
    problem = prepared(frame.assign(guess=frame["ill"].where(frame.index % 4 > 0, "unsure")), choice)
    assert (problem.base_accuracy, problem.n_records) == (0.75, 120)
    audit = judge_diversity(measure_diversity(problem))
    statuses = {each.status for each in audit.search.configurations}
    assert statuses <= {Status.ACCURACY_UNKNOWN, Status.NOTHING_LEFT}
    assert (audit.verdict, audit.overall) == (Verdict.NOT_ASSESSED, Verdict.NOT_ASSESSED)
    with pytest.raises(ValueError, match="no model"):
        problem.inputs.predict(problem.values)


def test_search__regression_measures_r_squared() -> None:
    frame = people()
    frame = frame.assign(ill=frame["age"] * 2 + frame["score"])
    audit = judged(frame, task="regression", target_accuracy=0.5)
    evaluated = [each.evaluation for each in audit.search.configurations if each.evaluation]
    assert all(each.accuracy <= 1 and each.accuracy_low is None for each in evaluated)
    assert max(each.accuracy for each in evaluated) > 0.8
    assert audit.recommended.reason.count("R²") == 1
    guesses = ModelChoice(source="predictions", predictions_column="guess")
    assert prepared(frame.assign(guess=frame["ill"]), guesses, task="regression").base_accuracy == 1.0


def test_search__needs_diversity_in_every_sensitive_attribute() -> None:
    one, both = measured(), measured(sensitive_attributes=("income", "score"))
    for single, several in zip(one.configurations, both.configurations, strict=True):
        assert set(several.kept_set.kept) <= set(single.kept_set.kept)


def test_search__replaces_a_one_hot_group_as_one() -> None:
    frame = people()
    for job in ("clerk", "nurse", "pilot"):
        frame[job] = (frame["job"] == job).astype(int)
    group = ("clerk", "nurse", "pilot")
    problem = prepared(
        frame.drop(columns="job"), quasi_identifiers=("age", *group), one_hot_groups=(group,), categorical=()
    )
    assert [unit.columns for unit in problem.inputs.units] == [(0,), (3, 4, 5)]
    for each in measure_diversity(problem).configurations:
        if each.kept_set.n_kept:
            released = released_table(problem, each.kept_set.kept_cells).to_pandas()
            assert (released[list(group)].astype(int).sum(axis=1) == 1).all()
        if each.evaluation is not None:
            assert 0 <= each.evaluation.minimization_ncp <= 1


def test_proper_cells__of_more_columns_than_records_are_those_of_all_columns() -> None:
    points = np.random.default_rng(5).normal(size=(40, 90))
    turned = cells_module._turned(points)
    assert turned.shape == (40, 40)
    assert pdist(turned) == pytest.approx(pdist(points))
    trees = [
        DecisionTreeRegressor(min_samples_leaf=5, random_state=0).fit(points, y) for y in (points, turned)
    ]
    first, second = (tree.apply(points) for tree in trees)  # leaves may be numbered otherwise
    assert ((first[:, None] == first) == (second[:, None] == second)).all()
    few = points[:, :40]
    assert cells_module._turned(few) is few


def test_search__verifies_other_diversities() -> None:
    for diversity in ("entropy", "recursive"):
        found = measured(diversity=diversity, recursive_c=2.0).configurations
        offered = [each for each in found if each.stored]
        assert offered
        for each in offered:
            if diversity == "entropy":
                assert each.verification.entropy_l >= each.l - 1e-9
            else:
                assert each.verification.recursive_c(each.l) < 2.0


# --------------------------------------------------------------------------------------- minimization


class Threshold:
    """A model that looks at the first feature only."""

    description = "threshold"

    def predict(self, values: np.ndarray) -> np.ndarray:
        return (values[:, 0] > 50).astype(float)


def minimization_problem(
    target: float, model: object = None, *, categories: bool = False
) -> MinimizationProblem:
    names = ("age", "job") if categories else ("age", "score")
    chosen = {"quasi_identifiers": names, "categorical": ("job",) if categories else (), "cells": "proper"}
    inputs = prepared(people()[[*names, "income", "ill"]], **chosen).inputs
    return MinimizationProblem(
        space=inputs.space,
        units=inputs.units,
        predict=(model or Threshold()).predict,
        outcome=inputs.outcome,
        majority="records",
        target_accuracy=target,
    )


def minimized(
    problem: MinimizationProblem, values: np.ndarray, n_fit: int, **further: object
) -> Minimization:
    """Minimize to what the model says of the values, fitted on the first of them."""
    truth = further.pop("truth", problem.predict(values))
    parts = {"fit": np.arange(n_fit), "held_out": np.arange(n_fit, len(values))}
    return minimize(problem, values, truth, **parts, **further)


def values_for(problem: MinimizationProblem, n_records: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.uniform(0, 100, n_records), rng.integers(0, 3, n_records), rng.normal(size=n_records)]
    )


def test_minimize__cuts_where_the_model_does() -> None:
    problem = minimization_problem(0.9)
    found = minimized(problem, values_for(problem, 200, 1), 120)
    ours = {each.feature: each for each in generalizations(found)}
    assert ours["age"].cuts == (pytest.approx(50, abs=3),)
    assert ours["score"].cuts == ()
    assert known_as(ours["age"]).startswith("up to ")
    assert known_as(ours["score"]) == "any value, it makes no difference to the model"


def test_minimize__rises_only_while_the_target_holds() -> None:
    for target in (0.55, 0.8, 0.99):
        problem = minimization_problem(target)
        values = values_for(problem, 200, 2)
        rng = np.random.default_rng(2)
        noisy = np.where(rng.random(200) < 0.1, 1 - problem.predict(values), problem.predict(values))
        found = minimized(problem, values, 120, truth=noisy)
        agreement = problem.outcome.agreement(problem.predict(found.apply(values[120:])), noisy[120:])
        assert found.agreement == agreement
        if found.level:
            assert agreement >= target


def test_minimize__gives_features_back_until_the_target_holds_or_none_is_left() -> None:
    # The predictions follow the second feature, which the model does not look at: replacing the first
    # by a cell's representative costs agreement, and giving it back regains it.
    class FirstTwo:
        def predict(self, values: np.ndarray) -> np.ndarray:
            return ((values[:, 0] > 50) ^ (values[:, 2] > 0)).astype(float)

    problem = minimization_problem(0.97, FirstTwo())
    values = values_for(problem, 60, 4)
    found = minimized(problem, values, 12)
    assert found.leaves_agreement < 0.97
    assert not all(found.generalized)
    assert found.agreement >= 0.97 or not any(found.generalized)
    assert found.agreement > found.leaves_agreement
    untouched = [each for each in generalizations(found) if each.untouched]
    assert known_as(untouched[0]) == "left as it is"
    kept = [i for i, generalized in enumerate(found.generalized) if not generalized]
    columns = [problem.units[i].columns[0] for i in kept]
    assert (found.apply(values[12:])[:, columns] == values[12:][:, columns]).all()
    use = cell_use(found, values[12:])
    assert all(unit_ncp(found, use)[i] == 0 for i in kept)


class Weighted:
    """A model whose first column settles three records in four, and the second all others."""

    def predict(self, values: np.ndarray) -> np.ndarray:
        return np.where(np.abs(values[:, 0] - 50) > 12.5, values[:, 0] > 50, values[:, 1] > 0).astype(float)


def test_give_back__takes_the_smallest_penalty_per_gain_first() -> None:
    problem = minimization_problem(np.inf, Weighted())
    values = values_for(problem, 400, 16)
    truth = problem.predict(values)
    found = minimized(problem, values, 5)
    assert found.generalized == (False, False)  # the target is out of reach

    start = replace(found, generalized=(True, True), agreement=found.leaves_agreement)
    penalties = unit_ncp(start, cell_use(start, values[5:]))
    options = [replace(start, generalized=each) for each in ((False, True), (True, False))]
    reached = [np.mean(problem.predict(each.apply(values))[5:] == truth[5:]) for each in options]
    gains = np.array(reached) - start.agreement
    assert penalties == pytest.approx([1.0, 0.58], abs=0.001)
    assert gains == pytest.approx([0.359, 0.086], abs=0.001)  # 2.8 per gain against 6.7
    once = minimized(replace(problem, target_accuracy=start.agreement + 1e-9), values, 5)
    assert once.generalized == (False, True)
    assert once.agreement == reached[0]
    with pytest.raises(SearchStoppedError):
        minimized(problem, values_for(problem, 400, 5), 5, should_stop=lambda: True)


def test_generalizations__group_categories_that_are_not_told_apart() -> None:
    class Pilot:
        def predict(self, values: np.ndarray) -> np.ndarray:
            return (values[:, 1] == 2).astype(float)

    problem = minimization_problem(0.9, Pilot(), categories=True)
    values = values_for(problem, 120, 6)
    found = minimized(problem, values, 70)
    ours = generalizations(found)
    told = [(each.feature, each.cuts, each.groups, each.untouched) for each in ours]
    groups = (("pilot",), ("clerk", "nurse"))
    assert told == [("age", (), None, False), ("job", None, groups, False)]
    assert known_as(ours[1]) == "pilot | clerk or nurse"
    share = float((values[70:, 1] != 2).mean())
    assert unit_ncp(found, cell_use(found, values[70:])).tolist() == pytest.approx([1.0, share * 2 / 3])


def test_masked__names_released_categories_alone() -> None:
    job = Generalization(feature="job", groups=(("clerk",), ("Ana Novak", "nurse", "")))
    age = Generalization(feature="age", cuts=(30.0,))
    hidden = Generalization(feature="job", groups=(("clerk",), ("AAA AAAAA", "nurse", "")))
    assert masked((age, job), {"job": {"clerk", "nurse"}}) == (age, hidden)
    assert masked((job,), {})[0].groups == (("AAAAA",), ("AAA AAAAA", "AAAAA", ""))
    assert known_as(Generalization(feature="age", cuts=(30.0, 50.0))) == "up to 30 | to 50 | above"
    assert known_as(Generalization(feature="x", groups=(("a",), ("",)))) == "a | (missing)"


def test_released_generalizations__name_what_the_release_holds_and_nothing_else() -> None:
    frame = people()
    alone = ["astronaut", "Ana Novak", "diver"]
    frame.loc[frame.index[:3], "job"] = alone
    found = measure_diversity(prepared(frame))
    n_hidden = 0
    for each in found.configurations:
        if each.evaluation is None:
            assert released_generalizations(found.problem, each) == ()
            continue
        released = released_table(found.problem, each.kept_set.kept_cells)["job"].to_pandas().value_counts()
        groups = released_generalizations(found.problem, each)[1].groups
        named = {name for group in groups for name in group if set(name) - {*"A "}}
        assert named == set(released.index)
        assert released.min() >= each.k
        n_hidden += len({*alone} - named)
    assert n_hidden


def test_split_like__falls_back_to_a_plain_split() -> None:
    one_alone = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    plain = train_test_split(np.arange(5), test_size=0.4, random_state=18)
    parts = evaluation_module._split_like(one_alone, prepared().inputs)
    assert [part.tolist() for part in parts] == [part.tolist() for part in plain]


# -------------------------------------------------------------------------------------------- release


def test_csv_bytes__is_read_back_as_it_was_and_runs_no_formula() -> None:
    table = pa.table({"=a": ["=1+1", "-5", None, "ＡＢ"], "b": ["@x", "+3.5", "-", "\tq"]})
    text = table_csv(table).decode("utf-8-sig")
    assert text.splitlines()[0] == '"\'=a","b"'
    back = read_dataset(table_csv(table), name="r.csv").table.to_pylist()
    assert [row["b"] for row in back] == ["'@x", "+3.5", "'-", "'\tq"]
    assert [row["'=a"] for row in back] == ["'=1+1", "-5", None, "ＡＢ"]


def test_released_table__changes_quasi_identifiers_only_and_leaves_columns_out() -> None:
    frame = people().assign(name=[f"p{i}" for i in range(120)])
    problem = prepared(frame, left_out=("name",))
    each = measure_diversity(problem).configuration(5, 1)
    released = released_table(problem, each.kept_set.kept_cells).to_pandas()
    original = problem.data.frame.iloc[problem.records[each.kept_set.kept]].reset_index(drop=True)
    assert released.columns.tolist() == list(COLUMNS)
    assert (released[["income", "score", "ill"]] == original[["income", "score", "ill"]]).all(axis=None)
    assert (released[["age", "job"]] != original[["age", "job"]]).any(axis=None)
    minimized = released_table(problem, minimized_sources(problem, each.kept_set.kept_cells, each.evaluation))
    assert verify(table_csv(minimized), problem).k >= 5


def test_verify__fails_what_was_tampered_with() -> None:
    each, problem = measured().configuration(5, 2), measured().problem
    table = released_table(problem, each.kept_set.kept_cells)
    ages = ["999", *table["age"].to_pylist()[1:]]
    tampered = table.set_column(0, "age", pa.chunked_array([ages]))
    assert verify(table_csv(table), problem).holds(5, 2, problem.settings)
    assert not verify(table_csv(tampered), problem).holds(5, 2, problem.settings)
    same = table.set_column(2, "income", pa.chunked_array([["30"] * table.num_rows]))
    assert not verify(table_csv(same), problem).holds(5, 2, problem.settings)


def test_search__does_not_offer_what_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = prepared()
    monkeypatch.setattr("core.diversity.measuring.released_table", lambda problem, _cells: problem.data.table)
    audit = judge_diversity(measure_diversity(problem))
    assert Status.NOT_VERIFIED in {each.status for each in audit.search.configurations}
    assert audit.offered == ()
    assert audit.overall is Verdict.FAIL
    assert any("did not keep k and ℓ when it was read back" in f.message for f in audit.findings)


# ---------------------------------------------------------------------------------------------- judge


def test_judge_diversity__filters_and_sorts() -> None:
    accuracies = [each.accuracy for each in judge_diversity(measured()).offered]
    assert accuracies == sorted(accuracies, reverse=True)
    few = DiversityThresholds(sort="deletion_ratio", max_deletion=0.4)
    deletions = [each.deletion_ratio for each in judge_diversity(measured(), few).offered]
    assert deletions == sorted(deletions)
    assert max(deletions) <= 0.4
    nothing = DiversityThresholds(min_accuracy=1.0, max_deletion=0.0)
    assert judge_diversity(measured(), nothing).offered == ()


def test_judge_diversity__says_in_one_sentence_why_it_recommends() -> None:
    several = judge_diversity(measured(target_accuracy=0.2)).recommended.reason
    assert says(several, "Of the … pairs that are within your limits")
    only = judge_diversity(measured(target_accuracy=0.2, k_min=3, k_max=3, l_min=3)).recommended.reason
    assert only.startswith("Only k = 3, ℓ = 3 is within your limits")
    assert "pairs" not in only


def test_pareto_front__holds_what_no_other_beats() -> None:
    found = measured().configurations
    met = [each for each in found if each.status in (Status.OFFERED, Status.NO_DELETION)]
    front = pareto_front(met)
    assert front

    def costs(each: object) -> tuple[float, float, float]:
        return (-each.accuracy, each.deletion_ratio, each.kept_set.ncp)

    def beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    for each in met:
        beaten = any(beats(costs(other), costs(each)) for other in met)
        assert (costs(each) in [costs(member) for member in front]) != beaten


def test_judge_diversity__warns_where_the_model_is_no_better_than_the_most_frequent_label() -> None:
    rng = np.random.default_rng(8)
    frame = people(1200).assign(ill=np.where(rng.random(1200) < 0.1, "yes", "no"))  # nothing tells it
    audit = judged(frame, target_accuracy=0.5, k_min=4, k_max=5, l_min=1)
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.WARN)
    messages = {finding.check: finding.message for finding in audit.findings}
    assert "always saying the most frequent label" in messages["below_baseline"]
    assert "always saying the most frequent label" in messages["model_below_baseline"]
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l).evaluation
    assert chosen.balanced_accuracy < 0.65 < chosen.accuracy <= chosen.baseline_accuracy
    assert "Averaged over the classes (balanced) it is" in messages["accuracy"]
    frame["ill"] = np.where(frame["age"] > 50, "yes", "no")  # the quasi-identifiers tell it
    audit = judged(frame, target_accuracy=0.8, k_min=4, k_max=5, l_min=1)
    assert {"below_baseline", "model_below_baseline"} & {each.check for each in audit.findings} == set()


def test_baseline__of_numbers_is_the_mean() -> None:
    numbers = {"label": "income", "task": "regression", "target_accuracy": 0.0}
    audit = judged(people(), **numbers, sensitive_attributes=("score",), categorical=("job", "ill"))
    assert audit.search.problem.base_baseline == 0.0
    (finding,) = [each for each in audit.findings if each.check == "model_below_baseline"]
    assert "always saying the mean 0 %" in finding.message


def test_judge_diversity__counts_records_that_untouched_columns_single_out() -> None:
    audit = judge_diversity(measured())
    (finding,) = [f for f in audit.findings if f.check == "untouched_columns"]
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l)
    released = released_table(audit.search.problem, chosen.kept_set.kept_cells)
    label = audit.search.problem.settings.label
    scores = [*zip(released["score"].to_pylist(), released[label].to_pylist(), strict=True)]
    n_unique = sum(scores.count(score) == 1 for score in scores)
    assert (finding.n_affected, finding.verdict) == (n_unique, Verdict.WARN)
    assert says(
        finding.message, f"2 columns besides the quasi-identifiers …{n_unique} of {len(scores)} records"
    )


def test_judge_diversity__warns_of_classes_where_everybody_is_the_same() -> None:
    # k = 6, ℓ = 1 only: nothing asks for diversity, and the jobs follow the ages.
    frame = people().assign(job=np.where(people()["age"] > 50, "pilot", "clerk"))
    roles = {"sensitive_attributes": ("job",), "quasi_identifiers": ("age",)}
    found = judged(frame, **roles, k_min=6, k_max=6, target_accuracy=0.2).search
    audit = judge_diversity(found, DiversityThresholds(max_deletion=0.0))
    assert (audit.recommended.k, audit.recommended.l) == (6, 1)
    (finding,) = [each for each in audit.findings if each.check == "homogeneous_classes"]
    released = released_table(audit.search.problem, audit.search.configuration(6, 1).kept_set.kept_cells)
    jobs = released.to_pandas().groupby("age", dropna=False, observed=True)["job"]
    expected = int(jobs.size()[jobs.nunique() < 2].sum())
    assert (finding.n_affected, finding.verdict) == (expected, Verdict.WARN)
    assert says(finding.message, f"At k = 6, ℓ = 1, {expected} of 60 records are in groups where ")


FEW_VALUES = {"sensitive_attributes": ("job",), "quasi_identifiers": ("age",), "l_min": 4}


def test_judge_diversity__warns_of_steered_cells_and_of_attributes_of_many_or_few_values() -> None:
    steered = measured(cells="all_features", sensitive_bins=None, sensitive_attributes=("score",))
    checks = {finding.check: finding.message for finding in judge_diversity(steered).findings}
    assert "every feature, the sensitive attribute included" in checks["cells_are_steered"]
    assert checks["continuous_sensitive"].startswith("“score” has 60 different numbers in 60 records")
    few = [finding.message for finding in judge_diversity(measured(**FEW_VALUES)).findings]
    assert any(says(each, "“job” has 3 values to count, fewer than the smallest ℓ, 4") for each in few)


def test_repeat_configuration__begins_with_the_search_itself() -> None:
    each, problem = measured().configuration(5, 1), measured().problem
    found = repeat_configuration(problem, each, n_repeats=5)
    assert found.accuracies[0] == each.accuracy
    for repeat in (1, 4):
        other = measured(holdout_seed=38 + repeat, minimization_seed=18 + repeat)
        assert found.accuracies[repeat] == other.configuration(5, 1).accuracy
    assert len(set(found.accuracies)) > 1
    assert found.low <= found.mean <= found.high
    (said,) = problems(lambda: repeat_configuration(problem, each, n_repeats=0))
    assert says(said, "between 1 and 1,000; 0 were asked for")
    nothing = measured(**FEW_VALUES)
    (said,) = problems(lambda: repeat_configuration(nothing.problem, nothing.configurations[0]))
    assert says(said, "k = 4, ℓ = 4 has no accuracy to repeat")
    (said,) = problems(lambda: measured().configuration(9, 1))
    assert says(said, "k = 9, ℓ = 1 was not searched: k runs from 2 to 5")


def test_repeat_configuration__stopped_keeps_what_is_done() -> None:
    chosen = next(each for each in measured().configurations if each.evaluation)
    seen: list[tuple[int, int]] = []
    asked = {"on_progress": lambda *progress: seen.append(progress), "should_stop": lambda: len(seen) >= 3}
    found = repeat_configuration(measured().problem, chosen, n_repeats=9, **asked)
    assert seen == [(2, 9), (3, 9), (4, 9)]
    assert len(found.accuracies) == 4
    assert found.accuracies[0] == chosen.accuracy


def test_prepare_search__stops_before_and_after_the_model_is_fitted() -> None:
    for n_before in (0, 1):
        asked = iter(n_asked == n_before for n_asked in range(10))
        with pytest.raises(SearchStoppedError):
            prepare_search(dataset(people()), SETTINGS, ModelChoice(), should_stop=lambda: next(asked))  # noqa: B023


def test_rank_by_singling_out__puts_the_most_telling_column_first() -> None:
    columns = {"sex": "fmfm", "age": "1122", "id": "abcd", "same": "xxxx"}
    table = pa.table({name: list(values) for name, values in columns.items()})
    ranked = rank_by_singling_out(table, ["sex", "age", "id", "same"])
    assert [each.column for each in ranked] == ["id", "sex", "age", "same"]
    assert [each.unique_share for each in ranked] == [1.0, 0.0, 0.0, 0.0]
    pair = rank_by_singling_out(table, ["sex", "age"])
    assert [each.unique_share_with_former for each in pair] == [0.0, 1.0]
    assert rank_by_singling_out(table, []) == ()


# ------------------------------------------------------------------------------------- one-hot groups


def test_zero_one_columns__hold_both_and_nothing_else() -> None:
    table = pa.table(
        {
            "both": ["0", "1", "1"],
            "spelled": ["0.0", "+1", None],
            "one": ["1", "1", "1"],
            "three": ["0", "1", "2"],
            "text": ["0", "1", "yes"],
            "none": pa.array([None, None, None], pa.string()),
        }
    )
    assert zero_one_columns(table, table.column_names) == ("both", "spelled")
    assert zero_one_columns(table, ["text"]) == ()


_PEOPLE = {"age": [str(20 + n % 9) for n in range(60)], "diagnosis": ["flu", "cold", "none"] * 20}


def test_suggest_label__is_nothing_that_names_people_or_differs_in_most_records() -> None:
    def holds(name: str, values: list[str], label: str) -> None:
        table = pa.table({**_PEOPLE, name: values})
        assert suggest_label(table.column_names, suggest_roles(table)) == label

    cases = [
        ("phone", [f"041 {n % 20:03} 777" for n in range(60)], "diagnosis"),
        ("record number", [f"R{n // 3}" for n in range(60)], "diagnosis"),
        ("id", [str(n % 25) for n in range(60)], "diagnosis"),
        ("e-mail", [f"a{n % 20}@example.org" for n in range(60)], "diagnosis"),
        ("c9", [f"{n * 37 % 101}.5" for n in range(60)], "diagnosis"),  # differs in every record
        ("c9", [f"{n * 37 % 101 % 57}" for n in range(60)], "diagnosis"),  # in nearly every one
        ("c9", ["x"] * 60, "diagnosis"),
        ("outcome", ["good", "bad"] * 30, "outcome"),
        ("phone", ["yes", "no"] * 30, "phone"),
        ("score", [str(n % 20) for n in range(60)], "score"),
    ]
    holds_for_each(cases, holds)


def test_suggest_label__is_the_usual_one_or_none() -> None:
    table = pa.table({"target": ["a", "b", "b", "a"], "sex": ["f", "m"] * 2, "id": list("1234")})
    roles = suggest_roles(table)
    assert suggest_label(table.column_names, roles, usual="target") == "target"
    assert suggest_label(table.column_names, roles, usual="id") == "sex"
    assert suggest_label(["id"], roles, usual="id") is None


def test_suggest_one_hot_groups__takes_the_shortest_beginning_that_excludes() -> None:
    columns = {
        "job_vice_president": "1000",
        "age_years": "3456",
        "has_car_red": "1010",
        "job_clerk": "010-",
        "job_nurse": "0010",
        "has_car_blue": "0100",
        "has_cat": "1100",
        "lone": "0100",
    }
    table = pa.table({name: [None if v == "-" else v for v in values] for name, values in columns.items()})
    groups = suggest_one_hot_groups(table, table.column_names)
    assert groups == (("job_vice_president", "job_clerk", "job_nurse"), ("has_car_red", "has_car_blue"))
    assert suggest_one_hot_groups(table, ["job_clerk", "lone", "age_years"]) == ()


# ----------------------------------------------------------------------------------------------- demo


def test_demo_file__reads_as_a_table_with_the_roles_it_comes_with() -> None:
    n_records = {"breast_cancer": 569, "wine": 178, "iris": 150, "diabetes": 442}
    assert set(DEMO_NAMES) == set(n_records)
    for name in DEMO_NAMES:
        file, roles = diversity_table(name), DEMO_ROLES[name]
        data = read_dataset(file.data, name=file.name)
        assert {"target", roles.sensitive_attribute, *roles.quasi_identifiers} <= set(data.columns)
        assert data.n_records == n_records[name]
        assert [demo.make()["data"][0].name for demo in DEMOS if demo.key == name] == [f"{name}.csv"]
    (said,) = problems(lambda: diversity_table("titanic"))
    assert says(said, "one of breast_cancer, wine, iris, diabetes; it is titanic")


def test_feature_space__knows_positions() -> None:
    space = FeatureSpace(columns=(FeatureColumn(name="a"), FeatureColumn(name="b", categories=("x", "y"))))
    assert (space.position("b"), space.offsets.tolist()) == (1, [0, 1, 3])
