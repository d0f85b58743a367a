"""SUDA2 and the search over columns equal going through every set of columns literally."""

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.risk.columns import distinctness, singling_out_sets
from core.risk.records import Combinations, distinct_combinations
from core.risk.suda import every_set, measure_suda
from tests.thorough import tried

Records = list[tuple[int, ...]]


@st.composite
def tables(draw: st.DrawFn) -> Records:
    n_columns = draw(st.integers(1, 5))
    record = st.tuples(*[st.integers(0, 3)] * n_columns)
    return draw(st.lists(record, min_size=1, max_size=14))


def _collapsed(records: Records) -> Combinations:
    return distinct_combinations(
        {str(i): np.array(column) for i, column in enumerate(zip(*records, strict=True))}
    )


def _is_unique(records: Records, record: int, columns: tuple[int, ...]) -> bool:
    seen = [tuple(each[column] for column in columns) for each in records]
    return seen.count(seen[record]) == 1


def _literal_msus(records: Records, max_size: int) -> set[tuple[tuple[int, ...], int]]:
    found = set()
    for size in range(1, max_size + 1):
        for columns in combinations(range(len(records[0])), size):
            for record in range(len(records)):
                parts = [part for n in range(1, size) for part in combinations(columns, n)]
                if _is_unique(records, record, columns) and not any(
                    _is_unique(records, record, part) for part in parts
                ):
                    found.add((columns, record))
    return found


@tried(120)
@given(tables(), st.integers(1, 5))
def test_minimal_sample_uniques__equal_the_definition(records: Records, max_size: int) -> None:
    max_size = min(max_size, len(records[0]))
    table = _collapsed(records)
    record_of = {int(combination): i for i, combination in enumerate(table.combination_of_record)}
    found = {
        (columns, record_of[int(each)])
        for columns, unique, _ in every_set(table, max_size)
        for each in unique
    }
    assert found == _literal_msus(records, max_size)


@tried(60)
@given(tables())
def test_measure_suda__laws(records: Records) -> None:
    found = measure_suda(_collapsed(records), max_size=5, sampling_fraction=0.1)
    uniques = [_is_unique(records, i, tuple(range(len(records[0])))) for i in range(len(records))]
    assert (found.score_of_record > 0).tolist() == uniques  # searched to the end, every unique has one
    assert ((found.dis_of_record >= 0) & (found.dis_of_record <= 1)).all()
    assert (found.contribution_of_record <= 1 + 1e-12).all()
    doubled = measure_suda(_collapsed(records * 2), max_size=5, sampling_fraction=0.1)
    assert doubled.score_of_record.sum() == 0


@tried(60)
@given(tables(), st.integers(1, 32))
def test_measure_suda__stopped_keeps_the_sizes_searched_whole(records: Records, n_sets: int) -> None:
    table = _collapsed(records)
    part = measure_suda(table, max_size=5, sampling_fraction=None, stop=lambda done, _: done == n_sets)
    whole = measure_suda(table, max_size=max(part.max_size, 1), sampling_fraction=None)
    assert part.n_by_size.tolist() == whole.n_by_size.tolist()[: part.max_size]
    assert part.was_stopped == (part.max_size < len(records[0]))
    if part.max_size:
        assert part.score_of_record.tolist() == whole.score_of_record.tolist()


@tried(80)
@given(tables())
def test_distinctness__equals_counting(records: Records) -> None:
    columns = range(len(records[0]))
    found = distinctness(_collapsed(records), list(columns))
    counts = Counter(records)
    assert found.n_classes == len(counts)
    assert found.n_unique == sum(n == 1 for n in counts.values())
    assert found.n_pairs_separated == sum(a != b for a, b in combinations(records, 2))


@tried(80)
@given(tables(), st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_singling_out_sets__equal_trying_all(records: Records, share: float) -> None:
    found = singling_out_sets(_collapsed(records), share=share)
    for size in range(1, len(records[0]) + 1):
        sets = {
            tuple(str(column) for column in columns)
            for columns in combinations(range(len(records[0])), size)
            if sum(_is_unique(records, i, columns) for i in range(len(records))) > share * len(records)
        }
        if sets:
            break
    assert {each.columns for each in found.sets} == sets
    greedy = singling_out_sets(_collapsed(records), share=share, max_cells=1)
    assert bool(greedy.sets) == bool(sets)
    assert all(each.n_unique > share * len(records) for each in greedy.sets)
