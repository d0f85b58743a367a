"""Every kind of leak and of proper masking for the VCF verifier, once, small."""

import pytest

from benchmarks.quality.scoreboard import Kind, kinds_of, try_kind
from core.verdict import Verdict

KINDS = kinds_of("vcf")
# What the verifier does not see yet. Whoever makes it see one takes it out here.
MISSED = (
    "INFO: allele on the other strand",  # a single letter of the other strand says too little by itself
)
FALSE_ALARMS: tuple[str, ...] = ()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_kind(kind: Kind) -> None:
    """A leak is found and its control is PASS; a proper masking is PASS; or it is known that it is not so."""
    trial = try_kind(kind, next(kind.scenarios(1, largest=200)))
    if kind.leaky:
        assert trial.found == (kind.name not in MISSED), trial.verdict
        assert trial.control is Verdict.PASS
    else:
        assert (trial.verdict is Verdict.PASS) == (kind.name not in FALSE_ALARMS), trial.verdict


def test_kinds__there_are_enough_of_them() -> None:
    assert sum(kind.leaky for kind in KINDS) >= 60
    assert sum(not kind.leaky for kind in KINDS) >= 30
    assert {*MISSED, *FALSE_ALARMS} <= {kind.name for kind in KINDS}
