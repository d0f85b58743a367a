"""Risk against a population and by weights, as the risk tool composes it."""

import math

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from benchmarks.bench_population import codes_of, make_population
from core.errors import AuditInputError
from core.risk import RiskSettings, judge_risk, measure_risk, risk_document, settings_for_other
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
from tests.risk_examples import PEOPLE, judged, measured, messages, table
from tests.saying import Saying

# Classes of the sample: (30, F) of 3, (40, M) of 2, (50, F) of 1.
POPULATION = "age,sex\n" + "30,F\n" * 6 + "40,M\n" * 2 + "50,F\n" * 4 + "60,F\n"


def test_population_table__gives_journalist_marketer_and_presence() -> None:
    settings = RiskSettings(quasi_identifiers=("age", "sex"))
    figures = judge_risk(
        measure_risk(table(PEOPLE), settings=settings, population=table(POPULATION, "population.csv"))
    ).figures
    assert (figures["population_size"], figures["k_map"]) == (13, 2.0)
    assert figures["journalist_highest_risk"] == 0.5
    assert figures["marketer_risk"] == pytest.approx((3 / 6 + 2 / 2 + 1 / 4) / 6)
    assert (figures["delta_presence_lower"], figures["delta_presence_upper"]) == (0.0, 1.0)
    assert "population_unique_share" not in figures


def test_population_table__counts_a_person_once_in_a_class() -> None:
    text = "age,who\n30,a\n30,a\n30,b\n"
    found = measure_risk(
        table(text),
        settings=RiskSettings(quasi_identifiers=("age",), person="who"),
        population=table("age\n30\n30\n30\n30\n", "population.csv"),
    )
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
    document = risk_document(audit)["population_uniques"]
    assert document["sampling_fraction"] == pytest.approx(0.1)
    assert {"zayatz", "pitman", "snb", "chosen_model"} <= set(document)
    assert messages(audit)["population_by_size"].startswith(
        "WARN: Only the size of the population is known, of which the table holds 10.0 %. Against it risks "
        "are bounds, those of somebody known to be in the table: at most 100 % for a journalist, 50.0 % "
        "for a "
        "marketer. Estimated for a random sample: "
    )
    large = judged("age\n" + "30\n" * 6, quasi="age", population_size=60)
    assert messages(large)["population_by_size"].startswith("PASS: Only the size")


def test_population_size__with_wildcards_uses_classes_that_do_not_overlap() -> None:
    found = measured("age,sex\n30,F\n30,\n40,M\n", missing="wildcard", population_size=30)
    assert found.population is not None
    assert found.population.sample_sizes.tolist() == [1, 1, 1]


def test_population__smaller_than_the_sample_is_refused() -> None:
    with pytest.raises(AuditInputError):
        measured(population_size=5)


def test_population__as_table_and_size_is_refused() -> None:
    with pytest.raises(AuditInputError) as raised:
        measure_risk(
            table(PEOPLE),
            settings=RiskSettings(quasi_identifiers=("age",), population_size=100),
            population=table(POPULATION, "population.csv"),
        )
    assert str(raised.value) == "Give a table of the population or its size, not both."


def test_population__that_misses_a_class_is_refused() -> None:
    with pytest.raises(AuditInputError):
        measure_risk(
            table(PEOPLE),
            settings=RiskSettings(quasi_identifiers=("age", "sex")),
            population=table(POPULATION.replace("50,F\n", "51,F\n"), "population.csv"),
        )


def test_population__of_no_assessed_record_is_not_assessed() -> None:
    found = measured("age,sex,w\n,,1\n", population_size=10, weight="w")
    assert (found.population, found.uniques, found.individual) == (None, None, None)


def test_weights__give_individual_risk() -> None:
    figures = judged("age,w\n30,2\n30,2\n40,10\n", quasi="age", weight="w").figures
    assert 0 < figures["individual_average_risk"] <= figures["individual_highest_risk"] <= 1
    assert figures["expected_reidentifications"] == pytest.approx(3 * figures["individual_average_risk"])


def test_settings_for_other__keep_what_the_second_table_has() -> None:
    settings = RiskSettings(
        quasi_identifiers=("age", "sex"), sensitive=("disease",), person="who", weight="w", population_size=9
    )
    assert settings_for_other(settings, ("age", "disease")) == RiskSettings(
        quasi_identifiers=("age",), sensitive=("disease",)
    )
    assert settings_for_other(settings, ("disease",)) is None


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
    assert str(error.value) == Saying("The population size is 2, but the table alone has 3 records; …")


def test_population_uniques__refuse_an_empty_sample() -> None:
    with pytest.raises(AuditInputError, match=r"^There is no record to estimate the population from\.$"):
        population_uniques(np.zeros(0, dtype=np.int64), population_size=2)


# Sample: a·1 twice, b·2 once. Population: a·1 four times, b·2 twice, c·3 twice.
SAMPLE = pa.table({"x": ["a", "b", "a"], "y": ["1", "2", "1"], "other": ["p", "q", "r"]})
TABLE_OF_POPULATION = pa.table({"y": list("11112233"), "x": list("aaaabbcc")})


def test_risk_by_population_table__counts_classes_in_the_population() -> None:
    found = risk_by_population_table(SAMPLE, TABLE_OF_POPULATION, ["x", "y"])
    assert found.based_on == "table"
    assert sorted(zip(found.sample_sizes.tolist(), found.population_sizes.tolist(), strict=True)) == [
        (1, 2.0),
        (2, 4.0),
    ]
    assert (found.k_map, found.journalist_highest_risk) == (2, 0.5)
    assert found.marketer_risk == pytest.approx((2 / 4 + 1 / 2) / 3)
    assert (found.n_records_at_risk(3), found.n_records_at_risk(2)) == (1, 0)
    assert (found.n_records, found.population_size, found.n_population_classes) == (3, 8, 3)


def test_risk_by_population_table__presence_is_0_where_nobody_of_a_class_was_drawn() -> None:
    assert risk_by_population_table(SAMPLE, TABLE_OF_POPULATION, ["x", "y"]).delta_presence == (0, 0.5)


def test_risk_by_population_table__presence_of_a_sample_with_every_class() -> None:
    sample = pa.table({"x": ["a", "a", "b", "c"]})
    population = pa.table({"x": list("aabbbcccc")})
    assert risk_by_population_table(sample, population, ["x"]).delta_presence == (0.25, 1)


def test_risk_by_population_table__presence_is_between_a_half_and_two_thirds() -> None:
    # Nergiz, Atzori, Clifton (2007): (1/2, 2/3)-present means that of each class of the public table between
    # a half and two thirds are in the private one.
    public = pa.table({"zip": ["47*"] * 4 + ["48*"] * 3 + ["49*"] * 2})
    private = pa.table({"zip": ["47*"] * 2 + ["48*"] * 2 + ["49*"]})
    assert risk_by_population_table(private, public, ["zip"]).delta_presence == (0.5, pytest.approx(2 / 3))


def test_risk_by_population_table__blank_cells_are_one_missing_value() -> None:
    sample = pa.table({"x": pa.array([None, " "], pa.string())})
    population = pa.table({"x": pa.array(["", None, "a", "\t"], pa.string())})
    found = risk_by_population_table(sample, population, ["x"])
    assert (found.sample_sizes.tolist(), found.population_sizes.tolist()) == ([2], [3.0])


def test_risk_by_population_table__leaves_records_out() -> None:
    left_out = np.array([False, True, False])
    found = risk_by_population_table(SAMPLE, TABLE_OF_POPULATION, ["x"], leave_out=left_out)
    assert (found.n_records, found.k_map) == (2, 4)


@pytest.mark.parametrize(
    ("sample", "population", "problem"),
    [
        ({"x": ["a"], "y": ["1"]}, {"z": ["a"]}, Saying("The population table has no column `x`, `y`; …")),
        (
            {"x": ["a", "a"], "y": ["1", "1"]},
            {"x": ["a"], "y": ["1"]},
            Saying("The population table has 1 record, fewer than the 2 of the …"),
        ),
        (
            {"x": ["a", "b"], "y": ["1", "1"]},
            {"x": ["a", "a"], "y": ["1", "1"]},
            Saying("1 of 2 classes of the table (1 of 2 records) does not occur in …"),
        ),
        (
            {"x": ["a", "a"], "y": ["1", "1"]},
            {"x": ["a", "b"], "y": ["1", "1"]},
            Saying("1 of 1 classes of the table has more records there than in the …"),
        ),
        ({"x": [], "y": []}, {"x": ["a"], "y": ["1"]}, "There is no record to compare with the population."),
    ],
)
def test_risk_by_population_table__refuses_what_is_no_population(
    sample: dict[str, list[str]], population: dict[str, list[str]], problem: str
) -> None:
    with pytest.raises(AuditInputError) as error:
        risk_by_population_table(pa.table(sample), pa.table(population), ["x", "y"])
    assert error.value.problems == (problem,)


def test_risk_by_population_size__scales_no_class_up() -> None:
    found = risk_by_population_size(np.array([1, 4]), population_size=50)
    assert found.population_sizes.tolist() == [1, 4]
    assert (found.k_map, found.journalist_highest_risk) == (1, 1)
    assert found.marketer_risk == pytest.approx(2 / 5)  # classes / records
    assert [each.model for each in found.estimates] == ["weights", "pitman", "snb"]
    assert found.delta_presence is None


def test_risk_by_population_size__refuses_an_empty_or_too_large_sample() -> None:
    with pytest.raises(AuditInputError, match=r"^There is no record to compare with the population\.$"):
        risk_by_population_size(np.zeros(0, dtype=np.int64), population_size=5)
    with pytest.raises(
        AuditInputError, match=r"^The population size is 4, but the table alone has 5 records;"
    ):
        risk_by_population_size(np.array([5]), population_size=4)
