"""Each kind of releases, tables of counts and notes once, small: leaks are found, all else is let pass."""

import pytest

from benchmarks.quality.scoreboard import Kind, kinds_of, try_kind
from core.verdict import Verdict

KINDS = [kind for tool in ("releases", "counts", "texts") for kind in kinds_of(tool)]
# Two samples of equal people may differ so little that the differences are one warning.
MAY_WARN = (
    "two months of other patients with counted numbers",
    "other people alike",
    "other people with pseudonyms",
    "other people beside a ledger",
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.tool}: {kind.name}")
def test_kind__is_judged_as_a_careful_person_would(kind: Kind) -> None:
    trial = try_kind(kind, next(kind.scenarios(1, largest=1000)))
    if kind.leaky:
        assert trial.found
        assert trial.control is Verdict.PASS
    else:
        fine = {Verdict.PASS, Verdict.WARN} if kind.name in MAY_WARN else {Verdict.PASS}
        assert trial.verdict in fine


@pytest.mark.parametrize("tool", ["releases", "counts", "texts"])
def test_kinds__are_as_many_as_promised(tool: str) -> None:
    leaky = [kind.leaky for kind in KINDS if kind.tool == tool]
    assert sum(leaky) >= 10
    assert len(leaky) - sum(leaky) >= 8
