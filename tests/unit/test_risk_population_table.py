"""Journalist, marketer, k-map and δ-presence on a population countable by hand."""

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.risk.population_estimates import risk_by_population_size, risk_by_population_table

# Sample: a·1 twice, b·2 once. Population: a·1 four times, b·2 twice, c·3 twice.
SAMPLE = pa.table({"x": ["a", "b", "a"], "y": ["1", "2", "1"], "other": ["p", "q", "r"]})
POPULATION = pa.table({"y": list("11112233"), "x": list("aaaabbcc")})


def test_risk_by_population_table__counts_classes_in_the_population() -> None:
    found = risk_by_population_table(SAMPLE, POPULATION, ["x", "y"])
    assert found.based_on == "table"
    assert sorted(zip(found.sample_sizes.tolist(), found.population_sizes.tolist(), strict=True)) == [
        (1, 2.0),
        (2, 4.0),
    ]
    assert (found.k_map, found.journalist_highest_risk) == (2, 0.5)
    assert found.marketer_risk == pytest.approx((2 / 4 + 1 / 2) / 3)
    assert (found.n_records_at_risk(3), found.n_records_at_risk(2)) == (1, 0)
    assert (found.n_records, found.population_size, found.n_population_classes) == (3, 8, 3)


def test_risk_by_population_table__presence_is_0_where_nobody_of_a_class_was_drawn() -> None:
    assert risk_by_population_table(SAMPLE, POPULATION, ["x", "y"]).delta_presence == (0, 0.5)


def test_risk_by_population_table__presence_of_a_sample_with_every_class() -> None:
    sample = pa.table({"x": ["a", "a", "b", "c"]})
    population = pa.table({"x": list("aabbbcccc")})
    assert risk_by_population_table(sample, population, ["x"]).delta_presence == (0.25, 1)


def test_risk_by_population_table__presence_is_between_a_half_and_two_thirds() -> None:
    # Nergiz, Atzori, Clifton (2007): (1/2, 2/3)-present means that of each class of the public table between
    # a half and two thirds are in the private one.
    public = pa.table({"zip": ["47*"] * 4 + ["48*"] * 3 + ["49*"] * 2})
    private = pa.table({"zip": ["47*"] * 2 + ["48*"] * 2 + ["49*"]})
    assert risk_by_population_table(private, public, ["zip"]).delta_presence == (0.5, pytest.approx(2 / 3))


def test_risk_by_population_table__blank_cells_are_one_missing_value() -> None:
    sample = pa.table({"x": pa.array([None, " "], pa.string())})
    population = pa.table({"x": pa.array(["", None, "a", "\t"], pa.string())})
    found = risk_by_population_table(sample, population, ["x"])
    assert (found.sample_sizes.tolist(), found.population_sizes.tolist()) == ([2], [3.0])


def test_risk_by_population_table__leaves_records_out() -> None:
    left_out = np.array([False, True, False])
    found = risk_by_population_table(SAMPLE, POPULATION, ["x"], leave_out=left_out)
    assert (found.n_records, found.k_map) == (2, 4)


@pytest.mark.parametrize(
    ("sample", "population", "problem"),
    [
        (
            {"x": ["a"], "y": ["1"]},
            {"z": ["a"]},
            (
                "The population table has no column `x`, `y`; it needs every quasi-identifier, written and "
                "generalized as in the table."
            ),
        ),
        (
            {"x": ["a", "a"], "y": ["1", "1"]},
            {"x": ["a"], "y": ["1"]},
            (
                "The population table has 1 record, fewer than the 2 of the table; it has to include "
                "everybody the table was drawn from."
            ),
        ),
        (
            {"x": ["a", "b"], "y": ["1", "1"]},
            {"x": ["a", "a"], "y": ["1", "1"]},
            (
                "1 of 2 classes of the table (1 of 2 records) does not occur in the population table; write "
                "and generalize the quasi-identifiers in both the same way."
            ),
        ),
        (
            {"x": ["a", "a"], "y": ["1", "1"]},
            {"x": ["a", "b"], "y": ["1", "1"]},
            (
                "1 of 1 classes of the table has more records there than in the population table, so the "
                "table is no sample of this population."
            ),
        ),
        ({"x": [], "y": []}, {"x": ["a"], "y": ["1"]}, "There is no record to compare with the population."),
    ],
)
def test_risk_by_population_table__refuses_what_is_no_population(
    sample: dict[str, list[str]], population: dict[str, list[str]], problem: str
) -> None:
    with pytest.raises(AuditInputError) as error:
        risk_by_population_table(pa.table(sample), pa.table(population), ["x", "y"])
    assert error.value.problems == (problem,)


def test_risk_by_population_size__scales_no_class_up() -> None:
    found = risk_by_population_size(np.array([1, 4]), population_size=50)
    assert found.population_sizes.tolist() == [1, 4]
    assert (found.k_map, found.journalist_highest_risk) == (1, 1)
    assert found.marketer_risk == pytest.approx(2 / 5)  # classes / records
    assert [each.model for each in found.estimates] == ["weights", "pitman", "snb"]
    assert found.delta_presence is None


def test_risk_by_population_size__refuses_an_empty_or_too_large_sample() -> None:
    with pytest.raises(AuditInputError, match=r"^There is no record to compare with the population\.$"):
        risk_by_population_size(np.zeros(0, dtype=np.int64), population_size=5)
    with pytest.raises(
        AuditInputError, match=r"^The population size is 4, but the table alone has 5 records;"
    ):
        risk_by_population_size(np.array([5]), population_size=4)
