"""What columns tell apart, on tables countable by hand."""

import numpy as np
import pyarrow as pa
import pytest

from core.coding import value_codes
from core.errors import AuditInputError
from core.risk.columns import column_contributions, distinctness, singling_out_sets
from core.risk.records import Combinations, distinct_combinations


def _combinations(columns: dict[str, str]) -> Combinations:
    return distinct_combinations({name: value_codes(pa.array(list(text))) for name, text in columns.items()})


# Motwani and Xu (2007), table 1: age, sex and state of five people.
MOTWANI_XU = distinct_combinations(
    {
        "age": value_codes(pa.array([20, 30, 40, 20, 40])),
        "sex": value_codes(pa.array(["Female", "Female", "Female", "Male", "Male"])),
        "state": value_codes(pa.array(["CA", "CA", "TX", "NY", "CA"])),
    }
)


def test_distinctness__agrees_with_the_paper() -> None:
    age, age_state = distinctness(MOTWANI_XU, [0]), distinctness(MOTWANI_XU, [0, 2])
    assert (age.distinction, age.separation) == (0.6, 0.8)
    assert (age_state.distinction, age_state.separation) == (1, 1)
    assert age_state.columns == ("age", "state")
    assert (age.n_classes, age.n_unique, age.unique_share, age.n_pairs_separated) == (3, 1, 0.2, 8)


def test_distinctness__of_no_column_tells_nobody_apart() -> None:
    found = distinctness(MOTWANI_XU, [])
    assert (found.n_classes, found.separation, found.n_unique) == (1, 0, 0)


def test_distinctness__of_one_record_has_no_pair() -> None:
    found = distinctness(_combinations({"x": "a"}), [0])
    assert (found.distinction, found.separation, found.unique_share) == (1, None, 1)


def test_distinctness__of_no_record_is_not_known() -> None:
    empty = distinct_combinations({"x": np.zeros(0, dtype=np.int64)})
    found = distinctness(empty, [0])
    assert (found.distinction, found.separation, found.unique_share) == (None, None, None)
    assert column_contributions(empty)[0].unique_share_gained is None


def test_column_contributions__count_what_a_column_adds() -> None:
    # x·y: a1 a2 b1 b1 c3. Unique: a1, a2, c3. Without y: c. Without x: 2 and 3.
    x, y = column_contributions(_combinations({"x": "aabbc", "y": "12113"}))
    assert (x.column, x.n_unique_gained, x.unique_share_gained) == ("x", 1, 0.2)
    assert (y.column, y.n_unique_gained, y.unique_share_gained) == ("y", 2, 0.4)
    assert (x.alone.n_unique, y.alone.n_unique) == (1, 2)


def test_singling_out_sets__finds_all_of_the_smallest_size() -> None:
    # x and z together, and y and z together, single out everybody; no column alone half of them.
    table = _combinations({"x": "aabb", "y": "ccdd", "z": "1212"})
    found = singling_out_sets(table)
    assert [each.columns for each in found.sets] == [("x", "z"), ("y", "z")]
    assert (found.method, found.searched_size, found.n_looked_at) == (
        "exact",
        2,
        3,
    )  # 2 values reach 2 of 4 at best


def test_singling_out_sets__of_columns_that_never_do_it() -> None:
    found = singling_out_sets(_combinations({"x": "aabb", "y": "1122"}))
    assert (found.sets, found.method) == ((), "exact")


def test_singling_out_sets__need_more_than_the_share() -> None:
    table = _combinations({"x": "abcc"})
    assert singling_out_sets(table, share=0.5).sets == ()
    assert [each.columns for each in singling_out_sets(table, share=0.49).sets] == [("x",)]


def test_singling_out_sets__grows_a_set_beyond_its_bound_and_says_so() -> None:
    bits = [np.arange(16) >> place & 1 for place in range(4)]
    columns = dict(zip("abcdef", [*bits, bits[0] ^ bits[1], bits[2] ^ bits[3]], strict=True))
    exact = singling_out_sets(distinct_combinations(columns))
    greedy = singling_out_sets(distinct_combinations(columns), max_cells=1)
    assert {each.columns for each in exact.sets} >= {("a", "b", "c", "d"), ("a", "c", "e", "f")}
    assert (exact.method, exact.searched_size) == ("exact", 4)  # two values each: less never reaches 9 of 16
    assert (greedy.method, greedy.searched_size) == ("greedy", 3)
    assert greedy.sets[0].unique_share == 1


def test_singling_out_sets__refuse_a_share_out_of_range() -> None:
    with pytest.raises(AuditInputError, match=r"^share must be at least 0 and below 1, received 1\.$"):
        singling_out_sets(MOTWANI_XU, share=1.0)


def test_columns__of_many_do_bounded_work_and_say_so() -> None:
    rng = np.random.default_rng(3)
    wide = distinct_combinations({f"c{n}": rng.integers(0, 3, 200) for n in range(1000)})
    found = singling_out_sets(wide, max_cells=60_000_000)
    assert (found.method, found.searched_size) == ("greedy", 1)
    assert found.sets[0].n_unique > 100
    assert len(column_contributions(wide)) == 1000
    assert all(each.n_unique_gained == 0 for each in column_contributions(wide))  # 999 others do as well
