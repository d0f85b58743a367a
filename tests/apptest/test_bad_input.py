"""What does not belong on a page: wrong files in every place, many at once, long and right-to-left names."""

import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.navigation import HOME, TOOLS, Tool

Open = Callable[[str], AppTest]
RIGHT_TO_LEFT = "\u05d1\u05d9\u05e7\u05d5\u05e8\u05d9\u05dd \u202emasked\u202c.csv"
TABLE = b"age,sex,town\n" + b"".join(b"%d,F,A\n" % (30 + i % 9) for i in range(40))
VCF = b"##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t5\t.\tA\tG\t.\t.\tAF=0.2\n"
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
        assert not uploader.proto.type, "what a filter holds back vanishes without a word"
        app = uploader.upload("wrong.docx", data).run()
        assert not app.exception, place
    assert app.error or app.warning or app.dataframe


BESIDE = {
    "dataset": [("visits.csv", TABLE)],
    "tabular": [],
    "vcf": [("d.vcf", VCF), ("low_anony_d.vcf", VCF)],
    "home": [],
}


@pytest.mark.parametrize("tool", BESIDE)
def test_wrong_files__among_right_ones_are_each_told_their_cause(tool: str, open_page: Open) -> None:
    app = open_page(next((each.script for each in TOOLS if each.key == tool), HOME))
    strange = [("guide.pdf", b"%PDF-1.7"), ("notes.json", b'{"a": 1}'), ("empty.csv", b"")]
    strange += [("x.vcf", b"%PDF-1.7"), ("genome.txt", VCF)]
    app = app.file_uploader[0].set_value(
        [(name, data, "") for name, data in (("people.csv", TABLE), *BESIDE[tool], *strange)]
    )
    app = app.run()
    for _ in range(200):
        if all(name in _told(app) for name, _ in strange):
            break
        time.sleep(0.02)
        app.run()
    assert not app.exception
    for name, _ in strange if tool != "vcf" else [*strange[:-1], ("people.csv", TABLE)]:
        assert any(line.startswith(name) for line in _told(app).splitlines()), name


def _told(app: AppTest) -> str:
    """Return what errors say, and a list of files, a line for each."""
    lists = [str(cell) for table in app.dataframe for cell in table.value.to_numpy().ravel()]
    return "\n".join([one.value.replace("\\", "") for one in app.error] + lists)


def test_wrong_file__leaves_its_place_open_for_another(open_page: Open) -> None:
    app = open_page(TOOLS[3].script)
    n_places = len(app.file_uploader)
    app = app.file_uploader[0].upload("wrong.pdf", b"%PDF-1.7").run()
    assert len(app.file_uploader) == n_places
    app = app.file_uploader[0].upload("people.csv", TABLE).run()
    assert not app.exception
    assert not app.error


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
