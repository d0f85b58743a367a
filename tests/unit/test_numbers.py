"""Numbers as people write them, read by the column."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.result import Figure
from core.risk import RiskSettings, audit_risk
from core.risk.result import risk_result
from core.tables import read_dataset
from core.values.cells import as_numbers
from core.values.numbers import plain_numbers


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        (["1.234,5", "12", "-7,25"], [1234.5, 12, -7.25]),
        (["1 234,5", "987", "12 345 678"], [1234.5, 987, 12345678]),
        (["1'234.5", "12’345.5", "3"], [1234.5, 12345.5, 3]),
        (["1,234.5", "999", "1,000,000"], [1234.5, 999, 1_000_000]),
        (["1\u202f234", "−5,5"], [1234, -5.5]),
        (["1.234.567", "12.345", "900"], [1_234_567, 12_345, 900]),
        (["1.250", "3.400", "12.500", "7"], [1250, 3400, 12_500, 7]),  # decimals that end in 0 thrice
        (["0,125", "1,250", "3"], [0.125, 1.25, 3]),  # no thousands begin with 0
        (["50,000", "31000"], [50_000, 31_000]),
        (["1.234", "3.125"], [1.234, 3.125]),
        (["1,234", "3,125"], [1234, 3125]),
        ([".5", "1e3", "1,5"], None),  # two decimal marks
        (["1,2,3", "4,5"], None),
        (["070 123 456", "041 555 666"], None),  # telephones begin with 0
        (["12.03.2020", "13.04.2021"], None),
        (["10.0.0.1", "10.0.0.2"], None),
    ],
)
def test_as_numbers__tells_decimals_from_thousands_by_the_column(
    written: list[str], numbers: list[float] | None
) -> None:
    for order in (1, -1):
        found = as_numbers(pa.array(written[::order], pa.string()))
        if numbers is None:
            assert found is None
        else:
            assert found is not None
            np.testing.assert_allclose(found, numbers[::order])


@pytest.mark.parametrize(
    ("written", "is_ambiguous"),
    [
        (["1.234", "987"], True),
        (["1,234", "987"], True),
        (["1.234", "1,234"], True),
        (["1,234", "31000"], True),
        (["1.234", "987.5"], False),
        (["1,234", "2,345"], False),  # a thousand times as much in every value: the same figures
        (["12", "987"], False),
    ],
)
def test_plain_numbers__says_what_nothing_settles(written: list[str], *, is_ambiguous: bool) -> None:
    found = plain_numbers(pa.array(written))
    assert found is not None
    assert found.is_ambiguous == is_ambiguous


def test_plain_numbers__reads_thousands_where_decimals_would_show() -> None:
    rng = np.random.default_rng(3)
    amounts = rng.integers(100, 90_000, 400)
    for mark in (".", ","):
        written = [f"{each:,}".replace(",", mark) for each in amounts]
        np.testing.assert_array_equal(as_numbers(pa.array(written)), amounts)
    decimals = [f"{each:.12g}" for each in np.round(rng.normal(5, 2, 400), 3)]
    np.testing.assert_allclose(as_numbers(pa.array(decimals)), [float(each) for each in decimals])


def _figures(write: Callable[[float], str]) -> list[tuple[str, float | None]]:
    """Return all figures of people beside their original, with amounts written in some way."""
    rng, n = np.random.default_rng(1), 240
    age, weight = rng.integers(20, 80, n), rng.normal(75, 15, n).round(1)
    pay, people = rng.lognormal(8, 0.7, n).round(2), rng.uniform(1, 40, n).round(2)
    coarse = {"age": age // 20 * 20, "weight": [write(each) for each in (weight // 20 * 20 + 0.5).tolist()]}
    fine = {"age": age, "weight": [write(each) for each in weight.tolist()]}
    same = {"pay": [write(each) for each in pay.tolist()], "n": [write(each) for each in people.tolist()]}
    tables = [pd.DataFrame({**each, **same}).to_csv(index=False).encode() for each in (coarse, fine)]
    table, original = (read_dataset(each, name="t.csv") for each in tables)
    settings = RiskSettings(
        quasi_identifiers=("age", "weight"), sensitive=("pay",), weight="n", population_size=9_000
    )
    result = risk_result(audit_risk(table, settings=settings, original=original))
    parts = [part for group in result.groups for part in group.parts if isinstance(part, Figure)]
    return [(each.measure, each.value) for each in parts]


@pytest.mark.parametrize(
    "write",
    [
        lambda each: f"{each:,}".translate(str.maketrans(",.", ".,")),
        lambda each: f"{each:,}".replace(",", " ").replace(".", ","),
        lambda each: f"{each:,}".replace(",", "'"),
        lambda each: f"{each:,}",
    ],
    ids=["1.234,5", "1 234,5", "1'234.5", "1,234.5"],
)
def test_risk__is_the_same_however_numbers_are_written(write: Callable[[float], str]) -> None:
    found = _figures(write)
    assert len(found) > 30
    assert found == _figures(str)
