"""SUDA2 on the practice guide's table, on tables countable by hand, and within its bound."""

import numpy as np
import pyarrow as pa
import pytest

from core.coding import value_codes
from core.errors import AuditInputError
from core.risk.document import suda_note
from core.risk.records import Combinations, distinct_combinations
from core.risk.suda import dis_suda, every_set, measure_suda, msu_score

# Benschop, Machingauta, Welch, Statistical disclosure control: a practice guide, table 4.4.
GUIDE = {
    "residence": "Urban Urban Urban Urban Rural Urban Urban Urban Urban Urban".split(),
    "gender": "F F F M F M F M F F".split(),
    "education": "SI SI PI SC SC SC PC PS SI SI".split(),
    "labor": "Emp Emp Non Emp Une Emp Non Une Non Non".split(),
}


def _combinations(columns: dict[str, list[str]], **options: object) -> object:
    coded = {name: value_codes(pa.array(values)) for name, values in columns.items()}
    return distinct_combinations(coded, **options)


def test_measure_suda__agrees_with_the_practice_guide() -> None:
    found = measure_suda(_combinations(GUIDE), max_size=3, sampling_fraction=0.01)
    assert found.score_of_record.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert (found.n_sample_uniques, found.n_records, found.is_complete) == (4, 10, True)
    assert found.scored_records.tolist() == [2, 4, 6, 7]


def test_minimal_sample_uniques__of_the_practice_guides_fifth_record() -> None:
    table = _combinations(GUIDE)
    fifth = table.combination_of_record[4]
    found = {columns for columns, unique, _ in every_set(table, 3) if fifth in unique}
    assert found == {(0,), (1, 2), (1, 3), (2, 3)}


def test_dis_suda__agrees_with_the_practice_guide() -> None:
    # Example 4.7: scores and DIS-SUDA scores as printed, 4 uniques and 6 records in pairs, 4 columns.
    scores = np.array([1.75, 0, 3.25, 1.75, 2.75])
    found = dis_suda(scores, n_uniques=4, n_pair_records=6, n_columns=4, sampling_fraction=0.01)
    assert found == pytest.approx([0.005120313, 0, 0.010702061, 0.005120313, 0.008775093], rel=1e-6)


def test_measure_suda__scores_by_dis_suda() -> None:
    found = measure_suda(_combinations(GUIDE), max_size=3, sampling_fraction=0.01)
    expected = dis_suda(
        found.score_of_record, n_uniques=4, n_pair_records=6, n_columns=4, sampling_fraction=0.01
    )
    assert found.dis_of_record.tolist() == expected.tolist()


def test_measure_suda__contributions_of_columns() -> None:
    found = measure_suda(_combinations(GUIDE), max_size=3, sampling_fraction=0.01)
    # record 5: {residence} 6, {gender, education} 2, {gender, labor} 2, {education, labor} 2 of 12.
    assert found.contribution_of_record[1].tolist() == pytest.approx([6 / 12, 4 / 12, 4 / 12, 4 / 12])
    # all scores: 34; residence in record 5 and, with labor, in 8; education alone makes 3, 7 and 8 unique.
    assert found.column_contribution[0] == pytest.approx((6 + 2) / 34)
    assert found.column_contribution[2] == pytest.approx((6 + 4 + 6 + 6) / 34)


def test_measure_suda__counts_sets_by_size() -> None:
    found = measure_suda(_combinations(GUIDE), max_size=3, sampling_fraction=0.01)
    assert found.n_by_size.tolist() == [4, 5, 0]


@pytest.mark.parametrize(
    ("size", "n_columns", "max_size", "score"),
    [(1, 4, 3, 6), (2, 4, 3, 2), (3, 4, 3, 1), (4, 4, 4, 1), (2, 8, 3, 30)],
)
def test_msu_score__is_the_product_of_elliot(size: int, n_columns: int, max_size: int, score: float) -> None:
    assert msu_score(size, n_columns=n_columns, max_size=max_size) == score


def test_measure_suda__leaves_records_out() -> None:
    left_out = np.array([False, True, False])
    table = _combinations({"x": ["a", "a", "b"]}, leave_out=left_out)
    found = measure_suda(table, max_size=1, sampling_fraction=1)
    assert found.score_of_record.tolist() == [1, 0, 1]
    assert found.scored_records.tolist() == [0, 2]
    assert found.dis_of_record.tolist() == [1, 0, 1]


def test_measure_suda__of_a_table_without_uniques_is_0() -> None:
    found = measure_suda(_combinations({"x": ["a", "a"]}), max_size=4, sampling_fraction=0.1)
    assert (found.score_of_record.tolist(), found.dis_of_record.tolist()) == ([0, 0], [0, 0])
    assert (found.column_contribution.tolist(), found.max_size) == ([0], 1)


def test_measure_suda__searches_smaller_sets_beyond_its_bound_and_says_so() -> None:
    table = _combinations(GUIDE)  # 7 distinct combinations; 4 sets of one column, 6 of two
    found = measure_suda(table, max_size=3, sampling_fraction=0.01, max_cells=12_000)
    assert (found.max_size, found.requested_size, found.is_complete) == (2, 3, False)
    assert measure_suda(table, max_size=3, sampling_fraction=0.01, max_cells=1).max_size == 1


def test_measure_suda__refuses_settings_out_of_range() -> None:
    with pytest.raises(AuditInputError) as error:
        measure_suda(_combinations(GUIDE), max_size=0, sampling_fraction=0)
    assert error.value.problems == (
        "max_size must be at least 1, received 0.",
        "sampling_fraction must be above 0 and at most 1, received 0.",
    )


def _wide(n_records: int, n_columns: int) -> Combinations:
    rng = np.random.default_rng(3)
    return distinct_combinations({f"c{n}": rng.integers(0, 3, n_records) for n in range(n_columns)})


def test_measure_suda__of_many_columns_does_bounded_work_and_says_so() -> None:
    found = measure_suda(_wide(20, 200), max_size=3, sampling_fraction=None)
    assert (found.requested_size, found.max_size, found.was_stopped) == (3, 2, False)
    assert measure_suda(_wide(200, 1000), max_size=3, sampling_fraction=None).max_size == 1
    assert "The table is too large for sets of 3; only sets of up to 2 were searched." in suda_note(found)
