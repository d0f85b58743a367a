"""Which records are assessed, and how large their classes are, on tables countable by hand."""

import math
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.__main__ import main
from core.classes import Pairs, equivalence_classes, spread
from core.coding import coded_column, value_codes
from core.risk import (
    RiskMeasurement,
    RiskSettings,
    RiskThresholds,
    judge_risk,
    measure_risk,
    violating_records,
    violations_csv,
)
from core.risk.columns import column_contributions, distinctness, singling_out_sets
from core.risk.notes import suda_note
from core.risk.population_estimates import IndividualRisk, individual_risk, risk_given_population
from core.risk.records import Combinations, distinct_combinations, sampling_weights
from core.risk.suda import Suda, dis_suda, every_set, measure_suda, msu_score
from core.tables import ReadOptions, read_dataset
from tests.cases.table import holds_for_each
from tests.kinds import Patch, Told
from tests.risk_examples import DISEASE, PEOPLE, judged, measured, problems, table
from tests.saying import Saying

HOLES = """age,sex,disease
30,F,flu
30,,cold
,F,gout
40,M,flu
,,acne
*,**,acne
"""


def _sizes(text: str = HOLES, **settings: object) -> list[int]:
    return measured(text, **settings).classes.size_of_record.tolist()


def test_missing__as_wildcard_counts_the_compatible_records() -> None:
    # (30, F) matches itself, (30, ?) and (?, F); (?, F) matches (30, F), (30, ?) and itself.
    assert _sizes(missing="wildcard") == [3, 3, 3, 1, 0, 0]
    suppressed = "age,sex\n30,F\n*,F\n40,F\n"
    assert (_sizes(suppressed, missing="wildcard"), _sizes(suppressed)) == ([2, 3, 2], [1, 1, 1])


def test_missing__left_out_and_dropped_records_are_counted() -> None:
    for chosen, sizes, counts in (
        ({}, [1, 1, 1, 1, 1, 0], (0, 1, 5)),
        ({"missing": "drop"}, [1, 0, 0, 1, 0, 0], (2, 2, 2)),
    ):
        found = measured(HOLES, **chosen)
        assert found.classes.size_of_record.tolist() == sizes
        entry = found.entry
        assert (entry.n_dropped, entry.n_fully_suppressed, entry.n_assessed) == counts


def test_coded_column__takes_blank_cells_as_missing_and_others_as_written(monkeypatch: Patch) -> None:
    as_written = ReadOptions(missing_spellings=())
    dataset = read_dataset(b"a,b\n,1\n  ,1\n x,1\nx,1\nNA,1\n", name="t", options=as_written)
    column = coded_column(dataset.table, "a")
    assert column.codes[0] == column.codes[1] == -1
    assert column.codes[1] != column.codes[2] != column.codes[3]
    assert (column.n_missing, column.n_distinct) == (2, 3)
    column = coded_column(pa.table({"a": ["x", "", None, " ", "y"]}), "a")
    assert (column.n_missing, column.n_distinct, column.labels) == (3, 2, ("x", "y"))
    assert column.codes.tolist() == [0, -1, -1, -1, 1]
    assert column.codes_with_missing.tolist() == [0, 2, 2, 2, 1]
    monkeypatch.setattr("core.coding._LARGEST_ARRAY", 1)  # more text than one array holds
    assert coded_column(pa.table({"a": ["x", "y", "x"]}), "a").codes.tolist() == [0, 1, 0]


def test_person__classes_count_distinct_persons_and_unknown_ones_add_nobody_to_known_ones() -> None:
    for text, sizes, counts in (
        ("age,who\n30,a\n30,a\n30,b\n40,c\n40,c\n", [2, 1], (3, 0, 1)),
        ("age,who\n30,a\n30,\n30,\n40,\n40,\n", [1, 1], (1, 4, 1)),
    ):
        found = measured(text, quasi="age", person="who")
        persons = found.persons
        assert found.classes.class_sizes.tolist() == sizes
        assert persons is not None
        assert (persons.n_persons, persons.n_unknown, persons.n_below(2)) == counts
    by_wildcards = partial(_sizes, missing="wildcard", person="who")
    assert by_wildcards("age,sex,who\n30,F,a\n30,,a\n30,,b\n40,M,c\n") == [2, 2, 2, 1]
    assert by_wildcards("age,sex,who\n30,F,\n30,,\n") == [1, 1]


def test_spread__of_nothing_missing_changes_nothing() -> None:
    pairs = Pairs(np.array([0, 1]), np.array([0, 0]), np.array([3, 4]))
    codes = np.array([[0], [1]], dtype=np.int32)
    found = spread(pairs, codes, np.zeros((2, 1), dtype=bool))
    assert [part.tolist() for part in found] == [[0, 1], [0, 0], [3, 4]]


@pytest.mark.parametrize("bound", ["_MOST_WORK", "_MOST_PAIRS"])
def test_spread__refuses_too_many_ways_of_missing(bound: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(f"core.classes.{bound}", 1)
    (problem,) = problems(lambda: measured(HOLES, missing="wildcard"))
    assert problem == Saying("Records miss quasi-identifiers in 3 different ways, too many to …")


def test_sampling_weights__are_numbers_above_0() -> None:
    assert sampling_weights(table("a,w\n1,2.5\n2,10\n"), "w").tolist() == [2.5, 10]
    for text, wrong in (
        ("a,w\n1,2\n2,0\n3,-1\n4,\n", "3 of 4 weights in `w` are missing, zero or negative; … 0."),
        ("a,w\n1,many\n", "The weight column `w` holds cells that are no numbers."),
    ):
        assert problems(partial(sampling_weights, table(text), "w")) == (Saying(wrong),)


REFUSED = (
    ({"quasi_identifiers": ()}, ["No quasi-identifier is chosen. …"]),
    ({"quasi_identifiers": ("age", "zip"), "person": "who"},
     ["There is no column `zip`; the table has age, sex, disease.",
      "There is no column `who`; the table has age, sex, disease."]),
    ({"quasi_identifiers": ("age", "disease"), "sensitive": ("disease",), "leave_out": ("age",)},
     ["`age` cannot be both a quasi-identifier and not released; choose one.",
      "`disease` cannot be both a quasi-identifier and a sensitive attribute; choose one."]),
    ({"quasi_identifiers": ("age",), "missing": "skip", "recursive_c": 0, "population_size": 0},
     ["missing must be one of value, wildcard, drop, received skip.",
      "recursive_c must be above 0, received 0.",
      "population_size must be at least 1, received 0."]),
)  # fmt: skip


def test_settings__name_everything_that_is_wrong() -> None:
    def holds(chosen: dict[str, object], expected: list[str]) -> None:
        data = table("age,sex,disease\n30,F,flu\n")
        found = problems(lambda: measure_risk(data, settings=RiskSettings(**chosen)))
        assert found == tuple(map(Saying, expected))

    holds_for_each(REFUSED, holds)


# -------------------------------------------------------------------------------------- individual risk


def test_risk_given_population__agrees_with_the_practice_guide() -> None:
    # Benschop, Machingauta, Welch, Statistical disclosure control: a practice guide, table 4.1.
    sizes = np.array([2, 1, 2, 1, 1, 2])
    population = np.array([360.0, 215, 152, 186, 180, 262])
    published = [0.0054, 0.0251, 0.0126, 0.0282, 0.0290, 0.0074]
    assert risk_given_population(sizes, population) == pytest.approx(published, abs=6e-5)


@pytest.mark.parametrize(
    ("size", "p"), [(1, 0.2), (2, 0.2), (4, 0.1), (20, 0.03), (1000, 0.9), (39, 0.49), (5, 0.001)]
)
def test_risk_given_population__is_the_expectation_of_the_negative_binomial(size: int, p: float) -> None:
    def log_pmf(j: int) -> float:
        ways = math.lgamma(j) - math.lgamma(size) - math.lgamma(j - size + 1)
        return ways + size * math.log(p) + (j - size) * math.log(1 - p)

    literal = math.fsum(math.exp(log_pmf(j)) / j for j in range(size, size + 60_000))
    assert risk_given_population(np.array([size]), np.array([size / p]))[0] == pytest.approx(literal)


def _individual(letters: str, weights: list[float], **options: object) -> IndividualRisk:
    classes = equivalence_classes(pa.table({"x": pa.array([*letters], pa.string())}), ["x"], **options)
    return individual_risk(classes, np.array(weights))


def test_individual_risk__adds_up_the_weights_of_each_class() -> None:
    found = _individual("abac", [186.0, 180, 76, 1])
    a, b, c = found.class_risk
    assert (a, b, c) == (pytest.approx(0.0074, abs=6e-5), pytest.approx(0.0290, abs=6e-5), 1)
    assert found.highest_risk == 1
    assert found.expected_reidentifications == pytest.approx(2 * a + b + c)
    assert found.average_risk == pytest.approx((2 * a + b + c) / 4)
    assert _individual("aa", [0.5, 0.5]).class_risk.tolist() == [0.5]  # too little weight: complete
    left_out = _individual("aa", [1.0, -1.0], leave_out=np.array([False, True]))
    assert left_out.class_sizes.tolist() == [1]


def test_individual_risk__refuses_weights_that_are_none() -> None:
    for bad in (0.0, -2.0, math.nan, math.inf):
        (problem,) = problems(partial(_individual, "ab", [1.0, bad]))
        assert problem == Saying("1 of 2 sampling weights is missing, infinite, zero or negative; …")
    assert problems(partial(_individual, "", [])) == ("There is no record with a sampling weight.",)


GAPS = "age,sex,w\n30,F,10\n30,,20\n40,M,5\n40,M,5\n,M,7\n"


def test_individual_risk__has_the_weights_of_all_compatible_records() -> None:
    found = measured(GAPS, weight="w", missing="wildcard").individual
    assert found is not None
    # (30, F) with (30, ?): 2 records, 30; (30, ?) with it and (?, M): 3, 37; (40, M) twice, (?, M): 3, 17;
    # (?, M) with (30, ?) and both (40, M): 4, 37.
    expected = risk_given_population(np.array([2, 3, 3, 4]), np.array([30.0, 37, 17, 37]))
    assert found.class_risk.tolist() == pytest.approx(expected.tolist())
    assert found.expected_reidentifications == pytest.approx(float(expected @ [1, 1, 2, 1]))
    dropped = measured(GAPS, weight="w", missing="drop").individual
    assert dropped is not None
    assert dropped.class_sizes.tolist() == [1, 2]


# -------------------------------------------------------------------------------------- special uniques

# Benschop, Machingauta, Welch, Statistical disclosure control: a practice guide, table 4.4.
GUIDE = {
    "residence": "Urban Urban Urban Urban Rural Urban Urban Urban Urban Urban".split(),
    "gender": "F F F M F M F M F F".split(),
    "education": "SI SI PI SC SC SC PC PS SI SI".split(),
    "labor": "Emp Emp Non Emp Une Emp Non Une Non Non".split(),
}


def _combinations(columns: Mapping[str, Iterable[str]], **options: object) -> Combinations:
    coded = {name: value_codes(pa.array([*values])) for name, values in columns.items()}
    return distinct_combinations(coded, **options)


def _suda(columns: dict[str, list[str]] = GUIDE, **options: object) -> Suda:
    return measure_suda(_combinations(columns), **{"max_size": 3, "sampling_fraction": 0.01, **options})


def test_measure_suda__agrees_with_the_practice_guide() -> None:
    found = _suda()
    assert found.score_of_record.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert (found.n_sample_uniques, found.n_records, found.is_complete) == (4, 10, True)
    assert (found.scored_records.tolist(), found.n_by_size.tolist()) == ([2, 4, 6, 7], [4, 5, 0])
    counts = {"n_uniques": 4, "n_pair_records": 6, "n_columns": 4, "sampling_fraction": 0.01}
    assert found.dis_of_record.tolist() == dis_suda(found.score_of_record, **counts).tolist()
    # record 5: {residence} 6, {gender, education} 2, {gender, labor} 2, {education, labor} 2 of 12.
    assert found.contribution_of_record[1].tolist() == pytest.approx([6 / 12, 4 / 12, 4 / 12, 4 / 12])
    # all scores: 34; residence in record 5 and, with labor, in 8; education alone makes 3, 7 and 8 unique.
    assert found.column_contribution[0] == pytest.approx((6 + 2) / 34)
    assert found.column_contribution[2] == pytest.approx((6 + 4 + 6 + 6) / 34)
    # Example 4.7: scores and DIS-SUDA scores as printed, 4 uniques and 6 records in pairs, 4 columns.
    printed = [0.005120313, 0, 0.010702061, 0.005120313, 0.008775093]
    assert dis_suda(np.array([1.75, 0, 3.25, 1.75, 2.75]), **counts) == pytest.approx(printed, rel=1e-6)


def test_minimal_sample_uniques__of_the_practice_guides_fifth_record() -> None:
    table = _combinations(GUIDE)
    fifth = table.combination_of_record[4]
    found = {columns for columns, unique, _ in every_set(table, 3) if fifth in unique}
    assert found == {(0,), (1, 2), (1, 3), (2, 3)}


def test_msu_score__is_the_product_of_elliot() -> None:
    for size, n_columns, max_size, score in (
        *((1, 4, 3, 6), (2, 4, 3, 2), (3, 4, 3, 1)),
        *((4, 4, 4, 1), (2, 8, 3, 30)),
    ):
        assert msu_score(size, n_columns=n_columns, max_size=max_size) == score, (size, n_columns, max_size)


def test_measure_suda__leaves_records_out_and_scores_nothing_without_uniques() -> None:
    table = _combinations({"x": ["a", "a", "b"]}, leave_out=np.array([False, True, False]))
    found = measure_suda(table, max_size=1, sampling_fraction=1)
    assert found.score_of_record.tolist() == [1, 0, 1]
    assert found.scored_records.tolist() == [0, 2]
    assert found.dis_of_record.tolist() == [1, 0, 1]
    found = _suda({"x": ["a", "a"]}, max_size=4, sampling_fraction=0.1)
    assert (found.score_of_record.tolist(), found.dis_of_record.tolist()) == ([0, 0], [0, 0])
    assert (found.column_contribution.tolist(), found.max_size) == ([0], 1)


def test_measure_suda__searches_smaller_sets_beyond_its_bound_and_says_so() -> None:
    found = _suda(max_cells=12_000)  # 7 distinct combinations; 4 sets of one column, 6 of two
    assert (found.max_size, found.requested_size, found.is_complete) == (2, 3, False)
    assert _suda(max_cells=1).max_size == 1
    assert problems(lambda: _suda(max_size=0, sampling_fraction=0)) == (
        "max_size must be at least 1, received 0.",
        "sampling_fraction must be above 0 and at most 1, received 0.",
    )


@pytest.mark.slow
def test_measure_suda__of_many_columns_does_bounded_work_and_says_so() -> None:
    def searched(n_records: int, n_columns: int) -> Suda:
        rng = np.random.default_rng(3)
        wide = distinct_combinations({f"c{n}": rng.integers(0, 3, n_records) for n in range(n_columns)})
        return measure_suda(wide, max_size=3, sampling_fraction=None)

    found = searched(20, 200)
    assert (found.requested_size, found.max_size, found.was_stopped) == (3, 2, False)
    assert searched(200, 1000).max_size == 1
    assert "The table is too large for sets of 3; only sets of up to 2 were searched." in suda_note(found)


# --------------------------------------------------------------------------------------------- columns


# Motwani and Xu (2007), table 1: age, sex and state of five people.
MOTWANI_XU = _combinations(
    {"age": "20 30 40 20 40".split(), "sex": "FFFMM", "state": "CA CA TX NY CA".split()}
)


def test_distinctness__agrees_with_the_paper() -> None:
    age, age_state = distinctness(MOTWANI_XU, [0]), distinctness(MOTWANI_XU, [0, 2])
    assert (age.distinction, age.separation) == (0.6, 0.8)
    assert (age_state.distinction, age_state.separation) == (1, 1)
    assert age_state.columns == ("age", "state")
    assert (age.n_classes, age.n_unique, age.unique_share, age.n_pairs_separated) == (3, 1, 0.2, 8)


def test_distinctness__of_nothing_is_not_known() -> None:
    no_column = distinctness(MOTWANI_XU, [])
    assert (no_column.n_classes, no_column.separation, no_column.n_unique) == (1, 0, 0)
    empty = distinct_combinations({"x": np.zeros(0, dtype=np.int64)})
    for few, expected in ((_combinations({"x": "a"}), (1, None, 1)), (empty, (None, None, None))):
        found = distinctness(few, [0])
        assert (found.distinction, found.separation, found.unique_share) == expected
    assert column_contributions(empty)[0].unique_share_gained is None


def test_column_contributions__count_what_a_column_adds() -> None:
    # x·y: a1 a2 b1 b1 c3. Unique: a1, a2, c3. Without y: c. Without x: 2 and 3.
    x, y = column_contributions(_combinations({"x": "aabbc", "y": "12113"}))
    assert (x.column, x.n_unique_gained, x.unique_share_gained) == ("x", 1, 0.2)
    assert (y.column, y.n_unique_gained, y.unique_share_gained) == ("y", 2, 0.4)
    assert (x.alone.n_unique, y.alone.n_unique) == (1, 2)


def test_singling_out_sets__finds_all_of_the_smallest_size_above_the_share() -> None:
    # x and z together, and y and z together, single out everybody; no column alone half of them.
    found = singling_out_sets(_combinations({"x": "aabb", "y": "ccdd", "z": "1212"}))
    assert [each.columns for each in found.sets] == [("x", "z"), ("y", "z")]
    # 2 values reach 2 of 4 at best
    assert (found.method, found.searched_size, found.n_looked_at) == ("exact", 2, 3)
    found = singling_out_sets(_combinations({"x": "aabb", "y": "1122"}))
    assert (found.sets, found.method) == ((), "exact")
    half = _combinations({"x": "abcc"})
    assert singling_out_sets(half, share=0.5).sets == ()
    assert [each.columns for each in singling_out_sets(half, share=0.49).sets] == [("x",)]
    (problem,) = problems(lambda: singling_out_sets(MOTWANI_XU, share=1.0))
    assert problem == Saying("share must be at least 0 and below 1, received 1.")


def test_singling_out_sets__grows_a_set_beyond_its_bound_and_says_so() -> None:
    bits = [np.arange(16) >> place & 1 for place in range(4)]
    columns = dict(zip("abcdef", [*bits, bits[0] ^ bits[1], bits[2] ^ bits[3]], strict=True))
    exact = singling_out_sets(distinct_combinations(columns))
    greedy = singling_out_sets(distinct_combinations(columns), max_cells=1)
    assert {each.columns for each in exact.sets} >= {("a", "b", "c", "d"), ("a", "c", "e", "f")}
    assert (exact.method, exact.searched_size) == ("exact", 4)  # two values each: less never reaches 9 of 16
    assert (greedy.method, greedy.searched_size) == ("greedy", 3)
    assert greedy.sets[0].unique_share == 1


def test_columns__of_many_do_bounded_work_and_say_so() -> None:
    rng = np.random.default_rng(3)
    wide = distinct_combinations({f"c{n}": rng.integers(0, 3, 200) for n in range(1000)})
    found = singling_out_sets(wide, max_cells=60_000_000)
    assert (found.method, found.searched_size) == ("greedy", 1)
    assert found.sets[0].n_unique > 100
    contributions = column_contributions(wide)
    assert [each.n_unique_gained for each in contributions] == [0] * 1000  # 999 others do as well


# ------------------------------------------------------------------------------------------- violations


def _judged(found: RiskMeasurement, **limits: float) -> dict[str, list[object]]:
    return violating_records(judge_risk(found, RiskThresholds(**limits))).to_dict("list")


def test_violating_records__are_those_of_classes_that_miss_something() -> None:
    assert _judged(measured(**DISEASE), k=2, l=2, t=0.7) == {
        "record": [4, 5, 6],
        "class_size": [2, 2, 1],
        "misses": ["l of disease", "l of disease", "k, l of disease, t of disease"],
    }
    spelled = "age,disease\n30,flu\n30,Flu\n40,flu\n40,cold\n50,\n50,unknown\n"  # as what values mean
    limits = {"k": 1, "l": 2, "average_risk": 1, "entropy_l": 1.5, "alpha": 0.6, "beta": 9, "delta": 9}
    missed = _judged(measured(spelled, quasi="age", **DISEASE), **limits)
    assert missed["record"] == [1, 2, 5, 6]  # record 6 is the only known one of its class as written
    assert missed["misses"][0] == "l of disease, entropy l of disease, α of disease"
    met = judged("age\n30\n30\n", quasi="age", k=2)
    assert violating_records(met).empty
    assert violations_csv(met).decode("utf-8-sig").splitlines() == ['"Record","Group size","Misses"']


def test_violations__have_no_values_unless_asked_for(tmp_path: Path, capsys: Told) -> None:
    audit = judged(k=2)
    assert violations_csv(audit).decode().splitlines()[1:] == ['"6","1","k"']
    with_values = violations_csv(audit, table(PEOPLE)).decode("utf-8-sig").splitlines()
    assert with_values[0].endswith('"Misses","age (quasi-identifier)","sex (quasi-identifier)"')
    assert with_values[1] == '"6","1","k","50","F"'
    source, target = tmp_path / "people.csv", tmp_path / "missed.csv"
    source.write_text(PEOPLE)
    chosen = f"risk {source} --quasi-identifier age sex --k 2 --violations {target}".split()
    assert main(chosen) == 1
    assert target.read_text().splitlines()[1:] == ['"6","1","k"']
    assert main(chosen) == 2  # never overwritten
    assert "exists and is never overwritten" in capsys.readouterr().err
    target.unlink()
    assert main([*chosen, "--violations-with-values"]) == 1
    assert '"50","F"' in target.read_text()


def test_discernibility__counts_records_that_are_not_in_the_table_any_more() -> None:
    comparison = measured("age\n30\n30\n", quasi="age", original="age\n30\n30\n40\n50\n").comparison
    assert comparison is not None
    assert comparison.discernibility == 4 + 2 * 4
