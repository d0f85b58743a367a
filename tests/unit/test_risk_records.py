"""Which records are assessed, and how large their classes are, on tables countable by hand."""

import numpy as np
import pyarrow as pa
import pytest

from core.coding import coded_column
from core.errors import AuditInputError
from core.risk import RiskSettings, measure_risk
from core.risk.records import Pairs, sampling_weights, spread
from core.tables import ReadOptions, read_dataset
from tests.risk_examples import measured, table

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
    assert str(raised.value) == (
        "Records miss quasi-identifiers in 3 different ways, too many to compare each with each; count "
        "missing as a value, or leave such records out."
    )


def test_spread__refuses_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.risk.records._MOST_PAIRS", 1)
    with pytest.raises(AuditInputError, match="in 3 different ways"):
        measured(HOLES, missing="wildcard")


def test_sampling_weights__are_numbers() -> None:
    assert sampling_weights(table("a,w\n1,2.5\n2,10\n"), "w").tolist() == [2.5, 10]


def test_sampling_weights__refuse_weights_that_are_missing_or_not_positive() -> None:
    with pytest.raises(AuditInputError) as raised:
        sampling_weights(table("a,w\n1,2\n2,0\n3,-1\n4,\n"), "w")
    assert str(raised.value) == (
        "3 of 4 weights in `w` are missing, zero or negative; a weight says how many people a record "
        "stands for and is above 0."
    )


def test_sampling_weights__refuse_texts() -> None:
    with pytest.raises(AuditInputError) as raised:
        sampling_weights(table("a,w\n1,many\n"), "w")
    assert str(raised.value) == "The weight column `w` holds cells that are no numbers."


def _problems(**settings: object) -> tuple[str, ...]:
    with pytest.raises(AuditInputError) as raised:
        measure_risk(table("age,sex,disease\n30,F,flu\n"), settings=RiskSettings(**settings))
    return raised.value.problems


def test_settings__need_a_quasi_identifier() -> None:
    assert _problems(quasi_identifiers=()) == (
        "No quasi-identifier is chosen. Choose the columns that somebody may know about a person.",
    )


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
