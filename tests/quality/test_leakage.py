"""Every kind of row leakage and of tables in which nobody is, once and small."""

import warnings

import pytest

from benchmarks.quality.scoreboard import Kind, Trial, kinds_of, try_kind
from core.verdict import Verdict

LARGEST = 1000
# Known to be missed in the scenario of this test, each with the reason.
MISSED: tuple[str, ...] = ()
# Known to be FAIL although nobody is there.
ALARMED = (
    "other persons, correlated",  # one stranger answers like the person in the same row: full leakage
)

KINDS = {kind.name: kind for kind in kinds_of("leakage")}


def trial(kind: Kind) -> Trial:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the synthesizers, about rare categories
        return try_kind(kind, next(kind.scenarios(1, largest=LARGEST)))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.leaky])
def test_leaks__are_found(name: str) -> None:
    assert trial(KINDS[name]).found is (name not in MISSED)


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.leaky])
def test_tables_of_nobody__do_not_fail(name: str) -> None:
    assert (trial(KINDS[name]).verdict is Verdict.FAIL) is (name in ALARMED)


def test_kinds__are_as_many_as_promised() -> None:
    assert sum(kind.leaky for kind in KINDS.values()) >= 40
    assert sum(not kind.leaky for kind in KINDS.values()) >= 40
