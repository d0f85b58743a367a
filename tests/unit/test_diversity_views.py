"""Tables, charts and report of the (k, l) search."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from core.demo import SHOWN_ROLES, diversity_table
from core.diversity import (
    Configuration,
    DiversityAudit,
    DiversitySettings,
    DiversityThresholds,
    ModelChoice,
    Status,
    charts,
    judge_diversity,
    measure_diversity,
    prepare_search,
    rank_by_singling_out,
)
from core.diversity.cells import fit_cell_tree
from core.diversity.report import configurations_csv, diversity_report, kept_records_csv
from core.diversity.result import (
    diversity_result,
    singling_out_table,
    way_of_records,
    what_predicts_what,
)
from core.measures import MEASURES
from core.reports import RENDERERS, render
from core.result import Drawing, Figure, Table
from core.tables import read_dataset
from core.verdict import Verdict
from tests.cases.table import says
from tests.checked_charts import checked
from tests.report_examples import frame_of

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def audit_of(choice: ModelChoice | None = None, **changes: object) -> DiversityAudit:
    file, roles = diversity_table("wine"), SHOWN_ROLES["wine"]
    chosen = {"label": "target", "quasi_identifiers": roles.quasi_identifiers, "k_max": 6}
    settings = DiversitySettings(
        **(chosen | {"sensitive_attributes": (roles.sensitive_attribute,)} | changes)
    )
    data = read_dataset(file.data, name=file.name)
    if choice:
        frame = data.frame.assign(guess="1")
        data = read_dataset(frame.to_csv(index=False).encode(), name=file.name)
    return judge_diversity(measure_diversity(prepare_search(data, settings, choice or ModelChoice())))


@pytest.fixture(scope="module")
def audit() -> DiversityAudit:
    return audit_of()


@pytest.fixture(scope="module")
def picked(audit: DiversityAudit) -> Configuration:
    return audit.search.configuration(audit.recommended.k, audit.recommended.l)


def figures_of(audit: DiversityAudit, picked: Configuration) -> tuple[Figure, ...]:
    return diversity_result(audit, picked).group("pair").figures


def table_of(key: str, audit: DiversityAudit, picked: Configuration | None = None) -> pd.DataFrame:
    parts = diversity_result(audit, picked).parts("report")
    return frame_of(next(each for each in parts if isinstance(each, Table) and each.key == key))


def test_configurations_table__has_a_row_per_pair_and_no_zero_for_unknown(audit: DiversityAudit) -> None:
    assert set(charts.STATUS_WORDS) == set(Status)
    table = table_of("configurations", audit)
    assert len(table) == len(audit.search.problem.settings.pairs)
    unknown = table["accuracy"].isna()
    assert set(table.loc[unknown, "result"]) <= {charts.STATUS_WORDS[Status.NOTHING_LEFT]}
    assert table["deletion_ratio"].between(0, 1).all()


def test_span__fits_the_axis_to_what_is_drawn_and_steps_have_room() -> None:
    spans = [
        ([0.62, 0.7, 0.66], (0.6, 0.72)),  # a narrow range fills the axis
        ([0.5, 1.0], (0.45, 1.0)),  # nothing is better than all right
        ([0.9, 0.9], (0.88, 0.92)),
        ([-7.0, 0.4], (-1.0, 0.54)),  # of numbers, whose R² may be far below zero
    ]
    for accuracies, span in spans:
        assert charts._span(accuracies) == pytest.approx(span)
    table = pd.DataFrame({"value": [0.5, 0.5]})
    assert charts._shown(table) == pytest.approx((0.45, 0.55))  # never a single figure
    assert charts._shown(table.iloc[:0]) == (0.0, 1.0)
    labels = charts._steps([4, 3, 2], "height")["axis"]["labelExpr"]
    assert labels == "(datum.value - 2) % ceil(60 / height) ? '' : datum.label"


def test_freest__puts_the_label_of_the_target_where_no_point_is() -> None:
    def place(*points: tuple[float, float]) -> tuple[str, str]:
        return charts._freest(pd.DataFrame(points, columns=["deletion", "accuracy"]), 0.5, 1.0)

    assert place((0.0, 0.9), (0.0, 0.1)) == ("right", "bottom")
    assert place((0.9, 0.51), (0.0, 0.9), (0.0, 0.1)) == ("right", "top")
    assert place((0.9, 0.51), (0.8, 0.48), (0.0, 0.9), (0.0, 0.1)) == ("left", "bottom")


def test_trade_off__draws_each_point_once_and_rings_the_picked(
    audit: DiversityAudit, picked: Configuration
) -> None:
    points = charts.evaluated(audit)
    assert len({each.kept_set.key for each in points}) == len(points)
    chart = checked(charts.trade_off_drawing(audit, picked).chart())
    assert len(points) in [len(rows) for rows in chart["datasets"].values()]
    assert len(checked(charts.trade_off_drawing(audit).chart())["datasets"]) >= 3
    table = charts._points_table(audit)
    line = charts._front_line(table[table["front"]])
    accuracies = line.sort_values("deletion")["accuracy"].tolist()
    assert accuracies == sorted(set(accuracies))  # it never falls


def test_grid__has_a_cell_per_pair_with_the_figure(audit: DiversityAudit) -> None:
    for figure in charts.GRID_TITLES:
        chart = checked(charts.grid_drawing(audit, figure, audit.search.configuration(3, 2)).chart())
        sizes = [len(rows) for rows in chart["datasets"].values()]
        known = [c for c in audit.search.configurations if charts._grid_value(c, figure) is not None]
        assert max(sizes) == len(known), figure
        x, y = (chart["layer"][0]["encoding"][axis] for axis in ("x", "y"))
        assert x["scale"]["domain"] == sorted({c.k for c in audit.search.configurations})
        assert y["scale"]["domain"] == list(range(max(2, *(c.l for c in known)), 0, -1))
        assert x["axis"]["labelExpr"].startswith(f"(datum.value - {x['scale']['domain'][0]}) % ")
        assert checked(charts.grid_drawing(audit, figure).chart())["layer"]


def test_figures__hold_k_and_l_against_what_was_asked(audit: DiversityAudit, picked: Configuration) -> None:
    figures = {figure.measure: figure for figure in figures_of(audit, picked)}
    assert set(figures) <= set(MEASURES)
    assert figures["k"].verdict is Verdict.PASS
    assert figures["k"].value >= picked.k
    assert figures["distinct_l"].threshold == f"at least {picked.l}"
    assert figures["base_accuracy"].value == audit.search.problem.base_accuracy
    assert figures["discernibility"].value >= figures["average_class_size"].value


def test_figures__judge_by_the_chosen_diversity() -> None:
    for diversity, measure in (("entropy", "entropy_l"), ("recursive", "recursive_c")):
        audit = audit_of(diversity=diversity, target_accuracy=0.3)
        found = figures_of(audit, audit.within_limits[-1])
        figures = {figure.measure: figure.verdict for figure in found}
        assert (figures[measure], figures["distinct_l"]) == (Verdict.PASS, None)


def test_tables__say_in_words_what_is_known_and_sum_to_what_is_released(
    audit: DiversityAudit, picked: Configuration
) -> None:
    problem = audit.search.problem
    evaluated = next(each for each in audit.search.configurations if each.evaluation)
    table = table_of("generalizations", audit, evaluated)
    assert table["column"].tolist() == ["proline", "flavanoids", "hue"]
    assert not table["known_as"].str.contains(":").any()
    table = table_of("class_diversity", audit, picked)
    assert table["records"].sum() == picked.kept_set.n_kept
    assert table["values"].min() >= picked.l
    ranked = frame_of(singling_out_table(rank_by_singling_out(problem.data.table, problem.data.columns)))
    assert sorted(ranked["column"]) == sorted(problem.data.columns)
    assert ranked["together"].is_monotonic_increasing
    kept = audit.search.configuration(2, 1)
    header, *records = kept_records_csv(problem, kept).decode("utf-8-sig").split()
    assert (header, len(records)) == ("record", kept.kept_set.n_kept)
    assert min(map(int, records)) >= 1
    (row,) = table_of("bins", audit).to_dict("records")
    assert row["counted_as"] == 10
    assert row["bins"].startswith("up to ")
    assert row["bins"].endswith("| above")
    (written,) = table_of("bins", audit_of(sensitive_bins=None)).to_dict("records")
    assert written["bins"] == "as written"


def test_nothing_left__draws_nothing_and_says_so() -> None:
    audit = audit_of(k_min=6, l_min=6, sensitive_bins=2)
    (nothing,) = audit.search.configurations
    assert nothing.status is Status.NOTHING_LEFT
    result = diversity_result(audit, nothing)
    assert not any(isinstance(part, Drawing) for group in result.groups for part in group.parts)
    assert result.group("classes").empty.startswith("Nothing is released")
    assert table_of("generalizations", audit, nothing).empty
    assert charts.evaluated(audit) == ()
    assert says(result.headline, "No pair of k and ℓ reaches the accuracy within your limits. ")
    assert way_of_records(audit)[1].endswith(" to anonymize → none released.")
    assert kept_records_csv(audit.search.problem, nothing) == b"\xef\xbb\xbfrecord\n"
    assert b"no cell is diverse enough" in configurations_csv(audit)
    assert checked(charts.trade_off_drawing(audit, nothing).chart())["layer"]
    figures = {figure.measure: figure.value for figure in figures_of(audit, nothing)}
    assert figures == {"base_accuracy": figures["base_accuracy"], "deletion_ratio": 1.0, "ncp": None}
    report = diversity_report(audit, nothing, created_at=NOW)
    assert len(report.charts) == 0


def test_headline__without_a_model_says_what_is_not_known() -> None:
    choice = ModelChoice(source="predictions", predictions_column="guess")
    audit = audit_of(choice, quasi_identifiers=("hue",))
    assert says(diversity_result(audit, None).headline, "k and ℓ can be met, …accuracy cannot be assessed.")
    report = diversity_report(audit, None, created_at=NOW)
    assert report.settings["Model"] == "predictions in column guess"
    assert report.verdict is Verdict.NOT_ASSESSED


@pytest.mark.parametrize("name", list(RENDERERS))
def test_report__renders_and_repeats_byte_for_byte(
    audit: DiversityAudit, picked: Configuration, name: str
) -> None:
    once, again = (diversity_report(audit, picked, created_at=NOW) for _ in range(2))
    assert render(once, name) == render(again, name)
    assert len(render(once, name)) > 1000


def test_report__names_the_training_table_and_every_setting(audit: DiversityAudit) -> None:
    problem = audit.search.problem
    training = prepare_search(problem.data, problem.settings, ModelChoice(), training=problem.data)
    judged = judge_diversity(measure_diversity(training), DiversityThresholds(max_deletion=0.4))
    report = diversity_report(judged, None, created_at=NOW)
    assert [facts.role for facts in report.inputs] == ["table to anonymize", "training table"]
    assert report.settings["Quasi-identifiers"] == ["proline", "flavanoids", "hue"]
    assert report.settings["Records removed at most"] == 0.4


def test_fit_cell_tree__labels_cells_by_classes_that_occur() -> None:
    records = np.random.default_rng(3).normal(size=(120, 5)).astype(np.float32)
    target = np.where(records[:, 0] + records[:, 1] > 0, 2.0, 0.0)
    for majority in ("records", "leaf_shares"):
        tree = fit_cell_tree(records, target, n_classes=4, majority=majority)
        assert np.array_equal(tree.labels[tree.leaf_of(records)], target)
        assert set(tree.labels) == {0.0, 2.0}


def test_what_predicts_what__is_one_sentence_with_or_without_a_label():
    settings = DiversitySettings(
        label="income", quasi_identifiers=("age", "sex"), sensitive_attributes=("illness",)
    )
    known = "others may know `age`, `sex`; nobody is to learn `illness`."
    features = ("age", "sex", "illness", "job")
    assert what_predicts_what(settings, features) == f"`age`, `sex` and 2 more predict `income`; {known}"
    assert what_predicts_what(settings, ["age"]) == f"`age` predicts `income`; {known}"
    assert what_predicts_what(replace(settings, label=""), features) == f"O{known[1:]}"
