"""Population uniques: the models against literal sums, the decision rule, every reason for no answer."""

import math

import numpy as np
import pytest
from scipy import stats

from core.errors import AuditInputError
from core.risk.population import (
    expected_pitman_uniques,
    fitted_pitman,
    pitman_uniques,
    population_uniques,
    shlosser_classes,
    snb_solutions,
    snb_uniques,
    zayatz_uniques,
)

# 40 classes of one, 15 of two, 8 of three, 4 of six, 1 of thirty: 148 people.
SIZES = np.repeat([1, 2, 3, 6, 30], [40, 15, 8, 4, 1])


def _probability_of_one(size: int, n: int, population: int) -> float:
    return size * math.comb(population - size, n - 1) / math.comb(population, n)


def test_zayatz_uniques__counts_with_binomials() -> None:
    # 2 classes of one, 1 of two; 4 of 8 people drawn. h(1) = C(7,3)/C(8,4) = 1/2, h(2) = 2 C(6,3)/70 = 4/7;
    # 2/3 · 1/2 / (2/3 · 1/2 + 1/3 · 4/7) = 7/11 of the 2 uniques, times 8/4.
    found = zayatz_uniques(np.array([1, 1, 2]), population_size=8)
    assert found.n_population_uniques == pytest.approx(2 * 7 / 11 * 2)


def test_zayatz_uniques__equals_the_literal_definition() -> None:
    counts = {1: 40, 2: 15, 3: 8, 6: 4, 30: 1}
    weighted = {size: n / 68 * _probability_of_one(size, 148, 900) for size, n in counts.items()}
    expected = 40 * weighted[1] / sum(weighted.values()) * 900 / 148
    assert zayatz_uniques(SIZES, population_size=900).n_population_uniques == pytest.approx(expected)


def test_zayatz_uniques__of_the_whole_population_are_the_samples() -> None:
    assert zayatz_uniques(SIZES, population_size=148).n_population_uniques == pytest.approx(40)


def test_zayatz_uniques__without_sample_uniques_are_none() -> None:
    assert zayatz_uniques(np.array([2, 5]), population_size=100).n_population_uniques == 0


def _score(theta: float, alpha: float, sizes: list[int]) -> tuple[float, float]:
    u, n = len(sizes), sum(sizes)
    by_theta = sum(1 / (theta + i * alpha) for i in range(1, u)) - sum(1 / (theta + i) for i in range(1, n))
    by_alpha = sum(i / (theta + i * alpha) for i in range(1, u)) - sum(
        1 / (j - alpha) for size in sizes for j in range(1, size)
    )
    return by_theta, by_alpha


def test_fitted_pitman__solves_hoshinos_equations() -> None:
    fit = fitted_pitman(SIZES)
    assert fit is not None
    theta, alpha = fit
    assert 0 < alpha < 1
    assert theta > -alpha
    assert _score(theta, alpha, SIZES.tolist()) == pytest.approx((0, 0), abs=1e-6)


def test_expected_pitman_uniques__equal_those_of_seating_one_after_another() -> None:
    theta, alpha, population = 1.3, 0.4, 12
    # distribution of the number of classes, person by person; a newcomer's class stays of one exactly when
    # a last newcomer, by exchangeability, opens one.
    n_classes = {1: 1.0}
    for seated in range(1, population - 1):
        following: dict[int, float] = {}
        for k, probability in n_classes.items():
            opens = (theta + k * alpha) / (theta + seated)
            following[k + 1] = following.get(k + 1, 0) + probability * opens
            following[k] = following.get(k, 0) + probability * (1 - opens)
        n_classes = following
    last = sum(p * (theta + k * alpha) / (theta + population - 1) for k, p in n_classes.items())
    found = expected_pitman_uniques(theta, alpha, population_size=population)
    assert found == pytest.approx(population * last)


def test_pitman_uniques__approach_the_published_formula_in_a_large_population() -> None:
    fit = fitted_pitman(SIZES)
    assert fit is not None
    theta, alpha = fit
    published = math.gamma(theta + 1) / math.gamma(theta + alpha) * 1e8**alpha
    assert pitman_uniques(SIZES, population_size=10**8).n_population_uniques == pytest.approx(
        published, rel=1e-4
    )


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ([2, 3], "The table has no unique record, which Pitman's model needs."),
        ([1], "The table has one class only, which fixes no parameter of Pitman's model."),
        (
            [1, 1, 1],
            "All records of the table are unique, so the likelihood of Pitman's model grows without bound.",
        ),
        ([1] + [5] * 40, "The likelihood of Pitman's model has no maximum for 0 < α < 1."),
    ],
)
def test_pitman_uniques__say_why_there_is_no_answer(sizes: list[int], reason: str) -> None:
    found = pitman_uniques(np.array(sizes), population_size=1000)
    assert (found.n_population_uniques, found.reason) == (None, reason)


@pytest.mark.parametrize(
    ("alpha", "beta", "fraction"), [(0.7, 0.3, 0.2), (3.0, 0.6, 0.5), (0.05, 0.02, 0.05)]
)
def test_snb_solutions__recover_the_parameters_of_literal_sums(
    alpha: float, beta: float, fraction: float
) -> None:
    sizes = np.arange(1, 4000)
    of_size = stats.nbinom.pmf(sizes - 1, alpha, beta)
    ones, twos = (float(of_size @ stats.binom.pmf(drawn, sizes, fraction)) for drawn in (1, 2))
    found = snb_solutions(ones, twos, fraction)
    assert min(abs(share - beta**alpha) for share in found) < 1e-6


def test_shlosser_classes__equal_the_literal_formula() -> None:
    counts, q = {1: 40, 2: 15, 3: 8, 6: 4, 30: 1}, 0.3
    first = sum(i * q**2 * (1 - q**2) ** (i - 1) * f for i, f in counts.items())
    second = sum((1 - q) ** i * ((1 + q) ** i - 1) * f for i, f in counts.items())
    third = sum((1 - q) ** i * f for i, f in counts.items())
    fourth = sum(i * q * (1 - q) ** (i - 1) * f for i, f in counts.items())
    expected = 68 + 40 * first / second * (third / fourth) ** 2
    assert shlosser_classes(SIZES, sampling_fraction=q) == pytest.approx(expected)
    assert shlosser_classes(np.array([2, 3]), sampling_fraction=q) == 2


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ([2, 2], "The table has no unique record, which the SNB model needs."),
        ([1, 3], "The table has no class of exactly two records, which the SNB model needs."),
        (
            [1] * 2 + [2] * 40,
            "The equations of the SNB model have no solution that the population could hold.",
        ),
    ],
)
def test_snb_uniques__say_why_there_is_no_answer(sizes: list[int], reason: str) -> None:
    found = snb_uniques(np.array(sizes), population_size=2 * sum(sizes))
    assert (found.n_population_uniques, found.reason) == (None, reason)


def test_snb_uniques__of_the_whole_population_are_the_samples() -> None:
    assert snb_uniques(SIZES, population_size=148).n_population_uniques == 40


def test_population_uniques__take_pitman_up_to_a_tenth() -> None:
    found = population_uniques(SIZES, population_size=1480)
    assert found.sampling_fraction == pytest.approx(0.1)
    assert found.chosen is found.pitman
    uniques = found.pitman.n_population_uniques
    assert uniques is not None
    assert found.population_unique_share == pytest.approx(uniques / 1480)
    assert found.n_records_population_unique == pytest.approx(uniques / 10)


def test_population_uniques__take_zayatz_where_pitman_has_no_answer() -> None:
    found = population_uniques(np.array([1] + [5] * 40), population_size=10_000)
    assert found.chosen is found.zayatz


def test_population_uniques__take_the_smaller_of_zayatz_and_snb_above_a_tenth() -> None:
    found = population_uniques(SIZES, population_size=300)
    zayatz, snb = found.zayatz.n_population_uniques, found.snb.n_population_uniques
    assert zayatz is not None
    assert snb is not None
    assert found.chosen.n_population_uniques == min(zayatz, snb)


def test_population_uniques__take_zayatz_where_snb_has_no_answer() -> None:
    found = population_uniques(np.array([1, 1, 3]), population_size=10)
    assert found.chosen is found.zayatz
    assert found.n_sample_uniques == 2


def test_population_uniques__estimate_a_drawn_population() -> None:
    random = np.random.default_rng(7)
    people = random.choice(4000, size=20_000, p=(weights := random.gamma(0.5, size=4000)) / weights.sum())
    true = np.count_nonzero(np.bincount(people) == 1)
    sample = np.bincount(people[:10_000])
    found = population_uniques(sample[sample > 0], population_size=20_000)
    assert found.chosen.n_population_uniques == pytest.approx(true, rel=0.15)


def test_population_uniques__refuse_a_population_smaller_than_the_sample() -> None:
    with pytest.raises(AuditInputError) as error:
        population_uniques(np.array([1, 2]), population_size=2)
    assert str(error.value) == (
        "The population size is 2, but the table alone has 3 records; a population includes everybody the "
        "table was drawn from."
    )


def test_population_uniques__refuse_an_empty_sample() -> None:
    with pytest.raises(AuditInputError, match=r"^There is no record to estimate the population from\.$"):
        population_uniques(np.zeros(0, dtype=np.int64), population_size=2)
