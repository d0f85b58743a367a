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
