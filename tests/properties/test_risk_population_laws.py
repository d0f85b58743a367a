"""Laws of the population models."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.risk.population import population_uniques
from core.risk.population_estimates import risk_by_population_table, risk_given_population
from tests.thorough import tried

sizes = st.lists(st.integers(1, 12), min_size=1, max_size=40).map(np.array)


@tried(60)
@given(sizes, st.integers(0, 3000))
def test_population_uniques__are_never_more_than_the_population(class_sizes: np.ndarray, more: int) -> None:
    population = int(class_sizes.sum()) + more
    found = population_uniques(class_sizes, population_size=population)
    for estimate in (found.zayatz, found.pitman, found.snb):
        assert (estimate.n_population_uniques is None) == bool(estimate.reason)
        assert 0 <= (estimate.n_population_uniques or 0) <= population * (1 + 1e-9)
    assert found.chosen.n_population_uniques is not None


@tried(60)
@given(sizes, st.integers(0, 500), st.randoms(use_true_random=False))
def test_population_uniques__do_not_depend_on_the_order(
    class_sizes: np.ndarray, more: int, random: object
) -> None:
    shuffled = class_sizes.tolist()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    population = int(class_sizes.sum()) + more
    first = population_uniques(class_sizes, population_size=population)
    assert population_uniques(np.array(shuffled), population_size=population) == first


@tried(80)
@given(st.data())
def test_risk_by_population_table__equals_counting(data: st.DataObject) -> None:
    values = st.sampled_from(["a", "b", "c"])
    population = data.draw(st.lists(st.tuples(values, values), min_size=1, max_size=30))
    drawn = data.draw(st.sets(st.integers(0, len(population) - 1), min_size=1))
    sample = [population[i] for i in sorted(drawn)]
    found = risk_by_population_table(_table(sample), _table(population), ["x", "y"])
    assert found.k_map == min(population.count(record) for record in sample)
    marketer = sum(1 / population.count(record) for record in sample) / len(sample)
    assert abs(found.marketer_risk - marketer) < 1e-12
    shares = [sample.count(record) / population.count(record) for record in population]
    assert found.delta_presence == (min(shares), max(shares))
    assert found.marketer_risk <= found.journalist_highest_risk + 1e-12


def _table(records: list[tuple[str, str]]) -> pa.Table:
    return pa.table({"x": [x for x, _ in records], "y": [y for _, y in records]})


@tried(80)
@given(st.integers(1, 500), st.floats(1, 1e6), st.floats(1, 10))
def test_risk_given_population__falls_as_the_population_grows(size: int, times: float, more: float) -> None:
    one = np.array([size])
    small, large = size * times, size * times * more
    risk = risk_given_population(one, np.array([small]))[0]
    assert risk_given_population(one, np.array([large]))[0] <= risk * (1 + 1e-9)
    assert 1 / small * (1 - 1e-9) <= risk <= 1 / size * (1 + 1e-9)  # Jensen: at least 1 / expected size
