"""Individual risk against its closed forms, its literal series, and a published table."""

import math

import numpy as np
import pyarrow as pa
import pytest

from core.equivalence import equivalence_classes
from core.errors import AuditInputError
from core.risk.population_estimates import individual_risk, risk_given_population


def test_risk_given_population__agrees_with_the_practice_guide() -> None:
    # Benschop, Machingauta, Welch, Statistical disclosure control: a practice guide, table 4.1.
    sizes = np.array([2, 1, 2, 1, 1, 2])
    population = np.array([360.0, 215, 152, 186, 180, 262])
    published = [0.0054, 0.0251, 0.0126, 0.0282, 0.0290, 0.0074]
    assert risk_given_population(sizes, population) == pytest.approx(published, abs=6e-5)


def test_risk_given_population__equals_the_closed_forms() -> None:
    p = 0.2
    one = p / (1 - p) * math.log(1 / p)
    two = p / (1 - p) - (p / (1 - p)) ** 2 * math.log(1 / p)
    three = p / (2 * (1 - p) ** 3) * ((1 - p) * (3 * (1 - p) - 2) - 2 * p**2 * math.log(p))
    sizes = np.array([1, 2, 3])
    assert risk_given_population(sizes, sizes / p) == pytest.approx([one, two, three])


@pytest.mark.parametrize(("size", "p"), [(1, 0.5), (4, 0.1), (20, 0.03), (1000, 0.9), (39, 0.49), (5, 0.001)])
def test_risk_given_population__is_the_expectation_of_the_negative_binomial(size: int, p: float) -> None:
    def log_pmf(j: int) -> float:
        ways = math.lgamma(j) - math.lgamma(size) - math.lgamma(j - size + 1)
        return ways + size * math.log(p) + (j - size) * math.log(1 - p)

    literal = math.fsum(math.exp(log_pmf(j)) / j for j in range(size, size + 60_000))
    assert risk_given_population(np.array([size]), np.array([size / p]))[0] == pytest.approx(literal)


def test_individual_risk__adds_up_the_weights_of_each_class() -> None:
    classes = equivalence_classes(pa.table({"x": ["a", "b", "a", "c"]}), ["x"])
    found = individual_risk(classes, np.array([186.0, 180.0, 76.0, 1.0]))
    a, b, c = found.class_risk
    assert (a, b, c) == (pytest.approx(0.0074, abs=6e-5), pytest.approx(0.0290, abs=6e-5), 1)
    assert found.highest_risk == 1
    assert found.expected_reidentifications == pytest.approx(2 * a + b + c)
    assert found.average_risk == pytest.approx((2 * a + b + c) / 4)


def test_individual_risk__takes_a_class_with_too_little_weight_as_complete() -> None:
    classes = equivalence_classes(pa.table({"x": ["a", "a"]}), ["x"])
    found = individual_risk(classes, np.array([0.5, 0.5]))
    assert found.class_risk.tolist() == [0.5]


def test_individual_risk__does_not_look_at_weights_of_records_left_out() -> None:
    table = pa.table({"x": ["a", "a"]})
    classes = equivalence_classes(table, ["x"], leave_out=np.array([False, True]))
    assert individual_risk(classes, np.array([1.0, -1.0])).class_sizes.tolist() == [1]


@pytest.mark.parametrize("bad", [0.0, -2.0, math.nan, math.inf])
def test_individual_risk__refuses_weights_that_are_none(bad: float) -> None:
    classes = equivalence_classes(pa.table({"x": ["a", "b"]}), ["x"])
    with pytest.raises(AuditInputError) as error:
        individual_risk(classes, np.array([1.0, bad]))
    assert str(error.value) == (
        "1 of 2 sampling weights is missing, infinite, zero or negative; a weight says how many people of "
        "the population a record stands for."
    )


def test_individual_risk__refuses_no_record() -> None:
    classes = equivalence_classes(pa.table({"x": pa.array([], pa.string())}), ["x"])
    with pytest.raises(AuditInputError, match=r"^There is no record with a sampling weight\.$"):
        individual_risk(classes, np.zeros(0))
