"""The l-diversity page as a visitor meets it."""

import pickle
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Multiselect, NumberInput, Selectbox, Slider

from core.demo.diversity import demo_file
from core.tables import read_dataset
from pages.components.navigation import HOME

PAGE = "pages/anonymize/diversity.py"
OpenPage = Callable[[str], AppTest]


def _said(app: AppTest) -> str:
    """Return all text on the page without Markdown's escapes."""
    shown = [*app.title, *app.header, *app.subheader, *app.markdown, *app.error, *app.info, *app.warning]
    return (
        " ".join(element.value for element in shown)
        .replace("\\", "")
        .replace("\xa0", " ")
        .replace("\u2060", "")
    )


def _metrics(app: AppTest) -> dict[str, str]:
    return {
        metric.label.replace("\\", "").replace("\xa0", " "): metric.value.replace("\xa0", " ")
        for metric in app.metric
    }


def _upload(app: AppTest, frame: pd.DataFrame, name: str = "people.csv") -> AppTest:
    data = frame.to_csv(index=False).encode()
    return app.file_uploader[0].set_value((name, data, "text/csv")).run()


def _number(app: AppTest, key: str) -> NumberInput:
    return next(each for each in app.number_input if each.key.startswith(key))


def _target(app: AppTest) -> Slider:
    """Return the slider of the target, which begins anew with another model."""
    return next(each for each in app.slider if each.key.startswith("diversity_target_"))


def _listed(app: AppTest) -> pd.DataFrame:
    """Return the result list."""
    return next(table.value for table in app.dataframe if "Removed" in table.value)


def _search(app: AppTest) -> AppTest:
    """Start the search and wait until it has ended."""
    return _wait(app.button(key="diversity_start").click().run(), "diversity_stop")


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


def test_happy_path__shows_the_verdict_the_trade_off_and_the_recommended_pair(iris: AppTest) -> None:
    app = _search(iris)
    assert not app.exception
    assert "Start from k = " in _said(app)
    metrics = _metrics(app)
    assert metrics["Accuracy on all untouched records"].endswith("%")
    k = app.number_input[-2].value
    assert int(metrics["Smallest class size (k)"]) >= k
    assert len(app.get("vega_lite_chart")) == 4
    listed = _listed(app)
    assert (listed["Removed"] > 0).all()
    assert len(app.get("download_button")) == 9


def test_limits__judge_again_without_searching(iris: AppTest) -> None:
    app = _search(iris)
    before = len(_listed(app))
    removed = next(each for each in app.slider if each.key.startswith("diversity_max_deletion"))
    assert removed.value == removed.max < 100  # the most that any pair removes
    assert removed.max >= 100 * _listed(app)["Removed"].max()
    removed.set_value(10).run()
    listed = _listed(app)
    assert len(listed) < before
    assert (listed["Removed"] <= 0.1).all()
    least = next(each for each in app.slider if each.key.startswith("diversity_min_accuracy"))
    assert least.value == least.min > 0  # the target of the search
    least.set_value(100).run()
    assert "No pair of k and ℓ reaches the accuracy within your limits." in _said(app)


def test_pair__shows_what_was_picked_and_never_an_l_above_k(iris: AppTest) -> None:
    app = _search(iris)
    k, ell = app.number_input[-2], app.number_input[-1]
    k.set_value(12).run()
    app.number_input(key=ell.key).set_value(9).run()
    app.number_input(key=k.key).set_value(4).run()
    assert not app.exception
    assert (app.number_input(key=k.key).value, app.number_input(key=ell.key).value) == (4, 4)
    assert "k = 4, ℓ = 4: " in _said(app)
    app.button(key="diversity_take_recommended").click().run()
    assert f"k = {app.number_input(key=k.key).value}" in _said(app)


def test_repeats__show_a_range(iris: AppTest) -> None:
    app = _search(iris)
    app.button(key="diversity_repeats_start").click().run()
    _wait(app, "diversity_repeats_stop")
    assert not app.exception
    assert "Over 20 splits the mean is" in _said(app)


def test_other_settings__keep_the_former_result_in_grey(iris: AppTest) -> None:
    app = _search(iris)
    figures = _metrics(app)
    assert figures
    assert not app.warning
    _target(app).set_value(90).run()
    assert _metrics(app) == figures
    assert "Settings changed" in _said(app)
    assert any("grayscale" in each.value for each in app.html)
    assert app.button(key="diversity_start").label == "Search"
    assert not _search(app).warning


def test_k__goes_up_to_the_records_and_no_further(open_page: OpenPage) -> None:
    rng = np.random.default_rng(0)
    n_records = 260
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n_records),
            "s": rng.integers(0, 9, n_records),
            "target": rng.choice(["a", "b"], n_records),
        }
    )
    app = _upload(open_page(PAGE), frame)
    for key, value in (("diversity_quasi_", ["age"]), ("diversity_sensitive_", ["s"])):
        next(each for each in app.multiselect if each.key.startswith(key)).set_value(value).run()
    assert _number(app, "diversity_k_max_").max == n_records
    _number(app, "diversity_k_min_").set_value(129).run()
    _number(app, "diversity_k_max_").set_value(130).run()
    _target(app).set_value(0).run()
    assert "259 pairs of k and ℓ will be searched." in [each.value for each in app.caption]
    assert "k = 1" in _said(_search(app))
    _number(app, "diversity_k_max_").set_value(131).run()
    assert "The largest k, 131, is more than the 130 records to anonymize" in _said(_search(app))


def test_ranking__names_the_column_that_singles_out_most(open_page: OpenPage) -> None:
    frame = pd.DataFrame({"sex": ["f", "m"] * 10, "id": range(20), "target": ["a", "a", "b", "b"] * 5})
    app = _upload(open_page(PAGE), frame)
    app.toggle(key="diversity_rank").set_value(True).run()
    ranked = app.dataframe[0].value
    assert ranked["Column"].tolist()[0] == "id"
    assert ranked["Records it singles out"].tolist()[0] == 1.0


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("diversity_quasi_", [], "Choose at least one quasi-identifier."),
        ("diversity_sensitive_", [], "Choose at least one sensitive attribute."),
    ],
)
def test_settings_that_do_not_stand__say_why(
    iris: AppTest, key: str, value: list[str], sentence: str
) -> None:
    (widget,) = [each for each in iris.multiselect if each.key.startswith(key)]
    widget.set_value(value).run()
    assert sentence in _said(iris)
    assert not any(button.key == "diversity_start" for button in iris.button)


def _label(app: AppTest) -> Selectbox:
    return next(each for each in app.selectbox if each.key.startswith("diversity_label_"))


def test_search_that_cannot_be_prepared__says_why(open_page: OpenPage) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 12), "s": rng.integers(0, 9, 12), "target": "same"})
    app = _upload(open_page(PAGE), frame)
    assert _label(app).value is None  # one value is no label, and the others differ in most records
    assert len([each for each in app.info if "proposed as the label" in each.value]) == 1
    assert "Choose the label" in _said(app)
    _label(app).set_value("target").run()
    for key, value in (("diversity_quasi_", ["age"]), ("diversity_sensitive_", ["s"])):
        next(each for each in app.multiselect if each.key.startswith(key)).set_value(value).run()
    app = _search(app)
    assert "The largest k, 12, is more than the 6 records to anonymize" in _said(app)
    _number(app, "diversity_k_max_").set_value(3).run()
    assert "The label “target” has the same value in all 12 records" in _said(_search(app))


def test_predictions__leave_accuracy_not_assessed(open_page: OpenPage) -> None:
    file = demo_file("iris")
    frame = read_dataset(file.data, name="iris.csv").frame.assign(guess=lambda table: table["target"])
    app = _upload(open_page(PAGE), frame, "iris.csv")
    app.selectbox(key="diversity_model").set_value("predictions").run()
    next(box for box in app.selectbox if box.key.startswith("diversity_predictions_")).set_value(
        "guess"
    ).run()
    app = _search(app)
    assert not app.exception
    assert "NOT ASSESSED" in _said(app)
    assert "what that does to accuracy cannot be assessed" in _said(app)


def _with_model(app: AppTest, data: bytes) -> AppTest:
    app.selectbox(key="diversity_model").set_value("file").run()
    assert "Upload the model to go on." in _said(app)
    return app.file_uploader[-1].set_value(("model.skops", data, "application/octet-stream")).run()


@pytest.mark.slow
def test_model_file__is_used(iris: AppTest) -> None:
    frame = read_dataset(demo_file("iris").data, name="iris.csv").frame.astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(frame.drop(columns="target"), frame["target"])
    app = _search(_with_model(iris, skops.io.dumps(model)))
    assert not app.exception
    assert _metrics(app)["Accuracy on all untouched records"] == "100 %"


def test_model_file__that_is_a_pickle_is_refused(iris: AppTest) -> None:
    app = _search(_with_model(iris, pickle.dumps({"a": 1})))
    assert "model.skops is a pickle or joblib file, whatever its name says" in _said(app)
    assert not app.metric


def test_page_switch__keeps_table_and_result(iris: AppTest) -> None:
    app = _search(iris)
    figures = _metrics(app)
    app.switch_page(HOME).run()
    app.switch_page(PAGE).run()
    assert not app.exception
    assert _metrics(app) == figures


def test_second_upload__replaces_the_first(iris: AppTest) -> None:
    app = _search(iris)
    app = _upload(app, pd.DataFrame({"age": range(40), "town": ["a", "b"] * 20, "target": [0, 1] * 20}))
    assert not app.exception
    assert not app.metric
    assert "people.csv" in _said(app)
    assert "iris.csv" not in _said(app)


def test_hostile_column_names__are_shown_as_typed(open_page: OpenPage) -> None:
    rng = np.random.default_rng(1)
    name = ":red[x] $y$ [z](javascript:1)"
    frame = pd.DataFrame(
        {
            name: rng.integers(0, 50, 60),
            "a.b[0]": rng.integers(0, 9, 60),
            "target": rng.choice(["a", "b"], 60),
        }
    )
    app = _upload(open_page(PAGE), frame)
    for key, value in (("diversity_quasi_", [name]), ("diversity_sensitive_", ["a.b[0]"])):
        next(each for each in app.multiselect if each.key.startswith(key)).set_value(value).run()
    _target(app).set_value(10).run()
    app = _search(app)
    assert not app.exception
    assert app.metric
    as_typed = f"`{name}`"  # code is shown as it is
    assert not [text.value for text in app.markdown if ":red[x]" in text.value.replace(as_typed, "")]


@pytest.mark.slow
def test_one_hot_groups__are_suggested_and_replaced_together(open_page: OpenPage) -> None:
    rng = np.random.default_rng(2)
    job = rng.integers(0, 3, 60)
    columns = {
        f"job_{name}": (job == number).astype(int) for number, name in enumerate(("clerk", "nurse", "cook"))
    }
    frame = pd.DataFrame(
        {
            **columns,
            "age": rng.integers(20, 70, 60),
            "pay": rng.integers(1, 9, 60),
            "target": rng.choice(["a", "b"], 60),
        }
    )
    app = _upload(open_page(PAGE), frame)
    _multiselect(app, "diversity_quasi_").set_value(["age"]).run()
    assert not _groups(app)
    _multiselect(app, "diversity_sensitive_").set_value(["pay"]).run()
    _multiselect(app, "diversity_quasi_").set_value(["age", *columns]).run()
    assert [group.value for group in _groups(app)] == [list(columns)]
    _target(app).set_value(10).run()
    app = _search(app)
    assert not app.exception
    assert app.metric
    _groups(app)[0].set_value(["job_clerk"]).run()
    assert "A group needs at least two columns" in _said(app)
    assert "Settings changed" in _said(app)
    _groups(app)[0].set_value(["job_clerk", "job_nurse"]).run()
    assert not app.exception
    assert "A group needs" not in _said(app)


def _multiselect(app: AppTest, key: str) -> Multiselect:
    return next(each for each in app.multiselect if each.key.startswith(key))


def _groups(app: AppTest) -> list[Multiselect]:
    return [each for each in app.multiselect if each.key.startswith("diversity_group_")]
