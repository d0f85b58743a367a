"""Attribute disclosure on classes countable by hand."""

import math

import numpy as np
import pyarrow as pa
import pytest

from core.attribute_disclosure import (
    SensitiveCounts,
    alpha,
    basic_beta,
    delta_disclosure,
    distinct_l,
    enhanced_beta,
    entropy_l,
    hierarchical_t,
    largest,
    largest_recursive_l,
    ordered_codes,
    recursive_c,
    sensitive_counts,
    smallest,
    t_closeness,
)
from core.coding import SharedCodes, combination_codes, combined_codes, joint_codes
from core.equivalence import EquivalenceClasses, equivalence_classes
from core.errors import AuditInputError
from core.utility import average_class_size, categorical_ncp, discernibility, numeric_ncp


def counted(class_of_record: list[int], codes: list[int], *, n_classes: int) -> SensitiveCounts:
    of_record = np.array(class_of_record, dtype=np.int64)
    sizes = np.bincount(of_record[of_record >= 0], minlength=n_classes)
    classes = EquivalenceClasses(quasi_identifiers=("q",), class_of_record=of_record, class_sizes=sizes)
    return sensitive_counts(classes, np.array(codes, dtype=np.int64))


# Class 0 holds the values 0 0 0 1, class 1 holds 1 2 and a missing one, class 2 only a missing one.
COUNTS = counted([0, 0, 0, 0, 1, 1, 1, 2, -1], [0, 0, 0, 1, 1, 2, -1, -1, 0], n_classes=3)


def test_sensitive_counts__leave_out_missing_values_and_records_in_no_class() -> None:
    assert COUNTS.class_totals.tolist() == [4, 2, 0]
    assert COUNTS.value_totals.tolist() == [3, 2, 1]


def test_distinct_l__counts_values_and_not_missing_ones() -> None:
    assert distinct_l(COUNTS).tolist() == [2, 2, 0]


def test_entropy_l__is_two_for_two_equally_frequent_values() -> None:
    found = entropy_l(COUNTS)
    assert found[0] == pytest.approx(np.exp(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25))))
    assert found[1] == pytest.approx(2.0)
    assert found[2] == 0.0


def test_recursive_c__is_most_frequent_over_the_tail() -> None:
    assert recursive_c(COUNTS, l=1).tolist() == [0.75, 0.5, np.inf]
    assert recursive_c(COUNTS, l=2).tolist() == [3.0, 1.0, np.inf]
    assert recursive_c(COUNTS, l=3).tolist() == [np.inf] * 3


def test_recursive_c__names_the_l_it_cannot_use() -> None:
    with pytest.raises(AuditInputError) as raised:
        recursive_c(COUNTS, l=0)
    assert str(raised.value) == "ℓ must be at least 1 for recursive (c, ℓ)-diversity; it is 0."


def test_alpha__is_the_share_of_the_most_frequent_value() -> None:
    found = alpha(COUNTS)
    assert found[:2].tolist() == [0.75, 0.5]
    assert np.isnan(found[2])


def test_t_closeness__is_half_the_absolute_differences_between_equal_values() -> None:
    found = t_closeness(COUNTS)
    assert found[0] == pytest.approx(0.5 * (0.25 + abs(0.25 - 2 / 6) + 1 / 6))
    assert found[1] == pytest.approx(0.5)
    assert np.isnan(found[2])


def test_t_closeness__is_the_mean_cumulated_difference_between_ordered_values() -> None:
    found = t_closeness(COUNTS, distance="ordered")
    assert found[0] == pytest.approx((abs(3 / 4 - 3 / 6) + abs(1 - 5 / 6)) / 2)
    assert found[1] == pytest.approx((abs(0 - 3 / 6) + abs(1 / 2 - 5 / 6)) / 2)


def test_t_closeness__of_a_single_value_is_zero() -> None:
    assert t_closeness(counted([0, 1], [0, 0], n_classes=2), distance="ordered").tolist() == [0.0, 0.0]


def test_ordered_codes__rank_numbers_and_mark_missing() -> None:
    assert ordered_codes(np.array([10.0, np.nan, 2.0, 10.0])).tolist() == [1, -1, 0, 1]


def test_smallest_and_largest__pass_over_classes_without_a_figure() -> None:
    assert (smallest(alpha(COUNTS)), largest(alpha(COUNTS))) == (0.5, 0.75)
    assert smallest(np.array([np.nan])) is None
    assert largest(np.array([np.nan])) is None


def test_sensitive_counts__of_no_record_are_empty() -> None:
    nothing = counted([-1, -1], [0, 1], n_classes=0)
    assert distinct_l(nothing).tolist() == []
    assert t_closeness(nothing, distance="ordered").tolist() == []
    assert counted([0], [-1], n_classes=1).n_values == 0


def counted_models(class_of_record: list[int], codes: list[int]) -> SensitiveCounts:
    of_record = np.array(class_of_record, dtype=np.int64)
    classes = EquivalenceClasses(
        quasi_identifiers=(), class_of_record=of_record, class_sizes=np.bincount(of_record)
    )
    return sensitive_counts(classes, np.array(codes, dtype=np.int64))


def coded(values: list[str]) -> list[int]:
    return np.unique(values, return_inverse=True)[1].tolist()


# Table shares: value 0 has 4 of 8, value 1 has 3 of 8, value 2 has 1 of 8.
COUNTS_OF_MODELS = counted_models([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 2])


def test_basic_beta__is_the_largest_relative_gain() -> None:
    assert basic_beta(COUNTS_OF_MODELS).tolist() == pytest.approx(
        [(3 / 4 - 1 / 2) / (1 / 2), (1 / 4 - 1 / 8) / (1 / 8)]
    )


def test_basic_beta__of_a_class_like_the_table_is_zero() -> None:
    assert basic_beta(counted_models([0, 0, 1, 1], [0, 1, 0, 1])).tolist() == [0, 0]


def test_enhanced_beta__is_the_basic_one_while_gains_stay_below_the_bound() -> None:
    assert enhanced_beta(COUNTS_OF_MODELS).tolist() == pytest.approx([0.5, 1.0])
    assert math.log(8) > 1 > -math.log(1 / 2)


def test_enhanced_beta__is_infinite_where_a_gain_exceeds_minus_ln_q() -> None:
    # A class of value 0 alone, which half of the table has, gains 1 > ln 2.
    assert enhanced_beta(counted_models([0, 0, 1, 1], [0, 0, 1, 1])).tolist() == [math.inf, math.inf]


def test_enhanced_beta__of_a_table_with_one_value_is_zero() -> None:
    assert enhanced_beta(counted_models([0, 1], [0, 0])).tolist() == [0, 0]


def test_delta_disclosure__states_both_readings_of_absent_values() -> None:
    first = max(math.log(3 / 4 / (1 / 2)), abs(math.log(1 / 4 / (3 / 8))))
    second = max(abs(math.log(1 / 4 / (1 / 2))), math.log(2 / 4 / (3 / 8)), math.log(1 / 4 / (1 / 8)))
    assert delta_disclosure(COUNTS_OF_MODELS).tolist() == pytest.approx([first, second])
    assert delta_disclosure(COUNTS_OF_MODELS, absent="infinite").tolist() == pytest.approx([math.inf, second])


def test_models__have_no_figure_for_a_class_without_known_value() -> None:
    counts = counted_models([0, 0, 1], [0, 1, -1])
    for model in (basic_beta, enhanced_beta, delta_disclosure):
        assert np.isnan(model(counts)).tolist() == [False, True], model.__name__
    assert np.isnan(delta_disclosure(counts, absent="infinite"))[1]
    assert largest_recursive_l(counts, c=2.0)[1] == 0


# Counts 7, 2, 1.
SEVEN_TWO_ONE = counted_models([0] * 10, [0] * 7 + [1] * 2 + [2])


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
    counts = counted_models([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], coded(CONDITIONS))
    assert counts.class_totals.tolist() == [4, 4, 4]
    assert distinct_l(counts).tolist() == [2, 3, 1]


def test_l_diversity_paper__table_3_is_3_diverse() -> None:
    """Machanavajjhala et al. 2007, table 3: 1305* ≤ 40, 1485* > 40, 1306* ≤ 40."""
    counts = counted_models([0, 2, 2, 0, 1, 1, 1, 1, 0, 0, 2, 2], coded(CONDITIONS))
    assert distinct_l(counts).tolist() == [3, 3, 3]
    assert entropy_l(counts).tolist() == pytest.approx([2**1.5] * 3)
    assert recursive_c(counts, l=3).tolist() == [2.0] * 3


SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]


def test_t_closeness_paper__distances_of_salaries() -> None:
    """Li et al. 2007, section 4: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from {3k, …, 11k}."""
    codes = ordered_codes(np.array(SALARIES, dtype=float)).tolist()
    found = t_closeness(counted_models([0, 0, 0, 1, 1, 1, 2, 2, 2], codes), distance="ordered")
    assert found[0] == pytest.approx(0.375)
    assert found[1] == pytest.approx(1 / 6)


def test_t_closeness_paper__table_5_is_0167_close_in_salary() -> None:
    """Li et al. 2007, table 5: classes {3k, 5k, 9k}, {6k, 11k, 8k}, {4k, 7k, 10k}."""
    codes = ordered_codes(np.array(SALARIES, dtype=float)).tolist()
    found = t_closeness(counted_models([0, 2, 0, 1, 1, 1, 2, 0, 2], codes), distance="ordered")
    assert found.max() == pytest.approx(1 / 6)


DISEASES = ["flu", "pneumonia", "bronchitis", "pulmonary edema", "pulmonary embolism", "gastric ulcer"]
DISEASES += ["stomach cancer", "gastritis", "colitis", "colon cancer"]
INFECTION_OR_OTHER = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3])
RESPIRATORY_OR_DIGESTIVE = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
LEVELS = [np.arange(10), INFECTION_OR_OTHER, RESPIRATORY_OR_DIGESTIVE]


@pytest.mark.parametrize(
    ("other", "expected"), [("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1.0)]
)
def test_t_closeness_paper__distances_of_diseases_in_the_hierarchy(other: str, expected: float) -> None:
    """Li et al. 2007, figure 2: flu to bronchitis 1/3, pulmonary embolism 2/3, stomach cancer 3/3.

    With the table half flu and half the other, a class of flu alone moves half of its share that far.
    """
    codes = [0, DISEASES.index(other)]
    counts = counted_models([0, 1], codes)
    levels = [groups[: counts.n_values] for groups in LEVELS]
    assert hierarchical_t(counts, levels=levels).tolist() == pytest.approx([expected / 2] * 2)


TABLE = pa.table({"age": ["30", "30", "40", None, None], "sex": ["F", "F", "M", "M", "M"]})


def test_equivalence_classes__count_missing_as_a_value_of_its_own() -> None:
    classes = equivalence_classes(TABLE, ["age", "sex"])
    assert classes.class_sizes.tolist() == [2, 1, 2]
    assert classes.k == 1
    assert classes.share_below(2) == 1 / 5


def test_equivalence_classes__leave_out_records_that_no_class_counts() -> None:
    classes = equivalence_classes(TABLE, ["age"], leave_out=np.array([False, False, True, False, False]))
    assert classes.class_of_record.tolist() == [0, 0, -1, 1, 1]
    assert (classes.n_records, classes.n_left_out, classes.k) == (4, 1, 2)
    assert classes.size_of_record.tolist() == [2, 2, 0, 2, 2]


def test_equivalence_classes__without_quasi_identifiers_are_one_class() -> None:
    assert equivalence_classes(TABLE, []).class_sizes.tolist() == [5]


def test_equivalence_classes__of_no_assessed_record_have_no_k() -> None:
    classes = equivalence_classes(TABLE, ["age"], leave_out=np.ones(5, dtype=bool))
    assert classes.k is None
    assert classes.share_below(2) is None


def test_combined_codes__stay_distinct_where_the_product_exceeds_64_bits() -> None:
    first, second = np.zeros(2, dtype=np.int64), np.array([0, 2**31 - 2])
    codes = combined_codes([second, second, second, first], n_records=2)
    assert codes[0] != codes[1]


def test_joint_codes__equal_combinations_of_two_tables_share_a_code() -> None:
    first, other = np.array([0, 1, -1, 0]), np.array([1, -1])
    letters, others = np.array([5, 5, 5, 6]), np.array([5, 5])
    rows = joint_codes(
        [SharedCodes(original=first, anonymized=other), SharedCodes(original=letters, anonymized=others)]
    )
    assert rows.original[1] == rows.anonymized[0]
    assert rows.original[2] == rows.anonymized[1]
    assert len({*rows.original.tolist(), *rows.anonymized.tolist()}) == 4


def test_joint_codes__of_one_array_twice_is_one_array_twice() -> None:
    column = np.array([2, 0, 2])
    rows = joint_codes([SharedCodes(original=column, anonymized=column)])
    assert rows.original is rows.anonymized
    assert rows.original[0] == rows.original[2] != rows.original[1]


def test_shared_codes__count_cells_by_value_and_missing_ones_last() -> None:
    codes = SharedCodes(original=np.array([0, 1, 1, -1]), anonymized=np.array([1, 2, -1, -1], np.int8))
    ours, theirs = codes.counts_with_missing()
    assert (ours.tolist(), theirs.tolist()) == ([1, 2, 0, 1], [0, 1, 1, 2])
    assert (codes.n_same_values, codes.n_same_row, codes.n_found_alone) == (1, 0, 0)


def test_combined_codes__take_missing_as_a_value() -> None:
    codes = combined_codes([np.array([-1, 0, -1]), np.array([0, -1, -1])], n_records=3)
    assert len(set(codes.tolist())) == 3


def test_combination_codes__are_consecutive_by_first_appearance_beyond_64_bits() -> None:
    columns = [np.array([2**40, 0, 2**40]), np.array([2**40, 1, 2**40])]
    assert combination_codes(columns, n_records=3).tolist() == [0, 1, 0]


def classes(*class_of_record: int) -> EquivalenceClasses:
    of_record = np.array(class_of_record, dtype=np.int64)
    sizes = np.bincount(of_record[of_record >= 0], minlength=of_record.max(initial=-1) + 1)
    return EquivalenceClasses(quasi_identifiers=(), class_of_record=of_record, class_sizes=sizes)


FOUR = classes(0, 0, 1, 1, -1)


def test_numeric_ncp__is_width_over_the_domain_of_all_records() -> None:
    assert numeric_ncp(np.array([1.0, 3.0, 5.0, 5.0, 11.0]), FOUR).tolist() == [0.2, 0.0]


def test_numeric_ncp__passes_over_missing_and_constant_numbers() -> None:
    assert numeric_ncp(np.array([1.0, np.nan, np.nan, np.nan, 3.0]), FOUR).tolist() == [0.0, 0.0]
    assert numeric_ncp(np.full(5, 7.0), FOUR).tolist() == [0.0, 0.0]
    assert numeric_ncp(np.full(5, np.nan), FOUR).tolist() == [0.0, 0.0]


def test_categorical_ncp__counts_categories_and_nothing_for_one() -> None:
    assert categorical_ncp(np.array([0, 1, 2, 2, 3]), FOUR).tolist() == [0.5, 0.0]
    assert categorical_ncp(np.array([-1, -1, -1, -1, -1]), FOUR).tolist() == [0.0, 0.0]


def test_discernibility__charges_removed_records_with_all() -> None:
    assert discernibility(FOUR) == 4 + 4 + 5
    assert discernibility(classes(0, 0, 0)) == 9
    assert discernibility(classes(0, 0, 0), n_removed=2) == 9 + 2 * 5


def test_average_class_size__is_records_per_class() -> None:
    assert average_class_size(classes(0, 0, 0, 1)) == pytest.approx(2.0)
    assert average_class_size(classes(-1)) is None
