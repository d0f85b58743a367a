"""Estimates of the marketer's risk in a population of which only the size is known."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.bench_population import codes_of, make_population
from core.risk.population_estimates import estimates_note, marketer_estimates, risk_given_population


def _sample(names: tuple[str, ...], fraction: float) -> tuple[np.ndarray, float, int]:
    """Return the class sizes of a sample, the true marketer's risk, and the size of the population."""
    people = make_population(20_000, 1)
    codes = codes_of([people[name] for name in names])
    drawn = codes[np.random.default_rng(1).choice(len(codes), int(fraction * len(codes)), replace=False)]
    sizes, in_sample = np.bincount(codes), np.bincount(drawn, minlength=codes.max() + 1)
    seen = in_sample > 0
    return in_sample[seen], float((in_sample[seen] / sizes[seen]).sum() / len(drawn)), len(codes)


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.5])
def test_marketer_estimates__of_pitman_come_close_where_classes_are_small(fraction: float) -> None:
    sizes, truth, population = _sample(("age", "sex", "region", "occupation", "education"), fraction)
    weights, pitman, snb = marketer_estimates(sizes, population_size=population)
    assert weights.risk is not None
    assert pitman.risk == pytest.approx(truth, abs=0.12)
    assert pitman.interval is not None
    assert pitman.interval[0] <= pitman.risk <= pitman.interval[1]
    assert snb.risk is not None
    assert weights.risk < truth < len(sizes) / sizes.sum()  # weights are too low, the bound holds
    assert weights.risk < snb.risk <= 1


def test_marketer_estimates__of_the_whole_population_are_the_truth() -> None:
    sizes = np.array([1, 1, 1, 2, 2, 3, 5, 9])
    weights, pitman, snb = marketer_estimates(sizes, population_size=int(sizes.sum()))
    truth = pytest.approx(len(sizes) / sizes.sum())
    assert (weights.risk, snb.risk) == (truth, None)
    assert pitman.risk is None or pitman.risk == truth


def test_marketer_estimates__by_weights_are_the_individual_risk() -> None:
    found = marketer_estimates(np.array([2, 2]), population_size=40)[0]
    assert found.risk == pytest.approx(float(risk_given_population(np.array([2]), np.array([20.0]))[0]))


def test_marketer_estimates__say_where_a_model_has_no_answer() -> None:
    everybody_alone = marketer_estimates(np.ones(20, dtype=int), population_size=2000)
    assert [each.risk is None for each in everybody_alone] == [False, True, True]
    one_class = marketer_estimates(np.array([20]), population_size=2000)
    assert [each.risk is None for each in one_class] == [False, True, True]
    assert estimates_note(one_class).endswith(
        "by sampling weights; models differ, and none of it is certain."
    )
    assert estimates_note(()) == ""


def test_marketer_estimates__of_the_snb_model_are_those_of_its_own_population() -> None:
    rng = np.random.default_rng(3)
    population = 1 + stats.nbinom.rvs(0.8, 0.2, size=40_000, random_state=rng)
    sample = rng.binomial(population, 0.1)
    seen = sample > 0
    truth = float((sample[seen] / population[seen]).sum() / sample.sum())
    assert marketer_estimates(sample[seen], population_size=int(population.sum()))[2].risk == pytest.approx(
        truth,
        abs=0.13,  # how many classes there are is estimated too
    )
