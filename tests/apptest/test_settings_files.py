"""Settings files and policies on pages: what is opened sets the widgets, and what it makes of the result."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.tools import Tool
from pages.components import navigation
from pages.components.navigation import HOME, TOOLS

ROOT = Path(__file__).parents[2]
TABLE = b"age,sex,town,disease\n" + b"".join(b"%d,F,A,d%d\n" % (30 + n % 3, n % 4) for n in range(36))


def page_of(tool: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60).run()
    return app.switch_page(next(each.script for each in navigation.TOOLS if each.key == tool)).run()


def with_demo(tool: str) -> AppTest:
    app = page_of(tool)
    next(each for each in app.button if str(each.key).startswith(f"{tool}_demo_")).click().run()
    assert not app.exception
    return app


def opened(app: AppTest, tool: str, content: str) -> AppTest:
    uploader = app.file_uploader(key=f"{tool}_settings_file")
    uploader.set_value(("s.toml", content.encode(), "application/toml")).run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    shown = [*app.markdown, *app.warning, *app.error, *app.caption, *app.info]
    return "\n".join(str(each.value) for each in shown).replace("\\", "")


def risk() -> AppTest:
    app = page_of("risk")
    app.file_uploader[0].set_value(("t.csv", TABLE, "text/csv")).run()
    return app


def test_opened_settings__set_widgets_roles_and_limits() -> None:
    content = """
[settings]
quasi_identifiers = ["age", "gone"]
sensitive = ["disease"]
k = 60
t = 0.4
missing = "wildcard"
"""
    app = opened(risk(), "risk", content)
    assert app.slider(key="risk_k").value == 60  # beyond the range that the page shows
    assert app.slider(key="risk_t").value == 0.4
    assert app.selectbox(key="risk_missing").value == "wildcard"
    roles = "Roles, confirmed: 1 quasi-identifier, 1 sensitive attribute."
    assert [each.label for each in app.expander if each.label.startswith(roles)]
    assert "The settings name what is not here, and is left out: `gone`." in words(app)


def test_opened_settings__without_quasi_identifiers_leave_those_suggested() -> None:
    app = opened(risk(), "risk", '[settings]\nsensitive = ["disease"]\nk = 7\n')
    assert app.slider(key="risk_k").value == 7
    suggested = "Roles, suggested: 3 quasi-identifiers, 1 sensitive attribute."
    assert [each.label for each in app.expander if each.label.startswith(suggested)]


def test_opened_settings__that_are_wrong_change_nothing() -> None:
    app = opened(risk(), "risk", "[settings]\nkk = 3\nt = 7")
    assert app.slider(key="risk_k").value == 5
    told = words(app)
    assert "there is no key kk" in told
    assert "t must be from 0 to 1, received 7" in told


def test_opened_settings__that_are_no_toml_are_refused() -> None:
    assert "s.toml is no TOML: look at line 1" in words(opened(risk(), "risk", "a,b\n1,2"))


@pytest.mark.slow
def test_policy__sets_limits_and_shows_the_clause_beside_each() -> None:
    app = risk()
    app.selectbox(key="risk_policy").set_value("cms-cell-11").run()
    assert app.slider(key="risk_k").value == 11
    assert "Meets the limits that the policy “CMS-like: no cell below 11” names" in words(app)
    assert "Smallest group, at least 11: 12. (by analogy to the cell size, Centers" in words(app)
    app.slider(key="risk_k").set_value(5).run()
    assert "Smallest group differs from the policy: 5 was asked for, not 11." in words(app)
    app.selectbox(key="risk_policy").set_value("").run()
    assert "policy" not in words(app)


@pytest.mark.slow
def test_context__of_two_questions_beside_k_sets_the_limits_and_says_whose_they_are() -> None:
    app = risk()
    app.selectbox(key="risk_recipient").set_value("public").run()
    assert app.slider(key="risk_k").value == 5
    app.selectbox(key="risk_impact").set_value("high").run()
    assert app.slider(key="risk_k").value == 20
    told = words(app)
    assert "Highest risk of being found, at most 0.05. (" in told
    assert "IHE De-Identification Handbook" in told
    assert "Limits that the policy “IHE handbook: public release, high impact” names" in told
    app.selectbox(key="risk_recipient").set_value("contract").run()
    assert (app.slider(key="risk_k").value, app.slider(key="risk_average").value) == (3, 0.05)
    app.selectbox(key="risk_policy").set_value("cms-cell-11").run()
    assert app.selectbox(key="risk_recipient").value is None
    assert app.slider(key="risk_k").value == 11


@pytest.mark.slow
def test_context__is_asked_once_for_all_pages_but_where_a_policy_is_in_use() -> None:
    app = risk()
    app.switch_page("pages/measure/dataset.py").run()
    app.button(key="dataset_demo_linked").click().run()
    app.selectbox(key="dataset_policy").set_value("cms-cell-11").run()
    app.switch_page("pages/measure/risk.py").run()
    for question, answer in (("recipient", "public"), ("impact", "high")):
        app.selectbox(key=f"risk_{question}").set_value(answer).run()
    app.switch_page("pages/anonymize/events.py").run()
    app.button(key="events_demo_alarms").click().run()
    answers = [app.selectbox(key=f"events_{question}").value for question in ("recipient", "impact")]
    assert (*answers, app.slider(key="events_k").value) == ("public", "high", 20)
    app.switch_page("pages/measure/dataset.py").run()
    assert app.slider(key="dataset_k").value == 11
    app.selectbox(key="dataset_policy").set_value("").run()
    app.switch_page("pages/anonymize/events.py").run()
    app.selectbox(key="events_impact").set_value("low").run()
    app.switch_page("pages/measure/dataset.py").run()
    assert (app.selectbox(key="dataset_impact").value, app.slider(key="dataset_k").value) == ("low", 10)
    assert not app.exception


@pytest.mark.slow
def test_policy__of_ones_own_is_opened_the_same_way() -> None:
    limit = 'key = "k"\nvalue = 7\nclause = "1"\nsays = "Seven."\nsource = "we"\nyear = 2026\nread = true'
    top = 'title = "Ours"\nabout = ""\nversion = "1"\nread_on = "2026-11-23"\njudgement = []'
    app = opened(risk(), "risk", f"{top}\n[[limit]]\n{limit}")
    assert app.slider(key="risk_k").value == 7
    assert app.selectbox(key="risk_policy").value == "s"
    app = opened(app, "risk", f"{top}\n[[limit]]\n{limit.replace('7', '1')}")
    assert "s.toml: limit 1: k must be at least 2, received 1." in words(app)


@pytest.mark.one_of(5)
@pytest.mark.parametrize(
    ("tool", "content", "key", "value"),
    [
        ("leakage", "seed = 7", "leakage_seed", 7),
        ("dataset", "k = 40", "dataset_k", 40),
        ("events", "k = 9\nhour_block = 6", "events_hour_block", 6),
        pytest.param(
            *("tabular", "policy_consistency_share = 0.7", "tabular_policy_consistency_share_low", 70),
            marks=pytest.mark.slow,
        ),
        ("vcf", 'min_motif = 2\nseverities = ["other_id=FAIL"]', "vcf_min_motif", 2),
        ("diversity", 'cells = "all_features"', "diversity_cells", "all_features"),
    ],
)
def test_opened_settings__reach_every_page(tool: str, content: str, key: str, value: object) -> None:
    app = opened(with_demo(tool), tool, f"[settings]\n{content}")
    assert app.session_state[key] == value


@pytest.mark.slow
def test_opened_settings__say_what_no_page_opens() -> None:
    content = """
tool = "tabular"
policy = "our-board"

[settings]
encoding = "utf-8"
smallest_k = 7

[files."visits.csv"]
smallest_k = 9
"""
    shown = words(opened(with_demo("tabular"), "tabular", content))
    assert "s.toml names the policy our-board, which does not come along." in shown
    assert "what it sets for single files is not opened here: `visits.csv`." in shown
    assert "s.toml sets what is not opened here, but by the command alone: `encoding`." in shown


Open = Callable[[str], AppTest]
RIGHT_TO_LEFT = "\u05d1\u05d9\u05e7\u05d5\u05e8\u05d9\u05dd \u202emasked\u202c.csv"
ANY_TABLE = b"age,sex,town\n" + b"".join(b"%d,F,A\n" % (30 + i % 9) for i in range(40))
VCF = b"##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t5\t.\tA\tG\t.\t.\tAF=0.2\n"
WRONG = {
    "a PDF": b"%PDF-1.7\n1 0 obj\n",
    "nothing": b"",
    "noise": bytes(range(256)) * 8,
    "another page's file": b'{"log_info": {}, "columns": 3}',
}


@pytest.mark.slow
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
    "dataset": [("visits.csv", ANY_TABLE)],
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
        [(name, data, "") for name, data in (("people.csv", ANY_TABLE), *BESIDE[tool], *strange)]
    )
    app = app.run()
    for _ in range(200):
        if all(name in _told(app) for name, _ in strange):
            break
        time.sleep(0.02)
        app.run()
    assert not app.exception
    for name, _ in strange if tool != "vcf" else [*strange[:-1], ("people.csv", ANY_TABLE)]:
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
    app = app.file_uploader[0].upload("people.csv", ANY_TABLE).run()
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
    app = app.file_uploader[0].set_value([(name, ANY_TABLE, "text/csv")]).run()
    assert not app.exception
    shown = (
        "".join(one.value for one in app.markdown)
        .replace("\\", "")
        .replace("\xa0", " ")
        .replace("\u2060", "")
    )
    assert as_shown in shown


@pytest.mark.slow
def test_thirty_files__at_once_are_offered_a_few_at_a_time(open_page: Open) -> None:
    app = open_page(HOME)
    files = [(f"table_{number}.csv", ANY_TABLE, "text/csv") for number in range(30)]
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
    app = app.file_uploader[0].upload("same.csv", ANY_TABLE).run()
    second = next(one for one in app.file_uploader if one.key.rpartition("_")[0] != first.rpartition("_")[0])
    app = second.upload("same.csv", ANY_TABLE).run()
    assert not app.exception
    assert sum("same" in one.value for one in app.markdown) >= 2
