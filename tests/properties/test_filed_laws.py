"""A report of whatever settings, repeated on its files, comes to the same."""

import pytest

from core.at_hand import Source
from core.filed import Sameness, read_report, repeat_report
from core.reports import render_json
from tests import tool_reports
from tests.hostile.repeats import REFUSED, TOOLS, not_told, outcome


@pytest.mark.parametrize("tool", TOOLS)
def test_report__of_random_settings_is_the_same_when_repeated(tool: str) -> None:
    found = [outcome(tool, seed) for seed in range(1_000, 1_006)]
    assert set(found) <= {Sameness.SAME, REFUSED}
    assert Sameness.SAME in found


@pytest.mark.parametrize("tool", [tool for tool in tool_reports.TOOLS if tool != "tabular"])
def test_report__of_a_page_is_the_same_when_repeated(tool: str) -> None:
    given = [Source(f"renamed_{name}", data) for name, data in tool_reports.demo_files(tool).items()]
    filed = read_report(render_json(tool_reports.report_of(tool)), name="filed.json")
    differences = repeat_report(filed, given).differences
    assert {each.where for each in differences} <= {"tables › Proof"}  # which the page adds itself


@pytest.mark.parametrize("tool", TOOLS)
def test_report__changed_by_hand_says_where(tool: str) -> None:
    seed = next(seed for seed in range(1_000, 1_020) if outcome(tool, seed) == Sameness.SAME)
    assert not_told(tool, seed) == []
