"""The scoreboard's own arithmetic, and the invented people."""

import numpy as np
import pytest
from stdnum.si import emso

from benchmarks.quality.schemas import SCHEMAS
from benchmarks.quality.scoreboard import (
    SIZES,
    Kind,
    Rate,
    Scenario,
    Trial,
    controls,
    family_lines,
    rate,
    summary_lines,
    try_kind,
    wrong_lines,
)
from core.verdict import Verdict


def kind(**changes: object) -> Kind:
    """Return a leak that the auditor fails from 1,000 records on, and whose control passes."""
    fields = {
        "tool": "tabular",
        "name": "names kept",
        "family": "left as it was",
        "leaky": True,
        "judge": lambda scenario: Verdict.FAIL if scenario.n_records >= 1000 else Verdict.PASS,
        "control": lambda _: Verdict.PASS,
    }
    return Kind(**{**fields, **changes})


def trials_of(of_kind: Kind, n: int = 4) -> list[Trial]:
    return [try_kind(of_kind, scenario) for scenario in of_kind.scenarios(n, largest=max(SIZES))]


def test_rate__interval_is_that_of_clopper_and_pearson() -> None:
    # Published: 95 % of 10 of 10 is 0.6915 to 1, of 5 of 10 is 0.1871 to 0.8129.
    assert Rate(share=1.0, n_kinds=10, n_trials=10).interval == pytest.approx((0.6915, 1), abs=1e-4)
    assert Rate(share=0.5, n_kinds=10, n_trials=10).interval == pytest.approx((0.1871, 0.8129), abs=1e-4)
    assert Rate(share=0.0, n_kinds=10, n_trials=10).interval == pytest.approx((0, 0.3085), abs=1e-4)


def test_rate__kinds_weigh_alike_however_often_they_were_tried() -> None:
    found = trials_of(kind(name="always", judge=lambda _: Verdict.FAIL), n=9)
    missed = trials_of(kind(name="never", judge=lambda _: Verdict.PASS), n=1)
    result = rate([*found, *missed], lambda t: t.right)
    assert result is not None
    assert (result.share, result.n_kinds, result.n_trials) == (0.5, 2, 10)
    assert rate([], lambda t: t.right) is None


def test_scenarios__go_through_every_size_and_the_largest_bounds_them() -> None:
    assert {s.n_records for s in kind().scenarios(2, largest=20_000)} == set(SIZES)
    assert {s.n_records for s in kind().scenarios(5, largest=200)} == {200}
    assert {s.reordered for s in kind().scenarios(10, largest=20_000)} == {False, True}
    assert list(kind().scenarios(3, largest=200)) == list(kind().scenarios(3, largest=200))


def test_rng__each_purpose_draws_its_own_numbers() -> None:
    scenario = Scenario(seed=1, n_records=30)
    assert scenario.rng("table").random() == scenario.rng("table").random()
    assert scenario.rng("table").random() != scenario.rng("leak").random()


def test_kind__a_leak_needs_a_control_and_a_proper_kind_none() -> None:
    with pytest.raises(ValueError, match="a leak has a control"):
        kind(control=None)
    with pytest.raises(ValueError, match="a leak has a control"):
        kind(leaky=False)


def test_try_kind__a_warning_counts_as_found_only_where_the_kind_says_so() -> None:
    warned = kind(judge=lambda _: Verdict.WARN)
    asked = kind(judge=lambda _: Verdict.WARN, at_least=Verdict.WARN)
    scenario = Scenario(seed=0, n_records=30)
    assert not try_kind(warned, scenario).right
    assert try_kind(asked, scenario).right


def test_summary__counts_leaks_found_and_proper_releases_passed() -> None:
    proper = kind(name="fine", leaky=False, control=None, judge=lambda _: Verdict.PASS)
    trials = [*trials_of(kind()), *trials_of(proper)]
    *_, line = summary_lines(trials)
    assert line.startswith("| tabular | 1 | 50.0 %")  # found at one of two sizes
    assert line.count("100.0 %") == 2  # PASS on the proper kind, PASS on the controls
    assert [row for row in family_lines(trials) if "proper: " in row]
    assert len(wrong_lines(trials)) == 2
    assert all(t.kind == "control of names kept" for t in controls(trials))


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas__make_text_of_every_column(name: str) -> None:
    schema = SCHEMAS[name]
    table = schema.make(200, np.random.default_rng(7))
    assert list(table) == list(schema.columns)
    assert len(table) == 200
    assert table.map(lambda cell: isinstance(cell, str) and cell.strip() != "").all(axis=None)
    (identifier,) = schema.of_kind("id")
    assert table[identifier].is_unique
    assert schema.make(200, np.random.default_rng(7)).equals(table)


def test_schemas__slovenian_national_numbers_are_almost_all_valid() -> None:
    table = SCHEMAS["slovenian_registry"].make(500, np.random.default_rng(0))
    valid = table["emso"].map(emso.is_valid).mean()
    assert valid > 0.85  # one in eleven has a remainder that no check digit stands for
