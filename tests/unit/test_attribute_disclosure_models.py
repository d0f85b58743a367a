"""β-likeness, δ-disclosure, hierarchical t and the largest recursive l, by hand and as published."""

import math

import numpy as np
import pytest

from core.attribute_disclosure import (
    SensitiveCounts,
    basic_beta,
    delta_disclosure,
    distinct_l,
    enhanced_beta,
    entropy_l,
    hierarchical_t,
    largest_recursive_l,
    ordered_codes,
    recursive_c,
    sensitive_counts,
    t_closeness,
)
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError


def counted(class_of_record: list[int], codes: list[int]) -> SensitiveCounts:
    of_record = np.array(class_of_record, dtype=np.int64)
    classes = EquivalenceClasses(
        quasi_identifiers=(), class_of_record=of_record, class_sizes=np.bincount(of_record)
    )
    return sensitive_counts(classes, np.array(codes, dtype=np.int64))


def coded(values: list[str]) -> list[int]:
    return np.unique(values, return_inverse=True)[1].tolist()


# Table shares: value 0 has 4 of 8, value 1 has 3 of 8, value 2 has 1 of 8.
COUNTS = counted([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 2])


def test_basic_beta__is_the_largest_relative_gain() -> None:
    assert basic_beta(COUNTS).tolist() == pytest.approx(
        [(3 / 4 - 1 / 2) / (1 / 2), (1 / 4 - 1 / 8) / (1 / 8)]
    )


def test_basic_beta__of_a_class_like_the_table_is_zero() -> None:
    assert basic_beta(counted([0, 0, 1, 1], [0, 1, 0, 1])).tolist() == [0, 0]


def test_enhanced_beta__is_the_basic_one_while_gains_stay_below_the_bound() -> None:
    assert enhanced_beta(COUNTS).tolist() == pytest.approx([0.5, 1.0])
    assert math.log(8) > 1 > -math.log(1 / 2)


def test_enhanced_beta__is_infinite_where_a_gain_exceeds_minus_ln_q() -> None:
    # A class of value 0 alone, which half of the table has, gains 1 > ln 2.
    assert enhanced_beta(counted([0, 0, 1, 1], [0, 0, 1, 1])).tolist() == [math.inf, math.inf]


def test_enhanced_beta__of_a_table_with_one_value_is_zero() -> None:
    assert enhanced_beta(counted([0, 1], [0, 0])).tolist() == [0, 0]


def test_delta_disclosure__states_both_readings_of_absent_values() -> None:
    first = max(math.log(3 / 4 / (1 / 2)), abs(math.log(1 / 4 / (3 / 8))))
    second = max(abs(math.log(1 / 4 / (1 / 2))), math.log(2 / 4 / (3 / 8)), math.log(1 / 4 / (1 / 8)))
    assert delta_disclosure(COUNTS).tolist() == pytest.approx([first, second])
    assert delta_disclosure(COUNTS, absent="infinite").tolist() == pytest.approx([math.inf, second])


def test_models__have_no_figure_for_a_class_without_known_value() -> None:
    counts = counted([0, 0, 1], [0, 1, -1])
    for model in (basic_beta, enhanced_beta, delta_disclosure):
        assert np.isnan(model(counts)).tolist() == [False, True], model.__name__
    assert np.isnan(delta_disclosure(counts, absent="infinite"))[1]
    assert largest_recursive_l(counts, c=2.0)[1] == 0


# Counts 7, 2, 1.
SEVEN_TWO_ONE = counted([0] * 10, [0] * 7 + [1] * 2 + [2])


def test_recursive_c__of_counts_7_2_1() -> None:
    assert recursive_c(SEVEN_TWO_ONE, l=2)[0] == pytest.approx(7 / 3)
    assert recursive_c(SEVEN_TWO_ONE, l=3)[0] == pytest.approx(7.0)
    assert recursive_c(SEVEN_TWO_ONE, l=4)[0] == math.inf


@pytest.mark.parametrize(("c", "expected"), [(0.7, 0), (0.71, 1), (2.33, 1), (2.34, 2), (7.0, 2), (7.01, 3)])
def test_largest_recursive_l__of_counts_7_2_1(c: float, expected: int) -> None:
    assert largest_recursive_l(SEVEN_TWO_ONE, c=c).tolist() == [expected]


def test_largest_recursive_l__names_the_c_it_cannot_use() -> None:
    with pytest.raises(AuditInputError) as raised:
        largest_recursive_l(SEVEN_TWO_ONE, c=0)
    assert str(raised.value) == "c must be above 0 for recursive (c, ℓ)-diversity; it is 0."


# ------------------------------------------------------------------------------------------ published

HEART, VIRAL, CANCER = "heart disease", "viral infection", "cancer"
CONDITIONS = [HEART, HEART, VIRAL, VIRAL, CANCER, HEART, VIRAL, VIRAL, CANCER, CANCER, CANCER, CANCER]


def test_l_diversity_paper__table_2_is_4_anonymous_and_gives_cancer_away() -> None:
    """Machanavajjhala et al. 2007, table 2: 130** < 30, 1485* ≥ 40, 130** 3*."""
    counts = counted([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], coded(CONDITIONS))
    assert counts.class_totals.tolist() == [4, 4, 4]
    assert distinct_l(counts).tolist() == [2, 3, 1]


def test_l_diversity_paper__table_3_is_3_diverse() -> None:
    """Machanavajjhala et al. 2007, table 3: 1305* ≤ 40, 1485* > 40, 1306* ≤ 40."""
    counts = counted([0, 2, 2, 0, 1, 1, 1, 1, 0, 0, 2, 2], coded(CONDITIONS))
    assert distinct_l(counts).tolist() == [3, 3, 3]
    assert entropy_l(counts).tolist() == pytest.approx([2**1.5] * 3)
    assert recursive_c(counts, l=3).tolist() == [2.0] * 3


SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]


def test_t_closeness_paper__distances_of_salaries() -> None:
    """Li et al. 2007, section 4: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from {3k, …, 11k}."""
    codes = ordered_codes(np.array(SALARIES, dtype=float)).tolist()
    found = t_closeness(counted([0, 0, 0, 1, 1, 1, 2, 2, 2], codes), distance="ordered")
    assert found[0] == pytest.approx(0.375)
    assert found[1] == pytest.approx(1 / 6)


def test_t_closeness_paper__table_5_is_0167_close_in_salary() -> None:
    """Li et al. 2007, table 5: classes {3k, 5k, 9k}, {6k, 11k, 8k}, {4k, 7k, 10k}."""
    codes = ordered_codes(np.array(SALARIES, dtype=float)).tolist()
    found = t_closeness(counted([0, 2, 0, 1, 1, 1, 2, 0, 2], codes), distance="ordered")
    assert found.max() == pytest.approx(1 / 6)


DISEASES = ["flu", "pneumonia", "bronchitis", "pulmonary edema", "pulmonary embolism", "gastric ulcer"]
DISEASES += ["stomach cancer", "gastritis", "colitis", "colon cancer"]
INFECTION_OR_OTHER = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3])
RESPIRATORY_OR_DIGESTIVE = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
LEVELS = [np.arange(10), INFECTION_OR_OTHER, RESPIRATORY_OR_DIGESTIVE]


@pytest.mark.parametrize(
    ("other", "expected"),
    [("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1.0)],
)
def test_t_closeness_paper__distances_of_diseases_in_the_hierarchy(other: str, expected: float) -> None:
    """Li et al. 2007, figure 2: flu to bronchitis 1/3, pulmonary embolism 2/3, stomach cancer 3/3.

    With the table half flu and half the other, a class of flu alone moves half of its share that far.
    """
    codes = [0, DISEASES.index(other)]
    counts = counted([0, 1], codes)
    levels = [groups[: counts.n_values] for groups in LEVELS]
    assert hierarchical_t(counts, levels=levels).tolist() == pytest.approx([expected / 2] * 2)
