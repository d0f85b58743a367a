"""A choice made is kept: every widget of every page, over a visit to another page."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatch
from typing import Any, NamedTuple

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import (
    Button,
    ButtonGroup,
    Checkbox,
    Dataframe,
    DownloadButton,
    FileUploader,
    Multiselect,
    NumberInput,
    Radio,
    Selectbox,
    SelectSlider,
    Slider,
    TextInput,
    Toggle,
    Widget,
)

from core.demo import DemoFile
from pages.components.navigation import HOME, TOOLS

Open = Callable[[str], AppTest]
NOT_A_CHOICE = (Button, DownloadButton, FileUploader)
HASH = re.compile(r"_-?[0-9]{9,}$")  # of an event mapping, which each of its changes changes
ROUNDS = 10  # a choice may show further widgets


class Page(NamedTuple):
    """A page, and the values that fit each other there, by the pattern of the widget's key.

    The page begins with a demo; its first file stands in further places too.
    """

    script: str
    demo: str
    also: tuple[str, ...] = ()
    values: Mapping[str, Any] = {}


KEEP = object()
READING = {"*_delimiter": KEEP, "*_encoding": KEEP, "*_header": KEEP}  # others would not read the file
READING |= {"*_recipient": KEEP, "*_impact": KEEP}  # the policy, which is changed too, empties them
PAGES = {
    "tabular": Page("pages/verify/tabular.py", "hospital"),
    "vcf": Page(
        "pages/verify/vcf.py",
        "cohort",
        ("vcf_donors_panel",),
        {"vcf_anony_folder": KEEP, "*_panel_path": KEEP},
    ),
    "leakage": Page("pages/measure/leakage.py", "leaking", ("leakage_holdout",), {"leakage_key_*": KEEP}),
    "risk": Page(
        "pages/measure/risk.py", "generalized", ("risk_population",), {"risk_population_size": KEEP}
    ),
    "dataset": Page("pages/measure/dataset.py", "linked"),
    "events": Page(
        "pages/anonymize/events.py", "alarms", (), {"events_*_column_*": KEEP, "events_sensitive": "year"}
    ),
    "diversity": Page("pages/anonymize/diversity.py", "iris", ("diversity_training",)),
}


def choices(app: AppTest) -> dict[str, Widget | Dataframe]:
    """Return every widget that holds a choice and may be used, by its key."""
    found: dict[str, Widget | Dataframe] = {editor.key: editor for editor in app.data_editor}
    for node in app.main:
        if isinstance(node, Widget) and not isinstance(node, NOT_A_CHOICE) and not node.proto.disabled:
            assert node.key, f"no key: {node}"
            found[node.key] = node
    return found


def other_value(widget: Widget) -> Any:
    """Return a value that the widget does not have, as near as possible."""
    value = widget.value
    match widget:
        case Toggle() | Checkbox():
            other = not value
        case TextInput():
            other = f"{value}x"
        case Slider() | NumberInput() if value is None:
            other = 1 if widget.min is None else widget.min
        case Slider() | NumberInput():
            other = value + widget.step * (1 if widget.max is None or value < widget.max else -1)
        case Multiselect(values=chosen, options=options):
            other = [*chosen, *[option for option in options if option not in chosen][-1:]]
            other = other if len(other) > len(chosen) else chosen[1:]
        case ButtonGroup() if not widget._is_single_select:
            other = widget.formatted_values[1:]
        case Selectbox() | Radio() | SelectSlider() | ButtonGroup():
            now = widget.options[0] if value is None else widget.format_func(value)
            other = next((option for option in widget.options if option != now), now)
        case _:
            raise AssertionError(
                f"{type(widget).__name__} is a new kind of widget: say how its value changes"
            )
    return other


def edit(app: AppTest, editor: Dataframe) -> None:
    """Change the first cell that may be changed."""
    table = editor.value
    columns = json.loads(editor.proto.columns)
    for name in reversed(table.columns):
        settings = columns.get(name, {})
        if settings.get("disabled") or settings.get("hidden"):
            continue
        options = settings.get("type_config", {}).get("options", [f"{table[name].iloc[0]}x"])
        values = [option["value"] if isinstance(option, dict) else option for option in options]
        value = next(value for value in values if value != table[name].iloc[0])
        app.session_state[editor.key] = {
            "edited_rows": {0: {name: value}},
            "added_rows": [],
            "deleted_rows": [],
        }
        return
    raise AssertionError(f"{editor.key} has no cell to change")


def chosen(app: AppTest) -> dict[str, Any]:
    """Return what every widget shows."""
    return {key: _shown(app, widget) for key, widget in choices(app).items()}


def _shown(app: AppTest, widget: Widget | Dataframe) -> Any:
    if isinstance(widget, Widget):
        return widget.value
    table = widget.value
    for row, cells in app.session_state[widget.key]["edited_rows"].items():
        for name, value in cells.items():
            table.iloc[int(row), table.columns.get_loc(name)] = value
    return table.to_dict("list")


def result(app: AppTest) -> list[Any]:
    """Return what the page shows of its result: headings, figures, tables."""
    tables = [frame.value for frame in app.dataframe if frame.editing_mode == "read_only"]
    return [
        [(metric.label, metric.value, metric.delta) for metric in app.metric],
        [text.value for text in [*app.header, *app.markdown]],
        [frame.to_csv() for frame in tables if isinstance(frame, pd.DataFrame)],
    ]


def finished(app: AppTest) -> AppTest:
    """Wait until nothing is computed beside the page."""
    for _ in range(300):
        if not any(button.key.endswith("_stop") for button in app.button):
            return app
        time.sleep(0.1)
        app.run()
    raise AssertionError("the work beside the page does not end")


def press(app: AppTest, ending: str) -> AppTest:
    """Press every button whose key ends so, each once."""
    for key in [
        button.key for button in app.button if button.key.endswith(ending) and not button.proto.disabled
    ]:
        if key in {button.key for button in app.button}:
            app = finished(app.button(key=key).click().run())
    return app


def choose_otherwise(app: AppTest, page: Page) -> AppTest:
    """Change every widget, and those that come to light by it; fields of a form take effect with it."""
    known: set[str] = set()
    for _ in range(ROUNDS):
        app.run()  # a form's fields follow what it set one run later
        found = {key: getattr(widget.proto, "form_id", "") for key, widget in choices(app).items()}
        new = {key: form for key, form in found.items() if HASH.sub("", key) not in known}
        if not new:
            return app
        known.update(HASH.sub("", key) for key in new)
        for form in sorted({*new.values()}):
            for key in [key for key in choices(app) if new.get(key) == form]:
                change(app, choices(app)[key], page.values)
            if form:
                next(button for button in app.button if button.form_id == form).click()
            app = finished(app.run())
            assert not app.exception
            assert [error.value for error in app.error] == []
        app = press(app, "_start")
    raise AssertionError("there are ever more widgets")


def change(app: AppTest, widget: Widget | Dataframe, values: Mapping[str, Any]) -> None:
    """Give a widget another value, the one that fits the page where one is named."""
    if isinstance(widget, Dataframe):
        edit(app, widget)
        return
    given = fitting(str(widget.key), values)
    if given is not KEEP:
        widget.set_value(other_value(widget) if given is None else given)


def fitting(key: str, values: Mapping[str, Any]) -> Any:
    """Return the value named for a key, None where any will do."""
    return next((value for pattern, value in (READING | values).items() if fnmatch(key, pattern)), None)


def begin(app: AppTest, tool: str, page: Page) -> AppTest:
    """Load the demo, and put its first file where else it may stand."""
    app = finished(app.button(key=f"{tool}_demo_{page.demo}").click().run())
    for place in page.also:
        file = first_file(tool, page)
        app = upload(app, place, of_strangers(file) if place == "leakage_holdout" else file)
    return app


def of_strangers(file: DemoFile) -> DemoFile:
    """Return the table of a file with each column turned by another number of rows: of nobody in it."""
    header, *lines = file.data.decode().splitlines()
    columns = [*zip(*(line.split(",") for line in lines), strict=True)]
    turned = [[*column[at * 37 + 11 :], *column[: at * 37 + 11]] for at, column in enumerate(columns)]
    rows = [",".join(row) for row in zip(*turned, strict=True)]
    return replace(file, name=f"others_{file.name}", data="\n".join([header, *rows]).encode())


def first_file(tool: str, page: Page) -> DemoFile:
    """Return the first file of a page's demo."""
    demo = next(demo for each in TOOLS for demo in each.demos if (each.key, demo.key) == (tool, page.demo))
    return next(files[0] for files in demo.make().values() if files)


def upload(app: AppTest, place: str, file: DemoFile) -> AppTest:
    """Upload a file to the place whose key begins so."""
    uploader = next(each for each in app.file_uploader if each.key.startswith(place))
    app = finished(uploader.upload(file.name, file.data).run())
    assert not app.exception
    return app


@pytest.mark.slow
@pytest.mark.parametrize("tool", list(PAGES)[::-1])
def test_choice__of_every_widget_is_kept_over_a_page_switch(tool: str, open_page: Open) -> None:
    page = PAGES[tool]
    app = open_page(page.script)
    app = begin(app, tool, page)
    before = chosen(app)
    app = finished(choose_otherwise(app, page))
    kept, shown = chosen(app), result(app)
    same = {key for key, value in kept.items() if key in before and before[key] == value}
    assert {key for key in same if fitting(key, page.values) is not KEEP} == set()
    app.switch_page(HOME).run()
    app = finished(app.switch_page(page.script).run())
    assert not app.exception
    lost = {
        key: (value, chosen(app).get(key)) for key, value in kept.items() if chosen(app).get(key) != value
    }
    assert lost == {}
    assert result(app) == shown


@pytest.mark.slow
@pytest.mark.parametrize("tool", PAGES)
def test_file__may_stand_in_any_two_places_and_leave_one_of_them(tool: str, open_page: Open) -> None:
    page = PAGES[tool]
    file = first_file(tool, page)
    app = begin(open_page(page.script), tool, page._replace(also=()))
    places = [each.key for each in app.file_uploader if not each.key.endswith("_settings_file")]
    first, *others = [re.sub(r"_upload_\d+$", "", place) for place in places]
    for place in others:
        if f"{tool}_demo_{page.demo}" in {button.key for button in app.button}:  # a needed file was removed
            app = begin(app, tool, page._replace(also=()))
        app = upload(upload(app, first, file), place, file)
        removes = [each.key for each in app.button if each.key.startswith(f"{place}_remove_")]
        for key in removes:
            app = finished(app.button(key=key).click().run())
        assert removes
        assert not app.exception
        assert not any("no longer in memory" in warning.value for warning in app.warning)
        assert any(each.key.startswith(f"{first}_remove_") for each in app.button)


def test_pages__are_all_here() -> None:
    assert {tool.script for tool in TOOLS} == {page.script for page in PAGES.values()}
