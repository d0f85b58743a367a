"""Home as a visitor meets it."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.navigation import HOME, TOOLS, Tool


def test_home__says_what_happens_to_data(open_page: Callable[[str], AppTest]) -> None:
    app = open_page(HOME)
    assert not app.exception
    assert app.title[0].value == "AnonAudit"
    words = " ".join(element.value for element in app.markdown)
    assert "It stays on this machine" in words
    assert "1,000 MB a file" in words


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_home__asks_every_tool_s_question(open_page: Callable[[str], AppTest], tool: Tool) -> None:
    app = open_page(HOME)
    assert tool.question in [element.value for element in app.header]
    assert {f"home_{tool.key}_{demo.key}" for demo in tool.demos} <= {button.key for button in app.button}


def _dropped(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    return app.file_uploader[0].set_value([(name, data, "text/csv") for name, data in files]).run()


def test_home__offers_the_audits_that_fit_and_takes_the_files_along(
    open_page: Callable[[str], AppTest],
) -> None:
    table = b"age,sex,town\n" + b"".join(b"%d,F,A\n" % (30 + i % 9) for i in range(40))
    app = _dropped(open_page(HOME), ("people.csv", table), ("people_anonymized.csv", table))
    offered = [button for button in app.button if button.key.startswith("home_offer_")]
    assert [button.label for button in offered] == ["Row leakage", "Disclosure risk"]
    assert "All tools" in [drawer.label for drawer in app.expander]
    app = offered[0].click().run()
    assert not app.exception
    assert app.title[0].value == "Row leakage"
    assert "whole" in " ".join(element.value for element in app.markdown)


def test_home__says_what_cannot_be_used_and_goes_on(open_page: Callable[[str], AppTest]) -> None:
    report = b'{"tool": "risk", "verdict": "FAIL", "inputs": [], "findings": [], "versions": {}}'
    app = _dropped(
        open_page(HOME),
        ("report.json", report),
        ("broken.xlsx", b"PK no"),
        ("people.csv", b"age,sex\n3,F\n4,M\n"),
    )
    assert not app.exception
    assert any("is a report of ours" in each.value for each in app.markdown)
    assert "broken" in app.error[0].value
    assert [button.label for button in app.button if button.key.startswith("home_offer_")] == [
        "Disclosure risk",
        "ℓ-diversity search",
    ]
