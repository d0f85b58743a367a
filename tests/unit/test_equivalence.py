"""Equivalence classes on tables countable by hand."""

import numpy as np
import pyarrow as pa

from core.coding import SharedCodes, combination_codes, combined_codes, joint_codes
from core.equivalence import equivalence_classes

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
