"""What does not belong on a page: wrong files in every place, many at once, long and right-to-left names."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.navigation import HOME, TOOLS, Tool

Open = Callable[[str], AppTest]
RIGHT_TO_LEFT = "\u05d1\u05d9\u05e7\u05d5\u05e8\u05d9\u05dd \u202emasked\u202c.csv"
TABLE = b"age,sex,town\n" + b"".join(b"%d,F,A\n" % (30 + i % 9) for i in range(40))
WRONG = {
    "a PDF": b"%PDF-1.7\n1 0 obj\n",
    "nothing": b"",
    "noise": bytes(range(256)) * 8,
    "another page's file": b'{"log_info": {}, "columns": 3}',
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_wrong_file__in_every_place_is_told_and_ends_nothing(
    tool: Tool, data: bytes, open_page: Open
) -> None:
    app = open_page(tool.script)
    app.button(key=f"{tool.key}_demo_{tool.demos[0].key}").click().run()
    for place in sorted({uploader.key.rpartition("_")[0] for uploader in app.file_uploader}):
        uploader = next((one for one in app.file_uploader if one.key.startswith(place)), None)
        if uploader is None:  # a place that the file before took away
            continue
        kind = uploader.proto.type[0].lstrip(".")
        app = uploader.upload(f"wrong.{kind}", data).run()
        assert not app.exception, place
    assert app.error or app.warning or app.dataframe


@pytest.mark.parametrize(
    ("name", "as_shown"),
    [
        (f"{'n' * 196}.csv", f"{'n' * 60}…{'n' * 26}.csv ·"),
        (RIGHT_TO_LEFT, "\u05d1\u05d9\u05e7\u05d5\u05e8\u05d9\u05dd masked.csv ·"),
        ("<b>$x$</b> [a](b) :red[c].csv", "<b>$x$</b> [a](b) :red[c].csv ·"),
    ],
)
def test_name__of_any_kind_is_shown_as_typed_but_short_and_in_its_direction(
    name: str, as_shown: str, open_page: Open
) -> None:
    app = open_page(HOME)
    app = app.file_uploader[0].set_value([(name, TABLE, "text/csv")]).run()
    assert not app.exception
    shown = (
        "".join(one.value for one in app.markdown)
        .replace("\\", "")
        .replace("\xa0", " ")
        .replace("\u2060", "")
    )
    assert as_shown in shown


def test_thirty_files__at_once_are_offered_a_few_at_a_time(open_page: Open) -> None:
    app = open_page(HOME)
    files = [(f"table_{number}.csv", TABLE, "text/csv") for number in range(30)]
    app = app.file_uploader[0].set_value(files).run()
    assert not app.exception
    assert len([one for one in app.button if one.key.startswith("home_offer_")]) == 60
    assert [one.label for one in app.expander] == [
        "30 files",
        "56 more",
        "All tools",
        "What happens to your data",
    ]
    app.button(key="home_offer_59").click().run()
    assert not app.exception


@pytest.mark.parametrize("tool", ["leakage", "risk"])
def test_one_file__in_two_places_is_read_in_both(tool: str, open_page: Open) -> None:
    script = next(each.script for each in TOOLS if each.key == tool)
    app = open_page(script)
    first = app.file_uploader[0].key
    app = app.file_uploader[0].upload("same.csv", TABLE).run()
    second = next(one for one in app.file_uploader if one.key.rpartition("_")[0] != first.rpartition("_")[0])
    app = second.upload("same.csv", TABLE).run()
    assert not app.exception
    assert sum("same" in one.value for one in app.markdown) >= 2
