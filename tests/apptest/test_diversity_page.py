"""The l-diversity page as a visitor meets it."""

import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Multiselect

from core.demo import diversity_table
from core.tables import read_dataset
from pages.components.navigation import HOME

PAGE = "pages/anonymize/diversity.py"
OpenPage = Callable[[str], AppTest]


def _plain(text: str) -> str:
    return text.replace("\\", "").replace("\xa0", " ").replace("\u2060", "")


def _said(app: AppTest) -> str:
    """Return all text on the page without Markdown's escapes."""
    shown = [*app.title, *app.header, *app.subheader, *app.markdown, *app.error, *app.info, *app.warning]
    return _plain(" ".join(element.value for element in shown))


def _metrics(app: AppTest) -> dict[str, str]:
    return {_plain(metric.label): _plain(metric.value) for metric in app.metric}


def _upload(app: AppTest, columns: dict[str, object] | pd.DataFrame, name: str = "people.csv") -> AppTest:
    data = pd.DataFrame(columns).to_csv(index=False).encode()
    return app.file_uploader[0].set_value((name, data, "text/csv")).run()


def _of(widgets: list[Any], key: str) -> Any:
    """Return the widget whose key begins so; with another table or model it begins anew."""
    return next(each for each in widgets if each.key.startswith(key))


def _choose(app: AppTest, quasi: list[str], sensitive: list[str]) -> None:
    for key, value in (("diversity_quasi_", quasi), ("diversity_sensitive_", sensitive)):
        _of(app.multiselect, key).set_value(value).run()


def _listed(app: AppTest) -> pd.DataFrame:
    """Return the result list."""
    return next(table.value for table in app.dataframe if "Removed" in table.value)


def _search(app: AppTest) -> AppTest:
    """Wait until the search, which starts by itself unless there is a former one, has ended."""
    again = [each for each in app.button if each.key == "diversity_start"]
    return _wait(again[0].click().run() if again else app, "diversity_stop")


def _wait(app: AppTest, stop_button: str) -> AppTest:
    for _ in range(300):
        if not any(button.key == stop_button for button in app.button):
            return app
        time.sleep(0.1)
        app.run()
    raise AssertionError("the work did not end")


@pytest.fixture
def iris(open_page: OpenPage) -> AppTest:
    """The page with the iris demo."""
    return open_page(PAGE).button(key="diversity_demo_iris").click().run()


def test_empty__says_what_to_upload_and_offers_demos(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert "Upload a **table of people**" in _said(app)
    assert {"diversity_demo_breast_cancer", "diversity_demo_wine"} <= {button.key for button in app.button}
    assert not app.metric


@pytest.mark.slow
def test_search__shows_the_trade_off_and_the_recommended_pair_and_limits_judge_again(iris: AppTest) -> None:
    app = _search(iris)
    assert not app.exception
    assert "Start from k = " in _said(app)
    metrics = _metrics(app)
    assert metrics["Accuracy on all untouched records"].endswith("%")
    assert int(metrics["Smallest group size (k)"]) >= app.number_input[-2].value
    assert (len(app.get("vega_lite_chart")), len(app.get("download_button"))) == (4, 9)
    before = _listed(app)
    assert (before["Removed"] > 0).all()
    removed = _of(app.slider, "diversity_max_deletion")
    assert removed.value == removed.max < 100  # the most that any pair removes
    assert removed.max >= 100 * before["Removed"].max()
    removed.set_value(10).run()
    listed = _listed(app)
    assert len(listed) < len(before)
    assert (listed["Removed"] <= 0.1).all()
    least = _of(app.slider, "diversity_min_accuracy")
    assert least.value == least.min > 0  # the target of the search
    least.set_value(100).run()
    assert "No pair of k and ℓ reaches the accuracy within your limits." in _said(app)


@pytest.mark.slow
def test_pair__shows_what_was_picked_never_an_l_above_k_and_a_range_over_splits(iris: AppTest) -> None:
    app = _search(iris)
    k, ell = app.number_input[-2].key, app.number_input[-1].key
    for key, value in ((k, 12), (ell, 9), (k, 4)):
        app.number_input(key=key).set_value(value).run()
    assert not app.exception
    assert (app.number_input(key=k).value, app.number_input(key=ell).value) == (4, 4)
    assert "k = 4, ℓ = 4: " in _said(app)
    app.button(key="diversity_take_recommended").click().run()
    assert f"k = {app.number_input(key=k).value}" in _said(app)
    assert not app.exception
    assert "Over 20 splits the mean is" in _said(app)


@pytest.mark.slow
def test_result__is_kept_over_a_page_switch_in_grey_under_other_settings_and_goes_with_its_table(
    iris: AppTest,
) -> None:
    app = _search(iris)
    figures = _metrics(app)
    assert figures
    assert not app.warning
    app.switch_page(HOME).run()
    app.switch_page(PAGE).run()
    assert not app.exception
    assert _metrics(app) == figures
    _of(app.slider, "diversity_target_").set_value(90).run()
    assert _metrics(app) == figures
    assert "Settings changed" in _said(app)
    assert any("grayscale" in each.value for each in app.html)
    assert app.button(key="diversity_start").label == "Start again"
    assert not _search(app).warning
    app = _upload(app, {"age": range(40), "town": ["a", "b"] * 20, "target": [0, 1] * 20})
    assert not app.exception
    assert not app.metric
    assert "people.csv" in _said(app)
    assert "iris.csv" not in _said(app)


@pytest.mark.slow
def test_k__goes_up_to_the_records_and_no_further(open_page: OpenPage) -> None:
    rng = np.random.default_rng(0)
    n_records = 260
    numbers = {"age": rng.integers(20, 60, n_records), "s": rng.integers(0, 9, n_records)}
    app = _upload(open_page(PAGE), numbers | {"target": rng.choice(["a", "b"], n_records)})
    _choose(app, ["age"], ["s"])
    assert _of(app.number_input, "diversity_k_max_").max == n_records
    _of(app.number_input, "diversity_k_min_").set_value(129).run()
    _of(app.number_input, "diversity_k_max_").set_value(130).run()
    _of(app.slider, "diversity_target_").set_value(0).run()
    assert "259 pairs of k and ℓ will be searched." in [each.value for each in app.caption]
    assert "k = 1" in _said(_search(app))
    _of(app.number_input, "diversity_k_max_").set_value(131).run()
    assert "The largest k, 131, is more than the 130 records to anonymize" in _said(_search(app))


def test_ranking__names_the_column_that_singles_out_most(open_page: OpenPage) -> None:
    columns = {"sex": ["f", "m"] * 10, "id": range(20), "target": ["a", "a", "b", "b"] * 5}
    app = _upload(open_page(PAGE), columns)
    app.toggle(key="diversity_rank").set_value(True).run()
    ranked = app.dataframe[0].value
    assert (ranked["Column"].iloc[0], ranked["Records it singles out"].iloc[0]) == ("id", 1.0)


def test_settings_that_do_not_stand__say_why(iris: AppTest) -> None:
    for key, role in (
        ("diversity_quasi_", "quasi-identifier"),
        ("diversity_sensitive_", "sensitive attribute"),
    ):
        before = _of(iris.multiselect, key).value
        _of(iris.multiselect, key).set_value([]).run()
        assert f"Choose at least one {role}." in _said(iris)
        assert not any(button.key == "diversity_start" for button in iris.button)
        _of(iris.multiselect, key).set_value(before).run()


def test_search_that_cannot_be_prepared__says_why(open_page: OpenPage) -> None:
    rng = np.random.default_rng(0)
    numbers = {"age": rng.integers(20, 60, 12), "s": rng.integers(0, 9, 12)}
    app = _upload(open_page(PAGE), numbers | {"target": ["same"] * 12})
    assert (
        _of(app.selectbox, "diversity_label_").value is None
    )  # one value is no label, and the others differ in most records
    assert len([each for each in app.info if "proposed as the label" in each.value]) == 1
    assert "Choose the label" in _said(app)
    _of(app.selectbox, "diversity_label_").set_value("target").run()
    _choose(app, ["age"], ["s"])
    app = _search(app)
    assert "The largest k, 12, is more than the 6 records to anonymize" in _said(app)
    _of(app.number_input, "diversity_k_max_").set_value(3).run()
    assert "The label “target” has the same value in all 12 records" in _said(_search(app))


def test_predictions__leave_accuracy_not_assessed(open_page: OpenPage) -> None:
    frame = read_dataset(diversity_table("iris").data, name="iris.csv").frame
    app = _upload(open_page(PAGE), frame.assign(guess=frame["target"]), "iris.csv")
    app.selectbox(key="diversity_model").set_value("predictions").run()
    _of(app.selectbox, "diversity_predictions_").set_value("guess").run()
    app = _search(app)
    assert not app.exception
    assert "NOT ASSESSED" in _said(app)
    assert "what that does to accuracy cannot be assessed" in _said(app)


def _with_model(app: AppTest, data: bytes) -> AppTest:
    app.selectbox(key="diversity_model").set_value("file").run()
    assert "Upload the model to go on." in _said(app)
    return app.file_uploader[-2].set_value(("model.skops", data, "application/octet-stream")).run()


@pytest.mark.slow
def test_model_file__is_used_and_one_that_is_a_pickle_refused(iris: AppTest) -> None:
    app = _search(_with_model(iris, pickle.dumps({"a": 1})))
    assert "model.skops is a pickle or joblib file, whatever its name says" in _said(app)
    assert not app.metric
    frame = read_dataset(diversity_table("iris").data, name="iris.csv").frame.astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(frame.drop(columns="target"), frame["target"])
    data = ("model.skops", skops.io.dumps(model), "application/octet-stream")
    app = _search(app.file_uploader[-2].set_value(data).run())
    assert not app.exception
    assert _metrics(app)["Accuracy on all untouched records"] == "100 %"


def test_hostile_column_names__are_shown_as_typed(open_page: OpenPage) -> None:
    rng = np.random.default_rng(1)
    name = ":red[x] $y$ [z](javascript:1)"
    numbers = {name: rng.integers(0, 50, 60), "a.b[0]": rng.integers(0, 9, 60)}
    app = _upload(open_page(PAGE), numbers | {"target": rng.choice(["a", "b"], 60)})
    _choose(app, [name], ["a.b[0]"])
    _of(app.slider, "diversity_target_").set_value(10).run()
    app = _search(app)
    assert not app.exception
    assert app.metric
    as_typed = f"`{name}`"  # code is shown as it is
    assert not [text.value for text in app.markdown if ":red[x]" in text.value.replace(as_typed, "")]


@pytest.mark.slow
def test_one_hot_groups__are_suggested_and_replaced_together(open_page: OpenPage) -> None:
    rng = np.random.default_rng(2)
    job = rng.integers(0, 3, 60)
    jobs = ("clerk", "nurse", "cook")
    columns = {f"job_{name}": (job == number).astype(int) for number, name in enumerate(jobs)}
    numbers = {"age": rng.integers(20, 70, 60), "pay": rng.integers(1, 9, 60)}
    app = _upload(open_page(PAGE), columns | numbers | {"target": rng.choice(["a", "b"], 60)})
    _of(app.multiselect, "diversity_quasi_").set_value(["age"]).run()
    assert not _groups(app)
    _of(app.multiselect, "diversity_sensitive_").set_value(["pay"]).run()
    _of(app.multiselect, "diversity_quasi_").set_value(["age", *columns]).run()
    assert [group.value for group in _groups(app)] == [list(columns)]
    _of(app.slider, "diversity_target_").set_value(10).run()
    app = _search(app)
    assert not app.exception
    assert app.metric
    _groups(app)[0].set_value(["job_clerk"]).run()
    assert "A group needs at least two columns" in _said(app)
    assert "Settings changed" in _said(app)
    _groups(app)[0].set_value(["job_clerk", "job_nurse"]).run()
    assert not app.exception
    assert "A group needs" not in _said(app)


def _groups(app: AppTest) -> list[Multiselect]:
    return [each for each in app.multiselect if each.key.startswith("diversity_group_")]


@pytest.mark.slow
def test_no_model__shows_pairs_by_k_and_l_alone(iris: AppTest) -> None:
    iris.selectbox(key="diversity_model").set_value("none").run()
    app = _search(iris)
    assert not app.exception
    assert "Start from k = " in _said(app)
    assert "No pair of k and ℓ has an accuracy to draw." in _said(app)
