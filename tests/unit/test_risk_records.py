"""Which records are assessed, and how large their classes are, on tables countable by hand."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.__main__ import main
from core.coding import coded_column, value_codes
from core.equivalence import equivalence_classes
from core.errors import AuditInputError
from core.risk import (
    RiskSettings,
    RiskThresholds,
    judge_risk,
    measure_risk,
    measure_special_uniques,
    violating_records,
    violations_csv,
)
from core.risk.document import suda_note
from core.risk.population_estimates import individual_risk, risk_given_population
from core.risk.records import Combinations, Pairs, distinct_combinations, sampling_weights, spread
from core.risk.suda import dis_suda, every_set, measure_suda, msu_score
from core.tables import ReadOptions, read_dataset
from tests.risk_examples import PEOPLE, measured, table
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


def test_missing__is_a_value_of_its_own_by_default() -> None:
    text = "age,sex\n30,F\n30,\n30,\n,F\n"
    assert _sizes(text) == [1, 2, 2, 1]


def test_missing__as_wildcard_counts_the_compatible_records() -> None:
    # (30, F) matches itself, (30, ?) and (?, F); (?, F) matches (30, F), (30, ?) and itself.
    assert _sizes(missing="wildcard") == [3, 3, 3, 1, 0, 0]


def test_missing__as_wildcard_counts_a_suppressed_cell_as_missing() -> None:
    text = "age,sex\n30,F\n*,F\n40,F\n"
    assert _sizes(text, missing="wildcard") == [2, 3, 2]
    assert _sizes(text) == [1, 1, 1]


def test_missing__dropped_records_are_counted() -> None:
    found = measured(HOLES, missing="drop")
    assert found.classes.size_of_record.tolist() == [1, 0, 0, 1, 0, 0]
    assert (found.entry.n_dropped, found.entry.n_fully_suppressed, found.entry.n_assessed) == (2, 2, 2)


def test_fully_suppressed_records__are_left_out_and_counted() -> None:
    found = measured(HOLES)
    assert (found.entry.n_fully_suppressed, found.entry.n_assessed) == (2, 4)
    assert found.classes.size_of_record.tolist() == [1, 1, 1, 1, 0, 0]


def test_coded_column__takes_blank_cells_as_missing_and_others_as_written() -> None:
    dataset = read_dataset(
        b"a,b\n,1\n  ,1\n x,1\nx,1\nNA,1\n", name="t", options=ReadOptions(missing_spellings=())
    )
    column = coded_column(dataset.table, "a")
    assert column.codes[0] == -1
    assert (column.n_missing, column.n_distinct) == (2, 3)
    assert column.codes[0] == column.codes[1] != column.codes[2] != column.codes[3]


def test_person__classes_count_distinct_persons() -> None:
    text = "age,who\n30,a\n30,a\n30,b\n40,c\n40,c\n"
    found = measured(text, quasi="age", person="who")
    assert found.classes.class_sizes.tolist() == [2, 1]
    assert found.persons is not None
    assert (found.persons.n_persons, found.persons.n_unknown, found.persons.n_below(2)) == (3, 0, 1)


def test_person__unknown_ones_add_nobody_to_known_ones() -> None:
    text = "age,who\n30,a\n30,\n30,\n40,\n40,\n"
    found = measured(text, quasi="age", person="who")
    assert found.classes.class_sizes.tolist() == [1, 1]
    assert found.persons is not None
    assert (found.persons.n_persons, found.persons.n_unknown) == (1, 4)


def test_person__with_wildcards_counts_persons_of_compatible_records() -> None:
    text = "age,sex,who\n30,F,a\n30,,a\n30,,b\n40,M,c\n"
    found = measured(text, missing="wildcard", person="who")
    assert found.classes.size_of_record.tolist() == [2, 2, 2, 1]


def test_average_class_size__of_records_is_records_per_class() -> None:
    found = measured()
    assert found.classes.class_sizes.tolist() == [3, 2, 1]
    assert found.average_risk == pytest.approx(3 / 6)
    assert found.highest_risk == 1.0


def test_spread__of_nothing_missing_changes_nothing() -> None:
    pairs = Pairs(np.array([0, 1]), np.array([0, 0]), np.array([3, 4]))
    codes = np.array([[0], [1]], dtype=np.int32)
    assert [part.tolist() for part in spread(pairs, codes, np.zeros((2, 1), dtype=bool))] == [
        [0, 1],
        [0, 0],
        [3, 4],
    ]


def test_spread__refuses_too_many_ways_of_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.risk.records._MOST_WORK", 1)
    with pytest.raises(AuditInputError) as raised:
        measured(HOLES, missing="wildcard")
    assert str(raised.value) == Saying("Records miss quasi-identifiers in 3 different ways, too many to …")


def test_spread__refuses_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.risk.records._MOST_PAIRS", 1)
    with pytest.raises(AuditInputError, match="in 3 different ways"):
        measured(HOLES, missing="wildcard")


def test_sampling_weights__are_numbers() -> None:
    assert sampling_weights(table("a,w\n1,2.5\n2,10\n"), "w").tolist() == [2.5, 10]


def test_sampling_weights__refuse_weights_that_are_missing_or_not_positive() -> None:
    with pytest.raises(AuditInputError) as raised:
        sampling_weights(table("a,w\n1,2\n2,0\n3,-1\n4,\n"), "w")
    assert str(raised.value) == Saying("3 of 4 weights in `w` are missing, zero or negative; … 0.")


def test_sampling_weights__refuse_texts() -> None:
    with pytest.raises(AuditInputError) as raised:
        sampling_weights(table("a,w\n1,many\n"), "w")
    assert str(raised.value) == "The weight column `w` holds cells that are no numbers."


def _problems(**settings: object) -> tuple[str, ...]:
    with pytest.raises(AuditInputError) as raised:
        measure_risk(table("age,sex,disease\n30,F,flu\n"), settings=RiskSettings(**settings))
    return raised.value.problems


def test_settings__need_a_quasi_identifier() -> None:
    assert _problems(quasi_identifiers=()) == (Saying("No quasi-identifier is chosen. …"),)


def test_settings__name_unknown_columns() -> None:
    assert _problems(quasi_identifiers=("age", "zip"), person="who") == (
        "There is no column `zip`; the table has age, sex, disease.",
        "There is no column `who`; the table has age, sex, disease.",
    )


def test_settings__refuse_a_column_in_two_roles() -> None:
    assert _problems(quasi_identifiers=("age", "disease"), sensitive=("disease",), leave_out=("age",)) == (
        "`age` cannot be both a quasi-identifier and not released; choose one.",
        "`disease` cannot be both a quasi-identifier and a sensitive attribute; choose one.",
    )


def test_settings__name_choices_and_ranges() -> None:
    assert _problems(quasi_identifiers=("age",), missing="skip", recursive_c=0, population_size=0) == (
        "missing must be one of value, wildcard, drop, received skip.",
        "recursive_c must be above 0, received 0.",
        "population_size must be at least 1, received 0.",
    )


def test_coded_column__merges_empty_blank_and_null_cells() -> None:
    column = coded_column(pa.table({"a": ["x", "", None, " ", "y"]}), "a")
    assert (column.n_missing, column.n_distinct) == (3, 2)
    assert column.codes.tolist() == [0, -1, -1, -1, 1]
    assert column.codes_with_missing.tolist() == [0, 2, 2, 2, 1]
    assert column.labels == ("x", "y")


def test_coded_column__of_more_text_than_one_array_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.coding._LARGEST_ARRAY", 1)
    column = coded_column(pa.table({"a": ["x", "y", "x"]}), "a")
    assert column.codes.tolist() == [0, 1, 0]


def test_wildcards__with_no_known_person_count_one() -> None:
    found = measured("age,sex,who\n30,F,\n30,,\n", missing="wildcard", person="who")
    assert found.classes.size_of_record.tolist() == [1, 1]


def test_risk_given_population__agrees_with_the_practice_guide() -> None:
    # Benschop, Machingauta, Welch, Statistical disclosure control: a practice guide, table 4.1.
    sizes = np.array([2, 1, 2, 1, 1, 2])
    population = np.array([360.0, 215, 152, 186, 180, 262])
    published = [0.0054, 0.0251, 0.0126, 0.0282, 0.0290, 0.0074]
    assert risk_given_population(sizes, population) == pytest.approx(published, abs=6e-5)


def test_risk_given_population__equals_the_closed_forms() -> None:
    p = 0.2
    one = p / (1 - p) * math.log(1 / p)
    two = p / (1 - p) - (p / (1 - p)) ** 2 * math.log(1 / p)
    three = p / (2 * (1 - p) ** 3) * ((1 - p) * (3 * (1 - p) - 2) - 2 * p**2 * math.log(p))
    sizes = np.array([1, 2, 3])
    assert risk_given_population(sizes, sizes / p) == pytest.approx([one, two, three])


@pytest.mark.parametrize(("size", "p"), [(1, 0.5), (4, 0.1), (20, 0.03), (1000, 0.9), (39, 0.49), (5, 0.001)])
def test_risk_given_population__is_the_expectation_of_the_negative_binomial(size: int, p: float) -> None:
    def log_pmf(j: int) -> float:
        ways = math.lgamma(j) - math.lgamma(size) - math.lgamma(j - size + 1)
        return ways + size * math.log(p) + (j - size) * math.log(1 - p)

    literal = math.fsum(math.exp(log_pmf(j)) / j for j in range(size, size + 60_000))
    assert risk_given_population(np.array([size]), np.array([size / p]))[0] == pytest.approx(literal)


def test_individual_risk__adds_up_the_weights_of_each_class() -> None:
    classes = equivalence_classes(pa.table({"x": ["a", "b", "a", "c"]}), ["x"])
    found = individual_risk(classes, np.array([186.0, 180.0, 76.0, 1.0]))
    a, b, c = found.class_risk
    assert (a, b, c) == (pytest.approx(0.0074, abs=6e-5), pytest.approx(0.0290, abs=6e-5), 1)
    assert found.highest_risk == 1
    assert found.expected_reidentifications == pytest.approx(2 * a + b + c)
    assert found.average_risk == pytest.approx((2 * a + b + c) / 4)


def test_individual_risk__takes_a_class_with_too_little_weight_as_complete() -> None:
    classes = equivalence_classes(pa.table({"x": ["a", "a"]}), ["x"])
    found = individual_risk(classes, np.array([0.5, 0.5]))
    assert found.class_risk.tolist() == [0.5]


def test_individual_risk__does_not_look_at_weights_of_records_left_out() -> None:
    table = pa.table({"x": ["a", "a"]})
    classes = equivalence_classes(table, ["x"], leave_out=np.array([False, True]))
    assert individual_risk(classes, np.array([1.0, -1.0])).class_sizes.tolist() == [1]


@pytest.mark.parametrize("bad", [0.0, -2.0, math.nan, math.inf])
def test_individual_risk__refuses_weights_that_are_none(bad: float) -> None:
    classes = equivalence_classes(pa.table({"x": ["a", "b"]}), ["x"])
    with pytest.raises(AuditInputError) as error:
        individual_risk(classes, np.array([1.0, bad]))
    assert str(error.value) == Saying("1 of 2 sampling weights is missing, infinite, zero or negative; …")


def test_individual_risk__refuses_no_record() -> None:
    classes = equivalence_classes(pa.table({"x": pa.array([], pa.string())}), ["x"])
    with pytest.raises(AuditInputError, match=r"^There is no record with a sampling weight\.$"):
        individual_risk(classes, np.zeros(0))


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


SPELLED = "age,disease\n30,flu\n30,Flu\n40,flu\n40,cold\n50,\n50,unknown\n"


def test_violating_records__are_those_of_classes_that_miss_something() -> None:
    audit = judge_risk(measured(sensitive=("disease",)), RiskThresholds(k=2, l=2, t=0.7))
    assert violating_records(audit).to_dict("list") == {
        "record": [4, 5, 6],
        "class_size": [2, 2, 1],
        "misses": ["l of disease", "l of disease", "k, l of disease, t of disease"],
    }


def test_violating_records__count_values_as_what_they_mean_and_pass_over_unknown_ones() -> None:
    found = measured(SPELLED, quasi="age", sensitive=("disease",))
    limits = RiskThresholds(k=1, l=2, average_risk=1, entropy_l=1.5, alpha=0.6, beta=9, delta=9)
    audit = judge_risk(found, limits)
    missed = violating_records(audit)
    assert missed["record"].tolist() == [1, 2, 5, 6]  # record 6 is the only known one of its class as written
    assert missed["misses"].tolist()[0] == "l of disease, entropy l of disease, α of disease"


def test_violating_records__are_none_where_all_is_met() -> None:
    audit = judge_risk(measured("age\n30\n30\n", quasi="age"), RiskThresholds(k=2))
    assert violating_records(audit).empty
    assert violations_csv(audit).decode().splitlines() == ['"Record","Class size","Misses"']


def test_violations__have_no_values_unless_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = judge_risk(measured(), RiskThresholds(k=2))
    assert violations_csv(audit).decode().splitlines()[1:] == ['"6","1","k"']
    with_values = violations_csv(audit, table(PEOPLE)).decode().splitlines()
    assert with_values[0].endswith('"Misses","age (quasi-identifier)","sex (quasi-identifier)"')
    assert with_values[1] == '"6","1","k","50","F"'
    source, target = tmp_path / "people.csv", tmp_path / "missed.csv"
    source.write_text(PEOPLE)
    chosen = [
        "risk",
        str(source),
        "--quasi-identifier",
        "age",
        "sex",
        "--k",
        "2",
        "--violations",
        str(target),
    ]
    assert main(chosen) == 1
    assert target.read_text().splitlines()[1:] == ['"6","1","k"']
    assert main(chosen) == 2  # never overwritten
    assert "exists and is never overwritten" in capsys.readouterr().err
    target.unlink()
    assert main([*chosen, "--violations-with-values"]) == 1
    assert '"50","F"' in target.read_text()


GAPS = "age,sex,w\n30,F,10\n30,,20\n40,M,5\n40,M,5\n,M,7\n"


def test_individual_risk__has_the_weights_of_all_compatible_records() -> None:
    found = measured(GAPS, weight="w", missing="wildcard").individual
    assert found is not None
    # (30, F) with (30, ?): 2 records, 30; (30, ?) with it and (?, M): 3, 37; (40, M) twice, (?, M): 3, 17;
    # (?, M) with (30, ?) and both (40, M): 4, 37.
    expected = risk_given_population(np.array([2, 3, 3, 4]), np.array([30.0, 37, 17, 37]))
    assert found.class_risk.tolist() == pytest.approx(expected.tolist())
    assert found.expected_reidentifications == pytest.approx(float(expected @ [1, 1, 2, 1]))


def test_individual_risk__leaves_records_out_that_are_dropped() -> None:
    found = measured(GAPS, weight="w", missing="drop").individual
    assert found is not None
    assert found.class_sizes.tolist() == [1, 2]


def _literal(rows: list[tuple[str, ...]], size: int) -> set[tuple[tuple[int, ...], int]]:
    """Return each minimal set of columns with the record that nobody else is compatible with in it."""

    def alone(record: int, columns: tuple[int, ...]) -> bool:
        return not any(
            all("" in (rows[record][c], rows[other][c]) or rows[record][c] == rows[other][c] for c in columns)
            for other in range(len(rows))
            if other != record
        )

    found: set[tuple[tuple[int, ...], int]] = set()
    for n in range(1, size + 1):
        for columns in combinations(range(len(rows[0])), n):
            for record in range(len(rows)):
                parts = (part for m in range(1, n) for part in combinations(columns, m))
                if alone(record, columns) and not any(alone(record, part) for part in parts):
                    found.add((columns, record))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_special_uniques__with_wildcards_are_whom_nobody_else_can_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = sorted({tuple("" if v == 0 else str(v) for v in row) for row in rng.integers(0, 4, (14, 3))})
    rows = [row for row in rows if any(row)]
    data = table("a,b,c\n" + "".join(f"{','.join(row)}\n" for row in rows))
    settings = RiskSettings(quasi_identifiers=("a", "b", "c"), missing="wildcard")
    suda = measure_special_uniques(measure_risk(data, settings=settings), data, max_size=3)
    assert suda is not None
    expected = _literal(rows, 3)
    assert suda.n_by_size.tolist() == [sum(len(columns) == n for columns, _ in expected) for n in (1, 2, 3)]
    assert set(suda.scored_records.tolist()) == {record for _, record in expected}


def test_discernibility__counts_records_that_are_not_in_the_table_any_more() -> None:
    settings = RiskSettings(quasi_identifiers=("age",))
    original, released = table("age\n30\n30\n40\n50\n"), table("age\n30\n30\n")
    comparison = measure_risk(released, settings=settings, original=original).comparison
    assert comparison is not None
    assert comparison.discernibility == 4 + 2 * 4
