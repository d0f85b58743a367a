"""Laws of row leakage."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.leakage import LeakageSettings, audit_leakage, count_row_matches, pair_tables
from core.leakage.chance import column_chance, draw_random_orders
from core.leakage.nearest import pack_tables
from core.tables import Dataset, Reading, ReadOptions
from core.verdict import Verdict
from tests.thorough import tried

Rows = list[list[str | None]]
cells = st.sampled_from([None, "0", "0.0", "1", "2", " 2", "x", "-999"])


@st.composite
def pairs_of_tables(draw: st.DrawFn, *, min_rows: int = 1) -> tuple[Rows, Rows]:
    n_rows, n_columns = draw(st.integers(min_rows, 7)), draw(st.integers(1, 4))
    rows = st.lists(st.lists(cells, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows)
    return draw(rows), draw(rows)


def dataset(rows: Rows) -> Dataset:
    table = pa.table(
        {f"c{column}": pa.array([row[column] for row in rows], pa.string()) for column in range(len(rows[0]))}
    )
    reading = Reading(format="CSV", options=ReadOptions())
    return Dataset(name="t", table=table, fingerprint="", sha256="", n_bytes=0, reading=reading)


choices = st.builds(
    LeakageSettings,
    ignore_values=st.sampled_from([(), ("-999",), ("0", "x"), ("NaN",), ("NaN", "1")]),
    missing_on_both=st.sampled_from(["leave out", "match", "difference"]),
    n_permutations=st.just(5),
)
laws = tried(60)


def row_counts(original: Rows, scrambled: Rows, choice: LeakageSettings) -> list[tuple[int, int]]:
    pair = pair_tables(dataset(original), dataset(scrambled))
    rows = count_row_matches(pair, pair.columns, choice)
    return list(zip(rows.match_count.tolist(), rows.valid_count.tolist(), strict=True))


def literal_counts(original: Rows, scrambled: Rows, choice: LeakageSettings) -> list[tuple[int, int]]:
    """Return matching and valid cells as the rules define them, cell by cell."""
    ignored = {"NaN": {None}, "-999": {"-999"}, "0": {"0", "0.0"}, "x": {"x"}, "1": {"1"}}
    left_out = set().union(*(ignored[value] for value in choice.ignore_values))
    same = {"0.0": "0", " 2": "2"}
    counts = []
    for row, other in zip(original, scrambled, strict=True):
        matching = valid = 0
        for a, b in zip(row, other, strict=True):
            if a in left_out or b in left_out:
                continue
            if a is None and b is None:
                if choice.missing_on_both == "leave out":
                    continue
                matching += choice.missing_on_both == "match"
            elif a is not None and b is not None:
                matching += same.get(a, a) == same.get(b, b)
            valid += 1
        counts.append((matching, valid))
    return counts


@laws
@given(pairs_of_tables(), choices)
def test_row_rules__equal_their_literal_definition_and_ignoring_never_raises_valid_cells(
    tables: tuple[Rows, Rows], choice: LeakageSettings
) -> None:
    assert row_counts(*tables, choice) == literal_counts(*tables, choice)
    without = LeakageSettings(missing_on_both=choice.missing_on_both)
    with_ignored = row_counts(*tables, choice)
    assert all(
        few[1] <= more[1] and few[0] <= more[0]
        for few, more in zip(with_ignored, row_counts(*tables, without), strict=True)
    )


@laws
@given(pairs_of_tables(), choices, st.randoms(use_true_random=False))
def test_row_rules__do_not_change_by_swapping_or_permuting_both(
    tables: tuple[Rows, Rows], choice: LeakageSettings, random: object
) -> None:
    original, scrambled = tables
    expected = row_counts(original, scrambled, choice)
    assert row_counts(scrambled, original, choice) == expected
    order = list(range(len(original)))
    random.shuffle(order)
    permuted = row_counts([original[i] for i in order], [scrambled[i] for i in order], choice)
    assert permuted == [expected[i] for i in order]


@laws
@given(pairs_of_tables())
def test_audit_leakage__identical_tables_leak_fully_whatever_they_miss(tables: tuple[Rows, Rows]) -> None:
    rows, _ = tables
    audit = audit_leakage(dataset(rows), dataset(rows), settings=LeakageSettings(n_permutations=5))
    n_empty = sum(all(cell is None for cell in row) for row in rows)
    assert audit.measures.rows is not None
    assert audit.measures.rows.n_full == len(rows) - n_empty
    assert audit.measures.rows.n_without_valid_cells == n_empty
    assert audit.measures.whole_rows.n_exact == len(rows)
    assert audit.verdict is (Verdict.NOT_ASSESSED if n_empty == len(rows) else Verdict.FAIL)


@pytest.mark.slow
@laws
@given(pairs_of_tables(), choices, st.integers(0, 5))
def test_audit_leakage__does_not_change_its_arguments_and_repeats_itself(
    tables: tuple[Rows, Rows], choice: LeakageSettings, shift: int
) -> None:
    original, scrambled = (dataset(rows) for rows in tables)
    before = original.table.to_pylist(), scrambled.table.to_pylist()
    first, second = (audit_leakage(original, scrambled, settings=choice) for _ in range(2))
    assert (original.table.to_pylist(), scrambled.table.to_pylist()) == before
    assert first.findings == second.findings


@laws
@given(pairs_of_tables(min_rows=2), choices)
def test_chance__expectation_is_the_mean_over_many_orders(
    tables: tuple[Rows, Rows], choice: LeakageSettings
) -> None:
    pair = pair_tables(*(dataset(rows) for rows in tables))
    packed = pack_tables(pair, pair.columns, choice)
    chance = column_chance(packed, pair.original_rows, pair.scrambled_rows)
    orders = draw_random_orders(packed, pair.original_rows, pair.scrambled_rows, n_permutations=300, seed=1)
    spread = np.sqrt(chance.variance).sum() / pair.n_pairs
    difference = orders.mean_matching_cells.mean - chance.expected_total / pair.n_pairs
    assert abs(difference) <= 5 * spread / np.sqrt(300) + 1e-9


@pytest.mark.slow
@laws
@given(pairs_of_tables(), choices)
def test_nearest__equals_a_search_over_all_pairs(tables: tuple[Rows, Rows], choice: LeakageSettings) -> None:
    original, scrambled = tables
    nearest = audit_leakage(dataset(original), dataset(scrambled), settings=choice).measures.nearest
    for i, row in enumerate(original):
        shares = [
            matching / valid if valid else 0.0
            for matching, valid in literal_counts([row] * len(scrambled), scrambled, choice)
        ]
        assert nearest.best_share[i] == pytest.approx(max(shares))
        assert nearest.is_alone[i] == (shares.count(max(shares)) == 1 and max(shares) > 0)
        own = shares[i] == max(shares) > 0 and shares.count(max(shares)) == 1
        assert nearest.own_is_best[i] == own


@laws
@given(pairs_of_tables())
def test_whole_rows__equal_counting_one_by_one(tables: tuple[Rows, Rows]) -> None:
    same = {"0.0": "0", " 2": "2"}
    original, scrambled = ([tuple(same.get(cell, cell) for cell in row) for row in rows] for rows in tables)
    whole = audit_leakage(
        *(dataset(rows) for rows in tables), settings=LeakageSettings(n_permutations=5)
    ).measures.whole_rows
    assert whole.n_exact == sum(min(original.count(row), scrambled.count(row)) for row in set(original))
    unique = [row for row in original if original.count(row) == 1]
    assert whole.n_unique == len(unique)
    assert whole.n_unique_exact == sum(row in scrambled for row in unique)
    assert 0 <= whole.p_value <= 1
