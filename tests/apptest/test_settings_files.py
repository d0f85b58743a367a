"""Settings files and policies on pages: what is opened sets the widgets, and what it makes of the result."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.components import navigation

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


def test_policy__of_ones_own_is_opened_the_same_way() -> None:
    limit = 'key = "k"\nvalue = 7\nclause = "1"\nsays = "Seven."\nsource = "we"\nyear = 2026\nread = true'
    top = 'title = "Ours"\nabout = ""\nversion = "1"\nread_on = "2026-11-23"\njudgement = []'
    app = opened(risk(), "risk", f"{top}\n[[limit]]\n{limit}")
    assert app.slider(key="risk_k").value == 7
    assert app.selectbox(key="risk_policy").value == "s"
    app = opened(app, "risk", f"{top}\n[[limit]]\n{limit.replace('7', '1')}")
    assert "s.toml: limit 1: k must be at least 2, received 1." in words(app)


@pytest.mark.parametrize(
    ("tool", "content", "key", "value"),
    [
        ("leakage", "seed = 7", "leakage_seed", 7),
        ("dataset", "k = 40", "dataset_k", 40),
        ("events", "k = 9\nhour_block = 6", "events_hour_block", 6),
        ("tabular", "policy_consistency_share = 0.7", "tabular_limit_low_policy_consistency_share", 70),
        ("vcf", 'min_motif = 2\nseverities = ["other_id=FAIL"]', "vcf_min_motif", 2),
        ("diversity", 'cells = "all_features"', "diversity_cells", "all_features"),
    ],
)
def test_opened_settings__reach_every_page(tool: str, content: str, key: str, value: object) -> None:
    app = opened(with_demo(tool), tool, f"[settings]\n{content}")
    assert app.session_state[key] == value


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
