"""Each kind of risky and of proper release once, small: found, with a control that passes, or let pass."""

import pytest

from benchmarks.quality.risk import KINDS
from benchmarks.quality.scoreboard import Kind, try_kind
from core.verdict import Verdict

LARGEST = 1000
MISSED: tuple[str, ...] = ()  # names of leaks that are not found, and why, beside each


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.leaky], ids=lambda kind: kind.name)
def test_risk__finds_what_gives_people_away(kind: Kind) -> None:
    trial = try_kind(kind, next(kind.scenarios(1, largest=LARGEST)))
    assert trial.found is (kind.name not in MISSED)
    assert trial.control is Verdict.PASS


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.leaky], ids=lambda kind: kind.name)
def test_risk__lets_proper_releases_pass(kind: Kind) -> None:
    assert try_kind(kind, next(kind.scenarios(1, largest=LARGEST))).verdict is Verdict.PASS


def test_risk__has_enough_kinds() -> None:
    assert sum(kind.leaky for kind in KINDS) >= 30
    assert sum(not kind.leaky for kind in KINDS) >= 30
