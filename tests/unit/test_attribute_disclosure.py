"""Attribute disclosure on classes countable by hand."""

import numpy as np
import pytest

from core.attribute_disclosure import (
    SensitiveCounts,
    alpha,
    distinct_l,
    entropy_l,
    largest,
    ordered_codes,
    recursive_c,
    sensitive_counts,
    smallest,
    t_closeness,
)
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError


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
