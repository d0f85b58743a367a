"""Attribute disclosure on classes countable by hand."""

import math

import numpy as np
import pyarrow as pa
import pytest

from core import attribute_disclosure as models
from core.classes import EquivalenceClasses, Items, equivalence_classes, items_of_classes
from core.coding import SharedCodes, combination_codes, combined_codes, joint_codes
from core.utility import average_class_size, categorical_ncp, discernibility, numeric_ncp
from tests.risk_examples import problems

approx = pytest.approx


def classes(*class_of_record: int) -> EquivalenceClasses:
    of_record = np.array(class_of_record, dtype=np.int64)
    sizes = np.bincount(of_record[of_record >= 0], minlength=of_record.max(initial=-1) + 1)
    return EquivalenceClasses(quasi_identifiers=("q",), class_of_record=of_record, class_sizes=sizes)


def counted(class_of_record: list[int], codes: list[int]) -> Items:
    return items_of_classes(classes(*class_of_record), np.array(codes, dtype=np.int64))


# Class 0 holds the values 0 0 0 1, class 1 holds 1 2 and a missing one, class 2 only a missing one.
COUNTS = counted([0, 0, 0, 0, 1, 1, 1, 2, -1], [0, 0, 0, 1, 1, 2, -1, -1, 0])
SEVEN_TWO_ONE = counted([0] * 10, [0] * 7 + [1] * 2 + [2])


def test_items_of_classes__leave_out_missing_values_and_records_in_no_class() -> None:
    assert COUNTS.class_totals.tolist() == [4, 2, 0]
    assert COUNTS.totals.tolist() == [3, 2, 1]
    nothing = counted([-1, -1], [0, 1])
    assert [*models.distinct_l(nothing), *models.t_closeness(nothing, distance="ordered")] == []
    assert len(counted([0], [-1]).totals) == 0


def test_distinct_and_entropy_l__count_values_and_not_missing_ones() -> None:
    assert models.distinct_l(COUNTS).tolist() == [2, 2, 0]
    # two equally frequent values are two
    of_first = np.exp(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)))
    assert models.entropy_l(COUNTS).tolist() == approx([of_first, 2.0, 0.0])


def test_recursive_c__is_most_frequent_over_the_tail() -> None:
    assert models.recursive_c(COUNTS, l=1).tolist() == [0.75, 0.5, np.inf]
    assert models.recursive_c(COUNTS, l=2).tolist() == [3.0, 1.0, np.inf]
    assert models.recursive_c(COUNTS, l=3).tolist() == [np.inf] * 3
    assert [models.recursive_c(SEVEN_TWO_ONE, l=l)[0] for l in (2, 3, 4)] == approx([7 / 3, 7.0, math.inf])  # noqa: E741
    assert problems(lambda: models.recursive_c(COUNTS, l=0)) == (
        "ℓ must be at least 1 for recursive (c, ℓ)-diversity; it is 0.",
    )


def test_largest_recursive_l__of_counts_7_2_1() -> None:
    bounds = {0.7: 0, 0.71: 1, 2.33: 1, 2.34: 2, 7.0: 2, 7.01: 3}
    assert {c: int(models.largest_recursive_l(SEVEN_TWO_ONE, c=c)[0]) for c in bounds} == bounds
    assert problems(lambda: models.largest_recursive_l(SEVEN_TWO_ONE, c=0)) == (
        "c must be above 0 for recursive (c, ℓ)-diversity; it is 0.",
    )


def test_alpha__is_the_share_of_the_most_frequent_value() -> None:
    assert models.alpha(COUNTS).tolist() == approx([0.75, 0.5, math.nan], nan_ok=True)
    assert (models.smallest(models.alpha(COUNTS)), models.largest(models.alpha(COUNTS))) == (0.5, 0.75)
    nothing = np.array([np.nan])
    assert models.smallest(nothing) is models.largest(nothing) is None


def test_t_closeness__is_half_the_differences_or_between_ordered_values_the_mean_cumulated_one() -> None:
    equal = [0.5 * (0.25 + abs(0.25 - 2 / 6) + 1 / 6), 0.5, math.nan]
    assert models.t_closeness(COUNTS).tolist() == approx(equal, nan_ok=True)
    first = (abs(3 / 4 - 3 / 6) + abs(1 - 5 / 6)) / 2
    second = (abs(0 - 3 / 6) + abs(1 / 2 - 5 / 6)) / 2
    assert models.t_closeness(COUNTS, distance="ordered")[:2].tolist() == approx([first, second])
    one_value = counted([0, 1], [0, 0])
    assert models.t_closeness(one_value, distance="ordered").tolist() == [0.0, 0.0]
    assert models.ordered_codes(np.array([10.0, np.nan, 2.0, 10.0])).tolist() == [1, -1, 0, 1]


def test_models__have_no_figure_for_a_class_without_known_value() -> None:
    counts = counted([0, 0, 1], [0, 1, -1])
    for model in (models.basic_beta, models.enhanced_beta, models.delta_disclosure):
        assert np.isnan(model(counts)).tolist() == [False, True], model.__name__
    assert np.isnan(models.delta_disclosure(counts, absent="infinite"))[1]
    assert models.largest_recursive_l(counts, c=2.0)[1] == 0


# ------------------------------------------------------------------------------------------ published

HEART, VIRAL, CANCER = range(3)
CONDITIONS = [HEART, HEART, VIRAL, VIRAL, CANCER, HEART, VIRAL, VIRAL, CANCER, CANCER, CANCER, CANCER]


def test_l_diversity_paper__table_2_is_4_anonymous_and_gives_cancer_away() -> None:
    """Machanavajjhala et al. 2007, table 2: 130** < 30, 1485* ≥ 40, 130** 3*."""
    counts = counted([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], CONDITIONS)
    assert counts.class_totals.tolist() == [4, 4, 4]
    assert models.distinct_l(counts).tolist() == [2, 3, 1]


def test_l_diversity_paper__table_3_is_3_diverse() -> None:
    """Machanavajjhala et al. 2007, table 3: 1305* ≤ 40, 1485* > 40, 1306* ≤ 40."""
    counts = counted([0, 2, 2, 0, 1, 1, 1, 1, 0, 0, 2, 2], CONDITIONS)
    assert models.distinct_l(counts).tolist() == [3, 3, 3]
    assert models.entropy_l(counts).tolist() == approx([2**1.5] * 3)
    assert models.recursive_c(counts, l=3).tolist() == [2.0] * 3


def test_t_closeness_paper__distances_of_salaries() -> None:
    """Li et al. 2007: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from {3k, …, 11k} (section 4).

    Table 5 with the classes {3k, 5k, 9k}, {6k, 11k, 8k}, {4k, 7k, 10k} is 0.167-close.
    """
    codes = models.ordered_codes(np.array([3, 4, 5, 6, 11, 8, 7, 9, 10], dtype=float)).tolist()
    found = models.t_closeness(counted([0, 0, 0, 1, 1, 1, 2, 2, 2], codes), distance="ordered")
    assert found[:2].tolist() == approx([0.375, 1 / 6])
    table_5 = models.t_closeness(counted([0, 2, 0, 1, 1, 1, 2, 0, 2], codes), distance="ordered")
    assert table_5.max() == approx(1 / 6)


# Flu, pneumonia, bronchitis, pulmonary edema and embolism, gastric ulcer, stomach cancer, gastritis, colitis,
# colon cancer; infections or others; respiratory or digestive ones.
LEVELS = [np.arange(10), np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3]), np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])]


@pytest.mark.parametrize(
    ("other", "expected"), [(2, 1 / 3), (4, 2 / 3), (6, 1.0)], ids=["bronchitis", "embolism", "cancer"]
)
def test_t_closeness_paper__distances_of_diseases_in_the_hierarchy(other: int, expected: float) -> None:
    """Li et al. 2007, figure 2: flu to bronchitis 1/3, pulmonary embolism 2/3, stomach cancer 3/3.

    With the table half flu and half the other, a class of flu alone moves half of its share that far.
    """
    counts = counted([0, 1], [0, other])
    levels = [groups[: len(counts.totals)] for groups in LEVELS]
    assert models.hierarchical_t(counts, levels=levels).tolist() == approx([expected / 2] * 2)


# ---------------------------------------------------------------------------------- classes and codes

TABLE = pa.table({"age": ["30", "30", "40", None, None], "sex": ["F", "F", "M", "M", "M"]})


def test_equivalence_classes__count_missing_as_a_value_of_its_own() -> None:
    found = equivalence_classes(TABLE, ["age", "sex"])
    assert (found.class_sizes.tolist(), found.k, found.share_below(2)) == ([2, 1, 2], 1, 1 / 5)
    assert equivalence_classes(TABLE, []).class_sizes.tolist() == [5]  # no quasi-identifiers: one class


def test_equivalence_classes__leave_out_records_that_no_class_counts() -> None:
    found = equivalence_classes(TABLE, ["age"], leave_out=np.arange(5) == 2)
    assert found.class_of_record.tolist() == [0, 0, -1, 1, 1]
    assert (found.n_records, found.n_left_out, found.k) == (4, 1, 2)
    assert found.size_of_record.tolist() == [2, 2, 0, 2, 2]
    nobody = equivalence_classes(TABLE, ["age"], leave_out=np.ones(5, dtype=bool))
    assert nobody.k is nobody.share_below(2) is None


def test_combined_codes__stay_distinct_beyond_64_bits_and_take_missing_as_a_value() -> None:
    first, second = np.zeros(2, dtype=np.int64), np.array([0, 2**31 - 2])
    codes = combined_codes([second, second, second, first], n_records=2)
    assert codes[0] != codes[1]
    codes = combined_codes([np.array([-1, 0, -1]), np.array([0, -1, -1])], n_records=3)
    assert len(set(codes.tolist())) == 3
    columns = [np.array([2**40, 0, 2**40]), np.array([2**40, 1, 2**40])]
    assert combination_codes(columns, n_records=3).tolist() == [0, 1, 0]  # consecutive by first appearance


def test_joint_codes__equal_combinations_of_two_tables_share_a_code() -> None:
    first = SharedCodes(original=np.array([0, 1, -1, 0]), anonymized=np.array([1, -1]))
    letters = SharedCodes(original=np.array([5, 5, 5, 6]), anonymized=np.array([5, 5]))
    rows = joint_codes([first, letters])
    assert rows.original[1] == rows.anonymized[0]
    assert rows.original[2] == rows.anonymized[1]
    assert len({*rows.original.tolist(), *rows.anonymized.tolist()}) == 4
    column = np.array([2, 0, 2])
    rows = joint_codes([SharedCodes(original=column, anonymized=column)])
    assert rows.original is rows.anonymized  # of one array twice, one array twice
    assert rows.original[0] == rows.original[2] != rows.original[1]


def test_shared_codes__count_cells_by_value_and_missing_ones_last() -> None:
    codes = SharedCodes(original=np.array([0, 1, 1, -1]), anonymized=np.array([1, 2, -1, -1], np.int8))
    ours, theirs = codes.counts_with_missing()
    assert (ours.tolist(), theirs.tolist()) == ([1, 2, 0, 1], [0, 1, 1, 2])
    assert (codes.n_same_values, codes.n_same_row, codes.n_found_alone) == (1, 0, 0)


FOUR = classes(0, 0, 1, 1, -1)


def test_ncp__is_width_or_categories_over_those_of_all_records() -> None:
    nan = math.nan
    for numbers, lost in (
        ([1.0, 3.0, 5.0, 5.0, 11.0], [0.2, 0.0]),
        ([1.0, nan, nan, nan, 3.0], [0.0, 0.0]),  # missing and constant numbers
        ([7.0] * 5, [0.0, 0.0]),
        ([nan] * 5, [0.0, 0.0]),
    ):
        assert numeric_ncp(np.array(numbers), FOUR).tolist() == lost, numbers
    assert categorical_ncp(np.array([0, 1, 2, 2, 3]), FOUR).tolist() == [0.5, 0.0]
    assert categorical_ncp(np.array([-1, -1, -1, -1, -1]), FOUR).tolist() == [0.0, 0.0]


def test_discernibility__charges_removed_records_with_all() -> None:
    assert discernibility(FOUR) == 4 + 4 + 5
    assert discernibility(classes(0, 0, 0)) == 9
    assert discernibility(classes(0, 0, 0), n_removed=2) == 9 + 2 * 5
    assert average_class_size(classes(0, 0, 0, 1)) == approx(2.0)
    assert average_class_size(classes(-1)) is None
