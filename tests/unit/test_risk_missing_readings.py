"""Missing quasi-identifiers are read the same way by weights and special uniques as by classes."""

from itertools import combinations

import numpy as np
import pytest

from core.risk import RiskSettings, measure_risk, measure_special_uniques
from core.risk.population_estimates import risk_given_population
from tests.risk_examples import measured, table

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
