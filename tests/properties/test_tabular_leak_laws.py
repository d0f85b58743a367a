"""Laws of the tabular verifier's overall verdict: a leak never improves it, and chance does not worsen it."""

from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks.quality.scoreboard import Scenario
from benchmarks.quality.tabular.leaks_left import left, moved
from benchmarks.quality.tabular.releases import EVERY, Change, Release, audit, plain, released
from core.verdict import Verdict

SLOW = settings(  # an audit takes a second: few examples, always the same, and no search for smaller ones
    deadline=None,
    max_examples=4,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
LEAKS = (
    left("id", action="keep", semantic="other"),
    left("id", action="pseudonymize"),
    left("name email", action="drop"),
    left("date", action="date_floor_year"),
    moved("id", "row_ref"),
    moved("region", "place"),
)
scenarios = st.builds(
    Scenario,
    seed=st.integers(0, 2**32),
    n_records=st.sampled_from([30, 40, 60]),
    schema=st.sampled_from(EVERY),
    reordered=st.booleans(),
)


def _then(first: Change, second: Change) -> Change:
    return lambda release, rng: second(first(release, rng), rng)


def _overall(scenario: Scenario, change: Change) -> Verdict:
    return audit(released(scenario, change)).overall


@SLOW
@given(scenarios, st.sampled_from((plain, *LEAKS)), st.sampled_from(LEAKS))
def test_audit_tabular__a_leak_more_never_improves_the_verdict(
    scenario: Scenario, before: Change, more: Change
) -> None:
    assert _overall(scenario, _then(before, more)).severity >= _overall(scenario, before).severity


def _numbers(write: Callable[[float], str]) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        return release.having("extra", [write(number) for number in rng.random(len(release.rows))])

    return change


@SLOW
@given(scenarios, st.sampled_from(["{:.6f}", "{:.3f}", "{:.0%}"]))
def test_audit_tabular__a_column_of_random_numbers_changes_nothing(scenario: Scenario, form: str) -> None:
    without = _overall(scenario, plain)
    assert _overall(scenario, _numbers(form.format)) is without
