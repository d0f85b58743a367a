"""What anonymization costs, on classes countable by hand."""

import numpy as np
import pytest

from core.equivalence import EquivalenceClasses
from core.utility import average_class_size, categorical_ncp, discernibility, numeric_ncp


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
