"""Row leakage on tables countable by hand, and every sentence about bad input."""

import itertools

import numpy as np
import pytest

from core.errors import AuditInputError
from core.leakage import (
    LeakageAudit,
    LeakageSettings,
    LeakageThresholds,
    audit_leakage,
    judge_leakage,
    measure_leakage,
    pair_tables,
    resolve_columns,
)
from core.leakage.whole_rows import expected_overlap, probability_of_at_least
from core.processes.jobs import Progress
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Finding, Verdict, next_steps
from tests.cases.table import holds_for_each, says


def table(text: str, name: str = "table.csv") -> Dataset:
    """Read a table written with `|` between records."""
    return read_dataset(
        "\n".join(text.split("|")).encode(),
        name=name,
        options=ReadOptions(delimiter=",", header="first_line"),
    )


def audit(original: str, scrambled: str, **settings: object) -> LeakageAudit:
    return audit_leakage(
        table(original, "original.csv"),
        table(scrambled, "scrambled.csv"),
        settings=LeakageSettings(**settings),  # type: ignore[arg-type]
    )


def counts(result: LeakageAudit) -> tuple[list[int], list[int]]:
    rows = result.measures.rows
    assert rows is not None
    return rows.match_count.tolist(), rows.valid_count.tolist()


def finding(result: LeakageAudit, check: str) -> Finding:
    return next(found for found in result.findings if found.check == check)


def many(n_rows: int, n_columns: int, *, n_values: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, n_values, (n_rows, n_columns))


def written(cells: np.ndarray, name: str = "table.csv") -> Dataset:
    header = ",".join(f"c{column}" for column in range(cells.shape[1]))
    return read_dataset(
        "\n".join([header, *(",".join(map(str, row)) for row in cells.tolist())]).encode(), name=name
    )


@pytest.mark.slow
def test_row_rules__count_matching_and_valid_cells() -> None:
    result = audit("a,b,c|1,x,5|2,y,6|3,z,7", "a,b,c|1.0, x ,5|2,q,6|9,q,8")
    assert counts(result) == ([3, 2, 0], [3, 3, 3])
    rows = result.measures.rows
    assert rows is not None
    assert (rows.n_full, rows.n_partial, rows.n_none, rows.n_without_valid_cells) == (1, 1, 1, 0)
    assert rows.mean_matching_cells == pytest.approx(5 / 3)
    assert rows.std_matching_cells == pytest.approx(np.std([3, 2, 0]))
    assert rows.column_matches.tolist() == [2, 1, 2]
    result = audit("born,a|1980-01-02,x|1990-03-04,y", "born,a|1980/1/2,x|1990-03-04T00:00:00,y")
    assert counts(result) == ([2, 2], [2, 2])
    assert result.measures.whole_rows.n_exact == 2
    assert counts(audit("d,a|1980-01-02,x", "d,a|1981-01-02,x", ignore_values=("1980/1/2",))) == ([1], [1])
    long = "x" * 100_000
    result = audit(f"a,b|1,{long}|abc,1e308|inf,nan", f"a,b|1.0,{long}|abc,1e308|Infinity,1")
    assert counts(result) == ([2, 2, 1], [2, 2, 2])


IGNORED = [
    ((), ([1, 1, 0], [2, 2, 2])),
    (("None",), ([1, 1, 0], [2, 2, 2])),
    (("-999.0",), ([0, 1, 0], [1, 2, 1])),
    (("-999", "5"), ([0, 0, 0], [1, 1, 1])),
    (("NaN",), ([1, 1, 0], [2, 2, 1])),
]
MISSING_ON_BOTH = [
    ("leave out", ([1, 1, 0], [1, 2, 1])),
    ("match", ([2, 1, 1], [2, 2, 2])),
    ("difference", ([1, 1, 0], [2, 2, 2])),
]


@pytest.mark.slow
def test_row_rules__ignore_values_and_missing_cells_as_the_person_chose() -> None:
    def holds(choice: str, expected: tuple[list[int], list[int]]) -> None:
        assert counts(audit("a,b|1,NA|2,NA|NA,4", "a,b|1,|2,7|null,5", missing_on_both=choice)) == expected

    holds_for_each(MISSING_ON_BOTH, holds)
    options = ReadOptions(delimiter=",", header="first_line", missing_spellings=())
    original, scrambled = (
        read_dataset(text.encode(), name="t.csv", options=options)
        for text in ("a,b\nnan,1\n", "a,b\nnan,1\n")
    )
    measures = measure_leakage(pair_tables(original, scrambled), LeakageSettings(ignore_values=("NaN",)))
    assert measures.rows is not None
    assert measures.rows.valid_count.tolist() == [1]


@pytest.mark.slow
def test_row_rules__an_ignore_value_on_either_side_makes_the_cell_invalid() -> None:
    def holds(ignored: tuple[str, ...], expected: tuple[list[int], list[int]]) -> None:
        result = audit("a,b|1,-999|2,5|-999,4", "a,b|3,-999.0|3,5|NA,6", ignore_values=ignored)
        assert counts(result) == expected

    holds_for_each(IGNORED, holds)


def test_row_rules__rows_without_a_valid_cell_are_reported_apart() -> None:
    result = audit("a,b|0,0|1,2", "a,b|0,0|1,3", ignore_values=("0",))
    rows = result.measures.rows
    assert rows is not None
    assert (rows.n_full, rows.n_without_valid_cells) == (0, 1)
    found = finding(result, "rows_without_valid_cells")
    assert (found.verdict, found.n_affected) == (Verdict.WARN, 1)
    assert found.message.startswith("1 of 2 rows (50.0 %)")
    result = audit("a,b|0,1|1,0", "a,b|0,1|1,0", ignore_values=("0", "1"))
    assert finding(result, "rows_without_valid_cells").verdict is Verdict.NOT_ASSESSED
    assert result.verdict is not Verdict.PASS


@pytest.mark.slow
def test_columns__are_aligned_by_name_and_those_of_one_table_are_said() -> None:
    result = audit("a,b,c|1,x,5|2,y,6", "c,b,a|5,x,1|9,y,8")
    assert counts(result) == ([3, 1], [3, 3])
    assert len(result.measures.notes) == 1
    result = audit("a,b,c|1,x,5|2,y,6", "a,b,d,e|1,q,1,1|3,w,1,1")
    assert finding(result, "columns_only_in_scrambled").verdict is Verdict.WARN
    assert finding(result, "columns_only_in_scrambled").message.startswith("2 columns ")
    assert finding(result, "columns_only_in_original").message.startswith("1 column ")


def test_key__pairs_rows_that_moved_and_is_not_compared() -> None:
    result = audit("id,a,b|1,x,5|2,y,6|3,z,7", "id,a,b|3.0,z,7|1,q,5|8,k,k", key="id")
    assert result.measures.columns == ("a", "b")
    assert result.measures.original_rows.tolist() == [0, 2]
    assert counts(result) == ([1, 2], [2, 2])
    (note,) = result.measures.notes
    assert says(note, "“id”…2 pairs; rows without a partner: 1 of the original, 1 scrambled.")


def test_rows__that_cannot_be_paired_leave_the_row_rules_and_keep_the_rest() -> None:
    result = audit("a,b|1,x|2,y|3,z", "a,b|3,z|2,y")
    assert result.measures.rows is None
    told = finding(result, "rows_not_paired").message
    assert told.startswith("original.csv has 3 rows and scrambled.csv has 2 rows")
    assert result.measures.whole_rows.n_exact == 2
    assert result.measures.nearest.relink_share is None
    assert finding(result, "rows_not_paired").verdict is Verdict.PASS
    assert finding(result, "whole_rows").verdict is Verdict.PASS
    assert result.verdict is finding(result, "smallest_leak").verdict is Verdict.NOT_ASSESSED
    assert np.isnan(result.measures.column_z()).all()
    result = audit("id,a|1,x|2,y", "id,a|3,z|4,y", key="id")
    assert says(finding(result, "rows_not_paired").message, "“id”…original.csv and scrambled.csv")


BAD_INPUT = [
    ("a,b|1,2", "c,d|1,2", {}, ["original.csv and scrambled.csv have no column name in common"]),
    (
        "a,b|1,2",
        "a,b|1,2",
        {"ignore_columns": ("z", "7", "-1")},
        ["Column “z” to ignore is not in the original", "position 7…from 0 to 1", "position -1…from 0 to 1"],
    ),
    ("a,b|1,2", "a,b|1,2", {"ignore_columns": ("a", 1)}, ["Every common column is ignored"]),
    (
        "id,b|1,2|1,3|,4",
        "id,b|1,2|2,3|3,4",
        {"key": "id"},
        ["“id” of original.csv is empty in 1 row", "“id” of original.csv holds 1 value more than once"],
    ),
    ("id,b|1,2", "b,c|1,2", {"key": "id"}, ["“id” is not in scrambled.csv"]),
    ("id,b|1,2", "id,c|1,2", {"key": "id"}, ["“id” is the only common column"]),
]


def test_bad_input__gets_one_clear_sentence_each() -> None:
    def holds(original: str, scrambled: str, settings: dict[str, object], problems: list[str]) -> None:
        with pytest.raises(AuditInputError) as error:
            audit(original, scrambled, **settings)
        assert all(says(*pair) for pair in zip(error.value.problems, problems, strict=True))

    holds_for_each(BAD_INPUT, holds)


def test_zero_rows__are_one_clear_sentence() -> None:
    empty = table("a,b|1,2", "original.csv")
    empty = Dataset(**{**vars(empty), "table": empty.table.slice(0, 0)})
    with pytest.raises(AuditInputError) as error:
        pair_tables(empty, table("a,b|1,2", "scrambled.csv"))
    assert error.value.problems == ("original.csv has no records below its header.",)


def test_settings_and_thresholds__are_validated_all_at_once() -> None:
    def holds(name: str, value: object, allowed: str) -> None:
        with pytest.raises(AuditInputError) as error:
            LeakageSettings(**{name: value})  # type: ignore[arg-type]
        assert error.value.problems == (f"{name} must be {allowed}, received {value}.",)

    cases = [
        ("missing_on_both", "skip", "one of leave out, match, difference"),
        ("seed", -1, "at least 0"),
        ("n_permutations", 0, "from 1 to 10,000"),
        ("max_comparisons", 0, "from 1 to 1,000,000,000,000"),
    ]
    holds_for_each(cases, holds)
    with pytest.raises(AuditInputError) as error:
        LeakageThresholds(max_full_leakage_share=1.5, chance_level=0.5, z=0)
    assert error.value.problems == (
        "max_full_leakage_share must be from 0 to 1, received 1.5.",
        "chance_level must be from 0.0001 to 0.2, received 0.5.",
        "z must be from 1 to 10, received 0.",
    )


def test_resolve_columns__takes_names_and_positions_and_a_name_wins() -> None:
    for stated, expected in (("1", "b"), ("0,2", "a2"), ("[0, 1]", "ab"), ("2", "2"), ("", "")):
        assert resolve_columns([stated], ["a", "b", "2"]) == tuple(expected), stated
    assert resolve_columns([1], ["a", "b", "2"]) == ("b",)
    assert resolve_columns(["b", "a,b"], ["a", "b", "2"]) == ("b", "a")


def test_chance__expectation_and_variance_equal_those_over_all_orders() -> None:
    original, scrambled = "a,b|1,x|1,y|2,|3,z", "a,b|1,y|2,y|2,x|NA,z"
    result = audit(original, scrambled)
    chance = result.measures.column_chance
    assert chance is not None
    first = [line.split(",") for line in original.split("|")[1:]]
    second = [["" if cell == "NA" else cell for cell in line.split(",")] for line in scrambled.split("|")[1:]]
    for column in (0, 1):
        matches = [
            sum(first[i][column] == second[k][column] != "" for i, k in enumerate(order))
            for order in itertools.permutations(range(4))
        ]
        assert chance.expected_matches[column] == pytest.approx(np.mean(matches))
        assert chance.variance[column] == pytest.approx(np.var(matches))


@pytest.mark.slow
def test_chance__of_missing_values_full_leakage_and_a_single_row() -> None:
    result = audit("a,b|NA,1|NA,2|3,3", "a,b|,1|4,2|5,3", missing_on_both="match")
    chance = result.measures.column_chance
    assert chance is not None
    assert chance.expected_matches[0] == pytest.approx(2 / 3)
    original, scrambled = "a,b|0,1|1,1", "a,b|1,1|0,1"
    result = audit(original, scrambled, ignore_values=("0",))
    orders = result.measures.random_orders
    assert (
        orders is not None
    )  # either order leaves b alone in both rows, or a and b in one and none in the other
    assert orders.full_share.mean == pytest.approx(1.0)
    assert orders.partial_share.mean == 0.0
    result = audit("a,b|1,2", "a,b|1,3")
    assert finding(result, "chance_not_assessed").message == (
        "With a single row there is only one order, so chance cannot be told from leakage."
    )
    assert result.verdict is Verdict.NOT_ASSESSED
    assert audit("a,b|1,2", "a,b|1,2").verdict is Verdict.FAIL


def test_chance__random_orders_agree_with_the_exact_expectation() -> None:
    original, scrambled = many(200, 5, n_values=4, seed=1), many(200, 5, n_values=4, seed=2)
    measures = audit_leakage(written(original), written(scrambled)).measures
    assert measures.random_orders is not None
    assert measures.random_orders.n_permutations == 500
    assert measures.random_orders.rows_by_matches.sum(axis=1).tolist() == [200] * 500
    assert measures.random_orders.mean_matching_cells.mean == pytest.approx(
        measures.expected_matching_cells, abs=0.01
    )


def test_whole_rows__are_counted_wherever_they_are() -> None:
    whole = audit("a,b|1,x|1,x|2,y|3,|4,w", "a,b|4,v|3,NA|1.0,x|9,9|2,y").measures.whole_rows
    assert (whole.n_exact, whole.n_unique, whole.n_unique_exact) == (3, 3, 2)
    assert whole.n_repeated_exact == 1
    result = audit(
        "a,b|1,x|2,y", "a,b|2,q|1,w", ignore_values=("1", "2"), ignore_columns=("b",)
    ).measures.whole_rows
    assert result.n_exact == 2


@pytest.mark.one_of(3)
@pytest.mark.parametrize("n_values", [126, 127, 128, 129, 52_000])
def test_codes__keep_apart_as_many_values_as_there_are(n_values: int) -> None:
    rows = "|".join(f"{number},x" for number in range(n_values)) + "|,x|,y"
    result = audit(f"a,b|{rows}", f"a,b|{rows}", missing_on_both="match", max_comparisons=1000)
    whole, chance = result.measures.whole_rows, result.measures.column_chance
    assert chance is not None
    assert whole.n_exact == whole.n_unique == n_values + 2
    assert chance.expected_matches[0] == pytest.approx((n_values + 4) / (n_values + 2))


@pytest.mark.slow
def test_whole_rows__expectation_equals_the_mean_over_shuffled_columns() -> None:
    generator = np.random.default_rng(5)
    original = many(60, 3, n_values=6, seed=3)
    scrambled = many(60, 3, n_values=6, seed=4)
    found, unique_found = [], []
    rows, times = np.unique(original, axis=0, return_counts=True)
    for _ in range(3000):
        shuffled = np.stack([generator.permutation(column) for column in scrambled.T], axis=1)
        other, other_times = np.unique(shuffled, axis=0, return_counts=True)
        there = dict(zip(map(tuple, other.tolist()), other_times.tolist(), strict=True))
        overlap = [there.get(tuple(row), 0) for row in rows.tolist()]
        found.append(np.minimum(times, overlap).sum())
        unique_found.append(np.count_nonzero(np.array(overlap)[times == 1]))
    whole = audit_leakage(written(original), written(scrambled)).measures.whole_rows
    assert whole.expected_exact == pytest.approx(np.mean(found), rel=0.02)
    assert whole.expected_unique_exact == pytest.approx(np.mean(unique_found), rel=0.02)


def test_probability_of_at_least__equals_enumeration_and_is_normal_for_large_sums() -> None:
    overlap = expected_overlap(np.array([1, 2, 3]), np.array([2, 2, 2]), np.array([0.5, 0.5, 1.0]))
    assert overlap.tolist() == pytest.approx([0.75, 1.0, 2.0])
    chances = np.array([0.0002, 0.3, 0.5, 0.7, 0.9995])
    for observed in range(7):
        expected = sum(
            np.prod(np.where(happened, chances, 1 - chances))
            for happened in itertools.product([0, 1], repeat=5)
            if sum(happened) >= observed
        )
        assert probability_of_at_least(observed, chances) == pytest.approx(expected, rel=1e-4, abs=1e-8)
    chances = np.full(1000, 0.5)
    assert probability_of_at_least(500, chances) == pytest.approx(0.5126, abs=1e-3)
    assert probability_of_at_least(560, chances) == pytest.approx(8.3e-5, rel=0.05)


@pytest.mark.slow
def test_verdict__identical_and_reversed_tables_fail() -> None:
    cells = many(50, 4, n_values=9, seed=0)
    result = audit_leakage(written(cells), written(cells))
    assert result.verdict is Verdict.FAIL
    assert says(finding(result, "full_leakage").message, "NOTICE: 50 of 50 rows (100 %)…would give 2.0 %")
    assert result.headline == "50 of 50 unique rows of the original are still in the scrambled table."
    cells = many(50, 4, n_values=9, seed=0)
    result = audit_leakage(written(cells), written(cells[::-1]))
    rows = result.measures.rows
    assert rows is not None
    assert rows.n_full == 0
    assert result.measures.whole_rows.n_exact == 50
    assert result.verdict is Verdict.FAIL
    assert finding(result, "whole_rows").verdict is Verdict.FAIL
    assert "exactly the rows of the original" in finding(result, "whole_rows").message
    assert audit("a,b|1,x|2,y|3,z|4,w", "a,b|4,w|3,z|2,y|1,x").verdict is Verdict.FAIL
    cells = np.repeat(many(40, 6, n_values=9, seed=0), 2, axis=0)
    result = audit_leakage(written(cells), written(cells[::-1]))
    assert result.measures.whole_rows.n_unique == 0
    assert finding(result, "repeated_rows").verdict is Verdict.FAIL
    assert result.verdict is Verdict.FAIL
    assert result.headline == "80 of 80 original rows are still in the scrambled table."


@pytest.mark.slow
def others(result: LeakageAudit) -> set[Verdict]:
    """Return the verdicts but of what leak could have been seen."""
    return {each.verdict for each in result.findings if each.check != "smallest_leak"}


def test_verdict__rows_that_chance_usually_gives_pass() -> None:
    original = many(300, 2, n_values=2, seed=0)
    scrambled = 1 - original  # no row is in its place, and all four rows there can be occur
    result = audit_leakage(written(original), written(scrambled))
    assert result.measures.whole_rows.n_exact > 250
    assert others(result) == {Verdict.PASS}
    assert result.headline == (
        "300 original records and no hold-out are too few for nearness to the scrambled table to show any "
        "leak."
    )
    result = audit_leakage(
        written(many(300, 2, n_values=2, seed=0)), written(many(300, 2, n_values=2, seed=1))
    )
    assert others(result) == {Verdict.PASS}
    assert "Random order would give about as many, " in finding(result, "full_leakage").message
    assert finding(result, "whole_rows").verdict is Verdict.PASS


@pytest.mark.slow
def test_verdict__of_shuffled_columns_and_a_single_one() -> None:
    original = many(400, 3, n_values=12, seed=1)
    fails = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        shuffled = np.stack([generator.permutation(column) for column in original.T], axis=1)
        result = audit_leakage(
            written(original), written(shuffled), settings=LeakageSettings(n_permutations=20)
        )
        fails += finding(result, "whole_rows").verdict is Verdict.FAIL
    assert fails <= 1
    result = audit("a|1|2|3", "a|3|1|2")
    assert says(finding(result, "whole_rows").message, "single column…3 of 3 rows (100 %)")
    assert result.verdict is Verdict.NOT_ASSESSED


def test_verdict__a_column_left_in_place_warns_and_is_named() -> None:
    original, scrambled = many(300, 6, n_values=9, seed=1), many(300, 6, n_values=9, seed=2)
    scrambled[:, 2] = original[:, 2]
    result = audit_leakage(written(original), written(scrambled))
    assert result.verdict is Verdict.WARN
    found = finding(result, "columns_above_chance")
    assert found.column == "c2"
    assert says(found.message, "1 of 6 columns…“c2”…300 of 300 rows (100 %), where chance gives 11.")
    assert finding(result, "partial_leakage").verdict is Verdict.WARN
    assert finding(result, "matching_cells").verdict is Verdict.WARN
    assert result.headline.startswith("6 of 300 rows can be re-linked")
    (step,) = next_steps(result.findings)
    assert says(step, "Scramble `c2` again…`c2` is the same in 300 of 300 rows (100 %)")


@pytest.mark.slow
def test_verdict__rows_that_find_their_own_or_moved_with_noise_fail() -> None:
    original = many(200, 8, n_values=30, seed=1)
    scrambled = original.copy()
    scrambled[:, ::2] += 100
    result = audit_leakage(written(original), written(scrambled))
    assert result.measures.nearest.relink_share == pytest.approx(1.0, abs=0.05)
    assert finding(result, "relinkage").verdict is Verdict.FAIL
    assert result.verdict is Verdict.FAIL
    original = np.random.default_rng(1).integers(0, 10_000, (200, 4))
    noised = np.random.default_rng(2).permutation(original) + np.random.default_rng(3).integers(
        1, 9, (200, 4)
    )
    result = audit_leakage(written(original), written(noised))
    assert finding(result, "members").verdict is Verdict.FAIL
    assert finding(result, "near_copies").verdict is result.verdict is Verdict.FAIL


def test_verdict__moved_rows_with_one_cell_changed_fail_as_near_copies() -> None:
    generator = np.random.default_rng(4)
    original = many(500, 8, n_values=12, seed=1)
    scrambled = np.stack([generator.permutation(column) for column in original.T], axis=1)
    moved = generator.choice(500, 40, replace=False)
    scrambled[moved] = original[np.roll(moved, 1)]
    scrambled[moved, generator.integers(0, 8, 40)] += 100
    result = audit_leakage(written(original), written(scrambled))
    found = finding(result, "near_copies")
    assert finding(result, "whole_rows").verdict is Verdict.PASS
    assert found.verdict is result.verdict is Verdict.FAIL
    assert found.n_affected is not None
    assert 15 <= found.n_affected <= 45
    assert found.message.startswith(f"{found.n_affected} of 500 scrambled rows looked at (")
    assert result.headline.startswith(
        f"{found.n_affected} of 500 scrambled rows point at one original person"
    )


@pytest.mark.one_of(3)
@pytest.mark.parametrize("n_values", [3, 40, 10_000])
def test_near_copies__do_not_alarm_for_shuffled_columns_or_other_people(n_values: int) -> None:
    original = many(200, 6, n_values=n_values, seed=1)
    generator = np.random.default_rng(2)
    shuffled = np.stack([generator.permutation(column) for column in original.T], axis=1)
    others = many(200, 6, n_values=n_values, seed=3)
    for scrambled in (shuffled, others):
        result = audit_leakage(written(original), written(scrambled))
        assert finding(result, "near_copies").verdict is Verdict.PASS
        assert "(200 rows looked at)" in finding(result, "near_copies").message


def test_verdict__thresholds_only_judge_again() -> None:
    cells = many(50, 4, n_values=9, seed=0)
    other = cells[np.random.default_rng(0).permutation(50)] + 100
    other[:5] = cells[:5]
    measures = audit_leakage(written(cells), written(other)).measures
    assert judge_leakage(measures, LeakageThresholds()).verdict is Verdict.FAIL
    tolerant = judge_leakage(measures, LeakageThresholds(max_full_leakage_share=0.1))
    assert finding(tolerant, "full_leakage").verdict is Verdict.WARN
    assert "within the tolerated share" in finding(tolerant, "full_leakage").message


@pytest.mark.slow
def test_nearest__is_the_best_share_of_valid_cells_or_a_stated_sample() -> None:
    nearest = audit("a,b,c|1,2,3|4,5,6|7,8,9", "a,b,c|1,2,0|1,2,3|7,0,0").measures.nearest
    assert nearest.best_share.tolist() == pytest.approx([1.0, 0.0, 1 / 3])
    assert nearest.is_alone.tolist() == [True, False, True]
    assert nearest.n_relinked == 1
    assert nearest.n_with_unique_best == 2
    assert nearest.mean_best_share == pytest.approx(4 / 9)
    nearest = audit("a,b,c|1,,0|1,2,0", "a,b,c|1,,5|1,2,0", ignore_values=("0",)).measures.nearest
    # row 0 matches one cell of either row: of one valid cell there, of two valid cells here
    assert nearest.best_share.tolist() == [1.0, 1.0]
    assert nearest.is_alone.tolist() == [True, True]
    original, scrambled = many(300, 3, n_values=5, seed=1), many(300, 3, n_values=5, seed=2)
    exact = audit_leakage(written(original), written(scrambled)).measures.nearest
    sampled = audit_leakage(
        written(original), written(scrambled), settings=LeakageSettings(max_comparisons=300 * 3 * 40)
    ).measures.nearest
    assert exact.is_exact
    assert not sampled.is_exact
    assert sampled.n_assessed == 40
    assert sampled.best_share.tolist() == exact.best_share[sampled.rows].tolist()


@pytest.mark.slow
def test_distances__are_shares_of_ranks_and_of_words_that_differ() -> None:
    numbers = [*range(20), 1000]  # one far from all others, which are no nearer to each other for it
    original = "n,w|" + "|".join(f"{number},w{number % 2}" for number in numbers)
    distances = audit(original, "n,w|5,w0|9.4,w1|-9,w0", ignore_values=("-9",)).measures.distances
    step = 1 / len(numbers)
    expected = [step / 2, step / 4, step / 4]  # a missing number is beyond all
    assert distances.to_original.closest.tolist() == pytest.approx(expected, abs=step / 8)
    assert distances.to_original.ratio.tolist() == pytest.approx([1, 1 / 3, 1 / 5], abs=0.01)
    assert distances.within_original is not None
    assert distances.within_original.closest.tolist()[:4] == pytest.approx([step] * 4, abs=step / 8)
    few = audit("n,w,e|0,x,1e308|10,,-1e308", "n,w,e|5,q,1e308|-9,y,0", ignore_values=("-9",))
    # of few numbers, which are words: two of three differ, or all do
    assert few.measures.distances.to_original.closest.tolist() == pytest.approx([2 / 3, 1.0])
    distances = audit("n,w|inf,x|2,y", "n,w|inf,x|3,y").measures.distances
    assert distances.to_original.closest.tolist() == pytest.approx([0.0, 0.5])
    large = "e|" + "|".join(f"{number - 7}e307" for number in range(15))
    distances = audit(large, "e|3.5e307|-7e307").measures.distances
    assert distances.to_original.closest.tolist() == pytest.approx([1 / 30, 0.0], abs=0.002)
    distances = audit("n,w|0,x|10,y", "n,w|5,x|10,y").measures.distances
    assert distances.within_original is not None
    assert distances.within_original.closest.tolist() == [1.0, 1.0]
    distances = audit("a,b|,1|,2", "a,b|5,|6,").measures.distances
    assert distances.to_original.closest.tolist() == [1.0, 1.0]
    assert distances.to_original.median_ratio == 1.0
    distances = audit("a,b|1,2", "a,b|1,3|4,5").measures.distances
    assert distances.within_original is None
    assert distances.to_original.median_ratio is None
    assert distances.to_original.fifth_percentile <= distances.to_original.median_distance


@pytest.mark.slow
def test_holdout__is_as_close_as_the_original_and_needs_the_columns() -> None:
    original, holdout, scrambled = (many(300, 5, n_values=50, seed=seed) for seed in (1, 2, 3))
    fair = audit_leakage(written(original), written(scrambled), holdout=written(holdout))
    leaking = audit_leakage(written(original), written(original[::-1] + 1), holdout=written(holdout))
    assert fair.measures.distances.closer_to_original_share == pytest.approx(0.5, abs=0.1)
    assert finding(fair, "members").verdict is Verdict.PASS
    assert finding(leaking, "members").verdict is Verdict.FAIL
    original = table("a,b|1,2|2,3", "original.csv")
    with pytest.raises(AuditInputError) as error:
        audit_leakage(original, original, holdout=table("a,c|1,2", "holdout.csv"))
    assert says(error.value, "holdout.csv lacks 1 of the 2 compared columns: “b”")
    empty = table("a,b|1,2", "holdout.csv")
    empty = Dataset(**{**vars(empty), "table": empty.table.slice(0, 0)})
    with pytest.raises(AuditInputError) as error:
        audit_leakage(original, original, holdout=empty)
    assert error.value.problems == ("holdout.csv has no records below its header.",)


@pytest.mark.slow
def test_measure_leakage__tells_its_steps_and_ends_soon_when_asked_to_stop() -> None:
    pair = pair_tables(written(many(400, 3, n_values=5, seed=1)), written(many(400, 3, n_values=5, seed=2)))
    settings = LeakageSettings(max_comparisons=400 * 3 * 100)
    progress = Progress()
    patient = measure_leakage(pair, settings, progress=progress)
    assert (progress.n_done, progress.n_total, progress.text) == (97, 100, "Trying attacks")
    progress._stop.set()
    stopped = measure_leakage(pair, settings, progress=progress)
    assert patient.random_orders is not None
    assert stopped.random_orders is not None
    assert (patient.random_orders.n_permutations, stopped.random_orders.n_permutations) == (500, 20)
    assert (patient.nearest.n_assessed, stopped.nearest.n_assessed) == (100, 2)
    assert stopped.whole_rows == patient.whole_rows
