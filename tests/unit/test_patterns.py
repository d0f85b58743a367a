import numpy as np
import pyarrow as pa

from core.coding import distinct_values
from core.people.patterns import ALL_PATTERNS, CATALOGUE, RULE_PATTERNS, Confirmed, scan_column
from tests.cases.table import holds_for_each, read_cases

CASES = read_cases("patterns.txt")


def found(*cells: str | None, patterns=ALL_PATTERNS) -> dict[str, int]:
    return dict(scan_column(pa.chunked_array([pa.array(cells, pa.string())]), patterns).counts)


def by_rule(cell: str) -> list[str]:
    return list(found(cell, patterns=RULE_PATTERNS))


def test_scan_column__finds_the_patterns_of_the_published_rule():
    def holds(keys, cell):
        assert (",".join(by_rule(cell)) or "-") == keys

    holds_for_each(CASES["published rule"], holds)
    assert by_rule("") == []


def test_scan_column__finds_more_in_a_second_opinion_and_leaves_lookalikes_alone():
    def holds(key, cell):
        assert found(cell) == {} if key == "-" else key in found(cell)
        assert key == "-" or not CATALOGUE[key].rule

    holds_for_each([*CASES["second opinion"], *CASES["lookalikes"]], holds)


def test_scan_column__counts_cells_not_distinct_values():
    hits = scan_column(pa.array(["a@b.co", None, "x", "a@b.co", "2020-01-01 a@b.co"]))
    assert dict(hits.counts) == {"date": 1, "email": 3}
    assert (hits.n_cells, hits.n_filled) == (3, 4)
    assert hits.in_records().tolist() == [True, False, False, True, True]


def test_scan_column__without_a_match_counts_nothing():
    hits = scan_column(pa.array([None, "x"]))
    assert (dict(hits.counts), hits.n_cells, hits.in_records().tolist()) == ({}, 0, [False, False])
    assert scan_column(pa.array([], pa.string())).n_filled == 0
    assert scan_column(pa.array(["a@b.co"]), ()).n_cells == 0


def test_scan_column__a_checksum_speaks_for_the_column_and_rules_no_cell_out():
    valid, invalid = "4111111111111111", "4111111111111112"
    hits = scan_column(pa.array([valid, valid + " ", invalid]), ALL_PATTERNS)
    assert hits.counts["card"] == 3
    assert hits.confirmed["card"] == Confirmed(n_checked=3, n_valid=2)
    assert "card" not in found(valid, invalid, "4111111111111113", "4111111111111114")


def test_scan_column__every_value_counts_where_nothing_repeats():
    cells = [f"value {i}" for i in range(20_000)]
    cells[19_999] = "900101-1234567"
    column = pa.chunked_array([cells[:9_000], [None], cells[9_000:]])
    hits = scan_column(column)
    assert not hits.distinct.is_distinct
    assert dict(hits.counts) == {"resident_number": 1}
    assert np.flatnonzero(hits.in_records()).tolist() == [20_000]
    assert (hits.n_filled, hits.distinct.n_records, hits.distinct.n_distinct) == (20_000, 20_001, 20_000)


def test_scan_column__a_long_column_of_cards_is_judged_by_evenly_spaced_ones():
    column = pa.array([f"4111 1111 1111 1111 {i}" for i in range(5_000)])
    hits = scan_column(column, ALL_PATTERNS)
    assert hits.counts["card"] == 5_000
    assert hits.confirmed["card"].n_checked <= 500


def test_distinct_values__large_columns_are_held_as_large_strings(monkeypatch):
    monkeypatch.setattr("core.coding._LARGEST_ARRAY", 1)
    distinct = distinct_values(pa.chunked_array([["a", None], ["b", "a"]]))
    assert distinct.values.type == pa.large_string()
    assert distinct.counts.tolist() == [2, 1]


def test_catalogue__is_complete_and_explained():
    assert [
        pattern.key for pattern in RULE_PATTERNS
    ] == "resident_number phone date email hangul_name".split()
    assert all(pattern.label and pattern.description.endswith(".") for pattern in ALL_PATTERNS)
    assert [pattern.key for pattern in ALL_PATTERNS] == list(CATALOGUE)
