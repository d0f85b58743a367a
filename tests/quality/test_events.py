"""Each kind of leaky and of proper export once, small; the misses known are listed and must be misses."""

import pytest

from benchmarks.quality.scoreboard import Kind, kinds_of, try_kind
from core.verdict import Verdict

KINDS = kinds_of("events")
KNOWN_MISSES: dict[str, str] = {}
SMALL = 200


def scenario_of(kind: Kind) -> object:
    return next(kind.scenarios(1, largest=max(SMALL, min(kind.sizes))))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_kind__is_judged_as_a_careful_person_would(kind: Kind) -> None:
    trial = try_kind(kind, scenario_of(kind))
    right = trial.found and trial.control is Verdict.PASS if kind.leaky else trial.verdict is Verdict.PASS
    assert right is (kind.name not in KNOWN_MISSES)


def test_kinds__are_as_many_as_promised() -> None:
    leaky = [kind for kind in KINDS if kind.leaky]
    assert len(leaky) >= 30
    assert len(KINDS) - len(leaky) >= 30
    assert {kind.name for kind in KINDS} >= set(KNOWN_MISSES)
