"""Each kind of leaky and of proper delivery once, small; every leak is found by the sentence meant for it."""

import pytest

from benchmarks.quality.scoreboard import Kind, kinds_of, try_kind
from core.verdict import Verdict

KINDS = kinds_of("deliveries")
SMALL = 300


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_kind__is_judged_as_a_careful_person_would(kind: Kind) -> None:
    trial = try_kind(kind, next(kind.scenarios(1, largest=SMALL)))
    fine = {Verdict.PASS, Verdict.WARN}
    assert (trial.found and trial.control in fine) if kind.leaky else trial.verdict in fine


def test_kinds__are_as_many_as_promised() -> None:
    leaky = [kind for kind in KINDS if kind.leaky]
    assert len(leaky) >= 40
    assert len(KINDS) - len(leaky) >= 40
