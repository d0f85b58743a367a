"""A report of whatever settings, repeated on its files, comes to the same."""

import pytest

from core.filed import Sameness
from tests.hostile.repeats import REFUSED, TOOLS, outcome


@pytest.mark.parametrize("tool", TOOLS)
def test_report__of_random_settings_is_the_same_when_repeated(tool: str) -> None:
    found = [outcome(tool, seed) for seed in range(1_000, 1_006)]
    assert set(found) <= {Sameness.SAME, REFUSED}
    assert Sameness.SAME in found
