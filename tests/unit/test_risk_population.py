"""Risk against a population and by weights, as the risk tool composes it."""

import math
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from core.coding import combined_codes, value_codes
from core.risk import RiskSettings, settings_for_other
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
from core.risk.population_estimates import (
    estimates_note,
    marketer_estimates,
    risk_by_population_size,
    risk_by_population_table,
    risk_given_population,
)
from core.risk.result import TOOL, risk_result
from tests.cases.table import holds_for_each
from tests.one_json import document_of
from tests.risk_examples import POPULATION, judged, measured, problems, tells
from tests.saying import Saying


def test_population_table__gives_journalist_marketer_and_presence() -> None:
    figures = judged(population=POPULATION).figures
    assert (figures["population_size"], figures["k_map"]) == (13, 2.0)
    assert figures["journalist_highest_risk"] == 0.5
    assert figures["marketer_risk"] == pytest.approx((3 / 6 + 2 / 2 + 1 / 4) / 6)
    assert (figures["delta_presence_lower"], figures["delta_presence_upper"]) == (0.0, 1.0)
    assert "population_unique_share" not in figures
    persons = "age\n30\n30\n30\n30\n"  # a person counts once in a class
    found = measured("age,who\n30,a\n30,a\n30,b\n", quasi="age", person="who", population=persons)
    assert found.population is not None
    assert found.population.marketer_risk == pytest.approx(2 / 4 / 2)


def test_population_size__estimates_uniques_by_three_models() -> None:
    audit = judged(population_size=60)
    figures = audit.figures
    assert figures["k_map"] == 1
    assert (figures["journalist_highest_risk"], figures["marketer_risk"]) == (1.0, 0.5)  # the prosecutor's
    assert 0 < figures["marketer_risk_weights"] < 0.5
    assert figures["delta_presence_upper"] is None
    assert 0 <= figures["population_unique_share"] <= 1
    document = document_of(TOOL, risk_result(audit))
    assert document["sampling_fraction"] == pytest.approx(0.1)
    models = document["population_models"]
    assert [each["model"] for each in models] == ["zayatz", "pitman", "snb"]
    assert [each["is_chosen"] for each in models].count("yes") == 1
    bounds = "10.0 %…at most 100 % for a journalist, 50.0 % for a marketer. Estimated for a random sample: "
    tells(audit, population_by_size=f"WARN: Only the size of the population is known, … {bounds}")
    large = judged("age\n" + "30\n" * 6, quasi="age", population_size=60)
    tells(large, population_by_size="PASS: Only the size")
    # with wildcards, of classes that do not overlap
    found = measured("age,sex\n30,F\n30,\n40,M\n", missing="wildcard", population_size=30)
    assert found.population is not None
    assert found.population.sample_sizes.tolist() == [1, 1, 1]


def test_population__that_is_none_is_refused() -> None:
    both = problems(lambda: measured(quasi="age", population=POPULATION, population_size=100))
    assert both == ("Give a table of the population or its size, not both.",)
    assert problems(lambda: measured(population_size=5))
    assert problems(lambda: measured(population=POPULATION.replace("50,F\n", "51,F\n")))
    found = measured("age,sex,w\n*,*,1\n", population_size=10, weight="w")  # no assessed record
    assert (found.population, found.uniques, found.individual) == (None, None, None)


def test_weights__give_individual_risk() -> None:
    figures = judged("age,w\n30,2\n30,2\n40,10\n", quasi="age", weight="w").figures
    assert 0 < figures["individual_average_risk"] <= figures["individual_highest_risk"] <= 1
    assert figures["expected_reidentifications"] == pytest.approx(3 * figures["individual_average_risk"])


def test_settings_for_other__keep_what_the_second_table_has() -> None:
    further = {"person": "who", "weight": "w", "population_size": 9}
    settings = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("disease",), **further)
    assert settings_for_other(settings, ("age", "disease")) == RiskSettings(
        quasi_identifiers=("age",), sensitive=("disease",)
    )
    assert settings_for_other(settings, ("disease",)) is None


def _falling(n: int, power: float) -> np.ndarray:
    weights = 1.0 / np.arange(1, n + 1) ** power
    return weights / weights.sum()


def _population(n: int, seed: int) -> dict[str, np.ndarray]:
    """Return codes of people whose attributes depend on age, education and region, as such attributes do."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(5.5, 7.5, n).astype(int) + 15, 16, 95)
    sex = rng.integers(0, 2, n)
    region = rng.choice(20, n, p=_falling(20, 0.8))
    education = np.clip((rng.normal(6, 2.5, n) - (age > 60)).astype(int), 0, 15)
    occupation = (education // 2 + rng.choice(9, n, p=_falling(9, 1.0)) + 3 * sex) % 15
    return {"age": age, "sex": sex, "region": region, "occupation": occupation, "education": education}


def _sample(names: tuple[str, ...], fraction: float) -> tuple[np.ndarray, float, int]:
    """Return the class sizes of a sample, the true marketer's risk, and the size of the population."""
    people = _population(20_000, 1)
    codes = value_codes(pa.array(combined_codes([people[name] for name in names], n_records=20_000)))
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
    found = marketer_estimates(np.array([2, 2]), population_size=40)[0]  # by weights, the individual risk
    assert found.risk == pytest.approx(float(risk_given_population(np.array([2]), np.array([20.0]))[0]))


def test_marketer_estimates__say_where_a_model_has_no_answer() -> None:
    for sizes in (np.ones(20, dtype=int), np.array([20])):  # everybody alone, one class
        found = marketer_estimates(sizes, population_size=2000)
        assert [each.risk is None for each in found] == [False, True, True]
    assert estimates_note(found) == Saying("…by sampling weights; models differ, and none of it is certain.")
    assert estimates_note(()) == ""


def test_marketer_estimates__of_the_snb_model_are_those_of_its_own_population() -> None:
    rng = np.random.default_rng(3)
    population = 1 + stats.nbinom.rvs(0.8, 0.2, size=40_000, random_state=rng)
    sample = rng.binomial(population, 0.1)
    seen = sample > 0
    truth = float((sample[seen] / population[seen]).sum() / sample.sum())
    found = marketer_estimates(sample[seen], population_size=int(population.sum()))[2]
    assert found.risk == pytest.approx(truth, abs=0.13)  # how many classes there are is estimated too


# ---------------------------------------------------------------------------------------------- uniques

# 40 classes of one, 15 of two, 8 of three, 4 of six, 1 of thirty: 148 people.
COUNTS = {1: 40, 2: 15, 3: 8, 6: 4, 30: 1}
SIZES = np.repeat([*COUNTS], [*COUNTS.values()])


def test_zayatz_uniques__equal_the_literal_definition() -> None:
    def zayatz(sizes: np.ndarray, population: int) -> float | None:
        return zayatz_uniques(sizes, population_size=population).n_population_uniques

    # 2 classes of one, 1 of two; 4 of 8 people drawn. h(1) = C(7,3)/C(8,4) = 1/2, h(2) = 2 C(6,3)/70 = 4/7;
    # 2/3 · 1/2 / (2/3 · 1/2 + 1/3 · 4/7) = 7/11 of the 2 uniques, times 8/4.
    assert zayatz(np.array([1, 1, 2]), 8) == pytest.approx(2 * 7 / 11 * 2)
    drawn = math.comb(900, 148)
    weighted = {size: n / 68 * size * math.comb(900 - size, 147) / drawn for size, n in COUNTS.items()}
    expected = 40 * weighted[1] / sum(weighted.values()) * 900 / 148
    assert zayatz(SIZES, 900) == pytest.approx(expected)
    assert zayatz(SIZES, 148) == pytest.approx(40)  # the whole population
    assert zayatz(np.array([2, 5]), 100) == 0


def _score(theta: float, alpha: float, sizes: list[int]) -> tuple[float, float]:
    u, n = len(sizes), sum(sizes)
    by_theta = sum(1 / (theta + i * alpha) for i in range(1, u)) - sum(1 / (theta + i) for i in range(1, n))
    within = sum(1 / (j - alpha) for size in sizes for j in range(1, size))
    return by_theta, sum(i / (theta + i * alpha) for i in range(1, u)) - within


def test_fitted_pitman__solves_hoshinos_equations_and_approaches_the_published_formula() -> None:
    fit = fitted_pitman(SIZES)
    assert fit is not None
    theta, alpha = fit
    assert 0 < alpha < 1
    assert theta > -alpha
    assert _score(theta, alpha, SIZES.tolist()) == pytest.approx((0, 0), abs=1e-6)
    published = math.gamma(theta + 1) / math.gamma(theta + alpha) * 1e8**alpha  # in a large population
    found = pitman_uniques(SIZES, population_size=10**8)
    assert found.n_population_uniques == pytest.approx(published, rel=1e-4)


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


NO_ANSWER = (
    ("pitman", [2, 3], "The table has no unique record, …"),
    ("pitman", [1], "The table has one group only, …"),
    ("pitman", [1, 1, 1], "All records of the table are unique, so the likelihood … grows without bound."),
    ("pitman", [1] + [5] * 40, "The likelihood of Pitman's model has no maximum for 0 < α < 1."),
    ("snb", [2, 2], "The table has no unique record, …"),
    ("snb", [1, 3], "The table has no group of exactly two records, …"),
    ("snb", [1] * 2 + [2] * 40, "The equations of the SNB model have no solution …"),
)


def test_uniques__say_why_a_model_has_no_answer() -> None:
    def holds(model: str, sizes: list[int], reason: str) -> None:
        by_model = {
            "pitman": lambda: pitman_uniques(np.array(sizes), population_size=1000),
            "snb": lambda: snb_uniques(np.array(sizes), population_size=2 * sum(sizes)),
        }
        found = by_model[model]()
        assert (found.n_population_uniques, found.reason) == (None, Saying(reason))

    holds_for_each(NO_ANSWER, holds)


def test_snb_solutions__recover_the_parameters_of_literal_sums() -> None:
    sizes = np.arange(1, 4000)
    for alpha, beta, fraction in ((0.7, 0.3, 0.2), (3.0, 0.6, 0.5), (0.05, 0.02, 0.05)):
        of_size = stats.nbinom.pmf(sizes - 1, alpha, beta)
        ones, twos = (float(of_size @ stats.binom.pmf(drawn, sizes, fraction)) for drawn in (1, 2))
        found = snb_solutions(ones, twos, fraction)
        assert min(abs(share - beta**alpha) for share in found) < 1e-6, (alpha, beta, fraction)
    assert snb_uniques(SIZES, population_size=148).n_population_uniques == 40  # the whole population


def test_shlosser_classes__equal_the_literal_formula() -> None:
    q = 0.3
    first = sum(i * q**2 * (1 - q**2) ** (i - 1) * f for i, f in COUNTS.items())
    second = sum((1 - q) ** i * ((1 + q) ** i - 1) * f for i, f in COUNTS.items())
    third = sum((1 - q) ** i * f for i, f in COUNTS.items())
    fourth = sum(i * q * (1 - q) ** (i - 1) * f for i, f in COUNTS.items())
    expected = 68 + 40 * first / second * (third / fourth) ** 2
    assert shlosser_classes(SIZES, sampling_fraction=q) == pytest.approx(expected)
    assert shlosser_classes(np.array([2, 3]), sampling_fraction=q) == 2


def test_population_uniques__take_pitman_up_to_a_tenth() -> None:
    found = population_uniques(SIZES, population_size=1480)
    assert found.sampling_fraction == pytest.approx(0.1)
    assert found.chosen is found.pitman
    uniques = found.pitman.n_population_uniques
    assert uniques is not None
    assert found.population_unique_share == pytest.approx(uniques / 1480)
    assert found.n_records_population_unique == pytest.approx(uniques / 10)
    no_pitman = population_uniques(np.array([1] + [5] * 40), population_size=10_000)
    assert no_pitman.chosen is no_pitman.zayatz


def test_population_uniques__take_the_smaller_of_zayatz_and_snb_above_a_tenth() -> None:
    found = population_uniques(SIZES, population_size=300)
    zayatz, snb = found.zayatz.n_population_uniques, found.snb.n_population_uniques
    assert zayatz is not None
    assert snb is not None
    assert found.chosen.n_population_uniques == min(zayatz, snb)
    no_snb = population_uniques(np.array([1, 1, 3]), population_size=10)
    assert no_snb.chosen is no_snb.zayatz
    assert no_snb.n_sample_uniques == 2


def test_population_uniques__estimate_a_drawn_population() -> None:
    random = np.random.default_rng(7)
    people = random.choice(4000, size=20_000, p=(weights := random.gamma(0.5, size=4000)) / weights.sum())
    true = np.count_nonzero(np.bincount(people) == 1)
    sample = np.bincount(people[:10_000])
    found = population_uniques(sample[sample > 0], population_size=20_000)
    assert found.chosen.n_population_uniques == pytest.approx(true, rel=0.15)


NO_SAMPLE = (
    (population_uniques, [1, 2], 2, "The population size is 2, but the table alone has 3 records; …"),
    (population_uniques, [], 2, "There is no record to estimate the population from."),
    (risk_by_population_size, [5], 4, "The population size is 4, but the table alone has 5 records; …"),
    (risk_by_population_size, [], 5, "There is no record to compare with the population."),
)


def test_population_size__refuses_an_empty_or_too_large_sample() -> None:
    for estimate, sizes, population, problem in NO_SAMPLE:
        act = partial(estimate, np.array(sizes, dtype=np.int64), population_size=population)
        assert problems(act) == (Saying(problem),)


# ------------------------------------------------------------------------------- a table of the population

# Sample: a·1 twice, b·2 once. Population: a·1 four times, b·2 twice, c·3 twice.
SAMPLE = pa.table({"x": ["a", "b", "a"], "y": ["1", "2", "1"], "other": ["p", "q", "r"]})
TABLE_OF_POPULATION = pa.table({"y": list("11112233"), "x": list("aaaabbcc")})


def test_risk_by_population_table__counts_classes_in_the_population() -> None:
    found = risk_by_population_table(SAMPLE, TABLE_OF_POPULATION, ["x", "y"])
    assert found.based_on == "table"
    sizes = zip(found.sample_sizes.tolist(), found.population_sizes.tolist(), strict=True)
    assert sorted(sizes) == [(1, 2.0), (2, 4.0)]
    assert (found.k_map, found.journalist_highest_risk) == (2, 0.5)
    assert found.marketer_risk == pytest.approx((2 / 4 + 1 / 2) / 3)
    assert (found.n_records_at_risk(3), found.n_records_at_risk(2)) == (1, 0)
    assert (found.n_records, found.population_size, found.n_population_classes) == (3, 8, 3)
    assert found.delta_presence == (0, 0.5)  # nobody of a class was drawn
    left_out = np.array([False, True, False])
    found = risk_by_population_table(SAMPLE, TABLE_OF_POPULATION, ["x"], leave_out=left_out)
    assert (found.n_records, found.k_map) == (2, 4)


def test_risk_by_population_table__presence_is_the_span_of_shares_drawn() -> None:
    # Nergiz, Atzori, Clifton (2007): (1/2, 2/3)-present means that of each class of the public table between
    # a half and two thirds are in the private one.
    paper = ("aabbc", "aaaabbbcc", (0.5, pytest.approx(2 / 3)))
    for sample, population, presence in (("aabc", "aabbbcccc", (0.25, 1)), paper):
        tables = (pa.table({"x": [*letters]}) for letters in (sample, population))
        assert risk_by_population_table(*tables, ["x"]).delta_presence == presence


def test_risk_by_population_table__blank_cells_are_one_missing_value() -> None:
    sample = pa.table({"x": pa.array([None, " "], pa.string())})
    population = pa.table({"x": pa.array(["", None, "a", "\t"], pa.string())})
    found = risk_by_population_table(sample, population, ["x"])
    assert (found.sample_sizes.tolist(), found.population_sizes.tolist()) == ([2], [3.0])


NO_POPULATION = (
    ("a", "z", "The population table has no column `x`, `y`; …"),
    ("aa", "a", "The population table has 1 record, fewer than the 2 of the …"),
    ("ab", "aa", "1 of 2 groups of the table (1 of 2 records) does not occur in …"),
    ("aa", "ab", "1 of 1 groups of the table has more records there than in the …"),
    ("", "a", "There is no record to compare with the population."),
)


def test_risk_by_population_table__refuses_what_is_no_population() -> None:
    def holds(sample: str, population: str, problem: str) -> None:
        drawn, everybody = (pa.table({"x": [*each], "y": ["1"] * len(each)}) for each in (sample, population))
        everybody = everybody if population != "z" else pa.table({"z": ["a"]})
        assert problems(partial(risk_by_population_table, drawn, everybody, ["x", "y"])) == (Saying(problem),)

    holds_for_each(NO_POPULATION, holds)


def test_risk_by_population_size__scales_no_class_up() -> None:
    found = risk_by_population_size(np.array([1, 4]), population_size=50)
    assert found.population_sizes.tolist() == [1, 4]
    assert (found.k_map, found.journalist_highest_risk) == (1, 1)
    assert found.marketer_risk == pytest.approx(2 / 5)  # classes / records
    assert [each.model for each in found.estimates] == ["weights", "pitman", "snb"]
    assert found.delta_presence is None
